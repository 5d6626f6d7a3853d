#include <algorithm>
#include <cstring>
#include <iterator>

#include "ricochet/model/formula/parts.hpp"

namespace ricochet::formula {
namespace {

/// Gradients and rates of a joint or contact stand over the coordinates that occur in it; of a small system over all.
class FormulaConstraints final : public ConstraintSet {
 public:
  FormulaConstraints(Graph& graph, std::vector<FormulaBuilder::Item> items, int n, int first_q, int first_v)
      : items_(std::move(items)), n_(n), first_q_(first_q), first_v_(first_v) {
    std::vector<NodeId> values, gradients, rates, hessians;
    for (const auto& item : items_) {
      const std::vector<int> columns = columns_of(graph, item);
      add_place(columns, static_cast<int>(gradients.size()), static_cast<int>(rates.size()));
      for (NodeId g : item.rows) {
        values.push_back(g);
        values.push_back(graph.derivative(g, kTime));
        NodeId U = graph.derivative(g, kTime);
        for (const int j : columns) {
          const NodeId G = graph.derivative(g, j);
          gradients.push_back(G);
          U = graph.add(U, graph.mul(G, graph.variable(kMost + j)));
          for (const int k : occurring(graph, G, 0)) {
            const NodeId H = graph.derivative(G, k);
            if (graph.is_zero(H)) continue;
            hessians.push_back(H);
            bends_.push_back({j, k});
          }
        }
        bends_end_.push_back(static_cast<int>(bends_.size()));
        NodeId bias = graph.derivative(U, kTime);
        for (const int j : columns) {
          rates.push_back(graph.derivative(U, j));
          bias = graph.add(bias, graph.mul(rates.back(), graph.variable(kMost + j)));
        }
        rates.push_back(bias);
        ++rows_;
      }
    }
    constant_ = all_constant(graph, gradients);
    values.insert(values.end(), gradients.begin(), gradients.end());
    values_ = compile(graph, values, n, 0, 0);
    rates_ = compile(graph, rates, n, n, 0);
    hessians_ = compile(graph, hessians, n, 0, 0);
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const auto& i : items_) out.push_back({i.name, dim(i), i.law == nullptr});
    return out;
  }
  bool constant_gradients() const override { return constant_; }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const Entry& e : bends_)
      if (e.j < e.k) out.emplace_back(first_v_ + e.j, first_v_ + e.k);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(*this); }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({item_key(set, i), set, static_cast<int>(i), dim(items_[i]), items_[i].law});
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& s) const override {
    const double* value = static_cast<Work&>(s).values(q.segment(first_q_, n_), {}, t);
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const Place& at = places_[c.item];
      const int dim = selection.dim(c);
      if (!selection.values_only) copy({value + 2 * rows_ + at.gradients, dim * at.length}, append(dim, at, out.G));
      const auto [g, g_t] = out.values(dim);
      for (int i = 0; i < dim; ++i) {
        g[i] = c.bilateral() || i == 0 ? value[2 * (at.row + i)] : 0;
        g_t[i] = value[2 * (at.row + i) + 1];
      }
    }
  }
  void curvature(double t, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch& s) const override {
    const double* H = static_cast<Work&>(s).hessians(q.segment(first_q_, n_), {}, t);
    const int row = places_[c.item].row;
    int e = row == 0 ? 0 : bends_end_[row - 1];
    for (int i = 0; i < dim; ++i)
      for (; e < bends_end_[row + i]; ++e)
        if (H[e] != 0) S.add(first_v_ + bends_[e].j, first_v_ + bends_[e].k, coefficient * lambda[i] * H[e]);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& s) const override {
    const Place& place = places_[c.item];
    const double* r = rates(at, place, s);
    double* block = append(dim, place, out);
    for (int i = 0; i < dim; ++i)
      std::memcpy(block + i * place.length, r + i * (place.length + 1), sizeof(double) * place.length);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& s) const override {
    const Place& place = places_[c.item];
    const double* r = rates(at, place, s);
    for (int i = 0; i < dim; ++i) out[i] = r[i * (place.length + 1) + place.length];
  }

 private:
  struct Work final : Scratch {
    explicit Work(const FormulaConstraints& f) : values(f.values_), rates(f.rates_), hessians(f.hessians_) {}
    Cached values, rates, hessians;
  };
  /// Of an item: its first row, how many coordinates its rows have and in which ranges, and where its gradients and
  /// rates begin among the outputs.
  struct Place {
    int row, length, first_range, ranges, gradients, rates;
  };
  struct Entry {
    int j, k;
  };

  static int dim(const FormulaBuilder::Item& i) {
    const int rows = static_cast<int>(i.rows.size());
    return i.law ? i.law->dim(rows - 1) : rows;
  }
  std::vector<int> columns_of(const Graph& graph, const FormulaBuilder::Item& item) const {
    std::vector<int> columns;
    if (n_ <= kDense) {
      for (int j = 0; j < n_; ++j) columns.push_back(j);
      return columns;
    }
    for (NodeId g : item.rows) std::ranges::copy(occurring(graph, g, 0), std::back_inserter(columns));
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.empty()) columns.push_back(0);  // a function of time alone
    return columns;
  }
  void add_place(const std::vector<int>& columns, int gradients, int rates) {
    const auto first = static_cast<int>(ranges_.size());
    for (const int j : columns) {
      const bool follows =
          static_cast<int>(ranges_.size()) > first && ranges_.back().at + ranges_.back().n == first_v_ + j;
      if (!follows) ranges_.push_back({first_v_ + j, 0});
      ++ranges_.back().n;
    }
    places_.push_back(
        {rows_, static_cast<int>(columns.size()), first, static_cast<int>(ranges_.size()) - first, gradients, rates});
  }
  double* append(int dim, const Place& at, Jacobian& out) const {
    const Range* ranges = ranges_.data() + at.first_range;
    return at.ranges == 1 ? out.append(dim, *ranges) : out.add(dim, ranges, at.ranges);
  }
  const double* rates(const Point& at, const Place& place, Scratch& s) const {
    return static_cast<Work&>(s).rates(at.q.segment(first_q_, n_), at.v.segment(first_v_, n_), at.t) + place.rates;
  }

  std::vector<FormulaBuilder::Item> items_;
  std::vector<Place> places_;  // by item
  std::vector<Range> ranges_;
  std::vector<Entry> bends_;    // nonzeros of d2g/dq2, row by row
  std::vector<int> bends_end_;  // by row
  int n_, first_q_, first_v_, rows_ = 0;
  bool constant_ = false;
  Tape values_;    // (g, dg/dt) of all rows, then G row by row
  Tape rates_;     // dU/dq and U' at zero acceleration, row by row
  Tape hessians_;  // d2g/dq2, as in bends_
};

}  // namespace

std::unique_ptr<ConstraintSet> make_constraints(Graph& graph, std::vector<FormulaBuilder::Item> items, int n,
                                                int first_q, int first_v) {
  return std::make_unique<FormulaConstraints>(graph, std::move(items), n, first_q, first_v);
}

}  // namespace ricochet::formula
