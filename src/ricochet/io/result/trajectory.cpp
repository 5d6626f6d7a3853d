#include "ricochet/io/result/trajectory.hpp"

#include <fmt/format.h>

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
      : row_(model), out_(out), stop_(stop) {
    for (const NamedColumn& c : named_columns(model, row_.layout()))
      if (chosen(c.name, words)) {
        out_.names.push_back(c.name);
        places_.push_back(c.place);
      }
    out_.columns.resize(places_.size());
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
    const std::size_t energy = row_.layout().energy;
    for (std::size_t k = 0; k < places_.size(); ++k)
      out_.columns[k].push_back(places_[k] == NamedColumn::npos ? row_.numbers[energy] + row_.numbers[energy + 1]
                                                                : row_.numbers[places_[k]]);
  }

  ResultRow row_;
  Trajectory& out_;
  const std::atomic<bool>* stop_;
  std::vector<std::size_t> places_;
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

std::vector<NamedColumn> named_columns(const Model& model, const ResultLayout& layout) {
  std::vector<NamedColumn> out{{"t", layout.t}};
  const auto vector = [&](const std::string& letter, std::size_t first, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) out.push_back({letter + "." + names[k], first + k});
  };
  vector("q", layout.q, model.position_names());
  vector("v", layout.v, model.velocity_names());
  // Of a constraint the first row bears its name, the others a number: U.A, U.A.1, U.A.2.
  const auto rows = [&](const char* kind, const ResultLayout::Item& item, std::size_t first, int dim) {
    for (int k = 0; k < dim; ++k)
      out.push_back({std::string(kind) + "." + item.group.substr(item.group.find('/') + 1) +
                         (k == 0 ? "" : fmt::format(".{}", k)),
                     first + static_cast<std::size_t>(k)});
  };
  for (const ResultLayout::Item& i : layout.items) rows(i.bilateral ? "residual" : "gap", i, i.g, i.g_dim);
  for (const ResultLayout::Item& i : layout.items) rows("U", i, i.U, i.dim);
  for (const ResultLayout::Item& i : layout.items) rows("P", i, i.P, i.dim);
  for (const ResultLayout::Item& i : layout.items) rows("correction", i, i.correction, i.g_dim);
  for (const ResultLayout::Item& i : layout.items)
    if (i.bilateral) rows("smooth", i, i.smooth, i.dim);
  for (const ResultLayout::Item& i : layout.items) rows("reaction", i, i.reaction, i.dim);
  out.push_back({"E", NamedColumn::npos});
  const auto plain = [&](std::size_t first, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) out.push_back({names[k], first + k});
  };
  plain(layout.energy, energy_names());
  plain(layout.certificate, certificate_names());
  plain(layout.iterations, iteration_names());
  out.push_back({"h", layout.h});
  out.push_back({"steps", layout.steps});
  return out;
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
