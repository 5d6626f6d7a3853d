// Bullet: sequential impulses, ten sweeps (its default), split impulse; bodies in space on four hinges.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "piles.hpp"

namespace {

constexpr const char* kName = sizeof(btScalar) == 8 ? "bullet, double" : "bullet, single";

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::unique_ptr<btConstraintSolver> solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, solver.get(), &configuration};
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<std::unique_ptr<btTypedConstraint>> joints;
  explicit World(std::unique_ptr<btConstraintSolver> s = std::make_unique<btSequentialImpulseConstraintSolver>())
      : solver(std::move(s)) {}
  ~World() {
    for (auto& j : joints) world.removeConstraint(j.get());
    for (auto& b : bodies) world.removeRigidBody(b.get());
  }
  btRigidBody* add(double mass, const btVector3& inertia, const btTransform& at, btCollisionShape* shape, int group) {
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape, inertia);
    info.m_startWorldTransform = at;
    info.m_linearDamping = info.m_angularDamping = 0;
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get(), group, group);
    return bodies.back().get();
  }
};

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

double incline() {
  World w;
  w.world.setGravity(
      vector(std::sin(peers::kIncline) * peers::kGravity, 0, -std::cos(peers::kIncline) * peers::kGravity));
  btStaticPlaneShape plane(vector(0, 0, 1), 0);
  btBoxShape box(vector(0.1, 0.05, 0.05));
  btTransform here = btTransform::getIdentity();
  w.add(0, vector(0, 0, 0), here, &plane, 1)->setFriction(1);
  btVector3 inertia;
  box.calculateLocalInertia(1, inertia);
  here.setOrigin(vector(0, 0, 0.05));
  btRigidBody* body = w.add(1, inertia, here, &box, 1);
  body->setFriction(static_cast<btScalar>(0.5));  // of a pair: the product
  for (int k = 0; k < peers::kInclineSteps; ++k) w.world.stepSimulation(static_cast<btScalar>(peers::kStep), 0);
  return std::abs(static_cast<double>(body->getCenterOfMassPosition().x()));
}

void ball() {
  for (const double h : peers::kBallSteps) {
    World w;
    w.world.setGravity(vector(0, 0, -peers::kGravity));
    btStaticPlaneShape plane(vector(0, 0, 1), 0);
    btSphereShape sphere(static_cast<btScalar>(peers::kRadius));
    btTransform here = btTransform::getIdentity();
    w.add(0, vector(0, 0, 0), here, &plane, 1)->setRestitution(1);
    btVector3 inertia;
    sphere.calculateLocalInertia(1, inertia);
    here.setOrigin(vector(0, 0, peers::kHeight + peers::kRadius));
    btRigidBody* body = w.add(1, inertia, here, &sphere, 1);
    body->setRestitution(static_cast<btScalar>(peers::kRestitution));  // of a pair: the product
    peers::Ball seen;
    for (int k = 0; k * h < peers::kBallEnd; ++k) {
      w.world.stepSimulation(static_cast<btScalar>(h), 0);
      seen.see(static_cast<double>(body->getCenterOfMassPosition().z()) - peers::kRadius,
               static_cast<double>(body->getLinearVelocity().z()));
    }
    peers::print(kName, h, seen);
  }
}

struct Linkage : World {
  peers::FourBar f;
  btSphereShape dot{static_cast<btScalar>(0.01)};
  btRigidBody *crank, *coupler, *rocker;
  btRigidBody* bar(const peers::Bar& b) {
    btTransform at = btTransform::getIdentity();
    at.setOrigin(vector(b.x, 0, b.z));
    at.setRotation(btQuaternion(vector(0, 1, 0), static_cast<btScalar>(-b.angle())));
    const double J = b.inertia();
    return add(b.mass, vector(0.01 * J, J, J), at, &dot, 0);
  }
  void pin(btRigidBody* a, double at_a, btRigidBody* b, double at_b) {
    joints.push_back(std::make_unique<btHingeConstraint>(*a, *b, vector(at_a, 0, 0), vector(at_b, 0, 0),
                                                         vector(0, 1, 0), vector(0, 1, 0)));
    world.addConstraint(joints.back().get(), true);
  }
  void pin_to_ground(btRigidBody* a, double at_a) {
    joints.push_back(std::make_unique<btHingeConstraint>(*a, vector(at_a, 0, 0), vector(0, 1, 0)));
    world.addConstraint(joints.back().get(), true);
  }
  Linkage() {
    world.setGravity(vector(0, 0, -peers::kGravity));
    crank = bar(f.crank), coupler = bar(f.coupler), rocker = bar(f.rocker);
    pin_to_ground(crank, -0.5);
    pin(crank, 0.5, coupler, -1);
    pin(coupler, 1, rocker, 0.75);
    pin_to_ground(rocker, -0.75);
  }
  static btVector3 end(const btRigidBody* b, double at) { return b->getCenterOfMassTransform() * vector(at, 0, 0); }
  double gap() const {
    return std::max({static_cast<double>((end(coupler, 1) - end(rocker, 0.75)).length()),
                     static_cast<double>((end(crank, 0.5) - end(coupler, -1)).length()),
                     static_cast<double>(end(crank, -0.5).length()),
                     static_cast<double>((end(rocker, -0.75) - vector(2, 0, 0)).length())});
  }
  void see(peers::Watch& watch) const {
    double T = 0, V = 0;
    const btRigidBody* body[] = {crank, coupler, rocker};
    const peers::Bar* bars[] = {&f.crank, &f.coupler, &f.rocker};
    for (int k = 0; k < 3; ++k) {
      T += 0.5 * bars[k]->mass * static_cast<double>(body[k]->getLinearVelocity().length2()) +
           0.5 * bars[k]->inertia() * static_cast<double>(body[k]->getAngularVelocity().length2());
      V += bars[k]->mass * peers::kGravity * static_cast<double>(body[k]->getCenterOfMassPosition().z());
    }
    watch.see(T, V, gap());
  }
};

void pile(const peers::Pile& pile, double h, const std::string& settings, std::unique_ptr<btConstraintSolver> solver,
          int sweeps) {
  World w(std::move(solver));
  w.world.setGravity(vector(0, 0, -peers::kGravity));
  w.world.getSolverInfo().m_numIterations = sweeps;
  const auto friction = static_cast<btScalar>(std::sqrt(pile.friction));  // of a pair: the product
  std::vector<std::unique_ptr<btCollisionShape>> planes;
  const auto plane = [&](const btVector3& n, double offset) {
    planes.push_back(std::make_unique<btStaticPlaneShape>(n, static_cast<btScalar>(offset)));
    w.add(0, vector(0, 0, 0), btTransform::getIdentity(), planes.back().get(), 1)->setFriction(friction);
  };
  plane(vector(0, 0, 1), 0);
  if (pile.wall > 0)
    for (const int side : {-1, 1}) {
      plane(vector(side, 0, 0), -pile.wall);
      plane(vector(0, side, 0), -pile.wall);
    }
  btBoxShape box(vector(0.05, 0.05, 0.05));
  btSphereShape sphere(static_cast<btScalar>(peers::Pile::kBall));
  btCollisionShape* shape = pile.spheres ? static_cast<btCollisionShape*>(&sphere) : &box;
  std::vector<btRigidBody*> bodies;
  for (const peers::Block& b : pile.blocks) {
    btVector3 inertia;
    shape->calculateLocalInertia(static_cast<btScalar>(b.mass), inertia);
    btTransform here = btTransform::getIdentity();
    here.setOrigin(vector(b.x, b.y, b.z));
    bodies.push_back(w.add(b.mass, inertia, here, shape, 1));
    bodies.back()->setFriction(friction);
  }
  peers::measure(
      kName, settings, pile, h, [&] { w.world.stepSimulation(static_cast<btScalar>(h), 0); },
      [&](std::size_t k) {
        const btVector3 x = bodies[k]->getCenterOfMassPosition();
        return peers::Where{x.x(), x.y(), x.z(), bodies[k]->getLinearVelocity().length()};
      });
}

// Ten sweeps are its default; more of them and the conjugate gradients of its NNCG are what it offers for heavy stacks;
// its pivoting solver is for few contacts.
void piles(const char* which) {
  btDantzigSolver dantzig;
  for (const peers::Pile& p : peers::piles(which))
    for (const double h : peers::steps_of(p)) {
      for (const int sweeps : {10, 100, 1000})
        if (sweeps < 1000 || small(p))
          pile(p, h, std::to_string(sweeps) + " sweeps", std::make_unique<btSequentialImpulseConstraintSolver>(),
               sweeps);
      pile(p, h, "NNCG, 100", std::make_unique<btNNCGConstraintSolver>(), 100);
      if (small(p)) pile(p, h, "Dantzig", std::make_unique<btMLCPSolver>(&dantzig), 10);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    piles(argv[1]);
    return 0;
  }
  const double creep = incline();
  peers::Watch watch;
  {
    Linkage l;
    l.see(watch);
    for (int k = 0; k < peers::kFourBarSteps; ++k) {
      l.world.stepSimulation(static_cast<btScalar>(peers::kStep), 0);
      l.see(watch);
    }
  }
  Linkage l;
  const double begin = peers::seconds();
  for (int k = 0; k < peers::kFourBarSteps; ++k) l.world.stepSimulation(static_cast<btScalar>(peers::kStep), 0);
  peers::print(kName, creep, watch, 1e6 * (peers::seconds() - begin) / peers::kFourBarSteps);
  ball();
  return 0;
}
