#include "soak/distances.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "support/shape_pairs.hpp"

namespace ricochet::soak {
namespace {

using namespace test;
constexpr double kPairTolerance = 1e-10;  // of the size
constexpr std::int64_t kBlock = 500;      // pairs of each combination between two looks at the clock

struct Combination {
  int i = 0, j = 0;
  std::int64_t done = 0;
  PairErrors errors{};
  std::string name() const {
    return fmt::format("{} {}", kShapeNames[static_cast<std::size_t>(i)], kShapeNames[static_cast<std::size_t>(j)]);
  }
};

std::vector<Combination> combinations(const std::string& only) {
  std::vector<Combination> out;
  for (int i = 0; i < kShapes; ++i)
    for (int j = i; j < kShapes; ++j)
      if (const Combination c{i, j}; only.empty() || only == c.name()) out.push_back(c);
  if (out.empty()) throw std::runtime_error(fmt::format("no combination '{}'; accepted: as \"box cone\"", only));
  return out;
}

/// The first line of a state: what its figures belong to.
std::string title(const DistanceSettings& s) { return fmt::format("distances seed {} first {}", s.seed, s.first); }

void read_state(const DistanceSettings& s, std::vector<Combination>& all) {
  std::ifstream in(s.state);
  if (!in) return;
  std::string line;
  std::getline(in, line);
  if (line != title(s))
    throw std::runtime_error(fmt::format("{} belongs to '{}': remove it, or name another with --state", s.state, line));
  Combination c;
  PairErrors& e = c.errors;
  while (in >> c.i >> c.j >> c.done >> e.apart >> e.overlapping >> e.wrong >> e.unjudged >> e.distance >> e.depth >>
         e.asymmetry >> e.jump)
    for (Combination& mine : all)
      if (mine.i == c.i && mine.j == c.j) mine = c;
}

void write_state(const DistanceSettings& s, const std::vector<Combination>& all) {
  std::filesystem::create_directories(std::filesystem::absolute(s.state).parent_path());
  std::ofstream out(s.state + ".new");
  out << title(s) << "\n";
  for (const Combination& c : all) {
    const PairErrors& e = c.errors;
    out << fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", c.i, c.j, c.done, e.apart, e.overlapping, e.wrong,
                       e.unjudged, e.distance, e.depth, e.asymmetry, e.jump);
  }
  out.close();
  std::filesystem::rename(s.state + ".new", s.state);
}

void print_table(const std::vector<Combination>& all) {
  fmt::print("{:<20} {:>9} {:>9} {:>10} {:>10} {:>10} {:>10} {:>6} {:>8}\n", "shapes", "apart", "overlap", "distance",
             "depth", "asymmetry", "jump", "wrong", "unjudged");
  for (const Combination& c : all) {
    const PairErrors& e = c.errors;
    fmt::print("{:<20} {:>9} {:>9} {:>10.2g} {:>10.2g} {:>10.2g} {:>10.2g} {:>6} {:>8}\n", c.name(), e.apart,
               e.overlapping, e.distance, e.depth, e.asymmetry, e.jump, e.wrong, e.unjudged);
  }
}

/// The next block of one combination.
void go_on(const DistanceSettings& s, Combination& c) {
  for (const std::int64_t end = std::min(s.pairs, c.done + kBlock); c.done < end; ++c.done) {
    const std::int64_t index = s.first + c.done;
    const PairErrors e = judge_pair(c.i, c.j, s.seed, static_cast<std::uint64_t>(index));
    c.errors.add(e);
    if (e.holds(kPairTolerance)) continue;
    fmt::print("\r{} number {}: distance off by {:.2g}, asymmetry {:.2g}, jump {:.2g}{}\n", c.name(), index, e.distance,
               e.asymmetry, e.jump, e.wrong > 0 ? ", overlap and gap confused" : "");
  }
}

std::string text(const Vector3d& x) { return fmt::format("({:.17g}, {:.17g}, {:.17g})", x.x(), x.y(), x.z()); }

void print_shape(const char* name, const Polytope& shape, const Placement& at) {
  fmt::print("{}: radius {:.17g}, size {:.3g}, at {}\n", name, shape.radius, shape.size, text(at.x));
  for (const Vector3d& v : shape.vertices) fmt::print("  corner {}\n", text(v));
  for (const Polytope::Rim& r : shape.rims) fmt::print("  rim {:.17g} at {:.17g}\n", r.radius, r.z);
  for (int k = 0; k < 3; ++k) fmt::print("  axis {}\n", text(at.R.col(k)));
}

/// All about one pair.
void show(const DistanceSettings& s, const Combination& c) {
  const ShapePair p = draw_pair(c.i, c.j, s.seed, static_cast<std::uint64_t>(s.first));
  print_shape("A", p.A, p.a);
  print_shape("B", p.B, p.b);
  std::vector<FeaturePair> found;
  find_features({&p.A, p.a}, {&p.B, p.b}, 0, 1e300, found);
  for (const FeaturePair& f : found) {
    const FeatureGap g = feature_gap(f, p.A, p.a, p.B, p.b);
    fmt::print("kind {} {} {} at {}: gap {:.17g}, n {}, p {}\n", static_cast<int>(f.kind), f.first, f.second,
               text(f.aim), g.gap, text(g.n), text(g.p));
  }
  const ShortWay way(p.unit, s.seed, static_cast<std::uint64_t>(s.first));
  for (int k = 0; k <= 4; ++k) {
    const Placement b = way.at(p.b, k);
    const Bracket brute = brute_distance(p.A, p.a, p.B, b);
    const double round = p.A.radius + p.B.radius;
    fmt::print("separation {:.17g}, brute force {:.17g} to {:.17g}\n", separation(p.A, p.a, p.B, b),
               static_cast<double>(brute.low) - round, static_cast<double>(brute.high) - round);
  }
}

}  // namespace

int judge_distances(const DistanceSettings& s) {
  std::vector<Combination> all = combinations(s.only);
  if (all.size() == 1 && s.pairs == 1) show(s, all.front());
  if (!s.state.empty()) read_state(s, all);
  const auto begin = std::chrono::steady_clock::now();
  const bool terminal = isatty(1) != 0;
  const auto open = [&](const Combination& c) { return c.done < s.pairs; };
  while (std::any_of(all.begin(), all.end(), open)) {
    for (Combination& c : all) go_on(s, c);
    if (!s.state.empty()) write_state(s, all);
    if (terminal) fmt::print("\r{} of {} pairs of each combination", all.front().done, s.pairs);
    std::fflush(stdout);
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
    if (s.minutes > 0 && used.count() > 60 * s.minutes) break;
  }
  if (terminal) fmt::print("\r");
  print_table(all);
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const Combination& c) { return !c.errors.holds(kPairTolerance); }));
}

}  // namespace ricochet::soak
