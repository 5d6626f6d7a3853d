#pragma once
// Surfaces of triangles as files have them, put in order: corners that are one are joined, triangles without an area
// and triangles that are there twice are left out, neighbours look to the same side, closed surfaces look outwards.
// What was done is counted.
#include <array>
#include <vector>

#include "ricochet/geometry/collision/polytope.hpp"
#include "ricochet/geometry/solid.hpp"

namespace ricochet {

struct TriangleMesh {
  std::vector<Vector3d> points;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise from outside
};

struct MeshRepair {
  int joined = 0;                    ///< corners that were one with another
  int flat = 0;                      ///< triangles without an area
  int twice = 0;                     ///< triangles that were there already
  int turned = 0;                    ///< triangles that looked to the other side than their neighbours, or inwards
  int open = 0;                      ///< borders of one triangle alone: holes, or the rim of a surface
  int crowded = 0;                   ///< borders of more than two
  bool one_sided = false;            ///< a part of the surface cannot be turned to one side: a Moebius strip
  Vector3d hole = Vector3d::Zero();  ///< the middle of an open border
  double size = 0;                   ///< largest extent
  bool closed() const { return open == 0 && crowded == 0 && !one_sided; }
};
MeshRepair repair(TriangleMesh& mesh);

/// Of the solid within a closed surface, density 1.
MassProperties solid_within(const TriangleMesh& mesh);

/// What collides of a surface: behind each triangle a flat pyramid, so low that it stays inside of the matter. Their
/// corners: those of the triangle, then the tip. Two of them that meet another shape at one place know of the same
/// contact.
std::vector<Polytope> make_spikes(const TriangleMesh& mesh);

}  // namespace ricochet
