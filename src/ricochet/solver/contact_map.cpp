#include "ricochet/solver/contact_map.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::detail {
namespace {

/// F = (x - P(z)) / rho with dP = D:  A = (1 - D) / rho, B = D.
void from_projection(double rho, const double* x, const double* P, const double* D, ContactMap& out) {
  for (int i = 0; i < 3; ++i) out.F[i] = (x[i] - P[i]) / rho;
  for (int i = 0; i < 9; ++i) out.A[i] = ((i % 4 == 0 ? 1 : 0) - D[i]) / rho, out.B[i] = D[i];
}

}  // namespace

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
