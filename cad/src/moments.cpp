#include "moments.hpp"

#include <BRepTools_WireExplorer.hxx>
#include <BRep_Tool.hxx>
#include <Geom2dAdaptor_Curve.hxx>
#include <GeomAdaptor_Surface.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Wire.hxx>
#include <algorithm>
#include <array>
#include <cmath>
#include <gp_Lin2d.hxx>
#include <gp_Pnt.hxx>
#include <gp_Pnt2d.hxx>
#include <gp_Vec.hxx>
#include <gp_Vec2d.hxx>
#include <vector>

namespace ricochet::cad {
namespace {

// Gauss-Legendre with ten points.
constexpr std::array<double, 5> kAt{0.14887433898163122, 0.43339539412924719, 0.67940956829902441, 0.86506336668898451,
                                    0.97390652851717172};
constexpr std::array<double, 5> kWeight{0.29552422471475287, 0.26926671930999635, 0.21908636251598204,
                                        0.14945134915058059, 0.06667134430868814};

/// 1, x, y, z, xx, yy, zz, yz, zx, xy over the volume.
using Sums = std::array<double, 10>;

template <class Function>
void integrate(double from, double to, Function function) {
  const double middle = (from + to) / 2, half = (to - from) / 2;
  for (std::size_t k = 0; k < kAt.size(); ++k)
    for (const double side : {-1.0, 1.0}) function(middle + side * half * kAt[k], half * kWeight[k]);
}

std::vector<double> knots(const GeomAdaptor_Surface& s, bool of_u) {
  const int n = of_u ? s.NbUIntervals(GeomAbs_CN) : s.NbVIntervals(GeomAbs_CN);
  TColStd_Array1OfReal ends(1, n + 1);
  of_u ? s.UIntervals(ends, GeomAbs_CN) : s.VIntervals(ends, GeomAbs_CN);
  return {ends.begin(), ends.end()};
}

class FaceSums {
 public:
  FaceSums(const TopoDS_Face& face, const gp_XYZ& origin, Sums& out)
      : face_(TopoDS::Face(face.Oriented(TopAbs_FORWARD))),
        surface_(BRep_Tool::Surface(face_)),
        origin_(origin),
        sign_(face.Orientation() == TopAbs_REVERSED ? -1 : 1),
        u_(knots(surface_, true)),
        v_(knots(surface_, false)),
        out_(out) {}

  void add() {
    bool first = true;
    for (TopExp_Explorer wire(face_, TopAbs_WIRE); wire.More(); wire.Next())
      for (BRepTools_WireExplorer edge(TopoDS::Wire(wire.Current()), face_); edge.More(); edge.Next()) {
        double from = 0, to = 0;
        const Handle(Geom2d_Curve) trace = BRep_Tool::CurveOnSurface(edge.Current(), face_, from, to);
        if (trace.IsNull() || !(from < to)) continue;
        if (first) base_ = trace->Value(from).Y();
        first = false;
        side(trace, from, to, edge.Current().Orientation() == TopAbs_REVERSED ? -1 : 1);
      }
  }

 private:
  /// The integral of f over a face to the left of its edges is that of -(f summed over v) du along them.
  void side(const Handle(Geom2d_Curve) & trace, double from, double to, double sense) {
    for (const std::vector<double> ends = pieces(trace, from, to); const double& end : ends) {
      if (&end == &ends.front()) continue;
      integrate(*(&end - 1), end, [&](double t, double weight) {
        gp_Pnt2d at;
        gp_Vec2d along;
        trace->D1(t, at, along);
        if (along.X() != 0) column(at.X(), at.Y(), -sense * weight * along.X());
      });
    }
  }

  std::vector<double> pieces(const Handle(Geom2d_Curve) & trace, double from, double to) const {
    const Geom2dAdaptor_Curve c(trace, from, to);
    std::vector<double> out{from, to};
    TColStd_Array1OfReal own(1, c.NbIntervals(GeomAbs_CN) + 1);
    c.Intervals(own, GeomAbs_CN);
    out.insert(out.end(), own.begin(), own.end());
    const bool straight = c.GetType() == GeomAbs_Line;
    for (const double u : u_)
      if (straight && c.Line().Direction().X() != 0)
        out.push_back((u - c.Line().Location().X()) / c.Line().Direction().X());
    const int parts = straight ? 6 : 16;
    for (int k = 1; k < parts; ++k) out.push_back(from + (to - from) * k / parts);
    std::erase_if(out, [&](double t) { return t < from || t > to; });
    std::sort(out.begin(), out.end());
    return out;
  }

  /// f summed from the base up to v.
  void column(double u, double v, double weight) {
    const double low = std::min(base_, v), high = std::max(base_, v), way = v < base_ ? -1 : 1;
    if (!(low < high)) return;
    ends_.assign({low, high});
    for (const double knot : v_)
      if (knot > low && knot < high) ends_.push_back(knot);
    const GeomAbs_SurfaceType type = surface_.GetType();
    if (type == GeomAbs_Sphere || type == GeomAbs_Torus || type == GeomAbs_SurfaceOfRevolution)
      for (int k = 1; k < 4; ++k) ends_.push_back(low + (high - low) * k / 4);
    std::sort(ends_.begin(), ends_.end());
    for (std::size_t k = 1; k < ends_.size(); ++k)
      integrate(ends_[k - 1], ends_[k], [&](double w, double part) { point(u, w, way * weight * part); });
  }

  void point(double u, double v, double weight) {
    gp_Pnt at;
    gp_Vec du, dv;
    surface_.D1(u, v, at, du, dv);
    const gp_XYZ n = du.Crossed(dv).XYZ() * (sign_ * weight), p = at.XYZ() - origin_;
    const double x = p.X(), y = p.Y(), z = p.Z();
    out_[0] += (n * p) / 3;
    out_[1] += x * x * n.X() / 2;
    out_[2] += y * y * n.Y() / 2;
    out_[3] += z * z * n.Z() / 2;
    out_[4] += x * x * x * n.X() / 3;
    out_[5] += y * y * y * n.Y() / 3;
    out_[6] += z * z * z * n.Z() / 3;
    out_[7] += y * y * z * n.Y() / 2;
    out_[8] += z * z * x * n.Z() / 2;
    out_[9] += x * x * y * n.X() / 2;
  }

  TopoDS_Face face_;
  GeomAdaptor_Surface surface_;
  gp_XYZ origin_;
  double sign_, base_ = 0;
  std::vector<double> u_, v_, ends_;
  Sums& out_;
};

Sums sums(const TopoDS_Shape& solid, const gp_XYZ& origin) {
  Sums out{};
  for (TopExp_Explorer face(solid, TopAbs_FACE); face.More(); face.Next())
    FaceSums(TopoDS::Face(face.Current()), origin, out).add();
  return out;
}

}  // namespace

Moments moments(const TopoDS_Shape& solid) {
  // Once to know the centre, once about it, so that no digits are lost.
  Sums s = sums(solid, gp_XYZ());
  const gp_XYZ about = gp_XYZ(s[1], s[2], s[3]) / s[0];
  s = sums(solid, about);
  const gp_XYZ off = gp_XYZ(s[1], s[2], s[3]) / s[0];
  const double xx = s[4] - s[0] * off.X() * off.X(), yy = s[5] - s[0] * off.Y() * off.Y();
  const double zz = s[6] - s[0] * off.Z() * off.Z(), yz = s[7] - s[0] * off.Y() * off.Z();
  const double zx = s[8] - s[0] * off.Z() * off.X(), xy = s[9] - s[0] * off.X() * off.Y();
  return {s[0], about + off, gp_Mat(yy + zz, -xy, -zx, -xy, zz + xx, -yz, -zx, -yz, xx + yy)};
}

}  // namespace ricochet::cad
