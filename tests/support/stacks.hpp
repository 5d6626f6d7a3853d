#pragma once
// Contact problems of stacked boxes, W = H^T M^-1 H in blocks: columns that stand apart (islands), or a wall of bricks
// laid half over half (one piece). Each face rests on four corners, so that contacts are redundant as in life.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "ricochet/solver/problem.hpp"

namespace ricochet::test {

class Boxes {
 public:
  using Matrix36 = Eigen::Matrix<double, 3, 6>;

  explicit Boxes(unsigned seed = 1) : random_(seed) {}

  /// A column of boxes of 1 x 1 x 1 at (x, 0).
  void column(double x, int height) {
    for (int k = 0; k < height; ++k) {
      const int box = add({x, 0, 0.5 + k});
      rest(box, k == 0 ? -1 : box - 1, {x - 0.5, x + 0.5}, k);
    }
  }

  /// Rows of bricks of 2 x 1 x 1, each above the joint of the two below; the ends of every second row overhang.
  void wall(int width, int height) {
    std::vector<int> below;
    for (int row = 0; row < height; ++row) {
      std::vector<int> here;
      for (int k = 0; k < width; ++k) {
        const double x = 2 * k + row % 2;
        const int box = add({x, 0, 0.5 + row});
        here.push_back(box);
        if (row == 0) rest(box, -1, {x - 1, x + 1}, 0);
        if (row == 0) continue;
        for (int b = 0; b < width; ++b) {
          const double other = 2 * b + (row - 1) % 2, from = std::max(x, other) - 1, to = std::min(x, other) + 1;
          if (to > from + 0.1) rest(box, below[b], {from, to}, row);
        }
      }
      below = here;
    }
  }

  int contacts() const { return static_cast<int>(contacts_.size()); }

  /// Loads: gravity and a random push on every box, over a step.
  Problem problem(double mu, double push = 0.3) {
    std::uniform_real_distribution<double> any(-push, push);
    std::vector<Eigen::Matrix<double, 6, 1>> free(centers_.size());
    for (auto& v : free) {
      for (int i = 0; i < 6; ++i) v[i] = any(random_);
      v[2] -= 1;
    }
    const int n = contacts();
    std::vector<std::vector<int>> of(centers_.size());
    for (int a = 0; a < n; ++a)
      for (const Side& side : contacts_[a]) of[side.box].push_back(a);
    std::vector<std::map<int, Eigen::Matrix3d>> rows(n);
    Problem out;
    out.rows = 3 * n;
    out.b.zeros(3 * n);
    for (int a = 0; a < n; ++a) {
      out.blocks.push_back({Cone::coulomb, 3 * a, 3, mu});
      for (const Side& side : contacts_[a]) {
        Eigen::Map<Eigen::Vector3d>(out.b.data() + 3 * a) += side.J * free[side.box];
        for (const int c : of[side.box])
          for (const Side& other : contacts_[c])
            if (other.box == side.box) {
              const auto at = rows[a].try_emplace(c, Eigen::Matrix3d::Zero()).first;
              at->second += side.J * inverse_mass().asDiagonal() * other.J.transpose();
            }
      }
    }
    std::vector<int> pointers{0}, columns;
    for (const auto& row : rows) {
      for (const auto& [c, block] : row) columns.push_back(c);
      pointers.push_back(static_cast<int>(columns.size()));
    }
    double* at = out.W.make_sparse(3, n, pointers, columns);
    for (const auto& row : rows)
      for (const auto& [c, block] : row) at = std::copy(block.data(), block.data() + 9, at);
    return out;
  }

 private:
  struct Side {
    int box;
    Matrix36 J;  ///< normal, two tangents; translation, rotation
  };

  static Eigen::Matrix<double, 6, 1> inverse_mass() {
    Eigen::Matrix<double, 6, 1> out;
    out << 1, 1, 1, 6, 6, 6;  // of a cube of mass one
    return out;
  }
  int add(const Eigen::Vector3d& center) {
    centers_.push_back(center);
    return static_cast<int>(centers_.size()) - 1;
  }
  /// Four corners of the face between two boxes (-1: the ground) from x_0 to x_1 at height z.
  void rest(int upper, int lower, const std::array<double, 2>& x, double z) {
    for (const double px : x)
      for (const double py : {-0.5, 0.5}) {
        std::vector<Side> sides;
        for (const int box : {upper, lower}) {
          if (box < 0) continue;
          const Eigen::Vector3d r = Eigen::Vector3d(px, py, z) - centers_[box];
          const Eigen::Vector3d frame[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                            Eigen::Vector3d::UnitY()};
          Matrix36 J;
          for (int i = 0; i < 3; ++i) J.row(i) << frame[i].transpose(), r.cross(frame[i]).transpose();
          sides.push_back({box, box == upper ? J : Matrix36(-J)});
        }
        contacts_.push_back(sides);
      }
  }

  std::mt19937 random_;
  std::vector<Eigen::Vector3d> centers_;
  std::vector<std::vector<Side>> contacts_;
};

/// Problems side by side, contacts shuffled among each other in a fixed way, sparse or dense.
struct Joined {
  Problem problem;
  std::vector<std::vector<int>> place;  ///< contact of the whole by part and contact of the part
};

inline Joined join(const std::vector<Problem>& parts, bool dense) {
  Joined out;
  std::vector<std::pair<int, int>> order;
  for (int k = 0; k < static_cast<int>(parts.size()); ++k) {
    out.place.emplace_back(parts[k].blocks.size());
    for (int a = 0; a < static_cast<int>(parts[k].blocks.size()); ++a) order.emplace_back(k, a);
  }
  // One of each in turn: contacts of a part keep their order, those of different parts mix.
  std::stable_sort(order.begin(), order.end(), [](auto x, auto y) { return x.second < y.second; });
  const int n = static_cast<int>(order.size());
  Problem& whole = out.problem;
  whole.rows = 3 * n;
  whole.b.zeros(3 * n);
  for (int a = 0; a < n; ++a) {
    const auto& [part, contact] = order[a];
    const ConeBlock& block = parts[part].blocks[contact];
    out.place[part][contact] = a;
    whole.blocks.push_back({block.cone, 3 * a, 3, block.mu});
    for (int i = 0; i < 3; ++i) whole.b[3 * a + i] = parts[part].b[3 * contact + i];
  }
  std::vector<int> pointers{0}, columns;
  std::vector<const double*> blocks;
  for (int a = 0; a < n; ++a) {
    const auto& [part, contact] = order[a];
    const Delassus& W = parts[part].W;
    for (int k = W.pointers()[contact]; k < W.pointers()[contact + 1]; ++k) {
      columns.push_back(out.place[part][W.columns()[k]]);
      blocks.push_back(W.blocks() + 9 * static_cast<std::ptrdiff_t>(k));
    }
    pointers.push_back(static_cast<int>(columns.size()));
  }
  double* at = whole.W.make_sparse(3, n, pointers, columns);
  for (const double* block : blocks) at = std::copy(block, block + 9, at);
  if (dense) {
    std::vector<double> all(9 * static_cast<std::size_t>(n) * n);
    whole.W.copy_dense(all.data());
    std::copy(all.begin(), all.end(), whole.W.make_dense(3 * n));
  }
  return out;
}

}  // namespace ricochet::test
