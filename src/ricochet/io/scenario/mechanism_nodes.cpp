// Joints and contacts of nodes of flexible bodies: a set of nodes in place of the second body stands for each of them.
#include <fmt/format.h>

#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {

const std::vector<int>* MechanismReader::node_set(const std::string& name) const {
  const auto found = all_.sets.find(name);
  return found == all_.sets.end() ? nullptr : &found->second;
}

std::vector<MechanismReader::Pair> MechanismReader::pairs(const std::string& name, const Fields& fields,
                                                          const std::string& kind) {
  const std::vector<std::string> given = fields.texts(kind);
  if (node_set(given[0]) != nullptr)
    fields.fail(kind, fmt::format("'{}' is a set of nodes; accepted: a body or ground first, then the set", given[0]));
  const std::vector<int>* set = node_set(given[1]);
  if (set == nullptr) return {{name, ends(fields, kind), false}};
  std::vector<Pair> out;
  const int a = end(given[0], fields, kind);
  for (const int b : *set) {
    const std::string& node = names_[static_cast<std::size_t>(b)];
    out.push_back({name + node.substr(node.rfind('.')), {a, b}, true});
  }
  if (out.empty()) fields.fail(kind, fmt::format("'{}' has no node that can move", given[1]));
  all_.look_at(a, out.front().ends.b);
  return out;
}

void MechanismReader::refuse_node(const Fields& fields, const std::string& kind, const Ends& e,
                                  const char* accepted) const {
  for (const int mount : {e.a, e.b})
    if (mount > 0 && all_.freedoms[static_cast<std::size_t>(mount - 1)].node)
      fields.fail(kind, fmt::format("'{}' is a node, which does not turn; accepted: {}",
                                    names_[static_cast<std::size_t>(mount)], accepted));
}

void MechanismReader::tie(const std::string& name, const Fields& fields, const std::string& kind) {
  if (kind != "spherical")
    fields.fail(kind, "nodes do not turn; accepted: spherical, which ties every node of the set to the body");
  for (const Pair& pair : pairs(name, fields, kind)) {
    const Vector3d at = all_.poses[static_cast<std::size_t>(pair.ends.b - 1)].c;
    const Matrix3d I = Matrix3d::Identity();
    declare_constraint(pair.name, fields.node(), parts_);
    out_.joints.push_back({pair.name, fix(at, I, pair.ends.a), fix(at, I, pair.ends.b), joint_rows(kind, 0)});
  }
}

void MechanismReader::tie_mean(const std::string& name, const Fields& fields) {
  const std::vector<std::string> given = fields.texts("mean");
  const std::vector<int>* set = node_set(given[1]);
  if (set == nullptr) {
    std::vector<std::string> known;
    for (const auto& [known_name, mounts] : all_.sets) known.push_back(known_name);
    fields.fail("mean", unknown_word("node set (`touch` names them)", given[1], known));
  }
  for (const std::string& key : fields.table().keys())
    if (key != "mean" && fields.has(key))
      fields.fail(key, "a tie in the mean is where its nodes are; accepted: nothing beside it");
  MeanTie tie{.name = name, .A = {}, .nodes = *set, .r = {}};
  Vector3d mean = Vector3d::Zero();
  for (const int b : *set) tie.r.push_back(all_.poses[static_cast<std::size_t>(b - 1)].c);
  for (const Vector3d& x : tie.r) mean += x / static_cast<double>(tie.r.size());
  for (Vector3d& x : tie.r) x -= mean;
  if (!nodes_hold_rotations(tie.r))
    fields.fail("mean", fmt::format("the nodes of '{}' that can move lie on a line, about which nothing would be held; "
                                    "accepted: three or more that span a plane",
                                    given[1]));
  tie.A = fix(mean, Matrix3d::Identity(), end(given[0], fields, "mean"));
  if (tie.A.mount > 0) {
    refuse_node(fields, "mean", {tie.A.mount, 0}, "a body or ground first, then the set");
    if (!all_.freedoms[static_cast<std::size_t>(tie.A.mount - 1)].plane.isZero(0))
      fields.fail("mean", "a body in a plane cannot follow nodes in space; accepted: bodies in space, ground");
  }
  declare_constraint(name, fields.node(), parts_);
  out_.means.push_back(std::move(tie));
}

void MechanismReader::drive_nodes() {
  for (DrivenNode& d : all_.driven) {
    const Vector3d at = all_.poses[static_cast<std::size_t>(d.mount - 1)].c;
    const Matrix3d I = Matrix3d::Identity();
    out_.joints.push_back({.name = d.name,
                           .A = fix(at, I, 0),
                           .B = fix(at, I, d.mount),
                           .rows = {{FrameRow::Kind::coincide, d.direction, d.direction, 0}},
                           .drive = std::move(d.motion)});
  }
}

void MechanismReader::touch_nodes(const std::vector<Pair>& all, const Fields& fields, FrameContact contact) {
  for (const char* key : {"to", "first", "second"}) only_for(fields, key, false, "bodies; nodes are where they are");
  for (const Pair& pair : all) {
    declare_constraint(pair.name, fields.node(), parts_);
    contact.name = pair.name;
    contact.B = {pair.ends.b, Vector3d::Zero(), Matrix3d::Identity()};
    out_.contacts.push_back(contact);
  }
}

}  // namespace ricochet::scenario
