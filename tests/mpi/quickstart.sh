#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The jobs of scripts/quickstart: each run prints its verdict and both rates; no buffered rate is that of the page cache; a signal
# ends the run in progress, and all that follow.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

export TESTBED_MNT=$files
mkdir "$work/results"
jobs=("$WEIR_ROOT/scripts/quickstart" --jobs "$work/results" "$WEIR")
verdict='(OK|CAUTION|UNVERIFIED|PARTIAL|DO NOT USE|WRONG DATA)'

capture "${jobs[@]}"
expect_done
runs=$(grep -c '^== ' "$out")
((runs == 13 || runs == 9)) || fail "$runs runs and not 13, or 9 without O_DIRECT"
lines=$(grep -cE "^weir  $verdict(\$|  )" "$out" || true)
rates=$(grep -cE '^weir  (write|read) +[0-9.]+ MiB/s  one measurement' "$out" || true)
((lines == runs && rates == 2 * runs)) || fail "$lines verdicts and $rates rates of $runs runs"
expect_no_line 'still in memory when|in the page cache'
[[ ! $(ls "$files") ]] || fail "files are left: $(ls "$files")"

rm "$work/results"/*
"${jobs[@]}" >"$out" 2>"$err" &
script=$!
for ((i = 0; i < 600; i++)); do
    [[ ! -s $work/results/posix-random-shared.jsonl ]] || break
    sleep 0.1
done
kill -TERM "$script"
status=0
wait "$script" || status=$?
((status == 130)) || fail "ended with $status after SIGTERM"
[[ ! -e $work/results/mpiio-collective-shared.txt ]] || fail "went on after SIGTERM"
for process in /proc/[0-9]*; do
    ! tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -qF -- "-o $files/" || fail "$process is left"
done
