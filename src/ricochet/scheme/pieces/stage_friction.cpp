// What friction moves by itself: the part of a velocity jump that position-level rows know nothing of.
#include "ricochet/math/small_lu.hpp"
#include "ricochet/scheme/pieces/held_rows.hpp"
#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

void Stage::add_friction(double c, View x) {
  if (solution_.rows == 0) return;
  double* p = pushed_.need(solution_.rows);
  std::fill_n(p, solution_.rows, 0.0);
  bool any = false;
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const int first = sliding_[k];
    const Jacobian::Block& b = L.G.blocks()[k];
    for (int i = first; first >= 0 && i < b.dim; ++i) {
      p[b.row + i] = solution_.p[b.row + i];
      any = any || p[b.row + i] != 0;
    }
  }
  if (!any) return;
  if (holding()) {
    held_->pushed.setZero(x.size());
    directions().add_times(c, p, held_->pushed);
    held_->apply_inverse(held_->pushed);
    for (Index i = 0; i < x.size(); ++i) x[i] += held_->pushed[i];
    return;
  }
  if (problem_.W.storage() == Delassus::Storage::dense) hold(p);
  add_response(c, p, x);
}

// W_hh p_h = -W_hT p_T over the joints and the contacts that carry. Rows may depend on each other: any solution gives
// the same motion.
void Stage::hold(double* p) {
  active_rows_.clear();
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const ConeBlock& block = problem_.blocks[k];
    const int rows = sliding_[k] < 0 ? block.dim : sliding_[k] == 1 && solution_.p[block.row] > 0 ? 1 : 0;
    for (int i = 0; i < rows; ++i) active_rows_.push_back(block.row + i);
  }
  const int n = static_cast<int>(active_rows_.size()), m = problem_.rows;
  if (n == 0) return;
  const auto factor = [&](int row) { return evened_ ? even_[row] : 1; };  // W has them
  double *A = hold_.need(n * n + n + minimum_norm_work(n)), *X = A + n * n;
  hold_index_.resize(static_cast<std::size_t>(minimum_norm_index(n)));
  for (int i = 0; i < n; ++i) {
    const int row = active_rows_[static_cast<std::size_t>(i)];
    X[i] = 0;
    for (int j = 0; j < m; ++j) X[i] -= p[j] != 0 ? problem_.W(row, j) * (p[j] / factor(j)) : 0;
    for (int j = 0; j < n; ++j) A[i + j * n] = problem_.W(row, active_rows_[static_cast<std::size_t>(j)]);
  }
  solve_minimum_norm(A, n, X, 1, X + n, hold_index_.data());
  for (int i = 0; i < n; ++i) {
    const int row = active_rows_[static_cast<std::size_t>(i)];
    p[row] = X[i] * factor(row);
  }
}

}  // namespace ricochet
