#pragma once
// Plain views of contiguous doubles: what crosses a virtual call. An Eigen::Ref<const> may copy and costs a
// stride test per use; a pointer and a length do neither.
#include <Eigen/Core>
#include <bit>
#include <cassert>
#include <cstdint>

#ifndef EIGEN_TEST_SPECIFIC_BLOCKING_SIZES
#error "Eigen's blocks are not those of the library: link ricochet::ricochet with CMake (src/ricochet/CMakeLists.txt)"
#endif

namespace ricochet {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class ConstView {
 public:
  ConstView() = default;
  ConstView(const double* data, Index size) : data_(data), size_(size) {}
  ConstView(const VectorXd& v) : data_(v.data()), size_(v.size()) {}  // NOLINT(google-explicit-constructor)
  const double* data() const { return data_; }
  Index size() const { return size_; }
  double operator[](Index i) const { return data_[i]; }
  const double* begin() const { return data_; }
  const double* end() const { return data_ + size_; }
  ConstView segment(Index at, Index n) const { return {data_ + at, n}; }
  Eigen::Map<const VectorXd> vec() const { return {data_, size_}; }

 private:
  const double* data_ = nullptr;
  Index size_ = 0;
};

class View {
 public:
  View() = default;
  View(double* data, Index size) : data_(data), size_(size) {}
  View(VectorXd& v) : data_(v.data()), size_(v.size()) {}  // NOLINT(google-explicit-constructor)
  double* data() const { return data_; }
  Index size() const { return size_; }
  double& operator[](Index i) const { return data_[i]; }
  double* begin() const { return data_; }
  double* end() const { return data_ + size_; }
  View segment(Index at, Index n) const { return {data_ + at, n}; }
  Eigen::Map<VectorXd> vec() const { return {data_, size_}; }
  operator ConstView() const { return {data_, size_}; }  // NOLINT(google-explicit-constructor)

 private:
  double* data_ = nullptr;
  Index size_ = 0;
};

inline double dot(ConstView a, ConstView b) {
  assert(a.size() == b.size());
  double s = 0;
  for (Index i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

/// Equal bit for bit: what a cache may be keyed by.
inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool same_bits(ConstView a, ConstView b) {
  if (a.size() != b.size()) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

inline void copy(ConstView from, double* to) {
  for (Index i = 0; i < from.size(); ++i) to[i] = from[i];
}

/// to = from without Eigen's general assignment, which costs more than the numbers of a small system.
inline void assign(VectorXd& to, const VectorXd& from) {
  if (to.size() != from.size()) to.resize(from.size());
  copy(from, to.data());
}

inline double max_abs(ConstView a) {
  double s = 0;
  for (double x : a) s = std::max(s, std::abs(x));
  return s;
}

}  // namespace ricochet
