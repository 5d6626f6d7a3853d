#include "ricochet/solver/solver.hpp"

namespace ricochet {

#define RICOCHET_SOLVER(function) const Solver& function();
#include "ricochet/solver/solvers.def"
#undef RICOCHET_SOLVER

namespace {

const Solver* const* table(int& count) {
  static const Solver* const all[] = {
#define RICOCHET_SOLVER(function) &function(),
#include "ricochet/solver/solvers.def"
#undef RICOCHET_SOLVER
  };
  count = static_cast<int>(std::size(all));
  return all;
}

}  // namespace

const Solver* find_solver(std::string_view name) {
  int count = 0;
  const Solver* const* all = table(count);
  for (int i = 0; i < count; ++i)
    if (all[i]->info().name == name) return all[i];
  return nullptr;
}

std::vector<const Solver*> solvers() {
  int count = 0;
  const Solver* const* all = table(count);
  return {all, all + count};
}

}  // namespace ricochet
