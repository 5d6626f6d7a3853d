// Motors and joints that hold one freedom with different targets. With the rates r = dg/dt of all joints there must be
// velocities with G^T v + r = 0; what is left of r by the nearest v lies across the range of G^T, and the joints where
// it is largest are those that disagree. The same of accelerations, with the bias.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/orthogonal.hpp"

namespace ricochet::scenario {
namespace {

constexpr double kDisagree = 1e-6;  ///< relative to the largest target: loops are closed to 1e-8 only

class Conflicts {
 public:
  Conflicts(const Model& model, const Parts& parts, const yaml::Node& system)
      : model_(model), parts_(parts), system_(system), scratch_(model) {
    std::vector<Candidate> all;
    model.candidates(point(parts.initial.t), 0, all);
    for (const Candidate& c : all)
      if (c.bilateral()) joints_.push_back(c);
    timed_.assign(joints_.size(), 0);
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (int i = 0; i < joints_[k].dim; ++i) owner_.push_back(static_cast<int>(k));
  }

  void look(double until, bool closed) {
    const double start = parts_.initial.t;
    if (!driven(start, until) || owner_.size() > kMost) return;
    const MatrixXd G = gradients(start);
    const Orthogonal all(G.transpose());
    compare(G, all, rates(start), start, "rates");
    if (closed) compare(G, all, biases(start), start, kAccelerations);
    // Later on only of what moves along with its joints: motors and gears. Others have other gradients there.
    const MatrixXd motors = only_motors(G);
    const Orthogonal some(motors.transpose());
    for (int k = 1; k <= kTimes; ++k) {
      const double t = start + (until - start) * k / kTimes;
      compare(motors, some, rates(t), t, "rates");
    }
  }

 private:
  static constexpr std::size_t kMost = 600;  ///< rows: beyond that looking costs seconds
  static constexpr int kTimes = 16;
  static constexpr const char* kAccelerations = "accelerations";

  Point point(double t) const { return {t, parts_.initial.q, parts_.initial.v}; }
  const std::string& name(int joint) const {
    return model_.items()[static_cast<std::size_t>(model_.index_of(joints_[static_cast<std::size_t>(joint)]))].name;
  }
  bool motor(int joint) const { return name(joint).ends_with(".drive"); }
  bool driven(int joint) const { return motor(joint) || timed_[static_cast<std::size_t>(joint)] != 0; }

  template <class Visit>
  void each(double t, Visit visit) {
    int row = 0;
    ConstraintRows rows;
    for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
      model_.evaluate(t, parts_.initial.q, {.candidates = joints_.data(), .pick = &k, .count = 1}, rows, scratch_);
      visit(joints_[static_cast<std::size_t>(k)], row, rows);
      row += joints_[static_cast<std::size_t>(k)].dim;
    }
  }
  /// Something is prescribed as a function of time.
  bool driven(double start, double until) {
    bool any = false;
    for (double t : {start, (start + until) / 2, until}) any = any || rates(t).cwiseAbs().maxCoeff() > 0;
    return any;
  }
  VectorXd rates(double t) {
    VectorXd r = VectorXd::Zero(std::max<Index>(1, std::ssize(owner_)));
    each(t, [&](const Candidate& c, int row, const ConstraintRows& rows) {
      for (int i = 0; i < c.dim; ++i) {
        r[row + i] = rows.g_t.data()[i];
        if (r[row + i] != 0) timed_[static_cast<std::size_t>(owner_[static_cast<std::size_t>(row)])] = 1;
      }
    });
    return r;
  }
  VectorXd biases(double t) {
    VectorXd r(std::ssize(owner_));
    each(t, [&](const Candidate& c, int row, const ConstraintRows&) {
      model_.set(c).bias(point(t), c, c.dim, &r[row], scratch_.set(c.set));
    });
    return r;
  }
  MatrixXd gradients(double t) {
    MatrixXd G = MatrixXd::Zero(model_.nv(), std::ssize(owner_));
    each(t, [&](const Candidate& c, int row, const ConstraintRows& rows) {
      for (int i = 0; i < c.dim; ++i) {
        VectorXd unit = VectorXd::Zero(c.dim), column = VectorXd::Zero(model_.nv());
        unit[i] = 1;
        rows.G.add_times(1, unit.data(), column);
        G.col(row + i) = column;
      }
    });
    return G;
  }
  MatrixXd only_motors(MatrixXd G) const {
    for (Index i = 0; i < G.cols(); ++i) {
      const int joint = owner_[static_cast<std::size_t>(i)];
      const bool stays = joints_[static_cast<std::size_t>(joint)].dim == 1 && (motor(joint) || gear(joint));
      if (!stays) G.col(i).setZero();
    }
    return G;
  }
  bool gear(int joint) const { return parts_.gears.count(name(joint)) > 0; }

  void compare(const MatrixXd& G, const Orthogonal& factor, const VectorXd& r, double t, const char* of) const {
    const double size = r.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return;
    VectorXd rest = r - G.transpose() * factor.solve(r);
    for (Index i = 0; i < rest.size(); ++i)
      if (G.col(i).isZero(0)) rest[i] = 0;
    if (!(rest.cwiseAbs().maxCoeff() > kDisagree * size)) return;
    const int first = worst(rest, -1), other = worst(rest, first);
    if (!(of == kAccelerations ? motor(first) : driven(first))) return;  // nobody has a target
    const std::string a = name(std::min(first, other)), b = name(std::max(first, other));
    const auto described = parts_.constraints.find(b);
    (described == parts_.constraints.end() ? system_ : described->second)
        .fail(fmt::format("'{}' and '{}' hold one freedom with different targets: their {} cannot both be kept at t = "
                          "{:.6g}; accepted: one of them, or targets that agree",
                          a, b, of, t));
  }
  /// The joint that disagrees most, beside one: motors first.
  int worst(const VectorXd& rest, int beside) const {
    int best = -1;
    double most = -1;
    for (const bool motors : {true, false}) {
      for (Index i = 0; i < rest.size(); ++i) {
        const int joint = owner_[static_cast<std::size_t>(i)];
        if (joint == beside || driven(joint) != motors || std::abs(rest[i]) <= most) continue;
        if (std::abs(rest[i]) <= 1e-3 * rest.cwiseAbs().maxCoeff()) continue;
        most = std::abs(rest[i]);
        best = joint;
      }
      if (best >= 0) return best;
    }
    return std::max(best, beside);
  }

  const Model& model_;
  const Parts& parts_;
  const yaml::Node& system_;
  ModelScratch scratch_;
  std::vector<Candidate> joints_;
  std::vector<int> owner_;   ///< of each row, its joint
  std::vector<char> timed_;  ///< joints that depend on the time
};

}  // namespace

void check_conflicts(const Model& model, const Parts& parts, const yaml::Node& system, double until, bool closed) {
  Conflicts(model, parts, system).look(until, closed);
}

}  // namespace ricochet::scenario
