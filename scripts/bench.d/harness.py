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
GOALS = {name: goal for name, _, goal in NULL_ROWS} | {
    "read 4 KiB random": {"ratio": 0.97},
    "write 1 MiB sequential": {"ratio": 0.97},
    "instructions": 150,
}


class Bench:
    def __init__(self, arguments, folder):
        self.weir = arguments.weir
        self.bare = arguments.bare
        self.ops = arguments.ops
        self.rounds = arguments.rounds
        self.folder = folder

    def weir_phase(self, verb, *options):
        """The record of the phase of a run on one rank."""
        path = self.folder / "result.jsonl"
        path.unlink(missing_ok=True)
        run([self.weir, *options, "--result", path])
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return next(r for r in records if r.get("record") == "phase" and r["verb"] == verb)

    def weir_ns(self, verb, *options):
        """Nanoseconds per operation without the time for filling the buffers; and between the first transfer and the
        last, as the reports tell it."""
        phase = self.weir_phase(verb, *options)
        seconds = phase["windows"]["transfer_s"]
        ops = phase["ops"]
        return seconds * 1e9 / ops * (1 - phase["data_share"]), seconds * 1e9 / ops

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

    def pairs(self, first, second):
        samples = take_turns({"ours": first, "other": second}, self.rounds)
        return samples["ours"], samples["other"]

    # ---- the comparisons ----

    def null(self, options):
        words = ["-a", "null", "-w", "-t", "4k", "-b", str(self.ops * 4 * KIB), *options]
        order = "randwrite" if "-z" in options else "write"
        depth = 32 if "--depth" in options else 1
        ours, other = self.pairs(lambda: self.weir_ns("write", *words), lambda: self.fio_ns(order, depth))
        return {
            "ns": statistics.median(filled for _, filled in ours),
            "ns_without_filling": statistics.median(bare for bare, _ in ours),
            "other_ns": statistics.median(other),
            "ratio": ratio([filled for _, filled in ours], other),
            "rounds": [{"weir": a[1], "without_filling": a[0], "fio": b} for a, b in zip(ours, other)],
        }

    def against_bare(self, weir, bare):
        ours, other = self.pairs(weir, bare)
        return {
            "ns": statistics.median(ours),
            "other_ns": statistics.median(other),
            "ratio": ratio(other, ours),
            "rounds": [{"weir": a, "bare": b} for a, b in zip(ours, other)],
        }

    def cached_read(self):
        path = self.folder / "read"
        shape = ["-a", "posix", "-t", "4k", "-b", str(READ_BYTES), "-k", "-o", path]
        run([self.weir, "-w", *shape])
        return self.against_bare(lambda: self.weir_ns("read", "-r", "-z", *shape)[0],
                                 lambda: self.bare_ns("read", path, READ_BYTES, 4 * KIB, 1))

    def sequential_write(self):
        path = self.folder / "write"
        shape = ["-a", "posix", "-w", "-t", "1m", "-b", str(WRITE_BYTES), "-o", path]

        def bare():
            nanoseconds = self.bare_ns("write", path, WRITE_BYTES, MIB, 0)
            path.unlink()
            return nanoseconds

        return self.against_bare(lambda: self.weir_ns("write", *shape)[0], bare)

    def instructions(self, options):
        """Per operation, as the slope between two operation counts; all else cancels out."""
        counts = (200_000, 1_200_000)
        totals = []
        for ops in counts:
            profile = self.folder / f"callgrind.{ops}"
            run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", self.weir, "-a", "null", "-w",
                 "-t", "4k", "-b", str(ops * 4 * KIB), *options])
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
    for name in ("read 4 KiB random", "write 1 MiB sequential"):
        row, goal = results[name], GOALS[name]
        print(f"{name:24}{row['ns']:10.1f}{row['other_ns']:10.1f}{row['ratio']:8.3f}  "
              f">= {goal['ratio']} of the bare loop {verdict(row['ratio'] >= goal['ratio'])}")
    print(f"{'one clock reading':24}{results['clock ns']:10.1f}{'':18}  part of every transfer above")
    for name, count in results["instructions per operation"].items():
        print(f"{'instructions ' + name:24}{count:10.1f}{'':18}  <= {GOALS['instructions']} "
              f"{verdict(count <= GOALS['instructions'])}")


def main():
    parser = argparse.ArgumentParser(prog="bench harness")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
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
            "read 4 KiB random": bench.cached_read(),
            "write 1 MiB sequential": bench.sequential_write(),
            "clock ns": statistics.median(bench.clock_ns() for _ in range(arguments.rounds)),
            "instructions per operation": {
                name.removeprefix("null "): bench.instructions(options) for name, options, _ in NULL_ROWS
            },
        }
    arguments.json.write_text(json.dumps({"goals": GOALS, "ops": arguments.ops, "rounds": arguments.rounds,
                                          "results": results}, indent=1) + "\n", encoding="utf-8")
    print_table(results)
    print(f"all rounds: {arguments.json}")


main_guard("harness", main)
