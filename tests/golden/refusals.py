#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refusals.py WEIR [--bless]: command lines that are refused. In refusals.txt each is a line "words", and under it
"  exit code: sentence". Lines that begin with # say why it is there. Words without a command are those of ior. Scripts that
it names are in ior/. A line "$ words"
is no question to --explain but a command of weir that runs, in a folder that has a fifo, a directory, the files of others
`foreign` and `long` (of 65 MiB), `zeros` and `zero-hosts` with a zero byte in their second lines, and a rankfile of two ranks; VARIABLE=VALUE may stand before it. --bless writes what the
program says now, to be read and committed."""
import itertools
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

folder = pathlib.Path(__file__).resolve().parent
table = folder / "refusals.txt"
weir = os.path.realpath(sys.argv[1])
environment = {name: value for name, value in os.environ.items() if not name.startswith(("HWLOC_", "SLURM_", "WEIR_"))} | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def is_words(line):
    return line != "" and line[0] not in " #"


def make_scratch(path):
    os.mkfifo(path / "fifo")
    (path / "directory").mkdir()
    (path / "foreign").write_text("my thesis\n" * 1000)
    (path / "rankfile").write_text("# of two ranks\n1 0-1\nrank 0=anywhere slot=1\n")
    (path / "zeros").write_bytes(b"0 4096\n0 4096\0 8192\n")
    (path / "zero-hosts").write_bytes(b"n1:7471\nn2:7471\0 n3:7471\n")
    (path / "topology").symlink_to(folder / "topology")
    with open(path / "long", "wb") as file:
        file.truncate(65 << 20)


def run(words, scratch):
    """What a command line says that is run as it stands."""
    settings = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, words))
    # Open MPI 4 sometimes fails to start without a launcher next to others that end: then nothing is said by weir, and once more is tried.
    for _ in range(2):
        done = subprocess.run([weir, *words[len(settings):]], capture_output=True, text=True, cwd=scratch, stdin=subprocess.DEVNULL,
                              env=environment | settings, timeout=60, check=False)
        if done.returncode != 1 or "weir: " in done.stderr or done.stdout:
            break
    done.stderr = done.stderr.replace(str(scratch), ".")
    done.stderr = re.sub(rf"\b{re.escape(socket.gethostname())}\b", "HOST", done.stderr)
    return done


def answer(words):
    if words.startswith("$ "):
        with tempfile.TemporaryDirectory() as scratch:
            make_scratch(pathlib.Path(scratch))
            done = run(shlex.split(words[2:]), scratch)
    else:
        split = shlex.split(words)
        command = split[:1] if split[0] in ("mdtest", "md-workbench", "iozone", "dd", "targets", "sweep", "parabench") else []
        done = subprocess.run([weir, *command, "--explain", *split[len(command):]], capture_output=True, text=True, cwd=folder / "ior",
                              stdin=subprocess.DEVNULL, env=environment, timeout=60, check=False)
    said = [line.removeprefix("weir: ") for line in done.stderr.splitlines() if line.startswith("weir: ")]
    printed = " [prints as well]" if words.startswith("$ ") and done.stdout else ""
    return f"  {done.returncode}: " + " / ".join(said) + printed


lines = table.read_text().splitlines()
cases = [line for line in lines if is_words(line)]
if len(cases) != len(set(cases)):
    sys.exit("a command line is there twice")
with ThreadPoolExecutor(os.cpu_count()) as pool:
    answers = dict(zip(cases, pool.map(answer, cases)))
now = [text for line in lines if not line.startswith("  ") for text in ([line, answers[line]] if is_words(line) else [line])]
if "--bless" in sys.argv:
    table.write_text("\n".join(now) + "\n")
elif now != lines:
    wrong = [f"{words}\n- {old}\n+ {answers[words]}" for words, old in zip(lines, lines[1:] + [""])
             if is_words(words) and old != answers[words]]
    sys.exit("\n".join(wrong) or f"{table.name} is not as --bless writes it")
print(f"{len(cases)} refused command lines")
