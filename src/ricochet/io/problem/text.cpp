// Numbers as text, and the plain forms:
//
//   fc3d 1 | fc2d 1    nc nnz         then nnz lines i j value of W, dim nc lines of q, nc lines of mu
//   lcp 1              n nnz          then nnz lines i j value of M, n lines of q
//   cones 1            blocks nnz     then a line `cone dim mu` of each block, nnz lines i j value of W, the rows of b
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "ricochet/io/problem/forms.hpp"

namespace ricochet::detail {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string shown(std::string_view word) {
  std::string out;
  for (char c : word.substr(0, 24)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (word.size() > 24 ? "..." : "");
}

struct Form {
  std::string_view word;
  Cone cone;
  int dim;
};
constexpr Form kForms[] = {{"fc3d", Cone::coulomb, 3}, {"fc2d", Cone::coulomb, 2}, {"lcp", Cone::nonnegative, 1}};
constexpr Cone kCones[] = {Cone::free,         Cone::nonnegative, Cone::coulomb,
                           Cone::second_order, Cone::interval,    Cone::rolling};

/// nnz lines i j value, no place twice.
SparseRows read_triplets(NumberText& text, int rows, int nnz) {
  text.expect(3.0 * nnz, "entries of the matrix");
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(nnz));
  for (int k = 0; k < nnz; ++k) {
    const int i = text.integer("row", 0, rows - 1), j = text.integer("column", 0, rows - 1);
    entries.emplace_back(i, j, text.number("entry of the matrix"));
  }
  SparseRows out = compress(rows, rows, entries);
  if (out.nonZeros() != nnz) text.fail("a place of the matrix is given twice; accepted: each place once");
  return out;
}

std::vector<ConeBlock> read_blocks(NumberText& text, int count) {
  text.expect(3.0 * count, "blocks");
  std::vector<ConeBlock> out;
  int row = 0;
  for (int k = 0; k < count; ++k) {
    const std::string_view word = text.word();
    const auto* cone = std::find_if(std::begin(kCones), std::end(kCones), [&](Cone c) { return word == name(c); });
    if (cone == std::end(kCones))
      text.fail(
          fmt::format("'{}' is no cone; accepted: free, nonnegative, coulomb, second-order, interval, "
                      "rolling",
                      shown(word)));
    const bool friction = *cone == Cone::coulomb || *cone == Cone::second_order, rolling = *cone == Cone::rolling;
    const int least = rolling ? 3 : friction ? 2 : 1;
    const int most = rolling ? 6 : friction ? 3 : *cone == Cone::interval ? 3 : kMostRows - row;
    const int dim = text.integer("dimension of a cone", least, most);
    const double mu = text.number("friction coefficient");
    if (!(mu >= 0)) text.fail(fmt::format("the friction coefficient {} is negative; accepted: 0 and above", mu));
    out.push_back({*cone, row, dim, mu});
    for (double* length : {&out.back().roll, &out.back().spin}) {
      if (rolling) *length = text.number("length of rolling or spinning");
      if (!(*length >= 0)) text.fail(fmt::format("the length {} is negative; accepted: 0 and above", *length));
    }
    row += dim;
  }
  return out;
}

void add_triplets(fmt::memory_buffer& out, const SparseRows& W) {
  for (int i = 0; i < W.outerSize(); ++i)
    for (SparseRows::InnerIterator it(W, i); it; ++it)
      fmt::format_to(std::back_inserter(out), "{} {} {:.17g}\n", i, it.col(), it.value());
}

}  // namespace

void NumberText::skip() {
  for (; at_ < text_.size() && is_space(text_[at_]); ++at_)
    if (text_[at_] == '\n') ++line_;
}

void NumberText::rest_of_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void NumberText::fail(const std::string& what) const { throw InputError(fmt::format("{}:{}", name_, line_), what); }

std::string_view NumberText::word() {
  skip();  // now and not after the word before: messages name the line of the word last read
  if (at_end()) fail("the file ends here; more was announced");
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return std::string_view(text_).substr(begin, at_ - begin);
}

int NumberText::integer(const char* what, int low, int high) {
  skip();
  if (at_end()) fail(fmt::format("the file ends where the {} is expected", what));
  std::string_view w = word();
  if (w.starts_with('+')) w.remove_prefix(1);
  long long value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
  if (error != std::errc{} || end != w.data() + w.size())
    fail(fmt::format("'{}' is no whole number for the {}", shown(w), what));
  if (value < low || value > high) fail(fmt::format("the {} is {}; accepted: {} to {}", what, value, low, high));
  return static_cast<int>(value);
}

double NumberText::number(const char* what) {
  skip();
  if (at_end()) fail(fmt::format("the file ends where the {} is expected", what));
  std::string_view w = word();
  const std::string_view whole = w;
  if (w.starts_with('+')) w.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(w).c_str(), nullptr);  // tells what vanishes from what overflows
  } else if (error != std::errc{} || end != w.data() + w.size()) {
    fail(fmt::format("'{}' is no number for the {}", shown(whole), what));
  }
  if (!std::isfinite(value)) fail(fmt::format("the {} is '{}'; accepted: finite numbers", what, shown(whole)));
  return value;
}

VectorXd NumberText::numbers(const char* what, int count) {
  expect(count, what);
  VectorXd out(count);
  for (int i = 0; i < count; ++i) out[i] = number(what);
  return out;
}

std::size_t NumberText::words_left() const {
  std::size_t count = 0;
  bool inside = false;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    const bool word = !is_space(text_[i]);
    count += word && !inside;
    inside = word;
  }
  return count;
}

void NumberText::expect(double values, const char* what) const {
  // A value takes a character and a space at least.
  if (2 * values > static_cast<double>(text_.size() - at_) + 1)
    fail(fmt::format("the file is too short for the {:.0f} values announced here ({})", values, what));
}

void NumberText::expect_end() const {
  if (words_left() > 0) fail(fmt::format("{} more values follow the last one announced", words_left()));
}

SparseRows compress(int rows, int columns, std::vector<Eigen::Triplet<double>>& entries) {
  SparseRows out(rows, columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

std::vector<ConeBlock> friction_blocks(Cone cone, int dim, const VectorXd& mu) {
  std::vector<ConeBlock> out;
  for (int k = 0; k < mu.size(); ++k) out.push_back({cone, k * dim, dim, mu[k]});
  return out;
}

bool is_plain_text(std::string_view contents) {
  for (std::string_view word : {"fc3d", "fc2d", "lcp", "cones"})
    if (contents.starts_with(word) && contents.size() > word.size() && is_space(contents[word.size()])) return true;
  return false;
}

ProblemData read_plain_text(NumberText& text) {
  ProblemData data;
  const std::string_view word = text.word();
  text.integer("version of the form", 1, 1);
  const bool general = word == "cones";
  const Form* form =
      general ? nullptr
              : std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return f.word == word; });
  const int dim = general ? 1 : form->dim;
  const int count = text.integer(general   ? "number of blocks"
                                 : dim > 1 ? "number of contacts"
                                           : "number of rows",
                                 0, kMostRows / dim);
  const int nnz = text.integer("number of entries", 0, std::numeric_limits<int>::max());
  if (general) data.blocks = read_blocks(text, count);
  const int rows = general ? (data.blocks.empty() ? 0 : data.blocks.back().row + data.blocks.back().dim) : count * dim;
  data.W = read_triplets(text, rows, nnz);
  data.b = text.numbers("entry of the vector", rows);
  if (!general) {
    VectorXd mu = VectorXd::Zero(count);
    for (int k = 0; k < count && dim > 1; ++k) {
      mu[k] = text.number("friction coefficient");
      if (!(mu[k] >= 0))
        text.fail(fmt::format("the friction coefficient {} is negative; accepted: 0 and above", mu[k]));
    }
    data.blocks = friction_blocks(form->cone, dim, mu);
  }
  text.expect_end();
  data.kind = classify(data.blocks);
  return data;
}

std::string plain_text(const ProblemData& data, std::string_view form, const std::string& file) {
  fmt::memory_buffer out;
  const auto* known = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return f.word == form; });
  const bool general = known == std::end(kForms);
  for (const ConeBlock& block : data.blocks)
    if (!general && (block.cone != known->cone || block.dim != known->dim))
      throw InputError(file, fmt::format("the form {} cannot hold a {} cone of dimension {}; accepted: .cones", form,
                                         name(block.cone), block.dim));
  fmt::format_to(std::back_inserter(out), "{} 1\n{} {}\n", form, data.blocks.size(), data.W.nonZeros());
  if (general)
    for (const ConeBlock& block : data.blocks) {
      fmt::format_to(std::back_inserter(out), "{} {} {:.17g}", name(block.cone), block.dim, block.mu);
      if (block.cone == Cone::rolling)
        fmt::format_to(std::back_inserter(out), " {:.17g} {:.17g}", block.roll, block.spin);
      out.push_back('\n');
    }
  add_triplets(out, data.W);
  for (int i = 0; i < data.rows(); ++i) fmt::format_to(std::back_inserter(out), "{:.17g}\n", data.b[i]);
  if (!general && known->dim > 1)
    for (const ConeBlock& block : data.blocks) fmt::format_to(std::back_inserter(out), "{:.17g}\n", block.mu);
  return fmt::to_string(out);
}

}  // namespace ricochet::detail
