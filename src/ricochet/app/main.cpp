// ricochet COMMAND ...: each command has its own file.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/file/output.hpp"

namespace ricochet::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "simulate a scenario and write its results", declare_run},
      {"list", "schemes, solvers, laws, scenarios, functions and commands there are", declare_list},
      {"solve", "solve complementarity and friction problems from files", declare_solve},
      {"verify", "recompute the certificate of a result from its file alone", declare_verify},
      {"compare", "several schemes or settings on one scenario, on one page", declare_compare},
      {"study", "orders and precision-work diagrams over step sizes and schemes", declare_study},
      {"view", "the motion in the browser, or as one page to keep", declare_view},
      {"report", "a result as one HTML page", declare_report},
      {"plot", "one figure of a result as SVG, PNG or PDF", declare_plot},
      {"export", "a result as comma-separated values, or for ParaView", declare_export},
      {"modes", "eigenfrequencies of the linearised system, and the shapes", declare_modes},
      {"statics", "whether what a scenario begins with can stay where it is, and with how much friction",
       declare_statics},
      {"cad", "the faces of a STEP part, with kind, size and place, and a drawing", declare_cad},
      {"reproduce", "the tables and figures of the papers, computed anew and judged", declare_reproduce},
  };
  return all;
}

namespace {

int refuse(const std::string& what) {
  fmt::print(stderr, "ricochet: {}\n", one_line(what));
  return kBadInput;
}

}  // namespace
}  // namespace ricochet::app

int main(int argc, char** argv) {
  using namespace ricochet::app;
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is a disk that is full
  int status = kBadInput;
  try {
    status = run_program(argc, argv);
  } catch (const ricochet::OutputError& error) {
    refuse(error.what());
    status = kFailed;
  } catch (const std::bad_alloc&) {
    refuse("there is not enough memory for this");
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  // What was printed may have nowhere to go: a full disk, say.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && status == kDone) {
    refuse("the output could not be written");
    return kFailed;
  }
  return status;
}
