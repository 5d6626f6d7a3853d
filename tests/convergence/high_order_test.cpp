// Orders of the schemes that integrate the smooth motion to a higher order: after Mannshardt across impacts, Galerkin
// and splitting without them. Errors of q over the whole run, in L1 and in the uniform norm, against closed forms where
// there are any.
#include <gtest/gtest.h>

#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test::high_order_test {
namespace {

struct Orders {
  double L1 = 0, uniform = 0;
  double largest = 0, smallest = 0;  ///< errors in the uniform norm
};

template <class Exact>
Orders orders(const std::string& name, const std::string& scheme, const std::vector<double>& steps,
              const std::vector<std::string>& overrides, Exact&& exact) {
  std::vector<double> L1, uniform;
  for (double h : steps) {
    std::vector<std::string> all = overrides;
    all.push_back("scheme=" + scheme);
    all.push_back(set("step", h));
    const Trajectory run = simulate(name, all);
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme << ", h = " << h;
    double sum = 0, worst = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const double e = (run.rows[k].q - exact(run.rows[k].t)).template lpNorm<Eigen::Infinity>();
      sum += run.rows[k].h * e;
      worst = std::max(worst, e);
    }
    L1.push_back(sum);
    uniform.push_back(worst);
  }
  Orders out{fitted_order(steps, L1), fitted_order(steps, uniform), uniform.front(), uniform.back()};
  if (std::getenv("RICOCHET_SHOW"))
    std::printf("%-24s %-60s L1 %.3f uniform %.3f from %.1e to %.1e\n", name.c_str(), scheme.c_str(), out.L1,
                out.uniform, out.largest, out.smallest);
  return out;
}

/// The oscillator that hits a stop at its rest position: |cos| whose swings shrink by e.
VectorXd oscillator(double t) {
  const double swing = std::floor(2 * t + 0.5);
  return VectorXd::Constant(1, std::pow(0.7, swing) * std::abs(std::cos(2 * std::numbers::pi * t)));
}

std::string mannshardt(const char* method, int order) {
  return "{name: mannshardt, method: " + std::string(method) + ", order: " + std::to_string(order) + "}";
}

Trajectory simulate_text(const char* text, const std::string& scheme, const OptionValues& options, double step) {
  Scenario s = read_scenario(text, "test", {});
  s.scheme = scheme;
  s.options = options;
  s.policy.step = step;
  return simulate(s);
}

/// A run of order 8 with a fine step, met at the times of coarser ones.
class Reference {
 public:
  Reference(const char* text, double step)
      : run_(simulate_text(text, "mannshardt", {{"order", 8.0}}, step)), step_(step) {}
  const Row& at(double t) const {
    const Row& row = run_.rows[static_cast<std::size_t>(std::lround(t / step_))];
    EXPECT_NEAR(row.t, t, 1e-9) << "no common time";
    return row;
  }

 private:
  Trajectory run_;
  double step_;
};

struct Measured {
  double q = 0, v = 0;                   ///< orders in the uniform norm
  double penetration = 0, velocity = 0;  ///< largest of all runs: certificate, joints and contacts that are held
  double largest = 0, smallest = 0;      ///< error of q
};

/// Orders against the reference, from step h over `levels` halvings.
Measured measure(const char* text, const std::string& scheme, const OptionValues& options, const Reference& exact,
                 double h, int levels = 5) {
  std::vector<double> steps, q, v;
  Measured out;
  for (int level = 0; level < levels; ++level, h /= 2) {
    const Trajectory run = simulate_text(text, scheme, options, h);
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme << ", h = " << h;
    double dq = 0, dv = 0;
    for (const Row& row : run.rows) {
      dq = std::max(dq, (row.q - exact.at(row.t).q).lpNorm<Eigen::Infinity>());
      dv = std::max(dv, (row.v - exact.at(row.t).v).lpNorm<Eigen::Infinity>());
      for (double U : row.U) out.velocity = std::max(out.velocity, std::abs(U));
    }
    out.penetration = std::max(out.penetration, run.end.summary.certificate.penetration);
    steps.push_back(h);
    q.push_back(dq);
    v.push_back(dv);
  }
  out.q = fitted_order(steps, q);
  out.v = fitted_order(steps, v);
  out.largest = q.front();
  out.smallest = q.back();
  if (std::getenv("RICOCHET_SHOW"))
    std::printf("%-20s q %.3f v %.3f, error of q %.1e to %.1e, penetration %.1e, velocity %.1e\n", scheme.c_str(),
                out.q, out.v, out.largest, out.smallest, out.penetration, out.velocity);
  return out;
}

TEST(HighOrder, MannshardtOnTheImpactingOscillator) {
  struct Case {
    const char* method;
    int order;
    double largest, smallest;
  };
  // Measured (L1, uniform): explicit 1.99 1.98, 2.99 2.99, 3.97 3.91, 5.01 5.04;
  // implicit 1.99 1.98, 2.98 2.97, 3.98 3.97, 4.96 4.95.
  for (const Case& c : {Case{"explicit", 2, 0.0437, 0.00117}, Case{"explicit", 3, 0.0437, 0.00217},
                        Case{"explicit", 4, 0.0837, 0.00417}, Case{"explicit", 5, 0.1037, 0.0117},
                        Case{"implicit", 2, 0.0437, 0.00117}, Case{"implicit", 3, 0.0437, 0.00217},
                        Case{"implicit", 4, 0.0637, 0.00417}, Case{"implicit", 5, 0.0837, 0.0087}}) {
    const Orders o = orders("linear-oscillator", mannshardt(c.method, c.order), geometric(c.largest, c.smallest, 12),
                            {"until=3"}, oscillator);
    EXPECT_GT(o.L1, c.order - 0.3) << c.method << " " << c.order;
    EXPECT_GT(o.uniform, c.order - 0.3) << c.method << " " << c.order;
    EXPECT_GT(o.smallest, 1e-12);
    EXPECT_GT(o.largest, 100 * o.smallest);
  }
}

TEST(HighOrder, MannshardtAcrossTheAccumulationOfTheBall) {
  // In flight every method of order 2 and more is exact: what is seen is the location of the impacts alone.
  const ExactBall ball(1, 2, 0.5);
  const auto exact = [&](double t) { return VectorXd::Constant(1, ball.q(t)); };
  for (const char* method : {"explicit", "implicit"})
    for (int order : {2, 3, 4}) {
      const Orders o =
          orders("bouncing-ball", mannshardt(method, order), geometric(0.1437, 0.0117, 24), {"until=4"}, exact);
      EXPECT_GT(o.L1, order - 0.3) << method << " " << order;
      EXPECT_GT(o.uniform, order - 0.3) << method << " " << order;
      EXPECT_GT(o.largest, 100 * o.smallest);
    }
}

constexpr const char* kPendulum = R"(
name: pendulum that hits an obstacle
system:
  formulas:
    parameters: {m: 1, J: 0.1, l: 1, g: 10, e: 0.8, theta0: pi/12}
    coordinates: [x, y, theta]
    kinetic: m/2*(x'^2 + y'^2) + J/2*theta'^2
    potential: m*g*y
    joints: {pivot: [x - l*cos(theta), y - l*sin(theta)]}
    contacts: {obstacle: {gap: x - sqrt(2)/2, restitution: e}}
initial: {position: {x: l*cos(theta0), y: l*sin(theta0), theta: theta0}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 2.4}
)";

TEST(HighOrder, MannshardtWithJointsAcrossImpacts) {
  const Reference exact(kPendulum, 2.5e-4);
  for (const char* method : {"explicit", "implicit"})
    for (int order : {2, 3, 4, 5}) {
      const Measured m = measure(kPendulum, "mannshardt", {{"method", std::string(method)}, {"order", double(order)}},
                                 exact, 0.08, order < 4 ? 6 : 5);
      EXPECT_GT(m.q, order - 0.3) << method << " " << order;
      EXPECT_GT(m.largest, 100 * m.smallest);
    }
}

// A bead slides in a valley that it cannot leave downwards, with a pendulum hung from it: a curved contact that stays
// closed and a joint.
constexpr const char* kBead = R"(
name: bead in a valley with a pendulum
system:
  formulas:
    parameters: {m: 1, k: 0.3, g: 9.81, l: 1}
    coordinates: [x, y, u, w]
    kinetic: m/2*(x'^2 + y'^2) + m/4*(u'^2 + w'^2)
    potential: m*g*y + m/2*g*w + u^2
    joints: {rod: ((u - x)^2 + (w - y)^2 - l^2)/(2*l)}
    contacts: {floor: {gap: (y - k*x^2)/sqrt(1 + 4*k^2*x^2), restitution: 0.5}}
initial: {position: {x: 1, y: 0.3, u: 1, w: -0.7}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 2}
)";

TEST(HighOrder, ClosedContactsAndJointsInSmoothMotion) {
  const Reference exact(kBead, 1.0 / 6400);
  const Measured g0 = measure(kBead, "galerkin-0", {}, exact, 0.0125);
  const Measured g1 = measure(kBead, "galerkin-1", {}, exact, 0.05);
  const Measured continuous = measure(kBead, "splitting", {}, exact, 0.1);
  const Measured impulsive = measure(kBead, "splitting", {{"contact_forces", std::string("impulsive")}}, exact, 0.0125);
  const Measured whole = measure(kBead, "mannshardt", {}, exact, 0.1);
  const Measured implicit =
      measure(kBead, "mannshardt", {{"method", std::string("implicit")}, {"order", 5.0}}, exact, 0.1);
  const Measured extrapolated = measure(kBead, "moreau-extrapolated", {}, exact, 0.05);
  EXPECT_NEAR(g0.q, 1, 0.2);
  EXPECT_NEAR(g0.v, 1, 0.2);
  EXPECT_LT(g0.velocity, 1e-10);
  EXPECT_NEAR(g1.q, 2, 0.2);
  EXPECT_NEAR(g1.v, 2, 0.2);
  EXPECT_LT(g1.velocity, 1e-10);
  EXPECT_GT(continuous.q, 4.7);
  EXPECT_LT(continuous.velocity, 1e-10);
  EXPECT_NEAR(impulsive.q, 1, 0.2);
  EXPECT_GT(impulsive.penetration, 1e-4);  // it sinks, and says so
  EXPECT_GT(whole.q, 3.7);
  EXPECT_LT(whole.penetration, 1e-10);
  EXPECT_LT(whole.velocity, 1e-10);
  EXPECT_GT(implicit.q, 4.7);
  EXPECT_GT(extrapolated.q, 1.7);
}

constexpr const char* kSwing = R"(
name: pendulum
system:
  formulas:
    parameters: {m: 1, l: 1, g: 9.81, phi0: pi/3}
    coordinates: [x, y]
    kinetic: m/2*(x'^2 + y'^2)
    potential: m*g*y
    joints: {rod: (x^2 + y^2 - l^2)/(2*l)}
initial: {position: {x: l*sin(phi0), y: -l*cos(phi0)}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 2}
)";

TEST(HighOrder, WithoutContact) {
  const Reference exact(kSwing, 1.0 / 6400);
  for (int order : {1, 2, 3, 4, 5}) {
    const double h = order == 1 ? 0.00625 : order == 2 ? 0.025 : 0.05;
    EXPECT_NEAR(measure(kSwing, "splitting", {{"order", double(order)}}, exact, h, 4).q, order, 0.3) << order;
  }
  EXPECT_NEAR(measure(kSwing, "moreau-extrapolated", {}, exact, 0.05, 4).q, 4, 0.3);
  EXPECT_NEAR(measure(kSwing, "moreau-extrapolated", {{"theta", 1.0}}, exact, 0.0125, 4).q, 2, 0.3);
}

TEST(HighOrder, SplittingAcrossImpactsAndAtRest) {
  const ExactBall ball(1, 2, 0.5);
  const auto exact = [&](double t) { return VectorXd::Constant(1, ball.q(t)); };
  for (const char* forces : {"continuous", "impulsive"}) {
    const std::string scheme = "{name: splitting, contact_forces: " + std::string(forces) + "}";
    EXPECT_NEAR(orders("bouncing-ball", scheme, geometric(0.0437, 0.00117, 31), {"until=5"}, exact).L1, 1, 0.2)
        << forces;
    const Trajectory run = simulate("bouncing-ball", {"scheme=" + scheme, "step=0.0097", "until=5"});
    const Row &end = run.rows.back(), &before = run.rows[run.rows.size() - 50];
    if (forces[0] == 'c') {
      EXPECT_EQ(end.v[0], 0);
      EXPECT_EQ(end.q[0], before.q[0]);
    } else {
      EXPECT_LT(end.q[0], before.q[0] - 1e-4);  // sinks
    }
  }
}

TEST(HighOrder, AdaptiveSplittingFollowsItsTolerance) {
  const Reference exact(kSwing, 0.01);
  double before = 1;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Trajectory run =
        simulate_text(kSwing, "splitting", {{"adaptive", true}, {"atol", tolerance}, {"rtol", tolerance}}, 0.5);
    const double error = (run.rows.back().q - exact.at(2).q).norm();
    if (std::getenv("RICOCHET_SHOW"))
      std::printf("tolerance %.0e: error %.1e, %ld solves\n", tolerance, error,
                  static_cast<long>(run.end.summary.newton_sum));
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, before);
    before = error;
  }
}

// Errors at equal work, every one-step solve counted, those of the location too: the reason for all this.
TEST(HighOrder, PrecisionAtEqualWorkOnTheOscillator) {
  const auto solves = [](const std::string& scheme, double h, double& error) {
    const Trajectory run = simulate("linear-oscillator", {"scheme=" + scheme, set("step", h), "until=3"});
    error = 0;
    for (const Row& row : run.rows) error = std::max(error, std::abs(row.q[0] - oscillator(row.t)[0]));
    if (std::getenv("RICOCHET_SHOW"))
      std::printf("%-60s h %.4g solves %ld error %.2e\n", scheme.c_str(), h,
                  static_cast<long>(run.end.summary.newton_sum), error);
    return run.end.summary.newton_sum;
  };
  double moreau = 0, high = 0, higher = 0;
  const auto work = solves("moreau-jean", 1.17e-3, moreau);
  EXPECT_LT(solves(mannshardt("explicit", 4), 0.0137, high), work);
  EXPECT_LT(solves(mannshardt("implicit", 4), 0.0137, higher), work);
  EXPECT_LT(high, 1e-3 * moreau);
  EXPECT_LT(higher, 1e-3 * moreau);
}

}  // namespace
}  // namespace ricochet::test::high_order_test
