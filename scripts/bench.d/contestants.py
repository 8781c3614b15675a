# SPDX-License-Identifier: Apache-2.0
"""Who takes part in `bench engines`: how each is started, and what is taken from what it says."""
import json

from pairs import Failure, KIB, MIB, run, run_used

TRANSFER = 4 * KIB

# Of fio, "fio" has the engine's defaults, and "fio tuned" all that makes it faster without keeping less of the latencies.
#  --random_generator=lfsr  each block once, as we do it, and without the map that costs time; its own page calls it cheaper
#  --lat_percentiles=1      percentiles of the time from issue to completion, which is what we keep; and
#  --clat_percentiles=0     not those from submission on as well
#  --invalidate=0           what is in the page cache stays there, as with the others
#  --disk_util=0            no timer that looks at the disk
FIO_WORDS = ["--name=x", "--bs=4k", "--direct={direct}", "--iodepth={depth}", "--random_generator=lfsr",
             "--lat_percentiles=1", "--clat_percentiles=0", "--percentile_list=50:99:99.9", "--invalidate=0",
             "--disk_util=0", "--fallocate=none", "--output-format=json"]
#  --scramble_buffers=0     nothing is written into the buffers; by default some of it is new in each write, as our stamps are
#  --iodepth_batch_*        what is done is taken at once and goes out again at once, as we do it; one by one by default
FIO_TUNED = ["--scramble_buffers=0", "--iodepth_batch_submit={depth}", "--iodepth_batch_complete_min=1",
             "--iodepth_batch_complete_max={depth}"]
FIO_URING_TUNED = ["--registerfiles", "--fixedbufs"]


class Arena:
    """Where all of them do the same: one file or device of `span` bytes, written before."""

    def __init__(self, place, path, span, is_direct, is_device, folder):
        self.place = place
        self.path = str(path)
        self.span = span
        self.is_direct = is_direct
        self.is_device = is_device
        self.folder = folder


class Weir:
    def __init__(self, program, arena):
        self.program = program
        self.arena = arena

    def words(self, *options):
        arena = self.arena
        words = [self.program, "ior", "-o", arena.path, "-b", arena.span, "-k", *options]
        return words + (["--device", "allow"] if arena.is_device else []) + (["--direct"] if arena.is_direct else [])

    def phase(self, words):
        """The record of the last phase that moved data."""
        path = self.arena.folder / "result.jsonl"
        path.unlink(missing_ok=True)
        run([*words, "--result", path])
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [r for r in records if r.get("record") == "phase" and r["verb"] != "remove"][-1]

    def fill(self):
        """Writes all of the file, in order."""
        arena = self.arena
        api = [] if arena.is_device else ["-E"]
        run([self.program, "ior", "-a", "posix", "-w", "-t", MIB, "-b", arena.span, "-k", "-e", *api, "--overwrite",
             *(["--device", "force"] if arena.is_device else []), "-o", arena.path])

    def measure(self, engine, verb, depth, seconds, *options):
        way = ["-r"] if verb == "read" else ["-w", "-E", "--overwrite"]
        phase = self.phase(self.words("-a", engine, *way, "-z", "-t", TRANSFER, "--depth", depth, "--batch", 1,
                                      "-D", seconds, "-O", f"minTimeDuration={seconds}", *options))
        if phase["outcome"] != "complete" or phase["ops"] == 0:
            raise Failure(f"weir: {engine} {verb} at depth {depth}: {phase['outcome']}: {phase['failure']}")
        lasted_s = phase["windows"]["transfer_s"]
        cpu = phase.get("cpu") or {}
        used_s = cpu["user_s"] + cpu["system_s"] if cpu else None
        return sample(phase["ops"] / lasted_s, used_s and used_s / phase["ops"], phase["latency"])


def sample(iops, cpu_s_per_op, histogram=None, latency=None):
    figures = {"iops": iops, "cpu_ns": cpu_s_per_op and cpu_s_per_op * 1e9}
    if histogram:
        latency = {"mean_ns": histogram["sum_ns"] / histogram["total"], "p50_ns": percentile(histogram, 0.5),
                   "p99_ns": percentile(histogram, 0.99), "p999_ns": percentile(histogram, 0.999)}
    return figures | (latency or {})


def percentile(histogram, fraction):
    """The middle of the bucket in which the value lies (docs/result-file.md)."""
    wanted = fraction * histogram["total"]
    seen = 0
    for low, count in histogram["buckets"]:
        seen += count
        if seen >= wanted:
            return low + (1 << max(0, low.bit_length() - 7)) / 2
    return histogram["max_ns"]


class Fio:
    def __init__(self, arena, is_tuned):
        self.arena = arena
        self.is_tuned = is_tuned
        self.start_s = {}

    def words(self, engine, verb, depth, *options):
        engine = {"uring": "io_uring"}.get(engine, engine)
        words = FIO_WORDS + (FIO_TUNED if self.is_tuned else [])
        own = FIO_URING_TUNED if self.is_tuned and engine == "io_uring" else []  # which must stand behind the engine
        facts = {"direct": int(self.arena.is_direct), "depth": depth}
        return ["fio", *(w.format(**facts) for w in words), f"--ioengine={engine}", *own, f"--rw=rand{verb}",
                f"--filename={self.arena.path}", f"--size={self.arena.span}", *options]

    def job(self, words):
        text, used_s = run_used(words, cwd=self.arena.folder)
        return json.loads(text[text.index("{"):])["jobs"][0], used_s

    def starting_s(self, engine, verb, depth):
        """Processor time of starting and ending, which is nearly always the same; most of it looks at the clock."""
        key = (engine, depth > 1)
        if key not in self.start_s:
            self.start_s[key] = min(self.job(self.words(engine, verb, depth, "--number_ios=1"))[1] for _ in range(3))
        return self.start_s[key]

    def measure(self, engine, verb, depth, seconds, *options):
        starting_s = self.starting_s(engine, verb, depth)
        job, used_s = self.job(self.words(engine, verb, depth, "--time_based=1", f"--runtime={seconds}", *options))
        side = job[verb]
        # What fio itself tells of the processor leaves out the kernel's threads that work for it: with io_uring on files
        # that cannot be read without waiting, half of all.
        told_s = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
        latency = side["lat_ns"]
        figures = sample(side["total_ios"] / (side["runtime"] / 1000),
                         max(used_s - starting_s, told_s) / side["total_ios"],
                         latency={"mean_ns": latency["mean"], "p50_ns": latency["percentile"]["50.000000"],
                                  "p99_ns": latency["percentile"]["99.000000"],
                                  "p999_ns": latency["percentile"]["99.900000"]})
        return figures | {"told_cpu_ns": told_s * 1e9 / side["total_ios"]}


class Bare:
    def __init__(self, programs, arena):
        self.programs = programs
        self.arena = arena

    def measure(self, engine, verb, depth, seconds):
        arena = self.arena
        ops, lasted_ns, user_s, system_s = run([self.programs / f"bare_{engine}", arena.path, arena.span, verb, depth,
                                                seconds, "direct" if arena.is_direct else "buffered"]).split()
        return sample(int(ops) / int(lasted_ns) * 1e9, (float(user_s) + float(system_s)) / int(ops))
