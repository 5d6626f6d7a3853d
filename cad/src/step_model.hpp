#pragma once
// A STEP file as solids in the axes of the whole file, in millimetres, with the names that the file gives.
#include <TopoDS_Shape.hxx>
#include <TopoDS_TShape.hxx>
#include <gp_Trsf.hxx>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ricochet::cad {

/// What is wrong with the file; `entity` is the number behind # of what it is about, 0 if of nothing in particular.
struct Refused : std::runtime_error {
  Refused(int entity_, const std::string& what) : std::runtime_error(what), entity(entity_) {}
  int entity;
};

struct FaceLabel {
  int entity = 0;
  std::string name;        ///< empty: none
  bool same_sense = true;  ///< its normal is that of its surface
};

struct Instance {
  std::string name;
  TopoDS_Shape solid;  ///< where it was drawn
  gp_Trsf at;          ///< where the assembly has it
};

struct StepModel {
  std::string unit;
  std::set<double> lengths, angles;  ///< of the units that the library found, in millimetres and rad
  std::vector<Instance> instances;
  std::map<const TopoDS_TShape*, FaceLabel> faces;
  const FaceLabel& label(const TopoDS_Shape& face) const;
};

/// Refused if there is no solid in it.
StepModel read_step_model(const char* file);

/// Names without blanks and what cannot be printed.
std::string plain_name(const std::string& name);

}  // namespace ricochet::cad
