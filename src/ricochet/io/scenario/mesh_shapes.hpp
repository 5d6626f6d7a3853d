#pragma once
// Inside of io/scenario: shapes that are surfaces, from files and as chains.
#include "ricochet/geometry/triangle_mesh.hpp"
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

const schema::Block& mesh_table();
const schema::Block& chain_table();

/// The surface of a block `mesh`, in metres and in order. What was done to it is noted, once for each file.
const TriangleMesh& read_mesh(const schema::Fields& mesh, Numbers& numbers);
/// The solid within it; InputError where it is not closed.
MassProperties solid_of_mesh(const schema::Fields& mesh, Numbers& numbers);

/// Pieces of a chain of segments, in the plane with the normal n.
std::vector<Polytope> read_chain(const schema::Fields& chain, const Matrix3d& R, const Vector3d& n, Numbers& numbers);

}  // namespace ricochet::scenario
