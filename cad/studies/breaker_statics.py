#!/usr/bin/env python3
"""Statics of the held circuit breaker, independent of the program that computed the motion.

    ricochet run breaker-step --until 0.045 -o space.h5
    python3 cad/studies/breaker_statics.py space.h5 [--time 0.045] [--lean]

Of a result of breaker-step or breaker-play it takes poses, and points and normals of the contacts that carry, nothing
else. Loads are those of the springs, written down here once more. The
least and the greatest pad force, latch force and latch friction that reactions within Coulomb's cones allow are linear
programs (cones of 64 sides). With `--lean` the pins may lean on their bushes elsewhere than in the run: the directions
of all loaded rims are unknowns too, and the programs are solved again and again with them linearised (a local optimum,
which need not be the widest interval there is). Needs numpy, scipy and h5py.
"""
import argparse
import itertools
import sys

import h5py
import numpy as np
from scipy.optimize import linprog

SIDES = 64
WIDE = 1 / np.cos(np.pi / SIDES)  # cones are drawn about the round ones: 0.12 % wider at the corners
BODIES = ["handle", "rod", "hook", "plate", "arm", "bar"]
FRICTION = {"latch": 0.2, "corner": 0.2, "flank": 0.2, "wall": 0.0, "pads": 0.3, "peg": 0.1, "stop": 0.1, "trip": 0.1}
PINS = 0.1
OFF = -1.5064094427


class Held:
    """Poses, contacts and loads of one row. Lengths in m, forces in N."""

    def __init__(self, path, time):
        with h5py.File(path) as f:
            t = f["steps/t"][:]
            row = min(int(np.searchsorted(t, time)), len(t) - 1)
            self.time = t[row]
            h = f["steps/h"][row]
            text = lambda name: [x.decode() if isinstance(x, bytes) else x for x in f["names/" + name][:]]
            q = dict(zip(text("positions"), f["steps/q"][row]))
            self.space = any(name.endswith(".qw") for name in q)
            bodies, constraints = text("bodies"), text("constraints")
            part = slice(*f["contacts/offset"][row : row + 2])
            c = {name: f["contacts/" + name][part] for name in ("item", "bodies", "point", "normal", "P")}
        self.R, self.x = {"ground": np.eye(3)}, {"ground": np.zeros(3)}
        for body in BODIES:
            self.x[body] = np.array([q[f"{body}.{i}"] for i in ("x", "y", "z")[: 3 if self.space else 2]] + [0.0])[:3]
            if self.space:
                self.R[body] = rotation(*(q[f"{body}.q{i}"] for i in "wxyz"))
            else:
                angle = next(q[k] for k in q if k.startswith(body + ".") and k[-2:] not in (".x", ".y"))
                self.R[body] = np.array(
                    [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
                )
        self.contacts = []
        for k, item in enumerate(c["item"]):
            name, force = constraints[item], c["P"][k, 0] / h
            if force <= 0 or name.startswith("shaft"):
                continue
            pair = [bodies[i] if i >= 0 else "ground" for i in c["bodies"][k]]
            self.contacts.append(Contact(name, pair, c["point"][k], c["normal"][k], force))

    def turn(self, body):
        """Angle about z."""
        return np.arctan2(self.R[body][1, 0], self.R[body][0, 0])

    def loads(self):
        """Force and moment about the body's origin by body, of the springs."""
        out = {body: np.zeros(6) for body in BODIES}
        off = -0.002 if self.space else 0.0
        arm = self.R["plate"] @ np.array([-0.003, 0.006, off])
        d = np.array([-0.015, 0.009, off]) - (self.x["plate"] + arm)
        length = np.linalg.norm(d)
        force = 900 * (length - 5e-3) * d / length
        out["plate"] += np.r_[force, np.cross(arm, force)]
        for other, moment in (
            ("arm", -(0.06 + 0.2 * (self.turn("arm") - self.turn("plate")))),
            ("bar", 8e-4 - 3e-3 * (self.turn("bar") - self.turn("plate"))),
        ):
            along = torsion_axis(self.R["plate"], self.R[other])
            out[other][3:] += moment * along
            out["plate"][3:] -= moment * along
        out["handle"][5] -= 2e-3 + 1.5e-3 * (self.turn("handle") - OFF)
        return out

    def rows(self):
        """Which balances count: the handle's shaft takes all but the moment about it."""
        kept = range(6) if self.space else (0, 1, 5)
        return [6 * b + i for b, i in itertools.product(range(len(BODIES)), kept) if b > 0 or i == 5]


class Contact:
    def __init__(self, name, bodies, point, normal, force):
        self.name, self.bodies, self.point, self.normal, self.force = name, bodies, point, normal, force
        kind = name.split(".")[0].rstrip("+-")
        self.mu = FRICTION.get(kind, PINS)
        self.pin = kind.startswith("pin_") or kind.endswith("_pin")

    def tangents(self):
        """Across z first: of the latch, along its ledge, as friction holds it; the second one mostly along z."""
        t = np.cross(self.normal, [0, 0, 1])
        t /= np.linalg.norm(t)
        return t, np.cross(self.normal, t)

    def turned(self, angle):
        """The same on another side of the pin."""
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        centre = self.point + 1e-3 * self.normal  # the pin's axis: the normal leads the pin off its bush
        return Contact(self.name, self.bodies, centre + R @ (self.point - centre), R @ self.normal, self.force)


def torsion_axis(A, B):
    """Gradient of the angle atan2(e_A . d_B, d_A . d_B) by turning B, d = y, e = -x: of tilted axes it is neither's z."""
    d, e = A[:, 1], -A[:, 0]
    c, s = d @ B[:, 1], e @ B[:, 1]
    return np.cross(B[:, 1], c * e - s * d) / (c * c + s * s)


def rotation(w, x, y, z):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Program:
    """Balance of all bodies (N, N mm) over rays of the cones, the last unknown being the stop of the handle."""

    def __init__(self, held, contacts):
        self.held, self.contacts = held, contacts
        columns, self.rays = [], []
        for k, c in enumerate(contacts):
            t = c.tangents()
            angles = np.arange(SIDES) * 2 * np.pi / SIDES if held.space else (0.0, np.pi)
            for angle in angles if c.mu > 0 else (np.nan,):
                T = (WIDE if held.space else 1) * c.mu * np.nan_to_num(np.array([np.cos(angle), np.sin(angle)]))
                columns.append(self.wrench(c, c.normal + T[0] * t[0] + T[1] * t[1]))
                self.rays.append((k, T[0], T[1]))
        stop = np.zeros(6 * len(BODIES))
        stop[5] = -1
        self.A = self.kept(np.array([*columns, stop]).T)
        self.b = -self.kept(np.concatenate([held.loads()[body] for body in BODIES])[:, None])[:, 0]

    def kept(self, wrenches):
        scale = np.tile([1, 1, 1, 1e3, 1e3, 1e3], len(BODIES))
        return (wrenches * scale[:, None])[self.held.rows()]

    def wrench(self, c, force):
        out = np.zeros(6 * len(BODIES))
        for body, sign in zip(c.bodies, (1, -1)):
            if body in BODIES:
                at = 6 * BODIES.index(body)
                out[at : at + 6] += sign * np.r_[force, np.cross(c.point - self.held.x[body], force)]
        return out

    def normal(self, chosen):
        return np.array([chosen(self.contacts[k].name) for k, _, _ in self.rays] + [False], float)

    def tangential(self, chosen, axis):
        return np.array([r[1 + axis] * chosen(self.contacts[r[0]].name) for r in self.rays] + [0.0])

    def least(self, goal, per=None):
        """The least goal . x with A x = b; over per . x if that is given, by loads that are a variable. Also x."""
        A, b = self.A, self.b
        if per is not None:
            A = np.vstack([np.c_[A, -b], np.r_[per, 0]])
            b, goal = np.r_[np.zeros(len(b)), 1], np.r_[goal, 0]
        r = linprog(goal, A_eq=A, b_eq=b, bounds=(0, None), method="highs")
        if r.status != 0:
            return np.inf, None
        return r.fun, r.x if per is None else r.x[:-1] / r.x[-1]

    def imbalance(self):
        """Largest force (N) or moment (N mm) that the normal forces of the run leave."""
        names = [c.name for c in self.contacts]
        fixed = np.array([self.normal(lambda name, n=n: name == n) for n in names])
        ones = np.ones((len(self.b), 1))
        A = np.block([[self.A, -ones], [-self.A, -ones]])
        E = np.c_[fixed, np.zeros(len(fixed))]
        goal = np.r_[np.zeros(self.A.shape[1]), 1]
        r = linprog(goal, A_ub=A, b_ub=np.r_[self.b, -self.b], A_eq=E, b_eq=[c.force for c in self.contacts])
        return r.fun if r.status == 0 else np.inf

    def leaning(self, x):
        """Balance by the directions of the pins, at reactions x."""
        step, columns = 1e-6, []
        for k, c in enumerate(self.contacts):
            if c.pin:
                both = [self.part(c.turned(sign * step), k, x) for sign in (1, -1)]
                columns.append((both[0] - both[1]) / (2 * step))
        return np.array(columns).T

    def part(self, c, k, x):
        t = c.tangents()
        rays = [(r, x[j]) for j, r in enumerate(self.rays) if r[0] == k]
        force = sum(w * (c.normal + r[1] * t[0] + r[2] * t[1]) for r, w in rays)
        return self.kept(self.wrench(c, force)[:, None])[:, 0]


def least(held, goal, per=None, lean=False):
    """goal(program) and per(program) are rows; the least with the run's directions of the pins, or over all near them."""
    contacts, reach = held.contacts, 0.1
    program = Program(held, contacts)
    best, x = program.least(goal(program), per(program) if per else None)
    while lean and reach > 1e-3:
        pins = [k for k, c in enumerate(contacts) if c.pin]
        # linear in reactions and angles: goal - best per, which falls below zero where the ratio falls below best
        row = goal(program) - (best * per(program) if per else 0)
        r = linprog(
            np.r_[row, np.zeros(len(pins))],
            A_eq=np.c_[program.A, program.leaning(x)],
            b_eq=program.b,
            bounds=[(0, None)] * len(x) + [(-reach, reach)] * len(pins),
        )
        better = np.inf
        if r.status == 0:
            turned = list(contacts)
            for k, angle in zip(pins, r.x[len(x) :]):
                turned[k] = contacts[k].turned(angle)
            there = Program(held, turned)
            better, y = there.least(goal(there), per(there) if per else None)
        if better < best - 1e-6:
            best, x, contacts, program = better, y, turned, there
        else:
            reach /= 2
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("result")
    parser.add_argument("--time", type=float, default=0.045)
    parser.add_argument("--lean", action="store_true", help="pins may lean elsewhere than in the run")
    options = parser.parse_args()
    held = Held(options.result, options.time)
    left = Program(held, held.contacts).imbalance()
    if not left < 1e-3:
        sys.exit(f"the run is not at rest at {held.time:.4g} s: {left:.3g} N (N mm) are left")
    print(f"{'space' if held.space else 'plane'}, t = {held.time:.4g} s: {len(held.contacts)} contacts carry; "
          f"the run's normal forces balance to {left:.0e} N (N mm)")
    for c in held.contacts:
        if not c.pin:
            print(f"  {c.name}: {c.force:.4g} N in the run")
    latch = lambda name: name.startswith("latch")
    for what, goal, per in (
        ("pad force, N", lambda p: p.normal(lambda name: name == "pads"), None),
        ("latch force, N", lambda p: p.normal(latch), None),
        ("latch T/N along the ledge", lambda p: p.tangential(latch, 0), lambda p: p.normal(latch)),
        ("latch T/N across it", lambda p: p.tangential(latch, 1), lambda p: p.normal(latch)),
    ):
        low = least(held, goal, per, options.lean)
        high = -least(held, lambda p: -goal(p), per, options.lean)
        print(f"  {what}: {low:.4f} ... {high:.4f}")


if __name__ == "__main__":
    main()
