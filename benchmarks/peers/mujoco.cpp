// MuJoCo: contacts and loop closure are soft; the crank and the coupler are a tree, the rocker another one.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "piles.hpp"

namespace {

mjModel* load(const std::string& text) {
  char path[] = "/tmp/peerXXXXXX.xml";
  const int file = mkstemps(path, 4);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::exit(1);
  close(file);
  char error[500] = "";
  mjModel* m = mj_loadXML(path, nullptr, error, sizeof error);
  unlink(path);
  if (m == nullptr) {
    std::fprintf(stderr, "mujoco: %s\n", error);
    std::exit(1);
  }
  return m;
}

std::string number(double x) {
  char out[40];
  std::snprintf(out, sizeof out, "%.17g", x);
  return out;
}

std::string head(const char* integrator, bool energy) {
  return std::string("<mujoco><compiler angle=\"radian\"/><option timestep=\"0.001\" integrator=\"") + integrator +
         "\" gravity=\"0 0 -9.81\"><flag energy=\"" + (energy ? "enable" : "disable") + "\"/></option>";
}

std::string inertial(const peers::Bar& b, double x, double z) {
  const std::string J = number(b.inertia());
  return "<inertial pos=\"" + number(x) + " 0 " + number(z) + "\" mass=\"" + number(b.mass) + "\" diaginertia=\"" + J +
         " " + J + " " + J + "\"/>";
}

// There is no coefficient of restitution; contacts with their default settings, which hardly rebound.
void ball() {
  for (const double h : peers::kBallSteps) {
    mjModel* m = load("<mujoco><option timestep=\"" + number(h) + "\" gravity=\"0 0 " + number(-peers::kGravity) +
                      "\"/><worldbody><geom type=\"plane\" size=\"10 10 1\"/><body pos=\"0 0 " +
                      number(peers::kHeight + peers::kRadius) + "\"><freejoint/><geom type=\"sphere\" size=\"" +
                      number(peers::kRadius) + "\" mass=\"1\"/></body></worldbody></mujoco>");
    mjData* d = mj_makeData(m);
    peers::Ball seen;
    for (int k = 0; k * h < peers::kBallEnd; ++k) {
      mj_step(m, d);
      seen.see(d->qpos[2] - peers::kRadius, d->qvel[2]);
    }
    peers::print("mujoco, Euler", h, seen);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

double incline() {
  // friction of a pair is the larger one; the box stands on a plane through the origin, gravity is turned
  const double s = std::sin(peers::kIncline) * peers::kGravity, c = std::cos(peers::kIncline) * peers::kGravity;
  mjModel* m = load("<mujoco><option timestep=\"0.001\" cone=\"elliptic\" gravity=\"" + number(s) + " 0 " + number(-c) +
                    "\"/><worldbody><geom type=\"plane\" size=\"10 10 1\" friction=\"0.5 0 0\"/><body pos=\"0 0 0.05\">"
                    "<freejoint/><geom type=\"box\" size=\"0.1 0.05 0.05\" mass=\"1\" friction=\"0.5 0 0\"/></body>"
                    "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  for (int k = 0; k < peers::kInclineSteps; ++k) mj_step(m, d);
  const double creep = std::abs(d->qpos[0]);
  mj_deleteData(d);
  mj_deleteModel(m);
  return creep;
}

std::string four_bar(const char* integrator, bool energy) {
  const peers::FourBar f;
  const std::string kx = number(f.kx), kz = number(f.kz);
  const std::string hinge = "<joint type=\"hinge\" axis=\"0 1 0\"/>";
  return head(integrator, energy) + "<worldbody><body name=\"crank\">" + hinge + inertial(f.crank, 0, 0.5) +
         "<body name=\"coupler\" pos=\"0 0 1\">" + hinge + inertial(f.coupler, f.kx / 2, (f.kz - 1) / 2) +
         "<site name=\"a\" pos=\"" + kx + " 0 " + number(f.kz - 1) + "\"/></body></body>" +
         "<body name=\"rocker\" pos=\"2 0 0\">" + hinge + inertial(f.rocker, (f.kx - 2) / 2, f.kz / 2) +
         "<site name=\"b\" pos=\"" + number(f.kx - 2) + " 0 " + kz + "\"/></body></worldbody>" +
         "<equality><connect body1=\"coupler\" body2=\"rocker\" anchor=\"" + kx + " 0 " + number(f.kz - 1) +
         "\"/></equality></mujoco>";
}

void run(const char* name, const char* integrator, double creep) {
  peers::Watch watch;
  mjModel* m = load(four_bar(integrator, true));
  mjData* d = mj_makeData(m);
  for (int k = 0; k < peers::kFourBarSteps; ++k) {
    mj_step(m, d);
    mj_forward(m, d);
    const mjtNum *a = d->site_xpos, *b = d->site_xpos + 3;
    watch.see(d->energy[1], d->energy[0], std::hypot(a[0] - b[0], a[2] - b[2]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  m = load(four_bar(integrator, false));
  d = mj_makeData(m);
  const double begin = peers::seconds();
  for (int k = 0; k < peers::kFourBarSteps; ++k) mj_step(m, d);
  peers::print(name, creep, watch, 1e6 * (peers::seconds() - begin) / peers::kFourBarSteps);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Room for eight contacts of four rows between two boxes, for six of a sphere.
std::size_t rows_of(const peers::Pile& pile) { return (pile.spheres ? 24 : 32) * pile.blocks.size(); }

std::string pile_text(const peers::Pile& pile, double h, const std::string& option, const std::string& contact) {
  const std::string friction = " friction=\"" + number(pile.friction) + " 0 0\"" + contact;
  std::string text = "<mujoco><size njmax=\"" + std::to_string(rows_of(pile)) + "\" nconmax=\"" +
                     std::to_string(rows_of(pile)) + "\" nstack=\"20000000\"/><option timestep=\"" + number(h) +
                     "\" gravity=\"0 0 -9.81\"" + option + "/><worldbody><geom type=\"plane\" size=\"50 50 1\"" +
                     friction + "/>";
  if (pile.wall > 0)
    for (const char* side : {"-1 0 0", "1 0 0", "0 -1 0", "0 1 0"}) {
      double x = 0, y = 0;
      std::sscanf(side, "%lf %lf", &x, &y);
      text += "<geom type=\"plane\" size=\"50 50 1\" zaxis=\"" + number(-x) + " " + number(-y) + " 0\" pos=\"" +
              number(x * pile.wall) + " " + number(y * pile.wall) + " 0\"" + friction + "/>";
    }
  for (const peers::Block& b : pile.blocks)
    text += "<body pos=\"" + number(b.x) + " " + number(b.y) + " " + number(b.z) + "\"><freejoint/><geom mass=\"" +
            number(b.mass) + "\"" + friction +
            (pile.spheres ? " type=\"sphere\" size=\"" + number(peers::Pile::kBall)
                          : " type=\"box\" size=\"0.05 0.05 0.05") +
            "\"/></body>";
  return text + "</worldbody></mujoco>";
}

// As it comes; and as stiff as its documentation says that contacts may be: a time constant of two steps, an impedance
// next to one.
void piles(const char* which) {
  for (const peers::Pile& pile : peers::piles(which)) {
    // It keeps W of the rows and both Jacobians with their zeros, in a buffer whose length is an int.
    const double rows = static_cast<double>(rows_of(pile)), ways = 6.0 * static_cast<double>(pile.blocks.size());
    if (12 * rows * (rows + 2 * ways) > 2147483647) {
      std::fprintf(stderr, "mujoco: %s needs more than 2 GB, left out\n", pile.name.c_str());
      continue;
    }
    for (const double h : peers::steps_of(pile))
      for (const std::string settings : {"default", "stiff", "stiff, CG"}) {
        const bool stiff = settings != "default";
        const std::string contact = stiff ? " solref=\"" + number(2 * h) + " 1\" solimp=\"0.9999 0.9999 0.001\"" : "";
        mjModel* m = load(pile_text(pile, h, settings == "stiff, CG" ? " solver=\"CG\"" : "", contact));
        mjData* d = mj_makeData(m);
        peers::measure(
            "mujoco", settings, pile, h, [&] { mj_step(m, d); },
            [&](std::size_t k) {
              const mjtNum *x = d->qpos + 7 * k, *v = d->qvel + 6 * k;
              return peers::Where{x[0], x[1], x[2], std::hypot(v[0], v[1], v[2])};
            });
        mj_deleteData(d);
        mj_deleteModel(m);
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    piles(argv[1]);
    return 0;
  }
  const double creep = incline();
  run("mujoco, Euler", "Euler", creep);
  run("mujoco, RK4", "RK4", creep);
  ball();
  return 0;
}
