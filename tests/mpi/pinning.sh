#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where ranks run, as the kernel tells of them while they do: each policy, what the launcher has bound, and refusals.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ranks_py=$WEIR_ROOT/tests/mpi/ranks.py
read -r first second < <(python3 -B "$ranks_py" processors) || skip "this test may use one core only, and needs two"
both=$first,$second
((second != first + 1)) || both=$first-$second

export WEIR_TEST_MARK=$work

load=(-a POSIX --posix.rangelocks -w -E -k -t 64k -b 64k)

# A job whose ranks are on the processors named while they wait for their first write, one word for each rank, in one
# test after the other; it then ends well, and says the same itself.
expect_seats() { # expect_seats "CPUS CPUS..." [...] -- COMMAND...
    local wanted=() paths=() seats=() found=() count
    while [[ $1 != -- ]]; do
        wanted+=("$1")
        paths+=("$work/held${#paths[@]}")
        shift
    done
    shift
    read -ra seats <<<"${wanted[0]%%|*}"
    rm -f "$result"
    capture python3 -B "$ranks_py" held ${#seats[@]} "${paths[*]}" "$@" --result "$result"
    expect_done
    mapfile -t found <"$out"
    for ((count = 0; count < ${#wanted[@]}; count++)); do
        [[ ${found[count]-} =~ ^(${wanted[count]})$ ]] ||
            fail "in test $count the ranks should run on '${wanted[count]}', and were seen on '${found[count]-}'"
        expect_record "writes[$count].placement.ranks.cpus == '${found[count]}'.split() and writes[$count].placement.nodes.moved_ranks == [0]"
    done
}

pinned() { # pinned "CPUS CPUS..." POLICY
    local seats
    read -ra seats <<<"${1%%|*}"
    expect_seats "$1" -- taskset -c "$both" mpiexec -n ${#seats[@]} "$WEIR" "${load[@]}" -o "$work/held0" --pin "$2"
    expect_record "written.placement.nodes.pinned == [True]"
}

# A job whose tests each have a policy of their own.
pinned_in_turn() { # pinned_in_turn "CPUS CPUS..." POLICY ["CPUS CPUS..." POLICY]...
    local wanted=() tests=() is_pinned=() seats
    read -ra seats <<<"$1"
    while (($# > 0)); do
        tests+=("testFile=$work/held${#wanted[@]} pin=$2")
        wanted+=("$1")
        [[ $2 == none ]] && is_pinned+=(0) || is_pinned+=(1)
        shift 2
    done
    write_script 'posix.rangelocks=1 transferSize=64k blockSize=64k useExistingTestFile=1 keepFile=1 readFile=0' "${tests[@]}"
    expect_seats "${wanted[@]}" -- taskset -c "$both" mpiexec -n ${#seats[@]} "$WEIR" -f "$work/job.ior"
    expect_record "all(w.placement.nodes.pinned == [True] for w, is_pinned in zip(writes, '${is_pinned[*]}'.split()) if is_pinned == '1')"
}

code=2
refused() { # refused PATTERN COMMAND...: nothing runs, and nothing is made
    local pattern=$1
    shift
    capture "$@" -a POSIX -w -k -t 64k -b 1m -o "$files/f"
    expect_exit "$code"
    expect_error "$pattern"
    expect_files ''
}

# ---------------------------------------------------------------- each policy
# One behind a pinned one is free again.
pinned_in_turn "$first $second" core "$first $second" pu "$first $second" "list:$first+$second" "$both $both" none \
    "$second $first" "list:$second+$first" "$both $both" numa "$both $both" package "$second $second" "list:$second" "$both $both" none
pinned_in_turn "$first $second $first $second" core "$first $second $first $second" "list:$first+$second"
pinned "$second $first" "list:$second,$first"
pinned "$both $both" numa

# The target is on a block device that hwloc can locate, or the policy says why it cannot be had.
capture taskset -c "$both" mpiexec -n 2 "$WEIR" --pin storage -w -t 64k -b 64k -o "$files/f"
if ((status == 0)); then
    pinned "$first $second|$second $first" storage
else
    expect_exit 2
    expect_error '--pin storage'
fi

# ---------------------------------------------------------------- rankfiles
printf '# of two ranks\n1 %s\n0 %s\n' "$first" "$second" >"$work/ranks"
pinned "$second $first" "rankfile:$work/ranks"
code=3 refused "$work/none: .*No such file" mpiexec -n 2 "$WEIR" --pin "rankfile:$work/none"
printf '0 %s\n' "$first" >"$work/ranks"
refused 'rank 1 ' mpiexec -n 2 "$WEIR" --pin "rankfile:$work/ranks"

# ---------------------------------------------------------------- what the launcher gave
# Nobody is moved who was not asked to be, and nobody gets more than he was given.
# shellcheck disable=SC2016 # the inner shell expands them
bound=$(mpiexec -n 2 --bind-to core bash -c '
    awk -v rank="${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "/^Cpus_allowed_list/ { print rank, \$2 }" /proc/self/status' 2>/dev/null |
    sort -n | awk '{ printf "%s%s", separator, $2; separator = " " }') || true
if [[ $bound =~ ^[0-9,-]+\ [0-9,-]+$ && ${bound% *} != "${bound#* }" ]]; then
    for policy in none core numa package; do
        expect_seats "$bound" -- mpiexec -n 2 --bind-to core "$WEIR" "${load[@]}" -o "$work/held0" --pin $policy
    done
    refused '--pin' mpiexec -n 2 --bind-to core "$WEIR" --pin "list:${bound%%[ ,-]*}"
fi
expect_seats "$first $first" -- taskset -c "$first" mpiexec -n 2 "$WEIR" "${load[@]}" -o "$work/held0"
expect_record "written.placement.nodes.pinned == [False]"
expect_seats "$first $first" -- taskset -c "$first" mpiexec -n 2 "$WEIR" "${load[@]}" -o "$work/held0" --pin core
refused "--pin list.*$second" taskset -c "$first" mpiexec -n 2 "$WEIR" --pin "list:$second"

# ---------------------------------------------------------------- memory
refused '--membind node:63: ' mpiexec -n 2 "$WEIR" --membind node:63
run_script 2 "testFile=$files/f transferSize=64k blockSize=1m readFile=0 pin=core" membind={auto,local,interleave,none}
expect_done
expect_record "[w.outcome for w in writes] == ['complete'] * 4"
