// moreau-jean-midpoint, schatzman-paoli, projected and combined: energy identities, recursions written out by hand,
// chattering and rest.
#include <gmock/gmock.h>

#include "ricochet/math/input_error.hpp"
#include "support/random_linear.hpp"

namespace ricochet::test::projected_combined_test {
namespace {

double random_theta(std::mt19937& random) {
  const double theta = std::uniform_real_distribution<double>(0, 1)(random);
  return theta < 0.3 ? 0.5 : theta;  // below, explicit enough to blow up
}

// Measured: at most 3.1e-14 and 1.6e-14 of the run's largest step.
TEST(EnergyIdentity, MidpointAndSchatzmanPaoliOnRandomLinearSystems) {
  for (const char* scheme : {"moreau-jean-midpoint", "schatzman-paoli"}) {
    std::mt19937 random(20144);
    int with_impacts = 0;
    for (int k = 0; k < 40; ++k) {
      Scenario s = random_system(random, k % 2 == 1);
      s.scheme = scheme;
      s.options["theta"] = random_theta(random);
      with_impacts += expect_closed(simulate(s), 1e-12, scheme + (" case " + std::to_string(k)));
    }
    EXPECT_GT(with_impacts, 30) << scheme;
  }
}

// Measured: at most 4.1e-14 (projected) and 3.7e-12 (combined, where the last velocity pass is not repeated below
// 1e-12).
TEST(EnergyIdentity, ProjectedAndCombinedOnRandomLinearSystems) {
  for (const char* scheme : {"projected", "combined"}) {
    std::mt19937 random(20145);
    int with_impacts = 0, with_projections = 0;
    for (int k = 0; k < 40; ++k) {
      Scenario s = random_system(random, k % 2 == 1);
      s.scheme = scheme;
      s.options["theta"] = random_theta(random);
      s.options["metric"] = std::string(k % 4 < 2 ? "identity" : k % 8 < 4 ? "mass" : "iteration");
      s.options["max_newton"] = 500.0;
      if (s.scheme == "projected") s.options["forecast"] = std::string(k % 3 == 0 ? "free" : "explicit");
      const Trajectory run = simulate(s);
      with_impacts += expect_closed(run, 1e-11, scheme + (" case " + std::to_string(k)));
      with_projections += std::abs(run.end.summary.energy.projection) > 1e-6;
      EXPECT_LE(run.end.summary.certificate.penetration, 1e-10) << scheme << " case " << k;
      EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10) << scheme << " case " << k;
    }
    EXPECT_GT(with_impacts, 30) << scheme;
    EXPECT_GT(with_projections, 25) << scheme;
  }
}

// Corollary 1, (92): no bound on e. Each parameter is drawn anew; theta goes to 1, where Moreau-Jean's bound is e = 0.
TEST(MoreauJeanMidpoint, DissipatesForEveryThetaAboveOneHalfAndEveryRestitution) {
  std::mt19937 random(20146);
  std::uniform_real_distribution<double> uniform(0.5, 1);
  for (int k = 0; k < 40; ++k) {
    Scenario s = random_system(random, k % 2 == 1);
    s.scheme = "moreau-jean-midpoint";
    s.options["theta"] = uniform(random);
    s.options["forecast"] = std::string("energy-safe");
    const Trajectory run = simulate(s);
    ASSERT_EQ(run.result.status, RunStatus::finished);
    double impulse = 0;
    for (const Row& r : run.rows)
      for (double P : r.P) impulse = std::max(impulse, std::abs(P));
    for (std::size_t i = 1; i < run.rows.size(); ++i) {
      const EnergyLedger& e = run.rows[i].ledger;
      EXPECT_LE(e.change() - e.external - e.damping, 1e-9 * (1 + impulse)) << "case " << k << ", step " << i;
      EXPECT_LE(e.numerical, 0);
    }
  }
}

TEST(MoreauJeanMidpoint, IsMoreauJeanForThetaOneHalf) {
  std::mt19937 random(20147);
  for (int k = 0; k < 10; ++k) {
    Scenario s = random_system(random, k % 2 == 1);
    s.scheme = "moreau-jean-midpoint";
    const Trajectory a = simulate(s);
    s.scheme = "moreau-jean";
    const Trajectory b = simulate(s);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t i = 0; i < a.rows.size(); ++i)
      EXPECT_LT((a.rows[i].q - b.rows[i].q).norm(), 1e-12) << "case " << k << ", step " << i;
  }
}

/// Two balls, decoupled, on walls with different restitution.
Scenario two_walls(double e1, double e2) {
  LinearParameters p;
  p.M = MatrixXd(Eigen::Vector2d(2, 3).asDiagonal()).sparseView();
  p.C = p.K = Eigen::SparseMatrix<double>(2, 2);
  p.load = [](double, View f) {
    f[0] = -4;
    f[1] = -3;
  };
  ModelBuilder builder;
  builder.add(make_linear(std::move(p)));
  const ContactLaw *first = builder.add(make_law("", {e1, 0})), *second = builder.add(make_law("", {e2, 0}));
  builder.add(make_linear_rows({LinearRow{"a", {{{0, 1.0}}}, {0}, first}, LinearRow{"b", {{{1, 1.0}}}, {0}, second}}));
  Scenario s;
  s.model = builder.freeze();
  s.initial.q = Eigen::Vector2d(1, 0.7);
  s.initial.v = Eigen::Vector2d(0.1, -0.2);
  s.policy = {0.0137, 5, 0};
  return s;
}

// (25) by hand: q+ + e q_before = max(0, 2 q - (1 - e) q_before + h^2 f / m), and the Taylor start.
TEST(SchatzmanPaoli, TwoWallsWithDifferentRestitutionFollowTheRecursion) {
  const double e[2] = {0.3, 0.8}, f[2] = {-2, -1};
  Scenario s = two_walls(e[0], e[1]);
  s.scheme = "schatzman-paoli";
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const double h = s.policy.step;
  double q[2], before[2];
  for (int i = 0; i < 2; ++i) {
    q[i] = s.initial.q[i];
    before[i] = q[i] - h * s.initial.v[i] + h * h / 2 * f[i];
  }
  for (std::size_t k = 1; k + 1 < run.rows.size(); ++k)  // the last step is shorter
    for (int i = 0; i < 2; ++i) {
      const double next = std::max(0.0, 2 * q[i] - (1 - e[i]) * before[i] + h * h * f[i]) - e[i] * before[i];
      EXPECT_NEAR(run.rows[k].q[i], next, 1e-11) << "step " << k;                         // measured 2.9e-13
      EXPECT_NEAR(run.rows[k].v[i], (next - before[i]) / (2 * h), 1e-9) << "step " << k;  // measured 1.4e-11
      before[i] = q[i];
      q[i] = next;
    }
}

TEST(SchatzmanPaoli, ExactInPositionWithoutRestitutionAndForJoints) {
  const Trajectory ball =
      simulate("bouncing-ball", {"scheme=schatzman-paoli", "step=0.0097", "system.formulas.parameters.e=0"});
  EXPECT_GT(ball.end.summary.impacts, 0);
  EXPECT_LE(ball.end.summary.certificate.penetration, 1e-14);
  const Trajectory bouncing = simulate("bouncing-ball", {"scheme=schatzman-paoli", "step=0.0097"});
  EXPECT_GT(bouncing.end.summary.certificate.penetration, 1e-4);
  const Trajectory pendulum = simulate("bouncing-pendulum", {"scheme=schatzman-paoli", "until=2"});
  EXPECT_LE(pendulum.end.summary.certificate.joint_position, 1e-12);
}

TEST(SchatzmanPaoli, RefusesFrictionAndRotationsWithAMessage) {
  const auto message = [](const std::string& name) {
    try {
      load_scenario(name, {"simulation.scheme=schatzman-paoli"});
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message("block-on-incline"), testing::HasSubstr("has no friction"));
  EXPECT_THAT(message("rigid-box"), testing::HasSubstr("rotations"));
}

// Balance, motion and complementarity of one step, recomputed from q and v alone on an oscillator with a stop: q_theta
// in the spring's force holds the correction.
TEST(BothLevels, OscillatorSatisfiesTheEquationsOfTheStep) {
  for (const char* scheme : {"{name: projected, theta: 0.7}", "{name: combined, theta: 0.7}"}) {
    const Trajectory run = simulate("linear-oscillator", {std::string("scheme=") + scheme, "step=0.0137", "until=4"});
    const Scenario s = load_scenario("linear-oscillator", {});
    ModelScratch scratch(s.model);
    const double theta = 0.7;
    int projections = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const Row &a = run.rows[k - 1], &b = run.rows[k];
      const VectorXd q = (1 - theta) * a.q + theta * b.q, v = (1 - theta) * a.v + theta * b.v;
      const VectorXd acceleration = (b.v - a.v) / b.h, correction = b.q - a.q - b.h * v;
      VectorXd r = VectorXd::Zero(q.size());
      s.model.residual({a.t + theta * b.h, q, v}, acceleration, b.h, r, scratch);
      EXPECT_NEAR(r.lpNorm<Eigen::Infinity>(), std::abs(b.P[0]), 1e-11) << scheme << " step " << k;
      EXPECT_GE(b.gap[0], -1e-10);
      if (correction.norm() > 1e-12) {
        EXPECT_NEAR(b.gap[0], 0, 1e-10) << scheme << " step " << k;
        ++projections;
      }
    }
    EXPECT_GT(projections, 3) << scheme;
  }
}

/// Two masses whose sum of coordinates is the gap.
Scenario two_masses() {
  LinearParameters p;
  p.M = MatrixXd(Eigen::Vector2d(2, 3).asDiagonal()).sparseView();
  p.K = MatrixXd(Eigen::Vector2d(5, 40).asDiagonal()).sparseView();
  p.C = Eigen::SparseMatrix<double>(2, 2);
  p.load = [](double, View f) { f[0] = f[1] = -4; };
  ModelBuilder builder;
  builder.add(make_linear(std::move(p)));
  const ContactLaw* law = builder.add(make_law("", {0.3, 0}));
  builder.add(make_linear_rows({LinearRow{"sum", {{{0, 1.0}, {1, 1.0}}}, {0}, law}}));
  Scenario s;
  s.model = builder.freeze();
  s.initial.q = Eigen::Vector2d(0.2, 0.3);
  s.initial.v = Eigen::Vector2d(0.1, -0.2);
  s.policy = {0.0137, 3, 0};
  return s;
}

// N G = N (1, 1): equal parts, by M^-1 as 3 to 2, by M^^-1 as the inverses of m + h^2 k/4.
TEST(BothLevels, CorrectionActsAlongTheMetric) {
  const double h2 = 0.0137 * 0.0137 / 4, iteration = (3 + h2 * 40) / (2 + h2 * 5);
  for (const char* scheme : {"projected", "combined"})
    for (const auto& [metric, ratio] :
         {std::pair{"identity", 1.0}, std::pair{"mass", 1.5}, std::pair{"iteration", iteration}})
      for (bool coupled : {false, true}) {
        Scenario s = two_masses();
        s.scheme = scheme;
        s.options["metric"] = std::string(metric);
        s.options["coupled"] = coupled;
        const Trajectory run = simulate(s);
        int corrections = 0;
        for (std::size_t k = 1; k < run.rows.size(); ++k) {
          const VectorXd c =
              run.rows[k].q - run.rows[k - 1].q - run.rows[k].h * 0.5 * (run.rows[k].v + run.rows[k - 1].v);
          if (c.norm() < 1e-8 || run.rows[k].h < 0.0137 * (1 - 1e-9)) continue;
          ++corrections;
          EXPECT_NEAR(c[0] / c[1], ratio, 1e-6) << scheme << " " << metric;
        }
        EXPECT_GT(corrections, 0) << scheme << " " << metric;
      }
}

// Both ways to the same step: largest difference of q along the run. Measured 2.2e-16 ... 1.3e-12.
TEST(BothLevels, CoupledGivesTheStepsOfTheDecoupled) {
  struct Case {
    const char* name;
    std::vector<std::string> overrides;
  };
  for (const Case& c : {Case{"bouncing-pendulum", {"step=2.3e-3", "until=1.5"}}, Case{"rocking-block", {"until=1"}},
                        Case{"elastic-bar-bruls", {"system.bar.elements=10", "step=1.9e-3", "until=1.2"}},
                        Case{"linear-oscillator", {"step=0.0137", "until=2"}}})
    for (const char* scheme : {"projected", "combined"})
      for (const char* metric : {"identity", "mass", "iteration"}) {
        Trajectory run[2];
        for (int k = 0; k < 2; ++k) {
          auto overrides = c.overrides;
          overrides.push_back(std::string("scheme={name: ") + scheme + ", metric: " + metric +
                              ", tolerance: 1e-12, max_newton: 500" + (k ? ", coupled: true}" : "}"));
          run[k] = simulate(c.name, overrides);
          ASSERT_EQ(run[k].result.status, RunStatus::finished);
        }
        ASSERT_EQ(run[0].rows.size(), run[1].rows.size());
        double difference = 0;
        for (std::size_t i = 0; i < run[0].rows.size(); ++i)
          difference = std::max(difference, (run[0].rows[i].q - run[1].rows[i].q).lpNorm<Eigen::Infinity>());
        EXPECT_LT(difference, 1e-9) << c.name << " " << scheme << " " << metric;
        RecordProperty(std::string(c.name) + " " + scheme + " " + metric, std::to_string(std::log10(difference)));
      }
}

// Where h^2 K outweighs M the sweeps contract slowly; the coupled problem of a linear system needs one pass.
// Accelerated, the sweeps end within the usual limit of 50 (without: more than 50 projections in a step).
TEST(BothLevels, CoupledTakesOnePassOnTheStiffBar) {
  const Trajectory sweeps = simulate("elastic-bar", {"scheme=projected"});
  const Trajectory coupled = simulate("elastic-bar", {"scheme={name: projected, coupled: true}"});
  EXPECT_EQ(coupled.end.summary.retries, 0);
  EXPECT_EQ(sweeps.end.summary.retries, 0);
  EXPECT_GT(sweeps.end.summary.projection_max, 5);  // measured 9
  EXPECT_LE(sweeps.end.summary.projection_max, 15);
  EXPECT_LE(coupled.end.summary.projection_max, 2);
  EXPECT_LE(coupled.end.summary.certificate.penetration, 1e-10);
}

// Four corners on a plane are one row too many for the position: held at zero all the same, at both restitutions.
TEST(BothLevels, TumblingBoxComesToRestOnFourCorners) {
  for (const char* e : {"0", "0.5"})
    for (const char* scheme : {"combined", "{name: combined, metric: mass}", "{name: combined, coupled: true}"}) {
      const Trajectory run =
          simulate("rigid-box",
                   {std::string("scheme=") + scheme, "step=2.3e-3", "until=4", "system.bodies.box.position=[0, 0, 0.4]",
                    "system.bodies.box.angular_velocity=[1, 0.5, 0]", std::string("system.plane.restitution=") + e});
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
      EXPECT_EQ(run.end.summary.retries, 0) << scheme;
      EXPECT_LE(run.end.summary.certificate.penetration, 1e-10) << scheme;
      const Row& last = run.rows.back();
      EXPECT_LT(last.v.tail(4).norm(), 1e-9) << scheme;  // slides on without friction, and nothing else
      EXPECT_EQ(std::count_if(last.gap.begin(), last.gap.end(), [](double g) { return std::abs(g) <= 1e-9; }), 4);
    }
}

TEST(SmoothOrder, OneAwayFromThetaOneHalf) {
  for (const char* scheme : {"moreau-jean-midpoint", "schatzman-paoli", "projected", "combined"}) {
    const std::string text = std::string("scheme={name: ") + scheme + ", theta: 0.8}";
    const Trajectory fine = simulate("pendulum", {text, set("step", 1.0 / 12800), "until=1"});
    std::vector<double> h, error;
    for (std::size_t n : {50, 100, 200, 400}) {
      const auto steps = static_cast<double>(n);
      const Trajectory run = simulate("pendulum", {text, set("step", 1 / steps), "until=1"});
      h.push_back(1 / steps);
      error.push_back(0);
      for (std::size_t k = 1; k < run.rows.size(); ++k)
        error.back() += (run.rows[k].q - fine.rows[k * 12800 / n].q).norm() / steps;
    }
    EXPECT_NEAR(fitted_order(h, error), 1, 0.2) << scheme;
    EXPECT_EQ(make_scheme(scheme, {{"theta", 0.8}})->info().smooth_order, 1) << scheme;
  }
}

// Algorithm 2 on the ball in a few lines.
TEST(Combined, BallFollowsTheRecursionByHand) {
  const double h = 0.0437, f = -2, e = 0.5;
  const Trajectory run = simulate("bouncing-ball", {"scheme=combined", set("step", h), set("until", 100 * h)});
  double q = 1, v = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    double v_next = v + h * f, q_next = q + h * (v + v_next) / 2;
    if (q_next <= (q <= 1e-9 ? 1e-9 : -1e-10)) {  // what arrives just at the end of a step hits in the next
      const double P = std::max(0.0, -e * v - v_next);
      v_next += P;
      q_next = P > 0 ? 0 : std::max(0.0, q + h * (v + v_next) / 2);
    }
    q = q_next;
    v = v_next;
    EXPECT_NEAR(run.rows[k].q[0], q, 1e-10) << "step " << k;
    EXPECT_NEAR(run.rows[k].v[0], v, 1e-10) << "step " << k;
  }
}

double fastest_after(const Trajectory& run, double t) {
  double v = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    if (run.rows[k].t > t) v = std::max(v, run.rows[k].v.lpNorm<Eigen::Infinity>());
  return v;
}

// The free motion of the first step passes both walls, whose rows say the same: the impulse may be shared, but the gap
// behind cannot close. Without the bar on it every step ends with solver-failed, however small.
TEST(Combined, OfTwoWallsTheOneBehindCarriesNothing) {
  const Trajectory run = finish_text(
      "name: walls\nsystem:\n  linear:\n    M: [[2]]\n    load: {q1: \"-3\"}\n    contacts:\n"
      "      behind: {gap: \"q1 + 0.0001\", restitution: 0}\n      front: {gap: \"0.7*q1\", restitution: 0}\n"
      "initial: {position: {q1: 0}, velocity: {q1: -1}}\nsimulation: {scheme: combined, step: 0.01, until: 1}\n",
      "combined", 0.013, 0.2);
  ASSERT_GT(run.rows.size(), 15u);
  EXPECT_EQ(run.end.summary.retries, 0);
  EXPECT_NEAR(run.rows[1].P[1], (2 * 1 + 3 * 0.013) / 0.7, 1e-12);
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    EXPECT_EQ(run.rows[k].P[0], 0) << k;
    EXPECT_NEAR(run.rows[k].q[0], 0, 1e-10) << k;
    EXPECT_NEAR(run.rows[k].v[0], 0, 1e-10) << k;
  }
}

// Two floors, one 50 nm below the other, share the impulse of an impact: their gaps cannot both be zero at its end.
TEST(Combined, GapsThatCannotAllBeZeroAreNotNegative) {
  const Trajectory run = simulate(read_scenario(R"(
name: two floors
system:
  formulas:
    coordinates: [y]
    kinetic: y'^2/2
    potential: 9.81*y
    contacts: {upper: {gap: y}, lower: {gap: y + 5e-8}}
initial: {position: {y: 0.1}}
simulation: {scheme: {name: combined, minimum_norm: true}, step: 1e-3, until: 0.3}
)",
                                                "text"));
  EXPECT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.retries, 0);
  EXPECT_NEAR(run.rows.back().q[0], 0, 1e-10);
}

TEST(Chattering, ProjectedNeverRestsWithTheExplicitForecast) {
  for (double h : {0.0437, 0.0097})
    for (const char* gamma : {"0", "1", "2"}) {
      const Trajectory run = simulate("bouncing-ball", {std::string("scheme={name: projected, gamma: ") + gamma + "}",
                                                        set("step", h), set("until", 10)});
      ASSERT_EQ(run.result.status, RunStatus::finished);
      EXPECT_GT(fastest_after(run, 9), h) << "h " << h << " gamma " << gamma;  // measured 2.67 h, 1.33 h, 1.33 h
    }
}

TEST(Chattering, ProjectedRestsWithTheFreeForecastAtASmallGap) {
  for (double h : {0.0437, 0.0097}) {
    const Trajectory run = simulate(
        "bouncing-ball", {"scheme={name: projected, forecast: free}", set("step", h), set("until", 200 * h + 5)});
    Trajectory whole = run;
    whole.rows.pop_back();  // the last step is shorter than h and forecasts another gap
    EXPECT_LT(fastest_after(whole, 200 * h + 4), 1e-12);
    EXPECT_GE(whole.rows.back().gap[0], 0);
    EXPECT_LT(whole.rows.back().gap[0], h * h);
  }
}

TEST(Chattering, CombinedRestsAtGapZero) {
  for (double h : {0.0437, 0.0097})
    for (const char* metric : {"identity", "mass", "iteration"}) {
      const Trajectory run = simulate("bouncing-ball", {std::string("scheme={name: combined, metric: ") + metric + "}",
                                                        set("step", h), "until=10"});
      EXPECT_LT(fastest_after(run, 9), 1e-12);
      for (const Row& r : run.rows)
        if (r.t > 5) {
          EXPECT_NEAR(r.gap[0], 0, 1e-10);
          EXPECT_NEAR(r.P[0], 2 * r.h, 1e-9);
        }
    }
}

TEST(Chattering, FirstProjectionLiftsTheElasticBallAndItsEnergy) {
  for (double h : {0.0437, 0.0097}) {
    const Trajectory run = simulate("bouncing-ball-elastic", {"scheme=projected", set("step", h), "until=1.5"});
    const auto first =
        std::find_if(run.rows.begin(), run.rows.end(), [](const Row& r) { return r.ledger.projection != 0; });
    ASSERT_NE(first, run.rows.end());
    const double rise = first->energy - (first - 1)->energy;
    EXPECT_GT(rise, 1e-2) << "h " << h;  // measured 0.0205 and 0.0354 of 2 J
    EXPECT_NEAR(rise, first->ledger.projection, 1e-12);
    const Trajectory combined = simulate("bouncing-ball-elastic", {"scheme=combined", set("step", h), "until=20"});
    for (std::size_t k = 1; k < combined.rows.size(); ++k)
      EXPECT_LE(combined.rows[k].energy, combined.rows[k - 1].energy + 1e-9);
  }
}

constexpr const char* kRests[] = {"combined",
                                  "{name: combined, metric: mass}",
                                  "{name: combined, metric: iteration}",
                                  "auto",
                                  "nonsmooth-alpha",
                                  "{name: nonsmooth-alpha, monolithic: true}",
                                  "decoupled-alpha"};

TEST(Chattering, BothLevelAlphaSchemesRestAtGapZeroToo) {
  for (double h : {0.0437, 0.0097})
    for (const char* scheme : kRests) {
      const Trajectory run = simulate("bouncing-ball", {std::string("scheme=") + scheme, set("step", h), "until=10"});
      EXPECT_LT(fastest_after(run, 9), 1e-12) << scheme << " h " << h;
      for (const Row& r : run.rows)
        if (r.t > 5) {
          EXPECT_NEAR(r.gap[0], 0, 1e-10) << scheme << " h " << h;
        }
    }
}

TEST(Chattering, RockingBlock) {
  for (double h : {1e-2, 2.3e-3, 0.0097}) {
    for (const char* gamma : {"0", "1", "2"}) {
      const Trajectory run =
          simulate("rocking-block", {std::string("scheme={name: projected, gamma: ") + gamma + "}", set("step", h)});
      EXPECT_GT(fastest_after(run, 1.5), h) << "h " << h << " gamma " << gamma;
    }
    const Trajectory projected = simulate("rocking-block", {"scheme=projected", set("step", h)});
    Trajectory free = simulate("rocking-block", {"scheme={name: projected, forecast: free}", set("step", h)});
    free.rows.pop_back();  // the last step may be shorter than h and forecasts another gap
    EXPECT_LT(fastest_after(free, 1.5), 1e-9) << "h " << h;
    for (double gap : free.rows.back().gap) EXPECT_LT(gap, h * h * 9.81);
    for (const char* scheme : kRests) {
      const Trajectory run = simulate("rocking-block", {std::string("scheme=") + scheme, set("step", h)});
      EXPECT_LT(fastest_after(run, 1.2), 1e-9) << scheme << " h " << h;
      EXPECT_NEAR(run.rows.back().gap[0], 0, 1e-10) << scheme;
      EXPECT_NEAR(run.rows.back().gap[1], 0, 1e-10) << scheme;
      // acary-2012, 5.3: combined dissipates at least as much
      EXPECT_LE(run.rows.back().energy, projected.rows.back().energy) << scheme;
    }
  }
}

// The torque is 60 % of mu m g R.
TEST(Chattering, RollerUnderTorqueStopsUnlessTheSliderChatters) {
  for (double h : {0.93e-3, 3.7e-3, 0.0097}) {
    const auto creep = [&](const std::string& scheme) {
      const Trajectory run = simulate("slider-and-roller", {"scheme=" + scheme, set("step", h)});
      double at_three = 0;
      for (const Row& r : run.rows)
        if (r.t < 3) at_three = r.q[1];
      return run.rows[run.rows.size() - 2].q[1] - at_three;  // the last step may be shorter: another forecast
    };
    for (const char* gamma : {"0", "1", "2"})
      EXPECT_GT(creep(std::string("{name: projected, gamma: ") + gamma + "}"), 4 * h) << "h " << h << " " << gamma;
    EXPECT_LT(std::abs(creep("{name: projected, forecast: free}")), 1e-9) << "h " << h;
    for (const char* scheme : kRests) EXPECT_LT(std::abs(creep(scheme)), 1e-9) << scheme << " h " << h;
  }
}

}  // namespace
}  // namespace ricochet::test::projected_combined_test
