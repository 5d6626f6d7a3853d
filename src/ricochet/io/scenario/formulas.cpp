#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {
namespace {

using schema::Expression;
using schema::Fields;

class FormulaReader {
 public:
  FormulaReader(const Fields& fields, Parts& parts)
      : fields_(fields), parts_(parts), builder_(parts.numbers.formulas()) {}  // a copy: parameters alone are shared

  void read(const Fields& initial) {
    read_coordinates();
    read_energies();
    read_joints();
    read_contacts();
    for (const FrameText& f : read_frames(fields_, parts_)) add_frame(f);
    const Expression kinetic = fields_.expression("kinetic");
    auto subsystem = located(kinetic.node, [&] { return builder_.subsystem(parts_.prefix); });
    at_ = parts_.grow(*subsystem, fields_.node("coordinates"));
    read_initial(initial, coordinates_, at_.q, parts_);
    check_values();
    add_frames(*subsystem, builder_.frames(), at_, parts_);
    parts_.masses.push_back({kinetic.node, at_.v, subsystem->nv()});
    parts_.builder.add(std::move(subsystem));
    if (auto constraints = builder_.constraints(at_.q, at_.v)) parts_.builder.add(std::move(constraints));
  }

 private:
  void read_coordinates() {
    const yaml::Node list = fields_.node("coordinates");
    for (const yaml::Node& item : list.items()) {
      located(item, [&] { builder_.coordinate(item.text()); });
      coordinates_.push_back(item.text());
    }
    if (coordinates_.empty()) list.fail("no coordinates are given; name at least one");
  }

  void read_energies() {
    const Expression kinetic = keep(fields_.expression("kinetic")), potential = keep(fields_.expression("potential"));
    located(kinetic.node, [&] { builder_.kinetic(kinetic.text); });
    located(potential.node, [&] { builder_.potential(potential.text); });
    for (const auto& [name, force] : fields_.named_expressions("forces")) {
      if (std::find(coordinates_.begin(), coordinates_.end(), name) == coordinates_.end())
        force.node.fail_key(unknown_word("coordinate", name, coordinates_));
      keep(force);
      located(force.node, [this, &name = name, &text = force.text] { builder_.force(name, text); });
    }
  }

  void read_joints() {
    for (const auto& [given, node] : fields_.named_nodes("joints")) {
      const std::string name = parts_.prefix + given;
      declare_constraint(name, node, parts_);
      std::vector<std::string> rows;
      for (const Expression& row : read_rows(node, 1000)) {
        try_row(row, true);
        rows.push_back(row.text);
      }
      located(node, [&] { builder_.joint(name, rows); });
    }
  }

  void read_contacts() {
    for (const auto& [given, contact] : fields_.named_blocks("contacts")) {
      const std::string name = parts_.prefix + given;
      declare_constraint(name, contact.node(), parts_);
      const Expression gap = contact.expression("gap");
      try_row(gap, false);
      std::vector<std::string> slips;
      if (contact.has("slip"))
        for (const Expression& slip : read_rows(contact.node("slip"), 2)) {
          try_row(slip, false);
          slips.push_back(slip.text);
        }
      const ContactLaw* law = read_law(contact, static_cast<int>(slips.size()), parts_);
      located(contact.node(), [&] { builder_.contact(name, gap.text, slips, law); });
    }
  }

  void add_frame(const FrameText& f) {
    std::array<std::string, 3> position;
    for (std::size_t k = 0; k < 3; ++k) position[k] = keep(f.position[k]).text;
    // each formula by itself, so that what is wrong is told at its place
    for (const Expression& e : f.position) located(e.node, [&] { builder_.check_row(e.text, false); });
    if (f.angle.node) located(f.angle.node, [&] { builder_.check_row(keep(f.angle).text, false); });
    located(f.node, [&] { builder_.frame(f.name, position, f.axis, f.angle.text); });
  }

  // The builder takes the rows of a joint or contact together and could not say which of them is wrong.
  void try_row(const Expression& row, bool joint) {
    keep(row);
    located(row.node, [&] { builder_.check_row(row.text, joint); });
  }

  const Expression& keep(const Expression& expression) { return formulas_.emplace_back(expression); }

  // With every name a constant the parser itself meets what has no value, sqrt(-1) or 1/0, and says where it stands.
  void check_values() {
    Graph graph;
    Symbols symbols = parts_.numbers.symbols(graph);
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      symbols[coordinates_[i]] = graph.constant(parts_.initial.q[at_.q + static_cast<Index>(i)]);
      symbols[coordinates_[i] + "'"] = graph.constant(parts_.initial.v[at_.v + static_cast<Index>(i)]);
    }
    symbols["t"] = graph.constant(parts_.initial.t);
    for (const Expression& formula : formulas_) try {
        parse(formula.text, symbols, graph);
      } catch (const ExpressionError& error) {
        formula.node.fail_inside(error.offset, fmt::format("no value at the initial state: {}; accepted: formulas that "
                                                           "are finite there",
                                                           error.what()));
      }
  }

  const Fields& fields_;
  Parts& parts_;
  FormulaBuilder builder_;
  Beginning at_{};
  std::vector<std::string> coordinates_;
  std::vector<Expression> formulas_;  ///< all that must have a value at the initial state
};

}  // namespace

void read_formulas(const Fields& fields, const Fields& initial, Parts& parts) {
  FormulaReader(fields, parts).read(initial);
}

}  // namespace ricochet::scenario
