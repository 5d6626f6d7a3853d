// The program as its users meet it: what it prints, what it leaves behind, how it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "ricochet/io/result/results.hpp"
#include "support/paths.hpp"

namespace ricochet::cli_test {
namespace {

namespace fs = std::filesystem;
const char* const kProgram = RICOCHET_BINARY_DIR "/ricochet";

struct Outcome {
  int status = -1;
  std::string out, err;
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class CliTest : public ::testing::Test {
 protected:
  CliTest() : folder_(fs::temp_directory_path() / ("ricochet-cli-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "block.yaml") << R"(name: sliding block
system:
  formulas:
    coordinates: [x, y]
    kinetic: (x'^2 + y'^2)/2
    potential: 9.81*y
    contacts:
      floor: {gap: y, slip: x, restitution: 0.5, friction: 0.3}
initial: {position: {y: 0.1}, velocity: {x: 2}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 1}
)";
  }
  ~CliTest() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    fs::remove_all(folder_);
  }

  void start(std::vector<std::string> arguments) {
    child_ = fork();
    if (child_ != 0) return;
    if (chdir(folder_.c_str()) != 0) _exit(99);
    dup2(open("stdout", O_CREAT | O_TRUNC | O_WRONLY, 0600), 1);
    dup2(open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
    arguments.insert(arguments.begin(), kProgram);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(kProgram, argv.data());
    _exit(98);
  }

  Outcome finish() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(folder_ / "stdout"),
            slurp(folder_ / "stderr")};
  }

  Outcome run(const std::vector<std::string>& arguments) {
    start(arguments);
    return finish();
  }

  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (const std::string name = entry.path().filename(); name != "stdout" && name != "stderr") out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
  }

  /// Refused: one line on stderr, nothing on stdout, nothing written.
  void expect_refusal(const std::vector<std::string>& arguments, const std::string& word) {
    const auto before = files();
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(o.err.rfind("ricochet: ", 0), 0U) << o.err;
    EXPECT_NE(o.err.find(word), std::string::npos) << o.err;
    EXPECT_EQ(files(), before);
  }

  static std::vector<double> column(const fs::path& file, const std::string& name) {
    const Results r(file);
    return r.root().dataset(name).numbers();
  }

  fs::path folder_;
  pid_t child_ = -1;
};

TEST_F(CliTest, RunPrintsASummaryAndWritesResults) {
  const Outcome o = run({"run", "block.yaml"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  for (const char* word : {"sliding block: finished", "complementarity", "friction", "Results: block.h5"})
    EXPECT_NE(o.out.find(word), std::string::npos) << word << "\n" << o.out;
  EXPECT_EQ(files(), (std::vector<std::string>{"block.h5", "block.yaml"}));
  EXPECT_EQ(run({"verify", "block.h5"}).status, 0);
}

TEST_F(CliTest, JsonHoldsEveryAgreedField) {
  const Outcome o = run({"run", "block.yaml", "--json", "--no-output"});
  EXPECT_EQ(o.status, 0);
  const auto j = nlohmann::json::parse(o.out);
  for (const char* key :
       {"scenario", "scheme", "step", "time", "steps", "impacts", "contacts_max", "newton_iterations",
        "solver_iterations", "certificate", "energy", "wall_seconds", "microseconds_per_step", "status"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const char* key : {"complementarity", "penetration", "joint_position", "joint_velocity", "energy_defect"})
    EXPECT_TRUE(j["certificate"][key].is_number()) << key;
  for (const char* key : {"initial", "final", "external", "damping", "joints", "impact", "friction", "projection",
                          "numerical", "nonlinear_remainder"})
    EXPECT_TRUE(j["energy"][key].is_number()) << key;
  for (const char* key : {"newton_iterations", "solver_iterations"})
    EXPECT_TRUE(j[key].contains("mean") && j[key].contains("max")) << key;
  EXPECT_EQ(j["steps"], 1000);
  EXPECT_EQ(j["status"], "finished");
  EXPECT_NEAR(j["energy"]["initial"], 0.5 * 4 + 9.81 * 0.1, 1e-12);
  EXPECT_EQ(files(), std::vector<std::string>{"block.yaml"});
}

TEST_F(CliTest, SettingsComeFromTheCommandLine) {
  const Outcome o = run({"run", "block.yaml", "--json", "--no-output", "--scheme", "moreau-jean:theta=0.7,gamma=1",
                         "--step", "2e-3", "--until", "0.5", "--set", "initial.velocity.x=3"});
  EXPECT_EQ(o.status, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["options"]["theta"], 0.7);
  EXPECT_EQ(j["options"]["gamma"], 1.0);
  EXPECT_EQ(j["steps"], 250);
  EXPECT_NEAR(j["energy"]["initial"], 0.5 * 9 + 9.81 * 0.1, 1e-12);
}

TEST_F(CliTest, BadInputIsOneLineAndLeavesNothing) {
  expect_refusal({"rnu"}, "did you mean 'run'");
  expect_refusal({"run"}, "no scenario");
  expect_refusal({"run", "missing.yaml"}, "missing.yaml");
  expect_refusal({"run", "block.yaml", "--scheme", "moreau-jaen"}, "moreau-jean");
  expect_refusal({"run", "block.yaml", "--scheme", "moreau-jean:theta"}, "--scheme");
  expect_refusal({"run", "block.yaml", "--set", "simulation.stp=1"}, "step");
  expect_refusal({"run", "block.yaml", "--step", "0"}, "step");
  expect_refusal({"run", "block.yaml", "--record-every", "-1"}, "record-every");
  expect_refusal({"run", "block.yaml", "-o", "."}, "folder");
  expect_refusal({"run", "block.yaml", "-o", "no/such/folder.h5"}, "no/such");
  expect_refusal({"run", "block.yaml", "-o", "block.yaml"}, "scenario itself");
  expect_refusal({"run", "block.yaml", "--report", "."}, "folder");
  expect_refusal({"run", "block.yaml", "-o", "x.h5", "--report", "./x.h5"}, "another name");
  expect_refusal({"run", "block.yaml", "--report", "no/such/page.html"}, "no/such");
  expect_refusal({"run", "block.yaml", "--report", "/proc/page.html"}, "/proc/page.html");
  expect_refusal({"run", "block.yaml", "--scheme", "moreau-jean:max_newton=1.5"}, "whole number");
  expect_refusal({"run", "block.yaml", "--step", "1e-12", "-o", "x.h5"}, "--record-every");
  expect_refusal({"run", "--resume", "block.yaml"}, "HDF5");
  expect_refusal({"run", "--resume", "missing.h5"}, "no such file");
  expect_refusal({"verify", "block.yaml"}, "HDF5");
  expect_refusal({"verify"}, "result");
  expect_refusal({"list", "schems"}, "schemes");
  expect_refusal({"list", "schemes", "moreau"}, "moreau-jean");
  expect_refusal({"export", "missing.h5", "--csv", "-"}, "missing.h5");
}

TEST_F(CliTest, HelpAndListsAreOnStdout) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                     {"--version"},
                                                                     {"run", "--help"},
                                                                     {"list"},
                                                                     {"list", "schemes"},
                                                                     {"list", "schemes", "moreau-jean"},
                                                                     {"list", "solvers"},
                                                                     {"list", "laws"},
                                                                     {"list", "scenarios"},
                                                                     {"list", "functions"},
                                                                     {"list", "commands"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 0) << arguments.back();
    EXPECT_FALSE(o.out.empty()) << arguments.back();
    EXPECT_EQ(o.err, "");
  }
  EXPECT_NE(run({"list", "schemes", "moreau-jean"}).out.find("theta"), std::string::npos);
}

TEST_F(CliTest, NumericalFailureIsThreeLinesAndKeepsTheSteps) {
  std::ofstream(folder_ / "edge.yaml") << R"(system:
  formulas:
    coordinates: [x]
    kinetic: x'^2/2
    potential: (1 - x)^1.5
initial: {velocity: {x: 1}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 5}
)";
  const Outcome o = run({"run", "edge.yaml", "--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 3) << o.err;
  EXPECT_NE(o.err.find("where: "), std::string::npos);
  EXPECT_NE(o.err.find("try: "), std::string::npos);
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["status"], "failed");
  const Results r(folder_ / "edge.h5");
  EXPECT_EQ(r.numbers("steps/t").back(), j["time"]);
  EXPECT_EQ(run({"verify", "edge.h5"}).status, 0);
}

TEST_F(CliTest, StepsAcceptedAboveTheToleranceAreNoPlainSuccess) {
  std::ofstream(folder_ / "hurried.yaml") << R"(system:
  formulas:
    coordinates: [x, y]
    kinetic: (x'^2 + y'^2)/2
    potential: 10*y
    joints: {rod: x^2 + y^2 - 1}
initial: {position: {x: 1}}
simulation: {scheme: {name: combined, tolerance: 1e-11, max_newton: 2}, step: 1e-2, until: 0.2, max_halvings: 1}
)";
  EXPECT_EQ(run({"run", "hurried.yaml", "--no-output"}).status, 3);
  const Outcome o = run({"run", "hurried.yaml", "--set", "simulation.accept.residual=1e-4", "--json"});
  EXPECT_EQ(o.status, 4) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["status"], "finished-uncertified");
  EXPECT_GT(j["uncertified_steps"], 0);
  const Outcome v = run({"verify", "hurried.h5"});
  EXPECT_EQ(v.status, 4) << v.out << v.err;
  EXPECT_NE(v.out.find("uncertified step"), std::string::npos) << v.out;
}

TEST_F(CliTest, WhatIsRecordedComesFromTheScenario) {
  EXPECT_EQ(run({"run", "block.yaml", "--set", "simulation.record={every: 100, contacts: none}"}).status, 0);
  const Results r(folder_ / "block.h5");
  EXPECT_EQ(r.rows(), 11U);
  EXPECT_FALSE(r.root().has("contacts"));
  const Outcome v = run({"verify", "block.h5"});
  EXPECT_EQ(v.status, 0) << v.err;
  EXPECT_NE(v.out.find("Of contacts nothing is recorded"), std::string::npos) << v.out;
  EXPECT_EQ(run({"run", "block.yaml", "--record-every", "10", "-o", "few.h5"}).status, 0);
  EXPECT_EQ(Results(folder_ / "few.h5").rows(), 101U);
  expect_refusal({"run", "block.yaml", "--set", "simulation.record.contacts=some"}, "none, forces, all");
}

// Each kind of failure, forced: counted by its name, and ended with status 3 or by a retry that converged.
TEST_F(CliTest, EveryKindOfFailureIsCountedAndEndsTheRunOrARetryConverges) {
  // two walls that close: no velocity satisfies both
  std::ofstream(folder_ / "press.yaml") << R"(system:
  formulas:
    coordinates: [x]
    kinetic: x'^2/2
    contacts: {left: {gap: x - t}, right: {gap: 1 - t - x}}
initial: {position: {x: 0.5}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 1, max_halvings: 0}
)";
  struct Case {
    const char* kind;
    std::vector<std::string> arguments;
    double from, until;  ///< when it happens; until 0: retried to the end
  };
  const std::vector<Case> cases = {
      {"newton-limit",
       {"rocking-block", "--scheme", "moreau-jean:max_newton=1", "--set", "simulation.max_halvings=0"},
       0.1,
       0.3},
      {"newton-limit", {"elastic-bar", "--scheme", "nonsmooth-alpha", "--until", "2e-5"}, 0, 0},
      {"solver-failed", {"press.yaml"}, 0.4, 0.6},
      {"activation-cycle",
       {"bouncing-ball", "--scheme", "moreau-jean:forecast=implicit", "--set", "simulation.max_halvings=0"},
       0.9,
       2.1},
      {"active-set-cycle",
       {"linear-oscillator", "--scheme", "combined:max_newton=2", "--step", "0.2", "--until", "20", "--set",
        "simulation.max_halvings=0"},
       0.2,
       20},
      {"active-set-cycle",
       {"linear-oscillator", "--scheme", "combined:max_newton=2", "--step", "0.2", "--until", "20"},
       0,
       0},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments = {"run"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    arguments.insert(arguments.end(), {"--json", "--no-output"});
    const Outcome o = run(arguments);
    const auto j = nlohmann::json::parse(o.out);
    std::int64_t failures = 0;
    for (const auto& [kind, count] : j["failures"].items()) failures += count.get<std::int64_t>();
    EXPECT_GT(j["failures"][c.kind], 0) << c.kind;
    EXPECT_EQ(j["failures"][c.kind], failures) << c.kind;
    if (c.until > 0) {
      EXPECT_EQ(o.status, 3) << c.kind;
      EXPECT_EQ(j["failure"]["what"], c.kind);
      EXPECT_GT(j["time"], c.from) << c.kind;
      EXPECT_LT(j["time"], c.until) << c.kind;
      EXPECT_NE(o.err.find(c.kind), std::string::npos) << o.err;
      EXPECT_NE(o.err.find("try: "), std::string::npos) << o.err;
    } else {
      EXPECT_EQ(o.status, 0) << c.kind << " " << o.err;
      EXPECT_GT(j["retries"], 0) << c.kind;
      EXPECT_LE(j["certificate"]["penetration"], 1e-10) << c.kind;
      EXPECT_LE(j["certificate"]["complementarity"], 1e-10) << c.kind;
    }
  }
}

TEST_F(CliTest, TamperedResultsAreFound) {
  run({"run", "block.yaml"});
  {
    h5::File file = h5::File::open_writable(folder_ / "block.h5");
    h5::Rows t = file.root().rows("energy", kEnergies);
    auto values = t.numbers();
    values[500 * kEnergies + 6] *= 1 + 1e-6;  // friction
    t.truncate(0);
    t.append(values);
    file.flush();
  }
  const Outcome o = run({"verify", "block.h5"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("at row 500"), std::string::npos) << o.err;
  const Outcome json = run({"verify", "block.h5", "--json"});
  EXPECT_FALSE(nlohmann::json::parse(json.out)["holds"]);
}

TEST_F(CliTest, ResultsOfAnotherVersionAreNotRepeated) {
  run({"run", "block.yaml"});
  {
    h5::File file = h5::File::open_writable(folder_ / "block.h5");
    file.root().set("version", "9.9");
    file.root().set("certified", "yes");
    file.flush();
  }
  const Outcome o = run({"verify", "block.h5"});
  EXPECT_EQ(o.status, 5) << o.err;
  EXPECT_NE(o.out.find("Not repeated: written by 9.9."), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("holds"), std::string::npos) << o.out;
  const auto j = nlohmann::json::parse(run({"verify", "block.h5", "--json"}).out);
  EXPECT_FALSE(j["holds"]);
  EXPECT_EQ(j["verdict"], "not-repeated");
  // It is still a result.
  EXPECT_EQ(run({"export", "block.h5", "--csv", "block.csv"}).status, 0);
  EXPECT_EQ(run({"report", "block.h5", "-o", "block.html"}).status, 0);
  EXPECT_EQ(run({"run", "--resume", "block.h5", "--until", "1.1"}).status, 0);
  EXPECT_EQ(Results(folder_ / "block.h5").root().text("version"), std::string("9.9 and ") + version());
  EXPECT_EQ(run({"verify", "block.h5"}).status, 5);
}

TEST_F(CliTest, InterruptedAndKilledRunsGoOnToTheSameBits) {
  const std::vector<std::string> arguments{"run", "block.yaml", "--step", "2e-5", "--until", "0.6", "-o"};
  const auto with = [&](const std::string& output) {
    auto a = arguments;
    a.push_back(output);
    a.insert(a.end(), {"--checkpoint-every", "500"});
    return a;
  };
  ASSERT_EQ(run(with("whole.h5")).status, 0);
  const double size = static_cast<double>(fs::file_size(folder_ / "whole.h5"));
  std::vector<std::string> names{"steps/t",      "steps/q",           "steps/v",    "energy",
                                 "certificate",  "declared/gap",      "declared/U", "contacts/offset",
                                 "contacts/key", "contacts/U",        "contacts/P", "contacts/state",
                                 "iterations",   "checkpoint/numbers"};
  std::mt19937 random(7);
  for (int number : {SIGKILL, SIGKILL, SIGKILL, SIGINT, SIGTERM}) {
    fs::remove(folder_ / "part.h5");
    start(with("part.h5"));
    // Anywhere: by what is written, not by the clock.
    const double enough = size * static_cast<double>(random() % 90) / 100;
    std::error_code missing;
    const auto written = [&] {
      const auto bytes = fs::file_size(folder_ / "part.h5", missing);
      return missing ? -1.0 : static_cast<double>(bytes);
    };
    while (written() < enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child_, number);
    const Outcome stopped = finish();
    if (stopped.status != 0) {  // a fast machine may have finished
      EXPECT_EQ(stopped.status, 128 + number);
      EXPECT_EQ(stopped.err.find("--resume part.h5") != std::string::npos, number != SIGKILL) << stopped.err;
      EXPECT_EQ(run({"verify", "part.h5"}).status, 0);
      ASSERT_EQ(run({"run", "--resume", "part.h5"}).status, 0);
    }
    const Results whole(folder_ / "whole.h5"), part(folder_ / "part.h5");
    for (const std::string& name : names) {
      const auto a = whole.root().dataset(name).numbers(), b = part.root().dataset(name).numbers();
      ASSERT_EQ(a.size(), b.size()) << name;
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << name;
    }
  }
}

TEST_F(CliTest, AFinishedRunCanGoOn) {
  ASSERT_EQ(run({"run", "block.yaml", "--until", "1", "-o", "whole.h5"}).status, 0);
  ASSERT_EQ(run({"run", "block.yaml", "--until", "0.4", "-o", "part.h5"}).status, 0);
  ASSERT_EQ(run({"run", "--resume", "part.h5", "--until", "1"}).status, 0);
  EXPECT_EQ(column(folder_ / "whole.h5", "steps/q"), column(folder_ / "part.h5", "steps/q"));
  // A last step that was cut short is no part of the longer run.
  ASSERT_EQ(run({"run", "block.yaml", "--until", "0.4004", "-o", "cut.h5"}).status, 0);
  EXPECT_NEAR(column(folder_ / "cut.h5", "steps/t").back(), 0.4004, 1e-15);
  ASSERT_EQ(run({"run", "--resume", "cut.h5", "--until", "1"}).status, 0);
  EXPECT_EQ(column(folder_ / "whole.h5", "steps/q"), column(folder_ / "cut.h5", "steps/q"));
  EXPECT_EQ(run({"verify", "cut.h5"}).status, 0);
  EXPECT_EQ(run({"run", "--resume", "cut.h5", "--until", "0.5"}).status, 2);
}

TEST_F(CliTest, ATolerance) {
  const Outcome o = run({"run", "block.yaml", "--scheme", "auto", "--tolerance", "1e-3", "--json", "-o", "whole.h5"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["step"], "auto");
  const auto& c = j["step_control"];
  EXPECT_EQ(c["tolerance"], 1e-3);
  EXPECT_LE(c["error_estimate"], 1e-3);
  EXPECT_EQ(j["steps"], 2 * c["accepted"].get<int>());
  EXPECT_GE(j["solves"].get<int>(), 3 * c["accepted"].get<int>());
  EXPECT_GT(c["rehearsal_solves"], 0);
  EXPECT_EQ(j["time"], 1);
  EXPECT_EQ(run({"verify", "whole.h5"}).status, 0);
  EXPECT_EQ(run({"report", "whole.h5", "-o", "whole.html"}).status, 0);
  // Stopped at the file's last checkpoint and resumed: the same.
  ASSERT_EQ(run({"run", "--resume", "whole.h5"}).status, 0);
  EXPECT_EQ(run({"verify", "whole.h5"}).status, 0);

  expect_refusal({"run", "block.yaml", "--step", "1e-3", "--tolerance", "1e-3"}, "--tolerance");
  expect_refusal({"run", "block.yaml", "--tolerance", "-1"}, "tolerance");
  expect_refusal({"run", "block.yaml", "--tolerance", "small"}, "tolerance");
  const Outcome floor = run({"run", "block.yaml", "--no-output", "--step",
                             "{control: half-step, atol: 1e-9, rtol: 0, floor: 1e-3, at_floor: stop}"});
  EXPECT_EQ(floor.status, 3);
  EXPECT_NE(floor.err.find("less than the floor"), std::string::npos) << floor.err;
}

TEST_F(CliTest, ExportAndReport) {
  run({"run", "block.yaml", "--report", "block.html"});
  EXPECT_NE(slurp(folder_ / "block.html").find("<svg"), std::string::npos);
  const Outcome o = run({"export", "block.h5", "--csv", "-", "--columns", "t,gap,P,E", "--every", "100"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out.substr(0, o.out.find('\n')), "t,gap.floor,P.floor,P.floor.1,E");
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1 + 11);
  expect_refusal({"export", "block.h5", "--csv", "x.csv", "--columns", "gpa"}, "gpa");
  expect_refusal({"report", "block.h5", "-o", "."}, "folder");
  EXPECT_EQ(run({"report", "block.h5"}).status, 0);
}

TEST_F(CliTest, EventsAreRecordedExportedAndResumed) {
  const std::vector<std::string> scheme = {"--scheme", "event-driven", "--step", "0.013"};
  const auto with = [&](std::vector<std::string> a) {
    a.insert(a.end(), scheme.begin(), scheme.end());
    return run(a);
  };
  const Outcome whole = with({"run", "block.yaml", "-o", "whole.h5", "--until", "0.78", "--json"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  ASSERT_EQ(with({"run", "block.yaml", "-o", "part.h5", "--until", "0.26"}).status, 0);
  ASSERT_EQ(run({"run", "--resume", "part.h5", "--until", "0.78"}).status, 0);
  const Outcome events = run({"export", "whole.h5", "--events", "-"});
  ASSERT_EQ(events.status, 0);
  EXPECT_EQ(events.out.rfind("t,kind,constraint,U_before,U_after,impulse\n0.14278431229", 0), 0U) << events.out;
  for (const char* kind : {"impact,floor,", "hand-over,,", "take-back,,", "sticking,floor,"})
    EXPECT_NE(events.out.find(kind), std::string::npos) << kind;
  EXPECT_EQ(events.out, run({"export", "part.h5", "--events", "-"}).out);
  EXPECT_EQ(run({"export", "whole.h5", "--csv", "-"}).out, run({"export", "part.h5", "--csv", "-"}).out);
  EXPECT_EQ(std::count(events.out.begin(), events.out.end(), '\n') - 1,
            nlohmann::json::parse(whole.out)["events"].get<long>());
  EXPECT_EQ(run({"verify", "part.h5"}).status, 0);
  // other schemes have none, and say so by an empty table
  ASSERT_EQ(run({"run", "block.yaml", "-o", "stepped.h5"}).status, 0);
  EXPECT_EQ(run({"export", "stepped.h5", "--events", "-"}).out, "t,kind,constraint,U_before,U_after,impulse\n");
}

}  // namespace
}  // namespace ricochet::cli_test
