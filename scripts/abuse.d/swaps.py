# SPDX-License-Identifier: Apache-2.0
"""A name becomes a link to a file of somebody else just before a call of Weir's that takes the name: each call in turn.

A library that is loaded before Weir does it, so that every moment between a look and an open is met, and met each time.
"""
import itertools
import os
import pathlib
import shutil
import subprocess

from bed import BACKENDS, ORDERLY, Failed, Skip, Task

SOURCE = pathlib.Path(__file__).with_name("swap.c")
PRECIOUS = b"precious data of somebody else\n" * 500
WRITE = ["-w", "-k", "-t", "4k", "-b", "16k"]
# Name, ranks, the rank before whose calls it is done, options, whether an own file is there before.
SHAPES = (("new", 1, 0, WRITE, False), ("over an own file", 1, 0, WRITE, True), ("into an own file", 1, 0, [*WRITE, "-E"], True),
          ("again", 1, 0, ["-w", "-r", "-i", "2", "-t", "4k", "-b", "16k"], False), ("by the second rank", 2, 1, WRITE, True),
          ("into an own file by the second rank", 2, 1, [*WRITE, "-E"], True),
          ("written, checked and removed", 1, 0, ["-w", "-W", "-r", "-R", "-t", "4k", "-b", "16k"], True),
          ("own files read and kept", 1, 0, ["-r", "-R", "-k", "-t", "4k", "-b", "16k"], True),
          ("own files read and removed", 1, 0, ["-r", "-t", "4k", "-b", "16k"], True),
          ("removed by the first of two", 2, 0, ["-w", "-r", "-t", "4k", "-b", "16k"], True))


def build_library(bed):
    library = bed.scratch / "swap.so"
    with bed.lock:
        if not library.exists():
            compiler = shutil.which("gcc") or shutil.which("cc")
            if not compiler:
                raise Skip("no compiler here")
            subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-w", "-o", f"{library}.new", SOURCE, "-ldl"], check=True)
            os.rename(f"{library}.new", library)
    return library


def spread(items, count):
    """So many of them, evenly, or all."""
    count = max(0, min(count, len(items)))
    return [items[number * len(items) // count] for number in range(count)]


class Swaps:
    def __init__(self, bed, folder, backend):
        self.bed, self.folder, self.backend = bed, folder, backend
        self.library = build_library(bed)
        self.name, self.victim, self.log = folder / "f", folder / "victim", folder / ".log"
        self.own = folder / "own"

    def run(self, shape, kind, back, when):
        """One run, with a swap before the call of that number: the calls that took the name."""
        name, ranks, rank, words, has_own = shape
        for path in (self.name, self.log, self.folder / "f.aside", self.victim):
            path.unlink(missing_ok=True)
        self.victim.write_bytes(PRECIOUS)
        if has_own:
            shutil.copyfile(self.own, self.name)
        rc, _, err = self.bed.run_weir(self.folder, "-a", self.backend, *words, "-o", self.name, ranks=ranks, seconds=30,
                                       **({} if ranks > 1 else {"LD_PRELOAD": str(self.library)}),
                                       SWAP_SO=str(self.library), SWAP_NAME=str(self.name), SWAP_VICTIM=str(self.victim), SWAP_RANK=str(rank), SWAP_KIND=kind,
                                       SWAP_BACK=str(int(back)), SWAP_AT=str(when), SWAP_LOG=str(self.log), SWAP_ASIDE=str(self.folder / "f.aside"),
                                       **({"OMPI_MCA_mca_base_env_list": f"LD_PRELOAD={self.library}"} if ranks > 1 else {}))
        calls = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        where = f"{name}, {'symlink' if kind == 's' else 'hard link'}{' and back' if back else ''} before call {when} of {' '.join(c.split()[0] for c in calls)}"
        if not self.victim.exists() or self.victim.read_bytes() != PRECIOUS:
            raise Failed("DAMAGE", f"written through, {where}; exit code {rc}")
        if rc not in ORDERLY:
            raise Failed("WRONG", f"exit code {rc}, {where}; {err.strip()[-160:]}")
        return calls

    def plan(self):
        """The swaps to be made, (shape, kind, back, number of the call): those before an open and the call after it first."""
        self.bed.run_weir(self.folder, "-a", self.backend, *WRITE, "-o", self.own)
        if not self.own.exists():
            raise Skip(f"{self.backend} cannot write here")
        at_opens, others = [], []
        for shape in SHAPES:
            calls = self.run(shape, "s", False, 0)
            if not calls:
                raise Skip("calls of this program cannot be watched")
            opens = {number + later for number, call in enumerate(calls, 1) if call.startswith(("open", "creat", "syscall")) for later in (0, 1)}
            for kind, back, when in itertools.product("sh", (False, True), range(1, len(calls) + 1)):
                (at_opens if when in opens else others).append((shape, kind, back, when))
        return spread(at_opens, self.bed.swaps) + spread(others, self.bed.swaps - len(at_opens))

    def all(self):
        done = 0
        lost = None
        for plan in self.plan():
            try:
                calls = self.run(*plan)
            except Failed as failed:
                if failed.verdict != "DAMAGE":
                    raise
                lost = lost or [0, failed]
                lost[0] += 1
                calls = ["swapped"]
            done += any("swapped" in call for call in calls)
        if lost:
            raise Failed("DAMAGE", f"{lost[0]} of {done} swaps; the first: {lost[1]}")
        return f"{done} swaps"


def cases():
    for backend in BACKENDS:
        yield Task(f"swap.{backend}", lambda bed, folder, backend=backend: Swaps(bed, folder, backend).all(), quick=backend in ("POSIX", "MMAP", "MPIIO"))
