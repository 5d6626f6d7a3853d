#pragma once
// Flexible bodies of nodes that have displacements: rods and solids. With u the displacements of the nodes that are not
// clamped,
//
//     M a + f(u) + C v = weight + pressure,       C v = a M v + viscous forces
//
// M consistent or lumped, f linear or not by the material. The coordinates are the displacements, node by node: three
// in space, one along the axis of a rod. Clamped nodes have none.
//
// The operator is sparse, over one pattern that is analysed once; linear bodies are factorised once for each set of
// coefficients. Nodes are mounts where they are asked for: they move and do not turn.
#include "ricochet/model/compiled_function.hpp"
#include "ricochet/model/element/mesh.hpp"
#include "ricochet/model/element/solid.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// A node as a mount.
struct NodeMount {
  std::string name;
  int node = 0;
};

/// What rods and solids share.
struct FlexibleCommon {
  std::string name;
  Vector3d gravity = Vector3d::Zero();
  double mass_damping = 0;       ///< a of a M + b K
  double stiffness_damping = 0;  ///< b
  bool lumped = false;
  std::vector<char> clamped;  ///< by node; empty: none
  std::vector<NodeMount> mounts;
};

/// A pressure on faces of a solid: a follower load, see element/pressure.hpp.
struct FacePressure {
  std::vector<SurfaceFace> faces;
  CompiledFunction value;  ///< of t [Pa]
};

struct SolidParameters {
  FlexibleCommon common;
  SolidMesh mesh;
  SolidMaterial material;
  std::vector<FacePressure> pressures{};
};

struct RodParameters {
  FlexibleCommon common;
  Vector3d from = Vector3d::Zero(), to = Vector3d::UnitX();
  int elements = 1;
  double section = 1, young = 1, density = 1;
};

class FlexibleBody : public Subsystem {
 public:
  virtual const std::string& name() const = 0;
  virtual const SolidMesh& mesh() const = 0;  ///< of a rod its nodes alone
  /// First coordinate of a node, -1 if it is clamped; and the direction of each of its coordinates (3 x 1 or 3 x 3).
  virtual int coordinate_of(int node) const = 0;
  virtual const Eigen::Matrix<double, 3, Eigen::Dynamic>& directions() const = 0;
  Vector3d displacement(int node, ConstView q) const;
  /// Mean of Cauchy's stress over an element of the mesh.
  virtual Matrix3d stress(std::size_t element, ConstView q) const = 0;
  /// Number of an element that was inside out in an evaluation, for messages; 0: none ever was. Forces are not finite
  /// there, so that the step fails.
  virtual int broken_element() const { return 0; }
  /// The mass that a node stands for: its row of M, summed.
  virtual double node_mass(int node) const = 0;
};

/// A flexible body of a model, with the place of its coordinates.
struct FlexibleReading {
  const FlexibleBody* body = nullptr;
  int first_q = 0, first_v = 0;
};

std::unique_ptr<FlexibleBody> make_flexible_solid(SolidParameters parameters);
std::unique_ptr<FlexibleBody> make_rod(const RodParameters& parameters);

}  // namespace ricochet
