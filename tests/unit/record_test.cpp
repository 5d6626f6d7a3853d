// How much of a run is recorded, and steps that are accepted above the tolerance: nothing of it changes the motion, and
// nothing that is left out or missed is passed over in silence.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "ricochet/io/file/background.hpp"
#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "ricochet/page/result_page.hpp"

namespace ricochet::record_test {
namespace {

namespace fs = std::filesystem;

std::string pile(const std::string& record) {
  return R"(name: pile
system:
  gravity: [0, 0, -9.81]
  collision: {friction: 0.3}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
    ball: {shapes: [{sphere: {radius: 0.05}, density: 1000}], position: [0.02, 0, 0.36]}
  scenes:
    stack: {stack: [3], body: {box: {size: [0.1, 0.1, 0.1]}, mass: 1}}
simulation: {scheme: combined, step: 1e-3, until: 0.06)" +
         record + "}\n";
}

// Newton gets one pass less than it needs for the tolerance.
std::string hurried(const std::string& accept) {
  return R"(name: hurried
system:
  formulas:
    coordinates: [x, y]
    kinetic: (x'^2 + y'^2)/2
    potential: 10*y
    joints: {rod: x^2 + y^2 - 1}
initial: {position: {x: 1}}
simulation: {scheme: {name: combined, tolerance: 1e-11, max_newton: 2}, step: 1e-2, until: 0.5, max_halvings: 1)" +
         accept + "}\n";
}

class RecordTest : public ::testing::Test {
 protected:
  RecordTest() : folder_(fs::temp_directory_path() / ("ricochet-record-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~RecordTest() override { fs::remove_all(folder_); }

  struct Ended {
    Scenario scenario;
    RunState run;
    RunResult result;
  };
  Ended record(const std::string& file, const std::string& text) const {
    Ended out{read_scenario(text, "test"), {}, {}};
    const Scenario& s = out.scenario;
    const auto scheme = make_scheme(s.scheme, s.options);
    out.run = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(path(file), header_of(s), s.model, out.run, {});
    out.result = run(s.model, *scheme, out.run, s.policy, &recorder);
    recorder.finish(out.run, out.result);
    return out;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(RecordTest, LeavesOutWhatIsNotAskedFor) {
  record("all.h5", pile(""));
  record("forces.h5", pile(", record: {contacts: forces}"));
  record("none.h5", pile(", record: {every: 4, contacts: none}"));
  const Results all(path("all.h5")), forces(path("forces.h5")), none(path("none.h5"));
  EXPECT_EQ(forces.column("q.ball.z"), all.column("q.ball.z"));
  ASSERT_EQ(none.rows(), 16U);
  EXPECT_EQ(none.column("q.ball.z").back(), all.column("q.ball.z").back());
  EXPECT_FALSE(none.root().has("contacts"));
  EXPECT_TRUE(forces.root().has("contacts/P"));
  EXPECT_FALSE(forces.root().has("contacts/gap"));

  // Of the contacts those with an impulse, and of these the impulses.
  RowReader a(all), b(forces);
  std::size_t listed = 0, impulses = 0;
  while (a.next() && b.next()) {
    std::vector<ContactEntry> loaded;
    for (const ContactEntry& e : a.row().contacts)
      if (e.P[0] != 0) loaded.push_back(e);
    listed += a.row().contacts.size();
    impulses += loaded.size();
    ASSERT_EQ(b.row().contacts.size(), loaded.size());
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      const ContactEntry& e = b.row().contacts[k];
      EXPECT_EQ(e.key, loaded[k].key);
      EXPECT_EQ(e.P, loaded[k].P);
      EXPECT_EQ(e.state, loaded[k].state);
      EXPECT_TRUE(std::isnan(e.gap) && std::isnan(e.point[0]));
    }
  }
  EXPECT_GT(impulses, 500U);
  EXPECT_GT(listed, impulses);
}

TEST_F(RecordTest, VerifySaysWhatItCannotCheck) {
  for (const char* what : {"forces", "none"}) {
    record("a.h5", pile(std::string(", record: {contacts: ") + what + "}"));
    const Verification v = verify(Results(path("a.h5")));
    EXPECT_TRUE(v.holds()) << v.disagreements.front().column;
    EXPECT_FALSE(v.laws_known());
    ASSERT_EQ(v.unchecked.size(), 1U);
    EXPECT_NE(v.unchecked[0].find("momentum and the laws of contact"), std::string::npos) << v.unchecked[0];
    EXPECT_EQ(v.findings.check(CheckKind::laws).compared, 0);
    EXPECT_GT(v.findings.check(CheckKind::replay).compared, 1000);
    // a page is made of what there is
    EXPECT_FALSE(result_page(Results(path("a.h5"))).html().empty());
  }
}

TEST_F(RecordTest, AcceptedStepsAreMarkedAndCounted) {
  EXPECT_EQ(record("a.h5", hurried("")).result.status, RunStatus::failed);
  const Ended e = record("b.h5", hurried(", accept: {residual: 1e-4}"));
  ASSERT_EQ(e.result.status, RunStatus::uncertified);
  const std::int64_t count = e.run.summary.uncertified;
  EXPECT_GT(count, 10);
  EXPECT_LT(count, e.run.summary.steps + 1);
  // The errors are told as they are: above the tolerance, below what was accepted.
  EXPECT_GT(e.run.summary.certificate.joint_position, 1e-11);
  EXPECT_LT(e.run.summary.certificate.joint_position, 1e-4);
  const RunOutcome outcome{&e.scenario, &e.run, &e.result, "", 0, e.run.summary.steps, 1};
  EXPECT_NE(summary_text(outcome).find("finished with " + std::to_string(count) + " uncertified steps"),
            std::string::npos);
  EXPECT_NE(summary_json(outcome).find("\"finished-uncertified\""), std::string::npos);

  const Results r(path("b.h5"));
  EXPECT_EQ(r.status(), "finished-uncertified");
  const auto marks = r.column("uncertified");
  EXPECT_EQ(std::accumulate(marks.begin(), marks.end(), 0.0), static_cast<double>(count));
  const Verification v = verify(r);
  EXPECT_TRUE(v.holds()) << v.disagreements.front().column;
  EXPECT_EQ(v.uncertified, count);
}

TEST_F(RecordTest, ForgedMarksAreFound) {
  record("b.h5", hurried(", accept: {residual: 1e-4}"));
  {
    h5::File f = h5::File::open_writable(path("b.h5"));
    const std::size_t rows = f.root().dataset("steps/uncertified").rows();
    h5::Rows marks = f.root().integer_rows("steps/uncertified", 1, false);
    marks.truncate(0);
    marks.append(std::vector<std::int64_t>(rows, 0));
    f.root().set("status", "finished");
    f.root().group("summary").set("uncertified", std::int64_t{0});
    f.flush();
  }
  const Verification quick = verify(Results(path("b.h5")), {.replay = false});
  EXPECT_FALSE(quick.holds());  // the errors of the rows are above the tolerance
  EXPECT_FALSE(verify(Results(path("b.h5"))).holds());
}

TEST_F(RecordTest, AcceptRefusesWhatItCannotMean) {
  EXPECT_THROW(read_scenario(hurried(", accept: {residual: 1e-12}"), "test"), InputError);
  EXPECT_THROW(read_scenario(hurried(", accept: {}"), "test"), InputError);
  std::string chosen = hurried(", accept: {residual: 1e-4}");
  chosen.replace(chosen.find("step: 1e-2"), 10, "step: auto");
  EXPECT_THROW(read_scenario(chosen, "test"), InputError);
}

TEST(Background, DoesJobsInOrderAndTellsOfFailure) {
  std::vector<int> done;
  {
    Background background;
    for (int k = 0; k < 20; ++k) background.post([&done, k] { done.push_back(k); });
    background.wait();
    ASSERT_EQ(done.size(), 20U);
    background.post([] { throw std::runtime_error("full"); });
    EXPECT_THROW(background.wait(), std::runtime_error);
    EXPECT_THROW(background.post([&done] { done.push_back(-1); }), std::runtime_error);
  }
  for (int k = 0; k < 20; ++k) EXPECT_EQ(done[static_cast<std::size_t>(k)], k);
  EXPECT_EQ(done.size(), 20U);
}

}  // namespace
}  // namespace ricochet::record_test
