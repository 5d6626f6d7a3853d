// Surfaces of triangles: their files, what is put in order in them, and what is said of the rest.
#include "ricochet/geometry/triangle_mesh.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ricochet/io/mesh/triangles.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::triangle_mesh_test {
namespace {

/// The unit cube about (0.5, 0.5, 0.5), its corners once each.
TriangleMesh cube() {
  TriangleMesh out;
  for (int k = 0; k < 8; ++k) out.points.emplace_back(k & 1, k >> 1 & 1, k >> 2);
  for (const std::array<int, 4>& q :
       {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    out.triangles.push_back({q[0], q[1], q[2]});
    out.triangles.push_back({q[0], q[2], q[3]});
  }
  return out;
}

std::string ascii_stl(const TriangleMesh& m) {
  std::string out = "solid cube\n";
  for (const auto& t : m.triangles) {
    out += "facet normal 0 0 0\n outer loop\n";
    for (const int v : t) {
      const Vector3d& x = m.points[static_cast<std::size_t>(v)];
      out += "  vertex " + std::to_string(x.x()) + " " + std::to_string(x.y()) + " " + std::to_string(x.z()) + "\n";
    }
    out += " endloop\nendfacet\n";
  }
  return out + "endsolid cube\n";
}

std::string binary_stl(const TriangleMesh& m) {
  std::string out(80, ' ');
  out.replace(0, 5, "solid");  // some begin like ASCII
  const auto put = [&](const auto& x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  put(static_cast<std::uint32_t>(m.triangles.size()));
  for (const auto& t : m.triangles) {
    for (int k = 0; k < 3; ++k) put(0.0F);
    for (const int v : t)
      for (const double x : m.points[static_cast<std::size_t>(v)]) put(static_cast<float>(x));
    put(std::uint16_t{0});
  }
  return out;
}

std::string obj(const TriangleMesh& m) {
  std::string out = "# cube\n";
  for (const Vector3d& x : m.points)
    out += "v " + std::to_string(x.x()) + " " + std::to_string(x.y()) + " " + std::to_string(x.z()) + "\n";
  for (const auto& t : m.triangles)
    out +=
        "f " + std::to_string(t[0] + 1) + "/1/1 " + std::to_string(t[1] + 1) + "//2 " + std::to_string(t[2] - 8) + "\n";
  return out;
}

void expect_cube(TriangleMesh mesh) {
  const MeshRepair r = repair(mesh);
  EXPECT_TRUE(r.closed());
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  const MassProperties solid = solid_within(mesh);
  EXPECT_NEAR(solid.mass, 1, 1e-14);
  EXPECT_NEAR((solid.centre - Vector3d::Constant(0.5)).norm(), 0, 1e-14);
  EXPECT_NEAR((solid.inertia - Matrix3d::Identity() / 6).norm(), 0, 1e-14);
}

TEST(TriangleMesh, FilesGiveTheSameSurface) {
  expect_cube(cube());
  expect_cube(parse_triangles(ascii_stl(cube()), "cube.stl"));
  expect_cube(parse_triangles(binary_stl(cube()), "cube.stl"));
  expect_cube(parse_triangles(obj(cube()), "cube.obj"));
}

TEST(TriangleMesh, WhatIsWrongIsPutInOrderOrTold) {
  TriangleMesh mesh = cube();
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);  // looks inwards
  mesh.triangles.push_back(mesh.triangles[5]);            // twice
  mesh.triangles.push_back({0, 1, 1});                    // no area
  mesh.points.push_back(mesh.points[7]);                  // a corner of its own
  mesh.triangles[11][2] = mesh.triangles[11][2] == 7 ? 8 : mesh.triangles[11][2];
  MeshRepair r = repair(mesh);
  EXPECT_TRUE(r.closed());
  EXPECT_EQ(r.turned, 1);
  EXPECT_EQ(r.twice, 1);
  EXPECT_EQ(r.flat, 1);
  EXPECT_EQ(r.joined, 1);
  EXPECT_NEAR(solid_within(mesh).mass, 1, 1e-14);

  mesh = cube();  // inside out
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  r = repair(mesh);
  EXPECT_EQ(r.turned, 12);
  EXPECT_NEAR(solid_within(mesh).mass, 1, 1e-14);

  mesh = cube();  // a hole
  mesh.triangles.pop_back();
  r = repair(mesh);
  EXPECT_EQ(r.open, 3);
  EXPECT_FALSE(r.closed());

  mesh = cube();  // a cavity looks inwards and stays
  TriangleMesh inner = cube();
  for (auto& t : inner.triangles) {
    std::swap(t[0], t[1]);
    for (int& v : t) v += 8;
    mesh.triangles.push_back(t);
  }
  for (const Vector3d& x : inner.points) mesh.points.push_back(Vector3d::Constant(0.25) + 0.5 * x);
  EXPECT_EQ(repair(mesh).turned, 0);
  EXPECT_NEAR(solid_within(mesh).mass, 1 - 0.125, 1e-14);
}

TEST(TriangleMesh, BadFilesAreTold) {
  const auto message = [](const std::string& data) {
    try {
      parse_triangles(data, "part");
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  const std::string whole = binary_stl(cube());
  EXPECT_NE(message(whole.substr(0, whole.size() - 60)).find("cut off"), std::string::npos);
  EXPECT_NE(message("solid a\nfacet\nouter loop\nvertex 0 0\n").find("part:4: expected three numbers"),
            std::string::npos);
  EXPECT_NE(message("solid a\nfacet\nouter loop\nvertex 0 0 0\n").find("cut off"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf 1 2 3\n").find("part:2: a face names the corner '2' of 1"), std::string::npos);
  EXPECT_NE(message("hello\n").find("has no triangles"), std::string::npos);
  EXPECT_NE(message("v 0 0 nan\n").find("not a finite number"), std::string::npos);
  std::string million = whole;
  const std::uint32_t count = 1'000'000;
  std::memcpy(million.data() + 80, &count, 4);
  million.resize(84 + 50 * std::size_t{count});
  EXPECT_NE(message(million).find("1000000 triangles; accepted: up to 200000"), std::string::npos);
}

}  // namespace
}  // namespace ricochet::triangle_mesh_test
