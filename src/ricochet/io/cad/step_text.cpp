#include "ricochet/io/cad/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr const char* kAcceptedFile = "accepted: a STEP file of solids (ISO 10303-21, AP203, AP214 or AP242)";

/// What the beginning of a file that is no STEP file looks like.
std::string guess(std::string_view text) {
  const auto begins = [&](std::string_view word) { return text.substr(0, word.size()) == word; };
  if (text.empty()) return "the file is empty";
  if (begins("solid ") || begins("solid\n")) return "this looks like STL, a mesh";
  if (begins("$MeshFormat")) return "this is a mesh of Gmsh";
  if (begins("\x89HDF")) return "this is HDF5, perhaps a result";
  if (begins("ricochet-brep")) return "this is extracted geometry already; say `brep`";
  if (begins("PK\x03\x04")) return "this is compressed (a FreeCAD document, say)";
  if (begins("DBRep_DrawableShape") || begins("CASCADE Topology"))
    return "this is BREP of OpenCASCADE; export STEP instead";
  if (text.size() > 80 && text.substr(0, 80).find_first_of("\r\n") == std::string_view::npos && text[72] == 'S')
    return "this looks like IGES; export STEP instead";
  return "this is no STEP file: it does not begin with ISO-10303-21;";
}

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  struct Reference {
    std::int64_t number;
    int line;
  };
  struct Definition {
    std::int64_t number;
    int line;
    std::size_t begin, end;  ///< of the text behind the number
  };
  std::vector<Definition> defined;
  std::vector<Reference> named;

  void scan() {
    blanks();
    if (text_.substr(at_, 13) != "ISO-10303-21;") fail(line_, guess(text_));
    bool data = false, ended = false;
    while (blanks(), at_ < text_.size()) {
      begin_ = line_;
      const std::string_view word = text_.substr(at_, 24);
      if (word.starts_with("END-ISO-10303-21;")) {
        ended = true;
        break;
      }
      if (word.starts_with("DATA")) data = true;
      statement(data && text_[at_] == '#');
    }
    if (!ended) fail(line_, "the file ends here, without END-ISO-10303-21; at its end: it was cut off");
    if (!data || defined.empty()) fail(line_, "there are no data in it");
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}", name_, line), fmt::format("{}; {}", what, kAcceptedFile));
  }

 private:
  void step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }

  void blanks() {
    while (at_ < text_.size()) {
      if (static_cast<unsigned char>(text_[at_]) <= ' ') {
        step();
      } else if (text_.substr(at_, 2) == "/*") {
        skip("*/", "a comment");
      } else {
        return;
      }
    }
  }

  void skip(std::string_view end, const char* what) {
    const int line = line_;
    ++at_;
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) step();
    if (at_ >= text_.size()) fail(line, fmt::format("the file ends in {} that begins here: it was cut off", what));
    at_ += end.size();
  }

  std::int64_t number() {
    ++at_;
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc() || out <= 0) fail(line_, "a # without a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return out;
  }

  /// A number, the name of a type with its values behind it, or a word between two points.
  void value() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    const auto run = [&](const char* others) {
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                    std::string_view(others).find(text_[at_]) != std::string_view::npos))
        ++at_;
      return text_.substr(begin, at_ - begin);
    };
    if (c == '.') {
      ++at_;
      const std::string_view word = run("_");
      if (at_ < text_.size() && text_[at_++] != '.') fail(line_, fmt::format("'{}' lacks its second point", word));
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      const std::string_view word = run("_");
      blanks();
      if (at_ < text_.size() && text_[at_] != '(') fail(line_, fmt::format("'{}' is no value", word));
    } else {
      const std::string_view word = run("+-.");
      const std::string_view digits = word.substr(c == '+' ? 1 : 0);
      double number = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      // what is too small is zero; what is too large is nothing
      const bool small = error == std::errc::result_out_of_range && digits.find_first_of("eE") != digits.npos &&
                         digits[digits.find_first_of("eE") + 1] == '-';
      if (end != digits.data() + digits.size() || (error != std::errc() && !small))
        fail(line_, fmt::format("'{}' is no number", word));
    }
  }

  /// Up to the semicolon. In the data section the first number is what is defined, others are what it needs.
  void statement(bool entity) {
    if (entity) {
      defined.push_back({number(), begin_, 0, 0});
      blanks();
      defined.back().begin = std::min(at_ + 1, text_.size());
      if (at_ < text_.size() && text_[at_] != '=') fail(line_, "a = is missing behind the number");
    }
    int depth = 0;
    while (blanks(), at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'') {
        skip("'", "a text");
      } else if (c == '"' && entity) {
        skip("\"", "a row of bits");
      } else if (c == '#' && entity) {
        const int line = line_;
        named.push_back({number(), line});
      } else if (entity && depth > 0 &&
                 (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-')) {
        value();
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0) fail(line_, "a parenthesis closes that was not opened");
        step();
        if (c != ';') continue;
        if (depth != 0) fail(begin_, "a parenthesis is not closed");
        if (entity) defined.back().end = at_ - 1;
        return;
      }
    }
    fail(begin_, "the file ends in the statement that begins here: it was cut off");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int line_ = 1, begin_ = 1;
};

}  // namespace

StepText::StepText(std::string_view text, const std::string& name) : name_(name) {
  Scanner scanner(text, name);
  scanner.scan();
  for (const auto& [number, line, begin, end] : scanner.defined) {
    entities_.push_back({number, line});
    const std::string_view body = text.substr(begin, end - begin);
    for (const char* word : {"UNIT", "REPRESENTATION", "SHELL_BASED_SURFACE_MODEL", "MANIFOLD_SOLID", "BREP"})
      if (body.find(word) != std::string_view::npos) {
        told_.emplace(number, body);
        break;
      }
  }
  const auto before = [](const Entity& a, const Entity& b) { return a.number < b.number; };
  std::stable_sort(entities_.begin(), entities_.end(), before);
  for (std::size_t i = 1; i < entities_.size(); ++i)
    if (entities_[i].number == entities_[i - 1].number)
      scanner.fail(entities_[i].line,
                   fmt::format("#{} is there twice, first in line {}", entities_[i].number, entities_[i - 1].line));
  for (const auto& [number, line] : scanner.named)
    if (!std::binary_search(entities_.begin(), entities_.end(), Entity{number, 0}, before))
      scanner.fail(line, fmt::format("#{} is not in the file", number));
}

std::string StepText::where(std::int64_t number) const {
  const auto found = std::lower_bound(entities_.begin(), entities_.end(), number,
                                      [](const Entity& a, std::int64_t b) { return a.number < b; });
  return found != entities_.end() && found->number == number ? fmt::format("{}:{}", name_, found->line) : name_;
}

}  // namespace ricochet
