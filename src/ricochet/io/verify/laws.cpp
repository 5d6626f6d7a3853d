#include "ricochet/io/verify/laws.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

/// |P - P_K(P - rho u)| / rho of a cone with its normal first, or of a disc.
double map_residual(Cone cone, int dim, double size, double rho, const double* P, const double* u) {
  double z[3] = {}, error = 0;
  const double shift = cone == Cone::coulomb ? size * elementary::hypot(u[1], dim > 2 ? u[2] : 0.0) : 0;
  for (int k = 0; k < dim; ++k) z[k] = P[k] - rho * (u[k] + (k == 0 ? shift : 0));
  project(cone, dim, size, z);
  for (int k = 0; k < dim; ++k) error = std::max(error, std::abs(P[k] - z[k]) / rho);
  return error;
}

/// `rho` by the rows of the contact; those of rolling have their own, and a length makes velocities of them.
double residual(const LocalLaw& law, int dim, const double* rho, const double* P, const double* U, double shift) {
  double u[kMostContactRows] = {};
  for (int k = 0; k < dim; ++k) u[k] = U[k] + law.compliance[static_cast<std::size_t>(k)] * P[k];
  u[0] += shift;
  if (law.cone != Cone::rolling) return map_residual(law.cone, dim, law.mu, rho[0], P, u);
  double error = map_residual(Cone::coulomb, 1 + friction_rows(dim).slip, law.mu, rho[0], P, u);
  for_each_disc(dim, law.friction(), [&](int first, int rows, double coefficient) {
    if (first == 1) return;
    const double length = std::sqrt(rho[first] / rho[0]), radius = coefficient * std::max(0.0, P[0]);
    error = std::max(error, length * map_residual(Cone::interval, rows, radius, rho[first], P + first, u + first));
  });
  return error;
}

/// Impulse of the joint that bounds contact i.
double load_of(const RecordedStep& s, const Candidate& c) {
  if (c.load == Candidate::kNoLoad) return 0;
  double square = 0;
  for (std::size_t i = 0; i < s.candidates.size(); ++i) {
    if (s.candidates[i].key != c.load) continue;
    for (int k = 0; k < c.load_rows; ++k) {
      const auto row = static_cast<std::size_t>(s.first_row(i) + k);
      const double P = s.P[row] + s.h * s.smooth[row];
      square += P * P;
    }
  }
  return std::sqrt(square);
}

LocalState local_state(const RecordedStep& s, std::size_t i) {
  const Candidate& c = s.candidates[i];
  const int first = s.first_row(i);
  LocalState out{s.h, s.begin.rows.g[first], {}, c.dim, load_of(s, c)};
  for (int k = 0; k < c.dim; ++k)
    out.U_before[static_cast<std::size_t>(k)] = s.begin.U[static_cast<std::size_t>(first + k)];
  return out;
}

}  // namespace

LawCheck::LawCheck(const Scheme& scheme, const Scales& scales)
    : info_(scheme.info()),
      tolerance_(scheme.tolerance()),
      closed_(tolerance_.activation * scales.length),
      slow_(tolerance_.activation * scales.velocity),
      velocity_(scales.velocity),
      by_jump_(info_.exact_velocity && info_.one_impulse && info_.impact_order > 0) {}

void LawCheck::check(const RecordedStep& s, const LawSizes& sizes, Findings& findings) {
  const double accepted = std::max(10 * s.tolerance * velocity_, 1e-9 * sizes.speed);
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
  const bool closed = s.begin.rows.g[first] <= closed_ && s.end.rows.g[first] <= closed_;
  if (!loaded && !closed && !c.velocity_only) return;
  const LocalState local = local_state(s, i);
  const LocalLaw law = c.law->local(local);
  const double shift =
      info_.two_impulses ? s.applied[i] * std::min(0.0, local.U_before[0]) : law.restitution * local.U_before[0];
  double rho[kMostContactRows];
  impulse_scales(s, i, law.cone == Cone::rolling, rho);
  // Rows of the condition: at the end of the step, or at its beginning for schemes that take them there.
  double error = residual(law, c.dim, rho, P, &s.end.U[static_cast<std::size_t>(first)], shift);
  if (error > accepted) {
    double U[kMostContactRows] = {};
    const Rows& rows = s.begin.rows;
    for (int k = 0; k < c.dim; ++k) U[k] = rows.G.row_times(rows.G.blocks()[i], k, s.end.state.v) + rows.g_t[first + k];
    error = std::min(error, residual(law, c.dim, rho, P, U, shift));
  }
  if (!loaded && !c.velocity_only && error * s.h <= closed_) return;  // at rest, as far as gaps can tell
  worst_ = std::max(worst_, error);
  // A forecast that leaves a closed contact out must have said by how much.
  const double told = loaded || c.velocity_only || info_.holds_closed ? 0 : told_;
  findings.hold(CheckKind::laws, "contacts.P", static_cast<std::int64_t>(s.row), error, accepted + told);
}

void LawCheck::check_sum(const RecordedStep& s, std::size_t i, double accepted, Findings& findings) {
  const Candidate& c = s.candidates[i];
  const int first = s.first_row(i);
  const auto at = static_cast<std::size_t>(first);
  const double* P = &s.P[at];
  const LocalLaw law = c.law->local(local_state(s, i));
  double inside[kMostContactRows] = {}, outside = 0, size = 0, rho[kMostContactRows];
  impulse_scales(s, i, false, rho);
  std::copy(P, P + c.dim, inside);
  project(law.cone, c.dim, law.friction(), inside);
  for (int k = 0; k < c.dim; ++k) {
    outside += std::abs(P[k] - inside[k]);
    size += std::abs(P[k]);
  }
  if (size > 0)
    findings.hold(CheckKind::laws, "contacts.P", static_cast<std::int64_t>(s.row), outside / rho[0],
                  std::max(accepted, 1e-9 * size / rho[0]));
  if (!info_.exact_velocity || law.restitution > 0) return;
  const double approach = -s.end.U[at];
  const bool closed = s.begin.rows.g[first] <= 0 && s.end.rows.g[first] <= 0;
  const bool opened = s.begin.U[at] > slow_;
  if (!closed || (opened && !info_.exact_position) || approach * s.h <= closed_) return;
  worst_ = std::max(worst_, approach);
  findings.hold(CheckKind::laws, "contacts.U", static_cast<std::int64_t>(s.row), approach, accepted);
}

// 1 / (mean diagonal entry of G^T M^-1 G) of the whole contact, or of each of its parts; 1 where the mass has no
// inverse.
void LawCheck::impulse_scales(const RecordedStep& s, std::size_t i, bool parts, double* rho) {
  const Jacobian &G = s.end.rows.G, &Y = s.inertia->response();
  const Jacobian::Block& block = G.blocks()[i];
  const auto fill = [&](int first, int rows) {
    double trace = 0;
    for (int k = first; k < first + rows && s.inertia->regular(); ++k)
      trace += block_dot(G, block, k, Y, Y.blocks()[i], k);
    std::fill(rho + first, rho + first + rows, trace > 0 ? rows / trace : 1);
  };
  if (!parts) return fill(0, block.dim);
  fill(0, 1 + friction_rows(block.dim).slip);
  for_each_disc(block.dim, {}, [&](int first, int rows, double) {
    if (first > 1) fill(first, rows);
  });
}

}  // namespace ricochet
