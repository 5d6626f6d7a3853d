#pragma once
// Acary (2018) in four files.
#include "ricochet/analysis/exact.hpp"
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::acary_2018_parts {

/// Both academic examples up to 5 s: the ball of f = -2, e = 1/2, and the oscillator of 1 Hz with a stop at rest.
ExactStop exact_ball(double e = 0.5);
ExactStop exact_oscillator(double e = 0.7, double frequency = 1);

/// Errors of single steps of Moreau's scheme.
std::vector<Entry> single_steps();
/// Adaptive steps, schemes of order p, splitting.
std::vector<Entry> high_orders();
/// Spectral radii; event tracking.
std::vector<Entry> linear_maps_and_events();

}  // namespace ricochet::gallery::acary_2018_parts
