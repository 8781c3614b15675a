# SPDX-License-Identifier: Apache-2.0
"""Queue depth: Weir in turn with fio and with bare loops, with the same engine, depth, block size and file, pair by pair."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import engine_report
import places
from contestants import Arena, Bare, Fio, Weir
from pairs import MIB, Failure, be_interruptible, main_guard, numbers, ratio, take_turns, words

DEPTHS = (1, 8, 32, 128)


def parse():
    parser = argparse.ArgumentParser(prog="bench engines")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", type=words(places.PLACES), default=list(places.PLACES))
    parser.add_argument("--engines", type=words(("uring", "libaio")), default=["uring", "libaio"])
    parser.add_argument("--verbs", type=words(("read", "write")), default=["read", "write"])
    parser.add_argument("--depths", type=numbers, default=list(DEPTHS))
    parser.add_argument("--size", type=int, default=512, help="of the file, MiB")
    parser.add_argument("--image-dir", default="/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir())
    parser.add_argument("--inside", choices=places.PLACES)
    parser.add_argument("--without", type=words(("weir", "fio", "fio tuned", "bare")), default=[])
    return parser.parse_args()


# ---- inside of one place ----

def compare(arguments, arena, engine, verb):
    """All depths in turn in each round, and in each of them all contestants."""
    all_of_them = {"weir": Weir(arguments.weir, arena), "fio": Fio(arena, False), "fio tuned": Fio(arena, True),
                   "bare": Bare(arguments.bare, arena)}
    contestants = {}
    for depth in arguments.depths:
        for name, contestant in all_of_them.items():
            if name not in arguments.without:
                contestants[depth, name] = (lambda c=contestant, d=depth:
                                            c.measure(engine, verb, d, arguments.seconds))
    samples = take_turns_by_depth(contestants, arguments)
    rows = []
    for depth in arguments.depths:
        row = {"place": arena.place, "is_direct": arena.is_direct, "engine": engine, "verb": verb, "depth": depth,
               "rounds": {name: rounds for (d, name), rounds in samples.items() if d == depth}}
        rows.append(row)
    return rows


def take_turns_by_depth(contestants, arguments):
    """Those of one depth follow one another, so that pairs are close in time."""
    samples = {key: [] for key in contestants}
    for i in range(arguments.rounds):
        for depth in arguments.depths:
            group = {key: function for key, function in contestants.items() if key[0] == depth}
            turned = list(group)[i % len(group):] + list(group)[:i % len(group)]
            once = take_turns({key: group[key] for key in turned}, 1, warm=False)
            for key, values in once.items():
                samples[key] += values
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return samples


def compare_latencies(arguments, arena, engine, rows):
    """Half of what all can do, asked of Weir and of fio alike: what both say of the latencies (service times)."""
    row = next((r for r in rows if r["depth"] == 32 and r["verb"] == "read"), None)
    if not row or {"weir", "fio"} & set(arguments.without):
        return []
    rate = round(min(s["iops"] for name in ("weir", "fio") for s in row["rounds"][name]) / 2)
    weir, fio = Weir(arguments.weir, arena), Fio(arena, False)
    samples = take_turns({
        "weir": lambda: weir.measure(engine, "read", 32, arguments.seconds, "--rate", rate),
        "fio": lambda: fio.measure(engine, "read", 32, arguments.seconds, f"--rate_iops={rate}")}, arguments.rounds)
    print(".", file=sys.stderr)
    return [{"place": arena.place, "engine": engine, "rate": rate, "rounds": samples}]


def measure_in(arguments, place, path, folder):
    """All engines and verbs on one file or device, which is written first; reads come first."""
    is_device = place == "device"
    is_direct = is_device or places.knows_direct(pathlib.Path(path).parent)
    arena = Arena(place, path, arguments.size * MIB, is_direct, is_device, folder)
    Weir(arguments.weir, arena).fill()
    found = {"rows": [], "rates": []}
    for verb in arguments.verbs:
        for engine in arguments.engines:
            print(f"{place}: {engine}, {verb} ", end="", file=sys.stderr, flush=True)
            rows = compare(arguments, arena, engine, verb)
            found["rows"] += rows
            found["rates"] += compare_latencies(arguments, arena, engine, rows)
    return found


def run_inside(arguments):
    """One place, as the only one that this process knows; what it finds goes to the file of --json."""
    with tempfile.TemporaryDirectory(prefix="weir-bench.") as name:
        folder = pathlib.Path(name)
        if arguments.inside == "device":
            with places.device(arguments.size * MIB) as path:
                found = measure_in(arguments, "device", path, folder)
        else:
            path = pathlib.Path(os.environ["TESTBED_MNT"]) / "weir-bench"
            found = measure_in(arguments, arguments.inside, path, folder)
    arguments.json.write_text(json.dumps(found), encoding="utf-8")


# ---- all places ----

def visit(arguments, place, folder):
    """Starts this program again, in the test bed of the place."""
    span = arguments.size * MIB
    places.check_bed(arguments.root, place, span, arguments.image_dir)
    path = folder / f"{place}.json"
    own = [sys.executable, "-B", __file__, "--inside", place, "--json", path,
           *(word for name in ("weir", "bare", "root", "rounds", "seconds", "size", "image_dir")
             for word in (f"--{name.replace('_', '-')}", getattr(arguments, name))),
           *(word for name in ("engines", "verbs", "depths", "without")
             if getattr(arguments, name)
             for word in (f"--{name}", ",".join(map(str, getattr(arguments, name)))))]
    # If this process is killed, the other one is told, and clears up.
    command = ["setpriv", "--pdeathsig", "TERM", "--", *places.bed_words(arguments.root, place, span, arguments.image_dir),
               *own]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL) as child:
        try:
            child.wait()
        except BaseException:
            child.terminate()
            raise
    if child.returncode == places.MISSING:
        raise places.Missing(f"{place} cannot be had here")
    if child.returncode:
        raise Failure(f"{place}: exit code {child.returncode}")
    return json.loads(path.read_text(encoding="utf-8"))


def fold(row):
    """Medians of the rounds, and ratios pair by pair."""
    rounds = row["rounds"]
    row["median"] = {name: {key: statistics.median(values) for key in one[0]
                            if None not in (values := [sample[key] for sample in one])}
                     for name, one in rounds.items()}
    row["ratio"] = {}
    for key in ("iops", "cpu_ns"):
        ours = [sample[key] for sample in rounds.get("weir", [])]
        row["ratio"][key] = {name: ratio(ours, [sample[key] for sample in one]) for name, one in rounds.items()
                             if name != "weir" and ours and None not in ours}


def depth_gain(rows, arguments):
    """Depth 32 against depth 1, pair by pair, of Weir alone."""
    gains = []
    for row in rows:
        if row["depth"] != 32 or "weir" not in row["rounds"]:
            continue
        one = next((r for r in rows if r["depth"] == 1 and all(r[k] == row[k] for k in ("place", "engine", "verb"))), None)
        if one:
            gains.append({**{k: row[k] for k in ("place", "engine", "verb")},
                          "gain": ratio([s["iops"] for s in row["rounds"]["weir"]],
                                        [s["iops"] for s in one["rounds"]["weir"]])})
    return gains


def run_all(arguments):
    rows, rates, left_out = [], [], {}
    with tempfile.TemporaryDirectory(prefix="weir-bench.") as name:
        for place in arguments.only:
            try:
                found = visit(arguments, place, pathlib.Path(name))
                rows += found["rows"]
                rates += found["rates"]
            except places.Missing as missing:
                left_out[place] = str(missing)
    for row in rows + rates:
        fold(row)
    results = {"goals": engine_report.GOALS, "rounds": arguments.rounds, "seconds": arguments.seconds,
               "file_bytes": arguments.size * MIB, "left_out": left_out, "depth_gain": depth_gain(rows, arguments),
               "same_rate": rates, "rows": rows}
    arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    engine_report.print_tables(results)
    picture = arguments.json.with_suffix(".svg")
    if rows and engine_report.plot(rows, picture):
        print(f"plot: {picture}")
    print(f"all rounds: {arguments.json}")


def main():
    arguments = parse()
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    be_interruptible("engines")
    if not arguments.inside:
        run_all(arguments)
        return 0
    try:
        run_inside(arguments)
    except places.Missing as missing:
        print(f"engines: {missing}", file=sys.stderr)
        return places.MISSING
    return 0


main_guard("engines", main)
