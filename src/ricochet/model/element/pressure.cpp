#include "ricochet/model/element/pressure.hpp"

#include <array>
#include <cmath>

namespace ricochet {
namespace {

struct FacePoint {
  std::array<double, kMostFaceNodes> value{}, by_xi{}, by_eta{};
  double weight = 0;
};

FacePoint quad(double xi, double eta) {
  static constexpr std::array<std::array<int, 2>, 4> corner{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  FacePoint p;
  p.weight = 1;
  for (std::size_t a = 0; a < 4; ++a) {
    const double s = corner[a][0], t = corner[a][1];
    p.value[a] = (1 + s * xi) * (1 + t * eta) / 4;
    p.by_xi[a] = s * (1 + t * eta) / 4;
    p.by_eta[a] = t * (1 + s * xi) / 4;
  }
  return p;
}

FacePoint triangle(double xi, double eta, double weight, bool quadratic) {
  const std::array<double, 3> L{1 - xi - eta, xi, eta}, dx{-1, 1, 0}, de{-1, 0, 1};
  FacePoint p;
  p.weight = weight;
  for (std::size_t a = 0; a < 3; ++a) {
    p.value[a] = quadratic ? L[a] * (2 * L[a] - 1) : L[a];
    const double slope = quadratic ? 4 * L[a] - 1 : 1;
    p.by_xi[a] = slope * dx[a];
    p.by_eta[a] = slope * de[a];
    if (!quadratic) continue;
    const std::size_t b = (a + 1) % 3;
    p.value[3 + a] = 4 * L[a] * L[b];
    p.by_xi[3 + a] = 4 * (L[a] * dx[b] + L[b] * dx[a]);
    p.by_eta[3 + a] = 4 * (L[a] * de[b] + L[b] * de[a]);
  }
  return p;
}

/// Exact to degree 4 (Dunavant).
std::vector<FacePoint> six_points() {
  std::vector<FacePoint> out;
  for (const auto& [a, w] : {std::pair(0.445948490915965, 0.223381589678011), {0.091576213509771, 0.109951743655322}})
    for (const auto& [xi, eta] : {std::pair(a, a), {1 - 2 * a, a}, {a, 1 - 2 * a}})
      out.push_back(triangle(xi, eta, w / 2, true));
  return out;
}

const std::vector<FacePoint>& points(int nodes) {
  static const double g = 1 / std::sqrt(3.0);
  static const std::vector<FacePoint> four{quad(-g, -g), quad(g, -g), quad(g, g), quad(-g, g)},
      three{triangle(1.0 / 3, 1.0 / 3, 0.5, false)}, six = six_points();
  return nodes == 4 ? four : nodes == 3 ? three : six;
}

struct Tangents {
  Vector3d xi = Vector3d::Zero(), eta = Vector3d::Zero();
  Tangents(const FacePoint& p, int nodes, const double* x) {
    for (int a = 0; a < nodes; ++a) {
      const Eigen::Map<const Vector3d> at(x + 3 * a);
      xi += p.by_xi[static_cast<std::size_t>(a)] * at;
      eta += p.by_eta[static_cast<std::size_t>(a)] * at;
    }
  }
};

}  // namespace

void add_face_force(int nodes, const double* x, double c, double* f) {
  for (const FacePoint& p : points(nodes)) {
    const Tangents t(p, nodes, x);
    const Vector3d normal = -c * p.weight * t.xi.cross(t.eta);
    for (int a = 0; a < nodes; ++a) Eigen::Map<Vector3d>(f + 3 * a) += p.value[static_cast<std::size_t>(a)] * normal;
  }
}

void add_face_tangent(int nodes, const double* x, double c, double* K) {
  const Index n = 3 * Index{nodes};
  Eigen::Map<Eigen::MatrixXd> out(K, n, n);
  for (const FacePoint& p : points(nodes)) {
    const Tangents t(p, nodes, x);
    for (int b = 0; b < nodes; ++b) {
      const auto i = static_cast<std::size_t>(b);
      const Matrix3d B = -c * p.weight * skew(Vector3d(p.by_eta[i] * t.xi - p.by_xi[i] * t.eta));
      for (int a = 0; a < nodes; ++a)
        out.block<3, 3>(3 * Index{a}, 3 * Index{b}) += p.value[static_cast<std::size_t>(a)] * B;
    }
  }
}

}  // namespace ricochet
