#pragma once
// Rows with free multipliers inside the matrix of a stage. With D_J, L_J their directions and conditions, D_c, L_c
// those of the contacts, r the residual, w the rows at the present x, and d = x - x+, one pass of Newton reads
//
//     [ S      D_J ] [      d     ]   [ r - D_J p_J - D_c p_c ]
//     [ L_J^T   0  ] [ p_J+ - p_J ] = [          w_J          ],       K ∋ p_c ⊥ w_c - L_c^T d ∈ K*,
//
// p_J being those of the last pass: the factor may be older than D_J, and what it leaves vanishes with the passes. The
// contacts' problem is W = L_c^T A^-1 D_c, formed from halves of solutions along the paths of the elimination tree: two
// contacts couple where their paths meet. Contacts of bodies that neither joints nor forces connect have none in
// common.
//
// Where rows are redundant the multipliers are those of least norm, tree by tree: what null vectors make of them is
// taken off.
#include "ricochet/math/operator.hpp"
#include "ricochet/model/model.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {

class HeldRows {
 public:
  /// Where a pass begins.
  struct Pass {
    const Jacobian &D, &L;
    const VectorXd& r;
    const double* u;  ///< w above
    Crew* crew = nullptr;
  };

  explicit HeldRows(const Model& model);

  /// The operator, zeroed, for the first `blocks` blocks of G; analysed anew where they touch other coordinates than in
  /// one of the last few patterns.
  Operator& prepare(const Jacobian& G, std::size_t blocks);
  /// After S was assembled. `coupled`: rows that turn have given it entries between bodies, as forces may.
  /// `spared`: by row, left out of the matrix; whoever leaves them out says what their multipliers are.
  bool factorise(const Jacobian& D, const Jacobian& L, bool coupled, const char* spared);
  int rows() const { return held_->rows; }
  std::size_t blocks() const { return held_->blocks; }
  bool redundant() const { return !dead_.empty(); }

  /// Cones of the contacts' problem, out of those of all rows; then its W and b. p: all multipliers of the last pass.
  /// `first`: the load is measured.
  void take_contacts(const std::vector<ConeBlock>& cones);
  void condense(const Pass& pass, const double* p, bool first);
  /// d and the joints' part of p, once the contacts' part is known.
  void move(const Pass& pass, double* p, VectorXd& d);
  /// d := S^-1 d where there are no rows any more, held or not.
  void solve_free(VectorXd& d);
  /// x := S^-1 x by the diagonal blocks of S alone, exact where bodies are not coupled.
  void apply_inverse(VectorXd& x) const;
  /// Of d for the residual r at fixed rows and of S^-1 r the larger one, by entries times `per`.
  ConstView distance(VectorXd& r, const double* per);
  /// Largest velocity that the problem had to turn.
  double load() const { return load_; }

  Problem contacts;
  Solution solution;  ///< of the contacts
  VectorXd pushed;    ///< scratch (nv)

 private:
  struct Node {
    int node;
    std::size_t runs;  ///< of Pattern::runs: down and across, row by row
  };
  /// What depends on the coordinates alone that the held rows touch.
  struct Pattern {
    int rows = 0;
    std::size_t blocks = 0;
    std::vector<Range> touched;  ///< of each block: minus its rows and the number of its ranges, then the ranges
    OperatorLayout layout;
    std::unique_ptr<Operator> matrix;
    std::vector<Node> nodes;
    std::vector<std::size_t> first_node;  ///< by held block
    std::vector<BlockFactor::Run> runs;
    std::vector<int> tree_start, tree_rows;  ///< held rows of each tree
    bool fits(const Jacobian& G, std::size_t first) const;
  };
  static constexpr std::size_t kKept = 3;  ///< patterns: a step may go to and fro between two or three
  void analyse(const Jacobian& G, std::size_t blocks, Pattern& out) const;
  void find_runs(Pattern& out) const;
  void add(const Jacobian& G, bool columns, const char* spared);
  void find_null_space(const char* spared);
  void take_off_null_space(double* y) const;
  void drop_round_off(const Pass& pass);
  /// W by whole solutions, one column after another, out of Y_: where halves have long ways in common.
  void form_by_columns(const Jacobian& L);
  BlockFactor& factor() const { return held_->matrix->factor(); }

  const Model* model_;
  std::vector<int> node_of_;  // by coordinate
  bool coupled_ = false, diagonal_regular_ = false;
  OperatorLayout diagonal_layout_;
  std::unique_ptr<Operator> diagonal_;
  std::vector<std::unique_ptr<Pattern>> patterns_;  // the last one used comes first
  Pattern* held_ = nullptr;
  std::vector<std::pair<int, int>> dead_;  // tree, number
  std::vector<double> null_;               // orthonormal vectors over the rows of their trees
  std::vector<double> vector_;
  std::vector<double> z_;  // coordinates, then multipliers
  VectorXd inverse_diagonal_;
  Buffer free_, terms_;
  Jacobian Y_, Z_;
  std::vector<std::vector<int>> in_tree_;         // of form_by_columns: contacts that reach a tree
  std::vector<int> starts_, pointers_, columns_;  // likewise: the pattern of W
  double load_ = 0;
};

}  // namespace ricochet
