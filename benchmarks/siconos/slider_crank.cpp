// Slider-crank with clearance and friction at four corners with Siconos, Moreau-Jean time stepping.
//
// Minimal coordinates q = (th1, th2, th3): angles of crank, rod and slider, all measured from the x axis. The slider's
// centre is (l1 cos th1 + l2 cos th2, l1 sin th1 + l2 sin th2), its corners are centre + R(th3) (+-a, +-b), and each
// corner keeps inside the slot of height d = 2 (b + c). With k = l1 l2 (m2/2 + m3) and s = sin(th1 - th2)
//
//   M(q) v' + F_gyr(q, v) + F_int(q) = G P,   F_gyr = (k s th2'^2, -k s th1'^2, 0),   F_int = dV/dq (weight)
//
// usage: siconos_slider_crank STEPS [--solver enum|lemke|nsgs|cpg] [--step h] [--gamma x] [--tolerance x]
// [--no-tangents]
//        [--check]
// Without --check it only steps, and prints the last state after the loop, so that instructions can be counted.
// --check also looks at the state after each step, and prints the energy, the largest penetration and the iterations.
#include <SolverOptions.h>

#include <SiconosKernel.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

constexpr double kL1 = 0.153, kL2 = 0.306;                  // crank, rod                               [m]
constexpr double kA = 0.05, kB = 0.025;                     // half length and half height of slider    [m]
constexpr double kC = 0.001, kD = 2 * (kB + kC);            // clearance on each side, slot height      [m]
constexpr double kM1 = 0.038, kM2 = 0.038, kM3 = 0.076;     // [kg]
constexpr double kJ1 = 7.4e-5, kJ2 = 5.9e-4, kJ3 = 2.7e-6;  // [kg m^2]
constexpr double kGravity = 9.81;                           // [m/s^2]
constexpr double kRestitution = 0.4, kFriction = 0.01;
constexpr double kTheta = 0.5;
constexpr double kNewtonTolerance = 1e-10;

constexpr double kM11 = kJ1 + kL1 * kL1 * (kM1 / 4 + kM2 + kM3);
constexpr double kM22 = kJ2 + kL2 * kL2 * (kM2 / 4 + kM3);
constexpr double kCoupling = kL1 * kL2 * (kM2 / 2 + kM3);
constexpr double kWeight1 = kGravity * kL1 * (kM1 / 2 + kM2 + kM3);
constexpr double kWeight2 = kGravity * kL2 * (kM2 / 2 + kM3);

// The functions that Siconos calls; matrices are stored by columns and hold zeros where nothing is written.
void mass(unsigned int, double* q, double* m, unsigned int, double*) {
  m[0] = kM11;
  m[4] = kM22;
  m[8] = kJ3;
  m[1] = m[3] = kCoupling * std::cos(q[0] - q[1]);
}

void gyroscopic(unsigned int, double* q, double* v, double* f, unsigned int, double*) {
  const double ks = kCoupling * std::sin(q[0] - q[1]);
  f[0] = ks * v[1] * v[1];
  f[1] = -ks * v[0] * v[0];
  f[2] = 0;
}

void gyroscopic_q(unsigned int, double* q, double* v, double* jacobian, unsigned int, double*) {
  const double kc = kCoupling * std::cos(q[0] - q[1]);
  jacobian[0] = kc * v[1] * v[1];
  jacobian[1] = -kc * v[0] * v[0];
  jacobian[3] = -jacobian[0];
  jacobian[4] = -jacobian[1];
}

void gyroscopic_v(unsigned int, double* q, double* v, double* jacobian, unsigned int, double*) {
  const double ks = kCoupling * std::sin(q[0] - q[1]);
  jacobian[1] = -2 * ks * v[0];
  jacobian[3] = 2 * ks * v[1];
}

void internal(double, unsigned int, double* q, double*, double* f, unsigned int, double*) {
  f[0] = kWeight1 * std::cos(q[0]);
  f[1] = kWeight2 * std::cos(q[1]);
  f[2] = 0;
}

void internal_q(double, unsigned int, double* q, double*, double* jacobian, unsigned int, double*) {
  jacobian[0] = -kWeight1 * std::sin(q[0]);
  jacobian[4] = -kWeight2 * std::sin(q[1]);
}

/// Gap and slip of the corner at (u, w) in the slider's frame; w > 0 faces the upper wall, w < 0 the lower one.
class CornerRelation : public LagrangianScleronomousR {
 public:
  CornerRelation(double u, double w) : u_(u), w_(w), side_(w > 0 ? -1.0 : 1.0) {}

  void computeh(const BlockVector& q, BlockVector&, SiconosVector& y) override {
    const double s3 = std::sin(q(2)), c3 = std::cos(q(2));
    y(0) = kD / 2 + side_ * (kL1 * std::sin(q(0)) + kL2 * std::sin(q(1)) + u_ * s3 + w_ * c3);
    y(1) = kL1 * std::cos(q(0)) + kL2 * std::cos(q(1)) + u_ * c3 - w_ * s3;
  }

  void computeJachq(const BlockVector& q, BlockVector&) override {
    const double s3 = std::sin(q(2)), c3 = std::cos(q(2));
    SimpleMatrix& jacobian = *_jachq;
    jacobian(0, 0) = side_ * kL1 * std::cos(q(0));
    jacobian(0, 1) = side_ * kL2 * std::cos(q(1));
    jacobian(0, 2) = side_ * (u_ * c3 - w_ * s3);
    jacobian(1, 0) = -kL1 * std::sin(q(0));
    jacobian(1, 1) = -kL2 * std::sin(q(1));
    jacobian(1, 2) = -u_ * s3 - w_ * c3;
  }

 private:
  double u_, w_;  ///< corner in the slider's frame
  double side_;   ///< sign of the corner's height in the gap
};

struct Options {
  long steps = 0;
  int solver = SICONOS_FRICTION_2D_ENUM;
  double step = 1e-5;
  double gamma = 0;
  double tolerance = 1e-12;
  bool tangents = true;
  bool check = false;
};

double energy(const SiconosVector& q, const SiconosVector& v) {
  const double kinetic = 0.5 * (kM11 * v(0) * v(0) + kM22 * v(1) * v(1) + kJ3 * v(2) * v(2)) +
                         kCoupling * std::cos(q(0) - q(1)) * v(0) * v(1);
  return kinetic + kWeight1 * std::sin(q(0)) + kWeight2 * std::sin(q(1));
}

/// What --check watches. The free motion ends with the first impulse.
struct Watch {
  double energy_start = 0;
  double energy_gain_free = 0, time_free = 0;
  double energy_gain_early = 0;
  double penetration = 0;
  bool touched = false;
  long newton_iterations = 0;
  unsigned int newton_max = 0;
  long steps_with_contact = 0;
  std::size_t contacts_max = 0;
};

constexpr double kEarly = 2.4e-3;  // energy is also reported here [s]

void observe(Watch& watch, TimeStepping& simulation, const LagrangianDS& mechanism,
             const std::array<std::shared_ptr<Interaction>, 4>& corners) {
  const double time = simulation.nextTime();
  const double gain = energy(*mechanism.q(), *mechanism.velocity()) - watch.energy_start;
  for (const auto& corner : corners) {
    watch.touched = watch.touched || (*corner->lambda(1))(0) > 0;
    watch.penetration = std::max(watch.penetration, -(*corner->y(0))(0));
  }
  if (!watch.touched) {
    watch.energy_gain_free = gain;
    watch.time_free = time;
  }
  if (time <= kEarly * (1 + 1e-9)) watch.energy_gain_early = gain;
  watch.newton_iterations += simulation.getNewtonNbIterations();
  watch.newton_max = std::max(watch.newton_max, simulation.getNewtonNbIterations());
  const std::size_t active = simulation.indexSet(1)->size();
  watch.steps_with_contact += active > 0;
  watch.contacts_max = std::max(watch.contacts_max, active);
}

void print(const Watch& watch, long steps, double step) {
  const double n = static_cast<double>(steps);
  std::printf("energy at the start %.6e J\n", watch.energy_start);
  std::printf("energy gain up to %.1e s: %.4e J\n", kEarly, watch.energy_gain_early);
  std::printf("energy gain in free motion, up to %.5e s: %.4e J\n", watch.time_free, watch.energy_gain_free);
  std::printf("largest penetration %.4e m = %.3f m/s * h\n", watch.penetration, watch.penetration / step);
  std::printf("Newton iterations per step %.3f, at most %u\n", static_cast<double>(watch.newton_iterations) / n,
              watch.newton_max);
  std::printf("steps with contact %.1f %%, contacts at most %zu\n",
              100 * static_cast<double>(watch.steps_with_contact) / n, watch.contacts_max);
}

int simulate(const Options& options) {
  auto position = std::make_shared<SiconosVector>(3);
  auto velocity = std::make_shared<SiconosVector>(3);
  position->zero();
  velocity->zero();
  (*velocity)(0) = 150;
  (*velocity)(1) = -75;
  auto mass_matrix = std::make_shared<SimpleMatrix>(3, 3);
  mass_matrix->zero();
  auto mechanism = std::make_shared<LagrangianDS>(position, velocity, mass_matrix);
  mechanism->setComputeMassFunction(mass);
  mechanism->setComputeFGyrFunction(gyroscopic);
  mechanism->setComputeFIntFunction(internal);
  if (options.tangents) {
    mechanism->setComputeJacobianFGyrqFunction(gyroscopic_q);
    mechanism->setComputeJacobianFGyrqDotFunction(gyroscopic_v);
    mechanism->setComputeJacobianFIntqFunction(internal_q);
  }

  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, options.step * static_cast<double>(options.steps + 2));
  system->insertDynamicalSystem(mechanism);
  auto law = std::make_shared<NewtonImpactFrictionNSL>(kRestitution, 0.0, kFriction, 2);
  std::array<std::shared_ptr<Interaction>, 4> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double u = i % 2 == 0 ? -kA : kA, w = i < 2 ? kB : -kB;
    corners[i] = std::make_shared<Interaction>(law, std::make_shared<CornerRelation>(u, w));
    system->link(corners[i], mechanism);
  }

  auto contact = std::make_shared<FrictionContact>(2, options.solver);
  contact->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = options.tolerance;
  auto simulation = std::make_shared<TimeStepping>(system, std::make_shared<TimeDiscretisation>(0.0, options.step),
                                                   std::make_shared<MoreauJeanOSI>(kTheta, options.gamma), contact);
  simulation->setNewtonTolerance(kNewtonTolerance);
  simulation->setNewtonMaxIteration(200);

  Watch watch;
  watch.energy_start = energy(*position, *velocity);
  for (long k = 0; k < options.steps; ++k) {
    simulation->computeOneStep();
    if (options.check) observe(watch, *simulation, *mechanism, corners);
    simulation->nextStep();
  }
  const SiconosVector &q = *mechanism->q(), &v = *mechanism->velocity();
  std::printf("q %.17g %.17g %.17g v %.17g %.17g %.17g\n", q(0), q(1), q(2), v(0), v(1), v(2));
  if (options.check) print(watch, options.steps, options.step);
  return 0;
}

int solver_id(const std::string& name) {
  if (name == "enum") return SICONOS_FRICTION_2D_ENUM;
  if (name == "lemke") return SICONOS_FRICTION_2D_LEMKE;
  if (name == "nsgs") return SICONOS_FRICTION_2D_NSGS;
  if (name == "cpg") return SICONOS_FRICTION_2D_CPG;
  throw std::invalid_argument("--solver: '" + name + "'; accepted: enum, lemke, nsgs, cpg");
}

Options read(int argc, char** argv) {
  Options options;
  int next = 1;
  const auto value = [&](const std::string& key) {
    if (next >= argc) throw std::invalid_argument(key.empty() ? "STEPS is missing" : key + " needs a value");
    return std::string(argv[next++]);
  };
  const auto number = [&](const std::string& key) {
    const std::string text = value(key);
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw std::invalid_argument(key + ": '" + text + "'; a number is accepted");
    return x;
  };
  options.steps = std::strtol(value("").c_str(), nullptr, 10);
  if (options.steps < 1) throw std::invalid_argument("STEPS: a whole number from 1 on is accepted");
  while (next < argc) {
    const std::string key = argv[next++];
    if (key == "--solver") {
      options.solver = solver_id(value(key));
    } else if (key == "--step") {
      options.step = number(key);
    } else if (key == "--gamma") {
      options.gamma = number(key);
    } else if (key == "--tolerance") {
      options.tolerance = number(key);
    } else if (key == "--no-tangents") {
      options.tangents = false;
    } else if (key == "--check") {
      options.check = true;
    } else {
      throw std::invalid_argument("unknown option '" + key + "'");
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = read(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "siconos_slider_crank: %s\n", error.what());
    return 2;
  }
  try {
    return simulate(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "siconos_slider_crank: %s\n", error.what());
  } catch (...) {
    Siconos::exception::process();
  }
  return 3;
}
