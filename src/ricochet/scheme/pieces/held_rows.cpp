#include "ricochet/scheme/pieces/held_rows.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr long long kDearer = 4;  ///< times the products of whole solutions: these have loops of their own to pay for

}  // namespace

HeldRows::HeldRows(const Model& model) : model_(&model), node_of_(model.nv()) {
  const std::vector<Range>& nodes = model.layout().blocks;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    std::fill_n(node_of_.begin() + nodes[k].at, nodes[k].n, static_cast<int>(k));
  diagonal_layout_.structure = Structure::block_diagonal;
  diagonal_layout_.n = model.nv();
  diagonal_layout_.blocks = nodes;
  diagonal_ = std::make_unique<Operator>(diagonal_layout_);
}

bool HeldRows::Pattern::fits(const Jacobian& G, std::size_t first) const {
  if (first != blocks) return false;
  const Range* t = touched.data();
  for (std::size_t k = 0; k < blocks; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    if (t->at != -b.dim || t->n != b.ranges) return false;
    ++t;
    for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r, ++t)
      if (t->at != r->at || t->n != r->n) return false;
  }
  return true;
}

Operator& HeldRows::prepare(const Jacobian& G, std::size_t blocks) {
  auto known = std::find_if(patterns_.begin(), patterns_.end(), [&](const auto& p) { return p->fits(G, blocks); });
  if (known == patterns_.end()) {
    if (patterns_.size() < kKept) patterns_.push_back(nullptr);
    known = patterns_.end() - 1;
    *known = std::make_unique<Pattern>();
    analyse(G, blocks, **known);
  }
  std::rotate(patterns_.begin(), known, known + 1);
  held_ = patterns_.front().get();
  z_.resize(factor().size());
  held_->matrix->zero();
  return *held_->matrix;
}

void HeldRows::analyse(const Jacobian& G, std::size_t blocks, Pattern& out) const {
  const OperatorLayout& bodies = model_->layout();
  OperatorLayout& layout = out.layout;
  layout.structure = Structure::blocks;
  layout.n = bodies.n;
  layout.blocks = bodies.blocks;
  layout.bodies = static_cast<int>(bodies.blocks.size());
  layout.couples = bodies.couples;
  out.blocks = blocks;
  out.first_node.assign(1, 0);
  for (std::size_t k = 0; k < blocks; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    out.touched.push_back({-b.dim, b.ranges});
    out.touched.insert(out.touched.end(), G.ranges(b), G.ranges(b) + b.ranges);
    const auto own = static_cast<int>(layout.blocks.size());
    layout.blocks.push_back({bodies.n + out.rows, b.dim});
    out.rows += b.dim;
    for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r)
      for (int j = r->at; j < r->at + r->n; j = bodies.blocks[node_of_[j]].at + bodies.blocks[node_of_[j]].n) {
        const auto same = [&](const Node& n) { return n.node == node_of_[j]; };
        const auto first = out.nodes.begin() + static_cast<std::ptrdiff_t>(out.first_node.back());
        if (std::any_of(first, out.nodes.end(), same)) continue;
        out.nodes.push_back({node_of_[j], 0});
        layout.couples.emplace_back(own, node_of_[j]);
      }
    out.first_node.push_back(out.nodes.size());
  }
  out.matrix = std::make_unique<Operator>(layout);
  find_runs(out);
  const BlockFactor& factor = out.matrix->factor();
  out.tree_start.assign(factor.trees() + 1, 0);
  for (int i = 0; i < out.rows; ++i) ++out.tree_start[factor.tree_of(bodies.n + i) + 1];
  for (int t = 0; t < factor.trees(); ++t) out.tree_start[t + 1] += out.tree_start[t];
  out.tree_rows.resize(out.rows);
  std::vector<int> next(out.tree_start.begin(), out.tree_start.end() - 1);
  for (int i = 0; i < out.rows; ++i) out.tree_rows[next[factor.tree_of(bodies.n + i)]++] = i;
}

void HeldRows::find_runs(Pattern& out) const {
  BlockFactor& factor = out.matrix->factor();
  for (std::size_t k = 0; k < out.blocks; ++k) {
    const Range& own = out.layout.blocks[static_cast<std::size_t>(out.layout.bodies) + k];
    for (std::size_t i = out.first_node[k]; i < out.first_node[k + 1]; ++i) {
      out.nodes[i].runs = out.runs.size();
      const Range& body = out.layout.blocks[out.nodes[i].node];
      for (int row = own.at; row < own.at + own.n; ++row) {
        out.runs.push_back(factor.down(body.at, row, body.n));
        out.runs.push_back(factor.across(row, body.at, body.n));
      }
    }
  }
}

void HeldRows::add(const Jacobian& G, bool columns, const char* spared) {
  const Pattern& held = *held_;
  for (std::size_t k = 0; k < held.blocks; ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    for (int i = 0, offset = 0; i < b.ranges; offset += G.ranges(b)[i].n, ++i) {
      const Range& r = G.ranges(b)[i];
      for (int at = r.at; at < r.at + r.n;) {
        std::size_t n = held.first_node[k];
        while (n < held.first_node[k + 1] && held.nodes[n].node != node_of_[at]) ++n;
        assert(n < held.first_node[k + 1]);
        const Range& body = held.layout.blocks[held.nodes[n].node];
        const int count = std::min(r.at + r.n, body.at + body.n) - at;
        for (int row = 0; row < b.dim; ++row) {
          if (spared[b.row + row] != 0) continue;
          BlockFactor::Run run = held.runs[held.nodes[n].runs + 2 * static_cast<std::size_t>(row) + (columns ? 0 : 1)];
          run.at += (at - body.at) * run.stride;
          factor().add(run, G.row(b, row) + offset + at - r.at, count);
        }
        at += count;
      }
    }
  }
}

bool HeldRows::factorise(const Jacobian& D, const Jacobian& L, bool coupled, const char* spared) {
  coupled_ = coupled || !model_->forces().empty();
  diagonal_->zero();
  inverse_diagonal_.resize(model_->nv());
  for (const Range& r : diagonal_layout_.blocks) {
    double* block = diagonal_->block(r.at);
    factor().copy_diagonal(r.at, r.n, block);
    for (int i = 0; i < r.n; ++i) inverse_diagonal_[r.at + i] = 1 / std::abs(block[i * (r.n + 1)]);
  }
  diagonal_regular_ = diagonal_->factorise();
  add(D, true, spared);
  add(L, false, spared);
  if (!held_->matrix->factorise()) return false;
  find_null_space(spared);
  return true;
}

void HeldRows::find_null_space(const char* spared) {
  dead_.clear();
  null_.clear();
  for (int k = 0; k < factor().redundant(); ++k) dead_.emplace_back(factor().tree_of_redundant(k), k);
  if (dead_.empty()) return;
  std::sort(dead_.begin(), dead_.end());
  vector_.resize(static_cast<std::size_t>(z_.size()));
  std::size_t first = 0;  // of null_: the vectors of the same tree
  for (std::size_t k = 0; k < dead_.size(); ++k) {
    const int tree = dead_[k].first, *rows = held_->tree_rows.data() + held_->tree_start[tree];
    const auto count = static_cast<std::size_t>(held_->tree_start[tree + 1] - held_->tree_start[tree]);
    if (k > 0 && dead_[k - 1].first != tree) first = null_.size();
    factor().null_vector_in_tree(dead_[k].second, vector_.data());
    const std::size_t own = null_.size();
    for (std::size_t i = 0; i < count; ++i) null_.push_back(vector_[static_cast<std::size_t>(model_->nv() + rows[i])]);
    double* y = null_.data() + own;
    for (std::size_t i = 0; i < count; ++i)
      if (spared[rows[i]] != 0) y[i] = 0;  // of these nothing is taken off here
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
    const int *begin = held_->tree_rows.data() + held_->tree_start[tree],
              *end = held_->tree_rows.data() + held_->tree_start[tree + 1];
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
  for (std::size_t k = held_->blocks; k < cones.size(); ++k) {
    contacts.blocks.push_back(cones[k].at(contacts.rows));
    contacts.rows += cones[k].dim;
  }
}

void HeldRows::condense(const Pass& pass, const double* p, bool first) {
  const auto& [D, L, r, u, crew] = pass;
  if (first || contacts.rows > 0) {
    pushed = r;
    if (diagonal_regular_) diagonal_->solve(pushed);
  }
  if (first) load_ = 0;
  // What the held rows have to turn, for the sake of its size.
  for (std::size_t k = 0; k < held_->blocks && first; ++k) {
    const Jacobian::Block& b = L.blocks()[k];
    for (int i = 0; i < b.dim; ++i) load_ = std::max(load_, std::abs(u[b.row + i] - L.row_times(b, i, pushed)));
  }
  if (contacts.rows == 0) return;
  const int n = model_->nv();
  View x(z_.data(), n);
  std::copy(r.data(), r.data() + n, z_.data());
  add_blocks(D, 0, held_->blocks, -1, p, x);
  std::copy(u, u + held_->rows, z_.data() + n);
  factor().solve(z_.data());
  double* b = contacts.b.need(contacts.rows);
  for (std::size_t k = held_->blocks; k < L.blocks().size(); ++k) {
    const Jacobian::Block& block = L.blocks()[k];
    for (int i = 0; i < block.dim; ++i) {
      const int row = block.row + i;
      b[row - held_->rows] = u[row] - L.row_times(block, i, x);
      load_ = std::max(load_, std::abs(b[row - held_->rows]));
    }
  }
  factor().half_solve(D, held_->blocks, Y_);
  if (factor().half_products() > kDearer * factor().whole_products()) {
    form_by_columns(L);
  } else {
    factor().half_solve_transposed(L, held_->blocks, Z_);
    contacts.W.form(Z_, Y_, factor().size(), Delassus::Storage::sparse, crew);
  }
  if (held_->blocks > 0 && diagonal_regular_) drop_round_off(pass);
}

void HeldRows::form_by_columns(const Jacobian& L) {
  const auto count = static_cast<int>(Y_.blocks().size());
  const Jacobian::Block* rows = L.blocks().data() + held_->blocks;
  std::vector<std::vector<int>>& members = in_tree_;
  members.resize(std::max(members.size(), static_cast<std::size_t>(factor().trees())));
  for (std::vector<int>& list : members) list.clear();
  const auto trees_of = [this](int k, auto visit) { factor().for_each_tree(Y_, Y_.blocks()[k], visit); };
  for (int k = 0; k < count; ++k) trees_of(k, [&](int tree) { members[tree].push_back(k); });
  starts_.clear(), pointers_.assign(1, 0), columns_.clear();
  for (int k = 0; k < count; ++k) {
    starts_.push_back(rows[k].row - held_->rows);
    const auto begin = static_cast<std::ptrdiff_t>(columns_.size());
    int trees = 0;
    trees_of(k,
             [&](int tree) { ++trees, columns_.insert(columns_.end(), members[tree].begin(), members[tree].end()); });
    if (trees == 0) columns_.push_back(k);  // the diagonal is always there
    if (trees > 1) {
      std::sort(columns_.begin() + begin, columns_.end());
      columns_.erase(std::unique(columns_.begin() + begin, columns_.end()), columns_.end());
    }
    pointers_.push_back(static_cast<int>(columns_.size()));
  }
  starts_.push_back(contacts.rows);
  double* values = contacts.W.make_sparse(starts_, pointers_, columns_);
  std::fill(z_.begin(), z_.end(), 0.0);
  const ConstView x(z_.data(), model_->nv());
  for (int j = 0; j < count; ++j)
    for (int c = 0; c < Y_.blocks()[j].dim; ++c) {
      factor().finish(Y_, Y_.blocks()[j], c, z_.data());
      for (int k = pointers_[j]; k < pointers_[j + 1]; ++k) {  // blocks come in pairs
        const int i = columns_[k];
        const auto begin = columns_.begin() + pointers_[i],
                   at = std::lower_bound(begin, columns_.begin() + pointers_[i + 1], j);
        double* out = values + (contacts.W.block(static_cast<int>(at - columns_.begin())) - contacts.W.blocks());
        for (int r = 0; r < rows[i].dim; ++r) out[r + c * rows[i].dim] = L.row_times(rows[i], r, x);
      }
      trees_of(j, [&](int tree) { factor().clear_tree(tree, z_.data()); });
    }
}

/// Of rows that the held ones hold already nothing but round-off is left: it is made the zero that it stands for.
void HeldRows::drop_round_off(const Pass& pass) {
  const auto& [D, L, r, u, crew] = pass;
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
  for (std::size_t k = held_->blocks; k < L.blocks().size(); ++k) {
    const Jacobian::Block &a = L.blocks()[k], &b = D.blocks()[k];
    for (int i = 0; i < a.dim; ++i) {
      const int row = a.row + i - held_->rows;
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

void HeldRows::move(const Pass& pass, double* p, VectorXd& d) {
  const auto& [D, L, r, u, crew] = pass;
  const int n = model_->nv();
  View x(z_.data(), n);
  std::copy(r.data(), r.data() + n, z_.data());
  D.add_times(-1, p, x);
  std::copy(u, u + held_->rows, z_.data() + n);
  factor().solve(z_.data());
  for (int i = 0; i < held_->rows; ++i) p[i] += z_[n + i];
  take_off_null_space(p);
  std::copy(z_.data(), z_.data() + n, d.data());
}

void HeldRows::solve_free(VectorXd& d) {
  const auto n = static_cast<std::size_t>(d.size());
  std::copy_n(d.data(), n, z_.data());
  std::fill(z_.begin() + d.size(), z_.end(), 0.0);
  factor().solve(z_.data());
  std::copy_n(z_.data(), n, d.data());
}

void HeldRows::apply_inverse(VectorXd& x) const {
  if (diagonal_regular_) diagonal_->solve(x);
}

ConstView HeldRows::distance(VectorXd& r, const double* per) {
  const int n = model_->nv();
  const ConstView with_rows(z_.data(), n);
  const auto largest = [&](ConstView x) {
    double s = 0;
    for (int i = 0; i < n; ++i) s = std::max(s, std::abs(x[i]) * per[i]);
    return s;
  };
  if (coupled_ || !diagonal_regular_) {
    std::copy(r.data(), r.data() + n, z_.data());
    std::fill(z_.data() + n, z_.data() + z_.size(), 0.0);
    factor().solve(z_.data());
    if (!diagonal_regular_) return with_rows;
  }
  diagonal_->solve(r);
  return coupled_ && !(largest(with_rows) <= largest(r)) ? with_rows : ConstView(r);
}

}  // namespace ricochet
