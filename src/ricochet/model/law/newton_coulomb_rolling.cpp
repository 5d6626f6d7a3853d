// Newton's impact law and Coulomb friction with moments that resist rolling and spinning,
//
//     |P_T| <= mu P_N,   |P_R| <= mu_R P_N,   |P_S| <= mu_S P_N       each against its velocity, as Cone::rolling says.
//
// mu_R is the length by which the resultant of the pressure is ahead of the contact's centre; mu_S, for a round patch
// of radius a, is 2/3 mu a.
#include "ricochet/model/law.hpp"

namespace ricochet {
namespace {

class NewtonCoulombRolling final : public ContactLaw {
 public:
  explicit NewtonCoulombRolling(const LawParameters& p) : p_(p) {}
  std::string_view name() const override { return "newton-coulomb-rolling"; }
  int dim(int tangents) const override {
    if (tangents == 0) return 1;
    if (tangents == 1) return 3;
    return 3 + (p_.rolling > 0 || p_.spinning == 0 ? 2 : 0) + (p_.spinning > 0 ? 1 : 0);
  }
  bool rolling() const override { return true; }
  LocalLaw local(const LocalState& s) const override {
    if (s.dim == 1) return {.cone = Cone::nonnegative, .restitution = p_.restitution};
    return {.cone = Cone::rolling,
            .mu = p_.friction,
            .restitution = p_.restitution,
            .roll = p_.rolling,
            .spin = p_.spinning};
  }

 private:
  LawParameters p_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_newton_coulomb_rolling(const LawParameters& p) {
  return std::make_unique<NewtonCoulombRolling>(p);
}

}  // namespace ricochet
