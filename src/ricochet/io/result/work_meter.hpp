#pragma once
// Processor time and instructions of the calling thread since it was made: what a run costs, whoever else is busy.

namespace ricochet {

class WorkMeter {
 public:
  WorkMeter();
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  double seconds() const;
  /// In user mode; negative where the machine does not tell: virtual machines and containers often keep it to
  /// themselves.
  double instructions() const;

 private:
  int counter_ = -1;
  double started_ = 0;
};

}  // namespace ricochet
