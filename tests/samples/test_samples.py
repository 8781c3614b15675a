# SPDX-License-Identifier: Apache-2.0
"""test_samples.py read|run FOLDER [WEIR]: what reads IOR's outputs reads ours.

read: each sample in FOLDER, an output of IOR itself, is parsed by the reader of its layout. run: the command line that
stands in the sample is given to WEIR, with --compat and the sample's version, and the same reader reads what comes out:
keys, columns, rows and operations must be the same, and so must values that do not depend on time; all numbers must be
finite. Of texts the lines must also be the same, one by one, but for numbers, dates and paths, and for what is listed
here with its reason."""
import difflib
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import readers
from runs import Difference, command_of, environment, load, need_same


@dataclass(frozen=True)
class Sample:
    reader: object
    version: str
    is_text: bool = True  # lines can be compared


SAMPLES = {
    "ior-aio": Sample(readers.ior_4, "4.1"),
    "ior-csv": Sample(readers.ior_csv, "4.1", False),
    "ior-default": Sample(readers.ior_4, "4.1"),
    "ior-default-reps3-e-C": Sample(readers.ior_4, "4.1"),
    "ior-fpp-verify": Sample(readers.ior_4, "4.1"),
    "ior-help": Sample(readers.ior_help, "4.1", False),
    "ior-json": Sample(readers.ior_json, "4.1", False),
    "ior-json-v1": Sample(readers.ior_json, "4.1", False),
    "ior-mmap": Sample(readers.ior_4, "4.1"),
    "ior-mpiio-showhints": Sample(readers.ior_4, "4.1"),
    "ior-old-2.10.3": Sample(readers.ior_2_10, "2.10"),
    "ior-old-2.10.3-v": Sample(readers.ior_2_10, "2.10"),
    "ior-old-3.0.1": Sample(readers.ior_3_0, "3.0"),
    "ior-old-3.0.1-v": Sample(readers.ior_3_0, "3.0"),
    "ior-old-3.2.1": Sample(readers.ior_3_2, "3.2"),
    "ior-old-3.2.1-json": Sample(readers.ior_json_3_2, "3.2", False),
    "ior-old-3.2.1-v": Sample(readers.ior_3_2, "3.2"),
    "ior-old-3.3.0": Sample(readers.ior_3_3, "3.3"),
    "ior-old-3.3.0-json": Sample(readers.ior_json, "3.3", False),
    "ior-old-4.0.0": Sample(readers.ior_4, "4.0"),
    "ior-old-4.0.0-csv": Sample(readers.ior_csv, "4.0", False),
    "ior-old-4.0.0-json": Sample(readers.ior_json, "4.0", False),
    "ior-stonewall": Sample(readers.ior_4, "4.1"),
    "ior-stonewall-wearout": Sample(readers.ior_4, "4.1"),
    "ior-v": Sample(readers.ior_4, "4.1"),
    "ior-vv": Sample(readers.ior_4, "4.1"),
    "ior-vvv": Sample(readers.ior_4, "4.1"),
}
SIDE_FILES = "ior-csv-side-files"  # a sample of files, and not of an output

# Lines of samples that we do not print, and why.
LEFT_OUT = {
    r"WARNING: DUMMY (initialized|finalized)$": "every rank says it, and it says nothing",
    r"WARNING: assuming POSIX-based backend for MMAP \w+ call$": "every rank says it, five times",
    r'WARNING: The file "/scratch/f" exists already and will be deleted$': "DUMMY makes and deletes no files",
    r"WARNING: Stat\(\) of aggregate file size +=": "DUMMY has no file that has a size",
    r"(STARTING|ENDING) ENVIRON LOOP$": "what lies between them may be secret",
}
# Lines that need not stand at IOR's place, and why.
MOVED = {
    r"Using Time Stamp ": "a seed that nobody gave is drawn when the first phase begins, and told before its row",
}
# Lines that we print and IOR 4.1 does not, and why.
ADDED = {
    r"Max (Write|Read): ": "4.x has them at -v only, which broke the scripts of 3.x",
}


# ---------------------------------------------------------------- samples and runs


class Runner:
    """Runs weir in a folder that stands for the /scratch of the samples."""

    def __init__(self, weir, folder):
        self.weir = os.path.abspath(weir)
        self.scratch = os.path.join(folder, "scratch")
        os.mkdir(self.scratch)
        self.environment = environment(TZ="UTC", TMPDIR=folder)

    def run(self, ranks, arguments):
        words = [word.replace("/scratch/", self.scratch + "/") for word in arguments]
        launcher = ["mpiexec", "-n", str(ranks)] if ranks else []
        done = subprocess.run([*launcher, self.weir, "ior", *words], env=self.environment, cwd=self.scratch, check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        return done.returncode, done.stdout.replace(self.scratch, "/scratch"), done.stderr

    def run_well(self, ranks, arguments):
        code, output, errors = self.run(ranks, arguments)
        if code != 0:
            raise Difference(f"the exit code is {code}: {errors.strip()}")
        return output


def refused_by_name(runner, ranks, arguments):
    """True if the backend is not built, and weir says so and nothing else."""
    label = arguments[arguments.index("-a") + 1] if "-a" in arguments else "POSIX"
    backends = subprocess.run([runner.weir, "backends"], env=runner.environment, check=True, capture_output=True, text=True)
    if label in backends.stdout.split("left out:")[0].split():
        return False
    code, output, errors = runner.run(ranks, arguments)
    need_same((code, output), (2, ""), "exit code and output of a backend that is not built")
    if label.lower() not in errors.lower():
        raise Difference(f"the refusal does not name {label}: {errors}")
    return True


# ---------------------------------------------------------------- numbers

# What is the same in every run of a command line.
CONSTANT = {"access", "iter", "block(KiB)", "xfer(KiB)", "numTasks", "rank", "Operation", "Test#", "#Tasks", "tPN", "reps",
            "fPP", "reord", "reordoff", "reordrand", "seed", "segcnt", "blksiz", "xsize", "aggsize", "aggs(MiB)", "API",
            "RefNum", "refnum", "EXCEL"}
RATES = {"bw(MiB/s)", "IOPS", "Max(MiB)", "Min(MiB)", "Mean(MiB)", "Max(OPs)", "Min(OPs)", "Mean(OPs)", "Max (MiB)",
         "Min (MiB)", "Mean (MiB)", "Max (OPs)", "Min (OPs)", "Mean (OPs)", "throughput", "throughput-withopenclose",
         "runtime", "tp"}


def number(text, what, is_positive):
    value = float(text)
    if not math.isfinite(value) or value < 0 or (is_positive and value == 0):
        raise Difference(f"{what} is {text}")
    return value


def compare_cell(ours, theirs, column, is_constant):
    if is_constant or theirs in ("-", "NA"):
        need_same(ours, theirs, column)
    else:
        number(ours, column, column in RATES)


def compare_rows(ours, theirs, what, changing=()):
    need_same([len(row) for row in ours], [len(row) for row in theirs], f"rows of {what}")
    for our_row, their_row in zip(ours, theirs):
        need_same(list(our_row), list(their_row), f"columns of {what}")
        for column, cell in their_row.items():
            compare_cell(our_row[column], cell, column, column in CONSTANT and column not in changing)


# ---------------------------------------------------------------- reports


def compare_words(ours, theirs, what, changing):
    need_same(list(ours), list(theirs), f"keys of {what}")
    for key, value in theirs.items():
        if key not in changing:
            need_same(ours[key], value, f"{what}: {key}")


def compare_text(ours, theirs, sample, is_cut):
    """`is_cut`: a deadline decides how much is moved."""
    need_same(list(ours.head), list(theirs.head), "lines of the head")
    compare_words(ours.options, theirs.options, "options", {"apiVersion"})
    # IOR 4 takes the letter of its data from a table in another order.
    compare_words(ours.parameters, theirs.parameters, "parameters", {"platform", "data packet type"})
    need_same(ours.columns, theirs.columns, "columns of phases")
    compare_rows(ours.rows, theirs.rows, "phases")
    if sample.version != "4.1" or theirs.maxima:
        need_same(list(ours.maxima), list(theirs.maxima), "maxima")
    for key, values in ours.maxima.items():
        mib, mb = (number(value, f"Max {key}", True) for value in values)
        if abs(mib * 1.048576 - mb) > 0.02:
            raise Difference(f"Max {key}: {mib} MiB are not {mb} MB")
    need_same(ours.summary_columns, theirs.summary_columns, "columns of the summary")
    compare_rows(ours.summary, theirs.summary, "the summary", {"aggs(MiB)"} if is_cut else ())
    need_same(sorted(ours.stamps), sorted(theirs.stamps), "stamps")
    need_same(sorted(ours.tasks), sorted(theirs.tasks), "tasks")


# What depends on time, host, or version.
CHANGING = {"Version", "Began", "Finished", "StartTime", "Command line", "Machine", "Capacity", "Used Capacity", "Inodes",
            "Used Inodes", "platform", "bwMiB", "iops", "latency", "openTime", "wrRdTime", "closeTime", "totalTime",
            "writeMiB", "writeMB", "readMiB", "readMB", "bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB", "OPsMax", "OPsMin",
            "OPsMean", "OPsSD", "MeanTime", "StoneWallTime", "StoneWallbwMeanMIB"}
# IOR 4 takes the letter of its data from a table in another order: "g" for its usual "t".
CORRECTED = {"data packet type"}


def compare_json(ours, theirs, key=""):
    if isinstance(theirs, dict):
        need_same(isinstance(ours, dict) and list(ours), list(theirs), f'keys of "{key}"')
        for inner, value in theirs.items():
            compare_json(ours[inner], value, inner)
    elif isinstance(theirs, list):
        need_same(isinstance(ours, list) and len(ours), len(theirs), f'entries of "{key}"')
        for our_entry, their_entry in zip(ours, theirs):
            compare_json(our_entry, their_entry, key)
    elif isinstance(theirs, str):
        need_same(isinstance(ours, str), True, f'"{key}" is a string')
        if key not in CHANGING | CORRECTED:
            need_same(ours, theirs, f'"{key}"')
    else:
        number(ours, key, False)
        if key not in CHANGING:
            need_same(float(ours), float(theirs), f'"{key}"')


def size_of(default):
    match = re.fullmatch(r"(-?\d+)([kmg]?)", default or "")
    return default if not match else int(match[1]) * {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[match[2]]


# Options of a module of IOR that are ours for all backends.
FOR_ALL = {("AIO", "aio.max-pending"), ("AIO", "aio.granularity")}


def compare_help(ours, theirs):
    """All that IOR's help has must be in ours; we have more."""
    modules = {module for module, _ in ours.options}
    for (module, name), default in theirs.options.items():
        place = ("IOR", name) if (module, name) in FOR_ALL else (module, name)
        if place[0] not in modules:
            continue
        if place not in ours.options:
            raise Difference(f"{place[0]} has no option {name}")
        if default not in (None, "STRING"):
            need_same(size_of(ours.options[place]), size_of(default), f"default of {name}")


# ---------------------------------------------------------------- lines

MASKS = [
    (r"^\$ .*", None),
    (r"^IOR-\S+:", "IOR-VERSION:"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}", "DATE"),
    (r"^(Command line[\w ]*:).*", r"\1 COMMAND"),
    (r"^(Machine *:).*", r"\1 MACHINE"),
    (r"^(platform *:).*", r"\1 MACHINE"),
    (r"^(apiVersion *:).*", r"\1 VERSION"),
    (r"^(data packet type *:).*", r"\1 LETTER"),
    (r"\b0x[0-9a-f]+\b", "NUMBER"),
    (r"(?<![\w.])-?\d+(\.\d+)?(s\b|(?!\w))", "NUMBER"),
    (r"\b[GT]iB\b", "UNIT"),
]


def masked(line):
    for pattern, words in MASKS:
        if words is None and re.match(pattern, line):
            return None
        line = re.sub(pattern, words or "", line)
    # Where a number is wider, its column is too.
    return re.sub(" +", " ", line) if "NUMBER" in line else line


def is_listed(line, patterns):
    return any(re.match(pattern, line) for pattern in patterns)


def labels(text, left_out):
    """The lines without their numbers, those that may move behind the others. What tasks say whenever they like is not
    among them: readers have it."""
    report, result, moved = readers.Report(), [], []
    lines = iter(text.splitlines())
    for line in lines:
        whole = readers.without_chatter(report, line, lines)
        if line.startswith("--- stderr"):
            break
        if line.startswith("<"):  # a line that was taken out of the sample
            continue
        if readers.read_hints(report, line, lines):
            if result and result[-1] == "":
                result.pop()
            continue
        if (not whole and line) or is_listed(whole, left_out):
            continue
        (moved if is_listed(whole, MOVED) else result).append(masked(whole))
    return [label for label in result + moved if label is not None]


def compare_lines(ours, theirs):
    difference = list(difflib.unified_diff(labels(theirs, LEFT_OUT), labels(ours, {} if "Max Write" in theirs else ADDED),
                                           "IOR's lines", "ours", lineterm="", n=1))
    if difference:
        raise Difference("other lines:\n" + "\n".join(difference))


# ---------------------------------------------------------------- side files


def pieces_of(text):
    """The files that a sample holds, by name."""
    pieces = re.split(r"^# file (\S+) .*\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2]))


def read_side_files(text):
    files = pieces_of(text)
    return readers.rank_csv(files["rank.csv"]), readers.op_csv(files["op-0-00000.csv"])


def load_scratch(runner, name):
    with open(os.path.join(runner.scratch, name), encoding="utf-8") as file:
        return file.read()


def run_side_files(runner, text):
    ranks, ops = read_side_files(text)
    runner.run_well(2, shlex.split("-t 64k -b 256k -o /scratch/f -O saveRankPerformanceDetailsCSV=/scratch/rank.csv "
                                   "-O savePerOpDataCSV=/scratch/op"))
    ours = readers.rank_csv(load_scratch(runner, "rank.csv"))
    need_same(ours.columns, ranks.columns, "columns of rank.csv")
    compare_rows(ours.rows, ranks.rows, "rank.csv")
    for row in ours.rows:
        moved = float(row["throughput"]) * float(row["runtime"])
        need_same(round(moved), 262144, f"bytes of rank {row['rank']}")
    # The verb is part of the name: IOR's reads overwrite what its writes said.
    for verb in ("write", "read"):
        for rank in range(2):
            ours = readers.op_csv(load_scratch(runner, f"op-{verb}-0-{rank:05d}.csv"))
            compare_rows(ours.rows, ops.rows, "a file of transfers")


# ---------------------------------------------------------------- tests


def read_sample(folder, name):
    text = load(folder, name)
    if name == SIDE_FILES:
        read_side_files(text)
    else:
        SAMPLES[name].reader(command_of(text)[2])


def compare_hints(ours, theirs):
    """The same blocks before the same rows; which hints there are is up to the MPI library."""
    need_same([hint[:2] for hint in ours.hints], [hint[:2] for hint in theirs.hints], "hints")


def compare(sample, output, theirs, arguments):
    ours = sample.reader(output)
    expected = sample.reader(theirs)
    if sample.reader is readers.ior_help:
        compare_help(ours, expected)
    elif expected.document:
        compare_json(ours.document, expected.document)
    else:
        compare_text(ours, expected, sample, "-D" in arguments)
        compare_hints(ours, expected)
    if sample.is_text:
        compare_lines(output, theirs)


def run_sample(folder, name, runner):
    text = load(folder, name)
    if name == SIDE_FILES:
        return run_side_files(runner, text)
    sample = SAMPLES[name]
    ranks, arguments, theirs = command_of(text)
    if sample.reader is readers.ior_help:
        return compare(sample, runner.run(0, arguments)[1], theirs, arguments)
    if refused_by_name(runner, ranks, arguments):
        return None
    output = runner.run_well(ranks, [*arguments, "--plain", "--compat", sample.version])
    return compare(sample, output, theirs, arguments)


def main():
    deed, folder = sys.argv[1:3]
    names = sorted(name[:-4] for name in os.listdir(folder) if name.startswith("ior-"))
    need_same(names, sorted([*SAMPLES, SIDE_FILES]), "samples")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="weir-samples.") as work:
        runner = Runner(sys.argv[3], work) if deed == "run" else None
        for name in sys.argv[4:] or names:
            try:
                if runner:
                    run_sample(folder, name, runner)
                else:
                    read_sample(folder, name)
                print(f"{name}: good")
            except (Difference, ValueError, KeyError, OSError, subprocess.SubprocessError) as error:
                failures += 1
                print(f"{name}: FAILED: {type(error).__name__}: {error}")
    sys.exit(failures > 0)


main()
