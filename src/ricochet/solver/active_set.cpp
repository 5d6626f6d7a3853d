#include "ricochet/solver/active_set.hpp"

#include <cmath>

#include "ricochet/math/small_lu.hpp"

namespace ricochet::detail {
namespace {

int slip(double tangential) { return tangential >= 0 ? kSlipUp : kSlipDown; }

/// The mode that p - rho u projects to. Coulomb's law takes the disc of the projected normal (Alart and Curnier), the
/// associated law the cone itself.
int mode_of(const ConeBlock& block, double zn, double zt) {
  if (block.cone == Cone::coulomb) {
    if (zn <= 0) return kOpen;
  } else if (block.mu * std::abs(zt) <= -zn) {
    return kOpen;
  }
  return std::abs(zt) < block.mu * zn ? kStick : slip(zt);
}

}  // namespace

void guess_modes(const Problem& problem, const double* p, int* mode) {
  bool warm = false;
  for (int i = 0; i < problem.rows; ++i) warm = warm || p[i] != 0;
  const double* b = problem.b.data();
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    if (block.cone == Cone::nonnegative) {
      for (int i = r; i < r + block.dim; ++i) mode[i] = (warm ? p[i] > 0 : b[i] < 0) ? kStick : kOpen;
    } else if (!warm) {
      mode[r] = mode_of(block, -b[r], block.mu > 0 && block.cone == Cone::coulomb ? 0 : -b[r + 1]);
    } else {
      // On the boundary up to round-off means slip.
      const double limit = block.mu * p[r];
      mode[r] = p[r] <= 0                                  ? kOpen
                : std::abs(p[r + 1]) < limit * (1 - 1e-12) ? kStick
                                                           : slip(limit > 0 ? p[r + 1] : -b[r + 1]);
    }
  }
}

bool update_modes(const Problem& problem, const double* p, const double* u, int* mode) {
  bool changed = false;
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    const auto set = [&](int i, int to) {
      changed = changed || mode[i] != to;
      mode[i] = to;
    };
    if (block.cone == Cone::nonnegative) {
      for (int i = r; i < r + block.dim; ++i) {
        if (mode[i] == kOpen ? u[i] < 0 : p[i] < 0) set(i, mode[i] == kOpen ? kStick : kOpen);
      }
      continue;
    }
    const double trace = problem.W(r, r) + problem.W(r + 1, r + 1);
    const double rho = trace > 0 ? 2 / trace : 1;
    set(r, mode_of(block, p[r] - rho * u[r], p[r + 1] - rho * u[r + 1]));
  }
  return changed;
}

bool solve_modes(const Problem& problem, const int* mode, double* p, SolverScratch& scratch) {
  const int m = problem.rows;
  if (static_cast<int>(scratch.index.size()) < 3 * m) scratch.index.resize(static_cast<std::size_t>(6 * m));
  int *rows = scratch.index.data(), *pivots = rows + m;
  // Unknown k is p[rows[k]] and carries p[rows[k] + 1] = slope[k] p[rows[k]] along; equation k is
  // u[rows[k]] + weight[k] u[rows[k] + 1] = 0, the weight for the associated law alone.
  double *slope = scratch.B.need(2 * m), *weight = slope + m;
  int n = 0;
  const auto add = [&](int row, double s, double w) {
    rows[n] = row, slope[n] = s, weight[n] = w;
    ++n;
  };
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    for (int i = r; i < r + block.dim; ++i) p[i] = 0;
    if (block.cone == Cone::nonnegative) {
      for (int i = r; i < r + block.dim; ++i)
        if (mode[i] != kOpen) add(i, 0, 0);
    } else if (mode[r] == kStick) {
      add(r, 0, 0);
      add(r + 1, 0, 0);
    } else if (mode[r] != kOpen) {
      const double s = mode[r] == kSlipUp ? block.mu : -block.mu;
      add(r, s, block.cone == Cone::second_order ? s : 0);
    }
  }
  if (n == 0) return true;
  double *A = scratch.A.need(static_cast<Index>(n) * n), *x = scratch.x.need(n);
  const auto fill = [&] {
    for (int j = 0; j < n; ++j) {
      const double* column = problem.W.dense() + static_cast<Index>(rows[j]) * m;
      double* out = A + static_cast<Index>(j) * n;
      for (int i = 0; i < n; ++i) {
        double a = column[rows[i]];
        if (slope[j] != 0) a += slope[j] * column[m + rows[i]];
        if (weight[i] != 0) {
          a += weight[i] * column[rows[i] + 1];
          if (slope[j] != 0) a += weight[i] * slope[j] * column[m + rows[i] + 1];
        }
        out[i] = a;
      }
    }
    for (int i = 0; i < n; ++i) {
      x[i] = -problem.b[rows[i]];
      if (weight[i] != 0) x[i] -= weight[i] * problem.b[rows[i] + 1];
    }
  };
  fill();
  bool regular = lu_factorise(A, pivots, n, 1e-13);
  if (regular) {
    lu_solve(A, pivots, n, x);
  } else {
    fill();
    regular = solve_minimum_norm(A, n, x, 1, scratch.r.need(minimum_norm_work(n)), pivots) == n;
  }
  for (int k = 0; k < n; ++k) {
    p[rows[k]] = x[k];
    if (slope[k] != 0) p[rows[k] + 1] = slope[k] * x[k];
  }
  return regular;
}

bool clamp(const Problem& problem, double* p) {
  bool moved = false;
  const auto set = [&](double& x, double to) {
    moved = moved || x != to;
    x = to;
  };
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    if (block.cone == Cone::nonnegative) {
      for (int i = r; i < r + block.dim; ++i)
        if (p[i] < 0) set(p[i], 0);
      continue;
    }
    if (p[r] <= 0) {
      for (int i = r; i < r + block.dim; ++i) set(p[i], 0);
      continue;
    }
    const double limit = block.mu * p[r];
    if (block.dim == 2) {
      if (std::abs(p[r + 1]) > limit) set(p[r + 1], std::copysign(limit, p[r + 1]));
    } else {
      const double length = std::hypot(p[r + 1], p[r + 2]);
      if (length > limit) {
        set(p[r + 1], p[r + 1] * (limit / length));
        set(p[r + 2], p[r + 2] * (limit / length));
      }
    }
  }
  return moved;
}

bool solve_active_set(const Problem& problem, const Goal& goal, int sweeps, Solution& solution,
                      SolverScratch& scratch) {
  const int m = problem.rows;
  if (static_cast<int>(scratch.mode.size()) < m) scratch.mode.resize(static_cast<std::size_t>(2 * m));
  int* mode = scratch.mode.data();
  double *p = scratch.z.need(m), *u = solution.u.data(), *best = scratch.best.need(m);
  const double strict = 1e-14 * largest(problem.b.data(), m);
  double least = std::numeric_limits<double>::infinity();
  guess_modes(problem, solution.p.data(), mode);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool regular = solve_modes(problem, mode, p, scratch);
    ++solution.iterations;
    velocities(problem, p, u, scratch.y);
    double residual = natural_residual(problem, p, u);
    if (residual < least) {
      least = residual;
      std::copy(p, p + m, best);
      solution.minimum_norm = !regular;
      if (residual <= strict) break;
    }
    if (!update_modes(problem, p, u, mode)) break;
  }
  if (!(least <= goal.tolerance)) return false;
  // Accept the clamped point only: it is the one that is handed out.
  if (clamp(problem, best)) {
    velocities(problem, best, u, scratch.y);
    if (!(natural_residual(problem, best, u) <= goal.tolerance)) return false;
  }
  std::copy(best, best + m, solution.p.data());
  return true;
}

}  // namespace ricochet::detail
