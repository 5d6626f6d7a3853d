#include "ricochet/io/verify/findings.hpp"

#include <cmath>
#include <limits>

namespace ricochet {

const char* name(CheckKind kind) {
  switch (kind) {
    case CheckKind::header: return "header";
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
  auto& [worst, found] = beyond_[std::string(name(kind)) + "/" + std::string(column)];
  if (ratio <= worst) return;
  worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  found = {kind, std::string(column), row, recorded, recomputed, accepted};
}

void Findings::same(CheckKind kind, std::string_view column, const std::string& recorded, const std::string& expected) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  if (recorded == expected)
    compare(kind, column, -1, 0, 0, 1);
  else
    compare(kind, column, -1, nothing, nothing, 1);
}

std::vector<Disagreement> Findings::disagreements() const {
  std::vector<Disagreement> out;
  for (const auto& [column, found] : beyond_) out.push_back(found.second);
  return out;
}

}  // namespace ricochet
