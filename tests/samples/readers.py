# SPDX-License-Identifier: Apache-2.0
"""Readers of IOR's outputs, one for each layout, written as a site would write them that knows IOR only: lines are found
by the words they begin with, split at blanks, and columns have the names that stand above them. Whatever a reader does
not look for, it skips. Each takes a text and gives a Report; a text that is not in its layout is a ValueError."""
import csv
import io
import json
import re
from dataclasses import dataclass, field


@dataclass
class Report:
    """What was read: texts as they stand there, numbers not yet converted."""
    head: dict = field(default_factory=dict)  # Began, Command line, ..., Finished: in the order of their lines
    options: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)
    columns: list = field(default_factory=list)  # of the table of phases
    rows: list = field(default_factory=list)  # a dictionary for each, by column
    maxima: dict = field(default_factory=dict)  # "Write": (MiB/s, MB/s)
    summary_columns: list = field(default_factory=list)
    summary: list = field(default_factory=list)
    hints: list = field(default_factory=list)  # (what, how many rows stood before it, {key: value})
    stamps: list = field(default_factory=list)  # of -vvv: (test, iteration, task, event)
    tasks: list = field(default_factory=list)  # of -vvv: (task, what it does)
    document: dict = field(default_factory=dict)  # JSON as it is


def numbered(names):
    """Names without doubles: the second "StdDev" becomes "StdDev.2"."""
    seen, result = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return result


def need(condition, what):
    if not condition:
        raise ValueError(what)


def row_of(columns, line):
    fields = line.split()
    need(len(fields) == len(columns), f"{len(fields)} fields under {len(columns)} columns: {line}")
    return dict(zip(columns, fields))


# ---------------------------------------------------------------- what several layouts have in common

ROW = re.compile(r"(write|read|remove)\s")
RESULT_ROW = re.compile(r"(write|read)\s")
MAXIMUM = re.compile(r"Max (Write|Read):\s+([\d.]+) MiB/sec \(([\d.]+) MB/sec\)$")
HINTS = re.compile(r"hints (passed to|returned from) .* \{$")
STAMP = re.compile(r"Test (\d+): Iter=(\d+), Task=(\d+), Time=\d+\.\d{6}, (.+)$")
TASK = re.compile(r"task (\d+) (writing|reading|removing|verifying) .*$")


def read_maximum(report, line):
    match = MAXIMUM.match(line)
    if match:
        report.maxima[match[1]] = (match[2], match[3])
    return match is not None


def read_hints(report, line, lines):
    """The block of a file's hints ends with a brace."""
    match = HINTS.match(line)
    if not match:
        return False
    hints = {}
    for inner in lines:
        if inner == "}":
            break
        key, _, value = inner.strip().partition(" = ")
        hints[key] = value
    report.hints.append((match[1], len(report.rows), hints))
    return True


def without_chatter(report, line, lines):
    """What tasks print at -vvv whenever they like, taken out: one may stand within a line of another, which then goes on
    in the next."""
    for pattern, found in ((STAMP, report.stamps), (TASK, report.tasks)):
        match = pattern.search(line)
        if match:
            found.append(match.groups())
            line = line[:match.start()] and line[:match.start()] + next(lines, "")
    return line


def read_tables(report, line):
    """Lines under a line of names: first those of phases, then those of the summary."""
    if line.startswith("access "):
        report.columns = numbered(line.split())
    elif line.startswith("Operation "):
        report.summary_columns = numbered(line.split())
    elif report.summary_columns and RESULT_ROW.match(line):
        report.summary.append(row_of(report.summary_columns, line))
    elif report.columns and not report.summary_columns and ROW.match(line):
        report.rows.append(row_of(report.columns, line))
    else:
        return False
    return True


# ---------------------------------------------------------------- 3.2 to 4.1


def classic(text, columns):
    """The layout of 3.2 and later. Words stand before a colon at column 20 or behind them; a table of phases has so many
    columns."""
    report = Report()
    lines = iter(text.splitlines())
    place = report.head
    need(next(lines, "").startswith("IOR-") or text.startswith("WARNING"), "no banner")
    for line in lines:
        line = without_chatter(report, line, lines)
        if line.startswith("WARNING: "):
            continue
        if line.strip() in ("Options:", "Parameters:", "Results:"):
            place = {"O": report.options, "P": report.parameters}.get(line[0])
        elif line.startswith("Summary of all tests"):
            place = None
        elif line == "STARTING ENVIRON LOOP":
            for inner in lines:
                if inner == "ENDING ENVIRON LOOP":
                    break
        elif read_hints(report, line, lines) or read_maximum(report, line) or read_tables(report, line):
            pass
        elif line.startswith("Finished"):
            report.head["Finished"] = line.partition(": ")[2]
        elif place is not None and re.match(r"[A-Za-z/ ]+:", line):
            key, _, value = line.partition(":")
            place[key.strip()] = value.strip()
    need(report.head and report.options, "no head or no options")
    need(len(report.columns) == columns, f"{len(report.columns)} columns in the table of phases, not {columns}")
    return report


def ior_4(text):
    report = classic(text, 11)
    need(len(report.summary_columns) == 27, "the summary has not 27 columns")
    return report


def ior_3_3(text):
    return ior_4(text)


def ior_3_2(text):
    report = classic(text, 9)
    need(len(report.summary_columns) == 25, "the summary has not 25 columns")
    return report


# ---------------------------------------------------------------- 2.10 and 3.0


def read_setting(report, line):
    """A line of the block "Summary:": a tab, and an equals sign somewhere."""
    if not line.startswith("\t"):
        return False
    key, _, value = line.partition("=")
    report.options[key.strip()] = value.strip()
    return True


def read_head(report, line):
    match = re.match(r"([A-Z][\w ]*): (.*)$", line)
    if match:
        report.head[match[1]] = match[2]
    return match is not None


def ior_3_0(text):
    """Settings behind equals signs, nine columns, and a summary whose sizes are bytes."""
    report = Report()
    lines = iter(text.splitlines())
    need(next(lines).startswith("IOR-"), "no banner")
    for line in lines:
        if line.startswith(("WARNING: ", "Max ")):
            read_maximum(report, line)
        elif line.startswith("--- stderr"):
            break
        elif not read_tables(report, line) and not read_setting(report, line):
            read_head(report, line)
    need(len(report.columns) == 9, "the table of phases has not 9 columns")
    need(len(report.summary_columns) == 21, "the summary has not 21 columns")
    return report


# What stands under names with blanks in them, and, at -v, under names that fit none of the values.
TABLE_2 = ["Operation", "Max (MiB)", "Min (MiB)", "Mean (MiB)", "Std Dev", "Max (OPs)", "Min (OPs)", "Mean (OPs)",
           "Std Dev.2", "Mean (s)"]
MORE_2 = ["#Tasks", "tPN", "reps", "fPP", "reord", "reordoff", "reordrand", "seed", "segcnt", "blksiz", "xsize", "aggsize",
          "refnum", "API"]


def ior_2_10(text):
    """No rows of phases: only a summary, whose lines end with a word for spreadsheets."""
    report = Report()
    lines = iter(text.splitlines())
    need(next(lines).startswith("IOR-"), "no banner")
    for line in lines:
        if line.startswith(("WARNING: ", "Max ")):
            read_maximum(report, line)
        elif line.startswith("Operation  "):
            names = re.split(r"\s{2,}", line.strip())
            need(numbered(names)[:10] == TABLE_2, f"other names: {names}")
            report.summary_columns = TABLE_2 + (MORE_2 if len(names) > 10 else []) + ["EXCEL"]
        elif RESULT_ROW.match(line):
            report.summary.append(row_of(report.summary_columns, line))
            need(report.summary[-1]["EXCEL"] == "EXCEL", "the last word is another")
        elif not read_setting(report, line):
            read_head(report, line)
    need(report.summary_columns, "no table")
    return report


# ---------------------------------------------------------------- JSON


def unique(pairs):
    """3.3 writes some keys of the summary twice, with the same value."""
    result = {}
    for key, value in pairs:
        need(key not in result or result[key] == value, f"{key} has two values")
        result[key] = value
    return result


def ior_json(text):
    document = json.loads(text, object_pairs_hook=unique)
    report = Report(document=document)
    for test in document["tests"]:
        for entry in test["Results"]:
            report.rows += entry if isinstance(entry, list) else [entry]
    report.summary = document["summary"]
    need(report.rows and report.summary, "no results")
    return report


def ior_json_3_2(text):
    """The JSON of 3.2 has a banner before it and stray brackets before each removal."""
    text = text[text.index("{"):]
    return ior_json(re.sub(r"\[ \][\s},]*(?=\{)", ",", text))


# ---------------------------------------------------------------- CSV


def read_csv(text, first):
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="too many")
    rows = list(lines)
    need(lines.fieldnames and lines.fieldnames[0] == first, f"other columns: {lines.fieldnames}")
    for row in rows:
        need("too many" not in row and None not in row.values(), f"fields and columns do not fit: {row}")
    return Report(columns=list(lines.fieldnames), rows=rows)


def without_ours(report):
    """Readers take columns by their names: the two that Weir adds at the end are not looked at."""
    if report.columns[-2:] == ["believed", "findings"]:
        report.columns = report.columns[:-2]
        report.rows = [{name: row[name] for name in report.columns} for row in report.rows]
    return report


def ior_csv(text):
    report = without_ours(read_csv(text, "access"))
    need(len(report.columns) == 12, "not 12 columns")
    return report


def rank_csv(text):
    report = without_ours(read_csv(text, "access"))
    need(report.columns[1] == "rank" and len(report.columns) == 6, f"other columns: {report.columns}")
    return report


def op_csv(text):
    report = read_csv(text, "time")
    need(report.columns == ["time", "runtime", "tp"], f"other columns: {report.columns}")
    return report


# ---------------------------------------------------------------- help

OPTION = re.compile(r"  (?:-(\w))?(?:, )?(?:--([\w.-]+?))?(?:=(\S+))?(?:  +(.*))?$")
DIRECTIVE = re.compile(r"  -O (\w+)=")


def ior_help(text):
    """Options by module: letters and long names, with the default where one stands. IOR's long name is the first word of
    the help where the option has only a letter."""
    report = Report()
    module = "IOR"
    need(text.startswith("Synopsis"), "no synopsis")
    for line in text.splitlines():
        directive, option = DIRECTIVE.match(line), OPTION.match(line)
        if line.startswith("--- stderr"):
            break
        if line.startswith("Module "):
            module = line.split()[1]
        elif line and not line.startswith(" ") and line.split()[0] not in ("Synopsis", "Flags", "Optional"):
            module = line.strip()
        elif directive:
            report.options[module, directive[1].lower()] = None
        elif option and (option[1] or option[2]):
            if option[1]:
                report.options[module, option[1]] = option[3]
            if option[2]:
                report.options[module, option[2].lower()] = option[3]
            word = re.match(r"(\w+)\s+--", option[4] or "")
            if word and not option[2]:
                report.options[module, word[1].lower()] = option[3]
    need(report.options, "no options")
    return report
