#pragma once
// Contact-sized storage: it grows, never shrinks, and so allocates nothing once a run is under way.
#include <algorithm>
#include <vector>

#include "ricochet/math/view.hpp"

namespace ricochet {

class Buffer {
 public:
  /// At least n doubles; the contents survive growth. An eighth more, so that sizes that vary settle soon: with many
  /// bodies these buffers are the memory of a run.
  double* need(Index n) {
    if (static_cast<Index>(store_.size()) < n) store_.resize(n + n / 8 + 16);
    return store_.data();
  }
  double* zeros(Index n) {
    double* p = need(n);
    std::fill(p, p + n, 0.0);
    return p;
  }
  double* data() { return store_.data(); }
  const double* data() const { return store_.data(); }
  double& operator[](Index i) { return store_[i]; }
  double operator[](Index i) const { return store_[i]; }
  Index capacity() const { return static_cast<Index>(store_.size()); }

 private:
  std::vector<double> store_;
};

}  // namespace ricochet
