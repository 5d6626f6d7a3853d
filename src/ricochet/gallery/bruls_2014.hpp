#pragma once
// Schemes and words that the three files of Brüls, Acary, Cardona (2014) share.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::bruls {

inline constexpr const char* kAlpha = "scheme={name: nonsmooth-alpha, rho_inf: 0.8}";
inline constexpr const char* kMoreau = "scheme={name: moreau-jean, theta: 0.55555555555555558, forecast: explicit}";
inline constexpr const char* kModified = "scheme={name: nonsmooth-alpha-modified, rho_inf: 0.8}";
inline constexpr const char* kSmooth = "scheme={name: smooth-alpha, rho_inf: 0.8}";

inline constexpr const char* kForecast =
    "the prediction q* with which Moreau's comparator activates contacts; taken: q itself, that is contacts that are "
    "closed at the beginning of the step (forecast: explicit with gamma = 0).";

/// Sections 7.2 and 7.3: properties on the ball.
std::vector<Entry> properties();
/// Sections 10.1 and 10.2: ball and pendulum.
std::vector<Entry> balls();
std::vector<Entry> pendulums();

}  // namespace ricochet::gallery::bruls
