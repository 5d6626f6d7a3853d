#pragma once
// A mechanical system as plain data: what the generator makes, what a scenario text is written from, and what the judge
// evaluates. Nothing of the library's own evaluation is used here, so that its results can be checked against it.
//
//     M(q) v' + convective = -C v - K q - grad V(q) + F(t) + G P,      joints g(t, q) = 0,   contacts g(t, q) >= 0
#include <Eigen/Core>
#include <string>
#include <vector>

#include "soak/exact.hpp"

namespace ricochet::soak {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Sine by its series: the same bits everywhere, for the making of initial states.
double sine(double x);

/// A summand of a gap, a slip, a joint or a potential.
struct Term {
  enum class Kind {
    constant,  ///< c
    linear,    ///< c q_i
    sine,      ///< c sin(w q_i + p)
    product,   ///< c q_i q_j
    clock,     ///< c t
    wave       ///< c sin(w t + p)
  };
  Kind kind = Kind::constant;
  double c = 0;
  int i = 0, j = 0;
  double w = 0, p = 0;
};

struct Formula {
  std::vector<Term> terms;
  double unit = 1;  ///< power of the length that it has: 1, or 2 for squares

  double value(double t, const Vector& q) const;
  double start(const Vector& q) const;  ///< value at t = 0 with the sine above
  Vector gradient(const Vector& q) const;
  double rate(double t) const;  ///< by t
  bool timed() const;
  bool affine() const;
  std::string text() const;

  Formula& constant(double c);
  Formula& linear(double c, int i);
  Formula& sin(double c, int i, double w = 1, double p = 0);
  Formula& cos(double c, int i, double w = 1);
  Formula& product(double c, int i, int j);
  Formula& clock(double c);
  Formula& wave(double c, double w, double p = 0);
  Formula& add(const Formula& other, double factor = 1);
};

struct Contact {
  Formula gap;
  std::vector<Formula> slips;
  double restitution = 0, friction = 0;
};

struct Joint {
  std::vector<Formula> rows;
};

/// c cos(q_i - q_j) v_i v_j of the kinetic energy: two links of a chain.
struct Coupling {
  int i = 0, j = 0;
  double c = 0;
};

/// What is known about the motion before it is computed.
enum class Planted {
  no,           ///< nothing
  solvable,     ///< every step of a velocity-level scheme has a solution
  equilibrium,  ///< the state at the beginning is one, with known forces
  separable     ///< bodies that do not know each other, each with a closed solution
};

struct System {
  std::string kind;
  Planted planted = Planted::no;
  bool as_matrices = true;  ///< written as a linear system; else as formulas
  int n = 0;
  Matrix M, C, K;
  std::vector<Coupling> couplings;
  Formula potential;           ///< beside q^T K q / 2; of energy
  std::vector<Formula> loads;  ///< by coordinate, of time alone; or none
  std::vector<Joint> joints;
  std::vector<Contact> contacts;
  std::vector<Wall> walls;              ///< separable: the motion of each gap
  std::vector<double> coordinate_unit;  ///< powers of the length: 1, or 0 for angles
  Vector q, v;
  double step = 0.01;
  int steps = 40;

  explicit System(int n = 0);
  Matrix mass(const Vector& q) const;
  double kinetic(const Vector& q, const Vector& v) const;
  double potential_energy(double t, const Vector& q) const;
  /// F(t) alone.
  Vector load(double t) const;
  bool linear() const;        ///< constant matrices, affine rows
  bool conservative() const;  ///< nothing depends on time: energy can only fall
  bool has_friction() const;
  double largest_restitution() const;
  /// Bound of h omega by the trace of M^-1 K.
  double stiffness() const;
  /// Explicit schemes are stable: h omega and h times the rates of damping are small enough.
  bool gentle() const;
  /// The same motion in other units.
  void rescale(double length, double mass, double time);
  /// The scenario, with or without the simulation block's scheme.
  std::string yaml(const std::string& scheme = "") const;
};

std::string coordinate(int i);
std::string joint_name(int k);
std::string contact_name(int k);
/// The shortest text that reads back as the same number.
std::string text(double x);

}  // namespace ricochet::soak
