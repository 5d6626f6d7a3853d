#pragma once
// Contacts whose mode is known are a linear system. Modes live in scratch.mode, at the row of the contact's normal.
// Only for problems with friction of dimension 2 (`polyhedral`), dense; joints stick always.
#include "ricochet/solver/frame/frame.hpp"

namespace ricochet::detail {

enum Mode : int {
  kOpen,      ///< p = 0
  kStick,     ///< u = 0, normal and tangential; for a frictionless contact: closed
  kSlipUp,    ///< p_T = +mu p_N
  kSlipDown,  ///< p_T = -mu p_N
};

/// Modes that the multipliers p suggest; if p = 0, those that b suggests.
void guess_modes(const Problem& problem, const double* p, int* mode);
/// Modes of the projection argument p - rho u: one step of the primal-dual active set method. True if one changed.
bool update_modes(const Problem& problem, const double* p, const double* u, int* mode);
/// Solves the linear system of the modes. Multipliers of a singular system are those of least norm; false then.
bool solve_modes(const Problem& problem, const int* mode, double* p, SolverScratch& scratch);
/// Moves p by round-off onto the cones; true if anything moved.
bool clamp(const Problem& problem, double* p);

/// Sweeps of solve and update, from the modes that solution.p suggests. True if the residual reached round-off, or
/// at the end the tolerance; else solution.p is the best point met.
bool solve_active_set(const Problem& problem, const Goal& goal, int sweeps, Solution& solution, SolverScratch& scratch);

}  // namespace ricochet::detail
