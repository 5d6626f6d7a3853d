#pragma once
// One command of the program: it declares its arguments and returns what to do when they are given. Exit statuses: 0
// done, 2 bad input, 3 numerical failure or output that could not be written, 4 steps above the tolerance, 5 a result
// that cannot be judged, 130 and 143 interrupted.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/app/arguments.hpp"

namespace ricochet::app {

constexpr int kDone = 0, kBadInput = 2, kFailed = 3, kUncertified = 4, kNotRepeated = 5;

struct Command {
  const char* name;
  const char* summary;
  std::function<int()> (*declare)(Arguments& arguments);
};
/// All of them, in the order of the help.
const std::vector<Command>& commands();

std::function<int()> declare_run(Arguments& arguments);
std::function<int()> declare_list(Arguments& arguments);
std::function<int()> declare_solve(Arguments& arguments);
std::function<int()> declare_verify(Arguments& arguments);
std::function<int()> declare_compare(Arguments& arguments);
std::function<int()> declare_study(Arguments& arguments);
std::function<int()> declare_report(Arguments& arguments);
std::function<int()> declare_plot(Arguments& arguments);
std::function<int()> declare_export(Arguments& arguments);
std::function<int()> declare_modes(Arguments& arguments);
std::function<int()> declare_statics(Arguments& arguments);
std::function<int()> declare_reproduce(Arguments& arguments);
std::function<int()> declare_cad(Arguments& arguments);
std::function<int()> declare_view(Arguments& arguments);

/// Reads the command line and does what it asks for; throws InputError for one that nobody understands.
int run_program(int argc, char** argv);

/// The page of `ricochet report`.
void write_report(const std::string& result, const std::string& page);

}  // namespace ricochet::app
