#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refusals.py WEIR [--bless]: command lines that are refused. In refusals.txt each is a line "words", and under it
"  exit code: sentence". Lines that begin with # say why it is there. Scripts that it names are in ior/. --bless writes
what the program says now, to be read and committed."""
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

folder = pathlib.Path(__file__).resolve().parent
table = folder / "refusals.txt"
weir = os.path.realpath(sys.argv[1])
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def is_words(line):
    return line != "" and line[0] not in " #"


def answer(words):
    done = subprocess.run([weir, "--explain", *shlex.split(words)], capture_output=True, text=True, cwd=folder / "ior",
                          stdin=subprocess.DEVNULL, env=environment, timeout=60, check=False)
    said = [line.removeprefix("weir: ") for line in done.stderr.splitlines() if line.startswith("weir: ")]
    return f"  {done.returncode}: " + " / ".join(said)


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
