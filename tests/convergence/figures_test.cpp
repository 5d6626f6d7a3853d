// The tables of docs/accuracy.md.
#include "support/figures.hpp"

#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::figures_test {
namespace {

constexpr const char* kAccuracy = "docs/accuracy.md";

struct Fit {
  std::vector<double> h, error;
  void add(double step, double e) {
    h.push_back(step);
    error.push_back(e);
  }
  std::string cell() const { return fmt::format("{:.2f}; {}", fitted_order(h, error), figure(error.back())); }
};

/// Errors of position and velocity in L1 on the ball.
std::pair<std::string, std::string> ball(const std::string& scheme) {
  const ExactBall exact(1, 2, 0.5);
  Fit q, v;
  for (const double h : geometric(0.0437, 0.00097, 14)) {
    const Trajectory run = simulate("bouncing-ball", {"scheme=" + scheme, set("step", h), "until=5"});
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme;
    double dq = 0, dv = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const Row& r = run.rows[k];
      dq += r.h * std::abs(r.q[0] - exact.q(r.t));
      dv += r.h * std::abs(r.v[0] - exact.v(r.t));
    }
    q.add(h, dq);
    v.add(h, dv);
  }
  return {q.cell(), v.cell()};
}

/// Largest error of a coordinate at any common time, against moreau-jean with an eighth of the smallest step.
std::string smooth(const std::string& name, const std::string& scheme, double until, double h0) {
  constexpr int kLevels = 5, kFiner = 8;
  const double smallest = h0 / (1 << (kLevels - 1));
  const Trajectory exact = simulate(name, {"scheme=moreau-jean", set("step", smallest / kFiner), set("until", until)});
  Fit fit;
  for (double h = h0; h > 0.9 * smallest; h /= 2) {
    const Trajectory run = simulate(name, {"scheme=" + scheme, set("step", h), set("until", until)});
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme;
    const std::size_t ratio = (exact.rows.size() - 1) / (run.rows.size() - 1);
    double e = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      e = std::max(e, (run.rows[k].q - exact.rows[k * ratio].q).lpNorm<Eigen::Infinity>());
    fit.add(h, e);
  }
  return fit.cell();
}

TEST(Figures, Orders) {
  FigureTable table(kAccuracy, "orders");
  std::size_t rows = 0;
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-midpoint", "schatzman-paoli", "projected", "combined", "auto", "newmark", "hht",
        "generalized-alpha", "generalized-alpha-kh", "nonsmooth-alpha", "decoupled-alpha"}) {
    const auto [q, v] = ball(scheme);
    const bool rotates = std::string(scheme) != "schatzman-paoli";
    table.expect({fmt::format("`{}`", scheme), q, v, smooth("pendulum", scheme, 1, 5e-2),
                  smooth("slider-crank-free", scheme, 2.4e-3, 2e-4),
                  rotates ? smooth("rigid-box", scheme, 0.2, 4e-3) : "refused"});
    ++rows;
  }
  for (const auto& [label, scheme] : std::vector<std::pair<std::string, std::string>>{
           {"`moreau-jean`, gradient end", "{name: moreau-jean, gradient: end}"},
           {"`moreau-jean`, theta 1", "{name: moreau-jean, theta: 1}"}}) {
    table.expect(
        {label, "", "", smooth("pendulum", scheme, 1, 5e-2), smooth("slider-crank-free", scheme, 2.4e-3, 2e-4), ""});
    ++rows;
  }
  EXPECT_EQ(table.rows(), rows);
}

constexpr const char* kCompared[] = {"moreau-jean", "projected", "combined", "nonsmooth-alpha"};

TEST(Figures, PenetrationAndJointErrors) {
  FigureTable table(kAccuracy, "penetration");
  std::size_t rows = 0;
  for (const char* name :
       {"bouncing-ball-bruls", "bouncing-pendulum", "rocking-block", "rigid-box", "rigid-box-points", "slider-crank"}) {
    const double h = load_scenario(name).policy.step;
    std::vector<std::string> gap{fmt::format("`{}`, gap", name), figure(h, 1) + " s"};
    std::vector<std::string> joint{fmt::format("`{}`, joints", name), ""};
    double joints = 0;
    for (const char* scheme : kCompared) {
      const Certificate c = simulate(name, {std::string("scheme=") + scheme}).end.summary.certificate;
      gap.push_back(error_figure(c.penetration, " m"));
      joint.push_back(error_figure(c.joint_position));
      joints = std::max(joints, c.joint_position);
    }
    table.expect(gap);
    ++rows;
    if (joints == 0) continue;
    table.expect(joint);
    ++rows;
  }
  EXPECT_EQ(table.rows(), rows);
}

// A ball with e = 0.8 dropped from 1 m must rise to 0.64 m.
TEST(Figures, Restitution) {
  FigureTable table(kAccuracy, "restitution");
  std::size_t rows = 0;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    std::vector<std::string> cells{figure(h, 1) + " s"};
    for (const char* scheme : {"moreau-jean", "auto", "nonsmooth-alpha"}) {
      const Trajectory run = run_text(R"(
system: {formulas: {coordinates: [q], kinetic: q'^2/2, potential: 9.81*q, contacts: {floor: {gap: q, restitution: 0.8}}}}
initial: {position: {q: 1}}
simulation: {step: 1, until: 1}
)",
                                      scheme, h, 0.9);
      double apex = 0, depth = 0;
      bool up = false;
      for (const Row& r : run.rows) {
        depth = std::max(depth, -r.q[0]);
        up = up || (r.v[0] > 0 && r.q[0] < 0.5);
        if (up) apex = std::max(apex, r.q[0]);
      }
      cells.push_back(fmt::format("{:+.3f} %", 100 * (apex / 0.64 - 1)));
      cells.push_back(error_figure(depth, " m"));
    }
    table.expect(cells);
    ++rows;
  }
  EXPECT_EQ(table.rows(), rows);
}

TEST(Figures, Energy) {
  FigureTable table(kAccuracy, "energy");
  std::size_t rows = 0;
  for (const char* scheme :
       {"moreau-jean", "newmark", "hht", "generalized-alpha", "projected", "combined", "auto", "nonsmooth-alpha"}) {
    const std::string choice = std::string("scheme=") + scheme;
    const Trajectory ball = simulate("bouncing-ball-elastic", {choice}), crank = simulate("slider-crank", {choice});
    const auto& b = ball.end.summary;
    const auto& c = crank.end.summary;
    const double sum = c.energy_initial + c.energy.sum();
    const bool done = crank.result.status == RunStatus::finished;
    table.expect({fmt::format("`{}`", scheme), error_figure(ball.rows.back().energy - b.energy_initial, " J"),
                  done ? error_figure(crank.rows.back().energy - sum, " J") : "fails",
                  done ? figure(c.energy.nonlinear_remainder) + " J" : ""});
    ++rows;
  }
  EXPECT_EQ(table.rows(), rows);
}

}  // namespace
}  // namespace ricochet::test::figures_test
