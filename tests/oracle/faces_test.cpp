// Contacts between faces of parts against the same mechanisms as joints and features.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test::faces_test {
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

// ---- parts of few faces, written here

constexpr double kTurn = 2 * std::numbers::pi;

/// A box with faces x-, x+, y-, ... about its middle.
std::string box_text(const Vector3d& half) {
  const double volume = 8 * half.prod();
  std::string out = "ricochet-brep 1\npart box\n";
  out +=
      fmt::format("solid {} 0 0 0 {} {} {} 0 0 0\n", volume, volume / 3 * (half.y() * half.y() + half.z() * half.z()),
                  volume / 3 * (half.x() * half.x() + half.z() * half.z()),
                  volume / 3 * (half.x() * half.x() + half.y() * half.y()));
  const auto corner = [&](int k) {  // bits: x, y, z
    return Vector3d(k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(), k & 4 ? half.z() : -half.z());
  };
  for (int k = 0; k < 8; ++k)
    out += fmt::format("vertex {} {} {} {}\n", k + 1, corner(k).x(), corner(k).y(), corner(k).z());
  std::vector<std::array<int, 2>> edges;
  for (int k = 0; k < 8; ++k)
    for (const int bit : {1, 2, 4})
      if (!(k & bit)) edges.push_back({k, k | bit});
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [a, b] = edges[e];
    const Vector3d d = corner(b) - corner(a), t = d.normalized();
    out += fmt::format("edge {} 0 {} {} {} line {} {} {} {} {} {}\n", e + 1, d.norm(), a + 1, b + 1, corner(a).x(),
                       corner(a).y(), corner(a).z(), t.x(), t.y(), t.z());
  }
  int number = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {-1, 1}) {
      const Vector3d z = sign * Vector3d::Unit(axis), x = Vector3d::Unit((axis + 1) % 3), y = z.cross(x),
                     o = z * half[axis];
      out += fmt::format("face {} {}{} out plane {} {} {} {} {} {} {} {} {} {} {} {}\nloop\n", ++number, "xyz"[axis],
                         sign > 0 ? '+' : '-', o.x(), o.y(), o.z(), x.x(), x.y(), x.z(), y.x(), y.y(), y.z(), z.x(),
                         z.y(), z.z());
      constexpr std::array<std::array<int, 2>, 4> kRound{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
      const auto at = [&](int k) {
        const Vector3d p = z + kRound[k % 4][0] * x + kRound[k % 4][1] * y;
        return (p.x() > 0 ? 1 : 0) + (p.y() > 0 ? 2 : 0) + (p.z() > 0 ? 4 : 0);
      };
      for (int k = 0; k < 4; ++k)
        for (std::size_t e = 0; e < edges.size(); ++e) {
          const auto [a, b] = edges[e];
          if (!((a == at(k) && b == at(k + 1)) || (b == at(k) && a == at(k + 1)))) continue;
          const Vector3d p = corner(a), t = (corner(b) - p).normalized();
          out += fmt::format("side {} {} line {} {} {} {}\n", e + 1, a == at(k) ? '+' : '-', x.dot(p), y.dot(p),
                             x.dot(t), y.dot(t));
        }
    }
  return out + "end\n";
}
std::string ball_text(double r) {
  const double volume = 4 * kTurn / 6 * r * r * r, J = 0.4 * volume * r * r;
  return fmt::format(
      "ricochet-brep 1\npart ball\nsolid {} 0 0 0 {} {} {} 0 0 0\nface 1 skin out sphere 0 0 0 1 0 0 0 1 0 0 0 1 "
      "{}\nend\n",
      volume, J, J, J, r);
}
/// Its base in z = 0, its tip above; a loop round the base is all that bounds its side.
std::string cone_text(double r, double height) {
  return fmt::format(
      "ricochet-brep 1\npart cone\nsolid {0} 0 0 {1} {2} {2} {2} 0 0 0\n"
      "edge 1 0 {3} 0 0 circle 0 0 0 1 0 0 0 1 0 0 0 1 {4}\n"
      "face 1 base in plane 0 0 0 1 0 0 0 1 0 0 0 1\nloop\nside 1 + circle 0 0 1 0 0 1 {4}\n"
      "face 2 side out cone 0 0 0 1 0 0 0 1 0 0 0 1 {4} {5}\nloop\nside 1 + line 0 0 1 0\nend\n",
      kTurn / 6 * r * r * height, height / 4, 0.1 * kTurn / 6 * r * r * height * r * r, kTurn, r,
      -std::atan2(r, height));
}
/// An upright cylinder about its middle.
std::string can_text(double r, double half) {
  const double volume = kTurn * r * r * half, J = volume * (r * r / 4 + half * half / 3);
  return fmt::format(
      "ricochet-brep 1\npart can\nsolid {0} 0 0 0 {1} {1} {2} 0 0 0\n"
      "edge 1 0 {3} 0 0 circle 0 0 {5} 1 0 0 0 1 0 0 0 1 {4}\nedge 2 0 {3} 0 0 circle 0 0 {6} 1 0 0 0 1 0 0 0 1 {4}\n"
      "face 1 bottom in plane 0 0 {5} 1 0 0 0 1 0 0 0 1\nloop\nside 1 + circle 0 0 1 0 0 1 {4}\n"
      "face 2 side out cylinder 0 0 0 1 0 0 0 1 0 0 0 1 {4}\nloop\nside 1 + line 0 {5} 1 0\nloop\nside 2 + line 0 "
      "{6} 1 0\n"
      "face 3 top out plane 0 0 {6} 1 0 0 0 1 0 0 0 1\nloop\nside 2 + circle 0 0 1 0 0 1 {4}\nend\n",
      volume, J, volume * r * r / 2, kTurn, r, -half, half);
}

/// A scenario with these parts beside it.
class Parts {
 public:
  Parts() { std::filesystem::create_directories(folder_); }
  ~Parts() { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Trajectory run(const std::string& text) const {
    return simulate(read_scenario("name: parts\n" + text, (folder_ / "parts.yaml").string()));
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("ricochet-faces-{}", static_cast<long>(::getpid()));
};
/// The longest way of a body between two rows.
double longest_way(const Trajectory& run) {
  double out = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k)
    out = std::max(out, (run.rows[k].q.head<3>() - run.rows[k - 1].q.head<3>()).norm());
  return out;
}

// The corner of an edge of the box lies in the plane of the floor, and so of the floor's rim, a metre away.
TEST(Faces, ABoxThatLandsDoesNotMeetTheRimFarAway) {
  Parts parts;
  parts.write("floor.brep", box_text({1, 1, 0.1}));
  parts.write("box.brep", box_text({0.05, 0.04, 0.03}));
  const Trajectory run = parts.run(R"(
system:
  gravity: [0, 0, -9.81]
  bodies:
    floor: {fixed: true, brep: floor.brep}
    box: {brep: box.brep, density: 1000, position: [0.1, 0.05, 0.2], orientation: [0, 0, 0.3], velocity: [0.3, 0.1, 0]}
  contacts:
    bottom: {faces: [floor/z+, box/z-], friction: 0.3}
    side: {faces: [floor/z+, box/x-], friction: 0.3}
simulation: {scheme: combined, step: 1e-3, until: 0.4}
)");
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(longest_way(run), 1.4e-3);
  EXPECT_NEAR(run.rows.back().q[2], 0.13, 1e-9);
  EXPECT_LT(run.rows.back().v.norm(), 1e-9);
}

// A ball over a box, both of whose faces are named, is far behind the lower one; under a box it is behind the upper
// one.
TEST(Faces, WhatIsBehindThePartIsNotBehindItsFace) {
  Parts parts;
  parts.write("box.brep", box_text({0.5, 0.5, 0.05}));
  parts.write("ball.brep", ball_text(0.05));
  const Trajectory over = parts.run(R"(
system:
  gravity: [0, 0, -9.81]
  bodies:
    box: {fixed: true, brep: box.brep}
    ball: {brep: ball.brep, density: 1000, position: [0.01, 0, 0.2]}
  contacts:
    above: {faces: [box/z+, ball/skin]}
    below: {faces: [box/z-, ball/skin]}
simulation: {scheme: combined, step: 1e-3, until: 0.3}
)");
  ASSERT_EQ(over.result.status, RunStatus::finished);
  EXPECT_NEAR(over.rows.back().q[2], 0.1, 1e-9);
  const Trajectory under = parts.run(R"(
system:
  gravity: [0, 0, 0]
  bodies:
    box: {fixed: true, brep: box.brep}
    ball: {brep: ball.brep, density: 1000, position: [0.8, 0, -0.3], velocity: [-1, 0, 0]}
  contacts:
    above: {faces: [box/z+, ball/skin]}
simulation: {scheme: combined, step: 1e-3, until: 0.6}
)");
  ASSERT_EQ(under.result.status, RunStatus::finished);
  EXPECT_EQ(under.rows.back().q[2], -0.3);
  EXPECT_NEAR(under.rows.back().q[0], 0.2, 1e-12);
}

// It comes in through a side that is not named: nobody looked, and nothing is pushed out a tenth of a metre.
TEST(Faces, WhatComesInThroughAnUnnamedFaceEndsTheRun) {
  Parts parts;
  parts.write("box.brep", box_text({0.5, 0.5, 0.3}));
  parts.write("ball.brep", ball_text(0.05));
  const Trajectory run = parts.run(R"(
system:
  gravity: [0, 0, 0]
  bodies:
    box: {fixed: true, brep: box.brep}
    ball: {brep: ball.brep, density: 1000, position: [0.8, 0, 0.15], velocity: [-1, 0, 0]}
  contacts:
    above: {faces: [box/z+, ball/skin]}
simulation: {scheme: combined, step: 1e-3, until: 0.6}
)");
  EXPECT_EQ(run.result.status, RunStatus::failed);
  EXPECT_EQ(run.result.failure.status, StepStatus::overlooked);
  EXPECT_EQ(run.rows.back().q[2], 0.15);
}

TEST(Faces, AConeEndsInATip) {
  Parts parts;
  parts.write("cone.brep", cone_text(0.05, 0.1));
  parts.write("ball.brep", ball_text(0.05));
  parts.write("floor.brep", box_text({1, 1, 0.1}));
  const Trajectory on = parts.run(R"(
system:
  gravity: [0, 0, -9.81]
  bodies:
    cone: {fixed: true, brep: cone.brep}
    ball: {brep: ball.brep, density: 1000, position: [0, 0, 0.2]}
  contacts:
    tip: {faces: [cone/side, ball/skin], restitution: 0.5}
simulation: {scheme: combined, step: 1e-3, until: 0.3}
)");
  ASSERT_EQ(on.result.status, RunStatus::finished);
  double low = 1;
  for (const Row& r : on.rows) low = std::min(low, r.q[2]);
  EXPECT_NEAR(low, 0.15, 2e-3);  // a step of 1 m/s
  EXPECT_GT(low, 0.15 - 1e-10);
  const Trajectory down = parts.run(R"(
system:
  gravity: [0, 0, -9.81]
  bodies:
    floor: {fixed: true, brep: floor.brep}
    cone: {brep: cone.brep, density: 1000, position: [0, 0, 0.4], orientation: [3.141592653589793, 0, 0]}
  contacts:
    tip: {faces: [floor/z+, cone/side]}
simulation: {scheme: combined, step: 1e-3, until: 0.28}
)");
  ASSERT_EQ(down.result.status, RunStatus::finished);
  EXPECT_NEAR(down.rows.back().q[2], 0.175, 1e-10);  // it stands on its tip, 75 mm below its centre
}

TEST(Faces, ACanThatFallsFlatStands) {
  Parts parts;
  parts.write("can.brep", can_text(0.05, 0.1));
  parts.write("floor.brep", box_text({1, 1, 0.1}));
  const Trajectory run = parts.run(R"(
system:
  gravity: [0, 0, -9.81]
  bodies:
    floor: {fixed: true, brep: floor.brep}
    can: {brep: can.brep, density: 1000, position: [0.1, 0.05, 0.5]}
  contacts:
    foot: {faces: [floor/z+, can/bottom], friction: 0.3}
simulation: {scheme: combined, step: 1e-3, until: 0.4}
)");
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[2], 0.2, 1e-10);
  EXPECT_LT(run.rows.back().v.norm(), 1e-12);
}

}  // namespace
}  // namespace ricochet::test::faces_test
