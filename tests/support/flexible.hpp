#pragma once
// Flexible bodies for tests.
#include <string>

namespace ricochet::test {

/// A small block of hexahedra over a plane, clamped at one end, with damping.
inline std::string solid_of(const std::string& material) {
  return R"(
name: block
system:
  plane: {offset: -0.5, friction: 0.3}
  flexible:
    block:
      box: {size: [2, 1, 1], elements: [3, 1, 1]}
      young: 90
      poisson: 0.3
      density: 2
      rayleigh: [0.1, 0.02]
      clamp: left
      touch: bottom
      material: )" +
         material + R"(
      velocity: [0, 0, 0.3]
    bar: {rod: {from: [0, 3, 0], to: [1, 3, 0.5], elements: 4, section: 0.1}, young: 40, density: 1, clamp: to}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}
)";
}

/// A block on a body that it is tied to, touched by a ball, held by springs.
inline std::string solid_and_bodies() {
  return R"(
name: block between bodies
system:
  bodies:
    plate: {mass: 3, inertia: [1, 1, 2], position: [0, 0, -1]}
    ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.2, 0.1, 1.05]}
  flexible:
    block:
      box: {size: [1, 1, 1], elements: [1, 1, 1], kind: tet4}
      young: 50
      poisson: 0.2
      density: 2
      material: neo-hookean
      touch: [bottom, top]
      frames: {hook: {at: [0.5, 0.5, 0.5]}}
  joints:
    glue: {spherical: [plate, block.bottom]}
  contacts:
    hit: {on_ball: [ball, block.top], at: [0.2, 0.1, 1.05], radius: 0.5, friction: 0.2}
  forces:
    line: {spring: [ground, block.hook], at: [2, 2, 2], to: [0.5, 0.5, 0.5], stiffness: 30, damping: 0.4}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}
)";
}

/// A block that a body holds in the mean, with pressure on faces and a side that is moved.
inline std::string solid_with_loads(const std::string& material) {
  return R"(
name: block with loads
system:
  bodies:
    plate: {mass: 3, inertia: [1, 1.5, 2], position: [0.2, 0.1, 2.7], orientation: [0.2, -0.3, 0.4]}
  flexible:
    block:
      box: {size: [6, 4, 5], elements: [2, 1, 1], kind: tet10}
      young: 50
      poisson: 0.2
      density: 2
      touch: top
      pressure: {gas: {on: [left, front], value: 3 + 2*sin(5*t)}, breath: {on: top, value: -1}}
      driven: {shake: {nodes: bottom, x: 0.1*sin(3*t), z: 0.2*t}}
      material: )" +
         material + R"(
  joints:
    hold: {mean: [plate, block.top]}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}
)";
}

}  // namespace ricochet::test
