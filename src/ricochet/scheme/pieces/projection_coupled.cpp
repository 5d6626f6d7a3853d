#include <algorithm>

#include "ricochet/scheme/pieces/projection.hpp"
#include "ricochet/solver/tap.hpp"

namespace ricochet {

struct ProjectedMotion::Coupling {
  explicit Coupling(const Model& m) : S(m.layout()), N(m.layout()) {}
  Operator S, N;                         ///< M^, and the inverse of the metric
  MatrixXd L, D, G;                      ///< rows as columns: velocity's condition and impulse, position (nv x rows)
  MatrixXd Y, NG, Z;                     ///< M^^-1 D, N G, M^^-1 h theta K N G
  VectorXd d, dv, c, v, r, work, force;  ///< (nv)
  std::vector<int> row;                  ///< place in the problem of velocity row i, then of position row i
  Problem problem;
  Solution solution;
  SolverScratch scratch;
};

namespace {

void columns(const Jacobian& G, Index n, MatrixXd& out) {
  out.setZero(n, G.rows());
  for (const Jacobian::Block& b : G.blocks())
    for (int i = 0; i < b.dim; ++i) {
      const double* x = G.row(b, i);
      for (int k = 0; k < b.ranges; ++k)
        for (int j = 0; j < G.ranges(b)[k].n; ++j) out(G.ranges(b)[k].at + j, b.row + i) = *x++;
    }
}

void solve_columns(const Operator& S, MatrixXd& X) {
  for (Index j = 0; j < X.cols(); ++j) S.solve(View(X.col(j).data(), X.rows()));
}

}  // namespace

/// out = h theta K direction, by a difference of the balance: exact for linear systems.
void ProjectedMotion::response(const ThetaStep& s, ConstView direction, View out) {
  Coupling& k = *coupling_;
  const double size = s.w.scale.of_position(direction);
  out.vec().setZero();
  if (size == 0) return;
  const double step = s.model.constancy().linear ? 1 : 1e-7 * configuration_size(s.model, s.state.q, s.w) / size;
  k.work = c_;
  c_ += step * direction.vec();
  place(s);
  k.r.setZero(c_.size());
  s.model.momentum_balance(motion_.motion(s.state, s.h, s.settings.theta, s.next), k.r, s.w.model);
  out.vec() = (k.r - velocity.r) / step;
  c_ = k.work;
}

/// Rows, M^ and the responses at the present v+ and c. False: an operator is singular.
bool ProjectedMotion::linearise(const ThetaStep& s) {
  Coupling& k = *coupling_;
  const Index n = c_.size();
  place(s);
  evaluate_velocity(s);
  evaluate(s.model, s.next.t, s.next.q, s.w.candidates, position.L, s.w.model, true);
  k.S.zero();
  s.model.momentum_tangent(motion_.motion(s.state, s.h, s.settings.theta, s.next), k.S, s.w.model);
  if (!k.S.factorise()) return false;
  columns(velocity.L.G, n, k.L);
  columns(velocity.directions(), n, k.D);
  columns(position.L.G, n, k.G);
  k.Y = k.D;
  solve_columns(k.S, k.Y);
  k.NG = k.G;
  k.N.zero();
  assemble_metric(s, k.N);
  if (!k.N.factorise()) return false;
  solve_columns(k.N, k.NG);
  k.Z.resize(n, k.NG.cols());
  for (Index j = 0; j < k.NG.cols(); ++j) response(s, ConstView(k.NG.col(j).data(), n), View(k.Z.col(j).data(), n));
  solve_columns(k.S, k.Z);
  k.d.resize(n);
  response(s, c_, k.d);
  k.d = velocity.r - k.d;
  k.S.solve(k.d);
  return true;
}

/// Cones and b of (55), corrected. Free multipliers first: joints at both levels, gaps held at zero; then the cones.
void ProjectedMotion::pose(const ThetaStep& s) {
  Coupling& k = *coupling_;
  Problem& problem = k.problem;
  problem.clear();
  const int mv = velocity.L.G.rows(), mg = position.L.G.rows();
  problem.rows = mv + mg;
  k.row.assign(static_cast<std::size_t>(problem.rows), 0);
  double* b = problem.b.need(problem.rows);
  int at = 0;
  const auto take = [&](const ConeBlock& cone, const Jacobian::Block& block, bool moves, double shift) {
    for (int i = 0; i < block.dim; ++i) {
      const int r = block.row + i, target = at + i;
      k.row[static_cast<std::size_t>(moves ? r : mv + r)] = target;
      b[target] = moves ? k.L.col(r).dot(s.next.v - k.d) + velocity.L.g_t[r] + (i == 0 ? shift : 0)
                        : position.L.g[r] - k.G.col(r).dot(s.h * s.settings.theta * k.d + c_);
    }
    problem.blocks.push_back({cone.cone, at, block.dim, cone.mu});
    at += block.dim;
  };
  for (bool free : {true, false}) {
    for (std::size_t j = 0; j < velocity.L.pick.size(); ++j) {
      const Candidate& c = s.w.candidates[velocity.L.pick[j]];
      const Jacobian::Block& block = velocity.L.G.blocks()[j];
      if (c.bilateral() != free) continue;
      if (free) {
        take({Cone::free, 0, 0, 0}, block, true, 0);
        continue;
      }
      const LocalState local = local_state(s.w, velocity.L.pick[j], s.h);
      const LocalLaw law = c.law->local(local);
      take({law.cone, 0, 0, law.mu}, block, true, law.restitution * local.U_before[0]);
    }
    for (std::size_t j = 0; j < position.L.pick.size(); ++j)
      if ((s.w.candidates[position.L.pick[j]].bilateral() || position.equal[j]) == free)
        take({free ? Cone::free : Cone::nonnegative, 0, 0, 0}, position.L.G.blocks()[j], false, 0);
  }
}

/// (54), corrected.
void ProjectedMotion::form_W(const ThetaStep& s) {
  Coupling& k = *coupling_;
  Problem& problem = k.problem;
  const int mv = velocity.L.G.rows(), mg = position.L.G.rows();
  double* W = problem.W.make_dense(problem.rows);
  const auto entry = [&](int i, int j) -> double& {
    return W[k.row[static_cast<std::size_t>(i)] +
             static_cast<Index>(k.row[static_cast<std::size_t>(j)]) * problem.rows];
  };
  for (int j = 0; j < mv; ++j) {
    for (int i = 0; i < mv; ++i) entry(i, j) = k.L.col(i).dot(k.Y.col(j));
    for (int i = 0; i < mg; ++i) entry(mv + i, j) = s.h * s.settings.theta * k.G.col(i).dot(k.Y.col(j));
  }
  for (int j = 0; j < mg; ++j) {
    for (int i = 0; i < mv; ++i) entry(i, mv + j) = -k.L.col(i).dot(k.Z.col(j));
    for (int i = 0; i < mg; ++i)
      entry(mv + i, mv + j) = k.G.col(i).dot(k.NG.col(j) - s.h * s.settings.theta * k.Z.col(j));
  }
}

/// One pass; `change` is what it moved. False: no solution.
bool ProjectedMotion::couple_pass(const ThetaStep& s, double& change) {
  Coupling& k = *coupling_;
  if (!linearise(s)) return false;
  pose(s);
  form_W(s);
  k.solution.fit(k.problem.rows);
  k.problem.unit = s.w.scale.velocity;
  s.settings.controls.solver->solve(k.problem, s.settings.controls.solver_options, k.solution, k.scratch);
  if (SolveTap* tap = solve_tap()) tap->solved(k.problem, k.solution);
  s.report.solver += k.solution.iterations;
  ++s.report.newton;
  if (k.solution.status != SolveStatus::converged) return false;

  const int mv = velocity.L.G.rows(), mg = position.L.G.rows();
  k.dv = -k.d;
  k.work.setZero(c_.size());
  force_.setZero();
  for (int j = 0; j < mv; ++j) k.dv += k.Y.col(j) * k.solution.p[k.row[static_cast<std::size_t>(j)]];
  for (int j = 0; j < mg; ++j) {
    const double tau = k.solution.p[k.row[static_cast<std::size_t>(mv + j)]];
    k.dv -= k.Z.col(j) * tau;
    k.work += k.NG.col(j) * tau;
    force_ += k.G.col(j) * tau;
  }
  c_ -= k.work;
  change = std::max(s.w.scale.of_rate(k.dv) / velocity_size(s.next.v, s.w), s.w.scale.of_position(c_));
  s.next.v += k.dv;
  c_ = k.work;
  return true;
}

void ProjectedMotion::couple(const ThetaStep& s) {
  if (!coupling_) coupling_ = std::make_shared<Coupling>(s.model);
  Coupling& k = *coupling_;
  k.v = s.next.v;
  k.c = c_;
  k.force = force_;
  k.solution.rows = 0;  // no warm start: the step depends on its state alone
  double before = 0;
  for (int pass = 0; pass < s.settings.controls.tolerance.max_newton; ++pass) {
    double change = 0;
    if (!couple_pass(s, change)) break;
    const bool floor = pass > 1 && change > 0.5 * before && change <= 0.1 * s.settings.controls.tolerance.constraint;
    if (change <= s.settings.controls.tolerance.newton || floor || s.model.linear()) return;
    before = change;
  }
  s.next.v = k.v;
  c_ = k.c;
  force_ = k.force;
}

}  // namespace ricochet
