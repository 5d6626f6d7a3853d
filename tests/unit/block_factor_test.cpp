// Sparse LU of bodies with joints against dense elimination, on random trees and loops.
#include "ricochet/math/block_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/dense.hpp"

namespace ricochet::block_factor_test {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed * 0x9e3779b97f4a7c15u + 1) {}
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double number() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }  // in [-1, 1)

 private:
  std::uint64_t next() {
    bits_ ^= bits_ << 13, bits_ ^= bits_ >> 7, bits_ ^= bits_ << 17;
    return bits_;
  }
  std::uint64_t bits_;
};

struct System {
  NodePattern pattern;
  MatrixXd A;
  int redundant = 0;
};

/// Bodies of 1, 3 or 6 coordinates, joints in a tree, perhaps one more that closes a loop, springs; with `repeated` one
/// joint twice.
System random_system(std::uint64_t seed, bool repeated) {
  Chance chance(seed);
  System s;
  NodePattern& p = s.pattern;
  int at = 0;
  const auto node = [&](int n) {
    p.nodes.push_back({at, n});
    at += n;
  };
  p.bodies = 2 + chance.below(12);
  for (int b = 0; b < p.bodies; ++b) node(chance.below(3) == 0 ? 1 : chance.below(2) == 0 ? 3 : 6);
  const int n = at;
  std::vector<std::pair<int, int>> joints;
  const auto joint = [&](int a, int b, int rows) {
    joints.emplace_back(a, b);
    const auto j = static_cast<int>(p.nodes.size());
    node(rows);
    if (a >= 0) p.couples.emplace_back(a, j);
    p.couples.emplace_back(j, b);
  };
  for (int b = 0; b < p.bodies; ++b) {
    const int a = chance.below(b + 1) - 1;
    if (b == 0 || chance.below(4) > 0) joint(a, b, 1 + chance.below(std::min(p.nodes[b].n, a >= 0 ? p.nodes[a].n : 6)));
  }
  if (chance.below(2) == 0 && p.bodies > 3) joint(0, p.bodies - 1, 1);
  const int copied = repeated ? chance.below(static_cast<int>(joints.size())) : -1;
  if (repeated) joint(joints[copied].first, joints[copied].second, p.nodes[p.bodies + copied].n);
  s.A = MatrixXd::Zero(at, at);
  for (int b = 0; b < p.bodies; ++b) {
    const Range& r = p.nodes[b];
    MatrixXd X(r.n, r.n);
    for (double& x : X.reshaped()) x = chance.number();
    s.A.block(r.at, r.at, r.n, r.n) = X * X.transpose() + MatrixXd::Identity(r.n, r.n);
  }
  for (int b = 1; b < p.bodies; ++b) {
    if (chance.below(3) > 0) continue;
    const int a = chance.below(b);
    p.couples.emplace_back(a, b);
    VectorXd c = VectorXd::Zero(n);
    for (int k : {a, b})
      for (int i = 0; i < p.nodes[k].n; ++i) c[p.nodes[k].at + i] = chance.number();
    s.A.topLeftCorner(n, n) += 0.3 * c * c.transpose();
  }
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (int b : {joints[j].first, joints[j].second}) {
      if (b < 0) continue;
      const Range &rb = p.nodes[b], &rj = p.nodes[p.bodies + static_cast<int>(j)];
      for (int i = 0; i < rb.n; ++i)
        for (int k = 0; k < rj.n; ++k) {
          const double x = chance.number();  // L and D differ a little
          s.A(rb.at + i, rj.at + k) = x;
          s.A(rj.at + k, rb.at + i) = x * (1 + 0.01 * chance.number());
        }
    }
  if (repeated) {
    const Range &from = p.nodes[p.bodies + copied], &to = p.nodes.back();
    s.A.middleCols(to.at, to.n) = s.A.middleCols(from.at, from.n);
    s.A.middleRows(to.at, to.n) = s.A.middleRows(from.at, from.n);
    s.redundant = to.n;
  }
  return s;
}

bool fill(const System& s, double scale, BlockFactor& F) {
  bool inside = true;
  F.zero();
  const int n = s.pattern.nodes[s.pattern.bodies - 1].at + s.pattern.nodes[s.pattern.bodies - 1].n;
  for (int i = 0; i < s.A.rows(); ++i)
    for (int j = 0; j < s.A.cols(); ++j)
      if (s.A(i, j) != 0) inside = F.add(i, j, (i < n && j < n ? scale : 1) * s.A(i, j)) && inside;
  return inside;
}

TEST(BlockFactor, SolvesTreesAndLoops) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const System s = random_system(seed, false);
    BlockFactor F;
    F.analyse(s.pattern);
    ASSERT_TRUE(fill(s, 1, F)) << "seed " << seed;
    ASSERT_TRUE(F.factorise()) << "seed " << seed;
    ASSERT_EQ(F.redundant(), s.A.rows() - test::rank(s.A)) << "seed " << seed;
    const VectorXd b = s.A * VectorXd::LinSpaced(s.A.rows(), -1, 1);
    VectorXd x = b;
    F.solve(x.data());
    EXPECT_LE((s.A * x - b).norm(), 1e-10 * b.norm()) << "seed " << seed;  // measured: 2e-12
  }
}

/// H^T A^-1 G out of the halves along the elimination tree, joints redundant or not; what lies in different trees does
/// not meet.
TEST(BlockFactor, HalvesOfSolutionsMakeProducts) {
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const System s = random_system(seed, seed % 2 == 0);
    BlockFactor F;
    F.analyse(s.pattern);
    ASSERT_TRUE(fill(s, 1, F));
    ASSERT_TRUE(F.factorise());
    Chance chance(1000 + seed);
    Jacobian G, H, Y, Z;
    for (int k = 0; k < 6; ++k) {
      const Range a = s.pattern.nodes[chance.below(s.pattern.bodies)],
                  b = s.pattern.nodes[chance.below(s.pattern.bodies)];
      const int dim = 1 + chance.below(3);
      for (Jacobian* J : {&G, &H}) {
        double* row = a.at == b.at ? J->add(dim, a) : J->add(dim, a, b);
        for (int i = 0; i < dim * (a.at == b.at ? a.n : a.n + b.n); ++i) row[i] = chance.number();
      }
    }
    F.half_solve(G, 1, Y);  // the first block is left out
    F.half_solve_transposed(H, 1, Z);
    ASSERT_EQ(Y.blocks().size(), 5u);
    for (std::size_t j = 0; j < 5; ++j) {
      const Jacobian::Block &from = G.blocks()[j + 1], &half = Y.blocks()[j];
      for (int c = 0; c < from.dim; ++c) {
        VectorXd x = VectorXd::Zero(s.A.rows());
        std::vector<double> unit(from.dim, 0.0);
        unit[c] = 1;
        G.add_block_times(from, 1, unit.data(), x);
        F.solve(x.data());
        VectorXd finished = VectorXd::Zero(s.A.rows());
        F.finish(Y, half, c, finished.data());
        EXPECT_LE((finished - x).norm(), 1e-9 * (1 + x.norm())) << "seed " << seed;  // measured: 2e-13
        for (std::size_t i = 0; i < 5; ++i) {
          const Jacobian::Block &to = H.blocks()[i + 1], &other = Z.blocks()[i];
          const bool meet = F.tree_of(G.ranges(from)[0].at) == F.tree_of(H.ranges(to)[0].at);
          apart += from.ranges == 1 && to.ranges == 1 && !meet;
          for (int r = 0; r < to.dim; ++r) {
            const double whole = H.row_times(to, r, x), product = block_dot(Z, other, r, Y, half, c);
            EXPECT_NEAR(product, whole, 1e-9 * (1 + x.norm())) << "seed " << seed;  // measured: 2e-13
            if (from.ranges == 1 && to.ranges == 1 && !meet) {
              EXPECT_EQ(product, 0);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(apart, 100);
}

/// A chain of masses with springs and a row on each: paths to the root have half the chain in common, and products of
/// halves are of its cube where whole solutions are of its square. Masses by themselves have nothing in common.
TEST(BlockFactor, TellsWhenHalvesAreDearer) {
  const auto products = [](bool chain, bool halves) {
    constexpr int kMasses = 100;
    NodePattern pattern;
    pattern.bodies = kMasses;
    for (int k = 0; k < kMasses; ++k) {
      pattern.nodes.push_back({k, 1});
      if (chain && k > 0) pattern.couples.emplace_back(k - 1, k);
    }
    BlockFactor F;
    F.analyse(pattern);
    F.zero();
    Jacobian G, Y;
    for (int k = 0; k < kMasses; ++k) {
      F.add(k, k, 3);
      if (chain && k > 0) F.add(k, k - 1, -1), F.add(k - 1, k, -1);
      *G.add(1, pattern.nodes[k]) = 1;
    }
    EXPECT_TRUE(F.factorise());
    F.half_solve(G, 0, Y);
    return halves ? F.half_products() : F.whole_products();
  };
  EXPECT_EQ(products(false, true), 100);
  EXPECT_EQ(products(false, false), 100);
  EXPECT_GT(products(true, true), 4 * products(true, false));  // measured: 338,549 and 20,000
}

TEST(BlockFactor, LeavesRedundantJointsOut) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const System s = random_system(seed, true);
    BlockFactor F;
    F.analyse(s.pattern);
    ASSERT_TRUE(fill(s, 1, F)) << "seed " << seed;
    ASSERT_TRUE(F.factorise()) << "seed " << seed;
    ASSERT_GE(F.redundant(), s.redundant) << "seed " << seed;
    const VectorXd b = s.A * VectorXd::LinSpaced(s.A.rows(), -1, 1);  // in the range of A
    VectorXd x = b, z(s.A.rows());
    F.solve(x.data());
    EXPECT_LE((s.A * x - b).norm(), 1e-10 * b.norm()) << "seed " << seed;
    for (int k = 0; k < F.redundant(); ++k) {
      F.null_vector(k, z.data());
      EXPECT_GT(z.norm(), 0) << "seed " << seed;
      EXPECT_LE((s.A * z).norm(), 1e-10 * s.A.norm() * z.norm()) << "seed " << seed;
      VectorXd own = VectorXd::Constant(z.size(), 7);
      F.null_vector_in_tree(k, own.data());
      for (int i = 0; i < z.size(); ++i)
        EXPECT_EQ(own[i], F.tree_of(i) == F.tree_of_redundant(k) ? z[i] : 7) << "seed " << seed;
    }
  }
}

TEST(BlockFactor, MassesScaledByPowersOfFourGiveTheSameBits) {
  const System s = random_system(7, false);
  const int n = s.pattern.nodes[s.pattern.bodies - 1].at + s.pattern.nodes[s.pattern.bodies - 1].n;
  BlockFactor F;
  F.analyse(s.pattern);
  std::vector<VectorXd> found;
  for (double scale : {1.0, 0x1p-20, 0x1p40}) {
    fill(s, scale, F);
    ASSERT_TRUE(F.factorise());
    VectorXd x = VectorXd::LinSpaced(s.A.rows(), -1, 1);
    x.head(n) *= scale;
    F.solve(x.data());
    x.tail(x.size() - n) /= scale;  // multipliers are forces
    found.push_back(x);
  }
  for (const VectorXd& x : found) EXPECT_TRUE(same_bits(x, found[0]));
}

TEST(BlockFactor, RefusesWhatIsNotInThePattern) {
  BlockFactor F;
  F.analyse({{{0, 2}, {2, 2}}, 2, {}});
  F.zero();
  EXPECT_TRUE(F.add(0, 1, 1));
  EXPECT_FALSE(F.add(1, 2, 1));
  EXPECT_FALSE(F.factorise());  // zero rows are no bodies
}

TEST(BlockFactor, ChainsCostWhatTheirLinksCost) {
  const auto entries = [](int links) {
    NodePattern p;
    for (int b = 0; b < links; ++b) p.nodes.push_back({6 * b, 6});
    p.bodies = links;
    for (int j = 0; j < links; ++j) {
      p.nodes.push_back({6 * links + 5 * j, 5});
      p.couples.emplace_back(j, links + j);
      if (j > 0) p.couples.emplace_back(j - 1, links + j);
    }
    BlockFactor F;
    F.analyse(p);
    return F.factor_entries();
  };
  EXPECT_EQ(entries(400) - entries(300), entries(300) - entries(200));
  EXPECT_LE(entries(400), 400 * 253);
}

}  // namespace
}  // namespace ricochet::block_factor_test
