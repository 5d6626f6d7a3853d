#include "ricochet/view/frames.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ricochet::view {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kCurves = 24;  // of a group
constexpr std::size_t kItems = 256;  // up to which joints and open contacts are shown

std::string unit_of(const std::string& column) {
  const auto ends = [&](std::string_view end) {
    return column.size() > end.size() && column.compare(column.size() - end.size(), end.size(), end) == 0;
  };
  const bool angle = ends(".angle") || ends(".wx") || ends(".wy") || ends(".wz");
  const bool body = angle || ends(".x") || ends(".y") || ends(".z");
  if (!body) return "";
  return column[0] == 'q' ? (angle ? "rad" : "m") : (angle ? "rad/s" : "m/s");
}

/// Parts of a piece, each on a multiple of eight bytes.
class Bytes {
 public:
  template <class T>
  void add(const std::vector<T>& part) {
    out_.append(reinterpret_cast<const char*>(part.data()), part.size() * sizeof(T));
    out_.resize((out_.size() + 7) / 8 * 8);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::vector<bool> turning_items(const Scenario& scenario) {
  std::vector<bool> out;
  for (const ConstraintItem& item : scenario.model.items())
    out.push_back(std::any_of(scenario.joints.begin(), scenario.joints.end(), [&](const JointReading& j) {
      return j.coordinate == JointReading::Coordinate::angle && item.name.starts_with(j.name + ".");
    }));
  return out;
}

std::vector<Curve> curves_of(const Scenario& scenario, const ResultLayout& layout) {
  std::vector<Curve> out;
  const std::vector<ConstraintItem>& items = scenario.model.items();
  const std::vector<bool> turning = turning_items(scenario);
  const auto item_of = [&](const std::string& name) {  // "gap.hinge.lower", "reaction.pin.1"
    const std::string of = name.substr(name.find('.') + 1);
    for (std::size_t i = 0; i < items.size(); ++i)
      if (of == items[i].name || (of.starts_with(items[i].name + ".") && of.size() == items[i].name.size() + 2))
        return static_cast<int>(i);
    return -1;
  };
  const auto turns = [&](const std::string& name) {
    const int item = item_of(name);
    return item >= 0 && turning[static_cast<std::size_t>(item)];
  };
  // The rows of a joint that hold directions transmit moments.
  const auto moment = [&](const std::string& name) {
    const int item = item_of(name);
    if (item < 0 || turning[static_cast<std::size_t>(item)]) return item >= 0;
    const std::string& of = items[static_cast<std::size_t>(item)].name;
    const auto joint = std::find_if(scenario.joints.begin(), scenario.joints.end(),
                                    [&](const JointReading& j) { return j.name == of; });
    const std::size_t row = name.ends_with(of) ? 0 : static_cast<std::size_t>(name.back() - '0');
    if (joint == scenario.joints.end() || row >= joint->rows.size()) return false;
    const FrameRow::Kind kind = joint->rows[row].kind;
    return kind == FrameRow::Kind::perpendicular || kind == FrameRow::Kind::angle || kind == FrameRow::Kind::spin;
  };
  const auto add = [&](const char* group, auto accept, auto unit) {
    std::size_t count = 0;
    for (const NamedColumn& c : layout.columns())
      if (accept(c.name) && count++ < kCurves) {
        const std::string u = unit(c.name);
        const char* kind = u.starts_with("rad") ? "angular " : u == "N m" ? "moments of " : "";
        out.push_back({c, std::string(kind) + group, u});
      }
  };
  const auto begins = [](const char* with) {
    return [with = std::string(with)](const std::string& name) { return name.starts_with(with); };
  };
  const auto fixed = [](const char* unit) { return [unit](const std::string&) { return std::string(unit); }; };
  add(
      "energy", [](const std::string& name) { return name == "E" || name == "kinetic" || name == "potential"; },
      fixed("J"));
  add(
      "gaps",
      [&](const std::string& name) {
        const int item = name.starts_with("gap.") ? item_of(name) : -1;
        return item >= 0 && !items[static_cast<std::size_t>(item)].velocity_only;
      },
      [&](const std::string& name) { return turns(name) ? "rad" : "m"; });
  // Wide rows are dear to read, and nobody finds one of a thousand curves.
  constexpr std::size_t kWide = 2000;
  if (layout.names().positions.size() <= kWide) {
    add("velocities", begins("v."), unit_of);
    add("positions", begins("q."), unit_of);
  }
  add("reactions", begins("reaction."), [&](const std::string& name) { return moment(name) ? "N m" : "N"; });
  return out;
}

std::vector<double> friction_of(const Model& model, const State& start) {
  std::vector<double> out(model.items().size(), 0);
  std::vector<Candidate> all;
  model.candidates({start.t, start.q, start.v}, 0, all);
  for (const Candidate& c : all) {
    const int item = model.index_of(c);
    if (item >= 0 && !c.bilateral()) out[static_cast<std::size_t>(item)] = c.law->local({.dim = c.dim}).mu;
  }
  return out;
}

FrameWriter::FrameWriter(const Scenario& scenario, const ResultLayout& layout, const std::vector<Curve>& curves)
    : model_(scenario.model),
      drawing_(*scenario.drawing),
      layout_(layout),
      curves_(curves),
      shape_of_item_(model_.items().size(), -1),
      elastic_(elastic_nodes(drawing_)),
      places_left_out_(layout.detail() == ContactDetail::forces),
      every_item_(model_.items().size() <= kItems),
      sums_(model_.items().size()),
      scratch_(model_) {
  for (std::size_t i = 0; i < model_.items().size(); ++i)
    for (std::size_t s = 0; s < drawing_.shapes.size() && every_item_; ++s) {
      const DrawnShape& shape = drawing_.shapes[s];
      const bool place = shape.kind == DrawnShape::Kind::contact || shape.kind == DrawnShape::Kind::joint;
      if (place && shape.name == model_.items()[i].name) shape_of_item_[i] = static_cast<int>(s);
    }
  find_poses(scenario.initial.q);
  for (const BeamReading& beam : drawing_.beams) beams_.emplace_back(beam, poses_);
  int first = 0;
  for (const auto& subsystem : model_.subsystems()) {
    for (int i = 0; i < subsystem->mounts(); ++i) {
      const Range r = subsystem->mount_coordinates(i);
      coordinates_.push_back({first + r.at, r.n});
    }
    first += subsystem->nv();
  }
  reach_.assign(coordinates_.size(), 0);
  for (const DrawnShape& s : drawing_.shapes) {
    if (s.body < 0 || s.flexible >= 0 || s.kind == DrawnShape::Kind::plane) continue;
    double far = 0;
    const std::size_t count = s.kind == DrawnShape::Kind::line ? s.values.size() : 3;
    for (std::size_t k = 0; k + 3 <= count; k += 3)
      far = std::max(far, Vector3d(s.values[k], s.values[k + 1], s.values[k + 2]).norm());
    if (s.kind == DrawnShape::Kind::circle) far += s.values[3];
    if (s.kind == DrawnShape::Kind::box) far += Vector3d(s.values[3], s.values[4], s.values[5]).norm() / 2;
    double& reach = reach_[static_cast<std::size_t>(s.body)];
    reach = std::max(reach, far);
  }
}

void FrameWriter::skip(const ResultRowView& row) {
  for (const ContactEntry& e : row.contacts)
    if (e.item >= 0)
      for (std::size_t k = 0; k < 3; ++k) sums_[static_cast<std::size_t>(e.item)][k] += e.P[k];
}

void FrameWriter::add(const ResultRowView& row) {
  const double t = row.numbers[layout_.t];
  const ConstView q(row.numbers + layout_.q, model_.nq()), v(row.numbers + layout_.v, model_.nv());
  t_.push_back(t);
  for (const Curve& c : curves_) numbers_.push_back(layout_.value(c.column, row));
  add_poses(q);
  add_drawn(t, q);
  add_flexible(q);
  add_contacts(row, t, q, v);
  std::fill(sums_.begin(), sums_.end(), std::array<double, 3>{});
}

void FrameWriter::widen(const double* point, double reach) {
  if (low_.empty()) {
    low_.assign(3, std::numeric_limits<double>::infinity());
    high_.assign(3, -std::numeric_limits<double>::infinity());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(point[i])) continue;
    low_[i] = std::min(low_[i], point[i] - reach);
    high_[i] = std::max(high_[i], point[i] + reach);
  }
}

void FrameWriter::find_poses(ConstView q) {
  poses_.clear();
  Index first = 0;
  for (const auto& subsystem : model_.subsystems()) {
    const ConstView own = q.segment(first, subsystem->nq());
    for (int i = 0; i < subsystem->mounts(); ++i) poses_.push_back(subsystem->pose(i, own));
    first += subsystem->nq();
  }
}

void FrameWriter::add_poses(ConstView q) {
  find_poses(q);
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const Quaterniond turn(poses_[b].R);
    for (double x : {poses_[b].c.x(), poses_[b].c.y(), poses_[b].c.z(), turn.x(), turn.y(), turn.z(), turn.w()})
      pose_.push_back(static_cast<float>(x));
    widen(poses_[b].c.data(), reach_[b]);
  }
}

void FrameWriter::add_flexible(ConstView q) {
  flexible_.position.clear();
  const std::size_t begin = flexible_.nodes.size();
  for (ElasticNodes& body : elastic_) body.add(q, flexible_);
  for (BeamNodes& beam : beams_) beam.add(poses_, flexible_);
  for (const Vector3d& x : flexible_.position) widen(x.data(), 0);
  for (std::size_t k = begin; k < flexible_.nodes.size(); k += 4)
    largest_stress_ = std::max(largest_stress_, static_cast<double>(flexible_.nodes[k + 3]));
}

void FrameWriter::add_drawn(double t, ConstView q) {
  const double* moving = nullptr;
  if (drawing_.moving > 0) {
    in_.assign(q.begin(), q.end());
    in_.push_back(t);
    moving = drawing_.motion(in_, work_);
    for (int i = 0; i < drawing_.moving; ++i) drawn_.push_back(static_cast<float>(moving[i]));
  }
  places_.assign(model_.items().size(), {});
  using Kind = DrawnShape::Kind;
  for (const DrawnShape& s : drawing_.shapes) {
    if (s.body >= 0 || s.kind == Kind::plane || s.kind == Kind::joint) continue;
    const double* x = s.first >= 0 ? moving + s.first : s.values.data();
    if (s.kind == Kind::bar) {
      const double ends[6] = {-x[3], -x[1], 0, x[0], x[1], 0};
      widen(ends, 0);
      widen(ends + 3, 0);
      continue;
    }
    const double reach = s.kind == Kind::circle ? x[3]
                         : s.kind == Kind::box  ? Vector3d(x[3], x[4], x[5]).norm() / 2
                                                : 0;
    const std::size_t points = s.kind == Kind::line ? s.values.size() / 3 : s.kind == Kind::spring ? 2 : 1;
    for (std::size_t p = 0; p < points; ++p) widen(x + 3 * p, reach);
  }
  for (std::size_t i = 0; i < shape_of_item_.size(); ++i) {
    if (shape_of_item_[i] < 0) continue;
    const DrawnShape& s = drawing_.shapes[static_cast<std::size_t>(shape_of_item_[i])];
    const double* x = s.first >= 0 ? moving + s.first : s.values.data();
    Place& p = places_[i];
    p.point = Vector3d(x[0], x[1], x[2]);
    p.known = true;
    if (s.body >= 0) {
      const Pose& pose = poses_[static_cast<std::size_t>(s.body)];
      p.point = pose.c + pose.R * p.point;
    }
    p.normal.setZero();
    p.tangent.setZero();
    if (s.kind != Kind::contact) continue;
    p.normal = Vector3d(x[3], x[4], x[5]).normalized();
    p.tangent = Vector3d(x[6], x[7], x[8]);
  }
}

// Of all joints and contacts with a name, closed or not, as far as the model knows.
void FrameWriter::add_places(double t, ConstView q) {
  for (const Candidate& c : candidates_) {
    const int item = model_.index_of(c);
    if (item < 0 || c.bilateral() || !model_.set(c).knows_places()) continue;
    const ContactPlace where = model_.set(c).place(t, q, c);
    places_[static_cast<std::size_t>(item)] = {where.point, where.normal, Vector3d::Zero(), true};
  }
}

// Where impulses alone were recorded. Joints come first; the others are sorted by key.
void FrameWriter::find_place(double t, ConstView q, const ContactEntry& entry, Contact& contact) const {
  const auto first = std::find_if(candidates_.begin(), candidates_.end(), [](auto& c) { return !c.bilateral(); });
  const auto found =
      std::lower_bound(first, candidates_.end(), entry.key, [](const Candidate& c, Key key) { return c.key < key; });
  if (found == candidates_.end() || found->key != entry.key || !model_.set(*found).knows_places()) return;
  const ContactPlace where = model_.set(*found).place(t, q, *found);
  contact.point = where.point;
  contact.normal = where.normal;
}

void FrameWriter::add_contacts(const ResultRowView& row, double t, ConstView q, ConstView v) {
  row_contacts_.clear();
  candidates_.clear();
  if (every_item_ || places_left_out_) model_.candidates({t, q, v}, 0, candidates_);
  if (every_item_) {
    add_places(t, q);
    add_joints(row);
  }
  std::vector<bool> listed(every_item_ ? model_.items().size() : 0, false);
  for (const ContactEntry& e : row.contacts) {
    Contact c;
    c.item = e.item;
    c.key = e.key;
    c.state = static_cast<int>(e.state);
    c.bodies = e.bodies;
    c.gap = e.gap;
    std::copy_n(e.U.begin(), 3, c.U.begin());  // moments that resist rolling are not drawn
    std::copy_n(e.P.begin(), 3, c.P.begin());
    c.point = Vector3d(e.point[0], e.point[1], e.point[2]);
    c.normal = Vector3d(e.normal[0], e.normal[1], e.normal[2]);
    if (places_left_out_) find_place(t, q, e, c);
    if (e.item >= 0) {
      const auto i = static_cast<std::size_t>(e.item);
      for (std::size_t k = 0; k < 3; ++k) c.P[k] += sums_[i][k];
      if (every_item_) listed[i] = true;
    }
    push(std::move(c));
  }
  const auto& items = layout_.items();
  for (std::size_t i = 0; i < listed.size() && layout_.declared; ++i) {
    if (items[i].bilateral || listed[i] || !places_[i].known) continue;
    Contact c;
    c.item = static_cast<int>(i);
    c.gap = row.numbers[layout_.gap + items[i].index];
    for (int k = 0; k < items[i].dim && k < 3; ++k)
      c.U[static_cast<std::size_t>(k)] = row.numbers[layout_.U + items[i].row + static_cast<std::size_t>(k)];
    c.P = sums_[i];
    c.point = c.normal = Vector3d::Constant(kNaN);
    push(std::move(c));
  }
  if (every_item_) forces_on_bodies(row, t, q);
  contacts_.insert(contacts_.end(), row_contacts_.begin(), row_contacts_.end());
  offset_.push_back(static_cast<std::uint32_t>(contacts_.size()));
}

std::vector<double> FrameWriter::reaction(const ResultRowView& row, int joint) const {
  const ResultLayout::Item& item = layout_.items()[static_cast<std::size_t>(joint)];
  const double h = row.numbers[layout_.h];
  std::vector<double> out;
  for (std::size_t k = 0; k < static_cast<std::size_t>(item.dim); ++k)
    out.push_back((h > 0 ? row.numbers[layout_.joint_P + item.row + k] / h : 0) +
                  row.numbers[layout_.joint_smooth + item.row + k]);
  return out;
}

void FrameWriter::add_joints(const ResultRowView& row) {
  for (std::size_t i = 0; i < layout_.items().size(); ++i) {
    const ResultLayout::Item& item = layout_.items()[i];
    if (!item.bilateral || !places_[i].known) continue;
    Contact c;
    c.item = static_cast<int>(i);
    c.state = kJointState;
    const std::vector<double> all = reaction(row, c.item);
    for (std::size_t k = 0; k < all.size() && k < 3; ++k) {
      c.U[k] = row.numbers[layout_.joint_U + item.row + k];
      c.P[k] = all[k];
    }
    c.gap = row.numbers[layout_.joint_residual + item.row];
    c.point = c.normal = Vector3d::Constant(kNaN);
    push(std::move(c));
  }
}

// The force in space as far as the place alone tells it: along the normal, and along the tangent in a drawing.
void FrameWriter::push(Contact c) {
  c.force.setZero();
  if (c.item >= 0 && every_item_ && places_[static_cast<std::size_t>(c.item)].known) {
    const Place& p = places_[static_cast<std::size_t>(c.item)];
    c.point = p.point;
    c.normal = p.normal;
    c.force = c.P[1] * p.tangent;
  }
  if (c.normal.allFinite() && c.state != kJointState) c.force += c.P[0] * c.normal;
  row_contacts_.push_back(std::move(c));
}

// Joints come first, the others are sorted by key. What is not listed is open: any candidate of the item will do.
const Candidate* FrameWriter::candidate_of(const Contact& contact) const {
  const auto first = std::find_if(candidates_.begin(), candidates_.end(), [](auto& c) { return !c.bilateral(); });
  if (contact.key) {
    const auto found = std::lower_bound(first, candidates_.end(), *contact.key,
                                        [](const Candidate& c, Key key) { return c.key < key; });
    return found == candidates_.end() || found->key != *contact.key ? nullptr : &*found;
  }
  const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](const Candidate& k) { return model_.index_of(k) == contact.item; });
  return found == candidates_.end() || contact.item < 0 ? nullptr : &*found;
}

// Between bodies the gradients say where a reaction points: a body's first velocities are those of its centre.
void FrameWriter::forces_on_bodies(const ResultRowView& row, double t, ConstView q) {
  if (poses_.empty()) return;
  VectorXd pulled(model_.nv());
  ConstraintRows rows;
  for (Contact& c : row_contacts_) {
    const Candidate* const found = candidate_of(c);
    if (found == nullptr) continue;
    c.bodies = found->bodies;
    const int body = c.bodies[0] >= 0 ? c.bodies[0] : c.bodies[1];
    if (body < 0) continue;
    const std::vector<double> p =
        found->bilateral() ? reaction(row, c.item) : std::vector<double>(c.P.begin(), c.P.begin() + found->dim);
    const int pick = static_cast<int>(found - candidates_.data());
    rows.clear(false);
    model_.evaluate(t, q, {candidates_.data(), &pick, 1}, rows, scratch_);
    pulled.setZero();
    rows.G.add_times(1, p.data(), View(pulled));
    const Range r = coordinates_[static_cast<std::size_t>(body)];
    if (r.n == 6) c.force = pulled.segment(r.at, 3);
    if (r.n == 3) c.force = drawing_.e1 * pulled[r.at] + drawing_.e2 * pulled[r.at + 1];
    if (found->bilateral()) largest_reaction_ = std::max(largest_reaction_, c.force.norm());
  }
}

std::size_t FrameWriter::bytes() const {
  return 8 * (t_.size() + numbers_.size()) + 4 * (pose_.size() + drawn_.size() + flexible_.nodes.size()) +
         108 * contacts_.size();
}

std::string FrameWriter::take(std::uint32_t first) {
  const std::size_t m = contacts_.size();
  std::vector<std::uint32_t> head{0x33435652,  // "RVC3"
                                  static_cast<std::uint32_t>(t_.size()),
                                  first,
                                  static_cast<std::uint32_t>(reach_.size()),
                                  static_cast<std::uint32_t>(drawing_.moving),
                                  static_cast<std::uint32_t>(curves_.size()),
                                  static_cast<std::uint32_t>(m),
                                  static_cast<std::uint32_t>(elastic_.size() + beams_.size()),
                                  static_cast<std::uint32_t>(flexible_.position.size()),
                                  0};
  std::vector<double> gap, U, P;
  std::vector<float> point, normal, force;
  std::vector<std::int32_t> item, bodies, state;
  for (const Contact& c : contacts_) {
    gap.push_back(c.gap);
    U.insert(U.end(), c.U.begin(), c.U.end());
    P.insert(P.end(), c.P.begin(), c.P.end());
    for (int i = 0; i < 3; ++i) {
      point.push_back(static_cast<float>(c.point[i]));
      normal.push_back(static_cast<float>(c.normal[i]));
      force.push_back(static_cast<float>(c.force[i]));
    }
    item.push_back(c.item);
    bodies.insert(bodies.end(), c.bodies.begin(), c.bodies.end());
    state.push_back(c.state);
  }
  Bytes out;
  out.add(head);
  for (const auto* part : {&t_, &numbers_, &gap, &U, &P}) out.add(*part);
  for (const auto* part : {&pose_, &drawn_, &point, &normal, &force}) out.add(*part);
  out.add(offset_);
  for (const auto* part : {&item, &bodies, &state}) out.add(*part);
  out.add(flexible_.rigid);
  out.add(flexible_.nodes);
  t_.clear();
  numbers_.clear();
  pose_.clear();
  drawn_.clear();
  flexible_.rigid.clear();
  flexible_.nodes.clear();
  contacts_.clear();
  offset_.assign(1, 0);
  return out.take();
}

}  // namespace ricochet::view
