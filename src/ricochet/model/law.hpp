#pragma once
// A contact law answers with data: the cone of the impulse, the effective restitution and what else assembly needs.
// Schemes form the shift themselves (they use it at different levels) and never name a law; solvers see cones only.
//
// The laws of rows without a position (dry friction of a joint, motors of limited torque) answer with an interval. Its
// bound is an impulse: h times a force, or a coefficient times the load, which is the impulse of another joint over the
// step. It is asked for anew in each pass of Newton, with the load as it then is, and by the certificate.
//
// Compliance c: the velocity-level law holds for U + c P, the position-level one for g + c nu. At rest a contact then
// gives way at the velocity c P, of which the work is part of that of the contact.
//
// A law may keep variables for each contact from step to step (a surface that wears, a restitution that falls): as many
// as `variables` says, zero at first, found in LocalState::kept, renewed by `after` at the end of every accepted step.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/math/cone.hpp"

namespace ricochet {

constexpr int kLawVariables = 2;  ///< that a law may keep for a contact

/// What a law may look at: the contact at the beginning of the step.
struct LocalState {
  double h = 0;
  double gap_before = 0;
  std::array<double, kMostContactRows> U_before{};  ///< normal first
  int dim = 1;
  double load = 0;  ///< of rows that rub on a joint: its impulse over the step
  std::array<double, kLawVariables> kept{};
};

struct LocalLaw {
  Cone cone = Cone::nonnegative;
  double mu = 0;                                      ///< of the friction cones; the bound of an interval
  double restitution = 0;                             ///< Newton's e: U_N^+ + e U_N^- complements P_N
  std::array<double, kMostContactRows> compliance{};  ///< added to the diagonal of W
  double roll = 0, spin = 0;                          ///< of rolling contacts, lengths
  Friction friction() const { return {mu, roll, spin}; }
};

class ContactLaw {
 public:
  virtual ~ContactLaw() = default;
  virtual std::string_view name() const = 0;
  /// Rows that the law couples for a contact with that many tangential directions: 1 to 3; 3 to 6 with rows that turn.
  virtual int dim(int tangents) const = 0;
  virtual LocalLaw local(const LocalState& state) const = 0;
  /// Whether its rows are those of Cone::rolling.
  virtual bool rolling() const { return false; }
  /// How many of LocalState::kept it uses.
  virtual int variables() const { return 0; }
  /// What is kept after a step with the impulse P that ended with the velocity U (dim each); `kept` holds what was.
  virtual void after(const LocalState& /*before*/, const double* /*P*/, const double* /*U*/, double* /*kept*/) const {}
};

/// What a scenario says about one contact.
struct LawParameters {
  double restitution = 0;
  double friction = 0;
  double rolling = 0, spinning = 0;  ///< lengths
};

struct LawInfo {
  std::string name, summary;
  std::unique_ptr<ContactLaw> (*make)(const LawParameters&);
};
/// The table of laws.def.
const std::vector<LawInfo>& laws();
/// By name; "" picks newton-coulomb-rolling where something turns against a resistance, newton-coulomb where friction
/// > 0, else newton-impact. Null if there is none.
std::unique_ptr<ContactLaw> make_law(std::string_view name, const LawParameters& parameters);

/// |P| <= h force + coefficient load with P against U: dry friction, a motor of limited torque. Of rows that have no
/// position.
std::unique_ptr<ContactLaw> make_bounded(double force, double coefficient);

}  // namespace ricochet
