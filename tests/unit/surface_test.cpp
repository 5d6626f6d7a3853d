// Surfaces by their distance: against a search over points of the surface, gradients and Hessians against differences.
#include "ricochet/geometry/surface.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <random>

namespace ricochet::surface_test {
namespace {

using std::numbers::pi;

/// A surface, its points by two parameters in [0, 1), whether a point is inside of it.
struct Case {
  const char* name;
  std::shared_ptr<const Surface> surface;
  std::function<Vector3d(double, double)> point;
  std::function<bool(const Vector3d&)> inside;
  bool flat = false;  ///< in the plane xy
};

Vector3d on_sphere(double s, double t) {
  const double z = 2 * t - 1, rho = std::sqrt(1 - z * z);
  return {rho * std::cos(2 * pi * s), rho * std::sin(2 * pi * s), z};
}

/// A closed polyline at the fraction s of its corners.
Vector3d along(const std::vector<Eigen::Vector2d>& c, double s) {
  const double at = s * static_cast<double>(c.size());
  const auto k = static_cast<std::size_t>(at);
  const Eigen::Vector2d x = c[k] + (at - static_cast<double>(k)) * (c[(k + 1) % c.size()] - c[k]);
  return {x.x(), x.y(), 0};
}

double cam(double a) { return 1 + 0.2 * std::cos(2 * a) + 0.05 * std::sin(a); }

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"capsule", make_capsule(0.4, 1.2),
                 [](double s, double t) {
                   if (t < 0.5) return Vector3d(0.4 * std::cos(2 * pi * s), 0.4 * std::sin(2 * pi * s), 2.4 * t - 0.6);
                   const Vector3d n = on_sphere(s, 2 * t - 1);
                   return Vector3d(0.4 * n + Vector3d(0, 0, std::copysign(0.6, n.z())));
                 },
                 [](const Vector3d& x) { return (x - Vector3d(0, 0, std::clamp(x.z(), -0.6, 0.6))).norm() < 0.4; }});
  const Vector3d half(0.5, 0.7, 0.9);
  all.push_back({"box", make_box(2 * half),
                 [half](double s, double t) {
                   const int face = static_cast<int>(6 * s);
                   const double u = 12 * s - 2 * face - 1, w = 2 * t - 1;
                   const int axis = face / 2;
                   Vector3d x;
                   x[axis] = face % 2 == 0 ? 1 : -1;
                   x[(axis + 1) % 3] = u;
                   x[(axis + 2) % 3] = w;
                   return Vector3d(x.cwiseProduct(half));
                 },
                 [half](const Vector3d& x) { return (x.cwiseAbs().array() < half.array()).all(); }});
  all.push_back({"ring", make_ring(1, 0.3),
                 [](double s, double t) {
                   const double rho = 1 + 0.3 * std::cos(2 * pi * t);
                   return Vector3d(rho * std::cos(2 * pi * s), rho * std::sin(2 * pi * s), 0.3 * std::sin(2 * pi * t));
                 },
                 [](const Vector3d& x) { return std::hypot(std::hypot(x.x(), x.y()) - 1, x.z()) < 0.3; }});
  all.push_back({"cone", make_cone(0.8, 1.1),
                 [](double s, double t) {
                   const double rho = t < 0.5 ? 1.6 * t : 0.8 * (2 - 2 * t), z = t < 0.5 ? 0 : 1.1 * (2 * t - 1);
                   return Vector3d(rho * std::cos(2 * pi * s), rho * std::sin(2 * pi * s), z);
                 },
                 [](const Vector3d& x) { return x.z() > 0 && std::hypot(x.x(), x.y()) < 0.8 * (1 - x.z() / 1.1); }});
  all.push_back({"arc", make_arc(1, 0.15, -0.4, 2.1),
                 [](double s, double) {
                   const auto turn = [](double a, double r) { return Vector3d(r * std::cos(a), r * std::sin(a), 0); };
                   if (s < 0.4) return turn(-0.4 + 2.5 * s / 0.4, 1.15);
                   if (s < 0.5) return Vector3d(turn(2.1, 1) + turn(2.1 + pi * (s - 0.4) / 0.1, 0.15));
                   if (s < 0.9) return turn(2.1 - 2.5 * (s - 0.5) / 0.4, 0.85);
                   return Vector3d(turn(-0.4, 1) + turn(-0.4 + pi + pi * (s - 0.9) / 0.1, 0.15));
                 },
                 [](const Vector3d& x) {
                   double least = 9;
                   for (int k = 0; k <= 4000; ++k) {
                     const double a = -0.4 + 2.5 * k / 4000;
                     least = std::min(least, std::hypot(x.x() - std::cos(a), x.y() - std::sin(a)));
                   }
                   return least < 0.15;
                 },
                 true});
  const auto sector = [](const Vector3d& x) {
    const double a = std::atan2(x.y(), x.x());
    return std::hypot(x.x(), x.y()) < 1 && a > 0.3 && a < 1.9;
  };
  all.push_back({"sector", make_sector(1, 0, 0.3, 1.9),
                 [](double s, double) {
                   const auto turn = [](double a, double r) { return Vector3d(r * std::cos(a), r * std::sin(a), 0); };
                   return s < 0.3   ? turn(0.3, s / 0.3)
                          : s < 0.7 ? turn(0.3 + 1.6 * (s - 0.3) / 0.4, 1)
                                    : turn(1.9, (1 - s) / 0.3);
                 },
                 sector, true});
  const std::vector<Eigen::Vector2d> corners{{0, 0}, {1, -0.3}, {1.4, 0.5}, {0.2, 0.9}};
  all.push_back({"polygon", make_polygon(corners), [corners](double s, double) { return along(corners, s); },
                 [corners](const Vector3d& x) {
                   for (std::size_t k = 0; k < 4; ++k) {
                     const Eigen::Vector2d e = corners[(k + 1) % 4] - corners[k], d = x.head<2>() - corners[k];
                     if (e.x() * d.y() - e.y() * d.x() < 0) return false;
                   }
                   return true;
                 },
                 true});
  all.push_back({"cam", make_cam([](double a) {
                   return Vector3d(cam(a), -0.4 * std::sin(2 * a) + 0.05 * std::cos(a),
                                   -0.8 * std::cos(2 * a) - 0.05 * std::sin(a));
                 }),
                 [](double s, double) {
                   const double a = 2 * pi * s;
                   return Vector3d(cam(a) * std::cos(a), cam(a) * std::sin(a), 0);
                 },
                 [](const Vector3d& x) { return std::hypot(x.x(), x.y()) < cam(std::atan2(x.y(), x.x())); }, true});
  return all;
}

Vector3d random_point(std::mt19937& random, bool flat) {
  std::uniform_real_distribution<double> uniform(-1.8, 1.8);
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, flat ? 0 : z};
}

// No point of the surface is nearer, and there is one as near.
TEST(Surface, DistanceIsThatOfTheNearestPoint) {
  for (const Case& c : cases()) {
    std::mt19937 random(7);
    const int n = c.flat ? 60000 : 300, m = c.flat ? 1 : 300;
    std::vector<Vector3d> points;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) points.push_back(c.point((i + 0.5) / n, (j + 0.5) / m));
    for (int k = 0; k < 60; ++k) {
      const Vector3d x = random_point(random, c.flat);
      double least = 1e9;
      for (const Vector3d& p : points) least = std::min(least, (x - p).norm());
      const double f = c.surface->distance(x).f;
      EXPECT_EQ(f < 0, c.inside(x)) << c.name << " " << x.transpose();
      EXPECT_LE(std::abs(f), least + 1e-12) << c.name << " " << x.transpose();
      EXPECT_GT(std::abs(f), least - (c.flat ? 1e-4 : 0.03)) << c.name << " " << x.transpose();
    }
  }
}

// Of random points, some of which are near a ridge; there the differences are not those of one side.
TEST(Surface, GradientsAndHessiansAreThoseOfTheDistance) {
  for (const Case& c : cases()) {
    std::mt19937 random(11);
    int compared = 0;
    for (int k = 0; k < 300; ++k) {
      const Vector3d x = random_point(random, c.flat);
      const Distance d = c.surface->distance(x);
      EXPECT_NEAR(d.gradient.norm(), 1, 1e-14) << c.name;
      const double e = 1e-6;
      Vector3d g;
      Matrix3d H;
      bool smooth = true;
      for (int i = 0; i < 3; ++i) {
        const Distance up = c.surface->distance(x + e * Vector3d::Unit(i)),
                       down = c.surface->distance(x - e * Vector3d::Unit(i));
        smooth = smooth && (up.hessian - down.hessian).norm() < 1e-2 && (up.gradient - down.gradient).norm() < 1e-2;
        g[i] = (up.f - down.f) / (2 * e);
        H.col(i) = (up.gradient - down.gradient) / (2 * e);
      }
      if (!smooth) continue;
      ++compared;
      EXPECT_LT((d.gradient - g).norm(), 1e-8) << c.name << " " << x.transpose();
      EXPECT_LT((d.hessian - H).norm(), 1e-6) << c.name << " " << x.transpose() << "\n" << d.hessian << "\n" << H;
    }
    EXPECT_GT(compared, 250) << c.name;
  }
}

// On the axis of a solid of revolution both directions across bend alike.
TEST(Surface, HessiansOnTheAxis) {
  const double far = 1.7;
  struct {
    const char* name;
    std::shared_ptr<const Surface> surface;
    double across, z;
  } const all[] = {{"capsule", make_capsule(0.4, 1.2), 1 / (far - 0.6), far},
                   {"cone, under its base", make_cone(0.8, 1.1), 0, -far},
                   {"cone, over its tip", make_cone(0.8, 1.1), 1 / (far - 1.1), far}};
  for (const auto& c : all) {
    const Distance d = c.surface->distance({0, 0, c.z});
    EXPECT_NEAR(d.hessian(0, 0), c.across, 1e-14) << c.name;
    EXPECT_NEAR(d.hessian(1, 1), c.across, 1e-14) << c.name;
    EXPECT_EQ(d.hessian(2, 2), 0) << c.name;
    EXPECT_EQ(d.hessian(0, 1), 0) << c.name;
  }
}

// What is grown has its corners round: the same distance, less.
TEST(Surface, AThickSectorIsAThinOneGrown) {
  const auto thin = make_sector(1, 0, 0.3, 1.9), thick = make_sector(1, 0.1, 0.3, 1.9);
  std::mt19937 random(3);
  for (int k = 0; k < 100; ++k) {
    const Vector3d x = random_point(random, true);
    EXPECT_EQ(thick->distance(x).f, thin->distance(x).f - 0.1);
  }
}

}  // namespace
}  // namespace ricochet::surface_test
