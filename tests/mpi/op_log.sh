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

# mdtest: a file per rank and test of its table, in the names of the original; each iteration after the first has its own.
operations() { # operations LINES NAME...: files of the prefix "items", each with a rate that belongs to its time
    local lines=$1 name
    shift
    for name in "$@"; do
        awk -F, -v lines="$lines" 'NR == 1 { bad = $0 != "time,runtime,tp" } NR > 1 && !($1 >= last && $2 > 0 && $3 * $2 > 0.99 * amount && $3 * $2 < 1.01 * amount) { bad = 1 } { last = $1 + 0 }
            END { exit bad || NR != lines + 1 }' amount="${amount-1}" "$work/log/$name" || fail "$name is not as it should be: $(head -n 4 "$work/log/$name")"
    done
}
rm -f "$work/log"/*
run 2 mdtest -n 6 -i 2 -d "$files/t" --savePerOpDataCSV="$work/log/items"
expect_done
names=()
for name in 'Directory creation' 'Directory stat' 'Directory rename' 'Directory removal' 'File creation' 'File stat' 'File read' 'File removal'; do
    names+=("items-$name"{,-1}-0000{0,1}.csv)
done
[[ $(ls "$work/log") == "$(printf '%s\n' "${names[@]}" | sort)" ]] || fail "there are other lists: $(ls "$work/log")"
operations 6 items-{Directory,File}\ {creation,stat,removal}{,-1}-0000{0,1}.csv
operations 7 items-Directory\ rename{,-1}-0000{0,1}.csv # a chain: one rename more than directories
rm -f "$work/log"/*
amount=3901 run 2 mdtest -F -C -E -r -n 4 -w 3901 -e 3901 -d "$files/t" --savePerOpDataCSV="$work/log/items"
expect_done
amount=3901 operations 4 items-File\ {creation,read}-0000{0,1}.csv
operations 4 items-File\ removal-0000{0,1}.csv
rm -f "$work/log"/*
run 2 mdtest -F -k -c -C -r --also rename,link -n 4 -d "$files/t" --savePerOpDataCSV="$work/log/items"
expect_done
operations 8 items-File\ creation-00000.csv
operations 0 items-File\ creation-00001.csv
operations 4 items-File\ {rename,link}-0000{0,1}.csv

# Nobody knows how many transfers fit into a time: those beyond the first 2^20 are counted, not listed.
rm -rf "$result" "$work/log"/*
run 1 -a null -w -t 4k -b 4m -o f -O minTimeDuration=1,savePerOpDataCSV="$log" --result "$result"
expect_done
expect_record "written.unlogged_ops > 0 and written.ops - written.unlogged_ops == 2**20"
(($(wc -l <"$log-write-0-00000.csv") == (1 << 20) + 1)) || fail "the list has not 2^20 transfers"

# More than 4 MiB of lists fit no file system of 1 MiB: all ranks end in order, and the record of the phase is safe.
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs
((EUID == 0)) || skip "to mount a small file system needs root; the rest is fine"
"$bed" --type tmpfs --size 1M run -- true >"$out" 2>&1 || skip "no tmpfs can be mounted here, which takes root and CAP_SYS_ADMIN; the rest is fine"
rm -f "$result"
# shellcheck disable=SC2016
capture "$bed" --type tmpfs --size 1M run -- "$BASH" -c '
    mpiexec -n 2 "$WEIR" -a null -w -r -t 4k -b 256m -o f -O savePerOpDataCSV="$TESTBED_MNT/op" --result "$0"' "$result"
expect_exit 3
expect_error 'op-write-0-0000[01].csv: No space left on device'
expect_record "written.outcome == 'complete' and reading is None"
