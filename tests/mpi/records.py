# SPDX-License-Identifier: Apache-2.0
"""records.py FILE EXPRESSION: whether a Python expression holds for the last run in a result file.

The expression sees `runs`, `tests` and `phases` (lists of records, as docs/result-file.md describes them, with their
members as attributes), `writes` (the phases that write), `end` (or None), and the first phase of each kind: `written`,
`reading`, `checking` (the read of -W), `removed`."""
import json
import sys
import types


class Phase(types.SimpleNamespace):
    """A record of a phase, with short names for what most tests ask."""

    @property
    def seconds(self):
        return self.windows.transfer_s

    @property
    def total_s(self):
        return self.windows.total_s

    @property
    def checked(self):
        return self.verification.checked_transfers

    @property
    def wrong(self):
        return self.verification.wrong_transfers

    @property
    def mismatches(self):
        return self.verification.first


def read(line):
    """The record of a line, or None for one that was cut off."""
    try:
        return json.loads(line, object_hook=lambda members: types.SimpleNamespace(**members))
    except json.JSONDecodeError:
        return None


def load(path):
    """The records from the last one of a run on."""
    records = []
    with open(path, encoding="utf-8") as file:
        for record in filter(None, map(read, file)):
            if record.record == "run":
                records = []
            records.append(Phase(**vars(record)) if record.record == "phase" else record)
    return records


def first(phases, verb, check=False):
    return next((phase for phase in phases if phase.verb == verb and phase.check == check), None)


def names_of(records):
    """What an expression sees."""
    phases = [record for record in records if record.record == "phase"]
    return {
        "runs": [record for record in records if record.record == "run"],
        "tests": [record for record in records if record.record == "test"],
        "phases": phases,
        "writes": [phase for phase in phases if phase.verb == "write"],
        "end": next((record for record in records if record.record == "end"), None),
        "written": first(phases, "write"),
        "reading": first(phases, "read"),
        "checking": first(phases, "read", True),
        "removed": first(phases, "remove"),
    }


def main():
    names = names_of(load(sys.argv[1]))
    phases = names["phases"]
    if not eval(sys.argv[2], names):
        for phase in phases:
            shown = {name: value for name, value in vars(phase).items() if name not in ("latency", "series", "submission")}
            print(shown)
        sys.exit(1)


if __name__ == "__main__":
    main()
