// Kinds of system side by side move as the same system written in one kind, in every scheme.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/features.hpp"
#include "support/runs.hpp"
#include "support/schemes.hpp"

namespace ricochet::test::kinds_test {
namespace {

using testing::HasSubstr;

class Kinds : public testing::TestWithParam<std::string> {
 protected:
  const SchemeInfo& info() const { return find_scheme(GetParam())->info; }
  Trajectory run(const std::string& system, const std::string& initial, double until = 1) const {
    return simulate(read_scenario("system:\n" + system + (initial.empty() ? "" : "initial: " + initial + "\n") +
                                      "simulation: {step: 2.3e-3, until: " + std::to_string(until) + "}\n",
                                  "kinds", {"simulation.scheme=" + GetParam()}));
  }
  /// Largest difference of coordinate i of one and j of the other, over their common rows.
  static double difference(const Trajectory& a, Index i, const Trajectory& b, Index j) {
    double most = 0;
    EXPECT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k)
      most = std::max({most, std::abs(a.rows[k].q[i] - b.rows[k].q[j])});
    return most;
  }
  /// Comparison schemes do not converge across impacts, and may fail there; then both do.
  bool both_finish(const Trajectory& a, const Trajectory& b) const {
    EXPECT_EQ(a.result.status, b.result.status);
    if (info().impact_order > 0) {
      EXPECT_EQ(a.result.status, RunStatus::finished);
    }
    return a.result.status == RunStatus::finished;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Kinds, testing::ValuesIn(scheme_names()), scheme_test_name);

/// Two masses on a line, a spring with a damper between them, a wall before the second.
TEST_P(Kinds, AMassOfFormulasAndABodyOnASpring) {
  const Trajectory one = run(R"(
  formulas:
    coordinates: [x, y]
    kinetic: 0.5*x'^2 + y'^2
    potential: 25*(y - x - 1)^2
    forces: {x: 0.3*(y' - x'), y: -0.3*(y' - x')}
    contacts: {wall: {gap: 1.6 - y, restitution: 0.5}}
)",
                             "{position: {y: 1.5}, velocity: {x: 1}}");
  const std::string coil =
      "  forces: {coil: {spring: [mass, body], at: [0, 0, 0], to: [1.5, 0, 0], length: 1, stiffness: 50, damping: "
      "0.3}}\n"
      "  contacts: {wall: {on_plane: [ground, body], at: [1.6, 0, 0], to: [1.5, 0, 0], axis: [-1, 0, 0], restitution: "
      "0.5}}\n"
      "  bodies: {body: {mass: 2, inertia: [1, 1, 1], position: [1.5, 0, 0]}}\n"
      "  gravity: [0, 0, 0]\n"
      "  formulas: {coordinates: [x], kinetic: 0.5*x'^2, frames: {mass: {position: [x, 0, 0]}}}\n";
  for (const bool planar : {true, false}) {
    if (!planar && support(info(), SchemeFeature::bodies) != Support::yes) continue;
    const Trajectory two = run(coil + (planar ? "  planar: xz\n" : ""), "{velocity: {x: 1}}");
    if (!both_finish(one, two)) continue;
    EXPECT_GT(one.end.summary.impacts, 0);
    EXPECT_EQ(one.end.summary.impacts, two.end.summary.impacts);
    EXPECT_LE(difference(one, 0, two, 0), 1e-11);  // measured: 1.3e-13
    EXPECT_LE(difference(one, 1, two, 1), 1e-11);
    const EnergyLedger &a = one.end.summary.energy, &b = two.end.summary.energy;
    EXPECT_NEAR(a.impact, b.impact, 1e-10);  // measured: 2.2e-12
    EXPECT_NEAR(a.damping, b.damping, 1e-10);
  }
}

/// A chain of masses by matrices whose end is hit by a body.
TEST_P(Kinds, ALinearSystemAndABodyInContact) {
  for (const int n : {3, 60}) {  // dense, and sparse: its operator then falls into blocks
    const auto matrices = [&](int size) {
      const std::string entries_of_M = [&] {
        std::string out;
        for (int i = 1; i <= size; ++i) out += "[" + std::to_string(i) + ", " + std::to_string(i) + ", 0.2],";
        return out;
      }();
      std::string K;
      const auto spring = [&](int i, int j) {
        K += "[" + std::to_string(i) + "," + std::to_string(j) + "," + (i == j ? "300" : "-150") + "],";
      };
      for (int i = 1; i <= n; ++i) {
        spring(i, i);
        if (i < n) spring(i, i + 1), spring(i + 1, i);
      }
      return "M: {size: " + std::to_string(size) + ", entries: [" + entries_of_M +
             "]}, K: {size: " + std::to_string(size) + ", entries: [" + K + "]}";
    };
    const std::string end = "q" + std::to_string(n), next = "q" + std::to_string(n + 1);
    const Trajectory one = run("  linear: {" + matrices(n + 1) + ", contacts: {hit: {gap: " + next + " - " + end +
                                   " + 0.05, restitution: 0.4}}}\n",
                               "{velocity: {" + next + ": -1}}", 0.4);
    const Trajectory two =
        run("  linear: {" + matrices(n) + ", frames: {end: {position: [" + end +
                " - 0.05, 0, 0]}}}\n  gravity: [0, 0, 0]\n  planar: xz\n"
                "  bodies: {ball: {mass: 0.2, inertia: [0.1, 0.1, 0.1], velocity: [-1, 0, 0]}}\n"
                "  contacts: {hit: {on_plane: [end, ball], at: [-0.05, 0, 0], to: [0, 0, 0], axis: [1, 0, 0], "
                "restitution: 0.4}}\n",
            "", 0.4);
    if (!both_finish(one, two)) continue;
    EXPECT_GT(one.end.summary.impacts, 0);
    EXPECT_LE(difference(one, n - 1, two, n - 1), 1e-12);  // measured: 3.8e-15
    EXPECT_LE(difference(one, n, two, n), 1e-12);
  }
}

/// Formulas over the coordinates of several parts: a joint, a contact, a potential and a force.
TEST_P(Kinds, FormulasOverTheCoordinatesOfSeveralParts) {
  const Trajectory one = run(R"(
  formulas:
    coordinates: [x, y, z]
    kinetic: 0.5*x'^2 + y'^2 + 0.3*z'^2
    potential: 9.81*(x + 2*y + 0.6*z) + 30*(x - y)^2*cos(t)
    forces: {x: -0.2*(x' - z')}
    joints: {rack: y - 2 - 0.5*sin(z)}
    contacts: {pad: {gap: 1 + y - 2*x, restitution: 0.3}}
)",
                             "{position: {x: 0.2, y: 2}}", 0.5);
  const Trajectory two = run(R"(
  parts:
    a: {formulas: {coordinates: [x], kinetic: 0.5*x'^2, potential: 9.81*x}, initial: {position: {x: 0.2}}}
    b: {linear: {coordinates: [y], M: [[2]], load: {y: -19.62}}, initial: {position: {y: 2}}}
    c: {formulas: {parameters: {m: 0.6}, coordinates: [x], kinetic: m/2*x'^2, potential: m*9.81*x}}
  joints: {rack: {formula: b.y - 2 - 0.5*sin(c.x)}}
  contacts: {pad: {gap: 1 + b.y - 2*a.x, restitution: 0.3}}
  forces:
    well: {potential: 30*(a.x - b.y)^2*cos(t)}
    drag: {on: {a: {x: -0.2*(a.x' - c.x')}}}
)",
                             "", 0.5);
  if (!both_finish(one, two)) return;
  EXPECT_GT(one.end.summary.impacts, 0);
  // measured: 9.8e-14. Two impulses take forces between bodies and those of one system at other places within the step,
  // each of second order: 8.7e-7.
  const double accepted = find_scheme(GetParam())->info.two_impulses ? 1e-5 : 1e-11;
  for (Index i = 0; i < 3; ++i) EXPECT_LE(difference(one, i, two, i), accepted);
}

/// A pendulum written as an angle carries another, a body on a pin: frames that bend with their coordinate.
TEST_P(Kinds, ABodyHangsOnAPendulumOfFormulas) {
  const Trajectory one = run(R"(
  formulas:
    coordinates: [a, b]
    kinetic: 0.5*0.49*a'^2 + (0.7^2*a'^2 + 0.5^2*b'^2 + 2*0.35*a'*b'*cos(a - b))/2 + 0.05*b'^2
    potential: -9.81*(2*0.7*cos(a) + 0.5*cos(b))
)",
                             "{position: {a: 0.8, b: 1.2}}", 0.4);
  const Trajectory two = run(R"(
  formulas:
    coordinates: [a]
    kinetic: 0.5*0.49*a'^2
    potential: -9.81*0.7*cos(a)
    frames: {tip: {position: [0.7*sin(a), 0, -0.7*cos(a)], axis: [0, -1, 0], angle: a}}
  planar: xz
  bodies: {bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.7*sin(0.8) + 0.5*sin(1.2), 0, -0.7*cos(0.8) - 0.5*cos(1.2)]}}
  joints: {pin: {revolute: [tip, bob], at: [0.7*sin(0.8), 0, -0.7*cos(0.8)]}}
)",
                             "{position: {a: 0.8}}", 0.4);
  ASSERT_EQ(two.result.status, RunStatus::finished);
  // Measured: order 1 7.2e-4, order 2 4.3e-5 (generalized-alpha-kh, the others 2e-6), higher ones 1e-11. A mount whose
  // bias is left out is off by 2.3e-5 and more in the higher ones.
  const int order = info().smooth_order;
  EXPECT_LE(difference(one, 0, two, 0), order > 2 ? 1e-9 : order > 1 ? 1e-4 : 3e-3);
}

std::string refusal(const std::string& system, const std::string& initial = "") {
  try {
    read_scenario("system:\n" + system + (initial.empty() ? "" : "initial: " + initial + "\n") +
                      "simulation: {step: 1e-3, until: 1}\n",
                  "kinds.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KindsRefused, WhatCannotBe) {
  const std::string x = "formulas: {coordinates: [x], kinetic: x'^2}";
  EXPECT_EQ(refusal("  " + x + "\n  parts: {a: {" + x + "}}\n"), "accepted");
  // names
  EXPECT_THAT(refusal("  " + x + "\n  linear: {coordinates: [x], M: [[1]]}\n"), HasSubstr("'x' is given twice"));
  EXPECT_THAT(refusal("  " + x + "\n  parts: {a-b: {" + x + "}}\n"), HasSubstr("cannot be the name of a part"));
  EXPECT_THAT(refusal("  parameters: {k: 1}\n  parts: {a: {formulas: {parameters: {k: 2}, coordinates: [x], kinetic: "
                      "x'^2}}}\n"),
              HasSubstr("'k' is given twice"));
  EXPECT_THAT(refusal("  planar: xz\n  bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n  parts: {a: {" + x + "}}\n"),
              HasSubstr("'a.x' is given twice"));
  EXPECT_THAT(refusal("  formulas: {coordinates: [x], kinetic: x'^2, frames: {b: {position: [x, 0, 0]}}}\n"
                      "  bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"),
              HasSubstr("'b' is given to two"));
  EXPECT_THAT(refusal("  parts: {a: {formulas: {coordinates: [x], kinetic: x'^2, contacts: {w: {gap: x + 1}}}}}\n"
                      "  contacts: {a.w: {gap: a.x + 1}}\n"),
              HasSubstr("'a.w'"));
  // nothing to move
  EXPECT_THAT(refusal("  parts: {}\n"), HasSubstr("formulas, linear, bar, bodies"));
  EXPECT_THAT(refusal("  parts: {a: {}}\n"), HasSubstr("formulas"));
  EXPECT_THAT(refusal("  parts: {a: {formulas: {coordinates: [], kinetic: '0'}}}\n"), HasSubstr("no coordinates"));
  EXPECT_THAT(refusal("  parts: {a: {" + x + ", linear: {M: [[1]]}}}\n"), HasSubstr("linear"));
  EXPECT_THAT(refusal("  " + x + "\n  gravity: [0, 0, 1]\n"), HasSubstr("goes with bodies only"));
  EXPECT_THAT(refusal("  parts: {a: {" + x + ", planar: xz}}\n"), HasSubstr("goes with bodies only"));
  // frames
  const auto frame = [&](const std::string& text) {
    return refusal("  formulas: {coordinates: [x], kinetic: x'^2, frames: {f: " + text + "}}\n");
  };
  EXPECT_THAT(frame("{position: [1, 2, 3]}"), HasSubstr("depends on no coordinate"));
  EXPECT_THAT(frame("{position: [x', 2, 3]}"), HasSubstr("velocities"));
  EXPECT_THAT(frame("{position: [x*t, 2, 3]}"), HasSubstr("time"));
  EXPECT_THAT(frame("{position: [x, y, 3]}"), HasSubstr("unknown name 'y'"));
  EXPECT_THAT(frame("{position: [x, 0, 0], axis: [0, 0, 0], angle: x}"), HasSubstr("length zero"));
  std::string many;
  for (int i = 0; i < 14; ++i) many += (i > 0 ? ", x" : "x") + std::to_string(i);
  EXPECT_THAT(
      refusal("  formulas: {coordinates: [" + many + "], kinetic: x0'^2, frames: {f: {position: [x0, x13, 0]}}}\n"),
      HasSubstr("at most 12"));
  // formulas of several parts
  EXPECT_THAT(refusal("  " + x + "\n  joints: {j: {formula: x - y}}\n"), HasSubstr("unknown name 'y'"));
  EXPECT_THAT(refusal("  " + x + "\n  joints: {j: {formula: x, at: [0, 0, 0]}}\n"), HasSubstr("does not go with"));
  EXPECT_THAT(refusal("  " + x + "\n  joints: {j: {formula: x'}}\n"), HasSubstr("velocities"));
  EXPECT_THAT(refusal("  " + x + "\n  forces: {f: {on: {y: 1}}}\n"), HasSubstr("'y'"));
  EXPECT_THAT(refusal("  bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n  joints: {j: {formula: b.x}}\n"),
              HasSubstr("unknown name 'b.x'"));  // of bodies in space coordinates are no vectors
  EXPECT_THAT(refusal("  " + x + "\n  joints: {j: {revolute: [x, ground]}}\n"), HasSubstr("'x'"));
  // the beginning
  EXPECT_THAT(refusal("  parts: {a: {" + x + ", initial: {position: {y: 1}}}}\n"), HasSubstr("'y'"));
  EXPECT_THAT(refusal("  parts: {a: {" + x + ", initial: {time: 1}}}\n"), HasSubstr("time"));
  EXPECT_THAT(refusal("  parts: {a: {" + x + "}}\n", "{position: {x: 1}}"), HasSubstr("initial"));
  EXPECT_THAT(refusal("  parts: {a: {formulas: {coordinates: [x, y], kinetic: x'^2}}}\n"), HasSubstr("'a.y'"));
}

/// Bodies of two planes on one spring, as bodies in space.
TEST(KindsInSpace, BodiesOfTwoPlanes) {
  const std::string a = "{mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [0.3, 0, 0.2]}",
                    b = "{mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], velocity: [0, 0.5, 0]}",
                    rest =
                        "  gravity: [0, 0, 0]\n  forces: {coil: {spring: [A, B], at: [0, 0, 0], to: [1, 0, 0], "
                        "stiffness: 40}}\n";
  const auto text = [&](const std::string& bodies, const std::string& first, const std::string& second) {
    std::string out = "system:\n" + bodies + rest + "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
    out.replace(out.find("[A, B]"), 6, "[" + first + ", " + second + "]");
    return out;
  };
  const Trajectory planes = simulate(read_scenario(
      text("  parts:\n    p: {planar: xz, bodies: {a: " + a + "}}\n    r: {planar: xy, bodies: {b: " + b + "}}\n",
           "p.a", "r.b"),
      "planes"));
  // in space each keeps its plane only if it is held there
  const Trajectory space = simulate(read_scenario(
      text(
          "  bodies: {a: " + a + ", b: " + b +
              "}\n  joints: {one: {planar: [ground, a], axis: [0, 1, 0]}, two: {planar: [ground, b], at: [1, 0, 0]}}\n",
          "a", "b"),
      "space"));
  ASSERT_EQ(planes.result.status, RunStatus::finished);
  ASSERT_EQ(space.result.status, RunStatus::finished);
  const VectorXd &p = planes.rows.back().q, &s = space.rows.back().q;
  EXPECT_NEAR(p[0], s[0], 1e-11);  // measured: 1.8e-13
  EXPECT_NEAR(p[1], s[2], 1e-11);
  EXPECT_NEAR(p[3], s[7], 1e-11);
  EXPECT_NEAR(p[4], s[8], 1e-11);
}

/// A body of a plane and one in space on a pin.
TEST(KindsInSpace, ABodyOfAPlaneAndOneInSpace) {
  const std::string a = "{mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}",
                    b = "{mass: 2, inertia: [0.1, 0.1, 0.1], position: [1.3, 0, 0]}";
  const auto text = [&](const std::string& bodies, const std::string& one) {
    return "system:\n" + bodies + "  joints: {root: {revolute: [ground, " + one +
           "], axis: [0, 1, 0]}, pin: {revolute: [" + one +
           ", b], at: [1, 0, 0], axis: [0, 1, 0]}}\nsimulation: {scheme: combined, step: 1e-3, until: 0.5}\n";
  };
  const Trajectory mixed = simulate(read_scenario(
      text("  parts: {p: {planar: xz, bodies: {a: " + a + "}}}\n  bodies: {b: " + b + "}\n", "p.a"), "m"));
  const Trajectory space = simulate(read_scenario(text("  bodies: {a: " + a + ", b: " + b + "}\n", "a"), "s"));
  ASSERT_EQ(mixed.result.status, RunStatus::finished);
  EXPECT_NEAR(mixed.rows.back().q[3], space.rows.back().q[7], 1e-12);  // measured: 4.5e-16
  EXPECT_NEAR(mixed.rows.back().q[5], space.rows.back().q[9], 1e-12);
}

}  // namespace
}  // namespace ricochet::test::kinds_test
