#include "ricochet/io/result/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ricochet {

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::finished: return "finished";
    case RunStatus::failed: return "failed";
    case RunStatus::interrupted: return "interrupted";
    case RunStatus::uncertified: return "finished-uncertified";
  }
  return "";
}

RecordChoice read_record(const h5::Group& root) {
  RecordChoice out{root.integer("record_every"), ContactDetail::all, root.has("steps/uncertified"),
                   root.has("contacts/restitution")};
  if (!root.has_attribute("record_contacts")) return out;
  const std::string detail = root.text("record_contacts");
  const std::vector<std::string> known(kContactDetails.begin(), kContactDetails.end());
  const auto found = std::find(known.begin(), known.end(), detail);
  if (found == known.end()) throw InputError(root.path(), unknown_word("record_contacts", detail, known));
  out.contacts = static_cast<ContactDetail>(found - known.begin());
  return out;
}

namespace {

nlohmann::json json_of(const OptionValues& values) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [key, value] : values) std::visit([&](const auto& x) { out[key] = x; }, value);
  return out;
}

ResultHeader read_header(const h5::Group& root) {
  return {root.text("name"),
          root.text("scenario"),
          root.text("scheme"),
          root.text("options"),
          root.number("step"),
          root.number("until"),
          root.text("step_control"),
          read_record(root),
          root.number("closed_below"),
          root.number("length_scale"),
          root.number("velocity_scale"),
          root.number("mass_scale"),
          root.has_attribute("accepted_residual") ? root.number("accepted_residual") : 0};
}

h5::File open_result(const std::filesystem::path& path) {
  h5::File file = h5::File::open(path);
  const h5::Group root = file.root();
  if (!root.has_attribute("format") || root.text("format") != "ricochet-result")
    throw InputError(path.string(), "this HDF5 file is no result of ricochet; accepted: what 'ricochet run' writes");
  if (const auto number = root.integer("format_version"); number != kResultFormat) {
    const std::string writer = root.has_attribute("version") ? " of ricochet " + root.text("version") : "";
    throw InputError(path.string(),
                     fmt::format("results of format {}{}; accepted: format {}. {}", number, writer, kResultFormat,
                                 number < kResultFormat
                                     ? "The scenario is in its attribute 'scenario': saved as a file it runs again"
                                     : "A later version of the program wrote it: read it with that version"));
  }
  return file;
}

}  // namespace

ResultHeader header_of(const Scenario& s) {
  const SchemeEntry* entry = find_scheme(s.scheme);
  const OptionValues all = entry != nullptr ? Options(entry->options, s.options).values() : s.options;
  const Scales scales = s.initial.scales ? *s.initial.scales : Scales{};
  return {s.name,
          s.text,
          s.scheme,
          json_of(all).dump(),
          s.policy.control.kind == Control::fixed ? s.policy.step : 0,
          s.policy.until,
          name(s.policy.control),
          s.record,
          make_scheme(s.scheme, s.options)->tolerance().activation * scales.length,
          scales.length,
          scales.velocity,
          scales.mass,
          s.policy.accept ? s.policy.accept->tolerance().constraint : 0};
}

ResultLayout layout_of(const Model& model, const RecordChoice& record) { return {names_of(model), record}; }

Results::Results(const std::filesystem::path& path)
    : file_(open_result(path)),
      root_(file_.root()),
      header_(read_header(root_)),
      status_(root_.text("status")),
      rows_(root_.dataset("steps/t").rows()),
      layout_(read_names(), header_.record),
      columns_(layout_.columns()) {
  if (rows_ == 0) throw InputError(path.string(), "the result holds no rows");
}

ResultNames Results::read_names() const {
  const auto texts = [&](const std::string& of) { return root_.dataset("names/" + of).texts(); };
  ResultNames out{texts("positions"), texts("velocities"), texts("bodies"), {}, root_.has("contacts/point"), 0};
  if (root_.has("contacts/P")) {
    out.nameless_rows = static_cast<int>(root_.dataset("contacts/P").width());
    if (out.nameless_rows < 1 || out.nameless_rows > kMostContactRows)
      throw InputError(file(), "/contacts/P is damaged: it has no rows of contacts");
  }
  const std::vector<std::string> names = texts("constraints");
  const auto rows = root_.dataset("names/constraint_rows").integers();
  const auto joint = root_.dataset("names/constraint_is_joint").integers();
  if (rows.size() != names.size() || joint.size() != names.size())
    throw InputError(file(), "/names is damaged: its columns differ in length");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::int64_t most = joint[i] != 0 ? 1000 : kMostContactRows;
    if (rows[i] < 1 || rows[i] > most)
      throw InputError(file(), fmt::format("/names is damaged: '{}' has {} rows", names[i], rows[i]));
    out.items.push_back({names[i], static_cast<int>(rows[i]), joint[i] != 0});
  }
  return out;
}

Scenario Results::scenario() const { return read_scenario(header_.text, file_.name() + ":scenario"); }

h5::Dataset Results::dataset(const std::string& path, std::size_t width, std::size_t rows) const {
  const h5::Dataset d = root_.dataset(path);
  if (d.rows() != rows || d.width() != width)
    throw InputError(file_.name(), fmt::format("/{}: {} rows of {}; accepted: {} rows of {}, the file is damaged", path,
                                               d.rows(), d.width(), rows, width));
  return d;
}

std::vector<double> Results::numbers(const std::string& path, std::size_t width) const {
  return dataset(path, width, rows_).numbers();
}

std::vector<double> Results::column(const std::string& name) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const NamedColumn& c) { return c.name == name; });
  if (found != columns_.end()) return column(*found);
  std::vector<std::string> names;
  for (const NamedColumn& c : columns_) names.push_back(c.name);
  throw InputError(file(), unknown_word("column", name, names));
}

std::vector<double> Results::column(const NamedColumn& c) const {
  if (c.kind == NamedColumn::Kind::number)
    for (const DatasetInfo& d : layout_.datasets())
      if (c.place >= d.place && c.place < d.place + d.width)
        return dataset(d.path, d.width, rows_).column(c.place - d.place);
  return std::move(values({c}).front());
}

std::vector<std::vector<double>> Results::values(const std::vector<NamedColumn>& columns) const {
  std::vector<std::vector<double>> out(columns.size());
  for (auto& column : out) column.reserve(rows_);
  for (RowReader reader(*this, columns); reader.next();)
    for (std::size_t k = 0; k < columns.size(); ++k) out[k].push_back(layout_.value(columns[k], reader.row()));
  return out;
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
  const auto items = static_cast<double>(names().items.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!(kind[i] >= 0 && kind[i] < kEventKinds && item[i] >= -1 && item[i] < items))
      throw InputError(file(), "/events is damaged: a kind or a constraint that is not there");
    out.push_back({t[i], static_cast<EventKind>(static_cast<int>(kind[i])), static_cast<int>(item[i]), before[i],
                   after[i], impulse[i]});
  }
  return out;
}

namespace {

constexpr std::size_t kPieceNumbers = std::size_t{1} << 17;  // a megabyte of rows
constexpr std::int64_t kPieceContacts = std::int64_t{1} << 14;

std::size_t contact_rows(const Results& r) { return r.root().dataset("contacts/key").rows(); }

}  // namespace

RowReader::RowReader(const Results& results, const std::vector<NamedColumn>& columns)
    : results_(results), wanted_(results.layout().datasets().size(), columns.empty()) {
  const ResultLayout& layout = results_.layout();
  pick(columns);
  for (const DatasetInfo& d : layout.datasets())
    datasets_.push_back(results_.dataset(d.path, d.width, results_.rows()));
  contacts_wanted_ = contacts_wanted_ && layout.has_contacts();
  slots_.assign(results_.names().items.size(), -1);
  piece_ = std::clamp<std::size_t>(kPieceNumbers / std::max<std::size_t>(1, layout.width()), 1, 4096);
}

void RowReader::pick(const std::vector<NamedColumn>& columns) {
  using Kind = NamedColumn::Kind;
  if (columns.empty()) return;
  contacts_wanted_ = false;
  const ResultLayout& layout = results_.layout();
  const auto want = [&](std::size_t place) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const DatasetInfo& d = layout.datasets()[i];
      if (place >= d.place && place < d.place + d.width) wanted_[i] = true;
    }
  };
  want(layout.h);
  for (const NamedColumn& c : columns) {
    if (c.kind == Kind::number || c.kind == Kind::joint_reaction) want(c.place);
    if (c.kind == Kind::joint_reaction) want(layout.joint_smooth);
    if (c.kind == Kind::total) want(layout.energy);
    if (c.kind >= Kind::gap) contacts_wanted_ = true;
  }
}

bool RowReader::next() {
  if (++index_ >= results_.rows()) return false;
  for (const ContactEntry& e : view_.contacts)
    if (e.item >= 0) slots_[static_cast<std::size_t>(e.item)] = -1;
  if (index_ >= first_ + loaded_) load();
  const std::size_t k = index_ - first_;
  view_.numbers = numbers_.data() + k * results_.layout().width();
  if (!contacts_wanted_) return true;
  view_.contacts = std::span(contacts_).subspan(static_cast<std::size_t>(offsets_[k] - offsets_[0]),
                                                static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]));
  for (std::size_t i = 0; i < view_.contacts.size(); ++i)
    if (view_.contacts[i].item >= 0) slots_[static_cast<std::size_t>(view_.contacts[i].item)] = static_cast<int>(i);
  view_.slots = slots_.data();
  return true;
}

void RowReader::seek(std::size_t row) {
  index_ = row - 1;  // before the first: as in the beginning
  if (row < first_ || row >= first_ + loaded_) {
    first_ = row;
    loaded_ = 0;
  }
}

void RowReader::load() {
  const ResultLayout& layout = results_.layout();
  first_ = index_;
  loaded_ = std::min(piece_, results_.rows() - first_);
  if (contacts_wanted_) load_contacts(loaded_);
  numbers_.assign(loaded_ * layout.width(), 0);
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    if (!wanted_[i]) continue;
    const DatasetInfo& d = layout.datasets()[i];
    const std::vector<double> part = datasets_[i].numbers(first_, loaded_);
    for (std::size_t k = 0; k < loaded_; ++k)
      std::copy_n(&part[k * d.width], d.width, &numbers_[k * layout.width() + d.place]);
  }
}

void RowReader::load_contacts(std::size_t rows) {
  const auto damaged = [&](const char* what) {
    throw InputError(results_.file(), std::string("/contacts is damaged: ") + what);
  };
  const std::size_t all = contact_rows(results_);
  offsets_ = results_.dataset("contacts/offset", 1, results_.rows() + 1).integers(first_, rows + 1);
  if (first_ == 0 && offsets_[0] != 0) damaged("its offsets do not begin with 0");
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k)
    if (offsets_[k] < 0 || offsets_[k + 1] < offsets_[k] || offsets_[k + 1] > static_cast<std::int64_t>(all))
      damaged("its offsets are not in order");
  if (first_ + rows == results_.rows() && offsets_.back() != static_cast<std::int64_t>(all))
    damaged("its offsets do not end where the contacts do");
  // Fewer rows at a time where each has many.
  while (loaded_ > 1 && offsets_[loaded_] - offsets_[0] > kPieceContacts) loaded_ = (loaded_ + 1) / 2;
  const auto from = static_cast<std::size_t>(offsets_[0]),
             count = static_cast<std::size_t>(offsets_[loaded_] - offsets_[0]);
  ContactEntry unknown;
  unknown.gap = unknown.correction = std::nan("");
  for (auto* x : {&unknown.U, &unknown.reaction}) x->fill(std::nan(""));
  for (auto* x : {&unknown.point, &unknown.normal}) x->fill(std::nan(""));
  contacts_.assign(count, results_.layout().omits_contacts() ? unknown : ContactEntry{});
  for (const ContactColumn& c : results_.layout().contact_columns()) {
    const h5::Dataset d = results_.dataset("contacts/" + c.name, c.width, all);
    if (c.numbers != nullptr) {
      const auto x = d.numbers(from, count);
      for (std::size_t i = 0; i < count; ++i) std::copy_n(&x[i * c.width], c.width, c.numbers(contacts_[i]));
    } else {
      const auto x = d.integers(from, count);
      for (std::size_t i = 0; i < count; ++i)
        if (!c.put(contacts_[i], &x[i * c.width])) damaged("an identity or a state that does not exist");
    }
  }
  const auto items = static_cast<int>(results_.names().items.size());
  if (std::any_of(contacts_.begin(), contacts_.end(), [&](const ContactEntry& e) { return e.item >= items; }))
    damaged("a contact whose name is missing");
}

}  // namespace ricochet
