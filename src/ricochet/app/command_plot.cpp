// ricochet plot: one figure of a result as a file.
#include <fmt/format.h>

#include "ricochet/app/command.hpp"
#include "ricochet/app/picture.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/page/plots.hpp"

namespace ricochet::app {
namespace {

struct PlotSettings {
  std::string result, what = "energy", output, title;
  PlotOptions options;
  int width = 0, height = 0;
  double scale = 3;
  bool list = false, no_title = false;
};

int plot(const PlotSettings& a) {
  if (a.list) {
    std::vector<std::vector<std::string>> rows{{"plot", "shows"}};
    for (const PlotKind& k : plot_kinds()) rows.push_back({k.name, k.summary});
    fmt::print("{}", table(rows, ""));
    return kDone;
  }
  if (a.result.empty())
    throw InputError("", "no result is given; accepted: 'ricochet plot RESULT --what energy -o energy.svg'");
  const std::string file = a.output.empty() ? a.what + ".svg" : a.output;
  check_picture(file);
  const Results results(a.result);
  auto made = ResultPlots(results, a.options).make(a.what);
  if (!made) throw InputError(a.result, fmt::format("there is nothing to show as '{}' in this result", a.what));
  svg::Plot& figure = made->plot;
  figure.zoom = false;
  figure.tooltips = false;
  if (!a.title.empty()) figure.title = a.title;
  if (a.no_title) figure.title.clear();
  if (a.width > 0) figure.width = a.width;
  if (a.height > 0) figure.height = a.height;
  write_picture(svg::render(figure), a.scale, file);
  fmt::print("Plot: {}\n", file);
  return kDone;
}

}  // namespace

std::function<int()> declare_plot(Arguments& arguments) {
  auto a = std::make_shared<PlotSettings>();
  arguments.option("result", a->result, "what 'ricochet run' wrote");
  arguments.option("--what", a->what, "energy, gaps, phase, ...; --list names them");
  arguments.option("-o,--output", a->output, "FILE.svg, FILE.png or FILE.pdf; WHAT.svg in this folder if left out");
  arguments.option("--of", a->options.names, "coordinates or constraints, names separated by commas")
      .separated_by_commas();
  arguments.option("--from", a->options.from, "time in seconds from which on").check(number_between(-1e300, 1e300));
  arguments.option("--to", a->options.to, "and up to which").check(number_between(-1e300, 1e300));
  arguments.option("--width", a->width, "of the figure in its units, 1/96 inch").check(whole_number(120, 10000));
  arguments.option("--height", a->height, "of the figure").check(whole_number(100, 10000));
  arguments.option("--scale", a->scale, "pixels of a PNG for each unit").check(number_between(0.1, 20));
  arguments.option("--title", a->title, "another title");
  arguments.flag("--no-title", a->no_title, "none, as in a paper with a caption");
  arguments.flag("--list", a->list, "what can be shown");
  return [a] { return plot(*a); };
}

}  // namespace ricochet::app
