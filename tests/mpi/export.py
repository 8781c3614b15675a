# SPDX-License-Identifier: Apache-2.0
"""export.py WEIR SOURCE RESULTS: databases, and names that stay at the site."""
import csv
import glob
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

weir, source, results = sys.argv[1:4]
HOST, PLACES = "qnode07", ("alicia", "geheim", "relativ", "qresult", "platte", "umsatz")


def call(*words, code=0, says=None):
    done = subprocess.run([weir, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    told = done.stderr.decode(errors="replace")
    assert done.returncode == code, (words, done.returncode, told)
    assert says is None or re.search(says, told), (words, told)
    return done.stdout


def can_strace():
    return shutil.which("strace") and subprocess.run(["strace", "-qq", "-o", "trace", "true"], capture_output=True, check=False).returncode == 0


def ask(path, query):
    database = sqlite3.connect(path)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def dump(path):
    return "\n".join(sqlite3.connect(path).iterdump())


def data(*files):
    return list(csv.DictReader(io.StringIO(call("report", *files, "--run", "all", "--format", "csv-long").decode())))


def check_import():
    """The view has the rows of csv-long; twice is the same as once, also in another order and a file at a time."""
    files = [results, *sorted(glob.glob(f"{source}/tests/golden/data/*.jsonl"))]
    call("export", "sqlite", *files, "-o", "site.db", "--with", "histograms,series")
    once = dump("site.db")
    columns = [row[1] for row in ask("site.db", "PRAGMA table_info(result)")]
    expected = data(*files)
    assert columns == list(expected[0]), columns
    told = [dict(zip(columns, ("" if value is None else value for value in row))) for row in ask("site.db", "SELECT * FROM result")]
    for row in told + expected:
        row["value"] = repr(float(row["value"]))
    assert sorted(str([str(value) for value in row.values()]) for row in told) == sorted(str(list(row.values())) for row in expected)
    for path in reversed(files):
        call("export", "sqlite", path, path, "-o", "site.db", "--with", "histograms,series")
    assert dump("site.db") == once
    # Details stay where an import reads none.
    call("export", "sqlite", *files, "-o", "site.db")
    assert dump("site.db") == once
    assert ask("site.db", "SELECT count(*) FROM phase WHERE loops IS NULL") == [(0,)]
    assert ask("site.db", "SELECT count(*) FROM good WHERE believed IN ('DO NOT USE', 'PARTIAL')") == [(0,)] != ask("site.db", "SELECT count(*) FROM good")
    # Details are those of the records.
    for run, phase in [(record["run_id"], record) for record in map(json.loads, open(results, encoding="utf-8")) if record["record"] == "phase"]:
        where = f"FROM phase p JOIN {{}} USING(phase_id) WHERE p.run_id = '{run}' AND p.test = {phase['test']} AND p.phase = {phase['phase']} " \
                f"AND p.repetition = {phase['repetition']} AND part = '' AND loops = '{'.'.join(map(str, phase.get('loops') or []))}'"
        counts = ask("site.db", f"SELECT sum(count) {where.format('bucket')} AND kind = 'latency'")
        assert counts == [((phase["latency"] or {}).get("total") or None,)], (run, phase["verb"], counts)
        moved = ask("site.db", f"SELECT total(b.bytes) {where.format('interval b')}")
        assert moved == [(sum((phase["series"] or {}).get("bytes", [])),)], (run, phase["verb"], moved)
    call("export", "sqlite", *files, "-o", "plain.db")
    assert [row[1] for row in ask("plain.db", "PRAGMA table_info(interval)")] == ["phase_id", "t_s", "operations", "bytes"]
    assert ask("plain.db", "SELECT (SELECT count(*) FROM bucket), (SELECT count(*) FROM interval)") == [(0, 0)]


def check_parts():
    """A run that was cut is replaced by the whole one, and not the other way round; what is whole in a damaged file is imported."""
    lines = pathlib.Path(results).read_text(encoding="utf-8").splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if '"record":"end"' in line)
    pathlib.Path("cut").write_text("".join(lines[:end - 1]) + lines[end - 1][:100] + "\n", encoding="utf-8")
    pathlib.Path("whole").write_text("".join(lines[:end + 1]), encoding="utf-8")
    call("export", "sqlite", "cut", "-o", "cut.db", says="1 line is damaged or cut off")
    assert ask("cut.db", "SELECT exit_code FROM run") == [(None,)]
    call("export", "sqlite", "whole", "-o", "cut.db")
    call("export", "sqlite", "whole", "-o", "whole.db")
    call("export", "sqlite", "cut", "-o", "cut.db")
    assert dump("cut.db") == dump("whole.db")
    # A copy that has its end, and has lost a phase.
    phases = [number for number, line in enumerate(lines[:end]) if '"record":"phase"' in line]
    pathlib.Path("holed").write_text("".join(lines[:phases[-1]]) + "".join(lines[phases[-1] + 1:end + 1]), encoding="utf-8")
    call("export", "sqlite", "holed", "-o", "cut.db",
         says=rf"holed: run \w+ is left out: the database has more of it \({len(phases)} phases, here {len(phases) - 1}\)")
    assert dump("cut.db") == dump("whole.db")
    # Pseudonyms that are numbers belong to one import.
    call("export", "sqlite", "whole", "-o", "numbered.db", "--redact")
    before = pathlib.Path("numbered.db").read_bytes()
    call("export", "sqlite", "whole", "-o", "numbered.db", "--redact", code=2, says="host-1 may be another host now: give --redact-key")
    assert pathlib.Path("numbered.db").read_bytes() == before


def check_others():
    """Several imports at once lose nothing; locks are waited for; databases of others stay as they are."""
    parts = []
    for number, path in enumerate(sorted(glob.glob(f"{source}/tests/golden/data/*.jsonl"))):
        parts.append(subprocess.Popen([weir, "export", "sqlite", path, "-o", "shared.db"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        assert number < 20
    assert [part.wait(timeout=300) for part in parts] == [0] * len(parts)
    call("export", "sqlite", *sorted(glob.glob(f"{source}/tests/golden/data/*.jsonl")), "-o", "alone.db")
    assert dump("shared.db") == dump("alone.db")
    assert not [name for name in os.listdir(".") if name.startswith(".weir-") or name.endswith("-journal")]

    holder = sqlite3.connect("shared.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    call("export", "sqlite", results, "-o", "shared.db", code=3, says="another process has locked the database for 10 s")
    holder.close()

    sqlite3.connect("other.db").execute("CREATE TABLE mine(a)").connection.close()
    before = pathlib.Path("other.db").read_bytes()
    call("export", "sqlite", results, "-o", "other.db", code=2, says="a database of another program")
    assert pathlib.Path("other.db").read_bytes() == before
    ask("alone.db", "PRAGMA user_version = 99")
    call("export", "sqlite", results, "-o", "alone.db", code=2, says="another version of weir")
    call("export", "sqlite", "missing", "-o", "new.db", code=3)
    assert not os.path.exists("new.db")
    pathlib.Path("empty.db").touch()
    call("export", "sqlite", "whole", "-o", "empty.db")
    assert dump("empty.db") == dump("whole.db")

    # A file system that does not lock: what its system call returns.
    words = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=fcntl", "-e", "inject=fcntl:error=ENOLCK", weir, "export", "sqlite", "whole", "-o"]
    if can_strace():
        done = subprocess.run([*words, "empty.db"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 3 and "the file system does not lock files (No locks available)" in done.stderr, done
        done = subprocess.run([*words, "unlocked.db"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0 and dump("unlocked.db") == dump("whole.db"), done


def check_metrics():
    """A series is there once, and of the last of equal runs; the time of its end is there."""
    text = call("report", results, "--run", "all", "--format", "openmetrics").decode()
    samples = re.findall(r'^(weir_\w+)\{(.*)\} (\S+)$', text, re.MULTILINE)
    assert len({sample[:2] for sample in samples}) == len(samples) and text.endswith("# EOF\n")
    assert all('case_id="' in labels and 'case="' not in labels for gauge, labels, value in samples if "run_" not in gauge)
    assert any(gauge == "weir_believed" and re.search(r',believed="[A-Z ]+"$', labels) for gauge, labels, value in samples)
    last = {}
    for row in data(results):
        if row["figure"] == "rate" and row["dialect"] == "ior":
            last.setdefault(row["name"], {}).setdefault(row["run_id"], []).append(float(row["value"]))
    assert last and all(len(runs) == 2 for runs in last.values()), last
    for name, runs in last.items():
        told = [float(value) for gauge, labels, value in samples
                if gauge == "weir_rate_bytes_per_second" and f'name="{name}"' in labels and 'dialect="ior"' in labels]
        assert told == [sum(list(runs.values())[-1]) / 2], (name, told, runs)
    # Each measurement of weir net is a point of its own, also of files that have no times of them.
    text = pathlib.Path(results).read_text(encoding="utf-8")
    pathlib.Path("timeless").write_text("".join(
        re.sub(r'"begun_s":[^,]*,', "", line) if '"record":"measurement"' in line else line for line in text.splitlines(keepends=True)), encoding="utf-8")
    ends = {record["run_id"]: record["finished_s"] for record in map(json.loads, text.splitlines()) if record["record"] == "end"}
    begun = {}
    for path in (results, "timeless"):
        points = [re.fullmatch(r'(\S+) .*run_id="(\w+)".* (\d+)', line).groups()
                  for line in call("report", path, "--run", "all", "--format", "influx").decode().splitlines() if "dialect=net," in line]
        assert len({(tags, when) for tags, run, when in points}) == len(points) == 8, points
        assert all(int(when) / 1e9 < ends[run] for tags, run, when in points), (points, ends)
        begun[path] = [int(when) for tags, run, when in points]
    assert begun[results] == sorted(begun[results]) != begun["timeless"] == sorted(begun["timeless"]), begun
    lines = pathlib.Path("whole").read_text(encoding="utf-8").replace('"errors":0', '"errors":7', 1)
    pathlib.Path("errors").write_text(lines, encoding="utf-8")
    assert re.search(r'^weir_errors\{.*name="write".*\} 7$', call("report", "errors", "--format", "openmetrics").decode(), re.MULTILINE)
    ends = [json.loads(line)["finished_s"] for line in open(results, encoding="utf-8") if '"record":"end"' in line]
    assert max(ends) == max(float(value) for gauge, labels, value in samples if gauge == "weir_run_finished_seconds")


def outputs(*redact):
    """What leaves the site, in every format."""
    for words in [(path,) for path in ("renamed", *stored())]:
        for style in ("csv", "csv-long", "json-long", "influx", "openmetrics", "verdict", "markdown"):
            yield words, style, call("report", *words, "--run", "all", "--format", style, *redact)
        yield words, "list", call("report", *words, "--run", "list", *redact)
        yield words, "dump", (call("export", "sqlite", *words, "-o", "r.db", *redact), dump("r.db").encode())[1]
        os.remove("r.db")
        for number, run in enumerate(json.loads(call("report", *words, "--run", "all", "--format", "json-long"))["runs"], 1):
            for style in ("-v", "--format=junit", "--format=tap") if run["dialect"] != "net" else ():
                yield words, style, call("report", *words, "--run", str(number), style, *redact)
    yield ("renamed",), "json", call("report", "renamed", "--run", "1", "--format", "json", *redact)
    for style in ("text", "json"):
        yield ("renamed",), "compare", call("compare", "renamed", "--run", "1", "--", "renamed", "--run", "5", "--allow-unsure", "--format", style,
                                            "--fail-if-slower", "99%", *redact)


def stored():
    return sorted(glob.glob(f"{source}/tests/golden/report/*.result"))


def names_of(path):
    """Names of hosts and files in the records of a file, long enough to be no word of ours."""
    names = set()

    def walk(value, key):
        if isinstance(value, dict):
            for inner, member in value.items():
                walk(member, inner)
        elif isinstance(value, list):
            for member in value:
                walk(member, key)
        elif isinstance(value, str) and value not in ("/", "/dev/zero"):
            if key in ("host", "slurm job"):
                names.add(value)
            if key in ("path", "paths", "mount_point", "source", "roots", "result_path") and len(value) > 3:
                names.add(value)

    with open(path, encoding="utf-8") as file:
        for line in file:
            walk(json.loads(line), "")
    return names


def check_redaction():
    node = json.loads(open(results, encoding="utf-8").readline())["host"]["node"]
    text = pathlib.Path(results).read_text(encoding="utf-8")
    text = re.sub(rf'(?<![\w/.-]){re.escape(node)}(?![\w/-])', HOST, text)
    pathlib.Path("renamed").write_text(text, encoding="utf-8")
    expected = {name for name in (HOST, *PLACES)}
    seen = set()
    for words, style, told in outputs():
        seen |= {name for name in expected if name.encode() in told}
    assert seen == expected, expected - seen
    for words, style, told in outputs("--redact"):
        names = expected if words == ("renamed",) else names_of(words[0])
        for name in names:
            found = re.search(rb"(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w-])" if words != ("renamed",) else re.escape(name.encode()), told)
            assert not found, (words, style, name, told[max(0, found.start() - 200):found.end() + 50])
    # Short users, hosts in capitals, with a domain or a suffix, and each server of a mount.
    text = re.sub(r'"label":"nightly"', f'"label":"kim\'s run on {HOST.upper()}.cluster.example.org, {HOST}-ib0 and mgs02@o2ib"', text)
    text = re.sub(r'"source":"/dev/[^"]*"', '"source":"mgs01@o2ib,10.9.8.7@tcp:mgs02@o2ib:/lfs"', text).replace('"z":"1"', '"who":"kim"')
    text = text.replace('"failure":""', '"failure":"mgs01@o2ib has no room for Kim"', 1).replace("alicia", "kim")
    assert all(name in text for name in ("-ib0", "10.9.8.7@tcp", '"who"', "for Kim", "home/kim"))
    pathlib.Path("hidden").write_text(text, encoding="utf-8")
    told = [call("report", "hidden", "--run", "all", "--format", style, "--redact").decode() for style in ("csv-long", "json-long", "influx", "verdict")]
    told.append((call("export", "sqlite", "hidden", "-o", "h.db", "--redact"), dump("h.db"))[1])
    for style in told:
        found = re.search(rf"\bkim\b|{HOST}|mgs0|example|10\.9\.8\.7", style, re.IGNORECASE)
        assert not found, (found, style[max(0, found.start() - 200):found.end() + 50])
    host, server = re.search(r"user-1's run on (host-\d+), \1-ib0 and (host-\d+)@o2ib", told[1]).groups()
    assert host != server, told[1]
    # Figures, cases and verdicts stay.
    kept = ("run_id", "case_id", "name", "figure", "value", "believed", "findings", "ranks", "nodes")
    rows = csv.DictReader(io.StringIO(call("report", "renamed", "--run", "all", "--format", "csv-long", "--redact").decode()))
    assert [[row[key] for key in kept] for row in rows] == [[row[key] for key in kept] for row in data("renamed")]
    # With a key, a name is the same in all outputs with it, and in no other.
    pathlib.Path("key").write_bytes(b"0123456789abcdef0")
    pathlib.Path("other-key").write_bytes(b"0123456789abcdef1")
    hosts = [set(re.findall(rb"host-[0-9a-f]{10}", call("report", "renamed", "--run", run, "--format", "csv-long", "--redact-key", key)))
             for run, key in (("1", "key"), ("2", "key"), ("1", "other-key"))]
    assert len(hosts[0]) == 1 and hosts[0] == hosts[1] != hosts[2], hosts
    pathlib.Path("short").write_bytes(b"12345")
    call("report", "renamed", "--redact-key", "short", code=2, says="has 5 bytes")
    call("report", "renamed", "--redact-key", "missing", code=3, says="No such file")
    words = ["strace", "-f", "-qq", "-o", "trace", "-P", "key", "-e", "inject=openat:error=EACCES", weir, "report", "renamed", "--redact-key", "key"]
    if can_strace():
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 3 and "key: Permission denied" in done.stderr, done


check_import()
check_parts()
check_others()
check_metrics()
check_redaction()
