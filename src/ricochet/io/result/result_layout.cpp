#include "ricochet/io/result/result_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ricochet {

const std::array<const char*, kCertificates> kCertificateUnits{"m/s", "m", "m", "m/s", "J"};

const std::vector<std::string>& energy_names() {
  static const std::vector<std::string> names{"kinetic", "potential", "external",   "damping",   "joints",
                                              "impact",  "friction",  "projection", "numerical", "nonlinear_remainder",
                                              "defect"};
  return names;
}

const std::vector<std::string>& certificate_names() {
  static const std::vector<std::string> names{"complementarity", "penetration", "joint_position", "joint_velocity",
                                              "energy_defect"};
  return names;
}

bool certified(std::size_t k, const std::vector<ConstraintItem>& items) {
  return !certificate_names()[k].starts_with("joint") ||
         std::any_of(items.begin(), items.end(), [](const ConstraintItem& i) { return i.bilateral; });
}

const std::vector<std::string>& iteration_names() {
  static const std::vector<std::string> names{"newton", "solver", "activations", "projections", "contacts", "impacts"};
  return names;
}

void energy_numbers(const EnergyLedger& e, double* out) {
  const double all[kEnergies] = {e.kinetic, e.potential, e.external,   e.damping,   e.joints,
                                 e.impact,  e.friction,  e.projection, e.numerical, e.nonlinear_remainder,
                                 e.defect};
  std::copy(all, all + kEnergies, out);
}

void certificate_numbers(const Certificate& c, double* out) {
  const double all[kCertificates] = {c.complementarity, c.penetration, c.joint_position, c.joint_velocity,
                                     c.energy_defect};
  std::copy(all, all + kCertificates, out);
}

void relative_certificate(const Certificate& c, const Scales& scales, double* out) {
  const double all[kCertificates] = {c.complementarity / scales.velocity, c.penetration / scales.length,
                                     c.joint_position_relative, c.joint_velocity_relative,
                                     c.energy_defect / scales.energy()};
  std::copy(all, all + kCertificates, out);
}

ResultNames names_of(const Model& model) {
  ResultNames out{model.position_names(), model.velocity_names(), model.body_names(), model.items(), false,
                  model.nameless_rows()};
  std::set<std::string> taken;
  for (ConstraintItem& item : out.items) {
    const std::string stem = item.name;
    for (int k = 2; !taken.insert(item.name).second; ++k) item.name = fmt::format("{}#{}", stem, k);
  }
  for (const auto& set : model.sets()) out.places = out.places || set->knows_places();
  return out;
}

namespace {

// Of a constraint the first row bears its name, the others a number: U.A, U.A.1, U.A.2.
std::string row_name(const std::string& name, int row) { return row == 0 ? name : fmt::format("{}.{}", name, row); }

}  // namespace

std::size_t ResultLayout::add(DatasetInfo dataset) {
  dataset.place = width_;
  if (!dataset.names.empty()) dataset.width = dataset.names.size();
  width_ += dataset.width;
  datasets_.push_back(std::move(dataset));
  return datasets_.back().place;
}

ResultLayout::ResultLayout(ResultNames names, const RecordChoice& record, std::size_t declared_limit)
    : names_(std::move(names)), record_(record) {
  contact_dim = names_.nameless_rows;
  for (const ConstraintItem& c : names_.items) {
    std::vector<std::string>& rows = c.bilateral ? joint_names_ : contact_row_names_;
    items_.push_back({c.bilateral, c.dim, rows.size(), contact_names_.size()});
    for (int k = 0; k < c.dim; ++k) rows.push_back(row_name(c.name, k));
    if (c.bilateral) continue;
    contact_names_.push_back(c.name);
    contact_dim = std::max(contact_dim, c.dim);
  }
  omits_ = contact_dim > 0 && record_.contacts != ContactDetail::all;
  if (record_.contacts == ContactDetail::none) contact_dim = 0;
  t = add({"steps/t", 1, "s", "time"});
  h = add({"steps/h", 1, "s", "time since the row before"});
  steps = add({"steps/steps", 1, "", "steps since the row before", true});
  if (record_.marks)
    uncertified =
        add({"steps/uncertified", 1, "", "of these, steps that missed the tolerance and were accepted", true});
  q = add({"steps/q", 1, "SI", "configuration", false, names_.positions});
  v = add({"steps/v", 1, "SI", "velocity", false, names_.velocities});
  energy = add(
      {"energy", 1, "J", "kinetic and potential at the row, the others since the row before", false, energy_names()});
  certificate =
      add({"certificate", 1, "m/s, m, m, m/s, J", "largest since the row before", false, certificate_names()});
  iterations =
      add({"iterations", 1, "", "sums since the row before; contacts: the largest number", true, iteration_names()});
  if (!joint_names_.empty()) add_joints();
  declared = !contact_names_.empty() && contact_names_.size() <= declared_limit;
  if (declared) add_declared();
}

void ResultLayout::add_joints() {
  joint_residual = add({"joints/residual", 1, "m", "at the row", false, joint_names_});
  joint_U = add({"joints/U", 1, "m/s", "velocity at the row", false, joint_names_});
  joint_P = add({"joints/P", 1, "N s", "impulse since the row before", false, joint_names_});
  joint_correction =
      add({"joints/correction", 1, "SI", "position-level multipliers since the row before", false, joint_names_});
  joint_smooth = add({"joints/smooth", 1, "N", "multipliers of the smooth motion", false, joint_names_});
  if (reactions())
    joint_reaction = add({"joints/reaction", 1, "N", "P/h of the last step + smooth", false, joint_names_});
}

void ResultLayout::add_declared() {
  gap = add({"declared/gap", 1, "m", "at the row; not a number: far away", false, contact_names_});
  U = add({"declared/U", 1, "m/s", "local velocity at the row, normal first", false, contact_row_names_});
}

std::vector<ContactColumn> ResultLayout::contact_columns() const {
  using Whole = std::int64_t;
  const auto dim = static_cast<std::size_t>(contact_dim);
  std::vector<ContactColumn> out{
      {"key", "1", "identity over the whole run", 1, nullptr, 8,
       [](const ContactEntry& e, Whole* x) { *x = static_cast<Whole>(e.key); },
       [](ContactEntry& e, const Whole* x) { return e.key = static_cast<Key>(*x), true; }},
      {"item", "1", "place in /names/constraints; -1: no name", 1, nullptr, 4,
       [](const ContactEntry& e, Whole* x) { *x = e.item; },
       [](ContactEntry& e, const Whole* x) { return e.item = static_cast<int>(*x), *x >= -1; }},
      {"bodies", "1", "places in /names/bodies; -1: the ground, or none", 2, nullptr, 4,
       [](const ContactEntry& e, Whole* x) { std::copy(e.bodies.begin(), e.bodies.end(), x); },
       [](ContactEntry& e, const Whole* x) {
         e.bodies = {static_cast<int>(x[0]), static_cast<int>(x[1])};
         return x[0] >= -1 && x[1] >= -1;
       }},
      {"state", "1", "number of its name in the attribute 'names'", 1, nullptr, 1,
       [](const ContactEntry& e, Whole* x) { *x = static_cast<Whole>(e.state); },
       [](ContactEntry& e, const Whole* x) {
         return e.state = static_cast<ContactState>(*x), *x >= 0 && *x < static_cast<Whole>(kContactStates.size());
       }},
      {"P", "N s", "impulse since the row before, normal first", dim, [](ContactEntry& e) { return e.P.data(); }},
  };
  if (record_.contacts != ContactDetail::all) return out;
  out.insert(out.end(),
             {{"gap", "m", "at the row", 1, [](ContactEntry& e) { return &e.gap; }},
              {"U", "m/s", "local velocity at the row, normal first", dim, [](ContactEntry& e) { return e.U.data(); }},
              {"correction", "SI", "position-level multiplier since the row before", 1,
               [](ContactEntry& e) { return &e.correction; }}});
  if (reactions())
    out.push_back({"reaction", "N", "P/h of the last step", dim, [](ContactEntry& e) { return e.reaction.data(); }});
  if (record_.restitution)
    out.push_back({"restitution", "1", "asked for and applied in the last step", 2,
                   [](ContactEntry& e) { return e.restitution.data(); }});
  if (names_.places) {
    out.push_back({"point", "m", "where it touches, on the first body, in space", 3,
                   [](ContactEntry& e) { return e.point.data(); }});
    out.push_back({"normal", "1", "direction in which the first body leaves the second, in space", 3,
                   [](ContactEntry& e) { return e.normal.data(); }});
  }
  return out;
}

std::vector<NamedColumn> ResultLayout::columns() const {
  using Kind = NamedColumn::Kind;
  std::vector<NamedColumn> out{{"t", Kind::number, t}};
  const auto plain = [&](const std::string& prefix, std::size_t first, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) out.push_back({prefix + names[k], Kind::number, first + k});
  };
  plain("q.", q, names_.positions);
  plain("v.", v, names_.velocities);
  // of contacts, rows at place + k if they are numbers of the row
  const auto contacts = [&](const char* prefix, Kind kind, bool normal_only, std::size_t place) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].bilateral) continue;
      const std::size_t first = place + (normal_only ? items_[i].index : items_[i].row);
      for (int k = 0; k < (normal_only ? 1 : items_[i].dim); ++k)
        out.push_back({prefix + row_name(names_.items[i].name, k), kind, first + static_cast<std::size_t>(k),
                       static_cast<int>(i), static_cast<std::size_t>(k)});
    }
  };
  const auto joints = [&](const char* prefix, std::size_t first) { plain(prefix, first, joint_names_); };
  const bool whole = record_.contacts == ContactDetail::all, impulses = record_.contacts != ContactDetail::none;
  if (declared || whole) contacts("gap.", declared ? Kind::number : Kind::gap, true, gap);
  joints("residual.", joint_residual);
  joints("U.", joint_U);
  if (declared || whole) contacts("U.", declared ? Kind::number : Kind::U, false, U);
  joints("P.", joint_P);
  if (impulses) contacts("P.", Kind::P, false, 0);
  joints("correction.", joint_correction);
  if (whole) contacts("correction.", Kind::correction, true, 0);
  joints("smooth.", joint_smooth);
  for (std::size_t k = 0; k < joint_names_.size(); ++k)
    out.push_back({"reaction." + joint_names_[k], reactions() ? Kind::number : Kind::joint_reaction,
                   (reactions() ? joint_reaction : joint_P) + k, -1, k});
  if (impulses) contacts("reaction.", Kind::reaction, false, 0);
  out.push_back({"E", Kind::total});
  plain("", energy, energy_names());
  plain("", certificate, certificate_names());
  plain("", iterations, iteration_names());
  out.push_back({"h", Kind::number, h});
  out.push_back({"steps", Kind::number, steps});
  if (record_.marks) out.push_back({"uncertified", Kind::number, uncertified});
  return out;
}

const ContactEntry* ResultRowView::find(int item) const {
  if (slots != nullptr) return slots[item] < 0 ? nullptr : &contacts[static_cast<std::size_t>(slots[item])];
  const auto found =
      std::find_if(contacts.begin(), contacts.end(), [&](const ContactEntry& e) { return e.item == item; });
  return found == contacts.end() ? nullptr : &*found;
}

double ResultLayout::value(const NamedColumn& c, const ResultRowView& row) const {
  using Kind = NamedColumn::Kind;
  const double* const x = row.numbers;
  const double over_h = x[h] > 0 ? x[h] : std::numeric_limits<double>::infinity();  // row 0 has no step
  if (c.kind == Kind::number) return x[c.place];
  if (c.kind == Kind::total) return x[energy] + x[energy + 1];
  if (c.kind == Kind::joint_reaction) return x[c.place] / over_h + x[joint_smooth + c.row];
  const ContactEntry* const found = row.find(c.item);
  const bool listed = found != nullptr;
  switch (c.kind) {
    case Kind::gap: return listed ? found->gap : std::nan("");
    case Kind::U: return listed ? found->U[c.row] : std::nan("");
    case Kind::P: return listed ? found->P[c.row] : 0;
    case Kind::correction: return listed ? found->correction : 0;
    default: break;
  }
  if (!listed) return 0;
  // Where it is not recorded, the mean of the steps since the row before.
  const bool last = reactions() && record_.contacts == ContactDetail::all;
  return last ? found->reaction[c.row] : found->P[c.row] / over_h;
}

}  // namespace ricochet
