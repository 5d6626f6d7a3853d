// Schemes of order p across impacts after Mannshardt (acary-2018, "Time-stepping schemes of any order", (130)-(136)).
//
// A step [t, t + h] is made of legs. On each leg the set of closed constraints is fixed and the motion smooth:
//
// 1. Closed contacts: of those with g <= tolerance and U = 0, the ones that the accelerations press together,
//        M a + convective - f = G lambda,       0 <= G^T a + bias ⊥ lambda >= 0
//    Of rows that depend on each other those with lambda > 0, unless the multipliers of least norm obey the law as
//    well.
// 2. One Runge-Kutta step of order p over what is left of the step, with multipliers for joints and closed contacts
//    (constrained_runge_kutta.hpp). If no gap closes on the way and no multiplier changes its sign, the step is done.
// 3. Else the event is located roughly, by repeating 2 over shorter times: t* in [t_a, t_b], t_b - t_a <= location
// h^(p+1).
//    Nor may a closed contact pull over the leg as a whole, which a step that is long for the motion does between two
//    ends that press: the leg is halved until none does.
//    A contact that opens ends the leg at t_b. A gap that closes ends it at t_a, and Moreau's scheme leads over to t_b:
//        M(q_a)(v_b - v_a) + (t_b - t_a)(convective - f)(t_a, q_a, v_a) = G(q_a) P,     q_b = q_a ⊕ (t_b - t_a) v_b
//        joints U_b = 0;   contacts met or closed:  0 <= U_b + e U_a ⊥ P >= 0
//    with the rows of t_b to first order, U_b = G(q_a)^T v_b + dg/dt + (t_b - t_a) bias: a table that accelerates, or a
//    row that turns, would else move on in what was just brought to rest, and every such rest be another impact.
// 4. The rest of the step is the next leg: several impacts in a step, and accumulations, are the same thing repeated. A
//    flight shorter than max(t_b - t_a, 1e-7 h) is not resolved: the impact that ends it has no restitution, and the
//    contact is closed. What that leaves out is a height of the order of the acceleration times the square of this
//    time. A contact that is pressed and rebounds elastically has no end of flights: after many that do not become
//    shorter the step fails.
// 5. What touches, to rounding, and approaches where the step ends is an impact there; what is about to is left to the
//    next step.
// The drift of joints and closed contacts is taken out at both levels at the end of every such integration, in the
// metric of the mass: gaps are looked at where the motion really ends.
//
// Order p in smooth motion, with joints and closed contacts, and p across impacts that are crossed with a velocity,
// also in the uniform norm of q: the impact is wrong by O(h^(p+1)) in time. Exact in position and velocity at the ends
// of the steps. A contact that is touched and left within one step is seen where the cubic through gaps and velocities
// at the ends of a leg shows it. No friction.
//
// method   explicit: orders 1 to 5 and 8, one linear solve a stage;  implicit: L-stable, diagonally implicit, orders 2
// to 5
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/acceleration.hpp"
#include "ricochet/scheme/pieces/constrained_runge_kutta.hpp"

namespace ricochet {
namespace {

constexpr int kMaxLegs = 2000;
constexpr int kMaxEqualFlights = 200;  // of one contact in a step: flights that do not become shorter have no end
constexpr double kShortest = 1e-7;     // of a step: flights below are not resolved

struct MannshardtLocal {
  explicit MannshardtLocal(const Model& m)
      : rk(m),
        acceleration(m),
        impact(m, Level::velocity),
        ledger(m),
        q(m.nq()),
        q_moved(m.nq()),
        v(m.nv()),
        a(m.nv()),
        x(m.nv()),
        mean(m.nv()) {}
  ConstrainedRungeKutta rk;
  Accelerations acceleration;
  Stage impact;
  WorkLedger ledger;
  double t = 0;
  VectorXd q, q_moved;            ///< where the present leg begins; scratch (nq)
  VectorXd v, a, x, mean;         ///< (nv)
  std::vector<int> held;          ///< joints and closed contacts of the leg
  std::vector<char> closed, met;  ///< by candidate: held in the leg; violated where the last probe ended
  Rows rows;                      ///< all candidates, normals
  Buffer g0, U0, g1, U1;          ///< normal gap and velocity by candidate, at both ends of the last probe
  Buffer U;                       ///< before an impact, rows as in Workspace::before
  Buffer bias;                    ///< of its rows
  double probed = -1;             ///< length of the last probe of the leg
  Energies drifted, projected;    ///< around the last projection
  double noise = 0;               ///< what rounding makes of a gap
  struct Flights {
    double landed = 0;  ///< time of the last impact
    double half = 0;    ///< of the flight that began the count
    int count = -1;     ///< of flights that were longer; -1: no impact yet
  };
  std::vector<Flights> flights;  ///< by candidate
};

/// One attempt: what every part of it needs.
struct Attempt {
  const Model& model;
  const State& state;
  double h;
  Workspace& w;
  MannshardtLocal& l;
  StepReport& report;
};

/// What stopped a leg.
struct Stop {
  double a = 0, b = 0;  ///< times since the beginning of the leg
  bool any = false;
  bool impact = false;      ///< else a contact opens
  bool unresolved = false;  ///< the flight before it is too short
  int who = -1;             ///< candidate
};

class Mannshardt final : public Scheme {
 public:
  explicit Mannshardt(const Options& o) : location_(o.number("location")), controls_(tolerances(o)) {
    info_ = find_scheme("mannshardt")->info;
    const int order = static_cast<int>(o.number("order"));
    const bool is_explicit = o.choice("method") == "explicit";
    if (o.number("order") != order) throw InputError("order", "not a whole number; accepted: 1 to 5 and 8");
    if (!is_explicit && (order < 2 || order > 5))
      throw InputError("order", "no implicit method of this order; accepted: 2 to 5");
    tableau_ = is_explicit ? explicit_tableau(order) : &implicit_tableau(order);
    if (!tableau_) throw InputError("order", "no explicit method of this order; accepted: 1 to 5 and 8");
    info_.smooth_order = info_.impact_order = order;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    MannshardtLocal& l = w.of<MannshardtLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.ledger.reset();
    l.rk.passes = l.acceleration.solver_iterations = 0;
    l.rk.minimum_norm = false;
    l.flights.assign(w.candidates.size(), {});
    l.q = state.q;
    l.v = state.v;
    Attempt s{model, state, h, w, l, report};
    if (!legs(s)) return;
    next.q = l.q;
    next.v = l.v;
    report.newton += l.rk.passes;
    report.solver += l.acceleration.solver_iterations;
    report.minimum_norm = l.rk.minimum_norm;
    end_step(model, state, h, next, w, report);
    l.ledger.close(model, report);
  }

 private:
  double width(const Attempt& s) const {
    const double h = s.h, time = s.w.scale.time;
    return std::clamp(location_ * time * elementary::pow(h / time, tableau_->order + 1), 1e-13 * h, 1e-2 * h);
  }

  bool legs(Attempt& s) const {
    MannshardtLocal& l = s.l;
    const double shortest = std::max(width(s), kShortest * s.h);
    double left = s.h;
    for (int leg = 0; leg < kMaxLegs; ++leg) {
      ++s.report.activations;
      l.t = s.state.t + (s.h - left);
      l.probed = -1;
      l.noise = 1e-15 * s.w.scale.length * configuration_size(s.model, l.q, s.w);
      measure(s, l.t, l.q, l.v, l.g0, l.U0);
      // on a contact and yet moving into it: initial values, neighbours of an impact
      const bool ends = left <= 1e-14 * s.h, meets = approaching(s, ends);
      if (ends && !meets) return true;
      if (!choose(s)) return false;
      if (meets) {
        if (!impact(s, 0, false)) return false;
        continue;
      }
      double end = 0;
      const Stop stop = leg_without_pull(s, left, shortest, end);
      if (!s.report.ok() || (end > 0 && !accept(s, end))) return false;
      left -= stop.any ? stop.b : end;
      if (stop.any && !stop.impact) record(s, EventKind::opening, stop.who, 0, 0, 0);
      if (stop.impact && !impact(s, stop.b - stop.a, stop.unresolved)) return false;
    }
    return fail(s, StepStatus::event_limit);
  }

  /// What stops the leg within `left`, and where it ends; that may be before, and nothing stop it.
  Stop leg_without_pull(Attempt& s, double left, double shortest, double& end) const {
    for (double span = left;; span = 0.5 * end) {
      if (!probe(s, span)) return {};
      const Stop stop = find(s, span, shortest);
      if (!s.report.ok()) return {};
      end = stop.any ? (stop.impact ? stop.a : stop.b) : span;
      if (end > 0 && !probe(s, end)) return {};
      if (end <= shortest || !pulls(s)) return stop;
    }
  }

  /// Normal gaps and velocities of all candidates.
  static void measure(const Attempt& s, double t, const VectorXd& q, const VectorXd& v, Buffer& g, Buffer& U) {
    MannshardtLocal& l = s.l;
    const std::size_t n = s.w.candidates.size();
    l.rows.pick = s.w.before->rows.pick;
    evaluate(s.model, t, q, s.w.candidates, l.rows, s.w.model, true);
    g.need(static_cast<Index>(n));
    U.need(static_cast<Index>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const Jacobian::Block& b = l.rows.G.blocks()[i];
      g[static_cast<Index>(i)] = l.rows.g[b.row];
      U[static_cast<Index>(i)] = l.rows.G.row_times(b, 0, v) + l.rows.g_t[b.row];
    }
  }
  bool contact(const Attempt& s, std::size_t i) const { return !s.w.candidates[i].bilateral(); }
  double near(const Attempt& s, std::size_t i) const {
    return controls_.tolerance.activation * gap_size(s.w, static_cast<int>(i));
  }
  /// A velocity that counts as none.
  double slow(const Attempt& s, std::size_t i) const { return near(s, i) / s.w.scale.time; }
  bool touching(const Attempt& s, std::size_t i) const { return s.l.g0[static_cast<Index>(i)] <= near(s, i); }
  bool approaching(const Attempt& s, bool ends) const {
    for (std::size_t i = 0; i < s.w.candidates.size(); ++i)
      if (contact(s, i) && s.l.g0[static_cast<Index>(i)] <= (ends ? s.l.noise : near(s, i)) &&
          s.l.U0[static_cast<Index>(i)] < -slow(s, i))
        return true;
    return false;
  }

  /// Joints and closed contacts of the leg.
  bool choose(Attempt& s) const {
    MannshardtLocal& l = s.l;
    Accelerations& acceleration = l.acceleration;
    const std::size_t n = s.w.candidates.size();
    acceleration.held.clear();
    l.closed.assign(n, 0);
    bool some = false;
    for (std::size_t i = 0; i < n; ++i) {
      const bool at_rest = touching(s, i) && std::abs(l.U0[static_cast<Index>(i)]) <= slow(s, i);
      if (contact(s, i) && !at_rest) continue;
      some = some || contact(s, i);
      acceleration.held.push_back({static_cast<int>(i), Hold::frictionless, {}});
    }
    l.held.clear();
    if (some) {
      if (!evaluate_held(s, {l.t, l.q, l.v})) return fail(s, StepStatus::singular);
      if (acceleration.choose(controls_, s.w.solver, l.a) != SolveStatus::converged)
        return fail(s, StepStatus::solver_failed);
    }
    for (std::size_t k = 0; k < acceleration.held.size(); ++k) {
      const int i = acceleration.held[k].candidate;
      if (contact(s, static_cast<std::size_t>(i)) && !(acceleration.reaction(k)[0] > 0) &&
          acceleration.gamma(k)[0] > acceleration.gamma_noise())
        continue;
      l.held.push_back(i);
    }
    if (!keep_lawful(s)) return false;
    for (int i : l.held) l.closed[static_cast<std::size_t>(i)] = 1;
    return true;
  }

  /// Where rows depend on each other and multipliers of least norm would pull, those contacts alone are held that
  /// lawful ones press; the others cannot move without them.
  bool keep_lawful(Attempt& s) const {
    MannshardtLocal& l = s.l;
    const auto is_contact = [&](int i) { return contact(s, static_cast<std::size_t>(i)); };
    if (std::count_if(l.held.begin(), l.held.end(), is_contact) < 2) return true;
    Accelerations& acceleration = l.acceleration;
    hold(l, l.held);
    if (!evaluate_held(s, {l.t, l.q, l.v})) return fail(s, StepStatus::singular);
    if (!acceleration.hold_by_law(controls_, s.w.solver, l.a)) return fail(s, StepStatus::solver_failed);
    if (!acceleration.chosen) return true;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < l.held.size(); ++k)
      if (!is_contact(l.held[k]) || acceleration.reaction(k)[0] > 0) l.held[kept++] = l.held[k];
    l.held.resize(kept);
    return true;
  }

  /// What l.acceleration holds, at a point: one more linear system.
  static bool evaluate_held(Attempt& s, const Point& at) {
    ++s.report.newton;
    return s.l.acceleration.evaluate(s.model, at, s.w);
  }
  static void record(Attempt& s, EventKind kind, int candidate, double before, double after, double impulse) {
    const int item = s.model.index_of(s.w.candidates[static_cast<std::size_t>(candidate)]);
    s.report.events.push_back({s.l.t, kind, item, before, after, impulse});
  }
  static bool fail(Attempt& s, StepStatus status, int candidate = -1) {
    s.report.status = status;
    if (candidate >= 0) s.report.blame = s.model.index_of(s.w.candidates[static_cast<std::size_t>(candidate)]);
    return false;
  }
  /// One more impact at this time, after too many flights that were all about as long: an elastic contact that is
  /// pressed, not an accumulation. Flights as short as the location of their ends say nothing.
  bool endless(MannshardtLocal::Flights& f, double time, const Attempt& s) const {
    const double flight = f.count < 0 ? 0 : time - f.landed;
    f.landed = time;
    if (f.half > 0 && flight > f.half) return flight > 10 * width(s) && ++f.count > kMaxEqualFlights;
    f.half = 0.5 * flight;
    f.count = 0;
    return false;
  }

  /// The smooth motion from the beginning of the leg over `time`, with the drift of what it holds taken out.
  bool probe(Attempt& s, double time) const {
    MannshardtLocal& l = s.l;
    if (l.probed == time) return true;
    if (s.w.stopped()) return fail(s, StepStatus::interrupted);
    l.probed = time;
    s.report.status = l.rk.step(s.model, *tableau_, {l.t, l.q, l.v}, time, l.held, controls_, s.w);
    hold(l, l.held);
    return s.report.ok() && project(s, l.t + time, l.rk.q, l.rk.v);
  }

  /// After a probe of that length: the worst violation, of an open gap or of a multiplier, and where. Not negative:
  /// none.
  double violation(Attempt& s, double time, int& who) const {
    MannshardtLocal& l = s.l;
    measure(s, l.t + time, l.rk.q, l.rk.v, l.g1, l.U1);
    double worst = 0;
    who = -1;
    l.met.assign(s.w.candidates.size(), 0);
    for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
      if (!contact(s, i) || l.closed[i]) continue;
      const double g = gap(l, i);
      if (g >= 0) continue;
      l.met[i] = 1;
      if (g < worst) {
        worst = g;
        who = static_cast<int>(i);
      }
    }
    if (who >= 0 || !reactions(s, time)) return worst;
    for (std::size_t k = 0; k < l.acceleration.held.size(); ++k) {
      const int i = l.acceleration.held[k].candidate;
      if (!contact(s, static_cast<std::size_t>(i))) continue;
      const double lambda = reaction(l, k);
      if (lambda >= worst) continue;
      worst = lambda;
      who = i;
    }
    return worst;
  }
  /// The gap at the end of the last probe, less what it lacked already at the beginning of the leg.
  static double gap(const MannshardtLocal& l, std::size_t i) {
    const auto k = static_cast<Index>(i);
    return l.g1[k] - std::min(l.g0[k], 0.0) + l.noise;
  }
  /// The multiplier, plus what counts as zero.
  static double reaction(MannshardtLocal& l, std::size_t k) {
    return l.acceleration.reaction(k)[0] + 2 * l.acceleration.gamma_noise() / std::abs(l.acceleration.stiffness(k));
  }
  /// Multipliers where the last probe ended, if contacts are held at all.
  bool reactions(Attempt& s, double time) const {
    MannshardtLocal& l = s.l;
    if (l.held.empty() || !contact(s, static_cast<std::size_t>(l.held.back()))) return false;
    hold(l, l.held);
    return evaluate_held(s, {l.t + time, l.rk.q, l.rk.v}) && l.acceleration.hold(l.a);
  }
  /// Over the last probe as a whole, by more than what counts as zero.
  bool pulls(Attempt& s) const {
    MannshardtLocal& l = s.l;
    const double zero = controls_.tolerance.newton * s.w.scale.velocity * velocity_size(l.v, s.w);
    for (std::size_t k = 0; k < l.held.size(); ++k)
      if (contact(s, static_cast<std::size_t>(l.held[k])) && l.rk.impulse(k) * l.acceleration.own_response(k) < -zero)
        return true;
    return false;
  }
  /// The function whose zero is the event of `who` at the end of the last probe.
  double value(Attempt& s, double time, int who) const {
    const auto i = static_cast<std::size_t>(who);
    if (!s.l.closed[i]) return gap(s.l, i);
    if (!reactions(s, time)) return 0;
    for (std::size_t k = 0; k < s.l.acceleration.held.size(); ++k)
      if (s.l.acceleration.held[k].candidate == who) return reaction(s.l, k);
    return 0;
  }

  /// The first event of the leg within `left`, whose probe was the last.
  Stop find(Attempt& s, double left, double shortest) const {
    MannshardtLocal& l = s.l;
    int who = -1;
    double hi = left, f_hi = violation(s, hi, who);
    if (who < 0) {
      hi = dip(s, left);
      if (!(hi < left) || !probe(s, hi)) return {};
      f_hi = violation(s, hi, who);
      if (who < 0) return probe(s, left), Stop{};
    }
    // From a contact that is left at the beginning of the leg the secant must wait until it is seen open.
    double lo = 0, f_lo = std::max(l.g0[who], 0.0) + l.noise;
    bool secant = !l.closed[static_cast<std::size_t>(who)] && !touching(s, static_cast<std::size_t>(who));
    const double delta = width(s);
    int side = 0, slow = 0;  // passes since the interval was last halved
    for (double halved = hi - lo; hi - lo > delta;) {
      if (lo == 0 && unresolved(s, who, hi, shortest)) break;
      double at = 0.5 * (lo + hi);
      if (secant && slow < 3) {
        at = (lo * f_hi - hi * f_lo) / (f_hi - f_lo);
        // a little to the far side, so that the interval closes from both
        at += (at - lo < hi - at ? 0.4 : -0.4) * delta;
        at = std::clamp(at, lo + 0.1 * std::min(delta, hi - lo), hi - 0.1 * std::min(delta, hi - lo));
      }
      if (!probe(s, at)) return {};
      int now = -1;
      const double f = violation(s, at, now);
      if (now >= 0) {
        hi = at;
        secant = secant && now == who;
        who = now;
        f_hi = f;
        if (side < 0) f_lo *= 0.5;  // Illinois
        side = -1;
      } else {
        lo = at;
        f_lo = value(s, at, who);
        secant = true;
        if (side > 0) f_hi *= 0.5;
        side = 1;
      }
      slow = hi - lo > 0.5 * halved ? slow + 1 : 0;
      if (slow == 0) halved = hi - lo;
    }
    Stop stop{lo, hi, true, !l.closed[static_cast<std::size_t>(who)], false, who};
    if (!stop.impact) return stop;
    stop.unresolved = unresolved(s, who, hi, shortest);
    if (probe(s, hi)) violation(s, hi, who);  // which contacts are met
    return stop;
  }

  /// A flight too short, or too low, to be told from rest.
  bool unresolved(const Attempt& s, int who, double time, double shortest) const {
    const MannshardtLocal& l = s.l;
    const auto i = static_cast<std::size_t>(who);
    return !l.closed[i] && touching(s, i) && (time <= shortest || l.U0[who] * time <= 40 * l.noise);
  }

  /// Where the cubic through both ends of a leg dips below zero between them; else the end of the leg.
  double dip(const Attempt& s, double left) const {
    const MannshardtLocal& l = s.l;
    double first = left;
    for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
      const auto k = static_cast<Index>(i);
      if (!contact(s, i) || l.closed[i] || !(l.U0[k] < 0 && l.U1[k] > 0)) continue;
      const double g0 = l.g0[k], d0 = left * l.U0[k], d1 = left * l.U1[k], rise = l.g1[k] - g0;
      // g0 + d0 z + b z^2 + c z^3, lowest where d0 + 2 b z + 3 c z^2 = 0
      const double b = 3 * rise - 2 * d0 - d1, c = d0 + d1 - 2 * rise;
      const double z = -d0 / (b + std::sqrt(std::max(0.0, b * b - 3 * c * d0)));
      if (z > 0 && z < 1 && g0 + z * (d0 + z * (b + z * c)) < 0) first = std::min(first, z * left);
    }
    return first;
  }

  /// The leg ends after `time`: books it and takes out what joints and closed contacts drifted.
  bool accept(Attempt& s, double time) const {
    MannshardtLocal& l = s.l;
    if (!probe(s, time)) return false;
    l.rk.book(s.model, s.w, l.ledger);
    l.ledger.projection(l.drifted, l.projected);
    l.t += time;
    l.q = l.rk.q;
    l.v = l.rk.v;
    return true;
  }

  static void hold(MannshardtLocal& l, const std::vector<int>& constraints) {
    l.acceleration.held.clear();
    for (int i : constraints) l.acceleration.held.push_back({i, Hold::frictionless, {}});
  }

  /// What l.acceleration holds is brought to g = 0 and U = 0, in the metric of the mass.
  bool project(Attempt& s, double t, VectorXd& q, VectorXd& v) const {
    MannshardtLocal& l = s.l;
    Accelerations& acceleration = l.acceleration;
    l.drifted = l.projected = {};
    if (acceleration.held.empty()) return true;
    l.drifted = s.model.energies({t, q, v}, s.w.model);
    double error = 0, last = std::numeric_limits<double>::infinity();
    for (int pass = 0;; ++pass, last = error) {
      if (!evaluate_held(s, {t, q, v})) return fail(s, StepStatus::singular);
      error = acceleration.position_correction(l.x);
      if (error <= 1e-3 * controls_.tolerance.newton || (pass > 1 && error > 0.5 * last)) break;
      if (pass >= controls_.tolerance.max_newton) return fail(s, StepStatus::newton_limit);
      s.model.retract(q, l.x, l.q_moved);
      q.swap(l.q_moved);
      ++s.report.projections;
    }
    if (error > controls_.tolerance.constraint) return fail(s, StepStatus::newton_limit);
    const double left = acceleration.project_velocity(v);
    if (!(left <= controls_.tolerance.constraint * velocity_size(v, s.w))) return fail(s, StepStatus::newton_limit);
    l.projected = s.model.energies({t, q, v}, s.w.model);
    return true;
  }

  /// Rows as they are a time later, to first order: what moves or turns would else not be at rest there.
  static void turn_rows(Attempt& s, const Point& at, double time, Rows& rows) {
    double* bias = s.l.bias.need(rows.G.rows());
    for (std::size_t k = 0; k < rows.pick.size(); ++k) {
      const Candidate& c = s.w.candidates[static_cast<std::size_t>(rows.pick[k])];
      const Jacobian::Block& b = rows.G.blocks()[k];
      s.model.set(c).bias(at, c, b.dim, bias + b.row, s.w.model.set(c.set));
      for (int i = b.row; i < b.row + b.dim; ++i) rows.g_t[i] += time * bias[i];
    }
  }

  /// Moreau's step over `time`, from the present place.
  bool impact(Attempt& s, double time, bool inelastic) const {
    MannshardtLocal& l = s.l;
    Stage& stage = l.impact;
    const std::size_t n = s.w.candidates.size();
    measure(s, l.t, l.q, l.v, l.g0, l.U0);
    double* U = l.U.zeros(s.w.before->rows.G.rows());
    stage.reset();
    stage.restitution = !inelastic;
    stage.U_before = U;
    pick_joints(s.w, stage.L.pick);
    for (std::size_t i = 0; i < n; ++i) {
      U[s.w.before->rows.G.blocks()[i].row] = l.U0[static_cast<Index>(i)];
      if (contact(s, i) && (l.closed[i] || touching(s, i) || (time > 0 && l.met[i])))
        stage.L.pick.push_back(static_cast<int>(i));
    }
    const Point at{l.t, l.q, l.v};
    evaluate(s.model, l.t, l.q, s.w.candidates, stage.L, s.w.model);
    if (time > 0) turn_rows(s, at, time, stage.L);
    l.a.setZero();
    stage.r.setZero();
    if (time > 0) s.model.residual(at, l.a, time, stage.r, s.w.model);
    if (!stage.factorise(s.model, s.w, {1, 0, 0}, [&](Operator& S) { s.model.mass(at, 1, S, s.w.model); }))
      return fail(s, StepStatus::singular);
    l.x = l.v;
    stage.solve(s.model, s.w, controls_, time, l.x);
    s.report.newton += stage.passes;
    s.report.solver += stage.solver_iterations;
    if (stage.solved != SolveStatus::converged) return fail(s, StepStatus::solver_failed);
    Certificate& certificate = s.report.certificate;
    certificate.complementarity = std::max(certificate.complementarity, stage.complementarity(l.x));
    l.mean = 0.5 * (l.v + l.x);
    l.a = l.x - l.v;
    if (time > 0) {
      l.a /= time;
      l.ledger.balance(s.model, at, l.a, time, l.mean, s.w.model);
    } else {
      l.ledger.jump(s.model, at, l.a, l.mean, s.w.model);
    }
    l.ledger.impulses(s.w, stage.L, stage.p(), 1, l.mean);
    l.v = l.x;
    l.x *= time;
    s.model.retract(l.q, l.x, l.q_moved);
    l.q.swap(l.q_moved);
    l.t += time;
    // What stays together after the impact is closed exactly, joints anyway.
    measure(s, l.t, l.q, l.v, l.g1, l.U1);
    for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
      const int i = stage.L.pick[k];
      const double P = stage.p()[stage.L.G.blocks()[k].row];
      if (!contact(s, static_cast<std::size_t>(i)) || !(P > 0) || l.U0[i] >= -slow(s, static_cast<std::size_t>(i)))
        continue;
      record(s, EventKind::impact, i, l.U0[i], l.U1[i], P);
      if (endless(l.flights[static_cast<std::size_t>(i)], l.t, s)) return fail(s, StepStatus::event_limit, i);
    }
    l.acceleration.held.clear();
    for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
      const int i = stage.L.pick[k];
      const bool joint = !contact(s, static_cast<std::size_t>(i));
      const bool stays = inelastic && stage.p()[stage.L.G.blocks()[k].row] > 0;
      if (joint || stays || std::abs(l.U1[i]) <= slow(s, static_cast<std::size_t>(i)))
        l.acceleration.held.push_back({i, Hold::frictionless, {}});
    }
    if (!project(s, l.t, l.q, l.v)) return false;
    l.ledger.projection(l.drifted, l.projected);
    return true;
  }

  SchemeInfo info_;
  double location_;
  Controls controls_;
  const Tableau* tableau_ = nullptr;
};

}  // namespace

SchemeEntry mannshardt() {
  SchemeEntry e;
  e.info = {.name = "mannshardt",
            .summary =
                "positions of order p across impacts: Runge-Kutta on both sides of a roughly located event, Moreau in "
                "between",
            .reference = "acary-2018 (130)-(136)",
            .smooth_order = 4,
            .impact_order = 4,
            .exact_position = true,
            .exact_velocity = true,
            .friction = false,
            .one_impulse = false,
            .locates_events = true};
  e.options = {
      number_option("order", 4, 1, 8, "order p of the Runge-Kutta method; explicit 1 to 5 and 8, implicit 2 to 5"),
      choice_option("method", "explicit", {"explicit", "implicit"},
                    "explicit: one linear solve a stage; implicit: diagonally implicit, L-stable"),
      number_option("location", 0.01, 1e-6, 1e3,
                    "events are located within location h^(order+1), times in units of the time scale")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Mannshardt>(o); };
  return e;
}

}  // namespace ricochet
