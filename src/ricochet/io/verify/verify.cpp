#include "ricochet/io/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/result_row.hpp"
#include "ricochet/io/verify/balance.hpp"
#include "ricochet/io/verify/contents.hpp"
#include "ricochet/io/verify/laws.hpp"
#include "ricochet/io/verify/remake.hpp"
#include "ricochet/io/yaml/yaml.hpp"

namespace ricochet {

namespace {

bool by_another_version(const Results& results) { return results.root().text("version") != version(); }

class Verifier {
 public:
  Verifier(const Results& results, const VerifyOptions& options)
      : results_(results),
        options_(options),
        scenario_(results.scenario()),
        model_(scenario_.model),
        layout_(layout_of(model_, scenario_.record)),
        scheme_(make_scheme(scenario_.scheme, scenario_.options)),
        w_(model_),
        inertia_(model_),
        balance_(model_, *scheme_, scenario_.initial),
        laws_(*scheme_, scales()) {
    for (const DatasetInfo& d : layout_.datasets())
      for (std::size_t k = 0; k < d.width; ++k)
        columns_.push_back(d.names.empty() ? d.path : d.path + "." + d.names[k]);
  }

  Verification run() {
    out_.not_repeated = why_not_repeated();
    take_name();
    check_layout();
    measure();
    for (RowReader rows(results_); rows.next();) check_row(rows.index(), rows.row());
    check_summary();
    name_unchecked();
    check_contents();
    out_.disagreements = out_.findings.disagreements();
    return std::move(out_);
  }

 private:
  Findings& findings() { return out_.findings; }
  void compare(CheckKind kind, std::size_t row, std::size_t place, double recorded, double recomputed, double size) {
    findings().compare(kind, columns_[place], static_cast<std::int64_t>(row), recorded, recomputed, kAgreement * size);
  }

  void check_layout() const {
    const ResultLayout& recorded = results_.layout();
    bool same = layout_.width() == recorded.width() && layout_.contact_dim == recorded.contact_dim &&
                layout_.detail() == recorded.detail();
    for (std::size_t k = 0; same && k < layout_.datasets().size(); ++k)
      same = layout_.datasets()[k].names == recorded.datasets()[k].names;
    if (!same)
      throw InputError(results_.file(), "its columns are not those of the scenario in it; the file is damaged");
  }

  // Sizes of the columns, which rounding goes by; and numbers that are none.
  void measure() {
    scale_.assign(layout_.width(), 0);
    smooth_before_.assign(layout_.width(), 0);
    out_.rows = static_cast<std::int64_t>(results_.rows());
    out_.every_step = true;
    double certificate[kCertificates] = {};
    for (RowReader rows(results_); rows.next();) {
      const double* x = rows.row().numbers;
      check_numbers(rows.index(), rows.row());
      for (std::size_t k = 0; k < layout_.width(); ++k)
        if (std::isfinite(x[k])) scale_[k] = std::max(scale_[k], std::abs(x[k]));
      if (rows.index() > 0 && x[layout_.steps] != 1) out_.every_step = false;
      for (std::size_t k = 0; k < kCertificates; ++k)
        certificate[k] = std::max(certificate[k], x[layout_.certificate + k]);
      for (const ContactEntry& e : rows.row().contacts)
        for (double u : e.U)
          if (std::isfinite(u)) speed_ = std::max(speed_, std::abs(u));
    }
    out_.contacts = !layout_.omits_contacts();
    between_ = out_.every_step && out_.contacts;
    out_.recorded = {certificate[0], certificate[1], certificate[2], certificate[3], certificate[4]};
    for (std::size_t k = 0; k < layout_.names().positions.size(); ++k)
      length_ = std::max(length_, scale_[layout_.q + k]);
    for (std::size_t k = 0; k < layout_.names().velocities.size(); ++k)
      speed_ = std::max(speed_, scale_[layout_.v + k]);
    energy_ = std::max(scale_[layout_.energy], scale_[layout_.energy + 1]);
  }

  void check_numbers(std::size_t row, const ResultRowView& view) {
    const double* x = view.numbers;
    for (std::size_t k = 0; k < layout_.width(); ++k) {
      const bool far = layout_.declared && k >= layout_.gap && std::isnan(x[k]) && !model_.constant_candidates();
      if (!std::isfinite(x[k]) && !far) compare(CheckKind::rows, row, k, x[k], 0, 1);
    }
    for (std::size_t k = 0; k < kCertificates; ++k)
      if (!(x[layout_.certificate + k] >= 0))
        compare(CheckKind::sizes, row, layout_.certificate + k, x[layout_.certificate + k], std::nan(""), 1);
    const auto every = results_.header().record.every;
    if (row > 0 && row + 1 < results_.rows() && every > 0)
      compare(CheckKind::rows, row, layout_.steps, x[layout_.steps], static_cast<double>(every), 1);
  }

  static void copy_state(const ResultLayout& layout, const Model& model, const double* x, State& s) {
    s.t = x[layout.t];
    s.q = Eigen::Map<const VectorXd>(x + layout.q, model.nq());
    s.v = Eigen::Map<const VectorXd>(x + layout.v, model.nv());
  }

  void check_row(std::size_t row, const ResultRowView& view) {
    const double* x = view.numbers;
    RecordedStep& s = step_;
    s.row = row;
    s.h = x[layout_.h];
    s.tolerance = scheme_->tolerance().constraint;
    if (layout_.marks() && x[layout_.uncertified] > 0) {
      s.tolerance = results_.header().accepted_residual;
      out_.uncertified += static_cast<std::int64_t>(x[layout_.uncertified]);
    }
    std::swap(s.begin.state, s.end.state);
    copy_state(layout_, model_, x, s.end.state);
    if (row == 0) {
      s.begin.state = s.end.state;
      check_initial(x);
    } else {
      compare(CheckKind::rows, row, layout_.t, x[layout_.t], s.begin.state.t + s.h, std::abs(x[layout_.t]));
    }
    const State& from = s.begin.state;
    model_.candidates({from.t, from.q, from.v}, out_.every_step ? s.h : 0, s.candidates);
    evaluate_row(model_, s.candidates, s.begin, w_.model);
    evaluate_row(model_, s.candidates, s.end, w_.model);
    take_multipliers(view);
    check_constraints(view);
    check_listed(view);
    check_energy(row, x);
    if (row == 0 || !between_ || !(s.h > 0)) return;
    inertia_.evaluate(model_, s.end.state, s.end.rows.G, w_.model);
    s.inertia = &inertia_;
    balance_.check(s, findings());
    laws_.check(s, {speed_, x[layout_.certificate]}, findings());
    check_work(row, x);
  }

  void check_initial(const double* x) {
    const State& s = scenario_.initial;
    compare(CheckKind::rows, 0, layout_.t, x[layout_.t], s.t, 1);
    for (Index i = 0; i < s.q.size(); ++i)
      compare(CheckKind::rows, 0, layout_.q + static_cast<std::size_t>(i), x[layout_.q + static_cast<std::size_t>(i)],
              s.q[i], length_);
    for (Index i = 0; i < s.v.size(); ++i)
      compare(CheckKind::rows, 0, layout_.v + static_cast<std::size_t>(i), x[layout_.v + static_cast<std::size_t>(i)],
              s.v[i], speed_);
  }

  // Of a step in two impulses the correction is the first of them; returns what both are more than their sum.
  double take_parts(std::size_t row) {
    RecordedStep& s = step_;
    const double first = std::exchange(s.correction[row], 0), both = std::abs(first) + std::abs(s.P[row] - first);
    return both - std::exchange(s.sizes[row], both);
  }

  // What the row says of each candidate, in the order of the candidates. A contact that is none is an error.
  void take_multipliers(const ResultRowView& view) {
    RecordedStep& s = step_;
    const auto m = static_cast<std::size_t>(s.end.rows.G.rows());
    for (auto* x : {&s.P, &s.correction, &s.smooth, &s.smooth_before}) x->assign(m, 0);
    s.applied.assign(s.candidates.size(), 0);
    const bool two = scheme_->info().two_impulses;
    s.sizes.assign(m, 0);
    std::size_t listed = 0;
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate& c = s.candidates[i];
      const auto first = static_cast<std::size_t>(s.first_row(i)), dim = static_cast<std::size_t>(c.dim);
      if (c.bilateral()) {
        const double* row = view.numbers + layout_.items()[static_cast<std::size_t>(model_.index_of(c))].row;
        for (std::size_t k = 0; k < dim; ++k) {
          s.P[first + k] = row[layout_.joint_P + k];
          s.correction[first + k] = row[layout_.joint_correction + k];
          s.sizes[first + k] = std::abs(s.P[first + k]);
          if (two) take_parts(first + k);
          s.smooth[first + k] = row[layout_.joint_smooth + k];
          double& before = smooth_before_[static_cast<std::size_t>(row - view.numbers) + k];
          s.smooth_before[first + k] = std::exchange(before, s.smooth[first + k]);
        }
        continue;
      }
      const auto found = std::lower_bound(view.contacts.begin(), view.contacts.end(), c.key,
                                          [](const ContactEntry& e, Key key) { return e.key < key; });
      if (found == view.contacts.end() || found->key != c.key) continue;
      ++listed;
      std::copy_n(found->P.begin(), dim, &s.P[first]);
      s.correction[first] = found->correction;
      for (std::size_t k = first; k < first + dim; ++k) s.sizes[k] = std::abs(s.P[k]);
      if (two) {
        const double more = take_parts(first);  // friction follows the normal
        for (std::size_t k = first + 1; k < first + dim; ++k) s.sizes[k] += more;
      }
      s.applied[i] = found->restitution[1];
      out_.reduced += found->restitution[1] < found->restitution[0] && found->P[0] > 0;
    }
    if (between_)
      findings().compare(CheckKind::rows, "contacts.key", static_cast<std::int64_t>(s.row),
                         static_cast<double>(view.contacts.size()), static_cast<double>(listed), 0.5);
  }

  // Joint residuals, gaps, velocities, and the errors that follow from them.
  void check_constraints(const ResultRowView& view) {
    const RecordedStep& s = step_;
    const double* x = view.numbers;
    double penetration = 0, position = 0, velocity = 0;
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate& c = s.candidates[i];
      const int first = s.first_row(i), index = model_.index_of(c);
      const double *g = s.end.rows.g.data() + first, *U = &s.end.U[static_cast<std::size_t>(first)];
      if (!c.bilateral()) penetration = std::max(penetration, -g[0]);
      if (index < 0) continue;
      const ResultLayout::Item& item = layout_.items()[static_cast<std::size_t>(index)];
      if (c.bilateral())
        for (int k = 0; k < c.dim; ++k) {
          const std::size_t at = item.row + static_cast<std::size_t>(k);
          position = std::max(position, std::abs(g[k]));
          velocity = std::max(velocity, std::abs(U[k]));
          compare(CheckKind::rows, s.row, layout_.joint_residual + at, x[layout_.joint_residual + at], g[k], length());
          compare(CheckKind::rows, s.row, layout_.joint_U + at, x[layout_.joint_U + at], U[k], speed());
        }
      if (c.bilateral() || !layout_.declared) continue;
      compare(CheckKind::rows, s.row, layout_.gap + item.index, x[layout_.gap + item.index], g[0], length());
      for (int k = 0; k < c.dim; ++k) {
        const std::size_t at = layout_.U + item.row + static_cast<std::size_t>(k);
        compare(CheckKind::rows, s.row, at, x[at], U[k], speed());
      }
    }
    Certificate& mine = out_.certificate;
    mine.penetration = std::max(mine.penetration, penetration);
    mine.joint_position = std::max(mine.joint_position, position);
    mine.joint_velocity = std::max(mine.joint_velocity, velocity);
    if (!out_.every_step) return;
    const double* errors = x + layout_.certificate;
    compare(CheckKind::rows, s.row, layout_.certificate + 1, errors[1], penetration, length());
    compare(CheckKind::rows, s.row, layout_.certificate + 2, errors[2], position, length());
    compare(CheckKind::rows, s.row, layout_.certificate + 3, errors[3], velocity, speed());
    check_sizes(errors);
  }

  void check_sizes(const double* errors) {
    if (step_.row == 0) return;
    const SchemeInfo& info = scheme_->info();
    // As the steps themselves are held to, with the largest of the terms.
    const auto allowed = [&](double size, double largest) { return 10 * step_.tolerance * size + 1e-9 * largest; };
    const double position = allowed(scales().length, length_), velocity = allowed(scales().velocity, speed_);
    const double joint = std::max(scales().length, scales().row.size() > 0 ? scales().row.maxCoeff() : 0);
    const auto row = static_cast<std::int64_t>(step_.row);
    const auto hold = [&](std::size_t k, double accepted) {
      findings().hold(CheckKind::sizes, columns_[layout_.certificate + k], row, errors[k], accepted);
    };
    if (info.exact_position) hold(1, position);
    double open = 0, opens = 0;  // by as much loops may be, whose joints are out of line or drift
    for (const Loop& loop : scales().loops ? *scales().loops : std::vector<Loop>{}) {
      open = std::max(open, loop.allowance() * std::max(1.0, 1 / loop.size));  // angles are rows too
      opens = std::max(opens, (loop.allowance() + 10 * errors[2]) / loop.size);
    }
    if (info.exact_position) hold(2, allowed(joint, length_) + open);
    if (info.exact_velocity && info.rows_at_end) hold(3, allowed(joint / scales().time(), speed_) + opens * speed_);
    if (info.exact_velocity && info.holds_closed) hold(0, velocity);
  }

  // Contacts of the list: those that are closed must be in it, and what it says of them must be true.
  void check_listed(const ResultRowView& view) {
    if (!out_.contacts) return;
    const RecordedStep& s = step_;
    const auto row = static_cast<std::int64_t>(s.row);
    const auto rows = [&](const char* column, double recorded, double mine, double size) {
      if (std::isnan(recorded) && std::isnan(mine)) return;
      findings().compare(CheckKind::rows, column, row, recorded, mine, kAgreement * size);
    };
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate& c = s.candidates[i];
      if (c.bilateral()) continue;
      const int first = s.first_row(i);
      const double gap = s.end.rows.g[first];
      const auto found = std::lower_bound(view.contacts.begin(), view.contacts.end(), c.key,
                                          [](const ContactEntry& e, Key key) { return e.key < key; });
      const bool listed = found != view.contacts.end() && found->key == c.key;
      if (!listed) {
        if (gap < results_.header().closed_below - kAgreement * length()) rows("contacts.gap", std::nan(""), gap, 1);
        continue;
      }
      rows("contacts.gap", found->gap, gap, length());
      rows("contacts.item", found->item, model_.index_of(c), 1);
      for (std::size_t k = 0; k < 2; ++k) rows("contacts.bodies", found->bodies[k], c.bodies[k], 1);
      for (std::size_t k = 0; k < static_cast<std::size_t>(c.dim); ++k)
        rows("contacts.U", found->U[k], s.end.U[static_cast<std::size_t>(first) + k], speed());
      if (out_.every_step) {
        ContactEntry entry = *found;
        entry.reaction = entry.P;  // over h, which changes no state
        rows("contacts.state", static_cast<double>(found->state),
             static_cast<double>(state_of(entry, c, {results_.header().closed_below, kSticking * scales().velocity})),
             1);
      }
      if (!model_.set(c).knows_places()) continue;
      const ContactPlace place = model_.set(c).place(s.end.state.t, s.end.state.q, c);
      for (Index k = 0; k < 3; ++k) {
        rows("contacts.point", found->point[static_cast<std::size_t>(k)], place.point[k], length());
        rows("contacts.normal", found->normal[static_cast<std::size_t>(k)], place.normal[k], 1);
      }
    }
  }

  void check_energy(std::size_t row, const double* x) {
    const State& s = step_.end.state;
    const Energies e = model_.energies({s.t, s.q, s.v}, w_.model);
    const double* ledger = x + layout_.energy;
    compare(CheckKind::ledger, row, layout_.energy, ledger[0], e.kinetic, energy_);
    compare(CheckKind::ledger, row, layout_.energy + 1, ledger[1], e.potential, energy_);
    const double energy = e.kinetic + e.potential, defect = ledger[kEnergies - 1];
    double sum = 0;
    for (std::size_t k = kEnergyStates; k + 1 < kEnergies; ++k) sum += ledger[k];
    out_.energy_sum += sum;
    if (row > 0) {
      const double change = energy - energy_before_, unexplained = change - sum;
      out_.certificate.energy_defect = std::max(out_.certificate.energy_defect, std::abs(unexplained));
      compare(CheckKind::ledger, row, layout_.energy + kEnergies - 1, defect, unexplained, energy_);
      if (out_.every_step)
        compare(CheckKind::ledger, row, layout_.certificate + 4, x[layout_.certificate + 4], std::abs(defect), energy_);
      out_.energy_change += change;
    } else {
      watch_ = begin_watch(model_, {s.t, s.q, s.v}, &scales(), w_.model);
      initial_ = energy;
    }
    check_defect(row, ledger);
    energy_before_ = energy;
  }

  // A run does not go on after a step whose ledger is off (sim/energy_watch.hpp).
  void check_defect(std::size_t row, const double* ledger) {
    if (row == 0 || !out_.every_step) return;
    EnergyLedger e;
    e.kinetic = ledger[0];
    e.potential = ledger[1];
    double* const entries[] = {&e.external, &e.damping,    &e.joints,    &e.impact,
                               &e.friction, &e.projection, &e.numerical, &e.nonlinear_remainder,
                               &e.defect};
    double* const sums[] = {&sums_.external, &sums_.damping,    &sums_.joints,    &sums_.impact,
                            &sums_.friction, &sums_.projection, &sums_.numerical, &sums_.nonlinear_remainder,
                            &sums_.defect};
    for (std::size_t k = 0; k < std::size(entries); ++k) {
      *entries[k] = ledger[kEnergyStates + k];
      *sums[k] += *entries[k];
    }
    observe(e, sums_, initial_, watch_);
    findings().hold(CheckKind::sizes, columns_[layout_.energy + kEnergies - 1], static_cast<std::int64_t>(row),
                    e.defect, 2 * kDefectRefused * watch_.at_stake() + watch_.noise() + 1e-9 * energy_);
  }

  // Work of the recorded impulses at the mean of both velocities, as the ledger books it where a step has one impulse.
  void check_work(std::size_t row, const double* x) {
    if (!laws_.whole() || scheme_->info().two_impulses) return;  // the latter's impulses act at two places
    const RecordedStep& s = step_;
    double impact = 0, friction = 0;
    for (std::size_t i = 0; i < s.candidates.size(); ++i) {
      if (s.candidates[i].bilateral()) continue;
      const auto first = static_cast<std::size_t>(s.first_row(i));
      for (std::size_t k = 0; k < static_cast<std::size_t>(s.candidates[i].dim); ++k)
        (k == 0 && s.candidates[i].unilateral() ? impact : friction) +=
            s.P[first + k] * 0.5 * (s.begin.U[first + k] + s.end.U[first + k]);
    }
    compare(CheckKind::ledger, row, layout_.energy + 5, x[layout_.energy + 5], impact, energy_);
    compare(CheckKind::ledger, row, layout_.energy + 6, x[layout_.energy + 6], friction, energy_);
  }

  // Against the summary, which an unfinished run does not have.
  void check_summary() {
    if (results_.status() == "running" || !results_.root().has("summary")) return;
    const h5::Group summary = results_.root().group("summary");
    const auto check = [&](const std::string& key, double recomputed, double accepted) {
      findings().compare(CheckKind::summary, key, -1, summary.number(key), recomputed, accepted);
    };
    std::vector<double> sums(layout_.width(), 0), most(layout_.width(), 0), last(layout_.width(), 0);
    double initial = 0;
    for (RowReader rows(results_); rows.next();) {
      const double* x = rows.row().numbers;
      last.assign(x, x + layout_.width());
      if (rows.index() == 0) initial = x[layout_.energy] + x[layout_.energy + 1];
      if (rows.index() == 0) continue;  // of the initial state nothing is counted
      for (std::size_t k = 0; k < layout_.width(); ++k) {
        sums[k] += x[k];
        most[k] = std::max(most[k], x[k]);
      }
    }
    const double rounding = kAgreement * energy_ * std::max(1.0, 1e-3 * static_cast<double>(out_.rows));
    for (std::size_t k = 0; k < kEnergies; ++k)
      check(energy_names()[k], (k < kEnergyStates ? last : sums)[layout_.energy + k], rounding);
    check("energy_initial", initial, rounding);
    for (std::size_t k = 0; k < kCertificates; ++k)
      check(certificate_names()[k], most[layout_.certificate + k], kAgreement * most[layout_.certificate + k]);
    check("steps", sums[layout_.steps], 0.5);
    const char* keys[kIterations] = {"newton_sum",     "solver_sum",   "activation_sum",
                                     "projection_sum", "contacts_max", "impacts"};
    for (std::size_t k = 0; k < kIterations; ++k) check(keys[k], (k == 4 ? most : sums)[layout_.iterations + k], 0.5);
    if (layout_.marks()) check("uncertified", static_cast<double>(out_.uncertified), 0.5);
    check("events", static_cast<double>(results_.events().size()), 0.5);
  }

  void name_unchecked() {
    out_.certificate.complementarity = laws_.worst();
    if (!out_.every_step)
      out_.unchecked.emplace_back(
          "Not every step is recorded: kinematics, momentum and the laws of contact between the rows.");
    if (!out_.contacts)
      out_.unchecked.push_back(
          fmt::format("Of contacts {} recorded: their gaps, velocities and places{}.",
                      layout_.detail() == ContactDetail::none ? "nothing is" : "only impulses are",
                      out_.every_step ? ", and kinematics, momentum and the laws of contact between the rows" : ""));
    if (between_ && !laws_.whole() && layout_.has_contacts())
      out_.unchecked.push_back(fmt::format(
          "The steps of '{}' have parts of their own: of the laws only what holds for their sum.", scenario_.scheme));
    if (!layout_.declared && layout_.has_contacts() && out_.contacts)
      out_.unchecked.emplace_back("Gaps of open contacts are not recorded.");
    if (results_.status() == "running") out_.unchecked.emplace_back("The run was not closed: there is no summary.");
    if (!options_.replay) out_.unchecked.emplace_back("The run was not made again (--quick).");
    if (const auto& rows = balance_.unjudged(); !rows.empty())
      out_.unchecked.push_back(
          fmt::format("The momentum of {} step{} cannot be judged, the first that to row {}: forces "
                      "there, or between its ends, are not finite.",
                      rows.size(), rows.size() == 1 ? "" : "s", rows.front()));
  }

  // A scenario that gives itself no name has that of its file, which the result does not know.
  void take_name() {
    if (yaml::Document::parse(scenario_.text, results_.file()).root().has("name")) return;
    scenario_.name = results_.header().name;
    out_.unchecked.emplace_back("The name of the run: its scenario has none, so it was called as its file.");
  }

  // Empty if the run can be made again.
  std::string why_not_repeated() const {
    if (by_another_version(results_)) return "written by " + results_.root().text("version");
    // A run that chooses its steps depends on how far it was to go.
    if (results_.header().step == 0 && results_.root().has_attribute("resumed_until"))
      return "resumed to another time while it chose its own steps";
    return "";
  }

  void check_contents() {
    if (by_another_version(results_)) return;
    if (options_.replay && out_.not_repeated.empty()) {
      const Remade again = remake(results_, scenario_);
      compare_contents(results_.root(), again.file.root(), {.values = true, .unknown = again.unknown}, findings());
      if (!again.sentence.empty()) out_.unchecked.push_back(again.sentence);
      return;
    }
    ContentRule form{.values = false,
                     .unknown = {"/summary", "/events", "/checkpoint", "/status", "/failure", "/remedy",
                                 "/failed_constraint", "/failed_at", "/failed_step"}};
    if (!out_.not_repeated.empty()) form.unknown.insert("/resumed_until");
    compare_contents(results_.root(), remake_beginning(scenario_).root(), form, findings());
  }

  const Scales& scales() const { return *scenario_.initial.scales; }
  double length() const { return std::max(length_, 1e-3 * scales().length); }
  double speed() const { return std::max(speed_, 1e-3 * scales().velocity); }

  const Results& results_;
  VerifyOptions options_;
  Scenario scenario_;
  const Model& model_;
  ResultLayout layout_;
  std::unique_ptr<Scheme> scheme_;
  Workspace w_;
  Inertia inertia_;
  BalanceCheck balance_;
  LawCheck laws_;
  Verification out_;
  std::vector<std::string> columns_;
  std::vector<double> scale_;
  double length_ = 0, speed_ = 0, energy_ = 0;  ///< largest of the run
  double energy_before_ = 0, initial_ = 0;
  EnergyWatch watch_;
  EnergyLedger sums_;
  RecordedStep step_;
  std::vector<double> smooth_before_;  ///< of all joints at the row before
  bool between_ = false;               ///< what happens between rows can be checked
};

}  // namespace

Verification verify(const Results& results, const VerifyOptions& options) {
  if (!by_another_version(results)) return Verifier(results, options).run();
  try {
    return Verifier(results, options).run();
  } catch (const InputError& error) {  // the scenario means nothing today, or has other columns
    Verification out;
    out.rows = static_cast<std::int64_t>(results.rows());
    out.not_repeated = "written by " + results.root().text("version");
    out.unchecked.push_back(error.message);
    return out;
  }
}

}  // namespace ricochet
