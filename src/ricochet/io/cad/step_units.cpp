// Units of a STEP file. Its geometry stands in representations; each has a context, which names its units.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "ricochet/io/cad/step_text.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr const char* kAcceptedLengths =
    "accepted: SI_UNIT of METRE with a prefix ($, MILLI, CENTI, ...), or CONVERSION_BASED_UNIT ('INCH', 'FOOT', ...) "
    "with its LENGTH_MEASURE_WITH_UNIT in such a unit";
constexpr const char* kAcceptedAngles =
    "accepted: SI_UNIT($,.RADIAN.), or CONVERSION_BASED_UNIT ('DEGREE', ...) with its PLANE_ANGLE_MEASURE_WITH_UNIT in "
    "it";

struct Prefix {
  const char* name;
  double size;
};
constexpr std::array<Prefix, 17> kPrefixes{{{"$", 1},
                                            {".EXA.", 1e18},
                                            {".PETA.", 1e15},
                                            {".TERA.", 1e12},
                                            {".GIGA.", 1e9},
                                            {".MEGA.", 1e6},
                                            {".KILO.", 1e3},
                                            {".HECTO.", 1e2},
                                            {".DECA.", 1e1},
                                            {".DECI.", 1e-1},
                                            {".CENTI.", 1e-2},
                                            {".MILLI.", 1e-3},
                                            {".MICRO.", 1e-6},
                                            {".NANO.", 1e-9},
                                            {".PICO.", 1e-12},
                                            {".FEMTO.", 1e-15},
                                            {".ATTO.", 1e-18}}};

struct Named {
  const char* name;
  double size;
};
constexpr std::array<Named, 9> kLengths{{{"INCH", 0.0254},
                                         {"FOOT", 0.3048},
                                         {"YARD", 0.9144},
                                         {"MILE", 1609.344},
                                         {"METRE", 1},
                                         {"METER", 1},
                                         {"CENTIMETRE", 1e-2},
                                         {"MILLIMETRE", 1e-3},
                                         {"MILLIMETER", 1e-3}}};
constexpr std::array<Named, 2> kAngles{{{"DEGREE", 0.017453292519943295}, {"RADIAN", 1}}};

/// TYPE(parameter, ...), one of the several that a thing may be.
struct Record {
  std::string type;
  std::vector<std::string> parameters;
};

/// Without blanks and comments, in capitals, texts as they are.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') {
      const std::size_t end = std::min(text.find('\'', at + 1), text.size() - 1);
      out += text.substr(at, end - at + 1);
      at = end;
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 1;
    } else if (static_cast<unsigned char>(text[at]) > ' ') {
      out += static_cast<char>(std::toupper(static_cast<unsigned char>(text[at])));
    }
  }
  return out;
}

/// Behind the parameter that begins at `at`: at its comma or at the parenthesis that ends them all.
std::size_t behind(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (int depth = 0; at < text.size(); ++at) {
    if (text[at] == '\'') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && (text[at] == ',' || text[at] == ')')) break;
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  }
  return at;
}

std::vector<Record> records(std::string_view body) {
  const std::string text = plain(body);
  std::vector<Record> out;
  for (std::size_t at = text.starts_with("(") ? 1 : 0; at < text.size();) {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) break;
    Record r{text.substr(at, open - at), {}};
    for (at = open; at < text.size() && (at == open || text[at] == ',');) {
      const std::size_t end = behind(text, at + 1);
      r.parameters.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    ++at;
    out.push_back(std::move(r));
  }
  return out;
}

const Record* find(const std::vector<Record>& all, const std::string& type) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Record& r) { return r.type == type; });
  return found == all.end() ? nullptr : &*found;
}

/// Numbers behind each #.
std::vector<std::int64_t> references(std::string_view text) {
  std::vector<std::int64_t> out;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    std::int64_t number = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    out.push_back(number);
  }
  return out;
}

class Units {
 public:
  Units(const StepText& file, const std::map<std::int64_t, std::string>& told) : file_(file) {
    for (const auto& [number, body] : told) all_.emplace(number, records(body));
  }

  std::vector<StepText::Unit> all() {
    std::set<std::int64_t> seen;
    std::vector<StepText::Unit> out;
    for (const auto& [number, is] : all_) {
      bool shape = false;
      const Record* holds = find(is, "REPRESENTATION");
      for (const Record& r : is)
        if (r.type.ends_with("SHAPE_REPRESENTATION")) {
          shape = true;
          if (r.parameters.size() >= 3) holds = &r;
        }
      if (!shape || holds == nullptr || holds->parameters.size() < 3) continue;
      const std::vector<std::int64_t> context = references(holds->parameters[2]);
      if (context.size() == 1 && seen.insert(context[0]).second) of_context(context[0], out);
    }
    return out;
  }

 private:
  [[noreturn]] void fail(std::int64_t number, const std::string& what, const char* accepted) const {
    throw InputError(file_.where(number), fmt::format("{}; {}", what, accepted));
  }
  const std::vector<Record>& at(std::int64_t number) const {
    static const std::vector<Record> kNone;
    const auto found = all_.find(number);
    return found == all_.end() ? kNone : found->second;
  }

  void of_context(std::int64_t number, std::vector<StepText::Unit>& out) const {
    const Record* units = find(at(number), "GLOBAL_UNIT_ASSIGNED_CONTEXT");
    if (units == nullptr || units->parameters.empty())
      fail(number, "the geometry of this context has no units (GLOBAL_UNIT_ASSIGNED_CONTEXT)", kAcceptedLengths);
    int lengths = 0;
    for (const std::int64_t unit : references(units->parameters[0])) {
      if (find(at(unit), "LENGTH_UNIT") != nullptr) {
        ++lengths;
        out.push_back(
            {unit, size(unit, ".METRE.", "length", kLengths.data(), kLengths.size(), kAcceptedLengths), false});
      }
      if (find(at(unit), "PLANE_ANGLE_UNIT") != nullptr)
        out.push_back({unit, size(unit, ".RADIAN.", "angle", kAngles.data(), kAngles.size(), kAcceptedAngles), true});
    }
    if (lengths != 1)
      fail(number,
           fmt::format("the units of this context hold {} of length (LENGTH_UNIT)", lengths == 0 ? "none" : "several"),
           kAcceptedLengths);
  }

  /// In metres or rad.
  double size(std::int64_t number, const std::string& base, const char* of, const Named* known, std::size_t count,
              const char* accepted) const {
    if (const Record* si = find(at(number), "SI_UNIT"); si != nullptr) return si_size(number, *si, base, of, accepted);
    const Record* other = find(at(number), "CONVERSION_BASED_UNIT");
    if (other == nullptr || other->parameters.size() != 2)
      fail(number, fmt::format("this unit of {} says nothing of its size", of), accepted);
    const std::vector<std::int64_t> measure = references(other->parameters[1]);
    std::optional<double> size;
    if (measure.size() == 1)
      for (const Record& r : at(measure[0]))
        if (r.type.ends_with("MEASURE_WITH_UNIT") && r.parameters.size() == 2)
          if (const std::vector<std::int64_t> in = references(r.parameters[1]); in.size() == 1)
            if (const Record* si = find(at(in[0]), "SI_UNIT"); si != nullptr)
              size = value(r.parameters[0]) * si_size(in[0], *si, base, of, accepted);
    std::string name = other->parameters[0];  // a text, in whatever letters
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (!size.has_value() || !(*size > 0) || !std::isfinite(*size))
      fail(number, fmt::format("the unit of {} {} says nothing of its size", of, name), accepted);
    for (std::size_t k = 0; k < count; ++k)
      if (name == fmt::format("'{}'", known[k].name) && !(std::abs(*size / known[k].size - 1) < 1e-4))
        fail(number, fmt::format("the unit of {} {} has the size {:.9g}, not {:.9g}", of, name, *size, known[k].size),
             accepted);
    return *size;
  }

  double si_size(std::int64_t number, const Record& si, const std::string& base, const char* of,
                 const char* accepted) const {
    if (si.parameters.size() != 2)
      fail(number, fmt::format("a unit of {} with {} words", of, si.parameters.size()), accepted);
    const auto prefix =
        std::find_if(kPrefixes.begin(), kPrefixes.end(), [&](const Prefix& p) { return si.parameters[0] == p.name; });
    if (si.parameters[1] != base || prefix == kPrefixes.end())
      fail(number, fmt::format("SI_UNIT({},{}) is no unit of {}", si.parameters[0], si.parameters[1], of), accepted);
    return prefix->size;
  }

  /// 25.4, or LENGTH_MEASURE(25.4); 0 if it is neither.
  static double value(const std::string& text) {
    const std::size_t open = text.find('(');
    std::size_t begin = open == std::string::npos ? 0 : open + 1;
    if (begin < text.size() && text[begin] == '+') ++begin;
    double out = 0;
    std::from_chars(text.data() + begin, text.data() + text.size(), out);
    return out;
  }

  const StepText& file_;
  std::map<std::int64_t, std::vector<Record>> all_;
};

}  // namespace

void StepText::check_solids() const {
  std::int64_t sheet = 0;
  for (const auto& [number, body] : told_)
    for (const Record& r : records(body)) {
      if (r.type.ends_with("_BREP") || r.type == "BREP_WITH_VOIDS") return;
      if (r.type == "SHELL_BASED_SURFACE_MODEL" && sheet == 0) sheet = number;
    }
  if (sheet != 0)
    throw InputError(where(sheet), "it is a sheet: there is no solid in the file; accepted: closed solids");
}

std::vector<StepText::Unit> StepText::units() const { return Units(*this, told_).all(); }

}  // namespace ricochet
