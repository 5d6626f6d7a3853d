#include "ricochet/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "ricochet/io/error.hpp"
#include "ricochet/io/file/file_lock.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/study/tasks.hpp"

namespace ricochet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundOff = 1e-12;  // SI units; errors below it say nothing of an order

// Distance of a run from the reference and size of the reference, row by row, over the coordinates that count. Columns
// of the run begin at `first`; the reference has `width` numbers in a row.
struct Distances {
  std::vector<double> error, size;
};
Distances distances(const Trajectory& run, std::size_t first, const std::vector<double>& reference, std::size_t width,
                    const std::vector<std::size_t>& chosen) {
  Distances out;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    double error = 0, size = 0;
    for (std::size_t k : chosen) {
      const double exact = reference[row * width + k], d = run.columns[first + k][row] - exact;
      error += d * d;
      size += exact * exact;
    }
    out.error.push_back(std::sqrt(error));
    out.size.push_back(std::sqrt(size));
  }
  return out;
}

// The velocities that count; of the reference, or (columns from `first`) of a run.
FilledGraph part_of(const FilledGraph& g, const std::vector<std::size_t>& chosen) {
  FilledGraph out(static_cast<int>(chosen.size()));
  out.t = g.t;
  for (std::size_t i = 0; i < g.size(); ++i)
    for (std::size_t k : chosen) out.x.push_back(g.at(i)[k]);
  return out;
}
FilledGraph part_of(const Trajectory& run, std::size_t first, const std::vector<std::size_t>& chosen) {
  FilledGraph out(static_cast<int>(chosen.size()));
  out.t = run.t();
  for (std::size_t i = 0; i < run.rows(); ++i)
    for (std::size_t k : chosen) out.x.push_back(run.columns[first + k][i]);
  return out;
}

std::vector<std::size_t> places(const std::vector<std::string>& chosen, const std::vector<std::string>& all) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), all[k]) != chosen.end()) out.push_back(k);
  return out;
}

}  // namespace

const std::array<const char*, kErrors>& error_names() {
  static const std::array<const char*, kErrors> names{"q_l1", "q_l2",  "q_max",      "q_relative", "v_l1",
                                                      "v_l2", "v_max", "v_relative", "v_hausdorff"};
  return names;
}

const std::array<const char*, kErrors>& error_titles() {
  static const std::array<const char*, kErrors> titles{
      "position, L1", "position, L2",      "position, uniform",     "position, relative L1", "velocity, L1",
      "velocity, L2", "velocity, uniform", "velocity, relative L1", "velocity, Hausdorff"};
  return titles;
}

std::vector<double> off_grid_steps(double largest, double smallest, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const double place = i + std::fmod(0.6180339887498949 * (i + 1), 1);
    out.push_back(largest * elementary::pow(smallest / largest, place / count));
  }
  return out;
}

Study::Study(const Scenario& base, std::vector<Variant> variants, StudyOptions options)
    : name_(base.name),
      base_(base),
      variants_(std::move(variants)),
      options_(std::move(options)),
      begin_(base.initial.t),
      until_(base.policy.until) {
  if (options_.steps.empty()) throw InputError("--steps", "there are none; accepted: one or more step sizes");
  for (double h : options_.steps)
    if (!(h > 0) || h > until_ - begin_)
      throw InputError("--steps",
                       fmt::format("{:g} s; accepted: more than 0, at most the span {:g} s", h, until_ - begin_));
  const auto names = base.model.position_names();
  for (const std::string& word : options_.coordinates)
    if (std::find(names.begin(), names.end(), word) == names.end())
      throw InputError("--coordinates", unknown_word("coordinate", word, names));
  q_ = places(options_.coordinates, names);
  v_ = places(base.model.nq() == base.model.nv() ? options_.coordinates : std::vector<std::string>{},
              base.model.velocity_names());
  for (std::size_t k = 0; k < variants_.size(); ++k)
    for (double h : options_.steps) {
      StudyCell cell;
      cell.variant = k;
      cell.step = h;
      if (!variants_[k].refused.empty()) cell.status = "refused";
      cells_.push_back(cell);
    }
  if (options_.resume) load_cells();
}

void Study::compute(StudyCell& cell, const std::atomic<bool>& stop) const {
  const Scenario& s = *variants_[cell.variant].scenario;
  Policy policy = s.policy;
  policy.step = cell.step;
  policy.control = {};
  const Trajectory run = simulate(s, {"q", "v", "h"}, policy, &stop);
  if (run.result.status == RunStatus::interrupted) return;
  const Summary& sums = run.end.summary;
  cell.steps = sums.steps;
  cell.attempts = sums.solves;
  cell.impacts = sums.impacts;
  cell.newton = sums.newton_sum;
  // A run of microseconds says little of its time: the least of several.
  constexpr double kEnough = 0.02;  // s, of all together
  constexpr int kMost = 20;
  cell.seconds = run.thread_seconds;
  double all = run.thread_seconds;
  for (int k = 1; k < kMost && all < kEnough && !stop.load(); ++k) {
    const double again = simulate(s, {"q", "v", "h"}, policy, &stop).thread_seconds;
    cell.seconds = std::min(cell.seconds, again);
    all += again;
  }
  cell.instructions = run.instructions;
  cell.note = failure_line(s, run.result);
  if (!cell.note.empty()) {
    cell.status = "failed";
    return;
  }
  std::vector<double> q, v;
  reference_->follow(run.t(), q, v);
  const auto nq = static_cast<std::size_t>(s.model.nq()), nv = static_cast<std::size_t>(s.model.nv());
  const std::vector<double>& h = run["h"];
  std::size_t at = 0;
  for (const Distances& d : {distances(run, 1, q, nq, q_), distances(run, 1 + nq, v, nv, v_)}) {
    cell.errors[at++] = grid_norm(h, d.error, 1);
    cell.errors[at++] = grid_norm(h, d.error, 2);
    cell.errors[at++] = grid_norm(h, d.error, kInfinity);
    cell.errors[at++] = relative_l1(d.error, d.size);
  }
  try {
    cell.errors[at] =
        hausdorff(part_of(run, 1 + nq, v_), part_of(reference_->velocity_graph(), v_), options_.scales).distance;
  } catch (const InputError&) {
    cell.errors[at] = kInfinity;  // a run that left the range of numbers
  }
  cell.status = "finished";
}

bool Study::run(std::atomic<bool>& stop, const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < cells_.size(); ++k)
    if (!cells_[k].done()) open.push_back(k);
  if (!open.empty()) {
    reference_ = make_reference(base_, {.kind = options_.reference,
                                        .step = options_.reference_step,
                                        .smallest = *std::min_element(options_.steps.begin(), options_.steps.end()),
                                        .stop = &stop});
    if (!reference_text_.empty() && reference_text_ != reference_->what())
      throw InputError(options_.cells.string(),
                       fmt::format("its cells were compared with another reference, {}; accepted: "
                                   "without --resume",
                                   reference_text_));
    reference_text_ = reference_->what();
  }
  std::unique_ptr<WriterLock> table;
  if (!options_.cells.empty()) {
    refuse_second_writer(options_.cells.string());
    write_cells();
    table = std::make_unique<WriterLock>(options_.cells.string());
  }
  // The longest first: the last ones to end are short.
  std::stable_sort(open.begin(), open.end(),
                   [&](std::size_t a, std::size_t b) { return cells_[a].step < cells_[b].step; });
  std::mutex guard;
  std::size_t done = 0;
  run_tasks({.count = open.size(),
             .threads = options_.threads,
             .task =
                 [&](std::size_t k) {
                   StudyCell cell = cells_[open[k]];
                   try {
                     compute(cell, stop);
                   } catch (const std::exception&) {
                     if (!stop.load()) throw;
                   }
                   const std::lock_guard lock(guard);
                   if (!cell.done()) return;
                   cells_[open[k]] = cell;
                   ++done;
                   if (!options_.cells.empty() && !append(cell))
                     throw OutputError(options_.cells.string() + ": cannot be written any more");
                 },
             .watch =
                 [&] {
                   const std::lock_guard lock(guard);
                   if (progress) progress(cells_.size() - open.size() + done, cells_.size());
                 },
             .stop = [&] { return stop.load(); }});
  if (!options_.cells.empty()) write_cells();
  return done == open.size();
}

std::vector<const StudyCell*> Study::finished(std::size_t variant) const {
  std::vector<const StudyCell*> out;
  for (const StudyCell& c : cells_)
    if (c.variant == variant && c.finished()) out.push_back(&c);
  return out;
}

OrderFit Study::order(std::size_t variant, std::size_t error) const {
  std::vector<double> h, e;
  for (const StudyCell* c : finished(variant)) {
    if (c->errors[error] < kRoundOff) continue;
    h.push_back(c->step);
    e.push_back(c->errors[error]);
  }
  return fit_order(h, e);
}

bool Study::has_impacts() const {
  return std::any_of(cells_.begin(), cells_.end(), [](const StudyCell& c) { return c.impacts > 0; });
}

int Study::declared_order(std::size_t variant) const {
  if (!variants_[variant].scenario) return 0;
  const Scenario& s = *variants_[variant].scenario;
  const SchemeInfo info = make_scheme(s.scheme, s.options)->info();
  if (info.error_controlled) return 0;
  return has_impacts() ? info.impact_order : info.smooth_order;
}

}  // namespace ricochet
