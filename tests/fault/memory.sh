#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory that runs out while ranks write: the run ends in order, with the phase in its result, no file left, and the exit code that says so.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer needs more address space than the limit"

# Between processes Open MPI copies by a system call which, where it fails, takes memory to say so: what is limited then is not Weir.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

limited() { # limited RANKS-LIMITED OPTION...: their address space may not grow once they write
    local ranks=$1 launcher pid pids=() status=0
    shift
    rm -rf "$result"
    command_line="weir $*, with the memory of $ranks ended"
    mpiexec -n 2 "$WEIR" -w -r -t 64k -b 8m -s 2000 -D 2 -F -o "$files/f" --result "$result" "$@" >"$out" 2>"$err" </dev/null &
    launcher=$!
    wait_until 20 test -s "$files/f.00000001" || fail "the ranks write nothing"
    mapfile -t pids < <(pgrep -P "$launcher" -x weir | sort -n)
    ((${#pids[@]} == 2)) || fail "there are not two ranks: ${pids[*]}"
    for pid in "${pids[@]}"; do
        tr '\0' '\n' <"/proc/$pid/environ" | grep -qxE "OMPI_COMM_WORLD_RANK=[$ranks]" && prlimit --as=1000000 --pid "$pid"
    done
    wait "$launcher" || status=$?
    ((status == 3)) || fail "the exit code is $status"
    expect_error '^weir: .*rank [01] on host .*: .*(out of memory|allocate memory)'
    expect_record "written.bytes > 0 and written.outcome in ('complete', 'partial')"
    expect_files ''
}

limited 01
limited 0
limited 01 -R -C --data full
