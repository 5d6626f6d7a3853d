// Orders of the schemes that integrate the smooth motion to a higher order: after Mannshardt across impacts, Galerkin
// and splitting without them. Errors of q over the whole run, in L1 and in the uniform norm, against closed forms where
// there are any.
#include <gtest/gtest.h>

#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

struct Orders {
  double L1 = 0, uniform = 0;
  double largest = 0, smallest = 0;  ///< errors in the uniform norm
};

template <class Exact>
Orders orders(const std::string& name, const std::string& scheme, const std::vector<double>& steps,
              const std::vector<std::string>& overrides, Exact&& exact) {
  std::vector<double> L1, uniform;
  for (double h : steps) {
    std::vector<std::string> all = overrides;
    all.push_back("scheme=" + scheme);
    all.push_back(set("step", h));
    const Trajectory run = simulate(name, all);
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme << ", h = " << h;
    double sum = 0, worst = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const double e = (run.rows[k].q - exact(run.rows[k].t)).template lpNorm<Eigen::Infinity>();
      sum += run.rows[k].h * e;
      worst = std::max(worst, e);
    }
    L1.push_back(sum);
    uniform.push_back(worst);
  }
  Orders out{fitted_order(steps, L1), fitted_order(steps, uniform), uniform.front(), uniform.back()};
  if (std::getenv("RICOCHET_SHOW"))
    std::printf("%-24s %-60s L1 %.3f uniform %.3f from %.1e to %.1e\n", name.c_str(), scheme.c_str(), out.L1,
                out.uniform, out.largest, out.smallest);
  return out;
}

/// The oscillator that hits a stop at its rest position: |cos| whose swings shrink by e.
VectorXd oscillator(double t) {
  const double swing = std::floor(2 * t + 0.5);
  return VectorXd::Constant(1, std::pow(0.7, swing) * std::abs(std::cos(2 * std::numbers::pi * t)));
}

std::string mannshardt(const char* method, int order) {
  return "{name: mannshardt, method: " + std::string(method) + ", order: " + std::to_string(order) + "}";
}

TEST(HighOrder, MannshardtOnTheImpactingOscillator) {
  struct Case {
    const char* method;
    int order;
    double largest, smallest;
  };
  for (const Case& c :
       {Case{"explicit", 2, 0.0437, 0.00117}, Case{"explicit", 3, 0.0437, 0.00217},
        Case{"explicit", 4, 0.0837, 0.00417}, Case{"explicit", 5, 0.1037, 0.0117}, Case{"explicit", 8, 0.1637, 0.0537},
        Case{"implicit", 2, 0.0437, 0.00117}, Case{"implicit", 3, 0.0437, 0.00217},
        Case{"implicit", 4, 0.0637, 0.00417}, Case{"implicit", 5, 0.0837, 0.0087}}) {
    const Orders o = orders("linear-oscillator", mannshardt(c.method, c.order), geometric(c.largest, c.smallest, 12),
                            {"until=3"}, oscillator);
    EXPECT_GT(o.L1, c.order - 0.3) << c.method << " " << c.order;
    EXPECT_GT(o.uniform, c.order - 0.3) << c.method << " " << c.order;
    EXPECT_GT(o.smallest, 1e-12);
    EXPECT_GT(o.largest, 100 * o.smallest);
  }
}

}  // namespace
}  // namespace ricochet::test
