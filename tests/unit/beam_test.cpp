// Beam elements: forces and tangents against differences, rigid motions, paths, both kinds against each other.
#include "ricochet/model/element/beam.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ricochet/math/rotation_form.hpp"
#include "ricochet/math/view.hpp"
#include "ricochet/model/element/planar_beam.hpp"
#include "support/dense.hpp"

namespace ricochet::test::beam_test {
namespace {

using element::Beam;
using element::BeamNode;
using element::PlanarBeam;

double noise(std::mt19937& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

Vector3d noisy(std::mt19937& random) {
  const double x = noise(random), y = noise(random);
  return {x, y, noise(random)};
}

// ---- the same words for both kinds of element

BeamNode moved(const BeamNode& n, const Eigen::Ref<const VectorXd>& x) {
  return {n.r + x.head(3), (n.Q * exp_quaternion(x.tail(3))).normalized()};
}
Eigen::Vector3d moved(const Eigen::Vector3d& n, const Eigen::Ref<const VectorXd>& x) { return n + x; }

template <class Element>
typename Element::Nodes moved(const typename Element::Nodes& at, const typename Element::Vector& x) {
  typename Element::Nodes out = at;
  for (int i = 0; i < Element::kNodes; ++i) {
    auto& node = out[static_cast<std::size_t>(i)];
    node = moved(node, VectorXd(x.segment(Element::kFreedoms * i, Element::kFreedoms)));
  }
  return out;
}

/// A curved element with stiffnesses of different sizes.
template <class Element>
struct Sample;

template <int N>
struct Sample<Beam<N>> {
  static typename Beam<N>::Nodes nodes() {
    typename Beam<N>::Nodes out;
    for (int i = 0; i < N; ++i)
      out[static_cast<std::size_t>(i)] = {{0.7 * i, 0.1 * i * i, -0.05 * i},
                                          exp_quaternion(Vector3d(0.1 * i, 0.07, 0.3 * i)).normalized()};
    return out;
  }
  static Beam<N> make(double lag) {
    typename Beam<N>::Stiffness c;
    c << 7, 3, 2, 1.5, 0.9, 1.1;
    return {nodes(), c, lag};
  }
};
template <int N>
struct Sample<PlanarBeam<N>> {
  static typename PlanarBeam<N>::Nodes nodes() {
    typename PlanarBeam<N>::Nodes out;
    for (int i = 0; i < N; ++i) out[static_cast<std::size_t>(i)] = {0.7 * i, 0.1 * i * i, 0.05 + 0.3 * i};
    return out;
  }
  static PlanarBeam<N> make(double lag) { return {nodes(), {7, 3, 1.1}, lag}; }
};

template <class Element>
struct BeamKernel : testing::Test {
  using Vector = typename Element::Vector;
  using Matrix = typename Element::Matrix;
  std::mt19937 random{3};
  const Element element = Sample<Element>::make(0.4);
  Vector vector(double scale) {
    return Vector::NullaryExpr([&] { return scale * noise(random); });
  }
  Vector forces(const typename Element::Nodes& at, const Vector& v) const {
    Vector f = Vector::Zero();
    element.add_force(at, 1, f);
    element.add_damping(at, v, 1, f);
    return f;
  }
};
using Kernels = testing::Types<PlanarBeam<2>, PlanarBeam<3>, Beam<2>, Beam<3>>;
TYPED_TEST_SUITE(BeamKernel, Kernels);

TYPED_TEST(BeamKernel, ForcesAreTheGradientOfTheEnergy) {
  const auto at = moved<TypeParam>(Sample<TypeParam>::nodes(), this->vector(0.4));
  typename TypeParam::Vector f = TypeParam::Vector::Zero();
  this->element.add_force(at, 1, f);
  for (int k = 0; k < f.size(); ++k) {
    const auto energy = [&](double s) {
      typename TypeParam::Vector x = TypeParam::Vector::Zero();
      x[k] = s;
      return this->element.energy(moved<TypeParam>(at, x));
    };
    const double h = 1e-3;
    const double slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    EXPECT_NEAR(f[k], slope, 1e-9) << k;  // measured: up to 3e-11
  }
}

TYPED_TEST(BeamKernel, TangentsAreTheDerivativesOfForcesAndDamping) {
  const auto at = moved<TypeParam>(Sample<TypeParam>::nodes(), this->vector(0.4));
  const auto v = this->vector(1);
  typename TypeParam::Matrix K = TypeParam::Matrix::Zero(), C = TypeParam::Matrix::Zero();
  this->element.add_tangent(at, v, 1, 0, K);
  this->element.add_tangent(at, v, 0, 1, C);
  for (int k = 0; k < v.size(); ++k) {
    const auto along = [&](double s, bool place) {
      typename TypeParam::Vector x = TypeParam::Vector::Zero();
      x[k] = s;
      return place ? this->forces(moved<TypeParam>(at, x), v) : this->forces(at, v + x);
    };
    const double h = 1e-3;
    for (const bool place : {true, false}) {
      const typename TypeParam::Vector slope =
          (8 * (along(h, place) - along(-h, place)) - (along(2 * h, place) - along(-2 * h, place))) / (12 * h);
      EXPECT_LT(((place ? K : C).col(k) - slope).cwiseAbs().maxCoeff(), 1e-8) << k << place;  // measured: up to 2e-10
    }
  }
}

TYPED_TEST(BeamKernel, ForcesBalanceAndDampingTakesEnergy) {
  const auto at = moved<TypeParam>(Sample<TypeParam>::nodes(), this->vector(0.4));
  const auto v = this->vector(1);
  typename TypeParam::Vector f = TypeParam::Vector::Zero();
  this->element.add_damping(at, v, 1, f);
  EXPECT_GT(f.dot(v), 0);
  const auto all = this->forces(at, v);
  VectorXd sum = VectorXd::Zero(TypeParam::kFreedoms);
  for (int i = 0; i < TypeParam::kNodes; ++i) sum += all.segment(TypeParam::kFreedoms * i, TypeParam::kFreedoms);
  EXPECT_LT(sum.head(TypeParam::kFreedoms == 6 ? 3 : 2).norm(), 1e-14);
}

TYPED_TEST(BeamKernel, AtRestNothingIsStrained) {
  for (int g = 0; g < TypeParam::kPoints; ++g) {
    EXPECT_EQ(this->element.strain(Sample<TypeParam>::nodes(), g).norm(), 0);
    EXPECT_EQ(this->element.stress(Sample<TypeParam>::nodes(), TypeParam::Vector::Zero(), g).norm(), 0);
  }
}

template <int N>
void expect_no_strain_in_rigid_motion() {
  std::mt19937 random(5);
  const Beam<N> element = Sample<Beam<N>>::make(0.4);
  for (int k = 0; k < 20; ++k) {
    const Quaterniond Q = exp_quaternion(3 * noisy(random)).normalized();
    const Vector3d shift = 10 * noisy(random), omega = 5 * noisy(random);
    auto nodes = Sample<Beam<N>>::nodes();
    typename Beam<N>::Vector v;
    for (int i = 0; i < N; ++i) {
      BeamNode& node = nodes[static_cast<std::size_t>(i)];
      node = {shift + Q * node.r, Q * node.Q};
      v.template segment<3>(6 * i) = omega.cross(node.r);
      v.template segment<3>(6 * i + 3) = node.Q.conjugate() * omega;
    }
    for (int g = 0; g < N - 1; ++g) {
      EXPECT_LT(element.strain(nodes, g).norm(), 1e-13);  // measured: up to 5e-15
      EXPECT_LT(element.stress(nodes, v, g).norm(), 1e-12);
    }
  }
}

TEST(BeamKernels, RigidMotionsLeaveNoStrain) {
  expect_no_strain_in_rigid_motion<2>();
  expect_no_strain_in_rigid_motion<3>();
}

/// Moments about the origin balance too: turning everything does no work.
template <int N>
void expect_moments_to_balance() {
  std::mt19937 random(6);
  const Beam<N> element = Sample<Beam<N>>::make(0.4);
  auto nodes = Sample<Beam<N>>::nodes();
  for (BeamNode& n : nodes) n = {n.r + 0.3 * noisy(random), (n.Q * exp_quaternion(0.5 * noisy(random))).normalized()};
  typename Beam<N>::Vector v = Beam<N>::Vector::NullaryExpr([&] { return noise(random); });
  typename Beam<N>::Vector f = Beam<N>::Vector::Zero();
  element.add_force(nodes, 1, f);
  element.add_damping(nodes, v, 1, f);
  Vector3d moment = Vector3d::Zero();
  for (int i = 0; i < N; ++i) {
    const BeamNode& n = nodes[static_cast<std::size_t>(i)];
    moment += n.r.cross(f.template segment<3>(6 * i)) + n.Q * Vector3d(f.template segment<3>(6 * i + 3));
  }
  EXPECT_LT(moment.norm(), 1e-13);
}

TEST(BeamKernels, MomentsBalance) {
  expect_moments_to_balance<2>();
  expect_moments_to_balance<3>();
}

// What a configuration costs does not depend on the way to it, nor on the sign of the quaternions.
TEST(BeamKernels, EnergyDoesNotDependOnThePath) {
  std::mt19937 random(8);
  const Beam<3> element = Sample<Beam<3>>::make(0);
  auto nodes = Sample<Beam<3>>::nodes();
  for (int k = 0; k < 100; ++k)  // around, and home again
    for (BeamNode& n : nodes) n.Q = (n.Q * exp_quaternion(Vector3d(0, 0, 2 * 3.14159265358979324 / 100))).normalized();
  EXPECT_LT(element.energy(nodes), 1e-26);
  nodes[1].Q.coeffs() *= -1;
  EXPECT_LT(element.energy(nodes), 1e-26);
}

// Direction of counting is of no account: nodes in the other order, axes turned by pi about z.
TEST(BeamKernels, OrderOfNodesDoesNotMatter) {
  std::mt19937 random(9);
  const auto backward = [](const Beam<2>::Nodes& n) {
    const Quaterniond half(0, 0, 0, 1);
    return Beam<2>::Nodes{BeamNode{n[1].r, n[1].Q * half}, BeamNode{n[0].r, n[0].Q * half}};
  };
  Beam<2>::Stiffness c;
  c << 7, 3, 2, 1.5, 0.9, 1.1;
  const auto home = Sample<Beam<2>>::nodes();
  const Beam<2> one(home, c), other(backward(home), c);
  Beam<2>::Vector x = Beam<2>::Vector::NullaryExpr([&] { return 0.4 * noise(random); });
  const auto at = moved<Beam<2>>(home, x);
  EXPECT_NEAR(one.energy(at), other.energy(backward(at)), 1e-14);
}

// A beam in space that moves in a plane is a beam in the plane.
template <int N>
void expect_plane_in_space() {
  std::mt19937 random(11);
  const auto home = Sample<PlanarBeam<N>>::nodes();
  const auto lift = [](const typename PlanarBeam<N>::Nodes& flat) {
    typename Beam<N>::Nodes out;
    for (std::size_t i = 0; i < N; ++i)
      out[i] = {{flat[i][0], flat[i][1], 0}, exp_quaternion(Vector3d(0, 0, flat[i][2]))};
    return out;
  };
  typename Beam<N>::Stiffness c;
  c << 7, 3, 2, 1.5, 0.9, 1.1;
  const PlanarBeam<N> plane(home, {7, 3, 1.1}, 0.2);
  const Beam<N> space(lift(home), c, 0.2);
  typename PlanarBeam<N>::Vector x = PlanarBeam<N>::Vector::NullaryExpr([&] { return 0.4 * noise(random); }), v = x;
  const auto at = moved<PlanarBeam<N>>(home, x);
  typename Beam<N>::Vector rates = Beam<N>::Vector::Zero();
  for (int i = 0; i < N; ++i) {
    rates.template segment<2>(6 * i) = v.template segment<2>(3 * i);
    rates[6 * i + 5] = v[3 * i + 2];
  }
  EXPECT_NEAR(plane.energy(at), space.energy(lift(at)), 1e-14);
  typename PlanarBeam<N>::Vector f = PlanarBeam<N>::Vector::Zero();
  typename Beam<N>::Vector F = Beam<N>::Vector::Zero();
  plane.add_force(at, 1, f);
  plane.add_damping(at, v, 1, f);
  space.add_force(lift(at), 1, F);
  space.add_damping(lift(at), rates, 1, F);
  for (int i = 0; i < N; ++i) {
    EXPECT_LT((f.template segment<2>(3 * i) - F.template segment<2>(6 * i)).norm(), 1e-13);
    EXPECT_NEAR(f[3 * i + 2], F[6 * i + 5], 1e-13);
  }
}

TEST(BeamKernels, PlaneAgreesWithSpace) {
  expect_plane_in_space<2>();
  expect_plane_in_space<3>();
}

// Slender as a hair, a cantilever bends by F L^3 / (3 E I): nothing locks. Two nodes are exact in the mean of the
// slope and off by the moment's variation, 1/(4 n^2) of the tip's way; three are exact.
template <int N>
double tip_of_cantilever(int elements, double slenderness) {
  const double EI = 1, L = 1, GA = slenderness * slenderness;
  const int nodes = (N - 1) * elements + 1, n = 3 * (nodes - 1);
  MatrixXd K = MatrixXd::Zero(3 * nodes, 3 * nodes);
  for (int e = 0; e < elements; ++e) {
    typename PlanarBeam<N>::Nodes at;
    for (int i = 0; i < N; ++i) at[static_cast<std::size_t>(i)] = {L * ((N - 1) * e + i) / (nodes - 1), 0, 0};
    typename PlanarBeam<N>::Matrix own = PlanarBeam<N>::Matrix::Zero();
    PlanarBeam<N>(at, {GA, GA, EI}).add_tangent(at, PlanarBeam<N>::Vector::Zero(), 1, 0, own);
    K.block(3 * (N - 1) * e, 3 * (N - 1) * e, 3 * N, 3 * N) += own;
  }
  VectorXd load = VectorXd::Zero(n);
  load[n - 2] = 1e-3;
  return test::solve_dense(K.bottomRightCorner(n, n), load)(n - 2, 0) / (1e-3 * L * L * L / (3 * EI));
}

TEST(BeamKernels, NothingLocks) {
  for (const double slenderness : {1e2, 1e4}) {
    for (const int n : {1, 2, 8})
      EXPECT_NEAR(tip_of_cantilever<2>(n, slenderness), 1 - 0.25 / (n * n), 4 / (slenderness * slenderness) + 1e-6);
    EXPECT_NEAR(tip_of_cantilever<3>(1, slenderness), 1, 4 / (slenderness * slenderness) + 1e-6);
  }
}

TEST(RotationForms, AreWhatTheySay) {
  std::mt19937 random(12);
  for (const double size : {1e-9, 1e-3, 0.4, 0.6, 2.9}) {
    const Vector3d psi = size * noisy(random).normalized(), a = noisy(random);
    const Stumpff c(psi.squaredNorm());
    EXPECT_LT((RotationForm::back(psi, c).times(a) - exp_rotation(psi).transpose() * a).norm(), 1e-14) << size;
    EXPECT_LT((RotationForm::jacobian(psi, c).matrix() - right_jacobian(psi)).norm(), 1e-13) << size;
    EXPECT_LT((RotationForm::inverse_jacobian(psi, c).matrix() * right_jacobian(psi) - Matrix3d::Identity()).norm(),
              1e-13)
        << size;
  }
}

}  // namespace
}  // namespace ricochet::test::beam_test
