#include "ricochet/io/verify/laws.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

double residual(const LocalLaw& law, int dim, double rho, const double* P, const double* U, double shift) {
  double u[3] = {}, z[3] = {};
  std::copy(U, U + dim, u);
  u[0] += shift;
  if (law.cone == Cone::coulomb) u[0] += law.mu * elementary::hypot(u[1], dim > 2 ? u[2] : 0.0);
  for (int k = 0; k < dim; ++k) z[k] = P[k] - rho * u[k];
  project(law.cone, dim, law.mu, z);
  double error = 0;
  for (int k = 0; k < dim; ++k) error = std::max(error, std::abs(P[k] - z[k]) / rho);
  return error;
}

LocalState local_state(const RecordedStep& s, std::size_t i) {
  const Candidate& c = s.candidates[i];
  const int first = s.first_row(i);
  LocalState out{s.h, s.begin.rows.g[first], {}, c.dim};
  for (int k = 0; k < c.dim; ++k)
    out.U_before[static_cast<std::size_t>(k)] = s.begin.U[static_cast<std::size_t>(first + k)];
  return out;
}

}  // namespace

LawCheck::LawCheck(const Scheme& scheme)
    : info_(scheme.info()),
      tolerance_(scheme.tolerance()),
      by_jump_(info_.exact_velocity && info_.one_impulse && info_.impact_order > 0) {}

void LawCheck::check(const RecordedStep& s, const LawSizes& sizes, Findings& findings) {
  const double accepted = std::max(10 * tolerance_.constraint, 1e-9 * sizes.speed);
  told_ = sizes.told;
  for (std::size_t i = 0; i < s.candidates.size(); ++i) {
    if (s.candidates[i].bilateral()) continue;
    by_jump_ ? check_jump(s, i, accepted, findings) : check_sum(s, i, accepted, findings);
  }
}

void LawCheck::check_jump(const RecordedStep& s, std::size_t i, double accepted, Findings& findings) {
  const Candidate& c = s.candidates[i];
  const int first = s.first_row(i);
  const double* P = &s.P[static_cast<std::size_t>(first)];
  const bool loaded = std::any_of(P, P + c.dim, [](double p) { return p != 0; });
  const bool closed = s.begin.rows.g[first] <= tolerance_.activation && s.end.rows.g[first] <= tolerance_.activation;
  if (!loaded && !closed) return;
  const LocalState local = local_state(s, i);
  const LocalLaw law = c.law->local(local);
  const double shift = law.restitution * local.U_before[0], rho = impulse_scale(s, i);
  // Rows of the condition: at the end of the step, or at its beginning for schemes that take them there.
  double error = residual(law, c.dim, rho, P, &s.end.U[static_cast<std::size_t>(first)], shift);
  if (error > accepted) {
    double U[3] = {};
    const Rows& rows = s.begin.rows;
    for (int k = 0; k < c.dim; ++k) U[k] = rows.G.row_times(rows.G.blocks()[i], k, s.end.state.v) + rows.g_t[first + k];
    error = std::min(error, residual(law, c.dim, rho, P, U, shift));
  }
  if (!loaded && error * s.h <= tolerance_.activation) return;  // at rest, as far as gaps can tell
  worst_ = std::max(worst_, error);
  // A forecast that leaves a closed contact out must have said by how much.
  const double told = loaded || info_.holds_closed ? 0 : told_;
  findings.hold(CheckKind::laws, "contacts.P", static_cast<std::int64_t>(s.row), error, accepted + told);
}

void LawCheck::check_sum(const RecordedStep& s, std::size_t i, double accepted, Findings& findings) {
  const Candidate& c = s.candidates[i];
  const int first = s.first_row(i);
  const auto at = static_cast<std::size_t>(first);
  const double* P = &s.P[at];
  const LocalLaw law = c.law->local(local_state(s, i));
  double inside[3] = {}, outside = 0, size = 0;
  std::copy(P, P + c.dim, inside);
  project(law.cone, c.dim, law.mu, inside);
  for (int k = 0; k < c.dim; ++k) {
    outside += std::abs(P[k] - inside[k]);
    size += std::abs(P[k]);
  }
  if (size > 0)
    findings.hold(CheckKind::laws, "contacts.P", static_cast<std::int64_t>(s.row), outside / impulse_scale(s, i),
                  std::max(accepted, 1e-9 * size / impulse_scale(s, i)));
  if (!info_.exact_velocity || law.restitution > 0) return;
  const double approach = -s.end.U[at];
  const bool closed = s.begin.rows.g[first] <= 0 && s.end.rows.g[first] <= 0;
  const bool opened = s.begin.U[at] > tolerance_.activation;
  if (!closed || (opened && !info_.exact_position) || approach * s.h <= tolerance_.activation) return;
  worst_ = std::max(worst_, approach);
  findings.hold(CheckKind::laws, "contacts.U", static_cast<std::int64_t>(s.row), approach, accepted);
}

// 1 / (mean diagonal entry of G^T M^-1 G); 1 where the mass has no inverse.
double LawCheck::impulse_scale(const RecordedStep& s, std::size_t i) {
  if (!s.inertia->regular()) return 1;
  const Jacobian &G = s.end.rows.G, &Y = s.inertia->response();
  const Jacobian::Block& block = G.blocks()[i];
  double trace = 0;
  for (int k = 0; k < block.dim; ++k) trace += block_dot(G, block, k, Y, Y.blocks()[i], k);
  return trace > 0 ? block.dim / trace : 1;
}

}  // namespace ricochet
