#include "ricochet/solver/iterative/contact_map.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::detail {
namespace {

/// F = (x - P(z)) / rho with dP = D:  A = (1 - D) / rho, B = D.
void from_projection(double rho, const double* x, const double* P, const double* D, ContactMap& out) {
  for (int i = 0; i < 3; ++i) out.F[i] = (x[i] - P[i]) / rho;
  for (int i = 0; i < 9; ++i) out.A[i] = ((i % 4 == 0 ? 1 : 0) - D[i]) / rho, out.B[i] = D[i];
}

/// u^ and the direction of u_T, zero where there is none: du^ = du + mu n (t . du_T).
struct Shifted {
  double u[3], slope[2] = {0, 0};

  Shifted(double mu, bool associated, const double* v) : u{v[0], v[1], v[2]} {
    const double size = std::sqrt(v[1] * v[1] + v[2] * v[2]);
    if (associated || !(size > 0)) return;
    u[0] += mu * size;
    slope[0] = mu * v[1] / size, slope[1] = mu * v[2] / size;
  }
  /// B := B du^/du
  void chain(double* B) const {
    for (int i = 0; i < 3; ++i) B[3 + i] += slope[0] * B[i], B[6 + i] += slope[1] * B[i];
  }
};

/// Fischer's function of two numbers, with its derivatives; at the kink those on the way from both positive.
void fischer(double a, double z, double& F, double& da, double& dz) {
  const double root = std::sqrt(a * a + z * z);
  F = a + z > 0 ? 2 * a * z / (a + z + root) : a + z - root;
  da = 1 - (root > 0 ? a / root : M_SQRT1_2);
  dz = 1 - (root > 0 ? z / root : M_SQRT1_2);
}

/// The frame in which w = a o a + z o z is diagonal: its idempotents (1, -d) / 2 and (1, d) / 2, and t across d. Parts
/// of a vector: x_0 - d . x, x_0 + d . x, t . x.
struct Frame {
  double d[2] = {1, 0};
  double a[3], z[3];  ///< parts
  double root[2];     ///< eigenvalues of w^(1/2), without the cancellation of w_0 - |w_T|

  Frame(const double* x, const double* s) {
    const double w[2] = {x[0] * x[1] + s[0] * s[1], x[0] * x[2] + s[0] * s[2]};
    const double size = std::sqrt(w[0] * w[0] + w[1] * w[1]);
    if (size > 0) d[0] = w[0] / size, d[1] = w[1] / size;
    split(x, a), split(s, z);
    for (int k = 0; k < 2; ++k) root[k] = std::sqrt(a[k] * a[k] + z[k] * z[k] + a[2] * a[2] + z[2] * z[2]);
  }
  void split(const double* x, double* parts) const {
    const double along = d[0] * x[1] + d[1] * x[2];
    parts[0] = x[0] - along, parts[1] = x[0] + along, parts[2] = d[0] * x[2] - d[1] * x[1];
  }
  void join(const double* parts, double* x) const {
    const double along = (parts[1] - parts[0]) / 2;
    x[0] = (parts[0] + parts[1]) / 2, x[1] = along * d[0] - parts[2] * d[1], x[2] = along * d[1] + parts[2] * d[0];
  }
  /// v - w^(-1/2) o-divided (b o v) for the factor b whose parts are given; kink: what stands for b / root where that
  /// is 0 / 0, the limit from a and z both moved inside.
  void derivative(const double* b, const double* v, double* out) const {
    double p[3], r[3];
    split(v, p);
    // Parts of b o v: k = 0, 1: b_k p_k + b_t p_t;  t: ((b_0 + b_1) p_t + b_t (p_0 + p_1)) / 2
    for (int k = 0; k < 2; ++k)
      r[k] = p[k] - (root[k] > 0 ? b[k] / root[k] * p[k] + b[2] / root[k] * p[2] : M_SQRT1_2 * p[k]);
    const double sum = root[0] + root[1];
    r[2] = p[2] - (sum > 0 ? ((b[0] + b[1]) * p[2] + b[2] * (p[0] + p[1])) / sum : M_SQRT1_2 * p[2]);
    join(r, out);
  }
};

}  // namespace

void natural_equation(double mu, bool associated, double rho, const double* x, const double* u, ContactMap& out) {
  const Shifted shifted(mu, associated, u);
  alart_curnier(mu, true, rho, x, shifted.u, out);
  shifted.chain(out.B);
}

void fischer_burmeister(double mu, bool associated, double rho, const double* x, const double* u, ContactMap& out) {
  std::fill_n(out.A, 9, 0.0), std::fill_n(out.B, 9, 0.0);
  if (!(mu > 0)) {
    fischer(x[0] / rho, u[0], out.F[0], out.A[0], out.B[0]);
    out.A[0] /= rho;
    for (int i = 1; i < 3; ++i) out.F[i] = x[i] / rho, out.A[4 * i] = 1 / rho;
    return;
  }
  const Shifted shifted(mu, associated, u);
  const double to[3] = {1 / rho, 1 / (mu * rho), 1 / (mu * rho)}, from[3] = {1, mu, mu};
  double a[3], z[3], parts[3];
  for (int i = 0; i < 3; ++i) a[i] = to[i] * x[i], z[i] = from[i] * shifted.u[i];
  const Frame frame(a, z);
  for (int k = 0; k < 2; ++k) {
    const double sum = frame.a[k] + frame.z[k], across = frame.a[2] * frame.a[2] + frame.z[2] * frame.z[2];
    parts[k] = sum > 0 ? (2 * frame.a[k] * frame.z[k] - across) / (sum + frame.root[k]) : sum - frame.root[k];
  }
  parts[2] = frame.a[2] + frame.z[2];
  frame.join(parts, out.F);
  for (int j = 0; j < 3; ++j) {
    double v[3] = {0, 0, 0};
    v[j] = to[j];
    frame.derivative(frame.a, v, out.A + 3 * j);
    v[j] = from[j];
    frame.derivative(frame.z, v, out.B + 3 * j);
  }
  shifted.chain(out.B);
}

void alart_curnier(double mu, bool associated, double rho, const double* x, const double* u, ContactMap& out) {
  const double z[3] = {x[0] - rho * u[0], x[1] - rho * u[1], x[2] - rho * u[2]};
  const double size = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  double P[3] = {0, 0, 0}, D[9] = {};
  if (associated ? mu * size <= -z[0] : z[0] <= 0) return from_projection(rho, x, P, D, out);
  if (mu > 0 && size <= mu * z[0]) {  // sticks: F = u, without the cancellation
    for (int i = 0; i < 3; ++i) out.F[i] = u[i];
    for (int i = 0; i < 9; ++i) out.A[i] = 0, out.B[i] = i % 4 == 0 ? 1 : 0;
    return;
  }
  const double d[3] = {1, size > 0 ? z[1] / size : 0, size > 0 ? z[2] / size : 0};
  const double c = associated ? 1 / (1 + mu * mu) : 1;
  P[0] = associated ? c * (z[0] + mu * size) : z[0];
  const double k = size > 0 ? mu * P[0] / size : 0;
  D[0] = c;
  for (int j = 1; j < 3; ++j) D[3 * j] = associated ? c * mu * d[j] : 0;
  for (int i = 1; i < 3; ++i) {
    P[i] = mu * P[0] * d[i];
    for (int j = 0; j < 3; ++j)
      D[i + 3 * j] = mu * d[i] * D[3 * j] + (j > 0 ? k * ((i == j ? 1 : 0) - d[i] * d[j]) : 0);
  }
  from_projection(rho, x, P, D, out);
  if (!associated) {
    out.F[0] = u[0];
    out.A[0] = 0;
  }
}

}  // namespace ricochet::detail
