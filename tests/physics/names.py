# SPDX-License-Identifier: Apache-2.0
"""names.py RESULT RANK-CSV WALL-SECONDS: what must be true of phases on trees, whatever the file system does."""
import csv
import json
import sys

SPELLED = {"mkdir": "creation", "create": "creation", "mknod": "creation", "stat": "stat", "read-file": "read", "rename": "rename", "unlink": "removal", "rmdir": "removal"}
broken = []


def law(holds, place, text):
    if not holds:
        broken.append(f"{place}: {text}")


def phase_laws(phase, rows, is_file):
    place = f"{phase['verb']} {phase['repetition']} of {phase['ranks']} at depth {phase['depth']}"
    total, latency, ranks = phase["windows"]["total_s"], phase["latency"], phase["rank_s"]
    law(latency["total"] == phase["ops"] == sum(count for _, count in latency["buckets"]), place, "operations and those in the histogram differ")
    law(sum(phase["series"]["ops"]) == phase["ops"], place, "operations of the intervals")
    law(phase.get("rank_ops_min", 0) * phase["ranks"] <= phase["ops"] <= phase.get("rank_ops_max", phase["ops"]) * phase["ranks"], place, "operations of ranks and of all")
    law(all(0 <= phase["windows"][name] <= total + 1e-9 for name in ("open_s", "transfer_s", "close_s")), place, "a part is longer than the whole")
    law(ranks["min_s"] <= ranks["mean_s"] * 1.000001 and ranks["mean_s"] <= ranks["max_s"] * 1.000001 and ranks["max_s"] <= phase["windows"]["transfer_s"] + 1e-9, place, "times of ranks")
    law(latency["sum_ns"] <= ranks["mean_s"] * 1e9 * phase["ranks"] * max(phase["depth"], 1) * 1.000001 + phase["ranks"], place, "operations took longer than ranks had")
    if not rows or phase["ops"] < 100:
        return  # those of the tree
    kind = f"{'File' if is_file else 'Directory'} {SPELLED[phase['verb']]}"
    items = sum(float(row[f"rate-{kind}"]) * float(row[f"time-{kind}"]) for row in rows)
    # The way out of a chain of renames is no item.
    wanted = phase["ops"] - phase["ranks"] * (phase["verb"] == "rename")
    law(abs(items - wanted) < 0.01, place, f"items of ranks are {items}, not {wanted}")
    law(all(float(row[f"time-{kind}"]) <= total * 1.000001 for row in rows), place, "a rank took longer than the phase")


def main():
    result, ranks_csv, wall = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with open(result, encoding="utf-8") as file:
        phases = [record for record in map(json.loads, file) if record["record"] == "phase"]
    with open(ranks_csv, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["rank"] != "all"]
    is_file = False
    for phase in phases:
        is_file = phase["verb"] not in ("mkdir", "rmdir") and (is_file or phase["verb"] == "create")
        phase_laws(phase, rows if phase["repetition"] == 0 else [], is_file)
    law(sum(phase["windows"]["total_s"] for phase in phases) <= wall, "run", "all phases are longer than the wall clock")
    law(len(phases) >= 8, "run", f"only {len(phases)} phases")
    print("\n".join(broken[:40]))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
