# SPDX-License-Identifier: Apache-2.0
"""foretold.py LINE FILE: whether a line of --explain, "4 write (16384 bytes), 8 read; ...", tells the calls that the last
program in a result file made, and their bytes but for reads of whole files."""
import re
import sys

import records

UNITS = {"bytes": 1, "MiB": 1 << 20, "GiB": 1 << 30}


def foretold(line):
    """Number and bytes by word."""
    found = {}
    for part in line.split(";")[0].split(", "):
        count, word, _, size, unit = re.fullmatch(r"(\d+) (\w+)( \(([\d.]+) (\w+)\))?", part).groups()
        found[word] = (int(count), float(size or 0) * UNITS[unit or "bytes"])
    return found


def made(file):
    calls = next(record for record in records.load(file) if record.record == "phase").program_result.calls
    return {call.call.lower(): (call.succeeded + call.failed, call.bytes) for call in calls if call.call not in ("Open", "Close")}


def main():
    line, file = sys.argv[1:3]
    told, done = foretold(line), made(file)
    wrong = [word for word in told.keys() | done.keys() if told.get(word, (0,))[0] != done.get(word, (0,))[0]]
    # Told in two digits behind the point.
    wrong += [word for word in told if word in done and abs(told[word][1] - done[word][1]) > 0.005 * done[word][1] and
              not ("read" in word and "whole files" in line)]
    if wrong:
        print(f"told {told}, made {done}: {wrong} differ", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
