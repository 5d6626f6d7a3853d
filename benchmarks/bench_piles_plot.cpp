// Draws what the engines printed of the piles (peers/piles.hpp): for each pile the processor time of a simulated second
// against the way of the body that moved farthest, which is an error, all of it. One figure, two panels a row.
//
//   bench_piles_plot FILE.csv > FIGURE.svg
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ricochet/page/svg.hpp"

namespace {

using namespace ricochet;

constexpr double kLeast = 1e-17;  ///< what did not move to the bit is drawn here
constexpr double kMost = 1;       ///< and what fell down here, m
constexpr int kWide = 560, kHigh = 330;

struct Line {
  std::string engine, settings, pile;
  double seconds = 0, way = 0;  ///< of the processor for a simulated second
};

std::vector<Line> read(std::istream& in) {
  std::vector<Line> out;
  for (std::string text; std::getline(in, text);) {
    std::vector<std::string> words;
    std::istringstream parts(text);
    for (std::string word; std::getline(parts, word, ';');) words.push_back(word);
    if (words.size() < 8) continue;
    const double h = std::stod(words[3]), us = std::stod(words[5]), way = std::stod(words[6]);
    // a nan has flown away
    out.push_back({words[0], words[1], words[2], 1e-6 * us / h, way < kMost ? std::max(way, kLeast) : kMost});
  }
  return out;
}

std::string panel(const std::string& pile, const std::vector<Line>& lines, const std::vector<std::string>& engines) {
  svg::Plot plot{.title = pile, .tooltips = false, .width = kWide, .height = kHigh};
  plot.x = {.label = "processor time of a simulated second", .unit = "s", .log = true};
  plot.y = {.label = "largest error", .unit = "m", .log = true, .min = 0.5 * kLeast, .max = 2 * kMost};
  for (std::size_t e = 0; e < engines.size(); ++e) {
    std::map<std::string, svg::Series> by_settings;  // lines join the steps of one setting
    for (const Line& l : lines)
      if (l.pile == pile && l.engine == engines[e]) {
        svg::Series& s = by_settings[l.settings];
        s.x.push_back(l.seconds), s.y.push_back(l.way);
      }
    bool named = false;
    for (auto& [settings, s] : by_settings) {
      if (!named) s.name = engines[e];
      named = true;
      s.style = svg::Style::line_points;
      s.colour = svg::colour(e);
      plot.series.push_back(std::move(s));
    }
  }
  return svg::render(plot);
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  const std::vector<Line> lines = read(in);
  if (lines.empty()) {
    fmt::print(stderr, "usage: bench_piles_plot FILE.csv > FIGURE.svg\n");
    return 2;
  }
  std::vector<std::string> piles, engines;
  for (const Line& l : lines) {
    if (std::find(piles.begin(), piles.end(), l.pile) == piles.end()) piles.push_back(l.pile);
    if (std::find(engines.begin(), engines.end(), l.engine) == engines.end()) engines.push_back(l.engine);
  }
  const int rows = (static_cast<int>(piles.size()) + 1) / 2;
  fmt::print("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
             2 * kWide, rows * kHigh);
  for (std::size_t k = 0; k < piles.size(); ++k)
    fmt::print("<g transform=\"translate({} {})\">\n{}\n</g>\n", static_cast<int>(k % 2) * kWide,
               static_cast<int>(k / 2) * kHigh, panel(piles[k], lines, engines));
  fmt::print("</svg>\n");
  return 0;
}
