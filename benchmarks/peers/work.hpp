#pragma once
// The same work for every engine, and what is printed of it: one line each, name, value, unit.
//
//   incline    a box of 0.2 x 0.1 x 0.1 m and 1 kg on an incline of 20 degrees, friction 0.5, 10 s at 1 kHz from rest
//              on the incline: how far its centre creeps
//   ball       of radius 0.1 m and 1 kg, dropped from 1 m, restitution 0.8, at 10, 1 and 0.1 ms: how far the apex of
//   its
//              first rebound is off 0.64 m, and how deep it goes into the floor
//   four-bar   crank 1 m, coupler 2 m, rocker 1.5 m on a base of 2 m, bars of 1 kg/m in the plane xz, gravity 9.81,
//              released with its crank upright, 5 s at 1 kHz: the largest gap between coupler and rocker or at any
//              other pin, the largest change of energy over the largest kinetic energy, microseconds a step
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace peers {

constexpr double kStep = 1e-3, kGravity = 9.81, kIncline = 20 * 3.14159265358979323846 / 180;
constexpr int kInclineSteps = 10000, kFourBarSteps = 5000;

constexpr double kBallSteps[] = {1e-2, 1e-3, 1e-4}, kBallEnd = 0.9, kRestitution = 0.8, kRadius = 0.1, kHeight = 1;

/// What the first rebound of the ball gives; `height` is that of its lowest point.
struct Ball {
  double apex = 0, depth = 0;
  bool up = false;
  void see(double height, double velocity) {
    depth = std::max(depth, -height);
    up = up || (velocity > 0 && height < kHeight / 2);
    if (up) apex = std::max(apex, height);
  }
};

inline void print(const char* engine, double step, const Ball& ball) {
  const double exact = kRestitution * kRestitution * kHeight;
  std::printf("%-28s ball, step %g s   apex %+.3f %%   depth %.2e m\n", engine, step, 100 * (ball.apex / exact - 1),
              ball.depth);
}

struct Bar {
  double mass, x, z, from_x, from_z, to_x, to_z;
  double length() const { return std::hypot(to_x - from_x, to_z - from_z); }
  double inertia() const { return mass * length() * length() / 12; }  ///< across
  double angle() const { return std::atan2(to_z - from_z, to_x - from_x); }
};

struct FourBar {
  double kx = (13.5 + std::sqrt(34.4375)) / 10, kz = 2 * kx - 2.375;
  Bar crank{1, 0, 0.5, 0, 0, 0, 1};
  Bar coupler{2, kx / 2, (1 + kz) / 2, 0, 1, kx, kz};
  Bar rocker{1.5, (2 + kx) / 2, kz / 2, 2, 0, kx, kz};
};

/// Seconds of the processor.
inline double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What a run of the four-bar leaves.
struct Watch {
  double first = 0, defect = 0, kinetic = 0, gap = 0;
  bool begun = false;
  void see(double T, double V, double open) {
    if (!begun) first = T + V;
    begun = true;
    defect = std::max(defect, std::abs(T + V - first));
    kinetic = std::max(kinetic, T);
    gap = std::max(gap, open);
  }
};

inline void print(const char* engine, double creep, const Watch& w, double us) {
  std::printf("%-28s incline creep %9.2e m   four-bar gap %9.2e m   energy %9.2e   %8.2f us\n", engine, creep, w.gap,
              w.defect / w.kinetic, us);
}

}  // namespace peers
