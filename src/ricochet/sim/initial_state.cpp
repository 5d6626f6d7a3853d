#include "ricochet/sim/initial_state.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "ricochet/math/orthogonal.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"
#include "ricochet/scheme/scheme.hpp"

namespace ricochet {
namespace {

/// Joints at one configuration, dense.
struct Joints {
  MatrixXd G;       // n x m
  VectorXd g, g_t;  // m
};

class Assembler {
 public:
  Assembler(const Model& model, State& state) : m_(model), s_(state), scratch_(model), q_(state.q) {
    std::vector<Candidate> all;
    m_.candidates({s_.t, s_.q, s_.v}, 0, all);
    for (const Candidate& c : all)
      if (c.bilateral()) joints_.push_back(c);
    for (int k = 0; k < static_cast<int>(joints_.size()); ++k) pick_.push_back(k);
    factorise();
  }

  Assembled run(double tolerance) {
    Assembled out;
    VectorXd x = VectorXd::Zero(m_.nv());
    Joints at = evaluate();
    // |x|_M least with g + G^T (x_next - x) = 0; a step that does not bring the joints closer is halved.
    constexpr int kPasses = 200;
    for (int pass = 0; pass < kPasses && !joints_.empty(); ++pass) {
      const VectorXd step = least(at, at.G.transpose() * x - at.g) - x;
      double share = 1;
      const double before = at.g.norm();
      VectorXd next;
      for (;; share *= 0.5) {
        next = x + share * step;
        m_.retract(q_, next, s_.q);
        at = evaluate();
        const double after = at.g.norm();
        if (after < before || after <= 1e-3 * tolerance || share < 1e-3) break;
      }
      const double change = max_abs(next - x);
      x = next;
      if (change <= 1e-15 * (1 + max_abs(x)) || (at.g.norm() > 1e-3 * tolerance && change < 1e-12 * max_abs(x))) break;
    }
    if (joints_.empty()) return {.closed = true};
    out.moved = max_abs(x, &out.coordinate);
    const VectorXd change = least(at, -at.G.transpose() * s_.v - at.g_t);
    s_.v += change;
    out.changed = max_abs(change, &out.velocity);
    blame(at, out);
    out.closed = out.rest <= tolerance;
    return out;
  }

 private:
  static double max_abs(const VectorXd& x, int* where = nullptr) {
    Index at = 0;
    const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff(&at) : 0;
    if (where != nullptr) *where = largest > 0 ? static_cast<int>(at) : -1;
    return largest;
  }

  // Coordinates without mass weigh as little as the lightest one.
  void factorise() {
    const Index n = m_.nv();
    MatrixXd M(n, n);
    for (Index j = 0; j < n; ++j) {
      const VectorXd unit = VectorXd::Unit(n, j);
      VectorXd column = VectorXd::Zero(n);
      m_.mass_times({s_.t, s_.q, s_.v}, unit, 1, column, scratch_);
      M.col(j) = column;
    }
    llt_.compute(M);
    if (llt_.info() == Eigen::Success) return;
    double lightest = 1;
    for (Index i = 0; i < n; ++i)
      if (M(i, i) > 0) lightest = std::min(lightest, M(i, i));
    llt_.compute(M + lightest * MatrixXd::Identity(n, n));
  }

  Joints evaluate() {
    Joints out;
    ConstraintRows rows;
    m_.evaluate(s_.t, s_.q,
                {.candidates = joints_.data(), .pick = pick_.data(), .count = static_cast<int>(pick_.size())}, rows,
                scratch_);
    const int m = rows.rows;
    out.G = MatrixXd::Zero(m_.nv(), m);
    out.g = Eigen::Map<const VectorXd>(rows.g.data(), m);
    out.g_t = Eigen::Map<const VectorXd>(rows.g_t.data(), m);
    for (const Jacobian::Block& b : rows.G.blocks())
      for (int i = 0; i < b.dim; ++i) {
        const double* entry = rows.G.row(b, i);
        for (const Range *r = rows.G.ranges(b), *end = r + b.ranges; r != end; ++r)
          for (int j = 0; j < r->n; ++j) out.G(r->at + j, b.row + i) = *entry++;
      }
    return out;
  }

  /// x of least |x|_M with G^T x = c, or as close to it as can be.
  VectorXd least(const Joints& at, const VectorXd& c) const {
    const MatrixXd scaled = llt_.matrixL().solve(at.G);
    return llt_.matrixU().solve(Orthogonal(scaled.transpose()).solve(c));
  }

  void blame(const Joints& at, Assembled& out) const {
    const VectorXd U = at.G.transpose() * s_.v + at.g_t;
    int row = 0;
    for (const Candidate& c : joints_)
      for (int k = 0; k < c.dim; ++k, ++row) {
        const double rest = std::max(std::abs(at.g[row]), std::abs(U[row]));
        if (rest <= out.rest) continue;
        out.rest = rest;
        out.item = m_.index_of(c);
        out.row = k;
      }
  }

  const Model& m_;
  State& s_;
  ModelScratch scratch_;
  const VectorXd q_;
  std::vector<Candidate> joints_;
  std::vector<int> pick_;
  Eigen::LLT<MatrixXd> llt_;
};

}  // namespace

Assembled assemble(const Model& model, double tolerance, State& state) {
  return Assembler(model, state).run(tolerance);
}

Settled settle(const Model& model, double tolerance, double step, State& state) {
  const std::unique_ptr<Scheme> scheme = make_scheme(
      "combined", {{"theta", 1.0}, {"tolerance", tolerance}, {"first_set", std::string("empty")}});  // no velocities
  Workspace w(model);
  State at = state, next = state;
  at.v.setZero();
  at.contacts.clear();
  VectorXd x(model.nv());
  StepReport report;
  Settled out;
  const auto measure = [&](const VectorXd& from, const VectorXd& to, int& where) {
    model.difference(from, to, x);
    Index index = 0;
    const double largest = x.cwiseAbs().maxCoeff(&index);
    where = static_cast<int>(index);
    return largest;
  };
  constexpr int kSteps = 2000, kStill = 4;
  double h = step;
  for (int still = 0; out.steps < kSteps && still < kStill; ++out.steps) {
    at.t = state.t - h;  // the rule looks at the end of the step alone
    at.t_rest = 0;
    scheme->start(model, at, w);
    scheme->step(model, at, h, next, w, report);
    if (!report.ok()) {
      h *= 0.25;
      if (!(h > 1e-12 * step)) break;
      continue;
    }
    const double moved = measure(at.q, next.q, out.coordinate);
    still = moved <= 0.01 * tolerance ? still + 1 : 0;
    out.found = still == kStill;
    at.q = next.q;
    at.contacts = next.contacts;
    h *= 2;
  }
  if (!out.found) return out;
  out.moved = measure(state.q, at.q, out.coordinate);
  state.q = at.q;
  state.v.setZero();
  return out;
}

}  // namespace ricochet
