#include "ricochet/model/constraint/points_on_plane.hpp"

namespace ricochet {
namespace {

using Map3 = Eigen::Map<const Vector3d>;

class PointsOnPlane final : public ConstraintSet {
 public:
  PointsOnPlane(std::vector<PointOnPlane> points, const Plane& plane, int first_q, int first_v, int first_body)
      : points_(std::move(points)),
        offset_(plane.offset),
        first_q_(first_q),
        first_v_(first_v),
        first_body_(first_body) {
    direction_[0] = plane.normal.normalized();
    const Vector3d n = direction_[0];
    const Vector3d seed = std::abs(n.x()) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
    direction_[1] = (seed - n * n.dot(seed)).normalized();
    direction_[2] = n.cross(direction_[1]);
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const PointOnPlane& p : points_) out.push_back({p.name, p.law->dim(2), false});
    return out;
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < points_.size(); ++i)
      out.push_back({item_key(set, i),
                     set,
                     static_cast<int>(i),
                     points_[i].law->dim(2),
                     points_[i].law,
                     {first_body_ + points_[i].body, Candidate::kGround}});
  }
  // velocity of the point along d:  d . (v + R (omega x p)) = d . v + omega . (p x R^T d)
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& scratch) const override {
    const std::size_t first = out.G.blocks().size();
    const int row = out.rows;
    for (int i = 0; i < selection.count; ++i) {  // room for all
      const int dim = selection.dim(selection[i]);
      out.values(dim);
      out.G.append(dim, range(points_[selection[i].item]));
    }
    const int shift = row - (selection.count > 0 ? out.G.blocks()[first].row : 0);
    share(scratch.crew, selection.count, kShared, [&](int begin, int end) {
      int last = -1;
      Matrix3d R = Matrix3d::Identity();
      for (int i = begin; i < end; ++i) {
        const PointOnPlane& p = points_[selection[i].item];
        const Jacobian::Block& block = out.G.blocks()[first + static_cast<std::size_t>(i)];
        const double* body = q.data() + first_q_ + 7 * p.body;
        if (p.body != last) R = rotation(body);
        last = p.body;
        double *g = out.g.data() + block.row + shift, *g_t = out.g_t.data() + block.row + shift;
        for (int k = 0; k < block.dim; ++k) {
          g[k] = g_t[k] = 0;
          double* entries = out.G.row(block, k);
          const Vector3d arm = p.point.cross(R.transpose() * direction_[k]);
          for (int j = 0; j < 3; ++j) {
            entries[j] = direction_[k][j];
            entries[3 + j] = arm[j];
          }
        }
        g[0] = direction_[0].dot(Map3(body) + R * p.point) - offset_;
      }
    });
  }
  bool knows_places() const override { return true; }
  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const PointOnPlane& p = points_[c.item];
    const double* body = q.data() + first_q_ + 7 * p.body;
    return {Map3(body) + rotation(body) * p.point, direction_[0]};
  }
  // with w = R^T d and a body-axes variation delta:  dw = w x delta, so d(p x w) = p x (w x delta)
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const PointOnPlane& p = points_[c.item];
    const Matrix3d R = rotation(q.data() + first_q_ + 7 * p.body);
    const int at = first_v_ + 6 * p.body + 3;
    for (int k = 0; k < dim; ++k) {
      const Matrix3d A = coefficient * lambda[k] * skew(p.point) * skew(R.transpose() * direction_[k]);
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) S.add(at + i, at + j, A(i, j));
    }
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const PointOnPlane& p = points_[c.item];
    const Matrix3d R = rotation(at.q.data() + first_q_ + 7 * p.body);
    const Vector3d spin = Map3(at.v.data() + first_v_ + 6 * p.body + 3).cross(p.point);
    double* row = out.add(dim, range(p));
    for (int k = 0; k < dim; ++k, row += 6) {
      const Vector3d dU = spin.cross(R.transpose() * direction_[k]);
      for (int i = 0; i < 3; ++i) row[3 + i] = dU[i];
    }
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    const PointOnPlane& p = points_[c.item];
    const Matrix3d R = rotation(at.q.data() + first_q_ + 7 * p.body);
    const Map3 omega(at.v.data() + first_v_ + 6 * p.body + 3);
    const Vector3d centripetal = R * omega.cross(omega.cross(p.point));
    for (int k = 0; k < dim; ++k) out[k] = direction_[k].dot(centripetal);
  }

 private:
  static Matrix3d rotation(const double* body) {
    return Quaterniond(body[3], body[4], body[5], body[6]).toRotationMatrix();
  }
  Range range(const PointOnPlane& p) const { return {first_v_ + 6 * p.body, 6}; }

  static constexpr int kShared = 400;  // points from which threads share the loop: some twenty microseconds

  std::vector<PointOnPlane> points_;
  double offset_;
  int first_q_, first_v_, first_body_;
  Vector3d direction_[3];
};

}  // namespace

std::unique_ptr<ConstraintSet> make_points_on_plane(std::vector<PointOnPlane> points, const Plane& plane, int first_q,
                                                    int first_v, int first_body) {
  return std::make_unique<PointsOnPlane>(std::move(points), plane, first_q, first_v, first_body);
}

}  // namespace ricochet
