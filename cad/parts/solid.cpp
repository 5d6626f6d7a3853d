#include "solid.hpp"

#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepBuilderAPI_Transform.hxx>
#include <BRepCheck_Analyzer.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <GC_MakeArcOfCircle.hxx>
#include <GeomAPI_Interpolate.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <ShapeUpgrade_UnifySameDomain.hxx>
#include <TColStd_Array1OfInteger.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TColgp_Array1OfPnt.hxx>
#include <TColgp_HArray1OfPnt.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_ListOfShape.hxx>
#include <TopoDS.hxx>
#include <cmath>
#include <gce_MakeCirc.hxx>
#include <gp.hxx>
#include <gp_Ax2.hxx>
#include <gp_Circ.hxx>
#include <stdexcept>

namespace ricochet::cad {
namespace {

Handle(TColgp_HArray1OfPnt) array(const std::vector<gp_Pnt>& points) {
  Handle(TColgp_HArray1OfPnt) out = new TColgp_HArray1OfPnt(1, static_cast<int>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) out->SetValue(static_cast<int>(i) + 1, points[i]);
  return out;
}

Handle(Geom_BSplineCurve) interpolated(const std::vector<gp_Pnt>& points) {
  GeomAPI_Interpolate through(array(points), false, 1e-9);
  through.Perform();
  if (!through.IsDone()) throw std::runtime_error("no spline goes through these points");
  return through.Curve();
}

// Poles with (p_{i-1} + 4 p_i + p_{i+1}) / 6 = q_i; each sweep leaves less than half of the error.
Handle(Geom_BSplineCurve) closed_spline(const std::vector<gp_Pnt>& q) {
  const std::size_t n = q.size();
  std::vector<gp_XYZ> p;
  for (const gp_Pnt& point : q) p.push_back(point.XYZ());
  for (int sweep = 0; sweep < 80; ++sweep)
    for (std::size_t i = 0; i < n; ++i) p[i] = (q[i].XYZ() * 6 - p[(i + n - 1) % n] - p[(i + 1) % n]) / 4;
  const int count = static_cast<int>(n);
  TColgp_Array1OfPnt poles(1, count);
  TColStd_Array1OfReal knots(1, count + 1);
  TColStd_Array1OfInteger once(1, count + 1);
  once.Init(1);
  for (int i = 1; i <= count; ++i) poles(i) = gp_Pnt(p[static_cast<std::size_t>(i) - 1]);
  for (int i = 1; i <= count + 1; ++i) knots(i) = i - 1;
  return new Geom_BSplineCurve(poles, knots, once, 3, true);
}

// Booleans leave faces split where none need be, and wrap the solid.
TopoDS_Shape tidy(const TopoDS_Shape& shape) {
  ShapeUpgrade_UnifySameDomain unify(shape, true, true, false);
  unify.Build();
  TopExp_Explorer solids(unify.Shape(), TopAbs_SOLID);
  if (!solids.More()) throw std::runtime_error("no solid is left");
  const TopoDS_Shape out = solids.Current();
  solids.Next();
  if (solids.More()) throw std::runtime_error("the solid falls apart");
  if (!BRepCheck_Analyzer(out).IsValid()) throw std::runtime_error("the solid is not valid");
  return out;
}

template <class Operation>
TopoDS_Shape combined(const TopoDS_Shape& first, const TopTools_ListOfShape& tools) {
  Operation operation;
  TopTools_ListOfShape arguments;
  arguments.Append(first);
  operation.SetArguments(arguments);
  operation.SetTools(tools);
  operation.Build();
  if (!operation.IsDone()) throw std::runtime_error("solids cannot be combined");
  return tidy(operation.Shape());
}

TopTools_ListOfShape list(const std::vector<TopoDS_Shape>& shapes, std::size_t from) {
  TopTools_ListOfShape out;
  for (std::size_t i = from; i < shapes.size(); ++i) out.Append(shapes[i]);
  return out;
}

}  // namespace

Outline& Outline::line(gp_Pnt to) {
  edges_.push_back(BRepBuilderAPI_MakeEdge(points_.back(), to).Edge());
  points_.push_back(to);
  return *this;
}

// The circle's parameter begins at x, or at y in a plane across it: what is swept around an axis along the other is
// then a torus, not just any surface of revolution.
Outline& Outline::arc(gp_Pnt through, gp_Pnt to) {
  gp_Circ circle = gce_MakeCirc(points_.back(), through, to).Value();
  const gp_Dir normal = circle.Axis().Direction();
  const gp_Dir start = std::abs(normal.X()) > 0.5 ? gp::DY() : gp::DX();
  circle.SetPosition(gp_Ax2(circle.Location(), normal, start));
  edges_.push_back(BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(circle, points_.back(), to, true).Value()).Edge());
  points_.push_back(to);
  return *this;
}

Outline& Outline::spline(const std::vector<gp_Pnt>& through) {
  std::vector<gp_Pnt> all{points_.back()};
  all.insert(all.end(), through.begin(), through.end());
  edges_.push_back(BRepBuilderAPI_MakeEdge(interpolated(all)).Edge());
  points_.push_back(through.back());
  return *this;
}

TopoDS_Shape Outline::face() const {
  BRepBuilderAPI_MakeWire wire;
  for (const TopoDS_Shape& edge : edges_) wire.Add(TopoDS::Edge(edge));
  if (points_.back().Distance(points_.front()) > 1e-9)
    wire.Add(BRepBuilderAPI_MakeEdge(points_.back(), points_.front()).Edge());
  return BRepBuilderAPI_MakeFace(wire.Wire(), true).Face();
}

TopoDS_Shape extruded(const Outline& outline, const gp_Vec& along) {
  return BRepPrimAPI_MakePrism(outline.face(), along).Shape();
}

TopoDS_Shape revolved(const Outline& outline, const gp_Ax1& axis) {
  return BRepPrimAPI_MakeRevol(outline.face(), axis).Shape();
}

TopoDS_Shape cylinder(gp_Pnt from, const gp_Dir& axis, double radius, double length) {
  return BRepPrimAPI_MakeCylinder(gp_Ax2(from, axis), radius, length).Shape();
}

TopoDS_Shape box(gp_Pnt low, gp_Pnt high) { return BRepPrimAPI_MakeBox(low, high).Shape(); }

TopoDS_Shape fused(const std::vector<TopoDS_Shape>& shapes) {
  return combined<BRepAlgoAPI_Fuse>(shapes.front(), list(shapes, 1));
}

TopoDS_Shape cut(const TopoDS_Shape& from, const std::vector<TopoDS_Shape>& tools) {
  return combined<BRepAlgoAPI_Cut>(from, list(tools, 0));
}

TopoDS_Shape moved(const TopoDS_Shape& shape, const gp_Trsf& by) {
  return BRepBuilderAPI_Transform(shape, by, true).Shape();
}

TopoDS_Shape hole(const Hole& h) {
  const gp_Ax2 axes(h.at, h.axis);
  const auto at = [&](double r, double z) {
    return gp_Pnt(h.at.XYZ() + axes.XDirection().XYZ() * r + axes.Direction().XYZ() * z);
  };
  Outline section(at(0, -h.half));
  section.line(at(h.radius + h.chamfer, -h.half)).line(at(h.radius, -h.half + h.chamfer));
  section.line(at(h.radius, h.half - h.chamfer)).line(at(h.radius + h.chamfer, h.half)).line(at(0, h.half));
  return revolved(section, axes.Axis());
}

TopoDS_Shape spline_prism(const std::vector<gp_Pnt>& through, const gp_Vec& along) {
  const TopoDS_Edge edge = BRepBuilderAPI_MakeEdge(closed_spline(through)).Edge();
  const TopoDS_Face face = BRepBuilderAPI_MakeFace(BRepBuilderAPI_MakeWire(edge).Wire(), true).Face();
  return BRepPrimAPI_MakePrism(face, along).Shape();
}

}  // namespace ricochet::cad
