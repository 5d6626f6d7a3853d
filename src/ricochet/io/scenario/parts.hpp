#pragma once
// Inside of io/scenario/scenario: the tables of keys, and one reader for each kind of system.
#include <map>
#include <string>
#include <vector>

#include "ricochet/io/scenario/drawing.hpp"
#include "ricochet/io/yaml/schema.hpp"
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/formulas.hpp"
#include "ricochet/model/model.hpp"

namespace ricochet::scenario {

const schema::Block& root_table();

/// Runs `action`, whose complaints about a formula or without a place are then about `node`.
template <class Action>
auto located(const yaml::Node& node, Action action) {
  try {
    return action();
  } catch (const ExpressionError& error) {
    node.fail_inside(error.offset, error.what());
  } catch (const InputError& error) {
    if (!error.where.empty()) throw;
    node.fail(error.message);
  }
}

/// The values of a scenario's numbers, which may be formulas of its parameters.
class Numbers {
 public:
  void parameters(const schema::Fields& fields);  ///< its named expressions "parameters"
  double value(const schema::Expression& expression);
  double value(const yaml::Node& node) { return value(schema::Expression{node.text(), node}); }
  double number(const schema::Fields& fields, std::string_view key);  ///< checked against the range of the table
  Vector3d vector(const schema::Fields& fields, std::string_view key);
  std::vector<double> list(const schema::Fields& fields, std::string_view key);

  FormulaBuilder& formulas() { return formulas_; }
  /// Parameters as constants of a graph.
  Symbols symbols(Graph& graph) const;

 private:
  FormulaBuilder formulas_;
  std::vector<std::string> names_;
};

/// InputError unless the field's range holds x, the value of the expression.
void check_range(const schema::Expression& expression, double x, const schema::Field& field);

/// What the readers put together.
struct Parts {
  Numbers numbers;
  ModelBuilder builder;
  State initial;
  std::map<std::string, yaml::Node> constraints;  ///< where each joint and contact is described
  yaml::Node mass;                                ///< what the mass matrix comes from
  bool check_mass = true;                         ///< false where the reader has seen to it
};

// The parameters are read before.
void read_formulas(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
void read_linear(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
void read_bar(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
/// `fields`: of the system, which holds gravity and plane beside the bodies.
void read_bodies(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);

/// A law from the keys restitution, friction and law; `tangents`: directions of slip that the contact has.
const ContactLaw* read_law(const schema::Fields& fields, int tangents, Parts& parts);
/// A new name among joints and contacts.
void declare_constraint(const std::string& name, const yaml::Node& node, Parts& parts);
/// A formula, or a list of at most `most`; each with its node.
std::vector<schema::Expression> read_rows(const yaml::Node& node, std::size_t most);
/// The values of position and velocity by name; what is not given stays.
void read_initial(const schema::Fields& initial, const std::vector<std::string>& names, Parts& parts);

/// Masses, joints and gaps at the initial state.
void check_initial(const Model& model, const Parts& parts, const yaml::Node& system, double tolerance);

/// The block `draw`, and the look of bodies.
Drawing read_drawing(const schema::Fields& root, const Model& model, Parts& parts);

}  // namespace ricochet::scenario
