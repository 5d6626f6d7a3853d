#pragma once
// What is kept of a soak: a line for every run, read again by a later call and summed up into a table.
#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "soak/judge.hpp"

namespace ricochet::soak {

struct Record {
  std::string scheme;
  Outcome outcome;
};

/// One line with its end.
std::string line(const std::string& scheme, const Outcome& outcome);
std::vector<Record> read_records(const std::string& text);

class Tally {
 public:
  /// Adds the lines; returns the places of the systems that are complete.
  std::set<std::int64_t> read(std::istream& in);
  std::string markdown(std::uint64_t seed, const std::string& commit) const;
  std::int64_t defects() const;

 private:
  struct Scheme {
    std::int64_t runs[2] = {}, failed[2] = {};  ///< open, planted
    std::map<Verdict, std::int64_t> verdicts;
    std::map<std::string, std::int64_t> causes;
    double microseconds = 0, worst = 0;
    std::int64_t steps = 0;
  };
  void add(const Record& record);

  std::vector<std::string> order_;
  std::map<std::string, Scheme> schemes_;
  std::map<std::string, std::int64_t> kinds_;
  std::int64_t systems_ = 0, planted_ = 0;
};

/// Puts the text between the marks of a page that begin and end its figures.
void replace_figures(const std::string& page, const std::string& text);

}  // namespace ricochet::soak
