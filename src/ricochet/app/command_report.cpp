// ricochet report: a result as one HTML page.
#include <fmt/format.h>

#include <filesystem>

#include "ricochet/app/command.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/page/result_page.hpp"

namespace ricochet::app {

void write_report(const std::string& result, const std::string& page) {
  check_output(page);
  result_page(Results(result)).write(page);
}

std::function<int()> declare_report(Arguments& arguments) {
  struct Settings {
    std::string result, output;
  };
  auto a = std::make_shared<Settings>();
  arguments.option("result", a->result, "what 'ricochet run' wrote").required();
  arguments.option("-o,--output", a->output, "the page; NAME.html in this folder if left out");
  return [a] {
    const std::string page = a->output.empty() ? std::filesystem::path(a->result).stem().string() + ".html" : a->output;
    write_report(a->result, page);
    fmt::print("Report: {}\n", page);
    return kDone;
  };
}

}  // namespace ricochet::app
