#include "ricochet/io/result/checkpoint.hpp"

#include <fmt/format.h>

namespace ricochet {
namespace {

// One list serves writing and reading. Whoever adds to Summary adds here, or this does not compile.
static_assert(sizeof(Summary) ==
              (22 + kStepStatuses) * 8 + 8 + sizeof(Certificate) + 9 * 8 + sizeof(EnergyWatch) + sizeof(EnergyLedger));
static_assert(sizeof(Certificate) == 7 * 8 && sizeof(EnergyLedger) == 13 * 8 && sizeof(EnergyWatch) == 11 * 8);

template <class S, class Visit>
void each_integer(S& s, Visit&& visit) {
  visit("steps", s.steps);
  visit("impacts", s.impacts);
  visit("retries", s.retries);
  visit("solves", s.solves);
  visit("accepted", s.accepted);
  visit("rejected", s.rejected);
  visit("floor_hits", s.floor_hits);
  visit("rehearsals", s.rehearsals);
  visit("rehearsal_solves", s.rehearsal_solves);
  visit("newton_sum", s.newton_sum);
  visit("solver_sum", s.solver_sum);
  visit("activation_sum", s.activation_sum);
  visit("projection_sum", s.projection_sum);
  visit("newton_max", s.newton_max);
  visit("solver_max", s.solver_max);
  visit("activation_max", s.activation_max);
  visit("projection_max", s.projection_max);
  visit("contacts_max", s.contacts_max);
  visit("events", s.events);
  visit("uncertified", s.uncertified);
  visit("rebounds", s.rebounds);
  visit("rebounds_reduced", s.reduced);
  for (std::size_t k = 0; k < s.failures.size(); ++k)
    visit(std::string("attempts-") + name(static_cast<StepStatus>(k)), s.failures[k]);
}

template <class S, class Visit>
void each_number(S& s, Visit&& visit) {
  visit("complementarity", s.certificate.complementarity);
  visit("penetration", s.certificate.penetration);
  visit("joint_position", s.certificate.joint_position);
  visit("joint_velocity", s.certificate.joint_velocity);
  visit("energy_defect", s.certificate.energy_defect);
  visit("joint_position_relative", s.certificate.joint_position_relative);
  visit("joint_velocity_relative", s.certificate.joint_velocity_relative);
  visit("energy_initial", s.energy_initial);
  visit("magnitude_max", s.magnitude_max);
  visit("energy_gain_max", s.energy_gain_max);
  visit("step_smallest", s.step_smallest);
  visit("step_largest", s.step_largest);
  visit("error_asked", s.error_asked);
  visit("error_estimate", s.error_estimate);
  visit("error_doubt", s.error_doubt);
  visit("least_restitution_part", s.least_part);
  visit("kinetic_max", s.watch.kinetic_max);
  visit("potential_min", s.watch.potential_min);
  visit("potential_max", s.watch.potential_max);
  visit("exchanged", s.watch.exchanged);
  visit("level_lowest", s.watch.level_lowest);
  visit("energy_gain", s.watch.gain);
  visit("remainder_max", s.watch.remainder);
  visit("energy_made", s.watch.made);
  visit("energy_trusted", s.watch.trusted);
  visit("energy_unit", s.watch.unit);
  visit("energy_load", s.watch.load);
  visit("kinetic", s.energy.kinetic);
  visit("potential", s.energy.potential);
  visit("kinetic_before", s.energy.kinetic_before);
  visit("potential_before", s.energy.potential_before);
  visit("external", s.energy.external);
  visit("damping", s.energy.damping);
  visit("joints", s.energy.joints);
  visit("impact", s.energy.impact);
  visit("friction", s.energy.friction);
  visit("projection", s.energy.projection);
  visit("numerical", s.energy.numerical);
  visit("nonlinear_remainder", s.energy.nonlinear_remainder);
  visit("defect", s.energy.defect);
}

template <class S, class Visit>
void each_scale(S& s, Visit&& visit) {
  for (auto* x : {&s.length, &s.velocity, &s.mass, &s.acceleration}) visit(*x);
}

void put(std::vector<double>& out, const VectorXd& x) { out.insert(out.end(), x.data(), x.data() + x.size()); }

// Reads in the order of writing; running past the end means a damaged file.
template <class T>
class Reader {
 public:
  Reader(std::vector<T> values, const h5::Group& group) : values_(std::move(values)), group_(group) {}
  T next() {
    if (at_ >= values_.size()) throw InputError(group_.path(), "the checkpoint is damaged: it ends too early");
    return values_[at_++];
  }
  void fill(VectorXd& x, std::int64_t n) {
    x.resize(n);
    for (Index i = 0; i < n; ++i) x[i] = next();
  }
  bool done() const { return at_ == values_.size(); }
  std::size_t left() const { return values_.size() - at_; }

 private:
  std::vector<T> values_;
  const h5::Group& group_;
  std::size_t at_ = 0;
};

}  // namespace

SummaryNumbers numbers_of(const Summary& summary) {
  SummaryNumbers out;
  each_integer(summary, [&](const std::string& key, std::int64_t x) { out.integers.emplace_back(key, x); });
  out.integers.emplace_back("minimum_norm", summary.minimum_norm ? 1 : 0);
  each_number(summary, [&](const std::string& key, double x) { out.numbers.emplace_back(key, x); });
  return out;
}

Summary summary_of(const h5::Group& group) {
  Summary s;
  each_integer(s, [&](const std::string& key, std::int64_t& x) {
    if (group.has_attribute(key)) x = group.integer(key);
  });
  s.minimum_norm = group.has_attribute("minimum_norm") && group.integer("minimum_norm") != 0;
  each_number(s, [&](const std::string& key, double& x) {
    if (group.has_attribute(key)) x = group.number(key);
  });
  return s;
}

void store_checkpoint(h5::Group group, const Checkpoint& c) {
  const State& s = c.run.state;
  std::vector<std::int64_t> whole{c.rows,
                                  c.pending,
                                  c.run.step,
                                  s.q.size(),
                                  s.v.size(),
                                  static_cast<std::int64_t>(s.memory.size()),
                                  static_cast<std::int64_t>(s.contacts.size()),
                                  static_cast<std::int64_t>(c.partial.size()),
                                  static_cast<std::int64_t>(c.contacts.size()),
                                  c.run.summary.minimum_norm ? 1 : 0};
  std::vector<double> numbers{s.t, s.t_rest, s.h, c.run.t_begin, c.run.h, c.run.tolerance, c.run.violation};
  put(numbers, s.q);
  put(numbers, s.v);
  for (const VectorXd& m : s.memory) {
    whole.push_back(m.size());
    put(numbers, m);
  }
  for (const ContactMemory& m : s.contacts) {
    whole.push_back(static_cast<std::int64_t>(m.key));
    numbers.insert(numbers.end(), m.reaction.begin(), m.reaction.end());
    numbers.push_back(m.correction);
    numbers.insert(numbers.end(), m.kept.begin(), m.kept.end());
    whole.push_back(m.mode);
  }
  whole.push_back(s.scales ? 1 : 0);
  if (s.scales) {
    each_scale(*s.scales, [&](double x) { numbers.push_back(x); });
    whole.insert(whole.end(), {s.scales->coordinate.size(), s.scales->row.size()});
    put(numbers, s.scales->coordinate);
    put(numbers, s.scales->arm);
    put(numbers, s.scales->row);
  }
  each_integer(c.run.summary, [&](const std::string&, std::int64_t x) { whole.push_back(x); });
  each_number(c.run.summary, [&](const std::string&, double x) { numbers.push_back(x); });
  numbers.insert(numbers.end(), c.partial.begin(), c.partial.end());
  for (const ContactEntry& e : c.contacts) {
    whole.insert(whole.end(), {static_cast<std::int64_t>(e.key), e.item, e.bodies[0], e.bodies[1],
                               static_cast<std::int64_t>(e.state)});
    numbers.insert(numbers.end(), {e.gap, e.correction});
    for (const auto* x : {&e.U, &e.P, &e.reaction}) numbers.insert(numbers.end(), x->begin(), x->end());
    for (const auto* x : {&e.point, &e.normal}) numbers.insert(numbers.end(), x->begin(), x->end());
    numbers.insert(numbers.end(), e.restitution.begin(), e.restitution.end());
  }

  constexpr h5::RowStorage kSmall{.chunk_bytes = 1024};
  h5::Rows a = group.integer_rows("integers", 1, false, kSmall), b = group.rows("numbers", 1, false, kSmall);
  a.truncate(0);
  b.truncate(0);
  a.append(whole);
  b.append(numbers);
}

Checkpoint load_checkpoint(const h5::Group& group) {
  Reader<std::int64_t> whole(group.dataset("integers").integers(), group);
  Reader<double> numbers(group.dataset("numbers").numbers(), group);
  Checkpoint c;
  State& s = c.run.state;
  c.rows = whole.next();
  c.pending = whole.next();
  c.run.step = whole.next();
  const std::int64_t nq = whole.next(), nv = whole.next(), memories = whole.next(), contacts = whole.next(),
                     partial = whole.next(), listed = whole.next();
  c.run.summary.minimum_norm = whole.next() != 0;
  const auto limit = static_cast<std::int64_t>(numbers.left() + whole.left());
  const auto fill = [&](VectorXd& x, std::int64_t n) {
    if (n < 0 || n > limit) throw InputError(group.path(), "the checkpoint is damaged: a size that cannot be");
    numbers.fill(x, n);
  };
  for (std::int64_t n : {c.rows, c.pending, c.run.step, nq, nv, memories, contacts, partial, listed})
    if (n < 0) throw InputError(group.path(), "the checkpoint is damaged: a negative size");
  for (std::int64_t n : {nq, nv, memories, contacts, partial, listed})
    if (n > limit) throw InputError(group.path(), "the checkpoint is damaged: it ends too early");
  s.t = numbers.next();
  s.t_rest = numbers.next();
  s.h = numbers.next();
  c.run.t_begin = numbers.next();
  c.run.h = numbers.next();
  c.run.tolerance = numbers.next();
  c.run.violation = numbers.next();
  numbers.fill(s.q, nq);
  numbers.fill(s.v, nv);
  for (std::int64_t k = 0; k < memories; ++k) fill(s.memory.emplace_back(), whole.next());
  for (std::int64_t k = 0; k < contacts; ++k) {
    ContactMemory& m = s.contacts.emplace_back();
    m.key = static_cast<Key>(whole.next());
    for (double& x : m.reaction) x = numbers.next();
    m.correction = numbers.next();
    for (double& x : m.kept) x = numbers.next();
    m.mode = whole.next();
  }
  if (whole.next() != 0) {
    auto scales = std::make_shared<Scales>();
    each_scale(*scales, [&](double& x) { x = numbers.next(); });
    const std::int64_t coordinates = whole.next(), scaled_rows = whole.next();
    fill(scales->coordinate, coordinates);
    fill(scales->arm, coordinates);
    fill(scales->row, scaled_rows);
    s.scales = std::move(scales);
  }
  each_integer(c.run.summary, [&](const std::string&, std::int64_t& x) { x = whole.next(); });
  each_number(c.run.summary, [&](const std::string&, double& x) { x = numbers.next(); });
  for (std::int64_t k = 0; k < partial; ++k) c.partial.push_back(numbers.next());
  for (std::int64_t k = 0; k < listed; ++k) {
    ContactEntry& e = c.contacts.emplace_back();
    e.key = static_cast<Key>(whole.next());
    for (int* x : {&e.item, &e.bodies[0], &e.bodies[1]}) *x = static_cast<int>(whole.next());
    e.state = static_cast<ContactState>(whole.next());
    e.gap = numbers.next();
    e.correction = numbers.next();
    for (auto* x : {&e.U, &e.P, &e.reaction})
      for (double& y : *x) y = numbers.next();
    for (auto* x : {&e.point, &e.normal})
      for (double& y : *x) y = numbers.next();
    for (double& x : e.restitution) x = numbers.next();
  }
  if (!whole.done() || !numbers.done())
    throw InputError(group.path(), "the checkpoint is damaged, or of another version: numbers are left over");
  return c;
}

}  // namespace ricochet
