// Kinds of systems. Planted ones have a solution by construction:
//
//   separable    q = T z, M = T^-T diag(m) T^-1, gaps z_i: each z_i is a mass before a wall of its own
//   equilibrium  at rest with chosen reactions p in K and joint forces lambda; the load is what balances them
//   ideal        without friction, one restitution e for all contacts, nothing moves with time: of the velocities
//                before, v, the velocities -e v satisfy every condition of a step, and M is positive definite
//   rough        with friction, e = 0 and rows in the plane, or normals that are independent of each other and of the
//                joints: the conditions can be satisfied with room to spare, or by v = 0
//   stack        blocks on each other, with heavy ones above light ones and corners that are redundant
//   drop         points in space above floors, two slips each
//   table        a mass above a table that moves with time, one contact a mass
//
// Open ones may have none: dependent contacts with different restitutions, walls that close, Painleve's rods.
//
//   tangle       contacts, joints, springs, loads of any kind
//   rods         rigid bodies in the plane with contacts at their ends, pinned, hung, driven
//   linkage      pendulums as angles, configuration-dependent mass, stops
//   driven       joints and contacts that depend on the time
#include "soak/generator.hpp"

#include <algorithm>
#include <cmath>

#include "soak/generator_parts.hpp"

namespace ricochet::soak {
namespace {

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (int i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Coefficients of a row: one to three coordinates.
Vector random_row(Random& random, int n) {
  Vector a = Vector::Zero(n);
  for (int k = random.between(1, std::min(3, n)); k > 0; --k) a[random.below(n)] = random.coefficient();
  return a;
}

/// A wave of either sign, with a phase up to `phase`.
void swing(Random& r, Formula& f, double amplitude, double fastest, double phase) {
  const double p = phase > 0 ? r.number(0, phase) : 0;
  const double w = r.number(1, fastest);
  f.wave(r.number(-amplitude, amplitude), w, p);
}

Formula affine(const Vector& a, double offset) {
  Formula f;
  for (int i = 0; i < a.size(); ++i)
    if (a[i] != 0) f.linear(a[i], i);
  if (offset != 0) f.constant(offset);
  return f;
}

Vector coefficients(const Formula& f, int n) { return f.gradient(Vector::Zero(n)); }

/// Takes out of x what the orthonormal rows show.
void remove(const std::vector<Vector>& rows, Vector& x) {
  for (const Vector& a : rows) {
    const double c = dot(a, x);
    for (int i = 0; i < x.size(); ++i) x[i] -= c * a[i];
  }
}

/// Adds a to orthonormal rows; false if it depends on them.
bool extend(std::vector<Vector>& rows, Vector a) {
  const double before = std::sqrt(dot(a, a));
  for (int pass = 0; pass < 2; ++pass) remove(rows, a);
  const double size = std::sqrt(dot(a, a));
  if (size < 0.05 * before) return false;
  for (int i = 0; i < a.size(); ++i) a[i] /= size;
  rows.push_back(a);
  return true;
}

/// The making of linear systems, in parts that the kinds choose from.
class LinearMaker {
 public:
  LinearMaker(Random& random, int n, std::string kind) : r(random), s(n) {
    s.kind = std::move(kind);
    s.as_matrices = r.chance(70);
    s.M = positive(r, n, 0.3);
    for (int i = 0; i < n; ++i) s.q[i] = r.number(-1, 1);
    for (int i = 0; i < n; ++i) s.v[i] = r.chance(80) ? r.number(-2, 2) : 0;
    if (r.chance(20)) s.v.setZero();
    s.step = r.scaled({0.005, 0.01, 0.02, 0.05}, 0.7, 1.3);
    s.steps = r.between(25, 50);
  }

  void springs() {
    if (r.chance(50)) s.K = scaled_positive(r, {1.0, 10.0, 100.0, 1e3, 1e3, 1e4}, s.n, 0);
    if (r.chance(4)) s.K *= 100;
    if (r.chance(40)) s.C = scaled_positive(r, {0.01, 0.1, 0.3, 3.0, 10.0}, s.n, 0);
  }
  void gravity() {
    if (r.chance(20)) return;
    for (int i = 0; i < s.n; ++i)
      if (r.chance(60)) s.potential.linear(r.number(-10, 10), i);
  }
  void loads() {
    if (!r.chance(30)) return;
    s.loads.resize(static_cast<std::size_t>(s.n));
    for (Formula& f : s.loads) {
      if (r.chance(50)) swing(r, f, 20, 40, 6);
      if (r.chance(30)) f.clock(r.number(-30, 30));  // a release, or a load that grows
    }
  }
  /// Joints, some of them said twice, or a sum of others. The velocities follow.
  void joints(int most) {
    const int count = std::min(most, s.n - 1);
    std::vector<Vector> all;
    for (int k = 0; k < count; ++k) {
      const Vector a = random_row(r, s.n);
      if (!extend(held_, a)) continue;
      all.push_back(a);
      joint(a);
    }
    if (!all.empty() && r.chance(40)) {
      Vector a = r.pick({2.0, -1.0, 0.5}) * all.front();
      if (all.size() > 1 && r.chance(50)) a += r.coefficient() * all.back();
      joint(a);
      redundant = true;
    }
    remove(held_, s.v);
    remove(held_, s.v);
  }
  /// Normals that depend on nothing; false if there is no room for another.
  bool independent(Vector& a) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      a = random_row(r, s.n);
      if (extend(normals_.empty() ? normals_ = held_ : normals_, a)) return true;
    }
    return false;
  }
  Contact& contact(const Vector& a, int closed_percent = 60) {
    const double gap = r.chance(closed_percent) ? 0 : r.scaled({0.001, 0.01, 0.1}, 0.1, 2);
    Contact c;
    c.gap = affine(a, gap - dot(a, s.q));
    s.contacts.push_back(c);
    return s.contacts.back();
  }
  /// The same wall again, or one that two others make.
  void repeat_contact() {
    const Contact& first = s.contacts[static_cast<std::size_t>(r.below(static_cast<int>(s.contacts.size())))];
    const Contact& second = s.contacts[static_cast<std::size_t>(r.below(static_cast<int>(s.contacts.size())))];
    Contact c = first;
    if (r.chance(50)) {
      const double f = r.pick({1.0, 2.0, 0.5, 1.0});
      c.gap = Formula{}.add(first.gap, f);
    } else {
      c.gap = Formula{}.add(first.gap).add(second.gap, r.number(0.2, 2));
    }
    s.contacts.push_back(c);
  }
  /// A gap that a joint keeps closed.
  void held_contact() {
    if (s.joints.empty()) return;
    const Vector a = coefficients(s.joints.front().rows.front(), s.n);
    Contact c;
    const double f = r.coefficient();
    c.gap = affine(f * a, -dot(f * a, s.q));
    s.contacts.push_back(c);
  }
  void friction(Contact& c, int slips) {
    c.friction = r.pick({0.05, 0.1, 0.3, 0.5, 1.0, 1.5});
    for (int k = 0; k < slips; ++k) c.slips.push_back(affine(random_row(r, s.n), 0));
  }

  Random& r;
  System s;
  bool redundant = false;

 private:
  void joint(const Vector& a) { s.joints.push_back({{affine(a, -dot(a, s.q))}}); }
  std::vector<Vector> held_, normals_;
};

System ideal(Random& r) {
  LinearMaker m(r, r.between(1, 8), "ideal");
  m.springs();
  m.gravity();
  m.loads();
  if (r.chance(50)) m.joints(2);
  const double e = restitution(r);
  for (int k = r.between(1, 5); k > 0; --k) m.contact(random_row(r, m.s.n));
  for (int k = r.below(3); k > 0; --k) m.repeat_contact();
  if (r.chance(15)) m.held_contact();
  for (Contact& c : m.s.contacts) c.restitution = e;
  m.s.planted = Planted::solvable;
  return m.s;
}

System rough(Random& r) {
  LinearMaker m(r, r.between(2, 8), "rough");
  m.springs();
  m.gravity();
  m.loads();
  if (r.chance(40)) m.joints(2);
  const bool spatial = r.chance(40), any_rows = !spatial && r.chance(50);
  for (int k = r.between(1, 5); k > 0; --k) {
    Vector a;
    if (any_rows)
      a = random_row(r, m.s.n);
    else if (!m.independent(a))
      break;
    Contact& c = m.contact(a);
    c.restitution = any_rows ? 0 : restitution(r);
    if (r.chance(80)) m.friction(c, spatial ? 2 : 1);
  }
  if (any_rows && !m.s.contacts.empty() && r.chance(40)) m.repeat_contact();
  if (any_rows && r.chance(20)) m.held_contact();
  m.s.planted = Planted::solvable;
  return m.s;
}

System tangle(Random& r) {
  LinearMaker m(r, r.between(1, 10), "tangle");
  m.springs();
  m.gravity();
  m.loads();
  if (r.chance(50)) m.joints(3);
  for (int k = r.between(1, 6); k > 0; --k) {
    Contact& c = m.contact(random_row(r, m.s.n));
    c.restitution = restitution(r);
    if (r.chance(50)) m.friction(c, r.between(1, 2));
  }
  for (int k = r.below(3); k > 0; --k) m.repeat_contact();
  if (r.chance(20)) m.held_contact();
  return m.s;
}

/// Reactions first, then the load that they balance.
System equilibrium(Random& r) {
  const int n = r.between(1, 8);
  LinearMaker m(r, n, "equilibrium");
  m.springs();
  if (r.chance(50)) m.joints(2);
  System& s = m.s;
  s.v.setZero();
  const bool friction = r.chance(50);
  const double e = restitution(r);
  for (int k = r.between(1, 5); k > 0; --k) {
    Contact& c = m.contact(random_row(r, n), 85);
    c.restitution = friction ? 0 : e;
    if (friction && r.chance(80)) m.friction(c, r.chance(70) ? 1 : 2);
  }
  if (r.chance(40)) m.repeat_contact();
  Vector f = Vector::Zero(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) f[i] += s.K(i, j) * s.q[j];
  const auto push = [&](const Formula& row, double p) {
    for (const Term& x : row.terms)
      if (x.kind == Term::Kind::linear) f[x.i] -= x.c * p;
  };
  for (const Contact& c : s.contacts) {
    if (c.gap.start(s.q) > 1e-6) continue;
    const double p = r.chance(20) ? 0 : r.number(0, 10);
    push(c.gap, p);
    for (const Formula& slip : c.slips) push(slip, c.friction * p * r.number(-0.7, 0.7));
  }
  for (const Joint& joint : s.joints) push(joint.rows.front(), r.number(-5, 5));
  for (int i = 0; i < n; ++i)
    if (f[i] != 0) s.potential.linear(-f[i], i);
  s.planted = Planted::equilibrium;
  return s;
}

/// T lower triangular with unit diagonal: T and its inverse are exact enough, and nothing is divided.
System separable(Random& r) {
  const int n = r.between(1, 8);
  System s(n);
  s.kind = "separable";
  s.planted = Planted::separable;
  s.as_matrices = r.chance(70);
  s.step = r.scaled({0.005, 0.01, 0.02}, 0.7, 1.3);
  s.steps = r.between(30, 60);
  Matrix T = Matrix::Identity(n, n), inverse = Matrix::Identity(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) T(i, j) = r.chance(60) ? r.number(-1, 1) : 0;
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) {
      double sum = 0;
      for (int k = j; k < i; ++k) sum -= T(i, k) * inverse(k, j);
      inverse(i, j) = sum;
    }
  Vector m(n), stiffness = Vector::Zero(n), force = Vector::Zero(n), z(n), w(n);
  const bool stiff = r.chance(40);
  const double e = restitution(r);
  const bool one = r.chance(50);
  for (int i = 0; i < n; ++i) {
    m[i] = r.scaled({0.1, 1.0, 10.0}, 0.5, 2);
    if (r.chance(40)) stiffness[i] = m[i] * (stiff ? r.number(100, 1000) : r.number(1, 100));
    force[i] = -m[i] * r.number(0, 10);
    z[i] = r.chance(50) ? 0 : r.number(0.001, 0.2);
    w[i] = r.chance(30) ? 0 : r.number(-1, 1);
  }
  const auto combine = [&](const Vector& d) {
    Matrix A = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += inverse(k, i) * d[k] * inverse(k, j);
        A(i, j) = A(j, i) = sum;
      }
    return A;
  };
  s.M = combine(m);
  s.K = combine(stiffness);
  for (int i = 0; i < n; ++i) {
    double f = 0;
    for (int k = 0; k < n; ++k) {
      s.q[i] += T(i, k) * z[k];
      s.v[i] += T(i, k) * w[k];
      f += inverse(k, i) * force[k];
    }
    if (f != 0) s.potential.linear(-f, i);
  }
  for (int i = 0; i < n; ++i) {
    Contact c;
    c.gap = affine(inverse.row(i).transpose(), 0);
    c.gap.constant(z[i] - c.gap.start(s.q));
    c.restitution = one ? e : restitution(r);
    s.contacts.push_back(c);
    s.walls.push_back({z[i], w[i], -force[i] / m[i], stiffness[i] / m[i], c.restitution});
  }
  return s;
}

System stack(Random& r) {
  const int blocks = r.between(1, 5), corners = r.between(1, 2);
  const bool friction = r.chance(60);
  System s(2 * blocks);
  s.kind = "stack";
  s.planted = Planted::solvable;
  s.as_matrices = r.chance(60);
  s.step = r.scaled({0.002, 0.01, 0.02}, 0.7, 1.3);
  double height = 0;
  const double ratio = blocks < 4 ? r.pick({1.0, 1.0, 10.0, 0.1, 100.0}) : r.pick({1.0, 3.0, 0.3});
  double mass = r.number(0.5, 2);
  const double e = corners > 1 && friction ? 0 : restitution(r);
  for (int b = 0; b < blocks; ++b, mass *= ratio) {
    const int x = 2 * b, y = 2 * b + 1;
    s.M(x, x) = s.M(y, y) = mass;
    s.potential.linear(9.81 * mass, y);
    if (r.chance(30)) s.potential.linear(mass * r.number(-5, 5), x);
    const double gap = r.chance(60) ? 0 : r.number(0.0001, 0.02);
    height += gap;
    s.q[y] = height;
    s.v[x] = r.chance(40) ? r.number(-1, 1) : 0;
    s.v[y] = r.chance(40) ? r.number(-1, 0.5) : 0;
    for (int k = 0; k < corners; ++k) {
      Contact c;
      c.gap.linear(1, y);
      if (b > 0) c.gap.linear(-1, y - 2);
      if (gap == 0) c.gap.constant(0 - c.gap.start(s.q));
      c.restitution = e;
      if (friction) {
        c.friction = r.pick({0.1, 0.3, 0.8});
        c.slips.push_back(Formula{}.linear(1, x));
        if (b > 0) c.slips.back().linear(-1, x - 2);
      }
      s.contacts.push_back(c);
    }
    height += 1;
    for (std::size_t k = s.contacts.size() - static_cast<std::size_t>(corners); k < s.contacts.size(); ++k)
      if (b > 0 && gap > 0) s.contacts[k].gap.constant(gap - s.contacts[k].gap.start(s.q));
  }
  return s;
}

System drop(Random& r) {
  const int points = r.between(1, 4);
  System s(3 * points);
  s.kind = "drop";
  s.planted = Planted::solvable;
  s.as_matrices = r.chance(60);
  s.step = r.scaled({0.005, 0.01, 0.02}, 0.7, 1.3);
  for (int p = 0; p < points; ++p) {
    const int x = 3 * p, y = x + 1, z = x + 2;
    const double mass = r.scaled({0.1, 1.0, 10.0}, 0.5, 2);
    s.M(x, x) = s.M(y, y) = s.M(z, z) = mass;
    s.potential.linear(9.81 * mass, z);
    if (r.chance(50)) s.potential.linear(mass * r.number(-6, 6), x);
    s.q[z] = r.chance(60) ? 0 : r.number(0.001, 0.05);
    for (const int i : {x, y}) s.v[i] = r.chance(70) ? r.number(-1, 1) : 0;
    s.v[z] = r.chance(40) ? r.number(-1, 0.5) : 0;
    Contact c;
    c.gap.linear(1, z);
    c.slips = {Formula{}.linear(1, x), Formula{}.linear(1, y)};
    c.restitution = restitution(r);
    c.friction = r.pick({0.05, 0.3, 0.7, 1.2});
    s.contacts.push_back(c);
    if (p > 0 && r.chance(60)) {  // springs between neighbours
      const double k = r.scaled({10.0, 1e3}, 0.5, 2);
      for (const int i : {x, y, z}) {
        s.K(i, i) += k;
        s.K(i - 3, i - 3) += k;
        s.K(i, i - 3) -= k;
        s.K(i - 3, i) -= k;
      }
    }
  }
  return s;
}

System table(Random& r) {
  const int n = r.between(1, 4);
  System s(n);
  s.kind = "table";
  s.planted = Planted::solvable;
  s.as_matrices = false;
  s.step = r.scaled({0.002, 0.005, 0.01}, 0.7, 1.3);
  for (int i = 0; i < n; ++i) {
    s.M(i, i) = r.number(0.2, 5);
    s.potential.linear(9.81 * s.M(i, i), i);
    s.v[i] = r.chance(50) ? r.number(-1, 1) : 0;
    const double gap = r.chance(50) ? 0 : r.number(0.001, 0.1);
    Contact c;
    c.gap.linear(1, i);
    if (r.chance(80)) swing(r, c.gap, 0.1, 40, 0);
    if (r.chance(30)) c.gap.clock(r.number(-1, 1));
    c.gap.constant(gap);
    c.restitution = restitution(r);
    s.contacts.push_back(c);
  }
  if (r.chance(30) && n > 1) s.K = scaled_positive(r, {1.0, 100.0}, n, 0);
  return s;
}

System driven(Random& r) {
  LinearMaker m(r, r.between(2, 8), "driven");
  System& s = m.s;
  s.as_matrices = false;
  m.springs();
  m.gravity();
  m.loads();
  m.joints(2);
  const int drive = r.below(s.n);
  if (!s.joints.empty()) {  // v is at rest with the joints; a drive that begins at rest keeps it so
    for (Joint& joint : s.joints)
      if (r.chance(70) && !m.redundant) {
        const double amplitude = r.number(-0.2, 0.2), w = r.number(1, 20);
        joint.rows.front().wave(amplitude, w, 1.5707963267948966).constant(-amplitude);
      }
  } else {
    s.joints.push_back({{Formula{}.linear(1, drive).constant(-s.q[drive]).clock(-s.v[drive])}});
  }
  const bool friction = r.chance(50);
  for (int k = r.between(1, 4); k > 0; --k) {
    Contact& c = m.contact(random_row(r, s.n));
    if (r.chance(40)) swing(r, c.gap, 0.1, 20, 0);
    c.restitution = restitution(r);
    if (friction && r.chance(60)) m.friction(c, r.between(1, 2));
    if (!c.slips.empty() && r.chance(30)) c.slips.front().clock(r.number(-1, 1));  // a belt
  }
  return s;
}

}  // namespace

System generate(std::uint64_t seed, std::uint64_t index) {
  Random r(seed, index);
  using Maker = System (*)(Random&);
  // Planted and open in turn, a little more than half of them planted.
  const Maker make = r.pick<Maker>(
      {ideal, rough, equilibrium, separable, stack, drop, table, ideal, tangle, rods, linkage, driven, tangle, rods});
  System s = make(r);
  if (r.chance(25)) {
    const double time = r.pick({1e-2, 1.0, 1e2});
    const double mass = r.pick({1e-3, 1.0, 1e3});
    const double length = r.pick({1e-3, 1.0, 1e3});
    s.rescale(length, mass, time);
  }
  return s;
}

}  // namespace ricochet::soak
