# SPDX-License-Identifier: Apache-2.0
"""What the cases share: a directory, processes that are all ended, and the checks of what a run left behind."""
import csv
import fnmatch
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

DONE, FAILED, REFUSED, LACKING = {0}, {1}, {2}, {3}
TOLD = {1, 2, 3}
ORDERLY = {0, 1, 2, 3}
BACKENDS = ("POSIX", "DIRECT", "MMAP", "MPIIO", "AIO", "URING")
CRASHED = re.compile(r"Segmentation|Assertion|AddressSanitizer|runtime error:|stack smashing|double free|Bus error")
NOT_A_NUMBER = re.compile(r"(?<![\w./-])[-+]?(nan|inf)\b%?", re.IGNORECASE)
STILL_THERE = 97  # exit code of the helper "ends" below
VOID = 77

# For the commands of the cases. A job of its own has SIGINT as it is at a prompt, which a background command has not.
PRELUDE = r"""
set -m +o notify
ulimit -c 0
S='-w -r -t 64k -b 1m'
void() { echo "$*" >&2; exit 77; }
underway() { # underway RANKS: waits until so many ranks run and the first file is there
    local end=$((SECONDS + 15))
    while ((SECONDS <= end)) && kill -0 "$mp" 2>/dev/null; do
        (($1 == 0 || $(pgrep -cP "$mp") >= $1)) && compgen -G "${watch:-f*}" >/dev/null && break
        sleep 0.05
    done
    sleep "${lead:-0.5}"
    mapfile -t ranks < <(pgrep -P "$mp")
}
launch() { local n=$1; shift; $M -n "$n" "$@" & mp=$!; underway "$n"; }
solo() { "$@" & mp=$!; underway 0; ranks=("$mp"); }
ends() { # ends SECONDS: it ends within that time; its exit code is ours
    local end=$((SECONDS + $1 + 1))
    while ((SECONDS <= end)) && kill -0 "$mp" 2>/dev/null; do sleep 0.05; done
    if kill -0 "$mp" 2>/dev/null; then echo "still there after $1 s" >&2; exit 97; fi
    wait "$mp"
}
fenced() { # fenced COMMAND...: rank 1 has not root's right to open everything
    $M -n 3 bash -c 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
        exec setpriv --bounding-set -dac_override,-dac_read_search,-fowner "$@"; else exec "$@"; fi' x "$@"
}
as_nobody() { chmod 711 . .. ; chmod 777 .; setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$T" TMPDIR="$T" "$@"; }
"""


class Skip(Exception):
    """A case that cannot be run here, and why."""


class Failed(Exception):
    """What did not hold: the verdict, and in which way."""

    def __init__(self, verdict, why):
        super().__init__(why)
        self.verdict = verdict


class Bed:
    def __init__(self, scratch, weir, weir_test, *, quick, swaps, timeout, keep):
        self.scratch, self.weir, self.weir_test = scratch, weir, weir_test
        self.quick, self.swaps, self.timeout, self.keep = quick, swaps, timeout, keep
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.sessions = set()
        self.mounts = []
        self.count = 0
        for name in ("tmp", "shm"):
            (scratch / name).mkdir(mode=0o777)
            (scratch / name).chmod(0o777)
        scratch.chmod(0o711)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("WEIR_", "OMPI_", "PMIX_"))}
        self.environment |= {
            "W": str(weir), "WT": str(weir_test or ""), "M": "mpiexec", "TMPDIR": str(scratch / "tmp"), "RES_OPTIONS": "timeout:1 attempts:1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "PRTE_MCA_hwloc_default_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl_vader_backing_directory": str(scratch / "shm"), "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo",
        }

    def folder(self):
        with self.lock:
            self.count += 1
            path = self.scratch / f"{self.count:03}"
        path.mkdir()
        return path

    def drop(self, folder):
        subprocess.run(["chattr", "-R", "-i", folder], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(folder, ignore_errors=True)

    # ------------------------------------------------------------ processes

    def start(self, argv, folder, out=subprocess.DEVNULL, err=subprocess.DEVNULL, **environment):
        """A process in a session of its own, by which all its descendants are found."""
        if self.stopping.is_set():
            raise Skip("interrupted")
        process = subprocess.Popen([str(word) for word in argv], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=self.environment | {"T": str(folder)} | environment, start_new_session=True)
        with self.lock:
            self.sessions.add(process.pid)
        return process

    def finish(self, process, seconds):
        """Waits, and ends what is left of the session: (True if it was in time, names of the processes that were left)."""
        try:
            process.wait(seconds * self.timeout)
            in_time = True
        except subprocess.TimeoutExpired:
            in_time = False
        for _ in range(20):
            if not in_time or not members(process.pid):
                break
            time.sleep(0.05)
        left = end_session(process.pid)
        process.wait()
        with self.lock:
            self.sessions.discard(process.pid)
        return in_time, left

    def run(self, argv, folder, seconds=60, **environment):
        """Runs a command to its end: (exit code, standard output, standard error)."""
        with open(folder / ".out", "w+b") as out, open(folder / ".err", "w+b") as err:
            process = self.start(argv, folder, out, err, **environment)
            in_time, _ = self.finish(process, seconds)
            out.seek(0)
            err.seek(0)
            texts = out.read().decode(errors="replace"), err.read().decode(errors="replace")
        if not in_time:
            raise Failed("HANG", f"not ended within {seconds * self.timeout:g} s: {texts[1][-200:].strip()}")
        return process.returncode, *texts

    def run_weir(self, folder, *options, ranks=1, seconds=60, program=None, **environment):
        launcher = ["mpiexec", "-n", ranks] if ranks > 1 else []
        return self.run([*launcher, program or self.weir, *options], folder, seconds, **environment)

    def stop(self):
        self.stopping.set()
        with self.lock:
            sessions = list(self.sessions)
        for session in sessions:
            end_session(session)

    # ------------------------------------------------------------ file systems

    def mount(self, folder, kind):
        """Mounts "tmpfs:OPTIONS" or "ext4:SIZE" at m below the folder."""
        if os.geteuid() != 0:
            raise Skip("mounting needs root")
        point = folder / "m"
        point.mkdir()
        name, option = kind.split(":")
        if name == "tmpfs":
            command = ["mount", "-t", "tmpfs", "-o", option, "tmpfs", point]
        else:
            image = folder / ".image"
            with open(image, "wb") as file:
                file.truncate(int(option) << 20)
            subprocess.run([f"mkfs.{name}", "-q", image], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            command = ["mount", "-o", "loop", image, point]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"{name} cannot be mounted here: {done.stderr.strip()}")
        shutil.rmtree(point / "lost+found", ignore_errors=True)
        with self.lock:
            self.mounts.append(point)
        return point

    def unmount(self, point):
        with self.lock:
            if point not in self.mounts:
                return
            self.mounts.remove(point)
        if subprocess.run(["umount", point], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            subprocess.run(["umount", "-l", point], stderr=subprocess.DEVNULL, check=False)

    def close(self):
        self.stop()
        for point in list(self.mounts):
            self.unmount(point)


def members(session):
    """The living processes of a session: {pid: name}."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = pathlib.Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        if int(rest[3]) == session and rest[0] != "Z":
            found[int(pid)] = name
    return found


def end_session(session):
    """Kills what is left of a session, one process at a time: the names of those."""
    names = []
    for _ in range(50):
        left = members(session)
        if not left:
            break
        names += [name for pid, name in left.items()]
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
    return sorted(set(names))


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return json.loads(text, parse_constant=refuse)


def digest(path):
    if path.is_symlink():
        return "-> " + os.readlink(path)
    if not path.is_file():
        return "no regular file"
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return str(error)


def files_below(folder):
    """Names of everything but directories, and of the bed's own files, relative to the folder."""
    names = set()
    for place, _, found in os.walk(os.fsencode(folder)):
        for name in found:
            path = os.path.relpath(os.path.join(place, name), os.fsencode(folder)).decode(errors="surrogateescape")
            if path not in (".out", ".err", ".image"):
                names.add(path)
    return names


def in_folder(bed, check):
    """What check(bed, folder) finds in a directory of its own, as (verdict, text); the directory is gone afterwards."""
    folder = bed.folder()
    held = False
    try:
        text = check(bed, folder) or ""
        held = True
    except Failed as failed:
        return failed.verdict, str(failed)
    finally:
        bed.unmount(folder / "m")
        if held or not bed.keep:
            bed.drop(folder)
    return "ok", text


class Case:
    """A command of bash and what must hold after it.

    rc      the exit codes that are right
    limit   seconds after which it hangs
    setup   commands before it; the files it makes are those of others, whose bytes stay (but for `may` and `gone`)
    may     patterns of the files that may be there afterwards besides, or whose bytes may change
    says    a pattern that the outputs match
    output  "json" or "csv" if standard output is valid as such
    mount   a file system at m, see Bed.mount
    word    False if no sentence of Weir's is expected with an exit code of 1 to 3
    """

    def __init__(self, name, command, rc, *, limit=30, setup="", may="", says="", output="", mount="", word=True, root=False, fault=False,
                 quick=False):
        self.name, self.command, self.rc, self.limit, self.setup, self.says = name, command, rc, limit, setup, says
        self.may = ["r.jsonl", *may.split()]
        self.output, self.mount, self.word, self.root, self.quick = output, mount, word, root, quick
        self.fault = fault or "$WT" in command

    def run(self, bed):
        if (self.root or self.mount) and os.geteuid() != 0:
            raise Skip("needs root")
        if self.fault and not bed.weir_test:
            raise Skip("no weir-test here")
        return in_folder(bed, self.check)

    def bash(self, bed, folder, text, limit):
        with open(folder / ".out", "w+b") as out, open(folder / ".err", "w+b") as err:
            process = bed.start(["bash", "-c", PRELUDE + text], folder, out, err)
            in_time, left = bed.finish(process, limit)
        return process.returncode, in_time, left

    def check(self, bed, folder):
        if self.mount:
            bed.mount(folder, self.mount)
        if self.setup:
            rc, in_time, _ = self.bash(bed, folder, self.setup, 60)
            if rc != 0 or not in_time:
                raise Skip(f"not prepared: {(folder / '.err').read_text(errors='replace')[-160:].strip()}")
        before = {name: digest(folder / name) for name in files_below(folder)}
        rc, in_time, left = self.bash(bed, folder, self.command, self.limit)
        out = (folder / ".out").read_bytes().decode(errors="replace")
        err = (folder / ".err").read_bytes().decode(errors="replace")
        words = [line for line in err.splitlines() if line.startswith("weir: ")]
        told = " | ".join(words)[:300] or err.strip().replace("\n", " | ")[-200:]
        self.check_bytes(folder, before)
        if not in_time or rc == STILL_THERE:
            late = f"not ended within {self.limit * bed.timeout:g} s" if not in_time else err.strip().splitlines()[-1]
            raise Failed("HANG", "; ".join([late, *words[:2]]))
        if rc == VOID:
            raise Skip(err.strip().splitlines()[-1] if err.strip() else "void")
        has_launcher_crashed = "mpiexec(+" in err  # Open MPI's launcher dies of a closed pipe, or when ranks end with an error
        if CRASHED.search(err) and not has_launcher_crashed:
            raise Failed("WRONG", f"crash: {CRASHED.search(err)[0]}, exit code {rc}; {told}")
        if rc not in self.rc and not (rc == 139 and has_launcher_crashed):
            raise Failed("WRONG", f"exit code {rc}, not {' or '.join(map(str, sorted(self.rc)))}; {told}")
        if left:
            raise Failed("LEAK", f"processes are left: {' '.join(left)}")
        self.check_files(folder, before)
        self.check_words(rc, out, err, words, told)
        check_result(bed, folder, bed.weir_test if self.fault else bed.weir)

    def allowed(self, name):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.may)

    def check_bytes(self, folder, before):
        for name, old in before.items():
            if not self.allowed(name):
                new = digest(folder / name) if os.path.lexists(folder / name) else "gone"
                if new != old:
                    raise Failed("DAMAGE", f"{name} of somebody else {'is gone' if new == 'gone' else 'has other bytes'}")

    def check_files(self, folder, before):
        left = sorted(name for name in files_below(folder) - set(before) if not self.allowed(name))
        if left:
            raise Failed("LEAK", f"files are left: {' '.join(left)[:120]!a}")

    def check_words(self, rc, out, err, words, told):
        if self.word and rc in TOLD and not words:
            raise Failed("WRONG", f"exit code {rc} without a sentence; {told}")
        twice = sorted({word for word in words if words.count(word) > 1})
        if twice:
            raise Failed("WRONG", f"told {words.count(twice[0])} times: {twice[0][:160]}")
        if NOT_A_NUMBER.search(out):
            raise Failed("WRONG", f"a number that is none: {NOT_A_NUMBER.search(out)[0]}")
        if self.says and not re.search(self.says, err + out):
            raise Failed("WRONG", f"not told: {self.says}; {told}")
        try:
            if self.output == "json":
                strict_json(out)
            elif self.output == "csv" and len({len(row) for row in csv.reader(io.StringIO(out))}) != 1:
                raise ValueError("rows of CSV differ in length")
        except ValueError as error:
            raise Failed("WRONG", f"standard output: {error}") from error


def check_result(bed, folder, program):
    """A result file, however the run ended, is read by the reports."""
    path = folder / "r.jsonl"
    if not path.is_file() or path.is_symlink() or path.stat().st_size == 0:
        return
    begin = "".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[:2])  # the run, and its first test
    for style in ("json", "csv", "ior", "csv-long", "json-long") if '"dialect":"ior"' in begin else ("csv-long", "json-long"):
        rc, out, err = bed.run_weir(folder, "report", path, "--format", style, program=program)
        if rc not in (0, 1):
            raise Failed("WRONG", f"weir report --format {style} of the result: exit code {rc}; {err.strip()[:200]}")
        if NOT_A_NUMBER.search(out):
            raise Failed("WRONG", f"weir report --format {style}: a number that is none: {NOT_A_NUMBER.search(out)[0]}")
        if style in ("json", "json-long"):
            try:
                strict_json(out)
            except ValueError as error:
                raise Failed("WRONG", f"weir report --format {style}: {error}") from error


class Task:
    """A case that is a function of the bed and a directory; it raises Failed or Skip."""

    def __init__(self, name, function, *, quick=False):
        self.name, self.function, self.quick = name, function, quick

    def run(self, bed):
        return in_folder(bed, self.function)
