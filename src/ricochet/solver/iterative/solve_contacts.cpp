// The way of `auto` with contacts in space: what is cheap first, what is strong after, the same for the same problem.
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet::detail {
namespace {

constexpr int kFew = 10;  ///< contacts up to which Newton is tried before anything stronger

struct Kept {
  std::vector<double> x, u;
};

/// Runs a method that starts anew; keeps the better of both points.
template <class Method>
void from_elsewhere(ContactWork& work, Method method) {
  Kept& kept = work.scratch->of<Kept>();
  kept.x = work.x, kept.u = work.u;
  const double error = work.error;
  work.error = std::numeric_limits<double>::infinity();
  method();
  work.offer(kept.x, kept.u, error);
}

}  // namespace

void solve_contacts(ContactWork& work, int limit) {
  bool warm = false;
  for (const double value : work.x) warm = warm || (value != 0 && work.swept == 0);
  if (work.done()) return;
  const auto left = [&](int count) { return std::max(0, std::min(count, limit - work.iterations)); };
  const bool few = work.contacts.n <= kFew;
  gauss_seidel(work, left((few ? 4 : 10) - work.swept));
  if (few || warm) proximal_newton(work, left(12));
  interior_point(work, 1e-5, left(80), false);
  if (work.contacts.look(work.x.data(), work.u.data()).distance > 1e-2) {
    proximal_newton(work, left(60));  // impulses that grow without end show soon
    if (work.certify_infeasible()) return;
  }
  proximal_newton(work, left(40));
  if (work.done() || work.certify_infeasible()) return;
  // The path from a start at the size of the loads, and from one at that of impulses which wedge.
  for (const double size : {1.0, 30.0}) {
    from_elsewhere(work, [&] { central_path(work, left(800), size); });
    proximal_newton(work, left(size == 1 ? 500 : 1000));
    if (work.done() || work.certify_infeasible()) return;
  }
  from_elsewhere(work, [&] {
    interior_point(work, 1e-6, left(150), true);
    proximal_newton(work, left(1000));
  });
}

}  // namespace ricochet::detail
