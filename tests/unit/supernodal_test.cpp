// Sparse factors in panels against the dense solution.
#include "ricochet/math/supernodal.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ricochet/model/element/dissection.hpp"
#include "support/dense.hpp"

namespace ricochet::test::supernodal_test {
namespace {

using Matrix = SupernodalFactor::Matrix;

/// Pattern of a mesh with three coordinates a node, numbered by `place`; entries at random, the diagonal heavy.
Matrix matrix_of(const SolidMesh& mesh, const std::vector<int>& place, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  const auto n = static_cast<Index>(3 * place.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& e : mesh.elements)
    for (const int a : mesh.nodes_of(e))
      for (const int b : mesh.nodes_of(e))
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const int row = 3 * place[static_cast<std::size_t>(a)] + i;
            const int column = 3 * place[static_cast<std::size_t>(b)] + j;
            if (row < column) continue;
            const double x = row == column ? 60 + normal(random) : normal(random);
            entries.emplace_back(row, column, x);
            if (row != column) entries.emplace_back(column, row, x);
          }
  Matrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(Supernodal, SolvesLikeADenseMatrix) {
  for (const int cells : {1, 3, 5}) {
    const SolidMesh mesh = make_box({{1, 1, 1}, {cells, 2, cells}, ElementKind::hex8});
    const std::vector<char> none(mesh.nodes.size(), 0);
    const std::vector<int> order = dissect(mesh, none);
    ASSERT_EQ(order.size(), mesh.nodes.size());
    std::vector<int> place(order.size(), -1), natural(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < order.size(); ++i) natural[i] = static_cast<int>(i);
    EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);  // every node once
    for (const auto& numbers : {place, natural}) {
      SupernodalFactor factor;
      for (const int seed : {1, 2}) {  // the second with what was analysed for the first
        const Matrix A = matrix_of(mesh, numbers, seed);
        if (seed == 1) factor.analyse(A);
        ASSERT_TRUE(factor.factorise(A));
        const Eigen::MatrixXd X = Eigen::MatrixXd::Random(A.rows(), 37);
        Eigen::MatrixXd Y = A * X;
        VectorXd y = Y.col(5);
        factor.solve(y.data());
        factor.solve(Y.data(), 37);
        EXPECT_LT((y - X.col(5)).norm(), 1e-13 * X.col(5).norm());  // measured 1e-15
        EXPECT_LT((Y - X).norm(), 1e-13 * X.norm());
      }
    }
  }
}

// Halves of solutions against whole ones: columns that begin anywhere, touch one node or two far from each other.
TEST(Supernodal, ComplianceIsThatOfWholeSolutions) {
  const SolidMesh mesh = make_box({{1, 1, 1}, {5, 4, 6}, ElementKind::hex8});
  const std::vector<int> order = dissect(mesh, std::vector<char>(mesh.nodes.size(), 0));
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const Matrix A = matrix_of(mesh, place, 1);
  const auto n = static_cast<int>(A.rows()), nodes = n / 3;
  SupernodalFactor factor;
  factor.analyse(A);
  ASSERT_TRUE(factor.factorise(A));
  Jacobian G;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 40; ++k) {
    const Range a{3 * ((k * 37 + 11) % nodes), 3}, b{3 * ((k * 61 + 5) % nodes), 3};
    const int dim = k % 2 == 0 ? 3 : 1, ranges = k % 3 == 0 && a.at != b.at ? 2 : 1;
    double* entries = ranges == 2 ? G.add(dim, a, b) : G.add(dim, a);
    for (int i = 0; i < 3 * ranges * dim; ++i) entries[i] = normal(random);
  }
  const Index m = G.rows();
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, m), W(m, m);
  for (Index j = 0; j < m; ++j) {
    VectorXd p = VectorXd::Zero(m), y = VectorXd::Zero(n);
    p[j] = 1;
    G.add_times(1, p.data(), y);
    columns.col(j) = y;
  }
  factor.compliance(G, W.data());
  const Eigen::MatrixXd whole = columns.transpose() * test::solve_dense(Eigen::MatrixXd(A), columns);
  EXPECT_LT((W - whole).norm(), 1e-13 * whole.norm());  // measured 4e-16
  EXPECT_EQ((W - W.transpose()).norm(), 0);
}

TEST(Supernodal, SaysWhatIsSingular) {
  Matrix A(3, 3);
  A.insert(0, 0) = 1;
  A.insert(1, 1) = 0;
  A.insert(2, 2) = 1;
  A.makeCompressed();
  SupernodalFactor factor;
  factor.analyse(A);
  EXPECT_FALSE(factor.factorise(A));
}

// Dissection pays: a cube in the order of its layers takes several times as much.
TEST(Supernodal, DissectionSavesOperations) {
  const SolidMesh mesh = make_box({{1, 1, 1}, {10, 10, 10}, ElementKind::hex8});
  const std::vector<int> order = dissect(mesh, std::vector<char>(mesh.nodes.size(), 0));
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const auto pattern = [&](const std::vector<int>& numbers) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& e : mesh.elements)
      for (const int a : mesh.nodes_of(e))
        for (const int b : mesh.nodes_of(e))
          entries.emplace_back(numbers[static_cast<std::size_t>(a)], numbers[static_cast<std::size_t>(b)], 1.0);
    Matrix A(static_cast<Index>(order.size()), static_cast<Index>(order.size()));
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  };
  std::vector<int> natural(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) natural[i] = static_cast<int>(i);
  SupernodalFactor cut, layers;
  cut.analyse(pattern(place));
  layers.analyse(pattern(natural));  // by minimum degree, which is the better of the two it has
  EXPECT_LT(cut.flops(), layers.flops());
}

}  // namespace
}  // namespace ricochet::test::supernodal_test
