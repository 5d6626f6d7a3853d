#pragma once
// Amplitudes of a signal over frequency.
#include <span>
#include <vector>

namespace ricochet {

struct Spectrum {
  std::vector<double> frequency;  ///< Hz, without zero
  std::vector<double> amplitude;  ///< of a harmonic with that frequency, in the unit of the signal
};

/// Of a signal sampled at increasing times, equidistant or not: it is interpolated linearly at about as many
/// equidistant ones. Mean and trend are taken off and the ends tapered by a Hann window, so that they do not leak over
/// all frequencies. Empty for fewer than eight samples.
Spectrum spectrum(std::span<const double> t, std::span<const double> x);

}  // namespace ricochet
