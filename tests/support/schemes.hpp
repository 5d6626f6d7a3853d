#pragma once
// All schemes of the table as parameters of a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ricochet/scheme/scheme.hpp"

namespace ricochet::test {

inline std::vector<std::string> scheme_names() {
  std::vector<std::string> out;
  for (const SchemeEntry& e : schemes()) out.push_back(e.info.name);
  return out;
}

inline std::string scheme_test_name(const ::testing::TestParamInfo<std::string>& parameter) {
  std::string out = parameter.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace ricochet::test
