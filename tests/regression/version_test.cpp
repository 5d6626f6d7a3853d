// The version stands in one place, project() of CMakeLists.txt; everything else says what follows from it.
#include <nlohmann/json.hpp>
#include <regex>

#include "ricochet/io/result/results.hpp"
#include "support/program.hpp"

namespace ricochet::test {
namespace {

namespace fs = std::filesystem;

std::string base() {
  const std::string text = slurp(fs::path(RICOCHET_SOURCE_DIR) / "CMakeLists.txt");
  std::smatch found;
  return std::regex_search(text, found, std::regex(R"(project\(ricochet VERSION ([0-9.]+))")) ? found[1].str() : "";
}

class VersionTest : public ProgramTest {
 protected:
  /// What a build of a tree in this folder would say.
  std::string described() const {
    const Outcome o = shell("cmake -DBASE=0.3.0 -DSOURCE=tree -DOUT=version.cpp -P '" RICOCHET_SOURCE_DIR
                            "/cmake/version.cmake' && sed -n 's/.*return \"\\(.*\\)\".*/\\1/p' version.cpp");
    EXPECT_EQ(o.status, 0) << o.err;
    return o.out.substr(0, o.out.find('\n'));
  }
  void git(const std::string& words) const {
    EXPECT_EQ(shell("git -C tree -c user.name=a -c user.email=a@b " + words).status, 0) << words;
  }
};

TEST_F(VersionTest, OnePlace) {
  ASSERT_FALSE(base().empty());
  const std::string mine = version();
  EXPECT_TRUE(std::regex_match(mine, std::regex(R"(\d+\.\d+\.\d+(\+(\d+\.)?g[0-9a-f]+(\.dirty)?)?)"))) << mine;
  EXPECT_EQ(mine.substr(0, mine.find('+')), base());
  EXPECT_EQ(ricochet("--version").out, "ricochet " + mine + "\n");
  const fs::path root(RICOCHET_SOURCE_DIR);
  EXPECT_FALSE(nlohmann::json::parse(slurp(root / "viewer/package.json")).contains("version"));
  EXPECT_FALSE(nlohmann::json::parse(slurp(root / "viewer/package-lock.json")).contains("version"));
  EXPECT_EQ(slurp(root / "pyproject.toml").find("\nversion"), std::string::npos);
}

TEST_F(VersionTest, InEveryResult) {
  const auto j = nlohmann::json::parse(ricochet("run bouncing-ball --until 0.1 -o a.h5 --json").out);
  EXPECT_EQ(j["version"], version());
  EXPECT_EQ(Results(folder_ / "a.h5").root().text("version"), version());
}

TEST_F(VersionTest, BetweenReleases) {
  fs::create_directory(folder_ / "tree");
  EXPECT_EQ(described(), "0.3.0");  // no history: a release as an archive
  git("init -q");
  git("commit -q --allow-empty -m one");
  EXPECT_TRUE(std::regex_match(described(), std::regex(R"(0\.3\.0\+g[0-9a-f]+)"))) << described();
  git("tag v0.2.0");
  EXPECT_TRUE(std::regex_match(described(), std::regex(R"(0\.3\.0\+0\.g[0-9a-f]+)"))) << described();
  git("commit -q --allow-empty -m two");
  EXPECT_TRUE(std::regex_match(described(), std::regex(R"(0\.3\.0\+1\.g[0-9a-f]+)"))) << described();
  git("tag v0.3.0");
  EXPECT_EQ(described(), "0.3.0");
  shell("touch tree/new && git -C tree add new");
  EXPECT_TRUE(std::regex_match(described(), std::regex(R"(0\.3\.0\+0\.g[0-9a-f]+\.dirty)"))) << described();
}

}  // namespace
}  // namespace ricochet::test
