# SPDX-License-Identifier: Apache-2.0
"""Finds the C files of the tree, and reads them without comments and string literals."""
import pathlib
import re
import sys

COMMENT_OR_LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def root():
    return pathlib.Path(sys.argv[1]).resolve()


def files(*folders):
    """All .c and .h files below the folders (of the tree's root), in order."""
    for folder in folders:
        for path in sorted((root() / folder).rglob("*")):
            if path.suffix in (".c", ".h"):
                yield path


def code(path):
    """The file's text with comments and literals blanked out; line numbers stay."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return COMMENT_OR_LITERAL.sub(blank, path.read_text(encoding="utf-8"))


def finish(findings):
    """Prints "file:line: sentence" for each (path, line, sentence), and ends with 1 if there are any."""
    for path, line, sentence in findings:
        print(f"{path.relative_to(root())}:{line}: {sentence}")
    sys.exit(1 if findings else 0)
