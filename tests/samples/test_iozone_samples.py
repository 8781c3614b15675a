# SPDX-License-Identifier: Apache-2.0
"""test_iozone_samples.py read|tell|recompute|run FOLDER TELL|WEIR: what reads IOzone's outputs reads ours.

read: each reader reads each sample in FOLDER, an output of IOzone itself, of its layout. tell: the numbers of each sample and
its settings are given to TELL, which makes a run of them; its report is the sample byte for byte, but for what is said here,
and the same readers find the same in it. recompute: each figure of a sample follows from the lines of its children, and TELL,
which gets these lines alone, has the same figures. run: WEIR runs the command line of each sample, and prints the same but for the
numbers."""
import calendar
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

import iozone_readers as readers
from runs import Difference, environment, load, need_same

TABLES = ("auto", "A", "Ra", "plusn", "plusu-R", "plusx4", "multi-s-r", "single-E", "single-N", "single-O", "single-Q",
          "single-mmap", "r-gt-s", "s-1t")
BLOCKS = ("seed-seq-t2", "seed-rand-t2", "cluster-seq", "cluster-rand", "l1-u2-R", "thr-t1-t2-list", "thr-R-i2only", "thr-F",
          "thr-mix", "thr-shared", "thr-w0", "thr-Q", "throughput-all-C-cpu-R")
WITH_CHILDREN = ("thr-mix", "thr-shared", "throughput-all-C-cpu-R")  # -C
FOREIGN = ("s-1t", "r-gt-s", "thr-shared")  # what Weir refuses, or takes at its word: 1t is a size
AUTHORS = slice(5, 14)  # lines in which IOzone names those, and Weir says what is other

COLUMNS = ("write rewrite read reread random-read random-write backward record-rewrite stride fwrite frewrite fread freread "
           "pwrite repwrite pread repread").split()
WIDTHS = readers.WIDTHS["3.487"][2:] + (9, 9, 8, 9)
STDIO, POSITIONED = COLUMNS[9:13], COLUMNS[13:]
WORDS = {"initial writers": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
         "reverse readers": "backward", "stride readers": "stride", "random readers": "random-read", "mixed workload": "mixed",
         "random writers": "random-write", "pwrite writers": "pwrite", "pread readers": "pread", "fwriters": "fwrite",
         "freaders": "fread"}


# ---------------------------------------------------------------- from a sample to a run

def lines_of(text):
    """Without what the shell added, and without the two lines that IOzone itself cannot help."""
    lines = text.rstrip("\n").split("\n")
    while lines and (re.match(r"(real|user|sys)\t|rc=\d+$", lines[-1]) or not lines[-1]):
        lines.pop()
    return [line for line in lines if not re.match(r"Timer resolution is poor|reported inaccurate results", line)]


def value_behind(lines, words, default):
    found = [line[len(words) + 1:].split()[0] for line in lines if line.startswith("\t" + words)]
    return found[0] if found else default


def head_of(lines):
    """The command line, and the lines of the scene that the header tells."""
    ran = next(i for i, line in enumerate(lines) if line.startswith("\tRun began: "))
    used = next(i for i, line in enumerate(lines) if line.startswith("\tCommand line used: "))
    command = lines[used].split(": ", 1)[1]
    splash = [line[1:] for line in lines[ran + 2:used]]
    words = command.split()
    unit = "ops" if "-O" in words else "us" if "-N" in words else "kb"
    scene = [f"begun {calendar.timegm(time.strptime(lines[ran][12:]))}", "set splash " + "|".join(splash), f"set unit {unit}",
             "set stride " + value_behind(lines, "File stride size set to", "17"),
             "set cache-kb " + value_behind(lines, "Processor cache size set to", "1024"),
             "set line-bytes " + value_behind(lines, "Processor cache line size set to", "32"),
             f"set excel {int(any(re.match('-R', word) for word in words))}", f"set cpu {int('-+u' in words)}",
             f"set child-lines {int('-C' in words)}", f"set no-retest {int('-+n' in words)}",
             f"set clustered {int('-+m' in words)}", f"set threads {int('-T' in words)}",
             f"set short-table {int('-A' in words)}", f"set has-pwrite {int('-E' in words)}"]
    return command, scene, used


def percents_of(lines):
    """Of the second half of the Excel text: figures by title and row."""
    return [line for line in lines if re.match(r'"\d+"   +\d+\.\d\d$', line)]


def table_scene(lines, scene, command, at):
    scene = scene + ["set mode single", "set children 1"] + (["backend mmap"] if "-B" in command.split() else [])
    first = next(i for i, line in enumerate(lines) if line[:24].split() == ["kB", "reclen"]) + 1
    sizes = next((re.findall(r'"(\d+)"', line) for line in lines if re.match(r' {8}"', line)), None)
    if sizes:
        scene += [f"set smallest-record {sizes[0]}k", f"set largest-record {sizes[-1]}k"]
    percents = [line.split()[-1] for line in percents_of(lines)]
    for line in lines[first:]:
        if not line:
            break
        cells, begin = {}, 24
        for name, width in zip(COLUMNS, WIDTHS):
            cell = line[begin:begin + width].strip()
            if cell:
                cells[name] = cell
            begin += width
        scene += [f"set file-kb {line[:16].strip()}", f"set record-kb {line[16:24].strip()}"]
        retests = ("rewrite", "reread", "frewrite", "freread") if "-+n" in command.split() else ()
        groups = ([n for n in COLUMNS if n not in STDIO + POSITIONED], STDIO, POSITIONED)
        for group in groups:
            names = [name for name in group if name in cells and name not in retests]
            if not names and group is not groups[0]:
                continue
            scene += ["set tests " + " ".join(names + ["-"]), "test 1"]
            for name in names:
                rate = float(cells[name]) + 0.25
                if "-N" in command.split():
                    rate = 1e6 / rate
                scene.append(f"phase {name} 1 {rate} {rate} {rate} 1 1 {percents.pop(0) if percents else 1}")
            scene.append("phase - 1 0 0 0 0 0 0")
    return scene


def number(line):
    return re.search(r"= *([\d.]+)", line)[1]


def read_blocks(lines):
    """Counts of children, each with its sizes and blocks."""
    counts = []
    for line in lines:
        if match := re.match(r"\tEach (?:process|thread) writes a (\d+) kByte file in (\d+) kByte records", line):
            counts.append({"file": match[1], "record": match[2], "blocks": []})
        elif match := re.match(r"\tChildren see throughput for +(\d+) (.*?) *\t", line):
            counts[-1]["blocks"].append({"count": match[1], "name": WORDS[match[2]], "sum": number(line), "parent": "1",
                                         "children": [], "cpu": "1"})
        elif match := re.match(r"\t(Parent|Min|Max|Avg)(?: sees)? throughput|\t(Min xfer)", line):
            counts[-1]["blocks"][-1][(match[1] or match[2]).lower()] = number(line)
        elif match := re.match(r"\tCPU .*CPU utilization +([\d.]+) %", line):
            counts[-1]["blocks"][-1]["cpu"] = match[1]
        elif match := re.match(r"\tChild\[(\d+)\] xfer count = +([\d.]+) kB, Throughput = +([\d.]+)", line):
            counts[-1]["blocks"][-1]["children"].append(match.groups())
    return counts


def sum_of(block):
    """The sum before it was rounded, as far as the mean tells."""
    for more in (0.0, -0.004, 0.004):
        total = float(block["sum"]) + more
        if f"{total / int(block['count']):.2f}" == block["avg"]:
            break
    return f"{total:.3f}"


def block_scene(lines, scene):
    counts = read_blocks(lines)
    least = value_behind(lines, "Min process =", "0")
    scene = scene + ["set mode throughput"]
    if least != "0":
        scene += [f"set least-children {least}", "set most-children " + value_behind(lines, "Max process =", "0")]
    for count in counts:
        blocks, children = count["blocks"], count["blocks"][0]["count"]
        scene += [f"set children {children}", f"set file-kb {count['file']}", f"set record-kb {count['record']}"]
        for part in ([b for b in blocks if b["name"] not in STDIO], [b for b in blocks if b["name"] in STDIO]):
            if not part:
                continue
            scene += ["set tests " + " ".join([block["name"] for block in part] + ["-"]), f"test {children}"]
            for block in part:
                percent = float(block["cpu"])
                scene.append(" ".join(["phase", block["name"], children, sum_of(block), block["min"], block["max"],
                                       block["min xfer"], block["parent"], str(percent)]))
                scene += ["child " + " ".join(child) for child in block["children"]]
            scene.append(f"phase - {children} 0 0 0 0 0 0")
    return scene


def tell(program, command, scene, reporter="iozone", **more):
    done = subprocess.run([program, reporter], input="\n".join([command] + scene) + "\n", capture_output=True, text=True,
                          timeout=60, env=environment(TZ="UTC", **more))
    need_same((done.returncode, done.stderr), (0, ""), "run")
    return done.stdout


# ---------------------------------------------------------------- comparison

def masked(lines):
    """Seconds, which samples round, and rates of children, which follow from those: their places stay."""
    rules = ((r"(Wall time|CPU time) +[\d.]+", 17), (r"(, wall=|, cpu=|%=| Throughput =) *[\d.]+", 0))
    result = []
    for line in lines:
        for rule, _ in rules:
            line = re.sub(rule, lambda m: re.sub(r"[\d.]", "#", m.group().replace(" ", "#")), line)
        result.append(line)
    return result


def need_same_text(ours, theirs, name):
    ours, theirs = lines_of(ours), lines_of(theirs)
    ours[AUTHORS], theirs[AUTHORS] = [""] * 9, [""] * 9
    if not any("Parent sees" in line for line in theirs):  # of clusters: IOzone cannot tell
        ours = [line for line in ours if "Parent sees" not in line]
    ours, theirs = masked(ours), masked(theirs)
    for at, (one, other) in enumerate(zip(ours, theirs)):
        need_same(one, other, f"{name}, line {at + 1}")
    need_same(len(ours), len(theirs), f"{name}, lines")


def ends_of(row):
    """Where the numbers of a row end. They are found by their columns, as numbers that fill theirs run together."""
    ends, begin = "", 24
    for width in WIDTHS:
        cell = row[begin:begin + width]
        begin += width
        ends += f" ..{begin}" if re.fullmatch(r" *\d+", cell) else cell.rstrip()
    return ends + row[begin:]


def shape_of(lines):
    """What is the same whatever the numbers are: all but digits, and in the table, which columns have a number and where each
    ends."""
    result, is_row = [], False
    for line in lines:
        if line.startswith(("\tRun began: ", "\tCommand line used: ", "\tNote: ", "\t\tBuild: ")):
            continue
        is_row = is_row and bool(line) or line[:24].split() == ["kB", "reclen"]
        if is_row and re.match(r" +\d", line):
            line = f"{line[:24]} {len(line)}{ends_of(line)}"
        elif re.match(r"\t(Children|Parent|Min|Max|Avg|Child\[|CPU)", line):
            line = re.sub(r"(?:(?<==)|(?<=time)|(?<=utilization)) *[\d.]+", "#", line)
        elif re.match(r'" *[\w -]* " ', line) or re.match(r'"\d+"  ', line):
            line = re.sub(r" +[\d.]+(?= |$)", " #", line)
        result.append(line)
    return result


def need_same_shape(ours, theirs, name):
    ours, theirs = lines_of(ours), lines_of(theirs)
    ours = ours[:next(i for i, line in enumerate(ours) if line.startswith("weir"))] if "weir" in ours else ours
    while ours and not ours[-1]:
        ours.pop()
    ours[AUTHORS], theirs[AUTHORS] = [""] * 9, [""] * 9
    if not any("Parent sees" in line for line in theirs):
        ours = [line for line in ours if "Parent sees" not in line]
    for one, other in zip(shape_of(ours), shape_of(theirs)):
        need_same(one, other, name)
    need_same(len(shape_of(ours)), len(shape_of(theirs)), f"{name}, lines")


def found_in(text, is_table):
    """What all readers of a layout find."""
    lines = lines_of(text)
    used = next(i for i, line in enumerate(lines) if "Command line used" in line)
    body = lines[used:]
    if not is_table:
        ramble = readers.read_ramble(body)
        need_same(ramble[2], 1, "ends")
        if not any("ops/sec" in line for line in body):
            regex = [row[:3] for row in readers.read_regex_kb(body, "kB")]
            need_same([(row[1], row[2]) for row in regex], ramble[0], "avocado and Ramble")
        return ramble, readers.read_words(lines), readers.read_grep(body)
    found = [readers.read_between(body), readers.read_integers(body), readers.read_fields(body)]
    if any("bkwd" in line for line in body):
        found.append(readers.read_header(lines))
        found.append(readers.read_named(lines))
        if not any("pwrite" in line for line in body):
            found.append(readers.read_fixed(body))
    return found


def scene_of(text, is_table):
    lines = lines_of(text)
    command, scene, at = head_of(lines)
    return command, table_scene(lines, scene, command, at) if is_table else block_scene(lines, scene)


def tell_sample(folder, program, name, is_table):
    theirs = load(folder, "iozone-" + name)
    command, scene = scene_of(theirs, is_table)
    ours = tell(program, command, scene)
    need_same_text(ours, theirs, name)
    # Our own block behind it changes nothing for them.
    whole = tell(program, command, scene, WEIR_TELL_ALL="1")
    need_same("how far these numbers can be believed" in whole, True, name + ", our own block")
    need_same(found_in(whole, is_table), found_in(theirs, is_table), name + ", readers")


# ---------------------------------------------------------------- from raw numbers

def need_near(ours, theirs, name):
    """Samples have two digits behind the point, and times of children are whole nanoseconds."""
    if abs(ours - theirs) > 0.011 + 2e-6 * abs(theirs):
        raise Difference(f"{name}: {ours} for {theirs}")


def least_of_original(values):
    """The original takes any child for the least as long as the least is 0: a child without a number is forgotten."""
    least = 0.0
    for value in values:
        if least == 0.0 or value < least:
            least = value
    return least


def recompute_sample(folder, program, name):
    """Every figure of a block from the lines of its children: by the rules of the original, which give the sample's figures,
    and by Weir, which has the children's lines alone."""
    theirs = load(folder, "iozone-" + name)
    command, scene = scene_of(theirs, False)
    raw = []
    for line in scene:
        words = line.split()
        if words[0] == "phase" and raw and raw[-1].startswith("child"):
            raw.append("derive")
        raw.append(" ".join(words[:3] + ["0"] * 4 + words[7:]) if words[0] == "phase" else line)
    ours = [block for count in read_blocks(lines_of(tell(program, command, raw))) for block in count["blocks"]]
    original = [block for count in read_blocks(lines_of(theirs)) for block in count["blocks"]]
    need_same([block["name"] for block in ours], [block["name"] for block in original], "blocks")
    found = 0
    for our, their in zip(ours, original):
        title = f"{name}, {their['name']}, "
        children = [(float(xfer), float(rate)) for _, xfer, rate in their["children"]]
        figures = {key: float(their[key]) for key in ("sum", "min", "max", "avg", "min xfer")}
        count = int(their["count"])
        need_near(figures["avg"] * count, figures["sum"], title + "the average of the sample")
        if count == 1:
            need_same(figures["min"] == figures["max"] == figures["sum"], True, title + "figures of one child")
        if not children:
            continue
        found += 1
        need_same(len(children), count, title + "children")
        rates, xfers = [rate for _, rate in children], [xfer for xfer, _ in children]
        rules = {"sum": sum(rates), "min": least_of_original(rates), "max": max(rates), "avg": sum(rates) / count,
                 "min xfer": least_of_original(xfers)}
        for key, value in rules.items():
            need_near(figures[key], value, title + key + " of the original")
        for key, value in (rules | {"min": min(rates), "min xfer": min(xfers)}).items():
            need_near(float(our[key]), value, title + key)
        for (_, xfer, rate), (their_xfer, their_rate) in zip(our["children"], children):
            need_near(float(xfer), their_xfer, title + "amount of a child")
            need_near(float(rate), their_rate, title + "rate of a child")
    need_same(found, sum(bool(block["children"]) for block in original), "blocks with children")
    if name in WITH_CHILDREN:
        need_same(found > 0, True, "blocks with children")
    # The Excel text repeats the sums.
    rows = [re.findall(r"[\d.]+", line.split('"')[2]) for line in lines_of(theirs) if re.match(r'" +\S.* "', line)]
    sums = [float(block["sum"]) for block in original]
    if len(rows) >= len(sums) and "-l" not in command.split() and command.split().count("-t") == 1:
        shown = [float(row[0]) for row in rows if float(row[0]) > 0][:len(sums)]
        for value, total in zip(shown, [total for total in sums if total > 0]):
            need_near(value, total, name + ", Excel text")


# ---------------------------------------------------------------- runs

def launch(weir, words, ranks, place):
    done = subprocess.run(["mpiexec", "-n", str(ranks), weir, "iozone"] + words, capture_output=True, text=True, timeout=900,
                          cwd=place, env=environment(TZ="UTC"))
    need_same(done.returncode, 0, "exit code of " + " ".join(words) + ": " + done.stderr[-300:])
    return done.stdout


def run_sample(folder, weir, name):
    """The command line of the sample, with as many ranks as it has children; what only reads has its files made before."""
    theirs = load(folder, "iozone-" + name)
    words = head_of(lines_of(theirs))[0].split()[1:]
    ranks = max((int(words[i + 1]) for i, word in enumerate(words) if word in ("-t", "-u")), default=1)
    chosen = [words[i + 1] for i, word in enumerate(words) if word == "-i"]
    with tempfile.TemporaryDirectory(dir=".") as place:
        with open(os.path.join(place, "threadlist"), "w", encoding="utf-8") as file:
            file.write(f"{socket.gethostname()} {os.path.abspath(place)} iozone\n" * 2)
        if chosen and "0" not in chosen:
            before = [word for word in words if word not in ("-w", "-R")]
            before[before.index("-i") + 1] = "0"
            launch(weir, ["-w"] + before, ranks, place)
        need_same_shape(launch(weir, words, ranks, place), theirs, name)


# ---------------------------------------------------------------- what no sample has

def tell_old(folder, program):
    """The older layout: capitals, and narrower columns."""
    command, scene = scene_of(load(folder, "iozone-auto"), True)
    lines = lines_of(tell(program, command, ["style 3.420"] + scene))
    theirs = readers.read_fixed(lines_of(load(folder, "iozone-auto")))
    heads = [line for line in lines if "reclen" in line or "bkwd" in line]
    need_same([len(line) for line in heads], [135, 135], "headings of 3.420")
    ends = [m.end() for m in re.finditer(r"\S+", heads[1])]
    need_same(ends, [16, 24, 32, 40, 48, 58, 66, 74, 82, 91, 100, 109, 118, 126, 135], "columns of 3.420")
    need_same(readers.read_fixed(lines, "3.420"), theirs, "rows of 3.420")
    need_same(any(line == "\tOutput is in Kbytes/sec" for line in lines), True, "unit of 3.420")
    command, scene = scene_of(load(folder, "iozone-thr-F"), False)
    lines = lines_of(tell(program, command, ["style 3.420"] + scene))
    theirs = readers.read_regex_kb(lines_of(load(folder, "iozone-thr-F")), "kB")
    need_same(readers.read_regex_kb(lines), theirs, "avocado on 3.420")
    need_same(any("kB" in line for line in lines), False, "small k")


def tell_threads(folder, program):
    command, scene = scene_of(load(folder, "iozone-thr-F"), False)
    at = scene.index("set threads 0")
    lines = lines_of(tell(program, command, scene[:at] + ["set threads 1"] + scene[at + 1:]))
    need_same(readers.read_regex_kb(lines, "kB"), readers.read_regex_kb(lines_of(load(folder, "iozone-thr-F")), "kB"), "threads")
    need_same([line for line in lines if "process" in line], [], "processes")
    need_same("\tThroughput test with 2 threads" in lines, True, "number of threads")


def tell_failures(folder, program):
    """A test that failed has no number that looks like one, and the run no end that looks like success."""
    command, scene = scene_of(load(folder, "iozone-thr-F"), False)
    at = max(i for i, line in enumerate(scene) if line.startswith("phase read "))
    failed = scene[:at] + [scene[at] + " refused"] + scene[at + 1:]
    text = tell(program, command, failed)
    found = readers.read_ramble(lines_of(text))
    need_same(([row[0] for row in found[0]], found[2]), (["initial writers"], 0), "blocks of a run that failed")
    need_same("ERROR: readers: refused" in text, True, "the failure")
    command, scene = scene_of(load(folder, "iozone-auto"), True)
    at = next(i for i, line in enumerate(scene) if line.startswith("phase stride "))
    whole = readers.read_integers(lines_of(tell(program, command, scene)))
    text = tell(program, command, scene[:at] + [scene[at] + " refused"] + scene[at + 1:])
    need_same(readers.read_integers(lines_of(text)), whole[1:], "rows of a run that failed")
    need_same("iozone test complete" in text, False, "end")
    need_same([row[:10] for row in readers.read_fields(lines_of(text))][1:],
              [row[:10] for row in readers.read_fields(lines_of(load(folder, "iozone-auto")))][1:], "rows beside it")
    # Ended in the middle of the first row: what was to come has no number either.
    cut = next(i for i, line in enumerate(scene) if line.startswith("phase fwrite "))
    text = tell(program, command, scene[:cut] + ["interrupted"])
    rows = readers.read_fields(lines_of(text))
    need_same((len(rows), rows[0][-5:]), (1, rows[0][-5:-4] + ["-"] * 4), "rows of a run that was cut")
    need_same(lines_of(text)[-1], "iozone: interrupted", "end of a run that was cut")


def tell_sizes(_, program):
    """Sizes in any order, several sizes of one count of children, and steps of a sweep: no number is lost."""
    def steps(mode, children, sizes):
        scene = [f"set mode {mode}", f"set children {children}", "set excel 1", "set tests write"]
        for value, (file, record, *step) in enumerate(sizes, 1):
            scene += [f"sweep-step {step[0]}"] if step else []
            scene += [f"set file-kb {file}", f"set record-kb {record}", f"test {children}"]
            scene.append(f"phase write {children} {value}00 {value}00 {value}00 1 1 1")
        return lines_of(tell(program, "iozone -R", scene))
    lines = steps("single", 1, [(4096, 128), (4096, 16), (8192, 128), (8192, 64)])
    need_same([line.split() for line in lines[lines.index('"Writer report"') + 1:]],
              [['"16"', '"64"', '"128"'], ['"4096"', "200", "0", "100"], ['"8192"', "0", "400", "300"]], "records in any order")
    lines = steps("throughput", 2, [(4096, 64), (4096, 128), (8192, 128)])
    row = next(line for line in lines if line.startswith('"  Initial write'))
    need_same(row.split()[4:], ["100.00", "200.00", "300.00"], "sizes of one count of children")
    lines = steps("single", 1, [(4096, 64, 0), (4096, 64, 1)])
    need_same([line.split() for line in lines if re.match(r" +4096 ", line)], [["4096", "64", "100"], ["4096", "64", "200"]],
              "steps of a sweep")


def tell_shapes(folder, program):
    """The comparison that runs are held to: other numbers are no difference, a lost column or tab is one."""
    for name, is_table in (("single-E", True), ("throughput-all-C-cpu-R", False), ("l1-u2-R", False), ("Ra", True)):
        theirs = load(folder, "iozone-" + name)
        command, scene = scene_of(theirs, is_table)
        numbers = r"(?<=^phase )(\S+ \d+) [1-9]"
        ours = tell(program, command, [re.sub(numbers, r"\1 9", line) for line in scene], WEIR_TELL_ALL="1")
        ours = ours if name != "single-E" else tell(program, command, scene)
        need_same_shape(ours, theirs, name)
        for rate in (9000000, 20000000):  # below and above what runs into the column before it
            other = [re.sub(r"(?<=^phase )((?:re)?pread \d+) .*", rf"\1 {rate} {rate} {rate} 1 1 1", line) for line in scene]
            need_same_shape(tell(program, command, other, WEIR_TELL_ALL="1"), theirs, name)
        for lost in ("xfer \t", " kB/sec\n", "  64", '"Reader report"', " 2 readers"):
            if lost not in ours:
                continue
            try:
                need_same_shape(ours.replace(lost, lost[1:], 1), theirs, name)
            except Difference:
                continue
            raise Difference(f"{name} is the same without a character of {lost!r}")


def tell_csv(folder, program):
    command, scene = scene_of(load(folder, "iozone-throughput-all-C-cpu-R"), False)
    lines = tell(program, command, scene, "file").rstrip("\n").split("\n")
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    need_same([row["access"] for row in rows], list(WORDS.values()), "tests")
    theirs = readers.read_words(lines_of(load(folder, "iozone-throughput-all-C-cpu-R")))[0]
    need_same([(row["children"], row["childrenSum"], row["min"], row["max"], row["mean"]) for row in rows],
              [(row[0], row[2], row[3], row[4], row[5]) for row in theirs], "numbers")
    need_same('"name": "mixed"' in tell(program, command, scene, "weir json"), True, "JSON")


def main():
    deed, folder, program = sys.argv[1:4]
    jobs = [(name, lambda name=name: found_in(load(folder, "iozone-" + name), True)) for name in TABLES]
    jobs += [(name, lambda name=name: found_in(load(folder, "iozone-" + name), False)) for name in BLOCKS]
    if deed == "tell":
        jobs = [(name, lambda name=name: tell_sample(folder, program, name, True)) for name in TABLES]
        jobs += [(name, lambda name=name: tell_sample(folder, program, name, False)) for name in BLOCKS]
        jobs += [(job.__name__, lambda job=job: job(folder, program)) for job in (tell_old, tell_threads, tell_failures, tell_sizes, tell_shapes, tell_csv)]
    if deed == "recompute":
        jobs = [(name, lambda name=name: recompute_sample(folder, program, name)) for name in BLOCKS]
    if deed == "run":
        jobs = [(name, lambda name=name: run_sample(folder, program, name)) for name in TABLES + BLOCKS if name not in FOREIGN]
    failed = 0
    for name, job in jobs:
        try:
            job()
        except (Difference, ValueError, IndexError, StopIteration, KeyError) as difference:
            print(f"{name}: {difference!r}")
            failed += 1
    print(f"{len(jobs) - failed} of {len(jobs)} {deed}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
