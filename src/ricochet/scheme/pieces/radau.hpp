#pragma once
// Radau IIA of three stages, order 5, L-stable: for stiff systems (Hairer and Wanner, Solving Ordinary Differential
// Equations II, IV.8).
//
//     Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),        y+ = y + Z_3
//
// Simplified Newton with a difference Jacobian J, the three stages in one linear system; error estimate of order 3,
// (gamma/h - J)^-1 (f(t, y) + (e_1 Z_1 + e_2 Z_2 + e_3 Z_3) / h); continuous output is the collocation polynomial.
// Quadratures follow by the weights a_3j. Dense matrices of three times the coupled components: for small systems.
#include "ricochet/math/buffer.hpp"
#include "ricochet/scheme/pieces/runge_kutta.hpp"

namespace ricochet {

class Radau final : public Stepper {
 public:
  void reserve(Index n) override;
  void measure(ConstView sizes) override;
  bool begin(Flow& flow, double t, ConstView y, Index coupled) override;
  bool step(Flow& flow, double h) override;
  ConstView y_end() const override { return {y_end_.data(), n_}; }
  double error(ConstView scale) override;
  double error_order() const override { return 4; }
  bool make_dense(Flow& flow) override;
  void interpolate(double theta, View y) const override;

 private:
  bool difference_jacobian(Flow& flow);
  bool factorise();

  Index n_ = 0, coupled_ = 0;
  double t_ = 0, h_ = 0;
  bool jacobian_ = false;
  VectorXd y_, y_end_, f_, stage_;
  VectorXd k_;          // three slopes, n each
  VectorXd Z_, d_, e_;  // three stages of the coupled components; corrections, over their sizes; error, likewise
  VectorXd size_;       // of the coupled components, powers of two
  Buffer J_, A_, E_;    // coupled^2, (3 coupled)^2, coupled^2: of components over their sizes
  std::vector<int> pivots_, error_pivots_;
};

}  // namespace ricochet
