# SPDX-License-Identifier: Apache-2.0
"""docs/findings.md has a row for each row of the table of findings, with its level and effect, and no others. Samples of output in the
pages name findings that exist, with their level.
"""
import re

import sources

PAGE = "docs/findings.md"
TABLE = "src/base/finding.c"
ENTRY = re.compile(r'\[(WEIR_FINDING_\w+)\] =\s*\{\s*\.name = "([^"]+)",(.*?)\n        \}', re.S)
ROW = re.compile(r"^\| `([^`]+)` \| ([a-z]+) \| ([a-z]+) \|", re.M)

# Lines of a report in an indented block. The names in OTHERS are not findings.
SAMPLE = re.compile(r"^ {4,}(?:weir  )?(note|warning) ([a-z][a-z-]*)(?: [a-z0-9 ,-]+)?: ", re.M)
OTHERS = ("partial", "left")


def main():
    page, table = sources.root() / PAGE, sources.root() / TABLE
    text, code = page.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")
    entries, amiss, told = {}, [], {}
    for match in ENTRY.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        level = "warning" if "WEIR_WARNING" in match.group(3) else "note"
        effect = re.search(r"\.effect = WEIR_(\w+)", match.group(3)).group(1).lower()
        entries[match.group(2)] = (level, effect, line)
    for match in ROW.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        name = match.group(1)
        if name in told:
            amiss.append((page, line, f"{name} has a row already"))
        told[name] = line
        if name not in entries:
            amiss.append((page, line, f"no finding has the name {name}"))
        elif entries[name][:2] != match.groups()[1:]:
            amiss.append((page, line, f"{name} is a {entries[name][0]} with the effect {entries[name][1]}"))
    for name, (_, _, line) in entries.items():
        if name not in told:
            amiss.append((table, line, f"{PAGE} has no row for the finding {name}"))
    for sample in sorted((sources.root() / "docs").glob("*.md")):
        for match in SAMPLE.finditer(sample.read_text(encoding="utf-8")):
            level, name = match.groups()
            if name not in OTHERS and entries.get(name, ("",))[0] != level:
                line = sample.read_text(encoding="utf-8").count("\n", 0, match.start()) + 1
                amiss.append((sample, line, f"no {level} has the name {name}"))
    if not entries:
        amiss.append((table, 1, "the table has no findings: the rule looks for the wrong thing"))
    sources.finish(amiss)


main()
