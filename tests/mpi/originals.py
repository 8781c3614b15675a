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
            if name in ("minus", "max"):
                yield f"ior-{pattern}-{name}-4096", ior(pattern, signature, 4096, 3, 2, 2)
                yield f"ior-{pattern}-{name}-104", ior(pattern, signature, 104, 3, 2, 2)
                continue
            for size in (8, 16, 40, 64, 104, 512, 1000, 4096, 47008, 65536):
                yield f"ior-{pattern}-{name}-{size}", ior(pattern, signature, size, 3, 2, 2)
            yield f"ior-{pattern}-{name}-one-64", ior(pattern, signature, 64, 1)
            for size in (4096, 47008, 100000, 262144):
                yield f"ior-{pattern}-{name}-one-{size}", ior(pattern, signature, size, 1)
    for pattern in "toi":
        for name in ("now", "42"):
            yield f"old-{pattern}-{name}", old_ior(pattern, signatures[name], 65536, 4)
    ones = b"\xff" * 65536
    yield "ior-prefilled", ones * 4
    yield "ior-prefilled-partly", (ones[:12288] + ior("t", NOW, 4096, 1) + ones[:4096] + ior("t", NOW, 4096, 2)) * 6
    for byte in (0xA5, 0x37):
        for record in (1024, 4096, 65536):
            yield f"iozone-{byte:x}-{record}", iozone(byte, record, 262144)
        yield f"iozone-{byte:x}-4k-of-4k", iozone(byte, 4096, 4096)
        yield f"iozone-V-{byte:x}", bytes([byte]) * 131072
    yield "iozone-short-circuit", b"\xbb" * 65536
    for size in (1, 7, 100, 512, 4095, 1 << 20):
        yield f"dd-zero-{size}", bytes(size)
    for size in (100, 4096, 65536):
        yield f"parabench-{size}", b"0" * size
    yield "md-workbench-3901", transfer("t", NOW, 0, 3, 3901)


def items():
    for size in (1, 3, 7, 8, 12, 16, 24, 32, 63, 64, 100, 512, 3901, 4096, 65537):
        for number, pattern in enumerate("toir"):
            yield f"{size}-{number}", transfer(pattern, NOW, 0, number, size)


def others(directory):
    noise = random.Random(7).randbytes
    yield "text", b"to whom it may concern: this is no benchmark's. " * 400
    yield "utf-16", ("Wer das liest, hat nichts gemessen. " * 300).encode("utf-16")
    yield "precious", b"precious\n"
    yield "word", b"passwd01"
    yield "letter", b"x"
    for byte in (0x10, 0x01, 0xA5):
        yield f"byte-{byte:x}", bytes([byte])
    for size in (3, 4, 6, 8):
        yield f"zeros-of-text-{size}", b"0" * size
    yield "letters-of-a-word", b"AAAAAAAA"
    yield "line", b"-" * 40 + b"\n"
    yield "dashes", b"-" * 40
    yield "dashes-of-a-page", b"-" * 4096
    yield "blanks", b" " * 100
    yield "blanks-of-many-pages", b" " * 300000
    yield "flash", b"\xff" * 65536
    yield "flash-and-zeros", (b"\xff" * 4096 + bytes(4096)) * 9
    yield "pieces-of-text-zeros", (b"0" * 4096 + bytes(4096)) * 9
    yield "raster-of-one-class", b"\x01" * 90000
    yield "grey", b"\x80" * 65536
    yield "page-of-a-name", b"AAAAAAAA" + bytes(4088)
    yield "border", (b"\xff" * 8 + bytes(1016)) * 64
    yield "border-of-class-1", (b"\x01" * 8 + bytes(1016)) * 64
    yield "noise", noise(300000)
    for size in (2, 4, 16, 64):
        yield f"noise-of-{size}", noise(size)
    yield "half-text", bytes(8192) + b"somebody's" + bytes(8192)
    yield "last-byte", bytes(99999) + b"\1"
    yield "tail", bytes(65536) + b"a few words"
    yield "tail-of-a-page", bytes(65536) + noise(600)
    yield "all-but-one", b"7" * 70000 + b"8" + b"7" * 70000
    yield "zeros-of-text-but-one", b"0" * 70000 + b"8" + b"0" * 70000
    yield "mask", bytes([0, 255] * 5000)
    yield "mask-in-runs", (bytes(3000) + b"\xff" * 1000) * 100
    yield "letters-then-text", b"A" * 65536 + b"text" * 5
    # numbers that count
    yield "numbers", struct.pack("<4096Q", *range(4096))
    yield "numbers-from-1", struct.pack("<4096Q", *range(1, 4097))
    yield "numbers-from-30000", struct.pack("<10000q", *range(30000, 40000))
    yield "count-and-numbers", struct.pack("<10001q", 10000, *range(30000, 40000))
    yield "page-of-numbers", struct.pack("<512q", *range(30000, 30512))
    yield "numbers-from-1e9", struct.pack("<4096q", *range(10**9, 10**9 + 4096))
    yield "numbers-from-minus", struct.pack("<4096q", *range(-100, 3996))
    yield "numbers-of-32-bits", struct.pack("<9000i", *range(777, 9777))
    yield "numbers-big-endian", struct.pack(">4096q", *range(100000, 104096))
    yield "numbers-of-32-bits-big-endian", struct.pack(">4096i", *range(1, 4097))
    yield "numbers-every-second", struct.pack("<4096q", *range(50000, 58192, 2))
    for first in (3, 10, 100, 1234567):
        yield f"two-from-{first}", struct.pack("<2q", first, first + 1)
        yield f"three-from-{first}", struct.pack("<3q", *range(first, first + 3))
        yield f"eight-from-{first}", struct.pack("<8q", *range(first, first + 8))
    yield "pairs-of-32-bits", struct.pack("<4i", 5, 2, 6, 9)
    yield "pair", struct.pack("<2q", 7, 900000)
    yield "number", struct.pack("<q", 12345)
    yield "grid", struct.pack("<512q", *range(5000, 5512)) * 40
    yield "grid-of-8", struct.pack("<8q", *range(100, 108)) * 400
    yield "squares", struct.pack("<2000q", *(i * i for i in range(2000)))
    yield "sine", struct.pack("<1024h", *(i * (i ^ 3) % 30000 for i in range(1024)))
    # times
    yield "time", struct.pack("<q", NOW)
    yield "two-times", struct.pack("<2q", NOW, NOW + 1)
    yield "equal-times", struct.pack("<q", NOW) * 300
    yield "intervals", struct.pack("<2q", NOW, NOW + 1) * 300
    yield "seconds", struct.pack("<4096Q", *range(NOW - 99999, NOW - 99999 + 4096))
    yield "seconds-up-to-now", struct.pack("<4096Q", *range(NOW - 4095, NOW + 1))
    yield "seconds-that-drift", struct.pack("<4096Q", *(NOW - 4095 + i - (i > 700) for i in range(4096)))
    yield "seconds-to-come", struct.pack("<4096Q", *range(NOW + 9999, NOW + 9999 + 4096))
    # constants, classes and tables
    for number in (3, 7, -1, 1 << 40):
        yield f"constant-{number}", struct.pack("<q", number) * 8
        yield f"constant-{number}-long", struct.pack("<q", number) * 5000
    yield "constant-of-32-bits", struct.pack("<i", 7) * 3000
    yield "labels", struct.pack("<3000q", *(i // 9 % 2 * 3 for i in range(3000)))
    yield "no-data", struct.pack("<9000q", *(random.Random(i).choice([-1] * 11 + [i]) for i in range(9000)))
    yield "big-endian-raster", struct.pack(">90000h", *(i // 41 % 2 for i in range(90000)))
    yield "one-of-16-bits", struct.pack(">h", 1)
    yield "row-pointers", struct.pack("<3000q", *range(0, 24000, 8))
    yield "row-pointers-of-32-bits", struct.pack("<3000i", *range(0, 15000, 5))
    yield "offsets-and-lengths", struct.pack("<3000q", *(8 * i if i % 2 == 0 else 16 for i in range(3000)))
    yield "lengths-and-offsets", struct.pack("<3000q", *(16 if i % 2 == 0 else 8 * i for i in range(3000)))
    for name, value in {"one": 1.0, "missing": -999.0, "pi": 3.141592653589793, "fill": 9.96921e36}.items():
        yield f"doubles-{name}", struct.pack("<d", value) * 4096
        yield f"floats-{name}", struct.pack("<f", value) * 4096
    yield "ramp", struct.pack("<4096d", *(i * 0.5 for i in range(4096)))
    yield "grib", (b"GRIB" + struct.pack(">IQ", 2, 4096) + bytes(range(64)) + bytes(4016)) * 20
    yield "bitmap", b"BM" + struct.pack("<IIIIii", 65590, 0, 54, 40, 256, 256) + bytes(28) + b"\x40\x80\xc0" * 21000
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
            # However slow this is: a run of IOR that has just begun, and a record that has just ended.
            os.utime(os.path.join(directory, name), (NOW, NOW))


main()
