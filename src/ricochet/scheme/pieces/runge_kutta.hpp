#pragma once
// Explicit Runge-Kutta methods: tableaux as data, and one engine for all of them.
//
//     k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y+ = y + h sum_i b_i k_i
//
// Embedded pairs estimate their error by  h sum_i e_i k_i,  where k_{s+1} = f(t + h, y+) counts too. Continuous output
// (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6), with theta = (t' - t) / h:
//
//     y(theta) = y + theta (F0 + (1-theta)(F1 + theta (F2 + (1-theta)(F3 + theta (F4 + ...)))))
//     F0 = y+ - y,   F1 = h k_1 - F0,   F2 = 2 F0 - h (k_1 + k_{s+1}),   F_{3+l} = h sum_i d_li k_i
//
// which is Hermite's cubic where a method brings no d of its own. After the first step nothing is allocated.
#include <string_view>
#include <vector>

#include "ricochet/math/view.hpp"

namespace ricochet {

/// y' = f(t, y). The last components may be quadratures, on which nothing depends.
class Flow {
 public:
  virtual ~Flow() = default;
  /// False: f has no value there; the step is then too long.
  virtual bool rate(double t, ConstView y, View out) = 0;
};

struct Tableau {
  std::string_view name;
  int order = 0;
  int stages = 0;
  int extra = 0;  ///< stages that only the continuous output needs; they follow k_{s+1}
  std::vector<double> c, b;
  std::vector<double> A;                   ///< (stages + 1 + extra)^2, row by row; row `stages` is b
  std::vector<std::vector<double>> error;  ///< e, or two of them that are combined; none: no estimate
  std::vector<std::vector<double>> dense;  ///< d, one row for each of F3, F4, ...

  int all() const { return stages + 1 + extra; }
  double a(int i, int j) const {
    return A[static_cast<std::size_t>(i) * static_cast<std::size_t>(all()) + static_cast<std::size_t>(j)];
  }
};

/// euler, midpoint, kutta3, rk4 (orders 1 to 4, fixed steps); rkf45, dopri5, dop853 (embedded pairs). Null: no such
/// name.
const Tableau* find_tableau(std::string_view name);
const std::vector<Tableau>& tableaux();

/// A one-step method with an error estimate and continuous output.
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Room for n components.
  virtual void reserve(Index n) = 0;
  /// Sizes of the coupled components, for methods that compare them with each other.
  virtual void measure(ConstView) {}
  /// Where the next steps begin. `coupled`: how many components the rate depends on; the rest are quadratures.
  virtual bool begin(Flow& flow, double t, ConstView y, Index coupled) = 0;
  /// One step over h; y_end() is its result. May be repeated with another h.
  virtual bool step(Flow& flow, double h) = 0;
  virtual ConstView y_end() const = 0;
  /// Error estimate of the last step, root mean square over the coupled components, each relative to its scale.
  virtual double error(ConstView scale) = 0;
  /// The error falls with this power of h.
  virtual double error_order() const = 0;
  /// Prepares the continuous output of the last step.
  virtual bool make_dense(Flow& flow) = 0;
  /// The coupled components at t + theta h.
  virtual void interpolate(double theta, View y) const = 0;
};

class ExplicitRungeKutta final : public Stepper {
 public:
  explicit ExplicitRungeKutta(const Tableau& tableau) : T_(&tableau) {}

  void reserve(Index n) override;
  bool begin(Flow& flow, double t, ConstView y, Index coupled) override;
  bool step(Flow& flow, double h) override;
  ConstView y_end() const override { return {y_end_.data(), n_}; }
  double error(ConstView scale) override;
  double error_order() const override { return T_->order; }
  bool make_dense(Flow& flow) override;
  void interpolate(double theta, View y) const override;
  const Tableau& tableau() const { return *T_; }
  /// k_{i+1} of the last step.
  ConstView slope(int i) const { return {k_.data() + i * n_, n_}; }

 private:
  bool stage(Flow& flow, int i);
  bool end_slope(Flow& flow);

  const Tableau* T_;
  Index n_ = 0, coupled_ = 0;
  double t_ = 0, h_ = 0;
  bool ended_ = false;  // k_{s+1} is that of the last step
  VectorXd y_, y_end_, stage_, k_, F_;
};

}  // namespace ricochet
