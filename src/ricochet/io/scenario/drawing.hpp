#pragma once
// How a scenario looks: shapes in space, or fixed to bodies. Bodies have a look of their own (their box, the points
// where joints and contacts hold them, what they may touch); whatever else is to be seen is written in the block
// `draw`, as formulas of the coordinates and the time.
//
// Numbers of a shape, points as x y z; those of a body's shapes are in the body's axes:
//   point    centre                                      circle   centre, radius, angle (a disc in the plane, else a
//   ball) line     points, one after the other                 box      centre, size, angle (from the first axis to the
//   second) spring   two ends, width                             contact  where the contact of that name touches,
//   normal plane    a point, normal; matter lies behind it      play     centre of the bush, centre of the pin, axis,
//   clearance bar      length, height, Young's modulus, gap, then the displacements of its nodes
#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/model/compiled_function.hpp"
#include "ricochet/model/model.hpp"
#include "ricochet/model/subsystem/flexible_body.hpp"

namespace ricochet {

struct DrawnShape {
  enum class Kind : std::uint8_t { point, line, circle, box, spring, contact, plane, play, bar, joint };
  Kind kind = Kind::point;
  std::string name;
  int body = -1;   ///< among Model::body_names; -1: in space
  int other = -1;  ///< of the second end or the pin, where that is on another body
  bool ground = false, trace = false;
  double width = 0;            ///< of lines; 0: as thin as they are drawn
  int flexible = -1;           ///< of lines through nodes of a flexible body: which, rods and solids before beams
  int node = 0;                ///< and the first of its nodes
  std::vector<double> values;  ///< at the beginning
  int first = -1;              ///< of the numbers that move, among those of the drawing; -1: none moves
};
const char* name(DrawnShape::Kind kind);

/// The nodes of a beam, in order: where they are if nothing is strained, and the bodies that they are; -1: clamped.
struct BeamReading {
  std::string name;
  std::vector<Vector3d> rest;
  std::vector<int> bodies;
};

struct Drawing {
  bool planar = false;
  Vector3d e1 = Vector3d::UnitX(), e2 = Vector3d::UnitY();  ///< of the picture, to the right and up
  std::vector<DrawnShape> shapes;
  CompiledFunction motion;                ///< of q and t: the numbers that move
  int moving = 0;                         ///< how many
  std::vector<FlexibleReading> flexible;  ///< rods and solids: their meshes and stresses
  std::vector<BeamReading> beams;
};

}  // namespace ricochet
