#include "ricochet/study/local_errors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "ricochet/io/error.hpp"

namespace ricochet {

LocalStudy::LocalStudy(const Scenario& base, std::vector<Variant> variants, const std::vector<double>& steps,
                       int places)
    : name_(base.name), variants_(std::move(variants)) {
  const auto exact = find_closed_form(base);
  if (!exact)
    throw InputError("--local",
                     fmt::format("'{}' has no closed form; accepted: one coordinate with constant coefficients "
                                 "above one stop, such as bouncing-ball or linear-oscillator",
                                 base.name));
  if (exact->motion.impacts().empty())
    throw InputError("--local", "there is no impact before the end; accepted: a later --until");
  impact_ = exact->motion.impacts().front().t;
  for (const double h : steps)
    if (!(h > 0) || h >= impact_ - base.initial.t)
      throw InputError("--steps", fmt::format("{:g} s; accepted: less than the time of the first impact, {:g} s", h,
                                              impact_ - base.initial.t));
  for (std::size_t k = 0; k < variants_.size(); ++k) {
    if (!variants_[k].scenario) continue;
    for (const double h : steps)
      for (int i = 0; i < places; ++i) measure(k, h, (i + 0.5) / places, *exact);
  }
}

void LocalStudy::measure(std::size_t variant, double h, double sigma, const ClosedForm& exact) {
  const Scenario& s = *variants_[variant].scenario;
  const auto scheme = make_scheme(s.scheme, s.options);
  State from = s.initial;
  from.t = impact_ - sigma * h;
  from.q[0] = exact.q(from.t);
  from.v[0] = exact.v(from.t);
  RunState run = begin_run(s.model, *scheme, from);
  Workspace workspace(s.model);
  State to = run.state;
  StepReport report;
  scheme->step(s.model, run.state, h, to, workspace, report);
  LocalError out{.variant = variant, .step = h, .sigma = sigma};
  out.converged = report.ok();
  if (report.ok()) {
    out.e_q = std::abs(exact.q(from.t + h) - to.q[0]);
    out.e_v = std::abs(exact.v(from.t + h) - to.v[0]);
    for (const ConstraintReport& c : report.constraints) {
      out.right = c.impulse[0] > 0;
      out.correction = std::abs(c.correction[0]);
    }
  }
  errors_.push_back(out);
}

LocalOrders LocalStudy::orders(std::size_t variant, bool right) const {
  struct Largest {
    double e_q = 0, e_v = 0, correction = 0;
  };
  std::map<double, Largest> largest;
  LocalOrders out;
  for (const LocalError& e : errors_) {
    if (e.variant != variant || e.right != right || !e.converged) continue;
    Largest& l = largest[e.step];
    l.e_q = std::max(l.e_q, e.e_q);
    l.e_v = std::max(l.e_v, e.e_v);
    l.correction = std::max(l.correction, e.correction);
    ++out.steps;
  }
  std::vector<double> h, q, v, c;
  for (const auto& [step, l] : largest) {
    h.push_back(step);
    q.push_back(l.e_q);
    v.push_back(l.e_v);
    c.push_back(l.correction);
  }
  out.e_q = fit_order(h, q);
  out.e_v = fit_order(h, v);
  out.correction = fit_order(h, c);
  return out;
}

}  // namespace ricochet
