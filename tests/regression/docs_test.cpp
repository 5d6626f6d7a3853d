// What the documents tell the reader to type works. Of README.md and docs/*.md, in the order of the page:
//   ```sh                  lines that begin with ricochet or build/ricochet end with status 0; other lines are not run
//   ```text printed        each of its lines was printed by a command above it, but for those about the clock; "…"
//   stands
//                          for anything, "≤ 1e-10" for a number that is not larger: digits that change with the last
//                          bits
//   ```sh fails            they are refused (2) or fail in good order (3)
//   ```cpp FILE            is what the file holds
//   ```yaml scenario       loads as a scenario; with a name (```yaml scenario my.yaml) the later commands find it as a
//   file
//   ```yaml into NAME      loads as part of the shipped scenario NAME
//   ```python              ends without an error, in the folder of the commands above it, if Python has h5py; those of
//                          docs/python.md are run by tests/python
// Other examples there are none. Beside each document lie the shipped parts and meshes.
// Each document has a folder of its own, in which its commands run one after the other.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/io/yaml/yaml.hpp"
#include "support/paths.hpp"

namespace ricochet::docs_test {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = RICOCHET_SOURCE_DIR;

struct Block {
  std::vector<std::string> words;  ///< after the fence: language, then what is asked of it
  int line = 0;                    ///< of the fence
  std::vector<std::string> lines;
};

std::vector<Block> fenced_blocks(std::istream& in) {
  std::vector<Block> out;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      inside = !inside;
      if (!inside) continue;
      Block block;
      std::istringstream words(line.substr(3));
      for (std::string word; words >> word;) block.words.push_back(word);
      block.line = number;
      out.push_back(block);
    } else if (inside) {
      out.back().lines.push_back(line);
    }
  }
  EXPECT_FALSE(inside) << "a fence is left open";
  return out;
}

/// Lines that begin with the program, those that end with a backslash joined to the next.
std::vector<std::string> commands(const Block& block) {
  std::vector<std::string> out;
  bool goes_on = false;
  for (const std::string& line : block.lines) {
    const bool begins = line.rfind("ricochet ", 0) == 0 || line.rfind("build/ricochet ", 0) == 0;
    if (goes_on) {
      out.back() += "\n" + line;
    } else if (begins) {
      out.push_back(line);
    } else {
      continue;
    }
    goes_on = !line.empty() && line.back() == '\\';
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class Document : public testing::TestWithParam<std::string> {
 protected:
  Document() : folder_(fs::temp_directory_path() / ("ricochet-docs-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "build");
    fs::create_symlink(RICOCHET_BINARY_DIR "/ricochet", folder_ / "build" / "ricochet");
    for (const auto& file : fs::directory_iterator(kRoot / "scenarios"))
      if (file.path().extension() != ".yaml") fs::create_symlink(file.path(), folder_ / file.path().filename());
  }
  ~Document() override { fs::remove_all(folder_); }

  /// By the shell, in the document's folder, with the program on its path.
  int status_of(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && PATH=\"$PWD/build:$PATH\" && " + command;
    const int status = std::system(("{ " + line + "\n} >'" + log().string() + "' 2>&1").c_str());  // NOLINT
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  fs::path log() const { return folder_ / ".log"; }
  std::string printed() const {
    std::ifstream in(log());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  bool was_told(const std::string& line) const {
    if (line.find("…") == std::string::npos && line.find("≤") == std::string::npos)
      return told_.find("\n" + line + "\n") != std::string::npos;
    const auto all = [](const std::string& text, const char* what, const char* by) {
      return std::regex_replace(text, std::regex(what), by);
    };
    std::string pattern = all(line, R"([.^$|()\[\]{}*+?\\])", R"(\$&)");
    std::vector<double> bounds;
    const std::regex bound("≤ ([-+0-9.e\\\\]+)");
    for (std::sregex_iterator k(pattern.begin(), pattern.end(), bound), end; k != end; ++k)
      bounds.push_back(std::stod(all((*k)[1], R"(\\)", "")));
    pattern = all(all(std::regex_replace(pattern, bound, "([-+0-9.e]+)"), "…", ".*"), " +", " +");
    std::istringstream lines(told_);
    std::smatch found;
    for (std::string told; std::getline(lines, told);) {
      if (!std::regex_match(told, found, std::regex(pattern))) continue;
      bool within = true;
      for (std::size_t k = 0; k < bounds.size(); ++k) within = within && std::abs(std::stod(found[k + 1])) <= bounds[k];
      if (within) return true;
    }
    return false;
  }

  /// Assignments that put the blocks of a fragment into a scenario: "simulation.scales={length: 1}".
  static std::vector<std::string> parts_of(const std::string& fragment) {
    std::vector<std::string> out;
    const yaml::Document document = yaml::Document::parse(fragment, "fragment");
    for (const auto& [block, keys] : document.root().entries())
      for (const auto& [key, value] : keys.entries()) {
        if (!value.is_map()) {
          out.push_back(block + "." + key + "=" + value.text());
          continue;
        }
        for (const auto& [name, entry] : value.entries())
          out.push_back(block + "." + key + "." + name + "=" + entry.text());
      }
    return out;
  }

  void check_python(const Block& block) {
    const std::string python = fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
    if (status_of(python + " -c 'import h5py'") != 0) return;
    std::ofstream(folder_ / ".example.py") << joined(block.lines);
    EXPECT_EQ(status_of(python + " .example.py"), 0) << "line " << block.line << ":\n" << printed();
  }

  void check(const Block& block) {
    const auto& words = block.words;
    if (words.size() > 1 && words[0] == "yaml" && words[1] == "scenario") {
      const fs::path file = folder_ / (words.size() > 2 ? words[2] : "scenario.yaml");
      std::ofstream(file) << joined(block.lines);
      EXPECT_NO_THROW(load_scenario(file.string())) << "line " << block.line;
    }
    if (words.size() > 2 && words[0] == "yaml" && words[1] == "into") {
      EXPECT_NO_THROW(load_scenario(words[2], parts_of(joined(block.lines)))) << "line " << block.line;
    }
    if (!words.empty() && words[0] == "python") check_python(block);
    // A program that is shown is a file of the tests.
    if (words.size() > 1 && (words[0] == "cpp" || words[0] == "cmake")) {
      std::ifstream in(kRoot / words[1]);
      std::stringstream text;
      text << in.rdbuf();
      EXPECT_EQ(joined(block.lines), text.str()) << "line " << block.line << ": not what " << words[1] << " holds";
    }
    if (words.size() > 1 && words[0] == "text" && words[1] == "printed") {
      for (const std::string& line : block.lines)
        EXPECT_TRUE(line.find("wall time") != std::string::npos || was_told(line))
            << "line " << block.line << ": nobody prints '" << line << "'\n";
    }
    if (words.empty() || words[0] != "sh") return;
    const bool fails = words.size() > 1 && words[1] == "fails";
    for (const std::string& command : commands(block)) {
      const int status = status_of(command);
      told_ += printed();
      EXPECT_TRUE(fails ? status == 2 || status == 3 : status == 0)
          << "line " << block.line << ": " << command << "\nended with " << status << "\n"
          << printed();
    }
  }

  fs::path folder_;
  std::string told_ = "\n";  ///< by all commands so far
};

TEST_P(Document, ItsCommandsRunAndItsScenariosLoad) {
  std::ifstream in(kRoot / GetParam());
  ASSERT_TRUE(in) << GetParam();
  for (const Block& block : fenced_blocks(in))
    if (block.words.empty() || block.words[0] != "python" || GetParam() != "docs/python.md") check(block);
}

std::vector<std::string> documents() {
  std::vector<std::string> out{"README.md"};
  for (const auto& entry : fs::directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") out.push_back("docs/" + entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// A page that lost its marks would pass without having been read.
TEST(Documents, HaveCommandsAndScenarios) {
  std::size_t lines = 0, refusals = 0, scenarios = 0;
  for (const std::string& name : documents()) {
    std::ifstream in(kRoot / name);
    for (const Block& block : fenced_blocks(in)) {
      if (block.words.empty()) continue;
      if (block.words[0] == "sh") (block.words.size() > 1 ? refusals : lines) += commands(block).size();
      if (block.words[0] == "yaml") {
        EXPECT_GT(block.words.size(), 1U) << name << ", line " << block.line << ": an example that nobody reads";
        ++scenarios;
      }
    }
  }
  EXPECT_GE(lines, 25U);
  EXPECT_GE(refusals, 3U);
  EXPECT_GE(scenarios, 4U);
}

INSTANTIATE_TEST_SUITE_P(Docs, Document, testing::ValuesIn(documents()), case_name);

}  // namespace
}  // namespace ricochet::docs_test
