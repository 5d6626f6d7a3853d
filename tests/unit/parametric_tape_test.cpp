// Parameters as inputs of tapes, and models that share what was compiled once.
#include "ricochet/math/expression/parametric_tape.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/expression/parse.hpp"
#include "ricochet/model/formulas.hpp"

namespace ricochet::parametric_tape_test {
namespace {

constexpr int kFirst = 1 << 20;

/// Outputs with parameters as inputs, and with their numbers in the formulas.
struct Both {
  std::vector<double> parametric, folded;
  int operations, operations_folded;
};

Both evaluate_both(const std::vector<std::string>& texts, const std::vector<double>& p, const std::vector<double>& x) {
  const auto build = [&](bool fold, Graph& graph) {
    Symbols symbols;
    for (std::size_t i = 0; i < x.size(); ++i) symbols["x" + std::to_string(i)] = graph.variable(static_cast<int>(i));
    for (std::size_t i = 0; i < p.size(); ++i)
      symbols["p" + std::to_string(i)] = fold ? graph.constant(p[i]) : graph.variable(kFirst + static_cast<int>(i));
    std::vector<NodeId> out;
    for (const std::string& text : texts) {
      out.push_back(parse(text, symbols, graph));
      out.push_back(graph.derivative(out.back(), 0));
    }
    return out;
  };
  const int n = static_cast<int>(x.size());
  Graph a, b;
  const ParametricTape parametric(a, build(false, a), n, kFirst);
  const Tape folded(b, build(true, b), n);
  Both out{{}, {}, parametric.running().operations(), folded.operations()};
  std::vector<double> work(parametric.work_size());
  parametric.prepare(work.data(), p);
  std::copy(x.begin(), x.end(), parametric.input(work.data()));
  parametric.run(work.data());
  out.parametric.assign(parametric.output(work.data()), parametric.output(work.data()) + parametric.outputs());
  std::vector<double> other(folded.work_size());
  folded.prepare(other.data());
  out.folded.resize(static_cast<std::size_t>(folded.outputs()));
  folded.evaluate(x.data(), out.folded.data(), other.data());
  return out;
}

TEST(ParametricTape, GivesWhatNumbersGive) {
  const std::vector<std::string> texts = {
      "p0*x0^2 + p1*x1 + p2",
      "p0*p1/p2*sin(x0)*cos(p3*x1) + (p0 + p1*p2)*(x0 - p3)",
      "p0^2 - sqrt(p1)*exp(-p2*x0)/(p3 + x1^2)",
      "p0*p1",
      "p0 + 2*x0 + p1 - 3",
      "max(p0, x0*p1) + abs(p2 - x1)",
      "x0*x1",
      "p3",
      "(p0*x0 + p1)^3 + atan2(p2*x1, p3)",
  };
  const Both all = evaluate_both(texts, {1.7, 0.3, -2.4, 0.9}, {0.4, -1.3});
  ASSERT_EQ(all.parametric.size(), all.folded.size());
  for (std::size_t k = 0; k < all.folded.size(); ++k)
    EXPECT_NEAR(all.parametric[k], all.folded[k], 1e-14 * (1 + std::abs(all.folded[k]))) << k;
  EXPECT_LE(all.operations, all.operations_folded);  // what parameters alone make is not run
}

TEST(ParametricTape, OfParametersAloneNothingRuns) {
  const Both all = evaluate_both({"sin(p0)*p1 + p2^3", "p0/p1"}, {0.3, 2.5, -1.1}, {1});
  EXPECT_EQ(all.operations, 0);
  EXPECT_NEAR(all.parametric[0], std::sin(0.3) * 2.5 - 1.331, 1e-14);
  EXPECT_NEAR(all.parametric[2], 0.12, 1e-15);
}

const char* const kPendulum = R"(
system:
  formulas:
    parameters: {m: 1.5, l: 0.7, g: 9.81, c: 0.2, n: 3, mu: 0.3, J: m*l^2/3}
    coordinates: [phi, s]
    kinetic: J/2*phi'^2 + m/2*s'^2 + m*l*cos(phi)*phi'*s'/9
    potential: -m*g*l*cos(phi) + 10*s^2 + 0.1*s^(n + 1)
    forces: {phi: -c*phi'}
    joints: {}
    contacts: {wall: {gap: l*sin(phi) + 0.5, slip: s, restitution: 0.5, friction: mu}}
initial: {position: {phi: 0.3}}
simulation: {scheme: combined, step: 1e-3, until: 0.1}
)";

double end_of(const Scenario& s) {
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState run_state = begin_run(s.model, *scheme, s.initial);
  EXPECT_EQ(run(s.model, *scheme, run_state, s.policy, nullptr).status, RunStatus::finished);
  return run_state.state.q[0];
}

/// A thousand variants of a parameter are compiled once, and each moves by its own values.
TEST(SharedFormulas, VariantsAreCompiledOnce) {
  const Scenario first = read_scenario(kPendulum, "pendulum");
  const std::size_t before = FormulaBuilder::compiled();
  double last = end_of(first);
  for (int k = 1; k <= 1000; ++k) {
    const Scenario s =
        read_scenario(kPendulum, "pendulum", {"system.formulas.parameters.m=" + std::to_string(1.5 + 1e-3 * k)});
    if (k % 250 != 0) continue;
    const double now = end_of(s);
    EXPECT_NE(now, last);
    last = now;
  }
  EXPECT_EQ(FormulaBuilder::compiled(), before);
  // the values are the variant's own: the same as with numbers in their place
  const Scenario numbers = read_scenario(
      kPendulum, "pendulum",
      {"system.formulas.parameters.m=2.5", "system.formulas.potential=-2.5*g*l*cos(phi) + 10*s^2 + 0.1*s^(n + 1)"});
  EXPECT_GT(FormulaBuilder::compiled(), before);
  EXPECT_NEAR(end_of(numbers), last, 1e-12);
}

/// Numbers that change which terms there are, and exponents, are part of the structure.
TEST(SharedFormulas, StructureIsCompiledAnew) {
  read_scenario(kPendulum, "pendulum");
  const auto compiles = [](const std::string& value) {
    const std::size_t before = FormulaBuilder::compiled();
    read_scenario(kPendulum, "pendulum", {"system.formulas.parameters." + value});
    return FormulaBuilder::compiled() > before;
  };
  EXPECT_FALSE(compiles("g=1.62"));
  EXPECT_TRUE(compiles("c=0"));
  EXPECT_TRUE(compiles("n=2"));
  EXPECT_FALSE(compiles("mu=0.5"));
}

}  // namespace
}  // namespace ricochet::parametric_tape_test
