// First-order methods on contacts, for comparison and as sources of starting points. Each runs to a moderate error and
// leaves the last digits to proximal Newton.
//
// ADMM with over-relaxation: x = y split from y in K, the shift c = mu |u_T| n renewed in each iteration,
//     (W + rho) x = rho (y - w) - q - c,      y = P_K(x' + w),      w += x' - y,      x' = omega x + (1 - omega) y
// with rho out of the spectrum that the iteration meets: every few iterations the slopes of both halves along the way
// since the last time, d(W x + q + c) / dx and d(rho w) / dy, each between steepest descent's and minimal gradient's
// quotient, and trusted only where change and change of gradient point the same way; rho = the geometric mean. W + rho
// is factorised again only if rho changes by a factor of two. Boyd et al., Found. Trends Mach. Learn. 3 (2011);
// Xu, Figueiredo and Goldstein, AISTATS (2017).
//
// Accelerated projected gradient: x = P_K(y - t (u(y) + c(y))), momentum after Nesterov, restarted when it points
// uphill. O'Donoghue and Candes, Found. Comput. Math. 15 (2015).
//
// Tresca's fixed point: friction with the threshold mu x_N of the last pass; Panagiotopoulos': the normal problem with
// friction frozen, then friction with the normal impulses frozen. Inner problems by a few sweeps, row after row.
// Panagiotopoulos, Ing. Arch. 44 (1975).
#include <cmath>

#include "ricochet/math/cone.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kHandOver = 1e-6;  ///< relative error below which Newton takes over
constexpr int kLook = 10;           ///< iterations between two looks at the error

/// The slope of a gradient along the way since the last look.
class Slope {
 public:
  void forget() { point_.clear(); }
  /// Zero if there is none to be trusted.
  double look(const std::vector<double>& point, const std::vector<double>& gradient) {
    double gg = 0, gx = 0, xx = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      const double dx = point[i] - point_[i], dg = gradient[i] - gradient_[i];
      gg += dg * dg, gx += dg * dx, xx += dx * dx;
    }
    point_ = point, gradient_ = gradient;
    if (!(gx > 0.2 * std::sqrt(gg * xx))) return 0;
    const double steepest = gg / gx, minimal = gx / xx;
    return 2 * minimal > steepest ? minimal : steepest - minimal / 2;
  }

 private:
  std::vector<double> point_, gradient_;
};

struct FirstOrderScratch {
  std::vector<double> y, w, u, right, last, J, gradient;
  Slope smooth, sharp;
};

void project_all(const Contacts& c, std::vector<double>& x) {
  for (int a = 0; a < c.n; ++a) project(Cone::second_order, 3, c.mu[a], x.data() + 3 * a);
}

double shift(const Contacts& c, int a, const double* u) {
  return c.associated[a] ? 0 : c.mu[a] * std::sqrt(u[3 * a + 1] * u[3 * a + 1] + u[3 * a + 2] * u[3 * a + 2]);
}

/// Offers the point; true when Newton may take over.
bool look(ContactWork& work, const std::vector<double>& x, std::vector<double>& u) {
  work.offer(x, u, work.judge(x, u));
  return work.done() || work.contacts.look(x.data(), u.data()).distance <= kHandOver;
}

void finish(ContactWork& work) {
  proximal_newton(work, 2000);
  polish(work);
}

void factorise(ContactWork& work, double rho, std::vector<double>& J) {
  const Contacts& c = work.contacts;
  J = c.W;
  for (int a = 0; a < c.n; ++a)
    for (int i = 0; i < 3; ++i) J[9 * static_cast<std::size_t>(c.diagonal[a]) + 4 * i] += rho;
  work.lu.factorise(J.data());
}

void admm(ContactWork& work, int limit) {
  constexpr int kSpectral = 5;  // iterations between two looks at the spectrum
  const Contacts& c = work.contacts;
  FirstOrderScratch& s = work.scratch->of<FirstOrderScratch>();
  const std::size_t n = work.x.size();
  double rho = 1;
  s.y = work.x, s.w.assign(n, 0.0), s.u.resize(n), s.right.resize(n), s.gradient.resize(n);
  s.smooth.forget(), s.sharp.forget();
  work.contacts.form();
  work.lu.analyse(c.n, c.pointers, c.columns);
  factorise(work, rho, s.J);
  for (int k = 0; k < (limit > 0 ? limit : 1000) && !work.done(); ++k) {
    ++work.iterations;
    const bool spectral = k % kSpectral == kSpectral - 1;
    c.velocities(s.y.data(), s.u.data());
    for (std::size_t i = 0; i < n; ++i) s.right[i] = rho * (s.y[i] - s.w[i]) - c.q[i];
    for (int a = 0; a < c.n; ++a) s.right[3 * a] -= shift(c, a, s.u.data());
    work.lu.solve(s.right.data());
    double a = 0, b = 0;
    if (spectral) {
      for (std::size_t i = 0; i < n; ++i) s.gradient[i] = rho * (s.y[i] - s.w[i] - s.right[i]);
      a = s.smooth.look(s.right, s.gradient);
    }
    for (std::size_t i = 0; i < n; ++i) s.right[i] = 1.6 * s.right[i] - 0.6 * s.y[i];
    for (std::size_t i = 0; i < n; ++i) s.y[i] = s.right[i] + s.w[i];
    project_all(c, s.y);
    for (std::size_t i = 0; i < n; ++i) s.w[i] += s.right[i] - s.y[i];
    if (k % kLook == kLook - 1 && look(work, s.y, s.u)) break;
    if (!spectral) continue;
    for (std::size_t i = 0; i < n; ++i) s.gradient[i] = rho * s.w[i];
    b = s.sharp.look(s.y, s.gradient);
    const double next = std::clamp(a > 0 && b > 0 ? std::sqrt(a * b) : a > 0 ? a : b > 0 ? b : rho, 1e-5, 1e3);
    if (next < 2 * rho && rho < 2 * next) continue;
    for (double& value : s.w) value *= rho / next;
    rho = next;
    factorise(work, rho, s.J);
  }
  finish(work);
}

/// The largest eigenvalue of W^T W, square root of, from a fixed start.
double largest_value(const Contacts& c, std::vector<double>& x, std::vector<double>& u) {
  double size = 1;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + 0.1 * static_cast<double>(i % 7);
  for (int k = 0; k < 30; ++k) {
    double norm = 0;
    for (const double value : x) norm += value * value;
    norm = std::sqrt(norm);
    for (double& value : x) value /= norm;
    c.velocities(x.data(), u.data());
    size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = u[i] - c.q[i], size += x[i] * x[i];
    size = std::sqrt(size);
    if (!(size > 0)) return 1;
  }
  return size;
}

void accelerated_gradient(ContactWork& work, int limit) {
  const Contacts& c = work.contacts;
  FirstOrderScratch& s = work.scratch->of<FirstOrderScratch>();
  const std::size_t n = work.x.size();
  s.right.resize(n), s.u.resize(n);
  const double t = 1 / largest_value(c, s.right, s.u);
  s.y = s.last = s.right = work.x;
  double theta = 1;
  for (int k = 0; k < (limit > 0 ? limit : 5000) && !work.done(); ++k) {
    ++work.iterations;
    c.velocities(s.y.data(), s.u.data());
    for (int a = 0; a < c.n; ++a) s.u[3 * a] += shift(c, a, s.u.data());
    for (std::size_t i = 0; i < n; ++i) s.right[i] = s.y[i] - t * s.u[i];
    project_all(c, s.right);
    double uphill = 0;
    for (std::size_t i = 0; i < n; ++i) uphill += (s.y[i] - s.right[i]) * (s.right[i] - s.last[i]);
    const double next = (1 + std::sqrt(1 + 4 * theta * theta)) / 2, momentum = uphill > 0 ? 0 : (theta - 1) / next;
    theta = uphill > 0 ? 1 : next;
    for (std::size_t i = 0; i < n; ++i) s.y[i] = s.right[i] + momentum * (s.right[i] - s.last[i]);
    s.last = s.right;
    if (k % kLook == kLook - 1 && look(work, s.right, s.u)) break;
  }
  finish(work);
}

/// One sweep over the rows asked for, with the discs' radii given.
void sweep_rows(const Contacts& c, bool normal, bool tangential, const std::vector<double>& radius,
                std::vector<double>& x) {
  for (int a = 0; a < c.n; ++a) {
    double u[3] = {c.q[3 * a], c.q[3 * a + 1], c.q[3 * a + 2]};
    for (int k = c.pointers[a]; k < c.pointers[a + 1]; ++k) {
      const double *B = c.W.data() + 9 * static_cast<std::size_t>(k), *y = x.data() + 3 * c.columns[k];
      for (int i = 0; i < 3; ++i) u[i] += B[i] * y[0] + B[3 + i] * y[1] + B[6 + i] * y[2];
    }
    const double* D = c.W.data() + 9 * static_cast<std::size_t>(c.diagonal[a]);
    double* at = x.data() + 3 * a;
    if (normal && D[0] > 0) {
      const double next = std::max(0.0, at[0] - u[0] / D[0]);
      for (int i = 1; i < 3; ++i) u[i] += D[i] * (next - at[0]);
      at[0] = next;
    }
    const double trace = D[4] + D[8];
    if (!tangential || !(trace > 0)) continue;
    at[1] -= u[1] / trace, at[2] -= u[2] / trace;
    const double size = std::sqrt(at[1] * at[1] + at[2] * at[2]);
    if (size > radius[a]) at[1] *= radius[a] / size, at[2] *= radius[a] / size;
  }
}

/// Both fixed points: `apart` solves the two halves one after the other.
void fixed_point(ContactWork& work, int limit, bool apart) {
  work.contacts.form();
  constexpr int kSweeps = 5;
  const Contacts& c = work.contacts;
  FirstOrderScratch& s = work.scratch->of<FirstOrderScratch>();
  s.y = work.x, s.u.resize(work.x.size()), s.w.resize(static_cast<std::size_t>(c.n));
  const auto radii = [&] {
    for (int a = 0; a < c.n; ++a) s.w[a] = c.mu[a] * std::max(0.0, s.y[3 * a]);
  };
  for (int k = 0; k < (limit > 0 ? limit : 400) && !work.done(); ++k) {
    ++work.iterations;
    if (apart) {
      for (int i = 0; i < kSweeps; ++i) sweep_rows(c, true, false, s.w, s.y);
      radii();
      for (int i = 0; i < kSweeps; ++i) sweep_rows(c, false, true, s.w, s.y);
    } else {
      radii();
      for (int i = 0; i < kSweeps; ++i) sweep_rows(c, true, true, s.w, s.y);
    }
    if (look(work, s.y, s.u)) break;
  }
  finish(work);
}

void tresca(ContactWork& work, int limit) { fixed_point(work, limit, false); }
void panagiotopoulos(ContactWork& work, int limit) { fixed_point(work, limit, true); }

}  // namespace
}  // namespace detail

namespace {

class FirstOrder final : public Solver {
 public:
  FirstOrder(std::string name, std::string summary, void (*method)(detail::ContactWork&, int))
      : info_{std::move(name), std::move(summary), "joints, nonnegative, friction in the plane and in space", false},
        method_(method) {}
  const SolverInfo& info() const override { return info_; }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_on_contacts(problem, options, solution, scratch, method_);
  }

 private:
  SolverInfo info_;
  void (*method_)(detail::ContactWork&, int);
};

}  // namespace

const Solver& admm_solver();
const Solver& admm_solver() {
  static const FirstOrder kSolver("admm", "alternating directions, over-relaxed, spectral penalty; then Newton",
                                  detail::admm);
  return kSolver;
}
const Solver& accelerated_gradient_solver();
const Solver& accelerated_gradient_solver() {
  static const FirstOrder kSolver("accelerated-gradient",
                                  "projected gradient with Nesterov's momentum and restarts; then Newton",
                                  detail::accelerated_gradient);
  return kSolver;
}
const Solver& tresca_solver();
const Solver& tresca_solver() {
  static const FirstOrder kSolver("tresca", "fixed point on the threshold of friction; then Newton", detail::tresca);
  return kSolver;
}
const Solver& panagiotopoulos_solver();
const Solver& panagiotopoulos_solver() {
  static const FirstOrder kSolver("panagiotopoulos", "normal impulses and friction in turn; then Newton",
                                  detail::panagiotopoulos);
  return kSolver;
}

}  // namespace ricochet
