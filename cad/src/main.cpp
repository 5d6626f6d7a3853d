// ricochet-cad FILE.step: the solids of a STEP file as text, for ricochet, which starts it with limits of time and
// memory:
//
//   ricochet-cad 1
//   unit millimetre
//   length 1                       of the units that were found, in millimetres
//   angle 1                        likewise, in rad
//   ricochet-brep 1 ... end        for each solid, in metres
//   note TEXT                      what was put right
//   refused NUMBER TEXT            what is wrong with the thing of that number in the file; 0: with the file
//   done
#include <fcntl.h>
#include <unistd.h>

#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_Printer.hxx>
#include <Standard_Failure.hxx>
#include <cstdio>
#include <exception>
#include <new>

#include "extract.hpp"

namespace {

using namespace ricochet::cad;

/// Whatever the library prints goes nowhere: what is written here alone reaches the old standard output.
std::FILE* silence() {
  Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_Printer));
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  return out;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

void convert(const char* file, std::FILE* out) {
  const StepModel model = read_step_model(file);
  std::fprintf(out, "unit %s\n", model.unit.c_str());
  for (const double size : model.lengths) std::fprintf(out, "length %.17g\n", size);
  for (const double size : model.angles) std::fprintf(out, "angle %.17g\n", size);
  for (const Instance& instance : model.instances) {
    const Extracted part = extract(model, instance);
    std::fputs(part.text.c_str(), out);
    for (const std::string& note : part.notes) std::fprintf(out, "note %s\n", one_line(note).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: ricochet-cad FILE.step\n", stderr);
    return 2;
  }
  std::FILE* out = silence();
  if (out == nullptr) return 3;
  std::fputs("ricochet-cad 1\n", out);
  const auto refuse = [&](int entity, const std::string& what) {
    std::fprintf(out, "refused %d %s\n", entity, one_line(what).c_str());
  };
  try {
    convert(argv[1], out);
  } catch (const Refused& error) {
    refuse(error.entity, error.what());
  } catch (const std::bad_alloc&) {
    refuse(0, "reading it takes too much memory");
  } catch (const Standard_Failure& error) {
    refuse(0, std::string("the library that reads STEP gives up: ") + error.GetMessageString());
  } catch (const std::exception& error) {
    refuse(0, error.what());
  }
  std::fputs("done\n", out);
  std::fflush(out);
  _exit(0);  // what the library does at its end is of no use
}
