#include "ricochet/io/scenario/rivals.hpp"

#include "ricochet/io/error.hpp"
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet {
namespace {

std::vector<std::string> rivals(const schema::Fields& simulation) {
  return simulation.has("compare_with") ? simulation.texts("compare_with") : std::vector<std::string>{};
}

}  // namespace

std::vector<std::string> schemes_beside(const Scenario& scenario) {
  const yaml::Document document = yaml::Document::parse(scenario.text, scenario.source);
  return rivals(schema::Fields(document.root(), scenario::root_table()).block("simulation"));
}

void scenario::check_rivals(const schema::Fields& simulation) {
  std::vector<std::string> names;
  for (const SchemeEntry& entry : schemes()) names.push_back(entry.info.name);
  for (const std::string& scheme : rivals(simulation)) {
    const std::string name = scheme.substr(0, scheme.find(':'));
    if (find_scheme(name) == nullptr) simulation.fail("compare_with", unknown_word("scheme", name, names));
  }
}

}  // namespace ricochet
