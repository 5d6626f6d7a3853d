#pragma once
// Lagrangian systems from C++ callables. What is left empty is made by numerical differentiation (math/difference.hpp),
// never taken as zero; what is known exactly should be given: it is faster and closes the energy ledger further.
#include <functional>

#include "ricochet/model/constraint.hpp"

namespace ricochet {

struct LagrangianCallables {
  std::vector<std::string> coordinates;                                           ///< names; their number is n
  std::function<MatrixXd(double t, const VectorXd& q)> mass;                      ///< M, required
  std::function<VectorXd(double t, const VectorXd& q, const VectorXd& v)> force;  ///< without potential; empty: zero
  std::function<double(double t, const VectorXd& q)> potential;                   ///< V; empty: zero
  std::function<VectorXd(double t, const VectorXd& q)> potential_gradient;        ///< empty: differentiated
  std::function<VectorXd(double t, const VectorXd& q, const VectorXd& v)> convective;  ///< empty: from M
  /// -df/dq and -df/dv of all applied forces, potential included; empty: differentiated
  std::function<MatrixXd(double t, const VectorXd&q, const VectorXd&v)> stiffness, damping;
};

std::unique_ptr<Subsystem> make_lagrangian(LagrangianCallables callables);

struct ConstraintCallable {
  std::string name;
  int rows = 1;                     ///< a joint: its equations; a contact: the gap and its slips
  const ContactLaw* law = nullptr;  ///< null: a joint
  std::function<VectorXd(double t, const VectorXd& q)> value;     ///< g (rows), required
  std::function<MatrixXd(double t, const VectorXd& q)> gradient;  ///< G^T (rows x n); empty: differentiated
  /// d(G lambda)/dq (n x n) and d(G^T v)/dq (rows x n); empty: differentiated
  std::function<MatrixXd(double t, const VectorXd& q, const VectorXd& lambda)> curvature;
  std::function<MatrixXd(double t, const VectorXd& q, const VectorXd& v)> rate;
};

/// Joints come first. For a model of one subsystem of n coordinates.
std::unique_ptr<ConstraintSet> make_constraints(std::vector<ConstraintCallable> callables, int n);

}  // namespace ricochet
