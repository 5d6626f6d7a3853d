#include "soak/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ricochet::soak {
namespace {

constexpr const char* kBegin = "<!-- figures: written by ./dev soak -->\n";
constexpr const char* kEnd = "<!-- end of figures -->\n";

Record read_record(std::istringstream& in) {
  Record record;
  char verdict = 0;
  Outcome& out = record.outcome;
  std::string ratio, gained;  // may be inf, which streams do not read
  in >> record.scheme >> verdict >> out.planted >> out.steps >> out.microseconds >> gained >> ratio >> out.at;
  out.verdict = static_cast<Verdict>(verdict);
  out.ratio = std::strtod(ratio.c_str(), nullptr);
  out.gained = std::strtod(gained.c_str(), nullptr);
  std::getline(in >> std::ws, out.what);
  return record;
}

}  // namespace

std::string line(const std::string& scheme, const Outcome& out) {
  std::string what = out.what;
  std::replace(what.begin(), what.end(), '\n', ' ');
  return fmt::format("run {} {} {} {} {:.0f} {:.3g} {:.3g} {:.6g} {}\n", scheme, static_cast<char>(out.verdict),
                     static_cast<int>(out.planted), out.steps, out.microseconds, out.gained, out.ratio, out.at, what);
}

std::vector<Record> read_records(const std::string& text) {
  std::vector<Record> out;
  std::istringstream in(text.substr(0, text.rfind('\n') + 1));
  for (std::string one; std::getline(in, one);) {
    std::istringstream words(one);
    std::string kind;
    words >> kind;
    if (kind == "run") out.push_back(read_record(words));
  }
  return out;
}

std::set<std::int64_t> Tally::read(std::istream& in) {
  std::set<std::int64_t> done;
  for (std::string one; std::getline(in, one);) {
    std::istringstream words(one);
    std::string kind;
    words >> kind;
    if (kind == "system") {
      std::int64_t index = 0;
      int how = 0;
      std::string name;
      words >> index >> name >> how;
      ++systems_;
      planted_ += how != 0;
      ++kinds_[name];
      done.insert(index);
    } else if (kind == "run") {
      add(read_record(words));
    }
  }
  return done;
}

void Tally::add(const Record& record) {
  if (schemes_.find(record.scheme) == schemes_.end()) order_.push_back(record.scheme);
  Scheme& s = schemes_[record.scheme];
  const Outcome& out = record.outcome;
  ++s.verdicts[out.verdict];
  if (out.verdict == Verdict::not_offered) return;
  ++s.runs[out.planted];
  s.steps += out.steps;
  s.microseconds += out.microseconds;
  if (out.verdict == Verdict::ok) s.worst = std::max(s.worst, out.ratio);
  if (out.verdict != Verdict::failed) return;
  ++s.failed[out.planted];
  ++s.causes[out.what];
}

std::int64_t Tally::defects() const {
  std::int64_t sum = 0;
  for (const auto& [name, s] : schemes_)
    for (const auto& [verdict, count] : s.verdicts)
      if (is_defect(verdict)) sum += count;
  return sum;
}

std::string Tally::markdown(std::uint64_t seed, const std::string& commit) const {
  std::string out = fmt::format("{} systems of seed {}, {} of them planted{}. Kinds:", systems_, seed, planted_,
                                commit.empty() ? "" : fmt::format(", at commit {}", commit));
  for (const auto& [name, count] : kinds_) out += fmt::format(" {} {},", name, count);
  out.back() = '.';
  out +=
      "\n\n| scheme | runs | failed, planted | failed, open | silent errors | hung | crashed | worst error accepted | "
      "µs a step | causes of failure |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole == 0
               ? std::string("-")
               : fmt::format("{} ({:.1f} %)", part, 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  };
  for (const std::string& name : order_) {
    const Scheme& s = schemes_.at(name);
    const auto count = [&](Verdict v) {
      const auto found = s.verdicts.find(v);
      return found == s.verdicts.end() ? std::int64_t{0} : found->second;
    };
    std::string causes;
    for (const auto& [cause, n] : s.causes) causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", cause, n);
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {:.2g} | {:.0f} | {} |\n", name, s.runs[0] + s.runs[1],
                       share(s.failed[1], s.runs[1]), share(s.failed[0], s.runs[0]),
                       count(Verdict::silent) + count(Verdict::mute), count(Verdict::hung),
                       count(Verdict::crashed) + count(Verdict::refused), s.worst,
                       s.steps > 0 ? s.microseconds / static_cast<double>(s.steps) : 0, causes);
  }
  return out;
}

void replace_figures(const std::string& page, const std::string& text) {
  std::ifstream in(page);
  std::ostringstream all;
  all << in.rdbuf();
  std::string content = all.str();
  const std::size_t begin = content.find(kBegin), end = content.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error(page + " has no place for figures");
  content.replace(begin, end - begin, kBegin + text);
  in.close();
  std::ofstream(page) << content;
}

}  // namespace ricochet::soak
