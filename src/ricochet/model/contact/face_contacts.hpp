#pragma once
// Contacts between faces of parts (geometry/brep). A pair of faces touches in one or several ways, each with a gap of
// its own: closed forms of two frames (touch.hpp), or a point, an edge or a face of the second part over the surface of
// a face of the first (geometry/brep/gap.hpp). A way is there as long as its feet are within the faces, and near enough
// to be reached; this is looked at once per step, and one that is not there has a gap as wide as the faces. The surface
// of a face goes on behind its part: what is far below it is there only if it is in the material, and no other face is
// much nearer to it.
#include "ricochet/geometry/brep/gap.hpp"
#include "ricochet/geometry/brep/solid.hpp"
#include "ricochet/model/constraint.hpp"
#include "ricochet/model/contact/touch.hpp"

namespace ricochet {

struct FaceContact {
  std::string name;
  Frame A, B;                                     ///< of the feature; without one the axes of the parts
  Feature feature;                                ///< a closed form, unless there is a base
  std::shared_ptr<const brep::FaceShape> base{};  ///< on A
  brep::Rider rider;                              ///< on B
  std::array<brep::Ridge, 2> edges{};             ///< of A and B that cross, instead of these
  bool crosses() const { return edges[0].edge != nullptr; }
  bool closed_form() const { return base == nullptr && !crosses(); }

  /// A face within which the foot on this side must be.
  struct Within {
    std::shared_ptr<const brep::FaceShape> face{};  ///< null: anywhere
    Frame part;
  };
  Within on_A, on_B;
  /// A ball about everything that touches on this side.
  struct Bound {
    Frame centre;
    double radius = 0;
  };
  Bound about_A, about_B;
  /// The part of A's side; null in a plane of motion, and where its faces enclose nothing.
  std::shared_ptr<const brep::Solid> solid{};
  Frame part;
  double size = 0;    ///< of the faces
  bool lies = false;  ///< a rim that points hold where it lies flat and has no lowest place
  const ContactLaw* law = nullptr;
};

/// Frames refer to `mounts`; `plane` is the normal of the plane in which everything moves, zero in space.
std::unique_ptr<ConstraintSet> make_face_contacts(const std::vector<Mount>& mounts, std::vector<FaceContact> contacts,
                                                  const Vector3d& plane);

/// A face of a part on a mount.
struct MountedFace {
  std::shared_ptr<const brep::Part> part;
  std::size_t face = 0;
  Frame frame;  ///< axes of the part
};
/// The ways in which two faces touch, without law; names are numbers. `plane` as above, in the axes of both mounts'
/// beginning. Empty: they cannot (two hollow ones). InputError, without a place, where this is not to be computed.
std::vector<FaceContact> pair_faces(const MountedFace& first, const MountedFace& second, const Vector3d& plane);

/// Of a base and a rider, or of edges: the frames are the axes of the parts; `start`: parameters, and for edges the
/// sign.
Touch touch(const FaceContact& contact, const PlacedFrame& A, const PlacedFrame& B, const Vector3d& start, Ask ask);

}  // namespace ricochet
