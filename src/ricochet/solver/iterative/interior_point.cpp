// Interior point on the law itself, not on a convex relaxation of it: Newton on the system of cone_newton.hpp with tau
// lowered in every step, predictor and corrector as Mehrotra. tau is not let fall below what z lacks, |x^| |r| of the
// worst contact, or the iterates come to lie along the boundary far from any solution. The term S, which makes the law
// non-associated, is part of Newton's matrix; where the steps get short its derivatives are left out for some
// iterations (`lagged`: always), which is a convex cone program with a moving right-hand side: slower and sturdier.
// Acary, Armand, Nguyen, Shpakovych, Second-order cone programming for frictional contact mechanics using interior
// point algorithm, Optim. Methods Softw. (2024).
#include <cmath>

#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/cone_newton.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kShort = 0.3;      ///< steps below this freeze the shift
constexpr int kFrozen = 3;          ///< for so many iterations
constexpr double kFraction = 0.95;  ///< of the way to the boundary
constexpr double kBalance = 0.1;    ///< tau is at least so much of |x^| |r|
constexpr double kRise = 100;       ///< and rises by at most this factor
constexpr double kGain = 0.5;       ///< of the error that it has to fall to
constexpr int kIdle = 6;            ///< within so many iterations

class InteriorPoint {
 public:
  void run(ContactWork& work, double stop, int count, bool lagged) {
    newton_.start(work);
    const std::size_t n = work.x.size();
    for (std::vector<double>* v : {&r_, &dx_, &dz_, &affine_x_, &affine_z_}) v->resize(n);
    double mark = std::numeric_limits<double>::infinity();
    for (int k = 0, idle = 0, frozen = 0; k < count; ++k) {
      const double error = newton_.judge();
      if (!finite(error)) return;
      idle = error < kGain * mark ? 0 : idle + 1;
      if (idle == 0) mark = error;
      if (work.done() || error <= stop || idle > kIdle) return;
      ++work.iterations;
      const double step = iterate(lagged || frozen > 0);
      if (frozen > 0) {
        --frozen;
      } else if (step < kShort) {
        frozen = kFrozen;
      }
    }
  }

 private:
  /// What H dx^ + dz should be: tau x^^-1 - z, less the second-order term of the affine step if `correct`.
  void aim(int a, double tau, bool correct, double* out) const {
    const double* z = newton_.z.data() + 3 * a;
    newton_.inverse(a, out);
    if (newton_.ray(a)) {
      out[0] *= tau - (correct ? affine_x_[3 * a] * affine_z_[3 * a] : 0);
      out[0] -= z[0];
      return;
    }
    for (int i = 0; i < 3; ++i) out[i] = tau * out[i] - z[i];
    if (!correct) return;
    const lorentz::Scaling& scaling = newton_.scaling[a];
    double hat[3], p[3], q[3], l[3], y[3], r[3];
    newton_.to_hat(a, affine_x_.data() + 3 * a, hat);
    scaling.solve(hat, p);
    scaling.times(affine_z_.data() + 3 * a, q);
    scaling.times(z, l);
    const double product[3] = {lorentz::dot(p, q), p[0] * q[1] + q[0] * p[1], p[0] * q[2] + q[0] * p[2]};
    lorentz::divide(l, product, y);
    scaling.solve(y, r);
    for (int i = 0; i < 3; ++i) out[i] -= r[i];
  }

  void direction(double tau, bool correct, std::vector<double>& dx, std::vector<double>& dz) {
    for (int a = 0; a < newton_.contacts(); ++a) aim(a, tau, correct, dz.data() + 3 * a);
    newton_.solve(r_, dx, dz);
  }

  /// Sum of x^ . z after a step t along (dx, dz).
  double gap(double t, const std::vector<double>& dx, const std::vector<double>& dz) const {
    double sum = 0;
    for (int a = 0; a < newton_.contacts(); ++a) {
      double x[3], z[3];
      newton_.to_hat(a, dx.data() + 3 * a, x);
      for (int i = 0; i < 3; ++i)
        x[i] = newton_.hat[3 * a + i] + t * x[i], z[i] = newton_.z[3 * a + i] + t * dz[3 * a + i];
      sum += lorentz::dot(x, z);
    }
    return sum;
  }

  /// r, and |x^| |r| of the worst contact.
  double lack() {
    double worst = 0;
    for (int a = 0; a < newton_.contacts(); ++a) {
      double *r = r_.data() + 3 * a, *x = newton_.hat.data() + 3 * a;
      newton_.residual(a, r);
      worst = std::max(worst, lorentz::dot(r, r) * lorentz::dot(x, x));
    }
    return std::sqrt(worst);
  }

  double iterate(bool freeze) {
    newton_.linearise(freeze);
    const double floor = kBalance * lack();
    direction(0, false, affine_x_, affine_z_);
    const double now = gap(0, affine_x_, affine_z_), tau = now / newton_.contacts();
    const double ratio = gap(std::min(1.0, newton_.reach(affine_x_, affine_z_)), affine_x_, affine_z_) / now;
    const double sigma = std::max(std::clamp(ratio * ratio * ratio, 1e-6, 1.0), std::min(kRise, floor / tau));
    direction(sigma * tau, sigma < 1, dx_, dz_);
    const double step = std::min(1.0, kFraction * newton_.reach(dx_, dz_));
    newton_.move(step, dx_, dz_);
    return step;
  }

  ConeNewton newton_;
  std::vector<double> r_, dx_, dz_, affine_x_, affine_z_;
};

}  // namespace

void interior_point(ContactWork& work, double stop, int count, bool lagged) {
  if (work.done() || work.contacts.n == 0) return;
  work.scratch->of<InteriorPoint>().run(work, stop, count, lagged);
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
