#include "ricochet/scheme/pieces/projection.hpp"

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

}  // namespace

ProjectedMotion::ProjectedMotion(const Model& m)
    : velocity(m, Level::velocity),
      position(m, Level::position),
      motion_(m),
      c_(m.nv()),
      part_(m.nv()),
      force_(m.nv()),
      zero_(VectorXd::Zero(m.nv())) {}

void ProjectedMotion::reset() {
  velocity.reset();
  position.reset();
  c_.setZero();
  force_.setZero();
  forced_ = 0;
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
  evaluate(s.model, s.next.t, s.next.q, s.w.candidates, velocity.L, s.w.model);
  if (!velocity.collocated) {
    velocity.D.pick = velocity.L.pick;
    evaluate(s.model, s.state.t + s.settings.theta * s.h, motion_.q_theta, s.w.candidates, velocity.D, s.w.model);
  }
  velocity.r.setZero();
  s.model.momentum_balance(motion_.motion(s.state, s.h, s.settings.theta, s.next), velocity.r, s.w.model);
}

bool ProjectedMotion::solve_velocity(const ThetaStep& s) {
  const Motion step = motion_.motion(s.state, s.h, s.settings.theta, s.next);
  const int passes = velocity.passes, iterations = velocity.solver_iterations;
  const double end = s.h * s.settings.theta;
  velocity.bending = {end * s.settings.theta, end, s.state.t + end, motion_.q_theta, {s.next.t, s.next.q, s.next.v}};
  s.report.status = newton(
      s.model, s.w, velocity, s.settings.controls, s.h, s.next.v, s.coefficients(), s.model.linear(), [&] { place(s); },
      [&] { evaluate_velocity(s); }, [&](Operator& S) { s.model.momentum_tangent(step, S, s.w.model); });
  if (s.report.status == StepStatus::newton_limit) s.report.blame = velocity.worst(s.model, s.w, s.next.v);
  s.report.newton += velocity.passes - passes;
  s.report.solver += velocity.solver_iterations - iterations;
  return s.report.ok();
}

void ProjectedMotion::measure(const ThetaStep& s) {
  const std::size_t n = s.w.candidates.size();
  measured_ = has_all(velocity.L, n) ? &velocity.L : &gaps_;
  if (measured_ == &gaps_) {
    if (gaps_.pick.size() != n) {
      gaps_.pick.resize(n);
      for (std::size_t i = 0; i < n; ++i) gaps_.pick[i] = static_cast<int>(i);
    }
    evaluate(s.model, s.next.t, s.next.q, s.w.candidates, gaps_, s.w.model, true);
  }
  const int m = s.w.before->rows.G.rows();
  P_.zeros(m);
  tau_.zeros(m);
  velocity.scatter(s.w, P_);
  if (position.passes > 0) position.scatter(s.w, tau_);
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

bool ProjectedMotion::position_holds(const ThetaStep& s) const {
  const double tolerance = s.settings.controls.tolerance.constraint;
  for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
    const Jacobian::Block& b = measured_->G.blocks()[i];
    const int row = s.w.before->rows.G.blocks()[i].row;
    const double* per = s.w.per_size.data() + row;
    if (s.w.candidates[i].bilateral()) {
      for (int k = 0; k < b.dim; ++k)
        if (!(std::abs(measured_->g[b.row + k]) * per[k] <= tolerance)) return false;
      continue;
    }
    const double g = measured_->g[b.row] * per[0], tau = tau_[row];
    if (projected[i] == 0 && tau != 0) return false;
    if (projected[i] == 1 && !(g >= -tolerance && tau >= 0 && (tau == 0 || g <= tolerance))) return false;
    if (projected[i] == 2 && !(std::abs(g) <= tolerance)) return false;
  }
  return true;
}

void ProjectedMotion::choose_rows(const ThetaStep& s) {
  if (projected != solved_for_) {  // other cones: the old multipliers say nothing
    position.reset();
    forced_ = 0;
  }
  solved_for_ = projected;
  pick_position_joints(s.w, position.L.pick);
  position.equal.assign(position.L.pick.size(), 0);
  for (char kind : {char{2}, char{1}})  // free multipliers come first
    for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
      if (s.w.candidates[i].bilateral() || projected[i] != kind) continue;
      position.L.pick.push_back(static_cast<int>(i));
      position.equal.push_back(kind == 2);
    }
}

void ProjectedMotion::assemble_metric(const ThetaStep& s, Operator& S) const {
  const Point begin{s.state.t, s.state.q, s.state.v};
  switch (s.settings.metric) {
    case Metric::identity:
      // of coordinates measured in their scales: 1 for lengths
      for (int i = 0; i < S.size(); ++i) {
        const double part = s.w.scale.length * s.w.scale.per_position[static_cast<std::size_t>(i)];
        S.add(i, i, part * part);
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

bool ProjectedMotion::project(const ThetaStep& s) {
  const int passes = position.passes, iterations = position.solver_iterations;
  const auto evaluate_here = [&] {
    if (position.passes > forced_) {  // c = N G tau with the rows as they were
      force_.setZero();
      position.L.G.add_times(1, position.p(), force_);
      forced_ = position.passes;
    }
    evaluate(s.model, s.next.t, s.next.q, s.w.candidates, position.L, s.w.model, true);
    position.r = force_;
  };
  OperatorCache::Coefficients key{0, 0, 0};  // no other operator has these: the identity's
  if (s.settings.metric == Metric::mass) key = {1, 0, 0};
  if (s.settings.metric == Metric::iteration) key = s.coefficients();
  position.bending = {1, 0, s.next.t, s.next.q, {}};
  s.report.status = newton(
      s.model, s.w, position, s.settings.controls, s.h, c_, key, s.model.linear(), [&] { place(s); }, evaluate_here,
      [&](Operator& S) { assemble_metric(s, S); });
  if (s.report.status == StepStatus::newton_limit) s.report.blame = position.worst(s.model, s.w, c_);
  s.report.projections += position.passes - passes;
  s.report.solver += position.solver_iterations - iterations;
  return s.report.ok();
}

void ProjectedMotion::finish(const ThetaStep& s) {
  StepReport& report = s.report;
  velocity.scatter_impulses(s.w);
  if (position.passes > 0) position.scatter(s.w, s.w.correction);
  report.minimum_norm = velocity.minimum_norm || position.minimum_norm;
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
                        "the position moves by N G tau: N = 1 for coordinates over their scales, M^-1, or M^^-1 as the "
                        "velocity does"),
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
