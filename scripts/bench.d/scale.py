# SPDX-License-Identifier: Apache-2.0
"""What ranks tell each other in a phase: counted in runs of a few ranks, compared with a model, and told for many. What
clients cost an object server; and what depth costs where a transfer is a copy."""
import argparse
import json
import os
import pathlib
import subprocess
import statistics
import sys
import tempfile

from pairs import main_guard, ratio, run, take_turns

CALLS = ("barrier", "allreduce", "broadcast", "gather", "send", "receive")
# Of a phase, whatever the number of ranks: what the model is made of, and what runs are compared with.
COLLECTIVES = {"barrier": 3, "allreduce": 3, "broadcast": 2, "gather": 1}
BROADCAST_BYTES = 16
PHASES = 40  # more in the longer run than in the shorter one
TRIPS = 16  # of the synchronisation of two clocks
TRIP_BYTES = 17  # there and back
TIME_BYTES = 24
MESSAGE_BYTES = 120 + 88  # a request and an answer without path and payload
STOLEN_BYTES = 16
DEPTHS = (128, 4096)  # the best one over shared memory, and the deepest there is


def count(weir, shim, ranks, repetitions):
    """Calls and bytes of rank 0 in a run of that many write phases."""
    command = ["mpiexec", "-n", str(ranks), weir, "-a", "null", "-w", "-t", "4k", "-b", "4k", "-i",
               str(repetitions)]
    done = subprocess.run(command, env=os.environ | {"LD_PRELOAD": shim}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=True)
    line = next(line for line in done.stderr.splitlines() if line.startswith("mpi calls: "))
    return json.loads(line.removeprefix("mpi calls: "))


def count_phase(weir, shim, ranks):
    few, many = (count(weir, shim, ranks, repetitions) for repetitions in (1, 1 + PHASES))
    return {call: [(many[call][i] - few[call][i]) / PHASES for i in (0, 1)] for call in CALLS}


def depth_of(count_of_members):
    return (count_of_members - 1).bit_length()


def model(phase, ranks, ranks_per_node):
    """Of a phase whose reductions and rows are as long as those of `phase`. Collectives are trees: a rank sends one
    message in each step, and the row of each rank comes to rank 0."""
    per_node = min(ranks, ranks_per_node)
    nodes = -(-ranks // per_node)
    depth = depth_of(ranks)
    trees = sum(COLLECTIVES.values())
    clocks = 2 * TRIPS * 2 * depth_of(nodes)  # before and after the phase; rank 0 is asked in each round
    shares = (per_node - 1) * (3 if nodes > 1 else 1)  # stolen time; with several nodes the time, twice
    reduced = (phase["allreduce"][1] + BROADCAST_BYTES) * depth
    share_bytes = (per_node - 1) * (STOLEN_BYTES + (2 * TIME_BYTES if nodes > 1 else 0))
    return {"depth": trees * depth + (clocks if nodes > 1 else 0),
            "messages": trees * depth + clocks + shares,
            "bytes": reduced + share_bytes + clocks / 2 * TRIP_BYTES,
            "rows": phase["gather"][1] * ranks}


def check(counted):
    """Runs of a few ranks on one node make the calls that the model says, however many ranks they have."""
    row_bytes = counted[min(counted)]["gather"][1]
    for ranks, phase in counted.items():
        for call, expected in COLLECTIVES.items():
            if phase[call][0] != expected:
                sys.exit(f"scale: {phase[call][0]:g} calls of {call} with {ranks} ranks, and the model says {expected}")
        if phase["broadcast"][1] != BROADCAST_BYTES:
            sys.exit(f"scale: broadcasts of {phase['broadcast'][1]:g} bytes, and the model says {BROADCAST_BYTES}")
        if phase["gather"][1] != row_bytes:
            sys.exit(f"scale: rows of {phase['gather'][1]:g} bytes with {ranks} ranks, {row_bytes:g} with fewer")
        if phase["send"] != [ranks - 1, (ranks - 1) * STOLEN_BYTES]:
            sys.exit(f"scale: rank 0 of {ranks} sends {phase['send'][0]:g} messages of {phase['send'][1]:g} bytes, and "
                     f"the model says {ranks - 1} of {(ranks - 1) * STOLEN_BYTES}")


def program_memory(weir, program, ranks):
    """Peak memory of rank 0, in KiB, and the bytes of its result, of a program with the parameters iter and base."""
    with tempfile.TemporaryDirectory(prefix="weir-bench.") as folder:
        result = pathlib.Path(folder) / "r.jsonl"
        watch = f"{sys.executable} -c 'import os,resource,subprocess,sys; code=subprocess.call(sys.argv[1:]); " \
                "print(\"peak\", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)'"
        line = f'if [ "${{OMPI_COMM_WORLD_RANK:-${{PMI_RANK:-0}}}}" = 0 ]; then exec {watch} "$@"; fi; exec "$@"'
        done = subprocess.run(["mpiexec", "-n", str(ranks), "bash", "-c", line, "x", weir, "parabench", program,
                               "iter=25000", f"base={folder}/p", "--backend", "null", "--result", result],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600, check=True)
        peak = next(int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("peak "))
        return {"peak_kib": peak, "result_bytes": result.stat().st_size}


def measure_program(weir, program, ranks):
    """What a program's ranks cost the first one; it fails if that grows with their events."""
    rows = {count: program_memory(weir, program, count) for count in ranks}
    print(f"\n{program}, 100,000 events of a rank\n\n| ranks | memory of rank 0 | result file |\n|---|---|---|")
    for count, row in rows.items():
        print(f"| {count} | {size(1024 * row['peak_kib'])} | {size(row['result_bytes'])} |")
    first, last = rows[min(ranks)], rows[max(ranks)]
    if last["peak_kib"] > 2 * first["peak_kib"] or last["result_bytes"] > 2 * first["result_bytes"]:
        sys.exit(f"scale: rank 0 or the result of {max(ranks)} ranks is more than twice as large as that of {min(ranks)}")
    return rows


def size(count_of_bytes):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count_of_bytes < 1024 or unit == "GiB":
            return f"{count_of_bytes:.4g} {unit}"
        count_of_bytes /= 1024
    return ""


def run_links(program, provider, ranks, clients):
    """So many clients in so many processes, in one job with the server."""
    command = ["mpiexec", "-n", str(ranks + 1), program, provider, str(clients // ranks)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=600, check=True).stdout)


def check_links(row, first, provider):
    """Messages of a client do not depend on how many there are."""
    where = f"{row['clients']} clients in {row['ranks']} processes over {provider}"
    if row["linked"] != row["clients"]:
        sys.exit(f"scale: of {where}, {row['linked']} are linked")
    if row["come_messages"] != row["clients"] + 1:  # the first one of a node sends one more, of full size
        sys.exit(f"scale: {where} come with {row['come_messages']} messages")
    most = first["work_messages"] * row["clients"] / first["clients"]
    # Of clients that work at the same time, some find the object as long as they make it, and do not say so.
    if row["work_messages"] > most or (row["ranks"] == 1 and row["work_messages"] < most):
        sys.exit(f"scale: {where} work with {row['work_messages']} messages, and the model says {most:g}")
    if row["move_messages"] != 0:
        sys.exit(f"scale: {where} sent {row['move_messages']} messages for one-sided transfers")


def measure_links(program, clients, ranks):
    """What clients cost a server, by provider: in one process, and the most of them in several, too."""
    measured = {}
    for provider in ("tcp", "shm"):
        rows = [run_links(program, provider, 1, count) for count in clients]
        rows += [run_links(program, provider, ranks, clients[-1])]
        for row in rows:
            check_links(row, rows[0], provider)
        measured[provider] = rows
    return measured


def print_links(measured):
    print("\nclients of one object server, in one job with it; seconds of all, and memory of a link at either end\n")
    print("| provider | processes | clients | messages to come, of each | to open, write and sync | come | work | "
          "move, verified | leave | server | client |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for provider, rows in measured.items():
        for row in rows:
            count = row["clients"]
            print(f"| {provider} | {row['ranks']} | {count} | {row['come_messages'] / count:g} | "
                  f"{row['work_messages'] / count:.3g} | {row['come_s']:.3g} s | {row['work_s']:.3g} s | "
                  f"{size(row['moved_bytes'])}, {row['move_s']:.3g} s | {row['leave_s']:.3g} s | "
                  f"{size(row['resident_bytes'] / count)} | {size(row['client_bytes'] / count)} |")
    print("\nmodel: messages and answers at one server, and its memory for them\n")
    print("| clients | messages to come | to work | bytes of these, 208 of a message and its answer | tcp | shm |")
    print("|---|---|---|---|---|---|")
    largest = {provider: [row for row in rows if row["ranks"] == 1][-1] for provider, rows in measured.items()}
    for clients in (10 ** 3, 10 ** 4, 10 ** 5):
        row = largest["tcp"]
        come, work = (row[kind] * clients // row["clients"] for kind in ("come_messages", "work_messages"))
        memory = " | ".join(size(largest[provider]["resident_bytes"] / largest[provider]["clients"] * clients)
                            for provider in ("tcp", "shm"))
        print(f"| {clients} | {come} | {work} | {size((come + work) * MESSAGE_BYTES)} | {memory} |")


def path_ns(weir, depth, folder):
    """Processor time of a write of 4 KiB over shared memory to a server in the job: other work has no part in it."""
    path = pathlib.Path(folder) / "result.jsonl"
    path.unlink(missing_ok=True)
    run(["mpiexec", "-n", "2", weir, "-a", "RDMA", "--rdma.provider", "shm", "--rdma.targets", "1",
         "--rdma.capacity", "128m", "-w", "-t", "4k", "-b", "64m", "--depth", depth, "-o", "/object", "--result", path])
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    phase = next(record for record in records if record.get("record") == "phase" and record["verb"] == "write")
    return (phase["cpu"]["user_s"] + phase["cpu"]["system_s"]) * 1e9 / phase["ops"]


def measure_depths(weir, copies, rounds):
    """Times in turn, by what moves the data and the depth."""
    with tempfile.TemporaryDirectory(prefix="weir-bench.") as folder:
        contestants = {("path", depth): lambda depth=depth: path_ns(weir, depth, folder) for depth in DEPTHS}
        contestants |= {("copy", depth): lambda depth=depth: float(run([copies, depth])) for depth in DEPTHS}
        return take_turns(contestants, rounds)


def print_depths(samples):
    """How much longer a transfer takes at the depth, and how much a bare copy does, which has the same buffers."""
    shallow, deep = DEPTHS
    print("\n4 KiB over shared memory, and memcpy from as many buffers; processor time, ns\n")
    print(f"| | depth {shallow} | depth {deep} | longer | ratio of rates |\n|---|---|---|---|---|")
    for what in ("path", "copy"):
        first, last = (samples[what, depth] for depth in DEPTHS)
        longer = statistics.median(last) - statistics.median(first)
        print(f"| {what} | {statistics.median(first):.0f} | {statistics.median(last):.0f} | {longer:.0f} | "
              f"{ratio(first, last):.2f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--clients", default="10,100,1100")
    parser.add_argument("--client-ranks", type=int, default=11)
    parser.add_argument("--ranks", default="2,4,8,16")
    parser.add_argument("--ranks-per-node", type=int, default=64)
    parser.add_argument("--program", metavar="FILE", help="only: memory and result of a program with the parameters iter and base")
    arguments = parser.parse_args()
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # More ranks than cores: for Open MPI 4, and 5.
    os.environ.update(OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
    if arguments.program:
        rows = measure_program(arguments.weir, arguments.program, sorted(map(int, arguments.ranks.split(","))))
        arguments.json.write_text(json.dumps({"program": rows}, indent=2) + "\n", encoding="utf-8")
        return
    counted = {ranks: count_phase(arguments.weir, arguments.shim, ranks)
               for ranks in map(int, arguments.ranks.split(","))}
    print("counted, rank 0, one write phase: calls and bytes\n")
    print("| ranks | " + " | ".join(CALLS) + " |\n|" + "---|" * (len(CALLS) + 1))
    for ranks, phase in counted.items():
        print(f"| {ranks} | " + " | ".join(f"{calls:g}, {size(length)}" for calls, length in
                                           (phase[call] for call in CALLS)) + " |")
    check(counted)
    largest = counted[max(counted)]
    rows = {ranks: model(largest, ranks, arguments.ranks_per_node) for ranks in (10 ** n for n in range(1, 7))}
    print(f"\nmodel, {arguments.ranks_per_node} ranks per node\n")
    print("| ranks | steps one after the other | messages of rank 0 | bytes of rank 0 without rows | rows at rank 0 |")
    print("|---|---|---|---|---|")
    for ranks, row in rows.items():
        print(f"| {ranks} | {row['depth']:g} | {row['messages']:g} | {size(row['bytes'])} | {size(row['rows'])} |")
    links = measure_links(arguments.programs / "bench_links", list(map(int, arguments.clients.split(","))),
                          arguments.client_ranks)
    print_links(links)
    depths = measure_depths(arguments.weir, arguments.programs / "bench_copies", arguments.rounds)
    print_depths(depths)
    arguments.json.write_text(json.dumps({"counted": counted, "model": rows, "links": links, "depths": {
        f"{what} {depth}": rates for (what, depth), rates in depths.items()}}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main_guard("scale", main)
