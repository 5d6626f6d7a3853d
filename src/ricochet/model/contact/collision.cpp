#include "ricochet/model/contact/collision.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "ricochet/model/contact/collision_shapes.hpp"
#include "ricochet/model/contact/collision_touch.hpp"
#include "ricochet/model/contact/contact_rows.hpp"

namespace ricochet {
namespace {

constexpr double kSeen = 1e-9;       ///< of the size: less is no overlap
constexpr double kDeep = 0.2;        ///< of the thinner shape: no step may press shapes together further
constexpr double kPassed = 0.5;      ///< of the thinner shape: who moves less within a step cannot pass it unseen
constexpr double kMostLooks = 1000;  ///< along the way of one step
constexpr int kShared = 200;         ///< contacts, or pairs of shapes, that are worth a team
constexpr double kOnePlace = 1e-7;   ///< of the size: contacts of two pieces of a surface that are one
constexpr double kOneWay = 1e-9;     ///< one less the cosine between their normals

Placement between(const MovingShape& then, const MovingShape& now, double s) {
  Quaterniond a(then.at.R);
  const Quaterniond b(now.at.R);
  const double w = a.dot(b) < 0 ? -s : s;
  a.coeffs() = (1 - s) * a.coeffs() + w * b.coeffs();
  return {(1 - s) * then.at.x + s * now.at.x, a.normalized().toRotationMatrix()};
}

class Collision final : public ConstraintSet {
 public:
  explicit Collision(CollidingShapes shapes) : shapes_(std::move(shapes)) {
    for (int i = 0; i < shapes_.count(); ++i) coordinates_.push_back(mount(i).coordinates());
  }

  const CollidingShapes& shapes() const { return shapes_; }
  std::vector<ConstraintItem> items() const override { return {}; }
  int nameless_rows() const override {
    int out = 0;
    for (const ContactLaw* law : shapes_.settings().laws)
      if (law != nullptr) out = std::max(out, law->dim(tangents()));
    return out;
  }
  bool constant_candidates() const override { return false; }
  bool knows_places() const override { return true; }

  void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const override {
    awake_candidates(at, h, set, {}, out);
  }
  void awake_candidates(const Point& at, double h, int set, const CandidateSearch& search,
                        std::vector<Candidate>& out) const override {
    if (search.asleep != nullptr && all_still(search.asleep)) return;
    thread_local Finding own;
    Finding& f = own;  // that of the caller, whoever works on it
    shapes_.place(at, search.crew, f.moving);
    shapes_.reaches(f.moving, h, f.reach);
    const std::vector<BroadPhase::Pair>& near = shapes_.near(f.moving, f.reach, search.crew);
    Team* team = team_for(search.crew, static_cast<int>(near.size()), kShared);
    f.parts.resize(std::max(f.parts.size(), parts_of(team)));
    share_parts(team, static_cast<int>(near.size()), [&](int part, int begin, int end) {
      Found& found = f.parts[static_cast<std::size_t>(part)];
      found.candidates.clear();
      found.touched.clear();
      for (int k = begin; k < end; ++k) find(near[static_cast<std::size_t>(k)], f, h, set, search.asleep, found);
    });
    const std::size_t first = out.size();
    for (std::size_t part = 0; part < parts_of(team); ++part) {
      const Found& found = f.parts[part];
      out.insert(out.end(), found.candidates.begin(), found.candidates.end());
      if (search.touched != nullptr)
        search.touched->insert(search.touched->end(), found.touched.begin(), found.touched.end());
    }
    if (shapes_.pieces()) drop_twins(at.q, out, first);
  }

  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const Met met(*this, q, c);
    const FeatureGap at = met.gap();
    return {at.p, at.n};
  }

  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& scratch) const override {
    const std::size_t first = out.G.blocks().size();
    const int row = out.rows;
    make_room(selection, out);
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const int dim = selection.dim(c);
      out.values(dim);
      const auto [a, b] = ranges(c);
      a.n == 0 ? out.G.append(dim, b) : b.n == 0 ? out.G.append(dim, a) : out.G.append(dim, a, b);
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
        std::fill_n(out.G.row(block, 0), block.dim * block.length, 0.0);
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
  double overlooked(ConstView before, ConstView after, const std::vector<Candidate>& all, int set,
                    Crew* crew) const override {
    thread_local Look own;
    Look& l = own;
    shapes_.place({0, before, {}}, crew, l.then);
    shapes_.place({0, after, {}}, crew, l.now);
    if (!shapes_.moved(l.then, l.now)) return 0;
    l.way.resize(l.now.size());
    for (std::size_t i = 0; i < l.now.size(); ++i) l.way[i] = way_of(l.then[i], l.now[i]);
    const std::vector<BroadPhase::Pair>& near = shapes_.near(l.now, l.way, crew);
    Team* team = team_for(crew, static_cast<int>(near.size()), kShared);
    l.deepest.assign(parts_of(team), 0);
    share_parts(team, static_cast<int>(near.size()), [&](int part, int begin, int end) {
      double& deepest = l.deepest[static_cast<std::size_t>(part)];
      for (int k = begin; k < end; ++k)
        deepest = std::max(deepest, overlooked(near[static_cast<std::size_t>(k)], l, after, all, set));
    });
    return *std::max_element(l.deepest.begin(), l.deepest.end());
  }

 private:
  /// What one thread has found.
  struct Found {
    std::vector<FeaturePair> features;
    std::vector<Candidate> candidates;
    std::vector<int> touched;
  };
  /// Scratch of a search for candidates.
  struct Finding {
    std::vector<MovingShape> moving;
    std::vector<double> reach;
    std::vector<Found> parts;
  };
  /// Scratch of a look at the end of a step.
  struct Look {
    std::vector<MovingShape> then, now;
    std::vector<double> way, deepest;
  };

  int tangents() const { return shapes_.planar() ? 1 : 2; }

  /// The candidates of one pair of shapes, sorted.
  void find(const BroadPhase::Pair& pair, const Finding& f, double h, int set, const char* asleep, Found& out) const {
    const auto [a, b] = pair;
    if (!shapes_.may_meet(a, b)) return;
    const bool still_a = still(a, asleep), still_b = still(b, asleep);
    if (still_a && still_b) return;
    const MovingShape &A = f.moving[static_cast<std::size_t>(a)], &B = f.moving[static_cast<std::size_t>(b)];
    out.features.clear();
    find_features(A, B, h, f.reach[static_cast<std::size_t>(a)] + f.reach[static_cast<std::size_t>(b)], out.features);
    if (out.features.empty()) return;
    for (const auto& [k, sleeps] : {std::pair(a, still_a), std::pair(b, still_b)})
      if (sleeps && mount(k).subsystem != nullptr) out.touched.push_back(mount(k).coordinates().at);
    const auto first = static_cast<std::ptrdiff_t>(out.candidates.size());
    for (const FeaturePair& feature : out.features) {
      Candidate& c = out.candidates.emplace_back();
      c.key = pair_key(set, a, b, static_cast<int>(number_of(feature, *A.shape, *B.shape)));
      c.set = set;
      c.item = -1;
      c.law = shapes_.law(a, b);
      c.dim = c.law->dim(tangents());
      c.bodies = {mount(b).body(), mount(a).body()};
      c.aim = {feature.aim.x(), feature.aim.y(), feature.aim.z()};
    }
    std::sort(out.candidates.begin() + first, out.candidates.end(),
              [](const Candidate& x, const Candidate& y) { return x.key < y.key; });
  }

  /// How deep one pair of shapes overlaps beyond what is known, as a part of their size.
  double overlooked(const BroadPhase::Pair& pair, const Look& l, ConstView after, const std::vector<Candidate>& all,
                    int set) const {
    const auto [a, b] = pair;
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if ((l.way[i] == 0 && l.way[j] == 0) || !shapes_.may_meet(a, b)) return 0;
    const MovingShape &A = l.now[i], &B = l.now[j], &C = l.then[i], &D = l.then[j];
    const double size = std::min(A.shape->half_space() ? B.shape->size : A.shape->size,
                                 B.shape->half_space() ? A.shape->size : B.shape->size);
    const double thin = std::min(shapes_[a].thickness, shapes_[b].thickness);
    const double gap = separation(*A.shape, A.at, *B.shape, B.at);
    double out = 0;
    if (gap < -kSeen * size) {
      const double before_it = separation(*C.shape, C.at, *D.shape, D.at);
      // Deeper than this a candidate may be that of the other side.
      if (gap < -kDeep * thin && gap < before_it) out = std::max(out, -gap / size);
      double known = std::min(0.0, before_it);
      const Key first = pair_key(set, a, b, 0);
      auto c = std::lower_bound(all.begin(), all.end(), first, [](const Candidate& x, Key key) { return x.key < key; });
      for (; c != all.end() && c->key >> 16 == first >> 16; ++c)
        known = std::min(known, Met(*this, after, *c).gap().gap);
      return std::max(out, (known - gap) / size);
    }
    const double ways = l.way[i] + l.way[j];
    if (ways <= kPassed * thin) return out;
    const int looks = static_cast<int>(std::min(kMostLooks, ways / (kPassed * thin))) + 1;
    for (int k = 1; k < looks; ++k) {
      const double s = static_cast<double>(k) / looks;
      const double met = separation(*A.shape, between(C, A, s), *B.shape, between(D, B, s));
      if (met < -kSeen * size) out = std::max(out, -met / size);
    }
    return out;
  }

  /// Velocity coordinates of a candidate's shapes.
  std::pair<Range, Range> ranges(const Candidate& c) const {
    return {coordinates_[static_cast<std::size_t>(first_shape(c))],
            coordinates_[static_cast<std::size_t>(second_shape(c))]};
  }
  void make_room(const Selection& selection, ConstraintRows& out) const {
    std::size_t count = 0;
    Index entries = 0;
    int rows = 0;
    for (int k = 0; k < selection.count; ++k) {
      const int dim = selection.dim(selection[k]);
      const auto [a, b] = ranges(selection[k]);
      count += (a.n > 0) + (b.n > 0);
      entries += static_cast<Index>(dim) * (a.n + b.n);
      rows += dim;
    }
    out.G.reserve(static_cast<std::size_t>(selection.count), count, entries);
    out.g.need(out.rows + rows);
    out.g_t.need(out.rows + rows);
  }

  /// A candidate's shapes where they stand.
  struct Met {
    const CollidingShapes::Kept &A, &B;
    FramePair pair;
    FramePair::Placed at;
    FeaturePair feature;

    Met(const Collision& set, ConstView q, const Candidate& c)
        : A(set.shapes_[first_shape(c)]),
          B(set.shapes_[second_shape(c)]),
          pair(set.shapes_.mounts(), A.frame, B.frame),
          at(pair.place(q)) {
      look_at(c);
      if (set.shapes_.planar())
        for (PlacedFrame* F : {&at.A, &at.B}) set.shapes_.into_plane(*F);
    }
    /// Another candidate of the same pair.
    void look_at(const Candidate& c) {
      feature = feature_of(static_cast<std::uint32_t>(c.key & 0xffff), *A.shape, *B.shape);
      feature.aim = Vector3d(c.aim.data());
    }
    FeatureGap gap() const { return feature_gap(feature, *A.shape, {at.A.x(), at.A.R}, *B.shape, {at.B.x(), at.B.R}); }
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
  const Mount& mount(int i) const { return shapes_.mount(i); }
  Vector3d tangent(const Vector3d& n, const PlacedFrame& A) const {
    if (shapes_.planar()) return shapes_.settings().plane.cross(n);
    const Vector3d a = A.R.col(std::abs(n.dot(A.R.col(0))) < 0.9 ? 0 : 1);
    return (a - n * n.dot(a)).normalized();
  }
  ContactRows rows(const Met& met, const Candidate& c, int dim) const {
    return {met.at, [&] { return touch(met.feature, *met.A.shape, met.at.A, *met.B.shape, met.at.B); },
            c.law->rolling(), dim,
            [&](const Touch& touched) {
              return shapes_.planar() ? tangent_in_plane(touched, shapes_.settings().plane, Ask::derivatives)
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
      const Polytope &A = *met.A.shape, &B = *met.B.shape;
      if (!A.piece && !B.piece) continue;
      const FeatureGap g = met.gap();
      const double size = std::min(A.size > 0 ? A.size : B.size, B.size > 0 ? B.size : A.size);
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

  /// It is fixed or sleeps. Without sleepers nobody is left out: what is fixed does not meet its like.
  bool still(int k, const char* asleep) const {
    if (asleep == nullptr) return false;
    const Mount& m = mount(k);
    return m.subsystem == nullptr || asleep[m.coordinates().at] != 0;
  }
  bool all_still(const char* asleep) const {
    for (int k = 0; k < shapes_.count(); ++k)
      if (!still(k, asleep)) return false;
    return true;
  }

  CollidingShapes shapes_;
  std::vector<Range> coordinates_;  // of each shape's body
};

}  // namespace

std::unique_ptr<ConstraintSet> make_collision(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes,
                                              CollisionSettings settings) {
  return std::make_unique<Collision>(CollidingShapes(mounts, std::move(shapes), std::move(settings)));
}

std::vector<Overlap> overlaps(const ConstraintSet& set, ConstView q, double tolerance) {
  const auto* collision = dynamic_cast<const Collision*>(&set);
  return collision == nullptr ? std::vector<Overlap>{} : collision->shapes().overlaps(q, tolerance);
}

double least_size(const ConstraintSet& set) {
  const auto* collision = dynamic_cast<const Collision*>(&set);
  return collision == nullptr ? 0 : collision->shapes().least_size();
}

}  // namespace ricochet
