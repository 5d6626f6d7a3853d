// The house rules that no compiler checks: who may include whom, which paths the documents name, how long a file may
// be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path kRoot = RICOCHET_SOURCE_DIR;
const fs::path kSources = kRoot / "src" / "ricochet";

// A layer may include itself and what is named here. `model` and `solver` never know each other; they meet in `scheme`,
// and only the layers above it see both.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"math", {}},
    {"geometry", {"math"}},
    {"model", {"geometry", "math"}},
    {"solver", {"math"}},
    {"scheme", {"model", "solver", "math"}},
    {"sim", {"scheme", "model", "solver", "math"}},
    {"analysis", {"math"}},
    {"io", {"sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
    {"page", {"io", "sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
    {"study", {"page", "io", "sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
    {"gallery", {"study", "page", "io", "sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
    {"view", {"io", "sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
    {"app",
     {"view", "gallery", "study", "page", "io", "sim", "analysis", "scheme", "model", "solver", "geometry", "math"}},
};

constexpr int kLongestFile = 650;

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> source_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSources)) {
    const auto extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp" || extension == ".def") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string layer_of(const fs::path& file) { return fs::relative(file, kSources).begin()->string(); }

std::string place(const fs::path& file, size_t line) {
  return fs::relative(file, kRoot).string() + ":" + std::to_string(line + 1) + ": ";
}

// The text between quotes of `#include "..."`, or nothing.
std::string quoted_include(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with("include")) return {};
  const auto open = line.find('"');
  if (open == std::string_view::npos) return {};
  const auto close = line.find('"', open + 1);
  return std::string(line.substr(open + 1, close - open - 1));
}

std::vector<std::string> layering_faults(const fs::path& file) {
  std::vector<std::string> faults;
  const auto layer = layer_of(file);
  const auto rule = kMayInclude.find(layer);
  if (rule == kMayInclude.end())
    return {place(file, 0) + "stands in no layer; give '" + layer + "' a place in this test"};

  const auto lines = lines_of(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto name = quoted_include(lines[i]);
    if (name.empty()) continue;
    const fs::path path = name;
    const auto part = path.begin();
    if (*part != "ricochet" || std::next(part) == path.end()) {
      faults.push_back(place(file, i) + "write the include as \"ricochet/<layer>/...\", not \"" + name + "\"");
      continue;
    }
    const auto other = std::next(part)->string();
    if (other != layer && !rule->second.contains(other)) {
      faults.push_back(place(file, i) + layer + " may not include " + other + " (\"" + name + "\")");
    }
  }
  return faults;
}

// Functions of the C library whose last bit depends on the processor and on the library's release; those of
// ricochet/math/elementary.hpp do not.
std::vector<std::string> library_functions(const fs::path& file) {
  static const std::regex call(
      "std::(sin|cos|tan|asin|acos|atan|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|sinh|cosh|tanh|asinh|acosh|atanh|"
      "cbrt|hypot|erf|erfc|tgamma|lgamma|polar|arg)\\(");
  std::vector<std::string> faults;
  const auto lines = lines_of(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (std::regex_search(lines[i], found, call))
      faults.push_back(place(file, i) + "elementary::" + found[1].str() +
                       " instead, whose bits are the same everywhere");
  }
  return faults;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> files;
  for (const char* name : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    if (fs::exists(kRoot / name)) files.push_back(kRoot / name);
  }
  if (fs::exists(kRoot / "docs")) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
      const auto& path = entry.path();
      if (path.extension() == ".md" && path.string().find("node_modules") == std::string::npos) files.push_back(path);
    }
  }
  return files;
}

bool names_repository_path(std::string_view text) {
  constexpr std::string_view kFolders[] = {"src/", "tests/", "docs/", "scenarios/", "schema/", "benchmarks/", "cmake/"};
  return std::any_of(std::begin(kFolders), std::end(kFolders), [&](auto folder) { return text.starts_with(folder); });
}

// Patterns, commands and the invented names of worked examples (my_scheme.cpp) name no one file.
bool is_placeholder(const std::string& text) {
  return text.find_first_of("<>*{}[]$ ") != std::string::npos || text.find("…") != std::string::npos ||
         text.find("...") != std::string::npos || text.find("/my_") != std::string::npos;
}

// Calls `visit(text)` for what stands between each pair of delimiters on the line.
template <class Visitor>
void for_each_between(const std::string& line, std::string_view open, std::string_view close, Visitor visit) {
  for (auto at = line.find(open); at != std::string::npos;) {
    const auto begin = at + open.size();
    const auto end = line.find(close, begin);
    if (end == std::string::npos) return;
    visit(line.substr(begin, end - begin));
    at = line.find(open, end + close.size());
  }
}

std::vector<std::string> document_faults(const fs::path& file) {
  std::vector<std::string> faults;
  const auto lines = lines_of(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    for_each_between(lines[i], "`", "`", [&](std::string text) {
      if (!names_repository_path(text) || is_placeholder(text)) return;
      text = text.substr(0, text.find_first_of(":#"));
      if (!fs::exists(kRoot / text)) faults.push_back(place(file, i) + "there is no " + text);
    });
    for_each_between(lines[i], "](", ")", [&](std::string text) {
      if (text.empty() || text[0] == '#' || text.find(':') != std::string::npos || is_placeholder(text)) return;
      text = text.substr(0, text.find('#'));
      if (!fs::exists(file.parent_path() / text))
        faults.push_back(place(file, i) + "the link to " + text + " is broken");
    });
  }
  return faults;
}

// Everything of the project that is text, without what builds and tools leave behind.
std::vector<fs::path> project_files() {
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator(kRoot); it != fs::recursive_directory_iterator(); ++it) {
    const auto name = it->path().filename().string();
    if (it->is_directory()) {
      if (name == ".git" || name == "out" || name == "node_modules" || name.starts_with("build")) {
        it.disable_recursion_pending();
      }
      continue;
    }
    const auto extension = it->path().extension();
    const bool is_binary = extension == ".h5" || extension == ".hdf5" || extension == ".png" || extension == ".gz";
    if (it->is_regular_file() && !is_binary) files.push_back(it->path());
  }
  return files;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(Architecture, TheTableOfLayersHasNoCycleAndKeepsModelAndSolverApart) {
  EXPECT_FALSE(kMayInclude.at("model").contains("solver"));
  EXPECT_FALSE(kMayInclude.at("solver").contains("model"));
  for (const auto& [layer, below] : kMayInclude) {
    for (const auto& other : below) {
      EXPECT_FALSE(kMayInclude.at(other).contains(layer)) << layer << " and " << other << " include each other";
    }
  }
}

TEST(Architecture, EachLayerIncludesOnlyWhatStandsBelowIt) {
  const auto files = source_files();
  ASSERT_GT(files.size(), 5U) << "looked in " << kSources;
  std::vector<std::string> faults;
  for (const auto& file : files) append(faults, layering_faults(file));
  EXPECT_THAT(faults, IsEmpty());
}

TEST(Architecture, NoNumberDependsOnTheLibrarysElementaryFunctions) {
  std::vector<std::string> faults;
  for (const auto& file : source_files()) append(faults, library_functions(file));
  EXPECT_THAT(faults, IsEmpty());
}

TEST(Architecture, SourceFilesAreShort) {
  std::vector<std::string> faults;
  for (const auto& file : source_files()) {
    const auto length = lines_of(file).size();
    if (length > kLongestFile) faults.push_back(place(file, length - 1) + "more than " + std::to_string(kLongestFile));
  }
  EXPECT_THAT(faults, IsEmpty());
}

TEST(Architecture, PathsNamedInTheDocumentsExist) {
  std::vector<std::string> faults;
  for (const auto& file : documents()) append(faults, document_faults(file));
  EXPECT_THAT(faults, IsEmpty());
}

// Where packages come from is the machine's business: a build behind a mirror must work unchanged.
// Those of the table in docs/cpp.md are those that are installed.
TEST(Architecture, TheDocumentsNameThePublicHeaders) {
  std::set<std::string> named, installed;
  static const std::regex in_text("`ricochet/([a-z_/]+\\.hpp)`");
  for (const std::string& line : lines_of(kRoot / "docs" / "cpp.md"))
    for (std::sregex_iterator m(line.begin(), line.end(), in_text), end; m != end; ++m) named.insert((*m)[1]);
  bool inside = false;
  static const std::regex in_list(" +([a-z_/]+\\.hpp)\\)?");
  for (const std::string& line : lines_of(kSources / "CMakeLists.txt")) {
    std::smatch header;
    if (inside && std::regex_match(line, header, in_list)) installed.insert(header[1]);
    inside = line == "set(ricochet_public_headers" || (inside && line.find(')') == std::string::npos);
  }
  EXPECT_EQ(named, installed);
}

TEST(Architecture, NoPackageHostIsNamed) {
  // Joined here, so that this file does not name them either.
  const std::vector<std::string> hosts = {std::string("registry.") + "npmjs",  std::string("registry.") + "yarnpkg",
                                          std::string("npm") + "mirror",       std::string("pypi") + ".org",
                                          std::string("python") + "hosted",    std::string("deb.") + "debian",
                                          std::string("security.") + "debian", std::string("docker") + ".io",
                                          std::string("ghcr") + ".io",         std::string("quay") + ".io"};
  std::vector<std::string> faults;
  for (const auto& file : project_files()) {
    const auto lines = lines_of(file);
    for (size_t i = 0; i < lines.size(); ++i) {
      for (const auto& host : hosts) {
        if (lines[i].find(host) != std::string::npos) faults.push_back(place(file, i) + "names " + host);
      }
    }
  }
  EXPECT_THAT(faults, IsEmpty());
}

}  // namespace
