// The Schatzman-Paoli scheme, theta version with general mass and several contacts (acary-2012 (20)-(22)).
//
//     M(q+)(q+ - 2 q + q_before) + h^2 (convective - f)(t_theta, q_theta, v_theta) = G(q_bar) p,    v+ = (q+ -
//     q_before)/(2h) contacts:   0 <= g(q_bar) ⊥ p >= 0,     q_bar = (q+ + e q_before)/(1 + e), each with its own e
//     joints:     g(q+) = 0, G at q+
//     q_theta = (1-theta) q + theta q+,   v_theta = (1-theta) v + theta v+
//
// The unknown is x = q+ - q. The contact row is multiplied by 1 + e, so that its gradient by x is G(q_bar) itself.
// Contacts enter once they are found violated and stay for the step: the others satisfy their condition with p = 0.
// q_before is kept as a rate w and a curvature b, q_before = q - h w + h^2/2 b: at the start the Taylor expansion with
// w = v and b the acceleration that the joints and the contacts at rest allow, later w = x/h and b = 0, whatever the
// next step's size.
//
// The law of impact is met over several steps, and v+ is centred at t_k: order 1 in smooth motion for every theta, 1 in
// L1 across impacts. Exact in position for the joints and for contacts with e = 0; contacts with e > 0 overlap by O(h),
// and nothing is promised at velocity level. No friction, no rotations.
//
// Energy. With vbar = (v + v+)/2, the impulse P = p/h and the increments x, x_before, the balance over h times vbar
// gives, for a linear system,
//
//     dE = h vbar^T (F + damping)_theta + U_1/2^T P
//        + vbar^T M (v+ - v - (x - x_before)/h) + (x - h vbar)^T K q_theta + (1/2 - theta) |x|_K^2          numerical
#include <algorithm>

#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {
namespace {

enum Memory { kRate = 0, kCurvature = 1 };

/// The constraints that are evaluated at one q_bar.
struct Group {
  double e = 0;
  Rows rows;
  std::size_t taken = 0;  ///< blocks already moved into the stage
};

struct SchatzmanPaoliLocal {
  explicit SchatzmanPaoliLocal(const Model& m)
      : position(m, Level::position),
        x(m.nv()),
        x_before(m.nv()),
        change(m.nv()),
        zero(VectorXd::Zero(m.nv())),
        v_theta(m.nv()),
        mean(m.nv()),
        part(m.nv()),
        q_theta(m.nq()),
        q_bar(m.nq()) {}
  Stage position;
  VectorXd x, x_before, change, zero;  ///< increments, x - x_before (nv)
  VectorXd v_theta, mean, part;        ///< (nv)
  VectorXd q_theta, q_bar;             ///< (nq)
  std::vector<double> e;               ///< by candidate; joints 0
  std::vector<char> violated;
  std::vector<Group> groups;  ///< the first `used`; the others keep their memory
  std::size_t used = 0;
  Rows gaps;
};

class SchatzmanPaoli final : public Scheme {
 public:
  explicit SchatzmanPaoli(const Options& o) : theta_(o.number("theta")), controls_(tolerances(o)) {
    info_ = find_scheme("schatzman-paoli")->info;
    // the unknown is an increment of position: an error of it is one of velocity divided by h
    controls_.tolerance.newton = std::max(1e-3 * controls_.tolerance.newton, 1e-15);
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override { return {"rate_before", "curvature_before"}; }
  void start(const Model& model, State& state, Workspace& w) const override {
    state.memory = {state.v, acceleration(model, state, w)};
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    SchatzmanPaoliLocal& l = w.of<SchatzmanPaoliLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.x_before = h * state.memory[kRate] - h * h / 2 * state.memory[kCurvature];
    l.x = h * state.v;
    prepare(w, h, l);

    Stage& position = l.position;
    position.reset();
    const Point at{state.t + theta_ * h, l.q_theta, l.v_theta};
    const auto place_here = [&] { place(model, state, h, next, l); };
    const auto evaluate_here = [&] {
      evaluate_rows(model, state, next, w, l);
      position.r.setZero();
      model.residual(at, l.zero, h * h, position.r, w.model);
      model.mass_times({next.t, next.q, next.v}, l.change, 1, position.r, w.model);
    };
    const OperatorCache::Coefficients c{1, h * h * theta_, h * theta_ / 2};
    const auto assemble = [&](Operator& S) {
      model.mass({next.t, next.q, next.v}, 1, S, w.model);
      l.part = l.change / (h * h);  // the acceleration, for the part of the tangent that comes from M
      model.tangents(at, l.part, c[1], c[2], S, w.model);
    };
    do {
      pick(w, l);
      report.status =
          newton(model, w, position, controls_, h, l.x, c, model.linear(), place_here, evaluate_here, assemble);
      ++report.activations;
      if (!report.ok()) return;
    } while (find_violated(model, state, next, w, l));

    report.newton = position.passes;
    report.solver = position.solver_iterations;
    report.minimum_norm = position.minimum_norm;
    next.memory[kRate] = l.x / h;
    next.memory[kCurvature].setZero(model.nv());
    position.scatter(w, w.impulse);
    for (int i = 0; i < w.before->rows.G.rows(); ++i) w.impulse[i] /= h;
    end_step(model, state, h, next, w, report);
    report.certificate.complementarity = position.complementarity(l.x) / h;
    audit(model, state, h, next, at, w, l, report);
  }

 private:
  /// M a + convective = f + G lambda with G^T a + bias = 0 for joints, complementary to lambda >= 0 for contacts at
  /// rest.
  VectorXd acceleration(const Model& model, const State& state, Workspace& w) const {
    begin_step(model, state, 0, w);
    Stage stage(model, Level::velocity);
    pick_joints(w, stage.L.pick);
    stage.accelerations = true;
    for (int i = 0; i < static_cast<int>(w.candidates.size()); ++i) {
      const double near = controls_.tolerance.activation * gap_size(w, i);
      if (!w.candidates[i].bilateral() && gap_before(w, i) <= near && std::abs(U_before(w, i)) * w.scale.time <= near)
        stage.L.pick.push_back(i);
    }
    evaluate(model, state.t, state.q, w.candidates, stage.L, w.model);
    const Point at{state.t, state.q, state.v};
    for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
      const Candidate& c = w.candidates[stage.L.pick[k]];
      model.set(c).bias(at, c, c.dim, stage.L.g_t.data() + stage.L.G.blocks()[k].row, w.model.set(c.set));
    }
    VectorXd a = VectorXd::Zero(model.nv());
    stage.r.setZero();
    model.residual(at, a, 1, stage.r, w.model);
    if (stage.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); }))
      stage.solve(model, w, controls_, 0, a);
    return a;
  }

  /// The restitution that each law gives at the beginning of the step.
  static void prepare(const Workspace& w, double h, SchatzmanPaoliLocal& l) {
    const std::size_t n = w.candidates.size();
    l.e.assign(n, 0);
    l.violated.assign(n, 0);
    l.gaps.pick.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Candidate& c = w.candidates[i];
      l.gaps.pick[i] = static_cast<int>(i);
      if (c.bilateral()) continue;
      LocalState local{h, gap_before(w, static_cast<int>(i)), {}, 1};
      local.U_before[0] = U_before(w, static_cast<int>(i));
      l.e[i] = c.law->local(local).restitution;
    }
  }

  void place(const Model& model, const State& s, double h, State& next, SchatzmanPaoliLocal& l) const {
    l.change = l.x - l.x_before;
    next.v = (l.x + l.x_before) / (2 * h);
    l.v_theta = (1 - theta_) * s.v + theta_ * next.v;
    l.part = theta_ * l.x;
    model.retract(s.q, l.x, next.q);
    model.retract(s.q, l.part, l.q_theta);
  }

  /// q_bar = q + (x - e x_before) / (1 + e)
  static void place_bar(const Model& model, const State& s, double e, SchatzmanPaoliLocal& l) {
    l.part = (l.x - e * l.x_before) / (1 + e);
    model.retract(s.q, l.part, l.q_bar);
  }

  /// Joints and violated contacts, and their groups of equal e.
  static void pick(const Workspace& w, SchatzmanPaoliLocal& l) {
    pick_joints(w, l.position.L.pick);
    for (std::size_t i = 0; i < w.candidates.size(); ++i)
      if (l.violated[i]) l.position.L.pick.push_back(static_cast<int>(i));
    l.used = 0;
    for (int i : l.position.L.pick) {
      std::size_t k = 0;
      while (k < l.used && l.groups[k].e != l.e[i]) ++k;
      if (k == l.used) {
        if (++l.used > l.groups.size()) l.groups.emplace_back();
        l.groups[k].e = l.e[i];
        l.groups[k].rows.pick.clear();
      }
      l.groups[k].rows.pick.push_back(i);
    }
  }

  /// (1 + e) g(q_bar) and G(q_bar), each group at its own q_bar, in the order of the stage's pick.
  static void evaluate_rows(const Model& model, const State& s, const State& next, Workspace& w,
                            SchatzmanPaoliLocal& l) {
    for (std::size_t k = 0; k < l.used; ++k) {
      Group& group = l.groups[k];
      place_bar(model, s, group.e, l);
      evaluate(model, next.t, l.q_bar, w.candidates, group.rows, w.model, true);
      group.taken = 0;
    }
    Rows& L = l.position.L;
    L.clear(false);
    for (int i : L.pick) {
      std::size_t k = 0;
      while (l.groups[k].e != l.e[i]) ++k;
      Group& group = l.groups[k];
      const Jacobian& G = group.rows.G;
      const Jacobian::Block& b = G.blocks()[group.taken++];
      double* row = L.G.add(b.dim, G.ranges(b), b.ranges);
      std::copy(G.row(b, 0), G.row(b, 0) + b.dim * b.length, row);
      const auto [g, g_t] = L.values(b.dim);
      for (int j = 0; j < b.dim; ++j) {
        g[j] = (1 + group.e) * group.rows.g[b.row + j];
        g_t[j] = group.rows.g_t[b.row + j];
      }
    }
  }

  /// Contacts that the present x violates and that are not picked yet.
  bool find_violated(const Model& model, const State& s, const State& next, Workspace& w,
                     SchatzmanPaoliLocal& l) const {
    bool found = false;
    double at = -1;
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      if (w.candidates[i].bilateral() || l.violated[i]) continue;
      if (l.e[i] != at) {
        at = l.e[i];
        place_bar(model, s, at, l);
        evaluate(model, next.t, l.q_bar, w.candidates, l.gaps, w.model, true);
      }
      if (l.gaps.g[l.gaps.G.blocks()[i].row] >= 0) continue;
      l.violated[i] = 1;
      found = true;
    }
    return found;
  }

  void audit(const Model& model, const State& s, double h, const State& next, const Point& at, Workspace& w,
             SchatzmanPaoliLocal& l, StepReport& report) const {
    EnergyLedger& e = report.energy;
    l.mean = 0.5 * (s.v + next.v);
    const Power power = model.power(at, l.mean, w.model);
    e.external += h * (power.external + power.potential_rate);
    e.damping += h * power.damping;
    const double before = e.joints + e.impact + e.friction + e.external;
    book_contact_work(w, report);
    const double booked = e.joints + e.impact + e.friction + e.external - before;

    VectorXd& y = w.audit;
    const Point end{next.t, next.q, next.v};
    y.setZero(model.nv());
    l.part = next.v - s.v - l.change / h;
    model.mass_times(end, l.part, 1, y, w.model);
    const double kinetic = l.mean.dot(y);
    l.part = l.x - h * l.mean;
    const double weight = 0.5 - theta_;
    const double potential = -model.power(at, l.part, w.model).potential +
                             (weight != 0 ? weight * model.potential_curvature(at, l.x, w.model) : 0);
    e.numerical += kinetic + potential;

    const double residual = l.mean.dot(l.position.r) / h;
    const double work = residual + h * (power.external + power.damping + power.potential);
    double reaction = 0;
    for (const Jacobian::Block& b : l.position.L.G.blocks())
      for (int i = 0; i < b.dim; ++i)
        reaction += l.position.p()[b.row + i] / h * l.position.L.G.row_times(b, i, l.mean);
    e.nonlinear_remainder +=
        (e.kinetic - e.kinetic_before - work - kinetic) +
        (e.potential - e.potential_before + h * (power.potential - power.potential_rate) - potential) +
        (reaction - booked);
    e.defect = e.change() - e.sum();
    report.certificate.energy_defect = std::abs(e.defect);
  }

  SchemeInfo info_;
  double theta_;
  Controls controls_;
};

}  // namespace

SchemeEntry schatzman_paoli() {
  SchemeEntry e;
  e.info = {.name = "schatzman-paoli",
            .summary = "second differences of the position; joints exact in position, contacts too where e = 0",
            .reference = "acary-2012 (20)-(22)",
            .smooth_order = 1,
            .impact_order = 1,
            .exact_position = false,
            .exact_velocity = false,
            .friction = false,
            .rotations = false,
            .step_control = false};
  e.options = {number_option("theta", 0.5, 0, 1, "weight of the end of the step in the forces")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<SchatzmanPaoli>(o); };
  return e;
}

}  // namespace ricochet
