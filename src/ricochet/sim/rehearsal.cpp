#include "ricochet/sim/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "ricochet/math/elementary.hpp"
#include "ricochet/sim/adaptive.hpp"

namespace ricochet {
namespace {

constexpr double kRatio = 8;         // of the two tolerances: about two in the step at order 2
constexpr double kFirst = 0.05;      // finer tau of the first pair, as part of the tolerance spread over the time
constexpr double kSmallest = 1e-14;  // tau over the length scale, below which rounding decides
constexpr double kOtherGrid = 0.93;
constexpr double kImpacts = 2;  // the moments of impacts are off at random: the two may agree by chance
constexpr int kMostRehearsals = 12;

// One piece of a motion, cubic from its ends. In a step with an impact the cubic is wrong by no more than the step
// control lets the impact be.
struct Piece {
  double t0 = 0, t1 = 0;
  VectorXd q0, v0, q1, v1;

  void at(double t, bool flat, VectorXd& q) const {
    const double h = t1 - t0, s = h > 0 ? (t - t0) / h : 1;
    if (!flat) {
      q = (1 - s) * q0 + s * q1;
      return;
    }
    const double r = 1 - s;
    q = r * r * (1 + 2 * s) * q0 + s * s * (1 + 2 * r) * q1 + h * s * r * (r * v0 - s * v1);
  }
};

// A contact that was passed by closely, or touched lightly, in a motion that turns away from it by itself.
struct Touch {
  double t = 0;
  double depth = 0;     ///< of the unhindered motion below the gap's zero; negative: it passed by
  double turn = 0;      ///< acceleration away from the contact
  double factor = 0;    ///< 1 + e
  double reach = 0;     ///< sum of |G|: of the gap for an error of all coordinates
  double response = 0;  ///< largest |M^-1 G / W|: of a coordinate's velocity for one of the gap

  /// What it costs not to know whether the contact is hit, as a velocity of a coordinate; d: error of the coordinates.
  double doubt(double d) const {
    const double unsure = reach * d;
    if (std::abs(depth) > unsure) return 0;
    return response * factor * std::sqrt(2 * turn * (std::abs(depth) + unsure));
  }
};

// Finds them, step by step.
class Touches {
 public:
  explicit Touches(const Model& model) : model_(model), events_(model), x_(VectorXd::Zero(model.nv())) {
    last_.resize(model.items().size());
  }
  void step(const State& after, const StepReport& report, std::deque<Touch>& out) {
    for (const ConstraintReport& c : report.constraints) {
      if (!c.candidate->unilateral() || c.candidate->item < 0) continue;
      Last& last = last_[static_cast<std::size_t>(model_.index_of(*c.candidate))];
      const Last now{c.g[0], c.U[0], (c.U[0] - last.U) / report.h, true, c.impulse[0] > 0};
      if (last.known && !last.loaded && last.U < 0 && last.g > 0) {
        if (!now.loaded && now.U > 0 && now.g > 0)
          add(after, *c.candidate, -lowest_gap(last.g, last.U, now.g, now.U, report.h), now.turn, last.U, out);
        else if (now.loaded && last.turn > 0)
          add(after, *c.candidate, last.U * last.U / (2 * last.turn) - last.g, last.turn, last.U, out);
      }
      last = now;
    }
  }

 private:
  struct Last {
    double g = 0, U = 0, turn = 0;
    bool known = false, loaded = false;
  };
  void add(const State& at, const Candidate& c, double depth, double turn, double U, std::deque<Touch>& out) {
    Touch touch{at.t, depth, turn, 1 + c.law->local({.U_before = {U}, .dim = c.dim}).restitution, 0, 0};
    events_.forget();
    if (!events_.response(at, c, 0, true, x_)) return;
    touch.response = x_.cwiseAbs().maxCoeff();
    touch.reach = events_.reach();
    out.push_back(touch);
  }
  const Model& model_;
  ContactEvents events_;
  std::vector<Last> last_;
  VectorXd x_;
};

// A rehearsal in progress: runs ahead as far as it is asked to, keeps what is not yet compared.
class Runner final : public Observer {
 public:
  Runner(const Model& model, const Scheme& scheme, const RunState& start, const Policy& policy)
      : run_(start), watch_(model), driver_(model, scheme, run_, policy, this) {}

  void step(const State& before, const State& after, const StepReport& report) override {
    pieces_.push_back({before.t, after.t, before.q, before.v, after.q, after.v});
    watch_.step(after, report, touches);
  }
  /// The piece that holds t and the times just after it; nullptr: the run ended before, or failed.
  const Piece* piece_after(double t) {
    while (!pieces_.empty() && pieces_.front().t1 <= t) pieces_.pop_front();
    while (pieces_.empty()) {
      if (driver_.done() || !driver_.advance()) return nullptr;
      ++run_.step;
      while (!pieces_.empty() && pieces_.front().t1 <= t) pieces_.pop_front();
    }
    return &pieces_.front();
  }
  const Summary& summary() const { return run_.summary; }
  std::deque<Touch> touches;  ///< not yet judged

 private:
  RunState run_;
  Touches watch_;
  AdaptiveDriver driver_;
  std::deque<Piece> pieces_;
};

double largest_difference(const Piece& a, const Piece& b, double t, bool flat, VectorXd& x, VectorXd& y) {
  a.at(t, flat, x);
  b.at(t, flat, y);
  return (x - y).cwiseAbs().maxCoeff();
}

struct Comparison {
  double distance = 0, doubt = 0;
  double t = 0;  ///< how far it came
  bool finished = false, interrupted = false, floored = false;
  bool failed = false;  ///< the finer: so will the run
  bool lost = false;    ///< the coarser: nothing to compare with
};

Comparison compare(Runner& coarse, Runner& fine, double begin, const Policy& policy, bool flat, Observer* observer) {
  Comparison out;
  out.t = begin;
  VectorXd x, y;
  int until_asked = 0;
  while (out.t < policy.until) {
    const Piece *a = coarse.piece_after(out.t), *b = fine.piece_after(out.t);
    if (a == nullptr || b == nullptr) {
      out.interrupted = policy.asked_to_stop();
      out.failed = b == nullptr;
      out.lost = a == nullptr;
      break;
    }
    const double to = std::min(a->t1, b->t1), h = to - out.t;
    // Gauss, three points.
    const double middle = out.t + h / 2, off = h / 2 * std::sqrt(0.6);
    const double d[3] = {largest_difference(*a, *b, middle - off, flat, x, y),
                         largest_difference(*a, *b, middle, flat, x, y),
                         largest_difference(*a, *b, middle + off, flat, x, y)};
    out.distance += h / 18 * (8 * d[1] + 5 * (d[0] + d[2]));
    out.t = to;
    for (Runner* run : {&coarse, &fine})
      for (; !run->touches.empty() && run->touches.front().t <= to; run->touches.pop_front()) {
        const double left = policy.until - run->touches.front().t,
                     doubt = run->touches.front().doubt(*std::max_element(d, d + 3));
        out.doubt = std::max(out.doubt, doubt * left * left / 2);
      }
    if (!(out.distance + out.doubt <= kImpacts * policy.control.tolerance)) break;
    if (observer != nullptr && --until_asked < 0) {
      until_asked = 256;
      out.interrupted = !observer->rehearsing(out.t);
      if (out.interrupted) break;
    }
  }
  out.finished = out.t >= policy.until;
  out.floored = fine.summary().floor_hits > 0;
  return out;
}

// Gaps count as closed within the tolerance of the scheme, in both rehearsals alike. What the motion makes of such a
// bias is seen if one of them begins with it: a few times the tolerance that a scheme has by default here.
RunState shifted(const Model& model, const RunState& run_state, double asked) {
  const Scales* scales = run_state.state.scales.get();
  const double unit = scales ? scales->length * scales->time() : 1;
  const double bias = 20 * std::clamp(1e-6 * asked / unit, 1e-12, 1e-10);
  RunState out = run_state;
  VectorXd x(model.nv());
  for (Index i = 0; i < x.size(); ++i) x[i] = (i % 2 == 0 ? bias : -bias) * (scales ? scales->coordinate[i] : 1);
  model.retract(run_state.state.q, x, out.state.q);
  return out;
}

}  // namespace

bool rehearse(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer) {
  const double asked = policy.control.tolerance, begin = run_state.state.t;
  const double least = kSmallest * (run_state.state.scales ? run_state.state.scales->length : 1);
  double tau = kFirst * asked / std::max(policy.until - begin, 1e-300);
  Summary& s = run_state.summary;
  s.error_asked = asked;
  for (;;) {
    Policy with_fine = policy, with_coarse = policy;
    with_fine.control.atol = tau;
    with_coarse.control.atol = kRatio * tau;
    with_coarse.control.initial = std::max(policy.control.floor, kOtherGrid * policy.control.initial);
    const auto coarse = std::make_unique<Runner>(model, scheme, shifted(model, run_state, asked), with_coarse);
    const auto fine = std::make_unique<Runner>(model, scheme, run_state, with_fine);
    const Comparison c = compare(*coarse, *fine, begin, policy, model.flat(), observer);
    ++s.rehearsals;
    s.rehearsal_solves += coarse->summary().solves - s.solves + fine->summary().solves - s.solves;
    if (c.interrupted) {  // whoever goes on rehearses from the beginning
      run_state.tolerance = s.error_estimate = s.error_doubt = 0;
      s.rehearsals = s.rehearsal_solves = 0;
      return false;
    }
    run_state.tolerance = tau;
    // An estimate of a run that was broken off: as if it went on like that.
    const double share = (c.t - begin) / std::max(policy.until - begin, 1e-300);
    s.error_doubt = c.doubt;
    // An event may be off by what the control allows, in both alike.
    const bool impacts = fine->summary().impacts > s.impacts;
    const double span = policy.until - begin, distance = impacts ? kImpacts * c.distance + tau * span : c.distance;
    s.error_estimate = c.doubt + (c.finished ? distance : distance / std::max(share, 1e-3));
    // Nothing to compare with, or steps larger than the control asks for: whatever the distance, it proves nothing.
    if (c.lost || c.floored) s.error_estimate = std::max(s.error_estimate, 2 * asked);
    if (c.finished && s.error_estimate <= asked) return true;
    if (c.failed || c.floored || s.rehearsals >= kMostRehearsals || tau / kRatio < least) return true;
    // The error of order 2 goes with tau^(2/3), that of events with tau.
    const double wanted = elementary::pow(0.5 * asked / std::max(s.error_estimate, asked), 1.5);
    tau *= std::clamp(wanted, 1e-4, 1 / kRatio);
  }
}

}  // namespace ricochet
