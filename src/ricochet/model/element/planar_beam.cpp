#include "ricochet/model/element/planar_beam.hpp"

#include "ricochet/math/sincos.hpp"

namespace ricochet::element {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector4d;

/// A quarter turn.
Vector2d turned(const Vector2d& a) { return {-a.y(), a.x()}; }

}  // namespace

/// What strains at a point depend on, x = (r', phi, phi'), and strains as functions of it.
template <int N>
struct PlanarBeam<N>::AtPoint {
  using ToStrain = Eigen::Matrix<double, 3, 4>;
  using Square = Eigen::Matrix<double, 4, 4>;

  std::array<double, N> value, slope;  // of the shape functions; by arc length
  Matrix2d Q;                          // Q(-phi)
  Vector2d gamma;                      // Q(-phi) r'
  double kappa;

  AtPoint(const Nodes& at, int point, double rate) {
    const BeamPoint<N> shape = beam_points<N>()[static_cast<std::size_t>(point)];
    Vector2d r = Vector2d::Zero();
    double phi = 0;
    kappa = 0;
    for (std::size_t i = 0; i < N; ++i) {
      value[i] = shape.value[i];
      slope[i] = shape.slope[i] / rate;
      r += slope[i] * at[i].template head<2>();
      phi += value[i] * at[i][2];
      kappa += slope[i] * at[i][2];
    }
    const SineCosine turn = sine_cosine(phi);
    Q << turn.cosine, turn.sine, -turn.sine, turn.cosine;
    gamma = Q * r;
  }
  Strain strain() const { return {gamma.x(), gamma.y(), kappa}; }

  Vector4d gather(const Vector& v) const {
    Vector4d out = Vector4d::Zero();
    for (int i = 0; i < N; ++i) {
      const double n = value[static_cast<std::size_t>(i)], s = slope[static_cast<std::size_t>(i)];
      out.head<2>() += s * v.template segment<2>(3 * i);
      out[2] += n * v[3 * i + 2];
      out[3] += s * v[3 * i + 2];
    }
    return out;
  }
  void scatter(const Vector4d& y, double c, Vector& f) const {
    for (int i = 0; i < N; ++i) {
      const double n = c * value[static_cast<std::size_t>(i)], s = c * slope[static_cast<std::size_t>(i)];
      f.template segment<2>(3 * i) += s * y.head<2>();
      f[3 * i + 2] += n * y[2] + s * y[3];
    }
  }
  void scatter(const Square& A, Matrix& K) const {
    for (int j = 0; j < N; ++j) {
      const double n = value[static_cast<std::size_t>(j)], s = slope[static_cast<std::size_t>(j)];
      Eigen::Matrix<double, 4, 3> columns;
      columns.template leftCols<2>() = s * A.template leftCols<2>();
      columns.col(2) = n * A.col(2) + s * A.col(3);
      for (int i = 0; i < N; ++i) {
        const double ni = value[static_cast<std::size_t>(i)], si = slope[static_cast<std::size_t>(i)];
        K.template block<2, 3>(3 * i, 3 * j) += si * columns.template topRows<2>();
        K.template block<1, 3>(3 * i + 2, 3 * j) += ni * columns.row(2) + si * columns.row(3);
      }
    }
  }

  ToStrain to_strain() const {
    ToStrain D = ToStrain::Zero();
    D.template block<2, 2>(0, 0) = Q;
    D.template block<2, 1>(0, 2) = -turned(gamma);
    D(2, 3) = 1;
    return D;
  }
  /// (dD^T) stress
  Square geometric(const Strain& stress) const {
    const Vector2d n = stress.template head<2>();
    Square G = Square::Zero();
    G.template block<2, 1>(0, 2) = Q.transpose() * turned(n);
    G.template block<1, 2>(2, 0) = G.template block<2, 1>(0, 2).transpose();
    G(2, 2) = -n.dot(gamma);
    return G;
  }
  /// d(D u)/dx at a fixed u
  ToStrain rate_tangent(const Vector4d& u) const {
    ToStrain out = ToStrain::Zero();
    for (int k = 0; k < 2; ++k) out.template block<2, 1>(0, k) = -u[2] * turned(Q.col(k));
    out.template block<2, 1>(0, 2) = -turned(Q * u.head<2>()) - u[2] * gamma;
    return out;
  }
};

template <int N>
PlanarBeam<N>::PlanarBeam(const Nodes& reference, const Stiffness& stiffness, double lag)
    : stiffness_(stiffness), lag_(lag), rate_{}, natural_{} {
  for (std::size_t g = 0; g < kPoints; ++g) {
    const BeamPoint<N> at = beam_points<N>()[g];
    Vector2d slope = Vector2d::Zero();
    for (std::size_t i = 0; i < N; ++i) slope += at.slope[i] * reference[i].template head<2>();
    rate_[g] = slope.norm();
    length_ += at.weight * rate_[g];
    natural_[g] = AtPoint(reference, static_cast<int>(g), rate_[g]).strain();
  }
}

template <int N>
typename PlanarBeam<N>::Stiffness PlanarBeam<N>::weighted(int point) const {
  const auto g = static_cast<std::size_t>(point);
  return beam_points<N>()[g].weight * rate_[g] * stiffness_;
}

template <int N>
typename PlanarBeam<N>::Strain PlanarBeam<N>::strain(const Nodes& at, int point) const {
  const auto g = static_cast<std::size_t>(point);
  return AtPoint(at, point, rate_[g]).strain() - natural_[g];
}

template <int N>
typename PlanarBeam<N>::Strain PlanarBeam<N>::stress(const Nodes& at, const Vector& v, int point) const {
  const auto g = static_cast<std::size_t>(point);
  const AtPoint here(at, point, rate_[g]);
  return stiffness_.cwiseProduct(here.strain() - natural_[g] + lag_ * (here.to_strain() * here.gather(v)));
}

template <int N>
double PlanarBeam<N>::energy(const Nodes& at) const {
  double W = 0;
  for (int g = 0; g < kPoints; ++g) {
    const Strain e = strain(at, g);
    W += 0.5 * e.dot(weighted(g).cwiseProduct(e));
  }
  return W;
}

template <int N>
void PlanarBeam<N>::add_force(const Nodes& at, double c, Vector& f) const {
  for (int g = 0; g < kPoints; ++g) {
    const AtPoint here(at, g, rate_[static_cast<std::size_t>(g)]);
    const Strain stress = weighted(g).cwiseProduct(here.strain() - natural_[static_cast<std::size_t>(g)]);
    here.scatter(here.to_strain().transpose() * stress, c, f);
  }
}

template <int N>
void PlanarBeam<N>::add_damping(const Nodes& at, const Vector& v, double c, Vector& f) const {
  for (int g = 0; g < kPoints; ++g) {
    const AtPoint here(at, g, rate_[static_cast<std::size_t>(g)]);
    const typename AtPoint::ToStrain D = here.to_strain();
    const Strain stress = lag_ * weighted(g).cwiseProduct(D * here.gather(v));
    here.scatter(D.transpose() * stress, c, f);
  }
}

template <int N>
void PlanarBeam<N>::add_tangent(const Nodes& at, const Vector& v, double c_K, double c_C, Matrix& K) const {
  for (int g = 0; g < kPoints; ++g) {
    const AtPoint here(at, g, rate_[static_cast<std::size_t>(g)]);
    const typename AtPoint::ToStrain D = here.to_strain();
    const Stiffness stiffness = weighted(g);
    Strain stress = stiffness.cwiseProduct(here.strain() - natural_[static_cast<std::size_t>(g)]);
    typename AtPoint::ToStrain by_x = (c_K + lag_ * c_C) * D;
    if (lag_ != 0) {
      const Vector4d u = here.gather(v);
      stress += lag_ * stiffness.cwiseProduct(D * u);
      by_x += c_K * lag_ * here.rate_tangent(u);
    }
    here.scatter(D.transpose() * stiffness.asDiagonal() * by_x + c_K * here.geometric(stress), K);
  }
}

template class PlanarBeam<2>;
template class PlanarBeam<3>;

}  // namespace ricochet::element
