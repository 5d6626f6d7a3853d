// The central path, followed by arc length. The points
//     r(x, z) = tau / tau_0 r_0,      x^ o z = tau e                                 (the system of cone_newton.hpp)
// form a smooth curve from the starting point, tau_0, to solutions, tau = 0. Where W is rank-deficient or friction
// large the law is far from monotone: the curve turns back in tau many times, and a method that only ever lowers tau
// stands before the fold with a singular matrix. Here tau is one more unknown. With the tangent t = d(x, z) / d tau and
// the corrector c at fixed tau, a step is
//     (x, z) += c + (D tau) t,      tau += D tau
// the part of D tau that belongs to c such that the contacts which move fastest along the curve stay where they are
// (local parametrisation: at a fold t and c grow without bound, c + D tau t does not); the rest of it is the stride
// along the curve. Which way is forward follows from the sign of the determinant: tau falls where it is that of the
// start and rises where it is not (Allgower and Georg, Introduction to numerical continuation methods, ch. 2.1), so
// that no step is too long to know its direction.
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/cone_newton.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kReject = 2;             ///< correctors longer than this, relative to x and z, lead nowhere
constexpr double kPredict = 1;            ///< up to here a stride is taken together with the correction
constexpr double kCentralFraction = 0.9;  ///< of the way to the boundary
constexpr double kLongest = 6;            ///< stride, in units of log tau where nothing turns
constexpr int kRejections = 10;           ///< rejections one after another
/// Where the path is lost: W plus this much first, because strongly loaded contacts hold their place along the null
/// space of W by z alone, and that is below the digits of W x; then shorter correctors, for a law that bends.
constexpr struct {
  double proximal;
  bool damped;
} kRemedies[] = {{0, false}, {1e-10, false}, {1e-8, false}, {0, true}};
constexpr int kGlimpse = 12;  ///< Newton steps to see whether the end is near
constexpr double kFirstLook = 1e-4, kLastLook = 1e-11;
/// A path that is not there by then is long; near as it may be, Newton with a large proximal term is tried once.
constexpr int kLong = 50, kLongGlimpse = 90;
constexpr double kClose = 1e-3;

class CentralPath {
 public:
  void start(ContactWork& work, double size) {
    work_ = &work;
    newton_.start(work, size);
    const std::size_t n = work.x.size();
    for (std::vector<double>* v : {&r_, &r_start_, &cx_, &cz_, &tx_, &tz_, &next_cx_, &next_cz_, &next_tx_, &next_tz_})
      v->assign(n, 0.0);
    newton_.judge();
    tau_ = 0;
    for (int a = 0; a < newton_.contacts(); ++a) {
      double hat[3];
      newton_.residual(a, r_start_.data() + 3 * a);
      newton_.to_hat(a, newton_.x.data() + 3 * a, hat);
      tau_ += lorentz::dot(hat, newton_.z.data() + 3 * a) / newton_.contacts();
    }
    tau_start_ = tau_, stride_ = damping_ = 1, remedy_ = 0, rejected_ = 0, first_ = true;
  }

  /// True if there is a point with this relative error or the target is met; false if lost or out of iterations.
  bool follow(double stop, int limit) {
    while (work_->iterations < limit) {
      const double error = newton_.judge();
      if (work_->done() || error <= stop) return true;
      if (!finite(error)) return false;
      ++work_->iterations;
      linearise();
      const double off = correct();
      bool predict = true;
      if (off <= kReject || first_) {
        predict = accept(off);
      } else {
        newton_.x = good_x_, newton_.z = good_z_, tau_ = good_tau_;
        stride_ /= 3;
        if (kRemedies[remedy_].damped && rejected_ >= 2) damping_ /= 2;
        if (++rejected_ > kRejections) {
          if (++remedy_ == std::size(kRemedies)) return false;
          rejected_ = 0, stride_ = 0.1;
          continue;
        }
      }
      advance(predict);
    }
    return false;
  }

 private:
  /// Tangent and corrector at fixed tau.
  void linearise() {
    newton_.linearise(false, kRemedies[remedy_].proximal);
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = -r_start_[i] / tau_start_;
    for (int a = 0; a < newton_.contacts(); ++a) newton_.inverse(a, next_tz_.data() + 3 * a);
    for (std::size_t i = 0; i < r_.size(); ++i) next_cz_[i] = tau_ * next_tz_[i] - newton_.z[i];
    for (int a = 0; a < newton_.contacts(); ++a)
      if (newton_.ray(a)) next_cz_[3 * a + 1] = next_cz_[3 * a + 2] = 0;
    newton_.solve(r_, next_tx_, next_tz_);
    for (int a = 0; a < newton_.contacts(); ++a) {
      double r[3];
      newton_.residual(a, r);
      for (int i = 0; i < 3; ++i) r_[3 * a + i] = r[i] - tau_ / tau_start_ * r_start_[3 * a + i];
    }
    newton_.solve(r_, next_cx_, next_cz_);
  }

  /// (p, q) of one contact relative to its x and z, times tau.
  double product(int a, const std::vector<double>& px, const std::vector<double>& pz, const std::vector<double>& qx,
                 const std::vector<double>& qz) const {
    const int i = 3 * a;
    if (newton_.ray(a)) {
      const double w = newton_.z[i] / newton_.x[i];
      return w * px[i] * qx[i] + pz[i] * qz[i] / w;
    }
    double v[3], p[3], q[3];
    newton_.to_hat(a, px.data() + i, v), newton_.scaling[a].solve(v, p);
    newton_.to_hat(a, qx.data() + i, v), newton_.scaling[a].solve(v, q);
    const double sum = lorentz::dot(p, q);
    newton_.scaling[a].times(pz.data() + i, p), newton_.scaling[a].times(qz.data() + i, q);
    return sum + lorentz::dot(p, q);
  }

  /// The corrector with tau free, and its size: the largest change of a contact, or of log tau.
  double correct() {
    double top = 0, bottom = 1, fastest = 1, worst = 0;
    for (int a = 0; a < newton_.contacts(); ++a) {
      const double speed = product(a, next_tx_, next_tz_, next_tx_, next_tz_) * tau_;
      top += speed * product(a, next_cx_, next_cz_, next_tx_, next_tz_), bottom += speed * speed;
      fastest = std::max(fastest, speed);
    }
    next_slide_ = -top / bottom, next_fastest_ = std::sqrt(fastest);
    for (std::size_t i = 0; i < r_.size(); ++i) {
      next_cx_[i] += next_slide_ * tau_ * next_tx_[i];
      next_cz_[i] += next_slide_ * tau_ * next_tz_[i];
    }
    for (int a = 0; a < newton_.contacts(); ++a)
      worst = std::max(worst, product(a, next_cx_, next_cz_, next_cx_, next_cz_));
    return std::max(std::abs(next_slide_), std::sqrt(worst / tau_));
  }

  /// Makes this the point to go on from; whether a stride may be taken with the correction.
  bool accept(double off) {
    cx_.swap(next_cx_), cz_.swap(next_cz_), tx_.swap(next_tx_), tz_.swap(next_tz_);
    slide_ = next_slide_, fastest_ = next_fastest_;
    good_x_ = newton_.x, good_z_ = newton_.z, good_tau_ = tau_;
    if (first_) orientation_ = newton_.orientation();
    forward_ = -orientation_ * newton_.orientation();
    const bool predict = off <= kPredict;
    if (rejected_ == 0 && !first_)
      stride_ = !predict ? 0.7 * stride_
                         : std::min(kLongest, off < 0.1    ? 2.5 * stride_
                                              : off < 0.25 ? 1.5 * stride_
                                                           : stride_);
    rejected_ = 0, damping_ = 1, first_ = false;
    return predict;
  }

  void advance(bool predict) {
    const double by = predict ? tau_ * elementary::expm1(std::min(3.0, forward_ * stride_ / fastest_)) : 0;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      next_cx_[i] = damping_ * cx_[i] + by * tx_[i];
      next_cz_[i] = damping_ * cz_[i] + by * tz_[i];
    }
    const double step = std::min(1.0, kCentralFraction * newton_.reach(next_cx_, next_cz_));
    newton_.move(step, next_cx_, next_cz_);
    tau_ += step * (by + damping_ * slide_ * tau_);
    if (step < 1 && predict) stride_ *= std::max(step, 0.3);
  }

  ContactWork* work_ = nullptr;
  ConeNewton newton_;
  std::vector<double> r_, r_start_;
  std::vector<double> cx_, cz_, tx_, tz_, next_cx_, next_cz_, next_tx_, next_tz_;  ///< correctors and tangents
  std::vector<double> good_x_, good_z_;                                            ///< where to go back to
  double tau_ = 0, tau_start_ = 0, good_tau_ = 0;
  double slide_ = 0, next_slide_ = 0;      ///< change of log tau that belongs to the corrector
  double fastest_ = 1, next_fastest_ = 1;  ///< largest change of a contact, per change of log tau; at least 1
  double stride_ = 1, damping_ = 1;        ///< along the path, and of the corrector
  std::size_t remedy_ = 0;
  int orientation_ = 1, forward_ = -1, rejected_ = 0;
  bool first_ = true;
};

}  // namespace

void central_path(ContactWork& work, int count, double size) {
  if (work.done() || work.contacts.n == 0) return;
  CentralPath& path = work.scratch->of<CentralPath>();
  const int limit = work.iterations + count;
  path.start(work, size);
  if (!path.follow(kFirstLook, std::min(limit, work.iterations + kLong)) && work.iterations < limit) {
    const double distance = work.contacts.look(work.x.data(), work.u.data()).distance;
    if (distance <= kClose)
      proximal_newton(work, std::min(kLongGlimpse, limit - work.iterations), alart_curnier, std::sqrt(distance));
  }
  for (double stop = kFirstLook; stop >= kLastLook && path.follow(stop, limit) && !work.done(); stop /= 10)
    proximal_newton(work, std::min(kGlimpse, limit - work.iterations));
}

}  // namespace detail

namespace {

class CentralPathSolver final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{
        "central-path", "the interior point's path by arc length, through its folds; Newton for the last digits",
        "joints, nonnegative, friction in the plane and in space", false};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_on_contacts(problem, options, solution, scratch, [](detail::ContactWork& work, int limit) {
      detail::central_path(work, limit > 0 ? limit : 3000);
      detail::proximal_newton(work, limit > 0 ? limit : 1000);
      detail::polish(work);
    });
  }
};

}  // namespace

const Solver& central_path_solver();
const Solver& central_path_solver() {
  static const CentralPathSolver kSolver;
  return kSolver;
}

}  // namespace ricochet
