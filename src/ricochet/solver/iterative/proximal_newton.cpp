// Proximal point around semismooth Newton. Each outer step solves
//     u = W x + q + alpha (x - y),     K ∋ x ⊥ u + mu |u_T| n ∈ K*,     y the point before,
// which is regular whatever the rank of W, by Newton on one of the equations of a contact (`contact_map.hpp`) with
// sparse factors; alpha goes to zero as long as Newton follows, so that the end is quadratic. Where contacts are
// redundant (four corners of a face) and contradict each other by little, the impulses have to travel along the null
// space of W until one of them opens: the way is residual / alpha, and small alpha make it in one stride. Newton steps
// are taken in full while the merit falls within a few of them (a watchdog): on the way statuses change by the dozen
// and a monotone search would stall. rho, which decides about statuses, changes in a fixed cycle on failure.
// Rockafellar, SIAM J. Control Optim. 14 (1976).
#include <cmath>

#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kRho[] = {100, 10, 1000, 1};
constexpr int kIdleSteps = 8;      ///< full steps without progress
constexpr int kLongestInner = 30;  ///< Newton steps for one alpha
constexpr double kLeastAlpha = 1e-13;

class ProximalNewton {
 public:
  void start(ContactWork& work, ContactEquation& equation, double alpha) {
    work_ = &work, contacts_ = &work.contacts, equation_ = &equation, cycle_ = 0;
    work.contacts.form();
    const std::size_t n = work.x.size();
    x_ = center_ = lowest_ = work.x;
    u_.resize(n), v_.resize(n), F_.resize(n), step_.resize(n), trial_.resize(n);
    map_.resize(static_cast<std::size_t>(contacts_->n));
    J_.resize(contacts_->W.size());
    alpha_ = std::min(1.0, alpha > 0 ? alpha : start_alpha());
  }

  void run(int count) {
    iterate(count);
    work_->last = x_;
  }

 private:
  void iterate(int count) {
    work_->lu.analyse(contacts_->n, contacts_->pointers, contacts_->columns);
    const int limit = work_->iterations + count;
    double floor = kLeastAlpha;
    int hold = 0, stale = 0;
    while (work_->iterations < limit && !work_->done() && stale < 300) {
      const double before = work_->error;
      const int used = work_->iterations;
      const bool solved = inner(limit);
      stale = work_->error < before ? 0 : stale + 1;
      const int steps = work_->iterations - used;
      if (!solved) {
        x_ = lowest_merit_ < first_merit_ ? lowest_ : center_;
        cycle_ = (cycle_ + 1) % static_cast<int>(std::size(kRho));
        floor = 3 * alpha_, hold = 4;
        alpha_ = std::min(3 * alpha_, 100.0);
        continue;
      }
      alpha_ *= steps <= 3 ? 0.03 : steps <= 8 ? 0.1 : steps <= 14 ? 0.5 : 1;
      if (hold > 0) --hold, alpha_ = std::max(alpha_, floor);
      alpha_ = std::max(alpha_, kLeastAlpha);
    }
  }

  /// How far off the starting point is, whatever the criterion.
  double start_alpha() const { return contacts_->look(work_->x.data(), work_->u.data()).distance; }

  /// |F| at x, with the maps; u of x is left in u_.
  double merit(const std::vector<double>& x) {
    contacts_->velocities(x.data(), u_.data());
    const double rho = kRho[cycle_];
    contacts_->each([&](int a) {
      for (int i = 3 * a; i < 3 * a + 3; ++i) v_[i] = u_[i] + alpha_ * (x[i] - center_[i]);
      ContactMap& map = map_[a];
      equation_(contacts_->mu[a], contacts_->associated[a] != 0, rho, x.data() + 3 * a, v_.data() + 3 * a, map);
      for (int i = 0; i < 3; ++i) F_[3 * a + i] = map.F[i];
    });
    double sum = 0;
    for (const double value : F_) sum += value * value;
    return std::sqrt(sum);
  }

  /// step_ := -J^-1 F, J = A + B (W + alpha).
  void newton_step() {
    contacts_->each([&](int a) {
      const ContactMap& map = map_[a];
      for (int k = contacts_->pointers[a]; k < contacts_->pointers[a + 1]; ++k) {
        const double* W = contacts_->W.data() + 9 * static_cast<std::size_t>(k);
        double* J = J_.data() + 9 * static_cast<std::size_t>(k);
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i)
            J[i + 3 * j] = map.B[i] * W[3 * j] + map.B[3 + i] * W[3 * j + 1] + map.B[6 + i] * W[3 * j + 2];
        if (k == contacts_->diagonal[a])
          for (int i = 0; i < 9; ++i) J[i] += map.A[i] + alpha_ * map.B[i];
      }
    });
    work_->lu.factorise(J_.data());
    for (std::size_t i = 0; i < F_.size(); ++i) step_[i] = -F_[i];
    work_->lu.solve(step_.data());
  }

  void move(double length) {
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + length * step_[i];
  }

  /// Takes the step: in full, or the best of a few halvings. Returns the length.
  double advance(bool search, double& m) {
    double best = 1, least = std::numeric_limits<double>::infinity(), last = 1;
    for (double length = 1; length > (search ? 1e-2 : 0.9); length /= 2) {
      move(length);
      const double here = merit(trial_);
      last = length;
      if (here < least) least = here, best = length;
      if (here <= (1 - 0.1 * length) * m) break;
    }
    move(best);
    x_.swap(trial_);
    m = last == best && least < std::numeric_limits<double>::infinity() ? least : merit(x_);
    return best;
  }

  double travelled() const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += (x_[i] - center_[i]) * (x_[i] - center_[i]);
    return std::sqrt(sum);
  }

  /// One proximal step from x_; true if its equation is solved, or the target met.
  bool inner(int limit) {
    center_ = x_;
    double m = merit(x_), reference = m;
    first_merit_ = lowest_merit_ = m;
    lowest_ = x_;
    bool search = false;
    for (int k = 0, idle = 0; k < kLongestInner && work_->iterations < limit; ++k) {
      ++work_->iterations;
      newton_step();
      const double length = advance(search, m);
      if (!(m < std::numeric_limits<double>::infinity())) return false;
      const double here = contacts_->error(work_->criterion, contacts_->look(x_.data(), u_.data()));
      work_->offer(x_, u_, here);
      if (work_->done() || m <= 0.1 * alpha_ * travelled() || m < 1e-16) return true;
      if (m < lowest_merit_) lowest_merit_ = m, lowest_ = x_;
      if (search) {
        if ((length < 0.05 && m > 0.95 * reference) || ++idle > 8) return false;
        reference = m;
      } else if (m < 0.7 * reference) {
        reference = m, idle = 0;
      } else if (++idle >= kIdleSteps) {
        x_ = lowest_;
        reference = m = merit(x_);
        search = true, idle = 0;
      }
    }
    return false;
  }

  ContactWork* work_ = nullptr;
  const Contacts* contacts_ = nullptr;
  ContactEquation* equation_ = nullptr;
  std::vector<double> x_, u_, v_, F_, step_, trial_, center_, lowest_, J_;
  std::vector<ContactMap> map_;
  double alpha_ = 1, first_merit_ = 0, lowest_merit_ = 0;
  int cycle_ = 0;
};

}  // namespace

void proximal_newton(ContactWork& work, int count, ContactEquation& equation, double alpha) {
  if (work.done()) return;
  ProximalNewton& method = work.scratch->of<ProximalNewton>();
  method.start(work, equation, alpha);
  method.run(count);
}

void polish(ContactWork& work, ContactEquation& equation) {
  if (!work.done()) return;
  const double asked = work.target;
  work.target = 0;
  proximal_newton(work, 2, equation);
  work.target = asked;
}

}  // namespace detail

namespace {

class ProximalNewtonSolver final : public Solver {
 public:
  ProximalNewtonSolver(std::string name, std::string summary, detail::ContactEquation& equation)
      : info_{std::move(name), std::move(summary), "joints, nonnegative, friction in the plane and in space", false},
        equation_(&equation) {}
  const SolverInfo& info() const override { return info_; }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_on_contacts(problem, options, solution, scratch, [this](detail::ContactWork& work, int limit) {
      detail::proximal_newton(work, limit > 0 ? limit : 3000, *equation_);
      detail::polish(work, *equation_);
    });
  }

 private:
  SolverInfo info_;
  detail::ContactEquation* equation_;
};

}  // namespace

const Solver& proximal_newton_solver();
const Solver& proximal_newton_solver() {
  static const ProximalNewtonSolver kSolver(
      "proximal-newton",
      "proximal point with Newton on the equation of Alart and Curnier, sparse; any rank of W, quadratic in the end",
      detail::alart_curnier);
  return kSolver;
}
const Solver& natural_map_solver();
const Solver& natural_map_solver() {
  static const ProximalNewtonSolver kSolver(
      "natural-map", "the same with Newton on the projection on the cone, De Saxcé's term included",
      detail::natural_equation);
  return kSolver;
}
const Solver& fischer_burmeister_solver();
const Solver& fischer_burmeister_solver() {
  static const ProximalNewtonSolver kSolver(
      "fischer-burmeister", "the same with Newton on Fischer and Burmeister's function of the Lorentz cone",
      detail::fischer_burmeister);
  return kSolver;
}

}  // namespace ricochet
