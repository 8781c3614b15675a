#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""findings.py WEIR ROOT [--bless]: docs/findings.md is what the table of findings gives; no page lacks a part; sentences are short;
tests that pages name exist. Each verdict is defined once, and weir help prints the definition however the verdict is typed."""
import re
import subprocess
import sys
from pathlib import Path

PARTS = ("Meaning", "Detection", "Threshold", "Effect", "Level", "Remedy", "Test")
WORDS_MAX = 25
VERDICTS = ("WRONG DATA", "DO NOT USE", "PARTIAL", "UNVERIFIED", "CAUTION", "OK")


def pages_of(manual):
    """(name, {part: text}) of each page."""
    for section in re.split(r"^## ", manual, flags=re.M)[1:]:
        name, _, body = section.partition("\n")
        parts = re.findall(r"^\* \*\*([A-Z][a-z ]+)\*\*: (.*(?:\n  .*)*)", body, re.M)
        yield name, {title: re.sub(r"\n  ", " ", text) for title, text in parts}


def complaints_of(name, parts, root):
    if not any(part in parts for part in ("Detection", "Threshold", "Test")):
        return  # no detector has this finding yet
    for title in PARTS:
        if not parts.get(title, "").strip():
            yield f"{name}: no {title.lower()}"
    for title, text in parts.items():
        for sentence in re.split(r"(?<=[^.][.:]) (?=[A-Z-])", text):
            if len(sentence.split()) > WORDS_MAX:
                yield f"{name}: {title.lower()}: a sentence of {len(sentence.split())} words: {sentence}"
    tests = re.findall(r"\b(unit|mpi|trust)\.([a-z_]+)", parts.get("Test", ""))
    for kind, test in tests:
        if not any((root / "tests" / kind / file).exists() for file in (f"test_{test}.c", f"{test}.sh", f"{test}.py")):
            yield f"{name}: there is no test {kind}.{test}"


def help_of(weir, *words):
    return subprocess.run([weir, "help", *words], check=False, capture_output=True, text=True).stdout


def complaints_of_verdicts(manual, weir):
    section = re.search(r"^## Verdicts\n(.*?)^## ", manual, re.M | re.S)
    defined = re.findall(r"^\* \*\*([A-Z ]+)\*\*: (.*(?:\n  .*)*)", section.group(1) if section else "", re.M)
    if tuple(name for name, _ in defined) != VERDICTS:
        yield f"the section Verdicts defines {[name for name, _ in defined]}"
    for name, text in defined:
        text = re.sub(r"\s+", " ", text)
        for sentence in re.split(r"(?<=[.:])\*? ", text):
            if len(sentence.split()) > WORDS_MAX:
                yield f"{name}: a sentence of {len(sentence.split())} words: {sentence}"
        low = name.lower()
        for words in ([name], [low], [low.replace(" ", "-")], name.split(), ["believed"]):
            said = re.sub(r"\s+", " ", help_of(weir, *words))
            if any(part.strip(" *") not in said for part in re.split(r"\*(?:Cause|Action)\*:", text)):
                yield f"weir help {' '.join(words)} does not print the definition of {name}"
    for finding, name in (("failed", "PARTIAL"), ("wrong-data", "WRONG DATA"), ("resident", "DO NOT USE"), ("short", "CAUTION")):
        if f"({name})" not in help_of(weir, finding).split("  Level", maxsplit=1)[0]:
            yield f"{finding}: the effect does not name the verdict {name}"
    for words in (["CAUTION cache, as asked"], ["caution memory, as asked"]):
        if "CAUTION (verdict)" not in help_of(weir, *words):
            yield f"weir help {words[0]} does not print the definition of CAUTION"
    for words in (["findings"], ["--help"], []):
        if "weir help believed" not in help_of(weir, *words):
            yield f"weir help {' '.join(words)} does not mention the verdicts"


def main():
    weir, root = sys.argv[1], Path(sys.argv[2])
    page = root / "docs/findings.md"
    manual = subprocess.run([weir, "help", "findings", "--format=markdown"], check=True, capture_output=True, text=True).stdout
    complaints = [complaint for name, parts in pages_of(manual) for complaint in complaints_of(name, parts, root)]
    complaints += complaints_of_verdicts(manual, weir)
    if len(list(pages_of(manual))) < 60:
        complaints.append("the pages were not found")
    if "--bless" in sys.argv:
        page.write_text(manual, encoding="utf-8")
    elif page.read_text(encoding="utf-8") != manual:
        complaints.append("docs/findings.md is not what weir help findings --format=markdown prints: findings.py WEIR ROOT --bless")
    print("\n".join(complaints))
    return 1 if complaints else 0


sys.exit(main())
