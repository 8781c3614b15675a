# SPDX-License-Identifier: Apache-2.0
"""Outputs of iperf3 and perftest, and the same readers for ours: `read FOLDER` proves the readers by what those programs
have printed; `tell TELL_NET` has runs made by hand told as JSON and in their formats, and compares what is read; `run WEIR`
does so with runs that are made now."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import net_readers

BW_FACTS = {"Dual-port": "OFF", "Number of qps": "1", "Connection type": "RC", "Using SRQ": "OFF",
            "rdma_cm QPs": "OFF", "Link type": "Ethernet"}


class Difference(Exception):
    """What was read is not what was expected."""


def need(is_so, what):
    if not is_so:
        raise Difference(what)


def near(value, expected, part, what):
    need(abs(value - expected) <= part * abs(expected), f"{what}: {value} is not {expected}")


# ---------------------------------------------------------------- theirs


def check_iperf(text, streams, seconds, is_both=False):
    runs = net_readers.iperf(text)
    need(len(runs) == 1, "one run")
    run = runs[0]
    need(len(run.connected) == streams, "streams that were connected")
    sums = 1 if streams > 1 and not is_both else 0
    need(len(run.intervals) == seconds * (streams + sums), f"{len(run.intervals)} lines of intervals")
    need(len(run.totals) == 2 * (streams + sums), f"{len(run.totals)} lines of totals")
    for stream in run.intervals + run.totals:
        near(stream.bytes_per_s * (stream.end_s - stream.begin_s), stream.bytes, 0.03, "rate and transfer")
    whole = sum(stream.bytes for stream in run.totals if stream.side == "receiver" and stream.id != "SUM")
    if not is_both:
        near(run.total("receiver").bytes, whole, 0.01, "sum of streams")
        need(run.total("sender").retransmits is not None, "segments sent again")
    need({stream.role for stream in run.totals} == ({"TX-C", "RX-C"} if is_both else {""}), "roles")


def check_bandwidth(text, title, sizes, count, is_brief=False):
    test = net_readers.perftest(text)
    need(test.title == title, f"title {test.title}")
    need(BW_FACTS.items() <= test.facts.items() and "TX depth" in test.facts, f"facts {test.facts}")
    need([row["bytes"] for row in test.rows] == sizes, "sizes")
    for row in test.rows:
        need(row["count"] == count or count is None, "iterations")
        # Within the last digits of both.
        difference = abs(row["messages_per_s"] * row["bytes"] - row["bytes_per_s"])
        need(difference <= 0.51 * row["bytes"] + 5.1e6 / 8, f"rates of {row}")
        need(is_brief or row["peak_bytes_per_s"] >= row["bytes_per_s"], "peak")


def check_latency(text, title, count):
    test = net_readers.perftest(text)
    need(test.title == title and test.facts["TX depth"] == "1", "title and depth")
    row = test.row(8)
    need(row["count"] == count, "iterations")
    need(0 < row["min_s"] <= row["median_s"] <= row["p99_s"] <= row["p999_s"] <= row["max_s"], f"order of {row}")
    need(row["min_s"] < row["mean_s"] < row["max_s"], "mean")


def check_transactions(text):
    row = net_readers.perftest(text).row(8)
    near(row["mean_s"] * row["messages_per_s"], 0.5, 0.01, "messages per round trip")


SAMPLES = {
    "iperf3-one": lambda text: check_iperf(text, 1, 2),
    "iperf3-four": lambda text: check_iperf(text, 4, 2),
    "iperf3-bidir": lambda text: check_iperf(text, 2, 1, True),
    "perftest-write-bw": lambda text: check_bandwidth(text, "RDMA_Write BW Test", [65536], 300),
    "perftest-write-bw-gbits": lambda text: check_bandwidth(text, "RDMA_Write BW Test", [65536], 300),
    "perftest-write-bw-duration": lambda text: check_bandwidth(text, "RDMA_Write BW Test", [4096], None, True),
    "perftest-write-bw-sweep": lambda text: check_bandwidth(text, "RDMA_Write BW Test", [2**i for i in range(1, 24)], 20),
    "perftest-read-bw": lambda text: check_bandwidth(text, "RDMA_Read BW Test", [65536], 300),
    "perftest-send-bw-both": lambda text: check_bandwidth(text, "Send Bidirectional BW Test", [4096], 300),
    "perftest-write-lat": lambda text: check_latency(text, "RDMA_Write Latency Test", 500),
    "perftest-read-lat": lambda text: check_latency(text, "RDMA_Read Latency Test", 500),
    "perftest-write-lat-duration": check_transactions,
}


def check_samples(folder):
    need(sorted(name[:-4] for name in os.listdir(folder)) == sorted(SAMPLES), "samples and their checks")
    for name, check in SAMPLES.items():
        with open(os.path.join(folder, name + ".txt"), encoding="utf-8") as file:
            yield name, lambda text=file.read(), check=check: check(text)


# ---------------------------------------------------------------- ours


def said(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True, errors="replace", timeout=60).stdout


def good_flows(measurement):
    return [flow for flow in measurement["flows"] if not flow["failure"]]


def compare_run(run, measurement):
    """A run as iperf has it with one of our measurements."""
    flows = good_flows(measurement)
    need(len(run.connected) == len(measurement["flows"]), "streams that were connected")
    need(len(run.errors) == len(measurement["flows"]) - len(flows), "errors")
    single = [line for line in run.totals if line.id != "SUM"]
    need([line.side for line in single] == ["sender", "receiver"] * len(flows), "sides")
    for i, flow in enumerate(flows):
        for line in single[2 * i:2 * i + 2]:
            near(line.bytes, flow["bytes"], 0.006, "bytes")
            near(line.bytes_per_s, flow["bytes"] / flow["seconds"], 0.006, "rate")
        need(single[2 * i].retransmits == flow["retransmits"], "segments sent again")
    if len(flows) > 1 and not run.totals[0].role:
        near(run.total("receiver").bytes_per_s, measurement["bytes_per_s"], 0.006, "sum")


def without_tails(intervals):
    """All but what is left behind the last whole interval of a measurement: iperf has no line for less than half of one."""
    def length(interval):
        return interval["end_s"] - interval["begin_s"]

    whole = max(map(length, intervals), default=0)
    seen, rows = collections.Counter(), collections.defaultdict(list)
    for interval in intervals:
        flow = interval["measurement"], interval["flow"]
        rows[interval["measurement"], seen[flow]].append(interval)
        seen[flow] += 1
    return [interval for (_, number), row in rows.items() for interval in row
            if number == 0 or max(map(length, row)) >= whole / 2]


def compare_intervals(runs, document):
    ours = sorted((i["measurement"], i["begin_s"], i["flow"], i["bytes"]) for i in without_tails(document["intervals"]))
    read = sorted((place, line.begin_s, (int(line.id) - 5) // 2, line.bytes) for place, run in enumerate(runs)
                  for line in run.intervals if line.id != "SUM")
    need(len(ours) == len(read), f"{len(read)} intervals of {len(ours)}")
    for one, other in zip(read, ours):
        need(one[0] == other[0] and one[2] == other[2], "intervals of the same flow")
        near(one[1], other[1], 0.01, "begin")
        near(one[3], other[3], 0.006, "bytes of an interval")


def compare_iperf(text, document):
    runs = net_readers.iperf(text)
    need(len(runs) == len(document["measurements"]), "runs")
    for run, measurement in zip(runs, document["measurements"]):
        compare_run(run, measurement)
    compare_intervals(runs, document)


def compare_perftest(text, document):
    digit = 1e7 / 8 if "[Gb/sec]" in text else 2**20 / 100  # the last one of a rate
    test = net_readers.perftest(text)
    need(len(test.rows) == len(document["summary"]), "lines")
    need(test.facts["TX depth"] == str(document["plan"]["depth"]), "depth")
    need(test.facts["Number of qps"] == str(document["plan"]["pairs"]), "pairs")
    for row, line in zip(test.rows, document["summary"]):
        need((row["bytes"], row["count"]) == (line["message_bytes"], line["messages"]), "size and count")
        if document["plan"]["measure"] == "latency":
            for key in net_readers.LATENCIES:
                need(abs(row[key] - line["latency"][key]) <= 0.0051e-6, f"{key}: {row[key]}, {line['latency'][key]}")
            continue
        for key in ("bytes_per_s", "peak_bytes_per_s"):
            need(abs(row[key] - line[key]) <= 0.51 * digit, f"{key}: {row[key]}, {line[key]}")
        need(abs(row["messages_per_s"] - line["messages_per_s"]) <= 0.51, "messages")


def check_told(program):
    for scene in ("pair", "pairs", "all", "both", "failed", "latency"):
        document = json.loads(said(program, scene, "json"))
        if scene != "latency":
            yield f"{scene} iperf", lambda s=scene, d=document: compare_iperf(said(program, s, "iperf"), d)
        yield f"{scene} perftest", lambda s=scene, d=document: compare_perftest(said(program, s, "perftest"), d)
        if scene == "pair":
            yield f"{scene} gbits", lambda s=scene, d=document: compare_perftest(said(program, s, "perftest", "gbits"), d)


# ---------------------------------------------------------------- runs


def environment():
    return dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", PRTE_MCA_hwloc_default_binding_policy="none",
                OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_pml="ob1", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run_weir(weir, words):
    """What a run says, and its result."""
    with tempfile.TemporaryDirectory(prefix="weir-net.") as folder:
        path = os.path.join(folder, "net.jsonl")
        done = subprocess.run(["mpiexec", "-n", "2", weir, "net", *words, "--result", path], env=environment(), check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        need(done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()}")
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
    document = {key: value for record in records if record["record"] != "measurement" for key, value in record.items()}
    document["measurements"] = [record for record in records if record["record"] == "measurement"]
    return done.stdout, document


RUNS = {
    "iperf": (compare_iperf, ["--provider", "shm", "--duration", "0.4", "--interval", "0.1", "--format", "iperf"]),
    "iperf tcp": (compare_iperf, ["--provider", "tcp", "--interface", "127.0.0.1", "--duration", "0.4", "--format", "iperf",
                                  "--both"]),
    "perftest bw": (compare_perftest, ["--provider", "shm", "--iterations", "500", "--sizes", "4k,64k", "--format",
                                       "perftest"]),
    "perftest lat": (compare_perftest, ["--provider", "shm", "--iterations", "2000", "--test", "lat", "--format", "perftest"]),
}


def check_runs(weir):
    for name, (compare, words) in RUNS.items():
        yield name, lambda compare=compare, words=words: compare(*run_weir(weir, words))


def main():
    deed, where = sys.argv[1:3]
    failures = 0
    for name, check in {"read": check_samples, "tell": check_told, "run": check_runs}[deed](where):
        try:
            check()
            print(f"{name}: good")
        except (Difference, ValueError, KeyError, IndexError, OSError, subprocess.SubprocessError) as error:
            failures += 1
            print(f"{name}: FAILED: {type(error).__name__}: {error}")
    sys.exit(failures > 0)


main()
