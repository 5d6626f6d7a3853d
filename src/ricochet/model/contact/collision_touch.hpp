#pragma once
// A pair of features of two shapes (geometry/collision/narrow.hpp) as a contact of two frames: gap, normal and point
// with their derivatives.
#include "ricochet/geometry/collision/narrow.hpp"
#include "ricochet/model/contact/touch.hpp"

namespace ricochet {

/// The frames are those of the shapes.
Touch touch(const FeaturePair& f, const Polytope& A, const PlacedFrame& a, const Polytope& B, const PlacedFrame& b);

}  // namespace ricochet
