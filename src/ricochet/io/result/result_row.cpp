#include "ricochet/io/result/result_row.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

void ResultRow::clear() { std::fill(numbers.begin(), numbers.end(), 0.0); }

void ResultRow::start(const RunState& start) {
  const State& s = start.state;
  clear();
  numbers[layout_.t] = s.t;
  std::copy(s.q.begin(), s.q.end(), numbers.begin() + static_cast<std::ptrdiff_t>(layout_.q));
  std::copy(s.v.begin(), s.v.end(), numbers.begin() + static_cast<std::ptrdiff_t>(layout_.v));
  numbers[layout_.energy] = start.summary.energy.kinetic;
  numbers[layout_.energy + 1] = start.summary.energy.potential;
  for (const ResultLayout::Item& item : layout_.items) {
    std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(item.g), item.g_dim, std::nan(""));
    std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(item.U), item.dim, std::nan(""));
  }
  Workspace w(model_);
  begin_step(model_, s, 0, w);
  double* certificate = &numbers[layout_.certificate];
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Candidate& c = w.candidates[i];
    const ResultLayout::Item& item = layout_.items[static_cast<std::size_t>(model_.index_of(c))];
    const int first = w.before->rows.G.blocks()[i].row;
    const double *g = w.before->rows.g.data() + first, *U = w.before->U.data() + first;
    std::copy(g, g + item.g_dim, &numbers[item.g]);
    std::copy(U, U + c.dim, &numbers[item.U]);
    if (!c.bilateral()) certificate[1] = std::max(certificate[1], -g[0]);
    for (int k = 0; c.bilateral() && k < c.dim; ++k) {
      certificate[2] = std::max(certificate[2], std::abs(g[k]));
      certificate[3] = std::max(certificate[3], std::abs(U[k]));
    }
  }
}

void ResultRow::add(const State& after, const StepReport& report) {
  double* const row = numbers.data();
  row[layout_.t] = after.t;
  row[layout_.h] += report.h;
  row[layout_.steps] += 1;
  std::copy(after.q.data(), after.q.data() + after.q.size(), row + layout_.q);
  std::copy(after.v.data(), after.v.data() + after.v.size(), row + layout_.v);

  double entries[kEnergies];
  energy_numbers(report.energy, entries);
  double* energy = row + layout_.energy;
  for (std::size_t k = 0; k < kEnergies; ++k) energy[k] = k < kEnergyStates ? entries[k] : energy[k] + entries[k];
  certificate_numbers(report.certificate, entries);
  double* certificate = row + layout_.certificate;
  for (std::size_t k = 0; k < kCertificates; ++k) certificate[k] = std::max(certificate[k], entries[k]);
  double* iterations = row + layout_.iterations;
  iterations[0] += report.newton;
  iterations[1] += report.solver;
  iterations[2] += report.activations;
  iterations[3] += report.projections;
  iterations[4] = std::max(iterations[4], static_cast<double>(report.contacts));
  iterations[5] += report.impacts;

  if (report.constraints.size() != layout_.items.size())
    for (const ResultLayout::Item& item : layout_.items) {
      std::fill_n(row + item.g, item.g_dim, std::nan(""));
      std::fill_n(row + item.U, item.dim, std::nan(""));
      std::fill_n(row + item.reaction, item.dim, 0.0);
    }
  for (const ConstraintReport& c : report.constraints) {
    const ResultLayout::Item& item = layout_.items[static_cast<std::size_t>(model_.index_of(*c.candidate))];
    for (int k = 0; k < item.g_dim; ++k) {
      row[item.g + static_cast<std::size_t>(k)] = c.g[k];
      row[item.correction + static_cast<std::size_t>(k)] += c.correction[k];
    }
    for (int k = 0; k < c.candidate->dim; ++k) {
      const auto at = static_cast<std::size_t>(k);
      row[item.U + at] = c.U[k];
      row[item.P + at] += c.impulse[k];
      const double smooth = item.bilateral ? c.smooth[k] : 0;
      if (item.bilateral) row[item.smooth + at] = smooth;
      row[item.reaction + at] = c.impulse[k] / report.h + smooth;
    }
  }
}

}  // namespace ricochet
