#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What weir measures against a clock outside of it: no window is shorter than the calls that were in it, and no close takes longer than
# between the last transfer of all ranks and the last close. Verification of every word takes most of the time, on each rank another part.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
library=${1:?the library that watches calls}
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer wants to be the first library: this takes a build without it"

write_script() {
    printf '%s\n' 'IOR START' "testFile=$files/f" transferSize=256k blockSize=8m writeFile=1 readFile=1 checkRead=1 intraTestBarriers=1
    local api data
    for api in POSIX DIRECT MMAP MPIIO AIO URING; do
        [[ $api != DIRECT ]] || can_bypass_cache || continue
        [[ $api != @(AIO|URING) ]] || "$WEIR" -a "$api" -w -t 64k -b 64k -o "$files/f" >/dev/null 2>&1 || continue
        for data in full stamp; do
            printf '%s\n' api=$api data=$data depth=$([[ $api == @(AIO|URING) ]] && echo 4 || echo 1) RUN
        done
    done
    printf '%s\n' api=MPIIO depth=1 collective=1 RUN 'IOR STOP'
}

bounded() { # bounded RANKS
    rm -f "$result" "$work/log" "$work/ranks.csv"
    capture mpiexec -x LD_PRELOAD="$library" -x OUTSIDE_PREFIX="$files/f" -x OUTSIDE_LOG="$work/log" -n "$1" "$WEIR" -f "$work/all.ior" --result "$result" \
        -O "saveRankPerformanceDetailsCSV=$work/ranks.csv"
    expect_done
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/physics/outside.py" "$result" "$work/log" "$work/ranks.csv" >"$work/why" || fail "$(head -n 30 "$work/why")"
}

write_script >"$work/all.ior"
# Something may come between a close and its stamp, but not each time.
once_in 3 bounded 2
once_in 3 bounded 3
