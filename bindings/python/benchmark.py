"""What Python costs: the same run by the program's library, by `run`, and step by step.

    PYTHONPATH=build/python python3 bindings/python/benchmark.py [build/ricochet]

Each figure is the smallest of several, in microseconds a step. `library` is `ricochet run --no-output --json`, which
records nothing; `run` with record_every=0 is the same work.
"""

import json
import subprocess
import sys
import time

import numpy as np

import ricochet

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/ricochet"
REPEATS = 7


def best(measure):
    return min(measure() for _ in range(REPEATS))


def library(name, step, until):
    command = [PROGRAM, "run", name, "--no-output", "--json", "--step", str(step), "--until", str(until)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["microseconds_per_step"]


def whole(every, name, step, until):
    sim = ricochet.Simulation(name, step=step, until=until, record_every=every)
    began = time.perf_counter()
    sim._run(None, None)
    return 1e6 * (time.perf_counter() - began) / sim.steps


def loop(every, name, step, until):
    sim = ricochet.Simulation(name, step=step, until=until, record_every=every)
    began = time.perf_counter()
    for _ in sim:
        pass
    return 1e6 * (time.perf_counter() - began) / sim.steps


def functions(step, until):
    ball = ricochet.Model(["y"], [[1.0]], force=lambda t, q, v: np.array([-2.0]), position=[1.0], step=step, until=until,
                          contacts={"floor": ricochet.Contact(lambda t, q: q[0], restitution=0.5)})
    return whole(0, ball, None, None)


def main():
    print(f"{'scenario':14} {'library':>8} {'run':>8} {'run, all rows':>14} {'loop':>8} {'loop, all rows':>15}")
    for name, step, until in (("bouncing-ball", 1e-5, 2), ("slider-crank", 1e-5, 0.2)):
        case = (name, step, until)
        figures = [best(lambda: library(*case)), best(lambda: whole(0, *case)), best(lambda: whole(1, *case)),
                   best(lambda: loop(0, *case)), best(lambda: loop(1, *case))]
        print("{:14} {:8.3f} {:8.3f} {:14.3f} {:8.3f} {:15.3f}".format(name, *figures))
    print(f"a ball of functions, derivatives by differences: {best(lambda: functions(1e-3, 0.5)):.0f} us a step")


if __name__ == "__main__":
    main()
