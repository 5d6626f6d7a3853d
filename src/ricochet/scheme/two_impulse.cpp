// A step in two impulses: one for the positions, one for the velocities. theta = 1/2, v_theta = (v + v*) / 2.
//
//     1   M (v* - v) + h (convective - f)(t_theta, q_theta, v_theta) = D P1,       q+ = q ⊕ h v_theta
//         joints  g(q+) = 0,      contacts  0 <= P1_N ⊥ g(q+) >= 0,    all candidates
//         contacts that were closed and did not close further:    P1_T ∈ -mu P1_N d|D_T^T v_theta|
//         rows without a position:  their law with D^T v_theta
//     2   M(q+) (v+ - v*) = G+ P2,       P = P1 + P2
//         joints  U+ = 0,   what is closed at q+ and rows without a position:   K ∋ P ⊥ U+ - b (+ mu |U_T+| n) ∈ K*
//     3   b = s e max(0, -U_k),  0 for what was closed and not closing;  s = 1, or the largest with which the step does
//         not gain
//
// P1 brings the gaps to zero by moving the velocity, so that no position is corrected; P2 along the gradients G+ at q+
// then meets the laws. Positions do not wait for velocities, and no set is forecast.
//
// Energy. D is the mean of the gradients over the way q ⊕ s h v_theta, s in [0, 1], so that h D^T v_theta = g+ - g_k
// (less what a boundary moves by itself). The way is the one on which the velocity h v_theta is constant, also of a
// body that turns in space: it turns about one axis. Simpson's rule takes the mean from q_k, q_theta and q+, exact
// where g is of the third degree along the way. Then
//
//     contacts        P1^T D^T v_theta = P1^T (g+ - g_k) / h = -P1^T g_k / h <= 0,   0 for what was closed, and joints
//     friction of 1   -mu P1_N |D_T^T v_theta|
//     stage 2         P2^T (U* + U+) / 2 = P2^T U+ - P2^T W P2 / 2 = b^T P2 - (U+ - b)^T P1 - P2^T W P2 / 2
//
// and the balance itself keeps T + V between v and v* where M is constant (rigid bodies: v_theta^T times the change of
// spatial momentum along the one axis is the change of T) and forces are. P1 lies in the cone of the normals, so that
// (U+ - b)^T P1 >= 0 without friction: with b = 0 no step gains, however many contacts and joints there are and however
// far the normals turn, and there is always an s. Friction of the whole impulse adds -mu |U_T+| P_N + mu |U_T+| P1_N at
// most, less what stage 1 took: where this is a gain, the step is tried without friction in stage 1, when it is none.
//
// Where stage 1 has no root near, which happens where light bodies swing past the line of pull of heavy ones, or where
// Simpson's rule is not near enough, its contacts have the gradient of that end of the way along which they cannot
// gain: of a gap that is concave (play) that at q+, of a convex one (two balls) that at q_k, G^T x <= g+ - g_k.
//
// M that depends on q, forces that are not constant and rows of formulas leave what the midpoint rule leaves, of the
// third order in a step, as a nonlinear remainder.
//
// How the problems are solved: pieces/set_newton.hpp. Orders: 2 in smooth motion, where P2 = O(h^2) and P1 carries the
// load; 1 in L1 across impacts. Exact at both levels. Bouncing that the step does not resolve loses its energy.
#include "ricochet/scheme/pieces/two_impulses.hpp"

namespace ricochet {
namespace {

class TwoImpulse final : public Scheme {
 public:
  explicit TwoImpulse(const Options& o) : info_(find_scheme("two-impulse")->info), controls_(tolerances(o)) {}
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    begin_step(model, state, h, w);
    w.of<TwoImpulses>(model).solve({controls_, model, state, h, next, w, report});
  }

 private:
  SchemeInfo info_;
  Controls controls_;
};

}  // namespace

SchemeEntry two_impulse() {
  SchemeEntry e;
  e.info = {
      .name = "two-impulse",
      .summary = "an impulse for the positions, one for the velocities; exact at both levels, never gains at contacts",
      .reference = "docs/theory-theta.md",
      .smooth_order = 2,
      .impact_order = 1,
      .exact_position = true,
      .exact_velocity = true,
      .velocity_rows = true,
      .rolling = true,
      .collision = true,
      .two_impulses = true};
  e.options = common_options();
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<TwoImpulse>(o); };
  // its proof asks for no more than constant mass and forces
  e.dissipating = [](double, const std::function<double()>&) -> OptionValues { return {}; };
  return e;
}

}  // namespace ricochet
