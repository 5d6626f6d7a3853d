#pragma once
// The shipped parts.
#include <vector>

#include "solid.hpp"

namespace ricochet::cad {

std::vector<Part> pin_and_bush();
std::vector<Part> slider_crank();
std::vector<Placed> slider_crank_assembly();
std::vector<Part> ring_and_pendulum();
std::vector<Part> cam_and_roller();
/// `play`: radial, of the pins, in mm.
std::vector<Part> breaker(double play = 0.02);

}  // namespace ricochet::cad
