#include "soak/loops.hpp"

#include <cstdio>
#include <ctime>
#include <map>

#include "ricochet/io/scenario/scenario.hpp"
#include "support/loop_models.hpp"

namespace ricochet::soak {
namespace {

struct Watch final : Observer {
  double kinetic = 0;
  void step(const State&, const State&, const StepReport& r) override {
    kinetic = std::max({kinetic, r.energy.kinetic, r.energy.kinetic_before});
  }
};

struct Sums {
  int systems = 0, rank = 0, ended = 0, open = 0, energy = 0;
  double gap = 0, change = 0;
  std::int64_t steps = 0;
  std::clock_t time = 0;
};

}  // namespace

int judge_loops(std::int64_t count, std::uint64_t seed) {
  constexpr double kGap = 1e-10, kEnergy = 0.05;  // of the length; of the largest kinetic energy
  std::map<std::string, Sums> kinds;
  int bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    const test::LoopModel m = test::random_loop(random);
    const double h = random.pick({5e-3, 1e-3, 1e-4});
    Sums& sums = kinds[m.name.substr(0, m.name.find(' '))];
    const std::clock_t begin = std::clock();
    const Scenario s = read_scenario(
        m.text(), "loop.yaml", {fmt::format("simulation.step={}", h), fmt::format("simulation.until={}", 50 * h)});
    int redundant = 0;
    double allowance = 0;
    if (s.initial.scales->loops)
      for (const Loop& loop : *s.initial.scales->loops)
        redundant += loop.redundant, allowance = std::max(allowance, loop.allowance() * std::max(1.0, 1 / loop.size));
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState end = begin_run(s.model, *scheme, s.initial);
    Watch watch;
    const RunResult result = run(s.model, *scheme, end, s.policy, &watch);
    const Certificate& c = end.summary.certificate;  // angles are joint errors too
    const double size = std::max(1.0, s.initial.scales->length);
    const double gap = std::max(c.joint_position / (kGap * size + allowance), c.joint_position_relative / kGap);
    const double energy = end.summary.energy.kinetic + end.summary.energy.potential - end.summary.energy_initial;
    const double change = std::abs(energy) / watch.kinetic;
    const bool wrong = redundant != m.redundant, ended = result.status != RunStatus::finished, open = !(gap <= 1);
    const bool drifts = !(change <= kEnergy);
    ++sums.systems;
    sums.rank += wrong, sums.ended += ended, sums.open += open, sums.energy += drifts;
    sums.gap = std::max(sums.gap, gap), sums.change = std::max(sums.change, change);
    sums.steps += end.summary.steps;
    sums.time += std::clock() - begin;
    if (!wrong && !ended && !open && !drifts) continue;
    ++bad;
    fmt::print("{}: {}, h = {}: redundant {} of {}, {} at {:.3g} s, gap {:.2g}, energy {:.2g}\n", i, m.name, h,
               redundant, m.redundant, ended ? name(result.failure.status) : "finished", end.state.t, gap, change);
  }
  fmt::print("{:<16} {:>8} {:>6} {:>7} {:>6} {:>7} {:>9} {:>9} {:>8}\n", "kind", "systems", "rank", "stopped", "open",
             "energy", "worst gap", "change", "us/step");
  for (const auto& [kind, k] : kinds)
    fmt::print(
        "{:<16} {:>8} {:>6} {:>7} {:>6} {:>7} {:>9.2g} {:>9.2g} {:>8.0f}\n", kind, k.systems, k.rank, k.ended, k.open,
        k.energy, k.gap, k.change,
        1e6 * static_cast<double>(k.time) / CLOCKS_PER_SEC / static_cast<double>(std::max<std::int64_t>(k.steps, 1)));
  return bad;
}

}  // namespace ricochet::soak
