#include "ricochet/scheme/pieces/rest.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

void add_sizes(const Jacobian& Y, const double* p, double* terms) {
  for (const Jacobian::Block& b : Y.blocks())
    for (int i = 0; i < b.dim; ++i) {
      const double size = std::abs(p[b.row + i]);
      if (size == 0) continue;
      const double* entry = Y.row(b, i);
      for (const Range *r = Y.ranges(b), *end = r + b.ranges; r != end; ++r)
        for (int j = r->at; j < r->at + r->n; ++j) terms[j] += size * std::abs(*entry++);
    }
}

void move_or_rest(const Jacobian& Y, const double* p, VectorXd& d, double* terms, View x) {
  for (Index i = 0; i < x.size(); ++i) terms[i] = std::abs(x[i]) + std::abs(d[i]);
  add_sizes(Y, p, terms);
  Y.add_times(-1, p, d);
  for (Index i = 0; i < x.size(); ++i) {
    x[i] -= d[i];
    if (std::abs(x[i]) <= kRoundOff * terms[i]) x[i] = 0;
  }
}

void rest_bodies(const Jacobian& L, const Jacobian& Y, const double* p, double* scratch, View x) {
  // By coordinate: the round-off at the contacts of its body, and the velocity of a contact for one of the coordinate.
  double *const limit = scratch, *const reach = scratch + x.size();
  std::fill_n(scratch, 2 * x.size(), 0.0);
  for (std::size_t k = 0; k < L.blocks().size(); ++k) {
    const Jacobian::Block &a = L.blocks()[k], &b = Y.blocks()[k];
    double largest = 0;
    for (int i = 0; i < a.dim; ++i) {
      if (p[a.row + i] == 0) continue;
      double w = 0;
      const double *x_i = L.row(a, i), *y_i = Y.row(b, i);
      for (int c = 0; c < std::min(a.length, b.length); ++c) w += std::abs(x_i[c] * y_i[c]);
      largest = std::max(largest, std::abs(w * p[a.row + i]));
    }
    if (largest == 0) continue;
    for (int i = 0; i < a.dim; ++i) {
      const double* entry = L.row(a, i);
      for (const Range *r = L.ranges(a), *end = r + a.ranges; r != end; ++r)
        for (int j = r->at; j < r->at + r->n; ++j) {
          limit[j] = std::max(limit[j], kRoundOff * largest);
          reach[j] = std::max(reach[j], std::abs(*entry++));
        }
    }
  }
  for (Index j = 0; j < x.size(); ++j)
    if (std::abs(x[j]) * reach[j] <= limit[j] && limit[j] > 0) x[j] = 0;
}

}  // namespace ricochet
