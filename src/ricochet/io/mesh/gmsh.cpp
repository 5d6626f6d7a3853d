#include "ricochet/io/mesh/gmsh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "ricochet/io/file/text_file.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

/// Numbers of a file, as text or as bytes.
class Source {
 public:
  Source(std::string_view data, std::string name) : data_(data), name_(std::move(name)) {}

  bool binary = false;

  [[noreturn]] void fail(const std::string& what) const {
    if (binary) throw InputError(fmt::format("{}: byte {}", name_, at_), what);
    const auto line = 1 + std::count(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InputError(fmt::format("{}:{}", name_, line), what);
  }
  [[noreturn]] void cut_off() const { fail("the file ends too early; accepted: a whole .msh file"); }

  bool at_end() {
    while (at_ < data_.size() && std::isspace(static_cast<unsigned char>(data_[at_])) != 0) ++at_;
    return at_ >= data_.size();
  }
  std::string_view word() {
    if (at_end()) cut_off();
    const std::size_t begin = at_;
    while (at_ < data_.size() && std::isspace(static_cast<unsigned char>(data_[at_])) == 0) ++at_;
    return data_.substr(begin, at_ - begin);
  }
  std::string_view line() {
    if (at_ >= data_.size()) cut_off();
    const std::size_t end = data_.find('\n', at_);
    if (end == std::string_view::npos) cut_off();
    const std::string_view out = data_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }
  void skip_to(std::string_view text) {
    const std::size_t found = data_.find(text, at_);
    if (found == std::string_view::npos) cut_off();
    at_ = found + text.size();
  }
  /// A number of a text, whatever the rest of the file is.
  template <class T>
  T written() {
    const std::string_view text = word();
    T x{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("expected a number, found '{}'", text.substr(0, 40)));
    return x;
  }
  template <class T>
  T bytes() {
    if (data_.size() - at_ < sizeof(T)) cut_off();
    T x;
    std::memcpy(&x, data_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return x;
  }
  int integer() { return binary ? bytes<int>() : written<int>(); }
  double number() {
    const double x = binary ? bytes<double>() : written<double>();
    if (!std::isfinite(x)) fail("a coordinate is not finite; accepted: numbers");
    return x;
  }
  /// Of version 4.1; what cannot be counted in the rest of the file is cut off.
  std::size_t count() {
    const std::uint64_t n = binary ? bytes<std::uint64_t>() : written<std::uint64_t>();
    if (n > data_.size() - std::min(at_, data_.size())) fail(fmt::format("{} items do not fit into the file", n));
    return static_cast<std::size_t>(n);
  }
  std::uint64_t tag() { return binary ? bytes<std::uint64_t>() : written<std::uint64_t>(); }
  /// Of version 2.2, written in any case.
  std::size_t written_count() {
    const auto n = written<std::uint64_t>();
    if (n > data_.size()) fail(fmt::format("{} items do not fit into the file", n));
    return static_cast<std::size_t>(n);
  }
  void newline() {
    if (binary && at_ < data_.size() && data_[at_] == '\n') ++at_;
  }

 private:
  std::string_view data_;
  std::string name_;
  std::size_t at_ = 0;
};

struct MshElement {
  int nodes, dim;
  const char* name;
};
const MshElement* element_type(int type) {
  static const std::map<int, MshElement> known{
      {1, {2, 1, "line2"}},      {2, {3, 2, "tri3"}},   {3, {4, 2, "quad4"}},    {4, {4, 3, "tet4"}},
      {5, {8, 3, "hex8"}},       {6, {6, 3, "prism6"}}, {7, {5, 3, "pyramid5"}}, {8, {3, 1, "line3"}},
      {9, {6, 2, "tri6"}},       {10, {9, 2, "quad9"}}, {11, {10, 3, "tet10"}},  {12, {27, 3, "hex27"}},
      {15, {1, 0, "point"}},     {16, {8, 2, "quad8"}}, {17, {20, 3, "hex20"}},  {18, {15, 3, "prism15"}},
      {19, {13, 3, "pyramid13"}}};
  const auto found = known.find(type);
  return found == known.end() ? nullptr : &found->second;
}

class MshReader {
 public:
  MshReader(std::string_view data, const std::string& name) : in_(data, name) {}

  SolidMesh read() {
    if (in_.at_end() || in_.word() != "$MeshFormat")
      in_.fail("does not begin with $MeshFormat; accepted: .msh files of Gmsh, versions 2.2 and 4.1");
    format();
    while (!in_.at_end()) section();
    if (!nodes_read_ || !elements_read_)
      in_.fail(
          fmt::format("there is no section {}; accepted: a whole .msh file", nodes_read_ ? "$Elements" : "$Nodes"));
    finish();
    return std::move(mesh_);
  }

 private:
  void format() {
    const std::string version(in_.word());
    if (version != "2.2" && version != "2" && version != "4.1")
      in_.fail(fmt::format("version {} is not read; accepted: 2.2 and 4.1 (gmsh -format msh41)", version));
    four_ = version == "4.1";
    const int type = in_.written<int>(), size = in_.written<int>();
    if (size != 8) in_.fail(fmt::format("numbers of {} bytes are not read; accepted: 8", size));
    static_cast<void>(in_.line());
    in_.binary = type == 1;
    if (in_.binary && in_.bytes<int>() != 1)
      in_.fail("the bytes are in the order of another machine; accepted: little-endian files, or ASCII");
    end("MeshFormat");
  }
  void end(const std::string& section) {
    if (in_.word() != "$End" + section) in_.fail(fmt::format("expected $End{} here", section));
  }
  void section() {
    const std::string name(in_.word());
    if (name.size() < 2 || name[0] != '$') in_.fail(fmt::format("expected a section, found '{}'", name.substr(0, 40)));
    static_cast<void>(in_.line());
    if (name == "$PhysicalNames")
      physical_names();
    else if (name == "$Entities" && four_)
      entities();
    else if (name == "$Nodes")
      four_ ? nodes_of_four() : nodes_of_two();
    else if (name == "$Elements")
      four_ ? elements_of_four() : elements_of_two();
    else
      return in_.skip_to("$End" + name.substr(1));
    end(name.substr(1));
  }

  void physical_names() {
    const std::size_t n = in_.written_count();
    for (std::size_t k = 0; k < n; ++k) {
      const int dim = in_.written<int>(), tag = in_.written<int>();
      const std::string_view rest = in_.line();
      const std::size_t from = rest.find('"'), to = rest.rfind('"');
      if (from == std::string_view::npos || to == from) in_.fail("expected the name of a group in quotes");
      names_[{dim, tag}] = std::string(rest.substr(from + 1, to - from - 1));
    }
  }

  void entities() {
    std::size_t counts[4];
    for (std::size_t& c : counts) c = in_.count();
    for (int dim = 0; dim < 4; ++dim)
      for (std::size_t k = 0; k < counts[dim]; ++k) {
        const int tag = in_.integer();
        for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) static_cast<void>(in_.number());
        const std::size_t groups = in_.count();
        for (std::size_t g = 0; g < groups; ++g) groups_[{dim, tag}].push_back(std::abs(in_.integer()));
        const std::size_t bounds = dim == 0 ? 0 : in_.count();
        for (std::size_t b = 0; b < bounds; ++b) static_cast<void>(in_.integer());
      }
    in_.newline();
  }

  void add_node(std::uint64_t tag, const Vector3d& x) {
    if (tag > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      in_.fail(fmt::format("the node number {} is too large", tag));
    if (!place_.emplace(tag, static_cast<int>(mesh_.nodes.size())).second)
      in_.fail(fmt::format("node {} is given twice", tag));
    mesh_.nodes.push_back(x);
    mesh_.numbers.push_back(static_cast<int>(tag));
  }
  Vector3d point() {
    const double x = in_.number(), y = in_.number(), z = in_.number();
    return {x, y, z};
  }
  void nodes_of_two() {
    const std::size_t n = in_.written_count();
    if (in_.binary) static_cast<void>(in_.line());
    for (std::size_t k = 0; k < n; ++k) {
      const int tag = in_.integer();
      add_node(static_cast<std::uint64_t>(tag), point());
    }
    in_.newline();
    nodes_read_ = true;
  }
  void nodes_of_four() {
    const std::size_t blocks = in_.count();
    for (int i = 0; i < 3; ++i) static_cast<void>(in_.tag());
    for (std::size_t b = 0; b < blocks; ++b) {
      const int dim = in_.integer();
      static_cast<void>(in_.integer());
      const int parametric = in_.integer();
      std::vector<std::uint64_t> tags(in_.count());
      for (auto& t : tags) t = in_.tag();
      for (const auto& t : tags) {
        add_node(t, point());
        for (int i = 0; parametric != 0 && i < dim; ++i) static_cast<void>(in_.number());
      }
    }
    in_.newline();
    nodes_read_ = true;
  }

  const MshElement& type_of(int type) const {
    const MshElement* known = element_type(type);
    if (known == nullptr)
      in_.fail(
          fmt::format("elements of type {} are unknown; accepted: hexahedra with 8 nodes (5), tetrahedra with 4 "
                      "(4) or 10 (11), and their faces, edges and corners",
                      type));
    if (known->dim == 3 && type != 4 && type != 5 && type != 11)
      in_.fail(fmt::format("elements {} (type {}) are not there; accepted: hex8, tet4, tet10", known->name, type));
    return *known;
  }
  void add_element(std::uint64_t number, int type, const MshElement& known, const std::vector<int>& groups) {
    std::array<int, 27> nodes{};
    for (int i = 0; i < known.nodes; ++i) {
      const std::uint64_t tag = four_ ? in_.tag() : static_cast<std::uint64_t>(in_.integer());
      const auto found = place_.find(tag);
      if (found == place_.end()) in_.fail(fmt::format("element {} has the node {}, which is not there", number, tag));
      nodes[static_cast<std::size_t>(i)] = found->second;
    }
    const std::span<const int> own(nodes.data(), static_cast<std::size_t>(known.nodes));
    for (const int g : groups) sets_[{known.dim, g}].insert(own.begin(), own.end());
    if (known.dim < 3) return;
    mesh_.add(type == 5   ? ElementKind::hex8
              : type == 4 ? ElementKind::tet4
                          : ElementKind::tet10,
              own, static_cast<int>(number));
  }
  void elements_of_two() {
    const std::size_t n = in_.written_count();
    if (in_.binary) static_cast<void>(in_.line());
    for (std::size_t k = 0; k < n;) {
      int number = in_.binary ? 0 : in_.integer();
      const int type = in_.integer();
      const MshElement& known = type_of(type);
      const int count = in_.binary ? in_.integer() : 1, tags = in_.integer();
      if (count < 1 || tags < 0 || tags > 1000) in_.fail("the head of an element is damaged");
      for (int i = 0; i < count; ++i, ++k) {
        if (in_.binary) number = in_.integer();
        std::vector<int> groups;
        for (int t = 0; t < tags; ++t)
          if (const int tag = in_.integer(); t == 0 && tag != 0) groups.push_back(std::abs(tag));
        add_element(static_cast<std::uint64_t>(number), type, known, groups);
      }
    }
    in_.newline();
    elements_read_ = true;
  }
  void elements_of_four() {
    const std::size_t blocks = in_.count();
    for (int i = 0; i < 3; ++i) static_cast<void>(in_.tag());
    for (std::size_t b = 0; b < blocks; ++b) {
      const int dim = in_.integer(), entity = in_.integer(), type = in_.integer();
      const MshElement& known = type_of(type);
      const std::size_t n = in_.count();
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t number = in_.tag();
        add_element(number, type, known, groups_[{dim, entity}]);
      }
    }
    in_.newline();
    elements_read_ = true;
  }

  void finish() {
    if (mesh_.elements.empty())
      in_.fail("there is no solid element; accepted: meshes with hexahedra of 8 or tetrahedra of 4 or 10 nodes");
    for (const auto& [key, nodes] : sets_) {
      const auto named = names_.find(key);
      const std::string name = named == names_.end() ? fmt::format("group{}", key.second) : named->second;
      std::vector<int>& set = mesh_.sets[name];
      set.insert(set.end(), nodes.begin(), nodes.end());
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    if (mesh_.sets.count("surface") == 0) mesh_.sets["surface"] = surface_nodes(mesh_);
    std::vector<int>& all = mesh_.sets["all"];
    all.clear();
    for (int i = 0; i < static_cast<int>(mesh_.nodes.size()); ++i) all.push_back(i);
  }

  using Entity = std::pair<int, int>;  // dimension, number
  Source in_;
  bool four_ = false, nodes_read_ = false, elements_read_ = false;
  SolidMesh mesh_;
  std::unordered_map<std::uint64_t, int> place_;
  std::map<Entity, std::string> names_;
  std::map<Entity, std::vector<int>> groups_;  // of entities
  std::map<Entity, std::set<int>> sets_;       // nodes of groups
};

}  // namespace

SolidMesh parse_gmsh(std::string_view data, const std::string& name) { return MshReader(data, name).read(); }

SolidMesh read_gmsh(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw InputError(path, "there is no such mesh; accepted: a .msh file of Gmsh, beside the scenario");
  return parse_gmsh(read_named_file(path, std::uint64_t{4} << 30, "a .msh file of Gmsh"), path);
}

}  // namespace ricochet
