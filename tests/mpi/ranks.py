# SPDX-License-Identifier: Apache-2.0
"""ranks.py running MARK: the running ranks of the job that has WEIR_TEST_MARK=MARK in its environment, whatever
launched it: for each, in their order, a line with its number, its process and the processors that its main thread may
run on. ranks.py processors: two processors of different cores in one NUMA node, if this process may use such."""
import os
import pathlib
import sys

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


def print_running(mark):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            rank = rank_of(process, mark)
            if rank is not None:
                found.append((rank, process.name, cpus_of(process)))
        except OSError:
            continue
    for rank, process, cpus in sorted(found):
        print(rank, process, cpus)


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
else:
    print_running(sys.argv[2])
