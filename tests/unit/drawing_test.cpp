// The block `draw`, and the look that bodies have without it.
#include "ricochet/io/scenario/drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::drawing_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = DrawnShape::Kind;

const std::string kPendulum = R"(system:
  formulas:
    parameters: {l: 2}
    coordinates: [phi]
    kinetic: l^2*phi'^2/2
    contacts: {wall: {gap: l*sin(phi)}}
initial: {position: {phi: pi/6}}
simulation: {step: 1e-3, until: 1}
draw:
)";

const DrawnShape& shape(const Drawing& drawing, const std::string& name) {
  for (const DrawnShape& s : drawing.shapes)
    if (s.name == name) return s;
  throw std::runtime_error("no shape " + name);
}
Scenario pendulum(const std::string& draw) { return read_scenario(kPendulum + draw, "s.yaml"); }

TEST(Drawing, FormulasMoveWithCoordinatesAndTime) {
  const Scenario s = pendulum(R"(  hook: {point: [0, 0], ground: true}
  rod: {line: [[0, 0], [l*sin(phi), -l*cos(phi)]], width: l/50}
  bob: {circle: [l*sin(phi), -l*cos(phi)], radius: 0.1 + t}
  wall: {contact: [l*sin(phi), -l*cos(phi)], normal: [1, 0]}
)");
  const Drawing& d = *s.drawing;
  EXPECT_TRUE(d.planar);
  EXPECT_EQ(shape(d, "hook").first, -1);
  EXPECT_TRUE(shape(d, "hook").ground);
  EXPECT_DOUBLE_EQ(shape(d, "rod").width, 0.04);
  EXPECT_THAT(shape(d, "bob").values, ElementsAre(DoubleNear(1, 1e-15), DoubleNear(-std::sqrt(3), 1e-15), 0, 0.1, 0));
  std::vector<double> work;
  const double at[2] = {0, 3};  // phi, t
  const double* x = d.motion(at, work) + shape(d, "bob").first;
  EXPECT_THAT(std::vector<double>(x, x + 5), ElementsAre(0, -2, 0, 3.1, 0));
  // without a tangent it is to the right of the normal
  const double* c = d.motion(at, work) + shape(d, "wall").first;
  EXPECT_THAT(std::vector<double>(c + 3, c + 9), ElementsAre(1, 0, 0, 0, -1, 0));
}

TEST(Drawing, SaysWhatIsWrong) {
  const auto message = [](const std::string& draw) {
    try {
      pendulum("  a: " + draw + "\n");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message("{point: [x, 0]}"), HasSubstr("s.yaml:10:"));
  EXPECT_THAT(message("{point: [x, 0]}"), HasSubstr("'x'"));
  EXPECT_THAT(message("{point: [0, 0], circle: [0, 0]}"), HasSubstr("circle"));
  EXPECT_THAT(message("{point: [0]}"), HasSubstr("expected a point"));
  EXPECT_THAT(message("{line: [[0, 0]]}"), HasSubstr("two or more"));
  EXPECT_THAT(message("{spring: [[0, 0], [1, 0], [2, 0]]}"), HasSubstr("expected two points"));
  EXPECT_THAT(message("{box: [0, 0]}"), HasSubstr("needs `size`"));
  EXPECT_THAT(message("{contact: [0, 0], normal: [0, 1]}"), HasSubstr("unknown contact 'a'"));
  EXPECT_THAT(message("{point: [0, 0], on: crank}"), HasSubstr("body"));
  EXPECT_THAT(message("{point: [log(phi - pi), 0]}"), HasSubstr("finite"));
  EXPECT_THAT(message("{point: [0, 0], colour: red}"), HasSubstr("unknown key 'colour'"));
  EXPECT_EQ(message("{point: [0, 0]}"), "nothing");
}

TEST(Drawing, BodiesLookAsTheyAreDescribed) {
  const Scenario box = load_scenario("rigid-box");
  EXPECT_FALSE(box.drawing->planar);
  EXPECT_THAT(shape(*box.drawing, "box").values, ElementsAre(0, 0, 0, 0.1, 0.2, 0.3, 0));
  EXPECT_EQ(shape(*box.drawing, "box").body, 0);
  EXPECT_EQ(shape(*box.drawing, "plane").kind, Kind::plane);

  const Scenario crank = load_scenario("slider-crank-bodies");
  EXPECT_TRUE(crank.drawing->planar);
  // a box in the plane xz, given by two numbers
  EXPECT_THAT(shape(*crank.drawing, "slider").values, ElementsAre(0, 0, 0, 0.1, 0, 0.05, 0));
  EXPECT_EQ(shape(*crank.drawing, "bearing").kind, Kind::joint);
  // two sides of the slot, though four contacts name them
  const auto& shapes = crank.drawing->shapes;
  EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(), [](const DrawnShape& s) { return s.kind == Kind::plane; }), 2);
}

TEST(Drawing, BodiesWithoutAShapeAreDrawnBetweenTheirJoints) {
  const Scenario s = read_scenario(R"(system:
  planar: xz
  bodies:
    rod: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
    free: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [5, 0, 0]}
  joints:
    left: {revolute: [ground, rod], at: [0, 0, 0], clearance: 1e-3, pin: 0.05}
  forces:
    spring: {spring: [rod, free], at: [2, 0, 0], to: [5, 0, 0], stiffness: 1}
simulation: {step: 1e-3, until: 1}
)",
                                   "s.yaml");
  const Drawing& d = *s.drawing;
  EXPECT_THAT(shape(d, "rod").values, ElementsAre(-1, 0, 0, 1, 0, 0));
  EXPECT_EQ(shape(d, "spring").body, 0);
  EXPECT_EQ(shape(d, "spring").other, 1);
  const auto play = std::find_if(d.shapes.begin(), d.shapes.end(), [](const auto& x) { return x.kind == Kind::play; });
  ASSERT_NE(play, d.shapes.end());
  EXPECT_DOUBLE_EQ(play->values.back(), 1e-3);
}

}  // namespace
}  // namespace ricochet::drawing_test
