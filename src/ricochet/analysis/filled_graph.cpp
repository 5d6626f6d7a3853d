#include "ricochet/analysis/filled_graph.hpp"

namespace ricochet {

FilledGraph filled_steps(const FilledGraph& samples) {
  FilledGraph out(samples.dim);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i > 0) out.add(samples.t[i - 1], samples.at(i));
    out.add(samples.t[i], samples.at(i));
  }
  return out;
}

}  // namespace ricochet
