// STEP files as their users meet them: `ricochet cad`, and what it says of files that are none, or damaged.
#include <nlohmann/json.hpp>
#include <numbers>

#include "support/program.hpp"

namespace ricochet::test::cad_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kParts = RICOCHET_SOURCE_DIR "/scenarios/parts";

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
}

class Cad : public ProgramTest {
 protected:
  void SetUp() override {
    if (!fs::exists(RICOCHET_BINARY_DIR "/ricochet-cad")) GTEST_SKIP() << "built without OpenCASCADE";
  }
  /// The text of a shipped part, to be changed.
  static std::string step(const std::string& name) { return slurp(kParts / (name + ".step")); }
  Outcome cad(const std::string& text, const std::string& arguments = "--json") const {
    std::ofstream(folder_ / "part.step", std::ios::binary) << text;
    return ricochet("cad part.step " + arguments);
  }
  void expect_extracted(const std::string& name) const {
    fs::copy_file(kParts / (name + ".step"), folder_ / (name + ".step"));
    ASSERT_EQ(ricochet("cad " + name + ".step --extract " + name + ".brep").status, 0);
    EXPECT_TRUE(file(name + ".brep") == slurp(kParts / (name + ".brep"))) << name;
  }
  void expect_refused(const std::string& text, const std::string& what, const std::string& where = "part.step") const {
    const Outcome o = cad(text);
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_NE(o.err.find(what), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("ricochet: " + where), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "");
  }
};

TEST_F(Cad, TellsFacesSizeAndMass) {
  const Outcome o = cad(step("bearing-bush"), "--json --density 7800");
  ASSERT_EQ(o.status, 0) << o.err;
  const Json j = Json::parse(o.out), part = j["parts"][0];
  EXPECT_EQ(j["unit"], "millimetre");
  EXPECT_EQ(part["name"], "bush");
  // a cylinder less a bore with two chamfers; measured: 1e-13 off
  const double pi = std::numbers::pi, chamfer = 5.5 * 5.5 + 5.5 * 6.5 + 6.5 * 6.5;
  const double volume = 1e-9 * pi * (144 * 30 - 5.5 * 5.5 * 28 - 2 * chamfer / 3);
  EXPECT_NEAR(part["volume"].get<double>() / volume, 1, 1e-12);
  EXPECT_NEAR(part["mass"].get<double>() / (7800 * volume), 1, 1e-12);
  // about the axis the integral of 2 pi r^3 over the section
  const auto quartic = [](double r) { return std::pow(r, 4); };
  const double tapered = (std::pow(6.5, 5) - std::pow(5.5, 5)) / 5;
  const double moment = 1e-15 * 7800 * pi / 2 * (quartic(12) * 30 - quartic(5.5) * 28 - 2 * tapered);
  EXPECT_NEAR(part["inertia"][2][2].get<double>() / moment, 1, 1e-12);
  std::map<std::string, Json> faces;
  for (const Json& face : part["faces"]) faces[face["name"]] = face;
  ASSERT_EQ(faces.size(), 6U);
  EXPECT_EQ(faces["bore"]["kind"], "cylinder");
  EXPECT_EQ(faces["bore"]["size"], "diameter 11, length 28, hole");
  EXPECT_EQ(faces["chamfer+"]["kind"], "cone");
  EXPECT_EQ(faces["end-"]["direction"][2], -1);
  EXPECT_EQ(faces["f1"]["size"], "diameter 24, length 30, shaft");  // it has no name of its own
}

TEST_F(Cad, ListsAndDraws) {
  const Outcome o = cad(step("bearing-bush"), "--plot bush.svg --view top");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("bore"), std::string::npos) << o.out;
  EXPECT_NE(file("bush.svg").find("end+</text>"), std::string::npos);
  EXPECT_EQ(cad(step("bearing-bush"), "--view sideways").status, 2);
}

TEST_F(Cad, UnitsAreThoseOfTheFile) {
  const double volume = Json::parse(cad(step("bearing-bush")).out)["parts"][0]["volume"];
  std::string metres = step("bearing-bush");
  replace(metres, "SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT($,.METRE.)");
  const Json m = Json::parse(cad(metres).out);
  EXPECT_EQ(m["unit"], "metre");
  EXPECT_NEAR(m["parts"][0]["volume"].get<double>() / (1e9 * volume), 1, 1e-9);
  std::string inches = step("bearing-bush");
  replace(inches, "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );",
          "( CONVERSION_BASED_UNIT('INCH',#9001) LENGTH_UNIT() NAMED_UNIT(#9002) );\n"
          "#9001 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#9003);\n"
          "#9002 = DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\n"
          "#9003 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );");
  const Json i = Json::parse(cad(inches).out);
  EXPECT_EQ(i["unit"], "inch");
  EXPECT_NEAR(i["parts"][0]["volume"].get<double>() / (std::pow(25.4, 3) * volume), 1, 1e-9);
  std::string feet = inches;
  replace(feet, "'INCH'", "'foot'");
  replace(feet, "(25.4)", "(30.48)");
  replace(feet, "#9003 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.",
          "#9003 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.CENTI.");
  const Json f = Json::parse(cad(feet).out);
  EXPECT_EQ(f["unit"], "foot");
  EXPECT_NEAR(f["parts"][0]["volume"].get<double>() / (std::pow(304.8, 3) * volume), 1, 1e-9);
  std::string large = inches;
  replace(large, "(25.4)", "(254.)");
  expect_refused(large, "the unit of length 'INCH' has the size 0.254, not 0.0254", "part.step:");
}

/// Records in another order are a unit all the same, but the library takes millimetres in its place.
TEST_F(Cad, UnitsThatTheLibraryDoesNotKnowAreRefused) {
  const std::string good = step("bearing-bush");
  const std::string exponents = "#9002 = DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\n",
                    none = "#9005 = DIMENSIONAL_EXPONENTS(0.,0.,0.,0.,0.,0.,0.);\n",
                    inch =
                        "#9001 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#9003);\n#9003 = ( LENGTH_UNIT() "
                        "NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );\n",
                    degree =
                        "#9004 = PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.017453292519943295),#9006);\n"
                        "#9006 = ( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) );\n";
  const std::string metric = "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );\n",
                    radian = "( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) );\n";
  const auto with = [&](const std::string& before, const std::string& unit, const std::string& more) {
    std::string text = good;
    replace(text, before, unit + ";\n" + more);
    return text;
  };
  expect_refused(
      with(metric, "( LENGTH_UNIT() NAMED_UNIT(#9002) CONVERSION_BASED_UNIT('INCH',#9001) )", exponents + inch),
      "the library does not read this unit, 0.0254 m, as it is written", "part.step:");
  // half angles of cones are in it
  std::string degrees =
      with(radian, "( CONVERSION_BASED_UNIT('DEGREE',#9004) NAMED_UNIT(#9005) PLANE_ANGLE_UNIT() )", none + degree);
  for (std::size_t at = degrees.find("0.785398163397"); at != std::string::npos; at = degrees.find("0.785398163397"))
    degrees.replace(at, degrees.find_first_not_of("0123456789.", at) - at, "45.");
  EXPECT_NEAR(Json::parse(cad(degrees).out)["parts"][0]["volume"].get<double>() /
                  Json::parse(cad(good).out)["parts"][0]["volume"].get<double>(),
              1, 1e-9);
  std::string tiny = good;  // of nanometres: as small as what the library takes for one place
  replace(tiny, ".MILLI.,.METRE.", ".NANO.,.METRE.");
  expect_refused(tiny, "too small for the library", "part.step: ");
}

/// The library takes another one in its place.
TEST_F(Cad, UnitsThatAreNoneAreRefused) {
  const std::string good = step("bearing-bush"), unit = "SI_UNIT(.MILLI.,.METRE.)";
  const auto line = [&](const std::string& what) {
    const std::string before = good.substr(0, good.find(what));
    return "part.step:" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ": ";
  };
  for (const char* wrong : {"SI_UNIT(.MILI.,.METRE.)", "SI_UNIT(.MILLI.,.FOOT.)", "SI_UNIT(.MILLI.,.RADIAN.)"}) {
    std::string text = good;
    replace(text, unit, wrong);
    expect_refused(text, std::string(wrong) + " is no unit of length; accepted: SI_UNIT of METRE", line(unit));
  }
  std::string none = good;
  replace(none, "LENGTH_UNIT() NAMED_UNIT", "NAMED_UNIT");
  expect_refused(none, "the units of this context hold none of length", line("( GEOMETRIC_REPRESENTATION_CONTEXT(3)"));
  std::string nothing = good;
  const std::size_t at = nothing.find("GLOBAL_UNIT_ASSIGNED_CONTEXT");
  nothing.erase(at, nothing.find("REPRESENTATION_CONTEXT('Context", at) - at);
  expect_refused(nothing, "the geometry of this context has no units", line("( GEOMETRIC_REPRESENTATION_CONTEXT(3)"));
}

TEST_F(Cad, AssembliesStandWhereTheyAre) {
  const Outcome o = cad(step("slider-crank"));
  ASSERT_EQ(o.status, 0) << o.err;
  const Json parts = Json::parse(o.out)["parts"];
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[1]["name"], "rod");
  const double alone = Json::parse(ricochet("cad slider-crank-rod --json").out)["parts"][0]["centre"][0];
  EXPECT_NEAR(parts[1]["centre"][0].get<double>(), alone + 0.153, 1e-12);
  EXPECT_EQ(Json::parse(cad(step("slider-crank"), "--part guide --json").out)["parts"].size(), 1U);
  const Outcome wrong = cad(step("slider-crank"), "--part guid");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean 'guide'?"), std::string::npos) << wrong.err;
}

TEST_F(Cad, WhatLiesBesideIsReadInItsPlace) {
  ASSERT_EQ(cad(step("bearing-pin"), "--extract part.brep").status, 0);
  EXPECT_EQ(file("part.brep"), slurp(kParts / "bearing-pin.brep"));
  const std::string nobody = "RICOCHET_CAD=/nowhere '" RICOCHET_BINARY_DIR "/ricochet' cad part.step";
  EXPECT_EQ(shell(nobody).status, 0) << "no reader is needed";
  std::ofstream(folder_ / "part.step", std::ios::app) << "\n";  // not the file it was made of
  const Outcome o = shell(nobody);
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("RICOCHET_CAD names, '/nowhere', cannot be started"), std::string::npos) << o.err;
}

class LongCad : public Cad {};

/// Every shipped part, so that whoever has no reader sees the same. Three have faces and edges of all kinds.
TEST_F(Cad, ShippedPartsAreTheirStepFiles) {
  for (const char* name : {"bearing-bush", "breaker-arm", "breaker-bar"}) expect_extracted(name);
}
TEST_F(LongCad, ShippedPartsAreTheirStepFiles) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kParts))
    if (entry.path().extension() == ".brep") expect_extracted(entry.path().stem().string());
}

TEST_F(Cad, ForeignAndCutOffFilesAreTold) {
  const std::string good = step("bearing-bush");
  expect_refused("", "the file is empty", "part.step:1");
  expect_refused("solid cube\nfacet normal 0 0 1\n", "this looks like STL", "part.step:1");
  expect_refused("hello", "it does not begin with ISO-10303-21;", "part.step:1");
  const std::string half = good.substr(0, good.size() / 2);
  const Outcome cut = cad(half);
  EXPECT_EQ(cut.status, 2);
  EXPECT_NE(cut.err.find("it was cut off"), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("part.step:"), std::string::npos) << cut.err;
  expect_refused(good.substr(0, good.find("DATA;") + 5) + "\nENDSEC;\nEND-ISO-10303-21;\n", "there are no data in it");
  std::string missing = good;
  replace(missing, "#11 = ", "#9011 = ");
  expect_refused(missing, "#11 is not in the file", "part.step:");
  std::string twice = good;
  replace(twice, "#13 = ", "#12 = ");
  expect_refused(twice, "#12 is there twice", "part.step:");
  EXPECT_EQ(ricochet("cad nothing.step").status, 2);
}

TEST_F(Cad, WhatIsNoClosedSolidIsRefused) {
  const std::string good = step("bearing-bush");
  std::string open = good;
  const std::size_t shell = open.find("CLOSED_SHELL('',(#");
  ASSERT_NE(shell, std::string::npos);
  open.erase(shell + 17, open.find(',', shell + 17) - shell - 16);  // without its first face
  expect_refused(open, "is a sheet: this face bounds no solid", "part.step:");
  std::string sheet = good;
  replace(sheet, "CLOSED_SHELL(", "OPEN_SHELL(");
  const std::size_t solid = sheet.find("MANIFOLD_SOLID_BREP('',#");
  ASSERT_NE(solid, std::string::npos);
  const std::size_t number = solid + 23, end = sheet.find(')', number);
  sheet.replace(solid, end - solid, "SHELL_BASED_SURFACE_MODEL('',(" + sheet.substr(number, end - number) + ")");
  replace(sheet, "ADVANCED_BREP_SHAPE_REPRESENTATION", "MANIFOLD_SURFACE_SHAPE_REPRESENTATION");
  expect_refused(sheet, "is a sheet", "part.step:");
}

/// Without a list around its shell, which breaks the library.
TEST_F(Cad, AMisspeltSheetIsASheet) {
  std::string text = step("bearing-bush");
  replace(text, "MANIFOLD_SOLID_BREP(", "SHELL_BASED_SURFACE_MODEL(");
  const std::string before = text.substr(0, text.find("SHELL_BASED"));
  expect_refused(text, "it is a sheet: there is no solid in the file; accepted: closed solids",
                 "part.step:" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":");
}

TEST_F(Cad, CornersBesideTheirEdgesAreRefused) {
  std::string text = step("slider-crank-guide");
  const std::size_t corner = text.find("CARTESIAN_POINT", text.find("VERTEX_POINT"));
  const std::size_t last = text.find("))", corner), comma = text.rfind(',', last) + 1;
  const double z = std::stod(text.substr(comma, last - comma));
  text.replace(comma, last - comma, std::to_string(z + 0.01));
  expect_refused(text, "lies beside the end of its edge by 0.01", "part.step:");
}

/// One pole of the profile's edge, between places where the edge was looked at.
TEST_F(Cad, EdgesThatLeaveTheirFacesAnywhereAreRefused) {
  const std::string good = step("cam-cam");
  int poles = 0;
  for (std::size_t at = good.find(",-8.,", good.find("#226 = B_SPLINE_CURVE_WITH_KNOTS")); poles < 24; ++poles) {
    std::string text = good;
    if (poles % 6 == 3) {
      text.replace(at, 5, ",-8.1,");
      expect_refused(text, "lies beside it by 0.", "part.step:");
    }
    at = good.find(",-8.,", at + 5);
  }
}

TEST_F(Cad, NamesOfFacesWithoutOneAreTheirOwn) {
  std::string text = step("bearing-bush");
  replace(text, "ADVANCED_FACE('bore'", "ADVANCED_FACE('f1'");
  const Outcome o = cad(text);
  ASSERT_EQ(o.status, 0) << o.err;
  std::vector<std::string> names;
  const Json j = Json::parse(o.out);
  for (const Json& face : j["parts"][0]["faces"]) names.push_back(face["name"]);
  EXPECT_EQ(std::count(names.begin(), names.end(), "f1"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "f1.2"), 1);
  EXPECT_NE(cad(text, "").out.find("another face is called 'f1'"), std::string::npos);
}

/// What is wrong in a file is told with its place in the scenario.
TEST_F(Cad, WhatComesFromFilesIsToldWithItsPlace) {
  std::ofstream(folder_ / "ball.brep") << "ricochet-brep 1\nface 1 skin out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.05\nend\n";
  std::ofstream(folder_ / "a.yaml") << "system:\n  bodies:\n    ball: {brep: ball.brep, density: 1000}\n"
                                       "simulation: {scheme: combined, step: 1e-4, until: 1e-3}\n";
  const Outcome o = ricochet("run a.yaml --no-output");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("a.yaml:3:18: system.bodies.ball.brep: the part says nothing of its volume"), std::string::npos)
      << o.err;
  std::ofstream(folder_ / "open.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::ofstream(folder_ / "b.yaml")
      << "system:\n  gravity: [0, 0, -9.81]\n  collision: {}\n  bodies:\n    rock: {shapes: "
         "[{mesh: {file: open.obj}, density: 1000}]}\n"
         "simulation: {scheme: combined, step: 1e-4, until: 1e-3}\n";
  const Outcome mesh = ricochet("run b.yaml --no-output");
  EXPECT_EQ(mesh.status, 2);
  EXPECT_NE(mesh.err.find("b.yaml:5:35: system.bodies.rock.shapes"), std::string::npos) << mesh.err;
}

/// What a result holds needs neither the STEP file nor its reader.
TEST_F(Cad, AScenarioNamesStepFiles) {
  const auto copy = [&] {
    fs::copy_file(kParts / "bearing-bush.step", folder_ / "bush.step", fs::copy_options::overwrite_existing);
    fs::copy_file(kParts / "slider-crank.step", folder_ / "machine.step", fs::copy_options::overwrite_existing);
  };
  const auto run = [&](const std::string& bush, const std::string& face) {
    std::ofstream(folder_ / "pin.yaml") << "system:\n  gravity: [0, -9.81, 0]\n  bodies:\n    bush: {fixed: true, "
                                        << bush << "}\n    slider: {step: machine.step, part: slider, density: 7800}\n"
                                        << "  contacts:\n    touch: {faces: [bush/" << face << ", slider/lower_left]}\n"
                                        << "simulation: {scheme: combined, step: 1e-4, until: 1e-3}\n";
    return ricochet("run pin.yaml -o pin.h5");
  };
  copy();
  const Outcome o = run("step: bush.step", "bore");
  ASSERT_EQ(o.status, 0) << o.err;
  fs::remove(folder_ / "bush.step");
  fs::remove(folder_ / "machine.step");
  const std::string program = "RICOCHET_CAD=/nowhere '" RICOCHET_BINARY_DIR "/ricochet' ";
  EXPECT_EQ(shell(program + "run --resume pin.h5 --until 2e-3").status, 0);
  EXPECT_EQ(shell(program + "verify pin.h5").status, 0);
  const Outcome gone = run("step: bush.step", "bore");
  EXPECT_EQ(gone.status, 2);
  EXPECT_NE(gone.err.find("pin.yaml:4:31: system.bodies.bush.step: bush.step: "), std::string::npos) << gone.err;
  copy();
  const Outcome face = run("step: bush.step", "boer");
  EXPECT_EQ(face.status, 2);
  EXPECT_NE(face.err.find("did you mean 'bore'?"), std::string::npos) << face.err;
  const Outcome several = run("step: machine.step", "bore");
  EXPECT_NE(several.err.find("there are 4 solids in it; say which with `part`: crank, rod, slider, guide"),
            std::string::npos)
      << several.err;
}

/// The land of 5 mm, 2 mm off the axis of a bore of 5.5 mm.
TEST_F(Cad, AnOverlapAtTheBeginningIsToldWithFacesAndDepth) {
  for (const char* name : {"bearing-bush", "bearing-pin"})
    fs::copy_file(kParts / (std::string(name) + ".step"), folder_ / (std::string(name) + ".step"));
  std::ofstream(folder_ / "pin.yaml") << "system:\n  bodies:\n    bush: {fixed: true, step: bearing-bush.step}\n"
                                      << "    pin: {step: bearing-pin.step, density: 7800, position: [2e-3, 0, 0]}\n"
                                      << "  contacts:\n    pin: {faces: [bush/bore, pin/land]}\n"
                                      << "simulation: {scheme: combined, step: 1e-4, until: 1e-3}\n";
  const Outcome o = ricochet("run pin.yaml --no-output");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(
      o.err.find("pin.yaml:6:10: system.contacts.pin: the contact 'pin.1' of bush/bore and pin/land begins with a "
                 "penetration of 0.0015"),
      std::string::npos)
      << o.err;
}

/// Every ADVANCED_FACE says the other side of its surface, and its bounds run the other way.
TEST_F(Cad, AShellThatIsInsideOutIsTurned) {
  const Json good = Json::parse(cad(step("bearing-bush")).out)["parts"][0];
  std::string text = step("bearing-bush");
  for (std::size_t at = text.find("ADVANCED_FACE("); at != std::string::npos;
       at = text.find("ADVANCED_FACE(", at + 1)) {
    const std::size_t sense = text.find(");", at) - 2;
    text[sense] = text[sense] == 'T' ? 'F' : 'T';
  }
  const Outcome o = cad(text);
  ASSERT_EQ(o.status, 0) << o.err;
  const Json turned = Json::parse(o.out)["parts"][0];
  EXPECT_NEAR(turned["volume"].get<double>(), good["volume"].get<double>(), 1e-18);
  for (std::size_t k = 0; k < good["faces"].size(); ++k) {
    EXPECT_EQ(turned["faces"][k]["size"], good["faces"][k]["size"]);
    EXPECT_EQ(turned["faces"][k]["name"], good["faces"][k]["name"]);
  }
}

TEST_F(Cad, AnEdgeWithoutLengthIsLeftOut) {
  const Json good = Json::parse(cad(step("bearing-bush")).out)["parts"][0];
  std::string text = step("bearing-bush");
  replace(text, "#19 = EDGE_LOOP('',(#20,", "#19 = EDGE_LOOP('',(#20,#9100,");
  replace(text, "ENDSEC;\nEND-ISO",
          "#9100 = ORIENTED_EDGE('',*,*,#9101,.T.);\n#9101 = EDGE_CURVE('',#22,#22,#9102,.T.);\n"
          "#9102 = LINE('',#23,#9103);\n#9103 = VECTOR('',#9104,1.);\n#9104 = DIRECTION('',(1.,0.,0.));\n"
          "ENDSEC;\nEND-ISO");
  const Outcome o = cad(text);
  ASSERT_EQ(o.status, 0) << o.err;
  const Json part = Json::parse(o.out)["parts"][0];
  EXPECT_EQ(part["edges"], good["edges"]);
  EXPECT_NEAR(part["volume"].get<double>(), good["volume"].get<double>(), 1e-18);
}

/// A ball on a stick whose hole lies across the seam of the sphere: the library reads the cap instead of the ball, and
/// the volume was that of a stick with a dent.
TEST_F(Cad, AFaceThatIsReadWithTheWrongSideIsRefused) {
  expect_refused(slurp(RICOCHET_SOURCE_DIR "/tests/regression/sphere_across_seam.step"),
                 "this face of 'plunger' is not read as it is written", "part.step:2");
}

TEST_F(Cad, UnknownSurfacesAreRefusedWithTheirLine) {
  std::string text = step("cam-cam");
  const std::size_t at = text.find(" = SURFACE_OF_LINEAR_EXTRUSION"), begin = text.rfind('#', at);
  ASSERT_NE(at, std::string::npos);
  const std::string number = text.substr(begin, at - begin);
  text.replace(begin, at - begin, "#9200");
  replace(text, "ENDSEC;\nEND-ISO", number + " = OFFSET_SURFACE('',#9200,0.1,.F.);\nENDSEC;\nEND-ISO");
  const std::string before = text.substr(0, text.find("ADVANCED_FACE('profile'"));
  const auto line = std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
  expect_refused(text, "face 'profile' of 'cam' lies on a surface of no known kind", "part.step:" + line + ":");
}

}  // namespace
}  // namespace ricochet::test::cad_test
