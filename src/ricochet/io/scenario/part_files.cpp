#include "ricochet/io/scenario/part_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "ricochet/io/cad/step.hpp"

namespace ricochet::scenario {
namespace {

namespace fs = std::filesystem;
using yaml::Document;
using yaml::Node;

/// As YAML within double quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// What is wrong in the file is told with its own place, behind the place of its name here.
std::string geometry(const Node& body, const fs::path& folder) {
  const Node step = body.child("step");
  try {
    return read_step_part((folder / step.text()).string(), body.child("part").text(""));
  } catch (const InputError& error) {
    step.fail(error.what());
  }
}

}  // namespace

void embed_step_parts(Document& document) {
  const fs::path folder = fs::path(document.name()).parent_path();
  const auto embed = [&](const Node& holder, const std::string& path) {
    if (!holder.is_map() || !holder.child("bodies").is_map()) return;
    for (const auto& [name, body] : holder.child("bodies").entries())
      if (body.is_map() && body.child("step").is_scalar() && !body.has("brep"))
        document.set(fmt::format("{}.bodies.{}.brep={}", path, name, quoted(geometry(body, folder))));
  };
  const Node system = document.root().is_map() ? document.root().child("system") : Node{};
  embed(system, "system");
  if (!system.is_map() || !system.child("parts").is_map()) return;
  for (const auto& [name, part] : system.child("parts").entries()) embed(part, "system.parts." + name);
}

}  // namespace ricochet::scenario
