# SPDX-License-Identifier: Apache-2.0
"""clean_runs.py [--quick] [--busy] [--runs N] [--kinds a,b]: runs that nothing is wrong with, and what Weir says of them.

The rule: no warning, fewer than 0.5 notes per run, no note twice in a run, and the verdict OK, CAUTION, or UNVERIFIED where
`weir doctor` on the same target says beforehand that it will be. No rate of a phase that is believed is above what the
devices were seen to move (the law of physics here). Phases with the same note share a line, which counts once.

--quick  makes one run of each kind, and lets findings pass that others on a shared machine can cause
--busy   makes the same runs next to four busy loops: cpu-pressure is then the only warning
--before counts, and judges nothing: for programs without verdicts"""
import argparse
import collections
import configparser
import os
import re
import subprocess
import sys
import time

import lib

# The load of the machine is one warning, whichever of these detectors saw it first.
PRESSURE = {"cpu-pressure", "oversubscribed"}


def read_kinds(path):
    kinds = configparser.ConfigParser(interpolation=None, comment_prefixes=("#",), delimiters=("=",))
    kinds.read(path, encoding="utf-8")
    return kinds


class Count:
    def __init__(self):
        self.runs = 0
        self.warnings = 0
        self.notes = 0
        self.repeated = 0
        self.names = collections.Counter()
        self.words = collections.Counter()
        self.broken = []


def runs_of(records):
    """The records of each run of a result file."""
    runs = []
    for record in records:
        if record["record"] == "run":
            runs.append([])
        if runs:
            runs[-1].append(record)
    return runs


def doctor_foresees(kind, target_script):
    """Whether `weir doctor` on the target says beforehand that evidence cannot be observed there."""
    shell = lib.Shell(target_script)
    if "cannot be observed" not in shell.output:
        print(f"{kind}: weir doctor does not say what cannot be observed:\n{shell.output}")
        return False
    return True


def count_run(records, kind, allowed, tolerated, count, before):
    count.runs += 1
    shown = collections.Counter()
    # Phases and repetitions with the same sentence share a line of the report, whatever its figures.
    lines = {(finding["name"], re.sub(r"[0-9.]+", "0", finding["text"])): (place, finding) for place, finding in lib.findings_of(records)}
    for place, finding in lines.values():
        if finding["name"] in allowed | tolerated:
            continue
        shown[finding["name"]] += 1
        count.names[f"{finding['level']} {finding['name']}"] += 1
        if finding["level"] == "warning":
            count.warnings += 1
            count.broken.append(f"{kind}: warning {finding['name']} {place}: {finding['text']}")
        else:
            count.notes += 1
    for name, times in shown.items():
        if times > 1:
            count.repeated += 1
            count.broken.append(f"{kind}: {name} is in {times} lines of one report")
    word = lib.worst([lib.word_of(record) for record in records if "believed" in record])
    count.words[word or "-"] += 1
    if not before and word is None:
        count.broken.append(f"{kind}: no verdict")
    count.broken += [f"{kind}: {law}" for law in lib.broken_laws(records)]
    return word


def busy_loops(number):
    """Processes that do nothing but compute, for two minutes at most."""
    return [subprocess.Popen([sys.executable, "-c", "import signal\nsignal.alarm(120)\nwhile True: pass"]) for _ in range(number)]


def run_kind(name, section, options, count):
    allowed = set(section.get("allow", "").replace(",", " ").split())
    tolerated = lib.OF_THE_MACHINE if options.quick else PRESSURE if options.busy else set()
    script = section.get("quick", section["run"]) if options.quick else section["run"]
    busy = busy_loops(4) if options.busy else []
    try:
        shell = lib.Shell(script, 300)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    if shell.unmet:
        print(f"{name}: not made here: {shell.unmet}")
        return
    if shell.code != 0:
        print(shell.output)
        sys.exit(f"{name}: exit code {shell.code}")
    for records in runs_of(shell.records):
        word = count_run(records, name, allowed, tolerated, count, options.before)
        if word == "UNVERIFIED" and not section.get("target"):
            count.broken.append(f"{name}: UNVERIFIED")
        elif word == "UNVERIFIED":
            setup = "\n".join(line for line in script.splitlines() if not line.startswith(("weir ", "prepare ")))
            if not doctor_foresees(name, f"{setup}\n$WEIR doctor {section['target']}"):
                count.broken.append(f"{name}: UNVERIFIED, and weir doctor did not say so")
        elif word in ("DO NOT USE", "WRONG DATA", "PARTIAL") and not options.before:
            count.broken.append(f"{name}: {word}: {[(place, f['name']) for place, f in lib.findings_of(records)]}")
        if options.busy and not any(f["name"] in PRESSURE for _, f in lib.findings_of(records, False)):
            count.broken.append(f"{name}: four busy loops, and no cpu-pressure")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one run of each kind, on a machine that others use")
    parser.add_argument("--busy", action="store_true", help="beside four busy loops")
    parser.add_argument("--before", action="store_true", help="count only")
    parser.add_argument("--runs", type=int, default=100, help="runs in all, 100")
    parser.add_argument("--seconds", type=int, default=3600, help="no run begins after this time")
    parser.add_argument("--kinds", default="", help="names of kinds, with commas between them")
    options = parser.parse_args()
    lib.need_root()
    kinds = read_kinds(lib.HERE / "clean.ini")
    names = [name for name in kinds.sections() if not options.kinds or name in options.kinds.split(",")]
    counts = {name: Count() for name in names}
    end = time.monotonic() + options.seconds
    total = 0
    while True:
        before = total
        for name in names:
            if total and time.monotonic() > end:
                break
            run_kind(name, kinds[name], options, counts[name])
            total = sum(count.runs for count in counts.values())
        if options.quick or total >= options.runs or total == before or time.monotonic() > end:
            break
    print(f"{'kind':14}{'runs':>5}{'warnings':>9}{'notes':>6}{'repeated':>9}  verdicts; findings")
    broken = []
    for name, count in counts.items():
        words = ", ".join(f"{word} {number}" for word, number in count.words.most_common())
        found = ", ".join(f"{finding} {number}" for finding, number in count.names.most_common())
        print(f"{name:14}{count.runs:5}{count.warnings:9}{count.notes:6}{count.repeated:9}  {words}; {found or 'none'}")
        broken += count.broken
    runs, warnings, notes = (sum(getattr(count, key) for count in counts.values()) for key in ("runs", "warnings", "notes"))
    if not runs:
        lib.skip("none of the kinds can be made here")
    print(f"{runs} runs: {warnings} warnings, {notes / runs:.2f} notes per run, load {os.getloadavg()[0]:.1f}")
    # One run of each kind says little of an average; next to busy loops runs are short, too.
    if notes / runs >= 0.5 and not options.quick and not options.busy:
        broken.append(f"{notes / runs:.2f} notes per run")
    for line in dict.fromkeys(broken):
        print(f"  {line}")
    sys.exit(1 if broken and not options.before else 0)


if __name__ == "__main__":
    main()
