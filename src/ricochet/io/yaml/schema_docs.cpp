// The tables as documents: a JSON schema for editors, Markdown for the reference.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ricochet/io/yaml/schema.hpp"

namespace ricochet::schema {
namespace {

using Json = nlohmann::ordered_json;
using yaml::Node;

Json to_json(const Node& node) {
  if (node.is_map()) {
    Json out = Json::object();
    for (const Node::Entry& entry : node.entries()) out[entry.key] = to_json(entry.value);
    return out;
  }
  if (node.is_list()) {
    Json out = Json::array();
    for (const Node& item : node.items()) out.push_back(to_json(item));
    return out;
  }
  if (!node.is_scalar()) return nullptr;
  if (node.is_number()) {
    // Whole numbers stay whole: 10, not 10.0.
    const bool whole = node.text().find_first_of(".eE") == std::string::npos;
    return whole ? Json(node.integer()) : Json(node.number());
  }
  const std::string text = node.text();
  if (text == "true" || text == "false") return text == "true";
  return text;
}

class SchemaWriter {
 public:
  Json define(const Block& block, const std::string& tag, const std::string& tag_value, const std::string& name) {
    if (std::find(done_.begin(), done_.end(), name) == done_.end()) {
      done_.push_back(name);
      Json body = object(block, tag, tag_value);
      definitions[name] = std::move(body);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  Json object(const Block& block, const std::string& tag, const std::string& tag_value) {
    Json out{{"type", "object"}};
    if (!block.doc.empty()) out["description"] = block.doc;
    Json properties = Json::object();
    Json required = Json::array();
    if (!tag.empty()) {
      properties[tag] = {{"const", tag_value}};
      required.push_back(tag);
    }
    for (const Field& field : block.fields) {
      properties[field.key] = property(field);
      if (field.required) required.push_back(field.key);
    }
    out["properties"] = std::move(properties);
    if (!required.empty()) out["required"] = std::move(required);
    out["additionalProperties"] = false;
    return out;
  }

  Json definitions = Json::object();

 private:
  Json property(const Field& field) {
    Json one = single(field);
    Json out;
    if (field.shape == Shape::list) {
      out = {{"type", "array"}, {"items", std::move(one)}};
      if (field.count != 0) out["minItems"] = out["maxItems"] = field.count;
    } else if (field.shape == Shape::named) {
      out = {{"type", "object"}, {"additionalProperties", std::move(one)}};
    } else {
      out = std::move(one);
    }
    if (field.shape != Shape::one || field.type == Type::block) {
      if (out.contains("type"))
        out["type"] = Json::array({out["type"], "null"});
      else
        out = {{"anyOf", Json::array({std::move(out), {{"type", "null"}}})}};
    }
    std::string doc = field.doc;
    if (!field.unit.empty()) doc += fmt::format("{}[{}]", doc.empty() ? "" : " ", field.unit);
    if (!doc.empty()) out["description"] = doc;
    if (!field.fallback.empty()) out["default"] = to_json(yaml::Document::parse(field.fallback, "default").root());
    return out;
  }

  Json single(const Field& field) {
    switch (field.type) {
      case Type::number: return ranged(field, "number");
      case Type::integer: return ranged(field, "integer");
      case Type::boolean: return {{"type", "boolean"}};
      case Type::text:
        if (!field.accepted.empty()) return {{"enum", field.accepted}};
        return {{"type", Json::array({"string", "number", "boolean"})}};
      case Type::expression: return ranged(field, Json::array({"number", "string"}));  // of numbers; formulas go by
      case Type::block: return define(*field.block, {}, {}, field.block->name);
      case Type::variant: return variant(field);
      case Type::any: break;
    }
    return Json::object();
  }

  static Json ranged(const Field& field, const Json& type) {
    Json out{{"type", type}};
    const Range& r = field.range;
    if (r.min > -std::numeric_limits<double>::infinity()) out[r.min_open ? "exclusiveMinimum" : "minimum"] = r.min;
    if (r.max < std::numeric_limits<double>::infinity()) out[r.max_open ? "exclusiveMaximum" : "maximum"] = r.max;
    return out;
  }

  Json variant(const Field& field) {
    static const Block empty{};
    Json names = Json::array();
    for (const Choice& choice : field.variants) names.push_back(choice.name);
    Json any = Json::array({Json{{"enum", std::move(names)}}});
    if (field.or_number) any.push_back({{"type", Json::array({"number", "string"})}});
    for (const Choice& choice : field.variants)
      any.push_back(define(choice.block ? *choice.block : empty, field.tag, choice.name,
                           fmt::format("{}-{}", field.key, choice.name)));
    return {{"anyOf", std::move(any)}};
  }

  std::vector<std::string> done_;
};

std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|')
      out += "\\|";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

// The anchor that Markdown processors give to a heading.
std::string link(const std::string& name) {
  std::string anchor;
  for (char c : name) anchor += c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("[{}](#{})", name, anchor);
}

std::string single_type(const Field& field) {
  switch (field.type) {
    case Type::number: return "number";
    case Type::integer: return "whole number";
    case Type::boolean: return "true or false";
    case Type::text: return "text";
    case Type::expression: return "number or formula";
    case Type::block: return link(field.block->name);
    case Type::variant:
      return fmt::format("{}name, or map with `{}` and options", field.or_number ? "number, formula, " : "", field.tag);
    case Type::any: break;
  }
  return "see text";
}

std::string type_text(const Field& field) {
  const std::string one = single_type(field);
  if (field.shape == Shape::list)
    return field.count != 0 ? fmt::format("list of {}: {}", field.count, one) : "list: " + one;
  if (field.shape == Shape::named) return "map by name: " + one;
  return one;
}

std::string accepted_text(const Field& field) {
  if (!field.accepted.empty()) return fmt::format("`{}`", join(field.accepted, "`, `"));
  std::string out = field.range.text(field.key);
  if (field.type != Type::variant) return out;
  for (const Choice& choice : field.variants) {
    const bool section = choice.block && !choice.block->fields.empty();
    out += (out.empty() ? "" : ", ") + (section ? link(choice.block->name) : "`" + choice.name + "`");
  }
  return out;
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(int level) : hashes_(static_cast<std::size_t>(std::max(level, 1)), '#') {}

  // Breadth first: what a reader meets first stands first.
  std::string all(const Block& root) {
    queue_ = {&root};
    std::string out;
    for (std::size_t k = 0; k < queue_.size(); ++k) out += section(*queue_[k]);
    return out;
  }

 private:
  void enqueue(const Block* block) {
    if (block != nullptr && std::find(queue_.begin(), queue_.end(), block) == queue_.end()) queue_.push_back(block);
  }

  std::string section(const Block& block) {
    std::string out = fmt::format("{} {}\n\n", hashes_, block.name);
    if (!block.doc.empty()) out += block.doc + "\n\n";
    if (block.fields.empty()) return out + "No keys.\n\n";
    out += "| key | type | default | unit | accepted | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const Field& field : block.fields) {
      out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key, cell(type_text(field)), fallback(field),
                         cell(field.unit), cell(accepted_text(field)), cell(field.doc));
      enqueue(field.block.get());
      for (const Choice& choice : field.variants)
        if (choice.block && !choice.block->fields.empty()) enqueue(choice.block.get());
    }
    return out + "\n";
  }

  static std::string fallback(const Field& field) {
    if (field.required) return "required";
    return field.fallback.empty() ? "" : fmt::format("`{}`", cell(field.fallback));
  }

  std::string hashes_;
  std::vector<const Block*> queue_;
};

}  // namespace

std::string json_schema(const Block& root, std::string_view title, std::string_view id) {
  SchemaWriter writer;
  Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}, {"title", title}};
  out.update(writer.object(root, {}, {}));
  if (!writer.definitions.empty()) out["$defs"] = std::move(writer.definitions);
  return out.dump(2) + "\n";
}

std::string markdown(const Block& root, int heading_level) { return MarkdownWriter(heading_level).all(root); }

}  // namespace ricochet::schema
