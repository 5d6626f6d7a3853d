#pragma once
// Every sub-problem of every scheme, as plain data:
//
//     u = W p + b,     block by block:  K ∋ p ⊥ u ∈ K*          (free, nonnegative, second-order cones)
//                                       K ∋ p ⊥ u + mu |u_T| n ∈ K*                       (Coulomb's cone)
//
// Blocks with the free cone (joints) come first. W = L^T S^-1 D need not be symmetric. A problem can be built, printed,
// saved, solved and judged without a simulation around it.
#include <vector>

#include "ricochet/solver/delassus.hpp"

namespace ricochet {

struct Problem {
  int rows = 0;
  std::vector<ConeBlock> blocks;
  Delassus W;
  Buffer b;           ///< (rows)
  bool part = false;  ///< of a larger problem whose rest is apart and solved: it is taken as that would be
  double unit = 1;    ///< what a velocity is large beside, in the unit of u; `clear` leaves it

  void clear() {
    rows = 0;
    part = false;
    blocks.clear();
  }
  bool has_friction() const;
};

/// What a tolerance is a tolerance on.
enum class Criterion : std::uint8_t {
  velocity,  ///< natural_residual: the worst block, in the unit of u; what a time step promises
  relative   ///< relative_error: impulses and velocities, without unit; what a problem from a file is judged by
};

enum class SolveStatus : std::uint8_t { converged, iteration_limit, infeasible, singular };
const char* name(SolveStatus status);

/// p on entry is the warm start (zeros: none); p, u and the rest are the answer.
struct Solution {
  Buffer p, u;   ///< (rows)
  int rows = 0;  ///< set by fit alone
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double residual = 0;        ///< natural_residual or relative_error below, as the criterion says
  int blame = -1;             ///< if infeasible: a block that cannot be satisfied
  Buffer proof;               ///< if infeasible: the weights that prove it (rows), see infeasibility.hpp
  bool minimum_norm = false;  ///< multipliers are those of least norm: of redundant joints, or of all if asked for

  /// Makes room; keeps p as a warm start when the size is unchanged, else zeroes it.
  void fit(int m) {
    if (rows != m) resize(m);
  }

 private:
  void resize(int m);
};

/// The one residual that judges every solver, in the unit of u: the natural map p - P_K(p - rho u^) / rho, block by
/// block with rho = dim / trace(W_kk) (1 where the block vanishes), largest block in the maximum norm;
/// u^ = u + mu |u_T| n for Coulomb's cone; |u| for the free cone.
double natural_residual(const Problem& problem, const double* p, const double* u);

/// The same map without unit, unchanged by rescaling forces or velocities, in two parts:
///     impulse    |f| / max(|p|, |rho b|),                  f = p - P_K(p - rho u^), Euclidean norms
///     velocity   largest |f / rho| / largest of |u|, |b|   over all rows; what the last bits of the terms in W p make,
///                2^-50 |p / rho|, but at most 1e-8 of the largest, is told apart
/// with rho = dim / trace(W_kk) block by block, 1 where a diagonal block vanishes; rho u for the free cone; 0 where
/// there is nothing to be relative to. Impulses that are large beside the loads (mass ratios, wedges) hide velocities
/// in the first part, small ones hide in the second.
struct ErrorParts {
  double impulse = 0, velocity = 0;
  double round_off = 0;  ///< of the velocity part
  /// The larger one, velocities below their round-off left out; NaN if either is.
  double larger() const {
    return velocity <= impulse || velocity <= round_off || impulse != impulse ? impulse : velocity;
  }
};
ErrorParts error_parts(const Problem& problem, const double* p, const double* u);
/// The larger of the two parts: a problem is solved when both are within the tolerance.
double relative_error(const Problem& problem, const double* p, const double* u);
/// By either of them.
double error(Criterion criterion, const Problem& problem, const double* p, const double* u);

}  // namespace ricochet
