// Siconos' text files. What a file holds follows from its numbers alone:
//   MLCP      the first two are 0 or 1: which of the two storages are there
//   SOCLCP    size, cones, a square matrix of that size; then q, the cones' first rows, tau
//   FC2D/3D   dimension, contacts, W; then q and mu, and in old files one more number
//   GFC3D     dimension, contacts, M, H, f, w, mu
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ricochet/io/problem/forms.hpp"

namespace ricochet::detail {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

SparseRows read_dense(NumberText& text, int rows, int columns, bool by_columns) {
  text.expect(static_cast<double>(rows) * columns, "entries of a dense matrix");
  Triplets entries;
  for (int a = 0; a < (by_columns ? columns : rows); ++a)
    for (int c = 0; c < (by_columns ? rows : columns); ++c)
      if (const double value = text.number("entry of the matrix"); value != 0)
        entries.emplace_back(by_columns ? c : a, by_columns ? a : c, value);
  return compress(rows, columns, entries);
}

/// Cumulative sizes of blocks, ending at `total`.
std::vector<int> read_ends(NumberText& text, int count, int total) {
  std::vector<int> out{0};
  for (int k = 0; k < count; ++k) out.push_back(text.integer("end of a block", out.back() + 1, total));
  if (out.back() != total) text.fail(fmt::format("the blocks end at {}; accepted: {}", out.back(), total));
  return out;
}

SparseRows read_blocks(NumberText& text, int rows, int columns) {
  const int count = text.integer("number of blocks", 0, kMostRows);
  text.expect(count, "blocks");
  const int block_rows = text.integer("number of rows of blocks", 0, rows);
  const int block_columns = text.integer("number of columns of blocks", 0, columns);
  const std::vector<int> row_ends = read_ends(text, block_rows, rows);
  const std::vector<int> column_ends = read_ends(text, block_columns, columns);
  // Some writers give one entry more or less than there are rows: pointers, then zeros.
  const int filled = text.integer("number of block pointers", 0, block_rows + 1);
  const int stored = text.integer("number of block columns", count, count);
  std::vector<int> pointers, places;
  for (int k = 0; k < filled; ++k)
    pointers.push_back(text.integer("block pointer", pointers.empty() ? 0 : pointers.back(), count));
  if (pointers.empty() || pointers.front() != 0 || pointers.back() != count)
    text.fail(fmt::format("the block pointers must go from 0 to {}", count));
  for (int k = 0; k < stored; ++k) places.push_back(text.integer("block column", 0, block_columns - 1));
  Triplets entries;
  for (int row = 0; row + 1 < filled; ++row)
    for (int k = pointers[static_cast<std::size_t>(row)]; k < pointers[static_cast<std::size_t>(row) + 1]; ++k) {
      text.integer("number of the block", k, k);
      const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(places[static_cast<std::size_t>(k)]);
      for (int j = column_ends[c]; j < column_ends[c + 1]; ++j)
        for (int i = row_ends[r]; i < row_ends[r + 1]; ++i)
          if (const double value = text.number("entry of a block"); value != 0) entries.emplace_back(i, j, value);
    }
  return compress(rows, columns, entries);
}

void expect_word(NumberText& text, std::string_view word) {
  if (text.word() != word) text.fail(fmt::format("'{}' is expected here (a matrix as CSparse prints it)", word));
}

/// As CSparse prints: triplets `i j : value`, or column after column `i : value`.
SparseRows read_printed(NumberText& text, int rows, int columns) {
  text.integer("origin of the matrix", 0, 4);
  text.rest_of_line();
  expect_word(text, "CSparse");
  text.rest_of_line();
  const std::string size = fmt::format("{}-by-{},", rows, columns);
  const std::string_view first = text.word();
  const bool triplets = first == "triplet:";
  if (triplets ? text.word() != size : first != size)
    text.fail(fmt::format("'{}' is expected here (a matrix as CSparse prints it)", size));
  expect_word(text, "nzmax:");
  text.word();
  expect_word(text, "nnz:");
  const std::string count(text.word());  // a comma may follow it
  text.rest_of_line();
  NumberText digits("", count.substr(0, count.find(',')));
  int nnz = 0;
  try {
    nnz = digits.integer("number of entries", 0, std::numeric_limits<int>::max());
  } catch (const InputError& error) {
    text.fail(error.message);
  }
  text.expect(3.0 * nnz, "entries of the matrix");
  Triplets entries;
  for (int k = 0, j = -1; k < nnz; ++k) {
    if (triplets) {
      const int i = text.integer("row", 0, rows - 1);
      j = text.integer("column", 0, columns - 1);
      expect_word(text, ":");
      entries.emplace_back(i, j, text.number("entry of the matrix"));
      continue;
    }
    std::string_view word = text.word();
    while (word == "col") {  // col 3 : locations 7 to 9
      j = text.integer("column", 0, columns - 1);
      text.rest_of_line();
      word = text.word();
    }
    if (j < 0) text.fail("'col' is expected here (a matrix as CSparse prints it)");
    NumberText row("", std::string(word));
    int i = -1;
    try {
      i = row.integer("row", 0, rows - 1);
    } catch (const InputError& error) {
      text.fail(error.message);
    }
    expect_word(text, ":");
    entries.emplace_back(i, j, text.number("entry of the matrix"));
  }
  return compress(rows, columns, entries);
}

SparseRows read_matrix(NumberText& text) {
  const int storage = text.integer("storage of the matrix", 0, 2);
  const int rows = text.integer("number of rows", 0, kMostRows);
  const int columns = text.integer("number of columns", 0, kMostRows);
  if (storage == 1) return read_blocks(text, rows, columns);
  if (storage == 2) return read_printed(text, rows, columns);
  text.integer("number of rows", rows, rows);
  text.integer("number of columns", columns, columns);
  return read_dense(text, rows, columns, true);
}

double read_coefficient(NumberText& text) {
  const double mu = text.number("friction coefficient");
  if (!(mu >= 0)) text.fail(fmt::format("the friction coefficient {} is negative; accepted: 0 and above", mu));
  return mu;
}

std::vector<ConeBlock> read_friction(NumberText& text, int dim, int count) {
  VectorXd mu(count);
  for (double& value : mu) value = read_coefficient(text);
  return friction_blocks(Cone::coulomb, dim, mu);
}

/// After W and q of a second-order-cone problem.
std::vector<ConeBlock> read_cones(NumberText& text, int rows, int count) {
  std::vector<ConeBlock> out;
  int row = text.integer("first row of a cone", 0, 0);
  for (int k = 0; k < count; ++k) {
    const int next = text.integer("first row of a cone", row + 1, rows);
    if (next - row > 3) text.fail(fmt::format("a cone has {} rows; accepted: 1 to 3", next - row));
    out.push_back({next - row == 1 ? Cone::nonnegative : Cone::second_order, row, next - row, 0});
    row = next;
  }
  if (row != rows) text.fail(fmt::format("the cones end at row {}; accepted: {}", row, rows));
  for (ConeBlock& block : out) block.mu = read_coefficient(text);
  return out;
}

/// A, B, C, D, a, b: the second storage of a mixed problem.
void read_parts(NumberText& text, int n, int m, SparseRows& M, VectorXd& q) {
  const SparseRows A = read_dense(text, n, n, false), B = read_dense(text, m, m, false),
                   C = read_dense(text, n, m, false), D = read_dense(text, m, n, false);
  Triplets entries;
  const auto put = [&](const SparseRows& part, int row, int column) {
    for (int i = 0; i < part.outerSize(); ++i)
      for (SparseRows::InnerIterator it(part, i); it; ++it)
        entries.emplace_back(row + i, column + static_cast<int>(it.col()), it.value());
  };
  put(A, 0, 0), put(C, 0, n), put(D, n, 0), put(B, n, n);
  M = compress(n + m, n + m, entries);
  q = text.numbers("entry of the vector", n + m);
}

ProblemData read_mixed(NumberText& text, bool whole, bool parts) {
  ProblemData data;
  data.kind = ProblemKind::mlcp;
  const int n = text.integer("number of equalities", 0, kMostRows);
  const int m = text.integer("number of inequalities", 0, kMostRows - n);
  if (whole) {
    std::vector<int> ends{text.integer("first row of a block", 0, 0)};
    while (ends.back() < n + m) ends.push_back(text.integer("first row of a block", ends.back(), n + m));
    int equalities = 0;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const bool complementary = text.integer("mark of a block", 0, 1) == 1;
      for (int row = ends[k]; row < ends[k + 1]; ++row)
        data.blocks.push_back({complementary ? Cone::nonnegative : Cone::free, row, 1, 0});
      if (!complementary) equalities += ends[k + 1] - ends[k];
    }
    if (equalities != n) text.fail(fmt::format("the blocks hold {} equalities; accepted: {}", equalities, n));
    data.W = read_matrix(text);
    if (data.W.rows() != n + m || data.W.cols() != n + m)
      text.fail(fmt::format("the matrix is {} x {}; accepted: {} x {}", data.W.rows(), data.W.cols(), n + m, n + m));
    data.b = text.numbers("entry of the vector", n + m);
  } else {
    for (int row = 0; row < n + m; ++row) data.blocks.push_back({row < n ? Cone::free : Cone::nonnegative, row, 1, 0});
  }
  if (!parts) return data;
  SparseRows M;
  VectorXd q;
  read_parts(text, n, m, M, q);
  if (whole) {
    // The parts are in the order equalities, inequalities; compared where that is the order of the whole.
    const bool ordered = n == 0 || data.blocks[static_cast<std::size_t>(n - 1)].cone == Cone::free;
    if (ordered && (SparseRows(M - data.W).coeffs().cwiseAbs().sum() != 0 || (q - data.b).cwiseAbs().sum() != 0))
      text.fail("the two copies of the problem in this file differ");
  } else {
    data.W = M;
    data.b = q;
  }
  return data;  // a guess may follow
}

ProblemData read_global(NumberText& text, ProblemData data, int dim, int count) {
  data.kind = ProblemKind::global_friction;
  GlobalProblem& g = data.global;
  g.M = data.W;
  g.H = read_matrix(text);
  if (g.H.rows() != g.M.rows() || g.H.cols() != dim * count)
    text.fail(fmt::format("H is {} x {}; accepted: {} x {}", g.H.rows(), g.H.cols(), g.M.rows(), dim * count));
  g.f = text.numbers("entry of f", static_cast<int>(g.M.rows()));
  g.w = text.numbers("entry of w", dim * count);
  data.blocks = g.blocks = read_friction(text, dim, count);
  return data;
}

}  // namespace

ProblemData read_siconos(NumberText& text) {
  ProblemData data;
  const int first = text.integer("first number (dimension, size, or storage of a mixed problem)", 0, kMostRows);
  const int second = text.integer("number of contacts or cones", 0, kMostRows);
  if (first <= 1 && second <= 1) return read_mixed(text, first == 1, second == 1);
  data.W = read_matrix(text);
  const auto rows = static_cast<int>(data.W.rows());
  if (data.W.rows() != data.W.cols())
    text.fail(fmt::format("the matrix is {} x {}; accepted: square", data.W.rows(), data.W.cols()));
  const std::size_t left = text.words_left();
  const auto count = static_cast<std::size_t>(second), size = static_cast<std::size_t>(rows);
  const bool friction = first == 2 || first == 3;
  if (rows == first && (left == size + 2 * count + 1 || !friction)) {
    data.b = text.numbers("entry of q", rows);
    data.blocks = read_cones(text, rows, second);
    data.kind = classify(data.blocks) == ProblemKind::lcp ? ProblemKind::lcp : ProblemKind::cone;
    return data;
  }
  if (!friction)
    text.fail(
        fmt::format("the dimension is {} with a matrix of {} rows; accepted: 2 or 3 for friction, the number of "
                    "rows for second-order cones",
                    first, rows));
  if (size == count * static_cast<std::size_t>(first) && left <= size + count + 1) {
    data.kind = ProblemKind::friction;
    data.b = text.numbers("entry of q", rows);
    data.blocks = read_friction(text, first, second);
    return data;
  }
  return read_global(text, std::move(data), first, second);
}

namespace {

void add_matrix(fmt::memory_buffer& out, const SparseRows& A) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "0\n{0}\n{1}\n{0}\t{1}\n", A.rows(), A.cols());
  const Eigen::MatrixXd dense(A);
  for (int j = 0; j < dense.cols(); ++j)
    for (int i = 0; i < dense.rows(); ++i)
      fmt::format_to(to, "{:.17g}{}", dense(i, j), i + 1 == dense.rows() ? "\n" : " ");
}

template <class Vector>
void add_line(fmt::memory_buffer& out, const Vector& values) {
  for (const auto value : values) fmt::format_to(std::back_inserter(out), "{:.17g} ", static_cast<double>(value));
  out.push_back('\n');
}

void add_mixed(fmt::memory_buffer& out, const ProblemData& data) {
  const auto to = std::back_inserter(out);
  int equalities = 0;
  std::vector<int> ends{0}, marks;
  for (const ConeBlock& block : data.blocks) {
    const int mark = block.cone == Cone::free ? 0 : 1;
    if (mark == 0) equalities += block.dim;
    if (!marks.empty() && marks.back() == mark) {
      ends.back() = block.row + block.dim;
    } else {
      marks.push_back(mark);
      ends.push_back(block.row + block.dim);
    }
  }
  fmt::format_to(to, "1\n0\n{}\n{}\n", equalities, data.rows() - equalities);
  for (int end : ends) fmt::format_to(to, "{} ", end);
  out.push_back('\n');
  for (int mark : marks) fmt::format_to(to, "{} ", mark);
  out.push_back('\n');
  add_matrix(out, data.W);
  add_line(out, data.b);
}

}  // namespace

std::string siconos_text(const ProblemData& data, const std::string& file) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  std::vector<double> mu;
  int dim = 0;
  bool one_dim = true, mixed = true, cones = true;
  for (const ConeBlock& block : data.blocks) {
    mu.push_back(block.mu);
    one_dim = one_dim && (dim == 0 || dim == block.dim);
    dim = block.dim;
    mixed = mixed && (block.cone == Cone::free || block.cone == Cone::nonnegative);
    cones = cones && (block.cone == Cone::second_order || (block.cone == Cone::nonnegative && block.dim == 1));
  }
  if (mixed) {
    add_mixed(out, data);
  } else if (cones) {
    fmt::format_to(to, "{}\n{}\n", data.rows(), data.blocks.size());
    add_matrix(out, data.W);
    add_line(out, data.b);
    fmt::format_to(to, "0");
    for (const ConeBlock& block : data.blocks) fmt::format_to(to, " {}", block.row + block.dim);
    out.push_back('\n');
    add_line(out, mu);
  } else if (one_dim && classify(data.blocks) == ProblemKind::friction) {
    fmt::format_to(to, "{}\n{}\n", dim, data.blocks.size());
    const bool global = data.kind == ProblemKind::global_friction;
    add_matrix(out, global ? data.global.M : data.W);
    if (global) add_matrix(out, data.global.H);
    if (global) add_line(out, data.global.f);
    add_line(out, global ? data.global.w : data.b);
    add_line(out, mu);
  } else {
    throw InputError(file, "Siconos' form cannot hold this mixture of cones; accepted: .cones");
  }
  return fmt::to_string(out);
}

}  // namespace ricochet::detail
