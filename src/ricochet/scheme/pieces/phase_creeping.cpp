// Sliding in space that has just begun.
#include <algorithm>

#include "ricochet/math/elementary.hpp"
#include "ricochet/scheme/pieces/phase.hpp"

namespace ricochet {
namespace {

constexpr double kCreep = 1e-12;     // of the length scale: |U_T| tau of what creeps, see find_creeping
constexpr double kFastCreep = 1e-3;  // of the velocity scale: faster than that nothing creeps
constexpr double kAligned = 0.9;     // cosine between U_T and Gamma_T, for what creeps

}  // namespace

void Phase::find_creeping(const PhaseContext& c, View a) {
  const double threshold = kSlipThreshold * c.w.scale.velocity;
  const auto follow = [this](std::size_t k, double slowest) {
    const double *U = acc_.U(k), speed = elementary::hypot(U[1], U[2]);
    if (speed > slowest) acc_.held[k].slip = {U[1] / speed, U[2] / speed};
    return speed;
  };
  for (std::size_t k = 0; k < acc_.held.size(); ++k)
    if (acc_.held[k].how == Hold::sliding && acc_.dim(k) == 3)
      acc_.held[k].creeps = follow(k, threshold) <= kFastCreep * c.w.scale.velocity;
  const bool told = acc_.direct(c.controls, c.w.solver, a);
  for (std::size_t k = 0; k < acc_.held.size(); ++k) {
    Held& held = acc_.held[k];
    if (!held.creeps) continue;
    const double *U = acc_.U(k), speed = elementary::hypot(U[1], U[2]);
    const double along = U[1] * held.slip[0] + U[2] * held.slip[1];
    held.creeps = told && acc_.near_cone(k) && speed * speed <= kCreep * c.w.scale.length * acc_.pull(k) &&
                  (speed <= threshold || (acc_.moves_off(k) && along >= kAligned * speed));
    if (!held.creeps) follow(k, 0);
  }
}

bool Phase::still_creeps(const PhaseContext& c) {
  const auto creeps = [](const Held& h) { return h.creeps; };
  if (std::none_of(acc_.held.begin(), acc_.held.end(), creeps)) return true;
  const double most = 16 * kCreep * c.w.scale.length;
  const ConstView end = stepper_->y_end();
  c.model.retract(*q0_, end.segment(0, nv_), q_);
  if (!hold(c, {c.t + s_ + h_, q_, end.segment(nv_, nv_)}, a_)) return false;
  for (std::size_t k = 0; k < acc_.held.size(); ++k)
    if (const double* U = acc_.U(k); acc_.held[k].creeps && U[1] * U[1] + U[2] * U[2] > most * acc_.pull(k))
      return false;
  return true;
}

}  // namespace ricochet
