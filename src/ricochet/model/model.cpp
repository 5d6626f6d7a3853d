#include "ricochet/model/model.hpp"

#include <algorithm>

#include "ricochet/math/input_error.hpp"

namespace ricochet {

ModelScratch::ModelScratch(const Model& model) {
  for (const auto& s : model.subsystems()) subsystems_.push_back(s->make_scratch());
  for (const auto& s : model.sets()) sets_.push_back(s->make_scratch());
  for (const auto& f : model.forces()) forces_.push_back(f->make_scratch());
}

void ModelScratch::share_with(Crew& crew) {
  for (auto* all : {&subsystems_, &sets_, &forces_})
    for (const auto& s : *all) s->crew = &crew;
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

void ModelBuilder::add(std::unique_ptr<ForceSet> forces) { model_.forces_.push_back(std::move(forces)); }

const ContactLaw* ModelBuilder::add(std::unique_ptr<ContactLaw> law) {
  model_.laws_.push_back(std::move(law));
  return model_.laws_.back().get();
}

namespace {
/// Coordinates that constraints or forces couple, beside what subsystems do by themselves.
std::vector<std::pair<int, int>> coupled_from_outside(const Model& m) {
  std::vector<std::pair<int, int>> out;
  for (const auto& s : m.sets()) s->couples(out);
  for (const auto& f : m.forces()) f->couples(out);
  return out;
}

/// Blocks of a subsystem in a layout of blocks; one that is sparse and has none falls into small ones, neighbours
/// together.
void add_blocks(const Subsystem& s, int first, bool cut, std::vector<Range>& blocks) {
  constexpr int kNode = 4;
  const std::vector<Range> own = s.blocks();
  if (!cut || s.structure() != Structure::sparse || own.size() > 1)
    for (Range r : own) blocks.push_back({first + r.at, r.n});
  else
    for (int i = 0; i < s.nv(); i += kNode) blocks.push_back({first + i, std::min(kNode, s.nv() - i)});
}

/// Pairs of the layout's blocks that subsystems couple, or somebody from outside.
std::vector<std::pair<int, int>> find_couples(const Model& m, const std::vector<Range>& blocks,
                                              const std::vector<std::pair<int, int>>& outside) {
  std::vector<std::pair<int, int>> coordinates, out;
  std::vector<Eigen::Triplet<double>> own;
  int first = 0;
  for (const auto& s : m.subsystems()) {
    own.clear();
    if (s->structure() == Structure::blocks || s->structure() == Structure::sparse) s->pattern(own);
    for (const auto& e : own) coordinates.emplace_back(first + e.row(), first + e.col());
    first += s->nv();
  }
  coordinates.insert(coordinates.end(), outside.begin(), outside.end());
  const auto block_of = [&](int coordinate) {
    const auto after =
        std::upper_bound(blocks.begin(), blocks.end(), coordinate, [](int i, const Range& r) { return i < r.at; });
    return static_cast<int>(after - blocks.begin()) - 1;
  };
  for (const auto& [a, b] : coordinates)
    if (block_of(a) != block_of(b)) out.emplace_back(block_of(a), block_of(b));
  return out;
}
}  // namespace

Model ModelBuilder::freeze() {
  Model& m = model_;
  if (m.nv_ == 0)
    throw InputError("system", "there is nothing that moves; give formulas, bodies, flexible bodies or a bar");
  m.constancy_ = {true, true};
  OperatorLayout& layout = m.layout_;
  layout.n = m.nv_;
  layout.symmetric = true;
  bool sparse = false, many = false;
  const std::vector<std::pair<int, int>> outside = coupled_from_outside(m);
  for (std::size_t k = 0; k < m.subsystems_.size(); ++k) {
    const Subsystem& s = *m.subsystems_[k];
    m.constancy_.mass = m.constancy_.mass && s.constancy().mass;
    m.constancy_.linear = m.constancy_.linear && s.constancy().linear;
    m.flat_ = m.flat_ && s.flat();
    layout.symmetric = layout.symmetric && s.symmetric();
    sparse = sparse || s.structure() == Structure::sparse;
    add_blocks(s, m.first_v_[k], !outside.empty(), layout.blocks);
  }
  if (!m.forces_.empty()) {
    m.constancy_.linear = false;
    layout.symmetric = false;
  }
  sparse = sparse && outside.empty();  // a pattern of its own has no room for what comes from outside
  many = layout.blocks.size() > 1;
  layout.structure = sparse ? Structure::sparse : many ? Structure::block_diagonal : Structure::dense;
  if (many && !sparse) {
    layout.couples = find_couples(m, layout.blocks, outside);
    constexpr int kDense = 48;  // coordinates up to which one dense LU is the cheapest
    if (!layout.couples.empty()) layout.structure = m.nv_ <= kDense ? Structure::dense : Structure::blocks;
  }
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
  for (const auto& law : m.laws_) m.keeps_variables_ = m.keeps_variables_ || law->variables() > 0;
  if (m.subsystems_.size() == 1 && m.forces_.empty()) m.single_ = m.subsystems_[0].get();
  for (const auto& s : m.sets_) {
    m.constant_gradients_ = m.constant_gradients_ && s->constant_gradients();
    m.constant_candidates_ = m.constant_candidates_ && s->constant_candidates();
    m.nameless_rows_ = std::max(m.nameless_rows_, s->nameless_rows());
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

std::vector<std::string> Model::body_names() const {
  std::vector<std::string> names;
  for (const auto& s : subsystems_)
    for (int k = 0; k < s->mounts(); ++k) names.push_back(s->mount_name(k));
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
    return {m.t,
            m.h,
            m.theta,
            m.q.segment(q, nq),
            m.v.segment(v, nv),
            m.x.segment(v, nv),
            m.q_theta.segment(q, nq),
            m.v_theta.segment(v, nv),
            m.v_next.segment(v, nv),
            m.a.segment(v, nv)};
  }
  ConstView velocity(ConstView x) const { return x.segment(v, nv); }
  View velocity(View x) const { return x.segment(v, nv); }
  ConstView position(ConstView x) const { return x.segment(q, nq); }
  View position(View x) const { return x.segment(q, nq); }
};
}  // namespace

#define RICOCHET_EACH(statement)                             \
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {     \
    const Subsystem& s = *subsystems_[k];                    \
    Scratch& scratch = w.subsystem(k);                       \
    const Cut cut{first_q_[k], s.nq(), first_v_[k], s.nv()}; \
    statement;                                               \
  }                                                          \
  static_cast<void>(0)

void Model::mass_of_many(const Point& at, double c, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.mass(cut(at), c, Segment(S, cut.v), scratch));
}
void Model::mass_times_of_many(const Point& at, ConstView x, double c, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.mass_times(cut(at), cut.velocity(x), c, cut.velocity(y), scratch));
}
void Model::residual_of_many(const Point& at, ConstView a, double c, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.residual(cut(at), cut.velocity(a), c, cut.velocity(y), scratch));
  for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k]->residual(at, c, y, w.force(k));
}
void Model::tangents_of_many(const Point& at, ConstView a, double c_K, double c_C, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.tangents(cut(at), cut.velocity(a), c_K, c_C, Segment(S, cut.v), scratch));
  for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k]->tangents(at, c_K, c_C, S, w.force(k));
}
void Model::momentum_balance_of_many(const Motion& m, View y, ModelScratch& w) const {
  RICOCHET_EACH(s.momentum_balance(cut(m), cut.velocity(y), scratch));
  for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k]->residual(m.at_theta(), m.h, y, w.force(k));
}
void Model::momentum_tangent_of_many(const Motion& m, Operator& S, ModelScratch& w) const {
  RICOCHET_EACH(s.momentum_tangent(cut(m), Segment(S, cut.v), scratch));
  const double s = m.h * m.theta;
  for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k]->tangents(m.at_theta(), s * s, s, S, w.force(k));
}
Energies Model::energies_of_many(const Point& at, ModelScratch& w) const {
  Energies sum;
  RICOCHET_EACH({
    const Energies e = s.energies(cut(at), scratch);
    sum.kinetic += e.kinetic;
    sum.potential += e.potential;
  });
  for (std::size_t k = 0; k < forces_.size(); ++k) sum.potential += forces_[k]->potential(at, w.force(k));
  return sum;
}
Power Model::power_of_many(const Point& at, ConstView x, ModelScratch& w) const {
  Power sum;
  const auto add = [&sum](const Power& p) {
    sum.external += p.external;
    sum.damping += p.damping;
    sum.potential += p.potential;
    sum.potential_rate += p.potential_rate;
  };
  RICOCHET_EACH(add(s.power(cut(at), cut.velocity(x), scratch)));
  for (std::size_t k = 0; k < forces_.size(); ++k) add(forces_[k]->power(at, x, w.force(k)));
  return sum;
}
double Model::potential_curvature_of_many(const Point& at, ConstView x, ModelScratch& w) const {
  double sum = 0;
  RICOCHET_EACH(sum += s.potential_curvature(cut(at), cut.velocity(x), scratch));
  for (std::size_t k = 0; k < forces_.size(); ++k) sum += forces_[k]->potential_curvature(at, x, w.force(k));
  return sum;
}
#undef RICOCHET_EACH

void Model::retract(ConstView q, ConstView x, View out) const {
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {
    const Subsystem& s = *subsystems_[k];
    const Cut cut{first_q_[k], s.nq(), first_v_[k], s.nv()};
    s.retract(cut.position(q), cut.velocity(x), cut.position(out));
  }
}

void Model::difference(ConstView a, ConstView b, View x) const {
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {
    const Subsystem& s = *subsystems_[k];
    const Cut cut{first_q_[k], s.nq(), first_v_[k], s.nv()};
    s.difference(cut.position(a), cut.position(b), cut.velocity(x));
  }
}

void Model::increment_rate(ConstView x, ConstView v, View out) const {
  for (std::size_t k = 0; k < subsystems_.size(); ++k) {
    const Subsystem& s = *subsystems_[k];
    const Cut cut{first_q_[k], s.nq(), first_v_[k], s.nv()};
    s.increment_rate(cut.velocity(x), cut.velocity(v), cut.velocity(out));
  }
}

void Model::candidates(const Point& at, double h, std::vector<Candidate>& out) const {
  out.clear();
  for (std::size_t k = 0; k < sets_.size(); ++k) sets_[k]->candidates(at, h, static_cast<int>(k), out);
}

void Model::awake_candidates(const Point& at, double h, const CandidateSearch& search,
                             std::vector<Candidate>& out) const {
  out.clear();
  for (std::size_t k = 0; k < sets_.size(); ++k) sets_[k]->awake_candidates(at, h, static_cast<int>(k), search, out);
}

double Model::overlooked(ConstView before, ConstView after, const std::vector<Candidate>& all, Crew* crew) const {
  double out = 0;
  for (std::size_t k = 0; k < sets_.size(); ++k)
    if (!sets_[k]->constant_candidates())
      out = std::max(out, sets_[k]->overlooked(before, after, all, static_cast<int>(k), crew));
  return out;
}

void Model::evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, ModelScratch& w) const {
  out.clear(selection.values_only);
  if (sets_.size() == 1) return sets_[0]->evaluate(t, q, selection, out, w.set(0));
  for (int k = 0; k < selection.count;) {
    const int set = selection[k].set;
    Selection part = selection;
    part.pick = selection.pick + k;
    for (part.count = 1; k + part.count < selection.count && selection[k + part.count].set == set;) ++part.count;
    sets_[set]->evaluate(t, q, part, out, w.set(set));
    k += part.count;
  }
}

}  // namespace ricochet
