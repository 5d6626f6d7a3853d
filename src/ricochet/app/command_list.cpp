// ricochet list [KIND [NAME]]: the tables that the program itself works from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/expression/graph.hpp"
#include "ricochet/model/law.hpp"
#include "ricochet/scheme/features.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string order(const SchemeInfo& info, int n) {
  if (info.error_controlled) return "tol";
  return n > 0 ? fmt::format("{}", n) : "-";
}

std::string promises(const SchemeInfo& info) {
  std::vector<std::string> words;
  if (info.exact_position) words.emplace_back("position");
  if (info.exact_velocity) words.emplace_back("velocity");
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, "+"));
}

// Whether every contact that is closed at both ends of a step obeys its law.
std::string closed_contacts(const SchemeInfo& info) {
  return !info.exact_velocity ? "-" : info.holds_closed ? "all" : "active";
}

void list_features() {
  fmt::print("\nWhat works with what\n");
  Rows rows{{"scheme"}};
  for (const FeatureInfo& f : features()) rows.front().emplace_back(f.name);
  for (const SchemeEntry& s : schemes()) {
    rows.push_back({s.info.name});
    for (const FeatureInfo& f : features()) rows.back().emplace_back(name(support(s.info, f.feature)));
  }
  fmt::print("{}\n", table(rows, ""));
  Rows meanings;
  for (const FeatureInfo& f : features()) meanings.push_back({f.name, f.summary});
  fmt::print(
      "{}At default options. 'no' is refused with a message, events excepted; 'compare': it runs, and does not\n"
      "converge across impacts; 'not yet': no scheme can have it, because there are none in this version.\n",
      table(meanings, ""));
}

void list_schemes() {
  Rows rows{{"scheme", "order", "at impacts", "exact in", "contacts", "summary"}};
  for (const SchemeEntry& s : schemes())
    rows.push_back({s.info.name, order(s.info, s.info.smooth_order), order(s.info, s.info.impact_order),
                    promises(s.info), closed_contacts(s.info), s.info.summary});
  fmt::print("{}", table(rows, ""));
  fmt::print(
      "\nOrders at default options: in smooth motion, and in L1 across impacts ('-': not convergent there; 'tol': the\n"
      "error follows the tolerances of the scheme, not the step).\n"
      "Contacts whose law holds in velocity: all that are closed at both ends of a step, or those that the forecast\n"
      "activates; options may change this (forecast).\n");
  list_features();
  fmt::print("\n'ricochet list schemes NAME' shows the options of one.\n");
}

std::string text_of(const OptionValue& value) {
  if (const double* x = std::get_if<double>(&value)) return fmt::format("{}", *x);
  if (const bool* x = std::get_if<bool>(&value)) return *x ? "true" : "false";
  return std::get<std::string>(value);
}

std::string accepted(const OptionInfo& o) {
  switch (o.type) {
    case OptionInfo::Type::number: return fmt::format("{} to {}", o.low, o.high);
    case OptionInfo::Type::flag: return "true, false";
    case OptionInfo::Type::choice: return fmt::format("{}", fmt::join(o.choices, ", "));
  }
  return "";
}

// "bodies, joints, play (compare), friction (no)"
std::string features_of(const SchemeInfo& info) {
  std::vector<std::string> words;
  for (const FeatureInfo& f : features()) {
    const Support s = support(info, f.feature);
    words.push_back(s == Support::yes ? f.name : fmt::format("{} ({})", f.name, name(s)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void show_scheme(const std::string& name) {
  const SchemeEntry* s = find_scheme(name);
  if (s == nullptr) {
    std::vector<std::string> names;
    for (const SchemeEntry& entry : schemes()) names.push_back(entry.info.name);
    throw InputError("", unknown_word("scheme", name, names));
  }
  fmt::print("{}: {}\n", s->info.name, s->info.summary);
  fmt::print(
      "{}",
      table({{"reference", s->info.reference},
             {"order", s->info.error_controlled
                           ? "the error follows the tolerances, not the step"
                           : fmt::format("{} in smooth motion, {} across impacts", order(s->info, s->info.smooth_order),
                                         order(s->info, s->info.impact_order))},
             {"exact in", promises(s->info)},
             {"contacts", closed_contacts(s->info) == "all"      ? "every closed one obeys its law"
                          : closed_contacts(s->info) == "active" ? "those that the forecast activates obey their law"
                                                                 : "no law at velocity level"},
             {"works with", features_of(s->info)}}));
  fmt::print("\nOptions\n");
  Rows rows;
  for (const OptionInfo& o : s->options)
    rows.push_back({o.name, text_of(o.fallback), fmt::format("{} (accepted: {})", o.doc, accepted(o))});
  fmt::print("{}", table(rows));
  fmt::print("\nUsed as --scheme {}:{}={}\n", s->info.name, s->options.front().name,
             text_of(s->options.front().fallback));
}

void list_solvers() {
  Rows rows{{"solver", "exact", "summary"}};
  for (const Solver* s : solvers())
    rows.push_back(
        {s->info().name, s->info().exact ? "yes" : "no", s->info().summary + "; accepts " + s->info().accepts});
  fmt::print("{}", table(rows, ""));
}

void list_laws() {
  Rows rows{{"law", "summary"}};
  for (const LawInfo& l : laws()) rows.push_back({l.name, l.summary});
  fmt::print("{}", table(rows, ""));
}

void list_scenarios() {
  Rows rows{{"scenario", "description"}};
  for (const ShippedScenario& s : shipped_scenarios())
    rows.push_back({s.name, one_line(s.source.empty() ? s.description : s.description + " [" + s.source + "]")});
  fmt::print("{}", table(rows, ""));
  fmt::print("\n'ricochet run NAME' simulates one.\n");
}

void list_parts(const char* what) {
  Rows rows{{"kind", "summary"}};
  for (const PartInfo& p : scenario_parts(what)) rows.push_back({p.name, p.summary});
  fmt::print("{}", table(rows, ""));
  fmt::print("\nAll their keys: docs/scenario-reference.md.\n");
}

void list_functions() {
  Rows rows{{"function", "arguments"}};
  for (const FunctionInfo& f : functions()) rows.push_back({f.name, fmt::format("{}", f.arguments)});
  fmt::print("{}", table(rows, ""));
  fmt::print("\nWhat formulas may call; 'pi' is a constant, a prime (x') is a velocity, '^' a power.\n");
}

void list_commands() {
  Rows rows{{"command", "summary"}};
  for (const Command& c : commands()) rows.push_back({c.name, c.summary});
  fmt::print("{}", table(rows, ""));
}

struct Kind {
  const char* name;
  const char* summary;
  void (*list)();
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"schemes", "time integration", list_schemes},
                                     {"solvers", "complementarity problems", list_solvers},
                                     {"laws", "impact and friction", list_laws},
                                     {"scenarios", "shipped examples", list_scenarios},
                                     {"joints", "between bodies", [] { list_parts("joints"); }},
                                     {"shapes", "of bodies", [] { list_parts("shapes"); }},
                                     {"contacts", "between bodies", [] { list_parts("contacts"); }},
                                     {"forces", "on bodies", [] { list_parts("forces"); }},
                                     {"functions", "of formulas", list_functions},
                                     {"commands", "of this program", list_commands}};
  return all;
}

int list(const std::string& kind, const std::string& name) {
  if (kind.empty()) {
    for (const Kind& k : kinds()) {
      fmt::print("{} ({})\n", k.name, k.summary);
      k.list();
      fmt::print("\n");
    }
    return kDone;
  }
  std::vector<std::string> names;
  for (const Kind& k : kinds()) {
    names.emplace_back(k.name);
    // "scheme" is as clear as "schemes"
    if (kind != k.name && kind + "s" != k.name) continue;
    if (name.empty())
      k.list();
    else if (names.back() == "schemes")
      show_scheme(name);
    else
      throw InputError("", fmt::format("'list {}' takes no name; accepted: 'list schemes NAME'", k.name));
    return kDone;
  }
  throw InputError("", unknown_word("kind", kind, names));
}

}  // namespace

std::function<int()> declare_list(Arguments& arguments) {
  struct Settings {
    std::string kind, name;
  };
  auto a = std::make_shared<Settings>();
  arguments.option(
      "kind", a->kind,
      "schemes, solvers, laws, scenarios, joints, shapes, contacts, forces, functions, commands; all if left out");
  arguments.option("name", a->name, "of a scheme: its options with defaults and ranges");
  return [a] { return list(a->kind, a->name); };
}

}  // namespace ricochet::app
