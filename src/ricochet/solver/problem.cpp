#include "ricochet/solver/problem.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/solver/frame/frame.hpp"
#include "ricochet/solver/measures.hpp"

namespace ricochet {
namespace {

/// The larger one; NaN if either is.
double larger(double a, double b) { return b <= a || a != a ? a : b; }

/// |p - P_K(p - rho u^)| / rho of the plane's friction cones, in the unit of u; half = 1 / rho.
double plane_residual(const ConeBlock& block, double half, const double* p, const double* u) {
  const double rho = 1 / half, mu = block.mu;
  const double un = block.cone == Cone::coulomb ? u[0] + mu * std::abs(u[1]) : u[0];
  const double zn = p[0] - rho * un, zt = p[1] - rho * u[1], size = std::abs(zt);
  if (zn >= 0 && size <= mu * zn) return larger(std::abs(un), std::abs(u[1]));
  if (mu * size <= -zn) return half * larger(std::abs(p[0]), std::abs(p[1]));
  const double n = (zn + mu * size) / (1 + mu * mu);
  return half * larger(std::abs(p[0] - n), std::abs(p[1] - std::copysign(mu * n, zt)));
}

double space_residual(const ConeBlock& block, double half, const double* p, const double* u) {
  const double rho = 1 / half, mu = block.mu;
  const double un = block.cone == Cone::coulomb ? u[0] + mu * std::sqrt(u[1] * u[1] + u[2] * u[2]) : u[0];
  const double zn = p[0] - rho * un, z1 = p[1] - rho * u[1], z2 = p[2] - rho * u[2];
  const double size = std::sqrt(z1 * z1 + z2 * z2);
  const auto largest = [](double a, double b, double c) {
    return larger(larger(std::abs(a), std::abs(b)), std::abs(c));
  };
  if (zn >= 0 && size <= mu * zn) return largest(un, u[1], u[2]);
  if (mu * size <= -zn) return half * largest(p[0], p[1], p[2]);
  const double n = (zn + mu * size) / (1 + mu * mu), t = mu * n / size;
  return half * largest(p[0] - n, p[1] - t * z1, p[2] - t * z2);
}

/// p - P_K(p - rho u^) of one block with friction; no cancellation where a component only passes through.
void natural_map(const ConeBlock& block, double rho, const double* p, const double* u, double* out) {
  const int n = block.dim;
  const auto length = [n](const double* x) { return n == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]); };
  const double shift = block.cone == Cone::coulomb ? block.mu * length(u) : 0;
  double z[3], hat[3];
  for (int i = 0; i < n; ++i) hat[i] = rho * (i == 0 ? u[0] + shift : u[i]), z[i] = p[i] - hat[i];
  if (z[0] >= 0 && length(z) <= block.mu * z[0]) {
    std::copy(hat, hat + n, out);
    return;
  }
  project(block.cone, n, block.mu, z);
  for (int i = 0; i < n; ++i) out[i] = p[i] - z[i];
}

}  // namespace

bool Problem::has_friction() const {
  for (const ConeBlock& block : blocks)
    if (block.cone == Cone::coulomb || block.cone == Cone::second_order) return true;
  return false;
}

const char* name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged: return "converged";
    case SolveStatus::iteration_limit: return "iteration limit";
    case SolveStatus::infeasible: return "infeasible";
    case SolveStatus::singular: return "singular";
  }
  return "";
}

void Solution::resize(int m) {
  p.zeros(m);
  u.zeros(m);
  rows = m;
}

double natural_residual(const ConeBlock& block, double inverse, const double* p, const double* u) {
  double worst = 0;
  switch (block.cone) {
    case Cone::free:
      for (int i = 0; i < block.dim; ++i) worst = larger(worst, std::abs(u[i]));
      return worst;
    case Cone::nonnegative:
      // (p - max(0, p - rho u)) / rho is the lesser of p / rho and u, without cancellation
      for (int i = 0; i < block.dim; ++i) {
        const double open = p[i] * inverse;
        worst = larger(worst, std::abs(open <= u[i] ? open : u[i]));
      }
      return worst;
    case Cone::coulomb:
    case Cone::second_order: break;
  }
  return block.dim == 2 ? plane_residual(block, inverse, p, u) : space_residual(block, inverse, p, u);
}

double natural_residual(const Problem& problem, const double* p, const double* u) {
  double worst = 0;
  const bool dense = problem.W.storage() == Delassus::Storage::dense;
  const double* W = problem.W.dense();
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row, end = r + block.dim;
    double trace = 0;
    if (block.cone != Cone::free)
      for (int i = r; i < end; ++i)
        trace += dense ? W[static_cast<Index>(i) * (problem.rows + 1)] : problem.W.diagonal(i);
    const double inverse = trace > 0 ? trace / block.dim : 1;  // 1 / rho
    worst = larger(worst, natural_residual(block, inverse, p + r, u + r));
  }
  return worst;
}

ErrorParts detail::error_parts(const Problem& problem, const double* p, const double* u, double least, double fastest) {
  // Scaled by the largest term, so that squares neither overflow nor vanish in any unit.
  double largest_p = 0, largest_b = 0, speed = fastest;
  for (const ConeBlock& block : problem.blocks) {
    const double rho = 1 / problem.W.mean_diagonal(block);
    for (int i = block.row; i < block.row + block.dim; ++i) {
      largest_p = larger(largest_p, std::abs(p[i]));
      largest_b = larger(largest_b, std::abs(rho * problem.b[i]));
      speed = larger(speed, larger(std::abs(u[i]), std::abs(problem.b[i])));
    }
  }
  const double scale = larger(larger(largest_p, largest_b), least);
  if (!(scale > 0)) return {scale, scale, 0};  // both zero, or NaN
  double map = 0, size = 0, load = 0, worst = 0, bits = 0;
  for (const ConeBlock& block : problem.blocks) {
    const bool friction = block.cone == Cone::coulomb || block.cone == Cone::second_order;
    const double half = problem.W.mean_diagonal(block), rho = 1 / half;
    double part[3];
    if (friction) natural_map(block, rho, p + block.row, u + block.row, part);
    for (int i = 0; i < block.dim; ++i) {
      const int row = block.row + i;
      const double along = rho * u[row];
      const double left = friction ? part[i] : block.cone == Cone::free || !(along >= p[row]) ? along : p[row];
      const double f = left / scale, r = p[row] / scale, b = rho * problem.b[row] / scale;
      map += f * f, size += r * r, load += b * b;
      worst = larger(worst, std::abs(left) * half);
      bits = larger(bits, std::abs(p[row]) * half);
    }
  }
  const double floor = least / scale;
  const double impulse = std::sqrt(map) / std::sqrt(larger(larger(size, load), floor * floor));
  if (!(speed > 0)) return {impulse, worst > 0 ? std::numeric_limits<double>::infinity() : worst, 0};
  return {impulse, worst / speed, std::min(kRoundOffBits * bits / speed, kMostRoundOff)};
}

ErrorParts error_parts(const Problem& problem, const double* p, const double* u) {
  return detail::error_parts(problem, p, u, 0, 0);
}

double relative_error(const Problem& problem, const double* p, const double* u) {
  return error_parts(problem, p, u).larger();
}

double error(Criterion criterion, const Problem& problem, const double* p, const double* u) {
  return criterion == Criterion::velocity ? natural_residual(problem, p, u) : relative_error(problem, p, u);
}

}  // namespace ricochet
