#include "ricochet/model/subsystem/flexible_body.hpp"

#include <fmt/format.h>

#include <atomic>
#include <limits>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/element/dissection.hpp"
#include "ricochet/model/subsystem/node_matrix.hpp"

namespace ricochet {

NodePairs find_pairs(int nodes, std::span<const std::span<const int>> elements) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
  for (const auto& e : elements)
    for (const int i : e)
      for (const int j : e)
        if (i >= 0 && j >= 0) rows[static_cast<std::size_t>(i)].push_back(j);
  NodePairs out;
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    out.other.insert(out.other.end(), row.begin(), row.end());
    out.start.push_back(out.pairs());
    std::vector<int>().swap(row);
  }
  return out;
}

Vector3d FlexibleBody::displacement(int node, ConstView q) const {
  const int at = coordinate_of(node);
  if (at < 0) return Vector3d::Zero();
  return directions() * q.segment(at, directions().cols()).vec();
}

namespace {

using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic>;
constexpr int kDense = 48;            ///< coordinates up to which one dense matrix is the cheapest
constexpr std::size_t kLarge = 2000;  ///< beyond, nodes are numbered for little fill

struct FlexibleScratch final : Scratch {
  std::vector<double> values;  // of tangents, by pairs
  VectorXd force;
};

/// D coordinates for each node.
template <int D>
class NodalBody : public FlexibleBody {
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

class Rod final : public LinearBody<1> {
 public:
  explicit Rod(const RodParameters& p) : LinearBody(p.common, line(p), Directions((p.to - p.from).normalized())) {
    const double length = (p.to - p.from).norm() / p.elements;
    stiffness_ = p.young / length;
    const double m = p.density * p.section * length / 6, k = stiffness_ * p.section;
    std::vector<int> ends;
    for (int e = 0; e < p.elements; ++e)
      for (const int n : {e, e + 1}) ends.push_back(free_of_[static_cast<std::size_t>(n)]);
    std::vector<std::span<const int>> elements;
    for (int e = 0; e < p.elements; ++e) elements.emplace_back(ends.data() + 2 * e, 2);
    pairs_ = find_pairs(static_cast<int>(node_of_.size()), elements);
    mass_.assign(static_cast<std::size_t>(pairs_.pairs()), 0);
    K_.assign(mass_.size(), 0);
    for (int e = 0; e < p.elements; ++e)
      for (const int i : {0, 1})
        for (const int j : {0, 1}) {
          add_mass(e + i, e + j, i == j ? 2 * m : m);
          const int a = ends[static_cast<std::size_t>(2 * e + i)], b = ends[static_cast<std::size_t>(2 * e + j)];
          if (a >= 0 && b >= 0) K_[static_cast<std::size_t>(pairs_.find(a, b))] += i == j ? k : -k;
        }
    weigh();
  }
  Matrix3d stress(std::size_t e, ConstView q) const override {
    const Vector3d axis = directions_.col(0);
    const auto n = static_cast<int>(e);
    return stiffness_ * axis.dot(displacement(n + 1, q) - displacement(n, q)) * axis * axis.transpose();
  }

 private:
  static SolidMesh line(const RodParameters& p) {
    if (!((p.to - p.from).norm() > 0)) throw InputError("", "a rod begins where it ends; accepted: points apart");
    SolidMesh out;
    for (int n = 0; n <= p.elements; ++n) {
      out.nodes.push_back(p.from + (p.to - p.from) * (static_cast<double>(n) / p.elements));
      out.numbers.push_back(n);
      out.sets["all"].push_back(n);
    }
    out.sets["from"] = {0};
    out.sets["to"] = {p.elements};
    return out;
  }
  double stiffness_ = 0;  // stress per elongation
};

// ---- solids
// -----------------------------------------------------------------------------------------------------------

/// Quadrature of all elements, and where they add themselves.
class SolidElements {
 public:
  using Local = std::array<double, std::size_t{3} * kMostElementNodes>;
  using LocalMatrix = std::array<double, std::size_t{9} * kMostElementNodes * kMostElementNodes>;

  SolidElements(const SolidMesh& mesh, const SolidMaterial& material, const std::vector<int>& free_of)
      : material_(material) {
    for (const auto& e : mesh.elements) {
      Local X;
      const auto nodes = mesh.nodes_of(e);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        Eigen::Map<Vector3d>(X.data() + 3 * a) = mesh.nodes[static_cast<std::size_t>(nodes[a])];
        free_.push_back(free_of[static_cast<std::size_t>(nodes[a])]);
      }
      const ElementShape& shape = shape_of(e.kind);
      at_.push_back(
          {e.kind, shape.nodes, static_cast<int>(free_.size() - nodes.size()), gradients_.size(), volumes_.size(), 0});
      for (const QuadraturePoint& p : shape.stress) {
        Local n;
        const double det = reference_gradients(e.kind, p.xi, X.data(), n.data());
        volumes_.push_back(det * p.weight);
        gradients_.insert(gradients_.end(), n.begin(), n.begin() + 3 * shape.nodes);
      }
    }
  }
  void find_places(const NodePairs& pairs) {
    for (At& e : at_) {
      e.places = places_.size();
      for (const int i : nodes(e))
        for (const int j : nodes(e)) places_.push_back(i >= 0 && j >= 0 ? pairs.find(i, j) : -1);
    }
  }
  std::size_t size() const { return at_.size(); }
  SolidElement operator[](std::size_t e) const {
    const At& at = at_[e];
    return {at.kind, material_, {gradients_.data() + at.gradients, volumes_.data() + at.volumes}};
  }
  std::span<const int> nodes(std::size_t e) const { return nodes(at_[e]); }
  /// Displacements of the nodes of an element; 0 where they are clamped.
  void gather(std::size_t e, ConstView q, double* u) const {
    for (const int i : nodes(at_[e])) {
      for (int r = 0; r < 3; ++r) u[r] = i < 0 ? 0 : q[3 * i + r];
      u += 3;
    }
  }
  void scatter(std::size_t e, const double* f, View y) const {
    for (const int i : nodes(at_[e])) {
      for (int r = 0; r < 3 && i >= 0; ++r) y[3 * i + r] += f[r];
      f += 3;
    }
  }
  /// K over the element's coordinates, column by column, into blocks by pairs, row by row.
  void scatter_matrix(std::size_t e, const double* K, double* blocks) const {
    const At& at = at_[e];
    const int n = at.nodes;
    const int* place = places_.data() + at.places;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b, ++place) {
        if (*place < 0) continue;
        double* block = blocks + 9 * std::ptrdiff_t{*place};
        for (int r = 0; r < 3; ++r)
          for (int t = 0; t < 3; ++t) block[3 * r + t] += K[3 * a + r + 3 * n * (3 * b + t)];
      }
  }

 private:
  struct At {
    ElementKind kind;
    int nodes, first;
    std::size_t gradients, volumes, places;
  };
  std::span<const int> nodes(const At& e) const { return {free_.data() + e.first, static_cast<std::size_t>(e.nodes)}; }
  const SolidMaterial& material_;
  std::vector<At> at_;
  std::vector<int> free_;  // nodes of the elements, -1: clamped
  std::vector<double> gradients_, volumes_;
  std::vector<int> places_;
};

/// Mass between the nodes of an element over density.
Eigen::Matrix<double, kMostElementNodes, kMostElementNodes> element_mass(const SolidMesh& mesh,
                                                                         const SolidMesh::Element& e) {
  const ElementShape& shape = shape_of(e.kind);
  Eigen::Matrix<double, kMostElementNodes, kMostElementNodes> M;
  M.setZero();
  Eigen::Matrix<double, 3, kMostElementNodes> X;
  Index a = 0;
  for (const int n : mesh.nodes_of(e)) X.col(a++) = mesh.nodes[static_cast<std::size_t>(n)];
  for (const QuadraturePoint& p : shape.mass) {
    std::array<double, kMostElementNodes> N;
    SolidElements::Local dN, gradients;
    shape_functions(e.kind, p.xi, N.data(), dN.data());
    const double volume = p.weight * reference_gradients(e.kind, p.xi, X.data(), gradients.data());
    for (int i = 0; i < shape.nodes; ++i)
      for (int j = 0; j < shape.nodes; ++j)
        M(i, j) += volume * N[static_cast<std::size_t>(i)] * N[static_cast<std::size_t>(j)];
  }
  return M;
}

template <class Base>
class Solid : public Base {
 public:
  explicit Solid(SolidParameters p)
      : Base(std::move(p.common), std::move(p.mesh), Directions(Matrix3d::Identity())),
        material_(with_viscosity(p.material, this->c_.stiffness_damping)),
        elements_(this->mesh_, material_, this->free_of_) {
    std::vector<std::span<const int>> all;
    for (std::size_t e = 0; e < elements_.size(); ++e) all.push_back(elements_.nodes(e));
    this->pairs_ = find_pairs(static_cast<int>(this->node_of_.size()), all);
    elements_.find_places(this->pairs_);
    this->mass_.assign(static_cast<std::size_t>(this->pairs_.pairs()), 0);
    for (const auto& e : this->mesh_.elements) add_element_mass(e);
    this->weigh();
  }
  Matrix3d stress(std::size_t e, ConstView q) const override {
    SolidElements::Local u;
    elements_.gather(e, q, u.data());
    return elements_[e].mean_stress(u.data());
  }
  std::string check_configuration(ConstView q) const override {
    if (material_.kind == SolidMaterial::Kind::linear) return {};
    SolidElements::Local u;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      elements_.gather(e, q, u.data());
      if (!(elements_[e].least_volume_ratio(u.data()) > 0))
        return fmt::format("element {} of {} is inside out", this->mesh_.elements[e].number, this->c_.name);
    }
    return {};
  }

 protected:
  static SolidMaterial with_viscosity(SolidMaterial m, double b) {
    m.viscosity = b;
    return m;
  }
  /// Lumped: rows summed, which leaves corners of tet10 without mass; there the diagonal is scaled to the whole.
  void add_element_mass(const SolidMesh::Element& e) {
    const auto nodes = this->mesh_.nodes_of(e);
    const auto n = static_cast<Index>(nodes.size());
    const Eigen::MatrixXd M = material_.density * element_mass(this->mesh_, e).topLeftCorner(n, n);
    const bool scaled = this->c_.lumped && e.kind == ElementKind::tet10;
    const double factor = scaled ? M.sum() / M.diagonal().sum() : 1;
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b)
        if (!scaled || a == b)
          this->add_mass(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)], factor * M(a, b));
  }

  SolidMaterial material_;
  SolidElements elements_;
};

class LinearSolid final : public Solid<LinearBody<3>> {
 public:
  explicit LinearSolid(SolidParameters p) : Solid(std::move(p)) {
    K_.assign(9 * mass_.size(), 0);
    SolidElements::Local u{};
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      SolidElements::LocalMatrix K{};
      elements_[e].add_tangent(u.data(), nullptr, 1, 0, K.data());
      elements_.scatter_matrix(e, K.data(), K_.data());
    }
  }
};

class NonlinearSolid final : public Solid<NodalBody<3>> {
 public:
  using Solid::Solid;

  bool symmetric() const override { return material_.viscosity == 0; }
  Constancy constancy() const override { return {true, false}; }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto s = std::make_unique<FlexibleScratch>();
    s->values.resize(9 * mass_.size());
    return s;
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch&) const override {
    add_inertia_and_weight(at, a, c, y);
    bool sound = true;
    SolidElements::Local u, v;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      SolidElements::Local f{};
      elements_.gather(e, at.q, u.data());
      if (viscous()) elements_.gather(e, at.v, v.data());
      if (!elements_[e].add_force(u.data(), viscous() ? v.data() : nullptr, c, f.data())) {
        if (sound && at.q.vec().allFinite()) broken_.store(mesh_.elements[e].number, std::memory_order_relaxed);
        sound = false;
        f.fill(std::numeric_limits<double>::quiet_NaN());
      }
      elements_.scatter(e, f.data(), y);
    }
  }
  int broken_element() const override { return broken_.load(std::memory_order_relaxed); }
  void tangents(const Point& at, ConstView, double c_K, double c_C, Segment S, Scratch& scratch) const override {
    std::vector<double>& values = static_cast<FlexibleScratch&>(scratch).values;
    if (c_C * c_.mass_damping != 0) add_multiples<3>(pairs_, mass_.data(), c_C * c_.mass_damping, S);
    if (c_K == 0 && !viscous()) return;
    std::fill(values.begin(), values.end(), 0.0);
    SolidElements::Local u, v;
    SolidElements::LocalMatrix K;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      const auto n = static_cast<std::ptrdiff_t>(9 * elements_.nodes(e).size() * elements_.nodes(e).size());
      std::fill(K.begin(), K.begin() + n, 0.0);
      elements_.gather(e, at.q, u.data());
      if (viscous()) elements_.gather(e, at.v, v.data());
      elements_[e].add_tangent(u.data(), viscous() ? v.data() : nullptr, c_K, c_C, K.data());
      elements_.scatter_matrix(e, K.data(), values.data());
    }
    add_blocks<3>(pairs_, values.data(), 1, S);
  }
  Energies energies(const Point& at, Scratch&) const override {
    double V = -lifted(at.q);
    SolidElements::Local u;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      elements_.gather(e, at.q, u.data());
      V += elements_[e].energy(u.data());
    }
    return {kinetic(at.v), V};
  }
  Power power(const Point& at, ConstView w, Scratch&) const override {
    Power p;
    p.potential = lifted(w);
    p.damping = damped_by_mass(w, at.v);
    SolidElements::Local u, v, x;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      SolidElements::Local f{}, d{};
      elements_.gather(e, at.q, u.data());
      elements_.gather(e, w, x.data());
      elements_[e].add_force(u.data(), nullptr, 1, f.data());
      const auto n = static_cast<Index>(3 * elements_.nodes(e).size());
      p.potential -= ConstView(f.data(), n).vec().dot(ConstView(x.data(), n).vec());
      if (!viscous()) continue;
      elements_.gather(e, at.v, v.data());
      elements_[e].add_viscous(u.data(), v.data(), 1, d.data());
      p.damping -= ConstView(d.data(), n).vec().dot(ConstView(x.data(), n).vec());
    }
    return p;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch&) const override {
    double sum = 0;
    SolidElements::Local u, x;
    SolidElements::LocalMatrix K;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      const auto n = static_cast<Index>(3 * elements_.nodes(e).size());
      std::fill(K.begin(), K.begin() + n * n, 0.0);
      elements_.gather(e, at.q, u.data());
      elements_.gather(e, w, x.data());
      elements_[e].add_tangent(u.data(), nullptr, 1, 0, K.data());
      const ConstView own(x.data(), n);
      for (Index j = 0; j < n; ++j)
        sum += x[static_cast<std::size_t>(j)] * ConstView(K.data() + j * n, n).vec().dot(own.vec());
    }
    return sum;
  }

 private:
  mutable std::atomic<int> broken_{0};  // nothing that is computed depends on it
  bool viscous() const { return material_.viscosity != 0; }
};

}  // namespace

std::unique_ptr<FlexibleBody> make_flexible_solid(SolidParameters p) {
  if (std::string wrong = check_mesh(p.mesh); !wrong.empty()) throw InputError("", wrong);
  if (p.material.kind == SolidMaterial::Kind::linear) return std::make_unique<LinearSolid>(std::move(p));
  return std::make_unique<NonlinearSolid>(std::move(p));
}

std::unique_ptr<FlexibleBody> make_rod(const RodParameters& p) { return std::make_unique<Rod>(p); }

}  // namespace ricochet
