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

/// The factors that give every row of a block the units of its normal: impulses times these, velocities divided.
void units_of(const Problem& problem, const ConeBlock& block, double* unit) {
  std::fill(unit, unit + block.dim, 1.0);
  if (block.cone != Cone::rolling) return;
  const Mobility half = mobility(problem, block);
  for_each_disc(block.dim, block.friction(), [&](int first, int rows, double) {
    if (first == 1) return;
    const double own = rows == 1 && block.dim != 3 ? half.spin : half.roll;
    std::fill(unit + first, unit + first + rows, std::sqrt(own / half.contact));
  });
}

/// p - P(p - rho u) with P the projection on a disc; nothing cancels inside.
void disc_map(int dim, double radius, double rho, const double* p, const double* u, double* out) {
  double z[3] = {0, 0, 0};
  for (int i = 0; i < dim; ++i) z[i] = p[i] - rho * u[i];
  const double size = dim == 1 ? std::abs(z[0]) : std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  if (!(size <= radius)) project_on_disc(dim, radius, z);
  for (int i = 0; i < dim; ++i) out[i] = size <= radius ? rho * u[i] : p[i] - z[i];
}

/// p - P_K(p - rho u^) of a friction cone; no cancellation where a component only passes through.
void cone_map(const ConeBlock& block, double rho, const double* p, const double* u, double* out) {
  const int n = block.dim;
  const auto length = [n](const double* x) { return n == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]); };
  const double shift = block.cone == Cone::coulomb ? block.mu * length(u) : 0;
  double z[3] = {}, hat[3] = {};
  for (int i = 0; i < n; ++i) hat[i] = rho * (i == 0 ? u[0] + shift : u[i]), z[i] = p[i] - hat[i];
  if (z[0] >= 0 && length(z) <= block.mu * z[0]) {
    std::copy(hat, hat + n, out);
    return;
  }
  project(block.cone, n, block.mu, z);
  for (int i = 0; i < n; ++i) out[i] = p[i] - z[i];
}

/// The map of one block with friction, in the unit of its normal impulse.
void natural_map_of(const Problem& problem, const ConeBlock& block, double rho, const double* p, const double* u,
                    double* out) {
  if (block.cone == Cone::interval) return disc_map(block.dim, block.mu, rho, p, u, out);
  if (block.cone != Cone::rolling) return cone_map(block, rho, p, u, out);
  double unit[kMostContactRows], q[kMostContactRows], v[kMostContactRows];
  units_of(problem, block, unit);
  for (int i = 0; i < block.dim; ++i) q[i] = p[i] * unit[i], v[i] = u[i] / unit[i];
  cone_map({Cone::coulomb, 0, 1 + friction_rows(block.dim).slip, block.mu}, rho, q, v, out);
  for_each_disc(block.dim, block.friction(), [&](int first, int rows, double coefficient) {
    const double radius = coefficient * unit[first] * std::max(0.0, q[0]);
    if (first > 1) disc_map(rows, radius, rho, q + first, v + first, out + first);
  });
}

/// |p - P(p - rho u)| / rho with P the projection on a disc.
double disc_residual(int dim, double radius, double half, const double* p, const double* u) {
  double out[3] = {0, 0, 0};
  disc_map(dim, radius, 1 / half, p, u, out);
  return half * larger(larger(std::abs(out[0]), std::abs(out[1])), std::abs(out[2]));
}

/// The normal and the slips as Coulomb's law has them, then disc by disc with the mobility of each. What turns is made
/// a velocity by the length sqrt(contact / disc), which is that of the radius of gyration.
double rolling_residual(const ConeBlock& block, const Mobility& half, const double* p, const double* u) {
  const int slip = friction_rows(block.dim).slip;
  const ConeBlock contact{Cone::coulomb, 0, 1 + slip, block.mu};
  double worst = slip == 1 ? plane_residual(contact, half.contact, p, u) : space_residual(contact, half.contact, p, u);
  for_each_disc(block.dim, block.friction(), [&](int first, int rows, double coefficient) {
    if (first == 1) return;
    const double own = rows == 1 && block.dim != 3 ? half.spin : half.roll, length = std::sqrt(half.contact / own);
    const double radius = coefficient * std::max(0.0, p[0]);
    worst = larger(worst, length * disc_residual(rows, radius, own, p + first, u + first));
  });
  return worst;
}

}  // namespace

bool Problem::has_friction() const {
  for (const ConeBlock& block : blocks)
    if (block.cone != Cone::free && block.cone != Cone::nonnegative) return true;
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

Mobility mobility(const Problem& problem, const ConeBlock& block) {
  const auto mean = [&](int first, int rows) {
    double trace = 0;
    for (int i = block.row + first; i < block.row + first + rows; ++i) trace += problem.W.diagonal(i);
    return trace > 0 ? trace / rows : 1;
  };
  if (block.cone != Cone::rolling) return mean(0, block.dim);
  const FrictionRows rows = friction_rows(block.dim);
  Mobility out = mean(0, 1 + rows.slip);
  if (rows.roll > 0) out.roll = mean(1 + rows.slip, rows.roll);
  if (rows.spin > 0) out.spin = mean(block.dim - 1, 1);
  return out;
}

double natural_residual(const ConeBlock& block, const Mobility& half, const double* p, const double* u) {
  const double inverse = half.contact;
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
    case Cone::interval: return disc_residual(block.dim, block.mu, inverse, p, u);
    case Cone::rolling: return rolling_residual(block, half, p, u);
  }
  return block.dim == 2 ? plane_residual(block, inverse, p, u) : space_residual(block, inverse, p, u);
}

double natural_residual(const Problem& problem, const double* p, const double* u) {
  double worst = 0;
  const bool dense = problem.W.storage() == Delassus::Storage::dense;
  const double* W = problem.W.dense();
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row, end = r + block.dim;
    if (block.cone == Cone::rolling) {
      worst = larger(worst, natural_residual(block, mobility(problem, block), p + r, u + r));
      continue;
    }
    double inverse = 1;  // 1 / rho
    if (block.cone != Cone::free && !dense) {
      inverse = problem.W.mean_diagonal(block);
    } else if (block.cone != Cone::free) {
      double trace = 0;
      for (int i = r; i < end; ++i) trace += W[static_cast<Index>(i) * (problem.rows + 1)];
      if (trace > 0) inverse = trace / block.dim;
    }
    worst = larger(worst, natural_residual(block, inverse, p + r, u + r));
  }
  return worst;
}

ErrorParts detail::error_parts(const Problem& problem, const double* p, const double* u, double least, double fastest) {
  // Scaled by the largest term, so that squares neither overflow nor vanish in any unit.
  double largest_p = 0, largest_b = 0, speed = fastest, unit[kMostContactRows] = {1};
  const auto in_units = [&](const ConeBlock& block, auto visit) {  // visit(row, unit of the row)
    const bool mixed = block.cone == Cone::rolling;
    if (mixed) units_of(problem, block, unit);
    for (int i = 0; i < block.dim; ++i) visit(block.row + i, mixed ? unit[i] : 1.0);
  };
  const auto half_of = [&](const ConeBlock& block) {
    return block.cone == Cone::rolling ? mobility(problem, block).contact : problem.W.mean_diagonal(block);
  };
  for (const ConeBlock& block : problem.blocks) {
    const double rho = 1 / half_of(block);
    in_units(block, [&](int i, double f) {
      largest_p = larger(largest_p, std::abs(p[i] * f));
      largest_b = larger(largest_b, std::abs(rho * problem.b[i] / f));
      speed = larger(speed, larger(std::abs(u[i] / f), std::abs(problem.b[i] / f)));
    });
  }
  const double scale = larger(larger(largest_p, largest_b), least);
  if (!(scale > 0)) return {scale, scale, 0};  // both zero, or NaN
  double map = 0, size = 0, load = 0, worst = 0, bits = 0;
  for (const ConeBlock& block : problem.blocks) {
    const bool rows = block.cone == Cone::free || block.cone == Cone::nonnegative;
    const double half = half_of(block), rho = 1 / half;
    double part[kMostContactRows];
    if (!rows) natural_map_of(problem, block, rho, p + block.row, u + block.row, part);
    in_units(block, [&](int row, double unit_of_row) {
      const double along = rho * u[row];
      const double left = !rows                                            ? part[row - block.row]
                          : block.cone == Cone::free || !(along >= p[row]) ? along
                                                                           : p[row];
      const double f = left / scale, r = p[row] * unit_of_row / scale, b = rho * problem.b[row] / unit_of_row / scale;
      map += f * f, size += r * r, load += b * b;
      worst = larger(worst, std::abs(left) * half);
      bits = larger(bits, std::abs(p[row] * unit_of_row) * half);
    });
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
