#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/certificate.hpp"
#include "ricochet/scheme/pieces/not_finite.hpp"

namespace ricochet {

#define RICOCHET_SCHEME(entry) SchemeEntry entry();
#include "ricochet/scheme/schemes.def"
#undef RICOCHET_SCHEME

const std::vector<SchemeEntry>& schemes() {
  static const std::vector<SchemeEntry> table = {
#define RICOCHET_SCHEME(entry) entry(),
#include "ricochet/scheme/schemes.def"
#undef RICOCHET_SCHEME
  };
  return table;
}

const SchemeEntry* find_scheme(std::string_view name) {
  for (const SchemeEntry& entry : schemes())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const OptionValues& values) {
  const SchemeEntry* entry = find_scheme(name);
  if (!entry) {
    std::vector<std::string> known;
    for (const SchemeEntry& e : schemes()) known.push_back(e.info.name);
    throw InputError("scheme", fmt::format("unknown scheme '{}'; accepted: {}", name, fmt::join(known, ", ")));
  }
  return entry->make(Options(entry->options, values));
}

namespace {

/// Numbers whose squares are no normal numbers: round-off that dies away from step to step, across the plane of a
/// linkage in space, say. Processors are ten times slower where such numbers meet.
void drop_vanishing(State& next) {
  const auto drop = [](VectorXd& x) {
    for (double& value : x)
      if (std::abs(value) < 0x1p-511 && value != 0) value = 0;  // zeros keep their sign
  };
  drop(next.q);
  drop(next.v);
  for (VectorXd& memory : next.memory) drop(memory);
}

}  // namespace

void Scheme::step(const Model& model, const State& state, double h, State& next, Workspace& w,
                  StepReport& report) const {
  try {
    attempt(model, state, h, next, w, report);
    if (w.sleep.roused()) {
      w.sleep.wake();
      report = StepReport{};
      attempt(model, state, h, next, w, report);
    }
  } catch (...) {
    w.forget(model);
    throw;
  }
  if (report.ok()) certify(info(), tolerance(), {model, state, h, next, w, report});
  constexpr double kOverlooked = 1e-6;  // of the size of what overlaps
  if (report.ok() && !model.constant_candidates() &&
      model.overlooked(state.q, next.q, w.candidates, &w.solver.crew) > kOverlooked)
    report.status = StepStatus::overlooked;
  if (report.ok()) {
    drop_vanishing(next);
    if (w.sleep.possible()) w.sleep.settle(state, h, next, w);
  } else if (may_hide_not_finite(report.status) && not_finite_coordinate(model, state, h, w.model) >= 0) {
    report.status = StepStatus::not_finite;
  }
}

void Scheme::start(const Model&, State& state, Workspace&) const { state.memory.clear(); }

double Scheme::energy(const Model& model, const State& state, double, Workspace& w) const {
  const Energies e = model.energies({state.t, state.q, state.v}, w.model);
  return e.kinetic + e.potential;
}

}  // namespace ricochet
