// Norms, orders and distances, as the studies of the program compute them.
#include <fmt/format.h>

#include <span>

#include "bindings.hpp"
#include "ricochet/analysis/hausdorff.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/math/input_error.hpp"
#include "unlocked.hpp"

namespace ricochet::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> span_of(const Numbers& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

void same_length(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size())
    throw InputError("", fmt::format("{} numbers and {}; accepted: as many of both", a.size(), b.size()));
}

FilledGraph graph_of(const Numbers& t, const Numbers& x, bool steps) {
  const py::ssize_t n = t.size(), dim = x.ndim() > 1 ? x.shape(1) : 1;
  if (x.ndim() < 1 || x.ndim() > 2 || x.shape(0) != n)
    throw InputError("", fmt::format("{} times and values of another number; accepted: a row for each time", n));
  FilledGraph out(static_cast<int>(dim));
  for (py::ssize_t k = 0; k < n; ++k) out.add(t.data()[k], x.data() + k * dim);
  return steps ? filled_steps(out) : out;
}

py::tuple distance(const Numbers& t, const Numbers& x, const Numbers& s, const Numbers& y, double time, double value,
                   bool steps) {
  const FilledGraph first = graph_of(t, x, steps), second = graph_of(s, y, steps);
  HausdorffDistance d;
  {
    const Unlocked unlocked;
    d = hausdorff(first, second, {time, value});
  }
  return py::make_tuple(d.distance, d.t);
}

py::tuple order(const Numbers& h, const Numbers& error) {
  same_length(h, error);
  const OrderFit fit = fit_order(span_of(h), span_of(error));
  return py::make_tuple(fit.order, fit.half_width, fit.constant);
}

}  // namespace

void add_analysis(py::module_& module) {
  module.def("grid_norm", [](const Numbers& h, const Numbers& error, double p) {
    same_length(h, error);
    return grid_norm(span_of(h), span_of(error), p);
  });
  module.def("fit_order", &order);
  module.def("hausdorff", &distance);
}

}  // namespace ricochet::python
