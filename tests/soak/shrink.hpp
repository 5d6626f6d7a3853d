#pragma once
// Makes a system smaller as long as it stays of interest: for a defect to be looked at.
#include <functional>

#include "soak/system.hpp"

namespace ricochet::soak {

/// Leaves out coordinates, joints, contacts, springs, damping, loads, friction and steps, one after the other, whatever
/// `interesting` lets go.
System shrink(System system, const std::function<bool(const System&)>& interesting);

}  // namespace ricochet::soak
