#include "ricochet/io/result/trajectory.hpp"

#include <algorithm>
#include <chrono>

#include "ricochet/io/error.hpp"
#include "ricochet/io/result/work_meter.hpp"

namespace ricochet {
namespace {

bool chosen(const std::string& name, const std::vector<std::string>& words) {
  if (words.empty() || name == "t") return true;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return name == word || (name.starts_with(word) && name[word.size()] == '.');
  });
}

class Keeper final : public Observer {
 public:
  Keeper(const Model& model, const std::vector<std::string>& words, const std::atomic<bool>* stop, Trajectory& out)
      : row_(model, ResultLayout(names_of(model), {}, static_cast<std::size_t>(-1))), out_(out), stop_(stop) {
    for (const NamedColumn& c : row_.layout().columns())
      if (chosen(c.name, words)) {
        out_.names.push_back(c.name);
        columns_.push_back(c);
      }
    out_.columns.resize(columns_.size());
  }
  void start(const RunState& start) {
    row_.start(start);
    push();
  }
  void step(const State&, const State& after, const StepReport& report) override {
    row_.clear();
    row_.add(after, report);
    push();
  }
  bool grid_step(const RunState&) override { return stop_ == nullptr || !stop_->load(); }

 private:
  void push() {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      out_.columns[k].push_back(row_.layout().value(columns_[k], row_.view()));
  }

  ResultRow row_;
  Trajectory& out_;
  const std::atomic<bool>* stop_;
  std::vector<NamedColumn> columns_;
};

}  // namespace

bool Trajectory::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<double>& Trajectory::operator[](const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError("", unknown_word("column", name, names));
  return columns[static_cast<std::size_t>(found - names.begin())];
}

Trajectory simulate(const Scenario& s, const std::vector<std::string>& columns) {
  return simulate(s, columns, s.policy);
}

Trajectory simulate(const Scenario& s, const std::vector<std::string>& columns, const Policy& policy,
                    const std::atomic<bool>* stop) {
  Trajectory out;
  const auto scheme = make_scheme(s.scheme, s.options);
  out.end = begin_run(s.model, *scheme, s.initial);
  Keeper keeper(s.model, columns, stop, out);
  keeper.start(out.end);
  const auto started = std::chrono::steady_clock::now();
  const WorkMeter meter;
  Policy until_told = policy;
  if (stop != nullptr) until_told.stop = stop;
  out.result = run(s.model, *scheme, out.end, until_told, &keeper);
  out.instructions = meter.instructions();
  out.thread_seconds = meter.seconds();
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return out;
}

}  // namespace ricochet
