#pragma once
// Which parameters belong to a face: those from which a ray along v crosses the loops an odd number of times. Crossings
// that are close are computed on the traces themselves, so that an edge is where it is to the last digits. Seams and
// poles are no edges: files have their places to some twelve digits, and what lies between these and the exact ones
// belongs to the face.
#include "ricochet/geometry/brep/part.hpp"

namespace ricochet::brep {

class Trim {
 public:
  Trim() = default;
  Trim(const Face& face, const std::vector<Edge>& edges);
  bool inside(double u, double v) const;
  /// Smallest box that holds the face; u of a surface that closes in itself is within one turn of it.
  Vector2d low() const { return low_; }
  Vector2d high() const { return high_; }
  /// Turns added so that it is as close to the box as it can be.
  Vector2d nearest_turn(const Vector2d& uv) const;

 private:
  struct Piece {
    int trace;    // -1: straight, closing a loop
    double s, t;  // parameters at both ends
    Vector2d a, b;
    double sag;  // how far the trace is from the chord, at most
  };
  /// Puts the ends of pieces that are at a seam there exactly, and poles beyond what can be asked for.
  void close_seams();
  /// Lists the pieces by the columns of u in which a ray may meet them.
  void sort_pieces();
  bool crosses_above(const Piece& piece, double u, double v) const;
  std::vector<Piece> pieces_;
  struct Entry {
    int piece;
    double turn;  // added to u
  };
  std::vector<std::vector<Entry>> columns_;
  double first_ = 0, width_ = 1;  // of the columns
  std::vector<Curve2> traces_;
  Vector2d low_ = Vector2d::Zero(), high_ = Vector2d::Zero();
  std::array<bool, 2> turns_{};
  bool whole_ = true;
};

}  // namespace ricochet::brep
