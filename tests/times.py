#!/usr/bin/env python3
"""times.py FOLDER OUT: gathers what the test programs and pytest wrote into FOLDER, writes the time of every case to OUT
(JSON, seconds by name) and prints how many ran and the ten slowest."""
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
times, failed = {}, []
for path in sorted(folder.glob("*.json")):
    kind = path.name.split(".")[0]
    for suite in json.loads(path.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("result") != "COMPLETED":
                continue
            name = f"{kind}: {suite['name']}.{case['name']}"
            times[name] = float(case["time"].rstrip("s"))
            if case.get("failures"):
                failed.append(name)
for path in sorted(folder.glob("*.xml")):
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"python: {case.get('classname')}.{case.get('name')}"
        times[name] = float(case.get("time"))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
out.write_text(json.dumps(dict(sorted(times.items())), indent=0) + "\n")
print(f"{len(times)} cases, {sum(times.values()):.0f} s in all; the slowest:")
for name, seconds in sorted(times.items(), key=lambda item: -item[1])[:10]:
    print(f"  {seconds:6.1f} s  {name}")
for name in failed:
    print(f"failed: {name}")
