#include "ricochet/scheme/pieces/rest.hpp"

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

}  // namespace ricochet
