#include "ricochet/model/element/dissection.hpp"

#include <algorithm>

namespace ricochet {
namespace {

constexpr std::size_t kLeaf = 24;  ///< nodes that are not cut any more

class Dissection {
 public:
  Dissection(const SolidMesh& mesh, const std::vector<char>& left_out) : mesh_(mesh), side_(mesh.nodes.size(), 0) {
    neighbours_.resize(mesh.nodes.size());
    for (const auto& e : mesh.elements)
      for (const int a : mesh.nodes_of(e))
        for (const int b : mesh.nodes_of(e))
          if (a != b && left_out[static_cast<std::size_t>(b)] == 0)
            neighbours_[static_cast<std::size_t>(a)].push_back(b);
    for (auto& row : neighbours_) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    std::vector<int> all;
    for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n)
      if (left_out[static_cast<std::size_t>(n)] == 0) all.push_back(n);
    cut(std::move(all));
  }
  std::vector<int> order;

 private:
  void cut(std::vector<int> nodes) {
    if (nodes.size() <= kLeaf) {
      order.insert(order.end(), nodes.begin(), nodes.end());
      return;
    }
    Vector3d low = mesh_.nodes[static_cast<std::size_t>(nodes[0])], high = low;
    for (const int n : nodes) {
      low = low.cwiseMin(mesh_.nodes[static_cast<std::size_t>(n)]);
      high = high.cwiseMax(mesh_.nodes[static_cast<std::size_t>(n)]);
    }
    Index axis = 0;
    (high - low).maxCoeff(&axis);
    const auto before = [&](int a, int b) {
      const double x = mesh_.nodes[static_cast<std::size_t>(a)][axis],
                   y = mesh_.nodes[static_cast<std::size_t>(b)][axis];
      return x < y || (x == y && a < b);
    };
    std::sort(nodes.begin(), nodes.end(), before);
    // a whole layer is not cut in two: the lower half ends where a layer does
    const double tolerance = 1e-6 * (high - low)[axis];
    std::size_t half = nodes.size() / 2;
    const auto at = [&](std::size_t k) { return mesh_.nodes[static_cast<std::size_t>(nodes[k])][axis]; };
    while (half > 1 && at(half) - at(half - 1) < tolerance) --half;
    if (half <= 1) half = nodes.size() / 2;
    ++mark_;
    for (std::size_t k = half; k < nodes.size(); ++k) side_[static_cast<std::size_t>(nodes[k])] = mark_;
    std::vector<int> lower, upper(nodes.begin() + static_cast<std::ptrdiff_t>(half), nodes.end()), layer;
    for (std::size_t k = 0; k < half; ++k) {
      const auto& own = neighbours_[static_cast<std::size_t>(nodes[k])];
      const bool touches =
          std::any_of(own.begin(), own.end(), [&](int n) { return side_[static_cast<std::size_t>(n)] == mark_; });
      (touches ? layer : lower).push_back(nodes[k]);
    }
    if (lower.empty() && upper.size() == nodes.size()) {
      order.insert(order.end(), nodes.begin(), nodes.end());
      return;
    }
    cut(std::move(lower));
    cut(std::move(upper));
    order.insert(order.end(), layer.begin(), layer.end());
  }

  const SolidMesh& mesh_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<int> side_;
  int mark_ = 0;
};

}  // namespace

std::vector<int> dissect(const SolidMesh& mesh, const std::vector<char>& left_out) {
  return Dissection(mesh, left_out).order;
}

}  // namespace ricochet
