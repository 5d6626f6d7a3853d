#include "ricochet/model/constraint/linear_rows.hpp"

#include <algorithm>

namespace ricochet {
namespace {

class LinearRows final : public ConstraintSet {
 public:
  explicit LinearRows(std::vector<LinearRow> items) : items_(std::move(items)) {
    std::stable_sort(items_.begin(), items_.end(), [](const auto& a, const auto& b) { return !a.law && b.law; });
    for (const LinearRow& item : items_) {
      std::vector<int> touched;
      for (const auto& row : item.rows)
        for (const auto& e : row) touched.push_back(e.coordinate);
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      std::vector<Range> ranges;
      for (int c : touched) {
        if (!ranges.empty() && ranges.back().at + ranges.back().n == c) {
          ++ranges.back().n;
        } else {
          ranges.push_back({c, 1});
        }
      }
      ranges_.push_back(std::move(ranges));
      places_ = places_ && !item.normal.isZero(0);
    }
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const LinearRow& i : items_) out.push_back({i.name, dim(i), i.law == nullptr});
    return out;
  }
  bool constant_gradients() const override { return true; }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({item_key(set, i),
                     set,
                     static_cast<int>(i),
                     dim(items_[i]),
                     items_[i].law,
                     {items_[i].body, Candidate::kGround}});
  }
  bool knows_places() const override { return places_; }
  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const LinearRow& item = items_[c.item];
    ContactPlace out{item.point, item.normal};
    for (int i = 0; i < 3; ++i)
      for (const auto& e : item.moves[static_cast<std::size_t>(i)]) out.point[i] += e.value * q[e.coordinate];
    return out;
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    for (int k = 0; k < selection.count; ++k) {
      const Candidate& c = selection[k];
      const LinearRow& item = items_[c.item];
      const int dim = selection.dim(c);
      const auto [g, g_t] = out.values(dim);
      for (int r = 0; r < dim; ++r) {
        g[r] = g_t[r] = 0;
        if (!c.bilateral() && r > 0) continue;
        g[r] = item.offset[r];
        for (const auto& e : item.rows[r]) g[r] += e.value * q[e.coordinate];
      }
      if (!selection.values_only) add_gradients(item, ranges_[c.item], dim, out.G);
    }
  }
  void curvature(double, ConstView, const Candidate&, int, const double*, double, Operator&, Scratch&) const override {}
  void rate(const Point&, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    out.add(dim, ranges_[c.item].data(), static_cast<int>(ranges_[c.item].size()));
  }
  void bias(const Point&, const Candidate&, int dim, double* out, Scratch&) const override {
    std::fill(out, out + dim, 0.0);
  }

 private:
  static void add_gradients(const LinearRow& item, const std::vector<Range>& ranges, int dim, Jacobian& G) {
    double* entries = G.add(dim, ranges.data(), static_cast<int>(ranges.size()));
    const int length = G.blocks().back().length;
    for (int r = 0; r < dim; ++r)
      for (const auto& e : item.rows[r]) {
        int at = 0;
        for (const Range& range : ranges) {
          if (e.coordinate < range.at + range.n) {
            entries[r * length + at + e.coordinate - range.at] += e.value;
            break;
          }
          at += range.n;
        }
      }
  }
  static int dim(const LinearRow& i) {
    const int rows = static_cast<int>(i.rows.size());
    return i.law ? i.law->dim(rows - 1) : rows;
  }
  std::vector<LinearRow> items_;
  std::vector<std::vector<Range>> ranges_;
  bool places_ = true;  // all are known
};

}  // namespace

std::unique_ptr<ConstraintSet> make_linear_rows(std::vector<LinearRow> items) {
  return std::make_unique<LinearRows>(std::move(items));
}

}  // namespace ricochet
