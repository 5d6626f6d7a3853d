#pragma once
// The solvers as functions on problems without joints, so that `auto` can call one after another. Each reads
// solution.p as its warm start and leaves p, status and iterations (added to) there; u and residual come at the end,
// from `conclude`.
#include "ricochet/solver/frame/frame.hpp"

namespace ricochet::detail {

/// Dense or factored; relaxation as in SolverOptions.
void gauss_seidel(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch,
                  double relaxation = 1);
/// Dense, polyhedral; joints may be among the rows.
void lemke(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Rows of the linear complementarity problem that `lemke` would pivot on.
int lemke_size(const Problem& problem);
/// Polyhedral problems whose joints cannot be eliminated, because W_jj is singular without being redundant: the whole
/// problem by `lemke`. Keeps what is in the solution where that is better.
void solve_mixed(const Problem& problem, const SolverOptions& options, Solution& solution, SolverScratch& scratch);
/// Dense, polyhedral, few contacts.
void enumerate_modes(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
bool enumerable(const Problem& problem);
constexpr int kFewRows = 18;  ///< six contacts in space

/// Polyhedral, up to kFewRows: what is quick. True if solved, and judged.
bool solve_small_plane(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Dense or sparse, polyhedral: the part of `auto` for them.
void solve_plane(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Up to six contacts, kFewRows rows, any storage; from p, then from `starts` other points. True if solved, and judged;
/// else p is what it was.
bool solve_few(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, int starts);
/// One contact with friction, dense or one block: exact. True if solved, and judged.
bool solve_alone(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Dense.
void newton(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);

}  // namespace ricochet::detail
