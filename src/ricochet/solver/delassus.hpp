#pragma once
// W = L^T S^-1 D, which takes multipliers to velocities, in one of three storages with one meaning.
//   dense     m x m, column major
//   factored  W = L^T Y with Y = S^-1 D kept: y = Y p makes a row cost what its block touches
//   sparse    blocks compressed by rows, of one size or of several: what a file holds, or what contacts of many bodies
//             make, where two of them couple only if they share a body. Of these L, Y and the diagonal blocks may be
//             all that is there: some fifteen blocks a contact take more room and more products than L and Y, and are
//             needed by nobody but who factorises W.
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
  /// The sparse form with its diagonal blocks alone; others are formed where they are visited. L and Y are kept by
  /// pointer and must outlive the problem.
  void keep(const Jacobian& L, const Jacobian& Y, int n, Crew* crew = nullptr);
  bool formed() const { return storage_ != Storage::sparse || left_ == nullptr; }  ///< else `keep` was called
  const Jacobian& left() const { return *left_; }
  const Jacobian& right() const { return *right_; }
  int coordinates() const { return n_; }  ///< n of the factored form, and of what is kept

  /// Blocks of dim x dim in `count` rows of blocks: row k holds those at columns[pointers[k]] ... ascending, below
  /// columns[pointers[k + 1]]. Values, block after block, each column major, are zeroed; the caller fills them.
  double* make_sparse(int dim, int count, const std::vector<int>& pointers, const std::vector<int>& columns);
  /// The same of several sizes: row of blocks k has the rows starts[k] ... starts[k + 1] - 1, and so have the columns.
  double* make_sparse(const std::vector<int>& starts, const std::vector<int>& pointers,
                      const std::vector<int>& columns);
  int block_dim() const { return dim_; }  ///< 0: several sizes
  int block_count() const { return static_cast<int>(formed() ? pointers_.size() - 1 : left_->blocks().size()); }
  int first_row(int k) const { return dim_ > 0 ? dim_ * k : starts_[k]; }
  int block_of(int row) const { return dim_ > 0 ? row / dim_ : block_of_[row]; }
  const std::vector<int>& pointers() const { return pointers_; }
  const std::vector<int>& columns() const { return columns_; }
  const double* blocks() const { return values_.data(); }                 ///< values of the sparse form
  const double* block(int k) const { return values_.data() + place(k); }  ///< of the k-th one stored
  /// Pointers and columns of the sparse form, whether its blocks are formed or not.
  void copy_pattern(std::vector<int>& pointers, std::vector<int>& columns) const;
  /// Entries of W that may be other than zero, in any storage but the factored one.
  Index stored() const;
  /// Numbers at `blocks`: all of these, or those of the diagonal blocks.
  Index held() const {
    return storage_ == Storage::dense ? static_cast<Index>(rows_) * rows_
           : formed()                 ? place(static_cast<int>(columns_.size()))
                                      : place(block_count());
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
    if (!formed()) {
      RowOfBlocks& blocks = row_of_blocks();
      blocks.start(*this, i);
      for (int j = blocks.next(); j >= 0; j = blocks.next())
        visit(row, first_row(j), rows, first_row(j + 1) - first_row(j), j == i ? own_block(i) : blocks.form());
      return;
    }
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
  void apply(const double* p, double* u, Buffer& scratch, Team* team) const;
  /// Where L and Y are kept: y = Y p of the coordinates that somebody touches (n), and u = L^T y. Shared by a team.
  void push(const double* p, double* y, Team* team) const;
  void pull(const double* y, double* u, Team* team) const;
  /// The cells of coordinates that somebody touches, and visit(block of Y, offset into its rows) of each who does.
  int cell_count() const { return static_cast<int>(cells_.size()); }
  Range cell(int c) const { return {cells_[c].at, cells_[c].end - cells_[c].at}; }
  template <class Visit>
  void for_each_over(int c, Visit visit) const {
    for (int t = touch_start_[c]; t < touch_start_[c + 1]; ++t) visit(touches_[t].block, touches_[t].offset);
  }
  /// visit(j) of each block of Y over the coordinates of block i of L, perhaps more than once.
  template <class Visit>
  void for_each_touching(int i, Visit visit) const {
    for_each_cell(i, [&](int cell) {
      for (int t = touch_start_[cell]; t < touch_start_[cell + 1]; ++t) visit(touches_[t].block);
    });
  }
  int touching(int i) const {
    int count = 0;
    for_each_cell(i, [&](int cell) { count += touch_start_[cell + 1] - touch_start_[cell]; });
    return count;
  }

 private:
  /// Of `form` and `keep`: which blocks of Y lie over a cell of coordinates, and where in their rows.
  struct Cell {
    int at, end;
  };
  struct Touch {
    int block, offset;
  };
  /// A row of blocks out of L and Y, one block after another: the lists of its cells are sorted, and merged.
  class RowOfBlocks {
   public:
    void start(const Delassus& W, int i);
    int next();            ///< the column; -1: there are no more
    const double* form();  ///< its block

   private:
    struct Part {
      const Touch *first, *next, *end;  // of the block at hand, of those after it
      int from, n, offset;              // in the cell; how many coordinates; in the rows of L
    };
    const Delassus* W_ = nullptr;
    int row_ = 0, column_ = 0;
    bool diagonal_ = false;  // it is always there, and was visited
    std::vector<Part> parts_;
    std::vector<double> values_;
  };

  /// One for each thread, which keeps its memory; for one row at a time.
  static RowOfBlocks& row_of_blocks() {
    thread_local RowOfBlocks blocks;
    return blocks;
  }
  /// visit(cell) of those that block i of L lies over.
  template <class Visit>
  void for_each_cell(int i, Visit visit) const {
    const Jacobian::Block& a = left_->blocks()[i];
    for (const Range *r = left_->ranges(a), *end = r + a.ranges; r != end; ++r)
      for (int at = r->at; at < r->at + r->n;) {
        const int cell = cell_of_[at];
        if (cell >= 0) visit(cell);
        at = cell < 0 ? at + 1 : cells_[cell].end;
      }
  }
  /// Block (i, j) of the sparse form; null where nothing is stored.
  const double* find_block(int i, int j) const;
  const double* own_block(int k) const { return formed() ? find_block(k, k) : values_.data() + place(k); }
  double sparse_entry(int i, int j) const;
  Index place(int k) const { return dim_ > 0 ? static_cast<Index>(k) * dim_ * dim_ : places_[k]; }
  void form_sparse(const Jacobian& L, const Jacobian& Y, int n, Crew* crew);
  void set_rows(const std::vector<int>& starts);
  void find_touching(const Jacobian& L, const Jacobian& Y, int n);
  void find_pattern(Team* team);

  Storage storage_ = Storage::dense;
  int rows_ = 0, n_ = 0, dim_ = 0;
  Buffer values_;  ///< dense or of the sparse form
  std::vector<int> pointers_, columns_;
  std::vector<int> starts_, block_of_;  ///< several sizes: first rows, and the end; by row
  std::vector<Index> places_;           ///< several sizes: of the values of each block, and the end
  const Jacobian *left_ = nullptr, *right_ = nullptr;

  std::vector<int> cell_of_, touch_start_, next_;
  std::vector<std::pair<int, double>> added_;  ///< of `add_diagonal`, where L and Y are kept
  std::vector<Cell> cells_;
  std::vector<Touch> touches_;
};

}  // namespace ricochet
