#pragma once
// Loops whose rows depend on each other: which combinations of them a step asks for.
//
// B(q) is the matrix of a loop's rows (model/loops.hpp), N its orthonormal weights with N^T B = 0 at the beginning of
// the step, where the loop is closed, Z what is orthogonal to N. A scheme puts impulses and conditions elsewhere, at
// q_theta and q+. Half a step off the loop the row that says nothing has a pivot of the order h^2, which no threshold
// tells from a small true one, and which makes impulses of 1e9 N where 100 N are true. So the rank is decided at q_k,
//
//     impulses    D p,  p = Z p_Z:  N^T p = 0            conditions   Z^T (L^T x+ + c) = 0
//
// and near the loop the combinations that are asked for imply the others. With P = 1 - N N^T, and rows made lengths
// by their factors, both are in the problem of all rows with
//
//     W <- P W P + s N N^T,     b <- P b       (s > 0: the size of W; `project`, `take_off`)
//
// whose W is regular again: N^T p = -N^T P b / s = 0. No row changes its place, and p is the least of all multipliers
// that do the same on the loop. Where rows are rows of a matrix (held_rows.hpp) as many of them as N has columns are
// left out, conditions are P of the present rows, and P is put to p after each pass: what that changes vanishes with
// the passes.
//
// The pivots that count as zero are those below 1e-9 of the largest, below ten times those of the beginning where
// joints were out of line, and below thirty times what the loop is open by now (schemes whose joints drift), but never
// more of them than at the beginning of the run: in a singular position, where a loop could go two ways, the rest is
// left to the solver.
#include "ricochet/model/loops.hpp"
#include "ricochet/model/scales.hpp"

namespace ricochet {

struct Rows;

class LoopRows {
 public:
  /// The loops of the run that are redundant where the rows were evaluated: all joints at one configuration.
  void find(const Scales* scales, const std::vector<Candidate>& candidates, const Rows& rows);
  bool any() const { return count_ > 0; }

  /// Where their rows are among those of a pick, for what follows. False: nowhere.
  bool place(const std::vector<int>& pick, const Jacobian& G) const;
  // `even`: what the caller's rows were multiplied by already, all of them; null: nothing.
  /// Values of rows, without what is not asked for.
  void take_off(double* u, const double* even = nullptr) const;
  /// Gaps, without what joints that are out of line leave open; what is more stays.
  void forgive(double* g) const;
  /// Multipliers: the least that do the same.
  void lessen(double* p) const;
  /// W above, m x m, column major.
  void project(double* W, int m, const double* even = nullptr) const;
  /// Rows to be left out, as many as combinations, which determine the others.
  void spare(std::vector<char>& out) const;

 private:
  struct Found {
    const Loop* loop = nullptr;
    int redundant = 0;
    std::vector<int> candidates;
    Buffer N;
    mutable std::vector<int> rows;  // of the last `place`
    mutable bool placed = false;
    double factor(std::size_t k, const double* even) const {
      return even == nullptr ? loop->factors[k] : loop->factors[k] / even[rows[k]];
    }
  };
  /// visit(loop, y) for each column y of N of the loops that are placed.
  template <class Visit>
  void each(Visit visit) const;

  std::vector<Found> found_;
  std::size_t count_ = 0;
  RowSpace space_;
  std::vector<int> blocks_;
  mutable Buffer work_;
};

}  // namespace ricochet
