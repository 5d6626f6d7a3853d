#include "ricochet/model/scales.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/symmetric_eigen.hpp"
#include "ricochet/model/contact/collision.hpp"

namespace ricochet {
namespace {

constexpr double kSlowest = 1e-6;   ///< of a length in one step: what is slower is rounding
constexpr double kSlow = 1e-3;      ///< likewise, where nothing moves yet
constexpr double kFarthest = 1e3;   ///< steps, with the velocity of the beginning
constexpr double kNothing = 1e-6;   ///< of the way of one step
constexpr double kSeen = 1e-2;      ///< of a row's largest entry, squared, over masses
constexpr double kStraight = 1e3;   ///< of the largest length that was found otherwise
constexpr double kSmall = 0x1p-10;  ///< of the system: smaller bodies do not count, for the sake of rounding
constexpr int kMostBits = 200;      ///< of a scale, up and down: squares and ratios of scales are numbers still

/// The larger one, of numbers that say anything.
void widen(double& size, double x) {
  x = std::abs(x);
  if (x > size && std::isfinite(x)) size = x;
}

/// The power of 1024 that x is measured by: 1 from 2^-7 to 2^8, 8 mm to 256 m; 1/1024 from 2^-12 to 2^-7; and so on,
/// the same in every 2^20. What people build is measured by the metre, wide as that is; and nothing by less than 1/256
/// of it.
double rung(double x) {
  const int bits = std::clamp(std::ilogb(x), -kMostBits, kMostBits);
  constexpr int kPeriod = 20, kFirst = -12, kWide = -7;
  const int period = (bits - kFirst + 2 * kMostBits / kPeriod * kPeriod) / kPeriod - 2 * kMostBits / kPeriod;
  return std::ldexp(1.0, kPeriod * period - (bits - kPeriod * period < kWide ? 10 : 0));
}

class Search {
 public:
  Search(const Model& model, const State& initial, const ScaleChoice& choice)
      : model_(model), at_{initial.t, initial.q, initial.v}, choice_(choice), scratch_(model) {}

  Scales run() {
    find_masses();
    evaluate_rows();
    find_lengths();
    Scales s;
    s.mass = choice_.mass > 0 ? choice_.mass : mass();
    find_arms(s.mass);
    find_motion();
    const double size = choice_.length > 0 ? choice_.length : length();
    find_levers(size);
    s.length = choice_.length > 0 ? choice_.length : measure(size);
    find_coordinates(s);
    find_arms_of_turns(s);
    s.velocity = choice_.velocity > 0 ? choice_.velocity : rung(velocity(size));
    s.acceleration = acceleration_ > 0 ? rung(acceleration_) : s.velocity / s.time();
    return s;
  }

 private:
  /// What lengths are measured by in a system of that size. Bodies that meet anywhere are measured by the smallest of
  /// them: what they may sink into each other is a part of their own size. Bodies that joints hold are measured by the
  /// largest of their levers: a joint may open by a part of what it holds, however far the others are.
  double measure(double size) const {
    double least = 0;
    for (const auto& set : model_.sets())
      if (const double of_set = least_size(*set); of_set > 0 && (least == 0 || of_set < least)) least = of_set;
    if (const double held = largest_lever(); least == 0 && held > 0)
      return rung(std::min(size, std::max({held, kSmall * size, speed_ * choice_.step})));
    if (least == 0) return rung(size);
    return std::ldexp(1.0, std::clamp(std::ilogb(std::max(least, kSmall * size)), -kMostBits, kMostBits));
  }

  void find_masses() {
    Operator M(model_.layout());
    M.zero();
    model_.mass(at_, 1, M, scratch_);
    masses_.resize(model_.nv());
    M.copy_diagonal(masses_);
    for (const auto& subsystem : model_.subsystems())
      for (int i = 0; i < subsystem->nv(); ++i) kinds_.push_back(subsystem->kind(i));
  }

  void evaluate_rows() {
    model_.candidates(at_, choice_.step, candidates_);
    std::vector<int> pick(candidates_.size());
    for (std::size_t i = 0; i < pick.size(); ++i) pick[i] = static_cast<int>(i);
    if (pick.empty()) return;
    model_.evaluate(at_.t, at_.q, {candidates_.data(), pick.data(), static_cast<int>(pick.size()), false, false}, rows_,
                    scratch_);
  }

  template <class Visit>
  void each_entry(const Jacobian::Block& b, int row, Visit&& visit) const {
    const double* entry = rows_.G.row(b, row);
    for (int k = 0; k < b.ranges; ++k)
      for (int j = 0; j < rows_.G.ranges(b)[k].n; ++j) visit(rows_.G.ranges(b)[k].at + j, *entry++);
  }

  /// It has to do with angles alone: not with a length, nor with a coordinate of unknown kind.
  bool turns(const Jacobian::Block& b, int row) const {
    bool angles = true;
    each_entry(b, row, [&](int i, double g) {
      angles = angles && (g == 0 || kinds_[static_cast<std::size_t>(i)] == CoordinateKind::angle);
    });
    return angles;
  }

  /// Contacts whose gap is a length: not stops of angles.
  void find_lengths() {
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      touches_.push_back(!candidates_[k].bilateral() && !turns(rows_.G.blocks()[k], 0));
  }

  /// Largest mass that a coordinate has as seen by a row, of those that it sees: 0 if there is none.
  double heaviest(const Jacobian::Block& b, int row) const {
    double lightest = 0, least = 0;  // of the inverse
    each_entry(b, row, [&](int i, double g) { widen(lightest, masses_[i] > 0 ? g * g / masses_[i] : 0); });
    each_entry(b, row, [&](int i, double g) {
      const double inverse = masses_[i] > 0 ? g * g / masses_[i] : 0;
      if (inverse > kSeen * lightest && (least == 0 || inverse < least)) least = inverse;
    });
    return least > 0 ? 1 / least : 0;
  }

  double mass() const {
    double of_lengths = 0, of_contacts = 0, of_all = 0;
    for (Index i = 0; i < masses_.size(); ++i) {
      widen(of_all, masses_[i]);
      if (kinds_[static_cast<std::size_t>(i)] == CoordinateKind::length) widen(of_lengths, masses_[i]);
    }
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (!touches_[k]) continue;
      for (int row = 0; row < rows_.G.blocks()[k].dim; ++row) widen(of_contacts, heaviest(rows_.G.blocks()[k], row));
    }
    return of_lengths > 0 ? of_lengths : of_contacts > 0 ? of_contacts : of_all > 0 ? of_all : 1;
  }

  /// Lengths that coordinates stand for.
  void find_arms(double mass) {
    arms_.resize(masses_.size());
    for (Index i = 0; i < arms_.size(); ++i) {
      const bool length = kinds_[static_cast<std::size_t>(i)] == CoordinateKind::length;
      arms_[i] = length || !(masses_[i] > 0) ? 1 : std::sqrt(masses_[i] / mass);
    }
  }

  void find_motion() {
    for (Index i = 0; i < at_.v.size(); ++i) widen(speed_, at_.v[i] * arms_[i]);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const Jacobian::Block& b = rows_.G.blocks()[k];
      for (int i = 0; i < b.dim && touches_[k]; ++i)
        if (!turns(b, i)) widen(speed_, rows_.G.row_times(b, i, at_.v) + rows_.g_t[b.row + i]);
    }
    const VectorXd rest = VectorXd::Zero(model_.nv());  // what velocities do to themselves is of their size
    for (const double t : {at_.t, at_.t + choice_.step}) {
      if (acceleration_ > 0) break;
      VectorXd force = VectorXd::Zero(model_.nv());
      model_.residual({t, at_.q, rest}, rest, 1, force, scratch_);
      for (Index i = 0; i < force.size(); ++i)
        if (masses_[i] > 0) widen(acceleration_, force[i] / masses_[i] * arms_[i]);
    }
  }

  /// Radii of curvature of what the contacts see, in a motion of all coordinates: |U|^2 / |U'|, frozen in time.
  double radius(double least) {
    double size = 0;
    VectorXd w(model_.nv());
    for (Index i = 0; i < w.size(); ++i) w[i] = (i % 2 == 0 ? 1 : -1) / arms_[i];
    const VectorXd rest = VectorXd::Zero(w.size());
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const Candidate& c = candidates_[k];
      const Jacobian::Block& b = rows_.G.blocks()[k];
      if (!touches_[k]) continue;
      std::vector<double> turn(static_cast<std::size_t>(c.dim)), still = turn;
      model_.set(c).bias({at_.t, at_.q, w}, c, c.dim, turn.data(), scratch_.set(c.set));
      model_.set(c).bias({at_.t, at_.q, rest}, c, c.dim, still.data(), scratch_.set(c.set));
      double speed = 0, rate = 0;
      for (int i = 0; i < c.dim; ++i) {
        if (turns(b, i)) continue;
        const double U = rows_.G.row_times(b, i, w),
                     bias = turn[static_cast<std::size_t>(i)] - still[static_cast<std::size_t>(i)];
        speed += U * U;
        rate += bias * bias;
      }
      // what is almost straight has no radius worth the name
      const double radius = speed / std::sqrt(rate);
      if (rate > 0 && (least == 0 || radius < kStraight * least)) widen(size, radius);
    }
    return size;
  }

  /// How far the motion of the beginning goes before its loads, or what they are stiff with, turn it; 0: nothing tells.
  double turning() {
    Operator K(model_.layout());
    K.zero();
    const VectorXd rest = VectorXd::Zero(model_.nv());
    model_.tangents({at_.t, at_.q, rest}, rest, 1, 0, K, scratch_);
    VectorXd stiffness(model_.nv());
    K.copy_diagonal(stiffness);
    double square = 0, size = 0;  // of a frequency
    for (Index i = 0; i < stiffness.size(); ++i)
      if (masses_[i] > 0) widen(square, stiffness[i] / masses_[i]);
    if (square > 0) {
      widen(size, speed_ / std::sqrt(square));
      widen(size, acceleration_ / square);
    } else if (acceleration_ > 0 && choice_.step > 0) {
      widen(size, std::min(speed_ * speed_ / acceleration_, kFarthest * speed_ * choice_.step));
    }
    return size;
  }

  double length() {
    double size = 0;
    Index q = 0, v = 0;
    for (const auto& subsystem : model_.subsystems()) {
      widen(size, subsystem->extent(at_.q.segment(q, subsystem->nq())));
      for (int i = 0; i < subsystem->nv() && subsystem->nq() == subsystem->nv(); ++i)
        if (subsystem->kind(i) == CoordinateKind::unknown) widen(size, at_.q[q + i] * arms_[v + i]);
      q += subsystem->nq();
      v += subsystem->nv();
    }
    double gap = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (touches_[k]) widen(gap, rows_.g[rows_.G.blocks()[k].row]);
    widen(size, gap);
    const bool formulas = std::find(kinds_.begin(), kinds_.end(), CoordinateKind::unknown) != kinds_.end();
    if (formulas) widen(size, radius(size));
    // What one step passes by far was rounding, or a beginning at zero.
    const double passed = speed_ * choice_.step;
    if (size > kNothing * passed)
      widen(size, passed);
    else
      size = turning();
    unknown_ = size == 0;
    return size > 0 ? size : 1;
  }

  /// An angle of a body as large as the system counts as a length over that length, a length as itself.
  void find_coordinates(Scales& s) {
    s.coordinate.resize(arms_.size());
    // Rounded apart from L: the velocities of coordinates are measured by their ratio to L.
    for (Index i = 0; i < arms_.size(); ++i)
      s.coordinate[i] =
          kinds_[static_cast<std::size_t>(i)] == CoordinateKind::angle ? 1 : s.length * rung(1 / arms_[i]);
    std::vector<Index> first{0};
    for (const ConstraintItem& item : model_.items()) first.push_back(first.back() + item.dim);
    s.row = VectorXd::Constant(first.back(), s.length);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (candidates_[k].item < 0) continue;
      const Jacobian::Block& b = rows_.G.blocks()[k];
      double* row = s.row.data() + first[static_cast<std::size_t>(model_.index_of(candidates_[k]))];
      for (int i = 0; i < b.dim; ++i) {
        if (touches_[k] && !turns(b, i)) continue;  // rows of rolling and spinning turn
        double size = 0;                            // over L, of coordinates that are not rounded
        each_entry(b, i, [&](int j, double g) {
          const bool angle = kinds_[static_cast<std::size_t>(j)] == CoordinateKind::angle;
          widen(size, g / (angle ? s.length : arms_[j]));
        });
        if (size > 0) row[i] = s.length * rung(size);
        widen(driven_, rows_.g_t[b.row + i] / row[i]);
      }
    }
  }

  /// By coordinate: the first one of the body that it belongs to; -1 where it is none of a body that turns.
  std::vector<int> owners() const {
    std::vector<int> out(kinds_.size(), -1);
    int first = 0;
    for (const auto& subsystem : model_.subsystems()) {
      for (int k = 0; k < subsystem->mounts(); ++k) {
        const Range at = subsystem->mount_coordinates(k);
        const auto begin = out.begin() + first + at.at;
        if (at.n > 0 && kinds_[static_cast<std::size_t>(first + at.at + at.n - 1)] == CoordinateKind::angle)
          std::fill(begin, begin + at.n, first + at.at);
      }
      first += subsystem->nv();
    }
    return out;
  }

  /// Square of the lever of a joint or contact about the centre of a body: with m_i the moments of unit forces in its
  /// rows the largest eigenvalue of sum m_i m_i^T, so that it does not matter along which axes these stand. A pin at
  /// the distance r has r^2, in the plane as in space. Rows that are moments alone have none.
  double lever(const Jacobian::Block& b, int body, const std::vector<int>& owner, double farthest) const {
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    double largest = 0;
    for (int row = 0; row < b.dim; ++row) {
      double force = 0;
      Vector3d moment = Vector3d::Zero();
      int turn = 0;
      each_entry(b, row, [&](int i, double g) {
        if (owner[static_cast<std::size_t>(i)] != body) return;
        if (kinds_[static_cast<std::size_t>(i)] == CoordinateKind::angle)
          moment[turn++] = g;
        else
          force += g * g;
      });
      if (moment.squaredNorm() < farthest * farthest * force) moments += moment * moment.transpose();
      widen(largest, force);
    }
    if (!(largest > 0)) return 0;
    return symmetric_eigenvalues(moments)[2] / largest;
  }

  void find_levers(double size) {
    const Index n = arms_.size();
    owner_ = owners();
    square_ = VectorXd::Zero(n);
    jointed_.assign(kinds_.size(), 0);
    for (Index i = 0; i < n; ++i) {
      const int body = owner_[static_cast<std::size_t>(i)];
      if (body < 0 || kinds_[static_cast<std::size_t>(i)] != CoordinateKind::angle) continue;
      const double gyration = masses_[i] / masses_[body];  // squared; the smallest of them
      square_[body] = square_[body] > 0 ? std::min(square_[body], gyration) : gyration;
    }
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (candidates_[k].item < 0) continue;  // bodies that happen to be near each other do not hold each other
      const Jacobian::Block& b = rows_.G.blocks()[k];
      int last = -1;
      each_entry(b, 0, [&](int i, double) {
        const int body = owner_[static_cast<std::size_t>(i)];
        if (body >= 0 && body != last) {
          widen(square_[body], lever(b, body, owner_, kStraight * size));
          if (candidates_[k].bilateral()) jointed_[static_cast<std::size_t>(body)] = 1;
        }
        last = body;
      });
    }
  }

  /// Where all there is are bodies and joints hold every one of them; else 0.
  double largest_lever() const {
    const bool held = std::all_of(owner_.begin(), owner_.end(),
                                  [&](int body) { return body >= 0 && jointed_[static_cast<std::size_t>(body)] != 0; });
    return held && !owner_.empty() ? std::sqrt(square_.maxCoeff()) : 0;
  }

  void find_arms_of_turns(Scales& s) const {
    const Index n = arms_.size();
    s.arm.resize(n);
    for (Index i = 0; i < n; ++i) {
      const bool angle = kinds_[static_cast<std::size_t>(i)] == CoordinateKind::angle;
      const int body = owner_[static_cast<std::size_t>(i)];
      s.arm[i] = angle && body >= 0 ? std::sqrt(square_[body]) : s.length / s.coordinate[i];
    }
  }

  double velocity(double length) const {
    double size = speed_;
    widen(size, std::sqrt(acceleration_ * length));
    widen(size, driven_ * length);
    if (choice_.step > 0 && !unknown_) widen(size, (size > 0 ? kSlowest : kSlow) * length / choice_.step);
    return size > 0 ? size : length;
  }

  const Model& model_;
  Point at_;
  ScaleChoice choice_;
  ModelScratch scratch_;
  VectorXd masses_, arms_;
  std::vector<int> owner_;     // owners()
  VectorXd square_;            // of the levers of bodies that turn, by their first coordinate
  std::vector<char> jointed_;  // likewise: a joint holds it
  std::vector<CoordinateKind> kinds_;
  std::vector<Candidate> candidates_;
  std::vector<char> touches_;
  ConstraintRows rows_;
  double speed_ = 0, acceleration_ = 0;
  bool unknown_ = false;  // nothing is there that could be a length
  double driven_ = 0;     // rates of joints over the sizes of their rows
};

}  // namespace

Scales find_scales(const Model& model, const State& initial, const ScaleChoice& choice) {
  return Search(model, initial, choice).run();
}

std::vector<Loop> take_loops(const Model& model, State& state) {
  std::vector<Loop> all = find_loops(model, state, *state.scales), redundant;
  for (const Loop& loop : all)
    if (loop.redundant > 0) redundant.push_back(loop);
  auto scales = std::make_shared<Scales>(*state.scales);
  scales->loops = redundant.empty() ? nullptr : std::make_shared<const std::vector<Loop>>(std::move(redundant));
  state.scales = std::move(scales);
  return all;
}

}  // namespace ricochet
