// From bytes to the tree: yaml-cpp's events, with everything refused that a scenario must not hold.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include "ricochet/io/yaml/tree.hpp"

namespace ricochet::yaml {
namespace {

constexpr std::size_t kMaxAliasNodes = 100'000;
constexpr std::size_t kMaxKeyLength = 200;
constexpr std::size_t kMaxDepth = 200;

std::size_t count(const Value& value) {
  std::size_t n = 1;
  for (const Value& child : value.children) n += count(child);
  return n;
}

class Builder : public YAML::EventHandler {
 public:
  Builder(const Source& source, int override_index) : source_(source), override_(override_index) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, Value{}, false); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(at(mark), "this alias refers to a value that contains it");
    alias_nodes_ += count(found->second);
    if (alias_nodes_ > kMaxAliasNodes)
      refuse(at(mark), fmt::format("the aliases of this document expand to more than {} values", kMaxAliasNodes));
    // Positions inside stay those of the anchored value: that is where the text stands.
    leaf(mark, 0, found->second, true);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(mark, tag);
    Value value;
    value.kind = Node::Kind::scalar;
    value.text = text;
    // Text over several lines is no number, with or without quotes; then the quotes mean nothing.
    value.plain = tag == "?" && text.find('\n') == std::string::npos;
    leaf(mark, anchor, std::move(value), false);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Value value;
    YAML::anchor_t anchor = 0;
    bool expects_key = false;
    std::string key;
    Position key_at;
    std::unordered_map<std::string, Position> seen;
  };

  Position at(const YAML::Mark& mark) const { return {static_cast<std::size_t>(std::max(mark.pos, 0)), override_}; }

  [[noreturn]] void refuse(Position position, const std::string& message) const {
    throw InputError(source_.where(position), message);
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(at(mark), fmt::format("the tag '{}' is not used here; accepted: plain values without tags", tag));
  }

  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Value value, bool is_alias) {
    if (!levels_.empty() && levels_.back().expects_key) return key(mark, value);
    if (!is_alias) value.at = at(mark);
    if (value.kind == Node::Kind::null && !levels_.empty() && levels_.back().value.kind == Node::Kind::map)
      value.at = levels_.back().key_at;  // "key:" with nothing behind it: the key is what can be pointed at
    if (anchor != 0) anchors_[anchor] = value;
    add(std::move(value));
  }

  void key(const YAML::Mark& mark, const Value& value) {
    Level& level = levels_.back();
    if (value.kind != Node::Kind::scalar) refuse(at(mark), "a key must be a name");
    if (value.text.size() > kMaxKeyLength)
      refuse(at(mark), fmt::format("key of {} bytes; accepted: up to {}", value.text.size(), kMaxKeyLength));
    const auto [first, is_new] = level.seen.emplace(value.text, at(mark));
    if (!is_new)
      refuse(at(mark), fmt::format("the key '{}' is given twice, first at {}; accepted: each key once", value.text,
                                   source_.where(first->second)));
    level.key = value.text;
    level.key_at = at(mark);
    level.expects_key = false;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_tag(mark, tag);
    if (!levels_.empty() && levels_.back().expects_key)
      refuse(at(mark), "a key must be a name, not a list or a map; is a bracket left open?");
    if (levels_.size() >= kMaxDepth) refuse(at(mark), fmt::format("nested deeper than {} levels", kMaxDepth));
    Level level;
    level.value.kind = kind;
    level.value.at = at(mark);
    level.anchor = anchor;
    level.expects_key = kind == Node::Kind::map;
    levels_.push_back(std::move(level));
  }

  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.anchor != 0) anchors_[level.anchor] = level.value;
    add(std::move(level.value));
  }

  void add(Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.value.kind == Node::Kind::map) {
      value.key = level.key;
      value.key_at = level.key_at;
      level.expects_key = true;
    }
    level.value.children.push_back(std::move(value));
  }

  const Source& source_;
  int override_;
  Value root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t alias_nodes_ = 0;
};

// Length of the UTF-8 sequence at `i`, 0 if it is none (overlong forms, surrogates and beyond U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) -> unsigned {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
  };
  const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
  const unsigned a = byte(i);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF && tail(i + 1)) return 2;
  if (a >= 0xE0 && a <= 0xEF && tail(i + 1) && tail(i + 2)) {
    const unsigned code = (a & 0x0FU) << 12 | (byte(i + 1) & 0x3FU) << 6 | (byte(i + 2) & 0x3FU);
    return code >= 0x800 && (code < 0xD800 || code > 0xDFFF) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4 && tail(i + 1) && tail(i + 2) && tail(i + 3)) {
    const unsigned code = (a & 0x07U) << 18 | (byte(i + 1) & 0x3FU) << 12;
    return code >= 0x10000 && code <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

void check_characters(const Source& source, const std::string& text, int override_index) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    if (length == 0 || control)
      throw InputError(source.where({i, override_index}),
                       fmt::format("byte 0x{:02X} is not text; accepted: YAML in UTF-8", c));
    i += length;
  }
}

}  // namespace

namespace {

// The first tab before the text of a line, up to the line of `offset`; npos: none.
std::size_t indenting_tab(const std::string& text, std::size_t offset) {
  for (std::size_t line = 0; line <= std::min(offset, text.size());) {
    const std::size_t begins = std::min(text.find_first_not_of(" \t", line), text.size());
    const std::size_t tab = text.find('\t', line);
    if (tab < begins) return tab;
    line = std::min(text.find('\n', begins), text.size()) + 1;
  }
  return std::string::npos;
}

}  // namespace

Value parse_text(const Source& source, const std::string& text, int override_index) {
  check_characters(source, text, override_index);
  std::istringstream stream(text);
  Builder builder(source, override_index);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    Value root = builder.take();
    Builder second(source, override_index);
    if (parser.HandleNextDocument(second))
      throw InputError(source.where({second.take().at.offset, override_index}),
                       "a second document begins here; accepted: one document per file");
    return root;
  } catch (const YAML::Exception& error) {
    const auto offset = static_cast<std::size_t>(std::max(error.mark.pos, 0));
    if (const std::size_t tab = indenting_tab(text, offset); tab != std::string::npos)
      throw InputError(source.where({tab, override_index}), "a tab indents this line; accepted: spaces");
    throw InputError(source.where({std::min(offset, text.size()), override_index}), "not valid YAML: " + error.msg);
  }
}

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Behind &anchor and !tag, to the first character of the scalar.
std::size_t skip_properties(std::string_view s, std::size_t j) {
  while (j < s.size() && (s[j] == '&' || s[j] == '!')) {
    while (j < s.size() && !blank(s[j])) ++j;
    while (j < s.size() && blank(s[j])) ++j;
  }
  return j;
}

std::size_t escape_length(std::string_view s, std::size_t j) {
  if (j + 1 >= s.size()) return 1;
  switch (s[j + 1]) {
    case 'x': return 4;
    case 'u': return 6;
    case 'U': return 10;
    default: return 2;
  }
}

}  // namespace

// Walks value and source together. Line folding turns a run of blanks with newlines into one blank, or into newlines;
// block scalars drop the indentation; quotes have their escapes.
std::size_t source_offset(std::string_view s, std::size_t at, std::string_view value, std::size_t offset) {
  std::size_t j = skip_properties(s, at);
  if (j >= s.size()) return at;
  const char style = s[j];
  const bool block = style == '|' || style == '>';
  if (block) {
    while (j < s.size() && s[j] != '\n') ++j;
    while (j < s.size() && blank(s[j])) ++j;
  } else if (style == '"' || style == '\'') {
    ++j;
  }
  for (std::size_t i = 0; i < std::min(offset, value.size()) && j < s.size();) {
    if (style == '"' && s[j] == '\\') {
      if (j + 1 < s.size() && s[j + 1] == '\n') {  // escaped line break: joins the lines without a blank
        j += 2;
        while (j < s.size() && (s[j] == ' ' || s[j] == '\t')) ++j;
        continue;
      }
      j += escape_length(s, j);
      i += std::max<std::size_t>(1, utf8_length(value, i));
    } else if (style == '\'' && s[j] == '\'') {
      j += 2;
      ++i;
    } else if (blank(value[i]) && blank(s[j])) {
      // A newline in the source swallows the indentation of what follows.
      std::size_t end = j;
      bool newline = false;
      for (; end < s.size() && blank(s[end]); ++end) newline = newline || s[end] == '\n';
      if (!newline) {
        ++j;
        ++i;
      } else {
        while (i < value.size() && blank(value[i])) ++i;
        j = end;
      }
    } else {
      ++j;
      ++i;
    }
  }
  return std::min(j, s.size());
}

}  // namespace ricochet::yaml
