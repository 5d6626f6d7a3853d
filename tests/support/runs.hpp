#pragma once
// Runs of scenarios kept in memory, exact solutions, norms over whole trajectories and fitted orders.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ricochet/io/scenario.hpp"

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

/// Least-squares slope of log(error) over log(h).
inline double fitted_order(const std::vector<double>& h, const std::vector<double>& error) {
  const auto n = static_cast<double>(h.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]), y = std::log(error[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// `count` steps from largest to smallest, geometric.
inline std::vector<double> geometric(double largest, double smallest, int count) {
  std::vector<double> h;
  for (int i = 0; i < count; ++i) h.push_back(largest * std::pow(smallest / largest, i / (count - 1.0)));
  return h;
}

/// A point thrown up from q0 > 0 at rest over a wall at 0, acceleration -g, restitution e: exact at any time.
class ExactBall {
 public:
  ExactBall(double q0, double g, double e) : q0_(q0), g_(g), e_(e) {}
  double first_impact() const { return std::sqrt(2 * q0_ / g_); }
  double rest_time() const { return first_impact() * (1 + e_) / (1 - e_); }
  double q(double t) const { return at(t).first; }
  double v(double t) const { return at(t).second; }

 private:
  std::pair<double, double> at(double t) const {
    double start = 0, q = q0_, v = 0, flight = first_impact();
    if (e_ < 1 && t >= rest_time()) return {0, 0};
    while (t >= start + flight) {  // v just before the impact that ends this flight
      v = -e_ * (v - g_ * flight);
      q = 0;
      start += flight;
      flight = 2 * v / g_;
      if (flight < 1e-14) return {0, 0};
    }
    const double s = t - start;
    return {q + v * s - g_ * s * s / 2, v - g_ * s};
  }
  double q0_, g_, e_;
};

}  // namespace ricochet::test
