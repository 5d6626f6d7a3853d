#pragma once
// One command of the program: it declares its arguments and returns what to do when they are given. Exit statuses: 0
// done, 2 bad input, 3 numerical failure or a run that could not be written, 130 and 143 interrupted.
#include <CLI/CLI.hpp>
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

/// The page of `ricochet report`.
void write_report(const std::string& result, const std::string& page);

}  // namespace ricochet::app
