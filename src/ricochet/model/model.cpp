#include "ricochet/model/model.hpp"

#include "ricochet/math/input_error.hpp"

namespace ricochet {

ModelScratch::ModelScratch(const Model& model) {
  for (const auto& s : model.subsystems()) subsystems_.push_back(s->make_scratch());
  for (const auto& s : model.sets()) sets_.push_back(s->make_scratch());
}

int ModelBuilder::add(std::unique_ptr<Subsystem> subsystem) {
  Model& m = model_;
  m.first_q_.push_back(m.nq_);
  m.first_v_.push_back(m.nv_);
  m.nq_ += subsystem->nq();
  m.nv_ += subsystem->nv();
  m.subsystems_.push_back(std::move(subsystem));
  return m.first_v_.back();
}

void ModelBuilder::add(std::unique_ptr<ConstraintSet> set) { model_.sets_.push_back(std::move(set)); }

const ContactLaw* ModelBuilder::add(std::unique_ptr<ContactLaw> law) {
  model_.laws_.push_back(std::move(law));
  return model_.laws_.back().get();
}

Model ModelBuilder::freeze() {
  Model& m = model_;
  if (m.nv_ == 0) throw InputError("system", "there is nothing that moves; give formulas, bodies or a bar");
  m.constancy_ = {true, true};
  OperatorLayout& layout = m.layout_;
  layout.n = m.nv_;
  layout.symmetric = true;
  bool sparse = false, many = false;
  for (std::size_t k = 0; k < m.subsystems_.size(); ++k) {
    const Subsystem& s = *m.subsystems_[k];
    m.constancy_.mass = m.constancy_.mass && s.constancy().mass;
    m.constancy_.linear = m.constancy_.linear && s.constancy().linear;
    layout.symmetric = layout.symmetric && s.symmetric();
    sparse = sparse || s.structure() == Structure::sparse;
    for (Range r : s.blocks()) layout.blocks.push_back({r.at + m.first_v_[k], r.n});
  }
  many = layout.blocks.size() > 1;
  layout.structure = sparse ? Structure::sparse : many ? Structure::block_diagonal : Structure::dense;
  if (sparse) {
    std::vector<Eigen::Triplet<double>> entries, own;
    for (std::size_t k = 0; k < m.subsystems_.size(); ++k) {
      own.clear();
      m.subsystems_[k]->pattern(own);
      for (const auto& e : own) entries.emplace_back(e.row() + m.first_v_[k], e.col() + m.first_v_[k], 0.0);
    }
    layout.pattern.resize(m.nv_, m.nv_);
    layout.pattern.setFromTriplets(entries.begin(), entries.end());
    layout.pattern.makeCompressed();
  }
  for (const auto& s : m.sets_) {
    m.constant_gradients_ = m.constant_gradients_ && s->constant_gradients();
    m.first_item_.push_back(static_cast<int>(m.items_.size()));
    for (auto& item : s->items()) m.items_.push_back(item);
  }
  return std::move(m);
}

std::vector<std::string> Model::position_names() const {
  std::vector<std::string> names;
  for (const auto& s : subsystems_)
    for (auto& n : s->position_names()) names.push_back(n);
  return names;
}

std::vector<std::string> Model::velocity_names() const {
  std::vector<std::string> names;
  for (const auto& s : subsystems_)
    for (auto& n : s->velocity_names()) names.push_back(n);
  return names;
}

namespace {
/// The arguments of a call, cut to one subsystem.
struct Cut {
  int q, nq, v, nv;
  Point operator()(const Point& p) const { return {p.t, p.q.segment(q, nq), p.v.segment(v, nv)}; }
  Motion operator()(const Motion& m) const {
    return {m.t,           m.h,          m.theta,       m.q.segment(q, nq),
            m.v.segment(v, nv), m.x.segment(v, nv), m.q_theta.segment(q, nq), m.v_theta.segment(v, nv),
            m.v_next.segment(v, nv), m.a.segment(v, nv)};
  }
  ConstView velocity(ConstView x) const { return x.segment(v, nv); }
  View velocity(View x) const { return x.segment(v, nv); }
  ConstView position(ConstView x) const { return x.segment(q, nq); }
  View position(View x) const { return x.segment(q, nq); }
};
}  // namespace

#define RICOCHET_EACH(statement)                                                                 \
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {                                         \
    const Subsystem& s = *subsystems_[k];                                                        \
    const Cut cut{first_q_[k], s.nq(), first_v_[k], s.nv()};                                     \
    statement;                                                                                   \
  }

void Model::mass(const Point& at, double c, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.mass(cut(at), c, Segment(S, cut.v), w.subsystem(k)))
}
void Model::mass_times(const Point& at, ConstView x, double c, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.mass_times(cut(at), cut.velocity(x), c, cut.velocity(y), w.subsystem(k)))
}
void Model::residual(const Point& at, ConstView a, double c, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.residual(cut(at), cut.velocity(a), c, cut.velocity(y), w.subsystem(k)))
}
void Model::tangents(const Point& at, ConstView a, double c_K, double c_C, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.tangents(cut(at), cut.velocity(a), c_K, c_C, Segment(S, cut.v), w.subsystem(k)))
}
void Model::momentum_balance(const Motion& m, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.momentum_balance(cut(m), cut.velocity(y), w.subsystem(k)))
}
void Model::momentum_tangent(const Motion& m, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.momentum_tangent(cut(m), Segment(S, cut.v), w.subsystem(k)))
}
void Model::retract(ConstView q, ConstView x, View out) const {
  RICOCHET_EACH(s.retract(cut.position(q), cut.velocity(x), cut.position(out)))
}
void Model::difference(ConstView a, ConstView b, View x) const {
  RICOCHET_EACH(s.difference(cut.position(a), cut.position(b), cut.velocity(x)))
}
double Model::kinetic(const Point& at, ModelScratch& w) const {
  double T = 0;
  RICOCHET_EACH(T += s.kinetic(cut(at), w.subsystem(k)))
  return T;
}
double Model::potential(const Point& at, ModelScratch& w) const {
  double V = 0;
  RICOCHET_EACH(V += s.potential(cut(at), w.subsystem(k)))
  return V;
}
Power Model::power(const Point& at, ConstView x, ModelScratch& w) const {
  Power sum;
  RICOCHET_EACH({
    const Power p = s.power(cut(at), cut.velocity(x), w.subsystem(k));
    sum.external += p.external;
    sum.damping += p.damping;
    sum.potential += p.potential;
    sum.potential_rate += p.potential_rate;
  })
  return sum;
}
double Model::potential_curvature(const Point& at, ConstView x, ModelScratch& w) const {
  double sum = 0;
  RICOCHET_EACH(sum += s.potential_curvature(cut(at), cut.velocity(x), w.subsystem(k)))
  return sum;
}
#undef RICOCHET_EACH

void Model::candidates(const Point& at, double h, std::vector<Candidate>& out) const {
  out.clear();
  for (std::size_t k = 0; k < sets_.size(); ++k) sets_[k]->candidates(at, h, static_cast<int>(k), out);
}

void Model::evaluate(double t, ConstView q, const Candidate& c, int dim, double* g, double* g_t, Jacobian& G,
                     ModelScratch& w) const {
  sets_[c.set]->evaluate(t, q, c, dim, g, g_t, G, w.set(c.set));
}

}  // namespace ricochet
