#include "ricochet/scheme/pieces/impulse_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {
constexpr int kDenseRows = 240;  ///< up to which W is dense
}

void ImpulseProblem::condense(const Operator& S, Crew* crew) {
  const int m = size(), n = static_cast<int>(r.size());
  assign(free, r);
  S.solve(free);
  local.rows = m;
  if (m == 0) return;
  S.solve(D, Y, crew);
  if (m > kDenseRows && S.cells())
    local.W.form(L, Y, n, Delassus::Storage::sparse, crew);
  else
    local.W.form(L, Y, n, Delassus::Storage::dense);
  for (int i = 0; i < m; ++i)
    if (give[i] != 0) local.W.add_diagonal(i, give[i]);
  double* b = local.b.need(m);
  L.transpose_times(free, b, crew);
  for (int i = 0; i < m; ++i) b[i] = w[i] - b[i];
}

void ImpulseProblem::move(View x) const {
  for (Index i = 0; i < x.size(); ++i) x[i] -= free[i];
  if (size() > 0) Y.add_times(1, p.data(), x);
}

void ImpulseProblem::balance(View out) const {
  copy(r, out.data());
  if (size() > 0) D.add_times(-1, p.data(), out);
}

double ImpulseProblem::left() const {
  double worst = 0, u[kMostContactRows];
  for (const ConeBlock& block : local.blocks) {
    double error = 0;
    for (int i = 0; i < block.dim; ++i) u[i] = w[block.row + i] + give[block.row + i] * p[block.row + i];
    if (block.cone == Cone::free)
      for (int i = 0; i < block.dim; ++i) error = std::max(error, std::abs(u[i]) * measure[block.row + i]);
    else
      error = natural_residual(block, mobility(local, block), p.data() + block.row, u) * measure[block.row];
    if (!(error <= worst)) worst = error;
  }
  return worst == worst ? worst : std::numeric_limits<double>::infinity();
}

}  // namespace ricochet
