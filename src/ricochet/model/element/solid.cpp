#include "ricochet/model/element/solid.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

using Kind = SolidMaterial::Kind;

/// ln(1 + x), exact where x is small.
double log_of_one_plus(double x) {
  const double u = 1 + x;
  return u == 1 ? x : elementary::log(u) * (x / (u - 1));
}

/// det(1 + H) - 1, without loss where H is small.
double volume_change(const Matrix3d& H) {
  const double minors = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1) +
                        H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0);
  return H.trace() + minors + H.determinant();
}

/// Everything at one point that the sums need.
struct State {
  Matrix3d H, F, E;  // of linear materials F = 1
  double theta = 0;  // tr E, or J - 1
  Matrix3d T;        // its derivative by F: F, or J F^-T
  Matrix3d inverse;  // F^-T, neo-Hookean
  State(const Matrix3d& gradient, Kind kind) : H(gradient), F(Matrix3d::Identity()) {
    E = 0.5 * (H + H.transpose());
    if (kind != Kind::linear) {
      F += H;
      E += 0.5 * (H.transpose() * H);
    }
    theta = E.trace();
    T = F;
    if (kind != Kind::neo_hookean) return;
    theta = volume_change(H);
    inverse = F.inverse().transpose();
    T = (1 + theta) * inverse;
  }
};

/// The volumetric part of a group of points: energy density, its slope and curvature in theta.
struct Volumetric {
  double energy = 0, slope = 0, curvature = 0;
  Volumetric() = default;
  Volumetric(const SolidMaterial& m, double theta) {
    if (m.kind != Kind::neo_hookean) {
      energy = 0.5 * m.lambda * theta * theta;
      slope = m.lambda * theta;
      curvature = m.lambda;
      return;
    }
    const double J = 1 + theta, log = log_of_one_plus(theta);
    energy = 0.5 * m.lambda * log * log;
    slope = m.lambda * log / J;
    curvature = m.lambda * (1 - log) / (J * J);
  }
};

template <int N>
class Sums {
 public:
  using Nodes = Eigen::Matrix<double, 3, N>;
  using ConstNodes = Eigen::Map<const Nodes>;
  static constexpr int kPoints = N == 8 ? 8 : N == 10 ? 4 : 1;
  static constexpr int kGroup = N == 8 ? 8 : 1;  ///< points that share their volumetric part

  Sums(const SolidMaterial& m, const SolidPoints& p) : m_(m), p_(p) {}

  double energy(const double* u) const {
    double sum = 0;
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0, theta = 0;
      for (int q = first; q < first + kGroup; ++q) {
        const State s(gradient(q, u), m_.kind);
        const double w = p_.volumes[q];
        volume += w;
        theta += w * s.theta;
        // (tr C - 3)/2 = tr E
        sum += w * m_.mu * (m_.kind == Kind::neo_hookean ? s.E.trace() - log_of_one_plus(s.theta) : s.E.squaredNorm());
      }
      sum += volume * Volumetric(m_, theta / volume).energy;
    }
    return sum;
  }

  bool force(const double* u, double c, double* f) const {
    Eigen::Map<Nodes> out(f);
    bool sound = true;
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0, theta = 0;
      Nodes T = Nodes::Zero();
      for (int q = first; q < first + kGroup; ++q) {
        const State s(gradient(q, u), m_.kind);
        const double w = p_.volumes[q];
        sound = sound && (m_.kind == Kind::linear || 1 + volume_change(s.H) > 0);
        volume += w;
        theta += w * s.theta;
        T.noalias() += w * s.T * n(q);
        out.noalias() += c * w * m_.mu * isochoric(s) * n(q);
      }
      out += c * Volumetric(m_, theta / volume).slope * T;
    }
    return sound;
  }

  void viscous(const double* u, const double* v, double c, double* f) const {
    Eigen::Map<Nodes> out(f);
    const double b = c * m_.viscosity;
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0, theta = 0;
      Nodes T = Nodes::Zero();
      for (int q = first; q < first + kGroup; ++q) {
        const Matrix3d F = deformation(gradient(q, u));
        const Matrix3d rate = strain_rate(F, gradient(q, v));
        const double w = p_.volumes[q];
        volume += w;
        theta += w * rate.trace();
        T.noalias() += w * F * n(q);
        out.noalias() += b * w * 2 * m_.mu * (F * rate) * n(q);
      }
      out += b * m_.lambda * theta / volume * T;
    }
  }

  void tangent(const double* u, double c, double* K) const {
    const std::array<Volumetric, kPoints / kGroup> shared = volumetric(u);
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0;
      Nodes T = Nodes::Zero();
      const Volumetric& vol = shared[static_cast<std::size_t>(first / kGroup)];
      for (int q = first; q < first + kGroup; ++q) {
        const State s(gradient(q, u), m_.kind);
        const double w = p_.volumes[q];
        volume += w;
        const Nodes Tn = s.T * n(q);
        T += w * Tn;
        m_.kind == Kind::neo_hookean ? neo_hookean_pairs(s, q, vol.slope, c * w, K) : svk_pairs(s, q, vol, c * w, K);
      }
      outer(T, T, c * vol.curvature / volume, K);
    }
  }

  /// d(viscous)/du times c_K and by v times c_C.
  void viscous_tangent(const double* u, const double* v, double c_K, double c_C, double* K) const {
    const double b = m_.viscosity;
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0, theta = 0;
      Nodes T = Nodes::Zero(), R = Nodes::Zero();
      for (int q = first; q < first + kGroup; ++q) {
        const Matrix3d F = deformation(gradient(q, u)), G = gradient(q, v);
        volume += p_.volumes[q];
        theta += p_.volumes[q] * strain_rate(F, G).trace();
      }
      for (int q = first; q < first + kGroup; ++q) {
        const Matrix3d F = deformation(gradient(q, u)), G = gradient(q, v);
        const double w = p_.volumes[q];
        const Nodes Fn = F * n(q), Gn = G * n(q);
        T += w * Fn;
        R += w * Gn;
        if (c_C != 0) strain_pairs(F, F, q, b * c_C * w * m_.mu, K);
        if (c_K == 0 || m_.kind == Kind::linear) continue;
        strain_pairs(F, G, q, b * c_K * w * m_.mu, K);
        Matrix3d S = 2 * m_.mu * strain_rate(F, G);
        S.diagonal().array() += m_.lambda * theta / volume;
        stress_pairs(S, q, b * c_K * w, K);
      }
      if (c_C != 0) outer(T, T, b * c_C * m_.lambda / volume, K);
      if (c_K != 0 && m_.kind != Kind::linear) outer(T, R, b * c_K * m_.lambda / volume, K);
    }
  }

  double least_ratio(const double* u) const {
    double least = std::numeric_limits<double>::infinity();
    for (int q = 0; q < kPoints; ++q) {
      const double J = 1 + volume_change(gradient(q, u));
      least = J < least || !(J == J) ? J : least;
    }
    return least;
  }

  Matrix3d stress(const double* u) const {
    const std::array<Volumetric, kPoints / kGroup> shared = volumetric(u);
    Matrix3d sum = Matrix3d::Zero();
    double volume = 0;
    for (int q = 0; q < kPoints; ++q) {
      const State s(gradient(q, u), m_.kind);
      const double slope = shared[static_cast<std::size_t>(q / kGroup)].slope;
      const Matrix3d P = m_.mu * isochoric(s) + slope * s.T;  // first Piola-Kirchhoff
      const double J = m_.kind == Kind::linear ? 1 : 1 + volume_change(s.H);
      sum += p_.volumes[q] / J * (P * s.F.transpose());
      volume += p_.volumes[q];
    }
    return sum / volume;
  }

 private:
  ConstNodes n(int q) const { return ConstNodes(p_.gradients + 3 * N * q); }
  Matrix3d gradient(int q, const double* u) const { return ConstNodes(u) * n(q).transpose(); }
  Matrix3d deformation(const Matrix3d& H) const {
    return m_.kind == Kind::linear ? Matrix3d(Matrix3d::Identity()) : Matrix3d(Matrix3d::Identity() + H);
  }
  static Matrix3d strain_rate(const Matrix3d& F, const Matrix3d& G) {
    const Matrix3d A = F.transpose() * G;
    return 0.5 * (A + A.transpose());
  }
  /// First Piola-Kirchhoff stress without the volumetric part, over mu.
  Matrix3d isochoric(const State& s) const {
    return m_.kind == Kind::neo_hookean ? Matrix3d(s.F - s.inverse) : Matrix3d(2 * s.F * s.E);
  }
  std::array<Volumetric, kPoints / kGroup> volumetric(const double* u) const {
    std::array<Volumetric, kPoints / kGroup> out;
    for (int first = 0; first < kPoints; first += kGroup) {
      double volume = 0, theta = 0;
      for (int q = first; q < first + kGroup; ++q) {
        volume += p_.volumes[q];
        theta += p_.volumes[q] * State(gradient(q, u), m_.kind).theta;
      }
      out[static_cast<std::size_t>(first / kGroup)] = {m_, theta / volume};
    }
    return out;
  }

  static double& at(double* K, int a, int i, int b, int j) { return K[3 * a + i + 3 * N * (3 * b + j)]; }
  static void outer(const Nodes& A, const Nodes& B, double c, double* K) {
    for (int b = 0; b < N; ++b)
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < N; ++a)
          for (int i = 0; i < 3; ++i) at(K, a, i, b, j) += c * A(i, a) * B(j, b);
  }
  /// (n_a . n_b) F G^T + (F n_b)(G n_a)^T: 2 sym(n_a F_i) : sym(n_b G_j)
  void strain_pairs(const Matrix3d& F, const Matrix3d& G, int q, double c, double* K) const {
    const Matrix3d B = F * G.transpose();
    const Nodes Fn = F * n(q), Gn = G * n(q);
    const Eigen::Matrix<double, N, N> nn = n(q).transpose() * n(q);
    for (int b = 0; b < N; ++b)
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < N; ++a)
          for (int i = 0; i < 3; ++i) at(K, a, i, b, j) += c * (nn(a, b) * B(i, j) + Fn(i, b) * Gn(j, a));
  }
  /// n_a . S n_b on the diagonal
  void stress_pairs(const Matrix3d& S, int q, double c, double* K) const {
    const Nodes Sn = S * n(q);
    const Eigen::Matrix<double, N, N> nSn = n(q).transpose() * Sn;
    for (int b = 0; b < N; ++b)
      for (int a = 0; a < N; ++a)
        for (int i = 0; i < 3; ++i) at(K, a, i, b, i) += c * nSn(a, b);
  }
  void svk_pairs(const State& s, int q, const Volumetric& vol, double c, double* K) const {
    strain_pairs(s.F, s.F, q, c * m_.mu, K);
    if (m_.kind == Kind::linear) return;
    Matrix3d S = 2 * m_.mu * s.E;
    S.diagonal().array() += vol.slope;
    stress_pairs(S, q, c, K);
  }
  void neo_hookean_pairs(const State& s, int q, double slope, double c, double* K) const {
    const double p = slope * (1 + s.theta);
    const Nodes m = s.inverse * n(q);
    stress_pairs(m_.mu * Matrix3d::Identity(), q, c, K);
    for (int b = 0; b < N; ++b)
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < N; ++a)
          for (int i = 0; i < 3; ++i)
            at(K, a, i, b, j) += c * (p * m(i, a) * m(j, b) + (m_.mu - p) * m(i, b) * m(j, a));
  }

  const SolidMaterial& m_;
  const SolidPoints& p_;
};

/// action(sums) with the kind's number of nodes.
template <class Action>
auto with(ElementKind kind, const SolidMaterial& m, const SolidPoints& p, Action action) {
  switch (kind) {
    case ElementKind::hex8: return action(Sums<8>(m, p));
    case ElementKind::tet4: return action(Sums<4>(m, p));
    default: return action(Sums<10>(m, p));
  }
}

}  // namespace

double von_mises(const Matrix3d& stress) {
  const Matrix3d deviator = stress - stress.trace() / 3 * Matrix3d::Identity();
  return std::sqrt(1.5) * deviator.norm();
}

double SolidElement::energy(const double* u) const {
  return with(kind_, material_, points_, [&](const auto& s) { return s.energy(u); });
}
bool SolidElement::add_force(const double* u, const double* v, double c, double* f) const {
  if (v != nullptr) add_viscous(u, v, c, f);
  return with(kind_, material_, points_, [&](const auto& s) { return s.force(u, c, f); });
}
void SolidElement::add_viscous(const double* u, const double* v, double c, double* f) const {
  if (material_.viscosity == 0) return;
  with(kind_, material_, points_, [&](const auto& s) { s.viscous(u, v, c, f); });
}
void SolidElement::add_tangent(const double* u, const double* v, double c_K, double c_C, double* K) const {
  with(kind_, material_, points_, [&](const auto& s) {
    if (c_K != 0) s.tangent(u, c_K, K);
    if (v != nullptr && material_.viscosity != 0) s.viscous_tangent(u, v, c_K, c_C, K);
  });
}
double SolidElement::least_volume_ratio(const double* u) const {
  return with(kind_, material_, points_, [&](const auto& s) { return s.least_ratio(u); });
}
Matrix3d SolidElement::mean_stress(const double* u) const {
  return with(kind_, material_, points_, [&](const auto& s) { return s.stress(u); });
}

}  // namespace ricochet
