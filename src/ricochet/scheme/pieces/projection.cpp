#include "ricochet/scheme/pieces/projection.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

/// All of n candidates, in their order.
bool has_all(const Rows& rows, std::size_t n) {
  if (rows.pick.size() != n || rows.gradients.size() != n || rows.normals) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (rows.pick[i] != static_cast<int>(i)) return false;
  return true;
}

bool not_solved(StepStatus status) { return status == StepStatus::newton_limit || status == StepStatus::solver_failed; }

}  // namespace

ProjectedMotion::ProjectedMotion(const Model& m)
    : velocity(m, Level::velocity),
      position(m, Level::position),
      motion_(m),
      c_(m.nv()),
      part_(m.nv()),
      force_(m.nv()),
      zero_(VectorXd::Zero(m.nv())) {}

void ProjectedMotion::begin(const Model& model, Workspace& w) {
  if (!model.constant_gradients()) lend_gradients(w, velocity.L);
}

void ProjectedMotion::reset() {
  velocity.reset();
  position.reset();
  c_.setZero();
  force_.setZero();
  std::fill(moves_.begin(), moves_.end(), char{0});
}

void ProjectedMotion::place(const ThetaStep& s) {
  ThetaMotion& m = motion_;
  const double theta = s.settings.theta;
  for (Index i = 0; i < c_.size(); ++i) {
    m.v_theta[i] = (1 - theta) * s.state.v[i] + theta * s.next.v[i];
    m.x[i] = s.h * m.v_theta[i] + c_[i];
    m.a[i] = (s.next.v[i] - s.state.v[i]) / s.h;
    part_[i] = theta * m.x[i];
  }
  s.model.retract(s.state.q, m.x, s.next.q);
  s.model.retract(s.state.q, part_, m.q_theta);
}

void ProjectedMotion::evaluate_velocity(const ThetaStep& s) {
  velocity.collocated = s.model.constant_gradients();
  if (!velocity.collocated) {
    velocity.D.pick = velocity.L.pick;
    evaluate(s.model, s.state.t + s.settings.theta * s.h, motion_.q_theta, s.w.candidates, velocity.D, s.w.model);
  }
  evaluate(s.model, s.next.t, s.next.q, s.w.candidates, velocity.L, s.w.model);  // last: what turns them is asked there
  velocity.r.setZero();
  s.model.momentum_balance(motion_.motion(s.state, s.h, s.settings.theta, s.next), velocity.r, s.w.model);
  if (s.w.sleep.any()) s.w.sleep.still(velocity.r);
}

Bending ProjectedMotion::bending(const ThetaStep& s) const {
  const double end = s.h * s.settings.theta;
  return {end * s.settings.theta, end, s.state.t + end, motion_.q_theta, {s.next.t, s.next.q, s.next.v}};
}

bool ProjectedMotion::solve_velocity(const ThetaStep& s) {
  const Motion step = motion_.motion(s.state, s.h, s.settings.theta, s.next);
  const int passes = velocity.passes, iterations = velocity.solver_iterations;
  velocity.bending = bending(s);
  s.report.status = newton(
      s.model, s.w, velocity, s.settings.controls, s.h, s.next.v, s.coefficients(), s.model.linear(), [&] { place(s); },
      [&] { evaluate_velocity(s); }, [&](Operator& S) { s.model.momentum_tangent(step, S, s.w.model); });
  if (not_solved(s.report.status)) s.report.blame = velocity.worst(s.model, s.w, s.next.v);
  s.report.newton += velocity.passes - passes;
  s.report.solver += velocity.solver_iterations - iterations;
  return s.report.ok();
}

bool ProjectedMotion::only_joints(const ThetaStep& s) const {
  const std::vector<int>& pick = velocity.L.pick;
  if (pick.empty() || s.settings.coupled || s.model.linear()) return false;
  return std::all_of(pick.begin(), pick.end(),
                     [&](int i) { return s.w.candidates[i].bilateral() && !s.w.candidates[i].velocity_only; });
}

bool ProjectedMotion::joints_hold(const ThetaStep& s, const double* g) {
  double worst = 0;
  if (s.w.loops.any()) g = judged_gaps(velocity.L, g, s.w, room_);
  for (std::size_t k = 0; k < velocity.L.pick.size(); ++k) {
    const Jacobian::Block& b = velocity.L.G.blocks()[k];
    const double* per = s.w.per_size.data() + s.w.before->rows.G.blocks()[velocity.L.pick[k]].row;
    for (int i = 0; i < b.dim; ++i) worst = std::max(worst, std::abs(g[b.row + i]) * per[i]);
  }
  return worst <= s.settings.controls.tolerance.constraint;
}

bool ProjectedMotion::correct(const ThetaStep& s) {
  const double end = s.h * s.settings.theta;
  const double move = end / s.w.scale.time * s.w.scale.of_rate(velocity.moved());
  double* g = predicted_.need(velocity.L.rows);
  velocity.L.G.transpose_times(velocity.moved(), g);
  for (int i = 0; i < velocity.L.rows; ++i) g[i] = velocity.L.g[i] - end * g[i];
  turned_ += move;
  if (joints_hold(s, g) && s.w.scale.of_position(c_) * turned_ <= s.settings.controls.tolerance.newton) return true;
  position.L = velocity.L;
  std::copy_n(g, velocity.L.rows, position.L.g.data());
  position.r = force_;
  position.bend(s.model, false);
  if (position.passes == 0 &&
      !position.factorise(s.model, s.w, metric_key(s), [&](Operator& S) { assemble_metric(s, S); }))
    return false;
  position.solve(s.model, s.w, s.settings.controls, s.h, c_);
  force_.setZero();
  position.L.G.add_times(1, position.p(), force_);
  turned_ = move + s.w.scale.of_position(position.moved());
  return position.solved == SolveStatus::converged;
}

bool ProjectedMotion::solve_joints(const ThetaStep& s) {
  constexpr int kMost = 8;  // passes: where these do not do, each level has to be solved by itself
  const Controls& controls = s.settings.controls;
  const int most = std::min(kMost, controls.tolerance.max_newton);
  const Motion step = motion_.motion(s.state, s.h, s.settings.theta, s.next);
  Stopping stop(controls.tolerance, velocity.rounding(s.w, s.h));
  // Rows that turn by so much in a step cost more passes than their rates cost once.
  const bool turns = s.h / s.w.scale.time * s.w.scale.of_rate(s.state.v) > 1e-5;
  turned_ = 0;
  for (int pass = 0; pass < most; ++pass) {
    place(s);
    evaluate_velocity(s);
    const double error = velocity.error(s.next.v, s.w, s.h);
    const bool settled = s.w.scale.of_position(c_) * turned_ <= controls.tolerance.newton;
    if (stop.met(pass, error) && settled && joints_hold(s, velocity.L.g.data())) {
      s.report.newton += velocity.passes;
      s.report.projections += position.passes;
      s.report.solver += velocity.solver_iterations + position.solver_iterations;
      return true;
    }
    const bool first = pass == 0;
    if (first || error > 0.05 * stop.before) {
      velocity.bending = bending(s);
      if (first) velocity.bending.D = 0;  // of the multipliers nothing is known yet
      velocity.bend(s.model, !first || turns);
      if (!velocity.factorise(s.model, s.w, s.coefficients(),
                              [&](Operator& S) { s.model.momentum_tangent(step, S, s.w.model); }))
        break;
    }
    velocity.solve(s.model, s.w, controls, s.h, s.next.v);
    if (velocity.solved != SolveStatus::converged || !correct(s)) break;
    stop.before = first ? velocity.step(s.next.v, s.w) : error;
  }
  reset();
  assign(s.next.v, s.state.v);
  return false;
}

void ProjectedMotion::measure(const ThetaStep& s) {
  const std::size_t n = s.w.candidates.size();
  measured_ = has_all(velocity.L, n) ? &velocity.L : &gaps_;
  if (measured_ == &gaps_) {
    if (gaps_.pick.size() != n) {
      gaps_.pick.resize(n);
      for (std::size_t i = 0; i < n; ++i) gaps_.pick[i] = static_cast<int>(i);
    }
    evaluate(s.model, s.next.t, s.next.q, s.w.candidates, gaps_, s.w.model);
  }
  const int m = s.w.before->rows.G.rows();
  judged_ = measured_->g.data();
  if (s.w.loops.any()) judged_ = judged_gaps(*measured_, judged_, s.w, room_);
  P_.zeros(m);
  way_.zeros(m);
  velocity.scatter(s.w, P_);
  if (position.passes > 0) position.scatter_ways(s.w, way_);
}

void ProjectedMotion::accelerate(const ThetaStep& s, int sweep) {
  if (sweep == 0 || projected != solved_for_) {  // another map
    sweeps_.start(static_cast<std::size_t>(s.next.v.size()), s.w.scale.per_rate.data());
  } else {
    v_found_ = s.next.v;
    s.next.v = v_;
    sweeps_.step(s.next.v.data(), v_found_.data());
  }
  v_ = s.next.v;
}

bool ProjectedMotion::holds(const ThetaStep& s, std::size_t i) const {
  const double tolerance = s.settings.controls.tolerance.constraint;
  const Jacobian::Block& b = measured_->G.blocks()[i];
  const int row = s.w.before->rows.G.blocks()[i].row;
  const double* per = s.w.per_size.data() + row;
  if (s.w.candidates[i].bilateral()) {
    for (int k = 0; k < b.dim; ++k)
      if (!(std::abs(judged_[b.row + k]) * per[k] <= tolerance)) return false;
    return true;
  }
  const double g = measured_->g[b.row] * per[0], way = way_[row] * per[0];
  switch (projected[i]) {
    case 0: return way == 0;
    case 1: return way >= 0 && std::abs(std::min(g, way)) <= tolerance;
    default: return std::abs(g) <= tolerance;
  }
}

bool ProjectedMotion::position_holds(const ThetaStep& s) const {
  for (std::size_t i = 0; i < s.w.candidates.size(); ++i)
    if (!holds(s, i)) return false;
  return true;
}

// What else is corrected in the step is no business of an island whose gaps hold: it stays where it is.
bool ProjectedMotion::find_moving(const ThetaStep& s) {
  const Sleep& sleep = s.w.sleep;
  moves_.resize(sleep.blocks(), 0);
  const auto before = std::count(moves_.begin(), moves_.end(), 1);
  islands_.start(sleep.blocks());
  for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
    const Jacobian::Block& b = measured_->G.blocks()[i];
    const Range* range = measured_->G.ranges(b);
    const int block = sleep.block_of(range[0].at);
    for (int k = 1; k < b.ranges && projected[i] != 0; ++k) islands_.join(block, sleep.block_of(range[k].at));
    if (!holds(s, i)) moves_[static_cast<std::size_t>(block)] = 1;
  }
  for (int pass = 0; pass < 2; ++pass)  // up to the roots, and down again
    for (std::size_t b = 0; b < moves_.size(); ++b) {
      char &own = moves_[b], &root = moves_[static_cast<std::size_t>(islands_.root(static_cast<int>(b)))];
      own = root = static_cast<char>(own | root);
    }
  return std::count(moves_.begin(), moves_.end(), 1) != before;
}

void ProjectedMotion::choose_rows(const ThetaStep& s) {
  const bool apart = s.w.sleep.possible(), others = apart && find_moving(s);
  if (projected != solved_for_ || others) position.reset();  // other rows: the old multipliers say nothing
  solved_for_ = projected;
  pick_position_joints(s.w, position.L.pick);
  position.equal.assign(position.L.pick.size(), 0);
  for (char kind : {char{2}, char{1}})  // free multipliers come first
    for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
      if (s.w.candidates[i].bilateral() || projected[i] != kind) continue;
      const int first = apart ? measured_->G.ranges(measured_->G.blocks()[i])[0].at : 0;
      if (apart && !moves_[static_cast<std::size_t>(s.w.sleep.block_of(first))]) continue;
      position.L.pick.push_back(static_cast<int>(i));
      position.equal.push_back(kind == 2);
    }
}

void ProjectedMotion::assemble_metric(const ThetaStep& s, Operator& S) const {
  const Point begin{s.state.t, s.state.q, s.state.v};
  switch (s.settings.metric) {
    case Metric::identity:
      for (int i = 0; i < S.size(); ++i) {  // of what coordinates move: 1 for lengths
        const double arm = s.w.scale.arm[static_cast<std::size_t>(i)];
        S.add(i, i, arm * arm);
      }
      return;
    case Metric::mass: return s.model.mass(begin, 1, S, s.w.model);
    case Metric::iteration: {
      const State& k = s.state;
      const Motion still{k.t, s.h, s.settings.theta, k.q, k.v, zero_, k.q, k.v, k.v, zero_};
      return s.model.momentum_tangent(still, S, s.w.model);
    }
  }
}

OperatorCache::Coefficients ProjectedMotion::metric_key(const ThetaStep& s) {
  if (s.settings.metric == Metric::mass) return {1, 0, 0};
  if (s.settings.metric == Metric::iteration) return s.coefficients();
  return {0, 0, 0};  // no other operator has these: the identity's
}

// A pass whose factor has the bending of G tau leaves N^-1 c other than G tau with the rows that it had; one without
// makes it that.
void ProjectedMotion::find_force(const ThetaStep& s) {
  force_.setZero();
  switch (s.settings.metric) {
    case Metric::identity:
      for (Index i = 0; i < c_.size(); ++i) {
        const double arm = s.w.scale.arm[static_cast<std::size_t>(i)];
        force_[i] = arm * arm * c_[i];
      }
      return;
    case Metric::mass: return s.model.mass_times({s.state.t, s.state.q, s.state.v}, c_, 1, force_, s.w.model);
    case Metric::iteration: return position.L.G.add_times(1, position.p(), force_);
  }
}

bool ProjectedMotion::project(const ThetaStep& s) {
  const int passes = position.passes, iterations = position.solver_iterations;
  int forced = position.passes;
  const auto evaluate_here = [&] {
    if (position.passes > forced) {
      find_force(s);
      forced = position.passes;
    }
    evaluate(s.model, s.next.t, s.next.q, s.w.candidates, position.L, s.w.model, true);
    position.r = force_;
  };
  position.bending = {};
  if (s.settings.metric != Metric::iteration) position.bending = {1, 0, s.next.t, s.next.q, {}};
  s.report.status = newton(
      s.model, s.w, position, s.settings.controls, s.h, c_, metric_key(s), s.model.linear(), [&] { place(s); },
      evaluate_here, [&](Operator& S) { assemble_metric(s, S); });
  if (not_solved(s.report.status)) s.report.blame = position.worst(s.model, s.w, c_);
  s.report.projections += position.passes - passes;
  s.report.solver += position.solver_iterations - iterations;
  return s.report.ok();
}

void ProjectedMotion::finish(const ThetaStep& s) {
  StepReport& report = s.report;
  s.w.sleep.offer(velocity.r);
  velocity.scatter_impulses(s.w);
  if (position.passes > 0) position.scatter(s.w, s.w.correction);
  report.minimum_norm = velocity.minimum_norm || position.minimum_norm;
  if (!velocity.collocated) take_rows(*measured_, s.w);
  end_step(s.model, s.state, s.h, s.next, s.w, report);
  audit_theta(s.model, s.state, s.h, s.settings.theta, motion_, velocity, s.w, report);
  // theta.hpp expects x = h v_theta and takes what the correction adds for a remainder
  const Point at{s.state.t + s.settings.theta * s.h, motion_.q_theta, motion_.v_theta};
  const double work = -s.model.power(at, c_, s.w.model).potential;
  report.energy.projection += work;
  report.energy.nonlinear_remainder -= work;
}

std::vector<OptionInfo> projection_options() {
  return {number_option("theta", 0.5, 0, 1, "weight of the end of the step; 1/2: second order in smooth motion"),
          choice_option("metric", "identity", {"identity", "mass", "iteration"},
                        "the position moves by N G tau: N = 1 for lengths, turns counted by the lever where a body is "
                        "held; M^-1; or M^^-1 as the velocity does"),
          flag_option("coupled", false, "velocity and position in one complementarity problem, (52)-(55)")};
}

ProjectionSettings::ProjectionSettings(const Options& o)
    : theta(o.number("theta")),
      metric(o.choice("metric") == "identity" ? Metric::identity
             : o.choice("metric") == "mass"   ? Metric::mass
                                              : Metric::iteration),
      coupled(o.flag("coupled")),
      controls(tolerances(o)) {}

}  // namespace ricochet
