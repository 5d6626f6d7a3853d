"""Models of functions, own gaps and laws, and control in the loop."""

import gc
import math
import traceback
import weakref

import numpy as np
import pytest

import ricochet

PENDULUM = """
system:
  formulas:
    coordinates: [phi]
    kinetic: phi'^2/2
    potential: -9.81*cos(phi)
    contacts: {stop: {gap: phi + 0.2, restitution: 0.8}}
initial: {position: {phi: 1}}
simulation: {scheme: combined, step: 1e-3, until: 1}
"""


def pendulum(**more):
    settings = dict(potential=lambda t, q: -9.81 * math.cos(q[0]),
                    contacts={"stop": ricochet.Contact(lambda t, q: q[0] + 0.2, restitution=0.8)},
                    position={"phi": 1}, scheme="combined", step=1e-3, until=1)
    return ricochet.Model(["phi"], [[1.0]], **{**settings, **more})


def test_functions_are_formulas():
    # measured 1.3e-11, 1.4e-11 with derivatives by differences, less with those given
    by_text = ricochet.run(PENDULUM)
    by_functions = ricochet.run(pendulum())
    assert by_functions.summary["impacts"] == by_text.summary["impacts"] > 0
    assert np.abs(by_functions.q - by_text.q).max() < 1e-9
    given = pendulum(potential_gradient=lambda t, q: 9.81 * np.sin(q),
                     stiffness=lambda t, q, v: [[9.81 * math.cos(q[0])]], damping=lambda t, q, v: np.zeros((1, 1)),
                     contacts={"stop": ricochet.Contact(lambda t, q: q[0] + 0.2, restitution=0.8,
                                                        gradient=lambda t, q: np.eye(1),
                                                        curvature=lambda t, q, p: np.zeros((1, 1)),
                                                        rate=lambda t, q, v: np.zeros((1, 1)))})
    assert np.abs(ricochet.run(given).q - by_text.q).max() < 1e-9


def test_mass_and_joint_of_functions():
    """A point on a circle by a joint, and in its angle with a mass that depends on nothing."""
    rod = ricochet.Model(["x", "y"], np.eye(2), force=lambda t, q, v: [0, -9.81], position=[1, 0],
                         joints={"rod": lambda t, q: q[0]**2 + q[1]**2 - 1}, scheme="combined", step=1e-3, until=1)
    angle = ricochet.Model(["phi"], lambda t, q: [[1.0]], force=lambda t, q, v: -9.81 * np.sin(q),
                           position=[math.pi / 2], scheme="combined", step=1e-3, until=1)
    q, phi = ricochet.run(rod).q, ricochet.run(angle).q[:, 0]
    assert np.abs(q[:, 0] - np.sin(phi)).max() < 2e-5  # measured 5e-6: two discretisations
    assert ricochet.run(rod).certificate.joint_position.max() < 1e-10


def test_friction_of_functions():
    slide = ricochet.Model(["x", "y"], np.eye(2), force=lambda t, q, v: [0, -9.81], velocity=[1, 0], step=1e-3, until=0.5,
                           contacts={"floor": ricochet.Contact(lambda t, q: [q[1], q[0]], friction=0.4)})
    result = ricochet.run(slide)
    assert result.q[-1, 0] == pytest.approx(1 / (2 * 0.4 * 9.81), abs=1e-3)  # v^2/(2 mu g); measured 5e-4 off
    assert abs(result.v[-1, 0]) < 1e-12


def test_a_law_of_ones_own():
    """Restitution that falls with the speed, down to none."""
    seen = []

    def law(h, gap, U):
        seen.append(U.copy())
        return {"restitution": 0.9 if U[0] < -3 else 0.0}

    ball = ricochet.Model(["y"], [[1.0]], force=lambda t, q, v: [-9.81], position=[1.0], step=1e-3, until=4,
                          contacts={"floor": ricochet.Contact(lambda t, q: q[0], law=law)})
    result = ricochet.run(ball)
    assert seen and result.v[:, 0].max() == pytest.approx(0.9 * math.sqrt(2 * 9.81), rel=5e-3)
    assert abs(result.q[-1, 0]) < 1e-2 and abs(result.v[-1, 0]) < 1e-12


@pytest.mark.parametrize("law, words", [
    (lambda h, gap, U: {"bounce": 1}, "accepted: restitution"), (lambda h, gap, U: -1, "0 to 1"),
    (lambda h, gap, U: 5, "0 to 1"), (lambda h, gap, U: {"friction": 0.3}, "returns slips"),
    (lambda h, gap, U: {"restitution": math.nan}, "0 to 1"), (lambda h, gap, U: {"compliance": -1}, "not negative"),
    (lambda h, gap, U: "much", "accepted: numbers"), ("no-such-law", "there is no law"),
])
def test_wrong_laws(law, words):
    with pytest.raises(ricochet.InputError, match=words):
        ricochet.run(pendulum(contacts={"stop": ricochet.Contact(lambda t, q: q[0] + 0.2, law=law)}))


def test_a_gap_beside_a_scenario():
    plain = ricochet.run("bouncing-ball")
    lifted = ricochet.extend("bouncing-ball",
                             contacts={"lid": ricochet.Contact(lambda t, q: q[0] - 0.05, restitution=0.5)})
    result = ricochet.run(lifted, scheme="combined", until=1)
    assert plain.q.min() < 0.04 and result.q.min() > 0.049
    assert result.gaps.keys() == plain.gaps.keys() | {"lid"}
    with pytest.raises(ricochet.InputError, match="bodies that turn in space"):
        ricochet.extend(ricochet.load("free-body"), contacts={"lid": lambda t, q: q[0]})


class Mine(Exception):
    pass


def test_the_users_own_traceback():
    def my_force(t, q, v):
        if t > 0.05:
            raise Mine("after a while")
        return -9.81 * np.sin(q)

    sim = ricochet.Simulation(pendulum(potential=None, force=my_force))
    with pytest.raises(Mine, match="after a while") as caught:
        sim.run()
    assert any(frame.name == "my_force" for frame in traceback.extract_tb(caught.value.__traceback__))
    assert 0.04 < sim.t <= 0.06 and len(sim.result) > 40
    at = sim.t
    with pytest.raises(Mine):
        sim.step()
    assert sim.t == at


@pytest.mark.parametrize("force, words", [
    (lambda t, q, v: [1, 2], r"force: .*\(2,\); accepted: \(1,\)"), (lambda t, q, v: None, "accepted: numbers"),
    (lambda t, q, v: "up", "accepted: numbers"), (lambda t, q, v: [[1.0]], "shape"),
])
def test_wrong_answers(force, words):
    with pytest.raises(ricochet.InputError, match=words):
        ricochet.run(pendulum(force=force))


def test_answers_of_any_memory():
    half = np.arange(4, dtype=np.float32)[::2]
    result = ricochet.run(pendulum(force=lambda t, q, v: half[:1].astype(int), until=0.1))
    assert result.status == "finished"


def test_no_number():
    with pytest.raises(ricochet.StepFailed, match="not finite"):
        ricochet.run(pendulum(force=lambda t, q, v: [math.nan if t > 0.1 else 0]))


@pytest.mark.parametrize("wrong, words", [
    (dict(position=[1, 2]), "position: an array of shape"), (dict(position={"psi": 1}), "unknown coordinate 'psi'"),
    (dict(velocity=[math.inf]), "velocity: a number is not finite"), (dict(step=0), "step: 0"),
    (dict(scheme="moreau"), "moreau"), (dict(force=3), "this is no function"),
    (dict(contacts={"stop": ricochet.Contact(lambda t, q: [1, 2, 3, 4])}), "up to two slips"),
    (dict(contacts={"stop": ricochet.Contact(lambda t, q: 1, restitution=-1)}), "restitution -1"),
    (dict(contacts={"stop": ricochet.Contact(lambda t, q: 1, restitution=1.1)}), "restitution 1.1; accepted: 0 to 1"),
    (dict(contacts={"stop": ricochet.Contact(lambda t, q: q[0], friction=0.5)}), "friction 0.5 without a slip"),
    (dict(contacts={"stop": ricochet.Contact(lambda t, q: [])}), "returned no number"),
    (dict(contacts={"stop": lambda t, q: np.zeros((0, 3))}), "returned no number"),
    (dict(joints={"rod": ricochet.Joint(lambda t, q: ())}), "returned no number"),
])
def test_wrong_models(wrong, words):
    with pytest.raises(ricochet.InputError, match=words):
        pendulum(**wrong)


@pytest.mark.parametrize("later", [[], [1.0, 2.0], [[1.0]], None, "gap"])
def test_a_gap_of_another_shape_later(later):
    """Wrong where the model is made is told there; wrong during the run ends the run, in words."""
    calls = []

    def gap(t, q):
        calls.append(t)
        return q[0] + 1 if t < 0.1 else later

    for make in (lambda: pendulum(contacts={"stop": gap}), lambda: pendulum(contacts={}, joints={"rod": gap}),
                 lambda: ricochet.extend("bouncing-ball", contacts={"stop": gap})):
        with pytest.raises(ricochet.InputError, match="the function returned"):
            ricochet.run(make())


def test_wrong_mass():
    with pytest.raises(ricochet.InputError, match="mass: 2 x 2 numbers"):
        ricochet.Model(["x"], np.eye(2))
    with pytest.raises(ricochet.InputError, match="a name comes twice"):
        ricochet.Model(["x", "x"], np.eye(2))


def test_calls_from_inside():
    sim = None

    def force(t, q, v):
        if sim is not None:
            sim.step()
        return [0.0]

    sim = ricochet.Simulation(pendulum(force=force))
    with pytest.raises(RuntimeError, match="one call at a time"):
        sim.run()


def test_deleted_while_in_use():
    holder = []

    def force(t, q, v):
        if holder:
            holder.clear()
            gc.collect()
        return [0.0]

    model = pendulum(force=force)
    holder.append(ricochet.Simulation(model, until=0.05))
    del model
    result = holder[0].run()
    assert result.status == "finished" and not holder
    model = pendulum()
    gone = weakref.ref(model)
    result = ricochet.run(model, until=0.05)
    del model
    gc.collect()
    assert gone() is None and result.q.shape[1] == 1


def test_states():
    sim = ricochet.Simulation("slider-crank")
    sim.run(until=0.01)
    kept = sim.state
    first = [step.q.tobytes() for step, _ in zip(sim, range(200))]
    sim.state = kept
    assert sim.t == kept.t == pytest.approx(0.01) and len(first) == 200
    assert [step.q.tobytes() for step, _ in zip(sim, range(200))] == first
    with pytest.raises(ricochet.InputError, match="another model or scheme"):
        ricochet.Simulation("bouncing-ball").state = kept


def test_forces_between_steps():
    """A point is driven to a place by a controller; the work is booked as external."""
    text = """
system: {formulas: {coordinates: [x], kinetic: x'^2/2}}
initial: {position: {x: 0}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 10}
"""
    sim = ricochet.Simulation(text, forces=True)
    for step in sim:
        sim.force[0] = 4 * (1 - step.q[0]) - 4 * step.v[0]
    assert sim.q[0] == pytest.approx(1, abs=1e-6)
    energy = sim.result.energy
    assert np.abs(np.cumsum(energy.external) - energy.total).max() < 1e-12
    free = ricochet.run(text, forces=True)
    assert (free.q == 0).all()
    with pytest.raises(ricochet.InputError, match="forces=True"):
        ricochet.Simulation(text).force
    # and of a model of functions
    sim = ricochet.Simulation(ricochet.Model(["x"], [[2.0]], step=1e-2), forces=True)
    sim.force = [1]
    sim.run(until=1)
    assert sim.v[0] == pytest.approx(0.5)


def test_inputs_of_a_function():
    """What a function looks at may change between steps."""
    pull = [0.0]
    sim = ricochet.Simulation(ricochet.Model(["x"], [[1.0]], force=lambda t, q, v: pull, step=1e-2))
    assert sim.step().v[0] == 0
    pull[0] = 2.0
    assert sim.step().v[0] == pytest.approx(0.02)


def test_values_between_steps():
    sim = ricochet.Simulation(PENDULUM, until=10)
    sim.run(until=0.1)
    before = sim.q
    sim.change({"system.formulas.potential": "0"})
    assert sim.q == before and sim.t == pytest.approx(0.1)
    speed = sim.v[0]
    sim.run(until=0.2)
    assert sim.v[0] == pytest.approx(speed)
    for target in range(5):
        sim.change({"system.formulas.potential": f"{target}*phi"})
    assert sim.step().h == pytest.approx(1e-3) and len(sim.scenario._case.overrides) == 2
    with pytest.raises(ricochet.InputError, match="keeps coordinates"):
        sim.change({"system.formulas.contacts": {}})
    assert sim.scenario.contacts == ["stop"]


def test_places_between_steps():
    sim = ricochet.Simulation("bouncing-ball")
    sim.run(until=0.5)
    sim.q, sim.v = [2.0], [1.0]
    result = sim.run(until=0.6)
    assert result.q[-1, 0] > 1.9 and sim.t == pytest.approx(0.6)
    assert len(result) == len(result.t) and (np.diff(result.t) >= 0).all()
