#include "ricochet/solver/iterative/accelerated_sweeps.hpp"

#include "ricochet/math/cone.hpp"

namespace ricochet::detail {

void AcceleratedSweeps::start(ContactWork& work) {
  work_ = &work;
  x_ = work.x;
  anderson_.start(x_.size());
}

int AcceleratedSweeps::advance(int most) {
  const int count = std::min(most, kLook);
  for (int k = 0; k < count; ++k) {
    g_ = x_;
    sweep(work_->contacts, g_.data());
    ++work_->iterations;
    if (k + 1 == count) {
      const double error = work_->judge(g_, u_);
      work_->offer(g_, u_, error);
      if (work_->done()) break;
      if (!(error <= kAstray * work_->error)) {
        anderson_.forget();
        x_ = work_->x;
        break;
      }
    }
    if (!anderson_.step(x_.data(), g_.data())) continue;
    const Contacts& c = work_->contacts;
    for (int a = 0; a < c.n; ++a) ricochet::project(Cone::second_order, 3, c.mu[a], x_.data() + 3 * a);
  }
  return count;
}

}  // namespace ricochet::detail
