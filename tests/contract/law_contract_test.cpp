// What every contact law of the table keeps, sampled on random single contacts: its answer is put into a
// complementarity problem as the stages do, solved, and looked at.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "ricochet/model/law.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {
namespace {

struct Impact {
  Eigen::VectorXd P, U;
};

/// U+ = U_free + W P with the law's cone and restitution, as in Stage::assemble_cones.
Impact solve(const ContactLaw& law, const Eigen::MatrixXd& W, const Eigen::VectorXd& U_before,
             const Eigen::VectorXd& U_free) {
  const int dim = law.dim(2);
  LocalState state;
  state.h = 1e-3;
  state.dim = dim;
  for (int i = 0; i < dim; ++i) state.U_before[static_cast<std::size_t>(i)] = U_before[i];
  const LocalLaw local = law.local(state);
  Problem problem;
  problem.rows = dim;
  problem.blocks = {{local.cone, 0, dim, local.mu}};
  double* w = problem.W.make_dense(dim);
  double* b = problem.b.need(dim);
  for (int j = 0; j < dim; ++j)
    for (int i = 0; i < dim; ++i) w[i + j * dim] = W(i, j);
  for (int i = 0; i < dim; ++i) b[i] = U_free[i];
  b[0] += local.restitution * U_before[0];
  Solution solution;
  solution.fit(dim);
  SolverScratch scratch;
  find_solver("auto")->solve(problem, {}, solution, scratch);
  EXPECT_EQ(solution.status, SolveStatus::converged);
  Impact out{Eigen::VectorXd(dim), Eigen::VectorXd(dim)};
  for (int i = 0; i < dim; ++i) out.P[i] = solution.p[i];
  out.U = U_free.head(dim) + W.topLeftCorner(dim, dim) * out.P;
  return out;
}

class LawContract : public testing::TestWithParam<std::string> {
 protected:
  std::mt19937 random_{3};
  std::normal_distribution<double> normal_;
  Eigen::MatrixXd matrix() {
    const Eigen::Matrix3d A = Eigen::Matrix3d::NullaryExpr([&] { return normal_(random_); });
    return A * A.transpose() + 0.1 * Eigen::Matrix3d::Identity();
  }
  Eigen::VectorXd velocity() {
    return Eigen::Vector3d(-std::abs(normal_(random_)), normal_(random_), normal_(random_));
  }
};

TEST_P(LawContract, ConeComplementarityAndNewton) {
  for (int k = 0; k < 300; ++k) {
    const double e = (k % 5) / 4.0, mu = (k % 7) / 3.0;
    const auto law = make_law(GetParam(), {e, mu});
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    const Impact i = solve(*law, W, U, U);
    ASSERT_GE(i.P[0], 0);
    EXPECT_GT(i.P[0], 0);  // approaching: something must push
    EXPECT_NEAR(i.U[0], -e * U[0], 1e-10 * (1 + U.norm()));
    if (i.P.size() == 1) continue;
    const double tangential = i.P.tail(i.P.size() - 1).norm();
    EXPECT_LE(tangential, mu * i.P[0] * (1 + 1e-12) + 1e-14);
    const Eigen::VectorXd slip = i.U.tail(i.U.size() - 1), friction = i.P.tail(i.P.size() - 1);
    if (slip.norm() > 1e-9) {  // sliding: on the cone, against the slip
      EXPECT_NEAR(tangential, mu * i.P[0], 1e-9 * (1 + i.P[0]));
      EXPECT_NEAR(friction.dot(slip), -tangential * slip.norm(), 1e-8 * (1 + i.P[0]) * (1 + slip.norm()));
    }
  }
}

TEST_P(LawContract, FrictionlessImpactsDissipate) {
  for (int k = 0; k < 200; ++k) {
    const double e = (k % 11) / 10.0;
    const auto law = make_law(GetParam(), {e, 0});
    const Eigen::VectorXd U = velocity();
    const Impact i = solve(*law, matrix(), U, U);
    EXPECT_LE(i.P[0] * (i.U[0] + U[0]) / 2, 1e-12 * (1 + U.squaredNorm()));  // Thomson and Tait; zero for e = 1
    if (e == 1) {
      EXPECT_NEAR(i.P[0] * (i.U[0] + U[0]) / 2, 0, 1e-9 * (1 + U.squaredNorm()));
    }
  }
}

TEST_P(LawContract, TurningTheTangentFrameTurnsTheImpulse) {
  for (int k = 0; k < 100; ++k) {
    const auto law = make_law(GetParam(), {0.3, 0.6});
    if (law->dim(2) < 3) GTEST_SKIP() << "no tangential rows";
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    const double angle = normal_(random_);
    R.bottomRightCorner(2, 2) = Eigen::Rotation2Dd(angle).toRotationMatrix();
    const Impact a = solve(*law, W, U, U), b = solve(*law, R * W * R.transpose(), R * U, R * U);
    EXPECT_LT((R * a.P - b.P).norm(), 1e-8 * (1 + a.P.norm()));
  }
}

TEST_P(LawContract, WithoutFrictionAllLawsAgreeWithNewton) {
  for (int k = 0; k < 100; ++k) {
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    const Impact a = solve(*make_law(GetParam(), {0.4, 0}), W, U, U),
                 b = solve(*make_law("newton-impact", {0.4, 0}), W, U, U);
    EXPECT_NEAR(a.P[0], b.P[0], 1e-10 * (1 + b.P[0]));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const LawInfo& law : laws()) out.push_back(law.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Table, LawContract, testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ricochet
