// Uses the installed library as anyone would: projects a vector onto a friction cone and looks at the answer.
#include <cmath>
#include <cstdio>

#include "ricochet/math/cone.hpp"

int main() {
  // Normal 1, tangential 3, mu = 1: the projection lies on the edge, at (1 + 3) / 2 along (1, 1).
  double z[2] = {1, 3};
  ricochet::project(ricochet::Cone::second_order, 2, 1.0, z);
  std::printf("projection (%g, %g)\n", z[0], z[1]);
  return std::abs(z[0] - 2) < 1e-14 && std::abs(z[1] - 2) < 1e-14 ? 0 : 1;
}
