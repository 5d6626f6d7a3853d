#pragma once
// Random poses of a point, an edge or a face over a face, every combination of kinds: the gap against a solution of its
// equations in long double, its rate along a motion, and that no other place is nearer.
#include <array>
#include <cstdint>
#include <memory>

namespace ricochet::test {

constexpr std::array<const char*, 9> kBaseNames{"plane", "cylinder",  "bore",       "cone",  "sphere",
                                                "torus", "extrusion", "revolution", "spline"};
constexpr std::array<const char*, 8> kRiderNames{"point",       "line",      "circle",     "ellipse",
                                                 "spline edge", "extrusion", "revolution", "spline"};

struct GapErrors {
  double gap = 0;   ///< against long double
  double rate = 0;  ///< of the gap along a motion, against n at the point that touches
  int open = 0, penetrating = 0;
  int unsolved = 0;            ///< the equations have no solution where the gap says
  int looked = 0, nearer = 0;  ///< poses in which other places were tried, and in which one of them was nearer
};

class GapPairs {
 public:
  GapPairs(int base, int rider, std::uint64_t seed);
  ~GapPairs();

  /// One pose; false: the two do not touch regularly there, and nothing was judged. `search`: other places are tried.
  bool judge(bool search, GapErrors& errors);

 private:
  class Judge;
  std::unique_ptr<Judge> judge_;
};

}  // namespace ricochet::test
