#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A script with two tests: the second inherits from the first, and both stand in one summary.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$work/job.ior" <<END
this is not read
IOR START
    # a comment
    api=POSIX
    testFile=$files/f
    transferSize=64k
    blockSize=256k
    repetitions=2
RUN
    filePerProc=1
    segmentCount=3
IOR STOP
nor is this
END

run 2 -f "$work/job.ior" --result "$result"
expect_done
expect_line '^TestID +: 0$'
expect_line '^TestID +: 1$'
expect_record "len(tests) == 2 and len([p for p in phases if p.verb != 'remove']) == 8"
expect_record "sorted({p.bytes for p in writes if p.test == 0}) == [2 * 262144]"
expect_record "sorted({p.bytes for p in writes if p.test == 1}) == [2 * 3 * 262144]"
(($(grep -c '^Summary of all tests' "$out") == 1)) || fail "not one summary"
(($(grep -cE '^(write|read) .* POSIX +0$' "$out") == 4)) || fail "not four rows in the summary"
expect_files ''

# The result file keeps the script: what becomes of it later changes no report.
cp "$out" "$work/told"
mv "$work/job.ior" "$work/moved.ior"
capture "$WEIR" report "$result"
expect_done
cmp -s "$out" "$work/told" || fail "the report says something else when its script is gone"
mv "$work/moved.ior" "$work/job.ior"

# The same plan has the same text and the same id, wherever it is read.
capture "$WEIR" -f "$work/job.ior" --explain
expect_done
sed '/^$/,$d' "$out" >"$work/plan" # what follows is of the host and the launch
run 2 -f "$work/job.ior" --explain
expect_done
sed '/^$/,$d' "$out" | cmp -s - "$work/plan" || fail "--explain says something else under mpiexec"
expect_files ''
