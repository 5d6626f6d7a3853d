#pragma once
// Pairs of boxes along the axes of space that overlap, out of many, in time linear in their number: boxes lie in cells
// of grids whose widths are powers of two, each in the grid that is just wide enough for it; a box looks into the cells
// about it, of its own grid and of the wider ones. Cells are found by a hash under which those of one line along z are
// neighbours, and their boxes lie one after the other in memory. The pairs come sorted, whatever the order of the work,
// and whoever did it.
#include <cstdint>
#include <utility>
#include <vector>

#include "ricochet/math/rotation.hpp"
#include "ricochet/math/team.hpp"

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
  using Pair = std::pair<int, int>;
  /// All pairs a < b whose boxes overlap, sorted. The result lives until the next call. A crew shares the looks.
  const std::vector<Pair>& pairs(const std::vector<Bounds>& boxes, Crew* crew = nullptr);

 private:
  struct Cell {
    std::int32_t level = 0;
    std::int64_t x = 0, y = 0, z = 0;
    bool operator==(const Cell&) const = default;
  };
  struct Entry {
    Cell cell;
    int box;
  };
  std::size_t slot(const Cell& c) const;
  void fill(const std::vector<Bounds>& boxes);
  void look(const std::vector<Bounds>& boxes, int i, std::vector<Pair>& found) const;
  void look_into(const std::vector<Bounds>& boxes, int i, int level, std::vector<Pair>& found) const;
  void sort(int boxes, std::size_t parts);

  std::vector<Cell> cells_;     // by box
  std::vector<int> starts_;     // by slot: of its entries, and the end
  std::vector<Entry> entries_;  // slot by slot, boxes ascending
  std::vector<int> levels_, endless_, next_;
  std::vector<std::vector<Pair>> found_;  // by who looked
  std::vector<Pair> pairs_;
};

}  // namespace ricochet
