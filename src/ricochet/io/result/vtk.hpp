#pragma once
// Results for ParaView: NAME.pvd with the times, and for each row that is written
//
//   NAME_0000.vtu           rods and solids as they are deformed; of the points `displacement` and `velocity`, of the
//                           cells `stress` (Cauchy's, nine components), `von_mises`, `body` and `element`
//   NAME_bodies_0000.vtu    rigid bodies and frames as points with their axes `x`, `y`, `z`, velocity and number
//   NAME_contacts_0000.vtu  contacts that the row lists, where they are known: `impulse` and `reaction` along the
//                           normal as vectors, `gap`, `constraint`
#include <filesystem>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct VtkOptions {
  std::int64_t every = 1;  ///< rows
};
/// Returns how many times were written. InputError where a folder cannot be made; OutputError where files cannot.
std::size_t write_vtk(const Results& results, const VtkOptions& options, const std::filesystem::path& folder);

}  // namespace ricochet
