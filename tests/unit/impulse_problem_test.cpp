// S (x+ - x) = -r + D p with rows that end at what is asked of them, against one dense system of all unknowns.
#include "ricochet/scheme/pieces/impulse_problem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace ricochet {
namespace {

TEST(ImpulseProblem, IsTheSystemOfAllUnknowns) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto numbers = [&](Index rows, Index columns) {
    MatrixXd A(rows, columns);
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) A(i, j) = normal(random);
    return A;
  };
  for (int k = 0; k < 20; ++k) {
    const int n = 4 + k % 3, m = 1 + k % 3;
    const MatrixXd half = numbers(n, n), S = half * half.transpose() + MatrixXd::Identity(n, n);
    const MatrixXd D = numbers(n, m), L = numbers(n, m);
    const VectorXd r = numbers(n, 1), w = numbers(m, 1), x = numbers(n, 1);
    const double give = k % 2 == 0 ? 0 : 0.3;

    ImpulseProblem problem(n);
    problem.r = r;
    double* rows = problem.D.add(m, Range{0, n});
    std::copy(D.data(), D.data() + D.size(), rows);
    rows = problem.L.add(m, Range{0, n});
    std::copy(L.data(), L.data() + L.size(), rows);
    for (Buffer* buffer : {&problem.w, &problem.give, &problem.p, &problem.measure, &problem.factor}) buffer->need(m);
    for (int i = 0; i < m; ++i) problem.w[i] = w[i], problem.give[i] = give, problem.measure[i] = 1;
    problem.local.blocks.push_back({Cone::free, 0, m, 0});
    OperatorLayout layout;
    layout.n = n;
    Operator op(layout);
    op.zero();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) op.add(i, j, S(i, j));
    ASSERT_TRUE(op.factorise());
    problem.condense(op, nullptr);
    Eigen::Map<const MatrixXd> W(problem.local.W.dense(), m, m);
    Eigen::Map<const VectorXd> b(problem.local.b.data(), m);
    const VectorXd p = -W.fullPivLu().solve(b);
    std::copy(p.data(), p.data() + m, problem.p.data());
    VectorXd moved = x;
    problem.move(moved);

    MatrixXd all(n + m, n + m);
    all << S, -D, L.transpose(), MatrixXd::Identity(m, m) * give;
    VectorXd right(n + m);
    right << -r, -w;
    const VectorXd answer = all.fullPivLu().solve(right);
    EXPECT_LT((moved - x - answer.head(n)).norm(), 1e-9) << k;  // measured 1e-13
    EXPECT_LT((p - answer.tail(m)).norm(), 1e-9) << k;
    // at the place where it leads to nothing is left
    for (int i = 0; i < m; ++i) problem.w[i] = w[i] + L.col(i).dot(moved - x);
    EXPECT_LT(problem.left(), 1e-10) << k;
  }
}

}  // namespace
}  // namespace ricochet
