#include "ricochet/scheme/pieces/constrained_runge_kutta.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/scheme/pieces/newton.hpp"

namespace ricochet {
namespace {

/// Rows a_i1 ... a_ii of a stiffly accurate method: its last row is b.
Tableau diagonal(std::string_view name, int order, const std::vector<std::vector<double>>& rows) {
  Tableau T;
  T.name = name;
  T.order = order;
  T.stages = static_cast<int>(rows.size());
  const std::size_t n = rows.size() + 1;
  T.A.assign(n * n, 0);
  T.c.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double>& row = rows[std::min(i, rows.size() - 1)];
    for (std::size_t j = 0; j < row.size(); ++j) {
      T.A[i * n + j] = row[j];
      T.c[i] += row[j];
    }
  }
  T.b = rows.back();
  return T;
}

std::array<Tableau, 4> make_implicit() {
  const double g2 = 1 - std::sqrt(0.5);
  const double g3 = 0.43586652150845899942;  // 6 g^3 - 18 g^2 + 9 g - 1 = 0
  const double g5 = 41.0 / 200;
  return {
      diagonal("sdirk2", 2, {{g2}, {1 - g2, g2}}),
      diagonal("sdirk3", 3,
               {{g3}, {(1 - g3) / 2, g3}, {-(6 * g3 * g3 - 16 * g3 + 1) / 4, (6 * g3 * g3 - 20 * g3 + 5) / 4, g3}}),
      diagonal("sdirk4", 4,
               {{1. / 4},
                {1. / 2, 1. / 4},
                {17. / 50, -1. / 25, 1. / 4},
                {371. / 1360, -137. / 2720, 15. / 544, 1. / 4},
                {25. / 24, -49. / 48, 125. / 16, -85. / 12, 1. / 4}}),
      diagonal("esdirk5", 5,
               {{0},
                {g5, g5},
                {g5 / 2, -567603406766. / 11931857230679, g5},
                {683785636431. / 9252920307686, 0, -110385047103. / 1367015193373, g5},
                {3016520224154. / 10081342136671, 0, 30586259806659. / 12414158314087,
                 -22760509404356. / 11113319521817, g5},
                {218866479029. / 1489978393911, 0, 638256894668. / 5436446318841, -1179710474555. / 5321154724896,
                 -60928119172. / 8023461067671, g5},
                {1020004230633. / 5715676835656, 0, 25762820946817. / 25263940353407, -2161375909145. / 9755907335909,
                 -211217309593. / 5846859502534, -4269925059573. / 7827059040749, g5},
                {-872700587467. / 9133579230613, 0, 0, 22348218063261. / 9555858737531, -1143369518992. / 8141816002931,
                 -39379526789629. / 19018526304540, 32727382324388. / 42900044865799, g5}})};
}

}  // namespace

const Tableau& implicit_tableau(int order) {
  static const std::array<Tableau, 4> table = make_implicit();
  return table[static_cast<std::size_t>(std::clamp(order, 2, 5) - 2)];
}

const Tableau* explicit_tableau(int order) {
  switch (order) {
    case 1: return find_tableau("euler");
    case 2: return find_tableau("midpoint");
    case 3: return find_tableau("kutta3");
    case 4: return find_tableau("rk4");
    case 5: return find_tableau("dopri5");
    case 8: return find_tableau("dop853");
    default: return nullptr;
  }
}

ConstrainedRungeKutta::ConstrainedRungeKutta(const Model& m)
    : q(m.nq()),
      v(m.nv()),
      stage_(m, Level::velocity),
      a_(VectorXd::Zero(m.nv())),
      x_(m.nv()),
      v_(m.nv()),
      x_known_(m.nv()),
      v_known_(m.nv()) {
  stage_.restitution = false;
  stage_.accelerations = true;
}

Point ConstrainedRungeKutta::at(int i) const {
  const Index n = V_.rows();
  return {t_ + T_->c[static_cast<std::size_t>(i)] * h_, {Q_.data() + i * Q_.rows(), Q_.rows()}, {V_.data() + i * n, n}};
}

StepStatus ConstrainedRungeKutta::step(const Model& model, const Tableau& tableau, const Point& begin, double h,
                                       const std::vector<int>& held, const Controls& controls, Workspace& w) {
  T_ = &tableau;
  t_ = begin.t;
  h_ = h;
  const Index n = model.nv(), s = tableau.stages;
  q0_ = begin.q.vec();
  v0_ = begin.v.vec();
  for (MatrixXd* m : {&A_, &X_, &K_, &V_})
    if (m->rows() != n || m->cols() < s) m->resize(n, s);
  if (Q_.rows() != model.nq() || Q_.cols() < s) Q_.resize(model.nq(), s);
  held_ = held;
  rows_ = 0;
  for (int i : held) rows_ += w.candidates[i].bilateral() ? w.candidates[i].dim : 1;
  lambda_.need(s * rows_);
  stage_.reset();
  stage_.L.pick = held;
  stage_.equal.assign(held.size(), unilateral ? 0 : 1);
  for (int i = 0; i < s; ++i) {
    const StepStatus status = solve(model, i, controls, w);
    if (status != StepStatus::converged) return status;
  }
  minimum_norm = minimum_norm || stage_.minimum_norm;
  x_.setZero();
  v = v0_;
  for (Index i = 0; i < s; ++i) {
    x_ += h * tableau.b[static_cast<std::size_t>(i)] * K_.col(i);
    v += h * tableau.b[static_cast<std::size_t>(i)] * A_.col(i);
  }
  model.retract(q0_, x_, q);
  double sum = 0;
  for (double value : ConstView(q)) sum += value;
  for (double value : ConstView(v)) sum += value;
  return std::isfinite(sum) ? StepStatus::converged : StepStatus::not_finite;
}

void ConstrainedRungeKutta::place(const Model& model, int i, ConstView a, const Workspace& w) {
  const double weight = h_ * T_->a(i, i);
  v_ = v_known_ + weight * a.vec();
  x_ = x_known_;
  if (weight != 0) {
    // X = X_known + h a_ii x'(X, V): explicit in a vector space, a contraction by h |V| else
    for (int pass = 0; pass < 30; ++pass) {
      model.increment_rate(x_, v_, View(K_.data() + i * K_.rows(), K_.rows()));
      double change = 0;
      for (Index k = 0; k < x_.size(); ++k) {
        const double value = x_known_[k] + weight * K_(k, i);
        change = std::max(change, std::abs(value - x_[k]) * w.scale.per_position[static_cast<std::size_t>(k)]);
        x_[k] = value;
      }
      if (model.flat() || change <= 1e-15) break;
    }
  }
  X_.col(i) = x_;
  V_.col(i) = v_;
  model.retract(q0_, x_, View(Q_.data() + i * Q_.rows(), Q_.rows()));
}

void ConstrainedRungeKutta::evaluate_stage(const Model& model, int i, Workspace& w) {
  const Point point = at(i);
  evaluate(model, point.t, point.q, w.candidates, stage_.L, w.model, true);
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const Candidate& c = w.candidates[held_[k]];
    const Jacobian::Block& b = stage_.L.G.blocks()[k];
    model.set(c).bias(point, c, b.dim, stage_.L.g_t.data() + b.row, w.model.set(c.set));
  }
  stage_.r.setZero();
  model.residual(point, a_, 1, stage_.r, w.model);
}

StepStatus ConstrainedRungeKutta::solve(const Model& model, int i, const Controls& controls, Workspace& w) {
  x_known_.setZero();
  v_known_ = v0_;
  for (int j = 0; j < i; ++j) {
    const double weight = h_ * T_->a(i, j);
    if (weight == 0) continue;
    x_known_ += weight * K_.col(j);
    v_known_ += weight * A_.col(j);
  }
  const double weight = h_ * T_->a(i, i);
  if (i > 0) {
    a_ = A_.col(i - 1);
  } else {
    a_.setZero();
  }
  stage_.passes = 0;
  stage_.solver_iterations = 0;
  StepStatus status = StepStatus::converged;
  if (weight == 0) {
    place(model, i, a_, w);
    evaluate_stage(model, i, w);
    if (!stage_.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at(i), 1, S, w.model); }))
      return StepStatus::singular;
    stage_.solve(model, w, controls, h_, a_);
    if (stage_.solved != SolveStatus::converged) status = StepStatus::solver_failed;
  } else {
    status = newton(
        model, w, stage_, controls, h_, a_, {1, weight * weight, weight}, model.linear(),
        [&] { place(model, i, a_, w); }, [&] { evaluate_stage(model, i, w); },
        [&](Operator& S) {
          model.mass(at(i), 1, S, w.model);
          model.tangents(at(i), a_, weight * weight, weight, S, w.model);
        });
  }
  passes += stage_.passes;
  if (status != StepStatus::converged) return status;
  A_.col(i) = a_;
  if (weight == 0 || !model.flat())
    model.increment_rate(x_, v_, View(K_.data() + i * K_.rows(), K_.rows()));
  else
    K_.col(i) = v_;
  for (int k = 0; k < rows_; ++k) lambda_[static_cast<Index>(i) * rows_ + k] = stage_.p()[k];
  return status;
}

void ConstrainedRungeKutta::book(const Model& model, Workspace& w, WorkLedger& ledger) {
  booked_.pick = held_;
  for (int i = 0; i < T_->stages; ++i) {
    const double time = h_ * T_->b[static_cast<std::size_t>(i)];
    if (time == 0) continue;
    const Point point = at(i);
    ledger.balance(model, point, {A_.data() + i * A_.rows(), A_.rows()}, time, point.v, w.model);
    if (rows_ == 0) continue;
    evaluate(model, point.t, point.q, w.candidates, booked_, w.model, true);
    ledger.impulses(w, booked_, lambda_.data() + static_cast<Index>(i) * rows_, time, point.v);
  }
}

double ConstrainedRungeKutta::impulse(std::size_t place) const {
  const int row = stage_.L.G.blocks()[place].row;
  double sum = 0;
  for (int i = 0; i < T_->stages; ++i)
    sum += T_->b[static_cast<std::size_t>(i)] * lambda_[static_cast<Index>(i) * rows_ + row];
  return h_ * sum;
}

double ConstrainedRungeKutta::error(double atol, double rtol, const Workspace& w) {
  double worst = 0;
  const std::vector<double>& e = T_->error.front();
  for (Index k = 0; k < v.size(); ++k) {
    double position = 0, velocity = 0;
    for (Index i = 0; i < T_->stages; ++i) {
      position += h_ * e[static_cast<std::size_t>(i)] * K_(k, i);
      velocity += h_ * e[static_cast<std::size_t>(i)] * A_(k, i);
    }
    const double length = w.scale.coordinate[static_cast<std::size_t>(k)], speed = length / w.scale.time;
    // an increment of q is as large as the motion over the step, not as q: absolute for positions
    worst = std::max(worst, std::abs(position) / (atol * length + rtol * std::max(length, std::abs(x_[k]))));
    worst = std::max(worst, std::abs(velocity) / (atol * speed + rtol * std::max(std::abs(v0_[k]), std::abs(v[k]))));
  }
  return worst;
}

}  // namespace ricochet
