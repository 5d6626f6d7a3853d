// Formulas: text to graph, exact derivatives, tape. The references here are written anew, in extended precision.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "ricochet/math/expression/parse.hpp"
#include "ricochet/math/expression/tape.hpp"
#include "support/allocations.hpp"

// Counted, for the promise that a tape allocates nothing.
std::atomic<long> ricochet::test::allocations{0}, ricochet::test::allocated{0};
#if defined(RICOCHET_COUNTS_ALLOCATIONS)
using ricochet::test::allocated;
using ricochet::test::allocations;
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  allocated += static_cast<long>(n);
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace ricochet::expression_test {
namespace {

using Real = long double;
constexpr Real kUnit = 0x1p-53L;

Real exact_function(Op f, Real a, Real b) {
  switch (f) {
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::fabs(a);
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case Op::step: return a > 0 ? 1 : a < 0 ? 0 : a + 0.5L;
    case Op::pow: return std::pow(a, b);
    case Op::atan2: return std::atan2(a, b);
    case Op::hypot: return std::hypot(a, b);
    case Op::min: return std::isnan(a + b) ? a + b : std::fmin(a, b);
    case Op::max: return std::isnan(a + b) ? a + b : std::fmax(a, b);
    default: return std::nanl("");
  }
}

/// A value and how far a calculation in double, in any order of additions and multiplications, may be from it.
struct Bounded {
  Real value, error;
};

Bounded exact(const Graph& g, NodeId n, const std::vector<double>& x) {
  const auto terms = g.terms(n);
  const auto count = static_cast<Real>(terms.size());
  switch (g.op(n)) {
    case Op::constant: return {g.value(n), 0};
    case Op::variable: return {x[static_cast<std::size_t>(g.variable_index(n))], 0};
    case Op::sum: {
      Bounded s{g.value(n), 0};
      Real magnitude = std::fabs(s.value);
      for (const Term& t : terms) {
        const Bounded b = exact(g, t.node, x);
        s.value += t.weight * b.value;
        s.error += std::fabs(t.weight) * b.error;
        magnitude += std::fabs(t.weight * b.value);
      }
      return {s.value, 1.001L * s.error + (count + 2) * kUnit * magnitude};
    }
    case Op::product: {
      Bounded p{g.value(n), 0};
      Real relative = 2 * kUnit;
      for (const Term& t : terms) {
        const Bounded b = exact(g, t.node, x);
        p.value *= std::pow(b.value, static_cast<Real>(t.weight));
        relative += std::fabs(t.weight) * (b.error == 0 ? kUnit : b.error / std::fabs(b.value) + kUnit);
      }
      return {p.value, 1.01L * relative * std::fabs(p.value)};
    }
    default: {
      const Bounded a = exact(g, terms[0].node, x), b = count > 1 ? exact(g, terms[1].node, x) : Bounded{0, 0};
      const Real f = exact_function(g.op(n), a.value, b.value);
      Real spread = 0;
      for (const Real s : {-1, 1})
        for (const Real t : {-1, 1})
          spread =
              std::max(spread, std::fabs(exact_function(g.op(n), a.value + s * a.error, b.value + t * b.error) - f));
      return {f, 1.1L * spread + 2 * kUnit * std::fabs(f)};
    }
  }
}

void expect_near(Real a, Real b, Real tolerance, const std::string& what) {
  EXPECT_LE(std::fabs(a - b), tolerance) << a << " and " << b << ": " << what;
}

struct Formulas {
  Graph g;
  Symbols symbols;
  std::vector<std::string> names;

  explicit Formulas(std::vector<std::string> variables) : names(std::move(variables)) {
    for (std::size_t i = 0; i < names.size(); ++i) symbols[names[i]] = g.variable(static_cast<int>(i));
  }
  NodeId operator()(const std::string& text) { return parse(text, symbols, g); }
  void parameter(const std::string& name, const std::string& value) { symbols[name] = (*this)(value); }
  double value(const std::string& text, const std::vector<double>& x = {}) { return evaluate(g, (*this)(text), x); }
  std::string text(NodeId n) const { return to_string(g, n, names); }
};

std::vector<double> run_tape(const Graph& g, const std::vector<NodeId>& outputs, const std::vector<double>& x) {
  const Tape tape(g, outputs, static_cast<int>(x.size()));
  std::vector<double> work(tape.work_size()), out(outputs.size());
  tape.prepare(work.data());
  tape.evaluate(x.data(), out.data(), work.data());
  return out;
}

/// Central differences of the extended-precision reference, extrapolated once; `doubt` is the change by extrapolating,
/// and the rounding of the function.
struct Slope {
  Real value, doubt;
};
Slope slope(const Graph& g, NodeId n, std::vector<double> x, int variable) {
  const auto k = static_cast<std::size_t>(variable);
  const double at = x[k];
  const auto difference = [&](double h) {
    x[k] = at + h;
    const double up = x[k];
    const Real f = exact(g, n, x).value;
    x[k] = at - h;
    return (f - exact(g, n, x).value) / (static_cast<Real>(up) - static_cast<Real>(x[k]));
  };
  const Real coarse = difference(0x1p-12), fine = difference(0x1p-13);
  x[k] = at;
  const Real rounding = 4 * 0x1p-64L * std::fabs(exact(g, n, x).value) / 0x1p-13L;
  return {fine + (fine - coarse) / 3, std::fabs(fine - coarse) + rounding};
}

TEST(Parse, PrecedenceAndAssociativity) {
  Formulas f({"x", "y", "z"});
  EXPECT_EQ(f.value("1 + 2*3"), 7);
  EXPECT_EQ(f.value("(1 + 2)*3"), 9);
  EXPECT_EQ(f.value("10 - 4 - 3"), 3);
  EXPECT_EQ(f.value("16/4/2"), 2);
  EXPECT_EQ(f.value("16/4*2"), 8);
  EXPECT_EQ(f.value("2^3^2"), 512);
  EXPECT_EQ(f.value("-2^2"), -4);
  EXPECT_EQ(f.value("2^-2"), 0.25);
  EXPECT_EQ(f.value("2^-2^2"), 1.0 / 16);
  EXPECT_EQ(f.value("-2*-3"), 6);
  EXPECT_EQ(f.value("- -+-4"), -4);
  EXPECT_EQ(f.value("2 - -3"), 5);
  EXPECT_EQ(f.value("max(1, 2)*min(3, 4) + pow(2, 5)"), 38);
  EXPECT_EQ(f.value("1e-3 + .5 + 2. + 1.5E+2 + 3e2"), 1e-3 + .5 + 2. + 150 + 300);
  EXPECT_EQ(f.value("cos(pi)"), -1);
  EXPECT_EQ(f.value("\t x\n -y *  z", {1, 2, 3}), -5);
  EXPECT_EQ(f("-x^2"), f.g.neg(f.g.power(f.symbols["x"], 2)));
  EXPECT_EQ(f("x^y^z"), f.g.pow(f.symbols["x"], f.g.pow(f.symbols["y"], f.symbols["z"])));
  EXPECT_EQ(f("x/y/z"), f("x/(y*z)"));
  EXPECT_NE(f("x/y*z"), f("x/(y*z)"));
}

TEST(Parse, PrimesAreNames) {
  Formulas f({"theta", "theta'", "t"});
  f.parameter("m", "2");
  f.parameter("J", "m*3/12");
  EXPECT_EQ(f.value("J*theta'^2 + theta*t", {5, 3, 7}), 0.5 * 9 + 35);
  EXPECT_EQ(f("theta'*theta'"), f("theta'^2"));
  EXPECT_TRUE(is_valid_name("th1_x"));
  EXPECT_FALSE(is_valid_name("sin"));
  EXPECT_FALSE(is_valid_name("1a"));
  EXPECT_FALSE(is_valid_name("a'"));
  EXPECT_FALSE(is_valid_name(""));
}

TEST(Parse, EFreeForUsersAndPiMayBeHidden) {
  Formulas f({});
  EXPECT_THROW(f("e"), ExpressionError);
  f.parameter("e", "0.5");
  EXPECT_EQ(f.value("2*e"), 1);
  EXPECT_EQ(f.value("2e1"), 20);
  f.parameter("pi", "3");
  EXPECT_EQ(f.value("pi"), 3);
}

struct Mistake {
  std::string text;
  std::size_t offset, length;
  std::string says;
};
void PrintTo(const Mistake& s, std::ostream* out) { *out << s.text; }

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, SaysWhereAndWhat) {
  Formulas f({"theta", "theta'"});
  f.parameter("m", "1");
  f.parameter("L", "1");
  const Mistake& m = GetParam();
  try {
    f(m.text);
    FAIL() << m.text << " was accepted";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.offset, m.offset) << m.text << ": " << error.what();
    EXPECT_EQ(error.length, m.length) << m.text << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(m.says), std::string::npos) << m.text << ": " << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parse, Mistakes,
    testing::Values(Mistake{"", 0, 0, "empty"}, Mistake{"  ", 0, 2, "empty"},
                    Mistake{"m*thta", 2, 4, "unknown name 'thta'; known: L, m, theta, theta' (did you mean theta?)"},
                    Mistake{"1 + zebra", 4, 5, "unknown name 'zebra'"},
                    Mistake{"m + (L*2", 8, 0, "expected ')' to match '(' at column 5"},
                    Mistake{"sin(m", 5, 0, "expected ')' to match '(' at column 4"},
                    Mistake{"m + L)", 5, 1, "')' without a '('"}, Mistake{"m'*2", 0, 2, "prime on 'm'"},
                    Mistake{"m'*2", 0, 2, "names that take a prime: theta"},
                    Mistake{"theta''", 0, 7, "accelerations are not accepted"},
                    Mistake{"2*sin(m, L)", 2, 9, "sin takes 1 argument, 2 given"},
                    Mistake{"atan2(m)", 0, 8, "atan2 takes 2 arguments, 1 given"},
                    Mistake{"cos()", 0, 5, "cos takes 1 argument, 0 given"},
                    Mistake{"cos + 1", 0, 3, "needs its argument in parentheses"},
                    Mistake{"sine(m)", 0, 4, "unknown function 'sine'"}, Mistake{"sine(m)", 0, 4, "did you mean sin?"},
                    Mistake{"m(L + 1)", 0, 1, "'m' is not a function; a product is written m*(...)"},
                    Mistake{"2m", 1, 1, "expected an operator (+ - * / ^) before 'm'"},
                    Mistake{"m theta", 2, 5, "before 'theta'"}, Mistake{"(m L)", 3, 1, "before 'L'"},
                    Mistake{"1.2.3", 3, 1, "expected an operator"}, Mistake{"m +", 3, 0, "ends where a number"},
                    Mistake{"m + * L", 4, 1, "'*' where a number"}, Mistake{"m**2", 1, 2, "written with ^"},
                    Mistake{"m, L", 1, 1, "',' outside"}, Mistake{"(m, L)", 2, 1, "',' outside"},
                    Mistake{"m # L", 2, 1, "'#' has no meaning"}, Mistake{"m \xE2\x88\x92 L", 2, 3, "\xE2\x88\x92"},
                    Mistake{"\x80", 0, 1, "\\x80"}, Mistake{"(m ; 2)", 3, 1, "';' has no meaning"},
                    Mistake{std::string("m\0", 2), 1, 1, "\\x00"}, Mistake{"m '", 2, 1, "prime must follow"},
                    Mistake{"'m", 0, 1, "prime must follow"}, Mistake{"m/0", 2, 1, "division by zero"},
                    Mistake{"1 + m/(L - 1)", 6, 7, "division by zero"}, Mistake{"2*log(-1)", 2, 7, "not a real number"},
                    Mistake{"10^400", 0, 6, "infinite"}, Mistake{"1e999", 0, 5, "outside the range"},
                    Mistake{".", 0, 1, "without digits"}, Mistake{"()", 1, 1, "')' where a number"}));

TEST(Parse, DeepNestingIsAnError) {
  Formulas f({"x"});
  for (const std::string open : {"(", "-", "sin(", "x^", "+", "1/(2+"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    EXPECT_THROW(f(text), ExpressionError) << open;
  }
  std::string fine;
  for (int i = 0; i < 200; ++i) fine += "(";
  fine += "x";
  for (int i = 0; i < 200; ++i) fine += ")";
  EXPECT_EQ(f(fine), f("x"));
}

TEST(Parse, SumsOfManyTermsTakeLinearTime) {
  Formulas f({"x"});
  std::string text = "0";
  for (int i = 1; i <= 20000; ++i) text += " + sin(" + std::to_string(i) + "*x)";
  const NodeId n = f(text);
  EXPECT_EQ(f.g.terms(n).size(), 20000u);
  EXPECT_EQ(f.g.terms(f.g.derivative(n, 0)).size(), 20000u);
  const std::vector<double> x{0.3};
  EXPECT_NEAR(run_tape(f.g, {n}, x)[0], evaluate(f.g, n, x), 1e-9);
}

TEST(Parse, GarbageNeverCrashes) {
  std::mt19937_64 random(7);
  const std::string alphabet = "xym'()+-*/^,. 0123456789esincopw\x80\xff#\n_";
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    Formulas f({"x", "x'", "y"});
    std::string text;
    for (auto n = random() % 24; n-- > 0;) text += alphabet[random() % alphabet.size()];
    try {
      const NodeId node = f(text);
      f.g.derivative(f.g.derivative(node, 0), 2);
      run_tape(f.g, {node, f.g.derivative(node, 0)}, {0.3, 0.4, 0.5});
      ++accepted;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset + error.length, text.size()) << text;
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(Simplify, Identities) {
  Formulas f({"x", "y", "z"});
  const auto same = [&](const std::string& a, const std::string& b) {
    EXPECT_EQ(f(a), f(b)) << a << " is " << f.text(f(a));
  };
  same("x - x", "0");
  same("x - (x - y)", "y");
  same("x + 0*y", "x");
  same("1*x/1", "x");
  same("x*x", "x^2");
  same("x/x", "1");
  same("x^2/x", "x");
  same("(x^2)^3", "x^6");
  same("2*x + 3*x", "5*x");
  same("2*(x + y) - (x + y)", "x + y");
  same("x*y - y*x", "0");
  same("2*(3*x)", "6*x");
  same("-(x - y)", "y - x");
  same("(x - y)*(y - x)", "-(x - y)^2");
  same("sin(y - x)", "-sin(x - y)");
  same("cos(y - x)", "cos(x - y)");
  same("x^0.5", "sqrt(x)");
  same("x^1.5", "x*sqrt(x)");
  same("x^-0.5", "1/sqrt(x)");
  same("max(x, y)", "max(y, x)");
  same("x^0", "1");
  same("x^y*0", "0");
  EXPECT_EQ(f.text(f("1e6*(x - 0.1)")), "1000000*(x - 0.1)");  // digits of x - 0.1 are kept
}

TEST(Simplify, MassOfAConstantMassSystemIsConstant) {
  Formulas f({"x", "y", "theta", "x'", "y'", "theta'"});
  f.parameter("m", "1.5");
  f.parameter("L", "2");
  f.parameter("J", "m*L^2/12");
  const NodeId kinetic = f("m/2*(x'^2 + y'^2) + J/2*theta'^2");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(f.g.is_zero(f.g.derivative(kinetic, i)));
    for (int j = 0; j < 3; ++j) {
      const NodeId entry = f.g.derivative(f.g.derivative(kinetic, 3 + i), 3 + j);
      EXPECT_TRUE(f.g.is_constant(entry));
      EXPECT_EQ(f.g.value(entry), i != j ? 0 : i < 2 ? 1.5 : 0.5);
    }
  }
  EXPECT_FALSE(f.g.depends_on(kinetic, 0));
  EXPECT_TRUE(f.g.depends_on(kinetic, 5));
}

TEST(Simplify, PythagorasMakesThePendulumsMassConstant) {
  Formulas f({"q", "q'"});
  f.parameter("l", "0.7");
  const NodeId kinetic = f("3/2*((l*cos(q)*q')^2 + (l*sin(q)*q')^2)");
  const NodeId mass = f.g.derivative(f.g.derivative(kinetic, 1), 1);
  EXPECT_TRUE(f.g.is_constant(mass)) << f.text(mass);
  EXPECT_NEAR(f.g.value(mass), 3 * 0.49, 1e-15);
  EXPECT_EQ(f("sin(q)^2 + cos(q)^2"), f("1"));
  EXPECT_EQ(f("2*q*sin(q)^2 + 2*q*cos(q)^2 - q"), f("q"));
}

TEST(Graph, DependsOnManyVariables) {
  Graph g;
  NodeId n = g.constant(1);
  for (int i = 0; i < 200; i += 2) n = g.add(g.sin(n), g.variable(i));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(g.depends_on(n, i), i % 2 == 0) << i;
  EXPECT_TRUE(g.is_zero(g.derivative(n, 101)));
}

TEST(Graph, Substitute) {
  Formulas f({"x", "y", "z"});
  EXPECT_EQ(f.g.substitute(f("x*sin(x) + y^x"), 0, f("y + z")), f("(y + z)*sin(y + z) + y^(y + z)"));
  EXPECT_EQ(f.g.substitute(f("x*cos(x)"), 0, f("0")), f("0"));
  EXPECT_EQ(f.g.substitute(f("x - y"), 0, f("y")), f("0"));
}

TEST(Derivative, EveryFunctionAgainstDifferences) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> inside(0.15, 0.75);
  Formulas f({"x", "y"});
  std::vector<std::string> texts{"x^3",     "x^-2", "x^2.5", "x^y", "2^x", "x/y", "x*y^2", "(x + y)^7/(1 + x*y)",
                                 "x^-1.5*y"};
  for (const FunctionInfo& function : functions()) {
    const std::string name = function.name;
    texts.push_back(name + (function.arguments == 1 ? "(x)" : "(x, y)"));
    texts.push_back(name + (function.arguments == 1 ? "(x*y + 0.2*x)" : "(x*y, 0.3*x + 0.1*y^2)"));
    texts.push_back(name + (function.arguments == 1 ? "(0.9 - x)*y" : "(y, x)^2"));
  }
  int checked = 0;
  for (const std::string& text : texts)
    for (int sample = 0; sample < 20; ++sample) {
      const std::vector<double> x{inside(random), inside(random)};
      const NodeId n = f(text);
      for (int i = 0; i < 2; ++i) {
        const NodeId first = f.g.derivative(n, i);
        const Slope s = slope(f.g, n, x, i);
        // across a kink the two differences disagree by the jump
        if (s.doubt > 1e-3L * (1 + std::fabs(s.value))) continue;
        expect_near(evaluate(f.g, first, x), s.value, 2e-9L * (1 + std::fabs(s.value)),
                    text + " by " + f.names[static_cast<std::size_t>(i)]);
        for (int j = 0; j < 2; ++j) {
          const Slope t = slope(f.g, first, x, j);
          if (t.doubt > 1e-3L * (1 + std::fabs(t.value))) continue;
          expect_near(
              evaluate(f.g, f.g.derivative(first, j), x), t.value, 2e-9L * (1 + std::fabs(t.value)),
              text + " by " + f.names[static_cast<std::size_t>(i)] + ", " + f.names[static_cast<std::size_t>(j)]);
          ++checked;
        }
      }
    }
  EXPECT_GT(checked, 0.95 * 4 * 20 * static_cast<double>(texts.size()));
}

/// A formula of random shape over x0, x1, x2.
std::string random_formula(std::mt19937_64& random, int depth) {
  const auto inner = [&] { return random_formula(random, depth - 1); };
  if (depth == 0 || random() % 8 == 0) {
    if (random() % 3 == 0) return std::to_string(static_cast<double>(random() % 40) / 8 + 0.25);
    return "x" + std::to_string(random() % 3);
  }
  switch (random() % 9) {
    case 0:
    case 1: return "(" + inner() + " + " + inner() + ")";
    case 2: return "(" + inner() + " - " + inner() + ")";
    case 3:
    case 4: return "(" + inner() + "*" + inner() + ")";
    case 5: return "(" + inner() + "/" + inner() + ")";
    case 6: return "(" + inner() + ")^" + std::to_string(static_cast<int>(random() % 7) - 2);
    default: {
      const FunctionInfo& f = functions()[random() % functions().size()];
      return std::string(f.name) + "(" + inner() + (f.arguments == 2 ? ", " + inner() : "") + ")";
    }
  }
}

TEST(Fuzz, RoundTripDerivativeAndTape) {
  std::mt19937_64 random(2024);
  std::uniform_real_distribution<double> range(-1.5, 1.5);
  int derivatives = 0, values = 0, formulas = 0;
  Real worst = 0;
  while (formulas < 2000) {
    Formulas f({"x0", "x1", "x2"});
    const std::string text = random_formula(random, 2 + static_cast<int>(random() % 3));
    NodeId n;
    try {
      n = f(text);
    } catch (const ExpressionError&) {
      continue;  // constants such as log(-1)
    }
    ++formulas;
    EXPECT_EQ(f(f.text(n)), n) << text << " printed as " << f.text(n) << " reads as " << f.text(f(f.text(n)));
    const std::vector<double> x{range(random), range(random), range(random)};
    std::vector<NodeId> outputs{n, f.g.neg(n)};
    for (int i = 0; i < 3; ++i) outputs.push_back(f.g.derivative(n, i));
    for (int i = 0; i < 3; ++i) outputs.push_back(f.g.derivative(outputs[2], i));
    const std::vector<double> out = run_tape(f.g, outputs, x);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Bounded b = exact(f.g, outputs[k], x);
      if (!std::isfinite(b.value) || !(b.error < 1e-3L * std::fabs(b.value)) || std::fabs(b.value) > 1e300L) continue;
      EXPECT_LE(std::fabs(out[k] - b.value), b.error) << f.text(outputs[k]);
      if (b.error > 0) worst = std::max(worst, std::fabs(out[k] - b.value) / b.error);
      ++values;
    }
    for (int i = 0; i < 3; ++i) {
      const Slope s = slope(f.g, n, x, i);
      const Real value = exact(f.g, outputs[static_cast<std::size_t>(2 + i)], x).value;
      if (!std::isfinite(s.value) || s.doubt > 1e-5L * (1 + std::fabs(s.value))) continue;
      expect_near(value, s.value, s.doubt + 1e-11L * (1 + std::fabs(s.value)),
                  text + " by " + f.names[static_cast<std::size_t>(i)]);
      ++derivatives;
    }
  }
  EXPECT_GT(derivatives, 2500);
  EXPECT_GT(values, 5000);
  RecordProperty("worst_over_bound", std::to_string(worst));
}

TEST(Tape, SameBitsAsTheReferenceWhereNothingIsReordered) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> range(0.1, 0.9);
  Formulas f({"x", "y"});
  for (const FunctionInfo& function : functions()) {
    const NodeId n = f(std::string(function.name) + (function.arguments == 1 ? "(x)" : "(x, y)"));
    for (int i = 0; i < 50; ++i) {
      const std::vector<double> x{range(random), range(random)};
      EXPECT_EQ(run_tape(f.g, {n}, x)[0], evaluate(f.g, n, x)) << function.name;
    }
  }
  for (const std::string text : {"x*y", "x + y", "x - y", "x/y", "-x", "x", "3", "-3", "x^2", "2*x", "1/x", "-2/x",
                                 "y - 2*x", "-x - y", "-x*y", "-sin(x)", "sin(-x) + 1", "1 - x"}) {
    const std::vector<double> x{range(random), range(random)};
    EXPECT_EQ(run_tape(f.g, {f(text)}, x)[0], evaluate(f.g, f(text), x)) << text;
  }
}

TEST(Tape, SharesWorkBetweenOutputs) {
  Formulas f({"x", "y", "z"});
  const Tape alone(f.g, std::vector{f("x*y*z")}, 3);
  EXPECT_EQ(alone.operations(), 2);
  EXPECT_EQ(alone.instructions(), 2);  // the last one halts
  const Tape twice(f.g, std::vector{f("x*y*z"), f("z*y*x"), f("-x*y*z")}, 3);
  EXPECT_EQ(twice.operations(), 3);  // and a change of sign
  const Tape pair(f.g, std::vector{f("sin(x - y)"), f("cos(y - x)")}, 3);
  EXPECT_EQ(pair.operations(), 3);
  EXPECT_EQ(pair.instructions(), 2);
  const Tape parts(f.g, std::vector{f("sin(x)*y*z"), f("sin(x)*y*2"), f("x + y + z"), f("x + y - z")}, 3);
  EXPECT_EQ(parts.operations(), 1 + 3 + 3);
  const Tape constants(f.g, std::vector{f("2"), f("0*x")}, 3);
  EXPECT_EQ(constants.operations(), 0);
  EXPECT_EQ(constants.instructions(), 1);
}

TEST(Tape, InPlaceAndRepeatedRunsAgree) {
  Formulas f({"x", "y"});
  const std::vector<NodeId> outputs{
      f("4"),      f("x"),  f("-x"),       f("x*y + sin(y)"), f("-(x*y + sin(y))"), f("y"), f("x*y + sin(y)"),
      f("cos(y)"), f("-4"), f("-cos(y)*3")};
  const Tape tape(f.g, outputs, 2);
  std::vector<double> a(tape.work_size()), b(tape.work_size()), out(outputs.size());
  tape.prepare(a.data());
  tape.prepare(b.data());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> range(-3, 3);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> x{range(random), range(random)};
    tape.evaluate(x.data(), out.data(), a.data());
    std::copy(x.begin(), x.end(), tape.input(b.data()));
    tape.run(b.data());
    const std::vector<double> fresh = run_tape(f.g, outputs, x);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      EXPECT_EQ(out[k], tape.output(b.data())[k]) << k;
      EXPECT_EQ(out[k], fresh[k]) << k;
      EXPECT_NEAR(out[k], evaluate(f.g, outputs[k], x), 1e-15 * 8) << k;  // measured 1.8e-15 at |out| = 10
    }
  }
}

TEST(Tape, EmptyAndDefault) {
  const Tape nothing;
  nothing.run(nullptr);
  Graph g;
  const Tape empty(g, {}, 0);
  EXPECT_EQ(empty.operations(), 0);
  double none = 0;
  empty.evaluate(&none, &none, &none);
}

#ifdef RICOCHET_COUNTS_ALLOCATIONS
TEST(Tape, EvaluateAllocatesNothing) {
  Formulas f({"x", "y"});
  const NodeId n = f("x*sin(y) + atan2(x, y)^3/(1 + exp(x*y)) + hypot(x, y)*tanh(x) + x^0.3 + min(x, y)*cos(y)");
  const std::vector<NodeId> outputs{n, f.g.derivative(n, 0), f.g.derivative(n, 1)};
  const Tape tape(f.g, outputs, 2);
  std::vector<double> work(tape.work_size()), out(3);
  const double x[2] = {0.4, 0.9};
  tape.prepare(work.data());
  const long before = allocations;
  for (int i = 0; i < 1000; ++i) tape.evaluate(x, out.data(), work.data());
  EXPECT_EQ(allocations, before);
}
#endif

}  // namespace
}  // namespace ricochet::expression_test
