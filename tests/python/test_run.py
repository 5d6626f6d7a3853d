"""Runs from Python are those of the program, bit for bit."""

import json
import os
import subprocess

import numpy as np
import pytest

import ricochet
from program import PROGRAM

h5py = pytest.importorskip("h5py")

# Fast ones of every kind: grids, step control, located events, joints, bodies, many rows.
FAST = ["bouncing-ball", "belt-oscillator", "slider-crank", "spinning-plate"]


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def datasets(path):
    out = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, x: out.__setitem__(name, x[()]) if isinstance(x, h5py.Dataset) else None)
        attributes = {group: dict(file[group].attrs) for group in ("/", "summary", "checkpoint")}
    return out, attributes


def compare_files(mine, theirs):
    (a, a_attributes), (b, b_attributes) = datasets(mine), datasets(theirs)
    assert a.keys() == b.keys()
    for name in a:
        if a[name].dtype.kind == "O":
            assert list(a[name]) == list(b[name]), name
        else:
            assert same_bits(a[name], b[name]), name
    for group in a_attributes:
        assert a_attributes[group].keys() == b_attributes[group].keys()
        for key, value in a_attributes[group].items():
            assert np.asarray(value).tobytes() == np.asarray(b_attributes[group][key]).tobytes() or value == b_attributes[group][key], key


def run_both(name, folder, *, until=None, every=1):
    theirs, mine = folder / "program.h5", folder / "python.h5"
    command = [*PROGRAM, "run", name, "-o", str(theirs), "--json"] + (["--until", str(until)] if until else [])
    command += ["--record-every", str(every)]
    subprocess.run(command, check=False, capture_output=True)
    result = ricochet.Simulation(name, until=until, record_every=every).run(check=False)
    result.to_hdf5(mine)
    return result, mine, theirs


@pytest.mark.parametrize("name", [n for n in FAST if n in ricochet.scenarios()])
def test_bits_of_the_program(name, tmp_path):
    result, mine, theirs = run_both(name, tmp_path)
    compare_files(mine, theirs)
    again = ricochet.open(theirs)
    for column in result.columns:
        assert same_bits(result[column], again[column]), column
    assert again.summary == result.summary


@pytest.mark.parametrize("every", [0, 7])
def test_fewer_rows(every, tmp_path):
    _, mine, theirs = run_both("slider-crank", tmp_path, until=0.012345, every=every)
    compare_files(mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ricochet.scenarios()))
def test_bits_of_every_scenario(name, tmp_path):
    _, mine, theirs = run_both(name, tmp_path)
    compare_files(mine, theirs)


def test_steps_are_the_run():
    whole = ricochet.run("bouncing-ball", until=0.3)
    sim = ricochet.Simulation("bouncing-ball", until=0.3)
    steps = list(sim)
    assert len(steps) == len(whole) - 1
    assert same_bits(np.array([s.q for s in steps]), whole.q[1:])
    assert steps[3].t == whole.t[4] and steps[3].energy["kinetic"] == whole.energy.kinetic[4]
    halves = ricochet.Simulation("bouncing-ball", until=0.3)
    halves.run(until=float(whole.t[100]))
    assert same_bits(halves.run(until=0.3).q, whole.q) and halves.until == 0.3
    mixed = ricochet.Simulation("bouncing-ball", until=0.3)
    mixed.run(until=float(whole.t[100]))
    for step, _ in zip(mixed, range(50)):
        pass
    assert same_bits(mixed.run().q, whole.q)


def test_arrays_are_views_that_live_on():
    sim = ricochet.Simulation("bouncing-ball", until=1)
    early = sim.run(until=0.1)
    q, kept = early.q, early.q.copy()
    assert q.base is not None and not q.flags.writeable
    assert np.shares_memory(early.q, early["q." + early.coordinates[0]])
    sim.run(until=1)
    del sim, early
    assert same_bits(q, kept)


def test_columns_and_tables():
    result = ricochet.run("bouncing-ball")
    assert same_bits(result.energy.total, result["E"])
    assert result.energy.keys()[:2] == ["kinetic", "potential"]
    assert np.asarray(result.certificate).shape == (len(result), 5)
    assert len(result.contacts.row) == len(result.contacts) == result._data.offsets[-1]
    first = np.flatnonzero(result.contacts.P[:, 0])[0]
    hit = result.contacts.row[first]
    assert result.contacts[hit]["P"][0, 0] == result["P." + result.contacts.names[first]][hit] > 0
    assert result.gaps.keys() == {result.contacts.names[0]}
    with pytest.raises(ricochet.InputError, match="unknown column 'q.z'"):
        result["q.z"]
    with pytest.raises(AttributeError, match="accepted: kinetic"):
        result.energy.heat


def test_columns_of_joints(tmp_path):
    """Angles, displacements and wrenches, as `ricochet export` has them; from memory and from a file."""
    result = ricochet.run("four-bar", until=0.05)
    result.to_hdf5(tmp_path / "a.h5")
    subprocess.run([*PROGRAM, "export", str(tmp_path / "a.h5"), "--csv", str(tmp_path / "a.csv")], check=True)
    theirs = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True, deletechars="", replace_space=" ")
    words = (tmp_path / "a.csv").read_text().splitlines()[0].split(",")
    for mine in (result, ricochet.open(tmp_path / "a.h5")):
        assert mine.columns == words and "joint.base.angle" in words and "reaction.base.mz" in words
        for k, name in enumerate(words):
            assert np.array_equal(mine[name], theirs[theirs.dtype.names[k]], equal_nan=True), name
        assert same_bits(mine["joint.base.angle"], result["joint.base.angle"])  # asked for twice


def test_pandas():
    pytest.importorskip("pandas")
    result = ricochet.run("bouncing-ball")
    frame = result.to_pandas()
    assert frame.index.name == "t" and len(frame) == len(result)
    assert same_bits(frame["E"].to_numpy(), result["E"])
    assert list(result.to_pandas(["q." + result.coordinates[0]]).columns) == ["q." + result.coordinates[0]]


def test_events():
    result = ricochet.run("bouncing-ball", scheme="event-driven", until=1)
    events = result.events
    assert events and events[0]["kind"] == "impact" and events[0]["U_before"] < 0 < events[0]["U_after"]


def test_settings():
    sim = ricochet.Simulation("bouncing-ball", scheme="moreau-jean:theta=1", step=1e-3)
    assert sim.scenario.options["theta"] == 1 and sim.scenario.step == 1e-3
    sim = ricochet.Simulation("bouncing-ball", scheme="moreau-jean", options={"theta": 1})
    assert sim.scenario.options["theta"] == 1
    result = ricochet.run("bouncing-ball", scheme="combined", tolerance=1e-3)
    assert result.summary["rehearsals"] > 0 and result.t[-1] == ricochet.load("bouncing-ball").until
    few = ricochet.run("bouncing-ball", record_every=0)
    assert len(few) == 2
    many = ricochet.run("bouncing-ball")
    assert same_bits(few.q[-1], many.q[-1])


@pytest.mark.parametrize("name", ["four-bar", "slider-crank-play", "rigid-box", "elastic-bar"])
def test_nouns_as_dicts(name):
    """Bodies, joints, play, contacts, bars: what a file says, a dict says."""
    yaml = pytest.importorskip("yaml")
    folder = os.path.join(os.path.dirname(__file__), "..", "..", "scenarios")
    with open(os.path.join(folder, name + ".yaml"), encoding="utf-8") as file:
        tree = yaml.safe_load(file)
    ends = []
    for source in (tree, name):
        sim = ricochet.Simulation(source)
        for _ in zip(sim, range(20)):
            pass
        ends.append(np.concatenate([sim.q, sim.v]))
    assert same_bits(*ends)
