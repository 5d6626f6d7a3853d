#pragma once
// Joints and contacts. A set holds those of one kind. `candidates` runs once per step and is conservative for it;
// `evaluate` answers at any configuration. Rows are the local velocities U = G^T v + dg/dt, normal first.
#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/model/law.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// Stable identity over the whole run: set in the upper half, item in the lower.
using Key = std::uint64_t;

struct Candidate {
  Key key = 0;
  int set = 0, item = 0;
  int dim = 1;                      ///< rows: of a joint, or what the law asks for
  const ContactLaw* law = nullptr;  ///< null: a joint (bilateral)
  bool bilateral() const { return law == nullptr; }
};

/// What the results call a constraint.
struct ConstraintItem {
  std::string name;
  int dim = 1;
  bool bilateral = false;
};

class ConstraintSet {
 public:
  virtual ~ConstraintSet() = default;

  virtual std::vector<ConstraintItem> items() const = 0;
  virtual bool constant_gradients() const { return false; }
  /// The same candidates in every step.
  virtual bool constant_candidates() const { return true; }
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  /// Appends what may act between t and t + h, joints first, sorted by item.
  virtual void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const = 0;
  /// The first dim rows of the candidate at (t, q): value g (a joint: all rows; a contact: the gap first, slip values are
  /// not defined and left zero), dg/dt at fixed q, and the block of G.
  virtual void evaluate(double t, ConstView q, const Candidate& c, int dim, double* g, double* g_t, Jacobian& G,
                        Scratch& scratch) const = 0;
  /// S += coefficient d(G lambda)/dq
  virtual void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                         Operator& S, Scratch& scratch) const = 0;
  /// dU/dq, the block appended to out, for U = G^T v + dg/dt
  virtual void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& scratch) const = 0;
  /// U' at zero acceleration: (d/dt G^T) v + d/dt(dg/dt)   (dim)
  virtual void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& scratch) const = 0;
};

}  // namespace ricochet
