# SPDX-License-Identifier: Apache-2.0
"""Where `bench engines` measures: a loopback XFS, a tmpfs, and a device. What is made here is gone at the end, also if this
program is killed: file systems live in a test bed of their own, and a zram device has a guard."""
import contextlib
import pathlib
import subprocess
import tempfile

from pairs import MIB

PLACES = ("xfs", "tmpfs", "device")
MISSING = 77  # exit code of a process that cannot have its place
ZRAM = pathlib.Path("/sys/class/zram-control")
# Waits for the end of its input, which comes with the end of this program however that happens, and takes the device away;
# those that were started here may hold it for a moment.
GUARD = """trap '' INT TERM HUP
read -r _
for _ in $(seq 100); do
    if echo 1 >/sys/block/zram$1/reset && echo "$1" >/sys/class/zram-control/hot_remove; then exit 0; fi
    sleep 0.1
done 2>/dev/null
echo "bench: /dev/zram$1 is in use and was left behind" >&2
"""


class Missing(Exception):
    """The place cannot be had here."""


def bed_words(root, place, span, image_dir):
    """The test bed in which the place exists, or [] if it needs none."""
    bed = [root / "scripts/testbed/testbed-loopfs"]
    if place == "xfs":
        # The log of XFS takes 64 MiB of a small file system.
        return [*bed, "--type", "xfs", "--size", f"{span // MIB + 400}M", "--direct-io", "--prealloc",
                "--image-dir", image_dir, "run", "--"]
    if place == "tmpfs":
        return [*bed, "--type", "tmpfs", "--size", f"{span // MIB + 64}M", "run", "--"]
    return []


def check_bed(root, place, span, image_dir):
    """Raises Missing with what the test bed says, if it cannot be made."""
    words = bed_words(root, place, span, image_dir)
    if words:
        tried = subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode:
            raise Missing((tried.stderr.strip() or "the test bed failed").splitlines()[-1])


@contextlib.contextmanager
def zram(span):
    """A compressed device in memory of our own, not one that is there."""
    try:
        number = (ZRAM / "hot_add").read_text(encoding="ascii").strip()
    except OSError as error:
        raise Missing(f"no zram device: {error.strerror}") from error
    with subprocess.Popen(["sh", "-c", GUARD, "sh", number], stdin=subprocess.PIPE, start_new_session=True) as guard:
        try:
            try:
                pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(span), encoding="ascii")
            except OSError as error:
                raise Missing(f"zram{number}: {error.strerror}") from error
            yield pathlib.Path(f"/dev/zram{number}")
        finally:
            guard.stdin.close()


@contextlib.contextmanager
def device(span):
    """A null device if there is one that is not in use, else a zram device."""
    null = pathlib.Path("/dev/nullb0")
    if null.exists() and not any(pathlib.Path("/sys/block/nullb0/holders").iterdir()):
        yield null
    else:
        with zram(span) as path:
            yield path


def knows_direct(folder):
    """Whether files there can be opened with O_DIRECT."""
    with tempfile.NamedTemporaryFile(dir=folder) as probe:
        return subprocess.run(["dd", "if=/dev/zero", f"of={probe.name}", "bs=64k", "count=1", "oflag=direct"],
                              stderr=subprocess.DEVNULL).returncode == 0
