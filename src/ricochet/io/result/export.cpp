#include "ricochet/io/result/export.hpp"

#include <fmt/format.h>

#include <map>

#include "ricochet/io/file/output.hpp"

namespace ricochet {
namespace {

constexpr const char* kTotal = "";

// Names with commas, quotes or line breaks are quoted as usual.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

bool chosen(const TableColumn& c, const std::string& word) {
  return c.name == word || (c.name.starts_with(word) && c.name[word.size()] == '.');
}

std::vector<TableColumn> choose(const std::vector<TableColumn>& all, const std::vector<std::string>& words) {
  if (words.empty()) return all;
  std::vector<TableColumn> out;
  for (const std::string& word : words) {
    const std::size_t before = out.size();
    for (const TableColumn& c : all)
      if (chosen(c, word)) out.push_back(c);
    if (out.size() > before) continue;
    std::vector<std::string> names;
    for (const TableColumn& c : all) names.push_back(c.name);
    throw InputError("--columns", unknown_word("column", word, names));
  }
  return out;
}

}  // namespace

std::vector<TableColumn> table_columns(const Results& results) {
  std::vector<TableColumn> out;
  const h5::Group& root = results.root();
  out.push_back({"t", "steps/t"});
  const auto vector = [&](const std::string& letter, const std::string& path, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) out.push_back({letter + "." + names[k], path, names.size(), k});
  };
  vector("q", "steps/q", results.names("positions"));
  vector("v", "steps/v", results.names("velocities"));
  // Of a constraint the first row bears its name, the others a number: U.A, U.A.1, U.A.2.
  std::vector<std::pair<std::string, std::string>> groups;  // in the order of the model
  if (root.has("constraints")) {
    const h5::Group constraints = root.group("constraints");
    std::vector<std::string> left = constraints.names();
    for (const std::string& name : results.names("constraints"))
      for (std::string& group : left)
        if (!group.empty() && constraints.group(group).text("name") == name) {
          groups.emplace_back(group, "constraints/" + group);
          group.clear();
          break;
        }
  }
  for (const char* kind : {"gap", "residual", "U", "P", "correction", "smooth", "reaction"})
    for (const auto& [name, group] : groups) {
      const std::string path = group + "/" + kind;
      if (!root.has(path)) continue;
      const std::size_t width = root.dataset(path).width();
      for (std::size_t k = 0; k < width; ++k)
        out.push_back({std::string(kind) + "." + name + (k == 0 ? "" : fmt::format(".{}", k)), path, width, k});
    }
  out.push_back({"E", kTotal});
  for (const std::string& name : energy_names()) out.push_back({name, "energy/" + name});
  for (const std::string& name : certificate_names()) out.push_back({name, "certificate/" + name});
  for (const std::string& name : iteration_names()) out.push_back({name, "iterations/" + name});
  out.push_back({"h", "steps/h"});
  out.push_back({"steps", "steps/steps"});
  return out;
}

void write_events_csv(const Results& results, std::FILE* file) {
  const std::vector<std::string> constraints = results.names("constraints");
  std::string text = "t,kind,constraint,U_before,U_after,impulse\n";
  for (const Event& e : results.events())
    text += fmt::format("{:.17g},{},{},{:.17g},{:.17g},{:.17g}\n", e.t, name(e.kind),
                        e.item < 0 ? "" : quoted(constraints[static_cast<std::size_t>(e.item)]), e.U_before, e.U_after,
                        e.impulse);
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
    throw OutputError("the table could not be written: the disk is full, or the reader is gone");
}

void write_csv(const Results& results, const CsvOptions& options, std::FILE* file) {
  const auto columns = choose(table_columns(results), options.columns);
  std::map<std::string, std::vector<double>> data;
  for (const TableColumn& c : columns) {
    if (data.count(c.path) > 0) continue;
    if (c.path == kTotal) {
      auto sum = results.numbers("energy/kinetic");
      const auto potential = results.numbers("energy/potential");
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += potential[i];
      data[c.path] = std::move(sum);
    } else {
      data[c.path] = results.numbers(c.path, c.width);
    }
  }
  std::vector<const double*> values;
  fmt::memory_buffer line;
  for (const TableColumn& c : columns) {
    values.push_back(data[c.path].data() + c.at);
    fmt::format_to(std::back_inserter(line), "{}{}", values.size() > 1 ? "," : "", quoted(c.name));
  }
  const auto put = [&] {
    line.push_back('\n');
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size())
      throw OutputError("the table could not be written: the disk is full, or the reader is gone");
    line.clear();
  };
  put();
  const auto every = static_cast<std::size_t>(options.every > 0 ? options.every : 1);
  for (std::size_t row = 0; row < results.rows(); row += every) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      fmt::format_to(std::back_inserter(line), "{}{:.17g}", k > 0 ? "," : "", values[k][row * columns[k].width]);
    put();
  }
  if (std::fflush(file) != 0) throw OutputError("the table could not be written: the disk is full");
}

}  // namespace ricochet
