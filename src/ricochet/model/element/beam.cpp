#include "ricochet/model/element/beam.hpp"

#include <limits>

#include "ricochet/math/rotation_form.hpp"

namespace ricochet::element {
namespace {

/// The node that the others are seen from.
template <int N>
constexpr int kCentre = N == 3 ? 1 : 0;

/// At half a turn the logarithm of a rotation jumps to the other side and the beam would unwind; short of it there is
/// nothing that is finite any more, and the step fails. [rad]
constexpr double kMostTurn = 2.8;

template <int N>
constexpr int node_of(int other) {
  return other < kCentre<N> ? other : other + 1;
}

}  // namespace

/// The element in the axes of its node c.
template <int N>
struct Beam<N>::Local {
  static constexpr int kOthers = N - 1, kSize = 6 * kOthers, kC = 6 * kCentre<N>;
  using Coordinates = Eigen::Matrix<double, kSize, 1>;  // d_i, psi_i, node after node
  using Square = Eigen::Matrix<double, kSize, kSize>;
  using Map = Eigen::Matrix<double, kSize, 6 * N>;

  Matrix3d R;
  Coordinates p;

  explicit Local(const Nodes& at) {
    const BeamNode& c = at[kCentre<N>];
    R = c.Q.toRotationMatrix();
    for (int k = 0; k < kOthers; ++k) {
      const BeamNode& node = at[node_of<N>(k)];
      p.template segment<3>(6 * k) = R.transpose() * (node.r - c.r);
      p.template segment<3>(6 * k + 3) = log_quaternion(c.Q.conjugate() * node.Q);
      if (!(psi(k).norm() <= kMostTurn)) p.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }
  Vector3d d(int k) const { return p.template segment<3>(6 * k); }
  Vector3d psi(int k) const { return p.template segment<3>(6 * k + 3); }
  RotationForm inverse(int k) const { return RotationForm::inverse_jacobian(psi(k), Stumpff(psi(k).squaredNorm())); }

  /// T: what increments of the nodes make of the coordinates.
  Map map() const {
    Map T = Map::Zero();
    for (int k = 0; k < kOthers; ++k) {
      const int i = 6 * node_of<N>(k);
      const Matrix3d A = inverse(k).matrix();
      T.template block<3, 3>(6 * k, i) = R.transpose();
      T.template block<3, 3>(6 * k, kC) = -R.transpose();
      T.template block<3, 3>(6 * k, kC + 3) = skew(d(k));
      T.template block<3, 3>(6 * k + 3, i + 3) = A;
      T.template block<3, 3>(6 * k + 3, kC + 3) = -A.transpose();
    }
    return T;
  }
  /// K += c (dT^T) g
  void add_turning(const Map& T, const Coordinates& g, double c, Matrix& K) const {
    for (int k = 0; k < kOthers; ++k) {
      const int i = 6 * node_of<N>(k);
      const Vector3d f = c * g.template segment<3>(6 * k), m = c * g.template segment<3>(6 * k + 3);
      const Matrix3d turn = R * skew(f);
      const RotationForm A = inverse(k);
      const auto T_d = T.template middleRows<3>(6 * k), T_psi = T.template middleRows<3>(6 * k + 3);
      K.template block<3, 3>(i, kC + 3) -= turn;
      K.template block<3, 3>(kC, kC + 3) += turn;
      K.template middleRows<3>(kC + 3) += skew(f) * T_d - A.derivative(m) * T_psi;
      K.template middleRows<3>(i + 3) += A.transposed().derivative(m) * T_psi;
    }
  }
  /// d(T v)/dq at fixed v
  Map turning_rate(const Map& T, const Vector& v) const {
    Map out;
    const Vector3d v_c = v.template segment<3>(kC), omega_c = v.template segment<3>(kC + 3);
    for (int k = 0; k < kOthers; ++k) {
      const int i = 6 * node_of<N>(k);
      const Vector3d v_i = v.template segment<3>(i), omega_i = v.template segment<3>(i + 3);
      const RotationForm A = inverse(k);
      out.template middleRows<3>(6 * k) = -skew(omega_c) * T.template middleRows<3>(6 * k);
      out.template block<3, 3>(6 * k, kC + 3) += skew(R.transpose() * (v_i - v_c));
      out.template middleRows<3>(6 * k + 3) =
          (A.derivative(omega_i) - A.transposed().derivative(omega_c)) * T.template middleRows<3>(6 * k + 3);
    }
    return out;
  }
};

/// What strains at a point depend on, x = (z, psi, psi'), and strains as functions of it.
template <int N>
struct Beam<N>::AtPoint {
  using Coordinates = Eigen::Matrix<double, 9, 1>;
  using Square = Eigen::Matrix<double, 9, 9>;
  using ToStrain = Eigen::Matrix<double, 6, 9>;

  std::array<double, N - 1> value, slope;  // of the shape functions of the other nodes; by arc length
  Coordinates x;
  RotationForm back, jacobian;

  AtPoint(const Local& local, int point, double rate)
      : AtPoint(local, [&] {
          std::array<std::array<double, N - 1>, 2> shape{};
          const BeamPoint<N> at = beam_points<N>()[static_cast<std::size_t>(point)];
          for (int k = 0; k < N - 1; ++k) {
            shape[0][static_cast<std::size_t>(k)] = at.value[static_cast<std::size_t>(node_of<N>(k))];
            shape[1][static_cast<std::size_t>(k)] = at.slope[static_cast<std::size_t>(node_of<N>(k))] / rate;
          }
          return shape;
        }()) {}

  Vector3d z() const { return x.template head<3>(); }
  Vector3d psi() const { return x.template segment<3>(3); }
  Vector3d slope_of_psi() const { return x.template tail<3>(); }

  /// Of coordinates of the element, or of their rates.
  Coordinates gather(const typename Local::Coordinates& p) const {
    Coordinates out = Coordinates::Zero();
    for (int k = 0; k < N - 1; ++k) {
      out.template head<3>() += slope[static_cast<std::size_t>(k)] * p.template segment<3>(6 * k);
      out.template segment<3>(3) += value[static_cast<std::size_t>(k)] * p.template segment<3>(6 * k + 3);
      out.template tail<3>() += slope[static_cast<std::size_t>(k)] * p.template segment<3>(6 * k + 3);
    }
    return out;
  }
  void scatter(const Coordinates& y, typename Local::Coordinates& g) const {
    for (int k = 0; k < N - 1; ++k) {
      const double n = value[static_cast<std::size_t>(k)], s = slope[static_cast<std::size_t>(k)];
      g.template segment<3>(6 * k) += s * y.template head<3>();
      g.template segment<3>(6 * k + 3) += n * y.template segment<3>(3) + s * y.template tail<3>();
    }
  }
  void scatter(const Square& A, typename Local::Square& H) const {
    for (int l = 0; l < N - 1; ++l) {
      const double n = value[static_cast<std::size_t>(l)], s = slope[static_cast<std::size_t>(l)];
      Eigen::Matrix<double, 9, 6> columns;
      columns.template leftCols<3>() = s * A.template leftCols<3>();
      columns.template rightCols<3>() = n * A.template middleCols<3>(3) + s * A.template rightCols<3>();
      for (int k = 0; k < N - 1; ++k) {
        const double nk = value[static_cast<std::size_t>(k)], sk = slope[static_cast<std::size_t>(k)];
        H.template block<3, 6>(6 * k, 6 * l) += sk * columns.template topRows<3>();
        H.template block<3, 6>(6 * k + 3, 6 * l) +=
            nk * columns.template middleRows<3>(3) + sk * columns.template bottomRows<3>();
      }
    }
  }

  Strain strain() const {
    Strain e;
    e << back.times(z()), jacobian.times(slope_of_psi());
    return e;
  }
  ToStrain to_strain() const {
    ToStrain D = ToStrain::Zero();
    D.template block<3, 3>(0, 0) = back.matrix();
    D.template block<3, 3>(0, 3) = back.derivative(z());
    D.template block<3, 3>(3, 3) = jacobian.derivative(slope_of_psi());
    D.template block<3, 3>(3, 6) = jacobian.matrix();
    return D;
  }
  /// D^T stress
  Coordinates pull(const Strain& stress) const {
    const Vector3d n = stress.template head<3>(), m = stress.template tail<3>();
    Coordinates y;
    y << back.transposed().times(n), back.gradient(n, z()) + jacobian.gradient(m, slope_of_psi()),
        jacobian.transposed().times(m);
    return y;
  }
  /// (dD^T) stress
  Square geometric(const Strain& stress) const {
    const Vector3d n = stress.template head<3>(), m = stress.template tail<3>();
    const Matrix3d by_z = back.transposed().derivative(n), by_slope = jacobian.transposed().derivative(m);
    Square G = Square::Zero();
    G.template block<3, 3>(0, 3) = by_z;
    G.template block<3, 3>(3, 0) = by_z.transpose();
    G.template block<3, 3>(6, 3) = by_slope;
    G.template block<3, 3>(3, 6) = by_slope.transpose();
    G.template block<3, 3>(3, 3) = back.hessian(n, z()) + jacobian.hessian(m, slope_of_psi());
    return G;
  }
  /// d(D u)/dx at a fixed u
  ToStrain rate_tangent(const Coordinates& u) const {
    const Vector3d z_rate = u.template head<3>(), psi_rate = u.template segment<3>(3);
    ToStrain out = ToStrain::Zero();
    out.template block<3, 3>(0, 0) = back.along(psi_rate);
    out.template block<3, 3>(3, 6) = jacobian.along(psi_rate);
    out.template block<3, 3>(0, 3) = back.derivative(z_rate);
    out.template block<3, 3>(3, 3) = jacobian.derivative(u.template tail<3>());
    for (int k = 0; k < 3; ++k) {
      const Vector3d e = Vector3d::Unit(k);
      out.template block<1, 3>(k, 3) += (back.hessian(e, z()) * psi_rate).transpose();
      out.template block<1, 3>(3 + k, 3) += (jacobian.hessian(e, slope_of_psi()) * psi_rate).transpose();
    }
    return out;
  }

 private:
  AtPoint(const Local& local, const std::array<std::array<double, N - 1>, 2>& shape)
      : value(shape[0]),
        slope(shape[1]),
        x(gather(local.p)),
        back(RotationForm::back(psi(), Stumpff(psi().squaredNorm()))),
        jacobian(RotationForm::jacobian(psi(), Stumpff(psi().squaredNorm()))) {}
};

template <int N>
Beam<N>::Beam(const Nodes& reference, const Stiffness& stiffness, double lag)
    : stiffness_(stiffness), lag_(lag), rate_{}, natural_{} {
  const Local local(reference);
  for (int g = 0; g < kPoints; ++g) {
    const BeamPoint<N> at = beam_points<N>()[static_cast<std::size_t>(g)];
    Vector3d slope = Vector3d::Zero();
    for (int i = 0; i < N; ++i)
      slope += at.slope[static_cast<std::size_t>(i)] * reference[static_cast<std::size_t>(i)].r;
    const double rate = rate_[static_cast<std::size_t>(g)] = slope.norm();
    length_ += at.weight * rate;
    natural_[static_cast<std::size_t>(g)] = AtPoint(local, g, rate).strain();
  }
}

template <int N>
typename Beam<N>::Stiffness Beam<N>::weighted(int point) const {
  const auto g = static_cast<std::size_t>(point);
  return beam_points<N>()[g].weight * rate_[g] * stiffness_;
}

template <int N>
typename Beam<N>::Strain Beam<N>::strain(const Nodes& at, int point) const {
  const auto g = static_cast<std::size_t>(point);
  return AtPoint(Local(at), point, rate_[g]).strain() - natural_[g];
}

template <int N>
typename Beam<N>::Strain Beam<N>::stress(const Nodes& at, const Vector& v, int point) const {
  const auto g = static_cast<std::size_t>(point);
  const Local local(at);
  const AtPoint here(local, point, rate_[g]);
  Strain e = here.strain() - natural_[g];
  if (lag_ != 0) e += lag_ * (here.to_strain() * here.gather(local.map() * v));
  return stiffness_.cwiseProduct(e);
}

template <int N>
double Beam<N>::energy(const Nodes& at) const {
  double W = 0;
  for (int g = 0; g < kPoints; ++g) {
    const Strain e = strain(at, g);
    W += 0.5 * e.dot(weighted(g).cwiseProduct(e));
  }
  return W;
}

template <int N>
void Beam<N>::add_force(const Nodes& at, double c, Vector& f) const {
  const Local local(at);
  typename Local::Coordinates g = Local::Coordinates::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const AtPoint here(local, k, rate_[static_cast<std::size_t>(k)]);
    here.scatter(here.pull(weighted(k).cwiseProduct(here.strain() - natural_[static_cast<std::size_t>(k)])), g);
  }
  f += c * (local.map().transpose() * g);
}

template <int N>
void Beam<N>::add_damping(const Nodes& at, const Vector& v, double c, Vector& f) const {
  const Local local(at);
  const typename Local::Map T = local.map();
  const typename Local::Coordinates rate = T * v;
  typename Local::Coordinates g = Local::Coordinates::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const AtPoint here(local, k, rate_[static_cast<std::size_t>(k)]);
    const Strain e = here.to_strain() * here.gather(rate);
    here.scatter(here.pull(lag_ * weighted(k).cwiseProduct(e)), g);
  }
  f += c * (T.transpose() * g);
}

template <int N>
void Beam<N>::add_tangent(const Nodes& at, const Vector& v, double c_K, double c_C, Matrix& K) const {
  const Local local(at);
  const typename Local::Map T = local.map();
  const typename Local::Coordinates rate = T * v;
  typename Local::Coordinates g = Local::Coordinates::Zero();
  typename Local::Square H = Local::Square::Zero(), C = Local::Square::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const AtPoint here(local, k, rate_[static_cast<std::size_t>(k)]);
    const typename AtPoint::ToStrain D = here.to_strain();
    const Stiffness stiffness = weighted(k);
    Strain stress = stiffness.cwiseProduct(here.strain() - natural_[static_cast<std::size_t>(k)]);
    const Eigen::Matrix<double, 9, 6> DC = D.transpose() * stiffness.asDiagonal();
    const typename AtPoint::Square material = DC * D;
    typename AtPoint::Square all = material;
    if (lag_ != 0) {
      const typename AtPoint::Coordinates u = here.gather(rate);
      stress += lag_ * stiffness.cwiseProduct(D * u);
      all += lag_ * (DC * here.rate_tangent(u));
      here.scatter(typename AtPoint::Square(lag_ * material), C);
    }
    here.scatter(here.pull(stress), g);
    here.scatter(typename AtPoint::Square(all + here.geometric(stress)), H);
  }
  typename Local::Map HT = c_K * (H * T);
  if (lag_ != 0) HT += C * (c_C * T + c_K * local.turning_rate(T, v));
  K += T.transpose() * HT;
  local.add_turning(T, g, c_K, K);
}

template class Beam<2>;
template class Beam<3>;

}  // namespace ricochet::element
