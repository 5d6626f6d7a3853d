// Schemes that the papers show to fail across impacts, for comparison: smooth-alpha, newmark-position,
// newmark-velocity, trapezoidal-position. None of them converges there (impact_order 0): they treat a contact's
// reaction, an impulse at an impact, as a force.
//
// smooth-alpha (bruls-2014 (51), (52)), newmark-position and newmark-velocity (lecture (65)-(67), alpha = -alpha_f):
//
//     M(q+) v'+ + convective - f(t+, q+, v+) = G lambda,       q+ = q ⊕ x,   with x, v+, v'+ = x~, v~, v~' of alpha.hpp
//     position:  g_J(q+) = 0,   0 <= g(q+) ⊥ lambda >= 0       restitution plays no part: what comes out of an impact
//                                                              depends on where in the step it falls
//     velocity:  U_J+ = 0,   closed contacts  0 <= U+ + e U_k ⊥ lambda >= 0
//                                                              the force of size 1/h stays in the memory as a_k: the
//                                                              next step repeats (1 - gamma)/gamma of the impact
//
// The stage's unknown is v+: with p = h lambda / c_M the dynamics times h/c_M have D = G and
// S = M + h/c_M C + h^2 beta/(gamma c_M) K; the rows are L = (h beta/gamma) G at position level, G at velocity level.
//
// trapezoidal-position (acary-2012 section 6.2, Figure 11): Moreau-Jean with theta = 1/2 and the condition at position
// level,
//
//     M(q_1/2)(v+ - v) + h (convective - f)(q_1/2, v_1/2) = G(q_1/2) P,    q+ = q ⊕ h v_1/2,    0 <= g(q+) ⊥ P >= 0,
//
// L = (h/2) G. Closed at both ends of a step means v_1/2 = 0: the contact's velocity changes its sign in every step.
//
// Orders: 2 in smooth motion for gamma = 1/2 + alpha_f - alpha_m. Energy: alpha_ledger.hpp, theta.hpp; the work of the
// contact forces is taken with the mean of both ends, like that of every other force.
#include "ricochet/scheme/pieces/alpha_ledger.hpp"
#include "ricochet/scheme/pieces/forecast.hpp"
#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {
namespace {

/// Rows at q+ with gradients times `scale`, dx/dv+; impulses act at (t, q).
void position_rows(const Model& model, const State& next, double scale, double t, ConstView q, Workspace& w,
                   Stage& stage) {
  stage.D.pick = stage.L.pick;
  stage.collocated = false;
  stage.L.gradients.clear();  // scaled below: never kept
  evaluate(model, next.t, next.q, w.candidates, stage.L, w.model, true);
  evaluate(model, t, q, w.candidates, stage.D, w.model, true);
  for (const Jacobian::Block& b : stage.L.G.blocks())
    for (int i = 0; i < b.dim * b.length; ++i) stage.L.G.row(b, 0)[i] *= scale;
}

void pick_all(const Workspace& w, std::vector<int>& pick) {
  pick_joints(w, pick);
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (!w.candidates[i].bilateral()) pick.push_back(static_cast<int>(i));
}

/// Multipliers times `scale` as impulses of the step; rows of the stage may be normals only.
void scatter_impulses(const Stage& stage, double scale, Workspace& w) {
  for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
    const int row = w.before->rows.G.blocks()[stage.L.pick[k]].row;
    const Jacobian::Block& b = stage.L.G.blocks()[k];
    for (int i = 0; i < b.dim; ++i) w.impulse[row + i] = scale * stage.p()[b.row + i];
  }
  stage.describe(w);
}

struct CollocatedLocal {
  explicit CollocatedLocal(const Model& m)
      : position(m, Level::position), velocity(m, Level::velocity), motion(m), ledger(m) {
    position.moves = true;
  }
  Stage position, velocity;
  AlphaMotion motion;
  AlphaLedger ledger;
  Buffer lambda;  ///< multipliers at the end, rows as in Workspace::before
};

/// The contact force is collocated like every other force.
class Collocated final : public Scheme {
 public:
  Collocated(const std::string& name, const AlphaCoefficients& c, Level level, const Options& o)
      : c_(c),
        level_(level),
        forecast_({forecast_options(), {{"forecast", std::string("explicit")}, {"gamma", 0.0}}}, 0.5),
        controls_(tolerances(o)) {
    info_ = find_scheme(name)->info;
    info_.smooth_order = std::abs(c.gamma - 0.5 - c.alpha_f + c.alpha_m) < 1e-14 ? 2 : 1;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override { return {"a", "dv"}; }
  void start(const Model& model, State& state, Workspace& w) const override {
    start_acceleration(model, state, w, controls_);
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    CollocatedLocal& l = w.of<CollocatedLocal>(model);
    Stage& stage = level_ == Level::position ? l.position : l.velocity;
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.motion.predict(c_, state, h);
    stage.reset();
    if (level_ == Level::position) {
      pick_all(w, stage.L.pick);
    } else {
      pick_joints(w, stage.L.pick);
      forecast_.activate(h, next.v, controls_.tolerance.activation, w, stage.L.pick);
    }
    const double c_C = h / c_.c_M(), follow = h * c_.beta / c_.gamma, c_K = c_C * follow;
    const Point end{next.t, next.q, next.v};
    report.status = newton(
        model, w, stage, controls_, h, next.v, {1, c_K, c_C}, model.linear(),
        [&] {
          l.motion.v = next.v;
          l.motion.follow(c_, h);
          model.retract(state.q, l.motion.x, next.q);
        },
        [&] {
          if (level_ == Level::position) {
            position_rows(model, next, follow, next.t, next.q, w, stage);
          } else {
            evaluate(model, next.t, next.q, w.candidates, stage.L, w.model);
          }
          stage.r.setZero();
          model.residual(end, l.motion.acceleration, c_C, stage.r, w.model);
        },
        [&](Operator& S) {
          model.mass(end, 1, S, w.model);
          model.tangents(end, l.motion.acceleration, c_K, c_C, S, w.model);
        });
    report.newton = stage.passes;
    report.solver = stage.solver_iterations;
    report.minimum_norm = stage.minimum_norm;
    report.activations = 1;
    if (!report.ok()) return;
    l.motion.finish(c_, next);
    scatter_impulses(stage, c_.c_M(), w);
    end_step(model, state, h, next, w, report);
    // gaps, as velocities
    if (level_ == Level::position) report.certificate.complementarity = stage.complementarity(next.v) / w.scale.time;
    audit(model, state, h, next, w, l, report);
  }

 private:
  void audit(const Model& model, const State& s, double h, const State& next, Workspace& w, CollocatedLocal& l,
             StepReport& report) const {
    EnergyLedger& e = report.energy;
    l.ledger.open(model, c_, false, s, h, next, w, e);
    // Reactions at both ends: joints and contacts together at the beginning, from the dynamics solved there. Moving
    // boundaries work from outside.
    l.ledger.reaction_begin(model, s, w);
    const Rows &begin = w.before->rows, &end = w.after->rows;
    double joints_end = 0;
    double* lambda_end = l.lambda.need(begin.G.rows());
    auto memory = s.contacts.begin();
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Jacobian::Block &b = begin.G.blocks()[i], &b_end = end.G.blocks()[i];
      const bool joint = w.candidates[i].bilateral();
      while (memory != s.contacts.end() && memory->key < w.candidates[i].key) ++memory;
      const bool known = !joint && memory != s.contacts.end() && memory->key == w.candidates[i].key;
      if (known) begin.G.add_block_times(b, -1, memory->reaction.data(), l.ledger.reaction);
      for (int k = 0; k < b.dim; ++k) {
        const int row = b.row + k;
        const double P = w.impulse[row], work_end = P * end.G.row_times(b_end, k, l.ledger.mean);
        lambda_end[row] = P / h;
        if (joint) {
          joints_end += work_end;
          continue;
        }
        const double P_begin = known ? h * memory->reaction[static_cast<std::size_t>(k)] : 0;
        const double outside = 0.25 * (P_begin + P) * (begin.g_t[row] + end.g_t[row]);
        e.impact += 0.5 * (P_begin * begin.G.row_times(b, k, l.ledger.mean) + work_end) + outside;
        e.external -= outside;
      }
    }
    l.ledger.joints(model, s, lambda_end, joints_end, w, e);
    l.ledger.close(model, s, next, 0, w, report);
  }

  SchemeInfo info_;
  AlphaCoefficients c_;
  Level level_;
  Forecast forecast_;
  Controls controls_;
};

struct TrapezoidalLocal {
  explicit TrapezoidalLocal(const Model& m) : position(m, Level::position), motion(m) { position.moves = true; }
  Stage position;
  ThetaMotion motion;
};

class TrapezoidalPosition final : public Scheme {
 public:
  explicit TrapezoidalPosition(const Options& o) : controls_(tolerances(o)) {
    info_ = find_scheme("trapezoidal-position")->info;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    auto& [stage, motion] = w.of<TrapezoidalLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    stage.reset();
    pick_all(w, stage.L.pick);
    const Motion step = motion.motion(state, h, 0.5, next);
    report.status = newton(
        model, w, stage, controls_, h, next.v, {1, h * h / 4, h / 2}, model.linear(),
        [&] { motion.place(model, state, h, 0.5, next); },
        [&] {
          position_rows(model, next, h / 2, state.t + h / 2, motion.q_theta, w, stage);
          stage.r.setZero();
          model.momentum_balance(step, stage.r, w.model);
        },
        [&](Operator& S) { model.momentum_tangent(step, S, w.model); });
    report.newton = stage.passes;
    report.solver = stage.solver_iterations;
    report.minimum_norm = stage.minimum_norm;
    report.activations = 1;
    if (!report.ok()) return;
    scatter_impulses(stage, 1, w);
    end_step(model, state, h, next, w, report);
    report.certificate.complementarity = stage.complementarity(next.v) / w.scale.time;  // gaps, as velocities
    audit_theta(model, state, h, 0.5, motion, stage, w, report);
  }

 private:
  SchemeInfo info_;
  Controls controls_;
};

SchemeEntry entry(const char* name, const char* summary, const char* reference, Level level,
                  std::vector<OptionInfo> own, std::unique_ptr<Scheme> (*make)(const Options&)) {
  SchemeEntry e;
  e.info = {.name = name,
            .summary = summary,
            .reference = reference,
            .smooth_order = 2,
            .impact_order = 0,
            .exact_position = level == Level::position,
            .exact_velocity = level == Level::velocity,
            .friction = level == Level::velocity};
  e.options = std::move(own);
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = make;
  return e;
}

/// Lecture (59), (60) in the sign of the energy report.
std::vector<OptionInfo> newmark_options() {
  return {number_option("gamma", 0.5, 0.05, 2, "weight of the end in the velocity"),
          number_option("beta", 0.25, 0.01, 2, "weight of the end in the position; not given: gamma/2"),
          number_option("alpha", 0, 0, 1.0 / 3, "weight of the past in the forces, alpha_f")};
}
AlphaCoefficients newmark_coefficients(const Options& o) {
  const double gamma = o.number("gamma");
  return {0, o.number("alpha"), gamma, o.given("beta") ? o.number("beta") : gamma / 2};
}

}  // namespace

SchemeEntry smooth_alpha() {
  return entry(
      "smooth-alpha", "comparison: generalized-alpha with contact forces at position level; impacts raise the energy",
      "bruls-2014 (51), (52)", Level::position, {number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity")},
      [](const Options& o) -> std::unique_ptr<Scheme> {
        return std::make_unique<Collocated>("smooth-alpha", AlphaCoefficients::of_spectral_radius(o.number("rho_inf")),
                                            Level::position, o);
      });
}

SchemeEntry newmark_position() {
  return entry("newmark-position",
               "comparison: Newmark or HHT with contact forces at position level; restitution is not what e says",
               "acary-2018 (65), (66)", Level::position, newmark_options(),
               [](const Options& o) -> std::unique_ptr<Scheme> {
                 return std::make_unique<Collocated>("newmark-position", newmark_coefficients(o), Level::position, o);
               });
}

SchemeEntry newmark_velocity() {
  return entry(
      "newmark-velocity",
      "comparison: Newmark or HHT with contact forces at velocity level; consistent for gamma = 1, alpha = 0 only",
      "acary-2018 (65)-(67)", Level::velocity, newmark_options(), [](const Options& o) -> std::unique_ptr<Scheme> {
        return std::make_unique<Collocated>("newmark-velocity", newmark_coefficients(o), Level::velocity, o);
      });
}

SchemeEntry trapezoidal_position() {
  return entry("trapezoidal-position",
               "comparison: trapezoidal rule with contacts at position level; the contact velocity alternates",
               "acary-2012 section 6.2, Figure 11", Level::position, {},
               [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<TrapezoidalPosition>(o); });
}

}  // namespace ricochet
