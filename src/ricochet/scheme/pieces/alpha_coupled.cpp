#include "ricochet/scheme/pieces/alpha_coupled.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/solver/tap.hpp"

namespace ricochet {

CoupledAlpha::CoupledAlpha(const Model& m)
    : x_(m.nv()),
      q_(m.nq()),
      y_(m.nv()),
      z_(m.nv()),
      zero_(VectorXd::Zero(std::max(m.nv(), m.nq()))),
      unit_(VectorXd::Zero(m.nv())),
      mass_(m.layout()) {}

void CoupledAlpha::begin(const Workspace& w) {
  const int m = w.before->rows.G.rows();
  for (Buffer* all : {&p_, &nu_, &Lambda_}) all->zeros(m);
  changes.clear();
  solver_iterations = 0;
}

void CoupledAlpha::gather(const Workspace& w, Level& level, const Buffer& all) const {
  level.p.need(level.rows.G.rows());
  for (std::size_t k = 0; k < level.rows.pick.size(); ++k) {
    const Jacobian::Block& b = level.rows.G.blocks()[k];
    const int row = w.before->rows.G.blocks()[level.rows.pick[k]].row;
    for (int i = 0; i < b.dim; ++i) level.p[b.row + i] = all[row + i];
  }
}

void CoupledAlpha::scatter(const Workspace& w, const Level& level, Buffer& all) const {
  std::fill(all.data(), all.data() + w.before->rows.G.rows(), 0.0);
  for (std::size_t k = 0; k < level.rows.pick.size(); ++k) {
    const Jacobian::Block& b = level.rows.G.blocks()[k];
    const int row = w.before->rows.G.blocks()[level.rows.pick[k]].row;
    for (int i = 0; i < b.dim; ++i)
      all[row + i] = solution_.p[place_[static_cast<std::size_t>(level.first + b.row + i)]];
  }
}

void CoupledAlpha::evaluate_rows(const Model& model, double t, ConstView q, Workspace& w) {
  evaluate(model, t, q, w.candidates, smooth_.rows, w.model);
  evaluate(model, t, q, w.candidates, position_.rows, w.model, true);
  evaluate(model, t, q, w.candidates, velocity_.rows, w.model);
}

/// The rows as they are, without restitution.
void CoupledAlpha::present(const Motion& m, VectorXd& out) const {
  const int ms = smooth_.rows.G.rows(), mp = position_.rows.G.rows(), mv = velocity_.rows.G.rows();
  out.resize(ms + mp + mv);
  smooth_.rows.G.transpose_times(m.smooth.v, out.data());
  for (int i = 0; i < ms; ++i) out[i] += smooth_.rows.g_t[i];
  for (int i = 0; i < mp; ++i) out[ms + i] = position_.rows.g[i];
  velocity_.rows.G.transpose_times(m.next.v, out.data() + ms + mp);
  for (int i = 0; i < mv; ++i) out[ms + mp + i] += velocity_.rows.g_t[i];
}

/// r, M U, M W at (q, v) one below the other; less the reactions of the present multipliers if wanted.
void CoupledAlpha::forces(const Model& model, const Motion& m, ConstView q, ConstView v, bool reactions, VectorXd& out,
                          Workspace& w) {
  const Index n = model.nv();
  out.setZero(3 * n);
  const Point at{m.next.t, q, v};
  const View s(out.data(), n), p(out.data() + n, n), j(out.data() + 2 * n, n);
  model.residual(at, m.smooth.acceleration, m.h, s, w.model);
  model.mass_times(at, m.U, 1, p, w.model);
  model.mass_times(at, m.jump, 1, j, w.model);
  if (!reactions) return;
  smooth_.rows.G.add_times(-1, smooth_.p.data(), s);
  position_.rows.G.add_times(-1, position_.p.data(), p);
  velocity_.rows.G.add_times(-1, velocity_.p.data(), j);
}

/// Gradients of the rows; where the system is not linear B, C, M and R by differences.
void CoupledAlpha::linearise(const Model& model, const Motion& m, Workspace& w) {
  const Index n = model.nv();
  G_.setZero(n, base_.size());
  for (const Level* level : {&smooth_, &position_, &velocity_}) {
    const Jacobian& G = level->rows.G;
    for (const Jacobian::Block& b : G.blocks())
      for (int i = 0; i < b.dim; ++i) {
        const double* entry = G.row(b, i);
        for (int k = 0; k < b.ranges; ++k)
          for (int j = 0; j < G.ranges(b)[k].n; ++j) G_(G.ranges(b)[k].at + j, level->first + b.row + i) = *entry++;
      }
  }
  R_.setZero(n, base_.size());
  if (!model.linear()) {
    const double far = 1e-7 * configuration_size(model, m.state.q, w), high = 1e-7 * velocity_size(m.next.v, w);
    forces(model, m, m.next.q, m.next.v, true, f_, w);
    B_.resize(3 * n, n);
    C_.resize(n, n);
    M_.setZero(n, n);
    for (Index j = 0; j < n; ++j) {
      unit_[j] = 1;
      const double step = far * w.scale.coordinate[static_cast<std::size_t>(j)];
      const double fast = high * w.scale.coordinate[static_cast<std::size_t>(j)] / w.scale.time;
      model.mass_times({m.next.t, m.next.q, m.next.v}, unit_, 1, View(M_.col(j).data(), n), w.model);
      z_ = m.next.v + fast * unit_;
      forces(model, m, m.next.q, z_, true, moved_, w);
      C_.col(j) = (moved_ - f_).head(n) / fast;
      x_ = m.x + step * unit_;
      unit_[j] = 0;
      model.retract(m.state.q, x_, q_);
      evaluate_rows(model, m.next.t, q_, w);
      forces(model, m, q_, m.next.v, true, moved_, w);
      B_.col(j) = (moved_ - f_) / step;
      present(m, moved_);
      R_.row(j) = (moved_ - base_).transpose() / step;
      evaluate_rows(model, m.next.t, m.next.q, w);
    }
  }
  const int mp = position_.rows.G.rows();
  R_.middleCols(position_.first, mp) = G_.middleCols(position_.first, mp);
}

/// E, for the contacts with friction. False: M has no inverse.
bool CoupledAlpha::friction_columns(const Model& model, const Motion& m, Workspace& w) {
  E_.setZero(model.nv(), velocity_.rows.G.rows());
  bool any = false;
  for (std::size_t k = 0; k < velocity_.rows.pick.size(); ++k)
    any = any || (!w.candidates[velocity_.rows.pick[k]].bilateral() && velocity_.rows.G.blocks()[k].dim > 1);
  if (!any) return true;
  mass_.zero();
  model.mass({m.next.t, m.next.q, m.next.v}, 1, mass_, w.model);
  if (!mass_.factorise()) return false;
  for (std::size_t k = 0; k < velocity_.rows.pick.size(); ++k) {
    if (w.candidates[velocity_.rows.pick[k]].bilateral()) continue;
    const Jacobian::Block& b = velocity_.rows.G.blocks()[k];
    for (int i = 1; i < b.dim; ++i) {
      E_.col(b.row + i) = m.h / 2 * G_.col(velocity_.first + b.row + i);
      mass_.solve(View(E_.col(b.row + i).data(), model.nv()));
    }
  }
  return true;
}

/// y = h K x + h C v of a linear system.
void CoupledAlpha::linear_response(const Model& model, const Motion& m, const double* x, const double* v,
                                   Workspace& w) {
  const Index n = model.nv();
  const ConstView none(zero_.data(), n);
  y_.setZero();
  model.residual({m.next.t, ConstView(x, n), ConstView(v, n)}, none, m.h, y_, w.model);
  model.residual({m.next.t, none, none}, none, -m.h, y_, w.model);
}

bool CoupledAlpha::eliminate_linear(const Model& model, const Motion& m, Workspace& w) {
  const Index n = model.nv();
  const double c_M = m.c.c_M(), c_K = m.h * m.h * m.c.beta / m.c.gamma;
  const Point at{m.next.t, m.next.q, m.next.v};
  const auto factor = [&](const OperatorCache::Coefficients& c) -> const Operator* {
    auto [S, fresh] = w.operators.find(model.layout(), c);
    if (!fresh && S->regular()) return S;
    S->zero();
    model.mass(at, c[0], *S, w.model);
    if (c[1] != 0) model.tangents(at, m.smooth.acceleration, c[1], c[2], *S, w.model);
    return S->factorise() ? S : nullptr;
  };
  const Operator *M = factor({1, 0, 0}), *S = factor({c_M, c_K, m.h});
  if (!M || !S) return false;
  const Index last = X_.cols() - 1;
  for (Index j = columns_kept_ ? last : 0; j <= last; ++j) {
    double* x = X_.col(j).data();
    for (const int level : {1, 2})
      if (const View part(x + level * n, n); !part.vec().isZero(0)) M->solve(part);
    x_ = X_.col(j).segment(n, n);
    if (j == last) {
      x_ -= m.slide;
    } else if (j >= velocity_.first) {
      x_ += E_.col(j - velocity_.first);
    }
    if (!x_.isZero(0) || !X_.col(j).tail(n).isZero(0)) {
      linear_response(model, m, x_.data(), x + 2 * n, w);
      X_.col(j).head(n) -= y_;
    }
    S->solve(View(x, n));
  }
  return true;
}

/// The columns of a linear system are those of the last pass where the step and the rows are, and nothing rubs.
void CoupledAlpha::keep_columns(const Model& model, const Motion& m) {
  Columns now;
  if (model.linear() && E_.isZero(0))
    now = {{m.h, m.c.c_M(), m.c.beta, m.c.gamma}, smooth_.rows.pick, position_.rows.pick, velocity_.rows.pick};
  columns_kept_ = model.linear() && E_.isZero(0) && now == columns_;
  columns_ = std::move(now);
}

bool CoupledAlpha::eliminate_dense(const Model& model, const Motion& m, Workspace& w) {
  const Index n = model.nv(), last = X_.cols() - 1;
  const double kappa = m.h * m.c.beta / m.c.gamma;
  A_.setZero(3 * n, 3 * n);
  A_.leftCols(n) = kappa * B_;
  A_.middleCols(n, n) = B_;
  A_.topLeftCorner(n, n) += m.c.c_M() * M_ + C_;
  A_.block(0, 2 * n, n, n) = C_;
  A_.block(n, n, n, n) += M_;
  A_.block(2 * n, 2 * n, n, n) += M_;
  X_.middleCols(velocity_.first, E_.cols()) -= B_ * E_;
  X_.col(last) += B_ * m.slide;
  // Pivots are chosen, and conditions judged, in units of the scales; powers of two, so that nothing is rounded.
  VectorXd size(3 * n);
  for (Index i = 0; i < n; ++i) {
    const double length = w.scale.coordinate[static_cast<std::size_t>(i)];
    size[i] = size[2 * n + i] = std::ldexp(1.0, std::ilogb(length / w.scale.time));
    size[n + i] = std::ldexp(1.0, std::ilogb(length));
  }
  const Eigen::PartialPivLU<MatrixXd> lu(size.asDiagonal() * A_ * size.asDiagonal());
  if (!(lu.rcond() > 1e-15)) return false;
  X_ = (size.asDiagonal() * lu.solve(size.asDiagonal() * X_)).eval();
  return X_.allFinite();
}

/// Cones and b. Free multipliers first: joints at the three levels; then the contacts. False: friction cannot be an
/// equality.
bool CoupledAlpha::pose(const Motion& m, bool equalities, Workspace& w) {
  problem_.clear();
  problem_.rows = static_cast<int>(base_.size());
  place_.assign(static_cast<std::size_t>(problem_.rows), 0);
  int at = 0;
  for (bool free : {true, false})
    for (const Level* level : {&smooth_, &position_, &velocity_})
      for (std::size_t k = 0; k < level->rows.pick.size(); ++k) {
        const Candidate& c = w.candidates[level->rows.pick[k]];
        const Jacobian::Block& b = level->rows.G.blocks()[k];
        if (c.bilateral() != free) continue;
        for (int i = 0; i < b.dim; ++i) place_[static_cast<std::size_t>(level->first + b.row + i)] = at + i;
        if (free || level == &position_) {
          problem_.blocks.push_back({free || equalities ? Cone::free : Cone::nonnegative, at, b.dim, 0});
        } else {
          const LocalState local = local_state(w, level->rows.pick[k], m.h);
          const LocalLaw law = c.law->local(local);
          base_[level->first + b.row] += law.restitution * local.U_before[0];
          if (law.cone != Cone::coulomb)
            for (int i = 1; i < b.dim; ++i) E_.col(b.row + i).setZero();
          if (equalities && b.dim > 1) return false;
          problem_.blocks.push_back({equalities ? Cone::free : law.cone, at, b.dim, law.mu});
        }
        at += b.dim;
      }
  return true;
}

bool CoupledAlpha::pass(const Model& model, const Controls& controls, const std::vector<int>& position,
                        const std::vector<int>& velocity, bool equalities, Motion& m, Workspace& w) {
  const Index n = model.nv();
  pick_joints(w, smooth_.rows.pick);
  position_.rows.pick = position;
  velocity_.rows.pick = velocity;
  evaluate_rows(model, m.next.t, m.next.q, w);
  gather(w, smooth_, p_);
  gather(w, position_, nu_);
  gather(w, velocity_, Lambda_);
  position_.first = smooth_.rows.G.rows();
  velocity_.first = position_.first + position_.rows.G.rows();
  present(m, base_);
  const Index rows = base_.size();
  linearise(model, m, w);
  if (!friction_columns(model, m, w)) return false;
  if (!pose(m, equalities, w)) return false;

  keep_columns(model, m);
  if (!columns_kept_) {
    X_.setZero(3 * n, rows + 1);
    X_.topLeftCorner(n, position_.first) = G_.leftCols(position_.first);
    X_.block(n, position_.first, n, velocity_.first - position_.first) =
        G_.middleCols(position_.first, velocity_.first - position_.first);
    X_.block(2 * n, velocity_.first, n, rows - velocity_.first) = G_.rightCols(rows - velocity_.first);
  }
  forces(model, m, m.next.q, m.next.v, false, f_, w);
  X_.col(rows) = -f_;
  if (!(model.linear() ? eliminate_linear(model, m, w) : eliminate_dense(model, m, w))) {
    columns_ = {};
    return false;
  }

  // rows as linear functions of (dv~, dU, dW), and of friction through E
  const double kappa = m.h * m.c.beta / m.c.gamma;
  h_ = m.h;
  kappa_ = kappa;
  c_M_ = m.c.c_M();
  rows_.setZero(3 * n, rows);
  rows_.topRows(n) = kappa * R_;
  rows_.topLeftCorner(n, position_.first) += G_.leftCols(position_.first);
  rows_.topRightCorner(n, rows - velocity_.first) += G_.rightCols(rows - velocity_.first);
  rows_.middleRows(n, n) = R_;
  rows_.bottomRightCorner(n, rows - velocity_.first) = G_.rightCols(rows - velocity_.first);
  A_.noalias() = rows_.transpose() * X_;
  A_.middleCols(velocity_.first, E_.cols()).noalias() += R_.transpose() * E_;
  A_.col(rows).noalias() -= R_.transpose() * m.slide;
  const int size = problem_.rows;
  double *W = problem_.W.make_dense(size), *b = problem_.b.need(size);
  for (Index j = 0; j <= rows; ++j)
    for (Index i = 0; i < rows; ++i) {
      const int to = place_[static_cast<std::size_t>(i)];
      if (j == rows) {
        b[to] = base_[i] + A_(i, j);
      } else {
        W[to + static_cast<Index>(place_[static_cast<std::size_t>(j)]) * size] = A_(i, j);
      }
    }

  moved_ = X_.col(rows);
  z_.setZero();
  if (size > 0) {
    // the start is this step's own: multipliers of its last pass
    solution_.fit(size);
    const Level* levels[] = {&smooth_, &position_, &velocity_};
    for (const Level* level : levels)
      for (int i = 0; i < level->rows.G.rows(); ++i)
        solution_.p[place_[static_cast<std::size_t>(level->first + i)]] = level->p[i];
    problem_.unit = w.scale.velocity;
    controls.solver->solve(problem_, controls.solver_options, solution_, scratch_);
    if (SolveTap* tap = solve_tap()) tap->solved(problem_, solution_);
    solver_iterations += solution_.iterations;
    if (solution_.status != SolveStatus::converged) return false;
    for (Index j = 0; j < rows; ++j) {
      const double p = solution_.p[place_[static_cast<std::size_t>(j)]];
      moved_ += p * X_.col(j);
      if (j >= velocity_.first) z_ += p * E_.col(j - velocity_.first);
    }
  }
  scatter(w, smooth_, p_);
  scatter(w, position_, nu_);
  scatter(w, velocity_, Lambda_);
  m.smooth.v += moved_.head(n);
  m.U += moved_.segment(n, n);
  m.jump += moved_.tail(n);
  m.slide = z_;
  const double size_v = velocity_size(m.next.v, w);
  const ConstView moved(moved_);
  change = std::max({w.scale.of_rate(moved.segment(0, n)) / size_v, w.scale.of_position(moved.segment(n, n)),
                     w.scale.of_rate(moved.segment(2 * n, n)) / size_v});
  changes.push_back(change);
  return std::isfinite(change);
}

MatrixXd CoupledAlpha::iteration_matrix(bool scaled) const {
  const Index n = M_.rows();
  std::vector<Index> rows;  // stacked rows that have a multiplier
  Index first_position = 0, first_velocity = 0;
  for (Index i = 0; i < base_.size(); ++i) {
    if (i == position_.first) first_position = static_cast<Index>(rows.size());
    if (i == velocity_.first) first_velocity = static_cast<Index>(rows.size());
    if (solution_.p[place_[static_cast<std::size_t>(i)]] != 0) rows.push_back(i);
  }
  const Index ms = first_position, mp = first_velocity - first_position, m = static_cast<Index>(rows.size());
  const MatrixXd G = G_(Eigen::all, rows), R = R_(Eigen::all, rows);
  // blocks: v~, lambda~, U, nu, W, Lambda
  const Index at[] = {0, n, n + ms, 2 * n + ms, 2 * n + ms + mp, 3 * n + ms + mp};
  MatrixXd S = MatrixXd::Zero(3 * n + m, 3 * n + m);
  S.block(at[0], at[0], n, n) = c_M_ * M_ + C_ + kappa_ * B_.topRows(n);
  S.block(at[0], at[1], n, ms) = G.leftCols(ms);
  S.block(at[0], at[2], n, n) = h_ * B_.topRows(n);
  S.block(at[0], at[4], n, n) = C_;
  S.block(at[1], at[0], ms, n) = (G + kappa_ * R).leftCols(ms).transpose();
  S.block(at[1], at[2], ms, n) = h_ * R.leftCols(ms).transpose();
  S.block(at[2], at[0], n, n) = kappa_ / h_ * B_.middleRows(n, n);
  S.block(at[2], at[2], n, n) = M_ + B_.middleRows(n, n);
  S.block(at[2], at[3], n, mp) = G.middleCols(ms, mp);
  S.block(at[3], at[0], mp, n) = kappa_ / h_ * G.middleCols(ms, mp).transpose();
  S.block(at[3], at[2], mp, n) = G.middleCols(ms, mp).transpose();
  S.block(at[4], at[0], n, n) = kappa_ * B_.bottomRows(n);
  S.block(at[4], at[2], n, n) = h_ * B_.bottomRows(n);
  S.block(at[4], at[4], n, n) = M_;
  const Index mv = m - ms - mp;
  S.block(at[4], at[5], n, mv) = G.rightCols(mv);
  S.block(at[5], at[0], mv, n) = (G + kappa_ * R).rightCols(mv).transpose();
  S.block(at[5], at[2], mv, n) = h_ * R.rightCols(mv).transpose();
  S.block(at[5], at[4], mv, n) = G.rightCols(mv).transpose();
  if (scaled) return S;
  S.topRows(n) /= h_;
  S.middleCols(at[1], ms) *= h_;
  S.middleRows(at[2], n + mp) *= h_;
  S.middleCols(at[2], n + mp) /= h_;
  return S;
}

}  // namespace ricochet
