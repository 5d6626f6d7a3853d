// ODE: its direct solver (dWorldStep) and its sweeps (dWorldQuickStep, twenty, its default); four hinges in space.
#include <ode/ode.h>

#include "piles.hpp"

namespace {

void step(dWorldID world, bool direct) {
  const auto h = static_cast<dReal>(peers::kStep);
  direct ? dWorldStep(world, h) : dWorldQuickStep(world, h);
}

double incline(bool direct) {
  dWorldID world = dWorldCreate();
  dWorldSetGravity(world, static_cast<dReal>(std::sin(peers::kIncline) * peers::kGravity), 0,
                   static_cast<dReal>(-std::cos(peers::kIncline) * peers::kGravity));
  dSpaceID space = dSimpleSpaceCreate(nullptr);
  dGeomID plane = dCreatePlane(space, 0, 0, 1, 0), box = dCreateBox(space, 0.2, 0.1, 0.1);
  dBodyID body = dBodyCreate(world);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 0.2, 0.1, 0.1);
  dBodySetMass(body, &mass);
  dGeomSetBody(box, body);
  dBodySetPosition(body, 0, 0, 0.05);
  dJointGroupID contacts = dJointGroupCreate(0);
  for (int k = 0; k < peers::kInclineSteps; ++k) {
    dContactGeom found[8];
    const int count = dCollide(plane, box, 8, found, sizeof(dContactGeom));
    for (int i = 0; i < count; ++i) {
      dContact c = {};
      c.surface.mode = dContactApprox1;
      c.surface.mu = 0.5;
      c.geom = found[i];
      dJointAttach(dJointCreateContact(world, contacts, &c), dGeomGetBody(c.geom.g1), dGeomGetBody(c.geom.g2));
    }
    step(world, direct);
    dJointGroupEmpty(contacts);
  }
  const double creep = std::abs(static_cast<double>(dBodyGetPosition(body)[0]));
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  return creep;
}

void ball(const char* name, bool direct) {
  for (const double h : peers::kBallSteps) {
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, static_cast<dReal>(-peers::kGravity));
    dSpaceID space = dSimpleSpaceCreate(nullptr);
    dGeomID plane = dCreatePlane(space, 0, 0, 1, 0), sphere = dCreateSphere(space, static_cast<dReal>(peers::kRadius));
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetSphereTotal(&mass, 1, static_cast<dReal>(peers::kRadius));
    dBodySetMass(body, &mass);
    dGeomSetBody(sphere, body);
    dBodySetPosition(body, 0, 0, static_cast<dReal>(peers::kHeight + peers::kRadius));
    dJointGroupID contacts = dJointGroupCreate(0);
    peers::Ball seen;
    for (int k = 0; k * h < peers::kBallEnd; ++k) {
      dContactGeom found[1];
      if (dCollide(plane, sphere, 1, found, sizeof(dContactGeom)) > 0) {
        dContact c = {};
        c.surface.mode = dContactBounce;
        c.surface.bounce = static_cast<dReal>(peers::kRestitution);
        c.geom = found[0];
        dJointAttach(dJointCreateContact(world, contacts, &c), dGeomGetBody(c.geom.g1), dGeomGetBody(c.geom.g2));
      }
      direct ? dWorldStep(world, static_cast<dReal>(h)) : dWorldQuickStep(world, static_cast<dReal>(h));
      dJointGroupEmpty(contacts);
      seen.see(static_cast<double>(dBodyGetPosition(body)[2]) - peers::kRadius, dBodyGetLinearVel(body)[2]);
    }
    peers::print(name, h, seen);
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
}

struct Linkage {
  dWorldID world = dWorldCreate();
  peers::FourBar f;
  dBodyID body[3];
  dJointID pins[4];
  dBodyID bar(const peers::Bar& b) {
    dBodyID out = dBodyCreate(world);
    dMass mass;
    const double J = b.inertia();
    dMassSetParameters(&mass, static_cast<dReal>(b.mass), 0, 0, 0, static_cast<dReal>(0.01 * J), static_cast<dReal>(J),
                       static_cast<dReal>(J), 0, 0, 0);
    dBodySetMass(out, &mass);
    dBodySetPosition(out, static_cast<dReal>(b.x), 0, static_cast<dReal>(b.z));
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, 1, 0, static_cast<dReal>(-b.angle()));
    dBodySetRotation(out, R);
    return out;
  }
  dJointID pin(dBodyID a, dBodyID b, double x, double z) {
    dJointID j = dJointCreateHinge(world, nullptr);
    dJointAttach(j, a, b);
    dJointSetHingeAnchor(j, static_cast<dReal>(x), 0, static_cast<dReal>(z));
    dJointSetHingeAxis(j, 0, 1, 0);
    return j;
  }
  Linkage() {
    dWorldSetGravity(world, 0, 0, static_cast<dReal>(-peers::kGravity));
    body[0] = bar(f.crank), body[1] = bar(f.coupler), body[2] = bar(f.rocker);
    pins[0] = pin(body[0], nullptr, 0, 0), pins[1] = pin(body[0], body[1], 0, 1);
    pins[2] = pin(body[1], body[2], f.kx, f.kz), pins[3] = pin(body[2], nullptr, 2, 0);
  }
  ~Linkage() { dWorldDestroy(world); }
  void see(peers::Watch& watch) const {
    const peers::Bar* bars[] = {&f.crank, &f.coupler, &f.rocker};
    double T = 0, V = 0, gap = 0;
    for (int k = 0; k < 3; ++k) {
      const dReal *v = dBodyGetLinearVel(body[k]), *w = dBodyGetAngularVel(body[k]);
      T += 0.5 * bars[k]->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * bars[k]->inertia() * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
      V += bars[k]->mass * peers::kGravity * dBodyGetPosition(body[k])[2];
    }
    for (dJointID j : pins) {
      dVector3 a, b;
      dJointGetHingeAnchor(j, a);
      dJointGetHingeAnchor2(j, b);
      gap = std::max(gap, std::hypot(static_cast<double>(a[0] - b[0]), static_cast<double>(a[2] - b[2])));
    }
    watch.see(T, V, gap);
  }
};

void run(const char* name, bool direct) {
  const double creep = incline(direct);
  peers::Watch watch;
  {
    Linkage l;
    l.see(watch);
    for (int k = 0; k < peers::kFourBarSteps; ++k) {
      step(l.world, direct);
      l.see(watch);
    }
  }
  Linkage l;
  const double begin = peers::seconds();
  for (int k = 0; k < peers::kFourBarSteps; ++k) step(l.world, direct);
  peers::print(name, creep, watch, 1e6 * (peers::seconds() - begin) / peers::kFourBarSteps);
}

struct Found {
  dWorldID world;
  dJointGroupID contacts;
  double friction;
};

void meet(void* data, dGeomID a, dGeomID b) {
  const Found& f = *static_cast<Found*>(data);
  dContactGeom found[8];
  const int count = dCollide(a, b, 8, found, sizeof(dContactGeom));
  for (int i = 0; i < count; ++i) {
    dContact c = {};
    c.surface.mode = dContactApprox1;
    c.surface.mu = static_cast<dReal>(f.friction);
    c.geom = found[i];
    dJointAttach(dJointCreateContact(f.world, f.contacts, &c), dGeomGetBody(c.geom.g1), dGeomGetBody(c.geom.g2));
  }
}

// sweeps = 0: its direct solver.
void pile(const peers::Pile& pile, double h, int sweeps) {
  dWorldID world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, static_cast<dReal>(-peers::kGravity));
  if (sweeps > 0) dWorldSetQuickStepNumIterations(world, sweeps);
  dSpaceID space = dHashSpaceCreate(nullptr), ground = dSimpleSpaceCreate(nullptr);
  dCreatePlane(ground, 0, 0, 1, 0);
  if (pile.wall > 0)
    for (const int side : {-1, 1}) {
      dCreatePlane(ground, side, 0, 0, static_cast<dReal>(-pile.wall));
      dCreatePlane(ground, 0, side, 0, static_cast<dReal>(-pile.wall));
    }
  std::vector<dBodyID> bodies;
  for (const peers::Block& b : pile.blocks) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    const auto r = static_cast<dReal>(peers::Pile::kBall), a = static_cast<dReal>(peers::Pile::kSide);
    if (pile.spheres)
      dMassSetSphereTotal(&mass, static_cast<dReal>(b.mass), r);
    else
      dMassSetBoxTotal(&mass, static_cast<dReal>(b.mass), a, a, a);
    dBodySetMass(body, &mass);
    dGeomSetBody(pile.spheres ? dCreateSphere(space, r) : dCreateBox(space, a, a, a), body);
    dBodySetPosition(body, static_cast<dReal>(b.x), static_cast<dReal>(b.y), static_cast<dReal>(b.z));
    bodies.push_back(body);
  }
  Found found{world, dJointGroupCreate(0), pile.friction};
  peers::measure(
      "ode", sweeps > 0 ? std::to_string(sweeps) + " sweeps" : "direct", pile, h,
      [&] {
        dSpaceCollide(space, &found, meet);
        dSpaceCollide2(reinterpret_cast<dGeomID>(space), reinterpret_cast<dGeomID>(ground), &found, meet);
        sweeps > 0 ? dWorldQuickStep(world, static_cast<dReal>(h)) : dWorldStep(world, static_cast<dReal>(h));
        dJointGroupEmpty(found.contacts);
      },
      [&](std::size_t k) {
        const dReal *x = dBodyGetPosition(bodies[k]), *v = dBodyGetLinearVel(bodies[k]);
        return peers::Where{x[0], x[1], x[2], std::hypot(v[0], v[1], v[2])};
      });
  dJointGroupDestroy(found.contacts);
  dSpaceDestroy(space);
  dSpaceDestroy(ground);
  dWorldDestroy(world);
}

void piles(const char* which) {
  for (const peers::Pile& p : peers::piles(which))
    for (const double h : peers::steps_of(p)) {
      for (const int sweeps : {20, 100, 1000})
        if (sweeps < 1000 || small(p)) pile(p, h, sweeps);
      // its matrix is dense within an island, and one of spheres holds them all
      if (!p.spheres || !large(p)) pile(p, h, 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  if (argc > 1) {
    piles(argv[1]);
    return 0;
  }
  run("ode, direct", true);
  run("ode, sweeps", false);
  ball("ode, direct", true);
  dCloseODE();
  return 0;
}
