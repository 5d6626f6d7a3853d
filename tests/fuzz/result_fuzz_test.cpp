// Whatever bytes come, a result is read, found wrong or refused: no crash, no hang, no memory that the file cannot
// need.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <random>
#include <sstream>

#include "ricochet/io/result/export.hpp"
#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "ricochet/page/result_page.hpp"

namespace ricochet::result_fuzz_test {
namespace {

namespace fs = std::filesystem;

void record(const fs::path& path) {
  const Scenario s = read_scenario(R"(
system:
  formulas:
    coordinates: [x, y]
    kinetic: (x'^2 + y'^2)/2
    potential: 9.81*y
    contacts: {floor: {gap: y, slip: x, restitution: 0.5, friction: 0.3}}
initial: {position: {y: 0.1}, velocity: {x: 2}}
simulation: {scheme: event-driven, step: 1e-2, until: 0.5}
)",
                                   "fuzz");
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState run = begin_run(s.model, *scheme, s.initial);
  Recorder recorder(path, header_of(s), s.model, run, {});
  recorder.finish(run, ricochet::run(s.model, *scheme, run, s.policy, &recorder));
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Bytes and blocks are changed, mostly where HDF5 keeps its own: what looks like a number of a column is left alone.
std::string mutate(std::string bytes, const std::vector<std::size_t>& structure, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t k = 1 + below(4); k > 0; --k) {
    const std::size_t at = below(4) == 0 ? below(bytes.size()) : structure[below(structure.size())];
    switch (below(6)) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 2: bytes[at] = static_cast<char>(0xFF); break;
      case 3:
        for (std::size_t i = at; i < std::min(bytes.size(), at + 8); ++i) bytes[i] = static_cast<char>(random());
        break;
      case 4: {  // another place's bytes
        const std::size_t from = structure[below(structure.size())], length = 1 + below(64);
        for (std::size_t i = 0; i < length && at + i < bytes.size() && from + i < bytes.size(); ++i)
          bytes[at + i] = bytes[from + i];
        break;
      }
      default:
        if (below(8) == 0) bytes.resize(at);
    }
    if (bytes.size() < 100) break;
  }
  return bytes;
}

TEST(ResultFuzz, ReadersNeverBreak) {
  const fs::path folder = fs::path(::testing::TempDir()) / "ricochet-result-fuzz";
  fs::create_directories(folder);
  record(folder / "whole.h5");
  const std::string whole = contents(folder / "whole.h5");
  // Not zero, and in the first part or near other bytes that are not: metadata rather than empty chunks.
  std::vector<std::size_t> structure;
  for (std::size_t i = 0; i + 16 < whole.size(); ++i)
    if (whole[i] != 0 || whole[i + 1] != 0) structure.push_back(i);
  const char* const given = std::getenv("RICOCHET_FUZZ");  // rounds and seed of a longer search: "5000:7"
  unsigned rounds = 300, seed = 20251116;
  if (given != nullptr) std::sscanf(given, "%u:%u", &rounds, &seed);
  std::mt19937 random(seed);
  int held = 0, wrong = 0, refused = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const fs::path path = folder / "mutant.h5";
    std::ofstream(path, std::ios::binary) << mutate(whole, structure, random);
    try {
      const Results results(path);
      const bool holds = verify(results).holds();
      ++(holds ? held : wrong);
      std::FILE* const nowhere = std::fopen("/dev/null", "w");
      try {
        write_csv(results, {}, nowhere);
        write_events_csv(results, nowhere);
      } catch (const InputError&) {
      }
      std::fclose(nowhere);
      if (results.root().has("checkpoint")) load_checkpoint(results.root().group("checkpoint"));
      result_page(results).html();
    } catch (const InputError& error) {
      ++refused;
      ASSERT_FALSE(error.message.empty());
    } catch (const std::exception& error) {
      fs::copy_file(path, folder / "broke.h5", fs::copy_options::overwrite_existing);
      FAIL() << "round " << round << ": " << error.what();
    }
  }
  EXPECT_GT(held, 0);
  EXPECT_GT(wrong, 0);
  EXPECT_GT(refused, 50);
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  // HDF5 asks for as much memory as the length that the file tells of a string, up to 4 GiB, before it looks for it.
  EXPECT_LT(usage.ru_maxrss, 4'500'000) << "kB";
  RecordProperty("held", held);
  RecordProperty("wrong", wrong);
  RecordProperty("refused", refused);
}

}  // namespace
}  // namespace ricochet::result_fuzz_test
