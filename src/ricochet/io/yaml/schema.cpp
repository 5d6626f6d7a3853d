#include "ricochet/io/yaml/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ricochet::schema {
namespace {

using yaml::Node;

const Block& no_options() {
  static const Block block{};
  return block;
}

std::vector<std::string> names(const Field& field) {
  std::vector<std::string> out;
  for (const Choice& choice : field.variants) out.push_back(choice.name);
  return out;
}

const Choice* find_choice(const Field& field, std::string_view name) {
  for (const Choice& choice : field.variants)
    if (choice.name == name) return &choice;
  return nullptr;
}

// An empty block, list or map may be left out after its key; a value may not.
bool may_be_null(const Field& field) { return field.shape != Shape::one || field.type == Type::block; }

void check_block(const Node& node, const Block& block, const std::string& tag);
void check_required(const Node& node, const Block& block);

void check_range(const Node& node, const Field& field, double x) {
  if (!field.range.holds(x))
    node.fail(fmt::format("{} is out of range; accepted: {}", node.text(), field.range.text(field.key)));
}

bool stands_for_number(const Node& node, const Field& field) {
  return field.or_number && node.is_scalar() && find_choice(field, node.text()) == nullptr;
}

void check_formula(const Node& node) {
  if (!node.is_scalar() || node.text().find_first_not_of(" \t\n") == std::string::npos)
    node.fail(fmt::format("expected a number or a formula, found {}", node.describe()));
}

void check_variant(const Node& node, const Field& field) {
  const std::vector<std::string> accepted = names(field);
  if (stands_for_number(node, field)) return check_formula(node);
  if (!node.is_map() && !node.is_scalar())
    node.fail(fmt::format("expected {}a name, or a map with '{}' and options, found {}; accepted: {}",
                          field.or_number ? "a number, " : "", field.tag, node.describe(), join(accepted)));
  if (node.is_map() && !node.has(field.tag))
    node.fail(fmt::format("missing key '{}'; accepted: {}", field.tag, join(accepted)));
  const Node name = node.is_map() ? node.child(field.tag) : node;
  const Choice* choice = find_choice(field, name.text());
  if (choice == nullptr) name.fail(unknown_word(field.key, name.text(), accepted));
  const Block& options = choice->block ? *choice->block : no_options();
  if (node.is_map())
    check_block(node, options, field.tag);
  else
    check_required(node, options);
}

void check_one(const Node& node, const Field& field) {
  switch (field.type) {
    case Type::number: check_range(node, field, node.number()); break;
    case Type::integer: check_range(node, field, static_cast<double>(node.integer())); break;
    case Type::boolean: node.boolean(); break;
    case Type::text:
      if (!field.accepted.empty() &&
          std::find(field.accepted.begin(), field.accepted.end(), node.text()) == field.accepted.end())
        node.fail(unknown_word(field.key, node.text(), field.accepted));
      node.text();
      break;
    case Type::expression: check_formula(node); break;
    case Type::block: check_block(node, *field.block, {}); break;
    case Type::variant: check_variant(node, field); break;
    case Type::any: break;
  }
}

// Names become columns of the results and parts of paths.
void check_name(const std::string& name, const Node& node) {
  const bool bad = name.empty() || std::any_of(name.begin(), name.end(), [](char c) {
                     return static_cast<unsigned char>(c) <= ' ' || c == '.' || c == '/' || c == '=' || c == '"';
                   });
  if (bad)
    node.fail_key(fmt::format("'{}' is no name; accepted: letters, digits and signs other than blank . / = \"", name));
}

void check(const Node& node, const Field& field) {
  if (node.is_null() && may_be_null(field)) return;
  if (field.shape == Shape::list) {
    const std::vector<Node> items = node.items();
    if (field.count != 0 && items.size() != field.count)
      node.fail(fmt::format("expected {} entries, found {}", field.count, items.size()));
    for (const Node& item : items) check_one(item, field);
  } else if (field.shape == Shape::named) {
    for (const Node::Entry& entry : node.entries()) {
      check_name(entry.key, entry.value);
      check_one(entry.value, field);
    }
  } else {
    check_one(node, field);
  }
}

void check_required(const Node& node, const Block& block) {
  for (const Field& field : block.fields)
    if (field.required && (!node.has(field.key) || node.child(field.key).is_null()))
      node.fail(fmt::format("missing key '{}'{}{}", field.key, field.doc.empty() ? "" : ": ", field.doc));
}

// `tag`: a key besides those of the table, which the caller has checked.
void check_block(const Node& node, const Block& block, const std::string& tag) {
  std::vector<std::string> keys = block.keys();
  if (!tag.empty()) keys.insert(keys.begin(), tag);
  node.accept_keys(keys);
  for (const Node::Entry& entry : node.entries())
    if (const Field* field = block.find(entry.key)) check(entry.value, *field);
  check_required(node, block);
}

[[noreturn]] void misuse(const Block& block, std::string_view key, std::string_view what) {
  throw std::logic_error(fmt::format("schema: '{}' of block '{}' {}", key, block.name, what));
}

}  // namespace

bool Range::holds(double x) const { return (min_open ? x > min : x >= min) && (max_open ? x < max : x <= max); }

std::string Range::text(std::string_view name) const {
  const bool low = min > -std::numeric_limits<double>::infinity();
  const bool high = max < std::numeric_limits<double>::infinity();
  if (!low && !high) return {};
  if (!high) return fmt::format("{} {} {}", name, min_open ? ">" : ">=", min);
  std::string out = low ? fmt::format("{} {} ", min, min_open ? "<" : "<=") : "";
  return out + fmt::format("{} {} {}", name, max_open ? "<" : "<=", max);
}

const Field* Block::find(std::string_view key) const {
  for (const Field& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

std::vector<std::string> Block::keys() const {
  std::vector<std::string> out;
  for (const Field& field : fields) out.push_back(field.key);
  return out;
}

Fields::Fields(const Node& node, const Block& block) : node_(node), block_(&block) {
  if (node && !node.is_null())
    check_block(node, block, {});
  else
    check_required(node, block);
}

const Field& Fields::field(std::string_view key, Type type, Shape shape) const {
  const Field* field = block_->find(key);
  if (field == nullptr) misuse(*block_, key, "is not in the table");
  if (field->type != type || field->shape != shape) misuse(*block_, key, "is read as another type than its own");
  return *field;
}

bool Fields::has(std::string_view key) const {
  if (block_->find(key) == nullptr) misuse(*block_, key, "is not in the table");
  return node_.has(key) && !node_.child(key).is_null();
}

// What was given, or the default as a document of its own; absent if there is neither.
Node Fields::value(const Field& field) const {
  if (has(field.key)) return node_.child(field.key);
  if (field.fallback.empty()) {
    if (may_be_null(field)) return {};
    node_.fail(fmt::format("missing key '{}'{}{}", field.key, field.doc.empty() ? "" : ": ", field.doc));
  }
  const Node fallback = yaml::Document::parse(field.fallback, "default of " + field.key).root();
  check(fallback, field);
  return fallback;
}

double Fields::number(std::string_view key) const { return value(field(key, Type::number, Shape::one)).number(); }
std::int64_t Fields::integer(std::string_view key) const {
  return value(field(key, Type::integer, Shape::one)).integer();
}
bool Fields::boolean(std::string_view key) const { return value(field(key, Type::boolean, Shape::one)).boolean(); }
std::string Fields::text(std::string_view key) const { return value(field(key, Type::text, Shape::one)).text(); }

Expression Fields::expression(std::string_view key) const {
  const Node node = value(field(key, Type::expression, Shape::one));
  return {node.text(), has(key) ? node : Node{}};
}

Fields Fields::block(std::string_view key) const {
  const Field& f = field(key, Type::block, Shape::one);
  if (has(key)) return below(node_.child(key), f);
  // Not given: an absent node, which still says where the block around it stands.
  return {node_.is_null() ? node_.nothing() : node_.child(key).nothing(), *f.block};
}

Fields Fields::below(const Node& node, const Field& field) const { return {node, field.block.get(), Checked{}}; }

Variant Fields::variant_of(const Node& node, const Field& field) const {
  const bool map = node.is_map();
  const std::string name = map ? node.child(field.tag).text() : node.text();
  const Choice* choice = find_choice(field, name);
  const Block& options = choice->block ? *choice->block : no_options();
  if (!map) return {name, Fields(node.nothing(), &options, Checked{})};
  return {name, Fields(node, &options, Checked{})};
}

Variant Fields::variant(std::string_view key) const {
  const Field& f = field(key, Type::variant, Shape::one);
  return variant_of(value(f), f);
}

bool Fields::is_number(std::string_view key) const {
  const Field& f = field(key, Type::variant, Shape::one);
  return stands_for_number(value(f), f);
}

Expression Fields::number_of(std::string_view key) const {
  const Node node = value(field(key, Type::variant, Shape::one));
  return {node.text(), node};
}

Node Fields::node(std::string_view key) const {
  if (block_->find(key) == nullptr) misuse(*block_, key, "is not in the table");
  return node_.is_map() ? node_.child(key) : Node{};
}

template <class T, class Read>
std::vector<T> Fields::list(std::string_view key, Type type, Read read) const {
  const Field& f = field(key, type, Shape::list);
  const Node node = value(f);
  std::vector<T> out;
  if (!node) return out;
  for (const Node& item : node.items()) out.push_back(read(item, f));
  return out;
}

template <class T, class Read>
std::vector<Named<T>> Fields::map(std::string_view key, Type type, Read read) const {
  const Field& f = field(key, type, Shape::named);
  const Node node = value(f);
  std::vector<Named<T>> out;
  if (!node) return out;
  for (const Node::Entry& entry : node.entries()) out.push_back({entry.key, read(entry.value, f)});
  return out;
}

namespace {
double read_number(const Node& node, const Field&) { return node.number(); }
std::string read_text(const Node& node, const Field&) { return node.text(); }
Expression read_expression(const Node& node, const Field&) { return {node.text(), node}; }
Node read_node(const Node& node, const Field&) { return node; }
}  // namespace

std::vector<double> Fields::numbers(std::string_view key) const { return list<double>(key, Type::number, read_number); }
std::vector<std::string> Fields::texts(std::string_view key) const {
  return list<std::string>(key, Type::text, read_text);
}
std::vector<Expression> Fields::expressions(std::string_view key) const {
  return list<Expression>(key, Type::expression, read_expression);
}
std::vector<Fields> Fields::blocks(std::string_view key) const {
  return list<Fields>(key, Type::block, [this](const Node& n, const Field& f) { return below(n, f); });
}
std::vector<Variant> Fields::variants(std::string_view key) const {
  return list<Variant>(key, Type::variant, [this](const Node& n, const Field& f) { return variant_of(n, f); });
}
std::vector<Named<double>> Fields::named_numbers(std::string_view key) const {
  return map<double>(key, Type::number, read_number);
}
std::vector<Named<Expression>> Fields::named_expressions(std::string_view key) const {
  return map<Expression>(key, Type::expression, read_expression);
}
std::vector<Named<Fields>> Fields::named_blocks(std::string_view key) const {
  return map<Fields>(key, Type::block, [this](const Node& n, const Field& f) { return below(n, f); });
}
std::vector<Named<Variant>> Fields::named_variants(std::string_view key) const {
  return map<Variant>(key, Type::variant, [this](const Node& n, const Field& f) { return variant_of(n, f); });
}
std::vector<Named<Node>> Fields::named_nodes(std::string_view key) const {
  return map<Node>(key, Type::any, read_node);
}

std::string Fields::one_of(const std::vector<std::string>& keys) const {
  std::string found;
  for (const std::string& key : keys) {
    if (!has(key)) continue;
    if (!found.empty())
      node_.child(key).fail_key(
          fmt::format("'{}' and '{}' exclude each other; accepted: one of {}", found, key, join(keys)));
    found = key;
  }
  if (found.empty()) node_.fail(fmt::format("nothing is given; accepted: one of {}", join(keys)));
  return found;
}

void Fields::fail(std::string_view key, const std::string& message) const {
  if (node_.has(key)) node_.child(key).fail(message);
  node_.fail(fmt::format("{}: {}", key, message));
}

Fields defaults(const Block& block) { return {Node{}, block}; }

}  // namespace ricochet::schema
