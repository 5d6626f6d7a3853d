#pragma once
// Closed loops of joints that hold some motions more than once, as scenarios: anywhere, in any attitude, of any size.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "ricochet/math/elementary.hpp"
#include "soak/random.hpp"

namespace ricochet::test {

struct LoopModel {
  struct Body {
    std::string name;
    double mass = 1;
    Eigen::Vector3d inertia = Eigen::Vector3d::Ones(), position = Eigen::Vector3d::Zero();
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  };
  struct Joint {
    std::string kind, A, B;
    Eigen::Vector3d at, axis;
  };
  std::string name;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  Eigen::Vector3d gravity{0, 0, -9.81};
  int redundant = 0, freedoms = 1;

  /// A bar from P to Q; its moment about its length is `axial` times length squared.
  void bar(const std::string& body, const Eigen::Vector3d& P, const Eigen::Vector3d& Q, double axial) {
    const Eigen::Vector3d along = Q - P;
    const double square = along.squaredNorm(), across = std::max(1. / 12, axial) * square;
    bodies.push_back({body,
                      1,
                      {axial * square, across, across},
                      (P + Q) / 2,
                      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), along)});
  }
  void hinge(const std::string& A, const std::string& B, const Eigen::Vector3d& at, const Eigen::Vector3d& axis) {
    joints.push_back({"revolute", A, B, at, axis});
  }
  /// Bars between hinges in a ring, the last of them the ground.
  void ring(const std::vector<Eigen::Vector3d>& P, const std::vector<Eigen::Vector3d>& axis, double axial) {
    const std::size_t n = P.size();
    const auto link = [n](std::size_t k) { return k % n == n - 1 ? "ground" : fmt::format("l{}", k % n); };
    for (std::size_t k = 0; k + 1 < n; ++k) bar(link(k), P[k], P[k + 1], axial);
    for (std::size_t k = 0; k < n; ++k) hinge(link(k + n - 1), link(k), P[k], axis[k]);
  }

  void turn(const Eigen::Quaterniond& R) {
    for (Body& b : bodies) b.position = R * b.position, b.turn = R * b.turn;
    for (Joint& j : joints) j.at = R * j.at, j.axis = R * j.axis;
    gravity = R * gravity;
  }
  void shift(const Eigen::Vector3d& by) {
    for (Body& b : bodies) b.position += by;
    for (Joint& j : joints) j.at += by;
  }
  /// Times stay.
  void scale(double s) {
    for (Body& b : bodies) b.position *= s, b.inertia *= s * s;
    for (Joint& j : joints) j.at *= s;
    gravity *= s;
  }

  std::string text() const {
    const auto list = [](const auto& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); };
    std::string out = "system:\n  gravity: " + list(gravity) + "\n  bodies:\n";
    for (const Body& b : bodies)
      out += fmt::format(
          "    {}: {{mass: {:.17g}, inertia: {}, position: {}, orientation: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}\n",
          b.name, b.mass, list(b.inertia), list(b.position), b.turn.w(), b.turn.x(), b.turn.y(), b.turn.z());
    out += "  joints:\n";
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const Joint& j = joints[k];
      const std::string axis = j.kind == "fixed" || j.kind == "spherical" ? "" : ", axis: " + list(j.axis);
      out += fmt::format("    j{}: {{{}: [{}, {}], at: {}{}}}\n", k, j.kind, j.A, j.B, list(j.at), axis);
    }
    return out + "simulation: {scheme: auto, step: 1e-3, until: 1}\n";
  }
};

/// Six links of 1 m along edges of a cube, axes at right angles: IFToMM's benchmark.
inline LoopModel bricard(double axial) {
  LoopModel m;
  m.name = "bricard";
  m.ring({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}},
         {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, axial);
  m.gravity = {0, -9.81, 0};
  m.redundant = 1;
  return m;
}

/// a sin(beta) = b sin(alpha), opposite bars equal: tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta -
/// alpha)/2).
inline LoopModel bennett(double axial) {
  const double a = 1, b = 1.5, alpha = 0.5, beta = std::asin(b * std::sin(alpha) / a), t1 = 1.2;
  const double t2 = 2 * std::atan(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2) / std::tan(t1 / 2));
  LoopModel m;
  m.name = "bennett";
  std::vector<Eigen::Vector3d> P, axis;
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  const double turns[4] = {t1, t2, -t1, -t2}, lengths[4] = {a, b, a, b}, twists[4] = {alpha, beta, alpha, beta};
  for (int k = 0; k < 4; ++k) {
    P.push_back(T.translation());
    axis.push_back(T.linear().col(2));
    T.rotate(Eigen::AngleAxisd(turns[k], Eigen::Vector3d::UnitZ()));
    T.translate(Eigen::Vector3d(lengths[k], 0, 0));
    T.rotate(Eigen::AngleAxisd(twists[k], Eigen::Vector3d::UnitX()));
  }
  m.ring(P, axis, axial);
  m.redundant = 3;
  return m;
}

/// A platform on two legs of two plates each, with hinges along y and along x: it goes straight up and down.
inline LoopModel sarrus(double axial) {
  LoopModel m;
  m.name = "sarrus";
  const Eigen::Vector3d foot(1, 0, 0), knee(1.6, 0, 0.8), top(1, 0, 1.6), foot2(0, 1, 0), knee2(0, 1.6, 0.8),
      top2(0, 1, 1.6);
  m.bar("a", foot, knee, axial);
  m.bar("b", knee, top, axial);
  m.bar("c", foot2, knee2, axial);
  m.bar("d", knee2, top2, axial);
  m.bodies.push_back({"platform", 2, {0.3, 0.3, 0.6}, {0, 0, 1.6}, Eigen::Quaterniond::Identity()});
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY();
  m.hinge("ground", "a", foot, y);
  m.hinge("a", "b", knee, y);
  m.hinge("b", "platform", top, y);
  m.hinge("ground", "c", foot2, x);
  m.hinge("c", "d", knee2, x);
  m.hinge("d", "platform", top2, x);
  m.redundant = 1;
  return m;
}

/// Cranks of one length on one coupler, all hinges parallel; of two cranks a four-bar in space.
inline LoopModel cranks(int count, double axial) {
  LoopModel m;
  m.name = count == 2 ? "four-bar" : "parallelogram";
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  const double last = count == 2 ? 1.3 : 2;  // a four-bar of unequal cranks
  for (int k = 0; k < count; ++k) {
    const Eigen::Vector3d foot(2. * k / (count - 1), 0, 0);
    const Eigen::Vector3d top =
        k == 0 || count > 2 ? Eigen::Vector3d(foot + Eigen::Vector3d(0.6, 0, 0.8)) : Eigen::Vector3d(2.3, 0, last);
    m.bar(fmt::format("c{}", k), foot, top, axial);
    m.hinge("ground", fmt::format("c{}", k), foot, y);
    m.hinge(fmt::format("c{}", k), "coupler", top, y);
  }
  m.bar("coupler", m.joints[1].at, m.joints.back().at, axial);
  m.redundant = 5 * 2 * count - 6 * (count + 1) + 1;
  return m;
}

/// A door on so many hinges, one of them out of line.
inline LoopModel door(int hinges, double out_of_line, double axial) {
  LoopModel m;
  m.name = fmt::format("door of {} hinges, {:g} m out of line", hinges, out_of_line);
  m.bodies.push_back({"door", 10, {1, 1, 1 + axial / 2}, {0.5, 0, 1}, Eigen::Quaterniond::Identity()});
  for (int k = 0; k < hinges; ++k)
    m.hinge("ground", "door", {k == 1 ? out_of_line : 0, 0, 0.5 + k}, Eigen::Vector3d::UnitZ());
  m.gravity = {0, -9.81, 0};
  m.redundant = 5 * (hinges - 1);
  return m;
}

/// A pendulum of four bars welded to a square.
inline LoopModel welds(double axial) {
  LoopModel m;
  m.name = "welds";
  const Eigen::Vector3d P[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
  for (int k = 0; k < 4; ++k) m.bar(fmt::format("w{}", k), P[k], P[(k + 1) % 4], axial);
  for (int k = 0; k < 4; ++k)
    m.joints.push_back({"fixed", fmt::format("w{}", (k + 3) % 4), fmt::format("w{}", k), P[k], {0, 0, 1}});
  m.hinge("ground", "w0", P[0], {0, 1, 0});
  m.redundant = 6;
  return m;
}

inline std::vector<LoopModel> loop_models(double axial) {
  return {bricard(axial),    bennett(axial),       sarrus(axial),        cranks(2, axial),     cranks(3, axial),
          door(2, 0, axial), door(2, 1e-9, axial), door(2, 1e-6, axial), door(3, 1e-6, axial), welds(axial)};
}

/// Bars in a ring of parallel axes in a plane, or of axes through one point.
inline LoopModel planar_ring(soak::Random& random, bool concurrent, double axial) {
  LoopModel m;
  m.name = concurrent ? "concurrent" : "planar";
  const int n = random.between(4, concurrent ? 5 : 6);
  std::vector<Eigen::Vector3d> P, axis;
  for (int k = 0; k < n; ++k) {
    const double angle = 2 * 3.14159265 * k / n, x = random.number(0.6, 1.4), y = random.number(0.6, 1.4);
    const Eigen::Vector3d at(x * std::cos(angle), y * std::sin(angle), concurrent ? random.number(0.8, 1.6) : 0);
    P.push_back(at);
    axis.push_back(concurrent ? Eigen::Vector3d(at.normalized()) : Eigen::Vector3d::UnitZ());
  }
  m.ring(P, axis, axial);
  m.gravity = {0, -9.81, 0};
  m.redundant = 3;
  m.freedoms = n - 3;
  return m;
}

/// Bricard's line-symmetric loop, to which Altmann's belongs: three axes anywhere, and what a half turn makes of them.
inline LoopModel half_turned_ring(soak::Random& random, double axial) {
  LoopModel m;
  m.name = "half-turned";
  std::vector<Eigen::Vector3d> P, axis;
  for (int k = 0; k < 3; ++k) {
    const double angle = 3.14159265 * k / 3, r = random.number(0.7, 1.3), z = random.number(-0.5, 0.5);
    P.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    const double x = random.number(-1, 1), y = random.number(-1, 1), w = random.coefficient();
    axis.push_back(Eigen::Vector3d(x, y, w).normalized());
  }
  const Eigen::Vector3d turned(-1, -1, 1);
  for (int k = 0; k < 3; ++k) P.push_back(P[k].cwiseProduct(turned)), axis.push_back(axis[k].cwiseProduct(turned));
  m.ring(P, axis, axial);
  m.redundant = 1;
  return m;
}

/// A drawer on so many guides.
inline LoopModel drawer(int guides) {
  LoopModel m;
  m.name = "drawer";
  m.bodies.push_back({"drawer", 3, {0.2, 0.3, 0.4}, {0, 0, 0}, Eigen::Quaterniond::Identity()});
  for (int k = 0; k < guides; ++k)
    m.joints.push_back({"prismatic", "ground", "drawer", {0, -0.5 + k, 0.1 * k}, Eigen::Vector3d::UnitX()});
  m.gravity = {3, 0, -9.81};
  m.redundant = 5 * (guides - 1);
  return m;
}

/// An attitude drawn from a stream.
inline Eigen::Quaterniond attitude(soak::Random& random) {
  Eigen::Quaterniond R;
  do {
    for (int i = 0; i < 4; ++i) R.coeffs()[i] = random.number(-1, 1);
  } while (!(R.norm() > 0.1));
  return R.normalized();
}

/// One drawn from a stream: any of the above, turned, shifted, scaled, on a base that swings, with what hangs from it.
inline LoopModel random_loop(soak::Random& random) {
  const double axial = random.pick({1e-6, 1e-4, 1e-2, 1.0});
  const int kind = random.below(9), count = random.between(2, 4);
  const double off = random.pick({0.0, 0.0, 1e-9, 1e-7, 1e-6});
  LoopModel m = kind == 0   ? planar_ring(random, false, axial)
                : kind == 1 ? planar_ring(random, true, axial)
                : kind == 2 ? half_turned_ring(random, axial)
                : kind == 3 ? bricard(axial)
                : kind == 4 ? bennett(axial)
                : kind == 5 ? sarrus(axial)
                : kind == 6 ? cranks(count, axial)
                : kind == 7 ? (random.chance(50) ? drawer(count) : welds(axial))
                            : door(count, off, axial);
  if (random.chance(30)) {
    for (LoopModel::Joint& j : m.joints)
      for (std::string* body : {&j.A, &j.B})
        if (*body == "ground") *body = "base";
    m.bodies.push_back({"base", 20, {5, 6, 7}, {0.2, 0.1, -0.3}, Eigen::Quaterniond::Identity()});
    m.hinge("ground", "base", {0, 0, 1}, {1, 0, 0});
    ++m.freedoms;
  }
  if (random.chance(30)) {
    const Eigen::Vector3d at = m.bodies[0].position;
    m.bar("tail", at, at + Eigen::Vector3d(0.1, 0.2, -0.5), 1e-2);
    m.joints.push_back({"spherical", m.bodies[0].name, "tail", at, Eigen::Vector3d::UnitZ()});
    m.freedoms += 3;
  }
  m.turn(attitude(random));
  const double size = random.pick({1e-3, 1.0, 1.0, 1e3});
  m.scale(size);
  if (random.chance(30)) m.shift(size * 1e3 * Eigen::Vector3d(0.6, -0.3, 0.7));
  return m;
}

}  // namespace ricochet::test
