#include "ricochet/math/panel_product.hpp"

#include <algorithm>

namespace ricochet {
namespace {

namespace two {
#define KERNEL_VECTOR 2
#define KERNEL_VECTORS 2
#define KERNEL_COLUMNS 4
#include "ricochet/math/panel_kernel.inc"
}  // namespace two

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RICOCHET_WIDE_VECTORS
#pragma GCC push_options
#pragma GCC target("avx2")
namespace four {
#define KERNEL_VECTOR 4
#define KERNEL_VECTORS 2
#define KERNEL_COLUMNS 6
#include "ricochet/math/panel_kernel.inc"
}  // namespace four
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
namespace eight {
#define KERNEL_VECTOR 8
#define KERNEL_VECTORS 2
#define KERNEL_COLUMNS 8
#include "ricochet/math/panel_kernel.inc"
}  // namespace eight
#pragma GCC pop_options
#endif

/// Rows first ... first + count of a view, term by term, `high` at a time, with zeros where there are fewer.
void pack(const PanelView& view, int terms, int high, double* to) {
  for (int first = 0; first < view.rows; first += high) {
    const int count = std::min(high, view.rows - first);
    const double* from = view.data + first;
    for (int k = 0; k < terms; ++k, from += view.stride) {
      for (int r = 0; r < count; ++r) *to++ = from[r];
      for (int r = count; r < high; ++r) *to++ = 0;
    }
  }
}

double* room(std::vector<double>& buffer, int rows, int high, int terms) {
  const std::size_t need = static_cast<std::size_t>((rows + high - 1) / high) * static_cast<std::size_t>(high) *
                           static_cast<std::size_t>(terms);
  if (buffer.size() < need) buffer.resize(need);
  return buffer.data();
}

}  // namespace

const std::vector<int>& PanelProduct::widths() {
  static const std::vector<int> known = [] {
    std::vector<int> out{2};
#ifdef RICOCHET_WIDE_VECTORS
    if (__builtin_cpu_supports("avx2")) out.push_back(4);
    if (__builtin_cpu_supports("avx512f")) out.push_back(8);
#endif
    return out;
  }();
  return known;
}

PanelProduct::PanelProduct(int width) : kernel_(two::multiply), high_(two::kHigh), wide_(two::kWide) {
#ifdef RICOCHET_WIDE_VECTORS
  if (width == 4) kernel_ = four::multiply, high_ = four::kHigh, wide_ = four::kWide;
  if (width == 8) kernel_ = eight::multiply, high_ = eight::kHigh, wide_ = eight::kWide;
#else
  static_cast<void>(width);
#endif
  part_.resize(static_cast<std::size_t>(high_) * static_cast<std::size_t>(wide_));
}

void PanelProduct::subtract(const PanelView& A, const PanelView& B, int terms, double* C, std::ptrdiff_t stride) {
  const double *a = room(A_, A.rows, high_, terms), *b = room(B_, B.rows, wide_, terms);
  pack(A, terms, high_, A_.data());
  pack(B, terms, wide_, B_.data());
  double* part = part_.data();
  for (int row = 0; row < A.rows; row += high_, a += std::ptrdiff_t{high_} * terms) {
    const int rows = std::min(high_, A.rows - row);
    const double* other = b;
    for (int column = 0; column < B.rows; column += wide_, other += std::ptrdiff_t{wide_} * terms) {
      kernel_(terms, a, other, part);
      const int columns = std::min(wide_, B.rows - column);
      for (int c = 0; c < columns; ++c) {
        double* to = C + row + (column + c) * stride;
        const double* from = part + std::ptrdiff_t{c} * high_;
        for (int r = 0; r < rows; ++r) to[r] -= from[r];
      }
    }
  }
}

}  // namespace ricochet
