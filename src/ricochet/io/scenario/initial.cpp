// A beginning that is not quite the one that was written: joints closed, bodies apart, or everything at rest.
#include <fmt/format.h>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/sim/initial_state.hpp"

namespace ricochet::scenario {
namespace {

std::string name_of(const std::vector<std::string>& names, int k) { return names[static_cast<std::size_t>(k)]; }

void close_joints(const Model& model, const yaml::Node& system, double tolerance, Parts& parts) {
  const Assembled a = assemble(model, tolerance, parts.initial);
  const std::vector<std::string> names = model.velocity_names();
  if (!a.closed && a.item >= 0) {
    const ConstraintItem& item = model.items()[static_cast<std::size_t>(a.item)];
    const auto described = parts.constraints.find(item.name);
    (described == parts.constraints.end() ? system : described->second)
        .fail(fmt::format("the joints cannot be closed: where they are open least, {:.6g} remains at '{}'{}; accepted: "
                          "lengths with which they close, or a beginning nearer to it",
                          a.rest, item.name, item.dim > 1 ? fmt::format(" (row {})", a.row + 1) : ""));
  }
  if (a.coordinate >= 0 && a.moved > tolerance)
    parts.notes.push_back(
        fmt::format("the joints were closed; {} moved most, by {:.6g}", name_of(names, a.coordinate), a.moved));
  if (a.velocity >= 0 && a.changed > tolerance)
    parts.notes.push_back(fmt::format("the velocities were made to keep the joints; that of {} changed most, by {:.6g}",
                                      name_of(names, a.velocity), a.changed));
}

void move_apart(const Model& model, const yaml::Node& where, double tolerance, Parts& parts) {
  // Well below what is accepted of a beginning.
  const Separated s = separate(model, 1e-3 * tolerance, parts.initial);
  const std::string pair =
      s.overlaps > 0 ? fmt::format("'{}' and '{}'", parts.assembly.name(s.A), parts.assembly.name(s.B)) : std::string();
  if (!s.apart)
    where.fail(
        fmt::format("the bodies cannot be moved apart in {} passes{}; accepted: room for all of them, or a "
                    "beginning nearer to it",
                    s.passes, pair.empty() ? "" : fmt::format(": {} still overlap by {:.6g}", pair, s.depth)));
  if (s.coordinate < 0) return;
  parts.notes.push_back(fmt::format("the bodies were moved apart{}; {} moved most, by {:.6g}",
                                    pair.empty() ? ""
                                                 : fmt::format(" ({} overlap{}, the deepest by {:.6g} between {})",
                                                               s.overlaps, s.overlaps > 1 ? "s" : "", s.depth, pair),
                                    name_of(model.velocity_names(), s.coordinate), s.moved));
}

void come_to_rest(const Model& model, const yaml::Node& where, double tolerance, double step, Parts& parts) {
  const Settled s = settle(model, tolerance, step, parts.initial);
  const std::vector<std::string> names = model.velocity_names();
  if (!s.found)
    where.fail(fmt::format("no static equilibrium is found in {} steps{}; accepted: a system that comes to rest",
                           s.steps,
                           s.coordinate >= 0 ? fmt::format(", {} moves most", name_of(names, s.coordinate)) : ""));
  parts.notes.push_back(fmt::format("the motion begins in static equilibrium, {:.6g} from the state given (most in {})",
                                    s.moved, name_of(names, s.coordinate)));
}

}  // namespace

void prepare_initial(const Model& model, const schema::Fields& initial, const yaml::Node& system, double tolerance,
                     double step, Parts& parts) {
  if (initial.boolean("assemble")) close_joints(model, system, tolerance, parts);
  if (initial.boolean("separate")) move_apart(model, initial.node("separate"), tolerance, parts);
  if (initial.boolean("equilibrium")) come_to_rest(model, initial.node("equilibrium"), tolerance, step, parts);
}

}  // namespace ricochet::scenario
