# SPDX-License-Identifier: Apache-2.0
"""rdma_slab.py PROCESS find OFFSET TRANSFER | save PLACE BYTES FILE | restore PLACE FILE | flip PLACE

Looks into the memory that a server of objects serves from, and changes it, as a fault of that memory would. A place is
an offset in it; that of a transfer is found by the stamp it begins with (src/engine/payload.h)."""
import os
import struct
import sys

PIECE = 4096
ALL = (1 << 64) - 1


def slab_of(process):
    """The largest memory file that the process holds."""
    found = []
    for name in os.listdir(f"/proc/{process}/fd"):
        path = f"/proc/{process}/fd/{name}"
        try:
            if os.readlink(path).startswith("/memfd:"):
                found.append((os.stat(path).st_size, path))
        except OSError:
            continue
    return os.open(max(found)[1], os.O_RDWR)


def unmask(words, index):
    check = words[0]
    return words[index] ^ ((check << 11 * index | check >> (64 - 11 * index)) & ALL)


def find(slab, offset, transfer):
    size = os.fstat(slab).st_size
    for place in range(0, size, PIECE):
        words = struct.unpack("=6Q", os.pread(slab, 48, place))
        if words[0] and unmask(words, 1) == offset and unmask(words, 5) == transfer:
            return place
    sys.exit("there is no such transfer")


def main():
    slab = slab_of(sys.argv[1])
    command, words = sys.argv[2], sys.argv[3:]
    if command == "find":
        print(find(slab, int(words[0]), int(words[1])))
    elif command == "save":
        with open(words[2], "wb") as file:
            file.write(os.pread(slab, int(words[1]), int(words[0])))
    elif command == "restore":
        with open(words[1], "rb") as file:
            os.pwrite(slab, file.read(), int(words[0]))
    elif command == "flip":
        place = int(words[0])
        os.pwrite(slab, bytes([os.pread(slab, 1, place)[0] ^ 0x10]), place)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
