// ricochet verify: the certificate of a result, recomputed from its file alone.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/verify/verify.hpp"

namespace ricochet::app {
namespace {

/// The verdict as a program reads it.
const char* verdict(const Verification& v) {
  return v.holds() ? "holds" : !v.disagreements.empty() ? "does-not-hold" : "not-repeated";
}

std::string describe(const Disagreement& d) {
  const std::string where = d.row < 0 ? "" : fmt::format(" at row {}", d.row);
  if (!d.what.empty()) return fmt::format("{}: {} {}", name(d.kind), d.column, d.what);
  return fmt::format("{}: {}{}: recorded {:.17g}, recomputed {:.17g}, accepted difference {:.1e}", name(d.kind),
                     d.column, where, d.recorded, d.recomputed, d.accepted);
}

void print_json(const Results& results, const Verification& v) {
  nlohmann::ordered_json j;
  j["result"] = results.file();
  j["scenario"] = results.header().name;
  j["scheme"] = results.header().scheme;
  j["status"] = results.status();
  j["rows"] = v.rows;
  j["every_step_recorded"] = v.every_step;
  j["contacts_recorded"] = v.contacts;
  double mine[kCertificates], theirs[kCertificates];
  certificate_numbers(v.certificate, mine);
  certificate_numbers(v.recorded, theirs);
  for (std::size_t k = 0; k < kCertificates; ++k) {
    const bool known = k != 0 || v.laws_known();
    j["certificate"][certificate_names()[k]] =
        known ? nlohmann::ordered_json(mine[k]) : nlohmann::ordered_json(nullptr);
    j["recorded"][certificate_names()[k]] = theirs[k];
  }
  j["energy"] = {{"change", v.energy_change}, {"sum", v.energy_sum}};
  for (std::size_t k = 0; k < kCheckKinds; ++k) {
    const Check& c = v.findings.check(static_cast<CheckKind>(k));
    j["checks"][name(static_cast<CheckKind>(k))] = {
        {"compared", c.compared}, {"worst", c.worst}, {"column", c.column}, {"row", c.row}};
  }
  j["unchecked"] = v.unchecked;
  j["disagreements"] = nlohmann::ordered_json::array();
  for (const Disagreement& d : v.disagreements)
    j["disagreements"].push_back({{"check", name(d.kind)},
                                  {"column", d.column},
                                  {"row", d.row},
                                  {"recorded", d.recorded},
                                  {"recomputed", d.recomputed},
                                  {"accepted", d.accepted},
                                  {"what", d.what}});
  j["uncertified_steps"] = v.uncertified;
  j["not_repeated"] = v.not_repeated;
  j["verdict"] = verdict(v);
  j["rebounds_reduced"] = v.reduced;
  j["holds"] = v.holds();
  fmt::print("{}\n", j.dump(2));
}

void print_text(const Results& results, const Verification& v) {
  fmt::print("{}: {}, {} rows, status {}\n", results.file(), results.header().name, v.rows, results.status());
  double mine[kCertificates], theirs[kCertificates];
  certificate_numbers(v.certificate, mine);
  certificate_numbers(v.recorded, theirs);
  std::vector<std::vector<std::string>> rows{{"largest error", "recomputed", "recorded", ""}};
  for (std::size_t k = 0; k < kCertificates; ++k) {
    if (!certified(k, results.names().items)) continue;
    rows.push_back({certificate_names()[k], k != 0 || v.laws_known() ? fmt::format("{:.3e}", mine[k]) : "-",
                    fmt::format("{:.3e}", theirs[k]), kCertificateUnits[k]});
  }
  fmt::print("{}", table(rows));
  fmt::print("Energy changed by {:.9e} J, the ledger says {:.9e} J.\n", v.energy_change, v.energy_sum);
  rows = {{"check", "comparisons", "worst / accepted", "in", "row"}};
  for (std::size_t k = 0; k < kCheckKinds; ++k) {
    const auto kind = static_cast<CheckKind>(k);
    const Check& c = v.findings.check(kind);
    rows.push_back({name(kind), fmt::format("{}", c.compared), c.compared > 0 ? fmt::format("{:.1e}", c.worst) : "-",
                    c.column, c.row < 0 ? "" : fmt::format("{}", c.row)});
  }
  fmt::print("{}", table(rows));
  if (v.reduced > 0) fmt::print("Restitution is less than the law's in {} contacts of the rows.\n", v.reduced);
  for (const std::string& sentence : v.unchecked) fmt::print("Not verified: {}\n", sentence);
}

// The last line.
std::string conclusion(const Results& results, const Verification& v, bool quick) {
  if (!v.disagreements.empty()) return "The result does not hold.";
  if (!v.not_repeated.empty()) return "Not repeated: " + v.not_repeated + ".";
  const std::string what = quick ? "The balances hold" : "The result holds";
  if (v.uncertified == 0) return what + ".";
  return fmt::format("{}, with {} uncertified step{}: held to the accepted residual {:g}, not to the tolerance.", what,
                     v.uncertified, v.uncertified == 1 ? "" : "s", results.header().accepted_residual);
}

int check(const std::string& path, bool json, bool quick) {
  const Results results(path);
  const Verification v = verify(results, {.replay = !quick});
  if (json) {
    print_json(results, v);
  } else {
    print_text(results, v);
    fmt::print("{}\n", conclusion(results, v, quick));
  }
  std::fflush(stdout);
  for (const Disagreement& d : v.disagreements) fmt::print(stderr, "ricochet: {}: {}\n", path, describe(d));
  if (!v.disagreements.empty()) return kFailed;
  if (!v.not_repeated.empty()) return kNotRepeated;
  return v.uncertified > 0 ? kUncertified : kDone;
}

}  // namespace

std::function<int()> declare_verify(Arguments& arguments) {
  struct Settings {
    std::string result;
    bool json = false, quick = false;
  };
  auto a = std::make_shared<Settings>();
  arguments.option("result", a->result, "what 'ricochet run' wrote").required();
  arguments.flag("--json", a->json, "as JSON on stdout");
  arguments.flag("--quick", a->quick, "without making the run again");
  return [a] { return check(a->result, a->json, a->quick); };
}

}  // namespace ricochet::app
