// Systems of many bodies: what takes sparse ways when it is large must come out as its parts do when they are small.
#include "support/many_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/sim/driver.hpp"

namespace ricochet::test {
namespace {

struct Outcome {
  RunState end;
  RunResult result;
  std::vector<double> impulses;  ///< of every step, row by row
};

Outcome run_system(const System& system, const std::string& scheme, double h, int steps, const OptionValues& options = {}) {
  struct Impulses final : Observer {
    std::vector<double>* out;
    void step(const State&, const State&, const StepReport& report) override {
      for (const ConstraintReport& c : report.constraints)
        for (int i = 0; i < c.candidate->dim; ++i) out->push_back(c.impulse[i]);
    }
  } observer;
  Outcome r;
  observer.out = &r.impulses;
  const auto made = make_scheme(scheme, options);
  r.end = begin_run(system.model, *made, system.initial);
  Policy policy;
  policy.step = h;
  policy.until = h * steps;
  r.result = run(system.model, *made, r.end, policy, &observer);
  return r;
}

const char* const kSchemes[] = {"moreau-jean",       "combined",        "projected",       "newmark",
                                "generalized-alpha", "nonsmooth-alpha", "decoupled-alpha", "schatzman-paoli"};

/// Largest difference of part `k` of `copies` from the whole.
double difference(const Outcome& whole, const Outcome& part, int k, int copies) {
  const State &a = whole.end.state, &b = part.end.state;
  EXPECT_EQ(a.q.size(), copies * b.q.size());
  double most = (a.v.segment(k * b.v.size(), b.v.size()) - b.v).cwiseAbs().maxCoeff();
  for (Index i = 0; i < b.q.size(); ++i)
    if (i % 7 != 1) most = std::max(most, std::abs(a.q[k * b.q.size() + i] - b.q[i]));  // copies lie apart in y
  return most;
}

TEST(ManyBodies, BoxesMoveAsEachAlone) {
  // 30 boxes: 120 contacts, 330 rows of one, two and three; alone each has twelve at most, in dense storage
  for (const char* scheme : kSchemes) {
    const System all = boxes_on_a_plane(30, true);
    const Outcome whole = run_system(all, scheme, 1e-2, 40);
    ASSERT_EQ(whole.result.status, RunStatus::finished) << scheme;
    double most = 0;
    for (int b = 0; b < 6; ++b) {  // every law, at rest and sliding
      const Outcome alone = run_system(boxes_on_a_plane(1, true, b), scheme, 1e-2, 40);
      const State &s = whole.end.state, &one = alone.end.state;
      most = std::max({most, (s.q.segment(7 * b, 7) - one.q).cwiseAbs().maxCoeff(),
                       (s.v.segment(6 * b, 6) - one.v).cwiseAbs().maxCoeff()});
    }
    EXPECT_LE(most, 1e-12) << scheme;  // measured: 2.6e-15
  }
}

TEST(ManyBodies, ChainsMoveAsOneAlone) {
  for (const char* scheme : kSchemes)
    for (const char* kind : {"revolute", "spherical"}) {
      const Chains one{.links = 6, .kind = kind};
      Chains three = one;
      three.copies = 4;  // 120 rows: in the matrix; one alone has 30, eliminated densely
      const Outcome alone = run_system(hanging_chains(one), scheme, 1e-3, 60);
      const Outcome whole = run_system(hanging_chains(three), scheme, 1e-3, 60);
      ASSERT_EQ(alone.result.status, RunStatus::finished) << scheme;
      ASSERT_EQ(whole.result.status, RunStatus::finished) << scheme;
      double most = 0;
      for (int k = 0; k < 4; ++k) most = std::max(most, difference(whole, alone, k, 4));
      EXPECT_LE(most, 1e-9) << scheme << " " << kind;  // measured: 2.6e-11
    }
}

/// Contacts of chains: W comes out of halves of solutions, D and L are taken at different places.
TEST(ManyBodies, ChainsHitTheFloorAsOneAlone) {
  for (const char* scheme : kSchemes) {
    const Chains one{.links = 5, .tips = 3, .floor = -0.02};
    Chains three = one;
    three.copies = 4;
    const Outcome alone = run_system(hanging_chains(one), scheme, 1e-3, 150);
    const Outcome whole = run_system(hanging_chains(three), scheme, 1e-3, 150);
    ASSERT_EQ(alone.result.status, whole.result.status) << scheme;
    if (alone.result.status != RunStatus::finished) continue;
    EXPECT_GT(alone.end.summary.impacts, 0) << scheme;
    double most = 0;
    for (int k = 0; k < 4; ++k) most = std::max(most, difference(whole, alone, k, 4));
    EXPECT_LE(most, 1e-7) << scheme;  // measured: 1.6e-9
  }
}

TEST(ManyBodies, RedundantJointsHaveMultipliersOfLeastNorm) {
  for (const char* scheme : {"moreau-jean", "combined"}) {
    const Chains one{.links = 3, .twice = true};
    Chains three = one;
    three.copies = 4;  // 120 rows, of which 60 are redundant
    const Outcome alone = run_system(hanging_chains(one), scheme, 1e-3, 30);
    const Outcome whole = run_system(hanging_chains(three), scheme, 1e-3, 30);
    ASSERT_EQ(whole.result.status, RunStatus::finished) << scheme;
    EXPECT_TRUE(whole.end.summary.minimum_norm);
    double most = 0;
    for (int k = 0; k < 4; ++k) most = std::max(most, difference(whole, alone, k, 4));
    EXPECT_LE(most, 1e-10) << scheme;  // measured: 1.1e-12
    ASSERT_EQ(whole.impulses.size(), 4 * alone.impulses.size());
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < alone.impulses.size(); ++i) {
      const std::size_t step = i / 30, row = i % 30;
      largest = std::max(largest, std::abs(alone.impulses[i]));
      for (std::size_t k = 0; k < 4; ++k)
        off = std::max(off, std::abs(whole.impulses[120 * step + 30 * k + row] - alone.impulses[i]));
    }
    EXPECT_LE(off, 1e-6 * largest) << scheme;  // measured: 1.6e-8
  }
}

TEST(ManyBodies, ALongChainHoldsAtBothLevels) {
  const Outcome run = run_system(hanging_chains({.links = 200}), "combined", 1e-3, 20);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10);
  EXPECT_LE(run.end.summary.certificate.joint_velocity, 1e-10);
}

}  // namespace
}  // namespace ricochet::test
