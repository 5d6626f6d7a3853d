#include <algorithm>
#include <cmath>

#include "ricochet/model/contact/collision.hpp"
#include "ricochet/scheme/pieces/stage.hpp"
#include "ricochet/sim/initial_state.hpp"

namespace ricochet {
namespace {

/// Apart first, by passes each of which goes the least way from where the last one ended, M (x+ - x) = G p with
/// 0 <= p ⊥ g + G^T (x+ - x) >= 0 and the contacts that are then near; from there to the nearest such configuration,
/// min |x|_M with g(q ⊕ x) >= 0, by passes with M x+ = G p. Where these do not converge the first end counts.
class Separator {
 public:
  Separator(const Model& model, double tolerance, const State& state)
      : m_(model),
        w_(model),
        stage_(model, Level::position),
        controls_(Tolerances{}),
        tolerance_(tolerance),
        at_(state),
        begin_(state.q),
        x_(VectorXd::Zero(model.nv())) {
    at_.v.setZero();
  }

  Separated run() {
    Separated out;
    note_overlaps(out);
    constexpr int kApart = 200, kNearest = 20;
    for (out.apart = apart(); !out.apart && out.passes < kApart; out.apart = apart()) {
      ++out.passes;
      if (!pass(0)) break;
    }
    if (out.apart && out.passes > 0) pull_back(kNearest);
    Index most = 0;
    out.moved = x_.size() > 0 ? x_.cwiseAbs().maxCoeff(&most) : 0;
    if (out.moved > 0) out.coordinate = static_cast<int>(most);
    if (!out.apart) note_overlaps(out);
    return out;
  }
  const VectorXd& q() const { return at_.q; }

 private:
  /// Rows where the state stands: joints, then gaps.
  void look() {
    begin_step(m_, at_, 0, w_);
    stage_.reset();
    pick_position_joints(w_, stage_.L.pick);
    for (std::size_t i = 0; i < w_.candidates.size(); ++i)
      if (w_.candidates[i].unilateral()) stage_.L.pick.push_back(static_cast<int>(i));
    evaluate(m_, at_.t, at_.q, w_.candidates, stage_.L, w_.model, true);
  }

  bool apart() {
    look();
    for (std::size_t k = 0; k < stage_.L.pick.size(); ++k) {
      const Jacobian::Block& b = stage_.L.G.blocks()[k];
      const int i = stage_.L.pick[k];
      const double* per = w_.per_size.data() + w_.before->rows.G.blocks()[static_cast<std::size_t>(i)].row;
      const bool joint = w_.candidates[static_cast<std::size_t>(i)].bilateral();
      for (int row = 0; row < b.dim; ++row) {
        const double g = stage_.L.g[b.row + row] * per[row];
        if (!(joint ? std::abs(g) <= tolerance_ : g >= -tolerance_)) return false;
      }
    }
    return std::all_of(m_.sets().begin(), m_.sets().end(),
                       [&](const auto& set) { return overlaps(*set, at_.q, tolerance_).empty(); });
  }

  void pull_back(int passes) {
    const VectorXd first = x_;
    double change = 1;
    for (int k = 0; k < passes && change > tolerance_; ++k) {
      VectorXd last = x_;
      if (!pass(1)) break;
      look();
      last -= x_;
      change = w_.scale.of_position(last);
    }
    if (change <= tolerance_ && apart() && weight(x_) <= weight(first)) return;
    x_ = first;
    m_.retract(begin_, x_, at_.q);
  }
  double weight(const VectorXd& x) {
    VectorXd Mx = VectorXd::Zero(x.size());
    m_.mass_times({at_.t, begin_, at_.v}, x, 1, Mx, w_.model);
    return x.dot(Mx);
  }

  /// `pull`: 1 towards the beginning, 0 from where it stands.
  bool pass(double pull) {
    stage_.r.setZero();
    if (pull > 0) m_.mass_times({at_.t, begin_, at_.v}, x_, pull, stage_.r, w_.model);
    const auto mass = [&](Operator& S) { m_.mass({at_.t, begin_, at_.v}, 1, S, w_.model); };
    if (!stage_.factorise(m_, w_, {1, 0, 0}, mass)) return false;
    stage_.solve(m_, w_, controls_, 0, x_);
    m_.retract(begin_, x_, at_.q);
    return stage_.solved == SolveStatus::converged && x_.allFinite();
  }

  void note_overlaps(Separated& out) const {
    out.overlaps = 0;
    for (const auto& set : m_.sets())
      for (const Overlap& o : overlaps(*set, at_.q, tolerance_)) {
        if (out.overlaps++ == 0 || o.depth > out.depth) out.A = o.A, out.B = o.B, out.depth = o.depth;
      }
  }

  const Model& m_;
  Workspace w_;
  Stage stage_;
  Controls controls_;
  double tolerance_;
  State at_;
  const VectorXd begin_;
  VectorXd x_;
};

}  // namespace

Separated separate(const Model& model, double tolerance, State& state) {
  Separator separator(model, tolerance, state);
  const Separated out = separator.run();
  state.q = separator.q();
  return out;
}

}  // namespace ricochet
