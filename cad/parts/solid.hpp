#pragma once
// Solids for the shipped parts, in millimetres, and STEP files of them with named faces.
#include <TopoDS_Shape.hxx>
#include <filesystem>
#include <gp_Ax1.hxx>
#include <gp_Pnt.hxx>
#include <gp_Trsf.hxx>
#include <string>
#include <vector>

namespace ricochet::cad {

/// A closed outline in a plane: from each point a line to the next, or an arc through a point between.
class Outline {
 public:
  explicit Outline(gp_Pnt start) : points_{start} {}
  Outline& line(gp_Pnt to);
  Outline& arc(gp_Pnt through, gp_Pnt to);
  /// A cubic spline through the points, from the last one to the last of them.
  Outline& spline(const std::vector<gp_Pnt>& through);
  TopoDS_Shape face() const;

 private:
  std::vector<gp_Pnt> points_;
  std::vector<TopoDS_Shape> edges_;
};

TopoDS_Shape extruded(const Outline& outline, const gp_Vec& along);
TopoDS_Shape revolved(const Outline& outline, const gp_Ax1& axis);
TopoDS_Shape cylinder(gp_Pnt from, const gp_Dir& axis, double radius, double length);
TopoDS_Shape box(gp_Pnt low, gp_Pnt high);
TopoDS_Shape fused(const std::vector<TopoDS_Shape>& shapes);
TopoDS_Shape cut(const TopoDS_Shape& from, const std::vector<TopoDS_Shape>& tools);
TopoDS_Shape moved(const TopoDS_Shape& shape, const gp_Trsf& by);

/// A round hole through `at`, as far to either side as `half`, with chamfers of 45 degrees at both ends: what is to be
/// cut away.
struct Hole {
  gp_Pnt at{};
  gp_Dir axis{0, 0, 1};
  double half = 0, radius = 0, chamfer = 0;
};
TopoDS_Shape hole(const Hole& hole);

/// A closed cubic spline through the points at equal parameters, everywhere twice differentiable, extruded.
TopoDS_Shape spline_prism(const std::vector<gp_Pnt>& through, const gp_Vec& along);

/// One solid with names of some of its faces.
struct Part {
  struct Named {
    std::string name;
    gp_Pnt at;  ///< a point that lies on this face alone
  };
  std::string name;
  TopoDS_Shape shape;
  std::vector<Named> faces;
};

struct Placed {
  Part part;
  gp_Trsf at{};
};

/// `unit`: MM, M or INCH, that of the file. Several parts make an assembly called `name`. The same parts give the same
/// bytes.
void write_step(const std::string& name, const std::vector<Placed>& parts, const std::filesystem::path& file,
                const char* unit = "MM");

}  // namespace ricochet::cad
