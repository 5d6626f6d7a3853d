#include "ricochet/app/variants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/error.hpp"
#include "ricochet/io/scenario/rivals.hpp"

namespace ricochet::app {
namespace {

// What every scheme takes: if a scheme is refused here too, what was written is wrong and not the model.
constexpr const char* kPlain = R"(
system: {formulas: {coordinates: [q], kinetic: q'^2/2, contacts: {wall: {gap: q}}}}
initial: {position: {q: 1}}
simulation: {scheme: auto, step: 0.1, until: 1}
)";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == separator)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

Variant with_scheme(const VariantArguments& a, const std::string& scheme) {
  Variant out{scheme, nullptr, ""};
  const std::string value = "simulation.scheme=" + scheme_value(scheme);
  std::vector<std::string> overrides = a.overrides();
  overrides.push_back(value);
  try {
    out.scenario = std::make_shared<const Scenario>(load_scenario(a.scenario, overrides));
  } catch (const InputError& error) {
    read_scenario(kPlain, "--schemes", {value});
    out.refused = error.message;
  }
  return out;
}

}  // namespace

std::string scheme_value(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return text;
  std::string out = "{name: " + text.substr(0, colon);
  for (const std::string& option : split(text.substr(colon + 1), ',')) {
    const std::size_t equal = option.find('=');
    if (equal == std::string::npos || equal == 0)
      throw InputError("--scheme", fmt::format("'{}' is no option; accepted: NAME:option=value,option=value", option));
    out += ", " + option.substr(0, equal) + ": " + option.substr(equal + 1);
  }
  return out + "}";
}

std::vector<std::string> split_schemes(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words)
    for (const std::string& part : split(word, ',')) {
      const bool option = part.find('=') != std::string::npos && part.find(':') == std::string::npos;
      if (option && !out.empty())
        out.back() += (out.back().find(':') == std::string::npos ? ":" : ",") + part;
      else if (!part.empty())
        out.push_back(part);
    }
  return out;
}

std::vector<std::string> VariantArguments::overrides() const {
  std::vector<std::string> out = set;
  if (!step.empty()) out.push_back("--step simulation.step=" + step);
  if (!until.empty()) out.push_back("--until simulation.until=" + until);
  return out;
}

std::vector<Variant> load_variants(const VariantArguments& a) {
  std::vector<Variant> out;
  std::vector<std::string> names;
  for (const SchemeEntry& entry : ricochet::schemes()) names.push_back(entry.info.name);
  for (const std::string& scheme : split_schemes(a.schemes)) {
    const std::string name = scheme.substr(0, scheme.find(':'));
    if (find_scheme(name) == nullptr) throw InputError("--schemes", unknown_word("scheme", name, names));
    if (std::any_of(out.begin(), out.end(), [&](const Variant& v) { return v.label == scheme; })) continue;
    out.push_back(with_scheme(a, scheme));
  }
  for (const std::string& variant : a.variants) {
    std::vector<std::string> overrides = a.overrides();
    for (const std::string& setting : split(variant, ';')) overrides.push_back(setting);
    // The end of a path says enough where the values differ.
    const std::string label =
        a.variants.size() > 1 ? variant.substr(variant.find_last_of('.', variant.find('=')) + 1) : variant;
    out.push_back({label, std::make_shared<const Scenario>(load_scenario(a.scenario, overrides)), ""});
  }
  if (out.empty()) {
    const auto own = std::make_shared<const Scenario>(load_scenario(a.scenario, a.overrides()));
    out.push_back({own->scheme, own, ""});
    for (const std::string& scheme : schemes_beside(*own)) out.push_back(with_scheme(a, scheme));
  }
  return out;
}

}  // namespace ricochet::app
