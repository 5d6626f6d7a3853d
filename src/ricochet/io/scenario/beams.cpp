// Beams.
#include "ricochet/io/scenario/beams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/beam_section.hpp"
#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/flexible.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/sincos.hpp"

namespace ricochet::scenario {
namespace {

using element::BeamNode;
using schema::Field;
using schema::Fields;
using schema::Shape;
using schema::Type;
using yaml::Node;

Field point(const char* key, const char* doc) {
  return {.key = key,
          .type = Type::expression,
          .shape = Shape::list,
          .count = 3,
          .unit = "m",
          .doc = doc,
          .required = true};
}

/// Only what beams know of the keys beside `beam`.
void refuse_others(const Fields& body) {
  for (const char* key : {"scale", "material", "pressure"})
    if (body.has(key)) body.fail(key, "goes with solids; accepted beside `beam`: young, poisson, density, rayleigh");
  if (body.has("driven"))
    body.fail("driven", "goes with rods and solids; accepted: a joint with `drive` or `speed` on a node of the beam");
  if (body.has("mass") && body.text("mass") != "lumped")
    body.fail("mass", "the mass of a beam is that of its nodes; accepted: lumped, or nothing");
}

/// A name or a list of names.
std::vector<Node> read_sets(const Fields& body, const char* key, const std::vector<std::string>& accepted) {
  if (!body.has(key)) return {};
  const Node node = body.node(key);
  std::vector<Node> out = node.is_list() ? node.items() : std::vector<Node>{node};
  for (const Node& n : out)
    if (!n.is_scalar() || std::find(accepted.begin(), accepted.end(), n.text()) == accepted.end())
      n.fail(fmt::format("a beam has no such nodes; accepted: {}", join(accepted)));
  return out;
}

/// Nodes along an arc of a circle about `up`, or along a straight line, in the body's axes.
std::vector<BeamNode> place_nodes(const Fields& beam, int count, Numbers& numbers) {
  const Vector3d from = numbers.vector(beam, "from"), chord = numbers.vector(beam, "to") - from;
  if (!(chord.norm() > 1e-100)) beam.fail("to", "the beam has no length; accepted: another point than `from`");
  const double angle = numbers.number(beam, "arc");
  const Vector3d x = chord.normalized();
  Vector3d up = numbers.vector(beam, "up");
  if (!beam.has("up") && x.cross(up).norm() < 1e-6) up = Vector3d::UnitX();
  if (!(x.cross(up).norm() > 1e-12 * up.norm())) beam.fail("up", "is along the beam; accepted: a direction across it");
  if (angle != 0 && std::abs(x.dot(up)) > 1e-9 * up.norm())
    beam.fail("up", "is not at a right angle to the chord; accepted with `arc`: the axis about which it bends");
  Matrix3d R;
  R.col(0) = x;
  R.col(1) = up.cross(x).normalized();
  R.col(2) = x.cross(R.col(1));
  const Quaterniond axes(R);
  std::vector<BeamNode> out;
  for (int k = 0; k < count; ++k) {
    const double s = static_cast<double>(k) / (count - 1), turn = (s - 0.5) * angle;
    // chord of the first part of the arc, turned back by half of the rest
    const double part = angle == 0 ? s : elementary::sin(s * angle / 2) / elementary::sin(angle / 2);
    const SineCosine way = sine_cosine((s - 1) * angle / 2);
    const Vector3d r = from + chord.norm() * part * (way.cosine * R.col(0) + way.sine * R.col(1));
    out.push_back({r, (axes * exp_quaternion({0, 0, turn})).normalized()});
  }
  return out;
}

class BeamReader {
 public:
  BeamReader(const std::string& name, const Fields& body, const Fields& system, const Vector3d& gravity, Parts& parts)
      : body_(body), beam_(body.block("beam")), system_(system), gravity_(gravity), parts_(parts) {
    refuse_others(body);
    made_.name = name;
    planar_ = system.has("planar");
    if (planar_) plane_ = read_plane_of_motion(system);
  }

  void read() {
    read_shape();
    read_motion();
    for (const Node& n : read_sets(body_, "clamp", {"from", "to"}))
      (n.text() == "from" ? made_.from_clamped : made_.to_clamped) = true;
    if (made_.bodies() < 1) beam_.fail("elements", "all nodes are clamped; accepted: more elements");
    if (planar_) check_plane();
    add_to_model();
    add_names();
    add_touching();
  }

 private:
  void read_shape() {
    Numbers& numbers = parts_.numbers;
    const BeamMaterial material{required_number(body_, "young", "beam", numbers), numbers.number(body_, "poisson"),
                                required_number(body_, "density", "beam", numbers)};
    made_.section = read_section(beam_.block("section"), material, numbers);
    made_.per_element = static_cast<int>(beam_.integer("nodes"));
    const std::vector<double> rayleigh = numbers.list(body_, "rayleigh");
    made_.drag = rayleigh[0];
    made_.lag = rayleigh[1];
    const int count = static_cast<int>(beam_.integer("elements")) * (made_.per_element - 1) + 1;
    made_.nodes = place_nodes(beam_, count, numbers);
  }
  /// From the body's axes to space.
  void read_motion() {
    Numbers& numbers = parts_.numbers;
    const Quaterniond Q = read_orientation(body_, numbers);
    const Vector3d at = numbers.vector(body_, "position"), v = numbers.vector(body_, "velocity"),
                   omega = numbers.vector(body_, "angular_velocity");
    for (BeamNode& n : made_.nodes) {
      n = {at + Q * n.r, (Q * n.Q).normalized()};
      twists_.push_back({v + omega.cross(n.r - at), omega});
    }
  }
  void check_plane() const {
    const Vector3d n = plane_.n();
    for (std::size_t k = 0; k < made_.nodes.size(); ++k) {
      const Vector3d axis = made_.nodes[k].Q.conjugate() * n;
      if (std::max(std::abs(axis.y()), std::abs(axis.z())) < 1 - 1e-12)
        body_.fail("beam",
                   "leaves the plane of motion, or an axis of its section does; accepted: `from`, `to` and `up` "
                   "in the plane, or `up` along its normal");
      if (std::abs(n.dot(twists_[k].v)) > 1e-12 * twists_[k].v.norm() ||
          twists_[k].omega.cross(n).norm() > 1e-12 * twists_[k].omega.norm())
        body_.fail("beam", "its motion leaves the plane; accepted: a velocity in it, rotations about its normal");
    }
  }
  void add_to_model() {
    std::unique_ptr<Subsystem> nodes =
        planar_ ? make_beam_nodes(made_, plane_, gravity_) : make_beam_nodes(made_, gravity_);
    at_ = parts_.grow(*nodes, body_.node());
    subsystem_ = nodes.get();
    const std::vector<Vector3d> flat = planar_ ? planar_nodes(made_, plane_) : std::vector<Vector3d>{};
    for (int b = 0; b < made_.bodies(); ++b) {
      const auto k = static_cast<std::size_t>(made_.first_body() + b);
      const BeamNode& node = made_.nodes[k];
      const Twist& twist = twists_[k];
      State& initial = parts_.initial;
      if (planar_) {
        initial.q.segment(at_.q + 3 * b, 3) = flat[k];
        initial.v.segment(at_.v + 3 * b, 3) << plane_.e1.dot(twist.v), plane_.e2.dot(twist.v),
            plane_.n().dot(twist.omega);
      } else {
        initial.q.segment(at_.q + 7 * b, 7) << node.r, node.Q.w(), node.Q.x(), node.Q.y(), node.Q.z();
        initial.v.segment(at_.v + 6 * b, 6) << twist.v, node.Q.conjugate() * twist.omega;
      }
    }
    BeamReading reading{made_.name, {}, {}};
    for (int k = 0; k < static_cast<int>(made_.nodes.size()); ++k) {
      const int b = k - made_.first_body();
      reading.rest.push_back(made_.nodes[static_cast<std::size_t>(k)].r);
      reading.bodies.push_back(b < 0 || b >= made_.bodies() ? -1 : at_.body + b);
    }
    parts_.beams.push_back(std::move(reading));
    parts_.builder.add(std::move(nodes));
    parts_.builder.add(planar_ ? make_beam_elements(made_, plane_, at_.q, at_.v)
                               : make_beam_elements(made_, at_.q, at_.v));
  }
  /// A node by another name.
  void add_name(const std::string& name, int node, const Node& where) {
    const int b = node - made_.first_body();
    if (b < 0 || b >= made_.bodies()) {
      if (!where) return;
      where.fail("is clamped, and moves no more than the ground; accepted: another place, or `ground`");
    }
    Freedom freedom;
    if (planar_) freedom = {.plane = plane_.n(), .e1 = plane_.e1};
    const Pose pose = subsystem_->pose(b, ConstView(parts_.initial.q).segment(at_.q, subsystem_->nq()));
    parts_.assembly.add(made_.name + "." + name, pose, freedom, {subsystem_, b, at_.q, at_.v, at_.body});
  }
  void add_names() {
    const int count = static_cast<int>(made_.nodes.size());
    first_mount_ = static_cast<int>(parts_.assembly.mounts.size());
    for (int k = 0; k < count; ++k) add_name(fmt::format("node{}", k + 1), k, {});
    add_name("from", 0, {});
    add_name("to", count - 1, {});
    for (const auto& [name, frame] : body_.named_blocks("frames")) {
      const Vector3d at = parts_.numbers.vector(frame, "at");
      const auto nearest = std::min_element(made_.nodes.begin(), made_.nodes.end(), [&](const auto& a, const auto& b) {
        return (a.r - at).squaredNorm() < (b.r - at).squaredNorm();
      });
      add_name(name, static_cast<int>(nearest - made_.nodes.begin()), frame.node());
    }
  }
  void add_touching() {
    const std::vector<Node> sets = read_sets(body_, "touch", {"from", "to", "all"});
    if (sets.empty()) return;
    if (!system_.has("plane")) body_.fail("touch", "there is nothing to touch; give system.plane, or contacts");
    TouchingPoints touching;
    touching.first_mount = first_mount_;
    const Fields plane = system_.block("plane");
    touching.plane = {parts_.numbers.vector(plane, "normal"), parts_.numbers.number(plane, "offset")};
    touching.law = read_law(plane, planar_ ? 1 : 2, parts_);
    const int last = static_cast<int>(made_.nodes.size()) - 1;
    for (int k = made_.first_body(); k < made_.first_body() + made_.bodies(); ++k) {
      const auto named = std::find_if(sets.begin(), sets.end(), [&](const Node& n) {
        return n.text() == "all" || (n.text() == "from" && k == 0) || (n.text() == "to" && k == last);
      });
      if (named == sets.end()) continue;
      touching.points.push_back(
          {fmt::format("{}.node{}", made_.name, k + 1), k - made_.first_body(), Vector3d::Zero()});
      declare_constraint(touching.points.back().name, *named, parts_);
    }
    parts_.assembly.touching.push_back(std::move(touching));
  }

  Fields body_, beam_, system_;
  Vector3d gravity_;
  Parts& parts_;
  bool planar_ = false;
  PlaneOfMotion plane_;
  BeamBody made_;
  std::vector<Twist> twists_;  ///< of the nodes, in space
  Beginning at_{};
  const Subsystem* subsystem_ = nullptr;
  int first_mount_ = 0;
};

}  // namespace

const schema::Block& beam() {
  using namespace schema;
  static const Block block{
      .name = "beam",
      .doc =
          "A beam of equal elements, straight or along an arc, of which joints, contacts and forces know the nodes as "
          "NAME.from, NAME.to and NAME.node1, NAME.node2, ...: frames with x along the beam.",
      .fields = {
          point("from", "Where it begins, in the body's axes."),
          point("to", "Where it ends."),
          {.key = "arc",
           .type = Type::expression,
           .fallback = "0",
           .unit = "rad",
           .doc = "Angle of the arc of a circle that leads there, counter-clockwise about `up`.",
           .range = inside(-6.28, 6.28)},
          {.key = "up",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .fallback = "[0, 0, 1]",
           .doc = "Direction of the section's z axis, as far as it is across the beam; for a beam along z that is x."},
          {.key = "elements",
           .type = Type::integer,
           .doc = "Number of elements.",
           .range = between(1, 1e5),
           .required = true},
          {.key = "nodes",
           .type = Type::integer,
           .fallback = "2",
           .doc = "Nodes of an element, 2 or 3: order two or four in its length.",
           .range = between(2, 3)},
          {.key = "section", .type = Type::block, .doc = "The cross-section.", .required = true, .block = beam_section},
      }};
  return block;
}

void read_beam(const std::string& name, const Fields& body, const Fields& system, const Vector3d& gravity,
               Parts& parts) {
  BeamReader(name, body, system, gravity, parts).read();
}

}  // namespace ricochet::scenario
