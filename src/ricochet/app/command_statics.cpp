// ricochet statics: whether what a scenario begins with can stay where it is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ricochet/app/command.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/sim/statics.hpp"

namespace ricochet::app {
namespace {

struct StaticsSettings {
  std::string scenario;
  std::vector<std::string> set;
  double closed = 1e-9;
  bool json = false;
};

void print_text(const Scenario& s, const Statics& found) {
  fmt::print("{}: {}\n", s.name, found.exists ? "an equilibrium exists" : "no equilibrium exists");
  fmt::print("  contacts      {:<12}closed at the beginning\n", found.contacts);
  if (found.exists)
    fmt::print("  left          {:<12.2e}of the loads: what the reactions do not balance\n", found.left);
  else
    fmt::print("  left          {:<12.2e}of the loads, at least, whatever the reactions; proven to {:.0e}\n",
               found.left, found.proof);
  if (found.exists)
    fmt::print("  reaction      {:<12.5g}N, the largest normal part of the one that was found\n", found.largest);
  if (found.friction < 0)
    fmt::print("  friction      -           no multiple of the given coefficients holds it\n");
  else if (found.friction == 0)
    fmt::print("  friction      0           holds without any\n");
  else
    fmt::print("  friction      {:<12.7g}times the given coefficients is the least that holds\n", found.friction);
  if (!found.exists && found.coordinate >= 0)
    fmt::print("  moves         {} first\n", s.model.velocity_names()[static_cast<std::size_t>(found.coordinate)]);
}

int tell(const StaticsSettings& a) {
  const Scenario s = load_scenario(a.scenario, a.set);
  const Statics found = find_equilibrium(s.model, s.initial, a.closed);
  if (!found.wrong.empty()) throw InputError(a.scenario, found.wrong);
  if (!a.json) {
    print_text(s, found);
    return kDone;
  }
  nlohmann::json j{{"scenario", s.name},        {"equilibrium", found.exists}, {"contacts", found.contacts},
                   {"left", found.left},        {"proof", found.proof},        {"largest_reaction", found.largest},
                   {"friction", found.friction}};
  if (found.friction < 0) j["friction"] = nullptr;
  fmt::print("{}\n", j.dump(2));
  return kDone;
}

}  // namespace

std::function<int()> declare_statics(Arguments& arguments) {
  auto a = std::make_shared<StaticsSettings>();
  arguments.option("scenario", a->scenario, "a file, or the name of a shipped scenario").required();
  arguments.option("--set", a->set, "path=value: changes the scenario; may be given several times").one_at_a_time();
  arguments.option("--closed", a->closed, "gaps up to this part of the scale of lengths are closed")
      .check(above_zero());
  arguments.flag("--json", a->json, "machine-readable, on stdout");
  return [a] { return tell(*a); };
}

}  // namespace ricochet::app
