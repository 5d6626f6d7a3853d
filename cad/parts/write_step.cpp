#include <APIHeaderSection_MakeHeader.hxx>
#include <BRepBuilderAPI_MakeVertex.hxx>
#include <BRepExtrema_DistShapeShape.hxx>
#include <IFSelect_ReturnStatus.hxx>
#include <Interface_Static.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <stdexcept>

#include "solid.hpp"

namespace ricochet::cad {
namespace {

TopoDS_Shape face_at(const Part& part, const Part::Named& named) {
  const TopoDS_Shape point = BRepBuilderAPI_MakeVertex(named.at).Shape();
  TopoDS_Shape found;
  for (TopExp_Explorer face(part.shape, TopAbs_FACE); face.More(); face.Next()) {
    if (BRepExtrema_DistShapeShape(point, face.Current()).Value() > 1e-7) continue;
    if (!found.IsNull()) throw std::runtime_error(part.name + "/" + named.name + ": two faces lie there");
    found = face.Current();
  }
  if (found.IsNull()) throw std::runtime_error(part.name + "/" + named.name + ": no face lies there");
  return found;
}

void set_name(const TDF_Label& label, const std::string& name) {
  TDataStd_Name::Set(label, TCollection_ExtendedString(name.c_str(), true));
}

Handle(TDocStd_Document) document_of(const std::string& name, const std::vector<Placed>& parts) {
  Handle(TDocStd_Document) document;
  XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
  const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
  TDF_Label whole;
  if (parts.size() > 1) set_name(whole = shapes->NewShape(), name);
  for (const Placed& placed : parts) {
    const TDF_Label label = shapes->AddShape(placed.part.shape, false);
    set_name(label, placed.part.name);
    for (const Part::Named& named : placed.part.faces)
      set_name(shapes->AddSubShape(label, face_at(placed.part, named)), named.name);
    if (!whole.IsNull()) set_name(shapes->AddComponent(whole, label, TopLoc_Location(placed.at)), placed.part.name);
  }
  shapes->UpdateAssemblies();
  return document;
}

void set_header(const Handle(StepData_StepModel) & model, const std::string& name) {
  const auto text = [](const std::string& s) { return new TCollection_HAsciiString(s.c_str()); };
  APIHeaderSection_MakeHeader header(model);
  header.SetName(text(name));
  header.SetTimeStamp(text("2026-01-01T00:00:00"));  // the same parts give the same file
  header.SetAuthorValue(1, text("Ricochet"));
  header.SetOrganizationValue(1, text("Ricochet"));
  header.SetOriginatingSystem(text("ricochet-cad-parts"));
}

}  // namespace

void write_step(const std::string& name, const std::vector<Placed>& parts, const std::filesystem::path& file,
                const char* unit) {
  const Handle(TDocStd_Document) document = document_of(name, parts);
  STEPCAFControl_Writer writer;
  writer.SetNameMode(true);
  writer.SetColorMode(false);
  Interface_Static::SetCVal("write.step.unit", unit);
  Interface_Static::SetIVal("write.stepcaf.subshapes.name", 1);
  if (!writer.Transfer(document, STEPControl_AsIs)) throw std::runtime_error(name + ": cannot be written as STEP");
  set_header(writer.ChangeWriter().Model(), name);
  if (writer.Write(file.c_str()) != IFSelect_RetDone) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace ricochet::cad
