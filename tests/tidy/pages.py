# SPDX-License-Identifier: Apache-2.0
"""README.md links to each page in docs/, and each relative link of README.md and of the pages leads to a file and heading.
"""
import re

import sources

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```|^    .*?$", re.S | re.M)


def anchors(text):
    """Headings as GitHub names them."""
    titles = re.findall(r"^#+ +(.*?) *$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def main():
    root = sources.root()
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    amiss, linked = [], set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for match in LINK.finditer(text):
            place, _, heading = match.group(1).partition("#")
            line = text.count("\n", 0, match.start()) + 1
            target = (page.parent / place).resolve() if place else page
            if "://" in match.group(1) or place.startswith("mailto:"):
                continue
            if page == pages[0]:
                linked.add(target)
            if not target.exists():
                amiss.append((page, line, f"there is no file {place}"))
            elif heading and target.suffix == ".md" and heading not in anchors(target.read_text(encoding="utf-8")):
                amiss.append((page, line, f"{place or page.name} has no heading #{heading}"))
    for page in pages[1:]:
        if page not in linked:
            amiss.append((page, 1, "README.md does not link to this page"))
    sources.finish(amiss)


main()
