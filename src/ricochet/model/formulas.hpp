#pragma once
// A Lagrangian system written as text. From T(t,q,v), V(t,q), generalised forces Q(t,q,v), joint residuals, gaps and
// slips follow, by exact differentiation,
//
//     M = d2T/dv2,   convective = (d2T/dv dq) v + d2T/dv dt - dT/dq,   f = Q - dV/dq
//     G = dg/dq,  dg/dt,  and every second derivative that the schemes ask for,
//
// by their structural nonzeros, compiled to flat tapes: dynamics and powers, energies, tangents, the Hessian of V;
// three for constraints. Parameters are inputs of the tapes: models that differ in their values alone share what was
// compiled once. Forces are booked as external where they act at v = 0, Q(t,q,0), and as damping for the rest.
#include <string>
#include <vector>

#include "ricochet/math/expression/parse.hpp"
#include "ricochet/model/constraint.hpp"
#include "ricochet/model/force.hpp"
#include "ricochet/model/formula/mounts.hpp"

namespace ricochet {

/// Each call throws ExpressionError about the text it was given, or InputError.
class FormulaBuilder {
 public:
  /// A parameter's text may use the parameters before it.
  void parameter(const std::string& name, const std::string& text);
  void coordinate(const std::string& name);
  /// A coordinate of another system, under any name; formulas reach it if its parts between dots are names.
  void foreign_coordinate(const std::string& name);
  void kinetic(const std::string& text);
  void potential(const std::string& text);
  void force(const std::string& coordinate, const std::string& text);
  /// A frame for joints, contacts and forces of other systems; an empty angle is none.
  void frame(const std::string& name, const std::array<std::string, 3>& position, const Vector3d& axis,
             const std::string& angle);
  /// A constant formula of the parameters, an initial value say.
  double value(const std::string& text);
  double parameter_value(const std::string& name) const;
  void joint(const std::string& name, const std::vector<std::string>& residuals);
  /// slips: none, one (plane) or two (space) tangential displacements.
  void contact(const std::string& name, const std::string& gap, const std::vector<std::string>& slips,
               const ContactLaw* law);

  /// Throws what `joint` or `contact` would throw about this row.
  void check_row(const std::string& text, bool of_joint) { row(text, of_joint); }
  const FormulaMounts& frames() const { return frames_; }

  /// `prefix`: before the names of its coordinates in the model.
  std::unique_ptr<Subsystem> subsystem(const std::string& prefix = "");
  /// Null if there are neither joints nor contacts. first_q, first_v: where the subsystem's coordinates begin.
  std::unique_ptr<ConstraintSet> constraints(int first_q, int first_v);

  /// Potential and forces alone, on coordinates that other systems give their mass.
  std::unique_ptr<ForceSet> force_set(std::vector<std::string> names);

  /// How many subsystems and constraint sets of formulas were compiled in this process.
  static std::size_t compiled();

  struct Item {
    std::string name;
    std::vector<NodeId> rows;
    const ContactLaw* law;
  };

 private:
  void declare(const std::string& name);
  NodeId read(const std::string& text);
  bool fold_exponents(NodeId node);
  NodeId folded(NodeId node);
  NodeId row(const std::string& text, bool of_joint);
  int n() const { return static_cast<int>(coordinates_.size()); }

  Graph graph_;
  Symbols symbols_, constants_;
  std::vector<std::string> parameters_;
  std::vector<double> values_;  ///< of the parameters
  std::string text_;            ///< all that was given, but for these values: what is compiled follows from it
  std::vector<std::string> coordinates_;
  std::vector<NodeId> forces_;
  NodeId kinetic_ = -1, potential_ = -1;
  std::vector<Item> joints_, contacts_;
  FormulaMounts frames_;
};

}  // namespace ricochet
