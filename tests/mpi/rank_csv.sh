#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# saveRankPerformanceDetailsCSV: a line per rank and phase, on disk when the phase ends; no file of others is overwritten.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
csv=$work/rank.csv

valid_ranks() { # valid_ranks EXPRESSION
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/valid.py" rank-csv "$csv" "$1" >"$work/why" 2>&1 ||
        fail "of the figures of ranks: $(cat "$work/why")"
}

keep_ranks() { # keep_ranks RANKS OPTION...
    local ranks=$1
    shift
    run "$ranks" -t 64k -o "$files/f" --saveRankPerformanceDetailsCSV="$csv" --result "$result" "$@"
}

# Every repetition, with what each rank moved; checks and removals have no lines. A later run begins anew.
for ranks in 1 3; do
    keep_ranks "$ranks" -b 256k -w -r -W -i 2 -v
    expect_done
    valid_ranks "[r['access'] for r in rows] == (['write'] * $ranks + ['read'] * $ranks) * 2"
    valid_ranks "[int(r['rank']) for r in rows] == list(range($ranks)) * 4"
    valid_ranks "all(round(float(r['throughput']) * float(r['runtime'])) == 262144 for r in rows)"
    valid_ranks "all(float(r['runtime']) <= float(r['runtime-with-openclose']) for r in rows)"
done

# What each moved until the deadline, and not its share of the sum.
keep_ranks 2 -a DUMMY --dummy.delay-xfer=1000 --dummy.delay-only-rank0 -b 64k -s 1000 -D 0.2 -w
expect_done
valid_ranks "[r['access'] for r in rows] == ['write'] * 2"
valid_ranks "float(rows[0]['throughput']) * float(rows[0]['runtime']) < 500 * 65536"
valid_ranks "round(float(rows[1]['throughput']) * float(rows[1]['runtime'])) == 1000 * 65536"

# Tests of one run share the file, in whatever order and by whatever path they name it.
cat >"$work/job.ior" <<END
IOR START
    testFile=$files/f
    transferSize=64k
    blockSize=128k
    writeFile=1
    saveRankPerformanceDetailsCSV=$csv
RUN
    saveRankPerformanceDetailsCSV=$work/other.csv
RUN
    saveRankPerformanceDetailsCSV=$csv
    readFile=1
RUN
    saveRankPerformanceDetailsCSV=$work/./rank.csv
    readFile=0
IOR STOP
END
run 2 -f "$work/job.ior"
expect_done
valid_ranks "[r['access'] for r in rows] == ['write'] * 4 + ['read'] * 2 + ['write'] * 2"
(($(wc -l <"$work/other.csv") == 3)) || fail "the test between them has not three lines"

# What is on disk stays when the job is killed.
has_ranks() { (($(wc -l <"$csv") >= 3)); }
rm -f "$csv"
launch mpiexec -n 2 "$WEIR" -w -t 64k -b 1600k -i 3 -O interIODelay=20000,saveRankPerformanceDetailsCSV="$csv" -o "$files/f"
wait_until 100 has_ranks || fail "the first repetition has no lines"
signal_ranks KILL
wait "$launcher" || true
valid_ranks "len(rows) >= 2"
rm -f "$files"/* "$files"/.weir-*

# A file that is something else stays as it is, unless the user says so; nothing is run, and nothing printed.
printf 'my notes\n' >"$csv"
keep_ranks 2 -b 256k -w
expect_exit 2
expect_error 'rank\.csv .*--overwrite'
[[ $(cat "$csv") == "my notes" && ! -s $out ]] || fail "the file was overwritten, or something printed"
expect_files ''
keep_ranks 2 -b 256k -w --overwrite
expect_done
valid_ranks "len(rows) == 2"
: >"$csv"
keep_ranks 2 -b 256k -w
expect_done
valid_ranks "len(rows) == 2"

# No place for it: refused before anything is done. No room for it: known at the end only, and a sentence of its own.
csv=$work/nowhere/rank.csv
keep_ranks 2 -b 256k -w
expect_exit 2
expect_error 'saveRankPerformanceDetailsCSV: .*/nowhere/rank\.csv .*: No such file or directory'
[[ ! -s $out ]] || fail "something was printed"
csv=/dev/full
keep_ranks 2 -b 256k -w
expect_exit 3
expect_error 'saveRankPerformanceDetailsCSV: /dev/full: No space left on device'
