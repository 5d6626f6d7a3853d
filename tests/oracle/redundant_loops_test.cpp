// Loops of joints that hold some motions more than once: in every attitude, anywhere, of any size, on every scheme that
// puts impulses elsewhere than on the loop.
#include "support/loop_models.hpp"
#include "support/runs.hpp"

namespace ricochet::test {
namespace {

struct Outcome {
  bool finished = false;
  double gap = 0, loss = 0, gain = 0;  ///< of the scale; of what is at stake
  int retries = 0;
};

Outcome judge(const LoopModel& m, const std::string& scheme, double h, double until) {
  const Scenario s =
      read_scenario(m.text(), "test.yaml",
                    {"simulation.scheme=" + scheme, set("simulation.step", h), set("simulation.until", until)});
  const Trajectory run = simulate(s);
  Outcome out;
  out.finished = run.result.status == RunStatus::finished;
  out.retries = static_cast<int>(run.end.summary.retries);
  out.gap = run.end.summary.certificate.joint_position / s.initial.scales->length;
  double least = 0, most = 0, kinetic = 0;
  const double first = run.rows.front().energy;
  for (const Row& r : run.rows) {
    least = std::min(least, r.energy - first), most = std::max(most, r.energy - first);
    kinetic = std::max(kinetic, r.ledger.kinetic);
  }
  out.loss = -least / kinetic, out.gain = most / kinetic;
  return out;
}

class Loops : public testing::TestWithParam<const char*> {};

// Nothing but its ideal joints acts: the energy stays, within the order of the scheme.
TEST_P(Loops, RunInEveryAttitude) {
  soak::Random random(1);
  for (const double axial : {1e-3, 1e-6}) {
    for (const LoopModel& model : loop_models(axial)) {
      for (int k = 0; k < 3; ++k) {
        LoopModel m = model;
        if (k > 0) m.turn(attitude(random));
        const Outcome o = judge(m, GetParam(), 5e-3, 1);
        EXPECT_TRUE(o.finished) << m.name << ' ' << k;
        EXPECT_LE(o.loss, 2e-2) << m.name << ' ' << k;
        EXPECT_LE(o.gain, 2e-2) << m.name << ' ' << k;
        if (std::string(GetParam()) != "moreau-jean") {
          EXPECT_LE(o.gap, 1e-5) << m.name << ' ' << k;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Loops,
                         testing::Values("auto", "moreau-jean", "moreau-jean-midpoint", "projected", "nonsmooth-alpha",
                                         "decoupled-alpha", "generalized-alpha", "event-driven"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ricochet::test
