#pragma once
// G, the n x m matrix whose columns are constraint gradients, kept block by block: one block per contact or joint, with
// the few ranges of velocity coordinates that it touches. Rows of G^T are contiguous; when every block spans all n
// coordinates the store is one dense n x m array (column major).
#include <vector>

#include "ricochet/math/buffer.hpp"

namespace ricochet {

class Crew;

struct Range {
  int at = 0;  ///< first velocity coordinate
  int n = 0;   ///< how many
};

/// s plus the products, one after another; the usual lengths are those of a body.
template <int N>
double add_products(const double* p, const double* q, double s) {
  for (int c = 0; c < N; ++c) s += p[c] * q[c];
  return s;
}
inline double add_products(const double* p, const double* q, int n, double s) {
  if (n == 3) return add_products<3>(p, q, s);
  if (n == 6) return add_products<6>(p, q, s);
  for (int c = 0; c < n; ++c) s += p[c] * q[c];
  return s;
}

/// y += a x, likewise.
template <int N>
void add_multiple(double a, const double* x, double* y) {
  for (int c = 0; c < N; ++c) y[c] += a * x[c];
}
inline void add_multiple(double a, const double* x, int n, double* y) {
  if (n == 3) return add_multiple<3>(a, x, y);
  if (n == 6) return add_multiple<6>(a, x, y);
  for (int c = 0; c < n; ++c) y[c] += a * x[c];
}

class Jacobian {
 public:
  struct Block {
    int row;                  ///< first row of G^T (column of G)
    int dim;                  ///< rows of the block
    int offset;               ///< into the store
    int length;               ///< entries per row: the sum of the ranges' lengths
    int first_range, ranges;  ///< into ranges()
  };

  void clear() {
    blocks_.clear();
    ranges_.clear();
    rows_ = used_ = full_ = 0;
  }
  /// Room for so many more: without it storage grows block by block, and leaves what it has outgrown behind.
  void reserve(std::size_t blocks, std::size_t ranges, Index entries) {
    if (blocks_.capacity() < blocks_.size() + blocks) blocks_.reserve(blocks_.size() + blocks + blocks / 8);
    if (ranges_.capacity() < ranges_.size() + ranges) ranges_.reserve(ranges_.size() + ranges + ranges / 8);
    store_.need(used_ + entries);
  }
  /// Takes over the room for entries of one whose entries nobody needs any more, where that is more. True: it has none.
  bool take_room(Jacobian& other) {
    if (store_.capacity() >= other.store_.capacity()) return false;
    std::swap(store_, other.store_);
    return true;
  }
  int rows() const { return rows_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Range* ranges(const Block& b) const { return ranges_.data() + b.first_range; }
  double* row(const Block& b, int i) { return store_.data() + b.offset + i * b.length; }
  const double* row(const Block& b, int i) const { return store_.data() + b.offset + i * b.length; }
  /// n when every block spans the same n coordinates from 0: the store is a dense n x rows() array. Else 0.
  int dense_size() const { return full_ > 0 ? full_ : 0; }
  double* data() { return store_.data(); }
  const double* data() const { return store_.data(); }

  /// Appends a zero block of dim rows over the given ranges; the returned entries are row after row.
  double* add(int dim, const Range* ranges, int count);
  double* add(int dim, Range a) { return add(dim, &a, 1); }
  double* add(int dim, Range a, Range b) {
    const Range both[2] = {a, b};
    return add(dim, both, 2);
  }
  /// The same over one range or two with entries left undefined, for callers that write them all.
  double* append(int dim, Range r) {
    if (r.at != 0 || (!blocks_.empty() && full_ != r.n)) {
      full_ = -1;
    } else {
      full_ = r.n;
    }
    const int offset = used_;
    blocks_.push_back({rows_, dim, offset, r.n, static_cast<int>(ranges_.size()), 1});
    ranges_.push_back(r);
    rows_ += dim;
    used_ += dim * r.n;
    return store_.need(used_) + offset;
  }
  double* append(int dim, Range a, Range b) {
    full_ = -1;
    const int offset = used_, length = a.n + b.n;
    blocks_.push_back({rows_, dim, offset, length, static_cast<int>(ranges_.size()), 2});
    ranges_.push_back(a);
    ranges_.push_back(b);
    rows_ += dim;
    used_ += dim * length;
    return store_.need(used_) + offset;
  }

  double row_times(const Block& b, int i, ConstView v) const {
    const double* c = row(b, i);
    double s = 0;
    for (const Range *r = ranges(b), *end = r + b.ranges; r != end; ++r) {
      s = add_products(c, v.data() + r->at, r->n, s);
      c += r->n;
    }
    return s;
  }
  /// u = G^T v  (rows)
  void transpose_times(ConstView v, double* u) const {
    for (const Block& b : blocks_)
      for (int i = 0; i < b.dim; ++i) u[b.row + i] = row_times(b, i, v);
  }
  /// The same, shared where blocks are many.
  void transpose_times(ConstView v, double* u, Crew* crew) const;
  /// y += s G p  (n)
  void add_times(double s, const double* p, View y) const;
  void add_block_times(const Block& b, double s, const double* p, View y) const;

 private:
  std::vector<Block> blocks_;
  std::vector<Range> ranges_;
  Buffer store_;
  int rows_ = 0, used_ = 0, full_ = 0;
};

/// a_i^T b_j over the coordinates that both blocks touch.
double block_dot(const Jacobian& A, const Jacobian::Block& a, int i, const Jacobian& B, const Jacobian::Block& b,
                 int j);

}  // namespace ricochet
