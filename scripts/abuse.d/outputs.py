# SPDX-License-Identifier: Apache-2.0
"""Files of others as outputs, FIFOs, scripts, closed descriptors, and numbers at the ends of ranges."""
import concurrent.futures
import re

from bed import DONE, FAILED, LACKING, NOT_A_NUMBER, ORDERLY, REFUSED, TOLD, Case, Failed, Task

# What a user may have under the name that is given, and how it is given.
FOREIGN = (("json", r"""printf '{"name": "precious"}\n' >o"""), ("text", "echo precious words >o"), ("empty-line", r"printf '\nprecious\n' >o"),
           ("digits", "echo 2024 budget: my numbers >o"), ("ior-word", "echo IOR- is what I measured with >o"), ("csv", r"printf 'rank,budget\n1,2\n' >o"),
           ("fake", "echo Fake news of today >o"), ("brace", r"""printf '{"record":"mine"}\n' >o"""))
OUTPUTS = (("summary", "--summaryFile=o", ""), ("result", "--result o", ""), ("rank-csv", "-O saveRankPerformanceDetailsCSV=o", ""),
           ("status", "-k -D 5 -O stoneWallingWearOut=1,stoneWallingStatusFile=o", "f"))
SECRET = "head -c 32 /dev/urandom >s; chmod 600 s; "
SERVE = "$W serve --secret-file s --provider tcp --listen 127.0.0.1:0 --capacity 1m"
LOCK = 'import fcntl, sys, time; file = open(sys.argv[1], "r+"); fcntl.lockf(file, fcntl.LOCK_EX); time.sleep(60)'


def foreign():
    for output, words, may in OUTPUTS:
        for kind, make in FOREIGN:
            yield Case(f"output.{output}-{kind}", f"$W $S -o f {words}", TOLD, setup=make, may=may, quick=kind in ("json", "digits"))
        for kind, make in (("fifo", "mkfifo o"), ("directory", "mkdir o"), ("symlink", "echo precious >p; ln -s p o")):
            yield Case(f"output.{output}-{kind}", f"$M -n 2 $W $S -o f {words}", TOLD, limit=10, setup=make, may=may, quick=kind == "fifo")
        yield Case(f"output.{output}-is-the-target", f"$W $S {words.replace('=o', '=f').replace(' o', ' f')} -o f", TOLD, may=may)
    yield Case("output.summary-fifo-overwrite", "$W $S --overwrite -o f --summaryFile=o", TOLD, limit=10, setup="mkfifo o")
    yield Case("output.op-csv-fifo", "$W $S -o f -O savePerOpDataCSV=$T/op", TOLD, limit=10, setup="mkfifo op-write-0-00000.csv")
    yield Case("output.op-csv-foreign", "$W $S -o f -O savePerOpDataCSV=$T/op", TOLD, setup="echo precious >op-write-0-00000.csv")
    yield Case("output.report-summary-fifo", "$W report r.jsonl --summary-file o", TOLD, limit=10, setup="$W $S -o f --result r.jsonl; mkfifo o")
    yield Case("output.report-summary-foreign", "$W report r.jsonl --summary-file o", TOLD, setup="$W $S -o f --result r.jsonl; echo precious >o")
    for output, words in (("report-output", "report r.jsonl --output o"), ("export", "export sqlite r.jsonl -o o")):
        for kind, make in (("fifo", "mkfifo o"), ("directory", "mkdir o"), ("foreign", "echo precious >o"), ("device", "ln -s /dev/null o")):
            yield Case(f"output.{output}-{kind}", f"$W {words}", REFUSED, limit=10, setup=f"$W $S -o f --result r.jsonl; {make}", quick=kind == "foreign")
        yield Case(f"output.{output}-full", f"head -c 100k /dev/zero >m/fill 2>/dev/null; $W {words.replace(' o', ' m/o')}; rc=$?; rm m/fill; [[ -z $(ls -A m) ]] || exit 9; exit $rc", TOLD,
                   setup="$W $S -o f --result r.jsonl", mount="tmpfs:size=64k")
    yield Case("output.export-killed", "watch=/; solo $W export sqlite r.jsonl r.jsonl r.jsonl -o o; kill -KILL $mp; wait; rm -f .weir-*.new; [[ ! -s o || $(head -c 6 o) == SQLite ]]", ORDERLY,
               setup="$W $S -o f --result r.jsonl; for ((i = 0; i < 8; i++)); do cat r.jsonl r.jsonl >s; mv s r.jsonl; done", word=False)
    yield Case("output.result-is-a-benchmark-file", "$W $S -o f --result g", TOLD, setup="$W -w -k -t 64k -b 1m -o g")
    yield Case("output.result-dev-null", "$W $S -o f --result /dev/null", ORDERLY)
    yield Case("output.rank-csv-ours", "$W $S -o f -O saveRankPerformanceDetailsCSV=o", DONE, may="o",
               setup="$W $S -o f -O saveRankPerformanceDetailsCSV=o")
    yield Case("output.two-runs-one-result", "$M -n 2 $W $S -i 20 -o f --result r.jsonl & first=$!; $M -n 2 $W $S -i 20 -o g --result r.jsonl; rc=$?; wait $first || rc=$?; "
               "exit $rc", ORDERLY)
    for kind, make in (("fifo", "mkfifo o"), ("foreign", "echo precious >o"), ("is-the-secret", "cp s o")):
        yield Case(f"output.advertise-{kind}", f"{SERVE} --advertise o", TOLD, limit=8, setup=SECRET + make, quick=kind == "fifo")
    yield Case("output.advertise-fifo-ends", f"watch=/; lead=1; solo {SERVE} --advertise o; kill -TERM $mp; ends 5", ORDERLY | {143}, setup=SECRET + "mkfifo o",
               word=False, quick=True)
    yield Case("output.serve-dev-full", f"{SERVE} >/dev/full", TOLD, limit=8, setup=SECRET, quick=True)
    yield Case("output.serve-dev-full-advertise", f"{SERVE} --advertise o >/dev/full; rc=$?; [[ ! -e o ]] || exit 9; exit $rc", TOLD, limit=8, setup=SECRET)
    yield Case("output.advertise-full", f"head -c 100k /dev/zero >m/fill 2>/dev/null; {SERVE} --advertise m/o; rc=$?; rm m/fill; [[ ! -e m/o ]] || exit 9; exit $rc", TOLD,
               limit=8, setup=SECRET, mount="tmpfs:size=64k")
    yield Case("output.advertise-locked", f"python3 -c '{LOCK}' o >/dev/null & holder=$!; sleep 1; watch=/; lead=2; solo {SERVE} --advertise o; kill -TERM $mp; ends 5; "
               "rc=$?; kill $holder; exit $rc", ORDERLY | {143}, setup=SECRET + "echo 127.0.0.1:7 >o", word=False)
    for count in ("-1", "1e9", "99999999999999999999999", "0", "nan", "5 garbage", "''"):
        yield Case(f"output.status-says-{count.strip(chr(39)).replace(' ', '-')[:8] or 'nothing'}", "$W -r -k -D 5 -t 64k -b 1m --stoneWallingStatusFile=st -o f",
                   TOLD, setup=f"$W -w -k -t 64k -b 1m -o f; echo {count} >st", quick=count in ("-1", "1e9"))
    # mdtest's has the number of files, and in a second line that of directories.
    for name, lines in (("word", "5\\nfolders 3\\n"), ("negative", "5\\ndirectories -3\\n"), ("no-number", "5\\ndirectories \\n"),
                        ("third-line", "5\\ndirectories 3\\n7\\n"), ("huge", "5\\ndirectories 99999999999999999999999\\n"), ("nul", "5\\ndirectories 3\\0\\n")):
        yield Case(f"output.mdtest-status-{name}", "$W mdtest -T -n 8 -x st -d d", TOLD,
                   setup=f"$W mdtest -C -n 8 -d d; printf '{lines}' >st", quick=name == "negative")


def inputs():
    """A FIFO as an input waits for its writer, as with cat; SIGTERM ends that. What must be regular is refused at once."""
    for name, words in (("script", "-f o"), ("hints", "-a MPIIO $S -o f --mpiio.hintsFileName=o"), ("rankfile", "$S -o f --pin rankfile:o"),
                        ("report", "report o"), ("compare", "compare o -- r"), ("export", "export sqlite o -o d")):
        yield Case(f"input.fifo-{name}", f"watch=/; solo $W {words}; kill -TERM $mp; ends 5", ORDERLY | {143}, setup="mkfifo o", word=False)
    for kind, host in (("port-0", "127.0.0.1:0"), ("port-99999", "127.0.0.1:99999"), ("port-negative", "127.0.0.1:-1"), ("unknown", "none.invalid:7")):
        yield Case(f"input.hosts-{kind}", f"$W -a RDMA --rdma.hosts {host} --rdma.secret-file s -w -o /o", REFUSED, setup=SECRET, says=re.escape(host),
                   quick=kind == "port-0")
    yield Case("input.hosts-file-nul", "$W -a RDMA --rdma.hosts-file h --rdma.secret-file s -w -o /o", REFUSED, says="h:2: is no text",
               setup=SECRET + r"printf '127.0.0.1:7\n127.0.0.1:8\0 9\n' >h")
    yield Case("input.fifo-secret", "$W serve --secret-file o", TOLD, limit=8, setup="mkfifo o; chmod 600 o")
    yield Case("input.fifo-back", f"{SERVE} --back o", TOLD, limit=8, setup=SECRET + "mkfifo o")
    yield Case("input.fifo-doctor", "$W doctor o >/dev/null", ORDERLY, limit=15, setup="mkfifo o", word=False)
    start, stop = "IOR START\\n", "writeFile=1\\nblocksize=1m\\ntestFile=f\\nRUN\\nIOR STOP\\n"
    rows = (("garbage", "head -c 100000 /dev/urandom >s", TOLD), ("line-of-10-mb", "(printf 'IOR START\\n'; printf '%010000000d' 0) >s", TOLD),
            ("name-of-10-mb", "(printf 'IOR START\\ntestFile='; printf '%010000000d' 0; printf '\\nRUN\\n') >s", TOLD),
            ("recursion", f"printf '{start}scriptFile=s\\nRUN\\nIOR STOP\\n' >s", TOLD),
            ("crlf", f"printf '{start}{stop}' | sed 's/$/\\r/' >s", DONE), ("nul", f"printf '{start}writeFile=1\\0\\n{stop}' >s", TOLD),
            ("bom", f"printf '\\xef\\xbb\\xbf{start}{stop}' >s", DONE), ("no-stop", f"printf '{start}testFile=f\\nwriteFile=1\\nblocksize=1m\\nRUN' >s", DONE),
            ("empty", "true >s", TOLD), ("directory", "mkdir s", TOLD), ("missing", "true", TOLD))
    for name, make, rc in rows:
        yield Case(f"script.{name}", "$W -f s", rc, setup=make, quick=name == "bom")
    yield Case("script.dev-zero", "ulimit -v 4000000; $W -f /dev/zero", TOLD)
    yield Case("script.dev-null", "$W -f /dev/null", TOLD)
    yield Case("script.many-tests", "watch=/; lead=3; solo $W -a DUMMY -f s >/dev/null; kill -INT $mp; ends 4", ORDERLY | {130}, word=False,
               setup="(echo IOR START; for ((i = 0; i < 20000; i++)); do printf 'writeFile=1\\nblocksize=64k\\ntransfersize=64k\\nRUN\\n'; done; echo IOR STOP) >s")
    yield Case("words.garbage-of-O", "$W -O ',,,=,=a,b=' -o f", TOLD)
    yield Case("words.many", "$W $(yes -- -v | head -20000) -w -t 64k -b 64k -o f >/dev/null", DONE)
    yield Case("words.remark", r"""$W -w -t 64k -b 64k -o f --debug='%s%n%p "\' --platform $'\x01\xff' --summaryFormat JSON --result r.jsonl""", DONE,
               output="json")


def descriptors():
    for name, closed, rc in (("stdin", "<&-", DONE), ("stdout", ">&-", TOLD), ("stderr", "2>&-", DONE), ("in-and-out", "<&- >&-", TOLD),
                             ("all", "<&- >&- 2>&-", TOLD)):
        yield Case(f"closed.{name}", f"$W -w -t 64k -b 1m -k -o f --result r.jsonl {closed}; rc=$?; [[ ! -e f ]] || $W -r -R -k -t 64k -b 1m -o f >/dev/null || exit 9; exit $rc",
                   rc, may="f", word=name not in ("all", "stderr"), quick=name == "in-and-out")
    yield Case("closed.pipe", "$W $S -i 50 -o f | head -1; exit ${PIPESTATUS[0]}", ORDERLY | {141}, word=False)
    yield Case("closed.pipe-of-mpiexec", "$M -n 2 $W $S -i 50 -o f | head -1; exit ${PIPESTATUS[0]}", ORDERLY | {139, 141}, word=False)
    yield Case("closed.directory-gone", "mkdir d; cd d; rmdir ../d; $W $S -o f", TOLD)



def help_pages():
    """Names that are no finding are refused with a hint; a page that cannot be printed is an error."""
    for name, words, hint in (("mistyped", "residnt", "weir help resident"), ("command", "mdtst", "weir help mdtest"), ("unknown", "zzzzzz", "weir help findings"),
                              ("empty", "''", ""), ("blank", "' '", ""), ("long", "$(printf '%0100000d' 0)", ""), ("control", "$'a\\x01\\xff\\nb'", ""),
                              ("format", "'%s%n%p'", ""), ("option", "--no-such", ""), ("two", "resident short", ""), ("path", "/etc/passwd", "")):
        yield Case(f"help.{name}", f"$W help {words}", REFUSED, says=hint and re.escape(hint), quick=name in ("mistyped", "control"))
    for topic in ("resident", "cached", "findings", "mdtest", ""):
        yield Case(f"help.shown-{topic or 'all'}", f"$W help {topic}", DONE, word=False, quick=topic == "cached")
        yield Case(f"help.full-{topic or 'all'}", f"$W help {topic} >/dev/full", TOLD, says="o space left", quick=topic == "resident")
        yield Case(f"help.closed-{topic or 'all'}", f"$W help {topic} >&-", TOLD)
    yield Case("help.pipe", "$W help findings | head -1; exit ${PIPESTATUS[0]}", ORDERLY | {141}, word=False)
    yield Case("help.ranks", "$M -n 2 $W help resident", DONE, word=False)
    yield Case("help.ranks-unknown", "$M -n 2 $W help residnt", REFUSED, says="weir help resident")


def conditions():
    """--expect: what is no condition is refused before a file is made; what does not hold is said, whatever ends the run."""
    rows = (("empty", "''"), ("comma", "','"), ("no-operator", "rate"), ("two-operators", "'1 < rate < 2'"), ("arrow", "'rate => 1'"), ("dot", "'.rate > 1'"),
            ("only-operator", "'>='"), ("unknown", "'speed > 1'"), ("phase", "'stat.ops > 1'"), ("unit", "'rate > 5ms'"), ("nan", "'rate >= nanGB/s'"),
            ("negative", "'rate >= -1GB/s'"), ("huge", "'rate >= 99999999999999999999GB/s'"), ("exponent", "'rate >= 1e9'"), ("format", "'%s%n%p >= 1'"),
            ("control", "$'a\\x01\\xff\\e[2J >= 1'"), ("newline", "$'errors = 0\\n\\n'"), ("long-name", "\"$(printf '%0100000d' 0) > 1\""),
            ("many", "\"$(yes 'errors = 0,' | head -5000)\""))
    for name, words in rows:
        yield Case(f"expect.{name}", f"$M -n 2 $W $S -o f --expect {words}; rc=$?; [[ ! -e f ]] || exit 9; exit $rc", REFUSED, quick=name in ("unknown", "huge", "control"))
        yield Case(f"expect.report-{name}", f"$W report r --expect {words} >/dev/null", REFUSED, setup="$W $S -o f --result r")
    yield Case("expect.fails", "$M -n 2 $W $S -o f --expect 'rate >= 900TB/s, errors = 0'", FAILED, says="rate >= 900TB/s", quick=True)
    yield Case("expect.full", "$W $S -o f --expect 'rate >= 900TB/s' >/dev/full", LACKING, says="o space left")
    yield Case("expect.interrupted", "watch=f; solo $W -w -t 64k -b 64m --rate 10 -o f --expect 'rate > 0' >/dev/null; kill -TERM $mp; ends 8", FAILED,
               says="rate > 0")
    for form in ("junit", "tap"):
        yield Case(f"expect.{form}-full", f"$W report r --format {form} >/dev/full", LACKING, setup="$W $S -o f --result r", says="o space left", quick=form == "tap")
        yield Case(f"expect.{form}-two-runs", f"$W report r --run all --format {form}", REFUSED, setup="$W $S -o f --result r; $W $S -o f --result r")
        yield Case(f"expect.{form}-odd-names", f"$W report r --format {form}", DONE, word=False,
                   setup="$W $S -o $'f\\x01\\xff#<&\"' --result r --expect 'errors = 0'; true")


def live():
    """--live and --on-phase: what reads them never ends or changes the run."""
    slow = "$M -n 2 $W -a DUMMY --dummy.delay-xfer=50000 -w -t 64k -b 1m"
    yield Case("live.no-reader", f"{slow} --live unix:away", DONE, says="lines were dropped", quick=True)
    yield Case("live.full", f"{slow} --live /dev/full", DONE, says="the run continues without it", quick=True)
    for kind, make in (("fifo", "mkfifo o"), ("directory", "mkdir o"), ("foreign", "echo precious >o"), ("result", "$W $S -o f --result o")):
        yield Case(f"live.{kind}", f"{slow} --live o", REFUSED, limit=20, setup=make, says="--live", quick=kind == "fifo")
    for name, words in (("empty", "''"), ("socket-empty", "unix:"), ("socket-long", "unix:/$(printf '%0200d' 0)"), ("is-the-target", "f -o f")):
        yield Case(f"live.{name}", f"$W $S --live {words}", REFUSED, says="" if "target" in name else "--live")
    for name, command, rc, says in (("exits-1", "exit 1", DONE, "exit code 1"), ("hangs", "sleep 600", DONE, "was killed"), ("prints", "yes", DONE, "was killed"),
                                    ("kills-itself", "kill -9 $$", DONE, "signal 9"), ("kills-its-parent", "kill -9 $PPID", DONE, "is gone"),
                                    ("stops-its-parent", "kill -STOP $PPID", DONE, "is gone"), ("missing", "/no/such", DONE, "exit code 127"),
                                    ("prints-controls", "printf '\\033[2J\\001'", DONE, ""), ("reads-nothing", "exec <&-", DONE, "")):
        yield Case(f"on-phase.{name}", f"$M -n 2 $W $S -o f --on-phase-limit 0.3 --on-phase '{command}'", rc, limit=60, says=says, quick=name in ("hangs", "exits-1"))
    yield Case("on-phase.rank-killed", "watch=/; lead=3; solo $W -a DUMMY --dummy.delay-xfer=10000 -w -t 64k -b 64m -i 99 --on-phase 'sleep 77'; kill -KILL $mp; ends 5; "
               "rc=$?; sleep 1; ! pgrep -x -f 'sleep 77' || exit 9; exit $rc", {137}, word=False)
    yield Case("on-phase.term", "watch=/; lead=3; solo $W $S -o f -i 99 --on-phase 'sleep 78'; kill -TERM $mp; ends 8", ORDERLY, word=False)


VALUES = ("-1 0 1 2 nan NaN inf -inf 1e3 1e308 1e-320 99999999999999999999 9223372036854775807 9223372036854775808 18446744073709551615 "
          "-9223372036854775808 8e 0x10 1.5 1.5g 1k 1kk 1m 9999999t 8388608t 16777216t 1,000 １ 4294967296 4294967297 2147483647 2147483648 -- "
          "$(id)").split() + ["", "  ", "1 ", "+1"]
OPTIONS = {
    "POSIX": "-b -t -s -i -N -Q -A -d -D -G -j -T -X -M --random-offset-seed --stoneWallingWearOutIterations --minTimeDuration --interIODelay "
             "--memoryPerTask --randomPrefill --numNodes --numTasksOnNode0 --read-percent --rate --stop-before --pin --membind",
    "URING": "--depth --batch --uring.entries --uring.sqpoll-cpu --uring.sqpoll-idle",
    "AIO": "--aio.max-pending --aio.granularity",
    "RDMA": "--rdma.gid --rdma.capacity --rdma.stripe-unit --rdma.stripe-count --rdma.timeout --rdma.spin --rdma.targets --rdma.mtu",
    "DUMMY": "--dummy.delay-xfer --dummy.delay-create --dummy.delay-close --dummy.delay-sync",
}
# Values that a run refuses: --explain says so as well.
REFUSED_BY_A_RUN = ("RDMA --rdma.capacity=0", "RDMA --rdma.timeout=0", "RDMA --rdma.targets=nan",
                    "RDMA --rdma.targets=0", "RDMA --rdma.mtu=4294967296", "RDMA --rdma.stripe-unit=1",
                    "URING --uring.sqpoll --uring.sqpoll-cpu=9223372036854775807", "URING --uring.sqpoll --uring.sqpoll-idle=4294967297")
RUNS = ("-i 9223372036854775807 -D 1", "-s 4294967296 -b 4294967296", "-s 1099511627776", "-t 1 -b 64", "-b 1000001 -t 1000", "-t 2m -b 1m",
        "-t 16t -b 16t", "-t 1t -b 1t", "--memoryPerTask=9223372036854775807", "--memoryPerTask=1000g", "-M 200%", "-M -5%", "-M 100t", "-N 5", "-N 0",
        "-N -2", "-Q 9223372036854775807 -C", "--numNodes 1000000", "--numTasksOnNode0 1000000",
        "--stoneWallingWearOut --stoneWallingWearOutIterations 9223372036854775807 -D 1 -b 4m", "--interIODelay 4294967296", "--rate 1 -t 512k",
        "--rate 1e9", "--rate 4294967296", "--rate 0.0001", "-d 4294967296", "--minTimeDuration 1", "--stop-before 4294967296", "-T 0.00001 -i 100",
        "-Z -X -9223372036854775808", "-a URING --depth 99999", "-a URING --depth 4096", "-a AIO --depth 65536",
        "-a URING --depth 8 --uring.entries 9223372036854775807", "-a RDMA --rdma.capacity 8t", "-a RDMA --rdma.stripe-count 9223372036854775807",
        "-a RDMA --rdma.spin 4294967296", "-a DUMMY --dummy.delay-xfer 4294967296", "-G -1 -R -W", "-z --randomPrefill 16t", "-z --randomPrefill 3",
        "--read-percent 100", "-a URING --depth 8 --batch 2147483648", "--pin list:999", "--pin list:0-99999999999", "--membind node:9999",
        "-A 9223372036854775807")


def explained(backend):
    def check(bed, folder):
        pairs = [(option, value) for option in OPTIONS[backend].split() for value in VALUES]
        if bed.quick:
            pairs = pairs[::8]

        def explain(number):
            option, value = pairs[number]
            place = folder / str(number)
            place.mkdir()
            words = [f"{option}={value}"] if option.startswith("--") else [option, value]
            return bed.run_weir(place, "-a", backend, "--explain", "-w", "-r", "-o", place / "f", *words, seconds=10)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (option, value), (rc, out, err) in zip(pairs, pool.map(explain, range(len(pairs)))):
                if rc not in (0, 2, 3) or (rc and len(err.splitlines()) != 1) or (not rc and NOT_A_NUMBER.search(out)):
                    raise Failed("WRONG", f"{option} {value!r}: exit code {rc}; {err.strip()[:200]}")
        return f"{len(pairs)} values"
    return check


def refused_by_both(words):
    backend, *options = words.split()

    def check(bed, folder):
        for ranks, more in ((1, ["--explain"]), (2, [])):
            rc, _, err = bed.run_weir(folder, "-a", backend, *more, "-w", "-t", "64k", "-b", "64k", "-o", folder / "f", *options, ranks=ranks, seconds=20)
            if rc not in REFUSED | LACKING:
                raise Failed("WRONG", f"{' '.join(more) or 'the run'} takes it: exit code {rc}; {err.strip()[:160]}")
    return check


def numbers():
    for backend in OPTIONS:
        yield Task(f"number.explain-{backend}", explained(backend), quick=True)
    for words in REFUSED_BY_A_RUN:
        yield Task(f"number.refused{re.sub('[^a-z0-9.=]+', '-', words.lower().partition(' ')[2])}", refused_by_both(words), quick="nan" in words)
    # What is accepted and takes for ever ends by a signal, in order.
    for words in RUNS:
        yield Case(f"number.run{re.sub('[^A-Za-z0-9.=%]+', '-', words)[:34]}",
                   f"watch=/; lead=${{LEAD-2}}; launch 2 $W $S {words} -o f --result r.jsonl; ((${{#ranks[@]}} == 0)) || kill -TERM $mp; ends 8", ORDERLY | {143},
                   word=False, quick=words in ("-d 4294967296", "--interIODelay 4294967296"))


def pages():
    """Pages and pictures of odd runs, and files of others in their place."""
    odd = "$M -n 4 $W $S -F -o $'f\\x01\\xff#<&\"' --label $'\"><script>alert(1)</script>\\e[31m' --result r"
    yield Case("page.odd-names", "$W report r --format html | (! grep -aq '<script')", DONE, word=False, setup=f"{odd}; true", quick=True)
    yield Case("page.odd-names-gnuplot", "$W report r --picture ranks-write --format gnuplot | (! grep -aq '`')", DONE, word=False, setup=f"{odd}; true")
    yield Case("page.full", "$W report r --format html >/dev/full", LACKING, setup="$W $S -o f --result r", says="o space left", quick=True)
    yield Case("page.cut", "head -c 3000 r >s; $W report s --format html >/dev/null", TOLD, may="s", setup="$W $S -o f --result r; true")
    yield Case("page.no-phase", "head -n 1 r >s; $W report s --format html >/dev/null", DONE, word=False, may="s", setup="$W $S -o f --result r; true")
    for name, words in (("none", "--picture ''"), ("control", "--picture $'\\e[31m'"), ("long", "--picture $(printf '%0100000d' 0)"), ("format", "--picture '%s%n%p'"),
                        ("two", "--picture rate --format svg"), ("yaml", "--picture rate --format yaml"), ("alone", "--format gnuplot"), ("plain", "--format html --plain")):
        yield Case(f"page.refused-{name}", f"$W report r {words} >/dev/null", REFUSED, setup="$W $S -o f --result r", quick=name in ("none", "format"))
    for form in ("html", "svg --picture latency", "gnuplot --picture latency"):
        for kind, make in (("fifo", "mkfifo o"), ("foreign", "echo precious >o")):
            yield Case(f"page.{form.split()[0]}-{kind}", f"$W report r --format {form} --output o", REFUSED, limit=10, setup=f"$W -w -t 4k -b 4m -o f --result r; {make}")
        yield Case(f"page.{form.split()[0]}-again", f"$W report r --format {form} --output o && $W report r --format {form} --output o", DONE, word=False, may="o",
                   setup="$W -w -t 4k -b 4m -o f --result r; true")


def cases():
    yield from foreign()
    yield from pages()
    yield from inputs()
    yield from descriptors()
    yield from help_pages()
    yield from conditions()
    yield from live()
    yield from numbers()
