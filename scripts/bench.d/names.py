# SPDX-License-Identifier: Apache-2.0
"""Names: Weir's create, stat and unlink in turn with a bare loop of the same system calls on the same paths, and with io_uring
at several depths, with what the kernel's workers do meanwhile."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from pairs import Failure, be_interruptible, main_guard, numbers, ratio, run, take_turns, verdict, words

VERBS = ("create", "stat", "unlink")
GOAL = 0.97
WHERE = ("tmpfs", "ext4", "xfs")
TREE = "test-dir.0-0/mdtest_tree.0"


def parse():
    parser = argparse.ArgumentParser(prog="bench names")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--items", type=int, default=20000)
    parser.add_argument("--depths", type=numbers, default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--only", type=words(WHERE), default=list(WHERE))
    parser.add_argument("--image-dir", default="/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir())
    parser.add_argument("--inside", choices=WHERE)
    return parser.parse_args()


# ---- inside of one place ----

class Workers(threading.Thread):
    """Watches a process while it runs: how many of the kernel's workers it has at once, and their processor time."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.tasks = pathlib.Path(f"/proc/{pid}/task")
        self.most = 0
        self.ticks = {}

    def run(self):
        while True:
            try:
                texts = [(task / "stat").read_text(encoding="ascii") for task in self.tasks.iterdir()]
            except FileNotFoundError:  # a thread, or the process, has just ended
                if not self.tasks.exists():
                    return
                continue
            except ProcessLookupError:
                continue
            count = 0
            for text in texts:
                if "(iou-wrk" in text:
                    fields = text[text.rindex(")"):].split()
                    self.ticks[text.split()[0]] = int(fields[12]) + int(fields[13])
                    count += 1
            self.most = max(self.most, count)
            time.sleep(0.005)

    def seconds(self):
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


class Arena:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.result = folder.parent / f"{folder.name}.jsonl"

    def weir(self, *options):
        """Nanoseconds per operation of each verb: those of the clock and of the processor; and what workers there were."""
        self.result.unlink(missing_ok=True)
        command = [self.arguments.weir, "mdtest", "-d", self.folder / "weir", "-n", self.arguments.items, "-F",
                   "-C", "-T", "-r", "--result", self.result, *options]
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            workers = Workers(child.pid)
            workers.start()
            said = child.stderr.read()
            if child.wait():
                raise Failure(f"{' '.join(map(str, command))}: {said}")
        workers.join()
        records = map(json.loads, self.result.read_text(encoding="utf-8").splitlines())
        found = {r["verb"]: (r["windows"]["transfer_s"] * 1e9 / r["ops"], sum(r["cpu"][k] for k in ("user_s", "system_s")))
                 for r in records if r.get("record") == "phase" and r["verb"] in VERBS}
        return found | {"workers": workers.most, "worker_s": workers.seconds()}

    def bare(self):
        tree = self.folder / "bare" / TREE
        tree.mkdir(parents=True)
        paths = self.folder.parent / f"{self.folder.name}.list"
        paths.write_text("".join(f"{tree}/file.mdtest.0.{i}\n" for i in range(self.arguments.items)), encoding="ascii")
        found = {}
        for line in run([self.arguments.bare, paths]).splitlines():
            verb, count, nanoseconds, used = line.split()
            found[verb] = (int(nanoseconds) / int(count), int(used) / 1e9)
        for directory in (tree, tree.parent, tree.parent.parent):
            directory.rmdir()
        return found


def compare(arena, rounds):
    samples = take_turns({"weir": lambda: arena.weir("-a", "posix"), "bare": arena.bare}, rounds)
    rows = {}
    for verb in VERBS:
        ours, theirs = ([s[verb] for s in samples[name]] for name in ("weir", "bare"))
        rows[verb] = {"ns": statistics.median(s[0] for s in ours), "bare_ns": statistics.median(s[0] for s in theirs),
                      "ratio": ratio([s[0] for s in theirs], [s[0] for s in ours]),
                      "processor_ratio": ratio([s[1] for s in theirs], [s[1] for s in ours])}
    return rows | {"rounds": samples}


def curve(arena, depths, rounds):
    shapes = {"one directory": [], "shuffled over 585 directories": ["-z", "3", "-b", "8", "--shuffle"]}
    rows = []
    for shape, options in shapes.items():
        contestants = {depth: lambda d=depth: arena.weir("-a", "uring", "--depth", d, *options) for depth in depths}
        for depth, samples in take_turns(contestants, rounds).items():
            rows.append({"shape": shape, "depth": depth, "workers": max(s["workers"] for s in samples),
                         "worker_s": statistics.median(s["worker_s"] for s in samples),
                         "ns": {verb: statistics.median(s[verb][0] for s in samples) for verb in VERBS},
                         "processor_ns": {verb: statistics.median(s[verb][1] for s in samples) * 1e9
                                                / arena.arguments.items for verb in VERBS}})
    return rows


def run_inside(arguments):
    folder = pathlib.Path(os.environ["TESTBED_MNT"]) / "names"
    folder.mkdir()
    with tempfile.TemporaryDirectory(prefix="weir-names.") as beside:
        arena = Arena(arguments, folder)
        arena.result = pathlib.Path(beside) / "names.jsonl"
        found = {"load": os.getloadavg()[0], "pairs": compare(arena, arguments.rounds)}
        if arguments.inside != "ext4":
            found["curve"] = curve(arena, arguments.depths, min(arguments.rounds, 3))
    arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


# ---- all of them ----

def measure(arguments, place):
    with tempfile.TemporaryDirectory(prefix="weir-names.") as folder:
        found = pathlib.Path(folder) / "found.json"
        bed = [arguments.root / "scripts/testbed/testbed-loopfs", "--type", place, "--size", "1G"]
        if place != "tmpfs":
            bed += ["--image-dir", arguments.image_dir]
        command = [*bed, "run", "--", sys.executable, "-B", __file__, "--inside", place, "--json", found,
                   "--weir", arguments.weir, "--bare", arguments.bare, "--root", arguments.root,
                   "--rounds", arguments.rounds, "--items", arguments.items,
                   "--depths", ",".join(map(str, arguments.depths))]
        if subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failure(f"{place}: it could not be measured")
        return json.loads(found.read_text(encoding="utf-8"))


def print_place(place, found):
    print(f"{place}, load {found['load']:.1f}")
    for verb in VERBS:
        row = found["pairs"][verb]
        print(f"  {verb:8}{row['ns']:10.0f} ns, bare loop {row['bare_ns']:8.0f} ns, ratio {row['ratio']:.3f} "
              f"(processor {row['processor_ratio']:.3f})  >= {GOAL} {verdict(row['ratio'] >= GOAL)}")
    for row in found.get("curve", ()):
        print(f"  uring, {row['shape']}, depth {row['depth']:3}: " +
              ", ".join(f"{verb} {row['ns'][verb]:.0f} ns (processor {row['processor_ns'][verb]:.0f})"
                        for verb in VERBS) +
              f"; {row['workers']} workers, {row['worker_s']:.2f} s")


def main():
    arguments = parse()
    be_interruptible("names")
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if arguments.inside:
        run_inside(arguments)
        return
    results = {}
    for place in arguments.only:
        results[place] = measure(arguments, place)
        print_place(place, results[place])
    arguments.json.write_text(json.dumps({"goal": GOAL, "results": results}, indent=1) + "\n", encoding="utf-8")
    print(f"all rounds: {arguments.json}")


main_guard("names", main)
