// Parts of the smaller machines. Where a contact of the planar scenario has a corner, here stands a ball with its
// centre at the corner, and the face that it meets lies back by the ball's radius: the gap is the same function.
#include <BRepPrimAPI_MakeSphere.hxx>
#include <cmath>
#include <gp.hxx>
#include <numbers>

#include "parts.hpp"

namespace ricochet::cad {
namespace {

constexpr double pi = std::numbers::pi;

gp_Trsf along(double x, double y, double z) {
  gp_Trsf out;
  out.SetTranslation(gp_Vec(x, y, z));
  return out;
}

TopoDS_Shape ball(gp_Pnt at, double radius) { return BRepPrimAPI_MakeSphere(at, radius).Shape(); }

/// Along x from the eye, whose bore lies across.
Part rod(const std::string& name, double play) {
  const TopoDS_Shape eye = cylinder(gp_Pnt(0, -15, 0), gp::DY(), 11 + play, 30);
  const TopoDS_Shape shank = cylinder(gp_Pnt(0, 0, 0), gp::DX(), 4, 306);
  const TopoDS_Shape bore = hole({.axis = gp::DY(), .half = 15, .radius = 5 + play, .chamfer = 1});
  const double r = 5 + play;
  return {name,
          cut(fused({eye, shank}), {bore}),
          {{"bore", gp_Pnt(-r, 0, 0)},
           {"chamfer+", gp_Pnt(-r - 0.5, 14.5, 0)},
           {"chamfer-", gp_Pnt(-r - 0.5, -14.5, 0)},
           {"eye+", gp_Pnt(-r - 2, 15, 0)},
           {"eye-", gp_Pnt(-r - 2, -15, 0)}}};
}

/// The pin has a land of 20 mm between necks, held by two cheeks.
Part crank() {
  const double l = 153;
  std::vector<TopoDS_Shape> all;
  for (const int side : {1, -1}) {
    const double inner = 15.2 * side, outer = 19.2 * side;
    all.push_back(box(gp_Pnt(0, std::min(inner, outer), -6), gp_Pnt(l, std::max(inner, outer), 6)));
    all.push_back(cylinder(gp_Pnt(l, std::min(inner, outer), 0), gp::DY(), 8, 4));
  }
  all.push_back(cylinder(gp_Pnt(l, -16, 0), gp::DY(), 4, 32));
  all.push_back(cylinder(gp_Pnt(l, -10, 0), gp::DY(), 5, 20));
  all.push_back(cylinder(gp_Pnt(0, -19.2, 0), gp::DY(), 6, 38.4));
  return {"crank",
          fused(all),
          {{"pin", gp_Pnt(l + 5, 0, 0)},
           {"land+", gp_Pnt(l + 4.5, 10, 0)},
           {"land-", gp_Pnt(l + 4.5, -10, 0)},
           {"cheek+", gp_Pnt(l + 7, 15.2, 0)},
           {"cheek-", gp_Pnt(l + 7, -15.2, 0)}}};
}

constexpr double kShoe = 2;  // radius of the balls at the slider's corners

// Balls stand on sticks along their own axis: a hole at the side of a sphere, across its seam, is not read back by the
// library as it was written.
Part slider() {
  std::vector<TopoDS_Shape> all{box(gp_Pnt(-54, -15, -20), gp_Pnt(54, 15, 20))};
  std::vector<Part::Named> names;
  for (const int x : {-1, 1})
    for (const int z : {-1, 1}) {
      all.push_back(cylinder(gp_Pnt(50 * x, 0, 18 * z), gp_Dir(0, 0, z), 1.2, 7));
      all.push_back(ball(gp_Pnt(50 * x, 0, 25 * z), kShoe));
      names.push_back(
          {std::string(z < 0 ? "lower" : "upper") + (x < 0 ? "_left" : "_right"), gp_Pnt(50 * x + kShoe, 0, 25 * z)});
    }
  return {"slider", fused(all), names};
}

/// A channel: the slider's balls run between its faces.
Part guide() {
  const double half = 25 + 1 + kShoe;
  const auto at = [](double y, double z) { return gp_Pnt(60, y, z); };
  Outline section(at(-25, -half - 10));
  section.line(at(30, -half - 10)).line(at(30, half + 10)).line(at(-25, half + 10)).line(at(-25, half));
  section.line(at(25, half)).line(at(25, -half)).line(at(-25, -half));
  return {"guide",
          extruded(section, gp_Vec(500, 0, 0)),
          {{"lower", gp_Pnt(300, 0, -half)}, {"upper", gp_Pnt(300, 0, half)}}};
}

Part bush() {
  return {"bush",
          cut(cylinder(gp_Pnt(0, 0, -15), gp::DZ(), 12, 30), {hole({.half = 15, .radius = 5.5, .chamfer = 1})}),
          {{"bore", gp_Pnt(5.5, 0, 0)},
           {"chamfer+", gp_Pnt(6, 0, 14.5)},
           {"chamfer-", gp_Pnt(6, 0, -14.5)},
           {"end+", gp_Pnt(9, 0, 15)},
           {"end-", gp_Pnt(9, 0, -15)}}};
}

Part pin() {
  const auto at = [](double r, double z) { return gp_Pnt(r, 0, z); };
  // collar, neck, land, neck, collar
  Outline section(at(0, -19.2));
  section.line(at(9, -19.2)).line(at(9, -15.2)).line(at(4, -15.2)).line(at(4, -10)).line(at(5, -10)).line(at(5, 10));
  section.line(at(4, 10)).line(at(4, 15.2)).line(at(9, 15.2)).line(at(9, 19.2)).line(at(0, 19.2));
  return {"pin",
          revolved(section, gp::OZ()),
          {{"land", at(5, 0)},
           {"land+", at(4.5, 10)},
           {"land-", at(4.5, -10)},
           {"collar+", at(8, 15.2)},
           {"collar-", at(8, -15.2)}}};
}

constexpr double kTip = 5;  // radius of the pendulum's ball

Part ring() {
  const auto at = [](double r, double y) { return gp_Pnt(r, y, 0); };
  const double inside = 1000 + kTip;
  Outline section(at(inside, -10));
  section.line(at(inside + 2, -10)).line(at(inside + 2, 10)).line(at(inside, 10));
  return {"ring",
          revolved(section, gp::OY()),
          {{"inside", at(inside, 0)},
           {"outside", at(inside + 2, 0)},
           {"side+", at(inside + 1, 10)},
           {"side-", at(inside + 1, -10)}}};
}

/// Its middle at the origin; the ball's centre is the upper end.
Part pendulum() {
  const double half = 500 * std::sqrt(12. / 5);
  const TopoDS_Shape shank = cylinder(gp_Pnt(0, 0, -half), gp::DZ(), 3, 2 * half);
  return {"pendulum", fused({shank, ball(gp_Pnt(0, 0, half), kTip)}), {{"tip", gp_Pnt(0, 0, half + kTip)}}};
}

/// The profile 40 + 5 cos(2 (a - pi/2)), as a cubic spline through points of it.
Part cam() {
  std::vector<gp_Pnt> points;
  const int n = 48;
  for (int i = 0; i < n; ++i) {
    const double a = 2 * pi * i / n, r = 40 + 5 * std::cos(2 * (a - pi / 2));
    points.emplace_back(r * std::cos(a), -8, r * std::sin(a));
  }
  return {"cam",
          spline_prism(points, gp_Vec(0, 16, 0)),
          {{"profile", gp_Pnt(35, 0, 0)}, {"side+", gp_Pnt(0, 8, 0)}, {"side-", gp_Pnt(0, -8, 0)}}};
}

/// A tyre: it touches the cam at one point, however it tilts.
Part roller() {
  const auto at = [](double r, double y) { return gp_Pnt(r, y, 0); };
  const double hub = 12 - std::sqrt(5.);  // where the tyre of radius 3 is 4 thick
  Outline section(at(0, -2));
  section.line(at(hub, -2)).arc(at(15, 0), at(hub, 2)).line(at(0, 2));
  return {"roller", revolved(section, gp::OY()), {{"tread", at(15, 0)}, {"side+", at(5, 2)}, {"side-", at(5, -2)}}};
}

}  // namespace

std::vector<Part> pin_and_bush() { return {pin(), bush()}; }

std::vector<Part> slider_crank() { return {crank(), rod("rod", 0.5), rod("rod-loose", 5), slider(), guide()}; }

std::vector<Placed> slider_crank_assembly() {
  return {{crank()}, {rod("rod", 0.5), along(153, 0, 0)}, {slider(), along(459, 0, 0)}, {guide()}};
}

std::vector<Part> ring_and_pendulum() { return {ring(), pendulum()}; }

std::vector<Part> cam_and_roller() { return {cam(), roller()}; }

}  // namespace ricochet::cad
