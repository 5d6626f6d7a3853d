#include "ricochet/geometry/collision/narrow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/geometry/collision/lines.hpp"
#include "ricochet/geometry/collision/lists.hpp"
#include "ricochet/geometry/collision/revolved.hpp"

namespace ricochet {
namespace {

using Kind = FeaturePair::Kind;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kOverlap = 2e-3;   ///< of the size: an axis that overlaps by more parts nothing
constexpr double kOnBorder = 1e-9;  ///< of the size: a point on the border of a face counts as inside
constexpr double kOnePoint = 1e-7;  ///< of the size: two corners of a patch that are one
constexpr double kStill = 1e-6;     ///< of the size: who moves less in a step stands still, as far as axes go
constexpr double kParallel = 0.1;   ///< sine below which two edges give no direction of their own
constexpr double kFlat = 1e-6;  ///< sine below which a face lies on another, an edge in a face, however slow they are
/// Sine below which two edges are no axis of a step: a small turn would turn it round. Faces part such edges as well,
/// but for this.
constexpr double kSameWay = 0.02;
constexpr double kNoWay = 1e-7;  ///< likewise of the separation, which without them is off by this much of the size
constexpr double kFacing = 0.9;  ///< cosine from which the face of a piece looks at another
constexpr double kAlongFace =
    0.98;  ///< cosine between the normals of edges and face from which the face's patch counts

/// A shape with its vertices and normals in space.
struct Placed {
  const Polytope* shape = nullptr;
  Placement at;
  std::vector<Vector3d> x, n;

  void place(const Polytope& p, const Placement& where) {
    shape = &p;
    at = where;
    x.resize(p.vertices.size());
    n.resize(p.faces.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = at.x + at.R * p.vertices[i];
    for (std::size_t i = 0; i < n.size(); ++i) n[i] = at.R * p.faces[i].n;
  }
  const Vector3d& vertex(int i) const { return item(x, i); }
  const Vector3d& normal(int face) const { return item(n, face); }
  double offset(int face) const { return item(shape->faces, face).offset + normal(face).dot(at.x); }
  Vector3d along(const Polytope::Edge& e) const { return vertex(e.b) - vertex(e.a); }
  Vector3d start(const Polytope::HalfEdge& h) const { return vertex(h.from); }
};

/// An axis along which two polytopes are apart: faces of A, faces of B, then pairs of edges.
struct Axis {
  enum class Of : std::uint8_t { A, B, edges } of = Of::A;
  int first = 0, second = 0;
  double now = -kInfinite, then = -kInfinite;  ///< separation at the beginning and at the end of the step
  Vector3d n = Vector3d::Zero();               ///< from A to B, of edges
};

double lowest(const Placed& of, const Vector3d& n) {
  double out = kInfinite;
  for (const Vector3d& x : of.x) out = std::min(out, n.dot(x));
  return out;
}

double face_separation(const Placed& face_of, int face, const Placed& other) {
  return lowest(other, face_of.normal(face)) - face_of.offset(face);
}

double edge_separation(const Placed& A, const Placed& B, const Axis& axis, double parallel, Vector3d& n) {
  const Polytope::Edge &a = item(A.shape->edges, axis.first), &b = item(B.shape->edges, axis.second);
  if (!across(A.along(a), B.along(b), axis.n, n, parallel)) return -kInfinite;
  return n.dot(B.vertex(b.a) - A.vertex(a.a));
}

/// An edge on the sphere of normals, between those of its two faces.
struct Arc {
  Vector3d first, second, pole;
  Arc(const Vector3d& a, const Vector3d& b) : first(a), second(b), pole(b.cross(a)) {}
};

/// Whether two arcs cross, B's turned round: then the common normal of the edges belongs to both shapes.
bool cross(const Arc& a, const Arc& b) {
  const double c1 = b.first.dot(a.pole), c2 = b.second.dot(a.pole);
  if (!(c1 * c2 < 0)) return false;
  const double d1 = a.first.dot(b.pole), d2 = a.second.dot(b.pole);
  return d1 * d2 < 0 && c1 * d2 > 0;
}

/// Work of one thread.
struct Work {
  std::array<Placed, 2> now, then, meet;
  std::vector<Arc> arcs;
  std::vector<Vector3d> points;
};
Work& work() {
  thread_local Work w;
  return w;
}

/// When the axis begins to overlap by more than is allowed, in parts of the step; 2: not in it, -1: it does already.
double end_of(const Axis& axis, double allowed) {
  if (!(axis.now > -allowed)) return -1;
  if (axis.then > -allowed) return 2;
  return (axis.now + allowed) / (axis.now - axis.then);
}

class Separation {
 public:
  /// `preference`: by how much a face of B must be better than one of A: of faces that lie on each other rounding would
  /// choose, another one in each step. `parallel`: sine below which edges are no axis.
  Separation(Work& work, bool moves, double allowed, double preference, double parallel)
      : now_(work.now),
        then_(moves ? &work.then : nullptr),
        arcs_(work.arcs),
        allowed_(allowed),
        preference_(preference),
        parallel_(parallel) {}

  /// The axis of the step, and the best of those that are faces.
  Axis best, face;

  void find() {
    for (const int side : {0, 1})
      for (int f = 0; f < count(now_[side].shape->faces); ++f) try_face(side, f);
    face = best;
    if (!now_[0].shape->flat) try_edges();
  }

 private:
  void try_face(int side, int f) {
    Axis axis{side == 0 ? Axis::Of::A : Axis::Of::B, f};
    axis.now = face_separation(now_[side], f, now_[1 - side]);
    axis.then = then_ == nullptr ? axis.now : face_separation((*then_)[side], f, (*then_)[1 - side]);
    axis.n = (side == 0 ? 1 : -1) * now_[side].normal(f);
    take(axis, side == 0 || best.of != Axis::Of::A ? 0 : preference_);
  }
  void try_edges() {
    const Placed &A = now_[0], &B = now_[1];
    // Edges add nothing where a face parts them by itself: its margin over edges is of the second order.
    const double margin = 1e-9 * std::min(A.shape->size, B.shape->size);
    arcs_.clear();
    for (const Polytope::Edge& b : B.shape->edges) arcs_.emplace_back(-B.normal(b.left), -B.normal(b.right));
    for (int i = 0; i < count(A.shape->edges); ++i) {
      const Polytope::Edge& a = item(A.shape->edges, i);
      const Arc arc(A.normal(a.left), A.normal(a.right));
      for (int j = 0; j < count(arcs_); ++j) {
        if (!cross(arc, item(arcs_, j))) continue;
        Axis axis{Axis::Of::edges, i, j};
        axis.n = arc.first + arc.second;
        Vector3d n;
        axis.now = edge_separation(A, B, axis, parallel_, n);
        if (!(axis.now > -kInfinite)) continue;
        axis.n = n;
        axis.then = then_ == nullptr ? axis.now : edge_separation((*then_)[0], (*then_)[1], axis, parallel_, n);
        take(axis, margin);
      }
    }
  }
  void take(const Axis& axis, double margin) {
    const double mine = end_of(axis, allowed_), other = end_of(best, allowed_);
    const bool better = mine < 0 && other < 0 ? axis.now > best.now + margin
                        : mine == other       ? axis.then > best.then + margin
                                              : mine > other;
    if (better) best = axis;
  }

  const std::array<Placed, 2>& now_;
  const std::array<Placed, 2>* then_;
  std::vector<Arc>& arcs_;  // of B's edges
  double allowed_, preference_, parallel_;
};

/// Corners of the patch that a face has in common with the face of the other shape that looks at it.
class Patch {
 public:
  /// `side`: whose face, 0 for A; `flat`: sine of the angle below which one may come to lie on the other.
  Patch(const std::array<Placed, 2>& at, int side, int face, double flat, Work& work, std::vector<FeaturePair>& out)
      : own_(at[side]),
        other_(at[1 - side]),
        side_(side),
        face_(face),
        n_(own_.normal(face)),
        flat_(flat),
        near_(std::min(own_.shape->size > 0 ? own_.shape->size : kInfinite, other_.shape->size)),
        points_(work.points),
        out_(out) {
    points_.clear();
  }

  void run() {
    incident_ = 0;
    double least = kInfinite;
    for (int f = 0; f < count(other_.shape->faces); ++f)
      if (const double c = n_.dot(other_.normal(f)); c < least) least = c, incident_ = f;
    const Polytope::Face &own = item(own_.shape->faces, face_), &incident = item(other_.shape->faces, incident_);
    each(other_, incident, [&](const Polytope::HalfEdge& h) { corner(h.from); });
    if (other_.shape->flat)  // a side has two ends and one half-edge
      each(other_, incident, [&](const Polytope::HalfEdge& h) { corner(h.to); });
    // A triangle of a surface that stands on its border has its pyramid behind it, whose faces end there: what comes
    // under them leaves at once, and is no contact.
    const bool pieces = own_.shape->piece || other_.shape->piece;
    if (pieces && least > -kFacing) return;
    on_each_other_ = !own_.shape->flat && n_.cross(other_.normal(incident_)).norm() <= flat_;
    each(own_, own, [&](const Polytope::HalfEdge& h) { under(h.from); });
    if (own_.shape->flat) each(own_, own, [&](const Polytope::HalfEdge& h) { under(h.to); });
    if (own_.shape->flat) return;
    for (int k = own.first; k < own.first + own.count; ++k)
      each(other_, incident, [&](const Polytope::HalfEdge& h) { crossing(k, h); });
  }

 private:
  template <class Do>
  static void each(const Placed& of, const Polytope::Face& face, Do action) {
    for (int k = face.first; k < face.first + face.count; ++k) action(item(of.shape->half_edges, k));
  }
  /// How far inside of a face x lies, seen along n_; of a polygon's side along it.
  double inside(const Placed& of, const Polytope::Face& face, const Vector3d& x, double sense) const {
    double out = kInfinite;
    each(of, face, [&](const Polytope::HalfEdge& h) {
      const Vector3d a = of.vertex(h.from), along = of.vertex(h.to) - a;
      if (of.shape->flat) {
        const double length = along.norm(), s = along.dot(x - a) / length;
        out = std::min({out, s, length - s});
        return;
      }
      const Vector3d inwards = sense * n_.cross(along);
      const double length = inwards.norm();
      if (length > 0) out = std::min(out, inwards.dot(x - a) / length);
    });
    return out;
  }
  bool fresh(const Vector3d& x) {
    const Vector3d seen = x - n_ * n_.dot(x);
    for (const Vector3d& p : points_)
      if ((p - seen).norm() <= kOnePoint * near_) return false;
    points_.push_back(seen);
    return true;
  }
  /// A vertex of the other shape over the face.
  void corner(int vertex) {
    const Vector3d& x = other_.vertex(vertex);
    if (inside(own_, item(own_.shape->faces, face_), x, 1) < -kOnBorder * near_ || !fresh(x)) return;
    out_.push_back({side_ == 0 ? Kind::B_point_on_A_face : Kind::A_point_on_B_face, vertex, face_});
  }
  /// A vertex of the face under the incident face.
  void under(int vertex) {
    const Vector3d& x = own_.vertex(vertex);
    if (inside(other_, item(other_.shape->faces, incident_), x, -1) < -kOnBorder * near_ || !fresh(x)) return;
    out_.push_back({side_ == 0 ? Kind::A_point_on_B_face : Kind::B_point_on_A_face, vertex, incident_});
    if (on_each_other_) out_.back().aim = item(own_.shape->faces, face_).n;
  }
  /// Borders of both faces that cross.
  void crossing(int half_edge, const Polytope::HalfEdge& other) {
    const Polytope::HalfEdge& own = item(own_.shape->half_edges, half_edge);
    const Vector3d a = own_.vertex(own.from), e = own_.vertex(own.to) - a;
    const Polytope::Edge& edge = item(other_.shape->edges, other.edge);
    const Vector3d b = other_.vertex(edge.a), d = other_.vertex(edge.b) - b;
    const double sine = n_.dot(e.cross(d)), lengths = e.norm() * d.norm();
    if (!(std::abs(sine) > 1e-12 * lengths)) return;
    const double s = n_.dot((b - a).cross(d)) / sine, t = n_.dot((b - a).cross(e)) / sine;
    if (!(s > 0 && s < 1 && t > 0 && t < 1) || !fresh(b + t * d)) return;
    const bool fixed = std::abs(sine) < kParallel * lengths;
    const auto push = [&](const Vector3d& aim) {
      if (side_ == 0)
        out_.push_back({Kind::edges, own.edge, other.edge, aim});
      else
        out_.push_back({Kind::edges, other.edge, own.edge, aim});
    };
    if (fixed || std::abs(n_.dot(d)) <= flat_ * d.norm()) {
      const bool left = item(own_.shape->edges, own.edge).left == own.face;
      return push(EdgeInFace{side_ == 0, left, t, fixed}.aim());
    }
    Vector3d n;
    if (across(e, d, n_, n)) push(side_ == 0 ? n : -n);
  }

  const Placed &own_, &other_;
  int side_, face_, incident_ = 0;
  Vector3d n_;
  double flat_;                 // sine below which something may come to lie flat
  bool on_each_other_ = false;  // the two faces may
  double near_;
  std::vector<Vector3d>& points_;
  std::vector<FeaturePair>& out_;
};

void place_both(const MovingShape& A, const MovingShape& B, double t, std::array<Placed, 2>& out) {
  out[0].place(*A.shape, moved(A, t));
  out[1].place(*B.shape, moved(B, t));
}

/// Whether the edge of the other shape may come to lie in a face, and crosses the own edge nowhere: then the face's
/// patch has all of it.
bool lies_in(const std::array<Placed, 2>& at, const Axis& edges, int side, int face, double sine) {
  const Polytope::Edge &a = item(at[0].shape->edges, edges.first), &b = item(at[1].shape->edges, edges.second);
  const Vector3d e = at[0].along(a), d = at[1].along(b), &along = side == 0 ? d : e;
  if (!(std::abs(at[side].normal(face).dot(along)) <= sine * along.norm())) return false;
  const Nearest near(at[0].vertex(a.a), e, at[1].vertex(b.a), d);
  return !(near.found && near.s > 0 && near.s < 1 && near.t > 0 && near.t < 1);
}

void find_between_polytopes(const MovingShape& A, const MovingShape& B, double h, std::vector<FeaturePair>& out) {
  Work& w = work();
  const double travel = h * ((A.v - B.v).norm() + A.omega.norm() * A.shape->bound + B.omega.norm() * B.shape->bound);
  const double smaller = std::min(A.shape->size, B.shape->size);
  const bool moves = travel > kStill * smaller;
  place_both(A, B, 0, w.now);
  if (moves) place_both(A, B, h, w.then);
  const double allowed = kOverlap * smaller;
  Separation axes(w, moves, allowed, 1e-9 * smaller, kSameWay);
  axes.find();
  const Axis& best = axes.best;
  const bool by_edges = best.of == Axis::Of::edges;
  const Axis& face = axes.face;
  if (by_edges && !(face.n.dot(best.n) > kAlongFace && face.now > best.now - allowed)) {
    out.push_back({Kind::edges, best.first, best.second, best.n});
    return;
  }
  // where they meet: at the end, if they come closer without meeting
  const double end = end_of(face, 0);
  const double t = !moves || end < 0 ? 0 : end <= 1 ? end * h : face.then < face.now ? h : 0;
  const std::array<Placed, 2>* at = &w.now;
  if (t > 0) {
    place_both(A, B, t, w.meet);
    at = &w.meet;
  }
  const int side = face.of == Axis::Of::A ? 0 : 1;
  const double flat = kFlat + 2 * travel / smaller;
  Patch(*at, side, face.first, flat, w, out).run();
  if (!by_edges || lies_in(*at, best, side, face.first, flat)) return;
  for (const FeaturePair& f : out)
    if (f.kind == Kind::edges && f.first == best.first && f.second == best.second) return;
  out.push_back({Kind::edges, best.first, best.second, best.n});
}

/// Whether n points away from the solid at an edge.
bool leaves(const Placed& P, const Polytope::Edge& e, const Vector3d& n) {
  if (e.left < 0) return true;
  const Vector3d &l = P.normal(e.left), &r = P.normal(e.right);
  const double c = l.dot(r), a = n.dot(l), b = n.dot(r);  // n = alpha l + beta r
  return a - c * b >= -1e-12 && b - c * a >= -1e-12;
}

/// Then both shapes know of the same two points: one of them is enough.
bool nearest_is_vertex(const Vector3d& x, const Placed& of) {
  const Vector3d local = of.at.R.transpose() * (x - of.at.x);
  const Distance d = distance(*of.shape, local);
  const Vector3d nearest = local - d.f * d.gradient;
  return std::any_of(of.shape->vertices.begin(), of.shape->vertices.end(),
                     [&](const Vector3d& v) { return (v - nearest).norm() <= 1e-12 * of.shape->bound; });
}

void find_between_round(const MovingShape& A, const MovingShape& B, std::vector<FeaturePair>& out) {
  Work& w = work();
  place_both(A, B, 0, w.now);
  const bool one_A = count(A.shape->vertices) == 1, one_B = count(B.shape->vertices) == 1;
  for (int k = 0; k < count(B.shape->vertices) && (one_B || !one_A); ++k) out.push_back({Kind::B_point_on_A, k, 0});
  for (int k = 0; k < count(A.shape->vertices) && !one_B; ++k)
    if (one_A || !nearest_is_vertex(w.now[0].vertex(k), w.now[1])) out.push_back({Kind::A_point_on_B, k, 0});
  if (A.shape->flat || B.shape->flat) return;  // in a plane nothing crosses
  const Placed &PA = w.now[0], &PB = w.now[1];
  for (int i = 0; i < count(A.shape->edges); ++i)
    for (int j = 0; j < count(B.shape->edges); ++j) {
      const Polytope::Edge &a = item(A.shape->edges, i), &b = item(B.shape->edges, j);
      const Vector3d e = PA.along(a), d = PB.along(b);
      const Nearest at(PA.vertex(a.a), e, PB.vertex(b.a), d);
      if (!at.found || !(at.s > 0 && at.s < 1 && at.t > 0 && at.t < 1)) continue;
      const Vector3d from = PB.vertex(b.a) + at.t * d - PA.vertex(a.a) - at.s * e;
      Vector3d n;
      if (!across(e, d, from, n) || !leaves(PA, a, n) || !leaves(PB, b, -n)) continue;
      out.push_back({Kind::edges, i, j, n});
    }
}

bool round_pair(const Polytope& A, const Polytope& B) {
  return A.radius > 0 || B.radius > 0 || A.faces.empty() || B.faces.empty();
}

/// Least distance of a rim of X from Y, where it is below `known`. It changes along the rim by no more than the way:
/// arcs on which it cannot be below what is known are left, the others halved.
double lowest_of_rim(const Polytope& X, const Placement& x, int rim, const Polytope& Y, const Placement& y,
                     double known) {
  const Polytope::Rim& circle = item(X.rims, rim);
  const Vector3d centre = x.x + circle.z * x.R.col(2);
  const double r = circle.radius;
  if (distance(Y, y.R.transpose() * (centre - y.x)).f - r > known) return known;
  constexpr int kArcs = 16, kHalvings = 8;
  const int curve = count(X.edges) + 2 * rim, all = count(Y.faces);
  double best = known, at = kInfinite;
  const auto height = [&](double t) {
    const double f = curve_at(X, x, curve, Y, y, all, t).distance.f;
    if (f < best) best = f, at = t;
    return f;
  };
  const auto look = [&](auto& self, double t0, double f0, double t1, double f1, int halvings) -> void {
    if (halvings == 0 || 0.5 * (f0 + f1 - r * (t1 - t0)) >= best) return;
    const double middle = 0.5 * (t0 + t1), f = height(middle);
    self(self, t0, f0, middle, f, halvings - 1);
    self(self, middle, f, t1, f1, halvings - 1);
  };
  constexpr double kArc = 2 * std::numbers::pi / kArcs;
  double before = height(0);
  for (int k = 1; k <= kArcs; ++k) {
    const double f = height(k * kArc);
    look(look, (k - 1) * kArc, before, k * kArc, f, kHalvings);
    before = f;
  }
  return best < known ? std::min(best, curve_minimum(X, x, curve, Y, y, all, at).distance.f) : known;
}

/// What features alone do not tell: overlap without a corner or an edge of the one in the other, where the middle line
/// of X is in Y; a rim that has more minima than were looked for, or passes through. The least, if it is below `known`.
double lowest_beside(const Polytope& X, const Placement& x, const Polytope& Y, const Placement& y, double known) {
  if (X.half_space() || Y.half_space()) return known;
  const double round = X.radius + Y.radius;
  const auto line_in = [&](const Polytope& line) {
    const double depth = curve_minimum(line, x, 0, Y, y, count(Y.faces), 0.5).distance.f;
    return depth < 0 ? std::min(known, depth - round) : known;
  };
  if (!X.revolved()) return X.edges.size() == 1 ? line_in(X) : known;
  const auto [low, high] = ends_of_revolved(X);
  thread_local Polytope axis = make_segment_shape(Vector3d::Zero(), Vector3d::UnitZ(), 0);
  axis.vertices[0].z() = low, axis.vertices[1].z() = high;
  double out = line_in(axis);
  for (int rim = 0; rim < count(X.rims); ++rim) out = lowest_of_rim(X, x, rim, Y, y, out + round) - round;
  return out;
}

}  // namespace

Placement moved(const MovingShape& s, double t) {
  if (t == 0) return s.at;
  return {s.at.x + t * s.v, exp_rotation(t * s.omega) * s.at.R};
}

void find_features(const MovingShape& A, const MovingShape& B, double h, double reach, std::vector<FeaturePair>& out) {
  thread_local std::vector<FeaturePair> found;
  found.clear();
  if (A.shape->revolved() || B.shape->revolved()) {
    find_with_revolved(A, B, h, found);
  } else if (A.shape->half_space() || B.shape->half_space()) {
    const bool of_A = A.shape->half_space();
    const Polytope& other = of_A ? *B.shape : *A.shape;
    for (int k = 0; k < count(other.vertices); ++k)
      found.push_back({of_A ? Kind::B_point_on_A_face : Kind::A_point_on_B_face, k, 0});
  } else if (round_pair(*A.shape, *B.shape)) {
    find_between_round(A, B, found);
  } else {
    find_between_polytopes(A, B, h, found);
  }
  for (const FeaturePair& f : found)
    if (feature_gap(f, *A.shape, A.at, *B.shape, B.at).gap <= reach) out.push_back(f);
}

double separation(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
  Work& w = work();
  if (A.half_space() || B.half_space() || A.revolved() || B.revolved() || round_pair(A, B)) {
    thread_local std::vector<FeaturePair> found;
    found.clear();
    if (A.revolved() || B.revolved())
      find_with_revolved(A, a, B, b, found);
    else
      find_features({&A, a}, {&B, b}, 0, kInfinite, found);
    double out = kInfinite;
    for (const FeaturePair& f : found) out = std::min(out, feature_gap(f, A, a, B, b).gap);
    if (A.revolved() && B.revolved()) {  // where they overlap the order of the two would matter
      found.clear();
      find_with_revolved(B, b, A, a, found);
      for (const FeaturePair& f : found) out = std::min(out, feature_gap(f, B, b, A, a).gap);
    }
    out = lowest_beside(A, a, B, b, out);
    return lowest_beside(B, b, A, a, out);
  }
  w.now[0].place(A, a), w.now[1].place(B, b);
  Separation axes(w, false, 0, 0, kNoWay);
  axes.find();
  return axes.best.now;
}

}  // namespace ricochet
