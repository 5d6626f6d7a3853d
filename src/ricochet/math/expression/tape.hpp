#pragma once
// A list of nodes compiled to a flat program for an accumulator machine.
//
// The work array holds, in this order: inputs, outputs, constants, temporaries. An instruction names slots of it, keeps
// its running result in a register and stores it only where it is used again; frequent sequences (a*b + c*d, stored)
// are one instruction. Equal subexpressions are computed once over all outputs, also as parts of longer sums and
// products; sine and cosine of one argument are one instruction. Multiply-adds round twice: bits do not depend on the
// machine.
#include <cstdint>
#include <span>
#include <vector>

#include "ricochet/math/expression/graph.hpp"

namespace ricochet {

class Tape {
 public:
  Tape() = default;
  /// Variables of the outputs have indices below `inputs`.
  Tape(const Graph& graph, std::span<const NodeId> outputs, int inputs);

  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  std::size_t work_size() const { return work_size_; }

  /// Writes the constants, also those among the outputs. Once for each work array.
  void prepare(double* work) const;
  /// Pure function of the inputs, given a prepared work array; allocates nothing.
  void evaluate(const double* in, double* out, double* work) const;

  /// The same without copies: write the inputs to input(work), call run, read output(work). Constant outputs stand
  /// there since prepare.
  void run(double* work) const;
  double* input(double* work) const { return work; }
  double* output(double* work) const { return work + inputs_; }

  int operations() const { return operations_; }      ///< floating-point operations and function calls
  int instructions() const { return instructions_; }  ///< dispatched

  union Word {
    const void* label;
    std::uint32_t slot[2];
  };

 private:
  std::vector<Word> code_;
  std::vector<double> constants_;
  struct Preset {
    std::size_t slot;
    double value;
  };
  std::vector<Preset> presets_;  ///< constant outputs
  int inputs_ = 0, outputs_ = 0, operations_ = 0, instructions_ = 0;
  int first_used_ = 0, last_used_ = 0;  ///< range of inputs that are read
  std::size_t work_size_ = 0;
};

}  // namespace ricochet
