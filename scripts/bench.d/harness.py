# SPDX-License-Identifier: Apache-2.0
"""What Weir costs per operation: runs it in turn with fio's null engine and with bare loops, and compares pair by pair."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

KIB = 1024
MIB = 1024 * 1024
READ_BYTES = 256 * MIB
WRITE_BYTES = 512 * MIB
GOALS = {
    "null sequential": {"ns": 30, "ratio": 0.15},
    "null random": {"ns": 45, "ratio": 0.20},
    "read 4 KiB random": {"ratio": 0.97},
    "write 1 MiB sequential": {"ratio": 0.97},
    "instructions": 150,
}


def run(words, **options):
    """Standard output of a command that must succeed."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"harness: {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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
        """Nanoseconds per operation between the first transfer and the last, as the reports tell it; and with the time
        for filling the buffers."""
        phase = self.weir_phase(verb, *options)
        seconds = phase["windows"]["transfer_s"]
        ops = phase["ops"]
        return seconds * 1e9 / ops, seconds * 1e9 / ops / (1 - phase["data_share"])

    def fio_ns(self, order):
        text = run(["fio", "--name=null", "--ioengine=null", "--filename=null", f"--rw={order}", "--bs=4k",
                    "--iodepth=1", f"--size={self.ops * 4 * KIB}", "--output-format=json"], cwd=self.folder)
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
        """Runs both once unmeasured, then in turn, each beginning every other time."""
        first(), second()
        rows = []
        for i in range(self.rounds):
            if i % 2:
                b = second()
                rows.append((first(), b))
            else:
                a = first()
                rows.append((a, second()))
        return rows

    # ---- the comparisons ----

    def null(self, random):
        options = ["-a", "null", "-w", "-t", "4k", "-b", str(self.ops * 4 * KIB)] + (["-z"] if random else [])
        order = "randwrite" if random else "write"
        rows = self.pairs(lambda: self.weir_ns("write", *options), lambda: self.fio_ns(order))
        return {
            "ns": statistics.median(a[1] for a, _ in rows),
            "ns_without_filling": statistics.median(a[0] for a, _ in rows),
            "other_ns": statistics.median(b for _, b in rows),
            "ratio": statistics.median(a[1] / b for a, b in rows),
            "rounds": [{"weir": a[1], "without_filling": a[0], "fio": b} for a, b in rows],
        }

    def against_bare(self, weir, bare):
        rows = self.pairs(weir, bare)
        return {
            "ns": statistics.median(a for a, _ in rows),
            "other_ns": statistics.median(b for _, b in rows),
            "ratio": statistics.median(b / a for a, b in rows),
            "rounds": [{"weir": a, "bare": b} for a, b in rows],
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

    def instructions(self, random):
        """Per operation, as the slope between two operation counts; all else cancels out."""
        counts = (200_000, 1_200_000)
        totals = []
        for ops in counts:
            profile = self.folder / f"callgrind.{ops}"
            run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", self.weir, "-a", "null", "-w",
                 "-t", "4k", "-b", str(ops * 4 * KIB)] + (["-z"] if random else []))
            text = profile.read_text(encoding="utf-8")
            totals.append(int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1)))
        return (totals[1] - totals[0]) / (counts[1] - counts[0])


def verdict(is_reached):
    return "reached" if is_reached else "missed"


def print_table(results):
    print(f"{'':24}{'weir ns':>10}{'other ns':>10}{'ratio':>8}  goal")
    for name in ("null sequential", "null random"):
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
            "null sequential": bench.null(random=False),
            "null random": bench.null(random=True),
            "read 4 KiB random": bench.cached_read(),
            "write 1 MiB sequential": bench.sequential_write(),
            "clock ns": statistics.median(bench.clock_ns() for _ in range(arguments.rounds)),
            "instructions per operation": {
                "sequential": bench.instructions(random=False),
                "random": bench.instructions(random=True),
            },
        }
    arguments.json.write_text(json.dumps({"goals": GOALS, "ops": arguments.ops, "rounds": arguments.rounds,
                                          "results": results}, indent=1) + "\n", encoding="utf-8")
    print_table(results)
    print(f"all rounds: {arguments.json}")


main()
