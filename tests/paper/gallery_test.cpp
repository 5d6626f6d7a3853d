// The entries of the reproduction gallery that take seconds, and the rules that all of them keep.
#include "ricochet/gallery/gallery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/scheme.hpp"
#include "support/paths.hpp"

namespace ricochet::gallery::gallery_test {
namespace {

/// A rival is another shipped scheme, a parameter with its wrong value ("e = 0.7"), or a formula "as printed". Another
/// quantity of the same run is none: it would not be measured in the same way.
bool names_what_is_wrong(const std::string& rival) {
  if (rival.find(" = ") != std::string::npos || rival.find("print") != std::string::npos) return true;
  return std::any_of(schemes().begin(), schemes().end(),
                     [&](const SchemeEntry& s) { return rival.find(s.info.name) != std::string::npos; });
}

class Gallery : public testing::TestWithParam<std::string> {};

TEST_P(Gallery, EntryPasses) {
  std::vector<Judged> all = select({GetParam()}, false);
  ASSERT_EQ(all.size(), 1U);
  compute(all, 1, [](const Judged& j) {
    EXPECT_TRUE(j.error.empty()) << j.error;
    EXPECT_FALSE(j.outcome.checks.empty());
    EXPECT_FALSE(j.outcome.figures.empty());
    for (const Figure& f : j.outcome.figures)
      EXPECT_TRUE(std::any_of(f.plot.series.begin(), f.plot.series.end(),
                              [](const svg::Series& s) { return s.x.size() > 1 && s.x.size() == s.y.size(); }))
          << j.entry->id << ": an empty figure, " << f.plot.title;
    for (const Check& c : j.outcome.checks) {
      // One that is known to differ must: where it does not any more, what is said about it is out of date.
      EXPECT_EQ(c.holds(), c.differs.empty()) << c.what << "\n" << to_text(j, true);
      EXPECT_TRUE(c.published || !c.derived.empty()) << c.what << ": neither published nor derived";
      EXPECT_TRUE(!c.published || c.published.document == j.document->id) << c.what;
      EXPECT_TRUE(!c.published.is_number() || c.accepted.holds(c.published.value) || !c.derived.empty())
          << c.what << ": accepts another number than the one that is published";
      EXPECT_FALSE(c.reason.empty()) << c.what;
      EXPECT_TRUE(names_what_is_wrong(c.rival)) << j.entry->id << ", " << c.what << ": \"" << c.rival << "\"";
    }
  });
}

/// Two of them take a third of the time of all.
std::vector<std::string> fast_entries(bool longest) {
  std::vector<std::string> out;
  for (const Judged& j : select({}, true))
    if ((j.entry->id == "acary-2012/fig-28" || j.entry->id == "acary-2012/table-3") == longest)
      out.push_back(j.entry->id);
  return out;
}
std::string label(const testing::TestParamInfo<std::string>& entry) {
  std::string name = entry.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fast, Gallery, testing::ValuesIn(fast_entries(false)), label);
INSTANTIATE_TEST_SUITE_P(LongFast, Gallery, testing::ValuesIn(fast_entries(true)), label);

TEST(GalleryTable, IdsAreUniqueAndComplete) {
  std::set<std::string> ids;
  for (const Document& d : documents())
    for (const Entry& e : d.entries) {
      EXPECT_TRUE(ids.insert(e.id).second) << e.id;
      EXPECT_TRUE(e.id.starts_with(d.id + "/")) << e.id;
      EXPECT_NE(e.compute, nullptr) << e.id;
    }
}

/// Rows of the tables of docs/gallery-map.md, with the document whose table they are in.
struct Row {
  std::string document, part, where;
};
std::vector<Row> rows_of_the_map() {
  std::ifstream in(std::filesystem::path(RICOCHET_SOURCE_DIR) / "docs" / "gallery-map.md");
  std::vector<Row> out;
  std::string document, text;
  while (std::getline(in, text)) {
    if (text.starts_with("## ")) document = text.substr(3);
    if (!text.starts_with("| ") || text.starts_with("| part") || text.starts_with("| ---")) continue;
    const std::size_t first = text.find(" | "), last = text.rfind(" | ");
    out.push_back({document, text.substr(2, first - 2), text.substr(last + 3)});
  }
  return out;
}

/// What stands in back quotes.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at)) {
    const std::size_t end = text.find('`', at + 1);
    out.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

// Every part of the documents has an entry, a scenario, or a reason; every entry has a part.
TEST(GalleryTable, TheMapNamesEveryEntryAndNoOther) {
  std::set<std::string> entries, scenarios, named;
  for (const Document& d : documents())
    for (const Entry& e : d.entries) entries.insert(e.id);
  for (const ShippedScenario& s : shipped_scenarios()) scenarios.insert(s.name);
  for (const Row& row : rows_of_the_map()) {
    bool found = row.where.starts_with("none: ");
    for (const std::string& name : quoted(row.where)) {
      found = found || entries.contains(name) || scenarios.contains(name);
      const bool an_entry = std::any_of(documents().begin(), documents().end(),
                                        [&](const Document& d) { return name.starts_with(d.id + "/"); });
      EXPECT_TRUE(!an_entry || entries.contains(name)) << row.part << ": " << name;
      named.insert(name);
    }
    EXPECT_TRUE(found) << row.document << ", " << row.part << ": neither an entry nor a scenario nor a reason";
  }
  for (const std::string& id : entries) EXPECT_TRUE(named.contains(id)) << id << " is not in docs/gallery-map.md";
}

/// Numbers after the word in the first column of a document's table: "Figures 21, 22" are two.
std::set<int> numbers(const std::string& document, const std::string& word) {
  std::set<int> out;
  const std::regex place(word + R"(s? (\d+(?:, \d+)*))"), number(R"(\d+)");
  for (const Row& row : rows_of_the_map()) {
    std::smatch found;
    if (row.document != document || !std::regex_search(row.part, found, place)) continue;
    const std::string list = found[1];
    for (std::sregex_iterator k(list.begin(), list.end(), number), end; k != end; ++k) out.insert(std::stoi(k->str()));
  }
  return out;
}

TEST(GalleryTable, TheMapHasEveryFigureAndTable) {
  const auto up_to = [](int n) {
    std::set<int> out;
    for (int k = 1; k <= n; ++k) out.insert(k);
    return out;
  };
  EXPECT_EQ(numbers("acary-2012", "Figure"), up_to(31));
  EXPECT_EQ(numbers("acary-2012", "Table"), up_to(3));
  EXPECT_EQ(numbers("bruls-2014", "Figure"), up_to(24));
  EXPECT_EQ(numbers("cosimo-2020", "Figure"), up_to(10));
}

// ---- what is published ----------------------------------------------------------------------------------------------
std::string one_space(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

TEST(Quotes, StandInTheirDocuments) {
  const std::filesystem::path papers = std::filesystem::path(RICOCHET_SOURCE_DIR).parent_path() / "shared" / "papers";
  if (!std::filesystem::is_directory(papers)) GTEST_SKIP() << "the documents are not beside the sources";
  std::map<std::string, std::vector<std::string>> lines;
  for (const Document& d : documents())
    for (const auto& file : std::filesystem::directory_iterator(papers)) {
      if (!file.path().filename().string().starts_with(d.id)) continue;
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) lines[d.id].push_back(one_space(line));
    }
  for (const Quote& q : all_quotes()) {
    const auto& text = lines[q.document];
    ASSERT_LE(static_cast<std::size_t>(q.line), text.size()) << q.document;
    EXPECT_NE(text[static_cast<std::size_t>(q.line) - 1].find(one_space(q.text)), std::string::npos)
        << q.document << ", line " << q.line << " has no '" << q.text << "'";
  }
}

/// The number at the beginning of a text, as LaTeX, or with a decimal colon: 1.324 \times 10^{-04}, 10^{-10}, 3:602.
double number_of(std::string text) {
  std::replace(text.begin(), text.end(), ':', '.');
  std::smatch found;
  const auto power = [](const std::string& digits) { return std::stod("1e" + digits); };
  if (std::regex_search(text, found, std::regex(R"(^10\^\{(-?\d+)\})"))) return power(found[1]);
  if (!std::regex_search(text, found, std::regex(R"(^(\d+\.?\d*)(?: \\times 10\^\{(-?\d+)\})?)"))) return std::nan("");
  return std::stod(found[1].str() + (found[2].matched ? "e" + found[2].str() : ""));
}

TEST(Quotes, NumbersAreThoseOfTheirTexts) {
  std::size_t numbers = 0;
  for (const Quote& q : all_quotes()) {
    if (!q.is_number()) continue;
    ++numbers;
    EXPECT_DOUBLE_EQ(q.value, number_of(q.text)) << q.document << ", line " << q.line;
  }
  EXPECT_GE(numbers, 20U);
}

TEST(Quotes, AreUsed) {
  std::set<std::string> words;
  const std::filesystem::path folder = std::filesystem::path(RICOCHET_SOURCE_DIR) / "src" / "ricochet" / "gallery";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cpp") continue;
    std::ifstream in(file.path());
    std::string word;
    for (char c = 0; in.get(c);)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
      } else {
        words.insert(std::exchange(word, {}));
      }
  }
  const std::regex entry(R"(^RICOCHET_(?:QUOTE|NUMBER)\((\w+),)");
  for (const auto& file : std::filesystem::directory_iterator(folder / "quotes")) {
    std::ifstream in(file.path());
    std::smatch found;
    for (std::string line; std::getline(in, line);)
      EXPECT_TRUE(!std::regex_search(line, found, entry) || words.contains(found[1]))
          << file.path().filename() << ": " << found[1] << " is not compared with anything";
  }
}

TEST(GalleryTable, AnUnknownEntryIsRefused) {
  EXPECT_THROW(select({"bruls-2014/fig-99"}, false), InputError);
  EXPECT_EQ(select({"bruls-2014/fig-9"}, false).size(), 1U);  // not fig-9x
}

TEST(GalleryTable, AFailedCheckFailsItsEntry) {
  Check c{.what = "x", .derived = "y", .computed = 1, .accepted = at_most(2), .reason = "z"};
  c.rival = "a rival that passes too";
  c.rival_computed = 1.5;
  EXPECT_FALSE(c.holds());
  c.rival_computed = 3;
  EXPECT_TRUE(c.holds());
  c.computed = std::nan("");
  EXPECT_FALSE(c.holds());
}

TEST(GalleryTable, ARivalIsASchemeOrAStatedParameter) {
  for (const char* good : {"moreau-jean", "nonsmooth-alpha with rho_inf = 0", "e = 0.7", "h/2 for h^2/2, as printed"})
    EXPECT_TRUE(names_what_is_wrong(good)) << good;
  for (const char* bad : {"", "the velocity in the uniform norm", "their largest impulses", "fixed steps"})
    EXPECT_FALSE(names_what_is_wrong(bad)) << bad;
}

}  // namespace
}  // namespace ricochet::gallery::gallery_test
