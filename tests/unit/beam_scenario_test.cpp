// What the reader makes of beams, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::test::beam_scenario_test {
namespace {

using testing::HasSubstr;

std::string text(const std::string& beam, const std::string& beside, const std::string& system = "") {
  return "name: beam\nsystem:\n" + system + "  flexible:\n    b:\n      beam: {" + beam + "}\n" + beside +
         "simulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
}

const char* const kBeam = "from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {circle: 0.1}";
const char* const kSteel = "      young: 2.1e11\n      density: 7800\n";

std::string refusal(const std::string& scenario) {
  try {
    read_scenario(scenario, "beam.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BeamScenario, MassIsThatOfTheBeam) {
  const Scenario s = read_scenario(text(kBeam, kSteel), "beam.yaml");
  ASSERT_EQ(s.model.nq(), 21);
  ModelScratch w(s.model);
  VectorXd along = VectorXd::Zero(18), p = along;
  for (Index k = 0; k < 18; k += 6) along[k] = 1;
  s.model.mass_times({0, s.initial.q, along}, along, 1, p, w);
  EXPECT_NEAR(along.dot(p), 7800 * std::numbers::pi * 0.01, 1e-9);
  EXPECT_EQ(s.model.body_names(), (std::vector<std::string>{"b.node1", "b.node2", "b.node3"}));
}

TEST(BeamScenario, AnArcEndsWhereItShould) {
  const Scenario s = read_scenario(
      text("from: [0, 0, 0], to: [1, 1, 0], arc: pi/2, elements: 8, section: {circle: 0.1}", kSteel), "beam.yaml");
  const VectorXd& q = s.initial.q;
  EXPECT_LT((q.segment<3>(q.size() - 7) - Eigen::Vector3d(1, 1, 0)).norm(), 1e-15);
  // a quarter of the circle about (0, 1), which begins along x and ends along y
  for (Index k = 0; k < q.size(); k += 7) EXPECT_NEAR((q.segment<3>(k) - Eigen::Vector3d(0, 1, 0)).norm(), 1, 1e-15);
  EXPECT_NEAR(q[3], 1, 1e-15);
  EXPECT_NEAR(q[q.size() - 1], std::sqrt(0.5), 1e-15);
}

TEST(BeamScenario, Refusals) {
  EXPECT_THAT(refusal(text(kBeam, "      density: 1\n")), HasSubstr("needs `young`"));
  EXPECT_THAT(refusal(text("from: [0, 0, 0], to: [0, 0, 0], elements: 2, section: {circle: 0.1}", kSteel)),
              HasSubstr("no length"));
  EXPECT_THAT(
      refusal(text("from: [0, 0, 0], to: [1, 0, 0], up: [1, 0, 0], elements: 2, section: {circle: 0.1}", kSteel)),
      HasSubstr("along the beam"));
  EXPECT_THAT(refusal(text("from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {tube: [0.1, 0.2]}", kSteel)),
              HasSubstr("as wide as the tube"));
  EXPECT_THAT(refusal(text("from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {area: 1}", kSteel)),
              HasSubstr("needs `inertia`"));
  EXPECT_THAT(refusal(text("from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {circle: 1, torsion: 1}", kSteel)),
              HasSubstr("goes with `area`"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      clamp: middle\n")), HasSubstr("accepted: from, to"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      mass: consistent\n")), HasSubstr("accepted: lumped"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      material: linear\n")), HasSubstr("goes with solids"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      touch: all\n")), HasSubstr("nothing to touch"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      clamp: to\n      frames: {tip: {at: [1, 0, 0]}}\n")),
              HasSubstr("is clamped"));
  EXPECT_THAT(refusal(text("from: [0, 0, 0], to: [1, 0, 0], elements: 1, section: {circle: 0.1}",
                           std::string(kSteel) + "      clamp: [from, to]\n")),
              HasSubstr("all nodes are clamped"));
  EXPECT_THAT(
      refusal(text("from: [0, 0, 0], to: [1, 1, 0], elements: 2, section: {circle: 0.1}", kSteel, "  planar: xz\n")),
      HasSubstr("leaves the plane"));
  EXPECT_THAT(refusal(text(kBeam, std::string(kSteel) + "      poisson: 0.5\n")), HasSubstr("poisson"));
}

}  // namespace
}  // namespace ricochet::test::beam_scenario_test
