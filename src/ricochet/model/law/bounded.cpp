// Rows that have a velocity and no position, and an impulse that is bounded:
//
//     |P| <= h force + coefficient load,       U = 0 inside,  U against P at the bound.
//
// Dry friction has a coefficient (of friction, times a radius where it turns) and the load of its joint; a motor of
// limited torque has a force, and U is measured from the speed that it is to have.
#include "ricochet/model/law.hpp"

namespace ricochet {
namespace {

class Bounded final : public ContactLaw {
 public:
  Bounded(double force, double coefficient) : force_(force), coefficient_(coefficient) {}
  std::string_view name() const override { return "bounded"; }
  int dim(int tangents) const override { return tangents; }
  LocalLaw local(const LocalState& s) const override {
    return {.cone = Cone::interval, .mu = s.h * force_ + coefficient_ * s.load};
  }

 private:
  double force_, coefficient_;
};

}  // namespace

std::unique_ptr<ContactLaw> make_bounded(double force, double coefficient) {
  return std::make_unique<Bounded>(force, coefficient);
}

}  // namespace ricochet
