# SPDX-License-Identifier: Apache-2.0
"""What the benches share: running commands that must succeed, and comparing runs that take turns."""
import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile

KIB = 1024
MIB = 1024 * 1024


class Failure(Exception):
    """A command that a bench needs has failed."""


def run_used(words, **options):
    """Standard output of a command that must succeed, and the processor time that it and its children took, seconds."""
    with tempfile.TemporaryFile("w+") as said, \
            subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
                             text=True, **options) as child:
        try:
            text = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            raise Failure(f"{' '.join(map(str, words))}: exit code {child.returncode}\n{text}{said.read()}")
    return text, usage.ru_utime + usage.ru_stime


def run(words, **options):
    """Standard output of a command that must succeed."""
    return run_used(words, **options)[0]


def take_turns(contestants, rounds, warm=True):
    """Calls each of a mapping of functions once unmeasured, then all of them in each round, another one first each
    time. Returns a mapping of name to what it returned in round after round: equal places make pairs."""
    names = list(contestants)
    for name in names if warm else ():
        contestants[name]()
    samples = {name: [None] * rounds for name in names}
    for i in range(rounds):
        for k in range(len(names)):
            name = names[(i + k) % len(names)]
            samples[name][i] = contestants[name]()
    return samples


def ratio(first, second):
    """The median of the ratios pair by pair."""
    return statistics.median(a / b for a, b in zip(first, second))


def verdict(is_reached):
    return "reached" if is_reached else "missed"


def numbers(text):
    """A list of whole numbers, for argparse."""
    return [int(word) for word in text.split(",")]


def words(choices):
    """For argparse: a list of these, with commas between."""
    def split(text):
        for word in text.split(","):
            if word not in choices:
                raise argparse.ArgumentTypeError(f"{word}: know {', '.join(choices)}")
        return text.split(",")
    return split


def be_interruptible(name):
    """Signals end the program in order, so that what it has set up is cleared."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(f"{name}: interrupted"))


def main_guard(name, main):
    """Runs the program; a failed command ends it with its message."""
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"{name}: {failure}")
