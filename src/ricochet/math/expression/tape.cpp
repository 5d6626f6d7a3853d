#include "ricochet/math/expression/tape.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "ricochet/math/expression/interpreter.hpp"
#include "ricochet/math/expression/program.hpp"

namespace ricochet {
namespace {

using tape::Emitter;
using tape::Kind;
using tape::Micro;
using tape::MicroOp;
using tape::Program;
using tape::Ref;

/// Operands become slots of the work array; a temporary's slot is free again after its last use.
class Allocator {
 public:
  Allocator(const Program& program, const Emitter& emitter, int inputs, int outputs)
      : program_(program), emitter_(emitter), first_output_(inputs), first_constant_(inputs + outputs) {}

  void assign(std::vector<MicroOp>& code) {
    for (const MicroOp& m : code)
      for (int operand : m.operand)
        if (operand >= 0) constant_slot(operand);
    next_ = first_constant_ + static_cast<int>(constants.size());
    for (std::size_t i = 0; i < code.size(); ++i)
      for (int operand : code[i].operand)
        if (operand >= 0) last_use_[operand] = i;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const auto named = code[i].operand;
      for (int& operand : code[i].operand)
        if (operand >= 0) operand = slot(operand);
      for (int operand : named) release(operand, i);
    }
  }

  int work_size() const { return next_; }
  std::vector<double> constants;
  int first_input = 0, last_input = 0;  ///< range that is read

 private:
  bool is_value(int operand) const { return operand < program_.size(); }

  void constant_slot(int operand) {
    double number = 0;
    if (is_value(operand) && program_[operand].kind == Kind::constant)
      number = program_[operand].number;
    else if (const auto it = emitter_.extra_constants.find(operand); it != emitter_.extra_constants.end())
      number = it->second;
    else
      return;
    const auto same = [&](double c) { return std::bit_cast<std::uint64_t>(c) == std::bit_cast<std::uint64_t>(number); };
    const auto it = std::ranges::find_if(constants, same);
    fixed_[operand] = first_constant_ + static_cast<int>(it - constants.begin());
    if (it == constants.end()) constants.push_back(number);
  }

  int slot(int operand) {
    if (const auto it = fixed_.find(operand); it != fixed_.end()) return it->second;
    if (is_value(operand) && program_[operand].kind == Kind::input) {
      const int index = static_cast<int>(program_[operand].number);
      assert(index < first_output_);
      first_input = last_input == 0 ? index : std::min(first_input, index);
      last_input = std::max(last_input, index + 1);
      return index;
    }
    const int k = operand - program_.size();
    if (k >= 0 && k < first_constant_ - first_output_) return first_output_ + k;
    if (const auto it = temporary_.find(operand); it != temporary_.end()) return it->second;
    int found = next_;
    if (free_.empty()) {
      ++next_;
    } else {
      found = free_.back();
      free_.pop_back();
    }
    temporary_[operand] = found;
    return found;
  }

  void release(int operand, std::size_t i) {
    const auto it = temporary_.find(operand);
    if (it == temporary_.end() || last_use_[operand] != i) return;
    free_.push_back(it->second);
    temporary_.erase(it);
  }

  const Program& program_;
  const Emitter& emitter_;
  int first_output_, first_constant_, next_ = 0;
  std::map<int, int> fixed_, temporary_;
  std::map<int, std::size_t> last_use_;
  std::vector<int> free_;
};

/// The fewest instructions that spell the code: shortest path over positions.
std::vector<const tape::Instruction*> tile(const std::vector<MicroOp>& code,
                                           const std::vector<tape::Instruction>& instructions) {
  std::map<std::vector<Micro>, const tape::Instruction*> by_sequence;
  std::size_t longest = 0;
  for (const tape::Instruction& i : instructions) {
    by_sequence.emplace(i.sequence, &i);
    longest = std::max(longest, i.sequence.size());
  }
  std::vector<int> cost(code.size() + 1, 0);
  std::vector<const tape::Instruction*> choice(code.size(), nullptr);
  for (std::size_t at = code.size(); at-- > 0;) {
    std::vector<Micro> sequence;
    for (std::size_t n = 1; n <= longest && at + n <= code.size(); ++n) {
      sequence.push_back(code[at + n - 1].op);
      const auto it = by_sequence.find(sequence);
      if (it != by_sequence.end() && (choice[at] == nullptr || cost[at + n] + 1 <= cost[at])) {
        choice[at] = it->second;
        cost[at] = cost[at + n] + 1;
      }
    }
    assert(choice[at] != nullptr);
  }
  std::vector<const tape::Instruction*> tiles;
  for (std::size_t at = 0; at < code.size(); at += choice[at]->sequence.size()) tiles.push_back(choice[at]);
  return tiles;
}

int operation_count(Micro m) {
  switch (m) {
    case Micro::load:
    case Micro::store:
    case Micro::halt: return 0;
    case Micro::addmul:
    case Micro::submul:
    case Micro::rsubmul:
    case Micro::sincos: return 2;
    case Micro::sincos2: return 4;
    default: return 1;
  }
}

}  // namespace

Tape::Tape(const Graph& graph, std::span<const NodeId> outputs, int inputs)
    : inputs_(inputs), outputs_(static_cast<int>(outputs.size())) {
  Program program(graph);
  std::vector<Ref> roots;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    roots.push_back(program.lower(outputs[k]));
    if (graph.is_constant(outputs[k]))
      presets_.push_back({static_cast<std::size_t>(inputs) + k, graph.value(outputs[k])});
  }
  program.share();
  Emitter emitter(program, roots);
  std::vector<MicroOp> code = std::move(emitter.code);
  Allocator allocator(program, emitter, inputs_, outputs_);
  allocator.assign(code);
  constants_ = std::move(allocator.constants);
  work_size_ = static_cast<std::size_t>(allocator.work_size());
  first_used_ = allocator.first_input;
  last_used_ = allocator.last_input;

  code.push_back({Micro::halt});
  const auto available = tape::instructions();
  std::size_t at = 0;
  for (const tape::Instruction* tile : tile(code, available)) {
    code_.push_back({.label = tile->label});
    std::size_t written = 0;
    for (Micro m : tile->sequence) {
      for (int k = 0; k < operand_count(m); ++k) {
        if (written % 2 == 0) code_.push_back({.slot = {0, 0}});
        code_.back().slot[written++ % 2] = static_cast<std::uint32_t>(code[at].operand[static_cast<std::size_t>(k)]);
      }
      operations_ += operation_count(m);
      ++at;
    }
    ++instructions_;
  }
}

void Tape::prepare(double* work) const {
  std::fill(work, work + work_size_, 0.0);
  std::copy(constants_.begin(), constants_.end(), work + inputs_ + outputs_);
  for (const Preset& p : presets_) work[p.slot] = p.value;
}

void Tape::run(double* work) const {
  if (!code_.empty()) tape::interpret(code_.data(), work);
}

void Tape::evaluate(const double* in, double* out, double* work) const {
  for (int i = first_used_; i < last_used_; ++i) work[i] = in[i];
  run(work);
  const double* results = work + inputs_;
  for (int i = 0; i < outputs_; ++i) out[i] = results[i];
}

}  // namespace ricochet
