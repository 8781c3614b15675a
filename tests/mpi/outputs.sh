#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files beside the data: what is not Weir's stays as it is, what would block is refused at once, and a report that
# cannot be written is no success.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

one=(-w -t 64k -b 64k -o "$files/f")

alone() { # alone OPTION...: one process, bounded in time: an open that waits for a reader is a failure
    capture timeout 120 "$WEIR" ior "${one[@]}" "$@"
}

# ---------------------------------------------------------------- files of somebody else

foreign() { # foreign CONTENT OPTION...: refused, and the file "$work/out" is untouched
    local content=$1
    shift
    printf '%s' "$content" >"$work/out"
    alone "$@"
    expect_exit 2
    expect_error "$work/out "
    [[ $(cat "$work/out") == "$content" ]] || fail "somebody else's file was changed"
    expect_files ''
}

foreign '{"name": "my precious config"}' -O summaryFile="$work/out"
foreign $'\n\nmy notes' -O summaryFile="$work/out"
foreign '{"name":"package"}' --result "$work/out"
foreign '{"name":"package"}' --result "$work/out" --overwrite
foreign '2024 budget: my numbers' -k -D 9 -O stoneWallingWearOut=1,stoneWallingStatusFile="$work/out"
foreign 'access,rank' -O saveRankPerformanceDetailsCSV="$work/out"
mkdir "$work/ops"
printf 'time,runtime' >"$work/ops/p-write-0-00000.csv"
alone -O savePerOpDataCSV="$work/ops/p"
expect_exit 2
[[ $(cat "$work/ops/p-write-0-00000.csv") == 'time,runtime' ]] || fail "somebody else's file was changed"

# Our own are replaced, and runs are added.
for format in default JSON CSV; do
    for _ in 1 2; do
        alone -O summaryFormat=$format,summaryFile="$work/report-$format" --result "$result"
        expect_done
    done
done
[[ $(grep -c '"record":"run"' "$result") == 6 ]] || fail "not six runs are in the result file"
capture "$WEIR" report "$result" --format json --summary-file "$work/report-JSON"
expect_done
echo precious >"$work/out"
capture "$WEIR" report "$result" --summary-file "$work/out"
expect_exit 2
[[ $(cat "$work/out") == precious ]] || fail "somebody else's file was changed"

# ---------------------------------------------------------------- what would block

mkfifo "$work/fifo"
for option in summaryFile saveRankPerformanceDetailsCSV; do
    alone -O "$option=$work/fifo"
    expect_exit 2
    expect_error "$work/fifo"
done
alone --result "$work/fifo"
expect_exit 2
expect_error "$work/fifo"
alone -k -D 9 -O stoneWallingWearOut=1,stoneWallingStatusFile="$work/fifo"
expect_exit 2
expect_error "$work/fifo"
alone --result "$work"
expect_exit 2
expect_error "--result: $work"
head -c 32 /dev/urandom >"$work/secret"
chmod 600 "$work/secret"
capture timeout 120 "$WEIR" serve --secret-file "$work/secret" --advertise "$work/fifo" --provider tcp \
    --listen 127.0.0.1:0 --capacity 1m
expect_exit 2
expect_error "$work/fifo"
alone --result /dev/null
expect_done
alone -O summaryFile=/dev/null
expect_done

# ---------------------------------------------------------------- counts that no rank can have reached

alone -k
expect_done
for count in -1 1e9 99999999999999999999999 '16 and more' 0; do
    printf '%s' "$count" >"$work/status"
    capture timeout 120 "$WEIR" ior -r -k -t 64k -b 64k -D 5 -O stoneWallingStatusFile="$work/status" -o "$files/f"
    expect_exit 2
    expect_error "$work/status"
done
mkfifo "$work/pipe"
capture timeout 120 "$WEIR" ior -r -k -t 64k -b 64k -D 5 -O stoneWallingStatusFile="$work/pipe" -o "$files/f"
expect_exit 2
expect_error "$work/pipe"
rm "$files/f"

# ---------------------------------------------------------------- nowhere to print to

# Nothing is run whose report would be lost, and no file gets the descriptor that a report goes to.
for closed in '>&-' '<&- >&-' '<&- >&- 2>&-'; do
    capture timeout 120 bash -c "\"\$0\" \"\$@\" -k $closed" "$WEIR" ior "${one[@]}"
    expect_exit 3
    expect_files ''
done

# ---------------------------------------------------------------- nobody reads the report any more

# The run goes on for its result file, and says where its report is. Without a result file it ends.
gone="$work/gone"
alone=(ior -a posix -w -r -i 3 -t 64k -b 128k -d 0 -o "$files/f")
pipe_to_nobody() { # pipe_to_nobody COMMAND...: its reader ends after the first line
    command_line="$* | head -n 1"
    status=0
    { "$@" 2>"$err" </dev/null || echo $? >"$work/.status"; } | head -n 1 >"$out"
    [[ ! -e $work/.status ]] || read -r status <"$work/.status"
    rm -f "$work/.status"
}
pipe_to_nobody "$WEIR" "${alone[@]}" --result "$gone"
if ((status != 0)); then # else all was printed before the reader ended
    expect_exit 3
    expect_error "not printed to its end: \"weir report $gone\" prints it"
fi
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$gone" "len(phases) == 9 and all(p.outcome == 'complete' for p in phases) and end.exit_code == 0" ||
    fail "the result file is not whole"
capture "$WEIR" report "$gone"
expect_done
expect_line '^Max Write'
expect_files ''
rm "$gone"

# The launcher of Open MPI 4 keeps the pipe of rank 0 open.
pipe_to_nobody mpiexec -n 2 "$WEIR" "${alone[@]}" --result "$gone"
[[ ! -s $gone ]] || grep -q '"record":"end"' "$gone" || fail "the result file has no end"
expect_files ''

# ---------------------------------------------------------------- a result file that others lock or change

# One wait, whatever the number of records; the rest is appended at the end.
rm -f "$gone"
: >"$gone"
"$WEIR_PYTHON" -c 'import fcntl, sys, time
file = open(sys.argv[1], "a+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(300)' "$gone" >"$work/holder" &
holder=$!
wait_until 100 test -s "$work/holder" || fail "the file is not locked"
capture "$WEIR" mdtest -n 10 -d "$files/d" --result "$gone"
expect_done
expect_error "is locked by process $holder: records are kept in memory"
expect_error 'is still locked: the records are appended without the lock'
kill "$holder"
wait "$holder" 2>/dev/null || true
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$gone" "len(phases) > 5 and end.exit_code == 0" || fail "records are missing"
rm -f "$gone"

# What is gone cannot be brought back: that is said, and the exit code is not 0.
for deed in ': >"$1"' 'rm "$1"' 'mv "$1" "$1.old"'; do
    rm -f "$gone" "$gone.old"
    launch "$WEIR" ior -a null -w -t 64k -b 64k -i 40 -d 0 -O interIODelay=100000 -o "$files/f" --result "$gone"
    wait_until 60 grep -q '"record":"phase"' "$gone" || fail "there is no phase"
    bash -c "$deed" bash "$gone"
    end_of_run
    expect_exit 1
    expect_error "$gone was changed by another process"
done
