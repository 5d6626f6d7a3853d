#pragma once
// What is large and what is small in a run. Tolerances are numbers without unit; a length, a velocity and a mass of the
// model make them gaps, velocities, impulses and energies. They are found once, at the beginning, and stay, in states
// and in checkpoints: a run that is resumed, split or verified has the same.
//
// With A the largest acceleration that forces give to what rests, at the beginning (or one step later, for loads that
// begin at zero), h the step, and V0 the largest velocity, of coordinates and at contacts, sizes of the system are
//
//   mass      largest one of a coordinate that is a length; else largest M_ii / G_i^2 of a contact; else of M
//   length    largest of places and radii of gyration of bodies, of coordinates of formulas and radii of curvature of
//             the contacts' ways, of gaps, and of V0 h; where this is a million times the others, or all are zero,
//             with w^2 = largest K_ii / M_ii that of V0 / w and A / w^2, or V0^2 / A where nothing is stiff
//   velocity  largest of V0, sqrt(A L), rates of driven joints, and 1e-6 L / h; 1e-3 L / h where nothing moves
//
// and SI units for what is still unknown then: nothing moves. M stands for its diagonal.
//
// Two kinds of systems have a length of their own instead, no less than 2^-10 of that one: where bodies meet anywhere,
// the size of the smallest that moves; where joints hold every body, their largest lever (see below), or V0 h.
//
// Length, velocity and acceleration are then rounded to powers of 1024, unevenly: what people build, 8 mm to 256 m,
// is measured in metres and in metres per second; details of an initial state, as a study varies them, change no
// tolerance; and to divide by a scale rounds nothing. No constant here has a unit: units that are powers of 2^20 of
// others change exponents of numbers and nothing else.
//
// Coordinates of formulas have no units that anybody told us. What counts is what they move: a coordinate of mass M_ii
// is taken for a length times the square root of M_ii over the mass scale. An angle of a body with that mass comes out
// as one over the radius of gyration, and a length as itself. Gaps of formulas are lengths; so are those of bodies, but
// for stops of an angle. A row of a joint has the size that its gradient makes of the coordinates' (largest product).
// These sizes too are L times powers of 1024.
//
// Where displacements of several coordinates are weighed against each other, in the metric of a projection, each counts
// by its arm, a length for each unit of it: 1 of a length; of an angle of a body the largest lever arm, about the
// centre of mass, of the joints and named contacts that hold it at the beginning, and no less than its smallest radius
// of gyration: what the turn moves where the body is held. It depends on no unit, no mass of others and no place of the
// origin, and is not rounded. Of a coordinate of a formula it is L over its size.
#include <cmath>
#include <memory>

#include "ricochet/model/loops.hpp"
#include "ricochet/model/model.hpp"

namespace ricochet {

struct Scales {
  double length = 1, velocity = 1, mass = 1;  ///< [m], [m/s], [kg]
  double acceleration = 1;                    ///< A above; V^2 / L where there is none
  VectorXd coordinate;                        ///< (nv) what counts as much as a length of `length`, by coordinate
  VectorXd arm;                               ///< (nv) [m] for each unit of a coordinate
  VectorXd row;                               ///< likewise of the rows of all of Model::items, one after the other
  /// The loops with redundant rows, found once joints are closed; null: there are none, or nobody looked.
  std::shared_ptr<const std::vector<Loop>> loops{};

  double time() const { return length / velocity; }
  /// What a fall over the length takes: slow where velocities have other causes.
  double fall() const { return std::sqrt(length / acceleration); }
  double energy() const { return mass * velocity * velocity; }
};

/// What is given is not looked for; 0: not given.
struct ScaleChoice {
  double length = 0, velocity = 0, mass = 0;
  double step = 0;  ///< of the run
};

Scales find_scales(const Model& model, const State& initial, const ScaleChoice& choice);

/// All loops of a state whose joints are closed; those with redundant rows also into its scales.
std::vector<Loop> take_loops(const Model& model, State& state);

}  // namespace ricochet
