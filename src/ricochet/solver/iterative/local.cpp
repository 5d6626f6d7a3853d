#include "ricochet/solver/iterative/local.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/small_lu.hpp"
#include "ricochet/solver/frame/cores.hpp"

namespace ricochet::detail {
namespace {

/// Of the tangential part.
double length(const double* x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

/// Open: p = 0 and u = b. Coulomb's cone asks u_N >= 0, the associated one u in the dual cone.
bool opens(const ConeBlock& block, const double* b) {
  if (block.cone == Cone::coulomb) return b[0] >= 0;
  const double bt = block.dim == 2 ? std::abs(b[1]) : length(b);
  return b[0] >= block.mu * bt;
}

/// Stick: u = 0. The best candidate even if it leaves the cone: its direction starts the search for sliding.
bool sticks(const ConeBlock& block, const double* W, const double* b, double* p) {
  const int n = block.dim;
  double A[9], work[minimum_norm_work(3)];
  int index[minimum_norm_index(3)];
  std::copy(W, W + n * n, A);
  for (int i = 0; i < n; ++i) p[i] = -b[i];
  if (lu_factorise(A, index, n, 1e-13)) {
    lu_solve(A, index, n, p);
  } else {
    std::copy(W, W + n * n, A);
    if (solve_minimum_norm(A, n, p, 1, work, index) < n) {
      // Contradictory rows: what is left over tells.
      double scale = 0, left = 0;
      for (int i = 0; i < n; ++i) {
        double u = b[i];
        for (int j = 0; j < n; ++j) u += W[i + j * n] * p[j];
        scale = std::max(scale, std::abs(b[i])), left = std::max(left, std::abs(u));
      }
      if (!(left <= 1e-12 * scale)) return false;
    }
  }
  const double pt = n == 2 ? std::abs(p[1]) : length(p);
  return p[0] >= 0 && pt <= block.mu * p[0];
}

/// Sliding with p = p_N (1, mu d), |d| = 1: u_T = -s d with s >= 0 and u_N = eps mu s, eps = 0 for Coulomb's law and 1
/// for the associated one. p_N and s follow from d:
///     den(d) p_N = num(d),   den = (1, eps mu d)^T W (1, mu d),   num = -(1, eps mu d)^T b
/// and what is left is one equation for the direction,  t . (den b_T + num (W (1, mu d))_T) = 0,  t normal to d.
struct Sliding {
  double eps, mu;
  const double *W, *b;

  struct Value {
    double num, den, across, along;  ///< across and along: components of den u_T on t and d
  };
  Value at(double c, double s) const {
    double w[3];  // W (1, mu d)
    for (int i = 0; i < 3; ++i) w[i] = W[i] + mu * (W[3 + i] * c + W[6 + i] * s);
    const double den = w[0] + eps * mu * (c * w[1] + s * w[2]), num = -b[0] - eps * mu * (c * b[1] + s * b[2]);
    const double v1 = den * b[1] + num * w[1], v2 = den * b[2] + num * w[2];
    return {num, den, -s * v1 + c * v2, c * v1 + s * v2};
  }
  /// d/dtheta of `across`, by the product rule.
  double slope(double c, double s) const {
    double w[3], dw[3];
    for (int i = 0; i < 3; ++i) {
      w[i] = W[i] + mu * (W[3 + i] * c + W[6 + i] * s);
      dw[i] = mu * (-W[3 + i] * s + W[6 + i] * c);
    }
    const double e = eps * mu;
    const double den = w[0] + e * (c * w[1] + s * w[2]), num = -b[0] - e * (c * b[1] + s * b[2]);
    const double dden = dw[0] + e * (-s * w[1] + c * w[2] + c * dw[1] + s * dw[2]);
    const double dnum = -e * (-s * b[1] + c * b[2]);
    const double v1 = den * b[1] + num * w[1], v2 = den * b[2] + num * w[2];
    const double dv1 = dden * b[1] + dnum * w[1] + num * dw[1], dv2 = dden * b[2] + dnum * w[2] + num * dw[2];
    return -c * v1 - s * v2 - s * dv1 + c * dv2;
  }
  /// p_N > 0 and s >= 0, up to round-off.
  bool valid(const Value& v) const {
    const double size =
        std::abs(v.den) * (std::abs(b[1]) + std::abs(b[2])) + std::abs(v.num) * (std::abs(W[1]) + std::abs(W[2]));
    return v.den != 0 && v.num / v.den > 0 && v.along / v.den <= 1e-13 * size / std::abs(v.den);
  }
};

/// Newton on the angle with the direction kept as a unit vector. True at a valid direction.
bool polish(const Sliding& f, double& c, double& s) {
  for (int k = 0; k < 30; ++k) {
    const Sliding::Value v = f.at(c, s);
    const double slope = f.slope(c, s);
    if (slope == 0) return v.across == 0 && f.valid(v);
    double turn = -v.across / slope;
    if (!std::isfinite(turn)) return false;
    turn = std::clamp(turn, -0.5, 0.5);
    const double nc = c - turn * s, ns = s + turn * c, norm = std::sqrt(nc * nc + ns * ns);
    c = nc / norm, s = ns / norm;
    if (std::abs(turn) < 4e-16) break;
    if (k >= 6 && std::abs(turn) < 1e-14) break;
  }
  const Sliding::Value v = f.at(c, s);
  const double slope = std::abs(f.slope(c, s));
  return std::abs(v.across) <= 1e-13 * (slope + std::abs(v.along)) && f.valid(v);
}

/// Every root of `across` on the circle, by sign changes and by the dips between them.
bool scan(const Sliding& f, double& c, double& s) {
  constexpr int kPoints = 180;
  const auto value = [&](double angle) { return f.at(elementary::cos(angle), elementary::sin(angle)).across; };
  const double step = 2 * M_PI / kPoints;
  double before = value(-step), here = value(0);
  for (int k = 0; k < kPoints; ++k) {
    const double next = value((k + 1) * step);
    double start = -1;
    if ((here <= 0) != (next <= 0)) {
      double lo = k * step, hi = lo + step;
      const bool negative = here <= 0;
      for (int i = 0; i < 12; ++i) {
        const double mid = (lo + hi) / 2;
        ((value(mid) <= 0) == negative ? lo : hi) = mid;
      }
      start = (lo + hi) / 2;
    } else if (std::abs(here) <= std::abs(before) && std::abs(here) <= std::abs(next)) {
      start = k * step;
    }
    if (start >= 0) {
      double tc = elementary::cos(start), ts = elementary::sin(start);
      if (polish(f, tc, ts)) {
        c = tc, s = ts;
        return true;
      }
    }
    before = here, here = next;
  }
  return false;
}

}  // namespace

bool slides_in_space(const ConeBlock& block, const double* W, const double* b, const double* stick, double* p) {
  const Sliding f{block.cone == Cone::coulomb ? 0.0 : 1.0, block.mu, W, b};
  const double starts[3][2] = {{p[1], p[2]}, {stick[1], stick[2]}, {-b[1], -b[2]}};
  double c = 1, s = 0;
  bool found = false;
  for (const auto& start : starts) {
    const double size = std::sqrt(start[0] * start[0] + start[1] * start[1]);
    if (!(size > 0) || !std::isfinite(size)) continue;
    c = start[0] / size, s = start[1] / size;
    if ((found = polish(f, c, s))) break;
  }
  if (!found && !scan(f, c, s)) return false;
  const Sliding::Value v = f.at(c, s);
  p[0] = v.num / v.den;
  p[1] = block.mu * p[0] * c;
  p[2] = block.mu * p[0] * s;
  return std::isfinite(p[0]);
}

namespace {

bool slides_in_plane(const ConeBlock& block, const double* W, const double* b, double* p) {
  for (const double sign : {1.0, -1.0}) {
    const double s = sign * block.mu, e = block.cone == Cone::coulomb ? 0 : s;
    const double wn = W[0] + s * W[2], wt = W[1] + s * W[3];
    const double den = wn + e * wt, num = -(b[0] + e * b[1]);
    if (den == 0 || !(num / den > 0)) continue;
    const double pn = num / den, ut = b[1] + wt * pn;
    if (sign * ut > 1e-14 * (std::abs(b[1]) + std::abs(wt * pn)) && block.mu > 0) continue;
    p[0] = pn, p[1] = s * pn;
    return true;
  }
  return false;
}

}  // namespace

bool solve_local(const ConeBlock& block, const double* W, const double* b, double* p) {
  if (opens(block, b)) {
    std::fill(p, p + block.dim, 0.0);
    return true;
  }
  if (block.mu == 0) {
    std::fill(p, p + block.dim, 0.0);
    if (!(W[0] > 0)) return false;
    p[0] = -b[0] / W[0];
    return true;
  }
  double stick[3];
  if (sticks(block, W, b, stick)) {
    std::copy(stick, stick + block.dim, p);
    return true;
  }
  if (block.dim == 2 ? slides_in_plane(block, W, b, p) : slides_in_space(block, W, b, stick, p)) return true;
  double trace = 0;
  for (int i = 0; i < block.dim; ++i) trace += W[i + i * block.dim];
  const double rho = trace > 0 ? block.dim / trace : 1;
  for (int i = 0; i < block.dim; ++i) p[i] = -rho * b[i];
  project(block.cone, block.dim, block.mu, p);
  return false;
}

bool solve_alone(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const Delassus& W = problem.W;
  const bool block =
      W.storage() == Delassus::Storage::sparse && W.formed() && W.columns().size() == 1 && W.block_dim() == W.rows();
  if (W.storage() != Delassus::Storage::dense && !block) return false;
  solution.iterations = 1;
  if (!solve_local(problem.blocks[0], W.blocks(), problem.b.data(), solution.p.data())) return false;
  solution.residual = judge(problem, goal, solution, scratch);
  return scratch.judged = solution.residual <= goal.tolerance;
}

}  // namespace ricochet::detail
