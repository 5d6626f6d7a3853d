#pragma once
// The machine behind Tape. Internal to this folder.
#include <span>
#include <vector>

#include "ricochet/math/expression/program.hpp"
#include "ricochet/math/expression/tape.hpp"

namespace ricochet::tape {

/// One instruction: a sequence of micro-operations.
struct Instruction {
  std::vector<Micro> sequence;
  const void* label;
};

/// All there are; every micro-operation is also an instruction by itself.
std::vector<Instruction> instructions();

void interpret(const Tape::Word* code, double* work);

}  // namespace ricochet::tape
