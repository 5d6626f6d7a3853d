#!/usr/bin/env python3
"""How far the tip of the circuit breaker leaves its plane, against the play of the pins.

    ninja -C build ricochet-cli ricochet-cad ricochet-cad-parts
    python3 cad/studies/breaker_play.py --table play.csv --plot docs/images/breaker-tip.svg

Makes the STEP parts with each play, runs breaker-step with them, on all cores, and takes the out-of-plane place of the
tip: the greatest while the breaker closes, and the one in which it comes to be held. Needs numpy, h5py and matplotlib.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIP = np.array([-4.5e-3, -6e-3, 0.0])  # on the arm: where the torus touches the pad


def run(play, options, folder):
    """play in um; a row of the table."""
    home = pathlib.Path(folder) / f"{play:g}"
    home.mkdir()
    build = ROOT / options.build
    subprocess.run([build / "ricochet-cad-parts", home / "parts", f"{1e-3 * play:.9g}"], check=True)
    shutil.copy(ROOT / "scenarios" / "breaker-step.yaml", home)
    # the pins of the shipped scenario stand up to 7 um off the middle of their bushes
    command = [build / "ricochet", "run", home / "breaker-step.yaml", "--set", "initial.separate=true"]
    command += ["-o", home / "r.h5", "--json", "--until", str(options.until)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return [play, np.nan, np.nan, np.nan, done.stderr.strip().split("\n")[0]]
    with h5py.File(home / "r.h5") as f:
        names = [n.decode() if isinstance(n, bytes) else n for n in f["names/positions"][:]]
        q = dict(zip(names, f["steps/q"][:].T))
        violation = f["certificate"][:, 1].max()
    z = 1e6 * (q["arm.z"] + tilted(*(q[f"arm.q{i}"] for i in "wxyz")))
    (home / "r.h5").unlink()
    return [play, np.abs(z).max(), z[-1], violation, "held" if abs(q["plate.qz"][-1]) < 0.02 else "open"]


def tilted(w, x, y, z):
    """z of the turned tip."""
    return TIP[0] * 2 * (x * z - w * y) + TIP[1] * 2 * (y * z + w * x)


def draw(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    play, most, held = (np.array([row[k] for row in rows], float) for k in (0, 1, 2))
    figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
    axes.plot(play, most, "o-", label="greatest while it closes")
    axes.plot(play, np.abs(held), "s-", label="held")
    axes.set(xlabel="radial play of the pins [µm]", ylabel="tip off its plane [µm]", ylim=(0, None))
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None} if str(path).endswith("svg") else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--until", type=float, default=0.02)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table")
    parser.add_argument("--plot")
    options = parser.parse_args()
    plays = np.linspace(5, 50, options.sets).round(3)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda play: run(play, options, folder), plays))
    lines = ["play_um,greatest_um,held_um,penetration_m,verdict"]
    lines += [f"{p:g},{m:.2f},{h:.2f},{v:.1e},{verdict}" for p, m, h, v, verdict in rows]
    print("\n".join(lines))
    if options.table:
        pathlib.Path(options.table).write_text("\n".join(lines) + "\n")
    if options.plot:
        draw(rows, options.plot)
    return 0 if all(row[4] == "held" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
