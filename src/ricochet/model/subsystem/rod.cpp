#include "ricochet/model/subsystem/nodal_body.hpp"

namespace ricochet {
namespace {

class Rod final : public LinearBody<1> {
 public:
  explicit Rod(const RodParameters& p) : LinearBody(p.common, line(p), Directions((p.to - p.from).normalized())) {
    const double length = (p.to - p.from).norm() / p.elements;
    stiffness_ = p.young / length;
    const double m = p.density * p.section * length / 6, k = stiffness_ * p.section;
    std::vector<int> ends;
    for (int e = 0; e < p.elements; ++e)
      for (const int n : {e, e + 1}) ends.push_back(free_of_[static_cast<std::size_t>(n)]);
    std::vector<std::span<const int>> elements;
    for (int e = 0; e < p.elements; ++e) elements.emplace_back(ends.data() + 2 * e, 2);
    pairs_ = find_pairs(static_cast<int>(node_of_.size()), elements);
    mass_.assign(static_cast<std::size_t>(pairs_.pairs()), 0);
    K_.assign(mass_.size(), 0);
    for (int e = 0; e < p.elements; ++e)
      for (const int i : {0, 1})
        for (const int j : {0, 1}) {
          add_mass(e + i, e + j, i == j ? 2 * m : m);
          const int a = ends[static_cast<std::size_t>(2 * e + i)], b = ends[static_cast<std::size_t>(2 * e + j)];
          if (a >= 0 && b >= 0) K_[static_cast<std::size_t>(pairs_.find(a, b))] += i == j ? k : -k;
        }
    weigh();
  }
  Matrix3d stress(std::size_t e, ConstView q) const override {
    const Vector3d axis = directions_.col(0);
    const auto n = static_cast<int>(e);
    return stiffness_ * axis.dot(displacement(n + 1, q) - displacement(n, q)) * axis * axis.transpose();
  }

 private:
  static SolidMesh line(const RodParameters& p) {
    if (!((p.to - p.from).norm() > 0)) throw InputError("", "a rod begins where it ends; accepted: points apart");
    SolidMesh out;
    for (int n = 0; n <= p.elements; ++n) {
      out.nodes.push_back(p.from + (p.to - p.from) * (static_cast<double>(n) / p.elements));
      out.numbers.push_back(n);
      out.sets["all"].push_back(n);
    }
    out.sets["from"] = {0};
    out.sets["to"] = {p.elements};
    return out;
  }
  double stiffness_ = 0;  // stress per elongation
};

}  // namespace

std::unique_ptr<FlexibleBody> make_rod(const RodParameters& p) { return std::make_unique<Rod>(p); }

}  // namespace ricochet
