#pragma once
// The frozen description of a system: subsystems, joints, contacts, laws. A builder makes it, nothing changes it; the
// same Model may be stepped by many threads, each with its own State and ModelScratch.
#include <memory>
#include <string>
#include <vector>

#include "ricochet/model/constraint.hpp"
#include "ricochet/model/force.hpp"
#include "ricochet/model/state.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

class Model;

/// Scratch of everything in a model; disposable.
class ModelScratch {
 public:
  explicit ModelScratch(const Model& model);
  Scratch& subsystem(std::size_t i) { return *subsystems_[i]; }
  Scratch& set(std::size_t i) { return *sets_[i]; }
  Scratch& force(std::size_t i) { return *forces_[i]; }
  /// Who may share long loops, as long as this lives.
  void share_with(Crew& crew);

 private:
  std::vector<std::unique_ptr<Scratch>> subsystems_, sets_, forces_;
};

class Model {
 public:
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const OperatorLayout& layout() const { return layout_; }
  Constancy constancy() const { return constancy_; }
  bool constant_gradients() const { return constant_gradients_; }
  bool constant_candidates() const { return constant_candidates_; }
  int nameless_rows() const { return nameless_rows_; }       ///< see ConstraintSet
  bool keeps_variables() const { return keeps_variables_; }  ///< there are laws that do
  bool flat() const { return flat_; }                        ///< q ⊕ x = q + x
  /// One pass of Newton is exact: constant linear dynamics and constant gradients.
  bool linear() const { return constancy_.linear && constant_gradients_; }

  const std::vector<std::unique_ptr<Subsystem>>& subsystems() const { return subsystems_; }
  const std::vector<std::unique_ptr<ConstraintSet>>& sets() const { return sets_; }
  const std::vector<std::unique_ptr<ForceSet>>& forces() const { return forces_; }
  std::vector<std::string> position_names() const;
  std::vector<std::string> velocity_names() const;
  /// Of everything that frames can be fixed to, subsystem by subsystem.
  std::vector<std::string> body_names() const;
  /// All constraints with a name in the order of their keys; index_of gives a candidate's place among them, -1 if it
  /// has none.
  const std::vector<ConstraintItem>& items() const { return items_; }
  int index_of(const Candidate& c) const { return c.item < 0 ? -1 : first_item_[c.set] + c.item; }

  // Questions to the subsystems and forces, added up. A model of one subsystem, the usual small one, asks it directly.
  void mass(const Point& at, double c, Operator& S, ModelScratch& w) const {
    if (single_) return single_->mass(at, c, Segment(S, 0), w.subsystem(0));
    mass_of_many(at, c, S, w);
  }
  void mass_times(const Point& at, ConstView x, double c, View y, ModelScratch& w) const {
    if (single_) return single_->mass_times(at, x, c, y, w.subsystem(0));
    mass_times_of_many(at, x, c, y, w);
  }
  void residual(const Point& at, ConstView a, double c, View y, ModelScratch& w) const {
    if (single_) return single_->residual(at, a, c, y, w.subsystem(0));
    residual_of_many(at, a, c, y, w);
  }
  void tangents(const Point& at, ConstView a, double c_K, double c_C, Operator& S, ModelScratch& w) const {
    if (single_) return single_->tangents(at, a, c_K, c_C, Segment(S, 0), w.subsystem(0));
    tangents_of_many(at, a, c_K, c_C, S, w);
  }
  void momentum_balance(const Motion& m, View y, ModelScratch& w) const {
    if (single_) return single_->momentum_balance(m, y, w.subsystem(0));
    momentum_balance_of_many(m, y, w);
  }
  void momentum_tangent(const Motion& m, Operator& S, ModelScratch& w) const {
    if (single_) return single_->momentum_tangent(m, Segment(S, 0), w.subsystem(0));
    momentum_tangent_of_many(m, S, w);
  }
  Energies energies(const Point& at, ModelScratch& w) const {
    return single_ ? single_->energies(at, w.subsystem(0)) : energies_of_many(at, w);
  }
  Power power(const Point& at, ConstView x, ModelScratch& w) const {
    return single_ ? single_->power(at, x, w.subsystem(0)) : power_of_many(at, x, w);
  }
  double potential_curvature(const Point& at, ConstView x, ModelScratch& w) const {
    return single_ ? single_->potential_curvature(at, x, w.subsystem(0)) : potential_curvature_of_many(at, x, w);
  }
  void retract(ConstView q, ConstView x, View out) const;
  void difference(ConstView a, ConstView b, View x) const;
  void increment_rate(ConstView x, ConstView v, View out) const;

  void candidates(const Point& at, double h, std::vector<Candidate>& out) const;
  /// See ConstraintSet.
  void awake_candidates(const Point& at, double h, const CandidateSearch& search, std::vector<Candidate>& out) const;
  /// The largest of all sets, see ConstraintSet.
  double overlooked(ConstView before, ConstView after, const std::vector<Candidate>& candidates, Crew* crew) const;
  /// Rows of the selection at (t, q), in its order.
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, ModelScratch& w) const;
  const ConstraintSet& set(const Candidate& c) const { return *sets_[c.set]; }

 private:
  friend class ModelBuilder;
  void mass_of_many(const Point& at, double c, Operator& S, ModelScratch& w) const;
  void mass_times_of_many(const Point& at, ConstView x, double c, View y, ModelScratch& w) const;
  void residual_of_many(const Point& at, ConstView a, double c, View y, ModelScratch& w) const;
  void tangents_of_many(const Point& at, ConstView a, double c_K, double c_C, Operator& S, ModelScratch& w) const;
  void momentum_balance_of_many(const Motion& m, View y, ModelScratch& w) const;
  void momentum_tangent_of_many(const Motion& m, Operator& S, ModelScratch& w) const;
  Energies energies_of_many(const Point& at, ModelScratch& w) const;
  Power power_of_many(const Point& at, ConstView x, ModelScratch& w) const;
  double potential_curvature_of_many(const Point& at, ConstView x, ModelScratch& w) const;

  const Subsystem* single_ = nullptr;  // the only one, if there is only one and no force beside it
  std::vector<std::unique_ptr<Subsystem>> subsystems_;
  std::vector<std::unique_ptr<ConstraintSet>> sets_;
  std::vector<std::unique_ptr<ForceSet>> forces_;
  std::vector<std::unique_ptr<ContactLaw>> laws_;
  std::vector<int> first_q_, first_v_, first_item_;
  std::vector<ConstraintItem> items_;
  OperatorLayout layout_;
  Constancy constancy_;
  bool constant_gradients_ = true, constant_candidates_ = true, flat_ = true, keeps_variables_ = false;
  int nq_ = 0, nv_ = 0, nameless_rows_ = 0;
};

class ModelBuilder {
 public:
  /// Coordinates of a subsystem start where the previous one's end; returns the first velocity coordinate.
  int add(std::unique_ptr<Subsystem> subsystem);
  void add(std::unique_ptr<ConstraintSet> set);
  void add(std::unique_ptr<ForceSet> forces);
  const ContactLaw* add(std::unique_ptr<ContactLaw> law);
  /// Throws InputError if there is nothing to simulate.
  Model freeze();

 private:
  Model model_;
};

}  // namespace ricochet
