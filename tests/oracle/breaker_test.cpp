// The circuit breaker (docs/breaker.md): its sequence of times, the forces while it is held against statics, the work
// of a step.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::breaker_test {
namespace {

struct Figures {
  double touch = 0, on = 0, part = 0, back = 0;  ///< [ms]
  double pad = 0, normal = 0;                    ///< while held [N]
  double tangent = 0;                            ///< of the latch, with its sign [N]
};

struct BreakerRun {
  RunState end;
  RunResult result;
  Figures figures;
  double retried() const { return static_cast<double>(end.summary.retries) / static_cast<double>(end.summary.steps); }
  double passes() const { return static_cast<double>(end.summary.newton_sum) / static_cast<double>(end.summary.steps); }
};

class Watch final : public Observer {
 public:
  Watch(const Model& model, Figures& figures) : model_(model), figures_(figures) {}
  void step(const State&, const State& after, const StepReport& r) override {
    const double ms = 1e3 * after.t;
    for (const ConstraintReport& c : r.constraints) {
      const std::string& name = model_.items()[static_cast<std::size_t>(model_.index_of(*c.candidate))].name;
      const bool carries = c.impulse[0] > 0;
      if (name == "pads" && carries && figures_.touch == 0) figures_.touch = ms;
      if (name == "shaft.upper" && carries && figures_.on == 0) figures_.on = ms;
      if (name == "pads" && carries && ms > 50 && ms < 54.5) figures_.part = ms;
      if (name == "shaft.lower" && carries && ms > 55 && figures_.back == 0) figures_.back = ms;
      if (ms < 45 || ms >= 50) continue;  // 5 ms, so that a sum of impulses is a force
      if (name == "pads") figures_.pad += c.impulse[0] / 5e-3;
      if (name == "latch") figures_.normal += c.impulse[0] / 5e-3;
      if (name == "latch") figures_.tangent += c.impulse[1] / 5e-3;
    }
  }

 private:
  const Model& model_;
  Figures& figures_;
};

BreakerRun breaker(const std::string& name, const std::string& scheme, double h,
                   std::vector<std::string> overrides = {}) {
  overrides.push_back("simulation.scheme=" + scheme);
  overrides.push_back(set("simulation.step", h));
  const Scenario s = load_scenario(name, overrides);
  const auto made = make_scheme(s.scheme, s.options);
  BreakerRun out;
  out.end = begin_run(s.model, *made, s.initial);
  Watch watch(s.model, out.figures);
  out.result = run(s.model, *made, out.end, s.policy, &watch);
  return out;
}

// Statics: the ledge is a cylinder about a point 1 mm beside the bar's pin, whose spring gives 0.8 N mm: with the nose
// 8 mm above, T/N = (1 - 0.8/N)/8.
TEST(Breaker, ForcesWhileHeldAreThoseOfStatics) {
  const BreakerRun r = breaker("breaker", "combined", 1e-5);
  ASSERT_EQ(r.result.status, RunStatus::finished);
  const Figures& f = r.figures;
  EXPECT_NEAR(f.touch, 6.86, 0.03);  // over schemes and steps down to h/4: docs/breaker.md
  EXPECT_NEAR(f.on, 12.04, 0.03);
  EXPECT_NEAR(f.part, 51.92, 0.03);
  EXPECT_NEAR(f.back, 64.85, 0.15);
  EXPECT_NEAR(f.pad, 5.13, 0.01);
  EXPECT_NEAR(f.normal, 6.47, 0.01);
  EXPECT_NEAR(std::abs(f.tangent) / f.normal, (1 - 0.8 / f.normal) / 8, 3e-4);  // measured 0.1096 and 0.1095
  EXPECT_EQ(r.end.summary.retries, 0);
  EXPECT_LT(r.passes(), 3);  // measured 1.9; beginning with no contact 7.1
}

// Every scheme that is exact at both levels, with coarse steps: a tenth of a millisecond.
constexpr const char* kExact[] = {"combined", "projected", "{name: nonsmooth-alpha, forecast: end}", "decoupled-alpha",
                                  "event-driven"};
void expect_closes(const BreakerRun& r, const std::string& scheme) {
  ASSERT_EQ(r.result.status, RunStatus::finished) << scheme;
  // projected is late by some three of its steps, 7.2 here, 7.0 at 5e-5, 6.92 at 2e-5 s; the others 6.8 to 6.9
  EXPECT_NEAR(r.figures.touch, 6.86, scheme == "projected" ? 0.4 : 0.2) << scheme;
  EXPECT_LE(r.end.summary.certificate.penetration, 1e-10) << scheme;
  EXPECT_LE(r.end.summary.certificate.joint_position, 1e-10) << scheme;
  EXPECT_LE(r.retried(), 0.01) << scheme;
}
TEST(Breaker, ClosesOnEverySchemeThatIsExact) {
  for (const char* scheme : kExact) expect_closes(breaker("breaker", scheme, 1e-4, {"simulation.until=0.014"}), scheme);
}
TEST(LongBreaker, FinishesOnEverySchemeThatIsExact) {
  for (const char* scheme : kExact) {
    const BreakerRun r = breaker("breaker", scheme, 1e-4);
    expect_closes(r, scheme);
    EXPECT_NEAR(r.figures.part, 51.92, 0.2) << scheme;
  }
}

// With play the pins hang over to one side: the pads touch later, part earlier, 2 us per um.
TEST(Breaker, PlayDelaysTheContact) {
  const BreakerRun r = breaker("breaker-play", "combined", 1e-5);
  ASSERT_EQ(r.result.status, RunStatus::finished);
  EXPECT_NEAR(r.figures.touch, 6.98, 0.03);
  EXPECT_NEAR(r.figures.on, 12.19, 0.04);  // over steps down to h/4: docs/breaker.md
  EXPECT_NEAR(r.figures.part, 51.86, 0.03);
  EXPECT_NEAR(r.figures.normal, 6.3, 0.3);
  EXPECT_LE(r.end.summary.certificate.penetration, 1.0001e-10);
  EXPECT_LE(r.retried(), 0.01);
  EXPECT_LE(r.passes(), 8);
}

// A turn counts by the lever where a part is held. Where it counts as so many metres, projections shift the parts, the
// run needs smaller steps for one step in twenty and ends at 55 ms; where it counts by the radius of gyration, 10
// passes.
TEST(Breaker, PlayIsHeldByProjectionsToo) {
  const BreakerRun r = breaker("breaker-play", "projected", 1e-5);
  ASSERT_EQ(r.result.status, RunStatus::finished);
  EXPECT_NEAR(r.figures.touch, 6.99, 0.03);
  EXPECT_NEAR(r.figures.part, 51.86, 0.03);
  EXPECT_NEAR(r.figures.normal, 6.3, 0.3);
  EXPECT_LE(r.retried(), 0.001);  // measured 0.00013
  EXPECT_LE(r.passes(), 8);       // measured 7.58
}

// Projections have no friction: what they lift moves on. Whether the latch of the ideal breaker holds must not depend
// on the step (with a radian for a metre it falls open with five of these, with radii of gyration with all).
TEST(Breaker, TheLatchHoldsWithProjectionsAtEveryStep) {
  for (const double h : {1.2e-4, 1.1e-4, 1e-4, 9e-5, 8e-5, 7e-5, 6e-5, 5e-5}) {
    const BreakerRun r = breaker("breaker", "projected", h, {"simulation.until=0.055"});
    ASSERT_EQ(r.result.status, RunStatus::finished) << h;
    EXPECT_NEAR(r.figures.part, 51.98, 0.12) << h;  // measured 51.90 to 52.08
    EXPECT_NEAR(std::abs(r.figures.tangent) / r.figures.normal, 0.1095, 1e-3) << h;
  }
}

// Pins turn by a quarter of a radian in a step, and what friction does to the position turns them further. Laws hold
// for all contacts that are closed.
TEST(Breaker, PlayTakesFewPassesWithAlphaSchemes) {
  struct Case {
    const char* scheme;
    double passes;
  };
  for (const Case& c : {Case{"{name: nonsmooth-alpha, forecast: end}", 8}, Case{"decoupled-alpha", 15}}) {
    const BreakerRun r = breaker("breaker-play", c.scheme, 1e-5, {"simulation.until=0.015"});
    ASSERT_EQ(r.result.status, RunStatus::finished) << c.scheme;
    EXPECT_NEAR(r.figures.touch, 6.99, 0.03) << c.scheme;
    EXPECT_LE(r.retried(), 0.01) << c.scheme;
    EXPECT_LE(r.passes(), c.passes) << c.scheme;  // measured 5.9 and 12.9; without acceleration and start 19 and 112
    EXPECT_LE(r.end.summary.certificate.complementarity, 1e-10) << c.scheme;
    EXPECT_LE(r.end.summary.certificate.penetration, 1e-10) << c.scheme;
  }
}

// Pins with play in space, whose rims joints hold in part: every contact problem is solved at the first attempt (the
// verdict with the joints refused one in a hundred steps).
TEST(SliderCrankInSpace, NeedsNoSmallerSteps) {
  const BreakerRun r = breaker("slider-crank-space", "combined", 1e-5, {"simulation.until=0.035"});
  ASSERT_EQ(r.result.status, RunStatus::finished);
  EXPECT_EQ(r.end.summary.retries, 0);
  EXPECT_LE(r.end.summary.certificate.penetration, 1e-10);
}

// In space the two balls of the stop take turns in the first tenth of a millisecond: a gap of one of them at zero takes
// its impulse away, and the gap that then opens brings it back. At h = 5e-6 s no set of gaps holds by itself.
TEST(Breaker, InSpaceBeginsWithEveryStep) {
  for (const double h : {1e-5, 5e-6, 2.5e-6}) {
    const BreakerRun r = breaker("breaker-step", "{name: combined, metric: mass}", h, {"simulation.until=1e-4"});
    EXPECT_EQ(r.result.status, RunStatus::finished) << h;
  }
}

// A problem that is solved below what the step asks for, but not to the tolerance of the solver, is not tried from
// every other start: that took 21,303 iterations in the worst of these steps, where 405 do.
TEST(Breaker, InSpaceLeavesWhatIsSolvedWellEnough) {
  const BreakerRun r = breaker("breaker-step", "auto", 1e-5, {"simulation.until=6e-4"});
  ASSERT_EQ(r.result.status, RunStatus::finished);
  EXPECT_EQ(r.end.summary.retries, 0);
  EXPECT_LT(r.end.summary.solver_max, 2000);
}

}  // namespace
}  // namespace ricochet::test::breaker_test
