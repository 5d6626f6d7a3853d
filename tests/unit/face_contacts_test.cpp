// Contacts between faces: rows against differences of gaps, rates against differences of velocities; which ways there
// are; what is wrong in scenarios.
#include "ricochet/model/contact/face_contacts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/model/model.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"
#include "support/runs.hpp"

namespace ricochet::face_contacts_test {
namespace {

using testing::HasSubstr;

// A pin, a bush, a ball, a ring, a block with a square top, a sheet of splines, all about the origin and of size 1.
const std::string kParts = R"(ricochet-brep 1
part things
vertex 1 -0.5 -0.5 0
vertex 2 0.5 -0.5 0
vertex 3 0.5 0.5 0
vertex 4 -0.5 0.5 0
edge 1 0 6.283185307179586 0 0 circle 0 0 -0.5 1 0 0 0 1 0 0 0 1 0.3
edge 2 0 6.283185307179586 0 0 circle 0 0 0.5 1 0 0 0 1 0 0 0 1 0.3
edge 3 0 6.283185307179586 0 0 circle 0 0 -0.7 1 0 0 0 1 0 0 0 1 0.32
edge 4 0 6.283185307179586 0 0 circle 0 0 0.7 1 0 0 0 1 0 0 0 1 0.32
edge 5 0 1 1 2 line -0.5 -0.5 0 1 0 0
edge 6 0 1 2 3 line 0.5 -0.5 0 0 1 0
edge 7 0 1 3 4 line 0.5 0.5 0 -1 0 0
edge 8 0 1 4 1 line -0.5 0.5 0 0 -1 0
edge 9 0 1 2 0 line 0.5 -0.5 0 0 0 -1
edge 10 0 1 0 0 line 0.5 -0.5 -1 -1 0 0
edge 11 0 1 0 1 line -0.5 -0.5 -1 0 0 1
face 1 pin out cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.3
loop
side 1 + line 0 -0.5 1 0
loop
side 2 + line 0 0.5 1 0
face 2 bore in cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.32
loop
side 3 + line 0 -0.7 1 0
loop
side 4 + line 0 0.7 1 0
face 3 ball out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.4
face 4 ring out torus 0 0 0 1 0 0 0 1 0 0 0 1 0.4 0.1
face 5 top out plane 0 0 0 1 0 0 0 1 0 0 0 1
loop
side 5 + line -0.5 -0.5 1 0
side 6 + line 0.5 -0.5 0 1
side 7 + line 0.5 0.5 -1 0
side 8 + line -0.5 0.5 0 -1
face 6 sheet out spline 2 2 3 3 0 0 0 0 1 1 1 0 0 0 1 1 1  -0.5 -0.5 0 -0.5 0 0.2 -0.5 0.5 0  0 -0.5 0.3 0 0 0.6 0 0.5 0.3  0.5 -0.5 0 0.5 0 0.2 0.5 0.5 0
face 7 end out plane 0 0 0.5 1 0 0 0 1 0 0 0 1
loop
side 2 + circle 0 0 1 0 0 1 0.3
face 8 socket in sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.45
face 9 taper out cone 0 0 0 1 0 0 0 1 0 0 0 1 0.3 0.2
loop
side 1 + line 0 -0.5 1 0
loop
side 2 + line 0 0.5 1 0
face 10 front out plane 0 -0.5 0 1 0 0 0 0 1 0 -1 0
loop
side 5 + line -0.5 0 1 0
side 9 + line 0.5 0 0 -1
side 10 + line 0.5 -1 -1 0
side 11 + line -0.5 -1 0 1
end
)";
std::shared_ptr<const brep::Part> things() {
  static const auto part = std::make_shared<const brep::Part>(parse_brep(kParts, "things", BrepFit::any));
  return part;
}
MountedFace face(const std::string& name, int mount) {
  const Frame frames[] = {
      {}, {1, {0.1, 0, 0.05}, exp_rotation({0.3, 0.2, 0.1})}, {2, {0, -0.1, 0.1}, exp_rotation({-0.2, 0.4, 0})}};
  for (std::size_t k = 0; k < things()->faces.size(); ++k)
    if (things()->faces[k].name == name) return {things(), k, frames[mount]};
  ADD_FAILURE() << name;
  return {};
}

/// Two bodies with a face each.
struct Pair {
  Model model;
  VectorXd q = VectorXd::Zero(14), v = VectorXd::Zero(12);
};
Pair make_pair(const char* A, const char* B) {
  ModelBuilder builder;
  auto bodies = make_rigid_bodies({{"a", 1, Vector3d::Ones()}, {"b", 1, Vector3d::Ones()}}, Vector3d::Zero());
  const std::vector<Mount> mounts{{}, {bodies.get(), 0, 0, 0, 0}, {bodies.get(), 1, 0, 0, 0}};
  std::vector<FaceContact> all = pair_faces(face(A, 1), face(B, 2), Vector3d::Zero());
  for (FaceContact& c : all) c.law = builder.add(make_law("", {0, 0.3}));
  auto set = make_face_contacts(mounts, all, Vector3d::Zero());
  builder.add(std::move(bodies));
  builder.add(std::move(set));
  return {builder.freeze()};
}

struct Evaluated {
  double g;
  VectorXd U;
  MatrixXd G;  // n x dim
};
Evaluated evaluate(const Pair& p, const VectorXd& q, const Candidate& c, ModelScratch& scratch) {
  ConstraintRows rows;
  const int pick = 0;
  p.model.evaluate(0, q, {.candidates = &c, .pick = &pick, .count = 1}, rows, scratch);
  Evaluated out{rows.g[0], VectorXd(c.dim), MatrixXd::Zero(12, c.dim)};
  rows.G.transpose_times(p.v, out.U.data());
  for (int i = 0; i < c.dim; ++i) {
    VectorXd unit = VectorXd::Zero(c.dim), column = VectorXd::Zero(12);
    unit[i] = 1;
    rows.G.add_times(1, unit.data(), column);
    out.G.col(i) = column;
  }
  return out;
}

/// Places B's part against A's: moved by x and turned by r, both in the axes of A's part.
void put(Pair& p, const Vector3d& x, const Vector3d& r) {
  const Frame a = face("ball", 1).frame, b = face("ball", 2).frame;
  const Matrix3d R = a.R * exp_rotation(r) * b.R.transpose();
  const Vector3d c = a.r + a.R * x - R * b.r;
  const Quaterniond Q(R);
  p.q.setZero();
  p.q[3] = 1;
  p.q.segment(7, 7) << c, Q.w(), Q.x(), Q.y(), Q.z();
}

/// The ridge of B across that of A, 0.05 apart: both face along (0, -1, 1).
Vector3d across() {
  const Vector3d out = Vector3d(0, -1, 1).normalized(), d = Vector3d(0, 1, 1).normalized(), x = Vector3d::UnitX();
  Matrix3d to, from;
  to << d, -out, d.cross(-out);
  from << x, out, x.cross(out);
  const Quaterniond Q(Matrix3d(to * from.transpose()));
  return log_quaternion(Q);
}
Vector3d beside() {
  const Vector3d half(0, -0.5, 0);
  return Vector3d(0.1, -0.5, 0) + 0.05 * Vector3d(0, -1, 1).normalized() - exp_rotation(across()) * half;
}

struct Case {
  const char *A, *B;
  Vector3d x, r;
  int there;         ///< ways that are there
  double least = 0;  ///< the least gap of them; 0: not looked at
  double h = 1e-9;   ///< of the step, whose reach decides what is there
};

TEST(FaceContacts, RowsAndRatesAgreeWithDifferences) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  const Case cases[] = {
      {"bore", "pin", {0.01, 0.005, 0.05}, {0.01, 0.008, 0.3}, 2},
      {"pin", "bore", {0.01, 0.005, 0.4}, {0.01, 0.008, 0.3}, 2},  // it looks out: one rim of each
      {"top", "ball", {0.1, 0.2, 0.41}, {0.3, 0.2, 0.1}, 1, 0.01},
      {"top", "ball", {0.6, 0.2, 0.3}, {0.3, 0.2, 0.1}, 1, std::hypot(0.1, 0.3) - 0.4},       // over its edge
      {"top", "ball", {0.6, 0.6, 0.35}, {0.3, 0.2, 0.1}, 1, std::sqrt(0.02 + 0.1225) - 0.4},  // and its corner
      {"ball", "pin", {0.75, 0.1, 0.2}, {0.3, 0.2, 0.1}, 1},
      {"ball", "sheet", {0.05, 0.02, -0.75}, {0.1, -0.1, 0.2}, 1},
      {"socket", "ball", {0.02, 0.01, -0.03}, {0, 0, 0}, 1, 0.05 - std::sqrt(0.0014)},
      {"top", "ring", {0.05, 0.02, 0.3}, {0.4, 0.3, 0}, 1},
      {"pin", "ring", {0.8, 0.02, 0.1}, {0.4, 0.9, 0}, 1},
      {"top", "pin", {0.05, 0.02, 0.6}, {0.1, 0.3, 0}, 2},          // the others are out of reach
      {"top", "pin", {0.05, 0.02, 0.6}, {0.1, 0.3, 0}, 5, 0, 0.2},  // its rims, and edges over it
      {"pin", "pin", {0.61, 0.02, 0.1}, {0.9, 0.2, 0}, 3},          // crossing, and rims
      {"top", "end", {0, 0, 0.52}, {M_PI - 0.01, 0.01, 0}, 5},
      {"top", "sheet", {0.03, 0.02, 0.62}, {M_PI - 0.1, 0.2, 0}, 1},
      {"pin", "sheet", {0.9, 0, 0}, {0, -M_PI / 2 + 0.1, 0.1}, 1},
      {"sheet", "sheet", {0.03, 0.02, 1.1}, {M_PI - 0.1, 0.2, 0}, 1},
      {"sheet", "top", {0.03, 0.02, 0.5}, {M_PI - 0.1, 0.2, 0}, 1},
      {"top", "top", beside(), across(), -1, 0.05},  // edges that cross
      {"taper", "pin", {0.63, 0, 0}, {0, 0.3, 0}, 2},
  };
  const double step = 1e-6;
  for (const Case& one : cases) {
    const std::string name = std::string(one.A) + " and " + one.B;
    Pair p = make_pair(one.A, one.B);
    put(p, one.x, one.r);
    for (double& x : p.v) x = any(random);
    ModelScratch scratch(p.model);
    std::vector<Candidate> all;
    p.model.candidates({0, p.q, p.v}, one.h, all);
    int there = 0;
    double least = 1e9;
    for (const Candidate& c : all) {
      if (c.aim[2] == 2) continue;
      ++there;
      const Evaluated here = evaluate(p, p.q, c, scratch);
      least = std::min(least, here.g);
      Jacobian rates;
      p.model.set(c).rate({0, p.q, p.v}, c, c.dim, rates, scratch.set(0));
      VectorXd gradient(12);
      MatrixXd slopes(c.dim, 12), exact = MatrixXd::Zero(c.dim, 12);
      for (Index i = 0; i < 12; ++i) {
        VectorXd q = p.q;
        const VectorXd x = step * VectorXd::Unit(12, i), back = -x;
        p.model.retract(p.q, x, q);
        const Evaluated plus = evaluate(p, q, c, scratch);
        p.model.retract(p.q, back, q);
        const Evaluated minus = evaluate(p, q, c, scratch);
        gradient[i] = (plus.g - minus.g) / (2 * step);
        slopes.col(i) = (plus.U - minus.U) / (2 * step);
        std::vector<double> column(static_cast<std::size_t>(c.dim));
        const VectorXd unit = VectorXd::Unit(12, i);
        rates.transpose_times(unit, column.data());
        for (int k = 0; k < c.dim; ++k) exact(k, i) = column[static_cast<std::size_t>(k)];
      }
      EXPECT_LT((gradient - here.G.col(0)).norm(), 1e-8) << name << ' ' << c.item;
      EXPECT_LT((slopes - exact).norm(), 1e-6 * (1 + exact.norm())) << name << ' ' << c.item;
    }
    if (one.there >= 0) {
      EXPECT_EQ(there, one.there) << name;
    }
    if (one.least != 0) {
      EXPECT_NEAR(least, one.least, 1e-14) << name;
    }
  }
}

// A ring 0.02 thick: half way into the wall, and beyond it, the gap is still that of the inside.
TEST(FaceContacts, TheFarSideOfAWallIsNotMeant) {
  const std::string ring = R"(
system:
  planar: xz
  bodies:
    ring: {fixed: true, brep: "ricochet-brep 1\nedge 1 0 6.283185307179586 0 0 circle 0 -1 0 1 0 0 0 0 -1 0 1 0 1\nedge 2 0 6.283185307179586 0 0 circle 0 1 0 1 0 0 0 0 -1 0 1 0 1\nface 1 inside in cylinder 0 0 0 1 0 0 0 0 -1 0 1 0 1\nloop\nside 1 + line 0 -1 1 0\nloop\nside 2 + line 0 1 1 0\nface 2 outside out cylinder 0 0 0 1 0 0 0 0 -1 0 1 0 1.02\nend\n"}
    disc: {mass: 1, inertia: 1, brep: "ricochet-brep 1\nedge 1 0 6.283185307179586 0 0 circle 0 -1 0 1 0 0 0 0 -1 0 1 0 0.1\nedge 2 0 6.283185307179586 0 0 circle 0 1 0 1 0 0 0 0 -1 0 1 0 0.1\nface 1 round out cylinder 0 0 0 1 0 0 0 0 -1 0 1 0 0.1\nloop\nside 1 + line 0 -1 1 0\nloop\nside 2 + line 0 1 1 0\nend\n"}
  contacts: {c: {faces: [ring/inside, disc/round], friction: 0.1}}
simulation: {scheme: combined, step: 1e-3, until: 1}
)";
  const Scenario s = read_scenario(ring, "ring.yaml");
  ModelScratch scratch(s.model);
  for (const double in : {-0.01, 0.0, 0.01, 0.02, 0.1}) {  // into the wall
    VectorXd q = s.initial.q;
    q[0] = (0.9 + in) * 0.6, q[1] = (0.9 + in) * 0.8;
    std::vector<Candidate> all;
    s.model.candidates({0, q, s.initial.v}, 1e-9, all);
    ASSERT_EQ(all.size(), 1U);
    ConstraintRows rows;
    const int pick = 0;
    s.model.evaluate(0, q, {.candidates = all.data(), .pick = &pick, .count = 1}, rows, scratch);
    EXPECT_NEAR(rows.g[0], -in, 1e-15);
    const ContactPlace place = s.model.set(all[0]).place(0, q, all[0]);
    EXPECT_LT((place.normal - Vector3d(-0.6, 0, -0.8)).norm(), 1e-15);
  }
}

std::string scenario(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(name: ball
system:
  bodies:
    table: {fixed: true, brep: "ricochet-brep 1\nface 1 top out plane 0 0 0 1 0 0 0 1 0 0 0 1\nend\n"}
    ball: {density: 1000, brep: "ricochet-brep 1\nsolid 1 0 0 0 1 1 1 0 0 0\nface 1 all out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.5\nend\n", position: [0, 0, 1]}
  contacts:
    c: {faces: [table/top, ball/all], friction: 0.3}
simulation: {scheme: combined, step: 1e-2, until: 1}
)";
  if (from.empty()) return text;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(FaceContacts, WrongScenariosAreToldWithTheirPlace) {
  using test::message_of;
  EXPECT_EQ(message_of(scenario()), "accepted");
  const auto complaint = [](const char* from, const char* to) { return message_of(scenario(from, to)); };
  EXPECT_THAT(complaint("ball/all", "ball/al"), HasSubstr("test.yaml:7:"));
  EXPECT_THAT(complaint("ball/all", "ball/al"), HasSubstr("'al'"));
  EXPECT_THAT(complaint("ball/all", "bell/all"), HasSubstr("body with geometry"));
  EXPECT_THAT(complaint("ball/all", "ball"), HasSubstr("names no face; accepted: body/face"));
  EXPECT_THAT(complaint("ball/all", "table/top"), HasSubstr("both bodies are fixed"));
  EXPECT_THAT(complaint("friction: 0.3", "radius: 0.3"), HasSubstr("has no meaning for faces"));
  EXPECT_THAT(complaint("density: 1000, ", ""), HasSubstr("needs `density`"));
  EXPECT_THAT(complaint("density: 1000, brep", "density: 1000, mass: 3, inertia: [1, 1, 1], brep"),
              HasSubstr("one of the two"));
  EXPECT_THAT(complaint("density: 1000, brep", "density: 1000, inertia: 3, brep"),
              HasSubstr("the geometry and its density"));
  EXPECT_THAT(complaint("solid 1 0 0 0 1 1 1 0 0 0\\n", ""), HasSubstr("says nothing of its volume"));
  EXPECT_THAT(complaint("position: [0, 0, 1]", "position: [0, 0, 0.3]"),
              HasSubstr("the contact 'c' of table/top and ball/all begins with a penetration of 0.2"));
  EXPECT_THAT(complaint("face 1 all out sphere", "face 1 all out spere"), HasSubstr(":3: unknown surface 'spere'"));
  EXPECT_THAT(complaint("face 1 all out", "face 1 all in"), HasSubstr("do not touch"));
  EXPECT_THAT(complaint("    c: {faces: [table/top, ball/all], friction: 0.3}",
                        "    c: {faces: [table/top, ball/all]}\n    d: {on_plane: [ground, ball], density: 3}"),
              HasSubstr("density"));
  EXPECT_THAT(complaint("\"ricochet-brep 1\\nsolid 1 0 0 0 1 1 1 0 0 0\\nface 1 all out sphere 0 0 0 1 0 0 0 1 0 0 0 1 "
                        "0.5\\nend\\n\"",
                        "none.brep"),
              HasSubstr("none.brep"));
  EXPECT_THAT(message_of(scenario("system:\n", "system:\n  planar: xz\n")),
              HasSubstr("not along the normal of the plane of motion"));
}

}  // namespace
}  // namespace ricochet::face_contacts_test
