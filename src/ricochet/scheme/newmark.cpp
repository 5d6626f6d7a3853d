// The nonsmooth Newmark family, constraints at velocity level: newmark, hht, generalized-alpha, generalized-alpha-kh
// (acary-2014 (27)-(32), lecture (68)-(74)).
//
//     M(q+) v~'+ + convective - f(t+, q+, v+) = G_J lambda~,      G_J^T v~ + dg_J/dt = 0
//     M(q+) w = G_J Lambda + G P,                                 G_J^T w = 0
//     q+ = q ⊕ (x~ + h/2 w),   v+ = v~ + w                        with x~, v~ of alpha.hpp
//     contacts that the forecast closes:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*;   others P = 0
//
// The joints' reaction belongs to the smooth motion (an impulse of all joints in w, at G(q+), would be of order 1); at
// an impact Lambda keeps w on the joints.
//
// generalized-alpha-kh filters the stiffness alone, (32) with its sign corrected. With the filter force e,
//
//     M a+ + convective - f = G_J lambda + e+,
//     (1 - alpha_m) e+ + alpha_m e = (alpha_f - alpha_m) (grad V+ - grad V),
//
// it is Newmark's scheme with one more force; grad V is K q where the system is linear, all else is load.
//
// One stage. With v~ = v+ - w the dynamics divided by c_M / h become
//
//     h/c_M (M vhat' + convective - f - e+)(q+, v+) = G_J P_J + G P,      vhat' = c_M/h (v+ - v0),
//     S = M + h/c_M C + kappa h^2 beta/(gamma c_M) K,      h lambda~ = c_M (P_J - Lambda),      M w = G_J Lambda + G P
//
// (kappa = 1; kh: (1-alpha_f)/(1-alpha_m)). Only q+ = q ⊕ (x0 + h beta/gamma (v+ - v0) + h (1/2 - beta/gamma) w) still
// contains w: D = G + kappa h^2 (beta/gamma - 1/2)/c_M K w/P. On linear systems that is exact, one pass, D and w/P kept
// from step to step; elsewhere D = G and the loop repairs it, contracting by |1 - gamma/(2 beta)| at most (0 for
// gamma = 2 beta, 0.01 for rho_inf = 0.8, 1/4 for rho_inf = 0).
//
// Orders: 2 in smooth motion if gamma = 1/2 + alpha_f - alpha_m, else 1; kh: 2 without damping and under constant load,
// else 1. 1 in L1 across impacts. Exact at velocity level, not in position.
//
// Energy: alpha_ledger.hpp; for gamma = 1/2, beta = 1/4 and no filter nothing is numerical. The algorithmic energy H,
// which the energy-safe forecast never lets grow by more than the works within 2 beta >= gamma >= 1/2 and
// 0 <= eta <= gamma - 1/2 <= nu: newmark.hpp.
#include "ricochet/scheme/newmark.hpp"

#include <algorithm>

#include "ricochet/scheme/pieces/alpha_ledger.hpp"
#include "ricochet/scheme/pieces/forecast.hpp"
#include "ricochet/scheme/pieces/newton.hpp"

namespace ricochet {
namespace {

/// Places in the memory; kAcceleration holds v~', or the filter force e of kh.
enum { kFilterForce = kAcceleration, kFilter = 2 };

struct NewmarkLocal {
  explicit NewmarkLocal(const Model& m)
      : velocity(m, Level::velocity),
        jump(m, Level::velocity),
        motion(m),
        ledger(m),
        w(VectorXd::Zero(m.nv())),
        x(m.nv()),
        a(m.nv()),
        filter_force(VectorXd::Zero(m.nv())),
        gradient(m.nv()),
        unit(VectorXd::Zero(m.nv())),
        scratch(m.nv()),
        zero_q(VectorXd::Zero(m.nq())),
        zero(VectorXd::Zero(m.nv())) {}
  Stage velocity;  ///< all of it
  Stage jump;      ///< M w = G_J Lambda + G P
  AlphaMotion motion;
  AlphaLedger ledger;
  VectorXd w, x, a;  ///< jump, total increment, vhat' (nv)
  Buffer Lambda;     ///< impulses of the joints (joint_rows)
  Buffer beside;     ///< (1 - c_M) Lambda: h lambda~ + Lambda = c_M P_J + (1 - c_M) Lambda
  int joint_rows = 0, contact_rows = 0;
  VectorXd filter_force, gradient, unit, scratch;  ///< e+, grad V of the beginning, ... (nv)
  VectorXd zero_q, zero;
  // linear systems: w and Lambda of unit impulses, and what D was made for
  std::vector<int> kept_pick;
  double kept_k = 0;
  MatrixXd w_of, Lambda_of;
};

/// out = K x of a linear system.
void stiffness_times(const Model& model, double t, ConstView x, NewmarkLocal& l, VectorXd& out, Workspace& w) {
  out.setZero();
  model.residual({t, x, l.zero}, l.zero, 1, out, w.model);
  model.residual({t, l.zero_q, l.zero}, l.zero, -1, out, w.model);
}

/// out = grad V, coordinate by coordinate.
void potential_gradient(const Model& model, const Point& at, NewmarkLocal& l, VectorXd& out, Workspace& w) {
  for (Index i = 0; i < out.size(); ++i) {
    l.unit[i] = 1;
    out[i] = -model.power(at, l.unit, w.model).potential;
    l.unit[i] = 0;
  }
}

class Newmark final : public Scheme {
 public:
  Newmark(const std::string& name, const Options& o)
      : member_(newmark_member(name, o)),
        c_(member_.stiffness_only ? AlphaCoefficients{0, 0, member_.c.gamma, member_.c.beta} : member_.c),
        kappa_(member_.stiffness_only ? (1 - member_.c.alpha_f) / (1 - member_.c.alpha_m) : 1),
        share_(0.5 - c_.beta / c_.gamma),
        forecast_({forecast_options(), {{"forecast", o.choice("forecast")}, {"gamma", o.number("forecast_gamma")}}},
                  0.5),
        controls_(tolerances(o)) {
    info_ = find_scheme(name)->info;
    const AlphaCoefficients& c = member_.c;
    const double eta = c.alpha_f - c.alpha_m;
    const bool second = std::abs(c.gamma - 0.5 - eta) < 1e-14;
    info_.smooth_order = second && (!member_.stiffness_only || eta == 0) ? 2 : 1;
    info_.holds_closed = forecast_.holds_closed();
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override {
    return {"a", member_.stiffness_only ? "filter_force" : "dv_smooth", "filter"};
  }
  void start(const Model& model, State& state, Workspace& w) const override {
    start_acceleration(model, state, w, controls_);
    if (member_.stiffness_only) state.memory[kFilterForce].setZero();
    state.memory.push_back(VectorXd::Zero(model.nv()));
  }
  double energy(const Model& model, const State& state, double h, Workspace& w) const override {
    return algorithmic_energy(model, member_, state, h, w.model);
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    NewmarkLocal& l = w.of<NewmarkLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.motion.predict(c_, state, h);
    next.v += h * state.memory[kPseudoAcceleration];
    if (member_.stiffness_only && !model.linear())
      potential_gradient(model, {state.t, state.q, state.v}, l, l.gradient, w);

    l.velocity.reset();
    pick_velocity_rows(w, l.velocity.L.pick);
    if (forecast_.needs_free_velocity() && l.velocity.L.pick.size() < w.candidates.size()) {
      if (!solve(model, state, h, next, w, l, report)) return;
      l.velocity.reset();
    }
    forecast_.activate(h, next.v, controls_.tolerance.activation, w, l.velocity.L.pick);
    l.velocity.warm_start(state, h, w);
    if (!solve(model, state, h, next, w, l, report)) return;

    l.motion.v = next.v - l.w;
    l.motion.follow(c_, h);
    l.motion.finish(c_, next);
    if (member_.stiffness_only) next.memory[kFilterForce] = l.filter_force;
    const double alpha_m = member_.c.alpha_m;
    next.memory[kFilter] = (l.x - alpha_m * state.memory[kFilter]) / (1 - alpha_m);
    scatter(h, w, l);
    end_step(model, state, h, next, w, report);
    audit(model, state, h, next, w, l, report);
  }

 private:
  bool solve(const Model& model, const State& state, double h, State& next, Workspace& w, NewmarkLocal& l,
             StepReport& report) const {
    Stage& velocity = l.velocity;
    const double c_C = h / c_.c_M(), c_K = kappa_ * c_C * h * c_.beta / c_.gamma;
    const Point end{next.t, next.q, next.v};
    bool regular = true;
    l.w.setZero();
    l.joint_rows = l.contact_rows = 0;
    for (int i : velocity.L.pick) (w.candidates[i].bilateral() ? l.joint_rows : l.contact_rows) += w.candidates[i].dim;
    l.Lambda.zeros(l.joint_rows);
    velocity.collocated = !model.linear() || share_ == 0 || l.contact_rows == 0;

    const auto place_here = [&] {
      if (model.linear()) jump_kept(l);
      place(model, state, h, next, l);
    };
    const auto evaluate_here = [&] {
      evaluate(model, next.t, next.q, w.candidates, velocity.L, w.model);
      if (model.linear()) {
        regular = regular && keep(model, next, h, w, l);
      } else if (share_ != 0 || velocity.renews()) {  // what rubs on joints asks for their impulses
        regular = regular && settle(model, state, h, next, w, l);
      }
      if (w.velocity_rows) follow_load(l);
      velocity.r.setZero();
      model.residual(end, l.a, c_C, velocity.r, w.model);
      if (!member_.stiffness_only) return;
      follow_filter(model, state, end, w, l);
      velocity.r -= c_C * l.filter_force;
    };
    const double follow = h * c_.beta / c_.gamma;
    velocity.bending = {follow, follow, next.t, next.q, end};
    report.status = newton(model, w, velocity, controls_, h, next.v, {1, c_K, c_C}, model.linear(), place_here,
                           evaluate_here, [&](Operator& S) {
                             model.mass(end, 1, S, w.model);
                             model.tangents(end, l.a, c_K, c_C, S, w.model);
                           });
    if (report.ok() && !model.linear() && share_ == 0) regular = jump(model, next, w, l);
    if (!regular) report.status = StepStatus::singular;
    report.newton += velocity.passes;
    report.solver += velocity.solver_iterations;
    report.minimum_norm = report.minimum_norm || velocity.minimum_norm;
    ++report.activations;
    return report.ok();
  }

  /// What the joints carry in all, for rows that rub on them.
  void follow_load(NewmarkLocal& l) const {
    double* beside = l.beside.need(l.joint_rows);
    for (int i = 0; i < l.joint_rows; ++i) beside[i] = (1 - c_.c_M()) * l.Lambda[i];
    l.velocity.load_factor = c_.c_M();
    l.velocity.load_beside = beside;
  }

  void place(const Model& model, const State& state, double h, State& next, NewmarkLocal& l) const {
    const AlphaMotion& m = l.motion;
    const double follow = h * c_.beta / c_.gamma, rate = c_.c_M() / h;
    for (Index i = 0; i < l.x.size(); ++i) {
      const double dv = next.v[i] - m.v0[i];
      l.x[i] = m.x0[i] + follow * dv + h * share_ * l.w[i];
      l.a[i] = rate * dv;
    }
    model.retract(state.q, l.x, next.q);
  }

  /// w and Lambda for the present impulses, rows and mass. False: M has no inverse, also not with the joints.
  bool jump(const Model& model, const State& next, Workspace& w, NewmarkLocal& l) const {
    l.w.setZero();
    l.Lambda.zeros(l.joint_rows);
    if (l.contact_rows == 0 || l.velocity.passes == 0) return true;
    if (!begin_jump(model, next, w, l)) return false;
    const Jacobian& G = l.velocity.L.G;
    for (const Jacobian::Block& b : G.blocks())
      if (b.row >= l.joint_rows) G.add_block_times(b, -1, l.velocity.p() + b.row, l.jump.r);
    l.jump.solve(model, w, controls_, 0, l.w);
    std::copy(l.jump.p(), l.jump.p() + l.joint_rows, l.Lambda.data());
    return true;
  }
  bool begin_jump(const Model& model, const State& next, Workspace& w, NewmarkLocal& l) const {
    l.jump.reset();
    pick_joints(w, l.jump.L.pick);
    evaluate(model, next.t, next.q, w.candidates, l.jump.L, w.model);
    l.jump.L.g_t.zeros(l.joint_rows);  // rows of a difference of velocities
    l.jump.r.setZero();
    const Point at{next.t, next.q, next.v};
    return l.jump.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); });
  }

  /// Linear systems: w and Lambda of unit impulses, and D. They depend on the pick and on h alone.
  bool keep(const Model& model, const State& next, double h, Workspace& w, NewmarkLocal& l) const {
    Stage& velocity = l.velocity;
    const double k = -kappa_ * h * h * share_ / c_.c_M();
    if (l.contact_rows == 0 || (l.kept_pick == velocity.L.pick && l.kept_k == k)) return true;
    l.kept_pick.clear();
    if (!begin_jump(model, next, w, l)) return false;
    const int n = model.nv();
    l.w_of.setZero(n, l.contact_rows);
    l.Lambda_of.setZero(l.joint_rows, l.contact_rows);
    velocity.D.G.clear();
    for (const Jacobian::Block& b : velocity.L.G.blocks()) {
      double* D = velocity.D.G.add(b.dim, {0, n});
      for (int i = 0; i < b.dim; ++i, D += n) {
        VectorXd& g = l.scratch;
        g.setZero();
        const double* entry = velocity.L.G.row(b, i);
        for (int r = 0; r < b.ranges; ++r)
          for (int j = 0; j < velocity.L.G.ranges(b)[r].n; ++j) g[velocity.L.G.ranges(b)[r].at + j] = *entry++;
        copy(g, D);
        if (b.row < l.joint_rows) continue;
        const int column = b.row + i - l.joint_rows;
        l.jump.r = -g;
        View x(l.w_of.data() + column * n, n);
        l.jump.solve(model, w, controls_, 0, x);
        std::copy(l.jump.p(), l.jump.p() + l.joint_rows, l.Lambda_of.data() + column * l.joint_rows);
        stiffness_times(model, next.t, x, l, g, w);
        for (int j = 0; j < n; ++j) D[j] += k * g[j];
      }
    }
    l.kept_pick = velocity.L.pick;
    l.kept_k = k;
    return true;
  }
  void jump_kept(NewmarkLocal& l) const {
    if (l.contact_rows == 0 || l.velocity.passes == 0) return;
    const Eigen::Map<const VectorXd> P(l.velocity.p() + l.joint_rows, l.contact_rows);
    l.w.noalias() = l.w_of * P;
    Eigen::Map<VectorXd>(l.Lambda.need(l.joint_rows), l.joint_rows).noalias() = l.Lambda_of * P;
  }

  /// Rows and mass at q+ make w, and w moves q+: repeated until q+ stays where it is.
  bool settle(const Model& model, const State& state, double h, State& next, Workspace& w, NewmarkLocal& l) const {
    if (l.contact_rows == 0 || l.velocity.passes == 0) return true;
    for (int k = 0; k < 20; ++k) {
      l.scratch = l.w;
      if (!jump(model, next, w, l)) return false;
      l.scratch -= l.w;
      const double moved = h * std::abs(share_) * w.scale.of_position(l.scratch);
      if (moved <= 1e-15 * configuration_size(model, next.q, w)) return true;
      place(model, state, h, next, l);
      evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    }
    return true;  // what is left shows as a residual
  }

  /// e+ of kh for the present end.
  void follow_filter(const Model& model, const State& state, const Point& end, Workspace& w, NewmarkLocal& l) const {
    const double eta = member_.c.alpha_f - member_.c.alpha_m, alpha_m = member_.c.alpha_m;
    if (model.linear()) {
      stiffness_times(model, end.t, l.x, l, l.filter_force, w);
    } else {
      potential_gradient(model, end, l, l.filter_force, w);
      l.filter_force -= l.gradient;
    }
    l.filter_force = (eta * l.filter_force - alpha_m * state.memory[kFilterForce]) / (1 - alpha_m);
  }

  void scatter(double h, Workspace& w, const NewmarkLocal& l) const {
    const Stage& velocity = l.velocity;
    velocity.describe(w);
    for (std::size_t k = 0; k < velocity.L.pick.size(); ++k) {
      const int row = w.before->rows.G.blocks()[velocity.L.pick[k]].row;
      const Jacobian::Block& b = velocity.L.G.blocks()[k];
      for (int i = 0; i < b.dim; ++i) {
        const double p = velocity.p()[b.row + i];
        if (b.row >= l.joint_rows) {
          w.impulse[row + i] = p;
        } else {
          w.impulse[row + i] = l.Lambda[b.row + i];
          w.smooth[row + i] = c_.c_M() / h * (p - l.Lambda[b.row + i]);
        }
      }
    }
  }

  void audit(const Model& model, const State& state, double h, const State& next, Workspace& w, NewmarkLocal& l,
             StepReport& report) const {
    EnergyLedger& e = report.energy;
    l.ledger.open(model, c_, member_.stiffness_only, state, h, next, w, e);
    const double booked = l.ledger.contacts(w, report);
    const Jacobian& G = l.velocity.L.G;
    double smooth = 0, impulses = 0;
    for (const Jacobian::Block& b : G.blocks())
      for (int i = 0; i < b.dim; ++i) {
        const double P = l.velocity.p()[b.row + i], U = G.row_times(b, i, l.ledger.mean);
        const bool joint = b.row < l.joint_rows;
        if (joint) smooth += c_.c_M() * (P - l.Lambda[b.row + i]) * U;
        impulses += (joint ? l.Lambda[b.row + i] : P) * U;
      }
    if (l.joint_rows > 0) {
      l.ledger.reaction_begin(model, state, w);
      l.ledger.joints(model, state, w.smooth.data(), smooth, w, e);
    }
    l.ledger.close(model, state, next, impulses - booked, w, report);
  }

  SchemeInfo info_;
  NewmarkMember member_;
  AlphaCoefficients c_;  ///< of the motion: kh moves as newmark
  double kappa_;         ///< share of the stiffness that is felt at the end of the step, kh
  double share_;         ///< of h w in the position, beside what follows v+
  Forecast forecast_;
  Controls controls_;
};

struct Text {
  const char *name, *summary, *reference;
};

SchemeEntry entry(const Text& text, int order, std::vector<OptionInfo> own,
                  std::unique_ptr<Scheme> (*make)(const Options&),
                  OptionValues (*dissipating)(double, const std::function<double()>&)) {
  SchemeEntry e;
  e.info = {.name = text.name,
            .summary = text.summary,
            .reference = text.reference,
            .smooth_order = order,
            .impact_order = 1,
            .exact_position = false,
            .exact_velocity = true,
            .velocity_rows = true,
            .rolling = true,
            .holds_closed = false};
  e.options = std::move(own);
  e.options.push_back(choice_option(
      "forecast", "energy-safe", {"explicit", "free", "energy-safe"},
      "rule that activates contacts; energy-safe, acary-2014 (26), chatters at rest with e > 0, explicit rests"));
  e.options.push_back(number_option("forecast_gamma", 0, 0, 2, "explicit forecast: g + forecast_gamma h U"));
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = make;
  e.dissipating = dissipating;
  return e;
}

// The ranges of Propositions 2 to 4; energy-safe is the default forecast. gamma >= 1/2 and 2 beta >= gamma:
OptionValues dissipating_newmark(double, const std::function<double()>& uniform) {
  const double gamma = 0.5 + 0.6 * uniform();
  return {{"gamma", gamma}, {"beta", gamma / 2 + 0.3 * uniform()}};
}
OptionValues dissipating_hht(double, const std::function<double()>& uniform) { return {{"alpha", uniform() / 3}}; }
/// (75): 0 <= alpha_f - alpha_m <= gamma - 1/2 <= 1/2 - alpha_m, 2 beta >= gamma; or the spectral radius.
OptionValues dissipating_alpha(double, const std::function<double()>& uniform) {
  if (uniform() < 0.5) return {{"rho_inf", std::min(1.0, 1.2 * uniform())}};
  const double alpha_m = 0.5 - uniform(), nu = 0.5 - alpha_m, eta = std::max(nu * uniform(), -alpha_m);
  const double gamma = 0.5 + eta + (nu - eta) * uniform();
  return {{"alpha_m", alpha_m}, {"alpha_f", alpha_m + eta}, {"gamma", gamma}, {"beta", gamma / 2 + 0.3 * uniform()}};
}

OptionInfo gamma_option(double fallback, const std::string& rule) {
  return number_option("gamma", fallback, 0.05, 2, "weight of the end in the velocity; not given: " + rule);
}
OptionInfo beta_option(double fallback, const std::string& rule) {
  return number_option("beta", fallback, 0, 2, "weight of the end in the position; not given: " + rule);
}
constexpr const char* kBetaRule = "(gamma + 1/2)^2/4";
constexpr const char* kGammaRule = "1/2 + alpha_f - alpha_m, second order";

}  // namespace

double algorithmic_energy(const Model& model, const NewmarkMember& member, const State& state, double h,
                          ModelScratch& scratch) {
  const AlphaCoefficients& c = member.c;
  const Point at{state.t, state.q, state.v};
  const double nu = 0.5 - c.alpha_m, eta = c.alpha_f - c.alpha_m;
  const VectorXd& a = state.memory[kPseudoAcceleration];
  VectorXd Ma = VectorXd::Zero(model.nv());
  model.mass_times(at, a, 1, Ma, scratch);
  const Energies energies = model.energies(at, scratch);
  return energies.kinetic + energies.potential + h * h / 4 * (2 * c.beta - c.gamma) * a.dot(Ma) +
         eta / 2 * (nu - c.gamma + 0.5) * model.potential_curvature(at, state.memory[kFilter], scratch);
}

SchemeEntry newmark() {
  return entry(
      {"newmark", "nonsmooth Newmark: smooth motion by Newmark, impacts by impulses at velocity level",
       "acary-2014 (27)-(30), lecture (52)-(57)"},
      2,
      {gamma_option(0.5, "1/2"), beta_option(0.25, std::string("1/4, or with gamma given ") + kBetaRule),
       choice_option("preset", "average-acceleration",
                     {"average-acceleration", "central-difference", "linear-acceleration", "fox-goodwin"},
                     "gamma = 1/2 with beta = 1/4, 0 (explicit), 1/6, 1/12; not with gamma or beta")},
      [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Newmark>("newmark", o); },
      dissipating_newmark);
}

SchemeEntry hht() {
  return entry(
      {"hht", "nonsmooth Hilber-Hughes-Taylor: Newmark that damps high frequencies at order 2",
       "acary-2014 (27), (77)"},
      2,
      {number_option("alpha", 0.1, 0, 1.0 / 3, "alpha_f: 0 conserves, 1/3 damps most"),
       gamma_option(0.6, "1/2 + alpha"), beta_option(0.3025, kBetaRule)},
      [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Newmark>("hht", o); }, dissipating_hht);
}

SchemeEntry generalized_alpha() {
  return entry(
      {"generalized-alpha", "nonsmooth generalized-alpha with constraints at velocity level", "acary-2014 (27)-(29)"},
      2,
      {number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies"),
       number_option("alpha_m", 0, -1, 0.9, "weight of the past in the inertia; instead of rho_inf"),
       number_option("alpha_f", 0, 0, 0.9, "weight of the past in the forces; instead of rho_inf"),
       gamma_option(0.6, kGammaRule), beta_option(0.3, kBetaRule)},
      [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Newmark>("generalized-alpha", o); },
      dissipating_alpha);
}

SchemeEntry generalized_alpha_kh() {
  return entry(
      {"generalized-alpha-kh",
       "Krenk and Høgsberg's generalized-alpha: filters the stiffness alone and dissipates for certain; order 2 "
       "only without damping and under constant load",
       "acary-2014 (32)"},
      1,
      {number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies"),
       choice_option("preset", "chung-hulbert", {"chung-hulbert", "hht-1977", "wood-bossak-zienkiewicz"},
                     "by rho_inf; hht-1977: alpha_m = 0, alpha_f (0.1); wood-bossak-zienkiewicz: alpha_f = 0, "
                     "alpha_m (-0.1)"),
       number_option("alpha_m", 0, -1, 0.9, "weight of the past in inertia, damping and load; instead of rho_inf"),
       number_option("alpha_f", 0, 0, 0.9, "weight of the past in the stiffness; instead of rho_inf"),
       gamma_option(0.6, kGammaRule), beta_option(0.3, kBetaRule)},
      [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Newmark>("generalized-alpha-kh", o); },
      dissipating_alpha);
}

}  // namespace ricochet
