// Contacts that are found: their rows against differences of their gaps, their rates against differences of velocities.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/model/contact/collision.hpp"
#include "ricochet/model/model.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet::collision_contacts_test {
namespace {

struct Pair {
  Model model;
  VectorXd q, v;
};

/// Two bodies with a shape each, anywhere near each other.
Pair make_pair(const Polytope& A, const Polytope& B, std::mt19937_64& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  ModelBuilder builder;
  auto bodies = make_rigid_bodies({{"a", 1, Vector3d::Ones()}, {"b", 1, Vector3d::Ones()}}, Vector3d::Zero());
  const std::vector<Mount> mounts{{}, {bodies.get(), 0, 0, 0, 0}, {bodies.get(), 1, 0, 0, 0}};
  const Frame a{1, {0.1, 0, 0.05}, exp_rotation({0.3, 0.2, 0.1})}, b{2, {0, -0.1, 0.1}, exp_rotation({-0.2, 0.4, 0})};
  CollisionSettings settings;
  settings.laws = {builder.add(make_law("", {0, 0.3}))};
  auto set = make_collision(mounts, {{a, A}, {b, B}}, settings);
  builder.add(std::move(bodies));
  builder.add(std::move(set));
  Pair out{builder.freeze(), VectorXd::Zero(14), VectorXd::Zero(12)};
  for (int k = 0; k < 2; ++k) {
    for (Index i = 0; i < 3; ++i) out.q[7 * k + i] = 0.6 * any(random);
    const Quaterniond Q = exp_quaternion(Vector3d(any(random), any(random), any(random)) * 2);
    out.q.segment(7 * k + 3, 4) << Q.w(), Q.x(), Q.y(), Q.z();
  }
  for (double& x : out.v) x = any(random);
  return out;
}

struct Evaluated {
  double g;
  VectorXd U;
  MatrixXd G;  // n x dim
};

Evaluated evaluate(const Pair& p, const VectorXd& q, const Candidate& c, ModelScratch& scratch) {
  ConstraintRows rows;
  const int pick = 0;
  p.model.evaluate(0, q, {.candidates = &c, .pick = &pick, .count = 1}, rows, scratch);
  Evaluated out{rows.g[0], VectorXd(c.dim), MatrixXd::Zero(12, c.dim)};
  rows.G.transpose_times(p.v, out.U.data());
  for (int i = 0; i < c.dim; ++i) {
    VectorXd unit = VectorXd::Zero(c.dim), column = VectorXd::Zero(12);
    unit[i] = 1;
    rows.G.add_times(1, unit.data(), column);
    out.G.col(i) = column;
  }
  return out;
}

TEST(CollisionContacts, RowsAndRatesAgreeWithDifferences) {
  std::mt19937_64 random(5);
  const Polytope box = make_box_shape({0.5, 0.4, 0.6}), ball = make_point_shape(0.3),
                 rod = make_segment_shape({0, 0, -0.3}, {0, 0, 0.3}, 0.2), can = make_revolved(0.25, -0.3, 0.25, 0.3),
                 cone = make_revolved(0.3, 0, 0, 0.5);
  std::set<int> kinds;
  int checked = 0;
  const double step = 1e-6;
  for (int trial = 0; trial < 400; ++trial) {
    const Polytope* shapes[] = {&box, &ball, &rod, &can, &cone};
    const Polytope &A = *shapes[trial % 5], &B = *shapes[trial / 5 % 5];
    const Pair p = make_pair(A, B, random);
    ModelScratch scratch(p.model);
    std::vector<Candidate> all;
    p.model.candidates({0, p.q, p.v}, 0.1, all);
    for (const Candidate& c : all) {
      FeaturePair f = feature_of(static_cast<std::uint32_t>(c.key & 0xffff), A, B);
      f.aim = Vector3d(c.aim.data());
      // Points of patches on the way to lying flat have no exact gradients, on purpose: narrow.hpp.
      if (edge_in_face(f) || along_own_face(f)) continue;
      const Evaluated here = evaluate(p, p.q, c, scratch);
      if (here.g < -0.15) continue;  // near the middle of a shape distances are not smooth
      Jacobian rates;
      p.model.set(c).rate({0, p.q, p.v}, c, c.dim, rates, scratch.set(0));
      bool smooth = true;
      VectorXd gradient(12);
      MatrixXd slopes(c.dim, 12);
      for (Index i = 0; i < 12 && smooth; ++i) {
        VectorXd q = p.q;
        const VectorXd x = step * VectorXd::Unit(12, i);
        p.model.retract(p.q, x, q);
        const Evaluated plus = evaluate(p, q, c, scratch);
        const VectorXd back = -x;
        p.model.retract(p.q, back, q);
        const Evaluated minus = evaluate(p, q, c, scratch);
        gradient[i] = (plus.g - minus.g) / (2 * step);
        slopes.col(i) = (plus.U - minus.U) / (2 * step);
        // at the border of two regions of a distance the second derivative jumps
        smooth = (plus.G - 2 * here.G + minus.G).norm() < 1e-8;
      }
      if (!smooth) continue;
      EXPECT_LT((gradient - here.G.col(0)).norm(), 1e-7) << "kind " << static_cast<int>(f.kind);
      MatrixXd exact = MatrixXd::Zero(c.dim, 12);
      for (Index i = 0; i < 12; ++i) {
        const VectorXd unit = VectorXd::Unit(12, i);
        std::vector<double> column(static_cast<std::size_t>(c.dim));
        rates.transpose_times(unit, column.data());
        for (int k = 0; k < c.dim; ++k) exact(k, i) = column[static_cast<std::size_t>(k)];
      }
      EXPECT_LT((slopes - exact).norm(), 1e-5 * (1 + exact.norm())) << "kind " << static_cast<int>(f.kind);
      kinds.insert(static_cast<int>(f.kind));
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
  EXPECT_GE(kinds.size(), 8u);  // all but marks: what is nearly parallel
}

}  // namespace
}  // namespace ricochet::collision_contacts_test
