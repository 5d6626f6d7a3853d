#include "support/gap_pairs.hpp"

#include <limits>
#include <random>

#include "ricochet/geometry/brep/gap.hpp"
#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/math/rotation.hpp"
#include "support/exact_brep.hpp"

namespace ricochet::test {
namespace {

/// Faces and edges of the size 1. Axes are turned, one is left-handed; splines have several spans, some are rational.
const brep::Part& gap_part() {
  static const brep::Part part = parse_brep(R"(ricochet-brep 1
part all
edge 1 -0.5 0.7 0 0 line 0.1 0.2 0.3 0.6 0 0.8
edge 2 0 6.283185307179586 0 0 circle 0.1 0 0 1 0 0 0 1 0 0 0 1 0.5
edge 3 0 6.283185307179586 0 0 ellipse 0.1 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 1 0.5 0.3
edge 4 0 1 0 0 spline 3 5 1 0 0 0 0 0.4 1 1 1 1  0 0 0 1  0.2 0.3 0 2  0.5 -0.1 0.2 0.5  0.8 0.2 0.1 1  1 0 0 1
face 1 plane out plane 0.1 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 1
face 2 cylinder out cylinder 0 0 0.1 0.6 0.8 0 -0.8 0.6 0 0 0 1 0.5
face 3 bore in cylinder 0 0.2 0 1 0 0 0 1 0 0 0 1 1
face 4 cone out cone 0 0 0 1 0 0 0 0 1 0 1 0 0.8 0.4
face 5 sphere out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.5
face 6 torus out torus 0 0 0 1 0 0 0 0 1 0 -1 0 0.5 0.2
face 7 extrusion out extrusion 0 0 1 spline 3 4 0 0 0 0 0 1 1 1 1  0 0 0  0.3 0.4 0  0.6 0.4 0  1 0 0
loop
side 4 + line 0 -0.5 1 0
side 4 - line 0 0.5 1 0
face 8 revolution out revolution 0 0 0 0 0 1 spline 2 3 0 0 0 0 1 1 1  0.5 0 -0.5  0.8 0 0  0.5 0 0.5
face 9 spline out spline 3 2 5 3 1 0 0 0 0 0.6 1 1 1 1 0 0 0 1 1 1  0 0 0 1 0 0.5 0.1 1 0 1 0 1  0.2 0 0.1 1 0.2 0.5 0.3 2 0.2 1 0.1 1  0.5 0 0.1 1 0.5 0.5 0.4 1 0.5 1 0.1 1  0.8 0 0.1 1 0.8 0.5 0.3 1 0.8 1 0.1 1  1 0 0 1 1 0.5 0.1 1 1 1 0 1
end
)",
                                            "all.brep", BrepFit::any);
  return part;
}

}  // namespace

class GapPairs::Judge {
 public:
  Judge(int base, int rider, std::uint64_t seed) : engine_(seed), base_(gap_part(), static_cast<std::size_t>(base)) {
    if (rider == 0) {
      rider_.point = {0.1, 0.2, 0.3};
    } else if (rider < 5) {
      rider_.kind = brep::Rider::Kind::edge;
      rider_.edge = std::make_shared<brep::EdgeShape>(gap_part().edges[static_cast<std::size_t>(rider - 1)]);
    } else {
      rider_.kind = brep::Rider::Kind::face;
      rider_.face = std::make_shared<brep::FaceShape>(gap_part(), static_cast<std::size_t>(rider + 1));
    }
  }

  bool judge(bool search, GapErrors& errors) {
    const brep::Placement at = pose();
    const brep::GapPoint g = brep::gap(base_, rider_, at, brep::search(base_, rider_, at));
    if (!(g.base.f > -0.01 && g.base.f < 0.3 && regular(g) && brep::within_faces(base_, rider_, at, g))) return false;
    (g.base.f < 0 ? errors.penetrating : errors.open) += 1;
    Real exact = 0;
    if (solve(at, g, exact))
      errors.gap = std::max(errors.gap, static_cast<double>(std::abs(exact - g.base.f)));
    else
      ++errors.unsolved;
    errors.rate = std::max(errors.rate, rate_error(at, g));
    if (search) {
      ++errors.looked;
      errors.nearer += is_nearer_elsewhere(at, g);
    }
    return true;
  }

 private:
  double number(double low, double high) {  // the same everywhere, unlike the library's distributions
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Eigen::Vector2d parameters(const brep::FaceShape& face) {
    if (face.elementary()) return {number(0, 6.28), number(-0.5, 0.5)};
    const double s = number(0.1, 0.9);
    return part_of(face, s, number(0.1, 0.9));
  }

  /// A point of the rider over one of the base, normals against each other up to a tilt.
  brep::Placement pose() {
    const Eigen::Vector2d uv = parameters(base_);
    const brep::SurfacePoint s = brep::evaluate(base_.surface(), uv[0], uv[1]);
    const Vector3d n = base_.sign() * s.u.cross(s.v).normalized();
    Vector3d y = rider_.point, m = vector(1).normalized();
    if (rider_.kind == brep::Rider::Kind::edge) {
      const brep::EdgeShape& e = *rider_.edge;
      const brep::CurvePoint c = brep::evaluate(e.curve(), number(e.from(), e.to()));
      y = c.p;
      // towards the base is where the edge bulges to, if it does
      m = c.t.cross(vector(1)).normalized();
      if (m.dot(c.tt) > 0) m = -m;
    } else if (rider_.kind == brep::Rider::Kind::face) {
      const Eigen::Vector2d at = parameters(*rider_.face);
      const brep::SurfacePoint r = brep::evaluate(rider_.face->surface(), at[0], at[1]);
      y = r.p;
      m = rider_.face->sign() * r.u.cross(r.v).normalized();
    }
    const Eigen::Quaterniond level = Eigen::Quaterniond::FromTwoVectors(m, -n);
    const Matrix3d R = exp_rotation(vector(0.1)) * exp_rotation(number(-3, 3) * n) * level.toRotationMatrix();
    return {s.p + number(-0.012, 0.2) * n - R * y, R};
  }

  /// Neither the foot nor the point that touches is about to jump.
  static bool regular(const brep::GapPoint& g) {
    constexpr double kLeast = 0.1;
    // 1/(distance from the centre of curvature) is within the Hessian
    if (g.base.hessian.cwiseAbs().maxCoeff() > 10) return false;
    if (g.free == 0) return true;
    const double size = std::max(g.t[0].norm(), g.free == 2 ? g.t[1].norm() : 0.0);
    const auto bend = [&](int i, int j) {
      return (g.t[i].dot(g.base.hessian * g.t[j]) + g.base.gradient.dot(g.tt[i + j])) / (size * size);
    };
    if (g.free == 1) return bend(0, 0) > kLeast;
    const double trace = bend(0, 0) + bend(1, 1), det = bend(0, 0) * bend(1, 1) - bend(0, 1) * bend(0, 1);
    return det > kLeast * trace && trace > 0;
  }

  // ---- in long double: n . y_s = 0, (y - S) . S_u = (y - S) . S_v = 0 for s, u, v together

  using Unknowns = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 4, 1>;
  RealVector rider_point(const brep::Placement& at, Real s, Real t) const {
    RealVector y = rider_.point.cast<Real>();
    if (rider_.kind == brep::Rider::Kind::edge) y = exact_point(rider_.edge->curve(), s);
    if (rider_.kind == brep::Rider::Kind::face) y = exact_point(rider_.face->surface(), s, t);
    return at.x.cast<Real>() + at.R.cast<Real>() * y;
  }
  /// Differences would not do: over 1e-6 they leave some 1e-13 of noise in n . y_s, and where the edge hardly bends
  /// over the face, 0.01 per parameter, that is 1e-11 of s.
  std::array<RealVector, 2> rider_tangents(const brep::Placement& at, Real s, Real t) const {
    std::array<RealVector, 2> y{RealVector::Zero(), RealVector::Zero()};
    if (rider_.kind == brep::Rider::Kind::edge) y[0] = exact_tangent(rider_.edge->curve(), s);
    if (rider_.kind == brep::Rider::Kind::face) y = exact_tangents(rider_.face->surface(), s, t);
    for (RealVector& tangent : y) tangent = at.R.cast<Real>() * tangent;
    return y;
  }
  Unknowns residual(const brep::Placement& at, const brep::GapPoint& g, const Unknowns& z, Real& gap) const {
    const Real s = g.free > 0 ? z[0] : g.at[0], t = g.free > 1 ? z[1] : g.at[1], u = z[g.free], v = z[g.free + 1];
    const auto [S_u, S_v] = exact_tangents(base_.surface(), u, v);
    const RealVector n = Real(base_.sign()) * S_u.cross(S_v).normalized();
    const RealVector away = rider_point(at, s, t) - exact_point(base_.surface(), u, v);
    gap = n.dot(away);
    Unknowns out(g.free + 2);
    if (g.free > 0) {
      const std::array<RealVector, 2> y = rider_tangents(at, s, t);
      for (int i = 0; i < g.free; ++i) out[i] = n.dot(y[static_cast<std::size_t>(i)]);
    }
    out[g.free] = away.dot(S_u);
    out[g.free + 1] = away.dot(S_v);
    return out;
  }
  /// By elimination, the largest of a column first.
  using Jacobian = std::array<std::array<Real, 4>, 4>;
  static Unknowns solve_for(Jacobian J, const Unknowns& r) {
    const auto n = static_cast<std::size_t>(r.size());
    std::array<Real, 4> x{};
    for (std::size_t i = 0; i < n; ++i) x[i] = r[static_cast<Eigen::Index>(i)];
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t p = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(J[i][k]) > std::abs(J[p][k])) p = i;
      std::swap(J[k], J[p]), std::swap(x[k], x[p]);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const Real factor = J[i][k] / J[k][k];
        for (std::size_t j = k; j < n; ++j) J[i][j] -= factor * J[k][j];
        x[i] -= factor * x[k];
      }
    }
    Unknowns out(r.size());
    for (std::size_t i = 0; i < n; ++i) out[static_cast<Eigen::Index>(i)] = x[i] / J[i][i];
    return out;
  }
  /// From a place beside the answer.
  bool solve(const brep::Placement& at, const brep::GapPoint& g, Real& gap) const {
    Unknowns z(g.free + 2);
    for (int i = 0; i < g.free; ++i) z[i] = g.at[i] + 1e-5L;
    z[g.free] = g.foot[0] - 1e-5L, z[g.free + 1] = g.foot[1] + 1e-5L;
    constexpr Real kStep = 1e-6L;
    Unknowns r = residual(at, g, z, gap);
    Jacobian J{};
    Real step = 1;
    // with the derivatives of one place, and where these do not do with those of the place that was reached
    for (int round = 0; round < 3 && !(step < 1e-12L); ++round) {
      for (int k = 0; k < z.size(); ++k) {
        Unknowns b = z;
        b[k] += kStep;
        const Unknowns slope = (residual(at, g, b, gap) - r) / kStep;
        for (int i = 0; i < z.size(); ++i) J[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = slope[i];
      }
      for (int pass = 0; pass < 12 && !(pass > 2 && step < 1e-12L); ++pass) {
        const Unknowns move = solve_for(J, r);
        z -= move;
        step = move.norm();
        r = residual(at, g, z, gap);
      }
    }
    return step < 1e-12L;  // the gap is stationary: what this leaves of it is of its square
  }

  double rate_error(const brep::Placement& at, const brep::GapPoint& g) {
    constexpr double kStep = 1e-6;
    const Vector3d v = vector(1), w = vector(1);
    const auto gap = [&](double t) {
      const Matrix3d turn = exp_rotation(t * w);
      return brep::gap(base_, rider_, {turn * at.x + t * v, turn * at.R}, g.at).base.f;
    };
    return std::abs((gap(kStep) - gap(-kStep)) / (2 * kStep) - g.base.gradient.dot(v + w.cross(g.y)));
  }

  /// Places all over the rider, denser than the search's own; each that is lower than those around it is followed
  /// downhill. And no point of the base may be nearer to the one that touches than its foot.
  bool is_nearer_elsewhere(const brep::Placement& at, const brep::GapPoint& g) const {
    return foot_is_nearer_elsewhere(g) || place_is_nearer_elsewhere(at, g.base.f);
  }
  bool foot_is_nearer_elsewhere(const brep::GapPoint& g) const {
    if (base_.elementary()) return false;  // a closed form
    constexpr int kPoints = 121;
    double least = std::abs(g.base.f) - kSlack;
    least = least > 0 ? least * least : 0;
    for (int i = 0; i < kPoints; ++i)
      for (int j = 0; j < kPoints; ++j) {
        const Eigen::Vector2d uv = part_of(base_, (i + 0.5) / kPoints, (j + 0.5) / kPoints);
        if ((brep::evaluate(base_.surface(), uv[0], uv[1]).p - g.y).squaredNorm() < least) return true;
      }
    return false;
  }
  bool place_is_nearer_elsewhere(const brep::Placement& at, double gap) const {
    if (rider_.kind == brep::Rider::Kind::point) return false;
    const bool edge = rider_.kind == brep::Rider::Kind::edge;
    const int rows = edge ? 244 : 60, columns = edge ? 1 : 60;
    std::vector<Eigen::Vector2d> places;
    std::vector<double> f;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const double s = (i + 0.5) / rows, t = (j + 0.5) / columns;
        Vector3d y;
        if (edge) {
          const brep::EdgeShape& e = *rider_.edge;
          places.emplace_back(e.from() + (e.to() - e.from()) * s, 0);
          y = brep::evaluate(e.curve(), places.back()[0]).p;
        } else {
          places.push_back(part_of(*rider_.face, s, t));
          y = brep::evaluate(rider_.face->surface(), places.back()[0], places.back()[1]).p;
        }
        Eigen::Vector2d foot;
        const double distance = base_.distance(at.x + at.R * y, foot).f;
        f.push_back(base_.holds(foot) ? distance : std::numeric_limits<double>::infinity());
      }
    const auto lowest = [&](int i, int j) {
      for (int m = std::max(i - 1, 0); m <= std::min(i + 1, rows - 1); ++m)
        for (int n = std::max(j - 1, 0); n <= std::min(j + 1, columns - 1); ++n)
          if (f[static_cast<std::size_t>(m * columns + n)] < f[static_cast<std::size_t>(i * columns + j)]) return false;
      return true;
    };
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const auto k = static_cast<std::size_t>(i * columns + j);
        if (!std::isfinite(f[k]) || !lowest(i, j)) continue;
        const brep::GapPoint other = brep::gap(base_, rider_, at, places[k]);
        if (other.base.f < gap - kSlack && brep::within_faces(base_, rider_, at, other)) return true;
      }
    return false;
  }
  static constexpr double kSlack = 1e-12;
  static Eigen::Vector2d part_of(const brep::FaceShape& face, double s, double t) {
    const Eigen::Vector2d low = face.trim().low(), high = face.trim().high();
    return low + Eigen::Vector2d(s, t).cwiseProduct(high - low);
  }

  std::mt19937_64 engine_;
  brep::FaceShape base_;
  brep::Rider rider_;
};

GapPairs::GapPairs(int base, int rider, std::uint64_t seed) : judge_(std::make_unique<Judge>(base, rider, seed)) {}
GapPairs::~GapPairs() = default;

bool GapPairs::judge(bool search, GapErrors& errors) { return judge_->judge(search, errors); }

}  // namespace ricochet::test
