# SPDX-License-Identifier: Apache-2.0
"""Shells with file systems of their own, and the records of the runs in them: what clean_runs.py and situations.py share."""
import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77
# From worst to best, as docs/findings.md orders them.
WORDS = ("WRONG DATA", "DO NOT USE", "PARTIAL", "UNVERIFIED", "CAUTION", "OK")
# These depend on who else uses a shared machine: the quick tests let them pass, the run on a quiet machine does not.
OF_THE_MACHINE = {"cpu-pressure", "steal", "stolen", "spread", "stall", "trend", "warm-up", "periodic-stalls", "imbalance", "foreign-io", "throttled",
                  "late-issue", "short", "clock-error", "clock-drift", "cpu-bound"}


def environment():
    """The environment of a run: more ranks than CPUs, none of them bound, and root may start them."""
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "PRTE_MCA_hwloc_default_binding_policy": "none",
            "WEIR_PYTHON": sys.executable, "LC_ALL": "C"}
    return {**os.environ, **more}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def need_root():
    if os.geteuid() != 0:
        skip("this test takes root: it makes file systems on loop devices")
    if "WEIR" not in os.environ:
        sys.exit("set WEIR to the program, and WEIR_TEST to the one with the test backends")
    if not shutil.which("unshare") or not shutil.which("losetup", path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        skip("there is no unshare or no losetup: scripts/deps test")
    probe = subprocess.run(["unshare", "--mount", "--propagation", "private", "true"], capture_output=True, check=False)
    if probe.returncode:
        skip("no mount namespace can be made here")


def remove_groups(work):
    """Removes the control groups of a shell. A group whose last process just ended can be busy for a moment."""
    path = work / ".groups"
    for line in path.read_text(encoding="utf-8").split() if path.exists() else ():
        for _ in range(100):
            try:
                os.rmdir(line)
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.05)


def size_for(directory):
    """MiB that the disk moves in a third of a second, 32 to 256: phases are not short, and a slow disk is not kept busy for minutes."""
    path = directory / ".probe"
    begun = time.monotonic()
    subprocess.run(["dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=16", "oflag=direct", "status=none"], check=False)
    seconds = time.monotonic() - begun
    path.unlink(missing_ok=True)
    return int(min(256, max(32, 16 / seconds / 3))) // 16 * 16


def session_of(leader):
    """Processes of a session that are not dead yet."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    state, _, _, session = file.read().rsplit(")", 1)[1].split()[:4]
            except OSError:
                continue
            if int(session) == leader and state not in "ZX":
                found.append(int(entry))
    return found


class Shell:
    """One shell script in its own mount namespace, session and directory; everything is gone when it ends."""
    running = None

    def __init__(self, script, seconds=240, program=None):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="weir-trust.", dir=os.environ.get("TMPDIR", "/tmp")))
        self.result = self.work / "result.jsonl"
        text = f"work={self.work} result={self.result} size={size_for(self.work)} {'program=' + program if program else ''}\n. {HERE}/prelude.sh\ncd $work\n{script}\n"
        self.unmet = None
        self.output = ""
        Shell.running = self
        # The session is that of unshare, which becomes the shell: its number is that of all processes to end.
        self.process = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "bash", "-c", text], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), start_new_session=True)
        try:
            self.output = self.process.communicate(timeout=seconds)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.end()
            self.output = self.process.communicate()[0].decode(errors="replace") + f"\n(ended after {seconds} s)"
        self.code = self.process.returncode
        if (self.work / ".unmet").exists():
            self.unmet = (self.work / ".unmet").read_text(encoding="utf-8").strip()
        commands = self.work / ".commands"
        self.commands = commands.read_text(encoding="utf-8") if commands.exists() else ""
        self.records = read_records(self.result)
        self.clean_up()

    def end(self):
        """Ends all processes of the session. Some of them (timeout, launchers) have process groups of their own."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            processes = session_of(self.process.pid)
            for process in processes:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
            if not processes:
                return
            time.sleep(0.3)

    def clean_up(self):
        self.end()
        remove_groups(self.work)
        for _ in range(40):  # loop devices hold their files until the last mount is gone
            shutil.rmtree(self.work, ignore_errors=True)
            if not self.work.exists():
                break
            time.sleep(0.05)
        Shell.running = None


def stop(number, _):
    if Shell.running:
        Shell.running.clean_up()
    sys.exit(128 + number)


for caught in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(caught, stop)
atexit.register(lambda: Shell.running and Shell.running.clean_up())


# ---------------------------------------------------------------- records

def read_records(path):
    records = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            pass
    return records


def phases_of(records):
    """The records that carry findings: phases, and measurements of a network."""
    return [record for record in records if "findings" in record and record["record"] != "run"]


def is_shown(finding):
    return not finding.get("explained_by")


def findings_of(records, shown_only=True):
    """(place, finding) of all records."""
    found = []
    for record in records:
        for finding in record.get("findings") or ():
            finding.setdefault("level", finding.get("severity"))  # the key of files before verdicts
            if is_shown(finding) or not shown_only:
                found.append((record.get("label") or record.get("verb") or record["record"], finding))
    return found


def word_of(record):
    """The verdict without what follows a comma ("CAUTION cache, as asked" is CAUTION)."""
    word = record.get("believed")
    return next((known for known in WORDS if word and word.startswith(known)), word)


def worst(words):
    known = [word for word in words if word in WORDS]
    return min(known, key=WORDS.index) if known else None


def broken_laws(records):
    """Phases that are believed although they moved more bytes than their devices did: sentences."""
    broken = []
    for phase in records:
        traffic = phase.get("traffic")
        if phase["record"] != "phase" or not traffic or phase.get("check") or word_of(phase) not in ("OK", "CAUTION"):
            continue
        if phase.get("measured", "storage") != "storage":
            continue
        device = {"write": "device_written_bytes", "read": "device_read_bytes"}.get(phase["verb"])
        # 16 MiB: less fits into the noise of others. 2 %: pages can be written back between the sync and the reading of the counters.
        if device and traffic.get(device) is not None and phase["bytes"] >= 16 << 20 and traffic[device] < 0.98 * phase["bytes"]:
            broken.append(f"{phase['verb']} is {phase['believed']}: {phase['bytes']} bytes moved, {traffic[device]} by the devices")
    return broken
