#pragma once
// W = L^T S^-1 D, which takes multipliers to velocities, in one of three storages with one meaning.
//   dense     m x m, column major
//   factored  W = L^T Y with Y = S^-1 D kept: y = Y p makes a row cost what its block touches
//   sparse    blocks compressed by rows, of one size or of several: what a file holds, or what contacts of many bodies
//             make, where two of them couple only if they share a body
#include <cassert>
#include <vector>

#include "ricochet/math/cone.hpp"
#include "ricochet/math/jacobian.hpp"

namespace ricochet {

struct ConeBlock {
  Cone cone = Cone::nonnegative;
  int row = 0;                ///< first row
  int dim = 1;                ///< rows
  double mu = 0;              ///< friction coefficient, for the friction cones; the bound of an interval
  double roll = 0, spin = 0;  ///< of rolling contacts, lengths
  bool rests = false;         ///< it did not move before: of several answers rest is the one that is wanted
  Friction friction() const { return {mu, roll, spin}; }
  /// The same at another row.
  ConeBlock at(int other) const { return {cone, other, dim, mu, roll, spin, rests}; }
};

class Crew;
class Team;

class Delassus {
 public:
  enum class Storage { dense, factored, sparse };

  Storage storage() const { return storage_; }
  int rows() const { return rows_; }

  /// Dense storage of m x m, contents undefined; the caller fills it.
  double* make_dense(int m);
  const double* dense() const { return values_.data(); }
  /// Dense: entry (i, j) times f_i f_j.
  void scale(const double* f) {
    for (int j = 0; j < rows_; ++j)
      for (int i = 0; i < rows_; ++i) values_[i + static_cast<Index>(j) * rows_] *= f[i] * f[j];
  }
  double operator()(int i, int j) const { return values_[i + static_cast<Index>(j) * rows_]; }

  /// W = L^T Y, formed if dense or sparse is asked for; else both are kept by pointer and must outlive the problem.
  /// The sparse form has a row of blocks for each block of L and costs what it holds; every range of Y must be a cell
  /// of one partition of the n coordinates, as those of Operator::solve are. A crew shares its rows from some 200
  /// blocks on, each number the same sum whoever forms it.
  void form(const Jacobian& L, const Jacobian& Y, int n, Storage storage, Crew* crew = nullptr);
  const Jacobian& left() const { return *left_; }
  const Jacobian& right() const { return *right_; }
  int coordinates() const { return n_; }  ///< n of the factored form

  /// Blocks of dim x dim in `count` rows of blocks: row k holds those at columns[pointers[k]] ... ascending, below
  /// columns[pointers[k + 1]]. Values, block after block, each column major, are zeroed; the caller fills them.
  double* make_sparse(int dim, int count, const std::vector<int>& pointers, const std::vector<int>& columns);
  /// The same of several sizes: row of blocks k has the rows starts[k] ... starts[k + 1] - 1, and so have the columns.
  double* make_sparse(const std::vector<int>& starts, const std::vector<int>& pointers,
                      const std::vector<int>& columns);
  int block_dim() const { return dim_; }  ///< 0: several sizes
  int block_count() const { return static_cast<int>(pointers_.size()) - 1; }
  int first_row(int k) const { return dim_ > 0 ? dim_ * k : starts_[k]; }
  int block_of(int row) const { return dim_ > 0 ? row / dim_ : block_of_[row]; }
  const std::vector<int>& pointers() const { return pointers_; }
  const std::vector<int>& columns() const { return columns_; }
  const double* blocks() const { return values_.data(); }                 ///< values of the sparse form
  const double* block(int k) const { return values_.data() + place(k); }  ///< of the k-th one stored
  /// Numbers that are kept, in any storage but the factored one.
  Index stored() const {
    return storage_ == Storage::dense ? static_cast<Index>(rows_) * rows_ : place(static_cast<int>(columns_.size()));
  }

  /// visit(i, j, rows, columns, values) of every block of the sparse form: its first row and column, its size.
  template <class Visit>
  void for_each_block(Visit visit) const {
    for (int i = 0; i < block_count(); ++i) for_each_block_in(i, visit);
  }
  /// Those in one row of blocks.
  template <class Visit>
  void for_each_block_in(int i, Visit visit) const {
    const int row = first_row(i), rows = first_row(i + 1) - row;
    for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) {
      const int j = columns_[k], column = first_row(j);
      visit(row, column, rows, first_row(j + 1) - column, block(k));
    }
  }
  /// visit(i, j, W_ij) of every entry that is stored; all of the factored form.
  template <class Visit>
  void for_each_entry(Visit visit) const {
    if (storage_ == Storage::sparse)
      return for_each_block([&](int row, int column, int rows, int columns, const double* value) {
        for (int c = 0; c < columns; ++c)
          for (int r = 0; r < rows; ++r) visit(row + r, column + c, *value++);
      });
    std::vector<double> formed;
    const double* value = values_.data();
    if (storage_ == Storage::factored) {
      formed.resize(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(rows_));
      copy_dense(formed.data());
      value = formed.data();
    }
    for (int j = 0; j < rows_; ++j)
      for (int i = 0; i < rows_; ++i) visit(i, j, *value++);
  }

  /// W_ii += value, dense or sparse.
  void add_diagonal(int row, double value);
  /// Zeroes a row and its column, sparse: of what `form` made, where blocks come in pairs (i, j), (j, i).
  void silence(int row);
  /// All of W, m x m, column major, whatever the storage.
  void copy_dense(double* out) const;
  /// Diagonal block k (dim x dim, column major, leading dimension dim) of the blocks given.
  void diagonal_block(const ConeBlock& block, double* out) const;
  /// Trace of a diagonal block over its rows; 1 where it vanishes.
  double mean_diagonal(const ConeBlock& block) const;
  double diagonal(int row) const;
  /// u = W p
  void apply(const double* p, double* u, Buffer& scratch) const;

 private:
  /// Block (i, j) of the sparse form; null where nothing is stored.
  const double* find_block(int i, int j) const;
  double sparse_entry(int i, int j) const;
  Index place(int k) const { return dim_ > 0 ? static_cast<Index>(k) * dim_ * dim_ : places_[k]; }
  void form_sparse(const Jacobian& L, const Jacobian& Y, int n, Crew* crew);
  void find_touching(const Jacobian& Y, int n);
  void find_pattern(const Jacobian& L, Team* team);

  Storage storage_ = Storage::dense;
  int rows_ = 0, n_ = 0, dim_ = 0;
  Buffer values_;  ///< dense or of the sparse form
  std::vector<int> pointers_, columns_;
  std::vector<int> starts_, block_of_;  ///< several sizes: first rows, and the end; by row
  std::vector<Index> places_;           ///< several sizes: of the values of each block, and the end
  const Jacobian *left_ = nullptr, *right_ = nullptr;

  /// Of `form`: which blocks of Y lie over a cell of coordinates, and where in their rows.
  struct Cell {
    int at, end;
  };
  struct Touch {
    int block, offset;
  };
  /// Columns of some rows of blocks, found by one thread.
  struct Part {
    std::vector<int> seen, columns, ends;
  };
  std::vector<int> cell_of_, touch_start_, next_;
  std::vector<Part> parts_;
  std::vector<Cell> cells_;
  std::vector<Touch> touches_;
};

}  // namespace ricochet
