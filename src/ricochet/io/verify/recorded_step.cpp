#include "ricochet/io/verify/recorded_step.hpp"

namespace ricochet {
namespace {

// Bodies have a mass each; nodes of elements share theirs.
OperatorLayout layout_of_mass(const Model& model) {
  OperatorLayout layout = model.layout();
  for (const auto& subsystem : model.subsystems())
    if (subsystem->structure() == Structure::sparse) return layout;
  if (layout.structure == Structure::blocks) layout.structure = Structure::block_diagonal;
  layout.couples.clear();
  return layout;
}

}  // namespace

Inertia::Inertia(const Model& model) : layout_(layout_of_mass(model)), mass_(layout_) {}

void Inertia::evaluate(const Model& model, const State& at, const Jacobian& G, ModelScratch& w) {
  if (!known_ || !model.constancy().mass) {
    mass_.zero();
    model.mass({at.t, at.q, at.v}, 1, mass_, w);
    const double largest = mass_.largest_entry();
    regular_ = mass_.factorise();
    if (!regular_) {
      mass_.zero();
      model.mass({at.t, at.q, at.v}, 1, mass_, w);
      for (int i = 0; i < model.nv(); ++i) mass_.add(i, i, largest);
      mass_.factorise();
    }
    known_ = true;
  }
  mass_.solve(G, response_);
}

void evaluate_row(const Model& model, const std::vector<Candidate>& candidates, EvaluatedRow& at, ModelScratch& w) {
  at.rows.pick.resize(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) at.rows.pick[i] = static_cast<int>(i);
  evaluate(model, at.state.t, at.state.q, candidates, at.rows, w);
  at.U.resize(static_cast<std::size_t>(at.rows.G.rows()));
  at.rows.G.transpose_times(at.state.v, at.U.data());
  for (std::size_t i = 0; i < at.U.size(); ++i) at.U[i] += at.rows.g_t[static_cast<Index>(i)];
}

}  // namespace ricochet
