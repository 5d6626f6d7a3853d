// What is said of loops of joints: those out of line that are held as if they were in it, and those that are locked.
#include <fmt/format.h>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/scales.hpp"

namespace ricochet::scenario {
namespace {

constexpr double kSeen = 1e-11;  ///< out of line by less is rounding

std::string names(const Model& model, const Loop& loop) {
  constexpr std::size_t kMost = 6;
  std::string out;
  for (std::size_t k = 0; k < loop.items.size() && k < kMost; ++k)
    out += fmt::format("{}'{}'", k > 0 ? ", " : "", model.items()[static_cast<std::size_t>(loop.items[k])].name);
  return loop.items.size() > kMost ? out + fmt::format(" and {} more", loop.items.size() - kMost) : out;
}

}  // namespace

void check_loops(const Model& model, Parts& parts) {
  for (const Loop& loop : take_loops(model, parts.initial)) {
    const int rank = loop.rows() - loop.redundant;
    if (loop.redundant > 0 && loop.misfit > kSeen)
      parts.notes.push_back(fmt::format(
          "the joints {} are out of line by about {:.0e} m: {} of their {} equations are redundant to that and are not "
          "enforced, so that the joints may stay open by as much",
          names(model, loop), loop.misfit * loop.size, loop.redundant, loop.rows()));
    if (loop.locked())
      parts.notes.push_back(fmt::format(
          "the loop of the joints {} is locked: its {} equations, {} of them independent, leave its {} coordinates no "
          "freedom. It would have one if axes or places were not out of line by about {:.2g} m in {:.2g} m; align "
          "them to 1e-5 of that, or replace a revolute joint by a cylindrical or spherical one",
          names(model, loop), loop.rows(), rank, loop.coordinates.size(), loop.least * loop.size, loop.size));
  }
}

}  // namespace ricochet::scenario
