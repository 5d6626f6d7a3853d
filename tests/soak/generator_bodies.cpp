// Rigid bodies and links in the plane, and what all kinds draw from.
#include <algorithm>

#include "soak/generator_parts.hpp"

namespace ricochet::soak {
namespace {

Matrix random_matrix(Random& random, int n) {
  Matrix A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = random.number(-1, 1);
  return A;
}

}  // namespace

Matrix positive(Random& random, int n, double least) {
  const Matrix A = random_matrix(random, n);
  Matrix out = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = i == j ? least : 0;
      for (int k = 0; k < n; ++k) sum += A(i, k) * A(j, k);
      out(i, j) = out(j, i) = sum;
    }
  return out;
}

Matrix scaled_positive(Random& r, std::initializer_list<double> scales, int n, double least) {
  const Matrix A = positive(r, n, least);
  return r.pick(scales) * A;
}

double restitution(Random& r) { return r.chance(40) ? 0 : r.chance(20) ? 1 : r.number(0, 1); }

namespace {

/// Rods x, y, theta; the ends at half their length.
class Rods {
 public:
  Rods(Random& random, int count) : r(random), s(3 * count) {
    s.kind = "rods";
    s.as_matrices = false;
    s.step = r.scaled({0.002, 0.005, 0.01}, 0.7, 1.3);
    for (int b = 0; b < count; ++b) {
      s.coordinate_unit[static_cast<std::size_t>(3 * b + 2)] = 0;
      const double mass = r.pick({0.3, 1.0, 3.0});
      half_.push_back(r.pick({0.2, 0.5, 1.0}));
      s.M(3 * b, 3 * b) = s.M(3 * b + 1, 3 * b + 1) = mass;
      s.M(3 * b + 2, 3 * b + 2) = mass * half_.back() * half_.back() / 3;
      s.potential.linear(9.81 * mass, 3 * b + 1);
    }
  }
  /// Place of an end (side -1 or 1) along x or y.
  Formula end(int body, int side, bool along_y) const {
    Formula f;
    f.linear(1, 3 * body + (along_y ? 1 : 0));
    const double c = side * half_[static_cast<std::size_t>(body)];
    return along_y ? f.sin(c, 3 * body + 2) : f.cos(c, 3 * body + 2);
  }
  /// End `side` of the body to a place; sets x, y to fit its angle.
  void put(int body, int side, double x, double y) {
    const double c = side * half_[static_cast<std::size_t>(body)], angle = s.q[3 * body + 2];
    s.q[3 * body] = x - c * soak::sine(angle + 1.5707963267948966);
    s.q[3 * body + 1] = y - c * soak::sine(angle);
  }
  double at(int body, int side, bool along_y) const { return end(body, side, along_y).start(s.q); }

  Random& r;
  System s;

 private:
  std::vector<double> half_;
};

}  // namespace

System rods(Random& r) {
  const int count = r.between(1, 3);
  Rods rods(r, count);
  System& s = rods.s;
  const bool chain = r.chance(60), pinned = r.chance(40), friction = r.chance(60);
  double x = 0, y = 0;
  for (int b = 0; b < count; ++b) {
    s.q[3 * b + 2] = r.chance(30) ? 0 : r.number(-0.8, 0.8);
    rods.put(b, -1, x, y);
    const auto pin = [&](int first) {
      Joint joint;
      for (const bool along_y : {false, true}) {
        Formula row = rods.end(b, -1, along_y);
        if (first >= 0) row.add(rods.end(first, 1, along_y), -1);
        if (first < 0) row.constant(along_y ? -y : -x);
        joint.rows.push_back(row);
      }
      s.joints.push_back(joint);
    };
    if (b == 0 && pinned) pin(-1);
    if (b > 0 && chain) pin(b - 1);
    x = rods.at(b, 1, false) + (chain ? 0 : 0.3);
    y = rods.at(b, 1, true);
  }
  if (!s.joints.empty() && r.chance(25)) {  // one of the rows again
    Joint joint;
    joint.rows = {Formula{}.add(s.joints.back().rows.front(), r.pick({1.0, 2.0}))};
    s.joints.push_back(joint);
  }
  double lowest = 1e9;
  for (int b = 0; b < count; ++b)
    for (const int side : {-1, 1}) lowest = std::min(lowest, rods.at(b, side, true));
  const double floor = lowest - (r.chance(60) ? 0 : r.number(0.001, 0.1));
  const double e = restitution(r);
  for (int b = 0; b < count; ++b)
    for (const int side : {-1, 1}) {
      if (pinned && b == 0 && side < 0) continue;
      Contact c;
      c.gap = rods.end(b, side, true);
      c.gap.constant(-floor);
      c.restitution = r.chance(70) ? e : restitution(r);
      if (friction) {
        c.slips.push_back(rods.end(b, side, false));
        c.friction = r.pick({0.1, 0.3, 0.6, 1.0});
      }
      s.contacts.push_back(c);
    }
  if (s.joints.empty()) {
    for (int i = 0; i < s.n; ++i) s.v[i] = r.chance(50) ? r.number(-1, 1) : 0;
  }
  return s;
}

System linkage(Random& r) {
  const int n = r.between(1, 4);
  System s(n);
  s.kind = "linkage";
  s.as_matrices = false;
  s.step = r.scaled({0.002, 0.005, 0.01}, 0.7, 1.3);
  std::vector<double> m, l;
  for (int i = 0; i < n; ++i) {
    s.coordinate_unit[static_cast<std::size_t>(i)] = 0;
    m.push_back(r.number(0.3, 3));
    l.push_back(r.number(0.2, 1));
    s.q[i] = r.number(-1.5, 1.5);
    s.v[i] = r.chance(60) ? r.number(-3, 3) : 0;
  }
  // Point masses at the ends of massless links, angles from the vertical.
  for (int i = 0; i < n; ++i) {
    double below = 0;
    for (int k = i; k < n; ++k) below += m[static_cast<std::size_t>(k)];
    const auto at = static_cast<std::size_t>(i);
    s.M(i, i) = below * l[at] * l[at];
    s.potential.cos(-9.81 * below * l[at], i);
    for (int j = 0; j < i; ++j) s.couplings.push_back({i, j, below * l[at] * l[static_cast<std::size_t>(j)]});
  }
  Formula x, y;  // of the last point reached
  for (int i = 0; i < n; ++i) {
    x.sin(l[static_cast<std::size_t>(i)], i);
    y.cos(-l[static_cast<std::size_t>(i)], i);
    if (!r.chance(70)) continue;
    Contact c;  // a floor, or a wall on either side
    const int side = r.below(3);
    c.gap = side == 0 ? y : side == 1 ? Formula{}.add(x) : Formula{}.add(x, -1);
    c.gap.constant((r.chance(50) ? 0 : r.number(0.001, 0.2)) - c.gap.start(s.q));
    c.restitution = restitution(r);
    if (r.chance(50)) {
      c.slips = {side == 0 ? x : y};
      c.friction = r.pick({0.1, 0.3, 0.8});
    }
    s.contacts.push_back(c);
  }
  if (r.chance(40)) {  // a stop between two links, or of the first
    Contact c;
    c.gap.unit = 0;
    c.gap.linear(1, n - 1);
    if (n > 1) c.gap.linear(-1, n - 2);
    c.gap.constant((r.chance(50) ? 0 : r.number(0.01, 0.3)) - c.gap.start(s.q));
    c.restitution = restitution(r);
    s.contacts.push_back(c);
  }
  if (r.chance(30)) s.C = scaled_positive(r, {0.01, 0.5}, n, 0.1);
  return s;
}

}  // namespace ricochet::soak
