#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node that is held as a whole is told of by the ranks that wait for it, whichever node it is; it may move again, or the run gives up.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
hosts=$WEIR_ROOT/scripts/testbed/testbed-hosts

"$hosts" run -- true >"$out" 2>&1 || skip "virtual hosts cannot be made here, which takes root, namespaces and a root that is a mount point, not a chroot: $(tail -n 1 "$out")"
export OMPI_MCA_orte_tmpdir_base=/tmp OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0

rank_number() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=//p' | head -n 1; }

signal_ranks() { # signal_ranks NAME RANK...
    local name=$1 pid
    shift
    for pid in $(pgrep -f -- "^$WEIR .*$result"); do
        [[ " $* " != *" $(rank_number "$pid") "* ]] || kill "-$name" "$pid"
    done
}

has_begun() {
    local rank
    for rank in 0 1 2 3; do
        (($(stat -c %s "$files/f.0000000$rank" 2>/dev/null || echo 0) > 4096)) || return 1
    done
}

start() { # start OPTION...: two ranks on each of two hosts, and waits until they write
    rm -f "$result" "$files"/*
    launch timeout 90 "$hosts" run -- mpiexec -n 4 --host n1:2,n2:2 -x WEIR -x WEIR_DETAILS --wdir "$work" "$WEIR" -F -w -k -t 4k -b 40k -O interIODelay=200000 \
        --result "$result" -o "$files/f" "$@"
    wait_until 100 has_begun || fail "the ranks do not write"
}

is_told() { grep -q "rank $1 on host $2, the first of 2 there, has not answered for " "$err"; }

freeze_until_told() { # freeze_until_told HOST RANK RANK
    start --watchdog 2s
    signal_ranks STOP "$2" "$3"
    wait_until 100 is_told "$2" "$1" || fail "nobody tells of $1"
    signal_ranks CONT "$2" "$3"
    end_of_run
    expect_exit 0
    grep -q "rank $2 on host $1 answers again" "$err" || fail "nobody tells that $1 answers again"
    expect_record "written.outcome == 'complete' and written.bytes == 4 * 40960"
}
freeze_until_told n2 2 3
freeze_until_told n1 0 1

# Giving up: mpiexec ends what is held with the rest.
start --watchdog 2s --give-up 4s
signal_ranks STOP 2 3
end_of_run
expect_exit 1
expect_error '--give-up: rank 2 on host n2, .* 2 .* [0-9.]+ s'
gone() { ! pgrep -f -- "^$WEIR .*$result" >/dev/null; }
wait_until 100 gone || fail "processes are left"
