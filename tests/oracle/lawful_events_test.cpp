// event-driven on random systems that start in contact: several bodies, rows that depend on each other or oppose each
// other, friction, several contacts on one coordinate. Where a run ends it says why; what it accepts obeys the laws: no
// impulse outside its cone, no closed contact that approaches, no energy out of frictionless impacts with one e <= 1.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <thread>

#include "support/problems.hpp"
#include "support/runs.hpp"

namespace ricochet::test::lawful_events_test {
namespace {

struct Draw {
  std::string text;
  std::vector<double> mu;  ///< by contact, in the order of their names
  bool frictionless = true;
};

std::string number(double x) {
  char out[40];
  std::snprintf(out, sizeof out, "%.6g", x);
  return out;
}

/// Contacts c00, c01, ... of linear gaps and slips; every other one starts closed, rows are often repeated, scaled,
/// summed or turned round.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Draw draw() {
    n_ = 1 + pick(4);
    Draw d;
    d.frictionless = chance(0.4);
    const double e = std::vector<double>{0, 0, 0.5, 0.8, 1}[static_cast<std::size_t>(pick(5))];
    std::vector<double> q(static_cast<std::size_t>(n_)), v(q.size());
    for (double& x : q) x = rounded(uniform(-1, 1));
    for (double& x : v) x = chance(0.5) ? 0 : rounded(uniform(-2, 2));
    std::string kinetic, potential, coordinates, position, velocity;
    for (int i = 0; i < n_; ++i) {
      const std::string x = "x" + std::to_string(i), comma = i > 0 ? ", " : "";
      const double m = std::vector<double>{1, 1, 0.1, 10}[static_cast<std::size_t>(pick(4))];
      kinetic += (i > 0 ? " + " : "") + number(m / 2) + "*" + x + "'^2";
      potential += (i > 0 ? " + " : "") + number(rounded(uniform(-10, 10))) + "*" + x;
      if (chance(0.3)) potential += " + " + number(uniform(1, 50)) + "*" + x + "^2";
      coordinates += comma + x;
      position += comma + x + ": " + number(q[static_cast<std::size_t>(i)]);
      velocity += comma + x + ": " + number(v[static_cast<std::size_t>(i)]);
    }
    d.text = "system:\n  formulas:\n    coordinates: [" + coordinates + "]\n    kinetic: \"" + kinetic +
             "\"\n    potential: \"" + potential + "\"\n    contacts:\n";
    const int contacts = 1 + pick(5);
    std::vector<std::vector<double>> rows;
    for (int k = 0; k < contacts; ++k) {
      const std::vector<double> row = gradient(rows);
      double gap = 0;
      for (int i = 0; i < n_; ++i) gap += row[static_cast<std::size_t>(i)] * q[static_cast<std::size_t>(i)];
      const double opening = chance(0.7) ? 0 : uniform(0, 0.2);
      const double mu = d.frictionless ? 0 : std::vector<double>{0, 0.1, 0.5, 1}[static_cast<std::size_t>(pick(4))];
      char name[8], offset[40];
      std::snprintf(name, sizeof name, "c%02d", k);
      std::snprintf(offset, sizeof offset, "%.17g", opening - gap);
      d.text += std::string("      ") + name + ": {gap: \"" + linear(row) + " + (" + offset +
                ")\", restitution: " + number(e);
      if (mu > 0) {
        const std::vector<std::vector<double>> none;
        d.text += ", slip: [\"" + linear(gradient(none)) + "\"";
        if (chance(0.4)) d.text += ", \"" + linear(gradient(none)) + "\"";
        d.text += "], friction: " + number(mu);
      }
      d.text += "}\n";
      d.mu.push_back(mu);
      rows.push_back(row);
    }
    d.text += "initial: {position: {" + position + "}, velocity: {" + velocity +
              "}}\nsimulation: {scheme: event-driven, step: 0.02, until: 0.4}\n";
    return d;
  }

 private:
  double uniform(double a, double b) { return a + (b - a) * static_cast<double>(random_()) / 4294967296.0; }
  bool chance(double p) { return uniform(0, 1) < p; }
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  static double rounded(double x) { return std::round(x * 1000) / 1000; }

  std::vector<double> gradient(const std::vector<std::vector<double>>& rows) {
    std::vector<double> row(static_cast<std::size_t>(n_), 0.0);
    if (!rows.empty() && chance(0.5)) {  // depends on what is there
      row = rows[static_cast<std::size_t>(pick(static_cast<int>(rows.size())))];
      const double factor = std::vector<double>{1, 2, -1, 0.5}[static_cast<std::size_t>(pick(4))];
      for (double& x : row) x *= factor;
      if (rows.size() > 1 && chance(0.4))
        for (std::size_t i = 0; i < row.size(); ++i) row[i] += rows.front()[i];
    } else if (chance(0.5)) {
      row[static_cast<std::size_t>(pick(n_))] = chance(0.5) ? 1 : -1;
    } else {
      for (double& x : row) x = rounded(uniform(-1, 1));
    }
    double size = 0;
    for (double x : row) size += std::abs(x);
    if (!(size > 0)) row[0] = 1;
    return row;
  }
  std::string linear(const std::vector<double>& row) const {
    std::string out;
    for (int i = 0; i < n_; ++i)
      out += (i > 0 ? " + " : "") + ("(" + number(row[static_cast<std::size_t>(i)]) + ")*x" + std::to_string(i));
    return out;
  }

  std::mt19937 random_;
  int n_ = 1;
};

/// The worst of every kind over a run.
class Judge final : public Observer {
 public:
  explicit Judge(const Draw& draw) : draw_(draw) {}
  void step(const State& before, const State& after, const StepReport& r) override {
    double impulse = 1e-3, speed = 1;
    for (const ConstraintReport& c : r.constraints) impulse = std::max(impulse, std::abs(c.impulse[0]));
    for (Index i = 0; i < after.v.size(); ++i) speed = std::max({speed, std::abs(after.v[i]), std::abs(before.v[i])});
    std::size_t k = 0;
    for (const ConstraintReport& c : r.constraints) {
      const double mu = draw_.mu[k++];
      if (c.candidate->bilateral()) continue;
      const int dim = c.candidate->dim;
      const double friction = dim == 1 ? 0 : dim == 2 ? std::abs(c.impulse[1]) : std::hypot(c.impulse[1], c.impulse[2]);
      cone = std::max({cone, -c.impulse[0] / impulse, (friction - mu * c.impulse[0]) / impulse});
      penetration = std::max(penetration, -c.g[0]);
      if (c.g[0] <= 1e-12) approach = std::max(approach, -c.U[0] / speed);
    }
    const double scale = 1 + std::abs(r.energy.kinetic) + std::abs(r.energy.potential) + r.energy.magnitude();
    if (draw_.frictionless) gain = std::max(gain, r.energy.change() / scale);
    defect = std::max(defect, std::abs(r.energy.defect) / scale);
    complementarity = std::max(complementarity, r.certificate.complementarity / speed);
    highest = std::max(highest, r.energy.kinetic + r.energy.potential);
  }
  double highest = -INFINITY;  ///< energy
  double cone = 0, approach = 0, gain = 0, penetration = 0, defect = 0, complementarity = 0;

 private:
  const Draw& draw_;
};

constexpr int kRuns = 400;

Scenario found(const std::string& name) {
  return load_scenario((test::data_folder() / "found" / (name + ".yaml")).string(), {"simulation.scheme=event-driven"});
}
bool has_found() { return std::filesystem::exists(test::data_folder() / "found"); }

RunResult judged(const Scenario& s, Judge& judge) {
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState run_state = begin_run(s.model, *scheme, s.initial);
  return run(s.model, *scheme, run_state, s.policy, &judge);
}

TEST(LawfulEvents, RandomSystemsInContact) {
  int finished = 0;
  std::map<std::string, int> failures;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Draw draw = Generator(seed).draw();
    Scenario s = read_scenario(draw.text, "random", {});
    s.policy.max_halvings = 1;
    Judge judge(draw);
    const RunResult result = judged(s, judge);
    if (result.status == RunStatus::finished)
      ++finished;
    else
      ++failures[name(result.failure.status)];
    // measured, largest of all: 2e-15, 2e-16, 2e-15, 9e-16, 4e-14, 1e-13
    EXPECT_LE(judge.cone, 1e-12) << draw.text;
    EXPECT_LE(judge.approach, 1e-12) << draw.text;
    EXPECT_LE(judge.gain, 1e-12) << draw.text;
    EXPECT_LE(judge.penetration, 1e-12) << draw.text;
    EXPECT_LE(judge.defect, 1e-11) << draw.text;
    EXPECT_LE(judge.complementarity, 1e-11) << draw.text;
  }
  std::string ends;
  for (const auto& [what, count] : failures) ends += what + ": " + std::to_string(count) + "; ";
  // measured 371; 19 impacts that cannot be solved, 8 times irregular sliding, one Painleve, one event limit
  EXPECT_GE(finished, 360) << ends;
}

// Between two walls that touch: one carries the weight, the other nothing; each half of it would be P = -0.05.
TEST(LawfulEvents, Jam) {
  Draw draw{R"(
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    potential: q
    contacts: {a: {gap: q}, b: {gap: -q}}
simulation: {scheme: event-driven, step: 0.1, until: 0.3}
)",
            {0, 0},
            true};
  const Trajectory run = simulate(read_scenario(draw.text, "jam", {}));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    EXPECT_NEAR(run.rows[k].P[0], 0.1, 1e-13);
    EXPECT_NEAR(run.rows[k].P[1], 0, 1e-13);
    EXPECT_GE(run.rows[k].P[1], 0);
    EXPECT_NEAR(run.rows[k].q[0], 0, 1e-15);
  }
}

// One coordinate that three contacts hold, one of them with friction along it: of all forces that hold it those in the
// cone are meant. It was P_T / P_N = 1.55 with mu = 1.
TEST(LawfulEvents, EventCone) {
  if (!has_found()) GTEST_SKIP() << test::no_data();
  const Draw draw{"", {0, 1, 0}, false};
  Judge judge(draw);
  EXPECT_EQ(judged(found("event-cone"), judge).status, RunStatus::finished);
  EXPECT_LE(judge.cone, 1e-12);
  EXPECT_LE(judge.defect, 1e-12);
}

// Impacts whose problems have no answer to working precision: the run may end there, and says so; it never goes on with
// 1e14 J more.
TEST(LawfulEvents, EventGainAndEvent1e16) {
  if (!has_found()) GTEST_SKIP() << test::no_data();
  for (const char* name : {"event-gain", "event-1e16"}) {
    const Scenario s = found(name);
    const Draw draw{"", std::vector<double>(s.model.items().size(), 1e300), false};
    Judge judge(draw);
    const RunResult result = judged(s, judge);
    EXPECT_NE(result.status, RunStatus::interrupted);
    EXPECT_LE(judge.defect, 1e-8) << name;
    EXPECT_LE(judge.complementarity, 1e-10) << name;
    EXPECT_LE(judge.highest, 2.85) << name;  // they begin with 2.84 and 2.63 J, and nothing gives them more
  }
}

// A force that jumps where the velocity vanishes: inner steps of rounding's size. It took minutes; now it ends by
// itself.
TEST(LawfulEvents, EventNoterm) {
  if (!has_found()) GTEST_SKIP() << test::no_data();
  const Draw draw{"", {0.2}, false};
  Judge judge(draw);
  const RunResult result = judged(found("event-noterm"), judge);
  EXPECT_EQ(result.status, RunStatus::failed);
  EXPECT_EQ(result.failure.status, StepStatus::inner_step);
  EXPECT_NEAR(result.failed_at, 0.0994, 1e-3);
}

// A run that is asked to end does so inside a step: this one has five million impacts in its first, a minute of work.
TEST(LawfulEvents, StopsInsideAStep) {
  Scenario s = read_scenario(test::kMillionsOfImpacts, "pressed", {});
  std::atomic<bool> stop{false};
  s.policy.stop = &stop;
  const Draw draw{"", {0}, true};
  Judge judge(draw);
  const std::clock_t started = std::clock();  // of the processor: by then the run is in its step
  std::thread after([&] {
    while (std::clock() - started < CLOCKS_PER_SEC / 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
  });
  const RunResult result = judged(s, judge);
  after.join();
  EXPECT_EQ(result.status, RunStatus::interrupted);
  EXPECT_TRUE(result.inside);
}

}  // namespace
}  // namespace ricochet::test::lawful_events_test
