#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures as an XML parser, an HTML parser and gnuplot read them: those that unit.picture draws, and, with a program, the
pages and all pictures of stored runs of every dialect. Nothing refers to the outside, and no number is missing."""
import collections
import csv
import html.parser
import io
import json
import math
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

FAULTS = []
COUNTS = collections.Counter()
GNUPLOT = shutil.which("gnuplot")
WORDS = re.compile(r"<title>.*?</title>|<desc>.*?</desc>|<text.*?</text>|aria-label=\"[^\"]*\"", re.S)
FOREIGN = re.compile(r"\b(nan|inf|undefined)\b|href|url\(|<script|<image|\bon\w+=")
VOID = {"meta", "br", "img", "link"}


def check_svg(name, text):
    root = tree.fromstring(text)
    if not root.get("aria-label") or root.get("role") != "img":
        FAULTS.append(f"{name}: no label for readers")
    if FOREIGN.search(WORDS.sub("", text)):
        FAULTS.append(f"{name}: {FOREIGN.search(WORDS.sub('', text))[0]}: a missing number, a script, or a reference")


def check_script(name, path):
    run = GNUPLOT and subprocess.run([GNUPLOT, "-e", "set terminal dumb noenhanced; set output '/dev/null'", path], capture_output=True, text=True, check=False)
    if run and (run.returncode != 0 or run.stderr.strip()):
        FAULTS.append(f"{name}: gnuplot: {run.stderr.strip()[:300]}")


class Page(html.parser.HTMLParser):
    """Elements are closed in order, and none is a script or names another file."""

    def __init__(self, name):
        super().__init__()
        self.name, self.open, self.ids, self.links = name, [], set(), []

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "link", "iframe", "img", "object", "base"):
            FAULTS.append(f"{self.name}: <{tag}>")
        for key, value in attributes:
            if key == "id" and value in self.ids:
                FAULTS.append(f"{self.name}: id {value} is there twice")
            if key == "id":
                self.ids.add(value)
            if key.startswith("on") or key == "src" or (key == "href" and not value.startswith("#")):
                FAULTS.append(f"{self.name}: {key}={value}")
            if key == "href":
                self.links.append(value[1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            FAULTS.append(f"{self.name}: </{tag}> closes another element")


def check_page(name, text):
    page = Page(name)
    page.feed(text)
    page.close()
    if page.open or set(page.links) - page.ids:
        FAULTS.append(f"{name}: left open {page.open}, links to nowhere {set(page.links) - page.ids}")
    for number, svg in enumerate(re.findall(r"<svg.*?</svg>", text, re.S)):
        check_svg(f"{name}, picture {number}", svg)
    if len(text) > 1 << 20:
        FAULTS.append(f"{name}: {len(text)} bytes")
    return len(re.findall("<svg", text))


def weir(*words, command="report"):
    done = subprocess.run([sys.argv[2], command, *words], capture_output=True, text=True, errors="replace", env={"LANG": "C.UTF-8"}, check=False)
    if done.returncode not in ((0, 1) if command == "report" else (0, 1, 3)):
        FAULTS.append(f"{words}: exit code {done.returncode}, {done.stderr[:300]}")
    return done.stdout


def values_of(script):
    """The rates in a script of gnuplot, without ideal lines and limits."""
    is_vertical = not re.search(r"set yrange \[\d+\.5:-0\.5\]", script)
    titles = dict(re.findall(r"\$layer(\d+) using .*?(notitle|title '[^']*')", script))
    for layer, data in re.findall(r"\$layer(\d+) << EOD\n(.*?)EOD", script, re.S):
        if not re.search("ideal|limit", titles.get(layer, "")):
            for line in data.splitlines():
                columns = line.split()
                yield from (float(text) for text in (*columns[is_vertical:is_vertical + 1], *columns[2:4]) if text != "?")


def check_figures(path, name, script):
    """A rate in a picture is one of --format csv-long, a median of repetitions, a mean of a target, or one of a line of md-workbench."""
    figures, targets = collections.defaultdict(list), collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(weir(path, "--format", "csv-long"))):
        if row["figure"] in ("rate", "ops"):
            figures[row["figure"], row["name"], row["step"], row["test"], row["phase"], row["part"], row["target"]].append(float(row["value"]))
            targets[row["figure"], row["name"], row["target"]].append(float(row["value"]))
    known = {value for values in figures.values() for value in (*values, statistics.median(values))} | {statistics.mean(each) for each in targets.values()}
    known |= {float(rate) for rate in re.findall(r"process max:.* rate:([\d.]+) iops/s", weir(path))} if "md-workbench" in path.name else set()
    values = list(values_of(script))
    strange = [value for value in values if not any(math.isclose(value, one, rel_tol=1e-6, abs_tol=0.05) for one in known)]
    if strange:
        FAULTS.append(f"{path.name} {name}: no report has the rates {strange[:4]}")
    return len(values)


def check_run(path, scratch):
    pictures = check_page(path.name, weir(path, "--run", "all", "--format", "html"))
    names = [line.split()[0] for line in weir(path, "--picture", "list").splitlines() if not re.match(r"\d+ more", line)]
    for name in names:
        check_svg(f"{path.name} {name}", weir(path, "--picture", name, "--format", "svg"))
        script = scratch / "script"
        script.write_text(weir(path, "--picture", name, "--format", "gnuplot"), encoding="utf-8")
        if re.match("operations|repetitions|sweep|targets", name):
            COUNTS["figures"] += check_figures(path, name, script.read_text(encoding="utf-8"))
        check_script(f"{path.name} {name}", script)
        lines = weir(path, "--picture", name).splitlines()
        if not 3 <= len(lines) <= 14 or max(map(len, lines)) > 78 or re.search(r"\b(nan|inf)\b", "".join(lines)):
            FAULTS.append(f"{path.name} {name}: {len(lines)} lines of text")
    return pictures


def check_redaction(path, scratch):
    """A host, a user, a path and their file in titles, tables, labels and texts of pages and pictures."""
    secrets = ("zebra17", "quagga", "okapi", "lynx.pbl")
    text = path.read_text(encoding="utf-8").replace('"vm"', '"zebra17"').replace("on vm", "on zebra17")
    text = text.replace("/tmp/tmp.SGsGN6y10r", "/home/quagga/okapi").replace("p.pbl", "lynx.pbl").replace('["f"]', '["/home/quagga/okapi/f"]')
    stored = scratch / "zebra17.jsonl"
    stored.write_text(text, encoding="utf-8")
    forms = [("report", stored, "--format", "html"), ("compare", stored, "--", scratch / "okapi.jsonl", "--format", "html")]
    (scratch / "okapi.jsonl").write_text(re.sub(r'"run_id":"(.)', r'"run_id":"f', text), encoding="utf-8")
    if not any(secret in weir(*words, command=command) for command, *words in forms for secret in secrets):
        FAULTS.append(f"{path.name}: no page has a name that could be redacted")
    forms.append(("report", stored, "--picture", "list"))
    for line in weir(stored, "--picture", "list", "--redact").splitlines():
        forms += [("report", stored, "--picture", line.split()[0], "--format", form) for form in ("svg", "gnuplot", "text")]
    for command, *words in forms:
        drawn = weir(*words, "--redact", command=command)
        for secret in secrets:
            if secret in drawn:
                FAULTS.append(f"{path.name}: {secret} is in {command} {words[1:]} --redact")


# ---- what pictures say of stored runs, some of them edited ----


def each_phase(change):
    """An edit of every phase of a result file."""

    def edit(records):
        for record in records:
            if record["record"] == "phase":
                change(record)

    return edit


def as_pairs(records):
    """A run of 70 pairs, each alone and then all at once, of which pair n has 100 + n MB/s; one round is out of bounds."""
    first = next(record for record in records if record["record"] == "measurement")
    at = records.index(first)
    records[:] = [record for record in records if record["record"] != "measurement"]
    records[0]["plan"]["pattern"] = "pairs"
    next(record for record in records if record["record"] == "network")["network"]["ranks"] = 140

    def measure(number, pairs):
        flows = [first["flows"][0] | {"source": k, "sink": 70 + k, "bytes": (100 + k) * 10**6, "seconds": 1.0} for k in pairs]
        return first | {"round": number, "alone": len(pairs) == 1, "seconds": 1.0, "bytes_per_s": sum(flow["bytes"] for flow in flows), "flows": flows}

    records[at:at] = [*(measure(k, [k]) for k in range(70)), measure(4000000000, [0]), measure(70, range(70)), measure(71, range(70)) | {"message_bytes": 512}]


def as_matrix(records):
    records[0]["plan"]["pattern"] = "all"


def as_sweep(values, *seconds, verdict="OK", axis="transfer"):
    """A sweep over these values, with the seconds of each repetition of each step. Steps are copies of the second one."""

    def edit(records):
        plan = records[0]["plan"]
        copied = [record for record in records if record.get("test") == 1]
        plan["sweep"]["axes"][0] |= {"name": axis, "values": list(values)}
        for step in range(2, len(values)):
            shift = 3 * (step - 1)
            test = json.loads(json.dumps(plan["tests"][1])) | {"test": step, "sweep_step": step}
            for each in (*test["phases"], *test["steps"]):
                if "phase" in each:
                    each["phase"] += shift
            plan["tests"].append(test)
            records[-1:-1] = [record | {"test": step} | ({"phase": record["phase"] + shift} if "phase" in record else {"sweep_step": step}) for record in copied]
        for record in records:
            if record["record"] == "phase" and record["verb"] == "write":
                total = seconds[record["test"]][record["repetition"]]
                record["windows"] = record["windows"] | {"total_s": total, "transfer_s": total}
                record["believed"] = verdict if record["test"] == 1 else "OK"

    return edit


def limited(write, read):
    """Plans of sweeps with limits in bytes per second."""
    return lambda records: records[0]["plan"]["sweep"].update(write_limit_per_s=write, read_limit_per_s=read)


def lasting(factor):
    """Phases that last longer after their last transfer."""
    return each_phase(lambda phase: phase["windows"].update(total_s=factor * phase["windows"]["total_s"]))


def of_ranks(*rates):
    """Phases with these rates of ranks, in bytes per second."""

    def edit(records):
        for record in records:
            record.update({"ranks": len(rates)} if "ranks" in record else {})
            if record["record"] == "phase":
                record.pop("placement", None)
                record.update(each_rank={"in_bytes": True, "rates": {"rank": list(range(len(rates))), "per_s": rates}})

    return edit


def repeated(*changes):
    """Phases are repeated, each repetition with a change."""

    def edit(records):
        test = records[0]["plan"]["tests"][0]
        test["repetitions"] = test["steps"][0]["count"] = len(changes)
        phases = [record for record in records if record["record"] == "phase"]
        at = records.index(phases[0])
        copies = [json.loads(json.dumps(phase)) | {"repetition": n, "loops": [n]} for n in range(len(changes)) for phase in phases]
        for copy in copies:
            changes[copy["repetition"]](copy)
        records[:] = [*records[:at], *copies, *(record for record in records[at:] if record["record"] != "phase")]

    def first_run(records):
        del records[next(i for i, record in enumerate(records) if record["record"] == "end") + 1 :]
        edit(records)

    return first_run


def takes(seconds, **others):
    """A change of the time of a phase, and of other members."""
    return lambda phase: phase.update(windows=phase["windows"] | {"total_s": seconds}, **others)


def few(phase):
    """A change: a phase with 16 times of operations."""
    for name in ("latency", "response"):
        if phase.get(name):
            phase[name] = phase[name] | {"total": 16, "buckets": [[phase[name]["buckets"][0][0], 16]]}


@each_phase
def without_events(phase):
    """Rank 1 has no listed execution of the first label."""
    if "program_result" in phase:
        result = phase["program_result"]
        gone = [at for at in range(len(result["events"]["rank"])) if (result["events"]["rank"][at], result["events"]["label"][at]) == (1, 0)]
        result["events"] = {key: [value for at, value in enumerate(values) if at not in gone] for key, values in result["events"].items()}
        result["unlisted_events"] = 5


def with_more_ranks(phase):
    """A change: the ranks of a phase are doubled from test to test."""
    phase.update(ranks=2 ** phase["test"])
    phase.pop("placement", None)


def many(phase):
    """A change: a phase with 100 times of operations."""
    if phase.get("latency") and phase["latency"]["buckets"]:
        phase["latency"] = phase["latency"] | {"total": 100, "buckets": [[phase["latency"]["buckets"][0][0], 100]]}


def with_words(*words):
    """A command line of these words."""

    def edit(records):
        records[0]["argv"] = [*records[0]["argv"][:2], *words]
        records[0]["plan"]["command_line"] = "not to be split"

    return edit


def with_script(records):
    records[0]["script"] = "open(/home/quagga/x)"


def after(first, second):
    """Two edits."""
    return lambda records: (first(records), second(records))


def twice(edit):
    """A file with the edited run and a copy of it."""

    def both(records):
        edit(records)
        records += [json.loads(json.dumps(record)) | {"run_id": record["run_id"][::-1]} for record in records]

    return both


def unchanged(records):
    assert records


def one_slow_pair(records):
    """A matrix of two pairs, of which one is slow."""
    as_matrix(records)
    for record in records:
        if record["record"] == "measurement":
            record["flows"][0] = record["flows"][0] | {"bytes": record["flows"][0]["bytes"] // 10}


RANKS = [200e6, 500e6, *(1e9 + n for n in range(98))]
SIZES = ("64k", "128k", "256k", "512k")
GROWING = ((0.04, 0.0401), (0.02, 0.0201), (0.01, 0.0101), (0.01, 0.0101))
NOISY = ((0.04, 0.01), (0.03, 0.01), (0.04, 0.02), (0.01, 0.05))

# A file, an edit of its records, options of weir report, and patterns that its output has or, after "!", does not have.
def with_series(phase):
    phase["series"] = {"interval_ns": 2**20, "ops": [5] * 20, "bytes": [0] * 20}


SAYS = (
    ("picture/ranks.jsonl", None, "--run 1 --picture rate-write", "░"),
    ("picture/ranks.jsonl", each_phase(lambda phase: phase["rank_series"].update(in_bytes=False) if "rank_series" in phase else None), "--run 1 --picture rate-write", "!░"),
    ("picture/ranks.jsonl", None, "--run 1 --picture rate-write", "least to greatest of ranks, times 4", "whole phase 38.7 MB/s"),
    ("picture/ranks.jsonl", None, "--run 1 --picture rate-write --format svg", "!last transfer"),
    ("picture/ranks.jsonl", lasting(2), "--run 1 --picture rate-write --format svg", ">last transfer<", "synced and closed", ">0.8<|>800<", "whole phase 19.4 MB/s"),
    ("picture/ranks.jsonl", of_ranks(1e6, 2e6, 4e6, 5e6), "--run 1 --picture ranks-write --format gnuplot", r"graph 0, first 3000000 to"),
    ("picture/ranks.jsonl", of_ranks(*RANKS), "--run 1 --picture ranks-write --format svg", ">rank 0[,<]", ">rank 1[,<]", "!>rank 2[,<]", "below 70 % of the median"),
    ("picture/ranks.jsonl", of_ranks(*RANKS[:2], 8e8, *RANKS[2:]), "--run 1 --picture ranks-write --format svg", ">rank 2[,<]"),
    ("picture/ranks.jsonl", repeated(takes(0.5), takes(0.6), takes(0.4, outcome="partial")), "--picture repetitions", "× not to be used", "│.*×"),
    ("picture/ranks.jsonl", repeated(takes(0.9), takes(0.5), takes(0.4)), "--picture rate-write", "┈ median 33.6 MB/s "),
    ("picture/ranks.jsonl", repeated(takes(0.9), takes(0.5), takes(0.4)), "--picture rate-write --format gnuplot", "'repetition 0' dashtype 1.*\n.*'repetition 1' dashtype 2.*\n.*'repetition 2'"),
    ("picture/ranks.jsonl", repeated(*[takes(0.5)] * 3, takes(0.5, failure="rank 0: no space", outcome="partial")), "--picture rate-write --format svg", "!failed", "1 repetition is left out"),
    ("picture/ranks.jsonl", repeated(*[takes(0.5)] * 8), "--picture latency-write --format svg", "3 repetitions are left out"),
    ("picture/ranks.jsonl", repeated(takes(0.5, failure="rank 0: no space", outcome="partial"), takes(0.5)), "--picture rate-write --format svg", "[> ]repetition 0 failed<"),
    ("picture/ranks.jsonl", None, "--run 1 --picture latency-write", "response, all operations .*service, all operations"),
    ("picture/ranks.jsonl", repeated(few, takes(0.5)), "--picture list", "^latency-write|\nlatency-write"),
    ("verdict/parabench.jsonl", without_events, "--picture labels --format svg", "5 executions are not in the file"),
    ("verdict/parabench.jsonl", without_events, "--picture labels", r"\n +write│"),
    ("verdict/parabench.jsonl", None, "--picture labels", r"!\n +write│"),
    ("verdict/ior-cached.jsonl", None, "--picture repetitions --format gnuplot", r"set title '\[DO NOT USE\] Rates of repetitions'"),
    ("verdict/ior-ok.jsonl", None, "--picture list", "!\\["),
    ("verdict/mdtest-memory.jsonl", None, "--picture operations --format svg", r"\[DO NOT USE\] Operations per second", ">not to be used<"),
    ("verdict/ior-ok.jsonl", with_words("-o", "/my file/it's", "--label", "a --result b", "--set=x=1", "--result", "q r", "-F"), "--format html", r"weir ior -o &#39;/my file/it&#39;\\&#39;&#39;s&#39; -F --result NEW|weir ior -o '/my file/it'\\''s' -F --result NEW"),
    ("verdict/parabench.jsonl", with_script, "--format html", "The script</summary>.*open"),
    ("verdict/parabench.jsonl", with_script, "--format html --redact", "script is left out", "!The script</summary>", "!quagga"),
    ("verdict/targets.jsonl", None, "--picture list", "rate-write-all-at-once +.*write, all at once: rate"),
    ("verdict/iozone-auto.jsonl", each_phase(many), "--picture list", "latency-write-64k-4k +.*write, 64k/4k: time"),
    ("verdict/sweep.jsonl", twice(as_sweep(SIZES, *GROWING)), "--run all --format html", "<td>write 52.4 MB/s to 209 MB/s, read "),
    ("verdict/md-workbench.jsonl", twice(unchanged), "--run all --format html", "<td>precreate 27.1 kops/s, benchmark 45.6 kops/s, cleanup 47.0 kops/s<"),
    ("verdict/md-workbench.jsonl", each_phase(with_series), "--picture rate-cleanup-data-sets", "● all ranks", "!whole phase"),
    ("verdict/md-workbench.jsonl", each_phase(with_series), "--picture rate-benchmark", "┈ median 45.6 kops/s"),
    ("verdict/md-workbench.jsonl", None, "--picture operations --format svg", "27.1 kops/s", "45.6 kops/s", "47.0 kops/s", ">precreate<", "!objects"),
    ("verdict/md-workbench.jsonl", None, "--picture list", r"latency-cleanup-objects +.*cleanup \(objects\)"),
    ("data/net.jsonl", as_pairs, "--picture pairs --format svg", r"sum of 70, rate 9\.41 GB/s", "7 rows are left out"),
    ("data/net.jsonl", as_matrix, "--picture list", "^pairs-matrix"),
    ("data/net.jsonl", one_slow_pair, "--picture pairs-matrix", "│.*×", "× slow"),
    ("data/net.jsonl", one_slow_pair, "--picture pairs-matrix --format gnuplot", "title 'slow'"),
    ("data/net.jsonl", as_pairs, "--picture list", "!pairs-matrix"),
    ("verdict/sweep.jsonl", as_sweep(SIZES, *GROWING), "--picture sweep-write --format svg", ">knee<", "The knee is", "<path class=.line"),
    ("verdict/sweep.jsonl", as_sweep(SIZES, *NOISY), "--picture sweep-write --format svg", "!knee"),
    ("verdict/sweep.jsonl", as_sweep(("4", "1", "2", "8"), *GROWING, axis="ranks"), "--picture sweep-write --format gnuplot", r"\n 1 5[\d.]+ \? \?\n 2 5[\d.]+ \? \?\n", "ideal"),
    ("verdict/sweep.jsonl", after(as_sweep(("1", "2", "4", "8"), *GROWING, axis="ranks"), each_phase(with_more_ranks)), "--picture sweep-write --format gnuplot", r"\n 2 104\d+[.\d]* \? \?\n 4 20[.\d]+ \? \?\n 4\.[34]\d+ 23[.\d]+ \? \?\nEOD"),
    ("verdict/sweep.jsonl", after(as_sweep(("64k", "6", "256k", "512k"), *GROWING), each_phase(many)), "--picture list", "latency-write-transfer-64k ", "latency-write-transfer-6 "),
    ("verdict/sweep.jsonl", as_sweep(SIZES[:3], *GROWING), "--picture sweep-write --format svg", "!knee"),
    ("verdict/sweep.jsonl", as_sweep(("POSIX", "URING", "MMAP", "STDIO"), *GROWING), "--picture sweep-write --format svg", "!knee", "!<path class=.line"),
    ("verdict/sweep.jsonl", as_sweep(("256k", "64k", "512k", "128k"), *GROWING), "--picture sweep-write --format gnuplot", r"\n 65536 .*\n 131072 .*\n 262144 .*\n 524288 "),
    ("verdict/sweep.jsonl", as_sweep(SIZES, *GROWING, verdict="DO NOT USE"), "--picture sweep-write", "│.*×", "median +× not to be used"),
    ("verdict/sweep.jsonl", as_sweep(SIZES, *GROWING), "--picture sweep-write", "!not to be used"),
    ("verdict/sweep.jsonl", as_sweep(SIZES, *GROWING), "--picture list", r"^sweep-all +.*Phases over transfer\nsweep-write ", "!sweep-all-ops"),
    ("verdict/sweep.jsonl", after(as_sweep(SIZES, *GROWING), limited(1e9, 1e9)), "--picture sweep-all --format svg", ">write<", ">read<", ">limit 1 GB/s<", ">knee, 21 % of limit<", "!write limit"),
    ("verdict/sweep.jsonl", after(as_sweep(SIZES, *GROWING), limited(1e9, 5e8)), "--picture sweep-all --format svg", ">write limit 1 GB/s<", ">read limit 500 MB/s<", "!ideal"),
    ("verdict/sweep.jsonl", as_sweep(("1", "2", "4", "8"), *GROWING), "--picture sweep-write --format svg", ">knee<"),
)


def check_comparison(folder, scratch):
    """Runs that differ by their times; the second one has failed to read."""
    records = [json.loads(line) for line in (folder / "verdict/ior-ok.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["run_id"] = record["run_id"][::-1]
        if record["record"] == "phase" and record["verb"] == "read":
            record.update(outcome="partial", believed="PARTIAL", failure="rank 0: no space")
    (scratch / "b.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    text = weir(folder / "verdict/ior-ok.jsonl", "--", scratch / "b.jsonl", "--picture", "change", "--format", "svg", command="compare")
    for pattern in ("1 case is left out", "direction is not known", "!no difference"):
        if (pattern.removeprefix("!") in text) == pattern.startswith("!"):
            FAULTS.append(f"compare: {'has' if pattern[0] == '!' else 'lacks'} {pattern.removeprefix('!')}")


def check_says(folder, scratch):
    for name, edit, options, *patterns in SAYS:
        path = folder / name
        if edit:
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            edit(records)
            path = scratch / "edited.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        text = weir(path, *options.split())
        for pattern in patterns:
            if bool(re.search(pattern.removeprefix("!"), text)) == pattern.startswith("!"):
                FAULTS.append(f"{name}, {options}: {'has' if pattern[0] == '!' else 'lacks'} {pattern.removeprefix('!')}")


def check_hostile(path, scratch):
    """A host whose name is markup is a text wherever it is shown."""
    stored = scratch / "hostile.jsonl"
    stored.write_text(path.read_text(encoding="utf-8").replace('"vm"', json.dumps('"><script>alert(1)</script>')), encoding="utf-8")
    check_run(stored, scratch)
    for words in (("--format", "html"), ("--format", "svg", "--picture", "ranks-write")):
        if "&quot;&gt;&lt;script&gt;alert" not in weir(stored, *words):
            FAULTS.append(f"{path.name}: the name of the host is not in {words}")


def check_size(path, scratch):
    """The page of 10 phases of 1,024 ranks, whose progress is random, has at most 1 MB."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/bench.d"))
    import reports
    dice, records = random.Random(7), [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wide = scratch / "wide.jsonl"
    wide.write_text("".join(json.dumps(reports.widen(record, 1024, 64, dice)) + "\n" for record in records), encoding="utf-8")
    page = weir(wide, "--format", "html")
    phases = sum(record["record"] == "phase" for record in records)
    maps = page.count("rate by rank and time</")
    if phases < 10 or maps < 8 or len(page) > 1000000:
        FAULTS.append(f"{path.name}: {maps} maps of {phases} phases on a page of {len(page)} bytes")


def main():
    folder = pathlib.Path(sys.argv[1])
    pictures = 0
    for path in sorted((folder / "picture").glob("*")):
        if path.suffix == ".svg":
            check_svg(path.name, path.read_text(encoding="utf-8"))
            pictures += 1
        elif path.suffix == ".gp":
            check_script(path.name, path)
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted((*(folder / "verdict").glob("*.jsonl"), *(folder / "data").glob("*.jsonl"), *(folder / "picture").glob("*.jsonl"))):
            pictures += check_run(path, pathlib.Path(scratch))
        check_size(folder / "verdict/mdtest.jsonl", pathlib.Path(scratch))
        check_hostile(folder / "picture/ranks.jsonl", pathlib.Path(scratch))
        for name in ("picture/ranks.jsonl", "verdict/parabench.jsonl"):
            check_redaction(folder / name, pathlib.Path(scratch))
        check_says(folder, pathlib.Path(scratch))
        check_comparison(folder, pathlib.Path(scratch))
    if COUNTS["figures"] < 100:
        FAULTS.append(f"only {COUNTS['figures']} figures of reports in pictures")
    print("\n".join(FAULTS) or f"{pictures} pictures with {COUNTS['figures']} figures of reports are sound" + ("" if GNUPLOT else " (no gnuplot: its scripts were not run)"))
    sys.exit(bool(FAULTS))


main()
