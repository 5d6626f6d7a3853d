#pragma once
// What works with what: what a scenario may ask of a scheme, and what each scheme answers. The answers follow from the
// schemes' own declarations; `list schemes` prints them, and the scenario reader refuses by them.
#include <span>

#include "ricochet/scheme/scheme.hpp"

namespace ricochet {

enum class SchemeFeature : std::uint8_t {
  bodies,
  joints,
  dry_joints,
  play,
  flexible,
  collision,
  friction,
  rolling,
  events,
  step_control
};

enum class Support : std::uint8_t {
  yes,
  no,          ///< refused
  plane,       ///< of the plane only; in space refused
  comparison,  ///< it runs, and does not converge
  own,         ///< the scheme does it by itself
  absent       ///< nobody has it yet
};
const char* name(Support support);  ///< as the table has it

struct FeatureInfo {
  SchemeFeature feature;
  const char* name;     ///< one word or two
  const char* summary;  ///< what it stands for, one line
};
/// In the order of the table.
std::span<const FeatureInfo> features();

Support support(const SchemeInfo& scheme, SchemeFeature feature);
/// The schemes that take it without reserve, at default options.
std::vector<std::string> schemes_with(SchemeFeature feature);

}  // namespace ricochet
