#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory that runs out while ranks write: the run ends in order, with the phase in its result, no file left, and the exit code that says so.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer needs more address space than the limit"

# Longer messages than this take memory of Open MPI's own, and where it gets none it may wait for ever: what is limited is Weir.
export OMPI_MCA_btl_vader_eager_limit=32768
hang_s=30

limited() { # limited RANKS-LIMITED OPTION...: their address space may not grow once they write
    local ranks=$1 launcher guard pid pids=() status=0 begun=$SECONDS
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
    (sleep "$hang_s"; kill "$launcher"; sleep 5; kill -KILL "${pids[@]}") >/dev/null 2>&1 &
    guard=$!
    wait "$launcher" || status=$?
    kill "$guard" 2>/dev/null || true
    # A hang, or an end by a signal, is Open MPI's, which has no memory either: once more.
    if ((SECONDS - begun >= hang_s || (status != 0 && status != 3))) && ((++tries < 6)); then
        rm -rf "${files:?}"/* "$files"/.weir-*
        limited "$ranks" "$@"
        return
    fi
    # 0: what was free in the heap was enough.
    ((status == 3 || status == 0)) || fail "the exit code is $status"
    ((status == 0)) || expect_error '^weir: .*rank [01] on host .*: .*(out of memory|allocate memory)'
    expect_record "len(runs) == 1 and len(tests) == 1"
    expect_files ''
}

tries=0
limited 01
limited 0
limited 01 -R -C --data full
