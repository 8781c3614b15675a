#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ranks that cannot run as they should: two on one core, one that is moved, one that is stopped, all held back by a quota. Each gives its
# finding, and a clean run gives none of them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ranks_py=$WEIR_ROOT/tests/mpi/ranks.py
read -r first second < <(python3 -B "$ranks_py" processors) || skip "this test may use one core only, and needs two"
export WEIR_TEST_MARK=$work
load=(-a null -w -t 64k -b 64k -O minTimeDuration=2 -o "$files/f" --result "$result")
two_cores=(taskset -c "$first,$second" mpiexec -n 2 "$WEIR" --pin core)

# Starts a job, waits until its phase is under way, and finds the process of its rank 1.
start() { # start COMMAND...: options after it replace those of the load
    rm -f "$result"
    launch "${@:1:${#two_cores[@]}}" "${load[@]}" "${@:1+${#two_cores[@]}}"
    wait_until 60 test -s "$result" || fail "the job does not begin"
    sleep 0.2
    victim=$(python3 -B "$ranks_py" running "$work" | awk '$1 == 1 { print $2 }')
    [[ $victim ]] || fail "rank 1 cannot be found"
}

finish() {
    end_of_run
    expect_done
}

found() { # found NAME...: the write has one of these findings
    expect_record "any(f.name in '$*'.split() for f in written.findings)"
}

# Others may take processor time from this whole machine, if it is a virtual one: nobody here can help that.
places="shared-core oversubscribed migrated wrong-node throttled"
not_found() { # not_found NAME...
    expect_record "not any(f.name in '$*'.split() for f in written.findings)"
}

# ---------------------------------------------------------------- clean
# Others may take the cores for so long that a rank stands still: then the finding is right.
is_crowded() { awk -v cores="$(nproc)" '{ exit !($1 > cores + 2) }' /proc/loadavg; }

expect_no_stall() { # expect_no_stall COMMAND...: in one of five runs
    local attempt
    for attempt in 1 2 3 4 5; do
        rm -f "$result"
        capture "$@" --result "$result"
        expect_done
        "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" \
            "not any(f.name == 'stall' for f in written.findings)" >/dev/null && return
    done
    is_crowded || fail "$attempt runs have the finding 'stall', and no rank was stopped"
    echo "the machine is crowded: ranks stood still in $attempt runs"
}

expect_no_stall "${two_cores[@]}" "${load[@]}"
# shellcheck disable=SC2086 # several words
not_found $places

# Pauses that the plan asks for: between the starts of ranks, and after each transfer.
expect_no_stall mpiexec -n 2 "$WEIR" iozone -t 2 -s 4m -r 64k -d 1500000 -x -i 0 -+n -F "$files/a" "$files/b"
expect_record "written.series.ops[len(written.series.ops) // 2] == 0"
expect_no_stall mpiexec -n 2 "$WEIR" iozone -t 2 -s 256k -r 64k -J 400 -x -i 0 -+n -F "$files/a" "$files/b"
expect_no_stall mpiexec -n 2 "$WEIR" -a POSIX -w -t 64k -b 256k -O interIODelay=400000 -o "$files/f"
expect_no_stall mpiexec -n 2 "$WEIR" -a POSIX -w -t 64k -b 256k --rate 4 -o "$files/f"

# ---------------------------------------------------------------- a rank that stands still
# Does something to rank 1 in the middle of the phase. On a busy machine it may happen before the phase or after it: then it
# says nothing, and is tried again. Returns 1 if it never happened in the phase.
in_phase() { # in_phase COMMAND...
    local attempt before after
    for attempt in 1 2 3 4 5 6 7 8; do
        start "${two_cores[@]}" -O minTimeDuration=5
        before=$(date +%s.%N)
        if ! "$@"; then
            end_of_run
            continue
        fi
        after=$(date +%s.%N)
        finish
        "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" \
            "written.begun_s < $before and $after < written.begun_s + written.seconds" >/dev/null && return
        echo "attempt $attempt: rank 1 was not disturbed in the phase"
    done
    is_crowded || fail "rank 1 is never disturbed in the phase"
    echo "the machine is crowded: $* is not tested"
    return 1
}

stop_rank() {
    kill -STOP "$victim" || return 1
    sleep 1.5
    kill -CONT "$victim"
}

if in_phase stop_rank; then
    found stall
fi

# ---------------------------------------------------------------- one core for two
rm -f "$result"
capture taskset -c "$first,$second" mpiexec -n 2 "$WEIR" --pin "list:$first" "${load[@]}"
expect_done
found shared-core
not_found oversubscribed migrated wrong-node throttled
expect_record "written.placement.nodes.moved_ranks == [0] and written.placement.nodes.shared_core_ranks == [1]"

rm -f "$result"
capture taskset -c "$first,$second" mpiexec -n 4 "$WEIR" --pin core "${load[@]}"
expect_done
found oversubscribed
not_found shared-core migrated

# ---------------------------------------------------------------- moved
# Both were alone, and now are not: that is told as well.
move_rank() { taskset -pc "$first" "$victim" >/dev/null; }

if in_phase move_rank; then
    found migrated
    found shared-core
    expect_record "written.placement.ranks.moved == [False, True] and written.placement.ranks.cpus == ['$first', '$first']"
fi

# There and back again: the kernel counts it.
move_there_and_back() {
    taskset -pc "$first" "$victim" >/dev/null && sleep 0.1 && taskset -pc "$second" "$victim" >/dev/null
}

if grep -q '^se.nr_migrations' /proc/self/sched 2>/dev/null && in_phase move_there_and_back; then
    found migrated
    not_found shared-core
    expect_record "written.placement.ranks.migrations[0] == 0 and written.placement.ranks.migrations[1] >= 2"
fi

# Who may run on both may also wander.
rm -f "$result"
capture taskset -c "$first,$second" mpiexec -n 1 "$WEIR" "${load[@]}"
expect_done
not_found migrated

# ---------------------------------------------------------------- held back
# A fifth of one processor for all, by version 1 or 2.
make_group() {
    group=
    if [[ -w /sys/fs/cgroup/cpu/cgroup.procs ]]; then
        group=/sys/fs/cgroup/cpu/weir-test.$$
        mkdir "$group" 2>/dev/null || return 1
        echo 100000 >"$group/cpu.cfs_period_us" && echo 20000 >"$group/cpu.cfs_quota_us"
    elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        group=/sys/fs/cgroup/weir-test.$$
        mkdir "$group" 2>/dev/null || return 1
        echo '20000 100000' >"$group/cpu.max"
    else
        return 1
    fi
} 2>/dev/null

remove_group() {
    [[ ! ${group-} ]] || wait_until 100 rmdir "$group" || echo "$group cannot be removed"
}

make_group || skip "no control group with a quota can be made here, which takes root and a writable /sys/fs/cgroup; the rest is fine"
clean_up() { remove_group; }
rm -f "$result"
# shellcheck disable=SC2016 # the inner shell expands them
capture bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "${two_cores[@]}" "${load[@]}"
expect_done
found throttled
not_found migrated shared-core oversubscribed
