// ODE: its direct solver (dWorldStep) and its sweeps (dWorldQuickStep, twenty, its default); four hinges in space.
#include <ode/ode.h>

#include "work.hpp"

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

}  // namespace

int main() {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  run("ode, direct", true);
  run("ode, sweeps", false);
  ball("ode, direct", true);
  dCloseODE();
  return 0;
}
