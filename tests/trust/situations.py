# SPDX-License-Identifier: Apache-2.0
"""situations.py [--family N] [--rows a,b] [--list] [FILE]: each row of situations.ini and its clean twin.

A row passes if its run has the expected findings and an allowed verdict, and its twin has none of these findings. A pending row that
passes is a failure, so that the table is kept up to date. A shared machine excuses what its load causes in twins."""
import argparse
import configparser
import os
import re
import sys

import lib

# A twin that runs while others compute is held back as well: the finding is right then.
EXCUSED_UNDER_LOAD = {"cpu-pressure", "spread", "warm-up", "trend", "stall", "periodic-stalls", "foreign-io", "imbalance", "depth-not-reached"}


def read_table(path):
    table = configparser.ConfigParser(interpolation=None, comment_prefixes=("#",), delimiters=("=",))
    table.read(path, encoding="utf-8")
    return table


def groups_of(row):
    """Lists of names: of each list, one finding is to be there."""
    return [group for weight in weights_of(row) for group in weight]


def weights_of(row):
    """The same lists by weight, the weightiest first. Findings of one weight are printed in the order in which the checks run."""
    return [[[name.strip() for name in group.split("|")] for group in weight.split("+")] for weight in row.get("expect", "").split(";") if weight.strip()]


def is_loaded():
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return float(re.search(r"some avg10=([\d.]+)", file.read())[1]) > 5
    except (OSError, TypeError):
        return os.getloadavg()[0] > os.cpu_count()


def place_in(output, names):
    """Where the printed report first has a finding of this name."""
    places = [match.start() for name in names for match in re.finditer(rf"\b(?:warning|note|WARNING|NOTE)\s+{name}\b", output)]
    return min(places, default=-1)


def rates_of(shell):
    """Phases with bytes or operations and their seconds, so that a reader sees whether the situation was there."""
    shown = []
    for record in shell.records:
        seconds = (record.get("windows") or {}).get("total_s")
        if record["record"] == "phase" and seconds:
            traffic = {key.replace("_bytes", ""): value >> 20 for key, value in (record.get("traffic") or {}).items() if value is not None}
            shown.append(f"{record['verb']} {record['bytes'] >> 20} MiB, {record['ops']} in {seconds:.2f} s {traffic}")
    return "; ".join(shown)


def show(shell):
    words = [(record.get("label") or record.get("verb") or record["record"], record["believed"]) for record in shell.records if "believed" in record]
    evidence = [(record.get("verb"), record["evidence"]) for record in shell.records if record.get("evidence")]
    found = "".join(f"\n      {place}: {f['level']} {f['name']} ({f.get('effect', '-')}{', by ' + f['explained_by'] if f.get('explained_by') else ''}): {f['text']}"
                    for place, f in lib.findings_of(shell.records, False))
    return f"\n      {shell.commands.strip()}\n      {rates_of(shell)}\n      believed {words}\n      evidence {evidence}{found}"


def judge_run(row, shell):
    """What is wrong with the run that misleads, or None."""
    if not shell.records:
        return "no result"
    shown = {finding["name"] for _, finding in lib.findings_of(shell.records)}
    # What others on this machine cause as well is in the record, and explained by them.
    explained = {f["name"] for _, f in lib.findings_of(shell.records, False) if f.get("explained_by") == "cpu-pressure"}
    excused = explained & EXCUSED_UNDER_LOAD if is_loaded() else set()
    groups = [group for group in groups_of(row) if shown & set(group) or not excused & set(group)]
    missing = [" | ".join(group) for group in groups if not shown & set(group)]
    if missing:
        return f"without {', '.join(missing)}"
    places = [[place_in(shell.output, group) for group in weight if group in groups] for weight in weights_of(row)]
    places = [weight for weight in places if weight]
    if len(groups) > 1 and any(min(weight) < 0 for weight in places) or any(max(one) > min(two) for one, two in zip(places, places[1:])):
        return f"not printed in the order of their weight: {row['expect']}"
    word = lib.worst([lib.word_of(record) for record in shell.records if "believed" in record])
    if word not in re.split(r",\s*", row["believed"]):
        return f"believed {word}, and {row['believed']} is right"
    return "; ".join(lib.broken_laws(shell.records)) or None


def judge_twin(row, shell):
    if shell.code != 0:
        return f"the twin's exit code is {shell.code}: {shell.output[-1500:]}"
    unwanted = {name for group in groups_of(row) for name in group}
    if is_loaded():
        unwanted -= EXCUSED_UNDER_LOAD
    shown = {finding["name"] for _, finding in lib.findings_of(shell.records)}
    if unwanted & shown:
        return f"the twin has {', '.join(sorted(unwanted & shown))}"
    word = lib.worst([lib.word_of(record) for record in shell.records if "believed" in record])
    if word not in re.split(r",\s*", row.get("twin-believed", "OK, CAUTION")):
        return f"the twin is {word}"
    return "; ".join(lib.broken_laws(shell.records)) or None


def run_row(row):
    """(what is wrong or None, details), or a reason to skip as (False, reason)."""
    setup = row.get("setup", "")
    for _ in range(3):  # others on this machine empty the caches that a row fills, and do not fill them
        shell = lib.Shell(f"{setup}\n{row['run']}")
        if shell.unmet:
            return False, shell.unmet
        wrong = judge_run(row, shell)
        if not (wrong or "").startswith(("without ", "believed ")):
            break
    if wrong:
        return wrong, show(shell) + (f"\n{shell.output[-1500:]}" if not lib.phases_of(shell.records) else "")
    for _ in range(2):  # others on this machine disturb a twin, and do not mend it
        shell = lib.Shell(f"{row.get('twin-setup', setup)}\n{row['twin']}")
        wrong = judge_twin(row, shell)
        if not wrong:
            return None, ""
    return wrong, show(shell)


def print_markdown(table, chosen):
    """Per family: rows, dialects, findings and the file systems on which they are provoked."""
    print("| family | rows | dialects | findings | provoked on |\n|---|---|---|---|---|")
    for family in sorted({int(table[name]["family"]) for name in chosen}):
        rows = [table[name] for name in chosen if int(table[name]["family"]) == family]
        text = "\n".join(row.get("setup", "") + "\n" + row["run"] for row in rows)
        systems = sorted(set(re.findall(r"make_fs \w+ (\w+)", text)) | set(re.findall(r"make_(tmpfs)|(bindfs)", text) and re.findall(r"tmpfs|bindfs", text))
                         | set(re.findall(r"-t (overlay)", text)))
        names = sorted({name for row in rows for group in groups_of(row) for name in group})
        print(f"| {family} | {len(rows)} | {', '.join(sorted({row['dialect'] for row in rows}))} | {', '.join(f'`{name}`' for name in names)} | {', '.join(systems) or '-'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="", help="numbers, with commas between them")
    parser.add_argument("--rows", default="", help="names, with commas between them")
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N equal parts of these rows")
    parser.add_argument("--list", action="store_true", help="print the table in place of running it")
    parser.add_argument("--markdown", action="store_true", help="print the table of README.md: families, dialects, names, file systems")
    parser.add_argument("file", nargs="?", default=str(lib.HERE / "situations.ini"))
    options = parser.parse_args()
    table = read_table(options.file)
    chosen = [name for name in table.sections()
              if (not options.family or table[name]["family"] in options.family.split(",")) and (not options.rows or name in options.rows.split(","))]
    part, parts = map(int, options.part.split("/"))
    chosen = chosen[part - 1::parts]
    if options.list:
        for name in chosen:
            row = table[name]
            print(f"{row['family']:>2} {row['dialect']:13}{name:32}{row.get('expect', ''):44}{row['believed']:22}{'pending: ' + row['pending'] if 'pending' in row else ''}")
        return
    if options.markdown:
        print_markdown(table, chosen)
        return
    lib.need_root()
    failed = skipped = pending = 0
    for name in chosen:
        row = table[name]
        wrong, details = run_row(row)
        if wrong is False:
            skipped += 1
            print(f"skip    {name}: {details}", flush=True)
        elif wrong and "pending" in row:
            pending += 1
            print(f"pending {name}: {wrong} ({row['pending']})", flush=True)
        elif wrong:
            failed += 1
            print(f"FAIL    {name}: {wrong}{details}", flush=True)
        elif "pending" in row:
            failed += 1
            print(f"FAIL    {name}: passes and is marked as pending: {row['pending']}", flush=True)
        else:
            print(f"ok      {name}", flush=True)
    print(f"{len(chosen)} rows: {failed} failed, {pending} pending, {skipped} skipped")
    if chosen and skipped == len(chosen):
        lib.skip("no row can be set up here")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
