#pragma once
// The rows of a contact of two frames: a force along the normal, one along each tangent, moments where it resists
// rolling.
#include "ricochet/math/cone.hpp"
#include "ricochet/model/contact/touch.hpp"

namespace ricochet {

/// Which direction a row of rolling turns about: moments about the tangents, or about the normal of the plane of
/// motion, which is the second tangent there; spin is a moment about the normal.
inline int rolling_axis(int row, int rows) { return rows == 3 || row == 4 ? 2 : row == 3 && rows > 4 ? 1 : 0; }
/// How many of the rows are forces.
inline int force_rows(bool rolling, int rows) { return rolling && rows > 2 ? 1 + friction_rows(rows).slip : rows; }

/// With their derivatives.
struct ContactRows {
  const FramePair::Placed& at;
  Touch touched;
  Vector3d e[3];
  PairMap de[3];

  /// `touch()`: how they touch; `first(touched)`: the first tangent. Without derivatives there are wrenches and nothing
  /// else.
  template <class MakeTouch, class First>
  ContactRows(const FramePair::Placed& placed, MakeTouch touch, bool rolling, int dim, First first,
              Ask ask = Ask::derivatives)
      : at(placed), touched(touch()), forces(force_rows(rolling, dim)), rows(dim) {
    e[0] = touched.n;
    if (ask == Ask::derivatives) de[0] = touched.dn;
    if (dim == 1) return;
    const Tangent one = first(touched);
    set(1, one, ask);
    if (dim > 2) set(2, other_tangent(touched, one, ask), ask);
  }
  PairVector wrench(int k) const {
    return k < forces ? pair_of_forces_at(e[k], touched.p, at.A, at.B) : pair_of_moments(e[rolling_axis(k, rows)]);
  }
  /// All rows, over the coordinates of the pair.
  void pull(const FramePair& pair, double* row) const {
    row = pair.pull_forces({at.pose_A, at.pose_B, touched.p - at.A.c, touched.p - at.B.c}, e, forces, row);
    for (int k = forces; k < rows; ++k) row = pair.pull(at, wrench(k), row);
  }
  void add_tangent(int k, double lambda, PairMatrix& H) const {
    k < forces ? add_tangent_of_pair(e[k], de[k], touched, at.A, at.B, lambda, H)
               : add_tangent_of_moments(de[rolling_axis(k, rows)], lambda, H);
  }
  /// S += coefficient times the derivative of the rows times lambda.
  void add_curvature(const FramePair& pair, const double* lambda, double coefficient, Operator& S) const {
    PairMatrix H = PairMatrix::Zero();
    PairVector sum = PairVector::Zero();
    for (int i = 0; i < rows; ++i) {
      add_tangent(i, coefficient * lambda[i], H);
      sum += coefficient * lambda[i] * wrench(i);
    }
    pair.add_tangent(at, sum, H, S);
  }
  void add_rates(const FramePair& pair, ConstView v, Jacobian& out) const {
    const PairVector twist = pair.twist(at, v);
    double* row = pair.append(rows, out);
    for (int i = 0; i < rows; ++i) {
      PairMatrix H = PairMatrix::Zero();
      add_tangent(i, 1, H);
      row = pair.rate(at, wrench(i), H.transpose() * twist, v, row);
    }
  }
  void bias(const FramePair& pair, ConstView v, double* out) const {
    const PairVector twist = pair.twist(at, v), own = pair.bias(at, v);
    for (int i = 0; i < rows; ++i) {
      PairMatrix H = PairMatrix::Zero();
      add_tangent(i, 1, H);
      out[i] = twist.dot(H * twist) + wrench(i).dot(own);
    }
  }

 private:
  int forces, rows;
  void set(int k, const Tangent& t, Ask ask) {
    e[k] = t.t;
    if (ask == Ask::derivatives) de[k] = t.dt;
  }
};

}  // namespace ricochet
