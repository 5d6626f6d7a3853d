#include "ricochet/geometry/collision/broad.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr int kShared = 500;  ///< boxes that are worth a team

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
  h ^= static_cast<std::uint64_t>(c.level) * 0x27D4EB2F165667C5U + (h >> 33);
  return ((h ^ h >> 32) + static_cast<std::uint64_t>(c.z)) & (starts_.size() - 2);
}

void BroadPhase::fill(const std::vector<Bounds>& boxes) {
  const int n = static_cast<int>(boxes.size());
  levels_.clear();
  endless_.clear();
  std::size_t slots = 16;
  while (slots < 2 * boxes.size()) slots *= 2;
  starts_.assign(slots + 1, 0);
  cells_.resize(boxes.size());
  entries_.resize(boxes.size());
  for (int i = 0; i < n; ++i) {
    const Bounds& b = boxes[static_cast<std::size_t>(i)];
    if (!b.finite()) {
      endless_.push_back(i);
      continue;
    }
    const int level = level_of(b);
    const Vector3d centre = 0.5 * (b.low + b.high);
    Cell& cell = cells_[static_cast<std::size_t>(i)];
    cell = {level, cell_of(centre.x(), level), cell_of(centre.y(), level), cell_of(centre.z(), level)};
    ++starts_[slot(cell) + 1];
    if (std::find(levels_.begin(), levels_.end(), level) == levels_.end()) levels_.push_back(level);
  }
  for (std::size_t s = 0; s < slots; ++s) starts_[s + 1] += starts_[s];
  next_.assign(starts_.begin(), starts_.end() - 1);
  auto endless = endless_.begin();
  for (int i = 0; i < n; ++i) {
    if (endless != endless_.end() && *endless == i) {
      ++endless;
      continue;
    }
    const Cell& cell = cells_[static_cast<std::size_t>(i)];
    entries_[static_cast<std::size_t>(next_[slot(cell)]++)] = {cell, i};
  }
}

void BroadPhase::look_into(const std::vector<Bounds>& boxes, int i, int level, std::vector<Pair>& found) const {
  const Bounds& box = boxes[static_cast<std::size_t>(i)];
  const bool own = cells_[static_cast<std::size_t>(i)].level == level;
  // Centres of what may overlap lie within half a cell of the box.
  const double half = std::ldexp(0.5, level);
  const Cell from{level, cell_of(box.low.x() - half, level), cell_of(box.low.y() - half, level),
                  cell_of(box.low.z() - half, level)};
  const Cell to{level, cell_of(box.high.x() + half, level), cell_of(box.high.y() + half, level),
                cell_of(box.high.z() + half, level)};
  for (Cell c = from; c.x <= to.x; ++c.x)
    for (c.y = from.y; c.y <= to.y; ++c.y)
      for (c.z = from.z; c.z <= to.z; ++c.z) {
        const std::size_t at = slot(c);
        for (int k = starts_[at]; k < starts_[at + 1]; ++k) {
          const auto& [cell, j] = entries_[static_cast<std::size_t>(k)];
          if (own ? j >= i : j == i) continue;
          if (!(cell == c) || !box.overlap(boxes[static_cast<std::size_t>(j)])) continue;
          found.emplace_back(std::min(i, j), std::max(i, j));
        }
      }
}

void BroadPhase::look(const std::vector<Bounds>& boxes, int i, std::vector<Pair>& found) const {
  const Bounds& b = boxes[static_cast<std::size_t>(i)];
  const bool finite = b.finite();
  for (const int j : endless_)
    if ((finite || j < i) && j != i && b.overlap(boxes[static_cast<std::size_t>(j)]))
      found.emplace_back(std::min(i, j), std::max(i, j));
  if (!finite) return;
  for (const int level : levels_)
    if (level >= cells_[static_cast<std::size_t>(i)].level) look_into(boxes, i, level, found);
}

/// By counting the first ones, of which there are few each.
void BroadPhase::sort(int boxes, std::size_t parts) {
  next_.assign(static_cast<std::size_t>(boxes) + 1, 0);
  std::size_t all = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const Pair& pair : found_[part]) ++next_[static_cast<std::size_t>(pair.first) + 1];
    all += found_[part].size();
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(boxes); ++i) next_[i + 1] += next_[i];
  pairs_.resize(all);
  for (std::size_t part = 0; part < parts; ++part)
    for (const Pair& pair : found_[part])
      pairs_[static_cast<std::size_t>(next_[static_cast<std::size_t>(pair.first)]++)] = pair;
  auto begin = pairs_.begin();
  for (std::size_t i = 0; i < static_cast<std::size_t>(boxes); ++i) {
    const auto end = pairs_.begin() + next_[i];
    std::sort(begin, end);
    begin = end;
  }
}

const std::vector<BroadPhase::Pair>& BroadPhase::pairs(const std::vector<Bounds>& boxes, Crew* crew) {
  const int n = static_cast<int>(boxes.size());
  fill(boxes);
  Team* team = team_for(crew, n, kShared);
  found_.resize(std::max(found_.size(), parts_of(team)));
  share_parts(team, n, [&](int part, int begin, int end) {
    std::vector<Pair>& found = found_[static_cast<std::size_t>(part)];
    found.clear();
    for (int i = begin; i < end; ++i) look(boxes, i, found);
  });
  sort(n, parts_of(team));
  return pairs_;
}

}  // namespace ricochet
