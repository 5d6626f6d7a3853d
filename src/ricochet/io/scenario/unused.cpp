#include "ricochet/io/scenario/unused.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ricochet::scenario {
namespace {

using yaml::Node;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goes_on(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

class Search {
 public:
  void read(const Node& node) {
    if (node.is_list())
      for (const Node& item : node.items()) read(item);
    if (node.is_scalar()) read_words(node.text());
    if (!node.is_map()) return;
    for (const Node::Entry& entry : node.entries()) {
      if (entry.key == "parameters" && entry.value.is_map())
        for (const Node::Entry& parameter : entry.value.entries()) given_.emplace(parameter.key, parameter.value);
      if (entry.key != "says") read(entry.value);  // a sentence
    }
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> out;
    for (const auto& [name, node] : given_)
      if (words_.count(name) == 0)
        out.push_back(fmt::format("{}: the parameter '{}' stands in no formula", node.where_key(), name));
    return out;
  }

 private:
  /// Whatever may be a name of a formula; 2e-3 is none.
  void read_words(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i + 1;
      if (goes_on(text[i]))
        while (end < text.size() && goes_on(text[end])) ++end;
      if (begins_name(text[i])) words_.insert(text.substr(i, end - i));
      i = end;
    }
  }

  std::multimap<std::string, Node> given_;
  std::set<std::string> words_;
};

}  // namespace

std::vector<std::string> unused_parameters(const Node& root) {
  Search search;
  for (const Node::Entry& entry : root.entries())
    if (entry.key != "name" && entry.key != "description" && entry.key != "source") search.read(entry.value);
  return search.unused();
}

}  // namespace ricochet::scenario
