# SPDX-License-Identifier: Apache-2.0
"""ior_patterns.py PATTERN SIGNATURE TRANSFER BLOCK SEGMENTS RANKS PATH [own] [seed-with-rank]

Makes the files that IOR 4 leaves after a write: one for all ranks, or each rank's own. Written from the description
of the patterns and from dumps of IOR's files, not from Weir's code; the random numbers are the C library's. With
`seed-with-rank`, incompressible data are seeded with the signature plus the rank. Ends with 77 if the C library's
rand_r is another one than IOR's files were made with."""
import ctypes
import struct
import sys

WORD = 1 << 64
PIECE = 4096


def rand_r(seed, count):
    state = ctypes.c_uint(seed % (1 << 32))
    library = ctypes.CDLL(None)
    return [library.rand_r(ctypes.byref(state)) for _ in range(count)]


def counting(signature, rank, count):
    return [(rank << 32) | ((signature + i) % WORD) for i in range(count)]


def with_offsets(words, rank, offset):
    for number, i in enumerate(range(0, len(words), PIECE // 8), start=1):
        words[i] = (offset % (1 << 32) * number % (1 << 32)) | rank << 32
    return words


def timestamp(signature, rank, offset, count):
    return counting(signature, rank, count)


def offset(signature, rank, offset, count):
    return with_offsets(counting(signature, rank, count), rank, offset)


def incompressible(signature, rank, offset, count):
    seed = signature + rank if "seed-with-rank" in sys.argv else signature
    upper, lower = rand_r(seed, 2)
    return with_offsets([upper << 32 | lower] * count, rank, offset)


def random(signature, rank, offset, count):
    words = []
    word = rand_r(signature + rank + offset, 1)[0]
    for _ in range(count):
        word = word * 0x9E37FFFFFFFC0001 % WORD >> 3
        words.append(word)
    return words


def transfer_of(make, signature, rank, offset, size):
    words = make(signature, rank, offset, size // 8)
    return struct.pack(f"<{len(words)}Q", *words)


def write_rank(file, make, signature, rank, sizes, stride, first):
    """The rank's block in each segment."""
    transfer, block, segments = sizes
    for segment in range(segments):
        for at in range(0, block, transfer):
            place = segment * stride + first + at
            file.seek(place)
            file.write(transfer_of(make, signature, rank, place, transfer))


def main():
    make = {"t": timestamp, "o": offset, "i": incompressible, "r": random}[sys.argv[1]]
    signature, transfer, block, segments, ranks = map(int, sys.argv[2:7])
    path, sizes = sys.argv[7], (transfer, block, segments)
    if rand_r(42, 2) != [0x289A27A5, 0x37588045]:
        sys.exit(77)
    if "own" in sys.argv:
        for rank in range(ranks):
            with open(f"{path}.{rank:08d}", "wb") as file:
                write_rank(file, make, signature, rank, sizes, block, 0)
        return
    with open(path, "wb") as file:
        for rank in range(ranks):
            write_rank(file, make, signature, rank, sizes, block * ranks, block * rank)


main()
