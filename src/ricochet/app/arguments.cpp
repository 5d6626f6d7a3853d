#include "ricochet/app/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "ricochet/app/command.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/result/results.hpp"

namespace ricochet::app {
namespace {

bool parse(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

}  // namespace

Accepted whole_number(std::int64_t least, std::int64_t most) {
  return {fmt::format("a whole number from {} to {}", least, most), [=](const std::string& text) {
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
          }};
}

Accepted number_between(double least, double most) {
  return {fmt::format("a number from {:g} to {:g}", least, most), [=](const std::string& text) {
            double value = 0;
            return parse(text, value) && value >= least && value <= most;
          }};
}

Accepted above_zero() {
  return {"a number above 0", [](const std::string& text) {
            double value = 0;
            return parse(text, value) && value > 0;
          }};
}

Option& Option::required() {
  option_->required();
  return *this;
}

// Of the text that is written: what is no number, or not finite, fails the check as well.
Option& Option::check(const Accepted& accepted) {
  option_->check(CLI::Validator(
      [accepted](std::string& text) {
        return accepted.good(text) ? std::string()
                                   : fmt::format("'{}' is out of range; accepted: {}", text, accepted.text);
      },
      ""));
  return *this;
}

Option& Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::separated_by_commas() {
  option_->delimiter(',');
  return *this;
}

Option Arguments::option(const std::string& names, std::string& value, const std::string& help) {
  return Option(command_.add_option(names, value, help));
}
Option Arguments::option(const std::string& names, std::vector<std::string>& value, const std::string& help) {
  return Option(command_.add_option(names, value, help));
}
Option Arguments::option(const std::string& names, int& value, const std::string& help) {
  return Option(command_.add_option(names, value, help));
}
Option Arguments::option(const std::string& names, std::int64_t& value, const std::string& help) {
  return Option(command_.add_option(names, value, help));
}
Option Arguments::option(const std::string& names, double& value, const std::string& help) {
  return Option(command_.add_option(names, value, help));
}
void Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  command_.add_flag(names, value, help);
}

namespace {

// A word in the place of the command that is none.
void refuse_unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const Command& c : commands()) {
    if (c.name == std::string(argv[1])) return;
    names.emplace_back(c.name);
  }
  throw InputError("", unknown_word("command", argv[1], names));
}

// An option that is given says something.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw InputError(option->get_name(), "its value is empty; accepted: as --help says, or none");
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App program("Ricochet simulates mechanical systems with contact, impact and friction.", "ricochet");
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("ricochet ") + version());
  program.footer("'ricochet COMMAND --help' says more about each.");
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const Command& c : commands()) {
    CLI::App* sub = program.add_subcommand(c.name, c.summary);
    sub->get_formatter()->column_width(34);
    Arguments arguments(*sub);
    actions.emplace_back(sub, c.declare(arguments));
  }
  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return kBadInput;
  }
  refuse_unknown_command(argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw InputError("", std::string(error.what()) + "; see 'ricochet " +
                             (argc > 1 && argv[1][0] != '-' ? argv[1] + std::string(" ") : "") + "--help'");
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) {
      refuse_empty_values(*sub);
      return action();
    }
  return kBadInput;
}

}  // namespace ricochet::app
