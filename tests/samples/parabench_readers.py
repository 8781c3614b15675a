# SPDX-License-Identifier: Apache-2.0
"""Readers of Parabench's reports by the columns that its formats have, and of its results.xml. Each takes a text and gives what
it found; what is not of the format is a ValueError."""
import re
import xml.etree.ElementTree as tree

TITLES = {"time": "********************** Time Report **********************",
          "core": "******************* Core Time Report ********************",
          "commands": "******************** Command Report *********************"}
DASHES = 57 * "-"
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def need(condition, what):
    if not condition:
        raise ValueError(what)
    return condition


def section(lines, name):
    """Lines behind a title, to the next one, to the times of the run or to our own lines."""
    begin = need([at for at, line in enumerate(lines) if line == TITLES[name]], f"no {name} report")
    need(len(begin) == 1 and lines[begin[0] - 1] == "", f"{name} report: once, behind a blank line")
    body = lines[begin[0] + 1:]
    end = next((at for at, line in enumerate(body) if line in TITLES.values() or line.startswith(("Runtime:", "weir"))),
               len(body))
    return body[:end]


def fixed(line, widths):
    """Cells of columns that end where they end, with blanks between them."""
    cells, begin = [], 0
    for width in widths:
        cells.append(line[begin:begin + width].strip())
        begin += width
    need(len(line) == begin, f"{len(line)} columns, not {begin}: {line!r}")
    return cells


def size(text):
    match = need(re.fullmatch(r" {0,7}(\d+\.\d\d) (  B|[KMGTPE]iB)", text), f"no size: {text!r}")
    need(len(text) == 12, f"width of {text!r}")
    return float(match[1]) * 1024 ** UNITS.index(match[2].strip())


def read_times(text):
    """Rows of the Time Report: rank, number, label, seconds."""
    lines, rows = section(text.split("\n"), "time"), []
    if not lines or lines[0] == "No time events.":  # left out, as our own line behind the title tells
        return rows
    need(lines[0] == " [P]   [#]                       [event]        [seconds]", "headings")
    for line in lines[1:]:
        if not line:
            break
        if line == DASHES:
            continue
        rank, number, label, seconds = fixed(line, (3, 6, 31, 17))
        rows.append((int(rank), int(number), label, need(re.fullmatch(r"\d+\.\d{6}s", seconds), line)[0]))
    need("\n".join(lines).count("[P]          - Process rank\n[#]          - Execution order of the time command\n") == 1, "legend")
    ranks = [row[0] for row in rows]
    need(lines.count(DASHES) == sum(one != other for one, other in zip(ranks, ranks[1:])), "dashes between ranks")
    return rows


def value(line, word, unit):
    """Of a line under a label: 40 blanks, the word, the number, the unit."""
    need(line[:43] == f"{word:>43}" and line.endswith(unit) and len(line) == 57, f"{word} {unit}: {line!r}")
    return line[43:57 - len(unit)]


def read_cores(text):
    """Events of the Core Time Report: rank, number, label, three rates, three times, calls/s, bytes, seconds."""
    lines, events = section(text.split("\n"), "core"), []
    if not lines or lines[0] == "No coretime events.":
        return events
    need(lines[0] == " [P]   [#]                    [event]            [result]", "headings")
    at = 1
    while lines[at] != "[results]":
        if lines[at] == DASHES:
            at += 1
            continue
        block = lines[at:at + 12]
        rank, number, label = fixed(block[0][:37], (3, 6, 28))
        need(block[0][37:43] == "   avg", "avg")
        rates = [size(block[0][43:55])] + [size(value(block[i], word, "/s")) for i, word in ((1, "min"), (2, "max"))]
        need(block[0].endswith("/s") and len(block[0]) == 57, "width of the first line")
        need([line for line in block if not line] == 4 * [""] and not block[3] and not block[7] and not block[9], "blanks")
        times = [value(block[4 + i], word, " s").strip() for i, word in enumerate(("avg", "min", "max"))]
        need(len(block[8]) == 57, block[8])
        ops = need(re.fullmatch(r" {39}( *\d+) IOops/s", block[8]), block[8])[1].strip()
        total = need(re.fullmatch(r" {26}Total:(.{12}) / (\d+\.\d{6}) s", block[10]), block[10])
        events.append((int(rank), int(number), label, rates, times, int(ops), size(total[1]), total[2]))
        at += 12
    need(lines[at:at + 6][1:] == ["- Core time I/O throughput (average, min, max)", "- Calltime (average, min, max) for all statements",
                                  "  during this CoreTime Event", "- Total data processed per time in seconds",
                                  "  during this CoreTime event"], "legend")
    return events


def read_commands(text):
    """Lines of the Command Report: name, succeeded, failed."""
    rows = []
    for line in section(text.split("\n"), "commands"):
        if not line or line == "No I/O commands executed.":
            continue
        if not line.startswith(" "):  # the original may have crashed here
            break
        match = need(re.fullmatch(r" (\w{4,7}) +(\d+) successful / +(\d+) failed", line), line)
        need(fixed(line, (10, 13, 14, 13, 7)) == [match[1], match[2], "successful /", match[3], "failed"], line)
        rows.append((match[1], int(match[2]), int(match[3])))
    return rows


def read_summary(text):
    """Seconds and percents of the run; None if the program crashed before them."""
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines) if line.startswith("Runtime:")), None)
    if at is None:
        return None
    need(len(lines[at]) == 29, "Runtime")
    rows = [("Runtime:", fixed(lines[at], (12, 16, 1))[1])]
    for line, name in zip(lines[at + 1:at + 5], ("Setup:", "Parser:", "Interpreter:", "Finalize:")):
        word, seconds, unit, percent = fixed(line, (12, 16, 1, 10))
        need(word == name and unit == "s" and percent.endswith("%") and float(percent[:-1]) <= 100.0, line)
        rows.append((name, seconds))
    return rows


CORE = {"Throughput": ("avg", "min", "max"), "Calltime": ("avg", "min", "max"), "Requests": ("num", "time", "ioops")}


def read_xml(text):
    """The head, and the events of each kind as a list of names and attributes."""
    need(text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<Report '), "declaration")
    root = tree.fromstring(text.encode())
    need(root.tag == "Report" and list(root.attrib) == ["date", "time", "size", "kernel"], "head")
    need(re.fullmatch(r"\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d\.\d{3}", root.get("date") + " " + root.get("time")), "date")
    need([(part.tag, part.attrib) for part in root] == [("EventList", {"type": "CoreTime"}), ("EventList", {"type": "Time"})],
         "lists")
    lists = []
    for part, shape in zip(root, (CORE, {"Walltime": ("value",)})):
        found = []
        for event in part:
            need(event.tag == "Event" and list(event.attrib) == ["rank", "id", "name"], "event")
            need([(entry.tag, tuple(entry.attrib)) for entry in event] == list(shape.items()), "entries of an event")
            found.append((event.get("name"), int(event.get("rank")), int(event.get("id")), [dict(e.attrib) for e in event]))
        lists.append(found)
    return dict(root.attrib), lists[0], lists[1]
