#include "ricochet/solver/direct/modes.hpp"

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
  int first = 0;
  while (first < problem.rows && p[first] == 0) ++first;
  const bool warm = first < problem.rows;
  const double* b = problem.b.data();
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    if (block.cone == Cone::free) {
      for (int i = r; i < r + block.dim; ++i) mode[i] = kStick;
    } else if (block.cone == Cone::nonnegative) {
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
    if (block.cone == Cone::free) continue;
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
    const double trace = problem.W.diagonal(r) + problem.W.diagonal(r + 1);
    const double rho = trace > 0 ? 2 / trace : 1;
    set(r, mode_of(block, p[r] - rho * u[r], p[r + 1] - rho * u[r + 1]));
  }
  return changed;
}

namespace {

/// The linear system of the modes: unknown k is p[rows[k]] and carries p[rows[k] + 1] = slope[k] p[rows[k]] along;
/// equation k is u[rows[k]] + weight[k] u[rows[k] + 1] = 0, the weight for the associated law alone.
struct ModeSystem {
  int n = 0;
  int* rows;
  double *slope, *weight;
  bool slips = false, weighted = false;

  void add(int row) {
    rows[n] = row;
    slope[n] = weight[n] = 0;
    ++n;
  }
  void add_slip(const ConeBlock& block, int mode) {
    const double s = mode == kSlipUp ? block.mu : -block.mu;
    rows[n] = block.row;
    slope[n] = s;
    weight[n] = block.cone == Cone::second_order ? s : 0;
    slips = true;
    weighted = weighted || block.cone == Cone::second_order;
    ++n;
  }
  void collect(const Problem& problem, const int* mode) {
    for (const ConeBlock& block : problem.blocks) {
      const int r = block.row;
      if (block.cone == Cone::nonnegative || block.cone == Cone::free) {
        for (int i = r; i < r + block.dim; ++i)
          if (mode[i] != kOpen) add(i);
      } else if (mode[r] == kStick) {
        add(r);
        add(r + 1);
      } else if (mode[r] != kOpen) {
        add_slip(block, mode[r]);
      }
    }
  }
  void fill(const Problem& problem, double* A, double* x) const {
    const Index m = problem.rows;
    const double *W = problem.W.dense(), *b = problem.b.data();
    for (int j = 0; j < n; ++j, A += n) {
      const double* column = W + rows[j] * m;
      if (!weighted) {
        for (int i = 0; i < n; ++i) A[i] = column[rows[i]];
        if (slips && slope[j] != 0)
          for (int i = 0; i < n; ++i) A[i] += slope[j] * column[m + rows[i]];
        continue;
      }
      for (int i = 0; i < n; ++i) {
        const double* at = column + rows[i];
        double a = at[0];
        if (slope[j] != 0) a += slope[j] * at[m];
        if (weight[i] != 0) a += weight[i] * (slope[j] != 0 ? at[1] + slope[j] * at[m + 1] : at[1]);
        A[i] = a;
      }
    }
    for (int i = 0; i < n; ++i) x[i] = -b[rows[i]];
    if (weighted)
      for (int i = 0; i < n; ++i)
        if (weight[i] != 0) x[i] -= weight[i] * b[rows[i] + 1];
  }
};

/// Partial pivoting written out; false, with nothing touched, near a singular matrix.
bool solve_two(const double* A, double* x) {
  const bool swap = std::abs(A[1]) > std::abs(A[0]);
  const double a = A[swap], c = A[1 - swap], b = A[2 + swap], d = A[3 - swap];
  const double factor = c / a, carried = factor * b, pivot = d - carried;
  if (!(std::abs(pivot) > 1e-10 * (std::abs(d) + std::abs(carried)))) return false;
  const double first = x[swap], second = (x[1 - swap] - factor * first) / pivot;
  x[1] = second;
  x[0] = (first - b * second) / a;
  return true;
}

}  // namespace

bool solve_modes(const Problem& problem, const int* mode, double* p, SolverScratch& scratch) {
  const int m = problem.rows;
  if (static_cast<int>(scratch.index.size()) < 3 * m) scratch.index.resize(static_cast<std::size_t>(6 * m));
  ModeSystem system;
  system.rows = scratch.index.data();
  system.slope = scratch.B.need(2 * m);
  system.weight = system.slope + m;
  system.collect(problem, mode);
  for (int i = 0; i < m; ++i) p[i] = 0;
  const int n = system.n;
  if (n == 0) return true;
  int* pivots = system.rows + m;
  double *A = scratch.A.need(static_cast<Index>(n) * n), *x = scratch.x.need(n);
  system.fill(problem, A, x);
  bool regular = n == 2 && solve_two(A, x);
  if (regular) {
    // done
  } else if (n > 4 && lu_factorise(A, pivots, n, 1e-13)) {
    regular = true;
    lu_solve(A, pivots, n, x);
  } else {
    // Small systems take the complete pivoting at once: two contacts at rest are rank-deficient all the time.
    if (n > 4) system.fill(problem, A, x);
    regular = solve_minimum_norm(A, n, x, 1, scratch.r.need(minimum_norm_work(n)), pivots) == n;
  }
  for (int k = 0; k < n; ++k) p[system.rows[k]] = x[k];
  if (system.slips)
    for (int k = 0; k < n; ++k)
      if (system.slope[k] != 0) p[system.rows[k] + 1] = system.slope[k] * x[k];
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
    if (block.cone == Cone::free) continue;
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
      const double length = std::sqrt(p[r + 1] * p[r + 1] + p[r + 2] * p[r + 2]);
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
  double *p = solution.p.data(), *u = solution.u.data();
  const double strict = goal.strict();
  const auto judge = [&] {
    velocities(problem, p, u, scratch.y);
    return goal.error(problem, p, u);
  };
  guess_modes(problem, p, mode);
  double least = std::numeric_limits<double>::infinity();
  bool regular_best = true;
  double* best = nullptr;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool regular = solve_modes(problem, mode, p, scratch);
    ++solution.iterations;
    double residual = judge();
    if (residual <= strict) {
      // Hand out what lies in the cones, judged as such.
      if (clamp(problem, p)) residual = judge();
      solution.residual = residual;
      solution.minimum_norm = !regular;
      scratch.judged = true;
      return residual <= goal.tolerance;
    }
    if (!best) best = scratch.best.need(m);
    if (residual < least) {
      least = residual;
      regular_best = regular;
      std::copy(p, p + m, best);
    }
    if (!update_modes(problem, p, u, mode)) break;
  }
  if (least <= std::numeric_limits<double>::max()) {
    std::copy(best, best + m, p);
  } else {
    std::fill(p, p + m, 0.0);
  }
  clamp(problem, p);
  solution.residual = judge();
  solution.minimum_norm = !regular_best;
  scratch.judged = true;
  return solution.residual <= goal.tolerance;
}

}  // namespace ricochet::detail
