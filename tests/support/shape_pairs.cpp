#include "support/shape_pairs.hpp"

#include <cmath>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::test {
namespace {

/// Numbers that are the same everywhere, a stream of its own for each pair: SplitMix64.
class RandomShapes {
 public:
  RandomShapes(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9e3779b97f4a7c15ULL) {
    state_ = next() ^ (stream * 0xd1342543de82ef95ULL);
    next();
  }
  double number(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  Vector3d vector(double size) {
    const double x = number(-size, size), y = number(-size, size), z = number(-size, size);
    return {x, y, z};
  }
  Matrix3d rotation() { return exp_rotation(vector(3)); }
  /// One of the 24 that exchange axes, without rounding.
  Matrix3d quarter_turns() {
    const int first = below(3), second = (first + 1 + below(2)) % 3;
    Matrix3d R = Matrix3d::Zero();
    R(first, 0) = chance(50) ? 1 : -1;
    R(second, 1) = chance(50) ? 1 : -1;
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  }
  /// Lengths along the three axes: any; those of needles and plates; or eighths, of which sums are exact.
  Vector3d lengths() {
    const int how = below(4);
    Vector3d out;
    for (double& x : out) {
      const double any = number(0.1, 0.5), exponent = number(-3, 0), eighths = 1 + below(4);
      x = how == 0 ? 0.5 * elementary::pow(10, exponent) : how == 1 ? eighths / 8 : any;
    }
    return out;
  }
  Polytope shape(int kind, const Vector3d& d) {
    const auto corner = [&] { return Vector3d(d.cwiseProduct(2 * vector(0.5))); };
    switch (kind) {
      case 0: return make_box_shape(d);
      case 1: {
        std::vector<Vector3d> points;
        for (int k = 0; k < 9; ++k) points.push_back(corner());
        return make_hull(points);
      }
      case 2: {  // as those of a surface are
        const Vector3d a = corner(), b = corner(), c = corner(), n = (b - a).cross(c - a);
        const double circle = n.norm() / ((b - a).norm() + (c - b).norm() + (a - c).norm());
        const Vector3d middle = ((c - b).norm() * a + (a - c).norm() * b + (b - a).norm() * c) /
                                ((b - a).norm() + (c - b).norm() + (a - c).norm());
        return make_tetrahedron(a, b, c, middle - 0.25 * circle * n.normalized());
      }
      case 3: return make_point_shape(0.5 * d.x());
      case 4: return make_segment_shape({0, 0, -0.5 * d.z()}, {0, 0, 0.5 * d.z()}, 0.5 * d.x());
      case 5: return make_revolved(0.5 * d.x(), -0.5 * d.z(), 0.5 * d.x(), 0.5 * d.z());
      default: return make_revolved(0.5 * d.x(), 0, 0, d.z());
    }
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Least width of a shape.
double width(const Polytope& shape) {
  if (shape.revolved()) return thickness_of_revolved(shape);
  double out = shape.faces.empty() ? 0 : shape.size;
  for (const Polytope::Face& f : shape.faces) {
    double wide = 0;
    for (const Vector3d& v : shape.vertices) wide = std::max(wide, f.offset - f.n.dot(v));
    out = std::min(out, wide);
  }
  return out + 2 * shape.radius;
}

/// B moved along its way from A until the gap, rounding included, is the wanted one, nearly: by what is known of the
/// distance and its direction.
void bring_near(ShapePair& p, double wanted) {
  const double round = p.A.radius + p.B.radius, step = p.A.bound + p.B.bound;
  const Vector3d way = (p.b.x - p.a.x).normalized();
  if (!way.allFinite()) return;
  p.b.x = p.a.x + 1.5 * step * way;
  for (int k = 0; k < 40; ++k) {
    const Reach at = reach_between(p.A, p.a, p.B, p.b, 1e-12 * step);
    const double more = at.high - round - wanted, slope = at.n.dot(way);
    if (!at.found || !(more > 1e-9 * step) || !(slope > 1e-3)) return;
    p.b.x -= std::min(more / slope, step) * way;
  }
}

}  // namespace

ShapePair draw_pair(int i, int j, std::uint64_t seed, std::uint64_t index) {
  RandomShapes random(seed,
                      (index * kShapes + static_cast<std::uint64_t>(i)) * kShapes + static_cast<std::uint64_t>(j));
  ShapePair p;
  p.unit = random.chance(80) ? 1 : random.chance(50) ? 1e-6 : 1e6;
  const Vector3d d = random.lengths(), e = random.chance(20) ? d : random.lengths();
  p.A = random.shape(i, p.unit * d);
  p.B = random.shape(j, p.unit * e);
  p.thin = std::min(width(p.A), width(p.B));
  const bool turned = random.chance(70);
  p.a = {p.unit * random.vector(0.6), turned ? random.rotation() : Matrix3d(Matrix3d::Identity())};
  p.b = {p.unit * random.vector(0.6), random.rotation()};
  const int how = random.below(4);
  if (how >= 2) {
    // axes along each other, exactly, or but for a small tilt
    const double tilt = elementary::pow(10, random.number(-16, -0.5));
    const bool exactly = random.chance(40);
    const Vector3d by = random.vector(tilt), about = Vector3d(0, 0, random.number(-3, 3));
    p.b.R = p.a.R * random.quarter_turns();
    if (random.chance(30)) p.b.R = p.b.R * exp_rotation(about);
    if (!exactly) p.b.R = exp_rotation(by) * p.b.R;
  }
  const double wanted = random.number(-0.002, 0.01) * p.thin;
  if (how == 1 || how == 2) bring_near(p, wanted);
  if (how == 3) {
    // face to face along an axis of A, touching exactly or nearly; beside that in one plane, centred, or anywhere
    const Vector3d axis = random.quarter_turns().col(0);
    Vector3d aside = p.unit / 8 * random.vector(4).array().round();
    if (random.chance(30)) aside.setZero();
    if (random.chance(30)) aside = p.unit * random.vector(0.4);
    if (random.chance(30)) aside = 0.5 * p.unit * (d - e);  // faces of boxes alike in one plane
    const double gap =
        random.chance(50) ? 0 : (random.chance(50) ? 1 : -1) * elementary::pow(10, random.number(-14, -2)) * p.thin;
    const Vector3d n = p.a.R * axis,
                   far = farthest_difference(p.A, {Vector3d::Zero(), p.a.R}, p.B, {Vector3d::Zero(), p.b.R}, -n);
    const double reach = -n.dot(far) + p.A.radius + p.B.radius;
    p.b.x = p.a.x + p.a.R * (aside - axis * axis.dot(aside)) + (reach + gap) * n;
  }
  return p;
}

ShortWay::ShortWay(double unit, std::uint64_t seed, std::uint64_t index) {
  RandomShapes random(seed + 1, index);
  v = unit * random.vector(1), w = random.vector(2);
}
Placement ShortWay::at(const Placement& b, int k) const {
  return k == 0 ? b : Placement{b.x + k * kTime * v, exp_rotation(k * kTime * w) * b.R};
}

PairErrors judge_pair(int i, int j, std::uint64_t seed, std::uint64_t index) {
  const ShapePair p = draw_pair(i, j, seed, index);
  const auto& [A, B, a, b, unit, thin] = p;
  PairErrors out;
  const double mine = separation(A, a, B, b), size = std::min(A.size, B.size);
  out.asymmetry = std::abs(mine - separation(B, b, A, a)) / size;
  const Bracket brute = brute_distance(A, a, B, b);
  const bool polytopes = i < 3 && j < 3;
  if (!(std::abs(brute.high - brute.low) < 5e-11L * static_cast<Long>(size))) {
    ++out.unjudged;
  } else {
    const Long round = static_cast<Long>(A.radius) + static_cast<Long>(B.radius);
    const double low = static_cast<double>(brute.low - round), high = static_cast<double>(brute.high - round);
    ++(high > 0 ? out.apart : out.overlapping);
    if ((mine > 1e-10 * size && high < 0) || (mine < -1e-10 * size && low > 0)) ++out.wrong;
    // Polytopes are apart along an axis, which bounds their distance from below; all others have a distance.
    const double beyond = std::max(mine - high, high > 0 && polytopes ? 0 : low - mine);
    if (high > 0) out.distance = std::max(beyond, 0.0) / size;
    if (high <= 0 && low > -0.01 * thin) out.depth = std::max(beyond, 0.0) / size;
  }
  const ShortWay way(unit, seed, index);
  double last = mine;
  for (int k = 1; k <= 4; ++k) {
    const double now = separation(A, a, B, way.at(b, k));
    // What is deep in each other is parted the nearest way, which may change; so may the axis of polytopes apart. What
    // of a cylinder or a cone is inside of another shape has a depth of its own, of that point.
    const bool near =
        std::min(now, last) > (j < 5 ? -0.01 * thin : 0) && (!polytopes || std::max(now, last) < 0.01 * thin);
    if (near) out.jump = std::max(out.jump, (std::abs(now - last) - way.most(B)) / size);
    last = now;
  }
  return out;
}

}  // namespace ricochet::test
