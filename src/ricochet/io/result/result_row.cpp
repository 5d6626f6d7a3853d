#include "ricochet/io/result/result_row.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

bool carries(const ContactEntry& c) {
  return std::any_of(c.P.begin(), c.P.end(), [](double p) { return p != 0; });
}
bool acts(const ContactEntry& c) { return c.correction != 0 || carries(c); }

const std::array<double, 3> kUnknown{std::nan(""), std::nan(""), std::nan("")};

}  // namespace

ContactState state_of(const ContactEntry& c, const Candidate& candidate, const ContactLimits& limits) {
  int dim = candidate.dim;
  const auto moves = [&](double x, double y) {
    return elementary::hypot(x, y) <= limits.slow ? ContactState::sticking : ContactState::sliding;
  };
  if (candidate.velocity_only) return moves(c.U[0], dim > 1 ? c.U[1] : 0);
  if (candidate.law->rolling() && dim > 1) dim = 1 + friction_rows(dim).slip;
  if (!(c.gap <= limits.closed_below) && c.reaction[0] == 0) return ContactState::open;
  if (dim == 1) return ContactState::closed;
  return moves(c.U[1], dim > 2 ? c.U[2] : 0);
}

void ResultRow::clear() {
  std::fill(numbers.begin(), numbers.end(), 0.0);
  contacts.clear();
}

void ResultRow::start(const RunState& start) {
  const State& s = start.state;
  clear();
  Workspace w(model_);
  begin_step(model_, s, 0, w);
  const End& end = *w.before;
  StepReport report;
  report.constraints = {w.candidates,
                        end.rows.G,
                        {end.rows.g.data(), end.U.data(), w.impulse.data(), w.correction.data(), w.smooth.data(),
                         &model_.sets(), &end.t, &end.q}};
  report.energy.kinetic = start.summary.energy.kinetic;
  report.energy.potential = start.summary.energy.potential;
  for (const ConstraintReport& c : report.constraints) {
    Certificate& errors = report.certificate;
    if (!c.candidate->bilateral()) errors.penetration = std::max(errors.penetration, -c.g[0]);
    for (int k = 0; c.candidate->bilateral() && k < c.candidate->dim; ++k) {
      errors.joint_position = std::max(errors.joint_position, std::abs(c.g[k]));
      errors.joint_velocity = std::max(errors.joint_velocity, std::abs(c.U[k]));
    }
  }
  report.h = std::numeric_limits<double>::infinity();  // no reactions
  add(s, report);
  numbers[layout_.h] = numbers[layout_.steps] = 0;
}

void ResultRow::add_ledger(const StepReport& report) {
  double entries[kEnergies];
  energy_numbers(report.energy, entries);
  double* energy = &numbers[layout_.energy];
  for (std::size_t k = 0; k < kEnergies; ++k) energy[k] = k < kEnergyStates ? entries[k] : energy[k] + entries[k];
  certificate_numbers(report.certificate, entries);
  double* certificate = &numbers[layout_.certificate];
  for (std::size_t k = 0; k < kCertificates; ++k) certificate[k] = std::max(certificate[k], entries[k]);
  double* iterations = &numbers[layout_.iterations];
  iterations[0] += report.newton;
  iterations[1] += report.solver;
  iterations[2] += report.activations;
  iterations[3] += report.projections;
  iterations[4] = std::max(iterations[4], static_cast<double>(report.contacts));
  iterations[5] += report.impacts;
}

void ResultRow::add(const State& after, const StepReport& report) {
  slow_ = kSticking * (after.scales ? after.scales->velocity : 1);
  double* const row = numbers.data();
  row[layout_.t] = after.t;
  row[layout_.h] += report.h;
  row[layout_.steps] += 1;
  if (layout_.marks() && !report.certified) row[layout_.uncertified] += 1;
  std::copy(after.q.data(), after.q.data() + after.q.size(), row + layout_.q);
  std::copy(after.v.data(), after.v.data() + after.v.size(), row + layout_.v);
  add_ledger(report);
  if (layout_.declared && report.constraints.size() != layout_.items().size())
    for (const ResultLayout::Item& item : layout_.items()) {
      if (item.bilateral) continue;
      row[layout_.gap + item.index] = std::nan("");
      std::fill_n(row + layout_.U + item.row, item.dim, std::nan(""));
    }
  // Both lists are sorted by key.
  before_.swap(contacts);
  contacts.clear();
  auto old = before_.begin();
  for (const ConstraintReport& c : report.constraints) {
    if (c.candidate->bilateral()) {
      add_joint(c, report.h);
      continue;
    }
    for (; old != before_.end() && old->key < c.candidate->key; ++old) no_longer_near(*old);
    const bool known = old != before_.end() && old->key == c.candidate->key;
    add_contact(c, report.h, known ? &*old : nullptr);
    if (known) ++old;
  }
  for (; old != before_.end(); ++old) no_longer_near(*old);
}

void ResultRow::add_joint(const ConstraintReport& c, double h) {
  const std::size_t first = layout_.items()[static_cast<std::size_t>(model_.index_of(*c.candidate))].row;
  for (int k = 0; k < c.candidate->dim; ++k) {
    double* const row = numbers.data() + first + static_cast<std::size_t>(k);
    row[layout_.joint_residual] = c.g[k];
    row[layout_.joint_U] = c.U[k];
    row[layout_.joint_P] += c.impulse[k];
    row[layout_.joint_correction] += c.correction[k];
    row[layout_.joint_smooth] = c.smooth[k];
    if (layout_.reactions()) row[layout_.joint_reaction] = c.impulse[k] / h + c.smooth[k];
  }
}

void ResultRow::add_contact(const ConstraintReport& c, double h, const ContactEntry* known) {
  const int item = model_.index_of(*c.candidate), dim = c.candidate->dim;
  if (layout_.declared && item >= 0) {
    const ResultLayout::Item& place = layout_.items()[static_cast<std::size_t>(item)];
    numbers[layout_.gap + place.index] = c.g[0];
    std::copy(c.U, c.U + dim, &numbers[layout_.U + place.row]);
  }
  const ContactDetail detail = layout_.detail();
  if (detail == ContactDetail::none) return;
  const bool forces = detail == ContactDetail::forces;
  bool listed = known != nullptr && (forces ? carries(*known) : acts(*known));
  if (!forces) listed = listed || c.g[0] <= closed_below_ || c.correction[0] != 0;
  for (int k = 0; k < dim; ++k) listed = listed || c.impulse[k] != 0;
  if (!listed) return;
  ContactEntry& e = contacts.emplace_back();
  if (known != nullptr) e = *known;
  e.key = c.candidate->key;
  e.item = item;
  e.bodies = c.candidate->bodies;
  e.gap = c.g[0];
  e.correction += c.correction[0];
  for (std::size_t k = 0; k < static_cast<std::size_t>(dim); ++k) {
    e.U[k] = c.U[k];
    e.P[k] += c.impulse[k];
    e.reaction[k] = c.impulse[k] / h;
  }
  if (c.restitution != nullptr) std::copy_n(c.restitution, 2, e.restitution.begin());
  e.state = state_of(e, *c.candidate, {closed_below_, slow_});
  if (forces) return leave_out_details(e);
  e.point = e.normal = kUnknown;
  if (const auto place = c.place()) {
    std::copy_n(place->point.data(), 3, e.point.begin());
    std::copy_n(place->normal.data(), 3, e.normal.begin());
  }
}

// What the layout has no columns for is not a number, as in what is read from a file.
void ResultRow::leave_out_details(ContactEntry& e) {
  e.gap = e.correction = std::nan("");
  for (auto* x : {&e.U, &e.reaction}) x->fill(std::nan(""));
  e.point = e.normal = kUnknown;
  e.restitution.fill(std::nan(""));
}

// It carried an impulse since the row before and is no candidate any more.
void ResultRow::no_longer_near(ContactEntry& e) {
  if (layout_.detail() == ContactDetail::forces ? !carries(e) : !acts(e)) return;
  e.state = ContactState::open;
  if (layout_.detail() == ContactDetail::forces) {
    contacts.push_back(e);
    return;
  }
  e.gap = std::nan("");
  e.U.fill(std::nan(""));
  e.point = e.normal = kUnknown;
  e.reaction = {};
  e.restitution = {};
  contacts.push_back(e);
}

}  // namespace ricochet
