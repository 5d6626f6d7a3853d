// Orders on the bouncing ball against its closed form, over the whole of [0, 5], accumulation of impacts included.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::ball_test {
namespace {

struct Errors {
  std::vector<double> h, q_l1, v_l1, v_l2, v_max;
};

Errors errors(const std::string& scheme) {
  const ExactBall exact(1, 2, 0.5);
  Errors out;
  for (double h : geometric(0.0437, 0.00097, 14)) {  // off the grid of the impacts at 1, 2, 2.5, ...
    const Trajectory run = simulate("bouncing-ball", {"scheme=" + scheme, set("step", h), "until=5"});
    EXPECT_EQ(run.result.status, RunStatus::finished);
    double q1 = 0, v1 = 0, v2 = 0, vm = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const Row& r = run.rows[k];
      const double dq = std::abs(r.q[0] - exact.q(r.t)), dv = std::abs(r.v[0] - exact.v(r.t));
      q1 += r.h * dq;
      v1 += r.h * dv;
      v2 += r.h * dv * dv;
      vm = std::max(vm, dv);
    }
    out.h.push_back(h);
    out.q_l1.push_back(q1);
    out.v_l1.push_back(v1);
    out.v_l2.push_back(std::sqrt(v2));
    out.v_max.push_back(vm);
  }
  return out;
}

class BallOrder : public testing::TestWithParam<const char*> {};

TEST_P(BallOrder, OneInL1HalfInL2NoneInTheUniformNorm) {
  const Errors e = errors(GetParam());
  const double q1 = fitted_order(e.h, e.q_l1), v1 = fitted_order(e.h, e.v_l1), v2 = fitted_order(e.h, e.v_l2),
               vm = fitted_order(e.h, e.v_max);
  RecordProperty("orders",
                 std::to_string(q1) + " " + std::to_string(v1) + " " + std::to_string(v2) + " " + std::to_string(vm));
  EXPECT_GT(q1, 0.8);
  EXPECT_LT(q1, 1.2);
  EXPECT_GT(v1, 0.8);
  EXPECT_LT(v1, 1.2);
  // nonsmooth-alpha jumps in the step in which the impact falls, so its velocity is wrong at no grid point by O(1)
  if (std::string(GetParam()) == "nonsmooth-alpha") return;
  EXPECT_GT(v2, 0.35);
  EXPECT_LT(v2, 0.65);
  EXPECT_LT(std::abs(vm), 0.2);
}

INSTANTIATE_TEST_SUITE_P(Schemes, BallOrder,
                         testing::Values("moreau-jean", "{name: moreau-jean, forecast: free}", "nonsmooth-alpha"));

// The accumulation is passed without special treatment, at the time that the geometric series gives.
TEST(Ball, RestsAfterTheAccumulationUnderItsWeight) {
  struct Case {
    const char* name;
    double q0, g, e, step;
  };
  for (const Case& c :
       {Case{"bouncing-ball", 1, 2, 0.5, 1.3e-3}, Case{"bouncing-ball-bruls", 0.801, 10, 0.8, 1.9e-3}}) {
    const ExactBall exact(c.q0, c.g, c.e);
    for (const char* scheme : {"moreau-jean", "nonsmooth-alpha"}) {
      const Trajectory run = simulate(c.name, {std::string("scheme=") + scheme, set("step", c.step), "until=5"});
      ASSERT_EQ(run.result.status, RunStatus::finished);
      const double rest = exact.rest_time();  // 3 and 3.60225
      double last_motion = 0;
      for (const Row& r : run.rows) {
        if (std::abs(r.v[0]) > 1e-9) last_motion = r.t;
        if (r.t > rest + 0.3) {
          EXPECT_NEAR(r.P[0], c.g * r.h, 1e-12 * c.g) << c.name << " " << scheme << " t = " << r.t;
          EXPECT_NEAR(r.v[0], 0, 1e-12);
        }
      }
      // measured: moreau-jean 3.004, nonsmooth-alpha 3.021 for 3; 3.652, 3.612 for 3.60225
      EXPECT_NEAR(last_motion, rest, 0.05) << c.name << " " << scheme;
    }
  }
}

}  // namespace
}  // namespace ricochet::test::ball_test
