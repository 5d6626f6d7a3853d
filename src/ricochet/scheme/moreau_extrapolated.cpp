// Moreau-Jean extrapolated (acary-2018, the first attempt at higher order, after Studer, Leine and Glocker 2008): the
// step is made once with h and once with two steps of h/2, and where nothing happens in it the two results are
// combined,
//
//     x = x_2 + (x_2 - x_1)/(2^r - 1),      v+ = v_2 + (v_2 - v_1)/(2^r - 1),      q+ = q ⊕ x,
//     r the order of Moreau-Jean: 2 for theta = 1/2, else 1
//
// with x_1, x_2 the increments of q. Then v+ is projected on the joints and on the contacts that stay closed: a
// combination of velocities that satisfy their own rows does not satisfy those at q+. "Nothing happens" means: in all
// three steps the same contacts carry an impulse, and none of them is hit. Else the two half steps are the result.
//
// Orders: theta = 1/2: 4 in smooth motion (its error has even powers of h only), else 2; 1 in L1 across impacts: the
// step with the impact keeps the error of Moreau-Jean, and no combination of results of which one saw the impact and
// the other did not is better. Three solves a step for an error that is 1/2 of Moreau-Jean's across impacts. Exact at
// velocity level.
//
// Energy: the ledgers of the two half steps; what the combination adds is `numerical`, the projection `projection`.
#include <algorithm>
#include <cmath>

#include "ricochet/scheme/pieces/acceleration.hpp"

namespace ricochet {
namespace {

struct ExtrapolatedLocal {
  explicit ExtrapolatedLocal(const Model& m) : acceleration(m), x(m.nv()), y(m.nv()) {}
  Accelerations acceleration;
  State coarse, middle, fine;
  VectorXd x, y;
  struct Impulse {
    Key key;
    int dim;
    double p[6];
  };
  std::vector<Impulse> impulses;  ///< of the half steps
};

class MoreauExtrapolated final : public Scheme {
 public:
  explicit MoreauExtrapolated(const Options& o) : controls_(tolerances(o)) {
    info_ = find_scheme("moreau-extrapolated")->info;
    OptionValues values = o.values();
    inner_ = make_scheme("moreau-jean", values);
    const bool even = o.number("theta") == 0.5;
    info_.smooth_order = even ? 4 : 2;
    weight_ = even ? 1.0 / 3 : 1;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    ExtrapolatedLocal& l = w.of<ExtrapolatedLocal>(model);
    EnergyLedger energy;
    l.impulses.clear();
    if (!part(model, state, h, l.coarse, w, report, nullptr)) return;
    bool smooth = quiet(w);
    const bool ok = part(model, state, h / 2, l.middle, w, report, &energy) && collect(w, l);
    smooth = ok && smooth && quiet(w) && same_contacts(l.coarse, l.middle);
    if (!ok || !part(model, l.middle, h / 2, l.fine, w, report, &energy) || !collect(w, l)) return;
    smooth = smooth && quiet(w) && same_contacts(l.coarse, l.fine);

    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    next.q = l.fine.q;
    next.v = l.fine.v;
    const Energies fine = model.energies({next.t, next.q, next.v}, w.model);
    if (smooth) {
      model.difference(state.q, l.coarse.q, l.x);
      model.difference(state.q, l.fine.q, l.y);
      l.x = l.y + weight_ * (l.y - l.x);
      model.retract(state.q, l.x, next.q);
      next.v += weight_ * (l.fine.v - l.coarse.v);
      const Energies combined = model.energies({next.t, next.q, next.v}, w.model);
      energy.numerical += combined.kinetic + combined.potential - fine.kinetic - fine.potential;
      if (!project(model, next, w, l, report)) return;
      const Energies projected = model.energies({next.t, next.q, next.v}, w.model);
      energy.projection += projected.kinetic - combined.kinetic;
    }
    for (std::size_t i = 0; i < w.candidates.size(); ++i)
      for (const ExtrapolatedLocal::Impulse& P : l.impulses)
        if (P.key == w.candidates[i].key)
          for (int k = 0; k < P.dim; ++k) w.impulse[w.before->rows.G.blocks()[i].row + k] += P.p[k];
    end_step(model, state, h, next, w, report);
    const EnergyLedger ends = report.energy;
    report.energy = energy;
    report.energy.kinetic = ends.kinetic;
    report.energy.potential = ends.potential;
    report.energy.kinetic_before = ends.kinetic_before;
    report.energy.potential_before = ends.potential_before;
    report.energy.defect = report.energy.change() - report.energy.sum();
    report.certificate.energy_defect = std::abs(report.energy.defect);
  }

 private:
  /// One step of Moreau-Jean; counts go to the report, the ledger where one is given.
  bool part(const Model& model, const State& from, double h, State& to, Workspace& w, StepReport& report,
            EnergyLedger* sum) const {
    StepReport r;
    inner_->step(model, from, h, to, w, r);
    report.status = r.status;
    report.blame = r.blame;
    report.newton += r.newton;
    report.solver += r.solver;
    report.activations += r.activations;
    report.minimum_norm = report.minimum_norm || r.minimum_norm;
    report.certificate.complementarity = std::max(report.certificate.complementarity, r.certificate.complementarity);
    if (!sum || !r.ok()) return r.ok();
    sum->external += r.energy.external;
    sum->damping += r.energy.damping;
    sum->joints += r.energy.joints;
    sum->impact += r.energy.impact;
    sum->friction += r.energy.friction;
    sum->numerical += r.energy.numerical;
    sum->nonlinear_remainder += r.energy.nonlinear_remainder;
    return true;
  }

  static bool collect(const Workspace& w, ExtrapolatedLocal& l) {
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Jacobian::Block& b = w.before->rows.G.blocks()[i];
      for (int k = 0; k < b.dim; k += 6) {
        ExtrapolatedLocal::Impulse P{w.candidates[i].key, std::min(b.dim - k, 6), {}};
        for (int j = 0; j < P.dim; ++j) P.p[j] = w.impulse[b.row + k + j];
        l.impulses.push_back(P);
      }
    }
    return true;
  }

  /// No contact that carries an impulse was approaching before.
  bool quiet(const Workspace& w) const {
    for (std::size_t i = 0; i < w.candidates.size(); ++i)
      if (!w.candidates[i].bilateral() && w.impulse[w.before->rows.G.blocks()[i].row] > 0 &&
          std::abs(U_before(w, static_cast<int>(i))) > controls_.tolerance.activation * U_size(w, static_cast<int>(i)))
        return false;
    return true;
  }
  static bool same_contacts(const State& a, const State& b) {
    return a.contacts.size() == b.contacts.size() &&
           std::equal(a.contacts.begin(), a.contacts.end(), b.contacts.begin(),
                      [](const ContactMemory& x, const ContactMemory& y) { return x.key == y.key; });
  }

  /// v on the joints and on the contacts that the half steps hold.
  bool project(const Model& model, State& next, Workspace& w, ExtrapolatedLocal& l, StepReport& report) const {
    std::vector<Held>& held = l.acceleration.held;
    held.clear();
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Candidate& c = w.candidates[i];
      const bool closed = std::any_of(l.fine.contacts.begin(), l.fine.contacts.end(),
                                      [&](const ContactMemory& m) { return m.key == c.key; });
      if (c.bilateral() || closed) held.push_back({static_cast<int>(i), Hold::frictionless, {}});
    }
    if (held.empty()) return true;
    ++report.newton;
    if (!l.acceleration.evaluate(model, {next.t, next.q, next.v}, w))
      report.status = StepStatus::singular;
    else if (!(l.acceleration.project_velocity(next.v) <= controls_.tolerance.constraint * velocity_size(next.v, w)))
      report.status = StepStatus::newton_limit;
    return report.ok();
  }

  SchemeInfo info_;
  std::unique_ptr<Scheme> inner_;
  double weight_ = 1;
  Controls controls_;
};

}  // namespace

SchemeEntry moreau_extrapolated() {
  SchemeEntry e;
  e.info = {.name = "moreau-extrapolated",
            .summary = "moreau-jean with h and h/2, combined where nothing happens in the step",
            .reference = "acary-2018, after Studer, Leine and Glocker 2008",
            .smooth_order = 4,
            .impact_order = 1,
            .exact_position = false,
            .exact_velocity = true,
            .one_impulse = false};
  e.options = {number_option("theta", 0.5, 0, 1, "weight of the end of the step; 1/2: fourth order in smooth motion")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<MoreauExtrapolated>(o); };
  return e;
}

}  // namespace ricochet
