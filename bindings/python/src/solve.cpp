// Complementarity and friction problems alone: u = W p + b with a cone for each block of rows.
#include <fmt/format.h>
#include <pybind11/eigen.h>

#include <algorithm>
#include <atomic>

#include "bindings.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "signals.hpp"
#include "unlocked.hpp"

namespace ricochet::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Whole = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
/// cone, rows, mu
using Block = std::tuple<std::string, int, double>;

Cone cone_named(const std::string& word) {
  std::vector<std::string> words;
  for (const Cone cone : {Cone::free, Cone::nonnegative, Cone::coulomb, Cone::second_order}) {
    if (word == name(cone)) return cone;
    words.emplace_back(name(cone));
  }
  throw InputError("blocks", unknown_word("cone", word, words));
}

ProblemKind kind_of(const std::vector<ConeBlock>& blocks) {
  bool free = false, friction = false, other = false;
  for (const ConeBlock& b : blocks) {
    free = free || b.cone == Cone::free;
    friction = friction || b.cone == Cone::coulomb;
    other = other || b.cone == Cone::second_order;
  }
  if (other || (friction && free)) return ProblemKind::cone;
  return friction ? ProblemKind::friction : free ? ProblemKind::mlcp : ProblemKind::lcp;
}

/// Rows compressed, as scipy.sparse has them, columns ascending.
ProblemData make_data(const Whole& pointers, const Whole& columns, const Numbers& values, const VectorXd& b,
                      const std::vector<Block>& blocks) {
  ProblemData data;
  data.b = b;
  int row = 0;
  for (const auto& [word, dim, mu] : blocks) {
    data.blocks.push_back({cone_named(word), row, dim, mu});
    row += dim;
  }
  const int n = data.rows();
  const std::int32_t* at = pointers.data();
  if (row != n || pointers.size() != n + 1 || columns.size() != values.size() || at[0] != 0 || at[n] != values.size())
    throw InputError("W", fmt::format("matrix, vector and blocks do not fit together: {} rows in the vector, {} in the "
                                      "blocks; accepted: equal numbers",
                                      n, row));
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int k = at[i]; k < at[i + 1]; ++k) {
      if (columns.data()[k] < 0 || columns.data()[k] >= n) throw InputError("W", "a column that does not exist");
      entries.emplace_back(i, columns.data()[k], values.data()[k]);
    }
  data.W.resize(n, n);
  data.W.setFromTriplets(entries.begin(), entries.end());
  data.W.makeCompressed();
  data.kind = kind_of(data.blocks);
  return data;
}

struct Settings {
  std::string solver;
  double tolerance;
  int max_iterations, threads;
  bool minimum_norm;
};

const Solver& solver_named(const std::string& word) {
  if (const Solver* solver = find_solver(word)) return *solver;
  std::vector<std::string> words;
  for (const Solver* solver : solvers()) words.push_back(solver->info().name);
  throw InputError("solver", unknown_word("solver", word, words));
}

py::dict solve(const ProblemData& data, const Settings& s, const std::optional<VectorXd>& guess) {
  const LoadedProblem loaded = make_problem(data);
  const Solver& solver = solver_named(s.solver);
  if (!solver.accepts(loaded.problem))
    throw InputError("solver",
                     fmt::format("'{}' does not accept this problem; it accepts: {}", s.solver, solver.info().accepts));
  const SolverOptions options{.tolerance = s.tolerance,
                              .max_iterations = s.max_iterations,
                              .criterion = Criterion::relative,
                              .minimum_norm = s.minimum_norm};
  const int n = data.rows();
  std::atomic<bool> stop{false};
  SolverScratch scratch;
  scratch.crew.allow(s.threads);
  scratch.stop = &stop;
  Solution solution;
  solution.fit(n);
  for (int i = 0; i < n; ++i) solution.p[i] = guess ? (*guess)[loaded.row_of[static_cast<std::size_t>(i)]] : 0;
  {
    const Signals signals(stop);
    {
      const Unlocked unlocked(&stop);
      solver.solve(loaded.problem, options, solution, scratch);
    }
    if (stop && PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  VectorXd p(n), u(n), proof(solution.status == SolveStatus::infeasible ? n : 0);
  for (int i = 0; i < n; ++i) {
    const int row = loaded.row_of[static_cast<std::size_t>(i)];
    p[row] = solution.p[i];
    u[row] = solution.u[i];
    if (proof.size() > 0) proof[row] = solution.proof[i];
  }
  py::dict out;
  out["p"] = p;
  out["u"] = u;
  out["status"] = name(solution.status);
  out["iterations"] = solution.iterations;
  out["error"] = relative_error(loaded.problem, solution.p.data(), solution.u.data());
  out["proof"] = proof;
  if (data.kind == ProblemKind::global_friction) out["v"] = global_velocity(data.global, p.data());
  return out;
}

py::tuple matrix_of(const ProblemData& d) {
  const auto n = static_cast<py::ssize_t>(d.rows());
  return py::make_tuple(py::array_t<int>(n + 1, d.W.outerIndexPtr()),
                        py::array_t<int>(d.W.nonZeros(), d.W.innerIndexPtr()),
                        py::array_t<double>(d.W.nonZeros(), d.W.valuePtr()));
}

std::vector<Block> blocks_of(const ProblemData& d) {
  std::vector<Block> out;
  for (const ConeBlock& b : d.blocks) out.emplace_back(name(b.cone), b.dim, b.mu);
  return out;
}

}  // namespace

void add_solve(py::module_& module) {
  py::class_<ProblemData>(module, "ProblemData")
      .def(py::init(&make_data))
      .def_property_readonly("kind", [](const ProblemData& d) { return name(d.kind); })
      .def_readonly("title", &ProblemData::title)
      .def_property_readonly("b", [](const ProblemData& d) { return d.b; })
      .def_property_readonly("matrix", &matrix_of)
      .def_property_readonly("blocks", &blocks_of)
      .def("write", [](const ProblemData& d, const std::filesystem::path& path) { write_problem(path, d); })
      .def("solve", [](const ProblemData& d, const std::string& solver, double tolerance, int max_iterations,
                       int threads, bool minimum_norm, const std::optional<VectorXd>& guess) {
        return solve(d, {solver, tolerance, max_iterations, threads, minimum_norm}, guess);
      });
  module.def("read_problem", &read_problem);
}

}  // namespace ricochet::python
