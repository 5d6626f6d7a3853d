#!/usr/bin/env python3
"""Changes one operator, constant or comparison in random covered lines of src and looks whether the tests notice.

    mutate.py --seed N [--count 50] [--files REGEX] [--minutes 60]

Works on a copy of the tree in build-mutate/tree, built into build-mutate/build. Lines that no test reaches are not drawn:
build-mutate/coverage is a build that counts them, made anew when the sources have changed. A change that does not compile
is drawn again. One that no test notices is printed and left in build-mutate/survivors.txt. Exit status 1 where less than
85 of 100 are noticed."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "build-mutate"
TREE, BUILD, COVERAGE = HOME / "tree", HOME / "build", HOME / "coverage"
KINDS = ["unit", "contract", "oracle", "determinism", "convergence", "paper", "fuzz", "soak", "regression"]  # cheap first
CHANGES = [  # what is found, what stands there instead
    (r"(?<=[\w)\]] )<(?= [\w(])", ["<=", ">"]), (r"(?<=[\w)\]] )>(?= [\w(])", [">=", "<"]),
    (r"(?<= )<=(?= )", ["<", ">="]), (r"(?<= )>=(?= )", [">", "<="]), (r"(?<= )==(?= )", ["!="]),
    (r"(?<= )!=(?= )", ["=="]), (r"(?<= )\+(?= )", ["-"]), (r"(?<= )-(?= )", ["+"]), (r"(?<= )\*(?= )", ["/"]),
    (r"(?<= )/(?= )", ["*"]), (r"(?<= )\+=(?= )", ["-="]), (r"(?<= )-=(?= )", ["+="]), (r"(?<= )&&(?= )", ["||"]),
    (r"(?<= )\|\|(?= )", ["&&"]), (r"\bstd::min\(", ["std::max("]), (r"\bstd::max\(", ["std::min("]),
    (r"(?<![\w.])0\.5(?![\w.])", ["0.25", "1.0"]), (r"(?<![\w.\[])2(?![\w.\]])", ["3", "1"]), (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]), (r"(?<=return )-(?=\w)", [""]),
]


def say(text):
    print(text, flush=True)


def run(words, limit=None, **options):
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=limit, **options)
    except subprocess.TimeoutExpired:
        return None


def configure(build, *options):
    done = run(["cmake", "-S", TREE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DRICOCHET_CAD=OFF",
                "-DRICOCHET_PYTHON=OFF", *options])
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def make(build, limit=None):
    return run(["ninja", "-C", build, "ricochet-cli", *(f"test_{kind}" for kind in KINDS)], limit)


def tests(build, limit):
    """None if all pass, else who noticed."""
    for kind in KINDS:
        done = run([build / "tests" / f"test_{kind}", "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=-Long*:*.Long*"],
                   limit, cwd=TREE)
        if done is None:
            return f"{kind}: took longer than {limit} s"
        if done.returncode:
            named = re.search(r"\[  FAILED  \] (\S+?),? ", done.stdout)
            return f"{kind}: {named[1] if named else 'ended with ' + str(done.returncode)}"
    return None


def covered():
    """Lines of src that the default tier reaches, by file."""
    known = HOME / "covered.json"
    state = run(["git", "rev-parse", "HEAD:src"], cwd=TREE).stdout.strip()
    if known.exists() and (data := json.loads(known.read_text()))["state"] == state:
        return data["lines"]
    say("== building what counts the lines that tests reach")
    configure(COVERAGE, "-DCMAKE_CXX_FLAGS=--coverage -O1", "-DRICOCHET_TOGETHER=OFF")
    if (done := make(COVERAGE)).returncode:
        sys.exit(done.stdout[-3000:])
    say("== counting")
    tests(COVERAGE, 1800)
    lines = {}
    for notes in COVERAGE.glob("src/**/*.gcda"):
        done = subprocess.run(["gcov", "--json-format", "--stdout", notes], capture_output=True, cwd=COVERAGE)
        for part in done.stdout.splitlines():
            for file in json.loads(part)["files"]:
                name = os.path.relpath(os.path.join(COVERAGE, file["file"]), TREE)
                if name.startswith("src/"):
                    lines.setdefault(name, set()).update(x["line_number"] for x in file["lines"] if x["count"])
    lines = {name: sorted(numbers) for name, numbers in sorted(lines.items())}
    known.write_text(json.dumps({"state": state, "lines": lines}))
    return lines


def draw(lines, chance):
    """A file, a line of it, and the line changed."""
    places = [(name, number) for name, numbers in lines.items() for number in numbers]
    while True:
        name, number = chance.choice(places)
        text = (TREE / name).read_text().split("\n")
        line = text[number - 1]
        code = re.sub(r'"(\\.|[^"\\])*"', lambda m: " " * len(m[0]), line.split("//")[0])
        found = [(m, to) for what, to in CHANGES for m in re.finditer(what, code)]
        if not found or line.lstrip().startswith(("#", "template", "assert")):
            continue
        place, to = chance.choice(found)
        return name, number, line, line[: place.start()] + chance.choice(to) + line[place.end():]


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seed", type=int, required=True)
    ask.add_argument("--count", type=int, default=50)
    ask.add_argument("--files", default=".*", help="only files of src whose name matches")
    ask.add_argument("--minutes", type=float, default=60, help="no further change is tried after this")
    a = ask.parse_args()
    HOME.mkdir(exist_ok=True)
    if not TREE.exists():
        run(["git", "clone", "-q", ROOT, TREE])
    run(["git", "fetch", "-q", "origin"], cwd=TREE)
    run(["git", "checkout", "-q", "-f", run(["git", "rev-parse", "HEAD"], cwd=ROOT).stdout.strip()], cwd=TREE)
    lines = {name: numbers for name, numbers in covered().items() if re.search(a.files, name) and name.endswith(".cpp")}
    say("== building")
    configure(BUILD)
    if (done := make(BUILD)).returncode:
        sys.exit(done.stdout[-3000:])
    if failed := tests(BUILD, 1800):
        sys.exit(f"the tests fail without any change: {failed}")
    chance, began, noticed, survivors = random.Random(a.seed), time.monotonic(), 0, []
    while noticed + len(survivors) < a.count and time.monotonic() - began < 60 * a.minutes:
        name, number, line, changed = draw(lines, chance)
        path = TREE / name
        whole = path.read_text()
        text = whole.split("\n")
        text[number - 1] = changed
        path.write_text("\n".join(text))
        done = make(BUILD, 900)
        if done is not None and done.returncode == 0:
            who = tests(BUILD, 300)
            say(f"{name}:{number}\n  - {line.strip()}\n  + {changed.strip()}\n  {who or 'NOT NOTICED'}")
            if who:
                noticed += 1
            else:
                survivors.append(f"{name}:{number}\n- {line}\n+ {changed}\n")
        path.write_text(whole)
    (HOME / "survivors.txt").write_text("\n".join(survivors))
    tried = noticed + len(survivors)
    say(f"{noticed} of {tried} changes noticed; the others: {HOME / 'survivors.txt'}")
    sys.exit(0 if tried and noticed >= 0.85 * tried else 1)


if __name__ == "__main__":
    main()
