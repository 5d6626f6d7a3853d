#include "ricochet/solver/delassus.hpp"

#include <algorithm>
#include <cstdint>

#include "ricochet/math/team.hpp"

namespace ricochet {
namespace {

/// The block of G that holds a row.
const Jacobian::Block& block_with(const Jacobian& G, int row) {
  const auto& blocks = G.blocks();
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), row,
                                      [](int r, const Jacobian::Block& block) { return r < block.row; });
  assert(after != blocks.begin());
  return *(after - 1);
}

double entry(const Jacobian& L, const Jacobian& Y, int i, int j) {
  const Jacobian::Block &a = block_with(L, i), &b = block_with(Y, j);
  return block_dot(L, a, i - a.row, Y, b, j - b.row);
}

/// a_i^T b_j of all rows of two blocks, as block_dot gives them; where they overlap is found once.
void form_block(const Jacobian& L, const Jacobian::Block& a, const Jacobian& Y, const Jacobian::Block& b, double* out,
                int stride) {
  constexpr int kMost = 16;
  struct Overlap {
    int in_a, in_b, n;
  } overlaps[kMost];
  int count = 0;
  for (int k = 0, in_a = 0; k < a.ranges; in_a += L.ranges(a)[k++].n)
    for (int l = 0, in_b = 0; l < b.ranges; in_b += Y.ranges(b)[l++].n) {
      const Range &x = L.ranges(a)[k], &y = Y.ranges(b)[l];
      const int lo = std::max(x.at, y.at), hi = std::min(x.at + x.n, y.at + y.n);
      if (lo >= hi) continue;
      if (count < kMost) overlaps[count] = {in_a + lo - x.at, in_b + lo - y.at, hi - lo};
      ++count;
    }
  for (int j = 0; j < b.dim; ++j, out += stride) {
    const double* y = Y.row(b, j);
    for (int i = 0; i < a.dim; ++i) {
      if (count > kMost) {
        out[i] = block_dot(L, a, i, Y, b, j);
        continue;
      }
      const double* x = L.row(a, i);
      double s = 0;
      for (int k = 0; k < count; ++k) s = add_products(x + overlaps[k].in_a, y + overlaps[k].in_b, overlaps[k].n, s);
      out[i] = s;
    }
  }
}

/// Rows of a block over one body.
struct BodyRows {
  const double* first;
  int count, stride;
};
/// out += their products.
template <int N>
void add_body(const BodyRows& x, const BodyRows& y, double* out, int m) {
  for (int j = 0; j < y.count; ++j, out += m)
    for (int i = 0; i < x.count; ++i) out[i] = add_products<N>(x.first + i * x.stride, y.first + j * y.stride, out[i]);
}

/// Of rows that lie over whole bodies of one size. False: they do not.
template <int N>
bool form_bodies(const Jacobian& L, const Jacobian& Y, double* out) {
  const auto whole = [](const Jacobian& G) {
    for (const Jacobian::Block& b : G.blocks())
      for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r)
        if (r->n != N || r->at % N != 0) return false;
    return true;
  };
  if (!whole(L) || !whole(Y)) return false;
  const int m = L.rows();
  std::fill(out, out + static_cast<Index>(m) * m, 0.0);
  for (const Jacobian::Block& b : Y.blocks())
    for (int l = 0; l < b.ranges; ++l) {
      const int at = Y.ranges(b)[l].at;
      const BodyRows y{Y.row(b, 0) + l * N, b.dim, b.length};
      for (const Jacobian::Block& a : L.blocks())
        for (int k = 0; k < a.ranges; ++k)
          if (L.ranges(a)[k].at == at)
            add_body<N>({L.row(a, 0) + k * N, a.dim, a.length}, y, out + a.row + static_cast<Index>(b.row) * m, m);
    }
  return true;
}

void form_dense(const Jacobian& L, const Jacobian& Y, double* out) {
  const int m = L.rows();
  const int n = L.dense_size();
  if (n > 0 && n == Y.dense_size()) {
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) {
        const double *a = L.data() + static_cast<Index>(i) * n, *b = Y.data() + static_cast<Index>(j) * n;
        double s = 0;
        for (int k = 0; k < n; ++k) s += a[k] * b[k];
        out[i + static_cast<Index>(j) * m] = s;
      }
    return;
  }
  if (form_bodies<3>(L, Y, out) || form_bodies<6>(L, Y, out)) return;
  for (const Jacobian::Block& b : Y.blocks())
    for (const Jacobian::Block& a : L.blocks()) form_block(L, a, Y, b, out + a.row + static_cast<Index>(b.row) * m, m);
}

/// visit(cell, first, end, offset) of each part of a block's ranges that lies in a cell, `offset` into its rows.
template <class Cells, class Visit>
void for_each_part(const Jacobian& L, const Jacobian::Block& a, const std::vector<int>& cell_of, const Cells& cells,
                   Visit visit) {
  int offset = 0;
  for (int k = 0; k < a.ranges; ++k) {
    const Range& r = L.ranges(a)[k];
    for (int at = r.at; at < r.at + r.n;) {
      const int cell = cell_of[at];
      const int end = cell < 0 ? at + 1 : std::min(r.at + r.n, cells[cell].end);
      if (cell >= 0) visit(cell, at, end, offset + at - r.at);
      at = end;
    }
    offset += r.n;
  }
}

}  // namespace

double* Delassus::make_dense(int m) {
  storage_ = Storage::dense;
  rows_ = m;
  n_ = 0;
  left_ = right_ = nullptr;
  return values_.need(static_cast<Index>(m) * m);
}

double* Delassus::make_sparse(int dim, int count, const std::vector<int>& pointers, const std::vector<int>& columns) {
  assert(static_cast<int>(pointers.size()) == count + 1 && pointers.back() == static_cast<int>(columns.size()));
  storage_ = Storage::sparse;
  rows_ = dim * count;
  dim_ = dim;
  n_ = 0;
  left_ = right_ = nullptr;
  if (&pointers != &pointers_) pointers_ = pointers;
  if (&columns != &columns_) columns_ = columns;
  return values_.zeros(static_cast<Index>(columns.size()) * dim * dim);
}

double* Delassus::make_sparse(const std::vector<int>& starts, const std::vector<int>& pointers,
                              const std::vector<int>& columns) {
  assert(starts.size() == pointers.size() && pointers.back() == static_cast<int>(columns.size()));
  const auto count = static_cast<int>(starts.size()) - 1;
  int dim = count > 0 ? starts[1] : 1;
  for (int k = 0; k < count; ++k)
    if (starts[k + 1] - starts[k] != dim) dim = 0;
  if (dim > 0) return make_sparse(dim, count, pointers, columns);
  storage_ = Storage::sparse;
  rows_ = starts.back();
  n_ = dim_ = 0;
  left_ = right_ = nullptr;
  if (&starts != &starts_) starts_ = starts;
  if (&pointers != &pointers_) pointers_ = pointers;
  if (&columns != &columns_) columns_ = columns;
  block_of_.resize(rows_);
  places_.resize(columns_.size() + 1);
  places_[0] = 0;
  for (int i = 0; i < count; ++i) {
    const Index rows = starts_[i + 1] - starts_[i];
    std::fill(block_of_.begin() + starts_[i], block_of_.begin() + starts_[i + 1], i);
    for (int k = pointers_[i]; k < pointers_[i + 1]; ++k)
      places_[k + 1] = places_[k] + rows * (starts_[columns_[k] + 1] - starts_[columns_[k]]);
  }
  return values_.zeros(places_.back());
}

// ---- forming --------------------------------------------------------------------------------------------------------

void Delassus::form(const Jacobian& L, const Jacobian& Y, int n, Storage storage, Crew* crew) {
  assert(L.rows() == Y.rows());
  if (storage == Storage::dense) return form_dense(L, Y, make_dense(L.rows()));
  if (storage == Storage::sparse) return form_sparse(L, Y, n, crew);
  storage_ = Storage::factored;
  rows_ = L.rows();
  n_ = n;
  left_ = &L;
  right_ = &Y;
}

void Delassus::find_touching(const Jacobian& Y, int n) {
  cell_of_.assign(n, -1);
  cells_.clear();
  touch_start_.assign(1, 0);
  const auto each_range = [&Y](auto visit) {
    for (std::size_t j = 0; j < Y.blocks().size(); ++j) {
      const Jacobian::Block& b = Y.blocks()[j];
      int offset = 0;
      for (const Range *r = Y.ranges(b), *end = r + b.ranges; r != end; offset += r->n, ++r)
        visit(static_cast<int>(j), *r, offset);
    }
  };
  each_range([this](int, const Range& r, int) {
    int& cell = cell_of_[r.at];
    if (cell < 0) {
      std::fill_n(cell_of_.begin() + r.at, r.n, static_cast<int>(cells_.size()));
      cells_.push_back({r.at, r.at + r.n});
      touch_start_.push_back(0);
    }
    assert(cells_[cell].at == r.at && cells_[cell].end == r.at + r.n);
    ++touch_start_[cell + 1];
  });
  for (std::size_t c = 0; c < cells_.size(); ++c) touch_start_[c + 1] += touch_start_[c];
  touches_.resize(touch_start_.back());
  next_.assign(touch_start_.begin(), touch_start_.end() - 1);
  each_range([this](int j, const Range& r, int offset) { touches_[next_[cell_of_[r.at]]++] = {j, offset}; });
}

void Delassus::find_pattern(const Jacobian& L, Team* team) {
  const auto count = static_cast<int>(L.blocks().size());
  parts_.resize(std::max(parts_.size(), parts_of(team)));
  starts_.resize(count + 1);
  share_parts(team, count, [&](int share, int first, int last) {
    auto& [seen, columns, ends] = parts_[share];
    seen.assign(count, -1);
    columns.clear(), ends.clear();
    for (int i = first; i < last; ++i) {
      const Jacobian::Block& a = L.blocks()[i];
      starts_[i] = a.row;
      const std::size_t begin = columns.size();
      columns.push_back(i);  // the diagonal is always there
      seen[i] = i;
      for_each_part(L, a, cell_of_, cells_, [&](int cell, int, int, int) {
        for (int t = touch_start_[cell]; t < touch_start_[cell + 1]; ++t) {
          const int j = touches_[t].block;
          if (seen[j] == i) continue;
          seen[j] = i;
          columns.push_back(j);
        }
      });
      std::sort(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end());
      ends.push_back(static_cast<int>(columns.size()));
    }
  });
  starts_[count] = L.rows();
  columns_.swap(parts_[0].columns);
  pointers_.assign(1, 0);
  pointers_.insert(pointers_.end(), parts_[0].ends.begin(), parts_[0].ends.end());
  for (std::size_t share = 1; share < parts_of(team); ++share) {
    const auto& [seen, columns, ends] = parts_[share];
    const auto before = static_cast<int>(columns_.size());
    for (const int end : ends) pointers_.push_back(before + end);
    columns_.insert(columns_.end(), columns.begin(), columns.end());
  }
}

void Delassus::form_sparse(const Jacobian& L, const Jacobian& Y, int n, Crew* crew) {
  constexpr int kShared = 200;  // blocks from which the work is shared
  const auto count = static_cast<int>(L.blocks().size());
  Team* team = team_for(crew, count, kShared);
  find_touching(Y, n);
  find_pattern(L, team);
  double* values = make_sparse(starts_, pointers_, columns_);
  share_parts(team, count, [&](int share, int begin, int last) {
    std::vector<int>& place_of = parts_[share].seen;  // by column, in the row of blocks at work
    for (int i = begin; i < last; ++i) {
      const Jacobian::Block& a = L.blocks()[i];
      for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) place_of[columns_[k]] = k;
      for_each_part(L, a, cell_of_, cells_, [&](int cell, int first, int end, int offset) {
        for (int t = touch_start_[cell]; t < touch_start_[cell + 1]; ++t) {
          const Jacobian::Block& b = Y.blocks()[touches_[t].block];
          double* out = values + place(place_of[touches_[t].block]);
          const int shift = touches_[t].offset + first - cells_[cell].at;
          for (int c = 0; c < b.dim; ++c) {
            const double* y = Y.row(b, c) + shift;
            for (int r = 0; r < a.dim; ++r, ++out) {
              const double* x = L.row(a, r) + offset;
              *out = add_products(x, y, end - first, *out);
            }
          }
        }
      });
    }
  });
}

void Delassus::add_diagonal(int row, double value) {
  assert(storage_ != Storage::factored);
  if (storage_ == Storage::dense) {
    values_[static_cast<Index>(row) * (rows_ + 1)] += value;
    return;
  }
  const int k = block_of(row), i = row - first_row(k), n = first_row(k + 1) - first_row(k);
  const double* block = find_block(k, k);
  assert(block != nullptr);
  values_[block - values_.data() + i + static_cast<Index>(i) * n] += value;
}

void Delassus::silence(int row) {
  assert(storage_ == Storage::sparse);
  const int i = block_of(row), at = row - first_row(i), rows = first_row(i + 1) - first_row(i);
  for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) {
    const int j = columns_[k], columns = first_row(j + 1) - first_row(j);
    double* own = values_.data() + place(k);
    for (int c = 0; c < columns; ++c) own[at + c * rows] = 0;
    if (const double* other = find_block(j, i))
      std::fill_n(values_.data() + (other - values_.data()) + at * columns, columns, 0.0);
  }
}

// ---- reading --------------------------------------------------------------------------------------------------------

const double* Delassus::find_block(int i, int j) const {
  const auto begin = columns_.begin() + pointers_[i], end = columns_.begin() + pointers_[i + 1],
             at = std::lower_bound(begin, end, j);
  return at == end || *at != j ? nullptr : block(static_cast<int>(at - columns_.begin()));
}

double Delassus::sparse_entry(int i, int j) const {
  const int a = block_of(i), b = block_of(j);
  const double* values = find_block(a, b);
  const int rows = first_row(a + 1) - first_row(a);
  return values ? values[i - first_row(a) + static_cast<Index>(j - first_row(b)) * rows] : 0;
}

void Delassus::copy_dense(double* out) const {
  if (storage_ == Storage::factored) return form_dense(*left_, *right_, out);
  const Index size = static_cast<Index>(rows_) * rows_;
  if (storage_ == Storage::dense) {
    std::copy(values_.data(), values_.data() + size, out);
    return;
  }
  std::fill(out, out + size, 0.0);
  for_each_block([&](int row, int column, int rows, int columns, const double* value) {
    for (int c = 0; c < columns; ++c, value += rows) {
      double* to = out + row + static_cast<Index>(column + c) * rows_;
      for (int r = 0; r < rows; ++r) to[r] = value[r];
    }
  });
}

void Delassus::diagonal_block(const ConeBlock& block, double* out) const {
  for (int j = 0; j < block.dim; ++j)
    for (int i = 0; i < block.dim; ++i) {
      const int r = block.row + i, c = block.row + j;
      out[i + j * block.dim] = storage_ == Storage::dense    ? (*this)(r, c)
                               : storage_ == Storage::sparse ? sparse_entry(r, c)
                                                             : entry(*left_, *right_, r, c);
    }
}

double Delassus::diagonal(int row) const {
  return storage_ == Storage::dense    ? (*this)(row, row)
         : storage_ == Storage::sparse ? sparse_entry(row, row)
                                       : entry(*left_, *right_, row, row);
}

double Delassus::mean_diagonal(const ConeBlock& block) const {
  double trace = 0;
  if (storage_ == Storage::sparse) {
    const int k = block_of(block.row), n = block.dim;
    if (first_row(k) == block.row && first_row(k + 1) == block.row + n) {  // one search instead of several
      const double* D = find_block(k, k);
      if (D == nullptr) return 1;
      for (int i = 0; i < n; ++i) trace += D[i * (n + 1)];
      return trace > 0 ? trace / n : 1;
    }
  }
  for (int i = block.row; i < block.row + block.dim; ++i) trace += diagonal(i);
  return trace > 0 ? trace / block.dim : 1;
}

void Delassus::apply(const double* p, double* u, Buffer& scratch) const {
  if (storage_ == Storage::factored) {
    View y(scratch.zeros(n_), n_);
    right_->add_times(1, p, y);
    left_->transpose_times(y, u);
    return;
  }
  std::fill(u, u + rows_, 0.0);
  if (storage_ == Storage::sparse)
    return for_each_block([&](int row, int column, int rows, int columns, const double* value) {
      for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) u[row + r] += *value++ * p[column + c];
    });
  const double* column = values_.data();
  for (int j = 0; j < rows_; ++j, column += rows_) {
    const double pj = p[j];
    if (pj == 0) continue;
    for (int i = 0; i < rows_; ++i) u[i] += column[i] * pj;
  }
}

}  // namespace ricochet
