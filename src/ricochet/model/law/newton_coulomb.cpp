// Newton's impact law with Coulomb friction, K ∋ P ⊥ (U_N^+ + e U_N^- + mu |U_T^+|, U_T^+) ∈ K*, |P_T| <= mu P_N.
#include <algorithm>

#include "ricochet/model/law.hpp"

namespace ricochet {
namespace {

class NewtonCoulomb final : public ContactLaw {
 public:
  NewtonCoulomb(double e, double mu) : e_(e), mu_(mu) {}
  std::string_view name() const override { return "newton-coulomb"; }
  int dim(int tangents) const override { return 1 + std::min(tangents, 2); }
  LocalLaw local(const LocalState& s) const override {
    if (s.dim == 1) return {Cone::nonnegative, 0, e_, {}};
    return {Cone::coulomb, mu_, e_, {}};
  }

 private:
  double e_, mu_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_newton_coulomb(const LawParameters& p) {
  return std::make_unique<NewtonCoulomb>(p.restitution, p.friction);
}

}  // namespace ricochet
