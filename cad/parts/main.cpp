// ricochet-cad-parts FOLDER: writes the STEP files of the shipped parts there.
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Standard_Failure.hxx>
#include <cstdio>
#include <exception>

#include "parts.hpp"

namespace {

using namespace ricochet::cad;

void write(const std::filesystem::path& folder, const std::string& machine, const std::vector<Part>& parts) {
  for (const Part& part : parts) write_step(part.name, {{part}}, folder / (machine + "-" + part.name + ".step"));
}

int make(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_Printer));
  write(folder, "bearing", pin_and_bush());
  write(folder, "slider-crank", slider_crank());
  write_step("slider-crank", slider_crank_assembly(), folder / "slider-crank.step");
  write(folder, "ring", ring_and_pendulum());
  write(folder, "cam", cam_and_roller());
  write(folder, "breaker", breaker());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: ricochet-cad-parts FOLDER\n", stderr);
    return 2;
  }
  try {
    return make(argv[1]);
  } catch (const Standard_Failure& error) {
    std::fprintf(stderr, "ricochet-cad-parts: %s\n", error.GetMessageString());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ricochet-cad-parts: %s\n", error.what());
  }
  return 3;
}
