// Which scenarios have a closed form: the model is asked at points that are spread at random, and what it answers must
// be the same affine functions everywhere, to round-off.
#include <cmath>

#include "ricochet/study/reference.hpp"

namespace ricochet {
namespace {

// A fixed sequence in (-1, 1).
class Spread {
 public:
  double operator()() {
    x_ = std::fmod(x_ + 0.6180339887498949, 1);
    y_ = std::fmod(y_ + std::sqrt(2.0) * x_, 1);
    return 2 * y_ - 1;
  }

 private:
  double x_ = 0.3, y_ = 0.1;
};

bool close(double a, double b, double size) { return std::abs(a - b) <= 1e-10 * size; }

class Probe {
 public:
  explicit Probe(const Scenario& s) : s_(s), model_(s.model), scratch_(model_), n_(model_.nv()) {
    State at = s.initial;
    model_.candidates({at.t, at.q, at.v}, s.policy.until - at.t, candidates_);
  }

  bool one_contact() const {
    return model_.nq() == n_ && model_.items().size() == 1 && !model_.items()[0].bilateral &&
           model_.items()[0].dim == 1 && candidates_.size() == 1;
  }

  /// M a + c - f
  VectorXd residual(double t, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
    VectorXd r = VectorXd::Zero(n_);
    model_.residual({t, q, v}, a, 1, r, scratch_);
    return r;
  }

  struct Gap {
    double g = 0, g_t = 0;
    VectorXd gradient;
  };
  Gap gap(double t, const VectorXd& q) {
    const int pick = 0;
    ConstraintRows rows;
    model_.evaluate(t, q, {.candidates = candidates_.data(), .pick = &pick, .count = 1}, rows, scratch_);
    Gap out{rows.g.data()[0], rows.g_t.data()[0], VectorXd::Zero(n_)};
    for (int i = 0; i < n_; ++i) {
      VectorXd unit = VectorXd::Unit(n_, i);
      rows.G.transpose_times(unit, &out.gradient[i]);
    }
    return out;
  }

  /// Restitution, if it is one number; else not a number.
  double restitution() const {
    double e = std::nan("");
    for (double U : {-1e-3, -0.1, -1.0, -10.0, -1e3}) {
      LocalState local;
      local.h = s_.policy.step;
      local.U_before = {U, 0, 0};
      const LocalLaw law = candidates_[0].law->local(local);
      if (law.cone != Cone::nonnegative || law.compliance[0] != 0) return std::nan("");
      if (!std::isnan(e) && law.restitution != e) return std::nan("");
      e = law.restitution;
    }
    return e;
  }

  Spread random;

 private:
  const Scenario& s_;
  const Model& model_;
  ModelScratch scratch_;
  int n_;
  std::vector<Candidate> candidates_;
};

VectorXd number(double x) { return VectorXd::Constant(1, x); }

}  // namespace

std::unique_ptr<ClosedForm> find_closed_form(const Scenario& s) {
  if (s.model.nv() != 1) return nullptr;
  Probe probe(s);
  if (!probe.one_contact()) return nullptr;
  const double span = s.policy.until - s.initial.t;
  const auto r = [&](double t, double q, double v, double a) {
    return probe.residual(t, number(q), number(v), number(a))[0];
  };
  // m a + c v + k q - f
  const double t0 = s.initial.t, f = -r(t0, 0, 0, 0);
  const double m = r(t0, 0, 0, 1) + f, c = r(t0, 0, 1, 0) + f, k = r(t0, 1, 0, 0) + f;
  const Probe::Gap gap = probe.gap(t0, number(0));
  const double slope = gap.gradient[0], offset = gap.g, e = probe.restitution();
  for (int i = 0; i < 12; ++i) {
    const double t = t0 + span * (probe.random() + 1) / 2, q = 3 * probe.random(), v = 3 * probe.random(),
                 a = 3 * probe.random();
    const double size = std::abs(m) * 3 + std::abs(c) * 3 + std::abs(k) * 3 + std::abs(f);
    if (!close(r(t, q, v, a), m * a + c * v + k * q - f, size)) return nullptr;
    const Probe::Gap there = probe.gap(t, number(q));
    const double length = std::abs(slope) * 3 + std::abs(offset);
    if (!close(there.g, slope * q + offset, length) || there.g_t != 0 || !close(there.gradient[0], slope, length))
      return nullptr;
  }
  if (!(m > 0) || !(k >= 0) || !(c >= 0) || slope == 0 || !(e >= 0 && e <= 1)) return nullptr;
  // The gap y = slope q + offset obeys y'' + (c/m) y' + (k/m) y = (slope f + k offset)/m.
  const ExactStop::Parameters p{.a = (slope * f + k * offset) / m,
                                .zeta = c / m / 2,
                                .w2 = k / m,
                                .e = e,
                                .y0 = std::max(0.0, slope * s.initial.q[0] + offset),
                                .v0 = slope * s.initial.v[0],
                                .t0 = t0};
  return std::make_unique<ClosedForm>(ClosedForm{ExactStop(p, s.policy.until + span), slope, offset});
}

std::unique_ptr<ExactBar> find_exact_bar(const Scenario& s) {
  const int n = s.model.nv();
  if (n < 3 || !s.model.linear()) return nullptr;
  Probe probe(s);
  if (!probe.one_contact()) return nullptr;
  const VectorXd zero = VectorXd::Zero(n);
  const double t0 = s.initial.t;
  // One element: stiffness and mass from a displacement and an acceleration of the whole bar.
  const double k = probe.residual(t0, VectorXd::Unit(n, 0), zero, zero)[0];
  const double mass = probe.residual(t0, zero, zero, VectorXd::Ones(n)).sum();
  const double elements = n - 1;
  VectorXd q(n);
  for (int trial = 0; trial < 2; ++trial) {
    for (int i = 0; i < n; ++i) q[i] = probe.random();
    const VectorXd r = probe.residual(t0 + trial * s.policy.step, q, zero, zero);
    for (int i = 0; i < n; ++i) {
      const double left = i > 0 ? q[i] - q[i - 1] : 0, right = i + 1 < n ? q[i] - q[i + 1] : 0;
      if (!close(r[i], k * (left + right), 4 * std::abs(k))) return nullptr;
    }
  }
  const Probe::Gap gap = probe.gap(t0, s.initial.q);
  const double v0 = s.initial.v[0];
  if (!(k > 0) || !(mass > 0) || !(v0 < 0) || t0 != 0 || s.initial.q != zero ||
      s.initial.v != VectorXd::Constant(n, v0) || gap.gradient != VectorXd::Unit(n, 0) || !(gap.g >= 0))
    return nullptr;
  // In units in which the bar is one long and its section one: E S / L = k / elements, rho S L = mass.
  return std::make_unique<ExactBar>(
      ExactBar::Parameters{.length = 1, .section = 1, .young = k / elements, .density = mass, .gap = gap.g, .v0 = v0});
}

}  // namespace ricochet
