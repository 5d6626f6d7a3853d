// What the program says about runs whose energy gives them away: terminal, JSON, page, exit status.
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ricochet::test::energy_cli_test {
namespace {

using Json = nlohmann::json;

class EnergyCli : public ProgramTest {
 protected:
  EnergyCli() {
    std::ofstream(folder_ / "runaway.yaml") << R"(system:
  formulas: {coordinates: [y], kinetic: y'^2/2, potential: -y^4}
initial: {position: {y: 1}}
simulation: {scheme: combined, step: 1e-2, until: 2}
)";
    std::ofstream(folder_ / "coarse.yaml") << R"(system:
  formulas: {coordinates: [y], kinetic: y'^2/2, potential: y^4}
initial: {position: {y: 1}}
simulation: {scheme: combined, step: 0.8, until: 50}
)";
  }
};

TEST_F(EnergyCli, ABlowUpEndsTheRun) {
  const Outcome o = ricochet("run runaway.yaml -o runaway.h5 --report runaway.html --json");
  EXPECT_EQ(o.status, 3);
  const Json j = Json::parse(o.out);
  EXPECT_EQ(j["status"], "failed");
  EXPECT_EQ(j["failure"]["what"], "out-of-bounds");
  EXPECT_LT(j["time"], 0.93);
  EXPECT_NE(o.err.find("the motion leaves all bounds: out-of-bounds\n  where: the step from t = "), std::string::npos)
      << o.err;
  EXPECT_NE(file("runaway.html").find("The motion leaves all bounds"), std::string::npos);
  // everything up to the last good step is in the file, and holds
  const Outcome verified = ricochet("verify runaway.h5");
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
}

TEST_F(EnergyCli, StepsThatAreTooLargeAreToldEverywhere) {
  const char* const note = "uadrature errors of the steps came to";
  const Outcome o = ricochet("run coarse.yaml -o coarse.h5 --report coarse.html");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find(note), std::string::npos) << o.out;
  EXPECT_NE(file("coarse.html").find(note), std::string::npos);
  const Json j = Json::parse(ricochet("run coarse.yaml --no-output --json").out);
  bool told = false;
  for (const auto& warning : j["warnings"]) told = told || std::string(warning).find(note) != std::string::npos;
  EXPECT_TRUE(told) << j["warnings"];
  EXPECT_GT(j["energy"]["at_stake"], 1);
}

// 2e-8 J of 7.5 J is nothing to tell.
TEST_F(EnergyCli, NothingIsToldOfARunThatIsRight) {
  const Outcome o = ricochet("run slider-crank --step 2e-5 --until 0.02 -o crank.h5 --report crank.html --json");
  EXPECT_EQ(o.status, 0) << o.err;
  const Json j = Json::parse(o.out);
  for (const auto& warning : j["warnings"]) EXPECT_EQ(std::string(warning).find("nergy"), std::string::npos) << warning;
  EXPECT_EQ(file("crank.html").find("nergy rose"), std::string::npos);
}

}  // namespace
}  // namespace ricochet::test::energy_cli_test
