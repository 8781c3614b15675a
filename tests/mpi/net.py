# SPDX-License-Identifier: Apache-2.0
"""Tells whether an expression is true of the JSON of a net run: net.py FILE EXPRESSION."""
import json
import math
import sys



def last_run(lines):
    """The document that --format json would have printed, out of the records of the last run."""
    run = {}
    for record in map(json.loads, lines):
        kind = record.pop("record")
        if kind == "run":
            run = {"measurements": []}
        if kind == "measurement":
            run["measurements"].append(record)
        else:
            run.update(record)
    return run


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
r = last_run(text.splitlines()) if text.startswith('{"record":') else json.loads(text)
provider = r["network"]["provider"]
sizes = [line["message_bytes"] for line in r["summary"]]
measurements = r["measurements"]
flows = [flow for m in measurements for flow in m["flows"]]
pairs = {(flow["source"], flow["sink"]) for flow in flows}
failures = [flow["failure"] for flow in flows if flow["failure"]]


def bytes_of(flow):
    return flow["bytes"]


def every_pair(count):
    return {(a, b) for a in range(count) for b in range(count) if a != b}


def matrix_is_complete():
    return all((cell is not None and cell > 0) == (a != b)
               for line in r["summary"]
               for a, row in enumerate(line["matrix"])
               for b, cell in enumerate(row))


def sums_fit():
    """What is told of a measurement is the sum of its flows, each of which moved something."""
    return all(all(f["bytes"] > 0 for f in m["flows"]) and
               math.isclose(m["bytes_per_s"] * m["seconds"], sum(f["bytes"] for f in m["flows"]),
                            rel_tol=1e-9)
               for m in measurements)


if failures:
    sys.exit(f"a flow has failed: {failures[0]}")
if not eval(sys.argv[2]):
    sys.exit(f"{sys.argv[2]}: provider {provider}, sizes {sizes}, pairs {pairs}")
