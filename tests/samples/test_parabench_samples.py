# SPDX-License-Identifier: Apache-2.0
"""test_parabench_samples.py read|tell|run FOLDER TELL|WEIR: what reads Parabench's outputs reads ours.

read: each sample in FOLDER, an output of Parabench itself, has the columns that the readers know, and one with a column moved is
refused. tell: the numbers of each sample are given to TELL, whose report is the sample byte for byte. run: WEIR runs the program
of each sample that came with one, and the readers find the same events and commands in both."""
import calendar
import os
import re
import subprocess
import sys
import tempfile
import time

import parabench_readers as readers
from runs import Difference, environment, load, need_same

TEXTS = ("fileop", "mpiio", "xml", "expressions", "tests", "testrename", "posixio", "sequential-write", "random-read",
         "stridedread", "create-index", "delete-index", "index-index", "basic-operations")
XMLS = {"results-ctime": "xml", "results-fileop": "fileop"}
# program, words behind it, ranks
PROGRAMS = {"create-index": ("create-index", ["iter=2"], 2), "xml": ("xml-kernel", [], 2)}


def text_of(folder, name):
    return load(folder, "parabench-" + name)


def reports_of(text):
    """From the Time Report to the times of the run, or to the crash."""
    text = text[text.index("\n" + readers.TITLES["time"]):]
    end = re.search(r"^(rc=|free\(\)|\[\w+:\d+\])", text, re.MULTILINE)
    return text[:end.start()] if end else text


def found_in(text):
    return (readers.read_times(text), readers.read_cores(text), readers.read_commands(text), readers.read_summary(text))


def shifted(text):
    """Each line that ends a column, with a blank more before it."""
    for pattern in (r"^ ( \d   {1,3}\d+ )", r"^( {40}avg )", r"^( \w+ +)(?=\d+ successful)", r"^(Setup: )", r"^( +)(?=\d+ IOops)",
                    r"^( +Total: )"):
        moved = re.sub(pattern, r"\1  " if pattern[2] == "(" else r"  \1", text, count=1, flags=re.MULTILINE)
        if moved != text:
            yield pattern, moved


def read(folder, _):
    for name in TEXTS:
        text = text_of(folder, name)
        times, cores, commands, _ = found_in(text)
        need_same(bool(times or cores or commands or name in ("expressions",)), True, f"{name}: anything")
        for pattern, moved in shifted(reports_of(text)):
            try:
                found_in(moved)
            except ValueError:
                continue
            raise Difference(f"{name}: {pattern} was moved, and it was read")
    for name in XMLS:
        readers.read_xml(xml_of(folder, name))


def xml_of(folder, name):
    with open(os.path.join(folder, f"parabench-{name}.xml"), encoding="utf-8") as file:
        return file.read()


# ---------------------------------------------------------------- from a sample to a run

def scene_of(text):
    times, cores, commands, summary = found_in(text)
    scene = [f"event time {rank} {number} {seconds[:-1]} 0 0 0 0 0 0 {label}" for rank, number, label, seconds in times]
    for rank, number, label, rates, seconds, _, count, total in cores:
        calls = round(float(total) / float(seconds[0])) if float(seconds[0]) else 0
        scene.append(f"event core {rank} {number} {total} {calls} {count:.0f} {seconds[1]} {seconds[2]} {rates[1]} {rates[2]} {label}")
    scene += ["call {} {} {}".format(*row) for row in commands]
    if summary:
        scene.append("times " + " ".join(seconds for _, seconds in summary[1:]))
    return scene


def xml_scene(text):
    head, cores, times = readers.read_xml(text)
    begun = calendar.timegm(time.strptime(head["date"] + head["time"][:8], "%d.%m.%Y%H:%M:%S"))
    scene = [f"kernel {head['kernel']}", f"ranks {head['size']}", f"begun {begun}{head['time'][8:]}"]
    for name, rank, number, (rates, calls, requests) in cores:
        count = round(float(rates["avg"]) * float(requests["time"]))
        scene.append(f"event core {rank} {number} {requests['time']} {requests['num']} {count} {calls['min']} {calls['max']} "
                     f"{rates['min']} {rates['max']} {name}")
    return scene + [f"event time {rank} {number} {entry[0]['value']} 0 0 0 0 0 0 {name}" for name, rank, number, entry in times]


def tell_with(program, reporter, scene, **more):
    done = subprocess.run([program, reporter], input="\n".join(scene) + "\n", capture_output=True, text=True, timeout=60,
                          env=environment(TZ="UTC", **more))
    need_same((done.returncode, done.stderr), (0, ""), "run")
    return done.stdout


def loose(text):
    """Without digits that the sample has rounded: means of times, calls/s and rates that follow from them."""
    lines, core = [], False
    for line in text.rstrip("\n").split("\n"):
        core = core or line == readers.TITLES["core"]
        if core and re.search(r"   avg .*/s$| avg .* s$|IOops/s$", line):
            line = re.sub(r"[\d.]+(?= +[KMGT]?i?B/s$| s$| IOops/s$)", lambda m: len(m[0]) * "#", line)
            line = re.sub(r"#+", lambda m: "#", line)
            line = re.sub(r" +#", " #", line)
        elif line.startswith("Runtime:"):  # the sum, rounded
            line = re.sub(r"\d(?=s$)", "#", line)
        lines.append(line)
    return lines


def need_same_lines(ours, theirs, name):
    for at, (one, other) in enumerate(zip(ours, theirs)):
        need_same(one, other, f"{name}, line {at + 1}")
    need_same(len(ours), len(theirs), f"{name}, lines")


def tell(folder, program):
    for name in TEXTS:
        theirs = reports_of(text_of(folder, name))
        ours = tell_with(program, "parabench", scene_of(theirs))
        if readers.read_summary(theirs) is None:
            ours = ours[:ours.index("\n\nRuntime:")]
        need_same_lines(loose(ours), loose(theirs), name)
        # Our own tables and block behind it change nothing for them.
        whole = tell_with(program, "parabench", scene_of(theirs), WEIR_TELL_ALL="1")
        need_same("how far these numbers can be believed" in whole and "weir  program ?" in whole, True, f"{name}, our own block")
        need_same(found_in(whole)[:3], found_in(ours)[:3], f"{name}, readers")
    for name in XMLS:
        theirs = xml_of(folder, name)
        ours = tell_with(program, "parabench xml", xml_scene(theirs))
        need_same(readers.read_xml(ours)[0], readers.read_xml(theirs)[0], f"{name}, head")
        events = [re.findall(r"<EventList.*?</EventList>", exact(text), re.DOTALL) for text in (ours, theirs)]
        for one, other in zip(*[[re.findall(r" *<Event .*?</Event>", part, re.DOTALL) for part in parts] for parts in events]):
            need_same(sorted(one), sorted(other), name)
            need_same(one, sorted(one, key=key_of), f"{name}, order")
        need_same(len(ours.split("\n")), len(theirs.split("\n")), f"{name}, lines")


def exact(text):
    """Without what the sum of the times in the sample leaves open."""
    return re.sub(r'(<Throughput avg="\d+)\.\d+', r"\1", text)


def key_of(event):
    rank, number, name = re.match(r' *<Event rank="(\d+)" id="(\d+)" name="(.*)">', event).groups()
    return name, int(rank), int(number)


# ---------------------------------------------------------------- runs

def shape_of(found):
    times, cores, commands, summary = found
    return [row[:3] for row in times], [row[:3] for row in cores], commands, [row[0] for row in summary]


def run(folder, program):
    for name, (source, words, ranks) in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run(["mpiexec", "-n", str(ranks), program, "parabench", "-e",
                                   os.path.abspath(os.path.join(folder, f"parabench-{source}.pbl")), *words], cwd=place, capture_output=True,
                                  text=True, timeout=120, env=environment())
            need_same(done.returncode, 0, f"{name}: {done.stderr}")
            need_same(shape_of(found_in(done.stdout)), shape_of(found_in(text_of(folder, name))), name)
            with open(os.path.join(place, "results.xml"), encoding="utf-8") as file:
                readers.read_xml(file.read())


def main():
    deed, folder, program = sys.argv[1:]
    try:
        {"read": read, "tell": tell, "run": run}[deed](folder, program)
    except (Difference, ValueError) as error:
        sys.exit(f"{deed}: {error}")


if __name__ == "__main__":
    main()
