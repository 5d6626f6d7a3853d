#pragma once
// Words and numbers of the five documents that checks compare with, letter by letter as the texts of the documents have
// them (quotes/DOCUMENT.def), with their places. Nothing else is called published; a test looks each of them up.
#include <cstdint>
#include <limits>
#include <vector>

namespace ricochet::gallery {

struct Quote {
  const char* document = nullptr;  ///< "acary-2012"; null: none
  int line = 0;                    ///< of the document's text
  const char* place = "";          ///< "Table 3, Algorithm 1", "6.4.1", "Figure 18"
  const char* text = "";           ///< formulas as LaTeX; letters that the text of a document lost are left out
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of the number at its beginning, if it is one

  explicit operator bool() const { return document != nullptr; }
  bool is_number() const { return value == value; }  // not a NaN
};

// One namespace a document.
#define RICOCHET_QUOTE(name, line, place, text) inline constexpr Quote name{kDocument, line, place, text};
#define RICOCHET_NUMBER(name, line, place, text, value) \
  inline constexpr Quote name{kDocument, line, place, text, value};
namespace acary12 {
inline constexpr const char* kDocument = "acary-2012";
#include "ricochet/gallery/quotes/acary_2012.def"
}  // namespace acary12
namespace acary14 {
inline constexpr const char* kDocument = "acary-2014";
#include "ricochet/gallery/quotes/acary_2014.def"
}  // namespace acary14
namespace acary18 {
inline constexpr const char* kDocument = "acary-2018";
#include "ricochet/gallery/quotes/acary_2018.def"
}  // namespace acary18
namespace bruls14 {
inline constexpr const char* kDocument = "bruls-2014";
#include "ricochet/gallery/quotes/bruls_2014.def"
}  // namespace bruls14
namespace cosimo20 {
inline constexpr const char* kDocument = "cosimo-2020";
#include "ricochet/gallery/quotes/cosimo_2020.def"
}  // namespace cosimo20
#undef RICOCHET_QUOTE
#undef RICOCHET_NUMBER

/// All of them, document by document.
const std::vector<Quote>& all_quotes();

}  // namespace ricochet::gallery
