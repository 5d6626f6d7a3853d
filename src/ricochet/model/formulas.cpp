#include "ricochet/model/formulas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "ricochet/math/expression/tape.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

// Variables of every graph: q at 0, v at kMost, t at 2 kMost, then the extra vector (accelerations) of the tangent
// tape. Indices are fixed before the number of coordinates is known; tapes see them renumbered to q, v, t, extra
// without gaps.
constexpr int kMost = 1000;
constexpr int kTime = 2 * kMost, kExtra = 2 * kMost + 1;

/// A tape with its work array and the inputs of its last run.
class Cached {
 public:
  explicit Cached(const Tape& tape) : tape_(&tape), work_(tape.work_size()) { tape.prepare(work_.data()); }

  /// Outputs at (q, v, t, extra); run only if the inputs changed by a bit.
  const double* operator()(ConstView q, ConstView v, double t, ConstView extra = {}) {
    double* in_q = tape_->input(work_.data());
    double* in_v = in_q + q.size();
    double* in_t = in_v + v.size();
    const bool same = fresh_ && same_bits(q, {in_q, q.size()}) && same_bits(v, {in_v, v.size()}) &&
                      same_bits(t, *in_t) && same_bits(extra, {in_t + 1, extra.size()});
    if (!same) {
      copy(q, in_q);
      copy(v, in_v);
      *in_t = t;
      copy(extra, in_t + 1);
      tape_->run(work_.data());
      fresh_ = true;
    }
    return tape_->output(work_.data());
  }

 private:
  const Tape* tape_;
  std::vector<double> work_;
  bool fresh_ = false;
};

/// Renumbers variables to n positions, as many velocities (or none), the time, extra ones, and compiles.
Tape compile(Graph& graph, std::vector<NodeId> outputs, int n, int velocities, int extra) {
  for (NodeId& node : outputs) {
    const auto move = [&](int from, int to) {
      if (from != to && graph.depends_on(node, from)) node = graph.substitute(node, from, graph.variable(to));
    };
    for (int i = 0; i < velocities; ++i) move(kMost + i, n + i);
    move(kTime, n + velocities);
    for (int i = 0; i < extra; ++i) move(kExtra + i, n + velocities + 1 + i);
  }
  return Tape(graph, outputs, n + velocities + 1 + extra);
}

bool all_constant(const Graph& graph, const std::vector<NodeId>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId n) { return graph.is_constant(n); });
}

class FormulaSubsystem final : public Subsystem {
 public:
  FormulaSubsystem(Graph& graph, std::vector<std::string> names, NodeId T, NodeId V, const std::vector<NodeId>& forces)
      : names_(std::move(names)), n_(static_cast<int>(names_.size())) {
    std::vector<NodeId> mass, bias, power, tangents, hessian;
    std::vector<NodeId> residual(n_);
    // T = v^T M v / 2 + b^T v + T0, and with it, written so that like terms cancel,
    // convective_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k + sum_j (dM_ij/dt + db_i/dq_j - db_j/dq_i) v_j
    //                + db_i/dt - dT0/dq_i
    const auto at_rest = [&](NodeId node) {
      for (int k = 0; k < n_; ++k) node = graph.substitute(node, kMost + k, graph.constant(0));
      return node;
    };
    std::vector<NodeId> M(n_ * n_), b(n_), v(n_);
    const NodeId T0 = at_rest(T);
    for (int i = 0; i < n_; ++i) {
      const NodeId p = graph.derivative(T, kMost + i);  // momentum
      b[i] = at_rest(p);
      v[i] = graph.variable(kMost + i);
      for (int j = 0; j < n_; ++j) M[i * n_ + j] = graph.derivative(p, kMost + j);
    }
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j <= i; ++j) mass.push_back(M[i * n_ + j]);
      NodeId c = graph.sub(graph.derivative(b[i], kTime), graph.derivative(T0, i));
      NodeId inertia = graph.constant(0);
      for (int j = 0; j < n_; ++j) {
        NodeId linear = graph.add(graph.derivative(M[i * n_ + j], kTime),
                                  graph.sub(graph.derivative(b[i], j), graph.derivative(b[j], i)));
        for (int k = 0; k < n_; ++k)
          linear = graph.add(linear, graph.mul(graph.sub(graph.derivative(M[i * n_ + j], k),
                                                         graph.scale(0.5, graph.derivative(M[j * n_ + k], i))),
                                               v[k]));
        c = graph.add(c, graph.mul(linear, v[j]));
        inertia = graph.add(inertia, graph.mul(M[i * n_ + j], graph.variable(kExtra + j)));
      }
      bias.push_back(graph.add(graph.sub(c, forces[i]), graph.derivative(V, i)));
      residual[i] = graph.add(inertia, bias.back());
    }
    for (const NodeId m : mass)
      for (int k = 0; k < n_; ++k)
        if (!graph.is_zero(graph.derivative(m, kMost + k)))
          throw InputError("",
                           fmt::format("the kinetic energy is not quadratic in the velocities ({}' enters the mass); "
                                       "give a polynomial of degree 2 in them",
                                       names_[k]));
    for (int i = 0; i < n_; ++i) power.push_back(at_rest(forces[i]));              // external
    for (int i = 0; i < n_; ++i) power.push_back(graph.sub(forces[i], power[i]));  // damping
    for (int i = 0; i < n_; ++i) power.push_back(graph.derivative(V, i));
    power.push_back(graph.derivative(V, kTime));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) tangents.push_back(graph.derivative(residual[i], j));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) tangents.push_back(graph.derivative(bias[i], kMost + j));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) hessian.push_back(graph.derivative(graph.derivative(V, i), j));
    constancy_.mass = all_constant(graph, mass);
    constancy_.linear = constancy_.mass && all_constant(graph, tangents);
    no_tangents_ = constancy_.linear &&
                   std::all_of(tangents.begin(), tangents.end(), [&](NodeId node) { return graph.is_zero(node); });
    std::vector<NodeId> dynamics = mass;
    dynamics.insert(dynamics.end(), bias.begin(), bias.end());
    dynamics.insert(dynamics.end(), power.begin(), power.end());
    dynamics_ = compile(graph, dynamics, n_, n_, 0);
    energy_ = compile(graph, {T, V}, n_, n_, 0);
    tangents_ = compile(graph, tangents, n_, n_, n_);
    hessian_ = compile(graph, hessian, n_, 0, 0);
  }

  int nq() const override { return n_; }
  int nv() const override { return n_; }
  std::vector<std::string> position_names() const override { return names_; }
  std::vector<std::string> velocity_names() const override { return names_; }
  Constancy constancy() const override { return constancy_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(*this); }

  void mass(const Point& at, double c, Segment S, Scratch& s) const override {
    const double* m = of(s).dynamics(at.q, at.v, at.t);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j <= i; ++j, ++m) {
        if (*m == 0) continue;
        S.add(i, j, c * *m);
        if (i != j) S.add(j, i, c * *m);
      }
  }
  void mass_times(const Point& at, ConstView w, double c, View y, Scratch& s) const override {
    add_mass(of(s).dynamics(at.q, at.v, at.t), w, c, y);
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch& s) const override {
    const double* m = of(s).dynamics(at.q, at.v, at.t);
    add_mass(m, a, c, y);
    m += n_ * (n_ + 1) / 2;
    for (int i = 0; i < n_; ++i) y[i] += c * m[i];
  }
  void momentum_balance(const Motion& m, View y, Scratch& s) const override {
    FormulaSubsystem::residual(m.at_theta(), m.a, m.h, y, s);
  }
  void tangents(const Point& at, ConstView a, double c_K, double c_C, Segment S, Scratch& s) const override {
    if (no_tangents_) return;
    const double* k = of(s).tangents(at.q, at.v, at.t, a);
    const double* d = k + n_ * n_;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j, ++k, ++d) S.add(i, j, c_K * *k + c_C * *d);
  }
  Energies energies(const Point& at, Scratch& s) const override {
    const double* e = of(s).energy(at.q, at.v, at.t);
    return {e[0], e[1]};
  }
  Power power(const Point& at, ConstView w, Scratch& s) const override {
    const double* f = of(s).dynamics(at.q, at.v, at.t) + n_ * (n_ + 1) / 2 + n_;
    Power p;
    for (int i = 0; i < n_; ++i) {
      p.external += w[i] * f[i];
      p.damping += w[i] * f[n_ + i];
      p.potential -= w[i] * f[2 * n_ + i];
    }
    p.potential_rate = f[3 * n_];
    return p;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch& s) const override {
    const double* H = of(s).hessian(at.q, {}, at.t);
    double sum = 0;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) sum += w[i] * *H++ * w[j];
    return sum;
  }

 private:
  struct Work final : Scratch {
    explicit Work(const FormulaSubsystem& f)
        : dynamics(f.dynamics_), energy(f.energy_), tangents(f.tangents_), hessian(f.hessian_) {}
    Cached dynamics, energy, tangents, hessian;
  };
  static Work& of(Scratch& s) { return static_cast<Work&>(s); }
  void add_mass(const double* m, ConstView w, double c, View y) const {
    for (int i = 0; i < n_; ++i) {
      double s = 0;
      for (int j = 0; j < i; ++j, ++m) {
        s += *m * w[j];
        y[j] += c * *m * w[i];
      }
      y[i] += c * (s + *m++ * w[i]);
    }
  }

  std::vector<std::string> names_;
  int n_;
  Constancy constancy_;
  bool no_tangents_ = false;
  // M (lower triangle by rows), convective - f; external forces, damping, grad V, dV/dt: the ledger asks for these
  // where the dynamics were evaluated last, and they share most of their operations
  Tape dynamics_;
  Tape energy_;    // T, V
  Tape tangents_;  // d(M a + convective - f)/dq, d(convective - f)/dv
  Tape hessian_;   // of V
};

class FormulaConstraints final : public ConstraintSet {
 public:
  FormulaConstraints(Graph& graph, std::vector<FormulaBuilder::Item> items, int n, int first_q, int first_v)
      : items_(std::move(items)), n_(n), first_q_(first_q), first_v_(first_v) {
    std::vector<NodeId> values, gradients, rates, hessians;
    int row = 0;
    for (const auto& item : items_) {
      first_row_.push_back(row);
      for (NodeId g : item.rows) {
        values.push_back(g);
        values.push_back(graph.derivative(g, kTime));
        NodeId U = graph.derivative(g, kTime);
        for (int j = 0; j < n; ++j) {
          const NodeId G = graph.derivative(g, j);
          gradients.push_back(G);
          U = graph.add(U, graph.mul(G, graph.variable(kMost + j)));
          for (int k = 0; k < n; ++k) hessians.push_back(graph.derivative(G, k));
        }
        NodeId bias = graph.derivative(U, kTime);
        for (int j = 0; j < n; ++j) {
          rates.push_back(graph.derivative(U, j));
          bias = graph.add(bias, graph.mul(rates.back(), graph.variable(kMost + j)));
        }
        rates.push_back(bias);
        ++row;
      }
    }
    rows_ = row;
    constant_ = all_constant(graph, gradients);
    values.insert(values.end(), gradients.begin(), gradients.end());
    values_ = compile(graph, values, n, 0, 0);
    rates_ = compile(graph, rates, n, n, 0);
    hessians_ = compile(graph, hessians, n, 0, 0);
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const auto& i : items_) out.push_back({i.name, dim(i), i.law == nullptr});
    return out;
  }
  bool constant_gradients() const override { return constant_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(*this); }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({Key(set) << 32 | i, set, static_cast<int>(i), dim(items_[i]), items_[i].law});
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& s) const override {
    const double* value = static_cast<Work&>(s).values(q.segment(first_q_, n_), {}, t);
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const int dim = selection.dim(c), row = first_row_[c.item];
      if (!selection.values_only) copy({value + 2 * rows_ + row * n_, dim * n_}, out.G.append(dim, {first_v_, n_}));
      const auto [g, g_t] = out.values(dim);
      for (int i = 0; i < dim; ++i) {
        g[i] = c.bilateral() || i == 0 ? value[2 * (row + i)] : 0;
        g_t[i] = value[2 * (row + i) + 1];
      }
    }
  }
  void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch& s) const override {
    const double* H = static_cast<Work&>(s).hessians(q.segment(first_q_, n_), {}, t) + first_row_[c.item] * n_ * n_;
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < n_; ++j)
        for (int k = 0; k < n_; ++k, ++H)
          if (*H != 0) S.add(first_v_ + j, first_v_ + k, coefficient * lambda[i] * *H);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& s) const override {
    const double* r = static_cast<Work&>(s).rates(at.q.segment(first_q_, n_), at.v.segment(first_v_, n_), at.t) +
                      first_row_[c.item] * (n_ + 1);
    double* block = out.add(dim, {first_v_, n_});
    for (int i = 0; i < dim; ++i) std::memcpy(block + i * n_, r + i * (n_ + 1), sizeof(double) * n_);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& s) const override {
    const double* r = static_cast<Work&>(s).rates(at.q.segment(first_q_, n_), at.v.segment(first_v_, n_), at.t) +
                      first_row_[c.item] * (n_ + 1);
    for (int i = 0; i < dim; ++i) out[i] = r[i * (n_ + 1) + n_];
  }

 private:
  struct Work final : Scratch {
    explicit Work(const FormulaConstraints& f) : values(f.values_), rates(f.rates_), hessians(f.hessians_) {}
    Cached values, rates, hessians;
  };
  static int dim(const FormulaBuilder::Item& i) {
    const int rows = static_cast<int>(i.rows.size());
    return i.law ? i.law->dim(rows - 1) : rows;
  }

  std::vector<FormulaBuilder::Item> items_;
  std::vector<int> first_row_;
  int n_, first_q_, first_v_, rows_ = 0;
  bool constant_ = false;
  Tape values_;    // (g, dg/dt) of all rows, then G row by row
  Tape rates_;     // dU/dq and U' at zero acceleration, row by row
  Tape hessians_;  // d2g/dq2, row by row
};

}  // namespace

void FormulaBuilder::declare(const std::string& name) {
  if (!is_valid_name(name))
    throw InputError("", fmt::format("'{}' cannot be a name; names are letters, digits and underscores, begin with a "
                                     "letter, and are not functions",
                                     name));
  if (name == "t") throw InputError("", "'t' is the time and cannot be given; choose another name");
  if (symbols_.count(name) > 0)
    throw InputError("", fmt::format("the name '{}' is given twice; accepted: another name", name));
}

void FormulaBuilder::parameter(const std::string& name, const std::string& text) {
  declare(name);
  const NodeId node = parse(text, constants_, graph_);
  if (!graph_.is_constant(node))
    throw InputError("", "a parameter must be a number or a formula of parameters before it");
  symbols_[name] = constants_[name] = node;
}

void FormulaBuilder::coordinate(const std::string& name) {
  declare(name);
  if (n() >= kMost) throw InputError("", fmt::format("more than {} coordinates; use finite elements or bodies", kMost));
  symbols_["t"] = graph_.variable(kTime);
  symbols_[name] = graph_.variable(n());
  symbols_[name + "'"] = graph_.variable(kMost + n());
  coordinates_.push_back(name);
  forces_.push_back(graph_.constant(0));
}

void FormulaBuilder::kinetic(const std::string& text) { kinetic_ = parse(text, symbols_, graph_); }

void FormulaBuilder::potential(const std::string& text) {
  potential_ = parse(text, symbols_, graph_);
  for (int i = 0; i < n(); ++i)
    if (graph_.depends_on(potential_, kMost + i))
      throw InputError(
          "", fmt::format("the potential depends on {}'; velocity-dependent terms belong to forces", coordinates_[i]));
}

void FormulaBuilder::force(const std::string& coordinate, const std::string& text) {
  const auto at = std::find(coordinates_.begin(), coordinates_.end(), coordinate);
  if (at == coordinates_.end())
    throw InputError("",
                     fmt::format("'{}' is not a coordinate; accepted: {}", coordinate, fmt::join(coordinates_, ", ")));
  NodeId& f = forces_[at - coordinates_.begin()];
  f = graph_.add(f, parse(text, symbols_, graph_));
}

double FormulaBuilder::value(const std::string& text) {
  const NodeId node = parse(text, constants_, graph_);
  if (!graph_.is_constant(node)) throw InputError("", "expected a number or a formula of parameters");
  return graph_.value(node);
}

double FormulaBuilder::parameter_value(const std::string& name) const { return graph_.value(constants_.at(name)); }

void FormulaBuilder::joint(const std::string& name, const std::vector<std::string>& residuals) {
  Item item{name, {}, nullptr};
  for (const std::string& text : residuals) {
    item.rows.push_back(parse(text, symbols_, graph_));
    for (int i = 0; i < n(); ++i)
      if (graph_.depends_on(item.rows.back(), kMost + i))
        throw InputError("",
                         "a joint residual must not contain velocities; accepted: a formula of coordinates and time");
  }
  joints_.push_back(std::move(item));
}

void FormulaBuilder::contact(const std::string& name, const std::string& gap, const std::vector<std::string>& slips,
                             const ContactLaw* law) {
  Item item{name, {parse(gap, symbols_, graph_)}, law};
  for (const std::string& text : slips) item.rows.push_back(parse(text, symbols_, graph_));
  for (const NodeId row : item.rows)
    for (int i = 0; i < n(); ++i)
      if (graph_.depends_on(row, kMost + i))
        throw InputError("", "a gap or slip must not contain velocities; accepted: a formula of coordinates and time");
  contacts_.push_back(std::move(item));
}

std::unique_ptr<Subsystem> FormulaBuilder::subsystem() {
  if (coordinates_.empty()) throw InputError("", "no coordinates are given; name at least one");
  if (kinetic_ < 0)
    throw InputError("", "no kinetic energy is given; accepted: a formula of degree 2 in the velocities");
  return std::make_unique<FormulaSubsystem>(graph_, coordinates_, kinetic_,
                                            potential_ < 0 ? graph_.constant(0) : potential_, forces_);
}

std::unique_ptr<ConstraintSet> FormulaBuilder::constraints(int first_q, int first_v) {
  std::vector<Item> items = joints_;
  items.insert(items.end(), contacts_.begin(), contacts_.end());
  if (items.empty()) return nullptr;
  return std::make_unique<FormulaConstraints>(graph_, std::move(items), n(), first_q, first_v);
}

}  // namespace ricochet
