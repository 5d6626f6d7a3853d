#include "simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "signals.hpp"
#include "unlocked.hpp"

namespace ricochet::python {

/// One caller at a time: another thread, or a function that the run itself calls, is refused.
class Simulation::Turn {
 public:
  explicit Turn(Simulation& s) : s_(s) {
    if (s_.busy_.exchange(true)) throw std::runtime_error("the simulation is running; accepted: one call at a time");
    s_.runs_in_ = std::this_thread::get_id();
  }
  ~Turn() { s_.busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Simulation& s_;
};

Simulation::Simulation(std::shared_ptr<const Case> from, std::optional<std::int64_t> record_every, int threads,
                       std::shared_ptr<const VectorXd> forces)
    : from_(std::move(from)),
      scheme_(make_scheme(from_->scenario.scheme, from_->scenario.options)),
      policy_(from_->scenario.policy),
      header_(header_of(from_->scenario)),
      forces_(std::move(forces)) {
  if (record_every) header_.record.every = *record_every;
  policy_.threads = threads;
  policy_.stop = &stop_;
  end_ = policy_.until;
  run_ = begin_run(from_->scenario.model, *scheme_, from_->scenario.initial);
  record_.emplace(from_->scenario.model, header_, run_);
  layout_ = std::make_shared<const ResultLayout>(record_->layout());
}

Stepper& Simulation::stepper() {
  if (!stepper_) {
    if (!std::isfinite(policy_.until) && policy_.control.kind != Control::fixed)
      throw InputError("until", "a step control needs to know the end; accepted: a time");
    stepper_ = std::make_unique<Stepper>(from_->scenario.model, *scheme_, run_, policy_, this);
  }
  return *stepper_;
}

const RunState& Simulation::state() const {
  if (busy_ && runs_in_.load() != std::this_thread::get_id())
    throw std::runtime_error("the simulation is running in another thread; accepted: its time, and stop()");
  return run_;
}

void Simulation::set_until(double until) {
  const Turn turn(*this);
  aim(until);
  end_ = until;
}

void Simulation::aim(double until) {
  constexpr double kSliver = 1e-6;  // of a step, as for the grid: a sum of steps may be above its end by a rounding
  if (until == policy_.until) return;
  if (std::isnan(until) || until < run_.state.t - kSliver * policy_.step)
    throw InputError("until", fmt::format("{} is before the present time; accepted: until >= {}", until, run_.state.t));
  policy_.until = header_.until = until;
  stepper_.reset();
}

// Between two steps: what must begin anew is let go.
void Simulation::settle() {
  const bool off_grid = short_step_ || outcome_.inside || outcome_.status == RunStatus::failed;
  if (outcome_.status != RunStatus::finished || short_step_) stepper_.reset();
  if (off_grid && policy_.control.kind == Control::fixed) {
    run_.t_begin = run_.state.t;
    run_.step = 0;
  }
  if (short_step_) tail_.reset();
  short_step_ = false;
  stop_ = false;
  outcome_ = {};
}

// Somebody may have acted since the last step: what was evaluated with other forces does not hold.
void Simulation::notice_changes() {
  const bool changed = forces_ && !same_bits(*forces_, forces_seen_);
  if (changed) forces_seen_ = *forces_;
  if (stepper_ && (changed || from_->callbacks)) stepper_->forget();
}

// True: a step was made. False: the end is reached, or outcome_ says what happened.
bool Simulation::advance() {
  try {
    if (stepper().advance()) return true;
  } catch (...) {
    // A function of the user's: the state is that before the step.
    stepper_.reset();
    throw;
  }
  outcome_ = stepper_->result();
  return false;
}

void Simulation::run(std::optional<double> until, py::object progress) {
  const Turn turn(*this);
  aim(until.value_or(end_));
  end_ = std::max(end_, policy_.until);
  settle();
  notice_changes();
  progress_ = std::move(progress);
  trouble_.reset();
  watched_ = true;
  stride_ = until_look_ = 1;
  const auto started = looked_ = Clock::now();
  const Signals signals(stop_);
  main_thread_ = signals.in_main_thread();
  const auto finish = [&] {
    watched_ = false;
    progress_ = py::none();
    wall_ += std::chrono::duration<double>(Clock::now() - started).count();
    record_->close();
  };
  try {
    const Unlocked unlocked(&stop_);
    while (advance()) {
    }
  } catch (...) {
    finish();
    throw;
  }
  finish();
  if (trouble_) {
    const py::error_already_set thrown = *trouble_;
    trouble_.reset();
    throw thrown;
  }
  if (stop_ && main_thread_ && PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::optional<Step> Simulation::step() {
  const Turn turn(*this);
  aim(end_);
  if (outcome_.status != RunStatus::finished || short_step_) settle();
  notice_changes();
  constexpr double kWorthLettingGo = 1e-4;
  const auto started = Clock::now();
  bool made = false;
  // Functions of Python may be called by helpers of the step.
  if (step_seconds_ > kWorthLettingGo || from_->callbacks) {
    const Unlocked unlocked(&stop_);
    made = advance();
  } else {
    made = advance();
  }
  step_seconds_ = std::chrono::duration<double>(Clock::now() - started).count();
  wall_ += step_seconds_;
  if (!made) return {};
  return last_step();
}

Step Simulation::last_step() const {
  const std::size_t width = layout_->width();
  if (header_.record.every == 1) {
    const Table& table = record_->table();
    const auto first = static_cast<std::size_t>(table.offsets.data()[table.rows - 1]);
    return {layout_,
            table.numbers.block(),
            table.numbers.data() + (table.rows - 1) * width,
            table.contacts.block(),
            table.contacts.data() + first,
            table.contacts.size() - first};
  }
  const ResultRow& row = record_->row();
  const std::shared_ptr<double[]> numbers(new double[width]);
  std::copy_n(row.numbers.data(), width, numbers.get());
  const std::shared_ptr<ContactEntry[]> contacts(new ContactEntry[row.contacts.size()]);
  std::copy_n(row.contacts.data(), row.contacts.size(), contacts.get());
  return {layout_, numbers, numbers.get(), contacts, contacts.get(), row.contacts.size()};
}

void Simulation::step(const State&, const State& after, const StepReport& report) { record_->add(after, report); }

void Simulation::tail(const RunState& run) {
  short_step_ = true;
  tail_ = record_->here(run);
}

bool Simulation::grid_step(const RunState& run) { return !watched_ || --until_look_ > 0 || look(run.state.t); }

// The clock is read the more rarely the faster the steps are; the interpreter is asked ten times a second.
bool Simulation::look(double t) {
  constexpr double kOften = 0.1;
  const double waited = std::chrono::duration<double>(Clock::now() - looked_).count();
  if (stride_ < 4096 && waited < kOften / 100 * stride_) stride_ *= 2;
  until_look_ = stride_;
  if (waited < kOften || trouble_) return !trouble_;
  looked_ = Clock::now();
  stride_ = std::max(1, stride_ / 4);
  const py::gil_scoped_acquire held;
  try {
    if (main_thread_ && PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(t, policy_.until);
  } catch (const py::error_already_set& error) {
    trouble_.emplace(error);
  }
  return !trouble_;
}

void Simulation::begin(RunState run) {
  stepper_.reset();
  outcome_ = {};
  short_step_ = false;
  run_ = std::move(run);
  record_->restart(run_);
}

void Simulation::restore(const RunState& state) {
  const Turn turn(*this);
  const Model& model = from_->scenario.model;
  if (state.state.q.size() != model.nq() || state.state.v.size() != model.nv() ||
      state.state.memory.size() != scheme_->memory().size())
    throw InputError("state", "it is that of another model or scheme; accepted: one that this simulation gave");
  begin(state);
}

void Simulation::place(std::optional<VectorXd> q, std::optional<VectorXd> v) {
  const Turn turn(*this);
  const Model& model = from_->scenario.model;
  State state = run_.state;
  const auto take = [](const char* what, std::optional<VectorXd>& x, int n, VectorXd& to) {
    if (!x) return;
    if (x->size() != n) throw InputError(what, fmt::format("{} numbers; accepted: {}", x->size(), n));
    if (!x->allFinite()) throw InputError(what, "a number is not finite; accepted: finite numbers");
    to = std::move(*x);
  };
  take("q", q, model.nq(), state.q);
  take("v", v, model.nv(), state.v);
  int at = 0;
  for (const auto& s : model.subsystems()) {
    if (const std::string wrong = s->check_configuration(ConstView(state.q).segment(at, s->nq())); !wrong.empty())
      throw InputError("q", wrong);
    at += s->nq();
  }
  state.contacts.clear();
  state.memory.clear();
  state.h = 0;
  begin(begin_run(model, *scheme_, std::move(state)));
}

void Simulation::change(std::shared_ptr<const Case> other) {
  const Turn turn(*this);
  const Model &now = from_->scenario.model, &next = other->scenario.model;
  if (now.position_names() != next.position_names() || now.velocity_names() != next.velocity_names() ||
      now.items().size() != next.items().size() || from_->scenario.scheme != other->scenario.scheme)
    throw InputError("", "a change between steps keeps coordinates, constraints and scheme; accepted: other values");
  stepper_.reset();
  scheme_ = make_scheme(other->scenario.scheme, other->scenario.options);
  record_->follow(next);
  from_ = std::move(other);
}

std::shared_ptr<ResultData> Simulation::result() {
  const Turn turn(*this);
  record_->close();
  ResultHeader header = header_;
  const RunOutcome told{&from_->scenario, &run_, &outcome_, "", wall_, run_.summary.steps, policy_.threads};
  return std::make_shared<ResultData>(ResultData{.header = std::move(header),
                                                 .layout = *layout_,
                                                 .table = record_->table(),
                                                 .status = name(outcome_.status),
                                                 .file = "",
                                                 .summary = run_.summary,
                                                 .summary_json = summary_json(told),
                                                 .text = summary_text(told),
                                                 .warnings = warnings(told),
                                                 .failure = failure_lines(told),
                                                 .from = from_,
                                                 .start = record_->start(),
                                                 .end = run_,
                                                 .tail = tail_,
                                                 .outcome = outcome_,
                                                 .joints = {}});
}

}  // namespace ricochet::python
