// Few contacts, in the plane or in space: Newton on the modes, everything on the stack.
//
//     u = W p + b,     modes from z = p - u of each contact, Coulomb's law (Alart and Curnier)
//     z_N <= 0             opens     p = 0
//     |z_T| <= mu z_N      sticks    u = 0
//     else                 slides    p = p_N (1, mu d) + y t,   u_N = 0,   k t.u_T + (1 - k) y = 0
//
// with d = z_T / |z_T|, t normal to d and k = mu z_N / |z_T|: the semismooth Newton step, whose unknowns are three for
// a contact that sticks, two for one that slides, none for an open one. The right-hand side is -b whatever p is: a
// system of the right modes is solved to round-off at once. y turns the direction; p then goes back on the cone. For
// the associated law z is projected on the cone itself, and u_N + mu d.u_T = 0 stands for u_N = 0.
//
// W is scaled to diagonal blocks of mean one, as in `contacts.hpp`, and so are the errors: powers of two in the units
// change no bit. Full steps first. Where the error grows, once more from the start with proximal terms, W + eps and
// -b + eps p, eps in proportion to the error: it vanishes as fast as the iteration converges. There a step ends where
// the first contact opens: near the null space of W several would open at once that must not. Rank-deficient systems
// (redundant contacts) get eps = 1e-9 with one refinement, so that the part of p that moves nothing stays.
#include <Eigen/Core>
#include <bit>
#include <cmath>

#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/frame/cores.hpp"

namespace ricochet::detail {
namespace {

constexpr int kContacts = kFewRows / 3;
constexpr int kLead = 20;            ///< rows of the arrays: 3 kContacts, rounded up to whole groups of four
constexpr double kRedundant = 1e-9;  ///< eps where the system is singular, to begin with
constexpr double kSingular = 1e-11;  ///< pivots; entries are of order one
constexpr double kHopeless = 0.6;    ///< after the first full step: proximal terms are the shorter way
constexpr double kNear = 1e-8;       ///< a relative error below which full steps go on whatever they do

/// One pass from the start: the first eps, later ones times the error, Newton steps.
struct Pass {
  double first, factor;
  int steps;
};
constexpr Pass kPasses[] = {{0, 0, 9}, {0.1, 1, 24}, {1, 0.3, 20}};

enum class Mode : char { open, stick, slide };

struct Contact {
  double mu, s;           ///< p = force s x
  double norm, residual;  ///< 1 / (1 + mu^2); from here to the unit of u
  double d1, d2, k;       ///< of sliding
  int row, dim;
  int first, unknowns;
  Mode mode;
  bool associated;
};

/// The power of two at or below x; x is positive, normal and finite.
double power_below(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u); }

using Four = Eigen::Map<Eigen::Array4d, Eigen::Aligned16>;
using ConstFour = Eigen::Map<const Eigen::Array4d, Eigen::Aligned16>;

/// y += f x on whole groups of four, from the one that holds row `from`.
void add_times(double f, const double* x, double* y, int from, int to) {
  for (int i = from & ~3; i < to; i += 4) Four(y + i) += f * ConstFour(x + i);
}

class Few {
 public:
  /// False if this is not for it: too many contacts, nothing to do, contacts that nothing acts on.
  bool take(const Problem& problem, const Goal& goal, const double* start);
  /// Into the multipliers of the problem.
  void give(double* out) const;
  /// Another start inside the cones, the same for the same problem.
  void spread();
  /// The steps of one pass until the target; their number is added.
  bool run(const Pass& pass, const Goal& goal, int limit, int& steps);
  bool singular() const { return singular_; }

 private:
  void velocities();
  double look();
  void look_at(Contact& c, double& map, double& size);
  bool step(double eps);
  bool solve(double eps, double* x);
  void fill(double eps);
  void fill_rows(const Contact& c, double eps, const double* const* column);
  void right_side(double eps);
  bool factorise(double least);
  void forward();
  void backward(double* out);
  void scatter(const double* x);
  void turn(const double* x);
  int shorten(const double* before);

  int n_ = 0, m_ = 0, order_ = 0;
  std::uint64_t chance_ = 0x9e3779b97f4a7c15u;
  bool singular_ = false;
  double redundant_ = kRedundant;  ///< eps where the system is singular
  double velocity_ = 1, force_ = 1, load_ = 0;
  double worst_ = 0;                  ///< natural_residual, in the unit of u
  double fastest_ = 0, slowest_ = 0;  ///< what it is relative to, that at least
  double bits_ = 0;                   ///< largest |W_kk p_k|
  Contact c_[kContacts];
  alignas(16) double W_[kLead * kLead];
  alignas(16) double A_[kLead * kLead];  ///< the system, its right-hand side behind it; then the upper factor
  alignas(16) double L_[kLead * kLead];
  alignas(16) double q_[kLead], p_[kLead], u_[kLead], start_[kLead];
  double inverse_[kLead];  ///< of the pivots
  int pivot_[kLead];
};

bool Few::take(const Problem& problem, const Goal& goal, const double* start) {
  m_ = problem.rows;
  constexpr double kNormal = std::numeric_limits<double>::min();
  if (m_ > kFewRows || !(goal.size >= kNormal)) return false;
  for (const ConeBlock& block : problem.blocks) {
    const int parts = block.cone == Cone::nonnegative ? block.dim : 1, dim = block.dim / parts;
    if (n_ + parts > kContacts) return false;
    for (int i = 0; i < parts; ++i) {
      Contact& c = c_[n_++];
      c.row = block.row + i, c.dim = dim;
      c.mu = dim == 1 ? 0 : block.mu;
      c.norm = 1 / (1 + c.mu * c.mu);
      c.associated = block.cone == Cone::second_order;
    }
  }
  const double* given = problem.W.dense();
  if (problem.W.storage() != Delassus::Storage::dense) problem.W.copy_dense(A_), given = A_;
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < n_; ++a) {
    Contact& c = c_[a];
    double trace = 0;
    for (int i = c.row; i < c.row + c.dim; ++i) trace += given[i * (m_ + 1)];
    c.s = trace / c.dim;
    if (!(c.s > 0)) return false;
    least = std::min(least, c.s);
  }
  if (!(1 / least >= kNormal) || !finite(1 / least)) return false;
  const double rho = power_below(1 / least);
  velocity_ = power_below(goal.size);
  force_ = velocity_ * rho;
  double scale[kLead];
  for (int a = 0; a < n_; ++a) {
    Contact& c = c_[a];
    c.s = std::sqrt(1 / (c.s * rho));
    c.residual = velocity_ / c.s;
    for (int i = c.row; i < c.row + c.dim; ++i) scale[i] = c.s;
  }
  for (int j = 0; j < m_; ++j) {
    double* column = W_ + j * kLead;
    for (int i = 0; i < m_; ++i) column[i] = given[i + j * m_] * rho * (scale[i] * scale[j]);
    for (int i = m_; i < kLead; ++i) column[i] = 0;
    q_[j] = scale[j] * (problem.b[j] / velocity_);
    load_ += scale[j] * q_[j] * (scale[j] * q_[j]);
    start_[j] = start[j] == 0 ? 0 : start[j] / force_ / scale[j];
  }
  for (int i = m_; i < kLead; ++i) q_[i] = 0;
  load_ = std::max(std::sqrt(load_), goal.least / force_);
  slowest_ = std::max(goal.size, goal.fastest);
  return true;
}

void Few::spread() {
  const auto chance = [this] {  // in [-1, 1), xorshift
    chance_ ^= chance_ << 13, chance_ ^= chance_ >> 7, chance_ ^= chance_ << 17;
    return static_cast<double>(chance_ >> 11) * 0x1p-52 - 1;
  };
  for (int a = 0; a < n_; ++a) {
    const Contact& c = c_[a];
    start_[c.row] = load_ * (1 + chance());
    for (int i = c.row + 1; i < c.row + c.dim; ++i) start_[i] = 0.7 * c.mu * start_[c.row] * chance();
  }
}

void Few::give(double* out) const {
  for (int a = 0; a < n_; ++a)
    for (int i = c_[a].row; i < c_[a].row + c_[a].dim; ++i) out[i] = c_[a].s * p_[i] * force_;
}

void Few::velocities() {
  for (int i = 0; i < m_; i += 4) {
    Eigen::Array4d sum = ConstFour(q_ + i);
    for (int j = 0; j < m_; ++j) sum += p_[j] * ConstFour(W_ + i + j * kLead);
    Four(u_ + i) = sum;
  }
}

/// Adds the natural map of one contact to the errors; finds the mode that it projects to.
void Few::look_at(Contact& c, double& map, double& size) {
  const double *v = u_ + c.row, *r = p_ + c.row;
  double f0 = 0, f1 = 0, f2 = 0;
  const double zn = r[0] - v[0], weight = c.s * c.s;
  size += weight * r[0] * r[0];
  if (c.mu == 0) {
    c.mode = zn > 0 ? Mode::stick : Mode::open;
    f0 = zn > 0 ? v[0] : r[0];
  } else {
    const double v1 = v[1], v2 = c.dim == 3 ? v[2] : 0, r1 = r[1], r2 = c.dim == 3 ? r[2] : 0;
    const double z1 = r1 - v1, z2 = r2 - v2, zt = std::sqrt(z1 * z1 + z2 * z2), inverse = 1 / zt;
    size += weight * (r1 * r1 + r2 * r2);
    const double hat = c.associated ? v[0] : v[0] + c.mu * std::sqrt(v1 * v1 + v2 * v2), zh = r[0] - hat;
    if (zh >= 0 && zt <= c.mu * zh) {
      f0 = hat, f1 = v1, f2 = v2;
    } else if (c.mu * zt <= -zh) {
      f0 = r[0], f1 = r1, f2 = r2;
    } else {
      const double pn = (zh + c.mu * zt) * c.norm, f = c.mu * pn * inverse;
      f0 = r[0] - pn, f1 = r1 - f * z1, f2 = r2 - f * z2;
    }
    if (c.associated ? c.mu * zt <= -zn : zn <= 0) {
      c.mode = Mode::open;
    } else if (zt <= c.mu * zn) {
      c.mode = Mode::stick;
    } else {
      c.mode = Mode::slide;
      c.d1 = z1 * inverse, c.d2 = z2 * inverse;
      c.k = c.mu * (c.associated ? (zn + c.mu * zt) * c.norm : zn) * inverse;
    }
  }
  map += weight * (f0 * f0 + f1 * f1 + f2 * f2);
  const double residual = std::max(std::max(std::abs(f0), std::abs(f1)), std::abs(f2)) * c.residual;
  if (!(residual <= worst_)) worst_ = residual;
  for (int i = 0; i < c.dim; ++i) {
    fastest_ = std::max(fastest_, std::abs(v[i]) * c.residual);
    bits_ = std::max(bits_, std::abs(r[i]) * c.residual);
  }
}

/// The impulse part of the relative error of p; worst_, fastest_ and the modes on the way.
double Few::look() {
  double map = 0, size = 0;
  worst_ = bits_ = 0, fastest_ = slowest_;
  for (int a = 0; a < n_; ++a) look_at(c_[a], map, size);
  return std::sqrt(map) / std::max(std::sqrt(size), load_);
}

/// The equations of one contact in all columns.
void Few::fill_rows(const Contact& c, double eps, const double* const* column) {
  const int order = order_, row = c.row, unknowns = c.unknowns;
  double *out = A_ + c.first, *own = A_ + c.first * (kLead + 1);
  if (c.mode != Mode::slide) {
    if (unknowns == 3) {
      for (int j = 0; j < order; ++j, out += kLead) {
        const double* at = column[j] + row;
        out[0] = at[0], out[1] = at[1], out[2] = at[2];
      }
    } else {
      for (int j = 0; j < order; ++j, out += kLead)
        for (int l = 0; l < unknowns; ++l) out[l] = column[j][row + l];
    }
    for (int l = 0; l < unknowns; ++l) own[l * (kLead + 1)] += eps;
    return;
  }
  if (c.dim == 3) {
    const double t1 = -c.k * c.d2, t2 = c.k * c.d1;
    for (int j = 0; j < order; ++j, out += kLead) {
      const double* at = column[j] + row;
      out[0] = at[0], out[1] = t1 * at[1] + t2 * at[2];
    }
    own[kLead + 1] += c.k * eps + (1 - c.k);
  } else {
    for (int j = 0; j < order; ++j, out += kLead) out[0] = column[j][row];
  }
  if (c.associated) {
    out = A_ + c.first;
    for (int j = 0; j < order; ++j, out += kLead)
      out[0] += c.mu * (c.d1 * column[j][row + 1] + (c.dim == 3 ? c.d2 * column[j][row + 2] : 0));
  }
  own[0] += c.associated ? eps * (1 + c.mu * c.mu) : eps;
}

/// A := the system of the modes.
void Few::fill(double eps) {
  alignas(16) double own[kContacts][2][kLead];  // W (1, mu d) and W t
  const double* column[kLead];
  for (int a = 0; a < n_; ++a) {
    const Contact& c = c_[a];
    const double* w = W_ + c.row * kLead;
    for (int l = 0; l < c.unknowns; ++l) column[c.first + l] = w + l * kLead;
    if (c.mode != Mode::slide) continue;
    double *along = own[a][0], *across = own[a][1];
    const double *w1 = w + kLead, *w2 = w1 + kLead, s1 = c.mu * c.d1, s2 = c.mu * c.d2, d1 = c.d1, d2 = c.d2;
    column[c.first] = along;
    if (c.dim == 2) {
      for (int i = 0; i < m_; i += 4) Four(along + i) = ConstFour(w + i) + s1 * ConstFour(w1 + i);
      continue;
    }
    column[c.first + 1] = across;
    for (int i = 0; i < m_; i += 4) {
      Four(along + i) = ConstFour(w + i) + s1 * ConstFour(w1 + i) + s2 * ConstFour(w2 + i);
      Four(across + i) = d1 * ConstFour(w2 + i) - d2 * ConstFour(w1 + i);
    }
  }
  for (int a = 0; a < n_; ++a) fill_rows(c_[a], eps, column);
  for (int j = 0; j <= order_; ++j)
    for (int i = order_; i < ((order_ + 3) & ~3); ++i) A_[i + j * kLead] = 0;
}

void Few::right_side(double eps) {
  for (int a = 0; a < n_; ++a) {
    const Contact& c = c_[a];
    double* out = A_ + order_ * kLead + c.first;
    double b[3] = {0, 0, 0};
    for (int i = 0; i < c.dim; ++i) b[i] = eps * p_[c.row + i] - q_[c.row + i];
    if (c.mode == Mode::slide) {
      out[0] = c.associated ? b[0] + c.mu * (c.d1 * b[1] + c.d2 * b[2]) : b[0];
      if (c.dim == 3) out[1] = c.k * (c.d1 * b[2] - c.d2 * b[1]);
    } else {
      for (int l = 0; l < c.unknowns; ++l) out[l] = b[l];
    }
  }
}

/// Column j below its pivot divided by it goes to `lower`, with zeros above, and stays in registers while the `count`
/// columns behind lose their entry in row j times it. `Groups` groups of four, from the one of row j on.
template <int Groups>
void eliminate(double* column, double inverse, int row, double* lower, int count) {
  using Rows = Eigen::Array<double, 4 * Groups, 1>;
  alignas(16) static constexpr double kBelow[4][4] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};
  Rows factor = inverse * Eigen::Map<const Rows, Eigen::Aligned16>(column);
  factor.template head<4>() *= ConstFour(kBelow[row]);
  Eigen::Map<Rows, Eigen::Aligned16>{lower} = factor;
  for (column += kLead; count > 0; --count, column += kLead)
    Eigen::Map<Rows, Eigen::Aligned16>(column) -= column[row] * factor;
}

/// Partial pivoting with a threshold, the right-hand side taken along; false near a singular matrix.
bool Few::factorise(double least) {
  for (int j = 0; j < order_; ++j) {
    const double* column = A_ + j * kLead;
    double largest = 0;
    for (int i = j; i < order_; ++i) largest = std::max(largest, std::abs(column[i]));
    if (!(largest > least) || !finite(largest)) return false;
    int at = j;
    if (!(std::abs(column[j]) >= 0.5 * largest)) {  // rarely: the diagonal of W is the strong one
      while (at + 1 < order_ && std::abs(column[at]) != largest) ++at;
      for (int l = j; l <= order_; ++l) std::swap(A_[j + l * kLead], A_[at + l * kLead]);
    }
    pivot_[j] = at;
    const double inverse = inverse_[j] = 1 / column[j];
    const int from = j & ~3, row = j & 3, count = order_ - j;
    double *first = A_ + from + j * kLead, *lower = L_ + from + j * kLead;
    switch ((order_ - from + 3) / 4) {
      case 1: eliminate<1>(first, inverse, row, lower, count); break;
      case 2: eliminate<2>(first, inverse, row, lower, count); break;
      case 3: eliminate<3>(first, inverse, row, lower, count); break;
      case 4: eliminate<4>(first, inverse, row, lower, count); break;
      default: eliminate<5>(first, inverse, row, lower, count); break;
    }
  }
  return true;
}

/// The right-hand side through the lower factor.
void Few::forward() {
  double* x = A_ + order_ * kLead;
  for (int j = 0; j < order_; ++j) {
    std::swap(x[j], x[pivot_[j]]);
    add_times(-x[j], L_ + j * kLead, x, j + 1, order_);
  }
}

/// And through the upper one; whole groups spoil what lies below, which is not needed any more.
void Few::backward(double* out) {
  double* x = A_ + order_ * kLead;
  for (int j = order_ - 1; j >= 0; --j) {
    out[j] = x[j] * inverse_[j];
    add_times(-out[j], A_ + j * kLead, x, 0, j);
  }
}

/// p out of the unknowns.
void Few::scatter(const double* x) {
  for (int a = 0; a < n_; ++a) {
    const Contact& c = c_[a];
    double* p = p_ + c.row;
    const double* from = x + c.first;
    for (int i = 0; i < c.dim; ++i) p[i] = i < c.unknowns ? from[i] : 0;
    if (c.mode != Mode::slide) continue;
    const double along = c.mu * from[0], across = c.dim == 3 ? from[1] : 0;
    p[1] = along * c.d1 - across * c.d2;
    if (c.dim == 3) p[2] = along * c.d2 + across * c.d1;
  }
}

/// Back on the cone, in the new direction.
void Few::turn(const double* x) {
  for (int a = 0; a < n_; ++a) {
    const Contact& c = c_[a];
    if (c.mode != Mode::slide || c.dim == 2 || !(x[c.first] > 0)) continue;
    const double along = c.mu * x[c.first], across = x[c.first + 1];
    const double f = along / std::sqrt(along * along + across * across);
    p_[c.row + 1] *= f, p_[c.row + 2] *= f;
  }
}

bool Few::step(double eps) {
  order_ = 0;
  for (int a = 0; a < n_; ++a) {
    Contact& c = c_[a];
    c.first = order_;
    c.unknowns = c.mode == Mode::open ? 0 : c.mu == 0 ? 1 : c.mode == Mode::stick ? c.dim : c.dim - 1;
    order_ += c.unknowns;
  }
  if (singular_) eps = std::max(eps, redundant_);
  double x[kLead];
  if (!solve(eps, x)) {
    if (eps >= redundant_) return false;
    singular_ = true;
    if (!solve(eps = redundant_, x)) return false;
  }
  scatter(x);
  if (eps == redundant_) {
    right_side(eps);
    forward();
    backward(x);
    scatter(x);
  }
  turn(x);
  return true;
}

bool Few::solve(double eps, double* x) {
  fill(eps);
  right_side(eps);
  if (!factorise(eps > 0 ? 0.01 * eps : kSingular)) return false;
  backward(x);
  return true;
}

/// Stops the step where the first contact opens, which then does; -1 if none would pull.
int Few::shorten(const double* before) {
  double part = 1;
  int first = -1;
  for (int a = 0; a < n_; ++a) {
    const double was = before[c_[a].row], now = p_[c_[a].row];
    if (was > 0 && now < 0 && was < part * (was - now)) part = was / (was - now), first = a;
  }
  if (first < 0) return first;
  for (int i = 0; i < m_; ++i) p_[i] = before[i] + part * (p_[i] - before[i]);
  std::fill_n(p_ + c_[first].row, c_[first].dim, 0.0);
  return first;
}

bool Few::run(const Pass& pass, const Goal& goal, int limit, int& steps) {
  // The verdict is passed on the problem as given, other roundings.
  const auto done = [&](double error) {
    const double enough = 0.99 * goal.tolerance;
    if (!goal.relative()) return worst_ <= enough;
    const double bits = std::min(0.9 * kRoundOffBits * bits_, kMostRoundOff * fastest_);
    return error <= enough && worst_ <= std::max(enough * fastest_, bits);
  };
  double before[kLead];
  std::copy(start_, start_ + m_, p_);
  velocities();
  double eps = pass.first, error = look(), least = std::numeric_limits<double>::infinity();
  singular_ = false;
  redundant_ = kRedundant;
  for (int k = 0; k < pass.steps && steps < limit && !done(error); ++k) {
    ++steps;
    std::copy(p_, p_ + m_, before);
    if (!step(eps)) return false;
    const int opened = pass.factor > 0 ? shorten(before) : -1;
    velocities();
    error = look();
    if (opened >= 0) c_[opened].mode = Mode::open;
    const double bound = k == 0 ? kHopeless : std::max(least, kNear);
    if (!finite(error) || (pass.factor == 0 && error > bound)) return false;
    // Redundant contacts that contradict each other by next to nothing: p has far to go before one gives way.
    if (singular_ && error > 0.5 * least) redundant_ = std::max(1e-13, 0.1 * redundant_);
    least = error;
    eps = std::min(0.3, pass.factor * error);
  }
  return done(error);
}

}  // namespace

bool solve_few(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, int starts) {
  Few few;
  double *p = solution.p.data(), before[kFewRows];
  if (!few.take(problem, goal, p)) return false;
  const int limit = goal.max_iterations > 0 ? goal.max_iterations : std::numeric_limits<int>::max();
  int steps = 0;
  constexpr int kOwn = static_cast<int>(std::size(kPasses));
  for (int k = 0; k < kOwn + starts && steps < limit; ++k) {
    if (k >= kOwn) few.spread();
    if (!few.run(kPasses[k == 0 ? 0 : 2 - k % 2], goal, limit, steps)) continue;
    std::copy(p, p + problem.rows, before);
    few.give(p);
    clamp(problem, p);
    solution.residual = judge(problem, goal, solution, scratch);
    if (!(solution.residual <= goal.tolerance)) {
      std::copy(before, before + problem.rows, p);
      continue;
    }
    solution.iterations += steps;
    solution.minimum_norm = few.singular();
    solution.status = SolveStatus::converged;
    return scratch.judged = true;
  }
  solution.iterations += steps;
  return false;
}

}  // namespace ricochet::detail
