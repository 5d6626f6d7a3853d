#include "ricochet/scheme/pieces/rest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/math/team.hpp"

namespace ricochet {
namespace {

/// What the entries of a block's impulse are known by.
std::array<double, kMostContactRows> sizes_of(const ConeBlock& block, const double* p) {
  std::array<double, kMostContactRows> out{};
  for (int i = 0; i < block.dim && i < kMostContactRows; ++i) out[static_cast<std::size_t>(i)] = std::abs(p[i]);
  const auto at_least = [&](int first, int rows, double size) {
    for (int i = first; i < first + rows; ++i)
      out[static_cast<std::size_t>(i)] = std::max(out[static_cast<std::size_t>(i)], size);
  };
  const double normal = std::abs(p[0]);
  if (block.cone == Cone::coulomb || block.cone == Cone::second_order)
    at_least(1, block.dim - 1, std::min(block.mu, 1.0) * normal);
  if (block.cone == Cone::rolling)
    for_each_disc(block.dim, {std::min(block.mu, 1.0), block.roll, block.spin},
                  [&](int first, int rows, double coefficient) { at_least(first, rows, coefficient * normal); });
  return out;
}

using Sizes = std::array<double, kMostContactRows>;

/// Over the same coordinates, block by block: what the problem knows of its Y holds of the other, too.
bool alike(const Jacobian& A, const Jacobian& B) {
  if (&A == &B) return true;
  const auto same = [&](const Jacobian::Block& a, const Jacobian::Block& b) {
    return a.row == b.row && std::equal(A.ranges(a), A.ranges(a) + a.ranges, B.ranges(b), B.ranges(b) + b.ranges,
                                        [](const Range& x, const Range& y) { return x.at == y.at && x.n == y.n; });
  };
  return std::equal(A.blocks().begin(), A.blocks().end(), B.blocks().begin(), B.blocks().end(), same);
}

/// visit(k, range, entries) of all blocks of Y, k-th by k-th for each coordinate; `entries` in the first of its rows.
template <class Visit>
void for_each_range(const Pushed& pushed, Visit visit) {
  const Jacobian& Y = pushed.Y;
  const Delassus& W = pushed.problem.W;
  if (!W.formed() && alike(Y, W.right())) {
    constexpr int kShared = 200;  // bodies
    return share(pushed.crew, W.cell_count(), kShared, [&](int first, int last) {
      for (int c = first; c < last; ++c)
        W.for_each_over(c, [&](int k, int offset) {
          visit(static_cast<std::size_t>(k), W.cell(c), Y.row(Y.blocks()[static_cast<std::size_t>(k)], 0) + offset);
        });
    });
  }
  for (std::size_t k = 0; k < Y.blocks().size(); ++k) {
    const Jacobian::Block& b = Y.blocks()[k];
    const double* entry = Y.row(b, 0);
    for (const Range *r = Y.ranges(b), *end = r + b.ranges; r != end; entry += r->n, ++r) visit(k, *r, entry);
  }
}

}  // namespace

void add_push(const Pushed& pushed, double s, VectorXd& y) {
  for_each_range(pushed, [&](std::size_t k, const Range& r, const double* entry) {
    const Jacobian::Block& b = pushed.Y.blocks()[k];
    for (int i = 0; i < b.dim; ++i, entry += b.length)
      if (const double p = s * pushed.p[b.row + i]; p != 0) add_multiple(p, entry, r.n, y.data() + r.at);
  });
}

void add_sizes(const Pushed& pushed, double* terms) {
  for_each_range(pushed, [&](std::size_t k, const Range& r, const double* entry) {
    const Jacobian::Block& b = pushed.Y.blocks()[k];
    const Sizes sizes = sizes_of(pushed.problem.blocks[k], pushed.p + b.row);
    for (int i = 0; i < b.dim; ++i, entry += b.length) {
      const double size = sizes[static_cast<std::size_t>(i)];
      for (int j = 0; j < r.n && size != 0; ++j) terms[r.at + j] += size * std::abs(entry[j]);
    }
  });
}

void move_or_rest(const Pushed& pushed, const double* per, VectorXd& d, double* terms, View x) {
  for (Index i = 0; i < x.size(); ++i) terms[i] = std::abs(x[i]) + std::abs(d[i]);
  for_each_range(pushed, [&](std::size_t k, const Range& r, const double* entry) {
    const Jacobian::Block& b = pushed.Y.blocks()[k];
    const Sizes sizes = sizes_of(pushed.problem.blocks[k], pushed.p + b.row);
    for (int i = 0; i < b.dim; ++i, entry += b.length) {
      const double size = sizes[static_cast<std::size_t>(i)], p = pushed.p[b.row + i];
      for (int j = 0; j < r.n && size != 0; ++j) terms[r.at + j] += size * std::abs(entry[j]);
      if (p != 0) add_multiple(-p, entry, r.n, d.data() + r.at);
    }
  });
  for (Index i = 0; i < x.size(); ++i) {
    x[i] -= d[i];
    if (rests(x[i], terms[i], per[i])) x[i] = 0;
  }
}

}  // namespace ricochet
