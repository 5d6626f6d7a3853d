#pragma once
// Random numbers that are the same everywhere: SplitMix64, and draws made of integers, sums, products and quotients
// alone. The distributions of the standard library are not specified to the bit, nor is the mathematical library, nor
// the order in which the operands of an expression draw: one draw an expression.
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ricochet::soak {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// The stream of one system out of those of a seed.
  Random(std::uint64_t seed, std::uint64_t index) : state_(seed * 0x9e3779b97f4a7c15ULL) {
    state_ = next() ^ (index * 0xd1342543de82ef95ULL);
    next();
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 ... n - 1
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  /// Three digits: what a person would write into a scenario.
  double number(double low, double high) { return low + (high - low) * (below(1001) / 1000.0); }
  /// Of either sign, not close to zero.
  double coefficient() {
    const int sign = chance(50) ? 1 : -1;
    return sign * between(200, 1000) / 1000.0;
  }
  /// One of the scales times a number.
  double scaled(std::initializer_list<double> scales, double low, double high) {
    const double scale = pick(scales);
    return scale * number(low, high);
  }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<int>(choices.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace ricochet::soak
