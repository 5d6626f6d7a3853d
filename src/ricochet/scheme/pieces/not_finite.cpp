#include "ricochet/scheme/pieces/not_finite.hpp"

#include <cmath>

namespace ricochet {

int not_finite_coordinate(const Model& model, const Point& at, ModelScratch& scratch) {
  const VectorXd rest = VectorXd::Zero(model.nv());
  VectorXd F = rest;
  model.residual(at, rest, 1, F, scratch);
  for (int i = 0; i < model.nv(); ++i)
    if (!std::isfinite(F[i])) return i;
  return -1;
}

int not_finite_coordinate(const Model& model, const State& state, double h, ModelScratch& scratch) {
  VectorXd q = state.q;
  for (const double part : {0.0, 0.5, 1.0}) {
    const VectorXd x = part * h * state.v;
    model.retract(state.q, x, q);
    if (const int found = not_finite_coordinate(model, Point{state.t + part * h, q, state.v}, scratch); found >= 0)
      return found;
  }
  return -1;
}

}  // namespace ricochet
