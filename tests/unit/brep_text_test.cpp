// Parts as text: what is written is read back bit for bit, and what is wrong is told with its line.
#include "ricochet/io/cad/brep_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ricochet/math/input_error.hpp"
#include "support/paths.hpp"

namespace ricochet::brep_text_test {
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

// a disc and a half one, a wall and two sheets: what is in it belongs together
const std::string kFitting = R"(ricochet-brep 1
vertex 1 0.1 0 0
vertex 2 -0.1 0 0
edge 1 0 3.141592653589793 1 2 circle 0 0 0 1 0 0 0 1 0 0 0 1 0.1
edge 2 0 1 1 2 spline 1 5 0 0 0 0.25 0.5 0.75 1 1 0.1 0 0 0.05 0 0 0 0 0 -0.05 0 0 -0.1 0 0
edge 3 0 6.283185307179586 0 0 circle 0 0 0.5 1 0 0 0 1 0 0 0 1 0.1
edge 4 -0.1 0.1 2 1 line 0 0 0 1 0 0
face 1 half out plane 0 0 0 1 0 0 0 1 0 0 0 1
loop
side 1 + circle 0 0 1 0 0 1 0.1
side 2 - spline 1 2 0 0 0 1 1 0.1 0 -0.1 0
face 2 wall in cylinder 0 0 0.5 1 0 0 0 1 0 0 0 1 0.1
loop
side 3 + line 0 0 1 0
face 3 band out extrusion 0 0 1 line 0 0 0 1 0 0
face 4 vase out revolution 0 0 0 0 0 1 line 1 0 0 0 0 1
face 5 sheet out spline 1 1 2 2 0 0 0 1 1 0 0 1 1 0 0 0 0 1 0 1 0 0 1 1 0
loop
side 4 + line 0 0 1 0
side 2 + line 0.1 0 -0.2 0
end
)";

TEST(BrepText, IsReadBackAsItWasWritten) {
  const brep::Part part = parse_brep(kPart, "thing.brep", BrepFit::any);
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
  EXPECT_EQ(brep_text(parse_brep(text, "again", BrepFit::any)), text);
}

std::string complaint(const std::string& from, const std::string& to, BrepFit fit = BrepFit::any) {
  std::string text = fit == BrepFit::any ? kPart : kFitting;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    parse_brep(text, "thing.brep", fit);
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

TEST(BrepText, PiecesThatDoNotFitAreTold) {
  EXPECT_EQ(complaint("end", "end", BrepFit::checked), "nothing");
  const auto told = [](const char* from, const char* to) { return complaint(from, to, BrepFit::checked); };
  EXPECT_THAT(told("vertex 2 -0.1", "vertex 2 -0.11"),
              HasSubstr("thing.brep:4: the edge ends at (-0.1, 1.22465e-17, 0), 0.01 from its vertex 2; accepted"));
  EXPECT_THAT(told("edge 4 -0.1 0.1 2 1", "edge 4 -0.1 0.1 0 0"),
              HasSubstr("thing.brep:7: the edge begins at (-0.1, 0, 0) without a vertex; accepted: 0 of closed edges"));
  EXPECT_THAT(told("edge 4 -0.1 0.1 2 1", "edge 4 -0.1 0.1 2 0"),
              HasSubstr("thing.brep:7: the edge ends at (0.1, 0, 0)"));
  EXPECT_THAT(told("edge 2 0 1 1 2", "edge 2 0 1.5 1 2"),
              HasSubstr("from 0 to 1.5, beyond its knots; accepted: within 0"));
  EXPECT_THAT(told("edge 3 0 6.283", "edge 3 0 7.283"), HasSubstr("thing.brep:6: the edge goes from 0 to 7.2831853"));
  EXPECT_THAT(told("0.05 0 0 0 0 0 -0.05 0 0", "0.05 0 0 0 0.001 0 -0.05 0 0"),
              HasSubstr("thing.brep:11: the trace is at (0.0"));
  EXPECT_THAT(told("side 1 + circle 0 0 1 0 0 1 0.1", "side 1 + circle 0 0 1 0 0 1 0.05"),
              HasSubstr("thing.brep:10: the trace is at (0.05, 0, 0) on the face where its edge 1 is at (0.1, 0, 0), "
                        "0.05 apart; accepted: traces that lie on their edges"));
  EXPECT_THAT(told("side 2 - spline 1 2 0 0 0 1 1 0.1 0 -0.1 0", "side 2 - spline 1 2 0 0 0 0.9 0.9 0.1 0 -0.08 0"),
              HasSubstr("thing.brep:11: the trace goes from 0 to 1, beyond its knots"));
  EXPECT_THAT(told("side 3 + line 0 0 1 0", "side 3 + line 0 0.1 1 0"), HasSubstr("thing.brep:14: the trace is at"));
  EXPECT_THAT(told("side 3 + line 0 0 1 0", "side 3 + line 0 0 1 0\nside 3 + line 0 0 1 0"),
              HasSubstr("thing.brep:15: the side 3 + is in this face already; accepted: each once"));
  EXPECT_THAT(told("side 2 - spline", "side 2 + spline"),
              HasSubstr("thing.brep:10: the side ends at (-0.1, 1.22465e-17, 0), the next begins at (0.1, 0, 0)"));
  EXPECT_THAT(told("side 2 - spline 1 2 0 0 0 1 1 0.1 0 -0.1 0\n", ""),
              HasSubstr("thing.brep:10: the side ends at (-0.1, 1.22465e-17, 0), the loop began at (0.1, 0, 0)"));
  EXPECT_THAT(told("line 0 0 0 1 0 0\nface 4", "line 0 0 0 0 0 1\nface 4"),
              HasSubstr("thing.brep:15: the surface has no extent"));
  EXPECT_THAT(told("line 1 0 0 0 0 1", "line 0 0 1 0 0 1"), HasSubstr("thing.brep:16: the surface has no extent"));
  EXPECT_THAT(told("0 0 0 0 1 0 1 0 0 1 1 0\n", "1 1 0 1 1 0 1 1 0 1 1 0\n"), HasSubstr("thing.brep:17: the surface"));
  EXPECT_THAT(told("edge 2 0 1 1 2 spline 1 5 0 0 0 0.25 0.5 0.75 1 1 0.1 0 0 0.05 0 0 0 0 0 -0.05 0 0 -0.1 0 0",
                   "edge 2 0 1 1 1 spline 1 2 0 0 0 1 1 0.1 0 0 0.1 0 0"),
              HasSubstr("thing.brep:5: the edge has no length"));
}

TEST(BrepText, ShippedPartsFit) {
  int all = 0;
  for (const char* folder : {"/scenarios", "/scenarios/parts"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(RICOCHET_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".brep") {
        EXPECT_NO_THROW(read_brep(entry.path().string())) << entry.path();
        ++all;
      }
  EXPECT_GT(all, 20);
}

}  // namespace
}  // namespace ricochet::brep_text_test
