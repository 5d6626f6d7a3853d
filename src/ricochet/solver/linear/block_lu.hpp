#pragma once
// Sparse LU of matrices made of 3 x 3 blocks with a symmetric pattern, block pivots in a fixed order.
//
// Contacts on one body couple with each other, so W is a union of cliques, and minimum degree finds orders with little
// fill: the factors of a tower of 570 contacts hold a tenth of the dense ones and cost a hundredth. No pivoting between
// blocks: the matrices factorised here are W plus something positive, or Newton's with the projections' derivatives; a
// pivot block that is singular to working precision freezes its unknowns for this solve, and is counted.
//
// Every number comes out of the same operations in the same order whatever the width of the machine's registers:
// vectors run over entries of a row, sums run in the order of the columns, nothing is contracted.
//
// Rows depend on rows below them in the elimination tree alone. With a team its branches are shared; the rows above
// them are taken in turn, each waiting for those that it needs. A row is the same sums in the same order whoever
// computes it.
#include <vector>

namespace ricochet {
class Team;
}

namespace ricochet::detail {

class BlockLU {
 public:
  Team* team = nullptr;  ///< whoever helps; null: nobody
  /// Products of blocks from which a team is called: some two milliseconds. Below, sharing was
  /// measured to win or to lose, by how long two cores take to hand a row over.
  long long worth = 1000000;

  /// The pattern: row k holds blocks at columns[pointers[k]] ... ascending, diagonal included, pattern symmetric or
  /// made so. A new pattern orders anew; the same one as before costs a comparison.
  void analyse(int n, const std::vector<int>& pointers, const std::vector<int>& columns);

  /// A = L U of the blocks given (9 numbers each, column major, in the order of the pattern).
  /// Returns the number of pivot blocks that had to be replaced.
  int factorise(const double* blocks);
  /// x := A^-1 x
  void solve(double* x);
  /// Of the determinant, out of the pivots.
  int sign() const;

  /// Products of blocks that one factorisation takes in the first order: a matter of the pattern alone, whatever was
  /// factorised before.
  long long cost() const { return first_cost_; }
  long long fill() const { return static_cast<long long>(upper_.size()) / 9; }

 private:
  /// The pattern in another order of the contacts, after which minimum degree decides where degrees are equal.
  void order(int attempt);
  /// Where factors are dear: the cheapest of a few orders.
  void choose_order();
  bool shared() const { return team != nullptr && cost_ >= worth; }
  void symbolic();
  void branches();
  /// Row i of the factors, and the next one where they are twins: rows above are then read once for both. w is the
  /// scratch of whoever computes it, wait(k) comes before row k is used. Returns the pivots that had to be replaced.
  template <class Wait>
  int factorise_rows(int i, int count, const double* blocks, double* w, Wait wait);
  void take_row(int i, const double* blocks, double* w) const;
  bool lower_block(int l, double* w);
  int finish_row(int i, double* w);
  /// 2 if the row at `at` and the next of the list are twins, else 1.
  int together(const std::vector<int>& list, int at, int end) const {
    return at + 1 < end && twin_[list[at]] != 0 && list[at + 1] == list[at] + 1 ? 2 : 1;
  }
  int factorise_shared(const double* blocks);
  void forward(int i, const double* x);
  void backward(int i);

  int n_ = 0;
  std::vector<int> pointers_, columns_;       // the pattern as given
  std::vector<int> position_, original_;      // row -> place in the order, and back
  std::vector<int> upper_start_, upper_col_;  // strictly upper pattern, rows in the order
  std::vector<int> lower_start_, lower_col_;
  std::vector<int> run_start_, run_at_, run_length_;  // upper rows as runs of neighbouring columns
  std::vector<double> upper_;                         // row k: three scalar rows of 3 (blocks in the row)
  std::vector<double> lower_;                         // blocks L_ik, row major
  std::vector<double> pivot_;                         // inverses of the diagonal blocks, row major
  std::vector<char> alone_;                           // rows whose upper part is zero: contacts that are open
  std::vector<double> work_, x_;
  long long cost_ = 0, first_cost_ = 0;  // products of blocks, in the present order and in the first
  bool chosen_ = false;                  // the order is the one to stay with
  std::vector<int> branch_start_,
      branch_row_;              // branches of the elimination tree that one thread takes, rows ascending
  std::vector<int> top_;        // the rows above them
  std::vector<int> top_start_;  // twins among them count as one
  std::vector<char> twin_;      // the next row has the same pattern above the diagonal, but for this one
  std::vector<int> finished_;   // by row: the round in which it was; for those below always
  int round_ = 0;
  std::vector<long long> below_;        // of `branches`
  std::vector<std::vector<int>> rows_;  // of `symbolic`
  std::vector<int> next_;
};

}  // namespace ricochet::detail
