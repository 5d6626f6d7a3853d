// Scenarios, and the tables of what there is.
#include "bindings.hpp"
#include "case.hpp"
#include "ricochet/io/result/results.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::python {

std::shared_ptr<const Case> make_case(Origin origin) {
  Scenario scenario = origin.in_memory ? read_scenario(origin.text, origin.source, origin.overrides)
                                       : load_scenario(origin.text, origin.overrides);
  return std::make_shared<const Case>(Case{std::move(origin), std::move(scenario)});
}

namespace {

using Overrides = std::vector<std::string>;

std::shared_ptr<const Case> changed(const Case& c, const Overrides& more) {
  if (c.origin.text.empty())
    throw InputError("", "a model of functions has no scenario to change; accepted: a new model");
  Origin origin = c.origin;
  origin.overrides.insert(origin.overrides.end(), more.begin(), more.end());
  return make_case(std::move(origin));
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
      .def("changed", &changed);
  module.def("load", [](const std::string& name, const Overrides& overrides) {
    return make_case({false, name, "", overrides});
  });
  module.def("read", [](const std::string& text, const std::string& source, const Overrides& overrides) {
    return make_case({true, text, source, overrides});
  });
  module.def("list", &list);
  module.def("json_schema", &scenario_json_schema);
}

}  // namespace ricochet::python
