#pragma once
// Intervals and rolling contacts as contacts with Coulomb's law, so that every solver takes them.
//
// A disc, |p_D| <= radius with -u_D in its normal cone, is the friction of a contact whose normal impulse is the
// radius. It gets a normal row n of its own, that moves nothing and that nothing but the radius acts on, and mu = 1:
//
//     interval     u_n = w (p_n - bound)                     0 <= u_n ⊥ p_n >= 0   gives   p_n = bound
//     rolling      u_n = w (p_n - mu_D p_N)                                                p_n = mu_D p_N
//
// w, the mean diagonal of W over the disc's rows, makes the four terms alike whatever the units: mu_R is a length. The
// rows of slip stay with the true normal. W loses its symmetry by the entries -w mu_D, which no solver relies on.
//
// A ball, three rows with one bound R, has no cone among those of contacts. It is taken where it is expected to slide,
// p = R d and u = -kappa d, in a frame with d as its first axis: an interval along d and, since d may turn by a small
// e, p = R e and u = -kappa e across,
//
//     |p_d| <= R,          u_x + (kappa / R) p_x = 0         (p_x in a disc of radius R that is not reached)
//
// With d and kappa out of z = p - rho u, |z| = R + rho kappa, this is Newton's method for the projection on the ball;
// one that is expected to stick has kappa = 0. `aim` sets d and kappa, and is called until the ball itself is content.
#include <algorithm>

#include "ricochet/solver/solver.hpp"

namespace ricochet::detail {

/// Three rows with one bound.
inline bool is_ball(const ConeBlock& block) { return block.cone == Cone::interval && block.dim == 3; }

inline bool has_balls(const Problem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(), is_ball);
}

/// There are blocks to be expanded.
inline bool expandable(const Problem& problem) {
  for (const ConeBlock& block : problem.blocks)
    if (block.cone == Cone::interval || block.cone == Cone::rolling) return true;
  return false;
}

class Expansion {
 public:
  Problem problem;
  Solution solution;

  /// Frames for the balls, out of p and its u; false: there is none.
  bool aim(const Problem& given, const Solution& at);
  /// The expanded problem of one without joints, dense or sparse as that is, and its warm start.
  void take(const Problem& given, const Solution& start);
  /// What was found, each impulse inside its disc, with status and iterations.
  void give(const Problem& given, Solution& out) const;

 private:
  /// A disc with its own normal row, both as rows of the expanded problem.
  struct Disc {
    int row, normal;   ///< `normal`: of the contact; -1: an interval
    double w, radius;  ///< bound, or mu_D
  };
  /// Columns of Q: where it is expected to slide, and two axes across.
  struct Ball {
    int given, row;  ///< first row of the block; row of the first axis, those across are two and three further
    double Q[3][3];
    double compliance;  ///< kappa / R
  };
  /// visit(row, weight): of the expanded rows that row i of the given problem is a sum of.
  template <class Visit>
  void for_each_image(int i, Visit visit) const {
    const int ball = ball_of_.empty() ? -1 : ball_of_[static_cast<std::size_t>(i)];
    if (ball < 0) return visit(place_[static_cast<std::size_t>(i)], 1.0);
    const Ball& b = balls_[static_cast<std::size_t>(ball)];
    for (int k = 0; k < 3; ++k) visit(b.row + (k == 0 ? 0 : k + 1), b.Q[i - b.given][k]);
  }
  void place_blocks(const Problem& given);
  void fill_dense(const Problem& given);
  void fill_sparse(const Problem& given);

  std::vector<int> place_;  ///< of the given rows
  std::vector<Disc> discs_;
  std::vector<Ball> balls_;
  std::vector<int> ball_of_;  ///< by given rows, -1: none; empty without balls
  std::vector<int> starts_, pointers_, columns_;
};

}  // namespace ricochet::detail
