#include "ricochet/math/jacobian.hpp"

#include "ricochet/math/team.hpp"

namespace ricochet {

double* Jacobian::add(int dim, const Range* ranges, int count) {
  int length = 0;
  for (int k = 0; k < count; ++k) length += ranges[k].n;
  const bool spans = count == 1 && ranges[0].at == 0;
  if (!spans) {
    full_ = -1;
  } else if (blocks_.empty()) {
    full_ = length;
  } else if (full_ != length) {
    full_ = -1;
  }
  blocks_.push_back({rows_, dim, used_, length, static_cast<int>(ranges_.size()), count});
  ranges_.insert(ranges_.end(), ranges, ranges + count);
  rows_ += dim;
  used_ += dim * length;
  double* entries = store_.need(used_) + (used_ - dim * length);
  std::fill(entries, entries + dim * length, 0.0);
  return entries;
}

void Jacobian::add_block_times(const Block& b, double s, const double* p, View y) const {
  const double* c = row(b, 0);
  const Range *first = ranges(b), *end = first + b.ranges;
  for (int i = 0; i < b.dim; ++i) {
    const double a = s * p[i];
    if (a == 0) {
      c += b.length;
      continue;
    }
    for (const Range* r = first; r != end; c += r->n, ++r) add_multiple(a, c, r->n, y.data() + r->at);
  }
}

void Jacobian::transpose_times(ConstView v, double* u, Crew* crew) const {
  constexpr int kShared = 400;
  share(crew, static_cast<int>(blocks_.size()), kShared, [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      const Block& b = blocks_[static_cast<std::size_t>(k)];
      for (int i = 0; i < b.dim; ++i) u[b.row + i] = row_times(b, i, v);
    }
  });
}

void Jacobian::add_times(double s, const double* p, View y) const {
  for (const Block& b : blocks_) add_block_times(b, s, p + b.row, y);
}

double block_dot(const Jacobian& A, const Jacobian::Block& a, int i, const Jacobian& B, const Jacobian::Block& b,
                 int j) {
  const double* x = A.row(a, i);
  double s = 0;
  for (int k = 0; k < a.ranges; ++k) {
    const Range& ra = A.ranges(a)[k];
    const double* y = B.row(b, j);
    for (int l = 0; l < b.ranges; ++l) {
      const Range& rb = B.ranges(b)[l];
      const int lo = std::max(ra.at, rb.at), hi = std::min(ra.at + ra.n, rb.at + rb.n);
      for (int c = lo; c < hi; ++c) s += x[c - ra.at] * y[c - rb.at];
      y += rb.n;
    }
    x += ra.n;
  }
  return s;
}

}  // namespace ricochet
