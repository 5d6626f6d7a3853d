// What must hold at the initial state before anything is simulated.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/orthogonal.hpp"
#include "ricochet/math/symmetric_eigen.hpp"
#include "ricochet/model/contact/collision.hpp"
#include "ricochet/model/scales.hpp"

namespace ricochet::scenario {
namespace {

constexpr double kJointTolerance = 1e-8;  ///< of the scales
constexpr double kSingular = 1e-12;       ///< relative to a mass matrix scaled to unit diagonal

class InitialCheck {
 public:
  InitialCheck(const Model& model, const Parts& parts, const yaml::Node& system, double tolerance)
      : model_(model), parts_(parts), system_(system), tolerance_(tolerance), scratch_(model) {}

  void all() {
    equations();
    const MatrixXd G = constraints();
    for (const Parts::Mass& m : parts_.masses) mass(m, G.middleRows(m.first, m.n));
  }

 private:
  Point point() const { return {parts_.initial.t, parts_.initial.q, parts_.initial.v}; }

  void equations() {
    VectorXd r = VectorXd::Zero(model_.nv());
    const VectorXd a = VectorXd::Ones(model_.nv());
    model_.residual(point(), a, 1, r, scratch_);
    for (Index i = 0; i < r.size(); ++i)
      if (!std::isfinite(r[i]))
        system_.fail(
            fmt::format("the equation of motion of '{}' has no finite value at the initial state: a derivative "
                        "of the kinetic energy, the potential or a force is infinite there; accepted: formulas that "
                        "are smooth there",
                        model_.velocity_names()[static_cast<std::size_t>(i)]));
  }

  // Joints closed, contacts open; returns the gradients of the joints where the mass matrix will be looked at.
  MatrixXd constraints() {
    std::vector<Candidate> candidates;
    model_.candidates(point(), 0, candidates);
    MatrixXd joints(model_.nv(), 0);
    ConstraintRows rows;
    std::vector<double> U;
    for (int k = 0; k < static_cast<int>(candidates.size()); ++k) {
      const Candidate& c = candidates[static_cast<std::size_t>(k)];
      model_.evaluate(parts_.initial.t, parts_.initial.q, {.candidates = candidates.data(), .pick = &k, .count = 1},
                      rows, scratch_);
      U.assign(static_cast<std::size_t>(c.dim), 0);
      rows.G.transpose_times(parts_.initial.v, U.data());
      if (c.item < 0) continue;  // bodies that meet: looked at as a whole
      const ConstraintItem& item = model_.items()[static_cast<std::size_t>(model_.index_of(c))];
      for (int i = 0; i < c.dim; ++i)
        row(item, i, rows.g.data()[i], U[static_cast<std::size_t>(i)] + rows.g_t.data()[i], size(c, i));
      if (c.bilateral() && !parts_.masses.empty()) append(rows.G, c.dim, joints);
    }
    overlap();
    return joints;
  }

  void overlap() const {
    for (const auto& set : model_.sets())
      for (const Overlap& o : overlaps(*set, parts_.initial.q, tolerance_)) {
        system_.fail(
            fmt::format("'{}' and '{}' overlap by {:.6g} at the beginning; accepted: bodies apart, or in touch "
                        "to {}, or `initial: {{separate: true}}`, which moves them apart",
                        parts_.assembly.name(o.A), parts_.assembly.name(o.B), o.depth, tolerance_));
      }
  }

  /// What the row is measured by.
  double size(const Candidate& c, int i) const {
    Index first = 0;
    for (int k = 0; k < model_.index_of(c); ++k) first += model_.items()[static_cast<std::size_t>(k)].dim;
    return parts_.initial.scales->row[first + i];
  }

  /// Which faces touch, if the contact is one of faces.
  static std::string faces_of(const yaml::Node& node) {
    if (!node.has("faces")) return "";
    const std::vector<yaml::Node> faces = node.child("faces").items();
    return fmt::format(" of {} and {}", faces[0].text(), faces[1].text());
  }

  void row(const ConstraintItem& item, int i, double g, double U, double size) const {
    const auto described = parts_.constraints.find(item.name);
    const yaml::Node& node = described == parts_.constraints.end() ? system_ : described->second;
    const std::string which = item.bilateral && item.dim > 1 ? fmt::format(" (row {})", i + 1) : "";
    const char* kind = item.bilateral ? "joint" : "contact";
    if (!std::isfinite(g) || !std::isfinite(U))
      node.fail(fmt::format(
          "the {} '{}'{} has no finite gradient at the initial state; accepted: formulas that are smooth there", kind,
          item.name, which));
    const double open = kJointTolerance * size, opens = open / parts_.initial.scales->time(), deep = tolerance_ * size;
    if (item.bilateral && std::abs(g) > open)
      node.fail(fmt::format("the joint '{}'{} is open by {:.6g} at the initial position; accepted: at most {:.2g}",
                            item.name, which, g, open));
    if (item.bilateral && std::abs(U) > opens)
      node.fail(
          fmt::format("the joint '{}'{} opens with velocity {:.6g} at the initial state; accepted: at most {:.2g}",
                      item.name, which, U, opens));
    if (!item.bilateral && i == 0 && g < -deep)
      node.fail(fmt::format("the contact '{}'{} begins with a penetration of {:.6g}; accepted: gap >= -{:.2g}",
                            item.name, faces_of(node), -g, deep));
  }

  void append(const Jacobian& G, int dim, MatrixXd& joints) const {
    const Index first = joints.cols();
    joints.conservativeResize(Eigen::NoChange, first + dim);
    joints.rightCols(dim).setZero();
    for (int i = 0; i < dim; ++i) {
      VectorXd unit = VectorXd::Zero(dim), column = VectorXd::Zero(model_.nv());
      unit[i] = 1;
      G.add_times(1, unit.data(), column);
      joints.col(first + i) = column;
    }
  }

  // M must be positive semi-definite, and definite on what the joints leave free. Units are taken out by scaling M to a
  // unit diagonal.
  void mass(const Parts::Mass& part, const MatrixXd& G) {
    const Index n = part.n;
    const auto name = [&](Index i) { return model_.velocity_names()[static_cast<std::size_t>(part.first + i)]; };
    MatrixXd M(n, n);
    for (Index j = 0; j < n; ++j) {
      const VectorXd unit = VectorXd::Unit(model_.nv(), part.first + j);
      VectorXd column = VectorXd::Zero(model_.nv());
      model_.mass_times(point(), unit, 1, column, scratch_);
      M.col(j) = column.segment(part.first, n);
    }
    VectorXd scale(n);
    for (Index i = 0; i < n; ++i) {
      if (M(i, i) < 0)
        part.node.fail(
            fmt::format("the mass of '{}' is {:.6g} at the initial position; accepted: a kinetic energy that "
                        "no velocity makes negative",
                        name(i), M(i, i)));
      scale[i] = M(i, i) > 0 ? 1 / std::sqrt(M(i, i)) : 1;
    }
    M = scale.asDiagonal() * M * scale.asDiagonal();
    // M - c I has a Cholesky factor: all eigenvalues are above c, and none has to be known
    const MatrixXd lowered = M - kSingular * static_cast<double>(n) * MatrixXd::Identity(n, n);
    if (Eigen::LLT<MatrixXd>(lowered).info() == Eigen::Success) return;
    const SymmetricEigen eigen = symmetric_eigen(M);
    Index worst = 0;
    eigen.vectors.col(0).cwiseAbs().maxCoeff(&worst);
    const double least = eigen.values[0];
    if (least < -kSingular * static_cast<double>(n))
      part.node.fail(
          fmt::format("the mass matrix is not positive semi-definite at the initial position (mostly along "
                      "'{}'); accepted: a kinetic energy that no velocity makes negative",
                      name(worst)));
    if (least < kSingular * static_cast<double>(n) && !held(M, scale.asDiagonal() * G))
      part.node.fail(
          fmt::format("the mass matrix is singular (mostly along '{}'), and no joint holds the motion without "
                      "mass; accepted: a kinetic energy that is positive for every velocity that the joints "
                      "allow",
                      name(worst)));
  }

  // [M G; G^T 0] is regular; of joints of several parts the rows of this one
  static bool held(const MatrixXd& M, const MatrixXd& all) {
    MatrixXd G(all.rows(), 0);
    for (Index j = 0; j < all.cols(); ++j) {
      if (all.col(j).isZero(0)) continue;
      G.conservativeResize(Eigen::NoChange, G.cols() + 1);
      G.rightCols(1) = all.col(j);
    }
    for (Index j = 0; j < G.cols(); ++j) {
      const double length = G.col(j).norm();
      if (!(length > 0)) return false;
      G.col(j) /= length;
    }
    const Index n = M.rows(), m = G.cols();
    MatrixXd A = MatrixXd::Zero(n + m, n + m);
    A.topLeftCorner(n, n) = M;
    A.topRightCorner(n, m) = G;
    A.bottomLeftCorner(m, n) = G.transpose();
    return Orthogonal(A, 1e-10).rank() == n + m;
  }

  const Model& model_;
  const Parts& parts_;
  const yaml::Node& system_;
  double tolerance_;
  ModelScratch scratch_;
};

}  // namespace

void check_initial(const Model& model, const Parts& parts, const yaml::Node& system, double tolerance) {
  InitialCheck(model, parts, system, tolerance).all();
}

}  // namespace ricochet::scenario
