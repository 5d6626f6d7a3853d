#include "ricochet/gallery/quotes.hpp"

namespace ricochet::gallery {

const std::vector<Quote>& all_quotes() {
#define RICOCHET_QUOTE(name, ...) name,
#define RICOCHET_NUMBER(name, ...) name,
  static const std::vector<Quote> all = [] {
    std::vector<Quote> out;
    const auto add = [&](std::initializer_list<Quote> some) { out.insert(out.end(), some); };
    {
      using namespace acary12;
      add({
#include "ricochet/gallery/quotes/acary_2012.def"
      });
    }
    {
      using namespace acary14;
      add({
#include "ricochet/gallery/quotes/acary_2014.def"
      });
    }
    {
      using namespace acary18;
      add({
#include "ricochet/gallery/quotes/acary_2018.def"
      });
    }
    {
      using namespace bruls14;
      add({
#include "ricochet/gallery/quotes/bruls_2014.def"
      });
    }
    {
      using namespace cosimo20;
      add({
#include "ricochet/gallery/quotes/cosimo_2020.def"
      });
    }
    return out;
  }();
#undef RICOCHET_QUOTE
#undef RICOCHET_NUMBER
  return all;
}

}  // namespace ricochet::gallery
