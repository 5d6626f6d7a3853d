// FCLIB's HDF5 layout. A matrix is a group with m, n, nzmax, nz, p, i, x: nz >= 0 means triplets (i rows, p columns),
// -1 compressed columns, -2 compressed rows. Explicit zeros occur, equal places are summed.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/problem/forms.hpp"

namespace ricochet::detail {
namespace {

[[noreturn]] void fail(const h5::Object& at, const std::string& file, const std::string& what) {
  throw InputError(file, at.path() + ": " + what);
}

class Reader {
 public:
  Reader(std::string file, const h5::Group& root) : file_(std::move(file)), root_(root) {}

  ProblemData read() const {
    const bool local = root_.has("fclib_local"), global = root_.has("fclib_global");
    if (!local && !global) throw InputError(file_, "holds no problem; accepted: a group /fclib_local or /fclib_global");
    return local ? read_local(root_.group("fclib_local")) : read_global(root_.group("fclib_global"));
  }

 private:
  // Asked before it is opened: the library breaks when it lists what is in a damaged group.
  h5::Dataset dataset_in(const h5::Group& group, const char* name) const {
    if (!group.has(name)) fail(group, file_, fmt::format("has no dataset '{}'", name));
    return group.dataset(name);
  }
  h5::Group group_in(const h5::Group& group, const char* name) const {
    if (!group.has(name)) fail(group, file_, fmt::format("has no group '{}'", name));
    return group.group(name);
  }

  int integer(const h5::Group& group, const char* name, int low, int high) const {
    const h5::Dataset dataset = dataset_in(group, name);
    if (dataset.rows() != 1 || dataset.width() != 1) fail(dataset, file_, "holds more than one number; accepted: one");
    const std::int64_t value = dataset.integers().front();
    if (value < low || value > high) fail(dataset, file_, fmt::format("is {}; accepted: {} to {}", value, low, high));
    return static_cast<int>(value);
  }

  void check_length(const h5::Dataset& dataset, std::size_t least, std::size_t most) const {
    const std::size_t length = dataset.rows() * dataset.width();
    if (length < least || length > most || dataset.rows() > most)
      fail(dataset, file_,
           fmt::format("has {} entries; accepted: {}{}", length, least, most > least ? " or more" : ""));
  }

  VectorXd vector(const h5::Group& group, const char* name, int size) const {
    const h5::Dataset dataset = dataset_in(group, name);
    check_length(dataset, static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    const std::vector<double> values = dataset.numbers();
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k])) fail(dataset, file_, fmt::format("entry {} is not finite", k));
    return Eigen::Map<const VectorXd>(values.data(), size);
  }

  std::vector<std::int64_t> places(const h5::Group& group, const char* name, int size, std::int64_t end,
                                   bool ascending) const {
    const h5::Dataset dataset = dataset_in(group, name);
    // Some writers keep room for nzmax entries.
    check_length(dataset, static_cast<std::size_t>(size), static_cast<std::size_t>(kMostRows) * 8);
    std::vector<std::int64_t> out = dataset.integers(0, static_cast<std::size_t>(size));
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (out[k] < 0 || out[k] >= end)
        fail(dataset, file_, fmt::format("entry {} is {}; accepted: 0 to {}", k, out[k], end - 1));
      if (ascending && k > 0 && out[k] < out[k - 1])
        fail(dataset, file_, fmt::format("entry {} is less than the one before; accepted: ascending pointers", k));
    }
    return out;
  }

  SparseRows matrix(const h5::Group& group) const {
    const int m = integer(group, "m", 0, kMostRows), n = integer(group, "n", 0, kMostRows);
    const int nzmax = integer(group, "nzmax", 0, std::numeric_limits<int>::max());
    const int nz = integer(group, "nz", -2, nzmax);
    const h5::Dataset values = dataset_in(group, "x");
    const int lines = nz == -1 ? n : m;
    std::vector<std::int64_t> p, i;
    int count = nz;
    if (nz >= 0) {
      p = places(group, "p", nz, n, false);
      i = places(group, "i", nz, m, false);
    } else {
      p = places(group, "p", lines + 1, static_cast<std::int64_t>(nzmax) + 1, true);
      count = static_cast<int>(p.back());
      if (p.front() != 0) fail(dataset_in(group, "p"), file_, "the first pointer is not 0");
      i = places(group, "i", count, nz == -1 ? m : n, false);
    }
    check_length(values, static_cast<std::size_t>(count), std::numeric_limits<int>::max());
    const std::vector<double> x = values.numbers(0, static_cast<std::size_t>(count));
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(x.size());
    for (std::size_t k = 0, line = 0; k < x.size(); ++k) {
      if (!std::isfinite(x[k])) fail(values, file_, fmt::format("entry {} is not finite", k));
      if (nz < 0)
        while (static_cast<std::size_t>(p[line + 1]) <= k) ++line;
      const int row = static_cast<int>(nz == -2 ? line : static_cast<std::size_t>(i[k]));
      const int column = static_cast<int>(nz == -2   ? static_cast<std::size_t>(i[k])
                                          : nz == -1 ? line
                                                     : static_cast<std::size_t>(p[k]));
      entries.emplace_back(row, column, x[k]);
    }
    return compress(m, n, entries);
  }

  VectorXd coefficients(const h5::Group& group, int count) const {
    VectorXd mu = vector(group, "mu", count);
    for (int k = 0; k < count; ++k)
      if (!(mu[k] >= 0))
        fail(dataset_in(group, "mu"), file_, fmt::format("entry {} is {}; accepted: 0 and above", k, mu[k]));
    return mu;
  }

  std::string title(const h5::Group& group) const {
    if (!group.has("info/title")) return {};
    const std::vector<std::string> texts = dataset_in(group, "info/title").texts();
    return texts.empty() ? "" : texts.front();
  }

  ProblemData read_local(const h5::Group& group) const {
    ProblemData data;
    data.kind = ProblemKind::friction;
    const int dim = integer(group, "spacedim", 2, 3);
    const h5::Group W = group_in(group, "W"), vectors = group_in(group, "vectors");
    const int rows = integer(W, "m", 0, kMostRows), columns = integer(W, "n", 0, kMostRows);
    if (columns != rows || rows % dim != 0)
      fail(W, file_, fmt::format("is {} x {}; accepted: square, a multiple of {}", rows, columns, dim));
    // A vector proves that there are so many rows, before memory is asked for them.
    data.b = vector(vectors, "q", rows);
    data.W = matrix(W);
    data.blocks = friction_blocks(Cone::coulomb, dim, coefficients(vectors, rows / dim));
    data.title = title(group);
    return data;
  }

  ProblemData read_global(const h5::Group& group) const {
    ProblemData data;
    data.kind = ProblemKind::global_friction;
    GlobalProblem& g = data.global;
    const int dim = integer(group, "spacedim", 2, 3);
    const h5::Group M = group_in(group, "M"), H = group_in(group, "H"), vectors = group_in(group, "vectors");
    if (group.has("G") && group_in(group, "G").has("m") && integer(group_in(group, "G"), "n", 0, kMostRows) > 0)
      fail(group_in(group, "G"), file_, "equality constraints are not supported; accepted: M, H, f, w, mu");
    const auto size = [&](const h5::Group& matrix, const char* name) { return integer(matrix, name, 0, kMostRows); };
    const int n = size(M, "m"), m = size(H, "n");
    if (size(M, "n") != n) fail(M, file_, fmt::format("is {} x {}; accepted: square", n, size(M, "n")));
    if (size(H, "m") != n || m % dim != 0)
      fail(H, file_, fmt::format("is {} x {}; accepted: {} rows, columns a multiple of {}", size(H, "m"), m, n, dim));
    g.f = vector(vectors, "f", n);
    g.w = vector(vectors, "w", m);
    g.M = matrix(M);
    g.H = matrix(H);
    data.blocks = g.blocks = friction_blocks(Cone::coulomb, dim, coefficients(vectors, m / dim));
    data.title = title(group);
    return data;
  }

  std::string file_;
  h5::Group root_;
};

void write_integer(const h5::Group& group, const char* name, int value) {
  const std::int32_t one[1] = {value};
  group.write(name, std::span<const std::int32_t>(one));
}

void write_matrix(const h5::Group& group, const SparseRows& given) {
  SparseRows A = given;
  A.makeCompressed();
  write_integer(group, "m", static_cast<int>(A.rows()));
  write_integer(group, "n", static_cast<int>(A.cols()));
  write_integer(group, "nzmax", static_cast<int>(A.nonZeros()));
  write_integer(group, "nz", -2);
  group.write("p", std::span<const std::int32_t>(A.outerIndexPtr(), static_cast<std::size_t>(A.rows()) + 1));
  const auto count = static_cast<std::size_t>(A.nonZeros());
  group.write("i", std::span<const std::int32_t>(A.innerIndexPtr(), count));
  group.write("x", std::span<const double>(A.valuePtr(), count));
}

void write_vector(const h5::Group& group, const char* name, const VectorXd& v) {
  group.write(name, std::span<const double>(v.data(), static_cast<std::size_t>(v.size())));
}

}  // namespace

ProblemData read_fclib(const std::filesystem::path& path) {
  const h5::File file = h5::File::open(path);
  return Reader(path.string(), file.root()).read();
}

void write_fclib(const std::filesystem::path& path, const ProblemData& data) {
  const int dim = data.blocks.empty() ? 3 : data.blocks.front().dim;
  VectorXd mu(static_cast<Index>(data.blocks.size()));
  for (std::size_t k = 0; k < data.blocks.size(); ++k) {
    const ConeBlock& block = data.blocks[k];
    if (block.cone != Cone::coulomb || block.dim != dim)
      throw InputError(path.string(),
                       fmt::format("FCLIB's form cannot hold a {} cone of dimension {} beside others; accepted: "
                                   "friction of one dimension; .cones holds everything",
                                   name(block.cone), block.dim));
    mu[static_cast<Index>(k)] = block.mu;
  }
  h5::File file = h5::File::create(path);
  const bool global = data.kind == ProblemKind::global_friction;
  const h5::Group group = file.root().group(global ? "fclib_global" : "fclib_local");
  write_integer(group, "spacedim", dim);
  const h5::Group info = group.group("info"), vectors = group.group("vectors");
  info.write_fixed_text("title", data.title.empty() ? "problem" : data.title);
  info.write_fixed_text("description", "written by ricochet");
  info.write_fixed_text("math_info", global ? "M v = H r + f, u = H^T v + w" : "u = W r + q");
  if (global) {
    write_matrix(group.group("M"), data.global.M);
    write_matrix(group.group("H"), data.global.H);
    write_vector(vectors, "f", data.global.f);
    write_vector(vectors, "w", data.global.w);
  } else {
    write_matrix(group.group("W"), data.W);
    write_vector(vectors, "q", data.b);
  }
  write_vector(vectors, "mu", mu);
  file.flush();
}

}  // namespace ricochet::detail
