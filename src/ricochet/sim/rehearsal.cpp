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
constexpr double kFirst = 0.1;       // tau / tolerance of the first pair
constexpr double kSmallest = 1e-13;  // tau below which rounding decides
constexpr int kMostRehearsals = 10;

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

// A rehearsal in progress: runs ahead as far as it is asked to, keeps what is not yet compared.
class Runner final : public Observer {
 public:
  Runner(const Model& model, const Scheme& scheme, const RunState& start, Policy policy, double tau)
      : run_(start), driver_(model, scheme, run_, with(policy, tau), this) {}

  void step(const State& before, const State& after, const StepReport&) override {
    pieces_.push_back({before.t, after.t, before.q, before.v, after.q, after.v});
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

 private:
  static Policy with(Policy policy, double tau) {
    policy.control.atol = tau;
    return policy;
  }
  RunState run_;
  AdaptiveDriver driver_;
  std::deque<Piece> pieces_;
};

double largest_difference(const Piece& a, const Piece& b, double t, bool flat, VectorXd& x, VectorXd& y) {
  a.at(t, flat, x);
  b.at(t, flat, y);
  return (x - y).cwiseAbs().maxCoeff();
}

struct Comparison {
  double distance = 0;
  double t = 0;  ///< how far it came
  bool finished = false, failed = false, interrupted = false, floored = false;
};

Comparison compare(Runner& coarse, Runner& fine, double begin, const Policy& policy, bool flat, Observer* observer) {
  Comparison out;
  out.t = begin;
  VectorXd x, y;
  int until_asked = 0;
  while (out.t < policy.until) {
    const Piece *a = coarse.piece_after(out.t), *b = fine.piece_after(out.t);
    if (a == nullptr || b == nullptr) {
      (policy.asked_to_stop() ? out.interrupted : out.failed) = true;
      break;
    }
    const double to = std::min(a->t1, b->t1), h = to - out.t;
    // Gauss, three points.
    const double middle = out.t + h / 2, off = h / 2 * std::sqrt(0.6);
    out.distance += h / 18 *
                    (8 * largest_difference(*a, *b, middle, flat, x, y) +
                     5 * (largest_difference(*a, *b, middle - off, flat, x, y) +
                          largest_difference(*a, *b, middle + off, flat, x, y)));
    out.t = to;
    if (!(out.distance <= 2 * policy.control.tolerance)) break;
    if (observer != nullptr && --until_asked < 0) {
      until_asked = 256;
      out.interrupted = !observer->rehearsing(out.t);
      if (out.interrupted) break;
    }
  }
  out.finished = out.t >= policy.until;
  out.floored = coarse.summary().floor_hits > 0;
  return out;
}

}  // namespace

bool rehearse(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer) {
  const double asked = policy.control.tolerance, begin = run_state.state.t;
  double tau = kFirst * asked;
  Summary& s = run_state.summary;
  for (;;) {
    const auto coarse = std::make_unique<Runner>(model, scheme, run_state, policy, tau);
    const auto fine = std::make_unique<Runner>(model, scheme, run_state, policy, tau / kRatio);
    const Comparison c = compare(*coarse, *fine, begin, policy, model.flat(), observer);
    ++s.rehearsals;
    s.rehearsal_solves += coarse->summary().solves - s.solves + fine->summary().solves - s.solves;
    if (c.interrupted) {  // whoever goes on rehearses from the beginning
      run_state.tolerance = s.error_estimate = 0;
      s.rehearsals = s.rehearsal_solves = 0;
      return false;
    }
    run_state.tolerance = tau;
    // An estimate of a run that was broken off: as if it went on like that.
    const double share = (c.t - begin) / std::max(policy.until - begin, 1e-300);
    s.error_estimate = c.finished ? c.distance : c.distance / std::max(share, 1e-3);
    if (c.finished && c.distance <= asked) return true;
    if (c.failed || c.floored || s.rehearsals >= kMostRehearsals || tau / kRatio < kSmallest) return true;
    // The error of order 2 goes with tau^(2/3), that of events with tau.
    const double wanted = elementary::pow(0.5 * asked / std::max(s.error_estimate, asked), 1.5);
    tau *= std::clamp(wanted, 1e-4, 1 / kRatio);
  }
}

}  // namespace ricochet
