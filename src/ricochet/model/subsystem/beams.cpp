#include "ricochet/model/subsystem/beams.hpp"

#include <fmt/format.h>

#include <numbers>

#include "ricochet/math/elementary.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet {
namespace {

using element::Beam;
using element::BeamNode;
using element::PlanarBeam;

// Nodes of each kind of element among the coordinates of bodies.
template <int N>
constexpr int positions_of(const Beam<N>*) {
  return 7;
}
template <int N>
constexpr int positions_of(const PlanarBeam<N>*) {
  return 3;
}
void read_node(const double* q, BeamNode& out) {
  out.r = Vector3d(q[0], q[1], q[2]);
  out.Q = Quaterniond(q[3], q[4], q[5], q[6]);
}
void read_node(const double* q, Vector3d& out) { out = Vector3d(q[0], q[1], q[2]); }

template <class Element>
class BeamElements final : public ForceSet {
  static constexpr int kNodes = Element::kNodes, kFree = Element::kFreedoms;
  static constexpr int kPositions = positions_of(static_cast<const Element*>(nullptr));
  using Node = typename Element::Node;
  using Nodes = typename Element::Nodes;
  using Vector = typename Element::Vector;
  using Matrix = typename Element::Matrix;

 public:
  struct Text {
    std::string name;
    std::vector<Node> nodes;  ///< at rest
    typename Element::Stiffness stiffness;
    double lag = 0, drag = 0;
    std::vector<double> mass;  ///< of the coordinates of the bodies
    int first_body = 0, bodies = 0, first_q = 0, first_v = 0;
  };

  explicit BeamElements(Text text) : text_(std::move(text)) {
    for (std::size_t first = 0; first + 1 < text_.nodes.size(); first += kNodes - 1) {
      Nodes at;
      for (std::size_t i = 0; i < kNodes; ++i) at[i] = text_.nodes[first + i];
      elements_.emplace_back(at, text_.stiffness, text_.lag);
    }
  }

  std::vector<std::string> names() const override { return {text_.name}; }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for_each([&](int first, const Element&) {
      for (int j = 0; j < kNodes; ++j)
        for (int i = 0; i < j; ++i)
          if (is_body(first + i) && is_body(first + j)) out.emplace_back(velocity(first + i), velocity(first + j));
    });
  }

  void residual(const Point& at, double c, View y, Scratch&) const override {
    for_each([&](int first, const Element& e) {
      const Nodes nodes = place(first, at.q);
      Vector f = Vector::Zero();
      e.add_force(nodes, c, f);
      if (e.lag() != 0) e.add_damping(nodes, rates(first, at.v), c, f);
      add(first, f, y);
    });
    if (text_.drag == 0) return;
    for (std::size_t i = 0; i < text_.mass.size(); ++i) {
      const Index k = text_.first_v + static_cast<Index>(i);
      y[k] += c * text_.drag * text_.mass[i] * at.v[k];
    }
  }
  void tangents(const Point& at, double c_K, double c_C, Operator& S, Scratch&) const override {
    for_each([&](int first, const Element& e) {
      Matrix K = Matrix::Zero();
      e.add_tangent(place(first, at.q), rates(first, at.v), c_K, c_C, K);
      for (int j = 0; j < kFree * kNodes; ++j)
        for (int i = 0; i < kFree * kNodes; ++i)
          if (is_body(first + i / kFree) && is_body(first + j / kFree))
            if (const double k = K(i, j); k != 0)
              S.add(velocity(first + i / kFree) + i % kFree, velocity(first + j / kFree) + j % kFree, k);
    });
    if (text_.drag == 0 || c_C == 0) return;
    for (std::size_t i = 0; i < text_.mass.size(); ++i) {
      const int k = text_.first_v + static_cast<int>(i);
      S.add(k, k, c_C * text_.drag * text_.mass[i]);
    }
  }
  double potential(const Point& at, Scratch&) const override {
    double W = 0;
    for_each([&](int first, const Element& e) { W += e.energy(place(first, at.q)); });
    return W;
  }
  Power power(const Point& at, ConstView w, Scratch&) const override {
    Power p;
    for_each([&](int first, const Element& e) {
      const Nodes nodes = place(first, at.q);
      const Vector along = rates(first, w);
      Vector f = Vector::Zero(), damping = Vector::Zero();
      e.add_force(nodes, 1, f);
      p.potential -= f.dot(along);
      if (e.lag() == 0) return;
      e.add_damping(nodes, rates(first, at.v), 1, damping);
      p.damping -= damping.dot(along);
    });
    if (text_.drag == 0) return p;
    for (std::size_t i = 0; i < text_.mass.size(); ++i) {
      const Index k = text_.first_v + static_cast<Index>(i);
      p.damping -= text_.drag * text_.mass[i] * at.v[k] * w[k];
    }
    return p;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch&) const override {
    double sum = 0;
    for_each([&](int first, const Element& e) {
      const Vector along = rates(first, w);
      Matrix K = Matrix::Zero();
      e.add_tangent(place(first, at.q), Vector::Zero(), 1, 0, K);
      sum += along.dot(K * along);
    });
    return sum;
  }

 private:
  template <class Do>
  void for_each(Do act) const {
    for (std::size_t k = 0; k < elements_.size(); ++k) act(static_cast<int>(k) * (kNodes - 1), elements_[k]);
  }
  bool is_body(int node) const { return node >= text_.first_body && node < text_.first_body + text_.bodies; }
  int velocity(int node) const { return text_.first_v + kFree * (node - text_.first_body); }
  Nodes place(int first, ConstView q) const {
    Nodes out;
    for (int i = 0; i < kNodes; ++i) {
      const int node = first + i;
      Node& to = out[static_cast<std::size_t>(i)];
      if (is_body(node))
        read_node(q.data() + text_.first_q + kPositions * (node - text_.first_body), to);
      else
        to = text_.nodes[static_cast<std::size_t>(node)];
    }
    return out;
  }
  Vector rates(int first, ConstView v) const {
    Vector out = Vector::Zero();
    for (int i = 0; i < kNodes; ++i)
      if (is_body(first + i))
        for (int k = 0; k < kFree; ++k) out[kFree * i + k] = v[velocity(first + i) + k];
    return out;
  }
  void add(int first, const Vector& f, View y) const {
    for (int i = 0; i < kNodes; ++i)
      if (is_body(first + i))
        for (int k = 0; k < kFree; ++k) y[velocity(first + i) + k] += f[kFree * i + k];
  }

  Text text_;
  std::vector<Element> elements_;
};

std::string node_name(const BeamBody& beam, int node) { return fmt::format("{}.node{}", beam.name, node + 1); }

std::vector<RigidBody> slices(const BeamBody& beam) {
  std::vector<RigidBody> out;
  const std::vector<double> shares = beam.shares();
  const BeamSection& s = beam.section;
  for (int k = beam.first_body(); k < beam.first_body() + beam.bodies(); ++k) {
    const double length = shares[static_cast<std::size_t>(k)];
    out.push_back({node_name(beam, k), length * s.mass, length * Vector3d(s.turn_y + s.turn_z, s.turn_y, s.turn_z),
                   Vector3d::Zero()});
  }
  return out;
}

/// Moment of inertia about the normal of the plane, by length, and bending and shear stiffness in it: normals are axes
/// y or z of the section.
struct InPlane {
  double turn, bend, shear;
};
InPlane in_plane(const BeamBody& beam, const PlaneOfMotion& plane) {
  const BeamSection& s = beam.section;
  const Vector3d n = beam.nodes.front().Q.conjugate() * plane.n();
  return std::abs(n.y()) > std::abs(n.z()) ? InPlane{s.turn_y, s.bend_y, s.shear_z}
                                           : InPlane{s.turn_z, s.bend_z, s.shear_y};
}

template <class Element>
std::unique_ptr<ForceSet> make_elements(const BeamBody& beam, std::vector<typename Element::Node> nodes,
                                        const typename Element::Stiffness& stiffness, std::vector<double> mass,
                                        const std::array<int, 2>& first) {
  return std::make_unique<BeamElements<Element>>(
      typename BeamElements<Element>::Text{beam.name, std::move(nodes), stiffness, beam.lag, beam.drag, std::move(mass),
                                           beam.first_body(), beam.bodies(), first[0], first[1]});
}

}  // namespace

std::vector<double> BeamBody::shares() const {
  std::vector<double> out(nodes.size());
  const int n = per_element;
  for (int e = 0; e < elements(); ++e) {
    const std::size_t first = static_cast<std::size_t>(e) * static_cast<std::size_t>(n - 1);
    if (n == 2) {
      const double length = Beam<2>({nodes[first], nodes[first + 1]}, Beam<2>::Stiffness::Zero()).length();
      for (std::size_t i = 0; i < 2; ++i) out[first + i] += length * element::beam_shares<2>()[i];
    } else {
      const double length =
          Beam<3>({nodes[first], nodes[first + 1], nodes[first + 2]}, Beam<3>::Stiffness::Zero()).length();
      for (std::size_t i = 0; i < 3; ++i) out[first + i] += length * element::beam_shares<3>()[i];
    }
  }
  return out;
}

std::vector<Vector3d> planar_nodes(const BeamBody& beam, const PlaneOfMotion& plane) {
  std::vector<Vector3d> out;
  for (const BeamNode& node : beam.nodes) {
    const Vector3d along = node.Q * Vector3d::UnitX();
    double angle = elementary::atan2(plane.e2.dot(along), plane.e1.dot(along));
    if (!out.empty()) angle += 2 * std::numbers::pi * std::round((out.back()[2] - angle) / (2 * std::numbers::pi));
    out.emplace_back(plane.e1.dot(node.r), plane.e2.dot(node.r), angle);
  }
  return out;
}

std::unique_ptr<Subsystem> make_beam_nodes(const BeamBody& beam, const Vector3d& gravity) {
  return make_rigid_bodies(slices(beam), gravity);
}

std::unique_ptr<Subsystem> make_beam_nodes(const BeamBody& beam, const PlaneOfMotion& plane, const Vector3d& gravity) {
  const Vector3d n = plane.n();
  const std::vector<double> shares = beam.shares();
  std::vector<PlanarBody> bodies;
  for (int k = beam.first_body(); k < beam.first_body() + beam.bodies(); ++k) {
    const auto node = static_cast<std::size_t>(k);
    bodies.push_back({node_name(beam, k),
                      shares[node] * beam.section.mass,
                      shares[node] * in_plane(beam, plane).turn,
                      {n * n.dot(beam.nodes[node].r), Matrix3d::Identity()}});
  }
  return make_planar_bodies(std::move(bodies), plane, gravity);
}

std::unique_ptr<ForceSet> make_beam_elements(const BeamBody& beam, int first_q, int first_v) {
  const BeamSection& s = beam.section;
  Beam<2>::Stiffness stiffness;
  stiffness << s.axial, s.shear_y, s.shear_z, s.torsion, s.bend_y, s.bend_z;
  std::vector<double> mass;
  for (const RigidBody& b : slices(beam))
    mass.insert(mass.end(), {b.mass, b.mass, b.mass, b.inertia.x(), b.inertia.y(), b.inertia.z()});
  const auto make = beam.per_element == 2 ? make_elements<Beam<2>> : make_elements<Beam<3>>;
  return make(beam, beam.nodes, stiffness, std::move(mass), {first_q, first_v});
}

std::unique_ptr<ForceSet> make_beam_elements(const BeamBody& beam, const PlaneOfMotion& plane, int first_q,
                                             int first_v) {
  const InPlane in = in_plane(beam, plane);
  const std::vector<double> shares = beam.shares();
  std::vector<double> mass;
  for (int k = beam.first_body(); k < beam.first_body() + beam.bodies(); ++k) {
    const double length = shares[static_cast<std::size_t>(k)];
    mass.insert(mass.end(), {length * beam.section.mass, length * beam.section.mass, length * in.turn});
  }
  const auto make = beam.per_element == 2 ? make_elements<PlanarBeam<2>> : make_elements<PlanarBeam<3>>;
  return make(beam, planar_nodes(beam, plane), {beam.section.axial, in.shear, in.bend}, std::move(mass),
              {first_q, first_v});
}

}  // namespace ricochet
