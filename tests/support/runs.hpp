#pragma once
// Runs of scenarios kept in memory, exact solutions, norms over whole trajectories and fitted orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::test {

struct Row {
  double t = 0, h = 0, energy = 0;
  VectorXd q, v;
  std::vector<double> gap, U, P;  ///< normal row of every constraint
  EnergyLedger ledger;
  Certificate certificate;
};

struct Trajectory {
  std::vector<Row> rows;  ///< the first is the initial state
  RunState end;
  RunResult result;
};

class Recorder final : public Observer {
 public:
  explicit Recorder(std::vector<Row>& rows) : rows_(rows) {}
  void step(const State&, const State& after, const StepReport& r) override {
    Row row{after.t, r.h, r.energy.kinetic + r.energy.potential, after.q, after.v, {}, {}, {}, r.energy, r.certificate};
    for (const ConstraintReport& c : r.constraints) {
      row.gap.push_back(c.g[0]);
      row.U.push_back(c.U[0]);
      row.P.push_back(c.impulse[0]);
    }
    rows_.push_back(std::move(row));
  }

 private:
  std::vector<Row>& rows_;
};

inline Trajectory simulate(const Scenario& s) {
  Trajectory out;
  const auto scheme = make_scheme(s.scheme, s.options);
  out.end = begin_run(s.model, *scheme, s.initial);
  Row first;
  first.t = s.initial.t;
  first.q = s.initial.q;
  first.v = s.initial.v;
  first.energy = out.end.summary.energy_initial;
  out.rows.push_back(first);
  Recorder recorder(out.rows);
  out.result = run(s.model, *scheme, out.end, s.policy, &recorder);
  return out;
}

/// overrides as for --set; "scheme=..." is short for simulation.scheme, likewise step and until.
inline Trajectory simulate(const std::string& name, std::vector<std::string> overrides = {}) {
  for (std::string& o : overrides)
    for (const char* key : {"scheme", "step", "until"})
      if (o.rfind(std::string(key) + "=", 0) == 0) o = "simulation." + o;
  return simulate(load_scenario(name, overrides));
}

inline std::string set(const std::string& key, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%s=%.17g", key.c_str(), value);
  return text;
}

/// What the reader says of a scenario.
inline std::string message_of(const std::string& text) {
  try {
    read_scenario(text, "test.yaml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

/// A scenario given as text, with another scheme, step and end.
inline Trajectory run_text(const std::string& text, const std::string& scheme, double step, double until) {
  return simulate(
      read_scenario(text, "test.yaml",
                    {"simulation.scheme=" + scheme, set("simulation.step", step), set("simulation.until", until)}));
}

/// The same, for a run that is to reach its end.
inline Trajectory finish_text(const std::string& text, const std::string& scheme, double step, double until) {
  Trajectory out = run_text(text, scheme, step, until);
  EXPECT_EQ(out.result.status, RunStatus::finished) << scheme << ": " << name(out.result.failure.status);
  return out;
}

/// Least-squares slope of log(error) over log(h).
inline double fitted_order(const std::vector<double>& h, const std::vector<double>& error) {
  return fit_order(h, error).order;
}

/// A point thrown up from q0 > 0 at rest over a wall at 0, acceleration -g, restitution e, for 100 s.
class ExactBall {
 public:
  ExactBall(double q0, double g, double e) : stop_({.a = -g, .e = e, .y0 = q0}, 100) {}
  double rest_time() const { return stop_.rest_time(); }
  double q(double t) const { return stop_.y(t); }
  double v(double t) const { return stop_.v(t); }

 private:
  ExactStop stop_;
};

}  // namespace ricochet::test
