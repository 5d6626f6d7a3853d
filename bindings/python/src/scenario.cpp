// Scenarios, and the tables of what there is.
#include "bindings.hpp"
#include "case.hpp"
#include "ricochet/io/result/results.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::python {

std::shared_ptr<const Case> make_case(Case::Make make, Case::Overrides overrides, bool callbacks,
                                      const Extension& extension) {
  Scenario scenario = make(overrides, extension);
  return std::make_shared<const Case>(Case{std::move(make), std::move(overrides), std::move(scenario), callbacks});
}

namespace {

using Overrides = Case::Overrides;

std::shared_ptr<const Case> load(const std::string& name, const Overrides& overrides) {
  return make_case([name](const Overrides& o, const Extension& e) { return load_scenario(name, o, e); }, overrides,
                   false);
}

std::shared_ptr<const Case> read(const std::string& text, const std::string& source, const Overrides& overrides) {
  return make_case([text, source](const Overrides& o, const Extension& e) { return read_scenario(text, source, o, e); },
                   overrides, false);
}

std::shared_ptr<const Case> changed(const Case& c, const Overrides& more) {
  Overrides all = c.overrides;
  for (const std::string& one : more) {
    // A value that is changed again and again, between steps say, is kept once.
    const std::string path = one.substr(0, one.find('=') + 1);
    std::erase_if(all, [&](const std::string& before) { return before.starts_with(path); });
    all.push_back(one);
  }
  return make_case(c.make, std::move(all), c.callbacks);
}

py::dict options_of(const OptionValues& values) {
  py::dict out;
  for (const auto& [key, value] : values) out[py::str(key)] = py::cast(value);
  return out;
}

std::vector<std::string> constraint_names(const Case& c, bool joints) {
  std::vector<std::string> out;
  for (const ConstraintItem& item : names_of(c.scenario.model).items)
    if (item.bilateral == joints) out.push_back(item.name);
  return out;
}

/// Rows of a table as (name, summary).
using Listing = std::vector<std::pair<std::string, std::string>>;

Listing list(const std::string& what) {
  Listing out;
  if (what == "scenarios")
    for (const ShippedScenario& s : shipped_scenarios()) out.emplace_back(s.name, s.description);
  else if (what == "schemes")
    for (const SchemeEntry& s : schemes()) out.emplace_back(s.info.name, s.info.summary);
  else if (what == "solvers")
    for (const Solver* s : solvers()) out.emplace_back(s->info().name, s->info().summary);
  else if (what == "laws")
    for (const LawInfo& s : laws()) out.emplace_back(s.name, s.summary);
  else
    for (const PartInfo& s : scenario_parts(what)) out.emplace_back(s.name, s.summary);
  return out;
}

}  // namespace

void add_scenario(py::module_& module) {
  module.attr("__version__") = version();
  py::class_<Case, std::shared_ptr<Case>>(module, "Case")
      .def_property_readonly("name", [](const Case& c) { return c.scenario.name; })
      .def_property_readonly("description", [](const Case& c) { return c.scenario.description; })
      .def_property_readonly("source", [](const Case& c) { return c.scenario.source; })
      .def_property_readonly("text", [](const Case& c) { return c.scenario.text; })
      .def_property_readonly("notes", [](const Case& c) { return c.scenario.notes; })
      .def_property_readonly("scheme", [](const Case& c) { return c.scenario.scheme; })
      .def_property_readonly("options", [](const Case& c) { return options_of(c.scenario.options); })
      .def_property_readonly("step", [](const Case& c) { return c.scenario.policy.step; })
      .def_property_readonly("step_control", [](const Case& c) { return name(c.scenario.policy.control); })
      .def_property_readonly("until", [](const Case& c) { return c.scenario.policy.until; })
      .def_property_readonly("coordinates", [](const Case& c) { return c.scenario.model.position_names(); })
      .def_property_readonly("velocities", [](const Case& c) { return c.scenario.model.velocity_names(); })
      .def_property_readonly("bodies", [](const Case& c) { return c.scenario.model.body_names(); })
      .def_property_readonly("joints", [](const Case& c) { return constraint_names(c, true); })
      .def_property_readonly("contacts", [](const Case& c) { return constraint_names(c, false); })
      .def_readonly("callbacks", &Case::callbacks)
      .def_readonly("overrides", &Case::overrides)
      .def("changed", &changed);
  module.def("load", &load);
  module.def("read", &read);
  module.def("list", &list);
  module.def("json_schema", &scenario_json_schema);
}

}  // namespace ricochet::python
