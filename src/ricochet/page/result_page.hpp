#pragma once
// A result as a page to look at: motion, gaps, energy with what took it away, certificate.
#include "ricochet/io/result/results.hpp"
#include "ricochet/page/page.hpp"

namespace ricochet {

Page result_page(const Results& results);

}  // namespace ricochet
