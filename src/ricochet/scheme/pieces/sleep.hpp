#pragma once
// Islands that sleep. An island is a set of bodies that share candidates, whatever these do, and nobody else's. Where a
// step gave the whole state of an island back, bit for bit, positions, velocities of zero and what its contacts
// remember, the next one from there gives it back too, as long as it has the same size and the same forces: F(x) = x.
// The island is then left out of the steps; its contacts go on standing in the reports as they were.
//
// That no bit depends on it needs more than that:
//
//   - Others must not notice. Newton's loop ends by the largest error of all islands, and one at rest has none. What a
//     problem is solved by goes by its size: with sleepers it is that of a part (Problem::part). Corrections of the
//     position take islands alone whose gaps do not hold (ProjectedMotion::choose_rows). Works and powers of what rests
//     are zeros in the sums of the ledger.
//   - It wakes in time. Candidates between who sleeps and who does not wake the island before the step. So do another
//     size of the step, and a state that is not the one it fell asleep with: a caller may give any. Forces are
//     evaluated in every step; where the balance of a sleeper is not, bit for bit, what it was, all wake and the step
//     is begun anew.
//
// Nothing of this is in the State. A new workspace finds everybody awake and the same bits.
#include <algorithm>
#include <utility>
#include <vector>

#include "ricochet/model/model.hpp"
#include "ricochet/scheme/report.hpp"

namespace ricochet {

class Workspace;

/// Who hangs together.
class Unions {
 public:
  void start(std::size_t n);
  int root(int a) {
    while (up_[static_cast<std::size_t>(a)] != a) {
      int& up = up_[static_cast<std::size_t>(a)];
      a = up = up_[static_cast<std::size_t>(up)];
    }
    return a;
  }
  void join(int a, int b) {
    a = root(a), b = root(b);
    up_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> up_;
};

class Sleep {
 public:
  explicit Sleep(const Model& model);

  bool allowed = false;  ///< the driver's to say
  /// Bodies that nothing couples but contacts that are found where they meet: others never sleep.
  bool possible() const { return possible_; }
  bool any() const { return rows_ > 0; }
  /// By velocity coordinate.
  const std::vector<char>& asleep() const { return asleep_; }
  int block_of(int coordinate) const { return block_of_[static_cast<std::size_t>(coordinate)]; }
  std::size_t blocks() const { return blocks_.size(); }

  /// Before a step of h from s: all wake if it is not what they fell asleep with.
  void look(const State& s, double h);
  /// The islands of these coordinates wake.
  void rouse(const std::vector<int>& coordinates);
  void wake();
  /// Sleepers have no balance to be solved for, unless it has changed.
  void still(View r);
  /// Whether still() found that, since the last call.
  bool roused() { return std::exchange(roused_, false); }
  /// The step is done with this balance: islands may fall asleep once it counts.
  void offer(const VectorXd& r);
  void settle(const State& state, double h, const State& next, const Workspace& w);

  /// What the sleepers remember, into the sorted list of the others.
  void remember(std::vector<ContactMemory>& contacts) const;
  /// What a step reports of them.
  const AsleepContacts& contacts() const { return contacts_; }
  /// Order of all contacts, with so many of the others.
  void order(const std::vector<Candidate>& others);
  int loaded() const { return loaded_; }
  double penetration() const;
  double complementarity() const;

 private:
  struct Block {
    Range q, v;
  };
  bool still_there(const Block& b, const State& s, const State& next) const;
  void take(const State& next, const Workspace& w);
  void count();

  bool possible_ = false, roused_ = false, offered_ = false;
  std::vector<Block> blocks_;
  std::vector<int> block_of_;  // by coordinate
  std::vector<int> island_;    // by block; -1: awake
  std::vector<char> asleep_;   // by coordinate
  int rows_ = 0, loaded_ = 0;  // of contacts that carry; contacts
  double h_ = 0;
  VectorXd q_, r_, offered_r_;
  AsleepContacts contacts_;
  Unions unions_;
  std::vector<char> changed_, resting_;
};

}  // namespace ricochet
