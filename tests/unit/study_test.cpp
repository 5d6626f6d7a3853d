// Studies: closed forms that are found, references that agree with each other, cells that survive a stop, local errors
// as the formulas say.
#include "ricochet/study/study.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/study/compare.hpp"
#include "ricochet/study/local_errors.hpp"
#include "ricochet/study/study_page.hpp"

namespace ricochet::study_test {
namespace {

namespace fs = std::filesystem;

Variant variant(const std::string& scenario, const std::string& scheme, std::vector<std::string> more = {}) {
  more.push_back("simulation.scheme=" + scheme);
  return {scheme, std::make_shared<const Scenario>(load_scenario(scenario, more)), ""};
}

std::atomic<bool> never{false};

TEST(ClosedForm, FoundWhereTheModelIsOne) {
  const auto ball = find_closed_form(load_scenario("bouncing-ball"));
  ASSERT_TRUE(ball);
  EXPECT_NEAR(ball->motion.rest_time(), 3, 1e-12);
  EXPECT_NEAR(ball->q(1.5), 0.25, 1e-12);
  // the gap is y - R, the impact law e = 0.8
  const auto bruls = find_closed_form(load_scenario("bouncing-ball-bruls"));
  ASSERT_TRUE(bruls);
  EXPECT_NEAR(bruls->motion.rest_time(), 3.60225, 1e-5);
  EXPECT_NEAR(bruls->q(0), 1.001, 1e-12);
  EXPECT_NEAR(bruls->v(0.2), -2, 1e-12);
  const auto damped = find_closed_form(
      load_scenario("linear-oscillator", {"system.formulas.parameters.c=1", "system.formulas.parameters.stop=-0.2"}));
  ASSERT_TRUE(damped);
  EXPECT_NEAR(
      damped->q(0.1),
      std::exp(-0.05) * (std::cos(std::sqrt(4 * M_PI * M_PI - 0.25) * 0.1) +
                         0.5 / std::sqrt(4 * M_PI * M_PI - 0.25) * std::sin(std::sqrt(4 * M_PI * M_PI - 0.25) * 0.1)),
      1e-12);
  // a moving table, friction, a force that is not linear, a force that depends on time
  EXPECT_FALSE(find_closed_form(load_scenario("moving-table")));
  EXPECT_FALSE(find_closed_form(load_scenario("slider-and-roller")));
  EXPECT_FALSE(find_closed_form(load_scenario("bouncing-ball", {"system.formulas.potential=-f*q + q^3/10"})));
  EXPECT_FALSE(find_closed_form(load_scenario("bouncing-ball", {"system.formulas.forces={q: 0.1*sin(t)}"})));
  EXPECT_FALSE(find_closed_form(load_scenario("bouncing-ball", {"system.formulas.kinetic=(m + q^2/10)/2*q'^2"})));
}

// A wall above: the gap falls as q rises.
TEST(ClosedForm, WithAStopFromAbove) {
  const auto exact = find_closed_form(read_scenario(R"(
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    potential: -3*q
    contacts: {ceiling: {gap: 2 - 4*q, restitution: 0.5}}
initial: {position: {q: -1}}
simulation: {scheme: auto, step: 0.01, until: 5}
)",
                                                    "ceiling"));
  ASSERT_TRUE(exact);
  EXPECT_NEAR(exact->motion.impacts().front().t, 1, 1e-12);  // 1.5 m at 3 m/s^2
  EXPECT_NEAR(exact->v(1 - 1e-9), 3, 1e-8);
  EXPECT_NEAR(exact->v(1 + 1e-9), -1.5, 1e-8);
}

TEST(ClosedForm, OfTheBars) {
  const Scenario s = load_scenario("elastic-bar-bruls", {"system.bar.elements=20"});
  const auto bar = find_exact_bar(s);
  ASSERT_TRUE(bar);
  EXPECT_NEAR(bar->touch_time(), 0.5005, 1e-12);
  EXPECT_NEAR(bar->contact_time(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(bar->force(0.8), 300, 1e-9);
  const auto acary = find_exact_bar(load_scenario("elastic-bar", {"system.bar.elements=50"}));
  ASSERT_TRUE(acary);
  EXPECT_NEAR(acary->force(2e-4), 1271.472, 1e-3);
  EXPECT_FALSE(find_exact_bar(load_scenario("two-balls-oscillator")));
  // a mesh of 200 elements is near to the continuous bar in the mean, and nearer than one of 20
  const auto error = [&](int elements) {
    const std::string mesh = "system.bar.elements=" + std::to_string(elements);
    const Scenario base = load_scenario("elastic-bar-bruls", {mesh});
    std::vector<Variant> variants;
    variants.push_back(variant("elastic-bar-bruls", "moreau-jean", {mesh}));
    Study study(base, std::move(variants), {.steps = {1.03e-3}, .reference = "exact"});
    study.run(never);
    return study.cells()[0].errors[3];  // relative, of positions
  };
  const double coarse = error(20), fine = error(200);
  EXPECT_LT(fine, 2e-3);
  EXPECT_LT(fine, coarse / 3);
}

// The reference by events or by a fine run is the closed form, as far as it can be.
TEST(Reference, OfAFineRunAgreesWithTheClosedForm) {
  const Scenario s = load_scenario("bouncing-ball", {"simulation.until=1.7"});
  const auto exact = make_reference(s, {.kind = "exact"});
  std::vector<double> t, q, v, q_exact, v_exact;
  for (int i = 0; i <= 100; ++i) t.push_back(0.0169 * i);
  exact->follow(t, q_exact, v_exact);
  const auto fine = make_reference(s, {.kind = "moreau-jean", .step = 1.03e-4});
  fine->follow(t, q, v);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(q[i], q_exact[i], 5e-4) << t[i];  // O(h) after the impact
  EXPECT_LT(hausdorff(fine->velocity_graph(), exact->velocity_graph()).distance, 3e-4);
  EXPECT_THROW(make_reference(load_scenario("rocking-block"), {.kind = "exact"}), InputError);
}

TEST(Reference, ByEventsAgreesWithTheClosedForm) {
  const Scenario s = load_scenario("linear-oscillator", {"simulation.until=1.9"});
  const auto exact = make_reference(s, {.kind = "exact"}), events = make_reference(s, {.kind = "event-driven"});
  std::vector<double> t, q, v, q_exact, v_exact;
  for (int i = 0; i <= 100; ++i) t.push_back(0.0187 * i);
  exact->follow(t, q_exact, v_exact);
  events->follow(t, q, v);
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(q[i], q_exact[i], 1e-8) << t[i];
    EXPECT_NEAR(v[i], v_exact[i], 1e-7) << t[i];
  }
  EXPECT_LT(hausdorff(events->velocity_graph(), exact->velocity_graph()).distance, 1e-5);
}

TEST(Study, StepsAreOffTheGrid) {
  const auto h = off_grid_steps(0.1, 0.001, 14);
  ASSERT_EQ(h.size(), 14U);
  for (std::size_t i = 0; i < h.size(); ++i) {
    EXPECT_LE(h[i], 0.1);
    EXPECT_GE(h[i], 0.001);
    if (i > 0) {
      EXPECT_LT(h[i], h[i - 1]);
    }
    const double parts = 1 / h[i];  // the ball of the lecture hits at t = 1
    EXPECT_GT(std::abs(parts - std::round(parts)), 1e-3) << h[i];
  }
}

class StudyFiles : public testing::Test {
 protected:
  StudyFiles() : folder_(fs::temp_directory_path() / ("ricochet-study-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~StudyFiles() override { fs::remove_all(folder_); }
  fs::path folder_;
};

// The same numbers with one thread, with three, and stopped and resumed.
TEST_F(StudyFiles, DependsNeitherOnThreadsNorOnStops) {
  const Scenario base = load_scenario("bouncing-ball", {"simulation.until=2.3"});
  const auto make = [&](int threads, bool resume, const std::string& file) {
    std::vector<Variant> variants;
    for (const char* scheme : {"moreau-jean", "nonsmooth-alpha"})
      variants.push_back(variant("bouncing-ball", scheme, {"simulation.until=2.3"}));
    return Study(
        base, std::move(variants),
        {.steps = off_grid_steps(0.04, 0.004, 6), .threads = threads, .cells = folder_ / file, .resume = resume});
  };
  Study one = make(1, false, "one.csv"), three = make(3, false, "three.csv");
  ASSERT_TRUE(one.run(never));
  ASSERT_TRUE(three.run(never));
  ASSERT_EQ(one.cells().size(), 12U);
  const auto same = [](const Study& a, const Study& b) {
    for (std::size_t k = 0; k < a.cells().size(); ++k) {
      EXPECT_EQ(a.cells()[k].errors, b.cells()[k].errors);
      EXPECT_EQ(a.cells()[k].steps, b.cells()[k].steps);
    }
  };
  same(one, three);
  // as if it had been killed while it wrote its fifth run
  std::ifstream in(folder_ / "three.csv");
  std::ofstream out(folder_ / "cut.csv");
  std::string line;
  for (int k = 0; k < 7 && std::getline(in, line); ++k) out << line << "\n";
  std::getline(in, line);
  out << line.substr(0, line.size() / 2);
  out.close();
  Study rest = make(2, true, "cut.csv");
  EXPECT_EQ(rest.resumed(), 4U);
  ASSERT_TRUE(rest.run(never));
  same(one, rest);
  EXPECT_EQ(rest.reference(), one.reference());
  // another study does not take its cells
  EXPECT_THROW(Study(base, {}, {.steps = {0.01}, .scales = {2, 1}, .cells = folder_ / "cut.csv", .resume = true}),
               InputError);
  EXPECT_THROW(Study(base, {}, {.steps = {0.01}, .cells = folder_ / "none.csv", .resume = true}), InputError);
  std::atomic<bool> now{true};
  Study stopped = make(2, false, "stopped.csv");
  EXPECT_FALSE(stopped.run(now));
}

TEST(Study, ReportsHoldWhatWasMeasured) {
  const Scenario base = load_scenario("bouncing-ball");
  std::vector<Variant> variants;
  variants.push_back(variant("bouncing-ball", "moreau-jean"));
  variants.push_back({"some-scheme", nullptr, "it has no friction"});
  Study study(base, std::move(variants), {.steps = off_grid_steps(0.04, 0.004, 8)});
  ASSERT_TRUE(study.run(never));
  EXPECT_EQ(study.reference(), "closed form");
  EXPECT_TRUE(study.has_impacts());
  EXPECT_EQ(study.declared_order(0), 1);
  const auto json = nlohmann::json::parse(study_json(study));
  EXPECT_EQ(json["schemes"][0]["cells"].size(), 8U);
  EXPECT_DOUBLE_EQ(json["schemes"][0]["orders"]["q_l1"]["order"].get<double>(), study.order(0, 0).order);
  EXPECT_EQ(json["schemes"][1]["refused"], "it has no friction");
  const std::string page = study_page(study).html();
  EXPECT_NE(page.find("it has no friction"), std::string::npos);
  EXPECT_NE(page.find("Against attempted steps"), std::string::npos);
  EXPECT_EQ(study_table(study).size(), 3U);
  EXPECT_THROW(Study(base, {}, {.steps = {7}}), InputError);
  EXPECT_THROW(Study(base, {}, {.steps = {0.1}, .coordinates = {"z"}}), InputError);
}

// acary-2018, the bouncing ball with an impact at sigma within the step, as corrected: without impulse
//   e_v = -(1 + e)(v_k + h f sigma),  e_q = -q_k - h (e (1 - sigma) + 1) v_k - f h^2 (e sigma (1 - sigma) - (1 -
//   sigma)^2/2 + theta);
// with it
//   e_v = h f (1 - sigma - e sigma),  e_q = -q_k - h ((1 + e)(1 - theta) - e sigma) v_k - f h^2 (e sigma (1 - sigma) -
//   (1 - sigma)^2/2).
TEST(LocalErrors, OfMoreauJeanAreTheFormulas) {
  const Scenario base = load_scenario("bouncing-ball");
  const double e = 0.5, f = -2;
  for (const double theta : {0.5, 0.8, 1.0})
    for (const char* forecast : {"explicit", "free"}) {
      std::vector<Variant> variants;
      variants.push_back(variant(
          "bouncing-ball", "{name: moreau-jean, theta: " + std::to_string(theta) + ", forecast: " + forecast + "}"));
      const LocalStudy study(base, std::move(variants), {0.03, 0.007, 0.0011});
      ASSERT_EQ(study.errors().size(), 36U);
      for (const LocalError& x : study.errors()) {
        const double h = x.step, s = x.sigma, t = 1 - s * h, v = f * t, q = 1 + f * t * t / 2;
        const double common = e * s * (1 - s) - (1 - s) * (1 - s) / 2;
        const double missed_v = -(1 + e) * (v + h * f * s), seen_v = h * f * (1 - s - e * s);
        const double missed_q = -q - h * (e * (1 - s) + 1) * v - f * h * h * (common + theta);
        const double seen_q = -q - h * ((1 + e) * (1 - theta) - e * s) * v - f * h * h * common;
        EXPECT_EQ(x.right, std::string(forecast) == "free");
        EXPECT_NEAR(x.e_v, std::abs(x.right ? seen_v : missed_v), 1e-13);
        EXPECT_NEAR(x.e_q, std::abs(x.right ? seen_q : missed_q), 1e-13);
      }
    }
}

TEST(LocalErrors, OrdersAsThePapersProve) {
  const Scenario base = load_scenario("bouncing-ball");
  std::vector<Variant> variants;
  for (const char* scheme : {"moreau-jean", "combined", "projected", "nonsmooth-alpha", "decoupled-alpha"})
    variants.push_back(variant("bouncing-ball", scheme));
  const LocalStudy study(base, std::move(variants), off_grid_steps(0.05, 0.0005, 10));
  EXPECT_NEAR(study.impact_time(), 1, 1e-12);
  for (std::size_t k = 0; k < study.variants().size(); ++k)
    for (const bool right : {true, false}) {
      const LocalOrders o = study.orders(k, right);
      if (o.steps == 0) continue;
      // measured: 1.00, and 0.00 where the impact is missed
      EXPECT_NEAR(o.e_v.order, right ? 1 : 0, 0.05) << study.variants()[k].label;
      EXPECT_NEAR(o.e_q.order, 1, 0.05) << study.variants()[k].label;
      if (o.correction.points > 2) {
        EXPECT_NEAR(o.correction.order, 1, 0.05) << study.variants()[k].label;
      }
    }
  EXPECT_GT(study.orders(0, false).steps, 0);  // moreau-jean forecasts from the beginning of the step and misses
  EXPECT_GT(study.orders(1, true).steps, 0);
  EXPECT_GT(study.orders(3, true).correction.points, 2);
  EXPECT_THROW(LocalStudy(load_scenario("rocking-block"), {}, {1e-3}), InputError);
  EXPECT_THROW(LocalStudy(base, {}, {1.5}), InputError);
}

TEST(Comparison, OverlaysRuns) {
  std::vector<Variant> variants;
  for (const char* scheme : {"moreau-jean", "combined"})
    variants.push_back(variant("bouncing-pendulum", scheme, {"simulation.until=1.5"}));
  variants.push_back({"other", nullptr, "not for this model"});
  const Comparison c("pendulum", std::move(variants), 2, never);
  EXPECT_TRUE(c.ran(0));
  EXPECT_TRUE(c.ran(1));
  EXPECT_FALSE(c.ran(2));
  EXPECT_FALSE(c.interrupted());
  // the run is what it is alone
  const Scenario alone = load_scenario("bouncing-pendulum", {"simulation.until=1.5", "simulation.scheme=combined"});
  const Trajectory run = simulate(alone, {"q"});
  EXPECT_EQ(run["q.theta"], c.runs()[1]["q.theta"]);
  const auto json = nlohmann::json::parse(comparison_json(c));
  ASSERT_EQ(json["runs"].size(), 3U);
  EXPECT_EQ(json["runs"][1]["label"], "combined");
  EXPECT_EQ(json["runs"][1]["status"], "finished");
  EXPECT_EQ(json["runs"][2]["refused"], "not for this model");
  EXPECT_EQ(certificate_table(c).size(), 3U);
  const std::string page = comparison_page(c).html();
  for (const char* word : {"Positions", "Velocities", "Gaps", "Joint residuals", "Normal reactions", "At impacts"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace ricochet::study_test
