#include "ricochet/solver/tap.hpp"

namespace ricochet {
namespace {
thread_local SolveTap* current = nullptr;
}

SolveTap* solve_tap() { return current; }

TapScope::TapScope(SolveTap* tap) : before_(current) { current = tap; }
TapScope::~TapScope() { current = before_; }

}  // namespace ricochet
