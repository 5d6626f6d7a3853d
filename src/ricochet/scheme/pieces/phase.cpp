#include "ricochet/scheme/pieces/phase.hpp"

#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

// Samples of a step. Unequal, so that what is periodic does not look the same at all of them.
constexpr int kSamples = 6;
constexpr double kPlaces[kSamples + 1] = {0, 0.1173, 0.2861, 0.4677, 0.6489, 0.8372, 1};
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kGrazing = 1e-12;  // of the length scale: a gap that comes down to this only grazes (case 1.3)
constexpr double kLetGo = 1e3;      // times the noise of accelerations: a row that chosen reactions let go of

}  // namespace

/// The right-hand side, y = (x, v, works, impulses).
class Phase::Rates final : public Flow {
 public:
  Rates(Phase& phase, const PhaseContext& c) : p_(phase), c_(c) {}

  bool rate(double s, ConstView y, View out) override {
    ++p_.evaluations;
    const Index n = p_.nv_;
    const ConstView x = y.segment(0, n), v = y.segment(n, n);
    c_.model.retract(*p_.q0_, x, p_.q_);
    const Point at{c_.t + s, p_.q_, v};
    if (!p_.hold(c_, at, out.segment(n, n))) return false;
    c_.model.increment_rate(x, v, out.segment(0, n));
    const Power power = c_.model.power(at, v, c_.w.model);
    double* work = out.data() + 2 * n;
    for (int k = 0; k < kWorks; ++k) work[k] = 0;
    work[external] = power.external + power.potential_rate;
    work[damping] = power.damping;
    double* P = work + kWorks;
    for (std::size_t k = 0; k < p_.acc_.held.size(); ++k) {
      const bool joint = c_.w.candidates[static_cast<std::size_t>(p_.acc_.held[k].candidate)].bilateral();
      for (int i = 0; i < p_.acc_.dim(k); ++i) {
        const double lambda = p_.acc_.reaction(k)[i];
        *P++ = lambda;
        work[joint ? joints : i == 0 ? impact : friction] += lambda * p_.acc_.U(k)[i];
        work[external] -= lambda * p_.acc_.g_t(k)[i];
      }
    }
    return true;
  }

 private:
  Phase& p_;
  const PhaseContext& c_;
};

Phase::Phase(const Model& model, std::unique_ptr<Stepper> stepper)
    : nv_(model.nv()),
      stepper_(std::move(stepper)),
      acc_(model),
      scale_(2 * model.nv()),
      state_(2 * model.nv()),
      q_(model.nq()),
      a_(model.nv()),
      x_(model.nv()) {}

void Phase::choose_set(const PhaseContext& c, const std::vector<ContactMode>& modes,
                       const std::vector<std::array<double, 2>>& directions) {
  acc_.held.clear();
  open_.pick.clear();
  watches_.clear();
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (c.w.candidates[i].bilateral()) acc_.held.push_back({static_cast<int>(i), Hold::sticking, {}});
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Candidate& candidate = c.w.candidates[i];
    const auto id = static_cast<int>(i);
    if (candidate.bilateral()) continue;
    if (modes[i] == ContactMode::open) {
      watches_.push_back({Watch::gap, id, static_cast<int>(open_.pick.size())});
      open_.pick.push_back(id);
      continue;
    }
    const auto place = static_cast<int>(acc_.held.size());
    watches_.push_back({Watch::release, id, place});
    if (modes[i] == ContactMode::sticking) {
      acc_.held.push_back({id, Hold::sticking, {}});
      watches_.push_back({Watch::cone_up, id, place});
      if (candidate.dim == 2) watches_.push_back({Watch::cone_down, id, place});
    } else if (slides(modes[i])) {
      acc_.held.push_back({id, Hold::sliding, {modes[i] == ContactMode::forward ? 1.0 : -1.0, 0}});
      if (candidate.dim == 3) acc_.held.back().slip = directions[i];
      acc_.held.back().creeps = candidate.dim == 3;  // until the first step looks
      watches_.push_back({Watch::slip, id, place});
      watches_.push_back({Watch::jam, id, place});
    } else {
      acc_.held.push_back({id, Hold::frictionless, {}});
    }
  }
  if (watches_.size() > open_.pick.size()) watches_.push_back({Watch::choice, -1, 0});
}

bool Phase::hold(const PhaseContext& c, const Point& at, View a) {
  if (!acc_.evaluate(c.model, at, c.w)) return false;
  if (begins_) {
    find_creeping(c, a);
  } else if (!acc_.direct(c.controls, c.w.solver, a)) {
    trouble_ = StepStatus::solver_failed;
    return false;
  }
  begins_ = false;
  if (acc_.hold_by_law(c.controls, c.w.solver, a)) return true;
  if (acc_.chosen) trouble_ = StepStatus::solver_failed;
  return false;
}

void Phase::reserve(const PhaseContext& c) {
  const auto contacts = c.w.candidates.size();
  if (reserved_ && contacts <= reserved_for_) return;
  int rows = 0;
  for (const Candidate& candidate : c.w.candidates) rows += candidate.dim;
  acc_.reserve(rows, static_cast<int>(contacts));
  y_.setZero(2 * nv_ + kWorks + rows);
  stepper_->reserve(y_.size());
  impulses_.setZero(rows);
  const auto watched = static_cast<Index>(contacts * 4 + 1);
  watches_.reserve(static_cast<std::size_t>(watched));
  for (VectorXd* v : {&f_, &df_, &base_}) v->setZero(watched);
  for (VectorXd* v : {&values_, &rates_}) v->setZero((kSamples + 1) * watched);
  reserved_ = true;
  reserved_for_ = contacts;
}

bool Phase::sample(const PhaseContext& c, double s, ConstView state, double* f, double* df) {
  const ConstView x = state.segment(0, nv_), v = state.segment(nv_, nv_);
  c.model.retract(*q0_, x, q_);
  const Point at{c.t + s, q_, v};
  if (!open_.pick.empty()) {
    evaluate(c.model, at.t, at.q, c.w.candidates, open_, c.w.model, true);
    for (std::size_t k = 0; k < watches_.size(); ++k) {
      if (watches_[k].kind != Watch::gap) continue;
      const Jacobian::Block& b = open_.G.blocks()[static_cast<std::size_t>(watches_[k].place)];
      f[k] = open_.g[b.row] - base_[static_cast<Index>(k)];
      df[k] = open_.G.row_times(b, 0, v) + open_.g_t[b.row];
    }
  }
  return open_.pick.size() == watches_.size() || add_closed(c, at, f, df);
}

bool Phase::add_closed(const PhaseContext& c, const Point& at, double* f, double* df) {
  ++evaluations;
  if (!hold(c, at, a_)) return false;
  chosen_ = chosen_ || acc_.chosen;
  force_noise_ = acc_.gamma_noise();
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    const Watch& watch = watches_[k];
    if (watch.kind == Watch::gap) continue;
    f[k] = 1;
    df[k] = 0;
    if (watch.kind == Watch::choice) {
      if (acc_.chosen) f[k] = kLetGo * force_noise_ - acc_.slack();
      continue;
    }
    const auto place = static_cast<std::size_t>(watch.place);
    const double *lambda = acc_.reaction(place), *U = acc_.U(place), mu = acc_.mu(place);
    const bool space = acc_.dim(place) == 3;
    if (watch.kind == Watch::slip) {
      const double s = acc_.held[place].slip[0];
      f[k] = space ? elementary::hypot(U[1], U[2]) - kSlipThreshold * c.w.scale.velocity : s * U[1];
      df[k] = s * acc_.gamma(place)[1];
    } else if (watch.kind == Watch::jam) {
      f[k] = acc_.stiffness(place);
    } else if (!acc_.chosen) {
      f[k] = watch.kind == Watch::release   ? lambda[0]
             : space                        ? mu * lambda[0] - elementary::hypot(lambda[1], lambda[2])
             : watch.kind == Watch::cone_up ? mu * lambda[0] - lambda[1]
                                            : mu * lambda[0] + lambda[1];
    }
  }
  return true;
}

bool Phase::sample_dense(const PhaseContext& c, double theta, double* f, double* df) {
  stepper_->interpolate(theta, state_);
  return sample(c, s_ + theta * h_, state_, f, df);
}

/// Values of this size are zero: the sign is round-off.
double Phase::noise(const PhaseContext& c, std::size_t k) const {
  switch (watches_[k].kind) {
    case Watch::gap: return 4 * kEps * c.w.scale.length;
    case Watch::slip: return 4 * kEps * c.w.scale.velocity;
    case Watch::jam:
    case Watch::choice: return 0;
    default: return force_noise_;
  }
}

/// Zero of f_k, or of its rate, between a, where it is admissible, and b, where it is not: regula falsi (Illinois) with
/// bisection where that creeps.
double Phase::zero(const PhaseContext& c, std::size_t k, double a, double b, bool of_rate) {
  const auto value = [&](double theta) {
    if (!sample_dense(c, theta, f_.data(), df_.data())) return -1.0;
    return of_rate ? df_[static_cast<Index>(k)] : f_[static_cast<Index>(k)];
  };
  double fa = value(a), fb = value(b);
  if ((fa < 0) == (fb < 0)) return of_rate ? 0.5 * (a + b) : a;
  for (int i = 0; i < 100 && b - a > 1e-13 * b; ++i) {
    double m = i % 4 == 3 ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
    if (!(m > a && m < b)) m = 0.5 * (a + b);
    const double fm = value(m);
    if (fm == 0) return m;
    if ((fm < 0) == (fb < 0)) {
      b = m;
      fb = fm;
      fa *= 0.5;
    } else {
      a = m;
      fa = fm;
      fb *= 0.5;
    }
  }
  return 0.5 * (a + b);
}

/// Between the samples j and j + 1; 2 if the gap stays open.
double Phase::zero_of_gap(const PhaseContext& c, std::size_t k, int j) {
  const auto at = static_cast<Index>(k), n = static_cast<Index>(watches_.size());
  const double fa = values_[j * n + at], fb = values_[(j + 1) * n + at];
  const double da = rates_[j * n + at], db = rates_[(j + 1) * n + at];
  const double a = kPlaces[j], b = kPlaces[j + 1];
  const double grazing = kGrazing * c.w.scale.length;
  if (da > 0 && db < 0)  // rises and falls: only the fall can end it
    return fb < 0 ? zero(c, k, zero(c, k, a, b, true), b, false) : 2;
  if (da < 0 && db > 0) {  // falls and rises: the least value lies in between
    if (fb < -grazing) return zero(c, k, a, b, false);
    // a convex gap stays above the tangents of both ends; the margin covers a little of the contrary
    const double w = (b - a) * h_, tangents = std::min(fa + da * w, fb - db * w);
    if (tangents > 0.5 * std::max(fa, fb)) return 2;
    double lo = a, hi = b;
    for (int i = 0; i < 60 && hi - lo > 1e-9 * hi; ++i) {
      const double m = 0.5 * (lo + hi);
      if (!sample_dense(c, m, f_.data(), df_.data())) break;
      if (f_[at] < -grazing) return zero(c, k, a, m, false);
      (df_[at] < 0 ? lo : hi) = m;
    }
    return 2;
  }
  return db < 0 && fb < 0 ? zero(c, k, a, b, false) : 2;
}

/// Of a force or a slip: where it falls below zero between the samples j and j + 1, or in a dip about j.
double Phase::zero_of_force(const PhaseContext& c, std::size_t k, int j) {
  const auto at = static_cast<Index>(k), n = static_cast<Index>(watches_.size());
  const double b = kPlaces[j], after = values_[(j + 1) * n + at];
  if (after < -noise(c, k)) return zero(c, k, b, kPlaces[j + 1], false);
  if (j == 0) return 2;
  // the bottom of the parabola through three samples
  const double a = kPlaces[j - 1], d = kPlaces[j + 1], before = values_[(j - 1) * n + at], here = values_[j * n + at];
  if (!(here < before && here < after)) return 2;
  const double left = (here - before) / (b - a), right = (after - here) / (d - b), bend = (right - left) / (d - a);
  const double slope = left + bend * (b - a), bottom = b - slope / (2 * bend);
  if (here - slope * slope / (4 * bend) > 0.1 * here) return 2;
  if (!sample_dense(c, bottom, f_.data(), df_.data()) || !(f_[at] < -noise(c, k))) return 2;
  return zero(c, k, a, bottom, false);
}

bool Phase::take_samples(const PhaseContext& c) {
  const auto n = static_cast<Index>(watches_.size());
  base_.setZero();
  chosen_ = false;
  for (int j = 0; j <= kSamples; ++j) {
    if (!sample_dense(c, kPlaces[j], values_.data() + j * n, rates_.data() + j * n)) return false;
    for (Index k = 0; j == 0 && k < n; ++k)
      if (watches_[static_cast<std::size_t>(k)].kind == Watch::gap && values_[k] < 0) {
        base_[k] = std::max(values_[k], -kGrazing * c.w.scale.length);
        values_[k] -= base_[k];
      }
  }
  return true;
}

/// The samples show how a gap moves between them: Hermite's cubic over two intervals meets the sample in their midst.
/// The error control does not know gaps; one that depends on time may swing while the motion is plain.
bool Phase::resolved(const PhaseContext& c) const {
  const auto n = static_cast<Index>(watches_.size());
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    if (watches_[k].kind != Watch::gap) continue;
    const auto at = static_cast<Index>(k);
    double size = 0, worst = 0;
    for (int j = 0; j <= kSamples; ++j) size = std::max(size, std::abs(values_[j * n + at]));
    for (int j = 1; j < kSamples; ++j) {
      const double w = kPlaces[j + 1] - kPlaces[j - 1], x = (kPlaces[j] - kPlaces[j - 1]) / w, y = 1 - x;
      const double fa = values_[(j - 1) * n + at], fb = values_[(j + 1) * n + at];
      const double da = rates_[(j - 1) * n + at] * w * h_, db = rates_[(j + 1) * n + at] * w * h_;
      const double cubic = y * y * (1 + 2 * x) * fa + x * x * (1 + 2 * y) * fb + x * y * (y * da - x * db);
      worst = std::max(worst, std::abs(cubic - values_[j * n + at]));
    }
    if (worst > 0.02 * size + kGrazing * c.w.scale.length) return false;
  }
  return true;
}

bool Phase::begins_to_slide(std::size_t k) const {
  return watches_[k].kind == Watch::slip && values_[static_cast<Index>(k)] <= 0 &&
         acc_.dim(static_cast<std::size_t>(watches_[k].place)) == 3;
}

double Phase::first_zero(const PhaseContext& c, std::size_t& watch) {
  double first = 2;
  for (int j = 0; j < kSamples && first > 1; ++j)
    for (std::size_t k = 0; k < watches_.size(); ++k) {
      if (begins_to_slide(k)) continue;
      const double theta = watches_[k].kind == Watch::gap ? zero_of_gap(c, k, j) : zero_of_force(c, k, j);
      if (theta >= first) continue;
      first = theta;
      watch = k;
    }
  return first;
}

/// Newton on the length of a real step: the continuous output is of lower order than the method.
bool Phase::polish(const PhaseContext& c, Flow& flow, std::size_t k, double s, double& h) {
  const auto at = static_cast<Index>(k);
  const Watch::Kind kind = watches_[k].kind;
  const bool has_rate =
      kind == Watch::gap ||
      (kind == Watch::slip && c.w.candidates[static_cast<std::size_t>(watches_[k].candidate)].dim == 2);
  double rate = 0;
  if (!has_rate && kind != Watch::jam && kind != Watch::choice) {
    const double theta = h / h_, d = 1e-4 * std::max(theta, 1e-3);
    double f[2];
    for (int i = 0; i < 2; ++i) {
      if (!sample_dense(c, theta + (i == 0 ? -d : d), f_.data(), df_.data())) return false;
      f[i] = f_[at];
    }
    rate = (f[1] - f[0]) / (2 * d * h_);
  }
  const double longest = h;
  for (int pass = 0; pass < 6; ++pass) {
    if (!stepper_->step(flow, h)) return false;
    if (!sample(c, s + h, stepper_->y_end(), f_.data(), df_.data())) return false;
    if (has_rate) rate = df_[at];
    if (!(std::abs(rate) > 0)) return true;
    const double change = f_[at] / rate;
    if (std::abs(change) <= kEps * (s + h) || std::abs(change) > 1e-3 * longest || pass == 5) return true;
    h = std::max(h - change, 0.0);
  }
  return true;
}

void Phase::make_scale(const PhaseContext& c, const Moment& at, const PhaseTolerances& tolerance, ConstView end) {
  for (Index i = 0; i < nv_; ++i) {
    const double length = c.w.scale.coordinate[static_cast<std::size_t>(i)], speed = length / c.w.scale.time;
    const double size = c.model.flat() ? std::max(std::abs(at.q[i]), std::abs(at.q[i] + end[i])) : std::abs(end[i]);
    scale_[i] = tolerance.atol * length + tolerance.rtol * (c.model.flat() ? size : std::max(length, size));
    scale_[nv_ + i] = tolerance.atol * speed + tolerance.rtol * std::max(std::abs(at.v[i]), std::abs(end[nv_ + i]));
  }
}

Phase::Outcome Phase::advance(const PhaseContext& c, Moment& at, double h_max, const PhaseTolerances& tolerance,
                              double& proposal) {
  Outcome out;
  Rates flow(*this, c);
  q0_ = &at.q;
  const Index n = 2 * nv_;
  int rows = 0;
  for (const Held& h : acc_.held) rows += c.w.candidates[static_cast<std::size_t>(h.candidate)].dim;
  y_.setZero();
  trouble_ = StepStatus::converged;
  chosen_ = false;
  for (Index i = 0; i < nv_; ++i) y_[nv_ + i] = at.v[i];
  const ConstView y(y_.data(), n + kWorks + rows);
  begins_ = true;
  for (Index i = 0; i < nv_; ++i) {
    scale_[i] = c.w.scale.coordinate[static_cast<std::size_t>(i)];
    scale_[nv_ + i] = scale_[i] / c.w.scale.time;
  }
  stepper_->measure(scale_);
  if (!stepper_->begin(flow, at.s, y, n)) {
    out.status = trouble_ != StepStatus::converged ? trouble_ : StepStatus::singular;
    for (double x : y)
      if (!std::isfinite(x)) out.status = StepStatus::not_finite;
    return out;
  }
  if (!(proposal > 0)) proposal = 1e-2 * h_max;  // the control finds the right length
  double h = proposal >= 0.9 * h_max ? h_max : proposal;
  for (;;) {
    if (c.w.stopped()) {
      out.status = StepStatus::interrupted;
      return out;
    }
    double error = std::numeric_limits<double>::infinity();
    if (stepper_->step(flow, h)) {
      make_scale(c, at, tolerance, stepper_->y_end());
      error = stepper_->error(scale_);
    }
    const double growth =
        std::isfinite(error) ? 0.9 * elementary::pow(std::max(error, 1e-12), -1 / stepper_->error_order()) : 0.2;
    if (error <= 1) {
      s_ = at.s;
      h_ = h;
      const bool watched = watches_.empty() || (stepper_->make_dense(flow) && take_samples(c));
      if (watched && (watches_.empty() || resolved(c)) && still_creeps(c)) {
        const double next = h * std::min(growth, 6.0);
        proposal = h < proposal ? std::max(proposal, next) : next;
        break;
      }
      h *= 0.5;
    } else {
      h *= std::clamp(growth, 0.1, 0.9);
    }
    proposal = h;
    if (h <= kEps * std::max(at.s, std::abs(c.t)) || h <= 1e-15 * h_max) {
      out.status = trouble_ != StepStatus::converged ? trouble_
                   : std::isfinite(error)            ? StepStatus::inner_step
                                                     : StepStatus::not_finite;
      return out;
    }
  }
  std::size_t watch = 0;
  const double theta = first_zero(c, watch);
  if (theta <= 1) {
    h = theta * h_;
    out.event = true;
    out.slip = watches_[watch].kind == Watch::slip;
    out.candidate = watches_[watch].candidate;
    if (h > 0 && !polish(c, flow, watch, at.s, h)) out.status = StepStatus::not_finite;
    if (watches_[watch].kind == Watch::jam) out.status = StepStatus::painleve;
  }
  out.h = h;
  if (out.status != StepStatus::converged || h == 0) return out;
  if (chosen_ && !integrate_impulses(c, flow, h)) {
    out.status = StepStatus::solver_failed;
    return out;
  }
  const ConstView end = stepper_->y_end();
  c.model.retract(at.q, end.segment(0, nv_), q_);
  at.q = q_;
  for (Index i = 0; i < nv_; ++i) at.v[i] = end[nv_ + i];
  at.s += h;
  return out;
}

bool Phase::integrate_impulses(const PhaseContext& c, Flow& flow, double h) {
  // Gauss, five points
  constexpr double kNodes[5] = {0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552,
                                0.95308992296933199640};
  constexpr double kWeights[5] = {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444,
                                  0.23931433524968323402, 0.11846344252809454376};
  if (!stepper_->make_dense(flow)) return false;
  impulses_.setZero();
  for (int j = 0; j < 5; ++j) {
    stepper_->interpolate(kNodes[j], state_);
    c.model.retract(*q0_, ConstView(state_).segment(0, nv_), q_);
    if (!hold(c, {c.t + s_ + kNodes[j] * h, q_, ConstView(state_).segment(nv_, nv_)}, a_)) return false;
    double* P = impulses_.data();
    for (std::size_t k = 0; k < acc_.held.size(); ++k)
      for (int i = 0; i < acc_.dim(k); ++i) *P++ += kWeights[j] * h * acc_.reaction(k)[i];
  }
  return true;
}

StepStatus Phase::project(const PhaseContext& c, Moment& at) {
  if (acc_.held.empty()) return StepStatus::converged;
  const double t = c.t + at.s, tolerance = c.controls.tolerance.constraint;
  for (int pass = 0;; ++pass) {
    if (!acc_.evaluate(c.model, {t, at.q, at.v}, c.w)) return StepStatus::singular;
    const double left = acc_.position_error();
    if (left <= 4 * kEps) break;
    if (pass == 4) {
      if (!(left <= tolerance * configuration_size(c.model, at.q, c.w))) return StepStatus::newton_limit;
      break;
    }
    acc_.position_correction(x_);
    c.model.retract(at.q, x_, q_);
    at.q = q_;
  }
  const double speed = velocity_size(at.v, c.w);
  return acc_.project_velocity(at.v) <= tolerance * speed ? StepStatus::converged : StepStatus::newton_limit;
}

}  // namespace ricochet
