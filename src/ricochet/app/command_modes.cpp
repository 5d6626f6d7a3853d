// ricochet modes: eigenfrequencies of a scenario, linearised where it begins.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "ricochet/app/command.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/scenario/drawing.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/page/svg.hpp"
#include "ricochet/sim/modes.hpp"

namespace ricochet::app {
namespace {

struct ModesSettings {
  std::string scenario, plot;
  std::vector<std::string> set;
  int count = 10;
  bool json = false;
};

double frequency(double square) { return (square < 0 ? -1 : 1) * std::sqrt(std::abs(square)) / (2 * std::numbers::pi); }

/// The largest displacement of each node along the direction in which the mode moves most, over the place along the
/// longest extent of the body.
void add_shape(const FlexibleReading& f, const VectorXd& shape, svg::Series& out) {
  const FlexibleBody& body = *f.body;
  const SolidMesh& mesh = body.mesh();
  Vector3d low = mesh.nodes.front(), high = low, moves = Vector3d::Zero();
  const ConstView own(shape.data() + f.first_v, body.nv());
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
    low = low.cwiseMin(mesh.nodes[static_cast<std::size_t>(n)]);
    high = high.cwiseMax(mesh.nodes[static_cast<std::size_t>(n)]);
    moves = moves.cwiseMax(body.displacement(n, own).cwiseAbs());
  }
  Index along = 0, across = 0;
  (high - low).maxCoeff(&along);
  const double largest = moves.maxCoeff(&across);
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
    out.x.push_back(mesh.nodes[static_cast<std::size_t>(n)][along]);
    out.y.push_back(largest > 0 ? body.displacement(n, own)[across] / largest : 0);
  }
  out.style = mesh.elements.empty() ? svg::Style::line : svg::Style::points;
}

void plot_shapes(const Scenario& s, const Modes& modes, const std::string& path) {
  svg::Plot plot{.title = "Shapes of modes: " + s.name, .y = {.label = "displacement, relative"}};
  const bool flexible = !s.drawing->flexible.empty();
  plot.x = flexible ? svg::Axis{.label = "place along the body", .unit = "m"} : svg::Axis{.label = "coordinate"};
  constexpr Index kDrawn = 6;
  for (Index k = 0; k < std::min(kDrawn, modes.shapes.cols()); ++k) {
    const VectorXd shape = modes.shapes.col(k);
    svg::Series series{.name = fmt::format("{:.4g} Hz", frequency(modes.squares[k]))};
    for (const FlexibleReading& f : s.drawing->flexible) add_shape(f, shape, series);
    for (Index i = 0; !flexible && i < shape.size(); ++i) {
      series.x.push_back(static_cast<double>(i) + 1);
      series.y.push_back(shape[i] / std::max(1e-300, shape.cwiseAbs().maxCoeff()));
      series.style = svg::Style::line_points;
    }
    plot.series.push_back(std::move(series));
  }
  const std::string figure = svg::render(plot);
  OutputFile file(path);
  if (std::fwrite(figure.data(), 1, figure.size(), file.stream()) != figure.size())
    throw OutputError(path + " could not be written: the disk is full");
  file.commit();
}

int print_modes(const ModesSettings& a) {
  if (!a.plot.empty()) check_output(a.plot);
  const Scenario s = load_scenario(a.scenario, a.set);
  const Modes modes = find_modes(s.model, s.initial, a.count);
  if (!modes.wrong.empty()) throw InputError(a.scenario, modes.wrong);
  if (a.json) {
    nlohmann::json j{{"scenario", s.name}, {"coordinates", s.model.nv()}};
    for (const double square : modes.squares)
      j["modes"].push_back({{"frequency", frequency(square)}, {"omega_squared", square}});
    fmt::print("{}\n", j.dump(2));
  } else {
    fmt::print("{}: {} coordinates, joints closed, contacts and damping left out\n", s.name, s.model.nv());
    fmt::print("  mode   frequency [Hz]     omega [rad/s]\n");
    for (Index k = 0; k < modes.squares.size(); ++k) {
      const double f = frequency(modes.squares[k]);
      fmt::print("  {:4}   {:<16.9g}   {:<16.9g}{}\n", k + 1, std::abs(f), 2 * std::numbers::pi * std::abs(f),
                 f < 0 ? " unstable, the rate at which it grows" : "");
    }
  }
  if (!a.plot.empty()) plot_shapes(s, modes, a.plot);
  return kDone;
}

}  // namespace

std::function<int()> declare_modes(Arguments& arguments) {
  auto a = std::make_shared<ModesSettings>();
  arguments.option("scenario", a->scenario, "a file, or the name of a shipped scenario").required();
  arguments.option("--set", a->set, "path=value: changes the scenario; may be given several times").one_at_a_time();
  arguments.option("--count", a->count, "how many modes, the lowest ones").check(whole_number(1, 200));
  arguments.option("--plot", a->plot, "the shapes as SVG into this file");
  arguments.flag("--json", a->json, "machine-readable, on stdout");
  return [a] { return print_modes(*a); };
}

}  // namespace ricochet::app
