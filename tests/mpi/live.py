#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run passes on while it goes on: live.py WEIR ROOT, in an empty directory. Phases are slowed by --rate or by delays, so that no
assertion depends on how fast the machine is."""
import csv
import io
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests", "golden"))
import packages

jsonschema = packages.need("jsonschema", "python3-jsonschema")
WEIR, ROOT = sys.argv[1:3]
CSV = (WEIR, "report", "r", "--format", "csv-long")
PROGRAM = 'write("p", 4k);\nrepeat $i 24 { append("p", 4k); sleep(50000); }\ndelete("p");\n'
# Each has a phase of more than a second: the words, and what its line says.
COMMANDS = {
    "ior": (2, "ior -w -r -t 64k -b 1280k -F --rate 20 -o f", r"write, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left, slowest rank [01] at \d+ %"),
    "mdtest": (2, "mdtest -F -n 20 --rate 20 -d t", r"\w+, \d+ operations, \d+/s, \d+ %, \d+ s left, slowest rank [01] at \d+ %"),
    "md-workbench": (2, "md-workbench -P 10 -I 10 -D 1 -R 1 --rate 20 -o w", r"\w+, \d+ operations, \d+/s, \d+ %, \d+ s left, slowest rank [01] at \d+ %"),
    "iozone": (1, "iozone -i 0 -i 1 -r 4k -s 64k --rate 8 -f z", r"write, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left"),
    "dd": (1, "dd if=/dev/zero of=d bs=4k count=16 --rate 8", r"write, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left"),
    "parabench": (1, "parabench p.pbl --root .", r"\w+, \d+ operations, \d+/s"),
    "targets": (2, "targets a b --size 1m --transfer 64k -i 1 --rate 12", r"test \d+, write, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left"),
    "sweep": (2, "sweep transfer=32k,64k -- ior -w -b 512k -F --rate 8 -o s", r"test \d+, write, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left"),
    "net": (2, "net --provider shm --duration 1.2 --warm-up 0 --sizes 1k", r"measurement 1 of 1, messages of 1k, [0-9.]+ MiB, [0-9.]+ MiB/s, \d+ %, \d+ s left"),
}
SLOW = "-a DUMMY --dummy.delay-xfer=100000 -w -t 64k -b 640k"


def fail(reason, *shown):
    print(reason, *shown, sep="\n")
    sys.exit(1)


def argv(ranks, words):
    return (["mpiexec", "-n", str(ranks)] if ranks > 1 else []) + [WEIR, *words.split()]


def run(ranks, words, *more, code=0):
    for name in ("l", "p", "r"):
        if os.path.exists(name):
            os.unlink(name)
    begun = time.monotonic()
    done = subprocess.run([*argv(ranks, words), *more], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    done.seconds = time.monotonic() - begun
    if done.returncode != code:
        fail(f"{words} {more}: {done.returncode}, not {code}", done.stdout[-3000:], done.stderr[-3000:])
    return done


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def on_terminal(words):
    """What the command prints on a terminal that is all three of its streams."""
    process, master = pty.fork()
    if process == 0:
        os.execvp(words[0], words)
    text = b""
    while select.select([master], [], [], 300)[0]:
        try:
            piece = os.read(master, 65536)
        except OSError: # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return text.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def need_valid(lines):
    with open(f"{ROOT}/docs/schema-live.json", encoding="utf-8") as file:
        against = jsonschema.Draft202012Validator(json.load(file) | {"additionalProperties": False})
    for line in lines:
        for error in against.iter_errors(line):
            fail(f"{line}: {error.message}")
    if against.is_valid(dict(lines[0], bytes="many")) or against.is_valid({"record": "live"}):
        fail("the schema accepts anything")


# ---- every command ----

def check_command(command):
    ranks, words, shown = COMMANDS[command]
    if "slowest" in shown:
        text, code = on_terminal(argv(ranks, words))
        if code != 0 or not re.search(r"\r" + shown, text):
            fail(f"{command}: no progress of two ranks on a terminal: {code}", text)
    # A launcher passes on two streams in the order in which it finds them: order is tested without one.
    is_launched = command in ("targets", "net")
    text, code = on_terminal(argv(ranks if is_launched else 1, words))
    if code != 0 or not re.search(r"\r" + shown.split(", slowest")[0], text):
        fail(f"{command}: no progress on a terminal: {code}", text)
    # A line of progress ends by being written over, or erased before other text.
    for piece in re.findall(r"\r([^\r\n]* left[^\r\n]*)", text):
        if not piece.endswith("\x1b[K") and not is_launched:
            fail(f"{command}: other text follows a progress line that is not erased", repr(piece), text)
    if not is_launched and re.search(r"(?<!\r)\x1b\[K(?!\r)[^\r\n]", text):
        fail(f"{command}: a row begins behind a progress line", repr(text))

    done = run(ranks, words, "--live", "l", "--progress", "0.3", "--on-phase", "cat >>p", "--result", "r")
    if "\x1b" in done.stderr or "\r" in done.stderr:
        fail(f"{command}: control characters in a pipe", done.stderr)
    lines = lines_of("l")
    need_valid(lines)
    inner = [line for line in lines if line["event"] == "interval" and line["name"] != "pause"]
    ends = [line for line in lines if line["event"] == "phase"]
    if not inner or not ends or len({line["run_id"] for line in lines}) != 1:
        fail(f"{command}: too few live lines", *lines)
    records = [line for line in lines_of("r") if line["record"] in ("phase", "measurement")]
    if lines_of("p") != records:
        fail(f"{command}: --on-phase reads something else than the result file has", *lines_of("p"))
    if len(ends) != len(records):
        fail(f"{command}: {len(ends)} phases end, and {len(records)} were recorded")
    names = {row["name"] for row in csv.DictReader(io.StringIO(subprocess.run(CSV, capture_output=True, text=True, check=True).stdout))}
    if command not in ("parabench", "net") and not {line["name"] for line in ends} <= names:
        fail(f"{command}: names {sorted({line['name'] for line in ends})} are not those of csv-long", sorted(names))
    for line in inner:
        if not 0 <= line.get("percent", 0) <= 100 or line["ranks_counted"] != line["ranks"]:
            fail(f"{command}: {line}")


def check_sums():
    """Bytes of all ranks, not those of rank 0 times their number; the slow one is named."""
    run(3, "ior -w -t 64k -b 1m -F --rate 10 -o f", "--live", "l", "--progress", "0.2", "--result", "r")
    lines = lines_of("l")
    end = next(line for line in lines if line["event"] == "phase" and line["name"] == "write")
    if end["bytes"] != 3 << 20 or end["operations"] != 48 or end["percent"] != 100:
        fail(f"the end of the phase has {end}")
    steps = [line["bytes"] for line in lines if line["event"] == "interval" and line["name"] == "write"]
    if steps != sorted(steps) or len(steps) < 3 or any(count % 65536 for count in steps):
        fail(f"bytes of intervals: {steps}")
    # A rank that is stopped is the slowest one.
    child = subprocess.Popen(argv(2, "ior -w -t 64k -b 1m -F --rate 20 -o f --live l2 --progress 0.2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline, rank, seen = time.monotonic() + 100, None, None
    while time.monotonic() < deadline and not seen:
        time.sleep(0.1)
        if rank is None and os.path.exists("l2") and os.path.getsize("l2"):
            rank = next((int(name) for name in os.listdir("/proc") if name.isdigit() and is_rank(name, child.pid, "1")), None)
            if rank is not None:
                os.kill(rank, signal.SIGSTOP)
        seen = [line for line in (lines_of("l2") if rank is not None else []) if line.get("slowest_rank") == 1 and line["slowest_percent"] < line["percent"]]
    if rank is None or not seen:
        fail("the rank that is stopped is not the slowest")
    os.kill(rank, signal.SIGCONT)
    if child.wait(200) != 0:
        fail("the run does not go on")


def is_rank(process, launcher, rank):
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            names = dict(item.split(b"=", 1) for item in file.read().split(b"\0") if b"=" in item)
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            parent = int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, ValueError):
        return False
    ours = names.get(b"OMPI_COMM_WORLD_RANK", names.get(b"PMI_RANK")) == rank.encode()
    return ours and parent in (launcher, *children(launcher))


def children(process):
    out = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in out.split()]


# ---- sockets and files that take nothing ----

def check_outputs():
    done = run(1, f"ior {SLOW} --progress 0.2 --live unix:away")
    if not re.search(r"--live: (\d+) of \1 lines were dropped: unix:away has no reader, or a slow one", done.stderr) or done.stderr.count("--live") != 1:
        fail("a socket without a reader", done.stderr)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("slow")
        listener.listen(1)
        done = run(1, "ior -a DUMMY --dummy.delay-xfer=1000 -w -t 64k -b 250m --progress 0.001 --live unix:slow")
        match = re.search(r"--live: (\d+) of (\d+) lines were dropped", done.stderr)
        if not match or int(match[1]) >= int(match[2]):
            fail("a socket with a slow reader", done.stderr)
        reader, _ = listener.accept()
        with reader, reader.makefile("r") as file:
            lines = file.read().split("\n")
        # The last one may be cut; all before it are whole.
        need_valid([json.loads(line) for line in lines[:-1]])
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("good")
        listener.listen(1)
        child = subprocess.Popen(argv(1, f"ior {SLOW} --progress 0.2 --live unix:good"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        reader, _ = listener.accept()
        with reader, reader.makefile("r") as file:
            lines = [json.loads(line) for line in file]
        if child.wait(100) != 0 or "--live" in child.stderr.read() or lines[-1]["event"] != "phase":
            fail("a socket with a reader", *lines)
    done = run(1, f"ior {SLOW} --progress 0.2 --live /dev/full")
    if "--live: /dev/full: No space left on device: the run continues without it" not in done.stderr or done.stderr.count("--live") != 1:
        fail("a full disk", done.stderr)
    with open("cut", "w", encoding="utf-8") as file:
        file.write('{"record":"live","schema":"weir')
    run(1, f"ior {SLOW} --live cut")
    with open("cut", encoding="utf-8") as file:
        lines = file.read().split("\n")[1:-1]
    need_valid([json.loads(line) for line in lines])
    with open("foreign", "w", encoding="utf-8") as file:
        file.write("precious\n")
    done = run(1, f"ior {SLOW} --live foreign", code=2)
    if "holds no live lines" not in done.stderr:
        fail("a file of others", done.stderr)


# ---- commands ----

def check_commands():
    quick = "ior -w -r -t 64k -b 128k -o f --result r --on-phase"
    done = run(1, quick, "echo spoken; echo err >&2; exit 3")
    if done.stderr.count("spoken\nerr\n") != 3 or done.stderr.count("failed: exit code 3; the run continues") != 1 or "3 of 3 commands failed" not in done.stderr:
        fail("a command that fails", done.stderr)
    if "spoken" in done.stdout.split("Results")[1] or not all(line.get("outcome", "complete") == "complete" for line in lines_of("r")):
        fail("the command changes the report or the record", done.stdout)
    done = run(1, quick, "sleep 1000 & sleep 1001", "--on-phase-limit", "0.3", "-W")
    if done.stderr.count("failed: it did not end in 0.3 s and was killed") != 1 or done.seconds > 100:
        fail("a command that hangs", done.stderr)
    if subprocess.run(["pgrep", "-x", "-f", "sleep 100[01]"], capture_output=True, check=False).returncode == 0:
        fail("the command is left")
    done = run(1, quick, "yes", "--on-phase-limit", "0.3")
    if len(done.stderr) > 300000 or "all beyond 65535 are dropped" not in done.stderr:
        fail("a command that prints without end", done.stderr[-500:])
    # What goes on in the background holds the output of the command, but no phase.
    done = run(1, quick, "sleep 1003 & echo $! >>back; echo said", "--on-phase-limit", "20")
    with open("back", encoding="utf-8") as file:
        left = [int(line) for line in file]
    for process in left:
        os.kill(process, signal.SIGKILL) # fails if it was ended
    if done.stderr != 3 * "said\n" or len(left) != 3:
        fail("a command with a part in the background", done.stderr)
    done = run(1, quick, "exec <&-; exit 0")
    if done.stderr != "":
        fail("a command that does not read", done.stderr)
    # The group of a run on a terminal gets its signals: the record of what was interrupted is still passed on.
    child = subprocess.Popen([*argv(1, f"ior {SLOW} -i 50 --on-phase"), "echo $$ >pid; sleep 1000"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for("pid")
    child.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    text = child.communicate(timeout=100)[1]
    if time.monotonic() - begun > 50 or "a signal to the run ended it" not in text:
        fail("a signal while the command runs", text)
    # A rank that is killed takes the command with it.
    os.unlink("pid")
    child = subprocess.Popen([*argv(1, f"ior {SLOW} -i 50 --on-phase"), "echo $$ >pid; sleep 1002"], stdout=subprocess.DEVNULL)
    wait_for("pid")
    child.kill()
    child.wait()
    deadline = time.monotonic() + 100
    while subprocess.run(["pgrep", "-x", "-f", "sleep 1002"], capture_output=True, check=False).returncode == 0:
        if time.monotonic() > deadline:
            fail("the command outlives a run that was killed")
        time.sleep(0.1)


def wait_for(path):
    deadline = time.monotonic() + 100
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            fail(f"{path} does not appear")
        time.sleep(0.05)


def main():
    with open("p.pbl", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    os.mkdir("a")
    os.mkdir("b")
    for command in sys.argv[3:] or COMMANDS:
        check_command(command)
    if not sys.argv[3:]:
        check_sums()
        check_outputs()
        check_commands()


main()
