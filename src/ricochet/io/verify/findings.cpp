#include "ricochet/io/verify/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

std::string key(CheckKind kind, std::string_view column) { return std::string(name(kind)) + "/" + std::string(column); }

/// Of both texts what surrounds the first difference.
std::string difference(const std::string& a, const std::string& b) {
  constexpr std::size_t kBefore = 20, kShown = 60;
  const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t from = std::max(a.size(), b.size()) <= kShown || at < kBefore ? 0 : at - kBefore;
  const auto shown = [&](const std::string& text) {
    std::string out = text.size() <= from ? "" : text.substr(from, kShown);
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  };
  return fmt::format("is '{}', not '{}'", shown(a), shown(b));
}

}  // namespace

const char* name(CheckKind kind) {
  switch (kind) {
    case CheckKind::contents: return "contents";
    case CheckKind::rows: return "rows";
    case CheckKind::kinematics: return "kinematics";
    case CheckKind::momentum: return "momentum";
    case CheckKind::laws: return "laws";
    case CheckKind::ledger: return "ledger";
    case CheckKind::sizes: return "sizes";
    case CheckKind::summary: return "summary";
    case CheckKind::replay: return "replay";
  }
  return "";
}

void Findings::compare(CheckKind kind, std::string_view column, std::int64_t row, double recorded, double recomputed,
                       double accepted) {
  Check& c = checks_[static_cast<std::size_t>(kind)];
  ++c.compared;
  const double error = std::abs(recorded - recomputed);
  if (error == 0) return;
  const double ratio = error / accepted;
  if (ratio <= c.worst && ratio <= 1) return;
  if (!(ratio <= c.worst)) {
    c.worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    c.row = row;
    c.column = column;
  }
  if (ratio <= 1) return;
  auto& [worst, found] = beyond_[key(kind, column)];
  if (ratio <= worst) return;
  worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  found = {kind, std::string(column), row, recorded, recomputed, accepted, {}};
}

void Findings::refuse(CheckKind kind, std::string_view column, const std::string& what) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  compare(kind, column, -1, nothing, nothing, 1);
  beyond_.at(key(kind, column)).second.what = what;
}

void Findings::same(CheckKind kind, std::string_view column, const std::string& recorded, const std::string& expected) {
  if (recorded == expected)
    compare(kind, column, -1, 0, 0, 1);
  else
    refuse(kind, column, difference(recorded, expected));
}

std::vector<Disagreement> Findings::disagreements() const {
  std::vector<Disagreement> out;
  for (const auto& [column, found] : beyond_) out.push_back(found.second);
  return out;
}

}  // namespace ricochet
