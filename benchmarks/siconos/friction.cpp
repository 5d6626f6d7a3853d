// One friction problem (fc3d text) with one of Siconos' solvers, judged by Ricochet's error
//     e = |r - P_K(r - rho u^)| / max(|r|, |rho q|),    u^ = W r + q + mu |u_T| n,    rho = 3 / trace(W_aa)
// which is computed here anew. Siconos stops by a measure of its own: its tolerance is brought down by tenths until e
// is met; the time is that of the last solve alone. Solves below 0.1 s are repeated, the shortest counts; longer ones
// count seconds of the processor, whose clock is coarse but not disturbed by other programs.
//
//   siconos_friction FILE SOLVER TOLERANCE SECONDS     prints: solved|failed e seconds iterations tolerance measure
#include <fc3d_Solvers.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "NumericsSparseMatrix.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"

namespace {

struct Entry {
  int i, j;
  double value;
};

struct Data {
  int nc = 0;
  std::vector<Entry> W;
  std::vector<double> q, mu;
};

bool read(const char* path, Data& data) {
  FILE* in = std::fopen(path, "r");
  int version = 0, nnz = 0;
  bool good = in != nullptr && std::fscanf(in, "fc3d %d %d %d", &version, &data.nc, &nnz) == 3;
  data.W.resize(good ? nnz : 0);
  for (Entry& e : data.W) good = good && std::fscanf(in, "%d %d %lf", &e.i, &e.j, &e.value) == 3;
  data.q.resize(3 * data.nc);
  data.mu.resize(data.nc);
  for (double& x : data.q) good = good && std::fscanf(in, "%lf", &x) == 1;
  for (double& x : data.mu) good = good && std::fscanf(in, "%lf", &x) == 1;
  if (in) std::fclose(in);
  return good;
}

double relative_error(const Data& data, const std::vector<double>& r) {
  std::vector<double> u = data.q, trace(data.nc, 0.0);
  for (const Entry& e : data.W) {
    u[e.i] += e.value * r[e.j];
    if (e.i == e.j) trace[e.i / 3] += e.value;
  }
  double map = 0, size = 0, load = 0, worst = 0, speed = 0;
  for (int a = 0; a < data.nc; ++a) {
    const double rho = trace[a] > 0 ? 3 / trace[a] : 1, mu = data.mu[a];
    const double *p = &r[3 * a], *v = &u[3 * a];
    double z[3] = {p[0] - rho * (v[0] + mu * std::hypot(v[1], v[2])), p[1] - rho * v[1], p[2] - rho * v[2]};
    const double t = std::hypot(z[1], z[2]);
    if (mu * t <= -z[0]) {
      z[0] = z[1] = z[2] = 0;
    } else if (t > mu * z[0]) {
      const double n = (z[0] + mu * t) / (1 + mu * mu);
      z[0] = n, z[1] *= mu * n / t, z[2] *= mu * n / t;
    }
    for (int i = 0; i < 3; ++i) {
      map += (p[i] - z[i]) * (p[i] - z[i]);
      worst = std::fmax(worst, std::fabs(p[i] - z[i]) / rho);
      speed = std::fmax(speed, std::fmax(std::fabs(v[i]), std::fabs(data.q[3 * a + i])));
      size += p[i] * p[i];
      load += rho * data.q[3 * a + i] * rho * data.q[3 * a + i];
    }
  }
  // Impulses and velocities, each of its own scale (docs/solvers.md).
  return std::fmax(std::sqrt(map) / std::sqrt(std::fmax(size, load)), speed > 0 ? worst / speed : 0);
}

NumericsMatrix* matrix(const Data& data, bool blocks) {
  const int n = 3 * data.nc;
  NumericsMatrix* sparse = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(sparse, static_cast<CS_INT>(data.W.size()));
  sparse->matrix2->origin = NSM_TRIPLET;
  for (const Entry& e : data.W) NM_entry(sparse, e.i, e.j, e.value);
  if (!blocks) return sparse;
  SparseBlockStructuredMatrix* sbm = SBM_new();
  if (SBM_from_csparse(3, NM_csc(sparse), sbm) != 0) std::exit(3);
  return NM_new_SBM(n, n, sbm);
}

SolverOptions* options_of(const std::string& solver, bool& blocks) {
  SolverOptions* o = nullptr;
  blocks = false;
  if (solver == "nsgs-ac" || solver == "nsgs-projection") {
    blocks = true;
    o = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    solver_options_update_internal(o, 0,
                                   solver == "nsgs-ac"
                                       ? SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID
                                       : SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
  } else if (solver == "nsn-ac" || solver == "nsn-ac-hybrid") {
    o = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
    o->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = solver == "nsn-ac"
                                                             ? SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_NO
                                                             : SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  } else if (solver == "admm" || solver == "admm-balanced") {
    o = solver_options_create(SICONOS_FRICTION_3D_ADMM);
    o->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
        solver == "admm" ? SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT
                         : SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
  } else if (solver == "vi-eg") {
    o = solver_options_create(SICONOS_FRICTION_3D_VI_EG);
    blocks = true;
  } else if (solver == "prox") {
    o = solver_options_create(SICONOS_FRICTION_3D_PROX);
  }
  return o;
}

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double last_error = -1;

void out_of_time(int) {
  char text[64];
  const int n = std::snprintf(text, sizeof text, "failed %.3e nan 0 0 0\n", last_error);
  if (write(1, text, static_cast<size_t>(n)) != n) _exit(1);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  Data data;
  if (argc != 5 || !read(argv[1], data)) {
    std::fprintf(stderr, "usage: siconos_friction FILE.fc3d SOLVER TOLERANCE SECONDS\n");
    return 2;
  }
  const double tolerance = std::atof(argv[3]);
  const double limit = std::atof(argv[4]);
  std::signal(SIGPROF, out_of_time);
  itimerval timer{};
  // What the library prints of its own is not ours to pass on.
  const int to = dup(1);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  dup2(to, 1);
  std::vector<double> r(data.q.size()), u(data.q.size());
  bool blocks = false;
  int iterations = 0;
  double measure = 0;
  const auto solve = [&](double asked) {
    SolverOptions* o = options_of(argv[2], blocks);
    o->dparam[SICONOS_DPARAM_TOL] = asked;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
    // The matrix is made anew: some solvers change it or keep factors in it.
    FrictionContactProblem* problem =
        frictionContactProblem_new_with_data(3, data.nc, matrix(data, blocks), data.q.data(), data.mu.data());
    r.assign(r.size(), 0.0);
    u.assign(u.size(), 0.0);
    timer.it_value.tv_sec = static_cast<time_t>(limit);
    timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (limit - std::floor(limit)));
    setitimer(ITIMER_PROF, &timer, nullptr);
    const double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    fc3d_driver(problem, r.data(), u.data(), o);
    const double passed = seconds_of(CLOCK_MONOTONIC) - wall;
    const double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
    measure = o->dparam[SICONOS_DPARAM_RESIDU];
    return passed > 0.1 && used > 0.05 ? std::fmin(passed, used) : passed;
  };
  if (options_of(argv[2], blocks) == nullptr) {
    std::fprintf(stderr, "siconos_friction: no solver '%s'\n", argv[2]);
    return 2;
  }
  for (double asked = tolerance; asked > 1e-17; asked /= 10) {
    double seconds = solve(asked);
    const double e = last_error = relative_error(data, r);
    if (!(e <= tolerance)) continue;
    for (int repeat = 0; repeat < 10 && seconds < 0.1; ++repeat) seconds = std::fmin(seconds, solve(asked));
    dprintf(to, "solved %.3e %.6e %d %.0e %.3e\n", e, seconds, iterations, asked, measure);
    return 0;
  }
  dprintf(to, "failed %.3e nan 0 0 0\n", last_error);
  return 0;
}
