#include "ricochet/sim/statics.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {
namespace {

constexpr double kSolved = 1e-12;   ///< of the largest acceleration along a row: tolerance of the program
constexpr double kNone = 1e-9;      ///< of the loads: what is left counts as nothing
constexpr double kProof = 1e-6;     ///< of G^T a: a violation that still proves
constexpr double kMostFactor = 64;  ///< of the coefficients of friction: what these do not hold, none do
constexpr double kFactor = 1e-6;    ///< to which the least one is found

class StaticProgram {
 public:
  StaticProgram(const Model& model, const State& state, double closed)
      : m_(model), w_(model), at_(state), rest_(VectorXd::Zero(model.nv())), solver_(*find_solver("auto")) {
    at_.v.setZero();
    if (!at_.scales) at_.scales = std::make_shared<const Scales>(find_scales(model, at_, {}));
    begin_step(m_, at_, 0, w_);
    pick(closed);
  }

  Statics run() {
    if (wrong_.empty() && !form()) wrong_ = "the mass matrix has no inverse";
    if (!wrong_.empty()) return {.wrong = wrong_};
    Statics out = balance(1);
    if (out.wrong.empty()) out.friction = least_friction(out.exists);
    return out;
  }

 private:
  void pick(double closed) {
    for (std::size_t i = 0; i < w_.candidates.size(); ++i) {
      const Candidate& c = w_.candidates[i];
      const int k = static_cast<int>(i);
      if (c.velocity_only) wrong_ = "there are motors, or friction in joints, of which the program knows nothing";
      if (c.bilateral()) rows_.pick.push_back(k);
      if (!c.unilateral() || gap_before(w_, k) > closed * gap_size(w_, k)) continue;
      rows_.pick.push_back(k);
      ++contacts_;
    }
  }

  bool form() {
    evaluate(m_, at_.t, at_.q, w_.candidates, rows_, w_.model);
    const Point here{at_.t, at_.q, rest_};
    free_ = VectorXd::Zero(m_.nv());
    m_.residual(here, rest_, -1, free_, w_.model);
    load_ = free_;
    Operator S(m_.layout());
    S.zero();
    m_.mass(here, 1, S, w_.model);
    if (!S.factorise()) return false;
    S.solve(free_);
    const int rows = rows_.G.rows();
    if (rows > 0) {
      S.solve(rows_.G, Y_);
      constexpr int kDense = 60;
      const bool many = rows > kDense && S.cells();
      problem_.W.form(rows_.G, Y_, m_.nv(), many ? Delassus::Storage::sparse : Delassus::Storage::dense);
    }
    problem_.rows = rows;
    rows_.G.transpose_times(free_, problem_.b.need(rows));
    problem_.unit = 0;
    for (int i = 0; i < rows; ++i) problem_.unit = std::max(problem_.unit, std::abs(problem_.b[i]));
    return true;
  }

  /// Cones with `factor` times the friction; false: a law that is none of these.
  bool set_cones(double factor) {
    problem_.blocks.clear();
    for (std::size_t k = 0; k < rows_.pick.size(); ++k) {
      const Candidate& c = w_.candidates[static_cast<std::size_t>(rows_.pick[k])];
      const Jacobian::Block& b = rows_.G.blocks()[k];
      if (c.bilateral()) {
        problem_.blocks.push_back({Cone::free, b.row, b.dim, 0});
        continue;
      }
      const LocalLaw law = c.law->local(local_state(w_, rows_.pick[k], 1, still_));
      if (law.cone != Cone::coulomb && law.cone != Cone::nonnegative) return false;
      const bool slides = law.cone == Cone::coulomb;
      problem_.blocks.push_back({slides ? Cone::second_order : Cone::nonnegative, b.row, b.dim, factor * law.mu});
    }
    return true;
  }

  Statics balance(double factor) {
    Statics out{.contacts = contacts_};
    if (!set_cones(factor)) return {.wrong = "contacts resist rolling, of which the program knows nothing"};
    VectorXd a = free_;
    if (problem_.rows > 0) {
      solution_.fit(problem_.rows);
      solver_.solve(problem_, {.tolerance = kSolved}, solution_, w_.solver);
      Y_.add_times(1, solution_.p.data(), a);
    }
    const double loads = weight(free_);
    out.left = loads > 0 ? weight(a) / loads : 0;
    out.exists = out.left <= kNone;
    for (const ConeBlock& block : problem_.blocks)
      if (block.cone != Cone::free) out.largest = std::max(out.largest, solution_.p[block.row]);
    if (out.exists) return out;
    out.proof = violation(a);
    if (!(out.proof <= kProof))
      out.wrong = "the program was not solved: no equilibrium was found, and no proof of none";
    a.cwiseAbs().maxCoeff(&out.coordinate);
    return out;
  }

  double weight(const VectorXd& a) {
    VectorXd Ma = VectorXd::Zero(a.size());
    m_.mass_times({at_.t, at_.q, rest_}, a, 1, Ma, w_.model);
    return std::sqrt(std::max(0.0, a.dot(Ma)));
  }

  /// How far G^T a is out of K*, over its largest entry.
  double violation(const VectorXd& a) {
    std::vector<double> u(static_cast<std::size_t>(problem_.rows));
    rows_.G.transpose_times(a, u.data());
    double worst = 0, largest = std::abs(a.dot(load_)) > 0 ? 0 : 1e300;
    for (const ConeBlock& block : problem_.blocks) {
      const double* v = u.data() + block.row;
      double along = 0;
      for (int i = 0; i < block.dim; ++i) {
        largest = std::max(largest, std::abs(v[i]));
        if (block.cone == Cone::free) worst = std::max(worst, std::abs(v[i]));
        if (i > 0) along += v[i] * v[i];
      }
      if (block.cone != Cone::free) worst = std::max(worst, block.mu * std::sqrt(along) - v[0]);
    }
    // A motion that no contact feels is free, whatever its size.
    const double scale = std::max(largest, 1e-6 * problem_.unit);
    return scale > 0 ? worst / scale : 0;
  }

  double least_friction(bool holds) {
    double low = 0, high = 1;
    if (holds) {
      if (balance(0).exists) return 0;
    } else {
      low = 1;
      do {
        if (high >= kMostFactor) return -1;
        high *= 2;
      } while (!balance(high).exists);
      low = high / 2;
    }
    while (high - low > kFactor * high) {
      const double middle = 0.5 * (low + high);
      (balance(middle).exists ? high : low) = middle;
    }
    return high;
  }

  const Model& m_;
  Workspace w_;
  State at_;
  const VectorXd rest_;
  const Solver& solver_;
  std::string wrong_;
  int contacts_ = 0;
  double still_[kMostContactRows] = {};  // local velocities
  Rows rows_;
  Jacobian Y_;
  VectorXd free_, load_;  // accelerations without reactions; forces
  Problem problem_;
  Solution solution_;
};

}  // namespace

Statics find_equilibrium(const Model& model, const State& state, double closed) {
  return StaticProgram(model, state, closed).run();
}

}  // namespace ricochet
