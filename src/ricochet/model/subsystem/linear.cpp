#include "ricochet/model/subsystem/linear.hpp"

#include <fmt/format.h>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

using Sparse = LinearParameters::Sparse;

/// y += c A x
void add_product(const Sparse& A, double c, ConstView x, View y) {
  const int *outer = A.outerIndexPtr(), *inner = A.innerIndexPtr();
  const double* value = A.valuePtr();
  for (Index i = 0; i < A.rows(); ++i) {
    double s = 0;
    for (int k = outer[i]; k < outer[i + 1]; ++k) s += value[k] * x[inner[k]];
    y[i] += c * s;
  }
}

/// w^T A x
double product(const Sparse& A, ConstView w, ConstView x) {
  const int *outer = A.outerIndexPtr(), *inner = A.innerIndexPtr();
  const double* value = A.valuePtr();
  double sum = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    double s = 0;
    for (int k = outer[i]; k < outer[i + 1]; ++k) s += value[k] * x[inner[k]];
    sum += w[i] * s;
  }
  return sum;
}

bool is_symmetric(const Sparse& A) {
  const Sparse T = A.transpose();
  return (A - T).norm() <= 1e-14 * (A.norm() + 1e-300);
}

struct LinearScratch final : Scratch {
  VectorXd F;
};

class Linear final : public MountedSubsystem {
 public:
  explicit Linear(LinearParameters p) : MountedSubsystem(p.mounts), p_(std::move(p)) {
    const Index n = p_.M.rows();
    const auto check = [n](const Sparse& A, const char* what) {
      if (A.rows() != n || A.cols() != n)
        throw InputError("system.linear", fmt::format("{} is {} x {}, M has {} rows; give square matrices of one size",
                                                      what, A.rows(), A.cols(), n));
    };
    if (p_.C.size() == 0) p_.C.resize(n, n);
    if (p_.K.size() == 0) p_.K.resize(n, n);
    check(p_.M, "M");
    check(p_.C, "C");
    check(p_.K, "K");
    if (!is_symmetric(p_.M)) throw InputError("system.linear", "M is not symmetric; a mass matrix must be");
    for (Sparse* A : {&p_.M, &p_.C, &p_.K}) A->makeCompressed();
    symmetric_ = is_symmetric(p_.K) && is_symmetric(p_.C);
    if (p_.names.empty())
      for (Index i = 0; i < n; ++i) p_.names.push_back(fmt::format("q{}", i + 1));
  }

  int nq() const override { return static_cast<int>(p_.M.rows()); }
  int nv() const override { return nq(); }
  std::vector<std::string> position_names() const override { return p_.names; }
  std::vector<std::string> velocity_names() const override { return p_.names; }
  Structure structure() const override { return p_.dense ? Structure::dense : Structure::sparse; }
  bool symmetric() const override { return symmetric_; }
  Constancy constancy() const override { return {true, true}; }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto s = std::make_unique<LinearScratch>();
    s->F.setZero(nv());
    return s;
  }
  void pattern(std::vector<Eigen::Triplet<double>>& entries) const override {
    for (const Sparse* A : {&p_.M, &p_.C, &p_.K})
      for (int i = 0; i < A->outerSize(); ++i)
        for (Sparse::InnerIterator it(*A, i); it; ++it)
          entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(it.col()), 0.0);
  }

  void mass(const Point&, double c, Segment S, Scratch&) const override { add(p_.M, c, S); }
  void mass_times(const Point&, ConstView w, double c, View y, Scratch&) const override { add_product(p_.M, c, w, y); }
  void residual(const Point& at, ConstView a, double c, View y, Scratch& scratch) const override {
    add_product(p_.M, c, a, y);
    if (p_.C.nonZeros() > 0) add_product(p_.C, c, at.v, y);
    if (p_.K.nonZeros() > 0) add_product(p_.K, c, at.q, y);
    if (p_.load) y.vec() -= c * load(at.t, scratch);
  }
  void tangents(const Point&, ConstView, double c_K, double c_C, Segment S, Scratch&) const override {
    if (c_K != 0) add(p_.K, c_K, S);
    if (c_C != 0) add(p_.C, c_C, S);
  }
  Energies energies(const Point& at, Scratch&) const override {
    return {0.5 * product(p_.M, at.v, at.v), 0.5 * product(p_.K, at.q, at.q)};
  }
  Power power(const Point& at, ConstView w, Scratch& scratch) const override {
    Power p;
    if (p_.load) p.external = w.vec().dot(load(at.t, scratch));
    if (p_.C.nonZeros() > 0) p.damping = -product(p_.C, w, at.v);
    if (p_.K.nonZeros() > 0) p.potential = -product(p_.K, w, at.q);
    return p;
  }
  double potential_curvature(const Point&, ConstView w, Scratch&) const override { return product(p_.K, w, w); }

 private:
  const VectorXd& load(double t, Scratch& scratch) const {
    auto& s = static_cast<LinearScratch&>(scratch);
    s.F.setZero();
    p_.load(t, s.F);
    return s.F;
  }
  static void add(const Sparse& A, double c, Segment S) {
    for (int i = 0; i < A.outerSize(); ++i)
      for (Sparse::InnerIterator it(A, i); it; ++it)
        S.add(static_cast<int>(it.row()), static_cast<int>(it.col()), c * it.value());
  }

  LinearParameters p_;
  bool symmetric_ = false;
};

}  // namespace

std::unique_ptr<Subsystem> make_linear(LinearParameters parameters) {
  return std::make_unique<Linear>(std::move(parameters));
}

LinearParameters bar(const BarParameters& p) {
  const int n = p.elements + 1;
  const double l = p.length / p.elements, m = p.density * p.section * l / 6, k = p.young * p.section / l;
  std::vector<Eigen::Triplet<double>> M, K;
  for (int e = 0; e < p.elements; ++e) {
    for (int i : {0, 1})
      for (int j : {0, 1}) {
        M.emplace_back(e + i, e + j, i == j ? 2 * m : m);
        K.emplace_back(e + i, e + j, i == j ? k : -k);
      }
  }
  LinearParameters out;
  out.M.resize(n, n);
  out.M.setFromTriplets(M.begin(), M.end());
  out.K.resize(n, n);
  out.K.setFromTriplets(K.begin(), K.end());
  for (int i = 0; i < n; ++i) out.names.push_back(fmt::format("u{}", i));
  return out;
}

}  // namespace ricochet
