#pragma once
// Beams of the elements of model/element/beam.hpp (in space) and planar_beam.hpp (in a plane).
//
// A beam is its nodes, which are bodies, and its elements, which are forces between them: stresses, damping. The mass
// of an element is taken at its nodes, by the trapezoidal rule with two nodes and by Simpson's with three, and so is
// the inertia of the sections that turn; each node then has the mass and the moments of a thin slice. Mass matrices
// stay those of bodies, constant and in blocks, gyroscopic terms are theirs, and joints, contacts and forces take a
// node as they take any body; theta-schemes balance momenta as they do for bodies, and since forces and moments of an
// element add up to nothing, a free beam keeps both. Frequencies converge with order two in the length of elements with
// two nodes, four with three, as with a consistent mass, from below instead of above.
//
// A clamped node is no body: the element next to it ends on the ground.
#include "ricochet/model/element/beam.hpp"
#include "ricochet/model/element/planar_beam.hpp"
#include "ricochet/model/force.hpp"
#include "ricochet/model/subsystem/planar_bodies.hpp"

namespace ricochet {

/// In the axes of the section: x along the beam.
struct BeamSection {
  double axial = 0;                 ///< E A
  double shear_y = 0, shear_z = 0;  ///< G A_s along y, along z
  double torsion = 0;               ///< G J
  double bend_y = 0, bend_z = 0;    ///< E I about y, about z
  double mass = 0;                  ///< by length
  double turn_y = 0, turn_z = 0;    ///< moments of inertia about y, about z by length; about x their sum
};

struct BeamBody {
  std::string name;
  std::vector<element::BeamNode> nodes;  ///< where nothing is strained, in the order along the beam
  int per_element = 2;                   ///< nodes, 2 or 3
  BeamSection section;
  double drag = 0, lag = 0;  ///< damping by mass (1/s) and by stiffness (s)
  bool from_clamped = false, to_clamped = false;

  int elements() const { return (static_cast<int>(nodes.size()) - 1) / (per_element - 1); }
  /// Nodes that are bodies: all but the clamped ones, in order.
  int first_body() const { return from_clamped ? 1 : 0; }
  int bodies() const { return static_cast<int>(nodes.size()) - first_body() - (to_clamped ? 1 : 0); }
  /// Lengths that the nodes stand for.
  std::vector<double> shares() const;
};

/// In a plane: how its nodes stand there, (x, y, angle) each. The angle of the first is the one below pi, the others
/// differ from their neighbours by less than pi.
std::vector<Vector3d> planar_nodes(const BeamBody& beam, const PlaneOfMotion& plane);

/// Nodes as bodies NAME.node1 ...; coordinates are those of rigid_bodies.hpp, in a plane of planar_bodies.hpp.
std::unique_ptr<Subsystem> make_beam_nodes(const BeamBody& beam, const Vector3d& gravity);
std::unique_ptr<Subsystem> make_beam_nodes(const BeamBody& beam, const PlaneOfMotion& plane, const Vector3d& gravity);

/// The elements; the coordinates of the nodes begin at first_q and first_v of the model.
std::unique_ptr<ForceSet> make_beam_elements(const BeamBody& beam, int first_q, int first_v);
std::unique_ptr<ForceSet> make_beam_elements(const BeamBody& beam, const PlaneOfMotion& plane, int first_q,
                                             int first_v);

}  // namespace ricochet
