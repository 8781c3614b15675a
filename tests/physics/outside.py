# SPDX-License-Identifier: Apache-2.0
"""outside.py RESULT LOG RANK-CSV: windows, rates and common times against what outside.so has noted of the calls themselves.

Each bound holds however busy the machine is: what weir measures begins before the call and ends after it. Only the time of the
closes is bounded from above, where something may come between a call and its stamp: GRACE_S."""
import collections
import csv
import json
import pathlib
import sys

MIB = 1 << 20
GRACE_S = 0.01
SLACK_S = 2e-6
broken = []
Span = collections.namedtuple("Span", "rank date open_begin open_end first_begin first_end last_begin last_end close_begin close_end")


def law(holds, place, text):
    if not holds:
        broken.append(f"{place}: {text}")


def at_least(seconds, bound_ns, place, what):
    bound = bound_ns / 1e9
    law(seconds * (1 + 1e-4) + SLACK_S >= bound, place, f"{what}: {seconds:.6f} s, and from outside it is {bound:.6f} s at least")


def spans_of(phase, until, spans):
    """Of each rank the file that it had open for longest."""
    longest = {}
    for span in spans:
        if phase["begun_s"] <= span.date / 1e9 < until and span.close_end - span.open_begin > (
                longest[span.rank].close_end - longest[span.rank].open_begin if span.rank in longest else 0):
            longest[span.rank] = span
    return [longest[rank] for rank in sorted(longest)]


def phase_laws(phase, settings, spans, rows):
    words = " ".join(f"{key}={settings[key]}" for key in ("api", "depth", "data", "checkRead", "collective", "intraTestBarriers") if key in settings)
    place = f"{words} {'check' if phase['check'] else phase['verb']} {phase['repetition']}"
    law(len(spans) == phase["ranks"], place, f"files of {len(spans)} ranks were seen")
    if len(spans) != phase["ranks"]:
        return
    windows = phase["windows"]
    whole = max(s.close_begin for s in spans) - min(s.open_end for s in spans)
    at_least(windows["total_s"], whole, place, "total_s")
    at_least(windows["close_s"], max(s.close_end for s in spans) - min(s.close_begin for s in spans), place, "close_s")
    moved = all(s.first_begin for s in spans) and settings["api"] in ("POSIX", "DIRECT", "MPIIO")
    if moved:
        at_least(windows["transfer_s"], max(s.last_begin for s in spans) - min(s.first_end for s in spans), place, "transfer_s")
        together = min(s.last_begin for s in spans) - max(s.first_end for s in spans)
        if together > 1e6:
            at_least(phase["overlap_s"], together, place, "overlap_s")
            law(all(finding["name"] != "no-overlap" for finding in phase["findings"]), place, "no-overlap, and ranks were transferring at once")
        for row, span in zip(rows, spans):
            at_least(float(row["runtime"]), span.last_begin - span.first_end, place, f"runtime of rank {row['rank']}")
    if moved and "intraTestBarriers" in settings:
        # All meet before they close.
        bound = (max(s.close_end for s in spans) - max(s.last_end for s in spans)) / 1e9 + GRACE_S
        law(windows["close_s"] <= bound, place, f"close_s: {windows['close_s']:.6f} s, and between the last transfer and the last close there are {bound:.6f} s")


def main():
    result, log, ranks_csv = map(pathlib.Path, sys.argv[1:])
    spans = [Span(*map(int, line.split())) for line in log.read_text(encoding="utf-8").splitlines()]
    rows = list(csv.DictReader(ranks_csv.read_text(encoding="utf-8").splitlines()))
    records = [json.loads(line) for line in result.read_text(encoding="utf-8").splitlines()]
    settings, phases = {}, 0
    for record, after in zip(records, records[1:]):
        if record["record"] == "test":
            settings = record["settings"]
        if record["record"] == "phase" and record["verb"] in ("write", "read"):
            mine = []
            if not record["check"]:
                mine, rows = rows[:record["ranks"]], rows[record["ranks"]:]
            phases += 1
            phase_laws(record, settings, spans_of(record, after.get("begun_s", float("inf")), spans), mine)
    law(phases > 10, "run", f"only {phases} phases")
    print("\n".join(broken[:40]))
    print(f"{phases} phases, {len(broken)} laws broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
