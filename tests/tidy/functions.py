# SPDX-License-Identifier: Apache-2.0
"""Checks that a function fits into a head (70 lines), and a file of the program into an evening (600). Tables of tests may be long."""
import re

import sources

FUNCTION_LINES = 70
FILE_LINES = 600
CALL = re.compile(r"(\w+)\s*\(")


def functions(lines):
    """(name, first line, number of lines) of each function; its braces stand alone in the first column."""
    start = 0
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = number
            while start > 1 and not re.match(r"^(\s*|}|#.*|.*;)\s*$", lines[start - 2]):
                start -= 1
        elif line.rstrip() == "}" and start:
            name = CALL.search(" ".join(lines[start - 1:number]))
            yield name.group(1) if name else "?", start, number - start + 1
            start = 0


def main():
    findings = []
    for path in sources.files("src", "include", "backends", "tests", "scripts"):
        lines = sources.code(path).splitlines()
        if len(lines) > FILE_LINES and not path.is_relative_to(sources.root() / "tests"):
            findings.append((path, len(lines), f"a file of {len(lines)} lines; {FILE_LINES} at most"))
        for name, start, length in functions(lines):
            if length > FUNCTION_LINES:
                findings.append(
                    (path, start, f"{name} has {length} lines; {FUNCTION_LINES} at most"))
    sources.finish(findings)


main()
