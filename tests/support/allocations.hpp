#pragma once
// How often the program has called operator new, and for how many bytes: counted by tests/unit/expression_test.cpp,
// which replaces it for the whole of test_unit. Sanitizers bring their own; nothing is counted then.
#include <atomic>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RICOCHET_COUNTS_ALLOCATIONS
#endif

namespace ricochet::test {
extern std::atomic<long> allocations, allocated;
}
