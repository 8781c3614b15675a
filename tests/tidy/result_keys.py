#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_keys.py ROOT: docs/result-file.md names each key that the result file has, and none that it has not."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
records = root / "src/report/record"
source = "".join(path.read_text() for path in sorted(records.glob("*.c")))
page = (root / "docs/result-file.md").read_text()

keys = set()
renamed = set()
for table in re.findall(r"struct weir_json_field \w+\[\] = \{(.*?)\n\};", source, re.S):
    renamed.update(re.findall(r'\.former = "(\w+)"', table))
    keys.update(re.findall(r'"(\w+)"', re.sub(r'\.former = "\w+"', "", table)))
if len(keys) < 100:
    sys.exit("the tables of keys were not found")
by_hand = set(re.findall(r'json_object_set_new\(\w+, "(\w+)"', source)) | {"type", "compiler", "flags"}

wrong = [f"docs/result-file.md does not name the key {key}" for key in sorted((keys | by_hand) - set(re.findall(r"`(\w+)`", page)))]
page, _, table = page.partition("## Former keys")
listed = set(re.findall(r"^\| `(\w+)` \| `\w+` \|", table, re.M))
wrong += [f"docs/result-file.md: {key} is a former key, or is none, and the table of them is wrong" for key in sorted(renamed ^ listed)]
for row in re.findall(r"^\| (`[^|]*) \|", page.split("## run:")[1], re.M):
    named = set(re.findall(r"`(\w+)`", row))
    if not row.startswith("`misplaced`") and named & keys:
        wrong += [f"docs/result-file.md explains the key {key}, which no record has" for key in sorted(named - keys - by_hand)]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
