// Parts of the circuit breaker, each in the axes of the closed position with its origin at the planar centre of mass
// and z = 0 at the middle plane. Pins have a land of 6 mm between necks, held by cheeks; eyes between the cheeks have
// 50 um of axial play. Balls stand for the points and round noses of the planar model, two of them where a line would
// touch: their centres are the planar ones, and the faces that they meet lie back by their radii.
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <cmath>
#include <gp.hxx>
#include <gp_Ax2.hxx>
#include <numbers>

#include "parts.hpp"

namespace ricochet::cad {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double kPin = 1, kNeck = 0.8, kEye = 2, kChamfer = 0.2;
constexpr double kLand = 3;  // half its length
constexpr double kEnd = 4;   // eyes end here
constexpr double kCheek = 4.05, kOutside = 5.05;
constexpr double kTube = 5.3;  // the eye of the plate on the case ends beyond its cheeks

TopoDS_Shape ball(double x, double y, double z, double radius) {
  return BRepPrimAPI_MakeSphere(gp_Pnt(x, y, z), radius).Shape();
}

TopoDS_Shape disc(double x, double y, double radius, double low, double high) {
  return cylinder(gp_Pnt(x, y, low), gp::DZ(), radius, high - low);
}

/// A strip with round ends between two points, from z = low to high.
TopoDS_Shape link(gp_Pnt a, gp_Pnt b, double half_width, double low, double high) {
  const gp_Vec u = gp_Vec(a, b).Normalized() * half_width, n(-u.Y(), u.X(), 0);
  const auto at = [&](gp_Pnt p, const gp_Vec& by) { return gp_Pnt(p.X() + by.X(), p.Y() + by.Y(), low); };
  Outline outline(at(a, n));
  outline.arc(at(a, -u), at(a, -n)).line(at(b, -n)).arc(at(b, u), at(b, n));
  return extruded(outline, gp_Vec(0, 0, high - low));
}

/// A pin between cheeks that reach into them.
std::vector<TopoDS_Shape> pin(double x, double y) {
  return {disc(x, y, kNeck, -kCheek - 0.5, kCheek + 0.5), disc(x, y, kPin, -kLand, kLand)};
}

TopoDS_Shape bore(double x, double y, double end, double radius) {
  return hole({.at = gp_Pnt(x, y, 0), .half = end, .radius = radius, .chamfer = kChamfer});
}

std::vector<Part::Named> pin_names(const std::string& name, double x, double y) {
  return {{"pin_" + name, gp_Pnt(x + kPin, y, 0)},
          {"land_" + name + "+", gp_Pnt(x + 0.9, y, kLand)},
          {"land_" + name + "-", gp_Pnt(x + 0.9, y, -kLand)}};
}

std::vector<Part::Named> bush_names(const std::string& name, double x, double y, double end, double r) {
  return {{"bush_" + name, gp_Pnt(x + r, y, 0)},
          {"chamfer_" + name + "+", gp_Pnt(x + r + kChamfer / 2, y, end - kChamfer / 2)},
          {"chamfer_" + name + "-", gp_Pnt(x + r + kChamfer / 2, y, -end + kChamfer / 2)},
          {"end_" + name + "+", gp_Pnt(x + 1.6, y, end)},
          {"end_" + name + "-", gp_Pnt(x + 1.6, y, -end)}};
}

/// Collects solids and names, and puts the origin at the centre of mass.
class Maker {
 public:
  Maker(std::string name, double x, double y, double play) : name_(std::move(name)), x_(x), y_(y), bush_(kPin + play) {}
  Maker& add(TopoDS_Shape shape) {
    solids_.push_back(std::move(shape));
    return *this;
  }
  Maker& name(std::string name, double x, double y, double z) {
    names_.push_back({std::move(name), gp_Pnt(x, y, z)});
    return *this;
  }
  Maker& add_pin(const std::string& name, double x, double y) {
    for (TopoDS_Shape& solid : pin(x, y)) add(std::move(solid));
    return append(pin_names(name, x, y));
  }
  Maker& add_eye(const std::string& name, double x, double y, double end = kEnd) {
    add(disc(x, y, kEye, -end, end));
    holes_.push_back(bore(x, y, end, bush_));
    return append(bush_names(name, x, y, end, bush_));
  }
  /// A ball on a thinner stick along z.
  Maker& add_ball(const std::string& ball_name, double x, double y, double z, double radius) {
    add(ball(x, y, z, radius));
    return name(ball_name, x, y - radius, z);
  }
  Part make() {
    gp_Trsf home;
    home.SetTranslation(gp_Vec(-x_, -y_, 0));
    TopoDS_Shape all = solids_.size() > 1 ? fused(solids_) : solids_.front();
    if (!holes_.empty()) all = cut(all, holes_);
    for (Part::Named& named : names_) named.at.Transform(home);
    return {name_, moved(all, home), names_};
  }

 private:
  Maker& append(const std::vector<Part::Named>& names) {
    names_.insert(names_.end(), names.begin(), names.end());
    return *this;
  }

  std::string name_;
  double x_, y_, bush_;
  std::vector<TopoDS_Shape> solids_, holes_;
  std::vector<Part::Named> names_;
};

Part handle(double play) {
  const double bx = -23.2 + 6, by = 20;  // at angle 0
  return Maker("handle", -23.2, 20, play)
      .add(link({-23.2, 20, 0}, {bx, by, 0}, 1.5, -2, 2))
      .add(link({-23.2, 20, 0}, {-24.2, 30, 0}, 1.5, -2, 2))
      .add(disc(-23.2, 20, 2.5, -5, 5))
      .add_eye("B", bx, by)
      .make();
}

Part rod(double play) {
  const double cx = -8.637, cy = 16.530, dx = 8.63700803, dy = -2.53023564;
  Maker rod("rod", cx, cy, play);
  rod.add(link({cx - dx, cy - dy, 0}, {cx + dx, cy + dy, 0}, 1.8, kCheek, kOutside));
  rod.add(disc(cx - dx, cy - dy, 1.8, -kOutside, -kCheek)).add(disc(cx + dx, cy + dy, 1.8, -kOutside, -kCheek));
  rod.add_pin("B", cx - dx, cy - dy).add_pin("C", cx + dx, cy + dy);
  rod.name("cheek+", cx, cy, kCheek);
  rod.name("cheek_B-", cx - dx + 1.4, cy - dy, -kCheek).name("cheek_C-", cx + dx + 1.4, cy + dy, -kCheek);
  return rod.make();
}

Part hook(double play) {
  constexpr double r = 0.3;
  Maker hook("hook", 4, 10.8, play);
  hook.add(link({0, 9, 0}, {0, 14, 0}, 1.9, -1, 1)).add(link({0, 11.5, 0}, {8.4, 11.6, 0}, 0.8, -1, 1));
  hook.add(disc(9, 11.3, 0.2, -1.5, 1.5)).add(box({8.4, 11.2, -0.8}, {9, 11.4, 0.8}));
  hook.add_ball("nose+", 9, 11.3, 1.5, r).add_ball("nose-", 9, 11.3, -1.5, r);
  return hook.add_eye("D", 0, 9).add_eye("C", 0, 14).make();
}

Part plate(double play) {
  constexpr double peg = 0.5, stop = 1;
  Maker plate("plate", 0, 4, play);
  for (const int side : {1, -1}) {
    const double low = side > 0 ? kCheek : -kOutside, high = low + (kOutside - kCheek);
    plate.add(link({0, -4, 0}, {0, 9, 0}, 2.2, low, high)).add(link({0, 0, 0}, {8, 3, 0}, 2.2, low, high));
    plate.add(link({0, 9, 0}, {-3, 10, 0}, 1, low, high));
    plate.add_ball(side > 0 ? "stop+" : "stop-", 8, 3, 5.8 * side, stop);
    plate.add(box({-4, -13.5, low}, {-1 - peg, -2, high})).add(box({-4, -4, low}, {0, -2, high}));
  }
  plate.add(box({-4, -13.5, -kOutside}, {-1 - peg, -10.5, kOutside}));
  plate.add_pin("D", 0, 9).add_pin("E", 8, 3).add_pin("G", 0, -4).add_eye("O", 0, 0, kTube);
  plate.name("peg", -1 - peg, -12, 0).name("cheek+", 4, 1.5, kCheek).name("cheek-", 4, 1.5, -kCheek);
  return plate.make();
}

/// The tip is a torus about an axis along y: in the middle plane the circle of the planar model. Made about the axis y
/// itself and turned to the left, for the library takes an arc on that side for any curve.
TopoDS_Shape tip() {
  constexpr double r = 1.5, R = 3, x = -6, y = -16;
  Outline section(gp_Pnt(R - 1, -r, 0));
  section.line({R, -r, 0}).arc({R + r, 0, 0}, {R, r, 0}).line({R - 1, r, 0});
  gp_Trsf turned, placed;
  turned.SetRotation(gp::OY(), pi - pi / 6);
  placed.SetTranslation(gp_Vec(x + R, y, 0));
  return moved(BRepPrimAPI_MakeRevol(section.face(), gp::OY(), pi / 3).Shape(), placed * turned);
}

Part arm(double play) {
  constexpr double peg = 0.5;
  Maker arm("arm", -3, -10, play);
  arm.add(link({0, -4, 0}, {0.3, -10, 0}, 1, -1.5, 1.5))
      .add(link({0.3, -10, 0}, {-4.4, -16, 0}, 1, -1.5, 1.5))
      .add(tip());
  arm.add(disc(-1, -12, 0.3, -2.5, 2.5)).add(link({0.3, -10, 0}, {-0.9, -12, 0}, 0.25, -2.3, 2.3));
  for (const int side : {1, -1}) {
    arm.add(ball(-1, -12, 2.5 * side, peg));
    arm.name(side > 0 ? "peg+" : "peg-", -1 - peg, -12, 2.5 * side);
  }
  return arm.name("tip", -7.5, -16, 0).add_eye("G", 0, -4).make();
}

/// Ledge, rounded corner and wall above the eye, and below it a tail whose end is a spline through points of an arc.
Part bar(double play) {
  constexpr double R = 8, corner = 0.1, x = 9, y = 3, wall = 9.35, tail = 0.5;
  const auto round = [&](double radius, double a) {
    return gp_Pnt(x + radius * std::cos(a), y + radius * std::sin(a), -2.2);
  };
  const double end = pi / 2 + 0.0625, right = std::acos((wall - x) / R);
  const gp_Pnt c = round(R - corner, end);
  const auto about_corner = [&](double a) {
    return gp_Pnt(c.X() + corner * std::cos(a), c.Y() + corner * std::sin(a), -2.2);
  };
  // The flank, along which the nose comes back to the ledge, is that of the sector grown by the corner's radius.
  const double left = end + pi / 2;
  const auto flank = [&](double radius) {
    return gp_Pnt(round(radius, end).Translated({corner * std::cos(left), corner * std::sin(left), 0}));
  };
  Outline head(about_corner(left));
  head.arc(about_corner((end + left) / 2), about_corner(end)).arc(round(R, (end + right) / 2), round(R, right));
  head.line({wall, 12.5, -2.2}).line({10.6, 12.5, -2.2}).line({10.6, 3, -2.2}).line(flank(0));
  std::vector<gp_Pnt> arc;
  for (int i = 1; i <= 12; ++i) {
    const double a = -pi + pi * i / 12;
    arc.emplace_back(8 + tail * std::cos(a), -4 + tail * std::sin(a), -1.5);
  }
  Outline foot(gp_Pnt(8 - tail, -4, -1.5));
  foot.spline(arc).line({8 + tail, 2, -1.5}).line({8 - tail, 2, -1.5});
  Maker bar("bar", 8, 4, play);
  bar.add(extruded(head, gp_Vec(0, 0, 4.4))).add(extruded(foot, gp_Vec(0, 0, 3)));
  const gp_Pnt ledge = round(R, pi / 2), rounding = about_corner((end + left) / 2), side = flank(5);
  bar.name("ledge", ledge.X(), ledge.Y(), 0).name("corner", rounding.X(), rounding.Y(), 0).name("wall", wall, 12, 0);
  bar.name("flank", side.X(), side.Y(), 0);
  return bar.name("tail", 8, -4 - tail, 0).add_eye("E", 8, 3).make();
}

Part plunger(double play) {
  return Maker("plunger", 10, -4, play)
      .add(cylinder(gp_Pnt(14, -4, 0), gp::DX(), 2, 8))
      .add(BRepPrimAPI_MakeSphere(gp_Ax2(gp_Pnt(14, -4, 0), gp::DX()), 4).Shape())
      .name("face", 10, -4, 0)
      .make();
}

Part case_part(double play) {
  constexpr double stop = 1, height = 5.55523900896 + stop, pad = -6.66;
  Maker part("case", 0, 0, play);
  part.add(box({-12, -22, -8}, {16, 12, -7}));
  part.add(disc(0, 0, 2, -7.5, -kTube - 0.05)).add(disc(0, 0, 2, kTube + 0.05, 6.5));
  part.add(disc(0, 0, kNeck, -6, 6)).add(disc(0, 0, kPin, -kLand, kLand));
  part.add(box({pad - 2, -20, -7.5}, {pad, -12, 4}));
  part.add(box({12, height, -7.5}, {14, height + 2, 8})).add(box({4, height, -7.5}, {13, height + 2, -5.1}));
  part.add(box({4, height, 5.1}, {13, height + 2, 8}));
  part.name("pin_O", kPin, 0, 0).name("land_O+", 0.9, 0, kLand).name("land_O-", 0.9, 0, -kLand);
  part.name("boss+", 1.5, 0, kTube + 0.05).name("boss-", 1.5, 0, -kTube - 0.05);
  part.name("pad", pad, -16, 0).name("stop", 6.5, height, 6);
  return part.make();
}

}  // namespace

std::vector<Part> breaker(double play) {
  return {handle(play), rod(play), hook(play), plate(play), arm(play), bar(play), plunger(play), case_part(play)};
}

}  // namespace ricochet::cad
