// A fixed slice of what ./dev soak runs, and the checks of generator and judge themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "ricochet/io/scenario/scenario.hpp"
#include "soak/generator.hpp"
#include "soak/judge.hpp"
#include "support/dense.hpp"

namespace ricochet::soak::soak_test {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int kSystems = 25;
#else
constexpr int kSystems = 250;
#endif
constexpr std::uint64_t kSeed = 20;

/// FNV-1a.
std::uint64_t hash(const std::string& text, std::uint64_t h) {
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

// Formulas, offsets and initial states of the first systems of a seed, to the last digit: on every machine the same.
TEST(Generator, IsTheSameEverywhere) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (std::uint64_t k = 0; k < 200; ++k) h = hash(generate(kSeed, k).yaml(), h);
  EXPECT_EQ(h, 35933483454281348ULL);
}

TEST(Generator, DrawsAllThatItPromises) {
  int planted = 0, friction = 0, space = 0, joints = 0, redundant = 0, timed = 0, closed = 0, elastic = 0, formulas = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    const System s = generate(kSeed, k);
    planted += s.planted != Planted::no;
    friction += s.has_friction();
    joints += !s.joints.empty();
    formulas += !s.as_matrices;
    timed += !s.conservative();
    elastic += s.largest_restitution() == 1;
    int rows = 0;
    for (const Joint& joint : s.joints) rows += static_cast<int>(joint.rows.size());
    Matrix G(s.n, rows + static_cast<int>(s.contacts.size()));
    int column = 0;
    for (const Joint& joint : s.joints)
      for (const Formula& row : joint.rows) G.col(column++) = row.gradient(s.q);
    for (const Contact& c : s.contacts) G.col(column++) = c.gap.gradient(s.q);
    redundant += G.cols() > 0 && test::rank(G) < G.cols();
    space += std::any_of(s.contacts.begin(), s.contacts.end(), [](const Contact& c) { return c.slips.size() == 2; });
    closed += std::any_of(s.contacts.begin(), s.contacts.end(),
                          [&](const Contact& c) { return std::abs(c.gap.value(0, s.q)) < 1e-9; });
  }
  for (const int count : {planted, friction, space, joints, redundant, timed, closed, elastic, formulas})
    EXPECT_GT(count, 40);
  EXPECT_GT(planted, 200);
}

struct Sample {
  System system;
  Scenario scenario;
  Subject subject() const { return {system, scenario.model, scenario.initial}; }
};

Sample sample(std::uint64_t index) {
  System system = generate(kSeed, index);
  Scenario scenario = read_scenario(system.yaml(), "system");
  return {std::move(system), std::move(scenario)};
}

// A run that is right, seen through eyes that deceive: the judge must notice each of the deceptions somewhere.
TEST(Judge, NoticesWhatIsWrong) {
  const std::vector<std::pair<const char*, Tamper>> deceptions{{"velocity", [](Seen& s) { s.v[0] += 1e-6; }},
                                                               {"position", [](Seen& s) { s.q[0] -= 1e-6; }},
                                                               {"impulse",
                                                                [](Seen& s) {
                                                                  for (auto& p : s.impulses)
                                                                    if (!p.empty() && p[0] > 0) p[0] *= 1.001;
                                                                }},
                                                               {"sign",
                                                                [](Seen& s) {
                                                                  for (auto& p : s.impulses)
                                                                    if (!p.empty()) p[0] = -p[0];
                                                                }},
                                                               {"friction",
                                                                [](Seen& s) {
                                                                  for (auto& p : s.impulses)
                                                                    if (p.size() > 1) p[1] *= 1.01;
                                                                }},
                                                               {"energy", [](Seen& s) { s.kinetic *= 1 + 1e-6; }},
                                                               {"time", [](Seen& s) { s.h *= 1.001; }}};
  for (const char* scheme : {"auto", "moreau-jean"}) {
    std::vector<int> noticed(deceptions.size());
    int right = 0;
    for (std::uint64_t k = 0; k < 40; ++k) {
      const Sample one = sample(k);
      if (run_and_judge(one.subject(), *find_scheme(scheme)).verdict != Verdict::ok) continue;
      ++right;
      for (std::size_t d = 0; d < deceptions.size(); ++d)
        noticed[d] +=
            run_and_judge(one.subject(), *find_scheme(scheme), deceptions[d].second).verdict == Verdict::silent;
    }
    ASSERT_GT(right, 20);
    // Not every system shows every deception: not all have friction, or an impulse.
    for (std::size_t d = 0; d < deceptions.size(); ++d)
      EXPECT_GT(noticed[d], 5) << scheme << ' ' << deceptions[d].first;
  }
}

// Restitution that is lost shows in no certificate, but in a motion that is known.
TEST(Judge, KnowsMotions) {
  int noticed = 0, known = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    System s = generate(kSeed, k);
    if (s.planted != Planted::separable || s.stiffness() > 0.2 || s.largest_restitution() < 0.5) continue;
    const Scenario scenario = read_scenario(s.yaml(), "system");
    const Subject subject{s, scenario.model, scenario.initial};
    EXPECT_EQ(run_and_judge(subject, *find_scheme("moreau-jean")).verdict, Verdict::ok) << k;
    ++known;
    System plastic = s;
    for (Wall& wall : plastic.walls) wall.e = 0;
    noticed += run_and_judge({plastic, scenario.model, scenario.initial}, *find_scheme("moreau-jean")).verdict ==
               Verdict::silent;
  }
  EXPECT_GT(known, 3);
  EXPECT_GT(noticed, known / 3);
}

/// Systems of the slice, read once for all schemes.
const Sample& of_slice(std::size_t index) {
  static std::deque<Sample> samples;
  while (samples.size() <= index) samples.push_back(sample(samples.size()));
  return samples[index];
}

class Slice : public ::testing::TestWithParam<std::string> {};

TEST_P(Slice, NothingIsSilentlyWrong) {
  const SchemeEntry& scheme = *find_scheme(GetParam());
  // Tracking of events to round-off takes a hundred times as long as a step of the others.
  const std::size_t systems = scheme.info.error_controlled ? kSystems / 5 : kSystems;
  int planted = 0, failed = 0;
  for (std::size_t k = 0; k < systems; ++k) {
    const Sample& one = of_slice(k);
    const Outcome out = run_and_judge(one.subject(), scheme);
    EXPECT_FALSE(is_defect(out.verdict)) << "seed " << kSeed << ", system " << k << " (" << one.system.kind
                                         << "): " << name(out.verdict) << ", " << out.what << " at t = " << out.at;
    if (out.verdict == Verdict::not_offered || !out.planted) continue;
    ++planted;
    // A forecast that may leave a closed contact out is declared, and the step says so.
    const bool declared = !scheme.info.holds_closed && out.what == name(StepStatus::unheld_contact);
    failed += out.verdict == Verdict::failed && !declared;
  }
  EXPECT_LT(failed, std::max(2, planted / 20)) << "of " << planted << " systems with a planted solution";
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> out;
  for (const SchemeEntry& entry : schemes()) out.push_back(entry.info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(AllSchemes, Slice, ::testing::ValuesIn(scheme_names()), [](const auto& scheme) {
  std::string name = scheme.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ricochet::soak::soak_test
