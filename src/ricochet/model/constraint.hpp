#pragma once
// Joints and contacts. A set holds those of one kind. `candidates` runs once per step and is conservative for it;
// `evaluate` answers at any configuration. Rows are the local velocities U = G^T v + dg/dt, normal first.
//
// Rows have two levels, g = 0 or g >= 0 and their rates, or that of the velocity alone: dry friction, motors, rolling
// without slip. What is `velocity_only` has no gap and nothing to project: it takes part in every velocity-level
// problem and in no other; `evaluate` gives g = 0 for it.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/model/law.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// Stable identity over the whole run: the set, then what identifies a constraint in it. Keys sort as candidates do.
using Key = std::uint64_t;
/// Of what has a name of its own: a joint, a declared contact.
constexpr Key item_key(int set, std::uint64_t item) { return Key(set) << 56 | item; }
/// Of two bodies that met: body numbers below 2^20, and which of their features meet, below 2^16.
constexpr Key pair_key(int set, int a, int b, int feature) {
  return Key(set) << 56 | Key(a) << 36 | Key(b) << 16 | Key(feature);
}

struct Candidate {
  Key key = 0;
  int set = 0, item = 0;                        ///< item: place among the set's items; -1: it has no name
  int dim = 1;                                  ///< rows: of a joint, or what the law asks for
  const ContactLaw* law = nullptr;              ///< null: a joint (bilateral)
  std::array<int, 2> bodies{kGround, kGround};  ///< among Model::body_names; formulas have none
  bool velocity_only = false;
  Key load = kNoLoad;  ///< the joint whose reaction bounds this one; its first `load_rows` rows count, by their norm
  int load_rows = 0;
  /// Where the geometry has no normal (the centre of a bush), the one of this step, as the set means it; zero: none.
  std::array<double, 3> aim{};
  bool bilateral() const { return law == nullptr; }
  /// It has a gap, which may be open.
  bool unilateral() const { return law != nullptr && !velocity_only; }
  static constexpr int kGround = -1;
  static constexpr Key kNoLoad = ~Key{0};
};

/// Where a contact touches, in space.
struct ContactPlace {
  Vector3d point = Vector3d::Zero();   ///< on the first body
  Vector3d normal = Vector3d::Zero();  ///< the direction in which the first body leaves the second; length 1
};

/// What the results call a constraint.
struct ConstraintItem {
  std::string name;
  int dim = 1;
  bool bilateral = false;
  bool velocity_only = false;
  bool rolling = false;  ///< rows of Cone::rolling
};

/// Candidates to evaluate, all of one set or of a whole model.
struct Selection {
  const Candidate* candidates = nullptr;
  const int* pick = nullptr;  ///< indices into candidates
  int count = 0;
  bool normals_only = false;  ///< contacts: their gap row alone
  bool values_only = false;   ///< the gradients already stand in the rows: constant, and of the same pick

  const Candidate& operator[](int k) const { return candidates[pick[k]]; }
  int dim(const Candidate& c) const { return normals_only && !c.bilateral() ? 1 : c.dim; }
};

/// Values and gradients of a selection at one configuration, one block per candidate.
struct ConstraintRows {
  Jacobian G;
  Buffer g;    ///< gap or joint residual; zero for the slips of a contact, which have no meaning of their own
  Buffer g_t;  ///< dg/dt at fixed q
  int rows = 0;

  void clear(bool keep_gradients) {
    if (!keep_gradients) G.clear();
    rows = 0;
  }
  /// Room for the values of dim more rows.
  std::pair<double*, double*> values(int dim) {
    const int at = rows;
    rows += dim;
    return {g.need(rows) + at, g_t.need(rows) + at};
  }
};

/// Who is left out of a search for candidates, and who helps.
struct CandidateSearch {
  const char* asleep = nullptr;         ///< by velocity coordinate, not 0; null: nobody is
  std::vector<int>* touched = nullptr;  ///< who sleeps and may be touched by who does not: one coordinate of each
  Crew* crew = nullptr;                 ///< who may share it; null: nobody
};

class ConstraintSet {
 public:
  virtual ~ConstraintSet() = default;

  virtual std::vector<ConstraintItem> items() const = 0;
  /// Rows, at most, of its contacts that have no name, between what meets in the course of a run; 0: it has none.
  virtual int nameless_rows() const { return 0; }
  virtual bool constant_gradients() const { return false; }
  /// Velocity coordinates, one of each block, that d(G lambda)/dq couples.
  virtual void couples(std::vector<std::pair<int, int>>&) const {}
  /// The same candidates in every step.
  virtual bool constant_candidates() const { return true; }
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  /// Appends what may act between t and t + h, joints first, sorted by item.
  virtual void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const = 0;
  /// The same without what may act between things of which all are fixed or asleep.
  virtual void awake_candidates(const Point& at, double h, int set, const CandidateSearch& /*search*/,
                                std::vector<Candidate>& out) const {
    candidates(at, h, set, out);
  }
  /// Appends the rows of the selection at (t, q).
  virtual void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out,
                        Scratch& scratch) const = 0;
  /// Of sets that find their candidates anew in each step: how deep things overlap at the end of a step beyond what its
  /// candidates know of, as a part of their size; 0: they were all there.
  virtual double overlooked(ConstView /*from*/, ConstView /*to*/, const std::vector<Candidate>&, int /*set*/,
                            Crew* /*crew*/) const {
    return 0;
  }
  /// Whether the set knows where its contacts touch: rows over formulas do not.
  virtual bool knows_places() const { return false; }
  /// Of a contact at (t, q), for sets that know.
  virtual ContactPlace place(double /*t*/, ConstView /*q*/, const Candidate&) const { return {}; }
  /// S += coefficient d(G lambda)/dq
  virtual void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                         Operator& S, Scratch& scratch) const = 0;
  /// dU/dq, the block appended to out, for U = G^T v + dg/dt
  virtual void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& scratch) const = 0;
  /// U' at zero acceleration: (d/dt G^T) v + d/dt(dg/dt)   (dim)
  virtual void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& scratch) const = 0;
};

}  // namespace ricochet
