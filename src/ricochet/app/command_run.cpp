// ricochet run: scenario in, results and summary out.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>

#include "ricochet/app/browser.hpp"
#include "ricochet/app/command.hpp"
#include "ricochet/app/interruption.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/app/variants.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/problem/dump.hpp"
#include "ricochet/io/result/expectation_watch.hpp"
#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/view/live.hpp"
#include "ricochet/view/page.hpp"
#include "ricochet/view/result_view.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct RunSettings {
  std::string scenario, output, scheme, resume, report;
  std::string dump, dump_to, dump_form = "cones";
  std::string step, tolerance, until;
  std::vector<std::string> set;
  bool json = false, no_output = false, view = false, no_open = false;
  std::int64_t checkpoint_every = 0, record_every = -1;  // negative: as the scenario says
  int threads = 1;
};

// Hands the steps on, and keeps what the end of the run is told from, also where that comes inside a step and from
// another thread.
class Watch final : public Observer {
 public:
  Watch(Recorder* recorder, Progress& progress, ProblemDump* dump, view::LiveRun* live, ExpectationWatch* expected,
        const RunState& start)
      : recorder_(recorder),
        progress_(progress),
        dump_(dump),
        live_(live),
        expected_(expected),
        t_(start.state.t),
        summary_(start.summary) {}
  void step(const State& before, const State& after, const StepReport& report) override {
    const std::lock_guard hold(mutex_);
    ++steps_;
    t_ = after.t;
    accumulate(report, summary_);
    if (recorder_ != nullptr) recorder_->step(before, after, report);
    if (dump_ != nullptr) dump_->step_done(after.t);
    if (live_ != nullptr) live_->step(after, report);
    if (expected_ != nullptr) expected_->step(before, after, report);
  }
  void tail(const RunState& run) override {
    const std::lock_guard hold(mutex_);
    if (recorder_ != nullptr) recorder_->tail(run);
  }
  bool rehearsing(double t) override {
    progress_.show(t, 0);
    return !stop_requested();
  }
  bool grid_step(const RunState& run) override {
    const std::lock_guard hold(mutex_);
    summary_ = run.summary;
    if (recorder_ != nullptr) recorder_->grid_step(run);
    progress_.show(run.state.t, steps_);
    return !stop_requested();
  }
  void finish(const RunState& run, const RunResult& result) {
    const std::lock_guard hold(mutex_);
    finished_ = true;
    if (recorder_ != nullptr) recorder_->finish(run, result);
  }
  /// From another thread, inside a step: what was accepted so far goes into the file. Nothing may follow, the lock is
  /// kept. False: the run has ended meanwhile.
  bool give_up(RunState& end) {
    std::unique_lock hold(mutex_);
    if (finished_) return false;
    hold.release();
    end.state.t = t_;
    end.summary = summary_;
    if (recorder_ != nullptr) recorder_->stop(summary_);
    return true;
  }
  std::int64_t steps() const { return steps_; }

 private:
  Recorder* recorder_;
  Progress& progress_;
  ProblemDump* dump_;
  view::LiveRun* live_;
  ExpectationWatch* expected_;
  std::mutex mutex_;
  double t_;
  Summary summary_;
  std::int64_t steps_ = 0;
  bool finished_ = false;
};

std::vector<std::string> overrides(const RunSettings& a) {
  std::vector<std::string> out = a.set;
  if (!a.scheme.empty()) out.push_back("--scheme simulation.scheme=" + scheme_value(a.scheme));
  if (!a.tolerance.empty()) {
    if (!a.step.empty() && a.step != "auto")
      throw InputError("--tolerance",
                       "with it the program chooses the steps; accepted beside it: --step auto, or no --step");
    out.push_back("--tolerance simulation.step={control: auto, tolerance: " + a.tolerance + "}");
  } else if (!a.step.empty()) {
    out.push_back("--step simulation.step=" + a.step);
  }
  if (a.record_every >= 0) out.push_back(fmt::format("--record-every simulation.record.every={}", a.record_every));
  if (!a.until.empty()) out.push_back("--until simulation.until=" + a.until);
  return out;
}

std::string default_output(const Scenario& s) {
  std::string stem = s.source.empty() ? s.name : fs::path(s.source).stem().string();
  for (char& c : stem)
    if (c == '/' || c == ' ') c = '-';
  return (stem.empty() ? "result" : stem) + ".h5";
}

/// Bytes of a row before it is compressed, with the contacts that bodies which meet may have: those that are near at
/// the beginning, or three a body, if that is more.
double row_bytes(const Scenario& s, const RecordChoice& record) {
  const ResultLayout layout = layout_of(s.model, record);
  const double numbers = 8.0 * static_cast<double>(layout.width());
  if (!layout.has_contacts() || s.model.nameless_rows() == 0) return numbers;
  std::vector<Candidate> near;
  s.model.candidates({s.initial.t, s.initial.q, s.initial.v}, 0, near);
  std::size_t contact = 0;
  for (const ContactColumn& c : layout.contact_columns())
    contact += c.width * (c.numbers != nullptr ? sizeof(double) : static_cast<std::size_t>(c.integer_bytes));
  return numbers + static_cast<double>(contact * std::max(near.size(), 3 * s.model.body_names().size()));
}

// A file that fills the disk is no result: how large it may become is told if it is much, and refused if it is more
// than there is room for.
void check_size(const Scenario& s, const RunState& start, const std::string& output) {
  if (s.record.every == 0 || s.policy.control.kind != Control::fixed) return;
  const double steps = std::ceil((s.policy.until - start.state.t) / s.policy.step);
  const auto bytes_of = [&](const RecordChoice& record) {
    return steps / static_cast<double>(record.every) * row_bytes(s, record);
  };
  const double bytes = bytes_of(s.record);
  constexpr double kLimit = 16e9, kTold = 0.25e9, kRoom = 0.9;  // the last of what is free
  std::error_code unknown;
  const fs::space_info space = fs::space(fs::absolute(output).parent_path(), unknown);
  const double free = unknown ? kLimit : kRoom * static_cast<double>(space.available), most = std::min(kLimit, free);
  if (bytes <= most) {
    if (bytes > kTold)
      fmt::print(stderr, "Results: up to {:.3g} GB{}\n", bytes / 1e9,
                 unknown ? "" : fmt::format(", {:.3g} GB are free", static_cast<double>(space.available) / 1e9));
    return;
  }
  std::vector<std::string> accepted;
  for (const ContactDetail detail : {ContactDetail::forces, ContactDetail::none})
    if (detail < s.record.contacts && bytes_of({s.record.every, detail}) <= most && accepted.empty())
      accepted.push_back(fmt::format("with --set simulation.record.contacts={}", name(detail)));
  const double fewer = std::ceil(static_cast<double>(s.record.every) * bytes / std::max(most, 1.0));
  if (fewer < steps) accepted.push_back(fmt::format("with --record-every {}", static_cast<std::int64_t>(fewer)));
  accepted.emplace_back("with --no-output");
  throw InputError(
      "--record-every",
      fmt::format("the results would take about {:.3g} GB; accepted: up to {:.3g} GB{}, {}", bytes / 1e9, most / 1e9,
                  free < kLimit ? ", as much as is free there" : "", fmt::join(accepted, ", or ")));
}

// Before the run: a report that cannot be written afterwards, or that would take the results' place.
void check_report(const std::string& report, const std::string& output) {
  if (report.empty()) return;
  check_output(report);
  if (fs::weakly_canonical(fs::absolute(report)) == fs::weakly_canonical(fs::absolute(output)))
    throw InputError("--report", fmt::format("{} holds the results; accepted: another name for the report", output));
}

struct Job {
  Scenario scenario;
  std::unique_ptr<Scheme> scheme;
  RunState run;
  std::unique_ptr<Recorder> recorder;
  std::string output;
};

Job new_job(const RunSettings& a) {
  if (a.scenario.empty())
    throw InputError("", "no scenario is given; accepted: 'ricochet run SCENARIO' or 'ricochet run --resume FILE'");
  Job job{load_scenario(a.scenario, overrides(a)), nullptr, {}, nullptr, ""};
  job.scheme = make_scheme(job.scenario.scheme, job.scenario.options);
  job.run = begin_run(job.scenario.model, *job.scheme, job.scenario.initial);
  if (a.no_output) return job;
  job.output = a.output.empty() ? default_output(job.scenario) : a.output;
  check_output(job.output);
  check_size(job.scenario, job.run, job.output);
  std::error_code ignored;
  if (fs::exists(a.scenario, ignored) && fs::equivalent(a.scenario, job.output, ignored))
    throw InputError(job.output, "this is the scenario itself; accepted: another name for the results");
  check_report(a.report, job.output);
  job.recorder = std::make_unique<Recorder>(job.output, header_of(job.scenario), job.scenario.model, job.run,
                                            RecorderOptions{a.checkpoint_every, 1});
  return job;
}

Job resumed_job(const RunSettings& a) {
  if (!a.scenario.empty() || !a.scheme.empty() || !a.step.empty() || !a.tolerance.empty() || !a.set.empty() ||
      !a.output.empty() || a.no_output || a.record_every >= 0)
    throw InputError("--resume",
                     "the scenario, its settings and the file are those of the run; accepted beside it: "
                     "--until, --checkpoint-every, --json");
  check_report(a.report, a.resume);
  std::string text;
  Checkpoint checkpoint;
  {
    const Results old(a.resume);
    text = old.header().text;
    if (!old.root().has("checkpoint"))
      throw InputError(a.resume, "the file holds no checkpoint; accepted: a result file of 'ricochet run'");
    checkpoint = load_checkpoint(old.root().group("checkpoint"));
  }
  Job job{read_scenario(text, a.resume + ":scenario", overrides(a)), nullptr, {}, nullptr, a.resume};
  const Model& model = job.scenario.model;
  const State &kept = checkpoint.run.state, &initial = job.scenario.initial;
  const bool scaled = kept.scales && kept.scales->coordinate.size() == initial.scales->coordinate.size() &&
                      kept.scales->row.size() == initial.scales->row.size();
  if (kept.q.size() != model.nq() || kept.v.size() != model.nv() || !scaled)
    throw InputError(a.resume,
                     "the checkpoint does not fit the scenario in the file; accepted: a file as the program wrote it");
  job.scheme = make_scheme(job.scenario.scheme, job.scenario.options);
  job.run = checkpoint.run;
  auto scales = std::make_shared<Scales>(*kept.scales);
  scales->loops = initial.scales->loops;
  job.run.state.scales = std::move(scales);
  const Policy& policy = job.scenario.policy;
  if (policy.until < job.run.state.t - 0.5 * policy.step)
    throw InputError(a.resume,
                     fmt::format("the run is at t = {:g} s already; accepted: --until at least that", job.run.state.t));
  job.recorder = std::make_unique<Recorder>(a.resume, header_of(job.scenario), model, checkpoint,
                                            RecorderOptions{a.checkpoint_every, 1});
  return job;
}

int interrupted(const RunOutcome& outcome) {
  fmt::print(stderr, "ricochet: interrupted at t = {:g} s{}\n", outcome.run->state.t,
             outcome.output.empty() ? "" : "; to go on: ricochet run --resume " + outcome.output);
  return 128 + stop_signal();
}

void print_summary(const RunSettings& a, const RunOutcome& outcome, const ProblemDump* dump) {
  fmt::print("{}{}", a.json ? summary_json(outcome) : summary_text(outcome), a.json ? "\n" : "");
  if (dump != nullptr && !a.json)
    fmt::print("Problems: {} written{}\n", dump->written(),
               dump->skipped() > 0 ? fmt::format(", {} left out (another form, or too many)", dump->skipped()) : "");
  std::fflush(stdout);
}

/// A page that shows the run while it goes on, and its results afterwards.
class Onlookers {
 public:
  Onlookers(const Scenario& scenario, const RunState& start, bool open)
      : live_(std::make_shared<view::LiveRun>(scenario, start)), server_(live_, {}), open_(open) {
    fmt::print(stderr, "View: {}\n", server_.address());
    if (open_) open_in_browser(server_.address());
  }
  view::LiveRun* live() { return live_.get(); }
  /// The run has ended; the file, if there is one, is closed.
  void show_results(const std::string& file) {
    if (!file.empty()) server_.show(std::make_shared<view::FileSource>(std::vector<std::string>{file}));
    live_->finish();
    if (!stop_requested()) serve_until_interrupted(server_, false);
  }

 private:
  std::shared_ptr<view::LiveRun> live_;
  view::Server server_;
  bool open_;
};

int simulate(const RunSettings& a) {
  if (const std::string missing = a.view ? view::missing_page() : ""; !missing.empty())
    throw InputError("--view", missing);
  if (!a.report.empty() && a.no_output)
    throw InputError("--report", "a report is made from the results; accepted: without --no-output");
  const DumpRule rule = parse_dump_rule(a.dump.empty() ? "all" : a.dump);
  check_dump_form(a.dump_form);
  Job job = a.resume.empty() ? new_job(a) : resumed_job(a);
  const Scenario& s = job.scenario;
  RunResult result;
  Progress progress(!a.json, job.run.state.t, s.policy.until);
  std::unique_ptr<ProblemDump> dump;
  if (!a.dump.empty()) {
    const std::string stem = fs::path(default_output(s)).stem().string();
    dump = std::make_unique<ProblemDump>(rule, a.dump_to.empty() ? stem + "-problems" : a.dump_to, a.dump_form);
  }
  const TapScope tap(dump.get());
  std::unique_ptr<Onlookers> onlookers;
  if (a.view) onlookers = std::make_unique<Onlookers>(s, job.run, !a.no_open);
  std::optional<ExpectationWatch> expected;  // of a whole run: what a resumed one did before is not known
  if (a.resume.empty()) expected.emplace(s).start(job.run);
  Watch watch(job.recorder.get(), progress, dump.get(), onlookers ? onlookers->live() : nullptr,
              expected ? &*expected : nullptr, job.run);
  Policy policy = s.policy;
  policy.threads = a.threads;
  policy.stop = &stop_requested();
  const auto started = std::chrono::steady_clock::now();
  const auto outcome = [&](const RunState& end, const RunResult& how) {
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return RunOutcome{&s, &end, &how, job.output, wall, watch.steps(), a.threads, {}};
  };
  auto interruption = std::make_unique<Interruption>([&]() -> std::optional<int> {
    RunState end;
    if (!watch.give_up(end)) return {};
    RunResult how;
    how.status = RunStatus::interrupted;
    progress.clear();
    print_summary(a, outcome(end, how), dump.get());
    return interrupted(outcome(end, how));
  });
  RunOutcome told;
  try {
    result = run(s.model, *job.scheme, job.run, policy, &watch);
    told = outcome(job.run, result);
    if (expected && result.status != RunStatus::failed && result.status != RunStatus::interrupted)
      told.judgements = expected->judgements();
    watch.finish(job.run, result);
  } catch (const std::exception& error) {
    // The disk, most likely: what was flushed stays.
    progress.clear();
    fmt::print(stderr, "ricochet: {}\n", one_line(error.what()));
    return kFailed;
  }
  if (!onlookers) interruption.reset();
  progress.clear();
  print_summary(a, told, dump.get());
  if (!a.report.empty()) {
    job.recorder.reset();
    write_report(job.output, a.report);
    if (!a.json) fmt::print("Report:  {}\n", a.report);
  }
  if (onlookers) {
    job.recorder.reset();
    onlookers->show_results(job.output);
  }
  if (result.status == RunStatus::interrupted) return interrupted(told);
  if (result.status == RunStatus::uncertified) return kUncertified;
  if (result.status != RunStatus::failed) return kDone;
  const auto lines = failure_lines(told);
  for (std::size_t k = 0; k < lines.size(); ++k) fmt::print(stderr, "{}{}\n", k == 0 ? "ricochet: " : "  ", lines[k]);
  return kFailed;
}

}  // namespace

std::function<int()> declare_run(Arguments& arguments) {
  auto a = std::make_shared<RunSettings>();
  arguments.option("scenario", a->scenario, "a file, or the name of a shipped scenario");
  arguments.option("-o,--output", a->output, "result file (HDF5); NAME.h5 in this folder if left out");
  arguments.flag("--no-output", a->no_output, "summary only, no result file");
  arguments.option("--report", a->report, "also write the page of 'ricochet report' to this file");
  arguments.flag("--view", a->view, "show the run in the browser while it goes on, and its results until Ctrl-C");
  arguments.flag("--no-open", a->no_open, "with --view: print the address and open no browser");
  arguments.option("--scheme", a->scheme, "name, or name:option=value,option=value");
  arguments.option("--step", a->step, "step size in seconds; auto: chosen for a tolerance");
  arguments.option("--tolerance", a->tolerance, "error of the positions asked for; the program chooses the steps");
  arguments.option("--until", a->until, "final time in seconds");
  arguments.option("--set", a->set, "path=value: another value in the scenario; repeatable").one_at_a_time();
  arguments.flag("--json", a->json, "the summary as JSON on stdout, nothing else there");
  arguments.option("--record-every", a->record_every, "steps per recorded row; 0: start and end only")
      .check(whole_number(0, 1'000'000'000'000'000));
  arguments
      .option("--checkpoint-every", a->checkpoint_every,
              "also save every N steps; without it the run is saved once a second")
      .check(whole_number(0, 1'000'000'000'000'000));
  arguments.option("--dump-problems", a->dump,
                   "keep contact problems as files for 'ricochet solve': all, failed, every=N, steps=A:B, time=A:B, "
                   "contacts=N, joined by commas");
  arguments.option("--dump-to", a->dump_to, "their folder; NAME-problems if left out");
  arguments.option("--dump-form", a->dump_form, "cones (default), hdf5 (FCLIB), fc3d, fc2d, lcp, dat");
  arguments.option("--threads", a->threads, "that may share the work of a step; the result is the same, bit for bit")
      .check(whole_number(1, 256));
  arguments.option("--resume", a->resume, "go on with the run of this result file; --until may be later");
  return [a] { return simulate(*a); };
}

}  // namespace ricochet::app
