#include "ricochet/model/loops.hpp"

#include "support/loop_models.hpp"
#include "support/runs.hpp"

namespace ricochet::test {
namespace {

std::vector<Loop> loops_of(const LoopModel& m) {
  const Scenario s = read_scenario(m.text(), "test.yaml");
  return find_loops(s.model, s.initial, *s.initial.scales);
}

TEST(FindLoops, CountsWhatIsRedundantInEveryAttitude) {
  soak::Random random(5);
  for (const double axial : {1e-6, 1e-2, 1.0})
    for (LoopModel m : loop_models(axial)) {
      m.turn(attitude(random));
      const std::vector<Loop> loops = loops_of(m);
      ASSERT_EQ(loops.size(), 1) << m.name;
      EXPECT_EQ(loops[0].redundant, m.redundant) << m.name;
      EXPECT_EQ(loops[0].freedoms, m.freedoms) << m.name;
      EXPECT_GT(loops[0].least, 1e-3) << m.name;
    }
}

TEST(FindLoops, SaysHowFarJointsAreOutOfLine) {
  for (const double off : {1e-9, 1e-6}) {
    const Loop loop = loops_of(door(2, off, 0)).at(0);
    EXPECT_GT(loop.misfit * loop.size, 0.1 * off);
    EXPECT_LT(loop.misfit * loop.size, 2 * off);
  }
  EXPECT_LT(loops_of(door(2, 0, 0)).at(0).misfit, 1e-15);
  const Loop locked = loops_of(door(2, 1e-3, 0)).at(0);
  EXPECT_TRUE(locked.locked());
  EXPECT_EQ(locked.freedoms, 0);
}

TEST(FindLoops, TreesHaveNone) {
  LoopModel m = cranks(2, 0.01);
  m.joints.pop_back();
  m.joints.pop_back();
  EXPECT_TRUE(loops_of(m).empty());
}

TEST(FindLoops, BranchesAreNoPartOfThem) {
  LoopModel m = bricard(0.01);
  const std::vector<Loop> alone = loops_of(m);
  m.bar("tail", {1, 0.5, 0}, {1, 0.5, -1}, 0.01);
  m.hinge("l1", "tail", {1, 0.5, 0}, {0, 1, 0});
  const std::vector<Loop> loops = loops_of(m);
  ASSERT_EQ(loops.size(), 1);
  EXPECT_EQ(loops[0].rows(), alone[0].rows());
  EXPECT_EQ(loops[0].joints, alone[0].joints);
}

}  // namespace
}  // namespace ricochet::test
