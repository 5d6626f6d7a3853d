#include "ricochet/io/result/results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace ricochet {

const char* version() { return RICOCHET_VERSION; }

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::finished: return "finished";
    case RunStatus::failed: return "failed";
    case RunStatus::interrupted: return "interrupted";
  }
  return "";
}

namespace {

nlohmann::json json_of(const OptionValues& values) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [key, value] : values) std::visit([&](const auto& x) { out[key] = x; }, value);
  return out;
}

// A name is one step of a path in HDF5, and stands for one constraint only.
std::string group_name(const std::string& name, std::set<std::string>& taken) {
  std::string out = name.empty() || name == "." || name == ".." ? "_" + name : name;
  for (char& c : out)
    if (c == '/') c = '_';
  const std::string stem = out;
  for (int k = 2; !taken.insert(out).second; ++k) out = fmt::format("{}#{}", stem, k);
  return out;
}

}  // namespace

ResultHeader header_of(const Scenario& s, std::int64_t record_every) {
  const SchemeEntry* entry = find_scheme(s.scheme);
  const OptionValues all = entry != nullptr ? Options(entry->options, s.options).values() : s.options;
  return {s.name,
          s.text,
          s.scheme,
          json_of(all).dump(),
          s.policy.control.kind == Control::fixed ? s.policy.step : 0,
          s.policy.until,
          name(s.policy.control),
          record_every};
}

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

ResultLayout::ResultLayout(const Model& model) {
  const auto add = [&](std::string path, std::size_t w, std::string unit, std::string doc, bool integer = false) {
    const std::size_t at = width;
    columns.push_back({std::move(path), w, std::move(unit), std::move(doc), integer});
    width += w;
    return at;
  };
  t = add("steps/t", 1, "s", "time");
  h = add("steps/h", 1, "s", "time since the row before");
  steps = add("steps/steps", 1, "", "steps since the row before", true);
  q = add("steps/q", static_cast<std::size_t>(model.nq()), "SI", "configuration");
  v = add("steps/v", static_cast<std::size_t>(model.nv()), "SI", "velocity");
  energy = width;
  for (const std::string& name : energy_names())
    add("energy/" + name, 1, "J", name == "kinetic" || name == "potential" ? "at this row" : "since the row before");
  certificate = width;
  const char* units[kCertificates] = {"m/s", "m", "m", "m/s", "J"};
  for (std::size_t k = 0; k < kCertificates; ++k)
    add("certificate/" + certificate_names()[k], 1, units[k], "largest since the row before");
  iterations = width;
  for (const std::string& name : iteration_names())
    add("iterations/" + name, 1, "", name == "contacts" ? "largest since the row before" : "sum since the row before",
        true);
  std::set<std::string> taken;
  for (const ConstraintItem& c : model.items()) {
    Item item;
    item.group = "constraints/" + group_name(c.name, taken);
    item.bilateral = c.bilateral;
    item.dim = c.dim;
    item.g_dim = c.bilateral ? c.dim : 1;
    const auto dim = static_cast<std::size_t>(c.dim), g_dim = static_cast<std::size_t>(item.g_dim);
    item.g = add(item.group + (c.bilateral ? "/residual" : "/gap"), g_dim, "m", "at this row; not a number: far away");
    item.U = add(item.group + "/U", dim, "m/s", "local velocity at this row, normal first");
    item.P = add(item.group + "/P", dim, "N s", "impulse since the row before");
    item.correction = add(item.group + "/correction", g_dim, "SI", "position-level multipliers since the row before");
    if (c.bilateral) item.smooth = add(item.group + "/smooth", dim, "N", "multipliers of the smooth motion");
    item.reaction = add(item.group + "/reaction", dim, "N", "P/h of the last step + smooth");
    items.push_back(item);
  }
}

Results::Results(const std::filesystem::path& path) : file_(h5::File::open(path)), root_(file_.root()) {
  if (!root_.has_attribute("format") || root_.text("format") != "ricochet-result")
    throw InputError(path.string(), "this HDF5 file is no result of ricochet; accepted: what 'ricochet run' writes");
  if (const auto number = root_.integer("format_version"); number != 1)
    throw InputError(path.string(), fmt::format("results of format {}; accepted: 1", number));
  header_ = {root_.text("name"),
             root_.text("scenario"),
             root_.text("scheme"),
             root_.text("options"),
             root_.number("step"),
             root_.number("until"),
             root_.has_attribute("step_control") ? root_.text("step_control") : "fixed",
             root_.integer("record_every")};
  status_ = root_.text("status");
  rows_ = root_.dataset("steps/t").rows();
  if (rows_ == 0) throw InputError(path.string(), "the result holds no rows");
}

Scenario Results::scenario() const { return read_scenario(header_.text, file_.name() + ":scenario"); }

std::vector<double> Results::numbers(const std::string& path, std::size_t width) const {
  const h5::Dataset d = root_.dataset(path);
  if (d.rows() != rows_ || d.width() != width)
    throw InputError(file_.name(), fmt::format("/{}: {} rows of {}; accepted: {} rows of {}, the file is damaged", path,
                                               d.rows(), d.width(), rows_, width));
  return d.numbers();
}

std::vector<Event> Results::events() const {
  std::vector<Event> out;
  if (!root_.has("events")) return out;
  const h5::Group group = root_.group("events");
  const auto column = [&](const char* name) { return group.dataset(name).numbers(); };
  const auto t = column("t"), before = column("U_before"), after = column("U_after"), impulse = column("impulse"),
             kind = column("kind"), item = column("constraint");
  for (const auto& other : {before, after, impulse, kind, item})
    if (other.size() != t.size()) throw InputError(file(), "/events is damaged: its columns differ in length");
  const auto items = static_cast<double>(names("constraints").size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!(kind[i] >= 0 && kind[i] < kEventKinds && item[i] >= -1 && item[i] < items))
      throw InputError(file(), "/events is damaged: a kind or a constraint that is not there");
    out.push_back({t[i], static_cast<EventKind>(static_cast<int>(kind[i])), static_cast<int>(item[i]), before[i],
                   after[i], impulse[i]});
  }
  return out;
}

std::vector<std::string> Results::names(const std::string& of) const {
  const std::string path = "names/" + of;
  return root_.has(path) ? root_.dataset(path).texts() : std::vector<std::string>{};
}

}  // namespace ricochet
