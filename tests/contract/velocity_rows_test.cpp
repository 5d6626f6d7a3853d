// Rows without a position and rolling contacts on every scheme of the table: those that declare to take them come to
// rest in time and stay there, the others are refused. And what verify says of them.
#include <gtest/gtest.h>

#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"

namespace ricochet::test::velocity_rows_test {
namespace {

const std::string kRail =
    "name: rail\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
    "    b: {mass: 2, inertia: [0.5, 0.6, 0.7], velocity: [1, 0, 0]}\n"
    "  joints:\n    j: {prismatic: [ground, b], axis: [1, 0, 0], friction: 0.3}\n"
    "simulation: {scheme: combined, step: 3e-3, until: 0.5}\n";
const std::string kBall =
    "name: ball\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
    "    b: {mass: 2, inertia: [8e-3, 8e-3, 8e-3], position: [0, 0, 0.1], velocity: [0.3, 0, 0], angular_velocity: [0, "
    "3, 1]}\n"
    "  contacts:\n    j: {on_plane: [ground, b], to: [0, 0, 0.1], tip: 0.1, friction: 0.5, rolling: 2e-2, spinning: "
    "1e-2}\n"
    "simulation: {scheme: combined, step: 3e-3, until: 0.5}\n";

void expect_as_declared(const std::string& text, bool SchemeInfo::*takes) {
  for (const SchemeEntry& entry : schemes()) {
    const std::string& scheme = entry.info.name;
    const std::vector<std::string> overrides{"simulation.scheme=" + scheme};
    if (!(entry.info.*takes)) {
      EXPECT_THROW(read_scenario(text, "test.yaml", overrides), InputError) << scheme;
      continue;
    }
    const Trajectory run = simulate(read_scenario(text, "test.yaml", overrides));
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme << " " << name(run.result.failure.status);
    EXPECT_LT(run.rows.back().v.norm(), 1e-11) << scheme;
    EXPECT_LT(run.end.summary.certificate.complementarity, 1e-10) << scheme;
    EXPECT_LT(run.end.summary.certificate.energy_defect, 1e-9) << scheme;
  }
}

TEST(VelocityRows, AsEverySchemeDeclares) { expect_as_declared(kRail, &SchemeInfo::velocity_rows); }
TEST(RollingContacts, AsEverySchemeDeclares) { expect_as_declared(kBall, &SchemeInfo::rolling); }

}  // namespace
}  // namespace ricochet::test::velocity_rows_test
