#pragma once
// Sparse LU of the matrices of many bodies with joints,
//
//     A = [ S    D ]        S  coordinates, in nodes of a few each: bodies, nodes of elements
//         [ L^T  0 ]        D, L^T  columns and rows of the constraints, in nodes of their own: joints
//
// over one symmetric pattern of nodes that is analysed once. Either part may be empty.
//
// Order. Bodies by minimum degree on the graph in which the bodies of a joint are neighbours. A joint then comes either
// right after a body that is its alone (every body may take one joint, whose rows are independent on it): in a tree of
// bodies all joints find one, and the elimination is that of the articulated-body algorithm, linear in the bodies. What
// finds none closes a loop and comes at the end of everything. Or every joint comes after the last of its bodies. Both
// orders are analysed, the cheaper one is kept. In both a leading part of A is singular only if A is: either its
// joints are independent by themselves, or all their bodies are among it.
//
// Nodes with the same pattern below them make one panel, eliminated as a dense block: coordinates first, with partial
// pivoting among themselves, then constraints with complete pivoting, to which coordinates without mass are left too.
// Panels are updated from the left, each entry by the same sums in the same order, whatever the machine.
//
// Rank. Rows and columns are scaled by powers of two (nothing is rounded) so that S and the joints' own blocks
// L^T S^-1 D are of the order one. A pivot below kDependent is taken for zero: the joint is redundant. Its multiplier
// is zero, its row is left out; `null_vector` gives the combination of multipliers that does nothing, from which the
// caller makes the solution of least norm.
#include <cstddef>
#include <utility>
#include <vector>

#include "ricochet/math/jacobian.hpp"

namespace ricochet {

/// Which nodes couple. The first `bodies` nodes hold coordinates, the others constraints.
struct NodePattern {
  std::vector<Range> nodes;  ///< contiguous, covering 0..n, bodies first
  int bodies = 0;            ///< nodes of coordinates
  std::vector<std::pair<int, int>>
      couples;  ///< in any order, repeated or not; nodes of constraints couple with bodies only
  int size() const { return nodes.empty() ? 0 : nodes.back().at + nodes.back().n; }
};

class BlockFactor {
 public:
  static constexpr double kDependent = 1e-11;

  void analyse(const NodePattern& pattern);

  int size() const { return n_; }
  void zero();
  /// False: (i, j) is not in the pattern, nothing was added.
  bool add(int i, int j, double value);
  /// The diagonal block of a node whose coordinates begin at i, n x n, column major; before factorise.
  void copy_diagonal(int i, int n, double* out) const;
  /// Entries of one node one after another, found once and added to often: (i, j), (i + 1, j) ..., or (i, j), (i, j +
  /// 1)
  /// ... At least two of them are in the pattern, or `count` is one.
  struct Run {
    std::ptrdiff_t at, stride;
  };
  Run down(int i, int j, int count);
  Run across(int i, int j, int count);
  void add(const Run& run, const double* x, int count) {
    double* a = values_.data() + run.at;
    for (int k = 0; k < count; ++k, a += run.stride) *a += x[k];
  }
  /// Before factorise.
  double largest_entry() const;
  /// The entries are replaced by the factors; zero() starts anew. False: a coordinate has no pivot, or something is not
  /// finite.
  bool factorise();
  void solve(double* x) const;

  /// Halves of solutions, A = L U with the exchanges: Y = L^-1 G and Z = U^-T G of the columns of G from a block on,
  /// each kept over the panels that it reaches, the paths from its nodes to the roots of the elimination tree. Then
  /// H^T A^-1 G = Z^T Y where H made Z, and two columns have something in common only where their paths have.
  void half_solve(const Jacobian& G, std::size_t from, Jacobian& Y) const { half_solve(G, from, Y, false); }
  void half_solve_transposed(const Jacobian& G, std::size_t from, Jacobian& Z) const { half_solve(G, from, Z, true); }
  /// Products that Z^T Y takes where Z goes the ways of the half_solve before, and those of whole solutions of the same
  /// columns: paths that are long in common (a chain of masses with a contact each) make the first the dearer one.
  long long half_products() const;
  long long whole_products() const;
  /// The other half: x = A^-1 g by coordinates, where row i of a block of Y is L^-1 g, over the trees that g reaches.
  void finish(const Jacobian& Y, const Jacobian::Block& block, int i, double* x) const;
  /// visit(tree) of those, ascending or not.
  template <class Visit>
  void for_each_tree(const Jacobian& Y, const Jacobian::Block& block, Visit visit) const {
    for (int k = 0; k < block.ranges; ++k) {
      const int panel = panel_of_[Y.ranges(block)[k].at];
      if (panels_[panel].rows == 0) visit(tree_of_[panel]);
    }
  }
  /// x := 0 over a tree.
  void clear_tree(int tree, double* x) const;

  /// Parts of the matrix that do not couple have numbers of their own.
  int tree_of(int coordinate) const { return tree_of_[panel_of_[place_[coordinate]]]; }
  int trees() const { return static_cast<int>(tree_start_.size()) - 1; }

  /// Constraints found redundant by the last factorise.
  int redundant() const { return static_cast<int>(dead_.size()); }
  /// A x = 0 with x = 1 at the k-th of them.
  void null_vector(int k, double* x) const;
  /// The same, coordinates of its own tree written only, the others left as they are.
  void null_vector_in_tree(int k, double* x) const;
  int tree_of_redundant(int k) const { return tree_of_[panel_of_[dead_[k]]]; }

  long long factor_entries() const { return static_cast<long long>(values_.size()); }
  long long flops() const { return flops_; }

 private:
  struct Panel {
    int first, width;           // columns, in the order of elimination
    int coordinates;            // of them, at the front; the others are constraints
    int row_start, rows;        // of rows_: what lies below, ascending
    std::ptrdiff_t lower;       // of values_: (width + rows) x width, column major, diagonal block on top
    std::ptrdiff_t upper;       // rows x width: the transpose of the row of panels to the right
    int update_start, updates;  // of updates_
    bool constraints;           // there are some
  };
  struct Update {
    int panel;     // the one to the left
    int from, to;  // its rows that are columns here
  };
  struct Order;

  static Order in_trees(const NodePattern& pattern, const std::vector<int>& bodies);
  static Order after_bodies(const NodePattern& pattern, const std::vector<int>& bodies);
  void lay_out(const NodePattern& pattern, const Order& order);
  void scale();
  void scale_constraints(const Panel& panel);
  void update(const Panel& panel, std::vector<int>& place);
  bool pivot(Panel& panel);
  void finish(const Panel& panel);
  void backward(double* y) const {
    for (auto p = panels_.rbegin(); p != panels_.rend(); ++p) backward(*p, y);
  }
  void backward(const Panel& panel, double* y) const;
  void forward(const Panel& panel, double* y) const;
  void forward_transposed(const Panel& panel, double* y) const;
  void find_trees();
  void find_path(const Jacobian& G, const Jacobian::Block& block) const;
  void half_solve(const Jacobian& G, std::size_t from, Jacobian& out, bool transposed) const;
  double* entry(int row, int column);

  int n_ = 0;
  std::vector<int> place_, original_;  // coordinate -> place in the order, and back
  std::vector<char> constraint_;       // by place
  std::vector<Panel> panels_;
  std::vector<int> panel_of_;  // by place
  std::vector<int> rows_;
  std::vector<Update> updates_;
  std::vector<double> values_, row_scale_, column_scale_;
  std::vector<int> row_exchange_, column_exchange_;  // by place, relative to the panel
  std::vector<int> dead_;                            // places whose multiplier is left out
  std::vector<char> is_dead_;
  std::vector<double> product_;
  std::vector<int> relative_;
  std::vector<int> tree_of_, tree_start_, tree_panels_;  // by panel; panels of each tree, ascending
  mutable std::vector<double> y_, half_;                 // half_: zero between calls
  mutable std::vector<int> path_;
  mutable std::vector<char> on_path_;
  mutable std::vector<int> reached_;  // by panel: rows of the half_solve before that reach it
  mutable std::vector<Range> path_ranges_;
  long long flops_ = 0;
};

}  // namespace ricochet
