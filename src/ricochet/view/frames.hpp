#pragma once
// Rows of a result as the page draws them: poses of bodies, the numbers of what is drawn, contacts with the forces in
// space, and the curves of the plots. A piece of frames is one block of bytes, little endian, each part on a multiple
// of eight bytes (docs/viewer.md):
//
//   u32 x 10   magic "RVC3", frames n, first frame, bodies b, drawn numbers d, curves s, contacts m, flexible bodies r,
//              their nodes g, 0
//   f64        t (n), curves (n x s), gap (m), U (m x 3), P (m x 3)
//   f32        pose (n x b x 7: x y z, quaternion x y z w), drawn (n x d), point (m x 3), normal (m x 3), force (m x 3)
//   u32        offset (n + 1): the contacts of frame k stand from offset[k] to offset[k + 1]
//   i32        item (m), bodies (m x 2), state (m)
//   f32        rigid part of flexible bodies (n x r x 7, as poses), nodes (n x g x 4: deformation, von Mises's stress)
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/io/scenario/drawing.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/view/flexible.hpp"

namespace ricochet::view {

/// A curve of the plots.
struct Curve {
  NamedColumn column;
  std::string group, unit;
};
/// Of a result: energies, gaps, velocities, positions, reactions; of each no more than a page can show.
std::vector<Curve> curves_of(const Scenario& scenario, const ResultLayout& layout);

/// Of every item of a model: its rows are angles, and its multipliers moments.
std::vector<bool> turning_items(const Scenario& scenario);

/// Beyond the states of contacts: a joint with its reaction.
constexpr int kJointState = 4;

/// Friction coefficient of every item of a model, 0 for those without.
std::vector<double> friction_of(const Model& model, const State& start);

class FrameWriter {
 public:
  FrameWriter(const Scenario& scenario, const ResultLayout& layout, const std::vector<Curve>& curves);

  /// A row that is no frame: its impulses are part of the next one's.
  void skip(const ResultRowView& row);
  void add(const ResultRowView& row);
  int frames() const { return static_cast<int>(t_.size()); }
  std::size_t bytes() const;  ///< about what has been gathered
  /// The frames since the last call as a piece, the first of which has this number.
  std::string take(std::uint32_t first);

  /// Corners of what was drawn in all frames so far; empty before the first.
  const std::vector<double>& low() const { return low_; }
  const std::vector<double>& high() const { return high_; }
  double largest_reaction() const { return largest_reaction_; }  ///< of a joint
  double largest_stress() const { return largest_stress_; }      ///< of rods and solids

 private:
  struct Contact {
    int item = -1, state = 0;
    std::optional<Key> key{};  ///< of what is listed
    std::array<int, 2> bodies{-1, -1};
    double gap = 0;
    std::array<double, 3> U{}, P{};
    Vector3d point = Vector3d::Zero(), normal = Vector3d::Zero(), force = Vector3d::Zero();
  };
  struct Place {
    Vector3d point = Vector3d::Zero(), normal = Vector3d::Zero(), tangent = Vector3d::Zero();
    bool known = false;
  };
  void find_poses(ConstView q);
  void add_poses(ConstView q);
  void add_drawn(double t, ConstView q);
  void add_flexible(ConstView q);
  void add_places(double t, ConstView q);
  void find_place(double t, ConstView q, const ContactEntry& entry, Contact& contact) const;
  void add_contacts(const ResultRowView& row, double t, ConstView q, ConstView v);
  void add_joints(const ResultRowView& row);
  void forces_on_bodies(const ResultRowView& row, double t, ConstView q);
  std::vector<double> reaction(const ResultRowView& row, int joint) const;
  const Candidate* candidate_of(const Contact& contact) const;
  void push(Contact c);
  void widen(const double* point, double reach);

  const Model& model_;
  const Drawing& drawing_;
  const ResultLayout& layout_;
  std::vector<Curve> curves_;
  std::vector<int> shape_of_item_;  ///< its place in the drawing, -1: none
  std::vector<double> reach_;       ///< of each body, how far its shapes go
  std::vector<Range> coordinates_;  ///< of each body, among the velocities
  std::vector<ElasticNodes> elastic_;
  std::vector<BeamNodes> beams_;
  bool places_left_out_;                     ///< of contacts: the model has to be asked
  bool every_item_;                          ///< few enough to be shown also where they are open
  std::vector<std::array<double, 3>> sums_;  ///< impulses since the last frame, by item
  ModelScratch scratch_;

  // of the frame in the making
  std::vector<Pose> poses_;
  std::vector<Place> places_;
  std::vector<Contact> row_contacts_;
  std::vector<Candidate> candidates_;
  std::vector<double> in_, work_;

  // of the piece in the making
  std::vector<double> t_, numbers_;
  std::vector<float> pose_, drawn_;
  FlexibleFrame flexible_;
  std::vector<std::uint32_t> offset_{0};
  std::vector<Contact> contacts_;
  std::vector<double> low_, high_;
  double largest_reaction_ = 0, largest_stress_ = 0;
};

}  // namespace ricochet::view
