#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --expect of runs, sweeps and weir report in every dialect: lines, exit codes, records; JUnit and TAP as their readers take them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >read.py <<'END'
"""read.py junit|tap FILE: {kind: {name: "passed" | "failed" | "skipped"}}; a file that is not well formed, or whose counts are wrong, ends it."""
import collections
import json
import re
import sys
import xml.etree.ElementTree as ET

kinds = collections.defaultdict(dict)
text = open(sys.argv[2], encoding="utf-8").read()
if sys.argv[1] == "junit":
    root = ET.fromstring(text)
    assert root.tag == "testsuites", root.tag
    (suite,) = root
    assert suite.tag == "testsuite" and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp")), suite.attrib
    for case in suite.findall("testcase"):
        state = "failed" if case.find("failure") is not None else "skipped" if case.find("skipped") is not None else "passed"
        if state == "failed":
            assert case.find("failure").get("type") and case.find("failure").get("message"), case.attrib
        kinds[case.get("classname").rpartition(".")[2]][case.get("name")] = state
    states = [state for kind in kinds.values() for state in kind.values()]
    for element in (root, suite):
        assert [int(element.get(key)) for key in ("tests", "failures", "errors", "skipped")] == [
            len(states), states.count("failed"), 0, states.count("skipped")], element.attrib
else:
    lines = text.splitlines()
    assert lines[0] == "TAP version 13", lines[0]
    lines = [line for line in lines[1:] if not line.startswith("#")]
    plan = re.fullmatch(r"1\.\.(\d+)", lines.pop(0))
    assert len(lines) == int(plan[1]), (plan[0], len(lines))
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"(not )?ok (\d+) - [a-z-]+\.([a-z]+): ([^#]*[^# ])( # SKIP .+)?", line)
        assert match and int(match[2]) == number, line
        kinds[match[3]][match[4]] = "failed" if match[1] else "skipped" if match[5] else "passed"
print(json.dumps(kinds))
END
cases() { # cases EXPECTED: of the last report, as JUnit and as TAP, with the words that made it
    local format
    for format in junit tap; do
        capture "$WEIR" report "$result" --format "$format" "${report[@]}"
        cp "$out" report.$format
        "$WEIR_PYTHON" read.py $format report.$format >cases.json || fail "no $format"
        "$WEIR_PYTHON" -c "import json; cases = json.load(open('cases.json')); assert ($1), cases" || fail "$format: not so: $1"
    done
}
stored() { result=$WEIR_ROOT/tests/golden/report/$1.result; }
judged() { # judged CODE LAST-LINE WORDS...: of weir report
    local code=$1 last=$2
    shift 2
    capture "$WEIR" report "$result" "$@"
    expect_exit "$code"
    [[ $(tail -n 1 "$out") =~ $last ]] || fail "the last line is not $last"
    ((code != 1)) || [[ $(tail -n 1 "$err") =~ $last ]] || fail "the last line of standard error is not $last"
}

# ---------------------------------------------------------------- stored runs
stored default
judged 0 'expect pass  write.rate >= 1MB/s: write ' --expect 'write.rate >= 1MB/s'
judged 1 'read.rate >= 900TB/s: read ' --expect 'write.rate >= 1MB/s' --expect 'read.rate >= 900TB/s, p50 <= 1h'
grep -q 'expect pass  p50 <= 1h' "$out" || fail "a condition is not printed"
capture "$WEIR" report "$result" --expect 'write.rate >= 900TB/s' --format json
expect_exit 1
[[ $(tail -n 1 "$err") == 'weir: --expect: write.rate >= 900TB/s: write '* ]] || fail "the last line of standard error"
"$WEIR_PYTHON" -c 'import json, sys
weir = json.load(sys.stdin)["Weir"]
(row,) = weir["conditions"]
assert row["condition"] == "write.rate >= 900TB/s" and not row["holds"] and row["phases"][0]["unit"] == "bytes/s", row' <"$out" || fail "JSON"
stored places # the read is DO NOT USE
judged 1 'DO NOT USE' --expect 'rate > 0, errors = 0'
judged 1 'DO NOT USE' --expect 'rate > 0' --allow-unverified
stored open-loop # the write is UNVERIFIED
judged 1 'UNVERIFIED' --expect 'write.response_p50 <= 1h'
judged 0 'expect pass' --expect 'write.response_p50 <= 1h' --allow-unverified
# A run without its end, or with a damaged record, fulfils nothing in any format.
sed '/"record":"end"/d' "$WEIR_ROOT/tests/golden/data/parabench.jsonl" >killed.jsonl
sed '$i {"record":"phase","run_id":"223a4ce439957467","test":0}' "$WEIR_ROOT/tests/golden/data/parabench.jsonl" >damaged.jsonl
for format in verdict csv-long tap; do
    for result in killed.jsonl damaged.jsonl; do
        capture "$WEIR" report "$result" --format $format --expect 'operations >= 1' --allow-unverified
        expect_exit 1
        expect_error '^weir: --expect: operations >= 1: .*, and the run is PARTIAL'
    done
done
grep -q '^not ok 1 ' "$out" || fail "a damaged run has ended by itself"
capture "$WEIR" report "$WEIR_ROOT/tests/golden/data/parabench.jsonl" --expect 'operations >= 1' --allow-unverified
expect_exit 0
stored default
for words in 'speed >= 1' 'write.rate >= 5ms' 'create.rate >= 1GB/s' 'response_p99 <= 1s' 'rate' 'rate >= 1GB/s,'; do
    capture "$WEIR" report "$result" --expect "$words"
    expect_exit 2
    expect_error '--expect: '
done

# ---------------------------------------------------------------- JUnit and TAP
report=(--expect 'write.rate >= 1MB/s, read.rate >= 900TB/s')
cases 'cases["run"] == {"ended by itself": "passed"} and cases["verdict"] == {"write": "passed", "read": "passed"} and
    cases["expect"] == {"write.rate >= 1MB/s": "passed", "read.rate >= 900TB/s": "failed"}'
report=()
stored places
cases '"failed" in cases["verdict"].values() and "expect" not in cases'
stored open-loop
cases '"skipped" in cases["verdict"].values()'
report=(--allow-unverified)
cases '"skipped" not in cases["verdict"].values()'
report=()
for name in interrupted killed; do
    stored $name
    cases 'cases["run"]["ended by itself"] == "failed"'
done
stored odd-name # control characters, quotes and bytes that are no UTF-8
cases 'len(cases["verdict"]) > 0'
capture "$WEIR" report "$result" --format junit --summary-file report.junit
expect_exit 0

# ---------------------------------------------------------------- runs
result=$work/result.jsonl
printf '$f = fopen("p$$rank", "O_RDWR|O_CREAT");\nctime["io"] { fwrite($f, 65536); }\nfclose($f);\n' >p.pbl
mkdir t1 t2
# Small files are in a cache, on any host.
void=$("$WEIR" help findings | awk '$3 == "void" { print $1 }' | paste -sd,)
holds() { # holds CONDITIONS WORDS...: with --allow-unverified, in a run and in the report of its record
    local conditions=$1
    shift
    rm -f "$result"
    capture "$WEIR" "$@" --expect "$conditions" --allow-unverified --allow "$void" --result "$result"
    expect_exit 0
    grep -q 'expect pass' "$out" || fail "no condition is printed"
    ! grep -q 'expect FAIL' "$out" || fail "a condition fails"
    expect_record "runs[0].plan.output.expect == '$conditions' and end.exit_reason is None"
    judged 0 'expect pass' --expect "$conditions" --allow-unverified
    capture "$WEIR" "$@" --expect 'time <= 0.000001ms' --allow-unverified
    expect_exit 1
    [[ $(tail -n 1 "$out") == *'expect FAIL  time <= 0.000001ms: '* ]] || fail "the last line"
    expect_error '--expect: time <= 0.000001ms: '
}
holds 'write.rate >= 1kB/s, p50 <= 1h' ior -w -r -t 64k -b 256k -o f
holds 'file creation.ops >= 1, errors = 0' mdtest -F -n 10 -d names
holds 'benchmark.ops >= 1' md-workbench -D 1 -I 2 -P 2 -R 1 -S 4096 -o sets
holds 'write.rate >= 1kB/s' iozone -s 64k -r 16k -i 0 -f z
holds 'rate >= 1kB/s' dd if=/dev/zero of=x bs=64k count=4
holds 'operations >= 1' parabench p.pbl
holds 'write.rate >= 1kB/s' targets t1 t2 --alone-only --size 256k --transfer 64k -i 1
holds 'write.rate >= 1kB/s' sweep transfer=32k,64k -- ior -w -b 256k -o s
capture "$WEIR" sweep transfer=32k,64k -- ior -w -b 256k -o s --expect 'rate >= 900TB/s' --result s.jsonl
expect_exit 1
grep -q 'expect FAIL  rate >= 900TB/s: write at transfer=.*(2 of 2 phases fail)' "$out" || fail "the step is not named"
expect_record 'end.exit_code == 1 and end.exit_reason.startswith("--expect: rate >= 900TB/s: ")' s.jsonl
# The run itself did all that it should.
capture "$WEIR" report s.jsonl --run list
grep -q ' yes (exit 1: --expect)$' "$out" || fail "a condition that does not hold is a failed run"

# A run that a signal ends after its first repetition.
rm -f begun
"$WEIR" ior -a DUMMY --measure memory -w -t 64k -b 64k -i 1000 --dummy.delay-xfer=200000 --on-phase ': >begun' --expect 'errors = 0' --allow-unverified >"$out" 2>"$err" &
for ((i = 0; i < 1000; i++)); do
    [ ! -e begun ] || break
    sleep 0.1
done
kill -TERM $!
wait $! && fail "a run that is interrupted exits with 0"
expect_error '^weir: --expect: errors = 0: .*, and the run is PARTIAL'

# Figures that the plan cannot have are refused before the run, and a run has those that are not refused.
cannot() { # cannot FIGURES WORDS...
    local figures=$1 figure
    shift
    for figure in $figures; do
        capture "$WEIR" "$@" --explain --expect "$figure >= 0"
        expect_exit 2
        expect_error "no such phase of the plan measures ${figure##*.}$"
    done
}
cannot 'rate bytes open transfer close overlap cached dirty wrong rank_rate_sum stonewall_rate' mdtest -F -n 10 -d names
cannot 'stat.rate stat.dirty' mdtest -F -n 10 -w 4k -e 4k -d names
cannot 'write.cached read.dirty wrong response_p50 read_p50' ior -w -r -o f
cannot 'stat.rate stat.time stat.cpu cached' md-workbench -D 1 -I 2 -P 2 -R 1 -S 4096 -o sets
capture "$WEIR" ior -w -r -R -t 64k -b 256k -o f --expect 'read.cached >= 0, write.dirty >= 0, wrong = 0, rank_rate_min > 0' --allow-unverified --allow "$void"
expect_exit 0
capture "$WEIR" mdtest -F -n 10 -w 4k -e 4k -d names --expect 'file creation.rate > 0, file read.rate > 0, file stat.ops > 0' --allow-unverified --allow "$void"
expect_exit 0

# A format without a place for them has them on standard error; --plain and the name of an original as well.
ln -s "$WEIR" ior
for words in "$WEIR ior --summaryFormat JSON" "$WEIR ior --summaryFormat CSV" "$WEIR ior --plain" ./ior; do
    # shellcheck disable=SC2086
    capture $words -w -t 64k -b 64k -o f --expect 'rate >= 900TB/s, errors = 0'
    expect_exit 1
    ! grep -q 'weir  expect ' "$out" || fail "standard output has our lines"
    expect_error 'expect FAIL  rate >= 900TB/s'
done
capture "$WEIR" ior -w -t 64k -b 64k -o f --explain --expect 'rate >= 1GB/s' --expect 'errors = 0'
grep -q '^output .*expect rate >= 1GB/s,errors = 0' "$out" || fail "the plan does not have the conditions"
run 2 ior -w -t 64k -b 64k -o "$files/f" --expect 'read.rate >= 1GB/s'
expect_exit 2
expect_error 'there is no phase "read"'
expect_files ''
# Seen through make and set -e.
printf 'all:\n\t%s ior -w -t 64k -b 64k -o f --expect "rate >= 900TB/s"\n' "$WEIR" >Makefile
capture bash -ec "make all; echo not reached"
expect_exit 2
expect_error 'rate >= 900TB/s: write '
! grep -q 'not reached' "$out" || fail "set -e"

# A run prints them itself, also in a file; the exit code is that of the run.
result=$work/result.jsonl
for format in JUnit TAP; do
    for words in 'ior -w -t 64k -b 64k -o f' 'mdtest -F -n 10 -d names' 'sweep transfer=32k,64k -- ior -w -b 256k -o s'; do
        # shellcheck disable=SC2086
        capture "$WEIR" $words --expect 'time <= 0.000001ms' --summaryFormat $format --summaryFile report
        expect_exit 1
        "$WEIR_PYTHON" read.py "${format,,}" report >cases.json || fail "no $format"
        grep -q '"time <= 0.000001ms": "failed"' cases.json || fail "the condition is not there"
        rm report
    done
done
