// Contacts between faces of parts against the same mechanisms as joints and features.
#include <cmath>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

/// The largest difference of two motions.
double apart(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.result.status, RunStatus::finished);
  EXPECT_EQ(b.result.status, RunStatus::finished);
  EXPECT_EQ(a.rows.size(), b.rows.size());
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k)
    worst = std::max(worst, (a.rows[k].q - b.rows[k].q).norm());
  return worst;
}

// Both with the same scales: these decide at which step an impact counts.
TEST(Faces, APinInABushIsAJointWithPlay) {
  const Trajectory faces = simulate(
      "pin-in-bush", {"until=0.03", "scheme={name: combined, tolerance: 1e-12}", "simulation.scales.length=1"});
  const std::string joint = R"(
name: the same as a joint
system:
  gravity: [0, -9.81, 0]
  parameters: {r: 5e-3, l: 0.02, m: 7800*pi*r^2*l}
  bodies:
    pin: {mass: m, inertia: [m*(r^2/4 + l^2/12), m*(r^2/4 + l^2/12), m*r^2/2], position: [0, 3e-5, 0], velocity: [0.02, 0, 0.01], angular_velocity: [0.5, 0, 60]}
  joints:
    pin: {cylindrical: [ground, pin], first: {at: [0, 0, 0]}, second: {at: [0, 0, 0]}, clearance: 1e-4, pin: 5e-3, length: 0.02, restitution: 0.3, friction: 0.1}
simulation: {scheme: {name: combined, tolerance: 1e-12}, step: 1e-4, until: 0.03, scales: {length: 1}}
)";
  const Trajectory played = simulate(read_scenario(joint, "joint.yaml"));
  EXPECT_LT(apart(faces, played), 1e-11);  // 5e-14
  EXPECT_GT(faces.end.summary.impacts, 2);
  EXPECT_LT(faces.end.summary.certificate.penetration, 1e-10);
}

TEST(Faces, APendulumInARingOfFacesIsOneInABush) {
  const Trajectory faces = simulate("pendulum-in-ring-faces", {"until=0.5"});
  const Trajectory bush = simulate("pendulum-in-ring", {"until=0.5", "system.contacts.end.tip=5e-3"});
  EXPECT_LT(apart(faces, bush), 1e-9);  // measured
}

// The spline is close to the formula of cam-follower, not equal to it: the follower rides as high as its radii say.
TEST(Faces, ARollerFollowsASplineCam) {
  const Trajectory run = simulate("cam-spline", {"until=0.25"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
  double low = 1, high = 0;
  for (const Row& r : run.rows) {
    if (r.gap.empty() || r.gap[0] > 1e-9) continue;
    const double z = r.q[4];
    low = std::min(low, z), high = std::max(high, z);
  }
  EXPECT_LT(high, 0.06);
  EXPECT_GT(low, 0.0495);
  EXPECT_GT(high - low, 5e-3);
}

// Balls of radius 2 mm at the corners, 50 mm from the middle, with 1 mm of play on both sides. They touch with their
// poles and along their seams, where a ball that is trimmed there by a digit falls through.
TEST(Faces, ASliderStaysBetweenItsGuides) {
  const Trajectory run = simulate("slider-crank-step", {"until=0.042", "step=5e-6"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(run.end.summary.certificate.penetration, 1.001e-10);
  double farthest = 0;
  for (const Row& r : run.rows) {
    const double z = r.q[16], qw = r.q[17], qy = r.q[19], turn = 2 * std::atan2(qy, qw);
    farthest = std::max(farthest, std::abs(z) + 0.05 * std::abs(std::sin(turn)) - 0.025 * (1 - std::cos(turn)));
  }
  EXPECT_LT(farthest, 1.0000002e-3);  // out of its plane it turns by 1e-10
  EXPECT_GT(farthest, 0.999e-3);
}

}  // namespace
}  // namespace ricochet::test
