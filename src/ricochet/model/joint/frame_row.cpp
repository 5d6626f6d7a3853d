#include "ricochet/model/joint/frame_row.hpp"

#include <cmath>
#include <numbers>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

/// (dphi x a) x b as a matrix on dphi.
Matrix3d turned_left(const Vector3d& a, const Vector3d& b) {
  return a * b.transpose() - a.dot(b) * Matrix3d::Identity();
}

/// Wrenches of a force f at B's origin and -f at A's.
PairVector pair_of_forces(const Vector3d& f, const PlacedFrame& A, const PlacedFrame& B) {
  PairVector w;
  w << -f, -A.arm.cross(f), f, B.arm.cross(f);
  return w;
}

/// lambda times what the arms' turning does to these wrenches at a fixed f.
void add_turning_arms(const Vector3d& f, const PlacedFrame& A, const PlacedFrame& B, double lambda, PairMatrix& H) {
  H.block<3, 3>(3, 3) -= lambda * turned_left(A.arm, f);
  H.block<3, 3>(9, 9) += lambda * turned_left(B.arm, f);
}

constexpr double kTurn = 2 * std::numbers::pi;

FrameRow along(Index axis) {  // of x_B on an axis of A
  return {FrameRow::Kind::perpendicular, Vector3d::Unit(axis), Vector3d::UnitX(), 0};
}

const FrameRow kAngle{FrameRow::Kind::angle, Vector3d::UnitX(), Vector3d::UnitX(), 0};
const FrameRow kAlong{FrameRow::Kind::in_plane, Vector3d::UnitZ(), Vector3d::UnitZ(), 0};

/// Sine and cosine of an angle, which are 1 long together only where the axes z coincide.
struct Turned {
  FrameRow sine = along(1), cosine = along(0);
  double s, c, square;
  PairVector ds, dc;
  Turned(const PlacedFrame& A, const PlacedFrame& B)
      : s(value(sine, A, B)),
        c(value(cosine, A, B)),
        square(s * s + c * c),
        ds(gradient(sine, A, B)),
        dc(gradient(cosine, A, B)) {}
};

}  // namespace

double value(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, double beyond) {
  const double offset = row.offset + beyond;
  switch (row.kind) {
    case FrameRow::Kind::coincide: return row.on_A.dot(B.x() - A.x()) - offset;
    case FrameRow::Kind::perpendicular: return (A.R * row.on_A).dot(B.R * row.on_B) - offset;
    case FrameRow::Kind::in_plane: return (A.R * row.on_A).dot(B.x() - A.x()) - offset;
    case FrameRow::Kind::distance: return (B.x() - A.x()).norm() - offset;
    case FrameRow::Kind::angle: {
      const Turned t(A, B);
      const double g = elementary::atan2(t.s, t.c) - offset;
      return g - kTurn * std::nearbyint(g / kTurn);
    }
    case FrameRow::Kind::screw: {
      const double g = value(kAlong, A, B) - row.lead * value(kAngle, A, B) - offset, turn = kTurn * row.lead;
      return g - turn * std::nearbyint(g / turn);
    }
    case FrameRow::Kind::spin:
    case FrameRow::Kind::push: return 0;
  }
  return 0;
}

PairVector gradient(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B) {
  PairVector w = PairVector::Zero();
  switch (row.kind) {
    case FrameRow::Kind::coincide: return pair_of_forces(row.on_A, A, B);
    case FrameRow::Kind::perpendicular: {
      const Vector3d m = (A.R * row.on_A).cross(B.R * row.on_B);
      w.segment<3>(3) = m;
      w.segment<3>(9) = -m;
      return w;
    }
    case FrameRow::Kind::in_plane: {
      const Vector3d n = A.R * row.on_A;
      w << -n, n.cross(B.x() - A.c), n, B.arm.cross(n);
      return w;
    }
    case FrameRow::Kind::distance: return pair_of_forces((B.x() - A.x()).normalized(), A, B);
    case FrameRow::Kind::angle: {
      const Turned t(A, B);
      return (t.c * t.ds - t.s * t.dc) / t.square;
    }
    case FrameRow::Kind::screw: return gradient(kAlong, A, B) - row.lead * gradient(kAngle, A, B);
    case FrameRow::Kind::spin: {
      const Vector3d n = A.R * row.on_A;
      w.segment<3>(3) = -n;
      w.segment<3>(9) = n;
      return w;
    }
    case FrameRow::Kind::push: {
      const Vector3d n = A.R * row.on_A;
      w.segment<3>(0) = n;
      w.segment<3>(3) = A.arm.cross(n);
      return w;
    }
  }
  return w;
}

void add_tangent(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, double lambda, PairMatrix& H) {
  switch (row.kind) {
    case FrameRow::Kind::coincide: add_turning_arms(row.on_A, A, B, lambda, H); return;
    case FrameRow::Kind::perpendicular: {
      const Vector3d u = A.R * row.on_A, w = B.R * row.on_B;
      const Matrix3d by_A = lambda * turned_left(u, w);   // (dphi x u) x w
      const Matrix3d by_B = -lambda * turned_left(w, u);  // u x (dphi x w)
      H.block<3, 3>(3, 3) += by_A;
      H.block<3, 3>(3, 9) += by_B;
      H.block<3, 3>(9, 3) -= by_A;
      H.block<3, 3>(9, 9) -= by_B;
      return;
    }
    case FrameRow::Kind::in_plane: {
      const Vector3d n = A.R * row.on_A, s = B.x() - A.c;
      const Matrix3d N = lambda * skew(n), arm = skew(B.arm);
      // dn = dphi_A x n = -[n] dphi_A;  ds = dc_B + dphi_B x a_B - dc_A
      H.block<3, 3>(0, 3) += N;
      H.block<3, 3>(6, 3) -= N;
      H.block<3, 3>(3, 0) -= N;
      H.block<3, 3>(3, 3) += lambda * turned_left(n, s);
      H.block<3, 3>(3, 6) += N;
      H.block<3, 3>(3, 9) -= N * arm;
      H.block<3, 3>(9, 3) -= arm * N;
      H.block<3, 3>(9, 9) += lambda * turned_left(B.arm, n);
      return;
    }
    case FrameRow::Kind::distance: {
      const Vector3d d = B.x() - A.x(), n = d.normalized();
      add_turning_arms(n, A, B, lambda, H);
      // dn = (1 - n n^T) dd / |d|, and the wrenches of dn as of a force
      const Matrix3d P = lambda / d.norm() * (Matrix3d::Identity() - n * n.transpose());
      const Matrix3d a = skew(A.arm), b = skew(B.arm);
      Eigen::Matrix<double, 3, 12> dd;  // d as a function of the displacements
      dd << -Matrix3d::Identity(), a, Matrix3d::Identity(), -b;
      const Eigen::Matrix<double, 3, 12> dn = P * dd;
      H.middleRows<3>(0) -= dn;
      H.middleRows<3>(3) -= a * dn;
      H.middleRows<3>(6) += dn;
      H.middleRows<3>(9) += b * dn;
      return;
    }
    case FrameRow::Kind::angle: {
      // of (c ds - s dc) / (s^2 + c^2)
      const Turned t(A, B);
      add_tangent(t.sine, A, B, lambda * t.c / t.square, H);
      add_tangent(t.cosine, A, B, -lambda * t.s / t.square, H);
      const PairVector square = 2 / t.square * (t.s * t.ds + t.c * t.dc);
      H += lambda / t.square * (t.ds * (t.dc - t.c * square).transpose() - t.dc * (t.ds - t.s * square).transpose());
      return;
    }
    case FrameRow::Kind::screw:
      add_tangent(kAlong, A, B, lambda, H);
      add_tangent(kAngle, A, B, -row.lead * lambda, H);
      return;
    case FrameRow::Kind::spin: {
      const Matrix3d N = lambda * skew(A.R * row.on_A);  // dn = -[n] dphi_A
      H.block<3, 3>(3, 3) += N;
      H.block<3, 3>(9, 3) -= N;
      return;
    }
    case FrameRow::Kind::push: {  // everything turns with A
      const Vector3d n = A.R * row.on_A;
      H.block<3, 3>(0, 3) -= lambda * skew(n);
      H.block<3, 3>(3, 3) -= lambda * skew(A.arm.cross(n));
      return;
    }
  }
}

PairVector turning(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, const PairVector& twist) {
  // turned_left(a, b)^T x
  const auto turned = [](const Vector3d& a, const Vector3d& b, const Vector3d& x) -> Vector3d {
    return a.dot(x) * b - a.dot(b) * x;
  };
  const Vector3d omega_A = twist.segment<3>(3), omega_B = twist.segment<3>(9);
  PairVector out = PairVector::Zero();
  if (row.kind == FrameRow::Kind::coincide) {
    out.segment<3>(3) = -turned(A.arm, row.on_A, omega_A);
    out.segment<3>(9) = turned(B.arm, row.on_A, omega_B);
  } else if (row.kind == FrameRow::Kind::perpendicular) {
    const Vector3d u = A.R * row.on_A, w = B.R * row.on_B, slower = omega_A - omega_B;
    out.segment<3>(3) = turned(u, w, slower);
    out.segment<3>(9) = -turned(w, u, slower);
  } else {
    PairMatrix H = PairMatrix::Zero();
    add_tangent(row, A, B, 1, H);
    out = H.transpose() * twist;
  }
  return out;
}

}  // namespace ricochet
