#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir compare: real runs of ior, mdtest and net in two directories, then records with known rates.
. "$(dirname "$0")/lib.sh"

compare() { # compare CODE WORD...
    local code=$1
    shift
    capture "$WEIR" compare "$@"
    [[ $status == "$code" ]] || fail "exit code $status, not $code"
}

expect_last() { # expect_last PATTERN: of the last line of the output
    tail -n 1 "$out" | grep -Eq -- "$1" || fail "the last line is not \"$1\""
}

# ---- real runs, by turns: A in one directory, B in the other

mkdir "$files/a" "$files/b"
for _ in 1 2 3; do
    for side in a b; do
        run 2 ior -w -r -F -e -t 64k -b 1m -o "$files/$side/f" --result "$work/$side.ior"
        run 2 mdtest -n 20 -F -d "$files/$side/t" --result "$work/$side.mdtest"
        run 2 net --provider tcp --size 4k --iterations 200 --result "$work/$side.net"
    done
done
cat "$work"/a.{ior,mdtest,net} >"$work/a"
cat "$work"/b.{ior,mdtest,net} >"$work/b"

# Whatever the noise of this machine: every row has a partner and a verdict, and nothing is compared by chance.
capture "$WEIR" compare "$work/a" -- "$work/b" --format json
"$WEIR_PYTHON" - "$out" "$status" <<'P' || fail "rows of equal runs do not match"
import json, sys
document = json.load(open(sys.argv[1]))
names = {row["phase"] for row in document["rows"]}
assert {"write", "read", "File creation", "File stat", "File removal"} <= names, names
assert document["unmatched"] == [], document["unmatched"]
assert document["compared"] == [], document["compared"]
assert all(row["n_a"] == row["n_b"] == 3 for row in document["rows"]), document["rows"]
assert document["exit_code"] == int(sys.argv[2]) and document["exit_reason"]
assert len(document["rows"]) == document["decided"] + document["undecided"] + document["not_comparable"]
P
grep -q "exit $status: " "$err" || [[ $status == 0 ]] || fail "a document alone hides the reason"

# ---- a program does the same work in every directory, however its name is typed

printf '%s\n' 'define param "d" $d ".";' 'define param "m" $m "sub";' 'write("$d/p$$rank", 4k);' 'print "sub", "$m";' >"$work/p.pbl"
mkdir -p "$files/sub/sub" "$files/other"
program() { # program PARAMETER...: its case
    (cd "$files" && mpiexec -n 1 "$WEIR" parabench "$work/p.pbl" "$@" --result "$work/pbl" >/dev/null 2>&1) || fail "the program fails with $*"
    "$WEIR" report "$work/pbl" --format json-long 2>/dev/null | "$WEIR_PYTHON" -c 'import json, sys; print({p["case_id"] for r in json.load(sys.stdin)["runs"] for p in r["phases"]})'
}
usual=$(program)
for directory in . sub sub/ ./sub sub/sub ../files "$files/other" /dev/shm; do
    [[ $(program "d=$directory") == "$usual" ]] || fail "d=$directory is another case"
done
rm -f /dev/shm/p0
[[ $(program m=subs) != "$usual" && $(program d=sub m=subs) == "$(program m=subs)" ]] || fail "other words are the same case"

# ---- nothing matched, nothing decided, a run against itself, named twice

compare 3 "$work/a.ior" -- "$work/b.mdtest"
grep -q '^only in A: write' "$out" || fail "unmatched rows are not named"
expect_last '0 decided, 0 undecided, [0-9]+ unmatched; exit 3: nothing was compared'
compare 3 "$work/a.ior" --run 1 -- "$work/b.ior" --run 1
grep -q 'cannot tell (one measurement)' "$out" || fail "one measurement is judged"
expect_last 'exit 3: no row could be decided'
compare 0 "$work/a.ior" --run 1 -- "$work/b.ior" --run 1 --allow-unsure
compare 2 "$work/a.ior" -- "$work/a.ior" --run 2
grep -q 'is in A and in B' "$err" || fail "a run is compared with itself"
capture "$WEIR" compare "$work/a.ior" "$work/a.ior" -- "$work/b.ior"
grep -q '^A  3 runs' "$out" || fail "a run that is named twice counts twice"

# ---- damaged, empty and missing files

head -c -300 "$work/b.ior" >"$work/cut"
echo '{"record": "phase", "run_id": 1' >>"$work/cut"
capture "$WEIR" compare "$work/a.ior" -- "$work/cut"
grep -q 'read 64k' "$out" || fail "what is whole in a damaged file is not compared"
[[ $(grep -c "$work/cut" "$err") == 1 ]] || fail "a damaged file has no sentence"
echo 'no record' >"$work/garbage"
compare 3 "$work/a.ior" -- "$work/garbage"
: >"$work/empty"
compare 3 "$work/a.ior" -- "$work/empty"
compare 3 "$work/a.ior" -- "$work/missing"
compare 3 "$work/a.ior" -- "$work"

# ---- known rates

"$WEIR_PYTHON" "$(dirname "$0")/compare.py" "$work" || fail "known rates get other verdicts"

# ---- the reason is the last line under make and set -e

printf 'gate:\n\t@"%s" compare "%s" -- "%s"\n' "$WEIR" "$work/base" "$work/slow" >Makefile
capture make -s
[[ $status == 2 ]] || fail "make does not fail"
expect_last 'exit 1: slower by more than 5 %: write 64k'
capture bash -ec '"$1" compare "$2" -- "$3"; echo not reached' - "$WEIR" "$work/base" "$work/slow"
[[ $status == 1 ]] || fail "set -e does not end the script with 1"
expect_last 'exit 1: slower by more than 5 %: write 64k'
