// Bouncing ball with Siconos, Moreau-Jean time stepping.
//
//   m v' = -m g + P,   0 <= q,   v+ = -e v-
//
// usage: siconos_ball STEPS [--check]
// STEPS alone only steps, and prints the last state after the loop, so that instructions can be counted.
// --check also looks at the state after each step, and prints the first impact and the lowest position.
#include <SiconosKernel.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>

namespace {

constexpr double kMass = 1.0;      // [kg]
constexpr double kGravity = 9.81;  // [m/s^2]
constexpr double kRestitution = 0.9;
constexpr double kHeight = 1.0;  // [m]
constexpr double kTheta = 0.5;
constexpr double kStep = 5e-3;  // [s]

int simulate(long steps, bool check) {
  auto position = std::make_shared<SiconosVector>(1);
  auto velocity = std::make_shared<SiconosVector>(1);
  auto weight = std::make_shared<SiconosVector>(1);
  auto mass = std::make_shared<SimpleMatrix>(1, 1);
  (*position)(0) = kHeight;
  (*velocity)(0) = 0;
  (*weight)(0) = -kMass * kGravity;
  (*mass)(0, 0) = kMass;
  auto ball = std::make_shared<LagrangianLinearTIDS>(position, velocity, mass);
  ball->setFExtPtr(weight);

  auto gradient = std::make_shared<SimpleMatrix>(1, 1);
  (*gradient)(0, 0) = 1;
  auto floor = std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(kRestitution),
                                             std::make_shared<LagrangianLinearTIR>(gradient));

  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, kStep * static_cast<double>(steps + 2));
  system->insertDynamicalSystem(ball);
  system->link(floor, ball);

  auto simulation = std::make_shared<TimeStepping>(system, std::make_shared<TimeDiscretisation>(0.0, kStep),
                                                   std::make_shared<MoreauJeanOSI>(kTheta), std::make_shared<LCP>());

  double first_impact = -1;
  double lowest = kHeight;
  for (long k = 0; k < steps; ++k) {
    simulation->computeOneStep();
    if (check) {
      const SiconosVector& q = *ball->q();
      if (first_impact < 0 && (*floor->lambda(1))(0) > 0) first_impact = simulation->nextTime();
      lowest = std::min(lowest, q(0));
    }
    simulation->nextStep();
  }
  std::printf("q %.17g v %.17g\n", (*ball->q())(0), (*ball->velocity())(0));
  if (check) {
    std::printf("first impact in the step that ends at %.17g s (exact %.17g s)\n", first_impact,
                std::sqrt(2 * kHeight / kGravity));
    std::printf("lowest position %.17g m\n", lowest);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const bool check = argc > 2 && std::strcmp(argv[2], "--check") == 0;
  if (steps < 1 || argc > 3 || (argc == 3 && !check)) {
    std::fprintf(stderr, "usage: siconos_ball STEPS [--check], STEPS a whole number from 1 on\n");
    return 2;
  }
  try {
    return simulate(steps, check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    Siconos::exception::process();
  }
  return 3;
}
