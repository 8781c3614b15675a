#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# savePerOpDataCSV: a file per rank, phase and repetition with a line per transfer, and not one of them overwrites another.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir "$work/log"
log=$work/log/op

expect_logs() { # expect_logs LINES NAME...: these and no others, with so many transfers each
    local lines=$1 name
    shift
    [[ $(ls "$work/log") == "$(printf '%s\n' "$@" | sort)" ]] || fail "there are other lists: $(ls "$work/log")"
    for name in "$@"; do
        python3 - "$work/log/$name" "$lines" <<'END' || fail "$name is not as it should be"
import csv, sys
with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
assert list(rows[0]) == ["time", "runtime", "tp"], rows[0]
assert len(rows) == int(sys.argv[2]), len(rows)
times = [float(row["time"]) for row in rows]
assert min(times) == 0 and max(times) < 60, times
for row in rows:
    runtime, rate = float(row["runtime"]), float(row["tp"])
    assert 0 < runtime < 60
    assert abs(rate * runtime - 65536) < 1, row
END
    done
}

run 2 -w -W -r -t 64k -b 256k -s 2 -i 2 -o "$files/f" -O savePerOpDataCSV="$log" --result "$result"
expect_done
expect_logs 8 op-{write,check,read}-{0,1}-0000{0,1}.csv
expect_record "all(p.unlogged_ops == 0 for p in phases)"

# Its own are replaced, in whatever order transfers end.
rm "$work/log"/*
: >"$work/log/op-write-0-00001.csv"
run 2 -w -t 64k -b 256k -F -z -o "$files/f" -O savePerOpDataCSV="$log"
expect_done
run 2 -w -t 64k -b 512k -F -z -o "$files/f" -O savePerOpDataCSV="$log"
expect_done
expect_logs 8 op-write-0-0000{0,1}.csv

# Something else is not; and what cannot be made is refused before anything is written.
echo 'precious' >"$work/log/op-read-0-00001.csv"
run 2 -w -r -t 64k -b 256k -o "$files/f" -O savePerOpDataCSV="$log"
expect_exit 2
expect_error 'op-read-0-00001\.csv'
[[ $(cat "$work/log/op-read-0-00001.csv") == precious ]] || fail "a file was overwritten"
expect_files ''
run 2 -w -r -t 64k -b 256k -o "$files/f" -O savePerOpDataCSV="$work/nowhere/op"
expect_exit 2
expect_error "$work/nowhere"
expect_files ''

# Nobody knows how many transfers fit into a time: those beyond the first 2^20 are counted, not listed.
rm -rf "$result" "$work/log"/*
run 1 -a null -w -t 4k -b 4m -o f -O minTimeDuration=1,savePerOpDataCSV="$log" --result "$result"
expect_done
expect_record "written.unlogged_ops > 0 and written.ops - written.unlogged_ops == 2**20"
(($(wc -l <"$log-write-0-00000.csv") == (1 << 20) + 1)) || fail "the list has not 2^20 transfers"

# More than 4 MiB of lists fit no file system of 1 MiB: all ranks end in order, and the record of the phase is safe.
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs
((EUID == 0)) || skip "to mount a small file system needs root; the rest is fine"
"$bed" --type tmpfs --size 1M run -- true >"$out" 2>&1 || skip "no tmpfs can be mounted here; the rest is fine"
rm -f "$result"
# shellcheck disable=SC2016
capture "$bed" --type tmpfs --size 1M run -- "$BASH" -c '
    mpiexec -n 2 "$WEIR" -a null -w -r -t 4k -b 256m -o f -O savePerOpDataCSV="$TESTBED_MNT/op" --result "$0"' "$result"
expect_exit 3
expect_error 'op-write-0-0000[01].csv: No space left on device'
expect_record "written.outcome == 'complete' and reading is None"
