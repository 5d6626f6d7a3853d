// The box of cosimo-2020 4.1 as a Newton-Euler body, and as points with rigidity constraints.
#include <gtest/gtest.h>

#include "ricochet/math/rotation.hpp"
#include "support/runs.hpp"

namespace ricochet::test::rigid_box_test {
namespace {

Vector3d spatial_momentum(const Row& r) {
  const double m = 46.8, lx = 0.1, ly = 0.2, lz = 0.3;
  const Vector3d J(m * (ly * ly + lz * lz) / 12, m * (lx * lx + lz * lz) / 12, m * (lx * lx + ly * ly) / 12);
  const Matrix3d R = Quaterniond(r.q[3], r.q[4], r.q[5], r.q[6]).toRotationMatrix();
  return R * J.cwiseProduct(Vector3d(r.v[3], r.v[4], r.v[5]));
}

TEST(RigidBox, FreeFlightKeepsMomentumAndEnergy) {
  // thrown so high that nothing is touched: 2,000 steps
  const Trajectory run =
      simulate("rigid-box", {"scheme=moreau-jean", "system.bodies.box.position=[0, 0, 100]", "step=1e-3", "until=2"});
  ASSERT_EQ(run.rows.size(), 2001u);
  const Vector3d L0 = spatial_momentum(run.rows[0]);
  double momentum = 0, energy = 0;
  for (const Row& r : run.rows) {
    momentum = std::max(momentum, (spatial_momentum(r) - L0).norm() / L0.norm());
    energy = std::max(energy, std::abs(r.energy - run.rows[0].energy) / run.rows[0].energy);
  }
  EXPECT_LT(momentum, 1e-11);
  EXPECT_LT(energy, 1e-11);
}

TEST(RigidBox, OneImpactOfOneCorner) {
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha"}) {
    const Trajectory run = simulate("rigid-box", {std::string("scheme=") + scheme, "step=1e-3", "until=0.69"});
    EXPECT_EQ(run.end.summary.impacts, 1) << scheme;
    EXPECT_EQ(run.end.summary.contacts_max, 1) << scheme;
    std::vector<int> hit;
    for (const Row& r : run.rows)
      for (std::size_t c = 0; c < r.P.size(); ++c)
        if (r.P[c] > 0) hit.push_back(static_cast<int>(c));
    EXPECT_EQ(hit.size(), 1u) << scheme;
  }
}

TEST(RigidBox, PointsWithRigidityConstraintsMoveAlike) {
  // same motion in 12 coordinates with 6 nonlinear joints: compare the height of the centre at h and h/2
  double difference[2];
  for (int k = 0; k < 2; ++k) {
    const std::string h = set("step", 5e-4 / (k + 1));
    const Trajectory a = simulate("rigid-box", {"scheme=nonsmooth-alpha", h, "until=0.3"});
    const Trajectory b = simulate("rigid-box-points", {"scheme=nonsmooth-alpha", h, "until=0.3"});
    ASSERT_EQ(a.rows.size(), b.rows.size());
    EXPECT_LT(b.end.summary.certificate.joint_position, 1e-10);
    EXPECT_LT(b.end.summary.certificate.joint_velocity, 1e-10);
    difference[k] = 0;
    for (std::size_t i = 0; i < a.rows.size(); ++i)
      for (std::size_t c = 0; c < a.rows[i].gap.size(); ++c)  // two joints stand before the corners
        difference[k] = std::max(difference[k], std::abs(a.rows[i].gap[c] - b.rows[i].gap[c + 2]));
  }
  EXPECT_LT(difference[0], 2e-2);
  EXPECT_LT(difference[1], 0.35 * difference[0]);  // second order: a quarter
}

TEST(RigidBox, PositionDoesNotDependOnTheNumberOfIterations) {
  // a tighter tolerance takes more passes; the increment is total, so q is a function of the converged velocity alone
  const Trajectory loose =
      simulate("rigid-box", {"scheme={name: moreau-jean, tolerance: 1e-9}", "step=1e-3", "until=0.3"});
  const Trajectory tight =
      simulate("rigid-box", {"scheme={name: moreau-jean, tolerance: 1e-12}", "step=1e-3", "until=0.3"});
  ASSERT_EQ(loose.rows.size(), tight.rows.size());
  EXPECT_GE(tight.end.summary.newton_sum, loose.end.summary.newton_sum);
  double difference = 0;
  for (std::size_t k = 0; k < loose.rows.size(); ++k)
    difference = std::max(difference, (loose.rows[k].q - tight.rows[k].q).lpNorm<Eigen::Infinity>());
  EXPECT_LT(difference, 1e-9);
  // and directly: whatever the passes, q_k ⊕ x = q_{k+1} for x = h (v_k + v_{k+1}) / 2
  const Scenario box = load_scenario("rigid-box");
  for (const Trajectory* run : {&loose, &tight})
    for (std::size_t k = 1; k < run->rows.size(); ++k) {
      const Row &a = run->rows[k - 1], &b = run->rows[k];
      VectorXd x(6);
      box.model.difference(a.q, b.q, x);
      EXPECT_LT((x - b.h / 2 * (a.v + b.v)).norm(), 1e-14);  // measured 3.79e-16
    }
}

}  // namespace
}  // namespace ricochet::test::rigid_box_test
