# SPDX-License-Identifier: Apache-2.0
"""Who takes part in `bench net`: how each is started, and what is taken from what it says. Ours speaks the formats of the
others, so that one reader reads both. The others send the same message over and over, from memory that stays in the nearest
cache; so we do it here, which by default we do not."""
import os
import pathlib
import subprocess
import sys
import time

from pairs import Failure, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "samples"))
import net_readers  # noqa: E402

CONNECT_S = 20
RUN_S = 120
PAGE = 4096


def begin(words):
    return subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def end(child, words):
    try:
        text, _ = child.communicate(timeout=RUN_S)
    except BaseException:
        child.kill()
        child.communicate()
        raise
    if child.returncode:
        raise Failure(f"{' '.join(map(str, words))}: exit code {child.returncode}\n{text}")
    return text


def run_client(words):
    """A client whose server may not be listening yet."""
    deadline = time.monotonic() + CONNECT_S
    while True:
        try:
            return end(begin(words), words)
        except Failure:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


class Serving:
    """A server that serves once, for as long as its client runs."""

    def __init__(self, words):
        self.words = words

    def __enter__(self):
        self.child = begin(self.words)
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.child.kill()
            self.child.communicate()
        else:
            end(self.child, self.words)


# ---------------------------------------------------------------- verbs, in one guest

# Both sides have a processor of their own there (but in the machine that counts, which has one), the same for both tools:
# where the kernel moves them about, they differ from run to run by a factor of two, and processors are not alike. Who
# measures is the one that begins, and of `weir net` that is rank 0 when it writes, and rank 1 when it reads.

def processors(count, verb):
    """Of who measures, and of the other one."""
    measuring = 1 if verb == "read" else 0
    return measuring % count, (1 - measuring) % count


class WeirVerbs:
    name = "weir"

    def __init__(self, weir, device):
        self.weir = weir
        self.device = device
        self.processors = os.cpu_count()

    def measure(self, test, verb, size, iterations):
        binding = ["--bind-to", "core"] if self.processors > 1 else ["--bind-to", "none"]
        words = ["mpiexec", *binding, "-n", 2, self.weir, "net", "--provider", "verbs", "--device", self.device,
                 "--test", test, "--op", verb, "--size", size, "--iterations", iterations, "--format", "perftest"]
        if test == "bw":
            words += ["--working-set", max(size, PAGE)]
        return net_readers.perftest(run(words)).row(size)


class Perftest:
    name = "perftest"

    def __init__(self, device, address, gid):
        self.words = ["-d", device, "-x", gid, "-F"]
        self.address = address
        self.port = 18600
        self.processors = os.cpu_count()

    def measure(self, test, verb, size, iterations):
        self.port += 1
        depth = ["-t", 128] if test == "bw" else []
        words = [f"ib_{verb}_{test}", *self.words, "-s", size, "-n", iterations, *depth, "-p", self.port]
        client, server = processors(self.processors, verb)
        with Serving(["taskset", "-c", server, *words]):
            return net_readers.perftest(run_client(["taskset", "-c", client, *words, self.address])).row(size)


# ---------------------------------------------------------------- tcp, between two hosts

MESSAGE = 128 * 1024


def receivers(text):
    """Bytes per second of the last run of a text: the sum over its streams, each in its own time, as their receivers have
    it. Where streams begin and end together that is what they have together; it is the only sum that several processes
    have."""
    totals = net_readers.iperf(text)[-1].totals
    return sum(line.bytes_per_s for line in totals if line.side == "receiver" and line.id != "SUM")


class WeirTcp:
    name = "weir"

    def __init__(self, weir):
        self.weir = weir

    def measure(self, processes, streams, seconds):
        pattern = ["--pattern", "pairs"] if processes > 1 else []
        words = ["mpiexec", "--bind-to", "none", "-n", 2 * processes, "--host", f"n1:{processes},n2:{processes}", self.weir,
                 "net", "--provider", "tcp", "--size", MESSAGE, "--working-set", MESSAGE, "--duration", seconds,
                 "--pairs", streams, *pattern,
                 "--format", "iperf"]
        return {"bytes_per_s": receivers(run(words))}


class Iperf:
    """As many processes as pairs: one process of version 3.12 has one thread for all its streams."""
    name = "iperf3"

    def __init__(self, address):
        self.rsh = os.environ["TESTBED_RSH"]
        self.address = address
        self.port = 5300

    def client(self, port, streams, seconds):
        return [self.rsh, "n1", f"iperf3 -c {self.address} -p {port} -P {streams} -t {seconds} -l {MESSAGE}"]

    def listen(self, port):
        """Until its server does: the clients are to start together."""
        deadline = time.monotonic() + CONNECT_S
        while not run([self.rsh, "n2", f"ss -Hltn sport = :{port}"]):
            if time.monotonic() > deadline:
                raise Failure(f"iperf3 does not listen at port {port}")
            time.sleep(0.05)

    def measure(self, processes, streams, seconds):
        ports = range(self.port, self.port + processes)
        self.port += processes
        servers = [begin([self.rsh, "n2", f"iperf3 -s -1 -p {port}"]) for port in ports]
        try:
            for port in ports:
                self.listen(port)
            clients = [self.client(port, streams, seconds) for port in ports]
            running = [begin(words) for words in clients]
            texts = [end(child, words) for child, words in zip(running, clients)]
        finally:
            for server in servers:
                server.kill()
                server.communicate()
        return {"bytes_per_s": sum(map(receivers, texts))}
