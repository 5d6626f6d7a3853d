// Systems of many coordinates written as formulas: what they cost to load, and that lists of nonzeros give what dense
// storage gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/formula/lagrange.hpp"
#include "support/allocations.hpp"
#include "support/problems.hpp"
#include "support/runs.hpp"

namespace ricochet::test::formulas_test {
namespace {

/// A scenario of formulas with coordinates q0, q1, ....
class Text {
 public:
  explicit Text(int n) : n_(n) {
    out_ = "system:\n  formulas:\n    coordinates: [";
    for (int i = 0; i < n; ++i) out_ += fmt::format("{}q{}", i == 0 ? "" : ", ", i);
    out_ += "]\n";
  }
  /// key: the sum over i from first to n of what `term` writes, and more.
  template <class Term>
  Text& sum(const char* key, int first, Term term, const std::string& more = "") {
    out_ += fmt::format("    {}: ", key);
    for (int i = first; i < n_; ++i) out_ += (i == first ? "" : " + ") + term(i);
    out_ += more + "\n";
    return *this;
  }
  Text& add(const std::string& text) {
    out_ += text;
    return *this;
  }
  Scenario read() const { return read_scenario(out_, "test"); }

 private:
  int n_;
  std::string out_;
};

std::string kinetic(int i) { return fmt::format("q{}'^2/2", i); }
std::string spring(int i) { return fmt::format("50*(q{}-q{})^2", i, i - 1); }

/// n masses between walls, with springs, in a mode of vibration.
Scenario springs(int n, double amplitude, int mode) {
  Text text(n);
  text.sum("kinetic", 0, kinetic).sum("potential", 1, spring, fmt::format(" + 50*q0^2 + 50*q{}^2", n - 1));
  text.add("initial:\n  position: {");
  for (int i = 0; i < n; ++i)
    text.add(fmt::format("{}q{}: {:.17g}", i == 0 ? "" : ", ", i,
                         amplitude * std::sin(std::numbers::pi * mode * (i + 1) / (n + 1))));
  return text.add("}\nsimulation: {scheme: {name: moreau-jean, theta: 0.5}, step: 1e-2, until: 0.2}\n").read();
}

TEST(Formulas, ChainOfAThousandMassesVibrates) {
  constexpr int n = 1000, mode = 700;
  const Scenario s = springs(n, 1e-2, mode);
  EXPECT_EQ(s.model.layout().structure, Structure::blocks);
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  // the midpoint rule turns a mode by 2 atan(omega h / 2) in a step
  const double h = 1e-2, omega = 20 * std::sin(std::numbers::pi * mode / (2 * (n + 1)));
  const double phase = 2 * std::atan(omega * h / 2);
  double error = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    error = std::max(
        error, (run.rows[k].q - s.initial.q * std::cos(phase * static_cast<double>(k))).lpNorm<Eigen::Infinity>());
  EXPECT_EQ(run.rows.size(), 21u);
  EXPECT_LT(error, 1e-13);  // 3.0e-15
}

#if defined(RICOCHET_COUNTS_ALLOCATIONS)
struct Cost {
  double calls, bytes;
};
template <class Load>
Cost cost(Load load) {
  const long calls = allocations, bytes = allocated;
  load();
  return {static_cast<double>(allocations - calls), static_cast<double>(allocated - bytes)};
}

/// Springs that stiffen, a damper, contacts whose gaps bend; n / 2 of them.
Scenario contacts(int n) {
  Text text(n);
  text.sum("kinetic", 0, kinetic)
      .sum("potential", 1, [](int i) { return fmt::format("50*(q{0}-q{1})^2 + (q{0}-q{1})^4", i, i - 1); })
      .add("    forces: {q0: -q0'*q1^2}\n    contacts:\n");
  for (int i = 1; i < n; i += 2) text.add(fmt::format("      c{0}: {{gap: 1 + q{0} + q{1}^2/8}}\n", i, i - 1));
  return text.add("simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}\n").read();
}

// Linear: twice the chain, twice the cost. n^2 would be 4, what once was 8.
TEST(Formulas, LoadingCostsInProportionToTheLength) {
  for (const auto& load : {std::function<void(int)>([](int n) { springs(n, 1e-2, 1); }),
                           std::function<void(int)>([](int n) { contacts(n); })}) {
    const Cost once = cost([&] { load(200); }), twice = cost([&] { load(400); });
    EXPECT_LT(twice.calls / once.calls, 2.1) << once.calls;
    EXPECT_LT(twice.bytes / once.bytes, 2.5) << once.bytes;
  }
}

TEST(Formulas, d500) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  EXPECT_LT(cost([] { load_scenario(test::found("d500.yaml")); }).bytes, 2e8);  // 3.4e7; once 10.5 GB
}
#endif

// 250 sines, one in the other: the gradient is a product of as many cosines, the tangent a sum of as many products.
TEST(Formulas, sin250) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  const Trajectory run = simulate(load_scenario(test::found("sin250.yaml")));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  double V = 1, slope = 1;
  for (int i = 0; i < 250; ++i) {
    slope *= std::cos(V);
    V = std::sin(V);
  }
  const Row& end = run.rows.back();
  EXPECT_NEAR(run.rows.front().energy, V, 1e-15);
  EXPECT_NEAR(end.v[0], -end.h * slope, 1e-5 * end.h * slope);
}

// A term that is lost in rounding but couples all coordinates makes the same system dense.
Scenario chain(int n, bool dense, const std::string& scheme) {
  std::string all;
  for (int i = 0; dense && i < n; ++i) all += fmt::format("{}q{}", i == 0 ? " + 1e-40*(" : " + ", i);
  if (dense) all += ")";
  Text text(n);
  text.sum(
          "kinetic", 0, [](int i) { return fmt::format("(2 + sin(q{0})*q{1})*q{0}'^2/2", i, i / 2); }, " + q3'*q4'/8")
      .sum(
          "potential", 1, [](int i) { return fmt::format("50*(q{0}-q{1})^2 + 9*(q{0}-q{1})^4", i, i - 1); },
          dense ? all + "^2" : "")
      .add("    forces: {q0: -0.1*q0'*q1^2 + sin(3*t), q7: -q8'}\n")
      .add("    joints: {rod: 'q20^2 + (q21-1)^2 - 1" + all + "'}\n    contacts:\n");
  for (int i = 30; i < n; i += 3)
    text.add(
        fmt::format("      c{0}: {{gap: 'q{0} + q{1}*q{2}/8 + 1e-3{3}', restitution: 0.5}}\n", i, i - 9, i - 4, all));
  text.add("initial: {velocity: {");
  for (int i = 30; i < n; ++i) text.add(fmt::format("{}q{}: {}", i == 30 ? "" : ", ", i, (i * 7 % 11 - 5) / 10.0));
  return text.add(fmt::format("}}}}\nsimulation: {{scheme: {}, step: 1e-3, until: 0.05}}\n", scheme)).read();
}

TEST(Formulas, ListsOfNonzerosGiveWhatDenseStorageGives) {
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha", "combined", "newmark", "moreau-jean-midpoint"}) {
    const Scenario sparse = chain(60, false, scheme), dense = chain(60, true, scheme);
    EXPECT_EQ(sparse.model.layout().structure, Structure::blocks);
    EXPECT_EQ(dense.model.layout().structure, Structure::dense);
    const Trajectory a = simulate(sparse), b = simulate(dense);
    ASSERT_EQ(a.result.status, RunStatus::finished) << scheme;
    ASSERT_EQ(b.result.status, RunStatus::finished) << scheme;
    ASSERT_EQ(a.rows.size(), b.rows.size()) << scheme;
    double q = 0, v = 0, P = 0;
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
      q = std::max(q, (a.rows[k].q - b.rows[k].q).lpNorm<Eigen::Infinity>());
      v = std::max(v, (a.rows[k].v - b.rows[k].v).lpNorm<Eigen::Infinity>());
      for (std::size_t c = 0; c < a.rows[k].P.size(); ++c) P = std::max(P, a.rows[k].P[c]);
    }
    EXPECT_GT(P, 0.1) << scheme;    // contacts have closed
    EXPECT_LT(q, 1e-15) << scheme;  // 5.2e-18
    EXPECT_LT(v, 1e-13) << scheme;  // 1.1e-16
  }
}

// Coordinates that fall apart into small groups have an operator of blocks along the diagonal, also when a joint spans
// more of them than it holds at once.
TEST(Formulas, GroupsAreBlocks) {
  constexpr int n = 60;
  Text text(n);
  std::string all = "q0";
  for (int i = 5; i < n; i += 5) all += fmt::format(" + q{}", i);
  text.sum("kinetic", 0, kinetic)
      .sum("potential", 1, [](int i) { return i % 2 == 0 ? fmt::format("-q{}", i) : spring(i); })
      .add("    joints: {sum: '" + all + "'}\nsimulation: {scheme: moreau-jean, step: 1e-2, until: 0.1}\n");
  const Scenario s = text.read();
  EXPECT_EQ(s.model.layout().structure, Structure::block_diagonal);
  EXPECT_EQ(s.model.layout().blocks.size(), n / 2u);
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  double sum = 0;
  for (int i = 0; i < n; i += 5) sum += run.end.state.q[i];
  EXPECT_NEAR(sum, 0, 1e-14);
}

// What has no mass is held by a joint alone, which a dense operator takes in.
TEST(Formulas, MasslessCoordinatesOfAChainOfMany) {
  constexpr int n = 60;
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha", "newmark", "event-driven"}) {
    Text text(n);
    text.sum("kinetic", 1, kinetic).sum("potential", 1, spring);
    text.add("    joints: {held: q0 - sin(q2)}\ninitial: {velocity: {q1: 1}}\n");
    const Scenario s = text.add(fmt::format("simulation: {{scheme: {}, step: 1e-3, until: 0.01}}\n", scheme)).read();
    EXPECT_EQ(s.model.layout().structure, Structure::dense);
    EXPECT_EQ(simulate(s).result.status, RunStatus::finished) << scheme;
  }
}

// By hand, for T = (1 + q1^2) q0'^2/2 + q2 q0' + q1'^2/2 and n = 60: rows of coordinates that do not occur are empty.
TEST(Formulas, ConvectiveTermsComeFromNonzeros) {
  Graph g;
  Symbols symbols;
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    names.push_back(fmt::format("q{}", i));
    symbols[names[i]] = g.variable(i);
    symbols[names[i] + "'"] = g.variable(formula::kMost + i);
  }
  const NodeId T = parse("(1 + q1^2)*q0'^2/2 + q2*q0' + q1'^2/2", symbols, g);
  const formula::Lagrange l(g, names, {T, g.constant(0), std::vector<NodeId>(60, g.constant(0))});
  EXPECT_EQ(l.bias[0], parse("2*q1*q0'*q1' + q2'", symbols, g));
  EXPECT_EQ(l.bias[1], parse("-q1*q0'^2", symbols, g));
  EXPECT_EQ(l.bias[2], parse("-q0'", symbols, g));
  EXPECT_EQ(l.bias[3], g.constant(0));
  EXPECT_EQ(l.mass.size(), 60u);
  // a_0 + ...: q1, v0, v1, v2; q1, v0; v0
  EXPECT_EQ(l.coupled, (formula::Entries{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}}));
}

}  // namespace
}  // namespace ricochet::test::formulas_test
