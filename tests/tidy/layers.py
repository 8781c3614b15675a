# SPDX-License-Identifier: Apache-2.0
"""Checks every include against the table of rooms: arrows only go down (docs/architecture.md)."""
import re

import sources

# Room: the rooms that it may include besides itself.
MAY_INCLUDE = {
    "base": "",
    "plan": "base",
    "measure": "base",
    "group": "base",
    "system": "base",
    "fabric": "base system",
    "objects": "base fabric system",
    "flows": "base measure",
    "front": "base plan flows",
    "io": "base group",
    "backends": "base group io fabric objects",
    "payload": "base plan measure",
    "surroundings": "base plan measure group system",
    "engine": "base payload plan measure group io system surroundings",
    "net": "base measure flows group fabric system",
    "audit": "base plan measure",
    "doctor": "base io system fabric",
    "picture": "base",
    "report": "base plan measure flows picture",
    "commands": "base plan front group measure system io engine audit doctor report fabric "
                "objects flows net surroundings",
    "main": "base front group io commands",
}

# Foreign headers that only some files may include.
KEPT_TO = {
    "mpi.h": ("src/group/group_mpi", "backends/mpiio", "src/network/net/mpi_transport.c"),
    "jansson.h": ("src/report/",),
    "hwloc.h": ("src/system/topology", "src/system/bindings"),
    "infiniband/verbs.h": ("src/network/fabric/verbs",),
    "rdma/rdma_cma.h": ("src/network/fabric/verbs",),
    "openssl/": ("src/network/fabric/secret.c", "src/report/redact.c"),
    "sqlite3.h": ("src/report/export/sqlite.c",),
    "lustre/lustreapi.h": ("backends/lustre.c",),
    "gpfs_fcntl.h": ("backends/gpfs.c",),
    "beegfs/beegfs.h": ("backends/beegfs.c",),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The folder of the room that a source belongs to: the nearest one that CMake makes a library of."""
    return next(folder for folder in path.parents if (folder / "CMakeLists.txt").exists())


def room_of(path, relative):
    """The room that a file (relative to the root) belongs to."""
    parts = relative.split("/")
    if parts[0] == "include":
        return parts[2]
    name = folder_of(path).name
    return "main" if name == "src" else name


def fault(path, relative, quote, name):
    """What is wrong with this include, or None."""
    room = room_of(path, relative)
    if room not in MAY_INCLUDE:
        return f"the room {room} is not in the table of rooms"
    kept = KEPT_TO.get(name) or KEPT_TO.get(name.split("/")[0] + "/")
    if kept and not relative.startswith(kept):
        return f"{name} is kept to {', '.join(kept)}"
    if quote == "<":
        return None
    if not name.startswith("weir/"):
        if any((folder / name).exists() for folder in (path.parent, folder_of(path))) and ".." not in name:
            return None
        return f'"{name}" is private to another room'
    other = name.split("/")[1]
    if other == room or other in MAY_INCLUDE[room].split():
        return None
    return f"{room} must not know of {other} (it includes {name})"


def main():
    findings = []
    for path in sources.files("src", "include", "backends"):
        relative = str(path.relative_to(sources.root()))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            sentence = match and fault(path, relative, *match.groups())
            if sentence:
                findings.append((path, number, sentence))
    sources.finish(findings)


main()
