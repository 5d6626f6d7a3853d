#pragma once
// Scenario texts of bodies with joints.
#include <string>

namespace ricochet::test {

/// Every kind of joint once, between two bodies and to the ground.
inline std::string joints_of_every_kind() {
  std::string text =
      "name: joints of every kind\n"
      "system:\n"
      "  bodies:\n"
      "    a: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, -0.2, 0.1], orientation: [0.4, -0.3, 0.8]}\n"
      "    b: {mass: 2, inertia: [[1, 0.1, -0.2], [0.1, 1.5, 0.3], [-0.2, 0.3, 2]], position: [-0.4, 0.5, 0.7],\n"
      "        orientation: [-0.2, 0.6, 0.1], centre: [0.1, 0.2, -0.1]}\n"
      "  joints:\n";
  for (const char* kind : {"fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar"})
    for (const char* first : {"a", "ground"})
      text += std::string("    ") + kind + "_" + first + ": {" + kind + ": [" + first +
              ", b], at: [0.2, 0.1, -0.3], axis: [1, 2, -2]}\n";
  text += "    rod: {distance: [a, b], at: [0.2, 0.1, -0.3], to: [0.5, 0.4, 0.2]}\n";
  text += "    screw: {screw: [a, b], at: [0.2, 0.1, -0.3], axis: [1, 2, -2], pitch: 3}\n";
  text += "    teeth: {gear: [revolute_a, revolute_ground], ratio: -2/3}\n";
  text += "    rack: {gear: [revolute_a, prismatic_ground], ratio: 0.3}\n";
  return text + "simulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
}

/// Every kind of force, drive and limit once, between two bodies, to the ground and from it.
inline std::string forces_of_every_kind() {
  return "name: forces of every kind\n"
         "system:\n"
         "  bodies:\n"
         "    a: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, -0.2, 0.1], orientation: [0.4, -0.3, 0.8]}\n"
         "    b: {mass: 2, inertia: [1, 1.5, 2], position: [-0.4, 0.5, 0.7], orientation: [-0.2, 0.6, 0.1]}\n"
         "  joints:\n"
         "    turned: {revolute: [a, b], at: [0.2, 0.1, -0.3], axis: [1, 2, -2], drive: t - sin(t), limits: [-1, "
         "2]}\n"
         "    pushed: {prismatic: [ground, b], at: [0.2, 0.1, 0], axis: [1, 1, -2], drive: t^3, limits: [-1, 2]}\n"
         "    rubbed: {revolute: [a, b], at: [0.2, 0.1, -0.3], axis: [1, 2, -2], friction: 0.2, pin: 0.1, speed: "
         "sin(3*t), torque: 2}\n"
         "    served: {prismatic: [a, b], at: [0.2, 0.1, 0], axis: [1, 1, -2], friction: 0.3, drive: t^3, torque: 5, "
         "lag: 0.1}\n"
         "    held: {cylindrical: [b, ground], at: [0.2, 0.1, 0], axis: [1, 1, -2], speed: t^2}\n"
         "  forces:\n"
         "    coil: {spring: [a, b], at: [0, 0.1, 0.2], to: [-0.3, 0.4, 0.1], stiffness: 30, damping: 2, preload: 3,\n"
         "           length: 0.2}\n"
         "    rope: {spring: [ground, b], at: [2, 1, 1], to: [-0.3, 0.4, 0.1], stiffness: 30, length: 1, acts: "
         "tension}\n"
         "    buffer: {spring: [a, ground], at: [0, 1, 1], to: [0, 0, 0], stiffness: 3, length: 5, acts: compression}\n"
         "    slide: {slide: [b, a], at: [0, 0.1, 0.2], axis: [1, 2, 3], stiffness: 20, damping: 1, preload: 3}\n"
         "    watch: {torsion: [a, b], at: [0, 0.1, 0.2], axis: [1, 2, 3], stiffness: 20, damping: 1, preload: 2}\n"
         "    pad: {bushing: [a, b], at: [0, 0.1, 0.2], axis: [1, 2, 3], stiffness: [9, 8, 7, 6, 5, 4],\n"
         "          damping: [1, 2, 3, 3, 2, 1]}\n"
         "    law: {spring: [b, a], at: [0, 0, 0], to: [1, 0, 0], formula: -x^3 - v*x^2 + sin(t)}\n"
         "    motor: {torque: [a, b], axis: [1, 0, 2], formula: 3 - v + t}\n"
         "    push: {load: a, at: [1, 0, 0], force: [1, t, -0.2*v]}\n"
         "    thrust: {load: b, at: [1, 0, 0], force: [1, t, -0.2*v], axes: body}\n"
         "simulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
}

/// Every kind of contact between frames once, to the ground and from it.
inline std::string contacts_of_every_kind() {
  std::string text =
      "name: contacts of every kind\n"
      "system:\n"
      "  bodies:\n"
      "    a: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, -0.2, 0.1], orientation: [0.4, -0.3, 0.8]}\n"
      "    b: {mass: 2, inertia: [1, 1.5, 2], position: [-0.4, 0.5, 0.7], orientation: [-0.2, 0.6, 0.1]}\n"
      "  joints:\n"
      "    play: {spherical: [a, b], at: [0.1, 0.2, 0.3], clearance: 2, pin: 0.1, friction: 0.2}\n"
      "    hinge: {revolute: [a, b], at: [0.1, 0.2, 0.3], axis: [1, 2, -2], clearance: 2, pin: 0.4, length: 0.7, "
      "axial: "
      "0.1, friction: 0.2}\n"
      "    sleeve: {cylindrical: [b, ground], at: [0.1, 0.2, 0.3], clearance: 2, bush: 3, length: 0.7}\n"
      "    slot: {prismatic: [ground, b], at: [0.1, 0.2, 0.3], x: [0, 2, 1], clearance: 2, width: [0.3, 0.4], length: "
      "0.7}\n"
      "  contacts:\n";
  for (const std::string kind : {"on_plane", "in_bush", "on_shaft", "in_socket", "on_ball"})
    for (const std::string ends : {"[a, b]", "[ground, b]", "[a, ground]"})
      text += "    " + kind + ends.substr(1, 1) + ends.substr(ends.size() - 2, 1) + ": {" + kind + ": " + ends +
              ", at: [-0.2, -0.1, -0.3], axis: [1, 2, -2], to: [0.3, 0.6, -0.9], tip: 0.05, friction: 0.3" +
              (kind == "on_plane"          ? ""
               : kind.substr(0, 2) == "in" ? ", radius: 3"
                                           : ", radius: 0.1") +
              "}\n";
  for (const std::string turns : {"rolling: 1e-3", "spinning: 1e-3", "rolling: 1e-3, spinning: 1e-3"})
    text +=
        "    turns" + std::to_string(turns.size()) +
        ": {on_ball: [a, b], at: [-0.2, -0.1, -0.3], to: [0.3, 0.6, -0.9], radius: 0.1, tip: 0.05, friction: 0.3, " +
        turns + "}\n";
  for (const std::string ends : {"[a, b]", "[ground, b]", "[a, ground]"}) {
    const std::string place = ": " + ends +
                              ", at: [-0.2, -0.1, -0.3], axis: [1, 2, -2], to: [0.3, 0.6, -0.9], tip: 0.05, "
                              "friction: 0.3, ",
                      to = ends.substr(1, 1) + ends.substr(ends.size() - 2, 1);
    text += "    capsule" + to + ": {on_capsule" + place + "radius: 0.1, length: 0.2}\n";
    text += "    pill" + to + ": {on_capsule" + place + "radius: 0.1, length: 9}\n";
    text += "    corner" + to + ": {on_box" + place + "size: [0.1, 0.2, 0.3]}\n";
    text += "    edge" + to + ": {on_box" + place + "size: [0.1, 0.2, 9]}\n";
    text += "    face" + to + ": {on_box" + place + "size: [9, 0.2, 9]}\n";
    text += "    ring" + to + ": {on_ring" + place + "radius: 0.4, thickness: 0.02}\n";
    text += "    cone" + to + ": {on_cone" + place + "radius: 0.4, height: 0.3}\n";
    text += "    coin" + to + ": {rim_on_plane: " + ends +
            ", first: {at: [-1.2, -2.1, 1.1], axis: [1, 2, -2]}, second: {at: [0.3, 0.6, 0.9], axis: [1, -1, 0.3]}, "
            "radius: 0.1, friction: 0.3}\n";
    text += "    spike" + to + ": {on_cone" + place + "radius: 0.1, height: 5}\n";
  }
  return text + "simulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
}

/// Joints, forces and contacts in the plane xz.
inline std::string planar_of_every_kind() {
  return "name: plane\n"
         "system:\n"
         "  planar: xz\n"
         "  bodies:\n"
         "    a: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, -0.2, 0.1], orientation: [0, -0.3, 0]}\n"
         "    b: {mass: 2, inertia: [1, 1.5, 2], position: [-0.4, 0.5, 0.7], orientation: [0, 0.6, 0]}\n"
         "  joints:\n"
         "    weld: {fixed: [a, b], at: [0.2, 0.1, -0.3]}\n"
         "    pin: {revolute: [ground, a], at: [0.2, 0.1, -0.3], limits: [-1, 2], drive: 1 - cos(t)}\n"
         "    rail: {prismatic: [a, b], at: [0.2, 0.1, -0.3], axis: [1, 0, -2], limits: [-1, 2]}\n"
         "    rod: {distance: [b, ground], at: [0.2, 0.1, -0.3], to: [1, 0, 0]}\n"
         "    play: {revolute: [a, b], at: [0.1, 0.2, 0.3], clearance: 2, pin: 0.1, friction: 0.2}\n"
         "    slot: {prismatic: [a, b], at: [0.1, 0.2, 0.3], axis: [1, 0, 1], clearance: 1, width: [0.3], length: "
         "0.5}\n"
         "  contacts:\n"
         "    floor: {on_plane: [a, b], at: [0, 0, -9], axis: [0.1, 0, 1], to: [1, 0, 0], tip: 0.1, friction: 0.3, "
         "rolling: 1e-3}\n"
         "    shaft: {on_shaft: [b, a], at: [0, 0, -9], radius: 0.2, to: [1, 0, 0], tip: 0.1, friction: 0.3}\n"
         "    arc: {on_arc: [b, a], at: [0, 0, -1], radius: 0.3, to: [1, 0, 0], arc: [0, 2], tip: 0.1, friction: 0.3}\n"
         "    end: {on_arc: [b, a], at: [0, 0, -1], radius: 0.3, to: [1, 0, 0], arc: [1.5, 2], thickness: 0.01}\n"
         "    wedge: {on_sector: [b, a], at: [0, 0, -1], radius: 0.3, to: [1, 0, 0], arc: [0, 2], tip: 0.1, friction: "
         "0.3}\n"
         "    blunt: {on_sector: [b, a], at: [0, 0, -1], radius: 0.3, to: [1, 0, 0], arc: [1.5, 2], thickness: 0.01}\n"
         "    lid: {flat_on_cam: [b, a], at: [0, 0, -1], profile: 0.3 + 0.02*cos(2*a), to: [1, 0, 0], axis: [0.3, 0, "
         "1], "
         "friction: 0.2}\n"
         "    side: {on_polygon: [b, a], points: [[0, 0, 0], [0.2, 0, 2], [-1, 0, 1]], to: [1, 0, 0.7], tip: 0.1}\n"
         "    tip: {on_polygon: [b, a], points: [[0, 0, 0], [-1, 0, 1], [-1, 0, -1]], to: [1, 0, 0.2], friction: 0.2}\n"
         "    cam: {on_cam: [b, a], at: [0, 0, -1], profile: 0.3 + 0.05*cos(2*a), to: [1, 0, 0.2], friction: 0.2}\n"
         "  forces:\n"
         "    coil: {spring: [a, b], at: [0, 0.1, 0.2], to: [-0.3, 0.4, 0.1], stiffness: 30, damping: 2}\n"
         "    watch: {torsion: [a, b], stiffness: 20, damping: 1}\n"
         "    slide: {slide: [b, a], at: [0, 0.1, 0.2], axis: [1, 0, 3], stiffness: 20, damping: 1, preload: 3}\n"
         "simulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
}

/// A physical pendulum: a rod of length 1 on a hinge at its end, a little inclined; `more` lines of joints.
inline std::string rod_on_a_hinge(const std::string& more = {}) {
  return "name: rod on a hinge\n"
         "system:\n"
         "  gravity: [0, 0, -9.81]\n"
         "  bodies:\n"
         "    rod: {mass: 1, inertia: [1e-4, 1/12, 1/12], position: [0.5, 0, 0]}\n"
         "  joints:\n"
         "    hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n" +
         more + "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

/// `links` rods of length 0.1 on revolute joints, axes in turn along y and z, straight at the beginning.
inline std::string chain(int links) {
  std::string bodies, joints;
  for (int k = 0; k < links; ++k) {
    const std::string n = std::to_string(k), x = std::to_string(0.1 * k), c = std::to_string(0.1 * k + 0.05);
    bodies += "    link" + n + ": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], position: [" + c + ", 0, 0]}\n";
    joints += "    joint" + n + ": {revolute: [" + (k == 0 ? "ground" : "link" + std::to_string(k - 1)) + ", link" + n +
              "], at: [" + x + ", 0, 0], axis: " + (k % 2 == 0 ? "[0, 1, 0]" : "[0, 0, 1]") + "}\n";
  }
  return "name: chain\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n" + bodies + "  joints:\n" + joints +
         "simulation: {scheme: combined, step: 1e-3, until: 0.1}\n";
}

/// `links` rods of length 0.1 on revolute joints with axes out of the plane in turn, that fall on a floor with
/// friction.
inline std::string chain_on_the_floor(int links) {
  std::string bodies, joints, contacts;
  for (int k = 0; k < links; ++k) {
    const std::string n = std::to_string(k), x = std::to_string(0.1 * k), end = std::to_string(0.1 * k + 0.1);
    bodies += "    link" + n + ": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], position: [" +
              std::to_string(0.1 * k + 0.05) + ", 0, 0]}\n";
    joints += "    joint" + n + ": {revolute: [" + (k == 0 ? "ground" : "link" + std::to_string(k - 1)) + ", link" + n +
              "], at: [" + x + ", 0, 0], axis: " + (k % 2 == 0 ? "[0, 1, 0]" : "[0, 0.6, 0.8]") + "}\n";
    contacts += "    tip" + n + ": {on_plane: [ground, link" + n + "], at: [0, 0, -0.02], axis: [0, 0, 1], to: [" +
                end + ", 0, 0], tip: 0.005, friction: 0.3, restitution: 0.2}\n";
  }
  return "name: chain on the floor\nsystem:\n  bodies:\n" + bodies + "  joints:\n" + joints + "  contacts:\n" +
         contacts + "simulation: {scheme: combined, step: 1e-3, until: 0.15}\n";
}

}  // namespace ricochet::test
