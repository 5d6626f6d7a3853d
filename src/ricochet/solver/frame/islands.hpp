#pragma once
// Blocks that W does not couple, neither directly nor through others, are problems of their own: separate stacks, one
// body after another that rests by itself. Each of these islands goes its own way through a solver, with its own units,
// iterations and line searches, bit for bit as if it were alone and asked for the accuracy below.
//
//   velocity   the criterion is a maximum over blocks: the same tolerance for each.
//   relative   e = |map| / N, N = max(|p|, |rho b|). With N_i of the island alone and F_i = |rho b| sqrt(n_i / n), its
//              share of the whole load by its n_i of n blocks,
//                  sum max(N_i, F_i)^2 <= |p|^2 + |rho b|^2 + |rho b|^2 <= 3 N^2,
//              so that |map_i| <= tolerance / sqrt(3) max(N_i, F_i) makes a whole within the tolerance. An island whose
//              loads are small, or round-off, next to the others' is not resolved relative to itself, but to them.
//
// The whole is judged at the end; where that is within the tolerance, an island that missed its own is none the worse.
// One that is found infeasible has p = 0, whatever it grew to, before that, and the others have their multipliers.
//
// Iterations are those of the island that needs most; a limit on them holds for each.
#include <functional>

#include "ricochet/solver/frame/frame.hpp"

namespace ricochet::detail {

/// A solver for problems without joints; u and residual come from `conclude`.
using Core = std::function<void(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch)>;

/// Runs the core on each island; on the problem itself if that is one, or W is factored. Where there are several
/// and `sweeps` > 0, so many sweeps of Gauss-Seidel over the whole (much the same as over each island) come first:
/// where they are enough for the whole that is all, whatever single islands would say.
void on_islands(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, const Core& core,
                int sweeps = 0);

}  // namespace ricochet::detail
