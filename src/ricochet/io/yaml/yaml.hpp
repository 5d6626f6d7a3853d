#pragma once
// YAML documents that know where everything stands. Every complaint is an InputError of the form
// `file:line:column: what is wrong; what is accepted` (lines and columns from 1, columns in characters).
//
//   yaml::Document document = yaml::Document::read("ball.yaml");
//   document.set("simulation.step=1e-3");                  // what --set does
//   const yaml::Node step = document.root().child("simulation").child("step");
//   const double h = step.number();                        // a finite number, or InputError
//   if (h > 1) step.fail("step is too long; accepted: up to 1 s");
//
// A Node is cheap to copy and keeps its document alive. Duplicate keys, tags, a second document, text that is not
// UTF-8, files over 16 MiB and aliases that expand without measure are refused while reading.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/io/error.hpp"

namespace ricochet::yaml {

struct Value;   // a node of the parsed tree
struct Source;  // the texts that positions refer to

inline constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;

class Node {
 public:
  enum class Kind : std::uint8_t { absent, null, scalar, list, map };
  struct Entry;

  Node() = default;

  Kind kind() const;
  explicit operator bool() const { return kind() != Kind::absent; }
  bool is_map() const { return kind() == Kind::map; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_scalar() const { return kind() == Kind::scalar; }
  bool is_null() const { return kind() == Kind::null; }
  bool is_number() const;  ///< a plain scalar that reads as a number, NaN and infinity included

  double number() const;         ///< finite
  std::int64_t integer() const;  ///< 1000 or 1e3
  bool boolean() const;          ///< true or false
  std::string text() const;      ///< any scalar as it is written, quotes removed
  std::vector<Node> items() const;
  std::vector<Entry> entries() const;  ///< in the order of the document

  // The same with a default for what is absent.
  double number(double fallback) const { return *this ? number() : fallback; }
  std::int64_t integer(std::int64_t fallback) const { return *this ? integer() : fallback; }
  bool boolean(bool fallback) const { return *this ? boolean() : fallback; }
  std::string text(std::string_view fallback) const { return *this ? text() : std::string(fallback); }

  bool has(std::string_view key) const;
  Node child(std::string_view key) const;  ///< absent if there is no such key
  Node nothing() const;                    ///< an absent node that stands where this one stands

  /// Refuses the first key that is not in the list, suggesting the nearest.
  void accept_keys(std::span<const std::string> accepted) const;

  const std::string& path() const { return path_; }              ///< "simulation.step"; empty at the root
  std::string where() const;                                     ///< "file:line:column" or "--set path"
  std::string where_key() const;                                 ///< position of the key instead of the value
  std::string position_inside(std::size_t offset) const;         ///< of byte `offset` of text()
  std::string describe() const;                                  ///< "the text '5 kg'", "a list", ...
  [[noreturn]] void fail(const std::string& message) const;      ///< InputError here, naming the path
  [[noreturn]] void fail_key(const std::string& message) const;  ///< InputError at the key
  [[noreturn]] void fail_inside(std::size_t offset, const std::string& message) const;

 private:
  friend class Document;
  Node(std::shared_ptr<const Source> source, const Value* value, std::string path)
      : source_(std::move(source)), value_(value), path_(std::move(path)) {}
  Node inside(const Value* value, std::string_view name) const;
  std::string named(const std::string& message) const;

  std::shared_ptr<const Source> source_;
  const Value* value_ = nullptr;   // null: absent
  const Value* parent_ = nullptr;  // says where an absent node would stand
  std::string path_;
};

struct Node::Entry {
  std::string key;
  Node value;
};

class Document {
 public:
  static Document read(const std::filesystem::path& file);
  static Document parse(std::string text, std::string name);

  /// "path=value": the path is dotted, list entries are numbers from 0, the value is YAML. What is missing on the way
  /// is created as a map; a name on the way (scheme: moreau-jean) becomes {name: moreau-jean}, so that its options can
  /// be set. An option before it, "--until simulation.until=2", is what messages then speak of instead of --set. Nodes
  /// taken before the call keep the old document.
  void set(std::string_view assignment);
  /// The same of what came from a file that the document names at `where`, which messages then speak of.
  void set(std::string_view assignment, const std::string& where);

  Node root() const;
  const std::string& name() const;  ///< the file

  /// The document after overrides as YAML, which reads back as the same document; without overrides, the bytes read.
  std::string effective_text() const;

  /// Same content: kinds, keys in order, scalars with their quotes considered only where they change the meaning.
  friend bool same(const Document& a, const Document& b);

 private:
  explicit Document(std::shared_ptr<const Source> source) : source_(std::move(source)) {}
  std::shared_ptr<const Source> source_;
};

bool same(const Document& a, const Document& b);

/// The finite or infinite value of a plain decimal number that fills the whole text; false if it is none.
bool parse_number(std::string_view text, double& value);

}  // namespace ricochet::yaml
