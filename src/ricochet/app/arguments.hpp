#pragma once
// What a command takes: options with a value, flags, and words in order. The parser behind it (CLI11) is dear to
// compile and stands in arguments.cpp alone.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ricochet::app {

/// Which values an option accepts; one line says it.
struct Accepted {
  std::string text;
  std::function<bool(const std::string&)> good;
};
Accepted whole_number(std::int64_t least, std::int64_t most = 1'000'000'000);
Accepted number_between(double least, double most);
Accepted above_zero();

/// One option that was declared; what is said of it here narrows what it takes.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& check(const Accepted& accepted);
  /// Of a list: one value each time that the option is given.
  Option& one_at_a_time();
  /// Of a list: values separated by commas.
  Option& separated_by_commas();

 private:
  CLI::Option* option_;
};

/// The arguments of one command. `names` are those of the option, separated by commas ("-o,--output"), or one without
/// dashes for a word in order. `value` must live as long as the command.
class Arguments {
 public:
  explicit Arguments(CLI::App& command) : command_(command) {}
  Option option(const std::string& names, std::string& value, const std::string& help);
  Option option(const std::string& names, std::vector<std::string>& value, const std::string& help);
  Option option(const std::string& names, int& value, const std::string& help);
  Option option(const std::string& names, std::int64_t& value, const std::string& help);
  Option option(const std::string& names, double& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);

 private:
  CLI::App& command_;
};

}  // namespace ricochet::app
