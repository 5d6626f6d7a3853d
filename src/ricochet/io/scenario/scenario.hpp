#pragma once
// A scenario file becomes a model, an initial state, a scheme with its options and a policy.
#include <memory>
#include <string>
#include <vector>

#include "ricochet/io/scenario/expectation.hpp"
#include "ricochet/io/scenario/record.hpp"
#include "ricochet/model/joint/joint_reading.hpp"
#include "ricochet/sim/driver.hpp"

namespace ricochet {

struct Drawing;  // io/scenario/drawing.hpp

struct Scenario {
  std::string name;         ///< as the file says, or its file name
  std::string description;  ///< optional, one paragraph
  std::string source;       ///< path, for messages
  std::string text;         ///< effective YAML, overrides applied: re-reading it gives the same scenario
  Model model;
  State initial;
  std::string scheme;
  OptionValues options;
  Policy policy;
  RecordChoice record{};
  std::shared_ptr<const Drawing> drawing;  ///< how it looks
  std::vector<JointReading> joints{};      ///< of bodies: what can be read off them
  std::vector<Expectation> expect{};       ///< what happens, with checks
  std::vector<std::string> notes{};        ///< what was done to the beginning, or looks odd; a sentence each
};

/// A path, or the bare name of a shipped scenario. `overrides` are "path=value" as given to --set.
/// Throws InputError of the form file:line:column: what is wrong; what is accepted.
Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& overrides = {});
/// The same from text in memory, `source` naming it in messages.
Scenario read_scenario(const std::string& text, const std::string& source,
                       const std::vector<std::string>& overrides = {});

struct ShippedScenario {
  std::string name, description, source, path;
};
/// What the folder of shipped scenarios holds, sorted by name.
std::vector<ShippedScenario> shipped_scenarios();

/// A kind of joint, shape, contact or force, with a sentence.
struct PartInfo {
  std::string name, summary;
};
/// Of `what`: joints, shapes, contacts, forces.
std::vector<PartInfo> scenario_parts(std::string_view what);

/// JSON schema and Markdown reference of all scenario keys, from the tables that the reader checks with.
std::string scenario_json_schema();
std::string scenario_reference();

}  // namespace ricochet
