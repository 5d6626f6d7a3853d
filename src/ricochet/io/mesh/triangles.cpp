#include "ricochet/io/mesh/triangles.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "ricochet/io/file/text_file.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr const char* kAccepted = "an STL or OBJ file";

void check_count(std::uint64_t triangles, const std::string& name) {
  if (triangles > kMostTriangles)
    throw InputError(name, fmt::format("{} triangles; accepted: up to {}. Let a mesh tool reduce them, or take the "
                                       "`hull` of its corners",
                                       triangles, kMostTriangles));
}

void check_finite(const Vector3d& x, const std::string& where) {
  if (!x.allFinite()) throw InputError(where, "a coordinate is not a finite number");
}

// 80 bytes of anything, a count, and for each triangle normal, corners (as float, little end first) and two bytes.
TriangleMesh parse_binary_stl(std::string_view data, std::uint32_t count, const std::string& name) {
  check_count(count, name);
  TriangleMesh out;
  out.points.reserve(3 * std::size_t{count});
  for (std::size_t t = 0; t < count; ++t) {
    const char* at = data.data() + 84 + 50 * t + 12;
    std::array<int, 3> corners;
    for (int& corner : corners) {
      float x[3];
      std::memcpy(x, at, sizeof x);
      at += sizeof x;
      corner = static_cast<int>(out.points.size());
      out.points.emplace_back(x[0], x[1], x[2]);
      check_finite(out.points.back(), fmt::format("{}: triangle {}", name, t + 1));
    }
    out.triangles.push_back(corners);
  }
  return out;
}

/// Words of a text, line by line.
class Lines {
 public:
  Lines(std::string_view data, std::string name) : rest_(data), name_(std::move(name)) {}

  bool next() {
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
  }
  std::string_view word() {
    const std::size_t begin = std::min(line_.find_first_not_of(" \t\r"), line_.size());
    line_.remove_prefix(begin);
    const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
    const std::string_view out = line_.substr(0, end);
    line_.remove_prefix(end);
    return out;
  }
  std::string where() const { return fmt::format("{}:{}", name_, number_); }
  Vector3d point() {
    Vector3d out;
    for (double& x : out) {
      const std::string_view text = word();
      const std::size_t sign = !text.empty() && text[0] == '+' ? 1 : 0;
      const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), x);
      if (error != std::errc() || end != text.data() + text.size())
        throw InputError(where(), fmt::format("expected three numbers, found '{}'", text));
    }
    check_finite(out, where());
    return out;
  }

 private:
  std::string_view rest_, line_;
  std::string name_;
  int number_ = 0;
};

TriangleMesh parse_ascii_stl(std::string_view data, const std::string& name) {
  TriangleMesh out;
  Lines lines(data, name);
  int corners = 0;
  while (lines.next()) {
    const std::string_view word = lines.word();
    if (word == "vertex") {
      out.points.push_back(lines.point());
      ++corners;
    } else if (word == "endloop") {
      if (corners != 3) throw InputError(lines.where(), fmt::format("a facet of {} corners; accepted: 3", corners));
      const int last = static_cast<int>(out.points.size()) - 1;
      out.triangles.push_back({last - 2, last - 1, last});
      corners = 0;
    }
  }
  if (corners != 0) throw InputError(lines.where(), "the file ends within a facet; it may have been cut off");
  check_count(out.triangles.size(), name);
  return out;
}

int obj_index(std::string_view word, std::size_t points, const Lines& lines) {
  const std::string_view text = word.substr(0, word.find('/'));
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const int known = static_cast<int>(points);
  if (error != std::errc() || end != text.data() + text.size() || out == 0 || out > known || out < -known)
    throw InputError(lines.where(), fmt::format("a face names the corner '{}' of {}", word, known));
  return out > 0 ? out - 1 : known + out;
}

TriangleMesh parse_obj(std::string_view data, const std::string& name) {
  TriangleMesh out;
  Lines lines(data, name);
  std::vector<int> face;
  while (lines.next()) {
    const std::string_view kind = lines.word();
    if (kind == "v") out.points.push_back(lines.point());
    if (kind != "f") continue;
    face.clear();
    for (std::string_view word = lines.word(); !word.empty(); word = lines.word())
      face.push_back(obj_index(word, out.points.size(), lines));
    if (face.size() < 3) throw InputError(lines.where(), "a face has three corners or more");
    for (std::size_t k = 1; k + 1 < face.size(); ++k) out.triangles.push_back({face[0], face[k], face[k + 1]});
  }
  check_count(out.triangles.size(), name);
  return out;
}

}  // namespace

TriangleMesh parse_triangles(std::string_view data, const std::string& name) {
  std::uint32_t count = 0;
  if (data.size() >= 84) std::memcpy(&count, data.data() + 80, 4);
  const bool exact = data.size() >= 84 && data.size() == 84 + 50 * std::uint64_t{count};
  const std::size_t begin = data.find_first_not_of(" \t\r\n");
  const bool solid = begin != std::string_view::npos && data.substr(begin).starts_with("solid");
  const bool facets = data.find("facet") != std::string_view::npos;
  const bool text = data.find('\0') == std::string_view::npos;
  TriangleMesh out;
  if (exact)
    out = parse_binary_stl(data, count, name);
  else if (solid && facets)
    out = parse_ascii_stl(data, name);
  else if (text)
    out = parse_obj(data, name);
  else
    throw InputError(name, fmt::format("neither STL nor OBJ: as binary STL it would have {} triangles and {} bytes, "
                                       "but has {}; it may have been cut off",
                                       count, 84 + 50 * std::uint64_t{count}, data.size()));
  if (out.triangles.empty()) throw InputError(name, fmt::format("has no triangles; accepted: {}", kAccepted));
  return out;
}

TriangleMesh read_triangles(const std::string& path) {
  return parse_triangles(read_named_file(path, std::uint64_t{1} << 30, kAccepted), path);
}

}  // namespace ricochet
