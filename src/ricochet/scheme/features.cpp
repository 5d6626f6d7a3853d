#include "ricochet/scheme/features.hpp"

namespace ricochet {

std::span<const FeatureInfo> features() {
  static constexpr FeatureInfo all[] = {
      {Feature::bodies, "bodies", "rigid bodies that turn in space; 'plane': those of a plane only"},
      {Feature::joints, "joints", "joints and drives"},
      {Feature::dry_joints, "dry joints", "dry friction in joints, motors with a speed or a limit"},
      {Feature::play, "play", "clearances, stops and contacts that close and open"},
      {Feature::flexible, "flexible", "beams, rods and solids; 'plane': beams of a plane only"},
      {Feature::collision, "collision", "contacts that are found where bodies meet"},
      {Feature::friction, "friction", "Coulomb's law, in the plane and in space"},
      {Feature::rolling, "rolling", "rolling and spinning friction"},
      {Feature::events, "events", "impacts and transitions located inside a step, with their times in the results"},
      {Feature::step_control, "step control", "steps chosen by 'step: auto' and its kind; 'own': by the scheme itself"},
  };
  return all;
}

const char* name(Support support) {
  switch (support) {
    case Support::yes: return "yes";
    case Support::no: return "no";
    case Support::plane: return "plane";
    case Support::comparison: return "compare";
    case Support::own: return "own";
    case Support::absent: return "not yet";
  }
  return "";
}

Support support(const SchemeInfo& s, Feature feature) {
  const auto if_so = [](bool able) { return able ? Support::yes : Support::no; };
  switch (feature) {
    case Feature::bodies: return s.rotations ? Support::yes : Support::plane;
    case Feature::joints: return if_so(s.joints);
    case Feature::dry_joints: return if_so(s.velocity_rows);
    case Feature::play: return s.impact_order > 0 ? Support::yes : Support::comparison;
    case Feature::flexible: return s.rotations ? Support::yes : Support::plane;
    case Feature::collision: return Support::absent;
    case Feature::friction: return if_so(s.friction);
    case Feature::rolling: return if_so(s.rolling);
    case Feature::events: return if_so(s.locates_events);
    case Feature::step_control: return s.error_controlled ? Support::own : if_so(s.step_control);
  }
  return Support::no;
}

std::vector<std::string> schemes_with(Feature feature) {
  std::vector<std::string> names;
  for (const SchemeEntry& entry : schemes())
    if (const Support s = support(entry.info, feature); s == Support::yes || s == Support::own)
      names.push_back(entry.info.name);
  return names;
}

}  // namespace ricochet
