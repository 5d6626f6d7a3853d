#pragma once
// Inside of model/subsystem: bodies whose nodes have D coordinates each, and those whose forces are linear.
#include <fmt/format.h>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/element/dissection.hpp"
#include "ricochet/model/subsystem/flexible_body.hpp"
#include "ricochet/model/subsystem/node_matrix.hpp"

namespace ricochet {

using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// D coordinates for each node.
template <int D>
class NodalBody : public FlexibleBody {
  static constexpr int kDense = 48;           ///< coordinates up to which one dense matrix is the cheapest
  static constexpr std::size_t kLarge = 300;  ///< beyond, nodes are numbered for little fill

 public:
  NodalBody(FlexibleCommon common, SolidMesh mesh, Directions directions)
      : c_(std::move(common)), mesh_(std::move(mesh)), directions_(std::move(directions)) {
    const auto count = static_cast<int>(mesh_.nodes.size());
    c_.clamped.resize(mesh_.nodes.size(), 0);
    for (int n = 0; n < count; ++n)
      if (c_.clamped[static_cast<std::size_t>(n)] == 0) node_of_.push_back(n);
    if (D > 1 && D * node_of_.size() > kLarge) node_of_ = dissect(mesh_, c_.clamped);
    free_of_.assign(mesh_.nodes.size(), -1);
    for (std::size_t i = 0; i < node_of_.size(); ++i)
      free_of_[static_cast<std::size_t>(node_of_[i])] = static_cast<int>(i);
    if (node_of_.empty()) throw InputError("", "all nodes are clamped; accepted: bodies of which something can move");
    weight_.assign(mesh_.nodes.size(), 0);
  }

  CoordinateKind kind(int) const override { return CoordinateKind::length; }
  double extent(ConstView q) const override {
    double out = 0;
    for (int n = 0; n < static_cast<int>(mesh_.nodes.size()); ++n)
      out = std::max(out, (mesh_.nodes[static_cast<std::size_t>(n)] + displacement(n, q)).cwiseAbs().maxCoeff());
    return out;
  }
  const std::string& name() const override { return c_.name; }
  const SolidMesh& mesh() const override { return mesh_; }
  int coordinate_of(int node) const override {
    const int f = free_of_[static_cast<std::size_t>(node)];
    return f < 0 ? -1 : D * f;
  }
  const Directions& directions() const override { return directions_; }
  double node_mass(int node) const override { return weight_[static_cast<std::size_t>(node)]; }

  int nq() const override { return D * static_cast<int>(node_of_.size()); }
  int nv() const override { return nq(); }
  std::vector<std::string> position_names() const override {
    std::vector<std::string> out;
    for (const int n : node_of_)
      for (int r = 0; r < D; ++r)
        out.push_back(D == 1 ? fmt::format("{}.u{}", c_.name, n)
                             : fmt::format("{}.n{}.{}", c_.name, mesh_.number_of(n), "xyz"[r]));
    return out;
  }
  std::vector<std::string> velocity_names() const override { return position_names(); }
  Structure structure() const override { return nv() <= kDense ? Structure::dense : Structure::sparse; }
  std::vector<Range> blocks() const override {
    if (D == 1 || structure() == Structure::dense) return {{0, nv()}};
    std::vector<Range> out;
    for (int i = 0; i < nv(); i += D) out.push_back({i, D});
    return out;
  }
  void pattern(std::vector<Eigen::Triplet<double>>& entries) const override {
    for (int i = 0; i < pairs_.nodes(); ++i)
      for (int k = pairs_.start[static_cast<std::size_t>(i)]; k < pairs_.start[static_cast<std::size_t>(i) + 1]; ++k)
        for (int r = 0; r < D; ++r)
          for (int t = 0; t < D; ++t)
            entries.emplace_back(D * i + r, D * pairs_.other[static_cast<std::size_t>(k)] + t, 0.0);
  }

  void mass(const Point&, double c, Segment S, Scratch&) const override {
    add_multiples<D>(pairs_, mass_.data(), c, S);
  }
  void mass_times(const Point&, ConstView w, double c, View y, Scratch&) const override {
    add_multiples_times<D>(pairs_, mass_.data(), c, w, y);
  }

  int mounts() const override { return static_cast<int>(c_.mounts.size()); }
  std::string mount_name(int m) const override { return c_.mounts[static_cast<std::size_t>(m)].name; }
  Range mount_coordinates(int m) const override { return {std::max(0, at(m)), at(m) < 0 ? 0 : D}; }
  bool mounts_are_blocks() const override { return D > 1; }
  Pose pose(int m, ConstView q) const override {
    const int n = c_.mounts[static_cast<std::size_t>(m)].node;
    return {mesh_.nodes[static_cast<std::size_t>(n)] + displacement(n, q), Matrix3d::Identity()};
  }
  Twist twist(int m, const Pose&, ConstView v) const override {
    return {displacement(c_.mounts[static_cast<std::size_t>(m)].node, v), Vector3d::Zero()};
  }
  void pull(int m, const Pose&, const Wrench& w, double* row) const override {
    if (at(m) < 0) return;
    for (int r = 0; r < D; ++r) row[r] = directions_.col(r).dot(w.f);
  }
  void twist_tangent(int m, const Pose&, const Wrench&, ConstView, double* row) const override {
    if (at(m) < 0) return;
    std::fill(row, row + D, 0.0);
  }

 protected:
  int at(int mount) const { return coordinate_of(c_.mounts[static_cast<std::size_t>(mount)].node); }
  /// Mass of an element between its nodes a and b, by their place among all nodes.
  void add_mass(int a, int b, double m) {
    weight_[static_cast<std::size_t>(a)] += m;
    if (c_.lumped) b = a;
    const int i = free_of_[static_cast<std::size_t>(a)], j = free_of_[static_cast<std::size_t>(b)];
    if (i >= 0 && j >= 0) mass_[static_cast<std::size_t>(pairs_.find(i, j))] += m;
  }
  /// Once all masses are there: the weight of each coordinate.
  void weigh() {
    load_.setZero(nv());
    for (std::size_t i = 0; i < node_of_.size(); ++i)
      for (int r = 0; r < D; ++r)
        load_[static_cast<Index>(i) * D + r] =
            weight_[static_cast<std::size_t>(node_of_[i])] * directions_.col(r).dot(c_.gravity);
    heavy_ = !load_.isZero(0);
  }
  double kinetic(ConstView v) const { return 0.5 * multiples_product<D>(pairs_, mass_.data(), v, v); }
  double lifted(ConstView w) const { return heavy_ ? load_.dot(w.vec()) : 0; }
  void add_inertia_and_weight(const Point& at, ConstView a, double c, View y) const {
    add_multiples_times<D>(pairs_, mass_.data(), c, a, y);
    if (c_.mass_damping != 0) add_multiples_times<D>(pairs_, mass_.data(), c * c_.mass_damping, at.v, y);
    if (heavy_) y.vec() -= c * load_;
  }
  double damped_by_mass(ConstView w, ConstView v) const {
    return c_.mass_damping == 0 ? 0 : -c_.mass_damping * multiples_product<D>(pairs_, mass_.data(), w, v);
  }

  FlexibleCommon c_;
  SolidMesh mesh_;
  Directions directions_;
  std::vector<int> free_of_, node_of_;  // node -> place among the free ones, and back
  NodePairs pairs_;
  std::vector<double> mass_;    // by pairs
  std::vector<double> weight_;  // mass of each node
  VectorXd load_;
  bool heavy_ = false;
};

/// f = K u, C = a M + b K.
template <int D>
class LinearBody : public NodalBody<D> {
 public:
  using NodalBody<D>::NodalBody;
  using NodalBody<D>::pairs_;

  bool symmetric() const override { return true; }
  Constancy constancy() const override { return {true, true}; }
  void residual(const Point& at, ConstView a, double c, View y, Scratch&) const override {
    this->add_inertia_and_weight(at, a, c, y);
    add_blocks_times<D>(pairs_, K_.data(), c, at.q, y);
    if (const double b = this->c_.stiffness_damping; b != 0) add_blocks_times<D>(pairs_, K_.data(), c * b, at.v, y);
  }
  void tangents(const Point&, ConstView, double c_K, double c_C, Segment S, Scratch&) const override {
    const double c = c_K + c_C * this->c_.stiffness_damping, m = c_C * this->c_.mass_damping;
    if (c != 0) add_blocks<D>(pairs_, K_.data(), c, S);
    if (m != 0) add_multiples<D>(pairs_, this->mass_.data(), m, S);
  }
  Energies energies(const Point& at, Scratch&) const override {
    return {this->kinetic(at.v), 0.5 * blocks_product<D>(pairs_, K_.data(), at.q, at.q) - this->lifted(at.q)};
  }
  Power power(const Point& at, ConstView w, Scratch&) const override {
    Power p;
    p.potential = this->lifted(w) - blocks_product<D>(pairs_, K_.data(), w, at.q);
    p.damping = this->damped_by_mass(w, at.v);
    if (const double b = this->c_.stiffness_damping; b != 0)
      p.damping -= b * blocks_product<D>(pairs_, K_.data(), w, at.v);
    return p;
  }
  double potential_curvature(const Point&, ConstView w, Scratch&) const override {
    return blocks_product<D>(pairs_, K_.data(), w, w);
  }

 protected:
  std::vector<double> K_;  // by pairs, D x D row by row
};

}  // namespace ricochet
