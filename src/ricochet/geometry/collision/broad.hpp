#pragma once
// Pairs of boxes along the axes of space that overlap, out of many, in time linear in their number: boxes lie in cells
// of grids whose widths are powers of two, each in the grid that is just wide enough for it; a box looks into the cells
// about it, of its own grid and of the wider ones. The pairs come sorted, whatever the order of the work.
#include <cstdint>
#include <utility>
#include <vector>

#include "ricochet/math/rotation.hpp"

namespace ricochet {

struct Bounds {
  Vector3d low, high;
  bool overlap(const Bounds& o) const {
    return (low.array() <= o.high.array()).all() && (o.low.array() <= high.array()).all();
  }
  /// Half spaces have no end.
  bool finite() const { return low.allFinite() && high.allFinite(); }
};

class BroadPhase {
 public:
  /// All pairs a < b whose boxes overlap, sorted. The result lives until the next call.
  const std::vector<std::pair<int, int>>& pairs(const std::vector<Bounds>& boxes);

 private:
  struct Cell {
    std::int32_t level = 0;
    std::int64_t x = 0, y = 0, z = 0;
    bool operator==(const Cell&) const = default;
  };
  struct Entry {
    Cell cell;
    int next = -1;
  };
  std::size_t slot(const Cell& c) const;
  void look(const std::vector<Bounds>& boxes, int i, int level);

  std::vector<Entry> entries_;
  std::vector<int> heads_, levels_, endless_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace ricochet
