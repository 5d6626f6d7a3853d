#pragma once
// Semismooth Newton on u = W p + b, K ∋ p ⊥ u ∈ K*: sets and values in one linear system. From a guess p, with
// rho = dim / trace(W_kk) and z = p - rho (W p + b), block by block
//
//     free              u = 0
//     nonnegative       z > 0:  u = 0,   else p = 0
//     coulomb, rolling  z_N <= 0:  p = 0;  else u_N = 0, and for each of its discs, of radius R = mu z_N,
//                         |z_T| <= R:  u_T = 0,     else  p_T = mu p_N t + b Pi (p_T - p_T' - rho (u_T - u_T')),
//                         t = z_T / |z_T|,  Pi = 1 - t t^T,  b = R / |z_T|,  primes: at the guess
//     interval          the same with a given radius
//
// which are Newton's equations of p = P_K(p - rho u^), row by row. One pass is exact where its sets are right: a step
// of an active-set method for joints and frictionless contacts. Redundant rows have multipliers of minimum norm. A
// contact that neither carries nor would (z = 0) has none: of two faces that could carry alike the guess decides.
//
// The passes of Newton's method for the nonlinear problem around it are these passes too: W and b are then those of the
// next place. Where the sets turn in a circle there is `solve`, which leaves the present problem to a solver.
#include "ricochet/math/minimum_norm_factor.hpp"
#include "ricochet/solver/problem.hpp"

namespace ricochet {

class SetNewton {
 public:
  /// It takes problems of this kind: dense, no larger than pays, of cones that it knows.
  static bool takes(const Problem& problem);
  /// No sets yet.
  void begin() { marks_.clear(); }
  /// One pass; p is the guess and then the answer. Returns whether the sets are those of the pass before.
  bool pass(const Problem& problem, double* p);
  /// Of the last pass: rows that hold the same motion twice share their multipliers.
  bool redundant() const { return redundant_; }

 private:
  enum Mark : signed char { gone, held, slides };
  void choose(const Problem& problem, const double* p);
  void choose_disc(const ConeBlock& block, int first, int dim, double radius, double coefficient);
  void assemble(const Problem& problem, const double* p);

  /// A disc whose impulse is at its rim.
  struct Disc {
    int row, dim, normal;        ///< rows; that of the normal impulse, -1: the radius is given
    double coefficient, radius;  ///< the radius at the guess
    double t[3], part;           ///< t and b, see above
  };
  std::vector<signed char> marks_, next_;
  std::vector<Disc> discs_;
  std::vector<int> index_, place_;
  std::vector<double> A_, c_;
  Buffer u_, z_, scratch_;
  Buffer rho_;
  MinimumNormFactor factor_;
  bool redundant_ = false;
};

}  // namespace ricochet
