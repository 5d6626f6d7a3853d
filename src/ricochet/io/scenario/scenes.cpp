// Bodies in stacks, walls, pyramids, grids, arches, rings, funnels and random packings.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ricochet/io/scenario/collision.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::scenario {
namespace {

using schema::Block;
using schema::Fields;
using schema::Shape;
using schema::Type;

/// Numbers in [0, 1) that are the same everywhere: splitmix64.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double roll() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * roll(); }

 private:
  std::uint64_t state_;
};

/// Places bodies by their middle; x to the right, y to the back, z up.
class SceneMaker {
 public:
  SceneMaker(std::string name, const Fields& scene, const Vector3d& size, const Vector3d& plane, Numbers& numbers)
      : name_(std::move(name)),
        scene_(scene),
        size_(size),
        gap_(numbers.number(scene, "gap")),
        at_(numbers.vector(scene, "at")),
        plane_(plane),
        numbers_(numbers) {}

  std::vector<SceneBody> run() {
    const std::string kind = scene_.one_of({"stack", "wall", "pyramid", "grid", "arch", "ring", "funnel", "packing"});
    if (kind == "stack") grid({1, 1, whole("stack", 1)[0]});
    if (kind == "grid") grid(whole("grid", 3));
    if (kind == "wall") wall(whole("wall", 2));
    if (kind == "pyramid") pyramid(whole("pyramid", 1)[0]);
    if (kind == "arch") arch(whole("arch", 1)[0]);
    if (kind == "ring") ring(whole("ring", 1)[0]);
    if (kind == "funnel") funnel(whole("funnel", 1)[0]);
    if (kind == "packing") packing(whole("packing", 3));
    return std::move(out_);
  }

 private:
  /// Whole numbers that are at least 1.
  std::vector<int> whole(const char* key, std::size_t count) {
    const std::vector<double> given = numbers_.list(scene_, key);
    if (given.size() != count)
      scene_.fail(key, fmt::format("expected {} whole number{}, found {}", count, count > 1 ? "s" : "", given.size()));
    std::vector<int> out;
    double product = 1;
    for (const double x : given) {
      if (!(x >= 1 && x == std::floor(x)))
        scene_.fail(key, fmt::format("{} is not a number of bodies; accepted: 1, 2, ...", x));
      product *= x;
      if (product > 1e6) scene_.fail(key, "more than a million bodies; accepted: fewer");
      out.push_back(static_cast<int>(x));
    }
    return out;
  }
  void add(const Vector3d& middle, const Quaterniond& turn = Quaterniond::Identity()) {
    out_.push_back({fmt::format("{}.{}", name_, out_.size() + 1), at_ + middle, turn});
  }
  Vector3d pitch() const { return size_.array() + gap_; }
  /// Of the middle of a body in the layer k.
  double height(int k) const { return (0.5 + k) * size_.z() + k * gap_; }

  void grid(const std::vector<int>& n) {
    const Vector3d step = pitch();
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i)
          add({(i - 0.5 * (n[0] - 1)) * step.x(), (j - 0.5 * (n[1] - 1)) * step.y(), height(k)});
  }
  /// Half over half.
  void wall(const std::vector<int>& n) {
    const Vector3d step = pitch();
    for (int k = 0; k < n[1]; ++k)
      for (int i = 0; i < n[0]; ++i)
        add({(i - 0.5 * (n[0] - 1) + (k % 2 == 0 ? -0.25 : 0.25)) * step.x(), 0, height(k)});
  }
  void pyramid(int base) {
    constexpr int kHighest = 1413;
    if (base > kHighest)
      scene_.fail("pyramid", fmt::format("more than a million bodies; accepted: [{}] at most", kHighest));
    const Vector3d step = pitch();
    for (int k = 0; k < base; ++k)
      for (int i = 0; i + k < base; ++i) add({(i - 0.5 * (base - 1 - k)) * step.x(), 0, height(k)});
  }
  /// The body's origin is the centre; it is drawn as the keystone.
  void arch(int n) {
    const double angle = numbers_.number(scene_, "angle");
    for (int k = 0; k < n; ++k)
      add(Vector3d::Zero(), exp_quaternion(((k + 0.5) / n - 0.5) * angle * Vector3d::UnitY()));
  }
  /// The body's origin is the centre; it is drawn as the one at x > 0.
  void ring(int n) {
    for (int k = 0; k < n; ++k) add(Vector3d::Zero(), exp_quaternion(2 * std::numbers::pi * k / n * Vector3d::UnitZ()));
  }
  /// Plates round a vertical axis, their upper faces inwards. Each is behind its own face, so that plates as wide as
  /// the upper end close the corners, and are in nobody's way below.
  void funnel(int n) {
    const bool planar = !plane_.isZero(0);
    if (planar && (n != 2 || std::abs(plane_.y()) != 1))
      scene_.fail("funnel", "in a plane of motion a funnel is two plates; accepted: [2] in the plane xz");
    const double slope = numbers_.number(scene_, "slope"), c = elementary::cos(slope), s = elementary::sin(slope);
    const Vector3d up(c, 0, s), in(-s, 0, c);
    const Vector3d middle =
        0.5 * (numbers_.number(scene_, "opening") * Vector3d::UnitX() + size_.x() * up - size_.z() * in);
    if (planar) {  // turned about y alone
      add(middle, exp_quaternion(-slope * Vector3d::UnitY()));
      add({-middle.x(), 0, middle.z()}, exp_quaternion(slope * Vector3d::UnitY()));
      return;
    }
    for (int k = 0; k < n; ++k) {
      const Quaterniond around = exp_quaternion(2 * std::numbers::pi * k / n * Vector3d::UnitZ());
      add(around * middle, around * exp_quaternion(-slope * Vector3d::UnitY()));
    }
  }
  /// A grid so wide that every body may turn, each shifted and turned at random.
  void packing(const std::vector<int>& n) {
    Dice dice(static_cast<std::uint64_t>(scene_.integer("seed")));
    const bool planar = !plane_.isZero(0);
    const double wide = (planar ? Vector3d(size_ - plane_.cwiseAbs().cwiseProduct(size_)) : size_).norm();
    const bool round = size_.x() == size_.y() && size_.y() == size_.z() && !scene_.boolean("turn");
    const double step = (round ? size_.x() : wide) + gap_, slack = 0.5 * gap_;
    const Vector3d free = planar ? Vector3d(Vector3d::Ones() - plane_.cwiseAbs()) : Vector3d(Vector3d::Ones());
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          const Vector3d cell((i - 0.5 * (n[0] - 1)) * step, (j - 0.5 * (n[1] - 1)) * step, (0.5 + k) * step);
          const Vector3d shift(dice.between(-slack, slack), dice.between(-slack, slack), dice.between(-slack, slack));
          const Vector3d axis(dice.between(-1, 1), dice.between(-1, 1), dice.between(-1, 1));
          const double angle = dice.between(-std::numbers::pi, std::numbers::pi);
          Vector3d turn = planar ? Vector3d(angle * plane_) : Vector3d(std::numbers::pi / std::sqrt(3.0) * axis);
          if (!scene_.boolean("turn")) turn.setZero();
          add(cell + shift.cwiseProduct(free), exp_quaternion(turn));
        }
  }

  std::string name_;
  const Fields& scene_;
  Vector3d size_;
  double gap_;
  Vector3d at_, plane_;
  Numbers& numbers_;
  std::vector<SceneBody> out_;
};

}  // namespace

const Block& scene_table(const Block& (*body)()) {
  const auto counts = [](const char* key, const char* doc) {
    return schema::Field{.key = key, .type = Type::expression, .shape = Shape::list, .doc = doc};
  };
  static const Block block{
      .name = "scene",
      .doc =
          "Many bodies alike, named after the scene: wall.1, wall.2, ... The arrangement is one of stack, wall, "
          "pyramid, grid, arch, ring, funnel, packing. Widths are those of the box along the body's axes that holds "
          "its "
          "shapes.",
      .fields = {
          counts("stack", "[n]: one above the other."),
          counts("wall", "[along x, layers]: each layer half a body aside of the one below."),
          counts("pyramid", "[n]: layers of n, n - 1, ... along x."),
          counts("grid", "[along x, along y, layers]."),
          counts("arch", "[n]: turned about y through `at`, which is the origin of each, evenly over `angle`."),
          {.key = "angle",
           .type = Type::expression,
           .fallback = "pi",
           .unit = "rad",
           .doc = "arch: from one springing to the other.",
           .range = schema::above(0)},
          counts("ring", "[n]: turned about z through `at`, which is the origin of each, evenly all round."),
          counts("funnel",
                 "[n]: plates round z through `at`, the middle of the opening: the body's length along x goes up the "
                 "slope, its width along y round the opening, and what is up looks inwards. With `fixed: true` of the "
                 "body a hopper, or at a slope of pi/2 a bin. In a plane of motion, xz: [2]."),
          {.key = "opening",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "funnel: from one of two opposite plates to the other, at their lower ends.",
           .range = schema::at_least(0)},
          {.key = "slope",
           .type = Type::expression,
           .fallback = "pi/4",
           .unit = "rad",
           .doc = "funnel: of the plates, from the horizontal.",
           .range = schema::between(0, 1.5708)},
          counts("packing", "[along x, along y, layers]: shifted, and turned, at random, none touching another."),
          {.key = "body",
           .type = Type::block,
           .doc = "One of them; its position is added.",
           .required = true,
           .block = body},
          {.key = "at",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .fallback = "[0, 0, 0]",
           .unit = "m",
           .doc = "Middle of the base."},
          {.key = "gap",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Distance between neighbours; of a packing the least one when nothing is turned or shifted.",
           .range = schema::at_least(0)},
          {.key = "turn", .type = Type::boolean, .fallback = "true", .doc = "packing: at random directions."},
          {.key = "seed",
           .type = Type::integer,
           .fallback = "1",
           .doc = "packing: of the random numbers.",
           .range = schema::between(0, 9e15)},
      }};
  return block;
}

std::vector<SceneBody> read_scene(const std::string& name, const Fields& scene, const Vector3d& size,
                                  const Vector3d& plane, Numbers& numbers) {
  return SceneMaker(name, scene, size, plane, numbers).run();
}

}  // namespace ricochet::scenario
