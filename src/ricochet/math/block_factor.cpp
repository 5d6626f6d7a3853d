#include "ricochet/math/block_factor.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ricochet {

// ---- order and pattern ----------------------------------------------------------------------------------------------

/// A sequence of nodes and the pattern of the factors that it leads to.
struct BlockFactor::Order {
  std::vector<int> sequence;            // nodes
  std::vector<std::vector<int>> below;  // by place in the sequence: places below it, ascending
  long long cost = 0;                   // multiplications of the elimination

  void analyse(const NodePattern& pattern, const std::vector<std::vector<int>>& neighbours) {
    const auto count = static_cast<int>(sequence.size());
    std::vector<int> place(sequence.size()), seen(sequence.size(), -1);
    for (int k = 0; k < count; ++k) place[sequence[k]] = k;
    std::vector<std::vector<int>> children(sequence.size());
    below.assign(sequence.size(), {});
    cost = 0;
    for (int k = 0; k < count; ++k) {
      std::vector<int>& mine = below[k];
      const auto take = [&](int p) {
        if (p <= k || seen[p] == k) return;
        seen[p] = k;
        mine.push_back(p);
      };
      for (int node : neighbours[sequence[k]]) take(place[node]);
      for (int child : children[k])
        for (int p : below[child]) take(p);
      std::sort(mine.begin(), mine.end());
      if (!mine.empty()) children[mine.front()].push_back(k);
      long long rows = 0;
      for (int p : mine) rows += pattern.nodes[sequence[p]].n;
      const long long n = pattern.nodes[sequence[k]].n;
      cost += n * (n + rows) * (n + rows);
    }
  }
};

namespace {

std::vector<std::vector<int>> neighbours_of(const NodePattern& pattern) {
  std::vector<std::vector<int>> out(pattern.nodes.size());
  for (const auto& [a, b] : pattern.couples)
    if (a != b) {
      out[a].push_back(b);
      out[b].push_back(a);
    }
  for (auto& list : out) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

/// Minimum degree on the bodies, those of a joint being neighbours.
std::vector<int> order_bodies(const NodePattern& pattern, const std::vector<std::vector<int>>& neighbours) {
  std::vector<Eigen::Triplet<int>> entries;
  for (int a = 0; a < pattern.bodies; ++a) {
    entries.emplace_back(a, a, 1);
    for (int b : neighbours[a])
      if (b < pattern.bodies) entries.emplace_back(a, b, 1);
  }
  for (std::size_t j = pattern.bodies; j < pattern.nodes.size(); ++j)
    for (int a : neighbours[j])
      for (int b : neighbours[j])
        if (a != b) entries.emplace_back(a, b, 1);
  Eigen::SparseMatrix<int> graph(pattern.bodies, pattern.bodies);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int> minimum_degree;
  minimum_degree(graph, order);
  return {order.indices().data(), order.indices().data() + order.size()};
}

/// The exponent that frexp gives, of a number that is neither zero nor infinite; kNone of others.
constexpr int kNone = 1 << 20;
int exponent(double x) {
  const auto bits = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  if (bits > 0 && bits < 0x7ff) return bits - 1022;
  int e = 0;
  return std::isfinite(x) && std::frexp(x, &e) != 0 ? e : kNone;
}
double power_of_two(int e) {
  return e > -1022 && e < 1023 ? std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52) : std::ldexp(1.0, e);
}
/// 2^-floor(log2 |x|); 1 where that has no meaning.
double inverse_power(double x) {
  const int e = exponent(x);
  return e == kNone ? 1 : power_of_two(1 - e);
}
/// The same of the square root.
double inverse_root_power(double x) {
  const int e = exponent(x);
  return e == kNone ? 1 : power_of_two(-(e - (e < 0 ? 1 : 0)) / 2);
}

constexpr double kMassless = 1e-6;  ///< pivots of coordinates below this are looked for among the constraints too

/// T = A B^T, m x n out of m x k and n x k; column by column, each entry summed in the order of k.
void multiply(const double* A, int lda, int m, const double* B, int ldb, int n, int k, double* T) {
  for (int c = 0; c < n; ++c, T += m) {
    const double b0 = B[c];
    for (int i = 0; i < m; ++i) T[i] = A[i] * b0;
    for (int l = 1; l < k; ++l) {
      const double b = B[c + static_cast<std::ptrdiff_t>(l) * ldb];
      const double* a = A + static_cast<std::ptrdiff_t>(l) * lda;
      for (int i = 0; i < m; ++i) T[i] += a[i] * b;
    }
  }
}

}  // namespace

BlockFactor::Order BlockFactor::in_trees(const NodePattern& pattern, const std::vector<int>& bodies) {
  const auto neighbours = neighbours_of(pattern);
  std::vector<int> place(pattern.bodies), joint_of(pattern.bodies, -1);
  for (int k = 0; k < pattern.bodies; ++k) place[bodies[k]] = k;
  std::vector<int> closing;
  for (int j = pattern.bodies; j < static_cast<int>(pattern.nodes.size()); ++j) {
    int taker = -1;
    for (int body : neighbours[j])
      if (joint_of[body] < 0 && pattern.nodes[body].n >= pattern.nodes[j].n &&
          (taker < 0 || place[body] < place[taker]))
        taker = body;
    if (taker >= 0) {
      joint_of[taker] = j;
    } else {
      closing.push_back(j);
    }
  }
  Order order;
  for (int body : bodies) {
    order.sequence.push_back(body);
    if (joint_of[body] >= 0) order.sequence.push_back(joint_of[body]);
  }
  order.sequence.insert(order.sequence.end(), closing.begin(), closing.end());
  order.analyse(pattern, neighbours);
  return order;
}

BlockFactor::Order BlockFactor::after_bodies(const NodePattern& pattern, const std::vector<int>& bodies) {
  const auto neighbours = neighbours_of(pattern);
  std::vector<int> place(pattern.bodies);
  for (int k = 0; k < pattern.bodies; ++k) place[bodies[k]] = k;
  std::vector<std::vector<int>> joints(pattern.bodies);
  Order order;
  for (int j = pattern.bodies; j < static_cast<int>(pattern.nodes.size()); ++j) {
    int last = -1;
    for (int body : neighbours[j]) last = std::max(last, place[body]);
    if (last >= 0) {
      joints[last].push_back(j);
    } else {
      order.sequence.push_back(j);  // a joint that moves nothing
    }
  }
  for (int k = 0; k < pattern.bodies; ++k) {
    order.sequence.push_back(bodies[k]);
    order.sequence.insert(order.sequence.end(), joints[k].begin(), joints[k].end());
  }
  order.analyse(pattern, neighbours);
  return order;
}

void BlockFactor::analyse(const NodePattern& pattern) {
  const std::vector<int> bodies = order_bodies(pattern, neighbours_of(pattern));
  Order order = after_bodies(pattern, bodies);
  if (pattern.nodes.size() > static_cast<std::size_t>(pattern.bodies)) {
    Order trees = in_trees(pattern, bodies);
    if (trees.cost < order.cost) order = std::move(trees);
  }
  lay_out(pattern, order);
}

void BlockFactor::lay_out(const NodePattern& pattern, const Order& order) {
  n_ = pattern.size();
  flops_ = order.cost;
  const auto count = static_cast<int>(order.sequence.size());
  // Panels, from one of these to the next, and their nodes in a new order: coordinates first.
  std::vector<int> panel_start, sequence, moved(order.sequence.size());
  for (int k = 0; k < count;) {
    panel_start.push_back(k);
    int last = k;
    while (last + 1 < count && !order.below[last].empty() && order.below[last].front() == last + 1 &&
           order.below[last].size() == order.below[last + 1].size() + 1)
      ++last;
    for (const bool bodies : {true, false})
      for (int i = k; i <= last; ++i)
        if ((order.sequence[i] < pattern.bodies) == bodies) {
          moved[i] = static_cast<int>(sequence.size());
          sequence.push_back(order.sequence[i]);
        }
    k = last + 1;
  }
  panel_start.push_back(count);
  std::vector<int> at(order.sequence.size() + 1, 0);  // first place of a node's coordinates
  place_.assign(n_, 0);
  original_.assign(n_, 0);
  constraint_.assign(n_, 0);
  for (int k = 0; k < count; ++k) {
    const Range& node = pattern.nodes[sequence[k]];
    at[k + 1] = at[k] + node.n;
    for (int i = 0; i < node.n; ++i) {
      place_[node.at + i] = at[k] + i;
      original_[at[k] + i] = node.at + i;
      constraint_[at[k] + i] = sequence[k] >= pattern.bodies ? 1 : 0;
    }
  }
  panels_.clear();
  rows_.clear();
  updates_.clear();
  panel_of_.assign(n_, 0);
  std::ptrdiff_t used = 0;
  std::vector<int> nodes_below;
  for (std::size_t k = 0; k + 1 < panel_start.size(); ++k) {
    Panel p{};
    p.first = at[panel_start[k]];
    p.width = at[panel_start[k + 1]] - p.first;
    p.row_start = static_cast<int>(rows_.size());
    nodes_below.clear();
    for (int below : order.below[panel_start[k + 1] - 1]) nodes_below.push_back(moved[below]);
    std::sort(nodes_below.begin(), nodes_below.end());
    for (int below : nodes_below)
      for (int i = at[below]; i < at[below + 1]; ++i) rows_.push_back(i);
    p.rows = static_cast<int>(rows_.size()) - p.row_start;
    p.lower = used;
    used += static_cast<std::ptrdiff_t>(p.width + p.rows) * p.width;
    p.upper = used;
    used += static_cast<std::ptrdiff_t>(p.rows) * p.width;
    for (int i = p.first; i < p.first + p.width; ++i) {
      panel_of_[i] = static_cast<int>(panels_.size());
      p.coordinates += constraint_[i] == 0;
    }
    p.constraints = p.coordinates < p.width;
    panels_.push_back(p);
  }
  // Who updates whom: the rows of a panel, cut by the panels that they are columns of.
  std::vector<std::vector<Update>> into(panels_.size());
  int widest = 0, tallest = 0, most = 0;
  for (std::size_t d = 0; d < panels_.size(); ++d) {
    const Panel& p = panels_[d];
    for (int from = 0; from < p.rows;) {
      const int target = panel_of_[rows_[p.row_start + from]];
      int to = from;
      while (to < p.rows && panel_of_[rows_[p.row_start + to]] == target) ++to;
      into[target].push_back({static_cast<int>(d), from, to});
      widest = std::max(widest, to - from);
      tallest = std::max(tallest, p.rows - from);
      from = to;
    }
  }
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    panels_[k].update_start = static_cast<int>(updates_.size());
    panels_[k].updates = static_cast<int>(into[k].size());
    updates_.insert(updates_.end(), into[k].begin(), into[k].end());
  }
  values_.assign(used, 0.0);
  row_scale_.assign(n_, 1.0);
  column_scale_.assign(n_, 1.0);
  row_exchange_.assign(n_, 0);
  column_exchange_.assign(n_, 0);
  is_dead_.assign(n_, 0);
  for (const Panel& p : panels_) most = std::max(most, p.rows);
  product_.assign(std::max(static_cast<std::size_t>(widest) * tallest, 2 * static_cast<std::size_t>(most)), 0.0);
  relative_.assign(n_, 0);
  y_.assign(n_, 0.0);
  dead_.clear();
  dead_.reserve(n_);
  find_trees();
}

// ---- entries --------------------------------------------------------------------------------------------------------

void BlockFactor::zero() { std::fill(values_.begin(), values_.end(), 0.0); }

double* BlockFactor::entry(int i, int j) {
  const int row = place_[i], column = place_[j];
  const int a = panel_of_[row], b = panel_of_[column];
  const Panel& p = panels_[std::min(a, b)];
  if (a == b)
    return &values_[p.lower + (row - p.first) + static_cast<std::ptrdiff_t>(column - p.first) * (p.width + p.rows)];
  const auto begin = rows_.begin() + p.row_start, end = begin + p.rows;
  const auto found = std::lower_bound(begin, end, std::max(row, column));
  if (found == end || *found != std::max(row, column)) return nullptr;
  const auto index = static_cast<int>(found - begin);
  if (a > b)
    return &values_[p.lower + p.width + index + static_cast<std::ptrdiff_t>(column - p.first) * (p.width + p.rows)];
  return &values_[p.upper + index + static_cast<std::ptrdiff_t>(row - p.first) * p.rows];
}

bool BlockFactor::add(int i, int j, double value) {
  double* at = entry(i, j);
  if (at == nullptr) return false;
  *at += value;
  return true;
}

BlockFactor::Run BlockFactor::down(int i, int j, int count) {
  const double *first = entry(i, j), *second = count > 1 ? entry(i + 1, j) : first;
  assert(first != nullptr && second != nullptr);
  return {first - values_.data(), second - first};
}

BlockFactor::Run BlockFactor::across(int i, int j, int count) {
  const double *first = entry(i, j), *second = count > 1 ? entry(i, j + 1) : first;
  assert(first != nullptr && second != nullptr);
  return {first - values_.data(), second - first};
}

void BlockFactor::copy_diagonal(int i, int n, double* out) const {
  const int place = place_[i];
  const Panel& p = panels_[panel_of_[place]];
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double* column = &values_[p.lower] + (place - p.first) * (height + 1);
  for (int c = 0; c < n; ++c, column += height) out = std::copy_n(column, n, out);
}

double BlockFactor::largest_entry() const {
  double s = 0;
  for (double x : values_) s = std::max(s, std::abs(x));
  return s;
}

// ---- factors --------------------------------------------------------------------------------------------------------

void BlockFactor::scale() {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  std::fill(column_scale_.begin(), column_scale_.end(), 0.0);
  bool constrained = false;
  for (const Panel& p : panels_) {
    constrained = constrained || p.constraints;
    for (int c = 0; c < p.width; ++c) {
      if (constraint_[p.first + c] != 0) continue;
      const double diagonal = values_[p.lower + c + static_cast<std::ptrdiff_t>(c) * (p.width + p.rows)];
      if (diagonal != 0) row_scale_[p.first + c] = column_scale_[p.first + c] = inverse_root_power(diagonal);
    }
  }
  // A coordinate without mass of its own: from what couples it.
  for (int i = 0; i < n_; ++i)
    if (constraint_[i] == 0 && row_scale_[i] == 0) {
      double largest = 0;
      const Panel& own = panels_[panel_of_[i]];
      const int c = i - own.first;
      for (int r = 0; r < own.width + own.rows; ++r)
        largest = std::max(largest,
                           std::abs(values_[own.lower + r + static_cast<std::ptrdiff_t>(c) * (own.width + own.rows)]));
      row_scale_[i] = column_scale_[i] = inverse_root_power(largest);
    }
  if (constrained) {
    for (Panel& p : panels_) scale_constraints(p);
    for (int i = 0; i < n_; ++i)
      if (constraint_[i] != 0) {
        row_scale_[i] = inverse_power(row_scale_[i]);
        column_scale_[i] = inverse_power(column_scale_[i]);
      }
  }
  for (const Panel& p : panels_) {
    const int* rows = rows_.data() + p.row_start;
    const int height = p.width + p.rows;
    double *below = product_.data(), *right = below + p.rows;  // scales of the rows below and of the columns beside
    for (int r = 0; r < p.rows; ++r) below[r] = row_scale_[rows[r]], right[r] = column_scale_[rows[r]];
    const double* own = row_scale_.data() + p.first;
    double *column = &values_[p.lower], *across = values_.data() + p.upper;
    for (int c = 0; c < p.width; ++c, column += height, across += p.rows) {
      const double s = column_scale_[p.first + c], t = own[c];
      for (int r = 0; r < p.width; ++r) column[r] *= own[r] * s;
      for (int r = 0; r < p.rows; ++r) column[p.width + r] *= below[r] * s;
      for (int r = 0; r < p.rows; ++r) across[r] *= t * right[r];
    }
  }
}

/// Largest scaled entries of the constraints' rows and columns that lie in a panel.
void BlockFactor::scale_constraints(const Panel& p) {
  const int* rows = rows_.data() + p.row_start;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double *A = &values_[p.lower], *right = values_.data() + p.upper;
  const double *down = row_scale_.data() + p.first, *along = column_scale_.data() + p.first;
  for (int k = p.coordinates; k < p.width; ++k) {
    double row = row_scale_[p.first + k], column = column_scale_[p.first + k];
    for (int i = 0; i < p.coordinates; ++i) {
      row = std::max(row, std::abs(A[k + i * height]) * along[i]);
      column = std::max(column, std::abs(A[i + k * height]) * down[i]);
    }
    for (int r = 0; r < p.rows; ++r) {
      if (constraint_[rows[r]] != 0) continue;
      row = std::max(row, std::abs(right[r + static_cast<std::ptrdiff_t>(k) * p.rows]) * column_scale_[rows[r]]);
      column = std::max(column, std::abs(A[p.width + r + k * height]) * row_scale_[rows[r]]);
    }
    row_scale_[p.first + k] = row;
    column_scale_[p.first + k] = column;
  }
  for (int r = 0; r < p.rows; ++r) {
    if (constraint_[rows[r]] == 0) continue;
    double &row = row_scale_[rows[r]], &column = column_scale_[rows[r]];
    for (int i = 0; i < p.coordinates; ++i) {
      row = std::max(row, std::abs(A[p.width + r + i * height]) * along[i]);
      column = std::max(column, std::abs(right[r + static_cast<std::ptrdiff_t>(i) * p.rows]) * down[i]);
    }
  }
}

void BlockFactor::update(const Panel& p, std::vector<int>& place) {
  if (p.updates == 0) return;
  for (int c = 0; c < p.width; ++c) place[p.first + c] = c;
  for (int r = 0; r < p.rows; ++r) place[rows_[p.row_start + r]] = p.width + r;
  const int height = p.width + p.rows;
  for (int u = p.update_start; u < p.update_start + p.updates; ++u) {
    const Update& from = updates_[u];
    const Panel& d = panels_[from.panel];
    const int n = from.to - from.from, m = d.rows - from.from, right = d.rows - from.to;
    const int* rows = rows_.data() + d.row_start;
    const double *lower = &values_[d.lower] + d.width, *upper = values_.data() + d.upper;
    const int ld = d.width + d.rows;
    multiply(lower + from.from, ld, m, upper + from.from, d.rows, n, d.width, product_.data());
    const double* t = product_.data();
    for (int c = 0; c < n; ++c) {
      double* column = &values_[p.lower + static_cast<std::ptrdiff_t>(place[rows[from.from + c]]) * height];
      for (int i = 0; i < m; ++i) column[place[rows[from.from + i]]] -= *t++;
    }
    if (right == 0) continue;
    multiply(upper + from.to, d.rows, right, lower + from.from, ld, n, d.width, product_.data());
    t = product_.data();
    for (int c = 0; c < n; ++c) {
      double* across = values_.data() + p.upper + static_cast<std::ptrdiff_t>(place[rows[from.from + c]]) * p.rows;
      for (int i = 0; i < right; ++i) across[place[rows[from.to + i]] - p.width] -= *t++;
    }
  }
}

bool BlockFactor::pivot(Panel& p) {
  const int w = p.width;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  double *A = &values_[p.lower], *across = values_.data() + p.upper;
  const double least = p.constraints ? kDependent : 1e-14;
  // Coordinates first, each with the largest of its own entries among them: S is good for that, wherever it is not
  // singular. What is left, constraints and coordinates without mass, has all its entries to choose from.
  int bodies = p.coordinates;
  for (int k = 0; k < w; ++k) {
    int row = k, column = k;
    double largest = -1;
    if (k < bodies)
      for (int i = k; i < bodies; ++i) {
        const double a = std::abs(A[i + k * height]);
        if (!(a <= largest)) largest = a, row = i;
      }
    if (k < bodies && p.constraints && largest <= kMassless) bodies = k, largest = -1;
    if (k >= bodies)
      for (int j = k; j < w; ++j)
        for (int i = k; i < w; ++i) {
          const double a = std::abs(A[i + j * height]);
          if (!(a <= largest)) largest = a, row = i, column = j;
        }
    if (!std::isfinite(largest)) return false;
    if (largest <= least) {
      for (int j = k; j < w; ++j) {
        // The exchanges so far say which column stands here now.
        int place = j;
        for (int l = k - 1; l >= 0; --l) {
          const int other = column_exchange_[p.first + l];
          if (place == l) {
            place = other;
          } else if (place == other) {
            place = l;
          }
        }
        if (constraint_[p.first + place] == 0) return false;
        dead_.push_back(p.first + j);
        is_dead_[p.first + j] = 1;
        row_exchange_[p.first + j] = column_exchange_[p.first + j] = j;
        for (std::ptrdiff_t i = k; i < height; ++i) A[i + j * height] = 0;
        for (int i = 0; i < p.rows; ++i) across[i + static_cast<std::ptrdiff_t>(j) * p.rows] = 0;
      }
      return true;
    }
    row_exchange_[p.first + k] = row;
    column_exchange_[p.first + k] = column;
    if (row != k) {
      for (int j = 0; j < w; ++j) std::swap(A[k + j * height], A[row + j * height]);
      for (int i = 0; i < p.rows; ++i)
        std::swap(across[i + static_cast<std::ptrdiff_t>(k) * p.rows],
                  across[i + static_cast<std::ptrdiff_t>(row) * p.rows]);
    }
    if (column != k)
      for (std::ptrdiff_t i = 0; i < height; ++i) std::swap(A[i + k * height], A[i + column * height]);
    const double inverse = 1 / A[k + k * height];
    for (int i = k + 1; i < w; ++i) A[i + k * height] *= inverse;
    for (int j = k + 1; j < w; ++j) {
      const double a = A[k + j * height];
      if (a == 0) continue;
      for (int i = k + 1; i < w; ++i) A[i + j * height] -= A[i + k * height] * a;
    }
  }
  return true;
}

void BlockFactor::finish(const Panel& p) {
  if (p.rows == 0) return;
  const int w = p.width;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  double *A = &values_[p.lower], *across = values_.data() + p.upper;
  for (int k = 0; k < w; ++k) {
    if (is_dead_[p.first + k] != 0) continue;
    double *column = A + k * height + w, *right = across + static_cast<std::ptrdiff_t>(k) * p.rows;
    for (int l = 0; l < k; ++l) {
      const double u = A[l + k * height], f = A[k + l * height];
      const double *before = A + l * height + w, *above = across + static_cast<std::ptrdiff_t>(l) * p.rows;
      if (u != 0)
        for (int i = 0; i < p.rows; ++i) column[i] -= before[i] * u;
      if (f != 0)
        for (int i = 0; i < p.rows; ++i) right[i] -= above[i] * f;
    }
    const double inverse = 1 / A[k + k * height];
    for (int i = 0; i < p.rows; ++i) column[i] *= inverse;
  }
}

bool BlockFactor::factorise() {
  scale();
  dead_.clear();
  std::fill(is_dead_.begin(), is_dead_.end(), 0);
  for (Panel& p : panels_) {
    update(p, relative_);
    if (!pivot(p)) return false;
    finish(p);
  }
  return true;
}

}  // namespace ricochet
