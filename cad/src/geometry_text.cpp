#include "geometry_text.hpp"

#include <Geom2dAdaptor_Curve.hxx>
#include <Geom2dConvert.hxx>
#include <Geom2dConvert_ApproxCurve.hxx>
#include <Geom2d_BSplineCurve.hxx>
#include <Geom2d_BezierCurve.hxx>
#include <Geom2d_TrimmedCurve.hxx>
#include <GeomAdaptor_Curve.hxx>
#include <GeomAdaptor_Surface.hxx>
#include <GeomConvert.hxx>
#include <GeomConvert_ApproxCurve.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Geom_BSplineSurface.hxx>
#include <Geom_BezierCurve.hxx>
#include <Geom_BezierSurface.hxx>
#include <Geom_RectangularTrimmedSurface.hxx>
#include <Geom_SurfaceOfLinearExtrusion.hxx>
#include <Geom_SurfaceOfRevolution.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <cstdio>
#include <gp_Ax22d.hxx>
#include <gp_Ax3.hxx>
#include <gp_Circ.hxx>
#include <gp_Circ2d.hxx>
#include <gp_Cone.hxx>
#include <gp_Cylinder.hxx>
#include <gp_Elips.hxx>
#include <gp_Elips2d.hxx>
#include <gp_Lin.hxx>
#include <gp_Lin2d.hxx>
#include <gp_Pln.hxx>
#include <gp_Sphere.hxx>
#include <gp_Torus.hxx>

namespace ricochet::cad {
namespace {

// Curves that have no name here become splines with the same parameter, as near as this (metres).
constexpr double kNear = 1e-11;

std::string axes(const gp_XYZ& o, const gp_Dir& x, const gp_Dir& y, const gp_Dir& z) {
  return text(o) + text(x.XYZ()) + text(y.XYZ()) + text(z.XYZ());
}
std::string axes(const gp_Ax2& a) { return axes(a.Location().XYZ(), a.XDirection(), a.YDirection(), a.Direction()); }
std::string axes(const gp_Ax3& a) { return axes(a.Location().XYZ(), a.XDirection(), a.YDirection(), a.Direction()); }
std::string axes(const gp_Ax22d& a) {
  return text(a.Location().XY()) + text(a.XDirection().XY()) + text(a.YDirection().XY());
}

std::string knots_text(const TColStd_Array1OfReal& sequence) {
  std::string out;
  for (int i = sequence.Lower(); i <= sequence.Upper(); ++i) out += text(sequence(i));
  return out;
}

gp_XYZ pole(const Handle(Geom_BSplineCurve) & c, int i) { return c->Pole(i).XYZ(); }
gp_XY pole(const Handle(Geom2d_BSplineCurve) & c, int i) { return c->Pole(i).XY(); }

template <class Spline>
std::string spline_text(const Spline& given, double from, double to) {
  const Spline c = Spline::DownCast(given->Copy());
  // What begins before its first knot, as periodic ones may, is cut there.
  const bool beyond = from < c->FirstParameter() || to > c->LastParameter();
  if (c->IsPeriodic()) {
    if (beyond) c->Segment(from, to);
    if (c->IsPeriodic()) c->SetNotPeriodic();
  }
  std::string out = "spline " + std::to_string(c->Degree()) + " " + std::to_string(c->NbPoles()) + " " +
                    (c->IsRational() ? "1" : "0");
  TColStd_Array1OfReal knots(1, c->NbPoles() + c->Degree() + 1);
  c->KnotSequence(knots);
  out += knots_text(knots);
  for (int i = 1; i <= c->NbPoles(); ++i) {
    out += text(pole(c, i));
    if (c->IsRational()) out += text(c->Weight(i));
  }
  return out;
}

std::string spline_text(const Handle(Geom_BSplineSurface) & given) {
  const Handle(Geom_BSplineSurface) s = Handle(Geom_BSplineSurface)::DownCast(given->Copy());
  if (s->IsUPeriodic()) s->SetUNotPeriodic();
  if (s->IsVPeriodic()) s->SetVNotPeriodic();
  const bool rational = s->IsURational() || s->IsVRational();
  std::string out = "spline";
  for (const int n : {s->UDegree(), s->VDegree(), s->NbUPoles(), s->NbVPoles(), rational ? 1 : 0})
    out += " " + std::to_string(n);
  TColStd_Array1OfReal u(1, s->NbUPoles() + s->UDegree() + 1), v(1, s->NbVPoles() + s->VDegree() + 1);
  s->UKnotSequence(u);
  s->VKnotSequence(v);
  out += knots_text(u) + knots_text(v);
  for (int i = 1; i <= s->NbUPoles(); ++i)
    for (int j = 1; j <= s->NbVPoles(); ++j) {
      out += text(s->Pole(i, j).XYZ());
      if (rational) out += text(s->Weight(i, j));
    }
  return out;
}

}  // namespace

std::string text(double x) {
  char out[40];
  std::snprintf(out, sizeof out, " %.15g", x == 0 ? 0.0 : x);
  return out;
}
std::string text(const gp_XYZ& p) { return text(p.X()) + text(p.Y()) + text(p.Z()); }
std::string text(const gp_XY& p) { return text(p.X()) + text(p.Y()); }

std::string curve_text(const Handle(Geom_Curve) & curve, double from, double to) {
  const GeomAdaptor_Curve c(curve);
  switch (c.GetType()) {
    case GeomAbs_Line: return "line" + text(c.Line().Location().XYZ()) + text(c.Line().Direction().XYZ());
    case GeomAbs_Circle: return "circle" + axes(c.Circle().Position()) + text(c.Circle().Radius());
    case GeomAbs_Ellipse:
      return "ellipse" + axes(c.Ellipse().Position()) + text(c.Ellipse().MajorRadius()) +
             text(c.Ellipse().MinorRadius());
    case GeomAbs_BSplineCurve: return spline_text(c.BSpline(), from, to);
    case GeomAbs_BezierCurve: return spline_text(GeomConvert::CurveToBSplineCurve(c.Bezier()), from, to);
    default: {
      if (!(from < to)) return "";
      GeomConvert_ApproxCurve near(new Geom_TrimmedCurve(curve, from, to), kNear, GeomAbs_C2, 200, 9);
      return near.IsDone() && near.HasResult() ? spline_text(near.Curve(), from, to) : "";
    }
  }
}

std::string trace_text(const Handle(Geom2d_Curve) & curve, double from, double to) {
  const Geom2dAdaptor_Curve c(curve);
  switch (c.GetType()) {
    case GeomAbs_Line: return "line" + text(c.Line().Location().XY()) + text(c.Line().Direction().XY());
    case GeomAbs_Circle: return "circle" + axes(c.Circle().Axis()) + text(c.Circle().Radius());
    case GeomAbs_Ellipse:
      return "ellipse" + axes(c.Ellipse().Axis()) + text(c.Ellipse().MajorRadius()) + text(c.Ellipse().MinorRadius());
    case GeomAbs_BSplineCurve: return spline_text(c.BSpline(), from, to);
    case GeomAbs_BezierCurve: return spline_text(Geom2dConvert::CurveToBSplineCurve(c.Bezier()), from, to);
    default: {
      if (!(from < to)) return "";
      Geom2dConvert_ApproxCurve near(new Geom2d_TrimmedCurve(curve, from, to), kNear, GeomAbs_C2, 200, 9);
      return near.IsDone() && near.HasResult() ? spline_text(near.Curve(), from, to) : "";
    }
  }
}

std::string surface_text(const Handle(Geom_Surface) & given) {
  Handle(Geom_Surface) surface = given;
  if (const auto trimmed = Handle(Geom_RectangularTrimmedSurface)::DownCast(given); !trimmed.IsNull())
    surface = trimmed->BasisSurface();
  const GeomAdaptor_Surface s(surface);
  const auto swept = [](const Handle(Geom_SweptSurface) & sweep) {
    const Handle(Geom_Curve) c = sweep->BasisCurve();
    return curve_text(c, c->FirstParameter(), c->LastParameter());
  };
  switch (s.GetType()) {
    case GeomAbs_Plane: return "plane" + axes(s.Plane().Position());
    case GeomAbs_Cylinder: return "cylinder" + axes(s.Cylinder().Position()) + text(s.Cylinder().Radius());
    case GeomAbs_Cone:
      return "cone" + axes(s.Cone().Position()) + text(s.Cone().RefRadius()) + text(s.Cone().SemiAngle());
    case GeomAbs_Sphere: return "sphere" + axes(s.Sphere().Position()) + text(s.Sphere().Radius());
    case GeomAbs_Torus:
      return "torus" + axes(s.Torus().Position()) + text(s.Torus().MajorRadius()) + text(s.Torus().MinorRadius());
    case GeomAbs_SurfaceOfExtrusion: {
      const auto sweep = Handle(Geom_SurfaceOfLinearExtrusion)::DownCast(surface);
      const std::string curve = swept(sweep);
      return curve.empty() ? "" : "extrusion" + text(sweep->Direction().XYZ()) + " " + curve;
    }
    case GeomAbs_SurfaceOfRevolution: {
      const auto sweep = Handle(Geom_SurfaceOfRevolution)::DownCast(surface);
      const std::string curve = swept(sweep);
      if (curve.empty()) return "";
      return "revolution" + text(sweep->Location().XYZ()) + text(sweep->Direction().XYZ()) + " " + curve;
    }
    case GeomAbs_BSplineSurface: return spline_text(s.BSpline());
    case GeomAbs_BezierSurface: return spline_text(GeomConvert::SurfaceToBSplineSurface(s.Bezier()));
    default: return "";
  }
}

}  // namespace ricochet::cad
