// ricochet-cad-parts FOLDER: writes the STEP files of the shipped parts there; with PLAY those of the circuit breaker
// alone, with so many mm of radial play in their pins.
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Standard_Failure.hxx>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "parts.hpp"

namespace {

using namespace ricochet::cad;

void write(const std::filesystem::path& folder, const std::string& machine, const std::vector<Part>& parts) {
  for (const Part& part : parts) write_step(part.name, {{part}}, folder / (machine + "-" + part.name + ".step"));
}

void make(const std::filesystem::path& folder) {
  write(folder, "bearing", pin_and_bush());
  write(folder, "slider-crank", slider_crank());
  write_step("slider-crank", slider_crank_assembly(), folder / "slider-crank.step");
  write(folder, "ring", ring_and_pendulum());
  write(folder, "cam", cam_and_roller());
  write(folder, "breaker", breaker());
}

}  // namespace

int main(int argc, char** argv) {
  const double play = argc == 3 ? std::atof(argv[2]) : 0;
  if (argc < 2 || argc > 3 || (argc == 3 && !(play > 0 && play < 0.2))) {
    std::fputs("usage: ricochet-cad-parts FOLDER [PLAY]\n", stderr);
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_Printer));
    if (argc == 3)
      write(argv[1], "breaker", breaker(play));
    else
      make(argv[1]);
    return 0;
  } catch (const Standard_Failure& error) {
    std::fprintf(stderr, "ricochet-cad-parts: %s\n", error.GetMessageString());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ricochet-cad-parts: %s\n", error.what());
  }
  return 3;
}
