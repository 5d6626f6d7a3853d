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
  bool same = matrix_ != nullptr && blocks == blocks_;
  std::size_t at = 0;
  for (std::size_t k = 0; k < blocks && same; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    same = at + static_cast<std::size_t>(b.ranges) < touched_.size() && touched_[at].at == -b.dim &&
           touched_[at].n == b.ranges;
    for (int i = 0; i < b.ranges && same; ++i)
      same = touched_[at + 1 + i].at == G.ranges(b)[i].at && touched_[at + 1 + i].n == G.ranges(b)[i].n;
    at += 1 + static_cast<std::size_t>(b.ranges);
  }
  if (!same) {
    blocks_ = blocks;
    touched_.clear();
    for (std::size_t k = 0; k < blocks; ++k) {
      const Jacobian::Block& b = G.blocks()[k];
      touched_.push_back({-b.dim, b.ranges});
      touched_.insert(touched_.end(), G.ranges(b), G.ranges(b) + b.ranges);
    }
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
  for (std::size_t at = 0; at < touched_.size(); at += 1 + static_cast<std::size_t>(touched_[at].n)) {
    const int dim = -touched_[at].at;
    const auto own = static_cast<int>(layout_.blocks.size());
    layout_.blocks.push_back({bodies.n + rows_, dim});
    for (int i = 1; i <= touched_[at].n; ++i) {
      const Range& r = touched_[at + static_cast<std::size_t>(i)];
      for (int j = r.at; j < r.at + r.n; j = bodies.blocks[node_of_[j]].at + bodies.blocks[node_of_[j]].n) {
        const auto known = [&](const Node& n) { return n.node == node_of_[j]; };
        if (std::any_of(nodes_.begin() + static_cast<std::ptrdiff_t>(first_node_.back()), nodes_.end(), known))
          continue;
        nodes_.push_back({node_of_[j], 0});
        layout_.couples.emplace_back(own, node_of_[j]);
      }
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
  inverse_diagonal_.resize(model_->nv());
  for (const Range& r : diagonal_layout_.blocks) {
    double* block = diagonal_->block(r.at);
    factor.copy_diagonal(r.at, r.n, block);
    for (int i = 0; i < r.n; ++i) inverse_diagonal_[r.at + i] = 1 / std::abs(block[i * (r.n + 1)]);
  }
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

void HeldRows::take_contacts(const std::vector<ConeBlock>& cones) {
  contacts.clear();
  for (std::size_t k = blocks_; k < cones.size(); ++k) {
    contacts.blocks.push_back({cones[k].cone, contacts.rows, cones[k].dim, cones[k].mu});
    contacts.rows += cones[k].dim;
  }
}

void HeldRows::condense(const Jacobian& D, const Jacobian& L, const VectorXd& r, const double* u, const double* p,
                        bool first) {
  if (first || contacts.rows > 0) {
    pushed = r;
    if (diagonal_regular_) diagonal_->solve(pushed);
  }
  if (first) load_ = 0;
  for (std::size_t k = 0; k < blocks_ && first; ++k) {  // what the held rows have to turn, for the sake of its size
    const Jacobian::Block& b = L.blocks()[k];
    for (int i = 0; i < b.dim; ++i) load_ = std::max(load_, std::abs(u[b.row + i] - L.row_times(b, i, pushed)));
  }
  if (contacts.rows == 0) return;
  const int n = model_->nv();
  View x(z_.data(), n);
  std::copy(r.data(), r.data() + n, z_.data());
  add_blocks(D, 0, blocks_, -1, p, x);
  std::copy(u, u + rows_, z_.data() + n);
  const BlockFactor& factor = matrix_->factor();
  factor.solve(z_.data());
  double* b = contacts.b.need(contacts.rows);
  for (std::size_t k = blocks_; k < L.blocks().size(); ++k) {
    const Jacobian::Block& block = L.blocks()[k];
    for (int i = 0; i < block.dim; ++i) {
      const int row = block.row + i;
      b[row - rows_] = u[row] - L.row_times(block, i, x);
      load_ = std::max(load_, std::abs(b[row - rows_]));
    }
  }
  factor.half_solve(D, blocks_, Y_);
  factor.half_solve_transposed(L, blocks_, Z_);
  contacts.W.form(Z_, Y_, factor.size(), Delassus::Storage::sparse);
  if (blocks_ > 0 && diagonal_regular_) drop_round_off(D, L, u);
}

/// Of rows that the held ones hold already nothing but round-off is left: it is made the zero that it stands for.
void HeldRows::drop_round_off(const Jacobian& D, const Jacobian& L, const double* u) {
  constexpr double kNothing = 1e-12, kLittle = 1e-10;
  // What W has on its diagonal where nothing is held, and what b is the difference of.
  double *free = free_.need(contacts.rows), *terms = terms_.need(contacts.rows);
  const auto squares = [this](const Jacobian& G, const Jacobian::Block& b, int i) {
    const double* g = G.row(b, i);
    double s = 0;
    for (int k = 0; k < b.ranges; ++k)
      for (int j = G.ranges(b)[k].at, end = j + G.ranges(b)[k].n; j < end; ++j, ++g)
        s += *g * *g * inverse_diagonal_[j];
    return s;
  };
  for (std::size_t k = blocks_; k < L.blocks().size(); ++k) {
    const Jacobian::Block &a = L.blocks()[k], &b = D.blocks()[k];
    for (int i = 0; i < a.dim; ++i) {
      const int row = a.row + i - rows_;
      free[row] = std::sqrt(squares(L, a, i) * squares(D, b, i));
      terms[row] = std::abs(u[a.row + i]);
      const double* g = L.row(a, i);
      for (int l = 0; l < a.ranges; ++l)
        for (int j = L.ranges(a)[l].at, end = j + L.ranges(a)[l].n; j < end; ++j)
          terms[row] += std::abs(*g++ * pushed[j]);
    }
  }
  for (int row = 0; row < contacts.rows; ++row) {
    if (!(std::abs(contacts.W.diagonal(row)) <= kNothing * free[row])) continue;
    bool held = true;
    contacts.W.for_each_block_in(
        contacts.W.block_of(row), [&](int first, int column, int rows, int columns, const double* a) {
          for (int c = 0; c < columns; ++c)
            held = held && std::abs(a[row - first + c * rows]) <= kLittle * std::sqrt(free[row] * free[column + c]);
        });
    if (!held) continue;
    contacts.W.silence(row);
    if (std::abs(contacts.b[row]) <= kNothing * terms[row]) contacts.b[row] = 0;
  }
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
