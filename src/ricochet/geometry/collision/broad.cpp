#include "ricochet/geometry/collision/broad.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

/// The power of two at least as large as the box is wide.
int level_of(const Bounds& b) {
  int exponent = 0;
  const double width = (b.high - b.low).maxCoeff();
  return std::frexp(width, &exponent) == 0 ? -1000 : exponent;
}

std::int64_t cell_of(double x, int level) {
  const double k = std::floor(std::ldexp(x, -level));
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::clamp(k, -kMost, kMost));
}

}  // namespace

std::size_t BroadPhase::slot(const Cell& c) const {
  std::uint64_t h = static_cast<std::uint64_t>(c.x) * 0x9E3779B97F4A7C15U;
  h ^= static_cast<std::uint64_t>(c.y) * 0xC2B2AE3D27D4EB4FU + (h >> 29);
  h ^= static_cast<std::uint64_t>(c.z) * 0x165667B19E3779F9U + (h >> 31);
  h ^= static_cast<std::uint64_t>(c.level) * 0x27D4EB2F165667C5U + (h >> 33);
  return (h ^ h >> 32) & (heads_.size() - 1);
}

void BroadPhase::look(const std::vector<Bounds>& boxes, int i, int level) {
  const Bounds& box = boxes[static_cast<std::size_t>(i)];
  const bool own = entries_[static_cast<std::size_t>(i)].cell.level == level;
  // Centres of what may overlap lie within half a cell of the box.
  const double half = std::ldexp(0.5, level);
  const Cell from{level, cell_of(box.low.x() - half, level), cell_of(box.low.y() - half, level),
                  cell_of(box.low.z() - half, level)};
  const Cell to{level, cell_of(box.high.x() + half, level), cell_of(box.high.y() + half, level),
                cell_of(box.high.z() + half, level)};
  for (Cell c = from; c.x <= to.x; ++c.x)
    for (c.y = from.y; c.y <= to.y; ++c.y)
      for (c.z = from.z; c.z <= to.z; ++c.z)
        for (int j = heads_[slot(c)]; j >= 0; j = entries_[static_cast<std::size_t>(j)].next) {
          if (own ? j >= i : j == i) continue;
          if (!(entries_[static_cast<std::size_t>(j)].cell == c) || !box.overlap(boxes[static_cast<std::size_t>(j)]))
            continue;
          pairs_.emplace_back(std::min(i, j), std::max(i, j));
        }
}

const std::vector<std::pair<int, int>>& BroadPhase::pairs(const std::vector<Bounds>& boxes) {
  const int n = static_cast<int>(boxes.size());
  pairs_.clear();
  levels_.clear();
  endless_.clear();
  entries_.resize(boxes.size());
  std::size_t slots = 16;
  while (slots < 2 * boxes.size()) slots *= 2;
  heads_.assign(slots, -1);
  for (int i = 0; i < n; ++i) {
    const Bounds& b = boxes[static_cast<std::size_t>(i)];
    if (!b.finite()) {
      endless_.push_back(i);
      continue;
    }
    const int level = level_of(b);
    const Vector3d centre = 0.5 * (b.low + b.high);
    Entry& e = entries_[static_cast<std::size_t>(i)];
    e.cell = {level, cell_of(centre.x(), level), cell_of(centre.y(), level), cell_of(centre.z(), level)};
    int& head = heads_[slot(e.cell)];
    e.next = head;
    head = i;
    if (std::find(levels_.begin(), levels_.end(), level) == levels_.end()) levels_.push_back(level);
  }
  for (int i = 0; i < n; ++i) {
    const Bounds& b = boxes[static_cast<std::size_t>(i)];
    const bool finite = b.finite();
    for (const int j : endless_)
      if ((finite || j < i) && j != i && b.overlap(boxes[static_cast<std::size_t>(j)]))
        pairs_.emplace_back(std::min(i, j), std::max(i, j));
    if (!finite) continue;
    for (const int level : levels_)
      if (level >= entries_[static_cast<std::size_t>(i)].cell.level) look(boxes, i, level);
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace ricochet
