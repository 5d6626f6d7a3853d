#pragma once
// Inside of io/scenario: flexible bodies. A body has one shape (beam, rod, box, cylinder, mesh) and, beside it, what it
// is made of, what holds it and what of it may be joined or touched. Each shape is a subsystem of its own.
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

/// The keys of system.flexible.NAME.
const schema::Block& flexible();
/// Shapes of bodies whose coordinates are plain displacements; beams, which may turn in space, are read after them.
enum class FlexibleKind : std::uint8_t { plain, beams };
bool has_flexible(const schema::Fields& system, FlexibleKind kind);
/// `fields`: of the system or part.
void read_flexible(const schema::Fields& fields, FlexibleKind kind, const Vector3d& gravity, Parts& parts);

/// Young's modulus, density and so on where the shape needs them: an InputError that says so if they are not given.
double required_number(const schema::Fields& body, std::string_view key, const std::string& shape, Numbers& numbers);

}  // namespace ricochet::scenario
