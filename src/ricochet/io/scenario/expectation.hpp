#pragma once
// What a scenario says that happens: a sentence, and a check on the columns of its results, named as `export --csv`
// names them. A formula of columns is evaluated in every row; of these values one number is taken, which must lie
// between two bounds.
#include <limits>
#include <string>
#include <vector>

#include "ricochet/model/compiled_function.hpp"

namespace ricochet {

struct Expectation {
  enum class Take {
    end,    ///< the value at the end
    least,  ///< the smallest one
    most,   ///< the largest one
    count   ///< how often it becomes positive
  };
  /// An input of the formula: a column, empty for the one that `x` stands for; as it is, or as it was at the start.
  struct Input {
    std::string column;
    bool start = false;
  };

  std::string says;
  Take take = Take::end;
  CompiledFunction formula;
  std::vector<Input> inputs;
  std::vector<std::string> each;  ///< what x stands for, one after the other; empty: the formula has no x
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();  ///< rows [s]

  bool holds(double value) const { return value >= low && value <= high; }  ///< false for a NaN
};

}  // namespace ricochet
