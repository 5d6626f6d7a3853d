#include "ricochet/scheme/pieces/rest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

}  // namespace

void add_sizes(const Jacobian& Y, const std::vector<ConeBlock>& blocks, const double* p, double* terms) {
  for (std::size_t k = 0; k < Y.blocks().size(); ++k) {
    const Jacobian::Block& b = Y.blocks()[k];
    const std::array<double, kMostContactRows> sizes = sizes_of(blocks[k], p + b.row);
    for (int i = 0; i < b.dim; ++i) {
      const double size = sizes[static_cast<std::size_t>(i)];
      if (size == 0) continue;
      const double* entry = Y.row(b, i);
      for (const Range *r = Y.ranges(b), *end = r + b.ranges; r != end; ++r)
        for (int j = r->at; j < r->at + r->n; ++j) terms[j] += size * std::abs(*entry++);
    }
  }
}

void move_or_rest(const Pushed& pushed, const double* per, VectorXd& d, double* terms, View x) {
  for (Index i = 0; i < x.size(); ++i) terms[i] = std::abs(x[i]) + std::abs(d[i]);
  add_sizes(pushed.Y, pushed.blocks, pushed.p, terms);
  pushed.Y.add_times(-1, pushed.p, d);
  for (Index i = 0; i < x.size(); ++i) {
    x[i] -= d[i];
    if (rests(x[i], terms[i], per[i])) x[i] = 0;
  }
}

}  // namespace ricochet
