#include "ricochet/io/cad/step.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "ricochet/io/cad/step_text.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/io/file/guard.hpp"
#include "ricochet/io/file/text_file.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;
constexpr std::size_t kLongestAnswer = std::size_t{256} << 20;

std::string load(const std::string& path) { return read_named_file(path, kLargestFile, "a STEP file"); }

/// Beside the program, above it (programs of the build tree), or where it is installed.
std::string reader_program(const std::string& file) {
  if (const char* chosen = std::getenv("RICOCHET_CAD"); chosen != nullptr && *chosen != '\0') {
    if (access(chosen, X_OK) == 0) return chosen;
    throw InputError(file,
                     fmt::format("the reader of STEP files that RICOCHET_CAD names, '{}', cannot be started", chosen));
  }
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {here, here.parent_path(), here.parent_path() / "libexec" / "ricochet",
                                 fs::path(RICOCHET_CAD_BUILD), fs::path(RICOCHET_CAD_INSTALL)})
    if (const fs::path program = folder / "ricochet-cad"; !folder.empty() && access(program.c_str(), X_OK) == 0)
      return program.string();
  throw InputError(
      file,
      "reading STEP needs the module ricochet-cad, which is not here; it is built where OpenCASCADE is "
      "installed (Debian: libocct-data-exchange-dev; CMake option RICOCHET_CAD), or RICOCHET_CAD names it");
}

GuardLimits limits_of(std::uint64_t bytes) {
  return {20 + static_cast<int>(bytes / 200'000), 2048 + 40 * (bytes >> 20)};
}

/// Takes the answer apart, line by line.
class Answer {
 public:
  Answer(std::string_view text, const StepText& step, const std::string& path)
      : rest_(text), step_(step), path_(path) {}

  StepFile read() {
    StepFile out;
    if (line() != "ricochet-cad 1") broken();
    for (;;) {
      const std::string_view all = line(), word = all.substr(0, all.find(' '));
      const std::string_view more = all.substr(std::min(word.size() + 1, all.size()));
      if (all == "done") break;
      if (word == "unit") {
        out.unit = more;
      } else if (word == "length" || word == "angle") {
        const double size = std::atof(std::string(more).c_str());
        word == "angle" ? angles_.push_back(size) : lengths_.push_back(1e-3 * size);
      } else if (word == "note") {
        out.notes.emplace_back(more);
      } else if (word == "refused") {
        refuse(more);
      } else if (all == "ricochet-brep 1") {
        out.parts.push_back(part());
      } else {
        broken();
      }
    }
    if (out.parts.empty()) broken();
    return out;
  }
  /// The library goes on in millimetres, or rad, where it does not know a unit as it is written.
  void check_units(const std::vector<StepText::Unit>& written) const {
    for (const StepText::Unit& unit : written) {
      const std::vector<double>& taken = unit.angle ? angles_ : lengths_;
      if (std::any_of(taken.begin(), taken.end(), [&](double x) { return std::abs(x / unit.size - 1) < 1e-9; }))
        continue;
      throw InputError(step_.where(unit.number),
                       fmt::format("the library does not read this unit, {:.9g} {}, as it is written; accepted: its "
                                   "records in the order of their names, with dimensions, as ( "
                                   "CONVERSION_BASED_UNIT('INCH',#1) LENGTH_UNIT() NAMED_UNIT(#2) )",
                                   unit.size, unit.angle ? "rad" : "m"));
    }
  }

 private:
  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) broken();
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return out;
  }

  StepPart part() {
    StepPart out{"", "ricochet-brep 1\n"};
    for (;;) {
      const std::string_view next = line();
      if (next.starts_with("part ")) out.name = next.substr(5);
      out.text += next;
      out.text += '\n';
      if (next == "end") return out;
    }
  }

  [[noreturn]] void refuse(std::string_view more) const {
    const std::int64_t number = std::atoll(std::string(more).c_str());
    throw InputError(step_.where(number), std::string(more.substr(std::min(more.find(' ') + 1, more.size()))));
  }

  [[noreturn]] void broken() const {
    throw InputError(path_, "the library that reads STEP breaks on this file; it is damaged, or takes too much memory");
  }

  std::string_view rest_;
  std::vector<double> lengths_, angles_;  // of units, as the library has them, in metres and rad
  const StepText& step_;
  const std::string& path_;
};

/// Of the content, for recognising it (FNV-1a, 64 bits).
std::string mark(std::string_view text) {
  std::uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("# of {} bytes, {:016x}, drawn in ", text.size(), h);
}

/// What lies beside the file, if it was made of it.
std::optional<StepFile> kept(const std::string& path, std::string_view content) {
  const fs::path beside = fs::path(path).replace_extension(".brep");
  std::error_code ignored;
  if (!fs::is_regular_file(beside, ignored)) return {};
  const std::string text = read_text_file(beside, kLargestFile, "extracted geometry"), expected = mark(content);
  const std::size_t end = text.find('\n');
  if (!text.starts_with(expected) || end == std::string::npos) return {};
  StepPart part{"", text.substr(end + 1)};
  if (const std::size_t name = part.text.find("\npart "); name != std::string::npos)
    part.name = part.text.substr(name + 6, part.text.find('\n', name + 1) - name - 6);
  return StepFile{text.substr(expected.size(), end - expected.size()), {std::move(part)}, {}};
}

StepFile convert(const std::string& path, std::string_view content) {
  const StepText step(content, path);
  step.check_solids();
  const std::vector<StepText::Unit> units = step.units();
  const GuardLimits limits = limits_of(content.size());
  const ProgramRun run = run_guarded({reader_program(path), path}, limits, kLongestAnswer);
  switch (run.end) {
    case ProgramRun::End::out_of_time:
      throw InputError(path,
                       fmt::format("reading it does not end within {} s: it is damaged, or too large", limits.seconds));
    case ProgramRun::End::too_long:
      throw InputError(path, fmt::format("its geometry takes more than {} MiB as text", kLongestAnswer >> 20));
    case ProgramRun::End::crashed:
      throw InputError(path, "the library that reads STEP breaks on this file: it is damaged");
    case ProgramRun::End::exited: break;
  }
  if (run.status == 127)
    throw InputError(path, "the reader of STEP files cannot be started; its libraries may be missing");
  Answer answer(run.output, step, path);
  StepFile out = answer.read();
  answer.check_units(units);
  return out;
}

}  // namespace

StepFile read_step(const std::string& path, bool fresh) {
  const std::string content = load(path);
  if (!fresh)
    if (std::optional<StepFile> beside = kept(path, content)) return std::move(*beside);
  return convert(path, content);
}

std::string read_step_part(const std::string& path, const std::string& part) {
  StepFile file = read_step(path);
  std::vector<std::string> names;
  for (StepPart& one : file.parts) {
    if (one.name == part || (part.empty() && file.parts.size() == 1)) return std::move(one.text);
    names.push_back(one.name);
  }
  if (part.empty())
    throw InputError(path,
                     fmt::format("there are {} solids in it; say which with `part`: {}", names.size(), join(names)));
  throw InputError(path, unknown_word("part", part, names));
}

std::string kept_text(const std::string& path, const StepFile& file) {
  return mark(load(path)) + file.unit + "\n" + file.parts.front().text;
}

}  // namespace ricochet
