#pragma once
// Piles for every engine, each of them at rest where it begins, so that whatever moves is an error.
//
//   stack M       ten boxes of 0.1 m and 1 kg on each other, the uppermost one of M kg, friction 0.5; 2 s
//   columns N     N columns of four such boxes, 0.1 m apart; 0.2 s
//   packing K     K layers of K x K spheres of radius 0.05 m, each on four of the layer below, every other layer with
//                 one less each way, between four walls, 1000 kg/m^3, friction 0.3; 0.2 s
//
// Printed of each run, as a line of a table: engine; settings; pile; step, s; steps; microseconds of the processor a
// step; how far the body that moved farthest is from where it began, m; how fast the fastest one still is, m/s.
#include <string>
#include <vector>

#include "work.hpp"

namespace peers {

struct Block {
  double x, y, z, mass;
};
struct Where {
  double x, y, z, speed;
};

struct Pile {
  std::string name;
  bool spheres = false;                            ///< of radius kBall; else boxes of the side kSide
  double friction = 0.5, seconds = 0.2, wall = 0;  ///< walls at +-wall in x and y, 0: none
  std::vector<Block> blocks{};
  static constexpr double kSide = 0.1, kBall = 0.05;
};

inline Pile stack(double top) {
  Pile out{"stack " + std::to_string(static_cast<int>(top)), false, 0.5, 2};
  for (int k = 0; k < 10; ++k) out.blocks.push_back({0, 0, (k + 0.5) * Pile::kSide, k < 9 ? 1.0 : top});
  return out;
}

inline Pile columns(int n) {
  Pile out{"columns " + std::to_string(n)};
  const int side = static_cast<int>(std::ceil(std::sqrt(n)));
  for (int c = 0; c < n; ++c)
    for (int k = 0; k < 4; ++k) out.blocks.push_back({0.2 * (c % side), 0.2 * (c / side), (k + 0.5) * Pile::kSide, 1});
  return out;
}

/// Spheres of a layer stand 2 % apart, so that they touch none of their own layer.
inline Pile packing(int k) {
  const double r = Pile::kBall, a = 2.04 * r, high = std::sqrt(4 * r * r - a * a / 2);
  Pile out{"packing " + std::to_string(k), true, 0.3, 0.2, 0.5 * (k - 1) * a + r};
  const double mass = 1000 * 4 / 3. * 3.14159265358979323846 * r * r * r;
  for (int l = 0; l < k; ++l) {
    const int n = k - l % 2;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        out.blocks.push_back({(i - 0.5 * (n - 1)) * a, (j - 0.5 * (n - 1)) * a, r + l * high, mass});
  }
  return out;
}

/// Those whose name begins with `which`; "piles": all.
inline std::vector<Pile> piles(const std::string& which) {
  std::vector<Pile> out;
  for (Pile& p : std::vector<Pile>{stack(1), stack(10), stack(100), stack(10000), columns(25), columns(250), packing(5),
                                   packing(10)})
    if (which == "piles" || p.name.rfind(which, 0) == 0) out.push_back(std::move(p));
  return out;
}

/// Large ones take long; many sweeps are for stacks.
inline bool large(const Pile& pile) { return pile.blocks.size() > 200; }
inline bool small(const Pile& pile) { return pile.blocks.size() < 20; }
inline std::vector<double> steps_of(const Pile& pile) {
  return large(pile) ? std::vector<double>{4e-3, 1e-3} : std::vector<double>{4e-3, 1e-3, 2.5e-4};
}

/// Runs a pile: `step` makes one, `where` tells of body k.
template <class Step, class Look>
void measure(const char* engine, const std::string& settings, const Pile& pile, double h, Step step, Look where) {
  const int steps = static_cast<int>(std::lround(pile.seconds / h));
  const double begin = seconds();
  for (int k = 0; k < steps; ++k) step();
  const double us = 1e6 * (seconds() - begin) / steps;
  double way = 0, speed = 0;
  for (std::size_t k = 0; k < pile.blocks.size(); ++k) {
    const Block& b = pile.blocks[k];
    const Where now = where(k);
    const double moved = std::hypot(std::hypot(now.x - b.x, now.y - b.y), now.z - b.z);
    if (!(moved <= way)) way = moved;  // nan too
    if (!(now.speed <= speed)) speed = now.speed;
  }
  std::printf("%s;%s;%s;%g;%d;%.2f;%.3e;%.3e\n", engine, settings.c_str(), pile.name.c_str(), h, steps, us, way, speed);
  std::fflush(stdout);
}

}  // namespace peers
