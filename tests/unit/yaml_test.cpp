#include "ricochet/io/yaml/yaml.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

namespace ricochet::yaml_test {
namespace {

using yaml::Document;
using yaml::Node;
namespace fs = std::filesystem;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Document doc(const std::string& text) { return Document::parse(text, "f.yaml"); }
std::string parse_error(const std::string& text) {
  return error_of([&] { doc(text); });
}
Node at(const Document& document, std::initializer_list<const char*> path) {
  Node node = document.root();
  for (const char* key : path) node = node.child(key);
  return node;
}

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("ricochet-yaml-" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  fs::path path;
};

TEST(Yaml, ReadsTypedValues) {
  const Document d = doc("a: 1.5\nb: [1, -2e3, +.5]\nc: {x: true, y: 'no'}\nn: 1e3\nname: 2024\n");
  EXPECT_EQ(at(d, {"a"}).number(), 1.5);
  const auto items = at(d, {"b"}).items();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1].number(), -2000);
  EXPECT_EQ(items[2].number(), 0.5);
  EXPECT_EQ(items[1].path(), "b.1");
  EXPECT_TRUE(at(d, {"c", "x"}).boolean());
  EXPECT_EQ(at(d, {"c", "y"}).text(), "no");
  EXPECT_EQ(at(d, {"n"}).integer(), 1000);
  EXPECT_EQ(at(d, {"name"}).text(), "2024");
  const auto entries = d.root().entries();
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[4].key, "name");
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_FALSE(at(d, {"zzz"}));
  EXPECT_EQ(at(d, {"zzz", "deeper"}).number(7), 7);
  EXPECT_EQ(at(d, {"a"}).number(7), 1.5);
}

TEST(Yaml, WrongTypesSayWhereWhatAndWhy) {
  const Document d =
      doc("simulation:\n  step: 5 kg\n  until: .nan\n  big: 1e400\n  q: \"0.1\"\n  on: yes\n  n: 1.5\n  e:\n");
  const auto number = [&](const char* key) { return error_of([&] { at(d, {"simulation", key}).number(); }); };
  EXPECT_EQ(number("step"), "f.yaml:2:9: simulation.step: expected a number in SI units, found the text '5 kg'");
  EXPECT_EQ(
      number("until"),
      "f.yaml:3:10: simulation.until: expected a finite number, found .nan; accepted: what fits double precision");
  EXPECT_EQ(number("big"),
            "f.yaml:4:8: simulation.big: expected a finite number, found 1e400; accepted: what fits double precision");
  EXPECT_EQ(
      number("q"),
      "f.yaml:5:6: simulation.q: expected a number, found the text '0.1' in quotes; accepted: 0.1 without quotes");
  EXPECT_EQ(number("e"), "f.yaml:8:3: simulation.e: expected a number in SI units, found nothing");
  EXPECT_EQ(number("missing"), "f.yaml:2:3: simulation.missing: expected a number in SI units, found nothing");
  EXPECT_EQ(error_of([&] {
              at(d, {"simulation", "on"}).boolean();
            }),
            "f.yaml:6:7: simulation.on: expected true or false, found the text 'yes'");
  EXPECT_EQ(error_of([&] {
              at(d, {"simulation", "n"}).integer();
            }),
            "f.yaml:7:6: simulation.n: expected a whole number, found 1.5; accepted: 1 or 2, say");
  EXPECT_EQ(error_of([&] { at(d, {"simulation"}).text(); }), "f.yaml:2:3: simulation: expected text, found a map");
  EXPECT_EQ(error_of([&] {
              at(d, {"simulation", "n"}).items();
            }),
            "f.yaml:7:6: simulation.n: expected a list [a, b, ...], found the number 1.5");
}

TEST(Yaml, NumbersAreDecimalAndFillTheScalar) {
  double x = 0;
  for (const char* bad : {"", "-", "inf", "nan", "0x10", "1_000", "1,5", "1e", "1.2.3", " 1", "1 ", "--1", "1e5x", ".",
                          "1/", "/2", "1/2/3", "1 / 2", "1/x"})
    EXPECT_FALSE(yaml::parse_number(bad, x)) << bad;
  EXPECT_TRUE(yaml::parse_number("-1.5E-3", x));
  EXPECT_EQ(x, -1.5e-3);
  EXPECT_TRUE(yaml::parse_number("0.1", x));
  EXPECT_EQ(x, 0.1);
  EXPECT_TRUE(yaml::parse_number("-1/1.8", x));
  EXPECT_EQ(x, -1 / 1.8);
  EXPECT_NE(error_of([&] { doc("a: 1/0\n").root().child("a").number(); }).find("finite"), std::string::npos);
}

TEST(Yaml, UnknownKeysSuggestTheNearest) {
  const std::vector<std::string> accepted{"gap", "slip", "restitution", "friction"};
  EXPECT_EQ(error_of([&] { doc("gap: 1\nrestituton: 0.5\n").root().accept_keys(accepted); }),
            "f.yaml:2:1: unknown key 'restituton'; accepted: gap, slip, restitution, friction; "
            "did you mean 'restitution'?");
  EXPECT_EQ(error_of([&] { doc("xyz: 1\n").root().accept_keys(accepted); }),
            "f.yaml:1:1: unknown key 'xyz'; accepted: gap, slip, restitution, friction");
  EXPECT_EQ(nearest("Slip", accepted), "slip");
  EXPECT_EQ(nearest("lsip", accepted), "slip");
  EXPECT_EQ(nearest("q", accepted), "");
}

TEST(Yaml, RefusesWhatADocumentMustNotHold) {
  EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"),
            "f.yaml:3:1: the key 'a' is given twice, first at f.yaml:1:1; accepted: each key once");
  EXPECT_EQ(parse_error(""), "f.yaml: the file is empty; accepted: a YAML document");
  EXPECT_EQ(parse_error("# only a comment\n"), "f.yaml: the file is empty; accepted: a YAML document");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"),
            "f.yaml:3:1: a second document begins here; accepted: one document per file");
  EXPECT_EQ(
      parse_error("a: !!python/object x\n"),
      "f.yaml:1:4: the tag 'tag:yaml.org,2002:python/object' is not used here; accepted: plain values without tags");
  EXPECT_EQ(parse_error("[1, 2]: 3\n"),
            "f.yaml:1:1: a key must be a name, not a list or a map; is a bracket left open?");
  EXPECT_EQ(parse_error(std::string("a: \x00\n", 5)), "f.yaml:1:4: byte 0x00 is not text; accepted: YAML in UTF-8");
  EXPECT_EQ(parse_error("a: \xC3\x28\n"), "f.yaml:1:4: byte 0xC3 is not text; accepted: YAML in UTF-8");
  EXPECT_EQ(parse_error("a: [1, 2\nb: 3\n").substr(0, 25), "f.yaml:2:2: not valid YAM");
  EXPECT_EQ(parse_error("a: 1\n b: 2\n").substr(0, 25), "f.yaml:2:3: not valid YAM");
  EXPECT_EQ(parse_error("a:\n  b: 1\n \tc: 2\n"), "f.yaml:3:2: a tab indents this line; accepted: spaces");
  EXPECT_EQ(parse_error("a: \t1\n"), "no error");
  EXPECT_EQ(parse_error("a: &x [*x]\n"), "f.yaml:1:8: this alias refers to a value that contains it");
}

TEST(Yaml, SharedValuesAreExpandedAndBombsRefused) {
  const Document d = doc("a: &p {x: 1}\nb: *p\n");
  EXPECT_EQ(at(d, {"b", "x"}).number(), 1);
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int k = 1; k < 12; ++k) {
    bomb += "a" + std::to_string(k) + ": &a" + std::to_string(k) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ",*a" : "*a") + std::to_string(k - 1);
    bomb += "]\n";
  }
  EXPECT_NE(parse_error(bomb).find("the aliases of this document expand to more than 100000 values"), std::string::npos)
      << parse_error(bomb);
}

TEST(Yaml, DeepNestingIsAnErrorNotACrash) {
  for (const char* open : {"[", "{a: ", "- "}) {
    std::string text;
    for (int k = 0; k < 100'000; ++k) text += open;
    EXPECT_NE(parse_error(text), "no error") << open;
  }
}

TEST(Yaml, FilesThatCannotBeRead) {
  const Folder folder;
  folder.write("bouncing-ball.yaml", "a: 1\n");
  const fs::path big = folder.write("big.yaml", "a: 1\n");
  fs::resize_file(big, std::uintmax_t{1} << 40);  // more than any memory: it is refused unread
  const auto error = [](const fs::path& file) { return error_of([&] { Document::read(file); }); };
  EXPECT_EQ(error(big), big.string() + ": the file has 1048576 MiB; accepted: up to 16 MiB");
  EXPECT_EQ(error(folder.path / "bouncing_bal.yaml"), (folder.path / "bouncing_bal.yaml").string() +
                                                          ": there is no such file; similar: '" +
                                                          (folder.path / "bouncing-ball.yaml").string() + "'");
  EXPECT_EQ(error(folder.path), folder.path.string() + ": this is a folder; accepted: a YAML file");
  EXPECT_EQ(error(folder.path / "no" / "x.yaml"),
            (folder.path / "no" / "x.yaml").string() + ": there is no folder '" + (folder.path / "no").string() + "'");
  EXPECT_NE(error("/dev/zero").find("accepted: up to 16 MiB"), std::string::npos);
  EXPECT_EQ(Document::read(folder.path / "bouncing-ball.yaml").root().child("a").where(),
            (folder.path / "bouncing-ball.yaml").string() + ":1:4");
}

TEST(Yaml, ColumnsCountCharactersAlsoBehindByteOrderMarkAndCarriageReturns) {
  const Document d = doc("\xEF\xBB\xBFα: {θθ: 1, b: x}\r\nc: y\r\n");
  EXPECT_EQ(at(d, {"α", "b"}).where(), "f.yaml:1:15");
  EXPECT_EQ(at(d, {"c"}).where(), "f.yaml:2:4");
  EXPECT_EQ(at(d, {"c"}).text(), "y");
}

TEST(Yaml, PositionsInsideScalars) {
  // '@' marks the character that is looked for; it is part of the value.
  const std::pair<const char*, const char*> cases[] = {
      {"g: y - @l\n", "f.yaml:1:8"},
      {"g: &anchor y - @l\n", "f.yaml:1:16"},
      {"g: 'a''b @l'\n", "f.yaml:1:10"},
      {"g: \"a\\\"b\\u03b8 @l\"\n", "f.yaml:1:16"},
      {"g: {h: θ*@l}\n", "f.yaml:1:10"},
      {"g: a +\n   b\n     + @c\n", "f.yaml:3:8"},
      {"g: |\n  a +\n  b + @c\n", "f.yaml:3:7"},
      {"g: >-\n  a +\n\n    b +\n  @c\n", "f.yaml:5:3"},
      {"g: 'a\n   + @b'\n", "f.yaml:2:6"},
      {"g: \"a \\\n   + @b\"\n", "f.yaml:2:6"},
  };
  for (const auto& [text, where] : cases) {
    const std::string from = std::string(text).replace(std::string(text).find('@'), 1, "^");
    const Document d = doc(from);
    Node g = at(d, {"g"});
    if (g.is_map()) g = g.child("h");
    EXPECT_EQ(g.position_inside(g.text().find('^')), where) << text;
    EXPECT_EQ(error_of([&] { g.fail_inside(g.text().find('^'), "wrong"); }), where + (": " + g.path()) + ": wrong");
  }
}

TEST(Yaml, OverridesChangeAndCreate) {
  Document d = doc("simulation: {scheme: combined, step: 1e-2}\nlist: [1, 2]\nempty:\n");
  const Node before = d.root();
  d.set("simulation.step=1e-3");
  d.set("simulation.scheme.theta=0.75");
  d.set("system.formulas.contacts.A.restitution=0.3");
  d.set("list.1=7");
  d.set("empty.a=5 kg");
  EXPECT_EQ(at(d, {"simulation", "step"}).number(), 1e-3);
  EXPECT_EQ(before.child("simulation").child("step").number(), 1e-2);
  EXPECT_EQ(at(d, {"simulation", "scheme", "name"}).text(), "combined");
  EXPECT_EQ(at(d, {"simulation", "scheme", "theta"}).number(), 0.75);
  EXPECT_EQ(at(d, {"system", "formulas", "contacts", "A", "restitution"}).number(), 0.3);
  EXPECT_EQ(at(d, {"list"}).items()[1].number(), 7);
  EXPECT_EQ(at(d, {"simulation", "step"}).where(), "--set simulation.step");
  EXPECT_EQ(error_of([&] {
              at(d, {"empty", "a"}).number();
            }),
            "--set empty.a: empty.a: expected a number in SI units, found the text '5 kg'");
  const std::vector<std::string> none;
  EXPECT_EQ(error_of([&] { at(d, {"system"}).accept_keys(none); }),
            "--set system.formulas.contacts.A.restitution: system: unknown key 'formulas'; accepted: none");
}

TEST(Yaml, OverridesThatCannotBe) {
  Document d = doc("a: 1\nlist: [1, 2]\n");
  const auto error = [&](const char* text) { return error_of([&] { d.set(text); }); };
  EXPECT_EQ(error("a"), "--set a: expected path=value, as in simulation.step=1e-3");
  EXPECT_EQ(error("=1"), "--set =1: expected path=value, as in simulation.step=1e-3");
  EXPECT_EQ(error("a.b=1"), "--set a.b: 'b' cannot be set inside '1'; accepted: the path to a value");
  EXPECT_EQ(error("list.2=1"), "--set list.2: '2' is no entry of this list; accepted: 0 to 1");
  EXPECT_EQ(error("x..y=1").substr(0, 12), "--set x..y: ");
  EXPECT_NE(error("a=[1").find("is a bracket left open?"), std::string::npos);
  EXPECT_EQ(error("--width a.b=1"), "--width: 'b' cannot be set inside '1'; accepted: the path to a value");
  EXPECT_EQ(d.effective_text(), "a: 1\nlist: [1, 2]\n");
}

TEST(Yaml, EffectiveTextReadsBackTheSame) {
  const std::string text =
      "# kept\nname: \"5\"\na: {b: [x, 'y z', {c: null}], 'k: 1': -c*theta', e: '', q: \"\\\"\\\\\\n\"}\n"
      "block: |\n  l1\n\n  l2\nfold: >\n  f1\n  f2\nempty: {}\nnone: []\nnested: [[1, [2]], []]\nplain: a\n  b\n\n  c\n"
      "u: θ ≤ 1\nx: m/2*(x'^2 + y'^2) # comment\n";
  Document d = doc(text);
  EXPECT_EQ(d.effective_text(), text);
  d.set("a.b.0={k: [1, {}], t: '1'}");
  d.set("new.leaf=hash # tag");
  const std::string effective = d.effective_text();
  EXPECT_TRUE(same(d, doc(effective))) << effective;
  EXPECT_FALSE(same(d, doc(text)));
  EXPECT_EQ(at(doc(effective), {"name"}).is_number(), false);
}

TEST(Yaml, RandomDocumentsRoundTripOrAreRefused) {
  std::mt19937 random(7);
  const std::string alphabet[] = {"a",  "b: ", "- ", "\n", "\n  ", "[",    "]",    "{",  "}",  ", ", "'",    "\"",
                                  ": ", "1",   "*",  "#",  " #",   "|",    ">",    "?",  "!",  "&",  "%",    "@",
                                  "`",  "θ",   "~",  "-",  "null", "k1: ", "k2: ", "\\", "\t", ":",  "\n- ", "---"};
  int read = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string text;
    for (int n = static_cast<int>(random() % 14) + 1; n > 0; --n) text += alphabet[random() % std::size(alphabet)];
    try {
      Document d = doc(text);
      if (!d.root().is_map()) continue;
      d.set("zz.added=1");
      ++read;
      const std::string effective = d.effective_text();
      ASSERT_TRUE(same(d, doc(effective))) << "from:\n" << text << "\nto:\n" << effective;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace ricochet::yaml_test
