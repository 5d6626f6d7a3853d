// Small friction problems by `auto` from p = 0: 1 to 5 contacts of random chains of bodies (W regular) and of one box
// (W rank-deficient from three contacts in space on), in space and in the plane; and the published ones of up to 5
// contacts in $RICOCHET_DATA/fclib/text (default ../shared/data beside the sources). W dense as a scheme hands it over,
// or in blocks as a file holds it; e <= 1e-12 without units, or 1e-12 in the unit of velocity. A solve that misses its
// tolerance is an error.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"

namespace {

using namespace ricochet;

constexpr int kMost = 5;       ///< contacts
constexpr int kProblems = 64;  ///< of each random kind, solved in turn, so that branches are not learnt by heart

using Random = std::mt19937_64;
double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Rows of G^T: normal and tangents of a contact at the point r of a body, for its velocity and spin (plane: one spin).
void add_contact(MatrixXd& G, int row, int column, double sign, const Eigen::Vector3d& r, const Eigen::Matrix3d& frame,
                 int dim) {
  for (int i = 0; i < dim; ++i) {
    const Eigen::Vector3d d = frame.col(i), arm = r.cross(d);
    if (dim == 3) {
      G.block<1, 3>(row + i, column) += sign * d.transpose();
      G.block<1, 3>(row + i, column + 3) += sign * arm.transpose();
    } else {
      G.block<1, 2>(row + i, column) += sign * d.head<2>().transpose();
      G(row + i, column + 2) += sign * arm[2];
    }
  }
}

/// Normal nearly along +y of the body's frame, any tangents.
Eigen::Matrix3d frame(Random& random, int dim, double tilt) {
  const double a = uniform(random, -tilt, tilt), turn = dim == 3 ? uniform(random, 0, 2 * M_PI) : 0;
  Eigen::Matrix3d R;
  R.col(0) = Eigen::Vector3d(std::sin(a), std::cos(a), 0);
  R.col(1) = Eigen::Vector3d(std::cos(a), -std::sin(a), 0);
  R.col(2) = Eigen::Vector3d(0, 0, 1);
  const Eigen::Vector3d t = std::cos(turn) * R.col(1) + std::sin(turn) * R.col(2);
  R.col(2) = R.col(0).cross(t);
  R.col(1) = t;
  return R;
}

/// `contacts` between a chain of bodies and the ground, or all between one box and the ground.
Problem random_problem(Random& random, int contacts, int dim, bool chain) {
  const int bodies = chain ? contacts : 1, dofs = dim == 3 ? 6 : 3;
  MatrixXd G = MatrixXd::Zero(dim * contacts, dofs * bodies);
  VectorXd inverse(dofs * bodies), v(dofs * bodies);
  for (int k = 0; k < bodies; ++k) {
    const double mass = std::pow(10, uniform(random, -1, 1));
    for (int i = 0; i < dofs; ++i) {
      inverse[dofs * k + i] = 1 / (i < dim ? mass : mass * uniform(random, 0.1, 0.3));
      v[dofs * k + i] = uniform(random, -1, 1) * (i < dim ? 1 : 0.5);
    }
    v[dofs * k + 1] -= 1;  // falls
  }
  Problem problem;
  for (int k = 0; k < contacts; ++k) {
    const Eigen::Vector3d r(k % 2 == 0 ? -0.5 : 0.5, -0.5, dim == 3 ? (k / 2 % 2 == 0 ? -0.5 : 0.5) : 0);
    const Eigen::Matrix3d R = frame(random, dim, chain ? 0.5 : 0.0);
    add_contact(G, dim * k, chain ? dofs * k : 0, 1, r, R, dim);
    if (chain && k > 0) add_contact(G, dim * k, dofs * (k - 1), -1, r + Eigen::Vector3d(0, 1, 0), R, dim);
    problem.blocks.push_back({Cone::coulomb, dim * k, dim, uniform(random, 0.1, 0.8)});
  }
  problem.rows = dim * contacts;
  const MatrixXd W = G * inverse.asDiagonal() * G.transpose();
  const VectorXd b = G * v;
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
  std::copy(b.data(), b.data() + b.size(), problem.b.need(problem.rows));
  return problem;
}

void in_blocks(Problem& problem) {
  const int m = problem.rows, n = m / 3;
  MatrixXd W(m, m);
  problem.W.copy_dense(W.data());
  std::vector<int> pointers{0}, columns;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) columns.push_back(j);
    pointers.push_back(static_cast<int>(columns.size()));
  }
  double* value = problem.W.make_sparse(3, n, pointers, columns);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < 3; ++c, value += 3)
        std::copy(W.data() + 3 * i + (3 * j + c) * m, W.data() + 3 * i + (3 * j + c) * m + 3, value);
}

void in_one_piece(Problem& problem) {
  MatrixXd W(problem.rows, problem.rows);
  problem.W.copy_dense(W.data());
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
}

void solve(benchmark::State& state, const std::vector<Problem>& problems, Criterion criterion) {
  const Solver& solver = *find_solver("auto");
  SolverOptions options;
  options.criterion = criterion;
  Solution solution;
  SolverScratch scratch;
  std::size_t k = 0;
  long iterations = 0;
  for (auto _ : state) {
    const Problem& problem = problems[k];
    if (++k == problems.size()) k = 0;
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    solver.solve(problem, options, solution, scratch);
    iterations += solution.iterations;
    if (solution.status != SolveStatus::converged) {
      state.SkipWithError("not solved");
      break;
    }
  }
  state.counters["iterations"] =
      benchmark::Counter(static_cast<double>(iterations), benchmark::Counter::kAvgIterations);
}

void add(const std::string& name, const std::vector<Problem>& problems) {
  for (const bool velocity : {false, true})
    benchmark::RegisterBenchmark((name + (velocity ? "/velocity" : "/relative")).c_str(),
                                 [problems, velocity](benchmark::State& state) {
                                   solve(state, problems, velocity ? Criterion::velocity : Criterion::relative);
                                 });
}

void add_random() {
  for (const int dim : {3, 2})
    for (const bool chain : {true, false})
      for (int n = 1; n <= kMost; ++n) {
        Random random(1);
        std::vector<Problem> problems;
        for (int k = 0; k < kProblems; ++k) problems.push_back(random_problem(random, n, dim, chain));
        const std::string name =
            std::string(dim == 3 ? "space/" : "plane/") + (chain ? "chain/" : "box/") + std::to_string(n);
        add(name + "/dense", problems);
        if (dim == 2) continue;
        for (Problem& problem : problems) in_blocks(problem);
        add(name + "/blocks", problems);
      }
}

void add_published() {
  const char* named = std::getenv("RICOCHET_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(named != nullptr ? named : RICOCHET_SOURCE_DIR "/../shared/data") / "fclib" / "text";
  if (!std::filesystem::exists(folder)) return;
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    LoadedProblem loaded = make_problem(read_problem(file));
    if (loaded.problem.blocks.size() > kMost) continue;
    const std::string name =
        "file/" + std::filesystem::path(file).stem().string() + "/" + std::to_string(loaded.problem.blocks.size());
    in_one_piece(loaded.problem);
    add(name + "/dense", {loaded.problem});
    in_blocks(loaded.problem);
    add(name + "/blocks", {loaded.problem});
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_random();
  add_published();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
