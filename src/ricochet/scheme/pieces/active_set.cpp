#include "ricochet/scheme/pieces/active_set.hpp"

#include <algorithm>

namespace ricochet {

ActiveSet::Change ActiveSet::choose(double slack) {
  proposed_.resize(xi.size());
  const bool first = marks.size() != xi.size();
  for (std::size_t i = 0; i < xi.size(); ++i)
    proposed_[i] = static_cast<char>(first ? xi[i] >= 0 : marks[i] ? xi[i] >= -slack : xi[i] > slack);
  if (!first && proposed_ == marks) return Change::none;
  const bool known = std::find(history_.begin(), history_.end(), proposed_) != history_.end();
  history_.push_back(proposed_);
  marks = proposed_;
  return known ? Change::repeated : Change::fresh;
}

double characteristic_mass(const Model& model, const Point& at, const Jacobian& G, Workspace& w) {
  VectorXd row(model.nv()), inertia(model.nv());
  std::vector<double> unit(static_cast<std::size_t>(G.rows()), 0);
  double sum = 0;
  int count = 0;
  for (const Jacobian::Block& b : G.blocks())
    for (int i = 0; i < b.dim; ++i) {
      row.setZero();
      inertia.setZero();
      unit[static_cast<std::size_t>(b.row + i)] = 1;
      G.add_block_times(b, 1, unit.data() + b.row, row);
      unit[static_cast<std::size_t>(b.row + i)] = 0;
      // gradients by coordinates measured in their scales: of lengths, whatever a coordinate is
      for (Index k = 0; k < row.size(); ++k)
        row[k] *= w.scale.coordinate[static_cast<std::size_t>(k)] * w.scale.per_length;
      const double square = row.squaredNorm();
      for (Index k = 0; k < row.size(); ++k)
        row[k] *= w.scale.coordinate[static_cast<std::size_t>(k)] * w.scale.per_length;
      model.mass_times(at, row, 1, inertia, w.model);
      const double mass = square > 0 ? row.dot(inertia) / (square * square) : 0;
      if (!(mass > 0)) continue;
      sum += mass;
      ++count;
    }
  return count > 0 ? sum / count : 1;
}

OptionInfo characteristic_mass_option() {
  return number_option("characteristic_mass", 0, 0, 1e15, "unit of the multipliers' parameters; 0: that of the rows");
}

}  // namespace ricochet
