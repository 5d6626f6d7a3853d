#pragma once
// Beams of every kind, soft enough for differences.
#include <string>

namespace ricochet::test {

/// Two and three nodes, straight and along an arc, damped and not, clamped at one end or joined.
inline std::string beams(const std::string& system) {
  return "name: beams\nsystem:\n" + system + R"(
  flexible:
    one:
      beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {rectangle: [0.5, 0.6]}}
      young: 20
      poisson: 0.3
      density: 5
      rayleigh: [0.1, 0.2]
      clamp: from
    other:
      beam: {from: [0, 0, 0], to: [0, 0, 1], up: [0, -1, 0], arc: 0.7, elements: 2, nodes: 3, section: {tube: [0.4, 0.3]}}
      young: 30
      density: 4
      rayleigh: [0, 0.1]
      position: [1, 0, 0.2]
    third:
      beam: {from: [0, 0, 0], to: [0, 0, -1], up: [1, 0, 0], elements: 1, nodes: 3, section: {area: 0.2, inertia: [0.01, 0.02]}}
      young: 40
      density: 3
      velocity: [1, 0, 0]
      angular_velocity: [0, 2, 0]
  joints:
    pin: {revolute: [one.to, other.from], at: [1, 0, 0.1], axis: [0, 1, 0]}
simulation: {scheme: moreau-jean, step: 1e-3, until: 1}
)";
}

inline std::string beams_in_space() { return beams("  gravity: [0, 0, -9.81]"); }
inline std::string beams_in_plane() { return beams("  planar: xz\n  gravity: [0, 0, -9.81]"); }

}  // namespace ricochet::test
