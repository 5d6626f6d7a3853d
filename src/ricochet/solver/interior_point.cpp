// Interior point on the law itself, not on a convex relaxation of it. Contact by contact, with L = diag(mu, 1, 1),
//     x^ = L x,      z = L^-1 u + |u_T| e,      u = W x + q,      x^ o z = tau e,      tau -> 0
// in the Jordan algebra of the Lorentz cone (e = (1, 0, 0)); x^ and z are independent and inside the cone, the
// equation for z holds at the end. With the scaling of Nesterov and Todd, H x^ = z, a step is
//     (W + G^-1 H L) dx = G^-1 (target - residual),      G = L^-1 + e d^T,  d = u_T / |u_T|
// sparse, W plus something positive. Predictor and corrector as Mehrotra. The term |u_T|, which makes the law
// non-associated, is part of Newton's matrix; where the steps get short it is frozen for some iterations (`lagged`:
// always), which is a convex cone program with a moving right-hand side: slower and sturdier.
// Acary, Armand, Nguyen, Shpakovych, Second-order cone programming for frictional contact mechanics using interior
// point algorithm, Optim. Methods Softw. (2024).
#include <cmath>

#include "ricochet/solver/contacts.hpp"
#include "ricochet/solver/cores.hpp"
#include "ricochet/solver/lorentz.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kShort = 0.3;      ///< steps below this freeze the shift
constexpr int kFrozen = 3;          ///< for so many iterations
constexpr double kFraction = 0.95;  ///< of the way to the boundary
constexpr double kNothing = 1e30;   ///< in the diagonal: this unknown stays
constexpr int kPatience = 30;       ///< iterations without a new best

class InteriorPoint {
 public:
  /// From the middle of the cones, at the size of q.
  void start(ContactWork& work, bool lagged) {
    work_ = &work, contacts_ = &work.contacts, lagged_ = lagged;
    const std::size_t n = work.x.size(), contacts = static_cast<std::size_t>(contacts_->n);
    x_.assign(n, 0.0), z_.assign(n, 0.0), hat_.resize(n), u_.resize(n);
    dx_.resize(n), dz_.resize(n), affine_x_.resize(n), affine_z_.resize(n);
    scaling_.resize(contacts), slip_.resize(2 * contacts);
    J_ = contacts_->W;
    const double q = largest(contacts_->q.data(), static_cast<int>(n)), size = q > 0 ? q : 1;
    for (int a = 0; a < contacts_->n; ++a) x_[3 * a] = ray(a) ? size : size / contacts_->mu[a], z_[3 * a] = size;
  }

  void run(double stop, int count) {
    work_->lu.analyse(contacts_->n, contacts_->pointers, contacts_->columns);
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0, idle = 0, frozen = 0; k < count; ++k) {
      contacts_->velocities(x_.data(), u_.data());
      const double error = contacts_->error(work_->criterion, x_.data(), u_.data());
      if (!(error < std::numeric_limits<double>::infinity())) return;
      work_->offer(x_, u_, error);
      idle = error < 0.9 * best ? 0 : idle + 1;
      best = std::min(best, error);
      const bool relative = work_->criterion == Criterion::relative;
      const double size = relative ? error : contacts_->error(Criterion::relative, x_.data(), u_.data());
      if (work_->done() || size <= stop || idle > kPatience) return;
      ++work_->iterations;
      const double step = iterate(lagged_ || frozen > 0);
      if (frozen > 0) {
        --frozen;
      } else if (step < kShort) {
        frozen = kFrozen;
      }
    }
  }

 private:
  bool ray(int a) const { return contacts_->mu[a] == 0; }  ///< frictionless: the cone is a half-line

  void to_hat(int a, const double* x, double* out) const {
    out[0] = ray(a) ? x[0] : contacts_->mu[a] * x[0], out[1] = x[1], out[2] = x[2];
  }

  /// What z lacks: L^-1 u + |u_T| e - z.
  void residual(int a, double* out) const {
    const double* u = u_.data() + 3 * a;
    if (ray(a)) {
      out[0] = u[0] - z_[3 * a], out[1] = out[2] = 0;
      return;
    }
    const double shift = contacts_->associated[a] ? 0 : std::sqrt(u[1] * u[1] + u[2] * u[2]);
    out[0] = u[0] / contacts_->mu[a] + shift - z_[3 * a], out[1] = u[1] - z_[3 * a + 1], out[2] = u[2] - z_[3 * a + 2];
  }

  /// out := G^-1 b = (mu (b_0 - d . b_T), b_T)
  void undo_shift(int a, const double* b, double* out) const {
    const double mu = ray(a) ? 1 : contacts_->mu[a];
    out[0] = mu * (b[0] - slip_[2 * a] * b[1] - slip_[2 * a + 1] * b[2]), out[1] = b[1], out[2] = b[2];
  }

  /// Scalings, and J = W + G^-1 H L.
  void prepare(bool freeze) {
    for (int a = 0; a < contacts_->n; ++a) {
      double* J = J_.data() + 9 * static_cast<std::size_t>(contacts_->diagonal[a]);
      const double* W = contacts_->W.data() + 9 * static_cast<std::size_t>(contacts_->diagonal[a]);
      std::copy(W, W + 9, J);
      to_hat(a, x_.data() + 3 * a, hat_.data() + 3 * a);
      slip_[2 * a] = slip_[2 * a + 1] = 0;
      if (ray(a)) {
        J[0] += z_[3 * a] / x_[3 * a], J[4] = J[8] = kNothing;
        continue;
      }
      scaling_[a] = lorentz::Scaling(hat_.data() + 3 * a, z_.data() + 3 * a);
      const double *u = u_.data() + 3 * a, size = std::sqrt(u[1] * u[1] + u[2] * u[2]);
      if (!freeze && !contacts_->associated[a] && size > 0) slip_[2 * a] = u[1] / size, slip_[2 * a + 1] = u[2] / size;
      for (int j = 0; j < 3; ++j) {
        const double unit[3] = {j == 0 ? contacts_->mu[a] : 0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0};
        double column[3], out[3];
        scaling_[a].hessian(unit, column);
        undo_shift(a, column, out);
        for (int i = 0; i < 3; ++i) J[i + 3 * j] += out[i];
      }
    }
    work_->lu.factorise(J_.data());
  }

  /// What H dx^ + dz should be: tau x^^-1 - z, less the second-order term of the affine step if `correct`.
  void aim(int a, double tau, bool correct, double* out) const {
    const double *x = hat_.data() + 3 * a, *z = z_.data() + 3 * a;
    if (ray(a)) {
      out[0] = (tau - (correct ? affine_x_[3 * a] * affine_z_[3 * a] : 0)) / x[0] - z[0], out[1] = out[2] = 0;
      return;
    }
    const double t = tau / lorentz::determinant(x);
    out[0] = t * x[0] - z[0], out[1] = -t * x[1] - z[1], out[2] = -t * x[2] - z[2];
    if (!correct) return;
    double hat[3], p[3], q[3], l[3], y[3], r[3];
    to_hat(a, affine_x_.data() + 3 * a, hat);
    scaling_[a].solve(hat, p);
    scaling_[a].times(affine_z_.data() + 3 * a, q);
    scaling_[a].times(z, l);
    const double product[3] = {lorentz::dot(p, q), p[0] * q[1] + q[0] * p[1], p[0] * q[2] + q[0] * p[2]};
    lorentz::divide(l, product, y);
    scaling_[a].solve(y, r);
    for (int i = 0; i < 3; ++i) out[i] -= r[i];
  }

  void direction(double tau, bool correct, std::vector<double>& dx, std::vector<double>& dz) {
    for (int a = 0; a < contacts_->n; ++a) {
      double r[3];
      aim(a, tau, correct, dz.data() + 3 * a);
      residual(a, r);
      for (int i = 0; i < 3; ++i) r[i] = dz[3 * a + i] - r[i];
      undo_shift(a, r, dx.data() + 3 * a);
    }
    work_->lu.solve(dx.data());
    for (int a = 0; a < contacts_->n; ++a) {
      double hat[3], image[3];
      if (ray(a)) {
        dz[3 * a] -= z_[3 * a] / x_[3 * a] * dx[3 * a];
        dx[3 * a + 1] = dx[3 * a + 2] = 0;
        continue;
      }
      to_hat(a, dx.data() + 3 * a, hat);
      scaling_[a].hessian(hat, image);
      for (int i = 0; i < 3; ++i) dz[3 * a + i] -= image[i];
    }
  }

  /// How far both stay inside.
  double reach(const std::vector<double>& dx, const std::vector<double>& dz) const {
    double t = std::numeric_limits<double>::infinity();
    for (int a = 0; a < contacts_->n; ++a) {
      double hat[3];
      to_hat(a, dx.data() + 3 * a, hat);
      t = std::min(
          t, std::min(lorentz::reach(hat_.data() + 3 * a, hat), lorentz::reach(z_.data() + 3 * a, dz.data() + 3 * a)));
    }
    return t;
  }

  /// Sum of x^ . z after a step t along (dx, dz).
  double gap(double t, const std::vector<double>& dx, const std::vector<double>& dz) const {
    double sum = 0;
    for (int a = 0; a < contacts_->n; ++a) {
      double x[3], z[3];
      to_hat(a, dx.data() + 3 * a, x);
      for (int i = 0; i < 3; ++i) x[i] = hat_[3 * a + i] + t * x[i], z[i] = z_[3 * a + i] + t * dz[3 * a + i];
      sum += lorentz::dot(x, z);
    }
    return sum;
  }

  double iterate(bool freeze) {
    prepare(freeze);
    direction(0, false, affine_x_, affine_z_);
    const double now = gap(0, affine_x_, affine_z_), tau = now / contacts_->n;
    const double ratio = gap(std::min(1.0, reach(affine_x_, affine_z_)), affine_x_, affine_z_) / now;
    direction(std::clamp(ratio * ratio * ratio, 1e-6, 1.0) * tau, true, dx_, dz_);
    const double step = std::min(1.0, kFraction * reach(dx_, dz_));
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += step * dx_[i], z_[i] += step * dz_[i];
    return step;
  }

  ContactWork* work_ = nullptr;
  const Contacts* contacts_ = nullptr;
  bool lagged_ = false;
  std::vector<double> x_, z_, hat_, u_, dx_, dz_, affine_x_, affine_z_, J_, slip_;
  std::vector<lorentz::Scaling> scaling_;
};

}  // namespace

void interior_point(ContactWork& work, double stop, int count, bool lagged) {
  if (work.done() || work.contacts.n == 0) return;
  InteriorPoint& method = work.scratch->of<InteriorPoint>();
  method.start(work, lagged);
  method.run(stop, count);
}

}  // namespace detail

namespace {

class InteriorPointSolver final : public Solver {
 public:
  explicit InteriorPointSolver(bool lagged) : lagged_(lagged) {}
  const SolverInfo& info() const override {
    static const SolverInfo kDirect{
        "interior-point",
        "predictor-corrector on the law itself, sparse; a few dozen iterations, Newton for the last digits",
        "joints, nonnegative, friction in the plane and in space", false};
    static const SolverInfo kLagged{
        "interior-point-fixed-point",
        "interior point of the convex problem, the non-associated term renewed in each iteration; then Newton",
        "joints, nonnegative, friction in the plane and in space", false};
    return lagged_ ? kLagged : kDirect;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_on_contacts(problem, options, solution, scratch, [this](detail::ContactWork& work, int limit) {
      const int count = limit > 0 ? limit : 1000;
      detail::interior_point(work, 1e-6, count, lagged_);
      detail::proximal_newton(work, count);
      detail::polish(work);
    });
  }

 private:
  bool lagged_;
};

}  // namespace

const Solver& interior_point_solver();
const Solver& interior_point_solver() {
  static const InteriorPointSolver kSolver(false);
  return kSolver;
}
const Solver& interior_point_fixed_point_solver();
const Solver& interior_point_fixed_point_solver() {
  static const InteriorPointSolver kSolver(true);
  return kSolver;
}

}  // namespace ricochet
