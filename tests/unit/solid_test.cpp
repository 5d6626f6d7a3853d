// Solid elements by themselves: derivatives, rigid motions, patch tests, meshes.
#include <gtest/gtest.h>

#include <random>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/subsystem/flexible_body.hpp"

namespace ricochet::test::solid_test {
namespace {

using Kind = SolidMaterial::Kind;

struct Case {
  ElementKind element;
  Kind material;
  std::string name() const {
    return std::string(shape_of(element).name) + "_" +
           (material == Kind::linear ? "linear"
            : material == Kind::svk  ? "svk"
                                     : "neo");
  }
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name(); }

/// One element of irregular shape, with its quadrature.
struct OneElement {
  std::vector<double> gradients, volumes;
  SolidMaterial material;
  ElementKind kind;
  int n;
  OneElement(const Case& c, std::mt19937& random) : kind(c.element), n(3 * shape_of(c.element).nodes) {
    const SolidMesh mesh = make_box({{1, 1.2, 0.8}, {1, 1, 1}, c.element});
    std::uniform_real_distribution<double> shift(-0.04, 0.04);
    std::vector<double> X;
    for (const int node : mesh.nodes_of(mesh.elements[0]))
      for (const double x : mesh.nodes[static_cast<std::size_t>(node)]) X.push_back(x + shift(random));
    for (const QuadraturePoint& p : shape_of(kind).stress) {
      std::vector<double> g(static_cast<std::size_t>(n));
      volumes.push_back(p.weight * reference_gradients(kind, p.xi, X.data(), g.data()));
      gradients.insert(gradients.end(), g.begin(), g.end());
    }
    material = SolidMaterial::elastic(c.material, 3, 0.3, 1);
    material.viscosity = 0.7;
  }
  SolidElement operator()() const { return {kind, material, {gradients.data(), volumes.data()}}; }
  VectorXd force(const VectorXd& u, const VectorXd& v) const {
    VectorXd f = VectorXd::Zero(n);
    (*this)().add_force(u.data(), v.data(), 1, f.data());
    return f;
  }
};

class SolidElementTest : public testing::TestWithParam<Case> {};

TEST_P(SolidElementTest, DerivativesAreThoseOfTheEnergy) {
  std::mt19937 random(3);
  const OneElement e(GetParam(), random);
  std::uniform_real_distribution<double> any(-0.1, 0.1);
  const VectorXd u = VectorXd::NullaryExpr(e.n, [&] { return any(random); });
  const VectorXd v = VectorXd::NullaryExpr(e.n, [&] { return 10 * any(random); }), zero = VectorXd::Zero(e.n);
  MatrixXd K = MatrixXd::Zero(e.n, e.n), C = K;
  e().add_tangent(u.data(), v.data(), 1, 0, K.data());
  e().add_tangent(u.data(), v.data(), 0, 1, C.data());
  const VectorXd f = e.force(u, zero);
  for (int j = 0; j < e.n; ++j) {
    const double h = 1e-4;
    const VectorXd step = h * VectorXd::Unit(e.n, j);
    const auto slope = [&](const auto& g) {
      using Value = decltype(g(1.0));
      return Value((8 * (g(1) - g(-1)) - (g(2) - g(-2))) / (12 * h));
    };
    const auto energy = [&](double s) { return e().energy(VectorXd(u + s * step).data()); };
    EXPECT_NEAR(slope(energy), f[j], 1e-9);
    const VectorXd k = slope([&](double s) { return VectorXd(e.force(u + s * step, v)); });
    const VectorXd c = slope([&](double s) { return VectorXd(e.force(u, v + s * step)); });
    EXPECT_LT((k - K.col(j)).cwiseAbs().maxCoeff(), 1e-9) << j;   // measured 4.2e-11
    EXPECT_LT((c - C.col(j)).cwiseAbs().maxCoeff(), 1e-10) << j;  // measured 4.9e-12
  }
  EXPECT_GT(e().least_volume_ratio(u.data()), 0.3);
}

TEST_P(SolidElementTest, RigidMotionsLeaveNoStress) {
  if (GetParam().material == Kind::linear) GTEST_SKIP() << "is for small rotations";
  std::mt19937 random(5);
  const OneElement e(GetParam(), random);
  // place the nodes again as OneElement did
  std::mt19937 again(5);
  const SolidMesh mesh = make_box({{1, 1.2, 0.8}, {1, 1, 1}, GetParam().element});
  std::uniform_real_distribution<double> shift(-0.04, 0.04);
  VectorXd X(e.n), u(e.n), v(e.n);
  Index k = 0;
  for (const int node : mesh.nodes_of(mesh.elements[0]))
    for (const double x : mesh.nodes[static_cast<std::size_t>(node)]) X[k++] = x + shift(again);
  const Matrix3d R = exp_rotation(Vector3d(1.1, -2, 0.4));
  const Vector3d omega(3, -1, 2);
  for (Index a = 0; a < e.n; a += 3) {
    u.segment<3>(a) = R * X.segment<3>(a) - X.segment<3>(a) + Vector3d(4, 5, -3);
    v.segment<3>(a) = Vector3d(1, 2, 3) + omega.cross(R * X.segment<3>(a));
  }
  EXPECT_LT(e.force(u, v).cwiseAbs().maxCoeff(), 2e-14);              // measured 4.6e-15
  EXPECT_LT(std::abs(e().energy(u.data())), 2e-15);                   // measured 3.9e-17
  EXPECT_LT(e().mean_stress(u.data()).cwiseAbs().maxCoeff(), 2e-14);  // measured 5.5e-15
}

INSTANTIATE_TEST_SUITE_P(All, SolidElementTest,
                         testing::Values(Case{ElementKind::hex8, Kind::linear}, Case{ElementKind::hex8, Kind::svk},
                                         Case{ElementKind::hex8, Kind::neo_hookean},
                                         Case{ElementKind::tet4, Kind::linear}, Case{ElementKind::tet4, Kind::svk},
                                         Case{ElementKind::tet4, Kind::neo_hookean},
                                         Case{ElementKind::tet10, Kind::linear}, Case{ElementKind::tet10, Kind::svk},
                                         Case{ElementKind::tet10, Kind::neo_hookean}),
                         [](const auto& p) { return p.param.name(); });

/// A block whose inner nodes are moved about.
SolidMesh irregular(ElementKind kind) {
  SolidMesh mesh = make_box({{2, 1, 1}, {3, 2, 2}, kind == ElementKind::tet10 ? ElementKind::tet4 : kind});
  std::mt19937 random(11);
  std::uniform_real_distribution<double> shift(-0.07, 0.07);
  const std::vector<int> surface = mesh.sets["surface"];
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n)
    if (!std::binary_search(surface.begin(), surface.end(), n))
      mesh.nodes[static_cast<std::size_t>(n)] += Vector3d(shift(random), shift(random), shift(random));
  if (kind != ElementKind::tet10) return mesh;
  SolidMesh regular = make_box({{2, 1, 1}, {3, 2, 2}, kind});
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) regular.nodes[n] = mesh.nodes[n];
  for (const auto& e : regular.elements)
    for (const auto& [m, a, b] : shape_of(kind).edges) {
      const auto nodes = regular.nodes_of(e);
      const auto at = [&](int i) -> Vector3d& {
        return regular.nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(i)])];
      };
      at(m) = (at(a) + at(b)) / 2;
    }
  return regular;
}

class PatchTest : public testing::TestWithParam<Case> {};

/// A constant strain on all nodes leaves the inner ones in balance, whatever the mesh; the stress is that of the
/// material. Large for the nonlinear ones.
TEST_P(PatchTest, ConstantStrain) {
  SolidParameters p;
  p.common.name = "patch";
  p.mesh = irregular(GetParam().element);
  p.material = SolidMaterial::elastic(GetParam().material, 5, 0.25, 1);
  const SolidMesh mesh = p.mesh;
  const SolidMaterial material = p.material;
  const auto body = make_flexible_solid(std::move(p));
  Matrix3d H;
  H << 0.1, 0.03, -0.02, 0.05, -0.07, 0.04, 0.01, -0.06, 0.08;
  VectorXd u(body->nq()), r = VectorXd::Zero(body->nv());
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n)
    u.segment<3>(body->coordinate_of(n)) = H * mesh.nodes[static_cast<std::size_t>(n)];
  const VectorXd zero = VectorXd::Zero(body->nv());
  const auto scratch = body->make_scratch();
  body->residual({0, u, zero}, zero, 1, r, *scratch);
  double inner = 0, outer = 0;
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
    const auto& surface = mesh.sets.at("surface");
    double& largest = std::binary_search(surface.begin(), surface.end(), n) ? outer : inner;
    largest = std::max(largest, r.segment<3>(body->coordinate_of(n)).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(inner, 2e-15 * 5);  // measured 2.1e-16
  EXPECT_GT(outer, 0.02);
  // the stress, from the formulas
  const Matrix3d F = Matrix3d::Identity() + H;
  Matrix3d expected;
  if (GetParam().material == Kind::linear) {
    expected = material.lambda * H.trace() * Matrix3d::Identity() + material.mu * (H + H.transpose());
  } else if (GetParam().material == Kind::svk) {
    const Matrix3d E = 0.5 * (F.transpose() * F - Matrix3d::Identity());
    const Matrix3d S = material.lambda * E.trace() * Matrix3d::Identity() + 2 * material.mu * E;
    expected = F * S * F.transpose() / F.determinant();
  } else {
    const double J = F.determinant();
    expected = (material.mu * (F * F.transpose() - Matrix3d::Identity()) +
                material.lambda * std::log(J) * Matrix3d::Identity()) /
               J;
  }
  for (std::size_t e = 0; e < mesh.elements.size(); ++e)
    EXPECT_LT((body->stress(e, u) - expected).cwiseAbs().maxCoeff(), 1e-14);  // measured 1.3e-15
}

INSTANTIATE_TEST_SUITE_P(All, PatchTest,
                         testing::Values(Case{ElementKind::hex8, Kind::linear}, Case{ElementKind::hex8, Kind::svk},
                                         Case{ElementKind::hex8, Kind::neo_hookean}, Case{ElementKind::tet4, Kind::svk},
                                         Case{ElementKind::tet10, Kind::linear}, Case{ElementKind::tet10, Kind::svk},
                                         Case{ElementKind::tet10, Kind::neo_hookean}),
                         [](const auto& p) { return p.param.name(); });

/// Momentum of a rigid motion: the mass matrix holds mass, centre and moments, consistent exactly, lumped its mass.
TEST(SolidMass, IsThatOfTheBody) {
  for (const ElementKind kind : {ElementKind::hex8, ElementKind::tet4, ElementKind::tet10})
    for (const bool lumped : {false, true}) {
      SolidParameters p;
      p.common.lumped = lumped;
      p.mesh = make_box({{1, 2, 3}, {2, 2, 2}, kind});
      p.material = SolidMaterial::elastic(Kind::svk, 1, 0.2, 7);
      const SolidMesh mesh = p.mesh;
      const auto body = make_flexible_solid(std::move(p));
      const auto scratch = body->make_scratch();
      VectorXd v(body->nv());
      const VectorXd still = VectorXd::Zero(body->nv());
      const auto kinetic = [&](const Vector3d& speed, const Vector3d& omega) {
        for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n)
          v.segment<3>(body->coordinate_of(n)) = speed + omega.cross(mesh.nodes[static_cast<std::size_t>(n)]);
        return body->energies({0, still, v}, *scratch).kinetic;
      };
      EXPECT_NEAR(kinetic({0, 0, 2}, Vector3d::Zero()), 0.5 * 42 * 4, 1e-12);
      if (lumped) continue;
      EXPECT_NEAR(kinetic(Vector3d::Zero(), {1, 0, 0}), 0.5 * 42 * (4 + 9) / 12.0, 1e-12);
    }
}

TEST(SolidMesh, VolumesSetsAndQuality) {
  for (const ElementKind kind : {ElementKind::hex8, ElementKind::tet4, ElementKind::tet10}) {
    const SolidMesh box = make_box({{1, 2, 3}, {3, 2, 4}, kind});
    EXPECT_EQ(check_mesh(box), "");
    const auto per_edge = [&](int n) { return kind == ElementKind::tet10 ? 2 * n + 1 : n + 1; };
    EXPECT_EQ(box.sets.at("bottom").size(), static_cast<std::size_t>(per_edge(3) * per_edge(2)));
    EXPECT_EQ(box.sets.at("all").size(), box.nodes.size());
    const std::size_t inside = static_cast<std::size_t>((per_edge(3) - 2) * (per_edge(2) - 2) * (per_edge(4) - 2));
    EXPECT_EQ(box.sets.at("surface").size(), box.nodes.size() - inside);
  }
  for (const int across : {4, 8, 16}) {
    const SolidMesh cylinder = make_cylinder({0.5, 2, across, 3});
    EXPECT_EQ(check_mesh(cylinder), "");
    EXPECT_GT(mesh_quality(cylinder).least, 0.55);  // measured 0.75 to 0.84
    EXPECT_EQ(cylinder.sets.at("side").size(), static_cast<std::size_t>(4 * 2 * across));
  }
  EXPECT_NEAR(mesh_quality(make_box({{1, 1, 1}, {2, 2, 2}, ElementKind::hex8})).least, 1, 1e-15);
}

TEST(SolidMesh, SaysWhichElementsAreWrong) {
  SolidMesh mesh = make_box({{1, 1, 1}, {2, 1, 1}, ElementKind::hex8});
  std::swap(mesh.connections[8], mesh.connections[12]);
  EXPECT_NE(check_mesh(mesh).find("element 2 is inverted"), std::string::npos) << check_mesh(mesh);
  mesh = make_box({{1, 1, 1}, {2, 1, 1}, ElementKind::hex8});
  mesh.nodes.push_back({5, 5, 5});
  EXPECT_NE(check_mesh(mesh).find("node 13 belongs to no element"), std::string::npos) << check_mesh(mesh);
}

TEST(SolidBody, SaysWhichElementIsInsideOut) {
  SolidParameters p;
  p.common.name = "block";
  p.mesh = make_box({{1, 1, 1}, {2, 1, 1}, ElementKind::hex8});
  p.material = SolidMaterial::elastic(Kind::svk, 1, 0.2, 1);
  const SolidMesh mesh = p.mesh;
  const auto body = make_flexible_solid(std::move(p));
  VectorXd u = VectorXd::Zero(body->nq());
  EXPECT_EQ(body->check_configuration(u), "");
  for (const int n : mesh.sets.at("right")) u[body->coordinate_of(n)] = -0.6;
  EXPECT_EQ(body->check_configuration(u), "element 2 of block is inside out");
}

}  // namespace
}  // namespace ricochet::test::solid_test
