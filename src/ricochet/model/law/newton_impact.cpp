// Newton's impact law without friction:  0 <= U_N^+ + e U_N^- ⊥ P_N >= 0.
#include "ricochet/model/law.hpp"

namespace ricochet {
namespace {

class NewtonImpact final : public ContactLaw {
 public:
  explicit NewtonImpact(double e) : e_(e) {}
  std::string_view name() const override { return "newton-impact"; }
  int dim(int) const override { return 1; }
  LocalLaw local(const LocalState&) const override { return {Cone::nonnegative, 0, e_, {}}; }

 private:
  double e_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_newton_impact(const LawParameters& p) {
  return std::make_unique<NewtonImpact>(p.restitution);
}

}  // namespace ricochet
