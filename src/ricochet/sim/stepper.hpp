#pragma once
// A run one step at a time, for whoever wants to act between steps. `run` (driver.hpp) is a loop over it, so both give
// the same bits.
#include <memory>

#include "ricochet/sim/driver.hpp"

namespace ricochet {

class Stepper {
 public:
  /// Everything but the policy must outlive it.
  Stepper(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer);
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// One step of the grid, or one that the control accepts. False: there is none any more, `result` says why.
  bool advance();
  /// Complete once `advance` has said false.
  RunResult& result();
  /// Something that the model looks at was changed from outside: what was evaluated before does not hold any more.
  void forget();

  /// What steps, of either kind.
  class Kind {
   public:
    virtual ~Kind() = default;
    virtual bool advance() = 0;
    virtual RunResult& result() = 0;
    virtual void forget() = 0;
  };

 private:
  std::unique_ptr<Kind> kind_;
};

}  // namespace ricochet
