// The entries of the reproduction gallery that take seconds, and the rules that all of them keep.
#include "ricochet/gallery/gallery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/scheme.hpp"

namespace ricochet::gallery {
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
    EXPECT_EQ(j.verdict(), Verdict::pass) << to_text(j, true);
    EXPECT_FALSE(j.outcome.figures.empty());
    for (const Figure& f : j.outcome.figures)
      EXPECT_TRUE(std::any_of(f.plot.series.begin(), f.plot.series.end(),
                              [](const svg::Series& s) { return s.x.size() > 1 && s.x.size() == s.y.size(); }))
          << j.entry->id << ": an empty figure, " << f.plot.title;
    for (const Check& c : j.outcome.checks) {
      EXPECT_FALSE(c.published.empty()) << c.what;
      EXPECT_FALSE(c.reason.empty()) << c.what;
      EXPECT_TRUE(names_what_is_wrong(c.rival)) << j.entry->id << ", " << c.what << ": \"" << c.rival << "\"";
    }
  });
}

std::vector<std::string> fast_entries() {
  std::vector<std::string> out;
  for (const Judged& j : select({}, true)) out.push_back(j.entry->id);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Fast, Gallery, testing::ValuesIn(fast_entries()), [](const auto& entry) {
  std::string name = entry.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(GalleryTable, IdsAreUniqueAndComplete) {
  std::set<std::string> ids;
  for (const Document& d : documents())
    for (const Entry& e : d.entries) {
      EXPECT_TRUE(ids.insert(e.id).second) << e.id;
      EXPECT_TRUE(e.id.starts_with(d.id + "/")) << e.id;
      EXPECT_NE(e.compute, nullptr) << e.id;
    }
}

TEST(GalleryTable, AnUnknownEntryIsRefused) {
  EXPECT_THROW(select({"bruls-2014/fig-99"}, false), InputError);
  EXPECT_EQ(select({"bruls-2014/fig-9"}, false).size(), 1U);  // not fig-9x
}

TEST(GalleryTable, AFailedCheckFailsItsEntry) {
  Check c{.what = "x", .published = "y", .computed = 1, .accepted = at_most(2), .reason = "z"};
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
}  // namespace ricochet::gallery
