#pragma once
// A NaN among the forces makes matrices singular and keeps loops from ending: an attempt that failed so is looked at
// again.
#include "ricochet/model/model.hpp"
#include "ricochet/scheme/report.hpp"

namespace ricochet {

/// The first velocity coordinate on which a force is not finite, where a step of h begins, half way or where it would
/// end; -1: there is none.
int not_finite_coordinate(const Model& model, const State& state, double h, ModelScratch& scratch);
/// Likewise at a point.
int not_finite_coordinate(const Model& model, const Point& at, ModelScratch& scratch);

/// A failure that may be the trace of such a force.
inline bool may_hide_not_finite(StepStatus status) {
  return status == StepStatus::singular || status == StepStatus::newton_limit || status == StepStatus::solver_failed ||
         status == StepStatus::inner_step;
}

}  // namespace ricochet
