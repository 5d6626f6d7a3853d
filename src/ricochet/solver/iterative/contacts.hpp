#pragma once
// A problem without joints as contacts in space, in numbers without unit: what the iterative cone solvers work on.
//
//     u = W x + q,     K ∋ x ⊥ u + mu |u_T| n ∈ K*       (without the shift where the law is the associated one)
//
// With rho_a = 3 / trace(W_aa) of the given problem, p_a = f s_a x_a, s_a = sqrt(rho_a / rho_1), where rho_1 and the
// velocity unit are powers of two next to the largest ones: every diagonal block has mean 1 here, the cones are kept
// because s_a is one number per contact, and a change of units by powers of two leaves every bit of W, q and x alone.
// Frictionless rows are contacts with mu = 0, plane ones have a third row that nothing acts on.
//
// Where the problem keeps L and Y of W = L^T Y in place of blocks, so do the contacts: a sweep carries y = Y p along,
// and its blocks are formed when somebody is to factorise them.
#include <vector>

#include "ricochet/math/team.hpp"
#include "ricochet/solver/frame/frame.hpp"
#include "ricochet/solver/frame/islands.hpp"
#include "ricochet/solver/iterative/contact_map.hpp"
#include "ricochet/solver/linear/block_lu.hpp"

namespace ricochet::detail {

struct Contacts {
  int n = 0;  ///< contacts
  /// Rows of blocks; place of each diagonal block; 9 numbers a block, column major. All of them after `form`.
  std::vector<int> pointers, columns, diagonal;
  std::vector<double> W;
  std::vector<double> own;      ///< the diagonal blocks
  std::vector<double> inverse;  ///< of these; zero if singular
  std::vector<double> q, mu, s;
  std::vector<char> associated;    ///< no shift mu |u_T|
  std::vector<char> flat;          ///< no diagonal block
  std::vector<char> dead;          ///< nothing acts on it, and it on nothing: x = 0
  double force = 1, velocity = 1;  ///< units: p = force s x, b = velocity q / s
  double load = 0;                 ///< |s q|, the size of rho b in these units; at least the goal's `least`
  double speed = 0;                ///< largest |q / s|, that of b in these units; at least the goal's `fastest`

  /// The order of a sweep where contacts are many: colour by colour, no two of a colour coupled by W, so that those of
  /// one can be swept at the same time. Empty: one after another.
  std::vector<int> order, colours;  ///< contacts; where each colour begins, and the end
  Team* team = nullptr;             ///< whoever shares the loops over contacts

  /// body(a) of every contact, shared where there are many: no one may use what another one makes.
  template <class Body>
  void each(Body body) const {
    constexpr int kShared = 400;
    share(team, n, kShared, [&](int begin, int end) {
      for (int a = begin; a < end; ++a) body(a);
    });
  }

  /// From a problem without joints in any storage, which must outlive the work.
  void take(const Problem& problem, Team* team);
  /// Blocks of W, unless they are there.
  void form();
  void import_multipliers(const Problem& problem, const double* p, double* x) const;
  void export_multipliers(const Problem& problem, const double* x, double* p) const;

  /// u = W x + q
  void velocities(const double* x, double* u) const;
  /// L and Y in place of blocks; then y = Y s x, and with it (W x)_a = per_row s_a L_a^T y.
  const Delassus* kept = nullptr;
  double per_row = 1;
  double* pushed(const double* x) const;
  /// How good a point is: the impulse part of its relative error, which tells methods how far they have come; the
  /// largest violation and velocity, and what round-off makes of it, in the unit of `speed`; what that is where the
  /// velocities alone are judged, by the terms of a row, and less than `conclude` allows.
  struct Look {
    double distance, worst, fastest, round_off, rounding;
  };
  Look look(const double* x, const double* u) const;
  /// relative_error or natural_residual of the problem, up to rounding: a velocity that is round-off is none, so that
  /// nobody works on what the verdict does not ask for.
  double error(Criterion criterion, const Look& look) const;

 private:
  void colour();

  const Problem* problem_ = nullptr;
  std::vector<int> contact_of_, local_, seen_, found_;  // of `take`
  std::vector<int> colour_of_, transposed_start_, transposed_, forbidden_;
  std::vector<double> mean_, row_;
  mutable Buffer y_, scaled_;  // of `pushed`
  struct Seen {                // of `look`, at one contact
    double map = 0, worst = 0, fastest = 0, bits = 0, rounding = 0;
  };
  mutable std::vector<Seen> looked_;

  void copy_blocks();
  void gather_blocks();
  void scale_blocks();
  void sort_out_flat();
  /// visit(b) of the contacts that W couples with a, one way or the other.
  template <class Visit>
  void for_each_neighbour(int a, Visit visit) const;
};

/// x_a - P_K(x_a - u^_a) of one contact in these units.
void natural_map(double mu, bool associated, const double* x, const double* u, double* out);

/// One sweep of block Gauss-Seidel: contact after contact, each solved exactly with the others frozen, and moved there
/// `relaxation` times as far, back to the cone if that leaves it.
void sweep(const Contacts& contacts, double* x, double relaxation = 1);

/// What the methods on contacts share: the problem, its factors, the best point so far.
struct ContactWork {
  SolverScratch* scratch = nullptr;  ///< where the methods keep theirs
  const Problem* problem = nullptr;  ///< as given
  Contacts contacts;
  BlockLU lu;
  Criterion criterion = Criterion::relative;
  double target = 0;         ///< on contacts.error
  double enough = 0;         ///< likewise, Goal::enough
  std::vector<double> x, u;  ///< the best multipliers so far and their velocities
  double error = 0;          ///< of x
  std::vector<double> last;  ///< where Newton went in the end: to infinity, if nothing helps
  std::vector<double> last_velocity,
      last_given;  ///< of certify_infeasible: its velocities; itself by the rows of the problem
  int iterations = 0;
  int swept = 0;               ///< Goal::swept
  Buffer proof;                ///< that there is no solution, for the problem as given
  bool contradictory = false;  ///< there is that proof
  double least_closing = 0;    ///< Goal::least_closing

  /// Takes the problem and the warm start in solution.p.
  void take(const Problem& given, const Goal& goal, const Solution& solution, SolverScratch& place);
  /// Puts x into the solution, with status and iterations.
  void give(Solution& solution) const;
  double judge(const std::vector<double>& point, std::vector<double>& velocity) const;
  bool done() const { return error <= target; }
  /// Looks for a proof if `last` has grown without moving anything (W x = 0) while the contacts keep closing
  /// (q . x < 0). True if there is one.
  bool certify_infeasible();
  /// Keeps the point if it is better.
  void offer(const std::vector<double>& point, const std::vector<double>& velocity, double error_there);
};

/// Sweeps from x until the target or `count`.
void gauss_seidel(ContactWork& work, int count, double relaxation = 1);
/// Direct interior point (`lagged`: with the shift mu |u_T| frozen in each linear system) from a point of its own until
/// the target, a relative error of `stop`, `count` iterations or no progress.
void interior_point(ContactWork& work, double stop, int count, bool lagged);
/// The central path by arc length, from a point of its own, `size` times the loads, with glimpses of Newton on the way.
void central_path(ContactWork& work, int count, double size = 1);
/// Proximal point with semismooth Newton inside, from x until the target or `count` linear systems; `alpha`: the first
/// proximal term, 0: the relative error of x.
void proximal_newton(ContactWork& work, int count, ContactEquation& equation = alart_curnier, double alpha = 0);
/// A solved problem to round-off: two more steps of Newton, which cost little.
void polish(ContactWork& work, ContactEquation& equation = alart_curnier);
/// All of them in turn.
void solve_contacts(ContactWork& work, int limit);

/// A core for `solve_without_joints` out of a method on contacts.
template <class Method>
void on_contacts(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, Method method) {
  ContactWork& work = scratch.of<ContactWork>();
  work.take(problem, goal, solution, scratch);
  method(work, goal.max_iterations);
  work.give(solution);
}
template <class Method>
void solve_on_contacts(const Problem& problem, const SolverOptions& options, Solution& solution, SolverScratch& scratch,
                       Method method) {
  solve_without_joints(problem, options, solution, scratch, takes_sparse,
                       [&](const Problem& all, const Goal& goal, Solution& inner, SolverScratch& place) {
                         on_islands(all, goal, inner, place,
                                    [&method](const Problem& contacts, const Goal& part, Solution& one,
                                              SolverScratch& own) { on_contacts(contacts, part, one, own, method); });
                       });
}

}  // namespace ricochet::detail
