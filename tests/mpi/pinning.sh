#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where ranks run, as the kernel tells of them while they do: each policy, what the launcher has bound, and refusals.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ranks_py=$WEIR_ROOT/tests/mpi/ranks.py
read -r first second < <(python3 -B "$ranks_py" processors) || skip "this test may use one core only"
both=$first,$second
((second != first + 1)) || both=$first-$second

# Long enough to be looked at.
load=(-a null -w -t 64k -b 64k -O minTimeDuration=1)
export WEIR_TEST_MARK=$work

bindings() { # the processors of each rank, in the order of ranks
    python3 -B "$ranks_py" running "$work" | awk '{ printf "%s%s", separator, $3; separator = " " }'
}

# A job whose ranks are seen on the processors named, one word for each rank, and which then ends well.
expect_seats() { # expect_seats "CPUS CPUS..." COMMAND...
    local wanted=$1 found='' job
    shift
    rm -f "$result"
    command_line="$*"
    "$@" "${load[@]}" -o "$files/f" --result "$result" >"$out" 2>"$err" </dev/null &
    job=$!
    # Its first records are written when all ranks sit.
    while kill -0 "$job" 2>/dev/null && [[ ! $found =~ ^($wanted)$ ]]; do
        sleep 0.05
        [[ ! -s $result ]] || found=$(bindings)
    done
    status=0
    wait "$job" || status=$?
    expect_done
    [[ $found =~ ^($wanted)$ ]] || fail "the ranks should run on '$wanted', and were last seen on '$found'"
    expect_record "written.places.ranks.cpus == '$found'.split() and written.places.nodes.moved_ranks == [0]"
}

pinned() { # pinned RANKS "CPUS CPUS..." POLICY
    expect_seats "$2" taskset -c "$both" mpiexec -n "$1" "$WEIR" --pin "$3"
    [[ $3 == none ]] || expect_record "written.places.nodes.pinned == [True]"
}

refused() { # refused PATTERN COMMAND...: nothing runs, and nothing is made
    local pattern=$1
    shift
    capture "$@" -a POSIX -w -k -t 64k -b 1m -o "$files/f"
    expect_exit 2
    expect_error "$pattern"
    expect_files ''
}

# ---------------------------------------------------------------- each policy
for policy in core pu "list:$first,$second" "list:$first+$second"; do
    pinned 2 "$first $second" "$policy"
done
pinned 2 "$second $first" "list:$second,$first"
pinned 4 "$first $second $first $second" core
pinned 4 "$first $second $first $second" "list:$first,$second"
for policy in none numa package; do
    pinned 2 "$both $both" $policy
done

# The target is on a block device that hwloc can locate, or the policy says why it cannot be had.
load=(-a POSIX -w -t 64k -b 64k -O minTimeDuration=1)
capture taskset -c "$both" mpiexec -n 2 "$WEIR" --pin storage -w -t 64k -b 64k -o "$files/f"
if ((status == 0)); then
    pinned 2 "$first $second|$second $first" storage
else
    expect_exit 2
    expect_error '--pin storage'
fi
load=(-a null -w -t 64k -b 64k -O minTimeDuration=1)

# ---------------------------------------------------------------- rankfiles
printf '# of two ranks\n1 %s\n0 %s\n' "$first" "$second" >"$work/ranks"
pinned 2 "$second $first" "rankfile:$work/ranks"
refused "$work/none: the rankfile cannot be read: No such file" mpiexec -n 2 "$WEIR" --pin "rankfile:$work/none"
printf '0 %s\n' "$first" >"$work/ranks"
refused 'rank 1 has no line' mpiexec -n 2 "$WEIR" --pin "rankfile:$work/ranks"

# ---------------------------------------------------------------- what the launcher gave
# Nobody is moved who was not asked to be, and nobody gets more than he was given.
# shellcheck disable=SC2016 # the inner shell expands them
bound=$(mpiexec -n 2 --bind-to core bash -c '
    awk -v rank="${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "/^Cpus_allowed_list/ { print rank, \$2 }" /proc/self/status' 2>/dev/null |
    sort -n | awk '{ printf "%s%s", separator, $2; separator = " " }') || true
if [[ $bound =~ ^[0-9,-]+\ [0-9,-]+$ && ${bound% *} != "${bound#* }" ]]; then
    for policy in none core numa package; do
        expect_seats "$bound" mpiexec -n 2 --bind-to core "$WEIR" --pin $policy
    done
    refused '--pin' mpiexec -n 2 --bind-to core "$WEIR" --pin "list:${bound%%[ ,-]*}"
fi
expect_seats "$first $first" taskset -c "$first" mpiexec -n 2 "$WEIR"
expect_record "written.places.nodes.pinned == [False]"
expect_seats "$first $first" taskset -c "$first" mpiexec -n 2 "$WEIR" --pin core
refused "--pin list.*$second" taskset -c "$first" mpiexec -n 2 "$WEIR" --pin "list:$second"

# ---------------------------------------------------------------- memory
refused '--membind node:63: this host has no NUMA node 63' mpiexec -n 2 "$WEIR" --membind node:63
for policy in auto local interleave none; do
    run 2 -w -t 64k -b 1m -o "$files/f" --pin core --membind $policy
    expect_done
done

# ---------------------------------------------------------------- tests of a script
# Each has a policy of its own, and the one behind a pinned one is free again.
cat >"$work/script" <<END
IOR START
    api=NULL
    testFile=$files/f
    transferSize=64k
    blockSize=64k
    writeFile=1
    readFile=0
    minTimeDuration=1
    pin=list:$second
RUN
    pin=none
IOR STOP
END
rm -f "$result"
command_line="the script"
taskset -c "$both" mpiexec -n 2 "$WEIR" -f "$work/script" --result "$result" >"$out" 2>"$err" </dev/null &
job=$!
seen=
while kill -0 "$job" 2>/dev/null; do
    now=$([[ ! -s $result ]] || bindings)
    [[ ! $now || $now == "${seen##*|}" ]] || seen+="|$now"
    sleep 0.05
done
wait "$job" || fail "the script ends badly"
[[ $seen == *"|$second $second|"*"$both $both"* ]] || fail "the places of the two tests were '$seen'"
