#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A rank that does not move is told of, with host and operation; it may move again, or the run gives up.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rank_number() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=//p' | head -n 1; }

pid_of_rank() { # pid_of_rank NUMBER
    local pid
    for pid in $(pgrep -f -- "^$WEIR .*$result"); do
        [[ $(rank_number "$pid") != "$1" ]] || echo "$pid"
    done
}

start() { # start OPTION...: three ranks, and waits until they write
    rm -f "$result"
    OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0 launch timeout 400 mpiexec -n 3 "$WEIR" -F -t 4k -b 40k --result "$result" -o "$files/f" "$@"
    wait_until 120 has_begun || fail "the ranks do not write"
}

has_begun() { # each rank is past its first transfer, so that there is an offset to tell
    local rank
    for rank in 0 1 2; do
        (($(stat -c %s "$files/f.0000000$rank" 2>/dev/null || echo 0) > 4096)) || return 1
    done
}
is_told() { grep -q "rank $1 on host .* has not moved for .* s: write at or after offset [0-9]* of .*f.0000000$1" "$err"; }

# Of any rank: the first one of a node is watched by the second.
for rank in 1 0; do
    start -w -O interIODelay=300000 --watchdog 2s
    pid=$(pid_of_rank $rank)
    kill -STOP "$pid"
    wait_until 120 is_told $rank || fail "nobody tells of rank $rank"
    kill -CONT "$pid"
    end_of_run
    expect_exit 0
    expect_error "rank $rank on host .* moves again"
    expect_error "rank $rank on host .* has not moved"
    expect_record "written.outcome == 'complete' and any(f.name == 'no-progress' and 'rank $rank on host' in f.text for f in written.findings)"
    expect_files ''
done

# A rank that is held in a system call has two watchers, its own and its neighbour's, and is told of once.
capture mpiexec -n 2 "$WEIR_TEST" -a fault:posix --fault.rank 0 --fault.at 1 --fault.delay 4000000 -w -F -t 4k -b 16k --watchdog 1s -o "$files/f"
expect_done
expect_error 'rank 0 on host .* has not moved'

# A pause that was asked for is none, nor is a rank that waits for others.
run 2 -w -F -t 4k -b 8k -O interIODelay=3000000 --watchdog 1s -o "$files/f" --result "$result"
expect_done
expect_record "not any(f.name == 'no-progress' for f in phases[-2].findings)"
! grep -q 'has not moved' "$err" || fail "a pause is taken for a stall"

# Nor is a removal, which hears no alarm: each of these takes ten seconds, longer than all that is allowed without a move.
removal_moves() { # removal_moves OPTION...
    capture "$WEIR" "$@" --rate 6 --watchdog 5s --give-up 7s --result "$result"
    expect_done
    expect_record "not any(f.name == 'no-progress' for p in phases for f in p.findings)"
    ! grep -q 'has not moved' "$err" || fail "a removal is taken for a stall"
    rm -f "$result"
    expect_files ''
}
removal_moves mdtest -C -r -F -n 60 -d "$files/tree"
if "$WEIR" -a URING -w -t 64k -b 64k -o "$files/probe" >/dev/null 2>&1; then
    removal_moves mdtest -C -r -D -n 60 -a uring --depth 4 -d "$files/tree"
fi
removal_moves md-workbench -D 1 -P 60 -I 1 -R 1 -o "$files/sets"

# Giving up: what was finished is kept.
start -w -i 2 -O interIODelay=300000 --watchdog 1s --give-up 3s
has_first_phases() { (($(grep -c '"record":"phase"' "$result") >= 2)); }
wait_until 120 has_first_phases || fail "the first repetition does not end"
wait_until 120 has_begun || fail "the second repetition does not begin"
kill -STOP "$(pid_of_rank 1)"
end_of_run
expect_exit 1
expect_error '--give-up: rank 1 on host .* [0-9.]+ s'
expect_record "len(phases) == 2 and phases[0].outcome == 'complete' and end.exit_code == 1 and 'rank 1 on' in end.given_up"
gone() { ! pgrep -f -- "^$WEIR .*$result" >/dev/null; }
wait_until 100 gone || fail "processes are left"

# Without room in memory that ranks share nobody watches, and the run goes on.
rm -r "$files" # its files stay
mkdir "$files"
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016 # of the inner shell
    capture unshare -m bash -c 'mount -t tmpfs -o size=16k none /dev/shm && head -c 16k /dev/zero >/dev/shm/full && exec "$@"' bash \
        "$WEIR" -w -t 4k -b 8k --give-up 1m -o "$files/f"
    expect_done
    expect_error '--give-up '
    expect_files ''
fi
