// Two edges that cross.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/geometry/brep/gap.hpp"

namespace ricochet::brep {
namespace {

constexpr int kPasses = 30;
constexpr double kClose = 1e-9;    // of the ranges of parameters: the next pass squares it
constexpr double kAlong = 1e-3;    // sine of the angle below which edges run along each other
constexpr double kTowards = 1e-9;  // a direction along a face counts

}  // namespace

bool Ridge::faces_towards(const CurvePoint& at, const Vector3d& n) const {
  for (const auto& face : faces) {
    Vector2d foot;
    const Vector3d normal = face->distance(at.p, foot).gradient;
    Vector3d into = normal.cross(at.t).normalized();
    constexpr double kAside = 1e-6;
    if (!face->holds(Vector3d(at.p + kAside * at.t.norm() * (edge->to() - edge->from()) * into))) into = -into;
    if (n.dot(into) > kTowards) return false;
  }
  return true;
}

CrossingPoint crossing(const EdgeShape& first, const EdgeShape& second, const Placement& at, const Vector2d& start,
                       double sign) {
  CrossingPoint out;
  out.at = start;
  const Vector2d most(first.seed(1) - first.seed(0), second.seed(1) - second.seed(0));
  Vector3d r;
  const auto look = [&] {
    out.a = evaluate(first.curve(), out.at[0]);
    out.b = moved(evaluate(second.curve(), out.at[1]), at);
    r = out.b.p - out.a.p;
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    look();
    Eigen::Matrix2d K;
    const double mixed = out.a.t.dot(out.b.t);
    K << r.dot(out.a.tt) - out.a.t.squaredNorm(), mixed, -mixed, r.dot(out.b.tt) + out.b.t.squaredNorm();
    if (!(std::abs(K.determinant()) > 0)) break;
    Vector2d step = -K.inverse() * Vector2d(r.dot(out.a.t), r.dot(out.b.t));
    const double long_ = step.cwiseAbs().cwiseQuotient(most).maxCoeff();
    if (long_ > 4) step *= 4 / long_;
    out.at += step;
    if (long_ < kClose) break;
  }
  look();
  const Vector3d m = out.a.t.cross(out.b.t);
  const double length = m.norm();
  out.there = length > kAlong * out.a.t.norm() * out.b.t.norm() && out.at[0] >= first.from() &&
              out.at[0] <= first.to() && out.at[1] >= second.from() && out.at[1] <= second.to();
  out.n = length > 0 ? Vector3d(sign * m / length) : Vector3d::UnitX();
  out.gap = out.n.dot(r);
  return out;
}

Vector3d search_crossing(const Ridge& first, const Ridge& second, const Placement& at, double turn) {
  Vector2d best = Vector2d::Zero();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < EdgeShape::kSeeds; ++k) {
    // the nearest of the first one to a point of the second
    const Vector3d y = at.x + at.R * second.edge->seed_point(k);
    const double s = first.edge->nearest(y);
    if (const double d = (evaluate(first.edge->curve(), s).p - y).squaredNorm(); d < least)
      least = d, best = {s, second.edge->seed(k)};
  }
  const CrossingPoint c = crossing(*first.edge, *second.edge, at, best, 1);
  const bool along = c.a.t.cross(c.b.t).norm() <= turn * c.a.t.norm() * c.b.t.norm();
  if (!c.there || along) return {best[0], best[1], 0};
  const CurvePoint own = evaluate(second.edge->curve(), c.at[1]);
  for (const double sign : {1.0, -1.0})
    if (first.faces_towards(c.a, sign * c.n) && second.faces_towards(own, -sign * (at.R.transpose() * c.n)))
      return {c.at[0], c.at[1], sign};
  return {c.at[0], c.at[1], 0};
}

}  // namespace ricochet::brep
