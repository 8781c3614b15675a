# SPDX-License-Identifier: Apache-2.0
"""Readers of IOzone's output, each as a program that is in use goes about it, from a description of what it relies on.
Each takes the lines of an output and gives what it found; an output that it cannot read is a ValueError."""
import re


def need(condition, what):
    if not condition:
        raise ValueError(what)
    return condition


# ---------------------------------------------------------------- the table of a single stream

def read_header(lines):
    """iozone2csv: what stands before the table, from places that are counted from both ends."""
    words = ("random", "bkwd", "record", "stride")
    first = next((i for i, line in enumerate(lines) if all(word in line.lower() for word in words)
                  and line.lower().count("random") == 2), None)
    header = lines[:need(first, "no headings")]
    version = next((m.group() for m in (re.search(r"\d\.\d+", line) for line in header[:4]) if m), None)
    build = next((line.split()[-1] for line in header[:5] if "build" in line.lower()), None)
    unit = next((line.split()[-1] for line in header[-10:] if "output is in" in line.lower()), None)
    resolution = next((line for line in header[-10:] if "time resolution =" in line.lower()), None)
    cache = next((line.split()[-2] for line in header[-10:] if "processor cache size set to" in line.lower()), None)
    stride = next((line.split()[5] for line in header[-5:] if "file stride size set to" in line.lower()), None)
    need(version and build and resolution and cache and stride, "a line of the header")
    rows = [line.split() for line in lines[first:] if len(re.findall(r"(?<=\s)\d+(?=\s)", line + " ")) > 6]
    return version, build, unit, cache, stride, rows


WIDTHS = {"3.487": (16, 8, 9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9),
          "3.420": (16, 8, 8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9)}


def read_fixed(lines, version="3.487"):
    """The results comparator of Rovanion: fixed widths; blanks are tests that were not selected."""
    rows = []
    for line in lines:
        if not re.match(r"^\s+\d+\s+\d+\s+\d+", line):
            continue
        cells, begin = [], 0
        for width in WIDTHS[version]:
            cells.append(line[begin:begin + width].strip())
            begin += width
        rows.append([int(cell) if cell else None for cell in cells])
    return need(rows, "no rows")


def read_named(lines):
    """iozoneparser: names of columns from both lines of headings, where they overlap; rows until a blank line."""
    at = need(next((i for i, line in enumerate(lines) if re.match(r"\s+kB  reclen", line)), 0), "no headings")
    above = [(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+", lines[at - 1])]
    names = []
    for match in re.finditer(r"\S+", lines[at]):
        over = [word for word, begin, end in above if begin < match.end() and end > match.start()]
        names.append(" ".join(over + [match.group()]))
    rows = []
    for line in lines[at + 1:]:
        if not line.strip():
            break
        rows.append(line.split())
    return names, rows


def read_integers(lines):
    """avocado, autotest: lines of exactly 15 integers."""
    rows = [line.split() for line in lines]
    return [[int(word) for word in row] for row in rows if len(row) == 15 and all(word.isdigit() for word in row)]


def read_fields(lines):
    """awk of IOzone's own scripts: lines whose first field is a number."""
    return [row for row in (line.split() for line in lines) if row and re.fullmatch(r"\d+", row[0])]


def read_between(lines):
    """Linaro: rows between the headings and the end."""
    at = next((i for i, line in enumerate(lines) if re.search(r"kB\s+reclen", line)), None)
    end = next((i for i, line in enumerate(lines) if "iozone test complete." in line), None)
    return [line for line in lines[need(at, "no headings") + 1:need(end, "no end")] if line.strip()]


# ---------------------------------------------------------------- throughput

def read_regex_kb(lines, unit="KB"):
    """avocado, autotest: regular expressions, with KB in capitals, and columns 3 to 26 of the lines of the spread."""
    found = []
    children = re.compile(rf"Children see throughput for\s+(\d+)\s+([-\w]+[-\w\s]*)=\s+([\d.]*) {unit}/sec")
    for at, line in enumerate(lines):
        match = children.search(line)
        if not match:
            continue
        parent = re.search(rf"Parent sees throughput for\s+{match[1]}\s+{match[2].strip()}\s*=\s+([\d.]*) {unit}/sec",
                           lines[at + 1])
        spread = lines[at + 2:at + 5] if parent else lines[at + 1:at + 4]
        need([line[4:27] for line in spread] == [" throughput per process"] * 3 or
             [line[4:26] for line in spread] == [" throughput per thread"] * 3, "columns of the spread")
        found.append((int(match[1]), match[2].strip(), match[3], parent[1] if parent else None))
    return found


def read_words(lines):
    """The wrapper of redhat-performance: the words of a line by their number, and the figure behind "="."""
    found = []
    for line in lines:
        if "Children see throughput for" in line:
            words = line.split()
            name = words[5] + (" " + words[6] if words[5] == "initial" else "")
            found.append([words[4], name, line.split("=")[1].split()[0]])
        for which in ("Min", "Max", "Avg"):
            if f"{which} throughput per" in line:
                found[-1].append(line.split("=")[1].split()[0])
    sizes = [line.split()[4] for line in lines if "File size set to" in line]
    return found, sizes


def read_ramble(lines):
    """Ramble: its expressions, and the words that mean success."""
    children = re.compile(r"\s*Children see throughput for\s+\d+\s+(?P<test>.*?)\s*=\s*(?P<rate>[\d.]+)")
    spread = re.compile(r"\s*(Min|Max|Avg) throughput per process\s*=\s*([\d.]+)")
    found = [m.groups() for m in (children.match(line) for line in lines) if m]
    return found, [m.groups() for m in (spread.match(line) for line in lines) if m], \
        sum("iozone test complete" in line for line in lines)


def read_grep(lines):
    """Scripts: grep, then what is behind "=", or the eighth word of a test with a name of one word."""
    return [(line.split("=")[1].split()[0], line.split()[7]) for line in lines if "Children see throughput for" in line]
