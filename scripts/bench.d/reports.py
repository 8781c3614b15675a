# SPDX-License-Identifier: Apache-2.0
"""Result files of jobs with many ranks: their size, and the time and memory of each report.

Records of a real run of 2 ranks get the members that a run with so many ranks has: a row of each rank and of each node, and
random values of each rank over time, which compress least."""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

FORMATS = ("text", "verdict", "markdown", "csv", "csv-long", "json", "json-long", "influx", "openmetrics", "junit", "tap", "html")
DIALECTS = {"ior": ["-w", "-r", "-e", "-t", "64k", "-b", "256k", "-i"], "mdtest": ["-n", "4", "-i"]}
RANK_ROWS_MAX = 256  # WEIR_RANK_PLACES_MAX of weir/measure/places.h, and the most rows of single ranks of rank_series.h
INTERVALS = 64  # WEIR_RANK_SERIES_COLUMNS
MOST_MIB = 64  # above a report of 2 ranks


def repeated(columns, count):
    """A row for each, as the rows that are there in turn."""
    return {key: [rows[i % len(rows)] for i in range(count)] for key, rows in columns.items()}


def widen(record, ranks, per_node, dice):
    nodes = -(-ranks // per_node)
    names = f"node[0001-{nodes:04}]"
    if "ranks" in record:
        record["ranks"] = ranks
    for group in record.get("environment", []) + record.get("storage", []):
        group.update(count=nodes, hosts=names)
    if record["record"] == "test":
        record.update(nodes=nodes, ranks_per_node=per_node, node_map="".join("1" if i < per_node else "0" for i in range(ranks)))
    if record["record"] == "phase":
        record["nodes"] = nodes
        place = record["placement"] or {}
        if place:
            place["nodes"] = repeated(place["nodes"], nodes) | {"host": [f"node{i + 1:04}" for i in range(nodes)], "ranks": [per_node] * nodes}
            place["ranks"] = repeated(place["ranks"], ranks) | {"node": [i // per_node for i in range(ranks)]} if ranks <= RANK_ROWS_MAX else None
        rows = min(ranks, RANK_ROWS_MAX)
        record["each_rank"] = {"in_bytes": True, "rates": {"rank": [i * ranks // rows for i in range(rows)], "per_s": sorted(dice.uniform(1e8, 1e9) for _ in range(rows))}}
        record["rank_series"] = {"interval_ns": 2**27, "ranks_per_row": -(-ranks // rows), "in_bytes": True, "greatest": 2**30,
                                 "levels": [dice.randbytes(INTERVALS).hex() for _ in range(rows)]}
        record["series"] = {"interval_ns": 2**24, "ops": [dice.randrange(1000) for _ in range(8 * INTERVALS)],
                            "bytes": [dice.randrange(2**30) for _ in range(8 * INTERVALS)]}
    return record


def make(weir, folder, dialect, repetitions, ranks, per_node, environment):
    """Two files of runs with different ids."""
    paths, dice = [], random.Random(7)
    for side in "ab":
        small = folder / f"{dialect}.{side}.2"
        words = [*DIALECTS[dialect], str(repetitions), "-o" if dialect == "ior" else "-d", str(folder / "f")]
        subprocess.run(["mpiexec", "-n", "2", weir, dialect, *words, "--result", small], check=True, stdout=subprocess.DEVNULL, env=environment)
        large = folder / f"{dialect}.{side}"
        records = map(json.loads, small.read_text(encoding="utf-8").splitlines())
        large.write_text("".join(json.dumps(widen(each, ranks, per_node, dice), separators=(",", ":")) + "\n" for each in records), encoding="utf-8")
        paths.append((small, large))
    return paths


def measure(command):
    """(seconds, MiB, bytes printed)"""
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 3):
            sys.exit(f"bench: {' '.join(map(str, command))}: exit code {process.returncode}")
        return time.monotonic() - start, usage.ru_maxrss / 1024, os.fstat(out.fileno()).st_size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=10000)
    parser.add_argument("--ranks-per-node", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3, help="repetitions of the run that is reported")
    options = parser.parse_args()
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    rows = []
    with tempfile.TemporaryDirectory(prefix="weir-reports.") as name:
        folder = pathlib.Path(name)
        for dialect in DIALECTS:
            (small, large), (other_small, other) = make(options.weir, folder, dialect, options.rounds, options.ranks, options.ranks_per_node, environment)
            print(f"{dialect}: {options.ranks} ranks, {options.rounds} repetitions: {large.stat().st_size / 2**20:.2f} MiB ({small.stat().st_size / 2**20:.2f} of 2 ranks)")
            print(f"  {'format':<10} {'seconds':>8} {'of 2':>8} {'MiB':>8} {'of 2':>8} {'printed':>10}")
            for form in (*FORMATS, "compare"):
                def command(path, beside, form=form):
                    return [options.weir, "compare", path, "--", beside, "--allow-unsure"] if form == "compare" else \
                        [options.weir, "report", path, *(["--details"] if form == "text" else ["--format", form])]
                least = measure(command(small, other_small))
                most = min(measure(command(large, other)) for _ in range(3))
                print(f"  {form:<10} {most[0]:8.3f} {least[0]:8.3f} {most[1]:8.1f} {least[1]:8.1f} {most[2]:10}{'  too much' if most[1] - least[1] > MOST_MIB else ''}")
                rows.append({"dialect": dialect, "format": form, "seconds": most[0], "mib": most[1], "mib_of_2": least[1], "bytes": most[2]})
    if options.json:
        options.json.write_text(json.dumps({"ranks": options.ranks, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(row["mib"] - row["mib_of_2"] > MOST_MIB for row in rows))


if __name__ == "__main__":
    main()
