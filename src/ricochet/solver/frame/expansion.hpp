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
#include "ricochet/solver/solver.hpp"

namespace ricochet::detail {

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
  void place_blocks(const Problem& given);
  void fill_dense(const Problem& given);
  void fill_sparse(const Problem& given);

  std::vector<int> place_;  ///< of the given rows
  std::vector<Disc> discs_;
  std::vector<int> starts_;
};

}  // namespace ricochet::detail
