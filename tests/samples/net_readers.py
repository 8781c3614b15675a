# SPDX-License-Identifier: Apache-2.0
"""Readers of what iperf3 and perftest print, written as a site would write them that knows these only: regular expressions
for lines, and fields under the names of their columns. Whatever a reader does not look for, it skips. Numbers are given in
SI units: bytes, seconds, bytes per second."""
import re
from dataclasses import dataclass, field

BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
DECIMAL = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


@dataclass
class Stream:
    """A line of iperf3: what one stream, or all of them, moved in some time."""
    id: str  # "5", or "SUM"
    begin_s: float
    end_s: float
    bytes: float
    bytes_per_s: float
    retransmits: int | None = None
    side: str = ""  # "sender", "receiver", "": of an interval
    role: str = ""


@dataclass
class Run:
    """A run of iperf3, from where it connects on."""
    host: str = ""
    connected: list = field(default_factory=list)  # (id, local, remote)
    intervals: list = field(default_factory=list)
    totals: list = field(default_factory=list)
    errors: list = field(default_factory=list)

    def total(self, side):
        """The line that stands for all streams: the sum, or that of the only one."""
        lines = [line for line in self.totals if line.side == side]
        sums = [line for line in lines if line.id == "SUM"]
        return (sums or lines)[-1]


CONNECTING = re.compile(r"Connecting to host (\S+), port (\d+)$")
CONNECTED = re.compile(r"\[ *(\d+)\] local (\S+) port \d+ connected to (\S+) port \d+$")
STREAM = re.compile(r"\[ *(?P<id>\d+|SUM)\](?:\[(?P<role>[RT]X-[CS])\])? +(?P<begin>\d+\.\d+)-(?P<end>\d+\.\d+) +sec +"
                    r"(?P<transfer>\d+(?:\.\d+)?) (?P<unit>[KMGT]?)Bytes +"
                    r"(?P<rate>\d+(?:\.\d+)?) (?P<rate_unit>[KMGT]?)bits/sec"
                    r"(?: +(?P<retr>\d+))?(?: +\d+(?:\.\d+)? [KMG]?Bytes)? *(?P<side>sender|receiver)? *$")
ERROR = re.compile(r"iperf3: error - (.+)$")


def stream_of(match):
    return Stream(id=match["id"], role=match["role"] or "", begin_s=float(match["begin"]), end_s=float(match["end"]),
                  bytes=float(match["transfer"]) * BINARY[match["unit"]],
                  bytes_per_s=float(match["rate"]) * DECIMAL[match["rate_unit"]] / 8,
                  retransmits=int(match["retr"]) if match["retr"] else None, side=match["side"] or "")


def iperf(text):
    """All runs of a text. A text that does not end with "iperf Done." is a ValueError."""
    runs, is_done = [], False
    for line in text.splitlines():
        if match := CONNECTING.match(line):
            runs.append(Run(host=match[1]))
        elif match := CONNECTED.match(line):
            runs[-1].connected.append(match.groups())
        elif match := STREAM.match(line):
            stream = stream_of(match)
            (runs[-1].totals if stream.side else runs[-1].intervals).append(stream)
        elif match := ERROR.match(line):
            runs[-1].errors.append(match[1])
        elif line == "iperf Done.":
            is_done = True
    if not is_done:
        raise ValueError("iperf is not done")
    return runs


@dataclass
class Test:
    """A run of perftest."""
    title: str = ""
    facts: dict = field(default_factory=dict)  # "TX depth": "128"
    rows: list = field(default_factory=list)  # a dictionary for each message size

    def row(self, size):
        rows = [row for row in self.rows if row["bytes"] == size]
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} lines for {size} bytes")
        return rows[0]


TITLE = re.compile(r" {10,}(\S.* Test)$")
FACT = re.compile(r"([A-Za-z][\w.*\- ]*?)\s*: (\S+)")
UNITS = {"MB/sec": 2**20, "MiB/sec": 2**20, "Gb/sec": 1e9 / 8}
BW_COLUMNS = re.compile(r" #bytes +#iterations +BW peak\[(\S+)\] +BW average\[(\S+)\] +MsgRate\[Mpps\]\s*$")
LAT_COLUMNS = re.compile(r" #bytes +#iterations +t_min\[usec\] +t_max\[usec\] +t_typical\[usec\] +t_avg\[usec\] +"
                         r"t_stdev\[usec\] +99% percentile\[usec\] +99\.9% percentile\[usec\]\s*$")
TPS_COLUMNS = re.compile(r" #bytes +#iterations +t_avg\[usec\] +tps average\s*$")
LATENCIES = ("min_s", "max_s", "median_s", "mean_s", "stddev_s", "p99_s", "p999_s")


def bandwidth(unit):
    def read(fields):
        peak, average, rate = map(float, fields)
        return {"peak_bytes_per_s": peak * unit, "bytes_per_s": average * unit, "messages_per_s": rate * 1e6}
    return read


def latencies(fields):
    return {name: float(text) * 1e-6 for name, text in zip(LATENCIES, fields, strict=True)}


def transactions(fields):
    mean, rate = map(float, fields)
    return {"mean_s": mean * 1e-6, "messages_per_s": rate}


def reader_of(line):
    """What reads the fields behind size and count of the lines under these columns; None: it has no such names."""
    if match := BW_COLUMNS.match(line):
        return bandwidth(UNITS[match[1]])
    if LAT_COLUMNS.match(line):
        return latencies
    return transactions if TPS_COLUMNS.match(line) else None


def perftest(text):
    """A text without a line of columns is a ValueError."""
    test, reader = Test(), None
    for line in text.splitlines():
        if reader and line.startswith("----"):
            return test
        if match := TITLE.match(line):
            test.title = match[1]
        elif reader:
            size, count, *fields = line.split()
            test.rows.append({"bytes": int(size), "count": int(count), **reader(fields)})
        elif not (reader := reader_of(line)) and " address" not in line and "GID:" not in line:
            test.facts.update(FACT.findall(line))
    raise ValueError("no columns, or no rule behind their lines")
