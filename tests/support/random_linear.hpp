#pragma once
// Random linear systems with damping, a time-dependent load, several contacts and joints, and the check that their
// energy ledger closes.
#include <gtest/gtest.h>

#include <random>

#include "ricochet/model/constraint/linear_rows.hpp"
#include "ricochet/model/subsystem/linear.hpp"
#include "support/runs.hpp"

namespace ricochet::test {

/// `conservative`: neither damping nor load.
inline Scenario random_system(std::mt19937& random, bool joints, double e_max = 1, bool conservative = false) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const int n = 3 + static_cast<int>(random() % 6), contacts = 1 + static_cast<int>(random() % 3);
  const auto positive = [&](double least) {
    MatrixXd A = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    return MatrixXd(A * A.transpose() + least * MatrixXd::Identity(n, n));
  };
  LinearParameters p;
  p.M = positive(1).sparseView();
  p.C = MatrixXd((conservative ? 0 : 0.3) * positive(0)).sparseView();
  p.K = MatrixXd(5 * positive(0)).sparseView();
  const VectorXd amplitude = VectorXd::NullaryExpr(n, [&] { return normal(random); });
  if (!conservative) p.load = [amplitude](double t, View f) { f.vec() = std::cos(3 * t) * amplitude; };
  p.dense = random() % 2 == 0;
  ModelBuilder builder;
  builder.add(make_linear(std::move(p)));
  std::vector<LinearRow> rows;
  for (int c = 0; c < contacts; ++c) {
    const ContactLaw* law = builder.add(make_law("", {e_max * uniform(random), 0}));
    LinearRow row{"c" + std::to_string(c), {{}}, {0.1 * uniform(random)}, law};
    for (int i = 0; i < n; ++i) row.rows[0].push_back({i, normal(random)});
    rows.push_back(row);
  }
  if (joints) {
    LinearRow row{"joint", {{}}, {0}, nullptr};
    for (int i = 0; i < n; ++i) row.rows[0].push_back({i, normal(random)});
    rows.push_back(row);
  }
  builder.add(make_linear_rows(rows));
  Scenario s;
  s.model = builder.freeze();
  s.initial.q = VectorXd::Zero(n);
  s.initial.v = VectorXd::NullaryExpr(n, [&] { return normal(random); });
  if (joints) {  // a velocity that the joint allows
    VectorXd g(n);
    for (int i = 0; i < n; ++i) g[i] = rows.back().rows[0][static_cast<std::size_t>(i)].value;
    s.initial.v -= g * (g.dot(s.initial.v) / g.squaredNorm());
  }
  s.policy = {0.005 + 0.03 * uniform(random), 3, 4};
  return s;
}

/// What the ledgers of a run leave open, of its largest step: summed up here, and what a linear system must not have.
inline double left_open(const Trajectory& run) {
  double open = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const EnergyLedger& e = run.rows[k].ledger;
    open = std::max({open, std::abs(e.defect), std::abs(e.change() - e.sum()), std::abs(e.nonlinear_remainder)});
  }
  return open / run.end.summary.magnitude_max;
}

/// True if contacts did work: something was there to book.
inline bool expect_closed(const Trajectory& run, double tolerance, const std::string& what) {
  EXPECT_EQ(run.result.status, RunStatus::finished) << what;
  EXPECT_LT(left_open(run), tolerance) << what;
  return run.end.summary.energy.impact != 0;
}

}  // namespace ricochet::test
