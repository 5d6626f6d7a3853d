// The table of README.md that sets Ricochet beside others. It holds the figures of benchmarks/measured.txt, the output
// of benchmarks/run.sh --short with machine, versions and commit, and the counts of instructions of both sides.
#include "support/figures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>

namespace ricochet::test::figures_test {
namespace {

class Measured {
 public:
  Measured() {
    for (const char* file : {"measured.txt", "instructions.txt", "siconos/instructions.txt"}) {
      std::ifstream in(std::string(RICOCHET_SOURCE_DIR "/benchmarks/") + file);
      EXPECT_TRUE(in) << file;
      for (std::string line; std::getline(in, line);) lines_.push_back(line);
    }
  }
  /// The number that the group of the pattern finds, in the first line that has it.
  double number(const std::string& pattern) const {
    const std::regex wanted(pattern);
    std::smatch found;
    for (const std::string& line : lines_)
      if (std::regex_search(line, found, wanted)) return std::stod(found[1]);
    ADD_FAILURE() << "benchmarks/ has no line with " << pattern;
    return 0;
  }

 private:
  std::vector<std::string> lines_;
};

/// 12829 as 12 829.
std::string grouped(double x) {
  std::string out = fmt::format("{:.0f}", x);
  for (int k = static_cast<int>(out.size()) - 3; k > 0; k -= 3) out.insert(static_cast<std::size_t>(k), " ");
  return out;
}

const std::string kNumber = "([-+0-9.e]+)";

TEST(Figures, BesideOthers) {
  const Measured m;
  FigureTable table("README.md", "beside others");
  const std::vector<std::string> engines{"ricochet", "ode, direct", "bullet, single", "mujoco, Euler"};
  const auto row = [&](const std::string& head, const std::function<std::string(const std::string&)>& cell) {
    std::vector<std::string> cells{head};
    for (const std::string& engine : engines) cells.push_back(cell(engine));
    cells.emplace_back();
    table.expect(cells);
  };
  const auto balls = [&](const std::string& engine, const std::string& what,
                         const std::function<std::string(double)>& text) {
    std::string out;
    for (const char* step : {"0\\.01", "0\\.001", "0\\.0001"}) {
      const double x = m.number("^" + engine + " +ball, step " + step + " s .*" + what + " +" + kNumber);
      out += (out.empty() ? "" : ", ") + text(x);
    }
    return out;
  };
  row("ball, e = 0.8: error of the apex, %", [&](const std::string& engine) {
    return balls(engine, "apex", [](double x) { return x <= -100 ? "none" : fmt::format("{:+.3g}", x); });
  });
  row("its penetration, mm", [&](const std::string& engine) {
    return balls(engine, "depth", [](double x) { return fmt::format("{:.2g}", 1e3 * x); });
  });
  const auto other = [&](const std::string& engine, const std::string& what) {
    return m.number("^" + engine + ".*" + what + " +" + kNumber);
  };
  row("box held by friction on 20°: creep in 10 s, m",
      [&](const std::string& engine) { return figure(other(engine, "creep")); });
  row("four-bar linkage: largest gap of a pin, m",
      [&](const std::string& engine) { return figure(other(engine, "gap")); });
  row("its error of energy", [&](const std::string& engine) { return figure(other(engine, "energy")); });
  row("its time per step, µs", [&](const std::string& engine) {
    return fmt::format("{:.2g}", m.number("^" + engine + ".*energy.* " + kNumber + " us"));
  });
  const auto counted = [&](const std::string& example) {
    return std::pair{grouped(m.number("^bench_" + example + " [0-9]+ " + kNumber)),
                     grouped(m.number("^siconos_" + example + " [0-9]+ " + kNumber))};
  };
  const auto crank = counted("slider_crank"), ball = counted("ball");
  table.expect({"slider-crank, Moreau–Jean: instructions per step", crank.first, "", "", "", crank.second});
  table.expect({"bouncing ball, Moreau–Jean: instructions per step", ball.first, "", "", "", ball.second});
  table.expect({"slider-crank before its first impact: gain of energy, J of 7.5 J",
                figure(m.number("^ricochet: slider-crank.*energy gain " + kNumber)), "", "", "",
                figure(m.number("^siconos: energy gain .*: " + kNumber))});
  EXPECT_EQ(table.rows(), 9U);
}

}  // namespace
}  // namespace ricochet::test::figures_test
