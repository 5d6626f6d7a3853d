#pragma once
// Two result files, one recorded and one made again, object by object: groups, datasets and attributes with their
// names, types, shapes and values. What is in one of them alone is a disagreement.
#include <set>
#include <string>

#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/verify/findings.hpp"

namespace ricochet {

struct ContentRule {
  bool values = true;             ///< false: of datasets of numbers their form alone
  std::set<std::string> unknown;  ///< what nobody can know, "/summary/solves", or need not be there; and all below
};

void compare_contents(const h5::Group& recorded, const h5::Group& made, const ContentRule& rule, Findings& findings);

}  // namespace ricochet
