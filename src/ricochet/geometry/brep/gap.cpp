#include "ricochet/geometry/brep/gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::brep {
namespace {

constexpr int kPasses = 50;
constexpr double kClose = 1e-9;  // of the range of parameters: the next pass squares it

/// The base from point to point: after the first one each starts where the last one was.
class Walk {
 public:
  explicit Walk(const FaceShape& base) : base_(base) {}
  Distance operator()(const Vector3d& y) {
    const Distance d = started_ ? base_.distance_from(y, foot) : base_.distance(y, foot);
    started_ = true;
    return d;
  }
  Vector2d foot = Vector2d::Zero();

 private:
  const FaceShape& base_;
  bool started_ = false;
};

/// The foot on the base while its rider moves: a pass of Newton for each place of that, so that both arrive together.
class Foot {
 public:
  explicit Foot(const FaceShape& base) : base_(base) {}
  Distance under(const Vector3d& y) {
    if (base_.elementary()) return base_.distance(y, at);
    if (!started_) {
      started_ = true;
      at = base_.nearest_seed(y);
      for (int pass = 0; pass < kPasses && move(y).length > kNear; ++pass) continue;
    }
    return move(y).at;
  }
  /// The rider goes on by this.
  void follow(const Vector3d& dy) {
    if (!base_.elementary()) at = base_.wrapped(at + last_.foot * dy);
  }
  bool arrived() const { return base_.elementary() || last_.length < kClose; }
  Vector2d at = Vector2d::Zero();

 private:
  static constexpr double kNear = 0.1;  // from there on each pass squares what is left
  const FaceShape::Approach& move(const Vector3d& y) {
    last_ = base_.approach(y, at);
    at = base_.wrapped(at + last_.step);
    return last_;
  }
  const FaceShape& base_;
  bool started_ = false;
  FaceShape::Approach last_;
};

CurvePoint moved(const CurvePoint& c, const Placement& at) { return {at.x + at.R * c.p, at.R * c.t, at.R * c.tt}; }

/// The least over an edge that is downhill from a start: Newton, between places that slope towards each other.
void along_edge(const FaceShape& base, const EdgeShape& edge, const Placement& at, double start, GapPoint& out) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double spacing = edge.seed(1) - edge.seed(0);
  double low = edge.closed() ? -kInfinite : edge.from(), high = edge.closed() ? kInfinite : edge.to(), t = start;
  bool rises = false, falls = false;  // to the right of low, to the left of high
  CurvePoint c;
  Walk walk(base);
  const auto look = [&] {
    c = moved(evaluate(edge.curve(), edge.closed() ? edge.within(t) : t), at);
    out.base = walk(c.p);
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    look();
    const double slope = out.base.gradient.dot(c.t);
    const double curve = c.t.dot(out.base.hessian * c.t) + out.base.gradient.dot(c.tt);
    (slope > 0 ? high : low) = t;
    (slope > 0 ? falls : rises) = true;
    double next = t + (curve > 0 ? std::clamp(-slope / curve, -spacing, spacing) : slope > 0 ? -spacing : spacing);
    // beyond an end of the edge: the end; beyond a place that was looked at: between the two
    if (next < low) next = rises ? (low + high) / 2 : low;
    if (next > high) next = falls ? (low + high) / 2 : high;
    const double step = next - t;
    t = next;
    if (std::abs(step) < kClose * spacing) break;
  }
  // an end that is as near as can be is the end
  if (!edge.closed() && t - edge.from() < kClose * spacing) t = edge.from();
  if (!edge.closed() && edge.to() - t < kClose * spacing) t = edge.to();
  look();
  out.foot = walk.foot;
  out.y = c.p;
  out.at = {edge.within(t), 0};
  const bool end = !edge.closed() && (t == edge.from() || t == edge.to());
  out.free = end ? 0 : 1;
  out.t[0] = c.t;
  out.tt[0] = c.tt;
}

void over_face(const FaceShape& base, const FaceShape& face, const Placement& at, const Vector2d& start,
               GapPoint& out) {
  const Vector2d low = face.trim().low(), high = face.trim().high(), most = (high - low) / 8;
  Vector2d uv = start;
  Foot foot(base);
  Eigen::Matrix2d K;
  SurfacePoint s;
  const auto look = [&] {
    s = evaluate(face.surface(), uv[0], uv[1]);
    out.y = at.x + at.R * s.p;
    out.t[0] = at.R * s.u, out.t[1] = at.R * s.v;
    out.tt[0] = at.R * s.uu, out.tt[1] = at.R * s.uv, out.tt[2] = at.R * s.vv;
    out.base = foot.under(out.y);
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    look();
    const Vector3d& n = out.base.gradient;
    const Vector2d slope(n.dot(out.t[0]), n.dot(out.t[1]));
    const Vector3d h[2] = {out.base.hessian * out.t[0], out.base.hessian * out.t[1]};
    const double mixed = out.t[0].dot(h[1]) + n.dot(out.tt[1]);
    K << out.t[0].dot(h[0]) + n.dot(out.tt[0]), mixed, mixed, out.t[1].dot(h[1]) + n.dot(out.tt[2]);
    // downhill where it is not convex: by the size of the patch
    if (!(K.determinant() > 0 && K.trace() > 0)) {
      const double k = std::max(K.cwiseAbs().maxCoeff(), slope.norm() / most.norm());
      K = k * Eigen::Matrix2d::Identity();
      if (!(k > 0)) break;
    }
    Vector2d step = -K.inverse() * slope;
    const double long_ = step.cwiseAbs().cwiseQuotient(most).maxCoeff();
    if (long_ > 1) step /= long_;
    uv = face.wrapped(uv + step);
    const bool arrived = long_ < kClose && foot.arrived();
    foot.follow(out.t[0] * step[0] + out.t[1] * step[1]);
    if (arrived) break;
  }
  look();
  out.foot = foot.at;
  out.at = uv;
  out.free = 2;
  out.on_rider = face.holds(uv);
}

}  // namespace

GapPoint gap(const FaceShape& base, const Rider& rider, const Placement& at, const Vector2d& start) {
  GapPoint out;
  if (rider.kind == Rider::Kind::point) {
    out.y = at.x + at.R * rider.point;
    out.base = base.distance(out.y, out.foot);
  } else if (rider.kind == Rider::Kind::edge) {
    along_edge(base, *rider.edge, at, start[0], out);
  } else {
    over_face(base, *rider.face, at, start, out);
  }
  out.on_base = base.holds(out.foot);
  if (rider.radius > 0 && rider.face != nullptr && rider.kind != Rider::Kind::face) {
    const Vector3d touched = out.y - rider.radius * out.base.gradient;
    out.on_rider = rider.face->holds(Vector3d(at.R.transpose() * (touched - at.x)));
  }
  return out;
}

Vector2d search(const FaceShape& base, const Rider& rider, const Placement& at) {
  Vector2d best = Vector2d::Zero(), foot;
  double least = std::numeric_limits<double>::infinity();
  if (rider.kind == Rider::Kind::edge) {
    for (int k = 0; k < EdgeShape::kSeeds; ++k)
      if (const double f = base.distance(at.x + at.R * rider.edge->seed_point(k), foot).f; f < least)
        least = f, best[0] = rider.edge->seed(k);
    return best;
  }
  if (rider.kind == Rider::Kind::point) return best;
  for (const FaceShape::Seed& s : rider.face->seeds())
    if (const double f = base.distance(at.x + at.R * s.x, foot).f; f < least && base.holds(foot))
      least = f, best = s.uv;
  if (!std::isfinite(least) && !rider.face->seeds().empty()) best = rider.face->seeds().front().uv;
  return best;
}

}  // namespace ricochet::brep
