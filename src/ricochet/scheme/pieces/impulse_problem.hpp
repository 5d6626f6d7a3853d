#pragma once
// The two problems of a step in two impulses, as plain values. With x a velocity and p the impulses of the rows,
//
//     S (x+ - x) = -r + D p,        w(x+) = w + L^T (x+ - x),        K ∋ p ⊥ w(x+) + C p ∈ K*      block by block.
//
// Whoever poses one fills r, the rows of D and L (one block each, of equal dimensions), their values w at x, and what
// is asked of them in `local.blocks`; joints come first. `condense` makes u = W p + b of it, with W = L^T S^-1 D + C
// and b = w - L^T S^-1 r, which is a Problem like any other: to be solved by any solver, or pass by pass
// (set_newton.hpp). Rows are lengths and velocities of one unit: others are made such by a factor.
#include "ricochet/math/operator.hpp"
#include "ricochet/solver/measures.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {

/// Whose rows a block has.
struct ImpulseBlock {
  int candidate = 0;
  int first = 0;  ///< among the rows of all candidates
};

struct ImpulseProblem {
  explicit ImpulseProblem(int n) : r(n), free(n) {}

  VectorXd r;  ///< (n)
  Jacobian D, L;
  Buffer w;                       ///< (rows)
  Buffer give;                    ///< C, the compliance (rows)
  std::vector<ImpulseBlock> who;  ///< by block
  Buffer factor;                  ///< rows of the candidates times this are those here, impulses divided by it (rows)
  Buffer measure;                 ///< what is left of a row, times this, is held to the constraints' tolerance (rows)
  Buffer p;                       ///< on entry a guess, then the answer (rows)
  Problem local;                  ///< blocks; after `condense` W and b

  Jacobian Y;     ///< S^-1 D
  VectorXd free;  ///< S^-1 r  (n)

  int size() const { return D.rows(); }
  void clear() {
    D.clear();
    L.clear();
    who.clear();
    local.clear();
  }
  /// W and b, and what moves x.
  void condense(const Operator& S, Crew* crew);
  /// x+ = x - S^-1 r + Y p
  void move(View x) const;
  /// Largest of what the blocks leave at x with p, each by its measure: w is what the rows are there. Needs `condense`
  /// for some x.
  double left() const;
  /// r - D p
  void balance(View out) const;
};

}  // namespace ricochet
