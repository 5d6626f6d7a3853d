#include <algorithm>

#include "ricochet/model/formula/lagrange.hpp"

namespace ricochet::formula {
namespace {

/// Which coordinates M and the tangents couple, and the storage that this asks for: dense up to kDense coordinates;
/// blocks along the diagonal if they fall apart into small ones; a sparse operator if few couple; else dense again.
/// Dense too if a coordinate has no mass: then joints make S regular, by entries anywhere.
class Coupling {
 public:
  Coupling(int n, const Lagrange& l) : blocks_{{0, n}} {
    if (n <= kDense || l.massless) return;
    for (int i = 0, e = 0; i < n; ++i)
      for (; e < l.row_end[i]; ++e) pairs_.emplace_back(l.columns[e], i);
    for (const auto& [i, j] : l.coupled)
      if (i != j) pairs_.emplace_back(std::min(i, j), std::max(i, j));
    std::ranges::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    cut(n);
    const auto is_small = [](const Range& r) { return r.n <= kSmallBlock; };
    if (std::ranges::all_of(blocks_, is_small)) {
      structure_ = Structure::block_diagonal;
    } else if (kFewOf * pairs_.size() <= static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
      structure_ = Structure::blocks;
      blocks_.clear();
      for (int i = 0; i < n; i += kNode) blocks_.push_back({i, std::min(kNode, n - i)});
    } else {
      blocks_ = {{0, n}};
    }
  }

  Structure structure() const { return structure_; }
  const std::vector<Range>& blocks() const { return blocks_; }
  const Entries& pairs() const { return pairs_; }

 private:
  static constexpr int kSmallBlock = 16;
  static constexpr int kNode = 4;           ///< coordinates of a node of the sparse operator: neighbours mostly couple
  static constexpr std::size_t kFewOf = 8;  ///< sparse: at most one entry in four of the matrix, half of them here

  /// Between coordinates that no pair spans.
  void cut(int n) {
    blocks_.clear();
    int first = 0, reach = 0;
    auto pair = pairs_.begin();
    for (int i = 0; i < n; ++i) {
      for (; pair != pairs_.end() && pair->first == i; ++pair) reach = std::max(reach, pair->second);
      if (reach > i) continue;
      blocks_.push_back({first, i + 1 - first});
      first = reach = i + 1;
    }
  }

  Structure structure_ = Structure::dense;
  std::vector<Range> blocks_;
  Entries pairs_;  // i < j
};

}  // namespace

struct CompiledSubsystem {
  CompiledSubsystem(Graph& graph, const std::vector<std::string>& names, const Energy& e)
      : CompiledSubsystem(graph, static_cast<int>(names.size()), e, Lagrange(graph, names, e)) {}

  int n;
  Coupling coupling;
  int masses;  ///< outputs that are entries of M
  Constancy constancy;
  bool no_tangents = false;
  std::vector<int> columns, row_end;  ///< of M, see Lagrange
  Entries coupled, bent;              ///< of the tangents and the Hessian
  /// M (lower triangle by rows), convective - f; external forces, damping, grad V, dV/dt: the ledger asks for these
  /// where the dynamics were evaluated last, and they share most of their operations
  ParametricTape dynamics;
  ParametricTape energy;    ///< T, V
  ParametricTape tangents;  ///< d(M a + convective - f)/dq, d(convective - f)/dv
  ParametricTape hessian;   ///< of V

 private:
  CompiledSubsystem(Graph& graph, int count, const Energy& e, Lagrange&& l)
      : n(count), coupling(n, l), masses(static_cast<int>(l.mass.size())) {
    std::vector<NodeId> both = l.K;
    both.insert(both.end(), l.C.begin(), l.C.end());
    constancy.mass = all_constant(graph, l.mass);
    constancy.linear = constancy.mass && all_constant(graph, both);
    no_tangents =
        constancy.linear && std::all_of(both.begin(), both.end(), [&](NodeId node) { return graph.is_zero(node); });
    std::vector<NodeId> all = l.mass;
    all.insert(all.end(), l.bias.begin(), l.bias.end());
    all.insert(all.end(), l.power.begin(), l.power.end());
    dynamics = compile(graph, all, n, n, 0);
    energy = compile(graph, {e.T, e.V}, n, n, 0);
    tangents = compile(graph, both, n, n, n);
    hessian = compile(graph, l.hessian, n, 0, 0);
    columns = std::move(l.columns);
    row_end = std::move(l.row_end);
    coupled = std::move(l.coupled);
    bent = std::move(l.bent);
  }
};

namespace {

class FormulaSubsystem final : public MountedSubsystem {
 public:
  FormulaSubsystem(std::shared_ptr<const CompiledSubsystem> compiled, std::vector<std::string> names,
                   std::vector<double> parameters, FormulaMounts mounts)
      : MountedSubsystem(std::move(mounts)),
        shared_(std::move(compiled)),
        c_(*shared_),
        names_(std::move(names)),
        parameters_(std::move(parameters)) {}

  int nq() const override { return c_.n; }
  int nv() const override { return c_.n; }
  std::vector<std::string> position_names() const override { return names_; }
  std::vector<std::string> velocity_names() const override { return names_; }
  Structure structure() const override { return c_.coupling.structure(); }
  std::vector<Range> blocks() const override { return c_.coupling.blocks(); }
  void pattern(std::vector<Eigen::Triplet<double>>& entries) const override {
    Subsystem::pattern(entries);
    if (structure() != Structure::blocks) return;
    for (const auto& [i, j] : c_.coupling.pairs()) {
      entries.emplace_back(i, j, 0.0);
      entries.emplace_back(j, i, 0.0);
    }
  }
  Constancy constancy() const override { return c_.constancy; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(c_, parameters_); }

  void mass(const Point& at, double c, Segment S, Scratch& s) const override {
    const double* m = of(s).dynamics(at.q, at.v, at.t);
    const int* column = c_.columns.data();
    for (int i = 0; i < c_.n; ++i, ++m) {
      for (const int* end = c_.columns.data() + c_.row_end[i]; column != end; ++column, ++m) {
        if (*m == 0) continue;
        S.add(i, *column, c * *m);
        S.add(*column, i, c * *m);
      }
      if (*m != 0) S.add(i, i, c * *m);
    }
  }
  void mass_times(const Point& at, ConstView w, double c, View y, Scratch& s) const override {
    add_mass(of(s).dynamics(at.q, at.v, at.t), w, c, y);
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch& s) const override {
    const double* m = of(s).dynamics(at.q, at.v, at.t);
    add_mass(m, a, c, y);
    m += c_.masses;
    for (int i = 0; i < c_.n; ++i) y[i] += c * m[i];
  }
  void momentum_balance(const Motion& m, View y, Scratch& s) const override {
    FormulaSubsystem::residual(m.at_theta(), m.a, m.h, y, s);
  }
  void tangents(const Point& at, ConstView a, double c_K, double c_C, Segment S, Scratch& s) const override {
    if (c_.no_tangents) return;
    const double* k = of(s).tangents(at.q, at.v, at.t, a);
    const double* d = k + c_.coupled.size();
    for (const auto& [i, j] : c_.coupled) S.add(i, j, c_K * *k++ + c_C * *d++);
  }
  Energies energies(const Point& at, Scratch& s) const override {
    const double* e = of(s).energy(at.q, at.v, at.t);
    return {e[0], e[1]};
  }
  Power power(const Point& at, ConstView w, Scratch& s) const override {
    const double* f = of(s).dynamics(at.q, at.v, at.t) + c_.masses + c_.n;
    Power p;
    for (int i = 0; i < c_.n; ++i) {
      p.external += w[i] * f[i];
      p.damping += w[i] * f[c_.n + i];
      p.potential -= w[i] * f[2 * c_.n + i];
    }
    p.potential_rate = f[3 * c_.n];
    return p;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch& s) const override {
    const double* H = of(s).hessian(at.q, {}, at.t);
    double sum = 0;
    for (const auto& [i, j] : c_.bent) sum += w[i] * *H++ * w[j];
    return sum;
  }

 private:
  struct Work final : Scratch {
    Work(const CompiledSubsystem& c, std::span<const double> parameters)
        : dynamics(c.dynamics, parameters),
          energy(c.energy, parameters),
          tangents(c.tangents, parameters),
          hessian(c.hessian, parameters) {}
    Cached dynamics, energy, tangents, hessian;
  };
  static Work& of(Scratch& s) { return static_cast<Work&>(s); }

  void add_mass(const double* m, ConstView w, double c, View y) const {
    const int* column = c_.columns.data();
    for (int i = 0; i < c_.n; ++i) {
      double s = 0;
      for (const int* end = c_.columns.data() + c_.row_end[i]; column != end; ++column, ++m) {
        s += *m * w[*column];
        y[*column] += c * *m * w[i];
      }
      y[i] += c * (s + *m++ * w[i]);
    }
  }

  std::shared_ptr<const CompiledSubsystem> shared_;
  const CompiledSubsystem& c_;
  std::vector<std::string> names_;
  std::vector<double> parameters_;
};

}  // namespace

std::shared_ptr<const CompiledSubsystem> compile_subsystem(Graph& graph, const std::vector<std::string>& names,
                                                           const Energy& energy) {
  return std::make_shared<const CompiledSubsystem>(graph, names, energy);
}

std::unique_ptr<Subsystem> make_subsystem(std::shared_ptr<const CompiledSubsystem> compiled,
                                          std::vector<std::string> names, std::vector<double> parameters,
                                          FormulaMounts mounts) {
  return std::make_unique<FormulaSubsystem>(std::move(compiled), std::move(names), std::move(parameters),
                                            std::move(mounts));
}

}  // namespace ricochet::formula
