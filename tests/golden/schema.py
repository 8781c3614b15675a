#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stored result files, their figures as data, and comparisons of them, against the JSON schemas of docs/: schema.py WEIR SOURCE"""
import csv
import glob
import io
import json
import subprocess
import sys
import tempfile

from packages import closed, need

jsonschema = need("jsonschema", "python3-jsonschema")


def report(weir, *words):
    done = subprocess.run([weir, "report", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"weir report {' '.join(words)}: {done.returncode}: {done.stderr}")
    return done.stdout


def validator(path, is_closed=True):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(closed(schema) if is_closed else schema, format_checker=jsonschema.FormatChecker())


def need_valid(against, document, place):
    for error in against.iter_errors(document):
        sys.exit(f"{place}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")


def check_comparisons(weir, source):
    """Each file with a copy of it in which all takes twice as long, by sides and by a key, and with a file of other work."""
    against, seen = validator(f"{source}/docs/schema-compare.json"), set()
    paths = sorted(glob.glob(f"{source}/tests/golden/data/*.jsonl"))
    with tempfile.TemporaryDirectory() as work:
        for number, path in enumerate(paths):
            copied = f"{work}/{number}"
            with open(path, encoding="utf-8") as file, open(copied, "w", encoding="utf-8") as copy:
                for line in file:
                    record = json.loads(line)
                    record["run_id"] = f"{number + 1:016x}"
                    if record["record"] == "phase" and record["windows"]:
                        record["windows"]["total_s"] *= 2
                    if "believed" in record:
                        record["believed"] = "OK"
                    record["label"] = "copy"
                    copy.write(json.dumps(record) + "\n")
            for words in ([path, "--", copied], [copied, "--", paths[number - 1]], [copied, path, "--by", "label"],
                          [path, "--", copied, "--figures", "p50,time", "--across", "ranks"]):
                done = subprocess.run([weir, "compare", *words, "--format", "json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
                document = json.loads(done.stdout)
                need_valid(against, document, " ".join(words))
                seen.update(key for key, value in document.items() if value)
                seen.update(row["verdict"] for row in document["rows"])
    for needed in ("rows", "unmatched", "compared", "differs", "not comparable"):
        if needed not in seen:
            sys.exit(f"no comparison has {needed}")
    if against.is_valid(dict(document, more=1)) or against.is_valid(dict(document, exit_code="0")):
        sys.exit("schema-compare.json accepts anything")


def main():
    weir, source = sys.argv[1:3]
    files = sorted(glob.glob(f"{source}/tests/golden/report/*.result") + glob.glob(f"{source}/tests/golden/data/*.jsonl"))
    lines, documents = validator(f"{source}/docs/schema-result.json"), validator(f"{source}/docs/schema-report.json")
    of_net = validator(f"{source}/docs/schema-result.json", is_closed=False) # its records are in the manual alone
    dialects, figures = set(), 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                need_valid(of_net if path.endswith("/net.jsonl") else lines, json.loads(line), f"{path}:{number}")
        document = json.loads(report(weir, path, "--run", "all", "--format", "json-long"))
        need_valid(documents, document, path)
        # Both formats have the same figures.
        rows = list(csv.DictReader(io.StringIO(report(weir, path, "--run", "all", "--format", "csv-long"))))
        told = [(run["run_id"], phase["name"], name, figure["value"]) for run in document["runs"] for phase in run["phases"]
                for name, figure in phase["figures"].items()]
        if [(row["run_id"], row["name"], row["figure"], float(row["value"])) for row in rows] != told:
            sys.exit(f"{path}: csv-long and json-long differ")
        dialects.update(run["dialect"] for run in document["runs"])
        figures += len(rows)
    for dialect in ("ior", "mdtest", "md-workbench", "iozone", "dd", "parabench", "targets", "net"):
        if dialect not in dialects:
            sys.exit(f"no stored file is of {dialect}")
    # A schema that accepts anything would find nothing.
    broken = json.loads(report(weir, files[0], "--run", "all", "--format", "json-long"))
    broken["runs"][0]["believed"] = "FINE"
    if documents.is_valid(broken):
        sys.exit("schema-report.json accepts a verdict that there is not")
    check_comparisons(weir, source)
    print(f"{len(files)} files, {figures} figures")


main()
