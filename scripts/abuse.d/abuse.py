# SPDX-License-Identifier: Apache-2.0
"""Runs Weir where everything goes wrong: full disks, odd names, files of others, signals, limits, ranks that fail, damaged files.

Every case has a directory of its own and a limit of time. Afterwards the exit code is one that Weir documents, nothing hangs,
no process and no file is left that was not asked for, no byte of a file of others has changed, and what was printed is valid.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import threading
import time

import damage
import devices
import dialects
import outputs
import reports
import signals
import serve
import shapes
import swaps
from bed import Bed, Skip

FAMILIES = (shapes, devices, outputs, signals, swaps, damage, serve, dialects, reports)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_program(name, given):
    """The program itself, or where the builds put it."""
    places = [pathlib.Path(given)] if given else [ROOT / "build" / tree / "src" / name for tree in ("release", "test", "dev")]
    for place in places:
        if os.access(place, os.X_OK):
            return place.resolve()
    if given:
        sys.exit(f"abuse: {given}: no such program")
    return None


def arguments():
    parser = argparse.ArgumentParser(prog="abuse", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the names of the cases and end")
    parser.add_argument("--only", metavar="REGEX", help="only cases whose name matches")
    parser.add_argument("--quick", action="store_true", help="a few minutes: fewer cases, and fewer swaps, bits and mutations")
    parser.add_argument("--weir", metavar="PATH", help="the program (build/release, build/test or build/dev)")
    parser.add_argument("--weir-test", metavar="PATH", help="the program with the fault backend (beside weir)")
    parser.add_argument("--scratch", metavar="DIR", help="where the directory for the files is made ($TMPDIR or /tmp)")
    parser.add_argument("--swaps", metavar="N", type=int, help="swaps of names per backend (200; 24 with --quick)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="cases at a time (1)")
    parser.add_argument("--timeout", metavar="X", type=float, default=1, help="factor on all limits of time, for a slow machine (1)")
    parser.add_argument("--json", metavar="FILE", help="write what happened in each case there")
    parser.add_argument("--keep", action="store_true", help="keep the directory of each case that did not hold")
    return parser.parse_args()


def chosen_cases(options):
    cases = [case for family in FAMILIES for case in family.cases()]
    if options.quick:
        cases = [case for case in cases if case.quick]
    if options.only:
        cases = [case for case in cases if re.search(options.only, case.name)]
    return cases


def run_case(case, bed):
    start = time.monotonic()
    try:
        verdict, why = case.run(bed)
    except Skip as reason:
        verdict, why = "skipped", str(reason)
    except Exception as error:  # pylint: disable=broad-exception-caught
        verdict, why = "WRONG", f"the case itself failed: {error!r}"
    why = re.sub(r"(.)\1{9,}", r"\1\1..", " ".join(why.split()))  # names of 255 bytes
    return {"case": case.name, "verdict": verdict, "seconds": round(time.monotonic() - start, 2), "why": why[:400]}


def print_row(row):
    print(f"{row['case']:<44} {row['verdict']:<8} {row['seconds']:7.2f}  {row['why']}".rstrip(), flush=True)


def run_all(cases, bed, jobs):
    rows = []
    lock = threading.Lock()

    def work(case):
        if bed.stopping.is_set():
            return
        row = run_case(case, bed)
        with lock:
            if not bed.stopping.is_set():
                rows.append(row)
                print_row(row)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, case) for case in cases]
        for future in futures:
            future.result()
    return rows


def main():
    options = arguments()
    cases = chosen_cases(options)
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not cases:
        sys.exit("abuse: no case has such a name")
    weir = find_program("weir", options.weir)
    if not weir:
        sys.exit("abuse: there is no build/release/src/weir: build it first, or say --weir PATH")
    tested = find_program("weir-test", options.weir_test) if options.weir_test or not options.weir else weir.with_name("weir-test")
    if tested and not tested.exists():
        tested = None
    if options.scratch and not os.path.isdir(options.scratch):
        sys.exit(f"abuse: there is no directory {options.scratch} (--scratch)")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="wa.", dir=options.scratch))
    bed = Bed(scratch, weir, tested, quick=options.quick, swaps=options.swaps or (24 if options.quick else 200), timeout=options.timeout,
              keep=options.keep)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: bed.stop())
    print(f"{'case':<44} {'verdict':<8} {'seconds':>7}")
    start = time.monotonic()
    try:
        rows = run_all(cases, bed, options.jobs)
    finally:
        bed.close()
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"weir": str(weir), "cases": rows}, indent=1) + "\n", encoding="utf-8")
    counts = {word: sum(row["verdict"] == word for row in rows) for word in ("ok", "HANG", "LEAK", "DAMAGE", "WRONG", "skipped")}
    print(f"{len(rows)} of {len(cases)} cases, {time.monotonic() - start:.0f} s: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    return 0 if len(rows) == len(cases) == counts["ok"] + counts["skipped"] else 1


if __name__ == "__main__":
    sys.exit(main())
