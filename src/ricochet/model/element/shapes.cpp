#include "ricochet/model/element/shapes.hpp"

#include <array>
#include <cmath>

namespace ricochet {
namespace {

using Gradients = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic>>;

constexpr std::array<std::array<int, 3>, 8> kHexCorners{
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};
constexpr std::array<std::array<int, 2>, 6> kTetEdges{{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

std::vector<QuadraturePoint> gauss_of_hex() {
  const double g = 1 / std::sqrt(3.0);
  std::vector<QuadraturePoint> out;
  for (const auto& c : kHexCorners) out.push_back({{g * c[0], g * c[1], g * c[2]}, 1});
  return out;
}

/// Points with the barycentric coordinates (a, b, b, b) and their permutations.
void add_four(double a, double b, double weight, std::vector<QuadraturePoint>& out) {
  out.push_back({{b, b, b}, weight});
  out.push_back({{a, b, b}, weight});
  out.push_back({{b, a, b}, weight});
  out.push_back({{b, b, a}, weight});
}

std::vector<QuadraturePoint> four_of_tet() {
  const double root = std::sqrt(5.0), b = (5 - root) / 20;
  std::vector<QuadraturePoint> out;
  add_four(1 - 3 * b, b, 1.0 / 24, out);
  return out;
}

/// Walkington's and Keast's rule of degree 5, all weights positive.
std::vector<QuadraturePoint> fifteen_of_tet() {
  const double root = std::sqrt(15.0);
  std::vector<QuadraturePoint> out{{{0.25, 0.25, 0.25}, 16.0 / 135 / 6}};
  for (const double sign : {1.0, -1.0}) {
    const double b = (7 + sign * root) / 34;
    add_four(1 - 3 * b, b, (2665 - sign * 14 * root) / 37800 / 6, out);
  }
  const double c = (10 - 2 * root) / 40, d = 0.5 - c;
  for (const auto& e : {std::array{c, c, d}, {c, d, c}, {d, c, c}, {d, d, c}, {d, c, d}, {c, d, d}})
    out.push_back({{e[0], e[1], e[2]}, 20.0 / 378 / 6});
  return out;
}

void hex_functions(const Vector3d& xi, double* N, Gradients dN) {
  for (Index a = 0; a < 8; ++a) {
    const auto& c = kHexCorners[static_cast<std::size_t>(a)];
    const double x = 1 + c[0] * xi[0], y = 1 + c[1] * xi[1], z = 1 + c[2] * xi[2];
    N[a] = x * y * z / 8;
    dN.col(a) << c[0] * y * z / 8, c[1] * x * z / 8, c[2] * x * y / 8;
  }
}

void tet_functions(const Vector3d& xi, bool quadratic, double* N, Gradients dN) {
  const std::array<double, 4> L{1 - xi.sum(), xi[0], xi[1], xi[2]};
  const std::array<Vector3d, 4> dL{Vector3d::Constant(-1), Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
  for (std::size_t a = 0; a < 4; ++a) {
    N[a] = quadratic ? L[a] * (2 * L[a] - 1) : L[a];
    dN.col(static_cast<Index>(a)) = quadratic ? Vector3d((4 * L[a] - 1) * dL[a]) : dL[a];
  }
  for (std::size_t e = 0; quadratic && e < 6; ++e) {
    const auto i = static_cast<std::size_t>(kTetEdges[e][0]), j = static_cast<std::size_t>(kTetEdges[e][1]);
    N[4 + e] = 4 * L[i] * L[j];
    dN.col(static_cast<Index>(4 + e)) = 4 * (L[i] * dL[j] + L[j] * dL[i]);
  }
}

}  // namespace

const ElementShape& shape_of(ElementKind kind) {
  static const std::vector<QuadraturePoint> hex = gauss_of_hex(), one{{Vector3d::Constant(0.25), 1.0 / 6}},
                                            four = four_of_tet(), fifteen = fifteen_of_tet();
  static const std::vector<std::vector<int>> tet_faces{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  static const std::array<ElementShape, 3> all{
      ElementShape{"hex8",
                   8,
                   hex,
                   hex,
                   {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
                   {}},
      ElementShape{"tet4", 4, one, four, tet_faces, {}},
      ElementShape{
          "tet10", 10, four, fifteen, tet_faces, {{4, 0, 1}, {5, 1, 2}, {6, 0, 2}, {7, 0, 3}, {8, 2, 3}, {9, 1, 3}}}};
  return all[static_cast<std::size_t>(kind)];
}

void shape_functions(ElementKind kind, const Vector3d& xi, double* N, double* dN) {
  Gradients out(dN, 3, shape_of(kind).nodes);
  kind == ElementKind::hex8 ? hex_functions(xi, N, out) : tet_functions(xi, kind == ElementKind::tet10, N, out);
}

double reference_gradients(ElementKind kind, const Vector3d& xi, const double* X, double* gradients) {
  const int n = shape_of(kind).nodes;
  std::array<double, kMostElementNodes> N;
  std::array<double, std::size_t{3} * kMostElementNodes> dN;
  shape_functions(kind, xi, N.data(), dN.data());
  const Gradients local(dN.data(), 3, n);
  const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>> at(X, 3, n);
  Matrix3d J = Matrix3d::Zero();  // dX/dxi
  for (Index a = 0; a < n; ++a) J += at.col(a) * local.col(a).transpose();
  const double det = J.determinant();
  if (!(det > 0)) return det;
  const Matrix3d turned = J.inverse().transpose();
  Gradients out(gradients, 3, n);
  for (Index a = 0; a < n; ++a) out.col(a) = turned * local.col(a);
  return det;
}

}  // namespace ricochet
