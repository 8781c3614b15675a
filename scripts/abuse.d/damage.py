# SPDX-License-Identifier: Apache-2.0
"""Bits that flip, sectors and blocks that swap places, and result files that are cut or changed."""
import concurrent.futures
import json
import os
import random
import re
import subprocess

from bed import BACKENDS, NOT_A_NUMBER, Failed, Skip, Task, strict_json

MODES = ("", "-l random -G 77", "-l i -G 77", "-l o", "--data ior -l o", "--data ior -G 5", "--data full", "-l random", "--data ior -l i -G 5")
VALUES = (b"-1", b"0", b"1e999", b"-1e999", b"NaN", b"Infinity", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"1e308",
          b"99999999999999999999999", b"null", b"true", b'""', b"[]", b"{}", b'"x"', b"4294967296", b"2147483648", b"0.5", b"[[1,2],[3]]")


def verify(bed, folder, words, ranks):
    """Reads and verifies f: (exit code, what the result says of the verification, standard error)."""
    path = folder / "r.jsonl"
    path.unlink(missing_ok=True)
    rc, _, err = bed.run_weir(folder, "-r", "-R", "-k", "-o", folder / "f", "--result", path, *words, ranks=ranks)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    found = [record["verification"] for record in records if record["record"] == "phase" and record["verb"] == "read"]
    return rc, found[0] if found else None, err


def written(bed, folder, words, ranks):
    rc, _, err = bed.run_weir(folder, "-w", "-k", "-o", folder / "f", *words, ranks=ranks)
    if rc != 0:
        raise Skip(f"not written: {err.strip()[:160]}")


def flips(write_words, read_words, ranks, count):
    """So many bits flip, each in another transfer: all are found, and those that are listed are at these places."""
    def check(bed, folder):
        common = ["-t", "4k", "-b", "256k", *write_words]
        written(bed, folder, common, ranks)
        dice = random.Random(7)
        names = sorted(name for name in os.listdir(folder) if name.startswith("f"))
        pages = dice.sample([(name, page) for name in names for page in range((folder / name).stat().st_size // 4096)], count)
        places = []
        for name, page in pages:
            place = page * 4096 + dice.randrange(4096)
            with open(folder / name, "r+b") as file:
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ 1 << dice.randrange(8)]))
            places.append((name, place))
        rc, found, err = verify(bed, folder, [*common, *read_words], ranks)
        if rc != 1 or not found or found["wrong_transfers"] != count:
            raise Failed("WRONG", f"exit code {rc}, {found and found['wrong_transfers']} of {count} found; {err.strip()[:160]}")
        for wrong in found["first"]:
            if not any(wrong["offset"] <= place < wrong["offset"] + wrong["bytes"] for _, place in places):
                raise Failed("WRONG", f"told at a place where nothing flipped: {wrong['kind']} at {wrong['offset']}")
    return check


def exchange(folder, first, second, size):
    (one, at), (other, there) = first, second
    with open(folder / one, "r+b") as a, open(folder / other, "r+b") as b:
        a.seek(at)
        b.seek(there)
        x, y = a.read(size), b.read(size)
        a.seek(at)
        b.seek(there)
        a.write(y)
        b.write(x)


def copied(folder, source, target, size):
    with open(folder / source[0], "rb") as a, open(folder / target[0], "r+b") as b:
        a.seek(source[1])
        b.seek(target[1])
        b.write(a.read(size))


F0, F1, F2 = "f.00000000", "f.00000001", "f.00000002"
MISPLACED = {
    "blocks-of-two-files": lambda d: exchange(d, (F0, 0), (F1, 131072), 65536),
    "whole-files": lambda d: exchange(d, (F0, 0), (F1, 0), 1 << 20),
    "truncated": lambda d: os.truncate(d / F2, 500000),
    "truncated-to-nothing": lambda d: os.truncate(d / F2, 0),
    "zeros": lambda d: (lambda f: (f.seek(65536), f.write(bytes(8192)), f.close()))(open(d / F1, "r+b")),
    "missing": lambda d: os.remove(d / F2),
    "torn-page": lambda d: (lambda f: (f.seek(2048), f.write(os.urandom(2048)), f.close()))(open(d / F0, "r+b")),
    "sector-of-another-file": lambda d: copied(d, (F0, 4096 + 512), (F1, 4096 + 512), 512),
    "sectors-of-a-page": lambda d: exchange(d, (F1, 4096 + 512), (F1, 4096 + 1024), 512),
    "page-of-another-file": lambda d: copied(d, (F0, 8192), (F1, 8192), 4096),
    "other-file": lambda d: copied(d, (F0, 0), (F1, 0), 1 << 20),
}


def misplaced(name, words):
    def check(bed, folder):
        common = ["-F", "-t", "64k", "-b", "1m", *words]
        written(bed, folder, common, 3)
        MISPLACED[name](folder)
        rc, found, err = verify(bed, folder, common, 3)
        if rc != 1:
            raise Failed("WRONG", f"exit code {rc}, not found: {found}; {err.strip()[:160]}")
    return check


def stale(words):
    """A page of the run before, whose files had the same names."""
    def check(bed, folder):
        common = ["-t", "64k", "-b", "1m", *words]
        written(bed, folder, common, 1)
        old = (folder / "f").read_bytes()
        written(bed, folder, [*common, "-E"], 1)
        for start, size in ((262144, 4096), (262144 + 512, 512)):
            new = (folder / "f").read_bytes()
            if old[start:start + size] == new[start:start + size]:
                continue
            (folder / "f").write_bytes(new[:start] + old[start:start + size] + new[start + size:])
            rc, found, err = verify(bed, folder, common, 1)
            (folder / "f").write_bytes(new)
            if rc != 1:
                raise Failed("WRONG", f"exit code {rc}, {size} old bytes at {start} are not found: {found}; {err.strip()[:120]}")
    return check


# ---------------------------------------------------------------- result files

class Mutants:
    """Changed copies of a result file: each is the same one each time."""

    def __init__(self, data):
        self.data = data
        self.lines = data.split(b"\n")
        self.numbers = [m.span() for m in re.finditer(rb"(?<=[:,\[])-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[,}\]])", data)]
        self.keys = [m.span(1) for m in re.finditer(rb'"([a-z_]+)":', data)]

    def bits(self, dice):
        data = bytearray(self.data)
        for _ in range(dice.choice((1, 1, 1, 2, 5))):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        return bytes(data)

    def put(self, span, value):
        return self.data[:span[0]] + value + self.data[span[1]:]

    def number(self, dice):
        return self.put(dice.choice(self.numbers), dice.choice(VALUES))

    def zero(self, dice):
        data = self.data
        for start, end in sorted(dice.sample(self.numbers, min(40, len(self.numbers))), reverse=True):
            data = data[:start] + b"0" + data[end:]
        return data

    def key(self, dice):
        return self.put(dice.choice(self.keys), dice.choice((b"x", b"", b"record", b"phase", b"latency")))

    def line(self, dice):
        lines = list(self.lines)
        if dice.random() < 0.5:
            i, j = dice.randrange(len(lines)), dice.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines.insert(dice.randrange(len(lines)), dice.choice(self.lines))
        return b"\n".join(lines)

    def gap(self, dice):
        start = dice.randrange(len(self.data))
        return self.data[:start] + self.data[start + dice.randrange(40):]

    def cut(self, dice):
        return self.data[:dice.randrange(len(self.data))]


def report(bed, folder, data, number):
    path = folder / f"m{number}"
    path.write_bytes(data)
    style = ("json", "csv", "ior", "compare", "csv-long", "json-long", "influx", "openmetrics", "export", "redact", "html", "pictures")[number % 12]
    words = ["compare", folder / "other.jsonl", "--", path, "--format", "json"] if style == "compare" else ["report", path, "--format", style]
    if style == "export":
        words = ["export", "sqlite", path, "-o", folder / f"d{number}", "--with", "histograms,series"]
    elif style == "pictures":
        words = ["report", path, "--run", "all", "--picture", ("list", "rate", "latency", "ranks", "heat")[number // 12 % 5]]
    elif style == "redact":
        words = ["report", path, "--run", "all", "--format", "json-long", "--redact"]
    try:
        done = subprocess.run([bed.weir, *words], capture_output=True, timeout=20 * bed.timeout, env=bed.environment, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed("HANG", f"weir report --format {style} of mutant {number}") from late
    out = done.stdout.decode(errors="replace")
    wrong = None
    if done.returncode not in (0, 1, 2, 3):
        wrong = f"exit code {done.returncode}"
    elif done.returncode in (2, 3) and not done.stderr:
        wrong = f"exit code {done.returncode} without a word"
    elif NOT_A_NUMBER.search(out):
        wrong = f"a number that is none: {NOT_A_NUMBER.search(out)[0]}"
    elif style in ("json", "json-long", "redact") and done.returncode == 0 or style == "compare" and out:
        try:
            strict_json(out)
        except ValueError as error:
            wrong = str(error)
    if wrong:
        raise Failed("WRONG", f"mutant {number}, --format {style}: {wrong}")
    path.unlink()
    (folder / f"d{number}").unlink(missing_ok=True)


def mutated(kind, count):
    def check(bed, folder):
        rc, _, err = bed.run_weir(folder, "-w", "-r", "-W", "-R", "-t", "64k", "-b", "256k", "-i", "2", "-F", "-D", "5", "--result", folder / "r.jsonl",
                                  "-o", folder / "f", ranks=2)
        if rc != 0:
            raise Skip(f"no result file: {err.strip()[:160]}")
        data = (folder / "r.jsonl").read_bytes()
        mutants = Mutants(data)
        (folder / "other.jsonl").write_bytes(data.replace(json.loads(data.splitlines()[0])["run_id"].encode(), b"1" * 16))
        numbers = range(count // 10 if bed.quick else count)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda n: report(bed, folder, getattr(mutants, kind)(random.Random(f"{kind} {n}")), n), numbers))
        return f"{len(numbers)} mutants"
    return check


def cases():
    for words in MODES:
        yield Task(f"bit.data{words.replace(' ', '') or '-stamps'}", flips(words.split(), [], 1, 12), quick=words in ("", "--data full"))
    for backend in BACKENDS:
        more = {"AIO": ["--direct", "--depth", "32", "-z"], "URING": ["--depth", "32", "-z"], "MPIIO": ["-c"], "DIRECT": ["-C"]}.get(backend, [])
        yield Task(f"bit.backend-{backend}", flips([], ["-a", backend, *more], 2, 50))
    yield Task("bit.file-per-process", flips(["-F"], ["-Z"], 3, 60))
    for name in MISPLACED:
        for words in ("", "--data full"):
            yield Task(f"place.{name}{words.replace(' ', '')}", misplaced(name, words.split()), quick=not words and name.startswith("sector"))
    for words in ("", "-G 77", "--data full", "-l random"):
        yield Task(f"place.stale{words.replace(' ', '')}", stale(words.split()))
    for kind in ("cut", "bits", "number", "zero", "key", "line", "gap"):
        yield Task(f"result.{kind}", mutated(kind, 800), quick=kind in ("cut", "number", "zero"))
