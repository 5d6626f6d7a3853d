// ricochet verify: the certificate of a result, recomputed from its file alone.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ricochet/app/command.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/result/verify.hpp"

namespace ricochet::app {
namespace {

std::string describe(const Disagreement& d) {
  const std::string where = d.row < 0 ? "" : fmt::format(" at row {}", d.row);
  if (std::isnan(d.recomputed))
    return fmt::format("{}{}: {:.17g} does not satisfy its conditions", d.column, where, d.recorded);
  return fmt::format("{}{}: recorded {:.17g}, recomputed {:.17g}", d.column, where, d.recorded, d.recomputed);
}

void print_json(const Results& results, const Verification& v) {
  nlohmann::ordered_json j;
  j["result"] = results.file();
  j["scenario"] = results.header().name;
  j["status"] = results.status();
  j["rows"] = v.rows;
  j["every_step_recorded"] = v.every_step;
  double mine[kCertificates], theirs[kCertificates];
  certificate_numbers(v.certificate, mine);
  certificate_numbers(v.recorded, theirs);
  for (std::size_t k = 0; k < kCertificates; ++k) {
    const bool known = k != 0 || v.every_step;
    j["certificate"][certificate_names()[k]] =
        known ? nlohmann::ordered_json(mine[k]) : nlohmann::ordered_json(nullptr);
    j["recorded"][certificate_names()[k]] = theirs[k];
  }
  j["energy"] = {{"change", v.energy_change}, {"sum", v.energy_sum}};
  j["largest_disagreement"] = v.largest;
  j["largest_in"] = v.largest_in;
  j["disagreements"] = nlohmann::ordered_json::array();
  for (const Disagreement& d : v.disagreements)
    j["disagreements"].push_back(
        {{"column", d.column}, {"row", d.row}, {"recorded", d.recorded}, {"recomputed", d.recomputed}});
  j["holds"] = v.holds();
  fmt::print("{}\n", j.dump(2));
}

void print_text(const Results& results, const Verification& v) {
  fmt::print("{}: {}, {} rows, status {}\n", results.file(), results.header().name, v.rows, results.status());
  double mine[kCertificates], theirs[kCertificates];
  certificate_numbers(v.certificate, mine);
  certificate_numbers(v.recorded, theirs);
  std::vector<std::vector<std::string>> rows{{"largest error", "recomputed", "recorded", ""}};
  const char* units[kCertificates] = {"m/s", "m", "m", "m/s", "J"};
  for (std::size_t k = 0; k < kCertificates; ++k)
    rows.push_back({certificate_names()[k], k != 0 || v.every_step ? fmt::format("{:.3e}", mine[k]) : "-",
                    fmt::format("{:.3e}", theirs[k]), units[k]});
  fmt::print("{}", table(rows));
  if (!v.every_step) fmt::print("Not every step is recorded: contact laws cannot be checked between the rows.\n");
  fmt::print("Energy changed by {:.9e} J, the ledger says {:.9e} J.\n", v.energy_change, v.energy_sum);
  fmt::print("Largest disagreement {:.1e} of the column's size{}; accepted: {:.0e}.\n", v.largest,
             v.largest_in.empty() ? "" : " in " + v.largest_in, kAgreement);
  fmt::print("{}\n", v.holds() ? "The result holds." : "The result does not hold.");
}

int check(const std::string& path, bool json) {
  const Results results(path);
  const Verification v = verify(results);
  json ? print_json(results, v) : print_text(results, v);
  std::fflush(stdout);
  for (const Disagreement& d : v.disagreements) fmt::print(stderr, "ricochet: {}: {}\n", path, describe(d));
  return v.holds() ? kDone : kFailed;
}

}  // namespace

std::function<int()> declare_verify(Arguments& arguments) {
  struct Settings {
    std::string result;
    bool json = false;
  };
  auto a = std::make_shared<Settings>();
  arguments.option("result", a->result, "what 'ricochet run' wrote").required();
  arguments.flag("--json", a->json, "as JSON on stdout");
  return [a] { return check(a->result, a->json); };
}

}  // namespace ricochet::app
