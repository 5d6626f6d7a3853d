// Signed distances of convex shapes by their support alone, in long double. Nothing here knows of faces, edges and
// rims of the two: all is about D, the set of differences b - a, and where the origin is in it.
//
//   apart     Gilbert, Johnson and Keerthi: the distance lies between the support of D along the last direction and the
//             length of the last vector
//   overlap   an expanding polytope P inside of D: the depth lies between the least distance of the origin from the
//             planes of P's faces and the support of D along the normal of such a face
//
// Both bounds hold whatever happened before them, so that a bracket is right, if perhaps wide.
#include "support/brute_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ricochet::test {
namespace {

template <class T>
using VectorOf = Eigen::Matrix<T, 3, 1>;
using LongVector = VectorOf<Long>;

/// Points of the difference of two shapes, less their rounding; in axes of space with the origin of A.
template <class T>
class Difference {
 public:
  Difference(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b)
      : A_(A), B_(B), a_(a.R.cast<T>()), b_(b.R.cast<T>()), from_(b.x.cast<T>() - a.x.cast<T>()) {
    unit_ = static_cast<T>(A.bound) + static_cast<T>(B.bound);
  }
  /// Farthest along n.
  VectorOf<T> operator()(const VectorOf<T>& n) const {
    return from_ + farthest(B_, b_, n) - farthest(A_, a_, VectorOf<T>(-n));
  }
  const VectorOf<T>& between() const { return from_; }
  T unit() const { return unit_; }

 private:
  using Matrix = Eigen::Matrix<T, 3, 3>;
  static VectorOf<T> farthest(const Polytope& p, const Matrix& R, const VectorOf<T>& n) {
    const VectorOf<T> local = R.transpose() * n;
    VectorOf<T> best = VectorOf<T>::Zero();
    T most = -std::numeric_limits<T>::infinity();
    const auto take = [&](const VectorOf<T>& x) {
      if (const T s = local.dot(x); s > most) most = s, best = x;
    };
    for (const Vector3d& v : p.vertices) take(v.cast<T>());
    const T wide = p.rims.empty() ? 0 : std::sqrt(local.x() * local.x() + local.y() * local.y());
    for (const Polytope::Rim& rim : p.rims) {
      const T r = rim.radius;
      take(wide > 0 ? VectorOf<T>(r * local.x() / wide, r * local.y() / wide, rim.z) : VectorOf<T>(r, 0, rim.z));
    }
    return R * best;
  }

  const Polytope &A_, &B_;
  Matrix a_, b_;
  VectorOf<T> from_;
  T unit_;
};

/// Up to four points; no memory is taken for it.
template <class T>
struct Simplex {
  std::array<VectorOf<T>, 4> x;
  int size = 0;
  void add(const VectorOf<T>& point) { x[static_cast<std::size_t>(size++)] = point; }
  /// Those whose bit is set.
  Simplex part(unsigned set) const {
    Simplex out;
    for (unsigned k = 0; k < static_cast<unsigned>(size); ++k)
      if (set >> k & 1U) out.add(x[k]);
    return out;
  }
};

/// The w for which e w comes nearest to x, by columns at right angles to each other, the longest first. False: rounding
/// does not tell the columns apart.
template <class T>
bool combine(std::array<VectorOf<T>, 3> e, int columns, VectorOf<T> x, std::array<T, 3>& w) {
  const auto n = static_cast<std::size_t>(columns);
  std::array<std::size_t, 3> order{0, 1, 2};
  std::array<std::array<T, 3>, 3> R{};
  std::array<T, 3> y{};
  T longest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t j = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (e[i].squaredNorm() > e[j].squaredNorm()) j = i;
    std::swap(e[k], e[j]), std::swap(order[k], order[j]);
    for (std::size_t i = 0; i < k; ++i) std::swap(R[i][k], R[i][j]);
    R[k][k] = e[k].norm();
    if (k == 0) longest = R[k][k];
    if (!(R[k][k] > columns * std::numeric_limits<T>::epsilon() * longest)) return false;
    e[k] /= R[k][k];
    y[k] = e[k].dot(x), x -= y[k] * e[k];
    for (std::size_t i = k + 1; i < n; ++i) R[k][i] = e[k].dot(e[i]), e[i] -= R[k][i] * e[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = k + 1; i < n; ++i) y[k] -= R[k][i] * y[i];
    y[k] /= R[k][k];
    w[order[k]] = y[k];
  }
  return true;
}

/// The point of a simplex that is nearest to the origin; keeps the corners that carry it. The last corner is new and
/// comes closer than all others together: it is one of those that carry.
template <class T>
VectorOf<T> nearest_of(Simplex<T>& simplex) {
  constexpr T kRound = 8 * std::numeric_limits<T>::epsilon();
  const unsigned last = 1U << (simplex.size - 1);
  VectorOf<T> best = simplex.x[static_cast<std::size_t>(simplex.size - 1)];
  T least = std::numeric_limits<T>::infinity();
  unsigned kept = last;
  for (unsigned set = last; set < 2 * last; ++set) {
    const Simplex<T> s = simplex.part(set);
    VectorOf<T> at = s.x[0];
    bool inside = true;
    if (s.size > 1) {
      // x0 + e w at right angles to all of e
      std::array<VectorOf<T>, 3> e{VectorOf<T>::Zero(), VectorOf<T>::Zero(), VectorOf<T>::Zero()};
      std::array<T, 3> w{};
      for (int k = 1; k < s.size; ++k) e[static_cast<std::size_t>(k - 1)] = s.x[static_cast<std::size_t>(k)] - s.x[0];
      if (!combine<T>(e, s.size - 1, -s.x[0], w)) continue;
      inside = *std::min_element(w.begin(), w.end()) >= -kRound && w[0] + w[1] + w[2] <= 1 + kRound;
      for (int k = 1; k < s.size; ++k) at += w[static_cast<std::size_t>(k - 1)] * e[static_cast<std::size_t>(k - 1)];
    }
    if (const T length = at.norm(); inside && length < least) least = length, best = at, kept = set;
  }
  simplex = simplex.part(kept);
  return best;
}

/// Apart: the distance is in the bracket and n is along it. Not: nothing is known.
template <class T>
struct Apart {
  bool found = false;
  T low = 0, high = 0;
  VectorOf<T> n = VectorOf<T>::UnitX();  ///< from A to B
};
template <class T>
Apart<T> gilbert(const Difference<T>& difference, T tolerance) {
  const T unit = difference.unit();
  Apart<T> out;
  const auto along = [&](const VectorOf<T>& n) {
    const VectorOf<T> next = difference(VectorOf<T>(-n));
    if (const T low = n.dot(next); low > out.low) out.low = low, out.n = n, out.found = true;
    return next;
  };
  VectorOf<T> v = difference(VectorOf<T>(-difference.between() + unit * VectorOf<T>(1e-9, 2e-9, 3e-9)));
  Simplex<T> simplex;
  simplex.add(v);
  for (int k = 0; k < 2000; ++k) {
    const T length = v.norm();
    out.high = length;
    if (!(length > 4 * std::numeric_limits<T>::epsilon() * unit)) return out;
    const VectorOf<T> next = along(v / length);
    if (simplex.size == 3) {  // the normal of a triangle is better known than a short way to it
      const VectorOf<T> n = (simplex.x[1] - simplex.x[0]).cross(simplex.x[2] - simplex.x[0]).normalized();
      if (n.allFinite()) along(n.dot(v) < 0 ? VectorOf<T>(-n) : n);
    }
    if (out.high - out.low < tolerance) break;
    simplex.add(next);
    v = nearest_of(simplex);
    if (simplex.size == 4 || !(v.norm() < length)) break;  // inside, or no further
  }
  return out;
}

/// The expanding polytope.
class Depth {
 public:
  explicit Depth(const Difference<Long>& difference) : difference_(difference), unit_(difference.unit()) {}

  /// Of the depth; negative low: perhaps they do not overlap.
  Bracket find(Long tolerance) {
    if (!begin()) return {-unit_, unit_};
    Long upper = unit_;
    for (int k = 0; k < 400; ++k) {
      const auto nearest =
          std::min_element(faces_.begin(), faces_.end(), [](const Face& a, const Face& b) { return a.d < b.d; });
      const LongVector n = nearest->n, next = difference_(n);
      const Long lower = nearest->d;
      upper = std::min(upper, n.dot(next));
      if (upper - lower < tolerance || !add(next)) return {lower, upper};
    }
    return {-unit_, upper};
  }

 private:
  struct Face {
    std::array<int, 3> corner;
    LongVector n;
    Long d;
  };
  bool begin() {
    // four corners far from each other
    points_.clear();
    faces_.clear();
    const LongVector e = LongVector(0.9L, 0.3L, 0.2L).normalized();
    points_.push_back(difference_(e));
    points_.push_back(difference_(LongVector(-e)));
    const LongVector across = (points_[1] - points_[0]).unitOrthogonal();
    take_farther(across, points_[0]);
    const LongVector n = (points_[1] - points_[0]).cross(points_[2] - points_[0]).normalized();
    take_farther(n, points_[0]);
    const Long volume = (points_[1] - points_[0]).cross(points_[2] - points_[0]).dot(points_[3] - points_[0]);
    if (volume > 0) std::swap(points_[0], points_[1]);
    return face(0, 1, 2) && face(0, 3, 1) && face(1, 3, 2) && face(2, 3, 0);
  }
  void take_farther(const LongVector& n, const LongVector& from) {
    const LongVector x = difference_(n), y = difference_(LongVector(-n));
    points_.push_back(n.dot(x - from) > n.dot(from - y) ? x : y);
  }
  bool face(int a, int b, int c) {
    const auto at = [&](int k) -> const LongVector& { return points_[static_cast<std::size_t>(k)]; };
    LongVector n = (at(b) - at(a)).cross(at(c) - at(a));
    const Long length = n.norm();
    if (!(length > 1e-34L * unit_ * unit_)) return false;
    n /= length;
    faces_.push_back({{a, b, c}, n, std::min({n.dot(at(a)), n.dot(at(b)), n.dot(at(c))})});
    return true;
  }
  /// The hull of what there is and x. False: rounding allows none that is closed.
  bool add(const LongVector& x) {
    const int number = static_cast<int>(points_.size());
    points_.push_back(x);
    border_.clear();
    std::size_t kept = 0, gone = 0;
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      const Face f = faces_[i];
      if (!(f.n.dot(x) > f.d + 1e-18L * unit_)) {
        faces_[kept++] = f;
        continue;
      }
      ++gone;
      for (std::size_t k = 0; k < 3; ++k) toggle(f.corner[k], f.corner[(k + 1) % 3]);
    }
    // what is gone is one patch: it has two borders more than triangles, less two for each corner inside
    if (gone == 0 || border_.size() > gone + 2 || !is_loop()) return false;
    faces_.resize(kept);
    for (const auto& [a, b] : border_)
      if (!face(a, b, number)) return false;
    return true;
  }
  void toggle(int a, int b) {
    const auto twin = std::find(border_.begin(), border_.end(), std::pair(b, a));
    if (twin == border_.end())
      border_.emplace_back(a, b);
    else
      border_.erase(twin);
  }
  bool is_loop() const {
    std::size_t length = 0;
    int at = border_[0].first;
    do {
      const auto next = std::find_if(border_.begin(), border_.end(), [&](const auto& e) { return e.first == at; });
      if (next == border_.end()) return false;
      at = next->second;
    } while (++length < border_.size() && at != border_[0].first);
    return length == border_.size() && at == border_[0].first;
  }

  const Difference<Long>& difference_;
  Long unit_;
  std::vector<LongVector> points_;
  std::vector<Face> faces_;
  std::vector<std::pair<int, int>> border_;
};

}  // namespace

Bracket brute_distance(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
  const Difference<Long> difference(A, a, B, b);
  const Long tolerance = 1e-14L * static_cast<Long>(std::min(A.size, B.size));
  const Apart<Long> apart = gilbert<Long>(difference, tolerance);
  if (apart.found) return {apart.low, apart.high};
  const Bracket depth = Depth(difference).find(tolerance);
  return {-depth.high, -depth.low};
}

Reach reach_between(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b, double tolerance) {
  const Apart<double> at = gilbert<double>(Difference<double>(A, a, B, b), tolerance);
  return {at.found, at.high, at.n};
}

Vector3d farthest_difference(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b,
                             const Vector3d& n) {
  return Difference<double>(A, a, B, b)(n);
}

}  // namespace ricochet::test
