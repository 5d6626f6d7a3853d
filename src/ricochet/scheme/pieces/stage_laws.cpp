// What the laws of its contacts say to a stage: cones, shifts, bounds that follow a load, compliance; and the factors
// by which rows that are no lengths are made such.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

double Stage::load_of(const Workspace& w, std::size_t k) const {
  const Candidate& c = w.candidates[L.pick[k]];
  if (c.load == Candidate::kNoLoad || solution_.rows != L.G.rows()) return 0;
  // joints come first, sorted
  const auto joint =
      std::lower_bound(L.pick.begin(), L.pick.begin() + static_cast<std::ptrdiff_t>(k), 0,
                       [&](int i, int) { return w.candidates[i].bilateral() && w.candidates[i].key < c.load; });
  assert(joint != L.pick.end() && w.candidates[*joint].key == c.load);
  const int row = L.G.blocks()[static_cast<std::size_t>(joint - L.pick.begin())].row;
  double square = 0;
  for (int i = row; i < row + c.load_rows; ++i) {
    const double P = load_factor * solution_.p[i] + (load_beside ? load_beside[i] : 0);
    square += P * P;
  }
  return std::sqrt(square);
}

LocalLaw Stage::law_of(const Workspace& w, std::size_t k, double h) const {
  const double* all = U_before ? U_before : w.before->U.data();
  LocalState local = local_state(w, L.pick[k], h, all + w.before->rows.G.blocks()[L.pick[k]].row);
  const Candidate& c = w.candidates[L.pick[k]];
  if (c.load != Candidate::kNoLoad) local.load = load_of(w, k);
  return c.law->local(local);
}

void Stage::assemble_cones(const Workspace& w, double h) {
  problem_.clear();
  problem_.rows = L.G.rows();
  shift_.zeros(problem_.rows);
  renews_ = gives_ = false;
  sliding_.resize(L.pick.size());
  if (const std::size_t n = L.pick.size(); problem_.blocks.capacity() < n) problem_.blocks.reserve(n + n / 8);
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    const Candidate& c = w.candidates[L.pick[k]];
    const Jacobian::Block& block = L.G.blocks()[k];
    sliding_[k] = c.velocity_only ? 0 : c.bilateral() ? -1 : 1;
    if (c.bilateral() || (k < equal.size() && equal[k])) {
      problem_.blocks.push_back({Cone::free, block.row, block.dim, 0});
      continue;
    }
    if (level_ == Level::position) {
      problem_.blocks.push_back({Cone::nonnegative, block.row, block.dim, 0});
      continue;
    }
    const LocalLaw law = law_of(w, k, h);
    for (int i = 0; i < block.dim; ++i)
      if (law.compliance[static_cast<std::size_t>(i)] != 0)
        give(block.row + i, law.compliance[static_cast<std::size_t>(i)]);
    const double* before = (U_before ? U_before : w.before->U.data()) + w.before->rows.G.blocks()[L.pick[k]].row;
    if (restitution) shift_[block.row] = law.restitution * before[0];
    const bool rests = std::all_of(before, before + block.dim, [](double u) { return u == 0; });
    problem_.blocks.push_back({law.cone, block.row, block.dim, law.mu, law.roll, law.spin, rests});
    renews_ = renews_ || c.load != Candidate::kNoLoad;
  }
}

void Stage::give(int row, double compliance) {
  if (!gives_) give_.zeros(problem_.rows);
  gives_ = true;
  give_[row] = compliance;
}

void Stage::add_give(double* u) const {
  for (int i = 0; gives_ && i < problem_.rows; ++i) u[i] += give_[i] * solution_.p[i];
}

double Stage::lag(const Workspace& w, double h) const {
  double largest = 0;
  const Problem& problem = solved_problem();
  const int first = held_rows();
  for (std::size_t k = 0; k < L.pick.size(); ++k) {
    if (w.candidates[L.pick[k]].load == Candidate::kNoLoad) continue;
    const ConeBlock& block = problem_.blocks[k];
    const double per = w.per_size.data()[w.before->rows.G.blocks()[L.pick[k]].row];
    const double change = std::abs(law_of(w, k, h).mu - block.mu) / square_of_factor(block.row);
    largest = std::max(largest, change * problem.W.diagonal(block.row - first) * per);
  }
  return largest * per_row(w);
}

void Stage::find_factors(const Workspace& w) {
  const int m = problem_.rows;
  double* even = even_.need(m);
  std::fill(even, even + m, 1.0);
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const ConeBlock& block = problem_.blocks[k];
    const bool bounded = block.cone == Cone::interval;  // one factor for all its rows
    if (block.cone != Cone::free && !bounded) break;
    const double* size = w.size.data() + w.before->rows.G.blocks()[L.pick[k]].row;
    for (int i = 0; i < block.dim; ++i)
      even[block.row + i] = std::ldexp(1.0, -std::ilogb(size[bounded ? 0 : i] * w.scale.per_length));
  }
}

void Stage::even_bounds(bool back) {
  for (ConeBlock& block : problem_.blocks)
    if (block.cone == Cone::interval) block.mu *= back ? even_[block.row] : 1 / even_[block.row];
}

void Stage::even_rows() {
  even_bounds(false);
  for (int i = 0; i < problem_.rows; ++i) {
    problem_.b[i] *= even_[i];
    solution_.p[i] /= even_[i];
  }
}

void Stage::restore_rows() {
  even_bounds(true);
  for (int i = 0; i < problem_.rows; ++i) {
    solution_.p[i] *= even_[i];
    solution_.u[i] /= even_[i];
  }
}

}  // namespace ricochet
