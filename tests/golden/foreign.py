#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of others read what weir prints of the stored runs of every dialect: foreign.py WEIR SOURCE
node-exporter|openmetrics|influx|pandas|sqlite3"""
import csv
import glob
import io
import math
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from packages import need, need_program

weir, source, name = sys.argv[1:4]
files = sorted(glob.glob(f"{source}/tests/golden/data/*.jsonl"))


def call(*words):
    done = subprocess.run([weir, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"weir {' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
    return done.stdout


def rows():
    return list(csv.DictReader(io.StringIO(call("report", *files, "--run", "all", "--format", "csv-long"))))


def need_equal(told, expected, what):
    if told != expected:
        sys.exit(f"{what}: {told!r}, not {expected!r}")


def gauge_name(row):
    suffix = {"bytes/s": "_bytes_per_second", "1/s": "_per_second", "s": "_seconds", "bytes": "_bytes", "1": ""}[row["unit"]]
    return "weir_" + row["figure"] + ("" if row["figure"] == row["unit"] else suffix)


def openmetrics():
    parser = need("prometheus_client.openmetrics.parser", "python3-prometheus-client")
    classic = need("prometheus_client.parser", "python3-prometheus-client")
    text = call("report", *files, "--run", "all", "--format", "openmetrics")
    series = {}
    for family in parser.text_string_to_metric_families(text):
        need_equal(family.type, "gauge", family.name)
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            if key in series:
                sys.exit(f"two samples of {key}")
            if sample.timestamp is not None:
                sys.exit(f"a timestamp: {sample}")
            series[key] = sample.value
    need_equal(sum(len(family.samples) for family in classic.text_string_to_metric_families(text)), len(series), "series of the classic format")
    # Each series is the median over the rows with its labels, of errors the greatest.
    known = {}
    for row in rows():
        if row["part"] != "pair":
            key = (gauge_name(row), row["case_id"], row["name"], row["target"], row["test"], row["ranks"], row["label"], row["backend"])
            known.setdefault(key, []).append(float(row["value"]))
    found = 0
    for (gauge, labels), value in series.items():
        labels = dict(labels)
        key = (gauge, labels.get("case_id"), *(labels.get(label, "") for label in ("name", "target", "test", "ranks", "label", "backend")))
        if key in known:
            worst = gauge in ("weir_errors", "weir_wrong", "weir_cached", "weir_dirty", "weir_retransmits")
            if not math.isclose(value, max(known[key]) if worst else statistics.median(known[key]), rel_tol=1e-12):
                sys.exit(f"{key}: {value}, of {known[key]}")
            found += 1
    need_equal(found, len(known), "figures that are gauges")
    if not any(gauge == "weir_run_finished_seconds" and value > 1e9 for (gauge, _), value in series.items()):
        sys.exit("no weir_run_finished_seconds")


def node_exporter():
    program = need_program("prometheus-node-exporter", "prometheus-node-exporter")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "weir.prom")
        os.umask(0o077)
        call("report", *files, "--run", "all", "--format", "openmetrics", "--output", str(path))
        need_equal(oct(path.stat().st_mode & 0o7777), oct(0o644), "mode of the file")
        need_equal([entry.name for entry in path.parent.iterdir()], ["weir.prom"], "files")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = [program, f"--web.listen-address=127.0.0.1:{port}", f"--collector.textfile.directory={folder}", "--collector.disable-defaults",
                 "--collector.textfile"]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as daemon:
            try:
                page = None
                for _ in range(300):
                    try:
                        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                            page = answer.read().decode()
                        break
                    except OSError:
                        time.sleep(0.1)
            finally:
                daemon.terminate()
                said = daemon.communicate()[1]
        if page is None or not re.search(r"^node_textfile_scrape_error 0$", page, re.MULTILINE):
            sys.exit(f"node_textfile_scrape_error is not 0: {said[-2000:]}")
        told = {line for line in path.read_text().splitlines() if not line.startswith("#")}
        need_equal(len(re.findall(r"^weir_", page, re.MULTILINE)), len(told), "series of the page")


def influx():
    parse = need("line_protocol_parser", "line-protocol-parser").parse_line
    points = [parse(line) for line in call("report", *files, "--run", "all", "--format", "influx").splitlines()]
    keys = [(tuple(sorted(point["tags"].items())), point["time"]) for point in points]
    need_equal(len(set(keys)), len(keys), "points that differ in tags or time")
    figures = {row["figure"] for row in rows()}
    told = sorted((point["fields"]["run_id"], point["tags"]["name"], figure, point["fields"][figure]) for point in points
                  for figure in figures & point["fields"].keys())
    need_equal(told, sorted((row["run_id"], row["name"], row["figure"], float(row["value"])) for row in rows() if row["part"] != "pair"), "figures")
    for point in points:
        need_equal(point["measurement"], "weir", "measurement")
        if not 1e18 < point["time"] < 2e18 or "case_id" not in point["tags"] or {"run_id", "path", "hosts"} & point["tags"].keys():
            sys.exit(f"no point of a phase: {point}")
    # What must be escaped comes back as it was typed.
    with tempfile.TemporaryDirectory() as folder:
        label = 'a b,c=d "e"'
        call("ior", "-a", "DUMMY", "-w", "-t", "64k", "-b", "64k", "-o", f"{folder}/f", "--result", f"{folder}/r", "--label", label, "--set", "cluster=é")
        point = parse(call("report", f"{folder}/r", "--format", "influx").splitlines()[0])
        need_equal((point["tags"]["label"], point["tags"]["cluster"]), (label, "é"), "tags")


def pandas():
    need("pandas", "python3-pandas")
    page = pathlib.Path(source, "docs/results-as-data.md").read_text(encoding="utf-8")
    example = re.search(r"^## pandas\n\n((?:    .*\n|\n)+)", page, re.MULTILINE)[1].replace("\n    ", "\n").strip()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "r.csv").write_text(call("report", f"{source}/tests/golden/data/md-workbench.jsonl", f"{source}/tests/golden/data/targets.jsonl",
                                                      f"{source}/tests/golden/data/ior.jsonl", "--run", "all", "--format", "csv-long"), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", example], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0 or not re.search(r"^[0-9a-f]{16} +\S.* \d+\.\d+", done.stdout, re.MULTILINE):
        sys.exit(f"the example of docs/results-as-data.md: {done.returncode}\n{done.stdout}{done.stderr}")


def sqlite3():
    program = need_program("sqlite3", "sqlite3")
    page = pathlib.Path(source, "docs/results-as-data.md").read_text(encoding="utf-8")
    query = re.search(r'^    sqlite3 site\.db "([^"]*)"', page, re.MULTILINE)[1]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([weir, "export", "sqlite", *files, "-o", f"{folder}/site.db"], capture_output=True, text=True, timeout=120, check=False)
        if "is left out" in done.stderr and "sqlite" in done.stderr:
            print("skipped: weir was built without SQLite: scripts/deps build takes it in")
            sys.exit(77)
        need_equal(done.returncode, 0, done.stderr)

        def ask(text):
            return subprocess.run([program, "-csv", "-header", f"{folder}/site.db", text], capture_output=True, text=True, timeout=120, check=True).stdout

        told = list(csv.DictReader(io.StringIO(ask("SELECT * FROM result"))))
        expected = rows()
        need_equal(list(told[0]), list(expected[0]), "columns of the view result")
        for row in told + expected:
            row["value"] = f"{float(row['value']):.12g}"
        need_equal(sorted(map(str, told)), sorted(map(str, expected)), "rows of the view result")
        if len(ask(query).splitlines()) < 3:
            sys.exit(f"the query of docs/results-as-data.md finds nothing: {query}")
        need_equal(ask("PRAGMA journal_mode").split()[-1], "delete", "journal mode")


{"node-exporter": node_exporter, "openmetrics": openmetrics, "influx": influx, "pandas": pandas, "sqlite3": sqlite3}[name]()
