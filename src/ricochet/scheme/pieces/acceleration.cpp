#include "ricochet/scheme/pieces/acceleration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/small_lu.hpp"
#include "ricochet/solver/tap.hpp"

namespace ricochet {

namespace {
constexpr double kRankTolerance = 1e-12;  // of the largest pivot: rows of W that depend on each other
constexpr double kNoise = 1e-12;          // of the forces: what rounding leaves of an acceleration
constexpr double kHeld = 1e3;             // times that noise: a row that is held, all the same
constexpr double kNearCone = 0.9;         // of the cone: friction that is about to slide
}  // namespace

Accelerations::Accelerations(const Model& model)
    : S_(model.layout()),
      free_(VectorXd::Zero(model.nv())),
      r_(VectorXd::Zero(model.nv())),
      held_(VectorXd::Zero(model.nv())) {}

void Accelerations::reserve(int rows, int constraints) {
  rows = std::min(rows, 64);
  const Index m = rows;
  held.reserve(static_cast<std::size_t>(constraints));
  rows_.pick.reserve(static_cast<std::size_t>(constraints));
  rows_.gradients.reserve(static_cast<std::size_t>(constraints));
  joint_.reserve(static_cast<std::size_t>(constraints));
  laws_.reserve(static_cast<std::size_t>(constraints));
  shed_.reserve(static_cast<std::size_t>(constraints));
  problem_.blocks.reserve(static_cast<std::size_t>(constraints));
  W_.need(m * m);
  A_.need(m * m);
  work_.need(minimum_norm_work(rows));
  for (Buffer* b : {&x_, &b_, &U_, &bias_, &mu_, &reaction_, &gamma_}) b->need(m);
  problem_.W.make_dense(rows);
  problem_.b.need(m);
  solution_.fit(rows);
  pivots_.resize(static_cast<std::size_t>(rows));
  index_.resize(static_cast<std::size_t>(minimum_norm_index(rows)));
}

bool Accelerations::factorise(const Model& model, const Point& at, Workspace& w) {
  if (kept_) return true;
  augmentation_ = 0;
  S_.zero();
  model.mass(at, 1, S_, w.model);
  if (S_.factorise()) {
    kept_ = model.constancy().mass;
    return true;
  }
  // M + rho G_J G_J^T: what the joints hold needs no mass of its own
  S_.zero();
  model.mass(at, 1, S_, w.model);
  if (!S_.accepts_any_entry()) return false;
  const Jacobian& G = rows_.G;
  double largest = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = 0; joint_[k] && i < G.blocks()[k].dim; ++i)
      largest = std::max(largest, block_dot(G, G.blocks()[k], i, G, G.blocks()[k], i));
  const double scale = S_.largest_entry();
  if (largest == 0 || !(scale > 0)) return false;
  augmentation_ = scale / largest;
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (!joint_[k]) continue;
    const Jacobian::Block& b = G.blocks()[k];
    for (int row = 0; row < b.dim; ++row) {
      const double* x = G.row(b, row);
      for (int i = 0, p = 0; p < b.ranges; ++p)
        for (int ii = 0; ii < G.ranges(b)[p].n; ++ii, ++i)
          for (int j = 0, q = 0; q < b.ranges; ++q)
            for (int jj = 0; jj < G.ranges(b)[q].n; ++jj, ++j)
              S_.add(G.ranges(b)[p].at + ii, G.ranges(b)[q].at + jj, augmentation_ * x[i] * x[j]);
    }
  }
  return S_.factorise();
}

bool Accelerations::evaluate(const Model& model, const Point& at, Workspace& w) {
  const std::size_t n = held.size();
  rows_.pick.clear();
  joint_.clear();
  laws_.clear();
  for (const Held& h : held) {
    rows_.pick.push_back(h.candidate);
    joint_.push_back(w.candidates[static_cast<std::size_t>(h.candidate)].bilateral());
  }
  ricochet::evaluate(model, at.t, at.q, w.candidates, rows_, w.model);
  loops_.find(w.scales(), w.candidates, rows_);
  looped_ = loops_.any() && loops_.place(rows_.pick, rows_.G);
  const Jacobian& G = rows_.G;
  const int m = n == 0 ? 0 : G.rows();
  double *U = U_.need(m), *bias = bias_.need(m), *mu = mu_.need(static_cast<Index>(n));
  measure(w);
  reaction_.zeros(m);
  gamma_.zeros(m);
  if (m > 0) G.transpose_times(at.v, U);
  for (std::size_t k = 0; k < n; ++k) {
    const Candidate& c = w.candidates[static_cast<std::size_t>(held[k].candidate)];
    const Jacobian::Block& b = G.blocks()[k];
    for (int i = b.row; i < b.row + b.dim; ++i) U[i] += rows_.g_t[i];
    model.set(c).bias(at, c, b.dim, bias + b.row, w.model.set(c.set));
    LocalLaw law;
    if (!joint_[k]) {
      LocalState local{0, rows_.g[b.row], {}, b.dim};
      std::copy(U + b.row, U + b.row + b.dim, local.U_before.begin());
      law = c.law->local(local);
    }
    mu[k] = law.mu;
    laws_.push_back(law);
    if (!joint_[k] && b.dim == 3 && held[k].how == Hold::sliding && !held[k].creeps) {  // it follows the velocity
      const double speed = elementary::hypot(U[b.row + 1], U[b.row + 2]);
      if (speed > 0) held[k].slip = {U[b.row + 1] / speed, U[b.row + 2] / speed};
    }
  }
  if (!factorise(model, at, w)) return false;
  free_.setZero();
  r_.setZero();
  model.residual(at, free_, 1, r_, w.model);
  if (augmentation_ > 0)
    for (std::size_t k = 0; k < n; ++k)
      if (joint_[k]) G.add_block_times(G.blocks()[k], augmentation_, bias + G.blocks()[k].row, r_);
  S_.solve(r_);
  double size = 0;
  for (Index i = 0; i < r_.size(); ++i) {
    free_[i] = -r_[i];
    size += std::abs(r_[i]);
  }
  if (!std::isfinite(size)) return false;
  gamma_noise_ = kNoise * w.scale.acceleration();
  if (m == 0) return true;
  S_.solve(G, Y_);
  double* W = W_.need(static_cast<Index>(m) * m);
  for (const Jacobian::Block& j : Y_.blocks())
    for (int jj = 0; jj < j.dim; ++jj)
      for (const Jacobian::Block& i : G.blocks())
        for (int ii = 0; ii < i.dim; ++ii)
          W[i.row + ii + static_cast<Index>(j.row + jj) * m] = block_dot(G, i, ii, Y_, j, jj);
  double* b = b_.need(m);
  G.transpose_times(free_, b);
  for (int i = 0; i < m; ++i) {
    const double per_length = per_size_[i] * length_;  // 1 where the row is a length
    gamma_noise_ = std::max(gamma_noise_, kNoise * (std::abs(b[i]) + std::abs(bias[i])) * per_length);
    b[i] += bias[i];
    if (!std::isfinite(b[i])) return false;
  }
  if (!looped_) return true;
  loops_.take_off(b);
  loops_.take_off(U);
  loops_.forgive(rows_.g.data());
  loops_.project(W, m);
  return true;
}

double Accelerations::relative_speed(ConstView v) const {
  double largest = 0;
  for (Index i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(v[i]) * per_rate_[i]);
  return largest;
}

void Accelerations::measure(const Workspace& w) {
  per_rate_ = w.scale.per_rate.data();
  length_ = w.scale.length;
  time_ = w.scale.time;
  per_size_.need(rows_.G.rows());
  for (std::size_t k = 0; k < held.size(); ++k) {
    const double* per = w.per_size.data() + w.before->rows.G.blocks()[static_cast<std::size_t>(held[k].candidate)].row;
    std::copy(per, per + dim(k), per_size_.data() + row(k));
  }
}

int Accelerations::count(std::size_t k, Choice c) const {
  if (joint_[k]) return dim(k);
  return c.normals || held[k].how != Hold::sticking ? 1 : dim(k);
}

int Accelerations::reduce(Choice c) {
  int n = 0;
  for (std::size_t k = 0; k < held.size(); ++k) n += count(k, c);
  double* A = A_.need(static_cast<Index>(n) * n);
  int column = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int j = 0; j < count(k, c); ++j, ++column) {
      const bool slides = c.friction && !joint_[k] && held[k].how == Hold::sliding;
      int at = 0;
      for (std::size_t l = 0; l < held.size(); ++l)
        for (int i = 0; i < count(l, c); ++i, ++at) {
          double value = W(row(l) + i, row(k) + j);
          for (int d = 1; slides && d < dim(k); ++d)
            value -= mu(k) * held[k].slip[static_cast<std::size_t>(d - 1)] * W(row(l) + i, row(k) + d);
          A[at + static_cast<Index>(column) * n] = value;
        }
    }
  return n;
}

void Accelerations::expand(Choice c, const double* multipliers) {
  for (std::size_t k = 0; k < held.size(); ++k) {
    double* r = reaction_.data() + row(k);
    const int n = count(k, c);
    for (int i = 0; i < dim(k); ++i) r[i] = i < n ? multipliers[i] : 0;
    if (c.friction && !joint_[k] && held[k].how == Hold::sliding)
      for (int d = 1; d < dim(k); ++d) r[d] = -mu(k) * held[k].slip[static_cast<std::size_t>(d - 1)] * multipliers[0];
    multipliers += n;
  }
}

void Accelerations::apply(const double* b, View x) {
  const int m = rows();  // of loops: gamma of the combinations that are asked for
  for (int i = 0; i < m; ++i) {
    double s = b[i];
    for (int j = 0; j < m; ++j) s += W(i, j) * reaction_[j];
    gamma_[i] = s;
  }
  Y_.add_times(1, reaction_.data(), x);
}

void Accelerations::solve_reduced(Choice c, const double* b) {
  const int n = reduce(c);
  double* x = x_.need(n);
  int at = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = 0; i < count(k, c); ++i) x[at++] = -b[row(k) + i];
  if (static_cast<int>(pivots_.size()) < n) pivots_.resize(static_cast<std::size_t>(2 * n));
  redundant = !lu_factorise(A_.data(), pivots_.data(), n, kRankTolerance);
  if (!redundant) {
    lu_solve(A_.data(), pivots_.data(), n, x);
  } else {
    reduce(c);
    if (static_cast<int>(index_.size()) < minimum_norm_index(n))
      index_.resize(static_cast<std::size_t>(minimum_norm_index(n)));
    solve_minimum_norm(A_.data(), n, x, 1, work_.need(minimum_norm_work(n)), index_.data(), kRankTolerance);
  }
  expand(c, x);
}

bool Accelerations::hold(View a) {
  copy(free_, a.data());
  redundant = false;
  if (held.empty()) return true;
  solve_reduced({false, true}, b_.data());
  apply(b_.data(), a);
  double size = 0;
  for (double x : a) size += std::abs(x);
  return std::isfinite(size);
}

double Accelerations::own_response(std::size_t k) const {
  double value = W(row(k), row(k));
  if (!joint_[k] && held[k].how == Hold::sliding)
    for (int d = 1; d < dim(k); ++d)
      value -= mu(k) * held[k].slip[static_cast<std::size_t>(d - 1)] * W(row(k), row(k) + d);
  return value;
}

double Accelerations::stiffness(std::size_t k) {
  if (redundant) return 1;
  const Choice c{false, true};
  int n = 0, at = 0;
  for (std::size_t l = 0; l < held.size(); ++l) {
    if (l == k) at = n;
    n += count(l, c);
  }
  double* x = work_.zeros(n);
  x[at] = 1;
  lu_solve(A_.data(), pivots_.data(), n, x);
  return 1 / x[at];
}

void Accelerations::solve(const Controls& controls, double unit, SolverScratch& scratch, bool least_norm) {
  solution_.fit(problem_.rows);
  std::fill_n(solution_.p.data(), problem_.rows, 0.0);  // a warm start would be a trace of what was solved before
  problem_.unit = unit;
  SolverOptions options = controls.solver_options;
  options.minimum_norm = options.minimum_norm || least_norm;
  controls.solver->solve(problem_, options, solution_, scratch);
  if (SolveTap* tap = solve_tap()) tap->solved(problem_, solution_);
  solver_iterations += solution_.iterations;
  for (const ConeBlock& block : problem_.blocks)
    if (block.cone != Cone::free) project(block.cone, block.dim, block.mu, solution_.p.data() + block.row);
}

SolveStatus Accelerations::judge(const Controls& controls, const double* u, double size) {
  residual = natural_residual(problem_, solution_.p.data(), u);
  if (residual <= controls.tolerance.constraint * size) return SolveStatus::converged;
  return solution_.status == SolveStatus::converged ? SolveStatus::iteration_limit : solution_.status;
}

SolveStatus Accelerations::choose(const Controls& controls, SolverScratch& scratch, View a, bool least_norm) {
  copy(free_, a.data());
  if (held.empty()) return SolveStatus::converged;
  const Choice c{false, true};
  const int n = reduce(c);
  problem_.clear();
  problem_.rows = n;
  std::copy(A_.data(), A_.data() + static_cast<Index>(n) * n, problem_.W.make_dense(n));
  double* b = problem_.b.need(n);
  int at = 0;
  for (std::size_t k = 0; k < held.size(); ++k) {
    const int rows = count(k, c);
    const bool friction = rows > 1 && laws_[k].cone == Cone::coulomb;
    problem_.blocks.push_back({joint_[k]  ? Cone::free
                               : friction ? Cone::coulomb
                                          : Cone::nonnegative,
                               at, rows, friction ? mu(k) : 0});
    for (int i = 0; i < rows; ++i) b[at++] = b_[row(k) + i];
  }
  solve(controls, length_ / (time_ * time_), scratch, least_norm);
  expand(c, solution_.p.data());
  Y_.add_times(1, reaction_.data(), a);
  rows_.G.transpose_times(a, gamma_.data());
  for (int i = 0; i < rows(); ++i) gamma_[i] += bias_[i];
  if (looped_) loops_.take_off(gamma_.data());
  double* u = x_.need(n);
  at = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = 0; i < count(k, c); ++i) u[at++] = gamma_[row(k) + i];
  return judge(controls, u, gamma_noise_ / kNoise);
}

SolveStatus Accelerations::jump(const Controls& controls, SolverScratch& scratch, bool inelastic, View v,
                                const double* U_before, double h) {
  const int m = rows();
  problem_.clear();
  problem_.rows = m;
  std::copy(W_.data(), W_.data() + static_cast<Index>(m) * m, problem_.W.make_dense(m));
  double* b = problem_.b.need(m);
  double size = length_ / time_ * std::max(1.0, relative_speed(v));
  for (int i = 0; i < m; ++i) {
    b[i] = U_[i] + h * bias_[i];
    size = std::max(size, (std::abs(U_[i]) + std::abs(rows_.g_t[i]) + std::abs(h * bias_[i])) * per_size_[i] * length_);
  }
  for (std::size_t k = 0; k < held.size(); ++k) {
    problem_.blocks.push_back({joint_[k] ? Cone::free : laws_[k].cone, row(k), dim(k), mu(k)});
    if (!joint_[k] && !inelastic) b[row(k)] += laws_[k].restitution * (U_before ? U_before[row(k)] : U_[row(k)]);
  }
  solve(controls, length_ / time_, scratch, false);
  std::copy(solution_.p.data(), solution_.p.data() + m, reaction_.data());
  Y_.add_times(1, reaction_.data(), v);
  rows_.G.transpose_times(v, gamma_.data());
  double* u = x_.need(m);
  if (looped_) loops_.take_off(gamma_.data());
  for (int i = 0; i < m; ++i) {
    gamma_[i] += rows_.g_t[i] + h * bias_[i];
    u[i] = gamma_[i] + (b[i] - U_[i] - h * bias_[i]);  // with the laws' shift
  }
  return judge(controls, u, size);
}

bool Accelerations::direct(const Controls& controls, SolverScratch& scratch, View a) {
  bool any = false;
  for (Held& h : held) {
    any = any || h.creeps;
    if (h.creeps) h.how = Hold::sticking;
  }
  if (!any) return true;
  const SolveStatus status = choose(controls, scratch, a);
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (!held[k].creeps) continue;
    held[k].how = Hold::sliding;
    if (!near_cone(k)) continue;
    const double *lambda = reaction(k), friction = elementary::hypot(lambda[1], lambda[2]);
    held[k].slip = {-lambda[1] / friction, -lambda[2] / friction};
  }
  return status == SolveStatus::converged;
}

double Accelerations::pull(std::size_t k) const {
  const int i = row(k) + 1;
  return 0.5 * (W(i, i) + W(i + 1, i + 1)) * elementary::hypot(reaction(k)[1], reaction(k)[2]);
}

bool Accelerations::near_cone(std::size_t k) const {
  const double* lambda = reaction(k);
  return elementary::hypot(lambda[1], lambda[2]) > kNearCone * mu(k) * lambda[0];
}

bool Accelerations::moves_off(std::size_t k) const {
  return elementary::hypot(gamma(k)[1], gamma(k)[2]) > kHeld * gamma_noise_;
}

bool Accelerations::lawful() const {
  if (slack() > kHeld * gamma_noise_) return false;
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (joint_[k]) continue;
    const double* lambda = reaction(k);
    if (lambda[0] < 0) return false;
    if (held[k].how != Hold::sticking || dim(k) == 1) continue;
    const double friction = dim(k) == 3 ? elementary::hypot(lambda[1], lambda[2]) : std::abs(lambda[1]);
    if (friction > mu(k) * lambda[0]) return false;
  }
  return true;
}

double Accelerations::slack() const {
  double largest = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = 0; i < count(k, {false, true}); ++i)
      largest = std::max(largest, std::abs(gamma(k)[i]) * (per_size_[row(k) + i] * length_));
  return largest;
}

bool Accelerations::hold_by_law(const Controls& controls, SolverScratch& scratch, View a) {
  chosen = false;
  if (!hold(a)) return false;
  if (!redundant || lawful()) return true;
  chosen = true;
  // Unless something slides, all reactions that hold the rows give the same a: that of `hold`, to round-off.
  const auto sliding = [](const Held& h) { return h.how == Hold::sliding; };
  const bool unique = slack() <= kHeld * gamma_noise_ && std::none_of(held.begin(), held.end(), sliding);
  if (unique) copy(a, held_.data());
  if (shed(a)) return true;
  if (choose(controls, scratch, a, true) != SolveStatus::converged) return false;
  if (unique && slack() <= kHeld * gamma_noise_) copy(held_, a.data());
  return true;
}

bool Accelerations::shed(View a) {
  const Choice c{false, true};
  shed_.assign(held.size(), 0);
  for (;;) {
    std::size_t worst = held.size();
    for (std::size_t k = 0; k < held.size(); ++k)
      if (!joint_[k] && reaction(k)[0] < (worst < held.size() ? reaction(worst)[0] : 0)) worst = k;
    if (worst == held.size()) break;
    shed_[worst] = 1;
    const int n = reduce(c);
    double* x = x_.need(n);
    int at = 0;
    for (std::size_t k = 0; k < held.size(); ++k)
      for (int i = 0; i < count(k, c); ++i, ++at) {
        x[at] = shed_[k] ? 0 : -b_[row(k) + i];
        for (int j = 0; shed_[k] && j < n; ++j)
          A_[at + static_cast<Index>(j) * n] = A_[j + static_cast<Index>(at) * n] = 0;
      }
    solve_minimum_norm(A_.data(), n, x, 1, work_.need(minimum_norm_work(n)), index_.data(), kRankTolerance);
    expand(c, x);
    for (std::size_t k = 0; k < held.size(); ++k)  // nothing, not a rounding of it
      for (int i = 0; shed_[k] && i < dim(k); ++i) reaction_[row(k) + i] = 0;
  }
  copy(free_, a.data());
  apply(b_.data(), a);
  return lawful();
}

double Accelerations::project_velocity(View v) {
  if (held.empty()) return 0;
  const Choice c{false, false};
  solve_reduced(c, U_.data());
  Y_.add_times(1, reaction_.data(), v);
  double* left = x_.need(rows());
  rows_.G.transpose_times(v, left);
  for (int i = 0; i < rows(); ++i) left[i] += rows_.g_t[i];
  if (looped_) loops_.take_off(left);
  double largest = 0;
  for (double x : v) largest += std::isfinite(x) ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = row(k); i < row(k) + count(k, c); ++i)
      largest = std::max(largest, std::abs(left[i]) * (per_size_[i] * time_));
  return largest;
}

double Accelerations::position_error() const {
  double largest = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (int i = 0; i < (joint_[k] ? dim(k) : 1); ++i)
      largest = std::max(largest, std::abs(g(k)[i]) * per_size_[row(k) + i]);
  return largest;
}

double Accelerations::position_correction(View x) {
  for (double& value : x) value = 0;
  const double largest = position_error();
  if (largest == 0) return 0;
  solve_reduced({true, false}, rows_.g.data());
  apply(rows_.g.data(), x);
  return largest;
}

}  // namespace ricochet
