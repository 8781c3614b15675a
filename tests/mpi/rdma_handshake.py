# SPDX-License-Identifier: Apache-2.0
"""rdma_handshake.py HOST:PORT SECONDS [connect COUNT | silent COUNT | honest COUNT SECRET-FILE]: connections to a server

Some come and go without a word, the others send what no client would: noise, the beginning of what a client says and
then nothing, lengths out of all measure. With `connect`, COUNT come and go, and that is all. With `silent`, COUNT stay
connected, send nothing, and connect again when they are closed. Prints how many came in. With `honest`, COUNT connect
at once and prove the secret: prints how many were let in within SECONDS, and after how many seconds the last one."""
import hashlib
import hmac
import os
import random
import selectors
import socket
import struct
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


def dial(address):
    """A connection that is being made."""
    sock = socket.socket()
    sock.setblocking(False)
    sock.connect_ex(address)
    return sock


def be_silent(address, count, end):
    came = count
    with selectors.DefaultSelector() as selector:
        for _ in range(count):
            selector.register(dial(address), selectors.EVENT_READ)
        print("ready", flush=True)
        while time.monotonic() < end:
            for key, _ in selector.select(0.1):
                selector.unregister(key.fileobj)
                key.fileobj.close()
                selector.register(dial(address), selectors.EVENT_READ)
                came += 1
    return came


class Honest:
    """What src/network/fabric/handshake.h says of HELLO, CHALLENGE, PROOF and ANSWER, for the provider tcp."""

    CHALLENGE = 8 + 4 + 4 + 16 + 32
    ANSWER = 4 + 4 + 32

    def __init__(self, address, secret):
        self.sock = dial(address)
        self.secret = secret
        self.hello = struct.pack("<8sII16s32s", b"weirdoor", 3, 0, b"tcp", os.urandom(32))
        self.heard = b""
        self.said = 0
        self.is_in = False

    def take(self):
        """Goes on as far as it can; true: there is no more to be done."""
        try:
            if self.said == 0:
                self.sock.sendall(self.hello)
                self.said = 1
            piece = self.sock.recv(4096)
            if not piece:
                return True
            self.heard += piece
        except BlockingIOError:
            return False
        except OSError:
            return True
        if self.said == 1 and len(self.heard) >= self.CHALLENGE:
            challenge = self.heard[: self.CHALLENGE]
            proof = hmac.new(self.secret, b"client\0" + self.hello + challenge, hashlib.sha256).digest()
            self.sock.sendall(bytes(8) + proof)
            self.said = 2
        self.is_in = len(self.heard) >= self.CHALLENGE + self.ANSWER and self.heard[self.CHALLENGE :][:4] == bytes(4)
        return self.is_in


def be_honest(address, count, path, seconds):
    with open(path, "rb") as file:
        secret = hashlib.sha256(file.read().rstrip()).digest()
    start = time.monotonic()
    came, last = 0, 0.0
    with selectors.DefaultSelector() as selector:
        for _ in range(count):
            one = Honest(address, secret)
            selector.register(one.sock, selectors.EVENT_WRITE, one)
        while selector.get_map() and time.monotonic() - start < seconds:
            for key, _ in selector.select(0.1):
                if key.data.take():
                    selector.unregister(key.fileobj)
                    came += key.data.is_in
                    last = time.monotonic() - start
                else:
                    selector.modify(key.fileobj, selectors.EVENT_READ, key.data)
    return f"{came} {last:.2f}"


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
    if sys.argv[3:4] == ["silent"]:
        print(be_silent(address, int(sys.argv[4]), end))
        return
    if sys.argv[3:4] == ["honest"]:
        print(be_honest(address, int(sys.argv[4]), sys.argv[5], float(sys.argv[2])))
        return
    rng = random.Random(int(os.environ.get("WEIR_FUZZ_SEED", "1")))
    hello = bytes.fromhex(os.environ.get("WEIR_FUZZ_HELLO", ""))
    waiting = []
    while time.monotonic() < end:
        count += visit(address, rng, hello, waiting)
    print(count)


if __name__ == "__main__":
    main()
