#include "ricochet/solver/peer_error.hpp"

#include <cmath>

namespace ricochet {

double peer_error(const Problem& problem, const double* p, const double* u) {
  double map = 0, load = 0;
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    const bool friction = block.cone == Cone::coulomb || block.cone == Cone::second_order;
    for (int i = 0; i < block.dim; ++i) load += problem.b[r + i] * problem.b[r + i];
    if (!friction) {
      for (int i = r; i < r + block.dim; ++i) {
        const double left = block.cone == Cone::free ? u[i] : p[i] - std::max(0.0, p[i] - u[i]);
        map += left * left;
      }
      continue;
    }
    double slip = 0, z[3];
    for (int i = 1; i < block.dim; ++i) slip += u[r + i] * u[r + i];
    for (int i = 0; i < block.dim; ++i) z[i] = p[r + i] - u[r + i];
    if (block.cone == Cone::coulomb) z[0] -= block.mu * std::sqrt(slip);
    project(block.cone, block.dim, block.mu, z);
    for (int i = 0; i < block.dim; ++i) map += (p[r + i] - z[i]) * (p[r + i] - z[i]);
  }
  return load > 0 ? std::sqrt(map / load) : std::sqrt(map);
}

}  // namespace ricochet
