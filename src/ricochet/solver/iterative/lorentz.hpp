#pragma once
// The Jordan algebra of the Lorentz cone in three dimensions, { a_0 >= |(a_1, a_2)| }, and the scaling of Nesterov and
// Todd: for x and z inside, the symmetric S with S^-1 x = S z =: lambda. S = beta (2 v v^T - J), J = diag(1, -1, -1).
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::detail::lorentz {

inline double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// a_0^2 - |(a_1, a_2)|^2, without cancellation of squares.
inline double determinant(const double* a) {
  const double t = std::sqrt(a[1] * a[1] + a[2] * a[2]);
  return (a[0] - t) * (a[0] + t);
}

/// b (2 (v . a) v - J a)
inline void reflect(const double* v, double b, const double* a, double* out) {
  const double d = 2 * dot(v, a);
  out[0] = b * (d * v[0] - a[0]);
  out[1] = b * (d * v[1] + a[1]);
  out[2] = b * (d * v[2] + a[2]);
}

/// out := y with l o y = m.
inline void divide(const double* l, const double* m, double* out) {
  const double s = (l[0] * m[0] - l[1] * m[1] - l[2] * m[2]) / determinant(l);
  out[0] = s, out[1] = (m[1] - s * l[1]) / l[0], out[2] = (m[2] - s * l[2]) / l[0];
}

/// Largest t with a + t b in the cone, a inside.
inline double reach(const double* a, const double* b) {
  const double A = b[0] * b[0] - b[1] * b[1] - b[2] * b[2], B = a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
  const double C = determinant(a), D = B * B - A * C;
  double t = b[0] < 0 ? -a[0] / b[0] : std::numeric_limits<double>::infinity();
  if (A < 0 || (B < 0 && D >= 0)) {
    const double root = std::sqrt(std::max(D, 0.0)), r = B < 0 ? C / (root - B) : (-B - root) / A;
    if (r > 0) t = std::min(t, r);
  }
  return t;
}

struct Scaling {
  double w[3], v[3], beta;

  Scaling() = default;
  Scaling(const double* x, const double* z) {
    const double gx = std::sqrt(determinant(x)), gz = std::sqrt(determinant(z));
    const double g = 2 * std::sqrt((1 + dot(x, z) / (gx * gz)) / 2);
    for (int i = 0; i < 3; ++i) w[i] = (x[i] / gx + (i == 0 ? 1 : -1) * z[i] / gz) / g;
    const double norm = std::sqrt(2 * (w[0] + 1));
    v[0] = (w[0] + 1) / norm, v[1] = w[1] / norm, v[2] = w[2] / norm;
    beta = std::sqrt(gx / gz);
  }
  /// S a
  void times(const double* a, double* out) const { reflect(v, beta, a, out); }
  /// S^-1 a
  void solve(const double* a, double* out) const {
    const double jv[3] = {v[0], -v[1], -v[2]};
    reflect(jv, 1 / beta, a, out);
  }
  /// H = S^-2, which takes x to z: H a.
  void hessian(const double* a, double* out) const {
    const double jw[3] = {w[0], -w[1], -w[2]};
    reflect(jw, 1 / (beta * beta), a, out);
  }
};

}  // namespace ricochet::detail::lorentz
