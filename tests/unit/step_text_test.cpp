// STEP files from outside, and programs that are started with limits.
#include "ricochet/io/cad/step_text.hpp"

#include <gtest/gtest.h>

#include "ricochet/io/file/guard.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::step_text_test {
namespace {

std::string file(const std::string& data) {
  return "ISO-10303-21;\nHEADER;\nFILE_NAME('a;#9','b');\nENDSEC;\nDATA;\n" + data + "\nENDSEC;\nEND-ISO-10303-21;\n";
}

std::string complaint(const std::string& text) {
  try {
    StepText(text, "a.step");
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(StepText, KnowsWhereThingsStand) {
  const StepText text(file("#2 = PLANE('it''s; (#7',#1);\n/* #8 */\n#1\n = POINT(\n 'x');"), "a.step");
  EXPECT_EQ(text.where(2), "a.step:6");
  EXPECT_EQ(text.where(1), "a.step:8");
  EXPECT_EQ(text.where(3), "a.step");
}

TEST(StepText, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(file("#1 = A(#2);\n#2 = B();")), "");
  for (const auto& [data, expected] : {std::pair{"#1 = A(#2);", "a.step:6: #2 is not in the file"},
                                       {"#1 = A();\n#1 = B();", "a.step:7: #1 is there twice, first in line 6"},
                                       {"#1 = A(();", "a.step:6: a parenthesis is not closed"},
                                       {"#1 = A());", "a.step:6: a parenthesis closes that was not opened"},
                                       {"#1 A();", "a.step:6: a = is missing behind the number"},
                                       {"# = A();", "a.step:6: a # without a number"},
                                       {"#99999999999999999999 = A();", "a.step:6: a # without a number"},
                                       {"\n#1 = A('b);", "a.step:7: the file ends in a text that begins here"},
                                       {"/*#1 = A();", "a.step:6: the file ends in a comment that begins here"},
                                       {"#1 = A(1.,\n1.E400);", "a.step:7: '1.E400' is no number"},
                                       {"#1 = A((2.,1.5.2));", "a.step:6: '1.5.2' is no number"},
                                       {"#1 = A(-);", "a.step:6: '-' is no number"},
                                       {"#1 = A(0,NAN);", "a.step:6: 'NAN' is no value"},
                                       {"#1 = A(.TRUE);", "a.step:6: '.TRUE' lacks its second point"},
                                       {"", "there are no data in it"}})
    EXPECT_NE(complaint(file(data)).find(expected), std::string::npos) << data << "\n" << complaint(file(data));
  EXPECT_EQ(complaint(file("#1 = (A() B(*,$,.T.) C(L_M(+2.5E1),-3,(1.E-400,\"0F\")));")), "");
  const std::string whole = file("#1 = A(1.,\n2.);");
  EXPECT_EQ(complaint(whole), "");
  // wherever it is cut off before its last word, somebody notices
  for (std::size_t n = 0; n + 2 < whole.size(); ++n) EXPECT_NE(complaint(whole.substr(0, n)), "") << n;
}

std::string complaint_of_units(const std::string& context, const std::string& unit) {
  try {
    StepText(file("#1 = ADVANCED_BREP_SHAPE_REPRESENTATION('',(),#2);\n#2 = ( GEOMETRIC_REPRESENTATION_CONTEXT(3)\n" +
                  context + " REPRESENTATION_CONTEXT('','') );\n#3 = " + unit +
                  ";\n#4 = ( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) );"),
             "a.step")
        .units();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(StepText, UnitsAreThoseOfTheStandard) {
  const std::string both = "GLOBAL_UNIT_ASSIGNED_CONTEXT((#3,#4))";
  for (const char* unit : {"( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )",
                           "(length_unit()/* ( */NAMED_UNIT(*)SI_UNIT\n( $ , .metre. ))",
                           "( CONVERSION_BASED_UNIT('INCH',#5) LENGTH_UNIT() NAMED_UNIT(*) );\n#5 = "
                           "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(2.54),#6);\n#6 = ( LENGTH_UNIT() NAMED_UNIT(*) "
                           "SI_UNIT(.CENTI.,.METRE.) )",
                           "( CONVERSION_BASED_UNIT('it''s, an (ell',#5) LENGTH_UNIT() NAMED_UNIT(*) );\n#5 = "
                           "(LENGTH_MEASURE_WITH_UNIT() MEASURE_WITH_UNIT(LENGTH_MEASURE(1.143),#6));\n#6 = ( "
                           "LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) )"})
    EXPECT_EQ(complaint_of_units(both, unit), "") << unit;
  const auto wrong = [&](const std::string& context, const std::string& unit, const std::string& expected) {
    const std::string told = complaint_of_units(context, unit);
    EXPECT_NE(told.find(expected), std::string::npos) << told;
    EXPECT_NE(told.find("accepted: SI_UNIT"), std::string::npos) << told;
  };
  const std::string mm = "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )";
  const std::string inch = "( CONVERSION_BASED_UNIT('INCH',#5) LENGTH_UNIT() NAMED_UNIT(*) );\n#5 = ";
  wrong("", mm, "a.step:7: the geometry of this context has no units");
  wrong("GLOBAL_UNIT_ASSIGNED_CONTEXT((#4))", mm, "a.step:7: the units of this context hold none of length");
  wrong("GLOBAL_UNIT_ASSIGNED_CONTEXT((#3,#3))", mm, "a.step:7: the units of this context hold several of length");
  wrong(both, "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILI.,.METRE.) )",
        "a.step:9: SI_UNIT(.MILI.,.METRE.) is no unit");
  wrong(both, "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.RADIAN.) )",
        "a.step:9: SI_UNIT($,.RADIAN.) is no unit of length");
  wrong(both, "( LENGTH_UNIT() NAMED_UNIT(*) )", "a.step:9: this unit of length says nothing of its size");
  const std::string metre = ");\n#6 = ( LENGTH_UNIT() SI_UNIT($,.METRE.) )";
  for (const char* name : {"", "$", "'", "'INCH"})
    EXPECT_NE(complaint_of_units(both, std::string("( CONVERSION_BASED_UNIT(") + name + ",#5) LENGTH_UNIT() );\n#5 = " +
                                           "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(0.1),#6" + metre),
              "no answer")
        << name;
  EXPECT_EQ(complaint_of_units(both, inch + "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(+2.54E-2),#6" + metre), "");
  wrong(both, inch + "A()", "a.step:9: the unit of length 'INCH' says nothing of its size");
  wrong(both, inch + "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#6);\n#6 = ( LENGTH_UNIT() SI_UNIT($,.METRE.) )",
        "a.step:9: the unit of length 'INCH' has the size 25.4, not 0.0254");
  wrong(both, inch + "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(-1.),#6);\n#6 = ( LENGTH_UNIT() SI_UNIT($,.METRE.) )",
        "says nothing of its size");
  wrong(both,
        inch + "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#6);\n#6 = ( LENGTH_UNIT() SI_UNIT(.MIL.,.METRE.) )",
        "a.step:11: SI_UNIT(.MIL.,.METRE.) is no unit of length");
}

TEST(Guard, ProgramsEndWithinTheirLimits) {
  using End = ProgramRun::End;
  const auto run = [](const std::string& line, std::uint64_t memory = 512) {
    return run_guarded({"/bin/sh", "-c", line}, {2, memory}, 1000);
  };
  const ProgramRun good = run("echo hello; echo unheard >&2; exit 7");
  EXPECT_EQ(good.end, End::exited);
  EXPECT_EQ(good.status, 7);
  EXPECT_EQ(good.output, "hello\n");
  EXPECT_EQ(run("kill -SEGV $$").end, End::crashed);
  EXPECT_EQ(run("kill -XCPU $$").end, End::out_of_time);
  EXPECT_EQ(run("while :; do echo again; done").end, End::too_long);
  EXPECT_EQ(run("cat").output, "") << "there is nothing to read";
  EXPECT_NE(run("echo hello", 1).output, "hello\n") << "a megabyte is too little for a shell";
  EXPECT_EQ(run_guarded({"/no/such/program"}, {2, 512}, 1000).status, 127);
}

}  // namespace
}  // namespace ricochet::step_text_test
