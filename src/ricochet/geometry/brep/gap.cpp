#include "ricochet/geometry/brep/gap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ricochet::brep {
namespace {

constexpr int kGapPasses = 50;
constexpr double kGapClose = 1e-9;  // of the range of parameters: the next pass squares it

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
    if (!started_) at = base_.nearest_seed(y);
    started_ = true;
    for (int pass = 0; pass < kGapPasses && move(y).length > kNear; ++pass) continue;
    return last_.at;
  }
  /// The rider goes on by this.
  void follow(const Vector3d& dy) {
    if (!base_.elementary()) at = base_.wrapped(at + last_.foot * dy);
  }
  bool arrived() const { return base_.elementary() || last_.length < kGapClose; }
  Vector2d at = Vector2d::Zero();

 private:
  static constexpr double kNear = 1e-2;  // of an eighth of the face: what is left is of its square
  const FaceShape::Approach& move(const Vector3d& y) {
    last_ = base_.approach(y, at);
    at = base_.wrapped(at + last_.step);
    return last_;
  }
  const FaceShape& base_;
  bool started_ = false;
  FaceShape::Approach last_;
};

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
  for (int pass = 0; pass < kGapPasses; ++pass) {
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
    if (std::abs(step) < kGapClose * spacing) break;
  }
  // an end that is as near as can be is the end
  if (!edge.closed() && t - edge.from() < kGapClose * spacing) t = edge.from();
  if (!edge.closed() && edge.to() - t < kGapClose * spacing) t = edge.to();
  look();
  out.foot = walk.foot;
  out.y = c.p;
  out.at = {edge.within(t), 0};
  const bool end = !edge.closed() && (t == edge.from() || t == edge.to());
  out.free = end ? 0 : 1;
  out.t[0] = c.t;
  out.tt[0] = c.tt;
}

/// Made positive where it is not, in the metric G of the surface: curvatures against each other are reflected.
Eigen::Matrix2d convex(const Eigen::Matrix2d& K, const Eigen::Matrix2d& G) {
  // det(K - k G) = 0
  const double a = G.determinant(), b = K(0, 0) * G(1, 1) + K(1, 1) * G(0, 0) - 2 * K(0, 1) * G(0, 1),
               c = K.determinant(), root = std::sqrt(std::max(b * b - 4 * a * c, 0.0));
  const double low = (b - root) / (2 * a), high = std::max(std::abs(b - root), std::abs(b + root)) / (2 * a);
  constexpr double kFlat = 1e-3;
  if (!(a > 0) || low > kFlat * high) return K;
  return K + (std::max(std::abs(low), kFlat * high) - low) * G;
}

/// The rider's point with its derivatives.
void put(const FaceShape& face, const Placement& at, const Vector2d& uv, GapPoint& out) {
  const SurfacePoint s = evaluate(face.surface(), uv[0], uv[1]);
  out.y = at.x + at.R * s.p;
  out.t[0] = at.R * s.u, out.t[1] = at.R * s.v;
  out.tt[0] = at.R * s.uu, out.tt[1] = at.R * s.uv, out.tt[2] = at.R * s.vv;
}

/// The gap by the parameters of the rider: first and second derivatives, and the metric of its surface.
struct Slope {
  Vector2d g;
  Eigen::Matrix2d K, G;
  explicit Slope(const GapPoint& at) {
    const Vector3d& n = at.base.gradient;
    const Vector3d h[2] = {at.base.hessian * at.t[0], at.base.hessian * at.t[1]};
    const double mixed = at.t[0].dot(h[1]) + n.dot(at.tt[1]), skew = at.t[0].dot(at.t[1]);
    g = {n.dot(at.t[0]), n.dot(at.t[1])};
    K << at.t[0].dot(h[0]) + n.dot(at.tt[0]), mixed, mixed, at.t[1].dot(h[1]) + n.dot(at.tt[2]);
    G << at.t[0].squaredNorm(), skew, skew, at.t[1].squaredNorm();
  }
};

void over_face(const FaceShape& base, const FaceShape& face, const Placement& at, const Vector2d& start,
               GapPoint& out) {
  const Vector2d most = (face.trim().high() - face.trim().low()) / 8;
  constexpr double kShort = 1e-4;
  Vector2d uv = start, from = start, step;
  double length = 0, before = 0;  // of the step, in parts of `most`; gap where it began
  Foot foot(base);
  const auto look = [&] {
    put(face, at, uv, out);
    out.base = foot.under(out.y);
  };
  bool arrived = false;
  for (int pass = 0; pass < kGapPasses && !arrived; ++pass) {
    look();
    if (length > kShort && out.base.f > before) {  // uphill: half of it
      step /= 2, length /= 2;
    } else {
      from = uv, before = out.base.f;
      const Slope slope(out);
      step = -convex(slope.K, slope.G).inverse() * slope.g;
      length = step.cwiseAbs().cwiseQuotient(most).maxCoeff();
      if (length > 1) step /= length, length = 1;
      arrived = length < kGapClose && foot.arrived();
    }
    uv = face.wrapped(from + step);
    foot.follow(out.t[0] * step[0] + out.t[1] * step[1]);
  }
  look();
  out.foot = foot.at;
  out.at = uv;
  out.free = 2;
}

/// Downhill from every seed over the base that is lower than those around it, as along an edge, and from every one that
/// has a lowest place within its cell as far as its slope and curvature tell: the lowest place that is within both
/// faces, or where there is none the lowest.
Vector2d search_face(const FaceShape& base, const FaceShape& face, const Placement& at) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr std::size_t kMost = FaceShape::kMostSeeds * FaceShape::kMostSeeds;
  std::array<double, kMost> f;    // as many as there are seeds are set
  std::array<bool, kMost> close;  // likewise
  const std::vector<FaceShape::Seed>& seeds = face.seeds();
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    GapPoint g;
    put(face, at, seeds[k].uv, g);
    g.base = base.distance(g.y, g.foot);
    f[k] = base.holds(g.foot) ? g.base.f : kInfinite;
    const Slope slope(g);
    close[k] = slope.K.determinant() > 0 && slope.K.trace() > 0 &&
               (slope.K.inverse() * slope.g).cwiseAbs().cwiseQuotient(face.seed_cell()).maxCoeff() < 1;
  }
  Vector2d best = seeds.front().uv;
  double least = kInfinite;
  bool within = false;
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    if (!(f[k] < kInfinite && (close[k] || face.lowest_around(f.data(), static_cast<int>(k))))) continue;
    GapPoint g;
    over_face(base, face, at, seeds[k].uv, g);
    const bool there = base.holds(g.foot) && face.holds(g.at);
    if (there < within || (there == within && !(g.base.f < least))) continue;
    within = there, least = g.base.f, best = g.at;
  }
  return best;
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
  return out;
}

bool within_faces(const FaceShape& base, const Rider& rider, const Placement& at, const GapPoint& g) {
  if (!base.holds(g.foot)) return false;
  if (rider.kind == Rider::Kind::face) return rider.face->holds(g.at);
  if (!(rider.radius > 0) || rider.face == nullptr) return true;
  const Vector3d touched = g.y - rider.radius * g.base.gradient;
  return rider.face->holds(Vector3d(at.R.transpose() * (touched - at.x)));
}

Vector2d search(const FaceShape& base, const Rider& rider, const Placement& at) {
  Vector2d best = Vector2d::Zero(), foot;
  double least = std::numeric_limits<double>::infinity();
  if (rider.kind == Rider::Kind::edge) {
    // downhill from every seed that is lower than those beside it: the lowest seed need not lead to the lowest place
    constexpr int n = EdgeShape::kSeeds;
    const EdgeShape& edge = *rider.edge;
    std::array<double, n> f;
    for (int k = 0; k < n; ++k)
      f[static_cast<std::size_t>(k)] = base.distance(at.x + at.R * edge.seed_point(k), foot).f;
    const auto beside = [&](int k) {
      return k >= 0 && k < n ? f[static_cast<std::size_t>(k)]
             : edge.closed() ? f[static_cast<std::size_t>((k + n) % n)]
                             : std::numeric_limits<double>::infinity();
    };
    best[0] = edge.seed(0);  // where it is as near everywhere
    for (int k = 0; k < n; ++k) {
      if (!(beside(k) <= beside(k - 1) && beside(k) < beside(k + 1))) continue;
      GapPoint g;
      along_edge(base, edge, at, edge.seed(k), g);
      if (g.base.f < least) least = g.base.f, best[0] = g.at[0];
    }
    return best;
  }
  if (rider.kind == Rider::Kind::point) return best;
  return search_face(base, *rider.face, at);
}

}  // namespace ricochet::brep
