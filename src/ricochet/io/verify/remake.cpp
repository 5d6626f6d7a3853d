#include "ricochet/io/verify/remake.hpp"

#include <numeric>
#include <optional>

#include "ricochet/io/result/recorder.hpp"

namespace ricochet {
namespace {

constexpr double kNoClock = 1e9;  // flushes are for the sake of memory alone

/// How far the recorded run went.
struct Extent {
  bool ended = true;           ///< by itself: finished or failed
  bool closed = true;          ///< it has a summary
  std::int64_t steps = 0;      ///< accepted, parts of steps of the grid too
  std::int64_t grid_step = 0;  ///< at which its checkpoint stands
};

Extent extent_of(const Results& results) {
  Extent out;
  out.closed = results.status() != "running";
  out.ended = out.closed && results.status() != name(RunStatus::interrupted);
  for (RowReader rows(results, {{"steps", NamedColumn::Kind::number, results.layout().steps}}); rows.next();)
    out.steps += static_cast<std::int64_t>(rows.row().numbers[results.layout().steps]);
  if (!results.root().has("checkpoint/integers")) return out;
  const auto whole = results.root().dataset("checkpoint/integers").integers(0, 3);  // rows, pending, step
  if (whole.size() < 3) return out;
  out.grid_step = whole[2];
  if (!out.closed) out.steps += whole[1];
  return out;
}

class Again final : public Observer {
 public:
  Again(Recorder& recorder, const Extent& extent, const RunState& start)
      : recorder_(recorder), extent_(extent), summary_(start.summary) {}
  void step(const State& before, const State& after, const StepReport& report) override {
    beyond_ = steps_ >= extent_.steps;
    if (beyond_) return;
    ++steps_;
    accumulate(report, summary_);
    recorder_.step(before, after, report);
  }
  bool grid_step(const RunState& run) override {
    if (beyond_) return false;
    summary_ = run.summary;
    recorder_.grid_step(run);
    return extent_.ended || steps_ < extent_.steps;
  }
  void tail(const RunState& run) override {
    if (!beyond_) recorder_.tail(run);
  }
  bool beyond() const { return beyond_; }
  const Summary& summary() const { return summary_; }

 private:
  Recorder& recorder_;
  const Extent& extent_;
  Summary summary_;
  std::int64_t steps_ = 0;
  bool beyond_ = false;
};

/// Interrupted inside a step: how much of it had been tried, the rows do not say.
void forget_attempts(const Summary& summary, Remade& out) {
  for (const char* key : {"solves", "retries", "accepted", "rejected", "floor_hits", "rehearsals", "rehearsal_solves",
                          "step_smallest", "step_largest", "error_estimate", "error_doubt"})
    out.unknown.insert(std::string("/summary/") + key);
  for (const auto& [key, value] : numbers_of(summary).integers)
    if (key.starts_with("attempts-")) out.unknown.insert("/summary/" + key);
  out.sentence = "How much was tried in the step in which the run was interrupted.";
}

}  // namespace

Remade remake(const Results& results, const Scenario& scenario) {
  const auto scheme = make_scheme(scenario.scheme, scenario.options);
  const Extent extent = extent_of(results);
  RunState run = begin_run(scenario.model, *scheme, scenario.initial);
  Remade out{h5::File::scratch()};
  Recorder recorder(out.file, header_of(scenario), scenario.model, run,
                    {.flush_seconds = kNoClock, .checkpoint_at = extent.grid_step});
  if (!extent.ended && extent.steps == 0) {  // it may have been interrupted in its rehearsals
    if (!extent.closed) return out;
    recorder.stop(run.summary);
    out.unknown = {"/summary", "/checkpoint"};
    out.sentence = "The run was interrupted in its first step: summary and checkpoint.";
    return out;
  }
  Again again(recorder, extent, run);
  const RunResult result = ricochet::run(scenario.model, *scheme, run, scenario.policy, &again);
  if (!extent.closed) return out;
  if (!again.beyond() && (extent.ended || run.step == extent.grid_step)) {
    recorder.finish(run, result);
    return out;
  }
  recorder.stop(again.summary());
  if (!extent.ended) forget_attempts(again.summary(), out);
  return out;
}

h5::File remake_beginning(const Scenario& scenario) {
  const auto scheme = make_scheme(scenario.scheme, scenario.options);
  h5::File out = h5::File::scratch();
  const RunState run = begin_run(scenario.model, *scheme, scenario.initial);
  const Recorder recorder(out, header_of(scenario), scenario.model, run, {.flush_seconds = kNoClock});
  return out;
}

}  // namespace ricochet
