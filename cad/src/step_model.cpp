#include "step_model.hpp"

#include <BRep_Tool.hxx>
#include <IFSelect_ReturnStatus.hxx>
#include <Interface_Static.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <STEPControl_Reader.hxx>
#include <StepData_StepModel.hxx>
#include <StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx.hxx>
#include <StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext.hxx>
#include <StepRepr_GlobalUnitAssignedContext.hxx>
#include <StepShape_FaceSurface.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TCollection_AsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>
#include <algorithm>

namespace ricochet::cad {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kMostInstances = 10'000;

std::string name_of(const TDF_Label& label) {
  Handle(TDataStd_Name) name;
  if (!label.FindAttribute(TDataStd_Name::GetID(), name)) return "";
  return plain_name(TCollection_AsciiString(name->Get(), '_').ToCString());
}

/// Faces of the file with their numbers and names, by what became of them.
void read_faces(STEPControl_Reader& reader, StepModel& out) {
  const Handle(StepData_StepModel) model = reader.StepModel();
  const Handle(Transfer_TransientProcess) process = reader.WS()->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const Handle(StepShape_FaceSurface) entity = Handle(StepShape_FaceSurface)::DownCast(model->Value(i));
    if (entity.IsNull()) continue;
    const TopoDS_Shape made = TransferBRep::ShapeResult(process, entity);
    if (made.IsNull()) continue;
    std::string name = entity->Name().IsNull() ? "" : plain_name(entity->Name()->ToCString());
    if (name == "NONE") name.clear();
    for (TopExp_Explorer face(made, TopAbs_FACE); face.More(); face.Next())
      out.faces.emplace(face.Current().TShape().get(),
                        FaceLabel{model->IdentLabel(entity), name, bool(entity->SameSense())});
  }
}

class Collector {
 public:
  explicit Collector(StepModel& out) : out_(out) {}

  void add(const TDF_Label& label, const gp_Trsf& at, int depth) {
    if (depth > kDeepest) throw Refused(0, "its assembly contains itself");
    if (XCAFDoc_ShapeTool::IsAssembly(label)) {
      TDF_LabelSequence components;
      XCAFDoc_ShapeTool::GetComponents(label, components);
      for (const TDF_Label& component : components) {
        TDF_Label part;
        if (!XCAFDoc_ShapeTool::GetReferredShape(component, part)) continue;
        const TopLoc_Location location = XCAFDoc_ShapeTool::GetLocation(component);
        add(part, at * location.Transformation(), depth + 1);
      }
      return;
    }
    solids(XCAFDoc_ShapeTool::GetShape(label), name_of(label), at);
  }

  /// Equal names are counted: bolt, bolt.2, bolt.3.
  void number() {
    std::map<std::string, int> seen;
    for (Instance& instance : out_.instances)
      if (const int n = ++seen[instance.name]; n > 1) instance.name += "." + std::to_string(n);
  }

 private:
  void solids(const TopoDS_Shape& shape, const std::string& name, const gp_Trsf& at) {
    if (shape.IsNull()) return;
    for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next()) {
      if (out_.instances.size() == kMostInstances) throw Refused(0, "it has more than 10000 solids");
      out_.instances.push_back({name.empty() ? "part" : name, solid.Current(), at});
    }
    if (TopExp_Explorer loose(shape, TopAbs_FACE, TopAbs_SOLID); loose.More()) sheet(loose.Current(), name);
  }

  void sheet(const TopoDS_Shape& face, const std::string& name) const {
    throw Refused(out_.label(face).entity, (name.empty() ? "it" : "'" + name + "'") +
                                               " is a sheet: this face bounds no solid; accepted: closed solids");
  }

  StepModel& out_;
};

std::string unit_of(STEPControl_Reader& reader) {
  TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
  reader.FileUnits(lengths, angles, solid_angles);
  std::string out = lengths.IsEmpty() ? "millimetre" : lengths.First().ToCString();
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return plain_name(out);
}

/// What the library takes for the units: where it does not know one it goes on in millimetres, or rad.
void read_units(STEPControl_Reader& reader, StepModel& out) {
  const Handle(StepData_StepModel) model = reader.StepModel();
  using Plain = StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext;
  using Uncertain = StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx;
  for (int i = 1; i <= model->NbEntities(); ++i) {
    Handle(StepRepr_GlobalUnitAssignedContext) units;
    if (const Handle(Plain) context = Handle(Plain)::DownCast(model->Value(i)); !context.IsNull())
      units = context->GlobalUnitAssignedContext();
    if (const Handle(Uncertain) context = Handle(Uncertain)::DownCast(model->Value(i)); !context.IsNull())
      units = context->GlobalUnitAssignedContext();
    if (units.IsNull()) continue;
    STEPConstruct_UnitContext factors;
    factors.ComputeFactors(units);
    if (factors.LengthDone()) out.lengths.insert(factors.LengthFactor());
    if (factors.PlaneAngleDone()) out.angles.insert(factors.PlaneAngleFactor());
  }
}

}  // namespace

const FaceLabel& StepModel::label(const TopoDS_Shape& face) const {
  static const FaceLabel kNone;
  const auto found = faces.find(face.TShape().get());
  return found == faces.end() ? kNone : found->second;
}

std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name) out += c > ' ' && c < '\x7f' && c != '#' ? c : '_';
  const std::size_t first = out.find_first_not_of('_'), last = out.find_last_not_of('_');
  return first == std::string::npos ? "" : out.substr(first, last - first + 1);
}

StepModel read_step_model(const char* file) {
  STEPCAFControl_Reader reader;
  reader.SetNameMode(true);
  reader.SetColorMode(false);
  reader.SetLayerMode(false);
  reader.SetPropsMode(false);
  Interface_Static::SetCVal("xstep.cascade.unit", "MM");
  if (reader.ReadFile(file) != IFSelect_RetDone) throw Refused(0, "it cannot be read as STEP (ISO 10303-21)");
  Handle(TDocStd_Document) document;
  XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
  if (!reader.Transfer(document)) throw Refused(0, "there is no shape in it; accepted: solids with their boundary");
  StepModel out;
  out.unit = unit_of(reader.ChangeReader());
  read_units(reader.ChangeReader(), out);
  read_faces(reader.ChangeReader(), out);
  TDF_LabelSequence free;
  XCAFDoc_DocumentTool::ShapeTool(document->Main())->GetFreeShapes(free);
  Collector collector(out);
  for (const TDF_Label& label : free) collector.add(label, gp_Trsf(), 0);
  collector.number();
  if (out.instances.empty()) throw Refused(0, "there is no solid in it; accepted: solids with their boundary");
  return out;
}

}  // namespace ricochet::cad
