# SPDX-License-Identifier: Apache-2.0
"""Signals, limits, ranks that fail, stop or die."""
from bed import DONE, FAILED, LACKING, ORDERLY, REFUSED, TOLD, Case

BIG = "-w -r -t 4k -b 8g -s 1000 -Y"
ENDING = ("INT", "TERM", "HUP", "USR1", "USR2", "XCPU", "ALRM")
# With a signal of its own mpiexec may report 128 and the signal; what was measured is told all the same.
SIGNALLED = {0, 1} | {128 + number for number in (1, 2, 10, 12, 14, 15, 24, 25)}


def signals():
    for name in ENDING:
        yield Case(f"signal.job-{name}", f"launch 2 $W {BIG} -F --summaryFormat JSON --result r.jsonl -o f; kill -{name} $mp; ends 8", SIGNALLED, output="json",
                   word=False, quick=name in ("INT", "XCPU", "USR2"))
        yield Case(f"signal.process-{name}", f"solo $W {BIG} --summaryFormat JSON --result r.jsonl -o f; kill -{name} $mp; ends 5", FAILED, output="json",
                   quick=name == "TERM")
    for name in ("TERM", "INT", "USR1", "XCPU"):
        for rank in (0, 1):
            yield Case(f"signal.rank-{rank}-{name}", f"launch 3 $W {BIG} -F --result r.jsonl -o f; kill -{name} ${{ranks[{rank}]}}; ends 8", {1}, word=False,
                       quick=(name, rank) == ("TERM", 1))
    yield Case("signal.rank-TERM-collective", "launch 3 $W -a MPIIO -c -w -t 64k -b 8g -s 100 --result r.jsonl -o f; kill -TERM ${ranks[1]}; ends 8", {1},
               word=False)
    yield Case("signal.three-times", f"solo $W {BIG} -o f; kill -INT $mp; kill -INT $mp; kill -INT $mp; ends 5", FAILED | {130}, word=False)
    sleeps = {"interIODelay": "--interIODelay 20000000", "interTestDelay": "-d 30", "null-transfer": "-a DUMMY --dummy.delay-xfer 20000000",
              "null-create": "-a DUMMY --dummy.delay-create 20000000", "null-close": "-a DUMMY --dummy.delay-close 20000000",
              "null-sync": "-a DUMMY -e --dummy.delay-sync 20000000", "rate": "--rate 0.01",
              "minTimeDuration": "-t 4k --minTimeDuration 30", "memory": "-d 20 --memoryPerTask 64m"}
    for name, words in sleeps.items():
        yield Case(f"sleep.{name}", f"watch=/; lead=1.5; solo $W $S {words} --result r.jsonl -o f; kill -INT $mp; ends 4", {0, 1, 2}, word=False, quick=True)
        yield Case(f"sleep.{name}-job", f"watch=/; lead=1.5; launch 2 $W $S {words} --result r.jsonl -o f; kill -TERM $mp; ends 5", SIGNALLED | {2},
                   word=False)


def deaths():
    """The mark of a run that was killed stays beside its file, and the next run replaces it."""
    for backend, words in (("POSIX", "-F"), ("URING", "-F --depth 16"), ("MPIIO", "-c")):
        yield Case(f"death.kill-rank-{backend}", f"launch 3 $W -a {backend} {BIG} {words} -D 30 --result r.jsonl -o f; kill -KILL ${{ranks[1]}}; ends 8",
                   {137, 1}, may="f* .weir-*", word=False, quick=backend == "POSIX")
    yield Case("death.kill-mpiexec", f"launch 2 $W {BIG} -F --result r.jsonl -o f; kill -KILL $mp; ends 8; sleep 3; exit 0", {0}, may="f* .weir-*",
               word=False)
    yield Case("death.abort-rank", f"launch 3 $W {BIG} -F --result r.jsonl -o f; kill -ABRT ${{ranks[1]}}; ends 8", {134, 1}, may="f* .weir-*", word=False)
    yield Case("death.stop-and-go", "launch 3 $W -w -r -t 4k -b 8g -F -D 3 -g --result r.jsonl -o f; kill -STOP ${ranks[1]}; sleep 4; kill -CONT ${ranks[1]}; "
               "ends 20", {0, 1}, word=False)
    yield Case("death.stopped-for-ever", "launch 2 $W -w -t 4k -b 8g -F -D 2 --watchdog 2 --give-up 5 --result r.jsonl -o f; kill -STOP ${ranks[1]}; ends 25; rc=$?; "
               "kill -KILL ${ranks[1]} 2>/dev/null; exit $rc", {1, 3, 137}, may="f* .weir-*", says="rank 1", word=False)


def limits():
    big = "-w -r -t 64k -b 8m -s 2000 -D 6 -F --result r.jsonl -o f"
    for backend in ("POSIX", "DIRECT", "MMAP", "MPIIO", "AIO", "URING"):
        rc = {0, 1} if backend == "MMAP" else FAILED
        yield Case(f"limit.fsize-{backend}", f"launch 2 $W -a {backend} {big}; for p in ${{ranks[@]}}; do prlimit --fsize=80000000 --pid $p; done; ends 20", rc,
                   says="" if backend == "MMAP" else "ile too large", quick=backend in ("POSIX", "MPIIO"))
    yield Case("limit.fsize-one-rank", f"launch 2 $W {big.replace('-D 6', '')}; prlimit --fsize=80000000 --pid ${{ranks[1]}}; ends 20", FAILED, says="ile too large")
    yield Case("limit.memory", f"launch 2 $W {big}; for p in ${{ranks[@]}}; do prlimit --as=1000000 --pid $p; done; ends 25", {0, 1, 3}, quick=True)
    yield Case("limit.descriptors", f"launch 2 $W -i 4 -C {big}; for p in ${{ranks[@]}}; do prlimit --nofile=5 --pid $p; done; ends 30", FAILED,
               says="oo many open files")
    yield Case("limit.processor-time", "ulimit -S -t 3; $W -a DUMMY -w -r -t 8 -b 8g -s 100 -o f --result r.jsonl", {1})
    yield Case("limit.memory-before", "ulimit -v 300000; $W -w -r -t 1g -b 1g -o f", TOLD)
    yield Case("limit.locked-memory", "ulimit -l 0; $W -a URING --depth 64 --uring.fixed-buffers -w -r -t 1m -b 16m -o f", ORDERLY)
    yield Case("limit.no-tmp", "TMPDIR=/proc/none $W $S -o f", ORDERLY, word=False)


def injected():
    """The fault backend, in each place of each backend."""
    shapes = (("", ""), ("-F", "-F"))
    for inner in ("posix", "direct", "mmap", "mpiio", "mpiio -c", "libaio", "uring", "uring --depth 8"):
        mark = inner.replace(" ", "")
        for name, shape in shapes:
            if shape and "-c" in inner:
                continue
            for place, words, rc in (("open", "--fault.open EACCES", FAILED), ("sync", "-e --fault.sync EIO", FAILED), ("close", "--fault.close EIO", FAILED),
                                     ("write", "--fault.verb write --fault.errno EIO --fault.at 5", FAILED),
                                     ("read", "--fault.verb read --fault.errno EIO --fault.at 5", FAILED)):
                yield Case(f"rank.{place}-{mark}{name}", f"$M -n 3 $WT -a fault:{inner} {shape} $S {words} --fault.rank 1 -o f --result r.jsonl", rc, limit=15,
                           says="rank 1", quick=place == "open" and "mpiio" in inner)
    rows = (("all", 2, "posix --fault.errno EIO --fault.every 1", FAILED), ("first-open", 3, "uring --fault.open EIO --fault.rank 0", FAILED),
            ("first-open-mpiio", 3, "mpiio --fault.open EIO --fault.rank 0", FAILED),
            ("collective-deadline", 3, "mpiio -c -D 1 --fault.errno EIO --fault.at 5 --fault.rank 1", FAILED),
            ("uring-32", 4, "uring --depth 32 -z --fault.errno EIO --fault.every 7", FAILED),
            ("flip", 4, "uring --depth 32 -z -R -W --fault.flip --fault.verb read --fault.every 10", FAILED),
            ("short-uring", 2, "uring --depth 32 --fault.short 100 --fault.every 3 -R", ORDERLY), ("short-once", 2, "posix -x --fault.short 8 --fault.every 3", FAILED),
            ("short-all", 2, "posix --fault.short 65536 --fault.every 1", ORDERLY), ("late", 4, "uring --depth 32 --fault.late 31 --fault.every 2 -R -W -z", DONE),
            ("unknown-error", 2, "posix --fault.open ENOTHING --fault.rank 1 -F", REFUSED), ("sync-each", 2, "posix -Y --fault.sync EIO --fault.rank 1", FAILED),
            ("size", 2, "posix --fault.stat 4096", ORDERLY),
            ("wear-out", 3, "posix -D 1 --stoneWallingWearOut --fault.errno ENOSPC --fault.at 10 --fault.rank 1 -F", FAILED),
            ("interrupted-calls", 2, "posix --fault.errno EINTR --fault.every 2", DONE), ("again", 2, "uring --depth 8 --fault.errno EAGAIN --fault.every 2", ORDERLY),
            ("depth-auto", 2, "uring --depth auto -z --fault.errno EIO --fault.at 1000", FAILED),
            ("rate", 2, "uring --depth 8 --rate 2000 --fault.errno EIO --fault.every 5", FAILED),
            ("mixed", 2, "uring --depth 8 -z --read-percent 50 --fault.errno EIO --fault.every 5", FAILED),
            ("prefill", 2, "posix -z --randomPrefill 64k --fault.errno ENOSPC --fault.at 3", FAILED),
            ("warning", 2, "posix --warningAsErrors --fault.short 8 --fault.at 3", ORDERLY))
    for name, ranks, words, rc in rows:
        # Rank 0 removes what it has opened: of a file that only others could open, it cannot know that it is the run's.
        yield Case(f"fault.{name}", f"$M -n {ranks} $WT -w -r -t 64k -b 4m -a fault:{words} --summaryFormat JSON -o f --result r.jsonl", rc, limit=25,
                   output="" if rc == REFUSED else "json", may="f" if name == "first-open-mpiio" else "")
    for inner in ("posix", "posix -F", "mpiio", "mpiio -c", "uring --depth 8"):
        yield Case(f"rank.continue-{inner.replace(' ', '')}", f"$M -n 3 $WT -a fault:{inner} $S --on-error continue --fault.errno EIO --fault.every 4 --fault.rank 1 -o f "
                   "--result r.jsonl", FAILED, limit=15, says="rank 1")
    # A transfer fails at once on one rank, and the others have hours to go.
    for inner in ("posix -F", "posix", "uring --depth 8 -F", "mpiio", "mpiio -c"):
        yield Case(f"rank.early-{inner.replace(' ', '')}", f"$M -n 3 $WT -a fault:{inner} -w -t 64k -b 64g --interIODelay 2000 --fault.errno ENOSPC --fault.at 3 "
                   "--fault.rank 1 -o f --result r.jsonl", FAILED, limit=12, says="rank 1", quick=inner == "posix -F")


def surroundings():
    yield Case("group.out-of-memory", """
        group=/sys/fs/cgroup/memory/weir-abuse-$$
        mkdir "$group" 2>/dev/null || void 'no memory control group here'
        echo 60M >"$group/memory.limit_in_bytes" || { rmdir "$group"; void 'no limit of memory here'; }
        $M -n 2 bash -c 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then echo $$ >'"$group"'/cgroup.procs; fi; exec $W -w -r -t 64m -b 64m -i 2 -F --result r.jsonl -o f'
        rc=$?; rmdir "$group"; exit $rc""", {1, 3, 137}, may="f* .weir-*", word=False, root=True)
    yield Case("group.two-jobs-one-file", "launch 2 $W -w -r -t 64k -b 4m -i 20 --interIODelay 2000 -o f; $M -n 2 $W -w -r -t 64k -b 4m -o f; rc=$?; ends 30; exit $rc", TOLD,
               limit=60)


def cases():
    yield from signals()
    yield from deaths()
    yield from limits()
    yield from injected()
    yield from surroundings()
