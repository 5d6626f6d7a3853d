// ricochet COMMAND ...: each command has its own file.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/output.hpp"
#include "ricochet/io/results.hpp"

namespace ricochet::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "simulate a scenario and write its results", declare_run},
      {"list", "schemes, solvers, laws, scenarios, functions and commands there are", declare_list},
      {"solve", "solve complementarity and friction problems from files", declare_solve},
      {"verify", "recompute the certificate of a result from its file alone", declare_verify},
      {"compare", "several schemes or settings on one scenario, on one page", declare_compare},
      {"study", "orders and precision-work diagrams over step sizes and schemes", declare_study},
      {"report", "a result as one HTML page", declare_report},
      {"plot", "one figure of a result as SVG or PNG", declare_plot},
      {"export", "a result as comma-separated values", declare_export},
      {"reproduce", "the tables and figures of the papers, computed anew and judged", declare_reproduce},
  };
  return all;
}

namespace {

// A check of the number that is written; what is none, or not finite, fails it as well.
CLI::Validator number_check(const std::string& accepted, const std::function<bool(const std::string&)>& good) {
  return CLI::Validator(
      [=](std::string& text) {
        return good(text) ? std::string() : fmt::format("'{}' is out of range; accepted: {}", text, accepted);
      },
      "");
}

bool parse(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return number_check(fmt::format("a whole number from {} to {}", least, most), [=](const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
  });
}

CLI::Validator number_between(double least, double most) {
  return number_check(fmt::format("a number from {:g} to {:g}", least, most), [=](const std::string& text) {
    double value = 0;
    return parse(text, value) && value >= least && value <= most;
  });
}

CLI::Validator above_zero() {
  return number_check("a number above 0", [](const std::string& text) {
    double value = 0;
    return parse(text, value) && value > 0;
  });
}

namespace {

int refuse(const std::string& what) {
  fmt::print(stderr, "ricochet: {}\n", one_line(what));
  return kBadInput;
}

// A word in the place of the command that is none.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> names;
  for (const Command& c : commands()) {
    if (c.name == std::string(argv[1])) return {};
    names.emplace_back(c.name);
  }
  return unknown_word("command", argv[1], names);
}

// An option that is given says something.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw InputError(option->get_name(), "its value is empty; accepted: as --help says, or none");
}

int run_program(int argc, char** argv) {
  CLI::App program("Ricochet simulates mechanical systems with contact, impact and friction.", "ricochet");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("ricochet ") + version());
  program.footer("'ricochet COMMAND --help' tells more of each.");
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const Command& c : commands()) {
    CLI::App* sub = program.add_subcommand(c.name, c.summary);
    sub->get_formatter()->column_width(34);
    actions.emplace_back(sub, c.declare(*sub));
  }
  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return kBadInput;
  }
  if (const std::string wrong = unknown_command(argc, argv); !wrong.empty()) return refuse(wrong);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    return refuse(std::string(error.what()) + "; see 'ricochet " +
                  (argc > 1 && argv[1][0] != '-' ? argv[1] + std::string(" ") : "") + "--help'");
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) {
      refuse_empty_values(*sub);
      return action();
    }
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
