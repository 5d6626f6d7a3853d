// compare, study and plot as their users meet them.
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ricochet::test::analysis_cli_test {
namespace {

using Json = nlohmann::json;

class AnalysisCli : public ProgramTest {};

TEST_F(AnalysisCli, StudyPrintsAndWrites) {
  const Outcome o = ricochet("study bouncing-ball --schemes moreau-jean,combined --steps 0.04..0.004 --count 6");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("closed form"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("units of 1 s and 1"), std::string::npos) << o.out;
  EXPECT_TRUE(has("bouncing-ball-study.html"));
  EXPECT_TRUE(has("bouncing-ball-study.csv"));
  // a second time from the table alone: the same output, times included
  const Outcome again =
      ricochet("study bouncing-ball --schemes moreau-jean,combined --steps 0.04..0.004 --count 6 --resume");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("12 runs are taken over"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find(o.out.substr(o.out.find("scheme "), 200)), std::string::npos) << again.out;
}

TEST_F(AnalysisCli, StudyAsJson) {
  const Outcome o = ricochet(
      "study bouncing-ball --schemes moreau-jean:theta=0.8,forecast=free,newmark --steps 0.02,0.01 --no-output --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const Json j = Json::parse(o.out);
  ASSERT_EQ(j["schemes"].size(), 2U);
  EXPECT_EQ(j["schemes"][0]["scheme"], "moreau-jean:theta=0.8,forecast=free");
  EXPECT_EQ(j["schemes"][1]["cells"].size(), 2U);
  EXPECT_EQ(j["schemes"][1]["cells"][0]["status"], "finished");
  EXPECT_FALSE(has("bouncing-ball-study.html"));
  const Outcome local =
      ricochet("study bouncing-ball-lecture --local --schemes combined --steps 0.02..0.002 --no-output --json");
  ASSERT_EQ(local.status, 0) << local.err;
  EXPECT_NEAR(Json::parse(local.out)["schemes"][0]["seen"]["e_v"]["order"].get<double>(), 1, 0.1);
}

TEST_F(AnalysisCli, StudyStopsAndGoesOn) {
  const std::string command =
      "study bouncing-ball --schemes moreau-jean,nonsmooth-alpha --steps 1e-3..3e-5 --count 6 --threads 1 --json";
  // Asked to stop once the table of finished runs is there: before that it may still be starting.
  const Outcome stopped = shell("'" RICOCHET_BINARY_DIR "/ricochet' " + command +
                                " & for k in $(seq 400); do [ -e bouncing-ball-study.csv ] && break; sleep 0.05; done; "
                                "kill -TERM $!; wait $!");
  if (stopped.status != 0) {  // else the machine was faster than that
    EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err << stopped.out;
  }
  const Outcome resumed = ricochet(command + " --resume"), whole = ricochet(command);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const Json a = Json::parse(resumed.out), b = Json::parse(whole.out);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < 6; ++i)
      for (const char* norm : {"q_l1", "v_hausdorff"})
        EXPECT_EQ(a["schemes"][k]["cells"][i]["errors"].at(norm), b["schemes"][k]["cells"][i]["errors"].at(norm))
            << norm << " of cell " << i;
}

TEST_F(AnalysisCli, ASchemeThatRefusesIsNamedAndTheRestGoesOn) {
  const Outcome o = ricochet(
      "study slider-and-roller --schemes moreau-jean,schatzman-paoli --steps 0.02..0.01 --count 2 --no-output");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("schatzman-paoli is left out: "), std::string::npos) << o.out;
  const Outcome c = ricochet("compare slider-and-roller --schemes schatzman-paoli,moreau-jean --no-output --json");
  ASSERT_EQ(c.status, 0) << c.err;
  EXPECT_TRUE(Json::parse(c.out)["runs"][0].contains("refused"));
  EXPECT_EQ(Json::parse(c.out)["runs"][1]["status"], "finished");
}

TEST_F(AnalysisCli, BadInputIsOneLineAndNothingWritten) {
  const std::pair<const char*, const char*> cases[] = {
      {"study bouncing-bal", "did you mean 'bouncing-ball'"},
      {"study bouncing-ball --schemes moreau-jeen", "did you mean 'moreau-jean'"},
      {"study bouncing-ball --schemes moreau-jean:thta=1", "did you mean 'theta'"},
      {"study bouncing-ball --steps 0.1..x", "'x' is no step size"},
      {"study bouncing-ball --steps 0.1,,0.2", "'' is no step size"},
      {"study bouncing-ball --steps=-1", "no step size"},
      {"study bouncing-ball --steps 50", "accepted"},
      {"study bouncing-ball --coordinates z", "unknown coordinate 'z'"},
      {"study rocking-block --reference exact --steps 0.01", "no closed form"},
      {"study bouncing-ball --reference nothing --steps 0.01", "unknown scheme 'nothing'"},
      {"study rocking-block --local", "no closed form"},
      {"study bouncing-ball --resume", "no such file"},
      {"study bouncing-ball --steps 0.01 -o .", "this is a folder"},
      {"study bouncing-ball --steps 0.01 --cells no/such/file.csv", "cannot be written"},
      {"compare bouncing-ball --schemes combned", "did you mean 'combined'"},
      {"compare bouncing-ball --variant simulation.stp=1", "did you mean 'step'"},
      {"compare", "scenario is required"},
      {"plot none.h5 --what energy", "none.h5"},
      {"plot --what energy", "no result is given"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome o = ricochet(arguments);
    EXPECT_EQ(o.status, 2) << arguments << o.out << o.err;
    EXPECT_NE(o.err.find(message), std::string::npos) << arguments << "\n" << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2) << arguments;  // out.txt and err.txt
  }
}

TEST_F(AnalysisCli, CompareWithVariants) {
  const Outcome o = ricochet(
      "compare bouncing-ball --variant system.formulas.parameters.e=0.2 --variant system.formulas.parameters.e=0.8 "
      "--until 3");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("e=0.2"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("e=0.8"), std::string::npos);
  EXPECT_NE(file("bouncing-ball-compare.html").find("At impacts"), std::string::npos);
}

// A contact without friction neither sticks nor slides: it is closed, in a colour of its own.
TEST_F(AnalysisCli, TimelineTellsClosedFromSticking) {
  const auto timeline = [this](const std::string& scenario) {
    EXPECT_EQ(ricochet("run " + scenario + " -o r.h5").status, 0);
    EXPECT_EQ(ricochet("plot r.h5 --what timeline -o timeline.svg").status, 0);
    return file("timeline.svg");
  };
  const std::string without = timeline("bouncing-ball");
  EXPECT_NE(without.find("closed"), std::string::npos);
  EXPECT_EQ(without.find("sticking"), std::string::npos);
  EXPECT_NE(without.find("#009E73"), std::string::npos);
  std::ofstream(folder_ / "both.yaml") << R"(name: two balls
system:
  formulas:
    coordinates: [x, y, z]
    kinetic: (x'^2 + y'^2 + z'^2)/2
    potential: 9.81*(y + z)
    contacts:
      rough: {gap: y, slip: x, friction: 0.5}
      smooth: {gap: z}
initial: {velocity: {x: 1}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 1}
)";
  const std::string both = timeline("both.yaml");
  for (const char* label : {"closed", "sticking", "sliding", "#009E73", "#0072B2", "#E69F00"})
    EXPECT_NE(both.find(label), std::string::npos) << label;
}

TEST_F(AnalysisCli, PlotsOfEveryKind) {
  ASSERT_EQ(ricochet("run bouncing-pendulum --until 2 -o r.h5").status, 0);
  const Outcome list = ricochet("plot --list");
  ASSERT_EQ(list.status, 0);
  for (const char* what : {"energy", "dissipation", "positions", "velocities", "phase", "gaps", "residuals", "impulses",
                           "timeline", "iterations", "spectrum", "certificate"}) {
    EXPECT_NE(list.out.find(what), std::string::npos);
    const Outcome o = ricochet(std::string("plot r.h5 --what ") + what + " -o " + what + ".svg");
    EXPECT_EQ(o.status, 0) << what << o.err;
    const std::string svg = file(std::string(what) + ".svg");
    EXPECT_TRUE(svg.starts_with("<svg ")) << what;
    for (const char* data : {"data-zoom", "data-x", "data-y"}) EXPECT_EQ(svg.find(data), std::string::npos) << what;
  }
  // Of bodies one figure for each unit.
  ASSERT_EQ(ricochet("run slider-crank-bodies --until 1e-3 -o b.h5").status, 0);
  for (const auto& [what, unit] :
       {std::pair{"positions", "[m]"}, {"angles", "[rad]"}, {"velocities", "[m/s]"}, {"spins", "[rad/s]"}}) {
    const Outcome o = ricochet(std::string("plot b.h5 --what ") + what + " -o b.svg");
    EXPECT_EQ(o.status, 0) << what << o.err;
    EXPECT_NE(file("b.svg").find(unit), std::string::npos) << what;
    EXPECT_EQ(file("b.svg").find("crank.angle") != std::string::npos, std::string(unit).starts_with("[rad")) << what;
  }
  EXPECT_NE(ricochet("plot b.h5 --what orientations").err.find("there is nothing to show"), std::string::npos);
  // in a window of time, of one coordinate, of another size
  ASSERT_EQ(
      ricochet("plot r.h5 --what positions --of theta --from 0.5 --to 1 --width 300 --height 200 --no-title -o p.svg")
          .status,
      0);
  EXPECT_NE(file("p.svg").find("viewBox=\"0 0 300 200\""), std::string::npos);
  EXPECT_EQ(file("p.svg").find("Positions<"), std::string::npos);
  const std::pair<const char*, const char*> wrong[] = {{"--what enery", "did you mean 'energy'"},
                                                       {"--of thta", "did you mean 'theta'"},
                                                       {"--from 9", "there are no rows"},
                                                       {"-o a.jpg", "accepted: FILE.svg, FILE.png, FILE.pdf"},
                                                       {"-o no/such/a.svg", "cannot be written"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome o = ricochet(std::string("plot r.h5 ") + arguments);
    EXPECT_EQ(o.status, 2) << arguments;
    EXPECT_NE(o.err.find(message), std::string::npos) << o.err;
  }
}

TEST_F(AnalysisCli, PlotAsPng) {
  ASSERT_EQ(ricochet("run bouncing-ball -o r.h5").status, 0);
  const Outcome o = ricochet("plot r.h5 --what energy --scale 2 -o e.png");
  if (o.status == 2 && o.err.find("without librsvg") != std::string::npos) GTEST_SKIP() << o.err;
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string png = file("e.png");
  ASSERT_GT(png.size(), 5000U);  // an empty one of that size has 3 kB
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto number = [&](std::size_t at) {
    unsigned n = 0;
    for (std::size_t k = 0; k < 4; ++k) n = n << 8 | static_cast<unsigned char>(png[at + k]);
    return n;
  };
  EXPECT_EQ(number(16), 1120U);
  EXPECT_EQ(number(20), 620U);
  EXPECT_NE(ricochet("plot r.h5 --what energy -o no/such/e.png").status, 0);
  ASSERT_EQ(ricochet("plot r.h5 --what energy -o e.pdf").status, 0);
  EXPECT_TRUE(file("e.pdf").starts_with("%PDF-"));
  EXPECT_NE(file("e.pdf").find("MediaBox [ 0 0 420 232.5 ]"), std::string::npos);  // 560 by 310 units of 1/96 inch
  // Through a pipe.
  const Outcome piped = ricochet("export r.h5 --csv /dev/stdout | head -1");
  EXPECT_TRUE(piped.out.starts_with("t,q.")) << piped.out << piped.err;
}

}  // namespace
}  // namespace ricochet::test::analysis_cli_test
