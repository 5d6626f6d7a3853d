#pragma once
// Inside of io/scenario: mass, centre of mass and inertia of a body.
#include "ricochet/geometry/solid.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/subsystem/planar_bodies.hpp"

namespace ricochet::scenario {

/// The tables of the keys `shapes` and `box`.
const schema::Block& shape_table();
const schema::Block& box_table();

/// In the body's axes, from its shapes, or from mass, centre and inertia or box. In a plane with the normal n (else
/// zero) one moment, about n, will do.
MassProperties read_mass(const schema::Fields& body, const Vector3d& n, Numbers& numbers);

/// The kinds of shapes, as keys of their table.
const std::vector<std::string>& shape_kinds();
/// `points` of a block: [[x, y, z], ...].
std::vector<Vector3d> read_points(const schema::Fields& fields, Numbers& numbers);

/// A quaternion, or a rotation vector.
Quaterniond read_orientation(const schema::Fields& fields, Numbers& numbers);

/// The key `planar` of a system or part, which is given.
PlaneOfMotion read_plane_of_motion(const schema::Fields& system);

}  // namespace ricochet::scenario
