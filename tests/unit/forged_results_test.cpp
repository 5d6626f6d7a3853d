// Files that lie. The balances alone, without making the run again, must find what is physically wrong; the replay
// finds the rest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/verify/verify.hpp"

namespace ricochet::forged_results_test {
namespace {

namespace fs = std::filesystem;

std::string ball(const std::string& scheme) {
  return R"(name: ball
system:
  formulas:
    coordinates: [y]
    kinetic: y'^2
    potential: 2*9.81*y
    contacts: {floor: {gap: y - 0.1, restitution: 0.5}}
initial: {position: {y: 0.3}}
simulation: {scheme: )" +
         scheme + ", step: 1.03e-3, until: 1}\n";
}

class ForgedResults : public ::testing::Test {
 protected:
  ForgedResults() : folder_(fs::temp_directory_path() / ("ricochet-forged-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ForgedResults() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "a.h5"; }

  void record(const std::string& text, std::int64_t every = 1) const {
    Scenario s = read_scenario(text, "test");
    s.record.every = every;
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(file(), header_of(s), s.model, run, {});
    recorder.finish(run, ricochet::run(s.model, *scheme, run, s.policy, &recorder));
  }

  /// Changes the numbers of a dataset in place.
  void change(const std::string& name, const std::function<void(std::vector<double>&, std::size_t width)>& how) const {
    h5::File f = h5::File::open_writable(file());
    const h5::Dataset d = f.root().dataset(name);
    std::vector<double> values = d.numbers();
    how(values, d.width());
    if (d.type() == h5::Dataset::Type::integer) {
      h5::Rows rows = f.root().integer_rows(name, d.width(), !d.is_vector());
      rows.truncate(0);
      rows.append(std::vector<std::int64_t>(values.begin(), values.end()));
    } else {
      h5::Rows rows = f.root().rows(name, d.width(), !d.is_vector());
      rows.truncate(0);
      rows.append(values);
    }
    f.flush();
  }
  void all(const std::string& name, double value) const {
    change(name, [&](auto& x, std::size_t) { std::fill(x.begin(), x.end(), value); });
  }
  void set_summary(const std::string& key, double value) const {
    h5::File f = h5::File::open_writable(file());
    f.root().group("summary").set(key, value);
    f.flush();
  }

  Verification quick() const { return verify(Results(file()), {.replay = false}); }
  Verification whole() const { return verify(Results(file())); }
  static double worst(const Verification& v, CheckKind kind) { return v.findings.check(kind).worst; }

  fs::path folder_;
};

TEST_F(ForgedResults, HonestOnesHold) {
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha", "event-driven", "schatzman-paoli", "newmark-position"}) {
    record(ball(scheme));
    const Verification v = whole();
    EXPECT_TRUE(v.holds()) << scheme << ": " << (v.holds() ? "" : v.disagreements.front().column);
    EXPECT_EQ(worst(v, CheckKind::replay), 0) << scheme;
  }
}

// An explicit scheme turns an element inside out, and stops: the last row has no finite forces. Its momentum cannot be
// judged, which is said; nothing is refused with a bound that is no number.
TEST_F(ForgedResults, WhatHasNoFiniteForcesIsNamed) {
  record(R"(
system:
  flexible:
    cube: {box: {size: [0.1, 0.1, 0.1], elements: [2, 2, 2]}, young: 90, poisson: 0.3, density: 1}
simulation: {scheme: galerkin-0, step: 5e-3, until: 0.5, max_halvings: 3}
)");
  const Verification v = whole();
  EXPECT_TRUE(v.holds()) << v.disagreements.front().column << " " << v.disagreements.front().accepted;
  EXPECT_TRUE(std::any_of(v.unchecked.begin(), v.unchecked.end(), [](const std::string& sentence) {
    return sentence.find("cannot be judged") != std::string::npos;
  }));
}

// Runs of a rougher joint, a stronger motor, a stickier ball than their scenario says: momentum, kinematics and ledger
// are in order, the bounds are not.
TEST_F(ForgedResults, ImpulsesBeyondTheirBounds) {
  struct Case {
    const char *system, *stated, *forged;
  };
  const Case cases[] = {
      {"    b: {mass: 2, inertia: [1, 1, 1], velocity: [2, 0, 0]}\n  joints:\n"
       "    j: {prismatic: [ground, b], axis: [1, 0, 0], friction: 0.3}\n",
       "friction: 0.3", "friction: 0.2"},
      {"    b: {mass: 2, inertia: [1, 1, 1]}\n  joints:\n    j: {revolute: [ground, b], speed: 5, torque: 3}\n",
       "torque: 3", "torque: 2"},
      {"    b: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], velocity: [1, 0, 0], angular_velocity: "
       "[0, "
       "10, 3]}\n  contacts:\n"
       "    j: {on_plane: [ground, b], to: [0, 0, 0.1], tip: 0.1, friction: 0.5, rolling: 2e-2, spinning: 1e-2}\n",
       "rolling: 2e-2", "rolling: 1e-2"}};
  for (const Case& c : cases)
    for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "newmark"}) {
      const std::string text = std::string("name: bounds\nsystem:\n  bodies:\n") + c.system +
                               "simulation: {scheme: " + scheme + ", step: 3e-3, until: 0.2}\n";
      record(text);
      const Verification honest = whole();
      EXPECT_TRUE(honest.holds()) << scheme << ": " << (honest.holds() ? "" : honest.disagreements.front().column);
      {
        h5::File f = h5::File::open_writable(file());
        std::string other = f.root().text("scenario");
        other.replace(other.find(c.stated), std::string(c.stated).size(), c.forged);
        f.root().set("scenario", other);
        f.flush();
      }
      const Verification v = quick();
      EXPECT_GT(worst(v, CheckKind::laws), 1e3) << scheme << " " << c.forged;
      EXPECT_LE(worst(v, CheckKind::momentum), 1) << scheme << " " << c.forged;
      EXPECT_FALSE(v.holds());
    }
}

// At rest in the air, with energies, gaps and velocities that fit.
TEST_F(ForgedResults, HoveringBall) {
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha", "event-driven", "schatzman-paoli", "newmark-position"}) {
    record(ball(scheme));
    all("steps/q", 0.3);
    all("steps/v", 0);
    all("declared/gap", 0.3 - 0.1);
    all("declared/U", 0);
    all("contacts/offset", 0);
    for (const char* name : {"key", "item", "bodies", "state", "gap", "U", "P", "correction"})
      change(std::string("contacts/") + name, [](auto& x, std::size_t) { x.clear(); });
    all("certificate", 0);
    change("energy", [](auto& x, std::size_t width) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % width == 1 ? 2 * 9.81 * 0.3 : 0;
    });
    const Verification v = quick();
    EXPECT_GT(worst(v, CheckKind::momentum), 1e3) << scheme;
    EXPECT_LE(worst(v, CheckKind::rows), 1) << "the forgery is better than the test thinks";
    EXPECT_LE(worst(v, CheckKind::ledger), 1);
    EXPECT_FALSE(v.holds());
  }
}

TEST_F(ForgedResults, TripledImpulses) {
  for (const char* scheme :
       {"moreau-jean", "nonsmooth-alpha", "event-driven", "galerkin-1", "mannshardt", "schatzman-paoli"}) {
    record(ball(scheme));
    change("contacts/P", [](auto& x, std::size_t) {
      for (double& p : x) p *= 3;
    });
    const Verification v = quick();
    EXPECT_GT(worst(v, CheckKind::momentum), 1) << scheme;
    EXPECT_FALSE(v.holds());
  }
}

TEST_F(ForgedResults, ShiftedPositions) {
  for (const std::size_t from : {0, 300}) {
    record(ball("moreau-jean"));
    const auto shift = [&](auto& x, std::size_t) {
      for (std::size_t i = from; i < x.size(); ++i) x[i] += 100;
    };
    change("steps/q", shift);
    change("declared/gap", shift);
    change("energy", [&](auto& x, std::size_t width) {
      for (std::size_t i = from; i < x.size() / width; ++i) x[i * width + 1] += 2 * 9.81 * 100;
    });
    const Verification v = quick();
    EXPECT_GT(worst(v, from == 0 ? CheckKind::rows : CheckKind::kinematics), 1e3);
    EXPECT_FALSE(v.holds());
  }
}

// A body that turns by more than half a turn in a step, and by nearly a whole one.
TEST_F(ForgedResults, FastTurns) {
  for (const char* rate : {"[0, 0, 4000]", "[0, -6283, 0]", "[3000, 2000, 4000]"})
    for (const char* scheme : {"moreau-jean", "projected", "nonsmooth-alpha"}) {
      record(std::string("system:\n  bodies:\n    b: {mass: 1, inertia: [1e-3, 2e-3, 2.5e-3], angular_velocity: ") +
             rate + "}\nsimulation: {scheme: " + scheme + ", step: 1e-3, until: 0.1}\n");
      const Verification v = whole();
      EXPECT_TRUE(v.holds()) << scheme << " " << rate << ": " << (v.holds() ? "" : v.disagreements.front().column);
    }
}

// Projections move the position by N G tau, in which turns count by the square of the lever: a body with small levers
// turns by more than lengths move, and a heavy one by more than M^-1 G tau.
TEST_F(ForgedResults, TurnsByProjections) {
  const auto box = [](const char* mass) {
    return std::string(R"(system:
  gravity: [0, 0, 0]
  collision: {}
  bodies:
    wall: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
    b: {shapes: [{box: {size: [0.4, 0.1, 0.1]}, mass: )") +
           mass + R"(}], position: [0, 0, 0.3], orientation: [0, 0.5, 0], velocity: [0, 0, -1]}
simulation: {scheme: projected, step: 1e-3, until: 0.3}
)";
  };
  record(R"(system:
  gravity: [0, 0, 0]
  collision: {}
  bodies:
    paddle: {shapes: [{box: {size: [1, 0.1, 0.1]}, mass: 1}], angular_velocity: [0, 0, 1]}
    ball: {shapes: [{sphere: {radius: 0.05}, mass: 1e-6}], position: [0.2, 0.1, 0], velocity: [0.4, 0.2, 0]}
simulation: {scheme: combined, step: 1e-3, until: 1.5}
)");
  const Verification paddle = whole();
  EXPECT_TRUE(paddle.holds()) << (paddle.holds() ? "" : paddle.disagreements.front().column);

  for (const char* mass : {"1", "1000"}) {
    record(box(mass));
    const Verification honest = whole();
    EXPECT_TRUE(honest.holds()) << mass << ": " << (honest.holds() ? "" : honest.disagreements.front().column);
    // From the row of the largest correction on the box is moved, or turned about its own y axis; q is its place and
    // the quaternion w, x, y, z.
    std::vector<double> corrections, offsets;
    change("contacts/correction", [&](auto& x, std::size_t) { corrections = x; });
    change("contacts/offset", [&](auto& x, std::size_t) { offsets = x; });
    const auto most = std::max_element(corrections.begin(), corrections.end()) - corrections.begin();
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), static_cast<double>(most));
    const auto row = static_cast<std::size_t>(next - offsets.begin()) - 1;
    const auto move = [&](std::size_t k, double by) {
      change("steps/q", [&](auto& x, std::size_t width) {
        for (std::size_t at = row * width; at < x.size(); at += width) x[at + k] += by;
      });
    };
    const auto turn = [&](double by) {
      change("steps/q", [&](auto& x, std::size_t width) {
        const double c = std::cos(by / 2), s = std::sin(by / 2);
        for (double* q = x.data() + row * width; q < x.data() + x.size(); q += width) {
          const double e[] = {q[3], q[4], q[5], q[6]};
          q[3] = c * e[0] - s * e[2];
          q[4] = c * e[1] - s * e[3];
          q[5] = c * e[2] + s * e[0];
          q[6] = c * e[3] + s * e[1];
        }
      });
    };
    for (const std::size_t k : {0, 2}) {
      move(k, 3e-3);
      EXPECT_GT(worst(quick(), CheckKind::kinematics), 1) << mass << ", q " << k;
      move(k, -3e-3);
    }
    for (const double by : {0.01, -0.01}) {
      turn(by);
      EXPECT_GT(worst(quick(), CheckKind::kinematics), 1) << mass << ", turned by " << by;
      turn(-by);
    }
    EXPECT_LE(worst(quick(), CheckKind::kinematics), 1) << mass;
    change("contacts/correction", [](auto& x, std::size_t) { std::fill(x.begin(), x.end(), 0); });
    EXPECT_GT(worst(quick(), CheckKind::kinematics), 1) << mass << ": not for nothing";
  }
}

TEST_F(ForgedResults, AlteredEnergyColumns) {
  for (const char* scheme : {"moreau-jean", "event-driven"}) {
    record(ball(scheme));
    // From one entry to another: their sum, and with it the change of energy, stays.
    change("energy", [](auto& x, std::size_t width) {
      x[400 * width + 5] -= 0.5;  // impact
      x[400 * width + 8] += 0.5;  // numerical
    });
    const double moved = 0.5;
    h5::File f = h5::File::open_writable(file());
    const double impact = f.root().group("summary").number("impact"),
                 made = f.root().group("summary").number("numerical");
    f.root().group("summary").set("impact", impact - moved);
    f.root().group("summary").set("numerical", made + moved);
    f.flush();
    const Verification v = whole();
    EXPECT_GT(worst(v, CheckKind::replay), 1) << scheme;
    EXPECT_EQ(worst(v, CheckKind::ledger) > 1, std::string(scheme) == "moreau-jean");
    EXPECT_FALSE(v.holds());
  }
}

// From kinetic to potential, within one row.
TEST_F(ForgedResults, AlteredEnergies) {
  record(ball("moreau-jean"));
  change("energy", [](auto& x, std::size_t width) {
    x[100 * width] += 0.5;
    x[100 * width + 1] -= 0.5;
  });
  EXPECT_GT(worst(quick(), CheckKind::ledger), 1);
}

// The motion of e = 0.5 in a file that says 0.9: all balances close, the law does not hold.
TEST_F(ForgedResults, AnotherRestitution) {
  record(ball("moreau-jean"));
  {
    h5::File f = h5::File::open_writable(file());
    std::string text = ball("moreau-jean");
    text.replace(text.find("restitution: 0.5"), 16, "restitution: 0.9");
    f.root().set("scenario", read_scenario(text, "test").text);
    f.flush();
  }
  const Verification v = quick();
  EXPECT_GT(worst(v, CheckKind::laws), 1);
  EXPECT_LE(worst(v, CheckKind::momentum), 1);
  EXPECT_FALSE(v.holds());
}

// Contacts that are listed with other gaps, velocities or states than the motion has.
TEST_F(ForgedResults, AlteredContactRows) {
  for (const char* name : {"gap", "U", "state"}) {
    record(ball("moreau-jean"));
    change(std::string("contacts/") + name, [](auto& x, std::size_t) { x.front() += 1; });
    EXPECT_FALSE(quick().holds()) << name;
  }
}

TEST_F(ForgedResults, RemovedEvents) {
  record(ball("event-driven"));
  const auto count = static_cast<double>(Results(file()).events().size());
  ASSERT_GT(count, 3);
  for (const char* name : {"t", "U_before", "U_after", "impulse", "kind", "constraint"})
    change(std::string("events/") + name, [](auto& x, std::size_t) { x.erase(x.begin() + 1); });
  EXPECT_FALSE(quick().holds());
  h5::File::open_writable(file()).root().group("summary").set("events", static_cast<std::int64_t>(count) - 1);
  EXPECT_GT(worst(whole(), CheckKind::replay), 1);
}

TEST_F(ForgedResults, RemovedContactRows) {
  record(ball("moreau-jean"));
  const std::size_t last = Results(file()).rows() - 1;
  ASSERT_GT(Results(file()).column("P.floor")[last], 0);  // it lies still
  for (const char* name : {"key", "item", "bodies", "state", "gap", "U", "P", "correction"})
    change(std::string("contacts/") + name, [](auto& x, std::size_t width) { x.resize(x.size() - width); });
  change("contacts/offset", [](auto& x, std::size_t) { x.back() -= 1; });
  const Verification v = quick();
  EXPECT_GT(worst(v, CheckKind::momentum), 1);
  EXPECT_FALSE(v.holds());
}

TEST_F(ForgedResults, AnotherSchemesName) {
  record(ball("moreau-jean"));
  h5::File::open_writable(file()).root().set("scheme", "combined");
  EXPECT_GT(worst(quick(), CheckKind::header), 1);
  {
    h5::File f = h5::File::open_writable(file());
    const Scenario other = read_scenario(ball("combined"), "test");
    f.root().set("scenario", other.text);
    f.root().set("options", header_of(other).options);
    f.flush();
  }
  const Verification v = whole();
  EXPECT_LE(worst(v, CheckKind::header), 1);
  EXPECT_GT(worst(v, CheckKind::replay), 1);
}

// Too small for any balance.
TEST_F(ForgedResults, AWhisker) {
  for (const std::int64_t every : {1, 7, 0}) {
    record(ball("moreau-jean"), every);
    change("steps/q", [](auto& x, std::size_t) { x.back() *= 1 + 1e-9; });
    const Verification v = whole();
    EXPECT_GT(worst(v, CheckKind::replay), 1) << every;
    EXPECT_EQ(v.unchecked.empty(), every == 1);
  }
}

TEST_F(ForgedResults, LargeErrorsThatAreAdmitted) {
  record(ball("combined"));
  change("certificate", [](auto& x, std::size_t width) { x[100 * width] = 2.1e5; });  // complementarity
  EXPECT_GT(worst(quick(), CheckKind::sizes), 1);
}

TEST_F(ForgedResults, FormatOneIsRefused) {
  record(ball("moreau-jean"));
  h5::File::open_writable(file()).root().set("format_version", 1);
  try {
    const Results r(file());
    FAIL();
  } catch (const InputError& error) {
    for (const char* word : {"format 1", "accepted: format 2", "scenario"})
      EXPECT_NE(error.message.find(word), std::string::npos) << error.message;
  }
}

// Lists that do not fit together are a damaged file, not a crash.
TEST_F(ForgedResults, DamagedLists) {
  const std::vector<std::pair<std::string, std::function<void(std::vector<double>&, std::size_t)>>> damages{
      {"offset", [](auto& x, std::size_t) { x[5] = -3; }},       {"offset", [](auto& x, std::size_t) { x[0] = 1; }},
      {"offset", [](auto& x, std::size_t) { x.back() += 1e9; }}, {"offset", [](auto& x, std::size_t) { x.pop_back(); }},
      {"item", [](auto& x, std::size_t) { x[0] = 7; }},          {"state", [](auto& x, std::size_t) { x[0] = 100; }},
      {"P", [](auto& x, std::size_t) { x.pop_back(); }}};
  for (const auto& [name, damage] : damages) {
    record(ball("moreau-jean"));
    change("contacts/" + name, damage);
    EXPECT_THROW(quick(), InputError) << name;
    EXPECT_THROW(Results(file()).column("P.floor"), InputError) << name;
  }
}

}  // namespace
}  // namespace ricochet::forged_results_test
