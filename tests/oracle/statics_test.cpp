// Whether an equilibrium exists: against closed forms, and against the thrust lines of an arch.
#include "ricochet/sim/statics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test::statics_test {
namespace {

Statics statics(const Scenario& s) { return find_equilibrium(s.model, s.initial, 1e-9); }

/// A box on a slope: friction holds it from tan(alpha) on, and it tips over if its top is too high, whatever friction.
TEST(Statics, ABoxOnASlope) {
  const auto box = [](double mu, double height, double alpha) {
    return statics(read_scenario(
        fmt::format("system:\n  gravity: [{}, 0, {}]\n  collision: {{friction: {}}}\n  bodies:\n    ground: {{fixed: "
                    "true, shapes: [{{plane: {{}}}}]}}\n    box: {{box: {{size: [0.2, 0.2, {}]}}, mass: 3, position: "
                    "[0, 0, {}]}}\nsimulation: {{scheme: combined, step: 1e-3, until: 1}}\n",
                    9.81 * std::sin(alpha), -9.81 * std::cos(alpha), mu, height, height / 2),
        "slope"));
  };
  const double alpha = 0.3;
  const Statics holds = box(0.5, 0.2, alpha);
  EXPECT_EQ(holds.wrong, "");
  EXPECT_TRUE(holds.exists);
  EXPECT_EQ(holds.contacts, 4);
  EXPECT_LE(holds.left, 1e-11);
  EXPECT_NEAR(holds.friction * 0.5, std::tan(alpha), 1e-6);
  const Statics slides = box(0.3, 0.2, alpha);
  EXPECT_FALSE(slides.exists);
  // What friction cannot take, in the direction that the associated law leaves: sin - mu cos over |(1, mu)|.
  EXPECT_NEAR(slides.left, (std::sin(alpha) - 0.3 * std::cos(alpha)) / std::sqrt(1 + 0.09), 1e-9);
  EXPECT_NEAR(slides.friction * 0.3, std::tan(alpha), 1e-6);
  const double tips = 0.2 / std::tan(alpha);  // the centre of mass over the lower edge
  EXPECT_TRUE(box(0.9, 0.999 * tips, alpha).exists);
  const Statics over = box(0.9, 1.001 * tips, alpha);
  EXPECT_FALSE(over.exists);
  EXPECT_EQ(over.friction, -1);
  EXPECT_LE(over.proof, 1e-8);
}

Scenario cylinders(bool planar, const std::vector<std::string>& changes) {
  Scenario s = load_scenario("three-cylinders", changes);
  if (planar) return s;
  std::string text = s.text;
  text.erase(text.find("planar: xz"), std::string("planar: xz").size());
  return read_scenario(text, "cylinders");
}

/// Three disks: a disk on two others holds from tan(15 degrees) on, in the plane and, as cylinders, in space.
TEST(Statics, ThreeCylinders) {
  for (const bool planar : {true, false}) {
    const Statics found = statics(cylinders(planar, {}));
    EXPECT_EQ(found.wrong, "") << planar;
    EXPECT_TRUE(found.exists) << planar;
    EXPECT_NEAR(found.friction * 0.3, std::tan(std::numbers::pi / 12), 1e-6) << planar;
  }
}

/// How far anything moves from where it began.
double moves(const Trajectory& run) {
  EXPECT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.retries, 0);
  return (run.rows.back().q - run.rows.front().q).cwiseAbs().maxCoeff();
}

/// Outside of 2 % about the limit the cylinders do as the program says, in the plane and in space.
TEST(Statics, ThreeCylindersDoAsTheProgramSays) {
  const double mu = std::tan(std::numbers::pi / 12);
  for (const bool planar : {true, false}) {
    const auto run = [&](double friction) {
      return moves(
          simulate(cylinders(planar, {fmt::format("system.collision.friction={}", friction), "simulation.until=0.1"})));
    };
    EXPECT_LT(run(1.02 * mu), 1e-12) << planar;  // measured: 0
    EXPECT_GT(run(0.98 * mu), 1e-5) << planar;
  }
}

/// Where they roll apart, cylinders in space move as circles in the plane do: x and z of each of the three.
TEST(Statics, CylindersInSpaceRollApartAsInThePlane) {
  const std::vector<std::string> changes{"system.collision.friction=0.25", "simulation.until=0.3"};
  const Trajectory plane = simulate(cylinders(true, changes)), space = simulate(cylinders(false, changes));
  EXPECT_GT(moves(plane), 0.01);
  EXPECT_GT(moves(space), 0.01);
  ASSERT_EQ(plane.rows.size(), space.rows.size());
  for (std::size_t k = 0; k < plane.rows.size(); ++k)
    for (Index b = 0; b < 3; ++b) {
      EXPECT_NEAR(space.rows[k].q[7 * b], plane.rows[k].q[3 * b], 2e-10) << k << " " << b;          // measured: 4e-11
      EXPECT_NEAR(space.rows[k].q[7 * b + 2], plane.rows[k].q[3 * b + 1], 2e-10) << k << " " << b;  // a penetration
      EXPECT_NEAR(space.rows[k].q[7 * b + 1], 0, 1e-15) << k << " " << b;
    }
}

/// The card tower: likewise outside of 2 %.
TEST(Statics, TheCardTowerDoesAsTheProgramSays) {
  const auto tower = [](double mu) {
    return std::vector<std::string>{fmt::format("system.collision.friction={}", mu), "simulation.until=0.05"};
  };
  const double mu = 0.6 * statics(load_scenario("card-tower", {})).friction;
  EXPECT_NEAR(mu, 0.249573, 1e-6);
  EXPECT_LT(moves(simulate(load_scenario("card-tower", tower(1.02 * mu)))), 1e-12);
  EXPECT_GT(moves(simulate(load_scenario("card-tower", tower(0.98 * mu)))), 1e-6);
}

/// The dome: likewise. From 1.02 to 1.05 of the limit Coulomb's law has an answer that moves beside the one that rests,
/// and what is at rest stays there.
TEST(Statics, TheDomeDoesAsTheProgramSays) {
  constexpr double kLimit = 0.7 * 0.2616982;  // `ricochet statics masonry-dome`, which takes half a minute
  const auto slides = [](double mu) {
    return moves(simulate("masonry-dome", {fmt::format("system.collision.friction={}", mu), "simulation.step=2e-3",
                                           "simulation.until=0.006"}));
  };
  EXPECT_LT(slides(1.02 * kLimit), 1e-12);  // measured: 0
  EXPECT_GT(slides(0.98 * kLimit), 1e-6);
}

/// Least thickness over radius of a half-circular arch of n stones that cannot slide, n even: by its lines of thrust.
/// By symmetry the crown carries a horizontal force H at a height y; at the joint under the angle theta, with the
/// weight w and the moment w x about the centre of what is between, the force across it and its moment about the centre
/// are
///     T = H cos theta + w sin theta,      m = H y + w x,
/// and the line is inside if r_in T <= m <= r_out T: bounds of H y that are linear in H. Their distance is concave in
/// H.
double least_thickness(int n) {
  const auto stands = [n](double t) {
    const double in = 1 - t / 2, out = 1 + t / 2, a = std::numbers::pi / (2 * n);  // half the angle of a stone
    const double area = (out * out - in * in) * std::sin(a) * std::cos(a);         // cut straight between its joints
    const double centre = 2.0 / 3 * std::cos(a) * (out * out * out - in * in * in) / (out * out - in * in);
    const auto room = [&](double H) {
      double w = 0, wx = 0, low = -1e300, high = 1e300;
      for (int k = 0; k <= n / 2; ++k) {
        const double theta = 2 * a * k, T = H * std::cos(theta) + w * std::sin(theta);
        low = std::max(low, in * T - wx), high = std::min(high, out * T - wx);
        w += area, wx += area * centre * std::sin(theta + a);
      }
      return high - low;
    };
    double from = 0, to = 5;
    while (to - from > 1e-12) {
      const double x = from + (to - from) / 3, y = to - (to - from) / 3;
      (room(x) < room(y) ? from : to) = room(x) < room(y) ? x : y;
    }
    return room(from) >= 0;
  };
  double low = 0.01, high = 0.3;
  while (high - low > 1e-9) (stands(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
  return high;
}

Statics arch(int n, double thickness, double mu) {
  return statics(load_scenario(
      "masonry-arch", {fmt::format("system.parameters.n={}", n), fmt::format("system.parameters.thick={}", thickness),
                       fmt::format("system.collision.friction={}", mu)}));
}

/// The arch of finitely many stones hinges below a thickness that the lines of thrust tell; with many stones that of a
/// whole ring, 0.1075.
TEST(Statics, AnArchHingesWhereItsThrustLinesEnd) {
  EXPECT_NEAR(least_thickness(2000), 0.1075, 1e-4);  // measured: 0.10748
  for (const int n : {6, 16, 30}) {
    const double limit = least_thickness(n);
    EXPECT_TRUE(arch(n, limit * (1 + 1e-5), 5).exists) << n << " " << limit;
    EXPECT_FALSE(arch(n, limit * (1 - 1e-5), 5).exists) << n << " " << limit;
  }
}

/// What the program says of the arch, the simulation does: outside of 2 % about the limits in friction and thickness.
TEST(Statics, TheArchDoesAsTheProgramSays) {
  const auto sinks = [](double thickness, double mu) {
    const Trajectory run = simulate("masonry-arch", {fmt::format("system.parameters.thick={}", thickness),
                                                     fmt::format("system.collision.friction={}", mu), "until=0.05"});
    EXPECT_EQ(run.result.status, RunStatus::finished) << thickness << " " << mu;
    double most = 0;
    for (Index i = 0; i < run.rows.front().q.size(); ++i)
      most = std::max(most, std::abs(run.rows.back().q[i] - run.rows.front().q[i]));
    return most;
  };
  const double mu = 0.7 * arch(17, 0.15, 0.7).friction;
  EXPECT_LT(sinks(0.15, 1.02 * mu), 1e-9);
  EXPECT_GT(sinks(0.15, 0.98 * mu), 1e-6);
  double low = 0.05, high = 0.15;
  while (high - low > 1e-6) (arch(17, 0.5 * (low + high), 0.7).exists ? high : low) = 0.5 * (low + high);
  EXPECT_LT(sinks(1.02 * high, 0.7), 1e-9);
  EXPECT_GT(sinks(0.98 * high, 0.7), 1e-6);
}

}  // namespace
}  // namespace ricochet::test::statics_test
