// W formed over the bodies that contacts share, against W formed entry by entry.
#include "ricochet/solver/delassus.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ricochet/math/team.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::delassus_test {
namespace {

/// Blocks of 1, 2, 3, 5 and 6 rows over one or two of `bodies` bodies of three to six coordinates each; L and Y apart.
struct Rows {
  Jacobian L, Y;
  std::vector<ConeBlock> cones;
  int n = 0;

  Rows(unsigned seed, int blocks, int bodies, const std::vector<int>& sizes) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<Range> body;
    for (int k = 0; k < bodies; ++k) {
      body.push_back({n, 3 + k % 4});
      n += 3 + k % 4;
    }
    for (int k = 0; k < blocks; ++k) {
      const int dim = sizes[random() % sizes.size()], a = static_cast<int>(random() % bodies);
      const int b = random() % 3 == 0 ? static_cast<int>(random() % bodies) : a;
      cones.push_back({dim == 3 ? Cone::coulomb : Cone::nonnegative, L.rows(), dim, 0.3});
      const Range one = body[a], other = body[b];
      const int length = a == b ? one.n : one.n + other.n;
      for (Jacobian* G : {&L, &Y}) {
        double* row = a == b ? G->add(dim, one) : G->add(dim, one, other);
        for (int i = 0; i < dim * length; ++i) row[i] = number(random);
      }
    }
  }
};

TEST(Delassus, RowsAreSharedWithTheSameBits) {
  for (const std::vector<int>& sizes : {std::vector<int>{3}, {1, 2, 3, 5, 6}}) {
    const Rows rows(7, 500, 90, sizes);
    Delassus one;
    one.form(rows.L, rows.Y, rows.n, Delassus::Storage::sparse);
    for (const int threads : {2, 3, 5}) {
      Crew crew;
      crew.allow(threads);
      Delassus many;
      for (int repeat = 0; repeat < 20; ++repeat) {
        many.form(rows.L, rows.Y, rows.n, Delassus::Storage::sparse, &crew);
        ASSERT_EQ(many.stored(), one.stored());
        std::vector<double> a, b;
        one.for_each_entry([&](int i, int j, double value) { a.insert(a.end(), {1.0 * i, 1.0 * j, value}); });
        many.for_each_entry([&](int i, int j, double value) { b.insert(b.end(), {1.0 * i, 1.0 * j, value}); });
        ASSERT_EQ(a, b) << threads << " threads";
      }
      EXPECT_EQ(crew.at_work(), threads);
    }
  }
}

class Forms : public testing::TestWithParam<std::vector<int>> {};

TEST_P(Forms, SparseIsDenseToTheLastBit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Rows rows(seed, 40, 30, GetParam());
    const int m = rows.L.rows();
    Delassus dense, sparse;
    dense.form(rows.L, rows.Y, rows.n, Delassus::Storage::dense);
    sparse.form(rows.L, rows.Y, rows.n, Delassus::Storage::sparse);
    ASSERT_EQ(sparse.storage(), Delassus::Storage::sparse);
    EXPECT_LT(sparse.stored(), dense.stored());
    std::vector<double> all(static_cast<std::size_t>(m) * m), p(m), u(m), v(m);
    sparse.copy_dense(all.data());
    for (int i = 0; i < m; ++i) p[i] = i % 3 - 1.1;
    int entries = 0;
    sparse.for_each_entry([&](int i, int j, double value) {
      EXPECT_EQ(value, dense(i, j));
      ++entries;
    });
    EXPECT_EQ(entries, sparse.stored());
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) EXPECT_EQ(all[i + static_cast<std::size_t>(j) * m], dense(i, j));
    Buffer scratch;
    dense.apply(p.data(), u.data(), scratch);
    sparse.apply(p.data(), v.data(), scratch);
    for (int i = 0; i < m; ++i) EXPECT_NEAR(u[i], v[i], 1e-13);
    for (const ConeBlock& cone : rows.cones) {
      EXPECT_EQ(sparse.mean_diagonal(cone), dense.mean_diagonal(cone));
      std::vector<double> a(36), b(36);
      sparse.diagonal_block(cone, a.data());
      dense.diagonal_block(cone, b.data());
      EXPECT_EQ(a, b);
      for (int i = cone.row; i < cone.row + cone.dim; ++i) EXPECT_EQ(sparse.diagonal(i), dense.diagonal(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Forms,
                         testing::Values(std::vector<int>{3}, std::vector<int>{1}, std::vector<int>{1, 3},
                                         std::vector<int>{1, 2, 3, 5, 6}));

/// L and Y in place of blocks: the blocks that are visited have the same bits, and products differ by rounding alone.
TEST_P(Forms, KeptIsSparseToTheLastBit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Rows rows(seed, 40, 30, GetParam());
    const int m = rows.L.rows();
    Delassus sparse, kept;
    sparse.form(rows.L, rows.Y, rows.n, Delassus::Storage::sparse);
    kept.keep(rows.L, rows.Y, rows.n);
    for (Delassus* W : {&sparse, &kept}) W->add_diagonal(m / 2, 0.25);
    EXPECT_TRUE(sparse.formed());
    ASSERT_FALSE(kept.formed());
    EXPECT_EQ(kept.stored(), sparse.stored());
    EXPECT_LT(kept.held(), sparse.held());
    std::vector<double> a, b, p(m), u(m), v(m);
    sparse.for_each_entry([&](int i, int j, double value) { a.insert(a.end(), {1.0 * i, 1.0 * j, value}); });
    kept.for_each_entry([&](int i, int j, double value) { b.insert(b.end(), {1.0 * i, 1.0 * j, value}); });
    EXPECT_EQ(a, b);
    std::vector<int> pointers, columns;
    kept.copy_pattern(pointers, columns);
    EXPECT_EQ(pointers, sparse.pointers());
    EXPECT_EQ(columns, sparse.columns());
    for (const ConeBlock& cone : rows.cones) EXPECT_EQ(kept.mean_diagonal(cone), sparse.mean_diagonal(cone));
    for (int i = 0; i < m; ++i) EXPECT_EQ(kept.diagonal(i), sparse.diagonal(i)), p[i] = i % 3 - 1.1;
    Buffer scratch;
    sparse.apply(p.data(), u.data(), scratch);
    kept.apply(p.data(), v.data(), scratch);
    for (int i = 0; i < m; ++i) EXPECT_NEAR(u[i], v[i], 1e-13);
  }
}

TEST(Delassus, ProductsAreSharedWithTheSameBits) {
  const Rows rows(11, 1200, 500, {3});
  const int m = rows.L.rows();
  std::vector<double> p(m), u(m), v(m);
  for (int i = 0; i < m; ++i) p[i] = i % 7 - 2.3;
  Delassus W;
  W.keep(rows.L, rows.Y, rows.n);
  Buffer scratch;
  W.apply(p.data(), u.data(), scratch);
  for (const int threads : {2, 3, 5}) {
    Team team(threads);
    W.apply(p.data(), v.data(), scratch, &team);
    EXPECT_EQ(u, v) << threads << " threads";
  }
}

/// The solvers on L and Y, in sweeps and, where they need blocks, in factors.
TEST(Delassus, SolversTakeWhatIsKept) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Rows rows(seed, 60, 25, {3});
    Problem sparse, kept;
    for (Problem* problem : {&sparse, &kept}) {
      problem->rows = rows.L.rows();
      problem->blocks = rows.cones;
      double* b = problem->b.need(problem->rows);
      for (int i = 0; i < problem->rows; ++i) b[i] = std::sin(1.0 + i);
    }
    sparse.W.form(rows.L, rows.L, rows.n, Delassus::Storage::sparse);
    kept.W.keep(rows.L, rows.L, rows.n);
    for (const char* solver : {"auto", "proximal-newton", "interior-point", "admm"}) {
      if (find_solver(solver) == nullptr) continue;
      Solution one, other;
      SolverScratch first, second;
      find_solver(solver)->solve(sparse, {}, one, first);
      find_solver(solver)->solve(kept, {}, other, second);
      EXPECT_EQ(one.status, other.status) << solver << " " << seed;
      for (int i = 0; i < sparse.rows && one.status == SolveStatus::converged; ++i)
        EXPECT_NEAR(one.u[i], other.u[i], 1e-9) << solver << " " << seed << " " << i;
    }
  }
}

/// The same contacts in both storages: the islands are the same, and so is what comes out.
TEST(Delassus, SolversFindTheSameIslandsInBothStorages) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Rows rows(seed, 30, 60, {1, 3});
    Problem dense, sparse;
    for (Problem* problem : {&dense, &sparse}) {
      problem->rows = rows.L.rows();
      problem->blocks = rows.cones;
      double* b = problem->b.need(problem->rows);
      for (int i = 0; i < problem->rows; ++i) b[i] = std::sin(1.0 + i);
    }
    dense.W.form(rows.L, rows.L, rows.n, Delassus::Storage::dense);
    sparse.W.form(rows.L, rows.L, rows.n, Delassus::Storage::sparse);
    Solution one, other;
    SolverScratch first, second;
    find_solver("auto")->solve(dense, {}, one, first);
    find_solver("auto")->solve(sparse, {}, other, second);
    EXPECT_EQ(one.status, other.status) << seed;
    EXPECT_EQ(one.iterations, other.iterations) << seed;
    for (int i = 0; i < dense.rows; ++i) EXPECT_EQ(one.p[i], other.p[i]) << seed << " " << i;
  }
}

}  // namespace
}  // namespace ricochet::delassus_test
