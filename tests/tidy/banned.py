# SPDX-License-Identifier: Apache-2.0
"""Checks that nothing calls functions that cannot be used safely, and that nothing is left for later."""
import re

import sources

CALLS = re.compile(r"\b(v?sprintf|strcpy|strcat|strtok|ato[ifl]|gets|system)\s*\(")
LATER = re.compile(r"\b(TODO|FIXME|XXX)\b")


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
    sources.finish(findings)


main()
