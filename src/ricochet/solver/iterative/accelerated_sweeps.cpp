#include "ricochet/solver/iterative/accelerated_sweeps.hpp"

#include "ricochet/math/cone.hpp"

namespace ricochet::detail {
namespace {

/// Four sums, so that they do not wait for each other; their order is fixed.
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double s[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) s[k] += a[i + k] * b[i + k];
  for (; i < a.size(); ++i) s[0] += a[i] * b[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

/// A x = r of a symmetric positive matrix; r becomes x.
template <class Matrix, class Vector>
void solve_small(Matrix& A, Vector& r, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const double factor = A[j][i] / A[i][i];
      for (int k = i; k < n; ++k) A[j][k] -= factor * A[i][k];
      r[j] -= factor * r[i];
    }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) r[i] -= A[i][j] * r[j];
    r[i] /= A[i][i];
  }
}

}  // namespace

void AcceleratedSweeps::start(ContactWork& work) {
  work_ = &work;
  const std::size_t n = work.x.size();
  x_ = work.x;
  for (std::vector<double>* v : {&g_, &f_, &last_f_, &last_g_}) v->resize(n);
  for (Change& change : window_) change.f.resize(n), change.g.resize(n);
  forget();
}

void AcceleratedSweeps::forget() {
  kept_ = next_ = 0;
  fresh_ = true;
}

void AcceleratedSweeps::remember() {
  if (!fresh_) {
    Change& change = window_[next_];
    for (std::size_t i = 0; i < f_.size(); ++i) change.f[i] = f_[i] - last_f_[i], change.g[i] = g_[i] - last_g_[i];
    kept_ = std::min(kept_ + 1, kWindow);
    for (int j = 0; j < kept_; ++j) products_[next_][j] = products_[j][next_] = dot(change.f, window_[j].f);
    next_ = (next_ + 1) % kWindow;
  }
  last_f_.swap(f_), last_g_.swap(g_);
  fresh_ = false;
}

void AcceleratedSweeps::combine() {
  auto A = products_;
  std::array<double, kWindow> weight{};
  double trace = 0;
  for (int j = 0; j < kept_; ++j) trace += A[j][j];
  for (int j = 0; j < kept_; ++j) A[j][j] += kRegular * trace, weight[j] = dot(window_[j].f, last_f_);
  x_ = last_g_;
  if (!(trace > 0)) return;
  solve_small(A, weight, kept_);
  for (int j = 0; j < kept_; ++j)
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] -= weight[j] * window_[j].g[i];
  const Contacts& c = work_->contacts;
  for (int a = 0; a < c.n; ++a) ricochet::project(Cone::second_order, 3, c.mu[a], x_.data() + 3 * a);
}

int AcceleratedSweeps::advance(int most) {
  const int count = std::min(most, kLook);
  for (int k = 0; k < count; ++k) {
    g_ = x_;
    sweep(work_->contacts, g_.data());
    ++work_->iterations;
    for (std::size_t i = 0; i < x_.size(); ++i) f_[i] = g_[i] - x_[i];
    if (k + 1 == count) {
      const double error = work_->judge(g_, u_);
      work_->offer(g_, u_, error);
      if (work_->done()) break;
      if (!(error <= kAstray * work_->error)) {
        forget();
        x_ = work_->x;
        break;
      }
    }
    remember();
    combine();
  }
  return count;
}

}  // namespace ricochet::detail
