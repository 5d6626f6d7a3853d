#include "ricochet/scheme/pieces/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/scheme/pieces/acceleration.hpp"
#include "ricochet/solver/measures.hpp"

namespace ricochet {

double law_residual(const Candidate& contact, const LocalState& before, const Mobility& mobility, const double* P,
                    const double* U_after, const double* restitution) {
  const LocalLaw law = contact.law->local(before);
  double u[kMostContactRows] = {};
  for (int k = 0; k < contact.dim; ++k) {
    if (!(std::abs(P[k]) <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    u[k] = U_after[k] + law.compliance[static_cast<std::size_t>(k)] * P[k];
  }
  u[0] +=
      restitution != nullptr ? *restitution * std::min(0.0, before.U_before[0]) : law.restitution * before.U_before[0];
  return natural_residual({law.cone, 0, contact.dim, law.mu, law.roll, law.spin}, mobility, P, u);
}

namespace {

bool loaded(const double* P, int dim) {
  for (int k = 0; k < dim; ++k)
    if (P[k] != 0) return true;
  return false;
}

/// The law of contact i with the rows at the end of the step.
double residual_of(const Attempted& s, std::size_t i) {
  const Workspace& w = s.w;
  const Candidate& c = w.candidates[i];
  const int row = w.after->rows.G.blocks()[i].row;
  LocalState local = local_state(w, static_cast<int>(i), s.h);
  local.load = load_of(w, c, s.h);
  const double *P = w.impulse.data() + row, *mobile = w.compliance.data() + row;
  double largest = 0;
  for (int k = 0; k < c.dim; ++k) largest = std::max(largest, std::abs(P[k]));
  // An impulse moves the bodies no more exactly than it can be written down.
  const double rounding = std::numeric_limits<double>::epsilon() * *mobile * largest;
  const Mobility mobility = c.law->rolling() && c.dim > 2 ? get_mobility(c.dim, mobile) : *mobile;
  return std::max(rounding, law_residual(c, local, mobility, P, w.after->U.data() + row,
                                         w.reduces ? w.restitution.data() + 2 * i + 1 : nullptr));
}

/// Velocity for a normal impulse at contact i, at the end of the step. For steps in doubt.
double response(const Attempted& s, std::size_t i) {
  Accelerations& all = s.w.of<Accelerations>(s.model);
  all.held.clear();
  for (std::size_t k = 0; k < s.w.candidates.size(); ++k)
    if (s.w.candidates[k].bilateral()) all.held.push_back({static_cast<int>(k), Hold::sticking, {}});
  all.held.push_back({static_cast<int>(i), Hold::frictionless, {}});
  const bool regular = all.evaluate(s.model, {s.next.t, s.next.q, s.next.v}, s.w);
  return regular ? all.own_response(all.held.size() - 1) : std::numeric_limits<double>::infinity();
}

/// How far the impulse of the whole step lies outside its cone, as a velocity. More than rounding of the impulse.
double outside_cone(const Tolerances& tolerance, const Attempted& s, std::size_t i) {
  const Candidate& c = s.w.candidates[i];
  const int row = s.w.after->rows.G.blocks()[i].row;
  const double* P = s.w.impulse.data() + row;
  const LocalLaw law = c.law->local(local_state(s.w, static_cast<int>(i), s.h));
  double inside[kMostContactRows] = {}, distance = 0, size = 0;
  std::copy(P, P + c.dim, inside);
  project(law.cone, c.dim, law.friction(), inside);
  for (int k = 0; k < c.dim; ++k) {
    distance += std::abs(P[k] - inside[k]);
    size += std::abs(inside[k]);
  }
  return distance <= tolerance.solver * size ? 0 : distance * response(s, i);
}

/// What contact i leaves of its law; 0 where nothing is asked of it.
struct Judged {
  double error = 0;
  bool left_out = false;  ///< closed at both ends, approaching, without an impulse
  bool slow = false;      ///< so slowly that no gap tells: said, not refused
};

/// Of a step in parts: what holds whatever the parts were.
Judged judge_sum(const SchemeInfo& info, const Tolerances& tolerance, const Attempted& s, std::size_t i) {
  const Workspace& w = s.w;
  const Candidate& c = w.candidates[i];
  const int row = w.after->rows.G.blocks()[i].row;
  const bool acts = loaded(w.impulse.data() + row, c.dim);
  const double size = w.size[row];
  if (acts)
    if (const double error = outside_cone(tolerance, s, i); !(error * s.w.scale.time <= tolerance.constraint * size))
      return {error, false};
  // what is above zero is in flight
  const double approach = -w.after->U[row];
  if (!(w.before->rows.g[row] <= 0 && w.after->rows.g[row] <= 0 && approach * s.h > tolerance.activation * size))
    return {};
  // With restitution it may fly as well, from a gap of rounding to another one. So may, where gaps drift, what opened;
  // and after an impact of its neighbours what separated before lawfully comes back.
  const LocalState local = local_state(w, static_cast<int>(i), s.h);
  if ((acts || !info.exact_position) && c.law->local(local).restitution > 0) return {};
  if (!info.exact_position && w.before->U[row] * w.scale.time > tolerance.activation * size) return {};
  return {approach, true};
}

Judged judge_contact(const SchemeInfo& info, const Tolerances& tolerance, const Attempted& s, std::size_t i) {
  if (s.w.candidates[i].velocity_only) return {residual_of(s, i), false};  // no gap says whether it counts
  if (!info.one_impulse) return judge_sum(info, tolerance, s, i);
  const Workspace& w = s.w;
  const int row = w.after->rows.G.blocks()[i].row;
  if (loaded(w.impulse.data() + row, w.candidates[i].dim)) return {residual_of(s, i), false};
  const double closed = tolerance.activation * w.size[row], held = tolerance.constraint * w.size[row];
  if (!(w.before->rows.g[row] <= closed && w.after->rows.g[row] <= closed)) return {};
  const double error = residual_of(s, i);
  if (error * s.h > closed) return {error, true};
  // At rest or in flight, as far as gaps can tell; not in flight where they are zero or it had not left.
  const bool left = w.before->U[row] * w.scale.time > held;
  const bool apart = std::max(w.before->rows.g[row], w.after->rows.g[row]) > held;
  if ((left && apart) || error * w.scale.time <= held) return {};
  return {error, true, true};
}

/// What some of the contacts leave.
struct Found {
  double worst;
  int left_out;
};
/// One for each of a team, in memory that stays.
Found* found_by_parts(int parts, const Found& none) {
  thread_local std::vector<Found> all;
  all.assign(static_cast<std::size_t>(parts), none);
  return all.data();
}

void evaluate_laws(const SchemeInfo& info, const Tolerances& tolerance, const Attempted& s) {
  const double *before = s.w.before->rows.g.data(), *after = s.w.after->rows.g.data(), *P = s.w.impulse.data();
  const double* size = s.w.size.data();
  const Jacobian::Block* block = s.w.after->rows.G.blocks().data();
  const std::size_t n = s.w.candidates.size();
  const Candidate* candidate = s.w.candidates.data();
  const bool keep = s.w.sleep.allowed && s.w.sleep.possible();
  if (keep) s.w.judged.zeros(static_cast<Index>(n));
  // A step in parts asks for responses of the whole system, one at a time.
  constexpr int kShared = 400;
  Team* team = info.one_impulse ? team_for(&s.w.solver.crew, static_cast<int>(n), kShared) : nullptr;
  Found alone{s.report.certificate.complementarity, 0};
  Found* found = team != nullptr ? found_by_parts(team->size(), alone) : &alone;
  share_parts(team, static_cast<int>(n), [&](int part, int first, int last) {
    double worst = found[part].worst;
    for (int k = first; k < last; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (candidate[i].bilateral()) continue;
      const int row = block[i].row;
      const double closed = tolerance.activation * size[row];
      // open contacts without an impulse, most of them, pay for no more than this
      if ((before[row] > closed || after[row] > closed) && !loaded(P + row, block[i].dim)) continue;
      const Judged contact = judge_contact(info, tolerance, s, i);
      if (!(contact.error <= worst)) worst = contact.error;
      found[part].left_out += contact.left_out;
      if (keep) s.w.judged[static_cast<Index>(i)] = contact.error;
    }
    found[part].worst = worst;
  });
  for (int k = 0; k < static_cast<int>(parts_of(team)); ++k) {
    const Found& part = found[k];
    double& worst = s.report.certificate.complementarity;
    if (!(part.worst <= worst)) worst = part.worst;
    s.report.unheld += part.left_out;
  }
  if (s.w.sleep.any())
    s.report.certificate.complementarity = std::max(s.report.certificate.complementarity, s.w.sleep.complementarity());
}

/// Entries above the tolerance, looked at one by one: each against the size of its terms.
class Trial {
 public:
  Trial(const Tolerances& tolerance, const Attempted& s)
      : all_(tolerance),
        tolerance_(tolerance.constraint),
        rounding_(std::max(tolerance.solver, 64 * std::numeric_limits<double>::epsilon())),
        length_(configuration_size(s.model, s.next.q, s.w)),
        speed_(std::max(s.w.scale.of_rate(s.state.v), s.w.scale.of_rate(s.next.v))),
        s_(s) {}

  void judge(const SchemeInfo& info, bool by_laws) {
    const Workspace& w = s_.w;
    const Rows& end = w.after->rows;
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Candidate& c = w.candidates[i];
      const Jacobian::Block& b = end.G.blocks()[i];
      const int rows = c.bilateral() ? b.dim : 1;
      for (int k = 0; k < rows; ++k) {
        const double g = c.bilateral() ? w.joint_g[b.row + k] : end.g[b.row + k];
        const double size = w.size[b.row + k], rate = size / w.scale.time;
        if (info.exact_position && !c.velocity_only)
          hold(i, (c.bilateral() ? std::abs(g) : -g) / size, length(b, k) / size, StepStatus::uncertified);
        if (info.exact_velocity && info.rows_at_end && c.bilateral())
          hold(i, std::abs(w.joint_U[b.row + k]) / rate, velocity(b, k) / rate, StepStatus::uncertified);
      }
      if (by_laws && !c.bilateral()) judge_law(info, i);
    }
    const double complementarity = s_.report.certificate.complementarity * w.scale.per_velocity;
    if (!(by_laws && info.one_impulse) && !(complementarity <= tolerance_))
      hold(w.candidates.size(), complementarity, largest_term(info), StepStatus::uncertified);
    if (worst_ <= 1) return;
    s_.report.status = status_;
    if (blame_ < w.candidates.size()) s_.report.blame = s_.model.index_of(w.candidates[blame_]);
  }

 private:
  void judge_law(const SchemeInfo& info, std::size_t i) {
    const Judged contact = judge_contact(info, all_, s_, i);
    const Jacobian::Block& b = s_.w.after->rows.G.blocks()[i];
    if (contact.slow) return;
    const double rate = s_.w.size[b.row] / s_.w.scale.time;
    const bool opened = s_.w.before->U[b.row] > all_.activation * rate;
    if (contact.left_out && !info.holds_closed && (opened || !info.exact_position)) return;
    double size = 0;
    for (int k = 0; k < b.dim; ++k) size = std::max(size, velocity(b, k));
    hold(i, contact.error / rate, size / rate, contact.left_out ? StepStatus::unheld_contact : StepStatus::uncertified);
  }

  /// Error and size of its terms, over the scale.
  void hold(std::size_t candidate, double error, double size, StepStatus status) {
    const double ratio = error / std::max(tolerance_, rounding_ * size);
    if (ratio <= worst_) return;
    worst_ = ratio == ratio ? ratio : std::numeric_limits<double>::infinity();
    blame_ = candidate;
    status_ = status;
  }

  /// Sum of the absolute entries of a row, each times the size of its coordinate.
  double gradient(const Jacobian::Block& b, int k) const {
    const Jacobian& G = s_.w.after->rows.G;
    const double* entry = G.row(b, k);
    double sum = 0;
    for (int r = 0; r < b.ranges; ++r)
      for (int j = G.ranges(b)[r].at, end = j + G.ranges(b)[r].n; j < end; ++j)
        sum += std::abs(*entry++) * s_.w.scale.coordinate[static_cast<std::size_t>(j)];
    return sum;
  }
  /// In the units of the row.
  double length(const Jacobian::Block& b, int k) const { return gradient(b, k) * length_; }
  double velocity(const Jacobian::Block& b, int k) const {
    return gradient(b, k) * speed_ / s_.w.scale.time + std::abs(s_.w.after->rows.g_t[b.row + k]) +
           s_.w.load * (s_.w.size[b.row + k] * s_.w.scale.per_length);
  }
  /// Of all rows over their scales, lengths as velocities where these are differences of lengths.
  double largest_term(const SchemeInfo& info) const {
    double size = 0;
    for (const Jacobian::Block& b : s_.w.after->rows.G.blocks())
      for (int k = 0; k < b.dim; ++k) {
        const double terms = velocity(b, k) + (info.exact_velocity ? 0 : length(b, k) / s_.h);
        size = std::max(size, terms * (s_.w.per_size[b.row + k] * s_.w.scale.time));
      }
    return size;
  }

  const Tolerances& all_;
  double tolerance_, rounding_;
  double length_, speed_;  // of the motion, over the scales
  const Attempted& s_;
  double worst_ = 1;  // error over what it is held to
  std::size_t blame_ = 0;
  StepStatus status_ = StepStatus::uncertified;
};

}  // namespace

void certify(const SchemeInfo& info, const Tolerances& tolerance, const Attempted& s) {
  Certificate& c = s.report.certificate;
  const double limit = tolerance.constraint;
  const bool by_laws = info.exact_velocity && info.rows_at_end;
  if (by_laws) evaluate_laws(info, tolerance, s);
  const bool position =
      !info.exact_position || (c.penetration <= limit * s.w.nearest && c.joint_position_relative <= limit);
  const bool velocity = !info.exact_velocity || !info.rows_at_end || c.joint_velocity_relative <= limit;
  if (position && velocity && c.complementarity <= limit * s.w.scale.velocity) return;
  Trial(tolerance, s).judge(info, by_laws);
}

}  // namespace ricochet
