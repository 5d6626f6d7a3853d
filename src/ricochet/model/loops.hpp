#pragma once
// Loops of joints, and which of their rows say what others do.
//
// A loop is what joints connect, without the branches: bodies that one joint alone holds, and that joint, are taken off
// again and again. Its rows at one configuration, g' = G^T v, with every angle of a body times its arm (Scales::arm)
// and rows that are no lengths made such, are the matrix B of row_space.hpp. Rows of a Bricard loop, of a door on two
// hinges, of parallel cranks depend on each other: N^T B = 0, exactly where the loop is closed and joints are in line,
// and to the size of what they are out of it where people and files give places by some digits.
//
// Redundant are rows whose pivots are below kOutOfLine of the largest: a hundredth of a millimetre on a metre. Their
// combinations N^T g = 0 are not asked for, which leaves joints open by as much as they are out of line. What is above
// that is held, and may lock the loop.
#include <vector>

#include "ricochet/math/row_space.hpp"
#include "ricochet/model/constraint.hpp"

namespace ricochet {

class Model;
struct State;
struct Scales;

struct Loop {
  static constexpr double kOutOfLine = 1e-5;

  std::vector<Key> joints;       ///< ascending
  std::vector<int> items;        ///< places of these among Model::items
  std::vector<int> coordinates;  ///< ascending
  std::vector<double> arms;      ///< of these [m]
  std::vector<double> factors;   ///< of the rows: makes them lengths
  double size = 0;               ///< largest arm
  bool grounded = false;         ///< some joint holds it to the ground
  int redundant = 0;             ///< rows, at the beginning
  double misfit = 0;             ///< of these: the largest pivot, a part of the size of the loop
  double least = 1;              ///< of the others: the smallest pivot
  int freedoms = 0;              ///< of the loop, by rows that count
  int rows() const { return static_cast<int>(factors.size()); }
  /// By so much the combinations that are not asked for may be open.
  double allowance() const { return 30 * misfit * size; }
  /// It has no freedom, but would with rows that are nearly redundant.
  bool locked() const;
};

/// The loops of a state whose joints are closed; none of more rows than kMostLoopRows.
std::vector<Loop> find_loops(const Model& model, const State& state, const Scales& scales);
constexpr int kMostLoopRows = 240;

/// B of a loop whose k-th joint is the blocks[k]-th block of G.
void fill_loop(const Loop& loop, const Jacobian& G, const int* blocks, RowSpace& out);

}  // namespace ricochet
