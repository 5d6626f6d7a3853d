// Whatever bytes come, the readers of problem files answer with a problem or with an InputError.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "ricochet/io/error.hpp"
#include "ricochet/io/problem/problem_file.hpp"

namespace ricochet::problem_fuzz_test {
namespace {

namespace fs = std::filesystem;

ProblemData sample(Cone cone, int dim, int count, ProblemKind kind) {
  ProblemData data;
  data.kind = kind;
  const int rows = dim * count;
  for (int k = 0; k < count; ++k)
    data.blocks.push_back({k == 0 && kind == ProblemKind::mlcp ? Cone::free : cone, k * dim, dim, dim > 1 ? 0.5 : 0});
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      if ((i + j) % 3 == 0 || i == j) entries.emplace_back(i, j, i == j ? 2 : 0.1 * i - 0.05 * j);
  data.W.resize(rows, rows);
  data.W.setFromTriplets(entries.begin(), entries.end());
  data.b = VectorXd::LinSpaced(rows, -1, 0.5);
  if (kind == ProblemKind::global_friction) {
    data.global.M = data.W;
    data.global.H = data.W;
    data.global.f = data.global.w = data.b;
    data.global.blocks = data.blocks;
  }
  return data;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Texts are cut, doubled and salted with words; bytes are changed at random.
std::string mutate(std::string text, bool binary, std::mt19937& random) {
  static const char* const kWords[] = {"nan", "-1",  "0", "1e999", "99999999999", "2000000000", "x",    "\n",
                                       "-",   "inf", "3", "1",     "col",         ":",          "lcp 1"};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t k = 1 + below(3); k > 0; --k) {
    const std::size_t at = below(text.size() + 1);
    switch (below(binary ? 3 : 6)) {
      case 0: text.resize(at); break;
      case 1:
      case 2:
        for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n)
          text[below(text.size())] = static_cast<char>(random());
        break;
      case 3: text.insert(at, std::string(" ") + kWords[below(std::size(kWords))] + " "); break;
      case 4: text.erase(at, below(30)); break;
      default: text.insert(at, text.substr(below(text.size()), below(40)));
    }
  }
  return text;
}

/// As many as there are rounds; at least a third of them is refused, and one in thirty accepted.
void change_problems(int rounds, unsigned seed) {
  const fs::path folder = fs::path(::testing::TempDir()) / "ricochet-problem-fuzz";
  fs::create_directories(folder);
  const ProblemData lcp = sample(Cone::nonnegative, 1, 4, ProblemKind::lcp),
                    mlcp = sample(Cone::nonnegative, 1, 4, ProblemKind::mlcp),
                    plane = sample(Cone::coulomb, 2, 3, ProblemKind::friction),
                    space = sample(Cone::coulomb, 3, 2, ProblemKind::friction),
                    cones = sample(Cone::second_order, 3, 2, ProblemKind::cone),
                    global = sample(Cone::coulomb, 3, 2, ProblemKind::global_friction);
  std::vector<std::pair<std::string, std::string>> seeds;
  const auto add = [&](const ProblemData& data, const char* name) {
    write_problem(folder / name, data);
    seeds.emplace_back(name, contents(folder / name));
  };
  add(lcp, "a.lcp"), add(mlcp, "b.dat"), add(plane, "c.fc2d"), add(plane, "d.dat"), add(space, "e.fc3d");
  add(cones, "f.dat"), add(cones, "g.cones"), add(global, "h.dat"), add(space, "i.hdf5"), add(global, "j.hdf5");
  seeds.emplace_back("k.dat",
                     "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n1 0 0 0 1 0 0 0 1\n-1 0 0\n0.5\n");  // SBM
  seeds.emplace_back("l.dat",
                     "3\n1\n2\n3\n3\n1\nCSparse Version\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n0 0 : 1\n1 1 : 1\n2 2 : 1\n"
                     "-1 0 0\n0.5\n");
  for (const auto& [name, text] : seeds) {
    std::ofstream(folder / name, std::ios::binary) << text;
    EXPECT_NO_THROW(read_problem(folder / name)) << name;
  }
  std::mt19937 random(seed);
  int accepted = 0, refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto& [name, text] = seeds[random() % seeds.size()];
    const bool binary = name.ends_with("hdf5");
    const fs::path path = folder / ("mutant-" + name);
    const std::string mutant = mutate(text, binary, random);
    std::ofstream(path, std::ios::binary) << mutant;
    try {
      const ProblemData data = read_problem(path);
      ++accepted;
      ASSERT_EQ(data.W.rows(), data.rows());
      for (int i = 0; i < data.rows(); ++i) ASSERT_TRUE(std::isfinite(data.b[i])) << mutant;
      make_problem(data);
    } catch (const InputError& error) {
      ++refused;
      ASSERT_TRUE(error.where.starts_with(path.string())) << error.what();
      ASSERT_FALSE(error.message.empty());
    } catch (const std::exception& error) {
      std::ofstream(folder / ("broke-" + name), std::ios::binary) << mutant;
      FAIL() << name << ": " << error.what();
    }
  }
  EXPECT_GT(accepted, rounds / 30);
  EXPECT_GT(refused, rounds / 3);
}

TEST(ProblemFuzz, ReadersNeverBreak) { change_problems(600, 7); }
TEST(LongProblemFuzz, ReadersNeverBreak) { change_problems(3000, 20240917); }

}  // namespace
}  // namespace ricochet::problem_fuzz_test
