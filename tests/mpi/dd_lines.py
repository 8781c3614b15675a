# SPDX-License-Identifier: Apache-2.0
"""dd_lines.py EXPRESSION FILE...: whether a Python expression holds for the lines of dd in each file, of dd itself or of ours.

The expression sees `copies`, a list, and `last` of it, with the members label ("rank 3", or None), full_in, part_in, full_out,
part_out, bytes, seconds and rate (bytes/s). What stands in the lines must agree: sizes in parentheses and the rate follow from
bytes and seconds as coreutils 9 rounds them in the C locale."""
import re
import sys
import types

RECORDS = re.compile(r"(\d+)\+(\d+) records (in|out)")
COPIED = re.compile(r"(\d+) bytes? (?:\(([^,)]+)(?:, ([^)]+))?\) )?copied, (\S+) s, (\d+(?:\.\d)?) ([kMGTP])B/s")
POWERS = "kMGTP"


def human(count, base, infix):
    power = 0
    value = float(count)
    while value >= base or (power and value >= base - 0.5):
        value /= base
        power += 1
    letters = POWERS.upper() if infix else POWERS
    digits = 1 if value < 9.95 else 0
    return f"{value:.{digits}f} {letters[power - 1]}{infix}B"


def check(copy, decimal, binary, digits, unit):
    wanted = human(copy.bytes, 1000, "") if copy.bytes >= 1000 else None
    assert decimal == wanted, f"{decimal} is not {wanted}"
    wanted = human(copy.bytes, 1024, "i") if copy.bytes >= 1024 else None
    assert binary == wanted, f"{binary} is not {wanted}"
    scale = 1000 ** (POWERS.index(unit) + 1)
    copy.rate = float(digits) * scale
    step = scale * (0.1 if "." in digits else 1)
    # The seconds have six digits, and the rate two or three: half a step, and what the seconds leave open.
    assert abs(copy.rate - copy.bytes / copy.seconds) <= step * 0.5 + copy.rate * 2e-5, f"{copy.rate} is not {copy.bytes} / {copy.seconds}"
    assert ("." in digits) == (copy.rate / scale < 99.95), f"{digits} has the wrong digits"


def copies_of(lines):
    label, copy = None, {}
    for line in lines:
        records, copied = RECORDS.fullmatch(line), COPIED.fullmatch(line)
        if re.fullmatch(r"rank \d+|all ranks", line):
            label = line
        elif records and records[3] == "in":
            copy = {"label": label, "full_in": int(records[1]), "part_in": int(records[2])}
        elif records:
            copy |= {"full_out": int(records[1]), "part_out": int(records[2])}
        elif copied:
            copy |= {"bytes": int(copied[1]), "seconds": float(copied[4])}
            found = types.SimpleNamespace(**copy)
            check(found, copied[2], copied[3], copied[5], copied[6])
            yield found


def main():
    expression, *paths = sys.argv[1:]
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            copies = list(copies_of(line.rstrip("\n") for line in lines))
        if not copies or not eval(expression, {"copies": copies, "last": copies[-1]}):
            sys.exit(f"{path}: not true of {copies}: {expression}")


main()
