// Whatever is done to a STEP file, it is read or refused with an InputError, and what was read can be described.
// RICOCHET_STEP_MUTATIONS="FIRST COUNT" runs others than the few of every day.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/io/cad/part_summary.hpp"
#include "ricochet/io/cad/step.hpp"
#include "ricochet/io/error.hpp"
#include "support/paths.hpp"

namespace ricochet::step_fuzz_test {
namespace {

namespace fs = std::filesystem;

class Mutator {
 public:
  Mutator(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  std::string mutate() {
    for (std::size_t k = 1 + below(4); k > 0; --k) once();
    return text_;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  /// The next place of a character from somewhere in the data.
  std::size_t somewhere(char c) {
    const std::size_t data = text_.find("DATA;"), from = data + below(text_.size() - std::min(data, text_.size()));
    return text_.find(c, std::min(from, text_.size()));
  }

  void number(const std::vector<std::string>& words) {
    const std::size_t dot = somewhere('.');
    if (dot == std::string::npos) return;
    std::size_t begin = dot, end = dot + 1;
    while (begin > 0 && (std::isdigit(static_cast<unsigned char>(text_[begin - 1])) || text_[begin - 1] == '-'))
      --begin;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
    if (begin < dot) text_.replace(begin, end - begin, words[below(words.size())]);
  }

  void reference() {
    const std::size_t at = somewhere('#');
    if (at == std::string::npos) return;
    std::size_t end = at + 1;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
    text_.replace(at, end - at, "#" + std::to_string(1 + below(400)));
  }

  void keyword() {
    static const std::vector<std::string> kWords{
        "PLANE",  "CYLINDRICAL_SURFACE", "SPHERICAL_SURFACE", "TOROIDAL_SURFACE", "LINE",      "CIRCLE",
        "VECTOR", "DIRECTION",           "CARTESIAN_POINT",   "EDGE_CURVE",       "EDGE_LOOP", "ADVANCED_FACE",
        "PCURVE", "NOTHING_KNOWN",       "VERTEX_POINT",      "ELLIPSE"};
    const std::size_t at = somewhere('=');
    const std::size_t end = text_.find('(', std::min(at, text_.size()));
    if (end != std::string::npos) text_.replace(at, end - at, "= " + kWords[below(kWords.size())]);
  }

  void once() {
    if (text_.empty()) return;
    switch (below(10)) {
      case 0: text_.resize(below(text_.size())); break;
      case 1:
        for (std::size_t n = 1 + below(4); n > 0; --n) text_[below(text_.size())] = static_cast<char>(random_());
        break;
      case 2:
      case 3: number({"0.", "-1.", "1.E+300", "1.E-300", "1.E+12", "3.", "-0.001", "NAN.", "6.28318530718"}); break;
      case 4:
      case 5: reference(); break;
      case 6: keyword(); break;
      case 7: {
        const std::size_t at = somewhere('.');
        if (at != std::string::npos && at + 2 < text_.size() && text_[at + 2] == '.')
          text_[at + 1] = text_[at + 1] == 'T' ? 'F' : 'T';
        break;
      }
      case 8: {  // a statement goes, or comes twice
        const std::size_t at = somewhere(';'), end = text_.find(';', std::min(at, text_.size() - 1) + 1);
        if (end == std::string::npos) break;
        if (below(2) == 0)
          text_.erase(at, end - at);
        else
          text_.insert(end, text_.substr(at, end - at));
        break;
      }
      default: {
        const std::size_t at = somewhere(',');
        if (at != std::string::npos) text_.erase(at, 1 + below(12));
      }
    }
  }

  std::string text_;
  std::mt19937 random_;
};

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// What became of it, in a word.
std::string outcome(const std::string& path) {
  try {
    for (const StepPart& part : read_step(path).parts) {
      const brep::Part read = parse_brep(part.text, path);
      for (std::size_t k = 0; k < read.faces.size(); ++k) summary(read, k);
    }
    return "read";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(path, 0), 0U) << text;
    return text.find("breaks on") != std::string::npos      ? "broke the library"
           : text.find("does not end") != std::string::npos ? "took too long"
                                                            : "refused";
  }
}

TEST(StepFuzz, MutatedFilesAreReadOrRefused) {
  if (!fs::exists(RICOCHET_BINARY_DIR "/ricochet-cad")) GTEST_SKIP() << "built without OpenCASCADE";
  unsigned first = 0, count = 24;
  if (const char* chosen = std::getenv("RICOCHET_STEP_MUTATIONS")) {
    ASSERT_EQ(std::sscanf(chosen, "%u %u", &first, &count), 2);
  }
  std::vector<std::string> files;
  for (const char* name : {"cam-roller", "ring-pendulum", "bearing-bush", "cam-cam"})
    files.push_back(contents(fs::path(RICOCHET_SOURCE_DIR) / "scenarios" / "parts" / (std::string(name) + ".step")));
  const std::string path =
      (fs::temp_directory_path() / ("ricochet-step-" + std::to_string(getpid()) + ".step")).string();
  std::map<std::string, int> outcomes;
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(seed);
    std::ofstream(path, std::ios::binary) << Mutator(files[seed % files.size()], seed).mutate();
    const std::string what = outcome(path);
    ++outcomes[what];
    if (std::getenv("RICOCHET_STEP_MUTATIONS") != nullptr && (what == "broke the library" || what == "took too long"))
      std::printf("%u %s\n", seed, what.c_str());
  }
  fs::remove(path);
  for (const auto& [what, times] : outcomes) std::printf("%s: %d\n", what.c_str(), times);
  EXPECT_GT(outcomes["read"], 0);
  EXPECT_GT(outcomes["refused"], 0);
}

}  // namespace
}  // namespace ricochet::step_fuzz_test
