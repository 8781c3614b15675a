# SPDX-License-Identifier: Apache-2.0
"""Readers of mdtest's outputs, written as sites write them that know mdtest only. Each takes a text; a text that is not
in its layout is a ValueError."""
import csv
import io
import re
from dataclasses import dataclass, field

NUMBER = r"\d+\.\d+"


@dataclass
class Report:
    version: str = ""
    tasks: int = 0
    nodes: int = 0
    files: int = 0
    what: str = ""
    path: str = ""
    tables: dict = field(default_factory=dict)  # title: {row: [max, min, mean, stddev], perhaps those of ranks before}
    iterations: list = field(default_factory=list)  # of -v: {operation: (seconds, rate)}
    processes: list = field(default_factory=list)  # of --print-all-procs: {test: [value of each task]}
    stonewalls: list = field(default_factory=list)  # (min, max, avg)


def need(match, what):
    if not match:
        raise ValueError(what)
    return match


def read_head(report, text, key):
    head = need(re.search(r"^-- started at \d\d/\d\d/\d{4} \d\d:\d\d:\d\d --\n\nmdtest-(\S+) was launched with (\d+) total "
                          r"task\(s\) on (\d+) node\(s\)\nCommand line used: (\S+)", text, re.M), "no head")
    report.version, report.tasks, report.nodes = head[1], int(head[2]), int(head[3])
    report.path = need(re.search(rf"^Path{key}: (.+)$", text, re.M), "no path")[1]
    need(re.search(rf"^FS{key}: {NUMBER} [GT]iB   Used FS: {NUMBER}%   Inodes: {NUMBER} Mi   Used Inodes: {NUMBER}%$", text,
                   re.M), "no file system")
    sizes = need(re.search(r"^(\d+) tasks, (\d+) (files/directories|files?|directories)$", text, re.M), "no sizes")
    report.files, report.what = int(sizes[2]), sizes[3]
    need(re.search(r"^-- finished at \d\d/\d\d/\d{4} \d\d:\d\d:\d\d --$", text, re.M), "no end")


def read_tables(report, text, row):
    for title, body in re.findall(r"^(SUMMARY .*)\n(   Operation .*\n   -+ .*\n(?:   .*\n)*)", text, re.M):
        rows = report.tables[re.sub(r" \(of \d+ iterations\)$", "", title)] = {}
        for line in body.splitlines()[2:]:
            found = need(row.match(line), f"no row: {line}")
            rows[found[1].strip()] = [float(number) for number in found[2].split()]


def read_extras(report, text):
    for line in text.splitlines():
        found = re.match(r"V-1: Rank +0 Line +\d+ (?:V-1: main:|main)? +(\w+ \w+) *: +([\d.]+) sec, +([\d.]+) ops/sec$", line)
        if re.search(r"main: \* iteration \d+ \*$", line):
            report.iterations.append({})
        elif found:
            report.iterations[-1][found[1]] = (float(found[2]), float(found[3]))
        found = re.match(r"Test (\w+ \w+) (\S+)$", line)
        if re.match(r"iteration: \d+$", line):
            report.processes.append({})
        elif found:
            report.processes[-1][found[1]] = [float(value) for value in found[2].split(",")]
        found = re.match(r"Continue stonewall hit min: (\d+) max: (\d+) avg: ([\d.]+) $", line)
        if found:
            report.stonewalls.append((int(found[1]), int(found[2]), float(found[3])))


def read(text, key, row, titles):
    report = Report()
    read_head(report, text, key)
    read_tables(report, text, re.compile(row))
    need(report.tables and set(report.tables) <= set(titles), f"titles: {list(report.tables)}")
    read_extras(report, text)
    return report


def mdtest_4_1(text):
    need(re.search(r"^Nodemap: [01]+\n(V-3: .*\n)*Path", text, re.M), "no node map before the path")
    return read(text, " *", r"   (\w+ \w+) +([\d. ]+)$", ["SUMMARY rate (in ops/sec):", "SUMMARY time (in ms/op):"])


def mdtest_4_0(text):
    need(re.search(r"^Nodemap: [01]+\n\d+ tasks", text, re.M), "no node map before the tasks")
    return read(text, " *", r"   (\w+ \w+) +([\d. ]+)$", ["SUMMARY rate:", "SUMMARY time:"])


def mdtest_3_3(text):
    need(re.search(r"^\nNodemap: [01]+\n\d+ tasks", text, re.M), "no node map before the tasks")
    return read(text, "", r"   (\w+ \w+) {8,}:((?: +[\d.]+){4})$", ["SUMMARY rate:", "SUMMARY time:"])


def mdtest_3_2(text):
    if "Nodemap" in text:
        raise ValueError("a node map")
    return read(text, "", r"   (\w+ \w+) *:((?: +[\d.]+){4})$", ["SUMMARY rate:", "SUMMARY time:"])


# ---------------------------------------------------------------- readers of sites

OPERATIONS = ["Directory creation", "Directory stat", "Directory removal", "File creation", "File stat", "File read",
              "File removal", "Tree creation", "Tree removal"]


def by_colon(text):
    """As tools for acceptance tests of 3.x: name, colon, four numbers (max, min, mean, std dev)."""
    found = {}
    for name in OPERATIONS:
        match = re.search(rf"{name}\s*:\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})", text)
        if match:
            found[name] = [float(number) for number in match.groups()]
    need(found, "no line with a colon")
    return found


def by_words(text):
    """As awk '/File creation/ {print $3}' and the like in 4.x: split at blanks, the third word is the maximum."""
    found = {}
    lines = text[text.index("SUMMARY rate"):].splitlines()
    for line in lines[3:]:
        words = line.split()
        if len(words) != 6 or " ".join(words[:2]) not in OPERATIONS + ["Directory rename"]:
            break
        found[" ".join(words[:2])] = [float(word) for word in words[2:]]
    need(found, "no rows of six words")
    return found


def by_regex(text):
    """As frameworks for benchmarks: one expression for each figure of merit."""
    pattern = r"^\s*{}\s*:?\s+(?P<max>[0-9.]+)\s+(?P<min>[0-9.]+)\s+(?P<mean>[0-9.]+)\s+(?P<stddev>[0-9.]+)\s*$"
    found = {}
    for name in OPERATIONS:
        match = re.search(pattern.format(name), text, re.M)
        if match:
            found[name] = [float(match[key]) for key in ("max", "min", "mean", "stddev")]
    need(found, "no figures")
    return found


def rank_csv(text):
    """Of --saveRankPerformanceDetails: the columns, and rows by column; columns that a row does not reach are empty."""
    reader = csv.DictReader(io.StringIO(text), restval="")
    rows = list(reader)
    need(reader.fieldnames and reader.fieldnames[:2] == ["rank", "items"] and len(reader.fieldnames) == 24, "no header")
    need(rows and rows[0]["rank"] == "all", "no line of all ranks")
    for row in rows:
        need(None not in row, f"too many fields: {row}")
        for name in reader.fieldnames[2:]:
            row[name] = float(row[name]) if row[name] else None
    return reader.fieldnames, rows
