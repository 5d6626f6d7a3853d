#!/usr/bin/env python3
"""Known physics of granular matter: Beverloo's law, Janssen's law, the angle of repose.

    PYTHONPATH=build/python /usr/bin/python3 benchmarks/granular.py beverloo-plane | beverloo-space | janssen | repose
    /usr/bin/python3 benchmarks/granular.py figures          # docs/images/*.svg from the tables

Each command runs its systems, prints what it finds and writes a table, benchmarks/granular-NAME.csv; --fit reads the
table instead of running. Grains are of several sizes, their radii between 0.8 and 1 of the largest, evenly: equal ones
would form crystals.

The scheme is moreau-jean with sweeps of Gauss and Seidel. These are long runs of which means are wanted: the solver
ends at an error of `--error` m/s in the worst contact, a tenth of what gravity gives in a step.
"""
import argparse
import csv
import math
import os
import random
import sys
import time

import numpy as np

G = 9.81
R = 0.01  # radius of the largest grains
D_MEAN = 2 * R * 0.9
ROOT = os.path.dirname(os.path.abspath(__file__))


def table_file(name):
    return os.path.join(ROOT, f"granular-{name}.csv")


def write_table(name, head, rows):
    with open(table_file(name), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def read_table(name):
    with open(table_file(name)) as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def grains(columns, across, layers, seed, base, middle=0.0):
    """Balls on a grid over the height `base`, shifted a little, as bodies of a scenario; `across` 0: in the plane."""
    dice, pitch, out = random.Random(seed), 2.06 * R, {}
    shift = lambda: dice.uniform(-0.03, 0.03) * R
    for k in range(layers):
        for j in range(max(across, 1)):
            for i in range(columns):
                y = (j - (across - 1) / 2) * pitch + shift() if across else 0
                out[f"grain{len(out) + 1}"] = {
                    "shapes": [{"sphere": {"radius": R * (1 - 0.2 * dice.random())}, "density": 2000}],
                    "material": "grain",
                    "position": [middle + (i - (columns - 1) / 2) * pitch + shift(), y, base + (0.5 + k) * pitch]}
    return out


def mass_of(body):
    return 2000 * 4 / 3 * math.pi * body["shapes"][0]["sphere"]["radius"] ** 3


class Run:
    """A simulation of a scenario given as a dict. `across`: numbers of a position and of a velocity of one body."""

    def __init__(self, system, options, **changes):
        import ricochet
        self.options, self.again = options, 0
        self.planar = "planar" in system
        self.grains = [name for name in system["bodies"] if name.startswith("grain")]
        self.sim = ricochet.Simulation(ricochet.load({
            "name": "granular", "system": system,
            # what the solver ends at is a thousandth of the tolerance of the step, over the scale of velocities
            "simulation": {"scheme": "moreau-jean", "scales": {"velocity": 1000}, "step": options.step, "until": 1000,
                           "record": {"every": 1000000, "contacts": changes.get("contacts", "none")}}}),
            record_every=changes.get("every", 0))
        self.began, self.steps = time.process_time(), 0

    def places(self):
        """x, y, z of the grains; those that are no grains come first or last and are left out."""
        wide = 3 if self.planar else 7
        q = self.sim.q.reshape(-1, wide)[-len(self.grains):]
        return q if not self.planar else np.stack([q[:, 0], 0 * q[:, 0], q[:, 1]], axis=1)

    def rms(self):
        v = self.sim.v.reshape(-1, 3 if self.planar else 6)[-len(self.grains):]
        return math.sqrt(float((v[:, :2 if self.planar else 3] ** 2).sum(axis=1).mean()))

    def exactly(self, error, solver="projected-gauss-seidel"):
        """From now on the solver ends at this error, m/s."""
        self.sim.change({"simulation.scheme": {"name": "moreau-jean", "tolerance": error, "activation_tolerance": 2e-3,
                                               "solver": solver}})

    def advance(self, until):
        """Where the energy of a step does not add up the next twenty are solved ten times as exactly, or a hundred."""
        import ricochet
        while self.sim.t < until - 1e-9:
            try:
                self.sim.run(until=until)
            except ricochet.StepFailed:
                self.again += 1
                for finer in (10, 100, 1000):
                    self.exactly(self.options.error / finer)
                    try:
                        self.sim.run(until=min(until, self.sim.t + 20 * self.options.step))
                        break
                    except ricochet.StepFailed:
                        if finer == 1000:
                            raise
                self.exactly(self.options.error)

    def settle(self, **frictions):
        """Without friction, which makes it dense; then with it, from the time `settle` on."""
        self.exactly(1e-6, "auto")
        self.sim.run(until=self.options.settle)
        self.exactly(self.options.error)
        self.sim.change({f"system.parameters.{name}": value for name, value in frictions.items()})

    def cost(self):
        return f"{1e3 * (time.process_time() - self.began) / max(self.sim.steps, 1):.0f} ms a step, {self.again} times again"


# Beverloo -------------------------------------------------------------------------------------------------------------

def bin_with_opening(options):
    material = {"friction": "mu", "materials": {"grain": {"friction": "mu"}}}
    if options.space:
        w = 0.5 * (options.columns + 0.3) * 2.06 * R
        walls = [{"plane": {"normal": n, "offset": -w}} for n in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])]
        bodies = {"walls": {"fixed": True, "shapes": walls}}
        plate = {"fixed": True, "shapes": [{"box": {"size": [2 * w, 4 * w, R]}}]}
        system = {"gravity": [0, 0, -G], "collision": material, "bodies": bodies,
                  "parameters": {"d": 0.0, "mu": 0.0}, "scenes": {"floor": {"funnel": [4], "opening": "d", "slope": 0,
                                                                 "body": plate}}}
        bodies.update(grains(options.columns, options.columns, options.layers, options.seed, 0.1 * R))
    else:
        w = 0.5 * (options.columns + 0.3) * 2.06 * R
        bodies = {"bin": {"fixed": True, "shapes": [
            {"chain": {"points": [["-w", 0, 5], ["-w", 0, 0], ["-d/2", 0, 0]]}},
            {"chain": {"points": [["d/2", 0, 0], ["w", 0, 0], ["w", 0, 5]]}}]}}
        bodies.update(grains(options.columns, 0, options.layers, options.seed, 0.1 * R))
        system = {"planar": "xz", "parameters": {"w": w, "d": 0.0, "mu": 0.0}, "gravity": [0, 0, -G],
                  "collision": material, "bodies": bodies}
    return system, w


def flow(run, opening, options):
    """Grains a second through the opening while the `count` after the first `skip` leave, its standard error, and the
    numbers over the time; 0: it clogged, or ran dry."""
    run.sim.change({"system.parameters.d": opening * D_MEAN})
    begin, times = run.sim.t, [(0, 0)]
    while times[-1][1] < options.skip + options.count:
        run.advance(run.sim.t + 5 * options.step)
        times.append((run.sim.t - begin, int((run.places()[:, 2] < 0).sum())))
        if len(times) > 100 and times[-1][1] == times[-100][1]:
            return 0, 0, times
    t, n = np.array([x for x in times if x[1] >= options.skip]).T
    W = np.polyfit(t, n, 1)[0]
    # rates of ten parts give the error of their mean
    parts = np.interp(np.linspace(t[0], t[-1], 11), t, n)
    return W, np.diff(parts).std(ddof=1) / ((t[-1] - t[0]) / 10) / math.sqrt(10), times


def beverloo(options):
    name = "beverloo-space" if options.space else "beverloo-plane"
    if not options.fit:
        system, w = bin_with_opening(options)
        run = Run(system, options)
        run.settle(mu=options.friction)
        settled, rows = run.sim.state, []
        print(f"{len(run.grains)} grains settled, rms speed {run.rms():.1e} m/s, height "
              f"{run.places()[:, 2].max() / D_MEAN:.1f} d, width {2 * w / D_MEAN:.1f} d, {run.cost()}", flush=True)
        for opening in options.openings:
            run.sim.state = settled
            W, error, times = flow(run, opening, options)
            rows.append((opening, f"{W:.2f}", f"{error:.2f}", options.count))
            worst = run.sim.result.certificate
            print(f"D/d = {opening}: {W:.1f} +- {error:.1f} a second, {times[-1][1]} in {times[-1][0]:.2f} s; "
                  f"penetration {worst.penetration.max() / D_MEAN:.3f} d, "
                  f"residual {worst.complementarity.max():.1e} m/s, {run.cost()}", flush=True)
            if options.table:
                write_table(options.table, ("D/d", "W", "error", "counted"), rows)
    if options.table:
        fit_beverloo(read_table(options.table), 1.5 if not options.space else 2.5)


def exponent(x, y, s):
    """Slope of y over x with its standard error, from the errors s of y or the scatter, whichever is larger."""
    weight = 1 / s**2
    mx, my = (weight * x).sum() / weight.sum(), (weight * y).sum() / weight.sum()
    spread = (weight * (x - mx) ** 2).sum()
    n = (weight * (x - mx) * (y - my)).sum() / spread
    chi = (weight * (y - my - n * (x - mx)) ** 2).sum() / max(len(x) - 2, 1)
    return n, math.sqrt(max(chi, 1) / spread), chi * (len(x) - 2), my - n * mx


def fit_beverloo(rows, known):
    rows = [r for r in rows if r["W"] > 0]
    if len(rows) < 3:
        return None
    D, W = np.array([r["D/d"] for r in rows]), np.array([r["W"] for r in rows])
    s = np.maximum(np.array([r["error"] for r in rows]) / W, 1e-3)
    out = {}
    for k in (1.0, 1.4, 2.0):
        out[k] = exponent(np.log(D - k), np.log(W), s)
        print(f"k = {k}: exponent {out[k][0]:.2f} +- {out[k][1]:.2f}, chi^2 {out[k][2]:.1f} of {len(D) - 2}")
    ks = np.arange(0, 0.95 * D.min(), 0.01)
    chi = np.array([exponent(np.log(D - k), np.log(W), s)[2] for k in ks])
    unit = max(chi.min() / max(len(D) - 3, 1), 1)
    best, inside = ks[chi.argmin()], ks[chi <= chi.min() + unit]
    n_at = lambda k: exponent(np.log(D - k), np.log(W), s)[0]
    print(f"both fitted: k = {best:.2f} ({inside.min():.2f} to {inside.max():.2f}), exponent {n_at(best):.2f} "
          f"({n_at(inside.max()):.2f} to {n_at(inside.min()):.2f})")
    # with the exponent of the law W^(1/n) is a straight line in D, which gives k
    y = W ** (1 / known)
    a, b = np.polyfit(D, y, 1)
    print(f"exponent {known}: k = {-b / a:.2f}, rms of W off by {np.sqrt(np.mean(((a * D + b)**known / W - 1)**2)):.3f}")
    return {"known": known, "k": -b / a, "C": a**known}


# Janssen --------------------------------------------------------------------------------------------------------------

def column(options):
    """A column between two walls on a floor that a motor lowers."""
    w = 0.5 * (options.columns + 0.3) * 2.06 * R
    bodies = {
        "walls": {"fixed": True, "material": "wall", "shapes": [{"plane": {"normal": [1, 0, 0], "offset": -w}},
                                                               {"plane": {"normal": [-1, 0, 0], "offset": -w}}]},
        "floor": {"shapes": [{"box": {"size": [2 * w, R, 2 * R]}, "density": 2000}], "position": [0, 0, -R]}}
    bodies.update(grains(options.columns, 0, options.layers, options.seed, 0.1 * R))
    return {"planar": "xz", "gravity": [0, 0, -G], "bodies": bodies, "parameters": {"v": options.speed, "t0": options.settle, "mu": 0.0, "mu_wall": 0.0},
            "joints": {"lift": {"prismatic": ["ground", "floor"], "axis": [0, 0, 1],
                                "speed": "-v*max(0, min((t - t0)/0.05, 1))"}},
            "collision": {"friction": "mu", "materials": {"grain": {"friction": "mu"}, "wall": {}},
                          "pairs": [{"between": ["wall", "grain"], "friction": "mu_wall"}],
                          "ignore": [["floor", "walls"]]}}, w


def forces_on_grains(contacts, x, z, T):
    """Of walls and floor on grains, time means over T: height, normal part, upward part; and which are of the floor.
    Bodies: 0 is the floor, -1 the ground, which here is the walls; the others are grains at x, z."""
    c = contacts[(contacts["bodies"] <= 0).any(axis=1)]
    floor, grain = (c["bodies"] == 0).any(axis=1), c["bodies"].max(axis=1) - 1
    P = c["P"] / T
    # along a wall the tangent is the normal turned by a right angle: up at the left, down at the right
    return z[grain], P[:, 0], np.where(floor, P[:, 0], -np.sign(x[grain]) * P[:, 1]), floor


def janssen(options):
    if not options.fit:
        system, w = column(options)
        mass = np.array([mass_of(b) for name, b in system["bodies"].items() if name.startswith("grain")])
        run = Run(system, options, contacts="forces", every=10)
        run.settle(mu=options.friction, mu_wall=options.wall)
        print(f"{len(mass)} grains settled, height {run.places()[:, 2].max() / (2 * w):.2f} of the width, which is "
              f"{2 * w / D_MEAN:.1f} d; wall friction {options.wall}", flush=True)
        run.advance(options.settle + options.travel * D_MEAN / options.speed)
        rows = profile(run, mass, w, options)
        print(f"{run.cost()}")
        if options.table:
            write_table(options.table, ("height", "weight_above", "vertical", "error", "wall_normal", "width"), rows)
    fit_janssen(read_table(options.table), options.wall)


def profile(run, mass, w, options):
    """Height over the floor, weight above, vertical force that goes through there with its standard error, and the
    normal force of both walls above; time means from `from` diameters of travel on."""
    result, weight = run.sim.result, mass.sum() * G
    t = result.t
    use = [k for k in range(1, len(t)) if (t[k] - options.settle) * options.speed > options.start * D_MEAN]
    heights = np.linspace(0, run.places()[:, 2].max() - result.q[-1][1] + 2 * R, 60)
    above, through, normal, floor_load, wall_load, mobilised = [], [], [], [], [], []
    for k in use:
        ground = result.q[k][1] + R
        x, z = result.q[k].reshape(-1, 3)[1:, :2].T
        z = z - ground
        at, n, up, floor = forces_on_grains(result.contacts[k], x, z, t[k] - t[k - 1])
        q = np.array([mass[z > y].sum() * G for y in heights])
        wall = np.array([up[~floor & (at > y)].sum() for y in heights])
        above.append(q), through.append(q - wall)
        normal.append([n[~floor & (at > y)].sum() for y in heights])
        floor_load.append(up[floor].sum()), wall_load.append(up[~floor].sum())
        mobilised.append(up[~floor].sum() / max(options.wall * n[~floor].sum(), 1e-300))
    print(f"floor {np.mean(floor_load) / weight:.4f} + walls {np.mean(wall_load) / weight:.4f} of the weight, over "
          f"{t[use[-1]] - t[use[0]]:.2f} s; friction of the walls mobilised by {np.mean(mobilised):.3f}")
    # standard error from ten parts of the time
    parts = [np.mean(part, axis=0) for part in np.array_split(np.array(through), 10)]
    error = np.std(parts, axis=0, ddof=1) / math.sqrt(10)
    return [(f"{x:.5f}", f"{a:.5f}", f"{b:.5f}", f"{e:.5f}", f"{n:.5f}", f"{2 * w:.5f}") for x, a, b, e, n in
            zip(heights, np.mean(above, axis=0), np.mean(through, axis=0), error, np.mean(normal, axis=0))]


def fit_janssen(rows, wall):
    """N = Q (1 - exp(-q/Q)), q the weight above and Q that of the height lambda, one number to fit."""
    q, N = np.array([r["weight_above"] for r in rows]), np.array([r["vertical"] for r in rows])
    use = q > 0
    trials = np.linspace(0.02, 3, 5000) * q.max()
    left = [((N - Q * (1 - np.exp(-q / Q)))[use] ** 2).mean() for Q in trials]
    Q = trials[int(np.argmin(left))]
    height = np.array([r["height"] for r in rows])
    slope = -np.polyfit(height[(q < 0.9 * q.max()) & (q > 0.1 * q.max())], q[(q < 0.9 * q.max()) & (q > 0.1 * q.max())], 1)[0]
    width, length = rows[0]["width"], Q / slope
    off = (N - Q * (1 - np.exp(-q / Q)))[use]
    print(f"lambda {length / width:.3f} of the width, K = {width / (2 * wall * length):.3f}; rms left "
          f"{np.sqrt((off**2).mean()) / Q:.4f} of the saturated stress, largest {np.abs(off).max() / Q:.4f}, of the "
          f"mean stress {np.sqrt((off**2).mean()) / N[use].mean():.4f}; column {q.max() / Q:.2f} lambda high")
    return Q, slope, width


# Angle of repose ------------------------------------------------------------------------------------------------------

def heap(options, rolling):
    """Grains on a rough base between a wall without friction and one that goes away."""
    length = options.columns * 2.06 * R + 0.3 * R
    plate = {"shapes": [{"box": {"size": [0.02, 0.02, 1]}, "density": 2000}], "position": [length + 0.01, 0, 0.501]}
    base = {"grid": [int(2.6 * length / (2.2 * R)), 1, 1], "gap": 0.2 * R, "at": [1.25 * length, 0, -2 * R],
            "body": {"fixed": True, "material": "grain", "shapes": [{"sphere": {"radius": R}}]}}
    bodies = {"plate": {**plate, "material": "smooth"},
              "back": {"fixed": True, "material": "smooth", "shapes": [{"plane": {"normal": [1, 0, 0]}}]}}
    bodies.update(grains(options.columns, 0, options.layers, options.seed, 0.1 * R, length / 2))
    return {"planar": "xz", "gravity": [0, 0, -G], "bodies": bodies, "scenes": {"base": base},
            "parameters": {"v": options.speed, "t0": options.settle, "T": 1.3 * length / options.speed, "mu": 0.0},
            "joints": {"lift": {"prismatic": ["ground", "plate"], "axis": [1, 0, 0],
                                "speed": "v*max(0, min(min((t - t0)/0.05, 1), (T + t0 - t)/0.05))"}},
            "collision": {"materials": {"grain": {"friction": "mu", "rolling": rolling * D_MEAN}, "smooth": {}},
                          "pairs": [{"between": ["grain", "smooth"], "friction": 0}],
                          "ignore": [["plate", "base"], ["plate", "back"]]}}, length


def surface(x, z):
    """The highest grain of each strip, two grains wide."""
    strip = 2 * D_MEAN
    out = [(k * strip + strip / 2, z[(x >= k * strip) & (x < (k + 1) * strip)].max())
           for k in range(int(x.max() / strip) + 1) if ((x >= k * strip) & (x < (k + 1) * strip)).any()]
    return np.array(out)


def flank(points):
    """Angle of the flank in degrees, with the error of the fit: heights between 0.15 and 0.85 of the crest."""
    crest = points[:, 1].max()
    use = points[(points[:, 1] > 0.15 * crest) & (points[:, 1] < 0.85 * crest)]
    if len(use) < 3:
        return float("nan"), float("nan")
    (a, b), cov = np.polyfit(use[:, 0], use[:, 1], 1, cov=True) if len(use) > 4 else (np.polyfit(*use.T, 1), np.eye(2))
    return math.degrees(math.atan(-a)), math.degrees(math.sqrt(cov[0, 0]) / (1 + a * a))


def repose(options):
    if options.fit:
        return
    rows = []
    for friction, rolling in options.cases:
        system, length = heap(options, rolling)
        run = Run(system, options)
        run.settle(mu=friction)
        run.advance(options.settle + 1.3 * length / options.speed + options.rest)
        x = run.places()
        angle, error = flank(surface(x[:, 0], x[:, 2]))
        rows.append((friction, rolling, f"{angle:.2f}", f"{error:.2f}"))
        print(f"friction {friction}, rolling {rolling} d: {angle:.1f} +- {error:.1f} degrees, rms speed "
              f"{run.rms():.1e} m/s, {len(x)} grains, foot at {x[:, 0].max() / D_MEAN:.0f} d, {run.cost()}", flush=True)
        if options.table:
            write_table(options.table, ("friction", "rolling", "angle", "error"), rows)


# Figures --------------------------------------------------------------------------------------------------------------

class Panel:
    """Axes of a figure in SVG: points with errors, lines, ticks at round numbers."""

    wide, high, left, right, top, bottom = 460, 330, 58, 14, 34, 48

    def __init__(self, at, title, labels, x, y):
        self.at, self.title, self.labels, self.x, self.y, self.marks = at, title, labels, x, y, []

    def place(self, x, y):
        across, up = (x - self.x[0]) / (self.x[1] - self.x[0]), (y - self.y[0]) / (self.y[1] - self.y[0])
        return (self.at + self.left + across * (self.wide - self.left - self.right),
                self.high - self.bottom - up * (self.high - self.top - self.bottom))

    def line(self, xs, ys, colour, dashed=False):
        points = " ".join("{:.1f},{:.1f}".format(*self.place(x, y)) for x, y in zip(xs, ys))
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.marks.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')

    def point(self, x, y, error, colour):
        (a, b), (_, low), (_, high) = self.place(x, y), self.place(x, y - error), self.place(x, y + error)
        self.marks.append(f'<line x1="{a:.1f}" y1="{low:.1f}" x2="{a:.1f}" y2="{high:.1f}" stroke="{colour}"/>'
                          f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>')

    def text(self, x, y, words, colour="#333", anchor="start"):
        a, b = self.place(x, y)
        self.marks.append(f'<text x="{a:.1f}" y="{b:.1f}" fill="{colour}" text-anchor="{anchor}">{words}</text>')

    @staticmethod
    def ticks(low, high):
        raw = (high - low) / 5
        unit = 10 ** math.floor(math.log10(raw))
        step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= raw)
        return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]

    def svg(self):
        (a, b), (c, d) = self.place(self.x[0], self.y[0]), self.place(self.x[1], self.y[1])
        out = [f'<rect x="{a:.1f}" y="{d:.1f}" width="{c - a:.1f}" height="{b - d:.1f}" fill="none" stroke="#999"/>',
               f'<text x="{a:.1f}" y="20" font-weight="bold">{self.title}</text>',
               f'<text x="{(a + c) / 2:.1f}" y="{self.high - 10}" text-anchor="middle">{self.labels[0]}</text>',
               f'<text transform="translate({self.at + 14} {(b + d) / 2:.1f}) rotate(-90)" '
               f'text-anchor="middle">{self.labels[1]}</text>']
        for x in self.ticks(*self.x):
            e, _ = self.place(x, 0)
            out.append(f'<line x1="{e:.1f}" y1="{b:.1f}" x2="{e:.1f}" y2="{b + 4:.1f}" stroke="#999"/>'
                       f'<text x="{e:.1f}" y="{b + 17:.1f}" text-anchor="middle">{x:g}</text>')
        for y in self.ticks(*self.y):
            _, e = self.place(0, y)
            out.append(f'<line x1="{a - 4:.1f}" y1="{e:.1f}" x2="{a:.1f}" y2="{e:.1f}" stroke="#999"/>'
                       f'<text x="{a - 7:.1f}" y="{e + 4:.1f}" text-anchor="end">{y:g}</text>')
        return "\n".join(out + self.marks)


def write_figure(name, panels):
    width, height = len(panels) * Panel.wide, Panel.high
    with open(os.path.join(ROOT, "..", "docs", "images", name), "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                   f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">\n'
                   f'<rect width="{width}" height="{height}" fill="white"/>\n')
        file.write("\n".join(panel.svg() for panel in panels) + "\n</svg>\n")


def beverloo_panel(at, name, known, what):
    rows = [r for r in read_table(name) if r["W"] > 0]
    law = fit_beverloo(rows, known)
    D = [r["D/d"] for r in rows]
    top = max(r["W"] + r["error"] for r in rows) ** (1 / known)
    power = "2/3" if known == 1.5 else "2/5"
    if law is None:
        return None
    panel = Panel(at, f"Beverloo, {what}", ("opening D / d", f"W^({power}), W in grains a second"), (0, 1.1 * max(D)),
                  (0, 1.15 * top))
    ends = (law["k"], 1.1 * max(D))
    panel.line(ends, [(law["C"] ** (1 / known)) * (x - law["k"]) for x in ends], "#1f77b4")
    for r in rows:
        y = r["W"] ** (1 / known)
        panel.point(r["D/d"], y, y / known * r["error"] / r["W"], "#d62728")
    panel.text(0.4, 1.04 * top, f"line: W = {law['C']:.3g} (D/d - {law['k']:.2f})^{known}", "#1f77b4")
    return panel


def janssen_panel(at, wall):
    rows = read_table("janssen")
    Q, slope, width = fit_janssen(rows, wall)
    unit = slope * width  # the weight of a height as large as the width
    depth = max(r["weight_above"] for r in rows) / unit
    panel = Panel(at, "Janssen: stress in a column whose floor sinks",
                  ("depth / width", "vertical stress / stress of one width"), (0, 1.05 * depth), (0, 2.2 * Q / unit))
    x = np.linspace(0, depth, 100)
    panel.line(x, Q / unit * (1 - np.exp(-x * unit / Q)), "#1f77b4")
    end = min(depth, 2.1 * Q / unit)
    panel.line([0, end], [0, end], "#888", dashed=True)
    for r in rows:
        panel.point(r["weight_above"] / unit, r["vertical"] / unit, r["error"] / unit, "#d62728")
    panel.text(0.6 * end, 0.7 * end, "without friction", "#888", "end")
    panel.text(0.98 * depth, 0.35 * Q / unit, f"law with K = {width * slope / (2 * wall * Q):.2f}", "#1f77b4", "end")
    return panel


def figures(options):
    panels = []
    for name, known, what in (("beverloo-plane", 1.5, "plane"), ("beverloo-space", 2.5, "space")):
        if os.path.exists(table_file(name)):
            panels += filter(None, [beverloo_panel(len(panels) * Panel.wide, name, known, what)])
    if panels:
        write_figure("beverloo.svg", panels)
    if os.path.exists(table_file("janssen")):
        write_figure("janssen.svg", [janssen_panel(0, options.wall)])


# The command line -----------------------------------------------------------------------------------------------------

def numbers(text):
    return [float(s) for s in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, function, **defaults):
        one = commands.add_parser(name)
        one.add_argument("--step", type=float, default=1e-3)
        one.add_argument("--error", type=float, default=1e-3, help="of the solver, m/s")
        one.add_argument("--fit", action="store_true", help="read the table, run nothing")
        one.add_argument("--seed", type=int, default=3)
        one.add_argument("--table", default=name, help="name of the table; empty: none is written")
        one.set_defaults(function=function, **defaults)
        return one

    for name, space, openings, columns, layers, count, skip in (
            ("beverloo-plane", False, "9,7,5.5", 24, 18, 160, 50),
            ("beverloo-space", True, "4.8,4,3.4", 9, 9, 200, 50)):
        one = command(name, beverloo, space=space)
        one.add_argument("--openings", type=numbers, default=openings, help="over the mean diameter")
        one.add_argument("--columns", type=int, default=columns)
        one.add_argument("--layers", type=int, default=layers)
        one.add_argument("--friction", type=float, default=0.4)
        one.add_argument("--count", type=int, default=count, help="grains that are counted")
        one.add_argument("--skip", type=int, default=skip, help="grains before these: the flow is not yet stationary")
        one.add_argument("--settle", type=float, default=0.4, help="seconds")
    one = command("janssen", janssen)
    for name, kind, default in (("columns", int, 10), ("layers", int, 40), ("friction", float, 0.4),
                                ("wall", float, 0.5), ("speed", float, 0.05), ("travel", float, 4.0),
                                ("start", float, 1.0), ("settle", float, 0.4)):
        one.add_argument(f"--{name}", type=kind, default=default)
    one = command("repose", repose)
    for name, kind, default in (("columns", int, 20), ("layers", int, 15), ("speed", float, 0.4),
                                ("rest", float, 0.5), ("settle", float, 0.3)):
        one.add_argument(f"--{name}", type=kind, default=default)
    one.add_argument("--cases", type=lambda s: [tuple(numbers(c.replace(":", ","))) for c in s.split(",")],
                     default="0.4:0,0.2:0,0.6:0,0.4:0.05,0.4:0.1", help="friction:rolling over d")
    one = commands.add_parser("figures")
    one.add_argument("--wall", type=float, default=0.5)
    one.set_defaults(function=figures)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
