#include "ricochet/io/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "ricochet/io/scenario/extension.hpp"
#include "ricochet/io/scenario/part_files.hpp"
#include "ricochet/io/scenario/rivals.hpp"
#include "ricochet/io/scenario/system.hpp"
#include "ricochet/io/scenario/unused.hpp"
#include "ricochet/scheme/features.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {

namespace fs = std::filesystem;

// Of the user's choice, of the source tree, or of the installation.
fs::path scenario::shipped_folder() {
  if (const char* chosen = std::getenv("RICOCHET_SCENARIOS"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code ignored;
  std::vector<fs::path> folders{RICOCHET_SCENARIO_SOURCES};
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (program.has_parent_path())
    folders.push_back(program.parent_path().parent_path() / "share" / "ricochet" / "scenarios");
  folders.emplace_back(RICOCHET_SCENARIO_INSTALL);
  for (const fs::path& folder : folders)
    if (fs::is_directory(folder, ignored)) return folder;
  return {};
}

namespace {

using schema::Fields;
using yaml::Document;
using yaml::Node;

std::vector<fs::path> shipped_files() {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator it(scenario::shipped_folder(), ignored), end; it != end; it.increment(ignored))
    if (it->path().extension() == ".yaml") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string resolve(const std::string& name) {
  std::error_code ignored;
  if (name.empty()) throw InputError("", "no scenario is given; accepted: a file, or the name of a shipped scenario");
  const fs::file_status status = fs::status(name, ignored);
  if (fs::exists(status) && !fs::is_directory(status)) return name;
  if (name.find('/') != std::string::npos) return name;
  std::vector<std::string> names;
  for (const fs::path& file : shipped_files()) {
    if (file.stem() == name || file.filename() == name) return file.string();
    names.push_back(file.stem().string());
  }
  if (fs::path(name).extension() == ".yaml") return name;
  if (names.empty())
    throw InputError(name,
                     "there is no such file, and the folder of shipped scenarios is not found; accepted: a file, "
                     "or RICOCHET_SCENARIOS set to the folder");
  throw InputError(name, unknown_word("scenario", name, names) + (nearest(name, names).empty() ? "; or a file" : ""));
}

struct SchemeChoice {
  std::string name;
  OptionValues options;
};

SchemeChoice read_scheme(const Fields& simulation) {
  const schema::Variant variant = simulation.variant("scheme");
  const SchemeEntry& entry = *find_scheme(variant.name);
  SchemeChoice out{variant.name, {}};
  for (const OptionInfo& option : entry.options) {
    if (!variant.options.has(option.name)) continue;
    switch (option.type) {
      case OptionInfo::Type::number:
        out.options[option.name] = option.whole ? static_cast<double>(variant.options.integer(option.name))
                                                : variant.options.number(option.name);
        break;
      case OptionInfo::Type::flag: out.options[option.name] = variant.options.boolean(option.name); break;
      case OptionInfo::Type::choice: out.options[option.name] = variant.options.text(option.name); break;
    }
  }
  return out;
}

/// Whether each coordinate has mass at the beginning.
bool has_mass(const Model& model, const State& s) {
  Operator mass(model.layout());
  ModelScratch scratch(model);
  mass.zero();
  model.mass({s.t, s.q, s.v}, 1, mass, scratch);
  return mass.factorise();
}

/// The rule of `auto`: mechanisms with play take two impulses a step, which cannot gain energy where a pin turns round
/// its bush within one; what has options of the other scheme, or coordinates without mass, stays with that.
void apply_rule(const Model& model, const scenario::Parts& parts, SchemeChoice& choice) {
  const SchemeEntry& two = *find_scheme("two-impulse");
  const auto known = [&](const auto& given) {
    return std::any_of(two.options.begin(), two.options.end(),
                       [&](const OptionInfo& o) { return o.name == given.first; });
  };
  if (choice.name != "auto" || !parts.play || !std::all_of(choice.options.begin(), choice.options.end(), known)) return;
  if (has_mass(model, parts.initial)) choice.name = two.info.name;
}

bool takes_friction_in_space(const Solver& solver) {
  Problem one;
  one.rows = 3;
  one.blocks = {{Cone::coulomb, 0, 3, 0.5}};
  double *W = one.W.make_dense(3), *b = one.b.need(3);
  for (int i = 0; i < 9; ++i) W[i] = i % 4 == 0 ? 1 : 0;
  std::fill(b, b + 3, 0.0);
  return solver.accepts(one);
}

// What the model asks of a scheme, by the table of features.
void check_features(const Node& node, const SchemeInfo& scheme, const Model& model) {
  const auto refuse = [&](SchemeFeature feature, const std::string& what, const std::string& instead) {
    node.fail(fmt::format("the scheme {} {}; accepted: {}{}", scheme.name, what, instead, join(schemes_with(feature))));
  };
  const auto refuse_item = [&](SchemeFeature feature, const char* what, auto asks) {
    const auto found = std::find_if(model.items().begin(), model.items().end(), asks);
    if (support(scheme, feature) != Support::no || found == model.items().end()) return;
    const bool otherwise = support(find_scheme(scheme.name)->info, feature) != Support::no;
    refuse(feature,
           fmt::format("has no {}{}, which '{}' asks for", what, otherwise ? " with these options" : "", found->name),
           feature == SchemeFeature::friction ? "friction 0, or " : "");
  };
  refuse_item(SchemeFeature::joints, "joints", [](const ConstraintItem& item) { return item.bilateral; });
  refuse_item(SchemeFeature::friction, "friction",
              [](const ConstraintItem& item) { return !item.bilateral && !item.velocity_only && item.dim > 1; });
  refuse_item(SchemeFeature::dry_joints,
              "rows of the velocity alone (friction in a joint, a motor with a speed or a limit)",
              [](const ConstraintItem& item) { return item.velocity_only; });
  refuse_item(SchemeFeature::rolling, "rolling or spinning friction",
              [](const ConstraintItem& item) { return item.rolling; });
  if (model.nameless_rows() > 0 && support(scheme, SchemeFeature::collision) != Support::yes)
    refuse(SchemeFeature::collision, "has no contacts that are found where bodies meet, which `collision` asks for",
           "");
  if (support(scheme, SchemeFeature::bodies) != Support::yes && model.nq() != model.nv())
    refuse(SchemeFeature::bodies, "does not take rigid bodies with rotations in space", "");
}

// Makes the scheme once: options may contradict each other or the model.
void check_scheme(const Fields& simulation, const SchemeChoice& choice, const Model& model) {
  const Node node = simulation.node("scheme") ? simulation.node("scheme") : simulation.node();
  std::unique_ptr<Scheme> scheme;
  try {
    scheme = make_scheme(choice.name, choice.options);
  } catch (const InputError& error) {
    const Node option = node.is_map() ? node.child(error.where) : Node{};
    if (option) option.fail(error.message);
    node.fail(error.what());
  }
  check_features(node, scheme->info(), model);
  const auto chosen = choice.options.find("solver");
  const auto spatial = std::find_if(model.items().begin(), model.items().end(),
                                    [](const ConstraintItem& item) { return !item.bilateral && item.dim > 2; });
  const bool meets = model.nameless_rows() > 2;
  if (chosen == choice.options.end() || (spatial == model.items().end() && !meets)) return;
  const std::string& name = std::get<std::string>(chosen->second);
  if (takes_friction_in_space(*find_solver(name))) return;
  std::vector<std::string> able;
  for (const Solver* solver : solvers())
    if (takes_friction_in_space(*solver)) able.push_back(solver->info().name);
  node.fail(fmt::format("the solver {} does not take friction in space, which {} asks for; accepted: {}", name,
                        spatial == model.items().end() ? "collision" : fmt::format("the contact '{}'", spatial->name),
                        join(able)));
}

double tolerance_of(const SchemeChoice& choice) {
  const Options options(find_scheme(choice.name)->options, choice.options);
  const auto found = options.values().find("tolerance");
  return found == options.values().end() ? 1e-10 : std::get<double>(found->second);
}

StepControl read_control(const Fields& simulation, double span, scenario::Numbers& numbers) {
  const auto [kind, fields] = simulation.variant("step");
  const Fields& f = fields;
  const auto given = [&](const char* key, double fallback) { return f.has(key) ? numbers.number(f, key) : fallback; };
  // Not a fraction of the duration that puts events of round numbers on the ends of steps.
  constexpr double kFirst = 0.00087119;
  StepControl c;
  c.kind = kind == "half-step" ? Control::half_step : kind == "violation" ? Control::violation : Control::both;
  c.largest = given("largest", span > 0 ? span / 20 : 1);
  c.floor = given("floor", std::min(1e-14 * (span > 0 ? span : 1), c.largest));
  c.initial = given("initial", std::min(std::max(kFirst * (span > 0 ? span : 1), c.floor), c.largest));
  c.safety = numbers.number(f, "safety");
  c.shrink = numbers.number(f, "shrink");
  c.grow = numbers.number(f, "grow");
  c.stop_at_floor = f.text("at_floor") == "stop";
  if (c.floor > c.largest)
    f.fail("floor", fmt::format("{:g} is above the largest step {:g}; accepted: less", c.floor, c.largest));
  if (c.initial > c.largest || c.initial < c.floor)
    f.fail("initial",
           fmt::format("{:g} is not between floor and largest; accepted: {:g} to {:g}", c.initial, c.floor, c.largest));
  if (kind == "auto") {
    c.tolerance = numbers.number(f, "tolerance");
    c.atol_scaled = !f.has("tolerance");
    c.rtol = 0;
    return c;
  }
  c.atol = numbers.number(f, "atol");
  c.atol_scaled = !f.has("atol");
  if (kind == "violation") {
    if (!(c.atol > 0)) f.fail("atol", "with nothing allowed no step is accepted; accepted: atol > 0");
    return c;
  }
  c.rtol = numbers.number(f, "rtol");
  if (!(c.atol > 0)) f.fail("atol", "a coordinate that is zero needs it; accepted: atol > 0");
  const std::string order = f.text("order");
  c.order = order == "variable" ? kVariableOrder : order[0] - '0';
  return c;
}

Policy read_policy(const Fields& simulation, double start, scenario::Numbers& numbers) {
  Policy policy;
  policy.until = numbers.number(simulation, "until");
  policy.max_halvings = static_cast<int>(simulation.integer("max_halvings"));
  policy.sleeping = simulation.boolean("sleeping");
  if (policy.until < start)
    simulation.fail("until", fmt::format("{} is before the beginning; accepted: until >= {}", policy.until, start));
  if (!simulation.is_number("step")) {
    policy.control = read_control(simulation, policy.until - start, numbers);
    policy.step = policy.control.initial;
    return policy;
  }
  const schema::Expression step = simulation.number_of("step");
  policy.step = numbers.value(step);
  scenario::check_range(step, policy.step, *simulation.table().find("step"));
  const double largest = std::max(std::abs(start), std::abs(policy.until));
  if (largest + policy.step <= largest)
    simulation.fail("step", fmt::format("{} is lost in the rounding of the time {}; accepted: more than {:.3g}",
                                        policy.step, largest, largest * 2.3e-16));
  constexpr double kMostSteps = 1e12;
  if ((policy.until - start) / policy.step > kMostSteps)
    simulation.fail("step", fmt::format("{} makes {:.3g} steps; accepted: at most {:g}", policy.step,
                                        (policy.until - start) / policy.step, kMostSteps));
  return policy;
}

// A tolerance for the motion asks for constraints that are much better: a gap that counts as closed too early shifts
// every impact, at any step, and impacts magnify it.
void adapt_options(const StepControl& control, const Scales& scales, SchemeChoice& choice) {
  const auto& options = find_scheme(choice.name)->options;
  const bool has = std::any_of(options.begin(), options.end(), [](const auto& o) { return o.name == "tolerance"; });
  if (control.tolerance > 0 && has && choice.options.count("tolerance") == 0)
    choice.options["tolerance"] = std::clamp(1e-6 * control.tolerance / (scales.length * scales.time()), 1e-12, 1e-10);
}

// Neither the end of the run nor what the control makes of it may be in the scales: a run that is continued has the
// same ones.
Scales read_scales(const Fields& simulation, const Model& model, const State& initial, const Policy& policy,
                   scenario::Numbers& numbers) {
  ScaleChoice choice;
  if (simulation.has("scales")) {
    const Fields given = simulation.block("scales");
    const auto number = [&](const char* key) { return given.has(key) ? numbers.number(given, key) : 0; };
    choice = {number("length"), number("velocity"), number("mass"), 0};
  }
  if (simulation.is_number("step")) choice.step = policy.step;
  return find_scales(model, initial, choice);
}

// What was not asked for in SI units is asked for in those of the scales.
void scale_tolerance(const Scales& scales, StepControl& control) {
  if (!(control.tolerance > 0) || !control.atol_scaled) return;
  control.tolerance *= scales.length * scales.time();
  control.atol_scaled = false;
}

// Below what the numbers themselves resolve no step is ever accepted. Where the start says nothing of the motion's size
// the smallest numbers are the limit.
void check_tolerance(const Fields& simulation, const Policy& policy, const State& start) {
  const double asked = policy.control.tolerance > 0 ? policy.control.tolerance : policy.control.atol;
  const bool relative = policy.control.kind == Control::half_step || policy.control.kind == Control::both;
  if (policy.control.kind == Control::fixed ||
      (relative && policy.control.tolerance == 0 && policy.control.rtol > 1e-14))
    return;
  const double span = policy.until - start.t;
  const double size = std::max(start.q.size() > 0 ? start.q.cwiseAbs().maxCoeff() : 0,
                               start.v.size() > 0 ? span * start.v.cwiseAbs().maxCoeff() : 0);
  const double least = std::max(1e-14 * size * (policy.control.tolerance > 0 ? std::min(span, 1.0) : 1), 1e-200);
  if (asked < least)
    simulation.fail(
        "step", fmt::format("a tolerance of {:g} is below what double precision resolves; accepted: at least {:.1e} "
                            "where coordinates are as large as {:.3g}",
                            asked, least, size));
}

// A scheme that controls its own error needs no step but that of the output.
void adapt_policy(const Fields& simulation, const SchemeChoice& choice, double start, Policy& policy) {
  if (policy.control.kind == Control::fixed) return;
  const SchemeInfo& info = find_scheme(choice.name)->info;
  const Support able = support(info, SchemeFeature::step_control);
  if (able == Support::no)
    simulation.fail("step",
                    fmt::format("the scheme {} meets the law of impact over several steps of one size; accepted: "
                                "a number",
                                choice.name));
  if (able != Support::own) return;
  if (policy.control.tolerance == 0)
    simulation.fail("step",
                    fmt::format("the scheme {} controls its error itself; accepted: auto, or a number, which is "
                                "the interval of the output",
                                choice.name));
  constexpr double kRows = 200;
  policy.step = policy.until > start ? (policy.until - start) / kRows : 1;
  policy.control = {};
}

// The scheme that makes the steps which miss the tolerance: the same one with a larger tolerance. What counts as closed
// stays as it is as far as the larger tolerance allows.
std::shared_ptr<const Scheme> read_accept(const Fields& simulation, const Policy& policy, const SchemeChoice& choice,
                                          scenario::Numbers& numbers) {
  if (!simulation.has("accept")) return nullptr;
  const Fields given = simulation.block("accept");
  const double residual = numbers.number(given, "residual");
  if (policy.control.kind != Control::fixed)
    simulation.fail("accept", "steps that are chosen are made smaller instead; accepted: a number as `step`");
  const auto& options = find_scheme(choice.name)->options;
  const auto has = [&](const char* key) {
    return std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.name == key; });
  };
  if (!has("tolerance") || !has("activation_tolerance"))
    simulation.fail("accept",
                    fmt::format("the scheme {} has no tolerance of its steps; accepted: without it", choice.name));
  const Tolerances strict = make_scheme(choice.name, choice.options)->tolerance();
  if (!(residual > strict.constraint))
    given.fail("residual",
               fmt::format("{:g} is not above the tolerance {:g}; accepted: more", residual, strict.constraint));
  OptionValues loose = choice.options;
  loose["tolerance"] = residual;
  loose["activation_tolerance"] = std::max(strict.activation, 2 * residual);
  return make_scheme(choice.name, loose);
}

RecordChoice read_record(const Fields& simulation, const std::string& scheme) {
  RecordChoice out{.marks = simulation.has("accept"), .restitution = find_scheme(scheme)->info.two_impulses};
  if (!simulation.has("record")) return out;
  const Fields given = simulation.block("record");
  const auto detail = std::find(kContactDetails.begin(), kContactDetails.end(), given.text("contacts"));
  out.every = given.integer("every");
  out.contacts = static_cast<ContactDetail>(detail - kContactDetails.begin());
  return out;
}

Scenario read_document(const Document& document, const Extension& extension) {
  const Fields root(document.root(), scenario::root_table());
  const Fields system = root.block("system"), initial = root.block("initial"), simulation = root.block("simulation");
  scenario::Parts parts;
  parts.folder = fs::path(document.name()).parent_path().string();
  parts.numbers.meshes.folder = parts.folder;
  scenario::read_system(system, initial, parts);
  SchemeChoice scheme = read_scheme(simulation);
  Policy policy = read_policy(simulation, parts.initial.t, parts.numbers);
  if (extension) extension(parts.builder, parts.initial);
  Model model = scenario::located(system.node(), [&] { return parts.builder.freeze(); });
  apply_rule(model, parts, scheme);
  const auto scales =
      std::make_shared<const Scales>(read_scales(simulation, model, parts.initial, policy, parts.numbers));
  parts.initial.scales = scales;
  scale_tolerance(*scales, policy.control);
  adapt_policy(simulation, scheme, parts.initial.t, policy);
  adapt_options(policy.control, *scales, scheme);
  check_scheme(simulation, scheme, model);
  if (find_scheme(scheme.name)->info.two_impulses && !has_mass(model, parts.initial))
    simulation.node("scheme").fail(
        fmt::format("the scheme {} does not take coordinates without mass; accepted: auto", scheme.name));
  scenario::check_rivals(simulation);
  policy.accept = read_accept(simulation, policy, scheme, parts.numbers);
  const bool open = initial.boolean("assemble");  // before that, accelerations say nothing
  scenario::check_conflicts(model, parts, system.node(), policy.until, !open);
  scenario::prepare_initial(model, initial, system.node(), tolerance_of(scheme), policy.step, parts);
  if (open) scenario::check_conflicts(model, parts, system.node(), policy.until, true);
  scenario::check_initial(model, parts, system.node(), tolerance_of(scheme));
  scenario::check_loops(model, parts);
  check_tolerance(simulation, policy, parts.initial);
  for (std::string& note : parts.numbers.meshes.notes) parts.notes.push_back(std::move(note));
  for (std::string& note : scenario::unused_parameters(document.root())) parts.notes.push_back(std::move(note));
  auto drawing = std::make_shared<const Drawing>(scenario::read_drawing(root, model, parts));
  std::vector<Expectation> expect = scenario::read_expectations(root, model, parts);
  return {.name = root.has("name") ? root.text("name") : fs::path(document.name()).stem().string(),
          .description = root.has("description") ? root.text("description") : "",
          .source = document.name(),
          .text = document.effective_text(),
          .model = std::move(model),
          .initial = std::move(parts.initial),
          .scheme = scheme.name,
          .options = scheme.options,
          .policy = policy,
          .record = read_record(simulation, scheme.name),
          .drawing = std::move(drawing),
          .joints = std::move(parts.joints),
          .expect = std::move(expect),
          .notes = std::move(parts.notes)};
}

// Messages quote what was written; keys and formulas may hold line breaks.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

/// The files of shapes, as deep as they stand below a node.
void place_surfaces(const Node& node, const fs::path& folder, Document& document) {
  if (node.is_list())
    for (const Node& item : node.items()) place_surfaces(item, folder, document);
  if (!node.is_map()) return;
  for (const auto& [key, child] : node.entries()) {
    const Node file = key == "mesh" && child.is_map() ? child.child("file") : Node{};
    if (!file.is_scalar() || fs::path(file.text()).is_absolute()) {
      place_surfaces(child, folder, document);
      continue;
    }
    std::error_code ignored;
    const fs::path whole = fs::absolute(folder / file.text(), ignored).lexically_normal();
    if (fs::exists(whole, ignored)) document.set(fmt::format("{}='{}'", file.path(), whole.string()), file.where());
  }
}

// Meshes by their whole paths: the text that goes into a result then finds them again.
void place_meshes(Document& document) {
  const fs::path folder = fs::path(document.name()).parent_path();
  const auto place = [&](const Node& holder, const std::string& path) {
    if (!holder.is_map()) return;
    for (const char* key : {"bodies", "scenes"}) place_surfaces(holder.child(key), folder, document);
    if (!holder.child("flexible").is_map()) return;
    for (const auto& [name, body] : holder.child("flexible").entries()) {
      const Node mesh = body.is_map() ? body.child("mesh") : Node{};
      if (!mesh.is_scalar() || fs::path(mesh.text()).is_absolute()) continue;
      std::error_code ignored;
      const fs::path file = fs::absolute(folder / mesh.text(), ignored).lexically_normal();
      if (fs::exists(file, ignored))
        document.set(fmt::format("{}.flexible.{}.mesh='{}'", path, name, file.string()), mesh.where());
    }
  };
  const Node system = document.root().is_map() ? document.root().child("system") : Node{};
  place(system, "system");
  if (!system.is_map() || !system.child("parts").is_map()) return;
  for (const auto& [name, part] : system.child("parts").entries()) place(part, "system.parts." + name);
}

template <class Open>
Scenario read_with(const std::vector<std::string>& overrides, const Extension& extension, Open open) {
  try {
    Document document = open();
    for (const std::string& assignment : overrides) document.set(assignment);
    place_meshes(document);
    scenario::embed_parts(document);
    return read_document(document, extension);
  } catch (const InputError& error) {
    throw InputError(one_line(error.where), one_line(error.message));
  }
}

}  // namespace

Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  return load_scenario(name_or_path, overrides, {});
}

Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& overrides,
                       const Extension& extension) {
  return read_with(overrides, extension, [&] { return Document::read(resolve(name_or_path)); });
}

Scenario read_scenario(const std::string& text, const std::string& source, const std::vector<std::string>& overrides) {
  return read_scenario(text, source, overrides, {});
}

Scenario read_scenario(const std::string& text, const std::string& source, const std::vector<std::string>& overrides,
                       const Extension& extension) {
  return read_with(overrides, extension, [&] { return Document::parse(text, source); });
}

std::vector<ShippedScenario> shipped_scenarios() {
  std::vector<ShippedScenario> out;
  for (const fs::path& file : shipped_files()) {
    ShippedScenario scenario{file.stem().string(), "", "", file.string()};
    try {
      const Document document = Document::read(file);
      const Node description = document.root().child("description"), source = document.root().child("source");
      if (description.is_scalar()) scenario.description = description.text();
      if (source.is_scalar()) scenario.source = source.text();
    } catch (const InputError& error) {
      scenario.description = error.what();  // listed all the same: whoever asks for it hears what is wrong
    }
    out.push_back(std::move(scenario));
  }
  return out;
}

std::vector<PartInfo> scenario_parts(std::string_view what) {
  // the kinds of a part are the keys that come first in its table, up to the first that says where it is
  const schema::Block* block = nullptr;
  if (what == "shapes") {
    block = scenario::root_table().find("system")->block->find("bodies")->block->find("shapes")->block.get();
  } else {
    block = scenario::root_table().find("system")->block->find(what)->block.get();
  }
  std::vector<PartInfo> out;
  for (const schema::Field& field : block->fields) {
    if (field.key == "at" || field.key == "density") break;
    out.push_back({field.key, field.doc});
  }
  return out;
}

std::string scenario_json_schema() {
  return schema::json_schema(scenario::root_table(), "Ricochet scenario", "ricochet:scenario");
}

std::string scenario_reference() {
  return "# Scenario reference\n\nEvery key of a scenario file, from the tables that the reader checks with.\n\n" +
         schema::markdown(scenario::root_table());
}

}  // namespace ricochet
