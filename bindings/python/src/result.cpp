// Results: arrays over the record of a run, or over what was read from a file.
#include "result.hpp"

#include "bindings.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/result/recorder.hpp"

namespace ricochet::python {

ResultRowView ResultData::row(std::size_t k) const {
  const auto first = static_cast<std::size_t>(table.offsets.data()[k]),
             last = static_cast<std::size_t>(table.offsets.data()[k + 1]);
  return {table.numbers.data() + k * layout.width(), {table.contacts.data() + first, last - first}, nullptr};
}

void write_result(const ResultData& r, const std::filesystem::path& path) {
  if (!r.from) throw InputError(r.file, "this result was read from a file, which holds it already");
  Recorder recorder(path, r.header, r.from->scenario.model, *r.start, {0, 1e9});
  for (std::size_t k = 1; k < r.rows(); ++k) {
    const std::int64_t *at = r.table.event_offsets.data() + k, first = at[0], last = at[1];
    recorder.take(r.row(k), {r.table.events.data() + first, static_cast<std::size_t>(last - first)});
  }
  if (r.tail) recorder.tail(*r.tail);
  recorder.finish(*r.end, *r.outcome);
}

std::shared_ptr<ResultData> read_result(const std::filesystem::path& path) {
  const Results file(path);
  auto out = std::make_shared<ResultData>(ResultData{.header = file.header(),
                                                     .layout = file.layout(),
                                                     .table = {},
                                                     .status = file.status(),
                                                     .file = path.string(),
                                                     .summary = {},
                                                     .summary_json = {},
                                                     .text = {},
                                                     .warnings = {},
                                                     .failure = {},
                                                     .from = nullptr,
                                                     .start = {},
                                                     .end = {},
                                                     .tail = {},
                                                     .outcome = {},
                                                     .joints = {}});
  for (RowReader reader(file); reader.next();) out->table.push(reader.row(), out->layout.width());
  const std::vector<Event> events = file.events();
  out->table.events.append(events.data(), events.size());
  if (file.root().has("summary")) out->summary = summary_of(file.root().group("summary"));
  if (out->status == "failed") out->failure = {file.root().text("failure"), "try: " + file.root().text("remedy")};
  return out;
}

namespace {

/// Columns `place` to `place + width` of all rows; one alone is a vector.
py::array numbers(const ResultData& r, std::size_t place, std::size_t width, bool vector) {
  const auto stride = static_cast<py::ssize_t>(r.layout.width() * sizeof(double)),
             rows = static_cast<py::ssize_t>(r.rows());
  const double* first = r.table.numbers.data() + place;
  if (vector) return array_over(first, {rows}, {stride}, r.table.numbers.block());
  return array_over(first, {rows, static_cast<py::ssize_t>(width)}, {stride, sizeof(double)}, r.table.numbers.block());
}

py::dict datasets(const ResultData& r) {
  py::dict out;
  for (const DatasetInfo& d : r.layout.datasets())
    out[py::str(d.path)] = py::make_tuple(d.place, d.width, d.names, d.unit, d.doc);
  return out;
}

JointColumns& joint_columns(const ResultData& r) {
  if (r.joints) return *r.joints;
  std::shared_ptr<const Scenario> scenario;
  if (r.from)
    scenario = {r.from, &r.from->scenario};
  else if (JointColumns::possible(r.layout.names()))
    scenario = std::make_shared<const Scenario>(read_scenario(r.header.text, r.file + ":scenario"));
  r.joints = std::make_shared<JointColumns>(r.layout, std::move(scenario));
  return *r.joints;
}

/// Angles, displacements and wrenches of joints follow from the rows.
py::array derived_column(const ResultData& r, const NamedColumn& c) {
  JointColumns joints = joint_columns(r);  // a copy: it follows angles from row to row
  py::array_t<double> out(static_cast<py::ssize_t>(r.rows()));
  for (std::size_t k = 0; k < r.rows(); ++k) {
    joints.take(r.row(k));
    out.mutable_data()[k] = joints.value(c);
  }
  return out;
}

py::array column(const ResultData& r, const std::string& name) {
  std::vector<std::string> known;
  for (const NamedColumn& c : r.layout.columns()) {
    if (c.name == name) {
      if (c.kind == NamedColumn::Kind::number) return numbers(r, c.place, 1, true);
      py::array_t<double> out(static_cast<py::ssize_t>(r.rows()));
      double* x = out.mutable_data();
      for (std::size_t k = 0; k < r.rows(); ++k) x[k] = r.layout.value(c, r.row(k));
      return out;
    }
    known.push_back(c.name);
  }
  for (const NamedColumn& c : joint_columns(r).columns()) {
    if (c.name == name) return derived_column(r, c);
    known.push_back(c.name);
  }
  throw InputError("", unknown_word("column", name, known));
}

std::vector<std::string> column_names(const ResultData& r) {
  std::vector<std::string> out;
  for (const NamedColumn& c : r.layout.columns()) out.push_back(c.name);
  for (const NamedColumn& c : joint_columns(r).columns()) out.push_back(c.name);
  return out;
}

/// Of the contacts that are listed, what is recorded.
std::vector<std::string> contact_fields(const ResultData& r) {
  std::vector<std::string> out;
  if (!r.layout.has_contacts()) return out;
  for (const ContactColumn& c : r.layout.contact_columns()) out.push_back(c.name);
  return out;
}

template <class T>
py::array vector_over(const Growing<T>& x) {
  return array_over(x.data(), {static_cast<py::ssize_t>(x.size())}, {sizeof(T)}, x.block());
}

py::list constraints(const ResultData& r) {
  py::list out;
  for (const ConstraintItem& item : r.layout.names().items)
    out.append(py::make_tuple(item.name, item.bilateral, item.dim));
  return out;
}

py::dict summary(const ResultData& r) {
  py::dict out;
  const SummaryNumbers all = numbers_of(r.summary);
  for (const auto& [key, value] : all.integers) out[py::str(key)] = value;
  for (const auto& [key, value] : all.numbers) out[py::str(key)] = value;
  return out;
}

}  // namespace

void add_result(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactEntry, key, item, bodies, state, gap, correction, U, P, reaction, point, normal);
  PYBIND11_NUMPY_DTYPE(Event, t, kind, item, U_before, U_after, impulse);
  py::class_<ResultData, std::shared_ptr<ResultData>>(module, "ResultData")
      .def_property_readonly("name", [](const ResultData& r) { return r.header.name; })
      .def_property_readonly("scheme", [](const ResultData& r) { return r.header.scheme; })
      .def_property_readonly("options", [](const ResultData& r) { return r.header.options; })
      .def_property_readonly("step", [](const ResultData& r) { return r.header.step; })
      .def_property_readonly("until", [](const ResultData& r) { return r.header.until; })
      .def_property_readonly("scenario_text", [](const ResultData& r) { return r.header.text; })
      .def_property_readonly("record_every", [](const ResultData& r) { return r.header.record.every; })
      .def_property_readonly("record_contacts",
                             [](const ResultData& r) { return std::string(name(r.header.record.contacts)); })
      .def_property_readonly("contact_fields", &contact_fields)
      .def_readonly("status", &ResultData::status)
      .def_readonly("file", &ResultData::file)
      .def_readonly("text", &ResultData::text)
      .def_readonly("summary_json", &ResultData::summary_json)
      .def_readonly("warnings", &ResultData::warnings)
      .def_readonly("failure", &ResultData::failure)
      .def_property_readonly("summary", &summary)
      .def_property_readonly("rows", &ResultData::rows)
      .def_property_readonly("datasets", &datasets)
      .def_property_readonly("column_names", &column_names)
      .def_property_readonly("constraints", &constraints)
      .def_property_readonly("bodies", [](const ResultData& r) { return r.layout.names().bodies; })
      .def_property_readonly("contact_dim", [](const ResultData& r) { return r.layout.contact_dim; })
      .def("numbers", &numbers)
      .def("column", &column)
      .def_property_readonly("contacts", [](const ResultData& r) { return vector_over(r.table.contacts); })
      .def_property_readonly("offsets", [](const ResultData& r) { return vector_over(r.table.offsets); })
      .def_property_readonly("events", [](const ResultData& r) { return vector_over(r.table.events); })
      .def("write", &write_result);
  module.def("open", &read_result);
  module.attr("contact_states") = py::make_tuple("open", "closed", "sticking", "sliding");
  py::list kinds;
  for (std::size_t k = 0; k < kEventKinds; ++k) kinds.append(name(static_cast<EventKind>(k)));
  module.attr("event_kinds") = py::tuple(kinds);
}

}  // namespace ricochet::python
