#include "extract.hpp"

#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_Transform.hxx>
#include <BRepCheck_Analyzer.hxx>
#include <BRepTools_History.hxx>
#include <BRepTools_WireExplorer.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <GCPnts_AbscissaPoint.hxx>
#include <Geom2dAdaptor_Curve.hxx>
#include <GeomAdaptor_Curve.hxx>
#include <GeomAdaptor_Surface.hxx>
#include <ShapeUpgrade_UnifySameDomain.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedDataMapOfShapeListOfShape.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopTools_ListOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Wire.hxx>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gp_Pnt2d.hxx>
#include <set>

#include "geometry_text.hpp"
#include "moments.hpp"

namespace ricochet::cad {
namespace {

constexpr double kMetre = 1e-3;     // of a millimetre
constexpr double kShortest = 1e-6;  // mm: edges below are none
// What belongs together, a curve on a face and the same curve in space, a corner and the end of an edge, is as near.
constexpr double kFarthest = 1e-3;      // mm
constexpr double kFarthestPart = 1e-3;  // of the size of a small part
constexpr double kSmallest = 1e-3;      // mm: the library takes 1e-7 mm for one place

struct Drawn {
  std::string name;  ///< empty: none
  int entity = 0;
  int number = 0;  ///< among the faces of the solid as the file has them, from 1
};

using FaceMap = std::map<const TopoDS_TShape*, Drawn>;

std::string place(const gp_Pnt& p) {
  char out[100];
  std::snprintf(out, sizeof out, "(%.6g, %.6g, %.6g) mm", p.X(), p.Y(), p.Z());
  return out;
}

/// How far what belongs together may be apart; `unit`: of the shape's lengths, in mm.
double farthest_of(const TopoDS_Shape& shape, double unit) {
  Bnd_Box box;
  BRepBndLib::AddClose(shape, box);
  if (box.IsVoid()) return kFarthest;
  return std::min(kFarthest, kFarthestPart * unit * std::sqrt(box.SquareExtent()));
}

/// Where an edge on a face is looked at: several places in each piece of its curves, the more the more pieces the
/// surface has.
std::vector<double> places(const GeomAdaptor_Curve& curve, const Geom2dAdaptor_Curve& trace,
                           const GeomAdaptor_Surface& surface, double from, double to) {
  constexpr int kEach = 8;
  std::vector<double> knots{from, to};
  TColStd_Array1OfReal of_curve(1, curve.NbIntervals(GeomAbs_CN) + 1), of_trace(1, trace.NbIntervals(GeomAbs_CN) + 1);
  curve.Intervals(of_curve, GeomAbs_CN);
  trace.Intervals(of_trace, GeomAbs_CN);
  for (const TColStd_Array1OfReal* all : {&of_curve, &of_trace})
    for (const double t : *all)
      if (t > from && t < to) knots.push_back(t);
  std::sort(knots.begin(), knots.end());
  const int pieces = surface.NbUIntervals(GeomAbs_CN) + surface.NbVIntervals(GeomAbs_CN);
  const int each = kEach * (1 + pieces / static_cast<int>(knots.size()));
  std::vector<double> out{from};
  for (std::size_t k = 1; k < knots.size(); ++k)
    for (int i = 1; i <= each; ++i) out.push_back(knots[k - 1] + (knots[k] - knots[k - 1]) * i / each);
  return out;
}

gp_Pnt middle(const TopoDS_Edge& edge) {
  double from = 0, to = 0;
  const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, from, to);
  return curve.IsNull() ? gp_Pnt() : curve->Value((from + to) / 2);
}

/// A solid as the file has it, made whole and brought into metres; who its faces were is kept.
class Prepared {
 public:
  Prepared(const StepModel& model, const Instance& instance) : name_(instance.name) {
    TopTools_IndexedMapOfShape faces;
    TopExp::MapShapes(instance.solid, TopAbs_FACE, faces);
    for (int i = 1; i <= faces.Extent(); ++i) {
      const FaceLabel& label = model.label(faces(i));
      faces_[faces(i).TShape().get()] = {label.name, label.entity, i};
    }
    if (Bnd_Box box;
        BRepBndLib::AddClose(instance.solid, box), !box.IsVoid() && box.SquareExtent() < kSmallest * kSmallest)
      throw Refused(0, "'" + name_ + "' is " + std::to_string(std::sqrt(box.SquareExtent())) +
                           " mm large, too small for the library; accepted: parts of 0.001 mm at least");
    check_sides(model, instance.solid);
    check_closed(instance.solid);
    check_corners(instance.solid);
    solid_ = unified(instance.solid);
    gp_Trsf scale;
    scale.SetScaleFactor(kMetre);
    BRepBuilderAPI_Transform moving(scale * instance.at);
    moving.Perform(solid_, true);
    FaceMap kept;
    for (TopExp_Explorer face(solid_, TopAbs_FACE); face.More(); face.Next())
      kept[moving.ModifiedShape(face.Current()).TShape().get()] = faces_[face.Current().TShape().get()];
    faces_ = std::move(kept);
    solid_ = moving.Shape();
  }

  const TopoDS_Shape& solid() const { return solid_; }
  /// Those that the file gives.
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& [face, drawn] : faces_) out.insert(drawn.name);
    return out;
  }
  const Drawn& drawn(const TopoDS_Shape& face) const { return faces_.at(face.TShape().get()); }

 private:
  /// All faces have the side of their surface outside that the file says, or all the other one, of a shell that was
  /// inside out. The library takes the wrong part of a sphere with a hole across its seam.
  void check_sides(const StepModel& model, const TopoDS_Shape& solid) const {
    int all = 0, other = 0, entity = 0;
    for (TopExp_Explorer face(solid, TopAbs_FACE); face.More(); face.Next()) {
      const FaceLabel& label = model.label(face.Current());
      if (label.entity == 0) continue;
      ++all;
      if ((face.Current().Orientation() == TopAbs_FORWARD) == label.same_sense) continue;
      ++other;
      if (entity == 0) entity = label.entity;
    }
    if (other > 0 && other < all)
      throw Refused(entity,
                    "this face of '" + name_ +
                        "' is not read as it is written: the library takes the other side of it; accepted: faces "
                        "that do not cross the seam of their surface, say");
  }

  /// Every edge lies between two faces, or twice on the same.
  void check_closed(const TopoDS_Shape& solid) const {
    TopTools_IndexedDataMapOfShapeListOfShape of_edges;
    TopExp::MapShapesAndAncestors(solid, TopAbs_EDGE, TopAbs_FACE, of_edges);
    for (int i = 1; i <= of_edges.Extent(); ++i) {
      const TopoDS_Edge edge = TopoDS::Edge(of_edges.FindKey(i));
      if (BRep_Tool::Degenerated(edge) || of_edges(i).Extent() > 1) continue;
      const TopoDS_Face face = TopoDS::Face(of_edges(i).First());
      if (!BRep_Tool::IsClosed(edge, face))
        throw Refused(faces_.at(face.TShape().get()).entity, "the shell of '" + name_ +
                                                                 "' is open at an edge of this face, near " +
                                                                 place(middle(edge)) + "; accepted: closed solids");
    }
  }

  /// Every edge ends at its corners: the library takes whatever is there, and lets it count as near.
  void check_corners(const TopoDS_Shape& solid) const {
    const double farthest = farthest_of(solid, 1);
    for (TopExp_Explorer face(solid, TopAbs_FACE); face.More(); face.Next())
      for (TopExp_Explorer at(face.Current(), TopAbs_EDGE); at.More(); at.Next()) {
        const TopoDS_Edge edge = TopoDS::Edge(at.Current().Oriented(TopAbs_FORWARD));
        if (BRep_Tool::Degenerated(edge)) continue;
        double from = 0, to = 0;
        const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, from, to);
        if (curve.IsNull()) continue;
        for (const auto& [t, vertex] : {std::pair{from, TopExp::FirstVertex(edge)}, {to, TopExp::LastVertex(edge)}}) {
          if (vertex.IsNull()) continue;
          const double off = BRep_Tool::Pnt(vertex).Distance(curve->Value(t));
          if (off < farthest) continue;
          throw Refused(faces_.at(face.Current().TShape().get()).entity,
                        "a corner of this face of '" + name_ + "' lies beside the end of its edge by " +
                            std::to_string(off) + " mm, near " + place(BRep_Tool::Pnt(vertex)) +
                            "; accepted: corners at the ends of their edges");
        }
      }
  }

  /// Faces that were cut into pieces are put together again, unless the pieces have names of their own.
  TopoDS_Shape unified(const TopoDS_Shape& solid) {
    ShapeUpgrade_UnifySameDomain unify(solid, true, true, false);
    TopTools_IndexedDataMapOfShapeListOfShape of_edges;
    TopExp::MapShapesAndAncestors(solid, TopAbs_EDGE, TopAbs_FACE, of_edges);
    for (int i = 1; i <= of_edges.Extent(); ++i) {
      const TopTools_ListOfShape& both = of_edges(i);
      if (faces_[both.First().TShape().get()].name != faces_[both.Last().TShape().get()].name)
        unify.KeepShape(of_edges.FindKey(i));
    }
    try {
      unify.Build();
    } catch (const Standard_Failure&) {
      return solid;
    }
    if (unify.Shape().IsNull() || unify.Shape().ShapeType() != TopAbs_SOLID ||
        !BRepCheck_Analyzer(unify.Shape()).IsValid())
      return solid;
    FaceMap whole;
    TopTools_IndexedMapOfShape before;
    TopExp::MapShapes(solid, TopAbs_FACE, before);
    for (int i = before.Extent(); i >= 1; --i) {  // the first piece gives the number
      const TopTools_ListOfShape& after = unify.History()->Modified(before(i));
      const Drawn& drawn = faces_[before(i).TShape().get()];
      if (after.IsEmpty() && !unify.History()->IsRemoved(before(i))) whole[before(i).TShape().get()] = drawn;
      for (const TopoDS_Shape& face : after) whole[face.TShape().get()] = drawn;
    }
    for (TopExp_Explorer face(unify.Shape(), TopAbs_FACE); face.More(); face.Next())
      if (whole.count(face.Current().TShape().get()) == 0) return solid;
    faces_ = std::move(whole);
    return unify.Shape();
  }

  std::string name_;
  TopoDS_Shape solid_;
  FaceMap faces_;
};

class Writer {
 public:
  Writer(const Prepared& part, std::string name)
      : part_(part), name_(std::move(name)), names_(part.names()), farthest_(farthest_of(part.solid(), 1 / kMetre)) {}

  Extracted write() {
    out_.text = "ricochet-brep 1\npart " + name_ + "\n" + solid();
    TopExp::MapShapes(part_.solid(), TopAbs_VERTEX, vertices_);
    for (int i = 1; i <= vertices_.Extent(); ++i)
      out_.text += "vertex " + std::to_string(i) + text(BRep_Tool::Pnt(TopoDS::Vertex(vertices_(i))).XYZ()) + "\n";
    TopTools_IndexedMapOfShape all;
    TopExp::MapShapes(part_.solid(), TopAbs_EDGE, all);
    for (int i = 1; i <= all.Extent(); ++i) edge(TopoDS::Edge(all(i)));
    TopTools_IndexedMapOfShape faces;
    TopExp::MapShapes(part_.solid(), TopAbs_FACE, faces);
    for (int i = 1; i <= faces.Extent(); ++i) face(i, TopoDS::Face(faces(i)));
    out_.text += "end\n";
    if (short_edges_ > 0)
      out_.notes.push_back("'" + name_ + "': " + std::to_string(short_edges_) + " edges without length are left out");
    return std::move(out_);
  }

 private:
  std::string solid() {
    const Moments all = moments(part_.solid());
    inside_out_ = all.volume < 0;
    if (inside_out_) out_.notes.push_back("'" + name_ + "': its shell is inside out; it was turned");
    const double sign = inside_out_ ? -1 : 1;
    if (!(sign * all.volume > 0) || !std::isfinite(all.volume))
      throw Refused(0, "'" + name_ + "' encloses no volume; accepted: closed solids");
    std::string out = "solid" + text(sign * all.volume) + text(all.centre);
    for (const auto& [i, j] : {std::pair{1, 1}, {2, 2}, {3, 3}, {2, 3}, {3, 1}, {1, 2}})
      out += text(sign * all.inertia(i, j));
    return out + "\n";
  }

  void edge(const TopoDS_Edge& any) {
    const TopoDS_Edge e = TopoDS::Edge(any.Oriented(TopAbs_FORWARD));
    if (BRep_Tool::Degenerated(e)) return;
    double from = 0, to = 0;
    const Handle(Geom_Curve) curve = BRep_Tool::Curve(e, from, to);
    if (curve.IsNull()) throw Refused(0, "an edge of '" + name_ + "' has no curve; accepted: edges on curves");
    if (!(from < to) || GCPnts_AbscissaPoint::Length(GeomAdaptor_Curve(curve, from, to)) < kShortest * kMetre) {
      ++short_edges_;
      return;
    }
    const std::string words = curve_text(curve, from, to);
    if (words.empty()) throw Refused(0, "an edge of '" + name_ + "' lies on a curve of no known kind");
    edges_.Add(e);
    out_.text += "edge " + std::to_string(edges_.Extent()) + text(from) + text(to);
    for (const TopoDS_Vertex& v : {TopExp::FirstVertex(e), TopExp::LastVertex(e)})
      out_.text += " " + std::to_string(vertices_.FindIndex(v));
    out_.text += " " + words + "\n";
  }

  void face(int number, const TopoDS_Face& given) {
    const Drawn& drawn = part_.drawn(given);
    const TopoDS_Face f = TopoDS::Face(given.Oriented(TopAbs_FORWARD));
    const std::string name = drawn.name.empty() ? unnamed(drawn.number) : drawn.name;
    const std::string words = surface_text(BRep_Tool::Surface(f));
    if (words.empty())
      throw Refused(drawn.entity, "face '" + name + "' of '" + name_ +
                                      "' lies on a surface of no known kind (an offset, say); accepted: "
                                      "plane, cylinder, cone, sphere, torus, extrusion, revolution, B-spline");
    const bool out = (given.Orientation() == TopAbs_FORWARD) != inside_out_;
    out_.text += "face " + std::to_string(number) + " " + name + (out ? " out " : " in ") + words + "\n";
    for (TopExp_Explorer wire(f, TopAbs_WIRE); wire.More(); wire.Next()) loop(TopoDS::Wire(wire.Current()), f, drawn);
  }

  /// The place of a face that has no name; another one may be called so.
  std::string unnamed(int number) {
    const std::string plain = "f" + std::to_string(number);
    std::string out = plain;
    for (int n = 2; names_.count(out) > 0; ++n) out = plain + "." + std::to_string(n);
    if (out != plain)
      out_.notes.push_back("'" + name_ + "': another face is called '" + plain + "'; the one without a name is '" +
                           out + "'");
    return out;
  }

  void loop(const TopoDS_Wire& wire, const TopoDS_Face& face, const Drawn& drawn) {
    std::vector<TopoDS_Edge> sides;
    int all = 0;
    for (BRepTools_WireExplorer edge(wire, face); edge.More(); edge.Next()) sides.push_back(edge.Current());
    for (TopExp_Explorer edge(wire, TopAbs_EDGE); edge.More(); edge.Next()) ++all;
    if (static_cast<int>(sides.size()) != all) {  // it lost its way; the order in the file will do
      sides.clear();
      for (TopExp_Explorer edge(wire, TopAbs_EDGE); edge.More(); edge.Next())
        sides.push_back(TopoDS::Edge(edge.Current()));
    }
    std::string lines;
    for (const TopoDS_Edge& edge : sides) lines += side(edge, face, drawn);
    if (!lines.empty()) out_.text += "loop\n" + lines;
  }

  std::string side(const TopoDS_Edge& edge, const TopoDS_Face& face, const Drawn& drawn) {
    const int number = edges_.FindIndex(edge.Oriented(TopAbs_FORWARD));
    if (number == 0) return "";
    double from = 0, to = 0;
    const Handle(Geom2d_Curve) trace = BRep_Tool::CurveOnSurface(edge, face, from, to);
    const std::string words = trace.IsNull() ? "" : trace_text(trace, from, to);
    if (words.empty())
      throw Refused(drawn.entity, "an edge of this face of '" + name_ +
                                      "' has no place on it; accepted: edges that lie on their faces");
    check(edge, face, trace, drawn);
    return "side " + std::to_string(number) + (edge.Orientation() == TopAbs_REVERSED ? " - " : " + ") + words + "\n";
  }

  void check(const TopoDS_Edge& edge, const TopoDS_Face& face, const Handle(Geom2d_Curve) & trace,
             const Drawn& drawn) const {
    double from = 0, to = 0;
    const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, from, to);
    const Handle(Geom_Surface) surface = BRep_Tool::Surface(face);
    double off = 0;
    gp_Pnt at;
    for (const double t : places(GeomAdaptor_Curve(curve, from, to), Geom2dAdaptor_Curve(trace, from, to),
                                 GeomAdaptor_Surface(surface), from, to)) {
      const gp_Pnt2d uv = trace->Value(t);
      const gp_Pnt here = curve->Value(t);
      const double apart = surface->Value(uv.X(), uv.Y()).Distance(here) / kMetre;
      if (apart <= off || !std::isfinite(off)) continue;  // what is no number stays
      off = apart;
      at = gp_Pnt(here.XYZ() / kMetre);
    }
    if (!(off < farthest_))
      throw Refused(drawn.entity, "an edge of this face of '" + name_ + "' lies beside it by " + std::to_string(off) +
                                      " mm, near " + place(at) + "; accepted: edges that lie on their faces");
  }

  const Prepared& part_;
  std::string name_;
  std::set<std::string> names_;  // of faces
  Extracted out_;
  double farthest_;
  bool inside_out_ = false;
  int short_edges_ = 0;
  TopTools_IndexedMapOfShape vertices_, edges_;
};

}  // namespace

Extracted extract(const StepModel& model, const Instance& instance) {
  const Prepared part(model, instance);
  return Writer(part, instance.name).write();
}

}  // namespace ricochet::cad
