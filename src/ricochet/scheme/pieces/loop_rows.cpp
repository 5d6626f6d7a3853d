#include "ricochet/scheme/pieces/loop_rows.hpp"

#include <cmath>

#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {
namespace {

constexpr double kRounding = 1e-9;  ///< of the largest pivot: none, where a loop is closed to the tolerance
constexpr double kOutOfLine = 10;   ///< times what joints were out of line at the beginning
constexpr double kOpen = 30;        ///< times what they are open by
constexpr double kMost = 0.03;

}  // namespace

void LoopRows::find(const Scales* scales, const std::vector<Candidate>& candidates, const Rows& rows) {
  count_ = 0;
  if (scales == nullptr || scales->loops == nullptr) return;
  for (const Loop& loop : *scales->loops) {
    if (found_.size() == count_) found_.emplace_back();
    Found& f = found_[count_];
    f.loop = &loop;
    f.placed = false;
    f.candidates.clear();
    blocks_.clear();
    double open = 0;
    for (std::size_t k = 0; k < rows.pick.size() && f.candidates.size() < loop.joints.size(); ++k) {
      const Candidate& c = candidates[static_cast<std::size_t>(rows.pick[k])];
      if (c.key != loop.joints[f.candidates.size()]) continue;
      f.candidates.push_back(rows.pick[k]);
      blocks_.push_back(static_cast<int>(k));
    }
    if (f.candidates.size() != loop.joints.size()) continue;  // it sleeps
    for (std::size_t k = 0, row = 0; k < blocks_.size(); ++k) {
      const Jacobian::Block& b = rows.G.blocks()[static_cast<std::size_t>(blocks_[k])];
      for (int i = b.row; i < b.row + b.dim; ++i, ++row)
        open = std::max(open, std::abs(rows.g[i]) * loop.factors[row] / loop.size);
    }
    const int m = loop.rows();
    fill_loop(loop, rows.G, blocks_.data(), space_);
    space_.factorise();
    const double none = std::min(std::max({kRounding, kOutOfLine * loop.misfit, kOpen * open}), kMost);
    f.redundant = 0;
    while (f.redundant < loop.redundant && !(space_.pivot(m - 1 - f.redundant) > none * space_.pivot(0))) ++f.redundant;
    if (f.redundant == 0) continue;
    space_.complement(m - f.redundant, f.N.need(static_cast<Index>(m) * f.redundant));
    ++count_;
  }
}

bool LoopRows::place(const std::vector<int>& pick, const Jacobian& G) const {
  bool any = false;
  for (std::size_t i = 0; i < count_; ++i) {
    const Found& f = found_[i];
    f.rows.clear();
    std::size_t next = 0;
    for (std::size_t k = 0; k < pick.size() && next < f.candidates.size(); ++k) {
      if (pick[k] != f.candidates[next]) continue;
      ++next;
      for (int j = 0; j < G.blocks()[k].dim; ++j) f.rows.push_back(G.blocks()[k].row + j);
    }
    f.placed = next == f.candidates.size();
    if (!f.placed) f.rows.clear();
    any = any || f.placed;
  }
  return any;
}

template <class Visit>
void LoopRows::each(Visit visit) const {
  for (std::size_t i = 0; i < count_; ++i)
    for (int k = 0; found_[i].placed && k < found_[i].redundant; ++k)
      visit(found_[i], found_[i].N.data() + static_cast<Index>(k) * found_[i].loop->rows());
}

void LoopRows::take_off(double* u, const double* even) const {
  each([&](const Found& f, const double* y) {
    double s = 0;
    for (std::size_t k = 0; k < f.rows.size(); ++k) s += y[k] * f.factor(k, even) * u[f.rows[k]];
    for (std::size_t k = 0; k < f.rows.size(); ++k) u[f.rows[k]] -= s * y[k] / f.factor(k, even);
  });
}

void LoopRows::forgive(double* g) const {
  each([&](const Found& f, const double* y) {
    double s = 0;
    for (std::size_t k = 0; k < f.rows.size(); ++k) s += y[k] * f.loop->factors[k] * g[f.rows[k]];
    if (!(std::abs(s) <= f.loop->allowance())) return;
    for (std::size_t k = 0; k < f.rows.size(); ++k) g[f.rows[k]] -= s * y[k] / f.loop->factors[k];
  });
}

void LoopRows::lessen(double* p) const {
  each([p](const Found& f, const double* y) {
    double s = 0;
    for (std::size_t k = 0; k < f.rows.size(); ++k) s += y[k] * p[f.rows[k]] / f.loop->factors[k];
    for (std::size_t k = 0; k < f.rows.size(); ++k) p[f.rows[k]] -= s * y[k] * f.loop->factors[k];
  });
}

void LoopRows::project(double* W, int m, const double* even) const {
  const auto stride = static_cast<Index>(m);
  const auto scale = [&](bool back) {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t k = 0; k < found_[i].rows.size(); ++k) {
        const double factor = back ? 1 / found_[i].factor(k, even) : found_[i].factor(k, even);
        double *row = W + found_[i].rows[k], *column = W + found_[i].rows[k] * stride;
        for (int j = 0; j < m; ++j) row[j * stride] *= factor;
        for (int j = 0; j < m; ++j) column[j] *= factor;
      }
  };
  scale(false);
  each([&](const Found& f, const double* y) {
    double size = 0;
    for (const int row : f.rows) size += std::abs(W[row + row * stride]) / static_cast<double>(f.rows.size());
    for (Index j = 0; j < m; ++j) {  // W <- (1 - y y^T) W
      double s = 0;
      for (std::size_t k = 0; k < f.rows.size(); ++k) s += y[k] * W[f.rows[k] + j * stride];
      for (std::size_t k = 0; k < f.rows.size(); ++k) W[f.rows[k] + j * stride] -= s * y[k];
    }
    double* sum = work_.zeros(m);
    for (std::size_t k = 0; k < f.rows.size(); ++k)
      for (int i = 0; i < m; ++i) sum[i] += W[i + f.rows[k] * stride] * y[k];
    for (std::size_t k = 0; k < f.rows.size(); ++k) sum[f.rows[k]] -= size * y[k];
    for (std::size_t k = 0; k < f.rows.size(); ++k)
      for (int i = 0; i < m; ++i) W[i + f.rows[k] * stride] -= sum[i] * y[k];
  });
  scale(true);
}

void LoopRows::spare(std::vector<char>& out) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Found& f = found_[i];
    if (!f.placed) continue;
    // Gaussian elimination of the columns of N, by their largest entries
    const int m = f.loop->rows();
    double* A = work_.need(static_cast<Index>(m) * f.redundant);
    std::copy_n(f.N.data(), static_cast<Index>(m) * f.redundant, A);
    for (int c = 0; c < f.redundant; ++c) {
      const double* own = A + static_cast<Index>(c) * m;
      int row = 0;
      for (int r = 1; r < m; ++r)
        if (std::abs(own[r]) > std::abs(own[row])) row = r;
      out[f.rows[row]] = 1;
      for (int d = c + 1; d < f.redundant; ++d) {
        double* other = A + static_cast<Index>(d) * m;
        const double s = other[row] / own[row];
        for (int r = 0; r < m; ++r) other[r] = r == row ? 0 : other[r] - s * own[r];
      }
    }
  }
}

}  // namespace ricochet
