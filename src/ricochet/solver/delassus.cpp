#include "ricochet/solver/delassus.hpp"

#include <algorithm>
#include <limits>

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

/// Sizes of the rows of blocks: one, or several.
void Delassus::set_rows(const std::vector<int>& starts) {
  const auto count = static_cast<int>(starts.size()) - 1;
  rows_ = starts.back();
  dim_ = count > 0 ? starts[1] : 1;
  for (int k = 0; k < count; ++k)
    if (starts[k + 1] - starts[k] != dim_) dim_ = 0;
  if (dim_ > 0) return;
  if (&starts != &starts_) starts_ = starts;
  block_of_.resize(rows_);
  for (int i = 0; i < count; ++i) std::fill(block_of_.begin() + starts_[i], block_of_.begin() + starts_[i + 1], i);
}

double* Delassus::make_sparse(const std::vector<int>& starts, const std::vector<int>& pointers,
                              const std::vector<int>& columns) {
  assert(starts.size() == pointers.size() && pointers.back() == static_cast<int>(columns.size()));
  set_rows(starts);
  const auto count = static_cast<int>(starts.size()) - 1;
  if (dim_ > 0) return make_sparse(dim_, count, pointers, columns);
  storage_ = Storage::sparse;
  n_ = 0;
  left_ = right_ = nullptr;
  if (&pointers != &pointers_) pointers_ = pointers;
  if (&columns != &columns_) columns_ = columns;
  places_.resize(columns_.size() + 1);
  places_[0] = 0;
  for (int i = 0; i < count; ++i) {
    const Index rows = starts_[i + 1] - starts_[i];
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

void Delassus::find_touching(const Jacobian& L, const Jacobian& Y, int n) {
  left_ = &L, right_ = &Y, n_ = n;
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

void Delassus::RowOfBlocks::start(const Delassus& W, int i) {
  W_ = &W, row_ = i;
  diagonal_ = false;
  parts_.clear();
  const Jacobian::Block& a = W.left_->blocks()[i];
  int offset = 0;
  for (const Range *r = W.left_->ranges(a), *last = r + a.ranges; r != last; offset += r->n, ++r)
    for (int at = r->at; at < r->at + r->n;) {
      const int cell = W.cell_of_[at];
      const int end = cell < 0 ? at + 1 : std::min(r->at + r->n, W.cells_[cell].end);
      if (cell >= 0) {
        const Touch* touches = W.touches_.data();
        const Touch* first = touches + W.touch_start_[cell];
        parts_.push_back(
            {first, first, touches + W.touch_start_[cell + 1], at - W.cells_[cell].at, end - at, offset + at - r->at});
      }
      at = end;
    }
}

int Delassus::RowOfBlocks::next() {
  constexpr int kNone = std::numeric_limits<int>::max();
  column_ = diagonal_ ? kNone : row_;
  for (const Part& part : parts_)
    if (part.next != part.end) column_ = std::min(column_, part.next->block);
  if (column_ == kNone) return -1;
  diagonal_ = diagonal_ || column_ == row_;
  for (Part& part : parts_) {
    part.first = part.next;
    while (part.next != part.end && part.next->block == column_) ++part.next;
  }
  return column_;
}

const double* Delassus::RowOfBlocks::form() {
  const Jacobian &L = *W_->left_, &Y = *W_->right_;
  const Jacobian::Block &a = L.blocks()[row_], &b = Y.blocks()[column_];
  values_.assign(static_cast<std::size_t>(a.dim) * static_cast<std::size_t>(b.dim), 0.0);
  for (const Part& part : parts_)
    for (const Touch* touch = part.first; touch != part.next; ++touch) {
      double* out = values_.data();
      for (int c = 0; c < b.dim; ++c) {
        const double* y = Y.row(b, c) + touch->offset + part.from;
        for (int r = 0; r < a.dim; ++r, ++out) *out = add_products(L.row(a, r) + part.offset, y, part.n, *out);
      }
    }
  return values_.data();
}

void Delassus::find_pattern(Team* team) {
  const auto count = static_cast<int>(left_->blocks().size());
  starts_.resize(count + 1), pointers_.resize(count + 1);
  starts_[count] = left_->rows();
  pointers_[0] = 0;
  const auto each_row = [&](auto visit) {
    share_parts(team, count, [&](int, int first, int last) {
      RowOfBlocks& blocks = row_of_blocks();
      for (int i = first; i < last; ++i) {
        blocks.start(*this, i);
        visit(i, blocks);
      }
    });
  };
  each_row([&](int i, RowOfBlocks& blocks) {
    starts_[i] = left_->blocks()[i].row;
    pointers_[i + 1] = 0;
    while (blocks.next() >= 0) ++pointers_[i + 1];
  });
  for (int i = 0; i < count; ++i) pointers_[i + 1] += pointers_[i];
  columns_.resize(pointers_[count]);
  each_row([&](int i, RowOfBlocks& blocks) {
    for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) columns_[k] = blocks.next();
  });
}

namespace {
constexpr int kShared = 200;  ///< blocks from which the work is shared
}

void Delassus::form_sparse(const Jacobian& L, const Jacobian& Y, int n, Crew* crew) {
  const auto count = static_cast<int>(L.blocks().size());
  Team* team = team_for(crew, count, kShared);
  find_touching(L, Y, n);
  find_pattern(team);
  double* values = make_sparse(starts_, pointers_, columns_);
  left_ = &L, right_ = &Y;
  share_parts(team, count, [&](int, int first, int last) {
    RowOfBlocks& blocks = row_of_blocks();
    for (int i = first; i < last; ++i) {
      blocks.start(*this, i);
      for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) {
        blocks.next();
        const double* block = blocks.form();
        std::copy(block, block + place(k + 1) - place(k), values + place(k));
      }
    }
  });
  left_ = right_ = nullptr;
}

void Delassus::keep(const Jacobian& L, const Jacobian& Y, int n, Crew* crew) {
  storage_ = Storage::sparse;
  added_.clear();
  find_touching(L, Y, n);
  const auto count = static_cast<int>(L.blocks().size());
  starts_.resize(count + 1);
  for (int i = 0; i < count; ++i) starts_[i] = L.blocks()[i].row;
  starts_[count] = L.rows();
  set_rows(starts_);
  if (dim_ == 0) {
    places_.assign(1, 0);
    for (const Jacobian::Block& b : L.blocks()) places_.push_back(places_.back() + static_cast<Index>(b.dim) * b.dim);
  }
  double* values = values_.need(place(count));
  share(crew, count, kShared, [&](int first, int last) {
    for (int i = first; i < last; ++i)
      form_block(L, L.blocks()[i], Y, Y.blocks()[i], values + place(i), L.blocks()[i].dim);
  });
}

void Delassus::add_diagonal(int row, double value) {
  assert(storage_ != Storage::factored);
  if (storage_ == Storage::dense) {
    values_[static_cast<Index>(row) * (rows_ + 1)] += value;
    return;
  }
  const int k = block_of(row), i = row - first_row(k), n = first_row(k + 1) - first_row(k);
  const double* block = own_block(k);
  assert(block != nullptr);
  if (!formed()) added_.emplace_back(row, value);
  values_[block - values_.data() + i + static_cast<Index>(i) * n] += value;
}

void Delassus::silence(int row) {
  assert(storage_ == Storage::sparse && formed());
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
  if (a != b && !formed()) return entry(*left_, *right_, i, j);
  const double* values = a == b ? own_block(a) : find_block(a, b);
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
  if (!formed()) {
    const int k = block_of(block.row), n = block.dim;
    if (first_row(k) == block.row && first_row(k + 1) == block.row + n) {
      std::copy_n(own_block(k), n * n, out);
      return;
    }
  }
  for (int j = 0; j < block.dim; ++j)
    for (int i = 0; i < block.dim; ++i) {
      const int r = block.row + i, c = block.row + j;
      out[i + j * block.dim] = storage_ == Storage::dense    ? (*this)(r, c)
                               : storage_ == Storage::sparse ? sparse_entry(r, c)
                                                             : entry(*left_, *right_, r, c);
    }
}

double Delassus::diagonal(int row) const {
  if (!formed()) {
    const int k = block_of(row), i = row - first_row(k), n = first_row(k + 1) - first_row(k);
    return own_block(k)[i * (n + 1)];
  }
  return storage_ == Storage::dense    ? (*this)(row, row)
         : storage_ == Storage::sparse ? sparse_entry(row, row)
                                       : entry(*left_, *right_, row, row);
}

double Delassus::mean_diagonal(const ConeBlock& block) const {
  double trace = 0;
  if (storage_ == Storage::sparse) {
    const int k = block_of(block.row), n = block.dim;
    if (first_row(k) == block.row && first_row(k + 1) == block.row + n) {  // one search instead of several
      const double* D = own_block(k);
      if (D == nullptr) return 1;
      for (int i = 0; i < n; ++i) trace += D[i * (n + 1)];
      return trace > 0 ? trace / n : 1;
    }
  }
  for (int i = block.row; i < block.row + block.dim; ++i) trace += diagonal(i);
  return trace > 0 ? trace / block.dim : 1;
}

void Delassus::copy_pattern(std::vector<int>& pointers, std::vector<int>& columns) const {
  if (formed()) {
    pointers = pointers_, columns = columns_;
    return;
  }
  pointers.assign(1, 0), columns.clear();
  RowOfBlocks& blocks = row_of_blocks();
  for (int i = 0; i < block_count(); ++i) {
    blocks.start(*this, i);
    for (int j = blocks.next(); j >= 0; j = blocks.next()) columns.push_back(j);
    pointers.push_back(static_cast<int>(columns.size()));
  }
}

Index Delassus::stored() const {
  if (formed()) return held();
  Index count = 0;
  RowOfBlocks& blocks = row_of_blocks();
  for (int i = 0; i < block_count(); ++i) {
    blocks.start(*this, i);
    const Index rows = first_row(i + 1) - first_row(i);
    for (int j = blocks.next(); j >= 0; j = blocks.next()) count += rows * (first_row(j + 1) - first_row(j));
  }
  return count;
}

void Delassus::push(const double* p, double* y, Team* team) const {
  const Jacobian& Y = *right_;
  share(team, static_cast<int>(cells_.size()), kShared, [&](int first, int last) {
    for (int c = first; c < last; ++c) {
      const Cell& cell = cells_[c];
      std::fill(y + cell.at, y + cell.end, 0.0);
      for (int t = touch_start_[c]; t < touch_start_[c + 1]; ++t) {
        const Jacobian::Block& b = Y.blocks()[touches_[t].block];
        for (int i = 0; i < b.dim; ++i)
          add_multiple(p[b.row + i], Y.row(b, i) + touches_[t].offset, cell.end - cell.at, y + cell.at);
      }
    }
  });
}

void Delassus::pull(const double* y, double* u, Team* team) const {
  const Jacobian& L = *left_;
  const ConstView at(y, n_);
  share(team, block_count(), kShared, [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      const Jacobian::Block& b = L.blocks()[k];
      for (int i = 0; i < b.dim; ++i) u[b.row + i] = L.row_times(b, i, at);
    }
  });
}

void Delassus::apply(const double* p, double* u, Buffer& scratch) const { apply(p, u, scratch, nullptr); }

void Delassus::apply(const double* p, double* u, Buffer& scratch, Team* team) const {
  if (storage_ == Storage::factored) {
    View y(scratch.zeros(n_), n_);
    right_->add_times(1, p, y);
    left_->transpose_times(y, u);
    return;
  }
  if (!formed()) {
    double* y = scratch.zeros(n_);
    push(p, y, team);
    pull(y, u, team);
    for (const auto& [row, value] : added_) u[row] += value * p[row];
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
