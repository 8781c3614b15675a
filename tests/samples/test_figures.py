# SPDX-License-Identifier: Apache-2.0
"""test_figures.py read|run FOLDER [WEIR]: summaries are those of the rows above them.

read: every figure of the summaries in FOLDER's samples of IOR, mdtest and md-workbench that follows from other numbers of the
sample is computed again from these, which proves the formulas of each version. run: WEIR makes reports in the layouts of these
versions, with several repetitions, and the same formulas must give its figures. A number counts as good as it was printed."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from runs import Difference, command_of, environment, load

MIB = 2**20


# ---------------------------------------------------------------- numbers as they were printed


def value(text):
    """A printed number, and how far it may be from what was printed: half of its last digit."""
    digits = re.fullmatch(r"-?\d+(?:\.(\d+))?(?:e([+-]\d+))?", text)
    if not digits:
        raise Difference(f"no number: {text}")
    return float(text), 0.5001 * 10.0 ** (int(digits[2] or 0) - len(digits[1] or ""))


def near(found, wanted, what, doubt=0.0):
    """`found` is a text or a number; `doubt` is how far the numbers are known that `wanted` was made of."""
    number, rounding = value(found) if isinstance(found, str) else (found, 0.0)
    if not abs(number - wanted) <= rounding + doubt + 1e-9 * abs(wanted):
        raise Difference(f"{what} is {found}, and its parts make {wanted:.6g} (+- {doubt:.2g})")


def spread(values, is_sample):
    mean = sum(values) / len(values)
    count = len(values) - 1 if is_sample else len(values)
    return mean, math.sqrt(sum((x - mean) ** 2 for x in values) / count) if count > 0 else 0.0


def check_spread(printed, values, doubt, is_sample, what):
    """Of four texts: greatest, least, mean and standard deviation of `values`, each of which is known to `doubt`."""
    mean, deviation = spread(values, is_sample)
    for text, wanted, name in zip(printed, (max(values), min(values), mean, deviation), ("max", "min", "mean", "deviation")):
        near(text, wanted, f"{what}: {name}", 2 * doubt if name == "deviation" else doubt)


# ---------------------------------------------------------------- IOR


def quotient_doubt(one, other):
    """Of one / other, two numbers with their doubts."""
    if other[0] <= 2 * other[1]:
        return math.inf
    return abs(one[0] / other[0]) * (one[1] / max(abs(one[0]), 1e-300) + 2 * other[1] / other[0])


def check_ior_row(cells, total_bytes, ranks):
    """A row of the table of transfers: rates are bytes and transfers over times of the same row."""
    total, name = value(cells["total(s)"]), cells["access"]
    bandwidth = value(cells["bw(MiB/s)"])
    if total[0] > 0:
        near(bandwidth[0], total_bytes / MIB / total[0], f"bw of {name}",
             bandwidth[1] + quotient_doubt((total_bytes / MIB, 0.0), total))
    if "IOPS" in cells and value(cells["wr/rd(s)"])[0] > 0:
        transfers = total_bytes / 1024 / float(cells["xfer(KiB)"])
        iops = value(cells["IOPS"])
        near(iops[0], transfers / float(cells["wr/rd(s)"]), f"IOPS of {name} on {ranks} ranks",
             iops[1] + quotient_doubt((transfers, 0.0), value(cells["wr/rd(s)"])))


def check_ior_summary(names, words, rows, ranks, repetitions):
    """A row of "Summary of all tests:"; `rows` are the transfers of its operation, None where the version prints none."""
    cells = {name: word for name, word in zip(names, words) if name != "StdDev"}
    places = [i for i, name in enumerate(names) if name == "StdDev"]
    operation = words[0]
    rates = [words[1], words[2], words[3], words[places[0]]]
    if rows:
        known = [value(row["bw(MiB/s)"]) for row in rows]
        check_spread(rates, [rate for rate, _ in known], max(doubt for _, doubt in known), False, f"rates of {operation}")
        totals = [value(row["total(s)"]) for row in rows]
        near(cells["Mean(s)"], sum(t for t, _ in totals) / len(totals), f"mean time of {operation}", max(d for _, d in totals))
    elif repetitions == 2:
        check_spread(rates, [float(words[1]), float(words[2])], 0.006, False, f"rates of {operation}")
    if len(places) > 1:
        # 2.10, which prints no size, counts the transfers of a task.
        size = int(cells["xsize"]) if "xsize" in cells else 65536 * ranks
        first = places[0] + 1
        for rate, ops in zip(rates, [words[first], words[first + 1], words[first + 2], words[places[1]]]):
            number, doubt = value(rate)
            near(ops, number * MIB / size, f"operations of {operation}", doubt * MIB / size)


def check_ior(text, ranks):
    """Returns how many rows of summaries were checked."""
    rows, names, total_bytes, checked = [], None, None, 0
    repetitions = re.search(r"repetitions\s*[:=] (\d+)", text)
    for line in text.splitlines():
        words = line.split()
        size = re.match(r"\s*aggregate filesize\s*[:=] (\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB)$", line)
        if size:
            total_bytes = float(size[1]) * {"bytes": 1, "KiB": 1024, "MiB": MIB, "GiB": 2**30}[size[2]]
        if words[:1] in (["access"], ["Operation"]) and len(words) > 4:
            names = re.sub(r"(Max|Min|Mean) \(", r"\1(", line).replace("Std Dev", "StdDev").split()
        elif words[:1] in (["write"], ["read"]) and names and names[0] == "access" and len(words) == len(names):
            rows.append(dict(zip(names, words)))
            check_ior_row(rows[-1], total_bytes, ranks)
        elif words[:1] in (["write"], ["read"]) and names and names[0] == "Operation":
            check_ior_summary(names, words, [row for row in rows if row["access"] == words[0]], ranks, int(repetitions[1]))
            checked += 1
        most = re.match(r"Max (Write|Read): +(\S+) MiB/sec \((\S+) MB/sec\)", line)
        if most:
            number, doubt = value(most[2])
            near(most[3], number * 1.048576, f"MB/s of {most[1]}", doubt * 1.05)
            known = [value(row["bw(MiB/s)"]) for row in rows if row["access"] == most[1].lower()]
            if known:
                near(most[2], max(rate for rate, _ in known), f"greatest {most[1]}", max(doubt for _, doubt in known))
    return checked


def check_ior_json(text):
    report, checked = json.loads(text[text.index("{"):text.rindex("}") + 1]), 0
    for summary in report["summary"]:
        test = next(test for test in report["tests"] if test["TestID"] == summary["TestID"])
        rows = [row for part in test["Results"] for row in (part if isinstance(part, list) else [part])
                if row["access"] == summary["operation"]]
        rates = [row["bwMiB"] for row in rows]
        doubt = 0.0002  # of numbers that IOR prints with four digits
        mean, deviation = spread(rates, False)
        per_mib = MIB / summary["transferSize"]
        for key, wanted in (("Max", max(rates)), ("Min", min(rates)), ("Mean", mean), ("Std", deviation)):
            near(summary[f"bw{key}MIB"], wanted, f"bw{key}MIB", doubt)
            near(summary["OPs" + key.replace("Std", "SD")], wanted * per_mib, f"OPs{key}", doubt * per_mib)
        near(summary["MeanTime"], sum(row["totalTime"] for row in rows) / len(rows), "MeanTime", doubt)
        checked += 1
    return checked


# ---------------------------------------------------------------- mdtest

TABLE = re.compile(r"SUMMARY (rate|time)(?: \(in \S+\))?: \(of (\d+) iterations\)")
ROW = re.compile(r"   (?P<name>\w+ [\w-]+)\s*:?\s+(?P<numbers>[\d.]+(?:\s+[\d.]+)+)$")
VERBOSE = re.compile(r"V-1: Rank   0 Line +\d+ (?:V-1: )?(?:main:? )?\s*(\w+ [\w-]+)\s*: +(\S+) sec, +(\S+) ops/sec$")


def check_mdtest(text, ranks, version, is_sample_of_3_3=False, is_weirs=False):
    """In the lines of -v mdtest has the rate of a task for items, and Weir that of all. Tables of two iterations follow from max and min; with -v, from the lines of iterations. Returns checked rows."""
    iterations, title, checked = 0, None, 0
    lines = {}
    for line in text.splitlines():
        head, row, verbose = TABLE.match(line), ROW.match(line), VERBOSE.match(line)
        if verbose:
            factor = 1 if verbose[1].startswith("Tree") or is_weirs else ranks
            number, doubt = value(verbose[3])
            lines.setdefault(verbose[1], []).append((number * factor, doubt * factor))
        if head:
            title, iterations = head[1], int(head[2])
        if not row or title is None:
            continue
        name, numbers = row["name"], row["numbers"].split()[-4:]
        is_sample = version not in ("3.2", "3.3")
        if title == "rate" and name in lines:
            known = lines[name]
            if len(known) != iterations:
                raise Difference(f"{name}: {len(known)} lines of {iterations} iterations")
            check_spread(numbers, [rate for rate, _ in known], max(doubt for _, doubt in known), is_sample, name)
            checked += 1
        elif iterations == 2 and float(numbers[0]) > 0 and not (is_sample_of_3_3 and not name.startswith("Tree")):
            # mdtest 3.3 counts the rate of each task in each iteration; of trees there is one.
            check_spread(numbers, [float(numbers[0]), float(numbers[1])], 0.0006, is_sample, f"{title} of {name}")
            checked += 1
        elif iterations == 1:
            check_spread(numbers, [float(numbers[0])], 0.0, is_sample, name)
            checked += 1
    return checked


def check_mdtest_json(text, is_cut=False):
    checked = 0
    for phase in json.loads(text)["runs"][0]["phases"]:
        figures = {name: figure["value"] for name, figure in phase["figures"].items()}
        kind, deed = phase["name"].split()[:2]
        # Those of a tree, and the renames of a chain, of which one more is made than there are items, are counted otherwise.
        if deed in ("creation", "stat", "read", "removal") and kind != "Tree":
            if not is_cut:
                near(figures["operations"], phase["items"] * phase["ranks"], f"operations of {phase['name']}")
            near(figures["ops"], figures["operations"] / figures["time"], f"rate of {phase['name']}", 1e-6 * figures["ops"])
            checked += 1
    return checked


def check_rank_csv(text, ranks):
    """Items are what a rate comes to in its time."""
    lines = [line.split(",") for line in text.splitlines()]
    head, checked = lines[0], 0
    for line in lines[1:]:
        if line[0] != "all":
            continue
        for i, name in enumerate(head):
            if name.startswith("rate-") and "rename" not in name and "Tree" not in name and line[i]:
                near(float(line[1]) * ranks, float(line[i]) * float(line[i + 1]), f"items of {name}", 1e-3 * ranks)
                checked += 1
    return checked


# ---------------------------------------------------------------- md-workbench


def check_mdworkbench(text, ranks, words):
    option = {key: int(value) for key, value in re.findall(r"-([DPIR])=?\s?(\d+)", " ".join(words))}
    head = re.search(r"MD-Workbench total objects: (\d+) workingset size: (\S+) MiB", text)
    sets = ranks * option["D"]
    near(head[1], sets * (option["P"] + option["R"] * option["I"]), "total objects")
    near(head[2], sets * option["P"] * 3901 / MIB, "size of the working set")
    checked = 1
    for line in text.splitlines():
        times = re.match(r"\w+ process max:(\S+)s min:(\S+)s mean: (\S+)s balance:(\S+) .* objects:(\d+).* rate:(\S+) obj/s", line)
        if not times:
            continue
        longest = [max(float(x) for x in re.findall(r"([\d.e+-]+)s", part)) for part in re.findall(r"\w+\(([^)]*s)\)", line)]
        op_max = re.search(r"op-max:(\S+?)s", line)
        near(op_max[1], max(longest), "op-max", 1e-4 * max(longest))
        # The greatest time to many digits is that in the rate of objects.
        max_s = float(times[5]) / float(times[6])
        near(times[1], max_s, "max", 1e-3 * max_s)
        if float(times[2]) > 0.1:
            near(times[4], 100 * float(times[2]) / max_s, "balance", 0.6 / max_s)
        checked += 1
    return checked


# ---------------------------------------------------------------- samples


SAMPLES = {
    "ior-default": check_ior, "ior-default-reps3-e-C": check_ior, "ior-v": check_ior, "ior-vv": check_ior,
    "ior-fpp-verify": check_ior, "ior-old-2.10.3": check_ior, "ior-old-3.0.1": check_ior, "ior-old-3.2.1": check_ior,
    "ior-old-3.3.0": check_ior, "ior-old-4.0.0": check_ior,
    "ior-json": lambda text, _: check_ior_json(text), "ior-old-3.3.0-json": lambda text, _: check_ior_json(text),
    "ior-old-4.0.0-json": lambda text, _: check_ior_json(text),
    "mdtest": lambda text, ranks: check_mdtest(text, ranks, "4.1"),
    "mdtest-v1": lambda text, ranks: check_mdtest(text, ranks, "4.1"),
    "mdtest-P": lambda text, ranks: check_mdtest(text, ranks, "4.1"),
    "mdtest-old-3.2.1": lambda text, ranks: check_mdtest(text, ranks, "3.2"),
    "mdtest-old-3.3.0": lambda text, ranks: check_mdtest(text, ranks, "3.3", True),
    "mdtest-old-4.0.0": lambda text, ranks: check_mdtest(text, ranks, "4.0"),
}


def read_samples(folder):
    for name, check in SAMPLES.items():
        ranks, _, output = command_of(load(folder, name))
        yield name, check, output, ranks
    for name in ("md-workbench",):
        ranks, words, output = command_of(load(folder, name))
        yield name, lambda text, ranks, words=words: check_mdworkbench(text, ranks, words), output, ranks


# ---------------------------------------------------------------- runs


def run_weir(weir, folder, ranks, *words):
    done = subprocess.run(["mpiexec", "-n", str(ranks), weir, *words], env=environment(TZ="UTC", TMPDIR=folder), cwd=folder,
                          check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0:
        raise Difference(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def make_runs(weir, folder):
    """Each dialect in the layout of each version: its name, the check, what was printed."""
    place = os.path.join(folder, "place")
    ior = ("ior", "-t", "64k", "-b", "256k", "-s", "2", "-i", "3", "-e", "-w", "-r", "-o", place)
    for version in ("2.10", "3.0", "3.2", "3.3", "4.0", "4.1"):
        # The rows of 2.10 are not printed.
        repetitions = ("-i", "2") if version == "2.10" else ()
        yield f"ior {version}", check_ior, run_weir(weir, folder, 2, *ior, *repetitions, "--compat", version)
    for version in ("3.3", "4.0", "4.1"):
        yield (f"ior {version} JSON", lambda text, _: check_ior_json(text),
               run_weir(weir, folder, 2, *ior, "--compat", version, "-O", "summaryFormat=JSON"))
    csv = os.path.join(folder, "ranks.csv")
    mdtest = ("mdtest", "-n", "60", "-z", "1", "-b", "2", "-w", "100", "-e", "100", "-d", place)
    for version in ("3.2", "3.3", "4.0", "4.1"):
        for more in (("-i", "3", "-v"), ("-i", "2"), ("-i", "2", "-P")):
            yield (f"mdtest {version} {' '.join(more)}", lambda text, ranks, version=version: check_mdtest(text, ranks, version, is_weirs=True),
                   run_weir(weir, folder, 2, *mdtest, *more, "--compat", version))
    yield "mdtest JSON", lambda text, _: check_mdtest_json(text), run_weir(weir, folder, 2, *mdtest, "-i", "3", "--summaryFormat", "JSON")
    # A stonewall that is hit for sure: an item takes 20 ms, and so would all of them 20 minutes.
    wall = ("mdtest", "-n", "60000", "-F", "-C", "-T", "-W", "1", "-x", os.path.join(folder, "status"), "-a", "DUMMY",
            "--dummy.delay-create", "20000", "-d", place)
    yield ("mdtest JSON after a stonewall", lambda text, _: check_mdtest_json(text, True),
           run_weir(weir, folder, 2, *wall, "--summaryFormat", "JSON"))
    for words in ((*mdtest, "-i", "2"), wall):
        if os.path.exists(csv):
            os.remove(csv)
        run_weir(weir, folder, 2, *words, f"--saveRankPerformanceDetails={csv}")
        with open(csv, encoding="utf-8") as file:
            yield f"mdtest ranks of {words[2]}", check_rank_csv, file.read()
    workbench = ("-D=2", "-P=40", "-I=40", "-R=3")
    yield ("md-workbench", lambda text, ranks: check_mdworkbench(text, ranks, workbench),
           run_weir(weir, folder, 2, "md-workbench", *workbench, "-o", place))


def main():
    deed, folder = sys.argv[1:3]
    failures, checked = 0, 0
    with tempfile.TemporaryDirectory() as work:
        if deed == "read":
            cases = read_samples(folder)
        else:
            cases = ((*case, 2) for case in make_runs(os.path.abspath(sys.argv[3]), work))
        for name, check, text, ranks in cases:
            try:
                count = check(text, ranks)
                if count == 0:
                    raise Difference("there is no figure to check")
                checked += count
            except Difference as why:
                print(f"{name}: {why}")
                failures += 1
    print(f"{checked} rows of figures are those of their parts, {failures} outputs are not")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
