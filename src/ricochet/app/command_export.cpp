// ricochet export: results in other programs' formats.
#include <fmt/format.h>

#include <functional>

#include "ricochet/app/command.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/result/export.hpp"
#include "ricochet/io/result/joint_columns.hpp"
#include "ricochet/io/result/vtk.hpp"

namespace ricochet::app {
namespace {

struct ExportSettings {
  std::string result, csv, events, vtk;
  CsvOptions options;
  bool columns = false;
};

void into(const std::string& path, const std::function<void(std::FILE*)>& write) {
  if (path == "-") return write(stdout);
  OutputFile file(path);
  write(file.stream());
  file.commit();
}

int export_result(const ExportSettings& a) {
  const Results results(a.result);
  if (a.columns) {
    for (const NamedColumn& c : results.columns()) fmt::print("{}\n", c.name);
    const JointColumns joints(results);
    for (const NamedColumn& c : joints.columns()) fmt::print("{}\n", c.name);
    return kDone;
  }
  if (a.csv.empty() && a.events.empty() && a.vtk.empty())
    throw InputError("", "no format is given; accepted: --csv FILE, --events FILE, or '-' for stdout, --vtk FOLDER");
  if (!a.csv.empty()) into(a.csv, [&](std::FILE* file) { write_csv(results, a.options, file); });
  if (!a.events.empty()) into(a.events, [&](std::FILE* file) { write_events_csv(results, file); });
  if (!a.vtk.empty()) {
    const std::size_t times = write_vtk(results, {.every = a.options.every}, a.vtk);
    fmt::print("{} times for ParaView in {}\n", times, a.vtk);
  }
  return kDone;
}

}  // namespace

std::function<int()> declare_export(Arguments& arguments) {
  auto a = std::make_shared<ExportSettings>();
  arguments.option("result", a->result, "what 'ricochet run' wrote").required();
  arguments.option("--csv", a->csv, "comma-separated values into this file; '-': stdout");
  arguments.option("--events", a->events, "the events of a scheme that locates them into this file; '-': stdout");
  arguments.option("--vtk", a->vtk, "a folder for ParaView: deformed bodies with stresses, rigid bodies, contacts");
  arguments.option("--columns", a->options.columns, "names separated by commas, or groups of them: t,q.x,gap,E")
      .separated_by_commas();
  arguments.flag("--list-columns", a->columns, "the names there are");
  arguments.option("--every", a->options.every, "of how many rows one is written").check(whole_number(1));
  return [a] { return export_result(*a); };
}

}  // namespace ricochet::app
