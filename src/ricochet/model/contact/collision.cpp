#include "ricochet/model/contact/collision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>

#include "ricochet/geometry/collision/broad.hpp"
#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/model/contact/collision_touch.hpp"
#include "ricochet/model/contact/contact_rows.hpp"

namespace ricochet {
namespace {

constexpr double kSeen = 1e-9;       ///< of the size: less is no overlap
constexpr double kDeep = 0.2;        ///< of the thinner shape: no step may press shapes together further
constexpr double kPassed = 0.5;      ///< of the thinner shape: who moves less within a step cannot pass it unseen
constexpr double kMostLooks = 1000;  ///< along the way of one step
constexpr double kNear = 1e-3;       ///< of the size: what is as near as this stays a candidate, however slow

/// No point of the shape moves further.
double way_of(const MovingShape& then, const MovingShape& now) {
  const double turned = now.shape->half_space() ? 0 : (now.at.R - then.at.R).norm() * now.shape->bound;
  return (now.at.x - then.at.x).norm() + turned;
}
/// Least width of a shape.
double thickness(const Polytope& shape) {
  double out = std::numeric_limits<double>::infinity();
  if (shape.half_space()) return out;
  if (shape.revolved()) return thickness_of_revolved(shape);
  for (const Polytope::Face& f : shape.faces) {
    double width = 0;
    for (const Vector3d& v : shape.vertices) width = std::max(width, f.offset - f.n.dot(v));
    if (width > 1e-12 * shape.size) out = std::min(out, width);
  }
  return (std::isfinite(out) ? out : 0) + 2 * shape.radius;
}
Placement between(const MovingShape& then, const MovingShape& now, double s) {
  Quaterniond a(then.at.R);
  const Quaterniond b(now.at.R);
  const double w = a.dot(b) < 0 ? -s : s;
  a.coeffs() = (1 - s) * a.coeffs() + w * b.coeffs();
  return {(1 - s) * then.at.x + s * now.at.x, a.normalized().toRotationMatrix()};
}

constexpr int kShared = 200;        ///< contacts that are worth a team
constexpr double kOnePlace = 1e-7;  ///< of the size: contacts of two pieces of a surface that are one
constexpr double kOneWay = 1e-9;    ///< one less the cosine between their normals

class Collision final : public ConstraintSet {
 public:
  Collision(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes, CollisionSettings settings)
      : mounts_(mounts), shapes_(std::move(shapes)), set_(std::move(settings)), planar_(!set_.plane.isZero(0)) {
    if (shapes_.size() >= std::size_t{1} << 20)
      throw InputError("collision", "there are more than 1,048,575 shapes; accepted: fewer");
    std::sort(set_.ignored.begin(), set_.ignored.end());
    std::sort(set_.apart.begin(), set_.apart.end());
    for (const CollidingShape& s : shapes_) thickness_.push_back(thickness(s.shape));
    check_numbers();
    pieces_ = std::any_of(shapes_.begin(), shapes_.end(), [](const CollidingShape& s) { return s.shape.piece; });
  }

  std::vector<ConstraintItem> items() const override { return {}; }
  int nameless_rows() const override {
    int out = 0;
    for (const ContactLaw* law : set_.laws)
      if (law != nullptr) out = std::max(out, law->dim(planar_ ? 1 : 2));
    return out;
  }
  bool constant_candidates() const override { return false; }
  bool knows_places() const override { return true; }

  void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const override {
    std::vector<int> none;
    awake_candidates(at, h, set, nullptr, none, out);
  }
  void awake_candidates(const Point& at, double h, int set, const char* asleep, std::vector<int>& touched,
                        std::vector<Candidate>& out) const override {
    if (asleep != nullptr && all_still(asleep)) return;
    const std::size_t first = out.size();
    thread_local std::vector<MovingShape> moving;
    thread_local std::vector<double> reach;
    place_all(at, moving);
    reaches(moving, h, reach);
    thread_local std::vector<FeaturePair> features;
    for (const auto& [a, b] : near(moving, reach)) {
      features.clear();
      const bool still_a = still(a, asleep), still_b = still(b, asleep);
      if (still_a && still_b) continue;
      const MovingShape &A = moving[static_cast<std::size_t>(a)], &B = moving[static_cast<std::size_t>(b)];
      find_features(A, B, h, reach[static_cast<std::size_t>(a)] + reach[static_cast<std::size_t>(b)], features);
      if (!features.empty())
        for (const auto& [k, sleeps] : {std::pair(a, still_a), std::pair(b, still_b)})
          if (sleeps && mount(k).subsystem != nullptr) touched.push_back(mount(k).coordinates().at);
      for (const FeaturePair& f : features) {
        Candidate& c = out.emplace_back();
        c.key = pair_key(set, a, b, static_cast<int>(number_of(f, *A.shape, *B.shape)));
        c.set = set;
        c.item = -1;
        c.law = law(a, b);
        c.dim = c.law->dim(planar_ ? 1 : 2);
        c.bodies = {mount(b).body(), mount(a).body()};
        c.aim = {f.aim.x(), f.aim.y(), f.aim.z()};
      }
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
              [](const Candidate& x, const Candidate& y) { return x.key < y.key; });
    if (pieces_) drop_twins(at.q, out, first);
  }

  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const Met met(*this, q, c);
    const FeatureGap at = met.gap();
    return {at.p, at.n};
  }

  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& scratch) const override {
    const std::size_t first = out.G.blocks().size();
    const int row = out.rows;
    for (int k = 0; k < selection.count; ++k) {  // room for all
      const Candidate& c = selection[k];
      const int dim = selection.dim(c);
      out.values(dim);
      const Range a = mount(first_shape(c)).coordinates(), b = mount(second_shape(c)).coordinates();
      a.n == 0 ? out.G.add(dim, b) : b.n == 0 ? out.G.add(dim, a) : out.G.add(dim, a, b);
    }
    const int shift = row - (selection.count > 0 ? out.G.blocks()[first].row : 0);
    share(scratch.crew, selection.count, kShared, [&](int begin, int end) {
      std::optional<Met> kept;  // contacts of a pair come one after the other
      for (int k = begin; k < end; ++k) {
        const Candidate& c = selection[k];
        if (k == begin || c.key >> 16 != selection[k - 1].key >> 16)
          kept.emplace(*this, q, c);
        else
          kept->look_at(c);
        const Jacobian::Block& block = out.G.blocks()[first + static_cast<std::size_t>(k)];
        fill_rows(*kept, c, block.dim, out.G.row(block, 0), out.g.data() + block.row + shift,
                  out.g_t.data() + block.row + shift);
      }
    });
  }

  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const Met met(*this, q, c);
    // Bodies that only meet are not coupled in the operator; then Newton goes on without it.
    if (!met.pair.one_sided() && !S.accepts_any_entry()) return;
    rows(met, c, dim).add_curvature(met.pair, lambda, coefficient, S);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const Met met(*this, at.q, c);
    rows(met, c, dim).add_rates(met.pair, at.v, out);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    const Met met(*this, at.q, c);
    rows(met, c, dim).bias(met.pair, at.v, out);
  }

  // What overlapped before, or has a candidate that knows, was not overlooked. Shapes that are apart again may have
  // passed each other on the way: it is looked at as often as they could have.
  double overlooked(ConstView before, ConstView after, const std::vector<Candidate>& all, int set) const override {
    thread_local std::vector<MovingShape> then, now;
    thread_local std::vector<double> way;
    place_all({0, before, {}}, then);
    place_all({0, after, {}}, now);
    double out = 0;
    if (!moved(then, now)) return out;
    way.resize(shapes_.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) way[i] = way_of(then[i], now[i]);
    for (const auto& [a, b] : near(now, way)) {
      const MovingShape &A = now[static_cast<std::size_t>(a)], &B = now[static_cast<std::size_t>(b)];
      const MovingShape &C = then[static_cast<std::size_t>(a)], &D = then[static_cast<std::size_t>(b)];
      if (way[static_cast<std::size_t>(a)] == 0 && way[static_cast<std::size_t>(b)] == 0) continue;
      const double size = std::min(A.shape->half_space() ? B.shape->size : A.shape->size,
                                   B.shape->half_space() ? A.shape->size : B.shape->size);
      const double thin = std::min(thickness_[static_cast<std::size_t>(a)], thickness_[static_cast<std::size_t>(b)]);
      const double gap = separation(*A.shape, A.at, *B.shape, B.at);
      if (gap < -kSeen * size) {
        const double before_it = separation(*C.shape, C.at, *D.shape, D.at);
        // Deeper than this a candidate may be that of the other side.
        if (gap < -kDeep * thin && gap < before_it) out = std::max(out, -gap / size);
        double known = std::min(0.0, before_it);
        const Key first = pair_key(set, a, b, 0);
        auto c =
            std::lower_bound(all.begin(), all.end(), first, [](const Candidate& x, Key key) { return x.key < key; });
        for (; c != all.end() && c->key >> 16 == first >> 16; ++c)
          known = std::min(known, Met(*this, after, *c).gap().gap);
        out = std::max(out, (known - gap) / size);
        continue;
      }
      const double ways = way[static_cast<std::size_t>(a)] + way[static_cast<std::size_t>(b)];
      if (ways <= kPassed * thin) continue;
      const int looks = static_cast<int>(std::min(kMostLooks, ways / (kPassed * thin))) + 1;
      for (int k = 1; k < looks; ++k) {
        const double s = static_cast<double>(k) / looks;
        const double met = separation(*A.shape, between(C, A, s), *B.shape, between(D, B, s));
        if (met < -kSeen * size) out = std::max(out, -met / size);
      }
    }
    return out;
  }

  std::vector<Overlap> overlaps(ConstView q, double tolerance) const {
    std::vector<MovingShape> moving;
    const VectorXd still = VectorXd::Zero(q.size());
    place_all({0, q, still}, moving);
    const std::vector<double> reach(shapes_.size(), 0.0);
    std::vector<Overlap> out;
    for (const auto& [a, b] : near(moving, reach)) {
      const MovingShape &A = moving[static_cast<std::size_t>(a)], &B = moving[static_cast<std::size_t>(b)];
      if (const double gap = separation(*A.shape, A.at, *B.shape, B.at); gap < -tolerance)
        out.push_back({shape(a).frame.mount, shape(b).frame.mount, -gap});
    }
    if (!planar_) add_buried(moving, out);
    std::stable_sort(out.begin(), out.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
    return out;
  }

  double least_size() const {
    std::map<int, double> sizes;  // by mount
    for (const CollidingShape& s : shapes_) {
      if (mounts_[static_cast<std::size_t>(s.frame.mount)].subsystem == nullptr) continue;
      double& size = sizes[s.frame.mount];
      size = std::max(size, s.shape.piece ? 2 * s.shape.bound : s.shape.size);
    }
    double out = 0;
    for (const auto& [mount, size] : sizes)
      if (size > 0 && (out == 0 || size < out)) out = size;
    return out;
  }

 private:
  /// Shapes that a closed surface of triangles surrounds: none of its pieces touches them. 4 pi is the angle under
  /// which a point inside sees the surface, at most half of it one that is not closed.
  void add_buried(const std::vector<MovingShape>& moving, std::vector<Overlap>& out) const {
    std::map<int, std::vector<int>> surfaces;  // pieces by mount
    for (int k = 0; k < static_cast<int>(shapes_.size()); ++k)
      if (shape(k).shape.piece) surfaces[shape(k).frame.mount].push_back(k);
    for (const auto& [mount, pieces] : surfaces)
      for (int b = 0; b < static_cast<int>(shapes_.size()); ++b) {
        const MovingShape& B = moving[static_cast<std::size_t>(b)];
        if (B.shape->half_space() || shape(b).frame.mount == mount || !may_meet(pieces.front(), b)) continue;
        const Vector3d p = B.shape->vertices.empty() ? B.at.x : Vector3d(B.at.x + B.at.R * B.shape->vertices[0]);
        double angle = 0;
        for (const int k : pieces) angle += angle_of(moving[static_cast<std::size_t>(k)], p);
        if (angle < 3 * std::numbers::pi) continue;
        double depth = std::numeric_limits<double>::infinity();
        for (const int k : pieces) {
          const MovingShape& A = moving[static_cast<std::size_t>(k)];
          depth = std::min(depth, std::abs(separation(*A.shape, A.at, *B.shape, B.at)));
        }
        out.push_back({mount, shape(b).frame.mount, depth});
      }
  }
  /// Under which p sees the triangle of a piece, positive from behind.
  static double angle_of(const MovingShape& piece, const Vector3d& p) {
    Vector3d r[3];
    for (int k = 0; k < 3; ++k) r[k] = piece.at.x + piece.at.R * piece.shape->vertices[static_cast<std::size_t>(k)] - p;
    const double a = r[0].norm(), b = r[1].norm(), c = r[2].norm();
    return 2 * elementary::atan2(r[0].dot(r[1].cross(r[2])),
                                 a * b * c + r[0].dot(r[1]) * c + r[1].dot(r[2]) * a + r[2].dot(r[0]) * b);
  }

  /// A candidate's shapes where they stand.
  struct Met {
    const CollidingShape &A, &B;
    FramePair pair;
    FramePair::Placed at;
    FeaturePair feature;

    Met(const Collision& set, ConstView q, const Candidate& c)
        : A(set.shape(first_shape(c))),
          B(set.shape(second_shape(c))),
          pair(set.mounts_, A.frame, B.frame),
          at(pair.place(q)) {
      look_at(c);
      if (set.planar_)
        for (PlacedFrame* F : {&at.A, &at.B}) set.into_plane(*F);
    }
    /// Another candidate of the same pair.
    void look_at(const Candidate& c) {
      feature = feature_of(static_cast<std::uint32_t>(c.key & 0xffff), A.shape, B.shape);
      feature.aim = Vector3d(c.aim.data());
    }
    FeatureGap gap() const { return feature_gap(feature, A.shape, {at.A.x(), at.A.R}, B.shape, {at.B.x(), at.B.R}); }
  };

  void fill_rows(const Met& met, const Candidate& c, int dim, double* row, double* g, double* g_t) const {
    const FeatureGap at = met.gap();
    const int forces = force_rows(c.law->rolling(), dim);
    const Vector3d first = dim > 1 ? tangent(at.n, met.at.A) : Vector3d(Vector3d::Zero());
    const Vector3d e[3] = {at.n, first, at.n.cross(first)};
    const FramePair::Arms arms{met.at.pose_A, met.at.pose_B, at.p - met.at.A.c, at.p - met.at.B.c};
    row = met.pair.pull_forces(arms, e, forces, row);
    for (int i = forces; i < dim; ++i) row = met.pair.pull(met.at, pair_of_moments(e[rolling_axis(i, dim)]), row);
    for (int i = 0; i < dim; ++i) g[i] = g_t[i] = 0;
    g[0] = at.gap;
  }

  static int first_shape(const Candidate& c) { return static_cast<int>(c.key >> 36 & 0xfffff); }
  static int second_shape(const Candidate& c) { return static_cast<int>(c.key >> 16 & 0xfffff); }
  const CollidingShape& shape(int i) const { return shapes_[static_cast<std::size_t>(i)]; }
  const Mount& mount(int i) const { return mounts_[static_cast<std::size_t>(shape(i).frame.mount)]; }
  const ContactLaw* law(int a, int b) const {
    return set_.laws[static_cast<std::size_t>(shape(a).material * set_.materials + shape(b).material)];
  }
  /// In a plane of motion depths do not count.
  void into_plane(PlacedFrame& F) const {
    F.c -= set_.plane * set_.plane.dot(F.c);
    F.arm -= set_.plane * set_.plane.dot(F.arm);
  }
  Vector3d tangent(const Vector3d& n, const PlacedFrame& A) const {
    if (planar_) return set_.plane.cross(n);
    const Vector3d a = A.R.col(std::abs(n.dot(A.R.col(0))) < 0.9 ? 0 : 1);
    return (a - n * n.dot(a)).normalized();
  }
  ContactRows rows(const Met& met, const Candidate& c, int dim) const {
    return {met.at, [&] { return touch(met.feature, met.A.shape, met.at.A, met.B.shape, met.at.B); }, c.law->rolling(),
            dim,
            [&](const Touch& touched) {
              return planar_ ? tangent_in_plane(touched, set_.plane, Ask::derivatives)
                             : tangent_in_space({}, touched, met.at.A, Ask::derivatives);
            }};
  }

  /// Triangles of a surface share their corners and borders: of candidates of the same two bodies at one place, with
  /// one normal, the first stays.
  void drop_twins(ConstView q, std::vector<Candidate>& all, std::size_t first) const {
    struct Place {
      int A, B;
      Vector3d p, n;
      double near;
      std::size_t index;
    };
    thread_local std::vector<Place> places;
    thread_local std::vector<char> twin;
    places.clear();
    twin.assign(all.size(), 0);
    for (std::size_t k = first; k < all.size(); ++k) {
      const Met met(*this, q, all[k]);
      if (!met.A.shape.piece && !met.B.shape.piece) continue;
      const FeatureGap g = met.gap();
      const double size = std::min(met.A.shape.size > 0 ? met.A.shape.size : met.B.shape.size,
                                   met.B.shape.size > 0 ? met.B.shape.size : met.A.shape.size);
      places.push_back({met.A.frame.mount, met.B.frame.mount, g.p, g.n, kOnePlace * size, k});
    }
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) {
      return std::tie(x.A, x.B, x.p.x(), x.index) < std::tie(y.A, y.B, y.p.x(), y.index);
    });
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& x = places[i];
      for (std::size_t j = i + 1; j < places.size() && places[j].A == x.A && places[j].B == x.B; ++j) {
        const Place& y = places[j];
        if (y.p.x() - x.p.x() > x.near) break;
        if ((y.p - x.p).norm() <= x.near && y.n.dot(x.n) > 1 - kOneWay) twin[std::max(x.index, y.index)] = 1;
      }
    }
    std::size_t to = first;
    for (std::size_t k = first; k < all.size(); ++k)
      if (!twin[k]) all[to++] = all[k];
    all.resize(to);
  }

  void check_numbers() const {
    const CollidingShape* largest = nullptr;
    for (const CollidingShape& s : shapes_)
      if (largest == nullptr || s.shape.half_edges.size() > largest->shape.half_edges.size()) largest = &s;
    if (largest != nullptr && !can_number(largest->shape, largest->shape))
      throw InputError("collision", fmt::format("a shape has {} edges, more than two shapes can be told apart by; "
                                                "accepted: some 100",
                                                largest->shape.edges.size()));
  }

  void place_all(const Point& at, std::vector<MovingShape>& out) const {
    out.resize(shapes_.size());
    int last = -1;
    Pose pose;
    Twist twist;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const CollidingShape& s = shapes_[i];
      if (s.frame.mount != last) {
        const Mount& m = mounts_[static_cast<std::size_t>(s.frame.mount)];
        last = s.frame.mount;
        pose = {};
        twist = {};
        if (m.subsystem != nullptr) {
          pose = m.subsystem->pose(m.id, at.q.segment(m.first_q, m.subsystem->nq()));
          pose.q = at.q.segment(m.first_q, m.subsystem->nq());
          if (at.v.size() > 0) twist = m.subsystem->twist(m.id, pose, at.v.segment(m.first_v, m.subsystem->nv()));
        }
      }
      PlacedFrame frame(pose, s.frame);
      if (planar_) into_plane(frame);
      out[i] = {&s.shape, {frame.x(), frame.R}, twist.v + twist.omega.cross(frame.arm), twist.omega};
    }
  }

  /// It is fixed or sleeps. Without sleepers nobody is left out: what is fixed does not meet its like.
  bool still(int k, const char* asleep) const {
    if (asleep == nullptr) return false;
    const Mount& m = mount(k);
    return m.subsystem == nullptr || asleep[m.coordinates().at] != 0;
  }
  bool all_still(const char* asleep) const {
    for (int k = 0; k < static_cast<int>(shapes_.size()); ++k)
      if (!still(k, asleep)) return false;
    return true;
  }
  /// Whether a shape has moved further than what is near reaches: until then everything near is a candidate.
  bool moved(const std::vector<MovingShape>& then, const std::vector<MovingShape>& now) const {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].shape->half_space()) continue;
      if (way_of(then[i], now[i]) > 0.1 * kNear * now[i].shape->size) return true;
    }
    return false;
  }

  /// How far each shape may come in a step.
  void reaches(const std::vector<MovingShape>& moving, double h, std::vector<double>& out) const {
    out.resize(moving.size());
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const MovingShape& s = moving[i];
      const bool still = mounts_[static_cast<std::size_t>(shapes_[i].frame.mount)].subsystem == nullptr;
      out[i] = still ? 0
                     : h * (s.v.norm() + s.omega.norm() * s.shape->bound) + h * h * set_.acceleration +
                           kNear * s.shape->size;
    }
  }

  Bounds bounds(const MovingShape& s, double reach) const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    Bounds out{Vector3d::Constant(kInfinite), Vector3d::Constant(-kInfinite)};
    if (s.shape->half_space()) {
      std::swap(out.low, out.high);
      const Vector3d n = s.at.R * s.shape->faces[0].n;
      const double offset = s.shape->faces[0].offset + n.dot(s.at.x) + reach;
      for (Index k = 0; k < 3; ++k) {
        if (n[k] == 1) out.high[k] = offset;
        if (n[k] == -1) out.low[k] = -offset;
      }
      return out;
    }
    for (const Vector3d& v : s.shape->vertices) {
      const Vector3d x = s.at.x + s.at.R * v;
      out.low = out.low.cwiseMin(x), out.high = out.high.cwiseMax(x);
    }
    for (const Polytope::Rim& rim : s.shape->rims) {
      const auto [low, high] = rim_bounds(rim, s.at);
      out.low = out.low.cwiseMin(low), out.high = out.high.cwiseMax(high);
    }
    out.low.array() -= s.shape->radius + reach;
    out.high.array() += s.shape->radius + reach;
    return out;
  }

  /// Pairs of shapes that come within reach of each other, and may.
  const std::vector<std::pair<int, int>>& near(const std::vector<MovingShape>& moving,
                                               const std::vector<double>& reach) const {
    thread_local std::vector<Bounds> boxes;
    thread_local BroadPhase broad;
    thread_local std::vector<std::pair<int, int>> kept;
    boxes.resize(moving.size());
    for (std::size_t i = 0; i < moving.size(); ++i) boxes[i] = bounds(moving[i], reach[i]);
    kept.clear();
    for (const auto& pair : broad.pairs(boxes))
      if (may_meet(pair.first, pair.second)) kept.push_back(pair);
    return kept;
  }
  bool may_meet(int a, int b) const {
    const int A = shape(a).frame.mount, B = shape(b).frame.mount;
    if (A == B || law(a, b) == nullptr) return false;
    const auto listed = [](const std::vector<std::pair<int, int>>& list, int x, int y) {
      return !list.empty() && std::binary_search(list.begin(), list.end(), std::pair(std::min(x, y), std::max(x, y)));
    };
    return !listed(set_.ignored, A, B) && !listed(set_.apart, shape(a).group, shape(b).group);
  }

  std::vector<Mount> mounts_;
  std::vector<CollidingShape> shapes_;
  std::vector<double> thickness_;
  CollisionSettings set_;
  bool planar_;
  bool pieces_ = false;  // some shapes are triangles of a surface
};

}  // namespace

std::unique_ptr<ConstraintSet> make_collision(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes,
                                              CollisionSettings settings) {
  return std::make_unique<Collision>(mounts, std::move(shapes), std::move(settings));
}

std::vector<Overlap> overlaps(const ConstraintSet& set, ConstView q, double tolerance) {
  const auto* collision = dynamic_cast<const Collision*>(&set);
  return collision == nullptr ? std::vector<Overlap>{} : collision->overlaps(q, tolerance);
}

double least_size(const ConstraintSet& set) {
  const auto* collision = dynamic_cast<const Collision*>(&set);
  return collision == nullptr ? 0 : collision->least_size();
}

}  // namespace ricochet
