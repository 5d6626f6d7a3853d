// ricochet export: results in other programs' formats.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ricochet/app/command.hpp"
#include "ricochet/io/export.hpp"

namespace ricochet::app {
namespace {

struct Arguments {
  std::string result, csv;
  CsvOptions options;
  bool columns = false;
};

int export_result(const Arguments& a) {
  const Results results(a.result);
  if (a.columns) {
    for (const TableColumn& c : table_columns(results)) fmt::print("{}\n", c.name);
    return kDone;
  }
  if (a.csv.empty()) throw InputError("", "no format is given; accepted: --csv FILE, or '-' for stdout");
  if (a.csv == "-") {
    write_csv(results, a.options, stdout);
    return kDone;
  }
  if (std::filesystem::is_directory(a.csv)) throw InputError(a.csv, "this is a folder; accepted: the name of a file");
  std::FILE* file = std::fopen(a.csv.c_str(), "w");
  if (file == nullptr) throw InputError(a.csv, fmt::format("cannot be written: {}", std::strerror(errno)));
  try {
    write_csv(results, a.options, file);
  } catch (...) {
    std::fclose(file);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(a.csv, ignored)) std::filesystem::remove(a.csv, ignored);
    throw;
  }
  if (std::fclose(file) != 0) throw InputError(a.csv, fmt::format("cannot be written: {}", std::strerror(errno)));
  return kDone;
}

}  // namespace

std::function<int()> declare_export(CLI::App& command) {
  auto a = std::make_shared<Arguments>();
  command.add_option("result", a->result, "what 'ricochet run' wrote")->required();
  command.add_option("--csv", a->csv, "comma-separated values into this file; '-': stdout");
  command.add_option("--columns", a->options.columns, "names separated by commas, or groups of them: t,q.x,gap,E")
      ->delimiter(',');
  command.add_flag("--list-columns", a->columns, "the names there are");
  command.add_option("--every", a->options.every, "of how many rows one is written")->check(CLI::PositiveNumber);
  return [a] { return export_result(*a); };
}

}  // namespace ricochet::app
