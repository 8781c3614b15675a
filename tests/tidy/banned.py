# SPDX-License-Identifier: Apache-2.0
"""Checks that nothing calls functions that cannot be used safely, that nothing is left for later, and that comments and
names use the words of docs/glossary.md and have ranks, processes and files as subjects."""
import re

import sources

CALLS = re.compile(r"\b(v?sprintf|strcpy|strcat|strtok|ato[ifl]|gets|system)\s*\(")
LATER = re.compile(r"\b(TODO|FIXME|XXX)\b")
# Words that were replaced (docs/glossary.md), and subjects that say nothing of what is meant.
HOUSE = re.compile(r"\b(teller|doubts?|deeds?|errands?|aftermath|starved|patience|seats?|nobody|whoever|whom|somebody|anybody)\b", re.I)
# Their words are the issue of their own rewriting.
NOT_YET = ("src/network", "include/weir/fabric", "include/weir/objects", "include/weir/flows", "include/weir/net")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')


def speaks_plainly(path):
    return not str(path.relative_to(sources.root())).startswith(NOT_YET)


def main():
    findings = []
    for path in sources.files("src", "include", "backends", "tests", "scripts"):
        for number, line in enumerate(sources.code(path).splitlines(), 1):
            for match in CALLS.finditer(line):
                findings.append((path, number, f"{match.group(1)} is not to be called"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = LATER.search(line)
            if match:
                findings.append((path, number, f"{match.group()}: do it, or open an issue"))
    for path in sources.files("src", "include", "backends"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = HOUSE.search(LITERAL.sub('""', line)) if speaks_plainly(path) else None
            if match:
                findings.append((path, number, f"{match.group()}: name the rank, process or file, or take the word of docs/glossary.md"))
    sources.finish(findings)


main()
