# SPDX-License-Identifier: Apache-2.0
"""Programs: the four patterns of docs/examples in turn with the same system calls in C, which makes their names as they are
needed, or before the clock starts; and what a statement, a path with variables in it, an expression and a call cost on the
null backend."""
import argparse
import json
import os
import pathlib
import re
import statistics
import tempfile

from pairs import be_interruptible, main_guard, ratio, run, take_turns, verdict

GOAL = 0.90


def parse():
    parser = argparse.ArgumentParser(prog="bench programs")
    parser.add_argument("--weir", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--iter", type=int, default=2000)
    parser.add_argument("--dir", default="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    return parser.parse_args()


# Name and parameters; those of one base, in their order, leave it empty.
CHAINS = ((("create-index", []), ("index-index", []), ("delete-index", ["files=1"])), (("basic-operations", []),))


class Bench:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def program(self, words):
        """What a program on one rank has done, and how long its timed blocks took, nanoseconds."""
        result = self.folder / "result.jsonl"
        result.unlink(missing_ok=True)
        run([self.arguments.weir, "parabench", *words, "--result", result])
        records = map(json.loads, result.read_text(encoding="utf-8").splitlines())
        done = next(r for r in records if r.get("record") == "phase")["program_result"]
        if any(call["failed"] for call in done["calls"]):
            raise SystemExit(f"programs: {words}: commands failed")
        spans = [(label["last_end_s"] - label["first_begin_s"]) * 1e9 for label in done["labels"] if not label["core"]]
        return done, sum(spans)

    def weir_chain(self, chain):
        base = self.folder / "ours"
        return {name: self.program([self.arguments.root / f"docs/examples/{name}.pbl", f"iter={self.arguments.iter}",
                                    f"base={base}", *words])[1] for name, words in chain}

    def bare_chain(self, chain, words=()):
        """Likewise; and how many operations it was."""
        home = self.folder / "theirs" / "p0"
        home.mkdir(parents=True)
        found = {name: tuple(map(int, run([self.arguments.bare, name, home, self.arguments.iter, *words]).split()))
                 for name, _ in chain}
        (home / "catalogue").unlink(missing_ok=True)
        home.rmdir()
        home.parent.rmdir()
        return found

    def patterns(self):
        rows = {}
        for chain in CHAINS:
            samples = take_turns({"ours": lambda c=chain: self.weir_chain(c), "bare": lambda c=chain: self.bare_chain(c),
                                  "named": lambda c=chain: self.bare_chain(c, ["names-before"])}, self.arguments.rounds)
            for name, _ in chain:
                ops = samples["bare"][0][name][0]
                ours = [sample[name] / ops for sample in samples["ours"]]
                bare, named = ([sample[name][1] / ops for sample in samples[who]] for who in ("bare", "named"))
                rows[name] = {"ops": ops, "ns": statistics.median(ours), "bare_ns": statistics.median(bare),
                              "ratio": ratio(bare, ours), "named_ns": statistics.median(named),
                              "named_ratio": ratio(named, ours), "rounds": {"ours": ours, "bare": bare, "named": named}}
        return rows


# ---- what the language costs ----

# What stands in a loop; the empty loop is taken off the others.
STATEMENTS = {
    "an empty round": "",
    "a statement": "$a = 1;",
    "an expression": "$a = ($i * 4096 + 7) % 1000 - $i / 3;",
    "a path with variables": "$a = \"$d/p$$rank/f$i\";",
    "a call by name": "stat(\"f\");",
    "a call, its path with variables": "stat(\"$d/p$$rank/f$i\");",
    "a call in a core time": "ctime[\"x\"] stat(\"f\");",
}


class Language:
    def __init__(self, bench):
        self.bench = bench
        self.weir = bench.arguments.weir

    def words(self, statement, rounds):
        path = self.bench.folder / "loop.pbl"
        path.write_text(f'$d = "directory";\ntime["all"] repeat $i {rounds} {{ {statement} }}\n', encoding="ascii")
        return [path, "--backend", "null"]

    def ns(self, statement, rounds):
        return self.bench.program(self.words(statement, rounds))[1] / rounds

    def instructions(self, statement, counts=(20_000, 120_000)):
        """Per round, as the slope between two numbers of rounds."""
        totals = []
        for rounds in counts:
            profile = self.bench.folder / "callgrind.out"
            run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", self.weir, "parabench",
                 *self.words(statement, rounds)])
            totals.append(int(re.search(r"^(?:summary|totals): (\d+)", profile.read_text(encoding="utf-8"), re.M)[1]))
        return (totals[1] - totals[0]) / (counts[1] - counts[0])

    def rows(self):
        rounds = 1_000_000
        samples = take_turns({name: lambda s=statement: self.ns(s, rounds) for name, statement in STATEMENTS.items()},
                             min(self.bench.arguments.rounds, 5))
        rows = {name: {"ns": statistics.median(samples[name]), "instructions": self.instructions(statement)}
                for name, statement in STATEMENTS.items()}
        empty = rows["an empty round"]
        return {name: row if row is empty else {key: row[key] - empty[key] for key in row} for name, row in rows.items()}


def print_tables(results):
    print(f"{'':20}{'ops':>8}{'weir ns':>9}{'C ns':>8}{'ratio':>7}  {'goal':14}{'C, names before':>16}{'ratio':>7}")
    for name, row in results["patterns"].items():
        goal = f">= {GOAL} {verdict(row['ratio'] >= GOAL)}"
        print(f"{name:20}{row['ops']:8}{row['ns']:9.0f}{row['bare_ns']:8.0f}{row['ratio']:7.3f}  {goal:14}{row['named_ns']:16.0f}"
              f"{row['named_ratio']:7.3f}")
    print(f"\n{'on the null backend':34}{'ns':>8}{'instructions':>14}")
    for name, row in results["language"].items():
        print(f"{name:34}{row['ns']:8.1f}{row['instructions']:14.0f}")


def main():
    arguments = parse()
    be_interruptible("programs")
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="bench-programs.", dir=arguments.dir) as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        results = {"patterns": bench.patterns(), "language": Language(bench).rows()}
    arguments.json.write_text(json.dumps({"goal": GOAL, "results": results}, indent=1) + "\n", encoding="utf-8")
    print_tables(results)
    print(f"all rounds: {arguments.json}")


main_guard("programs", main)
