#include "ricochet/geometry/solid.hpp"

#include <numbers>

#include "ricochet/geometry/collision/polytope.hpp"

namespace ricochet {
namespace {

constexpr double kPi = std::numbers::pi;

/// Inertia of a solid of revolution about z.
Matrix3d about_z(double across, double along) { return Vector3d(across, across, along).asDiagonal(); }

/// Of a point of mass 1 at x.
Matrix3d of_point(const Vector3d& x) { return x.squaredNorm() * Matrix3d::Identity() - x * x.transpose(); }

}  // namespace

MassProperties MassProperties::operator+(const MassProperties& other) const {
  const double m = mass + other.mass;
  if (!(m > 0)) return *this;
  const Vector3d apart = other.centre - centre;
  return {m, centre + other.mass / m * apart, inertia + other.inertia + mass * other.mass / m * of_point(apart)};
}

MassProperties solid_box(const Vector3d& size) {
  const double m = size.prod();
  const Vector3d s = size.array().square();
  return {m, Vector3d::Zero(), (m / 12 * Vector3d(s[1] + s[2], s[2] + s[0], s[0] + s[1])).asDiagonal()};
}

MassProperties solid_sphere(double r) {
  const double m = 4 * kPi / 3 * r * r * r, J = 0.4 * m * r * r;
  return {m, Vector3d::Zero(), about_z(J, J)};
}

MassProperties solid_cylinder(double r, double l) {
  const double m = kPi * r * r * l;
  return {m, Vector3d::Zero(), about_z(m * (r * r / 4 + l * l / 12), m * r * r / 2)};
}

MassProperties solid_tube(double outer, double inner, double l) {
  // differences as products: the wall may be thin
  const double m = kPi * (outer - inner) * (outer + inner) * l, sum = outer * outer + inner * inner;
  return {m, Vector3d::Zero(), about_z(m * (sum / 4 + l * l / 12), m * sum / 2)};
}

MassProperties solid_capsule(double r, double l) {
  const MassProperties rod = solid_cylinder(r, l), ball = solid_sphere(r);
  // half spheres: centroids 3 r / 8 beyond the ends
  const double across = 0.4 * r * r + l * l / 4 + 0.375 * l * r;
  return {rod.mass + ball.mass, Vector3d::Zero(), rod.inertia + ball.mass * about_z(across, 0.4 * r * r)};
}

MassProperties solid_cone(double r, double h) {
  const double m = kPi / 3 * r * r * h;
  return {m, {0, 0, h / 4}, about_z(m * (0.15 * r * r + 0.0375 * h * h), 0.3 * m * r * r)};
}

// Tetrahedra from the origin over the triangles of the faces.
void add_tetrahedron(const Vector3d& a, const Vector3d& b, const Vector3d& c, SolidMoments& out) {
  const Vector3d sum = a + b + c;
  const double six = a.dot(b.cross(c));
  out.volume += six / 6;
  out.first += six / 24 * sum;
  out.second += six / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
}

MassProperties solid_of(const SolidMoments& m) {
  const Vector3d centre = m.first / m.volume;
  const Matrix3d second = m.second - m.volume * centre * centre.transpose();
  return {m.volume, centre, second.trace() * Matrix3d::Identity() - second};
}

MassProperties solid_hull(const Polytope& hull) {
  SolidMoments all;
  for (const Polytope::Face& face : hull.faces)
    for (int k = face.first + 1; k + 1 < face.first + face.count; ++k) {
      const auto at = [&](int h) {
        return hull.vertices[static_cast<std::size_t>(hull.half_edges[static_cast<std::size_t>(h)].from)];
      };
      add_tetrahedron(at(face.first), at(k), at(k + 1), all);
    }
  return solid_of(all);
}

}  // namespace ricochet
