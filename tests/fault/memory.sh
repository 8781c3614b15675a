#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory that runs out while ranks write: the run ends in order, with the phase in its result, no file left, and the exit code that says so.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer needs more address space than the limit: this takes a build without it"

limited() { # limited RANKS-LIMITED OPTION...: their address space may not grow once they write
    local ranks=$1 launcher pid pids=() status=0 rank='rank 0 on host .*: '
    shift
    rm -rf "$result"
    command_line="weir $*, with the memory of $ranks ended"
    # Each pass writes over the same data: more would fill the page cache, and end before it is limited where that is slow.
    mpiexec -n 2 "$WEIR" -w -r -t 64k -b 8m --minTimeDuration 3 -F -o "$files/f" --result "$result" "$@" >"$out" 2>"$err" </dev/null &
    launcher=$!
    wait_until 100 test -s "$files/f.00000001" || fail "the ranks write nothing"
    mapfile -t pids < <(pgrep -P "$launcher" -x weir | sort -n)
    ((${#pids[@]} == 2)) || fail "there are not two ranks: ${pids[*]}"
    for pid in "${pids[@]}"; do
        grep -qzxE "OMPI_COMM_WORLD_RANK=[$ranks]" "/proc/$pid/environ" && prlimit --as=1000000 --pid "$pid"
    done
    wait "$launcher" || status=$?
    ((status == 3)) || fail "the exit code is $status"
    [[ $ranks == 0 ]] || rank='' # what all say is said of none
    expect_error "^weir: ${rank}out of memory"
    expect_record "written.bytes > 0 and written.outcome in ('complete', 'partial')"
    expect_files ''
}

limited 01
limited 0
limited 01 -R -C --data full
