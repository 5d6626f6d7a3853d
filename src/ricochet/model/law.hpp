#pragma once
// A contact law answers with data: the cone of the impulse, the effective restitution and what else assembly needs.
// Schemes form the shift themselves (they use it at different levels) and never name a law; solvers see cones only.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/math/cone.hpp"

namespace ricochet {

/// What a law may look at: the contact at the beginning of the step.
struct LocalState {
  double h = 0;
  double gap_before = 0;
  std::array<double, 3> U_before{};  ///< normal first
  int dim = 1;
};

struct LocalLaw {
  Cone cone = Cone::nonnegative;
  double mu = 0;
  double restitution = 0;              ///< Newton's e: U_N^+ + e U_N^- complements P_N
  std::array<double, 3> compliance{};  ///< added to the diagonal of W
};

class ContactLaw {
 public:
  virtual ~ContactLaw() = default;
  virtual std::string_view name() const = 0;
  /// Rows that the law couples for a contact with that many tangential directions: 1, 2 or 3.
  virtual int dim(int tangents) const = 0;
  virtual LocalLaw local(const LocalState& state) const = 0;
};

/// What a scenario says about one contact.
struct LawParameters {
  double restitution = 0;
  double friction = 0;
};

struct LawInfo {
  std::string name, summary;
  std::unique_ptr<ContactLaw> (*make)(const LawParameters&);
};
/// The table of laws.def.
const std::vector<LawInfo>& laws();
/// By name; "" picks newton-coulomb where friction > 0, else newton-impact. Null if there is none.
std::unique_ptr<ContactLaw> make_law(std::string_view name, const LawParameters& parameters);

}  // namespace ricochet
