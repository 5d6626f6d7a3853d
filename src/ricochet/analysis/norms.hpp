#pragma once
// Norms of grid functions and orders of convergence.
#include <span>
#include <vector>

namespace ricochet {

/// (sum h_i |e_i|^p)^(1/p), acary-2018 (48), (49); p = infinity: max |e_i|, the uniform norm.
double grid_norm(std::span<const double> h, std::span<const double> error, double p);

/// sum |f_n - f(t_n)| / sum |f(t_n)|, cosimo-2020 (52), from errors and sizes of the reference at the same points.
double relative_l1(std::span<const double> error, std::span<const double> reference);

/// error ~ constant h^order.
struct OrderFit {
  int points = 0;         ///< that were used: finite and positive
  double order = 0;       ///< not a number if there are fewer than two
  double half_width = 0;  ///< of the interval of 95 % confidence; infinite if there are fewer than three points
  double constant = 0;
  double low() const { return order - half_width; }
  double high() const { return order + half_width; }
};

/// Least squares of log(error) over log(h). Where errors scatter (an impact falls anywhere within a step) the interval
/// says how much the slope means.
OrderFit fit_order(std::span<const double> h, std::span<const double> error);

/// The quantile of Student's distribution that leaves (1 - confidence)/2 above it.
double student_quantile(double confidence, int degrees_of_freedom);

/// `count` sizes from largest to smallest, in equal ratios.
std::vector<double> geometric(double largest, double smallest, int count);

}  // namespace ricochet
