// Which features of a cylinder or a cone and another shape may touch.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "ricochet/geometry/collision/lists.hpp"
#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/rotation.hpp"

namespace ricochet {
namespace {

using Kind = FeaturePair::Kind;

constexpr double kNearlyFlat = 0.1;    ///< sine below which a curve lies along a face or a side: there are marks
constexpr double kLikewise = 0.5;      ///< cosine above which two faces look the same way
constexpr double kFlatRim = 1e-9;      ///< sine below which a rim has no lowest point
constexpr double kFlatEdge = 1e-10;    ///< likewise of an edge, its square
constexpr double kOnRimBorder = 1e-9;  ///< of the size: a point on the border of a face counts as inside
constexpr double kAtBorder = 1e-12;    ///< likewise where a distance is asked for, and no contact
constexpr double kCrossing = 1e-5;     ///< sine below which two rims cross where their circles do
constexpr double kAgrees = 1e-12;      ///< of the size: two distances that are one
constexpr double kSamePlace = 1e-6;    ///< of the size
constexpr int kMarks = 6;              ///< of a rim; two more are crossings
constexpr int kSamples = 64;           ///< of a rim, to find its minima
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kResting = 1e-6;  ///< of the size: as near to the plane of a face a shape rests on it, or slides
constexpr double kAlong = 0.995;   ///< cosine from which a direction is that of the face on which a shape rests
constexpr int kAnyFace = -1, kNoFace = -2;

/// Features of X on Y.
class On {
 public:
  /// `face`: of Y, the only one that X may touch; or any of them, or none.
  On(const Polytope& X, const Placement& x, const Polytope& Y, const Placement& y, bool X_is_B, bool exact, int face,
     std::vector<FeaturePair>& out)
      : X_(X),
        x_(x),
        Y_(Y),
        y_(y),
        out_(out),
        second_(X_is_B),
        exact_(exact),
        face_(face),
        all_(count(Y.faces)),
        size_(std::min(X.size, Y.half_space() ? X.size : Y.size)),
        on_border_((exact ? kAtBorder : kOnRimBorder) * size_) {}

  void run() {
    vertices();
    if (X_.revolved() && (Y_.half_space() || !Y_.faces.empty()))
      for (int r = 0; r < count(X_.rims); ++r) Y_.revolved() ? rim_on_round(r) : rim_on_faces(r);
    if (Y_.revolved())
      for (int e = 0; e < count(X_.edges); ++e) edge_on_round(e);
  }

 private:
  Kind kind(Kind of_B, Kind of_A) const { return second_ ? of_B : of_A; }
  void add_curve(int curve, int face, double t) {
    out_.push_back({kind(Kind::B_curve_on_A, Kind::A_curve_on_B), curve, face, {t, 0, 0}});
  }
  void add_mark(int mark, int face, double t) {
    out_.push_back({kind(Kind::B_mark_on_A, Kind::A_mark_on_B), mark, face, {t, 0, 0}});
  }
  int rim_curve(int rim) const { return count(X_.edges) + 2 * rim; }
  int rim_mark(int rim) const { return 2 * count(X_.edges) + 8 * rim; }
  CurveMinimum at(int curve, int face, double t) const { return curve_at(X_, x_, curve, Y_, y_, face, t); }

  void vertices() {
    if (Y_.half_space()) {
      for (int k = 0; k < count(X_.vertices); ++k)
        out_.push_back({kind(Kind::B_point_on_A_face, Kind::A_point_on_B_face), k, 0});
      return;
    }
    // what is round by a radius finds the tip of a cone by itself
    if (!Y_.revolved() && Y_.faces.empty()) return;
    for (int k = 0; k < count(X_.vertices); ++k) {
      if (const int face = exact_ ? kNoFace : face_under(k); face >= 0)
        out_.push_back({kind(Kind::B_point_on_A_face, Kind::A_point_on_B_face), k, face});
      else if (face_ == kAnyFace || Y_.revolved())
        out_.push_back({kind(Kind::B_point_on_A, Kind::A_point_on_B), k, 0});
    }
  }
  /// The face, or the disc, from which a vertex has its distance: it keeps the vertex where it comes over its border
  /// within the step.
  int face_under(int vertex) const {
    const Vector3d x = y_.R.transpose() * (x_.x + x_.R * item(X_.vertices, vertex) - y_.x);
    if (Y_.revolved()) return revolved_distance(Y_, x).part == RoundPart::disc ? disc(x) : kNoFace;
    int best = std::max(face_, 0);
    for (int f = 0; f < count(Y_.faces) && face_ == kAnyFace; ++f)
      if (item(Y_.faces, f).n.dot(x) - item(Y_.faces, f).offset >
          item(Y_.faces, best).n.dot(x) - item(Y_.faces, best).offset)
        best = f;
    return face_ != kNoFace && over(best, x) ? best : kNoFace;
  }

  bool over(int face, const Vector3d& x) const {
    const Polytope::Face& f = item(Y_.faces, face);
    for (int k = f.first; k < f.first + f.count; ++k) {
      const Polytope::HalfEdge& h = item(Y_.half_edges, k);
      const Vector3d &a = item(Y_.vertices, h.from), along = item(Y_.vertices, h.to) - a;
      if (along.cross(x - a).dot(f.n) < -on_border_ * along.norm()) return false;
    }
    return true;
  }
  /// A place of X over the face or, below it, in Y: what is under the face and out again on the other side does not
  /// touch it.
  bool touches(int face, const CurveMinimum& m) const {
    return over(face, m.at.x) && (m.distance.f >= 0 || distance(Y_, m.at.x).f <= on_border_);
  }
  /// Whether a face of Y looks where the disc of the rim looks. The rim of a cylinder cannot touch such a face: what is
  /// behind the disc would be deeper. Side by side, with ends in one plane, its height over the face is nothing but
  /// rounding. A cone that lies on its side may touch with its rim what its disc looks at.
  bool looks_likewise(int rim, int face) const {
    if (X_.rims.size() != 2) return false;
    return (x_.R * item(X_.faces, rim).n).dot(y_.R * item(Y_.faces, face).n) > kLikewise;
  }
  /// The face along which the rim is farthest out.
  void rim_on_faces(int rim) {
    int best = -1;
    double most = -1e300, beyond = -1e300;
    if (face_ >= 0 && !looks_likewise(rim, face_)) best = face_;
    for (int f = 0; f < count(Y_.faces) && face_ == kAnyFace; ++f) {
      const double g = curve_minimum(X_, x_, rim_curve(rim), Y_, y_, f, 0).distance.f;
      if (looks_likewise(rim, f))
        beyond = std::max(beyond, g);
      else if (g > most)
        most = g, best = f;
    }
    if (best < 0 || beyond > std::max(most, kSamePlace * size_)) return;
    const Vector3d n = x_.R.transpose() * y_.R * item(Y_.faces, best).n;
    const double sine = std::sqrt(n.x() * n.x() + n.y() * n.y());
    if (sine > kFlatRim) {
      const CurveMinimum low = curve_minimum(X_, x_, rim_curve(rim), Y_, y_, best, 0);
      if (touches(best, low)) add_curve(rim_curve(rim), best, low.t);
    }
    if (sine > kNearlyFlat) return;
    for (int k = 0; k < kMarks; ++k) {
      const double t = kTurn * k / kMarks;
      if (touches(best, at(rim_curve(rim), best, t))) add_mark(rim_mark(rim) + k, best, t);
    }
  }

  /// What of Y the rim is measured from at t: all of it, or, in the plane of a disc that looks likewise, the side of a
  /// cylinder. That of a cone is not at right angles to the plane, and its rim is nearer.
  int measured(int rim, double t) const {
    const Vector3d axis = y_.R.transpose() * x_.R.col(2);
    if (Y_.rims.size() != 2 || axis.x() * axis.x() + axis.y() * axis.y() > kNearlyFlat * kNearlyFlat) return all_;
    for (int f = 0; f < count(Y_.faces); ++f)
      if (looks_likewise(rim, f) && std::abs(at(rim_curve(rim), f, t).distance.f) < kSamePlace * size_) return all_ + 1;
    return all_;
  }
  void rim_on_round(int rim) {
    const int curve = rim_curve(rim);
    std::array<double, kSamples> f;
    for (int k = 0; k < kSamples; ++k) {
      const double t = kTurn * k / kSamples;
      f[static_cast<std::size_t>(k)] = at(curve, measured(rim, t), t).distance.f;
    }
    std::array<CurveMinimum, kSamples> found;
    std::size_t minima = 0;
    for (std::size_t k = 0; k < kSamples; ++k) {
      if (f[k] > f[(k + 1) % kSamples] || f[k] >= f[(k + kSamples - 1) % kSamples]) continue;
      const double t = kTurn * static_cast<double>(k) / kSamples;
      CurveMinimum m = curve_minimum(X_, x_, curve, Y_, y_, measured(rim, t), t);
      if (measured(rim, t) != measured(rim, m.t)) m = curve_minimum(X_, x_, curve, Y_, y_, all_, t);
      if (!exact_ && !definite(m, kFlatRim * item(X_.rims, rim).radius)) continue;
      // two rims know of each other: one of them is enough
      if (!second_ && (revolved_distance(Y_, m.at.x).part == RoundPart::rim || near_rim(nearest(m)))) continue;
      found[minima++] = m;
    }
    const auto all = found.begin() + static_cast<std::ptrdiff_t>(minima);
    std::sort(found.begin(), all, [](const auto& a, const auto& b) { return a.distance.f < b.distance.f; });
    minima = std::min<std::size_t>(minima, 2);
    if (minima == 2 && found[1].t < found[0].t) std::swap(found[0], found[1]);
    for (std::size_t k = 0; k < minima; ++k) {
      const int face = target(found[k], rim);
      if (face == all_ && face_ != kAnyFace) continue;
      if (face != all_ || (exact_ && found[k].distance.f > 0) || !crosses_flat(found[k], rim))
        add_curve(curve + static_cast<int>(k), face, found[k].t);
    }
    marks_on_disc(rim);
  }
  /// A place on the curve and no other: it bends away from there, or the distance has a kink, at the rim of Y, across
  /// which its slope jumps. What is deep in the shape may be either without a sign of it.
  bool definite(const CurveMinimum& m, double flat) const {
    const Vector3d& n = m.distance.gradient;
    const double K = m.at.d1.dot(m.distance.hessian * m.at.d1) + n.dot(m.at.d2);
    return K > flat || std::abs(n.dot(m.at.d1)) > flat || m.distance.f < -kSamePlace * size_;
  }
  /// Two discs that lie on each other: where their rims cross there are marks. Beside each other, with rims that nearly
  /// touch, they have none.
  bool crosses_flat(const CurveMinimum& m, int rim) const {
    const Vector3d axis = y_.R.transpose() * x_.R.col(2);
    return std::abs(m.distance.gradient.z()) > 0.5 &&
           axis.x() * axis.x() + axis.y() * axis.y() < kCrossing * kCrossing &&
           (looks_likewise(rim, disc(m.at.x)) || crossings(rim));
  }
  static Vector3d nearest(const CurveMinimum& m) { return m.at.x - m.distance.f * m.distance.gradient; }
  /// The disc that x is over, or nearest to.
  int disc(const Vector3d& x) const {
    int best = 0;
    const auto height = [&](int f) { return item(Y_.faces, f).n.dot(x) - item(Y_.faces, f).offset; };
    for (int f = 1; f < count(Y_.faces); ++f)
      if (height(f) > height(best)) best = f;
    return best;
  }
  /// What of Y the curve touches there: its side, a disc, or, at a rim, all of it. A side or a disc as if it had no end
  /// must be nearest in the same place. Where the rims of both are in one place the distance has no direction of its
  /// own: then it is the side or the disc, whichever X looks at.
  int target(const CurveMinimum& m, int rim) const {
    const int flat = disc(m.at.x), side = all_ + 1;
    if (measured(rim, m.t) == side) return side;
    const auto same = [&](int face) {
      const double f = curve_minimum(X_, x_, rim_curve(rim), Y_, y_, face, m.t).distance.f;
      return std::abs(f - m.distance.f) <= kAgrees * size_;
    };
    const bool on_flat = same(flat), on_side = same(side);
    if (!on_flat || !on_side) return on_flat ? flat : on_side ? side : all_;
    const Vector3d own = curve_point(X_, rim_curve(rim), m.t).x;  // outwards there: across the axis, and along it
    const Vector3d across = x_.R * Vector3d(own.x(), own.y(), 0).normalized(), along = x_.R * item(X_.faces, rim).n;
    const auto facing = [&](int face) {
      const Vector3d n = -(y_.R * at(rim_curve(rim), face, m.t).distance.gradient);
      return std::max(n.dot(across), n.dot(along));
    };
    return facing(side) >= facing(flat) ? side : flat;
  }
  /// Whether a face of Y, or its side, is as far away there as all of Y: it has not ended before.
  bool agrees(int curve, int face, double t) const {
    return std::abs(at(curve, face, t).distance.f - at(curve, all_, t).distance.f) <= kAgrees * size_;
  }
  bool near_rim(const Vector3d& local) const {
    const double rho = std::sqrt(local.x() * local.x() + local.y() * local.y());
    return std::any_of(Y_.rims.begin(), Y_.rims.end(), [&](const Polytope::Rim& r) {
      return std::abs(rho - r.radius) + std::abs(local.z() - r.z) < kSamePlace * size_;
    });
  }
  /// Discs face to face: points of the rim over the other disc, and where both rims cross.
  void marks_on_disc(int rim) {
    const Matrix3d turn = y_.R.transpose() * x_.R;
    const Vector3d axis = turn.col(2);
    if (axis.x() * axis.x() + axis.y() * axis.y() > kNearlyFlat * kNearlyFlat) return;
    for (int k = 0; k < kMarks; ++k) {
      const double t = kTurn * k / kMarks;
      const Vector3d x = at(rim_curve(rim), all_, t).at.x;
      if (on_disc(x) && !looks_likewise(rim, disc(x))) add_mark(rim_mark(rim) + k, disc(x), t);
    }
    const int facing = disc(centre(rim));
    if (!second_ || looks_likewise(rim, facing)) return;
    const auto crossing = crossings(rim);
    if (!crossing) return;
    for (const int k : {0, 1}) {
      const double t = item(*crossing, k);
      add_mark(rim_mark(rim) + kMarks + k, agrees(rim_curve(rim), facing, t) ? facing : all_, t);
    }
  }
  /// Whether a disc is nearest to x; or x lies in it, on its border: of shapes alike that stand on each other rounding
  /// would choose between disc, rim and side. Behind the disc of a cone x may be beside the side, and apart.
  bool on_disc(const Vector3d& x) const {
    const RoundDistance all = revolved_distance(Y_, x);
    if (all.part == RoundPart::disc) return true;
    const int face = disc(x);
    const double rho = std::sqrt(x.x() * x.x() + x.y() * x.y());
    const bool behind = item(Y_.faces, face).n.dot(x) < item(Y_.faces, face).offset;
    if (exact_ && behind && all.distance.f > on_border_) return false;
    return std::abs(x.z() - item(Y_.rims, face).z) <= kSamePlace * size_ &&
           rho <= item(Y_.rims, face).radius + on_border_;
  }
  /// Of a rim, in Y's axes.
  Vector3d centre(int rim) const {
    const Matrix3d turn = y_.R.transpose() * x_.R;
    return turn * Vector3d(0, 0, item(X_.rims, rim).z) + y_.R.transpose() * (x_.x - y_.x);
  }
  /// Where a rim crosses the nearest one of Y, seen along Y's axis: |centre + r u| = R.
  std::optional<std::array<double, 2>> crossings(int rim) const {
    const Vector3d from = centre(rim), to(-from.x(), -from.y(), 0);
    const Polytope::Rim* other = &Y_.rims[0];
    for (const Polytope::Rim& r : Y_.rims)
      if (std::abs(r.z - from.z()) < std::abs(other->z - from.z())) other = &r;
    const double d = to.norm(), r = item(X_.rims, rim).radius;
    const double c = d > 0 ? (d * d + r * r - other->radius * other->radius) / (2 * d * r) : 2;
    if (!(std::abs(c) < 1)) return {};
    const auto at_angle = [&](double angle) {
      const Vector3d u = x_.R.transpose() * y_.R * Vector3d(elementary::cos(angle), elementary::sin(angle), 0);
      return elementary::atan2(u.y(), u.x());
    };
    const double middle = elementary::atan2(to.y(), to.x()), half = elementary::atan2(std::sqrt(1 - c * c), c);
    return {{at_angle(middle - half), at_angle(middle + half)}};
  }

  void edge_on_round(int edge) {
    const CurveMinimum m = curve_minimum(X_, x_, edge, Y_, y_, all_, 0.5);
    const Vector3d &e = m.at.d1, &n = m.distance.gradient;
    const double length = e.squaredNorm();
    const double K = e.dot(m.distance.hessian * e), slope = n.dot(e);
    // at a kink, the rim of Y, the slope jumps
    const bool definite =
        m.distance.f < -kSamePlace * size_ || K * size_ > kFlatEdge * length || slope * slope > kFlatEdge * length;
    const bool flat = slope * slope <= kNearlyFlat * kNearlyFlat * length;
    const Common part = face_ >= 0 ? on_disc_of(face_, m) : flat ? common(m) : Common{};
    if (m.interior && (definite || exact_)) {
      // on the side as if it had no ends: where it leaves them within the step there is no other direction
      const bool side = !exact_ && revolved_distance(Y_, m.at.x).part == RoundPart::side;
      if (side || face_ == kAnyFace) add_curve(edge, side ? all_ + 1 : all_, m.t);
    }
    if (!part.any) return;
    const int face = face_ >= 0 ? face_ : part.disc ? disc(m.at.x) : all_ + 1;
    for (const int end : {0, 1}) {
      const double t = end == 0 ? part.from : part.to;
      const bool on_face = agrees(edge, face, t);
      if (t > 0 && t < 1 && (on_face || face_ == kAnyFace)) add_mark(2 * edge + end, on_face ? face : all_, t);
    }
  }
  struct Common {
    bool any = false, disc = false;
    double from = 0, to = 0;
  };
  /// The part of an edge that runs along a disc, whatever is nearest: in the plane of the disc rounding would choose.
  Common on_disc_of(int face, const CurveMinimum& m) const {
    const Vector3d& e = m.at.d1;
    return std::abs(e.z()) <= kNearlyFlat * e.norm() ? within(item(Y_.rims, face), m.at.x - m.t * e, e) : Common{};
  }
  /// Of a + t e what is within the circle, seen along the axis.
  static Common within(const Polytope::Rim& rim, const Vector3d& a, const Vector3d& e) {
    const double A = e.x() * e.x() + e.y() * e.y(), B = a.x() * e.x() + a.y() * e.y(),
                 C = a.x() * a.x() + a.y() * a.y() - rim.radius * rim.radius, D = B * B - A * C;
    if (!(A > 0 && D > 0)) return {};
    return {true, true, (-B - std::sqrt(D)) / A, (-B + std::sqrt(D)) / A};
  }
  /// The part of an edge that runs along the disc or the side that is nearest at m.
  Common common(const CurveMinimum& m) const {
    const Vector3d &e = m.at.d1, a = m.at.x - m.t * e;  // a + t e
    const Vector3d nearest = m.at.x - m.distance.f * m.distance.gradient;
    const Vector3d& n = m.distance.gradient;
    const double z = std::abs(n.z());
    if (z > 1 - kNearlyFlat * kNearlyFlat) {
      const Polytope::Rim* rim = nullptr;
      for (const Polytope::Rim& r : Y_.rims)
        if (rim == nullptr || std::abs(r.z - nearest.z()) < std::abs(rim->z - nearest.z())) rim = &r;
      return within(*rim, a, e);
    }
    // a side: between the planes of its ends, if it runs along a generator
    const auto [low, high] = ends_of_revolved(Y_);
    const Vector3d around = n.cross(Vector3d::UnitZ());
    if (std::abs(around.dot(e)) > kNearlyFlat * e.norm() || !(std::abs(e.z()) > 0)) return {};
    const double s = (low - a.z()) / e.z(), t = (high - a.z()) / e.z();
    return {true, false, std::min(s, t), std::max(s, t)};
  }

  const Polytope& X_;
  const Placement& x_;
  const Polytope& Y_;
  const Placement& y_;
  std::vector<FeaturePair>& out_;
  bool second_;  // X is B
  bool exact_;   // see find_with_revolved
  int face_;     // of Y, that may be touched
  int all_;      // number of all of Y among what may be touched
  double size_;
  double on_border_;  // a point as near counts as inside
};

void find_laterals(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b,
                   std::vector<FeaturePair>& out) {
  Laterals found;
  const Vector3d w = a.R.col(2).cross(b.R.col(2));
  for (const double sense : {1.0, -1.0}) {
    if (!laterals(A, a, B, b, sense * w, found)) return;
    const Vector3d from = found.b - found.a;
    const double ee = found.e.squaredNorm(), ed = found.e.dot(found.d), dd = found.d.squaredNorm(),
                 ew = found.e.dot(from), dw = found.d.dot(from), D = ee * dd - ed * ed;
    if (!(D > 1e-12 * ee * dd)) continue;
    const double s = (dd * ew - ed * dw) / D, t = (ed * ew - ee * dw) / D;
    // deeper than both are thick it is the other side; so it is where a side reaches behind the other shape, not into
    // it
    const auto into = [](const Polytope& Y, const Placement& y, const Vector3d& x, double size) {
      return distance(Y, y.R.transpose() * (x - y.x)).f <= kOnRimBorder * size;
    };
    const double size = std::min(A.size, B.size);
    if (s > 0 && s < 1 && t > 0 && t < 1 && found.gap > -0.5 * size &&
        (found.gap >= 0 || (into(B, b, found.a + s * found.e, size) && into(A, a, found.b + t * found.d, size))))
      out.push_back({Kind::laterals, 0, 0, found.n});
  }
}

/// What a shape reaches along n, least.
double lowest(const Polytope& shape, const Placement& at, const Vector3d& n) {
  const Vector3d local = at.R.transpose() * n;
  const double across = std::sqrt(local.x() * local.x() + local.y() * local.y());
  double out = std::numeric_limits<double>::infinity();
  for (const Vector3d& v : shape.vertices) out = std::min(out, local.dot(v));
  for (const Polytope::Rim& r : shape.rims) out = std::min(out, local.z() * r.z - r.radius * across);
  return out + n.dot(at.x);
}

/// A face in whose plane one shape touches the other, or would if the face went on, and stays on its side through the
/// step. What else of the two is near is beside that face: it can touch in the plane only, and there n is a normal as
/// good as any.
struct Rest {
  bool of_A = false;
  int face = 0;
  Vector3d n;  ///< from A to B
};
std::optional<Rest> rest_of(const MovingShape& A, const MovingShape& B, double h) {
  for (const MovingShape* s : {&A, &B})
    if (s->shape->radius > 0 || s->shape->faces.empty() || s->shape->half_space()) return {};
  const double near = kResting * std::min(A.shape->size, B.shape->size);
  // of a shape that turns points leave their tangents
  const double turn = h * (A.omega - B.omega).norm(), bend = turn * turn * std::min(A.shape->bound, B.shape->bound);
  const Placement a = moved(A, h), b = moved(B, h);
  std::optional<Rest> out;
  double best = -(near + bend);
  for (const bool of_A : {true, false}) {
    const MovingShape &S = of_A ? A : B, &other = of_A ? B : A;
    const auto separation = [&](const Polytope::Face& face, const Placement& s, const Placement& o) {
      const Vector3d n = s.R * face.n;
      return lowest(*other.shape, o, n) - face.offset - n.dot(s.x);
    };
    // of a piece of a surface its triangle is all that is outside
    for (int f = 0; f < (S.shape->piece ? 1 : count(S.shape->faces)); ++f) {
      const Polytope::Face& face = item(S.shape->faces, f);
      if (std::abs(separation(face, S.at, other.at)) > near) continue;
      const double then = separation(face, of_A ? a : b, of_A ? b : a);
      if (then < best + (out ? near : 0)) continue;
      best = then;
      out = Rest{of_A, f, (of_A ? 1 : -1) * (S.at.R * face.n)};
    }
  }
  return out;
}
/// Of a shape the face that looks along n.
int face_along(const Polytope& shape, const Placement& at, const Vector3d& n) {
  const Vector3d local = at.R.transpose() * n;
  for (int f = 0; f < count(shape.faces); ++f)
    if (item(shape.faces, f).n.dot(local) > kAlong) return f;
  return kNoFace;
}

void find(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b, bool exact, int face_A,
          int face_B, std::vector<FeaturePair>& out) {
  On(B, b, A, a, true, exact, face_A, out).run();
  On(A, a, B, b, false, exact, face_B, out).run();
  if (A.revolved() && B.revolved()) find_laterals(A, a, B, b, out);
}

}  // namespace

void find_with_revolved(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b,
                        std::vector<FeaturePair>& out) {
  find(A, a, B, b, true, kAnyFace, kAnyFace, out);
}

void find_with_revolved(const MovingShape& A, const MovingShape& B, double h, std::vector<FeaturePair>& out) {
  const auto rest = rest_of(A, B, h);
  if (!rest) return find(*A.shape, A.at, *B.shape, B.at, false, kAnyFace, kAnyFace, out);
  const int face_A = rest->of_A ? rest->face : face_along(*A.shape, A.at, rest->n),
            face_B = rest->of_A ? face_along(*B.shape, B.at, -rest->n) : rest->face;
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  find(*A.shape, A.at, *B.shape, B.at, false, face_A, face_B, out);
  out.erase(std::remove_if(out.begin() + first, out.end(),
                           [&](const FeaturePair& f) {
                             return feature_gap(f, *A.shape, A.at, *B.shape, B.at).n.dot(rest->n) < kAlong;
                           }),
            out.end());
}

}  // namespace ricochet
