#pragma once
// What the commands share on the terminal: numbers, tables, a progress bar.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ricochet::app {

/// Line breaks become spaces.
std::string one_line(std::string text);

/// Columns aligned to the left, two spaces between; the last one wraps at the width of the terminal.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "  ");

/// Columns of the terminal on stdout, 100 where there is none.
int terminal_width();

/// A line on stderr that overwrites itself, on a terminal only.
class Progress {
 public:
  Progress(bool wanted, double begin, double end);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(double t, std::int64_t steps);          ///< cheap; draws ten times a second
  void draw(double done, const std::string& text);  ///< at once; done from 0 to 1
  void clear();

 private:
  bool wanted_, shown_ = false;
  double begin_, end_;
  std::chrono::steady_clock::time_point started_, drawn_;
  int stride_ = 1, left_ = 1;
};

}  // namespace ricochet::app
