# SPDX-License-Identifier: Apache-2.0
"""weir serve: strangers, silence, garbage, clients that die, a server that stops or dies, secrets that are none."""
import os
import random
import signal
import socket
import struct
import subprocess
import time

from bed import ORDERLY, TOLD, Case, Failed, Skip, Task, members

SERVE = "$W serve --secret-file s --provider tcp --listen 127.0.0.1:0 --capacity 1m"


class Server:
    def __init__(self, bed, folder, *, capacity="64m", port=0):
        self.bed, self.folder = bed, folder
        self.secret = folder / "secret"
        if not self.secret.exists():
            descriptor = os.open(self.secret, os.O_CREAT | os.O_WRONLY, 0o600)
            os.write(descriptor, b"0123456789abcdefghijklmnopqrstuv")
            os.close(descriptor)
        self.log = open(folder / "server.log", "ab")
        self.process = bed.start([bed.weir, "serve", "--secret-file", self.secret, "--listen", f"127.0.0.1:{port}", "--provider", "tcp", "--capacity", capacity],
                                 folder, subprocess.PIPE, self.log)
        line = self.process.stdout.readline().decode(errors="replace")
        try:
            self.port = int(line.split(" at ")[1].split(": ")[0].rsplit(":", 1)[1])
        except (IndexError, ValueError) as error:
            self.end(signal.SIGKILL)
            raise Skip(f"no server here: {line.strip() or (folder / 'server.log').read_text()[-120:]}") from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGKILL)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def client(self, *words, ranks=1, seconds=30):
        return self.bed.run_weir(self.folder, "-a", "RDMA", "--rdma.provider", "tcp", "--rdma.hosts", f"127.0.0.1:{self.port}", "--rdma.secret-file", self.secret,
                                 "-o", "/o", *(words or ("-w", "-r", "-t", "64k", "-b", "1m")), ranks=ranks, seconds=seconds)

    def still_serves(self, after):
        if self.process.poll() is not None:
            raise Failed("WRONG", f"the server ended with {self.process.returncode} after {after}")
        rc, _, err = self.client()
        if rc != 0:
            raise Failed("WRONG", f"a client after {after}: exit code {rc}; {err.strip()[:160]}")

    def connect(self):
        link = socket.create_connection(("127.0.0.1", self.port), timeout=3)
        link.settimeout(3)
        return link

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        in_time, _ = self.bed.finish(self.process, 10)
        self.process.stdout.close()
        self.log.close()
        if not in_time:
            raise Failed("HANG", "the server does not end on SIGTERM")
        return self.process.returncode


def hello(dice):
    return b"weirdoor" + struct.pack("<II", 1, 1) + b"tcp".ljust(16, b"\0") + dice.randbytes(32) + bytes(16) + struct.pack("<II", 0, 0)


def send(server, data):
    try:
        with server.connect() as link:
            link.sendall(data)
    except OSError:
        pass  # to be cut off is an answer


def garbage(bed, folder):
    dice = random.Random(3)
    with Server(bed, folder) as server:
        server.still_serves("nothing")
        before = server.descriptors()
        for size in (0, 1, 10, 88, 1000, 100000, 5000000):
            send(server, dice.randbytes(size))
        for _ in range(50 if bed.quick else 500):
            data = bytearray(hello(dice))
            for _ in range(dice.randrange(1, 6)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            send(server, bytes(data) + dice.randbytes(dice.randrange(2000)))
        server.still_serves("garbage")
        wait_for(lambda: server.descriptors() <= before, "descriptors of strangers stay open")
        if server.end() != 0:
            raise Failed("WRONG", f"the server's exit code is {server.process.returncode}")


def silence(bed, folder):
    dice = random.Random(4)
    with Server(bed, folder) as server:
        server.still_serves("nothing")
        before = server.descriptors()
        links = []
        for number in range(60 if bed.quick else 300):
            link = server.connect()
            if number % 3 == 1:
                link.sendall(hello(dice)[:40])
            elif number % 3 == 2:
                link.sendall(hello(dice))
            links.append(link)
        server.still_serves("silent connections")
        for link in links:
            link.close()
        wait_for(lambda: server.descriptors() <= before, "descriptors of silent strangers stay open")
        if server.end() != 0:
            raise Failed("WRONG", f"the server's exit code is {server.process.returncode}")


def wait_for(condition, why):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.1)
    raise Failed("LEAK", why)


def start_clients(server, *words):
    return server.bed.start(["mpiexec", "-n", "2", server.bed.weir, "-a", "RDMA", "--rdma.provider", "tcp", "--rdma.hosts", f"127.0.0.1:{server.port}",
                             "--rdma.secret-file", server.secret, "--rdma.timeout", "3", "-o", "/k", "-F", "-w", "-r", "-t", "64k", "-b", "8m", "-i", "10000", *words],
                            server.folder)


def ranks_of(bed, job):
    name = bed.weir.name
    for _ in range(100):
        found = [pid for pid, comm in members(job.pid).items() if comm == name[:15]]
        if len(found) == 2:
            time.sleep(1)
            return found
        time.sleep(0.05)
    raise Skip("no ranks were started")


def killed_clients(bed, folder):
    with Server(bed, folder) as server:
        server.still_serves("nothing")
        before = server.descriptors()
        for _ in range(2 if bed.quick else 6):
            job = start_clients(server)
            for pid in ranks_of(bed, job)[:1]:
                os.kill(pid, signal.SIGKILL)
            in_time, _ = bed.finish(job, 20)
            if not in_time:
                raise Failed("HANG", "mpiexec, after a client was killed")
        server.still_serves("killed clients")
        wait_for(lambda: server.descriptors() <= before, "descriptors of dead clients stay open")


def with_clients(name, deed):
    """Clients are at work while something happens to the server: they end with a word."""
    def check(bed, folder):
        with Server(bed, folder) as server:
            job = start_clients(server)
            ranks_of(bed, job)
            deed(server)
            in_time, _ = bed.finish(job, 25)
            if server.process.poll() is None:
                server.process.send_signal(signal.SIGCONT)
            if not in_time:
                raise Failed("HANG", f"clients of a server that was {name}")
            if job.returncode not in (1, 3):
                raise Failed("WRONG", f"exit code of the clients: {job.returncode}")
    return check


def too_much(bed, folder):
    with Server(bed, folder, capacity="16m") as server:
        rc, _, err = server.client("-w", "-t", "1m", "-b", "200m")
        if rc not in TOLD or "weir: " not in err:
            raise Failed("WRONG", f"more than the server has: exit code {rc}; {err.strip()[:120]}")
        server.still_serves("a write of more than it has")


def restarted(bed, folder):
    with Server(bed, folder) as server:
        server.still_serves("nothing")
        server.end(signal.SIGKILL)
        with Server(bed, folder, port=server.port) as second:
            second.still_serves("a restart on its port")


def cases():
    yield Task("serve.garbage", garbage, quick=True)
    yield Task("serve.silence", silence)
    yield Task("serve.killed-clients", killed_clients)
    yield Task("serve.killed", with_clients("killed", lambda server: server.process.kill()))
    yield Task("serve.stopped", with_clients("stopped", lambda server: server.process.send_signal(signal.SIGSTOP)))
    yield Task("serve.terminated", with_clients("ended", lambda server: server.process.terminate()))
    yield Task("serve.too-much", too_much)
    yield Task("serve.restarted", restarted)
    secrets = {"readable": "head -c 32 /dev/urandom >s; chmod 644 s", "short": "printf abc >s; chmod 600 s", "empty": ": >s; chmod 600 s", "directory": "mkdir s",
               "missing": "true", "huge": "head -c 10000000 /dev/urandom >s; chmod 600 s"}
    for name, make in secrets.items():
        yield Case(f"serve.secret-{name}", f"timeout 5 {SERVE}", TOLD, setup=make, limit=10)
    for name, words in (("capacity-8t", "--capacity 8t"), ("capacity-0", "--capacity 0"), ("capacity-negative", "--capacity -1"), ("clients-0", "--clients 0"),
                        ("clients-huge", "--clients 9223372036854775807"), ("idle-nan", "--idle nan"), ("idle-negative", "--idle -1"),
                        ("port", "--listen 127.0.0.1:99999"), ("address", "--listen 203.0.113.9:1"), ("listen", "--listen :::"), ("advertise", "--advertise /tmp")):
        yield Case(f"serve.words-{name}", f"timeout -s TERM 3 {SERVE} {words}", TOLD | {124, 0} if name in ("capacity-8t", "clients-huge") else TOLD, limit=10,
                   setup="head -c 32 /dev/urandom >s; chmod 600 s")
    yield Case("serve.back-foreign", f"timeout 5 {SERVE} --back p", TOLD, setup="head -c 32 /dev/urandom >s; chmod 600 s; echo precious >p", limit=10)
    yield Case("serve.back-symlink", f"timeout 5 {SERVE} --back l", TOLD, setup="head -c 32 /dev/urandom >s; chmod 600 s; echo precious >p; ln -s p l", limit=10)
    yield Case("serve.back-full", f"timeout 5 {SERVE.replace('1m', '64m')} --back m/b", TOLD, mount="tmpfs:size=16m", limit=10,
               setup="head -c 32 /dev/urandom >s; chmod 600 s")
    yield Case("serve.few-descriptors", f"ulimit -n 12; watch=/; lead=2; solo {SERVE}; kill -TERM $mp; ends 5", ORDERLY,
               setup="head -c 32 /dev/urandom >s; chmod 600 s", word=False)
