#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""options.py WEIR CALLS COMMAND [--only WORD]... [-v]: every option of `WEIR COMMAND --help` has an effect that is seen.
options.py WEIR CALLS --page [--bless]: every option has an entry, and docs/options-tests.md is what they say; --bless writes it.

COMMAND.txt has an entry per option: a line with its spellings, of which the first one will do, and under it indented lines

  effect  TEXT           what it does, for the page
  run     WORDS          the command line without the option; else {base}. `base = WORDS` names words for {base}; `prepare = SHELL`
                         comes before every run
  with    WORDS          what is added, at the end or where {option} is in `run`; else the spelling of the entry
  see     KIND REGEX     what is there with the option, and not without it. Further pairs of `with` and `see` are further cases

and, of both runs: `before SHELL` prepares the empty directory in which the command runs, `then SHELL` follows it, `ranks N`
launches N of them, `env NAME=VALUE` sets a variable, `faults` takes weir-test, which has the backend fault, and `needs SHELL`
says where it can be seen. In place of a run:

  test    FILE REGEX     a test that sees the effect, and a line of it; REGEX is else the spelling
  like    OPTION         the cases of another entry of the command, with this spelling in place of the other
  refused                the help lists it as refused

[TABLE] begins the options of another table of the help. "include NAME" reads shared/NAME.txt, entries of several commands, which
an entry of the command itself replaces. KINDs: calls (lines of calls.c), stdout, stderr, said (both), files ("PATH BYTES"),
file NAME, plan (--explain), remark (of the plan), refused (exit code 2, and the sentence), exit, then (what `then` printed), and
result, whose rest is an expression as in ../mpi/records.py. "! REGEX": is there without the option, and not with it.
"N* REGEX": N lines match, and another number without it."""
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
PAGE = ROOT / "docs" / "options-tests.md"
COMMANDS = ["ior", "mdtest", "md-workbench", "iozone", "dd", "parabench", "targets", "sweep", "net", "serve", "report", "compare", "export", "doctor",
            "topology"]
sys.path.insert(0, str(FOLDER.parent / "mpi"))
import records

SETTINGS = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_pml": "ob1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_odls_base_sigkill_timeout": "0"}


# ---- entries ----

class Case:
    """What is added to a command line, and what is seen then."""

    def __init__(self, words):
        self.words = words
        self.sights = []


class Entry:
    def __init__(self, command, table, spellings, place):
        self.command, self.table, self.place = command, table, place
        self.spellings = spellings.split(", ")
        self.option = self.spellings[0]
        self.effect = self.like = None
        self.run = "{base}"
        self.befores, self.thens, self.tests, self.settings, self.cases = [], [], [], [], []
        self.ranks = self.needs = None
        self.is_refused = self.has_faults = False

    def __str__(self):
        return f"{self.command}: {self.table + ': ' if self.table else ''}{self.option}"


def read_entries(command):
    """Entries of COMMAND.txt and of the files that it includes, and named words. Its own entries replace included ones."""
    path = FOLDER / f"{command}.txt"
    entries, names = [], {}
    if path.exists():
        read_file(path, command, entries, names)
    own = {(entry.table, entry.option) for entry in entries if entry.place.startswith(path.name)}
    return [entry for entry in entries if entry.place.startswith(path.name) or (entry.table, entry.option) not in own], names


def read_file(path, command, entries, names):
    table = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        if line.strip() == "" or line.startswith("#"):
            continue
        if line[0] == "[":
            table = line.strip("[]")
        elif match := re.fullmatch(r"include (\w+)", line):
            read_file(FOLDER / "shared" / f"{match[1]}.txt", command, entries, names)
        elif match := re.fullmatch(r"(\w+) = (.*)", line):
            names[match[1]] = match[2]
        elif line[0] != " ":
            entries.append(Entry(command, table, line.strip(), place))
        else:
            add_line(entries[-1], *(line.split(None, 1) + [""])[:2], place)


def add_line(entry, key, value, place):
    value = value.strip()
    if key == "effect":
        entry.effect = value
    elif key == "like":
        entry.like = value
    elif key == "run":
        entry.run = value
    elif key == "with":
        entry.cases.append(Case(value))
    elif key == "see":
        if not entry.cases:
            entry.cases.append(Case(entry.option))
        entry.cases[-1].sights.append(value)
    elif key == "before":
        entry.befores.append(value)
    elif key == "then":
        entry.thens.append(value)
    elif key == "test":
        entry.tests.append(value)
    elif key == "env":
        entry.settings.append(value)
    elif key == "ranks":
        entry.ranks = int(value)
    elif key == "needs":
        entry.needs = value
    elif key == "faults":
        entry.has_faults = True
    elif key == "refused":
        entry.is_refused = True
    else:
        sys.exit(f"{place}: \"{key}\" is no key of an entry")


# ---- rows ----

Row = collections.namedtuple("Row", "table names refusal")


def read_rows(weir, command):
    """The rows of the tables in a help. A title stands behind two empty lines, and the first table has none."""
    text = subprocess.run([weir, command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    rows, table, part, pending = [], "", "", []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if number > 1 and line and not lines[number - 1] and not lines[number - 2]:
            table, part = line, ""
        elif line in ("Flags", "Optional arguments", "Known, but refused"):
            part = line
        elif line and line[0] != " ":
            part = ""
        elif part == "Known, but refused" and line.startswith("      "):
            rows += [Row(table, names, line.strip()) for names in pending]
            pending = []
        elif part == "Known, but refused" and line.startswith("  "):
            pending = group_names(line)
        elif part and (match := re.match(r"  ([^\s,=]+(?:, [^\s,=]+)*)", line)):
            rows.append(Row(table, match[1].split(", "), None))
    return rows


def group_names(line):
    """Names of refused rows: "-g, --global, --other" are two rows if a letter precedes the name that it is of."""
    groups = []
    for name in line.strip().split(", "):
        if groups and len(groups[-1]) == 1 and re.fullmatch(r"-\+?\w", groups[-1][0]) and name.startswith("--"):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


# ---- runs ----

class Seen:
    """What a command line did."""

    def __init__(self):
        self.code = None
        self.texts = {}
        self.files = {}


class Bench:
    def __init__(self, weir, calls, names, scratch):
        self.weir, self.calls, self.names, self.scratch = weir, calls, names, scratch
        self.seen = {}
        self.pool = ThreadPoolExecutor(max(2, os.cpu_count() or 1))

    def fill(self, words):
        for _ in range(3):
            words = re.sub(r"\{(\w+)\}", lambda match: self.names.get(match[1], match[0]), words)
        return words

    def words(self, entry, added):
        run = self.fill(entry.run)
        added = self.fill(added)
        return run.replace("{option}", added) if "{option}" in run else f"{run} {added}"

    def look(self, entry, added, kinds):
        """What is seen of a command line, which runs once for all that ask for it."""
        words = self.words(entry, added)
        how = "explain" if kinds <= {"plan", "remark"} or kinds == {"refused"} and entry.command in COMMANDS[:8] else "run"
        wants_result = "result" in kinds
        key = (how, wants_result, words, entry.ranks, tuple(entry.befores), tuple(entry.thens), tuple(entry.settings), entry.has_faults)
        if key not in self.seen:
            self.seen[key] = self.pool.submit(self.run, entry, words, how, wants_result)
        return self.seen[key]

    def run(self, entry, words, how, wants_result):
        seen = Seen()
        directory = tempfile.mkdtemp(dir=self.scratch)
        beside = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "HWLOC_", "SLURM_"))}
        # Launches that share Open MPI's session directory meet there.
        (beside / "session").mkdir()
        environment |= SETTINGS | {"WEIR": self.weir, "BESIDE": str(beside), "ROOT": str(ROOT),
                                   "OMPI_MCA_orte_tmpdir_base": str(beside / "session")}
        environment |= dict(self.fill(setting).split("=", 1) for setting in entry.settings)
        for before in [self.names.get("prepare", "true"), *entry.befores]:
            self.shell(self.fill(before), directory, environment, entry)
        watched = {"WEIR_CALLS": str(beside / "calls"), "LD_PRELOAD": self.calls}
        split = [word.replace("$BESIDE", str(beside)).replace("$ROOT", str(ROOT)) for word in shlex.split(words)]
        line = [self.weir + "-test" if entry.has_faults else self.weir, entry.command, *(["--explain"] if how == "explain" else []), *split]
        if wants_result:
            line[2:2] = ["--result", str(beside / "result")]
        if entry.ranks:
            line = ["mpiexec", "-n", str(entry.ranks), "env", *(f"{name}={value}" for name, value in watched.items()), *line]
        else:
            environment["OMPI_MCA_ess_singleton_isolated"] = "1"
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", cwd=directory, stdin=subprocess.DEVNULL, timeout=300,
                              env=environment if entry.ranks else environment | watched, check=False)
        seen.code = done.returncode
        seen.texts = {"stdout": done.stdout, "stderr": done.stderr, "said": done.stdout + done.stderr, "exit": f"{done.returncode}\n",
                      "plan": done.stdout, "refused": done.stderr if done.returncode == 2 else "",
                      "remark": done.stderr if done.returncode == 0 else ""}
        seen.texts["calls"] = (beside / "calls").read_text(errors="replace") if (beside / "calls").exists() else ""
        seen.texts["then"] = "".join(self.shell(self.fill(then), directory, environment, entry) for then in entry.thens)
        listed = sorted(pathlib.Path(directory).rglob("*"))
        seen.texts["files"] = "".join(f"{path.relative_to(directory)}{'/' if path.is_dir() and not path.is_symlink() else ''} "
                                      f"{path.lstat().st_size}\n" for path in listed)
        seen.files = {str(path.relative_to(directory)): path.read_text(errors="replace") for path in listed
                      if path.is_file() and path.stat().st_size < 1 << 20}
        if (beside / "result").exists():
            seen.records = records.names_of(records.load(beside / "result"))
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(beside, ignore_errors=True)
        return seen

    @staticmethod
    def shell(command, directory, environment, entry):
        done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        return done.stdout


# ---- sights ----

def kind_of(sight):
    return sight.split()[0]


def text_of(sight, seen):
    """The text that a sight is about, and the rest of the sight."""
    kind, _, rest = sight.partition(" ")
    rest = rest.strip()
    if kind == "file":
        name, _, rest = rest.partition(" ")
        return seen.files.get(name, ""), rest.strip()
    if kind not in seen.texts:
        sys.exit(f"\"{kind}\" is no kind: {sight}")
    return seen.texts[kind], rest


def holds(sight, seen):
    if kind_of(sight) == "result":
        try:
            return bool(eval(sight.partition(" ")[2], getattr(seen, "records", {"phases": []})))
        except (AttributeError, IndexError, KeyError, NameError, TypeError):
            return False
    text, pattern = text_of(sight, seen)
    if match := re.match(r"(\d+)\* +(.*)", pattern):
        return len(re.findall(match[2], text, re.MULTILINE)) == int(match[1])
    if pattern.startswith("! "):
        return not re.search(pattern[2:].strip(), text, re.MULTILINE)
    return bool(re.search(pattern, text, re.MULTILINE))


def complaints_of_case(bench, entry, case):
    kinds = {kind_of(sight) for sight in case.sights}
    if not kinds:
        yield f"with {case.words}: nothing is seen"
        return
    plain, other = bench.look(entry, "", kinds).result(), bench.look(entry, case.words, kinds).result()
    for sight in map(bench.fill, case.sights):
        if not holds(sight, other):
            yield f"with {case.words}: not seen: {sight}" + said(bench, entry, case, other, sight)
        if holds(sight, plain):
            yield f"with {case.words}: seen without it as well: {sight}" + said(bench, entry, Case(""), plain, sight)


def said(bench, entry, case, seen, sight):
    text = "" if kind_of(sight) == "result" else text_of(sight, seen)[0]
    # Of calls, those that most runs make are seldom what is looked for.
    shown = [line for line in text.splitlines() if kind_of(sight) != "calls" or not re.search(r"stat|access|affinity|epoll|mbind|\.weir-|0\.000", line)]
    lines = [f"$ weir {entry.command} {bench.words(entry, case.words)}   (exit code {seen.code})", *shown[:40],
             *(seen.texts["stderr"].splitlines()[:6] if seen.code else [])]
    return "\n      " + "\n      ".join(lines)


# ---- entries against rows ----

def ctest_of(path):
    folder, name = pathlib.PurePath(path).parts[1], pathlib.PurePath(path).stem
    return f"{folder}.{name.removeprefix('test_')}"


def complaints(bench, entry, entries, row, skipped):
    if not entry.effect and not entry.like and not entry.is_refused:
        yield "no effect is named"
    if not set(entry.spellings) <= set(row.names):
        yield f"the help spells it {', '.join(row.names)}"
    for test in entry.tests:
        path, _, pattern = test.partition(" ")
        if not (ROOT / path).is_file():
            yield f"there is no test {path}"
        elif not re.search(pattern.strip() or re.escape(entry.option), (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{path} has no {pattern.strip() or entry.option}"
    if row.refusal:
        # What is refused in this build alone has a test of a build that has it.
        value = "" if entry.option.endswith("*") else "=1"
        option = entry.option if re.match(r"-[^-]", entry.option) else entry.option.replace("*", "x") + value
        seen = bench.look(entry, option, {"refused"}).result()
        if seen.code != 2 or row.refusal not in seen.texts["stderr"]:
            yield f"{option} is not refused with the sentence of the help, but {seen.code}: {seen.texts['stderr']}"
        return
    if entry.is_refused:
        yield "it is not among the refused options of the help"
    if entry.needs and subprocess.run(["bash", "-c", bench.fill(entry.needs)], capture_output=True, check=False).returncode != 0:
        skipped.append(f"{entry}: not here: {entry.needs}")
        return
    cases, source = entry.cases, entry
    if entry.like:
        source = next((other for other in entries if other.option == entry.like), None)
        if source is None:
            yield f"there is no entry {entry.like}"
            return
        cases = []
        for case in source.cases:
            words = re.sub(rf"(?<!\S){re.escape(source.option)}(?=[\s=]|$)", entry.option, case.words)
            if words == case.words:
                yield f"{source.option} is not in \"{case.words}\""
            cases.append(Case(words))
            cases[-1].sights = case.sights
    if not cases and not entry.tests:
        yield "nothing is seen"
    for case in cases:
        yield from complaints_of_case(bench, source, case)


def entries_of(row, entries):
    return [entry for entry in entries if entry.table == row.table and entry.option in row.names]


def complaints_of_row(command, row, mine):
    if len(mine) != 1:
        yield f"{command}: {row.table + ': ' if row.table else ''}{', '.join(row.names)}: {len(mine)} entries in {command}.txt"


def check(weir, calls, command, only, is_verbose):
    entries, names = read_entries(command)
    rows = read_rows(weir, command)
    found, skipped, pairs = [], [], []
    tables = {row.table for row in rows}
    for row in rows:
        mine = entries_of(row, entries)
        found += complaints_of_row(command, row, mine)
        pairs += [(entry, row) for entry in mine]
    for entry in entries:
        if entry.table.startswith("Module ") and entry.table not in tables:
            skipped.append(f"{entry}: {entry.table} was not built")
        elif entry.place.startswith(f"{command}.txt") and all(entry is not other for other, _ in pairs):
            found.append(f"{entry.place}: {entry.option}: no such row of \"{entry.table}\" in the help")
    if only:
        pairs = [(entry, row) for entry, row in pairs if set(only) & {*row.names, row.table}]
    with tempfile.TemporaryDirectory(prefix="weir-options.") as scratch:
        bench = Bench(weir, calls, names, scratch)
        with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            answers = [(entry, pool.submit(lambda pair: list(complaints(bench, pair[0], entries, pair[1], skipped)), (entry, row)))
                       for entry, row in pairs]
            for entry, answer in answers:
                found += [f"{entry.place}: {entry}: {complaint}" for complaint in answer.result()]
                if is_verbose and not answer.result():
                    print(f"{entry}: ok")
        bench.pool.shutdown()
    for line in skipped:
        print(f"skipped: {line}")
    for line in found:
        print(line)
    print(f"{command}: {len(rows)} options, {len(bench.seen)} command lines, {len(found)} complaints")
    return 1 if found else 0


# ---- the page ----

def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


# What the page calls a kind.
SEEN = {"calls": "calls", "stdout": "output", "stderr": "messages", "said": "output", "files": "files", "file": "files", "plan": "plan",
        "remark": "remark", "refused": "refusal", "exit": "exit code", "then": "a command after the run", "result": "result file"}


def where_seen(entry, entries):
    if entry.is_refused:
        return f"`options.{entry.command}`: the refusal"
    if entry.like:
        entry = next(other for other in entries if other.option == entry.like)
    kinds = list(dict.fromkeys(SEEN[kind_of(sight)] for case in entry.cases for sight in case.sights))
    places = [f"`options.{entry.command}`: {', '.join(kinds)}"] if kinds else []
    return "; ".join(places + [f"`{ctest_of(test.split()[0])}`" for test in entry.tests])


def page():
    lines = ["# Options and their tests", "",
             "Every option of every command has an effect that a test sees, or is refused. `tests/options/COMMAND.txt` has an entry",
             "per option; `tests/options/options.py` runs a command line with and without the option, and fails where nothing differs,",
             "or where `weir COMMAND --help` has an option without an entry. This page is made from the entries:", "",
             "    tests/options/options.py build/dev/src/weir build/dev/tests/options/libweir-calls.so --page --bless", "",
             "The last column names the test, and what of the run it compares."]
    for command in COMMANDS:
        entries, _ = read_entries(command)
        if not entries:
            continue
        lines += ["", f"## weir {command}"]
        table = None
        for entry in entries:
            if entry.table != table:
                table = entry.table
                lines += ["", *([f"### {table}", ""] if table else []), "| option | effect | test |", "| --- | --- | --- |"]
            effect = "refused" if entry.is_refused and not entry.effect else entry.effect or f"the same as `{entry.like}`"
            spellings = ", ".join(f"`{name}`" for name in entry.spellings)
            lines.append(f"| {spellings} | {cell(effect)} | {where_seen(entry, entries)} |")
    return "\n".join(lines) + "\n"


def missing(weir):
    """Commands of `weir --help` that have options, so that their help is another one, and no COMMAND.txt."""
    text = subprocess.run([weir, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    for command in dict.fromkeys(re.findall(r"^  weir ([a-z][a-z-]*) ", text, re.MULTILINE)):
        done = subprocess.run([weir, command, "--help"], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode == 0 and done.stdout != text and (command not in COMMANDS or not (FOLDER / f"{command}.txt").exists()):
            yield command


def main():
    words = sys.argv[1:]
    weir, calls = os.path.realpath(words[0]), os.path.realpath(words[1])
    if "--page" in words:
        if "--bless" in words:
            PAGE.write_text(page(), encoding="utf-8")
            return 0
        found = [f"{command} is no command of COMMANDS with a file {command}.txt, and has options" for command in missing(weir)]
        found += [complaint for command in COMMANDS if (FOLDER / f"{command}.txt").exists() for row in read_rows(weir, command)
                  for complaint in complaints_of_row(command, row, entries_of(row, read_entries(command)[0]))]
        if PAGE.read_text(encoding="utf-8") != page():
            found.append(f"{PAGE} is not what the entries say: options.py WEIR CALLS --page --bless, and read it")
        print("\n".join(found))
        return 1 if found else 0
    if os.environ.get("ASAN_OPTIONS"):
        print("skipped: a sanitizer wants to be the first library")
        return 77
    only = [words[i + 1] for i, word in enumerate(words) if word == "--only"]
    return check(weir, calls, words[2], only, "-v" in words)


sys.exit(main())
