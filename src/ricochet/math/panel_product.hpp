#pragma once
// Products of dense matrices for sparse factors, the same bits on every processor. Every entry is the sum of its terms
// one after the other, however many entries a vector holds, and no product is fused with a sum: wider vectors compute
// more entries at a time, and no entry differently. So the widest that the processor has are taken.
#include <cstddef>
#include <vector>

namespace ricochet {

/// Column major; `stride` from one column to the next.
struct PanelView {
  const double* data;
  int rows;
  std::ptrdiff_t stride;
};

class PanelProduct {
 public:
  /// Widths of vectors, in numbers, that this processor has; the last is taken.
  static const std::vector<int>& widths();
  explicit PanelProduct(int width = widths().back());

  /// C -= A B^T over `terms` columns of A and B; C has the rows of A, and a column for each row of B.
  void subtract(const PanelView& A, const PanelView& B, int terms, double* C, std::ptrdiff_t stride);

 private:
  using Kernel = void (*)(int, const double*, const double*, double*);
  Kernel kernel_;
  int high_, wide_;  // of the part that the kernel computes at a time
  std::vector<double> A_, B_, part_;
};

}  // namespace ricochet
