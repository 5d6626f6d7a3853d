#include "ricochet/scheme/features.hpp"

namespace ricochet {

std::span<const FeatureInfo> features() {
  static constexpr FeatureInfo all[] = {
      {SchemeFeature::bodies, "bodies", "rigid bodies that turn in space; 'plane': those of a plane only"},
      {SchemeFeature::joints, "joints", "joints and drives"},
      {SchemeFeature::dry_joints, "dry joints", "dry friction in joints, motors with a speed or a limit"},
      {SchemeFeature::play, "play", "clearances, stops and contacts that close and open"},
      {SchemeFeature::flexible, "flexible", "beams, rods and solids; 'plane': beams of a plane only"},
      {SchemeFeature::collision, "collision", "contacts that are found where bodies meet"},
      {SchemeFeature::friction, "friction", "Coulomb's law, in the plane and in space"},
      {SchemeFeature::rolling, "rolling", "rolling and spinning friction"},
      {SchemeFeature::events, "events",
       "impacts and transitions located inside a step, with their times in the results"},
      {SchemeFeature::step_control, "step control",
       "steps chosen by 'step: auto' and its kind; 'own': by the scheme itself"},
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

Support support(const SchemeInfo& s, SchemeFeature feature) {
  const auto if_so = [](bool able) { return able ? Support::yes : Support::no; };
  switch (feature) {
    case SchemeFeature::bodies: return s.rotations ? Support::yes : Support::plane;
    case SchemeFeature::joints: return if_so(s.joints);
    case SchemeFeature::dry_joints: return if_so(s.velocity_rows);
    case SchemeFeature::play: return s.impact_order > 0 ? Support::yes : Support::comparison;
    case SchemeFeature::flexible: return s.rotations ? Support::yes : Support::plane;
    case SchemeFeature::collision: return if_so(s.collision);
    case SchemeFeature::friction: return if_so(s.friction);
    case SchemeFeature::rolling: return if_so(s.rolling);
    case SchemeFeature::events: return if_so(s.locates_events);
    case SchemeFeature::step_control: return s.error_controlled ? Support::own : if_so(s.step_control);
  }
  return Support::no;
}

std::vector<std::string> schemes_with(SchemeFeature feature) {
  std::vector<std::string> names;
  for (const SchemeEntry& entry : schemes())
    if (const Support s = support(entry.info, feature); s == Support::yes || s == Support::own)
      names.push_back(entry.info.name);
  return names;
}

}  // namespace ricochet
