// ricochet reproduce: the tables and figures of the documents, computed anew and judged.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/gallery/gallery.hpp"

namespace ricochet::app {
namespace {

struct ReproduceSettings {
  std::vector<std::string> ids;
  std::string output;
  bool json = false, list = false, fast = false, verbose = false;
  int jobs = 0;
};

void list_entries(const std::vector<gallery::Judged>& all) {
  std::vector<std::vector<std::string>> rows;
  for (const gallery::Judged& j : all)
    rows.push_back({j.entry->id, j.entry->fast ? "fast" : "minutes", j.entry->title});
  fmt::print("{}", table(rows));
}

int reproduce(const ReproduceSettings& a) {
  std::vector<gallery::Judged> all = gallery::select(a.ids, a.fast);
  if (a.list) {
    list_entries(all);
    return kDone;
  }
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::size_t counts[2] = {}, differing = 0;
  gallery::compute(all, a.jobs > 0 ? a.jobs : cores, [&](const gallery::Judged& j) {
    ++counts[static_cast<std::size_t>(j.verdict())];
    if (!j.outcome.disagreements.empty()) ++differing;
    if (a.json) return;
    fmt::print("{}", gallery::to_text(j, a.verbose || !a.ids.empty()));
    std::fflush(stdout);
  });
  if (!a.output.empty()) gallery::write_pages(all, a.output);
  if (a.json)
    fmt::print("{}\n", gallery::to_json(all));
  else
    fmt::print("\n{} pass, {} fail; {} say where the document could not be reproduced, and why\n", counts[0], counts[1],
               differing);
  if (!a.json && !a.output.empty()) fmt::print("Gallery: {}/index.html\n", a.output);
  return counts[1] > 0 ? kFailed : kDone;
}

}  // namespace

std::function<int()> declare_reproduce(Arguments& arguments) {
  auto a = std::make_shared<ReproduceSettings>();
  arguments.option("id", a->ids, "entries (bruls-2014/fig-9) or documents (bruls-2014); all if left out");
  arguments.option("-o,--output", a->output, "folder for the pages of the gallery");
  arguments.flag("--list", a->list, "only say what there is");
  arguments.flag("--fast", a->fast, "only entries that take seconds");
  arguments.flag("-v,--verbose", a->verbose,
                 "every check, also of entries that pass; so it is where entries are named");
  arguments.flag("--json", a->json, "as JSON on stdout");
  arguments.option("-j,--jobs", a->jobs, "entries computed at once; all cores if left out").check(whole_number(1));
  return [a] { return reproduce(*a); };
}

}  // namespace ricochet::app
