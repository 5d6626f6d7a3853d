// Parts as text: what is written is read back bit for bit, and what is wrong is told with its line.
#include "ricochet/io/cad/brep_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

using testing::HasSubstr;

// a half disc as a thin pin: faces of several kinds, an edge of each kind
const std::string kPart = R"(ricochet-brep 1
part thing   # a comment
solid 1.1 0 0 0.25 1 2 3 0.1 0.2 0.30000000000000004
vertex 1 0.1 0 0
vertex 2 -0.1 0 0
edge 1 0 3.141592653589793 1 2 circle 0 0 0 1 0 0 0 1 0 0 0 1 0.1
edge 2 -0.1 0.1 2 1 line 0 0 0 1 0 0
edge 3 0 1 0 0 ellipse 0 0 1 1 0 0 0 -1 0 0 0 1 0.2 0.1
edge 4 0 1 0 0 spline 2 3 1 0 0 0 1 1 1 0 0 0 1 1 0 0 0.7 1 1 0 1
face 1 bottom out plane 0 0 0 1 0 0 0 -1 0 0 0 -1
loop
side 1 - circle 0 0 1 0 0 -1 0.1
side 2 - line 0 0 1 0
face 2 side in cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.1
face 3 chamfer out cone 0 0 0 1 0 0 0 1 0 0 0 1 0.1 -0.7853981633974483
face 4 ball out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.1
face 5 ring out torus 0 0 0 1 0 0 0 1 0 0 0 1 0.3 0.1
face 6 wall out extrusion 0 0 1 spline 1 2 0 0 0 1 1 0 0 0 1 1 0
face 7 vase out revolution 0 0 0 0 0 1 line 1 0 0 0 0 1
face 8 sheet out spline 1 1 2 2 1 0 0 1 1 0 0 1 1 0 0 0 1 0 1 0 1 1 0 0 2 1 1 0 1
loop
side 4 + spline 1 2 0 0 0 1 1 0.1 0.2 0.3 0.4
end
)";

TEST(BrepText, IsReadBackAsItWasWritten) {
  const brep::Part part = parse_brep(kPart, "thing.brep");
  EXPECT_EQ(part.name, "thing");
  EXPECT_EQ(part.solid.inertia(0, 1), 0.30000000000000004);
  EXPECT_EQ(part.solid.inertia(1, 2), 0.1);
  ASSERT_EQ(part.faces.size(), 8U);
  ASSERT_EQ(part.edges.size(), 4U);
  EXPECT_EQ(part.edges[0].vertices[1], 1);
  EXPECT_TRUE(part.faces[1].reversed);
  EXPECT_EQ(part.faces[7].surface.weights[2], 2);
  EXPECT_EQ(part.faces[0].loops[0][1].edge, 1);
  const std::string text = brep_text(part);
  EXPECT_EQ(brep_text(parse_brep(text, "again")), text);
}

std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kPart;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    parse_brep(text, "thing.brep");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(BrepText, WrongInputIsToldWithItsLine) {
  EXPECT_THAT(complaint("ricochet-brep 1", "ISO-10303-21;"), HasSubstr("thing.brep:1: this is no part"));
  EXPECT_THAT(complaint("ricochet-brep 1", "ricochet-brep 2"), HasSubstr("version 2; accepted: 1 to 1"));
  EXPECT_THAT(complaint("vertex 1 0.1 0 0", "vertex 1 0.1 0"), HasSubstr("thing.brep:4: the line ends too early"));
  EXPECT_THAT(complaint("vertex 1 0.1", "vertex 1 0,1"), HasSubstr("expected a number, found '0,1'"));
  EXPECT_THAT(complaint("vertex 1 0.1", "vertex 1 nan"), HasSubstr("not finite"));
  EXPECT_THAT(complaint("vertex 2", "vertex 3"), HasSubstr("thing.brep:5: number 3; expected 2"));
  EXPECT_THAT(complaint("edge 1 0 3.14", "edge 1 4 3.14"), HasSubstr("accepted: upwards"));
  EXPECT_THAT(complaint("edge 2 -0.1 0.1 2 1", "edge 2 -0.1 0.1 2 7"), HasSubstr("vertex 7; accepted: 0 to 2"));
  EXPECT_THAT(complaint("plane 0 0 0 1 0 0", "plane 0 0 0 2 0 0"), HasSubstr("has length 2; accepted: 1"));
  EXPECT_THAT(complaint("plane 0 0 0 1 0 0 0 -1 0", "plane 0 0 0 1 0 0 1 0 0"), HasSubstr("right angles"));
  EXPECT_THAT(complaint("face 2 side in cyl", "face 2 side in Cyl"), HasSubstr("unknown surface 'Cylinder'"));
  EXPECT_THAT(complaint("face 2 side in", "face 2 side inside"), HasSubstr("accepted: out, in"));
  EXPECT_THAT(complaint("1 0.1 -0.785", "1 0.1 -1.785"), HasSubstr("thing.brep:15: a cone of radius"));
  EXPECT_THAT(complaint("spline 2 3 1 0 0 0 1", "spline 2 3 1 0 2 0 1"), HasSubstr("knots go back"));
  EXPECT_THAT(complaint("side 2 - line", "side 5 - line"), HasSubstr("edge 5; accepted: 1 to 4"));
  EXPECT_THAT(complaint("loop\nside 1", "side 1"), HasSubstr("a side belongs to a loop"));
  EXPECT_THAT(complaint("loop\nside 4", "loop\nloop\nside 4"), HasSubstr("has no side"));
  EXPECT_THAT(complaint("face 4 ball out", "end\nface 4 ball out"), HasSubstr("more behind the end"));
  EXPECT_THAT(complaint("\nend", "\n"), HasSubstr("without 'end'"));
}

}  // namespace
}  // namespace ricochet
