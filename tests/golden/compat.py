#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compat.py WEIR DIALECT PAGE WORDS: PAGE is what `WEIR compat DIALECT` prints, has a row for each of WORDS, and no blank."""
import re
import subprocess
import sys

CELLS = {"Options": 4, "Quirks": 3}


def rows_of(page):
    """(chapter, section, cells) of every row of a table."""
    chapter = section = ""
    for line in page.splitlines():
        if line.startswith("### "):
            section = line[4:]
        elif line.startswith("## "):
            chapter = line[3:]
        elif line.startswith("| ") and not set(line) <= set("|- "):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            yield chapter, section, cells


def spellings(cell):
    return {word.lower().lstrip("-") if word.startswith("--") else word for word in re.findall(r"`([^`]*)`", cell)}


def has(known, word):
    if word.startswith("-"):
        return word in known
    word = word.lower()
    return word in known or any(name.endswith("*") and word.startswith(name[:-1]) for name in known)


def complaints(dialect, page, words):
    known = set()
    for chapter, section, cells in rows_of(page):
        where = f"{section}: {cells[0]}"
        if len(cells) != CELLS[chapter]:
            yield f"{where}: {len(cells)} cells"
        elif cells[0] in ("option", "IOR", "mdtest", "md-workbench", "IOzone", "dd", "Parabench"):
            continue
        if not all(cells):
            yield f"{where}: an empty cell"
        if chapter != "Options" or cells[0] == "option":
            continue
        known |= spellings(cells[0])
        is_theirs = not section.startswith("Beyond ") and not section.endswith("(ours)")
        is_of_ior = dialect in ("ior", "mdtest", "md-workbench")  # whose backends these are
        if cells[3] == "ours":
            if section.startswith("Of "):
                yield f"{where}: no release of the original is named"
        elif not re.match(r"(same|better: .+|refused: .+)", cells[3]):
            yield f"{where}: neither same, better nor refused: {cells[3]}"
        elif section == "Of backends that are not built" and not is_of_ior:
            if cells[2] != "never":
                yield f"{where}: {cells[2]} is a release of IOR"
        elif is_theirs and not re.fullmatch(r"1\.9|2\.10|3\.[0-3]|3\.487|4\.[01]|9\.1|1\.0", cells[2]):
            yield f"{where}: {cells[2]} is no release"
        if "to be told from a mistyped word" in cells[1]:
            yield f"{where}: no meaning"
    for word in words:
        if not has(known, word):
            yield f"{word}: no row"


def main():
    weir, dialect, page_path, words_path = sys.argv[1:]
    page = open(page_path, encoding="utf-8").read()
    with open(words_path, encoding="utf-8") as lines:
        words = [word for line in lines if not line.startswith("#") for word in line.split()]
    found = list(complaints(dialect, page, words))
    told = subprocess.run([weir, "compat", dialect], capture_output=True, text=True, check=True, timeout=60).stdout
    if told != page:
        found.append(f"{page_path} is not what this program says; weir compat {dialect} > {page_path}, and read it")
    for complaint in found:
        print(complaint)
    return 1 if found or not words else 0


sys.exit(main())
