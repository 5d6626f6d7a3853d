// Forces that are set from outside between two steps, constant over each: their work is external.
#include "case.hpp"

namespace ricochet::python {
namespace {

class AppliedForces final : public ForceSet {
 public:
  explicit AppliedForces(std::shared_ptr<const VectorXd> forces) : f_(std::move(forces)) {}

  std::vector<std::string> names() const override { return {"applied"}; }
  void couples(std::vector<std::pair<int, int>>&) const override {}
  void residual(const Point&, double c, View y, Scratch&) const override { y.vec() -= c * *f_; }
  void tangents(const Point&, double, double, Operator&, Scratch&) const override {}
  double potential(const Point&, Scratch&) const override { return 0; }
  Power power(const Point&, ConstView w, Scratch&) const override { return {.external = dot(*f_, w)}; }
  double potential_curvature(const Point&, ConstView, Scratch&) const override { return 0; }

 private:
  std::shared_ptr<const VectorXd> f_;
};

}  // namespace

std::unique_ptr<ForceSet> make_applied_forces(std::shared_ptr<const VectorXd> forces) {
  return std::make_unique<AppliedForces>(std::move(forces));
}

}  // namespace ricochet::python
