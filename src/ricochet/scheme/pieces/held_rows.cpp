#include "ricochet/scheme/pieces/held_rows.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

HeldRows::HeldRows(const Model& model) : model_(&model), node_of_(model.nv()) {
  const std::vector<Range>& nodes = model.layout().blocks;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    std::fill_n(node_of_.begin() + nodes[k].at, nodes[k].n, static_cast<int>(k));
  diagonal_layout_.structure = Structure::block_diagonal;
  diagonal_layout_.n = model.nv();
  diagonal_layout_.blocks = nodes;
  diagonal_ = std::make_unique<Operator>(diagonal_layout_);
}

Operator& HeldRows::prepare(const Jacobian& G, std::size_t blocks) {
  wanted_.clear();
  for (std::size_t k = 0; k < blocks; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    wanted_.push_back(b.dim);
    const std::size_t count = wanted_.size();
    wanted_.push_back(0);
    for (int i = 0; i < b.ranges; ++i) {
      const Range& r = G.ranges(b)[i];
      for (int at = r.at; at < r.at + r.n;) {
        const int node = node_of_[at];
        if (std::find(wanted_.begin() + static_cast<std::ptrdiff_t>(count) + 1, wanted_.end(), node) == wanted_.end())
          wanted_.push_back(node);
        at = model_->layout().blocks[node].at + model_->layout().blocks[node].n;
      }
    }
    wanted_[count] = static_cast<int>(wanted_.size() - count) - 1;
  }
  if (matrix_ == nullptr || blocks != blocks_ || wanted_ != pattern_) {
    blocks_ = blocks;
    pattern_ = wanted_;
    analyse();
  }
  matrix_->zero();
  return *matrix_;
}

void HeldRows::analyse() {
  const OperatorLayout& bodies = model_->layout();
  layout_.structure = Structure::blocks;
  layout_.n = bodies.n;
  layout_.blocks = bodies.blocks;
  layout_.bodies = static_cast<int>(bodies.blocks.size());
  layout_.couples = bodies.couples;
  nodes_.clear();
  first_node_.assign(1, 0);
  rows_ = 0;
  for (std::size_t at = 0; at < pattern_.size(); at += 2 + static_cast<std::size_t>(pattern_[at + 1])) {
    const int dim = pattern_[at];
    const auto own = static_cast<int>(layout_.blocks.size());
    layout_.blocks.push_back({bodies.n + rows_, dim});
    for (int k = 0; k < pattern_[at + 1]; ++k) {
      nodes_.push_back({pattern_[at + 2 + static_cast<std::size_t>(k)], 0});
      layout_.couples.emplace_back(own, nodes_.back().node);
    }
    first_node_.push_back(nodes_.size());
    rows_ += dim;
  }
  matrix_ = std::make_unique<Operator>(layout_);
  z_.resize(bodies.n + rows_);
  BlockFactor& factor = matrix_->factor();
  runs_.clear();
  for (std::size_t k = 0; k < blocks_; ++k) {
    const Range& own = layout_.blocks[static_cast<std::size_t>(layout_.bodies) + k];
    for (std::size_t i = first_node_[k]; i < first_node_[k + 1]; ++i) {
      nodes_[i].runs = runs_.size();
      const Range& body = layout_.blocks[nodes_[i].node];
      for (int row = own.at; row < own.at + own.n; ++row) {
        runs_.push_back(factor.down(body.at, row, body.n));
        runs_.push_back(factor.across(row, body.at, body.n));
      }
    }
  }
  // Held rows by trees.
  tree_start_.assign(factor.trees() + 1, 0);
  for (int i = 0; i < rows_; ++i) ++tree_start_[factor.tree_of(bodies.n + i) + 1];
  for (int t = 0; t < factor.trees(); ++t) tree_start_[t + 1] += tree_start_[t];
  tree_rows_.resize(rows_);
  std::vector<int> next(tree_start_.begin(), tree_start_.end() - 1);
  for (int i = 0; i < rows_; ++i) tree_rows_[next[factor.tree_of(bodies.n + i)]++] = i;
}

void HeldRows::add(const Jacobian& G, bool columns) {
  BlockFactor& factor = matrix_->factor();
  for (std::size_t k = 0; k < blocks_; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    for (int i = 0, offset = 0; i < b.ranges; offset += G.ranges(b)[i].n, ++i) {
      const Range& r = G.ranges(b)[i];
      for (int at = r.at; at < r.at + r.n;) {
        std::size_t n = first_node_[k];
        while (n < first_node_[k + 1] && nodes_[n].node != node_of_[at]) ++n;
        assert(n < first_node_[k + 1]);
        const Range& body = layout_.blocks[nodes_[n].node];
        const int count = std::min(r.at + r.n, body.at + body.n) - at;
        for (int row = 0; row < b.dim; ++row) {
          BlockFactor::Run run = runs_[nodes_[n].runs + 2 * static_cast<std::size_t>(row) + (columns ? 0 : 1)];
          run.at += (at - body.at) * run.stride;
          factor.add(run, G.row(b, row) + offset + at - r.at, count);
        }
        at += count;
      }
    }
  }
}

bool HeldRows::factorise(const Jacobian& D, const Jacobian& L, bool coupled) {
  coupled_ = coupled;
  BlockFactor& factor = matrix_->factor();
  diagonal_->zero();
  for (const Range& r : diagonal_layout_.blocks)
    for (int j = r.at; j < r.at + r.n; ++j)
      for (int i = r.at; i < r.at + r.n; ++i) diagonal_->add(i, j, factor.at(i, j));
  diagonal_regular_ = diagonal_->factorise();
  add(D, true);
  add(L, false);
  if (!matrix_->factorise()) return false;
  find_null_space();
  return true;
}

void HeldRows::find_null_space() {
  const BlockFactor& factor = matrix_->factor();
  dead_.clear();
  null_.clear();
  for (int k = 0; k < factor.redundant(); ++k) dead_.emplace_back(factor.tree_of_redundant(k), k);
  if (dead_.empty()) return;
  std::sort(dead_.begin(), dead_.end());
  vector_.resize(static_cast<std::size_t>(z_.size()));
  std::size_t first = 0;  // of null_: the vectors of the same tree
  for (std::size_t k = 0; k < dead_.size(); ++k) {
    const int tree = dead_[k].first, *rows = tree_rows_.data() + tree_start_[tree];
    const auto count = static_cast<std::size_t>(tree_start_[tree + 1] - tree_start_[tree]);
    if (k > 0 && dead_[k - 1].first != tree) first = null_.size();
    factor.null_vector_in_tree(dead_[k].second, vector_.data());
    const std::size_t own = null_.size();
    for (std::size_t i = 0; i < count; ++i) null_.push_back(vector_[static_cast<std::size_t>(model_->nv() + rows[i])]);
    double* y = null_.data() + own;
    const auto dot = [count](const double* a, const double* b) {
      double s = 0;
      for (std::size_t i = 0; i < count; ++i) s += a[i] * b[i];
      return s;
    };
    // Gram-Schmidt, twice so that nothing of the others is left.
    for (int twice = 0; twice < 2; ++twice)
      for (const double* other = null_.data() + first; other < y; other += count) {
        const double s = dot(other, y);
        for (std::size_t i = 0; i < count; ++i) y[i] -= s * other[i];
      }
    const double norm = std::sqrt(dot(y, y));
    for (std::size_t i = 0; i < count && norm > 0; ++i) y[i] /= norm;
  }
}

void HeldRows::take_off_null_space(double* p) const {
  const double* y = null_.data();
  for (const auto& [tree, number] : dead_) {
    const int *begin = tree_rows_.data() + tree_start_[tree], *end = tree_rows_.data() + tree_start_[tree + 1];
    double s = 0;
    for (const int* row = begin; row < end; ++row) s += y[row - begin] * p[*row];
    for (const int* row = begin; row < end; ++row) p[*row] -= s * *y++;
  }
}

namespace {
/// y += s G p over some of the blocks.
void add_blocks(const Jacobian& G, std::size_t from, std::size_t to, double s, const double* p, View y) {
  for (std::size_t k = from; k < to; ++k) G.add_block_times(G.blocks()[k], s, p + G.blocks()[k].row, y);
}
}  // namespace

void HeldRows::condense(const Jacobian& D, const Jacobian& L, const VectorXd& r, const double* u, const double* p,
                        const std::vector<ConeBlock>& cones) {
  const int n = model_->nv();
  contacts.clear();
  for (std::size_t k = blocks_; k < cones.size(); ++k) {
    contacts.blocks.push_back({cones[k].cone, contacts.rows, cones[k].dim, cones[k].mu});
    contacts.rows += cones[k].dim;
  }
  // What the joints alone would have to turn, for the sake of its size.
  load_ = 0;
  View x(z_.data(), n);
  std::copy(r.data(), r.data() + n, z_.data());
  if (diagonal_regular_) diagonal_->solve(x);
  for (std::size_t k = 0; k < blocks_; ++k) {
    const Jacobian::Block& b = L.blocks()[k];
    for (int i = 0; i < b.dim; ++i) load_ = std::max(load_, std::abs(u[b.row + i] - L.row_times(b, i, x)));
  }
  double* b = contacts.b.need(contacts.rows);
  if (contacts.rows > 0) {
    std::copy(r.data(), r.data() + n, z_.data());
    add_blocks(D, 0, blocks_, -1, p, x);
    std::copy(u, u + rows_, z_.data() + n);
    matrix_->factor().solve(z_.data());
    for (std::size_t k = blocks_; k < L.blocks().size(); ++k) {
      const Jacobian::Block& block = L.blocks()[k];
      for (int i = 0; i < block.dim; ++i) {
        b[block.row + i - rows_] = u[block.row + i] - L.row_times(block, i, x);
        load_ = std::max(load_, std::abs(b[block.row + i - rows_]));
      }
    }
  }
  matrix_->factor().half_solve(D, blocks_, Y_);
  matrix_->factor().half_solve_transposed(L, blocks_, Z_);
  contacts.W.form(Z_, Y_, static_cast<int>(z_.size()), Delassus::Storage::sparse);
}

void HeldRows::move(const Jacobian& D, const VectorXd& r, const double* u, double* p, VectorXd& d) {
  const int n = model_->nv();
  View x(z_.data(), n);
  std::copy(r.data(), r.data() + n, z_.data());
  D.add_times(-1, p, x);
  std::copy(u, u + rows_, z_.data() + n);
  matrix_->factor().solve(z_.data());
  for (int i = 0; i < rows_; ++i) p[i] += z_[n + i];
  take_off_null_space(p);
  std::copy(z_.data(), z_.data() + n, d.data());
}

void HeldRows::apply_inverse(VectorXd& x) const {
  if (diagonal_regular_) diagonal_->solve(x);
}

double HeldRows::distance(VectorXd& r) {
  double e = 0;
  const int n = model_->nv();
  if (coupled_ || !diagonal_regular_) {
    std::copy(r.data(), r.data() + n, z_.data());
    std::fill(z_.data() + n, z_.data() + z_.size(), 0.0);
    matrix_->factor().solve(z_.data());
    e = max_abs(ConstView(z_.data(), n));
  }
  if (!diagonal_regular_) return e;
  diagonal_->solve(r);
  return std::max(e, max_abs(r));
}

}  // namespace ricochet
