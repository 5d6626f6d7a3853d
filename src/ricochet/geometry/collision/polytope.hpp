#pragma once
// Shapes that collide: convex polytopes in space or in a plane, rounded by a radius; half spaces; cylinders and cones.
// A sphere is a point with a radius, a capsule a segment with a radius. There are no margins: a shape is where it is.
//
// Cylinders and cones are solids of revolution about z (revolved.hpp): their rims are circles, a tip is a vertex, the
// discs at their ends are faces without half-edges.
//
// In a plane of motion a polytope is a polygon. Its sides are its faces, of one half-edge each, and it has no edges.
#include <vector>

#include "ricochet/geometry/distance.hpp"

namespace ricochet {

struct Polytope {
  struct HalfEdge {
    int from, to;
    int edge;  ///< -1: in a plane
    int face;
    bool operator==(const HalfEdge&) const = default;
  };
  struct Face {
    Vector3d n = Vector3d::UnitZ();  ///< outwards
    double offset = 0;               ///< n . x = offset
    int first = 0, count = 0;        ///< its half-edges, counter-clockwise from outside; none: it has no bounds
    bool operator==(const Face&) const = default;
  };
  struct Edge {
    int a, b;
    int left, right;  ///< faces; -1: none, a segment
    bool operator==(const Edge&) const = default;
  };

  struct Rim {
    double radius, z;  ///< about z
    bool operator==(const Rim&) const = default;
  };

  std::vector<Vector3d> vertices;
  std::vector<Face> faces;
  std::vector<HalfEdge> half_edges;
  std::vector<Edge> edges;
  std::vector<Rim> rims;  ///< of a solid of revolution: of its lower end, of its upper one, unless that is a tip
  double radius = 0;      ///< by which all of it is rounded
  double bound = 0;    ///< of the sphere about the origin that holds it, rounding included; infinite for a half space
  double size = 0;     ///< largest extent; of a half space 0
  bool flat = false;   ///< a polygon in a plane of motion
  bool piece = false;  ///< of a surface: others know of the same corners and borders

  bool half_space() const { return vertices.empty() && rims.empty(); }
  bool revolved() const { return !rims.empty(); }
  bool operator==(const Polytope&) const = default;
};

Polytope make_half_space(const Vector3d& normal, double offset);
Polytope make_point_shape(double radius);
Polytope make_segment_shape(const Vector3d& from, const Vector3d& to, double radius);
/// Convex hull of points in space. Throws InputError where it has no volume.
Polytope make_hull(const std::vector<Vector3d>& points);
/// a, b, c counter-clockwise from outside, and a tip behind them; the first face is theirs.
Polytope make_tetrahedron(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& tip);
Polytope make_box_shape(const Vector3d& size);
/// Convex hull of what points look like along the unit vector `normal`: a polygon in the plane through the origin.
Polytope make_flat_hull(const std::vector<Vector3d>& points, const Vector3d& normal);

/// Signed distance of x from the shape without its rounding, with derivatives; inside the least one of its faces.
Distance distance(const Polytope& shape, const Vector3d& x);

}  // namespace ricochet
