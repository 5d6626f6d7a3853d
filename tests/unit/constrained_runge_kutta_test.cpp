// The conditions of order, tree by tree: a method has order p if for every rooted tree of up to p nodes the elementary
// weight is 1 over the density (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.2).
#include "ricochet/scheme/pieces/constrained_runge_kutta.hpp"

#include <gtest/gtest.h>

namespace ricochet::constrained_runge_kutta_test {
namespace {

struct Tree {
  std::vector<Tree> children;
  int nodes() const {
    int n = 1;
    for (const Tree& t : children) n += t.nodes();
    return n;
  }
  double density() const {
    double d = nodes();
    for (const Tree& t : children) d *= t.density();
    return d;
  }
};

/// All trees of n nodes: a root over every multiset of smaller trees, largest first.
void grow(int left, const std::vector<Tree>& smaller, std::size_t from, Tree& root, std::vector<Tree>& out) {
  if (left == 0) out.push_back(root);
  for (std::size_t k = from; k < smaller.size(); ++k) {
    if (smaller[k].nodes() > left) continue;
    root.children.push_back(smaller[k]);
    grow(left - smaller[k].nodes(), smaller, k, root, out);
    root.children.pop_back();
  }
}
std::vector<Tree> trees(int largest) {
  std::vector<Tree> all;
  for (int n = 1; n <= largest; ++n) {
    std::vector<Tree> fresh;
    Tree root;
    grow(n - 1, all, 0, root, fresh);
    all.insert(all.end(), fresh.begin(), fresh.end());
  }
  return all;
}

/// Product over the children of sum_j a_ij (weight of the child at j).
double weight(const Tableau& T, const Tree& tree, int i) {
  double product = 1;
  for (const Tree& child : tree.children) {
    double sum = 0;
    for (int j = 0; j < T.stages; ++j)
      if (const double a = T.a(i, j); a != 0) sum += a * weight(T, child, j);
    product *= sum;
  }
  return product;
}
double worst(const Tableau& T, int order) {
  double error = 0;
  for (const Tree& tree : trees(order)) {
    double sum = 0;
    for (int i = 0; i < T.stages; ++i) sum += T.b[static_cast<std::size_t>(i)] * weight(T, tree, i);
    error = std::max(error, std::abs(sum - 1 / tree.density()));
  }
  return error;
}

TEST(RungeKuttaOrder, TreesAreCounted) { EXPECT_EQ(trees(5).size(), 1u + 1 + 2 + 4 + 9); }

TEST(RungeKuttaOrder, ImplicitMethodsHaveTheirsAndNoMore) {
  for (int order = 2; order <= 5; ++order) {
    const Tableau& T = implicit_tableau(order);
    EXPECT_EQ(T.order, order);
    EXPECT_LT(worst(T, order), 1e-14) << T.name;
    EXPECT_GT(worst(T, order + 1), 1e-6) << T.name;
    double sum = 0;
    for (int i = 0; i < T.stages; ++i) {
      for (int j = i + 1; j < T.stages; ++j) EXPECT_EQ(T.a(i, j), 0);
      EXPECT_EQ(T.a(T.stages - 1, i), T.b[static_cast<std::size_t>(i)]) << "stiffly accurate";
      sum += T.b[static_cast<std::size_t>(i)];
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

TEST(RungeKuttaOrder, ExplicitMethodsHaveTheirs) {
  for (int order : {1, 2, 3, 4, 5}) {
    EXPECT_LT(worst(*explicit_tableau(order), order), 1e-14) << order;
    EXPECT_GT(worst(*explicit_tableau(order), order + 1), 1e-6) << order;
  }
  EXPECT_LT(worst(*explicit_tableau(8), 8), 1e-13);
  EXPECT_EQ(explicit_tableau(6), nullptr);
}

}  // namespace
}  // namespace ricochet::constrained_runge_kutta_test
