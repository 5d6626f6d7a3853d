// Passes of a stage that need no complementarity solver: rows with free multipliers alone, and chosen sets.
#include <algorithm>
#include <cmath>

#include "ricochet/math/orthogonal.hpp"
#include "ricochet/scheme/pieces/held_rows.hpp"
#include "ricochet/scheme/pieces/stage.hpp"
#include "ricochet/solver/tap.hpp"

namespace ricochet {
namespace {

/// Of the load: by so much redundant rows may contradict each other within the passes of Newton. Loops that move by
/// their lengths alone do so where they are not closed, by the square of what is open; the next pass finds that
/// smaller. Whether all rows hold is judged where the passes end, and by the certificate.
constexpr double kContradiction = 1e-3;

}  // namespace

bool Stage::solve_free_rows(const Workspace& w, const Controls& controls) {
  const bool dense = problem_.W.storage() == Delassus::Storage::dense;
  if (!dense || linear_ || augmentation_ > 0) return false;
  if (controls.solver_options.minimum_norm) return false;
  const int m = problem_.rows;
  settled_W_.factorise(problem_.W.dense(), m, m > d_.size() && loops_ == nullptr);
  double *p = solution_.p.data(), *u = solution_.u.data();
  std::copy_n(problem_.b.data(), m, p);
  settled_W_.solve(p);
  double load = unit(w), terms = 0, worst = 0;
  for (int i = 0; i < m; ++i) {
    p[i] = -p[i];
    u[i] = problem_.b[i];
    load = std::max(load, std::abs(u[i]));
    terms = std::max(terms, std::abs(problem_.W(i, i) * p[i]));
  }
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) u[i] += problem_.W(i, j) * p[j];
  for (int i = 0; i < m; ++i) worst = std::max(worst, u[i] == u[i] ? std::abs(u[i]) : load);
  double enough = std::max(controls.solver_options.tolerance * load, std::min(1e-14 * terms, 1e-8 * load));
  if (!settled_W_.full_rank()) enough = std::max(enough, kContradiction * load);
  if (!(worst <= enough) || !std::isfinite(load)) return false;
  solution_.status = solved = SolveStatus::converged;
  solution_.iterations = 0;
  solution_.residual = worst;
  solution_.minimum_norm = !settled_W_.full_rank();
  if (SolveTap* tap = solve_tap()) tap->solved(problem_, solution_);
  minimum_norm = minimum_norm || solution_.minimum_norm;
  // At position level r is what the last multipliers made of the present D: no place for those of an older one.
  settled_ = level_ == Level::velocity;
  return true;
}

bool Stage::solve_settled(const Workspace& w, View x) {
  const int m = L.G.rows();
  if (!measured_ || solution_.rows != m || kept_pick_ != L.pick) return false;
  double* step = pushed_.need(2 * m);
  condition().transpose_times(d_, step);
  for (int i = 0; i < m; ++i) step[i] = (step[i] - u_[i]) * (evened_ ? even_[i] : 1);
  if (loops_ != nullptr && loops_->place(L.pick, L.G)) loops_->take_off(step, evened_ ? even_.data() : nullptr);
  double* left = step + m;
  std::copy_n(step, m, left);
  settled_W_.solve(step);
  if (!settled_W_.full_rank()) {  // rows that contradict each other are the solver's
    double worst = 0, size = unit(w);
    for (int i = 0; i < m; ++i) size = std::max(size, std::abs(left[i]));
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) left[i] -= problem_.W(i, j) * step[j];
    for (int i = 0; i < m; ++i) worst = std::max(worst, std::abs(left[i]));
    if (!(worst <= kContradiction * size)) return false;
  }
  for (int i = 0; i < m; ++i) {
    step[i] *= evened_ ? even_[i] : 1;
    solution_.p[i] += step[i];
    solution_.u[i] = 0;
  }
  add_response(-1, step, d_);
  for (Index i = 0; i < x.size(); ++i) x[i] -= d_[i];
  measured_ = false;
  return true;
}

void Stage::solve_active(const Model& model, Workspace& w, double h, const std::vector<char>& active, double k,
                         View x) {
  ++passes;
  const int m = L.G.rows();
  measured_ = false;
  settled_ = false;
  d_ = r;
  solution_.fit(m);
  if (m == 0) {
    problem_.clear();
    S_->solve(d_);
    return move(w, x);
  }
  condense(model, w, h, x);
  const int first = held_rows();
  solve_chosen(solved_problem(), active.data() + (holding() ? held_->blocks() : 0), k, solution_.p.data() + first,
               solution_.u.data() + first);
  if (evened_ && !holding()) restore_rows();
  move(w, x);
}

void Stage::solve_chosen(const Problem& problem, const char* active, double k, double* p, double* u) {
  const int m = problem.rows;
  active_rows_.clear();
  solved = SolveStatus::converged;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const ConeBlock& block = problem.blocks[i];
    if (block.cone != Cone::free && block.cone != Cone::nonnegative && (block.mu > 0 || block.cone != Cone::coulomb))
      solved = SolveStatus::infeasible;  // no set says what friction does
    const int rows = block.cone == Cone::free ? block.dim : active[i] ? 1 : 0;
    for (int row = 0; row < rows; ++row) active_rows_.push_back(block.row + row);
  }
  const auto size = static_cast<Index>(active_rows_.size());
  active_W_.setZero(size, size);
  active_b_.resize(size);
  active_place_.assign(m, -1);
  for (Index i = 0; i < size; ++i) {
    const int row = active_rows_[i];
    active_place_[row] = static_cast<int>(i);
    active_b_[i] = -k * problem.b[row];
  }
  problem.W.for_each_entry([&](int i, int j, double value) {
    if (active_place_[i] >= 0 && active_place_[j] >= 0) active_W_(active_place_[i], active_place_[j]) = k * k * value;
  });
  std::fill(p, p + m, 0.0);
  if (size > 0) {
    const Orthogonal factor(active_W_);
    minimum_norm = minimum_norm || factor.rank() < size;
    active_b_ = factor.solve(active_b_);
    for (Index i = 0; i < size; ++i) p[active_rows_[i]] = k * active_b_[i];
  }
  std::copy(problem.b.data(), problem.b.data() + m, u);
  problem.W.for_each_entry([&](int i, int j, double value) { u[i] += value * p[j]; });
}

bool Stage::rows_turned(ConstView x, const Workspace& w) const {
  constexpr double kTurn = 0.005;  // rad
  constexpr double kRest = 1e-8;   // what rests turns by its round-off
  constexpr int kMostRows = 60;    // of a mechanism; in a pile something always turns, and the others would pay for it
  if (L.G.rows() > kMostRows || w.sleep.any()) return false;
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Jacobian::Block& b = L.G.blocks()[k];
    if (!w.candidates[L.pick[k]].unilateral()) continue;
    double U = L.g_t[b.row], size = std::abs(U);
    const double* G = L.G.row(b, 0);
    for (const Range *part = L.G.ranges(b), *end = part + b.ranges; part != end; ++part)
      for (int i = part->at; i < part->at + part->n; ++i, ++G) U += *G * x[i], size += std::abs(*G * x[i]);
    const double turn = std::abs(U - ricochet::U_before(w, L.pick[k]));
    if (turn > kTurn * size && turn > kRest * U_size(w, L.pick[k])) return true;
  }
  return false;
}

}  // namespace ricochet
