// The Moreau-Jean scheme (acary-2012 (16)-(18), (61)-(64); acary-2014 (23)-(26); bruls-2014 (50)).
//
//     M(q_theta)(v+ - v) + h (convective - f)(t_theta, q_theta, v_theta) = D P,     q+ = q ⊕ h v_theta
//     joints:    U+ = L^T v+ + dg/dt = 0
//     contacts with forecast gap <= activation tolerance:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*;   others P = 0
//
// gradient   theta: D at q_theta, L at q+  (order 2 with joints at theta = 1/2, and the joint rows exact at q+)
//            end:   D = L at q+   (18a),   begin: D = L at q_k
// forecast   explicit:     g_k + gamma h U_k                                        (61)
//            free:         g_k + h (theta U_free + (1-theta) U_k)                    (62)
//            energy-safe:  g_k + h U_k, and U_k <= activation tolerance             acary-2014 (26)
//            semi-implicit, implicit:  g(q_k ⊕ h v_theta) inside or after the Newton loop, (63), (64): comparisons that
//            cycle, because a contact that is activated takes away the reason for its activation
// form       integrated: as above;  collocated: bruls-2014 (50), forces at the ends of the steps, rows at q+,
//            M(q+)(v+ - v - h (1-theta) v~'_k) + h theta (convective - f)(t+, q+, v+) = G(q+) Lambda,
//            M(q+) v~'+ = (f - convective)(t+, q+, v+) kept for the next step; joints have no smooth multiplier
//
// Orders: 2 for theta = 1/2 in smooth motion, else 1; 1 in L1 across impacts. Exact at velocity level, not in position.
// Energy: theta.hpp; dissipates for 1/2 <= theta <= 1/(1+e) with the energy-safe forecast, always for theta = 1/2.
#include <algorithm>

#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/alpha_ledger.hpp"
#include "ricochet/scheme/pieces/forecast.hpp"
#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {
namespace {

enum class Reforecast { never, each_pass, each_solution };  // the implicit rules (63), (64)
enum class Gradient { begin, theta, end };

struct MoreauJeanLocal {
  explicit MoreauJeanLocal(const Model& m) : velocity(m, Level::velocity), motion(m) {}
  Stage velocity;
  ThetaMotion motion;
  std::vector<std::vector<int>> tried;
};

struct MoreauJeanCollocatedLocal {
  explicit MoreauJeanCollocatedLocal(const Model& m)
      : velocity(m, Level::velocity), force(m, Level::velocity), motion(m), smooth(m) {}
  Stage velocity, force;  ///< force: M v~' = f - convective, no rows
  ThetaMotion motion;
  AlphaMotion smooth;  ///< v~+ for the ledger
  VectorXd a, U;       ///< (nv)
};

class MoreauJean final : public Scheme {
 public:
  explicit MoreauJean(const Options& o)
      : theta_(o.given("rho_inf") ? 1 / (1 + o.number("rho_inf")) : o.number("theta")),
        forecast_(o, theta_),
        reforecast_(o.choice("forecast") == "semi-implicit" ? Reforecast::each_pass
                    : o.choice("forecast") == "implicit"    ? Reforecast::each_solution
                                                            : Reforecast::never),
        collocated_(o.choice("form") == "collocated"),
        gradient_(o.choice("gradient") == "begin" ? Gradient::begin
                  : o.choice("gradient") == "end" ? Gradient::end
                                                  : Gradient::theta),
        controls_(tolerances(o)) {
    info_ = find_scheme("moreau-jean")->info;
    info_.smooth_order = theta_ == 0.5 ? 2 : 1;
    info_.rows_at_end = collocated_ || gradient_ != Gradient::begin;
    info_.holds_closed = reforecast_ != Reforecast::never || forecast_.holds_closed();
    if (!collocated_) return;
    if (theta_ == 0) throw InputError("theta", "the collocated form divides by theta; accepted: above 0");
    if (forecast_.needs_free_velocity() || reforecast_ != Reforecast::never)
      throw InputError("forecast", "the collocated form has no free velocity; accepted: explicit, energy-safe");
  }

  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override {
    if (collocated_) return {"a", "dv_smooth"};
    return {};
  }
  void start(const Model& model, State& state, Workspace& w) const override {
    state.memory.clear();
    if (!collocated_) return;
    begin_step(model, state, 0, w);
    state.memory.assign(2, VectorXd::Zero(model.nv()));
    free_acceleration(model, {state.t, state.q, state.v}, w, w.of<MoreauJeanCollocatedLocal>(model).force,
                      state.memory[0]);
    state.memory[1] = state.memory[0];
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    if (collocated_) return collocated_step(model, state, h, next, w, report);
    MoreauJeanLocal& local = w.of<MoreauJeanLocal>(model);
    Stage& velocity = local.velocity;
    ThetaMotion& motion = local.motion;
    std::vector<std::vector<int>>& tried = local.tried;
    begin_step(model, state, h, w);
    prepare_next(state, h, next);

    const Motion step = motion.motion(state, h, theta_, next);  // views: they follow next.v and the motion
    const auto solve = [&](bool reforecast) {
      const auto place = [&] { motion.place(model, state, h, theta_, next); };
      const auto evaluate_here = [&] {
        if (reforecast) repick(model, next, w, velocity);
        evaluate_rows(model, state, h, next, w, motion, velocity);
        velocity.r.setZero();
        model.momentum_balance(step, velocity.r, w.model);
      };
      const auto assemble = [&](Operator& S) { model.momentum_tangent(step, S, w.model); };
      bend(state, h, next, motion, velocity);
      const StepStatus status =
          newton(model, w, velocity, controls_, h, next.v, {1, h * h * theta_ * theta_, h * theta_},
                 model.linear() && !reforecast, place, evaluate_here, assemble);
      report.newton += velocity.passes;
      report.solver += velocity.solver_iterations;
      ++report.activations;
      return status;
    };

    velocity.reset();
    pick_velocity_rows(w, velocity.L.pick);
    if (forecast_.needs_free_velocity() && velocity.L.pick.size() < w.candidates.size()) {
      report.status = solve(false);
      if (!report.ok()) return;
      velocity.reset();
    }
    if (reforecast_ == Reforecast::never)
      forecast_.activate(h, next.v, controls_.tolerance.activation, w, velocity.L.pick);
    velocity.warm_start(state, h, w);
    report.status = solve(reforecast_ == Reforecast::each_pass);
    if (reforecast_ == Reforecast::each_solution && report.ok()) {
      // (64): solve again with what the end of the step says, until a set repeats
      tried.clear();
      while (report.ok()) {
        tried.push_back(velocity.L.pick);
        repick(model, next, w, velocity);
        if (velocity.L.pick == tried.back()) break;
        if (std::find(tried.begin(), tried.end(), velocity.L.pick) != tried.end()) {
          report.status = StepStatus::activation_cycle;
          break;
        }
        next.v = state.v;
        velocity.reset();
        report.status = solve(false);
      }
    }
    if (report.status == StepStatus::newton_limit && reforecast_ == Reforecast::each_pass)
      report.status = StepStatus::activation_cycle;
    if (!report.ok()) return;

    report.minimum_norm = velocity.minimum_norm;
    if (!velocity.L.pick.empty()) velocity.scatter_impulses(w);
    end_step(model, state, h, next, w, report);
    if (!info_.rows_at_end) report.certificate.complementarity = velocity.complementarity(next.v);
    audit_theta(model, state, h, theta_, motion, velocity, w, report);
  }

 private:
  /// a = M^-1 (f - convective); false if M has no inverse.
  static bool free_acceleration(const Model& model, const Point& at, Workspace& w, Stage& stage, VectorXd& a) {
    stage.reset();
    a.setZero();
    stage.r.setZero();
    model.residual(at, a, 1, stage.r, w.model);
    if (!stage.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); })) return false;
    stage.solve_free(a);
    return true;
  }

  void collocated_step(const Model& model, const State& state, double h, State& next, Workspace& w,
                       StepReport& report) const {
    MoreauJeanCollocatedLocal& local = w.of<MoreauJeanCollocatedLocal>(model);
    Stage& velocity = local.velocity;
    ThetaMotion& motion = local.motion;
    const VectorXd& before = state.memory[kAcceleration];
    const double weight = h * theta_;
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    velocity.reset();
    pick_velocity_rows(w, velocity.L.pick);
    forecast_.activate(h, next.v, controls_.tolerance.activation, w, velocity.L.pick);
    velocity.warm_start(state, h, w);
    const Point end{next.t, next.q, next.v};
    velocity.bending = {weight, weight, next.t, next.q, end};
    report.status = newton(
        model, w, velocity, controls_, h, next.v, {1, weight * weight, weight}, model.linear(),
        [&] { motion.place(model, state, h, theta_, next); },
        [&] {
          local.a = (next.v - state.v - h * (1 - theta_) * before) / weight;
          evaluate(model, next.t, next.q, w.candidates, velocity.L, w.model);
          velocity.r.setZero();
          model.residual(end, local.a, weight, velocity.r, w.model);
        },
        [&](Operator& S) {
          model.mass(end, 1, S, w.model);
          model.tangents(end, local.a, weight * weight, weight, S, w.model);
        });
    report.newton = velocity.passes;
    report.solver = velocity.solver_iterations;
    report.activations = 1;
    report.minimum_norm = velocity.minimum_norm;
    if (report.ok() && !free_acceleration(model, end, w, local.force, next.memory[kAcceleration]))
      report.status = StepStatus::singular;
    if (!report.ok()) return;
    next.memory[kPseudoAcceleration] = next.memory[kAcceleration];
    velocity.scatter_impulses(w);
    end_step(model, state, h, next, w, report);
    // Ledger of the alpha family with gamma = theta and a = v~'. Its position differs, x - h vbar = h (theta - 1/2)(v+
    // - v): given as a correction and booked back as numerical.
    local.smooth.v = state.v + h * (1 - theta_) * before + weight * next.memory[kAcceleration];
    local.U = h * (theta_ - 0.5) * (next.v - state.v) + h / 2 * (next.v - local.smooth.v);
    local.force.reset();
    audit_alpha(model, {0, 0, theta_, theta_ / 2}, {state, h, next, local.smooth, local.U, local.force, velocity}, w,
                report);
    report.energy.numerical += report.energy.projection;
    report.energy.projection = 0;
  }

  /// Rows L of the condition and D of the impulse at their configurations.
  void evaluate_rows(const Model& model, const State& state, double h, const State& next, Workspace& w,
                     const ThetaMotion& motion, Stage& velocity) const {
    velocity.collocated = gradient_ != Gradient::theta || model.constant_gradients();
    if (gradient_ == Gradient::begin) {
      evaluate(model, state.t, state.q, w.candidates, velocity.L, w.model);
      return;
    }
    evaluate(model, next.t, next.q, w.candidates, velocity.L, w.model);
    if (velocity.collocated) return;
    velocity.D.pick = velocity.L.pick;
    evaluate(model, state.t + theta_ * h, motion.q_theta, w.candidates, velocity.D, w.model);
  }

  void bend(const State& state, double h, const State& next, const ThetaMotion& motion, Stage& velocity) const {
    if (gradient_ == Gradient::begin) return;
    const double end = h * theta_;
    velocity.bending = {end, end, next.t, next.q, {next.t, next.q, next.v}};
    if (gradient_ == Gradient::end) return;
    velocity.bending.D = end * theta_;
    velocity.bending.t_D = state.t + end;
    velocity.bending.q_D = motion.q_theta;
  }

  /// (63), (64): the contacts that the present end of the step violates.
  void repick(const Model& model, const State& next, Workspace& w, Stage& velocity) const {
    pick_velocity_rows(w, velocity.L.pick);
    End& end = *w.after;
    end.rows.pick.clear();
    for (std::size_t i = 0; i < w.candidates.size(); ++i) end.rows.pick.push_back(static_cast<int>(i));
    evaluate(model, next.t, next.q, w.candidates, end.rows, w.model);
    for (std::size_t i = 0; i < w.candidates.size(); ++i)
      if (w.candidates[i].unilateral() &&
          end.rows.g[end.rows.G.blocks()[i].row] <= controls_.tolerance.activation * gap_size(w, static_cast<int>(i)))
        velocity.L.pick.push_back(static_cast<int>(i));
  }

  SchemeInfo info_;
  double theta_;
  Forecast forecast_;
  Reforecast reforecast_;
  bool collocated_;
  Gradient gradient_;
  Controls controls_;
};

}  // namespace

SchemeEntry moreau_jean() {
  SchemeEntry e;
  e.info = {.name = "moreau-jean",
            .summary = "theta-method with impulses; Newton's law exact at velocity level",
            .reference = "acary-2012 (18), acary-2014 (23)",
            .smooth_order = 2,
            .impact_order = 1,
            .exact_position = false,
            .exact_velocity = true,
            .velocity_rows = true,
            .rolling = true,
            .collision = true};
  e.options = {
      number_option("theta", 0.5, 0, 1, "weight of the end of the step; 1/2: second order in smooth motion"),
      number_option("rho_inf", 1, 0, 1, "spectral radius at infinity instead of theta: theta = 1/(1 + rho_inf)"),
      choice_option("forecast", "explicit", {"explicit", "free", "energy-safe", "semi-implicit", "implicit"},
                    "rule that activates contacts; the two implicit ones are comparisons that cycle"),
      number_option("gamma", 0, 0, 2, "explicit forecast: g + gamma h U"),
      choice_option("gradient", "theta", {"begin", "theta", "end"},
                    "where the impulse direction is taken; theta keeps order 2 with joints"),
      choice_option("form", "integrated", {"integrated", "collocated"},
                    "collocated: bruls-2014 (50), forces at the ends of the steps; explicit forecasts only")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<MoreauJean>(o); };
  // Proposition 1: 1/2 <= theta <= 1/(1 + e)
  e.dissipating = [](double e_max, const std::function<double()>& uniform) -> OptionValues {
    return {{"theta", 0.5 + (1 / (1 + e_max) - 0.5) * uniform()}, {"forecast", std::string("energy-safe")}};
  };
  return e;
}

}  // namespace ricochet
