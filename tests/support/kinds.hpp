#pragma once
// Kinds of system side by side, joined by everything that joins them.
#include <string>

namespace ricochet::test {

inline std::string kinds_side_by_side() {
  return R"(
system:
  parameters: {k: 30}
  gravity: [0.3, -0.2, -9.81]
  formulas:
    parameters: {l: 0.7}
    coordinates: [phi, s]
    kinetic: 0.5*phi'^2 + 0.8*s'^2 + 0.1*cos(phi)*phi'*s'
    potential: 2*cos(phi) + s^2
    frames:
      tip: {position: [s + l*sin(phi), 0.1*s^2, -l*cos(phi)], axis: [0.2, 1, 0.1], angle: 0.5*phi + s*phi}
  linear:
    coordinates: [u, w]
    M: [[2, 0.1], [0.1, 1]]
    K: [[20, -5], [-5, 8]]
    C: [[0.1, 0], [0, 0.2]]
    frames: {pad: {position: [1 + u, 0.2 + w, 0.5]}}
  bodies:
    box: {mass: 1.5, inertia: [0.1, 0.2, 0.15], position: [1.2, 0.3, -0.4], orientation: [0.2, 0.1, -0.3]}
  parts:
    bar: {bar: {length: 1, section: 1, young: 50, density: 2, elements: 6, gap: 0.4, frames: {end: {position: [u6 - 2, 0, u5]}}}}
    flat: {planar: xz, bodies: {disc: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1, 0.4, 0.3]}}, gravity: [0, 0, -1]}
    arm:
      formulas: {parameters: {m: 2}, coordinates: [x], kinetic: m/2*x'^2, contacts: {stop: {gap: x + 3}}}
      initial: {position: {x: 0.2}}
  joints:
    weld: {spherical: [tip, box], at: [0.1, 0.2, -0.6]}
    rod: {distance: [flat.disc, box], at: [-1, 0.4, 0.3], to: [1.2, 0.3, -0.4]}
    pin: {revolute: [tip, pad], at: [0.3, 0, 0], axis: [0.3, 1, 0]}
    rack: {formula: arm.x - 0.2 - 0.1*sin(phi)*u + flat.disc.angle*s}
    slot: {formula: [arm.x*w - 0.1*t^2, bar.u3^2 - u]}
  contacts:
    lip: {on_plane: [pad, box], at: [1, 0.2, 0.5], to: [1.2, 0.3, -0.4], axis: [0.1, 0.2, -1], friction: 0.2}
    rim: {on_shaft: [tip, flat.disc], at: [0, 0, -0.7], to: [-1, 0.4, 0.3], axis: [0, 1, 0], radius: 0.2, friction: 0.3}
    edge: {on_ball: [bar.end, box], at: [-2, 0, 0], to: [1.2, 0.3, -0.4], radius: 0.1, friction: 0.1}
    bump: {gap: 2 + phi*arm.x - u^2, slip: [arm.x + s, w*s], friction: 0.4}
  forces:
    coil: {spring: [tip, box], at: [0, 0, -0.7], to: [1.2, 0.3, -0.4], stiffness: k, damping: 0.3, length: 0.4}
    twist: {torsion: [tip, flat.disc], axis: [0, 1, 0], stiffness: 3, damping: 0.1}
    bush: {bushing: [pad, bar.end], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 6], damping: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    push: {load: tip, at: [0, 0, -0.7], force: [sin(t), 1 - v, 2], axes: body}
    well: {potential: 0.5*k*(arm.x - s)^2*cos(t) + flat.disc.x*u}
    drag: {on: {arm: {x: -0.3*arm.x'*phi - bar.u2}, u: flat.disc.angle'*w, flat: {disc: {x: -0.2*arm.x'}}}}
simulation: {step: 1e-3, until: 1}
)";
}

}  // namespace ricochet::test
