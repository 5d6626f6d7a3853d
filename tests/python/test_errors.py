"""What is wrong is an exception with the words of the program; what is right so far is kept."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ricochet
from program import PROGRAM


NO_NUMBER = """
system:
  formulas:
    coordinates: [x]
    kinetic: x'^2/2
    forces: {x: sqrt(0.55 - t)}
initial: {position: {x: 1}}
simulation: {scheme: moreau-jean, step: 0.1, until: 1}
"""


def words_of_the_program(*arguments):
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    return done.stderr.strip()


@pytest.mark.parametrize("arguments, settings", [
    (["no-such-scenario"], {}),
    (["bouncing-ball", "--scheme", "moreau"], {"scheme": "moreau"}),
    (["bouncing-ball", "--step", "-1"], {"step": -1}),
    (["bouncing-ball", "--set", "initial.position.w=1"], {"changes": {"initial.position.w": 1}}),
])
def test_words_of_the_program(arguments, settings):
    theirs = words_of_the_program("run", *arguments, "--no-output")
    with pytest.raises(ricochet.InputError) as caught:
        ricochet.run(arguments[0], **settings)
    error = caught.value
    assert isinstance(error, ValueError) and error.message in theirs.replace("\n  ", " ")
    assert str(error) == f"{error.where}: {error.message}" and not error.where.startswith("--")


def test_text_and_dict():
    with pytest.raises(ricochet.InputError, match="^scenario:2:"):
        ricochet.load("\nsistem: {}\n")
    tree = {"system": {"formulas": {"coordinates": ["x"], "kinetic": "x'^2/2"}},
            "initial": {"position": {"x": np.float64(1)}},
            "simulation": {"scheme": "moreau-jean", "step": 0.1, "until": 1}}
    assert ricochet.run(tree).q[-1, 0] == 1
    with pytest.raises(ricochet.InputError, match="is no part of a scenario"):
        ricochet.load({"system": object()})


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        ricochet.open(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no result")
    with pytest.raises(ricochet.InputError):
        ricochet.open(tmp_path / "text.h5")


def test_a_failed_run_keeps_what_it_has(tmp_path):
    sim = ricochet.Simulation(NO_NUMBER)
    with pytest.raises(ricochet.StepFailed, match="not finite.*\n.*where: .*\n.*try: ") as failed:
        sim.run()
    result = failed.value.result
    assert result.status == "failed" and 5 <= len(result) and 0.5 < result.t[-1] < 0.65
    assert sim.run(check=False).status == "failed"
    result.to_hdf5(tmp_path / "failed.h5")
    assert ricochet.open(tmp_path / "failed.h5").status == "failed"
    with pytest.raises(ricochet.StepFailed):
        for _ in ricochet.Simulation(NO_NUMBER):
            pass


@pytest.mark.parametrize("numbers, words", [
    ([1.0, 2.0], "2 numbers; accepted: 1"), ([[1.0]], "accepted: a vector"), ([np.nan], "not finite"),
    ("abc", "no numbers"), (None, "not finite|no numbers|accepted"),
])
def test_wrong_numbers(numbers, words):
    sim = ricochet.Simulation("bouncing-ball")
    before = sim.q
    with pytest.raises(ricochet.InputError, match=words):
        sim.q = numbers
    assert sim.q == before


def test_numbers_of_any_memory():
    sim = ricochet.Simulation("bouncing-ball")
    sim.q = np.arange(10)[4:5]  # integers, not at the beginning
    assert sim.q[0] == 4.0
    sim.v = np.arange(6, dtype=np.float32)[::2][1:2]
    assert sim.v[0] == 2.0


INTERRUPTED = """
import os, signal, threading, ricochet
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
sim = ricochet.Simulation("slider-crank", step=1e-6, until=100)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    sim.run()
except ricochet.Interrupted as stopped:
    assert stopped.result.status == "interrupted" and len(stopped.result) > 100, stopped.result
    before = sim.t
    sim.run(until=before + 1e-4)
    assert sim.t > before
    print("kept", len(stopped.result))
"""


def test_control_c():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=600)
    assert done.stdout.startswith("kept"), done.stderr


def test_a_handler_of_ones_own():
    class Enough(Exception):
        pass

    def handler(number, frame):
        raise Enough

    before = signal.signal(signal.SIGINT, handler)
    try:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        sim = ricochet.Simulation("slider-crank", step=1e-6, until=100)
        with pytest.raises(Enough):
            sim.run()
        assert len(sim.result) > 100
    finally:
        signal.signal(signal.SIGINT, before)


def test_progress():
    seen = []
    sim = ricochet.Simulation("slider-crank", step=1e-6, until=0.3)
    sim.run(progress=lambda t, until: seen.append((t, until, sim.q.sum())))
    assert seen == sorted(seen) and all(0 < t <= 0.3 == until for t, until, _ in seen)
    # steps that are rehearsed, one at a time
    assert len(list(ricochet.Simulation("bouncing-ball", scheme="combined", tolerance=1e-2))) > 10

    def stumble(t, until):
        raise ZeroDivisionError("mine")

    sim = ricochet.Simulation("slider-crank", step=1e-6, until=100)
    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.run(progress=stumble)


def test_threads():
    scenario = ricochet.load("slider-crank")
    expected = ricochet.run(scenario).q
    results = [None] * 4

    def work(k):
        results[k] = ricochet.run(scenario).q

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(q.tobytes() == expected.tobytes() for q in results)


def test_one_call_at_a_time():
    sim = ricochet.Simulation("slider-crank", step=1e-6, until=100)
    worker = threading.Thread(target=lambda: sim.run(check=False))
    worker.start()
    while sim.t == 0:
        time.sleep(0.01)
    with pytest.raises(RuntimeError, match="one call at a time"):
        sim.step()
    with pytest.raises(RuntimeError, match="one call at a time"):
        sim.until = 1
    with pytest.raises(RuntimeError, match="another thread"):
        sim.q
    sim.stop()
    worker.join()
    assert sim.result.status == "interrupted"


def ends_well(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("work", [
    "ricochet.Simulation('slider-crank', step=1e-6).run(until=.5)",
    "ricochet.run(ricochet.Model(['x'], [[1.0]], force=lambda t, q, v: -q, velocity=[1], step=1e-6, until=5))",
    "[s.step() for s in [ricochet.Simulation('slider-crank', step=1e-7)] for _ in range(10**9)]",
    "[ricochet.run('bouncing-ball') for _ in range(10**9)]",
])
def test_the_interpreter_ends_while_a_daemon_thread_runs(work):
    ends_well(f"""
import os, threading, time, ricochet
def work():
    try:
        {work}
    except Exception:  # it was stopped
        pass
threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""")


def test_objects_without_a_constructor():
    """What `__new__` alone makes is nothing, and says so."""
    ends_well("""
import inspect, ricochet
from ricochet import _ricochet
kinds = [kind for _, kind in inspect.getmembers(_ricochet, inspect.isclass) if not issubclass(kind, BaseException)]
assert len(kinds) > 8
for kind in [*kinds, ricochet.Simulation]:
    thing = kind.__new__(kind)
    for name in dir(type(thing)):
        if name.startswith("__") and name not in ("__repr__", "__next__", "__iter__"):
            continue
        try:
            member = getattr(thing, name)
            if callable(member):
                member()
        except (TypeError, RuntimeError, AttributeError):
            pass
""")


def test_fork():
    ricochet.run("bouncing-ball", threads=2)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if len(ricochet.run("bouncing-ball", threads=2)) > 1 else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
