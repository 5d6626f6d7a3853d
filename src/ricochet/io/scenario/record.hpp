#pragma once
// How much of a run its results hold.
#include <array>
#include <cstdint>
#include <string_view>

namespace ricochet {

enum class ContactDetail : std::uint8_t {
  none,    ///< no contact is listed
  forces,  ///< those that carried an impulse: who, its state and the impulse
  all      ///< those that are closed or carried an impulse, with gaps, velocities and places
};
inline constexpr std::array<const char*, 3> kContactDetails{"none", "forces", "all"};
inline const char* name(ContactDetail detail) { return kContactDetails[static_cast<std::size_t>(detail)]; }

struct RecordChoice {
  std::int64_t every = 1;  ///< steps a row; 0: start and end only
  ContactDetail contacts = ContactDetail::all;
  bool marks = false;        ///< steps that missed the tolerance are counted, since they may be accepted
  bool restitution = false;  ///< of each contact what was asked for and what was applied, since these may differ
};

}  // namespace ricochet
