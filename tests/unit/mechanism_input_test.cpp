// Mechanisms that contradict themselves, told with their place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::mechanism_input_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Two wheels on one axle each, and what else joins them; the first joint stands in line 7.
std::string wheels(const std::string& joints, double first = 0, double second = 0,
                   const std::string& initial = "assemble: false") {
  const auto wheel = [](double w) {
    return "{mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, " + std::to_string(w) + "]}\n";
  };
  return "name: wheels\nsystem:\n  bodies:\n    a: " + wheel(first) + "    b: " + wheel(second) + "  joints:\n" +
         joints + "initial: {" + initial + "}\nsimulation: {scheme: combined, step: 1e-2, until: 2}\n";
}

TEST(MechanismInput, MotorsWithDifferentSpeedsAreRefused) {
  const std::string one = "    left: {revolute: [ground, a], speed: 5}\n";
  const auto other = [&](const std::string& speed) {
    return one + "    right: {revolute: [ground, a], speed: " + speed + "}\n    axle: {revolute: [ground, b]}\n";
  };
  EXPECT_THAT(message_of(wheels(other("6"), 5)),
              AllOf(StartsWith("test.yaml:8:"), HasSubstr("'left.drive' and 'right.drive'"),
                    HasSubstr("different targets"), HasSubstr("rates"), HasSubstr("accepted: one of them")));
  EXPECT_EQ(message_of(wheels(other("5"), 5)), "accepted");
  EXPECT_EQ(message_of(wheels(other("2 + 3"), 5)), "accepted");
  // later they part
  EXPECT_THAT(message_of(wheels(other("5 + t^2"), 5)), HasSubstr("'left.drive' and 'right.drive'"));
  // closing joints does not hide it
  EXPECT_THAT(message_of(wheels(other("6"), 0, 0, "assemble: true")), HasSubstr("'left.drive' and 'right.drive'"));
  EXPECT_EQ(message_of(wheels(other("5"), 0, 0, "assemble: true")), "accepted");
}

TEST(MechanismInput, MotorsWithDifferentAnglesAreRefused) {
  const auto drives = [](const std::string& one, const std::string& two) {
    return "    left: {revolute: [ground, a], drive: " + one + "}\n    right: {revolute: [ground, a], drive: " + two +
           "}\n    axle: {revolute: [ground, b]}\n";
  };
  EXPECT_THAT(
      message_of(wheels(drives("t^2", "2*t^2"))),
      AllOf(StartsWith("test.yaml:8:"), HasSubstr("'left.drive' and 'right.drive'"), HasSubstr("accelerations")));
  EXPECT_THAT(message_of(wheels(drives("t - sin(t)", "t^3/6"))), HasSubstr("rates cannot both be kept at t = 0.125"));
  EXPECT_EQ(message_of(wheels(drives("t^2", "t*t"))), "accepted");
}

TEST(MechanismInput, AMotorAgainstAJointThatHolds) {
  const std::string motor = "    left: {revolute: [ground, a], drive: t^2}\n    axle: {revolute: [ground, b]}\n";
  EXPECT_THAT(message_of(wheels(motor + "    weld: {fixed: [ground, a]}\n")),
              AllOf(StartsWith("test.yaml:9:"), HasSubstr("'left.drive' and 'weld'")));
  EXPECT_THAT(message_of(wheels(motor + "    rod: {formula: 0*t}\n")), Not(HasSubstr("different targets")));
}

TEST(MechanismInput, MotorsOnBothSidesOfAGear) {
  const auto geared = [](const std::string& speed) {
    return "    left: {revolute: [ground, a], speed: 4}\n    right: {revolute: [ground, b], speed: " + speed +
           "}\n    teeth: {gear: [left, right], ratio: 2}\n";
  };
  EXPECT_THAT(message_of(wheels(geared("7"), 4, 7)),
              AllOf(StartsWith("test.yaml:8:"), HasSubstr("'left.drive' and 'right.drive'")));
  EXPECT_EQ(message_of(wheels(geared("8"), 4, 8)), "accepted");
}

// Two motors on the cranks of a parallelogram agree if they turn alike.
TEST(MechanismInput, MotorsOnBothCranksOfAParallelogram) {
  const auto linkage = [](const std::string& speed) {
    return "name: parallelogram\nsystem:\n  planar: xz\n  bodies:\n    left: {mass: 1, inertia: 1, position: [0, 0, "
           "0.5], velocity: [1, 0, 0], angular_velocity: [0, 2, 0]}\n    right: {mass: 1, inertia: 1, position: [2, 0, "
           "0.5], velocity: [1, 0, 0], angular_velocity: [0, 2, 0]}\n    bar: {mass: 1, inertia: 1, position: [1, 0, "
           "1], velocity: [2, 0, 0]}\n  joints:\n    a: {revolute: [ground, left], axis: [0, 1, 0], speed: 2}\n    b: "
           "{revolute: [ground, right], at: [2, 0, 0], axis: [0, 1, 0], speed: " +
           speed +
           "}\n    c: {revolute: [left, bar], at: [0, 0, 1]}\n    d: {revolute: [right, bar], at: [2, 0, 1]}\n"
           "simulation: {scheme: combined, step: 1e-2, until: 2}\n";
  };
  EXPECT_EQ(message_of(linkage("2")), "accepted");
  EXPECT_THAT(message_of(linkage("3")), HasSubstr("'a.drive' and 'b.drive'"));
}

TEST(MechanismInput, WhatElseCannotBeIsToldAtItsPlace) {
  EXPECT_THAT(message_of(wheels("    pin: {revolute: [ground, a], first: {at: [0, 0, 1]}, second: {}}\n")),
              AllOf(StartsWith("test.yaml:7:"), HasSubstr("'pin'"), HasSubstr("open by -1")));
  EXPECT_THAT(message_of(wheels("    pin: {revolute: [ground, a], first: {at: [0, 0, 1]}, second: {}}\n    "
                                "other: {revolute: [ground, a], first: {at: [0, 0, 3]}, second: {}}\n",
                                0, 0, "assemble: true")),
              AllOf(StartsWith("test.yaml:"), HasSubstr("cannot be closed"), HasSubstr("1 remains at")));
  EXPECT_THAT(message_of(wheels("    pin: {revolute: [ground, a]}\n    pin: {revolute: [ground, b]}\n")),
              AllOf(StartsWith("test.yaml:8:"), HasSubstr("pin")));
  EXPECT_THAT(message_of(wheels("    a.drive: {revolute: [ground, b]}\n    a: {revolute: [ground, a], speed: 0}\n")),
              AllOf(StartsWith("test.yaml:"), HasSubstr("a.drive")));
  EXPECT_THAT(message_of(wheels("    pin: {revolute: [ground, c]}\n")),
              AllOf(StartsWith("test.yaml:7:"), HasSubstr("'c'")));
  EXPECT_THAT(message_of(wheels("    pin: {cylindrical: [ground, a], friction: 0.1}\n")),
              AllOf(StartsWith("test.yaml:7:"), HasSubstr("needs `pin`")));
}

}  // namespace
}  // namespace ricochet::test::mechanism_input_test
