#!/usr/bin/env python3
"""Times and forces of the circuit breaker, a column for each result of breaker-step or breaker-play.

    ricochet run breaker-step -o h.h5
    ricochet run breaker-step --step 5e-6 -o h2.h5
    python3 cad/studies/breaker_times.py h.h5 h2.h5

Times are those of the first or the last row in which a contact carries, forces are means from 45 to 50 ms. Needs numpy
and h5py.
"""
import sys

import h5py
import numpy as np

HELD = (45e-3, 50e-3)   # everything is at rest
CREEP = (31e-3, 49.5e-3)


class Contacts:
    """Impulses by name and row of a result, all of them over the rows that were recorded."""

    def __init__(self, path):
        with h5py.File(path) as f:
            self.t, self.h, self.q = f["steps/t"][:], f["steps/h"][:], f["steps/q"][:]
            names = [x.decode() if isinstance(x, bytes) else x for x in f["names/constraints"][:]]
            offset, item, P = f["contacts/offset"][:], f["contacts/item"][:], f["contacts/P"][:]
            self.normal = f["contacts/normal"][:]
            self.violation = f["certificate"][:, 1].max()
        self.row = np.repeat(np.arange(len(self.t)), np.diff(offset))
        self.name = np.array(names)[item]
        self.P = np.pad(P, ((0, 0), (0, 3 - P.shape[1])))

    def times(self, name):
        """Of the rows in which it carries."""
        return self.t[self.row[(self.name == name) & (self.P[:, 0] > 0)]]

    def force(self, *names):
        """Mean normal force, and the mean of the length of the friction, while held."""
        use = np.isin(self.name, names) & (self.t[self.row] >= HELD[0]) & (self.t[self.row] < HELD[1])
        rows = ((self.t >= HELD[0]) & (self.t < HELD[1])).sum()
        force = self.P[use] / self.h[self.row[use], None]
        return force[:, 0].sum() / rows, np.linalg.norm(force[:, 1:], axis=1).sum() / rows

    def creep(self):
        """Of any coordinate while nothing acts."""
        use = (self.t >= CREEP[0]) & (self.t <= CREEP[1])
        return np.ptp(self.q[use], axis=0).max()


def figures(path):
    c = Contacts(path)
    pads, back = c.times("pads"), c.times("shaft.lower")
    opened = pads[(pads > 50e-3) & (pads < 54.5e-3)]
    latch, friction = c.force("latch", "latch+", "latch-")
    return {
        "pads touch, ms": 1e3 * pads.min(),
        "handle on its stop, ms": 1e3 * c.times("shaft.upper").min(),
        "held: pad force, N": c.force("pads")[0],
        "held: latch force, N": latch,
        "held: latch T/N, with what acts sideways": friction / latch,
        "pads part, ms": 1e3 * opened.max() if len(opened) else np.nan,
        "handle back, ms": 1e3 * back[back > 55e-3].min() if (back > 55e-3).any() else np.nan,
        "creep from 31 to 49.5 ms": c.creep(),
        "largest violation of a gap, m": c.violation,
    }


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    columns = [figures(path) for path in sys.argv[1:]]
    for name in columns[0]:
        print(f"{name:42}" + "".join(f"{column[name]:14.6g}" for column in columns))


if __name__ == "__main__":
    main()
