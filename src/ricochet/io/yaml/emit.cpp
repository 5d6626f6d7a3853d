// From the tree back to text. Scalars that were plain must stay plain and those in quotes must stay in quotes, because
// only plain ones are numbers; block style throughout, where the fewest characters are special.
#include <fmt/format.h>

#include "ricochet/io/yaml/tree.hpp"

namespace ricochet::yaml {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
          out += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + "\"";
}

bool simple_name(const std::string& key) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (key.empty() || !letter(key[0]) || key == "null" || key == "Null" || key == "NULL") return false;
  for (char c : key)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '.') return false;
  return true;
}

void write(const Value& value, std::size_t indent, std::string& out) {
  switch (value.kind) {
    case Node::Kind::absent:
    case Node::Kind::null: out += " null\n"; return;
    case Node::Kind::scalar: out += " " + (value.plain ? value.text : in_quotes(value.text)) + "\n"; return;
    case Node::Kind::list:
      if (value.children.empty()) break;
      out += '\n';
      for (const Value& child : value.children) {
        out += std::string(indent, ' ') + "-";
        write(child, indent + 2, out);
      }
      return;
    case Node::Kind::map:
      if (value.children.empty()) break;
      out += '\n';
      for (const Value& child : value.children) {
        out += std::string(indent, ' ') + (simple_name(child.key) ? child.key : in_quotes(child.key)) + ":";
        write(child, indent + 2, out);
      }
      return;
  }
  out += value.kind == Node::Kind::list ? " []\n" : " {}\n";
}

}  // namespace

std::string emit(const Value& root) {
  std::string out;
  write(root, 0, out);
  return out[0] == '\n' || out[0] == ' ' ? out.substr(1) : out;
}

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text || a.key != b.key || a.children.size() != b.children.size()) return false;
  if (a.kind == Node::Kind::scalar && a.plain != b.plain) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (!same(a.children[i], b.children[i])) return false;
  return true;
}

}  // namespace ricochet::yaml
