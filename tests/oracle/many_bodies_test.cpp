// Systems of many bodies: what takes sparse ways when it is large must come out as its parts do when they are small.
#include "support/many_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/sim/driver.hpp"

namespace ricochet::test::many_bodies_test {
namespace {

struct Outcome {
  RunState end;
  RunResult result;
  std::vector<double> impulses;  ///< of every step, row by row
};

Outcome run_system(const System& system, const std::string& scheme, double h, int steps, int threads = 1) {
  struct Impulses final : Observer {
    std::vector<double>* out;
    void step(const State&, const State&, const StepReport& report) override {
      for (const ConstraintReport& c : report.constraints)
        for (int i = 0; i < c.candidate->dim; ++i) out->push_back(c.impulse[i]);
    }
  } observer;
  Outcome r;
  observer.out = &r.impulses;
  const auto made = make_scheme(scheme);
  r.end = begin_run(system.model, *made, system.initial);
  Policy policy;
  policy.step = h;
  policy.until = h * steps;
  policy.threads = threads;
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
    // measured 2.6e-15; newmark 1.1e-12: where a box among others turns, passes of all end elsewhere within the
    // tolerance
    EXPECT_LE(most, 3e-12) << scheme;
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

/// Springs make S of bodies that are not apart: with joints in its matrix, and without.
TEST(ManyBodies, SpringsActAsInOneAlone) {
  for (const char* scheme : kSchemes) {
    const Chains one{.links = 5, .tips = 2, .floor = -0.02, .stiffness = 500};
    Chains four = one;
    four.copies = 4;
    const Outcome alone = run_system(hanging_chains(one), scheme, 1e-3, 80);
    const Outcome whole = run_system(hanging_chains(four), scheme, 1e-3, 80);
    ASSERT_EQ(alone.result.status, whole.result.status) << scheme;
    const Outcome pair = run_system(boxes_on_a_plane(2, false, 0, 500), scheme, 2e-3, 40);
    const Outcome pairs = run_system(boxes_on_a_plane(14, false, 0, 500), scheme, 2e-3, 40);
    ASSERT_EQ(pair.result.status, pairs.result.status) << scheme;
    double most = 0;
    for (int k = 0; k < 4; ++k) most = std::max(most, difference(whole, alone, k, 4));
    const State &a = pair.end.state, &b = pairs.end.state;
    EXPECT_GT(std::abs(a.v[0]), 1e-3) << scheme;
    for (int i = 0; i < 12; ++i) most = std::max(most, std::abs(a.v[i] - b.v[i]));
    EXPECT_LE(most, 1e-7) << scheme;  // measured: 1.8e-8
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
    EXPECT_LE(most, 1e-9) << scheme;  // measured: 1.0e-10
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

/// Rows of contacts that joints hold leave nothing but round-off in W: it must not be divided by.
TEST(ManyBodies, ContactsOfFixedBodiesCarryNothing) {
  const Outcome run = run_system(hanging_chains({.links = 1, .copies = 20, .kind = "fixed", .tips = 1}), "moreau-jean",
                                 1e-3, 5);  // gaps are zero
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const std::size_t rows = 20 * (6 + 3);
  ASSERT_EQ(run.impulses.size(), 5 * rows);
  for (std::size_t i = 0; i < run.impulses.size(); ++i) {
    if (i % rows >= 120) {
      EXPECT_EQ(run.impulses[i], 0);
    }
    if (i % rows < 120 && i % 6 == 2) {
      EXPECT_NEAR(std::abs(run.impulses[i]), 0.1 * 9.81 * 1e-3, 1e-12);  // z
    }
  }
}

TEST(ManyBodies, TwoSubsystemsMoveAsOne) {
  const int count = 30, first = 12;
  const System all = boxes_on_a_plane(count);
  ModelBuilder builder;
  const ContactLaw* law = builder.add(make_law("", {0, 0.3}));
  for (const auto& [from, to] : {std::pair(0, first), std::pair(first, count)}) {
    std::vector<RigidBody> bodies;
    std::vector<PointOnPlane> points;
    for (int b = from; b < to; ++b) {
      bodies.push_back({"box" + std::to_string(b), 1, Vector3d::Constant(1.0 / 600)});
      for (int c = 0; c < 4; ++c)
        points.push_back({"corner", b - from, 0.05 * Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, -1), law});
    }
    builder.add(make_rigid_bodies(std::move(bodies), {0, 0, -9.81}));
    builder.add(make_points_on_plane(std::move(points), {}, 7 * from, 6 * from));
  }
  const System two{builder.freeze(), all.initial};
  for (const char* scheme : {"moreau-jean", "combined"}) {
    const Outcome a = run_system(all, scheme, 1e-2, 30), b = run_system(two, scheme, 1e-2, 30);
    ASSERT_EQ(a.result.status, RunStatus::finished) << scheme;
    EXPECT_EQ(a.end.state.q, b.end.state.q) << scheme;
    EXPECT_EQ(a.end.state.v, b.end.state.v) << scheme;
    EXPECT_EQ(a.impulses, b.impulses) << scheme;
  }
}

/// Points of a plane that are candidates only when they are near it.
class NearPoints final : public ConstraintSet {
 public:
  explicit NearPoints(std::unique_ptr<ConstraintSet> all, double margin) : all_(std::move(all)), margin_(margin) {}
  std::vector<ConstraintItem> items() const override { return all_->items(); }
  bool constant_candidates() const override { return false; }
  void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const override {
    std::vector<Candidate> some;
    all_->candidates(at, h, set, some);
    std::vector<int> pick(some.size());
    for (std::size_t i = 0; i < pick.size(); ++i) pick[i] = static_cast<int>(i);
    ConstraintRows rows;
    Scratch scratch;
    all_->evaluate(at.t, at.q, {some.data(), pick.data(), static_cast<int>(pick.size()), true, false}, rows, scratch);
    for (std::size_t i = 0; i < some.size(); ++i)
      if (rows.g[static_cast<Index>(i)] < margin_) out.push_back(some[i]);
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& s) const override {
    all_->evaluate(t, q, selection, out, s);
  }
  void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch& s) const override {
    all_->curvature(t, q, c, dim, lambda, coefficient, S, s);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& s) const override {
    all_->rate(at, c, dim, out, s);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& s) const override {
    all_->bias(at, c, dim, out, s);
  }

 private:
  std::unique_ptr<ConstraintSet> all_;
  double margin_;
};

/// Boxes that fall from different heights: candidates come in and stay out, the motion is that of all candidates.
TEST(ManyBodies, ChangingCandidatesMoveAsAll) {
  const auto falling = [](bool near) {
    ModelBuilder builder;
    const ContactLaw* law = builder.add(make_law("", {0.3, 0.3}));
    std::vector<RigidBody> bodies;
    std::vector<PointOnPlane> points;
    State initial = at_rest(24);
    for (int b = 0; b < 24; ++b) {
      bodies.push_back({"box" + std::to_string(b), 1, Vector3d::Constant(1.0 / 600)});
      initial.q[7 * b + 2] = 0.05 + 0.003 * b;
      initial.v[6 * b] = 0.1 * b;
      for (int c = 0; c < 4; ++c)
        points.push_back({"corner", b, 0.05 * Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, -1), law});
    }
    builder.add(make_rigid_bodies(std::move(bodies), {0, 0, -9.81}));
    auto set = make_points_on_plane(std::move(points), {}, 0, 0);
    if (near) set = std::make_unique<NearPoints>(std::move(set), 0.02);
    builder.add(std::move(set));
    return System{builder.freeze(), std::move(initial)};
  };
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha"}) {
    const Outcome all = run_system(falling(false), scheme, 2e-3, 150);
    System some = falling(true);
    some.initial.scales = all.end.state.scales;  // levers are those of the contacts that are there at the beginning
    const Outcome near = run_system(some, scheme, 2e-3, 150);
    ASSERT_EQ(all.result.status, RunStatus::finished) << scheme;
    ASSERT_EQ(near.result.status, RunStatus::finished) << scheme;
    EXPECT_GT(all.end.summary.impacts, 60) << scheme;
    EXPECT_LT(near.impulses.size(), all.impulses.size()) << scheme;
    EXPECT_EQ(all.end.state.q, near.end.state.q) << scheme;
    EXPECT_EQ(all.end.state.v, near.end.state.v) << scheme;
  }
}

TEST(ManyBodies, ThreadsChangeNoBit) {
  const System boxes = boxes_on_a_plane(150, true);
  const Outcome one = run_system(boxes, "combined", 1e-2, 10), three = run_system(boxes, "combined", 1e-2, 10, 3);
  ASSERT_EQ(one.result.status, RunStatus::finished);
  EXPECT_EQ(one.result.threads, 1);
  EXPECT_EQ(three.result.threads, 3);  // they were at work, not only allowed
  EXPECT_EQ(one.end.state.q, three.end.state.q);
  EXPECT_EQ(one.end.state.v, three.end.state.v);
  EXPECT_EQ(one.impulses, three.impulses);
  // one box alone has nothing to share, and nobody is asked
  EXPECT_EQ(run_system(boxes_on_a_plane(1), "combined", 1e-2, 10, 3).result.threads, 1);
}

/// Boxes in the air have no problem to solve: what is shared is the evaluation of their points.
TEST(ManyBodies, EvaluationIsShared) {
  System boxes = boxes_on_a_plane(150, true);
  for (int b = 0; b < 150; ++b) boxes.initial.q[7 * static_cast<Index>(b) + 2] += 10;
  const Outcome one = run_system(boxes, "combined", 1e-2, 10), two = run_system(boxes, "combined", 1e-2, 10, 2);
  ASSERT_EQ(one.result.status, RunStatus::finished);
  EXPECT_EQ(one.end.summary.impacts, 0);
  EXPECT_EQ(two.result.threads, 2);
  EXPECT_EQ(one.end.state.q, two.end.state.q);
  EXPECT_EQ(one.end.state.v, two.end.state.v);
}

// However long it is: 5e-9 m where 300 m counted as a kilometre (measured: 4.7e-11 m, 2e-16 m/s).
TEST(ManyBodies, AChainOfManyHoldsAtBothLevels) {
  for (const auto& [links, steps] : {std::pair{200, 20}, {3000, 5}}) {
    const Outcome run = run_system(hanging_chains({.links = links}), "combined", 1e-3, steps);
    ASSERT_EQ(run.result.status, RunStatus::finished);
    EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10) << links;
    EXPECT_LE(run.end.summary.certificate.joint_velocity, 1e-10) << links;
  }
}

}  // namespace
}  // namespace ricochet::test::many_bodies_test
