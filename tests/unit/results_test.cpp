// Results: what the recorder writes is what the run did, comes back bit for bit, and verify finds every change.
#include "ricochet/io/result/results.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ricochet/io/result/export.hpp"
#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "ricochet/page/plots.hpp"
#include "ricochet/page/result_page.hpp"

namespace ricochet::results_test {
namespace {

namespace fs = std::filesystem;

// A block with friction that falls, hits with two corners and slides; and a pendulum with a joint and a wall.
const char* const kBlock = R"(name: block
system:
  formulas:
    parameters: {m: 1, L: 1, l: 1.5, J: m*(L^2 + l^2)/12}
    coordinates: [x, y, th]
    kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2
    potential: m*9.81*y
    contacts:
      A: {gap: y - l/2*cos(th) + L/2*sin(th), slip: x + l/2*sin(th) + L/2*cos(th), restitution: 0.5, friction: 0.3}
      B: {gap: y - l/2*cos(th) - L/2*sin(th), slip: x + l/2*sin(th) - L/2*cos(th), restitution: 0.5, friction: 0.3}
initial: {position: {y: 1, th: 0.2}, velocity: {x: 1}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.6}
)";
const char* const kPendulum = R"(name: pendulum
system:
  formulas:
    parameters: {J: 0.1}
    coordinates: [x, y, th]
    kinetic: (x'^2 + y'^2)/2 + J/2*th'^2
    potential: 10*y
    joints:
      pin: [x - cos(th), y - sin(th)]
    contacts:
      wall: {gap: x - sqrt(2)/2, restitution: 0.3}
initial: {position: {x: cos(pi/12), y: sin(pi/12), th: pi/12}}
simulation: {scheme: nonsmooth-alpha, step: 2e-3, until: 3}
)";

class ResultsTest : public ::testing::Test {
 protected:
  ResultsTest() : folder_(fs::temp_directory_path() / ("ricochet-results-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ResultsTest() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }

  /// Runs, stopping after some grid steps if asked to; returns the last state.
  static RunState record(const fs::path& file, const std::string& text, const RecordChoice& what = {},
                         const RecorderOptions& options = {}, int stop_after = -1) {
    Scenario s = read_scenario(text, "test");
    s.record = what;
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(file, header_of(s), s.model, run, options);
    drive(s, *scheme, run, recorder, stop_after);
    return run;
  }

  static RunState resume(const fs::path& file) {
    Checkpoint checkpoint;
    std::string text;
    {
      const Results old(file);
      text = old.header().text;
      checkpoint = load_checkpoint(old.root().group("checkpoint"));
    }
    const Scenario s = read_scenario(text, "test");
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run = checkpoint.run;
    Recorder recorder(file, header_of(s), s.model, checkpoint, {});
    drive(s, *scheme, run, recorder, -1);
    return run;
  }

  /// Every dataset as bytes, and every number of the summary.
  static std::map<std::string, std::string> contents(const fs::path& file) {
    const h5::File f = h5::File::open(file);
    std::map<std::string, std::string> out;
    collect(f.root(), out);
    const h5::Group summary = f.root().group("summary");
    for (const std::string& key : summary.attributes()) out["summary:" + key] = bytes({summary.number(key)});
    return out;
  }

  /// The last row whose contact stays closed in the next one: there a checkpoint needs the contact memory.
  static int last_closed_pair(const Results& r) {
    int last = 0;
    for (const ConstraintItem& item : r.names().items) {
      if (item.bilateral) continue;
      const auto P = r.column("P." + item.name);
      for (std::size_t i = 1; i + 1 < r.rows(); ++i)
        if (P[i] > 0 && P[i + 1] > 0) last = std::max(last, static_cast<int>(i));
    }
    return last;
  }

  /// Changes the numbers of a dataset, row by row of the given width, in place.
  static void change(const fs::path& path, const std::string& name,
                     const std::function<void(std::vector<double>&, std::size_t)>& how) {
    h5::File file = h5::File::open_writable(path);
    const h5::Dataset d = file.root().dataset(name);
    std::vector<double> values = d.numbers();
    how(values, d.width());
    h5::Rows rows = file.root().rows(name, d.width(), !d.is_vector());
    rows.truncate(0);
    rows.append(values);
    file.flush();
  }

  fs::path folder_;

 private:
  struct Stopper final : Observer {
    Stopper(Recorder& recorder, int after) : recorder_(recorder), left_(after) {}
    void step(const State& a, const State& b, const StepReport& r) override { recorder_.step(a, b, r); }
    bool grid_step(const RunState& run) override {
      recorder_.grid_step(run);
      return --left_ != 0;
    }
    Recorder& recorder_;
    int left_;
  };

  static void drive(const Scenario& s, const Scheme& scheme, RunState& run, Recorder& recorder, int stop_after) {
    Stopper stopper(recorder, stop_after);
    const RunResult result = ricochet::run(s.model, scheme, run, s.policy, &stopper);
    recorder.finish(run, result);
  }

  static std::string bytes(const std::vector<double>& x) {
    return {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(double)};
  }

  static void collect(const h5::Group& group, std::map<std::string, std::string>& out) {
    for (const std::string& name : group.names()) {
      const std::string at = group.path() == "/" ? "/" + name : group.path() + "/" + name;
      bool is_group = true;
      try {
        (void)group.group(name);
      } catch (const InputError&) {
        is_group = false;
      }
      if (is_group) {
        collect(group.group(name), out);
      } else if (group.dataset(name).type() == h5::Dataset::Type::text) {
        for (const std::string& text : group.dataset(name).texts()) out[at] += text + "\n";
      } else {
        out[at] = bytes(group.dataset(name).numbers());
      }
    }
  }
};

TEST_F(ResultsTest, RowsAreWhatTheRunDid) {
  struct Copy final : Observer {
    void step(const State&, const State& after, const StepReport& r) override {
      t.push_back(after.t);
      q.insert(q.end(), after.q.begin(), after.q.end());
      P.push_back(r.constraints[1].impulse[1]);
      g.push_back(r.constraints[0].g[0]);
      friction.push_back(r.energy.friction);
    }
    std::vector<double> t, q, P, g, friction;
  } copy;
  const Scenario s = read_scenario(kBlock, "test");
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState run = begin_run(s.model, *scheme, s.initial);
  ricochet::run(s.model, *scheme, run, s.policy, &copy);

  record(path("a.h5"), kBlock, {});
  const Results r(path("a.h5"));
  ASSERT_EQ(r.rows(), copy.t.size() + 1);
  const auto tail = [&](const std::string& name) {
    const auto all = r.column(name);
    return std::vector<double>(all.begin() + 1, all.end());
  };
  EXPECT_EQ(tail("t"), copy.t);
  EXPECT_EQ(tail("P.B.1"), copy.P);
  EXPECT_EQ(tail("gap.A"), copy.g);
  EXPECT_EQ(tail("friction"), copy.friction);
  const auto q = r.numbers("steps/q", 3);
  EXPECT_EQ(std::vector<double>(q.begin() + 3, q.end()), copy.q);
  EXPECT_EQ(std::vector<double>(q.begin(), q.begin() + 3), (std::vector<double>{0, 1, 0.2}));
  EXPECT_EQ(r.status(), "finished");
  EXPECT_EQ(r.root().group("summary").integer("steps"), run.summary.steps);
  EXPECT_EQ(r.root().group("summary").number("friction"), run.summary.energy.friction);
  ASSERT_EQ(r.names().items.size(), 2U);
  EXPECT_EQ(r.names().items[1].name, "B");
  EXPECT_EQ(r.root().dataset("steps/t").text("unit"), "s");
  EXPECT_EQ(nlohmann::json::parse(r.header().options)["theta"], 0.5);
}

TEST_F(ResultsTest, SparseRowsSumWhatLiesBetween) {
  record(path("all.h5"), kBlock, {});
  record(path("some.h5"), kBlock, {.every = 7});
  const Results all(path("all.h5")), some(path("some.h5"));
  ASSERT_EQ(all.rows(), 601U);
  ASSERT_EQ(some.rows(), 1 + 600 / 7 + 1U);  // the last row holds what is left
  const auto fine = all.column("P.A"), coarse = some.column("P.A");
  const auto error = all.column("complementarity"), worst = some.column("complementarity");
  const auto reaction = all.column("reaction.A"), last = some.column("reaction.A");
  for (std::size_t row = 1; row < some.rows(); ++row) {
    double sum = 0, largest = 0;
    for (std::size_t i = 7 * (row - 1) + 1; i <= std::min<std::size_t>(7 * row, 600); ++i) {
      sum += fine[i];
      largest = std::max(largest, error[i]);
    }
    EXPECT_EQ(coarse[row], sum);
    EXPECT_EQ(worst[row], largest);
    EXPECT_EQ(last[row], reaction[std::min<std::size_t>(7 * row, 600)]);
  }
  EXPECT_EQ(some.numbers("steps/t").back(), all.numbers("steps/t").back());
  record(path("ends.h5"), kBlock, {.every = 0});
  EXPECT_EQ(Results(path("ends.h5")).rows(), 2U);
  EXPECT_TRUE(verify(Results(path("ends.h5"))).holds());
  EXPECT_TRUE(verify(some).holds());
}

TEST_F(ResultsTest, ResumedRunsEqualUninterruptedOnes) {
  for (std::string text : {kBlock, kPendulum}) {
    // Long enough for contacts that stay closed.
    if (const auto at = text.find("until: 0.6"); at != std::string::npos) text.replace(at, 10, "until: 2");
    record(path("all.h5"), text, {});
    const int closed = last_closed_pair(Results(path("all.h5")));
    ASSERT_GT(closed, 1);
    for (std::int64_t every : {1, 7}) {
      const RunState whole = record(path("whole.h5"), text, {.every = every});
      const auto expected = contents(path("whole.h5"));
      ASSERT_GT(expected.size(), 40U);
      for (int stop : {1, 13, closed, 599}) {
        // What is flushed, and when, must not matter either.
        record(path("part.h5"), text, {.every = every}, {.checkpoint_every = 10, .flush_seconds = 0.001}, stop);
        EXPECT_EQ(Results(path("part.h5")).status(), "interrupted");
        const RunState rest = resume(path("part.h5"));
        EXPECT_EQ(rest.state.q, whole.state.q);
        EXPECT_EQ(contents(path("part.h5")), expected) << "stopped after " << stop << ", every " << every;
      }
    }
  }
}

TEST_F(ResultsTest, CheckpointsComeBackBitForBit) {
  Checkpoint c;
  c.run.state.t = 0.1;
  c.run.state.q = VectorXd::LinSpaced(5, -1, 1);
  c.run.state.v = VectorXd::Constant(4, -0.0);
  c.run.state.memory = {VectorXd::Constant(4, 1e-320), VectorXd()};
  c.run.state.contacts = {{7, {1, 2, 3}, 4}, {(Key{1} << 63) + 5, {5, 6, INFINITY}, 8}};
  c.run.state.scales = std::make_shared<const Scales>(
      Scales{1e-3, 2, 3, 4, VectorXd::Constant(4, 0.1), VectorXd::LinSpaced(4, 3, 4), VectorXd::LinSpaced(7, 1, 2)});
  c.run.step = 3;
  c.run.summary.minimum_norm = true;
  c.run.summary.failures[3] = 9;
  c.run.summary.energy.defect = std::nan("");
  c.rows = 12;
  c.pending = 2;
  c.partial = {1, 2};
  c.contacts = {{.key = item_key(3, 5), .item = 2, .state = ContactState::sliding, .normal = {0, 0, 1}}};
  h5::File file = h5::File::create(path("c.h5"));
  store_checkpoint(file.root().group("checkpoint"), {});
  store_checkpoint(file.root().group("checkpoint"), c);
  file.flush();
  const Checkpoint d = load_checkpoint(h5::File::open(path("c.h5")).root().group("checkpoint"));
  EXPECT_EQ(d.run.state.q, c.run.state.q);
  EXPECT_TRUE(std::signbit(d.run.state.v[0]));
  ASSERT_EQ(d.run.state.memory.size(), 2U);
  EXPECT_EQ(d.run.state.memory[0], c.run.state.memory[0]);
  ASSERT_EQ(d.run.state.contacts.size(), 2U);
  EXPECT_EQ(d.run.state.contacts[1].key, c.run.state.contacts[1].key);
  EXPECT_EQ(d.run.state.contacts[1].reaction, c.run.state.contacts[1].reaction);
  ASSERT_TRUE(d.run.state.scales);
  EXPECT_EQ(d.run.state.scales->arm, c.run.state.scales->arm);
  EXPECT_EQ(d.run.state.scales->coordinate, c.run.state.scales->coordinate);
  EXPECT_EQ(d.run.state.scales->row, c.run.state.scales->row);
  EXPECT_EQ(d.run.state.scales->length, 1e-3);
  EXPECT_EQ(d.run.state.scales->acceleration, 4);
  EXPECT_EQ(d.run.summary.failures, c.run.summary.failures);
  EXPECT_TRUE(d.run.summary.minimum_norm);
  EXPECT_TRUE(std::isnan(d.run.summary.energy.defect));
  EXPECT_EQ(d.partial, c.partial);
  ASSERT_EQ(d.contacts.size(), 1U);
  EXPECT_EQ(d.contacts[0].key, c.contacts[0].key);
  EXPECT_EQ(d.contacts[0].normal, c.contacts[0].normal);
  EXPECT_EQ(std::make_tuple(d.rows, d.pending, d.run.step, d.run.state.t), std::make_tuple(12, 2, 3, 0.1));
}

TEST_F(ResultsTest, ManyCheckpointsDoNotGrowTheFile) {
  record(path("few.h5"), kBlock, {.every = 0}, {.checkpoint_every = 0, .flush_seconds = 1e9});
  record(path("many.h5"), kBlock, {.every = 0}, {.checkpoint_every = 1, .flush_seconds = 1e9});
  // 600 checkpoints of about a kilobyte; measured: not a byte more
  EXPECT_LT(fs::file_size(path("many.h5")), fs::file_size(path("few.h5")) + 16 * 1024);
}

TEST_F(ResultsTest, VerifyAcceptsWhatIsTrue) {
  for (const char* text : {kBlock, kPendulum}) {
    record(path("a.h5"), text, {});
    const Verification v = verify(Results(path("a.h5")));
    EXPECT_TRUE(v.holds()) << v.disagreements.front().column << " row " << v.disagreements.front().row;
    EXPECT_TRUE(v.every_step);
    EXPECT_TRUE(v.unchecked.empty());
    for (std::size_t k = 0; k < kCheckKinds; ++k)
      EXPECT_GT(v.findings.check(static_cast<CheckKind>(k)).compared, 0) << name(static_cast<CheckKind>(k));
    EXPECT_LT(v.findings.check(CheckKind::rows).worst, 1e-2);  // measured: 1e-4, of 1e-12 of the column
    EXPECT_EQ(v.findings.check(CheckKind::replay).worst, 0);   // bits
    EXPECT_LT(v.certificate.complementarity, 1e-9);
    EXPECT_EQ(v.certificate.penetration, v.recorded.penetration);
  }
}

TEST_F(ResultsTest, VerifyFindsEveryChange) {
  record(path("a.h5"), kPendulum, {});
  const std::vector<std::string> columns{"steps/t",         "steps/h",     "steps/q",      "steps/v",
                                         "joints/residual", "joints/U",    "joints/P",     "joints/smooth",
                                         "energy",          "certificate", "declared/gap", "declared/U",
                                         "contacts/gap",    "contacts/U",  "contacts/P",   "contacts/correction"};
  for (const std::string& name : columns) {
    fs::copy_file(path("a.h5"), path("b.h5"), fs::copy_options::overwrite_existing);
    change(path("b.h5"), name, [](std::vector<double>& values, std::size_t) { values[values.size() / 2] += 1e-6; });
    EXPECT_FALSE(verify(Results(path("b.h5"))).holds()) << name;
  }
}

TEST_F(ResultsTest, VerifyFindsAWrongLaw) {
  // The same motion cannot satisfy another restitution or friction.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"restitution: 0.5", "restitution: 0.6"}, {"friction: 0.3", "friction: 0.2"}}) {
    record(path("a.h5"), kBlock, {});
    {
      h5::File file = h5::File::open_writable(path("a.h5"));
      h5::Group root = file.root();
      std::string text = root.text("scenario");
      ASSERT_NE(text.find(from), std::string::npos) << text;
      text.replace(text.find(from), from.size(), to);
      root.set("scenario", text);
      file.flush();
    }
    const Verification v = verify(Results(path("a.h5")));
    EXPECT_FALSE(v.holds());
    EXPECT_GT(v.findings.check(CheckKind::laws).worst, 1);
    EXPECT_GT(v.certificate.complementarity, 1e-3);
  }
}

TEST_F(ResultsTest, FiftyStepsOfABallAreSmall) {
  record(path("a.h5"), R"(name: ball
system:
  formulas:
    coordinates: [y]
    kinetic: y'^2/2
    potential: 9.81*y
    contacts: {floor: {gap: y, restitution: 0.5}}
initial: {position: {y: 0.002}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.05}
)",
         {});
  EXPECT_EQ(Results(path("a.h5")).rows(), 51U);
  EXPECT_LT(fs::file_size(path("a.h5")), 100'000U);  // measured: 76,000
}

// Boxes that slide on a plane, four corners each: where contacts touch is known, and lists of many are compressed.
TEST_F(ResultsTest, ManyContactsAreListedWithTheirPlaces) {
  constexpr int kBoxes = 800;
  std::string text = "name: boxes\nsystem:\n  plane: {normal: [0, 0, 1], friction: 0.3}\n  bodies:\n";
  for (int k = 0; k < kBoxes; ++k)
    text += "    b" + std::to_string(k) + ": {mass: 1, inertia: [0.1, 0.1, 0.1], position: [" + std::to_string(2 * k) +
            ", 0, 0.5], velocity: [0.1, 0, 0], points: {a: [0.5, 0.5, -0.5], b: [-0.5, 0.5, -0.5], " +
            "c: [0.5, -0.5, -0.5], d: [-0.5, -0.5, -0.5]}}\n";
  text += "simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}\n";
  struct Often final : Observer {  // one step is solved, and recorded ten times
    explicit Often(Recorder& r) : recorder(r) {}
    void step(const State& a, const State& b, const StepReport& r) override {
      for (int k = 0; k < 10; ++k) recorder.step(a, b, r);
    }
    bool grid_step(const RunState&) override { return false; }
    Recorder& recorder;
  };
  const Scenario s = read_scenario(text, "test");
  {
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(path("a.h5"), header_of(s), s.model, run, {});
    Often often(recorder);
    recorder.finish(run, ricochet::run(s.model, *scheme, run, s.policy, &often));
  }
  EXPECT_LT(fs::file_size(path("a.h5")), 5'000'000U);  // measured: 600,000; ten different rows: 1,400,000
  const Results r(path("a.h5"));
  EXPECT_FALSE(r.root().has("declared"));  // too many for columns of their own
  RowReader rows(r);
  for (int k = 0; k < 11; ++k) ASSERT_TRUE(rows.next());
  ASSERT_EQ(rows.row().contacts.size(), 4U * kBoxes);
  const ContactEntry& e = rows.row().contacts[4 * 7 + 1];
  EXPECT_EQ(e.bodies, (std::array<int, 2>{7, Candidate::kGround}));
  EXPECT_EQ(r.names().bodies.at(7), "b7");
  EXPECT_EQ(r.names().items.at(static_cast<std::size_t>(e.item)).name, "b7.b");
  EXPECT_EQ(e.state, ContactState::sliding);
  EXPECT_EQ(e.normal, (std::array<double, 3>{0, 0, 1}));
  EXPECT_NEAR(e.point[0], 14 - 0.5 + 1e-4, 1e-5);
  EXPECT_NEAR(e.point[2], 0, 1e-12);
  const double weight = 9.81 * 1e-3;
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += rows.row().contacts[static_cast<std::size_t>(4 * 7 + k)].P[0];
  EXPECT_NEAR(sum, weight, 1e-6);
  EXPECT_FALSE(rows.next());
}

TEST_F(ResultsTest, RefusesWhatIsNoResult) {
  EXPECT_THROW(Results(path("none.h5")), InputError);
  std::ofstream(path("text.h5")) << "not HDF5";
  EXPECT_THROW(Results(path("text.h5")), InputError);
  {
    h5::File file = h5::File::create(path("other.h5"));
    file.root().set("format", "something");
    file.flush();
  }
  EXPECT_THROW(Results(path("other.h5")), InputError);
  record(path("a.h5"), kBlock, {});
  {
    h5::File file = h5::File::open_writable(path("a.h5"));
    file.root().rows("steps/q", 3).truncate(5);
    file.flush();
  }
  EXPECT_THROW(verify(Results(path("a.h5"))), InputError);
}

TEST_F(ResultsTest, TablesReadBackToTheSameBits) {
  record(path("a.h5"), kBlock, {});
  const Results r(path("a.h5"));
  std::FILE* file = std::fopen(path("a.csv").c_str(), "w");
  write_csv(r, {{"t", "U", "E", "q.th"}, 3}, file);
  std::fclose(file);
  std::ifstream in(path("a.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "t,U.A,U.A.1,U.B,U.B.1,E,q.th");
  const auto t = r.column("t"), U = r.column("U.B.1"), q = r.column("q.th"), E = r.column("E");
  std::size_t row = 0;
  for (; std::getline(in, line); row += 3) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    std::vector<double> x;
    for (std::string cell; cells >> cell;) x.push_back(std::strtod(cell.c_str(), nullptr));
    ASSERT_EQ(x.size(), 7U);
    EXPECT_EQ(x[0], t[row]);
    EXPECT_EQ(x[4], U[row]);
    EXPECT_EQ(x[5], E[row]);
    EXPECT_EQ(x[6], q[row]);
  }
  EXPECT_EQ(row, 603U);
  EXPECT_THROW(write_csv(r, {{"gpa"}, 1}, stdout), InputError);
}

TEST_F(ResultsTest, AFailedRunKeepsEverythingUpToTheLastGoodStep) {
  // The force has no value from x = 1 on: sqrt of a negative number.
  const char* const text = R"(name: edge
system:
  formulas:
    coordinates: [x]
    kinetic: x'^2/2
    potential: (1 - x)^1.5
initial: {velocity: {x: 1}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 5}
)";
  const RunState run = record(path("a.h5"), text, {});
  const Results r(path("a.h5"));
  EXPECT_EQ(r.status(), "failed");
  EXPECT_EQ(r.numbers("steps/t").back(), run.state.t);
  EXPECT_EQ(r.root().number("failed_at"), run.state.t);
  EXPECT_FALSE(r.root().text("failure").empty());
  EXPECT_FALSE(r.root().text("remedy").empty());
  EXPECT_GT(r.rows(), 10U);
  EXPECT_TRUE(verify(r).holds());
}

// A ball that falls from rest hits after 1 s: a velocity of two values there, whether an event or the end of a step.
TEST_F(ResultsTest, JumpsAreDrawnAsJumps) {
  for (const auto& [scheme, hit] : {std::pair{"event-driven", 1.0}, {"combined", 1.04}}) {
    const std::string text = fmt::format(
        "system:\n  formulas:\n    coordinates: [y]\n    kinetic: y'^2/2\n    potential: 2*y\n    contacts: {{floor: "
        "{{gap: y, restitution: 0.5}}}}\ninitial: {{position: {{y: 1}}}}\nsimulation: {{scheme: {}, step: 0.13, until: "
        "1.5}}\n",
        scheme);
    record(path("ball.h5"), text, {});
    const Results results(path("ball.h5"));
    const svg::Series v = ResultPlots(results).make("velocities")->plot.series.at(0);
    const auto twice = std::adjacent_find(v.x.begin(), v.x.end());
    ASSERT_NE(twice, v.x.end()) << scheme;
    EXPECT_NEAR(*twice, hit, 1e-12) << scheme;
    const auto k = static_cast<std::size_t>(twice - v.x.begin());
    EXPECT_NEAR(v.y[k], -2 * 0.91, 1e-12) << scheme;  // of the row before
    EXPECT_GT(v.y[k + 1], 0.8) << scheme;
  }
}

TEST_F(ResultsTest, ReportShowsTheRun) {
  record(path("a.h5"), kPendulum, {});
  const std::string html = result_page(Results(path("a.h5"))).html();
  for (const char* word : {"pendulum", "<svg", "wall", "Certificate", "complementarity", "impact", "nonsmooth-alpha"})
    EXPECT_NE(html.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace ricochet::results_test
