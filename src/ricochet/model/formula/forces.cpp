#include <algorithm>

#include "ricochet/model/formula/lagrange.hpp"

namespace ricochet::formula {
namespace {

/// A potential and generalised forces over the first n coordinates of a model: the equations of a system without mass.
class FormulaForces final : public ForceSet {
 public:
  FormulaForces(Graph& graph, const std::vector<std::string>& coordinates, std::vector<std::string> names,
                const Energy& energy, std::vector<double> parameters)
      : names_(std::move(names)), parameters_(std::move(parameters)), n_(static_cast<int>(coordinates.size())) {
    const Lagrange l(graph, coordinates, energy);
    std::vector<NodeId> tangents = l.K;
    tangents.insert(tangents.end(), l.C.begin(), l.C.end());
    std::vector<NodeId> forces = l.bias;
    forces.insert(forces.end(), l.power.begin(), l.power.end());
    forces.push_back(energy.V);
    forces_ = compile(graph, forces, n_, n_, 0);
    tangents_ = compile(graph, tangents, n_, n_, 0);
    hessian_ = compile(graph, l.hessian, n_, 0, 0);
    coupled_ = l.coupled;
    bent_ = l.bent;
  }

  std::vector<std::string> names() const override { return names_; }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const auto& [i, j] : coupled_)
      if (i != j) out.emplace_back(i, j);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(*this); }

  void residual(const Point& at, double c, View y, Scratch& s) const override {
    const double* bias = all(at, s);
    for (int i = 0; i < n_; ++i) y[i] += c * bias[i];
  }
  void tangents(const Point& at, double c_K, double c_C, Operator& S, Scratch& s) const override {
    const double* k = static_cast<Work&>(s).tangents(at.q.segment(0, n_), at.v.segment(0, n_), at.t);
    const double* d = k + coupled_.size();
    for (const auto& [i, j] : coupled_) S.add(i, j, c_K * *k++ + c_C * *d++);
  }
  double potential(const Point& at, Scratch& s) const override { return all(at, s)[4 * n_ + 1]; }
  Power power(const Point& at, ConstView w, Scratch& s) const override {
    const double* f = all(at, s) + n_;
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
    const double* H = static_cast<Work&>(s).hessian(at.q.segment(0, n_), {}, at.t);
    double sum = 0;
    for (const auto& [i, j] : bent_) sum += w[i] * *H++ * w[j];
    return sum;
  }

 private:
  struct Work final : Scratch {
    explicit Work(const FormulaForces& f)
        : forces(f.forces_, f.parameters_), tangents(f.tangents_, f.parameters_), hessian(f.hessian_, f.parameters_) {}
    Cached forces, tangents, hessian;
  };
  const double* all(const Point& at, Scratch& s) const {
    return static_cast<Work&>(s).forces(at.q.segment(0, n_), at.v.segment(0, n_), at.t);
  }

  std::vector<std::string> names_;
  std::vector<double> parameters_;
  int n_;
  ParametricTape forces_;    // grad V - f; external forces, damping, grad V, dV/dt; V
  ParametricTape tangents_;  // d(grad V - f)/dq, -df/dv
  ParametricTape hessian_;   // of V
  Entries coupled_, bent_;
};

}  // namespace

std::unique_ptr<ForceSet> make_forces(Graph& graph, const std::vector<std::string>& coordinates,
                                      std::vector<std::string> names, const Energy& energy,
                                      std::vector<double> parameters) {
  return std::make_unique<FormulaForces>(graph, coordinates, std::move(names), energy, std::move(parameters));
}

}  // namespace ricochet::formula
