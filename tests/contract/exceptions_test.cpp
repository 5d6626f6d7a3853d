// Callbacks that throw: the step is left at once, and the workspace holds nothing that a later step could take for
// true.
#include <gtest/gtest.h>

#include <stdexcept>

#include "ricochet/model/callables.hpp"
#include "ricochet/sim/driver.hpp"
#include "support/schemes.hpp"

namespace ricochet::test::exceptions_test {
namespace {

/// Two masses on a line, the first above a wall and held to the second by a spring; with `joint` the second is driven.
/// Each callback counts down, if it is told to, and throws.
class Throwing {
 public:
  explicit Throwing(bool joint) {
    ModelBuilder builder;
    LagrangianCallables c;
    c.coordinates = {"a", "b"};
    c.mass = [](double, const VectorXd& q) {
      MatrixXd M = MatrixXd::Identity(2, 2);
      M(1, 1) = 2 + 0.1 * q[1] * q[1];
      return M;
    };
    c.force = [this](double, const VectorXd&, const VectorXd& v) {
      count();
      return VectorXd(VectorXd::Constant(2, -9.81) - 0.1 * v);
    };
    c.potential = [](double, const VectorXd& q) { return 50 * (q[1] - q[0] - 1) * (q[1] - q[0] - 1); };
    builder.add(make_lagrangian(c));
    std::vector<ConstraintCallable> all;
    if (joint)
      all.push_back({"drive",
                     1,
                     nullptr,
                     [this](double t, const VectorXd& q) {
                       count();
                       return VectorXd(VectorXd::Constant(1, q[1] - 1.5 - 0.1 * t * t));
                     },
                     {},
                     {},
                     {}});
    const ContactLaw* law = builder.add(make_law("", {0.5, 0}));
    all.push_back({"wall",
                   1,
                   law,
                   [this](double, const VectorXd& q) {
                     count();
                     return VectorXd(VectorXd::Constant(1, q[0]));
                   },
                   {},
                   {},
                   {}});
    builder.add(make_constraints(std::move(all), 2));
    model_ = builder.freeze();
    initial.q = VectorXd::Zero(2);
    initial.v = VectorXd::Zero(2);
    initial.q << 0.5, 1.5;
  }
  const Model& model() const { return model_; }
  State initial;
  mutable int calls = 0;      ///< since it was set to zero
  mutable int throw_at = -1;  ///< at which of them

 private:
  void count() const {
    if (calls++ == throw_at) throw std::runtime_error("a callback failed");
  }
  Model model_;
};

class Exceptions : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Exceptions, testing::ValuesIn(scheme_names()), scheme_test_name);

TEST_P(Exceptions, AStepThatAnExceptionLeftLeavesNoTrace) {
  for (const bool joint : {false, true}) {
    const Throwing system(joint);
    const auto scheme = make_scheme(GetParam());
    State a = begin_run(system.model(), *scheme, system.initial).state, next = a;
    Workspace kept(system.model());
    const double h = 7.3e-3;
    int thrown = 0;
    for (int k = 0; k < 30; ++k) {
      StepReport report;
      State expected = a;
      {
        Workspace fresh(system.model());
        system.calls = 0;
        scheme->step(system.model(), a, h, expected, fresh, report);
      }
      if (!report.ok()) break;
      // A step, sometimes from elsewhere, that is left at each of its calls; then the step itself in the same
      // workspace.
      for (int at = 0, calls = system.calls; at < calls; at += calls / 40 + 1) {
        State elsewhere = a, lost = a;
        if ((k + at) % 3 == 1) elsewhere.q[0] += 0.01, elsewhere.t += 0.001;
        system.calls = 0;
        system.throw_at = at;
        StepReport left;
        try {
          scheme->step(system.model(), elsewhere, h, lost, kept, left);
        } catch (const std::runtime_error&) {
          ++thrown;
        }
        system.throw_at = -1;
        StepReport again;
        scheme->step(system.model(), a, h, next, kept, again);
        ASSERT_TRUE(again.ok()) << "step " << k << ", left at call " << at;
        ASSERT_TRUE(same_bits(next.q, expected.q) && same_bits(next.v, expected.v)) << "step " << k << ", call " << at;
      }
      swap(a, next);
    }
    EXPECT_GT(thrown, 30);
  }
}

}  // namespace
}  // namespace ricochet::test::exceptions_test
