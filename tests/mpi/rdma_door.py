# SPDX-License-Identifier: Apache-2.0
"""rdma_door.py HOST:PORT SECONDS [connect COUNT]: strangers at the door of a server

Some come and go without a word, the others send what no client would: noise, the beginning of what a client says and
then nothing, lengths out of all measure. With `connect`, COUNT come and go, and that is all. Prints how many came in."""
import os
import random
import socket
import sys
import time

MAX_OPEN = 32


def connect(address):
    try:
        return socket.create_connection(address, timeout=2)
    except OSError:
        return None


def noise(rng, heard):
    """Bytes of some kind: `heard` is what the server has said, given back with changes."""
    kind = rng.randrange(5)
    size = rng.choice((1, 7, 16, 64, 100, 256, 1024, 1500, 4096, 65536))
    if kind == 0:
        return os.urandom(size)
    if kind == 1:
        return bytes(size)
    if kind == 2:
        return b"\xff" * size
    if kind == 3 and heard:
        said = bytearray(heard * (1 + size // len(heard)))[:size]
        for _ in range(rng.randrange(4)):
            said[rng.randrange(len(said))] ^= 1 << rng.randrange(8)
        return bytes(said)
    return b"GET / HTTP/1.1\r\nHost: weir\r\n\r\n" * (1 + size // 40)


def visit(address, rng, hello, waiting):
    """One stranger: sends, listens a little, and leaves at once or later."""
    stranger = connect(address)
    if stranger is None:
        return 0
    heard = b""
    try:
        stranger.settimeout(0.02)
        for _ in range(rng.randrange(1, 4)):
            begins_right = hello and rng.randrange(2)
            stranger.sendall((hello[: rng.randrange(len(hello) + 1)] if begins_right else b"") + noise(rng, heard))
            try:
                heard = stranger.recv(4096)
            except socket.timeout:
                pass
    except OSError:
        pass
    if rng.randrange(4) == 0 and len(waiting) < MAX_OPEN:
        waiting.append(stranger)
    else:
        if rng.randrange(2):
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        stranger.close()
    while waiting and rng.randrange(3) == 0:
        waiting.pop(0).close()
    return 1


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    address = (host.strip("[]"), int(port))
    end = time.monotonic() + float(sys.argv[2])
    count = 0
    if sys.argv[3:4] == ["connect"]:
        for _ in range(int(sys.argv[4])):
            stranger = connect(address)
            count += stranger is not None
            if stranger is not None:
                stranger.close()
        print(count)
        return
    rng = random.Random(int(os.environ.get("WEIR_FUZZ_SEED", "1")))
    hello = bytes.fromhex(os.environ.get("WEIR_FUZZ_HELLO", ""))
    waiting = []
    while time.monotonic() < end:
        count += visit(address, rng, hello, waiting)
    print(count)


if __name__ == "__main__":
    main()
