// The file of finished cells: comma-separated values below two lines that say to which study they belong.
#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "ricochet/io/file/output.hpp"
#include "ricochet/io/result/results.hpp"
#include "ricochet/study/study.hpp"

namespace ricochet {
namespace {

constexpr const char* kFirst = "# ricochet study, cells that are finished; 'ricochet study --resume' goes on with them";

std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 14695981039346656037U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return h;
}

std::string head() {
  std::string out = "scheme,step,status,steps,attempts,impacts,newton,seconds,instructions";
  for (const char* name : error_names()) out += fmt::format(",{}", name);
  return out + ",note";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return out + "\"";
}

std::string line(const StudyCell& c, const std::string& label) {
  std::string out = fmt::format("{},{:.17g},{},{},{},{},{},{:.6g},{:.17g}", quoted(label), c.step, c.status, c.steps,
                                c.attempts, c.impacts, c.newton, c.seconds, c.instructions);
  for (double e : c.errors) out += fmt::format(",{:.17g}", e);
  return out + "," + quoted(c.note);
}

std::vector<std::string> fields(const std::string& text) {
  std::vector<std::string> out(1);
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && inside && i + 1 < text.size() && text[i + 1] == '"')
      out.back() += text[++i];
    else if (text[i] == '"')
      inside = !inside;
    else if (text[i] == ',' && !inside)
      out.emplace_back();
    else
      out.back() += text[i];
  }
  return out;
}

}  // namespace

std::string Study::identity() const {
  std::string all = base_.text + fmt::format("|{:.17g}|{:.17g}|{:.17g}|{}|{:.17g}", until_, options_.scales.time,
                                             options_.scales.value, options_.reference, options_.reference_step);
  for (const std::string& name : options_.coordinates) all += "|" + name;
  return fmt::format("# {} {:016x}", version(), hash(all));
}

// A line that was cut short by the end of the program is left out, and so are cells that are not asked for.
void Study::load_cells() {
  if (!std::filesystem::is_regular_file(options_.cells))
    throw InputError(options_.cells.string(), "there is no such file; accepted: the cells of a study that was stopped");
  std::ifstream in(options_.cells);
  std::string text;
  std::getline(in, text);
  if (text != kFirst)
    throw InputError(options_.cells.string(), "these are no cells of a study; accepted: what 'ricochet study' writes");
  std::getline(in, text);
  if (text.substr(0, text.find(", reference ")) != identity())
    throw InputError(options_.cells.string(),
                     "its cells belong to another study; accepted: the same scenario, settings, reference and program; "
                     "without --resume it begins anew");
  if (const std::size_t at = text.find(", reference "); at != std::string::npos) reference_text_ = text.substr(at + 12);
  std::getline(in, text);
  const std::size_t width = fields(head()).size();
  while (std::getline(in, text) && !in.eof()) {
    const auto f = fields(text);
    if (f.size() != width) continue;
    for (StudyCell& c : cells_) {
      if (c.done() || variants_[c.variant].label != f[0] || fmt::format("{:.17g}", c.step) != f[1]) continue;
      const auto whole = [&](std::size_t k) { return std::strtoll(f[k].c_str(), nullptr, 10); };
      const auto real = [&](std::size_t k) { return std::strtod(f[k].c_str(), nullptr); };
      c.status = f[2];
      c.steps = whole(3), c.attempts = whole(4), c.impacts = whole(5), c.newton = whole(6);
      c.seconds = real(7), c.instructions = real(8);
      for (std::size_t k = 0; k < kErrors; ++k) c.errors[k] = real(9 + k);
      c.note = f[9 + kErrors];
      ++resumed_;
    }
  }
}

bool Study::append(const StudyCell& cell) const {
  // Not made anew: a table that was removed meanwhile has no head.
  const int table = ::open(options_.cells.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  std::FILE* out = table < 0 ? nullptr : fdopen(table, "a");
  if (out == nullptr) return false;
  const std::string text = line(cell, variants_[cell.variant].label) + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && written;
}

// All that is done, in the order of the study.
void Study::write_cells() const {
  OutputFile out(options_.cells);
  out.write(fmt::format("{}\n{}, reference {}\n{}\n", kFirst, identity(), reference_text_, head()));
  for (const StudyCell& c : cells_)
    if (c.finished() || c.status == "failed") out.write(line(c, variants_[c.variant].label) + "\n");
  out.commit();
}

}  // namespace ricochet
