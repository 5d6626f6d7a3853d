#pragma once
// Inside of io/scenario/scenario: the tables of keys, and one reader for each kind of system.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ricochet/io/scenario/assembly.hpp"
#include "ricochet/io/scenario/drawing.hpp"
#include "ricochet/io/scenario/expectation.hpp"
#include "ricochet/io/yaml/schema.hpp"
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/formulas.hpp"
#include "ricochet/model/joint/joint_reading.hpp"
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

/// What is wrong in a file is told with its own place, behind the place of its name here.
template <class Action>
auto read_named(const yaml::Node& name, Action action) {
  try {
    return action();
  } catch (const InputError& error) {
    name.fail(error.what());
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

  /// Surfaces that were read (io/scenario/mesh_shapes), by file and scale.
  struct Meshes {
    std::string folder;
    std::map<std::string, std::shared_ptr<const void>> read;
    std::vector<std::string> notes;
  };
  Meshes meshes;

  FormulaBuilder& formulas() { return formulas_; }
  /// Parameters as constants of a graph.
  Symbols symbols(Graph& graph) const;

 private:
  FormulaBuilder formulas_;
  std::vector<std::string> names_;
};

/// InputError unless the field's range holds x, the value of the expression.
void check_range(const schema::Expression& expression, double x, const schema::Field& field);

/// Where the coordinates and the bodies of a subsystem begin.
struct Beginning {
  int q, v, body;
};

/// What the readers put together, one part after the other.
struct Parts {
  Numbers numbers;
  ModelBuilder builder;
  State initial;
  std::map<std::string, yaml::Node> constraints;  ///< where each joint and contact is described
  Assembly assembly;
  std::string prefix;              ///< of all names of the part that is read just now, "arm."; empty: there is but one
  std::vector<std::string> plain;  ///< coordinates that formulas may use: all but those of bodies in space
  std::set<std::string> names;     ///< of all coordinates
  /// What mass matrices come from, where they are still to be looked at.
  struct Mass {
    yaml::Node node;
    int first, n;
  };
  std::vector<Mass> masses;
  std::vector<JointReading> joints;  ///< of bodies
  std::set<std::string> gears;       ///< names of joints that couple others
  bool play = false;                 ///< there are joints with clearance
  std::vector<FlexibleReading> flexible;
  std::vector<BeamReading> beams;
  std::string folder;              ///< where files are looked for that the scenario names
  std::vector<std::string> notes;  ///< what the user should know, a sentence each

  /// Room for more coordinates, all zero. `node`: whose names they are.
  Beginning grow(const Subsystem& subsystem, const yaml::Node& node);
};

// The parameters are read before.
void read_formulas(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
void read_linear(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
void read_bar(const schema::Fields& fields, const schema::Fields& initial, Parts& parts);
/// `fields`: of the system or part, which holds plane and planar beside the bodies.
void read_bodies(const schema::Fields& fields, const Vector3d& gravity, Parts& parts);

/// The frames of a subsystem of formulas or matrices.
void add_frames(const Subsystem& subsystem, const FormulaMounts& frames, const Beginning& at, Parts& parts);
/// One frame of `frames` as it is written.
struct FrameText {
  std::string name;
  std::array<schema::Expression, 3> position;
  Vector3d axis;
  schema::Expression angle;
  yaml::Node node;
};
std::vector<FrameText> read_frames(const schema::Fields& fields, Parts& parts);

/// A law from the keys restitution, friction and law; `tangents`: directions of slip that the contact has.
const ContactLaw* read_law(const schema::Fields& fields, int tangents, Parts& parts);
/// A new name among joints and contacts.
void declare_constraint(const std::string& name, const yaml::Node& node, Parts& parts);
/// A formula, or a list of at most `most`; each with its node.
std::vector<schema::Expression> read_rows(const yaml::Node& node, std::size_t most);
/// The values of position and velocity by name, of coordinates that begin at `first`; what is not given stays.
void read_initial(const schema::Fields& initial, const std::vector<std::string>& names, int first, Parts& parts);
/// InputError if it names other coordinates.
void check_initial_names(const schema::Fields& initial, const std::vector<std::string>& names);

/// `assemble` and `equilibrium` of the initial state; `step`: one of the motion.
void prepare_initial(const Model& model, const schema::Fields& initial, const yaml::Node& system, double tolerance,
                     double step, Parts& parts);
/// InputError if motors or joints hold one freedom with different targets until then; `closed`: at the initial state
/// joints are closed, so that accelerations can be looked at too.
void check_conflicts(const Model& model, const Parts& parts, const yaml::Node& system, double until, bool closed);
/// Masses, joints and gaps at the initial state.
void check_initial(const Model& model, const Parts& parts, const yaml::Node& system, double tolerance);
/// Finds the loops of the initial state, and notes what is to be said of them.
void check_loops(const Model& model, Parts& parts);

/// The block `draw`, and the look of bodies.
Drawing read_drawing(const schema::Fields& root, const Model& model, Parts& parts);
/// The block `expect`.
std::vector<Expectation> read_expectations(const schema::Fields& root, const Model& model, Parts& parts);
/// Shapes of bodies. `sources`: the system, then its parts with their prefixes.
void draw_bodies(const std::vector<schema::Named<schema::Fields>>& sources, const Model& model, Parts& parts,
                 Drawing& out);

}  // namespace ricochet::scenario
