#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files beside the data: what is not Weir's stays as it is, what would block is refused at once, and a report that
# cannot be written is no success.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

one=(-w -t 64k -b 64k -o "$files/f")

alone() { # alone OPTION...: one process, bounded in time: an open that waits for a reader is a failure
    capture timeout 20 "$WEIR" ior "${one[@]}" "$@"
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
capture timeout 20 "$WEIR" serve --secret-file "$work/secret" --advertise "$work/fifo" --provider tcp \
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
    capture timeout 20 "$WEIR" ior -r -k -t 64k -b 64k -D 5 -O stoneWallingStatusFile="$work/status" -o "$files/f"
    expect_exit 2
    expect_error "$work/status"
done
mkfifo "$work/pipe"
capture timeout 20 "$WEIR" ior -r -k -t 64k -b 64k -D 5 -O stoneWallingStatusFile="$work/pipe" -o "$files/f"
expect_exit 2
expect_error "$work/pipe"
rm "$files/f"

# ---------------------------------------------------------------- nowhere to print to

# Nothing is run whose report would be lost, and no file gets the descriptor that a report goes to.
for closed in '>&-' '<&- >&-' '<&- >&- 2>&-'; do
    capture timeout 20 bash -c "\"\$0\" \"\$@\" -k $closed" "$WEIR" ior "${one[@]}"
    expect_exit 3
    expect_files ''
done
