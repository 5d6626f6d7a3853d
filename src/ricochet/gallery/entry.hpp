#pragma once
// The reproduction gallery: figures and tables of the five documents, computed anew. An entry runs its scenarios and
// puts what the document says to the test as numbers.
//
// A check is a number in an interval. A rival (another shipped scheme, or a stated wrong parameter) is measured in the
// same way and must fall outside: a check that everything passes says nothing.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/gallery/quotes.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet::gallery {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool holds(double x) const { return x >= low && x <= high; }  // false for a NaN
};
inline Range at_most(double x) { return {.high = x}; }
inline Range at_least(double x) { return {.low = x}; }
inline Range around(double x, double tolerance) { return {x - tolerance, x + tolerance}; }

struct Check {
  std::string what{};     ///< "largest penetration, combined"
  Quote published{};      ///< what the document prints of it; none: nothing
  std::string derived{};  ///< what we derive, or know exactly, where that is not printed
  double computed = std::numeric_limits<double>::quiet_NaN();
  Range accepted{};
  std::string reason{};  ///< why this interval
  std::string rival{};   ///< what must fail: a scheme, "moreau-jean", or what is wrong, "e = 0.95", "h/2, as printed"
  double rival_computed = std::numeric_limits<double>::quiet_NaN();  ///< measured as `computed`
  bool shape = false;     ///< tells one behaviour from another; where the interval ends is not derived
  std::string differs{};  ///< the document does not come out: what was found about why. Such a check must fail

  bool holds() const {
    return accepted.holds(computed) && !std::isnan(rival_computed) && !accepted.holds(rival_computed);
  }
};

struct Figure {
  svg::Plot plot;
  std::string caption;
};

struct Outcome {
  std::vector<Check> checks;
  std::vector<Figure> figures;
  std::vector<std::string> choices;        ///< what the document leaves open, and what was taken
  std::vector<std::string> disagreements;  ///< who is right, and how one can see it
};

struct Entry {
  std::string id;     ///< "bruls-2014/fig-9"
  std::string title;  ///< what it shows, in our words
  void (*compute)(Outcome& out);
  bool fast = true;  ///< a few seconds at most: part of the tests
};

struct Document {
  std::string id;     ///< "bruls-2014"
  std::string title;  ///< author, year, subject
  std::vector<Entry> entries;
};

/// All documents of documents.def.
const std::vector<Document>& documents();

}  // namespace ricochet::gallery
