// Event tracking (acary-2018, "Event-tracking schemes"): smooth phases integrated with error control, events located,
// impacts and changes of the contacts' states solved where they happen.
//
//     phase    M a + convective = f + D lambda,   Gamma = 0 on the closed contacts I_s          (29)  pieces/phase.hpp
//     impact   M (v+ - v-) = G P,   0 <= U_N+ + e U_N- ⊥ P_N >= 0 on I_c, Coulomb's law for P_T  (27)
//     state    0 <= Gamma_N ⊥ lambda_N >= 0 on I_s, Coulomb's law for accelerations where U_T = 0  (28)
//
// I_c are the contacts with g = 0, I_s those of them with U_N = 0, I_r the sticking (U_T = 0) and I_t the sliding ones.
// A phase ends where a gap or a normal force vanishes, a sticking force reaches its cone, or a sliding velocity turns.
// There an impact is solved if a closing contact approaches, and the states of I_s follow from the complementarity
// problem of accelerations, all contacts together: the sign of one bilateral force decides nothing if there are
// several.
//
// Undetermined (cases 1.2.2.3, 1.3.3, 2.2.3): lambda_N = Gamma_N = 0, or a force on its cone with Gamma_T = 0. That is
// what every release and every onset of sliding looks like at its own instant. The accelerations are unique there, the
// states are not; they are taken from the same problem a moment later, (t + d, q ⊕ (d v + d^2 a / 2), v + d a), which
// is the question for the sign of the next derivative.
//
// Accumulation: when a contact hits again within `accumulation_interval`, time stepping takes over (Moreau's explicit
// scheme with steps of an eighth of that time, later of that interval) until the contacts that hit carry a force and
// are at rest; these are then closed. Contacts that are met meanwhile take part, those that leave are open. Hand-over
// and take-back are events; the latter is the time of closing.
//
// No end: more than `max_events` events in a step, or eight times as many steps of such time stepping, or thousands of
// inner steps that hardly move on: the step fails.
//
// Painleve: a sliding contact whose normal acceleration does not rise with its reaction has no smooth motion, or
// several: the step fails and names it. In space sliding begins along the tangential acceleration and ends below
// 1e-9 of the velocity scale; if nothing holds it there, its direction turns faster than a smooth phase can follow: the
// step fails.
//
// The step h of the scheme is the interval of the output: inside there are as many steps and events as it takes. Error:
// atol, rtol per inner step, plus what the location of an event leaves, which is round-off. Drift is projected off
// after every inner step, at both levels. Energy: works and impulses are integrated with the motion, jumps book
// (U- + U+)/2 P, projections what they change; the defect is what the tolerances leave.
#include "ricochet/scheme/pieces/tracker.hpp"

namespace ricochet {
namespace {

class EventDriven final : public Scheme {
 public:
  explicit EventDriven(const Options& o) : settings_(o), info_(find_scheme("event-driven")->info) {}
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return settings_.controls.tolerance; }
  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    Tracker(settings_, model, state, h, w, report).run(next);
  }

 private:
  TrackerSettings settings_;
  SchemeInfo info_;
};

}  // namespace

SchemeEntry event_driven() {
  SchemeEntry e;
  e.info = {.name = "event-driven",
            .summary = "smooth phases with error control between located events; the step is the output interval",
            .reference = "acary-2018 (4)-(31)",
            .smooth_order = 8,
            .impact_order = 8,
            .exact_position = true,
            .exact_velocity = true,
            .one_impulse = false,
            .error_controlled = true,
            .locates_events = true};
  e.options = {
      choice_option(
          "method", "dop853", {"dopri5", "dop853", "radau5"},
          "integrates the smooth phases: Dormand-Prince of order 5 or 8, Radau IIA of order 5 for stiff systems"),
      number_option("atol", 1e-12, 1e-14, 1e-2, "error of an inner step, absolute, in units of the scales of the run"),
      number_option("rtol", 1e-12, 1e-14, 1e-2, "error of an inner step, relative"),
      number_option("accumulation_interval", 1e-7, 1e-12, 1e-2,
                    "a contact that hits again within this part of a fall over the length scale is brought to rest by "
                    "time stepping"),
      number_option("max_events", 1e4, 1, 1e9, "events in one step before it is given up")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<EventDriven>(o); };
  return e;
}

}  // namespace ricochet
