// The way of `auto` with many contacts: what is cheap first, what is strong after, the same for the same problem.
//
// Accelerated sweeps come first and go on as long as they promise to be done before factors would be: what their pace
// over the latter half of the sweeps so far says is left, against what a dozen factorisations cost, which the fill
// tells. Contacts of a pile in space fill their factors and are left to the sweeps; towers, walls and chains hardly
// fill them, and are slow to sweep. What is near is left to Newton. Then the interior point, and what follows it where
// that fails. All of it is counted in sweeps, iterations and products of blocks: no clock decides.
#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/solver/iterative/accelerated_sweeps.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet::detail {
namespace {

constexpr int kFew = 10;          ///< contacts up to which Newton is tried before anything stronger
constexpr double kNear = 1e-5;    ///< relative error from which Newton needs a few systems
constexpr double kWithin = 1e-4;  ///< where the interior point stalls above this Newton stalls too

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

double distance(const ContactWork& work) { return work.contacts.look(work.x.data(), work.u.data()).distance; }

/// The frictionless problem of masses, which is convex: nothing keeps the interior point from going all the way there,
/// which Newton may not find from near where many contacts neither press nor part.
bool convex(const Contacts& c) {
  constexpr double kSame = 1e-3;  // of a diagonal block: files of single precision are off by 1e-4
  for (int a = 0; a < c.n; ++a) {
    if (c.mu[a] != 0) return false;
    for (int k = c.pointers[a]; k < c.pointers[a + 1] && c.columns[k] < a; ++k) {
      const auto begin = c.columns.begin() + c.pointers[c.columns[k]],
                 end = c.columns.begin() + c.pointers[c.columns[k] + 1], other = std::lower_bound(begin, end, a);
      const double across =
          other != end && *other == a ? c.W[9 * static_cast<std::size_t>(other - c.columns.begin())] : 0;
      if (!(std::abs(c.W[9 * static_cast<std::size_t>(k)] - across) <= kSame)) return false;
    }
  }
  return true;
}

/// How the error falls towards the target with the sweeps.
class Pace {
 public:
  void start(double target) {
    target_ = target;
    logs_.clear();
  }
  void look(double error) { logs_.push_back(elementary::log(error / target_)); }
  int sweeps() const { return AcceleratedSweeps::kLook * (static_cast<int>(logs_.size()) - 1); }
  /// Sweeps that are left, by the latter half of those so far, eight at least; infinite if that gained nothing.
  double left() const {
    const std::size_t now = logs_.size() - 1, back = std::max<std::size_t>(2, now / 2);
    const double gained = now < back ? 0 : logs_[now - back] - logs_[now];
    if (!(gained > 0) || !finite(gained)) return std::numeric_limits<double>::infinity();
    return AcceleratedSweeps::kLook * static_cast<double>(back) * logs_[now] / gained;
  }

 private:
  double target_ = 1;
  std::vector<double> logs_;
};

/// Sweeps as dear as one system with its factors; measured from 50 to 1,100 contacts.
double sweeps_of_a_system(const ContactWork& work) {
  const double sweep = static_cast<double>(work.contacts.columns.size()) + 8.0 * work.contacts.n;
  return 5 + 0.6 * static_cast<double>(work.lu.cost()) / sweep;
}

/// Accelerated sweeps for as long as they are worth it, `most` at most.
void sweep_while_worth(ContactWork& work, int most) {
  constexpr double kSystems = 12;  // as many factorisations as the others take at least
  constexpr double kFinish = 3;    // those of Newton from near
  constexpr int kTrial = 12;       // sweeps before anything can be said
  const Contacts& c = work.contacts;
  AcceleratedSweeps& sweeps = work.scratch->of<AcceleratedSweeps>();
  sweeps.start(work);
  Pace& pace = work.scratch->of<Pace>();
  pace.start(work.target);
  pace.look(work.error);
  double allowed = std::max(36.0, c.n / 10.0);  // to find the fill costs about as much
  double system = 0;                            // in sweeps; 0: not known yet
  while (most > 0 && !work.done()) {
    most -= sweeps.advance(most);
    pace.look(work.error);
    if (work.done() || pace.sweeps() < kTrial) continue;
    const double left = pace.left();
    if (system > 0 && left > kFinish * system && distance(work) <= kNear) return;
    if (pace.sweeps() + left <= allowed) continue;
    if (system > 0) return;
    work.contacts.form();
    work.lu.analyse(c.n, c.pointers, c.columns);
    system = sweeps_of_a_system(work);
    allowed = std::max(allowed, kSystems * system);
    if (!(pace.sweeps() + left <= allowed)) return;
  }
}

}  // namespace

void solve_contacts(ContactWork& work, int limit) {
  bool warm = false;
  for (const double value : work.x) warm = warm || (value != 0 && work.swept == 0);
  if (work.done()) return;
  const auto left = [&](int count) { return std::max(0, std::min(count, limit - work.iterations)); };
  const bool few = work.contacts.n <= kFew;
  if (few) {
    gauss_seidel(work, left(4 - work.swept));
  } else {
    sweep_while_worth(work, left(std::numeric_limits<int>::max()));
  }
  if (work.done()) return;
  if (few || warm || distance(work) <= kNear) proximal_newton(work, left(12));
  work.contacts.form();
  interior_point(work, convex(work.contacts) ? 0 : kNear, left(80), false);
  if (distance(work) > 1e-2) {
    proximal_newton(work, left(60));  // impulses that grow without end show soon
    if (work.certify_infeasible()) return;
  }
  if (distance(work) <= kWithin) proximal_newton(work, left(40));
  if (work.error <= work.enough || work.done() || work.certify_infeasible()) return;
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
