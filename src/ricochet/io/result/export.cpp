#include "ricochet/io/result/export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/file/output.hpp"
#include "ricochet/io/result/joint_columns.hpp"

namespace ricochet {
namespace {

// Names with commas, quotes or line breaks are quoted as usual.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

bool chosen(const NamedColumn& c, const std::string& word) {
  return c.name == word || (c.name.starts_with(word) && c.name[word.size()] == '.');
}

std::vector<NamedColumn> choose(const std::vector<NamedColumn>& all, const std::vector<std::string>& words) {
  if (words.empty()) return all;
  std::vector<NamedColumn> out;
  for (const std::string& word : words) {
    const std::size_t before = out.size();
    for (const NamedColumn& c : all)
      if (chosen(c, word)) out.push_back(c);
    if (out.size() > before) continue;
    std::vector<std::string> names;
    for (const NamedColumn& c : all) names.push_back(c.name);
    throw InputError("--columns", unknown_word("column", word, names));
  }
  return out;
}

}  // namespace

void write_events_csv(const Results& results, std::FILE* file) {
  const std::vector<ConstraintItem>& constraints = results.names().items;
  std::string text = "t,kind,constraint,U_before,U_after,impulse\n";
  for (const Event& e : results.events())
    text += fmt::format("{:.17g},{},{},{:.17g},{:.17g},{:.17g}\n", e.t, name(e.kind),
                        e.item < 0 ? "" : quoted(constraints[static_cast<std::size_t>(e.item)].name), e.U_before,
                        e.U_after, e.impulse);
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
    throw OutputError("the table could not be written: the disk is full, or the reader is gone");
}

void write_csv(const Results& results, const CsvOptions& options, std::FILE* file) {
  JointColumns joints(results);
  std::vector<NamedColumn> all = results.columns();
  all.insert(all.end(), joints.columns().begin(), joints.columns().end());
  const auto columns = choose(all, options.columns);
  const auto is_derived = [](const NamedColumn& c) { return c.kind == NamedColumn::Kind::derived; };
  const bool derived = std::any_of(columns.begin(), columns.end(), is_derived);
  fmt::memory_buffer line;
  for (const NamedColumn& c : columns)
    fmt::format_to(std::back_inserter(line), "{}{}", &c == columns.data() ? "" : ",", quoted(c.name));
  const auto put = [&] {
    line.push_back('\n');
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size())
      throw OutputError("the table could not be written: the disk is full, or the reader is gone");
    line.clear();
  };
  put();
  const auto every = static_cast<std::size_t>(options.every > 0 ? options.every : 1);
  for (RowReader rows(results, derived ? results.columns() : columns); rows.next();) {
    if (derived) joints.take(rows.row());
    if (rows.index() % every != 0) continue;
    for (const NamedColumn& c : columns)
      fmt::format_to(std::back_inserter(line), "{}{:.17g}", &c == columns.data() ? "" : ",",
                     is_derived(c) ? joints.value(c) : results.layout().value(c, rows.row()));
    put();
  }
  if (std::fflush(file) != 0) throw OutputError("the table could not be written: the disk is full");
}

}  // namespace ricochet
