# SPDX-License-Identifier: Apache-2.0
"""test_mdtest_samples.py read|run FOLDER [WEIR]: what reads mdtest's outputs reads ours.

read: each sample in FOLDER, an output of mdtest itself, is parsed by the reader of its layout and by those of sites. run:
the command line that stands in the sample is given to WEIR, with --compat and the sample's version, and the same readers
read what comes out: tables, rows and columns must be the same, and what is not 0 there must not be 0 here. The lines must
also be the same, one by one, but for numbers, dates and paths, and for what is listed here with its reason."""
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile

import mdtest_readers as readers
from runs import Difference, command_of, environment, load, need_same

SAMPLES = {
    "mdtest": (readers.mdtest_4_1, "4.1"),
    "mdtest-F-L-u-tree": (readers.mdtest_4_1, "4.1"),
    "mdtest-P": (readers.mdtest_4_1, "4.1"),
    "mdtest-V4-create": (readers.mdtest_4_1, "4.1"),
    "mdtest-Z-rankstats": (readers.mdtest_4_1, "4.1"),
    "mdtest-easy-io500": (readers.mdtest_4_1, "4.1"),
    "mdtest-old-3.2.1": (readers.mdtest_3_2, "3.2"),
    "mdtest-old-3.3.0": (readers.mdtest_3_3, "3.3"),
    "mdtest-old-4.0.0": (readers.mdtest_4_0, "4.0"),
    "mdtest-stonewall": (readers.mdtest_4_1, "4.1"),
    "mdtest-v1": (readers.mdtest_4_1, "4.1"),
}
RANK_FILE = "# --saveRankPerformanceDetails file\n"

# Lines of samples that we do not print, and why.
LEFT_OUT = {
    r"WARNING: DUMMY (initialized|finalized)$": "every rank says it, and it says nothing",
    r"V-[23]: ": "which function mdtest is in",
    r"V-1: Rank +0 Line +\d+ (Entering|[a-z_() ]+ *: ?\S*$|main: Setting|\t|dirpath)": "which function it is in, and what its "
                                                                                    "variables hold",
    r"V-1: .* 0\.000 sec, +0\.000 ops/sec$": "a phase that was not asked for has no line",
    r"(iteration: |Test )": "in the order in which phases are done, and those alone that are",
}
# Lines that we print and mdtest does not, and why.
ADDED = {
    r"WARNING: -n: \d+ items are no multiple of ": "mdtest makes fewer without a word",
    r"WARNING: -[vV]: the lines of the first level are all there are": "mdtest traces functions and directories at -vv and above",
}


def load_sample(folder, name):
    """Ranks, words, output and file of ranks of a sample."""
    ranks, words, output = command_of(load(folder, name))
    output, _, rank_file = output.partition(RANK_FILE)
    return ranks, words, output, rank_file


def read_all(reader, text, version):
    """What each reader found, by its name; readers of sites where their layout is theirs."""
    report = reader(text)
    if "showRankStatistics" not in text and "SUMMARY rate" in text:
        tables = [readers.by_regex(text)]
        tables.append(readers.by_colon(text) if version < "4" else readers.by_words(text))
        rates = next(iter(report.tables.values()))
        for table in tables:
            for name, values in table.items():
                need_same(values, rates[name], name)
            need_same({name for name in rates if name in readers.OPERATIONS} <= set(table), True, "rows of a site's reader")
    return report


# ---------------------------------------------------------------- runs


def labels(text):
    """Lines without numbers, dates and paths."""
    result, last = [], None
    for line in text.splitlines():
        if any(re.match(pattern, line) for pattern in [*LEFT_OUT, *ADDED]):
            continue
        line = re.sub(r"^Command line used: .*", "Command line used", line)
        line = re.sub(r"^mdtest-\S+", "mdtest", line)
        line = re.sub(r"^(Path *: ).*", r"\1", line)
        line = re.sub(r"\d+(\.\d+)?", "9", line)
        line = re.sub(r" +", " ", line)
        if line.startswith("WARNING: ") and line == last:
            continue  # 4.0 has it once for each task
        result.append(line)
        last = line
    return [line for line in result if line.strip()]


def compare_reports(ours, theirs):
    for name in ("tasks", "nodes", "files", "what"):
        need_same(getattr(ours, name), getattr(theirs, name), name)
    need_same(list(ours.tables), list(theirs.tables), "tables")
    for title, rows in theirs.tables.items():
        need_same(list(ours.tables[title]), list(rows), f"rows of {title}")
        for name, values in rows.items():
            mine = ours.tables[title][name]
            need_same(len(mine), len(values), f"columns of {name}")
            if "rate" in title:
                need_same(mine[0] > 0, values[0] > 0, f"{name} was done")
    need_same([set(steps) for steps in ours.iterations],
              [{name for name, values in steps.items() if values[1] > 0} for steps in theirs.iterations], "lines of -v")
    need_same(len(ours.processes), len(theirs.processes), "iterations of --print-all-procs")
    for mine, other in zip(ours.processes, theirs.processes):
        need_same(set(mine) <= set(other), True, "tests of --print-all-procs")
        need_same({len(values) for values in mine.values()}, {len(values) for values in other.values()}, "tasks")
    need_same(len(ours.stonewalls), len(theirs.stonewalls), "stonewalls")
    for least, most, mean in ours.stonewalls:
        need_same(least <= mean <= most, True, "order of a stonewall")


def compare_rank_file(ours, theirs):
    columns, rows = readers.rank_csv(ours)
    their_columns, their_rows = readers.rank_csv(theirs)
    need_same(columns, their_columns, "columns of the file of ranks")
    need_same([(row["rank"], row["items"]) for row in rows], [(row["rank"], row["items"]) for row in their_rows], "its rows")
    for mine, other in zip(rows, their_rows):
        for name in columns[2:]:
            if other[name] is not None:
                need_same(mine[name] is not None and mine[name] > 0, True, f"{name} of {mine['rank']}")


def run_sample(folder, name, weir, work):
    reader, version = SAMPLES[name]
    ranks, words, theirs, rank_file = load_sample(folder, name)
    scratch = os.path.join(work, name)
    os.mkdir(scratch)
    words = [word.replace("/scratch", scratch) for word in words]
    command = ["mpiexec", "-n", str(ranks), weir, "mdtest", *words, "--plain", "--compat", version]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                          env=environment(), cwd=scratch)
    need_same(done.returncode, 0, f"exit code of {shlex.join(command)}: {done.stderr}{done.stdout}")
    compare_reports(read_all(reader, done.stdout, version), read_all(reader, theirs, version))
    difference = list(difflib.unified_diff(labels(theirs), labels(done.stdout), "mdtest's lines", "ours", lineterm="", n=1))
    if difference:
        raise Difference("other lines:\n" + "\n".join(difference))
    if rank_file:
        with open(os.path.join(scratch, "mdr.csv"), encoding="utf-8") as file:
            compare_rank_file(file.read(), rank_file)


def main():
    deed, folder = sys.argv[1:3]
    names = sorted(name[:-4] for name in os.listdir(folder) if name.startswith("mdtest"))
    need_same(names, sorted(SAMPLES), "samples")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="weir-samples.") as work:
        for name in sys.argv[4:] or names:
            try:
                if deed == "run":
                    run_sample(folder, name, os.path.abspath(sys.argv[3]), work)
                else:
                    ranks, words, text, rank_file = load_sample(folder, name)
                    need_same(ranks > 0 and words != [], True, "a command line")
                    read_all(*SAMPLES[name][:1], text, SAMPLES[name][1])
                    if rank_file:
                        readers.rank_csv(rank_file)
                print(f"{name}: good")
            except (Difference, ValueError, KeyError, OSError, IndexError, subprocess.SubprocessError) as error:
                failures += 1
                print(f"{name}: FAILED: {type(error).__name__}: {error}")
    sys.exit(failures > 0)


main()
