#pragma once
// Inside of io/scenario: bodies with the geometry of a part.
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

/// The key `brep` of a body, which part_files.hpp has filled from files; null: it has none.
std::shared_ptr<const brep::Part> read_part(const schema::Fields& body);
/// Mass, centre and inertia of a body that may have a part, with a plane of motion as read_mass has it.
MassProperties read_mass_with(const brep::Part* part, const schema::Fields& body, const Vector3d& n, Numbers& numbers);

}  // namespace ricochet::scenario
