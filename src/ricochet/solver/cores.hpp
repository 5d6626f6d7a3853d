#pragma once
// The solvers as functions on problems without joints, so that `auto` can call one after another. Each reads
// solution.p as its warm start and leaves p, status and iterations (added to) there; u and residual come at the end,
// from `conclude`.
#include "ricochet/solver/pieces.hpp"

namespace ricochet::detail {

/// Dense or factored.
void gauss_seidel(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Dense, polyhedral.
void lemke(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
/// Rows of the linear complementarity problem that `lemke` would pivot on.
int lemke_size(const Problem& problem);
/// Dense, polyhedral, few contacts.
void enumerate_modes(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);
bool enumerable(const Problem& problem);
/// Dense.
void newton(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);

}  // namespace ricochet::detail
