#include "ricochet/model/contact/face_contacts.hpp"

#include "ricochet/model/contact/contact_rows.hpp"
#include "ricochet/model/contact/pair_map.hpp"

namespace ricochet {
namespace {

/// What a candidate's `aim` says: closed forms keep their own there, of length 1 at most, others where to
/// start, and edges the sign.
constexpr double kStart = 1, kAway = 2;
bool is_away(const Candidate& c) { return c.aim[2] == kAway; }

struct FaceContactItem {
  FramePair pair;
  FaceContact contact;
  int dim;

  Touch touched(const FramePair::Placed& at, const Candidate& c, Ask ask) const {
    if (is_away(c)) return away(at);
    const Vector3d aim(c.aim.data());
    return contact.closed_form() ? touch(contact.feature, at.A, at.B, aim, ask) : touch(contact, at.A, at.B, aim, ask);
  }

 private:
  /// What nobody meets: some direction of A, at B.
  Touch away(const FramePair::Placed& at) const {
    Touch out;
    out.gap = contact.size;
    out.n = at.A.R.col(0);
    out.p = at.B.x();
    out.dn = fixed_vector(out.n, kSideA);
    out.dp = fixed_point(out.p, at.B.c, kSideB);
    return out;
  }
};

/// The rows of an item where it stands.
struct FaceDirections {
  FramePair::Placed at;
  ContactRows rows;
  FaceDirections(const FaceContactItem& item, ConstView q, const Candidate& c, int dim, const Vector3d& plane,
                 Ask ask = Ask::derivatives)
      : at(item.pair.place(q)),
        rows(
            at, [&] { return item.touched(at, c, ask); }, item.contact.law->rolling(), dim,
            [&](const Touch& touched) {
              return plane.isZero(0) ? tangent_in_space(item.contact.feature, touched, at.A, ask)
                                     : tangent_in_plane(touched, plane, ask);
            },
            ask) {}
};

class FaceContacts final : public ConstraintSet {
 public:
  FaceContacts(const std::vector<Mount>& mounts, std::vector<FaceContact> contacts, const Vector3d& plane)
      : plane_(plane) {
    const int tangents = plane.isZero(0) ? 2 : 1;
    for (FaceContact& c : contacts) {
      const int dim = c.law->dim(tangents);
      items_.push_back({{mounts, c.A, c.B}, std::move(c), dim});
    }
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const FaceContactItem& i : items_)
      out.push_back({i.contact.name, i.dim, false, false, i.contact.law->rolling()});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const FaceContactItem& i : items_) i.pair.couple(out);
  }
  bool constant_candidates() const override { return false; }
  void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const override {
    const double fastest = speed(at);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const FaceContactItem& item = items_[i];
      const auto [A, B] = item.pair.bodies();
      out.push_back({item_key(set, i), set, static_cast<int>(i), item.dim, item.contact.law, {B, A}});
      const FramePair::Placed here = item.pair.place(at.q);
      const PairVector twist = item.pair.twist(here, at.v);
      find(item, here, twist, h, kReach * h * fastest, out.back());
      if (!is_away(out.back()) && behind(item, here, out.back(), kReach * h * speed(item, here, twist)))
        out.back().aim[2] = kAway;
    }
  }
  /// What was away and is found deep in the material came in where nobody looked: through a face that is not named, or
  /// too fast. So did what is found behind the part of a face over which it was.
  double overlooked(ConstView, ConstView after, const std::vector<Candidate>& all, int set, Crew*) const override {
    double out = 0;
    for (const Candidate& c : all) {
      if (c.set != set) continue;
      const FaceContactItem& item = items_[static_cast<std::size_t>(c.item)];
      const double size = item.contact.size;
      if (item.contact.solid == nullptr || item.contact.crosses()) continue;
      const FramePair::Placed here = item.pair.place(after);
      if (!is_away(c) && item.touched(here, c, Ask::values).gap > -kNear * size) continue;
      Candidate then = c;
      find(item, here, PairVector::Zero(), 0, kSoon * size, then);
      if (is_away(then)) continue;
      const double gap = item.touched(here, then, Ask::values).gap;
      if (gap < -kNear * size && is_away(c) != behind(item, here, then, 0)) out = std::max(out, -gap / size);
    }
    return out;
  }
  bool knows_places() const override { return true; }
  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const FaceContactItem& item = items_[c.item];
    const Touch touched = item.touched(item.pair.place(q), c, Ask::values);
    return {touched.p, touched.n};
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    for (int k = 0; k < selection.count; ++k) {
      const FaceContactItem& item = items_[selection[k].item];
      const int dim = selection.dim(selection[k]);
      const FaceDirections at(item, q, selection[k], dim, plane_, Ask::values);
      const auto [g, g_t] = out.values(dim);
      at.rows.pull(item.pair, item.pair.append(dim, out.G));
      for (int i = 0; i < dim; ++i) g[i] = g_t[i] = 0;
      g[0] = at.rows.touched.gap;
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const FaceContactItem& item = items_[c.item];
    FaceDirections(item, q, c, dim, plane_).rows.add_curvature(item.pair, lambda, coefficient, S);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const FaceContactItem& item = items_[c.item];
    FaceDirections(item, at.q, c, dim, plane_).rows.add_rates(item.pair, at.v, out);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    const FaceContactItem& item = items_[c.item];
    FaceDirections(item, at.q, c, dim, plane_).rows.bias(item.pair, at.v, out);
  }

 private:
  /// Where the way is, `reach` from here at most, or that it is away.
  void find(const FaceContactItem& item, const FramePair::Placed& here, const PairVector& twist, double h, double reach,
            Candidate& out) const {
    std::array<double, 3>& aim = out.aim;
    aim = {};
    if (apart(item.contact, here) > reach + kNear * item.contact.size) {
      aim[2] = kAway;
    } else if (!item.contact.closed_form()) {
      aim = look(item.contact, here, kReach * h * turning(twist));
    } else {
      if (item.contact.feature.inside()) {
        const Vector3d to = ricochet::aim(item.contact.feature, here.A, here.B, twist, h);
        aim = {to.x(), to.y(), to.z()};
      }
      const bool flat = item.contact.lies && here.A.R.col(2).cross(here.B.R.col(2)).norm() < kFlat;
      // beyond the edges a distance has no sign until it is behind the face: from afar nobody may come there
      const bool far = item.contact.solid != nullptr && item.contact.feature.kind == Feature::Kind::on_surface &&
                       item.touched(here, out, Ask::values).gap > reach + kNear * item.contact.size;
      if (flat || far || !is_there(item, here)) aim[2] = kAway;
    }
  }
  /// Far below the face, and not in the material behind it: outside, or much nearer to another face. Edges that cross
  /// are shallow where they touch.
  static bool behind(const FaceContactItem& item, const FramePair::Placed& here, const Candidate& c, double reach) {
    const FaceContact& contact = item.contact;
    if (contact.solid == nullptr) return false;
    const Touch at = item.touched(here, c, Ask::values);
    if (!(at.gap < -kNear * contact.size - reach)) return false;
    if (contact.crosses()) return true;
    const PlacedFrame part(here.pose_A, contact.part);
    // over an edge or a corner another way out may be shorter
    const bool edges = contact.feature.kind == Feature::Kind::on_surface && contact.closed_form();
    return contact.solid->depth(part.R.transpose() * (at.p - part.x())) <= (edges ? 0 : -0.5 * at.gap);
  }
  /// What is as near as this part of its size stays a candidate, however slow; what moves may become so many times as
  /// fast within a step.
  static constexpr double kNear = 1e-2, kReach = 4;
  static constexpr double kFlat = 1e-9;  ///< sine below which a rim lies
  /// What comes as near may come within reach of the next step.
  static constexpr double kSoon = 0.1;

  /// The fastest of all points that touch.
  double speed(const Point& at) const {
    double out = 0;
    for (const FaceContactItem& item : items_) {
      const FramePair::Placed here = item.pair.place(at.q);
      out = std::max(out, speed(item, here, item.pair.twist(here, at.v)));
    }
    return out;
  }
  static double speed(const FaceContactItem& item, const FramePair::Placed& here, const PairVector& twist) {
    const double A = std::min(item.contact.about_A.radius, item.contact.size), B = item.contact.about_B.radius;
    return std::max(twist.segment<3>(0).norm() + twist.segment<3>(3).norm() * (here.A.arm.norm() + A),
                    twist.segment<3>(6).norm() + twist.segment<3>(9).norm() * (here.B.arm.norm() + B));
  }
  static double turning(const PairVector& twist) { return (twist.segment<3>(9) - twist.segment<3>(3)).norm(); }
  /// Distance between the balls about both sides, as the plane of motion sees it.
  double apart(const FaceContact& c, const FramePair::Placed& here) const {
    const Vector3d A = PlacedFrame(here.pose_A, c.about_A.centre).x(),
                   B = PlacedFrame(here.pose_B, c.about_B.centre).x();
    const Vector3d d = B - A, flat = d - plane_ * plane_.dot(d);
    return flat.norm() - c.about_A.radius - c.about_B.radius;
  }

  /// Where to start, and whether the feet are within the faces. `turn`: an angle that a step will not exceed.
  static std::array<double, 3> look(const FaceContact& c, const FramePair::Placed& here, double turn) {
    const brep::Placement at{here.A.R.transpose() * (here.B.x() - here.A.x()), here.A.R.transpose() * here.B.R};
    if (c.crosses()) {
      const Vector3d found = brep::search_crossing(c.edges[0], c.edges[1], at, turn);
      return {found[0], found[1], found[2] == 0 ? kAway : found[2]};
    }
    const Eigen::Vector2d start = brep::search(*c.base, c.rider, at);
    const brep::GapPoint found = brep::gap(*c.base, c.rider, at, start);
    return {found.at[0], found.at[1], brep::within_faces(*c.base, c.rider, at, found) ? kStart : kAway};
  }
  static bool is_there(const FaceContactItem& item, const FramePair::Placed& here) {
    const FaceContact& c = item.contact;
    if (c.on_A.face == nullptr && c.on_B.face == nullptr) return true;
    const Touch at = touch(c.feature, here.A, here.B, Vector3d::Zero(), Ask::values);
    return holds(c.on_A, here.pose_A, at.p - at.gap * at.n) && holds(c.on_B, here.pose_B, at.p);
  }
  static bool holds(const FaceContact::Within& within, const Pose& pose, const Vector3d& x) {
    if (within.face == nullptr) return true;
    const PlacedFrame part(pose, within.part);
    return within.face->holds(Vector3d(part.R.transpose() * (x - part.x())));
  }

  std::vector<FaceContactItem> items_;
  Vector3d plane_;
};

}  // namespace

namespace {

// The rider's point y moves with B, and by its parameters s; n with A, and by the Hessian H of the distance:
//   dy = (B at y) + T ds,   dn = H (dy - (A at y)) + (A turns n),   T . n = 0 throughout:
//   (T^T H T + n . T') ds = -(n . (B turns T) + T . (H ((B at y) - (A at y)) + (A turns n)))
Touch ride(const FaceContact& c, const PlacedFrame& A, const PlacedFrame& B, const Eigen::Vector2d& start, Ask ask) {
  const brep::Placement at{A.R.transpose() * (B.x() - A.x()), A.R.transpose() * B.R};
  const brep::GapPoint g = brep::gap(*c.base, c.rider, at, start);
  Touch out;
  out.gap = g.base.f - c.rider.radius;
  out.n = A.R * g.base.gradient;
  const Vector3d y = A.x() + A.R * g.y;
  out.p = y - c.rider.radius * out.n;
  if (ask == Ask::values) return out;
  const Matrix3d H = A.R * g.base.hessian * A.R.transpose();
  PairMap dy = fixed_point(y, B.c, kSideB);
  out.dn = H * (dy - fixed_point(y, A.c, kSideA)) + fixed_vector(out.n, kSideA);
  if (g.free > 0) {
    using Rows = Eigen::Matrix<double, 2, 12>;
    Eigen::Matrix<double, 3, 2> T = Eigen::Matrix<double, 3, 2>::Zero();
    Eigen::Matrix2d K = Eigen::Matrix2d::Identity();
    Rows r = Rows::Zero();
    const Vector3d* bends[2][2] = {{&g.tt[0], &g.tt[1]}, {&g.tt[1], &g.tt[2]}};
    for (int i = 0; i < g.free; ++i) T.col(i) = A.R * g.t[i];
    for (int i = 0; i < g.free; ++i) {
      for (int j = 0; j < g.free; ++j) K(i, j) = T.col(i).dot(H * T.col(j)) + g.base.gradient.dot(*bends[i][j]);
      r.row(i) = -(out.n.transpose() * fixed_vector(T.col(i), kSideB) + T.col(i).transpose() * out.dn);
    }
    // flat: the point is any of several, and stays
    constexpr double kFlat = 1e-12;
    const double size = T.squaredNorm() / (c.size > 0 ? c.size : 1);
    if (K.determinant() > kFlat * (g.free == 1 ? size : size * size)) {
      const Rows ds = K.inverse() * r;
      dy += T * ds;
      out.dn += H * T * ds;
    }
  }
  out.dp = dy - c.rider.radius * out.dn;
  return out;
}

// r = y - x is at right angles to both edges, e of A and d of B, whose parameters s and t follow:
//   [r . e' - e . e, e . d; -e . d, r . d' + d . d] (ds, dt) = -(dr . e + r . de, dr . d + r . dd)
Touch cross(const FaceContact& c, const PlacedFrame& A, const PlacedFrame& B, const Vector3d& start, Ask ask) {
  const brep::Placement at{A.R.transpose() * (B.x() - A.x()), A.R.transpose() * B.R};
  const double sign = start[2] < 0 ? -1 : 1;
  const brep::CrossingPoint g = brep::crossing(*c.edges[0].edge, *c.edges[1].edge, at, {start[0], start[1]}, sign);
  Touch out;
  out.gap = g.gap;
  out.n = A.R * g.n;
  const Vector3d x = A.x() + A.R * g.a.p, y = A.x() + A.R * g.b.p, r = y - x;
  out.p = y;
  if (ask == Ask::values) return out;
  const Vector3d e = A.R * g.a.t, d = A.R * g.b.t, ee = A.R * g.a.tt, dd = A.R * g.b.tt;
  PairMap dy = fixed_point(y, B.c, kSideB), de = fixed_vector(e, kSideA), dd_ = fixed_vector(d, kSideB);
  const PairMap dr = dy - fixed_point(x, A.c, kSideA);
  Eigen::Matrix2d K;
  K << r.dot(ee) - e.dot(e), e.dot(d), -e.dot(d), r.dot(dd) + d.dot(d);
  Eigen::Matrix<double, 2, 12> s;
  s.row(0) = -(e.transpose() * dr + r.transpose() * de);
  s.row(1) = -(d.transpose() * dr + r.transpose() * dd_);
  s = (K.inverse() * s).eval();
  de += ee * s.row(0);
  dd_ += dd * s.row(1);
  const PairMap dm = sign * (skew(e) * dd_ - skew(d) * de);
  const double length = e.cross(d).norm();
  out.dn = (dm - out.n * (out.n.transpose() * dm)) / length;
  out.dp = dy + d * s.row(1);
  return out;
}

}  // namespace

Touch touch(const FaceContact& c, const PlacedFrame& A, const PlacedFrame& B, const Vector3d& start, Ask ask) {
  return c.crosses() ? cross(c, A, B, start, ask) : ride(c, A, B, start.head<2>(), ask);
}

std::unique_ptr<ConstraintSet> make_face_contacts(const std::vector<Mount>& mounts, std::vector<FaceContact> contacts,
                                                  const Vector3d& plane) {
  return std::make_unique<FaceContacts>(mounts, std::move(contacts), plane);
}

}  // namespace ricochet
