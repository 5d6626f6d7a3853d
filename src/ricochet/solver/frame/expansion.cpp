#include "ricochet/solver/frame/expansion.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::detail {

bool Expansion::aim(const Problem& given, const Solution& at) {
  balls_.clear();
  ball_of_.clear();
  for (const ConeBlock& block : given.blocks) {
    if (!is_ball(block)) continue;
    ball_of_.resize(static_cast<std::size_t>(given.rows), -1);
    Ball ball{block.row, 0, {}, 0};
    double trace = 0, z[3], size = 0;
    for (int i = 0; i < 3; ++i) {
      trace += given.W.diagonal(block.row + i);
      ball_of_[static_cast<std::size_t>(block.row + i)] = static_cast<int>(balls_.size());
    }
    const double rho = trace > 0 ? 3 / trace : 1;
    for (int i = 0; i < 3; ++i) z[i] = at.p[block.row + i] - rho * at.u[block.row + i], size += z[i] * z[i];
    size = std::sqrt(size);
    if (block.mu > 0 && size > block.mu) ball.compliance = (size - block.mu) / (rho * block.mu);
    // Householder's reflection that brings the first axis to d: orthogonal, whatever d is.
    double v[3] = {1, 0, 0};
    if (size > 0)
      for (int i = 0; i < 3; ++i) v[i] = z[i] / size;
    const double sign = v[0] < 0 ? -1 : 1;
    v[0] += sign;
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) ball.Q[i][j] = (i == j ? 1 : 0) - 2 * v[i] * v[j] / square;
    balls_.push_back(ball);
  }
  return !balls_.empty();
}

void Expansion::place_blocks(const Problem& given) {
  problem.clear();
  discs_.clear();
  place_.resize(static_cast<std::size_t>(given.rows));
  int rows = 0;
  const auto copy = [&](const ConeBlock& block, int first, int count) {
    for (int i = 0; i < count; ++i) place_[static_cast<std::size_t>(block.row + first + i)] = rows++;
  };
  const auto add_disc = [&](const ConeBlock& block, int first, int count, int normal, double radius) {
    double trace = 0;
    for (int i = 0; i < count; ++i) trace += given.W.diagonal(block.row + first + i);
    discs_.push_back({rows, normal, trace > 0 ? trace / count : 1, radius});
    problem.blocks.push_back({Cone::coulomb, rows++, count + 1, 1});
    copy(block, first, count);
  };
  for (const ConeBlock& block : given.blocks) {
    if (is_ball(block)) {
      balls_[static_cast<std::size_t>(ball_of_[static_cast<std::size_t>(block.row)])].row = rows + 1;
      add_disc(block, 0, 1, -1, block.mu);
      add_disc(block, 1, 2, -1, block.mu);
    } else if (block.cone == Cone::interval) {
      add_disc(block, 0, block.dim, -1, block.mu);
    } else if (block.cone == Cone::rolling) {
      const int normal = rows, slip = 1 + friction_rows(block.dim).slip;
      problem.blocks.push_back({Cone::coulomb, normal, slip, block.mu});
      copy(block, 0, slip);
      for_each_disc(block.dim, block.friction(), [&](int first, int count, double coefficient) {
        if (first >= slip) add_disc(block, first, count, normal, coefficient);
      });
    } else {
      problem.blocks.push_back(block.at(rows));
      copy(block, 0, block.dim);
    }
  }
  problem.rows = rows;
}

void Expansion::fill_dense(const Problem& given) {
  const int m = problem.rows;
  double* W = problem.W.make_dense(m);
  std::fill(W, W + static_cast<Index>(m) * m, 0.0);
  given.W.for_each_entry([&](int i, int j, double value) {
    for_each_image(i, [&](int row, double of_row) {
      for_each_image(j, [&](int column, double of_column) {
        W[row + static_cast<Index>(column) * m] += of_row * of_column * value;
      });
    });
  });
  for (const Ball& ball : balls_)
    for (int across : {ball.row + 2, ball.row + 3}) W[across + static_cast<Index>(across) * m] += ball.compliance;
  for (const Disc& disc : discs_) {
    W[disc.row + static_cast<Index>(disc.row) * m] = disc.w;
    if (disc.normal >= 0) W[disc.row + static_cast<Index>(disc.normal) * m] = -disc.w * disc.radius;
  }
}

void Expansion::fill_sparse(const Problem& given) {
  // The rows of blocks stay, longer by the normals of their discs: these stand before the rows of the disc.
  const Delassus& from = given.W;
  starts_.clear();
  auto disc_at = discs_.begin();
  for (int k = 0; k < from.block_count(); ++k) {
    const int at = place_[static_cast<std::size_t>(from.first_row(k))];
    while (disc_at != discs_.end() && disc_at->row + 1 < at) ++disc_at;
    starts_.push_back(disc_at != discs_.end() && disc_at->row + 1 == at ? at - 1 : at);
  }
  starts_.push_back(problem.rows);
  from.copy_pattern(pointers_, columns_);
  double* values = problem.W.make_sparse(starts_, pointers_, columns_);
  const Delassus& W = problem.W;
  const auto entry = [&](int i, int j) -> double& {
    const int row = W.block_of(i), column = W.block_of(j);
    const auto begin = W.columns().begin() + W.pointers()[static_cast<std::size_t>(row)];
    const auto end = W.columns().begin() + W.pointers()[static_cast<std::size_t>(row) + 1];
    const auto found = std::lower_bound(begin, end, column);
    assert(found != end && *found == column);
    const Index block = W.block(static_cast<int>(found - W.columns().begin())) - W.blocks();
    const int rows = W.first_row(row + 1) - W.first_row(row);
    return values[block + i - W.first_row(row) + static_cast<Index>(j - W.first_row(column)) * rows];
  };
  from.for_each_entry([&](int i, int j, double value) {
    for_each_image(i, [&](int row, double of_row) {
      for_each_image(j, [&](int column, double of_column) { entry(row, column) += of_row * of_column * value; });
    });
  });
  for (const Ball& ball : balls_)
    for (int across : {ball.row + 2, ball.row + 3}) entry(across, across) += ball.compliance;
  for (const Disc& disc : discs_) {
    entry(disc.row, disc.row) = disc.w;
    if (disc.normal >= 0) entry(disc.row, disc.normal) = -disc.w * disc.radius;
  }
}

void Expansion::take(const Problem& given, const Solution& start) {
  place_blocks(given);
  given.W.storage() == Delassus::Storage::sparse ? fill_sparse(given) : fill_dense(given);
  const int m = problem.rows;
  double* b = problem.b.zeros(m);
  solution.fit(m);
  double* p = solution.p.data();
  std::fill(p, p + m, 0.0);
  for (int i = 0; i < given.rows; ++i)
    for_each_image(i, [&](int row, double weight) {
      b[row] += weight * given.b[i];
      p[row] += weight * start.p[i];
    });
  for (const Disc& disc : discs_) {
    if (disc.normal < 0) b[disc.row] = -disc.w * disc.radius;
    p[disc.row] = disc.radius * (disc.normal < 0 ? 1 : p[disc.normal]);
  }
  solution.status = SolveStatus::converged;
  solution.iterations = start.iterations;
  solution.minimum_norm = false;
  solution.blame = -1;
}

void Expansion::give(const Problem& given, Solution& out) const {
  for (int i = 0; i < given.rows; ++i) {
    out.p[i] = 0;
    for_each_image(i, [&](int row, double weight) { out.p[i] += weight * solution.p[row]; });
  }
  for (const ConeBlock& block : given.blocks) {
    double* p = out.p.data() + block.row;
    if (block.cone == Cone::interval) project_on_disc(block.dim, block.mu, p);
    if (block.cone != Cone::rolling) continue;
    for_each_disc(block.dim, block.friction(), [p](int first, int rows, double coefficient) {
      if (first > 1) project_on_disc(rows, coefficient * p[0], p + first);
    });
  }
  out.iterations = solution.iterations;
  // A proof would be one about the expanded rows.
  out.status = solution.status == SolveStatus::infeasible ? SolveStatus::iteration_limit : solution.status;
}

}  // namespace ricochet::detail
