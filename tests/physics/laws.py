# SPDX-License-Identifier: Apache-2.0
"""laws.py RESULT KIND OUTPUT [RANK-CSV] [WALL-SECONDS]: what must be true of any run, whatever the storage does.

Of each phase in the result file: no part is longer than the whole, sums agree, times that transfers took fit into the time
there was, and no rate is above the bytes over the time. OUTPUT is IOR's report in its layout KIND (text, csv or json) and says
the same as the result. All phases together are not longer than WALL-SECONDS."""
import csv
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "samples"))
import readers  # noqa: E402

MIB = 1 << 20
VERBS = ("write", "mixed", "read")
broken = []


def law(holds, place, text):
    if not holds:
        broken.append(f"{place}: {text}")


def at_most(low, high, place, what, tolerance=1e-6):
    law(low <= high * (1 + tolerance) + 1e-9, place, f"{what}: {low!r} is more than {high!r}")


def near(a, b, place, what, tolerance=1e-6):
    law(abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-12, place, f"{what}: {a!r} is not {b!r}")


def same(a, b, place, what):
    law(a == b, place, f"{what}: {a} is not {b}")


def size_in_bytes(word):
    return int(word.rstrip("kmg")) << {"k": 10, "m": 20, "g": 30}.get(word[-1], 0)


def load(path):
    """The tests of a file of one run: (test, its phases)."""
    tests = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["record"] == "test":
            tests.append((record, []))
        elif record["record"] == "phase":
            tests[-1][1].append(record)
    return tests


def place_of(test, phase):
    words = test["settings"]
    return (f"test {test['test']} ({' '.join(f'{key}={words[key]}' for key in ('api', 'depth', 'data', 'filePerProc', 'collective', 'checkRead') if key in words)}) "
            f"{'check' if phase['check'] else phase['verb']} {phase['repetition']}")


# ---------------------------------------------------------------- the result file

def percentile(histogram, part):
    rank, seen = part * histogram["total"], 0
    for low, count in histogram["buckets"]:
        seen += count
        if seen >= rank:
            return low
    return histogram["buckets"][-1][0]


def histogram_laws(histogram, place, name):
    total = histogram["total"]
    same(sum(count for _, count in histogram["buckets"]), total, place, f"values in the buckets of {name}")
    if not total:
        return
    mean = histogram["sum_ns"] / total
    at_most(histogram["min_ns"], mean, place, f"least and mean {name}")
    at_most(mean, histogram["max_ns"], place, f"mean and greatest {name}")
    values = [percentile(histogram, part) for part in (0, 0.5, 0.9, 0.99, 0.999, 1)]
    law(values == sorted(values), place, f"percentiles of {name} do not rise: {values}")
    at_most(values[-1], histogram["max_ns"], place, f"last bucket and greatest {name}")
    at_most(histogram["min_ns"], histogram["buckets"][0][0] * 1.02 + 1, place, f"least {name} and the first bucket")


def window_laws(phase, place):
    windows, total = phase["windows"], phase["windows"]["total_s"]
    for name in ("open_s", "transfer_s", "close_s"):
        law(windows[name] >= 0, place, f"{name} is below 0")
        at_most(windows[name], total, place, f"{name} and total_s")
    ranks = phase["rank_s"]
    for low, high in (("min_s", "mean_s"), ("mean_s", "max_s")):
        at_most(ranks[low], ranks[high], place, f"{low} and {high} of ranks")
    at_most(ranks["max_s"], windows["transfer_s"], place, "the longest rank and transfer_s")
    at_most(phase["overlap_s"], ranks["min_s"], place, "overlap_s and the shortest rank")
    for rank in phase["slowest"]:
        at_most(rank["seconds"], ranks["max_s"], place, "a slow rank and the slowest")


def sum_laws(test, phase, place):
    ranks, size = test["ranks"], size_in_bytes(test["settings"]["transferSize"])
    latency = phase["latency"]
    same(phase["bytes"], phase["ops"] * size, place, "bytes and transfers of their size")
    same(latency["total"], phase["ops"], place, "transfers in the histogram")
    same(sum(phase["series"]["bytes"]), phase["bytes"], place, "bytes of the intervals")
    same(sum(phase["series"]["ops"]), phase["ops"], place, "transfers of the intervals")
    if phase["outcome"] == "complete" and not phase["stonewall"]:
        same(phase["bytes"], phase["expected_bytes"], place, "bytes of a complete phase")
    if phase["stonewall"]:
        at_most(phase["stonewall"]["bytes_mean"] * ranks, phase["bytes"], place, "bytes at the deadline and in the end")
        at_most(phase["stonewall"]["bytes_min"], phase["stonewall"]["bytes_mean"], place, "least and mean bytes at the deadline")
    if phase["verb"] == "write" and phase["file_bytes"] and phase["outcome"] == "complete":
        same(phase["file_bytes"], phase["expected_bytes"], place, "size of the files")
    same(sum(phase["verification"]["kinds"].values()), 0, place, "wrong data")
    at_most(phase["verification"]["checked_transfers"], phase["ops"], place, "transfers that were checked")
    # What is in flight is at most the depth, on each rank, while it moves data.
    at_most(latency["sum_ns"] / 1e9, ranks * max(phase["depth"], 1) * phase["windows"]["transfer_s"], place, "time of all transfers and what fits into the window")
    at_most(latency["max_ns"] / 1e9, phase["windows"]["transfer_s"], place, "the longest transfer and transfer_s", 1e-3)


def phase_laws(test, phase):
    place = place_of(test, phase)
    for name in ("latency", "submission", "response", "write_latency", "read_latency"):
        if phase.get(name):
            histogram_laws(phase[name], place, name)
    window_laws(phase, place)
    sum_laws(test, phase, place)
    if phase.get("write_latency") and phase.get("read_latency"):
        same(phase["write_latency"]["total"] + phase["read_latency"]["total"], phase["ops"], place, "writes and reads of a mixed phase")


# ---------------------------------------------------------------- what is printed

def rows_of(kind, text):
    """The rows of all tests, as numbers, and the summary if the layout has one: (access, MiB/s, IOPS, latency, open, move, close, total)."""
    if kind == "json":
        rows = [row for test in json.loads(text)["tests"] for row in test["Results"] if row["access"] in VERBS]
        return [(row["access"], *(float(row[key]) for key in ("bwMiB", "iops", "latency", "openTime", "wrRdTime", "closeTime", "totalTime"))) for row in rows]
    if kind == "csv":
        lines = [line for line in csv.reader(text.splitlines()) if line and line[0] in VERBS]
        return [(line[0], *(float(line[column]) for column in (1, 2, 3, 6, 7, 8, 9))) for line in lines]
    lines = [line.split() for line in text.splitlines() if re.match(r"(write|read|mixed)(\s+[\d.]+){9}\s+\d+\s*$", line)]
    return [(line[0], *(float(line[column]) for column in (1, 2, 3, 6, 7, 8, 9))) for line in lines]


def row_laws(kind, text, tests):
    shown = [(test, phase) for test, phases in tests for phase in phases if phase["verb"] in VERBS and not phase["check"] and not phase["prefill"]]
    rows = rows_of(kind, text)
    law(len(rows) == len(shown), "report", f"{len(rows)} rows for {len(shown)} phases")
    grain = {"json": 0, "csv": 6e-5, "text": 6e-7}[kind]  # what rounding of seconds may take
    for row, (test, phase) in zip(rows, shown):
        place = f"row of {place_of(test, phase)}"
        total = phase["windows"]["total_s"]
        _, rate, iops, latency, *times, whole = row
        at_most(rate * MIB * (total - grain), phase["bytes"], place, "bytes by its rate and bytes", 2e-3 if kind != "json" else 1e-6)
        for name, seconds in zip(("open", "wr/rd", "close"), times):
            at_most(seconds, whole + 2 * grain, place, f"{name} and total")
        law(abs(whole - total) <= grain + 1e-6 * total, place, f"total {whole} and {total} of the result")
        at_most(iops * (phase["windows"]["transfer_s"] - grain), phase["ops"], place, "transfers by its IOPS and transfers", 0.02)
        if kind == "json" and phase["ops"]:
            at_most(phase["latency"]["min_ns"] / 1e9, latency * max(phase["depth"], 1), place, "the shortest transfer and latency times depth", 1e-3)
            at_most(latency * phase["ops"] / phase["ranks"], max(phase["depth"], 1) * phase["windows"]["transfer_s"], place, "latency of all transfers and their window")
    if kind == "text":
        summary_laws(text, tests)


def summary_laws(text, tests):
    """The rows under "Summary of all tests" follow from the rows above."""
    report = re.split(r"Summary of all tests:\n", text)
    law(len(report) == 2, "report", "there is no summary")
    lines = [line.split() for line in report[-1].splitlines() if re.match(r"(write|mixed|read)\s", line)]
    wanted = [(test, verb, [p for p in phases if p["verb"] == verb and not p["check"] and not p["prefill"]]) for test, phases in tests for verb in ("write", "read", "mixed")]
    wanted = [item for item in wanted if item[2]]
    law(len(lines) == len(wanted), "summary", f"{len(lines)} lines for {len(wanted)}")
    for line, (test, verb, phases) in zip(lines, wanted):
        place = f"summary of test {test['test']} {verb}"
        rates = [phase["bytes"] / phase["windows"]["total_s"] / MIB for phase in phases]
        for column, value in ((1, max(rates)), (2, min(rates)), (3, sum(rates) / len(rates))):
            law(abs(float(line[column]) - value) <= 0.006 + 1e-4 * value, place, f"column {column}: {line[column]} is not {value:.2f}")
        mean = sum(phase["windows"]["total_s"] for phase in phases) / len(phases)
        # Five decimals are printed, which is much of the time of a fast phase.
        law(abs(float(line[9]) - mean) <= 5.1e-6 + 0.01 * mean, place, f"Mean(s): {line[9]} is not {mean:g}")


def rank_laws(path, tests):
    """The file of ranks: bytes add up, and no rank was busy for longer than the phase."""
    rows = list(csv.DictReader(pathlib.Path(path).read_text(encoding="utf-8").splitlines()))
    shown = [(test, phase) for test, phases in tests for phase in phases if phase["verb"] in VERBS and not phase["check"] and not phase["prefill"]]
    for test, phase in shown:
        place = f"ranks of {place_of(test, phase)}"
        mine, rows = rows[:phase["ranks"]], rows[phase["ranks"]:]
        law([int(row["rank"]) for row in mine] == list(range(phase["ranks"])) and {row["access"] for row in mine} == {phase["verb"]}, place, "rows of other ranks or phases")
        near(sum(round(float(row["throughput"]) * float(row["runtime"])) for row in mine), phase["bytes"], place, "bytes of ranks", 1e-4)
        for row in mine:
            at_most(float(row["runtime"]), float(row["runtime-with-openclose"]), place, "transfers and open to close of a rank")
            at_most(float(row["runtime-with-openclose"]), phase["windows"]["total_s"], place, "a rank and total_s")
            at_most(float(row["runtime"]), phase["rank_s"]["max_s"], place, "a rank and the longest rank")
    law(not rows, "ranks", f"{len(rows)} rows too many")


def main():
    result, kind, output, *more = sys.argv[1:]
    tests = load(result)
    for test, phases in tests:
        for phase in phases:
            if phase["verb"] != "remove":
                phase_laws(test, phase)
    row_laws(kind, pathlib.Path(output).read_text(encoding="utf-8"), tests)
    if more:
        rank_laws(more[0], tests)
    phases = [phase for _, all_phases in tests for phase in all_phases]
    if more[1:]:
        at_most(sum(phase["windows"]["total_s"] for phase in phases), float(more[1]), "run", "all phases and the wall clock")
    law(len(phases) > 10, "run", f"only {len(phases)} phases")
    print("\n".join(broken[:40]))
    print(f"{len(phases)} phases, {len(broken)} laws broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
