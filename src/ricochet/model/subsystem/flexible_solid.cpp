#include <atomic>
#include <limits>

#include "ricochet/model/subsystem/face_loads.hpp"
#include "ricochet/model/subsystem/nodal_body.hpp"
#include "ricochet/model/subsystem/solid_elements.hpp"

namespace ricochet {
namespace {

struct FlexibleScratch final : Scratch {
  std::vector<double> values;                        // of tangents, by pairs
  std::vector<SolidElements::Local> forces;          // of each element
  std::vector<char> sound;                           // likewise: it is not inside out
  std::vector<SolidElements::LocalMatrix> matrices;  // of some elements
  FaceLoads::Work loads;
};
FaceLoads::Work& loads_of(Scratch& s) { return static_cast<FlexibleScratch&>(s).loads; }

template <class Base>
class Solid : public Base {
 public:
  explicit Solid(SolidParameters p)
      : Base(std::move(p.common), std::move(p.mesh), Directions(Matrix3d::Identity())),
        material_(with_viscosity(p.material, this->c_.stiffness_damping)),
        elements_(this->mesh_, material_, this->free_of_),
        loads_(std::move(p.pressures), this->mesh_, this->free_of_, p.material.kind != SolidMaterial::Kind::linear) {
    std::vector<std::span<const int>> all;
    for (std::size_t e = 0; e < elements_.size(); ++e) all.push_back(elements_.nodes(e));
    this->pairs_ = find_pairs(static_cast<int>(this->node_of_.size()), all);
    elements_.find_places(this->pairs_);
    loads_.find_places(this->pairs_);
    this->mass_.assign(static_cast<std::size_t>(this->pairs_.pairs()), 0);
    for (const auto& e : this->mesh_.elements) add_element_mass(e);
    this->weigh();
  }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto s = std::make_unique<FlexibleScratch>();
    s->loads = loads_.make_work();
    return s;
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
  FaceLoads loads_;
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
  void residual(const Point& at, ConstView a, double c, View y, Scratch& scratch) const override {
    Solid::residual(at, a, c, y, scratch);
    loads_.add(at.t, at.q, -c, y, loads_of(scratch));
  }
  Power power(const Point& at, ConstView w, Scratch& scratch) const override {
    Power p = Solid::power(at, w, scratch);
    p.external += loads_.power(at.t, at.q, w, loads_of(scratch));
    return p;
  }
};

class NonlinearSolid final : public Solid<NodalBody<3>> {
 public:
  using Solid::Solid;

  bool symmetric() const override { return material_.viscosity == 0 && loads_.empty(); }
  Constancy constancy() const override { return {true, false}; }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto s = Solid::make_scratch();
    auto& own = static_cast<FlexibleScratch&>(*s);
    own.values.resize(9 * mass_.size());
    own.forces.resize(elements_.size());
    own.sound.resize(elements_.size());
    own.matrices.resize(std::min<std::size_t>(elements_.size(), kTogether));
    return s;
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch& scratch) const override {
    add_inertia_and_weight(at, a, c, y);
    loads_.add(at.t, at.q, -c, y, loads_of(scratch));
    auto& work = static_cast<FlexibleScratch&>(scratch);
    share(scratch.crew, static_cast<int>(elements_.size()), kShared, [&](int begin, int end) {
      SolidElements::Local u, v;
      for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
        SolidElements::Local& f = work.forces[e];
        f.fill(0);
        elements_.gather(e, at.q, u.data());
        if (viscous()) elements_.gather(e, at.v, v.data());
        work.sound[e] = elements_[e].add_force(u.data(), viscous() ? v.data() : nullptr, c, f.data()) ? 1 : 0;
      }
    });
    bool sound = true;
    for (std::size_t e = 0; e < elements_.size(); ++e) {  // in their order, whoever computed them
      if (work.sound[e] == 0) {
        if (sound && at.q.vec().allFinite()) broken_.store(mesh_.elements[e].number, std::memory_order_relaxed);
        sound = false;
        work.forces[e].fill(std::numeric_limits<double>::quiet_NaN());
      }
      elements_.scatter(e, work.forces[e].data(), y);
    }
  }
  int broken_element() const override { return broken_.load(std::memory_order_relaxed); }
  void tangents(const Point& at, ConstView, double c_K, double c_C, Segment S, Scratch& scratch) const override {
    auto& work = static_cast<FlexibleScratch&>(scratch);
    std::vector<double>& values = work.values;
    if (c_C * c_.mass_damping != 0) add_multiples<3>(pairs_, mass_.data(), c_C * c_.mass_damping, S);
    if (c_K == 0 && !viscous()) return;
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t first = 0; first < elements_.size(); first += kTogether) {
      const std::size_t count = std::min<std::size_t>(kTogether, elements_.size() - first);
      share(scratch.crew, static_cast<int>(count), kShared, [&](int begin, int end) {
        SolidElements::Local u, v;
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          const std::size_t e = first + k;
          SolidElements::LocalMatrix& K = work.matrices[k];
          const auto n = static_cast<std::ptrdiff_t>(9 * elements_.nodes(e).size() * elements_.nodes(e).size());
          std::fill(K.begin(), K.begin() + n, 0.0);
          elements_.gather(e, at.q, u.data());
          if (viscous()) elements_.gather(e, at.v, v.data());
          elements_[e].add_tangent(u.data(), viscous() ? v.data() : nullptr, c_K, c_C, K.data());
        }
      });
      for (std::size_t k = 0; k < count; ++k)
        elements_.scatter_matrix(first + k, work.matrices[k].data(), values.data());
    }
    if (c_K != 0) loads_.add_tangent(at.t, at.q, -c_K, values.data(), loads_of(scratch));
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
  Power power(const Point& at, ConstView w, Scratch& scratch) const override {
    Power p;
    p.external = loads_.power(at.t, at.q, w, loads_of(scratch));
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
  static constexpr int kShared = 32;             // elements that are worth a team
  static constexpr std::size_t kTogether = 128;  // tangents that are kept before they are added, in their order
  mutable std::atomic<int> broken_{0};           // nothing that is computed depends on it
  bool viscous() const { return material_.viscosity != 0; }
};

}  // namespace

std::unique_ptr<FlexibleBody> make_flexible_solid(SolidParameters p) {
  if (std::string wrong = check_mesh(p.mesh); !wrong.empty()) throw InputError("", wrong);
  if (p.material.kind == SolidMaterial::Kind::linear) return std::make_unique<LinearSolid>(std::move(p));
  return std::make_unique<NonlinearSolid>(std::move(p));
}

}  // namespace ricochet
