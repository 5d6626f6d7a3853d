#pragma once
// Curves of many rows, thinned to lowest and highest of short intervals, and the times of the frames: the overview of
// docs/viewer.md.
#include <cstdint>
#include <string>
#include <vector>

namespace ricochet::view {

class Envelope {
 public:
  Envelope(std::size_t rows, std::size_t curves);
  void add(double t, const std::vector<double>& values);
  std::string take(const std::vector<double>& frame_times);

 private:
  struct Extreme {
    double value = 0;
    std::size_t at = 0;
  };
  void flush();

  std::size_t interval_, count_ = 0;
  double start_ = 0, end_ = 0;
  std::vector<double> t_;
  std::vector<std::vector<double>> values_;  ///< curve by curve
  std::vector<Extreme> low_, high_;          ///< of the interval so far
};

}  // namespace ricochet::view
