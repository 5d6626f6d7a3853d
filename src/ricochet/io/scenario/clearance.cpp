// Joints with play: a pin in its bush, a ball in its socket, a block in its slot.
#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/mechanism.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;
using Kind = Feature::Kind;

/// The frame moved by x and turned by R, both in its own axes.
Frame moved(const Frame& f, const Vector3d& x, const Matrix3d& R = Matrix3d::Identity()) {
  return {f.mount, f.r + f.R * x, f.R * R};
}

/// Axes with z along a unit vector, for a plane with this normal.
Matrix3d facing(const Vector3d& z) {
  Matrix3d R;
  R.col(2) = z;
  R.col(0) = z.unitOrthogonal();
  R.col(1) = z.cross(R.col(0));
  return R;
}

class Clearance {
 public:
  Clearance(const Fields& fields, const FrameJoint& joint, Numbers& numbers)
      : fields_(fields), joint_(joint), numbers_(numbers), play_(numbers.number(fields, "clearance")) {}

  void only(const std::vector<std::string>& keys) const {
    for (const char* key : {"pin", "bush", "length", "axial", "collar", "width"})
      if (fields_.has(key) && std::find(keys.begin(), keys.end(), key) == keys.end())
        fields_.fail(key, fmt::format("has no meaning for this kind of joint with play; accepted: {}", join(keys)));
  }

  std::vector<FrameContact> round(Kind kind) {
    only({"pin", "bush"});
    const double pin = radius();
    add(joint_.name, joint_.A, joint_.B, {kind, pin + play_, pin});
    return std::move(out_);
  }

  /// Both rims of a pin in a bush, so that it tilts; shoulders that hold it along the axis.
  std::vector<FrameContact> pin(bool revolute) {
    only(revolute ? std::vector<std::string>{"pin", "bush", "length", "axial", "collar"}
                  : std::vector<std::string>{"pin", "bush", "length"});
    const double pin = radius();
    if (!fields_.has("length"))
      fields_.fail("clearance", "a pin in space needs `length`, the distance of its two rims in the bush");
    const double half = numbers_.number(fields_, "length") / 2;
    for (const int side : {1, -1})
      add(fmt::format("{}.rim{}", joint_.name, side > 0 ? 1 : 2), joint_.A, moved(joint_.B, {0, 0, side * half}),
          {Kind::rim_in_bush, pin + play_, pin});
    if (revolute) shoulders(pin, half);
    return std::move(out_);
  }

  /// The corners of a block: four in the plane, eight in space, each at the walls on its own sides.
  std::vector<FrameContact> block(bool planar) {
    only({"length", "width"});
    if (!fields_.has("length") || !fields_.has("width"))
      fields_.fail("clearance", "a block in a slot needs `length`, along the axis, and `width`, across it");
    const double half = numbers_.number(fields_, "length") / 2;
    const std::vector<double> width = numbers_.list(fields_, "width");
    if (width.size() != (planar ? 1U : 2U))
      fields_.fail("width", planar ? "expected one number, [across the axis]"
                                   : "expected two numbers, along x and y across the axis");
    int corner = 0;
    for (const int end : {-1, 1})
      for (const int x : {-1, 1})
        for (const int y : planar ? std::vector<int>{0} : std::vector<int>{-1, 1}) {
          const Vector3d at(x * width[0] / 2, planar ? 0 : y * width[1] / 2, end * half);
          ++corner;
          const auto wall = [&](int axis, int side, const std::string& name) {
            const Vector3d n = Vector3d::Unit(axis) * side,
                           place = n * (width[static_cast<std::size_t>(axis)] / 2 + play_);
            add(name, moved(joint_.A, place, facing(-n)), moved(joint_.B, at), {Kind::on_plane, 0, 0});
          };
          const std::string name = fmt::format("{}.corner{}", joint_.name, corner);
          wall(0, x, planar ? name : name + ".x");
          if (!planar) wall(1, y, name + ".y");
        }
    return std::move(out_);
  }

 private:
  double radius() const {
    const double pin = numbers_.number(fields_, "pin");
    if (!fields_.has("bush")) return pin;
    const double bush = numbers_.number(fields_, "bush");
    if (fields_.has("pin")) fields_.fail("bush", "pin and clearance say it already; accepted: one of pin and bush");
    if (play_ > bush)
      fields_.fail("clearance", fmt::format("{} is more than the radius {} of the bush; accepted: less", play_, bush));
    return bush - play_;
  }

  /// Four points of a collar on each end of the pin, before the faces of the bush.
  void shoulders(double pin, double half) {
    if (!fields_.has("axial"))
      fields_.fail("clearance", "a revolute joint in space needs `axial`, its play along the axis");
    const double axial = numbers_.number(fields_, "axial");
    const double collar = fields_.has("collar") ? numbers_.number(fields_, "collar") : pin;
    for (const int side : {1, -1}) {
      const Vector3d n(0, 0, side);
      int count = 0;
      for (const Vector3d& u : {Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(-1, 0, 0), Vector3d(0, -1, 0)}) {
        const std::string which = collar > 0 ? fmt::format("{}", ++count) : "";
        add(fmt::format("{}.shoulder{}{}", joint_.name, side > 0 ? "+" : "-", which),
            moved(joint_.A, (half - axial) * n, facing(n)), moved(joint_.B, half * n + collar * u),
            {Kind::on_plane, 0, 0});
        if (!(collar > 0)) break;
      }
    }
  }

  void add(const std::string& name, const Frame& A, const Frame& B, const Feature& feature) {
    out_.push_back({name, A, B, feature, nullptr});
  }

  const Fields& fields_;
  const FrameJoint& joint_;
  Numbers& numbers_;
  double play_;
  std::vector<FrameContact> out_;
};

}  // namespace

std::vector<FrameContact> clearance_contacts(const Fields& fields, const std::string& kind, const FrameJoint& joint,
                                             bool planar, Numbers& numbers) {
  Clearance c(fields, joint, numbers);
  if (kind == "spherical" || (planar && kind == "revolute")) return c.round(planar ? Kind::in_bush : Kind::in_socket);
  if (kind == "revolute" || kind == "cylindrical") return c.pin(kind == "revolute");
  if (kind == "prismatic") return c.block(planar);
  fields.fail("clearance", planar ? "is for revolute and prismatic joints"
                                  : "is for revolute, cylindrical, spherical and prismatic joints");
}

}  // namespace ricochet::scenario
