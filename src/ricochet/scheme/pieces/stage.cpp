#include "ricochet/scheme/pieces/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "ricochet/scheme/pieces/held_rows.hpp"
#include "ricochet/scheme/pieces/rest.hpp"
#include "ricochet/solver/measures.hpp"
#include "ricochet/solver/tap.hpp"

namespace ricochet {
namespace {
constexpr int kDenseRows = 60;     ///< up to which W is dense: cheaper than looking for its blocks
constexpr double kEnough = 0.5;    ///< of the tolerance on what a step leaves: the solver's residual may be that
constexpr double kSuspect = 1e-8;  ///< an error from which on it may be round-off

bool of_bodies(const Model& model) {
  const Structure s = model.layout().structure;
  return s == Structure::block_diagonal || s == Structure::blocks;
}
}  // namespace

Controls::Controls(const Tolerances& t) : tolerance(t), solver(find_solver(t.solver_name)) {
  solver_options.tolerance = t.solver;
  solver_options.enough = kEnough * t.constraint;
  solver_options.minimum_norm = t.minimum_norm;
}

Stage::Stage(const Model& model, Level level)
    : r(model.nv()),
      level_(level),
      own_(model.layout()),
      linear_(model.linear()),
      d_(model.nv()),
      bodies_(of_bodies(model)),
      many_(bodies_ && !model.constancy().linear) {}

Stage::~Stage() = default;

void Stage::reset() {
  passes = solver_iterations = 0;
  solved = SolveStatus::converged;
  minimum_norm = false;
  solution_.rows = 0;
  problem_.clear();
  equal.clear();
  bending = {};
  bent_ = renews_ = gives_ = measured_ = false;
  settled_ = false;
}

void Stage::take_impulses(const State& state, double h, const Workspace& w) {
  int m = 0;
  for (int i : L.pick) m += level_ == Level::velocity || w.candidates[i].bilateral() ? w.candidates[i].dim : 1;
  solution_.fit(m);
  int row = 0;
  auto memory = state.contacts.begin();
  for (int i : L.pick) {
    const Candidate& c = w.candidates[i];
    if (c.bilateral() && !w.velocity_rows) {
      for (int k = 0; k < c.dim; ++k) solution_.p[row++] = 0;
      continue;
    }
    // The pick is sorted by keys, but for joints and rows without a position, which come first.
    if (memory != state.contacts.begin() && std::prev(memory)->key >= c.key) memory = state.contacts.begin();
    while (memory != state.contacts.end() && memory->key < c.key) ++memory;
    const bool known = memory != state.contacts.end() && memory->key == c.key;
    if (level_ == Level::position && !c.bilateral()) {
      solution_.p[row++] = known ? memory->correction * h : 0;
    } else {
      const bool taken = known && level_ == Level::velocity && !(c.bilateral() && load_beside != nullptr);
      const double factor = c.bilateral() ? h / load_factor : h;
      for (int k = 0; k < c.dim; ++k) solution_.p[row++] = taken ? memory->reaction[k] * factor : 0;
    }
  }
}

bool Stage::factorise_with_joints(const Workspace& w) {
  // rho makes the added part as large as what is there
  const Jacobian& G = directions();
  double largest = 0;
  joint_rows_ = 0;
  std::size_t joints = 0;
  for (; joints < L.pick.size() && w.candidates[L.pick[joints]].bilateral(); ++joints) {
    const Jacobian::Block& b = G.blocks()[joints];
    for (int i = 0; i < b.dim; ++i) largest = std::max(largest, block_dot(G, b, i, G, b, i));
    joint_rows_ += b.dim;
  }
  const double scale = own_.largest_entry();
  if (largest == 0 || !(scale > 0) || !own_.accepts_any_entry()) return false;
  augmentation_ = scale / largest;
  for (std::size_t k = 0; k < joints; ++k) {
    const Jacobian& C = condition();
    const Jacobian::Block &a = G.blocks()[k], &b = C.blocks()[k];
    for (int row = 0; row < a.dim; ++row) {
      const double *x = G.row(a, row), *y = C.row(b, row);
      for (int i = 0, p = 0; p < a.ranges; ++p)
        for (int ii = 0; ii < G.ranges(a)[p].n; ++ii, ++i)
          for (int j = 0, q = 0; q < b.ranges; ++q)
            for (int jj = 0; jj < C.ranges(b)[q].n; ++jj, ++j)
              own_.add(G.ranges(a)[p].at + ii, C.ranges(b)[q].at + jj, augmentation_ * x[i] * y[j]);
    }
  }
  return own_.factorise();
}

bool Stage::takes_hold(const Model& model, const Workspace& w) {
  if (L.G.rows() <= kDenseRows) return false;
  std::size_t free = 0;
  while (free < L.pick.size() && (w.candidates[L.pick[free]].bilateral() || (free < equal.size() && equal[free])))
    ++free;
  if (free == 0 && model.layout().structure == Structure::block_diagonal) return false;
  if (held_ == nullptr) held_ = std::make_unique<HeldRows>(model);
  held_operator_ = &held_->prepare(directions(), free);
  return true;
}

bool Stage::factorise_held(const Workspace& w, const OperatorCache::Coefficients& coefficients) {
  spared_.assign(static_cast<std::size_t>(L.G.rows()), 0);
  if (w.loops.any() && w.loops.place(L.pick, L.G)) w.loops.spare(spared_);
  return held_->factorise(directions(), condition(), bent_, spared_.data()) && use(held_operator_, coefficients);
}

const Problem& Stage::solved_problem() const { return holding() ? held_->contacts : problem_; }
int Stage::held_rows() const { return holding() ? held_->rows() : 0; }

void Stage::bend_operator(const Model& model, Workspace& w, Operator& S) {
  if (bending.D == 0 || !S.accepts_curvature()) return;
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Candidate& c = w.candidates[L.pick[k]];
    const Jacobian::Block& b = L.G.blocks()[k];
    model.set(c).curvature(bending.t_D, bending.q_D, c, b.dim, solution_.p.data() + b.row, -bending.D, S,
                           w.model.set(c.set));
  }
}

void Stage::bend_rows(const Model& model, Workspace& w) {
  if (bending.L == 0) return;
  bent_L_.clear();
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Candidate& c = w.candidates[L.pick[k]];
    const Jacobian::Block& b = L.G.blocks()[k];
    rates_.clear();
    model.set(c).rate(bending.at_L, c, b.dim, rates_, w.model.set(c.set));
    const Jacobian::Block& turn = rates_.blocks()[0];
    const auto same = [](const Range& x, const Range& y) { return x.at == y.at && x.n == y.n; };
    const Range *own = L.G.ranges(b), *others = rates_.ranges(turn);
    ranges_.assign(own, own + b.ranges);
    const bool alike = std::equal(own, own + b.ranges, others, others + turn.ranges, same);
    // Else ranges of both, one after the other: a row is the sum over its ranges, overlapping or not.
    if (!alike) ranges_.insert(ranges_.end(), others, others + turn.ranges);
    double* row = bent_L_.add(b.dim, ranges_.data(), static_cast<int>(ranges_.size()));
    for (int i = 0; i < b.dim; ++i) {
      std::copy(L.G.row(b, i), L.G.row(b, i) + b.length, row);
      double* turned = alike ? row : row + b.length;
      for (int j = 0; j < turn.length; ++j) turned[j] += bending.L * rates_.row(turn, i)[j];
      row = turned + turn.length;
    }
  }
}

void Stage::present_rows(ConstView x, double* u, Crew* crew) const {
  const int m = L.G.rows();
  if (level_ == Level::position) {
    std::copy(L.g.data(), L.g.data() + m, u);
    return;
  }
  L.G.transpose_times(x, u, crew);
  for (int i = 0; i < m; ++i) u[i] += L.g_t[i] + shift_[i];
}

double Stage::distance(ConstView x, const Workspace& w, double h) {
  const int m = L.G.rows();
  if (solution_.rows != m) return std::numeric_limits<double>::infinity();
  assign(d_, r);
  if (m == 0 && !holding()) {
    S_->solve(d_);
    const double e = relative(d_, x, w);
    return e >= 0 ? e : std::numeric_limits<double>::infinity();
  }
  if (holding()) {
    directions().add_times(-1, solution_.p.data(), d_);
  } else {
    add_push({directions(), problem_, solution_.p.data(), &w.solver.crew}, -1, d_);
    S_->solve(d_);
  }
  double e = relative(holding() ? held_->distance(d_, per_size(w)) : ConstView(d_), x, w);
  // Heavy loads on light bodies: the balance is the difference of terms far larger than what they leave.
  double rounding = 0;
  const bool apart = bodies_ && !evened_;
  if ((apart || loops_ != nullptr) && !holding() && m > 0 && e < kSuspect) {
    double* terms = pushed_.zeros(x.size());
    add_sizes({Y_, problem_, solution_.p.data(), &w.solver.crew}, terms);
    const double* per = per_size(w);
    const bool velocities = level_ == Level::velocity;
    for (Index i = 0; i < x.size(); ++i)
      if (velocities ? rests(d_[i], terms[i], per[i]) : std::abs(d_[i]) <= kRoundOff * terms[i]) d_[i] = 0;
    e = relative(d_, x, w);
    for (int i = 0; velocities && apart && i < m; ++i)
      rounding = std::max(rounding, kRoundOff * std::abs(problem_.W.diagonal(i) * solution_.p[i]));
  }
  if (renews_) e = std::max(e, lag(w, h));
  double* u = u_.need(m);
  present_rows(x, u, &w.solver.crew);
  take_off_loops(w.loops, u);
  add_give(u);
  measured_ = !holding() && !gives_;
  const bool rates = level_ == Level::velocity;
  const double unit = per_row(w);
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const ConeBlock& block = problem_.blocks[k];
    const double* per = w.per_size.data() + w.before->rows.G.blocks()[L.pick[k]].row;
    for (int i = 0; i < block.dim; ++i) {
      const int row = block.row + i;
      // at position level contacts leave the smaller of their gap and of what their multiplier moves it by
      const bool held = rates || block.cone == Cone::free;
      const double left = std::abs(rates ? u[row] - solution_.u[row] : held ? u[row] : std::min(u[row], way(row)));
      if (!(left <= rounding)) e = std::max(e, left * (per[i] * unit));
    }
  }
  return e >= 0 ? e : std::numeric_limits<double>::infinity();
}

void Stage::condense(const Model& model, Workspace& w, double h, ConstView x) {
  const int m = L.G.rows();
  loops_ = w.loops.any() && w.loops.place(L.pick, L.G) ? &w.loops : nullptr;
  halves_ = loops_ == nullptr && takes_halves();
  const bool measured = std::exchange(measured_, false);
  if (halves_) return condense_by_halves(w, h, x, measured);
  assign(d_, r);
  assemble_cones(w, h);
  problem_.unit = unit(w);
  problem_.part = level_ == Level::velocity && w.sleep.any();
  double* u = u_.need(m);
  present_rows(x, u, &w.solver.crew);
  if (loops_ != nullptr) loops_->take_off(u), minimum_norm = true;
  if (holding()) {
    held_->contacts.unit = problem_.unit;
    solution_.fit(m);
    if (passes == 1) std::fill_n(solution_.p.data(), held_->rows(), 0.0);  // nothing of another step
    held_->take_contacts(problem_.blocks);
    held_->condense({directions(), condition(), r, u, &w.solver.crew}, solution_.p.data(), passes == 1);
    for (int i = held_->rows(); gives_ && i < m; ++i) held_->contacts.W.add_diagonal(i - held_->rows(), give_[i]);
    return;
  }
  if (augmentation_ > 0) {
    int joints = 0;
    for (const Jacobian::Block& b : directions().blocks()) {
      if (joints >= joint_rows_) break;
      directions().add_block_times(b, augmentation_, u + b.row, d_);
      joints += b.dim;
    }
  }
  S_->solve(d_);
  // b = rows at x_free = x - S^-1 r
  double* b = problem_.b.need(m);
  condition().transpose_times(d_, b, &w.solver.crew);
  for (int i = 0; i < m; ++i) b[i] = u[i] - b[i];
  if (!kept_ || kept_pick_ != L.pick) {
    S_->solve(directions(), Y_, &w.solver.crew);
    const bool many = (m > kDenseRows || problem_.part) && S_->cells() && loops_ == nullptr;
    if (many) {
      problem_.W.keep(condition(), Y_, model.nv(), &w.solver.crew);
    } else {
      problem_.W.form(condition(), Y_, model.nv(), Delassus::Storage::dense);
    }
    for (int i = 0; gives_ && i < m; ++i) problem_.W.add_diagonal(i, give_[i]);
    evened_ = w.uneven && !many;
    if (evened_) {
      find_factors(w);
      problem_.W.scale(even_.data());
    }
    if (loops_ != nullptr) loops_->project(problem_.W.make_dense(m), m, evened_ ? even_.data() : nullptr);
    kept_ = linear_ && augmentation_ == 0 && !gives_;
    kept_pick_ = L.pick;
  }
  solution_.fit(m);
  if (evened_) even_rows();
  if (loops_ != nullptr) loops_->take_off(problem_.b.data(), evened_ ? even_.data() : nullptr);
}

void Stage::move(const Workspace& w, View x) {
  if (holding()) {
    held_->move({directions(), condition(), r, u_.data()}, solution_.p.data(), d_);
    if (loops_ != nullptr) loops_->lessen(solution_.p.data());
    std::fill_n(solution_.u.data(), held_->rows(), 0.0);
    minimum_norm = minimum_norm || held_->redundant();
  } else if (halves_ && solution_.rows > 0) {
    solve_balance();
  } else if (solution_.rows > 0) {
    if (bodies_ && level_ == Level::velocity && !evened_)
      return move_or_rest({Y_, problem_, solution_.p.data(), &w.solver.crew}, w.scale.per_rate.data(), d_,
                          pushed_.need(x.size()), x);
    Y_.add_times(-1, solution_.p.data(), d_);
  }
  for (Index i = 0; i < x.size(); ++i) x[i] -= d_[i];
}

void Stage::solve(const Problem& problem, Workspace& w, const Controls& controls, Solution& solution) {
  controls.solver->solve(problem, controls.solver_options, solution, w.solver);
  if (SolveTap* tap = solve_tap()) tap->solved(problem, solution);
  solver_iterations += solution.iterations;
  solved = solution.status;
  // Contacts that neither press nor part, or creep, let every solver crawl two or three digits above its tolerance.
  // What is left there is below what is asked for; the step is judged by what it leaves.
  if (solved == SolveStatus::iteration_limit &&
      solution.residual <= kEnough * controls.tolerance.constraint * problem.unit)
    solved = SolveStatus::converged;
  minimum_norm = minimum_norm || solution.minimum_norm;
}

void Stage::solve_contacts(Workspace& w, const Controls& controls) {
  solved = SolveStatus::converged;
  const int m = held_->contacts.rows, first = held_->rows();
  if (m == 0) return;
  Solution& found = held_->solution;
  found.fit(m);
  std::copy_n(solution_.p.data() + first, m, found.p.data());
  solve(held_->contacts, w, controls, found);
  std::copy_n(found.p.data(), m, solution_.p.data() + first);
  std::copy_n(found.u.data(), m, solution_.u.data() + first);
}

void Stage::solve(const Model& model, Workspace& w, const Controls& controls, double h, View x) {
  ++passes;
  if (settled_ && solve_settled(w, x)) return;
  settled_ = false;
  const int m = L.G.rows();
  if (m == 0) {
    measured_ = false;
    assign(d_, r);
    problem_.clear();
    solution_.rows = 0;
    holding() ? held_->solve_free(d_) : S_->solve(d_);
    for (Index i = 0; i < x.size(); ++i) x[i] -= d_[i];
    return;
  }
  condense(model, w, h, x);
  if (holding()) {
    solve_contacts(w, controls);
  } else {
    const bool free = problem_.blocks.back().cone == Cone::free;
    if (!free || !solve_free_rows(w, controls)) solve(problem_, w, controls, solution_);
    if (evened_) restore_rows();
  }
  move(w, x);
}

const double* Stage::rows(const Workspace& w, double h, ConstView x) {
  measured_ = false;
  assemble_cones(w, h);
  double* u = u_.need(L.G.rows());
  present_rows(x, u);
  take_off_loops(w.loops, u);
  return u;
}

void Stage::solve_free(View x) {
  ++passes;
  measured_ = false;
  d_ = r;
  S_->solve(d_);
  for (Index i = 0; i < x.size(); ++i) x[i] -= d_[i];
}

int Stage::worst(const Model& model, const Workspace& w, ConstView x) {
  if (solution_.rows == 0 || solution_.rows != L.G.rows()) return -1;
  measured_ = false;
  double* u = u_.need(solution_.rows);
  present_rows(x, u);
  take_off_loops(w.loops, u);
  int item = -1;
  double most = 0;
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Jacobian::Block& b = L.G.blocks()[k];
    for (int i = b.row; i < b.row + b.dim; ++i) {
      const double error = std::abs(u[i] - (level_ == Level::velocity ? solution_.u[i] : 0));
      if (!(error > most)) continue;
      most = error;
      item = model.index_of(w.candidates[L.pick[k]]);
    }
  }
  return item;
}

void Stage::polish(View x) const {
  for (Index i = 0; i < x.size(); ++i) x[i] -= d_[i];
}

double Stage::complementarity(ConstView x) {
  const int m = L.G.rows();
  if (m == 0) return 0;
  measured_ = false;
  double* u = u_.need(m);
  present_rows(x, u);
  if (loops_ != nullptr) take_off_loops(*loops_, u);
  add_give(u);
  const int first = held_rows();
  double worst = natural_residual(solved_problem(), solution_.p.data() + first, u + first);
  for (int i = 0; i < first; ++i) worst = std::max(worst, std::abs(u[i]));
  return worst;
}

void Stage::describe(Workspace& w) const {
  const Problem& problem = solved_problem();
  const int first = held_rows();
  if (first > 0) w.load = std::max(w.load, held_->load());
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const ConeBlock& block = problem_.blocks[k];
    double trace = 0;
    if (block.row < first) continue;
    for (int i = block.row; i < block.row + block.dim; ++i) {
      trace += problem.W.diagonal(i - first);
      w.load = std::max(w.load, std::abs(problem.b[i - first]));
    }
    double* mobile = w.compliance.data() + w.before->rows.G.blocks()[L.pick[k]].row;
    if (block.cone == Cone::rolling) {
      const Mobility half = mobility(problem, block.at(block.row - first));
      put_mobility(block.dim, half, mobile);
    } else if (trace > 0) {
      *mobile = trace / square_of_factor(block.row) / block.dim;
    }
  }
}

double Stage::way(int row) const {
  const int first = held_rows();
  return row < first ? 0 : solved_problem().W.diagonal(row - first) * solution_.p[row];
}

void Stage::scatter_ways(const Workspace& w, Buffer& all) const {
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Jacobian::Block& b = L.G.blocks()[k];
    for (int i = 0; i < b.dim; ++i) all[w.before->rows.G.blocks()[L.pick[k]].row + i] += way(b.row + i);
  }
}

void Stage::scatter(const Workspace& w, Buffer& all) const {
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const int row = w.before->rows.G.blocks()[L.pick[k]].row;
    const Jacobian::Block& b = L.G.blocks()[k];
    for (int i = 0; i < b.dim; ++i) all[row + i] += solution_.p[b.row + i];
  }
}

}  // namespace ricochet
