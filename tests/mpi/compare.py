# SPDX-License-Identifier: Apache-2.0
"""Writes result files with known rates, made of real records, and compares them."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys

work = pathlib.Path(sys.argv[1])
weir = os.environ["WEIR"]


def first_run(path):
    records = [json.loads(line) for line in open(path)]
    return [r for r in records if r["run_id"] == records[0]["run_id"]]


ior = first_run(work / "a.ior")
mdtest = first_run(work / "a.mdtest")
count = 0


def run(path, rates, base=ior, begun=None, **changes):
    """Appends a run whose timed phases have these rates in MB/s (in 1000/s of mdtest): by verb, or one for all."""
    global count
    count += 1
    with open(work / path, "a") as file:
        for record in copy.deepcopy(base):
            record["run_id"] = f"{count:016x}"
            if "begun_s" in record:
                record["begun_s"] = 1e9 + 100 * (count if begun is None else begun)
            if record["record"] == "run":
                for key in ("label", "tags"):
                    if key in changes:
                        record[key] = changes[key]
                        record["plan"][key] = changes[key]
                record["job"] = changes.get("job", {})
                record["environment"][0].update(changes.get("host", {}))
                if "kernel" in changes:
                    record["environment"][0]["kernel"] = changes["kernel"]
            if record["record"] == "test":
                record["filesystem"]["type"] = changes.get("filesystem", "ext4")
                record["storage"][0]["options"] = changes.get("options", "rw,relatime")
            if record["record"] == "phase":
                record["ranks"] = changes.get("ranks", 2)
                record["placement"] = None  # of other ranks
                record["findings"] = changes.get("findings", [])
                record["believed"] = changes.get("believed", "OK")
                if record["verb"] != "remove" and record.get("windows"):
                    rate = rates[record["verb"]] if isinstance(rates, dict) else rates
                    amount = record["bytes"] / 1e6 if base is ior else record["ops"] / 1e3
                    record["windows"]["total_s"] = amount / rate
            if record["record"] == "run" and "measure" in changes:
                for test in record["plan"]["tests"]:
                    test["placement"]["measure"] = changes["measure"]
            file.write(json.dumps(record) + "\n")


def runs(path, *rates, **changes):
    for rate in rates:
        run(path, rate, **changes)


def compare(code, *words):
    """Returns the document of the comparison, after a check of its text."""
    words = [str(work / w) if (work / w).exists() else w for w in words]
    text = subprocess.run([weir, "compare", *words], capture_output=True, text=True)
    done = subprocess.run([weir, "compare", *words, "--format", "json"], capture_output=True, text=True)
    assert text.returncode == done.returncode == code, (words, text.returncode, text.stdout, text.stderr)
    if code == 2 or not done.stdout:
        return text.stderr
    document = json.loads(done.stdout)
    assert document["exit_code"] == code
    last = text.stdout.splitlines()[-1]
    assert f"exit {code}: {document['exit_reason']}" in last, last
    assert all(len(line) <= 100 for line in text.stdout.splitlines()[:-1]
               if not line.startswith(("A ", "B ", "differs: c"))), text.stdout
    document["text"] = text.stdout
    return document


def verdicts(document):
    return {row["phase"]: row["verdict"] for row in document["rows"]}


# ---- verdicts and exit codes

runs("base", 100, 101, 99)
runs("slow", {"write": 80, "read": 100}, {"write": 81, "read": 101}, {"write": 79, "read": 99})
runs("fast", 120, 121, 119)
runs("same", 100.2, 101.1, 99.3)
runs("wild", 100, 150, 60)
runs("single", 100)

d = compare(1, "base", "--", "slow")
assert verdicts(d) == {"write": "SLOWER", "read": "same"}, verdicts(d)
write = d["rows"][0]
assert abs(write["change"] + 0.2) < 1e-6 and write["change_low"] < -0.2 < write["change_high"]
assert write["detectable"] < 0.1 and write["figure"] == "rate"
assert "2 rows: 2 decided, 0 undecided, 0 unmatched; exit 1" in d["text"]
assert "SLOWER" in d["text"] and "same within 5 %" in d["text"] and "-20.0 %" in d["text"]
assert verdicts(compare(0, "base", "--", "fast")) == {"write": "faster", "read": "faster"}
assert verdicts(compare(0, "base", "--", "same")) == {"write": "same", "read": "same"}
compare(0, "base", "--", "slow", "--fail-if-slower", "25%")
d = compare(3, "base", "--", "wild")
assert verdicts(d) == {"write": "cannot tell", "read": "cannot tell"} and d["undecided"] == 2
compare(0, "base", "--", "wild", "--allow-unsure")
compare(3, "base", "--", "wild", "--fail-if-unsure")  # 3 comes before 4
compare(2, "base", "--", "wild", "--fail-if-unsure", "--allow-unsure")

# Noise of operations is in a pool of its own: rates are decided beside noisy metadata.
for rate in (10, 20, 5):
    run("base+", rate, base=mdtest)
    run("slow+", rate * 1.1, base=mdtest)
d = compare(1, "base", "base+", "--", "slow", "slow+")
assert verdicts(d)["write"] == "SLOWER" and verdicts(d)["File creation"] == "cannot tell", verdicts(d)
compare(4, "base", "base+", "--", "same", "slow+", "--fail-if-unsure")
compare(0, "base", "base+", "--", "same", "slow+")

# ---- cases that are expected

compare(5, "base", "--", "slow", "--expect-cases", "3")  # 5 comes before 1
compare(1, "base", "--", "slow", "--expect-cases", "2")
d = compare(5, "base", "--", "same", "--expect-cases", "base+")
assert "File creation" in d["exit_reason"], d["exit_reason"]
compare(0, "base", "--", "same", "--expect-cases", "base")
# A case counts once, whatever is left of its repetitions.
with open(work / "shifted", "w") as file:
    for line in open(work / "base"):
        record = json.loads(line)
        if record["record"] == "phase":
            record["repetition"] += 1
        file.write(json.dumps(record) + "\n")
d = compare(5, "base+", "--", "slow+", "--expect-cases", "shifted", "--allow-unsure")
assert re.match(r"2 cases of .*shifted were not compared: write, read$", d["exit_reason"]), d["exit_reason"]
compare(3, "base", "--", "same", "--expect-cases", str(work / "missing"))

# ---- what is not comparable

void = [{"level": "note", "name": "resident", "effect": "void", "text": "cached"}]
runs("void", 300, 301, 299, believed="DO NOT USE", findings=void)
d = compare(3, "base", "--", "void")
assert verdicts(d) == {"write": "not comparable", "read": "not comparable"}, verdicts(d)
assert d["rows"][0]["reason"] == "B is DO NOT USE: resident", d["rows"][0]
compare(3, "base", "--", "void", "--allow-unsure")
# ... unless both sides mean to measure it.
for path, rate, measure in (("cache1", 300, "cache"), ("cache2", 200, "cache"), ("memory", 200, "memory")):
    runs(path, rate, rate + 1, rate - 1, believed="DO NOT USE", findings=void, measure=measure)
assert set(verdicts(compare(1, "cache1", "--", "cache2")).values()) == {"SLOWER"}
assert set(verdicts(compare(3, "cache1", "--", "memory")).values()) == {"not comparable"}
for believed in ("PARTIAL", "WRONG DATA"):
    path = believed.split()[0]
    runs(path, 300, 301, 299, believed=believed)
    assert set(verdicts(compare(3, "base", "--", path)).values()) == {"not comparable"}

# ---- what is compared is named, and leaves the match

runs("xfs", 100, 101, 99, filesystem="xfs", kernel="Linux 6.1 x86_64", options="rw,noatime")
d = compare(0, "base", "--", "xfs")
assert [c["key"] for c in d["compared"]] == ["filesystem", "kernel"], d["compared"]
assert "compared: filesystem ext4 -> xfs" in d["text"]
assert "differs: options relatime -> noatime" in d["text"], d["text"]
FACTS = {"governor": "powersave", "transparent_huge_pages": "never", "memory_limit": "8g", "container": "docker", "hypervisor": "a-hypervisor", "clock_source": "hpet"}
host = {**FACTS, "memory_limit_bytes": 8 << 30}
del host["memory_limit"]
runs("host", 100, 101, 99, host=host)
d = compare(0, "base", "--", "host")
assert {c["key"]: c["values"][1] for c in d["differs"] if c["key"] in FACTS} == FACTS, d["differs"]
assert "-> hpet" in d["text"], d["text"]
runs("mixed", 100, 101, 99)
runs("mixed", 100, 101, 99, filesystem="xfs")
d = compare(0, "base", "--", "mixed")
assert d["compared"] == [] and len(d["unmatched"]) == 2, d
assert d["unmatched"][0]["differs_in"] == "filesystem" and "--across filesystem" in d["text"]
d = compare(0, "base", "--", "mixed", "--across", "filesystem")
assert len(d["rows"]) == 4 and d["unmatched"] == []
assert {(r["across_a"], r["across_b"]) for r in d["rows"]} == {
    ("filesystem=ext4", "filesystem=ext4"), ("filesystem=ext4", "filesystem=xfs")}
assert re.search(r"case +filesystem +A ", d["text"]) and "ext4 -> xfs" in d["text"], d["text"]
d = compare(0, "mixed", "--by", "filesystem")
assert [c["key"] for c in d["compared"]] == ["filesystem"] and len(d["rows"]) == 2
runs("three", 100, 101, 99, tags={"site": "a"})
runs("three", 120, 121, 119, tags={"site": "b"})
runs("three", 80, 81, 79, tags={"site": "c"})
d = compare(1, "three", "--by", "site")
assert [r["verdict"] for r in d["rows"]] == ["faster", "SLOWER"] * 2, d["rows"]
assert "b" in d["rows"][0]["name"] and "c" in d["rows"][1]["name"]
assert d["a"] is None and d["b"] is None and [r["group"] for r in d["rows"]] == [1, 2] * 2, d
assert [(g["value"], len(g["runs"])) for g in d["groups"]] == [("a", 3), ("b", 3), ("c", 3)], d["groups"]
assert len({r["run_id"] for g in d["groups"] for r in g["runs"]}) == 9
d = compare(0, "base", "--", "same")
assert [g["runs"] for g in d["groups"]] == [d["a"], d["b"]] and {r["group"] for r in d["rows"]} == {1}
# Tags of older files with names of facts; and --set refuses each of them.
runs("old-a", 100, 101, 99, tags={"version": "2.12"})
runs("old-b", 80, 81, 79, tags={"version": "2.15"})
d = compare(1, "old-a", "--", "old-b")
assert d["compared"] == [{"key": "tag.version", "values": ["2.12", "2.15"]}], d["compared"]
keys = compare(2, "base", "--by", "none").split("keys are ")[1].strip().split(", ")
assert len(keys) >= 22, keys
for key in keys:
    done = subprocess.run([weir, "ior", "-w", "-o", "f", "--explain", "--set", key + "=x"], capture_output=True, text=True)
    assert done.returncode == 2 and f"{key} is a key that weir compare has" in done.stderr, done
assert "no key" in compare(2, "three", "--by", "size") and "no key" in compare(2, "base", "--", "fast", "--across", "x")
compare(3, "base", "--by", "filesystem")
runs("labels", 100, 101, 99, label="old")
runs("labels", 80, 81, 79, label="new")
d = compare(1, "labels", "--label", "old", "--", "--label", "new")
assert "compared: label old -> new" in d["text"] and len(d["a"]) == len(d["b"]) == 3
compare(3, "labels", "--label", "other", "--", "--label", "new")

# What others chose does not steer a terminal.
for key in ("site\x1b[31m", "site"):
    runs("esc-a" + key[4:5], 100, 101, 99, tags={key: "a\x1b[0m", "z\x1b[1m": "x"}, job={"slurm\x1b[2m job": "7"})
    run("esc-b" + key[4:5], 100, tags={key: "b\x1b[0m", "z\x1b[1m": "x"})
    run("esc-b" + key[4:5], 100, tags={key: "a\x1b[0m", "z\x1b[1m": "y"})
runs("esc-v", 100, believed="DO NOT USE", findings=[{**void[0], "name": "resident\x1b[3m"}], tags={"site\x1b[31m": "c"})
for sides in (("esc-a\x1b", "--", "esc-b\x1b"), ("esc-a", "--", "esc-b"), ("esc-a\x1b", "--", "esc-v")):
    text = subprocess.run([weir, "compare", *(work / w if w != "--" else w for w in sides)], capture_output=True, text=True)
    assert "\x1b" not in text.stdout + text.stderr and "?[" in text.stdout, (sides, text)
text = subprocess.run([weir, "report", work / "esc-a", "--run", "list"], capture_output=True, text=True).stdout
assert "\x1b" not in text and "slurm?[2m" in text, text

# ---- order, drift, and noise of earlier runs

for i in range(5):
    run("falls-a", 100 - 3 * i, begun=2 * i)
    run("falls-b", 100 - 3 * i, begun=2 * i + 1)
    run("later", 100 - i % 2, begun=50 + i)
d = compare(3, "falls-a", "--", "falls-b")
assert d["drift"] < -0.9 and "later repetitions are slower" in d["text"] and "interleaved" not in d["text"]
d = compare(0, "base", "--", "same")
assert d["drift"] == 0 and "drift:" not in d["text"]
d = compare(0, "falls-a", "--", "later", "--allow-unsure")
assert d["a_before_b"] == 1 and "not interleaved: A ran before B" in d["text"]
for i, rate in enumerate((60, 80, 100, 120, 140)):
    run(f"earlier{i // 3}", rate, begun=-10 + i)
d = compare(3, "base", "--", "slow", "--noise-from", "earlier0", "earlier1")
assert verdicts(d)["write"] == "cannot tell"
assert "noise: of at least 5 earlier runs in 2 of 2 rows" in d["text"]
d = compare(1, "base", "--", "slow", "--noise-from", "earlier0")  # 3 runs are too few
assert "earlier runs in 0 of 2 rows" in d["text"]
runs("single2", 97)
assert compare(3, "single", "--", "single2")["rows"][0]["change_low"] is None
d = compare(0, "single", "--allow-unsure", "--noise-from", "earlier0", "earlier1", "--", "single2")
assert d["rows"][0]["change_low"] < -0.03 and d["decided"] == 0

# ---- figures

d = compare(1, "base", "--", "slow", "--figures", "time,rate")
assert [(r["phase"], r["figure"]) for r in d["rows"]][:2] == [("write", "rate"), ("write", "time")]  # in the order of the table
assert [r["verdict"] for r in d["rows"][:2]] == ["SLOWER", "SLOWER"]
assert "did you mean" in compare(2, "base", "--", "slow", "--figures", "rates")
assert "amount" in compare(2, "base", "--", "slow", "--figures", "bytes")

# ---- the six comparisons of the published run on GlusterFS: one repetition each

MiB = 1.048576
PUBLISHED = [  # A, B: tags, ranks, write and read in MiB/s; and what is compared
    ({"network": "ethernet"}, 36, 203.89, 209.22, {"network": "infiniband"}, 36, 2475.39, 2701.51, "network"),
    ({"memory": "2GB"}, 36, 205.71, 275.65, {"memory": "72GB"}, 36, 2475.39, 2701.51, "memory"),
    ({"layout": "distributed"}, 36, 1936.59, 2008.95, {"layout": "striped"}, 36, 2475.39, 2701.51, "layout"),
    ({}, 36, 2475.39, 2701.51, {}, 72, 233.77, 2829.12, "ranks"),
    ({"servers": "3"}, 36, 2475.39, 2701.51, {"servers": "2"}, 36, 968.56, 1940.63, "servers"),
    ({"fuse": "distribution"}, 72, 233.77, 2829.12, {"fuse": "glusterfs"}, 72, 262.79, 2814.13, "fuse"),
]
for i, (a_tags, a_ranks, a_write, a_read, b_tags, b_ranks, b_write, b_read, key) in enumerate(PUBLISHED):
    a, b = f"published{i}a", f"published{i}b"
    run(a, {"write": a_write * MiB, "read": a_read * MiB}, tags={**a_tags, "brand": "x"}, ranks=a_ranks)
    run(b, {"write": b_write * MiB, "read": b_read * MiB}, tags={**b_tags, "brand": "x"}, ranks=b_ranks)
    d = compare(3, a, "--", b)  # a difference of a single measurement has no noise
    assert [c["key"] for c in d["compared"]] == [key], (key, d["compared"])
    assert set(verdicts(d).values()) == {"cannot tell"} and "one measurement" in d["text"]
    assert abs(d["rows"][0]["change"] - (b_write / a_write - 1)) < 1e-6
    print(f"compared {key}: write {100 * d['rows'][0]['change']:+.1f} %, read {100 * d['rows'][1]['change']:+.1f} %")
