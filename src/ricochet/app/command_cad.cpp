// ricochet cad: the solids of a STEP file, their faces, and drawings of them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ricochet/app/command.hpp"
#include "ricochet/app/picture.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/io/cad/part_summary.hpp"
#include "ricochet/io/cad/step.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/scenario/part_files.hpp"
#include "ricochet/page/part_picture.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct CadSettings {
  std::string file, part, plot, extract;
  PartView view;
  double density = 0;
  bool json = false;
};

/// A bare name is one of the shipped parts, if there is no such file.
std::string shipped_part(const std::string& name) {
  const fs::path path(name), shipped = scenario::shipped_folder() / "parts" / (name + ".step");
  std::error_code ignored;
  const bool bare = !path.has_parent_path() && !path.has_extension() && !fs::exists(path, ignored);
  return bare && fs::exists(shipped, ignored) ? shipped.string() : name;
}

StepFile read_part(const CadSettings& a) {
  if (fs::path(a.file).extension() != ".brep") return read_step(a.file, !a.extract.empty());
  if (!a.extract.empty()) throw InputError("--extract", "this is extracted already; accepted: a STEP file");
  const brep::Part part = read_brep(a.file);
  return {"metre", {{part.name, brep_text(part)}}, {}};
}

std::string triple(const Vector3d& x, double unit) {
  std::string out;
  for (const double c : x)
    out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", std::abs(c) < 1e-12 ? 0.0 : unit * c);
  return out;
}

nlohmann::json numbers(const Vector3d& x) { return {x[0], x[1], x[2]}; }

nlohmann::json described(const brep::Part& part, double density) {
  nlohmann::json faces = nlohmann::json::array();
  for (std::size_t k = 0; k < part.faces.size(); ++k) {
    const FaceSummary s = summary(part, k);
    faces.push_back({{"name", s.name},
                     {"kind", s.kind},
                     {"size", s.size},
                     {"centre", numbers(s.centre)},
                     {"direction", numbers(s.direction)},
                     {"low", numbers(s.low)},
                     {"high", numbers(s.high)}});
  }
  nlohmann::json out{{"name", part.name},
                     {"volume", part.solid.mass},
                     {"centre", numbers(part.solid.centre)},
                     {"edges", part.edges.size()},
                     {"faces", faces}};
  if (density > 0) {
    const MassProperties m = part.solid.scaled(density);
    out["mass"] = m.mass;
    out["inertia"] = {numbers(m.inertia.row(0)), numbers(m.inertia.row(1)), numbers(m.inertia.row(2))};
  }
  return out;
}

void print(const brep::Part& part, double density) {
  fmt::print("{}: {} faces, {} edges, volume {:.6g} mm^3, centre ({}) mm\n", part.name, part.faces.size(),
             part.edges.size(), 1e9 * part.solid.mass, triple(part.solid.centre, 1e3));
  if (density > 0) {
    const Matrix3d J = density * part.solid.inertia;
    fmt::print("  mass {:.6g} kg, inertia about the centre, kg m^2: xx, yy, zz {}; yz, zx, xy {}\n",
               density * part.solid.mass, fmt::format("{:.6g}, {:.6g}, {:.6g}", J(0, 0), J(1, 1), J(2, 2)),
               fmt::format("{:.6g}, {:.6g}, {:.6g}", J(1, 2), J(2, 0), J(0, 1)));
  }
  std::vector<std::vector<std::string>> rows{{"face", "kind", "size, mm", "middle, mm", "normal or axis"}};
  for (std::size_t k = 0; k < part.faces.size(); ++k) {
    const FaceSummary s = summary(part, k);
    rows.push_back({s.name, s.kind, s.size, triple(s.centre, 1e3), s.direction.isZero() ? "" : triple(s.direction, 1)});
  }
  fmt::print("{}", table(rows, "  "));
}

int show(const CadSettings& a) {
  if (!a.plot.empty()) check_picture(a.plot);
  if (!a.extract.empty()) check_output(a.extract);
  const StepFile file = read_part(a);
  std::vector<brep::Part> parts;
  std::vector<std::string> names;
  const StepPart* chosen = nullptr;
  for (const StepPart& one : file.parts) {
    names.push_back(one.name);
    if (!a.part.empty() && one.name != a.part) continue;
    parts.push_back(parse_brep(one.text, a.file));
    chosen = &one;
  }
  if (parts.empty()) throw InputError(a.file, unknown_word("part", a.part, names));
  if (a.json) {
    nlohmann::json out{
        {"file", a.file}, {"unit", file.unit}, {"parts", nlohmann::json::array()}, {"notes", file.notes}};
    for (const brep::Part& part : parts) out["parts"].push_back(described(part, a.density));
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}: {} solid{}, drawn in {}\n", a.file, file.parts.size(), file.parts.size() == 1 ? "" : "s",
               file.unit);
    for (const std::string& note : file.notes) fmt::print("  {}\n", note);
    for (const brep::Part& part : parts) print(part, a.density);
  }
  if (!a.plot.empty()) write_picture(part_picture(parts, a.view), 2, a.plot);
  if (!a.extract.empty()) {
    if (parts.size() > 1) throw InputError("--extract", "there are several parts; --part says which: " + join(names));
    write_file(a.extract, file.parts.size() == 1 ? kept_text(a.file, file) : chosen->text);
  }
  return kDone;
}

}  // namespace

std::function<int()> declare_cad(Arguments& arguments) {
  auto a = std::make_shared<CadSettings>();
  arguments.option("file", a->file, "PART.step, extracted geometry, PART.brep, or the name of a shipped part")
      .required();
  arguments.option("--part", a->part, "one of several solids, by its name");
  arguments.option("--density", a->density, "kg/m^3, for mass and inertia").check(above_zero());
  arguments.option("--plot", a->plot, "draw it: FILE.svg, FILE.png or FILE.pdf");
  arguments.option("--view", a->view.from, join(part_views())).check({join(part_views()), [](const std::string& s) {
                                                                        return std::find(part_views().begin(),
                                                                                         part_views().end(),
                                                                                         s) != part_views().end();
                                                                      }});
  arguments.option("--extract", a->extract,
                   "write the geometry as text, PART.brep; beside PART.step it is read in its place");
  arguments.flag("--json", a->json, "machine-readable, on stdout");
  return [a] {
    a->file = shipped_part(a->file);
    return show(*a);
  };
}

}  // namespace ricochet::app
