#include "ricochet/io/cad/part_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/geometry/brep/trim.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

using namespace brep;

constexpr int kSamples = 24;  // along each parameter
constexpr const char* kKinds[] = {"plane", "cylinder", "cone", "sphere", "torus", "extrusion", "revolution", "spline"};

double mm(double x) { return 1e3 * x; }

/// Points inside the face, and those of its edges.
std::vector<Vector3d> points(const Part& part, const Face& face, const Trim& trim) {
  std::vector<Vector3d> out;
  for (int i = 0; i < kSamples; ++i)
    for (int j = 0; j < kSamples; ++j) {
      const Eigen::Array2d at((i + 0.5) / kSamples, (j + 0.5) / kSamples);
      const Vector2d uv = trim.low().array() + at * (trim.high() - trim.low()).array();
      if (trim.inside(uv[0], uv[1])) out.push_back(evaluate(face.surface, uv[0], uv[1]).p);
    }
  const bool thin = out.empty();
  for (const Loop& loop : face.loops)
    for (const Side& side : loop) {
      const Edge& e = part.edges[static_cast<std::size_t>(side.edge)];
      for (int i = 0; thin && i <= kSamples; ++i)
        out.push_back(evaluate(e.curve, e.from + (e.to - e.from) * i / kSamples).p);
    }
  return out;
}

/// Seen from outside the material, a round face bulges out or is hollow.
bool hollow(const Face& face) {
  const Axes& a = face.surface.axes;
  return face.reversed != (a.x.cross(a.y).dot(a.z) < 0);
}

std::string size_of(const Face& face, const Trim& trim, const FaceSummary& s) {
  const brep::Surface& f = face.surface;
  const Vector2d span = trim.high() - trim.low();
  const char* side = hollow(face) ? "hollow" : "round";
  switch (f.kind) {
    case SurfaceKind::plane: return fmt::format("{:.6g} x {:.6g}", mm(span[0]), mm(span[1]));
    case SurfaceKind::cylinder:
      return fmt::format("diameter {:.6g}, length {:.6g}, {}", mm(2 * f.a), mm(span[1]),
                         hollow(face) ? "hole" : "shaft");
    case SurfaceKind::cone: {
      const double slope = elementary::sin(f.b);
      return fmt::format("diameters {:.6g} to {:.6g}, half angle {:.4g} deg, {}", mm(2 * (f.a + trim.low()[1] * slope)),
                         mm(2 * (f.a + trim.high()[1] * slope)), std::abs(f.b) * 180 / std::numbers::pi, side);
    }
    case SurfaceKind::sphere: return fmt::format("diameter {:.6g}, {}", mm(2 * f.a), side);
    case SurfaceKind::torus: return fmt::format("diameters {:.6g} and {:.6g}, {}", mm(2 * f.a), mm(2 * f.b), side);
    default: {
      const Vector3d box = 1e3 * (s.high - s.low);
      return fmt::format("within {:.4g} x {:.4g} x {:.4g}", box[0], box[1], box[2]);
    }
  }
}

}  // namespace

FaceSummary summary(const Part& part, std::size_t index) {
  const Face& face = part.faces[index];
  const Trim trim(face, part.edges);
  FaceSummary out;
  out.name = face.name;
  out.kind = kKinds[static_cast<std::size_t>(face.surface.kind)];
  const std::vector<Vector3d> all = points(part, face, trim);
  for (std::size_t i = 0; i < all.size(); ++i) {
    out.low = i == 0 ? all[i] : out.low.cwiseMin(all[i]);
    out.high = i == 0 ? all[i] : out.high.cwiseMax(all[i]);
    out.centre += all[i] / static_cast<double>(all.size());
  }
  const Axes& axes = face.surface.axes;
  if (face.surface.kind == SurfaceKind::plane)
    out.direction = (face.reversed ? -1 : 1) * axes.x.cross(axes.y);
  else if (face.surface.kind != SurfaceKind::sphere && face.surface.kind != SurfaceKind::spline)
    out.direction = axes.z;
  out.size = size_of(face, trim, out);
  return out;
}

}  // namespace ricochet
