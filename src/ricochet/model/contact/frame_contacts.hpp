#pragma once
// Contacts between features of two frames (touch.hpp), with friction in one direction in the plane or two in space.
#include <string>

#include "ricochet/model/constraint.hpp"
#include "ricochet/model/contact/touch.hpp"

namespace ricochet {

struct FrameContact {
  std::string name;
  Frame A, B;
  Feature feature;
  const ContactLaw* law = nullptr;
};

/// Frames refer to `mounts`; `plane` is the normal of the plane in which everything moves, zero in space.
std::unique_ptr<ConstraintSet> make_frame_contacts(const std::vector<Mount>& mounts, std::vector<FrameContact> contacts,
                                                   const Vector3d& plane);

}  // namespace ricochet
