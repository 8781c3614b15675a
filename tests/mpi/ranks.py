# SPDX-License-Identifier: Apache-2.0
"""ranks.py running MARK: the running ranks of the job that has WEIR_TEST_MARK=MARK in its environment, whatever
launched it: for each, in their order, a line with its number, its process and the processors that its main thread may
run on. ranks.py held RANKS FILES COMMAND...: runs a job of so many ranks that writes FILES ("A B"), one after another,
with locks on its ranges. All ranks are kept from writing a file until they have been seen, which is a line with their
processors; exits as the job does. ranks.py processors: two processors of different cores in one NUMA node, if this
process may use such."""
import fcntl
import os
import pathlib
import subprocess
import sys
import time

RANK_NAMES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")


def environment(process):
    entries = (process / "environ").read_bytes().decode(errors="replace").split("\0")
    return dict(entry.partition("=")[::2] for entry in entries if entry)


def cpus_of(process):
    for line in (process / "status").read_text().splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return line.split()[1]
    return "-"


def rank_of(process, mark):
    """Launchers hand their environment down, but the number of a rank they do not have themselves."""
    variables = environment(process)
    if variables.get("WEIR_TEST_MARK") != mark or not (process / "comm").read_text().startswith("weir"):
        return None
    return next((int(variables[name]) for name in RANK_NAMES if name in variables), None)


def seen_ranks(processes, mark):
    found = []
    for process in processes:
        try:
            rank = rank_of(process, mark)
            if rank is not None:
                found.append((rank, process.name, cpus_of(process)))
        except OSError:
            continue
    return sorted(found)


def print_running(mark):
    for rank, process, cpus in seen_ranks(pathlib.Path("/proc").glob("[0-9]*"), mark):
        print(rank, process, cpus)


def waiting_for_locks():
    """The processes behind lines like "7: -> POSIX  ADVISORY  WRITE 4711 08:01:12 0 EOF"."""
    lines = map(str.split, pathlib.Path("/proc/locks").read_text().splitlines())
    return {pathlib.Path("/proc", words[5]) for words in lines if words[1:3] == ["->", "POSIX"]}


def print_held(count, paths, command):
    mark = os.environ["WEIR_TEST_MARK"]
    locked = [open(path, "w", encoding="utf-8") for path in paths]
    for file in locked:
        fcntl.lockf(file, fcntl.LOCK_EX)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr) as job:
        for file in locked:
            while len(ranks := seen_ranks(waiting_for_locks(), mark)) < count and job.poll() is None:
                time.sleep(0.02)
            if len(ranks) == count:
                print(*(cpus for rank, process, cpus in ranks), flush=True)
            file.close()
    sys.exit(job.returncode)


def place_of(cpu):
    """Its NUMA node and its core."""
    directory = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}")
    nodes = sorted(path.name for path in directory.glob("node[0-9]*"))
    siblings = directory / "topology/thread_siblings_list"
    return (nodes[0] if nodes else ""), (siblings.read_text() if siblings.exists() else str(cpu))


def print_processors():
    seen = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        node, core = place_of(cpu)
        cores = seen.setdefault(node, {})
        cores.setdefault(core, cpu)
        if len(cores) == 2:
            print(*cores.values())
            return


if sys.argv[1] == "processors":
    print_processors()
elif sys.argv[1] == "held":
    print_held(int(sys.argv[2]), sys.argv[3].split(), sys.argv[4:])
else:
    print_running(sys.argv[2])
