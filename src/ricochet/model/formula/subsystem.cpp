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

class FormulaSubsystem final : public MountedSubsystem {
 public:
  FormulaSubsystem(Graph& graph, const std::vector<std::string>& names, const Energy& energy, FormulaMounts mounts)
      : FormulaSubsystem(graph, names, energy, Lagrange(graph, names, energy), std::move(mounts)) {}

  int nq() const override { return n_; }
  int nv() const override { return n_; }
  std::vector<std::string> position_names() const override { return names_; }
  std::vector<std::string> velocity_names() const override { return names_; }
  Structure structure() const override { return coupling_.structure(); }
  std::vector<Range> blocks() const override { return coupling_.blocks(); }
  void pattern(std::vector<Eigen::Triplet<double>>& entries) const override {
    Subsystem::pattern(entries);
    if (structure() != Structure::blocks) return;
    for (const auto& [i, j] : coupling_.pairs()) {
      entries.emplace_back(i, j, 0.0);
      entries.emplace_back(j, i, 0.0);
    }
  }
  Constancy constancy() const override { return constancy_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(*this); }

  void mass(const Point& at, double c, Segment S, Scratch& s) const override {
    const double* m = of(s).dynamics(at.q, at.v, at.t);
    const int* column = columns_.data();
    for (int i = 0; i < n_; ++i, ++m) {
      for (const int* end = columns_.data() + row_end_[i]; column != end; ++column, ++m) {
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
    m += masses_;
    for (int i = 0; i < n_; ++i) y[i] += c * m[i];
  }
  void momentum_balance(const Motion& m, View y, Scratch& s) const override {
    FormulaSubsystem::residual(m.at_theta(), m.a, m.h, y, s);
  }
  void tangents(const Point& at, ConstView a, double c_K, double c_C, Segment S, Scratch& s) const override {
    if (no_tangents_) return;
    const double* k = of(s).tangents(at.q, at.v, at.t, a);
    const double* d = k + coupled_.size();
    for (const auto& [i, j] : coupled_) S.add(i, j, c_K * *k++ + c_C * *d++);
  }
  Energies energies(const Point& at, Scratch& s) const override {
    const double* e = of(s).energy(at.q, at.v, at.t);
    return {e[0], e[1]};
  }
  Power power(const Point& at, ConstView w, Scratch& s) const override {
    const double* f = of(s).dynamics(at.q, at.v, at.t) + masses_ + n_;
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
    for (const auto& [i, j] : bent_) sum += w[i] * *H++ * w[j];
    return sum;
  }

 private:
  struct Work final : Scratch {
    explicit Work(const FormulaSubsystem& f)
        : dynamics(f.dynamics_), energy(f.energy_), tangents(f.tangents_), hessian(f.hessian_) {}
    Cached dynamics, energy, tangents, hessian;
  };
  static Work& of(Scratch& s) { return static_cast<Work&>(s); }

  FormulaSubsystem(Graph& graph, const std::vector<std::string>& names, const Energy& energy, Lagrange&& l,
                   FormulaMounts mounts)
      : MountedSubsystem(std::move(mounts)),
        names_(names),
        n_(static_cast<int>(names.size())),
        coupling_(n_, l),
        masses_(static_cast<int>(l.mass.size())) {
    std::vector<NodeId> tangents = l.K;
    tangents.insert(tangents.end(), l.C.begin(), l.C.end());
    constancy_.mass = all_constant(graph, l.mass);
    constancy_.linear = constancy_.mass && all_constant(graph, tangents);
    no_tangents_ = constancy_.linear &&
                   std::all_of(tangents.begin(), tangents.end(), [&](NodeId node) { return graph.is_zero(node); });
    std::vector<NodeId> dynamics = l.mass;
    dynamics.insert(dynamics.end(), l.bias.begin(), l.bias.end());
    dynamics.insert(dynamics.end(), l.power.begin(), l.power.end());
    dynamics_ = compile(graph, dynamics, n_, n_, 0);
    energy_ = compile(graph, {energy.T, energy.V}, n_, n_, 0);
    tangents_ = compile(graph, tangents, n_, n_, n_);
    hessian_ = compile(graph, l.hessian, n_, 0, 0);
    columns_ = std::move(l.columns);
    row_end_ = std::move(l.row_end);
    coupled_ = std::move(l.coupled);
    bent_ = std::move(l.bent);
  }

  void add_mass(const double* m, ConstView w, double c, View y) const {
    const int* column = columns_.data();
    for (int i = 0; i < n_; ++i) {
      double s = 0;
      for (const int* end = columns_.data() + row_end_[i]; column != end; ++column, ++m) {
        s += *m * w[*column];
        y[*column] += c * *m * w[i];
      }
      y[i] += c * (s + *m++ * w[i]);
    }
  }

  std::vector<std::string> names_;
  int n_;
  Coupling coupling_;
  int masses_;  // outputs that are entries of M
  Constancy constancy_;
  bool no_tangents_ = false;
  std::vector<int> columns_, row_end_;  // of M, see Lagrange
  Entries coupled_, bent_;              // of the tangents and the Hessian
  // M (lower triangle by rows), convective - f; external forces, damping, grad V, dV/dt: the ledger asks for these
  // where the dynamics were evaluated last, and they share most of their operations
  Tape dynamics_;
  Tape energy_;    // T, V
  Tape tangents_;  // d(M a + convective - f)/dq, d(convective - f)/dv
  Tape hessian_;   // of V
};

}  // namespace

std::unique_ptr<Subsystem> make_subsystem(Graph& graph, const std::vector<std::string>& names, const Energy& energy,
                                          const FormulaMounts& mounts) {
  return std::make_unique<FormulaSubsystem>(graph, names, energy, mounts);
}

}  // namespace ricochet::formula
