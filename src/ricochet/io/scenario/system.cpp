// Kinds of system side by side, and what couples them.
#include "ricochet/io/scenario/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ricochet/io/scenario/collision.hpp"
#include "ricochet/io/scenario/flexible.hpp"
#include "ricochet/io/scenario/mechanism.hpp"
#include "ricochet/model/constraint/linear_rows.hpp"

namespace ricochet::scenario {
namespace {

using schema::Expression;
using schema::Fields;
using yaml::Node;

constexpr const char* kBeams = "beams";  ///< those of `flexible`

/// One kind of system, with the block that holds it.
struct Source {
  std::string kind;
  std::string prefix;
  Fields fields;   ///< the system's, or a part's
  Fields initial;  ///< of its coordinates
  bool in_space() const { return (kind == "bodies" || kind == kBeams) && !fields.has("planar"); }
  /// Bodies of any kind, which gravity pulls.
  bool heavy() const { return kind == "bodies" || kind == "flexible" || kind == kBeams; }
};

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{"formulas", "linear", "bar", "bodies", "flexible"};
  return all;
}

void refuse_without_bodies(const Fields& fields, const std::string& beside) {
  for (const char* key : {"gravity", "plane", "planar", "collision"})
    if (fields.table().find(key) != nullptr && fields.has(key))
      fields.node(key).fail_key(fmt::format("'{}' goes with bodies only; accepted beside {}: parameters", key, beside));
}

/// A source of one kind; flexible bodies are two, beams apart from others.
void add_source(const Source& source, std::vector<Source>& out) {
  if (source.kind != "flexible") return out.push_back(source);
  if (has_flexible(source.fields, FlexibleKind::plain)) out.push_back(source);
  if (!has_flexible(source.fields, FlexibleKind::beams)) return;
  out.push_back(source);
  out.back().kind = kBeams;
}

std::vector<Source> find_sources(const Fields& system, const Fields& initial) {
  std::vector<Source> out;
  const auto parts = system.named_blocks("parts");
  const auto has = [](const Fields& fields, const std::string& kind) {
    return fields.has(kind) || (kind == "bodies" && fields.has("scenes"));
  };
  for (const std::string& kind : kinds())
    if (has(system, kind)) add_source({kind, "", system, initial}, out);
  if (out.empty() && parts.empty()) static_cast<void>(system.one_of(kinds()));  // says what is missing
  const auto heavy = [&](const Fields& f) { return has(f, "bodies") || f.has("flexible"); };
  const bool below = std::any_of(parts.begin(), parts.end(), [&](const auto& p) { return heavy(p.value); });
  if (!heavy(system) && !below) refuse_without_bodies(system, out.empty() ? "parts" : out.front().kind);
  for (const auto& [name, part] : parts) {
    if (!is_valid_name(name))
      part.node().fail_key(fmt::format(
          "'{}' cannot be the name of a part; accepted: letters, digits and underscores, not a function", name));
    const std::string kind = part.has("scenes") ? "bodies" : part.one_of(kinds());
    if (!heavy(part)) refuse_without_bodies(part, kind);
    const Fields own = part.block("initial");
    add_source({kind, name + ".", part, own}, out);
    if (own.has("time")) own.fail("time", "the time is that of `initial` of the scenario");
  }
  // Plain coordinates are the same numbers among positions and velocities as long as no rotation comes before them.
  std::stable_partition(out.begin(), out.end(), [](const Source& s) { return !s.in_space(); });
  return out;
}

void read_source(const Source& s, const Fields& system, Parts& parts) {
  const Fields& fields = s.fields;
  if (s.kind == "formulas") read_formulas(fields.block("formulas"), s.initial, parts);
  if (s.kind == "linear") read_linear(fields.block("linear"), s.initial, parts);
  if (s.kind == "bar") read_bar(fields.block("bar"), s.initial, parts);
  if (!s.heavy()) return;
  const Vector3d gravity = parts.numbers.vector(fields.has("gravity") ? fields : system, "gravity");
  if (s.kind == "bodies") read_bodies(fields, gravity, parts);
  if (s.kind == "flexible") read_flexible(fields, FlexibleKind::plain, gravity, parts);
  if (s.kind == kBeams) read_flexible(fields, FlexibleKind::beams, gravity, parts);
}

/// Names of coordinates without the prefix of their part.
std::vector<std::string> plain_names(const std::vector<std::string>& all, std::size_t first, std::size_t prefix) {
  std::vector<std::string> out;
  for (std::size_t i = first; i < all.size(); ++i) out.push_back(all[i].substr(prefix));
  return out;
}

void read_sources(const Fields& system, const Fields& initial, Parts& parts) {
  const Numbers shared = parts.numbers;
  const auto forget_own = [&] {  // but not the meshes that were read, and what there is to say of them
    Numbers::Meshes meshes = std::move(parts.numbers.meshes);
    parts.numbers = shared;
    parts.numbers.meshes = std::move(meshes);
  };
  std::vector<std::string> own;  // coordinates that `initial` of the scenario may name
  for (const Source& s : find_sources(system, initial)) {
    parts.prefix = s.prefix;
    forget_own();
    if (!s.prefix.empty() && s.kind == "formulas") parts.numbers.parameters(s.fields.block("formulas"));
    const std::size_t before = parts.plain.size();
    read_source(s, system, parts);
    std::vector<std::string> names = plain_names(parts.plain, before, s.prefix.size());
    if (s.heavy()) names.clear();
    if (s.prefix.empty())
      own.insert(own.end(), names.begin(), names.end());
    else
      check_initial_names(s.initial, names);
  }
  parts.prefix.clear();
  forget_own();
  check_initial_names(initial, own);
}

// ---- what joins frames
// ------------------------------------------------------------------------------------------------

/// Right-handed axes with z along the normal.
Matrix3d plane_axes(const Vector3d& normal) {
  const Vector3d n = normal.normalized();
  const Vector3d seed = std::abs(n.x()) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
  Matrix3d R;
  R.col(0) = (seed - n * n.dot(seed)).normalized();
  R.col(1) = n.cross(R.col(0));
  R.col(2) = n;
  return R;
}

/// Points over a plane: of bodies in a plane, and of nodes, they are contacts of frames.
void add_touching(const TouchingPoints& t, const Assembly& assembly, std::vector<FrameContact>& contacts,
                  Parts& parts) {
  const Freedom& freedom = assembly.freedoms[static_cast<std::size_t>(t.first_mount - 1)];
  if (freedom.node || !freedom.plane.isZero(0)) {
    const Frame ground{0, t.plane.offset * t.plane.normal.normalized(), plane_axes(t.plane.normal)};
    for (const TouchingPoint& p : t.points)
      contacts.push_back({p.name, ground, {t.first_mount + p.body, p.point, Matrix3d::Identity()}, {}, t.law});
    return;
  }
  std::vector<PointOnPlane> points;
  for (const TouchingPoint& p : t.points) points.push_back({p.name, p.body, p.point, t.law});
  const Mount& first = assembly.mounts[static_cast<std::size_t>(t.first_mount)];
  parts.builder.add(make_points_on_plane(std::move(points), t.plane, first.first_q, first.first_v, first.first_body));
}

/// A node over a plane that does not move: gap and slips are affine in its coordinates.
bool is_affine(const FrameContact& c, const Assembly& assembly) {
  return c.A.mount == 0 && c.feature.kind == ricochet::Feature::Kind::on_plane &&
         assembly.freedoms[static_cast<std::size_t>(c.B.mount - 1)].node && !c.law->rolling();
}

LinearRow affine_rows(const FrameContact& c, const Assembly& assembly) {
  const Mount& mount = assembly.mounts[static_cast<std::size_t>(c.B.mount)];
  const Pose& pose = assembly.poses[static_cast<std::size_t>(c.B.mount - 1)];  // where the displacements are zero
  const Range at = mount.coordinates();
  const auto along = [&](const Vector3d& e) {
    std::array<double, 12> row{};
    mount.subsystem->pull(mount.id, pose, {e, Vector3d::Zero()}, row.data());
    std::vector<LinearRow::Entry> out;
    for (int i = 0; i < at.n; ++i) out.push_back({at.at + i, row[static_cast<std::size_t>(i)]});
    return out;
  };
  LinearRow out;
  out.name = c.name;
  out.law = c.law;
  out.body = mount.body();
  out.normal = c.A.R.col(2);
  out.point = pose.c - c.feature.r * out.normal;
  for (int i = 0; i < 3; ++i) out.moves[static_cast<std::size_t>(i)] = along(Vector3d::Unit(i));
  for (int k = 0; k < c.law->dim(2); ++k) {
    out.rows.push_back(along(c.A.R.col(k == 0 ? 2 : k - 1)));
    out.offset.push_back(k == 0 ? out.normal.dot(out.point - c.A.r) : 0);
  }
  return out;
}

/// Those of one plane of motion after the other, or of space: `make` makes a set of them.
template <class Contact, class Make>
void add_by_plane(std::vector<Contact> contacts, const Assembly& assembly, Parts& parts, Make make) {
  const auto plane_of = [&](const Contact& c) { return assembly.common_plane(c.A.mount, c.B.mount); };
  while (!contacts.empty()) {
    const Vector3d plane = plane_of(contacts.front());
    std::vector<Contact> here, others;
    for (Contact& c : contacts) (plane_of(c) == plane ? here : others).push_back(std::move(c));
    parts.builder.add(make(assembly.mounts, std::move(here), plane));
    contacts = std::move(others);
  }
}

/// A set for each plane of motion, and one for space; nodes over fixed planes have one of their own.
void add_contacts(std::vector<FrameContact> contacts, const Assembly& assembly, Parts& parts) {
  std::vector<LinearRow> affine;
  for (const FrameContact& c : contacts)
    if (is_affine(c, assembly)) affine.push_back(affine_rows(c, assembly));
  if (!affine.empty()) parts.builder.add(make_linear_rows(std::move(affine)));
  std::erase_if(contacts, [&](const FrameContact& c) { return is_affine(c, assembly); });
  add_by_plane(std::move(contacts), assembly, parts, make_frame_contacts);
}

JointReading reading_of(const FrameJoint& joint, const Mechanism& mechanism, const std::vector<Mount>& mounts) {
  JointReading out{joint.name, {mounts, joint.A, joint.B}, joint.rows};
  for (const Mechanism::Measured& m : mechanism.measured) {
    if (m.name != joint.name) continue;
    out.coordinate = m.turns ? JointReading::Coordinate::angle : JointReading::Coordinate::displacement;
    out.measure = m.side.measure;
  }
  return out;
}

void connect(const Fields& system, Parts& parts) {
  const Assembly& assembly = parts.assembly;
  Mechanism mechanism = read_mechanism(system, assembly, parts);
  std::vector<std::pair<int, int>> joined;
  for (const FrameJoint& j : mechanism.joints) joined.emplace_back(j.A.mount, j.B.mount);
  for (const FrameJoint& j : mechanism.joints)
    if (j.law == nullptr && j.drive.empty()) parts.joints.push_back(reading_of(j, mechanism, assembly.mounts));
  if (!mechanism.couplings.empty())
    parts.builder.add(make_coupled_joints(assembly.mounts, std::move(mechanism.couplings)));
  if (!mechanism.means.empty()) parts.builder.add(make_mean_ties(assembly.mounts, std::move(mechanism.means)));
  if (!mechanism.joints.empty()) parts.builder.add(make_frame_joints(assembly.mounts, std::move(mechanism.joints)));
  if (!mechanism.forces.empty()) parts.builder.add(make_frame_forces(assembly.mounts, std::move(mechanism.forces)));
  for (const TouchingPoints& t : assembly.touching) add_touching(t, assembly, mechanism.contacts, parts);
  add_contacts(std::move(mechanism.contacts), assembly, parts);
  add_by_plane(std::move(mechanism.faces), assembly, parts, make_face_contacts);
  add_collision(system, joined, parts.numbers.vector(system, "gravity"), parts);
}

// ---- what joins coordinates
// -------------------------------------------------------------------------------------------

/// Joints, contacts and forces as formulas of the coordinates of all parts.
class CouplingReader {
 public:
  explicit CouplingReader(Parts& parts) : parts_(parts), builder_(parts.numbers.formulas()) {}

  void read(const Fields& system) {
    for (const auto& [name, fields] : system.named_blocks("joints"))
      if (fields.has("formula")) read_joint(name, fields);
    for (const auto& [name, fields] : system.named_blocks("contacts"))
      if (fields.has("gap")) read_contact(name, fields);
    for (const auto& [name, fields] : system.named_blocks("forces"))
      if (fields.has("potential") || fields.has("on")) read_force(name, fields);
    if (!begun_) return;
    if (auto constraints = builder_.constraints(0, 0)) parts_.builder.add(std::move(constraints));
    if (!forces_.empty())
      parts_.builder.add(located(system.node("forces"), [&] { return builder_.force_set(forces_); }));
  }

 private:
  /// Only these keys.
  void begin(const Fields& fields, const std::string& kind, std::vector<std::string> keys) {
    keys.push_back(kind);
    for (const std::string& key : fields.table().keys())
      if (fields.has(key) && std::find(keys.begin(), keys.end(), key) == keys.end())
        fields.fail(key, fmt::format("does not go with `{}`; accepted: {}", kind, join(keys)));
    if (begun_) return;
    begun_ = true;
    located(fields.node(kind), [&] {
      for (const std::string& name : parts_.plain) builder_.foreign_coordinate(name);
    });
  }

  void read_joint(const std::string& name, const Fields& fields) {
    begin(fields, "formula", {});
    declare_constraint(name, fields.node(), parts_);
    std::vector<std::string> rows;
    for (const Expression& row : read_rows(fields.node("formula"), 1000)) rows.push_back(checked(row, true));
    located(fields.node(), [&] { builder_.joint(name, rows); });
  }

  void read_contact(const std::string& name, const Fields& fields) {
    begin(fields, "gap", {"slip", "restitution", "friction", "law"});
    declare_constraint(name, fields.node(), parts_);
    const std::string gap = checked(fields.expression("gap"), false);
    std::vector<std::string> slips;
    if (fields.has("slip"))
      for (const Expression& slip : read_rows(fields.node("slip"), 2)) slips.push_back(checked(slip, false));
    const ContactLaw* law = read_law(fields, static_cast<int>(slips.size()), parts_);
    located(fields.node(), [&] { builder_.contact(name, gap, slips, law); });
  }

  void read_force(const std::string& name, const Fields& fields) {
    begin(fields, fields.has("potential") ? "potential" : "on", {"on"});
    forces_.push_back(name);
    if (fields.has("potential")) {
      const Expression potential = fields.expression("potential");
      located(potential.node, [&] { builder_.potential(potential.text); });
    }
    if (fields.has("on")) read_forces(fields.node("on"), "");
  }

  /// By coordinate, or by part, then by its coordinates.
  void read_forces(const Node& node, const std::string& prefix) {
    if (!node.is_map())
      node.fail(
          fmt::format("expected forces by coordinate, {{x: ...}} or {{part: {{x: ...}}}}, found {}", node.describe()));
    for (const auto& [key, force] : node.entries()) {
      const std::string name = prefix + key;
      if (!force.is_scalar()) {
        read_forces(force, name + ".");
        continue;
      }
      if (std::find(parts_.plain.begin(), parts_.plain.end(), name) == parts_.plain.end())
        force.fail_key(unknown_word("coordinate", name, parts_.plain));
      located(force, [&, &text = force] { builder_.force(name, text.text()); });
    }
  }

  std::string checked(const Expression& row, bool joint) {
    located(row.node, [&] { builder_.check_row(row.text, joint); });
    return row.text;
  }

  Parts& parts_;
  FormulaBuilder builder_;
  std::vector<std::string> forces_;
  bool begun_ = false;
};

}  // namespace

std::vector<FrameText> read_frames(const Fields& fields, Parts& parts) {
  std::vector<FrameText> out;
  for (const auto& [name, frame] : fields.named_blocks("frames")) {
    const std::vector<Expression> position = frame.expressions("position");
    FrameText f{parts.prefix + name,
                {position.at(0), position.at(1), position.at(2)},
                parts.numbers.vector(frame, "axis"),
                {},
                frame.node()};
    if (f.name == kGround) frame.node().fail_key("'ground' is what does not move; accepted: another name");
    if (!(f.axis.norm() > 1e-100)) frame.fail("axis", "the direction has length zero; accepted: any other");
    f.axis.normalize();
    if (frame.has("angle")) f.angle = frame.expression("angle");
    out.push_back(std::move(f));
  }
  return out;
}

void add_frames(const Subsystem& subsystem, const FormulaMounts& frames, const Beginning& at, Parts& parts) {
  const VectorXd q = parts.initial.q.segment(at.q, subsystem.nq());
  for (int k = 0; k < subsystem.mounts(); ++k) {
    const FormulaMounts::Mount& m = frames.all()[static_cast<std::size_t>(k)];
    parts.assembly.add(m.name, subsystem.pose(k, q),
                       {.formula = true, .moves = m.moves, .turns = m.turns, .axis = m.axis},
                       {&subsystem, k, at.q, at.v, at.body});
  }
}

void read_system(const Fields& system, const Fields& initial, Parts& parts) {
  parts.numbers.parameters(system);
  if (system.has("formulas")) parts.numbers.parameters(system.block("formulas"));
  parts.initial.t = parts.numbers.number(initial, "time");
  read_sources(system, initial, parts);
  std::set<std::string> names;
  for (const std::string& name : parts.assembly.names)
    if (!names.insert(name).second)
      system.node().fail(fmt::format("the name '{}' is given to two bodies or frames; accepted: another one", name));
  CouplingReader(parts).read(system);
  connect(system, parts);
}

}  // namespace ricochet::scenario
