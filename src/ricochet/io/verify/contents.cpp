#include "ricochet/io/verify/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ricochet {
namespace {

constexpr double kSame = 1e-12;                       // of the larger number: bits are equal where nothing was changed
constexpr std::size_t kPiece = std::size_t{1} << 17;  // numbers at a time

class Comparison {
 public:
  Comparison(const ContentRule& rule, Findings& findings) : rule_(rule), findings_(findings) {}

  void group(const h5::Group& a, const h5::Group& b) {
    attributes(a, b);
    const std::vector<std::string> names = common(a.names(), b.names(), a.path());
    for (const std::string& name : names) {
      const std::string path = below(a.path(), name);
      const h5::Group::Kind kind = a.kind(name);
      if (kind != b.kind(name))
        findings_.refuse(CheckKind::contents, path, "is something else than the program writes there");
      else if (kind == h5::Group::Kind::group)
        group(a.group(name), b.group(name));
      else
        dataset(a.dataset(name), b.dataset(name));
    }
  }

 private:
  using Type = h5::Dataset::Type;

  static std::string below(const std::string& path, const std::string& name) {
    return path == "/" ? path + name : path + "/" + name;
  }
  bool known(const std::string& path) const {
    for (std::size_t end = path.size(); end != 0 && end != std::string::npos; end = path.rfind('/', end - 1))
      if (rule_.unknown.contains(path.substr(0, end))) return false;
    return true;
  }
  void same(const std::string& path, const std::string& recorded, const std::string& made) {
    findings_.same(CheckKind::contents, path, recorded, made);
  }

  std::vector<std::string> common(std::vector<std::string> a, std::vector<std::string> b, const std::string& path) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<std::string> out, extra, missing;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(extra));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(missing));
    for (const std::string& name : extra)
      if (known(below(path, name)))
        findings_.refuse(CheckKind::contents, below(path, name), "is nothing that the run writes");
    for (const std::string& name : missing) findings_.refuse(CheckKind::contents, below(path, name), "is missing");
    return out;
  }

  void attributes(const h5::Object& a, const h5::Object& b) {
    for (const std::string& name : common(a.attributes(), b.attributes(), a.path())) {
      const std::string path = below(a.path(), name), form = b.form(name);
      same(path, a.form(name), form);
      if (a.form(name) != form || !known(path)) continue;
      if (form == "text")
        same(path, a.text(name), b.text(name));
      else if (form == "int64")
        whole(path, -1, a.integer(name), b.integer(name));
      else
        number(path, -1, a.number(name), b.number(name));
    }
  }

  void number(const std::string& column, std::int64_t row, double recorded, double made) {
    if (recorded == made || (std::isnan(recorded) && std::isnan(made))) recorded = made = 0;
    const double size = std::max({std::abs(recorded), std::abs(made), std::numeric_limits<double>::min()});
    findings_.compare(CheckKind::replay, column, row, recorded, made, kSame * size);
  }

  void whole(const std::string& column, std::int64_t row, std::int64_t recorded, std::int64_t made) {
    const auto x = static_cast<double>(recorded), y = static_cast<double>(made);
    if (x == y && recorded != made) findings_.refuse(CheckKind::replay, column, "is another whole number");
    findings_.compare(CheckKind::replay, column, row, x, y, 0.5);
  }

  void dataset(const h5::Dataset& a, const h5::Dataset& b) {
    attributes(a, b);
    same(a.path(), a.form(), b.form());
    if (a.form() != b.form() || !known(a.path())) return;
    if (b.type() == Type::text) {
      texts(a, b);
      return;
    }
    if (!rule_.values) return;
    if (a.rows() != b.rows())
      findings_.compare(CheckKind::replay, a.path() + " rows", -1, static_cast<double>(a.rows()),
                        static_cast<double>(b.rows()), 0.5);
    numbers(a, b);
  }

  void texts(const h5::Dataset& a, const h5::Dataset& b) {
    const auto x = a.texts(), y = b.texts();
    for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k)
      same(a.path(), k < x.size() ? x[k] : "", k < y.size() ? y[k] : "");
  }

  static std::vector<std::string> columns(const h5::Dataset& of) {
    std::vector<std::string> out(of.width(), of.path());
    if (of.width() == 1) return out;
    const auto names = of.has_attribute("names") ? nlohmann::json::parse(of.text("names")) : nlohmann::json();
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = names.size() == out.size() ? fmt::format("{}.{}", of.path(), names[k].get<std::string>())
                                          : fmt::format("{}.{}", of.path(), k);
    return out;
  }

  void numbers(const h5::Dataset& a, const h5::Dataset& b) {
    const std::vector<std::string> names = columns(b);
    const std::size_t width = names.size(), piece = std::max<std::size_t>(1, kPiece / width),
                      rows = std::min(a.rows(), b.rows());
    for (std::size_t from = 0; from < rows; from += piece) {
      const std::size_t count = std::min(piece, rows - from);
      if (b.type() == Type::integer) {
        const auto x = a.integers(from, count), y = b.integers(from, count);
        for (std::size_t k = 0; k < x.size(); ++k)
          whole(names[k % width], static_cast<std::int64_t>(from + k / width), x[k], y[k]);
      } else {
        const auto x = a.numbers(from, count), y = b.numbers(from, count);
        for (std::size_t k = 0; k < x.size(); ++k)
          number(names[k % width], static_cast<std::int64_t>(from + k / width), x[k], y[k]);
      }
    }
  }

  const ContentRule& rule_;
  Findings& findings_;
};

}  // namespace

void compare_contents(const h5::Group& recorded, const h5::Group& made, const ContentRule& rule, Findings& findings) {
  Comparison(rule, findings).group(recorded, made);
}

}  // namespace ricochet
