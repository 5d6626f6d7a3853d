#pragma once
// What becomes of the formulas of a FormulaBuilder: a subsystem and a constraint set. Everything is kept by its
// structural nonzeros, found from the variables that occur in a node, so that a chain of n coordinates costs of the
// order n in operations, outputs and memory.
#include <memory>
#include <string>
#include <vector>

#include "ricochet/math/expression/parametric_tape.hpp"
#include "ricochet/model/force.hpp"
#include "ricochet/model/formulas.hpp"

namespace ricochet::formula {

// Variables of every graph: q at 0, v at kMost, t at 2 kMost, then the extra vector (accelerations) of the tangent
// tape. Indices are fixed before the number of coordinates is known; tapes see them renumbered to q, v, t, extra
// without gaps.
inline constexpr int kMost = 1000;
inline constexpr int kTime = 2 * kMost, kExtra = 2 * kMost + 1;
/// And parameters, beyond all others: tapes keep them apart.
inline constexpr int kParameter = 1 << 20;

/// Coordinates up to which operators and constraint gradients are dense: nothing is gained by lists of nonzeros.
inline constexpr int kDense = 48;

/// A tape with its work array and the inputs of its last run.
class Cached {
 public:
  Cached(const ParametricTape& tape, std::span<const double> parameters) : tape_(&tape), work_(tape.work_size()) {
    tape.prepare(work_.data(), parameters);
  }

  /// Outputs at (q, v, t, extra); run only if the inputs changed by a bit.
  const double* operator()(ConstView q, ConstView v, double t, ConstView extra = {}) {
    double* in_q = tape_->input(work_.data());
    double* in_v = in_q + q.size();
    double* in_t = in_v + v.size();
    const bool same = fresh_ && same_bits(q, {in_q, q.size()}) && same_bits(v, {in_v, v.size()}) &&
                      same_bits(t, *in_t) && same_bits(extra, {in_t + 1, extra.size()});
    if (!same) {
      copy(q, in_q);
      copy(v, in_v);
      *in_t = t;
      copy(extra, in_t + 1);
      tape_->run(work_.data());
      fresh_ = true;
    }
    return tape_->output(work_.data());
  }

 private:
  const ParametricTape* tape_;
  std::vector<double> work_;
  bool fresh_ = false;
};

/// Renumbers variables to n positions, as many velocities (or none), the time, extra ones, and compiles.
ParametricTape compile(Graph& graph, std::vector<NodeId> outputs, int n, int velocities, int extra);

/// Variables from `first` to first + kMost that occur in the node, as coordinates, ascending.
std::vector<int> occurring(const Graph& graph, NodeId node, int first);

/// All are numbers, or formulas of parameters alone.
bool all_constant(const Graph& graph, const std::vector<NodeId>& nodes);

/// The node at v = 0.
NodeId at_rest(Graph& graph, NodeId node);

struct Energy {
  NodeId T, V;
  std::vector<NodeId> forces;
};

// What formulas come to is compiled once, whatever their parameters are, and shared by all models that have it.
struct CompiledSubsystem;
struct CompiledConstraints;
std::shared_ptr<const CompiledSubsystem> compile_subsystem(Graph& graph, const std::vector<std::string>& names,
                                                           const Energy& energy);
std::shared_ptr<const CompiledConstraints> compile_constraints(Graph& graph,
                                                               const std::vector<FormulaBuilder::Item>& items, int n);

std::unique_ptr<Subsystem> make_subsystem(std::shared_ptr<const CompiledSubsystem> compiled,
                                          std::vector<std::string> names, std::vector<double> parameters,
                                          FormulaMounts mounts);
std::unique_ptr<ConstraintSet> make_constraints(std::shared_ptr<const CompiledConstraints> compiled,
                                                std::vector<FormulaBuilder::Item> items, std::vector<double> parameters,
                                                int first_q, int first_v);
/// Forces without a mass, over the first coordinates of a model.
std::unique_ptr<ForceSet> make_forces(Graph& graph, const std::vector<std::string>& coordinates,
                                      std::vector<std::string> names, const Energy& energy,
                                      std::vector<double> parameters);

}  // namespace ricochet::formula
