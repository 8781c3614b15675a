# SPDX-License-Identifier: Apache-2.0
"""Checks the size of functions and files: 99 % of all functions have at most 80 lines and none more than 120; a file of
the program has at most 1,500. Tables of tests may be long."""
import re

import sources

FUNCTION_LINES = 120
USUAL_LINES = 80
USUAL_SHARE = 0.99
FILE_LINES = 1500
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


def check_usual_length(lengths, findings):
    """Reports the longest functions where more than 1 % are longer than USUAL_LINES. `lengths`: (lines, path, first line, name)."""
    longer = sorted((entry for entry in lengths if entry[0] > USUAL_LINES), reverse=True)
    if len(longer) <= (1 - USUAL_SHARE) * len(lengths):
        return
    for length, path, start, name in longer:
        findings.append((path, start, f"{name} has {length} lines, and {len(longer)} of {len(lengths)} functions have more"
                                      f" than {USUAL_LINES}; 1 % at most"))


def main():
    findings, lengths = [], []
    for path in sources.files("src", "include", "backends", "tests", "scripts"):
        lines = sources.code(path).splitlines()
        if len(lines) > FILE_LINES and not path.is_relative_to(sources.root() / "tests"):
            findings.append((path, len(lines), f"a file of {len(lines)} lines; {FILE_LINES} at most"))
        for name, start, length in functions(lines):
            lengths.append((length, path, start, name))
            if length > FUNCTION_LINES:
                findings.append(
                    (path, start, f"{name} has {length} lines; {FUNCTION_LINES} at most"))
    check_usual_length(lengths, findings)
    sources.finish(findings)


main()
