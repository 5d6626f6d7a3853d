// The equations of one contact: derivatives against differences, and zeros against the law.
#include "ricochet/solver/iterative/contact_map.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "ricochet/math/view.hpp"

namespace ricochet::detail::contact_map_test {
namespace {

struct Named {
  const char* name;
  ContactEquation* equation;
};
constexpr Named kEquations[] = {
    {"alart-curnier", &alart_curnier}, {"natural-map", &natural_equation}, {"fischer-burmeister", &fischer_burmeister}};
constexpr double kFriction[] = {0, 0.01, 0.4, 1, 7};

using Vector3 = Eigen::Vector3d;

double uniform(std::mt19937_64& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

ContactMap at(const Named& named, double mu, bool associated, double rho, const Vector3& x, const Vector3& u) {
  ContactMap map;
  named.equation(mu, associated, rho, x.data(), u.data(), map);
  return map;
}

double length(const Vector3& v) { return std::hypot(v[1], v[2]); }

/// A pair that satisfies the law: open, sticking, sliding, or one of the edges between them.
void plant(int mode, double mu, bool associated, std::mt19937_64& random, Vector3& x, Vector3& u) {
  const double angle = uniform(random, 0, 2 * M_PI), size = uniform(random, 0.1, 1), push = uniform(random, 0.1, 1);
  const Vector3 d(0, std::cos(angle), std::sin(angle)), n(1, 0, 0);
  x.setZero(), u.setZero();
  if (mode == 0) u = (uniform(random, 0.1, 1) + (associated ? mu * size : 0)) * n + size * d;
  if (mode == 1) x = push * (n + 0.7 * mu * d);
  if (mode == 2) x = push * (n + mu * d), u = -size * d + (associated ? mu * size : 0) * n;
  if (mode == 3) x = push * (n + mu * d);                           // sticks at the edge of the cone
  if (mode == 4) u = -size * d + (associated ? mu * size : 0) * n;  // touches without an impulse
}

TEST(ContactMap, DerivativesAreThoseOfTheEquation) {
  std::mt19937_64 random(7);
  double worst = 0;
  int compared = 0;
  for (const Named& named : kEquations)
    for (const double mu : kFriction)
      for (int trial = 0; trial < 400; ++trial) {
        const bool associated = trial % 2 == 0;
        const double rho = trial % 4 < 2 ? 1 : 10;
        Vector3 x, u, dx, du;
        for (Vector3* v : {&x, &u, &dx, &du})
          for (int i = 0; i < 3; ++i) (*v)[i] = uniform(random, -1, 1);
        const auto difference = [&](double h) {
          const ContactMap a = at(named, mu, associated, rho, x + h * dx, u + h * du);
          const ContactMap b = at(named, mu, associated, rho, x - h * dx, u - h * du);
          return Vector3((Eigen::Map<const Vector3>(a.F) - Eigen::Map<const Vector3>(b.F)) / (2 * h));
        };
        const Vector3 coarse = difference(1e-4), fine = difference(1e-5);
        if ((coarse - fine).norm() > 1e-4) continue;  // a kink between the points, or next to one
        ++compared;
        const ContactMap map = at(named, mu, associated, rho, x, u);
        const Vector3 exact =
            Eigen::Map<const Eigen::Matrix3d>(map.A) * dx + Eigen::Map<const Eigen::Matrix3d>(map.B) * du;
        worst = std::max(worst, (exact - fine).norm());
        EXPECT_LT((exact - fine).norm(), 1e-5) << named.name << " mu " << mu << " associated " << associated;
      }
  EXPECT_GT(compared, 5500);
  RecordProperty("worst", std::to_string(worst));
}

TEST(ContactMap, TheLawIsTheirZero) {
  std::mt19937_64 random(11);
  for (const Named& named : kEquations)
    for (const double mu : kFriction)
      for (int trial = 0; trial < 200; ++trial) {
        const bool associated = trial % 2 == 0;
        const int mode = trial % 5;
        const double rho = trial < 100 ? 1 : 30;
        Vector3 x, u;
        plant(mode, mu, associated, random, x, u);
        const ContactMap map = at(named, mu, associated, rho, x, u);
        const double scale = mu * length(u) + u.norm() + x.norm() / rho;
        for (int i = 0; i < 3; ++i) EXPECT_LT(std::abs(map.F[i]), 4e-16 * scale) << named.name << " mode " << mode;
        for (int i = 0; i < 9; ++i) EXPECT_TRUE(std::isfinite(map.A[i]) && std::isfinite(map.B[i])) << named.name;
        // What breaks the law is no zero: pulling contacts, friction beyond the cone, sliding along friction.
        Vector3 pulled = x, beyond = x;
        pulled[0] -= 0.2 + 2 * x[0];
        beyond += 0.3 * (1 + mu) * Vector3(0, 0.6, 0.8) * (1 + mu + x[0]) * 2;
        for (const Vector3& wrong : {pulled, beyond}) {
          const ContactMap other = at(named, mu, associated, rho, wrong, u);
          EXPECT_GT(Eigen::Map<const Vector3>(other.F).norm(), 1e-4) << named.name << " mode " << mode << " mu " << mu;
        }
      }
}

/// Where a and z of Fischer and Burmeister vanish together, and at the edges, the derivative stays invertible for any
/// contact by itself: A + B W with W positive definite.
TEST(ContactMap, EdgesLeaveNewtonASystemItCanSolve) {
  std::mt19937_64 random(13);
  for (const Named& named : kEquations)
    for (const double mu : kFriction)
      for (int mode = 0; mode < 6; ++mode)
        for (const bool associated : {false, true}) {
          Vector3 x, u;
          plant(mode, mu, associated, random, x, u);
          const ContactMap map = at(named, mu, associated, 10, x, u);
          const Eigen::Matrix3d J = Eigen::Map<const Eigen::Matrix3d>(map.A) + Eigen::Map<const Eigen::Matrix3d>(map.B);
          EXPECT_GT(std::abs(J.determinant()), 1e-8) << named.name << " mode " << mode << " mu " << mu;
        }
}

}  // namespace
}  // namespace ricochet::detail::contact_map_test
