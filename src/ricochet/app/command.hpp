#pragma once
// One command of the program: it declares its arguments and returns what to do when they are given. Exit statuses: 0
// done, 2 bad input, 3 numerical failure or output that could not be written, 130 and 143 interrupted.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ricochet::app {

constexpr int kDone = 0, kBadInput = 2, kFailed = 3;

struct Command {
  const char* name;
  const char* summary;
  std::function<int()> (*declare)(CLI::App& command);
};
/// All of them, in the order of the help.
const std::vector<Command>& commands();

std::function<int()> declare_run(CLI::App& command);
std::function<int()> declare_list(CLI::App& command);
std::function<int()> declare_solve(CLI::App& command);
std::function<int()> declare_verify(CLI::App& command);
std::function<int()> declare_compare(CLI::App& command);
std::function<int()> declare_study(CLI::App& command);
std::function<int()> declare_report(CLI::App& command);
std::function<int()> declare_plot(CLI::App& command);
std::function<int()> declare_export(CLI::App& command);
std::function<int()> declare_reproduce(CLI::App& command);

// Checks of options; one line says what is accepted.
CLI::Validator whole_number(std::int64_t least, std::int64_t most = 1'000'000'000);
CLI::Validator number_between(double least, double most);
CLI::Validator above_zero();

/// The page of `ricochet report`.
void write_report(const std::string& result, const std::string& page);

}  // namespace ricochet::app
