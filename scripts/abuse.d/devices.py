# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, fill up, are read-only, fail, or are in use."""
from bed import BACKENDS, DONE, FAILED, LACKING, ORDERLY, REFUSED, TOLD, Case

WORDS = {"AIO": "--direct", "URING": "--depth 16", "MPIIO": "-c"}
SMALL = "-w -r -t 256k -b 16m"


def full():
    for place in ("tmpfs:size=8m", "ext4:16"):
        kind = place.split(":")[0]
        for backend in BACKENDS:
            for words in ("-F", ""):
                yield Case(f"full.{kind}-{backend}{words}", f"$M -n 2 $W -a {backend} {SMALL} {words} -o m/f --result r.jsonl", FAILED | LACKING,
                           mount=place, says="o space left|does not fit|not enough space|free", quick=kind == "tmpfs" and not words)
        for backend, words in WORDS.items():
            yield Case(f"full.{kind}-{backend}{words.replace(' ', '')}", f"$M -n 2 $W -a {backend} {words} {SMALL} -o m/f --result r.jsonl",
                       FAILED | LACKING | (REFUSED if kind == "tmpfs" else set()), mount=place)
        yield Case(f"full.{kind}-keeps", f"$M -n 2 $W -F -k {SMALL} -o m/f --result r.jsonl", FAILED | LACKING, mount=place, may="m/f*")
    # On one rank alone the disk fills up: the others do not go on to the end of the phase.
    yield Case("full.on-one-rank", "$M -n 2 $W -w -F -t 64k -b 64g --interIODelay 1000 -o $T/m/f@$T/f --result r.jsonl", FAILED | LACKING,
               mount="tmpfs:size=4m", limit=12, quick=True)
    yield Case("full.must-fit", f"$M -n 2 $W --must-fit {SMALL} -o m/f --result r.jsonl", REFUSED | LACKING, mount="tmpfs:size=8m")
    yield Case("full.inodes", "$M -n 4 $W -F -w -r -t 4k -b 64k -o m/f --result r.jsonl", TOLD, mount="tmpfs:nr_inodes=3", quick=True)
    yield Case("full.result-fills", "$M -n 2 $W $S -i 20 -o f --result m/r.jsonl", TOLD, mount="tmpfs:size=8m", may="m/*",
               setup="head -c 8376000 /dev/zero >m/fill", says="o space left", quick=True)
    for name, words in (("summary", "--summaryFile=m/s.txt"), ("rank-csv", "-O saveRankPerformanceDetailsCSV=m/s.csv"),
                        ("op-csv", "-O savePerOpDataCSV=m/op")):
        yield Case(f"full.{name}", f"$M -n 2 $W $S -i 3 -o f {words}", TOLD, mount="tmpfs:size=8m", may="m/*", says="o space left",
                   setup="head -c 9000000 /dev/zero >m/fill || true")
    yield Case("full.status", "$W -w -k -t 4k -b 1m -D 1 -o f -O stoneWallingWearOut=1,stoneWallingStatusFile=m/st", TOLD, mount="tmpfs:size=64k",
               setup="cat /dev/zero >m/fill || true", may="f")
    yield Case("full.dev-full-result", "$W $S -o f --result /dev/full", TOLD)
    yield Case("full.stdout", "$W $S -o f >/dev/full", TOLD, says="o space left", quick=True)


def at_once():
    """All blocks of a rank in one noncontiguous call of MPI-IO."""
    for words in ("", "-c", "-F"):
        run = f"$M -n 2 $W -a MPIIO {words} -S -V -t 64k -b 64k -s 128"
        yield Case(f"at-once.full{words}", f"{run} -w -r -k -o m/f --result r.jsonl", FAILED | LACKING, mount="tmpfs:size=8m",
                   may="m/*", says="o space left|does not fit|not enough space|free", quick=words == "-c")
        yield Case(f"at-once.read-only{words}", f"{run} -w -o m/f", TOLD, mount="tmpfs:size=8m", setup="mount -o remount,ro m", says="ead-only")
        launch = f"launch 2 $W -a MPIIO {words} -S -V -t 64k -b 64k -s 128 -w -O minTimeDuration=30 -o f --result r.jsonl; "
        yield Case(f"at-once.limited{words}", launch + "for p in ${ranks[@]}; do prlimit --fsize=2000000 --pid $p; done; ends 20", FAILED,
                   says="ile too large")
        yield Case(f"at-once.foreign{words}", f"{run} -w -o f", REFUSED, setup="echo precious >f; echo precious >f.00000000; seq 9 >f.00000001")
        yield Case(f"at-once.short{words}", f"{run} -r -k -D 60 -o f", FAILED, setup=f"{run} -w -k -o f; truncate -s 1000000 f*", says="hort read",
                   quick=words == "")
        yield Case(f"at-once.memory{words}", f"{run.replace('-s 128', '-s 10000000')} -w -o f", LACKING, says="fewer segments")
        yield Case(f"at-once.signal{words}", launch + "kill -TERM ${ranks[1]}; ends 10", FAILED, quick=words == "-c")


def read_only():
    for backend in BACKENDS:
        yield Case(f"read-only.{backend}", f"$M -n 2 $W -a {backend} $S -o m/f", TOLD, mount="tmpfs:size=8m", setup="mount -o remount,ro m",
                   says=r"(?s)\A(?!.*remove).*ead-only file system", quick=backend == "POSIX")
    yield Case("read-only.result", "$W $S -o f --result m/r.jsonl", TOLD, mount="tmpfs:size=8m", setup="mount -o remount,ro m", says="ead-only")
    yield Case("read-only.reads", "$M -n 2 $W -r -R -k -t 64k -b 1m -G 3 -o m/f", DONE, mount="tmpfs:size=8m",
               setup="$M -n 2 $W -w -k -t 64k -b 1m -G 3 -o m/f; mount -o remount,ro m")
    yield Case("read-only.immutable-result", "$M -n 2 $W $S -o f --result r.jsonl", TOLD, setup="touch r.jsonl; chattr +i r.jsonl", root=True)


def broken():
    """Reads fail where the image of a loop device is cut."""
    cut = ("$W -w -k -e -t 1m -b 16m -o m/f && sync && echo 3 >/proc/sys/vm/drop_caches && "
           "truncate -s $(($(filefrag -v m/f | awk '$1 == \"0:\" {{ print $4 + 0 }}') * $(stat -f -c %S m) + {})) .image")
    for place, kept in (("start", 0), ("middle", 4 << 20)):
        for backend in BACKENDS:
            yield Case(f"broken.{place}-{backend}", f"$M -n 2 $W -a {backend} -r -k -t 1m -b 8m -o m/f --result r.jsonl", FAILED, mount="ext4:40",
                       setup=cut.format(kept), says=r"offset \d+.*nput/output")


def devices():
    loop = "dev=$(losetup -n -O NAME -j .image | head -1); [[ $dev ]] || void 'no loop device'; "
    for name, words, rc in (("plain", "", REFUSED), ("overwrite", "--overwrite", REFUSED), ("mounted", "--device allow", REFUSED)):
        yield Case(f"device.{name}", f"{loop} $W $S {words} -o $dev", rc, mount="ext4:16", setup="echo precious >m/p", quick=name == "mounted")
    yield Case("device.symlink", f"{loop} ln -s $dev d; $W $S --overwrite -o d; rc=$?; rm d; exit $rc", REFUSED, mount="ext4:16",
               setup="echo precious >m/p")


def meanwhile():
    """Somebody changes the files while a run is at work on them."""
    run = "launch 2 $W {} -w -r -t 64k -b 16m -D 2 --minTimeDuration 2 -o d/f --result r.jsonl; "
    rows = (("unlink", "", "rm -f d/f*", TOLD), ("unlink-F", "-F", "rm -f d/f*", TOLD), ("rmdir-F", "-F -C", "rm -rf d", TOLD),
            ("move-directory", "-F -C", "mv d e", TOLD), ("truncate", "", "for i in 1 2 3; do truncate -s 0 d/f; sleep 0.2; done", ORDERLY),
            ("truncate-mmap", "-a MMAP", "for i in 1 2 3; do truncate -s 0 d/f; sleep 0.2; done", ORDERLY),
            ("truncate-uring", "-a URING", "for i in 1 2 3; do truncate -s 0 d/f; sleep 0.2; done", ORDERLY),
            ("symlink", "", "ln -sf ../v d/g; mv d/g d/f", ORDERLY), ("chmod", "-F -C", "chmod 000 d/f*", ORDERLY))
    for name, words, deed, rc in rows:
        yield Case(f"meanwhile.{name}", "mkdir d; watch='d/f*'; " + run.format(words) + deed + "; ends 20", rc, setup="echo precious >v",
                   may="e/* d/f*", quick=name == "truncate-mmap")


def cases():
    yield from full()
    yield from at_once()
    yield from read_only()
    yield from broken()
    yield from devices()
    yield from meanwhile()
