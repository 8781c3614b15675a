# SPDX-License-Identifier: Apache-2.0
"""docs/findings.md has a row for each finding of the program, with its level, and no others."""
import re

import sources

PAGE = "docs/findings.md"
CALL = re.compile(r"\bweir_(?:net_)?result_find\s*\(")
# How its arguments begin: severity and name. The notes on --pin have a function of their own.
FIND = re.compile(r'\bweir_(?:net_)?result_find\s*\(\s*[^,()]+(?:\([^()]*\))?[^,()]*,\s*([^,"]+),\s*("([^"]*)"|\w+)', re.S)
NOTE = re.compile(r'\bnote_pin\s*\(\s*record,\s*\w+,\s*"([^"]*)"', re.S)
# Where the name is not known: findings that are read back, and the body of note_pin.
PASSED_ON = {"src/audit/check_places.c"}
HEAD = ("src/measure/result.c", "src/network/flows/result.c")
ROW = re.compile(r"^\| `([^`]+)` \| ([a-z, ]+) \|", re.M)
LEVELS = {"WEIR_NOTE": "note", "WEIR_WARNING": "warning"}


def emitted():
    """The first place and the levels of each name in the source, and calls that hide a name."""
    places, levels, amiss = {}, {}, []

    def add(name, words, place):
        places.setdefault(name, place)
        levels.setdefault(name, set()).update(words)

    for path in sources.files("src"):
        text = path.read_text(encoding="utf-8")
        relative = str(path.relative_to(sources.root()))
        if relative in HEAD:
            continue
        for call in CALL.finditer(text):
            place = (path, text.count("\n", 0, call.start()) + 1)
            match = FIND.match(text, call.start())
            if match and match.group(3) is not None:
                add(match.group(3), {word for key, word in LEVELS.items() if key in match.group(1)}, place)
            elif relative not in PASSED_ON:
                amiss.append((*place, f"the finding's name must be a string, for {PAGE}"))
        for match in NOTE.finditer(text):
            add(match.group(1), {"note"}, (path, text.count("\n", 0, match.start()) + 1))
    return places, levels, amiss


def main():
    page = sources.root() / PAGE
    text = page.read_text(encoding="utf-8")
    places, levels, amiss = emitted()
    rows = {}
    for match in ROW.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        name, told = match.group(1), set(match.group(2).split(", "))
        if name in rows:
            amiss.append((page, line, f"{name} has a row already"))
        rows[name] = line
        if name not in places:
            amiss.append((page, line, f"no finding has the name {name}"))
        elif levels[name] != told:
            amiss.append((page, line, f"{name} is a {' or a '.join(sorted(levels[name]))}"))
    for name, (path, line) in places.items():
        if name not in rows:
            amiss.append((path, line, f"{PAGE} has no row for the finding {name}"))
    if not places:
        amiss.append((page, 1, "the source has no findings: the rule looks for the wrong thing"))
    sources.finish(amiss)


main()
