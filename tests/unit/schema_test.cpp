#include "ricochet/io/yaml/schema.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ricochet::schema_test {
namespace {

using namespace schema;
using yaml::Document;

const Block& contact() {
  static const Block block{
      .name = "contact",
      .doc = "A unilateral contact.",
      .fields = {
          {.key = "gap", .type = Type::expression, .unit = "m", .doc = "Distance of the surfaces.", .required = true},
          {.key = "restitution",
           .type = Type::number,
           .fallback = "0.25",
           .doc = "Newton's e.",
           .range = between(0, 1)},
          {.key = "axis", .type = Type::number, .shape = Shape::list, .count = 3, .fallback = "[0, 0, 1]"},
      }};
  return block;
}

const Block& moreau_jean() {
  static const Block block{.name = "moreau-jean",
                           .fields = {{.key = "theta", .type = Type::number, .fallback = "0.5", .range = between(0, 1)},
                                      {.key = "forecast",
                                       .type = Type::text,
                                       .fallback = "explicit",
                                       .accepted = {"explicit", "free", "energy-safe"}}}};
  return block;
}

const Block& root() {
  static const Block block{
      .name = "scenario",
      .doc = "Everything.",
      .fields = {
          {.key = "contacts", .type = Type::block, .shape = Shape::named, .block = contact},
          {.key = "scheme",
           .type = Type::variant,
           .fallback = "combined",
           .variants = {{"combined"}, {"moreau-jean", moreau_jean}}},
          {.key = "step", .type = Type::number, .unit = "s", .doc = "Length of a step.", .range = above(0)},
          {.key = "steps", .type = Type::integer, .fallback = "10", .range = at_least(1)},
          {.key = "record", .type = Type::boolean, .fallback = "true"},
          {.key = "parameters", .type = Type::expression, .shape = Shape::named},
          {.key = "tree", .type = Type::block, .shape = Shape::list, .block = root},
          {.key = "output", .type = Type::block, .block = &moreau_jean()},
      }};
  return block;
}

Fields read(const std::string& text) { return {Document::parse(text, "f.yaml").root(), root()}; }

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string read_error(const std::string& text) {
  return error_of([&] { read(text); });
}

TEST(Schema, ReadsWhatIsGivenAndDefaultsForTheRest) {
  const Fields f = read(
      "contacts:\n  B: {gap: y - 1, restitution: 1}\n  A: {gap: 2}\nscheme: {name: moreau-jean, theta: 0.75}\n"
      "parameters: {m: 1, J: m*2}\ntree: [{step: 3}, {}]\noutput:\n");
  const auto contacts = f.named_blocks("contacts");
  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[0].name, "B");
  EXPECT_EQ(contacts[0].value.expression("gap").text, "y - 1");
  EXPECT_EQ(contacts[0].value.expression("gap").node.position_inside(4), "f.yaml:2:16");
  EXPECT_EQ(contacts[0].value.number("restitution"), 1);
  EXPECT_EQ(contacts[1].value.number("restitution"), 0.25);
  EXPECT_EQ(contacts[1].value.numbers("axis"), (std::vector<double>{0, 0, 1}));
  const auto [name, options] = f.variant("scheme");
  EXPECT_EQ(name, "moreau-jean");
  EXPECT_EQ(options.number("theta"), 0.75);
  EXPECT_EQ(options.text("forecast"), "explicit");
  EXPECT_EQ(f.named_expressions("parameters")[1].value.text, "m*2");
  EXPECT_EQ(f.integer("steps"), 10);
  EXPECT_TRUE(f.boolean("record"));
  EXPECT_FALSE(f.has("record"));
  EXPECT_EQ(f.blocks("tree")[0].number("step"), 3);
  EXPECT_EQ(f.block("output").number("theta"), 0.5);
  EXPECT_EQ(f.blocks("tree")[1].variant("scheme").name, "combined");
  EXPECT_EQ(defaults(moreau_jean()).number("theta"), 0.5);
}

TEST(Schema, RefusesWithPlaceReasonAndWhatIsAccepted) {
  EXPECT_EQ(read_error("contacts: {A: {gap: 1, restitution: 1.5}}"),
            "f.yaml:1:37: contacts.A.restitution: 1.5 is out of range; accepted: 0 <= restitution <= 1");
  EXPECT_EQ(read_error("contacts: {A: {restitution: 1}}"),
            "f.yaml:1:15: contacts.A: missing key 'gap': Distance of the surfaces.");
  EXPECT_EQ(read_error("contacts: {A: {gap: 1, restituton: 1}}"),
            "f.yaml:1:24: contacts.A: unknown key 'restituton'; accepted: gap, restitution, axis; did you mean "
            "'restitution'?");
  EXPECT_EQ(read_error("step: 0"), "f.yaml:1:7: step: 0 is out of range; accepted: step > 0");
  EXPECT_EQ(read_error("steps: 0"), "f.yaml:1:8: steps: 0 is out of range; accepted: steps >= 1");
  EXPECT_EQ(read_error("scheme: combned"),
            "f.yaml:1:9: scheme: unknown scheme 'combned'; accepted: combined, moreau-jean; did you mean 'combined'?");
  EXPECT_EQ(read_error("scheme: {theta: 1}"),
            "f.yaml:1:9: scheme: missing key 'name'; accepted: combined, moreau-jean");
  EXPECT_EQ(read_error("scheme: {name: combined, theta: 1}"),
            "f.yaml:1:26: scheme: unknown key 'theta'; accepted: name");
  EXPECT_EQ(read_error("scheme: {name: moreau-jean, forecast: fre}"),
            "f.yaml:1:39: scheme.forecast: unknown forecast 'fre'; accepted: explicit, free, energy-safe; did you mean "
            "'free'?");
  EXPECT_EQ(read_error("contacts: {A: {gap: 1, axis: [1, 2]}}"),
            "f.yaml:1:30: contacts.A.axis: expected 3 entries, found 2");
  EXPECT_EQ(read_error("contacts: {'A/b': {gap: 1}}").substr(0, 40), "f.yaml:1:12: contacts.A/b: 'A/b' is no n");
  EXPECT_EQ(read_error("tree: [{tree: [{step: -1}]}]"),
            "f.yaml:1:23: tree.0.tree.0.step: -1 is out of range; accepted: step > 0");
  EXPECT_EQ(read_error("contacts: 3").substr(0, 22), "f.yaml:1:11: contacts:");
  EXPECT_EQ(read_error("parameters: {m: }"),
            "f.yaml:1:14: parameters.m: expected a number or a formula, found nothing");
  EXPECT_EQ(read_error("[1]").substr(0, 12), "f.yaml:1:1: ");
  const Fields f = read("steps: 1\nrecord: true\n");
  EXPECT_EQ(error_of([&] { f.number("step"); }), "f.yaml:1:1: missing key 'step': Length of a step.");
  EXPECT_EQ(error_of([&] {
              f.one_of({"steps", "record"});
            }),
            "f.yaml:2:1: record: 'steps' and 'record' exclude each other; accepted: one of steps, record");
  EXPECT_EQ(f.one_of({"steps", "step"}), "steps");
}

TEST(Schema, ANameAloneStillOwesItsRequiredOptions) {
  const Block strict{
      .name = "strict",
      .fields = {{.key = "rho", .type = Type::number, .required = true}, {.key = "beta", .type = Type::number}}};
  const Block block{.name = "b", .fields = {{.key = "scheme", .type = Type::variant, .variants = {{"s", &strict}}}}};
  const auto error = [&](const std::string& text) {
    return error_of(
        [&] { Fields(Document::parse(text, "f.yaml").root(), block).variant("scheme").options.number("beta"); });
  };
  EXPECT_EQ(error("scheme: s"), "f.yaml:1:9: scheme: missing key 'rho'");
  EXPECT_EQ(error("scheme: {name: s, rho: 1}"), "f.yaml:1:9: scheme: missing key 'beta'");
}

TEST(Schema, OnlyTheTableCanBeRead) {
  const Fields f = read("steps: 1\n");
  EXPECT_THROW(f.number("stepz"), std::logic_error);
  EXPECT_THROW(f.has("stepz"), std::logic_error);
  EXPECT_THROW(f.number("steps"), std::logic_error);
  EXPECT_THROW(f.numbers("step"), std::logic_error);
}

TEST(Schema, JsonSchemaHoldsTheSameTable) {
  const auto json = nlohmann::json::parse(json_schema(root(), "Scenario", "https://example.org/s.json"));
  EXPECT_EQ(json["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(json["additionalProperties"], false);
  EXPECT_EQ(json["properties"]["step"]["exclusiveMinimum"], 0);
  EXPECT_EQ(json["properties"]["steps"]["default"], 10);
  EXPECT_EQ(json["properties"]["contacts"]["additionalProperties"]["$ref"], "#/$defs/contact");
  const auto& e = json["$defs"]["contact"]["properties"]["restitution"];
  EXPECT_EQ(e["minimum"], 0);
  EXPECT_EQ(e["maximum"], 1);
  EXPECT_EQ(e["default"], 0.25);
  EXPECT_EQ(json["$defs"]["contact"]["required"], nlohmann::json::array({"gap"}));
  EXPECT_EQ(json["$defs"]["contact"]["properties"]["axis"]["minItems"], 3);
  EXPECT_EQ(json["$defs"]["scheme-moreau-jean"]["properties"]["name"]["const"], "moreau-jean");
  EXPECT_EQ(json["$defs"]["scenario"]["properties"]["tree"]["items"]["$ref"], "#/$defs/scenario");
  for (const Field& field : root().fields) EXPECT_TRUE(json["properties"].contains(field.key)) << field.key;
}

TEST(Schema, MarkdownHoldsTheSameTable) {
  const std::string text = markdown(root());
  for (const Field& field : root().fields) EXPECT_NE(text.find("`" + field.key + "`"), std::string::npos) << field.key;
  EXPECT_NE(text.find("## contact\n"), std::string::npos);
  EXPECT_NE(text.find("| `restitution` | number | `0.25` |  | 0 <= restitution <= 1 | Newton's e. |"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("## scenario"), text.rfind("## scenario"));
}

}  // namespace
}  // namespace ricochet::schema_test
