#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stored result files, and their figures as data, against the JSON schemas of docs/: schema.py WEIR SOURCE"""
import csv
import glob
import io
import json
import subprocess
import sys

from packages import need

jsonschema = need("jsonschema", "python3-jsonschema")


def report(weir, *words):
    done = subprocess.run([weir, "report", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"weir report {' '.join(words)}: {done.returncode}: {done.stderr}")
    return done.stdout


def validator(path):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def need_valid(against, document, place):
    for error in against.iter_errors(document):
        sys.exit(f"{place}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")


def main():
    weir, source = sys.argv[1:3]
    files = sorted(glob.glob(f"{source}/tests/golden/report/*.result") + glob.glob(f"{source}/tests/golden/data/*.jsonl"))
    lines, documents = validator(f"{source}/docs/schema-result.json"), validator(f"{source}/docs/schema-report.json")
    dialects, figures = set(), 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                need_valid(lines, json.loads(line), f"{path}:{number}")
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
    print(f"{len(files)} files, {figures} figures")


main()
