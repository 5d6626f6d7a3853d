#include "ricochet/solver/measures.hpp"

#include <cmath>

namespace ricochet {
namespace {

/// |W| |p|, with the products of each row.
VectorXd sum_of_magnitudes(const Delassus& W, const double* p) {
  VectorXd out = VectorXd::Zero(W.rows());
  W.for_each_entry([&](int i, int j, double value) { out[i] += std::abs(value * p[j]); });
  return out;
}

}  // namespace

void put_mobility(int dim, const Mobility& mobility, double* rows) {
  const FrictionRows parts = friction_rows(dim);
  rows[0] = mobility.contact;
  if (parts.roll > 0) rows[1 + parts.slip] = mobility.roll;
  if (parts.spin > 0) rows[dim - 1] = mobility.spin;
}

Mobility get_mobility(int dim, const double* rows) {
  const FrictionRows parts = friction_rows(dim);
  Mobility out = rows[0];
  if (parts.roll > 0) out.roll = rows[1 + parts.slip];
  if (parts.spin > 0) out.spin = rows[dim - 1];
  return out;
}

double round_off_error(const Problem& problem, const double* p) {
  const VectorXd terms = sum_of_magnitudes(problem.W, p);
  double rounding = 0, size = 0, load = 0;
  for (const ConeBlock& block : problem.blocks) {
    double trace = 0;
    for (int i = block.row; i < block.row + block.dim; ++i) trace += problem.W.diagonal(i);
    const double rho = trace > 0 ? block.dim / trace : 1;
    for (int i = block.row; i < block.row + block.dim; ++i) {
      const double all = rho * (terms[i] + std::abs(problem.b[i])), b = rho * problem.b[i];
      rounding += all * all, size += p[i] * p[i], load += b * b;
    }
  }
  const double largest = std::sqrt(std::max(size, load));
  return largest > 0 ? 0x1p-53 * std::sqrt(rounding) / largest : 0;
}

double peer_error(const Problem& problem, const double* p, const double* u) {
  double map = 0, load = 0;
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    const bool friction = block.cone != Cone::free && block.cone != Cone::nonnegative;
    for (int i = 0; i < block.dim; ++i) load += problem.b[r + i] * problem.b[r + i];
    if (!friction) {
      for (int i = r; i < r + block.dim; ++i) {
        const double left = block.cone == Cone::free ? u[i] : p[i] - std::max(0.0, p[i] - u[i]);
        map += left * left;
      }
      continue;
    }
    double slip = 0, z[kMostContactRows];
    for (int i = 1; i < block.dim; ++i) slip += u[r + i] * u[r + i];
    for (int i = 0; i < block.dim; ++i) z[i] = p[r + i] - u[r + i];
    if (block.cone == Cone::coulomb) z[0] -= block.mu * std::sqrt(slip);
    project(block.cone, block.dim, block.friction(), z);
    for (int i = 0; i < block.dim; ++i) map += (p[r + i] - z[i]) * (p[r + i] - z[i]);
  }
  return load > 0 ? std::sqrt(map / load) : std::sqrt(map);
}

}  // namespace ricochet
