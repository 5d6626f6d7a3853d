#include "ricochet/sim/driver.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/sim/stepper.hpp"

namespace ricochet {

void accumulate(const StepReport& r, Summary& s) {
  ++s.steps;
  s.impacts += r.impacts;
  s.newton_sum += r.newton;
  s.solver_sum += r.solver;
  s.activation_sum += r.activations;
  s.projection_sum += r.projections;
  s.newton_max = std::max<std::int64_t>(s.newton_max, r.newton);
  s.solver_max = std::max<std::int64_t>(s.solver_max, r.solver);
  s.activation_max = std::max<std::int64_t>(s.activation_max, r.activations);
  s.projection_max = std::max<std::int64_t>(s.projection_max, r.projections);
  s.contacts_max = std::max<std::int64_t>(s.contacts_max, r.contacts);
  s.uncertified += r.certified ? 0 : 1;
  s.rebounds += r.rebounds;
  s.reduced += r.reduced;
  s.least_part = std::min(s.least_part, r.least_part);
  s.events += static_cast<std::int64_t>(r.events.size());
  s.minimum_norm = s.minimum_norm || r.minimum_norm;
  Certificate& c = s.certificate;
  c.complementarity = std::max(c.complementarity, r.certificate.complementarity);
  c.penetration = std::max(c.penetration, r.certificate.penetration);
  c.energy_defect = std::max(c.energy_defect, r.certificate.energy_defect);
  if (const Certificate& joints = r.certificate; joints.joint_position + joints.joint_velocity > 0) {
    c.joint_position = std::max(c.joint_position, joints.joint_position);
    c.joint_velocity = std::max(c.joint_velocity, joints.joint_velocity);
    c.joint_position_relative = std::max(c.joint_position_relative, joints.joint_position_relative);
    c.joint_velocity_relative = std::max(c.joint_velocity_relative, joints.joint_velocity_relative);
  }
  s.magnitude_max = std::max(s.magnitude_max, r.energy.magnitude());
  s.energy_gain_max = std::max(s.energy_gain_max, r.energy.change() - r.energy.external);
  EnergyLedger& e = s.energy;
  e.kinetic = r.energy.kinetic;
  e.potential = r.energy.potential;
  e.external += r.energy.external;
  e.damping += r.energy.damping;
  e.joints += r.energy.joints;
  e.impact += r.energy.impact;
  e.friction += r.energy.friction;
  e.projection += r.energy.projection;
  e.numerical += r.energy.numerical;
  e.nonlinear_remainder += r.energy.nonlinear_remainder;
  e.defect += r.energy.defect;
  observe(r.energy, e, s.energy_initial, s.watch);
}

void renew(StepReport& report) {
  std::vector<Event> events = std::move(report.events);
  events.clear();
  report = StepReport{};
  report.events = std::move(events);
}

RunState begin_run(const Model& model, const Scheme& scheme, State initial, const ScaleChoice& scales) {
  RunState r;
  r.state = std::move(initial);
  if (!r.state.scales) {
    r.state.scales = std::make_shared<const Scales>(find_scales(model, r.state, scales));
    take_loops(model, r.state);
  }
  r.t_begin = r.state.t;
  Workspace w(model);
  w.measure(model, r.state);
  scheme.start(model, r.state, w);
  const Point at{r.state.t, r.state.q, r.state.v};
  const Energies energies = model.energies(at, w.model);
  r.summary.energy.kinetic = energies.kinetic;
  r.summary.energy.potential = energies.potential;
  r.summary.energy_initial = r.summary.energy.kinetic + r.summary.energy.potential;
  r.summary.watch = begin_watch(model, at, r.state.scales.get(), w.model);
  return r;
}

RunResult run(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer) {
  Stepper stepper(model, scheme, run_state, policy, observer);
  while (stepper.advance()) {
  }
  return std::move(stepper.result());
}

}  // namespace ricochet
