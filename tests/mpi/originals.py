# SPDX-License-Identifier: Apache-2.0
"""originals.py DIRECTORY

Makes files as the original benchmarks leave them, and files of others, a directory for each kind: files/NAME, which
any dialect may meet; items/SIZE-N, item N of task 0 of mdtest or md-workbench; others/NAME, which no
benchmark wrote. Written from the descriptions of what those programs write, not from Weir's code; the random numbers
are the C library's. Ends with 77 if the C library's rand_r is another one than that of the descriptions."""
import ctypes
import os
import random
import sqlite3
import struct
import sys
import tarfile
import time

WORD = 1 << 64
PIECE = 4096
NOW = int(time.time())
libc = ctypes.CDLL(None)


def rand_r(seed, count):
    state = ctypes.c_uint(seed % (1 << 32))
    return [libc.rand_r(ctypes.byref(state)) for _ in range(count)]


def transfer(pattern, signature, rank, offset, size):
    """A transfer of IOR 4, or an item of mdtest and md-workbench, whose number is in place of the offset."""
    count = size // 8
    words = [rank << 32 | (signature + i) % WORD for i in range(count)]
    if pattern == "i":
        words = [rand_r(signature, 2)[0] << 32 | rand_r(signature, 2)[1]] * count
    if pattern in "oi":
        for number, i in enumerate(range(0, count, PIECE // 8), start=1):
            words[i] = rank << 32 | offset % (1 << 32) * number % (1 << 32)
    if pattern == "r":
        word = rand_r(signature + rank + offset, 1)[0]
        for i in range(count):
            word = word * 0x9E37FFFFFFFC0001 % WORD >> 3
            words[i] = word
    return struct.pack(f"<{count}Q", *words) + bytes(i % 256 for i in range(count * 8, size))


def ior(pattern, signature, size, transfers, ranks=1, segments=1):
    """One file of all ranks, whose blocks have so many transfers."""
    data = b""
    for _ in range(segments):
        for rank in range(ranks):
            for _ in range(transfers):
                data += transfer(pattern, signature, rank, len(data), size)
    return data


def old_ior(pattern, signature, size, transfers):
    """IOR 2 and 3: rank and signature, then the place in the transfer or in the file; or random numbers."""
    words = []
    for at in range(0, size * transfers, 8):
        if at // 8 % 2 == 0:
            words.append(1 << 32 | signature)
        else:
            words.append(at if pattern == "o" else at % size)
    if pattern == "i":
        numbers = rand_r(signature, size // 4)
        words = [upper << 32 | lower for upper, lower in zip(numbers[::2], numbers[1::2])] * transfers
    return struct.pack(f"<{len(words)}Q", *words)


def iozone(byte, record, size):
    """The pattern in the first eight bytes of each page of a record, and what an untouched buffer has behind them."""
    step = min(record, PIECE)
    return (bytes([byte] * 8) + bytes(step - 8)) * (size // step)


def originals():
    signatures = {"now": NOW, "42": 42, "minus": -1234567, "max": (1 << 31) - 1}
    for pattern in "toir":
        for name, signature in signatures.items():
            for size in (8, 16, 24, 40, 56, 64, 104, 512, 1000, 2048, 4096, 47008, 65536):
                yield f"ior-{pattern}-{name}-{size}", ior(pattern, signature, size, 3, 2, 2)
            yield f"ior-{pattern}-{name}-one-64", ior(pattern, signature, 64, 1)
            for size in (4096, 47008, 100000, 262144):
                yield f"ior-{pattern}-{name}-one-{size}", ior(pattern, signature, size, 1)
    for pattern in "toi":
        yield f"old-{pattern}", old_ior(pattern, 42, 65536, 4)
    ones = b"\xff" * 65536
    yield "ior-prefilled", ones * 4
    yield "ior-prefilled-partly", (ones[:12288] + ior("t", NOW, 4096, 1) + ones[:4096] + ior("t", NOW, 4096, 2)) * 6
    for byte in (0x5A, 0xA5, 0x37):
        for record in (1024, 4096, 65536):
            yield f"iozone-{byte:x}-{record}", iozone(byte, record, 262144)
        yield f"iozone-{byte:x}-4k-of-4k", iozone(byte, 4096, 4096)
        yield f"iozone-V-{byte:x}", bytes([byte]) * 131072
    yield "iozone-short-circuit", b"\xbb" * 65536
    for size in (1, 7, 100, 512, 4095, 1 << 20):
        yield f"dd-zero-{size}", bytes(size)
    for size in (100, 1000, 65536):
        yield f"parabench-{size}", b"0" * size
    yield "md-workbench-3901", transfer("t", NOW, 0, 3, 3901)


def items():
    for size in (1, 3, 7, 8, 12, 16, 24, 32, 63, 64, 100, 512, 3901, 4096, 65537):
        for number, pattern in enumerate("toir"):
            yield f"{size}-{number}", transfer(pattern, 42, 0, number, size)


def others(directory):
    noise = random.Random(7).randbytes
    yield "text", b"to whom it may concern: this is no benchmark's. " * 400
    yield "precious", b"precious\n"
    yield "word", b"passwd01"
    yield "letter", b"x"
    yield "line", b"-" * 40 + b"\n"
    yield "noise", noise(300000)
    yield "noise-of-16", noise(16)
    yield "numbers", struct.pack("<4096Q", *range(4096))
    yield "numbers-from-1", struct.pack("<4096Q", *range(1, 4097))
    yield "seconds", struct.pack("<4096Q", *range(NOW - 99999, NOW - 99999 + 4096))
    yield "half-text", bytes(8192) + b"somebody's" + bytes(8192)
    yield "last-byte", bytes(99999) + b"\1"
    yield "all-but-one", b"7" * 70000 + b"8" + b"7" * 70000
    yield "mask", bytes([0, 255] * 5000)
    yield "doubles", struct.pack("<4096d", *[1.0] * 4096)
    yield "letters-then-text", b"A" * 65536 + b"text" * 5
    with open(sys.executable, "rb") as file:
        yield "program", file.read(200000)
    path = os.path.join(directory, "database")
    connection = sqlite3.connect(path)
    connection.execute("create table t (a integer, b text)")
    connection.executemany("insert into t values (?, ?)", [(i, "row") for i in range(2000)])
    connection.commit()
    connection.close()
    path = os.path.join(directory, "archive")
    inner = os.path.join(directory, "inner")
    with open(inner, "wb") as file:
        file.write(ior("t", NOW, 4096, 20))
    with tarfile.open(path, "w") as archive:
        archive.add(inner, "inner")
    os.unlink(inner)


def main():
    if rand_r(42, 2) != [0x289A27A5, 0x37588045]:
        sys.exit(77)
    for kind, make in (("files", originals), ("items", items), ("others", lambda: others(os.path.join(sys.argv[1], "others")))):
        directory = os.path.join(sys.argv[1], kind)
        os.makedirs(directory)
        for name, data in make():
            with open(os.path.join(directory, name), "wb") as file:
                file.write(data)


main()
