#!/usr/bin/env python3
"""Beverloo's law in the plane: disks that run out of scenarios/silo.yaml through openings of several widths D.

    benchmarks/beverloo.py [--program build/ricochet] [--openings 6,6.5,7] [--seeds 5,6] [--until 1] [--layers 16]

W, the disks per second, is the slope of their number by least squares between the first and the last `share` of those
that leave. Printed are W of each opening and the exponent n of the best W = C (D - k d)^n: n with k = 1.4, as is usual
for disks, and n and k both fitted.
"""
import argparse
import csv
import math
import os
import subprocess
import tempfile

RADIUS = 0.01


def leaving_times(options, opening, seed):
    """The times at which disks pass the floor, from the recorded rows; and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        result, table = os.path.join(folder, "silo.h5"), os.path.join(folder, "silo.csv")
        run = subprocess.run([options.program, "run", "silo", "--scheme", options.scheme, "--set", f"system.parameters.d={opening * 2 * RADIUS}",
                              "--set", f"system.parameters.layers={options.layers}",
                              "--set", f"system.scenes.grain.seed={seed}", "--until", str(options.until), "-o", result],
                             capture_output=True, text=True)
        if run.returncode != 0:
            print(f"D = {opening} d, seed {seed}: {run.stderr.strip()}")
        subprocess.run([options.program, "export", result, "--csv", table], check=True, capture_output=True)
        with open(table) as file:
            rows = csv.reader(file)
            head = next(rows)
            time, heights = head.index("t"), [k for k, name in enumerate(head)
                                              if name.startswith("q.grain.") and name.endswith(".z")]
            left = {}
            for row in rows:
                for k in heights:
                    if float(row[k]) < 0 and k not in left:
                        left[k] = float(row[time])
    return sorted(left.values()), len(heights)


def rate(times, first, last):
    """Slope of the number of disks over time, by least squares between the two numbers."""
    points = [(t, n) for n, t in enumerate(times) if first <= n < last]
    mean_t = sum(t for t, _ in points) / len(points)
    mean_n = sum(n for _, n in points) / len(points)
    return sum((t - mean_t) * (n - mean_n) for t, n in points) / sum((t - mean_t) ** 2 for t, _ in points)


def exponent(data, k):
    """n of W = C (D - k)^n by least squares of logarithms, and the rms of what is left."""
    x, y = [math.log(D - k) for D, _ in data], [math.log(W) for _, W in data]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    n = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
    return n, math.sqrt(sum((b - my - n * (a - mx)) ** 2 for a, b in zip(x, y)) / len(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/ricochet")
    parser.add_argument("--scheme", default="decoupled-alpha")
    parser.add_argument("--openings", default="6,6.5,7,7.5,8,8.5", help="over the diameter of a disk")
    parser.add_argument("--layers", type=int, default=16, help="of twelve disks")
    parser.add_argument("--seeds", default="5")
    parser.add_argument("--until", type=float, default=1)
    parser.add_argument("--share", default="0.1,0.4", help="of all disks: the flow is measured between these numbers")
    options = parser.parse_args()
    first, last = (float(s) for s in options.share.split(","))
    data = []
    for opening in (float(s) for s in options.openings.split(",")):
        for seed in options.seeds.split(","):
            times, count = leaving_times(options, opening, seed)
            if len(times) < last * count:
                print(f"D = {opening} d, seed {seed}: only {len(times)} of {count} left")
                continue
            W = rate(times, first * count, last * count)
            data.append((opening, W))
            print(f"D = {opening} d, seed {seed}: {W:.1f} disks a second, {len(times)} of {count} left", flush=True)
    if len({D for D, _ in data}) < 3:
        return  # an exponent needs more
    n, left = exponent(data, 1.4)
    print(f"k = 1.4: exponent {n:.2f}, rms of log W {left:.3f}")
    best = min((exponent(data, 0.05 * i)[1], 0.05 * i) for i in range(61))
    print(f"fitted k = {best[1]:.2f}: exponent {exponent(data, best[1])[0]:.2f}, rms of log W {best[0]:.3f}")


if __name__ == "__main__":
    main()
