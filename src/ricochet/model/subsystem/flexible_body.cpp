#include "ricochet/model/subsystem/flexible_body.hpp"

#include "ricochet/model/subsystem/node_matrix.hpp"

namespace ricochet {

NodePairs find_pairs(int nodes, std::span<const std::span<const int>> elements) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
  for (const auto& e : elements)
    for (const int i : e)
      for (const int j : e)
        if (i >= 0 && j >= 0) rows[static_cast<std::size_t>(i)].push_back(j);
  NodePairs out;
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    out.other.insert(out.other.end(), row.begin(), row.end());
    out.start.push_back(out.pairs());
    std::vector<int>().swap(row);
  }
  out.chain = true;
  for (int i = 0; i < nodes; ++i) {
    const int first = std::max(0, i - 1), last = std::min(nodes - 1, i + 1),
              at = out.start[static_cast<std::size_t>(i)];
    out.chain = out.chain && out.start[static_cast<std::size_t>(i) + 1] - at == last - first + 1 &&
                out.other[static_cast<std::size_t>(at)] == first;
  }
  return out;
}

Vector3d FlexibleBody::displacement(int node, ConstView q) const {
  const int at = coordinate_of(node);
  if (at < 0) return Vector3d::Zero();
  return directions() * q.segment(at, directions().cols()).vec();
}

}  // namespace ricochet
