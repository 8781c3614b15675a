# SPDX-License-Identifier: Apache-2.0
"""What Weir costs per operation: runs it in turn with fio's null engine and with bare loops, and compares pair by pair."""
import argparse
import json
import os
import pathlib
import re
import statistics
import tempfile

from pairs import KIB, MIB, main_guard, ratio, run, take_turns, verdict

READ_BYTES = 256 * MIB
WRITE_BYTES = 512 * MIB
# Name of the row, options, goals.
NULL_ROWS = (("null sequential", [], {"ns": 30, "ratio": 0.15}),
             ("null random", ["-z"], {"ns": 45, "ratio": 0.20}),
             ("null depth 32", ["--depth", "32"], {"ns": 40, "ratio": 0.20}))
# A stat of each item of a tree: name of the row, options, items of a run.
NAME_ROWS = (("stat, one directory", [], 1),
             ("stat, tree of depth 3", ["-z", "3", "-b", "8"], 585),
             ("stat, shuffled", ["-z", "3", "-b", "8", "-R"], 585))
NAMES_GOAL = {"ns": 120, "instructions": 700}
GOALS = {name: goal for name, _, goal in NULL_ROWS} | {
    "read 4 KiB random": {"ratio": 0.97},
    "write 1 MiB sequential": {"ratio": 0.97},
    "write 4 KiB, filled": {"ratio": 0.90},
    "instructions": 150,
}


class Bench:
    def __init__(self, arguments, folder):
        self.weir = arguments.weir
        self.bare = arguments.bare
        self.earlier = arguments.against
        self.ops = arguments.ops
        self.rounds = arguments.rounds
        self.folder = folder

    def weir_phase(self, weir, verb, *options):
        """The record of the phase of a run on one rank."""
        path = self.folder / "result.jsonl"
        path.unlink(missing_ok=True)
        run([weir, *options, "--result", path])
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return next(r for r in records if r.get("record") == "phase" and r["verb"] == verb)

    def weir_ns(self, weir, verb, *options):
        """Nanoseconds per operation without the time for filling the buffers; and between the first transfer and the
        last, as the reports tell it."""
        phase = self.weir_phase(weir, verb, *options)
        seconds = phase["windows"]["transfer_s"]
        if "wall_s" in phase:  # of a build whose windows left filling out
            seconds /= 1 - phase["data_share"]
        nanoseconds = seconds * 1e9 / phase["ops"]
        return nanoseconds * (1 - phase["data_share"]), nanoseconds

    def turns(self, part, verb, words, peer):
        """Samples of ours, of another program, and of an earlier build if there is one. `part` 0: without filling."""
        contestants = {"ours": lambda: self.weir_ns(self.weir, verb, *words), "peer": peer}
        if self.earlier:
            contestants["earlier"] = lambda: self.weir_ns(self.earlier, verb, *words)
        samples = take_turns(contestants, self.rounds)
        ours = [sample[part] for sample in samples["ours"]]
        row = {"ns": statistics.median(ours), "ns_without_filling": statistics.median(s[0] for s in samples["ours"]),
               "other_ns": statistics.median(samples["peer"]), "rounds": samples}
        if self.earlier:
            earlier = [sample[part] for sample in samples["earlier"]]
            row |= {"earlier_ns": statistics.median(earlier), "earlier_ratio": ratio(ours, earlier)}
        return row, ours, samples["peer"]

    def fio_ns(self, order, depth):
        text = run(["fio", "--name=null", "--ioengine=null", "--filename=null", f"--rw={order}", "--bs=4k",
                    f"--iodepth={depth}", f"--size={self.ops * 4 * KIB}", "--output-format=json"], cwd=self.folder)
        write = json.loads(text[text.index("{"):])["jobs"][0]["write"]
        return write["runtime"] * 1e6 / write["total_ios"]

    def bare_ns(self, verb, path, size, transfer, seed):
        ops, nanoseconds = map(int, run([self.bare, verb, path, str(size), str(transfer), str(seed)]).split())
        return nanoseconds / ops

    def clock_ns(self):
        """Of one reading of the clock, which every transfer pays."""
        readings, nanoseconds = map(int, run([self.bare, "clock"]).split())
        return nanoseconds / readings

    # ---- the comparisons ----

    def null(self, options):
        words = ["-a", "null", "-w", "-t", "4k", "-b", str(self.ops * 4 * KIB), *options]
        order = "randwrite" if "-z" in options else "write"
        depth = 32 if "--depth" in options else 1
        row, ours, fio = self.turns(1, "write", words, lambda: self.fio_ns(order, depth))
        return row | {"ratio": ratio(ours, fio)}

    @staticmethod
    def names_words(options, directories, ops):
        return ["mdtest", "-a", "null", "-F", "-T", "-I", str(ops // directories), *options]

    def names(self, options, directories):
        words = self.names_words(options, directories, self.ops)
        phases = [self.weir_phase(self.weir, "stat", *words) for _ in range(self.rounds)]
        return {"ns": statistics.median(p["windows"]["transfer_s"] * 1e9 / p["ops"] for p in phases),
                "processor_ns": statistics.median(sum(p["cpu"][k] for k in ("user_s", "system_s")) * 1e9 / p["ops"]
                                                  for p in phases), "instructions":
                self.instructions(self.weir, lambda ops: self.names_words(options, directories, ops), (585 * 200, 585 * 600))}

    def cached_read(self):
        path = self.folder / "read"
        shape = ["-a", "posix", "-t", "4k", "-b", str(READ_BYTES), "-k", "-o", path]
        run([self.weir, "-w", *shape])
        row, ours, bare = self.turns(0, "read", ["-r", "-z", *shape],
                                     lambda: self.bare_ns("read", path, READ_BYTES, 4 * KIB, 1))
        return row | {"ratio": ratio(bare, ours)}

    def write(self, transfer, part):
        """A new file in the page cache; `part` 1: with the time for filling."""
        path = self.folder / "write"
        shape = ["-a", "posix", "-t", str(transfer), "-b", str(WRITE_BYTES), "-o", path]

        def bare():
            nanoseconds = self.bare_ns("write", path, WRITE_BYTES, transfer, 0)
            path.unlink()
            return nanoseconds

        row, ours, other = self.turns(part, "write", ["-w", *shape], bare)
        return row | {"ratio": ratio(other, ours)}

    @staticmethod
    def transfer_words(options):
        return lambda ops: ["-a", "null", "-w", "-t", "4k", "-b", str(ops * 4 * KIB), *options]

    def instructions(self, weir, words, counts=(200_000, 1_200_000)):
        """Per operation, as the slope between two operation counts; all else cancels out."""
        totals = []
        for ops in counts:
            profile = self.folder / f"callgrind.{ops}"
            run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", weir, *words(ops)])
            text = profile.read_text(encoding="utf-8")
            totals.append(int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1)))
        return (totals[1] - totals[0]) / (counts[1] - counts[0])


def print_table(results):
    print(f"{'':24}{'weir ns':>10}{'other ns':>10}{'ratio':>8}  goal")
    for name, _, _ in NULL_ROWS:
        row, goal = results[name], GOALS[name]
        print(f"{name:24}{row['ns']:10.1f}{row['other_ns']:10.1f}{row['ratio']:8.3f}  "
              f"<= {goal['ns']} ns {verdict(row['ns'] <= goal['ns'])}, "
              f"<= {goal['ratio']} of fio {verdict(row['ratio'] <= goal['ratio'])} "
              f"({row['ns_without_filling']:.1f} ns without filling)")
    for name in ("read 4 KiB random", "write 1 MiB sequential", "write 4 KiB, filled"):
        row, goal = results[name], GOALS[name]
        print(f"{name:24}{row['ns']:10.1f}{row['other_ns']:10.1f}{row['ratio']:8.3f}  "
              f">= {goal['ratio']} of the bare loop {verdict(row['ratio'] >= goal['ratio'])}")
    for name, row in results["names"].items():
        print(f"{name:24}{row['ns']:10.1f}{'':18}  <= {NAMES_GOAL['ns']} ns {verdict(row['ns'] <= NAMES_GOAL['ns'])}, "
              f"{row['instructions']:.0f} <= {NAMES_GOAL['instructions']} instructions "
              f"{verdict(row['instructions'] <= NAMES_GOAL['instructions'])}")
    print(f"{'one clock reading':24}{results['clock ns']:10.1f}{'':18}  part of every transfer above")
    for name, row in results.items():
        if isinstance(row, dict) and "earlier_ns" in row:
            print(f"{name:24}{row['ns']:10.1f}{row['earlier_ns']:10.1f}{row['earlier_ratio']:8.3f}  of the earlier build's")
    for name, count in results["instructions per operation"].items():
        print(f"{'instructions ' + name:24}{count:10.1f}{'':18}  <= {GOALS['instructions']} "
              f"{verdict(count <= GOALS['instructions'])}")


def main():
    parser = argparse.ArgumentParser(prog="bench harness")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ops", type=int, default=4_000_000)
    parser.add_argument("--dir", default="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    arguments = parser.parse_args()
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="weir-bench.", dir=arguments.dir) as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        results = {
            **{name: bench.null(options) for name, options, _ in NULL_ROWS},
            "names": {name: bench.names(*row) for name, *row in NAME_ROWS},
            "read 4 KiB random": bench.cached_read(),
            "write 1 MiB sequential": bench.write(MIB, 0),
            "write 4 KiB, filled": bench.write(4 * KIB, 1),
            "clock ns": statistics.median(bench.clock_ns() for _ in range(arguments.rounds)),
            "instructions per operation": {
                name.removeprefix("null ") + suffix: bench.instructions(weir, bench.transfer_words(options))
                for name, options, _ in NULL_ROWS
                for weir, suffix in ((bench.weir, ""), (bench.earlier, " (earlier)")) if weir
            },
        }
    arguments.json.write_text(json.dumps({"goals": GOALS, "ops": arguments.ops, "rounds": arguments.rounds,
                                          "results": results}, indent=1) + "\n", encoding="utf-8")
    print_table(results)
    print(f"all rounds: {arguments.json}")


main_guard("harness", main)
