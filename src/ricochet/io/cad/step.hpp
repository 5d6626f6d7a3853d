#pragma once
// STEP files as parts. The reader is a program of its own, ricochet-cad, on top of OpenCASCADE: it is started where a
// file is to be read, with limits of time and memory, and what it prints is the text form of each solid.
#include <string>
#include <vector>

namespace ricochet {

struct StepPart {
  std::string name;
  std::string text;  ///< io/cad/brep_text.hpp
};

struct StepFile {
  std::string unit;                ///< of the file; parts are in metres whatever it is
  std::vector<StepPart> parts;     ///< in the axes of the whole file
  std::vector<std::string> notes;  ///< what was put right, a sentence each
};

/// InputError with "path:line" where the file is to blame; it says so too if the reader is not there. Where PATH.brep
/// lies beside PATH.step and was made of just that file, it is taken and no reader is needed, unless `fresh`.
StepFile read_step(const std::string& path, bool fresh = false);

/// One part as text, by its name; the only one without.
std::string read_step_part(const std::string& path, const std::string& part);

/// What may lie beside a file of one part: its text with a mark of the file's content.
std::string kept_text(const std::string& path, const StepFile& file);

}  // namespace ricochet
