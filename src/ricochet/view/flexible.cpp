#include "ricochet/view/flexible.hpp"

#include <algorithm>

#include "ricochet/math/symmetric_eigen.hpp"

namespace ricochet::view {
namespace {

Vector3d mean(const std::vector<Vector3d>& points) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& x : points) sum += x;
  return sum / static_cast<double>(points.size());
}

/// The motion c + R X that is nearest to the points now: the quaternion of R is the eigenvector of the largest
/// eigenvalue of a matrix of their moments (Horn 1987).
Pose best_fit(const std::vector<Vector3d>& reference, const std::vector<Vector3d>& now, bool turns) {
  const Vector3d X = mean(reference), x = mean(now);
  Pose out;
  if (turns) {
    Matrix3d moments = Matrix3d::Zero();
    for (std::size_t k = 0; k < now.size(); ++k) moments += (now[k] - x) * (reference[k] - X).transpose();
    const Matrix3d twice = moments + moments.transpose();
    MatrixXd N(4, 4);
    N.topLeftCorner<3, 3>() = twice - moments.trace() * Matrix3d::Identity();
    N.topRightCorner<3, 1>() << moments(2, 1) - moments(1, 2), moments(0, 2) - moments(2, 0),
        moments(1, 0) - moments(0, 1);
    N.bottomLeftCorner<1, 3>() = N.topRightCorner<3, 1>().transpose();
    N(3, 3) = moments.trace();
    const Eigen::Vector4d turn = symmetric_eigen(N).vectors.col(3);  // x, y, z, w
    out.R = Quaterniond(turn).toRotationMatrix();
  }
  out.c = x - out.R * X;
  return out;
}

}  // namespace

void FlexibleFrame::add(const Pose& rigid_part, const std::vector<Vector3d>& reference,
                        const std::vector<Vector3d>& now, const std::vector<double>& stress) {
  const Quaterniond turn(rigid_part.R);
  const Vector3d& c = rigid_part.c;
  for (const double x : {c.x(), c.y(), c.z(), turn.x(), turn.y(), turn.z(), turn.w()})
    rigid.push_back(static_cast<float>(x));
  for (std::size_t k = 0; k < now.size(); ++k) {
    const Vector3d deformation = now[k] - (c + rigid_part.R * reference[k]);
    for (const double x : deformation) nodes.push_back(static_cast<float>(x));
    nodes.push_back(static_cast<float>(stress[k]));
    position.push_back(now[k]);
  }
}

ElasticNodes::ElasticNodes(const FlexibleReading& reading) : reading_(reading) {
  const FlexibleBody& body = *reading_.body;
  const std::size_t count = body.mesh().nodes.size();
  for (std::size_t n = 0; n < count; ++n) clamped_ = clamped_ || body.coordinate_of(static_cast<int>(n)) < 0;
  place_.assign(count, -1);
  if (body.mesh().elements.empty())
    line();
  else
    surface();
  now_.resize(nodes_.size());
  stress_.resize(nodes_.size());
}

int ElasticNodes::put(int node) {
  int& place = place_[static_cast<std::size_t>(node)];
  if (place >= 0) return place;
  place = static_cast<int>(nodes_.size());
  nodes_.push_back(node);
  reference_.push_back(reading_.body->mesh().nodes[static_cast<std::size_t>(node)]);
  elements_.emplace_back();
  return place;
}

void ElasticNodes::surface() {
  const SolidMesh& mesh = reading_.body->mesh();
  for (const SurfaceFace& face : surface_faces(mesh)) {
    const auto triangle = [&](std::initializer_list<std::size_t> corners) {
      for (const std::size_t k : corners) triangles_.push_back(put(face.nodes[k]));
    };
    for (const int n : face.all()) put(n);
    if (face.count == 6) {  // corners, then the middles of the edges after them
      triangle({0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5});
      continue;
    }
    triangle({0, 1, 2});
    if (face.count == 4) triangle({0, 2, 3});
  }
  for (std::size_t e = 0; e < mesh.elements.size(); ++e)
    for (const int n : mesh.nodes_of(mesh.elements[e]))
      if (const int place = place_[static_cast<std::size_t>(n)]; place >= 0)
        elements_[static_cast<std::size_t>(place)].push_back(e);
  of_element_.resize(mesh.elements.size());
}

void ElasticNodes::line() {
  const std::size_t count = reading_.body->mesh().nodes.size();
  for (std::size_t n = 0; n < count; ++n) {
    put(static_cast<int>(n));
    if (n > 0) elements_[n].push_back(n - 1);
    if (n + 1 < count) elements_[n].push_back(n);
  }
  of_element_.resize(count - 1);
}

void ElasticNodes::add(ConstView q, FlexibleFrame& out) {
  const FlexibleBody& body = *reading_.body;
  const ConstView own = q.segment(reading_.first_q, body.nq());
  // Elements within a solid are not asked: most are.
  std::vector<bool> known(of_element_.size(), false);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Matrix3d sum = Matrix3d::Zero();
    for (const std::size_t e : elements_[k]) {
      if (!known[e]) of_element_[e] = body.stress(e, own);
      known[e] = true;
      sum += of_element_[e];
    }
    stress_[k] = von_mises(sum / static_cast<double>(elements_[k].size()));
    now_[k] = reference_[k] + body.displacement(nodes_[k], own);
  }
  out.add(clamped_ ? Pose{} : best_fit(reference_, now_, !triangles_.empty()), reference_, now_, stress_);
}

BeamNodes::BeamNodes(const BeamReading& reading, const std::vector<Pose>& start)
    : reading_(reading), now_(reading.rest), stress_(reading.rest.size(), -1) {
  for (const int b : reading_.bodies)
    start_.emplace_back(b < 0 ? Quaterniond::Identity() : Quaterniond(start[static_cast<std::size_t>(b)].R));
}

Pose BeamNodes::rigid_part(const std::vector<Pose>& poses) const {
  const Vector3d chord = now_.back() - now_.front(), rest = reading_.rest.back() - reading_.rest.front();
  if (reading_.bodies.front() < 0 || reading_.bodies.back() < 0 || !(chord.norm() > 0)) return {};
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const Quaterniond turn = Quaterniond(poses[static_cast<std::size_t>(reading_.bodies[k])].R) * start_[k].conjugate();
    sum += (sum.dot(turn.coeffs()) < 0 ? -1 : 1) * turn.coeffs();
  }
  const Quaterniond turn = Quaterniond(sum).normalized();
  Pose out;
  out.R = (Quaterniond::FromTwoVectors(turn * rest, chord) * turn).toRotationMatrix();
  out.c = (now_.front() + now_.back() - out.R * (reading_.rest.front() + reading_.rest.back())) / 2;
  return out;
}

void BeamNodes::add(const std::vector<Pose>& poses, FlexibleFrame& out) {
  for (std::size_t k = 0; k < now_.size(); ++k)
    if (const int b = reading_.bodies[k]; b >= 0) now_[k] = poses[static_cast<std::size_t>(b)].c;
  out.add(rigid_part(poses), reading_.rest, now_, stress_);
}

std::vector<ElasticNodes> elastic_nodes(const Drawing& drawing) {
  return {drawing.flexible.begin(), drawing.flexible.end()};
}

}  // namespace ricochet::view
