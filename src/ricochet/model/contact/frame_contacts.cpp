#include "ricochet/model/contact/frame_contacts.hpp"

#include "ricochet/model/contact/contact_rows.hpp"

namespace ricochet {
namespace {

struct FrameContactItem {
  FramePair pair;
  FrameContact contact;
  int dim;
  bool axes_of_B;  ///< the feature asks for them
};

bool asks_for_axes_of_B(const Feature& f) {
  return f.kind == Feature::Kind::rim_in_bush || f.kind == Feature::Kind::rim_on_plane ||
         f.kind == Feature::Kind::flat_on_surface;
}

/// The rows of an item where it stands.
struct FrameDirections {
  FramePair::Placed at;
  ContactRows rows;
  /// `place()`: where the pair stands. Nothing of it is copied, nor of what touches: both are large.
  template <class Place>
  FrameDirections(const FrameContactItem& item, Place place, const Candidate& c, int dim, const Vector3d& plane,
                  Ask ask = Ask::derivatives)
      : at(place()),
        rows(
            at, [&] { return touch(item.contact.feature, at.A, at.B, Vector3d(c.aim.data()), ask); },
            item.contact.law->rolling(), dim,
            [&](const Touch& touched) {
              return plane.isZero(0) ? tangent_in_space(item.contact.feature, touched, at.A, ask)
                                     : tangent_in_plane(touched, plane, ask);
            },
            ask) {}
};

struct Work final : Scratch {
  MountPoses poses;
};

class FrameContacts final : public ConstraintSet {
 public:
  FrameContacts(const std::vector<Mount>& mounts, std::vector<FrameContact> contacts, const Vector3d& plane)
      : mounts_(mounts.size()), plane_(plane) {
    const int tangents = plane.isZero(0) ? 2 : 1;
    for (FrameContact& c : contacts) {
      const int dim = c.law->dim(tangents);
      aimed_ = aimed_ || c.feature.inside();
      const bool axes = asks_for_axes_of_B(c.feature);
      items_.push_back({{mounts, c.A, c.B}, std::move(c), dim, axes});
    }
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const FrameContactItem& i : items_)
      out.push_back({i.contact.name, i.dim, false, false, i.contact.law->rolling()});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const FrameContactItem& i : items_) i.pair.couple(out);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Work>(); }
  bool constant_candidates() const override { return !aimed_; }
  void candidates(const Point& at, double h, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const FrameContactItem& item = items_[i];
      const auto [A, B] = item.pair.bodies();
      out.push_back({item_key(set, i), set, static_cast<int>(i), item.dim, item.contact.law, {B, A}});
      if (!item.contact.feature.inside()) continue;
      const FramePair::Placed here = item.pair.place(at.q);
      if (!in_core(item.contact.feature, here.A, here.B)) continue;
      const Vector3d to = aim(item.contact.feature, here.A, here.B, item.pair.twist(here, at.v), h);
      out.back().aim = {to.x(), to.y(), to.z()};
    }
  }
  bool knows_places() const override { return true; }
  ContactPlace place(double, ConstView q, const Candidate& c) const override {
    const FrameContactItem& item = items_[c.item];
    const FramePair::Placed at = item.pair.place(q);
    const Touch touched = touch(item.contact.feature, at.A, at.B, Vector3d(c.aim.data()), Ask::values);
    return {touched.p, touched.n};
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch& scratch) const override {
    MountPoses& poses = static_cast<Work&>(scratch).poses;
    poses.move_to(q, mounts_);
    for (int k = 0; k < selection.count; ++k) {
      const FrameContactItem& item = items_[selection[k].item];
      const int dim = selection.dim(selection[k]);
      const auto place = [&] { return item.axes_of_B ? item.pair.place(poses) : item.pair.place_axes_of_A(poses); };
      const FrameDirections at(item, place, selection[k], dim, plane_, Ask::values);
      const auto [g, g_t] = out.values(dim);
      at.rows.pull(item.pair, item.pair.append(dim, out.G));
      for (int i = 0; i < dim; ++i) g[i] = g_t[i] = 0;
      g[0] = at.rows.touched.gap;
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const FrameContactItem& item = items_[c.item];
    FrameDirections(
        item, [&] { return item.pair.place(q); }, c, dim, plane_)
        .rows.add_curvature(item.pair, lambda, coefficient, S);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const FrameContactItem& item = items_[c.item];
    FrameDirections(
        item, [&] { return item.pair.place(at.q); }, c, dim, plane_)
        .rows.add_rates(item.pair, at.v, out);
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    const FrameContactItem& item = items_[c.item];
    FrameDirections(
        item, [&] { return item.pair.place(at.q); }, c, dim, plane_)
        .rows.bias(item.pair, at.v, out);
  }

 private:
  std::vector<FrameContactItem> items_;
  std::size_t mounts_;
  Vector3d plane_;
  bool aimed_ = false;  // some are inside of something
};

}  // namespace

std::unique_ptr<ConstraintSet> make_frame_contacts(const std::vector<Mount>& mounts, std::vector<FrameContact> contacts,
                                                   const Vector3d& plane) {
  return std::make_unique<FrameContacts>(mounts, std::move(contacts), plane);
}

}  // namespace ricochet
