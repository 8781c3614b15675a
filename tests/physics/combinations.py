# SPDX-License-Identifier: Apache-2.0
"""combinations.py RANKS FILE: an IOR script with every backend, depth and kind of data, for one launch."""
import itertools
import sys

RDMA = {"rdma.targets": "self", "rdma.capacity": "16m"}
BACKENDS = ({"api": "POSIX"}, {"api": "DIRECT"}, {"api": "MMAP"}, {"api": "MPIIO"}, {"api": "MPIIO", "collective": 1}, {"api": "AIO"}, {"api": "AIO", "depth": 8},
            {"api": "URING"}, {"api": "URING", "depth": 8}, {"api": "URING", "depth": 32}, {"api": "DUMMY"}, {"api": "RDMA", **RDMA, "rdma.provider": "shm"},
            {"api": "RDMA", **RDMA, "rdma.provider": "tcp", "depth": 8})
DATA = ({"data": "stamp"}, {"data": "full"}, {"data": "none"}, {"data": "ior"}, {"data": "stamp", "checkRead": 1, "checkWrite": 1}, {"data": "full", "checkRead": 1},
        {"data": "ior", "checkRead": 1, "randomOffset": 1})
MORE = ({"read-percent": 50, "randomOffset": 1, "depth": 8, "api": "URING"}, {"read-percent": 30, "randomOffset": 1, "api": "POSIX"},
        {"deadlineForStonewalling": 1, "api": "POSIX", "rate": 3000, "blockSize": "1m"}, {"deadlineForStonewalling": 1, "stoneWallingWearOut": 1, "api": "URING", "depth": 8},
        {"rate": 2000, "api": "URING", "depth": 8})
DEFAULTS = {"api": "POSIX", "collective": 0, "depth": 1, "data": "stamp", "checkRead": 0, "checkWrite": 0, "filePerProc": 0, "randomOffset": 0,
            "read-percent": 0, "deadlineForStonewalling": 0, "stoneWallingWearOut": 0, "rate": 0, "blockSize": "256k", "repetitions": 1}


def tests(ranks):
    # Each of them with one number of ranks, shared or not.
    for number, (backend, data) in enumerate(itertools.product(BACKENDS, DATA)):
        if number % 3 == ranks - 1 and not (backend["api"] == "DUMMY" and data.get("checkRead")):
            yield backend | data | {"filePerProc": number // 3 % 2, "repetitions": 1 + number % 2}
    # Rates and mixes cannot be taken back: they come last.
    yield from MORE


def main():
    ranks, path, *without = int(sys.argv[1]), *sys.argv[2:]
    lines = ["IOR START", f"testFile={path}", "transferSize=16k", "segmentCount=2", "writeFile=1", "readFile=1"]
    for test in tests(ranks):
        if test["api"] not in without:
            lines += [f"{key}={value}" for key, value in (DEFAULTS | {"readFile": 1} | test).items() if not (key in ("read-percent", "rate") and value == 0)] + ["RUN"]
    print("\n".join([*lines, "IOR STOP"]))


if __name__ == "__main__":
    main()
