# SPDX-License-Identifier: Apache-2.0
"""test_mdworkbench_samples.py read|run FOLDER [WEIR]: what reads md-workbench's outputs reads ours.

read: each sample in FOLDER, an output of md-workbench itself, is parsed, and its numbers agree with each other: what is a rate
of something is that over the greatest time. run: its command line is given to WEIR (after one that makes the objects, if it has
-2 alone), and the same reader reads what comes out: the same lines with the same counts."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

from runs import Difference, environment, load, need_same

SAMPLES = ("md-workbench", "md-workbench-detailed", "io500-mdworkbench-bench")
TASKS = 2
N = r"[\d.e+-]+"
OPERATIONS = r"( (?:read|stat|create|delete)\([^)]*\))*"
HEAD = re.compile(rf"MD-Workbench total objects: (\d+) workingset size: ({N}) MiB \(version: \S+\) time: \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d$")
END = re.compile(r"Total runtime: \d+s time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
LINE = re.compile(rf"(?P<task>\d+: )?(?P<phase>\w+) process max:{N}s(?P<spread> min:{N}s mean: {N}s balance:(?P<balance>{N}) stddev:{N})? "
                  rf"rate:(?P<iops>{N}) iops/s(?: dsets: (?P<sets>\d+))? objects:(?P<objects>\d+)(?: dsets: (?P<sets_behind>\d+))?"
                  rf"(?: rate:(?P<set_rate>{N}) dset/s)? rate:(?P<rate>{N}) obj/s(?: rate:(?P<set_rate_behind>{N}) dset/s)?"
                  rf"(?: tp:(?P<tp>{N}) MiB/s)? op-max:(?P<op_max>{N})s \((?P<errors>\d+) errs(?:!!!)?\)(?: stonewall-iter:\d+)?(?P<operations>{OPERATIONS})(?: waiting:{N})?$")
DETAILS = re.compile(rf"(?P<task>\d+: )?(?P<phase>\w+) ((?:\t\d+){{6}})\t{N}s\t{N}s\t(?P<tp>{N}) MiB/s (?P<op_max>{N})$")
TABLE = "phase\t\td name\tcreate\tdelete\tob nam\tcreate\tread\tstat\tdelete\tt_inc_b\tt_no_bar\tthp\tmax_t"



def need(match, what):
    if not match:
        raise Difference(what)
    return match


def need_near(one, other, what):
    if abs(one - other) > 0.01 * max(abs(one), abs(other)) + 0.06:
        raise Difference(f"{what}: {one} and {other}")


def read_line(line, size):
    """What a line counts. Its rates agree with each other."""
    found = need(LINE.match(line), f"no line of a phase: {line}")
    objects, sets = int(found["objects"]), int(found["sets"] or found["sets_behind"] or 0)
    operations = re.findall(r"(\w+)\(([^)]*)\)", found["operations"])
    done = {"precreate": 1, "benchmark": 4, "cleanup": 1}[found["phase"]]
    moved = {"precreate": 1, "benchmark": 2, "cleanup": 0}[found["phase"]]
    rate = float(found["rate"])
    need_near(float(found["iops"]), rate * (done * objects + sets) / objects, "iops")
    if sets:
        need_near(float(found["set_rate"] or found["set_rate_behind"]), rate * sets / objects, "rate of data sets")
    need_near(float(found["tp"] or 0), rate * moved * size / 2**20, "throughput")
    for name, numbers in operations:
        values = [float(number.rstrip("s")) for number in numbers.split(", ")]
        need_same((len(values), values), (7, sorted(values)), f"quantiles of {name}")
        need_same(values[-1] <= float(found["op_max"]), True, f"the longest {name}")
    if not found["task"]:
        need_same(0 <= float(found["balance"]) <= 100.05, True, "balance")
    kinds = [name for name, _ in operations]
    return (found["task"], found["phase"], objects, sets, int(found["errors"]), kinds)


def read_details(line):
    found = need(DETAILS.match(line), f"no row: {line}")
    return (found["task"], found["phase"], found[3])


def read(text, size=3901):
    lines = text.rstrip("\n").split("\n")
    need(re.match(r"Args: \S+ \"", lines[0]), "no arguments")
    need(re.match(r"Nodemap: 1+$", lines[1]), "no map of nodes")
    head = need(HEAD.match(lines[2]), f"no head: {lines[2]}")
    need(END.match(lines[-1]), f"no end: {lines[-1]}")
    body, has_table = lines[3:-1], lines[3] == TABLE
    rows = [read_details(line) if has_table else read_line(line, size) for line in body[has_table:]]
    return head.groups(), rows


def load_sample(folder, name):
    text = load(folder, name)
    if text.startswith("$"):
        text = text.split("\n", 1)[1]
    return shlex.split(text.split("\n", 1)[0])[2:], text


def move(words, place):
    """The same words with files below `place`."""
    return [re.sub(r"^((?:-\w|--[\w-]+)=)?/.*/([^/]*)$", rf"\g<1>{place}/\2", word) for word in words]


def launch(weir, words):
    done = subprocess.run(["mpiexec", "-n", str(TASKS), weir, "md-workbench", "--plain", *words], capture_output=True, text=True,
                          env=environment(), stdin=subprocess.DEVNULL, timeout=120, check=False)
    need_same(done.returncode, 0, f"exit code of {words}: {done.stderr}")
    return done.stdout


def run(weir, words, theirs):
    with tempfile.TemporaryDirectory() as place:
        words = move(words, place)
        alone = [word for word in words if word != "-2"]
        if alone != words:
            launch(weir, [word for word in alone if word != "-X"] + ["-1"])
        need_same(read(launch(weir, words)), read(theirs), "report")
        if alone != words:
            # The working set is found where the benchmark left it, and nothing is left of it.
            launch(weir, [word for word in alone if word != "-X"] + ["-3"])
        left = [name for _, _, names in os.walk(place) for name in names if name.startswith("file-")]
        need_same(left, [], "objects that are left")


def main():
    deed, folder = sys.argv[1:3]
    failed = 0
    for name in SAMPLES:
        words, text = load_sample(folder, name)
        try:
            if deed == "read":
                read(text)
            else:
                run(sys.argv[3], words, text)
        except Difference as difference:
            print(f"{name}: {difference}")
            failed += 1
    print(f"{len(SAMPLES)} samples, {failed} failed")
    sys.exit(1 if failed else 0)


main()
