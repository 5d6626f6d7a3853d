#pragma once
// A mass before a wall in closed form: z'' = -a - w^2 z, z >= 0, Newton's restitution e; a >= 0.
#include <vector>

namespace ricochet::soak {

struct Wall {
  double z = 0, velocity = 0;  ///< at t = 0
  double a = 0, w2 = 0, e = 0;
};

class ExactWall {
 public:
  /// The motion up to that time.
  ExactWall(const Wall& wall, double until);
  double z(double t) const;
  double largest_speed() const { return largest_; }
  /// Impacts before t; few, however fast they follow each other in the end.
  int impacts(double t) const;

 private:
  struct Flight {
    double t, z, velocity;
  };
  double flown(const Flight& from, double t) const;
  double speed(const Flight& from, double t) const;
  /// Time of flight until z = 0; infinite if it never is.
  double duration(const Flight& from) const;

  Wall wall_;
  double w_;
  double largest_ = 0;
  double rest_ = 0;  ///< time from which it rests at the wall
  std::vector<Flight> flights_;
};

}  // namespace ricochet::soak
