#include "ricochet/io/yaml/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "ricochet/io/file/text_file.hpp"
#include "ricochet/io/yaml/tree.hpp"

namespace ricochet::yaml {
namespace {

namespace fs = std::filesystem;

// What is quoted back to the user stays on one line and short.
std::string excerpt(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (out.size() > 60 && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) return out + "...";
    out += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string missing_file(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) return fmt::format("there is no folder '{}'", folder.string());
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, ignored), end; it != end && names.size() < 10'000; it.increment(ignored))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  std::string out = "there is no such file";
  // Up to three suggestions, nearest first.
  for (int k = 0; k < 3; ++k) {
    const std::string near = nearest(file.filename().string(), names);
    if (near.empty()) break;
    std::erase(names, near);
    const std::string shown = file.has_parent_path() ? (folder / near).string() : near;
    out += fmt::format("{} '{}'", k == 0 ? "; similar:" : ",", shown);
  }
  return out;
}

std::string read_bytes(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(fs::status(file, error))) throw InputError(file.string(), missing_file(file));
  return read_text_file(file, kMaxFileSize, "a YAML file");
}

std::vector<std::string> split_path(std::string_view path, const std::string& where) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('.', from), path.size());
    if (to == from) throw InputError(where, "a part of the path is empty; accepted: --set name.name=value");
    parts.emplace_back(path.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

Value* list_entry(Value& list, const std::string& part, const std::string& where) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size() || index >= list.children.size())
    throw InputError(where, fmt::format("'{}' is no entry of this list; accepted: {}", part,
                                        list.children.empty() ? "none, it is empty"
                                                              : fmt::format("0 to {}", list.children.size() - 1)));
  return &list.children[index];
}

// A name that takes options, "scheme: moreau-jean", is short for "scheme: {name: moreau-jean}".
void expand_name(Value& value, Position at) {
  Value name = value;
  name.key = "name";
  name.key_at = at;
  value.kind = Node::Kind::map;
  value.text.clear();
  value.children = {std::move(name)};
}

// The child `part` of `parent`, made if it is not there.
Value* step_into(Value& parent, const std::string& part, Position at, const std::string& where) {
  double ignored = 0;
  if (parent.kind == Node::Kind::list) return list_entry(parent, part, where);
  if (parent.kind == Node::Kind::null) {
    parent.kind = Node::Kind::map;
    parent.at = at;
  } else if (parent.kind == Node::Kind::scalar) {
    if (!parent.plain || parse_number(parent.text, ignored) || parent.text.find(' ') != std::string::npos)
      throw InputError(where, fmt::format("'{}' cannot be set inside '{}'; accepted: the path to a value", part,
                                          excerpt(parent.text)));
    expand_name(parent, at);
  }
  if (Value* found = parent.find(part)) return found;
  Value fresh;
  fresh.key = part;
  fresh.at = fresh.key_at = at;
  parent.children.push_back(std::move(fresh));
  return &parent.children.back();
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  // A fraction of two numbers is one.
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    double divisor = 0;
    if (text.find('/', slash + 1) != std::string_view::npos || !parse_number(text.substr(0, slash), value) ||
        !parse_number(text.substr(slash + 1), divisor))
      return false;
    value /= divisor;
    return true;
  }
  const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  if (digits == ".inf" || digits == ".Inf" || digits == ".INF" || digits == ".nan" || digits == ".NaN" ||
      digits == ".NAN") {
    value = digits[1] == 'i' || digits[1] == 'I' ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  // from_chars would also read "inf" and "nan", which are words here.
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    value = std::numeric_limits<double>::infinity();
  else if (error != std::errc())
    return false;
  if (end != digits.data() + digits.size()) return false;
  if (sign == 1 && text[0] == '-') value = -value;
  return true;
}

const Value* Value::find(std::string_view name) const {
  if (kind != Node::Kind::map) return nullptr;
  const auto found = std::find_if(children.begin(), children.end(), [&](const Value& v) { return v.key == name; });
  return found == children.end() ? nullptr : &*found;
}

Value* Value::find(std::string_view name) { return const_cast<Value*>(std::as_const(*this).find(name)); }

std::string Source::where(Position position) const {
  if (position.override_index >= 0) return overrides[static_cast<std::size_t>(position.override_index)].option;
  const std::size_t offset = std::min(position.offset, text.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const std::size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
  const auto column = std::count_if(text.begin() + static_cast<std::ptrdiff_t>(start),
                                    text.begin() + static_cast<std::ptrdiff_t>(offset),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return fmt::format("{}:{}:{}", name, line + 1, column + 1);
}

Node::Kind Node::kind() const { return value_ == nullptr ? Kind::absent : value_->kind; }

bool Node::is_number() const {
  double ignored = 0;
  return is_scalar() && value_->plain && parse_number(value_->text, ignored);
}

double Node::number() const {
  double value = 0;
  if (is_scalar() && !value_->plain && parse_number(value_->text, value))
    fail(fmt::format("expected a number, found the text '{0}' in quotes; accepted: {0} without quotes", value_->text));
  if (!is_number()) fail(fmt::format("expected a number in SI units, found {}", describe()));
  parse_number(value_->text, value);
  if (!std::isfinite(value))
    fail(fmt::format("expected a finite number, found {}; accepted: what fits double precision", value_->text));
  return value;
}

std::int64_t Node::integer() const {
  if (!is_number()) fail(fmt::format("expected a whole number, found {}", describe()));
  std::int64_t value = 0;
  const std::string& text = value_->text;
  const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  const double real = number();
  if (real != std::floor(real) || std::abs(real) > 9007199254740992.0)
    fail(fmt::format("expected a whole number, found {}; accepted: {:.0f} or {:.0f}, say", text, std::floor(real),
                     std::ceil(real)));
  return static_cast<std::int64_t>(real);
}

bool Node::boolean() const {
  if (is_scalar() && value_->plain) {
    const std::string& text = value_->text;
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
  }
  fail(fmt::format("expected true or false, found {}", describe()));
}

std::string Node::text() const {
  if (!is_scalar()) fail(fmt::format("expected text, found {}", describe()));
  return value_->text;
}

Node Node::inside(const Value* value, std::string_view name) const {
  Node node(source_, value, joined(path_, name));
  node.parent_ = value_;
  return node;
}

std::vector<Node> Node::items() const {
  if (!is_list()) fail(fmt::format("expected a list [a, b, ...], found {}", describe()));
  std::vector<Node> out;
  out.reserve(value_->children.size());
  for (const Value& child : value_->children) out.push_back(inside(&child, std::to_string(out.size())));
  return out;
}

std::vector<Node::Entry> Node::entries() const {
  if (!is_map()) fail(fmt::format("expected a map {{key: value}}, found {}", describe()));
  std::vector<Entry> out;
  out.reserve(value_->children.size());
  for (const Value& child : value_->children) out.push_back({child.key, inside(&child, child.key)});
  return out;
}

bool Node::has(std::string_view key) const { return value_ != nullptr && value_->find(key) != nullptr; }

Node Node::child(std::string_view key) const {
  if (!is_map() && *this) fail(fmt::format("expected a map {{key: value}}, found {}", describe()));
  Node node = inside(value_ == nullptr ? nullptr : value_->find(key), key);
  if (value_ == nullptr) node.parent_ = parent_;
  return node;
}

Node Node::nothing() const {
  Node node = *this;
  if (value_ != nullptr) node.parent_ = value_;
  node.value_ = nullptr;
  return node;
}

void Node::accept_keys(std::span<const std::string> accepted) const {
  for (const Entry& entry : entries()) {
    if (std::find(accepted.begin(), accepted.end(), entry.key) == accepted.end())
      throw InputError(entry.value.where_key(), named(unknown_word("key", entry.key, accepted)));
  }
}

std::string Node::where() const {
  if (source_ == nullptr) return {};
  const Value* value = value_ != nullptr ? value_ : parent_;
  return value != nullptr ? source_->where(value->at) : source_->name;
}

std::string Node::where_key() const {
  if (source_ == nullptr || value_ == nullptr || value_->key.empty()) return where();
  return source_->where(value_->key_at);
}

std::string Node::position_inside(std::size_t offset) const {
  if (!is_scalar()) return where();
  const int k = value_->at.override_index;
  if (k >= 0) return fmt::format("{}, character {}", where(), offset + 1);
  return source_->where({source_offset(source_->text, value_->at.offset, value_->text, offset), -1});
}

std::string Node::describe() const {
  switch (kind()) {
    case Kind::absent: return "nothing";
    case Kind::null: return "nothing";
    case Kind::list: return "a list";
    case Kind::map: return "a map";
    case Kind::scalar: break;
  }
  return is_number() ? "the number " + value_->text : fmt::format("the text '{}'", excerpt(value_->text));
}

std::string Node::named(const std::string& message) const {
  return path_.empty() ? message : fmt::format("{}: {}", path_, message);
}

void Node::fail(const std::string& message) const { throw InputError(where(), named(message)); }
void Node::fail_key(const std::string& message) const { throw InputError(where_key(), named(message)); }
void Node::fail_inside(std::size_t offset, const std::string& message) const {
  throw InputError(position_inside(offset), named(message));
}

Document Document::read(const std::filesystem::path& file) { return parse(read_bytes(file), file.string()); }

Document Document::parse(std::string text, std::string name) {
  auto source = std::make_shared<Source>();
  source->name = std::move(name);
  source->original = std::move(text);
  source->text = source->original;
  if (source->text.size() > kMaxFileSize)
    throw InputError(source->name, fmt::format("the text is too long; accepted: up to {} MiB", kMaxFileSize >> 20));
  if (source->text.starts_with("\xEF\xBB\xBF")) source->text.erase(0, 3);
  source->root = parse_text(*source, source->text, -1);
  if (source->root.kind == Node::Kind::null)
    throw InputError(source->name, "the file is empty; accepted: a YAML document");
  return Document(std::move(source));
}

void Document::set(std::string_view assignment) {
  std::string option;
  if (const std::size_t blank = assignment.find(' '); assignment.starts_with("--") && blank != std::string_view::npos) {
    option = assignment.substr(0, blank);
    assignment.remove_prefix(blank + 1);
  }
  const std::size_t equals = assignment.find('=');
  const std::string path(assignment.substr(0, std::min(equals, assignment.size())));
  if (equals == std::string_view::npos || path.empty())
    throw InputError("--set " + std::string(assignment), "expected path=value, as in simulation.step=1e-3");
  set(assignment, option.empty() ? "--set " + path : option);
}

void Document::set(std::string_view assignment, const std::string& where) {
  const std::size_t equals = assignment.find('=');
  const std::string path(assignment.substr(0, equals));
  // Changes are made in a copy: nodes handed out before stay valid, and a failure leaves nothing half done.
  auto changed = std::make_shared<Source>(*source_);
  const Position at{0, static_cast<int>(changed->overrides.size())};
  changed->overrides.push_back({path, std::string(assignment.substr(equals + 1)), where});
  Value value = parse_text(*changed, changed->overrides.back().text, at.override_index);
  Value* target = &changed->root;
  for (const std::string& part : split_path(path, where)) target = step_into(*target, part, at, where);
  value.key = target->key;
  value.key_at = at;
  if (value.kind == Node::Kind::null) value.at = at;
  *target = std::move(value);
  source_ = std::move(changed);
}

Node Document::root() const { return {source_, &source_->root, {}}; }
const std::string& Document::name() const { return source_->name; }

std::string Document::effective_text() const {
  if (source_->overrides.empty()) return source_->original;
  std::string out = fmt::format("# {} with", excerpt(source_->name));
  for (const Source::Override& change : source_->overrides)
    out += fmt::format(" --set {}", excerpt(change.path + "=" + change.text));
  return out + "\n" + emit(source_->root);
}

bool same(const Document& a, const Document& b) { return same(a.source_->root, b.source_->root); }

}  // namespace ricochet::yaml
