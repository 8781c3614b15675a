# SPDX-License-Identifier: Apache-2.0
"""Memory to memory: `weir net` in turn with perftest over soft-RoCE in a virtual machine, and with iperf3 between two virtual
hosts, pair by pair. What a read takes is measured once more in a virtual machine whose clock counts instructions, and sees
nothing of what else there is on this machine."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from pairs import KIB, MIB, Failure, be_interruptible, main_guard, ratio, take_turns, verdict, words
from places import Missing

GOALS = {"bandwidth": 0.97, "latency": 1.05, "tcp": 0.97}
# Test, operation, message size, messages: a second or two of each in the virtual machine.
VERBS_ROWS = [("bw", verb, size, count) for verb in ("write", "read", "send")
              for size, count in ((4 * KIB, 20000), (64 * KIB, 2000), (MIB, 160))]
VERBS_ROWS += [("lat", verb, 8, 8000) for verb in ("write", "read")]
# One processor: there is nobody there with whom a ping of writes could be exchanged without the scheduler.
COUNTED_ROWS = [("lat", "read", 8, 1000)]
# Processes on each host, and streams of each.
TCP_ROWS = [(1, 1), (4, 1), (1, 4)]
PLACES = ("verbs", "counted", "tcp")
# Those in a virtual machine, and what is particular about it.
MACHINES = {"verbs": [], "counted": ["--counted"]}
DEVICE, ADDRESS, GID = "rxe0", "10.77.0.1", 1
VM_S = 1800


def parse():
    parser = argparse.ArgumentParser(prog="bench net")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of a run over tcp")
    parser.add_argument("--only", type=words(PLACES), default=list(PLACES))
    parser.add_argument("--inside", choices=PLACES)
    return parser.parse_args()


# ---- inside of one place ----

def compare(contestants, rounds, *case):
    """What a row of the table is made of. One that fails is told; the others are worth their time."""
    try:
        found = {"rounds": take_turns({one.name: (lambda c=one: c.measure(*case)) for one in contestants}, rounds)}
    except (Failure, ValueError, subprocess.TimeoutExpired) as failure:
        found = {"failure": str(failure)}
    print("x" if "failure" in found else ".", end="", file=sys.stderr, flush=True)
    return found


def measure_over(arguments, table, remark=""):
    from net_contestants import Perftest, WeirVerbs
    contestants = [WeirVerbs(arguments.weir, DEVICE), Perftest(DEVICE, ADDRESS, GID)]
    return [{"name": f"{'verbs' if test == 'bw' else 'latency'} {verb} {size if size < KIB else f'{size // KIB}k'}{remark}",
             "kind": "bandwidth" if test == "bw" else "latency",
             **compare(contestants, arguments.rounds, test, verb, size, count)}
            for test, verb, size, count in table]


def measure_verbs(arguments):
    return measure_over(arguments, VERBS_ROWS)


def measure_counted(arguments):
    return measure_over(arguments, COUNTED_ROWS, ", counted")


def measure_tcp(arguments):
    from net_contestants import Iperf, WeirTcp
    contestants = [WeirTcp(arguments.weir), Iperf("10.77.0.2")]
    return [{"name": f"tcp {processes} pair{'s' if processes > 1 else ''} of {streams} "
                     f"stream{'s' if streams > 1 else ''}",
             "kind": "tcp", **compare(contestants, arguments.rounds, processes, streams, arguments.seconds)}
            for processes, streams in TCP_ROWS]


def run_inside(arguments):
    rows = {"verbs": measure_verbs, "counted": measure_counted, "tcp": measure_tcp}[arguments.inside](arguments)
    print(file=sys.stderr)
    arguments.json.write_text(json.dumps(rows), encoding="utf-8")


# ---- both places ----

def bed_words(arguments, place, folder):
    beds = arguments.root / "scripts" / "testbed"
    if place in MACHINES:
        return [beds / "vm-run", "--rdma", "rxe", *MACHINES[place], "--timeout", VM_S, "--rw", folder, "--"]
    return [beds / "testbed-hosts", "--slots", 4, "run", "--"]


def visit(arguments, place, folder):
    """Starts this program again, in the test bed of the place."""
    needed = ("mpiexec", "ib_write_bw", "qemu-system-x86_64") if place in MACHINES else ("mpiexec", "iperf3")
    for program in needed:
        if not shutil.which(program):
            raise Missing(f"no {program} (scripts/deps bench vm)")
    path = folder / f"{place}.json"
    own = [sys.executable, "-B", __file__, "--inside", place, "--json", path,
           *(word for name in ("weir", "root", "rounds", "seconds") for word in (f"--{name}", getattr(arguments, name)))]
    print(f"{place}: ", end="", file=sys.stderr, flush=True)
    # If this process is killed, the other one is told, and clears up.
    command = ["setpriv", "--pdeathsig", "TERM", "--", *bed_words(arguments, place, folder), *own]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL) as child:
        try:
            child.wait()
        except BaseException:
            child.terminate()
            raise
    if child.returncode == 125 and place in MACHINES:
        raise Missing("the virtual machine does not start here, or has no soft-RoCE")
    if child.returncode:
        raise Failure(f"{place}: exit code {child.returncode}")
    return json.loads(path.read_text(encoding="utf-8"))


def fold(row):
    """Medians of the rounds, and ratios pair by pair, of ours to theirs."""
    if "failure" in row:
        return
    key = "median_s" if row["kind"] == "latency" else "bytes_per_s"
    values = {name: [sample[key] for sample in samples] for name, samples in row["rounds"].items()}
    ours = values.pop("weir")
    (row["peer"], theirs), = values.items()
    row["weir"] = statistics.median(ours)
    row["other"] = statistics.median(theirs)
    row["ratio"] = ratio(ours, theirs)
    row["spread"] = [min(a / b for a, b in zip(ours, theirs)), max(a / b for a, b in zip(ours, theirs))]
    row["goal"] = GOALS[row["kind"]]
    row["is_reached"] = row["ratio"] <= row["goal"] if row["kind"] == "latency" else row["ratio"] >= row["goal"]


def figures(row):
    scale, unit = (1e6, "us  ") if row["kind"] == "latency" else (1e-6, "MB/s")
    sign = "<=" if row["kind"] == "latency" else ">="
    return (f"{row['weir'] * scale:10.2f}{row['other'] * scale:10.2f} {unit}{row['ratio']:8.3f}"
            f"  ({row['spread'][0]:.2f} to {row['spread'][1]:.2f})  {sign} {row['goal']} of {row['peer']} "
            f"{verdict(row['is_reached'])}")


def print_head():
    print("medians, and ratios of runs that took turns, pair by pair; latencies: medians of one run")
    print(f"{'':26}{'weir':>10}{'other':>10}{'ratio':>13}", flush=True)


def print_rows(rows):
    """As soon as there are some: a bench that is interrupted has said what it measured."""
    for row in rows:
        print(f"{row['name']:26}{figures(row) if 'ratio' in row else 'failed: ' + row['failure'].strip()}", flush=True)


def run_all(arguments):
    rows, left_out = [], {}
    print_head()
    with tempfile.TemporaryDirectory(prefix="weir-bench.") as name:
        for place in arguments.only:
            latest = []
            try:
                latest = visit(arguments, place, pathlib.Path(name))
            except Missing as missing:
                left_out[place] = str(missing)
                print(f"{place}: left out: {missing}", flush=True)
            for row in latest:
                fold(row)
            print_rows(latest)
            rows += latest
            arguments.json.write_text(json.dumps({"goals": GOALS, "rounds": arguments.rounds,
                                                  "seconds": arguments.seconds, "left_out": left_out,
                                                  "rows": rows}, indent=1) + "\n", encoding="utf-8")
    print(f"all rounds: {arguments.json}")
    return int(any("failure" in row for row in rows))


def main():
    arguments = parse()
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    os.environ.update(OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
    be_interruptible("net")
    if not arguments.inside:
        return run_all(arguments)
    run_inside(arguments)
    return 0


if __name__ == "__main__":
    main_guard("net", main)
