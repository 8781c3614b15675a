# SPDX-License-Identifier: Apache-2.0
"""data.py CSV JSON RANKS BYTES DELAY WALL: the figures of one run as csv-long and as json-long.

Each rank has one operation in flight, of BYTES at most, which takes DELAY seconds at least; BYTES 0: operations on names. WALL is the
time of the whole run. Each bound holds however busy the machine is."""
import collections
import csv
import json
import sys

SLACK = 1 + 1e-6
broken = []


def law(holds, place, text):
    if not holds:
        broken.append(f"{place}: {text}")


def rows_of_csv(path):
    rows = collections.defaultdict(dict)
    with open(path, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = tuple(line[name] for name in ("test", "phase", "repetition", "loops", "name", "part", "target"))
            law(line["figure"] not in rows[key], key, f"{line['figure']} twice")
            rows[key][line["figure"]] = float(line["value"])
    return rows


def rows_of_json(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    rows = {}
    for run in document["runs"]:
        for phase in run["phases"]:
            key = tuple(str(phase[name]) for name in ("test", "phase", "repetition", "loops", "name", "part", "target"))
            figures = phase["figures"]
            rows[key] = {name: each["value"] if isinstance(each, dict) else each for name, each in figures.items()} if isinstance(figures, dict) \
                else {each["name"]: each["value"] for each in figures}
    return rows


def row_laws(place, row, ranks, size, delay):
    most_ops = ranks / delay
    if size > 0:
        for name, bound in (("rate", most_ops * size), ("stonewall_rate", most_ops * size), ("rank_rate_sum", most_ops * size),
                            ("rank_rate_max", size / delay), ("rank_rate_min", size / delay)):
            law(row.get(name, 0) <= bound * SLACK, place, f"{name} {row.get(name)} B/s, and {bound} are possible")
    if size == 0:
        law(row.get("ops", 0) <= most_ops * SLACK, place, f"{row.get('ops')} operations/s, and {most_ops} are possible")
    if "rate" in row and "ops" in row and size > 0:
        for name in ("p50", "p90", "p99", "latency_mean", "latency_max"):
            law(row.get(name, delay) * 1.05 >= delay, place, f"{name} {row.get(name)} s is less than {delay}")  # 5 %: buckets
    if "rate" in row and "bytes" in row and "time" in row:
        law(row["rate"] * row["time"] <= row["bytes"] * SLACK, place, f"rate {row['rate']} over {row['time']} s is more than {row['bytes']} bytes")
    if "open" in row and "time" in row and "rate" in row:
        for name in ("transfer", "overlap", "rank_time_min", "rank_time_max"):
            law(row.get(name, 0) <= row["time"] * SLACK + 1e-6, place, f"{name} {row.get(name)} s in a phase of {row['time']} s")


def main():
    csv_path, json_path, ranks, size, delay, wall = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])
    rows, others = rows_of_csv(csv_path), rows_of_json(json_path)
    law({key for key in others if others[key]} == set(rows), "document", f"phases {sorted(set(others) ^ set(rows))} are in one format only")
    for key, row in rows.items():
        law(all(abs(others.get(key, {}).get(name, -1) - value) <= abs(value) * 1e-12 for name, value in row.items()) and len(others.get(key, {})) == len(row),
            key, "csv-long and json-long differ")
        row_laws(key, row, ranks, size, delay)
    timed = sum(row.get("time", 0) for key, row in rows.items() if key[5] == "")
    law(timed <= wall, "run", f"phases of {timed} s in a run of {wall} s")
    rates = sum("rate" in row or "ops" in row for row in rows.values())
    law(rates > 0, "run", "no rate at all")
    print("\n".join(broken[:40]))
    print(f"{len(rows)} rows, {rates} with a rate, {len(broken)} laws broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
