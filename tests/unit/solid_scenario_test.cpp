// What scenarios of solids are refused for, and what is noted: with the place, and what would be accepted.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/runs.hpp"

namespace ricochet::test::solid_scenario_test {
namespace {

std::string box(const std::string& more, const std::string& rest = "") {
  return "system:\n  flexible:\n    b: {box: {size: [1, 1, 1], elements: [2, 1, 1]}, young: 100, density: 1" + more +
         "}\n" + rest + "simulation: {scheme: moreau-jean, step: 1e-3, until: 0.01}\n";
}

void expect_refused(const std::string& text, std::initializer_list<const char*> parts) {
  const std::string message = message_of(text);
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\n lacks: " << part;
}

TEST(SolidInput, MaterialsAndSets) {
  EXPECT_EQ(message_of(box("")), "accepted");
  expect_refused(box(", poisson: 0.5"), {"poisson", "0.5", "accepted"});
  expect_refused(box(", poisson: -1"), {"poisson"});
  expect_refused(box(", clamp: lft"), {"'lft'", "left"});
  expect_refused(box(", clamp: all"), {"all nodes are clamped"});
  expect_refused(box(", touch: [top, sides]"), {"'sides'"});
  expect_refused(box(", material: steel"), {"steel", "neo-hookean"});
}

TEST(SolidInput, Pressure) {
  EXPECT_EQ(message_of(box(", pressure: {gas: {on: top, value: 3*t}}")), "accepted");
  expect_refused(box(", pressure: {gas: {on: tap, value: 3}}"), {"'tap'", "top"});
  expect_refused(box(", pressure: {gas: {on: top, value: 3*x}}"), {"x"});
  expect_refused(box(", pressure: {gas: {value: 3}}"), {"on"});
  expect_refused(
      "system:\n  flexible:\n    b: {rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: 1}, young: 1, "
      "density: 1, pressure: {gas: {on: to, value: 1}}}\nsimulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n",
      {"pressure", "a rod has none"});
}

TEST(SolidInput, DrivenNodes) {
  EXPECT_EQ(message_of(box(", driven: {shake: {nodes: left, x: 0.1*sin(t), y: 0}}")), "accepted");
  expect_refused(box(", driven: {shake: {nodes: left, x: cos(t)}}"), {"is 1 at the beginning", "begin at 0"});
  expect_refused(box(", driven: {shake: {nodes: left}}"), {"needs `x`, `y` or `z`"});
  expect_refused(box(", driven: {shake: {nodes: left, along: t}}"), {"accepted for solids: x, y, z"});
  expect_refused(box(", clamp: left, driven: {shake: {nodes: left, x: t}}"), {"is clamped"});
  expect_refused(box(", driven: {a: {nodes: left, x: t}, b: {nodes: bottom, x: t}}"), {"driven twice"});
}

TEST(SolidInput, TiesInTheMean) {
  const std::string tie = "  joints:\n    hold: {mean: [ground, ";
  EXPECT_EQ(message_of(box(", touch: left", tie + "b.left]}\n")), "accepted");
  expect_refused(box(", touch: left", tie + "b.right]}\n"), {"'b.right'", "b.left"});
  expect_refused(box(", touch: left", tie + "b.left], at: [0, 0, 0]}\n"), {"at", "nothing beside it"});
  expect_refused(
      "system:\n  flexible:\n    b: {rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: 1}, young: 1, "
      "density: 1, touch: all}\n  joints:\n    hold: {mean: [ground, b.all]}\nsimulation: {scheme: moreau-jean, step: "
      "1e-3, until: 1}\n",
      {"lie on a line"});
}

/// A scenario beside a mesh of two tetrahedra.
class SolidFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// What loading says: of the error, or of the notes.
  std::string load(const std::string& nodes, const std::string& elements, const std::string& more = "") const {
    std::ofstream(folder_ / "part.msh") << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
                                        << nodes << "$EndNodes\n$Elements\n"
                                        << elements << "$EndElements\n";
    const std::filesystem::path file = folder_ / "part.yaml";
    std::ofstream(file) << "system:\n  flexible:\n    part: {mesh: part.msh, young: 1, density: 1" << more
                        << "}\nsimulation: {scheme: moreau-jean, step: 1e-3, until: 1}\n";
    try {
      const Scenario s = load_scenario(file.string());
      std::string notes;
      for (const std::string& n : s.notes) notes += n + "\n";
      return notes;
    } catch (const InputError& e) {
      return e.what();
    }
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("solid-input-" + std::to_string(getpid()));
};

const std::string kNodes = "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";

TEST_F(SolidFile, SaysWhatIsWrongWithIt) {
  const auto expect = [](const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\n lacks: " << part;
  };
  EXPECT_EQ(load(kNodes, "1\n7 4 2 9 1 1 2 3 4\n"), "");
  expect(load(kNodes, "1\n7 4 2 9 1 1 3 2 4\n"), {"part.yaml:3:", "element 7 is inverted"});
  expect(load("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", "1\n7 4 2 9 1 1 2 3 4\n"), {"element 7"});
  expect(load("5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n8 5 5 5\n", "1\n7 4 2 9 1 1 2 3 4\n"),
         {"node 8 belongs to no element"});
  expect(load(kNodes, "1\n7 4 2 9 1 1 2 3 4\n", ", clamp: bolt"), {"'bolt'", "surface"});
  expect(load("4\n1 0 0 0\n2 40 0 0\n3 0 40 0\n4 0 0 40\n", "1\n7 4 2 9 1 1 2 3 4\n"),
         {"part.yaml:3:", "40 m long", "millimetres", "scale: 1e-3"});
  EXPECT_EQ(load("4\n1 0 0 0\n2 40 0 0\n3 0 40 0\n4 0 0 40\n", "1\n7 4 2 9 1 1 2 3 4\n", ", scale: 1e-3"), "");
  expect(load(kNodes, "1\n7 4 2 9 1 1 2 3\n"), {"part.msh"});
}

}  // namespace
}  // namespace ricochet::test::solid_scenario_test
