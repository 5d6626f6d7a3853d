#include "ricochet/study/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "ricochet/io/error.hpp"
#include "ricochet/io/result/summary.hpp"

namespace ricochet {
namespace {

constexpr const char* kEventDriven = "event-driven";

class ClosedFormReference final : public Reference {
 public:
  ClosedFormReference(std::unique_ptr<ClosedForm> form, double begin, double end)
      : form_(std::move(form)), what_("closed form") {
    // Between impacts the velocity is smooth: a fine polyline is as good as the function.
    constexpr int kParts = 20000;
    const auto& impacts = form_->motion.impacts();
    auto next = impacts.begin();
    for (int i = 0; i <= kParts; ++i) {
      const double t = begin + (end - begin) * i / kParts;
      for (; next != impacts.end() && next->t <= t; ++next) {
        graph_.add(next->t, next->before / form_->slope);
        graph_.add(next->t, next->after / form_->slope);
      }
      graph_.add(t, form_->v(t));
    }
  }
  const std::string& what() const override { return what_; }
  void follow(const std::vector<double>& t, std::vector<double>& q, std::vector<double>& v) const override {
    q.resize(t.size());
    v.resize(t.size());
    for (std::size_t i = 0; i < t.size(); ++i) q[i] = form_->q(t[i]), v[i] = form_->v(t[i]);
  }
  const FilledGraph& velocity_graph() const override { return graph_; }

 private:
  std::unique_ptr<ClosedForm> form_;
  FilledGraph graph_{1};
  std::string what_;
};

class BarReference final : public Reference {
 public:
  BarReference(std::unique_ptr<ExactBar> bar, int nodes, double end)
      : bar_(std::move(bar)), nodes_(nodes), graph_(nodes), what_("closed form of the continuous bar") {
    constexpr int kParts = 500;
    std::vector<double> t, q, v;
    for (int i = 0; i <= kParts; ++i) t.push_back(end * i / kParts);
    follow(t, q, v);
    for (std::size_t i = 0; i < t.size(); ++i) graph_.add(t[i], v.data() + i * static_cast<std::size_t>(nodes));
  }
  const std::string& what() const override { return what_; }
  void follow(const std::vector<double>& t, std::vector<double>& q, std::vector<double>& v) const override {
    q.clear();
    v.clear();
    for (double at : t)
      for (int i = 0; i < nodes_; ++i) {
        q.push_back(bar_->u(i / (nodes_ - 1.0), at));
        v.push_back(bar_->v(i / (nodes_ - 1.0), at));
      }
  }
  const FilledGraph& velocity_graph() const override { return graph_; }

 private:
  std::unique_ptr<ExactBar> bar_;
  int nodes_;
  FilledGraph graph_;
  std::string what_;
};

// A scheme whose values do not depend on where its grid points are: it makes its steps from one time asked for to the
// next.
class EventReference final : public Reference {
 public:
  EventReference(Scenario scenario, const ReferenceOptions& options)
      : s_(std::move(scenario)),
        scheme_(make_scheme(s_.scheme, s_.options)),
        graph_(s_.model.nv()),
        what_("event-driven, at the times of each run"),
        options_(options) {}

  const std::string& what() const override { return what_; }

  void follow(const std::vector<double>& t, std::vector<double>& q, std::vector<double>& v) const override {
    q.clear();
    v.clear();
    State at = begin_run(s_.model, *scheme_, s_.initial).state, next = at;
    Workspace workspace(s_.model);
    for (double time : t) {
      if (options_.stop != nullptr && options_.stop->load()) throw std::runtime_error("interrupted");
      if (time > at.t) {
        StepReport report;
        advance(at, time - at.t, next, workspace, report);
        swap(at, next);
      }
      q.insert(q.end(), at.q.begin(), at.q.end());
      v.insert(v.end(), at.v.begin(), at.v.end());
    }
  }

  // Velocities on both sides of an event are those of steps that end just before and just after it.
  const FilledGraph& velocity_graph() const override {
    std::call_once(once_, [&] {
      constexpr int kParts = 4000;
      State at = begin_run(s_.model, *scheme_, s_.initial).state, next = at, side = at;
      Workspace workspace(s_.model);
      graph_.add(at.t, at.v.data());
      const double begin = at.t, h = (s_.policy.until - begin) / kParts;
      for (int k = 1; k <= kParts; ++k) {
        const double from = at.t;
        StepReport report, ignored;
        advance(at, begin + k * h - from, next, workspace, report);
        for (const Event& event : report.events) {
          if (event.kind != EventKind::impact) continue;
          for (const double end : {event.t - 1e-9 * h, event.t + 1e-9 * h}) {
            if (!(end > graph_.t.back()) || end >= next.t) continue;
            advance(at, end - from, side, workspace, ignored);
            graph_.add(end, side.v.data());
          }
        }
        swap(at, next);
        graph_.add(at.t, at.v.data());
      }
    });
    return graph_;
  }

 private:
  void advance(const State& from, double h, State& to, Workspace& workspace, StepReport& report) const {
    scheme_->step(s_.model, from, h, to, workspace, report);
    if (!report.ok())
      throw std::runtime_error(
          fmt::format("the reference fails at t = {:.6g} s: {}; try --reference with a scheme's name", from.t,
                      ricochet::name(report.status)));
  }

  Scenario s_;
  std::unique_ptr<Scheme> scheme_;
  mutable std::once_flag once_;
  mutable FilledGraph graph_;
  std::string what_;
  ReferenceOptions options_;
};

// Between the rows of a fine run: cubic in position, from values and rates, linear in velocity.
class FineReference final : public Reference {
 public:
  FineReference(const Scenario& s, const ReferenceOptions& options)
      : run_(simulate(s, {"q", "v"}, s.policy, options.stop)),
        graph_(s.model.nv()),
        nq_(static_cast<std::size_t>(s.model.nq())),
        nv_(static_cast<std::size_t>(s.model.nv())) {
    if (run_.result.status != RunStatus::finished)
      throw std::runtime_error(fmt::format(
          "the reference, {} with a step of {:g} s, did not come to its end: {}; try --reference or --reference-step",
          s.scheme, s.policy.step,
          run_.result.status == RunStatus::failed ? failure_line(s, run_.result) : std::string("interrupted")));
    what_ = fmt::format("{} with a step of {:.3g} s", s.scheme, s.policy.step);
    std::vector<double> v(nv_);
    for (std::size_t i = 0; i < run_.rows(); ++i) {
      for (std::size_t k = 0; k < nv_; ++k) v[k] = run_.columns[1 + nq_ + k][i];
      graph_.add(run_.t()[i], v.data());
    }
  }
  const std::string& what() const override { return what_; }

  void follow(const std::vector<double>& t, std::vector<double>& q, std::vector<double>& v) const override {
    q.clear();
    v.clear();
    std::size_t i = 0;
    for (double at : t) {
      while (i + 2 < run_.rows() && run_.t()[i + 1] < at) ++i;
      between(i, at, q, v);
    }
  }
  const FilledGraph& velocity_graph() const override { return graph_; }

 private:
  // Rows i and i + 1 of a column.
  std::pair<double, double> ends(std::size_t column, std::size_t i) const {
    return {run_.columns[column][i], run_.columns[column][i + 1]};
  }

  void between(std::size_t i, double at, std::vector<double>& q, std::vector<double>& v) const {
    const auto [t0, t1] = ends(0, i);
    const double h = t1 - t0;
    const double s = h > 0 ? std::clamp((at - t0) / h, 0.0, 1.0) : 1;
    for (std::size_t k = 0; k < nq_; ++k) {
      const auto [q0, q1] = ends(1 + k, i);
      double d0 = 0, d1 = 0;
      if (nq_ == nv_) {
        const auto [v0, v1] = ends(1 + nq_ + k, i);
        d0 = h * v0 - (q1 - q0), d1 = h * v1 - (q1 - q0);
      }
      q.push_back((1 - s) * q0 + s * q1 + s * (1 - s) * ((1 - s) * d0 - s * d1));
    }
    for (std::size_t k = 0; k < nv_; ++k) {
      const auto [v0, v1] = ends(1 + nq_ + k, i);
      v.push_back((1 - s) * v0 + s * v1);
    }
  }

  Trajectory run_;  // columns: t, then nq positions, then nv velocities
  FilledGraph graph_;
  std::size_t nq_, nv_;
  std::string what_;
};

Scenario with_scheme(const Scenario& s, const std::string& scheme) {
  Scenario out = read_scenario(s.text, s.source, {"simulation.scheme=" + scheme});
  out.policy = s.policy;
  return out;
}

// Null if it is not there, does not take the model or does not get through.
std::unique_ptr<Reference> try_events(const Scenario& s, const ReferenceOptions& options) {
  if (find_scheme(kEventDriven) == nullptr) return nullptr;
  try {
    auto out = std::make_unique<EventReference>(with_scheme(s, kEventDriven), options);
    std::vector<double> t, q, v;
    for (int i = 0; i <= 64; ++i) t.push_back(s.initial.t + (s.policy.until - s.initial.t) * i / 64);
    out->follow(t, q, v);
    return out;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Reference> make_reference(const Scenario& s, const ReferenceOptions& options) {
  const bool any = options.kind == "auto";
  if (any || options.kind == "exact") {
    if (auto form = find_closed_form(s))
      return std::make_unique<ClosedFormReference>(std::move(form), s.initial.t, s.policy.until);
    if (!any) {
      if (auto bar = find_exact_bar(s))
        return std::make_unique<BarReference>(std::move(bar), s.model.nq(), s.policy.until);
      throw InputError(
          "--reference",
          fmt::format("'{}' has no closed form; accepted: auto, the name of a scheme; closed forms are known "
                      "for one coordinate with constant coefficients above one stop, and for bars",
                      s.name));
    }
    if (auto events = try_events(s, options)) return events;
  }
  if (options.kind == kEventDriven && find_scheme(kEventDriven) != nullptr)
    return std::make_unique<EventReference>(with_scheme(s, kEventDriven), options);
  Scenario fine = any ? with_scheme(s, s.scheme) : with_scheme(s, options.kind);
  if (any) fine.options = s.options;
  fine.policy.step = options.step > 0 ? options.step : options.smallest / 8;
  fine.policy.control = {};
  return std::make_unique<FineReference>(fine, options);
}

}  // namespace ricochet
