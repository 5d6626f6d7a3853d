#pragma once
// What the files of the generator share.
#include <initializer_list>

#include "soak/random.hpp"
#include "soak/system.hpp"

namespace ricochet::soak {

/// A A^T + least I by plain sums: the same bits whatever the processor.
Matrix positive(Random& random, int n, double least);
/// One of the scales times such a matrix.
Matrix scaled_positive(Random& random, std::initializer_list<double> scales, int n, double least);
/// 0, 1 or between.
double restitution(Random& random);

/// Kinds with angles.
System rods(Random& random);
System linkage(Random& random);

}  // namespace ricochet::soak
