#pragma once
// Inside of model/subsystem: pressures on faces of a solid. They follow its faces, but for bodies of small
// displacements, where they act on the faces as they were.
#include "ricochet/model/element/pressure.hpp"
#include "ricochet/model/subsystem/flexible_body.hpp"
#include "ricochet/model/subsystem/node_matrix.hpp"

namespace ricochet {

class FaceLoads {
 public:
  using Work = std::vector<std::vector<double>>;  ///< of the formulas, by pressure

  /// `free_of`: place of each node among those that are not clamped, -1 if it is.
  FaceLoads(std::vector<FacePressure> pressures, const SolidMesh& mesh, const std::vector<int>& free_of, bool follow);
  /// Before tangents are asked for.
  void find_places(const NodePairs& pairs);

  bool empty() const { return pressures_.empty(); }
  Work make_work() const { return Work(pressures_.size()); }
  /// y += c times the forces.
  void add(double t, ConstView q, double c, View y, Work& work) const;
  /// w . forces
  double power(double t, ConstView q, ConstView w, Work& work) const;
  /// += c times their derivatives by q, into blocks by pairs, row by row.
  void add_tangent(double t, ConstView q, double c, double* blocks, Work& work) const;

 private:
  struct Face {
    int nodes = 0;
    std::array<int, kMostFaceNodes> free{};
    std::array<double, std::size_t{3} * kMostFaceNodes> at{};  ///< where the nodes were
    std::size_t places = 0;
  };
  using Local = std::array<double, std::size_t{3} * kMostFaceNodes>;

  double value(std::size_t k, double t, Work& work) const { return *pressures_[k].value({&t, 1}, work[k]); }
  Local place(const Face& face, ConstView q) const;
  /// action(face, forces of the pressure p)
  template <class Action>
  void each(double p, std::size_t k, ConstView q, Action action) const;

  std::vector<FacePressure> pressures_;
  std::vector<std::vector<Face>> faces_;  ///< by pressure
  std::vector<int> places_;
  bool follow_;
};

}  // namespace ricochet
