#include "ricochet/sim/modes.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <random>

#include "ricochet/math/symmetric_eigen.hpp"

namespace ricochet {
namespace {

constexpr int kWhole = 900;  ///< coordinates up to which all eigenvalues are computed at once

/// What is round-off of the largest one is a rigid motion.
VectorXd without_noise(VectorXd squares, double largest) {
  constexpr double kNoise = 2e-14;
  for (double& s : squares)
    if (std::abs(s) < kNoise * largest) s = 0;
  return squares;
}

/// Gradients of the joints, a column for each row.
MatrixXd joint_gradients(const Model& model, const State& state, ModelScratch& scratch) {
  std::vector<Candidate> candidates;
  model.candidates({state.t, state.q, state.v}, 0, candidates);
  std::vector<int> pick;
  int rows = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].bilateral()) {
      pick.push_back(static_cast<int>(i));
      rows += candidates[i].dim;
    }
  MatrixXd G = MatrixXd::Zero(model.nv(), rows);
  if (rows == 0) return G;
  ConstraintRows out;
  model.evaluate(state.t, state.q,
                 {.candidates = candidates.data(), .pick = pick.data(), .count = static_cast<int>(pick.size())}, out,
                 scratch);
  for (int i = 0; i < rows; ++i) {
    const VectorXd unit = VectorXd::Unit(rows, i);
    VectorXd column = VectorXd::Zero(model.nv());
    out.G.add_times(1, unit.data(), column);
    G.col(i) = column;
  }
  return G;
}

/// Products with M and K at one state; the operators themselves are what a stage factorises.
class Linearised {
 public:
  Linearised(const Model& model, const State& state)
      : model_(model), state_(state), scratch_(model), rest_(VectorXd::Zero(model.nv())) {
    size_ = std::max(1.0, state.q.size() > 0 ? state.q.cwiseAbs().maxCoeff() : 1.0);
  }
  ModelScratch& scratch() { return scratch_; }
  Point at() const { return {state_.t, state_.q, rest_}; }
  VectorXd mass(const VectorXd& x) {
    VectorXd y = VectorXd::Zero(x.size());
    model_.mass_times(at(), x, 1, y, scratch_);
    return y;
  }
  VectorXd residual(const VectorXd& x) {
    VectorXd q(model_.nq()), y = VectorXd::Zero(x.size());
    model_.retract(state_.q, x, q);
    model_.residual({state_.t, q, rest_}, rest_, 1, y, scratch_);
    return y;
  }
  /// K x by differences of the residual, exact to second order and beyond for what is linear.
  VectorXd stiffness(const VectorXd& x) {
    const double h = 1e-5 * size_ / std::max(1e-300, x.cwiseAbs().maxCoeff());
    return (8 * (residual(h * x) - residual(-h * x)) - (residual(2 * h * x) - residual(-2 * h * x))) / (12 * h);
  }
  /// M + shift-free factor: S = c_M M + c_K K.
  bool factorise(double c_M, double c_K, Operator& S) {
    S.zero();
    model_.mass(at(), c_M, S, scratch_);
    model_.tangents(at(), rest_, c_K, 0, S, scratch_);
    return S.factorise();
  }

 private:
  const Model& model_;
  const State& state_;
  ModelScratch scratch_;
  VectorXd rest_;
  double size_;
};

Modes whole(Linearised& l, int n, int count, const MatrixXd& G) {
  Modes out;
  MatrixXd M(n, n), K(n, n);
  for (int j = 0; j < n; ++j) {
    M.col(j) = l.mass(VectorXd::Unit(n, j));
    K.col(j) = l.stiffness(VectorXd::Unit(n, j));
  }
  K = (0.5 * (K + K.transpose())).eval();
  MatrixXd Z = MatrixXd::Identity(n, n);
  if (G.cols() > 0) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(G);
    const MatrixXd Q = qr.householderQ() * MatrixXd::Identity(n, n);
    Z = Q.rightCols(n - qr.rank());
  }
  if (Z.cols() == 0) {
    out.wrong = "joints leave nothing to move";
    return out;
  }
  const auto found = symmetric_eigen(Z.transpose() * K * Z, Z.transpose() * M * Z);
  if (!found) {
    out.wrong = "the mass matrix is not positive definite here";
    return out;
  }
  const Index kept = std::min<Index>(count, Z.cols());
  out.squares = without_noise(found->values.head(kept), found->values.cwiseAbs().maxCoeff());
  out.shapes = Z * found->vectors.leftCols(kept);
  return out;
}

/// Subspace iteration with K + s M, s a small part of the stiffness so that rigid motions do no harm.
Modes lowest(Linearised& l, const Model& model, int count) {
  Modes out;
  const int n = model.nv(), width = std::min(n, std::max(2 * count, count + 8));
  std::mt19937_64 random(1);
  MatrixXd X(n, width);
  for (Index j = 0; j < width; ++j)
    for (Index i = 0; i < n; ++i) X(i, j) = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  // Rayleigh's quotient of a rough vector says how large the largest are.
  const VectorXd rough = X.col(0);
  const double largest = std::abs(rough.dot(l.stiffness(rough))) / rough.dot(l.mass(rough));
  const double shift = 1e-9 * largest;
  Operator S(model.layout());
  if (!(largest > 0) || !l.factorise(shift, 1, S)) {
    out.wrong = "the tangent has no inverse here";
    return out;
  }
  VectorXd before = VectorXd::Zero(count);
  for (int pass = 0; pass < 200; ++pass) {
    MatrixXd Y(n, width);
    for (Index j = 0; j < width; ++j) {
      VectorXd y = l.mass(X.col(j));
      S.solve(y);
      Y.col(j) = y;
    }
    Y = Eigen::HouseholderQR<MatrixXd>(Y).householderQ() * MatrixXd::Identity(n, width);
    MatrixXd KY(n, width), MY(n, width);
    for (Index j = 0; j < width; ++j) {
      KY.col(j) = l.stiffness(Y.col(j));
      MY.col(j) = l.mass(Y.col(j));
    }
    MatrixXd A = Y.transpose() * KY;
    A = (0.5 * (A + A.transpose())).eval();
    const auto small = symmetric_eigen(A, Y.transpose() * MY);
    if (!small) {
      out.wrong = "the mass matrix is not positive definite here";
      return out;
    }
    X = Y * small->vectors;
    out.squares = small->values.head(count);
    const double moved = (out.squares - before).cwiseAbs().maxCoeff();
    before = out.squares;
    if (pass > 2 && moved <= 1e-10 * out.squares.cwiseAbs().maxCoeff()) break;
  }
  out.squares = without_noise(out.squares, largest);
  out.shapes = X.leftCols(count);
  return out;
}

}  // namespace

Modes find_modes(const Model& model, const State& state, int count) {
  Linearised l(model, state);
  count = std::min(count, model.nv());
  if (model.nv() <= kWhole) return whole(l, model.nv(), count, joint_gradients(model, state, l.scratch()));
  const MatrixXd G = joint_gradients(model, state, l.scratch());
  if (G.cols() > 0)
    return {{}, {}, "modes of systems with joints are there up to 900 coordinates; give fewer elements"};
  return lowest(l, model, count);
}

}  // namespace ricochet
