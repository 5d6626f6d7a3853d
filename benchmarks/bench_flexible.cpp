// Solids: what factorisations cost, and what steps cost while the factor is kept, in contact, and with many contacts.
//
//   bench_flexible factor 20       M + h^2/4 K of a cube of 20^3 hexahedra: Eigen, CHOLMOD where it is installed, ours;
//                                  and W of 100 contacts
//   bench_flexible steps 20        steps of a linear cube that falls, touches with its whole face, and of one that is
//                                  nonlinear, processor time of one core
//   bench_flexible rod 1000        steps of the bar of Table 1 in four schemes
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "ricochet/io/result/trajectory.hpp"
#include "ricochet/math/supernodal.hpp"
#include "ricochet/model/element/dissection.hpp"
#include "ricochet/model/subsystem/solid_elements.hpp"

#ifdef RICOCHET_CHOLMOD
#include <Eigen/CholmodSupport>
#endif

namespace {

using namespace ricochet;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int kContacts = 100;

double seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double megabytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

/// M + h^2/4 K of a cube, numbered by dissection.
Sparse cube(int n) {
  const SolidMesh mesh = make_box({Vector3d::Ones(), {n, n, n}, ElementKind::hex8});
  const SolidMaterial material = SolidMaterial::elastic(SolidMaterial::Kind::linear, 1e6, 0.3, 1000);
  const std::vector<int> order = dissect(mesh, std::vector<char>(mesh.nodes.size(), 0));
  std::vector<int> free(mesh.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) free[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const SolidElements elements(mesh, material, free);
  constexpr double kH = 1e-3;
  std::vector<Eigen::Triplet<double>> all;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    SolidElements::LocalMatrix K{};
    const SolidElements::Local u{};
    elements[e].add_tangent(u.data(), nullptr, kH * kH / 4, 0, K.data());
    const auto M = element_mass(mesh, mesh.elements[e]);
    const auto nodes = elements.nodes(e);
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s)
            all.emplace_back(
                3 * nodes[static_cast<std::size_t>(a)] + r, 3 * nodes[static_cast<std::size_t>(b)] + s,
                K[static_cast<std::size_t>(3 * a + r + 24 * (3 * b + s))] + (r == s ? material.density * M(a, b) : 0));
  }
  const Index size = 3 * static_cast<Index>(mesh.nodes.size());
  Sparse A(size, size);
  A.setFromTriplets(all.begin(), all.end());
  return A;
}

/// Analysis, factorisation and solution of one method.
template <class Analyse, class Factorise, class Solve>
void measure(const char* name, const Sparse& A, Analyse analyse, Factorise factorise, Solve solve) {
  const VectorXd b = VectorXd::LinSpaced(A.cols(), -1, 1);
  double t0 = seconds();
  analyse();
  const double analysis = seconds() - t0;
  t0 = seconds();
  factorise();
  const double factor = seconds() - t0;
  t0 = seconds();
  const VectorXd x = solve(b);
  const double solution = seconds() - t0;
  fmt::print("{:<28} {:>8.3f} s {:>8.3f} s {:>8.4f} s   error {:.1e}   {:>6.0f} MB\n", name, analysis, factor, solution,
             (A * x - b).norm() / b.norm(), megabytes());
}

void factors(int n) {
  const Sparse A = cube(n);
  fmt::print("{} coordinates, {} entries\n{:<28} {:>10} {:>10} {:>10}\n", A.cols(), A.nonZeros(), "", "analysis",
             "factor", "solution");
  SupernodalFactor own;
  measure(
      "ours, panels", A, [&] { own.analyse(A); }, [&] { own.factorise(A); },
      [&](VectorXd x) {
        own.solve(x.data());
        return x;
      });
  for (const int dim : {1, 3}) {  // what 100 contacts ask of the factor, without friction and with it
    Jacobian G;
    const auto nodes = static_cast<int>(A.cols() / 3);
    for (int k = 0; k < kContacts; ++k) {
      double* rows = G.add(dim, Range{3 * (k * (nodes / kContacts)), 3});
      for (int i = 0; i < dim; ++i) rows[4 * i] = 1;
    }
    MatrixXd W(G.rows(), G.rows());
    const double t0 = seconds();
    own.compliance(G, W.data());
    fmt::print("  {} rows of {} contacts {:>8.3f} s\n", G.rows(), kContacts, seconds() - t0);
  }
  const auto eigen = [&](const char* name, auto&& f) {
    measure(
        name, A, [&] { f.analyzePattern(A); }, [&] { f.factorize(A); },
        [&](const VectorXd& b) { return VectorXd(f.solve(b)); });
  };
#ifdef RICOCHET_CHOLMOD
  {
    Eigen::CholmodSupernodalLLT<Sparse> f;
    eigen("CHOLMOD, supernodal", f);
  }
  {
    Eigen::CholmodSimplicialLDLT<Sparse> f;
    if (n <= 20) eigen("CHOLMOD, simplicial", f);
  }
#endif
  if (n <= 20) {
    Eigen::SimplicialLDLT<Sparse> f;
    eigen("Eigen, simplicial, degree", f);
    Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Eigen::NaturalOrdering<int>> g;
    eigen("Eigen, simplicial, dissection", g);
  }
}

std::string solid(int n, const std::string& material, double height, const std::string& touch, double h, int steps) {
  return fmt::format(
      "system:\n  plane: {{}}\n  flexible:\n    cube: {{box: {{size: [1, 1, 1], elements: [{0}, {0}, {0}]}}, position: "
      "[0, 0, {1:.17g}], young: 1e6, poisson: 0.3, density: 1000, material: {2}, velocity: [0, 0, -1], touch: {3}}}\n"
      "simulation: {{scheme: moreau-jean, step: {4:.17g}, until: {5:.17g}}}\n",
      n, height, material, touch, h, h * steps);
}

double cost(const std::string& text, int* contacts = nullptr) {
  const Scenario s = read_scenario(text, "solid.yaml");
  const double t0 = seconds();
  const Trajectory run = simulate(s, {"t"});
  const double all = seconds() - t0;
  if (run.result.status != RunStatus::finished) fmt::print("  it stopped at t = {:g} s\n", run.result.failed_at);
  if (contacts != nullptr) *contacts = static_cast<int>(run.end.summary.contacts_max);
  return all;
}

/// Of one step, and of the first: the difference of two runs.
void report(const char* name, int n, const std::string& material, double height, const std::string& touch) {
  constexpr double kH = 1e-3;
  constexpr int kFew = 2, kMany = 12;
  int contacts = 0;
  const double few = cost(solid(n, material, height, touch, kH, kFew)),
               many = cost(solid(n, material, height, touch, kH, kMany), &contacts);
  fmt::print("{:<34} {:>8.3f} s a step ({:.2f} a second), {:.2f} s before, {} contacts, {:.0f} MB\n", name,
             (many - few) / (kMany - kFew), (kMany - kFew) / (many - few), few - kFew * (many - few) / (kMany - kFew),
             contacts, megabytes());
}

void steps(int n) {
  report("linear, falling", n, "linear", 2, "bottom");
  report("linear, in contact", n, "linear", 0.5 + 1e-6, "bottom");
  if (n > 20) return;
  report("svk, falling", n, "svk", 2, "bottom");
  report("svk, in contact", n, "svk", 0.5 + 1e-6, "bottom");
}

/// A step in flight, and one in contact, which lasts some N / 5 steps: the differences of two runs.
void rod(int elements) {
  const double h = 2e-3 / elements;
  for (const char* scheme :
       {"moreau-jean", "combined", "{name: nonsmooth-alpha, monolithic: true}", "decoupled-alpha"}) {
    const auto run = [&](double gap, int steps) {
      const Scenario s = load_scenario(
          "elastic-bar-rod",
          {fmt::format("system.flexible.bar.rod.elements={}", elements), fmt::format("simulation.scheme={}", scheme),
           fmt::format("system.flexible.bar.position=[{:.17g}, 0, 0]", gap), fmt::format("simulation.step={:.17g}", h),
           fmt::format("simulation.until={:.17g}", steps * h)});
      const double t0 = seconds();
      simulate(s, {"t"});
      return seconds() - t0;
    };
    const auto step = [&](double gap) {
      constexpr int kFew = 40, kMany = 160;
      double least = 1e9;
      for (int k = 0; k < 3; ++k) least = std::min(least, (run(gap, kMany) - run(gap, kFew)) / (kMany - kFew));
      return 1e6 * least;
    };
    const double flight = step(1), contact = step(1e-7);
    fmt::print("{:<44} {:>8.1f} us a step in flight, {:>8.1f} in contact, {:.0f} MB\n", scheme, flight, contact,
               megabytes());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "steps";
  const int n = argc > 2 ? std::atoi(argv[2]) : 10;
  if (what == "factor")
    factors(n);
  else if (what == "rod")
    rod(n);
  else
    steps(n);
}
