#pragma once
// A solver knows cones and matrices; no mechanics, no time.
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "ricochet/math/team.hpp"
#include "ricochet/solver/problem.hpp"

namespace ricochet {

struct SolverOptions {
  double tolerance = 1e-12;  ///< on natural_residual over max(Problem::unit, |b|); or on relative_error
  int max_iterations = 0;    ///< 0: the solver's own default
  Criterion criterion = Criterion::velocity;
  double relaxation = 0;      ///< of Gauss-Seidel: below 2, 1 is none; 0: its own choice
  bool minimum_norm = false;  ///< of all multipliers with the same velocities give those of least Euclidean norm
  /// What will do where the tolerance is far, on natural_residual over Problem::unit, or on relative_error: a solver
  /// may leave it at that before it tries everything; the status then is as if it had. 0: nothing else will do.
  double enough = 0;
};

struct SolverInfo {
  std::string name;
  std::string summary;  ///< one line for `ricochet list solvers`
  std::string accepts;  ///< which problems, in words
  bool exact = false;   ///< ends after finitely many steps at a solution, up to round-off
};

/// Disposable; deleting it between two solves changes no bit of the result.
class SolverScratch {
 public:
  Buffer A, B, x, y, z, r;
  std::vector<int> index, pivot, basis, mode;
  Buffer joint_lu, joint_x;  ///< factors of W_jj; W_jj^-1 [W_jc, b_j]
  std::vector<int> joint_pivot;
  Buffer last;
  Buffer best;      ///< best multipliers met so far
  Problem reduced;  ///< after the joints are eliminated
  Problem trial;    ///< with less friction, on the way to the full one
  Solution reduced_solution;
  bool judged = false;                      ///< u and residual are already those of p
  mutable Crew crew;                        ///< that may share the work; no bit of a result depends on how many
  const std::atomic<bool>* stop = nullptr;  ///< set from outside: what takes long gives up; null: nobody asks

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }

  SolverScratch() = default;
  SolverScratch(const SolverScratch&) = delete;
  SolverScratch& operator=(const SolverScratch&) = delete;

  /// The private scratch of a solver, made on first use.
  template <class Local>
  Local& of() {
    for (auto& [type, local] : locals_)
      if (type == typeid(Local)) return *static_cast<Local*>(local.get());
    locals_.emplace_back(typeid(Local), std::make_shared<Local>());
    return *static_cast<Local*>(locals_.back().second.get());
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> locals_;
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual const SolverInfo& info() const = 0;
  virtual bool accepts(const Problem& problem) const = 0;
  /// solution.p is the warm start on entry. Never throws on numerical trouble: the status says what happened and the
  /// residual is always the true one.
  virtual void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
                     SolverScratch& scratch) const = 0;
};

/// By name out of solvers.def ("auto", "lemke", "enumeration", ...); null if there is none.
const Solver* find_solver(std::string_view name);
std::vector<const Solver*> solvers();

}  // namespace ricochet
