# SPDX-License-Identifier: Apache-2.0
"""weir report, weir compare and --expect on files that are whole, cut, damaged, mixed, missing, growing, and on full disks.

The exit codes are those of docs/exit-codes.md."""
from bed import DONE, FAILED, LACKING, REFUSED, Case

FORMATS = {"text": "", "csv": "csv", "json": "json", "csv-long": "csv", "json-long": "json", "verdict": "", "markdown": "", "junit": "", "tap": ""}
# Two runs each in a and b, one of another dialect in n and in t, and files that are wrong.
ONE = "for i in 1 2; do for o in a b; do $W $S -o f --measure cache --result $o >/dev/null; done; done; "
WRONG = {
    "cut": "head -c -300 a >x",  # the end of the last run is lost
    "headless": "tail -n 4 a | sed '1s/{/[/' >x",
    "planless": "head -n 4 a | sed '1s/\"tests\"/\"tsets\"/' >x",
    "other-dialect": "$W mdtest -n 2 -d t --result y >/dev/null; sed 's/\"dialect\": *\"mdtest\"/\"dialect\":\"ior\"/g' y >x; rm y",
    "old-schema": "head -n 4 a | sed 's/weir-result-2/weir-result-9/' >x",
    "empty": ": >x",
    "text": "echo no record >x",
    "binary": "head -c 100000 /dev/urandom >x",
    "deep": "python3 -c 'print(\"[\" * 200000)' >x",
    "long-line": "head -c 50M /dev/zero | tr '\\0' x >x",
    "directory": "mkdir x",
    "missing": "true",
}
MIXED = ("$M -n 2 $W net --provider tcp --duration 0.01 --warm-up 0 --result n >/dev/null; $W mdtest -n 2 -d t --result t.jsonl >/dev/null; "
         "$W sweep transfer=32k,64k -- ior -w -b 64k -o s --result v >/dev/null; printf 'word\\n[1]\\n{}\\n\\0\\n{\"record\":7}\\n' >g; "
         "head -c 100 a >h; cat a g n h t.jsonl g v b >x")
GROWS = ("for i in 1 2 3 4 5 6 7 8; do $W $S -i 4 -o f --measure cache --result a >/dev/null; done & ")


def reports():
    for name, output in FORMATS.items():
        words = f"--format {name}" if name != "text" else ""
        quick = name in ("text", "json-long")
        yield Case(f"report.{name}", f"$W report a {words}", DONE, setup=ONE, output=output, quick=quick, word=False)
        for wrong, make in WRONG.items():
            whole = wrong == "cut"
            if name not in ("text", "json-long") and wrong not in ("cut", "planless", "missing"):
                continue
            yield Case(f"report.{name}-{wrong}", f"ulimit -v 1000000; $W report x {words}{'' if whole else '; rc=$?; exit $rc'}", DONE if whole else LACKING,
                       setup=ONE + make, output=output if whole else "", quick=quick and wrong in ("cut", "planless", "other-dialect"))
        yield Case(f"report.{name}-two-files", f"$W report a x {words} >o; rc=$?; [[ ! -s o ]] || exit 9; exit $rc", LACKING, setup=ONE, may="o")
        yield Case(f"report.{name}-dev-full", f"$W report a {words} >/dev/full", LACKING, setup=ONE, quick=quick)
        yield Case(f"report.{name}-full-disk", f"head -c 1m /dev/zero >m/fill 2>/dev/null; $W report a {words} --summary-file m/o", LACKING, setup=ONE,
                   mount="tmpfs:size=64k", may="m/*")
        yield Case(f"report.{name}-no-folder", f"$W report a {words} --summary-file none/o", LACKING, setup=ONE)
        yield Case(f"report.{name}-to-folder", f"mkdir -p o; $W report a {words} --summary-file o", {2, 3}, setup=ONE, quick=quick)
        yield Case(f"report.{name}-itself", f"$W report a {words} --summary-file a", {2, 3}, setup=ONE, quick=quick)
        yield Case(f"report.{name}-grows", GROWS + f"for i in 1 2 3 4 5 6 7 8 9 10; do $W report a {words} >o 2>e || exit; done; wait", DONE,
                   setup=ONE, may="a f o e", word=False, limit=60, quick=quick)
    for name in ("csv-long", "json-long"):
        yield Case(f"report.{name}-mixed", f"$W report x --run all --format {name}", DONE, setup=ONE + MIXED, output=FORMATS[name], quick=name == "json-long",
                   says="lines? (is|are) damaged or cut off")
    yield Case("report.list-mixed", "$W report x --run list", DONE, setup=ONE + MIXED, says="lines? (is|are) damaged or cut off")
    for word in ("0", "-1", "99999999999999999999", "zz", "%s", "''", "1e1"):
        yield Case(f"report.run-{word.strip(chr(39)) or 'empty'}", f"$W report a --run {word}", REFUSED, setup=ONE)


def conditions():
    for place, command in (("report", "$W report a"), ("run", "$W $S -o g --measure cache --allow-unverified --allow short,spread")):
        yield Case(f"expect.{place}-fails", f"{command} --expect 'rate >= 1000TB/s'", FAILED, setup=ONE, may="g", quick=True,
                   says="weir: --expect: rate >= 1000TB/s: ")
        yield Case(f"expect.{place}-csv-long-fails", f"{command} --expect 'rate >= 1000TB/s' {'--format' if place == 'report' else '--summaryFormat'} csv-long", FAILED | REFUSED, setup=ONE, may="g")
        yield Case(f"expect.{place}-many", f"{command} --expect \"$(yes 'errors = 0,' | head -400 | tr -d '\\n') errors = 0\"", {0, 1, 2}, setup=ONE, may="g", word=False)
        for name, text in (("figure", "speed >= 1"), ("phase", "stat.rate >= 1GB/s"), ("unit", "rate >= 5ms"), ("nan", "rate >= nan"), ("infinite", "rate >= 1e999GB/s"),
                           ("empty", ""), ("commas", ",,,"), ("operator", "rate => 1GB/s"), ("format", "%s%n.rate >= 1GB/s"), ("negative", "errors >= -1")):
            yield Case(f"expect.{place}-{name}", f"{command} --expect '{text}' --result r.jsonl" if place == "run" else f"{command} --expect '{text}'",
                       REFUSED, setup=ONE, quick=name in ("figure", "nan"))
    for wrong, make in WRONG.items():
        if wrong != "cut":
            yield Case(f"expect.{wrong}", "$W report x --expect 'errors = 0'", LACKING, setup=ONE + make)


def comparisons():
    for name, output in (("text", ""), ("json", "json")):
        words = f"--format {name}" if name != "text" else ""
        for wrong, make in WRONG.items():
            whole = wrong == "cut"
            for side, sides in (("a", "x -- b"), ("b", "b -- x")):
                yield Case(f"compare.{name}-{wrong}-{side}", f"ulimit -v 1000000; $W compare {sides} {words} --allow-unsure", {0, 1} if whole else LACKING,
                           setup=ONE + make, word=False, quick=name == "text" and wrong in ("cut", "planless") and side == "a")
        yield Case(f"compare.{name}-undecided", f"$W compare a --run 1 -- b --run 1 {words}", LACKING, setup=ONE, output=output, says="exit 3: ", quick=True)
        yield Case(f"compare.{name}-allowed", f"$W compare a --run 1 -- b --run 1 {words} --allow-unsure", DONE, setup=ONE, output=output, word=False)
        yield Case(f"compare.{name}-unmatched", f"$W compare a -- x {words}", LACKING, setup=ONE + "$W mdtest -n 2 -d t --result x >/dev/null", output=output,
                   says="exit 3: ")
        yield Case(f"compare.{name}-mixed", f"$W compare x -- b {words} --allow-unsure", {0, 1, 2, 3}, setup=ONE + MIXED, word=False)
        yield Case(f"compare.{name}-dev-full", f"$W compare a -- b {words} --allow-unsure >/dev/full", LACKING, setup=ONE, quick=name == "text")
        yield Case(f"compare.{name}-grows", GROWS + f"for i in 1 2 3 4 5 6 7 8; do $W compare a -- b {words} --allow-unsure >o 2>e; rc=$?; ((rc <= 1)) || exit $rc; done; wait",
                   DONE, setup=ONE, may="a f o e", word=False, limit=60)
    yield Case("compare.itself", "$W compare a -- a", REFUSED, setup=ONE, says="in A and in B", quick=True)
    yield Case("compare.copy-of-itself", "cp a c; $W compare a -- c", REFUSED, setup=ONE, may="c", says="in A and in B")
    yield Case("compare.no-side", "$W compare a --", REFUSED, setup=ONE)
    yield Case("compare.no-parting", "$W compare a b", REFUSED, setup=ONE)
    yield Case("compare.too-few-cases", "$W compare a -- b --allow-unsure --expect-cases 9", {5}, setup=ONE, word=False)
    yield Case("compare.unsure", "$W compare a --run 1 -- b --run 1 --fail-if-unsure --allow-unsure", {2, 4}, setup=ONE, word=False)
    yield Case("compare.unknown-figure", "$W compare a -- b --figures speed", REFUSED, setup=ONE)
    # Neither make nor set -e hides the reason: it is on the last line.
    yield Case("compare.make", r"""printf 'gate:\n\t@$W compare a --run 1 -- b --run 1\n' >Makefile; make -s >o 2>e; rc=$?; tail -n 1 o | grep 'exit 3: ' || exit 9; exit $rc""", {2},
               setup=ONE, may="Makefile o e", word=False, quick=True)
    yield Case("expect.make", r"""printf "gate:\n\t@$W report a --expect 'rate >= 1000TB/s'\n" >Makefile; make -s >o 2>e; rc=$?; tail -n 1 o | grep 'expect FAIL' || exit 9; exit $rc""",
               {2}, setup=ONE, may="Makefile o e", word=False, quick=True)


def cases():
    yield from reports()
    yield from conditions()
    yield from comparisons()
