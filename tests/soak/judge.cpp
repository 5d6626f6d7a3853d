#include "soak/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "ricochet/io/result/summary.hpp"

namespace ricochet::soak {
namespace {

constexpr double kTolerance = 1e-10;  ///< the default that all schemes have, of the run's scale or the size, if larger
constexpr double kClosed = 1e-9;      ///< the activation tolerance: ten times that, of the length scale
constexpr double kTouching = 1e-14;   ///< closed, and not a flight that ends just after the step; of the length
constexpr double kRounding = 2e-13;   ///< of velocities that forces would give and impulses take away again
constexpr double kEnergy = 1e-9;      ///< kinetic and potential energy against those of the report, of their sizes
constexpr double kExact = 1e-8;       ///< of schemes that control their error, in motions that are known
constexpr double kAtRest =
    1e-7;                      ///< of velocities in an equilibrium without friction, where they are unique; 1.2e-8 seen
constexpr double kSlow = 0.2;  ///< h omega up to which a known motion is compared
constexpr double kSteps = 4;   ///< times the way of a step that an impact may cost
constexpr int kImpacts = 10;   ///< counted
constexpr double kEnergyRounding = 1e-10;  ///< of the sum of absolute terms of the energy
constexpr double kSquared = 1e-16;         ///< of kinetic energies: velocities of 1e-8, what resting contacts leave
constexpr double kGain = 1e-2;     ///< energy out of nothing that must be told, of what is at stake; the library: 1e-3
constexpr double kBeyond = 1e100;  ///< of any bounds

/// How the momentum balance of a linear system reads, where one impulse closes it.
enum class Balance { none, midpoint, beginning };

struct Rules {
  bool law = false;                  ///< impulse and velocities at the ends of a step satisfy the laws
  bool at_end = false;               ///< closed contacts do not approach at the end of a step
  bool position = false;             ///< gaps and joints hold
  bool position_of_plastic = false;  ///< joints hold, and gaps of contacts without restitution
  bool velocity = false;             ///< joints hold
  bool converges = false;            ///< across impacts
  bool projects_together = false;    ///< corrects positions in a metric that couples bodies which M does not
  Balance balance = Balance::none;
};

/// Explicit in the forces, or extrapolated: what h and h/2 give of a fast oscillation differs by up to two, and
/// (4 x_h/2 - x_h)/3 grows.
bool has_a_limit(const SchemeInfo& info) {
  return info.name == "galerkin-0" || info.name == "galerkin-1" || info.name == "splitting" ||
         info.name == "mannshardt" || info.name == "moreau-extrapolated";
}

Rules rules(const SchemeInfo& info) {
  Rules r;
  r.law = info.one_impulse && info.exact_velocity;
  r.at_end = !info.one_impulse && info.exact_velocity && info.exact_position;
  r.position = info.exact_position;
  r.position_of_plastic = info.name == "schatzman-paoli";
  r.velocity = info.exact_velocity;
  r.converges = info.impact_order > 0;
  r.projects_together = info.name == "projected" || info.name == "combined";
  static const std::map<std::string, Balance> balances{{"auto", Balance::midpoint},
                                                       {"moreau-jean", Balance::midpoint},
                                                       {"moreau-jean-midpoint", Balance::midpoint},
                                                       {"projected", Balance::midpoint},
                                                       {"combined", Balance::midpoint},
                                                       {"trapezoidal-position", Balance::midpoint},
                                                       {"galerkin-0", Balance::beginning}};
  if (const auto found = balances.find(info.name); found != balances.end()) r.balance = found->second;
  return r;
}

/// Projection on |p_T| <= mu p_N.
void to_cone(double mu, double* p, int dim) {
  double tangent = 0;
  for (int k = 1; k < dim; ++k) tangent += p[k] * p[k];
  tangent = std::sqrt(tangent);
  if (p[0] >= 0 && tangent <= mu * p[0]) return;
  if (mu * tangent <= -p[0]) {
    std::fill(p, p + dim, 0.0);
    return;
  }
  const double normal = (p[0] + mu * tangent) / (1 + mu * mu);
  for (int k = 1; k < dim; ++k) p[k] *= tangent > 0 ? mu * normal / tangent : 0;
  p[0] = normal;
}

/// |p - P_K(p - u / W)| W in the unit of u, whose normal part has restitution and friction in it.
double natural_map(double mu, int dim, const double* P, const double* u, double W) {
  if (!(W > 0)) W = 1;
  double z[3] = {}, error = 0;
  for (int d = 0; d < dim; ++d) z[d] = P[d] - u[d] / W;
  to_cone(mu, z, dim);
  for (int d = 0; d < dim; ++d) error = std::max(error, std::abs(P[d] - z[d]) * W);
  return error;
}

class Judge final : public Observer {
 public:
  Judge(const Subject& subject, const SchemeInfo& info, const Tamper& tamper)
      : s_(subject.system), rules_(rules(info)), info_(info), tamper_(tamper) {
    linear_ = s_.linear();
    // Constant loads of a system given by matrices are no potential of its own, but work from outside.
    conservative_ = s_.conservative() && !(s_.as_matrices && !s_.potential.terms.empty());
    const auto& items = subject.model.items();
    for (std::size_t i = 0; i < items.size(); ++i) names_[items[i].name] = i;
    for (std::size_t k = 0; k < s_.joints.size(); ++k) joint_at_.push_back(names_.at(joint_name(static_cast<int>(k))));
    for (std::size_t k = 0; k < s_.contacts.size(); ++k)
      contact_at_.push_back(names_.at(contact_name(static_cast<int>(k))));
    model_ = &subject.model;
    if (s_.stiffness() < kSlow)
      for (const Wall& wall : s_.walls) exact_.emplace_back(wall, s_.step * (s_.steps + 1));
    // decoupled-alpha splits the forces: with springs and dampers it rests to the order of the scheme only.
    const bool split = info.name == "decoupled-alpha" && !(s_.K.isZero(0) && s_.C.isZero(0));
    at_rest_ = s_.planted == Planted::equilibrium && !s_.has_friction() && !split && planted(s_, info);
    book_energy(subject.initial.t, subject.initial.q, subject.initial.v);
  }

  void step(const State& before, const State& after, const StepReport& report) override {
    if (before.scales) scales_ = *before.scales;
    seen_.t_before = before.t;
    seen_.t = after.t;
    seen_.h = report.h;
    seen_.q_before = before.q;
    seen_.v_before = before.v;
    seen_.q = after.q;
    seen_.v = after.v;
    seen_.unheld = report.unheld;
    seen_.kinetic = report.energy.kinetic;
    seen_.potential = report.energy.potential;
    seen_.impulses.assign(model_->items().size(), {});
    seen_.restitution.assign(model_->items().size(), std::nan(""));
    for (const ConstraintReport& c : report.constraints) {
      const auto item = static_cast<std::size_t>(model_->index_of(*c.candidate));
      seen_.impulses[item].assign(c.impulse, c.impulse + c.candidate->dim);
      if (c.restitution != nullptr) seen_.restitution[item] = c.restitution[1];
    }
    exchanged_ += std::abs(report.energy.impact) + std::abs(report.energy.friction) + std::abs(report.energy.damping);
    if (tamper_) tamper_(seen_);
    judge(seen_);
  }

  void finish(Outcome& out) const {
    out.steps = steps_;
    out.ratio = ratio_;
    out.at = at_;
    if (ratio_ > 1) {
      out.verdict = Verdict::silent;
      out.what = what_;
    }
    const double stake = kinetic_ + (potential_highest_ - potential_lowest_) + exchanged_;
    if (conservative_ && stake > 0) out.gained = gained_ / stake;
    out.gain =
        conservative_ ? gained_ - kEnergyRounding * size_of_energy_ - kSquared * s_.M.trace() * speed_ * speed_ : 0;
  }

 private:
  void found(const std::string& what, double error, double limit) {
    const double ratio = error / limit;
    if (std::isnan(ratio) || ratio > ratio_) {
      ratio_ = std::isnan(ratio) ? INFINITY : ratio;
      at_ = seen_.t;
      what_ = fmt::format("{}: {:.2g}, at most {:.2g}", what, error, limit);
    }
  }

  void judge(const Seen& s) {
    ++steps_;
    if (!s.q.allFinite() || !s.v.allFinite() || s.q.cwiseAbs().maxCoeff() > kBeyond)
      return found("not finite", INFINITY, 1);
    compare("step of the report", std::abs(s.t - s.t_before - s.h), 1e-9 * s.h);
    length_ = std::max({scales_.length, s.q_before.cwiseAbs().maxCoeff(), s.q.cwiseAbs().maxCoeff()});
    speed_ = std::max({scales_.velocity, s.v_before.cwiseAbs().maxCoeff(), s.v.cwiseAbs().maxCoeff()});
    factor_.compute(s_.mass(s.q));
    implicit_.compute(s_.mass(s.q) + s.h * s_.C + s.h * s.h * s_.K);
    inverse_ = factor_.solve(Matrix::Identity(s_.n, s_.n)).cwiseAbs();
    weigh_forces(s);
    joints(s);
    for (std::size_t k = 0; k < s_.contacts.size(); ++k) contact(k, s);
    if (rules_.converges && !exact_.empty()) known_motion(s);
    // A contact that was left out, and said to be, lets go of the equilibrium.
    told_ = told_ || s.unheld > 0;
    if (rules_.converges && at_rest_ && !told_)
      compare("velocity in equilibrium", s.v.cwiseAbs().maxCoeff(), kAtRest * speed_);
    if (linear_ && rules_.balance != Balance::none) balance(s);
    energy(s);
  }

  void compare(const char* what, double error, double limit) {
    if (!(error <= limit) || error / limit > ratio_) found(what, error, limit);
  }
  void compare(const char* what, const std::string& item, double error, double limit) {
    if (!(error <= limit) || error / limit > ratio_) found(fmt::format("{} of {}", what, item), error, limit);
  }

  /// Velocities that forces would give in a step: where impulses hold against them, what is left is no better than the
  /// rounding of these. Impulses themselves do not count: those beyond all bounds would excuse themselves.
  void weigh_forces(const Seen& s) {
    const Vector q = s.q.cwiseAbs().cwiseMax(s.q_before.cwiseAbs()), v = s.v.cwiseAbs().cwiseMax(s.v_before.cwiseAbs());
    Vector force = s_.K.cwiseAbs() * q + s_.C.cwiseAbs() * v + s_.load(s.t_before).cwiseAbs() + s_.load(s.t).cwiseAbs();
    for (const Term& x : s_.potential.terms)
      if (x.kind == Term::Kind::linear) force[x.i] += std::abs(x.c);
    rounding_ = kRounding * (s.h * (inverse_ * force) + inverse_ * (s_.M.cwiseAbs() * v));
  }

  template <class Visit>
  void for_impulses(const Seen& s, Visit&& visit) const {
    for (std::size_t k = 0; k < s_.joints.size(); ++k)
      for (std::size_t d = 0; d < s_.joints[k].rows.size(); ++d)
        visit(s_.joints[k].rows[d], s.impulses[joint_at_[k]][d]);
    for (std::size_t k = 0; k < s_.contacts.size(); ++k) {
      const std::vector<double>& P = s.impulses[contact_at_[k]];
      for (std::size_t d = 0; d < P.size(); ++d) visit(d == 0 ? s_.contacts[k].gap : s_.contacts[k].slips[d - 1], P[d]);
    }
  }

  void joints(const Seen& s) {
    for (std::size_t k = 0; k < s_.joints.size(); ++k)
      for (const Formula& row : s_.joints[k].rows) {
        const std::string name = joint_name(static_cast<int>(k));
        const Vector G = row.gradient(s.q);
        const double size = std::max(1.0, G.cwiseAbs().maxCoeff());
        if (rules_.position || rules_.position_of_plastic)
          compare("joint position", name, std::abs(row.value(s.t, s.q)), kTolerance * length_ * size);
        if (rules_.velocity)
          compare("joint velocity", name, std::abs(G.dot(s.v) + row.rate(s.t)),
                  kTolerance * speed_ * size + G.cwiseAbs().dot(rounding_));
      }
  }

  void contact(std::size_t k, const Seen& s) {
    const Contact& c = s_.contacts[k];
    const std::string name = contact_name(static_cast<int>(k));
    const int dim = c.friction > 0 ? 1 + static_cast<int>(c.slips.size()) : 1;
    const std::vector<double>& given = s.impulses[contact_at_[k]];
    double P[3] = {}, u[3] = {}, z[3] = {};
    std::copy(given.begin(), given.begin() + std::min<std::ptrdiff_t>(std::ssize(given), 3), P);
    double W = 0, W_implicit = 0, limit = kTolerance * speed_;
    for (int d = 0; d < dim; ++d) {
      const Formula& row = d == 0 ? c.gap : c.slips[static_cast<std::size_t>(d - 1)];
      const Vector G = row.gradient(s.q);
      u[d] = G.dot(s.v) + row.rate(s.t);
      W += G.dot(factor_.solve(G)) / dim;
      W_implicit += G.dot(implicit_.solve(G)) / dim;
      limit += G.cwiseAbs().dot(rounding_);
    }
    const double g = c.gap.value(s.t, s.q), g_before = c.gap.value(s.t_before, s.q_before);
    const double U_before = c.gap.gradient(s.q_before).dot(s.v_before) + c.gap.rate(s.t_before);
    if (rules_.position || (rules_.position_of_plastic && c.restitution == 0))
      compare("penetration", name, -g, kTolerance * length_);
    // Impulses add up inside their cone, however many parts a step has.
    std::copy(P, P + dim, z);
    to_cone(c.friction, z, dim);
    double outside = 0;
    for (int d = 0; d < dim; ++d) outside = std::max(outside, std::abs(P[d] - z[d]));
    compare("impulse outside the cone", name, outside * W, limit);
    // Closed all along and not separating at the beginning: the law must hold whatever activates contacts, or the
    // report says that it does not. Else where it acts.
    const double touching = kClosed * scales_.length;
    const bool closed =
        g_before <= touching && U_before <= kTolerance * scales_.velocity && g <= touching && s.unheld == 0;
    const bool acts = std::any_of(P, P + dim, [](double p) { return p != 0; });
    if (rules_.law && (closed || acts)) {
      // A scheme that may reduce the restitution says what it applied, and asks for none where a contact opens.
      if (const double e = s.restitution[contact_at_[k]]; std::isnan(e)) {
        u[0] += c.restitution * U_before;
      } else {
        compare("restitution above the law's", name, e - c.restitution, 1e-12);
        u[0] += e * std::min(0.0, U_before);
      }
      if (dim > 1) u[0] += c.friction * (dim > 2 ? std::hypot(u[1], u[2]) : std::abs(u[1]));
      const double error =
          std::min(natural_map(c.friction, dim, P, u, W), natural_map(c.friction, dim, P, u, W_implicit));
      compare(acts ? "contact law" : "closed contact without impulse", name, error, limit);
    } else if (rules_.at_end && g <= kTouching * length_) {
      compare("closed contact approaches", name, -u[0], limit);
    }
  }

  /// What a scheme of order one may leave: of every impact the way of a step or two. Restitution that is lost, or an
  /// impact that is missed, leaves more.
  void known_motion(const Seen& s) {
    for (std::size_t k = 0; k < exact_.size(); ++k) {
      const ExactWall& wall = exact_[k];
      const double error = std::abs(s_.contacts[k].gap.value(s.t, s.q) - wall.z(s.t));
      double size = wall.largest_speed() + s_.walls[k].a * s_.step;
      int impacts = 1 + wall.impacts(s.t + s_.step);
      if (rules_.projects_together)
        for (std::size_t j = 0; j < exact_.size(); ++j) {
          size = std::max(size, exact_[j].largest_speed() + s_.walls[j].a * s_.step);
          impacts += exact_[j].impacts(s.t + s_.step);
        }
      impacts = std::min(impacts, kImpacts);
      const double limit = info_.error_controlled ? kExact * length_ : kSteps * impacts * s_.step * size;
      compare("known motion", contact_name(static_cast<int>(k)), error, limit + kTolerance * length_);
    }
  }

  void balance(const Seen& s) {
    const double h = s.h, theta = rules_.balance == Balance::midpoint ? 0.5 : 0;
    const Vector q = (1 - theta) * s.q_before + theta * s.q, v = (1 - theta) * s.v_before + theta * s.v;
    Vector sum = s_.M * (s.v - s.v_before);
    sum += h * (s_.K * q + s_.C * v + s_.potential.gradient(q) - s_.load(s.t_before + theta * h));
    for_impulses(s, [&](const Formula& row, double p) { sum -= p * row.gradient(q); });
    // As a velocity, which is what the tolerances are about.
    compare("momentum balance", factor_.solve(sum).cwiseAbs().maxCoeff(), kTolerance * speed_ + rounding_.maxCoeff());
  }

  void book_energy(double t, const Vector& q, const Vector& v) {
    const double T = s_.kinetic(q, v), V = s_.potential_energy(t, q);
    if (steps_ == 0) {
      lowest_ = T + V;
      potential_highest_ = potential_lowest_ = V;
    }
    gained_ = std::max(gained_, T + V - lowest_);
    lowest_ = std::min(lowest_, T + V);
    kinetic_ = std::max(kinetic_, T);
    potential_highest_ = std::max(potential_highest_, V);
    potential_lowest_ = std::min(potential_lowest_, V);
  }

  void energy(const Seen& s) {
    book_energy(s.t, s.q, s.v);
    // Loads of a system given by matrices are no potential.
    const double T = s_.kinetic(s.q, s.v);
    const double V = s_.as_matrices ? 0.5 * s.q.dot(s_.K * s.q) : s_.potential_energy(s.t, s.q);
    compare("kinetic energy of the report", std::abs(T - s.kinetic), kEnergy * std::abs(T) + 1e-300);
    double size = 0.5 * s.q.cwiseAbs().dot(s_.K.cwiseAbs() * s.q.cwiseAbs());
    for (const Term& x : s_.potential.terms) size += std::abs(x.c) * (x.kind == Term::Kind::linear ? length_ : 1);
    size_of_energy_ = std::max(size_of_energy_, size + T);
    compare("potential energy of the report", std::abs(V - s.potential), kEnergy * size + 1e-300);
  }

  const System& s_;
  const Rules rules_;
  const SchemeInfo& info_;
  const Model* model_ = nullptr;
  bool linear_ = false, conservative_ = false, at_rest_ = false, told_ = false;
  std::vector<ExactWall> exact_;
  std::map<std::string, std::size_t> names_;
  std::vector<std::size_t> joint_at_, contact_at_;
  Tamper tamper_;
  Seen seen_;
  Matrix inverse_;   ///< absolute values
  Vector rounding_;  ///< of velocities
  Eigen::LLT<Matrix> factor_,
      implicit_;  ///< of M, and of M + h C + h^2 K, which weighs impulses as implicit schemes do
  Scales scales_;
  double length_ = 1, speed_ = 1;
  double lowest_ = 0, gained_ = 0, size_of_energy_ = 0;  ///< energy
  double kinetic_ = 0, potential_highest_ = 0, potential_lowest_ = 0, exchanged_ = 0;
  int steps_ = 0;
  double ratio_ = 0, at_ = 0;
  std::string what_;
};

}  // namespace

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::failed: return "failed";
    case Verdict::silent: return "silent error";
    case Verdict::hung: return "hung";
    case Verdict::crashed: return "crashed";
    case Verdict::mute: return "failed without a cause";
    case Verdict::refused: return "refused by the reader";
    case Verdict::not_offered: return "not offered";
  }
  return "";
}

bool is_defect(Verdict verdict) {
  return verdict != Verdict::ok && verdict != Verdict::failed && verdict != Verdict::not_offered;
}

namespace {

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

bool planted(const System& system, const SchemeInfo& info) {
  if (system.planted == Planted::no || (info.error_controlled && system.has_friction())) return false;
  return !has_a_limit(info) || system.gentle();
}

bool offered(const System& system, const SchemeInfo& info) { return info.friction || !system.has_friction(); }

Outcome run_and_judge(const Subject& subject, const SchemeEntry& entry, const Tamper& tamper) {
  Outcome out;
  const System& system = subject.system;
  if (!offered(system, entry.info)) {
    out.verdict = Verdict::not_offered;
    return out;
  }
  out.planted = planted(system, entry.info);
  const double begin = processor_time();
  try {
    const auto scheme = make_scheme(entry.info.name);
    Policy policy;
    policy.step = system.step;
    policy.until = system.step * system.steps;
    RunState state = begin_run(subject.model, *scheme, subject.initial);
    Judge judge(subject, scheme->info(), tamper);
    const RunResult result = run(subject.model, *scheme, state, policy, &judge);
    judge.finish(out);
    out.work = state.summary.events + state.summary.newton_sum + state.summary.solver_sum;
    if (result.status == RunStatus::failed) {
      // What was applied before the failure is judged all the same.
      if (out.verdict != Verdict::silent) {
        const bool says_why = *remedy(result.failure.status) != '\0' && !result.failure.ok();
        out.verdict = says_why ? Verdict::failed : Verdict::mute;
        out.what = name(result.failure.status);
        out.at = result.failed_at;
      }
    } else if (out.verdict == Verdict::ok && !(std::abs(state.state.t - policy.until) <= 1e-6 * policy.step)) {
      out.verdict = Verdict::silent;
      out.what = fmt::format("finished at t = {} instead of {}", state.state.t, policy.until);
      out.ratio = INFINITY;
    } else if (out.verdict == Verdict::ok && out.gained > kGain && out.gain > state.summary.watch.noise() &&
               energy_notes(state.summary.watch, state.summary.energy.defect).empty()) {
      out.verdict = Verdict::silent;
      out.what =
          fmt::format("energy out of nothing: {:.2g} J, {:.2g} of what is at stake, not told", out.gain, out.gained);
      out.ratio = out.gained / kGain;
    }
  } catch (const std::exception& error) {
    out.verdict = Verdict::crashed;
    out.what = fmt::format("exception: {}", error.what());
  }
  out.microseconds = 1e6 * (processor_time() - begin);
  return out;
}

}  // namespace ricochet::soak
