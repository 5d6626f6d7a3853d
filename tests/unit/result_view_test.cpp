// What the viewer's page is told of a result: events, units, arrows.
#include "ricochet/view/result_view.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "ricochet/io/result/recorder.hpp"

namespace ricochet::view {
namespace {

namespace fs = std::filesystem;

class ResultViewTest : public ::testing::Test {
 protected:
  ResultViewTest() : file_(fs::temp_directory_path() / ("ricochet-view-" + std::to_string(getpid()) + ".h5")) {}
  ~ResultViewTest() override { fs::remove(file_); }

  nlohmann::json shown(const Scenario& s) {
    {
      const auto scheme = make_scheme(s.scheme, s.options);
      RunState run = begin_run(s.model, *scheme, s.initial);
      Recorder recorder(file_, header_of(s), s.model, run, {});
      recorder.finish(run, ricochet::run(s.model, *scheme, run, s.policy, &recorder));
    }
    view_ = std::make_unique<ResultView>(file_);
    return nlohmann::json::parse(view_->description());
  }
  static int count(const nlohmann::json& about, const std::string& kind) {
    int out = 0;
    for (const int k : about["events"]["kind"]) out += about["events"]["names"][static_cast<std::size_t>(k)] == kind;
    return out;
  }
  /// Units of the curves by name.
  static std::map<std::string, std::string> units(const nlohmann::json& about) {
    std::map<std::string, std::string> out;
    for (const auto& curve : about["curves"]) out[curve["name"]] = curve["unit"];
    return out;
  }

  fs::path file_;
  std::unique_ptr<ResultView> view_;
};

// Friction in a joint and motors that come to their limit are no contacts: nothing is hit, and there is no gap.
TEST_F(ResultViewTest, FrictionIsNoImpact) {
  const char* const joints[] = {"prismatic: [ground, block], at: [0, 1, 0], axis: [1, 0, 0], friction: 0.3",
                                "revolute: [ground, block], at: [0, 0, 0], axis: [0, 1, 0], friction: 0.3, pin: 0.1",
                                "revolute: [ground, block], at: [0, 0, 0], axis: [0, 1, 0], speed: 3*sin(20*t), "
                                "torque: 3"};
  for (const char* joint : joints) {
    const nlohmann::json about = shown(read_scenario(std::string(R"(
system:
  bodies: {block: {mass: 2, inertia: [1, 1, 1], position: [0, 1, 0]}}
  joints: {rail: {)") + joint + R"(}}
  forces: {f: {load: block, at: [0, 1, 0], force: [8*sin(20*t), 0, 0]}}
simulation: {scheme: combined, step: 2e-3, until: 1}
)",
                                                     "test"));
    EXPECT_EQ(count(about, "impact"), 0) << joint;
    EXPECT_EQ(count(about, "opening"), 0) << joint;
    bool rubs = false;
    for (const auto& item : about["items"]) rubs = rubs || item["rubbing"].get<bool>();
    EXPECT_TRUE(rubs) << joint;
    for (const auto& [name, unit] : units(about)) EXPECT_FALSE(name.starts_with("gap.")) << name;
  }
}

TEST_F(ResultViewTest, AnglesAreInRadians) {
  const nlohmann::json about = shown(read_scenario(R"(
system:
  bodies:
    arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
    sledge: {mass: 1, inertia: [1, 1, 1], position: [0, 5, 0]}
  joints:
    hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], limits: [-0.5, 0.5], restitution: 0.5}
    rail: {prismatic: [ground, sledge], at: [0, 5, 0], axis: [0, 0, 1], limits: [-0.5, 0.5]}
simulation: {scheme: combined, step: 1e-3, until: 0.6}
)",
                                                   "test"));
  std::map<std::string, std::string> unit = units(about);
  EXPECT_EQ(unit["gap.hinge.lower"], "rad");
  EXPECT_EQ(unit["gap.hinge.upper"], "rad");
  EXPECT_EQ(unit["gap.rail.lower"], "m");
  EXPECT_EQ(unit["reaction.hinge.upper"], "N m");
  EXPECT_EQ(unit["reaction.rail.lower"], "N");
  EXPECT_EQ(unit["reaction.hinge"], "N");
  EXPECT_EQ(unit["reaction.hinge.2"], "N");
  EXPECT_EQ(unit["reaction.hinge.3"], "N m");
  for (const auto& item : about["items"])
    EXPECT_EQ(item["turns"].get<bool>(), item["name"].get<std::string>().starts_with("hinge.")) << item["name"];
  EXPECT_GT(count(about, "impact"), 0);
}

// Contacts without a name have events and arrows as well: one impact for each time that two bodies meet.
TEST_F(ResultViewTest, CollisionsHaveEventsAndArrows) {
  const nlohmann::json about = shown(read_scenario(R"(
system:
  collision: {restitution: 0.5}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
    box: {shapes: [{box: {size: [0.2, 0.2, 0.2]}, mass: 1}], position: [0, 0, 0.3]}
    ball: {shapes: [{sphere: {radius: 0.1}, mass: 1}], position: [1, 0, 0.3]}
simulation: {scheme: moreau-jean, step: 1.03e-3, until: 0.45}
)",
                                                   "test"));
  EXPECT_GT(about["largest_impulse"].get<double>(), 1);
  // Both fall 0.2 m in 0.202 s and rise for 0.101 s each time that they have come down: hits at 0.202 s and 0.404 s.
  EXPECT_EQ(count(about, "impact"), 4);
}

// What is drawn is the whole impulse: normal and friction, of every contact, whatever found it.
TEST_F(ResultViewTest, ArrowsAreWholeImpulses) {
  for (const char* name : {"pendulum-in-ring-faces", "box-on-incline", "slider-crank-step", "bearing-step"}) {
    const double step = load_scenario(name, {}).policy.step;
    const nlohmann::json about = shown(load_scenario(name, {fmt::format("simulation.until={}", 120 * step)}));
    const std::string bytes = view_->piece(0);
    std::uint32_t head[10];
    std::memcpy(head, bytes.data(), sizeof head);
    const std::size_t n = head[1], b = head[3], d = head[4], s = head[5], m = head[6];
    std::size_t at = sizeof head;
    const auto next = [&](std::size_t size) { return std::exchange(at, at + (size + 7) / 8 * 8); };
    next(8 * n), next(8 * n * s), next(8 * m), next(24 * m);
    const std::size_t impulses = next(24 * m);
    next(28 * n * b), next(4 * n * d), next(12 * m), next(12 * m);
    const std::size_t forces = next(12 * m);
    next(4 * (n + 1));
    const std::size_t items = next(4 * m);
    next(8 * m);
    const std::size_t states = next(4 * m);
    int loaded = 0;
    for (std::size_t c = 0; c < m; ++c) {
      double P[3];
      float force[3];
      std::int32_t item = 0, state = 0;
      std::memcpy(P, &bytes[impulses + 24 * c], sizeof P);
      std::memcpy(force, &bytes[forces + 12 * c], sizeof force);
      std::memcpy(&item, &bytes[items + 4 * c], 4);
      std::memcpy(&state, &bytes[states + 4 * c], 4);
      const double size = std::hypot(P[0], P[1], P[2]);
      if (state == kJointState || !(size > 0)) continue;
      if (item >= 0 && about["items"][static_cast<std::size_t>(item)]["rubbing"].get<bool>()) continue;
      ++loaded;
      EXPECT_NEAR(std::hypot(force[0], force[1], force[2]) / size, 1, 1e-5) << name << " contact " << c;
    }
    EXPECT_GT(loaded, 10) << name;
  }
}

}  // namespace
}  // namespace ricochet::view
