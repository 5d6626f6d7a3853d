// Contacts of large bodies: W from halves of solutions with a factor that is made of panels, no columns of S^-1 D.
#include <algorithm>

#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {
namespace {

/// The same numbers at the same places.
bool equal_entries(const Jacobian& A, const Jacobian& B) {
  const auto same_range = [](const Range& a, const Range& b) { return a.at == b.at && a.n == b.n; };
  const auto same_block = [&](const Jacobian::Block& a, const Jacobian::Block& b) {
    const Range *in_a = A.ranges(a), *in_b = B.ranges(b);
    return a.dim == b.dim && std::equal(in_a, in_a + a.ranges, in_b, in_b + b.ranges, same_range) &&
           std::equal(A.row(a, 0), A.row(a, a.dim), B.row(b, 0));
  };
  return std::equal(A.blocks().begin(), A.blocks().end(), B.blocks().begin(), B.blocks().end(), same_block);
}

}  // namespace

bool Stage::takes_halves() const {
  return !holding() && !bent_ && S_->gives_compliance() && (collocated || equal_entries(D.G, L.G));
}

// With p the multipliers so far b + W p+ = rows at x - S^-1 (r - D p) + W (p+ - p), where the error of the last pass
// has found S^-1 (r - D p). W depends on S and on D, and is kept while both are what they were.
void Stage::condense_by_halves(const Workspace& w, double h, ConstView x, bool measured) {
  const int m = L.G.rows();
  assemble_cones(w, h);
  problem_.unit = unit(w);
  solution_.fit(m);
  if (!measured) solve_balance();
  double *u = u_.need(m), *b = problem_.b.need(m), *taken = pushed_.need(m);
  present_rows(x, u);
  condition().transpose_times(d_, b);
  for (int i = 0; i < m; ++i) b[i] = u[i] - b[i];
  if (!kept_ || kept_pick_ != L.pick || !(linear_ || equal_entries(kept_D_, directions()))) {
    S_->compliance(directions(), problem_.W.make_dense(m));
    evened_ = w.uneven;
    if (evened_) {
      find_factors(w);
      problem_.W.scale(even_.data());
    }
    kept_ = true;
    kept_pick_ = L.pick;
    if (!linear_) kept_D_ = directions();
  }
  if (evened_) even_rows();
  problem_.W.apply(solution_.p.data(), taken, hold_);
  for (int i = 0; i < m; ++i) b[i] -= taken[i];
  for (int i = 0; gives_ && i < m; ++i) problem_.W.add_diagonal(i, give_[i]);
  kept_ = kept_ && !gives_;
}

void Stage::solve_balance() {
  d_ = r;
  directions().add_times(-1, solution_.p.data(), d_);
  S_->solve(d_);
}

void Stage::add_response(double c, const double* p, View x) {
  if (!halves_) return Y_.add_times(c, p, x);
  response_.setZero(x.size());
  directions().add_times(c, p, response_);
  S_->solve(response_);
  for (Index i = 0; i < x.size(); ++i) x[i] += response_[i];
}

}  // namespace ricochet
