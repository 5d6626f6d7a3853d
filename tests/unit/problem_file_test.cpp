// Problem files: what is written is read again, and what is damaged is refused with its place.
#include "ricochet/io/problem/problem_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "ricochet/io/error.hpp"
#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/problem/dump.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/dense.hpp"
#include "support/problems.hpp"

namespace ricochet::problem_file_test {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  const fs::path path = fs::path(::testing::TempDir()) / "ricochet-problem-files";
  fs::create_directories(path);
  return path;
}

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = (folder() / name).string();
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// Cones in a row with a random matrix, some places empty.
ProblemData random_problem(std::vector<ConeBlock> blocks, ProblemKind kind, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  ProblemData data;
  data.kind = kind;
  int rows = 0;
  for (ConeBlock& block : blocks) block.row = rows, rows += block.dim;
  data.blocks = blocks;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      if (i == j || random() % 3 == 0) entries.emplace_back(i, j, (i == j ? 3 : 0) + uniform(random) / 3);
  data.W.resize(rows, rows);
  data.W.setFromTriplets(entries.begin(), entries.end());
  data.b = VectorXd::NullaryExpr(rows, [&] { return uniform(random) * 1e-3; });
  return data;
}

void expect_equal(const ProblemData& a, const ProblemData& b) {
  EXPECT_EQ(a.kind, b.kind);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    EXPECT_EQ(a.blocks[k].cone, b.blocks[k].cone);
    EXPECT_EQ(a.blocks[k].row, b.blocks[k].row);
    EXPECT_EQ(a.blocks[k].dim, b.blocks[k].dim);
    EXPECT_EQ(a.blocks[k].mu, b.blocks[k].mu);
  }
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_TRUE(Eigen::MatrixXd(a.W) == Eigen::MatrixXd(b.W));  // every bit
  EXPECT_TRUE(a.b == b.b);
}

ProblemData through(const ProblemData& data, const std::string& name) {
  const fs::path path = folder() / name;
  write_problem(path, data);
  return read_problem(path);
}

const ConeBlock kRow{Cone::nonnegative, 0, 1, 0}, kFree{Cone::free, 0, 1, 0}, kPlane{Cone::coulomb, 0, 2, 0.3},
    kSpace{Cone::coulomb, 0, 3, 0.7}, kSecond{Cone::second_order, 0, 3, 0.1};

TEST(ProblemFile, WhatIsWrittenIsReadAgain) {
  const ProblemData lcp = random_problem({kRow, kRow, kRow, kRow}, ProblemKind::lcp, 1);
  expect_equal(lcp, through(lcp, "a.lcp"));
  expect_equal(lcp, through(lcp, "a.cones"));
  const ProblemData mlcp = random_problem({kFree, kRow, kRow, kFree, kRow}, ProblemKind::mlcp, 2);
  expect_equal(mlcp, through(mlcp, "b.dat"));
  expect_equal(mlcp, through(mlcp, "b.cones"));
  const ProblemData plane = random_problem({kPlane, kPlane, kPlane}, ProblemKind::friction, 3);
  for (const char* name : {"c.fc2d", "c.dat", "c.hdf5", "c.cones"}) expect_equal(plane, through(plane, name));
  const ProblemData space = random_problem({kSpace, kSpace}, ProblemKind::friction, 4);
  for (const char* name : {"d.fc3d", "d.dat", "d.h5", "d.cones"}) expect_equal(space, through(space, name));
  const ProblemData one = random_problem({kSpace}, ProblemKind::friction, 5);  // could be read as a cone problem
  expect_equal(one, through(one, "e.dat"));
  const ProblemData cones = random_problem({kSecond, kRow, kSecond}, ProblemKind::cone, 6);
  expect_equal(cones, through(cones, "f.dat"));
  const ProblemData single = random_problem({kSecond}, ProblemKind::cone, 7);
  expect_equal(single, through(single, "g.dat"));
  const ProblemData mixture = random_problem({kFree, kSpace, kPlane, kSecond, kRow}, ProblemKind::friction, 8);
  expect_equal(mixture, through(mixture, "h.cones"));
  EXPECT_THROW(write_problem(folder() / "h.fc3d", mixture), InputError);
  EXPECT_THROW(write_problem(folder() / "h.hdf5", mixture), InputError);
  EXPECT_THROW(write_problem(folder() / "h.txt", mixture), InputError);
}

TEST(ProblemFile, GlobalProblemsAreCondensed) {
  ProblemData data = random_problem({kSpace, kSpace}, ProblemKind::global_friction, 9);
  GlobalProblem& g = data.global;
  g.M = random_problem(std::vector<ConeBlock>(9, kRow), ProblemKind::lcp, 10).W;
  g.H = SparseRows(random_problem(std::vector<ConeBlock>(9, kRow), ProblemKind::lcp, 11).W.leftCols(6));
  g.f = VectorXd::LinSpaced(9, -1, 1);
  g.w = VectorXd::LinSpaced(6, 0, 0.1);
  g.blocks = data.blocks;
  const Eigen::MatrixXd M(g.M), H(g.H);
  const Eigen::MatrixXd inverse = test::inverse(M), W = H.transpose() * inverse * H;
  const VectorXd q = H.transpose() * inverse * g.f + g.w;
  for (const char* name : {"global.hdf5", "global.dat"}) {
    const ProblemData read = through(data, name);
    EXPECT_EQ(read.kind, ProblemKind::global_friction);
    EXPECT_LT((Eigen::MatrixXd(read.W) - W).cwiseAbs().maxCoeff(), 1e-14);  // measured 3e-16
    EXPECT_LT((read.b - q).cwiseAbs().maxCoeff(), 1e-14);
    // v of a solution satisfies both equations.
    const VectorXd r = VectorXd::LinSpaced(6, 1, 2), v = global_velocity(read.global, r.data());
    EXPECT_LT((M * v - H * r - g.f).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((H.transpose() * v + g.w - (W * r + q)).cwiseAbs().maxCoeff(), 1e-13);
  }
  data.global.M *= 0.0;
  write_problem(folder() / "singular.hdf5", data);
  EXPECT_THROW(read_problem(folder() / "singular.hdf5"), InputError);
}

TEST(ProblemFile, FreeRowsComeFirst) {
  const ProblemData data = random_problem({kRow, kFree, kRow, kFree}, ProblemKind::mlcp, 12);
  const LoadedProblem loaded = make_problem(data);
  EXPECT_EQ(loaded.row_of, (std::vector<int>{1, 3, 0, 2}));
  const Eigen::MatrixXd W(data.W);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(loaded.problem.b[i], data.b[loaded.row_of[static_cast<std::size_t>(i)]]);
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(loaded.problem.W(i, j),
                W(loaded.row_of[static_cast<std::size_t>(i)], loaded.row_of[static_cast<std::size_t>(j)]));
  }
}

TEST(ProblemFile, DamageIsRefusedWithItsPlace) {
  struct Case {
    const char* name;
    const char* text;
    const char* where;  ///< behind the file's name
    const char* what;
  };
  const Case cases[] = {
      {"empty.lcp", "", "", "empty"},
      {"binary.lcp", "lcp 1\n\x01\x02 3", ":2", "no whole number"},
      {"version.lcp", "lcp 2\n1 0\n0\n", ":1", "version"},
      {"short.lcp", "lcp 1\n2 1\n0 0 1\n-1\n", ":5", "ends"},
      {"cut.lcp", "lcp 1\n2 1\n0 0 1\n-1                                                  \n", ":5", "ends"},
      {"huge.lcp", "lcp 1\n2 2000000000\n0 0 1\n", ":2", "too short"},
      {"row.lcp", "lcp 1\n2 1\n2 0 1\n-1 -1\n", ":3", "0 to 1"},
      {"twice.lcp", "lcp 1\n1 2\n0 0 1\n0 0 1\n-1\n", ":4", "twice"},
      {"nan.lcp", "lcp 1\n1 1\n0 0 nan\n-1\n", ":3", "finite"},
      {"overflow.lcp", "lcp 1\n1 1\n0 0 1\n1e999\n", ":4", "finite"},
      {"word.lcp", "lcp 1\n1 1\n0 0 1\nx\n", ":4", "no number"},
      {"more.lcp", "lcp 1\n1 1\n0 0 1\n-1\n7\n", ":4", "more values"},
      {"friction.fc2d", "fc2d 1\n1 0\n0 0\n-0.5\n", ":4", "negative"},
      {"cone.cones", "cones 1\n1 0\nhalf 1 0\n0\n", ":3", "no cone"},
      {"dense.dat", "3 1 0 3 3 3 2 1 0 0 0 1 0 0 0 1  0 0 0 0.1", ":1", "3 to 3"},
      {"nonsquare.dat", "3 1 0 2 3 2 3 1 0 0 0 1 0  0 0 0 0.1", ":1", "square"},
      {"blocks.dat", "3 1 1 3 3 1 1 1 4 3 2 1 0 1 0 0", ":1", "end of a block"},
      {"pointers.dat", "3 1 1 3 3 1 1 1 3 3 2 1 0 0 0 0", ":1", "block pointers"},
      {"mixed.dat", "1 0 1 1 0 1 2 1 1 0 2 2 2 2 1 0 0 1 0 0", ":1", "equalities"},
      {"other.dat", "hello", ":1", "no whole number"},
  };
  for (const Case& c : cases) {
    const std::string path = file_with(c.name, c.text);
    try {
      read_problem(path);
      ADD_FAILURE() << c.name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.where, path + c.where) << error.what();
      EXPECT_NE(error.message.find(c.what), std::string::npos) << c.name << ": " << error.what();
    }
  }
  EXPECT_THROW(read_problem(folder() / "absent.lcp"), InputError);
  EXPECT_THROW(read_problem(folder()), InputError);
}

TEST(ProblemFile, DamagedHdf5NamesThePathInside) {
  const ProblemData data = random_problem({kSpace, kSpace}, ProblemKind::friction, 13);
  const auto damaged = [&](const char* name, auto damage) {
    const fs::path path = folder() / name;
    h5::File file = h5::File::create(path);
    const h5::Group root = file.root().group("fclib_local");
    damage(root);
    file.flush();
    try {
      read_problem(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Integers = std::vector<std::int32_t>;
  const auto put = [](const h5::Group& g, const char* name, const Integers& v) {
    g.write(name, std::span<const std::int32_t>(v));
  };
  const auto values = [](const h5::Group& g, const char* name, std::vector<double> v) {
    g.write(name, std::span<const double>(v));
  };
  const auto whole = [&](const h5::Group& g, Integers p, double x, std::vector<double> q) {
    put(g, "spacedim", {2});
    put(g, "W/m", {2}), put(g, "W/n", {2}), put(g, "W/nzmax", {2}), put(g, "W/nz", {-2});
    put(g, "W/p", p), put(g, "W/i", {0, 1});
    values(g, "W/x", {x, 1}), values(g, "vectors/q", q), values(g, "vectors/mu", {0.5});
  };
  EXPECT_EQ(damaged("good.h5", [&](const h5::Group& g) { whole(g, {0, 1, 2}, 1, {0, -1}); }), "accepted");
  EXPECT_NE(damaged("p.h5",
                    [&](const h5::Group& g) {
                      whole(g, {0, 2, 1}, 1, {0, -1});
                    })
                .find("/fclib_local/W/p"),
            std::string::npos);
  EXPECT_NE(damaged("x.h5",
                    [&](const h5::Group& g) {
                      whole(g, {0, 1, 2}, std::nan(""), {0, -1});
                    })
                .find("/fclib_local/W/x: entry 0 is not finite"),
            std::string::npos);
  EXPECT_NE(damaged("q.h5",
                    [&](const h5::Group& g) {
                      whole(g, {0, 1, 2}, 1, {0, -1, 3});
                    })
                .find("/fclib_local/vectors/q: has 3 entries; accepted: 2"),
            std::string::npos);
  EXPECT_NE(damaged("none.h5", [](const h5::Group&) {}).find("spacedim"), std::string::npos);
}

TEST(ProblemFile, TheTwoFormsOfThePublicProblemsAgree) {
  const std::vector<std::string> originals = test::data_files("fclib/original");
  if (originals.empty()) GTEST_SKIP() << test::no_data();
  for (const std::string& path : originals) {
    std::string stem = fs::path(path).filename().string();
    stem = stem.substr(0, stem.find(stem.find(".hdf5") != std::string::npos ? ".hdf5" : ".dat"));
    const ProblemData a = read_problem(path);
    if (a.rows() > 400) continue;  // one is as good as another
    const ProblemData b = read_problem(fs::path(path).parent_path().parent_path() / "text" / (stem + ".fc3d"));
    ASSERT_EQ(a.rows(), b.rows()) << stem;
    // Global ones were condensed by somebody else: measured 6e-16.
    EXPECT_LT((Eigen::MatrixXd(a.W) - Eigen::MatrixXd(b.W)).cwiseAbs().maxCoeff(),
              1e-14 * Eigen::MatrixXd(b.W).cwiseAbs().maxCoeff())
        << stem;
    EXPECT_LT((a.b - b.b).cwiseAbs().maxCoeff(), 1e-14 * b.b.cwiseAbs().maxCoeff()) << stem;
  }
}

TEST(ProblemDump, RulesAndJoints) {
  EXPECT_TRUE(parse_dump_rule("failed").failed);
  EXPECT_EQ(parse_dump_rule("every=5,contacts=2").every, 5);
  EXPECT_EQ(parse_dump_rule("every=5,contacts=2").contacts, 2);
  EXPECT_EQ(parse_dump_rule("steps=3:7").last, 7);
  EXPECT_EQ(parse_dump_rule("time=0.5:").from, 0.5);
  for (const char* bad : {"", "often", "every=0", "every=-1", "steps=7:3", "steps=4", "time=a:b", "all,"})
    EXPECT_THROW(parse_dump_rule(bad), InputError) << bad;
  // Eliminating the joints does not change the contacts' velocities.
  const ProblemData data = random_problem({kFree, kFree, kSpace, kSpace}, ProblemKind::friction, 14);
  const ProblemData contacts = without_joints(data);
  ASSERT_EQ(contacts.rows(), 6);
  VectorXd r = VectorXd::LinSpaced(8, 1, 2);
  const Eigen::MatrixXd W(data.W);
  r.head(2) = -test::inverse(W.topLeftCorner(2, 2)) * (data.b.head(2) + W.topRightCorner(2, 6) * r.tail(6));
  const VectorXd u = W * r + data.b;
  EXPECT_LT(u.head(2).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((u.tail(6) - (contacts.W * r.tail(6) + contacts.b)).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace ricochet::problem_file_test
