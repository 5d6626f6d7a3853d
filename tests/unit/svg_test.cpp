#include "ricochet/page/svg.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "ricochet/math/input_error.hpp"
#include "ricochet/page/page.hpp"

namespace ricochet::svg_test {
namespace {

using svg::Plot;
using svg::Series;
using svg::Style;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

// Every element closed, nothing left open, attributes in quotes: what an XML parser asks for.
::testing::AssertionResult well_formed(const std::string& text) {
  std::vector<std::string> open;
  static const std::regex kTag(R"(<(/?)([A-Za-z][\w:]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(/?)>)");
  std::size_t at = 0;
  while ((at = text.find('<', at)) != std::string::npos) {
    std::smatch match;
    const std::string rest = text.substr(at, 100'000);
    if (!std::regex_search(rest, match, kTag, std::regex_constants::match_continuous))
      return ::testing::AssertionFailure() << "no tag at: " << rest.substr(0, 60);
    if (match[1].length() != 0) {
      if (open.empty() || open.back() != match[2]) return ::testing::AssertionFailure() << "closes " << match[2];
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
    at += static_cast<std::size_t>(match.length());
  }
  return open.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "open: " << open.back();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

std::vector<double> steps(std::size_t n, double h) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(i) * h;
  return out;
}

TEST(Svg, TicksAreRoundAndCoverTheRange) {
  const auto t = svg::linear_ticks(-0.3, 1.07, 6);
  EXPECT_EQ(t.labels, (std::vector<std::string>{"−0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_TRUE(t.note.empty());
  EXPECT_EQ(svg::linear_ticks(0, 2e-5, 4).labels, (std::vector<std::string>{"0.0", "0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(svg::linear_ticks(0, 2e-5, 4).note, "×10⁻⁵");
  const auto near = svg::linear_ticks(9.81 - 1e-9, 9.81 + 1e-9, 4);
  EXPECT_EQ(near.labels, (std::vector<std::string>{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(near.note, "×10⁻⁹ + 9.81");
  for (double lo = -1e6; lo < 1e6; lo += 77'777.7)
    for (double width = 1e-8; width < 1e9; width *= 3.7) {
      const auto ticks = svg::linear_ticks(lo, lo + width, 6);
      EXPECT_GE(ticks.at.size(), 2U) << lo << " " << width;
      EXPECT_LE(ticks.at.size(), 16U) << lo << " " << width;
      const std::set<std::string> labels(ticks.labels.begin(), ticks.labels.end());
      EXPECT_EQ(labels.size(), ticks.labels.size()) << lo << " " << width << ": two ticks read the same";
    }
}

TEST(Svg, LogTicksAreDecades) {
  EXPECT_EQ(svg::log_ticks(1e-4, 1e-1, 5).labels, (std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"}));
  EXPECT_EQ(svg::log_ticks(0.9, 60, 5).labels, (std::vector<std::string>{"1", "2", "5", "10", "20", "50"}));
  EXPECT_EQ(svg::log_ticks(9e-4, 1.1e-2, 5).labels, (std::vector<std::string>{"10⁻³", "2·10⁻³", "5·10⁻³", "10⁻²"}));
  // Values of a damaged result: nothing to show, and no endless row of decades.
  for (const auto& [low, high] :
       {std::pair(0.0, 1.0), {-1.0, 1.0}, {1.0, HUGE_VAL}, {HUGE_VAL, HUGE_VAL}, {std::nan(""), 1.0}})
    EXPECT_TRUE(svg::log_ticks(low, high, 5).at.empty()) << low << " " << high;
  EXPECT_GE(svg::log_ticks(3.1, 3.9, 5).at.size(), 3U);
  EXPECT_LE(svg::log_ticks(1e-300, 1e300, 6).at.size(), 7U);
}

TEST(Svg, DecimationKeepsTheEnvelopeAndTheSpikes) {
  const std::size_t n = 1'000'000;
  const auto x = steps(n, 1e-6);
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::sin(static_cast<double>(i) * 0.01);
  y[654'321] = 50;  // a single sample
  y[123'456] = -40;
  const auto kept = svg::decimate(x, y);
  EXPECT_LE(kept.size(), 2000U);
  EXPECT_GE(kept.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), n - 1);
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 654'321U));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 123'456U));
  EXPECT_EQ(svg::decimate(std::span(x).first(2000), y).size(), 2000U);
}

TEST(Svg, DecimationOfOrbitsStaysOnTheOrbit) {
  const std::size_t n = 1'000'000;
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::cos(static_cast<double>(i) * 1e-4);
    y[i] = std::sin(static_cast<double>(i) * 1e-4);
  }
  const auto kept = svg::decimate(x, y);
  EXPECT_LE(kept.size(), 8000U);
  double longest = 0;
  for (std::size_t j = 1; j < kept.size(); ++j)
    longest = std::max(longest, std::hypot(x[kept[j]] - x[kept[j - 1]], y[kept[j]] - y[kept[j - 1]]));
  EXPECT_LT(longest, 0.025);  // measured: 0.0161 of a circle of diameter 2
}

TEST(Svg, AMillionSamplesMakeASmallFigure) {
  Plot plot{.title = "a & <b>", .x = {.label = "time", .unit = "s"}, .y = {.label = "y", .unit = "m"}};
  const auto x = steps(1'000'000, 1e-6);
  for (int k = 0; k < 3; ++k) {
    Series s{.name = "s" + std::to_string(k), .x = x};
    for (const double t : x) s.y.push_back(std::sin(40 * t * (k + 1)));
    plot.series.push_back(std::move(s));
  }
  const std::string figure = svg::render(plot);
  EXPECT_LT(figure.size(), 40'000U);  // measured: 21 kB
  EXPECT_TRUE(well_formed(figure));
  EXPECT_NE(figure.find("a &amp; &lt;b&gt;"), std::string::npos);
  EXPECT_NE(figure.find("time [s]"), std::string::npos);
  EXPECT_EQ(figure.find("nan"), std::string::npos);
}

// The pixels of a known line: the first point at the lower left of the frame, the last at the upper right.
TEST(Svg, PointsStandWhereTheyBelong) {
  Plot plot{.y = {.min = 0, .max = 10}};
  plot.series.push_back({.x = {0, 5, 10}, .y = {0, 2.5, 10}});
  const std::string figure = svg::render(plot);
  std::smatch frame, line;
  ASSERT_TRUE(std::regex_search(figure, frame, std::regex(R"re(d="M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)")re")));
  ASSERT_TRUE(
      std::regex_search(figure, line, std::regex(R"re(d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)")re")));
  const double left = std::stod(frame[1]), top = std::stod(frame[2]), bottom = std::stod(frame[3]),
               right = std::stod(frame[4]);
  EXPECT_NEAR(std::stod(line[1]), left, 0.06);  // one decimal of a pixel is written
  EXPECT_NEAR(std::stod(line[2]), bottom, 0.06);
  EXPECT_NEAR(std::stod(line[3]), (left + right) / 2, 0.11);
  EXPECT_NEAR(std::stod(line[4]), bottom + 0.25 * (top - bottom), 0.11);
  EXPECT_NEAR(std::stod(line[5]), right, 0.06);
  EXPECT_NEAR(std::stod(line[6]), top, 0.06);
  EXPECT_LT(top, bottom);
}

TEST(Svg, StepsHoldAndGapsStayOpen) {
  Plot plot;
  plot.series.push_back({.x = {0, 1, 2}, .y = {0, 1, 3}, .style = Style::step});
  EXPECT_TRUE(
      std::regex_search(svg::render(plot), std::regex(R"re(d="M[\d.]+ [\d.]+H[\d.]+V[\d.]+H[\d.]+V[\d.]+" fill)re")));
  plot.series[0] = {.x = {0, 1, 2, 3, 4}, .y = {0, 1, kNaN, 1, 2}};
  EXPECT_TRUE(std::regex_search(
      svg::render(plot), std::regex(R"re(d="M[\d.]+ [\d.]+L[\d.]+ [\d.]+M[\d.]+ [\d.]+L[\d.]+ [\d.]+" fill)re")));
  plot.y.log = true;
  plot.series[0] = {.x = {0, 1, 2, 3}, .y = {1, 0, -1, 10}};
  EXPECT_TRUE(well_formed(svg::render(plot)));
  EXPECT_EQ(svg::render(plot).find("nan"), std::string::npos);
}

TEST(Svg, StackedAreasAddUp) {
  Plot plot{.y = {.min = -1, .max = 3}, .stacked = true};
  plot.series = {{.name = "a", .x = {0, 1}, .y = {1, 1}},
                 {.name = "b", .x = {0, 1}, .y = {2, 2}},
                 {.name = "c", .x = {0, 1}, .y = {-1, -1}}};
  const std::string figure = svg::render(plot);
  EXPECT_TRUE(well_formed(figure));
  const std::regex area(R"re(<path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)z")re");
  std::vector<std::pair<double, double>> edges;
  for (std::sregex_iterator it(figure.begin(), figure.end(), area), end; it != end; ++it)
    edges.emplace_back(std::stod((*it)[2]), std::stod((*it)[8]));
  ASSERT_EQ(edges.size(), 3U);
  const double unit = (edges[0].second - edges[0].first);
  EXPECT_GT(unit, 0);
  EXPECT_NEAR(edges[1].second, edges[0].first, 0.11);  // b stands on a
  EXPECT_NEAR(edges[1].first, edges[0].first - 2 * unit, 0.3);
  EXPECT_NEAR(edges[2].second, edges[0].second, 0.11);  // c hangs from zero
  EXPECT_NEAR(edges[2].first, edges[2].second + unit, 0.3);
}

TEST(Svg, NothingToShowIsStillAFigure) {
  for (const bool log : {false, true})
    for (const bool stacked : {false, true}) {
      Plot plot{.x = {.log = log}, .y = {.log = log}, .stacked = stacked};
      EXPECT_TRUE(well_formed(svg::render(plot)));
      plot.series.push_back({.name = "empty"});
      EXPECT_TRUE(well_formed(svg::render(plot)));
      plot.series[0] = {.name = "one", .x = {1}, .y = {kNaN}};
      EXPECT_TRUE(well_formed(svg::render(plot)));
      plot.series[0] = {.name = "flat", .x = {3, 3}, .y = {7, 7}, .style = Style::line_points};
      EXPECT_TRUE(well_formed(svg::render(plot)));
      plot.series[0] = {.name = "huge", .x = {-1e308, 1e308}, .y = {1e308, 1e-308}};
      EXPECT_TRUE(well_formed(svg::render(plot)));
    }
}

TEST(Svg, LegendNamesSeveralSeries) {
  Plot plot{.title = "t"};
  for (int k = 0; k < 10; ++k)
    plot.series.push_back({.name = "series number " + std::to_string(k), .x = {0, 1}, .y = {0.0, double(k)}});
  const std::string figure = svg::render(plot);
  for (int k = 0; k < 10; ++k) EXPECT_NE(figure.find(">series number " + std::to_string(k) + "<"), std::string::npos);
  EXPECT_GT(count(figure, "stroke-dasharray"), 3U);  // the palette has eight colours; the ninth line is dashed
}

TEST(Page, IsOnePageThatNeedsNothingElse) {
  Page report("Ball & <wall>", "step 1e-3");
  report.summary({{"status", "completed"}, {"steps", "2,000"}});
  report.section("Motion", "Height <over> time.");
  Plot plot;
  plot.series.push_back({.x = {0, 1}, .y = {0, 1}});
  report.figure(svg::render(plot), "first");
  report.figure(svg::render(plot), "second", true);
  report.table({"scheme", "order"}, {{"a", "1.0"}, {"b", "-2e-3"}, {"c"}}, "orders");
  report.note(Page::Tone::bad, "too deep");
  report.code("x: 1 < 2\n");
  report.figure(svg::render(plot));
  const std::string html = report.html();
  EXPECT_NE(html.find("<h1>Ball &amp; &lt;wall&gt;</h1>"), std::string::npos);
  EXPECT_EQ(count(html, "<figure"), 3U);
  EXPECT_EQ(count(html, "class=\"figures\""), 2U);
  EXPECT_EQ(count(html, "<div"), count(html, "</div>"));
  EXPECT_NE(html.find("<td class=\"n\">-2e-3</td>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">b</th>"), std::string::npos);
  EXPECT_EQ(count(html, "<script>"), 1U);  // its own
  EXPECT_EQ(html.find("<script src"), std::string::npos);
  // The only addresses are names of vocabularies, which nobody loads.
  std::string without = html;
  for (std::size_t at; (at = without.find("http://www.w3.org/2000/svg")) != std::string::npos;) without.erase(at, 26);
  EXPECT_EQ(without.find("http"), std::string::npos);
  EXPECT_EQ(without.find("url("), std::string::npos);
}

// Twelve figures over the same times carry these once.
TEST(Page, SharesSamples) {
  Plot plot{.title = "t", .x = {.label = "time"}, .zoom = true};
  plot.series.push_back({.name = "a", .x = steps(500, 1e-3), .y = steps(500, 2)});
  const std::string figure = svg::render(plot);
  Page one("one"), twelve("twelve");
  one.figure(figure);
  for (int k = 0; k < 12; ++k) twelve.figure(figure);
  EXPECT_EQ(count(one.html(), "text/plain"), 1U);
  EXPECT_EQ(count(twelve.html(), "text/plain"), 1U);
  EXPECT_EQ(count(twelve.html(), "data-x=\"#x0\""), 12U);
  EXPECT_NE(one.html().find("every row"), std::string::npos);
  plot.series[0] = {.name = "a", .x = steps(50'000, 1e-3), .y = steps(50'000, 2)};
  Page many("many");
  many.figure(svg::render(plot));
  EXPECT_NE(many.html().find("thinned"), std::string::npos);
}

TEST(Page, IsWrittenWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("ricochet-report-" + std::to_string(getpid()));
  fs::create_directories(folder);
  Page report("r");
  report.write(folder / "r.html");
  std::ifstream in(folder / "r.html");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), report.html());
  EXPECT_THROW(report.write(folder / "no" / "r.html"), InputError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ricochet::svg_test
