// The way of `auto` with contacts in space: what is cheap first, what is strong after, the same for the same problem.
#include "ricochet/solver/contacts.hpp"

namespace ricochet::detail {

void solve_contacts(ContactWork& work, int limit) {
  bool warm = false;
  for (const double value : work.x) warm = warm || value != 0;
  if (work.done()) return;
  const auto left = [&](int count) { return std::max(0, std::min(count, limit - work.iterations)); };
  gauss_seidel(work, left(10));
  if (warm) proximal_newton(work, left(12));
  interior_point(work, 1e-5, left(80), false);
  proximal_newton(work, left(500));
  interior_point(work, 1e-6, left(150), true);
  proximal_newton(work, left(3000));
}

}  // namespace ricochet::detail
