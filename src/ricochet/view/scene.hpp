#pragma once
// What the page must know of a run before it sees a frame of it, as JSON: names, shapes, curves, events, bounds.
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"
#include "ricochet/view/frames.hpp"

namespace ricochet::view {

/// Something that happened, for the timeline.
struct Mark {
  double t = 0;
  int kind = 0;  ///< EventKind
  int item = -1;
};

struct SceneFacts {
  std::string file;
  ResultHeader header;
  std::string status;
  bool live = false;
  std::size_t rows = 0, frames = 0, stride = 1, frames_in_piece = 1;
  std::vector<double> t_range, low, high;
  double largest_impulse = 0, largest_reaction = 0, largest_stress = 0;
  std::vector<Mark> marks;
  std::vector<std::string> notes;
};

/// docs/viewer.md has the keys.
std::string describe(const Scenario& scenario, const std::vector<Curve>& curves, const SceneFacts& facts);

}  // namespace ricochet::view
