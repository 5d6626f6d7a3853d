#include "ricochet/io/result/expectation_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using Take = Expectation::Take;

std::string bounds_of(const Expectation& e) {
  if (std::isinf(e.low)) return fmt::format("at most {:.4g}", e.high);
  if (std::isinf(e.high)) return fmt::format("at least {:.4g}", e.low);
  return fmt::format("{:.4g} to {:.4g}", e.low, e.high);
}

}  // namespace

std::string words_of(const Judgement& j) {
  return fmt::format("{}: {:.4g}{}, expected {}", j.expectation->says, j.value,
                     j.column.empty() ? "" : " of " + j.column, bounds_of(*j.expectation));
}

ExpectationWatch::ExpectationWatch(const Scenario& s)
    : row_(s.model, ResultLayout(names_of(s.model), {}, static_cast<std::size_t>(-1))) {
  if (s.expect.empty()) return;
  const std::vector<NamedColumn> all = row_.layout().columns();
  for (const Expectation& e : s.expect) {
    const std::vector<std::string> cases = e.each.empty() ? std::vector<std::string>{""} : e.each;
    for (const std::string& x : cases) {
      Open one{&e, x, {}, std::vector<double>(e.inputs.size()), {}, e.take == Take::count ? 0 : std::nan(""), 0};
      for (const Expectation::Input& input : e.inputs) {
        const std::string& name = input.column.empty() ? x : input.column;
        one.columns.push_back(
            *std::find_if(all.begin(), all.end(), [&](const NamedColumn& c) { return c.name == name; }));
      }
      open_.push_back(std::move(one));
    }
  }
}

void ExpectationWatch::start(const RunState& start) {
  if (empty()) return;
  row_.start(start);
  look(true);
}

void ExpectationWatch::step(const State&, const State& after, const StepReport& report) {
  if (empty()) return;
  row_.clear();
  row_.add(after, report);
  look(false);
}

void ExpectationWatch::look(bool first) {
  const double t = row_.numbers[row_.layout().t];
  for (Open& one : open_) {
    const Expectation& e = *one.expectation;
    for (std::size_t k = 0; k < e.inputs.size(); ++k)
      if (first || !e.inputs[k].start) one.inputs[k] = row_.layout().value(one.columns[k], row_.view());
    if (t < e.from || t > e.to) continue;
    const double value = *e.formula(one.inputs, one.work);
    switch (e.take) {
      case Take::end: one.taken = value; break;
      case Take::least: one.taken = std::fmin(one.taken, value); break;  // gaps of what is far away are no number
      case Take::most: one.taken = std::fmax(one.taken, value); break;
      case Take::count: one.taken += value > 0 && !(one.last > 0) ? 1 : 0; break;
    }
    one.last = value;
  }
}

std::vector<Judgement> ExpectationWatch::judgements() const {
  std::vector<Judgement> out;
  for (const Open& one : open_) {
    const bool holds = one.expectation->holds(one.taken);
    const Judgement judgement{one.expectation, one.taken, one.column, holds};
    if (out.empty() || out.back().expectation != one.expectation)
      out.push_back(judgement);
    else if (out.back().met && !holds)
      out.back() = judgement;
  }
  return out;
}

}  // namespace ricochet
