"""What Python costs: the same run by the program, by `run`, and step by step.

    PYTHONPATH=build/python python3 benchmarks/python_cost.py [build/ricochet]

Microseconds of the processor a step, the smallest of several. `program` is `ricochet run`, less the time of a run of one
step: without output, with the sums of all steps in one row, and with all rows, which it also writes to the disk. `run`
and `loop` are the same work from Python, with one row and with all rows in memory.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import ricochet

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/ricochet"
REPEATS = 9
SCHEME = "moreau-jean"


def best(measure):
    return min(measure() for _ in range(REPEATS))


def seconds(output, name, step, until):
    """Of a process of its own."""
    command = [PROGRAM, "run", name, *output, "--scheme", SCHEME, "--json", "--step", str(step), "--until", str(until)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


def program(output, name, step, until):
    begin = best(lambda: seconds(output, name, step, step))
    return 1e6 * (best(lambda: seconds(output, name, step, until)) - begin) / (until / step)


def whole(every, name, step, until):
    sim = ricochet.Simulation(name, scheme=SCHEME, step=step, until=until, record_every=every)
    began = time.thread_time()
    sim._run(None, None)
    return 1e6 * (time.thread_time() - began) / sim.steps


def loop(every, name, step, until):
    sim = ricochet.Simulation(name, scheme=SCHEME, step=step, until=until, record_every=every)
    began = time.thread_time()
    for _ in sim:
        pass
    return 1e6 * (time.thread_time() - began) / sim.steps


def functions(step, until):
    ball = ricochet.Model(["y"], [[1.0]], force=lambda t, q, v: np.array([-2.0]), position=[1.0], step=step, until=until,
                          contacts={"floor": ricochet.Contact(lambda t, q: q[0], restitution=0.5)})
    return whole(0, ball, None, None)


def main():
    print(f"{'':14} {'program':>8} {'one row':>8} {'all rows':>8} {'run':>8} {'all rows':>8} {'loop':>8} {'all rows':>8}")
    with tempfile.TemporaryDirectory() as folder:
        file = ["-o", os.path.join(folder, "out.h5"), "--record-every"]
        for case in (("bouncing-ball", 1e-5, 2), ("slider-crank", 1e-5, 0.2)):
            figures = [program(output, *case) for output in (["--no-output"], [*file, "0"], [*file, "1"])]
            figures += [best(lambda: how(every, *case)) for how in (whole, loop) for every in (0, 1)]
            print(f"{case[0]:14}", *(f"{figure:8.3f}" for figure in figures))
    print(f"a ball of functions, derivatives by differences: {best(lambda: functions(1e-3, 0.5)):.0f} us a step")


if __name__ == "__main__":
    main()
