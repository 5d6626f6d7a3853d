// ricochet view: results as a page with the motion, its contacts and its curves.
#include <fmt/format.h>

#include "ricochet/app/browser.hpp"
#include "ricochet/app/command.hpp"
#include "ricochet/app/interruption.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/view/export.hpp"
#include "ricochet/view/page.hpp"

namespace ricochet::app {
namespace {

struct ViewSettings {
  std::vector<std::string> results;
  std::string page;
  int frames = 2000;
  view::ServerOptions server;
  bool no_open = false;
};

int show(const ViewSettings& a) {
  if (a.results.size() > 2)
    throw InputError("", fmt::format("{} results; accepted: one, or two to compare", a.results.size()));
  if (!a.page.empty()) check_output(a.page);
  const auto source =
      std::make_shared<view::FileSource>(a.results, a.page.empty() ? 0 : static_cast<std::size_t>(a.frames));
  if (const std::string missing = view::missing_page(); !missing.empty()) throw InputError("", missing);
  if (!a.page.empty()) {
    view::write_page(a.page, *source);
    fmt::print("Page: {}\n", a.page);
    return kDone;
  }
  const Interruption interruption([]() -> std::optional<int> { return {}; });
  const view::Server server(source, a.server);
  serve_until_interrupted(server, !a.no_open);
  return kDone;
}

}  // namespace

std::function<int()> declare_view(Arguments& arguments) {
  auto a = std::make_shared<ViewSettings>();
  arguments.option("results", a->results, "one or two files that 'ricochet run' wrote; the second one as a shadow")
      .required();
  arguments.option("--export", a->page, "write one page that needs no server, and end");
  arguments.option("--frames", a->frames, "of an exported page, at most; 2000 if left out")
      .check(whole_number(2, 1'000'000));
  arguments.option("--host", a->server.host, "address to listen on; 127.0.0.1, this machine alone, if left out");
  arguments.option("--port", a->server.port, "port to listen on; one that is free if left out")
      .check(whole_number(0, 65535));
  arguments.flag("--no-open", a->no_open, "print the address and open no browser");
  return [a] { return show(*a); };
}

}  // namespace ricochet::app
