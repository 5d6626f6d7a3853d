// Whatever text comes, the reader answers with a scenario or with an InputError of one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::scenario_fuzz_test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text, const std::string& donor) {
    for (int k = 1 + below(3); k > 0; --k) change(text, donor);
    return text;
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % std::max<std::size_t>(n, 1)); }

  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line + "\n");
    return out;
  }

  void change(std::string& text, const std::string& donor) {
    static const std::vector<std::string> pieces{
        "1e999", "-1",   "0",    ".nan",  "'",          "\"", "{",        "}",   "[",      "]",
        ": ",    "- ",   "&a ",  "*a",    "!!str ",     "\t", "\n",       "#",   "%",      "|",
        ">",     "^",    "1/0",  "(",     ")",          ",",  "sqrt(-1)", "x''", "null",   "~",
        "true",  "\xff", "\xc3", "---\n", "1000000000", "t",  "pi",       "sin", "scheme", "..",
        "<<: ",  "? ",   "0x10", "1_000", "\r",         "e",  "@",        "`",   "\0x"};
    std::vector<std::string> all = lines(text);
    const int i = below(all.size()), j = below(all.size());
    const auto join = [&] {
      text.clear();
      for (const std::string& line : all) text += line;
    };
    switch (all.empty() ? 6 : below(9)) {
      case 0: all.erase(all.begin() + i); return join();
      case 1: all.insert(all.begin() + j, all[static_cast<std::size_t>(i)]); return join();
      case 2: std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(j)]); return join();
      case 3: {  // garble a line
        std::string& line = all[static_cast<std::size_t>(i)];
        std::shuffle(line.begin(), line.end() - 1, random_);
        return join();
      }
      case 4: all[static_cast<std::size_t>(i)].insert(0, below(2) == 0 ? "  " : "-"); return join();
      case 5: {  // a line of another scenario
        const std::vector<std::string> other = lines(donor);
        if (!other.empty()) all.insert(all.begin() + i, other[static_cast<std::size_t>(below(other.size()))]);
        return join();
      }
      case 6:
        text.insert(static_cast<std::size_t>(below(text.size() + 1)),
                    pieces[static_cast<std::size_t>(below(pieces.size()))]);
        return;
      case 7:  // random bytes
        for (int k = 1 + below(4); k > 0 && !text.empty(); --k)
          text[static_cast<std::size_t>(below(text.size()))] = static_cast<char>(below(256));
        return;
      default: {  // a piece is cut out
        const auto at = static_cast<std::size_t>(below(text.size()));
        text.erase(at, static_cast<std::size_t>(below(20)));
        return;
      }
    }
  }

  std::mt19937 random_;
};

TEST(ScenarioFuzz, AnyTextIsAScenarioOrAnInputError) {
  std::vector<std::string> texts;
  for (const ShippedScenario& shipped : shipped_scenarios()) texts.push_back(contents(shipped.path));
  ASSERT_GE(texts.size(), 10U);
  texts.push_back(
      "system:\n  linear:\n    M: [[1, 0], [0, 2]]\n    C: {size: 2, entries: [[1, 1, 0.1]]}\n    K: [[2, -1], [-1, "
      "2]]\n"
      "    load: {q1: sin(t)}\n    joints: {tie: q1 - q2}\n    contacts: {stop: {gap: q1 + 1, slip: q2, friction: "
      "0.1}}\n"
      "simulation:\n  scheme: {name: moreau-jean, theta: 0.6}\n  step: 1e-3\n  until: 1\n");
  Mutator mutate(20240607);
  std::mt19937 choose(7);
  int read = 0, refused = 0;
  for (int k = 0; k < 3000; ++k) {
    const std::string text = mutate(texts[choose() % texts.size()], texts[choose() % texts.size()]);
    SCOPED_TRACE(text);
    try {
      const Scenario s = read_scenario(text, "fuzz.yaml");
      ASSERT_TRUE(s.initial.q.allFinite() && s.initial.v.allFinite());
      ASSERT_GT(s.policy.control.kind == Control::fixed ? s.policy.step : s.policy.control.initial, 0);
      ASSERT_EQ(s.initial.q.size(), s.model.nq());
      ASSERT_EQ(s.initial.v.size(), s.model.nv());
      ++read;
    } catch (const InputError& error) {
      const std::string message = error.what();
      ASSERT_EQ(message.rfind("fuzz.yaml", 0), 0U) << message;
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
      ++refused;
    }
  }
  // Both ends are exercised; measured: 435 read, 2565 refused.
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
  RecordProperty("read", read);
  RecordProperty("refused", refused);
}

}  // namespace
}  // namespace ricochet::scenario_fuzz_test
