#pragma once
// Performance profiles (Dolan and Moré, Math. Program. 91 (2002)): for each method the share of the problems that it
// solves within a factor tau of the fastest method of each problem.
#include <string>
#include <vector>

namespace ricochet {

struct ProfileMethod {
  std::string name;
  std::vector<double> seconds;  ///< by problem; infinite or NaN where it is not solved
};

std::string profile_plot(const std::string& title, const std::vector<ProfileMethod>& methods);

}  // namespace ricochet
