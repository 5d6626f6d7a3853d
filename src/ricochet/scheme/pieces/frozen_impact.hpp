#pragma once
// An impact at a frozen position, with the velocities just before it:
//
//     M(q)(v+ - v-) = G(q) P,     joints U+ = 0;     contacts that are picked:  K ∋ P ⊥ U+ + e U- (+ mu |U_T+| n) ∈ K*
#include "ricochet/scheme/pieces/stage.hpp"
#include "ricochet/scheme/pieces/work_ledger.hpp"

namespace ricochet {

class FrozenImpact {
 public:
  explicit FrozenImpact(const Model& m) : stage_(m, Level::velocity), before_(m.nv()), part_(m.nv()) {}

  /// Gaps and velocities of all candidates; joints picked, contacts the caller's to pick.
  void prepare(const Model& model, const Point& at, Workspace& w);
  double gap(int i) const { return all_.g[all_.G.blocks()[static_cast<std::size_t>(i)].row]; }
  /// A contact takes part, with its restitution or without.
  void pick(int i, bool restitution);
  /// v moves from v- to v+.
  StepStatus solve(const Model& model, const Point& at, double h, const Controls& controls, Workspace& w, VectorXd& v,
                   StepReport& report);
  /// The work of the jump to v, and its impulses.
  void book(const Model& model, const Point& at, const VectorXd& v, Workspace& w, WorkLedger& ledger);

 private:
  Stage stage_;
  Rows all_;
  Buffer U_;
  VectorXd before_, part_;
};

}  // namespace ricochet
