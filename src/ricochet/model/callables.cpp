#include "ricochet/model/callables.hpp"

#include <algorithm>

#include "ricochet/math/difference.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

/// d F / d x_i for every coordinate, as columns; F returns a vector.
template <class F>
MatrixXd jacobian(F&& evaluate, const VectorXd& x, Index rows) {
  MatrixXd J(rows, x.size());
  VectorXd moved = x;
  for (Index i = 0; i < x.size(); ++i) {
    J.col(i) = central_difference(
        [&](double xi) -> VectorXd {
          moved[i] = xi;
          return evaluate(moved);
        },
        x[i]);
    moved[i] = x[i];
  }
  return J;
}

class Lagrangian final : public Subsystem {
 public:
  explicit Lagrangian(LagrangianCallables c) : c_(std::move(c)), n_(static_cast<Index>(c_.coordinates.size())) {
    if (n_ == 0) throw InputError("coordinates", "none are named; name at least one");
    if (!c_.mass) throw InputError("mass", "not given; a Lagrangian system needs its mass matrix");
  }

  int nq() const override { return static_cast<int>(n_); }
  int nv() const override { return nq(); }
  std::vector<std::string> position_names() const override { return c_.coordinates; }
  std::vector<std::string> velocity_names() const override { return c_.coordinates; }

  void mass(const Point& at, double c, Segment S, Scratch&) const override { add(S, c * c_.mass(at.t, at.q.vec())); }
  void mass_times(const Point& at, ConstView w, double c, View y, Scratch&) const override {
    y.vec() += c * c_.mass(at.t, at.q.vec()) * w.vec();
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch&) const override {
    y.vec() += c * (c_.mass(at.t, at.q.vec()) * a.vec() + convective(at.t, at.q.vec(), at.v.vec()) -
                    applied(at.t, at.q.vec(), at.v.vec()));
  }
  void tangents(const Point& at, ConstView a, double c_K, double c_C, Segment S, Scratch&) const override {
    const VectorXd q = at.q.vec(), v = at.v.vec(), acceleration = a.vec();
    const auto inertia = [&](const VectorXd& x, const VectorXd& u) -> VectorXd {
      return c_.mass(at.t, x) * acceleration + convective(at.t, x, u);
    };
    const auto force = [&](const VectorXd& x, const VectorXd& u) { return applied(at.t, x, u); };
    if (c_K != 0) {
      MatrixXd K = jacobian([&](const VectorXd& x) { return inertia(x, v); }, q, n_);
      K += c_.stiffness ? c_.stiffness(at.t, q, v)
                        : MatrixXd(-jacobian([&](const VectorXd& x) { return force(x, v); }, q, n_));
      add(S, c_K * K);
    }
    if (c_C != 0) {
      MatrixXd C = jacobian([&](const VectorXd& u) { return convective(at.t, q, u); }, v, n_);
      C += c_.damping ? c_.damping(at.t, q, v)
                      : MatrixXd(-jacobian([&](const VectorXd& u) { return force(q, u); }, v, n_));
      add(S, c_C * C);
    }
  }
  Energies energies(const Point& at, Scratch&) const override {
    const VectorXd q = at.q.vec(), v = at.v.vec();
    return {0.5 * v.dot(c_.mass(at.t, q) * v), c_.potential ? c_.potential(at.t, q) : 0};
  }
  Power power(const Point& at, ConstView w, Scratch&) const override {
    Power p;
    const VectorXd q = at.q.vec(), v = at.v.vec();
    if (c_.force) {
      p.external = w.vec().dot(c_.force(at.t, q, VectorXd::Zero(n_)));
      p.damping = w.vec().dot(c_.force(at.t, q, v)) - p.external;
    }
    if (c_.potential) {
      p.potential = -w.vec().dot(gradient(at.t, q));
      p.potential_rate = central_difference([&](double t) { return c_.potential(t, q); }, at.t);
    }
    return p;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch&) const override {
    if (!c_.potential) return 0;
    const MatrixXd H = jacobian([&](const VectorXd& x) { return gradient(at.t, x); }, at.q.vec(), n_);
    return w.vec().dot(H * w.vec());
  }

 private:
  static void add(Segment S, const MatrixXd& A) {
    for (int j = 0; j < A.cols(); ++j)
      for (int i = 0; i < A.rows(); ++i) S.add(i, j, A(i, j));
  }
  VectorXd gradient(double t, const VectorXd& q) const {
    if (c_.potential_gradient) return c_.potential_gradient(t, q);
    return jacobian([&](const VectorXd& x) { return VectorXd::Constant(1, c_.potential(t, x)); }, q, 1).transpose();
  }
  VectorXd applied(double t, const VectorXd& q, const VectorXd& v) const {
    VectorXd f = c_.force ? c_.force(t, q, v) : VectorXd::Zero(n_);
    if (c_.potential) f -= gradient(t, q);
    return f;
  }
  /// M' v - d(v^T M v / 2)/dq: the column i of dMv below is d(M v)/dq_i, so M' v = dMv v + dM/dt v.
  VectorXd convective(double t, const VectorXd& q, const VectorXd& v) const {
    if (c_.convective) return c_.convective(t, q, v);
    const MatrixXd dMv = jacobian([&](const VectorXd& x) -> VectorXd { return c_.mass(t, x) * v; }, q, n_);
    const VectorXd drift = central_difference([&](double s) -> VectorXd { return c_.mass(s, q) * v; }, t);
    return dMv * v + drift - 0.5 * dMv.transpose() * v;
  }

  LagrangianCallables c_;
  Index n_;
};

class Callables final : public ConstraintSet {
 public:
  Callables(std::vector<ConstraintCallable> c, int n) : c_(std::move(c)), n_(n) {
    std::stable_sort(c_.begin(), c_.end(), [](const auto& a, const auto& b) { return !a.law && b.law; });
    for (const ConstraintCallable& item : c_)
      if (!item.value) throw InputError(item.name, "no value is given; a constraint needs its gap or residual");
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const ConstraintCallable& i : c_) out.push_back({i.name, dim(i), i.law == nullptr});
    return out;
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < c_.size(); ++i)
      out.push_back({item_key(set, i), set, static_cast<int>(i), dim(c_[i]), c_[i].law});
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    const VectorXd x = q.vec();
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const ConstraintCallable& item = c_[c.item];
      const int rows = selection.dim(c);
      const auto [g, g_t] = out.values(rows);
      const VectorXd value = item.value(t, x);
      const VectorXd drift = central_difference([&](double s) -> VectorXd { return item.value(s, x); }, t);
      const MatrixXd G = gradient(item, t, x);
      double* entries = out.G.append(rows, {0, n_});
      for (int i = 0; i < rows; ++i) {
        g[i] = c.bilateral() || i == 0 ? value[i] : 0;
        g_t[i] = drift[i];
        for (int j = 0; j < n_; ++j) *entries++ = G(i, j);
      }
    }
  }
  void curvature(double t, ConstView q, const Candidate& c, int rows, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const ConstraintCallable& item = c_[c.item];
    VectorXd l = VectorXd::Zero(item.rows);
    for (int i = 0; i < rows; ++i) l[i] = lambda[i];
    const MatrixXd A =
        item.curvature ? item.curvature(t, q.vec(), l)
                       : jacobian([&](const VectorXd& x) -> VectorXd { return gradient(item, t, x).transpose() * l; },
                                  q.vec(), n_);
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) S.add(i, j, coefficient * A(i, j));
  }
  void rate(const Point& at, const Candidate& c, int rows, Jacobian& out, Scratch&) const override {
    const MatrixXd R = rate(c_[c.item], at);
    double* entries = out.append(rows, {0, n_});
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n_; ++j) *entries++ = R(i, j);
  }
  void bias(const Point& at, const Candidate& c, int rows, double* out, Scratch&) const override {
    const ConstraintCallable& item = c_[c.item];
    const VectorXd q = at.q.vec(), v = at.v.vec();
    // U' at v' = 0:  (dU/dq) v + dU/dt with U = G^T v + dg/dt, all time derivatives along (t + s, q + s v)
    const VectorXd along = central_difference(
        [&](double s) -> VectorXd {
          const VectorXd x = q + s * v;
          const VectorXd drift = central_difference([&](double t) -> VectorXd { return item.value(t, x); }, at.t + s);
          return gradient(item, at.t + s, x) * v + drift;
        },
        0.0);
    for (int i = 0; i < rows; ++i) out[i] = along[i];
  }

 private:
  static int dim(const ConstraintCallable& i) { return i.law ? i.law->dim(i.rows - 1) : i.rows; }
  static MatrixXd gradient(const ConstraintCallable& item, double t, const VectorXd& q) {
    if (item.gradient) return item.gradient(t, q);
    return jacobian([&](const VectorXd& x) { return item.value(t, x); }, q, item.rows);
  }
  static MatrixXd rate(const ConstraintCallable& item, const Point& at) {
    const VectorXd v = at.v.vec();
    if (item.rate) return item.rate(at.t, at.q.vec(), v);
    return jacobian(
        [&](const VectorXd& x) -> VectorXd {
          const VectorXd drift = central_difference([&](double t) -> VectorXd { return item.value(t, x); }, at.t);
          return gradient(item, at.t, x) * v + drift;
        },
        at.q.vec(), item.rows);
  }

  std::vector<ConstraintCallable> c_;
  int n_;
};

}  // namespace

std::unique_ptr<Subsystem> make_lagrangian(LagrangianCallables callables) {
  return std::make_unique<Lagrangian>(std::move(callables));
}

std::unique_ptr<ConstraintSet> make_constraints(std::vector<ConstraintCallable> callables, int n) {
  return std::make_unique<Callables>(std::move(callables), n);
}

}  // namespace ricochet
