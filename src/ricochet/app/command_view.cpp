// ricochet view: results as a page with the motion, its contacts and its curves.
#include <fmt/format.h>

#include "ricochet/app/command.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/view/export.hpp"
#include "ricochet/view/page.hpp"

namespace ricochet::app {
namespace {

struct Settings {
  std::vector<std::string> results;
  std::string page;
  int frames = 2000;
};

using Views = std::vector<std::unique_ptr<view::ResultView>>;

Views open_results(const Settings& a, std::size_t most_frames) {
  if (a.results.size() > 2)
    throw InputError("", fmt::format("{} results; accepted: one, or two to compare", a.results.size()));
  Views out;
  for (const std::string& file : a.results) out.push_back(std::make_unique<view::ResultView>(file, most_frames));
  return out;
}

int show(const Settings& a) {
  if (const std::string missing = view::missing_page(); !missing.empty()) throw InputError("", missing);
  check_output(a.page);
  view::write_page(a.page, open_results(a, static_cast<std::size_t>(a.frames)));
  fmt::print("Page: {}\n", a.page);
  return kDone;
}

}  // namespace

std::function<int()> declare_view(Arguments& arguments) {
  auto a = std::make_shared<Settings>();
  arguments.option("results", a->results, "one or two files that 'ricochet run' wrote; the second one as a shadow")
      .required();
  arguments.option("--export", a->page, "write one page that needs no server, and end").required();
  arguments.option("--frames", a->frames, "of an exported page, at most; 2000 if left out")
      .check(whole_number(2, 1'000'000));
  return [a] { return show(*a); };
}

}  // namespace ricochet::app
