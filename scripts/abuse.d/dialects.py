# SPDX-License-Identifier: Apache-2.0
"""Every dialect: ended early and run again, beside another run, on a full disk, with something foreign in a file's place, and resumed."""
from bed import DONE, FAILED, LACKING, ORDERLY, REFUSED, TOLD, Case

RUN = "--result r.jsonl"
# Command lines that work for minutes, by dialect: the command, the file that shows that it is underway, and what stays behind by design.
LONG = {
    "ior": ("$W -w -r -t 4k -b 8g -s 1000 -Y -F -o f", "f*", ""),
    "mdtest": ("$W mdtest -n 2000 -w 10 -i 1000 -d d", "d/*/*", ""),
    "md-workbench": ("$W md-workbench -D 2 -P 300 -I 200 -R 3000 -o d", "d/*/*", ""),
    "iozone": ("$W iozone -a -g 512m -f f", "f", ""),
    "iozone-parts": ("$W iozone -i 0 -i 6 -s 4g -r 4k -o -f f", "f", ""),
    "iozone-children": ("$W iozone -t 1 -i 0 -i 1 -s 64g -r 4k -o -F f", "f", ""),
    "dd": ("$W dd if=/dev/zero of=f bs=4k count=1000000 oflag=dsync", "f", "f"),
    "targets": ("$W targets a b --alone-only --size 8g --transfer 4k --buffered", "a/*", ""),
    "sweep": ("$W sweep transfer=4k,8k -- ior -w -b 8g -s 100 -Y -o f", "f*", ""),
    "parabench": ("$W parabench p.pbl", "x", "x"),
}
LONG_PROGRAM = "echo 'write(\"x\", 1); repeat 600s stat(\"x\");' >p.pbl; mkdir -p a b d"
# The same directory or file afterwards, which must be free and clean: a short run of the same dialect.
AGAIN = {
    "mdtest": "$W mdtest -n 2000 -w 10 -d d",
    "md-workbench": "$W md-workbench -D 2 -P 300 -I 200 -R 1 -o d",
    "iozone": "$W iozone -i 0 -i 1 -s 64k -r 4k -f f",
    "dd": "$W dd if=/dev/zero of=f bs=4k count=4",
    "targets": "$W targets a b --alone-only --size 64k --transfer 4k --buffered -i 1",
    "sweep": "$W sweep transfer=4k,8k -- ior -w -b 64k -o f",
}
ITEM_DIRECTORY = {"mdtest": "d/test-dir.0-0/mdtest_tree.0", "md-workbench": "d/0_0"}
ITEM = {"mdtest": "file.mdtest.0.3", "md-workbench": "file-3"}
ITEMS = {"mdtest": "$W mdtest -F -n 20 -w 100 -e 100 -d d", "md-workbench": "$W md-workbench -D 1 -P 20 -I 10 -R 1 -o d"}


def ended_early():
    """Files of a run that a signal ends are gone, and its directory serves the next run."""
    for name, (command, watch, may) in LONG.items():
        for number in ("INT", "TERM"):
            yield Case(f"early.{name}-{number}", f"watch='{watch}'; solo {command} {RUN}; kill -{number} $mp; ends 10", FAILED, setup=LONG_PROGRAM, may=may,
                       quick=number == "INT" and name in ("md-workbench", "iozone", "mdtest"))
    yield Case("early.md-workbench-many-rounds", f"watch=/; lead=3; solo $W md-workbench -D 2 -P 300 -I 200 -R 60000 -o d {RUN}; kill -INT $mp; ends 20", FAILED, limit=40)
    for name, again in AGAIN.items():
        command, watch, _ = LONG[name]
        yield Case(f"again.{name}-INT", f"watch='{watch}'; solo {command}; kill -INT $mp; ends 10; {again} {RUN}", DONE, setup=LONG_PROGRAM, limit=60, may=LONG[name][2],
                   quick=name == "md-workbench")
        if name == "mdtest":
            watch = "d/*/*/*"  # the first item: what is only begun is no obstacle
        yield Case(f"again.{name}-KILL", f"watch='{watch}'; solo {command}; kill -KILL $mp; ends 5; {again} {RUN}", FAILED if name == "mdtest" else DONE,
                   setup=LONG_PROGRAM, limit=60, may={"mdtest": "d/*", "dd": "f"}.get(name, ""), says="with -r remove" if name == "mdtest" else "", word=False)
    yield Case("again.mdtest-KILL-removed", "watch='d/*/*'; solo $W mdtest -n 2000 -w 10 -i 1000 -d d; kill -KILL $mp; ends 5; $W mdtest -n 2000 -w 10 -r -d d",
               DONE, limit=60, word=False)


def run_by_others():
    """A second run of the same dialect on the same files is refused, and the first one goes on."""
    for name in AGAIN:
        command, watch, _ = LONG["iozone-parts" if name == "iozone" else name]  # between two sizes of -a there is no file
        yield Case(f"twice.{name}", f"watch='{watch}'; solo {command}; {AGAIN[name]}; rc=$?; kill -0 $mp || rc=99; kill -INT $mp; ends 10; exit $rc", REFUSED,
                   setup=LONG_PROGRAM, limit=40, may=LONG[name][2], word=False, quick=name == "mdtest")


def full():
    """Neither inodes nor bytes are left: what was made goes."""
    small = {"md-workbench": "md-workbench -D 1 -P 1000 -I 200 -R 3 -o m/w", "mdtest": "mdtest -n 2000 -d m/w"}
    for name, words in small.items():
        yield Case(f"full.inodes-{name}", f"$W {words} {RUN}", FAILED, mount="tmpfs:nr_inodes=500", says="No space", quick=True)
    large = {"md-workbench": "md-workbench -D 1 -P 1000 -I 200 -R 3 -S 64k -o m/w", "mdtest": "mdtest -F -n 2000 -w 64k -d m/w", "iozone": "iozone -a -g 64m -f m/f",
             "iozone-parts": "iozone -i 0 -i 6 -s 64m -r 64k -f m/f", "iozone-children": "iozone -t 2 -i 0 -i 1 -s 64m -r 64k -F m/a m/b",
             "dd": "dd if=/dev/zero of=m/f bs=64k count=1000", "targets": "targets m --alone-only --size 64m --transfer 64k --buffered",
             "sweep": "sweep transfer=64k,128k -- ior -w -b 64m -o m/f"}
    for name, words in large.items():
        yield Case(f"full.bytes-{name}", f"$M -n 2 $W {words} {RUN}" if name == "iozone-children" else f"$W {words} {RUN}", FAILED, mount="tmpfs:size=10m",
                   says="No space", may="m/f" if name == "dd" else "", quick=name == "iozone")
    for name, words in (("mdtest", "mdtest -F -n 300 -w 64 -d d"), ("md-workbench", "md-workbench -D 1 -P 300 -I 200 -R 3 -o d")):
        for verb in ("write", "open", "unlink"):
            yield Case(f"fault.{name}-{verb}", f"$WT {words} -a fault:posix --fault.verb {verb} --fault.errno EIO --fault.at 250 {RUN}", FAILED,
                       may="d/*" if verb == "unlink" else "", quick=verb == "write")
    yield Case("fault.md-workbench-read", f"$WT md-workbench -D 1 -P 300 -I 200 -R 3 -o d -a fault:posix --fault.verb read --fault.errno EIO --fault.at 250 {RUN}", FAILED)


def foreign():
    """A link, FIFO or file of somebody else in the place of an item or a file: its bytes stay, and nobody waits for it."""
    for name, place in ITEM_DIRECTORY.items():
        item = f"{place}/{ITEM[name]}"
        for kind, setup in (("hardlink", f"ln v {item}"), ("symlink", f"ln -s $T/v {item}"), ("fifo", f"mkfifo {item}"), ("directory", f"mkdir {item}"),
                            ("dangling", f"ln -s $T/none {item}")):
            # The names of items are the dialect's own, which a removal may take away: what they lead to is not.
            yield Case(f"item.{name}-{kind}", ITEMS[name] + f" {RUN}", TOLD, may="" if kind == "directory" else item, setup=f"mkdir -p {place}; echo precious >v; {setup}", limit=15,
                       quick=kind in ("hardlink", "fifo"))
    files = {"dd": ("dd if=/dev/zero of=f bs=4k count=4", "f"), "iozone": ("iozone -i 0 -i 1 -s 64k -r 4k -f f", "f"),
             "iozone-children": ("iozone -t 1 -i 0 -i 1 -s 64k -r 4k -F f", "f"), "targets": ("targets a --alone-only --size 64k --transfer 4k --buffered", "a/weir-targets.00000000"),
             "sweep": ("sweep transfer=4k,8k -- ior -w -b 64k -o f", "f")}
    for name, (words, place) in files.items():
        for kind, setup in (("hardlink", f"ln v {place}"), ("symlink", f"ln -s $T/v {place}"), ("fifo", f"mkfifo {place}"), ("file", f"cp v {place}")):
            yield Case(f"file.{name}-{kind}", f"$W {words} {RUN}", TOLD, setup=f"mkdir -p a; echo precious >v; {setup}", limit=15)
    # Between two phases of a run.
    for backend in ("POSIX", "MMAP", "MPIIO", "DIRECT", "STDIO"):
        yield Case(f"fifo.{backend}", f"lead=0.3; solo $W -a {backend} -w -r -k -t 4k -b 2m -Y --interTestDelay 2 {RUN} -o f; mkfifo z; mv z f; ends 15", TOLD,
                   may="f", quick=backend == "POSIX")
    yield Case("fifo.mdtest", f"watch='d/*/*/file*.20'; lead=0.1; solo $W mdtest -F -C -E -n 30000 -w 10 -e 10 {RUN} -d d; "
               "mkfifo z; mv z d/test-dir.0-0/mdtest_tree.0/file.mdtest.0.3; ends 25", TOLD, limit=40, may="d/*", setup="mkdir d")


def resumed():
    """Killed in mid-run, the same line goes on."""
    lines = {"mdtest": "$W mdtest -n 4000 -i 4 -d d/n", "mdtest-files": "$W mdtest -F -n 4000 -i 4 -d d/n", "ior": "$W -w -t 4k -b 1m -Y -i 8 -o d/n",
             "md-workbench": "$W md-workbench -D 1 -P 600 -I 200 -R 40 -o d/n", "sweep": "$W sweep items=2000,2001,2002,2003 -- mdtest -d d/n",
             "dd": "$W dd if=/dev/zero of=d/n bs=4k count=3k oflag=dsync"}
    for name, line in lines.items():
        yield Case(f"resume.{name}", f"watch='d/n*'; solo {line} {RUN} --resume; kill -KILL $mp; ends 5; {line} {RUN} --resume", DONE, setup="mkdir d", limit=120,
                   may="d/n" if name == "dd" else "", word=False, quick=name == "mdtest")


ROOTS = {"climb": "b=/tmp/..", "climb-far": f"b={'../' * 20}..", "dots": "b=/./..", "link": "b=./link", "link-below": "b=./link/tmp/.."}


def programs():
    victim = "echo precious >victim; mkdir -p w; cd w; ln -s / link; printf 'define param \"d\" $b \"./x\"\\ndelete(\"%s/victim\");' $T >p.pbl; " \
             "printf 'define param \"d\" $b \"./x\"\ndelete(\"$b%s/victim\");' $T >q.pbl"
    for name, words in ROOTS.items():
        program = "q.pbl" if name == "link" else "p.pbl"
        yield Case(f"root.{name}", f"cd w; $W parabench {program} {words}", TOLD, setup=victim, quick=name in ("climb", "link"))
        if name.startswith("climb"):
            yield Case(f"root.environment-{name}", f"cd w; PARABENCH_{words} $W parabench p.pbl", TOLD, setup=victim)
        yield Case(f"root.option-{name}", f"cd w; $W parabench {program} {words} --root {words[2:]}", REFUSED, setup=victim)
    yield Case("root.current", "cd /; $W parabench $T/w/p.pbl", TOLD, setup=victim)
    yield Case("program.huge-sleep", "echo 'sleep 9223372036854775807; print 1;' >p.pbl; $W parabench p.pbl", REFUSED, may="p.pbl", quick=True)
    yield Case("program.computed-sleep", "echo '$a = 9223372036854775; sleep $a * 1000;' >p.pbl; $W parabench p.pbl", FAILED, may="p.pbl")
    yield Case("program.long-sleep", "echo 'sleep 9223372036854775;' >p.pbl; watch=p.pbl; solo $W parabench p.pbl; kill -INT $mp; ends 4", FAILED, may="p.pbl", word=False)
    yield Case("program.huge-call-INT", f"lead=3; watch=x; solo $W parabench p.pbl {RUN}; kill -INT $mp; ends 3", FAILED, may="p.pbl x", word=False,
               setup="echo 'write(\"x\", 8t);' >p.pbl", quick=True)
    yield Case("program.huge-call-limit", f"SECONDS=0; $W parabench p.pbl --time-limit 1s {RUN}; rc=$?; ((SECONDS < 6)) || exit 98; exit $rc", FAILED, may="p.pbl x",
               setup="echo 'write(\"x\", 2g); write(\"x\", 2g);' >p.pbl")
    yield Case("program.memory-of-a-call", "ulimit -v 2000000; $W parabench p.pbl", DONE, setup="echo 'if (0) write(\"x\", 8g); print 1;' >p.pbl")
    yield Case("program.circle", "$M -n 2 $W parabench p.pbl --watchdog 1s --give-up 3s -g a:2 -g b:2", FAILED | {3}, limit=30, word=False, quick=True,
               setup="printf 'define groups { \"a\":D 1, \"b\":D 2 };\\nif ($$rank) { barrier(\"a\"); barrier(\"b\"); } else { barrier(\"b\"); barrier(\"a\"); }' >p.pbl")


def codes():
    """Once a test has run, the exit code is not that of a command line that touched nothing."""
    half = "mkdir d; echo precious >d/g"
    script = "printf 'IOR START\\napi=POSIX\\nwriteFile=1\\nreadFile=0\\ntransferSize=4k\\nblockSize=64k\\ntestFile=d/f\\nRUN\\ntestFile=d/g\\nRUN\\nIOR STOP\\n' >s"
    yield Case("code.script", f"$W -f s {RUN}", FAILED, setup=f"{half}; {script}", quick=True)
    yield Case("code.sweep", f"$W sweep testFile=d/f,d/g -- ior -w -t 4k -b 64k {RUN}", FAILED, setup=half)
    yield Case("code.targets", f"$W targets a b --size 64k --transfer 4k --buffered --alone-only -i 1 {RUN}", FAILED,
               setup="mkdir a b; echo precious >b/weir-targets.00000000")
    yield Case("code.plain-dd", f"$WT dd if=/dev/zero of=f bs=64k count=4 -a fault:posix --fault.stat 4096 --plain {RUN}", FAILED, may="f", quick=True)
    yield Case("code.plain-targets", f"$WT targets a --alone-only --size 256k --transfer 64k --buffered -i 1 -a fault:posix --fault.stat 4096 --plain {RUN}", FAILED, setup="mkdir a")


def idle_ranks():
    """A signal to a rank that sits a step out."""
    steps = {"sweep": ("sweep ranks=1,2 -- ior -w -t 4k -Y -b 600m -F -o f", "f*"), "ior": ("-N 1 -w -t 4k -Y -b 600m -F -o f", "f*"),
             "targets": ("targets a b --alone-only --size 600m --transfer 4k --buffered", "a/*"), "mdtest": ("mdtest -f 1 -l 2 -n 200000 --rate 2000 -d d", "d/*/*"),
             "iozone": ("iozone -l 1 -u 2 -i 0 -i 1 -s 600m -r 4k -o -F f g", "f")}
    for name, (words, watch) in steps.items():
        for number in ("TERM", "INT"):
            yield Case(f"idle.{name}-{number}", f"watch='{watch}'; launch 2 $W {words} {RUN}; kill -{number} ${{ranks[1]}}; ends 8", FAILED, word=False,
                       setup="mkdir -p a b d", quick=(name, number) == ("sweep", "TERM"))


def results():
    """Another process locks, empties or removes the result file."""
    lock = "python3 -c 'import fcntl,time; f=open(\"r.jsonl\",\"a+\"); fcntl.lockf(f,2); open(\"locked\",\"w\"); time.sleep(40)' & lock=$!; " \
           "until [ -e locked ]; do sleep 0.1; done; "
    for name, words in (("mdtest", "mdtest -n 10 -d d"), ("ior", "-w -r -t 4k -b 64k -i 8 -o f"), ("md-workbench", "md-workbench -D 1 -P 20 -I 10 -o d")):
        yield Case(f"result.locked-{name}", f"{lock} $W {words} {RUN} & mp=$!; ends 9; rc=$?; kill $lock; exit $rc", ORDERLY, may="locked", says="lock",
                   quick=name == "mdtest")
    for name in ("mdtest", "iozone", "dd", "md-workbench", "targets", "parabench"):
        command, watch, may = LONG[name]
        for deed, does in (("emptied", ": >s.jsonl"), ("removed", "rm s.jsonl")):
            yield Case(f"result.{deed}-{name}", f"watch='{watch}'; solo {command} --result s.jsonl; {does}; kill -INT $mp; ends 10", ORDERLY,
                       setup=LONG_PROGRAM, may=f"{may} s.jsonl", says=r"weir: [^\n]*s\.jsonl", quick=(name, deed) == ("mdtest", "emptied"))


def lists():
    """A zero byte does not cut the rest of a list off."""
    for name, words, text in (("telemetry-write", "-i 0 -X x -r 1k -f f", "0 4096\\0 garbage\\n"), ("telemetry-read", "-i 0 -i 1 -Y x -r 1k -s 64k -f f", "0 4096\\n\\0garbage\\n"),
                              ("hosts", "-+m x -t 1 -i 0 -s 64k -r 4k", "localhost . weir\\0x f\\n"), ("names", "-+R x -t 1 -i 0 -s 64k -r 4k", "f\\0g\\n")):
        yield Case(f"zero.{name}", f"$W iozone {words}", REFUSED, setup=f"printf '{text}' >x", quick=name == "telemetry-write")
    for name, port in (("99999", 99999), ("0", 0), ("minus", -1)):
        yield Case(f"address.port-{name}", f"$W -a RDMA --rdma.hosts 127.0.0.1:{port} --rdma.secret-file s -w -o /o", REFUSED,
                   setup="head -c 32 /dev/zero | tr '\\0' x >s; chmod 600 s; $W backends | grep -qi rdma || exit 1")
    yield Case("serve.full-stdout", "$W serve --provider tcp --listen 127.0.0.1 --secret-file s --capacity 1m >/dev/full & mp=$!; ends 8", TOLD, word=False,
               setup="head -c 32 /dev/zero | tr '\\0' x >s; chmod 600 s")


def limits():
    """No file may have a byte: this is told, and no rank dies of SIGXFSZ. Open MPI's daemon of a program without mpiexec would take all memory
    under that limit, so only ranks have it."""
    for name in AGAIN | {"ior": ""}:
        line = AGAIN.get(name, "$W -w -t 4k -b 64k -o f")
        yield Case(f"limit.no-bytes-{name}", f"$M -n 2 bash -c 'ulimit -f 0; exec \"$@\"' x {line} 2>&1 | cat >&2; exit ${{PIPESTATUS[0]}}", ORDERLY, setup="mkdir -p a b d",
                   word=False, may="d/* f" if name == "dd" else "d/*", quick=name == "mdtest")
    yield Case("frozen.give-up", "(sleep 12; fsfreeze -u m) & thaw=$!; fsfreeze -f m || void 'cannot freeze'; "
               "$W -w -t 4k -b 64k -o m/f --watchdog 1s --give-up 4s & mp=$!; ends 20; rc=$?; wait $thaw; exit $rc", TOLD | {137}, mount="ext4:32", limit=45,
               says="give-up", word=False, may="m/*")


def cases():
    yield from ended_early()
    yield from run_by_others()
    yield from full()
    yield from foreign()
    yield from resumed()
    yield from programs()
    yield from codes()
    yield from idle_ranks()
    yield from results()
    yield from lists()
    yield from limits()
