#include "ricochet/solver/frame/islands.hpp"

#include <cmath>
#include <memory>
#include <numeric>

#include "ricochet/math/team.hpp"
#include "ricochet/solver/global.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet::detail {
namespace {

constexpr double kShare = 0.577;  ///< of the tolerance, below 1 / sqrt(3)
constexpr int kKeeps = 24;  ///< blocks above which an island keeps a scratch of its own: ordering it is worth keeping

/// Blocks that hang together, as lists.
class Islands {
 public:
  int count() const { return static_cast<int>(start_.size()) - 1; }
  const int* begin(int island) const { return members_.data() + start_[island]; }
  const int* end(int island) const { return members_.data() + start_[island + 1]; }
  int size(int island) const { return start_[island + 1] - start_[island]; }
  /// Place of a row within its island; -1 if it is not in this one.
  int local(int island, int row) const { return number_[block_of_[row]] == island ? local_[row] : -1; }

  /// False if all hang together: then nothing else is known.
  bool find(const Problem& problem) {
    const int n = static_cast<int>(problem.blocks.size());
    if ((n < 2 && !problem.part) || problem.W.storage() == Delassus::Storage::factored || star(problem)) return false;
    root_.resize(n), block_of_.resize(problem.rows);
    std::iota(root_.begin(), root_.end(), 0);
    for (int k = 0; k < n; ++k) std::fill_n(block_of_.begin() + problem.blocks[k].row, problem.blocks[k].dim, k);
    parts_ = n;
    problem.W.storage() == Delassus::Storage::dense ? join_dense(problem) : join_sparse(problem);
    if (parts_ == 1 && !problem.part) return false;
    list(problem);
    return true;
  }

 private:
  int root(int k) {
    while (root_[k] != k) k = root_[k] = root_[root_[k]];
    return k;
  }
  /// The lower one becomes the root.
  void join(int a, int b) {
    a = root(a), b = root(b);
    if (a == b) return;
    root_[std::max(a, b)] = std::min(a, b);
    --parts_;
  }

  /// Dense W whose first column couples every block: what a mechanism has, seen at a glance.
  static bool star(const Problem& problem) {
    if (problem.W.storage() != Delassus::Storage::dense) return false;
    const double* column = problem.W.dense();
    for (const ConeBlock& block : problem.blocks) {
      bool coupled = false;
      for (int i = block.row; i < block.row + block.dim; ++i) coupled = coupled || column[i] != 0;
      if (!coupled && block.row > 0) return false;
    }
    return true;
  }

  void join_dense(const Problem& problem) {
    const double* entry = problem.W.dense();
    for (int j = 0; j < problem.rows && parts_ > 1; ++j)
      for (int i = 0; i < problem.rows; ++i, ++entry)
        if (*entry != 0 && block_of_[i] != block_of_[j]) join(block_of_[i], block_of_[j]);
  }

  void join_sparse(const Problem& problem) {
    const Delassus& W = problem.W;
    for (int i = 0; i < W.block_count() && parts_ > 1; ++i) {
      const int first = W.first_row(i);
      for (int row = first + 1; row < W.first_row(i + 1); ++row)
        join(block_of_[first], block_of_[row]);  // stored together
      if (!W.formed()) continue;
      W.for_each_block_in(i, [&](int row, int column, int rows, int columns, const double* block) {
        const int a = root(block_of_[row]), b = root(block_of_[column]);
        if (a != b && std::any_of(block, block + rows * columns, [](double v) { return v != 0; })) join(a, b);
      });
    }
    // Where L and Y are kept, a body joins all that touch it; nothing is formed.
    for (int c = 0; !W.formed() && c < W.cell_count() && parts_ > 1; ++c) {
      int before = -1;
      W.for_each_over(c, [&](int k, int) {
        const int here = block_of_[W.first_row(k)];
        if (before >= 0) join(before, here);
        before = here;
      });
    }
  }

  /// Islands by their first block, blocks ascending.
  void list(const Problem& problem) {
    const int n = static_cast<int>(problem.blocks.size());
    start_.assign(parts_ + 1, 0);
    number_.resize(n), members_.resize(n), local_.resize(problem.rows);
    int islands = 0;
    for (int k = 0; k < n; ++k) {
      number_[k] = root(k) == k ? islands++ : number_[root(k)];  // roots come first
      ++start_[number_[k] + 1];
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    next_.assign(start_.begin(), start_.end() - 1);
    for (int k = 0; k < n; ++k) members_[next_[number_[k]]++] = k;
    for (int island = 0; island < islands; ++island) {
      int row = 0;
      for (const int* k = begin(island); k < end(island); ++k)
        for (int i = 0; i < problem.blocks[*k].dim; ++i) local_[problem.blocks[*k].row + i] = row++;
    }
  }

  int parts_ = 0;
  std::vector<int> root_, block_of_, number_, next_, start_, members_, local_;
};

/// Where an island is solved.
class Place {
 public:
  Problem problem;
  Solution solution;
  std::vector<int> rows;  ///< of the whole problem

  /// The island as a problem of its own, in the storage that one of its size would have.
  void take(const Problem& whole, const Islands& islands, int island, const double* start) {
    problem.clear();
    rows.clear();
    for (const int* k = islands.begin(island); k < islands.end(island); ++k) {
      const ConeBlock& block = whole.blocks[*k];
      problem.blocks.push_back(block.at(problem.rows));
      problem.rows += block.dim;
      for (int i = 0; i < block.dim; ++i) rows.push_back(block.row + i);
    }
    const int m = problem.rows;
    problem.b.need(m);
    solution.fit(m);
    for (int i = 0; i < m; ++i) problem.b[i] = whole.b[rows[i]], solution.p[i] = start[rows[i]];
    if (whole.W.storage() == Delassus::Storage::dense) {
      double* out = problem.W.make_dense(m);
      for (const int j : rows) {
        const double* column = whole.W.dense() + static_cast<Index>(j) * whole.rows;
        for (const int i : rows) *out++ = column[i];
      }
    } else if (stored_dense(whole.W.block_dim(), m)) {
      gather_dense(whole.W, islands, island);
    } else {
      gather_sparse(whole.W, islands, island);
    }
  }

  void solve(const Goal& goal, const Core& core) {
    solution.status = SolveStatus::converged;
    solution.iterations = goal.swept;
    solution.minimum_norm = false;
    scratch_.judged = false;
    core(problem, goal, solution, scratch_);
    conclude(problem, goal, solution, scratch_);
  }

 private:
  /// begin(local row) of each row of blocks, then visit(local row, local column, rows, columns, values) of each block
  /// stored there; zeros may be stored between islands.
  template <class Begin, class Visit>
  void for_each_block(const Delassus& W, const Islands& islands, int island, Begin begin, Visit visit) const {
    for (int i = 0; i < problem.rows;) {
      begin(i);
      const int k = W.block_of(rows[i]);
      W.for_each_block_in(k, [&](int, int column, int height, int width, const double* block) {
        const int j = islands.local(island, column);
        if (j >= 0) visit(i, j, height, width, block);
      });
      i += W.first_row(k + 1) - W.first_row(k);
    }
  }

  void gather_dense(const Delassus& W, const Islands& islands, int island) {
    const int m = problem.rows;
    double* out = problem.W.make_dense(m);
    std::fill_n(out, static_cast<Index>(m) * m, 0.0);
    for_each_block(
        W, islands, island, [](int) {},
        [&](int i, int j, int height, int width, const double* block) {
          for (int c = 0; c < width; ++c)
            for (int r = 0; r < height; ++r) out[i + r + static_cast<Index>(j + c) * m] = *block++;
        });
  }

  void gather_sparse(const Delassus& W, const Islands& islands, int island) {
    pointers_.clear(), columns_.clear(), starts_.clear();
    place_of_.resize(problem.rows);
    const auto begin = [&](int row) {
      place_of_[row] = static_cast<int>(starts_.size());
      starts_.push_back(row);
      pointers_.push_back(static_cast<int>(columns_.size()));
    };
    for_each_block(W, islands, island, begin, [&](int, int j, int, int, const double*) { columns_.push_back(j); });
    starts_.push_back(problem.rows);
    pointers_.push_back(static_cast<int>(columns_.size()));
    for (int& column : columns_) column = place_of_[column];  // rows become rows of blocks
    double* out = problem.W.make_sparse(starts_, pointers_, columns_);
    for_each_block(
        W, islands, island, [](int) {},
        [&](int, int, int height, int width, const double* block) { out = std::copy_n(block, height * width, out); });
  }

  SolverScratch scratch_;
  std::vector<int> starts_, pointers_, columns_, place_of_;  // of `gather_sparse`
};

/// |rho b|, scaled by the largest term as in relative_error.
double load_of(const Problem& problem) {
  const auto scaled = [&](double unit, auto add) {
    for (const ConeBlock& block : problem.blocks) {
      double trace = 0;
      for (int i = block.row; i < block.row + block.dim; ++i) trace += problem.W.diagonal(i);
      const double rho = trace > 0 ? block.dim / trace : 1;
      for (int i = block.row; i < block.row + block.dim; ++i) add(std::abs(rho * problem.b[i]) / unit);
    }
  };
  double most = 0, sum = 0;
  scaled(1, [&](double value) { most = std::max(most, value); });
  if (!(most > 0)) return 0;
  scaled(most, [&](double value) { sum += value * value; });
  return most * std::sqrt(sum);
}

int severity(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged: return 0;
    case SolveStatus::iteration_limit: return 1;
    case SolveStatus::singular: return 2;
    case SolveStatus::infeasible: return 3;
  }
  return 3;
}

/// All islands of one problem after another, or at the same time.
class Archipelago {
 public:
  /// False if the problem is in one piece.
  bool find(const Problem& problem) { return islands_.find(problem); }

  /// Leaves p, status, iterations and the proof in the solution.
  void solve(const Problem& problem, const Goal& goal, Solution& solution, const Core& core) {
    const int threads = goal.team ? goal.team->size() : 1, count = islands_.count();
    const double load = goal.relative() ? load_of(problem) : 0;
    make_room(threads);
    proof_.need(problem.rows);
    const auto one = [&](int island, int thread, Team* team) {
      solve_one(problem, goal_of(island, goal, load, static_cast<int>(problem.blocks.size()), team), island, thread,
                solution, core);
    };
    if (goal.team == nullptr) {
      for (int island = 0; island < count; ++island) one(island, 0, nullptr);
    } else {
      // One that is more than a thread's share is solved by all together.
      const auto dominates = [&](int island) {
        return islands_.size(island) * threads > static_cast<int>(problem.blocks.size());
      };
      for (int island = 0; island < count; ++island)
        if (dominates(island)) one(island, 0, goal.team);
      take_turns(*goal.team, count, [&](int island, int thread) {
        if (!dominates(island)) one(island, thread, nullptr);
      });
    }
    join(problem, solution);
  }

 private:
  /// What is left of a solved island beside its multipliers.
  struct Outcome {
    SolveStatus status;
    int iterations;
    bool minimum_norm;
  };

  void make_room(int threads) {
    outcomes_.resize(islands_.count()), place_of_.resize(islands_.count());
    int large = 0;
    for (int island = 0; island < islands_.count(); ++island)
      place_of_[island] = islands_.size(island) > kKeeps ? large++ : -1;
    while (static_cast<int>(shared_.size()) < threads) shared_.push_back(std::make_unique<Place>());
    while (static_cast<int>(own_.size()) < large) own_.push_back(std::make_unique<Place>());
  }

  Goal goal_of(int island, const Goal& whole, double load, int blocks, Team* team) const {
    Goal goal = whole;
    goal.team = team;
    if (whole.relative()) {
      goal.tolerance = kShare * whole.tolerance;
      goal.least = load * std::sqrt(static_cast<double>(islands_.size(island)) / blocks);
      goal.fastest = std::max(whole.fastest, whole.size);
    }
    return goal;
  }

  void solve_one(const Problem& problem, Goal goal, int island, int thread, Solution& solution, const Core& core) {
    Place& place = place_of_[island] < 0 ? *shared_[thread] : *own_[place_of_[island]];
    place.take(problem, islands_, island, solution.p.data());
    goal.size = largest(place.problem.b.data(), place.problem.rows);
    place.solve(goal, core);
    const Solution& found = place.solution;
    const bool none = found.status == SolveStatus::infeasible;
    for (int i = 0; i < place.problem.rows; ++i) {
      solution.p[place.rows[i]] = none ? 0 : found.p[i];
      proof_[place.rows[i]] = none ? found.proof[i] : 0;
    }
    outcomes_[island] = {found.status, found.iterations, found.minimum_norm};
  }

  void join(const Problem& problem, Solution& solution) const {
    solution.status = SolveStatus::converged;
    solution.iterations = 0;
    for (const Outcome& outcome : outcomes_) {
      if (severity(outcome.status) > severity(solution.status)) solution.status = outcome.status;
      solution.iterations = std::max(solution.iterations, outcome.iterations);
      solution.minimum_norm = solution.minimum_norm || outcome.minimum_norm;
    }
    if (solution.status == SolveStatus::infeasible)  // proofs of several islands add up to one
      std::copy(proof_.data(), proof_.data() + problem.rows, solution.proof.need(problem.rows));
  }

  Islands islands_;
  std::vector<Outcome> outcomes_;
  Buffer proof_;                                // of the islands that have none
  std::vector<int> place_of_;                   // among own_; -1: a shared one
  std::vector<std::unique_ptr<Place>> shared_;  // by thread, for small islands one after another
  std::vector<std::unique_ptr<Place>> own_;     // for large ones
};

}  // namespace

void on_islands(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, const Core& core,
                int sweeps) {
  Archipelago& parts = scratch.of<Archipelago>();
  if (!parts.find(problem)) return core(problem, goal, solution, scratch);
  Goal left = goal;
  if (sweeps > 0) {
    left.swept = goal.max_iterations > 0 ? std::min(goal.max_iterations, sweeps) : sweeps;
    on_contacts(problem, goal, solution, scratch, [&](ContactWork& work, int) { gauss_seidel(work, left.swept); });
    if (solution.status == SolveStatus::converged) return;
  }
  scratch.judged = false;
  parts.solve(problem, left, solution, core);
}

}  // namespace ricochet::detail
