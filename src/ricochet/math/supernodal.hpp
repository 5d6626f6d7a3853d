#pragma once
// Sparse L D L^T of large symmetric matrices, in dense panels. Columns with the same pattern below them are one panel,
// updated from those to its left by matrix products: some five times as fast as one column after another where panels
// are wide, as they are for solids. There is no pivoting, as for matrices that are nearly positive definite.
//
// The order is the one of the matrix itself, which is good where its maker numbered it by dissection
// (model/element/dissection.hpp), or that of approximate minimum degree, whichever takes fewer operations.
#include <Eigen/SparseCore>
#include <vector>

#include "ricochet/math/jacobian.hpp"
#include "ricochet/math/panel_product.hpp"

namespace ricochet {

class SupernodalFactor {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  /// `A`: its pattern, both halves.
  void analyse(const Matrix& A);
  /// The same pattern; the entries of its lower half are read. False: a pivot is zero or something is not finite.
  bool factorise(const Matrix& A);
  void solve(double* x) const;
  /// The same for `count` right-hand sides, one after the other.
  void solve(double* X, int count) const;

  /// W = G^T A^-1 G, m x m, from halves of solutions along the tree of panels: whole ones, n x m numbers, are not made.
  void compliance(const Jacobian& G, double* W);

  double flops() const { return flops_; }  ///< multiplications of a factorisation, about
  long long entries() const { return std::ssize(values_); }

 private:
  struct Panel {
    int first, width;       // columns
    int row_start, rows;    // of rows_: all rows, those of its own columns first
    std::ptrdiff_t values;  // rows x width, column major
  };
  struct Symbolic;

  static constexpr int kTogether = 16;  ///< columns inside of a panel that are done one after the other
  static double* room(std::vector<double>& buffer, std::ptrdiff_t need) {
    if (std::ssize(buffer) < need) buffer.resize(static_cast<std::size_t>(need));
    return buffer.data();
  }
  static Symbolic symbolic(const Matrix& A, const std::vector<int>& place);
  void lay_out(const Matrix& A, const Symbolic& s);
  void assemble(const Matrix& A, const Panel& panel);
  void update(const Panel& panel, const Panel& from, int first_row);
  const double* scale(const Panel& panel, int row, int count);
  bool pivot(const Panel& panel);

  /// Columns of `compliance` that reach a panel, in their order, and where their part of Z is.
  struct Reach {
    int begin, end;
    std::ptrdiff_t values;
  };
  void place_columns(const Jacobian& G);
  void put_columns(const Jacobian& G);
  void eliminate(const Panel& panel, const Reach& reach);
  void pass_on(const Panel& panel, const Reach& reach);
  void add_square(const Panel& panel, const Reach& reach, double* sum, int m);

  int n_ = 0;
  double flops_ = 0;
  std::vector<int> place_, original_;  // column -> place in the order, and back
  std::vector<Panel> panels_;
  std::vector<int> panel_of_;  // by place
  std::vector<int> rows_;
  std::vector<double> values_, D_;
  std::vector<int> relative_;               // by place: row of the panel that is worked on
  std::vector<int> next_, head_, reached_;  // panels that still have to update a panel
  PanelProduct multiply_;
  std::vector<double> product_, scaled_;
  std::vector<Reach> reach_;                                     // by panel
  std::vector<int> column_begin_, column_order_, column_place_;  // of `compliance`
  std::vector<double> Z_, sum_;
  mutable std::vector<double> y_, gathered_, many_, below_;
};

}  // namespace ricochet
