#pragma once
// Inside of io/yaml/yaml: the tree that the parser builds and the overrides change.
#include <cstddef>
#include <string>
#include <vector>

#include "ricochet/io/yaml/yaml.hpp"

namespace ricochet::yaml {

struct Position {
  std::size_t offset = 0;   ///< byte in the text
  int override_index = -1;  ///< -1: the file; otherwise the override that put it there
};

struct Value {
  Node::Kind kind = Node::Kind::null;
  bool plain = true;  ///< a scalar without quotes: only these are numbers or booleans
  std::string text;
  std::string key;  ///< the name under which a map holds this value
  Position at, key_at;
  std::vector<Value> children;

  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);
};

struct Source {
  struct Override {
    std::string path, text;
    std::string option;  ///< of the command line that it stands for, "--set simulation.until" or "--until"
  };

  std::string name;                 ///< the file
  std::string original;             ///< the bytes read
  std::string text;                 ///< without byte order mark
  std::vector<Override> overrides;  ///< the values given by --set
  Value root;

  std::string where(Position position) const;
};

/// `override_index` >= 0: `text` is the value of source.overrides[override_index].
Value parse_text(const Source& source, const std::string& text, int override_index);

/// The byte of `source` (from `at` on stands the scalar with that value) that made byte `offset` of the value.
std::size_t source_offset(std::string_view source, std::size_t at, std::string_view value, std::size_t offset);

bool same(const Value& a, const Value& b);
std::string emit(const Value& root);

}  // namespace ricochet::yaml
