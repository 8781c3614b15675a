#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs that share a result file, and how weir report tells them apart; words of weir report; a script as other editors
# write it.
. "$(dirname "$0")/lib.sh"

alone() { # alone OPTION...: a run of one rank without a launcher
    capture "$WEIR" ior -t 64k -b 128k -o "$files/f" "$@"
}

lines() { # lines PATTERN: how many lines of the output match
    grep -c -- "$1" "$out" || true
}

expect_lines() { # expect_lines COUNT PATTERN
    [[ $(lines "$2") == "$1" ]] || fail "$(lines "$2") lines match \"$2\", not $1"
}

# ---- two runs at the same time: their records are mixed, and they are told one by one

for i in 1 2; do
    "$WEIR" ior -a null -w -t 64k -b 128k -i $((i + 2)) -d 0 -O interIODelay=150000 -o "$files/$i" --result "$result" \
        >"$work/of$i" 2>&1 </dev/null &
    pids[i]=$!
done
for i in 1 2; do
    wait "${pids[i]}" || fail "run $i ended with $?"
done
"$WEIR_PYTHON" - "$result" <<'P' || fail "records do not say whose they are"
import json, sys
kinds = {}
for line in open(sys.argv[1]):
    record = json.loads(line)
    kinds.setdefault(record["run_id"], []).append(record["record"])
assert len(kinds) == 2, kinds
for one in kinds.values():
    assert one[:2] == ["run", "test"] and one[-1] == "end" and set(one[2:-1]) == {"phase"}, one
assert sorted(len(one) for one in kinds.values()) == [6, 7], kinds
P
counts=
for i in 1 2; do
    capture "$WEIR" report "$result" --run "$i" --format csv
    [[ $status == 0 ]] || fail "run $i is not told"
    counts+="$(lines '^write,') "
done
[[ $counts == "3 4 " || $counts == "4 3 " ]] || fail "the runs have $counts writes, not 3 and 4"

# Rows of all runs have one header and a column of the run.
capture "$WEIR" report "$result" --run all --format csv
expect_lines 7 '^write,'
"$WEIR_PYTHON" -c 'import csv, sys; print(*[row["run"] for row in csv.DictReader(sys.stdin)])' <"$out" >"$work/runs"
read -r first second _ <<<"$counts"
[[ $(<"$work/runs") == "$( (yes 1 | head -n "$first"; yes 2 | head -n "$second") | paste -sd ' ')" ]] || fail "the rows are of runs $(<"$work/runs")"
capture "$WEIR" report "$result" --format csv
[[ $status == 0 ]] || fail "the last run is not told"
grep -q 'run 2' "$err" || fail "nothing is said of the other run"
capture "$WEIR" report --run list "$result"
expect_lines 2 ' ior  .* yes$'
# They differ in their command lines, ranks and nodes.
expect_lines 2 '^       .*weir .*-w .*'
expect_lines 2 ' ior  *1  *1  *[0-9]*  yes$'
id=$("$WEIR_PYTHON" -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["run_id"])' "$result")
capture "$WEIR" report "--run=$id" --format csv "$result"
[[ "$(lines '^write,')" == "${counts%% *}" ]] || fail "run $id is not the first"
# The beginning of an id is enough, if no other run has it.
capture "$WEIR" report --run "${id:0:7}" --format csv "$result"
[[ "$(lines '^write,')" == "${counts%% *}" ]] || fail "run ${id:0:7} is not the first"
sed "s/$id/${id:0:6}0123456789/" "$result" | cat "$result" - >"$work/alike"
capture "$WEIR" report --run "${id:0:6}" "$work/alike"
expect_exit 2
expect_error "$id as well as ${id:0:6}0123456789: give more"
[[ ! -s $out ]] || fail "one of two runs that are meant is printed"
# A run of weir net after them has no report: the last run is the one before it.
cp "$result" "$work/mixed"
capture mpiexec -n 2 "$WEIR" net --provider shm --sizes 64 --duration 0.01 --warm-up 0 --result "$work/mixed"
expect_done
capture "$WEIR" report "$work/mixed" --format csv
[[ $status == 0 && "$(lines '^write,')" == "$(cut -d ' ' -f 2 <<<"$counts")" ]] || fail "the last run with a report is not printed"
capture "$WEIR" report "$work/mixed" --run all --format csv
[[ $status == 0 ]] || fail "a run of weir net is in the way of all others"
expect_lines 7 '^write,'
capture "$WEIR" report "$work/mixed" --run 3
expect_exit 2
for word in 0 3 first 12x; do
    capture "$WEIR" report "$result" --run "$word"
    [[ $status == 2 ]] || fail "--run $word is taken"
done
capture "$WEIR" report "$result" --run all --format json
[[ $status == 2 ]] || fail "two runs in one JSON document"

# ---- a run that was cut; files of older versions

sed -i '$d' "$result"
capture "$WEIR" report "$result" --run all --format csv
expect_lines 7 '^write,'
grep -q 'has no end' "$err" || fail "nothing is said of the cut run"
rm "$result"
alone -w --result "$result"
alone -w -i 2 --result "$result"
sed -i 's/"run_id":"[0-9a-f]*",//' "$result"
grep -q run_id "$result" && fail "ids are left"
capture "$WEIR" report "$result" --run 1 --format csv
expect_lines 1 '^write,'
capture "$WEIR" report "$result" --format csv
expect_lines 2 '^write,'

# ---- damaged first lines: of one run, and of the only one

alone -w --result "$work/whole"
"$WEIR" mdtest -n 2 -F -d "$files/t" --result "$work/tree" >/dev/null
sed -E 's/"dialect": *"mdtest"/"dialect":"ior"/g' "$work/tree" >"$work/misfit"
sed '1s/"tests"/"tecsts"/' "$work/whole" >"$work/planless"
sed '1s/{/[/' "$work/whole" >"$work/headless"
for damaged in misfit planless; do
    capture "$WEIR" report "$work/$damaged"
    expect_exit 3
    expect_error 'run 1 is damaged: its first line'
    cat "$work/whole" "$work/$damaged" >"$work/both"
    capture "$WEIR" report "$work/both" --run all --format csv
    expect_exit 0
    expect_lines 1 '^write,'
    expect_error "$work/both: [0-9]* lines are damaged or cut off, and left out"
    capture "$WEIR" report "$work/both" --run 2
    expect_exit 3
done
# A run without all of its records is not whole.
sed '/"record": *"phase"/{0,/"outcome"/s/"outcome"/"outcomes"/}' "$work/whole" >"$work/phaseless"
capture "$WEIR" report "$work/phaseless" --format verdict
expect_exit 0
head -n 1 "$out" | grep -q '^weir  PARTIAL  records of the run are damaged' || fail "a run with damaged records is whole"
capture "$WEIR" report "$work/headless"
expect_exit 3
expect_error 'holds no whole run: [0-9]* lines are damaged'
for format in text csv json csv-long json-long verdict markdown junit tap; do
    [[ $format == text ]] && words=() || words=(--format "$format")
    capture "$WEIR" report "$work/planless" "${words[@]}"
    expect_exit 3
    [[ ! -s $out ]] || fail "a report of a damaged run as $format"
done

# ---- runs that failed or were interrupted

capture "$WEIR_TEST" dd if=/dev/zero of="$files/d" bs=64k count=4 -a fault:posix --fault.verb write --fault.every 2 --fault.errno EIO --result "$work/ends"
expect_exit 1
capture "$WEIR" report "$work/ends" --run list
expect_lines 1 ' dd .* failed (exit 1)$'
capture "$WEIR" report "$work/ends" --plain
[[ $status == 0 ]] || fail "a run that failed is not told"
grep -q 'run 1 .* failed (exit 1)' "$err" || fail "nothing is said of the failure"
sed -i 's/"interrupted": *false/"interrupted":true/' "$work/ends"
capture "$WEIR" report "$work/ends" --run list
expect_lines 1 ' dd .* interrupted$'
capture "$WEIR" report "$work/ends" --plain
grep -q 'run 1 .* interrupted' "$err" || fail "nothing is said of the interruption"

# ---- words in any order; two files

capture "$WEIR" report --format csv "$result"
[[ $status == 0 ]] || fail "options before the file are refused"
capture "$WEIR" report "$result" --format sweep
[[ $status == 2 ]] || fail "a run that is no sweep has a table of steps"
capture "$WEIR" report "$result" "$files/other"
[[ $status == 3 ]] || fail "a file that does not exist is taken"
grep -q 'No such file' "$err" || fail "the refusal does not say why"
capture "$WEIR" report "$result" "$work/ends" --run list
expect_lines 3 ' file '
capture "$WEIR" report "$result" "$work/ends" --run all --format csv-long
[[ $status == 0 ]] || fail "two files have no lines"
expect_lines 4 ',write,.*,errors,[0-9]*,1,lower,1$'
alone -w --result "$result" --label night --set cluster=a
capture "$WEIR" report "$result" --label night --run all --format csv-long
expect_lines 1 '^[0-9a-f]*,night,cluster=a,.*,write,write,.*,rate,'
capture "$WEIR" report "$result" --label day --run all
[[ $status == 2 ]] || fail "a label that no run has"
capture "$WEIR" report "$result" --test 0 --plain
[[ $status == 0 ]] && grep -q 'Max Write' "$out" || fail "one test is not told"
capture "$WEIR" report --format csv
[[ $status == 2 ]] || fail "no file is needed"

# ---- the byte order mark of UTF-8

printf '\xef\xbb\xbfIOR START\n api=null\n testFile=%s\n writeFile=1\n readFile=0\nRUN\nIOR STOP\n' "$files/s" >"$work/script"
capture "$WEIR" ior -f "$work/script" -O summaryFormat=CSV
[[ $status == 0 ]] || fail "a script with a byte order mark is refused"
