#pragma once
// Judges a run from its trajectory: positions and velocities at both ends of every step, and its impulses. Gaps, local
// velocities, laws, balances and energies are evaluated anew by soak/system.hpp; what the library says about its own
// errors plays no part.
#include <functional>
#include <string>
#include <vector>

#include "ricochet/sim/driver.hpp"
#include "soak/system.hpp"

namespace ricochet::soak {

enum class Verdict : char {
  ok = '.',
  failed = 'f',      ///< did not finish, and says why
  silent = 'S',      ///< finished, and is wrong
  hung = 'H',        ///< used up its time
  crashed = 'C',     ///< ended by a signal or an exception
  mute = 'M',        ///< failed without a cause
  refused = 'R',     ///< the reader did not accept the scenario: the generator's fault
  not_offered = '-'  ///< the scheme does not offer what the system needs
};

const char* name(Verdict verdict);
bool is_defect(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::ok;
  bool planted = false;  ///< a solution of this scheme's steps is known to exist
  std::string what;      ///< the worst error and where, or the cause of the failure
  double ratio = 0;      ///< the worst error over its limit
  double at = 0;         ///< time of it
  int steps = 0;
  std::int64_t work = 0;  ///< events, passes of Newton's method and iterations of solvers
  double microseconds = 0;
  double gain = 0;    ///< largest rise of the energy of a system that nothing feeds [J]
  double gained = 0;  ///< the same over the energy at stake
};

/// One model for all schemes of a system.
struct Subject {
  const System& system;
  const Model& model;
  const State& initial;
};

/// What the judge sees of a step.
struct Seen {
  double t_before = 0, t = 0, h = 0;
  Vector q_before, v_before, q, v;
  std::vector<std::vector<double>> impulses;  ///< by item of the model
  std::vector<double> restitution;            ///< that the report says was applied, likewise; NaN: the law's
  double kinetic = 0, potential = 0;          ///< as the report says
  int unheld = 0;                             ///< closed contacts of which it says that they are not held
};
/// Changes what is seen: a judge who does not notice is none.
using Tamper = std::function<void(Seen&)>;

/// True if the scheme declares what the system needs.
bool offered(const System& system, const SchemeInfo& info);
/// True if what is planted is there for this scheme: not for explicit ones beyond their stability, and not for event
/// tracking with friction, whose smooth motion need not exist where every step of the others has a solution.
bool planted(const System& system, const SchemeInfo& info);
Outcome run_and_judge(const Subject& subject, const SchemeEntry& scheme, const Tamper& tamper = {});

}  // namespace ricochet::soak
