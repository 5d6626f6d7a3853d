// Pressure on faces by itself: derivatives, closed surfaces, areas.
#include "ricochet/model/element/pressure.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ricochet::test::pressure_test {
namespace {

TEST(FacePressure, TangentsAreDerivatives) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const int nodes : {3, 4, 6}) {
    const Index n = 3 * nodes;
    const VectorXd x = VectorXd::NullaryExpr(n, [&] { return any(random); });
    const auto force = [&](const VectorXd& at) {
      VectorXd f = VectorXd::Zero(n);
      add_face_force(nodes, at.data(), 1.7, f.data());
      return f;
    };
    MatrixXd K = MatrixXd::Zero(n, n);
    add_face_tangent(nodes, x.data(), 1.7, K.data());
    for (Index j = 0; j < n; ++j) {
      const VectorXd step = 1e-3 * VectorXd::Unit(n, j);
      // forces are quadratic in the places: central differences are exact
      const VectorXd slope = (force(x + step) - force(x - step)) / 2e-3;
      EXPECT_LT((slope - K.col(j)).cwiseAbs().maxCoeff(), 1e-12) << nodes << " " << j;  // measured below 4e-13
    }
  }
}

/// All around a body pressure has no resultant, whatever its shape; on one side it is that of the area.
TEST(FacePressure, ClosedSurfacesAreInBalance) {
  for (const ElementKind kind : {ElementKind::hex8, ElementKind::tet4, ElementKind::tet10}) {
    SolidMesh mesh = make_box({{1, 2, 3}, {2, 2, 2}, kind});
    const std::vector<SurfaceFace> faces = surface_faces(mesh);
    EXPECT_EQ(faces.size(), kind == ElementKind::hex8 ? 24U : 48U);
    const std::vector<int> top = mesh.sets.at("top");
    const auto resultant = [&](bool whole) {
      Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
      for (const SurfaceFace& face : faces) {
        if (!whole && !std::all_of(face.all().begin(), face.all().end(),
                                   [&](int n) { return std::binary_search(top.begin(), top.end(), n); }))
          continue;
        std::array<double, 18> x{}, f{};
        for (std::size_t a = 0; a < face.all().size(); ++a)
          Eigen::Map<Vector3d>(x.data() + 3 * a) = mesh.nodes[static_cast<std::size_t>(face.nodes[a])];
        add_face_force(face.count, x.data(), 1, f.data());
        for (std::size_t a = 0; a < face.all().size(); ++a) {
          const Eigen::Map<const Vector3d> at(x.data() + 3 * a), own(f.data() + 3 * a);
          force += own;
          moment += at.cross(own);
        }
      }
      return std::pair<Vector3d, Vector3d>(force, moment);
    };
    EXPECT_LT((resultant(false).first - Vector3d(0, 0, -2)).norm(), 1e-13) << shape_of(kind).name;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> shift(-0.2, 0.2);
    for (Vector3d& x : mesh.nodes) x += Vector3d(shift(random), shift(random), shift(random));
    EXPECT_LT(resultant(true).first.norm(), 1e-13) << shape_of(kind).name;
    EXPECT_LT(resultant(true).second.norm(), 1e-13) << shape_of(kind).name;
  }
}

}  // namespace
}  // namespace ricochet::test::pressure_test
