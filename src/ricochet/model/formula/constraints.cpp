#include <algorithm>
#include <cstring>
#include <iterator>

#include "ricochet/model/formula/parts.hpp"

namespace ricochet::formula {
/// Gradients and rates of a joint or contact stand over the coordinates that occur in it; of a small system over all.
struct CompiledConstraints {
  /// Of an item: its first row, how many coordinates its rows have and in which ranges, and where its gradients and
  /// rates begin among the outputs.
  struct Place {
    int row, length, first_range, ranges, gradients, rates;
  };
  struct Entry {
    int j, k;
  };

  CompiledConstraints(Graph& graph, const std::vector<FormulaBuilder::Item>& items, int count) : n(count) {
    std::vector<NodeId> value, gradient, rate, hessian;
    for (const auto& item : items) {
      const std::vector<int> columns = columns_of(graph, item, n);
      add_place(columns, static_cast<int>(gradient.size()), static_cast<int>(rate.size()));
      for (NodeId g : item.rows) {
        value.push_back(g);
        value.push_back(graph.derivative(g, kTime));
        NodeId U = graph.derivative(g, kTime);
        for (const int j : columns) {
          const NodeId G = graph.derivative(g, j);
          gradient.push_back(G);
          U = graph.add(U, graph.mul(G, graph.variable(kMost + j)));
          for (const int k : occurring(graph, G, 0)) {
            const NodeId H = graph.derivative(G, k);
            if (graph.is_zero(H)) continue;
            hessian.push_back(H);
            bends.push_back({j, k});
          }
        }
        bends_end.push_back(static_cast<int>(bends.size()));
        NodeId bias = graph.derivative(U, kTime);
        for (const int j : columns) {
          rate.push_back(graph.derivative(U, j));
          bias = graph.add(bias, graph.mul(rate.back(), graph.variable(kMost + j)));
        }
        rate.push_back(bias);
        ++rows;
      }
    }
    constant = all_constant(graph, gradient);
    value.insert(value.end(), gradient.begin(), gradient.end());
    values = compile(graph, value, n, 0, 0);
    rates = compile(graph, rate, n, n, 0);
    hessians = compile(graph, hessian, n, 0, 0);
  }

  int n, rows = 0;
  bool constant = false;
  std::vector<Place> places;  ///< by item
  std::vector<Range> ranges;
  std::vector<Entry> bends;    ///< nonzeros of d2g/dq2, row by row
  std::vector<int> bends_end;  ///< by row
  ParametricTape values;       ///< (g, dg/dt) of all rows, then G row by row
  ParametricTape rates;        ///< dU/dq and U' at zero acceleration, row by row
  ParametricTape hessians;     ///< d2g/dq2, as in bends

 private:
  static std::vector<int> columns_of(const Graph& graph, const FormulaBuilder::Item& item, int n) {
    std::vector<int> columns;
    if (n <= kDense) {
      for (int j = 0; j < n; ++j) columns.push_back(j);
      return columns;
    }
    for (NodeId g : item.rows) std::ranges::copy(occurring(graph, g, 0), std::back_inserter(columns));
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.empty()) columns.push_back(0);  // a function of time alone
    return columns;
  }
  void add_place(const std::vector<int>& columns, int first_gradient, int first_rate) {
    const auto first = static_cast<int>(ranges.size());
    for (const int j : columns) {
      const bool follows = static_cast<int>(ranges.size()) > first && ranges.back().at + ranges.back().n == j;
      if (!follows) ranges.push_back({j, 0});
      ++ranges.back().n;
    }
    places.push_back({rows, static_cast<int>(columns.size()), first, static_cast<int>(ranges.size()) - first,
                      first_gradient, first_rate});
  }
};

namespace {

class FormulaConstraints final : public ConstraintSet {
 public:
  FormulaConstraints(std::shared_ptr<const CompiledConstraints> compiled, std::vector<FormulaBuilder::Item> items,
                     std::vector<double> parameters, int first_q, int first_v)
      : shared_(std::move(compiled)),
        c_(*shared_),
        items_(std::move(items)),
        parameters_(std::move(parameters)),
        ranges_(c_.ranges),
        first_q_(first_q),
        first_v_(first_v) {
    for (Range& r : ranges_) r.at += first_v_;
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const auto& i : items_) out.push_back({i.name, dim(i), i.law == nullptr});
    return out;
  }
  bool constant_gradients() const override { return c_.constant; }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const CompiledConstraints::Entry& e : c_.bends)
      if (e.j < e.k) out.emplace_back(first_v_ + e.j, first_v_ + e.k);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(c_, parameters_); }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({item_key(set, i), set, static_cast<int>(i), dim(items_[i]), items_[i].law});
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& s) const override {
    const double* value = static_cast<Work&>(s).values(q.segment(first_q_, c_.n), {}, t);
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const CompiledConstraints::Place& at = c_.places[c.item];
      const int dim = selection.dim(c);
      if (!selection.values_only) copy({value + 2 * c_.rows + at.gradients, dim * at.length}, append(dim, at, out.G));
      const auto [g, g_t] = out.values(dim);
      for (int i = 0; i < dim; ++i) {
        g[i] = c.bilateral() || i == 0 ? value[2 * (at.row + i)] : 0;
        g_t[i] = value[2 * (at.row + i) + 1];
      }
    }
  }
  void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch& s) const override {
    const double* H = static_cast<Work&>(s).hessians(q.segment(first_q_, c_.n), {}, t);
    const int row = c_.places[c.item].row;
    int e = row == 0 ? 0 : c_.bends_end[row - 1];
    for (int i = 0; i < dim; ++i)
      for (; e < c_.bends_end[row + i]; ++e)
        if (H[e] != 0) S.add(first_v_ + c_.bends[e].j, first_v_ + c_.bends[e].k, coefficient * lambda[i] * H[e]);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& s) const override {
    const CompiledConstraints::Place& place = c_.places[c.item];
    const double* r = rates(at, place, s);
    double* block = append(dim, place, out);
    for (int i = 0; i < dim; ++i)
      std::memcpy(block + i * place.length, r + i * (place.length + 1), sizeof(double) * place.length);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& s) const override {
    const CompiledConstraints::Place& place = c_.places[c.item];
    const double* r = rates(at, place, s);
    for (int i = 0; i < dim; ++i) out[i] = r[i * (place.length + 1) + place.length];
  }

 private:
  struct Work final : Scratch {
    Work(const CompiledConstraints& c, std::span<const double> parameters)
        : values(c.values, parameters), rates(c.rates, parameters), hessians(c.hessians, parameters) {}
    Cached values, rates, hessians;
  };
  static int dim(const FormulaBuilder::Item& i) {
    const int rows = static_cast<int>(i.rows.size());
    return i.law ? i.law->dim(rows - 1) : rows;
  }
  double* append(int dim, const CompiledConstraints::Place& at, Jacobian& out) const {
    const Range* ranges = ranges_.data() + at.first_range;
    return at.ranges == 1 ? out.append(dim, *ranges) : out.add(dim, ranges, at.ranges);
  }
  const double* rates(const Point& at, const CompiledConstraints::Place& place, Scratch& s) const {
    return static_cast<Work&>(s).rates(at.q.segment(first_q_, c_.n), at.v.segment(first_v_, c_.n), at.t) + place.rates;
  }

  std::shared_ptr<const CompiledConstraints> shared_;
  const CompiledConstraints& c_;
  std::vector<FormulaBuilder::Item> items_;
  std::vector<double> parameters_;
  std::vector<Range> ranges_;  // of the model's velocities
  int first_q_, first_v_;
};

}  // namespace

std::shared_ptr<const CompiledConstraints> compile_constraints(Graph& graph,
                                                               const std::vector<FormulaBuilder::Item>& items, int n) {
  return std::make_shared<const CompiledConstraints>(graph, items, n);
}

std::unique_ptr<ConstraintSet> make_constraints(std::shared_ptr<const CompiledConstraints> compiled,
                                                std::vector<FormulaBuilder::Item> items, std::vector<double> parameters,
                                                int first_q, int first_v) {
  return std::make_unique<FormulaConstraints>(std::move(compiled), std::move(items), std::move(parameters), first_q,
                                              first_v);
}

}  // namespace ricochet::formula
