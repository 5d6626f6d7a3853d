#include "ricochet/io/scenario/part_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "ricochet/io/cad/brep_text.hpp"
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

/// The text of a body's part; empty: it has none, or has it already. What is wrong in the file is told with its own
/// place, behind the place of its name here.
std::string geometry(const Node& body, const fs::path& folder) {
  if (!body.is_map()) return {};
  const Node step = body.child("step"), brep = body.child("brep");
  const bool text = brep.is_scalar() && brep.text().find('\n') != std::string::npos;
  const Node file = brep.is_scalar() ? brep : step;
  if (text || !file.is_scalar()) return {};
  const std::string path = (folder / file.text()).string();
  try {
    if (!brep.is_scalar()) return read_step_part(path, body.child("part").text(""));
    return brep_text(read_brep(path));
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

}  // namespace

void embed_parts(Document& document) {
  const fs::path folder = fs::path(document.name()).parent_path();
  const auto embed = [&](const Node& holder, const std::string& path) {
    if (!holder.is_map() || !holder.child("bodies").is_map()) return;
    for (const auto& [name, body] : holder.child("bodies").entries())
      if (const std::string text = geometry(body, folder); !text.empty())
        document.set(fmt::format("{}.bodies.{}.brep={}", path, name, quoted(text)),
                     body.child(body.has("brep") ? "brep" : "step").where());
  };
  const Node system = document.root().is_map() ? document.root().child("system") : Node{};
  embed(system, "system");
  if (!system.is_map() || !system.child("parts").is_map()) return;
  for (const auto& [name, part] : system.child("parts").entries()) embed(part, "system.parts." + name);
}

}  // namespace ricochet::scenario
